/* Products on Hopper's mma.sync with operands that have tensor maps, f64 (there is no wgmma) and TF32 (whose wgmma wants k contiguous): the copy
 * engine brings tiles, rounded to TF32 on their way, told so by one thread
 * of a group of warps of its own, so that the eight warps that multiply have registers for nothing but sums and operands, and never
 * wait for each other: while one reads its operands, another multiplies.
 *
 * Tiles lie as the copy engine swizzles them: ALONG (k is contiguous), a line of 128 bytes of k for each row; else panels of as many rows
 * with a line for each k. Chunk c (16 bytes) of line l is at c ^ l % 8. Which k goes to which place of an instruction does not matter as long as it is
 * the same for both operands: a thread takes k and k + 1 as its places t and t + 4. So that no two lanes of a read meet in a bank, ALONG lanes take rows
 * in another order (row_of); the sums are stored in it, too. */
#pragma once
#include "device/blas/double.h"
#include "device/blas/mapped.h"

enum { PAIRS_LINE = 128, PAIRS_WARPS = 8 };

template <class T> struct pair_type;
template <> struct pair_type<double> {
    typedef double2 pair;
    enum { APART = 4 }; /* rows of neighbouring lanes, ALONG */
    static __device__ inline int row_of(int g) { return (g & 1) << 2 | g >> 1; }
    static __device__ inline void mma(double (&c)[4], double2 low, double2 high, double2 b) { double_mma<8>(c, low, high, b); }
};
template <> struct pair_type<float> {
    typedef float2 pair;
    enum { APART = 2 };
    static __device__ inline int row_of(int g) { return (g & 3) << 1 | g >> 2; }
    static __device__ inline void mma(float (&c)[4], float2 low, float2 high, float2 b)
    {
        const unsigned a[4] = {__float_as_uint(low.x), __float_as_uint(high.x), __float_as_uint(low.y), __float_as_uint(high.y)};
        const unsigned w[2] = {__float_as_uint(b.x), __float_as_uint(b.y)};
        tensor_type<float>::mma(c, a, w);
    }
};
/* Elements of a line; eights of k in one, which are multiplied at once; chunks and bytes of eight rows of a line ACROSS. */
template <class T> struct pair_shape {
    typedef typename pair_type<T>::pair pair;
    enum { K = PAIRS_LINE / sizeof(T), STEPS = K / 8, PANEL = K * PAIRS_LINE, EACH = 16 / sizeof(T), BESIDE = K / 8, EIGHT = 8 * sizeof(T) };
    template <bool ALONG> static __device__ inline int row(int g) { return ALONG ? pair_type<T>::row_of(g) : g; }
};

/* Where a thread's elements of an operand are: those of the first 8 rows from row `first` on; the others are whole numbers of bytes further.
 * ALONG: of each 8 of k. Else: of k and of k + 1, in each eight rows of a panel. */
template <class T, bool ALONG> struct pair_places {
    typedef pair_shape<T> shape;
    typedef typename shape::pair pair;
    int at[ALONG ? shape::STEPS : 2 * shape::BESIDE];
    __device__ inline pair_places(int first)
    {
        const int lane = threadIdx.x & 31, g = shape::template row<ALONG>(lane >> 2), t = lane & 3;
        if (ALONG) {
            const int chunk = 2 * t / shape::EACH, byte = 2 * t % shape::EACH * (int)sizeof(T);
#pragma unroll
            for (int step = 0; step < shape::STEPS; step++)
                at[step] = ((first + g) * PAIRS_LINE + ((chunk ^ g) & 7) * 16 + byte) ^ step * shape::EIGHT;
        } else {
            const int panel = first / shape::K * shape::PANEL + g % shape::EACH * (int)sizeof(T);
#pragma unroll
            for (int q = 0; q < 2 * shape::BESIDE; q++)
                at[ALONG ? 0 : q] = panel + (2 * t + q % 2) * PAIRS_LINE + (((g / shape::EACH ^ (2 * t + q % 2)) * 16) ^ q / 2 * shape::EIGHT);
        }
    }
    /* k and k + 1 of rows 8 q and on, of one eight of a tile's k. */
    __device__ inline pair read(const unsigned char *tile, int q, int step) const
    {
        if (ALONG)
            return *(const pair *)(tile + at[ALONG ? step : 0] + q * 8 * PAIRS_LINE);
        const unsigned char *from = tile + q / shape::BESIDE * shape::PANEL + step * 8 * PAIRS_LINE;
        const int beside = q % shape::BESIDE * 2;
        pair v;
        v.x = *(const T *)(from + at[ALONG ? 0 : beside]);
        v.y = *(const T *)(from + at[ALONG ? 0 : beside + 1]);
        return v;
    }
};

template <class T, int LINES, bool ALONG> __device__ inline void bring_pairs(unsigned to_, const CUtensorMap *map, unsigned barrier, int r, int k0, int z)
{
    typedef pair_shape<T> shape;
    if (ALONG) {
        bring_box(to_, map, barrier, k0, r, z);
        return;
    }
#pragma unroll
    for (int q = 0; q < LINES / shape::K; q++)
        bring_box(to_ + q * shape::PANEL, map, barrier, r + q * shape::K, k0, z);
}

/* What a warp multiplies at once: 8 of k. */
template <class T, int I, int J> struct pair_operands {
    typename pair_type<T>::pair low[I], high[I], b[J];
};
template <class T, int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void read_operands(pair_operands<T, I, J> &f, const unsigned char *stage, const pair_places<T, B_ALONG> &b, const pair_places<T, A_ALONG> &a, int b_bytes,
                                     int step)
{
#pragma unroll
    for (int i = 0; i < I; i++) {
        f.low[i] = b.read(stage, 2 * i, step);
        f.high[i] = b.read(stage, 2 * i + 1, step);
    }
#pragma unroll
    for (int j = 0; j < J; j++)
        f.b[j] = a.read(stage + b_bytes, j, step);
}
template <class T, int I, int J> __device__ inline void multiply_operands(T (&sum)[I][J][4], const pair_operands<T, I, J> &f)
{
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
            pair_type<T>::mma(sum[i][j], f.low[i], f.high[i], f.b[j]);
}

/* A warp's sums to a part of the result that is all there and wanted; c and d point at its first element. Two rows at a time, where a thread's
 * lie side by side. */
template <class T, int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void store_whole(const blas_product &p, const T (&sum)[I][J][4], T *d, const T *c, T alpha, T beta, bool wide)
{
    typedef pair_shape<T> shape;
    typedef typename shape::pair pair;
    const int lane = threadIdx.x & 31, t = lane & 3, first = shape::template row<A_ALONG>(2 * t), apart = A_ALONG ? (int)pair_type<T>::APART : 1;
    T *to_ = d + shape::template row<B_ALONG>(lane >> 2) * p.d_col + first;
    const T *from = c + shape::template row<B_ALONG>(lane >> 2) * p.c_col + first;
    const bool reads = beta != 0; /* what is there may be no number */
#pragma unroll
    for (int q = 0; q < 2 * I; q++) {
        pair was[J];
#pragma unroll
        for (int j = 0; j < J; j++) {
            was[j].x = 0;
            was[j].y = 0;
        }
        if (reads && wide) {
#pragma unroll
            for (int j = 0; j < J; j++)
                was[j] = *(const pair *)(from + j * 8);
        } else if (reads) {
#pragma unroll
            for (int j = 0; j < J; j++) {
                was[j].x = from[j * 8];
                was[j].y = from[j * 8 + apart];
            }
        }
#pragma unroll
        for (int j = 0; j < J; j++) {
            was[j].x = fma(alpha, sum[q / 2][j][q % 2 * 2], beta * was[j].x);
            was[j].y = fma(alpha, sum[q / 2][j][q % 2 * 2 + 1], beta * was[j].y);
        }
        if (wide) {
#pragma unroll
            for (int j = 0; j < J; j++)
                *(pair *)(to_ + j * 8) = was[j];
        } else {
#pragma unroll
            for (int j = 0; j < J; j++) {
                to_[j * 8] = was[j].x;
                to_[j * 8 + apart] = was[j].y;
            }
        }
        to_ += 8 * p.d_col;
        from += 8 * p.c_col;
    }
}

/* The same where rows by cols elements are there; there is one at `any`. below: how far its first row is below its first column, for
 * results of which one triangle is wanted. */
template <class T, int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void store_sums(const blas_product &p, const T (&sum)[I][J][4], T *d, const T *c, const T *any, T alpha, T beta, int rows, int cols, long long below)
{
    typedef pair_shape<T> shape;
    const int PAIR = 2 * sizeof(T);
    const int lane = threadIdx.x & 31, g = shape::template row<B_ALONG>(lane >> 2), t = lane & 3;
    const bool reads = beta != 0, whole = p.part == BLAS_WHOLE, upper = p.part == BLAS_UPPER;
    if (rows == 8 * J && cols == 16 * I && (whole || (upper ? below + rows <= 1 : below - cols >= -1))) {
        const bool wide = !A_ALONG && ((unsigned long long)d | p.d_col * sizeof(T)) % PAIR == 0 && (!reads || ((unsigned long long)c | p.c_col * sizeof(T)) % PAIR == 0);
        store_whole<T, I, J, A_ALONG, B_ALONG>(p, sum, d, c, alpha, beta, wide);
        return;
    }
#pragma unroll
    for (int q = 0; q < 2 * I; q++) {
        const int col = q * 8 + g;
        T *to_ = d + col * p.d_col;
        const T *from = c + col * p.c_col;
#pragma unroll
        for (int j = 0; j < 2 * J; j++) {
            const int row = j / 2 * 8 + shape::template row<A_ALONG>(2 * t + j % 2);
            const bool inside = row < rows & col < cols & (whole | (below + row >= col) != upper | below + row == col);
            const T was = *(inside & reads ? from + row : any), v = alpha * sum[q / 2][j / 2][q % 2 * 2 + j % 2];
            if (inside)
                to_[row] = reads ? fma(beta, was, v) : v;
        }
    }
}

/* COLS by ROWS elements of the result a tile, WARP_COLS by WARP_ROWS a warp; there are eight. d_row and c_row are 1. */
template <class T, int COLS, int ROWS, int WARP_COLS, int WARP_ROWS, int STAGES, bool A_ALONG, bool B_ALONG>
__global__ __launch_bounds__(MAPPED_THREADS, 1) void mapped_pairs(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, blas_product p, int count)
{
    typedef pair_shape<T> shape;
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    const int B_BYTES = COLS * PAIRS_LINE, STAGE = B_BYTES + ROWS * PAIRS_LINE, I = WARP_COLS / 16, J = WARP_ROWS / 8;
    const unsigned start = (1024 - (shared_address(wgmma_memory) & 1023)) & 1023, full = shared_address(barriers), empty = full + 8 * STAGES;
    const unsigned char *memory = wgmma_memory + start;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, PAIRS_WARPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const unsigned tiles_m = (unsigned)((p.m + ROWS - 1) / ROWS), tiles_n = (unsigned)((p.n + COLS - 1) / COLS), tiles = tiles_m * tiles_n * count;
    const T alpha = scalar<T>(p.alpha, p.alpha_value), beta = scalar<T>(p.beta, p.beta_value);
    const int steps = alpha == 0 ? 0 : (int)((p.k + shape::K - 1) / shape::K);
    int stage = 0;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        int parity = 1;
        if (threadIdx.x == 0)
            for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                const mapped_tile at = mapped_at(tile, tiles_m, tiles_n);
                const int i0 = at.i * ROWS, j0 = at.j * COLS;
                if (p.part == BLAS_UPPER ? i0 > j0 + COLS - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
                    continue;
                for (int s = 0; s < steps; s++) {
                    barrier_wait(empty + 8 * stage, parity);
                    barrier_expect(full + 8 * stage, STAGE);
                    const unsigned to_ = shared_address(memory) + stage * STAGE;
                    bring_pairs<T, COLS, B_ALONG>(to_, &b_map, full + 8 * stage, j0, s * shape::K, at.z);
                    bring_pairs<T, ROWS, A_ALONG>(to_ + B_BYTES, &a_map, full + 8 * stage, i0, s * shape::K, at.z);
                    if (++stage == STAGES) {
                        stage = 0;
                        parity ^= 1;
                    }
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        const int warp = (threadIdx.x >> 5) - 4, wc = warp % (COLS / WARP_COLS) * WARP_COLS, wr = warp / (COLS / WARP_COLS) * WARP_ROWS;
        const pair_places<T, B_ALONG> b_places(wc);
        const pair_places<T, A_ALONG> a_places(wr);
        int parity = 0;
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const mapped_tile at = mapped_at(tile, tiles_m, tiles_n);
            const long long i0 = (long long)at.i * ROWS, j0 = (long long)at.j * COLS;
            if (p.part == BLAS_UPPER ? i0 > j0 + COLS - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
                continue;
            T sum[I][J][4];
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        sum[i][j][e] = 0;
            const bool AHEAD = I * J * sizeof(T) <= 64; /* there are registers for the next operands, too */
            pair_operands<T, I, J> f[AHEAD ? 2 : 1];
            if (AHEAD && steps) {
                barrier_wait(full + 8 * stage, parity);
                read_operands<T, I, J, A_ALONG, B_ALONG>(f[0], memory + stage * STAGE, b_places, a_places, B_BYTES, 0);
            }
            for (int s = 0; s < steps; s++) {
                const unsigned char *now = memory + stage * STAGE;
                const unsigned done = empty + 8 * stage;
                if (!AHEAD) {
                    barrier_wait(full + 8 * stage, parity);
                    read_operands<T, I, J, A_ALONG, B_ALONG>(f[0], now, b_places, a_places, B_BYTES, 0);
                }
#pragma unroll
                for (int step = 1; step < shape::STEPS; step++) {
                    if (!AHEAD)
                        multiply_operands<T, I, J>(sum, f[0]);
                    read_operands<T, I, J, A_ALONG, B_ALONG>(f[AHEAD && step % 2], now, b_places, a_places, B_BYTES, step);
                    if (AHEAD)
                        multiply_operands<T, I, J>(sum, f[AHEAD && (step - 1) % 2]);
                }
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
                if (AHEAD && s + 1 < steps) {
                    barrier_wait(full + 8 * stage, parity);
                    read_operands<T, I, J, A_ALONG, B_ALONG>(f[0], memory + stage * STAGE, b_places, a_places, B_BYTES, 0);
                }
                multiply_operands<T, I, J>(sum, f[AHEAD]);
                __syncwarp();
                if ((threadIdx.x & 31) == 0)
                    barrier_arrive(done);
            }
            const T *c = batch<const T>(p.c, p.c_array, p.c_stride, p.c_offset, at.z) + i0 + wr + (j0 + wc) * p.c_col;
            T *d_first = batch<T>(p.d, p.d_array, p.d_stride, p.d_offset, at.z), *d = d_first + i0 + wr + (j0 + wc) * p.d_col;
            const long long rows = p.m - i0 - wr, cols = p.n - j0 - wc;
            store_sums<T, I, J, A_ALONG, B_ALONG>(p, sum, d, c, d_first, alpha, beta, rows < WARP_ROWS ? (int)rows : WARP_ROWS, cols < WARP_COLS ? (int)cols : WARP_COLS, i0 + wr - j0 - wc);
        }
    }
}

/* f64 products on Hopper's mma.sync (see double.h) with operands that have tensor maps: the copy engine brings tiles, told so by one thread
 * of a group of warps of its own, so that the eight warps that multiply have registers for nothing but sums and operands, and never
 * wait for each other: while one reads its operands, another multiplies.
 *
 * Tiles lie as the copy engine swizzles them: ALONG (k is contiguous), a line of 128 bytes, 16 of k, for each row; else panels of 16 rows
 * with a line for each k. Chunk c (16 bytes) of line l is at c ^ l % 8. So that no two lanes of a read meet in a bank, ALONG lanes take rows
 * in another order (double_row); the sums are stored in it, too. */
#pragma once
#include "device/blas/double.h"
#include "device/blas/mapped.h"

enum { DOUBLE_LINE = 128, DOUBLE_PANEL = DOUBLE_K * DOUBLE_LINE, DOUBLE_WARPS = 8 };

template <bool ALONG> __device__ inline int double_row(int g) { return ALONG ? (g & 1) << 2 | g >> 1 : g; }

/* Where a thread's elements of an operand are: those of the first 8 rows from row `first` on; the others are whole numbers of bytes further.
 * ALONG: of the first and the second 8 of k. Else: of k and of k + 1, in the first and in the second half of a panel. */
template <bool ALONG> struct double_places {
    int at[ALONG ? 2 : 4];
    __device__ inline double_places(int first)
    {
        const int lane = threadIdx.x & 31, g = double_row<ALONG>(lane >> 2), t = lane & 3;
        if (ALONG) {
            at[0] = (first + g) * DOUBLE_LINE + ((t ^ g) & 7) * 16;
            at[1] = at[0] ^ 64;
        } else {
            const int panel = first / 16 * DOUBLE_PANEL + g % 2 * 8;
            at[0] = panel + 2 * t * DOUBLE_LINE + (g / 2 ^ 2 * t) * 16;
            at[ALONG ? 0 : 2] = panel + (2 * t + 1) * DOUBLE_LINE + (g / 2 ^ (2 * t + 1)) * 16;
            at[1] = at[0] ^ 64;
            at[ALONG ? 1 : 3] = at[ALONG ? 0 : 2] ^ 64;
        }
    }
    /* k and k + 1 of rows 8 q and on, of one half of a tile's k. */
    __device__ inline double2 pair(const unsigned char *tile, int q, int half) const
    {
        if (ALONG)
            return *(const double2 *)(tile + at[half] + q * 8 * DOUBLE_LINE);
        double2 v;
        v.x = *(const double *)(tile + at[q % 2] + q / 2 * DOUBLE_PANEL + half * 8 * DOUBLE_LINE);
        v.y = *(const double *)(tile + at[ALONG ? 0 : q % 2 + 2] + q / 2 * DOUBLE_PANEL + half * 8 * DOUBLE_LINE);
        return v;
    }
};

template <int LINES, bool ALONG> __device__ inline void bring_double(unsigned to_, const CUtensorMap *map, unsigned barrier, int r, int k0, int z)
{
    if (ALONG) {
        bring_box(to_, map, barrier, k0, r, z);
        return;
    }
#pragma unroll
    for (int q = 0; q < LINES / 16; q++)
        bring_box(to_ + q * DOUBLE_PANEL, map, barrier, r + q * 16, k0, z);
}

/* What a warp multiplies at once: 8 of k. */
template <int I, int J> struct double_operands {
    double2 low[I], high[I], b[J];
};
template <int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void read_operands(double_operands<I, J> &f, const unsigned char *stage, const double_places<B_ALONG> &b, const double_places<A_ALONG> &a, int b_bytes, int half)
{
#pragma unroll
    for (int i = 0; i < I; i++) {
        f.low[i] = b.pair(stage, 2 * i, half);
        f.high[i] = b.pair(stage, 2 * i + 1, half);
    }
#pragma unroll
    for (int j = 0; j < J; j++)
        f.b[j] = a.pair(stage + b_bytes, j, half);
}
template <int I, int J> __device__ inline void multiply_operands(double (&sum)[I][J][4], const double_operands<I, J> &f)
{
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
            double_mma<8>(sum[i][j], f.low[i], f.high[i], f.b[j]);
}

/* A warp's sums to a part of the result that is all there and wanted; c and d point at its first element. Two rows at a time, where a thread's
 * lie side by side. */
template <int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void store_whole(const blas_product &p, const double (&sum)[I][J][4], double *d, const double *c, double alpha, double beta, bool wide)
{
    const int lane = threadIdx.x & 31, t = lane & 3, first = double_row<A_ALONG>(2 * t), apart = A_ALONG ? 4 : 1;
    double *to_ = d + double_row<B_ALONG>(lane >> 2) * p.d_col + first;
    const double *from = c + double_row<B_ALONG>(lane >> 2) * p.c_col + first;
    const bool reads = beta != 0; /* what is there may be no number */
#pragma unroll
    for (int q = 0; q < 2 * I; q++) {
        double2 was[J];
#pragma unroll
        for (int j = 0; j < J; j++) {
            was[j].x = 0;
            was[j].y = 0;
        }
        if (reads && wide) {
#pragma unroll
            for (int j = 0; j < J; j++)
                was[j] = *(const double2 *)(from + j * 8);
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
                *(double2 *)(to_ + j * 8) = was[j];
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
template <int I, int J, bool A_ALONG, bool B_ALONG>
__device__ inline void store_sums(const blas_product &p, const double (&sum)[I][J][4], double *d, const double *c, const double *any, double alpha, double beta, int rows,
                                  int cols, long long below)
{
    const int lane = threadIdx.x & 31, g = double_row<B_ALONG>(lane >> 2), t = lane & 3;
    const bool reads = beta != 0, whole = p.part == BLAS_WHOLE, upper = p.part == BLAS_UPPER;
    if (rows == 8 * J && cols == 16 * I && (whole || (upper ? below + rows <= 1 : below - cols >= -1))) {
        const bool wide = !A_ALONG && ((unsigned long long)d | p.d_col * 8) % 16 == 0 && (!reads || ((unsigned long long)c | p.c_col * 8) % 16 == 0);
        store_whole<I, J, A_ALONG, B_ALONG>(p, sum, d, c, alpha, beta, wide);
        return;
    }
#pragma unroll
    for (int q = 0; q < 2 * I; q++) {
        const int col = q * 8 + g;
        double *to_ = d + col * p.d_col;
        const double *from = c + col * p.c_col;
#pragma unroll
        for (int j = 0; j < 2 * J; j++) {
            const int row = j / 2 * 8 + double_row<A_ALONG>(2 * t + j % 2);
            const bool inside = row < rows & col < cols & (whole | (below + row >= col) != upper | below + row == col);
            const double was = *(inside & reads ? from + row : any), v = alpha * sum[q / 2][j / 2][q % 2 * 2 + j % 2];
            if (inside)
                to_[row] = reads ? fma(beta, was, v) : v;
        }
    }
}

/* COLS by ROWS elements of the result a tile, WARP_COLS by WARP_ROWS a warp; there are eight. d_row and c_row are 1. */
template <int COLS, int ROWS, int WARP_COLS, int WARP_ROWS, int STAGES, bool A_ALONG, bool B_ALONG>
__global__ __launch_bounds__(MAPPED_THREADS, 1) void mapped_double(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, blas_product p, int count)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    const int B_BYTES = COLS * DOUBLE_LINE, STAGE = B_BYTES + ROWS * DOUBLE_LINE, I = WARP_COLS / 16, J = WARP_ROWS / 8;
    const unsigned start = (1024 - (shared_address(wgmma_memory) & 1023)) & 1023, full = shared_address(barriers), empty = full + 8 * STAGES;
    const unsigned char *memory = wgmma_memory + start;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, DOUBLE_WARPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const unsigned tiles_m = (unsigned)((p.m + ROWS - 1) / ROWS), tiles_n = (unsigned)((p.n + COLS - 1) / COLS), tiles = tiles_m * tiles_n * count;
    const double alpha = scalar<double>(p.alpha, p.alpha_value), beta = scalar<double>(p.beta, p.beta_value);
    const int steps = alpha == 0 ? 0 : (int)((p.k + DOUBLE_K - 1) / DOUBLE_K);
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
                    bring_double<COLS, B_ALONG>(to_, &b_map, full + 8 * stage, j0, s * DOUBLE_K, at.z);
                    bring_double<ROWS, A_ALONG>(to_ + B_BYTES, &a_map, full + 8 * stage, i0, s * DOUBLE_K, at.z);
                    if (++stage == STAGES) {
                        stage = 0;
                        parity ^= 1;
                    }
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        const int warp = (threadIdx.x >> 5) - 4, wc = warp % (COLS / WARP_COLS) * WARP_COLS, wr = warp / (COLS / WARP_COLS) * WARP_ROWS;
        const double_places<B_ALONG> b_places(wc);
        const double_places<A_ALONG> a_places(wr);
        int parity = 0;
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const mapped_tile at = mapped_at(tile, tiles_m, tiles_n);
            const long long i0 = (long long)at.i * ROWS, j0 = (long long)at.j * COLS;
            if (p.part == BLAS_UPPER ? i0 > j0 + COLS - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
                continue;
            double sum[I][J][4];
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        sum[i][j][e] = 0;
            const bool AHEAD = I * J <= 8; /* there are registers for the next operands, too */
            double_operands<I, J> f[AHEAD ? 2 : 1];
            if (AHEAD && steps) {
                barrier_wait(full + 8 * stage, parity);
                read_operands<I, J, A_ALONG, B_ALONG>(f[0], memory + stage * STAGE, b_places, a_places, B_BYTES, 0);
            }
            for (int s = 0; s < steps; s++) {
                const unsigned char *now = memory + stage * STAGE;
                const unsigned done = empty + 8 * stage;
                if (!AHEAD) {
                    barrier_wait(full + 8 * stage, parity);
                    read_operands<I, J, A_ALONG, B_ALONG>(f[0], now, b_places, a_places, B_BYTES, 0);
                    multiply_operands<I, J>(sum, f[0]);
                }
                read_operands<I, J, A_ALONG, B_ALONG>(f[AHEAD], now, b_places, a_places, B_BYTES, 1);
                if (AHEAD)
                    multiply_operands<I, J>(sum, f[0]);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
                if (AHEAD && s + 1 < steps) {
                    barrier_wait(full + 8 * stage, parity);
                    read_operands<I, J, A_ALONG, B_ALONG>(f[0], memory + stage * STAGE, b_places, a_places, B_BYTES, 0);
                }
                multiply_operands<I, J>(sum, f[AHEAD]);
                __syncwarp();
                if ((threadIdx.x & 31) == 0)
                    barrier_arrive(done);
            }
            const double *c = batch<const double>(p.c, p.c_array, p.c_stride, p.c_offset, at.z) + i0 + wr + (j0 + wc) * p.c_col;
            double *d_first = batch<double>(p.d, p.d_array, p.d_stride, p.d_offset, at.z), *d = d_first + i0 + wr + (j0 + wc) * p.d_col;
            const long long rows = p.m - i0 - wr, cols = p.n - j0 - wc;
            store_sums<I, J, A_ALONG, B_ALONG>(p, sum, d, c, d_first, alpha, beta, rows < WARP_ROWS ? (int)rows : WARP_ROWS, cols < WARP_COLS ? (int)cols : WARP_COLS, i0 + wr - j0 - wc);
        }
    }
}

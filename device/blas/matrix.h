/* Products on a warp's matrix instructions (mma.sync) for GPUs that have no asynchronous copies, and 48 KB of shared memory: BM by BN
 * elements of the result a block, WM by WN a warp; the next tiles of A and B are on their way to registers while these are multiplied.
 *
 * In shared memory k is contiguous, 64 bytes of it in each row, whichever way the operands lie. A thread reads chunks of 16 bytes, which
 * are two instructions' worth: which element of k goes to which place of an instruction does not matter as long as it is the same for A
 * and B. Rows 8 to 15 of each 16 are exchanged in pairs, so that lanes that write eight rows apart write to different banks. */
#pragma once
#include "device/blas/tensor.h"

enum { MATRIX_ROW_BYTES = 64, MATRIX_COLUMNS = 32 /* of the sums, at once */ };

__device__ inline unsigned *matrix_row(unsigned char *tile, int row) { return (unsigned *)(tile + (row ^ (row >> 3 & 1)) * MATRIX_ROW_BYTES); }

/* Elements of a piece of 16 bytes, of a row in shared memory, of a word. */
template <class T> struct matrix_shape {
    static constexpr int V = 16 / (int)sizeof(T), K = MATRIX_ROW_BYTES / (int)sizeof(T), PACK = 4 / (int)sizeof(T);
};
template <class T> __device__ inline unsigned matrix_bits(const T &v)
{
    return sizeof(T) == 1 ? *(const unsigned char *)&v : sizeof(T) == 2 ? *(const unsigned short *)&v : *(const unsigned *)&v;
}

/* What one of THREADS brings of a tile: PIECES. ALONG: k is contiguous, and a piece is a chunk of a row. Else PACK pieces, of as many steps
 * of k, are a word for each of their rows. `left` rows by k_left are there, WHOLE all. */
template <class T, int PIECES, int THREADS, bool ALONG, bool WHOLE>
__device__ inline void matrix_bring(uint4 *v, const T *p, long long apart, int left, int k_left)
{
    typedef matrix_shape<T> X;
#pragma unroll
    for (int q = 0; q < PIECES; q++) {
        const int e = threadIdx.x + (ALONG ? q : q / X::PACK) * THREADS;
        const int i = ALONG ? e / 4 : e / 16 * X::V, k = ALONG ? e % 4 * X::V : e % 16 * X::PACK + q % X::PACK;
        const T *from = ALONG ? p + i * apart + k : p + k * apart + i;
        if (WHOLE) {
            v[q] = *(const uint4 *)from;
            continue;
        }
        const int more = i >= left || k >= k_left ? 0 : ALONG ? k_left - k : left - i;
        unsigned word[4] = {0, 0, 0, 0}; /* by arithmetic: what is an array of halves anywhere is held as halves everywhere */
#pragma unroll
        for (int r = 0; r < X::V; r++)
            if (r < more)
                word[r / X::PACK] |= matrix_bits(from[r]) << r % X::PACK * (32 / X::PACK);
        v[q] = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

__device__ inline unsigned matrix_word(const uint4 &v, int n) { return n == 0 ? v.x : n == 1 ? v.y : n == 2 ? v.z : v.w; }

template <class T, int PIECES, int THREADS, bool ALONG> __device__ inline void matrix_put(unsigned char *tile, const uint4 *v)
{
    typedef matrix_shape<T> X;
    if (ALONG) {
#pragma unroll
        for (int q = 0; q < PIECES; q++) {
            const int e = threadIdx.x + q * THREADS;
            *(uint4 *)(matrix_row(tile, e / 4) + e % 4 * 4) = v[q];
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < PIECES / X::PACK; q++) {
        const int e = threadIdx.x + q * THREADS;
#pragma unroll
        for (int r = 0; r < X::V; r++) {
            unsigned word = matrix_word(v[q * X::PACK], r / X::PACK);
            if (X::PACK == 2) /* the same half of both */
                word = __byte_perm(word, matrix_word(v[q * X::PACK + X::PACK - 1], r / X::PACK), r % 2 ? 0x7632 : 0x5410);
            matrix_row(tile, e / 16 * X::V + r)[e % 16] = word;
        }
    }
}

template <class T> __device__ inline uint4 matrix_chunk(unsigned char *tile, int row, int t)
{
    uint4 v = *(const uint4 *)(matrix_row(tile, row) + t * 4);
    if (sizeof(T) == 4)
        round_all(v);
    return v;
}

/* A_ALONG, B_ALONG: whether k is contiguous. */
template <class T, class F, class C, class S, int BM, int BN, int WM, int WN, bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(BM / WM *(BN / WN) * 32) void matrix_product(blas_product p)
{
    typedef typename tensor_type<T>::sum X;
    const int THREADS = BM / WM * (BN / WN) * 32, K = matrix_shape<T>::K, QA = BM * MATRIX_ROW_BYTES / 16 / THREADS, QB = BN * MATRIX_ROW_BYTES / 16 / THREADS,
              I = WM / 16, J = WN / 8, LD = BM + 4;
    static_assert(QA >= 2 && QB >= 2, "too many threads for two pieces each");
    __shared__ __align__(16) unsigned char memory[2][(BM + BN) * MATRIX_ROW_BYTES]; /* A and B; in the end some columns of the sums */
    static_assert(sizeof(X) * MATRIX_COLUMNS * LD <= sizeof memory, "the tiles have no room for the sums");
    const tile_place place = place_of_tile<BM, BN>(p);
    const long long i0 = place.i, j0 = place.j, z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return;
    const S alpha = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const T *a = batch<const T>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const T *b = batch<const T>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, warp = threadIdx.x >> 5, wm = warp % (BM / WM) * WM, wn = warp / (BM / WM) * WN;
    const int rows = p.m - i0 < BM ? (int)(p.m - i0) : BM, cols = p.n - j0 < BN ? (int)(p.n - j0) : BN;
    const bool whole = ALIGNED && rows == BM && cols == BN;
    X sum[I][J][4];
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = X(0);
    int deep = is_zero(alpha) ? 0 : (int)p.k, now = 0;
    uint4 na[QA], nb[QB];
#define MATRIX_BRING                                                                               \
    if (whole && deep >= K) {                                                                      \
        matrix_bring<T, QA, THREADS, A_ALONG, true>(na, a, a_apart, rows, deep);                                \
        matrix_bring<T, QB, THREADS, B_ALONG, true>(nb, b, b_apart, cols, deep);                                \
    } else if (deep > 0) {                                                                         \
        matrix_bring<T, QA, THREADS, A_ALONG, false>(na, a, a_apart, rows, deep);                               \
        matrix_bring<T, QB, THREADS, B_ALONG, false>(nb, b, b_apart, cols, deep);                               \
    }
    MATRIX_BRING
    while (deep > 0) {
        unsigned char *const ta = memory[now], *const tb = ta + BM * MATRIX_ROW_BYTES;
        matrix_put<T, QA, THREADS, A_ALONG>(ta, na);
        matrix_put<T, QB, THREADS, B_ALONG>(tb, nb);
        __syncthreads();
        a += K * (A_ALONG ? 1 : a_apart);
        b += K * (B_ALONG ? 1 : b_apart);
        deep -= K;
        MATRIX_BRING
        uint4 fb[J];
#pragma unroll
        for (int j = 0; j < J; j++)
            fb[j] = matrix_chunk<T>(tb, wn + j * 8 + g, t);
#pragma unroll
        for (int i = 0; i < I; i++) {
            const uint4 low = matrix_chunk<T>(ta, wm + i * 16 + g, t), high = matrix_chunk<T>(ta, wm + i * 16 + g + 8, t);
            const unsigned a0[4] = {low.x, high.x, low.y, high.y}, a1[4] = {low.z, high.z, low.w, high.w};
#pragma unroll
            for (int j = 0; j < J; j++) {
                const unsigned b0[2] = {fb[j].x, fb[j].y}, b1[2] = {fb[j].z, fb[j].w};
                tensor_type<T>::mma(sum[i][j], a0, b0);
                tensor_type<T>::mma(sum[i][j], a1, b1);
            }
        }
        now ^= 1;
    }
#undef MATRIX_BRING
    /* By way of shared memory, some columns at a time: threads side by side write elements side by side. */
    X *const tile = (X *)memory;
#pragma unroll 1
    for (int from = 0; from < BN; from += MATRIX_COLUMNS) {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < J; j++)
            if ((wn + j * 8) / MATRIX_COLUMNS * MATRIX_COLUMNS == from)
#pragma unroll
                for (int i = 0; i < I; i++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        tile[((wn + j * 8) % MATRIX_COLUMNS + t * 2 + e % 2) * LD + wm + i * 16 + g + e / 2 * 8] = sum[i][j][e];
        __syncthreads();
        write_tile<F, C, X, S, EPILOGUE, BM, MATRIX_COLUMNS, LD, THREADS>(p, tile, alpha, beta, i0, j0 + from, z);
    }
}

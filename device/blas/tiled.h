/* Products without matrix instructions, for GPUs of any maker: BM by BN elements of the result a block, WM by WN a warp, whose lanes are 8 by 4;
 * what is read from memory becomes X on its way to shared memory, of which it takes 17 KB at most. The next tiles of A and B are on their way
 * to registers while these are multiplied; sums go from registers to the result. */
#pragma once
#include "device/blas/gemm.h"

enum { TILED_K = 8 };

template <int BYTES> struct tiled_bits;
template <> struct tiled_bits<8> {
    typedef uint2 type;
};
template <> struct tiled_bits<16> {
    typedef uint4 type;
};
/* N elements that lie together as one access. */
template <class T, int N> union tiled_piece {
    typename tiled_bits<N * (int)sizeof(T)>::type whole;
    T each[N];
    __device__ tiled_piece() {}
};

/* 16 bytes of a tile of SIZE by TILED_K, number e of them all. ALONG: k is contiguous; apart: between what is not; of the tile `left` by
 * k_left are there, WHOLE all. */
template <class T, int SIZE, bool ALONG, bool WHOLE>
__device__ inline void tiled_bring(chunk<T> &v, const T *p, long long apart, int left, int k_left, int e)
{
    const int V = 16 / (int)sizeof(T), i = ALONG ? e / (TILED_K / V) : e % (SIZE / V) * V, k = ALONG ? e % (TILED_K / V) * V : e / (SIZE / V);
    const T *from = ALONG ? p + i * apart + k : p + k * apart + i;
    if (WHOLE) {
        v.whole = *(const uint4 *)from;
        return;
    }
    const int more = i >= left || k >= k_left ? 0 : ALONG ? k_left - k : left - i;
#pragma unroll
    for (int q = 0; q < V; q++)
        v.each[q] = q < more ? from[q] : T(0);
}
template <class T, class X, int SIZE, int LD, bool ALONG> __device__ inline void tiled_put(X *tile, const chunk<T> &v, int e)
{
    const int V = 16 / (int)sizeof(T);
#pragma unroll
    for (int q = 0; q < V; q++) {
        const int i = ALONG ? e / (TILED_K / V) : e % (SIZE / V) * V + q, k = ALONG ? e % (TILED_K / V) * V + q : e / (SIZE / V);
        tile[k * LD + i] = to<X>(v.each[q]);
    }
}

template <class T, class F, class C, class X, class S, int BM, int BN, int WM, int WN, bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(BM / WM *(BN / WN) * 32) void tiled_product(blas_product p)
{
    const int THREADS = BM / WM * (BN / WN) * 32, V = 16 / (int)sizeof(T), G = 16 / (int)sizeof(X), TM = WM / 8, TN = WN / 4, LA = BM + G, LB = BN + G,
              CA = BM * TILED_K / V, CB = BN * TILED_K / V, QA = (CA + THREADS - 1) / THREADS, QB = (CB + THREADS - 1) / THREADS;
    __shared__ __align__(16) X as[2][TILED_K * LA], bs[2][TILED_K * LB];
    const tile_place place = place_of_tile<BM, BN>(p);
    const long long i0 = place.i, j0 = place.j, z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return;
    const S alpha = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const T *a = batch<const T>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const T *b = batch<const T>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int tm = warp % (BM / WM) * WM + lane % 8 * G, tn = warp / (BM / WM) * WN + lane / 8 * G;
    X sum[TN][TM];
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            sum[j][i] = X(0);
    const int k_end = is_zero(alpha) ? 0 : (int)p.k;
    chunk<T> na[QA], nb[QB];
    const int rows = p.m - i0 < BM ? (int)(p.m - i0) : BM, cols = p.n - j0 < BN ? (int)(p.n - j0) : BN;
    const bool whole = ALIGNED && rows == BM && cols == BN;
/* Where there are fewer pieces than threads, some have none. */
#define TILED_EACH(Q, COUNT) _Pragma("unroll") for (int q = 0; q < Q; q++) if (COUNT % THREADS == 0 || t + q * THREADS < COUNT)
#define TILED_BRING(W, deep)                                                                       \
    {                                                                                              \
        TILED_EACH(QA, CA) tiled_bring<T, BM, A_ALONG, W>(na[q], a, a_apart, rows, deep, t + q * THREADS); \
        TILED_EACH(QB, CB) tiled_bring<T, BN, B_ALONG, W>(nb[q], b, b_apart, cols, deep, t + q * THREADS); \
    }
    if (whole && k_end >= TILED_K)
        TILED_BRING(true, k_end)
    else
        TILED_BRING(false, k_end)
    int now = 0;
    for (int k0 = 0; k0 < k_end; k0 += TILED_K) {
        TILED_EACH(QA, CA) tiled_put<T, X, BM, LA, A_ALONG>(as[now], na[q], t + q * THREADS);
        TILED_EACH(QB, CB) tiled_put<T, X, BN, LB, B_ALONG>(bs[now], nb[q], t + q * THREADS);
        __syncthreads();
        a += TILED_K * (A_ALONG ? 1 : a_apart);
        b += TILED_K * (B_ALONG ? 1 : b_apart);
        const int deep = k_end - k0 - TILED_K;
        if (whole && deep >= TILED_K)
            TILED_BRING(true, deep)
        else if (deep > 0)
            TILED_BRING(false, deep)
#pragma unroll
        for (int k = 0; k < TILED_K; k++) {
            X u[TM], v[TN];
#pragma unroll
            for (int i = 0; i < TM / G; i++) {
                tiled_piece<X, G> from;
                from.whole = *(const uint4 *)&as[now][k * LA + tm + i * 8 * G];
#pragma unroll
                for (int r = 0; r < G; r++)
                    u[i * G + r] = from.each[r];
            }
#pragma unroll
            for (int j = 0; j < TN / G; j++) {
                tiled_piece<X, G> from;
                from.whole = *(const uint4 *)&bs[now][k * LB + tn + j * 4 * G];
#pragma unroll
                for (int c = 0; c < G; c++)
                    v[j * G + c] = from.each[c];
            }
#pragma unroll
            for (int j = 0; j < TN; j++)
#pragma unroll
                for (int i = 0; i < TM; i++)
                    sum[j][i] = fma(u[i], v[j], sum[j][i]);
        }
        now ^= 1;
    }
#undef TILED_BRING
#undef TILED_EACH
    const F *c = batch<const F>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    C *d = batch<C>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    const bool reads = !is_zero(beta), wide = !EPILOGUE && !p.real_diagonal && p.part == BLAS_WHOLE && rows == BM && cols == BN && p.d_row == 1 &&
                                              ((unsigned long long)d | p.d_col * sizeof(C)) % (G * sizeof(C)) == 0 &&
                                              (!reads || (p.c_row == 1 && ((unsigned long long)c | p.c_col * sizeof(F)) % (G * sizeof(F)) == 0));
    if (wide) {
#pragma unroll
        for (int j = 0; j < TN; j++)
#pragma unroll
            for (int i = 0; i < TM / G; i++) {
                const long long row = i0 + tm + i * 8 * G, column = j0 + tn + j / G * 4 * G + j % G;
                tiled_piece<F, G> in;
                tiled_piece<C, G> out;
                if (reads)
                    in.whole = ((const tiled_piece<F, G> *)(c + row + column * p.c_col))->whole;
#pragma unroll
                for (int r = 0; r < G; r++) {
                    S w = mul(alpha, to<S>(sum[j][i * G + r]));
                    if (reads)
                        mad(w, beta, to<S>(in.each[r]));
                    out.each[r] = to<C>(w);
                }
                ((tiled_piece<C, G> *)(d + row + column * p.d_col))->whole = out.whole;
            }
        return;
    }
    /* Else by way of shared memory, one column of each thread's at a time, so that the rest can be loops. */
    const int COLUMNS = BN / TN;
    static_assert(COLUMNS <= 2 * TILED_K, "a tile of A has no room for the sums");
    X *const sums = as[0];
#pragma unroll 1
    for (int round = 0; round < TN; round++) {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TN; j++)
            if (j == round)
#pragma unroll
                for (int i = 0; i < TM; i++)
                    sums[(warp / (BM / WM) * 4 + lane / 8) * LA + tm + i / G * 8 * G + i % G] = sum[j][i];
        __syncthreads();
        for (int e = t; e < rows * COLUMNS; e += THREADS) {
            const int r = e % rows, q = e / rows, column = q / 4 * WN + q % 4 * G + round / G * 4 * G + round % G;
            if (column < cols)
                finish<F, C, X, S, EPILOGUE>(p, d, c, sums[q * LA + r], alpha, beta, i0 + r, j0 + column, z);
        }
    }
}

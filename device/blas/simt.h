/* f32 products without matrix instructions, for GPUs: BM by BN elements of the result a block, WM by WN a warp, whose lanes are 8 by 4;
 * the next tiles of A and B are on their way to registers while these are multiplied. */
#pragma once
#include "device/blas/gemm.h"

enum { SIMT_K = 16 };

/* Four elements of a tile of SIZE by SIMT_K, number e of them all. ALONG: k is contiguous; apart: between what is not; of the tile
 * `left` by k_left are there, WHOLE all. */
template <int SIZE, bool ALONG, bool WHOLE>
__device__ inline float4 simt_bring(const float *p, long long apart, int left, int k_left, int e)
{
    const int i = ALONG ? e / (SIMT_K / 4) : e % (SIZE / 4) * 4, k = ALONG ? e % (SIMT_K / 4) * 4 : e / (SIZE / 4);
    const float *from = ALONG ? p + i * apart + k : p + k * apart + i;
    if (WHOLE)
        return *(const float4 *)from;
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (i >= left || k >= k_left)
        return v;
    const int more = ALONG ? k_left - k : left - i;
    v.x = from[0];
    if (more > 1) v.y = from[1];
    if (more > 2) v.z = from[2];
    if (more > 3) v.w = from[3];
    return v;
}
template <int SIZE, bool ALONG> __device__ inline void simt_put(float *tile, float4 v, int e)
{
    const int LD = SIZE + 4;
    if (ALONG) {
        float *at = tile + e % (SIMT_K / 4) * 4 * LD + e / (SIMT_K / 4);
        at[0] = v.x;
        at[LD] = v.y;
        at[2 * LD] = v.z;
        at[3 * LD] = v.w;
    } else {
        *(float4 *)(tile + e / (SIZE / 4) * LD + e % (SIZE / 4) * 4) = v;
    }
}

template <int BM, int BN, int WM, int WN, bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(BM / WM *(BN / WN) * 32, BM * BN >= 128 * 128 ? 2 : 4) void simt_product(blas_product p)
{
    const int THREADS = BM / WM * (BN / WN) * 32, TM = WM / 8, TN = WN / 4, LA = BM + 4, LB = BN + 4, QA = BM * SIMT_K / 4 / THREADS, QB = BN * SIMT_K / 4 / THREADS;
    extern __shared__ __align__(16) float simt_memory[]; /* twice A and B; in the end the sums */
    const tile_place place = place_of_tile<BM, BN>(p);
    const long long i0 = place.i, j0 = place.j;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return;
    const float alpha = p.scalar_vector ? 1.f : scalar<float>(p.alpha, p.alpha_value), beta = scalar<float>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const float *a = batch<const float>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const float *b = batch<const float>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int tm = warp % (BM / WM) * WM + lane % 8 * 4, tn = warp / (BM / WM) * WN + lane / 8 * 4;
    float sum[TN][TM];
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            sum[j][i] = 0.f;
    const int k_end = alpha == 0.f ? 0 : (int)p.k;
    float4 na[QA], nb[QB];
    const int rows = p.m - i0 < BM ? (int)(p.m - i0) : BM, cols = p.n - j0 < BN ? (int)(p.n - j0) : BN;
    const bool whole = ALIGNED && rows == BM && cols == BN;
#define SIMT_BRING(W, deep)                                                                        \
    {                                                                                              \
        _Pragma("unroll") for (int q = 0; q < QA; q++) na[q] = simt_bring<BM, A_ALONG, W>(a, a_apart, rows, deep, t + q * THREADS); \
        _Pragma("unroll") for (int q = 0; q < QB; q++) nb[q] = simt_bring<BN, B_ALONG, W>(b, b_apart, cols, deep, t + q * THREADS); \
    }
    if (whole && k_end >= SIMT_K)
        SIMT_BRING(true, k_end)
    else
        SIMT_BRING(false, k_end)
    int now = 0;
    for (int k0 = 0; k0 < k_end; k0 += SIMT_K) {
        float *as = simt_memory + now * SIMT_K * (LA + LB), *bs = as + SIMT_K * LA;
#pragma unroll
        for (int q = 0; q < QA; q++)
            simt_put<BM, A_ALONG>(as, na[q], t + q * THREADS);
#pragma unroll
        for (int q = 0; q < QB; q++)
            simt_put<BN, B_ALONG>(bs, nb[q], t + q * THREADS);
        __syncthreads();
        a += SIMT_K * (A_ALONG ? 1 : a_apart);
        b += SIMT_K * (B_ALONG ? 1 : b_apart);
        const int deep = k_end - k0 - SIMT_K;
        if (whole && deep >= SIMT_K)
            SIMT_BRING(true, deep)
        else if (deep > 0)
            SIMT_BRING(false, deep)
#pragma unroll
        for (int k = 0; k < SIMT_K; k++) {
            float4 u[TM / 4], v[TN / 4];
#pragma unroll
            for (int i = 0; i < TM / 4; i++)
                u[i] = *(const float4 *)(as + k * LA + tm + i * 32);
#pragma unroll
            for (int j = 0; j < TN / 4; j++)
                v[j] = *(const float4 *)(bs + k * LB + tn + j * 16);
#pragma unroll
            for (int j = 0; j < TN / 4; j++)
#pragma unroll
                for (int i = 0; i < TM / 4; i++) {
                    const float x[4] = {u[i].x, u[i].y, u[i].z, u[i].w}, y[4] = {v[j].x, v[j].y, v[j].z, v[j].w};
#pragma unroll
                    for (int c = 0; c < 4; c++)
#pragma unroll
                        for (int r = 0; r < 4; r++)
                            sum[j * 4 + c][i * 4 + r] = fmaf(x[r], y[c], sum[j * 4 + c][i * 4 + r]);
                }
        }
        now ^= 1;
    }
#undef SIMT_BRING
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM / 4; i++)
            *(float4 *)(simt_memory + (tn + j / 4 * 16 + j % 4) * LA + tm + i * 32) = make_float4(sum[j][i * 4], sum[j][i * 4 + 1], sum[j][i * 4 + 2], sum[j][i * 4 + 3]);
    __syncthreads();
    write_tile<float, float, float, float, EPILOGUE, BM, BN, LA, THREADS>(p, simt_memory, alpha, beta, i0, j0, z);
}

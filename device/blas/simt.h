/* f32 products without matrix instructions, for GPUs: 128 by 128 elements a block, 8 by 8 a thread; the next tiles of A and B are
 * on their way to registers while these are multiplied. */
#pragma once
#include "device/blas/gemm.h"

enum { SIMT_TILE = 128, SIMT_K = 16, SIMT_THREADS = 256, SIMT_LD = SIMT_TILE + 4 };

/* Four elements of a tile, number q of this thread. ALONG: k is contiguous; apart: between what is not. */
template <bool ALONG, bool ALIGNED>
__device__ inline float4 simt_bring(const float *p, long long apart, long long i0, long long m, long long k0, long long k_end, int q)
{
    const int e = threadIdx.x + q * SIMT_THREADS;
    const long long i = i0 + (ALONG ? e / 4 : e % 32 * 4), k = k0 + (ALONG ? e % 4 * 4 : e / 32);
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (ALONG) {
        if (i >= m)
            return v;
        const float *from = p + i * apart + k;
        if (ALIGNED && k + 4 <= k_end)
            return *(const float4 *)from;
        if (k < k_end) v.x = from[0];
        if (k + 1 < k_end) v.y = from[1];
        if (k + 2 < k_end) v.z = from[2];
        if (k + 3 < k_end) v.w = from[3];
    } else {
        if (k >= k_end)
            return v;
        const float *from = p + k * apart + i;
        if (ALIGNED && i + 4 <= m)
            return *(const float4 *)from;
        if (i < m) v.x = from[0];
        if (i + 1 < m) v.y = from[1];
        if (i + 2 < m) v.z = from[2];
        if (i + 3 < m) v.w = from[3];
    }
    return v;
}
template <bool ALONG> __device__ inline void simt_put(float (*tile)[SIMT_LD], float4 v, int q)
{
    const int e = threadIdx.x + q * SIMT_THREADS;
    if (ALONG) {
        const int i = e / 4, k = e % 4 * 4;
        tile[k][i] = v.x;
        tile[k + 1][i] = v.y;
        tile[k + 2][i] = v.z;
        tile[k + 3][i] = v.w;
    } else {
        *(float4 *)&tile[e / 32][e % 32 * 4] = v;
    }
}

/* Half of the columns, by way of shared memory: threads side by side write elements side by side. */
template <int HALF, int EPILOGUE>
__device__ __forceinline__ void simt_write(const blas_product &p, float *d, const float *c, float *tile, const float (&sum)[8][8], float alpha, float beta,
                                  long long i0, long long j0, long long z)
{
    const int tm = threadIdx.x % 16 * 4, tn = threadIdx.x / 16 * 4;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            tile[(tn + j) * SIMT_LD + tm + i % 4 + i / 4 * 64] = sum[i][HALF * 4 + j];
    __syncthreads();
    for (int e = threadIdx.x; e < SIMT_TILE * 64; e += SIMT_THREADS) {
        const int r = e % SIMT_TILE, q = e / SIMT_TILE;
        const long long i = i0 + r, j = j0 + HALF * 64 + q;
        if (i < p.m && j < p.n)
            finish<float, float, float, float, EPILOGUE>(p, d, c, tile[q * SIMT_LD + r], alpha, beta, i, j, z);
    }
}

template <bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(SIMT_THREADS, 2) void simt_product(blas_product p)
{
    __shared__ __align__(16) float memory[4 * SIMT_K * SIMT_LD];
    typedef float tile_of[SIMT_K][SIMT_LD];
    tile_of *as = (tile_of *)memory, *bs = as + 2;
    const long long tiles = (p.m + SIMT_TILE - 1) / SIMT_TILE, tiles_n = (p.n + SIMT_TILE - 1) / SIMT_TILE;
    const long long group = 8 * tiles_n, first_row = blockIdx.x / group * 8;
    const long long height = tiles - first_row < 8 ? tiles - first_row : 8;
    const long long i0 = (first_row + blockIdx.x % group % height) * SIMT_TILE, j0 = blockIdx.x % group / height * SIMT_TILE;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + SIMT_TILE - 1 : p.part == BLAS_LOWER ? i0 + SIMT_TILE - 1 < j0 : false)
        return;
    const float alpha = p.scalar_vector ? 1.f : scalar<float>(p.alpha, p.alpha_value), beta = scalar<float>(p.beta, p.beta_value);
    const float *a = batch<const float>(p.a.p, p.a.array, p.a.stride, p.a.offset, z);
    const float *b = batch<const float>(p.b.p, p.b.array, p.b.stride, p.b.offset, z);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const int tm = threadIdx.x % 16 * 4, tn = threadIdx.x / 16 * 4;
    float sum[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum[i][j] = 0.f;
    const long long k_end = alpha == 0.f ? 0 : p.k;
    float4 na[2], nb[2];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        na[q] = simt_bring<A_ALONG, ALIGNED>(a, a_apart, i0, p.m, 0, k_end, q);
        nb[q] = simt_bring<B_ALONG, ALIGNED>(b, b_apart, j0, p.n, 0, k_end, q);
    }
    int now = 0;
    for (long long k0 = 0; k0 < k_end; k0 += SIMT_K) {
#pragma unroll
        for (int q = 0; q < 2; q++) {
            simt_put<A_ALONG>(as[now], na[q], q);
            simt_put<B_ALONG>(bs[now], nb[q], q);
        }
        __syncthreads();
        if (k0 + SIMT_K < k_end)
#pragma unroll
            for (int q = 0; q < 2; q++) {
                na[q] = simt_bring<A_ALONG, ALIGNED>(a, a_apart, i0, p.m, k0 + SIMT_K, k_end, q);
                nb[q] = simt_bring<B_ALONG, ALIGNED>(b, b_apart, j0, p.n, k0 + SIMT_K, k_end, q);
            }
#pragma unroll
        for (int k = 0; k < SIMT_K; k++) {
            float u[8], v[8];
            *(float4 *)u = *(const float4 *)&as[now][k][tm];
            *(float4 *)(u + 4) = *(const float4 *)&as[now][k][tm + 64];
            *(float4 *)v = *(const float4 *)&bs[now][k][tn];
            *(float4 *)(v + 4) = *(const float4 *)&bs[now][k][tn + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] = fmaf(u[i], v[j], sum[i][j]);
        }
        now ^= 1;
    }
    const float *c = batch<const float>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    float *d = batch<float>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    simt_write<0, EPILOGUE>(p, d, c, memory, sum, alpha, beta, i0, j0, z);
    simt_write<1, EPILOGUE>(p, d, c, memory, sum, alpha, beta, i0, j0, z);
}

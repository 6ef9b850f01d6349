/* f32 products without matrix instructions, from sm_80 on, of operands whose rows (of op(A), columns of op(B)) are side by side in memory, in pieces of
 * 16 bytes: as simt.h, with tiles that cp.async brings to shared memory, STAGES - 1 of them ahead, so that registers hold sums and operands
 * alone; the operands of the next k are read while this one's are multiplied. */
#pragma once
#include "device/blas/gemm.h"

/* A tile of SIZE by BK, of which left by k_left are there: [k][i]. */
template <int SIZE, int BK, int THREADS> __device__ inline void staged_bring(float *tile, const float *p, long long apart, int left, int k_left)
{
    const int LD = SIZE + 4, t = threadIdx.x;
#pragma unroll
    for (int q = 0; q < SIZE * BK / 4 / THREADS; q++) {
        const int e = t + q * THREADS, i = e % (SIZE / 4) * 4, k = e / (SIZE / 4), there = k < k_left ? left - i : 0, bytes = there <= 0 ? 0 : there < 4 ? there * 4 : 16;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(tile + k * LD + i)), "l"(bytes ? p + k * apart + i : p), "r"(bytes) : "memory");
    }
}

template <int BM, int BN, int WM, int WN, int BK, int STAGES, int PER_UNIT>
__global__ __launch_bounds__(BM / WM *(BN / WN) * 32, PER_UNIT) void staged_product(blas_product p)
{
    const int THREADS = BM / WM * (BN / WN) * 32, TM = WM / 8, TN = WN / 4, LA = BM + 4, LB = BN + 4, STAGE = BK * (LA + LB);
    extern __shared__ __align__(16) float simt_memory[]; /* stages of A and B; in the end the sums */
    const tile_place place = place_of_tile<BM, BN>(p);
    const long long i0 = place.i, j0 = place.j;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return;
    const float alpha = scalar<float>(p.alpha, p.alpha_value), beta = scalar<float>(p.beta, p.beta_value);
    const long long a_apart = p.a.col, b_apart = p.b.row;
    const float *a = batch<const float>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + i0;
    const float *b = batch<const float>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + j0;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int tm = warp % (BM / WM) * WM + lane % 8 * 4, tn = warp / (BM / WM) * WN + lane / 8 * 4;
    const int rows = p.m - i0 < BM ? (int)(p.m - i0) : BM, cols = p.n - j0 < BN ? (int)(p.n - j0) : BN;
    int deep = alpha == 0.f ? 0 : (int)p.k;
    const int count = (deep + BK - 1) / BK;
    float sum[TN][TM];
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            sum[j][i] = 0.f;
#define STAGED_BRING(stage)                                                                        \
    if (deep > 0) {                                                                                \
        staged_bring<BM, BK, THREADS>(simt_memory + (stage) * STAGE, a, a_apart, rows, deep); \
        staged_bring<BN, BK, THREADS>(simt_memory + (stage) * STAGE + BK * LA, b, b_apart, cols, deep); \
        a += BK * a_apart;                                                                               \
        b += BK * b_apart;                                                                               \
        deep -= BK;                                                                                \
    }                                                                                              \
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        STAGED_BRING(s)
    }
    int stage = 0, next = STAGES - 1;
    float4 u[2][TM / 4], v[2][TN / 4];
#define STAGED_READ(to_, k)                                                                        \
    {                                                                                              \
        _Pragma("unroll") for (int i = 0; i < TM / 4; i++) u[to_][i] = *(const float4 *)(as + (k) * LA + i * 32); \
        _Pragma("unroll") for (int j = 0; j < TN / 4; j++) v[to_][j] = *(const float4 *)(bs + (k) * LB + j * 16); \
    }
    for (int step = 0; step < count; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        const float *as = simt_memory + stage * STAGE + tm, *bs = simt_memory + stage * STAGE + BK * LA + tn;
        STAGED_READ(0, 0)
        STAGED_BRING(next)
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k + 1 < BK)
                STAGED_READ((k + 1) % 2, k + 1)
#pragma unroll
            for (int j = 0; j < TN / 4; j++)
#pragma unroll
                for (int i = 0; i < TM / 4; i++) {
                    const float4 uu = u[k % 2][i], vv = v[k % 2][j];
                    const float x[4] = {uu.x, uu.y, uu.z, uu.w}, y[4] = {vv.x, vv.y, vv.z, vv.w};
#pragma unroll
                    for (int c = 0; c < 4; c++)
#pragma unroll
                        for (int r = 0; r < 4; r++)
                            sum[j * 4 + c][i * 4 + r] = fmaf(x[r], y[c], sum[j * 4 + c][i * 4 + r]);
                }
        }
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
#undef STAGED_BRING
#undef STAGED_READ
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM / 4; i++)
            *(float4 *)(simt_memory + (tn + j / 4 * 16 + j % 4) * LA + tm + i * 32) = make_float4(sum[j][i * 4], sum[j][i * 4 + 1], sum[j][i * 4 + 2], sum[j][i * 4 + 3]);
    __syncthreads();
    write_tile<float, float, float, float, 0, BM, BN, LA, THREADS>(p, simt_memory, alpha, beta, i0, j0, z);
}

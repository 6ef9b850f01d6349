/* f32 products without matrix instructions on sm_90, of operands whose rows (of op(A), columns of
 * op(B)) are side by side in memory and that have tensor maps: the copy engine brings tiles, so
 * that a block's warps do little but multiply. A warp has 64 by 64 sums, a thread 16 by 8; the
 * operands of the next k, also across stages, are read while this one's are multiplied. `full` and
 * `empty` as in mapped.h; a block's first thread tells the engine, two stages behind those that are
 * multiplied, so that it hardly waits for the other warps. */
#pragma once
#include "device/blas/mapped.h"

enum { MAPPED_SIMT_WARP = 64 };

/* 4 by 4 products, to and fro: each instruction has an operand of the one before it, so that three
 * never come from one bank of the registers. */
template <int TM>
__device__ __forceinline__ void multiply_four(float (*sum)[TM], int i, float4 u, float4 v)
{
    const float x[4] = {u.x, u.y, u.z, u.w}, y[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int c = r % 2 ? 3 - q : q;
            sum[c][i + r] = fmaf(x[r], y[c], sum[c][i + r]);
        }
}

/* each: steps of k that a block does; where there are several to a tile (gridDim.z), they leave
 * their sums in `parts`, one matrix of m by n after the other. */
template <int BM, int BN, int BK, int STAGES, int PER_UNIT>
__global__ __launch_bounds__(BM / MAPPED_SIMT_WARP * (BN / MAPPED_SIMT_WARP) * 32,
                             PER_UNIT) void mapped_simt(const __grid_constant__ CUtensorMap a_map,
                                                        const __grid_constant__ CUtensorMap b_map,
                                                        blas_product p, int each, float *parts)
{
    const int W = MAPPED_SIMT_WARP, WARPS = BM / W * (BN / W), TM = W / 8, TN = W / 4,
              STAGE = BK * (BM + BN), LA = BM + 4;
    extern __shared__ float simt_dynamic[]; /* stages of A and B; in the end the sums */
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    /* As the copy engine wants it: dynamic memory begins where the barriers end. */
    float *simt_memory = simt_dynamic + (128 - (shared_address(simt_dynamic) & 127)) % 128 / 4;
    const tile_place place = place_of_tile<BM, BN>(p);
    const long long i0 = place.i, j0 = place.j, z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return;
    const float alpha = scalar<float>(p.alpha, p.alpha_value),
                beta = scalar<float>(p.beta, p.beta_value);
    const unsigned memory = shared_address(simt_memory), full = shared_address(barriers),
                   empty = full + 8 * STAGES;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, first = blockIdx.z * each;
    const int tm = warp % (BM / W) * W + lane % 8 * 4, tn = warp / (BM / W) * W + lane / 8 * 4;
    const int steps = alpha == 0.f ? 0 : (int)((p.k + BK - 1) / BK),
              count = steps - first < each ? steps - first : each;
#define SIMT_BRING(stage, step)                                                                    \
    {                                                                                              \
        const unsigned box = memory + (stage) * (STAGE * 4), barrier = full + 8 * (stage);         \
        barrier_expect(barrier, STAGE * 4);                                                        \
        bring_box(box, &a_map, barrier, (int)i0, (first + (step)) * BK, (int)z);                   \
        bring_box(box + BK * BM * 4, &b_map, barrier, (int)j0, (first + (step)) * BK, (int)z);     \
    }
    if (t == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, WARPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES - 2 && s < count; s++)
            SIMT_BRING(s, s)
    }
    __syncthreads();
    float sum[TN][TM];
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            sum[j][i] = 0.f;
    float4 u[2][TM / 4], v[2][TN / 4];
#define SIMT_READ(to_, from, k)                                                                    \
    {                                                                                              \
        _Pragma("unroll") for (int i = 0; i < TM / 4; i++) u[to_][i] =                             \
            *(const float4 *)((from) + (k)*BM + tm + i * 32);                                      \
        _Pragma("unroll") for (int j = 0; j < TN / 4; j++) v[to_][j] =                             \
            *(const float4 *)((from) + BK * BM + (k)*BN + tn + j * 16);                            \
    }
#define SIMT_MULTIPLY(from)                                                                        \
    _Pragma("unroll") for (int j = 0; j < TN / 4; j++)                                             \
        _Pragma("unroll") for (int i = 0; i < TM / 4; i++)                                         \
            multiply_four<TM>(sum + j * 4, i * 4, u[from][i], v[from][j]);
    int stage = 0, parity = 0;
    if (count > 0) {
        barrier_wait(full, 0);
        SIMT_READ(0, simt_memory, 0)
    }
    for (int step = 0; step < count; step++) {
        const int ahead = step + STAGES - 2;
        if (t == 0 && ahead < count) {
            const int to_ = stage >= 2 ? stage - 2 : stage + STAGES - 2;
            if (ahead >= STAGES)
                barrier_wait(empty + 8 * to_, stage >= 2 ? parity : parity ^ 1);
            SIMT_BRING(to_, ahead)
        }
        const float *now = simt_memory + stage * STAGE;
        const int last = stage;
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
#pragma unroll
        for (int k = 0; k < BK - 1; k++) {
            SIMT_READ((k + 1) % 2, now, k + 1)
            SIMT_MULTIPLY(k % 2)
        }
        __syncwarp();
        if (lane == 0)
            barrier_arrive(empty + 8 * last);
        if (step + 1 < count) {
            barrier_wait(full + 8 * stage, parity);
            SIMT_READ(0, simt_memory + stage * STAGE, 0)
        }
        SIMT_MULTIPLY(1)
    }
#undef SIMT_BRING
#undef SIMT_READ
#undef SIMT_MULTIPLY
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM / 4; i++)
            *(float4 *)(simt_memory + (tn + j / 4 * 16 + j % 4) * LA + tm + i * 32) =
                make_float4(sum[j][i * 4], sum[j][i * 4 + 1], sum[j][i * 4 + 2], sum[j][i * 4 + 3]);
    __syncthreads();
    if (gridDim.z > 1) {
        blas_product out = p;
        out.d = parts;
        out.d_row = 1;
        out.d_col = p.m;
        out.d_array = 0;
        out.d_stride = p.m * p.n;
        out.d_offset = 0;
        write_tile<float, float, float, float, 0, BM, BN, LA, WARPS * 32>(
            out, simt_memory, 1.f, 0.f, i0, j0, (long long)blockIdx.y * gridDim.z + blockIdx.z);
        return;
    }
    write_tile<float, float, float, float, 0, BM, BN, LA, WARPS * 32>(p, simt_memory, alpha, beta,
                                                                      i0, j0, z);
}

/* Adds up what blocks of one tile have left. */
__global__ void add_parts(blas_product p, int count, const float *parts)
{
    const float alpha = scalar<float>(p.alpha, p.alpha_value),
                beta = scalar<float>(p.beta, p.beta_value);
    const long long size = p.m * p.n, z = blockIdx.y + p.first;
    const float *c = batch<const float>(p.c, p.c_array, p.c_stride, p.c_offset, z),
                *from = parts + (z - p.first) * count * size;
    float *d = batch<float>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < size;
         e += (long long)gridDim.x * blockDim.x) {
        float sum = 0.f;
        for (int k = 0; k < count; k++)
            sum += from[k * size + e];
        finish<float, float, float, float, 0>(p, d, c, sum, alpha, beta, e % p.m, e / p.m, z);
    }
}

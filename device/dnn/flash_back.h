/* Gradients of attention on NVIDIA's matrix instructions: one kernel for those of queries, one for those of keys and values, so that each
 * is a sum in a fixed order. Probabilities come again from the scores and the logarithms of sums that forward left. See flash.h. */
#pragma once
#include "device/dnn/flash.h"

/* Score s of query i and key j with its sum's logarithm becomes the probability p; dp, by the probability, becomes by the raw product. */
template <bool PLAIN>
__device__ __forceinline__ void flash_slope(const dnn_attention &a, const flash_sight &sight, bool all, float by, long long b, long long h, int i, int j, float log_sum,
                                   float delta, float &s, float &dp)
{
    float slope = 1.f, score = s;
    if (!PLAIN)
        score = score_of<float>(a, s, b, h, i, j, &slope);
    float p = flash_exp2(fmaf(score, by, -log_sum));
    if (!all && !sight.sees(i, j))
        p = 0.f;
    s = p;
    dp = p == 0.f ? 0.f : p * (dp - delta) * slope;
}

/* A block has 16 M queries for each warp, and goes over keys, BN at a time. Shared memory: queries and gradients of o, two stages of keys
 * and values. */
template <class T, int D, int M, int BN, bool PLAIN>
__global__ __launch_bounds__(FLASH_THREADS, 2) void flash_queries(dnn_attention a, const T *q0, const T *k0, const T *v0, const T *do0, const float *log_sums,
                                                                  const float *deltas, T *dq0)
{
    extern __shared__ __align__(128) unsigned char flash_memory[];
    const int BM = 64 * M, ROW = D * (int)sizeof(T), STAGE = 2 * BN * ROW;
    const unsigned queries = shared_address(flash_memory), douts = queries + BM * ROW, stages = douts + BM * ROW;
    const unsigned tiles = (unsigned)((a.queries + BM - 1) / BM), line = blockIdx.x / tiles;
    const int i0 = (int)(tiles - 1 - blockIdx.x % tiles) * BM;
    const long long h = line % a.heads, b = line / a.heads, g = h / (a.heads / a.kv_heads);
    const T *k = k0 + b * a.k_step[0] + g * a.k_step[1], *v = v0 + b * a.v_step[0] + g * a.v_step[1];
    const flash_sight sight(a, b);
    const int from = sight.first_key(i0) / BN * BN, end = sight.end_key(i0, BM), lane = threadIdx.x & 31, r = (threadIdx.x >> 5) * 16 * M;
    float dq[M][D / 8][4], log_sum[M][2], delta[M][2];
    flash_clear(dq);
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int row = i0 + r + i * 16 + e * 8 + (lane >> 2);
            log_sum[i][e] = row < a.queries ? log_sums[line * a.queries + row] * FLASH_LOG2E : 0.f;
            delta[i][e] = row < a.queries ? deltas[line * a.queries + row] : 0.f;
        }
    const float by = PLAIN ? (float)a.scale * FLASH_LOG2E : FLASH_LOG2E;
    flash_bring<T, D, BM>(queries, q0 + b * a.q_step[0] + h * a.q_step[1], a.q_step[2], i0, a.queries, a.size);
    flash_bring<T, D, BM>(douts, do0 + b * a.o_step[0] + h * a.o_step[1], a.o_step[2], i0, a.queries, a.value_size);
    if (from < end)
        FLASH_BRING_KEYS(0, from)
    FLASH_COMMIT();
    int stage = 0;
    for (int j0 = from; j0 < end; j0 += BN) {
        FLASH_WAIT(0);
        __syncthreads();
        if (j0 + BN < end)
            FLASH_BRING_KEYS(stage ^ 1, j0 + BN)
        FLASH_COMMIT();
        const unsigned keys = stages + stage * STAGE, values = keys + BN * ROW;
        float s[M][BN / 8][4], dp[M][BN / 8][4];
        flash_clear(s);
        flash_clear(dp);
        flash_products<T, D, M, BN / 8>(s, queries, r, keys);
        flash_products<T, D, M, BN / 8>(dp, douts, r, values);
        const bool all = sight.all(i0 + r, 16 * M, j0, BN);
#pragma unroll
        for (int i = 0; i < M; i++)
#pragma unroll
            for (int j = 0; j < BN / 8; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    flash_slope<PLAIN>(a, sight, all, by, b, h, i0 + r + i * 16 + (lane >> 2) + e / 2 * 8, j0 + j * 8 + (lane & 3) * 2 + e % 2, log_sum[i][e / 2],
                                       delta[i][e / 2], s[i][j][e], dp[i][j][e]);
        flash_weighted<T, D, M, BN / 8>(dq, dp, keys);
        stage ^= 1;
    }
    FLASH_WAIT(0);
    flash_store<T, D, M>(dq, dq0 + b * a.q_step[0] + h * a.q_step[1] + i0 * a.q_step[2], a.q_step[2], r, (int)a.queries - i0, (int)a.size, (float)a.scale);
}

/* A block has 16 M keys for each warp, and goes over the queries of all heads that share them, BM at a time; operands are exchanged: rows
 * are keys. Shared memory: keys and values, two stages of queries and gradients of o, their sums' logarithms and deltas. */
template <class T, int D, int M, int BM, bool PLAIN>
__global__ __launch_bounds__(FLASH_THREADS, 2) void flash_keys(dnn_attention a, const T *q0, const T *k0, const T *v0, const T *do0, const float *log_sums,
                                                               const float *deltas, T *dk0, T *dv0)
{
    extern __shared__ __align__(128) unsigned char flash_memory[];
    __shared__ float columns[2][2][BM];
    const int BN = 64 * M, ROW = D * (int)sizeof(T), STAGE = 2 * BM * ROW;
    const unsigned keys = shared_address(flash_memory), values = keys + BN * ROW, stages = values + BN * ROW;
    const unsigned tiles = (unsigned)((a.keys + BN - 1) / BN), line = blockIdx.x / tiles;
    const int j0 = (int)(blockIdx.x % tiles) * BN, share = (int)(a.heads / a.kv_heads);
    const long long g = line % a.kv_heads, b = line / a.kv_heads;
    const flash_sight sight(a, b);
    const int from = sight.first_query(j0) / BM * BM, end = j0 < sight.keys ? sight.end_query(j0, BN) : 0;
    const int lane = threadIdx.x & 31, r = (threadIdx.x >> 5) * 16 * M, steps = from < end ? (end - from + BM - 1) / BM : 0, count = steps * share;
    float dk[M][D / 8][4], dv[M][D / 8][4];
    flash_clear(dk);
    flash_clear(dv);
    const float by = PLAIN ? (float)a.scale * FLASH_LOG2E : FLASH_LOG2E;
    flash_bring<T, D, BN>(keys, k0 + b * a.k_step[0] + g * a.k_step[1], a.k_step[2], j0, sight.keys, a.size);
    flash_bring<T, D, BN>(values, v0 + b * a.v_step[0] + g * a.v_step[1], a.v_step[2], j0, sight.keys, a.value_size);
#define FLASH_BRING(stage, step)                                                                   \
    {                                                                                              \
        const long long h = g * share + (step) / steps, i = from + (step) % steps * BM;            \
        flash_bring<T, D, BM>(stages + (stage) * STAGE, q0 + b * a.q_step[0] + h * a.q_step[1], a.q_step[2], i, a.queries, a.size); \
        flash_bring<T, D, BM>(stages + (stage) * STAGE + BM * ROW, do0 + b * a.o_step[0] + h * a.o_step[1], a.o_step[2], i, a.queries, a.value_size); \
        if (threadIdx.x < BM) {                                                                    \
            const long long row = i + threadIdx.x, at = (b * a.heads + h) * a.queries + row;       \
            columns[stage][0][threadIdx.x] = row < a.queries ? log_sums[at] * FLASH_LOG2E : 0.f;   \
            columns[stage][1][threadIdx.x] = row < a.queries ? deltas[at] : 0.f;                   \
        }                                                                                          \
    }
    if (count)
        FLASH_BRING(0, 0)
    FLASH_COMMIT();
    int stage = 0;
    for (int step = 0; step < count; step++) {
        FLASH_WAIT(0);
        __syncthreads();
        if (step + 1 < count)
            FLASH_BRING(stage ^ 1, step + 1)
        FLASH_COMMIT();
        const unsigned queries = stages + stage * STAGE, douts = queries + BM * ROW;
        const long long h = g * share + step / steps;
        const int i0 = from + step % steps * BM;
        float s[M][BM / 8][4], dp[M][BM / 8][4];
        flash_clear(s);
        flash_clear(dp);
        flash_products<T, D, M, BM / 8>(s, keys, r, queries);
        flash_products<T, D, M, BM / 8>(dp, values, r, douts);
        const bool all = sight.all(i0, BM, j0 + r, 16 * M);
#pragma unroll
        for (int j = 0; j < BM / 8; j++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const int col = j * 8 + (lane & 3) * 2 + e;
                const float log_sum = columns[stage][0][col], delta = columns[stage][1][col];
#pragma unroll
                for (int i = 0; i < M; i++)
#pragma unroll
                    for (int u = 0; u < 2; u++)
                        flash_slope<PLAIN>(a, sight, all, by, b, h, i0 + col, j0 + r + i * 16 + (lane >> 2) + u * 8, log_sum, delta, s[i][j][u * 2 + e], dp[i][j][u * 2 + e]);
            }
        flash_weighted<T, D, M, BM / 8>(dv, s, douts);
        flash_weighted<T, D, M, BM / 8>(dk, dp, queries);
        stage ^= 1;
    }
#undef FLASH_BRING
    FLASH_WAIT(0);
    const int left = (int)a.keys - j0;
    flash_store<T, D, M>(dk, dk0 + b * a.k_step[0] + g * a.k_step[1] + j0 * a.k_step[2], a.k_step[2], r, left, (int)a.size, (float)a.scale);
    flash_store<T, D, M>(dv, dv0 + b * a.v_step[0] + g * a.v_step[1] + j0 * a.v_step[2], a.v_step[2], r, left, (int)a.value_size, 1.f);
}

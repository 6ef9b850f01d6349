/* Gradients of attention on Hopper's matrix instructions, for elements of 16 bits and plain scores (flash_hopper.h): one kernel for those
 * of queries, one for those of keys and values, so that each is a sum in a fixed order (flash_back.h). As forward, a group of warps lets
 * the copy engine bring tiles, two more multiply, 64 rows each. A group's products go on while it makes weights of others: at every time
 * one or two of them are under way. */
#pragma once
#include "device/dnn/flash_hopper.h"

enum { HOPPER_BACK_STAGES = 3, HOPPER_LANES = 16 /* for a query of hopper_deltas */ };

/* What each query's output and its gradient have in common, and the logarithm (to the base 2) of its sum: [batch, heads, padded].
 * Queries that are not there, or see nothing, have weights of 0. */
template <class T> __global__ void hopper_deltas(dnn_attention a, long long padded, const T *o0, const T *do0, const float *log_sums, float *sums, float *deltas)
{
    const int each = DNN_THREADS / HOPPER_LANES, lane = threadIdx.x % HOPPER_LANES;
    for (long long l = blockIdx.x * (long long)each + threadIdx.x / HOPPER_LANES; l < a.batch * a.heads * padded; l += gridDim.x * (long long)each) {
        const long long i = l % padded, line = l / padded, h = line % a.heads, b = line / a.heads;
        const long long at = b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
        float s = 0.f;
        if (i < a.queries)
            for (int d = lane * 8; d < a.value_size; d += HOPPER_LANES * 8) {
                chunk<T> x, y;
                x.whole = *(const uint4 *)(o0 + at + d);
                y.whole = *(const uint4 *)(do0 + at + d);
#pragma unroll
                for (int e = 0; e < 8; e++)
                    s += to<float>(x.each[e]) * to<float>(y.each[e]);
            }
#pragma unroll
        for (int d = HOPPER_LANES / 2; d; d /= 2)
            s += __shfl_xor_sync(0xffffffffu, s, d);
        if (lane == 0) {
            const float sum = i < a.queries ? log_sums[line * a.queries + i] : -1.f / 0.f;
            sums[l] = sum == -1.f / 0.f ? 1.f / 0.f : sum * FLASH_LOG2E;
            deltas[l] = s;
        }
    }
}

/* Rows of a group, two for each thread, as they are stored. */
template <class T, int N> __device__ __forceinline__ void hopper_rows(const float (&v)[N], T *out, long long step, int left, int size, float factor)
{
    const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5 & 3) * 16 + (lane >> 2);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        T *to_ = out + (row + h * 8) * step + (lane & 3) * 2;
#pragma unroll
        for (int c = 0; c < N / 4; c++)
            if (row + h * 8 < left && c * 8 < size)
                *(unsigned *)(to_ + c * 8) = flash_pair<T>(v[c * 4 + h * 2] * factor, v[c * 4 + h * 2 + 1] * factor);
    }
}
template <int N> __device__ __forceinline__ void hopper_clear(float (&v)[N])
{
#pragma unroll
    for (int e = 0; e < N; e++)
        v[e] = 0.f;
}

/* A block has 128 queries. Shared memory: queries and gradients of o, two tiles each of keys and of values. */
template <class T, int D>
__global__ __launch_bounds__(HOPPER_THREADS, 1) void hopper_queries(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map, const __grid_constant__ CUtensorMap v_map,
                                                                    const __grid_constant__ CUtensorMap o_map, dnn_attention a, long long padded, const float *sums, const float *deltas, T *dq0)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[1 + 4 * HOPPER_STAGES];
    const int TILE = HOPPER_KEYS * D * 2;
    const unsigned queries = (shared_address(wgmma_memory) + 1023) & ~1023u, douts = queries + TILE, keys = douts + TILE, values = keys + HOPPER_STAGES * TILE;
    const unsigned q_full = shared_address(barriers), k_full = q_full + 8, k_empty = k_full + 8 * HOPPER_STAGES, v_full = k_empty + 8 * HOPPER_STAGES, v_empty = v_full + 8 * HOPPER_STAGES;
    const unsigned tiles = (unsigned)((a.queries + FLASH_QUERIES - 1) / FLASH_QUERIES), line = blockIdx.x / tiles;
    const int i0 = (int)(tiles - 1 - blockIdx.x % tiles) * FLASH_QUERIES; /* those that see most come first */
    const int h = (int)(line % a.heads), b = (int)(line / a.heads), g = h / (int)(a.heads / a.kv_heads);
    const flash_sight sight(a, b);
    const int from = sight.first_key(i0) / HOPPER_KEYS * HOPPER_KEYS, end = sight.end_key(i0, FLASH_QUERIES), count = end > from ? (end - from + HOPPER_KEYS - 1) / HOPPER_KEYS : 0;
    if (threadIdx.x == 0) {
        barrier_init(q_full, 2);
        for (int s = 0; s < HOPPER_STAGES; s++) {
            barrier_init(k_full + 8 * s, 1);
            barrier_init(v_full + 8 * s, 1);
            barrier_init(k_empty + 8 * s, 2);
            barrier_init(v_empty + 8 * s, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        HOPPER_GIVE_REGISTERS();
        if (threadIdx.x == 0 && count) {
            hopper_bring<D, FLASH_QUERIES>(queries, &q_map, q_full, i0, h, b);
            hopper_bring<D, FLASH_QUERIES>(douts, &o_map, q_full, i0, h, b);
            for (int j = 0; j < count; j++) {
                const int stage = j % HOPPER_STAGES, parity = j / HOPPER_STAGES % 2 ^ 1;
                barrier_wait(k_empty + 8 * stage, parity);
                hopper_bring<D, HOPPER_KEYS>(keys + stage * TILE, &k_map, k_full + 8 * stage, from + j * HOPPER_KEYS, g, b);
                barrier_wait(v_empty + 8 * stage, parity);
                hopper_bring<D, HOPPER_KEYS>(values + stage * TILE, &v_map, v_full + 8 * stage, from + j * HOPPER_KEYS, g, b);
            }
        }
        return;
    }
    HOPPER_TAKE_REGISTERS();
    const int group = hopper_group(), mine = i0 + group * 64;
    const bool tells = threadIdx.x % 128 == 0;
    const unsigned own = group * 64 * 128;
    const float by = (float)a.scale * FLASH_LOG2E;
    const long long at = line * padded + mine + (threadIdx.x >> 5 & 3) * 16 + (threadIdx.x >> 2 & 7);
    const float sum0 = sums[at], sum1 = sums[at + 8], delta0 = deltas[at], delta1 = deltas[at + 8];
    float dq[D / 2], s[64], dp[64];
    unsigned weights[32];
    hopper_clear(dq);
    if (count) {
        barrier_wait(q_full, 0);
        barrier_wait(k_full, 0);
        HOPPER_FENCE();
        hopper_products<T, D, FLASH_QUERIES>(s, queries + own, keys);
        HOPPER_COMMIT();
        HOPPER_WAIT(0);
        for (int j = 0; j < count; j++) { /* scores of tile j are there */
            const int stage = j % HOPPER_STAGES, next = (j + 1) % HOPPER_STAGES;
            barrier_wait(v_full + 8 * stage, j / HOPPER_STAGES % 2);
            HOPPER_FENCE();
            hopper_products<T, D, FLASH_QUERIES>(dp, douts + own, values + stage * TILE);
            HOPPER_COMMIT();
            hopper_mask(s, sight, mine, from + j * HOPPER_KEYS);
#pragma unroll
            for (int e = 0; e < 64; e++)
                s[e] = flash_exp2(fmaf(s[e], by, e & 2 ? -sum1 : -sum0));
            HOPPER_WAIT(0);
            if (tells)
                barrier_arrive(v_empty + 8 * stage);
#pragma unroll
            for (int e = 0; e < 64; e++)
                dp[e] = s[e] * (dp[e] - (e & 2 ? delta1 : delta0));
            hopper_pack<T>(weights, dp);
            HOPPER_FENCE();
            hopper_weighted<T, D>(dq, weights, keys + stage * TILE);
            HOPPER_COMMIT();
            if (j + 1 < count)
                barrier_wait(k_full + 8 * next, (j + 1) / HOPPER_STAGES % 2);
            HOPPER_FENCE();
            hopper_products<T, D, FLASH_QUERIES>(s, queries + own, keys + next * TILE); /* behind the last tile for nothing, but not in a branch */
            HOPPER_COMMIT();
            HOPPER_WAIT(0);
            if (tells)
                barrier_arrive(k_empty + 8 * stage);
        }
    }
    hopper_rows(dq, dq0 + b * a.q_step[0] + h * a.q_step[1] + mine * a.q_step[2], a.q_step[2], (int)a.queries - mine, (int)a.size, (float)a.scale);
}

/* Of a group's keys, from j on, queries that do not see them; i is the first. */
template <int N> __device__ __forceinline__ void hopper_mask_keys(float (&s)[N], const flash_sight &sight, int i, int j)
{
    const int lane = threadIdx.x & 31, row = j + (threadIdx.x >> 5 & 3) * 16 + (lane >> 2), col = i + (lane & 3) * 2;
    if (sight.all(i, 2 * N, j, 64))
        return;
#pragma unroll
    for (int e = 0; e < N; e++)
        s[e] = sight.sees(col + e / 4 * 8 + e % 2, row + (e & 2) * 4) ? s[e] : -1.f / 0.f;
}

/* A block has 128 keys, and goes over the queries of all heads that share them, BM at a time; operands are exchanged: rows are keys.
 * Shared memory: keys and values, then stages of queries and gradients of o. */
template <class T, int D, int BM>
__global__ __launch_bounds__(HOPPER_THREADS, 1) void hopper_keys(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map, const __grid_constant__ CUtensorMap v_map,
                                                                 const __grid_constant__ CUtensorMap o_map, dnn_attention a, long long padded, const float *sums, const float *deltas, T *dk0, T *dv0)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[1 + 2 * HOPPER_BACK_STAGES];
    __shared__ __align__(16) float columns[HOPPER_BACK_STAGES][2][BM]; /* sums and deltas */
    const int TILE = HOPPER_KEYS * D * 2, PART = BM * D * 2, STAGE = 2 * PART;
    const unsigned keys = (shared_address(wgmma_memory) + 1023) & ~1023u, values = keys + TILE, stages = values + TILE;
    const unsigned k_full = shared_address(barriers), full = k_full + 8, empty = full + 8 * HOPPER_BACK_STAGES;
    const unsigned tiles = (unsigned)((a.keys + HOPPER_KEYS - 1) / HOPPER_KEYS), line = blockIdx.x / tiles;
    const int j0 = (int)(blockIdx.x % tiles) * HOPPER_KEYS, share = (int)(a.heads / a.kv_heads);
    const int g = (int)(line % a.kv_heads), b = (int)(line / a.kv_heads);
    const flash_sight sight(a, b);
    const int from = sight.first_query(j0) / BM * BM, end = sight.end_query(j0, HOPPER_KEYS), steps = from < end ? (end - from + BM - 1) / BM : 0, count = steps * share;
    if (threadIdx.x == 0) {
        barrier_init(k_full, 2);
        for (int s = 0; s < HOPPER_BACK_STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        HOPPER_GIVE_REGISTERS();
        if (threadIdx.x == 0 && count) {
            hopper_bring<D, HOPPER_KEYS>(keys, &k_map, k_full, j0, g, b);
            hopper_bring<D, HOPPER_KEYS>(values, &v_map, k_full, j0, g, b);
            int stage = 0, parity = 1;
            for (int h = g * share; h < (g + 1) * share; h++)
                for (int i = from; i < end; i += BM) {
                    const unsigned to_ = stages + stage * STAGE, barrier = full + 8 * stage;
                    const long long at = ((long long)b * a.heads + h) * padded + i;
                    barrier_wait(empty + 8 * stage, parity);
                    barrier_expect(barrier, STAGE + 2 * BM * 4);
                    hopper_copy<D, BM>(to_, &q_map, barrier, i, h, b);
                    hopper_copy<D, BM>(to_ + PART, &o_map, barrier, i, h, b);
                    barrier_copy(shared_address(columns[stage][0]), sums + at, BM * 4, barrier);
                    barrier_copy(shared_address(columns[stage][1]), deltas + at, BM * 4, barrier);
                    if (++stage == HOPPER_BACK_STAGES) {
                        stage = 0;
                        parity ^= 1;
                    }
                }
        }
        return;
    }
    HOPPER_TAKE_REGISTERS();
    const int group = hopper_group(), mine = j0 + group * 64, col = (threadIdx.x & 3) * 2;
    const bool tells = threadIdx.x % 128 == 0;
    const unsigned own = group * 64 * 128;
    const float by = (float)a.scale * FLASH_LOG2E;
    float dk[D / 2], dv[D / 2], s[BM / 2], dp[BM / 2];
    unsigned weights[BM / 4], slopes[BM / 4];
    hopper_clear(dk);
    hopper_clear(dv);
    if (count) {
        int stage = 0, parity = 0, i = from;
        barrier_wait(k_full, 0);
        barrier_wait(full, 0);
        HOPPER_FENCE();
        hopper_products<T, D, HOPPER_KEYS>(s, keys + own, stages);
        HOPPER_COMMIT();
        HOPPER_WAIT(0);
        for (int step = 0; step < count; step++) { /* scores of this tile are there */
            const unsigned queries = stages + stage * STAGE, douts = queries + PART;
            const float(&sum)[BM] = columns[stage][0], (&delta)[BM] = columns[stage][1];
            HOPPER_FENCE();
            hopper_products<T, D, HOPPER_KEYS>(dp, values + own, douts);
            HOPPER_COMMIT();
            hopper_mask_keys(s, sight, i, mine);
#pragma unroll
            for (int e = 0; e < BM / 2; e += 4) {
                const float2 of = *(const float2 *)&sum[col + e * 2];
                s[e] = flash_exp2(fmaf(s[e], by, -of.x));
                s[e + 1] = flash_exp2(fmaf(s[e + 1], by, -of.y));
                s[e + 2] = flash_exp2(fmaf(s[e + 2], by, -of.x));
                s[e + 3] = flash_exp2(fmaf(s[e + 3], by, -of.y));
            }
            hopper_pack<T>(weights, s);
            HOPPER_FENCE();
            hopper_weighted<T, D>(dv, weights, douts);
            HOPPER_COMMIT();
            HOPPER_WAIT(1);
#pragma unroll
            for (int e = 0; e < BM / 2; e += 4) {
                const float2 of = *(const float2 *)&delta[col + e * 2];
                dp[e] = s[e] * (dp[e] - of.x);
                dp[e + 1] = s[e + 1] * (dp[e + 1] - of.y);
                dp[e + 2] = s[e + 2] * (dp[e + 2] - of.x);
                dp[e + 3] = s[e + 3] * (dp[e + 3] - of.y);
            }
            hopper_pack<T>(slopes, dp);
            HOPPER_FENCE();
            hopper_weighted<T, D>(dk, slopes, queries);
            HOPPER_COMMIT();
            const unsigned done = empty + 8 * stage;
            i = i + BM < end ? i + BM : from;
            if (++stage == HOPPER_BACK_STAGES) {
                stage = 0;
                parity ^= 1;
            }
            if (step + 1 < count)
                barrier_wait(full + 8 * stage, parity);
            HOPPER_FENCE();
            hopper_products<T, D, HOPPER_KEYS>(s, keys + own, stages + stage * STAGE); /* behind the last tile for nothing, but not in a branch */
            HOPPER_COMMIT();
            HOPPER_WAIT(0);
            if (tells)
                barrier_arrive(done);
        }
    }
    hopper_rows(dk, dk0 + b * a.k_step[0] + g * a.k_step[1] + mine * a.k_step[2], a.k_step[2], (int)a.keys - mine, (int)a.size, (float)a.scale);
    hopper_rows(dv, dv0 + b * a.v_step[0] + g * a.v_step[1] + mine * a.v_step[2], a.v_step[2], (int)a.keys - mine, (int)a.value_size, 1.f);
}

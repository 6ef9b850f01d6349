/* Attention on Hopper's matrix instructions (blas/wgmma.h), forward, for elements of 16 bits and plain scores (flash.h): a block has 128
 * queries. One thread tells the copy engine to bring keys and values, three tiles of each ahead; two groups of four warps have 64 queries
 * each. Keys may be divided in parts, for blocks of their own, that flash_join brings together. While the products of one tile's weights with its values go on, the group does the softmax of the next tile's scores. */
#pragma once
#include "device/blas/mapped.h"
#include "device/dnn/flash.h"

enum { HOPPER_THREADS = 384, HOPPER_KEYS = 128, HOPPER_STAGES = 2, HOPPER_AHEAD = 3 /* stages forward: one query of each head waits for memory alone */ };

/* Products of four warps: scores are 64 queries by 128 keys (or 64); weighted sums of values have their first operand in registers. */
#define WGMMA_NEW(x) "=f"(x)
template <class T> struct flash_wgmma;
#define FLASH_WGMMA(T, types)                                                                      \
    template <> struct flash_wgmma<T> {                                                            \
        static __device__ __forceinline__ void scores(float (&c)[64], unsigned long long p, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n128k16." types " {" WGMMA_NAMES_64 "}, %64, %65, 0, 1, 1, 0, 0;" \
                         : WGMMA_64(WGMMA_NEW, 0)                                                  \
                         : "l"(p), "l"(q));                                                        \
        }                                                                                          \
        static __device__ __forceinline__ void more(float (&c)[64], unsigned long long p, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n128k16." types " {" WGMMA_NAMES_64 "}, %64, %65, 1, 1, 1, 0, 0;" \
                         : WGMMA_64(WGMMA_FLOAT, 0)                                                \
                         : "l"(p), "l"(q));                                                        \
        }                                                                                          \
        static __device__ __forceinline__ void scores(float (&c)[32], unsigned long long p, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16." types " {" WGMMA_NAMES_32 "}, %32, %33, 0, 1, 1, 0, 0;" \
                         : WGMMA_32(WGMMA_NEW, 0)                                                  \
                         : "l"(p), "l"(q));                                                        \
        }                                                                                          \
        static __device__ __forceinline__ void more(float (&c)[32], unsigned long long p, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16." types " {" WGMMA_NAMES_32 "}, %32, %33, 1, 1, 1, 0, 0;" \
                         : WGMMA_32(WGMMA_FLOAT, 0)                                                \
                         : "l"(p), "l"(q));                                                        \
        }                                                                                          \
        static __device__ __forceinline__ void weighted(float (&c)[64], const unsigned *a, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n128k16." types " {" WGMMA_NAMES_64 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;" \
                         : WGMMA_64(WGMMA_FLOAT, 0)                                                \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(q));                    \
        }                                                                                          \
        static __device__ __forceinline__ void weighted(float (&c)[32], const unsigned *a, unsigned long long q) \
        {                                                                                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16." types " {" WGMMA_NAMES_32 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;" \
                         : WGMMA_32(WGMMA_FLOAT, 0)                                                \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(q));                    \
        }                                                                                          \
    };
FLASH_WGMMA(__half, "f32.f16.f16")
FLASH_WGMMA(__nv_bfloat16, "f32.bf16.bf16")

/* Which of the two groups that multiply: from a lane, so that ptxas knows it the same for all, and addresses by it need no registers of each thread. */
__device__ __forceinline__ int hopper_group() { return (int)__shfl_sync(0xffffffffu, threadIdx.x / 128, 0) - 1; }

/* The warps that copy leave their registers to those that multiply, which have 240 then. Such code is assembled as a whole
 * (rt/dev/cuda/code.c): only then products go on side by side. */
#define HOPPER_GIVE_REGISTERS() asm volatile("setmaxnreg.dec.sync.aligned.u32 24;")
#define HOPPER_TAKE_REGISTERS() asm volatile("setmaxnreg.inc.sync.aligned.u32 240;")

/* Two groups that take turns at telling the matrix unit what to do: while one's products go on the other does its softmax. A turn is
 * waited for, and given to the other, at barriers 1 and 2; each is passed as often as it is waited for. */
__device__ __forceinline__ void hopper_wait_turn(int group) { asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory"); }
__device__ __forceinline__ void hopper_pass_turn(int group) { asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory"); }

/* Rows from r on of a head, in panels of 64 elements: maps have (element, row, head, batch), and boxes of ROWS rows. */
template <int D, int ROWS> __device__ inline void hopper_copy(unsigned to_, const CUtensorMap *map, unsigned barrier, int r, int h, int b)
{
#pragma unroll
    for (int q = 0; q < D / 64; q++)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to_ + q * ROWS * 128), "l"(map), "r"(barrier),
                     "r"(q * 64), "r"(r), "r"(h), "r"(b)
                     : "memory");
}
template <int D, int ROWS> __device__ inline void hopper_bring(unsigned to_, const CUtensorMap *map, unsigned barrier, int r, int h, int b)
{
    barrier_expect(barrier, D * ROWS * 2);
    hopper_copy<D, ROWS>(to_, map, barrier, r, h, b);
}
#define HOPPER_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define HOPPER_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define HOPPER_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")

/* s = 64 rows of `first` times the rows of `second`, over D; a tile of ROWS rows, and one of 2 N. */
template <class T, int D, int ROWS, int N> __device__ __forceinline__ void hopper_products(float (&s)[N], unsigned first, unsigned second)
{
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        const unsigned long long p = tile_descriptor(first + k / 4 * ROWS * 128, 8192) + k % 4 * WGMMA_NEXT_ALONG;
        const unsigned long long q = tile_descriptor(second + k / 4 * 2 * N * 128, 8192) + k % 4 * WGMMA_NEXT_ALONG;
        if (k == 0)
            flash_wgmma<T>::scores(s, p, q);
        else
            flash_wgmma<T>::more(s, p, q);
    }
}
/* o += weights, 4 N of them for each of 64 rows, times the rows of a tile. */
template <class T, int D, int N> __device__ __forceinline__ void hopper_weighted(float (&o)[D / 2], const unsigned (&weights)[N], unsigned values)
{
#pragma unroll
    for (int k = 0; k < N / 4; k++)
        flash_wgmma<T>::weighted(o, weights + k * 4, tile_descriptor(values, 4 * N * 128) + k * WGMMA_NEXT_ACROSS);
}
/* Scores of row H of a thread's two as exponentials, and the sum's and the maximum's way on. Gives what earlier sums are to be multiplied
 * by. */
template <int H> __device__ __forceinline__ float hopper_softmax(float (&s)[64], float &top, float &sum, float by)
{
    float m = top, total = 0.f;
#pragma unroll
    for (int i = 0; i < 64; i += 4)
        m = fmaxf(m, fmaxf(s[i + H * 2], s[i + H * 2 + 1]));
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 1));
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 2));
    const float base = m == -1.f / 0.f ? 0.f : m * by, shrink = flash_exp2(top * by - base);
    top = m;
#pragma unroll
    for (int i = 0; i < 64; i += 4) {
        s[i + H * 2] = flash_exp2(fmaf(s[i + H * 2], by, -base));
        s[i + H * 2 + 1] = flash_exp2(fmaf(s[i + H * 2 + 1], by, -base));
        total += s[i + H * 2] + s[i + H * 2 + 1];
    }
    sum = sum * shrink + total;
    return shrink;
}
/* Keys that the group's queries, from i on, do not see; j is the first. */
__device__ __forceinline__ void hopper_mask(float (&s)[64], const flash_sight &sight, int i, int j)
{
    const int lane = threadIdx.x & 31, row = i + (threadIdx.x >> 5 & 3) * 16 + (lane >> 2), col = j + (lane & 3) * 2;
    if (sight.all(i, 64, j, HOPPER_KEYS))
        return;
#pragma unroll
    for (int e = 0; e < 64; e += 4) {
        s[e] = sight.sees(row, col + e * 2) ? s[e] : -1.f / 0.f;
        s[e + 1] = sight.sees(row, col + e * 2 + 1) ? s[e + 1] : -1.f / 0.f;
        s[e + 2] = sight.sees(row + 8, col + e * 2) ? s[e + 2] : -1.f / 0.f;
        s[e + 3] = sight.sees(row + 8, col + e * 2 + 1) ? s[e + 3] : -1.f / 0.f;
    }
}
template <class T, int N> __device__ __forceinline__ void hopper_pack(unsigned (&weights)[N], const float (&s)[2 * N])
{
#pragma unroll
    for (int e = 0; e < N; e++)
        weights[e] = flash_pair<T>(s[e * 2], s[e * 2 + 1]);
}

/* Rows of a tile from `left` on are no values of the sequence, whatever they are: a weight of 0 does not make nothing of them. Each group
 * clears all of them for itself; what another writes meanwhile is the same. */
template <int D> __device__ __forceinline__ void hopper_clear_rows(unsigned tile, int left, int group)
{
    const int panel = HOPPER_KEYS * 128, first = (left < 0 ? 0 : left) * 128 + threadIdx.x % 128 * 16;
#pragma unroll
    for (int q = 0; q < D / 64; q++)
        for (int at = first; at < panel; at += 128 * 16)
            asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(tile + q * panel + at), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(group + 3) : "memory");
}

template <int H, class T, int N> __device__ __forceinline__ void hopper_store(const dnn_attention &a, const float (&o)[N], float sum, float top, int row, T *out, float *log_sums)
{
    const int lane = threadIdx.x & 31;
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const float over = sum > 0.f ? 1.f / sum : 0.f;
    if (row >= a.queries)
        return;
    if (log_sums && (lane & 3) == 0)
        log_sums[row] = top * (float)a.scale + log(sum);
    T *to_ = out + row * a.o_step[2] + (lane & 3) * 2;
#pragma unroll
    for (int c = 0; c < N / 4; c++)
        if (c * 8 < a.value_size)
            *(unsigned *)(to_ + c * 8) = flash_pair<T>(o[c * 4 + H * 2] * over, o[c * 4 + H * 2 + 1] * over);
}

/* Of a part of the keys: sums as they are, then their maximum and the sum of weights. */
template <int H, int N> __device__ __forceinline__ void hopper_part(const dnn_attention &a, const float (&o)[N], float sum, float top, int row, float *out)
{
    const int lane = threadIdx.x & 31;
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (row >= a.queries)
        return;
    float *to_ = out + row * (long long)(2 * N + 2);
    if ((lane & 3) == 0)
        *(float2 *)(to_ + 2 * N) = make_float2(top * (float)a.scale, sum);
#pragma unroll
    for (int c = 0; c < N / 4; c++)
        *(float2 *)(to_ + c * 8 + (lane & 3) * 2) = make_float2(o[c * 4 + H * 2], o[c * 4 + H * 2 + 1]);
}
/* scratch: [batch, heads, parts, queries] of D sums and two more numbers. A warp for each query, always in the same order. */
template <class T, int D> __global__ void flash_join(dnn_attention a, int parts, const float *scratch, T *o0, float *log_sums)
{
    EACH_WARP (l, a.batch * a.heads * a.queries) {
        const long long i = l % a.queries, h = l / a.queries % a.heads, b = l / (a.queries * a.heads), line = l / a.queries;
        const float *first = scratch + (line * parts * a.queries + i) * (D + 2);
        const long long step = a.queries * (D + 2);
        float top = -1.f / 0.f, sum = 0.f, v[D / DNN_WARP];
        for (int p = 0; p < parts; p++)
            top = fmaxf(top, first[p * step + D]);
#pragma unroll
        for (int e = 0; e < D / DNN_WARP; e++)
            v[e] = 0.f;
        for (int p = 0; p < parts; p++) {
            const float *at = first + p * step, w = at[D + 1] > 0.f ? exp(at[D] - top) : 0.f;
            sum += w * at[D + 1];
#pragma unroll
            for (int e = 0; e < D / DNN_WARP; e++)
                v[e] += w * at[e * DNN_WARP + threadIdx.x % DNN_WARP];
        }
        T *out = o0 + b * a.o_step[0] + h * a.o_step[1] + i * a.o_step[2];
#pragma unroll
        for (int e = 0; e < D / DNN_WARP; e++)
            if (e * DNN_WARP + threadIdx.x % DNN_WARP < a.value_size)
                out[e * DNN_WARP + threadIdx.x % DNN_WARP] = to<T>(sum > 0.f ? v[e] / sum : 0.f);
        if (log_sums && threadIdx.x % DNN_WARP == 0)
            log_sums[l] = top + log(sum);
    }
}

template <class T, int D>
__global__ __launch_bounds__(HOPPER_THREADS, 1) void flash_hopper(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map, const __grid_constant__ CUtensorMap v_map,
                                                                  dnn_attention a, T *o0, float *log_sums, int parts, float *scratch)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[1 + 4 * HOPPER_AHEAD];
    const int ROW = D * 2, TILE = HOPPER_KEYS * ROW;
    const unsigned queries = (shared_address(wgmma_memory) + 1023) & ~1023u, keys = queries + FLASH_QUERIES * ROW, values = keys + HOPPER_AHEAD * TILE;
    const unsigned q_full = shared_address(barriers), k_full = q_full + 8, k_empty = k_full + 8 * HOPPER_AHEAD, v_full = k_empty + 8 * HOPPER_AHEAD, v_empty = v_full + 8 * HOPPER_AHEAD;
    const unsigned tiles = (unsigned)((a.queries + FLASH_QUERIES - 1) / FLASH_QUERIES), line = blockIdx.x / tiles / (unsigned)parts, part = blockIdx.x / tiles % (unsigned)parts;
    const int i0 = (int)(tiles - 1 - blockIdx.x % tiles) * FLASH_QUERIES; /* those that see most come first */
    const int h = (int)(line % a.heads), b = (int)(line / a.heads), g = h / (int)(a.heads / a.kv_heads);
    const flash_sight sight(a, b);
    const int begin = sight.first_key(i0) / HOPPER_KEYS * HOPPER_KEYS, end = sight.end_key(i0, FLASH_QUERIES), all = end > begin ? (end - begin + HOPPER_KEYS - 1) / HOPPER_KEYS : 0;
    const int each = (all + parts - 1) / parts, first = each * (int)part, from = begin + first * HOPPER_KEYS, count = all - first < each ? (all > first ? all - first : 0) : each;
    if (threadIdx.x == 0) {
        barrier_init(q_full, 1);
        for (int s = 0; s < HOPPER_AHEAD; s++) {
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
            for (int j = 0; j <= count; j++) { /* keys of tile j, values of tile j - 1 */
                const int stage = j % HOPPER_AHEAD, last = (j + HOPPER_AHEAD - 1) % HOPPER_AHEAD;
                if (j < count) {
                    barrier_wait(k_empty + 8 * stage, j / HOPPER_AHEAD % 2 ^ 1);
                    hopper_bring<D, HOPPER_KEYS>(keys + stage * TILE, &k_map, k_full + 8 * stage, from + j * HOPPER_KEYS, g, b);
                }
                if (j > 0) {
                    barrier_wait(v_empty + 8 * last, (j - 1) / HOPPER_AHEAD % 2 ^ 1);
                    hopper_bring<D, HOPPER_KEYS>(values + last * TILE, &v_map, v_full + 8 * last, from + (j - 1) * HOPPER_KEYS, g, b);
                }
            }
        }
        return;
    }
    HOPPER_TAKE_REGISTERS();
    const int group = hopper_group(), lane = threadIdx.x & 31, mine = i0 + group * 64;
    const bool tells = threadIdx.x % 128 == 0;
    const unsigned own = queries + group * 64 * 128;
    const float by = (float)a.scale * FLASH_LOG2E;
    float s[64], o[D / 2], top0 = -1.f / 0.f, top1 = top0, sum0 = 0.f, sum1 = 0.f;
    unsigned weights[32];
#pragma unroll
    for (int e = 0; e < D / 2; e++)
        o[e] = 0.f;
    if (count) {
        barrier_wait(q_full, 0);
        barrier_wait(k_full, 0);
        HOPPER_FENCE();
        hopper_products<T, D, FLASH_QUERIES>(s, own, keys);
        HOPPER_COMMIT();
        HOPPER_WAIT(0);
        if (tells)
            barrier_arrive(k_empty);
        hopper_mask(s, sight, mine, from);
        hopper_softmax<0>(s, top0, sum0, by);
        hopper_softmax<1>(s, top1, sum1, by);
        hopper_pack<T>(weights, s);
        if (group == 1 && count > 1)
            hopper_pass_turn(group);
        for (int j = 1; j < count; j++) {
            const int stage = j % HOPPER_AHEAD, last = (j + HOPPER_AHEAD - 1) % HOPPER_AHEAD;
            barrier_wait(k_full + 8 * stage, j / HOPPER_AHEAD % 2);
            barrier_wait(v_full + 8 * last, (j - 1) / HOPPER_AHEAD % 2);
            hopper_wait_turn(group);
            HOPPER_FENCE();
            hopper_products<T, D, FLASH_QUERIES>(s, own, keys + stage * TILE);
            HOPPER_COMMIT();
            HOPPER_FENCE();
            hopper_weighted<T, D>(o, weights, values + last * TILE);
            HOPPER_COMMIT();
            if (group == 0 || j + 1 < count)
                hopper_pass_turn(group);
            HOPPER_WAIT(1);
            if (tells)
                barrier_arrive(k_empty + 8 * stage);
            hopper_mask(s, sight, mine, from + j * HOPPER_KEYS);
            const float shrink0 = hopper_softmax<0>(s, top0, sum0, by), shrink1 = hopper_softmax<1>(s, top1, sum1, by);
            HOPPER_WAIT(0);
            if (tells)
                barrier_arrive(v_empty + 8 * last);
#pragma unroll
            for (int e = 0; e < D / 2; e += 4) {
                o[e] *= shrink0;
                o[e + 1] *= shrink0;
                o[e + 2] *= shrink1;
                o[e + 3] *= shrink1;
            }
            hopper_pack<T>(weights, s);
        }
        const int last = (count - 1) % HOPPER_AHEAD;
        barrier_wait(v_full + 8 * last, (count - 1) / HOPPER_AHEAD % 2);
        if (a.lengths) /* the copy engine knows one length for all sequences */
            hopper_clear_rows<D>(values + last * TILE, sight.keys - from - (count - 1) * HOPPER_KEYS, group);
        HOPPER_FENCE();
        hopper_weighted<T, D>(o, weights, values + last * TILE);
        HOPPER_COMMIT();
        HOPPER_WAIT(0);
    }
    T *out = o0 + b * a.o_step[0] + h * a.o_step[1];
    const int row = mine + (threadIdx.x >> 5 & 3) * 16 + (lane >> 2);
    if (parts > 1) {
        const long long at = (line * (long long)parts + part) * a.queries;
        hopper_part<0>(a, o, sum0, top0, row, scratch + at * (D + 2));
        hopper_part<1>(a, o, sum1, top1, row + 8, scratch + at * (D + 2));
        return;
    }
    hopper_store<0>(a, o, sum0, top0, row, out, log_sums ? log_sums + line * a.queries : log_sums);
    hopper_store<1>(a, o, sum1, top1, row + 8, out, log_sums ? log_sums + line * a.queries : log_sums);
}

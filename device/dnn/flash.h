/* Attention on NVIDIA's matrix instructions (mma.sync, from sm_80 on), for elements of 16 bits: a block has 128 queries, 32 for each warp,
 * and goes over tiles of keys and values, which cp.async brings one tile ahead. Scores stay in registers: sums of an instruction lie as
 * the first operand of the next one wants them. Backward (flash_back.h) is made of the same parts.
 *
 * D: elements of a row in shared memory; what a head is smaller by is 0. PLAIN: scores are products times a positive scale; else they go
 * through score_of. Rows begin at multiples of 16 bytes. */
#pragma once
#include "device/blas/tensor.h"
#include "device/dnn/attend.h"

enum { FLASH_THREADS = DNN_THREADS, FLASH_QUERIES = 128 };
#define FLASH_LOG2E 1.4426950408889634f

/* ---- tiles in shared memory: rows of D elements in chunks of 16 bytes, permuted so that eight rows' chunks are in different banks ---- */
template <int D> __device__ __forceinline__ unsigned flash_at(int r, int c) { return (unsigned)(r * (D / 8) + (c ^ (r & 7))) * 16; }

/* Rows r0 to r0 + ROWS of what lies at p, `step` apart; from row `end` and element `size` on it is 0. */
template <class T, int D, int ROWS> __device__ __forceinline__ void flash_bring(unsigned tile, const T *p, long long step, long long r0, long long end, long long size)
{
    const int CHUNKS = D / 8, EACH = FLASH_THREADS / CHUNKS, c = threadIdx.x % CHUNKS, first = threadIdx.x / CHUNKS;
    const int left = (int)(end - r0);
    const bool inside = c * 8 < size;
    const T *from = p + (r0 + first) * step + c * 8;
#pragma unroll
    for (int r = 0; r < ROWS; r += EACH) {
        const int bytes = inside && first + r < left ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile + flash_at<D>(first + r, c)), "l"(bytes ? from : p), "r"(bytes) : "memory");
        from += EACH * step;
    }
}
#define FLASH_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define FLASH_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
/* Keys and values from j on, in a kernel's own words. */
#define FLASH_BRING_KEYS(stage, j)                                                                 \
    {                                                                                              \
        flash_bring<T, D, BN>(stages + (stage) * STAGE, k, a.k_step[2], j, sight.keys, a.size);    \
        flash_bring<T, D, BN>(stages + (stage) * STAGE + BN * ROW, v, a.v_step[2], j, sight.keys, a.value_size); \
    }

__device__ __forceinline__ void flash_load(unsigned *r, unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ void flash_load_across(unsigned *r, unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
/* First operand: rows r to r + 15 by elements 16 k to 16 k + 15. */
template <int D> __device__ __forceinline__ void flash_first(unsigned *v, unsigned tile, int r, int k)
{
    const int lane = threadIdx.x & 31;
    flash_load(v, tile + flash_at<D>(r + (lane & 15), 2 * k + (lane >> 4)));
}
/* Second operand, for two instructions: rows r to r + 15 are columns of the result. */
template <int D> __device__ __forceinline__ void flash_second(unsigned *v, unsigned tile, int r, int k)
{
    const int lane = threadIdx.x & 31;
    flash_load(v, tile + flash_at<D>(r + (lane & 7) + (lane >> 4) * 8, 2 * k + (lane >> 3 & 1)));
}
/* Second operand, for two instructions: rows r to r + 15 are summed over; columns 16 c to 16 c + 15. */
template <int D> __device__ __forceinline__ void flash_second_across(unsigned *v, unsigned tile, int r, int c)
{
    const int lane = threadIdx.x & 31;
    flash_load_across(v, tile + flash_at<D>(r + (lane & 15), 2 * c + (lane >> 4)));
}

template <class T> __device__ __forceinline__ unsigned flash_pair(float low, float high);
template <> __device__ __forceinline__ unsigned flash_pair<__half>(float low, float high)
{
    unsigned v;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
    return v;
}
template <> __device__ __forceinline__ unsigned flash_pair<__nv_bfloat16>(float low, float high)
{
    unsigned v;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
    return v;
}
__device__ __forceinline__ float flash_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

template <int M, int N> __device__ __forceinline__ void flash_clear(float (&s)[M][N][4])
{
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                s[i][j][e] = 0.f;
}
/* s += rows of `first` (from r on) times rows of `second`, over D. */
template <class T, int D, int M, int N> __device__ __forceinline__ void flash_products(float (&s)[M][N][4], unsigned first, int r, unsigned second)
{
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        unsigned a[M][4];
#pragma unroll
        for (int i = 0; i < M; i++)
            flash_first<D>(a[i], first, r + i * 16, k);
#pragma unroll
        for (int j = 0; j < N / 2; j++) {
            unsigned b[4];
            flash_second<D>(b, second, j * 16, k);
#pragma unroll
            for (int i = 0; i < M; i++) {
                tensor_type<T>::mma(s[i][2 * j], a[i], b);
                tensor_type<T>::mma(s[i][2 * j + 1], a[i], b + 2);
            }
        }
    }
}
/* o += weights (as sums lie) times rows of `second`. */
template <class T, int D, int M, int N> __device__ __forceinline__ void flash_weighted(float (&o)[M][D / 8][4], const float (&w)[M][N][4], unsigned second)
{
#pragma unroll
    for (int k = 0; k < N / 2; k++) {
        unsigned a[M][4];
#pragma unroll
        for (int i = 0; i < M; i++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                a[i][e] = flash_pair<T>(w[i][2 * k + e / 2][e % 2 * 2], w[i][2 * k + e / 2][e % 2 * 2 + 1]);
#pragma unroll
        for (int c = 0; c < D / 16; c++) {
            unsigned b[4];
            flash_second_across<D>(b, second, k * 16, c);
#pragma unroll
            for (int i = 0; i < M; i++) {
                tensor_type<T>::mma(o[i][2 * c], a[i], b);
                tensor_type<T>::mma(o[i][2 * c + 1], a[i], b + 2);
            }
        }
    }
}
/* Rows r + 16 i of what threads hold, `left` of them there, of `size` elements. */
template <class T, int D, int M> __device__ __forceinline__ void flash_store(const float (&o)[M][D / 8][4], T *out, long long step, int r, int left, int size, float factor)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int row = r + i * 16 + h * 8 + (lane >> 2);
            T *to_ = out + row * step + (lane & 3) * 2;
#pragma unroll
            for (int c = 0; c < D / 8; c++)
                if (row < left && c * 8 < size)
                    *(unsigned *)(to_ + c * 8) = flash_pair<T>(o[i][c][h * 2] * factor, o[i][c][h * 2 + 1] * factor);
        }
}

/* ---- who sees whom ---- */
struct flash_sight {
    int queries, keys, off, causal, window; /* off: query i stands at off + i */
    __device__ flash_sight(const dnn_attention &a, long long b)
        : queries((int)a.queries), keys((int)keys_of(a, b)), off(keys - queries), causal(a.causal), window(a.window)
    {
    }
    __device__ bool sees(int i, int j) const { return i < queries && j < keys && (!causal || j <= off + i) && (!window || j > off + i - window); }
    /* Does each of `m` queries from i on see each of `n` keys from j on? */
    __device__ bool all(int i, int m, int j, int n) const
    {
        return i + m <= queries && j + n <= keys && (!causal || j + n - 1 <= off + i) && (!window || j > off + i + m - 1 - window);
    }
    /* The keys that any of them sees, and the queries that see any. */
    __device__ int first_key(int i) const { return window && off + i - window + 1 > 0 ? off + i - window + 1 : 0; }
    __device__ int end_key(int i, int m) const
    {
        const int last = (i + m < queries ? i + m : queries) - 1;
        const int end = causal && off + last + 1 < keys ? off + last + 1 : keys;
        return end < 0 ? 0 : end;
    }
    __device__ int first_query(int j) const { return causal && j - off > 0 ? j - off : 0; }
    __device__ int end_query(int j, int n) const
    {
        const int end = window ? j + n - 1 + window - off : queries;
        return end < queries ? end : queries;
    }
};

/* The maximum and the sum of each row (two for each i), and what o is to be multiplied by. */
template <int M, int N> __device__ __forceinline__ void flash_softmax(float (&s)[M][N][4], float (&top)[M][2], float (&sum)[M][2], float (&shrink)[M][2], float by)
{
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float m = top[i][h];
#pragma unroll
            for (int j = 0; j < N; j++)
                m = fmaxf(m, fmaxf(s[i][j][h * 2], s[i][j][h * 2 + 1]));
            m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 1));
            m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 2));
            const float base = m == -1.f / 0.f ? 0.f : m * by;
            shrink[i][h] = flash_exp2(top[i][h] * by - base);
            top[i][h] = m;
            float total = 0.f;
#pragma unroll
            for (int j = 0; j < N; j++)
#pragma unroll
                for (int e = h * 2; e < h * 2 + 2; e++) {
                    s[i][j][e] = flash_exp2(fmaf(s[i][j][e], by, -base));
                    total += s[i][j][e];
                }
            sum[i][h] = sum[i][h] * shrink[i][h] + total;
        }
}

/* Bytes of shared memory: queries, and two stages of keys and values. */
template <class T, int D, int BN, bool PLAIN>
__global__ __launch_bounds__(FLASH_THREADS, 2) void flash(dnn_attention a, const T *q0, const T *k0, const T *v0, T *o0, float *log_sums)
{
    extern __shared__ __align__(128) unsigned char flash_memory[];
    const int M = 2, ROW = D * (int)sizeof(T), STAGE = 2 * BN * ROW;
    const unsigned queries = shared_address(flash_memory), stages = queries + FLASH_QUERIES * ROW;
    const unsigned tiles = (unsigned)((a.queries + FLASH_QUERIES - 1) / FLASH_QUERIES), line = blockIdx.x / tiles;
    const int i0 = (int)(tiles - 1 - blockIdx.x % tiles) * FLASH_QUERIES; /* those that see most come first */
    const long long h = line % a.heads, b = line / a.heads, g = h / (a.heads / a.kv_heads);
    const T *q = q0 + b * a.q_step[0] + h * a.q_step[1], *k = k0 + b * a.k_step[0] + g * a.k_step[1], *v = v0 + b * a.v_step[0] + g * a.v_step[1];
    const flash_sight sight(a, b);
    const int from = sight.first_key(i0) / BN * BN, end = sight.end_key(i0, FLASH_QUERIES), lane = threadIdx.x & 31, r = (threadIdx.x >> 5) * 32;
    float o[M][D / 8][4], top[M][2], sum[M][2];
    flash_clear(o);
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            top[i][e] = -1.f / 0.f;
            sum[i][e] = 0.f;
        }
    const float by = PLAIN ? (float)a.scale * FLASH_LOG2E : FLASH_LOG2E;
    flash_bring<T, D, FLASH_QUERIES>(queries, q, a.q_step[2], i0, a.queries, a.size);
    if (from < end)
        FLASH_BRING_KEYS(0, from)
    FLASH_COMMIT();
    int stage = 0;
    for (int j0 = from; j0 < end; j0 += BN) {
        FLASH_WAIT(0);
        __syncthreads(); /* all see the tile, and have done the one before */
        if (j0 + BN < end)
            FLASH_BRING_KEYS(stage ^ 1, j0 + BN)
        FLASH_COMMIT();
        const unsigned keys = stages + stage * STAGE, values = keys + BN * ROW;
        float s[M][BN / 8][4], shrink[M][2];
        flash_clear(s);
        flash_products<T, D, M, BN / 8>(s, queries, r, keys);
        const bool all = sight.all(i0 + r, 32, j0, BN);
        if (!PLAIN || !all)
#pragma unroll
            for (int i = 0; i < M; i++)
#pragma unroll
                for (int j = 0; j < BN / 8; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        const int row = i0 + r + i * 16 + (lane >> 2) + e / 2 * 8, col = j0 + j * 8 + (lane & 3) * 2 + e % 2;
                        float slope;
                        if (!PLAIN)
                            s[i][j][e] = score_of<float>(a, s[i][j][e], b, h, row, col, &slope);
                        if (!sight.sees(row, col))
                            s[i][j][e] = -1.f / 0.f;
                    }
        flash_softmax(s, top, sum, shrink, by);
#pragma unroll
        for (int i = 0; i < M; i++)
#pragma unroll
            for (int c = 0; c < D / 8; c++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    o[i][c][e] *= shrink[i][e / 2];
        flash_weighted<T, D, M, BN / 8>(o, s, values);
        stage ^= 1;
    }
    FLASH_WAIT(0);
    const float natural = PLAIN ? (float)a.scale : 1.f;
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            float all = sum[i][e];
            all += __shfl_xor_sync(0xffffffffu, all, 1);
            all += __shfl_xor_sync(0xffffffffu, all, 2);
            const float over = all > 0.f ? 1.f / all : 0.f;
#pragma unroll
            for (int c = 0; c < D / 8; c++) {
                o[i][c][e * 2] *= over;
                o[i][c][e * 2 + 1] *= over;
            }
            const int row = i0 + r + i * 16 + e * 8 + (lane >> 2);
            if (log_sums && (lane & 3) == 0 && row < a.queries)
                log_sums[line * a.queries + row] = top[i][e] * natural + log(all);
        }
    flash_store<T, D, M>(o, o0 + b * a.o_step[0] + h * a.o_step[1] + i0 * a.o_step[2], a.o_step[2], r, (int)a.queries - i0, (int)a.value_size, 1.f);
}

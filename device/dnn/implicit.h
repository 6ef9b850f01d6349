/* Convolutions as products on Hopper's matrix instructions (blas/wgmma.h), for elements of 16 bits, and for floats that may be multiplied
 * as TF32, without columns in memory: cp.async gathers tiles by index. Sources lie [images, places, channels], channels in chunks of 16
 * bytes, filters [rows, taps, channels]; floats are rounded to TF32 when they are brought into that order, or by the copy engine.
 *
 * implicit_product: 128 places of the result by ROWS of its channels, sums over taps and channels; forward, and gradients of data (of a
 * class of places that take the same taps). implicit_filter: 128 channels of the result by ROWS of taps and channels, sums over places,
 * in parts that implicit_filter_sum adds up in their order; of 16 bits only, as the instruction takes floats along sums alone. */
#pragma once
#include "device/blas/wgmma.h"
#include "device/dnn/types.h"

enum { IMPLICIT_PLACES = 128, IMPLICIT_DEPTH = 64 /* elements of 16 bits: 128 bytes */, IMPLICIT_TURN = 32, IMPLICIT_TURN_CHANNELS = 64 };

/* ---- by index ---- */
/* A place of the result, where tap 0 of it is in the source. */
struct implicit_place {
    int line, z, y, x;
};
__device__ inline implicit_place implicit_at(const dnn_implicit &p, int n, int z, int y, int x)
{
    implicit_place r;
    r.z = z * p.step[0] + p.off[0];
    r.y = y * p.step[1] + p.off[1];
    r.x = x * p.step[2] + p.off[2];
    r.line = ((n * p.from[0] + r.z) * p.from[1] + r.y) * p.from[2] + r.x;
    return r;
}
__device__ inline implicit_place implicit_of(const dnn_implicit &p, long long m)
{
    const int w = (int)(m % p.count[2]), rest = (int)(m / p.count[2]), h = rest % p.count[1], rest2 = rest / p.count[1];
    return implicit_at(p, rest2 / p.count[0], rest2 % p.count[0], h, w);
}
/* A chunk of channels at a tap, `next` elements of [taps, channels] further on each time. */
struct implicit_walk {
    int c, t[3];
    __device__ void settle(const dnn_implicit &p)
    {
        while (c >= p.channels && t[0] < p.taps[0]) {
            c -= p.channels;
            if (++t[2] == p.taps[2]) {
                t[2] = 0;
                if (++t[1] == p.taps[1]) {
                    t[1] = 0;
                    t[0]++;
                }
            }
        }
    }
    __device__ implicit_walk(const dnn_implicit &p, int from) : c(from % p.channels)
    {
        const int tap = from / p.channels, high = p.taps[1] > 0 ? p.taps[1] : 1, wide_ = p.taps[2] > 0 ? p.taps[2] : 1; /* no taps at all are no error */
        t[2] = tap % wide_;
        t[1] = tap / wide_ % high;
        t[0] = tap / wide_ / high;
    }
    __device__ bool inside(const dnn_implicit &p) const { return t[0] < p.taps[0]; }
    __device__ int filter(const dnn_implicit &p) const /* where it is in a row of filters */
    {
        const int z = p.tap[0] + t[0] * p.tap_step[0], y = p.tap[1] + t[1] * p.tap_step[1], x = p.tap[2] + t[2] * p.tap_step[2];
        return ((z * p.filter_taps[1] + y) * p.filter_taps[2] + x) * p.channels + c;
    }
};
__device__ inline bool inside_source(const dnn_implicit &p, int z, int y, int x)
{
    return (unsigned)z < (unsigned)p.from[0] && (unsigned)y < (unsigned)p.from[1] && (unsigned)x < (unsigned)p.from[2];
}
/* How far a tap is from tap 0 in the source. */
struct implicit_shift {
    int line, z, y, x;
    __device__ implicit_shift(const dnn_implicit &p, const implicit_walk &w)
        : z(w.t[0] * p.off_step[0]), y(w.t[1] * p.off_step[1]), x(w.t[2] * p.off_step[2])
    {
        line = (z * p.from[1] + y) * p.from[2] + x;
    }
    __device__ bool inside(const dnn_implicit &p, const implicit_place &r) const
    {
        return inside_source(p, r.z + z, r.y + y, r.x + x);
    }
};
template <class T> __device__ inline void implicit_copy(unsigned to_, const T *base, long long at, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_), "l"(there ? base + at : base), "r"(there ? 16 : 0) : "memory");
}

/* FIRST: places of the result lie side by side, not its channels. */
template <class T, int ROWS, int STAGES, bool FIRST>
__global__ __launch_bounds__(WGMMA_THREADS, 1) void implicit_product(dnn_implicit p, const T *x, const T *f, T *y)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ long long places[IMPLICIT_PLACES];
    const int P_BYTES = IMPLICIT_PLACES * WGMMA_DEPTH, STAGE = P_BYTES + ROWS * WGMMA_DEPTH, LINES = WGMMA_THREADS / 8;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u;
    const unsigned across = (unsigned)((p.rows + ROWS - 1) / ROWS);
    const int CHUNK = 16 / (int)sizeof(T), DEPTH = WGMMA_DEPTH / (int)sizeof(T);
    const int j0 = (int)(blockIdx.x % across) * ROWS, chunk_of = threadIdx.x % 8, line = threadIdx.x / 8;
    const long long m0 = (long long)(blockIdx.x / across) * IMPLICIT_PLACES, total = (long long)p.images * p.count[0] * p.count[1] * p.count[2];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, group_of = threadIdx.x / 128;
    if (threadIdx.x < IMPLICIT_PLACES) {
        const long long m = m0 + threadIdx.x;
        const int w = (int)(m % p.count[2]), rest = (int)(m / p.count[2]), h = rest % p.count[1], rest2 = rest / p.count[1], d = rest2 % p.count[0], n = rest2 / p.count[0];
        places[threadIdx.x] = m < total ? n * p.y_step[0] + (p.first[0] + d * p.each[0]) * p.y_step[2] + (p.first[1] + h * p.each[1]) * p.y_step[3] + (p.first[2] + w * p.each[2]) * p.y_step[4] : -1;
    }
    implicit_place row[IMPLICIT_PLACES / LINES];
#pragma unroll
    for (int l = 0; l < IMPLICIT_PLACES / LINES; l++) {
        const long long m = m0 + line + l * LINES;
        row[l] = implicit_of(p, m < total ? m : 0);
        if (m >= total)
            row[l].z = -(1 << 30); /* outside, whatever the tap */
    }
    const long long filter_line = (long long)p.filter_taps[0] * p.filter_taps[1] * p.filter_taps[2] * p.channels;
    implicit_walk walk(p, chunk_of * CHUNK);
    const int deep = p.taps[0] * p.taps[1] * p.taps[2] * p.channels, count = (deep + DEPTH - 1) / DEPTH;
    const unsigned own = (unsigned)(line * 128 + ((chunk_of ^ line) & 7) * 16);
    float sum[ROWS / 2];
#pragma unroll
    for (int i = 0; i < ROWS / 2; i++)
        sum[i] = 0.f;
#define IMPLICIT_BRING(stage)                                                                      \
    {                                                                                              \
        const unsigned at = memory + (stage) * STAGE + own;                                        \
        const bool there = walk.inside(p);                                                         \
        const implicit_shift shift(p, walk);                                                       \
        const int in_filter = walk.filter(p);                                                      \
        _Pragma("unroll") for (int l = 0; l < IMPLICIT_PLACES / LINES; l++)                        \
            implicit_copy(at + l * LINES * 128, x, (long long)(row[l].line + shift.line) * p.channels + walk.c, there && shift.inside(p, row[l])); \
        _Pragma("unroll") for (int l = 0; l < ROWS / LINES; l++)                                   \
            implicit_copy(at + P_BYTES + l * LINES * 128, f, (j0 + line + l * LINES) * filter_line + in_filter, there && j0 + line + l * LINES < p.rows); \
        walk.c += DEPTH;                                                                           \
        walk.settle(p);                                                                            \
    }                                                                                              \
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int s = 0; s < STAGES - 2; s++) {
        IMPLICIT_BRING(s)
    }
    int stage = 0, next = STAGES - 2;
    for (int step = 0; step < count; step++) {
        wgmma_await<STAGES - 3>();
        const unsigned at = memory + stage * STAGE;
        const unsigned long long dp = tile_descriptor(at + group_of * 64 * 128, 8192), dq = tile_descriptor(at + P_BYTES, 8192);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
            wgmma_type<T, T>::template multiply<0, 0>(sum, dp + k * WGMMA_NEXT_ALONG, dq + k * WGMMA_NEXT_ALONG);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        IMPLICIT_BRING(next)
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
#undef IMPLICIT_BRING
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    const int LD = FIRST ? ROWS + 1 : ROWS + 8;
    float *tile = (float *)(wgmma_memory + (memory - shared_address(wgmma_memory)));
    const int place = warp * 16 + (lane >> 2), col = (lane & 3) * 2;
#pragma unroll
    for (int i = 0; i < ROWS / 8; i++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            tile[(place + e / 2 * 8) * LD + col + i * 8 + e % 2] = sum[i * 4 + e];
    __syncthreads();
    const int rows = p.rows - j0 < ROWS ? p.rows - j0 : ROWS;
    const float alpha = (float)p.alpha;
    if (FIRST) {
        const int m = threadIdx.x % IMPLICIT_PLACES;
        T *to_ = y + places[m] + j0 * p.y_step[1];
        const int EACH = WGMMA_THREADS / IMPLICIT_PLACES;
        const long long step = EACH * p.y_step[1];
        to_ += threadIdx.x / IMPLICIT_PLACES * p.y_step[1];
        if (places[m] >= 0 && p.beta == 0.0) {
#pragma unroll 8
            for (int j = threadIdx.x / IMPLICIT_PLACES; j < rows; j += EACH, to_ += step)
                *to_ = to<T>(alpha * tile[m * LD + j]);
        } else if (places[m] >= 0) {
            for (int j = threadIdx.x / IMPLICIT_PLACES; j < rows; j += EACH, to_ += step)
                blend(to_, tile[m * LD + j], p.alpha, p.beta);
        }
        return;
    }
    const bool whole = p.y_step[1] == 1 && p.beta == 0.0 && ((unsigned long long)y | (unsigned long long)(p.y_step[0] | p.y_step[2] | p.y_step[3] | p.y_step[4]) * sizeof(T)) % 16 == 0;
    for (int i = threadIdx.x; i < IMPLICIT_PLACES * (ROWS / CHUNK); i += WGMMA_THREADS) {
        const int m = i / (ROWS / CHUNK), j = i % (ROWS / CHUNK) * CHUNK;
        if (places[m] < 0 || j >= rows)
            continue;
        T *to_ = y + places[m] + (j0 + j) * p.y_step[1];
        const float *from = tile + m * LD + j;
        if (whole && j + CHUNK <= rows) {
            chunk<T> v;
#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                v.each[e] = to<T>(from[e] * alpha);
            *(uint4 *)to_ = v.whole;
        } else {
            for (int e = 0; e < CHUNK && j + e < rows; e++)
                blend(to_ + e * p.y_step[1], from[e], p.alpha, p.beta);
        }
    }
}

/* A thread's part of a filter's gradient: rows k and k + 8, pairs of columns from j on. */
template <int ROWS> __device__ __forceinline__ void implicit_store_part(const dnn_implicit &p, const float (&sum)[ROWS / 2], int columns, int k, int j, float *parts)
{
#pragma unroll
    for (int e = 0; e < 2; e++) {
        float *out = parts + ((long long)blockIdx.y * p.rows + k + e * 8) * columns + j;
#pragma unroll
        for (int i = 0; i < ROWS / 8; i++)
            if (k + e * 8 < p.rows && j + i * 8 < columns)
                *(float2 *)(out + i * 8) = make_float2(sum[i * 4 + e * 2], sum[i * 4 + e * 2 + 1]);
    }
}

/* dy: [places of the result, dy_channels]; parts: [blockIdx.y][rows][taps * channels]; a block sums `steps` times IMPLICIT_DEPTH places. */
template <class T, int ROWS, int STAGES>
__global__ __launch_bounds__(WGMMA_THREADS, 1) void implicit_filter(dnn_implicit p, const T *x, const T *dy, int dy_channels, int steps, float *parts)
{
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    const int PANEL = 64 * 128, P_BYTES = 2 * PANEL, STAGE = P_BYTES + ROWS * WGMMA_DEPTH, LINES = WGMMA_THREADS / 8;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u;
    const int columns = p.taps[0] * p.taps[1] * p.taps[2] * p.channels;
    const unsigned across = (unsigned)((columns + ROWS - 1) / ROWS);
    const int j0 = (int)(blockIdx.x % across) * ROWS, k0 = (int)(blockIdx.x / across) * 128, chunk_of = threadIdx.x % 8, line = threadIdx.x / 8;
    const int total = p.images * p.count[0] * p.count[1] * p.count[2], first = (int)blockIdx.y * steps * IMPLICIT_DEPTH;
    const int end = total - first < steps * IMPLICIT_DEPTH ? total : first + steps * IMPLICIT_DEPTH, count = end > first ? (end - first + IMPLICIT_DEPTH - 1) / IMPLICIT_DEPTH : 0;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, group_of = threadIdx.x / 128;
    /* What this thread's chunk of each panel is: a tap and channels, the same for all places. */
    int line_by[ROWS / 64], z_by[ROWS / 64], y_by[ROWS / 64], x_by[ROWS / 64], channel[ROWS / 64];
    bool there[ROWS / 64];
#pragma unroll
    for (int q = 0; q < ROWS / 64; q++) {
        const implicit_walk walk(p, j0 + q * 64 + chunk_of * 8);
        const implicit_shift shift(p, walk);
        line_by[q] = shift.line;
        z_by[q] = shift.z;
        y_by[q] = shift.y;
        x_by[q] = shift.x;
        channel[q] = walk.c;
        there[q] = walk.inside(p);
    }
    /* The two places of a step, and how far the next step's are. */
    int m[2], at[2][4];
    const int by[4] = {IMPLICIT_DEPTH / p.count[2] / p.count[1] / p.count[0], IMPLICIT_DEPTH / p.count[2] / p.count[1] % p.count[0], IMPLICIT_DEPTH / p.count[2] % p.count[1], IMPLICIT_DEPTH % p.count[2]};
#pragma unroll
    for (int l = 0; l < 2; l++) {
        m[l] = first + line + l * LINES;
        at[l][3] = m[l] % p.count[2];
        at[l][2] = m[l] / p.count[2] % p.count[1];
        at[l][1] = m[l] / p.count[2] / p.count[1] % p.count[0];
        at[l][0] = m[l] / p.count[2] / p.count[1] / p.count[0];
    }
    const unsigned own = (unsigned)(line * 128 + ((chunk_of ^ line) & 7) * 16);
    float sum[ROWS / 2];
#pragma unroll
    for (int i = 0; i < ROWS / 2; i++)
        sum[i] = 0.f;
#define IMPLICIT_BRING(stage)                                                                      \
    _Pragma("unroll") for (int l = 0; l < 2; l++)                                                  \
    {                                                                                              \
        const unsigned to_ = memory + (stage) * STAGE + own + l * LINES * 128;                     \
        const implicit_place r = implicit_at(p, at[l][0], at[l][1], at[l][2], at[l][3]);           \
        _Pragma("unroll") for (int q = 0; q < 2; q++)                                              \
            implicit_copy(to_ + q * PANEL, dy, (long long)m[l] * dy_channels + k0 + q * 64 + chunk_of * 8, m[l] < end && k0 + q * 64 + chunk_of * 8 < dy_channels); \
        _Pragma("unroll") for (int q = 0; q < ROWS / 64; q++)                                      \
            implicit_copy(to_ + P_BYTES + q * PANEL, x, (long long)(r.line + line_by[q]) * p.channels + channel[q], m[l] < end && there[q] && inside_source(p, r.z + z_by[q], r.y + y_by[q], r.x + x_by[q])); \
        m[l] += IMPLICIT_DEPTH;                                                                    \
        at[l][0] += by[0];                                                                         \
        int carry = 0;                                                                             \
        _Pragma("unroll") for (int d = 3; d > 0; d--)                                              \
        {                                                                                          \
            at[l][d] += by[d] + carry;                                                             \
            carry = at[l][d] >= p.count[d - 1];                                                    \
            at[l][d] -= carry ? p.count[d - 1] : 0;                                                \
        }                                                                                          \
        at[l][0] += carry;                                                                         \
    }                                                                                              \
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int s = 0; s < STAGES - 2; s++) {
        IMPLICIT_BRING(s)
    }
    int stage = 0, next = STAGES - 2;
    for (int step = 0; step < count; step++) {
        wgmma_await<STAGES - 3>();
        const unsigned from = memory + stage * STAGE;
        const unsigned long long dp = tile_descriptor(from + group_of * PANEL, 8192), dq = tile_descriptor(from + P_BYTES, 8192);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
            wgmma_type<T, T>::template multiply<1, 1>(sum, dp + k * WGMMA_NEXT_ACROSS, dq + k * WGMMA_NEXT_ACROSS);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        IMPLICIT_BRING(next)
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
#undef IMPLICIT_BRING
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    implicit_store_part<ROWS>(p, sum, columns, k0 + warp * 16 + (lane >> 2), j0 + (lane & 3) * 2, parts);
}
/* Where tap number i of filters lies. */
__device__ inline long long filter_tap(const dnn_filters &f, long long i)
{
    const long long x = i % f.taps[2], y = i / f.taps[2] % f.taps[1], z = i / f.taps[2] / f.taps[1];
    return (f.flip ? f.taps[0] - 1 - z : z) * f.tap_step[0] + (f.flip ? f.taps[1] - 1 - y : y) * f.tap_step[1] + (f.flip ? f.taps[2] - 1 - x : x) * f.tap_step[2];
}
/* Gradients have at most 2^31 elements: their places are counted with 32 bits. */
template <class T> __global__ void implicit_filter_sum(dnn_filters f, int count, const float *parts, T *out)
{
    const unsigned taps = (unsigned)(f.taps[0] * f.taps[1] * f.taps[2]), channels = (unsigned)f.channels, padded = (unsigned)f.padded, line = taps * padded;
    const unsigned all = (unsigned)f.rows * taps * channels, wide_ = (unsigned)f.taps[2], high = (unsigned)f.taps[1];
    const long long step = f.rows * line;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
        const unsigned c = i % channels, rest = i / channels, t = rest % taps, k = rest / taps, x = t % wide_, y = t / wide_ % high, z = t / wide_ / high;
        const float *from = parts + (long long)k * line + t * padded + c;
        const long long at = (f.flip ? f.taps[0] - 1 - z : z) * f.tap_step[0] + (f.flip ? f.taps[1] - 1 - y : y) * f.tap_step[1] + (f.flip ? f.taps[2] - 1 - x : x) * f.tap_step[2];
        float s = 0.f;
        int n = 0;
        for (; n + 8 <= count; n += 8) { /* all on their way before the first is added */
            float v[8];
#pragma unroll
            for (int e = 0; e < 8; e++)
                v[e] = from[(n + e) * step];
#pragma unroll
            for (int e = 0; e < 8; e++)
                s += v[e];
        }
        for (; n < count; n++)
            s += from[n * step];
        blend(out + k * f.row_step + c * f.channel_step + at, s, f.alpha, f.beta);
    }
}

/* ---- operands as the kernels want them ---- */
/* An element as the instruction takes it: of a float it would cut bits off, so those are rounded before. */
template <class T> __device__ inline T multiplied(T v) { return v; }
__device__ inline float multiplied(float v) { return __uint_as_float(to_tf32(__float_as_uint(v))); }
/* Filters as [rows, taps, padded channels]. */
template <class T> __global__ void implicit_filters(dnn_filters f, const T *from, T *out)
{
    const long long taps = f.taps[0] * f.taps[1] * f.taps[2];
    EACH_PLACE (i, f.rows * taps * f.padded) {
        const long long c = i % f.padded, t = i / f.padded % taps, r = i / f.padded / taps;
        out[i] = c < f.channels ? multiplied(from[r * f.row_step + c * f.channel_step + filter_tap(f, t)]) : to<T>(0.f);
    }
}
/* Images as [images, places, padded channels]: image blockIdx.z, channels from 64 blockIdx.y on. */
template <class T> __global__ void implicit_turn(int channels, int padded, int places, long long image_step, long long channel_step, long long place_step, const T *from, T *out)
{
    __shared__ T tile[IMPLICIT_TURN_CHANNELS][IMPLICIT_TURN + 2];
    const int c0 = blockIdx.y * IMPLICIT_TURN_CHANNELS, s0 = blockIdx.x * IMPLICIT_TURN;
    const T *image = from + blockIdx.z * image_step;
    for (int i = threadIdx.x; i < IMPLICIT_TURN_CHANNELS * IMPLICIT_TURN; i += DNN_THREADS) {
        const int c = i / IMPLICIT_TURN, s = i % IMPLICIT_TURN;
        tile[c][s] = c0 + c < channels && s0 + s < places ? multiplied(image[(c0 + c) * channel_step + (s0 + s) * place_step]) : to<T>(0.f);
    }
    __syncthreads();
    struct __align__(2 * sizeof(T)) pair {
        T each[2];
    };
    for (int i = threadIdx.x; i < IMPLICIT_TURN_CHANNELS / 2 * IMPLICIT_TURN; i += DNN_THREADS) {
        const int c = i % (IMPLICIT_TURN_CHANNELS / 2) * 2, s = i / (IMPLICIT_TURN_CHANNELS / 2);
        pair v;
        v.each[0] = tile[c][s];
        v.each[1] = tile[c + 1][s];
        if (c0 + c < padded && s0 + s < places)
            *(pair *)(out + ((long long)blockIdx.z * places + s0 + s) * padded + c0 + c) = v;
    }
}

/* Random numbers of cuRAND's host API, made on the device: threads for each sequence, which give what it would give if numbers
 * were taken from the sequences in turn, in rows of ROW. Where there are few sequences and many numbers, several threads share one: each
 * skips what is the others' and makes the rows of `turns` turns. G: a state of rand.h; WHAT: enum rand_what. */
#pragma once
#include "cuda_runtime.h"
#include "device/rand/what.h"

/* ---- one way for all states ---- */
__device__ inline unsigned rand_word(struct __tern_xorwow *s) { return __tern_xorwow_next(s); }
__device__ inline unsigned rand_word(struct __tern_mrg *s) { return __tern_mrg_next(s); }
__device__ inline unsigned rand_word(struct __tern_philox *s) { return __tern_philox_next(s); }
template <class G> __device__ inline float rand_uniformf(G *s) { return __tern_rand_uniformf(rand_word(s)); }
template <> __device__ inline float rand_uniformf<__tern_mrg>(__tern_mrg *s) { return __tern_rand_mrg_uniformf(s); }
template <class G> __device__ inline double rand_uniform(G *s)
{
    const unsigned low = rand_word(s), high = rand_word(s);
    return __tern_rand_uniform(low, high);
}
template <> __device__ inline double rand_uniform<__tern_mrg>(__tern_mrg *s) { return __tern_rand_mrg_uniform(s); }
__device__ inline unsigned rand_poisson(struct __tern_xorwow *s, double mean) { return __tern_xorwow_poisson(s, mean); }
__device__ inline unsigned rand_poisson(struct __tern_mrg *s, double mean) { return __tern_mrg_poisson(s, mean); }
__device__ inline unsigned rand_poisson(struct __tern_philox *s, double mean) { return __tern_philox_poisson(s, mean); }

__device__ inline bool rand_fresh(const struct __tern_philox *s) { return s->used == 0; }
template <class G> __device__ inline bool rand_fresh(const G *) { return false; }
/* MRG32k3a has sequences enough, and its skips cost too much. */
__device__ inline void rand_skip(struct __tern_xorwow *s, unsigned long long words) { __tern_xorwow_skip(s, words); }
__device__ inline void rand_skip(struct __tern_philox *s, unsigned long long words) { __tern_philox_skip(s, words); }
__device__ inline void rand_skip(struct __tern_mrg *, unsigned long long) {}

/* ---- stores ---- */
__device__ inline bool rand_aligned(const void *p, unsigned bytes) { return (unsigned long long)p % bytes == 0; }
__device__ inline void rand_two(float *to, float x, float y)
{
    if (rand_aligned(to, 8)) {
        *(float2 *)to = make_float2(x, y);
    } else {
        to[0] = x;
        to[1] = y;
    }
}
__device__ inline void rand_two(double *to, double x, double y)
{
    if (rand_aligned(to, 16)) {
        *(double2 *)to = make_double2(x, y);
    } else {
        to[0] = x;
        to[1] = y;
    }
}

/* ---- an item: one number, or a pair ---- */
__device__ __forceinline__ void rand_normals(float *to, unsigned u, unsigned v, float mean, float deviation, bool logarithm)
{
    const struct __tern_pairf pair = __tern_rand_normal2f(u, v);
    const float x = mean + deviation * pair.x, y = mean + deviation * pair.y;
    rand_two(to, logarithm ? expf(x) : x, logarithm ? expf(y) : y);
}
template <class G, int WHAT> __device__ inline void rand_item(G *s, void *out, unsigned long long j, double a, double b)
{
    if (WHAT == RAND_WORDS) {
        ((unsigned *)out)[j] = rand_word(s);
    } else if (WHAT == RAND_UNIFORM) {
        ((float *)out)[j] = rand_uniformf(s);
    } else if (WHAT == RAND_UNIFORM_DOUBLE) {
        ((double *)out)[j] = rand_uniform(s);
    } else if (WHAT == RAND_NORMAL || WHAT == RAND_LOG_NORMAL) {
        const unsigned u = rand_word(s), v = rand_word(s);
        rand_normals((float *)out + 2 * j, u, v, (float)a, (float)b, WHAT == RAND_LOG_NORMAL);
    } else if (WHAT == RAND_NORMAL_DOUBLE || WHAT == RAND_LOG_NORMAL_DOUBLE) {
        const double u = rand_uniform(s), v = rand_uniform(s);
        const struct __tern_pair pair = __tern_rand_normal2_of(u, v);
        const double x = a + b * pair.x, y = a + b * pair.y;
        rand_two((double *)out + 2 * j, WHAT == RAND_NORMAL_DOUBLE ? x : exp(x), WHAT == RAND_NORMAL_DOUBLE ? y : exp(y));
    } else {
        ((unsigned *)out)[j] = rand_poisson(s, a);
    }
}

/* A row of four words, or of numbers of one word each, of a block that nothing has been taken from: `to` is the first. */
template <int WHAT> __device__ inline void rand_row(struct __tern_philox *s, unsigned *to, double a, double b)
{
    const unsigned *w = s->out;
    if (WHAT == RAND_NORMAL || WHAT == RAND_LOG_NORMAL) {
        rand_normals((float *)to, w[0], w[1], (float)a, (float)b, WHAT == RAND_LOG_NORMAL);
        rand_normals((float *)to + 2, w[2], w[3], (float)a, (float)b, WHAT == RAND_LOG_NORMAL);
    } else {
        unsigned r[4];
        for (int i = 0; i < 4; i++)
            r[i] = WHAT == RAND_WORDS ? w[i] : __float_as_uint(__tern_rand_uniformf(w[i]));
        if (rand_aligned(to, 16))
            *(uint4 *)to = make_uint4(r[0], r[1], r[2], r[3]);
        else
            for (int i = 0; i < 4; i++)
                to[i] = r[i];
    }
    __tern_philox_blocks(s, 1);
    __tern_philox_block(s->counter, s->key[0], s->key[1], s->out);
}
template <int WHAT, class G> __device__ inline void rand_row(G *, unsigned *, double, double) {}

/* `items` from where the next one is the `next`-th of a turn through all sequences. `after`: where states go; with more than one part
 * another place than `states`, and `next` a multiple of ROW. */
template <class G, int ROW, int WHAT>
__global__ void rand_generate(G *states, G *after, unsigned sequences, unsigned parts, unsigned long long turns, unsigned long long next, void *out,
                              unsigned long long items, double a, double b)
{
    enum {
        DOUBLES = WHAT == RAND_UNIFORM_DOUBLE || WHAT == RAND_NORMAL_DOUBLE || WHAT == RAND_LOG_NORMAL_DOUBLE,
        PAIRS = WHAT == RAND_NORMAL || WHAT == RAND_LOG_NORMAL || WHAT == RAND_NORMAL_DOUBLE || WHAT == RAND_LOG_NORMAL_DOUBLE,
        EACH = ROW > 1 && PAIRS ? 2 : 1,
        WORDS = ROW / EACH * (PAIRS ? 2 : 1) * (DOUBLES ? 2 : 1), /* of a row */
        WHOLE = ROW == 4 && !DOUBLES && WHAT != RAND_POISSON
    };
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, part = thread / sequences, s = thread - part * sequences;
    if (part >= parts)
        return;
    const unsigned long long begin = next / ROW, end_row = (next + items * EACH + ROW - 1) / ROW;
    const unsigned long long row = s >= begin ? s : s + (unsigned long long)sequences;
    const unsigned long long rows = row < end_row ? (end_row - row + sequences - 1) / sequences : 0;
    const unsigned long long from = part * turns, until = from + turns < rows && part + 1 < parts ? from + turns : rows;
    if (from >= until) {
        if (part == 0 && after != states)
            after[s] = states[s];
        return;
    }
    G state = states[s];
    if (from)
        rand_skip(&state, from * WORDS);
    if (ROW == 1) {
        unsigned long long j = row + from * sequences - next;
#pragma unroll 4
        for (unsigned long long i = from; i < until; i++, j += sequences)
            rand_item<G, WHAT>(&state, out, j, a, b);
    } else {
        long long at = (long long)((row + from * sequences) * ROW - next); /* a first row may have begun before */
        for (unsigned long long i = from; i < until; i++, at += (long long)sequences * ROW) {
            unsigned long long j = at <= 0 ? 0 : (unsigned long long)(at + EACH - 1) / EACH, end = (unsigned long long)(at + ROW + EACH - 1) / EACH;
            if (end > items)
                end = items;
            if (WHOLE && end - j == ROW / EACH && rand_fresh(&state))
                rand_row<WHAT>(&state, (unsigned *)out + j * (PAIRS ? 2 : 1), a, b);
            else
                for (; j < end; j++)
                    rand_item<G, WHAT>(&state, out, j, a, b);
        }
    }
    if (until == rows)
        after[s] = state;
}

/* ---- Philox, whole rows ----
 * A row is a block of the sequence's counter, so nothing but the counter goes from row to row: as rand_generate where `next` and the
 * end are multiples of a row, the place is aligned, and no block has been begun. */
template <int WHAT> __device__ __forceinline__ uint4 philox_made(const unsigned *w, float mean, float deviation)
{
    float f[4];
    if (WHAT == RAND_WORDS)
        return make_uint4(w[0], w[1], w[2], w[3]);
    if (WHAT == RAND_UNIFORM) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            f[i] = __tern_rand_uniformf(w[i]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            const struct __tern_pairf pair = __tern_rand_normal2f(w[i], w[i + 1]);
            const float x = mean + deviation * pair.x, y = mean + deviation * pair.y;
            f[i] = WHAT == RAND_LOG_NORMAL ? expf(x) : x;
            f[i + 1] = WHAT == RAND_LOG_NORMAL ? expf(y) : y;
        }
    }
    return make_uint4(__float_as_uint(f[0]), __float_as_uint(f[1]), __float_as_uint(f[2]), __float_as_uint(f[3]));
}

/* As __tern_philox_block; a product of 64 bits is one instruction where its halves would be two, one of them slow. */
__device__ __forceinline__ void philox_rounds(const unsigned *counter, unsigned k0, unsigned k1, unsigned *out)
{
    unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
#pragma unroll
    for (int i = 0; i < 10; i++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
        const unsigned long long p = 0xd2511f53ull * c0, q = 0xcd9e8d57ull * c2;
        c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
        c1 = (unsigned)q;
        c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
        c3 = (unsigned)p;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

template <int WHAT>
__global__ void philox_rows(const struct __tern_philox *states, struct __tern_philox *after, unsigned sequences, unsigned parts, unsigned long long turns,
                            unsigned long long next, uint4 *out, unsigned long long items, double a, double b)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, part = thread / sequences, s = thread - part * sequences;
    if (part >= parts)
        return;
    enum { EACH = WHAT == RAND_NORMAL || WHAT == RAND_LOG_NORMAL ? 2 : 1 };
    const unsigned long long begin = next / 4, end_row = begin + items * EACH / 4;
    const unsigned long long row = s >= begin ? s : s + (unsigned long long)sequences;
    const unsigned long long rows = row < end_row ? (end_row - row + sequences - 1) / sequences : 0;
    const unsigned long long from = part * turns, until = from + turns < rows && part + 1 < parts ? from + turns : rows;
    struct __tern_philox state = states[s];
    __tern_philox_blocks(&state, from);
    if (from < until) {
        const float mean = (float)a, deviation = (float)b;
        const unsigned low = state.counter[0], count = (unsigned)(until - from); /* rows of one call: less than 2^32 blocks */
        uint4 *to = out + (row + from * sequences - begin);
        unsigned counter[4] = {low, state.counter[1], state.counter[2], state.counter[3]};
        if (low + count >= low) {
#pragma unroll 2
            for (unsigned i = 0; i < count; i++, to += sequences) {
                unsigned w[4];
                counter[0] = low + i;
                philox_rounds(counter, state.key[0], state.key[1], w);
                *to = philox_made<WHAT>(w, mean, deviation);
            }
            __tern_philox_blocks(&state, count);
        } else
            for (unsigned i = 0; i < count; i++, to += sequences) { /* the counter's lowest word comes round */
                unsigned w[4];
                __tern_philox_block(state.counter, state.key[0], state.key[1], w);
                *to = philox_made<WHAT>(w, mean, deviation);
                __tern_philox_blocks(&state, 1);
            }
    }
    if (from < until ? until == rows : part == 0 && rows == 0) {
        __tern_philox_block(state.counter, state.key[0], state.key[1], state.out);
        after[s] = state;
    }
}

/* Random numbers of cuRAND's host API, made on the device: a thread for each sequence, which gives what it would give if numbers
 * were taken from the sequences in turn, in rows of ROW. G: a state of rand.h; WHAT: enum rand_what. */
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

/* ---- an item: one number, or a pair ---- */
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
        const struct __tern_pairf pair = __tern_rand_normal2f(u, v);
        const float x = (float)a + (float)b * pair.x, y = (float)a + (float)b * pair.y;
        ((float *)out)[2 * j] = WHAT == RAND_NORMAL ? x : expf(x);
        ((float *)out)[2 * j + 1] = WHAT == RAND_NORMAL ? y : expf(y);
    } else if (WHAT == RAND_NORMAL_DOUBLE || WHAT == RAND_LOG_NORMAL_DOUBLE) {
        const double u = rand_uniform(s), v = rand_uniform(s);
        const struct __tern_pair pair = __tern_rand_normal2_of(u, v);
        const double x = a + b * pair.x, y = a + b * pair.y;
        ((double *)out)[2 * j] = WHAT == RAND_NORMAL_DOUBLE ? x : exp(x);
        ((double *)out)[2 * j + 1] = WHAT == RAND_NORMAL_DOUBLE ? y : exp(y);
    } else {
        ((unsigned *)out)[j] = rand_poisson(s, a);
    }
}

/* A row of four words, or numbers of one word each, of a block that nothing has been taken from. */
template <int WHAT> __device__ inline void rand_row(struct __tern_philox *s, void *out, unsigned long long j)
{
    for (int i = 0; i < 4; i++)
        if (WHAT == RAND_WORDS)
            ((unsigned *)out)[j + i] = s->out[i];
        else
            ((float *)out)[j + i] = __tern_rand_uniformf(s->out[i]);
    __tern_philox_blocks(s, 1);
    __tern_philox_block(s->counter, s->key[0], s->key[1], s->out);
}
template <int WHAT, class G> __device__ inline void rand_row(G *, void *, unsigned long long) {}

/* `items` from where the next one is the `next`-th of a turn through all sequences. */
template <class G, int ROW, int WHAT>
__global__ void rand_generate(G *states, unsigned sequences, unsigned long long next, void *out, unsigned long long items, double a, double b)
{
    enum {
        PAIRS = WHAT == RAND_NORMAL || WHAT == RAND_LOG_NORMAL || WHAT == RAND_NORMAL_DOUBLE || WHAT == RAND_LOG_NORMAL_DOUBLE,
        EACH = ROW > 1 && PAIRS ? 2 : 1,
        WHOLE = ROW == 4 && (WHAT == RAND_WORDS || WHAT == RAND_UNIFORM)
    };
    const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sequences)
        return;
    const unsigned long long begin = next / ROW;
    unsigned long long row = s >= begin ? s : s + (unsigned long long)sequences;
    unsigned long long j = row * ROW <= next ? 0 : (row * ROW - next + EACH - 1) / EACH;
    if (j >= items)
        return;
    G state = states[s];
    for (; j < items; row += sequences) {
        j = row * ROW <= next ? 0 : (row * ROW - next + EACH - 1) / EACH;
        unsigned long long end = ((row + 1) * ROW - next + EACH - 1) / EACH;
        if (end > items)
            end = items;
        if (WHOLE && end - j == ROW && rand_fresh(&state)) {
            rand_row<WHAT>(&state, out, j);
            j = end;
        }
        for (; j < end; j++)
            rand_item<G, WHAT>(&state, out, j, a, b);
        j = ((row + sequences) * ROW - next + EACH - 1) / EACH;
    }
    states[s] = state;
}

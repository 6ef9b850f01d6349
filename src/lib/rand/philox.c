/* Words and uniform floats of Philox on the CPU. Sequences take turns in rows of four numbers, so
 * that neighbouring sequences write neighbouring rows: GROUP of them are computed side by side,
 * which the compiler makes vectors of. What is not a whole row goes number by number. */
#include "lib/rand/rand_int.h"

enum {
    GROUP = 8,
    ROW = 4,
    CHUNK = 64, /* groups whose rows are written one after the other: pieces of 8 KB */
    TASKS_A_CORE = 4
};

#define INLINE static inline __attribute__((always_inline))

struct lanes {
    uint32_t w[4][GROUP];
};

/* The block of each of GROUP counters. */
INLINE void blocks(const struct lanes *c, uint32_t k0, uint32_t k1, struct lanes *out)
{
    struct lanes v = *c;
    for (int i = 0; i < 10; i++) {
        for (int l = 0; l < GROUP; l++) {
            const uint64_t p = (uint64_t)0xd2511f53u * v.w[0][l],
                           q = (uint64_t)0xcd9e8d57u * v.w[2][l];
            v.w[0][l] = (uint32_t)(q >> 32) ^ v.w[1][l] ^ k0;
            v.w[1][l] = (uint32_t)q;
            v.w[2][l] = (uint32_t)(p >> 32) ^ v.w[3][l] ^ k1;
            v.w[3][l] = (uint32_t)p;
        }
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    *out = v;
}

static void write_row(const struct philox_call *c, unsigned long long j, const uint32_t *row)
{
    for (int w = 0; w < ROW; w++)
        if (c->uniform)
            ((float *)c->out)[j + (unsigned)w] = __tern_rand_uniformf(row[w]);
        else
            ((uint32_t *)c->out)[j + (unsigned)w] = row[w];
}

/* The rows of GROUP neighbours. */
INLINE void write_rows(const struct philox_call *c, unsigned long long j, const struct lanes *block)
{
    uint32_t *words = (uint32_t *)c->out + j;
    float *floats = (float *)c->out + j;
    if (c->uniform)
        for (int l = 0; l < GROUP; l++)
            for (int w = 0; w < ROW; w++)
                floats[ROW * l + w] = (float)block->w[w][l] * 0x1p-32f + 0x1p-33f;
    else
        for (int l = 0; l < GROUP; l++)
            for (int w = 0; w < ROW; w++)
                words[ROW * l + w] = block->w[w][l];
}

/* Which row is the first of a sequence. */
static unsigned long long first_row(const struct philox_call *c, unsigned s)
{
    return s >= c->next / ROW ? s : s + (unsigned long long)c->sequences;
}

/* So many whole rows for all of s to s + GROUP, whose numbers begin with a block; 0: none, or not
 * side by side. */
static unsigned long long whole_rows(const struct philox_call *c, unsigned s)
{
    const unsigned long long first = first_row(c, s), last = first_row(c, s + GROUP - 1);
    if (c->next % ROW || last != first + GROUP - 1 || (last + 1) * ROW - c->next > c->items)
        return 0;
    for (unsigned l = 0; l < GROUP; l++)
        if (c->states[s + l].used)
            return 0;
    return ((c->items + c->next) / ROW - (last + 1)) / c->sequences + 1;
}

/* `count` groups from sequence s on, all of so many rows. */
INLINE void chunk(const struct philox_call *c, unsigned s, unsigned count, unsigned long long rows)
{
    struct lanes counter[CHUNK], block[CHUNK];
    struct __tern_philox *states = c->states + s;
    for (unsigned i = 0; i < count * GROUP; i++)
        for (int w = 0; w < 4; w++) {
            counter[i / GROUP].w[w][i % GROUP] = states[i].counter[w];
            block[i / GROUP].w[w][i % GROUP] = states[i].out[w];
        }
    unsigned long long j = first_row(c, s) * ROW - c->next;
    for (unsigned long long r = 0; r < rows; r++, j += (unsigned long long)c->sequences * ROW)
        for (unsigned g = 0; g < count; g++) {
            struct lanes *n = counter + g;
            uint32_t carry = 0;
            write_rows(c, j + g * ROW * GROUP, block + g);
            for (int l = 0; l < GROUP; l++)
                carry |= ++n->w[0][l] == 0;
            if (carry)
                for (int l = 0; l < GROUP; l++)
                    for (int w = 1; w < 4 && !n->w[w - 1][l]; w++)
                        n->w[w][l]++;
            blocks(n, states[0].key[0], states[0].key[1], block + g);
        }
    for (unsigned i = 0; i < count * GROUP; i++)
        for (int w = 0; w < 4; w++) {
            states[i].counter[w] = counter[i / GROUP].w[w][i % GROUP];
            states[i].out[w] = block[i / GROUP].w[w][i % GROUP];
        }
}

/* The same for each length of vectors. */
typedef void chunk_function(const struct philox_call *c, unsigned s, unsigned count,
                            unsigned long long rows);
#define CHUNK_FOR(name, target)                                                                    \
    target static void chunk_##name(const struct philox_call *c, unsigned s, unsigned count,       \
                                    unsigned long long rows)                                       \
    {                                                                                              \
        chunk(c, s, count, rows);                                                                  \
    }
CHUNK_FOR(plain, )
#if defined(__x86_64__)
CHUNK_FOR(avx2, __attribute__((target("avx2"))))
CHUNK_FOR(avx512, __attribute__((target("avx512f,avx512vl,avx512dq"))))
#endif
static chunk_function *chunk_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return chunk_avx512;
    if (__builtin_cpu_supports("avx2"))
        return chunk_avx2;
#endif
    return chunk_plain;
}

/* One sequence, after `rows` rows. */
static void one(const struct philox_call *c, unsigned s, unsigned long long rows)
{
    struct __tern_philox *state = c->states + s;
    unsigned long long row = first_row(c, s) + rows * c->sequences;
    for (;; row += c->sequences) {
        unsigned long long j = row * ROW <= c->next ? 0 : row * ROW - c->next,
                           end = (row + 1) * ROW - c->next;
        if (j >= c->items)
            return;
        if (end > c->items)
            end = c->items;
        if (end - j == ROW && !state->used) {
            write_row(c, j, state->out);
            __tern_philox_blocks(state, 1);
            __tern_philox_block(state->counter, state->key[0], state->key[1], state->out);
            continue;
        }
        for (; j < end; j++) {
            const uint32_t word = __tern_philox_next(state);
            if (c->uniform)
                ((float *)c->out)[j] = __tern_rand_uniformf(word);
            else
                ((uint32_t *)c->out)[j] = word;
        }
    }
}

static void run(const tern_thread *t, void *args)
{
    const struct philox_call *c = args;
    const unsigned long long groups = (c->sequences + GROUP - 1) / GROUP;
    unsigned s = (unsigned)(groups * t->block.x / c->tasks * GROUP),
             end = (unsigned)(groups * (t->block.x + 1) / c->tasks * GROUP);
    if (end > c->sequences)
        end = c->sequences;
    while (s < end) {
        /* As many groups as have the same number of rows, one behind the other. */
        const unsigned long long rows = s + GROUP <= end ? whole_rows(c, s) : 0;
        unsigned count = 1;
        while (rows && count < CHUNK && s + (count + 1) * GROUP <= end &&
               first_row(c, s + count * GROUP) == first_row(c, s) + count * GROUP &&
               whole_rows(c, s + count * GROUP) == rows)
            count++;
        if (rows)
            chunk_here()(c, s, count, rows);
        for (unsigned l = s; l < s + count * GROUP && l < end; l++)
            one(c, l, rows);
        s += count * GROUP;
    }
}

enum tern_error rand_philox(const struct lib_device *d, cudaStream_t stream, struct philox_call *c)
{
    tern_stream *s;
    const enum tern_error e = tern_cuda_stream(d->device, stream, &s);
    const unsigned most = d->threads * TASKS_A_CORE, worth = c->sequences / (CHUNK * GROUP) + 1;
    c->tasks = worth < most ? worth : most;
    return e ? e
             : tern_launch_function(s, run, (tern_dim){c->tasks}, (tern_dim){1}, 0, c, sizeof *c);
}

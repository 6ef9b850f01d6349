/* Which kernel does a step, and in how many threads: plain C, which pages have, too
 * (web/library/plan.c). */
#include <stdio.h>
#include "lib/fft/fft_int.h"

enum {
    SPLIT_THREADS = 256,
    PACKED_LINES = 128,
    GOOD_THREADS = 128 /* a block is made of several lines until it has so many */
};

static const char *const type_names[] = {
    [FFT_F32] = "float", [FFT_F64] = "double", [FFT_F16] = "__half", [FFT_BF16] = "__nv_bfloat16"};

static size_t shared_of(const struct fft_program *p, int64_t n, int64_t lines)
{
    return (size_t)(lines * FFT_SPAN(n, lines, p->wide)) * (p->wide ? 16 : 8);
}

/* Radices of kernels, which have more of them than the CPU: fewer stages are fewer ways through
 * shared memory. */
static void kernel_radices(const struct fft_program *p, struct fft_stage_plan *s)
{
    int count[14] = {0}, n = 0;
    for (int r = 0; r < s->nradices; r++) {
        const int radix = s->radices[r];
        if (radix % 2)
            count[radix]++;
        else
            count[2] += radix == 2 ? 1 : radix == 4 ? 2 : 3;
    }
    for (int radix = 13; radix >= 7; radix -= 2)
        for (int k = 0; k < count[radix]; k++)
            s->radices[n++] = radix;
    for (; count[5]; count[5]--)
        s->radices[n++] = count[2] ? (count[2]--, 10) : 5;
    for (; count[3] >= 2; count[3] -= 2)
        s->radices[n++] = 9;
    if (count[3]) {
        const int twos = count[2] < 2 ? count[2] : 2;
        s->radices[n++] = 3 << twos;
        count[2] -= twos;
    }
    const int most = p->wide || p->limits.plain || count[2] == 5 || count[2] == 6 ? 3 : 4;
    if (s->n == 16) { /* neighbours in memory are read by neighbours, too */
        s->radices[n++] = 4;
        count[2] -= 2;
    }
    for (int stages = (count[2] + most - 1) / most; stages > 0; stages--) { /* as even as can be */
        const int take = (count[2] + stages - 1) / stages;
        s->radices[n++] = 1 << take;
        count[2] -= take;
    }
    s->nradices = n;
}

/* Threads for a line: those with which the fewest of them wait, and the most of those. */
static int64_t line_threads(const struct fft_program *p, const struct fft_stage_plan *s)
{
    int64_t best = 1, least = INT64_MAX;
    int64_t most = p->limits.plain ? 1 : p->wide ? 12 : 20; /* elements that one has */
    for (int r = 0; r < s->nradices; r++)
        if (s->radices[r] > most)
            most = s->radices[r];
    for (int64_t threads = 1; threads <= s->n && threads <= (int64_t)p->limits.max_threads;
         threads++) {
        int64_t cost = 0;
        bool fits = true;
        for (int r = 0; r < s->nradices; r++) {
            const int64_t all = s->n / s->radices[r], each = (all + threads - 1) / threads;
            fits = fits && each * s->radices[r] <= most;
            cost += each * s->radices[r] * threads;
        }
        if (fits && cost <= least) {
            best = threads;
            least = cost;
        }
    }
    if (least == INT64_MAX) /* a line that is too long for it: so many as there may be */
        best = p->limits.max_threads;
    return best;
}

/* Short lines that lie one after the other. */
static bool packed(const struct fft_program *p, const struct fft_stage_plan *s)
{
    enum { LONGEST = 16, OTHERS = ~(FFT_SWAP_IN | FFT_SWAP_OUT) };
    static const bool one[LONGEST + 1] = {
        [2] = 1, [3] = 1,  [4] = 1,  [5] = 1,  [6] = 1,  [7] = 1, [8] = 1,
        [9] = 1, [10] = 1, [11] = 1, [12] = 1, [13] = 1, [16] = 1};
    const struct fft_step *t = &s->step;
    const struct fft_loop *l = t->loops;
    return !p->limits.plain && s->n <= LONGEST && one[s->n] && s->load == FFT_LOAD_COMPLEX &&
           s->store == FFT_STORE_COMPLEX && !(s->flags & OTHERS) && t->in_stride == 1 &&
           t->in_step == 1 && t->out_stride == 1 && t->out_step == 1 && t->nloops == 1 &&
           l->in_apart == s->n && l->out_apart == s->n && !l->in_index && !l->out_index &&
           PACKED_LINES * (s->n | 1) * (p->wide ? 16 : 8) <= (int64_t)p->limits.shared;
}

/* How a block is made: threads for a line, lines for a block. */
static void shape(const struct fft_program *p, struct fft_stage_plan *s)
{
    s->packed = packed(p, s);
    if (s->packed) {
        s->wide = PACKED_LINES;
        s->threads = 1;
        return;
    }
    kernel_radices(p, s);
    const int64_t threads = line_threads(p, s);
    int64_t wide = 1;
    const bool across = s->flags & (FFT_LOAD_ACROSS | FFT_STORE_ACROSS);
    const int64_t good = across && threads * 8 > GOOD_THREADS ? threads * 8 : GOOD_THREADS;
    while (wide < s->step.lines && 2 * wide * threads <= good &&
           2 * wide * threads <= (int64_t)p->limits.max_threads &&
           shared_of(p, s->n, 2 * wide) <= p->limits.shared)
        wide *= 2;
    s->threads = (int)threads;
    s->wide = (int)wide;
    if ((s->step.lines + wide - 1) / wide > p->limits.blocks)
        s->flags |= FFT_AGAIN;
}

static void name_of(const struct fft_program *p, const struct fft_stage_plan *s,
                    char name[FFT_KERNEL_NAME])
{
    const size_t size = FFT_KERNEL_NAME;
    const char *real = p->wide ? "double" : "float";
    if (!s->n) {
        snprintf(name, size, "fft_split_lines<%s, %s, %d>", real, type_names[s->out_type],
                 s->step.nloops);
        return;
    }
    if (s->packed) {
        snprintf(name, size, "fft_packed<%s, %s, %s, %d, %d, %d>", real, type_names[s->in_type],
                 type_names[s->out_type], (int)s->n, s->wide, s->flags);
        return;
    }
    unsigned long long radices = 0;
    for (int r = s->nradices - 1; r >= 0; r--)
        radices = radices << 4 | (s->radices[r] == 16 ? 15u : (unsigned)s->radices[r]);
    if (!s->nradices)
        radices = 1;
    snprintf(name, size, "fft_lines<%s, %s, %s, %d, %d, %d, %llu, %d, %d, %d, %d>", real,
             type_names[s->in_type], type_names[s->out_type], (int)s->n, s->wide, s->threads,
             radices, (int)s->load, (int)s->store, s->flags, s->step.nloops);
}

void fft_shape(const struct fft_program *p, struct fft_stage_plan *s, char name[FFT_KERNEL_NAME])
{
    if (s->n)
        shape(p, s);
    name_of(p, s, name);
}

struct fft_launch fft_launch_of(const struct fft_program *p, const struct fft_stage_plan *s)
{
    const struct fft_step *t = &s->step;
    const int64_t all = s->n ? (t->lines + s->wide - 1) / s->wide
                             : (t->lines * (t->real_n / 4 + 1) + SPLIT_THREADS - 1) / SPLIT_THREADS;
    return (struct fft_launch){
        .blocks = (uint32_t)(all < p->limits.blocks ? all : p->limits.blocks),
        .threads = s->n ? (uint32_t)(s->wide * s->threads) : SPLIT_THREADS,
        .shared = s->n && !s->packed ? (uint32_t)shared_of(p, s->n, s->wide) : 0};
}

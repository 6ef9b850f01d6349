/* Which lines of a step go to which task. */
#include "lib/fft/host/host.h"
#include "lib/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 1 << 15, /* elements: a plan of fewer is one task, all steps in it */
    TASK = 1 << 13,  /* elements that are worth a task of their own */
    TASKS_A_CORE = 4,
    MAX_TOGETHER = 8 /* steps in one task */
};

static const struct host_vectors *vectors(void)
{
    static const struct host_vectors *const all[] = {
#if defined(__x86_64__)
        &fft_host_avx512,
        &fft_host_avx2,
#endif
        &fft_host_vec
    };
    size_t k = 0;
    while (!all[k]->works())
        k++;
    return all[k];
}

int64_t fft_host_longest(bool wide, bool across)
{
    (void)wide; /* a vector of doubles is half as many lines */
    return across ? 16384 / vectors()->bytes : 64;
}

/* ---- elements ---- */

/* Rounded once: through a float it would be twice. */
static uint16_t to_half(double v)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    v = fabs(v);
    if (isnan(v))
        return sign | 0x7e00;
    if (v >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexp(v, &exponent);
    if (v == 0 || exponent < -13)
        exponent = -13; /* zero, subnormal */
    const double units = nearbyint(ldexp(v, 11 - exponent));
    const int field = exponent + 14;
    /* A fraction that rounds up to the next power carries into the exponent. */
    return (uint16_t)(sign | ((unsigned)(field - 1) * 1024u + (unsigned)units));
}

double fft_host_get(enum fft_type type, const void *p, int64_t at)
{
    switch (type) {
    case FFT_F32: return (double)((const float *)p)[at];
    case FFT_F64: return ((const double *)p)[at];
    case FFT_F16: return lib_half(((const uint16_t *)p)[at]);
    default: return lib_bfloat(((const uint16_t *)p)[at]);
    }
}

void fft_host_put(enum fft_type type, void *p, int64_t at, double v)
{
    switch (type) {
    case FFT_F32: ((float *)p)[at] = (float)v; break;
    case FFT_F64: ((double *)p)[at] = v; break;
    case FFT_F16: ((uint16_t *)p)[at] = to_half(v); break;
    default: ((uint16_t *)p)[at] = narrow_to_bf16((float)v);
    }
}

void fft_host_move(const struct fft_loop *l, int64_t places, struct host_at *at)
{
    at->in += places * l->in_apart;
    at->in_index += places * l->in_index;
    at->out += places * l->out_apart;
    at->out_index += places * l->out_index;
    at->twiddle += places * l->twiddle;
}

void fft_host_start(const struct fft_step *s, int64_t line, struct host_walk *w)
{
    *w = (struct host_walk){0};
    for (int l = 0; l < s->nloops; l++) {
        w->place[l] = l + 1 < s->nloops ? line % s->loops[l].count : line;
        line /= s->loops[l].count;
        fft_host_move(s->loops + l, w->place[l], &w->at);
    }
}

void fft_host_next(const struct fft_step *s, struct host_walk *w, int64_t lines)
{
    for (int l = 0; l < s->nloops; l++, lines = 1) {
        fft_host_move(s->loops + l, lines, &w->at);
        w->place[l] += lines;
        if (w->place[l] < s->loops[l].count || l + 1 == s->nloops)
            return;
        fft_host_move(s->loops + l, -w->place[l], &w->at);
        w->place[l] = 0;
    }
}

void fft_host_split(const struct host_step *h, int64_t first, int64_t end)
{
    const struct fft_step *s = &h->s;
    const enum fft_type type = h->wide ? FFT_F64 : FFT_F32;
    const int64_t half = s->real_n / 2;
    struct host_walk walk;
    fft_host_start(s, first, &walk);
    for (int64_t line = first; line < end; line++, fft_host_next(s, &walk, 1)) {
        const struct host_at at = walk.at;
        for (int64_t k = 0; k <= half; k++) {
            const int64_t i = at.in + (k == half ? 0 : k), j = at.in + (k ? half - k : 0),
                          to = at.out + k * s->out_stride;
            const double ax = fft_host_get(type, s->in, 2 * i),
                         ay = fft_host_get(type, s->in, 2 * i + 1),
                         bx = fft_host_get(type, s->in, 2 * j),
                         by = fft_host_get(type, s->in, 2 * j + 1),
                         c = fft_host_get(type, s->real_roots, 2 * k),
                         d = fft_host_get(type, s->real_roots, 2 * k + 1);
            const double ox = ay + by, oy = bx - ax;
            fft_host_put(h->out_type, s->out, 2 * to, 0.5 * (ax + bx + ox * c - oy * d));
            fft_host_put(h->out_type, s->out, 2 * to + 1, 0.5 * (ay - by + ox * d + oy * c));
        }
    }
}

/* ---- tasks ---- */

struct call {
    int nsteps, tasks;
    bool wide;
    char *buffers;
    size_t buffer_bytes;
    struct host_step steps[MAX_TOGETHER];
};

static struct host_step host_step(const struct fft_program *p, const struct fft_stage_plan *s,
                                  const struct fft_memory *m)
{
    struct host_step h = {.s = fft_resolve(p, s, m),
                          .n = s->n,
                          .nradices = s->nradices,
                          .load = s->load,
                          .store = s->store,
                          .in_type = s->in_type,
                          .out_type = s->out_type,
                          .flags = s->flags,
                          .wide = p->wide};
    memcpy(h.radices, s->radices, sizeof h.radices);
    return h;
}

/* Lines that a task takes are whole groups. */
static int64_t part(int64_t lines, int64_t group, int64_t task, int64_t tasks)
{
    const int64_t groups = (lines + group - 1) / group, at = groups * task / tasks * group;
    return at < lines ? at : lines;
}

static void run_step(const struct host_step *h, int64_t task, int64_t tasks, void *buffer)
{
    const struct host_vectors *v = vectors();
    const int64_t group = HOST_GROUP * v->bytes / (h->wide ? 8 : 4),
                  first = part(h->s.lines, group, task, tasks),
                  end = part(h->s.lines, group, task + 1, tasks);
    if (!h->n)
        fft_host_split(h, first, end);
    else if (h->wide)
        v->f64(h, first, end, buffer);
    else
        v->f32(h, first, end, buffer);
}

static void run(const tern_thread *t, void *args)
{
    const struct call *c = args;
    const int64_t task = t->block.x;
    for (int k = 0; k < c->nsteps; k++)
        run_step(c->steps + k, task, c->tasks, c->buffers + (size_t)task * c->buffer_bytes);
}

/* ---- programs ---- */

static int64_t elements(const struct fft_stage_plan *s)
{
    return s->step.lines * (s->n ? s->n : s->step.real_n / 2 + 1);
}

size_t fft_host_buffer(const struct fft_program *p)
{
    size_t most = 0;
    for (int k = 0; k < p->nsteps; k++) {
        const size_t bytes =
            (HOST_GROUP + 1) * 2 * (size_t)(p->steps[k].n + 1) * (size_t)vectors()->bytes;
        most = bytes > most ? bytes : most;
    }
    return (most + 255) & ~(size_t)255;
}

unsigned fft_host_tasks(unsigned units)
{
    return units * TASKS_A_CORE;
}

enum tern_error fft_host_run(const struct lib_device *d, cudaStream_t stream,
                             const struct fft_program *p, const struct fft_memory *m)
{
    tern_stream *s;
    enum tern_error e = tern_cuda_stream(d->device, stream, &s);
    struct call c = {
        .wide = p->wide, .buffers = m->work + p->buffer_at, .buffer_bytes = p->buffer_bytes};
    for (int k = 0; k < p->nsteps && !e; k += c.nsteps) {
        int64_t all = 0;
        /* Steps in one task need not wait for each other. */
        for (c.nsteps = 0; c.nsteps < MAX_TOGETHER && k + c.nsteps < p->nsteps; c.nsteps++) {
            const int64_t more = elements(p->steps + k + c.nsteps);
            if (c.nsteps && all + more > SMALL)
                break;
            all += more;
            c.steps[c.nsteps] = host_step(p, p->steps + k + c.nsteps, m);
        }
        const int64_t most = fft_host_tasks(p->limits.units), worth = all / TASK;
        c.tasks = c.nsteps > 1 || worth < 1 ? 1 : (int)(worth < most ? worth : most);
        e = tern_launch_function(s, run, (tern_dim){(uint32_t)c.tasks}, (tern_dim){1}, 0, &c,
                                 offsetof(struct call, steps) +
                                     (size_t)c.nsteps * sizeof c.steps[0]);
    }
    return e;
}

bool fft_host_spectrum(int64_t n, double *x)
{
    const struct fft_problem problem = {.rank = 1,
                                        .n = {n},
                                        .batch = 1,
                                        .in = {{1}, n},
                                        .out = {{1}, n},
                                        .in_type = FFT_F64,
                                        .out_type = FFT_F64,
                                        .wide = true};
    const struct fft_limits limits = {.host = true, .units = 1};
    struct fft_program *p = malloc(sizeof *p);
    char *tables = NULL, *work = NULL;
    bool good = p && fft_program_of(&problem, &limits, p) && (tables = fft_tables(p)) &&
                (work = malloc(p->work_bytes));
    if (good) {
        const struct fft_memory m = {x, x, work, tables};
        for (int k = 0; k < p->nsteps; k++) {
            const struct host_step h = host_step(p, p->steps + k, &m);
            run_step(&h, 0, 1, work + p->buffer_at);
        }
    }
    free(work);
    free(tables);
    free(p);
    return good;
}

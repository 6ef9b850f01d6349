/* Plans of Fourier transforms as a WebAssembly module, tern-fft.wasm: cuFFT's own planner
 * (src/lib/fft), and what it comes to as JSON.
 *
 * The package calls tern_fft_plan and finds the text where it says (0: no memory):
 *   work     bytes of a work area
 *   tables   [address, bytes] of roots of unity and the like, in this module's memory
 *   steps    in order: kernel (its name in C++), blocks, threads, shared; bytes: [address, bytes]
 * of the kernel's one argument, a struct fft_step as devices have it, without its pointers;
 *            pointers: [offset in it, area, offset there], area 0 input, 1 output, 2 work, 3 tables
 * All of it lasts until the next call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/fft/fft_int.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- what the planner has in C functions elsewhere ---- */

/* Kernels do the steps: never asked for. */
int64_t fft_host_longest(bool wide, bool across)
{
    (void)wide, (void)across;
    abort();
}
size_t fft_host_buffer(const struct fft_program *p)
{
    (void)p;
    abort();
}
unsigned fft_host_tasks(unsigned units)
{
    (void)units;
    abort();
}

/* A transform of n complex numbers that are `apart`, by its smallest prime first. roots: of order
 * n * apart. */
static void transform(int64_t n, const double *x, int64_t apart, double *out, const double *roots)
{
    double part[26]; /* lengths of convolutions are made of 2, 3 and 5 */
    if (n == 1) {
        memcpy(out, x, 2 * sizeof *out);
        return;
    }
    int64_t p = 2;
    while (n % p)
        p++;
    const int64_t m = n / p, order = n * apart;
    for (int64_t r = 0; r < p; r++)
        transform(m, x + 2 * r * apart, apart * p, out + 2 * r * m, roots);
    for (int64_t k = 0; k < m; k++) {
        for (int64_t r = 0; r < p; r++)
            memcpy(part + 2 * r, out + 2 * (k + r * m), 2 * sizeof *part);
        for (int64_t q = 0; q < p; q++) {
            double re = 0, im = 0;
            for (int64_t r = 0; r < p; r++) {
                const double *w = roots + 2 * (r * (k + q * m) * apart % order);
                re += part[2 * r] * w[0] - part[2 * r + 1] * w[1];
                im += part[2 * r] * w[1] + part[2 * r + 1] * w[0];
            }
            out[2 * (k + q * m)] = re;
            out[2 * (k + q * m) + 1] = im;
        }
    }
}

bool fft_host_spectrum(int64_t n, double *x)
{
    double *roots = malloc((size_t)n * 4 * sizeof *roots);
    if (!roots)
        return false;
    double *copy = roots + 2 * n;
    for (int64_t k = 0; k < n; k++)
        fft_root(k, n, roots + 2 * k);
    memcpy(copy, x, (size_t)n * 2 * sizeof *x);
    transform(n, copy, 1, x, roots);
    free(roots);
    return true;
}

/* ---- steps as devices have them ---- */

/* Pointers come first in a step, and a device's have eight bytes. */
enum {
    POINTERS = 9,
    HERE = offsetof(struct fft_step, lines),
    THERE = POINTERS * 8,
    STEP_BYTES = THERE + (int)sizeof(struct fft_step) - HERE
};
_Static_assert(HERE == (POINTERS * (int)sizeof(void *) + 7) / 8 * 8 &&
                   offsetof(struct fft_step, product) == (POINTERS - 1) * sizeof(void *),
               "a step begins with its pointers");

enum area { INPUT, OUTPUT, WORK, TABLES };

static struct {
    struct fft_program program;
    void *tables;
    unsigned char bytes[FFT_STEPS][STEP_BYTES];
    char text[FFT_STEPS * 768 + 256];
    size_t used;
} plan;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    plan.used += (size_t)vsnprintf(plan.text + plan.used, sizeof plan.text - plan.used, format, ap);
    va_end(ap);
}

static void say_pointer(int which, enum area area, size_t offset)
{
    say("%s[%d, %d, %zu]", plan.text[plan.used - 1] == '[' ? "" : ", ", which * 8, (int)area,
        offset);
}

static void say_step(const struct fft_program *p, int k)
{
    static const enum area areas[] = {[FFT_IN] = INPUT, [FFT_OUT] = OUTPUT, [FFT_WORK] = WORK};
    struct fft_stage_plan *s = (struct fft_stage_plan *)&p->steps[k];
    char name[FFT_KERNEL_NAME];
    fft_shape(p, s, name);
    const struct fft_launch l = fft_launch_of(p, s);
    unsigned char *bytes = plan.bytes[k];
    memset(bytes, 0, THERE);
    memcpy(bytes + THERE, (const unsigned char *)&s->step + HERE, STEP_BYTES - THERE);
    say("%s{\"kernel\": \"%s\", \"blocks\": %u, \"threads\": %u, \"shared\": %u, \"bytes\": "
        "[%zu, %d], \"pointers\": [",
        k ? ", " : "", name, l.blocks, l.threads, l.shared, (size_t)bytes, (int)STEP_BYTES);
    say_pointer(0, areas[s->from], s->in_offset);
    say_pointer(1, areas[s->to], s->out_offset);
    const int tables[POINTERS] = {
        -1, -1, s->roots, s->fine, s->coarse, s->twiddles, s->real_roots, s->chirp, s->product};
    for (int t = 2; t < POINTERS; t++)
        if (tables[t] >= 0)
            say_pointer(t, TABLES, p->tables[tables[t]].offset);
    say("]}");
}

/* kind: 0 complex, 1 from reals, 2 to reals; n[rank], the last axis the fastest. */
EXPORT(tern_fft_plan)
const char *tern_fft_plan(int rank, int n0, int n1, int n2, int batch, int kind, int backwards,
                          int wide, int shared, int threads, int plain)
{
    const enum fft_type type = wide ? FFT_F64 : FFT_F32;
    struct fft_problem problem = {.rank = rank,
                                  .n = {n0, n1, n2},
                                  .batch = batch,
                                  .in_type = type,
                                  .out_type = type,
                                  .in_real = kind == 1,
                                  .out_real = kind == 2,
                                  .backwards = kind == 2 || backwards,
                                  .wide = wide,
                                  .packed = true};
    const struct fft_limits limits = {.shared = (size_t)shared,
                                      .units = 1,
                                      .max_threads = (unsigned)threads,
                                      .blocks = 65535,
                                      .plain = plain};
    fft_problem_pack(&problem, false);
    free(plan.tables);
    plan.tables = NULL;
    if (!fft_program_of(&problem, &limits, &plan.program))
        return NULL;
    plan.tables = fft_tables(&plan.program);
    if (!plan.tables)
        return NULL;
    plan.used = 0;
    say("{\"work\": %zu, \"tables\": [%zu, %zu], \"steps\": [", plan.program.work_bytes,
        (size_t)plan.tables, plan.program.table_bytes);
    for (int k = 0; k < plan.program.nsteps; k++)
        say_step(&plan.program, k);
    say("]}");
    return plan.text;
}

/* PTX in: how fast text becomes optimised IR, and how fast the code is that comes of it on the CPU,
 * against code from the CUDA source that the PTX was made of.
 *
 *   bench TEXT.ptx               megabytes a second
 *   bench TEXT.ptx SOURCE.cu     also the code, each kernel and their geometric mean */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../bench.h"
#include "driver/pipeline.h"
#include "tern/tern.h"

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double to_ir(const char *path, const char *text, size_t n)
{
    double least = 1e9;
    for (int i = 0; i < 10; i++) {
        struct compilation c;
        struct compile_options o = {.path = path, .level = 2};
        const double start = now(CLOCK_THREAD_CPUTIME_ID);
        if (compile_source(&c, &o, text, n) != TERN_OK)
            exit(1);
        const double took = now(CLOCK_THREAD_CPUTIME_ID) - start;
        compile_free(&c);
        least = took < least ? took : least;
    }
    return least;
}

enum { N = 65536, ROUNDS = 1500 };

struct side {
    tern_module *module;
    tern_kernel *kernel;
    tern_buffer *buffers[3];
    uint64_t at[3];
    double least;
};

static void prepare(tern_device *d, struct side *s, const char *name)
{
    static float host[N];
    s->least = 1e9;
    if (tern_module_kernel(s->module, name, &s->kernel))
        exit(1);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < N; j++)
            host[j] = (float)((j * (i + 3) * 37) % 1000) * 0.001f;
        if (tern_buffer_new(d, sizeof host, &s->buffers[i]) ||
            tern_buffer_write(s->buffers[i], 0, host, sizeof host))
            exit(1);
        s->at[i] = tern_buffer_address(s->buffers[i]);
    }
}

static void run(tern_device *d, struct side *s)
{
    int n = N;
    void *args[] = {&s->at[0], &s->at[1], &s->at[2], &n};
    const double start = now(CLOCK_MONOTONIC);
    if (tern_launch(NULL, s->kernel, (tern_dim){N / 256}, (tern_dim){256}, 0, args) ||
        tern_device_wait(d))
        exit(1);
    const double took = now(CLOCK_MONOTONIC) - start;
    s->least = took < s->least ? took : s->least;
}

static void finish(struct side *s, float *out)
{
    tern_buffer_read(s->buffers[0], 0, out, N * sizeof *out);
    for (int i = 0; i < 3; i++)
        tern_buffer_free(s->buffers[i]);
}

int main(int argc, char **argv)
{
    static const char *const kernels[] = {"saxpy",    "stencil", "polynomial", "reduce",
                                          "branches", "tiled",   "gather",     "warp_sum"};
    static float first[N], second[N];
    size_t n, m;
    char *ptx = argc > 1 ? bench_read(argv[1], &n) : NULL;
    if (!ptx)
        return 2;
    const double took = to_ir(argv[1], ptx, n);
    printf("PTX to optimised IR, %.1f MB\t%.3g\tMB/s\t1\n", (double)n * 1e-6,
           (double)n * 1e-6 / took);
    char *source = argc > 3 ? bench_read(argv[3], &m) : NULL;
    char *small = source ? bench_read(argv[2], &n) : NULL;
    if (!small)
        return 0;
    tern_context *c;
    tern_device *d;
    struct side from_ptx, from_source;
    if (tern_context_new(&(struct tern_options){.devices = "cpu"}, &c) ||
        tern_context_device(c, 0, &d) ||
        tern_module_new(d, &(struct tern_source){.text = small, .path = argv[2]},
                        &from_ptx.module) ||
        tern_module_new(d, &(struct tern_source){.text = source, .path = argv[3]},
                        &from_source.module))
        return 1;
    double product = 1;
    const unsigned count = sizeof kernels / sizeof *kernels;
    for (unsigned k = 0; k < count; k++) {
        prepare(d, &from_source, kernels[k]);
        prepare(d, &from_ptx, kernels[k]);
        for (int r = 0; r < ROUNDS; r++) { /* in turns: what else the machine does hits both */
            run(d, &from_source);
            run(d, &from_ptx);
        }
        finish(&from_source, first);
        finish(&from_ptx, second);
        const double a = from_source.least, b = from_ptx.least;
        for (int i = 0; i < N; i++)
            if (fabsf(first[i] - second[i]) > 1e-4f * fabsf(first[i]))
                return fprintf(stderr, "%s: %g, not %g\n", kernels[k], (double)second[i],
                               (double)first[i]),
                       1;
        printf("%s: code from PTX / from source\t%.3g\tx\t0\n", kernels[k], a / b);
        product *= a / b;
    }
    printf("geometric mean of those\t%.3g\tx\t0.9\n", pow(product, 1.0 / count));
    return 0;
}

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

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, *n + 1);
    if (text && fread(text, 1, *n, f) != *n)
        text = NULL;
    fclose(f);
    return text;
}

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
        struct compile_options o = {.path = path, .level = 2, .fmad = true, .arch = 800};
        const double start = now(CLOCK_THREAD_CPUTIME_ID);
        if (compile_source(&c, &o, text, n) != TERN_OK)
            exit(1);
        const double took = now(CLOCK_THREAD_CPUTIME_ID) - start;
        compile_free(&c);
        least = took < least ? took : least;
    }
    return least;
}

enum { N = 65536, ROUNDS = 400 };

static double run(tern_device *d, tern_module *m, const char *name, float *out)
{
    tern_kernel *k;
    tern_buffer *b[3];
    static float host[N];
    uint64_t at[3];
    int n = N;
    double least = 1e9;
    if (tern_module_kernel(m, name, &k))
        exit(1);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < N; j++)
            host[j] = (float)((j * (i + 3) * 37) % 1000) * 0.001f;
        if (tern_buffer_new(d, sizeof host, &b[i]) || tern_buffer_write(b[i], 0, host, sizeof host))
            exit(1);
        at[i] = tern_buffer_address(b[i]);
    }
    void *args[] = {&at[0], &at[1], &at[2], &n};
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now(CLOCK_MONOTONIC);
        if (tern_launch(NULL, k, (tern_dim){N / 256}, (tern_dim){256}, 0, args) ||
            tern_device_wait(d))
            exit(1);
        const double took = now(CLOCK_MONOTONIC) - start;
        least = took < least ? took : least;
    }
    tern_buffer_read(b[0], 0, out, sizeof host);
    for (int i = 0; i < 3; i++)
        tern_buffer_free(b[i]);
    return least;
}

int main(int argc, char **argv)
{
    static const char *const kernels[] = {"saxpy",    "stencil", "polynomial", "reduce",
                                          "branches", "tiled",   "gather",     "warp_sum"};
    static float first[N], second[N];
    size_t n, m;
    char *ptx = argc > 1 ? slurp(argv[1], &n) : NULL;
    if (!ptx)
        return 2;
    const double took = to_ir(argv[1], ptx, n);
    printf("PTX to optimised IR, %.1f MB\t%.3g\tMB/s\t1\n", (double)n * 1e-6,
           (double)n * 1e-6 / took);
    char *source = argc > 3 ? slurp(argv[3], &m) : NULL;
    char *small = source ? slurp(argv[2], &n) : NULL;
    if (!small)
        return 0;
    tern_context *c;
    tern_device *d;
    tern_module *from_ptx, *from_source;
    if (tern_context_new(&(struct tern_options){.devices = "cpu"}, &c) ||
        tern_context_device(c, 0, &d) ||
        tern_module_new(d, &(struct tern_source){.text = small, .path = argv[2]}, &from_ptx) ||
        tern_module_new(d, &(struct tern_source){.text = source, .path = argv[3]}, &from_source))
        return 1;
    double product = 1;
    const unsigned count = sizeof kernels / sizeof *kernels;
    for (unsigned k = 0; k < count; k++) {
        const double a = run(d, from_source, kernels[k], first),
                     b = run(d, from_ptx, kernels[k], second);
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

/* Kernels on the CPU device against OpenMP C, OpenBLAS and PoCL, alternating in one run, best of
 * several. Prints lines of name, value, unit and goal: see bench/run. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include "rivals.h"
#include "driver/pipeline.h"
#include "rt/rt.h"

struct work {
    const char *name;
    int n;
    uint32_t grid[2], block[2];
    int count[3];    /* elements of the three buffers */
    bool ints, zero; /* first buffer holds indices; last is cleared before each run */
    void (*omp)();
    double flops, bytes; /* of one run */
};
#define M (1 << 20)
static const struct work works[] = {
    {"vector_add",
     8 * M,
     {32768, 1},
     {256, 1},
     {8 * M, 8 * M, 8 * M},
     false,
     false,
     (void (*)())omp_vector_add,
     0,
     96.0 * M},
    {"saxpy",
     8 * M,
     {32768, 1},
     {256, 1},
     {8 * M, 8 * M, 1},
     false,
     false,
     (void (*)())omp_saxpy,
     0,
     96.0 * M},
    {"dot_product",
     8 * M,
     {2048, 1},
     {256, 1},
     {8 * M, 8 * M, 2048},
     false,
     false,
     (void (*)())omp_dot_product,
     0,
     64.0 * M},
    {"sgemm_naive",
     768,
     {48, 48},
     {16, 16},
     {768 * 768, 768 * 768, 768 * 768},
     false,
     false,
     (void (*)())omp_sgemm,
     2.0 * 768 * 768 * 768,
     0},
    {"sgemm_tiled",
     768,
     {48, 48},
     {16, 16},
     {768 * 768, 768 * 768, 768 * 768},
     false,
     false,
     (void (*)())omp_sgemm,
     2.0 * 768 * 768 * 768,
     0},
    {"sgemm_registers",
     768,
     {12, 12},
     {16, 16},
     {768 * 768, 768 * 768, 768 * 768},
     false,
     false,
     (void (*)())omp_sgemm,
     2.0 * 768 * 768 * 768,
     0},
    {"transpose",
     2048,
     {128, 128},
     {16, 16},
     {4 * M, 1, 4 * M},
     false,
     false,
     (void (*)())omp_transpose,
     0,
     32.0 * M},
    {"stencil",
     2048,
     {64, 256},
     {32, 8},
     {4 * M, 1, 4 * M},
     false,
     false,
     (void (*)())omp_stencil,
     0,
     32.0 * M},
    {"conv",
     2048,
     {64, 256},
     {32, 8},
     {4 * M, 25, 4 * M},
     false,
     false,
     (void (*)())omp_conv,
     50.0 * 4 * M,
     0},
    {"softmax",
     1024,
     {1024, 1},
     {256, 1},
     {M, 1, M},
     false,
     false,
     (void (*)())omp_softmax,
     0,
     8.0 * M},
    {"histogram",
     4 * M,
     {256, 1},
     {256, 1},
     {4 * M, 1, 256},
     true,
     true,
     (void (*)())omp_histogram,
     0,
     16.0 * M},
    {"nbody",
     4096,
     {16, 1},
     {256, 1},
     {12288, 1, 12288},
     false,
     false,
     (void (*)())omp_nbody,
     20.0 * 4096 * 4096,
     0},
    {"black_scholes",
     M,
     {4096, 1},
     {256, 1},
     {M, M, M},
     false,
     false,
     (void (*)())omp_black_scholes,
     0,
     12.0 * M},
    {"mandelbrot",
     1024,
     {32, 128},
     {32, 8},
     {1, 1, M},
     false,
     false,
     (void (*)())omp_mandelbrot,
     0,
     0},
    {"spmv",
     M / 4,
     {1024, 1},
     {256, 1},
     {4 * M, M / 4, M / 4},
     true,
     false,
     (void (*)())omp_spmv,
     8.0 * M,
     0},
};

static double now(void)
{
    return (double)thread_nanoseconds() * 1e-9;
}

static void fill(const struct work *w, int k, void *p)
{
    uint32_t seed = 12345u + (uint32_t)k;
    for (int i = 0; i < w->count[k]; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (k == 0 && w->ints)
            ((int *)p)[i] = (int)((seed >> 8) % (uint32_t)(w->n < M ? w->n : M));
        else
            ((float *)p)[i] = (float)(seed >> 8) * 0x1p-24f + 0.5f;
    }
}

/* ---- PoCL, through as much of OpenCL as is needed ---- */
struct opencl {
    void *context, *queue, *program;
    int (*build)(void *, unsigned, void *const *, const char *, void *, void *);
    void *(*buffer)(void *, uint64_t, size_t, void *, int *);
    void *(*kernel)(void *, const char *, int *);
    int (*arg)(void *, unsigned, size_t, const void *);
    int (*run)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned,
               const void *, void *);
    int (*finish)(void *);
    int (*read)(void *, void *, unsigned, size_t, size_t, void *, unsigned, const void *, void *);
};

static bool opencl_open(struct opencl *c, const char *text)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!lib || getenv("TERN_BENCH_NO_POCL"))
        return false;
    int (*platforms)(unsigned, void **, unsigned *);
    int (*devices)(void *, uint64_t, unsigned, void **, unsigned *);
    void *(*context)(const void *, unsigned, void *const *, void *, void *, int *);
    void *(*queue)(void *, void *, uint64_t, int *);
    void *(*program)(void *, unsigned, const char **, const size_t *, int *);
    *(void **)&platforms = dlsym(lib, "clGetPlatformIDs");
    *(void **)&devices = dlsym(lib, "clGetDeviceIDs");
    *(void **)&context = dlsym(lib, "clCreateContext");
    *(void **)&queue = dlsym(lib, "clCreateCommandQueue");
    *(void **)&program = dlsym(lib, "clCreateProgramWithSource");
    *(void **)&c->build = dlsym(lib, "clBuildProgram");
    *(void **)&c->buffer = dlsym(lib, "clCreateBuffer");
    *(void **)&c->kernel = dlsym(lib, "clCreateKernel");
    *(void **)&c->arg = dlsym(lib, "clSetKernelArg");
    *(void **)&c->run = dlsym(lib, "clEnqueueNDRangeKernel");
    *(void **)&c->finish = dlsym(lib, "clFinish");
    *(void **)&c->read = dlsym(lib, "clEnqueueReadBuffer");
    void *platform, *device;
    int e = 0;
    if (platforms(1, &platform, NULL) || devices(platform, 1 << 1, 1, &device, NULL))
        return false;
    c->context = context(NULL, 1, &device, NULL, NULL, &e);
    c->queue = queue(c->context, device, 0, &e);
    c->program = program(c->context, 1, &text, NULL, &e);
    return c->context && c->queue && c->program &&
           !c->build(c->program, 1, &device, "-cl-mad-enable", NULL, NULL);
}

int main(int argc, char **argv)
{
    const char *path = "bench/cpu/kernels.cu";
    FILE *f = fopen(path, "r");
    static char text[65536];
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = path, .arch = 800, .level = 2, .fmad = true};
    if (!len || compile_source(&c, &o, text, len)) {
        struct sbuf out;
        sbuf_init(&out, NULL);
        diag_render_text(&c.diag, &out, false);
        fputs(out.data ? out.data : "cannot read the kernels\n", stderr);
        return 1;
    }
    char cache[512], why[256];
    struct dev_host host = {.cache_dir = rt_cache_dir(cache, sizeof cache)};
    struct rt_device d;
    struct dev_module *m;
    if (rt_open("cpu", &host, &d, why) || d.driver->load(d.dev, c.module, &c.diag, &m)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                  float, float *, int) = NULL;
    if (blas)
        *(void **)&sgemm = dlsym(blas, "cblas_sgemm");
    struct opencl cl;
    bool pocl = opencl_open(&cl, text);
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        const struct work *w = &works[k];
        if (argc > 1 && !strstr(argv[1], w->name))
            continue;
        dev_ptr at[3];
        void *host_at[3], *cl_at[3] = {0};
        int e;
        for (int b = 0; b < 3; b++) {
            d.driver->alloc(d.dev, 4u * (uint64_t)w->count[b], 0, "", &at[b]);
            host_at[b] = aligned_alloc(4096, (4u * (size_t)w->count[b] + 4095) & ~(size_t)4095);
            fill(w, b, (void *)(uintptr_t)at[b]);
            memcpy(host_at[b], (void *)(uintptr_t)at[b], 4u * (size_t)w->count[b]);
            if (pocl)
                cl_at[b] =
                    cl.buffer(cl.context, 1 | 1 << 5, 4u * (size_t)w->count[b], host_at[b], &e);
        }
        struct dev_kernel *kernel;
        void *cl_kernel = pocl ? cl.kernel(cl.program, w->name, &e) : NULL;
        struct {
            int n;
            dev_ptr p[3];
        } params = {w->n, {at[0], at[1], at[2]}};
        struct dev_launch l = {.grid = {w->grid[0], w->grid[1], 1},
                               .block = {w->block[0], w->block[1], 1},
                               .params = &params,
                               .param_bytes = sizeof params};
        if (d.driver->kernel(m, w->name, &kernel) || rt_run(&d, kernel, &l)) {
            const struct dev_fault *fault = d.driver->fault(d.dev);
            fprintf(stderr, "%s: %s\n", w->name, fault ? fault->message : "failed");
            return 1;
        }
        double ours = 1e9, omp = 1e9, best_blas = 1e9, best_pocl = 1e9, start = now(), t;
        for (int r = 0; r < 3 || (r < 40 && now() - start < 1.5); r++) {
            if (w->zero) {
                memset((void *)(uintptr_t)at[2], 0, 4u * (size_t)w->count[2]);
                memset(host_at[2], 0, 4u * (size_t)w->count[2]);
            }
            t = now(), rt_run(&d, kernel, &l), t = now() - t;
            ours = t < ours ? t : ours;
            t = now(), w->omp(w->n, host_at[0], host_at[1], host_at[2]), t = now() - t;
            omp = t < omp ? t : omp;
            if (sgemm && w->omp == (void (*)())omp_sgemm) {
                t = now();
                sgemm(101, 111, 111, w->n, w->n, w->n, 1, host_at[0], w->n, host_at[1], w->n, 0,
                      host_at[2], w->n);
                t = now() - t;
                best_blas = t < best_blas ? t : best_blas;
            }
            if (cl_kernel) {
                size_t local[2] = {w->block[0], w->block[1]};
                size_t global[2] = {(size_t)w->grid[0] * local[0], (size_t)w->grid[1] * local[1]};
                cl.arg(cl_kernel, 0, sizeof w->n, &w->n);
                for (unsigned b = 0; b < 3; b++)
                    cl.arg(cl_kernel, b + 1, sizeof(void *), &cl_at[b]);
                t = now(), cl.run(cl.queue, cl_kernel, 2, NULL, global, local, 0, NULL, NULL),
                cl.finish(cl.queue), t = now() - t;
                best_pocl = t < best_pocl ? t : best_pocl;
            }
        }
        /* The results must agree: with OpenMP's within what another order of sums gives. */
        double worst = 0;
        w->omp(w->n, host_at[0], host_at[1], host_at[2]);
        if (strcmp(w->name, "saxpy") && strcmp(w->name, "mandelbrot") && !w->zero)
            for (int i = 0; i < w->count[2]; i++) {
                double x = ((float *)(uintptr_t)at[2])[i], y = ((float *)host_at[2])[i],
                       err = fabs(x - y) / (fabs(y) + 1e-3);
                worst = err > worst ? err : worst;
            }
        if (worst > 1e-3)
            fprintf(stderr, "%s: differs from the C version by %g\n", w->name, worst);
        if (w->flops > 0)
            printf("%s\t%.4g\tGFLOP/s\t0\n", w->name, w->flops / ours * 1e-9);
        else if (w->bytes > 0)
            printf("%s\t%.4g\tGB/s\t0\n", w->name, w->bytes / ours * 1e-9);
        else
            printf("%s\t%.4g\tms\t0\n", w->name, ours * 1e3);
        printf("%s: speed / OpenMP C\t%.3g\tx\t0\n", w->name, omp / ours);
        if (best_blas < 1e9)
            printf("%s: speed / OpenBLAS\t%.3g\tx\t0\n", w->name, best_blas / ours);
        if (best_pocl < 1e9)
            printf("%s: speed / PoCL\t%.3g\tx\t0\n", w->name, best_pocl / ours);
        fflush(stdout);
        for (int b = 0; b < 3; b++) {
            d.driver->free(d.dev, at[b]);
            if (!cl_at[b])
                free(host_at[b]);
        }
    }
    return 0;
}

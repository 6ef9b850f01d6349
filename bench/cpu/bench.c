/* Kernels on the CPU device against OpenMP C, OpenBLAS and PoCL, alternating in one run, best of
 * several; then what a launch, a start and a compilation cost, and how time grows with blocks,
 * threads and the shape of blocks. Prints lines of name, value, unit and goal (see bench/run) and
 * writes BUILD/bench/cpu.tsv for bench/cpu/report.
 *
 * bench [NAME…]: only kernels whose name contains one of these; "figures" and "shapes" name the
 * rest; bench own [NAME…]: our own code against the C compiler's. TERN_BENCH_CLOCK=cpu counts
 * processor time: for one thread on a machine that is busy. */
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "driver/pipeline.h"
#include "opencl.h"
#include "rivals.h"
#include "rt/rt.h"

#define M (1 << 20)
enum group { STREAM, COMPUTE, OTHER };

struct work {
    const char *name;
    enum group group;
    int n;
    uint32_t grid[2], block[2];
    /* Three buffers: their elements, and what is in them: floats, doubles, indices below n, roots
     * of unity, zeros before each run. */
    int count[3];
    char kind[4];
    void *omp;
    double flops, bytes; /* of one run */
};

/* clang-format off: one row a kernel */
#define GEMM(name, n, blocks, kind, omp)                                                           \
    {                                                                                              \
        name, COMPUTE, n, {blocks, blocks}, {16, 16}, {n * n, n * n, n * n}, kind, (void *)omp,    \
            2. * n *n *n, 0                                                                        \
    }
static const struct work works[] = {
    {"vector_add",
     STREAM,
     8 * M,
     {32768, 1},
     {256, 1},
     {8 * M, 8 * M, 8 * M},
     "fff",
     (void *)omp_vector_add,
     0,
     96. * M},
    {"saxpy",
     STREAM,
     8 * M,
     {32768, 1},
     {256, 1},
     {8 * M, 8 * M, 1},
     "fff",
     (void *)omp_saxpy,
     0,
     96. * M},
    {"dot_product",
     STREAM,
     8 * M,
     {2048, 1},
     {256, 1},
     {8 * M, 8 * M, 2048},
     "fff",
     (void *)omp_dot_product,
     0,
     64. * M},
    GEMM("sgemm_naive", 768, 48, "fff", omp_sgemm),
    GEMM("sgemm_tiled", 768, 48, "fff", omp_sgemm),
    GEMM("sgemm_registers", 768, 12, "fff", omp_sgemm),
    GEMM("dgemm_tiled", 512, 32, "ddd", omp_dgemm),
    {"transpose",
     OTHER,
     2048,
     {128, 128},
     {16, 16},
     {4 * M, 1, 4 * M},
     "fff",
     (void *)omp_transpose,
     0,
     32. * M},
    {"stencil",
     STREAM,
     2048,
     {64, 256},
     {32, 8},
     {4 * M, 1, 4 * M},
     "fff",
     (void *)omp_stencil,
     0,
     32. * M},
    {"stencil3d",
     STREAM,
     160,
     {5, 20},
     {32, 8},
     {160 * 160 * 160, 1, 160 * 160 * 160},
     "fff",
     (void *)omp_stencil3d,
     0,
     8. * 160 * 160 * 160},
    {"conv",
     COMPUTE,
     2048,
     {64, 256},
     {32, 8},
     {4 * M, 25, 4 * M},
     "fff",
     (void *)omp_conv,
     50. * 4 * M,
     0},
    {"softmax", OTHER, 1024, {1024, 1}, {256, 1}, {M, 1, M}, "fff", (void *)omp_softmax, 0, 8. * M},
    {"layer_norm",
     OTHER,
     1024,
     {1024, 1},
     {256, 1},
     {M, 1024, M},
     "fff",
     (void *)omp_layer_norm,
     0,
     8. * M},
    {"histogram",
     OTHER,
     4 * M,
     {256, 1},
     {256, 1},
     {4 * M, 1, 256},
     "if0",
     (void *)omp_histogram,
     0,
     16. * M},
    {"scan",
     OTHER,
     4 * M,
     {16384, 1},
     {256, 1},
     {4 * M, 1, 4 * M},
     "fff",
     (void *)omp_scan,
     0,
     32. * M},
    {"spmv",
     OTHER,
     M / 4,
     {1024, 1},
     {256, 1},
     {4 * M, M / 4, M / 4},
     "iff",
     (void *)omp_spmv,
     8. * M,
     0},
    {"nbody",
     COMPUTE,
     4096,
     {16, 1},
     {256, 1},
     {12288, 1, 12288},
     "fff",
     (void *)omp_nbody,
     20. * 4096 * 4096,
     0},
    {"black_scholes",
     COMPUTE,
     M,
     {4096, 1},
     {256, 1},
     {M, M, M},
     "fff",
     (void *)omp_black_scholes,
     0,
     12. * M},
    {"mandelbrot",
     COMPUTE,
     1024,
     {32, 128},
     {32, 8},
     {1, 1, M},
     "fff",
     (void *)omp_mandelbrot,
     0,
     0},
    {"fft",
     COMPUTE,
     4096,
     {4096, 1},
     {128, 1},
     {2 * M, 256, 2 * M},
     "fwf",
     (void *)omp_fft,
     4096. * 5 * 256 * 8,
     0},
    {"bitonic", OTHER, M, {2048, 1}, {256, 1}, {M, 1, M}, "fff", (void *)omp_bitonic, 0, 8. * M},
    {"jacobi",
     COMPUTE,
     M / 8,
     {512, 1},
     {256, 1},
     {2 * M, 1, M / 2},
     "fff",
     (void *)omp_jacobi,
     131072. * 30 * 62,
     0},
    {"md_force",
     COMPUTE,
     M / 16,
     {256, 1},
     {256, 1},
     {2 * M, 3 * M / 16, 3 * M / 16},
     "iff",
     (void *)omp_md_force,
     65536. * 32 * 22,
     0},
};
/* clang-format on */
enum { WORKS = sizeof works / sizeof *works };

typedef void omp_kernel(int n, void *a, void *b, void *c);

static double now(void)
{
    static int processor = -1;
    if (processor < 0)
        processor = getenv("TERN_BENCH_CLOCK") && !strcmp(getenv("TERN_BENCH_CLOCK"), "cpu");
    struct timespec t;
    clock_gettime(processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static FILE *tsv; /* what report reads */

/* goal: "<5", ">0.9", or "0" for none. */
static void figure(const char *name, double value, const char *unit, const char *goal)
{
    printf("%s\t%.4g\t%s\t%s\n", name, value, unit, goal);
    fprintf(tsv, "figure\t%s\t%.6g\t%s\t%s\n", name, value, unit, goal);
    fflush(stdout);
}

/* ---- data ---- */
static size_t bytes_of(const struct work *w, int k)
{
    return (size_t)w->count[k] * (w->kind[k] == 'd' ? 8 : 4);
}

static void fill(const struct work *w, int k, void *p)
{
    uint32_t seed = 12345u + (uint32_t)k;
    for (int i = 0; i < w->count[k]; i++) {
        seed = seed * 1664525u + 1013904223u;
        float x = (float)(seed >> 8) * 0x1p-24f + 0.5f;
        switch (w->kind[k]) {
        case 'i': ((int *)p)[i] = (int)((seed >> 8) % (uint32_t)(w->n < M ? w->n : M)); break;
        case 'd': ((double *)p)[i] = x; break;
        case 'w':
            ((float *)p)[i] = (float)(i < 128 ? cos(i * 3.14159265358979 / 128)
                                              : -sin((i - 128) * 3.14159265358979 / 128));
            break;
        default: ((float *)p)[i] = x;
        }
    }
}

/* Results must agree with the C version's within what another order of sums gives. */
static double difference(const struct work *w, const void *ours, const void *theirs)
{
    double worst = 0;
    for (int i = 0; i < w->count[2]; i++) {
        double x = w->kind[2] == 'd' ? ((const double *)ours)[i] : ((const float *)ours)[i];
        double y = w->kind[2] == 'd' ? ((const double *)theirs)[i] : ((const float *)theirs)[i];
        worst = fmax(worst, fabs(x - y) / (fabs(y) + 1e-2));
    }
    return worst;
}

/* ---- the device ---- */
struct machine {
    struct rt_device d;
    struct dev_module *m;
};

struct params {
    int n;
    dev_ptr p[3];
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why ? why : "failed");
    exit(1);
}

/* Where code is kept: the user's cache, or the folder that is named. */
static struct machine open_machine(const struct ir_module *module, const char *threads,
                                   const char *kept)
{
    struct machine x;
    static char cache[512];
    char why[256];
    struct diag diag = {0};
    struct dev_host host = {.reports = {report_write, stderr},
                            .cache_dir = kept ? kept : rt_cache_dir(cache, sizeof cache)};
    if (threads)
        setenv("TERN_THREADS", threads, 1);
    if (rt_open("cpu", &host, &x.d, why) || x.d.driver->load(x.d.dev, module, &diag, &x.m))
        die("cpu", why);
    return x;
}

static bool try_run(struct machine *x, const char *name, struct params *p, const uint32_t grid[2],
                    const uint32_t block[2])
{
    struct dev_kernel *k;
    struct dev_launch l = {.grid = {grid[0], grid[1], 1},
                           .block = {block[0], block[1], 1},
                           .params = p,
                           .param_bytes = sizeof *p};
    return !x->d.driver->kernel(x->m, name, &k) && !rt_run(&x->d, k, &l);
}

static void run(struct machine *x, const char *name, struct params *p, const uint32_t grid[2],
                const uint32_t block[2])
{
    if (!try_run(x, name, p, grid, block))
        die(name, "failed");
}

static void upload(struct machine *x, const struct work *w, struct params *p)
{
    p->n = w->n;
    for (int b = 0; b < 3; b++) {
        if (x->d.driver->alloc(x->d.dev, bytes_of(w, b), 0, "", &p->p[b]))
            die(w->name, "no memory");
        fill(w, b, (void *)(uintptr_t)p->p[b]);
    }
}

static void release(struct machine *x, struct params *p)
{
    for (int b = 0; b < 3; b++)
        x->d.driver->free(x->d.dev, p->p[b]);
}

/* ---- kernels against rivals ---- */
typedef void gemm32(int, int, int, int, int, int, float, const float *, int, const float *, int,
                    float, float *, int);
typedef void gemm64(int, int, int, int, int, int, double, const double *, int, const double *, int,
                    double, double *, int);

static void blas(void *sgemm, void *dgemm, const struct work *w, void **p)
{
    int n = w->n;
    if (w->kind[0] == 'd')
        ((gemm64 *)dgemm)(101, 111, 111, n, n, n, 1, p[0], n, p[1], n, 0, p[2], n);
    else
        ((gemm32 *)sgemm)(101, 111, 111, n, n, n, 1, p[0], n, p[1], n, 0, p[2], n);
}

static const char *blas_goal(const char *name)
{
#if defined(__x86_64__)
    return !strcmp(name, "sgemm_registers") ? ">0.4" : !strcmp(name, "sgemm_tiled") ? ">0.25" : "0";
#else
    return !strcmp(name, "sgemm_registers") ? ">0.5" : !strcmp(name, "sgemm_tiled") ? ">0.35" : "0";
#endif
}

/* Ratios to a rival, for their geometric mean. */
struct ratios {
    double logs;
    int n;
};
static struct ratios against_omp[3], against_pocl[3]; /* by group */

static void count(struct ratios *r, double ratio)
{
    r->logs += log(ratio);
    r->n++;
}

static void mean(const char *name, const struct ratios *r, int groups, const char *goal)
{
    struct ratios sum = {0};
    for (int g = 0; g < groups; g++)
        sum.logs += r[g].logs, sum.n += r[g].n;
    if (sum.n)
        figure(name, exp(sum.logs / sum.n), "x", goal);
}

/* ---- the two code generators ---- */
struct generator {
    const char *name;            /* of TERN_CPU */
    char kept[600];              /* its own folder of code, empty at first */
    struct machine makes, finds; /* the first to run a kernel makes its code, the other finds it */
    bool fails;                  /* C without a compiler */
};
static struct generator generators[2] = {{.name = "own"}, {.name = "c"}};

static void open_generators(const struct ir_module *module, const char *build)
{
    for (int k = 0; k < 2; k++) {
        struct generator *g = &generators[k];
        char empty[700];
        snprintf(g->kept, sizeof g->kept, "%s/bench/kept-%s", build, g->name);
        snprintf(empty, sizeof empty, "rm -rf '%s' && mkdir -p '%s'", g->kept, g->kept);
        g->fails = system(empty) != 0;
        setenv("TERN_CPU", g->name, 1);
        g->makes = open_machine(module, NULL, g->kept);
        g->finds = open_machine(module, NULL, g->kept);
    }
    unsetenv("TERN_CPU");
}

struct speeds {
    double cold, warm; /* seconds of the first launch, its code made or found, beyond `steady` */
    double steady;     /* seconds of a launch; all 0: none */
};

static void time_generators(const struct work *w, struct params *p, struct speeds out[2])
{
    for (int k = 0; k < 2; k++) {
        struct generator *g = &generators[k];
        double t = now();
        out[k] = (struct speeds){0};
        g->fails |= !try_run(&g->makes, w->name, p, w->grid, w->block);
        if (g->fails)
            continue;
        out[k].cold = now() - t;
        t = now(), run(&g->finds, w->name, p, w->grid, w->block), out[k].warm = now() - t;
        out[k].steady = 1e9;
    }
    double start = now();
    for (int r = 0; r < 3 || (r < 40 && now() - start < 1); r++)
        for (int k = 0; k < 2; k++)
            if (out[k].cold > 0) {
                double t = now();
                run(&generators[k].finds, w->name, p, w->grid, w->block);
                out[k].steady = least(out[k].steady, now() - t);
            }
    for (int k = 0; k < 2; k++) {
        out[k].cold = fmax(out[k].cold - out[k].steady, 0);
        out[k].warm = fmax(out[k].warm - out[k].steady, 0);
    }
}

static struct ratios against_c;

static void show_generators(const struct work *w, const struct speeds s[2])
{
    printf("%s: made by own code\t%.3g\tms\t0\n", w->name, s[0].cold * 1e3);
    printf("%s: found by own code\t%.3g\tms\t0\n", w->name, s[0].warm * 1e3);
    if (generators[1].fails)
        return;
    printf("%s: made through C\t%.3g\tms\t0\n", w->name, s[1].cold * 1e3);
    printf("%s: C / own code\t%.3g\tx\t>0.8\n", w->name, s[1].steady / s[0].steady);
    count(&against_c, s[1].steady / s[0].steady);
}

static void compare(struct machine *x, struct opencl *cl, void *sgemm, void *dgemm,
                    const struct work *w)
{
    struct params p;
    void *at[3], *cl_at[3] = {0}, *cl_kernel = NULL;
    upload(x, w, &p);
    for (int b = 0; b < 3; b++) {
        at[b] = aligned_alloc(4096, (bytes_of(w, b) + 4095) & ~(size_t)4095);
        fill(w, b, at[b]);
    }
    size_t bytes[3] = {bytes_of(w, 0), bytes_of(w, 1), bytes_of(w, 2)};
    if (cl && opencl_buffers(cl, at, bytes, cl_at))
        cl_kernel = opencl_kernel(cl, w->name, w->n, cl_at);
    bool has_blas = strstr(w->name, "gemm") && sgemm && dgemm;
    double ours = 1e9, omp = 1e9, best_blas = 1e9, pocl = 1e9, t;
    struct speeds by[2];
    time_generators(w, &p, by);
    run(x, w->name, &p, w->grid, w->block);
    double start = now();
    for (int r = 0; r < 3 || (r < 40 && now() - start < 2); r++) {
        if (w->kind[2] == '0') {
            memset((void *)(uintptr_t)p.p[2], 0, bytes_of(w, 2));
            memset(at[2], 0, bytes_of(w, 2));
        }
        t = now(), run(x, w->name, &p, w->grid, w->block), ours = least(ours, now() - t);
        t = now(), ((omp_kernel *)w->omp)(w->n, at[0], at[1], at[2]), omp = least(omp, now() - t);
        if (has_blas)
            t = now(), blas(sgemm, dgemm, w, at), best_blas = least(best_blas, now() - t);
        if (cl_kernel)
            t = now(), opencl_run(cl, cl_kernel, w->grid, w->block), pocl = least(pocl, now() - t);
    }
    if (w->kind[2] == '0') {
        memset((void *)(uintptr_t)p.p[2], 0, bytes_of(w, 2));
        memset(at[2], 0, bytes_of(w, 2));
    }
    run(x, w->name, &p, w->grid, w->block);
    ((omp_kernel *)w->omp)(w->n, at[0], at[1], at[2]);
    double worst = !strcmp(w->name, "saxpy") || !strcmp(w->name, "mandelbrot")
                       ? 0
                       : difference(w, (void *)(uintptr_t)p.p[2], at[2]);
    if (worst > 1e-3)
        fprintf(stderr, "%s: differs from the C version by %g\n", w->name, worst);
    fprintf(tsv, "kernel\t%s\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", w->name,
            w->group == STREAM    ? "stream"
            : w->group == COMPUTE ? "compute"
                                  : "other",
            ours, omp, has_blas ? best_blas : 0, cl_kernel ? pocl : 0, w->flops, w->bytes);
    for (int k = 0; k < 2; k++)
        fprintf(tsv, "\t%.6g\t%.6g\t%.6g", by[k].cold, by[k].warm, by[k].steady);
    fputc('\n', tsv);
    printf("%s\t%.4g\tms\t0\n", w->name, ours * 1e3);
    show_generators(w, by);
    count(&against_omp[w->group], omp / ours);
    printf("%s: OpenMP / ours\t%.3g\tx\t%s\n", w->name, omp / ours,
           w->group == STREAM ? ">0.9" : "0");
    if (has_blas)
        printf("%s: OpenBLAS / ours\t%.3g\tx\t%s\n", w->name, best_blas / ours, blas_goal(w->name));
    if (cl_kernel) {
        count(&against_pocl[w->group], pocl / ours);
        printf("%s: PoCL / ours\t%.3g\tx\t>1\n", w->name, pocl / ours);
    }
    fflush(stdout);
    release(x, &p);
    for (int b = 0; b < 3 && !cl_kernel; b++)
        free(at[b]);
}

/* ---- figures ---- */
static double time_of(struct machine *x, const struct work *w, struct params *p,
                      const uint32_t grid[2], const uint32_t block[2], double seconds)
{
    double best = 1e9, start = now(), t;
    run(x, w->name, p, grid, block);
    for (int r = 0; r < 3 || now() - start < seconds; r++)
        t = now(), run(x, w->name, p, grid, block), best = least(best, now() - t);
    return best;
}

static const struct work *find(const char *name)
{
    const struct work *w = works;
    while (strcmp(w->name, name) != 0)
        w++;
    return w;
}

static void bandwidth(struct machine *x)
{
    const struct work *w = find("vector_add");
    struct params p;
    upload(x, w, &p);
    float *from = (void *)(uintptr_t)p.p[0], *to = (void *)(uintptr_t)p.p[1];
    double copy = 1e9, add = 1e9, t;
    for (int r = 0; r < 20; r++) {
        t = now();
#pragma omp parallel for simd
        for (int i = 0; i < 8 * M; i++)
            to[i] = from[i];
        copy = least(copy, now() - t);
        t = now(), run(x, w->name, &p, w->grid, w->block), add = least(add, now() - t);
    }
    figure("copy bandwidth of the machine", 64e-9 * M / copy, "GB/s", "0");
    figure("vector_add / copy bandwidth", 96 / add / (64 / copy), "of it", ">0.9");
    release(x, &p);
}

static void launches(struct machine *x)
{
    struct params p = {0};
    struct dev_queue *q;
    struct dev_kernel *k;
    struct dev_launch l = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &p, .param_bytes = sizeof p};
    if (x->d.driver->queue_new(x->d.dev, &q) || x->d.driver->kernel(x->m, "empty", &k))
        die("empty", NULL);
    double best = 1e9, t;
    for (int r = 0; r < 30; r++) {
        t = now();
        for (int i = 0; i < 200; i++) {
            x->d.driver->launch(x->d.dev, q, k, &l);
            x->d.driver->queue_wait(q);
        }
        best = least(best, (now() - t) / 200);
    }
    x->d.driver->queue_free(q);
    figure("empty launch and wait", best * 1e6, "us", "<5");
}

static void growth(struct machine *x, const struct ir_module *module)
{
    const struct work *w = find("black_scholes");
    struct params p;
    upload(x, w, &p);
    double one = 1e9, four = 1e9;
    for (int r = 0; r < 6; r++) {
        one = least(one, time_of(x, w, &p, (uint32_t[]){1024, 1}, w->block, 0.1));
        four = least(four, time_of(x, w, &p, (uint32_t[]){4096, 1}, w->block, 0.1));
    }
    figure("time of 4 n blocks / 4 times that of n", four / one / 4, "x", "<1.05");
    struct machine alone = open_machine(module, "1", NULL);
    int threads = omp_get_max_threads();
    void *at[3] = {(void *)(uintptr_t)p.p[0], (void *)(uintptr_t)p.p[1], (void *)(uintptr_t)p.p[2]};
    double ours1 = 1e9, ours = 1e9, omp1 = 1e9, omp = 1e9, t;
    for (int r = 0; r < 20; r++) {
        t = now(), run(&alone, w->name, &p, w->grid, w->block), ours1 = least(ours1, now() - t);
        t = now(), run(x, w->name, &p, w->grid, w->block), ours = least(ours, now() - t);
        omp_set_num_threads(1);
        t = now(), ((omp_kernel *)w->omp)(w->n, at[0], at[1], at[2]), omp1 = least(omp1, now() - t);
        omp_set_num_threads(threads);
        t = now(), ((omp_kernel *)w->omp)(w->n, at[0], at[1], at[2]), omp = least(omp, now() - t);
    }
    figure("speedup over all threads / OpenMP's", ours1 / ours / (omp1 / omp), "x", ">0.95");
    alone.d.driver->unload(alone.d.dev, alone.m);
    alone.d.driver->close(alone.d.dev);
    release(x, &p);
}

/* Time of a command, best of several. */
static double command(const char *text, int times)
{
    double best = 1e9;
    for (int r = 0; r < times; r++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        int status = system(text);
        clock_gettime(CLOCK_MONOTONIC, &b);
        if (status)
            die(text, NULL);
        best = least(best, (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    }
    return best;
}

static void starts(void)
{
    char text[1024];
    const char *tern = getenv("TERN");
    const char *args = "--device cpu bench/cpu/fifty.cu --kernel smooth --grid 4 --block 256 --arg "
                       "'f32[1024]=iota' --arg 'f32[1024]' --arg i32:1024 >/dev/null";
    snprintf(text, sizeof text, "exec %s run %s", tern ? tern : "build/tern", args);
    command(text, 1);
    figure("process start to first kernel done, from the cache", command(text, 20) * 1e3, "ms",
           "<20");
    double nothing = command("exec true", 20);
    snprintf(text, sizeof text,
             "rm -rf build/bench/cold; XDG_CACHE_HOME=$PWD/build/bench/cold exec %s run %s",
             tern ? tern : "build/tern", args);
    figure("the same, compiling 50 lines", (command(text, 5) - nothing) * 1e3, "ms", "<400");
}

/* How kernels take to the shape of a block: time relative to the best. */
static void shapes(struct machine *x)
{
    static const uint32_t lines[][2] = {{32, 1}, {64, 1}, {100, 1}, {256, 1}, {512, 1}, {1024, 1}},
                          planes[][2] = {{8, 8}, {16, 16}, {32, 8}, {64, 4}, {128, 1}, {32, 32}};
    static const char *const names[] = {"vector_add", "nbody",   "black_scholes", "spmv",
                                        "md_force",   "stencil", "conv",          "mandelbrot"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const struct work *w = find(names[k]);
        struct params p;
        upload(x, w, &p);
        bool plane = w->grid[1] > 1;
        uint32_t threads[2] = {w->grid[0] * w->block[0], w->grid[1] * w->block[1]};
        double t[6], best = 1e9;
        for (int s = 0; s < 6; s++) {
            const uint32_t *b = plane ? planes[s] : lines[s];
            uint32_t grid[2] = {threads[0] / b[0], threads[1] / b[1]};
            t[s] = time_of(x, w, &p, grid, b, 0.15);
            best = least(best, t[s]);
        }
        fprintf(tsv, "shape\t%s", w->name);
        for (int s = 0; s < 6; s++) {
            const uint32_t *b = plane ? planes[s] : lines[s];
            fprintf(tsv, "\t%ux%u\t%.3g", b[0], b[1], t[s] / best);
        }
        fputc('\n', tsv);
        release(x, &p);
    }
}

/* Our own machine code against C and the system's compiler, one thread, alternating: asked for by
 * its name, "own", alone or with kernels. */
static void own_against_c(const struct ir_module *module, int argc, char **argv)
{
    struct machine x[2];
    static const char *const how[2] = {"own", "c"};
    struct ratios all = {0};
    for (int k = 0; k < 2; k++) {
        setenv("TERN_CPU", how[k], 1);
        x[k] = open_machine(module, "1", NULL);
    }
    for (int k = 0; k < WORKS; k++) {
        const struct work *w = &works[k];
        bool named = argc == 2;
        for (int a = 2; a < argc; a++)
            named |= strstr(w->name, argv[a]) != NULL;
        if (!named)
            continue;
        struct params p;
        double best[2] = {1e9, 1e9}, t;
        upload(&x[0], w, &p);
        for (int c = 0; c < 2; c++)
            run(&x[c], w->name, &p, w->grid, w->block);
        for (double start = now(), r = 0; r < 3 || now() - start < 1; r++)
            for (int c = 0; c < 2; c++) {
                t = now(), run(&x[c], w->name, &p, w->grid, w->block);
                best[c] = least(best[c], now() - t);
            }
        printf("%s: own code\t%.4g\tms\t0\n", w->name, best[0] * 1e3);
        printf("%s: C / own code\t%.3g\tx\t>0.8\n", w->name, best[1] / best[0]);
        fflush(stdout);
        count(&all, best[1] / best[0]);
        release(&x[0], &p);
    }
    mean("geometric mean: C / own code", &all, 1, ">0.95");
}

static bool wanted(int argc, char **argv, const char *name)
{
    for (int k = 1; k < argc; k++)
        if (strstr(name, argv[k]))
            return true;
    return argc < 2;
}

int main(int argc, char **argv)
{
    const char *path = "bench/cpu/kernels.cu", *build = getenv("BUILD");
    char out[600];
    static char text[65536];
    FILE *f = fopen(path, "r");
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = path, .level = 2};
    snprintf(out, sizeof out, "%s/bench/cpu.tsv", build ? build : "build");
    tsv = fopen(out, "w");
    if (!len || !tsv)
        die(len ? out : path, strerror(errno));
    if (compile_source(&c, &o, text, len)) {
        struct sbuf message;
        sbuf_init(&message, NULL);
        diag_render_text(&c.diag, &message, false);
        die(path, message.data);
    }
    if (argc > 1 && !strcmp(argv[1], "own")) {
        own_against_c(c.module, argc, argv);
        return 0;
    }
    struct machine x = open_machine(c.module, NULL, NULL);
    open_generators(c.module, build ? build : "build");
    struct dev_info info;
    x.d.driver->info(x.d.dev, &info);
    const char *machine = getenv("TERN_BENCH_MACHINE"); /* its name where another one is shown */
    fprintf(tsv, "machine\t%s\n", machine && *machine ? machine : info.name);
    void *openblas = dlopen("libopenblas.so.0", RTLD_NOW);
    void *sgemm = openblas ? dlsym(openblas, "cblas_sgemm") : NULL;
    void *dgemm = openblas ? dlsym(openblas, "cblas_dgemm") : NULL;
    struct opencl cl;
    bool pocl = opencl_open(&cl, text);
    for (int k = 0; k < WORKS; k++)
        if (wanted(argc, argv, works[k].name))
            compare(&x, pocl ? &cl : NULL, sgemm, dgemm, &works[k]);
    mean("geometric mean: C / own code", &against_c, 1, ">0.95");
    mean("geometric mean: OpenMP / ours", against_omp, 3, ">1");
    mean("geometric mean, streaming: OpenMP / ours", &against_omp[STREAM], 1, ">0.9");
    mean("geometric mean: PoCL / ours", against_pocl, 3, ">3");
    mean("geometric mean, compute: PoCL / ours", &against_pocl[COMPUTE], 1, ">4");
    if (wanted(argc, argv, "figures")) {
        bandwidth(&x);
        launches(&x);
        growth(&x, c.module);
        starts();
    }
    if (wanted(argc, argv, "shapes"))
        shapes(&x);
    fclose(tsv);
    return 0;
}

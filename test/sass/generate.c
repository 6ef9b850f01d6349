/* Kernels that the C API generates as machine code, against what they should compute.
 *
 *   generate ARCH [long]    loads them with libcuda (the stand-in that simulates them, or a GPU's
 * own). */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tern/tern.h"

typedef unsigned long long address;
static int (*cuWait)(void *), (*cuStream)(void **, unsigned);
static void *stream;
static int (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuRetain)(void **, int),
    (*cuSetCurrent)(void *);
static int (*cuLoad)(void **, const void *), (*cuFunction)(void **, void *, const char *),
    (*cuUnload)(void *);
static int (*cuAlloc)(address *, size_t), (*cuIn)(address, const void *, size_t, void *),
    (*cuOut)(void *, address, size_t, void *);
static int (*cuLaunch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void *, void **, void **);

static void open_cuda(void)
{
    void *l = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    const struct {
        void **f;
        const char *name;
    } names[] = {{(void **)&cuInit, "cuInit"},
                 {(void **)&cuDeviceGet, "cuDeviceGet"},
                 {(void **)&cuRetain, "cuDevicePrimaryCtxRetain"},
                 {(void **)&cuSetCurrent, "cuCtxSetCurrent"},
                 {(void **)&cuLoad, "cuModuleLoadData"},
                 {(void **)&cuUnload, "cuModuleUnload"},
                 {(void **)&cuFunction, "cuModuleGetFunction"},
                 {(void **)&cuAlloc, "cuMemAlloc_v2"},
                 {(void **)&cuIn, "cuMemcpyHtoDAsync_v2"},
                 {(void **)&cuOut, "cuMemcpyDtoHAsync_v2"},
                 {(void **)&cuStream, "cuStreamCreate"},
                 {(void **)&cuWait, "cuStreamSynchronize"},
                 {(void **)&cuLaunch, "cuLaunchKernel"}};
    int device = 0;
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (!l || !(*names[k].f = dlsym(l, names[k].name))) {
            printf("SKIP generate: libcuda has no %s\n", names[k].name);
            exit(0);
        }
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuRetain(&context, device) ||
        cuSetCurrent(context) || cuStream(&stream, 1)) {
        printf("SKIP generate: no device\n");
        exit(0);
    }
}

static unsigned arch, failed;

static address put(const double *x, size_t n)
{
    address at = 0;
    if (cuAlloc(&at, n * sizeof *x) || cuIn(at, x, n * sizeof *x, stream))
        printf("FAIL generate: memory\n");
    return at;
}

/* Runs it and reads n results from `out`. */
static void run(const struct tern_generated *g, unsigned gx, unsigned gy, void **args, address out,
                double *into, size_t n)
{
    void *module = NULL, *f = NULL;
    int e = cuLoad(&module, g->code.data);
    e = e ? e : cuFunction(&f, module, g->kernel);
    e = e ? e : cuLaunch(f, gx, gy, 1, g->block.x, 1, 1, 0, stream, args, NULL);
    e = e ? e : cuOut(into, out, n * sizeof *into, stream);
    e = e ? e : cuWait(stream);
    if (e)
        printf("FAIL generate/sm_%u/%s: error %d\n", arch, g->kernel, e), failed++;
    if (module)
        cuUnload(module);
}

static bool made(enum tern_error e, const struct tern_generated *g)
{
    if (e)
        printf("FAIL generate/sm_%u/%s: %s %s\n", arch, g->kernel, tern_error_name(e),
               g->code.reply ? g->code.reply : ""),
            failed++;
    return !e;
}

static void check(const char *what, unsigned n, double worst, double most)
{
    if (worst > most || worst != worst)
        printf("FAIL generate/sm_%u/%s %u: wrong by %g\n", arch, what, n, worst), failed++;
}

static double number(unsigned *s)
{
    *s = *s * 1664525u + 1013904223u;
    return (double)(*s >> 8) / (1 << 24) - 0.5;
}

/* A v = w v, and v is orthogonal. */
static void jacobi(unsigned n)
{
    enum { COUNT = 2 };
    struct tern_generated g;
    unsigned seed = n;
    const size_t all = (size_t)COUNT * n * n;
    double *a = malloc(all * sizeof *a), *v = malloc(all * sizeof *v), w[COUNT * 48] = {0},
           worst = 0;
    for (unsigned m = 0; m < COUNT; m++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j <= i; j++)
                a[(m * n + i) * n + j] = a[(m * n + j) * n + i] = number(&seed);
    if (made(tern_generate_jacobi(arch, n, &g), &g)) {
        address in = put(a, all), values = put(w, COUNT * n), vectors = put(a, all);
        int count = COUNT, sweeps = n > 16 ? 12 : n > 8 ? 6 : 8;
        run(&g, (COUNT + g.per_block - 1) / g.per_block, 1,
            (void *[]){&in, &values, &vectors, &count, &sweeps}, vectors, v, all);
        cuOut(w, values, sizeof *w * COUNT * n, stream);
        cuWait(stream);
        for (unsigned m = 0; m < COUNT; m++)
            for (unsigned i = 0; i < n; i++)
                for (unsigned j = 0; j < n; j++) {
                    double is = 0, one = 0;
                    for (unsigned k = 0; k < n; k++) {
                        is += a[(m * n + i) * n + k] * v[(m * n + k) * n + j];
                        one += v[(m * n + k) * n + i] * v[(m * n + k) * n + j];
                    }
                    worst = fmax(worst, fabs(is - w[m * n + j] * v[(m * n + i) * n + j]));
                    worst = fmax(worst, fabs(one - (i == j)));
                }
        check("jacobi", n, worst, 1e-12);
    }
    tern_generated_free(&g);
    free(a);
    free(v);
}

static void reduction(enum tern_reduction op)
{
    enum { N = 5001, BLOCKS = 2 };
    struct tern_generated g;
    unsigned seed = 7;
    static double x[N];
    double want = op == TERN_SUM       ? 0
                  : op == TERN_PRODUCT ? 1
                  : op == TERN_MIN     ? INFINITY
                                       : -INFINITY,
           got = want, out[BLOCKS] = {0};
    for (unsigned k = 0; k < N; k++) {
        x[k] = op == TERN_PRODUCT ? 1 + number(&seed) / 100 : number(&seed);
        want = op == TERN_SUM       ? want + x[k]
               : op == TERN_PRODUCT ? want * x[k]
               : op == TERN_MIN     ? fmin(want, x[k])
                                    : fmax(want, x[k]);
    }
    if (made(tern_generate_reduction(arch, op, &g), &g)) {
        address in = put(x, N), at = put(out, BLOCKS);
        unsigned long long n = N;
        run(&g, BLOCKS, 1, (void *[]){&in, &at, &n}, at, out, BLOCKS);
        for (unsigned k = 0; k < BLOCKS; k++)
            got = op == TERN_SUM       ? got + out[k]
                  : op == TERN_PRODUCT ? got * out[k]
                  : op == TERN_MIN     ? fmin(got, out[k])
                                       : fmax(got, out[k]);
        check("reduction", op, fabs(got - want), op >= TERN_MIN ? 0 : 1e-10);
    }
    tern_generated_free(&g);
}

static void gemm(unsigned tile)
{
    struct tern_generated g;
    const unsigned n = tile == 16 ? 32 : tile;
    unsigned seed = tile;
    const size_t all = (size_t)n * n;
    double *a = malloc(all * sizeof *a), *b = malloc(all * sizeof *b), *c = malloc(all * sizeof *c),
           worst = 0;
    for (size_t k = 0; k < all; k++)
        a[k] = number(&seed), b[k] = number(&seed);
    if (made(tern_generate_gemm_f64(arch, tile, &g), &g)) {
        address x = put(a, all), y = put(b, all), z = put(a, all);
        int size = (int)n;
        run(&g, n / tile, n / tile, (void *[]){&x, &y, &z, &size}, z, c, all);
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j++) {
                double sum = 0;
                for (unsigned k = 0; k < n; k++)
                    sum += a[i * n + k] * b[k * n + j];
                worst = fmax(worst, fabs(sum - c[i * n + j]));
            }
        check("gemm_f64", tile, worst, 1e-13);
    }
    tern_generated_free(&g);
    free(a);
    free(b);
    free(c);
}

int main(int argc, char **argv)
{
    struct tern_generated none;
    arch = argc > 1 ? (unsigned)atoi(argv[1]) : 90;
    open_cuda();
    for (unsigned n = 2; n <= 5; n++)
        jacobi(n);
    jacobi(9);
    if (argc > 2)
        jacobi(33);
    for (int op = TERN_SUM; op <= TERN_MAX; op++)
        reduction((enum tern_reduction)op);
    for (unsigned tile = 16; tile <= (argc > 2 ? 64 : 32); tile *= 2)
        gemm(tile);
    if (tern_generate_jacobi(arch, 49, &none) != TERN_INVALID_ARGUMENT ||
        tern_generate_jacobi(52, 4, &none) != TERN_UNSUPPORTED ||
        tern_generate_gemm_f64(arch, 17, &none) != TERN_INVALID_ARGUMENT)
        printf("FAIL generate/sm_%u: what is no size or processor is taken\n", arch), failed++;
    if (!failed)
        printf("PASS generate/sm_%u\n", arch);
    return failed != 0;
}

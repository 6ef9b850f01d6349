/* exp, log, sin, cos, pow, tanh and erf on the CPU device, f32 and f64, against SLEEF's functions
 * of 1.0 ulp on the same vectors and against the C library, all on all cores, alternating, best of
 * several. Prints lines of name, value, unit and goal: see bench/run. Ratios are speed over speed.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/pipeline.h"
#include "rt/rt.h"

enum { N = 1 << 18 };
#ifdef __AVX2__
#define SUFFIX32 "8_u10avx2"
#define SUFFIX64 "4_u10avx2"
typedef float vf __attribute__((vector_size(32)));
typedef double vd __attribute__((vector_size(32)));
#else
#define SUFFIX32 "4_u10advsimd"
#define SUFFIX64 "2_u10advsimd"
typedef float vf __attribute__((vector_size(16)));
typedef double vd __attribute__((vector_size(16)));
#endif

#define FUNCTIONS(F) F(exp) F(log) F(sin) F(cos) F(tanh) F(erf)
static const char kernels[] =
#define F(f)                                                                                       \
    "extern \"C\" __global__ void " #f "32(const float *x, const float *y, float *o)"              \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = " #f "f(x[i]); }\n"                   \
    "extern \"C\" __global__ void " #f "64(const double *x, const double *y, double *o)"           \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = " #f "(x[i]); }\n"
    FUNCTIONS(F)
#undef F
        "extern \"C\" __global__ void pow32(const float *x, const float *y, float *o)"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = powf(y[i], x[i]); }\n"
        "extern \"C\" __global__ void pow64(const double *x, const double *y, double *o)"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = pow(y[i], x[i]); }\n";

#define F(fn)                                                                                      \
    static void libm_##fn##32(const float *x, const float *y, float *o)                            \
    {                                                                                              \
        _Pragma("omp parallel for") for (int i = 0; i < N; i++) o[i] = fn##f(x[i]);                \
    }                                                                                              \
    static void libm_##fn##64(const double *x, const double *y, double *o)                         \
    {                                                                                              \
        _Pragma("omp parallel for") for (int i = 0; i < N; i++) o[i] = fn(x[i]);                   \
    }
FUNCTIONS(F)
#undef F
static void libm_pow32(const float *x, const float *y, float *o)
{
    _Pragma("omp parallel for") for (int i = 0; i < N; i++) o[i] = powf(y[i], x[i]);
}
static void libm_pow64(const double *x, const double *y, double *o)
{
    _Pragma("omp parallel for") for (int i = 0; i < N; i++) o[i] = pow(y[i], x[i]);
}

static const struct {
    const char *name;
    void (*libm32)(), (*libm64)();
} functions[] = {
#define F(f) {#f, (void (*)())libm_##f##32, (void (*)())libm_##f##64},
    FUNCTIONS(F) F(pow)
#undef F
};

static void sleef32(void *f, int two, const float *x, const float *y, float *o)
{
    enum { W = sizeof(vf) / 4 };
    _Pragma("omp parallel for") for (int i = 0; i < N; i += W)
    {
        vf a, b, r;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        r = two ? ((vf(*)(vf, vf))f)(b, a) : ((vf(*)(vf))f)(a);
        memcpy(o + i, &r, sizeof r);
    }
}
static void sleef64(void *f, int two, const double *x, const double *y, double *o)
{
    enum { W = sizeof(vd) / 8 };
    _Pragma("omp parallel for") for (int i = 0; i < N; i += W)
    {
        vd a, b, r;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        r = two ? ((vd(*)(vd, vd))f)(b, a) : ((vd(*)(vd))f)(a);
        memcpy(o + i, &r, sizeof r);
    }
}
static double now(void)
{
    return (double)thread_nanoseconds() * 1e-9;
}

int main(void)
{
    struct compilation c;
    struct compile_options o = {.path = "bench/math.cu", .level = 2};
    char cache[512], why[256] = "";
    struct dev_host host = {.reports = {report_write, stderr},
                            .cache_dir = rt_cache_dir(cache, sizeof cache)};
    struct rt_device d;
    struct dev_module *m;
    if (compile_source(&c, &o, kernels, sizeof kernels - 1) || rt_open("cpu", &host, &d, why) ||
        d.driver->load(d.dev, c.module, &c.diag, &m)) {
        struct sbuf out;
        sbuf_init(&out, NULL);
        diag_render_text(&c.diag, &out, false);
        fprintf(stderr, "%s%s\n", out.data ? out.data : "", why);
        return 1;
    }
    void *sleef = dlopen("libsleef.so.3", RTLD_NOW);
    double product = 1, least = 1e9;
    int rivals = 0;
    for (int bits = 32; bits <= 64; bits += 32) {
        dev_ptr at[3];
        for (int b = 0; b < 3; b++)
            d.driver->alloc(d.dev, (uint64_t)N * (unsigned)bits / 8, 0, "", &at[b]);
        void *x = (void *)(uintptr_t)at[0], *y = (void *)(uintptr_t)at[1],
             *mine = (void *)(uintptr_t)at[2];
        void *theirs = aligned_alloc(4096, (size_t)N * 8);
        for (int i = 0; i < N; i++) {
            double a = 0.001 + i * (8.0 / N),
                   b = 0.1 + (double)((unsigned)i * 2654435761u >> 12) * (3.0 / (1 << 20));
            if (bits == 32)
                ((float *)x)[i] = (float)a, ((float *)y)[i] = (float)b;
            else
                ((double *)x)[i] = a, ((double *)y)[i] = b;
        }
        for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
            char kernel_name[32], symbol[64];
            struct dev_kernel *kernel;
            struct {
                dev_ptr p[3];
            } params = {{at[0], at[1], at[2]}};
            struct dev_launch l = {.grid = {N / 256, 1, 1},
                                   .block = {256, 1, 1},
                                   .params = &params,
                                   .param_bytes = sizeof params};
            int two = strcmp(functions[k].name, "pow") == 0;
            snprintf(kernel_name, sizeof kernel_name, "%s%d", functions[k].name, bits);
            snprintf(symbol, sizeof symbol, "Sleef_%s%s", functions[k].name,
                     bits == 32 ? "f" SUFFIX32 : "d" SUFFIX64);
            void *rival = sleef ? dlsym(sleef, symbol) : NULL;
            if (d.driver->kernel(m, kernel_name, &kernel) || rt_run(&d, kernel, &l)) {
                fprintf(stderr, "%s: failed\n", kernel_name);
                return 1;
            }
            double ours = 1e9, vector = 1e9, libm = 1e9, start = now(), t;
            for (int r = 0; r < 5 || (r < 60 && now() - start < 0.5); r++) {
                t = now(), rt_run(&d, kernel, &l), t = now() - t;
                ours = t < ours ? t : ours;
                t = now();
                (bits == 32 ? functions[k].libm32 : functions[k].libm64)(x, y, theirs);
                t = now() - t;
                libm = t < libm ? t : libm;
                if (rival) {
                    t = now();
                    if (bits == 32)
                        sleef32(rival, two, x, y, theirs);
                    else
                        sleef64(rival, two, x, y, theirs);
                    t = now() - t;
                    vector = t < vector ? t : vector;
                }
            }
            printf("%s f%d\t%.4g\tMelem/s\t0\n", functions[k].name, bits, N / ours * 1e-6);
            printf("%s f%d: speed / libm\t%.3g\tx\t0\n", functions[k].name, bits, libm / ours);
            if (rival) {
                printf("%s f%d: speed / SLEEF\t%.3g\tx\t0\n", functions[k].name, bits,
                       vector / ours);
                product *= vector / ours;
                least = vector / ours < least ? vector / ours : least;
                rivals++;
            }
            fflush(stdout);
        }
        for (int b = 0; b < 3; b++)
            d.driver->free(d.dev, at[b]);
        free(theirs);
    }
    if (rivals)
        printf("geometric mean: speed / SLEEF\t%.3g\tx\t0\nleast: speed / SLEEF\t%.3g\tx\t0\n",
               pow(product, 1.0 / rivals), least);
    return 0;
}

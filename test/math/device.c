/* The library as the compiler sees it: kernels that call every function by CUDA's name, and the
 * bits they must give, computed natively.
 *
 * usage: device source | device input PREFIX | device expect
 * source prints the kernels, eight functions each; input writes the arguments; expect prints
 * "kernel argument name checksum", the checksum as `tern run` shows it (FNV-1a, 64 bits). */
#include "../../device/libm/f32.h"
#include "../../device/libm/f64.h"
#include "../../device/libm/quick.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1024, GROUP = 8 };

static float our_sqrtf(float x)
{
    return __tern_sqrtf(x);
}
static double our_sqrt(double x)
{
    return __tern_sqrt(x);
}
#undef __tern_sqrtf
#undef __tern_sqrt
#define __tern_sqrtf our_sqrtf
#define __tern_sqrt  our_sqrt

#define ULP_F1(n, b, c, lo, hi)                                                                    \
    static float f1_##n(float x)                                                                   \
    {                                                                                              \
        return __tern_##n##f(x);                                                                   \
    }
#define ULP_D1(n, b, c, lo, hi)                                                                    \
    static double d1_##n(double x)                                                                 \
    {                                                                                              \
        return __tern_##n(x);                                                                      \
    }
#define ULP_FA(n, b, a, c) ULP_F1(n, b, c, 0, 0)
#define ULP_DA(n, b, a, c) ULP_D1(n, b, c, 0, 0)
#define ULP_F2(n, b, c, lo, hi)                                                                    \
    static float f2_##n(float x, float y)                                                          \
    {                                                                                              \
        return __tern_##n##f(x, y);                                                                \
    }
#define ULP_D2(n, b, c, lo, hi)                                                                    \
    static double d2_##n(double x, double y)                                                       \
    {                                                                                              \
        return __tern_##n(x, y);                                                                   \
    }
#include "../../device/libm/ulp.def"
#undef ULP_F1
#undef ULP_D1
#undef ULP_FA
#undef ULP_DA
#undef ULP_F2
#undef ULP_D2

/* The intrinsics that -use_fast_math takes, as device_functions.h makes them of quick functions. */
static float quick_sin(float x)
{
    return __tern_quick_sinf(x);
}
static float quick_cos(float x)
{
    return __tern_quick_cosf(x);
}
static float quick_tan(float x)
{
    return __tern_quick_sinf(x) / __tern_quick_cosf(x);
}
static float quick_exp(float x)
{
    return __tern_quick_exp2f(x * 1.4426950408889634f);
}
static float quick_exp10(float x)
{
    return __tern_quick_exp2f(x * 3.3219280948873623f);
}
static float quick_log(float x)
{
    return __tern_quick_log2f(x) * 0.6931471805599453f;
}
static float quick_tanh(float x)
{
    return __tern_quick_tanhf(x);
}
static float quick_pow(float x, float y)
{
    return __tern_quick_exp2f(y * __tern_quick_log2f(x));
}

struct func {
    const char *name;
    int bits, args;
    float (*f1)(float);
    float (*f2)(float, float);
    double (*d1)(double);
    double (*d2)(double, double);
};
static const struct func funcs[] = {
#define ULP_F1(n, b, c, lo, hi) {#n "f", 32, 1, f1_##n, NULL, NULL, NULL},
#define ULP_FA(n, b, a, c)      ULP_F1(n, b, c, 0, 0)
#define ULP_F2(n, b, c, lo, hi) {#n "f", 32, 2, NULL, f2_##n, NULL, NULL},
#define ULP_D1(n, b, c, lo, hi) {#n, 64, 1, NULL, NULL, d1_##n, NULL},
#define ULP_DA(n, b, a, c)      ULP_D1(n, b, c, 0, 0)
#define ULP_D2(n, b, c, lo, hi) {#n, 64, 2, NULL, NULL, NULL, d2_##n},
#include "../../device/libm/ulp.def"
    {"__sinf", 32, 1, quick_sin, NULL, NULL, NULL},
    {"__cosf", 32, 1, quick_cos, NULL, NULL, NULL},
    {"__tanf", 32, 1, quick_tan, NULL, NULL, NULL},
    {"__expf", 32, 1, quick_exp, NULL, NULL, NULL},
    {"__exp10f", 32, 1, quick_exp10, NULL, NULL, NULL},
    {"__logf", 32, 1, quick_log, NULL, NULL, NULL},
    {"__tanhf", 32, 1, quick_tanh, NULL, NULL, NULL},
    {"__powf", 32, 2, NULL, quick_pow, NULL, NULL},
};
enum { NFUNCS = sizeof funcs / sizeof funcs[0] };

/* Groups hold functions of one format. */
static int group_of(int f, int *slot)
{
    int group = 0, at = 0;
    for (int i = 0; i < f; i++) {
        at++;
        if (at == GROUP || funcs[i + 1].bits != funcs[i].bits) {
            group++;
            at = 0;
        }
    }
    *slot = at;
    return group;
}

static void source(void)
{
    for (int i = 0; i < NFUNCS;) {
        int slot, group = group_of(i, &slot), n = i;
        const char *t = funcs[i].bits == 32 ? "float" : "double";
        while (n < NFUNCS && group_of(n, &slot) == group)
            n++;
        printf("extern \"C\" __global__ void g%d(const %s *x, const %s *y", group, t, t);
        for (int k = i; k < n; k++)
            printf(", %s *o%d", t, k - i);
        printf(")\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    %s a = x[i], b = "
               "y[i], r;\n",
               t);
        for (int k = i; k < n; k++)
            printf("    r = %s(%s);\n    o%d[i] = r != r ? %s : r;\n", funcs[k].name,
                   funcs[k].args == 1 ? "a" : "a, b", k - i,
                   funcs[k].bits == 32 ? "__int_as_float(0x7fffffff)"
                                       : "__longlong_as_double(0x7fffffffffffffffLL)");
        printf("    (void)b;\n}\n");
        i = n;
    }
}

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static double argument(int bits, int which, int i)
{
    static const double special[] = {
        0,     1,        2,   0.5,  0.25, 1.5,      2.5,      3,         4,         8,
        10,    100,      1e4, 1e10, 1e30, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, 0x1.fffffep+127,
        1e300, INFINITY, NAN};
    uint64_t u = mix((uint64_t)i * 2 + (uint64_t)which), v = mix(u);
    int n = sizeof special / sizeof special[0];
    double d, span[] = {1, 4, 20, 100};
    if (i < 2 * n * 4)
        d = special[(which ? i / 7 : i / 2) % n] * ((which ? i / 3 : i) & 1 ? -1 : 1);
    else if (i % 4 == 0 && bits == 64)
        memcpy(&d, &u, sizeof d);
    else if (i % 4 == 0) {
        uint32_t w = (uint32_t)u;
        float f;
        memcpy(&f, &w, sizeof f);
        d = f;
    } else
        d = ((double)(u >> 11) * 0x1p-52 - (v & 1 ? 1 : 0)) * span[v >> 1 & 3];
    return bits == 32 ? (double)(float)d : d;
}
/* PREFIX.x32, .y32, .x64, .y64 */
static int input(const char *prefix)
{
    int failed = 0;
    for (int k = 0; k < 4; k++) {
        char path[4096];
        int bits = k < 2 ? 32 : 64;
        snprintf(path, sizeof path, "%s.%c%d", prefix, k & 1 ? 'y' : 'x', bits);
        FILE *f = fopen(path, "wb");
        if (!f)
            return 1;
        for (int i = 0; i < COUNT; i++) {
            double d = argument(bits, k & 1, i);
            float s = (float)d;
            fwrite(bits == 32 ? (void *)&s : (void *)&d, (size_t)bits / 8, 1, f);
        }
        failed |= fclose(f) != 0;
    }
    return failed;
}
static void expect(void)
{
    for (int k = 0; k < NFUNCS; k++) {
        const struct func *f = &funcs[k];
        uint64_t h = 0xcbf29ce484222325u;
        int slot, group = group_of(k, &slot);
        for (int i = 0; i < COUNT; i++) {
            double x = argument(f->bits, 0, i), y = argument(f->bits, 1, i);
            uint64_t u = 0;
            if (f->bits == 32) {
                float r = f->args == 1 ? f->f1((float)x) : f->f2((float)x, (float)y);
                uint32_t w;
                memcpy(&w, &r, sizeof w);
                u = r != r ? 0x7fffffff : w;
            } else {
                double r = f->args == 1 ? f->d1(x) : f->d2(x, y);
                memcpy(&u, &r, sizeof u);
                u = r != r ? 0x7fffffffffffffff : u;
            }
            for (int b = 0; b < f->bits; b += 8)
                h = (h ^ (u >> b & 0xff)) * 0x100000001b3u;
        }
        printf("g%d %d %s %016" PRIx64 " f%d\n", group, slot + 2, f->name, h, f->bits);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "source") == 0)
        return source(), 0;
    if (argc == 2 && strcmp(argv[1], "expect") == 0)
        return expect(), 0;
    if (argc == 3 && strcmp(argv[1], "input") == 0)
        return input(argv[2]);
    return fputs("usage: device source | input PREFIX | expect\n", stderr), 2;
}

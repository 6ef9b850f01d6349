/* The math functions of half and bfloat16 on all 65,536 inputs against double: worst distance from
 * the exact value in units in the last place of the 16-bit format. The functions are those of
 * cuda_fp16.h and cuda_bf16.h: widen, float's function, round.   usage: halfmath [-d for a table]
 */
#include "../../device/libm/f32.h"
#include "../../device/libm/half.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double exact_rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double exact_rcp(double x)
{
    return 1 / x;
}
static float rcpf(float x)
{
    return 1 / x;
}
static float root(float x)
{
    return __tern_sqrtf(x);
}
#define OURS(n)                                                                                    \
    static float our_##n(float x)                                                                  \
    {                                                                                              \
        return __tern_##n##f(x);                                                                   \
    }
OURS(rsqrt)
OURS(exp)
OURS(exp2)
OURS(exp10)
OURS(log)
OURS(log2)
OURS(log10)
OURS(sin)
OURS(cos)
OURS(tanh)

static const struct row {
    const char *name;
    float (*f)(float);
    double (*exact)(double);
} rows[] = {{"sqrt", root, sqrt},        {"rsqrt", our_rsqrt, exact_rsqrt},
            {"rcp", rcpf, exact_rcp},    {"exp", our_exp, exp},
            {"exp2", our_exp2, exp2},    {"exp10", our_exp10, exp10},
            {"log", our_log, log},       {"log2", our_log2, log2},
            {"log10", our_log10, log10}, {"sin", our_sin, sin},
            {"cos", our_cos, cos},       {"tanh", our_tanh, tanh}};

/* A format: digits after the leading one, the exponent of its smallest normal number, its largest.
 */
static const struct format {
    const char *name;
    int digits, least;
    double most;
} formats[] = {{"half", 10, -14, 65504}, {"bfloat16", 7, -126, 0x1.fep127}};

static double distance(const struct format *f, double got, double want)
{
    int e;
    double half_step = ldexp(1, (f->least < 0 && f->digits == 7 ? 127 : 15) - f->digits - 1);
    if (want != want || got != got)
        return want != want && got != got ? 0 : INFINITY;
    if (isinf(want) || isinf(got)) /* beyond the largest number by half a step: infinite */
        return (isinf(got) && fabs(want) >= f->most + half_step * 0.999 && (got > 0) == (want > 0))
                   ? 0
                   : INFINITY;
    frexp(want, &e);
    e = e - 1 < f->least || want == 0 ? f->least : e - 1;
    return fabs(got - want) / ldexp(1, e - f->digits);
}

int main(int argc, char **argv)
{
    int doc = argc > 1 && !strcmp(argv[1], "-d"), failed = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            double worst = 0, at = 0;
            for (uint32_t h = 0; h < 65536; h++) {
                float x = k == 0 ? __tern_f16_to_f32(h) : __tern_bf16_to_f32(h);
                float y = rows[r].f(x);
                float got = k == 0 ? __tern_f16_to_f32(__tern_f32_to_f16(y, 0))
                                   : __tern_bf16_to_f32(__tern_f32_to_bf16(y, 0));
                double e = distance(&formats[k], got, rows[r].exact(x));
                if (!(e <= worst)) {
                    worst = e;
                    at = x;
                }
            }
            const double bound = 0.5002; /* rounded twice, the first time to float */
            int bad = !(worst <= bound);
            failed |= bad;
            if (doc)
                printf("| `%s%s` of %s | all 2^16 | %.5f | %a |\n", "h", rows[r].name,
                       formats[k].name, worst, at);
            else
                printf("%s math h%s of %s (%.5f ulp at %a)\n", bad ? "FAIL" : "PASS", rows[r].name,
                       formats[k].name, worst, at);
        }
    return failed;
}

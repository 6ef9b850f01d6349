/* The quick functions (device/libm/quick.h) against double: every 1009th float, or every
 * one when asked. Bounds are those of CUDA's intrinsics.   usage: quick [1] */
#include "../../device/libm/quick.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double ulps(float got, double want)
{
    int e;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}
static float quick_sin(float x)
{
    return __tern_quick_sinf(x);
}
static float quick_cos(float x)
{
    return __tern_quick_cosf(x);
}
static float quick_log2(float x)
{
    return __tern_quick_log2f(x);
}
static float quick_exp2(float x)
{
    return __tern_quick_exp2f(x);
}
static float quick_tanh(float x)
{
    return __tern_quick_tanhf(x);
}

/* In [from, to] the error is absolute, elsewhere in ulp; nowhere: -1. */
static const struct row {
    const char *name;
    float (*f)(float);
    double (*exact)(double);
    double from, to, absolute, ulp, least,
        most; /* and the result lies in [least, most] or is NaN */
} rows[] = {
    {"__sinf", quick_sin, sin, -3.1415927, 3.1415927, 0x1p-21, -1, -1, 1},
    {"__cosf", quick_cos, cos, -3.1415927, 3.1415927, 0x1p-21, -1, -1, 1},
    {"__log2f", quick_log2, log2, 0.5, 2, 0x1p-22, 2, -INFINITY, INFINITY},
    {"__exp2f", quick_exp2, exp2, 0, 0, 0, 2, 0, INFINITY},
    {"__tanhf", quick_tanh, tanh, 0, 0, 0, 2, -1, 1},
};

int main(int argc, char **argv)
{
    uint32_t step = argc > 1 && !strcmp(argv[1], "1") ? 1 : 1009;
    int failed = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct row *r = &rows[k];
        double worst_abs = 0, worst_ulp = 0;
        int bad = 0;
        for (uint64_t u = 0; u <= UINT32_MAX; u += step) {
            uint32_t bits = (uint32_t)u;
            float x, got;
            memcpy(&x, &bits, sizeof x);
            got = r->f(x);
            double want = r->exact(x), e;
            if (want != want || got != got) {
                bad |= (want != want) != (got != got);
                continue;
            }
            bad |= !(got >= r->least && got <= r->most);
            if (x >= r->from && x <= r->to) {
                e = fabs(got - want);
                worst_abs = e > worst_abs ? e : worst_abs;
            } else if (r->ulp > 0 && fabs(want) < 0x1p128) {
                e = isinf(got) && fabs(want) > 0x1.ffffffp127 ? 0 : ulps(got, want);
                worst_ulp = e > worst_ulp ? e : worst_ulp;
            }
        }
        bad |= !(worst_abs <= r->absolute) || (r->ulp > 0 && !(worst_ulp <= r->ulp));
        failed |= bad;
        printf("%s math quick %s (%.3g absolute, %.3f ulp)\n", bad ? "FAIL" : "PASS", r->name,
               worst_abs, worst_ulp);
    }
    int ok = signbit(quick_sin(-0.0f)) && quick_sin(-0.0f) == 0 && isnan(quick_sin(INFINITY)) &&
             isnan(quick_cos(-INFINITY)) && quick_log2(0) == -INFINITY && isnan(quick_log2(-1)) &&
             quick_log2(INFINITY) == INFINITY && quick_log2(0x1p-149f) == -149 &&
             quick_exp2(-149) == 0x1p-149f && quick_exp2(128) == INFINITY && quick_exp2(-200) == 0;
    printf(ok ? "PASS math quick special values\n" : "FAIL math quick special values: wrong\n");
    return failed | !ok;
}

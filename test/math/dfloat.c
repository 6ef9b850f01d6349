/* Double-float arithmetic against f64: the largest relative error of each operation in units of
 * u^2 = 2^-48, held to the bound the header states.  usage: dfloat [millions, default 0.2] */
#include "../../device/softf64/dfloat.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
/* a pair with exponents of hi within +-range, lo anywhere below half an ulp */
static struct __tern_df operand(int range)
{
    uint64_t r = next(), k = next();
    float hi =
        ldexpf(1 + (float)(r & 0x7fffff) * 0x1p-23f, (int)(k % (unsigned)(2 * range)) - range);
    float lo = ldexpf(hi, -24 - (int)(k >> 32 & 7)) *
               (float)((int64_t)(r >> 24 & 0xffffff) - 0x800000) * 0x1p-23f;
    return __tern_df_norm(r >> 63 ? -hi : hi, (k >> 40 & 7) == 0 ? 0 : lo);
}
/* Wide enough for the sum of a pair, whose halves may lie far apart: x86's long double is not. */
#if LDBL_MANT_DIG >= 106
typedef long double wide;
#else
__extension__ typedef __float128 wide;
#endif
static wide value(struct __tern_df a)
{
    return (wide)a.hi + a.lo;
}
static wide size_of(wide a)
{
    return a < 0 ? -a : a;
}
static wide root_of(wide a)
{
    wide r = sqrtl((long double)a);
    return (r + a / r) / 2; /* a step of Newton's doubles its digits */
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"add", "sub of near operands", "mul", "div", "sqrt", "fma",
                                       "bits"};
    static const double bound[] = {3, 3, 4, 9.8, 3.125, 6, 0.5};
    double millions = argc > 1 ? atof(argv[1]) : 0.2;
    int failed = 0;
    for (int op = 0; op < 7; op++) {
        double worst = 0;
        int bad = 0;
        for (long i = 0; i < (long)(millions * 1e6); i++) {
            struct __tern_df a = operand(20), b = operand(20), c = operand(30), r;
            wide want;
            switch (op) {
            case 0:
                r = __tern_df_add(a, b);
                want = value(a) + value(b);
                break;
            case 1:
                b = __tern_df_norm(a.hi, a.lo * 0.5f);
                r = __tern_df_sub(a, b);
                want = value(a) - value(b);
                break;
            case 2:
                r = __tern_df_mul(a, b);
                want = value(a) * value(b);
                break;
            case 3:
                r = __tern_df_div(a, b);
                want = value(a) / value(b);
                break;
            case 4:
                a = a.hi < 0 ? __tern_df_neg(a) : a;
                r = __tern_df_sqrt(a);
                want = root_of(value(a));
                break;
            case 5:
                r = __tern_df_fma(a, b, c);
                want = value(a) * value(b) + value(c);
                break;
            default: {
                double d = (double)value(a) * (1 + (double)(next() >> 40) * 0x1p-60);
                uint64_t u;
                memcpy(&u, &d, sizeof u);
                r = __tern_df_from_bits(__tern_w_make((uint32_t)u, (uint32_t)(u >> 32)));
                want = d;
                struct __tern_u2 back = __tern_df_to_bits(r);
                u = (uint64_t)back.hi << 32 | back.lo;
                memcpy(&d, &u, sizeof d);
                bad |= d != value(r);
            }
            }
            /* fma may cancel: then the error is that of the product */
            const wide product = size_of(value(a) * value(b)) * 0x1p-20L;
            const wide scale = op == 5 && product > size_of(want) ? product : size_of(want);
            double e = want == 0 ? (value(r) == 0 ? 0 : 1e30)
                                 : (double)(size_of(value(r) - want) / scale * 0x1p48L);
            worst = e > worst ? e : worst;
            bad |= fabsf(r.lo) > fabsf(r.hi) * 0x1p-23f;
        }
        bad |= worst > bound[op];
        failed |= bad;
        printf(bad ? "FAIL dfloat %s: %.3f u^2, bound %g\n"
                   : "PASS dfloat %s (%.3f u^2, bound %g)\n",
               name[op], worst, bound[op]);
    }
    volatile float x = 0x1.000002p+0f, y = 0x1.000002p-24f;
    int ok = __tern_df_selftest(x, y) && !__tern_df_selftest(x, y * 1.5f);
    struct __tern_df inf = __tern_df_make(INFINITY, 0), one = __tern_df_make(1, 0),
                     zero = __tern_df_make(0, 0);
    ok &= __tern_df_add(inf, one).hi == INFINITY && __tern_df_mul(inf, one).hi == INFINITY &&
          __tern_df_div(one, zero).hi == INFINITY;
    ok &= __tern_df_div(one, inf).hi == 0 && isnan(__tern_df_sub(inf, inf).hi) &&
          isnan(__tern_df_sqrt(__tern_df_neg(one)).hi);
    ok &= __tern_df_mul(__tern_df_make(0x1p127f, 0), __tern_df_make(2, 0)).hi == INFINITY;
    for (int i = 0; i < 100000; i++) {
        int32_t n = (int32_t)(next() >> (next() % 40));
        struct __tern_df f = __tern_df_from_i32(n),
                         half = __tern_df_add(f, __tern_df_make(n >= 0 ? 0.5f : -0.5f, 0));
        ok &= value(f) == n && __tern_df_to_i32(f) == n && __tern_df_to_i32(half) == n;
    }
    ok &= __tern_df_to_i32(inf) == 2147483647 &&
          __tern_df_to_i32(__tern_df_neg(inf)) == -2147483647 - 1;
    printf(ok ? "PASS dfloat special values, conversions and self-test\n"
              : "FAIL dfloat special values: wrong\n");
    return failed | !ok;
}

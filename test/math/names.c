/* Every function of math_names.def exists with the signature it states, and is tested: those with
 * an error bound in ulp.def by the accuracy program, special values included; the others (parts of
 * numbers, orders and norms) here, against the C library. */
#include "../../device/libm/f32.h"
#include "../../device/libm/f64.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static int failed;
static const char *checked[128];
static unsigned nchecked;
static void check(int ok, const char *name, double x, double y)
{
    if (nchecked < sizeof checked / sizeof *checked)
        checked[nchecked++] = name;
    if (ok)
        printf("PASS math %s\n", name);
    else
        printf("FAIL math %s: at %a, %a\n", name, x, y);
    failed |= !ok;
}
static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}
static double any(int bits)
{
    static const double special[] = {
        0,      0.5,    1,      1.5,      2.5, 3,        1e9,       0x1p31,
        0x1p62, 0x1p63, 0x1p64, INFINITY, NAN, 0x1p-149, 0x1p-1074, 0x1.fffffep+127};
    uint64_t u = next(), k = next();
    double d;
    float f;
    uint32_t v = (uint32_t)u;
    if (k % 8 == 0)
        d = special[k / 8 % (sizeof special / sizeof special[0])] * (k >> 60 & 1 ? -1 : 1);
    else if (k % 8 < 4)
        d = (double)((int64_t)(u >> 40) - 0x800000) / (1 << (k >> 50 & 7)) / 0x1p12;
    else if (bits == 64)
        memcpy(&d, &u, sizeof d);
    else {
        memcpy(&f, &v, sizeof f);
        d = f;
    }
    return bits == 32 ? (double)(float)d : d;
}
static long long clip(double x)
{
    return x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (long long)x;
}

#define EXACT(bits, T, f)                                                                          \
    static void exact_##T(void)                                                                    \
    {                                                                                              \
        static const char *const name[] = {"ldexp" #f,  "frexp" #f,     "modf" #f,    "remquo" #f, \
                                           "ilogb" #f,  "logb" #f,      "llround" #f, "llrint" #f, \
                                           "round" #f,  "nextafter" #f, "scalbln" #f, "sincos" #f, \
                                           "scalbn" #f, "fabs" #f,      "sincospi" #f};            \
        for (int k = 0; k < 15; k++) {                                                             \
            int ok = 1;                                                                            \
            T x = 0, y = 0;                                                                        \
            for (int i = 0; i < 60000 && ok; i++) {                                                \
                int n = (int)(next() % 700) - 350, a = 0, b = 0;                                   \
                T p = 0, q = 0, s, c;                                                              \
                x = (T)any(bits);                                                                  \
                y = (T)any(bits);                                                                  \
                if (bits == 64)                                                                    \
                    n *= 7;                                                                        \
                switch (k) {                                                                       \
                case 0: ok = same(__tern_ldexp##f(x, n), ldexp##f(x, n)); break;                   \
                case 1:                                                                            \
                    ok =                                                                           \
                        same(__tern_frexp##f(x, &a), frexp##f(x, &b)) && (a == b || !isfinite(x)); \
                    break;                                                                         \
                case 2: ok = same(__tern_modf##f(x, &p), modf##f(x, &q)) && same(p, q); break;     \
                case 3:                                                                            \
                    ok = same(__tern_remquo##f(x, y, &a), remquo##f(x, y, &b));                    \
                    ok &= (a & 7) == (b & 7) || !isfinite(x) || isnan(y) || y == 0 ||              \
                          (a ^ b) < 0 || ((-a & 7) == (-b & 7));                                   \
                    break;                                                                         \
                case 4: ok = x == 0 || isnan(x) || __tern_ilogb##f(x) == ilogb##f(x); break;       \
                case 5: ok = same(__tern_logb##f(x), logb##f(x)); break;                           \
                case 6: ok = __tern_llround##f(x) == clip(round##f(x)); break;                     \
                case 7: ok = __tern_llrint##f(x) == clip(rint##f(x)); break;                       \
                case 8: ok = same(__tern_round##f(x), round##f(x)); break;                         \
                case 9: ok = same(__tern_nextafter##f(x, y), nextafter##f(x, y)); break;           \
                case 10: ok = same(__tern_scalbln##f(x, n), scalbln##f(x, n)); break;              \
                case 11:                                                                           \
                    __tern_sincos##f(x, &s, &c);                                                   \
                    ok = same(s, __tern_sin##f(x)) && same(c, __tern_cos##f(x));                   \
                    break;                                                                         \
                case 12: ok = same(__tern_scalbn##f(x, n), scalbn##f(x, n)); break;                \
                case 13: ok = same(__tern_fabs##f(x), fabs##f(x)); break;                          \
                default:                                                                           \
                    __tern_sincospi##f(x, &s, &c);                                                 \
                    ok = same(s, __tern_sinpi##f(x)) && same(c, __tern_cospi##f(x));               \
                }                                                                                  \
            }                                                                                      \
            check(ok, name[k], x, y);                                                              \
        }                                                                                          \
    }
EXACT(32, float, f)
EXACT(64, double, )

/* Norms within the stated distance, orders within CUDA's absolute error. */
#define NORMS(T, f, unit, ulps, absolute, wide, wf)                                                \
    static void norms_##T(void)                                                                    \
    {                                                                                              \
        double worst[6] = {0}, at[6] = {0};                                                        \
        static const char *const name[] = {"norm3d" #f,  "rnorm3d" #f, "norm4d" #f,                \
                                           "rnorm4d" #f, "norm" #f,    "rnorm" #f};                \
        for (int i = 0; i < 50000; i++) {                                                          \
            T v[7], e = (T)ldexp(1, (int)(next() % 100) - 50);                                     \
            wide s3, s4, s7;                                                                       \
            for (int k = 0; k < 7; k++)                                                            \
                v[k] = e * (T)((double)(next() >> 11) * 0x1p-53 - 0.5);                            \
            s3 = (wide)v[0] * v[0] + (wide)v[1] * v[1] + (wide)v[2] * v[2];                        \
            s4 = s3 + (wide)v[3] * v[3];                                                           \
            s7 = s4 + (wide)v[4] * v[4] + (wide)v[5] * v[5] + (wide)v[6] * v[6];                   \
            wide want[6] = {sqrt##wf(s3),     1 / sqrt##wf(s3), sqrt##wf(s4),                      \
                            1 / sqrt##wf(s4), sqrt##wf(s7),     1 / sqrt##wf(s7)};                 \
            T got[6] = {__tern_norm3d##f(v[0], v[1], v[2]),                                        \
                        __tern_rnorm3d##f(v[0], v[1], v[2]),                                       \
                        __tern_norm4d##f(v[0], v[1], v[2], v[3]),                                  \
                        __tern_rnorm4d##f(v[0], v[1], v[2], v[3]),                                 \
                        __tern_norm##f(7, v),                                                      \
                        __tern_rnorm##f(7, v)};                                                    \
            for (int k = 0; k < 6; k++) {                                                          \
                double d = (double)((got[k] - want[k]) / want[k] / unit);                          \
                d = d < 0 ? -d : d;                                                                \
                if (d > worst[k]) {                                                                \
                    worst[k] = d;                                                                  \
                    at[k] = v[0];                                                                  \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; k < 6; k++)                                                                \
            check(worst[k] <= ulps, name[k], at[k], worst[k]);                                     \
        static const int order[] = {0, 1, 2, 3, 5, 10, 30, 128};                                   \
        int okj = 1, oky = 1;                                                                      \
        double xj = 0, xy = 0, nj = 0, ny = 0;                                                     \
        for (int k = 0; k < 8; k++)                                                                \
            for (int i = 0; i < 400; i++) {                                                        \
                T x = (T)((double)(next() >> 11) * 0x1p-53 * (i % 2 ? 20 : 400));                  \
                int n = order[k];                                                                  \
                double j = jn(n, x), y = yn(n, x), gj = __tern_jn##f(n, x),                        \
                       gy = __tern_yn##f(n, x);                                                    \
                if (!(fabs(gj - j) <= absolute)) {                                                 \
                    okj = 0;                                                                       \
                    xj = x;                                                                        \
                    nj = n;                                                                        \
                }                                                                                  \
                /* below the order Y grows without limit: relative there */                        \
                double limit = absolute * (x < 1.5 * n ? 1 + fabs(y) * (2 + 2.5 * n) : 1);         \
                if (!(fabs(gy - y) <= limit) && !(fabs(y) > (sizeof(T) == 4 ? 1e37 : 1e300))) {    \
                    oky = 0;                                                                       \
                    xy = x;                                                                        \
                    ny = n;                                                                        \
                }                                                                                  \
            }                                                                                      \
        check(okj, "jn" #f, xj, nj);                                                               \
        check(oky, "yn" #f, xy, ny);                                                               \
        check(isnan(__tern_jn##f(-1, 1)) && isnan(__tern_yn##f(-1, 1)) &&                          \
                  __tern_yn##f(3, 0) == -INFINITY && __tern_jn##f(3, 0) == 0 &&                    \
                  __tern_jn##f(2, INFINITY) == 0 && __tern_jn##f(3, -2) == -__tern_jn##f(3, 2),    \
              "special orders" #f, 0, 0);                                                          \
        T v[4] = {1, (T)INFINITY, (T)NAN, -2}, zero[4] = {0, -0.0f, 0, 0}, bad[4] = {1, (T)NAN};   \
        check(__tern_norm##f(4, v) == INFINITY && __tern_rnorm##f(4, v) == 0 &&                    \
                  __tern_norm3d##f(v[1], v[2], v[0]) == INFINITY &&                                \
                  __tern_norm4d##f(v[0], v[2], -v[1], v[0]) == INFINITY &&                         \
                  __tern_rnorm3d##f(v[1], v[2], v[0]) == 0 &&                                      \
                  __tern_rnorm4d##f(v[0], v[2], v[1], v[0]) == 0 &&                                \
                  __tern_norm##f(4, zero) == 0 && __tern_norm3d##f(0, 0, 0) == 0 &&                \
                  __tern_norm4d##f(0, 0, 0, 0) == 0 && __tern_rnorm3d##f(0, 0, 0) == INFINITY &&   \
                  __tern_rnorm4d##f(0, 0, 0, 0) == INFINITY &&                                     \
                  __tern_rnorm##f(4, zero) == INFINITY && isnan(__tern_norm##f(2, bad)) &&         \
                  isnan(__tern_norm3d##f(bad[1], 1, 1)) &&                                         \
                  isnan(__tern_rnorm4d##f(1, 1, 1, bad[1])),                                       \
              "special norms" #f, 0, 0);                                                           \
    }
NORMS(float, f, 0x1p-23, 1.0, 2.2e-6, double, )
NORMS(double, , 0x1p-52, 1.0, 5e-12, long double, l)

/* Names and signatures. */
#define MATH_F(cuda, ours, signature) (void)sizeof(&ours);
#define MATH_D(cuda, ours, signature) (void)sizeof(&ours);
static int names(void)
{
    int n = 0;
#include "../../device/libm/math_names.def"
#undef MATH_F
#undef MATH_D
#define MATH_F(cuda, ours, signature) n += strcmp(#ours, "__tern_" #cuda) == 0;
#define MATH_D                        MATH_F
#include "../../device/libm/math_names.def"
    return n;
}

/* A function that nobody tests has a row in math_names.def and none in ulp.def or above. */
static void coverage(void)
{
    static const char *const bounded[] = {
#define ULP_F1(n, b, c, lo, hi) #n "f",
#define ULP_F2(n, b, c, lo, hi) #n "f",
#define ULP_FA(n, b, a, c)      #n "f",
#define ULP_D1(n, b, c, lo, hi) #n,
#define ULP_D2(n, b, c, lo, hi) #n,
#define ULP_DA(n, b, a, c)      #n,
#include "../../device/libm/ulp.def"
    };
    static const char *const all[] = {
#undef MATH_F
#undef MATH_D
#define MATH_F(cuda, ours, signature) #cuda,
#define MATH_D(cuda, ours, signature) #cuda,
#include "../../device/libm/math_names.def"
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int found = 0;
        for (size_t k = 0; k < sizeof bounded / sizeof *bounded; k++)
            found |= !strcmp(all[i], bounded[k]);
        for (unsigned k = 0; k < nchecked; k++)
            found |= !strcmp(all[i], checked[k]);
        if (!found)
            check(0, all[i], 0, 0);
    }
    check(1, "names are all tested", 0, 0);
}

int main(void)
{
    int n = names();
    check(n == 140, "names and functions agree", n, 140);
    exact_float();
    exact_double();
    norms_float();
    norms_double();
    coverage();
    return failed;
}

/* Measures the device math library's accuracy against the C library one format up, or MPFR.
 *
 * usage: accuracy [-e|-p] [-m] [-n thousands] [-t threads] [-d] [name ...]
 *   -e  every float, for one-argument f32 functions (minutes each)
 *   -p  every float from +0 up: enough for functions that are odd, even, or NaN below zero
 *   -m  against MPFR (built with -DWITH_MPFR -lmpfr -lgmp)
 *   -n  thousands of points per function (default 100); -t  threads
 *   -d  print rows of a Markdown table instead of PASS/FAIL lines
 * Without -m float is measured against double, double against long double (binary128 on aarch64,
 * 64-bit mantissa on x86-64). Exit status 1 when a function is beyond its bound in ulp.def. */
#include "../../device/libm/f32.h"
#include "../../device/libm/f64.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_erfinv  __tern_erfinv
#define START_erfcinv __tern_erfcinv
#define R             double
#define SPLIT         float
#define RN(n)         ref_##n##_d
#define RM(n)         n
#define RM2(n, s)     n##s
#define RK(c)         c
#define EPS           2.2e-16
#include "ref.h"
#undef R
#undef SPLIT
#undef RN
#undef RM
#undef RM2
#undef RK
#undef EPS
#define R         long double
#define SPLIT     float
#define RN(n)     ref_##n##_l
#define RM(n)     n##l
#define RM2(n, s) n##l##s
#define RK(c)     c##l
#define EPS       (sizeof(long double) == 16 && __LDBL_MANT_DIG__ == 113 ? 1e-33L : 1e-19L)
#include "ref.h"
#ifdef WITH_MPFR
#include "ref_mpfr.h"
#define MULTI_OF(n) .multi = multi_##n,
#else
#define MULTI_OF(n)
#endif

/* Some references have no fast form in double; our own double functions, which are held to the
 * long double ones, stand in for them when floats are checked. */
#define ref_erfinv_d        our_erfinv
#define ref_erfcinv_d       our_erfcinv
#define ref_normcdfinv_d    our_normcdfinv
#define ref_erfcx_d         our_erfcx
#define ref_cyl_bessel_i0_d our_cyl_bessel_i0
#define ref_cyl_bessel_i1_d our_cyl_bessel_i1
static double our_erfinv(double x)
{
    return __tern_erfinv(x);
}
static double our_erfcinv(double x)
{
    return __tern_erfcinv(x);
}
static double our_normcdfinv(double x)
{
    return __tern_normcdfinv(x);
}
static double our_erfcx(double x)
{
    return __tern_erfcx(x);
}
static double our_cyl_bessel_i0(double x)
{
    return __tern_cyl_bessel_i0(x);
}
static double our_cyl_bessel_i1(double x)
{
    return __tern_cyl_bessel_i1(x);
}

static float our_sqrtf(float x)
{
    return __tern_sqrtf(x);
}
#undef __tern_sqrtf
#define __tern_sqrtf our_sqrtf
static double our_sqrt(double x)
{
    return __tern_sqrt(x);
}
#undef __tern_sqrt
#define __tern_sqrt our_sqrt

struct func {
    const char *name, *cuda;
    int bits, args;
    double bound, beyond, lo, hi; /* beyond: absolute bound from |x| = 8 on, or 0 */
    float (*f1)(float);
    float (*f2)(float, float);
    double (*d1)(double);
    double (*d2)(double, double);
    double (*rf1)(double);
    double (*rf2)(double, double);
    long double (*rd1)(long double);
    long double (*rd2)(long double, long double);
    long double (*multi)(double, double); /* MPFR's value, or NULL */
};
/* Pointers to inline functions need an out-of-line name. */
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

static const struct func funcs[] = {
#define ULP_F1(n, b, c, lo_, hi_)                                                                  \
    {.name = #n "f",                                                                               \
     .cuda = c,                                                                                    \
     .bits = 32,                                                                                   \
     .args = 1,                                                                                    \
     .bound = b,                                                                                   \
     .lo = lo_,                                                                                    \
     .hi = hi_,                                                                                    \
     .f1 = f1_##n,                                                                                 \
     MULTI_OF(n).rf1 = ref_##n##_d},
#define ULP_D1(n, b, c, lo_, hi_)                                                                  \
    {.name = #n,                                                                                   \
     .cuda = c,                                                                                    \
     .bits = 64,                                                                                   \
     .args = 1,                                                                                    \
     .bound = b,                                                                                   \
     .lo = lo_,                                                                                    \
     .hi = hi_,                                                                                    \
     .d1 = d1_##n,                                                                                 \
     MULTI_OF(n).rd1 = ref_##n##_l},
#define ULP_FA(n, b, a, c)                                                                         \
    {.name = #n "f",                                                                               \
     .cuda = c,                                                                                    \
     .bits = 32,                                                                                   \
     .args = 1,                                                                                    \
     .bound = b,                                                                                   \
     .beyond = a,                                                                                  \
     .lo = -20,                                                                                    \
     .hi = 20,                                                                                     \
     .f1 = f1_##n,                                                                                 \
     MULTI_OF(n).rf1 = ref_##n##_d},
#define ULP_DA(n, b, a, c)                                                                         \
    {.name = #n,                                                                                   \
     .cuda = c,                                                                                    \
     .bits = 64,                                                                                   \
     .args = 1,                                                                                    \
     .bound = b,                                                                                   \
     .beyond = a,                                                                                  \
     .lo = -20,                                                                                    \
     .hi = 20,                                                                                     \
     .d1 = d1_##n,                                                                                 \
     MULTI_OF(n).rd1 = ref_##n##_l},
#define ULP_F2(n, b, c, lo_, hi_)                                                                  \
    {.name = #n "f",                                                                               \
     .cuda = c,                                                                                    \
     .bits = 32,                                                                                   \
     .args = 2,                                                                                    \
     .bound = b,                                                                                   \
     .lo = lo_,                                                                                    \
     .hi = hi_,                                                                                    \
     .f2 = f2_##n,                                                                                 \
     MULTI_OF(n).rf2 = ref_##n##_d},
#define ULP_D2(n, b, c, lo_, hi_)                                                                  \
    {.name = #n,                                                                                   \
     .cuda = c,                                                                                    \
     .bits = 64,                                                                                   \
     .args = 2,                                                                                    \
     .bound = b,                                                                                   \
     .lo = lo_,                                                                                    \
     .hi = hi_,                                                                                    \
     .d2 = d2_##n,                                                                                 \
     MULTI_OF(n).rd2 = ref_##n##_l},
#include "../../device/libm/ulp.def"
};
#define NFUNCS (sizeof funcs / sizeof funcs[0])

struct worst {
    double ulp, x, y;  /* the largest error in ulp, and where */
    double abs, abs_x; /* beyond 8, for those with an absolute bound */
    uint64_t points, hash;
};

/* |got - want| in ulps of want for a format of p bits and smallest exponent emin. */
static double ulps(long double got, long double want, int p, int emin, int emax)
{
    int e;
    long double u;
    if (want != want || got != got)
        return want != want && got != got ? 0 : INFINITY;
    u = frexpl(want, &e); /* want = u 2^e, 1/2 <= |u| < 1 */
    if (want - want != 0 ||
        fabsl(want) >= ldexpl(1 - ldexpl(1, -p - 1), emax)) /* rounds to infinity */
        return got == want || (got - got != 0 && (got > 0) == (want > 0)) ? 0
               : got - got == 0 && want - want == 0
                   ? (double)(fabsl(got - want) / ldexpl(1, emax - p))
                   : INFINITY;
    if (got - got != 0)
        got = got > 0 ? ldexpl(1, emax) : -ldexpl(1, emax);
    e = want == 0 || e < emin ? emin : e;
    (void)u;
    return (double)(fabsl(got - want) / ldexpl(1, e - p));
}

/* The same for float against double, without long double arithmetic but at the edge of the range.
 */
static double ulps_f32(float got, double want)
{
    uint64_t u;
    memcpy(&u, &want, sizeof u);
    unsigned e = u >> 52 & 0x7ff;
    if (want != want || got != got)
        return want != want && got != got ? 0 : INFINITY;
    if (e < 1023 - 126 && fabsf(got) < INFINITY) /* subnormal */
        return fabs((double)got - want) * 0x1p149;
    if (fabs(want) >= 0x1p128 && fabsf(got) == INFINITY)
        return (got > 0) == (want > 0) ? 0 : INFINITY;
    if (e >= 1023 - 126 && e < 1023 + 127 && fabsf(got) < INFINITY) {
        uint64_t scale = (uint64_t)(1023 + 23 - ((int)e - 1023)) << 52; /* 2^(23 - exponent) */
        double s;
        memcpy(&s, &scale, sizeof s);
        return fabs((double)got - want) * s;
    }
    return ulps(got, want, 24, -125, 128);
}

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void one_f32(const struct func *f, float x, float y, int mpfr, struct worst *w)
{
    float got = f->args == 1 ? f->f1(x) : f->f2(x, y);
    double want = mpfr ? (double)f->multi(x, y) : f->args == 1 ? f->rf1(x) : f->rf2(x, y), e;
    uint32_t u;
    if (got != got)
        got = NAN;
    memcpy(&u, &got, sizeof u);
    w->hash += mix(got != got ? 1 : u) * 2 + 1;
    w->points++;
    if (f->beyond != 0 && fabsf(x) >= 8) {
        e = got != got && want != want ? 0 : fabs(got - want);
        if (!(e <= w->abs)) {
            w->abs = e;
            w->abs_x = x;
        }
        return;
    }
    if (x > -10.001f && x < -2.264f && f->f1 == f1_lgamma)
        return;
    e = ulps_f32(got, want);
    if (e > w->ulp) {
        w->ulp = e;
        w->x = x;
        w->y = y;
    }
}
static void one_f64(const struct func *f, double x, double y, int mpfr, struct worst *w)
{
    double got = f->args == 1 ? f->d1(x) : f->d2(x, y), e;
    long double want = mpfr ? f->multi(x, y) : f->args == 1 ? f->rd1(x) : f->rd2(x, y);
    uint64_t u;
    memcpy(&u, &got, sizeof u);
    w->hash += mix(got != got ? 1 : u) * 2 + 1;
    w->points++;
    if (f->beyond != 0 && fabs(x) >= 8) {
        e = got != got && want != want ? 0 : (double)fabsl(got - want);
        if (!(e <= w->abs)) {
            w->abs = e;
            w->abs_x = x;
        }
        return;
    }
    if (x > -11.0001 && x < -2.2637 && f->d1 == d1_lgamma)
        return;
    e = ulps(got, want, 53, -1021, 1024);
    if (e > w->ulp) {
        w->ulp = e;
        w->x = x;
        w->y = y;
    }
}

struct job {
    const struct func *f;
    uint64_t from, step, count;
    int every, mpfr;
    struct worst w;
};

static double unit(uint64_t u)
{
    return (double)(u >> 11) * 0x1p-53;
}
/* The i-th point: bit patterns, an even spread over the interesting range, and small magnitudes. */
static double point(const struct func *f, uint64_t i, uint64_t salt)
{
    uint64_t u = mix(i * 3 + salt), v = mix(u);
    double x;
    switch (i % 3) {
    case 0:
        if (f->bits == 32) {
            float g;
            uint32_t k = (uint32_t)u;
            memcpy(&g, &k, sizeof g);
            return g;
        }
        memcpy(&x, &u, sizeof x);
        return x;
    case 1: return f->lo + (f->hi - f->lo) * unit(u);
    default:
        x = ldexp(1 + unit(u), -(int)(v % 30)) * (f->hi > 1 ? f->hi / 2 : 1);
        x = f->lo < 0 && v >> 63 ? -x : x;
        return f->lo == 1 ? 1 + x
               : (v >> 62 & 1) && f->hi <= 2 && f->hi >= 1
                   ? f->hi - x / f->hi * ldexp(1, -(int)(v >> 50 & 31))
                   : x;
    }
}
static void *work(void *arg)
{
    struct job *j = arg;
    for (uint64_t k = 0, i = j->from; k < j->count; k++, i += j->step) {
        double x, y = 0;
        if (j->every) {
            uint32_t u = (uint32_t)i;
            float g;
            memcpy(&g, &u, sizeof g);
            one_f32(j->f, g, 0, j->mpfr, &j->w);
            continue;
        }
        x = point(j->f, i, 0);
        if (j->f->args == 2) {
            y = point(j->f, i / 3 * 3 + mix(i) % 3, 0x5555);
            if (j->f->bound == 0 && j->f->bits == 32 && (float)y == 0)
                y = 1;
            /* powers: exponents that bring the result anywhere in the range */
            if (strncmp(j->f->name, "pow", 3) == 0 && i % 4 != 0)
                y = (unit(mix(i + 77)) * 2 - 1) * (j->f->bits == 32 ? 150 : 1080) /
                    log2(fabs(x) == 1 ? 2 : x);
        }
        if (j->f->bits == 32)
            one_f32(j->f, (float)x, (float)y, j->mpfr, &j->w);
        else
            one_f64(j->f, x, y, j->mpfr, &j->w);
    }
    return NULL;
}

/* Values where functions turn: zeros, ends of the range, infinities, NaN, small integers. */
static const double special[] = {0.0,
                                 0x1p-149,
                                 0x1p-126,
                                 0x1.fffffep-127,
                                 0x1p-1074,
                                 0x1p-1022,
                                 0x1.8p-1050,
                                 0x1p-100,
                                 1e-10,
                                 0.25,
                                 0.5,
                                 0.75,
                                 0x1.fffffep-1,
                                 0x1.fffffffffffffp-1,
                                 1.0,
                                 0x1.000002p+0,
                                 0x1.0000000000001p+0,
                                 1.5,
                                 2.0,
                                 2.5,
                                 3.0,
                                 4.0,
                                 7.0,
                                 8.0,
                                 9.0,
                                 10.0,
                                 22.0,
                                 100.0,
                                 171.0,
                                 200.0,
                                 0x1p16,
                                 0x1p22,
                                 0x1p23,
                                 0x1.000002p+24,
                                 0x1p52,
                                 0x1p53,
                                 0x1p60,
                                 0x1p100,
                                 1e38,
                                 0x1.fffffep+127,
                                 0x1p128,
                                 1e300,
                                 0x1.fffffffffffffp+1023,
                                 INFINITY,
                                 NAN};
#define NSPECIAL (sizeof special / sizeof special[0])

/* A result where the reference is exact: the same NaN, infinity or zero with its sign; elsewhere
 * within the bound. Returns 0 and says where if not. */
static int special_values(const struct func *f)
{
    unsigned n = (unsigned)NSPECIAL * 2, pairs = f->args == 2 ? n : 1;
    for (unsigned i = 0; i < n * pairs; i++) {
        double x = special[i / 2 % NSPECIAL], y = special[i / n / 2 % NSPECIAL], got, e;
        long double want;
        x = i & 1 ? -x : x;
        y = i / n & 1 ? -y : y;
        if (f->bits == 32) {
            float u = (float)x, v = (float)y;
            got = f->args == 1 ? f->f1(u) : f->f2(u, v);
            want = f->args == 1 ? f->rf1(u) : f->rf2(u, v);
            x = u;
            y = v;
            e = ulps(got, want, 24, -125, 128);
        } else {
            got = f->args == 1 ? f->d1(x) : f->d2(x, y);
            want = f->args == 1 ? f->rd1(x) : f->rd2(x, y);
            e = ulps(got, want, 53, -1021, 1024);
        }
        if (f->beyond != 0 && fabs(x) >= 8 && fabsl(got - want) <= f->beyond)
            continue;
        if (e < 1e9 && ((f->f1 && f->f1 == f1_lgamma) || (f->d1 && f->d1 == d1_lgamma)) &&
            x < -2.2 && x > -12)
            continue; /* where CUDA, too, states no bound */
        if (e > f->bound || (want == 0 && got == 0 && !signbit(want) != !signbit(got))) {
            printf("FAIL math special values of %s: (%a, %a) gives %a, expected %.17Lg\n", f->name,
                   x, f->args == 2 ? y : 0, got, want);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    int every = 0, doc = 0, mpfr = 0, threads = 1, failed = 0, first = 1;
    uint64_t points = 100000;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (argv[first][1] == 'e' || argv[first][1] == 'p')
            every = argv[first][1] == 'e' ? 1 : 2;
        else if (argv[first][1] == 'd')
            doc = 1;
        else if (argv[first][1] == 'm' && funcs[NFUNCS - 1].multi)
            mpfr = 1;
        else if (argv[first][1] == 'n' && first + 1 < argc)
            points = (uint64_t)(atof(argv[++first]) * 1000);
        else if (argv[first][1] == 't' && first + 1 < argc)
            threads = atoi(argv[++first]);
        else
            return fprintf(stderr, "usage: accuracy [-e|-p] [-m] [-d] [-n thousands] [-t threads] "
                                   "[name ...]\n"),
                   2;
    }
    threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    if (doc)
        printf("| function | points | worst, ulp | bound | CUDA | worst at "
               "|\n|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < NFUNCS; i++) {
        const struct func *f = &funcs[i];
        struct job jobs[64];
        pthread_t id[64];
        struct worst w = {.ulp = 0};
        int wanted = first >= argc, all = every && f->bits == 32 && f->args == 1, bad;
        for (int k = first; k < argc; k++)
            wanted |= strcmp(argv[k], f->name) == 0;
        if (!wanted)
            continue;
        int special_ok = special_values(f);
        failed |= !special_ok;
        if (!doc && special_ok)
            printf("PASS math special values of %s\n", f->name);
        uint64_t total = all ? 1ull << (every == 2 ? 31 : 32) : points;
        for (int t = 0; t < threads; t++) {
            jobs[t] = (struct job){.f = f,
                                   .from = (uint64_t)t,
                                   .step = (uint64_t)threads,
                                   .count = total / (uint64_t)threads,
                                   .every = all,
                                   .mpfr = mpfr};
            if (t > 0)
                pthread_create(&id[t], NULL, work, &jobs[t]);
        }
        work(&jobs[0]);
        for (int t = 0; t < threads; t++) {
            if (t > 0)
                pthread_join(id[t], NULL);
            if (jobs[t].w.ulp > w.ulp) {
                w.ulp = jobs[t].w.ulp;
                w.x = jobs[t].w.x;
                w.y = jobs[t].w.y;
            }
            if (!(jobs[t].w.abs <= w.abs)) {
                w.abs = jobs[t].w.abs;
                w.abs_x = jobs[t].w.abs_x;
            }
            w.points += jobs[t].w.points;
            w.hash += jobs[t].w.hash;
        }
        bad = w.ulp > f->bound || !(w.abs <= f->beyond);
        failed |= bad;
        char where[80], how[80] = "";
        if (f->args == 1)
            snprintf(where, sizeof where, "%a", w.x);
        else
            snprintf(where, sizeof where, "%a, %a", w.x, w.y);
        if (f->beyond != 0)
            snprintf(how, sizeof how, "; beyond 8: %.2g absolute at %a", w.abs, w.abs_x);
        if (doc)
            printf("| `%s` | %s%" PRIu64 "%s | %.4f%s | %g | %s | %s |\n", f->name,
                   all ? "all " : "", w.points, jobs[0].mpfr ? " MPFR" : "", w.ulp, how, f->bound,
                   f->cuda, where);
        else
            printf(bad ? "FAIL math %s: %.4f ulp%s, bound %g, at %s, hash %016" PRIx64 "\n"
                       : "PASS math %s (%.4f ulp%s, bound %g, at %s, hash %016" PRIx64 ")\n",
                   f->name, w.ulp, how, f->bound, where, w.hash);
        fflush(stdout);
    }
    return failed;
}

/* Reference values by MPFR, at PRECISION bits: more than twice what is asked of them.
 * MPFR's own functions where it has them; the rest is made of them, with bits to spare. */
#include <mpfr.h>

enum { PRECISION = 128 };

/* What a function has at hand: its arguments, the result, and room. */
struct multi {
    mpfr_t x, y, r, s, t;
};
static void multi_open(struct multi *m, mpfr_prec_t bits, double x, double y)
{
    mpfr_inits2(bits, m->r, m->s, m->t, (mpfr_ptr)0);
    mpfr_inits2(53, m->x, m->y, (mpfr_ptr)0);
    mpfr_set_d(m->x, x, MPFR_RNDN);
    mpfr_set_d(m->y, y, MPFR_RNDN);
}
static long double multi_close(struct multi *m)
{
    long double r = mpfr_get_ld(m->r, MPFR_RNDN);
    mpfr_clears(m->x, m->y, m->r, m->s, m->t, (mpfr_ptr)0);
    return r;
}

/* MULTI(name, bits) { … } defines multi_name(x, y), which leaves its result in m->r. */
#define MULTI(name, bits)                                                                          \
    static void body_##name(struct multi *m);                                                      \
    static long double multi_##name(double x, double y)                                            \
    {                                                                                              \
        struct multi m;                                                                            \
        multi_open(&m, bits, x, y);                                                                \
        body_##name(&m);                                                                           \
        return multi_close(&m);                                                                    \
    }                                                                                              \
    static void body_##name(struct multi *m)
#define PLAIN1(name, function)                                                                     \
    MULTI(name, PRECISION)                                                                         \
    {                                                                                              \
        function(m->r, m->x, MPFR_RNDN);                                                           \
    }
#define PLAIN2(name, function)                                                                     \
    MULTI(name, PRECISION)                                                                         \
    {                                                                                              \
        function(m->r, m->x, m->y, MPFR_RNDN);                                                     \
    }

PLAIN1(sqrt, mpfr_sqrt)
PLAIN1(cbrt, mpfr_cbrt)
PLAIN1(exp, mpfr_exp)
PLAIN1(exp2, mpfr_exp2)
PLAIN1(exp10, mpfr_exp10)
PLAIN1(expm1, mpfr_expm1)
PLAIN1(log, mpfr_log)
PLAIN1(log2, mpfr_log2)
PLAIN1(log10, mpfr_log10)
PLAIN1(log1p, mpfr_log1p)
PLAIN1(sin, mpfr_sin)
PLAIN1(cos, mpfr_cos)
PLAIN1(tan, mpfr_tan)
PLAIN1(sinpi, mpfr_sinpi)
PLAIN1(cospi, mpfr_cospi)
PLAIN1(asin, mpfr_asin)
PLAIN1(acos, mpfr_acos)
PLAIN1(atan, mpfr_atan)
PLAIN1(sinh, mpfr_sinh)
PLAIN1(cosh, mpfr_cosh)
PLAIN1(tanh, mpfr_tanh)
PLAIN1(asinh, mpfr_asinh)
PLAIN1(acosh, mpfr_acosh)
PLAIN1(atanh, mpfr_atanh)
PLAIN1(erf, mpfr_erf)
PLAIN1(erfc, mpfr_erfc)
PLAIN1(tgamma, mpfr_gamma)
PLAIN1(j0, mpfr_j0)
PLAIN1(j1, mpfr_j1)
PLAIN1(y0, mpfr_y0)
PLAIN1(y1, mpfr_y1)
PLAIN2(pow, mpfr_pow)
PLAIN2(atan2, mpfr_atan2)
PLAIN2(hypot, mpfr_hypot)
PLAIN2(fmod, mpfr_fmod)
PLAIN2(remainder, mpfr_remainder)
PLAIN2(fdim, mpfr_dim)

MULTI(lgamma, PRECISION)
{
    int sign;
    mpfr_lgamma(m->r, &sign, m->x, MPFR_RNDN);
}
MULTI(rsqrt, PRECISION)
{
    if (mpfr_zero_p(m->x)) /* 1/sqrt(-0) is -inf in C, +inf in MPFR */
        mpfr_d_div(m->r, 1, m->x, MPFR_RNDN);
    else
        mpfr_rec_sqrt(m->r, m->x, MPFR_RNDN);
}
MULTI(rcbrt, PRECISION)
{
    mpfr_cbrt(m->s, m->x, MPFR_RNDN);
    mpfr_d_div(m->r, 1, m->s, MPFR_RNDN);
}
MULTI(rhypot, PRECISION)
{
    mpfr_hypot(m->s, m->x, m->y, MPFR_RNDN);
    mpfr_d_div(m->r, 1, m->s, MPFR_RNDN);
}
/* exp(x^2) erfc(x); far out 1/(x sqrt pi) (1 - v + 3 v^2 - 15 v^3 …) with v = 1/(2 x^2) */
MULTI(erfcx, 200)
{
    if (mpfr_cmp_d(m->x, 0x1p12) > 0 && mpfr_cmp_d(m->x, 0x1p400) < 0) {
        mpfr_sqr(m->s, m->x, MPFR_RNDN);
        mpfr_mul_2ui(m->s, m->s, 1, MPFR_RNDN);
        mpfr_d_div(m->s, 1, m->s, MPFR_RNDN);
        mpfr_mul_d(m->t, m->s, -15, MPFR_RNDN);
        mpfr_add_d(m->t, m->t, 3, MPFR_RNDN);
        mpfr_mul(m->t, m->t, m->s, MPFR_RNDN);
        mpfr_sub_d(m->t, m->t, 1, MPFR_RNDN);
        mpfr_mul(m->t, m->t, m->s, MPFR_RNDN);
        mpfr_add_d(m->t, m->t, 1, MPFR_RNDN);
    } else
        mpfr_set_d(m->t, 1, MPFR_RNDN);
    if (mpfr_cmp_d(m->x, 0x1p12) > 0) {
        mpfr_const_pi(m->s, MPFR_RNDN);
        mpfr_sqrt(m->s, m->s, MPFR_RNDN);
        mpfr_mul(m->s, m->s, m->x, MPFR_RNDN);
        mpfr_div(m->r, m->t, m->s, MPFR_RNDN);
        return;
    }
    if (mpfr_cmp_d(m->x, -40) < 0) {
        mpfr_set_inf(m->r, 1);
        return;
    }
    mpfr_sqr(m->s, m->x, MPFR_RNDN); /* exact */
    mpfr_exp(m->s, m->s, MPFR_RNDN);
    mpfr_erfc(m->t, m->x, MPFR_RNDN);
    mpfr_mul(m->r, m->s, m->t, MPFR_RNDN);
}
MULTI(normcdf, 200)
{
    mpfr_sqrt_ui(m->s, 2, MPFR_RNDN);
    mpfr_div(m->s, m->x, m->s, MPFR_RNDN);
    mpfr_neg(m->s, m->s, MPFR_RNDN);
    mpfr_erfc(m->r, m->s, MPFR_RNDN);
    mpfr_div_2ui(m->r, m->r, 1, MPFR_RNDN);
}

/* r with erfc(r) = y (y in m->y, 0 < y < 1), or erf(r) = y: a Halley step triples the bits of a
 * start that has 50; where the start is bad, more steps mend it. */
static void solve(struct multi *m, double start, int complement)
{
    mpfr_t d, g;
    mpfr_inits2(200, d, g, (mpfr_ptr)0);
    mpfr_set_d(m->r, start, MPFR_RNDN);
    for (int i = 0; i < 40; i++) {
        (complement ? mpfr_erfc : mpfr_erf)(m->s, m->r, MPFR_RNDN);
        mpfr_sub(m->s, m->s, m->y, MPFR_RNDN);
        mpfr_sqr(m->t, m->r, MPFR_RNDN);
        mpfr_neg(m->t, m->t, MPFR_RNDN);
        mpfr_exp(m->t, m->t, MPFR_RNDN);
        mpfr_const_pi(g, MPFR_RNDN);
        mpfr_sqrt(g, g, MPFR_RNDN);
        mpfr_div(m->t, m->t, g, MPFR_RNDN);
        mpfr_mul_2ui(m->t, m->t, 1, MPFR_RNDN); /* the derivative's magnitude */
        mpfr_div(d, m->s, m->t, MPFR_RNDN);
        if (!complement)
            mpfr_neg(d, d, MPFR_RNDN);
        mpfr_mul(g, m->r, d, MPFR_RNDN);
        mpfr_d_sub(g, 1, g, MPFR_RNDN);
        mpfr_div(d, d, g, MPFR_RNDN);
        mpfr_add(m->r, m->r, d, MPFR_RNDN);
        if (mpfr_zero_p(d) || mpfr_get_exp(d) < mpfr_get_exp(m->r) - 45)
            break;
    }
    mpfr_clears(d, g, (mpfr_ptr)0);
}
/* For 1 < y < 2 by erf at y - 1 or erfc at 2 - y, both exact. */
static void solve_erfc(struct multi *m)
{
    double y = mpfr_get_d(m->y, MPFR_RNDN);
    if (!(y > 0 && y < 2)) {
        mpfr_set_d(m->r, y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN, MPFR_RNDN);
        return;
    }
    if (y > 0.5 && y < 1.5) {
        mpfr_d_sub(m->y, 1, m->y, MPFR_RNDN);
        y = mpfr_get_d(m->y, MPFR_RNDN);
        if (y == 0)
            mpfr_set_zero(m->r, 1);
        else
            solve(m, __tern_erfinv(y), 0);
        return;
    }
    if (y > 1)
        mpfr_d_sub(m->y, 2, m->y, MPFR_RNDN);
    solve(m, __tern_erfcinv(mpfr_get_d(m->y, MPFR_RNDN)), 1);
    if (y > 1)
        mpfr_neg(m->r, m->r, MPFR_RNDN);
}
MULTI(erfcinv, 200)
{
    mpfr_set(m->y, m->x, MPFR_RNDN);
    solve_erfc(m);
}
MULTI(erfinv, 200)
{
    double x = mpfr_get_d(m->x, MPFR_RNDN), a = fabs(x);
    if (!(a > 0 && a < 1)) {
        mpfr_set_d(m->r, a == 1 ? x * INFINITY : a < 1 ? x : NAN, MPFR_RNDN);
        return;
    }
    mpfr_set_d(m->y, a > 0.5 ? 1 - a : a, MPFR_RNDN); /* exact */
    if (a > 0.5)
        solve(m, __tern_erfcinv(1 - a), 1);
    else
        solve(m, __tern_erfinv(a), 0);
    mpfr_setsign(m->r, m->r, x < 0, MPFR_RNDN);
}
MULTI(normcdfinv, 200) /* -sqrt(2) erfcinv(2p) */
{
    mpfr_mul_2ui(m->y, m->x, 1, MPFR_RNDN);
    solve_erfc(m);
    mpfr_sqrt_ui(m->s, 2, MPFR_RNDN);
    mpfr_mul(m->r, m->r, m->s, MPFR_RNDN);
    mpfr_neg(m->r, m->r, MPFR_RNDN);
    if (mpfr_zero_p(m->r))
        mpfr_set_zero(m->r, 1);
}

/* sum of (x/2)^(2k+n) / (k! (k+n)!): all terms are positive */
static void bessel_i_series(struct multi *m, unsigned n)
{
    if (!mpfr_number_p(m->x) || mpfr_cmpabs_ui(m->x, 2000) > 0) {
        mpfr_set(m->r, m->x, MPFR_RNDN);
        if (mpfr_number_p(m->x))
            mpfr_set_inf(m->r, mpfr_sgn(m->x));
        if (!n)
            mpfr_abs(m->r, m->r, MPFR_RNDN);
        return;
    }
    mpfr_div_2ui(m->s, m->x, 1, MPFR_RNDN);
    mpfr_sqr(m->t, m->s, MPFR_RNDN); /* x^2/4 */
    if (!n)
        mpfr_set_ui(m->s, 1, MPFR_RNDN);
    mpfr_set(m->r, m->s, MPFR_RNDN);
    for (unsigned k = 1; !mpfr_zero_p(m->s) && mpfr_get_exp(m->s) > mpfr_get_exp(m->r) - 120; k++) {
        mpfr_mul(m->s, m->s, m->t, MPFR_RNDN);
        mpfr_div_ui(m->s, m->s, k * (k + n), MPFR_RNDN);
        mpfr_add(m->r, m->r, m->s, MPFR_RNDN);
    }
}
MULTI(cyl_bessel_i0, PRECISION)
{
    bessel_i_series(m, 0);
}
MULTI(cyl_bessel_i1, PRECISION)
{
    bessel_i_series(m, 1);
}

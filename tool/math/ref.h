/* Reference values: the C library's functions one format up, and our own for what it lacks.
 * Include with R the reference type, RM(f) its spelling of a libm function, RK(c) of a constant. */

static inline R RN(sqrt)(R x)
{
    return RM(sqrt)(x);
}
static inline R RN(rsqrt)(R x)
{
    return 1 / RM(sqrt)(x);
}
static inline R RN(cbrt)(R x)
{
    return RM(cbrt)(x);
}
static inline R RN(rcbrt)(R x)
{
    return 1 / RM(cbrt)(x);
}
static inline R RN(exp)(R x)
{
    return RM(exp)(x);
}
static inline R RN(exp2)(R x)
{
    return RM(exp2)(x);
}
static inline R RN(exp10)(R x)
{
    return RM(exp10)(x);
}
static inline R RN(expm1)(R x)
{
    return RM(expm1)(x);
}
static inline R RN(log)(R x)
{
    return RM(log)(x);
}
static inline R RN(log2)(R x)
{
    return RM(log2)(x);
}
static inline R RN(log10)(R x)
{
    return RM(log10)(x);
}
static inline R RN(log1p)(R x)
{
    return RM(log1p)(x);
}
static inline R RN(sin)(R x)
{
    return RM(sin)(x);
}
static inline R RN(cos)(R x)
{
    return RM(cos)(x);
}
static inline R RN(tan)(R x)
{
    return RM(tan)(x);
}
static inline R RN(asin)(R x)
{
    return RM(asin)(x);
}
static inline R RN(acos)(R x)
{
    return RM(acos)(x);
}
static inline R RN(atan)(R x)
{
    return RM(atan)(x);
}
static inline R RN(sinh)(R x)
{
    return RM(sinh)(x);
}
static inline R RN(cosh)(R x)
{
    return RM(cosh)(x);
}
static inline R RN(tanh)(R x)
{
    return RM(tanh)(x);
}
static inline R RN(asinh)(R x)
{
    return RM(asinh)(x);
}
static inline R RN(acosh)(R x)
{
    return RM(acosh)(x);
}
static inline R RN(atanh)(R x)
{
    return RM(atanh)(x);
}
static inline R RN(erf)(R x)
{
    return RM(erf)(x);
}
static inline R RN(erfc)(R x)
{
    return RM(erfc)(x);
}
static inline R RN(tgamma)(R x)
{
    return RM(tgamma)(x);
}
static inline R RN(lgamma)(R x)
{
    int sign;
    return RM2(lgamma, _r)(x, &sign);
}
static inline R RN(j0)(R x)
{
    return RM(j0)(x);
}
static inline R RN(j1)(R x)
{
    return RM(j1)(x);
}
static inline R RN(y0)(R x)
{
    return x < 0 ? (R)NAN : RM(y0)(x);
}
static inline R RN(y1)(R x)
{
    return x < 0 ? (R)NAN : RM(y1)(x);
}
static inline R RN(pow)(R x, R y)
{
    return RM(pow)(x, y);
}
static inline R RN(atan2)(R x, R y)
{
    return RM(atan2)(x, y);
}
static inline R RN(hypot)(R x, R y)
{
    return RM(hypot)(x, y);
}
static inline R RN(rhypot)(R x, R y)
{
    return 1 / RM(hypot)(x, y);
}
static inline R RN(fmod)(R x, R y)
{
    return RM(fmod)(x, y);
}
static inline R RN(remainder)(R x, R y)
{
    return RM(remainder)(x, y);
}
static inline R RN(fdim)(R x, R y)
{
    return RM(fdim)(x, y);
}

static const R RN(pi) = RK(3.14159265358979323846264338327950288419717);

static inline R RN(sinpi)(R x)
{
    R y = x - 2 * RM(rint)(x / 2), n = RM(rint)(2 * y), r = (y - n / 2) * RN(pi);
    int q = x - x == 0 ? (int)n & 3 : 0;
    R v = q & 1 ? RM(cos)(r) : RM(sin)(r);
    v = q & 2 ? -v : v;
    return v == 0 ? RM(copysign)(0, x) : v;
}
static inline R RN(cospi)(R x)
{
    R y = x - 2 * RM(rint)(x / 2), n = RM(rint)(2 * y), r = (y - n / 2) * RN(pi);
    int q = x - x == 0 ? (int)n & 3 : 0;
    R v = q & 1 ? RM(sin)(r) : RM(cos)(r);
    v = (q + 1) & 2 ? -v : v;
    return v == 0 ? 0 : v;
}
static inline R RN(erfcx)(R x)
{
    R v, k, s;
    if (x < 25) {
        /* exp(x^2) with the square's rounding error, which the exponential magnifies */
        R h = (R)(SPLIT)x, l = x - h;
        return x < -30 ? (R)INFINITY : RM(exp)(h * h) * RM(exp)(2 * h * l + l * l) * RM(erfc)(x);
    }
    /* the asymptotic series; the terms shrink by more than 1000 each */
    v = 1;
    s = 1;
    for (k = 1; k < 40 && RM(fabs)(s) > 1e-40; k++) {
        s *= -(2 * k - 1) / (2 * x * x);
        v += s;
    }
    return v / (x * RM(sqrt)(RN(pi)));
}
static inline R RN(erfcinv)(R y)
{
    R x, d;
    int i;
    if (!(y >= 0 && y <= 2))
        return (R)NAN;
    if (y == 0 || y == 2)
        return y == 0 ? (R)INFINITY : -(R)INFINITY;
    if (y > 1)
        return -RN(erfcinv)(2 - y);
    /* Halley on erfc in relative form: where it ends does not depend on where it starts */
    x = START_erfcinv((double)y);
    for (i = 0; i < 12; i++) {
        R f = RM(erfc)(x), g = 2 / RM(sqrt)(RN(pi)) * RM(exp)(-x * x);
        d = (f - y) / (g == 0 ? 1 : g);
        d = d / (1 - x * d);
        x += d;
        if (RM(fabs)(d) <= RM(fabs)(x) * EPS)
            break;
    }
    return x;
}
static inline R RN(erfinv)(R x)
{
    R a = RM(fabs)(x), t, d;
    int i;
    if (!(a <= 1))
        return (R)NAN;
    if (a > 0.5)
        return RM(copysign)(RN(erfcinv)(1 - a), x); /* 1 - a is exact */
    t = START_erfinv((double)x);
    for (i = 0; i < 12 && x != 0; i++) {
        d = (RM(erf)(t) - x) * RM(sqrt)(RN(pi)) / 2 * RM(exp)(t * t);
        d = d / (1 + t * d);
        t -= d;
        if (RM(fabs)(d) <= RM(fabs)(t) * EPS)
            break;
    }
    return t;
}
static inline R RN(normcdf)(R x)
{
    return RM(erfc)(-x / RM(sqrt)(2)) / 2;
}
static inline R RN(normcdfinv)(R p)
{
    return p <= 0.25 || !(p <= 0.75) ? -RM(sqrt)(2) * RN(erfcinv)(2 * p)
                                     : RM(sqrt)(2) * RN(erfinv)(2 * p - 1);
}
static inline R RN(bessel_i)(int n, R x)
{
    R a = RM(fabs)(x), s, t, k;
    if (a < 60) {
        t = n ? a / 2 : 1;
        s = t;
        for (k = 1; k < 400 && t > s * EPS / 4; k++) {
            t *= a * a / (4 * k * (k + n));
            s += t;
        }
    } else {
        s = t = 1;
        for (k = 1; k < 60 && RM(fabs)(t) > EPS / 4; k++) {
            t *= -(4 * n * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * a);
            s += t;
        }
        s = a > 2000 ? (R)INFINITY : s * RM(exp)(a / 2) / RM(sqrt)(2 * RN(pi) * a) * RM(exp)(a / 2);
    }
    return x != x ? x : n && x < 0 ? -s : s;
}
static inline R RN(cyl_bessel_i0)(R x)
{
    return RN(bessel_i)(0, x);
}
static inline R RN(cyl_bessel_i1)(R x)
{
    return RM(copysign)(RN(bessel_i)(1, x), x);
}

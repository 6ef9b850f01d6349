/* CUDA's mathematical functions that the host's own library does not have, for host code. */
#pragma once

namespace __tern_math
{
/* sin and cos of pi x, whose zeros and ones are exact: x is reduced before it is multiplied. */
static inline void circle(double x, double *s, double *c)
{
    const double r = fmod(x, 2.0), q = rint(2 * r), t = 3.14159265358979323846 * (r - q / 2);
    const double st = sin(t), ct = cos(t);
    switch ((int)q & 3) {
    case 0: *s = st, *c = ct; break;
    case 1: *s = ct, *c = 0 - st; break;
    case 2: *s = 0 - st, *c = 0 - ct; break;
    default: *s = 0 - ct, *c = st; break;
    }
    if (r == floor(r)) /* a zero with the sign of x */
        *s = copysign(0.0, x);
}

/* From an approximation of few digits by Halley's steps on erfc, whose derivatives are known. */
static inline double erfc_inverse(double x)
{
    if (!(x >= 0 && x <= 2))
        return __builtin_nan("");
    if (x == 0 || x == 2)
        return x ? -__builtin_inf() : __builtin_inf();
    const double p = x < 1 ? x : 2 - x, t = sqrt(-2 * log(p / 2));
    double y = t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481));
    y *= 0.70710678118654752440;
    for (int k = 0; k < 4; k++) {
        const double e = (erfc(y) - p) / (1.12837916709551257390 * exp(-y * y));
        y += e / (1 - y * e);
    }
    return x < 1 ? y : -y;
}
static inline double erf_inverse(double x)
{
    const double a = fabs(x);
    if (!(a <= 1))
        return __builtin_nan("");
    if (a > 0.5) /* 1 - a is exact */
        return copysign(erfc_inverse(1 - a), x);
    double y = a * 0.88622692545275801365;
    for (int k = 0; k < 5; k++) {
        const double e = (erf(y) - a) / (1.12837916709551257390 * exp(-y * y));
        y -= e / (1 + y * e);
    }
    return copysign(y, x);
}

/* exp(x^2) erfc(x): what is lost in x^2 is made up for; far out by its series. */
static inline double erfc_scaled(double x)
{
    if (x < 25) {
        const double h = x * x, l = __builtin_fma(x, x, -h);
        const double e = exp(h) * erfc(x);
        return isinf(e) ? e : e + e * l;
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 12; k++)
        sum += term *= -(2 * k - 1) / (2 * x * x);
    return sum / (x * 1.77245385090551602730);
}

/* Bessel's I of order n, 0 or 1: a sum of positive terms, or what it comes to far out. */
static inline double bessel(int n, double x)
{
    const double a = fabs(x), q = a * a / 4;
    double sum = 1, term = 1;
    if (a != a)
        return x;
    if (a < 40) {
        for (int k = 1; k < 200 && term > sum * 1e-18; k++)
            sum += term *= q / ((double)k * (k + n));
        sum *= n ? a / 2 : 1;
    } else if (isinf(a)) {
        sum = a;
    } else {
        for (int k = 1; k < 30; k++)
            sum += term *= ((2 * k - 1.0) * (2 * k - 1.0) - 4 * n) / (8 * k * a);
        const double e = exp(a / 2);
        sum = e * (sum / sqrt(6.28318530717958647693 * a)) * e;
    }
    return n && x < 0 ? -sum : sum;
}

/* The length of n numbers: scaled, so that it does not overflow. */
template <class __tern_T> static inline double length(int n, const __tern_T *p)
{
    double most = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        if (isinf((double)p[k]))
            return __builtin_inf();
        most = fmax(most, fabs((double)p[k]));
    }
    if (most == 0 || most != most)
        most = 1;
    int e;
    frexp(most, &e);
    for (int k = 0; k < n; k++) {
        const double v = ldexp((double)p[k], -e);
        sum += v * v;
    }
    return ldexp(sqrt(sum), e);
}
} // namespace __tern_math

#define __TERN_HOST_MATH1(name, value)                                                             \
    static inline double name(double x)                                                            \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    static inline float name##f(float x)                                                           \
    {                                                                                              \
        return (float)name((double)x);                                                             \
    }                                                                                              \
    static inline float name(float x)                                                              \
    {                                                                                              \
        return (float)name((double)x);                                                             \
    }
__TERN_HOST_MATH1(erfinv, __tern_math::erf_inverse(x))
__TERN_HOST_MATH1(erfcinv, __tern_math::erfc_inverse(x))
__TERN_HOST_MATH1(normcdfinv, -1.41421356237309504880 * __tern_math::erfc_inverse(2 * x))
__TERN_HOST_MATH1(erfcx, __tern_math::erfc_scaled(x))
__TERN_HOST_MATH1(cyl_bessel_i0, __tern_math::bessel(0, x))
__TERN_HOST_MATH1(cyl_bessel_i1, __tern_math::bessel(1, x))
#undef __TERN_HOST_MATH1

static inline void sincospi(double x, double *s, double *c)
{
    __tern_math::circle(x, s, c);
}
static inline void sincospif(float x, float *s, float *c)
{
    double a, b;
    __tern_math::circle(x, &a, &b);
    *s = (float)a;
    *c = (float)b;
}
static inline void sincospi(float x, float *s, float *c)
{
    sincospif(x, s, c);
}
static inline double sinpi(double x)
{
    double s, c;
    __tern_math::circle(x, &s, &c);
    return s;
}
static inline double cospi(double x)
{
    double s, c;
    __tern_math::circle(x, &s, &c);
    return c;
}
static inline float sinpif(float x)
{
    return (float)sinpi((double)x);
}
static inline float cospif(float x)
{
    return (float)cospi((double)x);
}

#define __TERN_HOST_NORM(T, f)                                                                     \
    static inline T norm##f(int n, const T *p)                                                     \
    {                                                                                              \
        return (T)__tern_math::length(n, p);                                                       \
    }                                                                                              \
    static inline T rnorm##f(int n, const T *p)                                                    \
    {                                                                                              \
        return (T)(1 / __tern_math::length(n, p));                                                 \
    }                                                                                              \
    static inline T norm3d##f(T a, T b, T c)                                                       \
    {                                                                                              \
        const T p[] = {a, b, c};                                                                   \
        return norm##f(3, p);                                                                      \
    }                                                                                              \
    static inline T rnorm3d##f(T a, T b, T c)                                                      \
    {                                                                                              \
        const T p[] = {a, b, c};                                                                   \
        return rnorm##f(3, p);                                                                     \
    }                                                                                              \
    static inline T norm4d##f(T a, T b, T c, T d)                                                  \
    {                                                                                              \
        const T p[] = {a, b, c, d};                                                                \
        return norm##f(4, p);                                                                      \
    }                                                                                              \
    static inline T rnorm4d##f(T a, T b, T c, T d)                                                 \
    {                                                                                              \
        const T p[] = {a, b, c, d};                                                                \
        return rnorm##f(4, p);                                                                     \
    }                                                                                              \
    static inline T rhypot##f(T a, T b)                                                            \
    {                                                                                              \
        const T p[] = {a, b};                                                                      \
        return rnorm##f(2, p);                                                                     \
    }
__TERN_HOST_NORM(double, )
__TERN_HOST_NORM(float, f)
#undef __TERN_HOST_NORM

static inline float fdividef(float x, float y)
{
    return x / y;
}
#define __TERN_HOST_LESS(T, letters)                                                               \
    static inline T letters##min(T a, T b)                                                         \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static inline T letters##max(T a, T b)                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
__TERN_HOST_LESS(unsigned, u)
__TERN_HOST_LESS(long long, ll)
__TERN_HOST_LESS(unsigned long long, ull)
#undef __TERN_HOST_LESS

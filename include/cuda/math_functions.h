/* Math by CUDA's names, on top of device/libm: float and double, C's names and C++'s overloads.
 *
 * sinf(float), sin(double), sin(float), and sin of an integer, which computes in double. */
#pragma once
#define __MATH_FUNCTIONS_H__
#include "host_defines.h"
#ifdef __TERN_DEVICE__
/* The library's own functions are read when a source uses one of these names: see
 * src/front/cuda/pp/library.c. */
#define __tern_bitcast_u32(x) __tern_op_bitcast<unsigned>(x)
#define __tern_bitcast_u64(x) __tern_op_bitcast<unsigned long long>(x)
#define __tern_bitcast_f32(x) __tern_op_bitcast<float>(x)
#define __tern_bitcast_f64(x) __tern_op_bitcast<double>(x)

template <class T> struct __tern_integer {
};
#define __TERN_INTEGER(T)                                                                          \
    template <> struct __tern_integer<T> {                                                         \
        typedef double real;                                                                       \
    };
__TERN_INTEGER(bool)
__TERN_INTEGER(char)
__TERN_INTEGER(signed char)
__TERN_INTEGER(unsigned char)
__TERN_INTEGER(short)
__TERN_INTEGER(unsigned short)
__TERN_INTEGER(int)
__TERN_INTEGER(unsigned int)
__TERN_INTEGER(long)
__TERN_INTEGER(unsigned long)
__TERN_INTEGER(long long)
__TERN_INTEGER(unsigned long long)
#undef __TERN_INTEGER
template <class T> struct __tern_real : __tern_integer<T> {
};
template <> struct __tern_real<float> {
    typedef double real;
};
template <> struct __tern_real<double> {
    typedef double real;
};

#define __TERN_MATH1_BY(n, of)                                                                     \
    __TERN_FN float n##f(float x)                                                                  \
    {                                                                                              \
        return of(x);                                                                              \
    }                                                                                              \
    __TERN_FN float n(float x)                                                                     \
    {                                                                                              \
        return of(x);                                                                              \
    }                                                                                              \
    __TERN_FN double n(double x)                                                                   \
    {                                                                                              \
        return __tern_##n(x);                                                                      \
    }                                                                                              \
    template <class T> __TERN_FN typename __tern_integer<T>::real n(T x)                           \
    {                                                                                              \
        return __tern_##n((double)x);                                                              \
    }
/* Two arguments of one float type, or of any two arithmetic types: then double. */
#define __TERN_MATH2_BY(n, of)                                                                     \
    __TERN_FN float n##f(float x, float y)                                                         \
    {                                                                                              \
        return of(x, y);                                                                           \
    }                                                                                              \
    __TERN_FN float n(float x, float y)                                                            \
    {                                                                                              \
        return of(x, y);                                                                           \
    }                                                                                              \
    __TERN_FN double n(double x, double y)                                                         \
    {                                                                                              \
        return __tern_##n(x, y);                                                                   \
    }                                                                                              \
    template <class T, class U, class R = typename __tern_real<T>::real,                           \
              class S = typename __tern_real<U>::real>                                             \
    __TERN_FN double n(T x, U y)                                                                   \
    {                                                                                              \
        return __tern_##n((double)x, (double)y);                                                   \
    }
#define __TERN_MATH1(n) __TERN_MATH1_BY(n, __tern_##n##f)
#define __TERN_MATH2(n) __TERN_MATH2_BY(n, __tern_##n##f)
/* Functions that -use_fast_math makes quick: float's becomes __sinf, … */
#ifdef __USE_FAST_MATH__
#define __TERN_MATH1_QUICK(n) __TERN_MATH1_BY(n, __##n##f)
#define __TERN_MATH2_QUICK(n) __TERN_MATH2_BY(n, __##n##f)
#else
#define __TERN_MATH1_QUICK(n) __TERN_MATH1(n)
#define __TERN_MATH2_QUICK(n) __TERN_MATH2(n)
#endif

__TERN_MATH1(acos)
__TERN_MATH1(acosh)
__TERN_MATH1(asin)
__TERN_MATH1(asinh)
__TERN_MATH1(atan)
__TERN_MATH1(atanh)
__TERN_MATH1(cbrt)
__TERN_MATH1_QUICK(cos)
__TERN_MATH1(cosh)
__TERN_MATH1(cospi)
__TERN_MATH1(cyl_bessel_i0)
__TERN_MATH1(cyl_bessel_i1)
__TERN_MATH1(erf)
__TERN_MATH1(erfc)
__TERN_MATH1(erfcinv)
__TERN_MATH1(erfcx)
__TERN_MATH1(erfinv)
__TERN_MATH1_QUICK(exp)
__TERN_MATH1_QUICK(exp10)
__TERN_MATH1_QUICK(exp2)
__TERN_MATH1(expm1)
__TERN_MATH1(j0)
__TERN_MATH1(j1)
__TERN_MATH1(lgamma)
__TERN_MATH1_QUICK(log)
__TERN_MATH1_QUICK(log10)
__TERN_MATH1(log1p)
__TERN_MATH1_QUICK(log2)
__TERN_MATH1(logb)
__TERN_MATH1(normcdf)
__TERN_MATH1(normcdfinv)
__TERN_MATH1(rcbrt)
__TERN_MATH1(round)
__TERN_MATH1(rsqrt)
__TERN_MATH1_QUICK(sin)
__TERN_MATH1(sinh)
__TERN_MATH1(sinpi)
__TERN_MATH1_QUICK(tan)
__TERN_MATH1(tanh)
__TERN_MATH1(tgamma)
__TERN_MATH1(y0)
__TERN_MATH1(y1)
__TERN_MATH2(atan2)
__TERN_MATH2(fdim)
__TERN_MATH2(fmod)
__TERN_MATH2(hypot)
__TERN_MATH2(nextafter)
__TERN_MATH2_QUICK(pow)
__TERN_MATH2(remainder)
__TERN_MATH2(rhypot)

/* Exact in one operation. */
#define __TERN_MATH1_OP(n, op)                                                                     \
    __TERN_FN float n##f(float x)                                                                  \
    {                                                                                              \
        return __tern_op_##op(x);                                                                  \
    }                                                                                              \
    __TERN_FN float n(float x)                                                                     \
    {                                                                                              \
        return __tern_op_##op(x);                                                                  \
    }                                                                                              \
    __TERN_FN double n(double x)                                                                   \
    {                                                                                              \
        return __tern_op_##op(x);                                                                  \
    }                                                                                              \
    template <class T> __TERN_FN typename __tern_integer<T>::real n(T x)                           \
    {                                                                                              \
        return __tern_op_##op((double)x);                                                          \
    }
__TERN_MATH1_OP(sqrt, fsqrt)
__TERN_MATH1_OP(fabs, fabs)
__TERN_MATH1_OP(floor, ffloor)
__TERN_MATH1_OP(ceil, fceil)
__TERN_MATH1_OP(trunc, ftrunc)
__TERN_MATH1_OP(rint, frint)
__TERN_MATH1_OP(nearbyint, frint)
#undef __TERN_MATH1_OP
#define __TERN_MATH2_OP(n, op)                                                                     \
    __TERN_FN float n##f(float x, float y)                                                         \
    {                                                                                              \
        return __tern_op_##op(x, y);                                                               \
    }                                                                                              \
    __TERN_FN float n(float x, float y)                                                            \
    {                                                                                              \
        return __tern_op_##op(x, y);                                                               \
    }                                                                                              \
    __TERN_FN double n(double x, double y)                                                         \
    {                                                                                              \
        return __tern_op_##op(x, y);                                                               \
    }                                                                                              \
    template <class T, class U, class R = typename __tern_real<T>::real,                           \
              class S = typename __tern_real<U>::real>                                             \
    __TERN_FN double n(T x, U y)                                                                   \
    {                                                                                              \
        return __tern_op_##op((double)x, (double)y);                                               \
    }
__TERN_MATH2_OP(fmin, fmin)
__TERN_MATH2_OP(fmax, fmax)
__TERN_MATH2_OP(copysign, fcopysign)
#undef __TERN_MATH2_OP
__TERN_FN float fmaf(float x, float y, float z)
{
    return __tern_op_fma(x, y, z);
}
__TERN_FN float fma(float x, float y, float z)
{
    return __tern_op_fma(x, y, z);
}
__TERN_FN double fma(double x, double y, double z)
{
    return __tern_op_fma(x, y, z);
}

/* The power of an integer exponent, and floats with integers, stay in the base's type. */
__TERN_FN float powif(float x, int n)
{
    return __tern_powf(x, (float)n);
}
__TERN_FN double powi(double x, int n)
{
    return __tern_pow(x, (double)n);
}
__TERN_FN float pow(float x, int n)
{
    return __tern_powf(x, (float)n);
}
__TERN_FN double pow(double x, int n)
{
    return __tern_pow(x, (double)n);
}

/* What gives or takes something besides numbers of one type. */
#define __TERN_MATH_REST(T, f)                                                                     \
    __TERN_FN void sincospi##f(T x, T *s, T *c)                                                    \
    {                                                                                              \
        __tern_sincospi##f(x, s, c);                                                               \
    }                                                                                              \
    __TERN_FN T ldexp##f(T x, int n)                                                               \
    {                                                                                              \
        return __tern_ldexp##f(x, n);                                                              \
    }                                                                                              \
    __TERN_FN T scalbn##f(T x, int n)                                                              \
    {                                                                                              \
        return __tern_scalbn##f(x, n);                                                             \
    }                                                                                              \
    __TERN_FN T scalbln##f(T x, long n)                                                            \
    {                                                                                              \
        return __tern_scalbln##f(x, n);                                                            \
    }                                                                                              \
    __TERN_FN T frexp##f(T x, int *n)                                                              \
    {                                                                                              \
        return __tern_frexp##f(x, n);                                                              \
    }                                                                                              \
    __TERN_FN T modf##f(T x, T *i)                                                                 \
    {                                                                                              \
        return __tern_modf##f(x, i);                                                               \
    }                                                                                              \
    __TERN_FN T remquo##f(T x, T y, int *q)                                                        \
    {                                                                                              \
        return __tern_remquo##f(x, y, q);                                                          \
    }                                                                                              \
    __TERN_FN int ilogb##f(T x)                                                                    \
    {                                                                                              \
        return __tern_ilogb##f(x);                                                                 \
    }                                                                                              \
    __TERN_FN long lround##f(T x)                                                                  \
    {                                                                                              \
        return (long)__tern_llround##f(x);                                                         \
    }                                                                                              \
    __TERN_FN long long llround##f(T x)                                                            \
    {                                                                                              \
        return __tern_llround##f(x);                                                               \
    }                                                                                              \
    __TERN_FN long lrint##f(T x)                                                                   \
    {                                                                                              \
        return __tern_op_ftosi_rn<long>(x);                                                        \
    }                                                                                              \
    __TERN_FN long long llrint##f(T x)                                                             \
    {                                                                                              \
        return __tern_op_ftosi_rn<long long>(x);                                                   \
    }                                                                                              \
    __TERN_FN T jn##f(int n, T x)                                                                  \
    {                                                                                              \
        return __tern_jn##f(n, x);                                                                 \
    }                                                                                              \
    __TERN_FN T yn##f(int n, T x)                                                                  \
    {                                                                                              \
        return __tern_yn##f(n, x);                                                                 \
    }                                                                                              \
    __TERN_FN T norm3d##f(T a, T b, T c)                                                           \
    {                                                                                              \
        return __tern_norm3d##f(a, b, c);                                                          \
    }                                                                                              \
    __TERN_FN T norm4d##f(T a, T b, T c, T d)                                                      \
    {                                                                                              \
        return __tern_norm4d##f(a, b, c, d);                                                       \
    }                                                                                              \
    __TERN_FN T rnorm3d##f(T a, T b, T c)                                                          \
    {                                                                                              \
        return __tern_rnorm3d##f(a, b, c);                                                         \
    }                                                                                              \
    __TERN_FN T rnorm4d##f(T a, T b, T c, T d)                                                     \
    {                                                                                              \
        return __tern_rnorm4d##f(a, b, c, d);                                                      \
    }                                                                                              \
    __TERN_FN T norm##f(int n, const T *p)                                                         \
    {                                                                                              \
        return __tern_norm##f(n, p);                                                               \
    }                                                                                              \
    __TERN_FN T rnorm##f(int n, const T *p)                                                        \
    {                                                                                              \
        return __tern_rnorm##f(n, p);                                                              \
    }
__TERN_MATH_REST(float, f)
__TERN_MATH_REST(double, )
#undef __TERN_MATH_REST
__TERN_FN void sincosf(float x, float *s, float *c)
{
#ifdef __USE_FAST_MATH__
    __sincosf(x, s, c);
#else
    __tern_sincosf(x, s, c);
#endif
}
__TERN_FN void sincos(double x, double *s, double *c)
{
    __tern_sincos(x, s, c);
}
__TERN_FN void sincos(float x, float *s, float *c)
{
    sincosf(x, s, c);
}
__TERN_FN float ldexp(float x, int n)
{
    return __tern_ldexpf(x, n);
}
__TERN_FN float scalbn(float x, int n)
{
    return __tern_scalbnf(x, n);
}
__TERN_FN float frexp(float x, int *n)
{
    return __tern_frexpf(x, n);
}
__TERN_FN float modf(float x, float *i)
{
    return __tern_modff(x, i);
}
__TERN_FN float remquo(float x, float y, int *q)
{
    return __tern_remquof(x, y, q);
}
__TERN_FN int ilogb(float x)
{
    return __tern_ilogbf(x);
}
__TERN_FN long lround(float x)
{
    return (long)__tern_llroundf(x);
}
__TERN_FN long long llround(float x)
{
    return __tern_llroundf(x);
}
__TERN_FN long lrint(float x)
{
    return __tern_op_ftosi_rn<long>(x);
}
__TERN_FN long long llrint(float x)
{
    return __tern_op_ftosi_rn<long long>(x);
}
__TERN_FN float hypot(float x, float y, float z)
{
    return __tern_norm3df(x, y, z);
}
__TERN_FN double hypot(double x, double y, double z)
{
    return __tern_norm3d(x, y, z);
}
__TERN_FN float nanf(const char *)
{
    return __tern_op_bitcast<float>(0x7fffffff);
}
__TERN_FN double nan(const char *)
{
    return __tern_op_bitcast<double>(0x7ff8000000000000LL);
}

/* Kinds of numbers. */
__TERN_FN constexpr bool isnan(float x)
{
    return x != x;
}
__TERN_FN constexpr bool isnan(double x)
{
    return x != x;
}
__TERN_FN constexpr bool isinf(float x)
{
    return __tern_op_fabs(x) == __builtin_huge_valf();
}
__TERN_FN constexpr bool isinf(double x)
{
    return __tern_op_fabs(x) == __builtin_huge_val();
}
__TERN_FN constexpr bool isfinite(float x)
{
    return __tern_op_fabs(x) < __builtin_huge_valf();
}
__TERN_FN constexpr bool isfinite(double x)
{
    return __tern_op_fabs(x) < __builtin_huge_val();
}
__TERN_FN bool isnormal(float x)
{
    return isfinite(x) && __tern_op_fabs(x) >= 1.17549435082228750797e-38f;
}
__TERN_FN bool isnormal(double x)
{
    return isfinite(x) && __tern_op_fabs(x) >= 2.22507385850720138309e-308;
}
__TERN_FN constexpr bool signbit(float x)
{
    return __tern_op_bitcast<int>(x) < 0;
}
__TERN_FN constexpr bool signbit(double x)
{
    return __tern_op_bitcast<long long>(x) < 0;
}
__TERN_FN int __isnanf(float x)
{
    return isnan(x);
}
__TERN_FN int __isnan(double x)
{
    return isnan(x);
}
__TERN_FN int __isinff(float x)
{
    return isinf(x);
}
__TERN_FN int __isinf(double x)
{
    return isinf(x);
}
__TERN_FN int __finitef(float x)
{
    return isfinite(x);
}
__TERN_FN int __finite(double x)
{
    return isfinite(x);
}
__TERN_FN int __signbitf(float x)
{
    return signbit(x);
}
__TERN_FN int __signbit(double x)
{
    return signbit(x);
}
#define __TERN_COMPARE(n, e)                                                                       \
    __TERN_FN bool n(float x, float y)                                                             \
    {                                                                                              \
        return e;                                                                                  \
    }                                                                                              \
    __TERN_FN bool n(double x, double y)                                                           \
    {                                                                                              \
        return e;                                                                                  \
    }
__TERN_COMPARE(isgreater, x > y)
__TERN_COMPARE(isgreaterequal, x >= y)
__TERN_COMPARE(isless, x < y)
__TERN_COMPARE(islessequal, x <= y)
__TERN_COMPARE(islessgreater, (x < y || x > y))
__TERN_COMPARE(isunordered, (x != x || y != y))
#undef __TERN_COMPARE

/* abs, min and max of everything. */
__TERN_FN int abs(int x)
{
    return x < 0 ? -x : x;
}
__TERN_FN long abs(long x)
{
    return x < 0 ? -x : x;
}
__TERN_FN long long abs(long long x)
{
    return x < 0 ? -x : x;
}
__TERN_FN float abs(float x)
{
    return __tern_op_fabs(x);
}
__TERN_FN double abs(double x)
{
    return __tern_op_fabs(x);
}
__TERN_FN long labs(long x)
{
    return abs(x);
}
__TERN_FN long long llabs(long long x)
{
    return abs(x);
}
#define __TERN_MINMAX(R, A, B, lo, hi)                                                             \
    __TERN_FN R min(A x, B y)                                                                      \
    {                                                                                              \
        return __tern_op_##lo((R)x, (R)y);                                                         \
    }                                                                                              \
    __TERN_FN R max(A x, B y)                                                                      \
    {                                                                                              \
        return __tern_op_##hi((R)x, (R)y);                                                         \
    }
__TERN_MINMAX(int, int, int, smin, smax)
__TERN_MINMAX(unsigned int, unsigned int, unsigned int, umin, umax)
__TERN_MINMAX(unsigned int, int, unsigned int, umin, umax)
__TERN_MINMAX(unsigned int, unsigned int, int, umin, umax)
__TERN_MINMAX(long, long, long, smin, smax)
__TERN_MINMAX(unsigned long, unsigned long, unsigned long, umin, umax)
__TERN_MINMAX(unsigned long, long, unsigned long, umin, umax)
__TERN_MINMAX(unsigned long, unsigned long, long, umin, umax)
__TERN_MINMAX(long long, long long, long long, smin, smax)
__TERN_MINMAX(unsigned long long, unsigned long long, unsigned long long, umin, umax)
__TERN_MINMAX(unsigned long long, long long, unsigned long long, umin, umax)
__TERN_MINMAX(unsigned long long, unsigned long long, long long, umin, umax)
__TERN_MINMAX(float, float, float, fmin, fmax)
__TERN_MINMAX(double, double, double, fmin, fmax)
__TERN_MINMAX(double, float, double, fmin, fmax)
__TERN_MINMAX(double, double, float, fmin, fmax)
#undef __TERN_MINMAX
__TERN_FN unsigned int umin(unsigned int x, unsigned int y)
{
    return __tern_op_umin(x, y);
}
__TERN_FN unsigned int umax(unsigned int x, unsigned int y)
{
    return __tern_op_umax(x, y);
}
__TERN_FN long long llmin(long long x, long long y)
{
    return __tern_op_smin(x, y);
}
__TERN_FN long long llmax(long long x, long long y)
{
    return __tern_op_smax(x, y);
}
__TERN_FN unsigned long long ullmin(unsigned long long x, unsigned long long y)
{
    return __tern_op_umin(x, y);
}
__TERN_FN unsigned long long ullmax(unsigned long long x, unsigned long long y)
{
    return __tern_op_umax(x, y);
}
#undef __TERN_MATH1
#undef __TERN_MATH1_BY
#undef __TERN_MATH1_QUICK
#undef __TERN_MATH2
#undef __TERN_MATH2_BY
#undef __TERN_MATH2_QUICK

namespace std
{
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::asin;
using ::asinf;
using ::asinh;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::isfinite;
using ::isgreater;
using ::isgreaterequal;
using ::isinf;
using ::isless;
using ::islessequal;
using ::islessgreater;
using ::isnan;
using ::isnormal;
using ::isunordered;
using ::labs;
using ::ldexp;
using ::lgamma;
using ::lgammaf;
using ::llabs;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logf;
using ::lrint;
using ::lround;
using ::modf;
using ::nan;
using ::nanf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::powf;
using ::remainder;
using ::remquo;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::tgammaf;
using ::trunc;
using ::truncf;
} // namespace std
#endif

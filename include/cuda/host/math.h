/* The C library's mathematics, with C++'s overloads: for float, and for integers as double. */
#pragma once
#include <type_traits>
#include "tern_math_constants.h"
#define __TERN_M1(name)                                                                            \
    extern "C" double name(double);                                                                \
    extern "C" float name##f(float);                                                               \
    inline float name(float x) { return name##f(x); }                                              \
    template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type name(__T x) { return name((double)x); }
/* What one instruction does, bit for bit as the library has it, is not a call. */
#define __TERN_MOP(name, op)                                                                       \
    extern "C" inline double name(double x) { return op(x); }                                      \
    extern "C" inline float name##f(float x) { return op(x); }                                     \
    inline float name(float x) { return op(x); }                                                   \
    template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type name(__T x) { return name((double)x); }
#define __TERN_M2(name)                                                                            \
    extern "C" double name(double, double);                                                        \
    extern "C" float name##f(float, float);                                                        \
    inline float name(float x, float y) { return name##f(x, y); }                                  \
    template <class __T, class __U> inline typename std::enable_if<std::is_arithmetic<__T>::value && std::is_arithmetic<__U>::value, double>::type name(__T x, __U y) { return name((double)x, (double)y); }
__TERN_M1(sin) __TERN_M1(cos) __TERN_M1(tan) __TERN_M1(asin) __TERN_M1(acos) __TERN_M1(atan)
__TERN_M1(sinh) __TERN_M1(cosh) __TERN_M1(tanh) __TERN_M1(asinh) __TERN_M1(acosh) __TERN_M1(atanh)
__TERN_M1(exp) __TERN_M1(exp2) __TERN_M1(expm1) __TERN_M1(log) __TERN_M1(log2) __TERN_M1(log10) __TERN_M1(log1p) __TERN_M1(logb)
__TERN_M1(cbrt) __TERN_M1(round)
__TERN_MOP(sqrt, __tern_op_fsqrt) __TERN_MOP(floor, __tern_op_ffloor) __TERN_MOP(ceil, __tern_op_fceil)
__TERN_MOP(trunc, __tern_op_ftrunc) __TERN_MOP(rint, __tern_op_frint) __TERN_MOP(nearbyint, __tern_op_frint)
__TERN_M1(erf) __TERN_M1(erfc) __TERN_M1(lgamma) __TERN_M1(tgamma)
__TERN_M2(pow) __TERN_M2(atan2) __TERN_M2(fmod) __TERN_M2(hypot) __TERN_M2(fmin) __TERN_M2(fmax) __TERN_M2(fdim) __TERN_M2(remainder) __TERN_M2(copysign) __TERN_M2(nextafter)
#undef __TERN_M1
#undef __TERN_MOP
#undef __TERN_M2
extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
double remquo(double, double, int *);
float remquof(float, float, int *);
double j0(double);
double j1(double);
double jn(int, double);
double y0(double);
double y1(double);
double yn(int, double);
float j0f(float);
float j1f(float);
float jnf(int, float);
float y0f(float);
float y1f(float);
float ynf(int, float);
double exp10(double);
float exp10f(float);
long lrint(double);
long lrintf(float);
long lround(double);
long lroundf(float);
long long llrint(double);
long long llrintf(float);
long long llround(double);
long long llroundf(float);
int ilogb(double);
int ilogbf(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
double nan(const char *);
float nanf(const char *);
}
extern "C" inline double fabs(double x) { return __tern_op_fabs(x); }
extern "C" inline float fabsf(float x) { return __tern_op_fabs(x); }
inline float fabs(float x) { return __tern_op_fabs(x); }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type fabs(__T x) { return fabs((double)x); }
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int n) { return ldexpf(x, n); }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type ldexp(__T x, int n) { return ldexp((double)x, n); }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type scalbn(__T x, int n) { return scalbn((double)x, n); }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, double>::type frexp(__T x, int *n) { return frexp((double)x, n); }
inline float scalbn(float x, int n) { return scalbnf(x, n); }
inline float frexp(float x, int *n) { return frexpf(x, n); }
inline float modf(float x, float *n) { return modff(x, n); }
inline float remquo(float x, float y, int *q) { return remquof(x, y, q); }
inline long lrint(float x) { return lrintf(x); }
inline long lround(float x) { return lroundf(x); }
inline long long llrint(float x) { return llrintf(x); }
inline long long llround(float x) { return llroundf(x); }
inline bool isnan(double x) { return x != x; }
inline bool isnan(float x) { return x != x; }
inline bool isnan(long double x) { return x != x; }
inline bool isinf(long double x) { return __tern_op_fabs((double)x) == __builtin_inf(); }
inline bool isfinite(long double x) { return __tern_op_fabs((double)x) < __builtin_inf(); }
inline bool isinf(double x) { return __tern_op_fabs(x) == __builtin_inf(); }
inline bool isinf(float x) { return __tern_op_fabs(x) == __builtin_inff(); }
inline bool isfinite(double x) { return __tern_op_fabs(x) < __builtin_inf(); }
inline bool isfinite(float x) { return __tern_op_fabs(x) < __builtin_inff(); }
inline bool isnormal(double x) { return isfinite(x) && __tern_op_fabs(x) >= 2.2250738585072014e-308; }
inline bool isnormal(float x) { return isfinite(x) && __tern_op_fabs(x) >= 1.17549435e-38f; }
inline bool signbit(long double x) { return (long long)__tern_op_bitcast<long long>((double)x) < 0; }
inline bool signbit(double x) { return (long long)__tern_op_bitcast<long long>(x) < 0; }
inline bool signbit(float x) { return (int)__tern_op_bitcast<int>(x) < 0; }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, bool>::type isnan(__T) { return false; }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, bool>::type isinf(__T) { return false; }
template <class __T> inline typename std::enable_if<std::is_integral<__T>::value, bool>::type isfinite(__T) { return true; }
#define HUGE_VAL  __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY  __builtin_inff()
#define NAN       __builtin_nanf("")
#define FP_ILOGB0 (-2147483647 - 1)
typedef float float_t;
typedef double double_t;
#include <stdlib.h>
/* long double is a double here. */
#define __TERN_LONG(name)                                                                          \
    inline long double name##l(long double x) { return name((double)x); }                         \
    inline long double name(long double x) { return name((double)x); }
__TERN_LONG(sqrt)
__TERN_LONG(fabs)
__TERN_LONG(floor)
__TERN_LONG(ceil)
__TERN_LONG(trunc)
__TERN_LONG(round)
__TERN_LONG(exp)
__TERN_LONG(exp2)
__TERN_LONG(log)
__TERN_LONG(log2)
__TERN_LONG(log10)
__TERN_LONG(sin)
__TERN_LONG(cos)
__TERN_LONG(tan)
__TERN_LONG(asin)
__TERN_LONG(acos)
__TERN_LONG(atan)
__TERN_LONG(sinh)
__TERN_LONG(cosh)
__TERN_LONG(tanh)
__TERN_LONG(cbrt)
__TERN_LONG(erf)
__TERN_LONG(tgamma)
__TERN_LONG(lgamma)
__TERN_LONG(rint)
__TERN_LONG(nearbyint)
__TERN_LONG(asinh)
__TERN_LONG(acosh)
__TERN_LONG(atanh)
__TERN_LONG(expm1)
__TERN_LONG(log1p)
__TERN_LONG(logb)
__TERN_LONG(erfc)
#undef __TERN_LONG
#define __TERN_LONG(name)                                                                          \
    inline long double name##l(long double x, long double y) { return name((double)x, (double)y); } \
    inline long double name(long double x, long double y) { return name((double)x, (double)y); }
__TERN_LONG(pow)
__TERN_LONG(fmod)
__TERN_LONG(atan2)
__TERN_LONG(hypot)
__TERN_LONG(fmin)
__TERN_LONG(fmax)
__TERN_LONG(copysign)
__TERN_LONG(fdim)
__TERN_LONG(remainder)
__TERN_LONG(nextafter)
#undef __TERN_LONG
#define __TERN_LONG(type, name)                                                                    \
    inline type name##l(long double x) { return name((double)x); }                                 \
    inline type name(long double x) { return name((double)x); }
__TERN_LONG(long, lrint)
__TERN_LONG(long, lround)
__TERN_LONG(long long, llrint)
__TERN_LONG(long long, llround)
__TERN_LONG(int, ilogb)
#undef __TERN_LONG
#define __TERN_LONG(name)                                                                          \
    inline long double name##l(long double x, int n) { return name((double)x, n); }                \
    inline long double name(long double x, int n) { return name((double)x, n); }
__TERN_LONG(ldexp)
__TERN_LONG(scalbn)
#undef __TERN_LONG
inline long double frexpl(long double x, int *n) { return frexp((double)x, n); }
inline long double frexp(long double x, int *n) { return frexp((double)x, n); }
inline long double modfl(long double x, long double *n)
{
    double whole;
    const double part = modf((double)x, &whole);
    *n = whole;
    return part;
}
inline long double modf(long double x, long double *n) { return modfl(x, n); }
inline long double remquol(long double x, long double y, int *q) { return remquo((double)x, (double)y, q); }
inline long double remquo(long double x, long double y, int *q) { return remquol(x, y, q); }
inline long double fmal(long double x, long double y, long double z) { return fma((double)x, (double)y, (double)z); }
inline long double fma(long double x, long double y, long double z) { return fmal(x, y, z); }
inline long double nanl(const char *s) { return nan(s); }
inline long double abs(long double x) { return fabs((double)x); }

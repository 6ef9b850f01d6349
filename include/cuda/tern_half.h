/* What half and bfloat16 have in common: read by cuda_fp16.h and by cuda_bf16.h, which say first
 *
 *   __TERN_HALF, __TERN_HALF2           the type and its pair: __half, __half2
 *   __TERN_HALF_RAW, __TERN_HALF2_RAW   their bits
 *   __TERN_HALF_V                       the IR's type of such a number
 *   __TERN_HALF_NAME(a, b)              a function's name: a, the type's short name, b
 *   __TERN_HALF_DOUBLED                 the name of the pair of one number twice
 *   __TERN_HALF_NO_OPERATORS            where the program wants no operators
 *
 * Arithmetic happens in the format itself, rounded once, as the IR defines it. The host half gets
 * the same from tern_host_float.h, but for what needs a device. */
struct __TERN_HALF_RAW {
    unsigned short x;
};
struct alignas(4) __TERN_HALF2_RAW {
    unsigned short x, y;
};
#ifndef __TERN_DEVICE__
#include "tern_host_float.h"
#endif
#define __TERN_FROM_INT(T, convert)                                                                \
    __TERN_HDM __TERN_HALF(T i) : __v(convert<__TERN_HALF_V>(i))                                   \
    {                                                                                              \
    }
#define __TERN_TO_INT(T)                                                                           \
    __TERN_HDM explicit operator T() const                                                         \
    {                                                                                              \
        return (T)(float)__v;                                                                      \
    }
struct __TERN_HALF {
    union {
        __TERN_HALF_V __v;
        unsigned short __x; /* its bits, by the name that libraries know */
    };
    __TERN_HALF() = default;
    __TERN_HDM __TERN_HALF(__TERN_HALF_V v, int, int) : __v(v)
    {
    }
    __TERN_HDM constexpr __TERN_HALF(__TERN_HALF_RAW r) : __x(r.x)
    {
    }
    __TERN_HDM __TERN_HALF(float f) : __v((__TERN_HALF_V)f)
    {
    }
    __TERN_HDM __TERN_HALF(double f) : __v((__TERN_HALF_V)f)
    {
    }
    __TERN_FROM_INT(int, __tern_op_sitof)
    __TERN_FROM_INT(unsigned, __tern_op_uitof)
    __TERN_FROM_INT(short, __tern_op_sitof)
    __TERN_FROM_INT(unsigned short, __tern_op_uitof)
    __TERN_FROM_INT(long, __tern_op_sitof)
    __TERN_FROM_INT(unsigned long, __tern_op_uitof)
    __TERN_FROM_INT(long long, __tern_op_sitof)
    __TERN_FROM_INT(unsigned long long, __tern_op_uitof)
    __TERN_HDM __TERN_HALF &operator=(float f)
    {
        __v = (__TERN_HALF_V)f;
        return *this;
    }
    __TERN_HDM __TERN_HALF &operator=(double f)
    {
        __v = (__TERN_HALF_V)f;
        return *this;
    }
    __TERN_HDM __TERN_HALF &operator=(int i)
    {
        __v = __tern_op_sitof<__TERN_HALF_V>(i);
        return *this;
    }
    __TERN_HDM operator float() const
    {
        return (float)__v;
    }
    __TERN_HDM explicit operator double() const
    {
        return (double)__v;
    }
    __TERN_TO_INT(char)
    __TERN_TO_INT(signed char)
    __TERN_TO_INT(unsigned char)
    __TERN_TO_INT(short)
    __TERN_TO_INT(unsigned short)
    __TERN_TO_INT(int)
    __TERN_TO_INT(unsigned)
    __TERN_TO_INT(long)
    __TERN_TO_INT(unsigned long)
    __TERN_TO_INT(long long)
    __TERN_TO_INT(unsigned long long)
    __TERN_HDM explicit operator bool() const
    {
        return (float)__v != 0.0f;
    }
    __TERN_HDM operator __TERN_HALF_RAW() const
    {
        return __TERN_HALF_RAW{__tern_op_bitcast<unsigned short>(__v)};
    }
    /* Volatile ones are read and written as their bits. */
    __TERN_HDM operator __TERN_HALF_RAW() const volatile
    {
        return __TERN_HALF_RAW{__x};
    }
    __TERN_HDM volatile __TERN_HALF &operator=(__TERN_HALF_RAW r) volatile
    {
        __x = r.x;
        return *this;
    }
};
#undef __TERN_FROM_INT
#undef __TERN_TO_INT
struct alignas(4) __TERN_HALF2 {
    __TERN_HALF x, y;
    __TERN_HALF2() = default;
    __TERN_HDM __TERN_HALF2(__TERN_HALF a, __TERN_HALF b) : x(a), y(b)
    {
    }
    __TERN_HDM __TERN_HALF2(__TERN_HALF2_RAW r) : x(__TERN_HALF_RAW{r.x}), y(__TERN_HALF_RAW{r.y})
    {
    }
};

#define __TERN_H(e) __TERN_HALF((__TERN_HALF_V)(e), 0, 0)
/* ---- conversions: in each of four roundings, and to the nearest ---- */
#define __TERN_H_TO(name, T, op, r)                                                                \
    __TERN_FN T __TERN_HALF_NAME(__, name##_##r)(__TERN_HALF a)                                    \
    {                                                                                              \
        return (T)op##_##r<T>((float)a.__v);                                                       \
    }
#define __TERN_H_FROM(name, T, op, r)                                                              \
    __TERN_FN __TERN_HALF __TERN_HALF_NAME(__##name##2, _##r)(T i)                                 \
    {                                                                                              \
        return __TERN_H(op##_##r<__TERN_HALF_V>(i));                                               \
    }
#define __TERN_H_ROUND(r)                                                                          \
    __TERN_H_FROM(float, float, __tern_op_fcvt, r)                                                 \
    __TERN_H_TO(2int, int, __tern_op_ftosi, r)                                                     \
    __TERN_H_FROM(int, int, __tern_op_sitof, r)                                                    \
    __TERN_H_TO(2uint, unsigned, __tern_op_ftoui, r)                                               \
    __TERN_H_FROM(uint, unsigned, __tern_op_uitof, r)                                              \
    __TERN_H_TO(2short, short, __tern_op_ftosi, r)                                                 \
    __TERN_H_FROM(short, short, __tern_op_sitof, r)                                                \
    __TERN_H_TO(2ushort, unsigned short, __tern_op_ftoui, r)                                       \
    __TERN_H_FROM(ushort, unsigned short, __tern_op_uitof, r)                                      \
    __TERN_H_TO(2ll, long long, __tern_op_ftosi, r)                                                \
    __TERN_H_FROM(ll, long long, __tern_op_sitof, r)                                               \
    __TERN_H_TO(2ull, unsigned long long, __tern_op_ftoui, r)                                      \
    __TERN_H_FROM(ull, unsigned long long, __tern_op_uitof, r)
__TERN_H_ROUND(rn)
__TERN_H_ROUND(rz)
__TERN_H_ROUND(ru)
__TERN_H_ROUND(rd)
#undef __TERN_H_ROUND
#undef __TERN_H_TO
#undef __TERN_H_FROM
/* beyond a byte the nearest it has; NaN is 0 */
__TERN_FN signed char __TERN_HALF_NAME(__, 2char_rz)(__TERN_HALF a)
{
    int i = __tern_op_ftosi_rz<int>((float)a.__v);
    return (signed char)(i < -128 ? -128 : i > 127 ? 127 : i);
}
__TERN_FN unsigned char __TERN_HALF_NAME(__, 2uchar_rz)(__TERN_HALF a)
{
    unsigned i = __tern_op_ftoui_rz<unsigned>((float)a.__v);
    return (unsigned char)(i > 255u ? 255u : i);
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__float2, )(float f)
{
    return __TERN_HALF(f);
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__double2, )(double f)
{
    return __TERN_HALF(f);
}
__TERN_FN float __TERN_HALF_NAME(__, 2float)(__TERN_HALF a)
{
    return (float)a.__v;
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__float2, 2_rn)(float f)
{
    return __TERN_HALF2(__TERN_HALF(f), __TERN_HALF(f));
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__floats2, 2_rn)(float a, float b)
{
    return __TERN_HALF2(__TERN_HALF(a), __TERN_HALF(b));
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__float22, 2_rn)(float2 f)
{
    return __TERN_HALF2(__TERN_HALF(f.x), __TERN_HALF(f.y));
}
__TERN_FN float2 __TERN_HALF_NAME(__, 22float2)(__TERN_HALF2 a)
{
    return float2{(float)a.x.__v, (float)a.y.__v};
}
__TERN_FN float __low2float(__TERN_HALF2 a)
{
    return (float)a.x.__v;
}
__TERN_FN float __high2float(__TERN_HALF2 a)
{
    return (float)a.y.__v;
}
__TERN_FN __TERN_HALF2 __TERN_HALF_DOUBLED(__TERN_HALF a)
{
    return __TERN_HALF2(a, a);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__halves2, 2)(__TERN_HALF a, __TERN_HALF b)
{
    return __TERN_HALF2(a, b);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(make_, 2)(__TERN_HALF a, __TERN_HALF b)
{
    return __TERN_HALF2(a, b);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__low2, 2)(__TERN_HALF2 a)
{
    return __TERN_HALF2(a.x, a.x);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__high2, 2)(__TERN_HALF2 a)
{
    return __TERN_HALF2(a.y, a.y);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__lows2, 2)(__TERN_HALF2 a, __TERN_HALF2 b)
{
    return __TERN_HALF2(a.x, b.x);
}
__TERN_FN __TERN_HALF2 __TERN_HALF_NAME(__highs2, 2)(__TERN_HALF2 a, __TERN_HALF2 b)
{
    return __TERN_HALF2(a.y, b.y);
}
__TERN_FN __TERN_HALF2 __lowhigh2highlow(__TERN_HALF2 a)
{
    return __TERN_HALF2(a.y, a.x);
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__low2, )(__TERN_HALF2 a)
{
    return a.x;
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__high2, )(__TERN_HALF2 a)
{
    return a.y;
}
__TERN_FN unsigned short __TERN_HALF_NAME(__, _as_ushort)(__TERN_HALF a)
{
    return __tern_op_bitcast<unsigned short>(a.__v);
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__ushort_as_, )(unsigned short u)
{
    return __TERN_H(__tern_op_bitcast<__TERN_HALF_V>(u));
}
__TERN_FN short __TERN_HALF_NAME(__, _as_short)(__TERN_HALF a)
{
    return __tern_op_bitcast<short>(a.__v);
}
__TERN_FN __TERN_HALF __TERN_HALF_NAME(__short_as_, )(short u)
{
    return __TERN_H(__tern_op_bitcast<__TERN_HALF_V>(u));
}

/* ---- arithmetic: a function, and the same for pairs ---- */
#define __TERN_H2(n, n2, e)                                                                        \
    __TERN_FN __TERN_HALF n(__TERN_HALF a, __TERN_HALF b)                                          \
    {                                                                                              \
        return __TERN_H(e);                                                                        \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 n2(__TERN_HALF2 a, __TERN_HALF2 b)                                      \
    {                                                                                              \
        return __TERN_HALF2(n(a.x, b.x), n(a.y, b.y));                                             \
    }
#define __TERN_H_SAT(e)                                                                            \
    __tern_op_fmin(__tern_op_fmax((__TERN_HALF_V)(e), (__TERN_HALF_V)0.0f), (__TERN_HALF_V)1.0f)
#define __TERN_H_NAN __tern_op_bitcast<__TERN_HALF_V>((unsigned short)0x7fff)
__TERN_H2(__hadd, __hadd2, a.__v + b.__v)
__TERN_H2(__hadd_rn, __hadd2_rn, a.__v + b.__v)
__TERN_H2(__hadd_sat, __hadd2_sat, __TERN_H_SAT(a.__v + b.__v))
__TERN_H2(__hsub, __hsub2, a.__v - b.__v)
__TERN_H2(__hsub_rn, __hsub2_rn, a.__v - b.__v)
__TERN_H2(__hsub_sat, __hsub2_sat, __TERN_H_SAT(a.__v - b.__v))
__TERN_H2(__hmul, __hmul2, a.__v *b.__v)
__TERN_H2(__hmul_rn, __hmul2_rn, a.__v *b.__v)
__TERN_H2(__hmul_sat, __hmul2_sat, __TERN_H_SAT(a.__v *b.__v))
__TERN_H2(__hdiv, __h2div, a.__v / b.__v)
__TERN_H2(__hmin, __hmin2, __tern_op_fmin(a.__v, b.__v))
__TERN_H2(__hmax, __hmax2, __tern_op_fmax(a.__v, b.__v))
__TERN_H2(__hmin_nan, __hmin2_nan,
          a.__v != a.__v || b.__v != b.__v ? __TERN_H_NAN : __tern_op_fmin(a.__v, b.__v))
__TERN_H2(__hmax_nan, __hmax2_nan,
          a.__v != a.__v || b.__v != b.__v ? __TERN_H_NAN : __tern_op_fmax(a.__v, b.__v))
#undef __TERN_H2
#define __TERN_H3(n, n2, e)                                                                        \
    __TERN_FN __TERN_HALF n(__TERN_HALF a, __TERN_HALF b, __TERN_HALF c)                           \
    {                                                                                              \
        return __TERN_H(e);                                                                        \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 n2(__TERN_HALF2 a, __TERN_HALF2 b, __TERN_HALF2 c)                      \
    {                                                                                              \
        return __TERN_HALF2(n(a.x, b.x, c.x), n(a.y, b.y, c.y));                                   \
    }
__TERN_H3(__hfma, __hfma2, __tern_op_fma(a.__v, b.__v, c.__v))
__TERN_H3(__hfma_sat, __hfma2_sat, __TERN_H_SAT(__tern_op_fma(a.__v, b.__v, c.__v)))
__TERN_H3(__hfma_relu, __hfma2_relu,
          __tern_op_fmax(__tern_op_fma(a.__v, b.__v, c.__v), (__TERN_HALF_V)0.0f))
#undef __TERN_H3
#undef __TERN_H_SAT
#undef __TERN_H_NAN
__TERN_FN __TERN_HALF __hneg(__TERN_HALF a)
{
    return __TERN_H(__tern_op_fneg(a.__v));
}
__TERN_FN __TERN_HALF __habs(__TERN_HALF a)
{
    return __TERN_H(__tern_op_fabs(a.__v));
}
__TERN_FN __TERN_HALF2 __hneg2(__TERN_HALF2 a)
{
    return __TERN_HALF2(__hneg(a.x), __hneg(a.y));
}
__TERN_FN __TERN_HALF2 __habs2(__TERN_HALF2 a)
{
    return __TERN_HALF2(__habs(a.x), __habs(a.y));
}
/* a b + c of complex numbers: x is the real part */
__TERN_FN __TERN_HALF2 __hcmadd(__TERN_HALF2 a, __TERN_HALF2 b, __TERN_HALF2 c)
{
    return __TERN_HALF2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                        __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* ---- comparison: of numbers; of pairs, lane by lane as numbers, in all lanes, and as masks. What
 * ends in u is true of NaN. ---- */
#define __TERN_H_COMPARE(n, n2, all, mask, e)                                                      \
    __TERN_FN bool n(__TERN_HALF a, __TERN_HALF b)                                                 \
    {                                                                                              \
        return e;                                                                                  \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 n2(__TERN_HALF2 a, __TERN_HALF2 b)                                      \
    {                                                                                              \
        return __TERN_HALF2(__TERN_HALF(n(a.x, b.x) ? 1.0f : 0.0f),                                \
                            __TERN_HALF(n(a.y, b.y) ? 1.0f : 0.0f));                               \
    }                                                                                              \
    __TERN_FN bool all(__TERN_HALF2 a, __TERN_HALF2 b)                                             \
    {                                                                                              \
        return n(a.x, b.x) && n(a.y, b.y);                                                         \
    }                                                                                              \
    __TERN_FN unsigned mask(__TERN_HALF2 a, __TERN_HALF2 b)                                        \
    {                                                                                              \
        return (n(a.x, b.x) ? 0xffffu : 0u) | (n(a.y, b.y) ? 0xffff0000u : 0u);                    \
    }
__TERN_H_COMPARE(__heq, __heq2, __hbeq2, __heq2_mask, a.__v == b.__v)
__TERN_H_COMPARE(__hequ, __hequ2, __hbequ2, __hequ2_mask, !(a.__v < b.__v || a.__v > b.__v))
__TERN_H_COMPARE(__hne, __hne2, __hbne2, __hne2_mask, a.__v<b.__v || a.__v> b.__v)
__TERN_H_COMPARE(__hneu, __hneu2, __hbneu2, __hneu2_mask, a.__v != b.__v)
__TERN_H_COMPARE(__hle, __hle2, __hble2, __hle2_mask, a.__v <= b.__v)
__TERN_H_COMPARE(__hleu, __hleu2, __hbleu2, __hleu2_mask, !(a.__v > b.__v))
__TERN_H_COMPARE(__hge, __hge2, __hbge2, __hge2_mask, a.__v >= b.__v)
__TERN_H_COMPARE(__hgeu, __hgeu2, __hbgeu2, __hgeu2_mask, !(a.__v < b.__v))
__TERN_H_COMPARE(__hlt, __hlt2, __hblt2, __hlt2_mask, a.__v < b.__v)
__TERN_H_COMPARE(__hltu, __hltu2, __hbltu2, __hltu2_mask, !(a.__v >= b.__v))
__TERN_H_COMPARE(__hgt, __hgt2, __hbgt2, __hgt2_mask, a.__v > b.__v)
__TERN_H_COMPARE(__hgtu, __hgtu2, __hbgtu2, __hgtu2_mask, !(a.__v <= b.__v))
#undef __TERN_H_COMPARE
__TERN_FN bool __hisnan(__TERN_HALF a)
{
    return a.__v != a.__v;
}
__TERN_FN int __hisinf(__TERN_HALF a)
{
    float f = (float)a.__v;
    return f == __builtin_huge_valf() ? 1 : f == -__builtin_huge_valf() ? -1 : 0;
}
__TERN_FN __TERN_HALF2 __hisnan2(__TERN_HALF2 a)
{
    return __TERN_HALF2(__TERN_HALF(__hisnan(a.x) ? 1.0f : 0.0f),
                        __TERN_HALF(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- functions: computed in float, rounded once more ---- */
#define __TERN_H1(n, e)                                                                            \
    __TERN_FN __TERN_HALF h##n(__TERN_HALF a)                                                      \
    {                                                                                              \
        float x = (float)a.__v;                                                                    \
        return __TERN_HALF(e);                                                                     \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 h2##n(__TERN_HALF2 a)                                                   \
    {                                                                                              \
        return __TERN_HALF2(h##n(a.x), h##n(a.y));                                                 \
    }
__TERN_H1(sqrt, __tern_op_fsqrt(x))
__TERN_H1(rsqrt, __tern_rsqrtf(x))
__TERN_H1(rcp, 1.0f / x)
__TERN_H1(sin, __tern_sinf(x))
__TERN_H1(cos, __tern_cosf(x))
__TERN_H1(exp, __tern_expf(x))
__TERN_H1(exp2, __tern_exp2f(x))
__TERN_H1(exp10, __tern_exp10f(x))
__TERN_H1(log, __tern_logf(x))
__TERN_H1(log2, __tern_log2f(x))
__TERN_H1(log10, __tern_log10f(x))
__TERN_H1(tanh, __tern_tanhf(x))
__TERN_H1(tanh_approx, __tern_tanhf(x))
__TERN_H1(floor, __tern_op_ffloor(x))
__TERN_H1(ceil, __tern_op_fceil(x))
__TERN_H1(trunc, __tern_op_ftrunc(x))
__TERN_H1(rint, __tern_op_frint(x))
#undef __TERN_H1

/* ---- operators ---- */
#ifndef __TERN_HALF_NO_OPERATORS
#define __TERN_H_OPERATOR(op, n, n2)                                                               \
    __TERN_FN __TERN_HALF operator op(const __TERN_HALF &a, const __TERN_HALF &b)                  \
    {                                                                                              \
        return n(a, b);                                                                            \
    }                                                                                              \
    __TERN_FN __TERN_HALF &operator op##=(__TERN_HALF &a, const __TERN_HALF &b)                    \
    {                                                                                              \
        a = n(a, b);                                                                               \
        return a;                                                                                  \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 operator op(const __TERN_HALF2 &a, const __TERN_HALF2 &b)               \
    {                                                                                              \
        return n2(a, b);                                                                           \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 &operator op##=(__TERN_HALF2 &a, const __TERN_HALF2 &b)                 \
    {                                                                                              \
        a = n2(a, b);                                                                              \
        return a;                                                                                  \
    }
#define __TERN_H_RELATION(op, n, all)                                                              \
    __TERN_FN bool operator op(const __TERN_HALF &a, const __TERN_HALF &b)                         \
    {                                                                                              \
        return n(a, b);                                                                            \
    }                                                                                              \
    __TERN_FN bool operator op(const __TERN_HALF2 &a, const __TERN_HALF2 &b)                       \
    {                                                                                              \
        return all;                                                                                \
    }
__TERN_H_OPERATOR(+, __hadd, __hadd2)
__TERN_H_OPERATOR(-, __hsub, __hsub2)
__TERN_H_OPERATOR(*, __hmul, __hmul2)
__TERN_H_OPERATOR(/, __hdiv, __h2div)
__TERN_H_RELATION(==, __heq, __hbeq2(a, b))
__TERN_H_RELATION(>, __hgt, __hbgt2(a, b))
__TERN_H_RELATION(<, __hlt, __hblt2(a, b))
__TERN_H_RELATION(>=, __hge, __hbge2(a, b))
__TERN_H_RELATION(<=, __hle, __hble2(a, b))
__TERN_H_RELATION(!=, __hneu, __hneu(a.x, b.x) || __hneu(a.y, b.y))
#undef __TERN_H_OPERATOR
#undef __TERN_H_RELATION
__TERN_FN __TERN_HALF operator-(const __TERN_HALF &a)
{
    return __hneg(a);
}
__TERN_FN __TERN_HALF operator+(const __TERN_HALF &a)
{
    return a;
}
__TERN_FN __TERN_HALF2 operator-(const __TERN_HALF2 &a)
{
    return __hneg2(a);
}
__TERN_FN __TERN_HALF2 operator+(const __TERN_HALF2 &a)
{
    return a;
}
__TERN_FN __TERN_HALF &operator++(__TERN_HALF &a)
{
    a = __hadd(a, __TERN_HALF(1.0f));
    return a;
}
__TERN_FN __TERN_HALF operator++(__TERN_HALF &a, int)
{
    __TERN_HALF old = a;
    a = __hadd(a, __TERN_HALF(1.0f));
    return old;
}
__TERN_FN __TERN_HALF2 &operator++(__TERN_HALF2 &a)
{
    ++a.x, ++a.y;
    return a;
}
__TERN_FN __TERN_HALF2 operator++(__TERN_HALF2 &a, int)
{
    __TERN_HALF2 old = a;
    ++a.x, ++a.y;
    return old;
}
__TERN_FN __TERN_HALF &operator--(__TERN_HALF &a)
{
    a = __hsub(a, __TERN_HALF(1.0f));
    return a;
}
__TERN_FN __TERN_HALF operator--(__TERN_HALF &a, int)
{
    __TERN_HALF old = a;
    a = __hsub(a, __TERN_HALF(1.0f));
    return old;
}
__TERN_FN __TERN_HALF2 &operator--(__TERN_HALF2 &a)
{
    --a.x, --a.y;
    return a;
}
__TERN_FN __TERN_HALF2 operator--(__TERN_HALF2 &a, int)
{
    __TERN_HALF2 old = a;
    --a.x, --a.y;
    return old;
}
#endif

#ifdef __TERN_DEVICE__
/* ---- warps, memory, atomics ---- */
#define __TERN_H_SHFL(n, op, L, limit)                                                             \
    __TERN_FN __TERN_HALF n(unsigned mask, __TERN_HALF a, L lane, int width = 32)                  \
    {                                                                                              \
        unsigned control = (unsigned)(32 - width) << 8 | limit;                                    \
        return __TERN_HALF_NAME(__ushort_as_, )((unsigned short)op(                                \
            mask, (unsigned)__TERN_HALF_NAME(__, _as_ushort)(a), (unsigned)lane, control));        \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 n(unsigned mask, __TERN_HALF2 a, L lane, int width = 32)                \
    {                                                                                              \
        unsigned control = (unsigned)(32 - width) << 8 | limit;                                    \
        unsigned u = (unsigned)__TERN_HALF_NAME(__, _as_ushort)(a.x) |                             \
                     (unsigned)__TERN_HALF_NAME(__, _as_ushort)(a.y) << 16;                        \
        u = op(mask, u, (unsigned)lane, control);                                                  \
        return __TERN_HALF2(__TERN_HALF_NAME(__ushort_as_, )((unsigned short)u),                   \
                            __TERN_HALF_NAME(__ushort_as_, )((unsigned short)(u >> 16)));          \
    }
__TERN_H_SHFL(__shfl_sync, __tern_shfl_idx, int, 31u)
__TERN_H_SHFL(__shfl_up_sync, __tern_shfl_up, unsigned, 0u)
__TERN_H_SHFL(__shfl_down_sync, __tern_shfl_down, unsigned, 31u)
__TERN_H_SHFL(__shfl_xor_sync, __tern_shfl_xor, int, 31u)
#undef __TERN_H_SHFL
__TERN_FN __TERN_HALF __ldg(const __TERN_HALF *p)
{
    return __TERN_HALF_NAME(__ushort_as_, )(__tern_load_invariant((const unsigned short *)p));
}
__TERN_FN __TERN_HALF2 __ldg(const __TERN_HALF2 *p)
{
    return __TERN_HALF2(__ldg(&p->x), __ldg(&p->y));
}
/* see device_functions.h; two are one word, as a load of NVIDIA's has them */
#define __TERN_H_PAST_CACHE(load, store)                                                           \
    __TERN_FN __TERN_HALF load(const __TERN_HALF *p)                                               \
    {                                                                                              \
        return __TERN_HALF_NAME(__ushort_as_, )(load((const unsigned short *)p));                  \
    }                                                                                              \
    __TERN_FN __TERN_HALF2 load(const __TERN_HALF2 *p)                                             \
    {                                                                                              \
        unsigned u = load((const unsigned *)p);                                                    \
        return __TERN_HALF2(__TERN_HALF_NAME(__ushort_as_, )((unsigned short)u),                   \
                            __TERN_HALF_NAME(__ushort_as_, )((unsigned short)(u >> 16)));          \
    }                                                                                              \
    __TERN_FN void store(__TERN_HALF *p, __TERN_HALF v)                                            \
    {                                                                                              \
        store((unsigned short *)p, __TERN_HALF_NAME(__, _as_ushort)(v));                           \
    }                                                                                              \
    __TERN_FN void store(__TERN_HALF2 *p, __TERN_HALF2 v)                                          \
    {                                                                                              \
        store((unsigned *)p, (unsigned)__TERN_HALF_NAME(__, _as_ushort)(v.x) |                     \
                                 (unsigned)__TERN_HALF_NAME(__, _as_ushort)(v.y) << 16);           \
    }
__TERN_H_PAST_CACHE(__ldcg, __stcg)
__TERN_H_PAST_CACHE(__ldcv, __stwt)
#undef __TERN_H_PAST_CACHE
__TERN_FN __TERN_HALF atomicAdd(__TERN_HALF *p, __TERN_HALF v)
{
    return __TERN_H(__tern_atomic_fadd(&p->__v, v.__v, 1, 1));
}
/* two in one word: each is added by itself, as CUDA promises */
__TERN_FN __TERN_HALF2 atomicAdd(__TERN_HALF2 *p, __TERN_HALF2 v)
{
    __TERN_HALF x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y);
    return __TERN_HALF2(x, y);
}
#endif
#undef __TERN_H
#undef __TERN_HALF
#undef __TERN_HALF2
#undef __TERN_HALF_RAW
#undef __TERN_HALF2_RAW
#undef __TERN_HALF_V
#undef __TERN_HALF_NAME
#undef __TERN_HALF_DOUBLED
#undef __TERN_HALF_NO_OPERATORS

/* Small floating-point formats on the host, which has no type for them: the names that cuda_fp16.h,
 * cuda_bf16.h and cuda_fp8.h are written in, computed in double and rounded once. */
#pragma once
#include <math.h>
#include <string.h>

enum __tern_rounding { __TERN_RN, __TERN_RZ, __TERN_RU, __TERN_RD };

/* Bits of the nearest number with the given fields; past the largest, infinity or (away from it)
 * the largest. */
static inline unsigned __tern_host_pack(double x, int exponent_bits, int fraction_bits,
                                        __tern_rounding mode)
{
    unsigned long u;
    memcpy(&u, &x, sizeof u);
    const int bias = (1 << (exponent_bits - 1)) - 1, least = 1 - bias;
    const unsigned sign = (unsigned)(u >> 63) << (exponent_bits + fraction_bits);
    const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    int e = (int)(u >> 52 & 2047) - 1023;
    unsigned long m = u & 0xffffffffffffful;
    if (e == 1024)
        return m ? infinity | ((1u << fraction_bits) - 1) : sign | infinity;
    if (e == -1023)
        return sign; /* zero; double's own subnormals are below everything here */
    m |= 1ul << 52;
    int shift = 52 - fraction_bits + (e < least ? least - e : 0);
    unsigned long q = shift < 63 ? m >> shift : 0, rest = shift < 63 ? m & ((1ul << shift) - 1) : m;
    const unsigned long half = shift < 63 ? 1ul << (shift - 1) : ~0ul;
    const bool up = mode == __TERN_RN   ? rest > half || (rest == half && (q & 1))
                    : mode == __TERN_RU ? rest && !sign
                    : mode == __TERN_RD ? rest && sign
                                        : false;
    q += up;
    unsigned long bits = e < least ? q : q + ((unsigned long)(e - least) << fraction_bits);
    if (bits >= infinity) {
        const bool stays =
            mode == __TERN_RZ || (mode == __TERN_RU && sign) || (mode == __TERN_RD && !sign);
        bits = stays ? infinity - 1 : infinity;
    }
    return sign | (unsigned)bits;
}
static inline double __tern_host_unpack(unsigned bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int e = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const unsigned m = bits & ((1u << fraction_bits) - 1);
    double x;
    if (e == (1 << exponent_bits) - 1)
        x = m ? __builtin_nan("") : __builtin_inf();
    else
        x = ldexp(e ? m + (double)(1u << fraction_bits) : (double)m,
                  (e ? e : 1) - bias - fraction_bits);
    return bits >> (exponent_bits + fraction_bits) & 1 ? -x : x;
}

#ifndef __TERN_HOST__ /* our own compiler has the types and what is done with them */
template <int __tern_E, int __tern_M> struct __tern_small {
    unsigned short __bits;
    __tern_small() = default;
    explicit __tern_small(double x, __tern_rounding mode = __TERN_RN)
        : __bits((unsigned short)__tern_host_pack(x, __tern_E, __tern_M, mode))
    {
    }
    explicit operator double() const
    {
        return __tern_host_unpack(__bits, __tern_E, __tern_M);
    }
    explicit operator float() const
    {
        return (float)__tern_host_unpack(__bits, __tern_E, __tern_M);
    }
    __tern_small operator+(__tern_small b) const
    {
        return __tern_small((double)*this + (double)b);
    }
    __tern_small operator-(__tern_small b) const
    {
        return __tern_small((double)*this - (double)b);
    }
    __tern_small operator*(__tern_small b) const
    {
        return __tern_small((double)*this * (double)b);
    }
    __tern_small operator/(__tern_small b) const
    {
        return __tern_small((double)*this / (double)b);
    }
    bool operator==(__tern_small b) const
    {
        return (double)*this == (double)b;
    }
    bool operator!=(__tern_small b) const
    {
        return (double)*this != (double)b;
    }
    bool operator<(__tern_small b) const
    {
        return (double)*this < (double)b;
    }
    bool operator>(__tern_small b) const
    {
        return (double)*this > (double)b;
    }
    bool operator<=(__tern_small b) const
    {
        return (double)*this <= (double)b;
    }
    bool operator>=(__tern_small b) const
    {
        return (double)*this >= (double)b;
    }
};
typedef __tern_small<5, 10> __tern_f16;
typedef __tern_small<8, 7> __tern_bf16;

template <class To, class From> static inline To __tern_op_bitcast(From x)
{
    To r;
    static_assert(sizeof r == sizeof x, "");
    memcpy((void *)&r, (const void *)&x, sizeof r);
    return r;
}
template <class __tern_T, class __tern_I> static inline __tern_T __tern_op_sitof(__tern_I i)
{
    return __tern_T((double)i);
}
template <class __tern_T, class __tern_I> static inline __tern_T __tern_op_uitof(__tern_I i)
{
    return __tern_T((double)i);
}
template <class __tern_T> static inline __tern_T __tern_host_whole(double x, double (*round)(double))
{
    if (x != x) /* as devices have it */
        return sizeof(__tern_T) == 8 ? (__tern_T)(1ull << 63) : 0;
    x = round(x);
    const __tern_T top = (__tern_T)-1 > 0 ? (__tern_T)-1 : (__tern_T)((1ull << (8 * sizeof(__tern_T) - 1)) - 1),
            bottom = (__tern_T)(-top - ((__tern_T)-1 < 0));
    return x >= (double)top                        ? top
           : x <= (double)((__tern_T)-1 > 0 ? 0 : bottom) ? ((__tern_T)-1 > 0 ? 0 : bottom)
                                                   : (__tern_T)x;
}
#define __TERN_HOST_MODE(m, __tern_M, round)                                                              \
    template <class __tern_T> static inline __tern_T __tern_op_fcvt_##m(double x)                                \
    {                                                                                              \
        return __tern_T(x, __TERN_##__tern_M);                                                                   \
    }                                                                                              \
    template <class __tern_T, class __tern_I> static inline __tern_T __tern_op_sitof_##m(__tern_I i)                           \
    {                                                                                              \
        return __tern_T((double)i, __TERN_##__tern_M);                                                           \
    }                                                                                              \
    template <class __tern_T, class __tern_I> static inline __tern_T __tern_op_uitof_##m(__tern_I i)                           \
    {                                                                                              \
        return __tern_T((double)i, __TERN_##__tern_M);                                                           \
    }                                                                                              \
    template <class __tern_T> static inline __tern_T __tern_op_ftosi_##m(float x)                                \
    {                                                                                              \
        return __tern_host_whole<__tern_T>(x, round);                                                     \
    }                                                                                              \
    template <class __tern_T> static inline __tern_T __tern_op_ftoui_##m(float x)                                \
    {                                                                                              \
        return __tern_host_whole<__tern_T>(x, round);                                                     \
    }
__TERN_HOST_MODE(rn, RN, nearbyint)
__TERN_HOST_MODE(rz, RZ, trunc)
__TERN_HOST_MODE(ru, RU, ceil)
__TERN_HOST_MODE(rd, RD, floor)
#undef __TERN_HOST_MODE
template <class __tern_T> static inline __tern_T __tern_op_fma(__tern_T a, __tern_T b, __tern_T c)
{
    return __tern_T(fma((double)a, (double)b, (double)c));
}
/* -0 is less than 0, which some processors' fmin does not know */
template <class __tern_T> static inline __tern_T __tern_op_fmin(__tern_T a, __tern_T b)
{
    double x = (double)a, y = (double)b;
    return x == y ? (signbit(x) ? a : b) : __tern_T(fmin(x, y));
}
template <class __tern_T> static inline __tern_T __tern_op_fmax(__tern_T a, __tern_T b)
{
    double x = (double)a, y = (double)b;
    return x == y ? (signbit(x) ? b : a) : __tern_T(fmax(x, y));
}
template <class __tern_T> static inline __tern_T __tern_op_fneg(__tern_T a)
{
    a.__bits ^= 0x8000;
    return a;
}
template <class __tern_T> static inline __tern_T __tern_op_fabs(__tern_T a)
{
    a.__bits &= 0x7fff;
    return a;
}
#endif
#define __TERN_HOST_MATH(name, call)                                                               \
    static inline float name(float x)                                                              \
    {                                                                                              \
        return call;                                                                               \
    }
#ifndef __TERN_HOST__
__TERN_HOST_MATH(__tern_op_fsqrt, sqrtf(x))
__TERN_HOST_MATH(__tern_op_ffloor, floorf(x))
__TERN_HOST_MATH(__tern_op_fceil, ceilf(x))
__TERN_HOST_MATH(__tern_op_ftrunc, truncf(x))
__TERN_HOST_MATH(__tern_op_frint, rintf(x))
#endif
__TERN_HOST_MATH(__tern_rsqrtf, 1.0f / sqrtf(x))
__TERN_HOST_MATH(__tern_sinf, sinf(x))
__TERN_HOST_MATH(__tern_cosf, cosf(x))
__TERN_HOST_MATH(__tern_expf, expf(x))
__TERN_HOST_MATH(__tern_exp2f, exp2f(x))
__TERN_HOST_MATH(__tern_exp10f, powf(10.0f, x))
__TERN_HOST_MATH(__tern_logf, logf(x))
__TERN_HOST_MATH(__tern_log2f, log2f(x))
__TERN_HOST_MATH(__tern_log10f, log10f(x))
__TERN_HOST_MATH(__tern_tanhf, tanhf(x))
#undef __TERN_HOST_MATH

/* fp8. e4m3 has no infinities: its last code is NaN, 448 the largest. */
static inline unsigned char __tern_f32_to_e5m2(float f, bool saturate)
{
    unsigned r = __tern_host_pack(f, 5, 2, __TERN_RN);
    return (unsigned char)((r & 0x7f) == 0x7c && saturate ? (r & 0x80) | 0x7b : r);
}
static inline unsigned char __tern_f32_to_e4m3(float f, bool saturate)
{
    if (f != f)
        return 0x7f;
    const unsigned sign = signbit(f) ? 0x80 : 0;
    if (fabsf(f) > 464.0f || (saturate && fabsf(f) > 448.0f))
        return (unsigned char)(sign | (saturate ? 0x7e : 0x7f));
    if (fabsf(f) >= 256.0f) /* where IEEE's format would have its infinity and NaNs */
        return (unsigned char)(sign | (0x78 + (unsigned)nearbyintf(fabsf(f) / 32.0f - 8.0f)));
    return (unsigned char)__tern_host_pack(f, 4, 3, __TERN_RN);
}
static inline float __tern_e5m2_to_f32(unsigned char x)
{
    return (float)__tern_host_unpack(x, 5, 2);
}
static inline float __tern_e4m3_to_f32(unsigned char x)
{
    if ((x & 0x7f) == 0x7f)
        return __builtin_nanf("");
    if ((x & 0x78) == 0x78)
        return (x & 0x80 ? -1.0f : 1.0f) * (float)(8 + (x & 7)) * 32.0f;
    return (float)__tern_host_unpack(x, 4, 3);
}

/* fp6: e2m3 (largest 7.5) and e3m2 (largest 28), in the low bits of bytes. All codes are finite:
 * numbers round as asked for and saturate, NaN becomes the largest. */
#pragma once
#define __CUDA_FP6_TYPES_EXIST__
#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

/* Formats without infinities and NaN: sign, exponent bits, fraction bits. Bits of the result count
 * numbers upwards from 0, so a carry out of the fraction is right as it is. */
__TERN_FN unsigned __tern_finite_from_float(float f, int exponent_bits, int fraction_bits,
                                            cudaRoundMode mode)
{
    const unsigned u = __tern_op_bitcast<unsigned>(f), a = u & 0x7fffffffu, negative = u >> 31;
    const int width = exponent_bits + fraction_bits, least = 2 - (1 << (exponent_bits - 1));
    const unsigned most = (1u << width) - 1u, sign = negative << width;
    const int e = (int)(a >> 23) - 127;
    if (a > 0x7f800000u)
        return most;
    if (e >= 16)
        return sign | most; /* past all of these formats */
    int shift = 23 - fraction_bits + (e < least ? least - e : 0);
    if (shift > 25)
        shift = 25; /* less than half of the least number */
    const unsigned m = e < -126 ? (a != 0u) : (a & 0x7fffffu) | 0x800000u;
    const unsigned rest = m & ((1u << shift) - 1u), half = 1u << (shift - 1);
    unsigned bits = m >> shift;
    const bool up = mode == cudaRoundNearest  ? rest > half || (rest == half && (bits & 1u) != 0u)
                    : mode == cudaRoundPosInf ? rest != 0u && negative == 0u
                    : mode == cudaRoundMinInf ? rest != 0u && negative != 0u
                                              : false;
    bits += (up ? 1u : 0u) + (e < least ? 0u : (unsigned)(e - least) << fraction_bits);
    return sign | (bits > most ? most : bits);
}
__TERN_FN float __tern_finite_to_float(unsigned x, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned e = x >> fraction_bits & ((1u << exponent_bits) - 1u);
    const unsigned m = x & ((1u << fraction_bits) - 1u);
    const unsigned power = (unsigned)(127 + (e ? (int)e : 1) - bias - fraction_bits) << 23;
    const float f = (float)(e ? m + (1u << fraction_bits) : m) * __tern_op_bitcast<float>(power);
    return x >> (exponent_bits + fraction_bits) & 1u ? -f : f;
}

__TERN_FN __nv_fp6_storage_t __nv_cvt_float_to_fp6(float f, __nv_fp6_interpretation_t kind,
                                                   cudaRoundMode mode)
{
    return (__nv_fp6_storage_t)(kind == __NV_E2M3 ? __tern_finite_from_float(f, 2, 3, mode)
                                                  : __tern_finite_from_float(f, 3, 2, mode));
}
__TERN_FN float __tern_fp6_to_float(unsigned x, __nv_fp6_interpretation_t kind)
{
    return kind == __NV_E2M3 ? __tern_finite_to_float(x, 2, 3) : __tern_finite_to_float(x, 3, 2);
}
__TERN_FN __nv_fp6_storage_t __nv_cvt_double_to_fp6(double d, __nv_fp6_interpretation_t kind,
                                                    cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp6(__tern_float_to_odd(d), kind, mode);
}
__TERN_FN __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw h, __nv_fp6_interpretation_t kind,
                                                     cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp6((float)__half(h), kind, mode);
}
__TERN_FN __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw h,
                                                         __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp6((float)__nv_bfloat16(h), kind, mode);
}
__TERN_FN __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 f, __nv_fp6_interpretation_t kind,
                                                        cudaRoundMode mode)
{
    return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(f.x, kind, mode) |
                                  __nv_cvt_float_to_fp6(f.y, kind, mode) << 8);
}
__TERN_FN __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 d, __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode mode)
{
    return (__nv_fp6x2_storage_t)(__nv_cvt_double_to_fp6(d.x, kind, mode) |
                                  __nv_cvt_double_to_fp6(d.y, kind, mode) << 8);
}
__TERN_FN __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw h,
                                                          __nv_fp6_interpretation_t kind,
                                                          cudaRoundMode mode)
{
    return __nv_cvt_float2_to_fp6x2(__half22float2(__half2(h)), kind, mode);
}
__TERN_FN __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw h,
                                                              __nv_fp6_interpretation_t kind,
                                                              cudaRoundMode mode)
{
    return __nv_cvt_float2_to_fp6x2(__bfloat1622float2(__nv_bfloat162(h)), kind, mode);
}
__TERN_FN __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind)
{
    return __half(__tern_fp6_to_float(x, kind));
}
__TERN_FN __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x,
                                                 __nv_fp6_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, kind).x,
                       __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x};
}

#define __TERN_NARROW_FP6(N, kind)                                                                 \
    __TERN_FN __nv_fp6_storage_t __tern_##N##_from(float f)                                        \
    {                                                                                              \
        return __nv_cvt_float_to_fp6(f, kind, cudaRoundNearest);                                   \
    }                                                                                              \
    __TERN_FN __nv_fp6_storage_t __tern_##N##_from(double d)                                       \
    {                                                                                              \
        return __nv_cvt_double_to_fp6(d, kind, cudaRoundNearest);                                  \
    }                                                                                              \
    __TERN_FN float __tern_##N##_to(unsigned x)                                                    \
    {                                                                                              \
        return __tern_fp6_to_float(x, kind);                                                       \
    }
__TERN_NARROW_FP6(e2m3, __NV_E2M3)
__TERN_NARROW_FP6(e3m2, __NV_E3M2)
#undef __TERN_NARROW_FP6
__TERN_NARROW(__nv_fp6_e2m3, e2m3, (__x & 0x1f) != 0)
__TERN_NARROW(__nv_fp6_e3m2, e3m2, (__x & 0x1f) != 0)
__TERN_NARROW_PAIR(__nv_fp6x2_e2m3, e2m3, __nv_fp6x2_storage_t, 8, __half2)
__TERN_NARROW_PAIR(__nv_fp6x2_e3m2, e3m2, __nv_fp6x2_storage_t, 8, __half2)
__TERN_NARROW_FOUR(__nv_fp6x4_e2m3, __nv_fp6x2_e2m3, e2m3, __nv_fp6x4_storage_t, 8)
__TERN_NARROW_FOUR(__nv_fp6x4_e3m2, __nv_fp6x2_e3m2, e3m2, __nv_fp6x4_storage_t, 8)

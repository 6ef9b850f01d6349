/* fp4: e2m1 (0, 0.5, 1, 1.5, 2, 3, 4, 6), two in a byte, the first in the low bits. All codes are
 * finite: numbers round as asked for and saturate, NaN becomes 6. */
#pragma once
#define __CUDA_FP4_TYPES_EXIST__
#include "cuda_fp6.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

__TERN_FN __nv_fp4_storage_t __nv_cvt_float_to_fp4(float f, __nv_fp4_interpretation_t,
                                                   cudaRoundMode mode)
{
    return (__nv_fp4_storage_t)__tern_finite_from_float(f, 2, 1, mode);
}
__TERN_FN float __tern_e2m1_to(unsigned x)
{
    return __tern_finite_to_float(x, 2, 1);
}
__TERN_FN __nv_fp4_storage_t __nv_cvt_double_to_fp4(double d, __nv_fp4_interpretation_t kind,
                                                    cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp4(__tern_float_to_odd(d), kind, mode);
}
__TERN_FN __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw h, __nv_fp4_interpretation_t kind,
                                                     cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp4((float)__half(h), kind, mode);
}
__TERN_FN __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw h,
                                                         __nv_fp4_interpretation_t kind,
                                                         cudaRoundMode mode)
{
    return __nv_cvt_float_to_fp4((float)__nv_bfloat16(h), kind, mode);
}
__TERN_FN __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 f, __nv_fp4_interpretation_t kind,
                                                        cudaRoundMode mode)
{
    return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(f.x, kind, mode) |
                                  __nv_cvt_float_to_fp4(f.y, kind, mode) << 4);
}
__TERN_FN __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 d, __nv_fp4_interpretation_t kind,
                                                         cudaRoundMode mode)
{
    return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(d.x, kind, mode) |
                                  __nv_cvt_double_to_fp4(d.y, kind, mode) << 4);
}
__TERN_FN __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw h,
                                                          __nv_fp4_interpretation_t kind,
                                                          cudaRoundMode mode)
{
    return __nv_cvt_float2_to_fp4x2(__half22float2(__half2(h)), kind, mode);
}
__TERN_FN __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw h,
                                                              __nv_fp4_interpretation_t kind,
                                                              cudaRoundMode mode)
{
    return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(__nv_bfloat162(h)), kind, mode);
}
__TERN_FN __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
    return __half(__tern_e2m1_to(x));
}
__TERN_FN __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x,
                                                 __nv_fp4_interpretation_t kind)
{
    return __half2_raw{__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x & 15), kind).x,
                       __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x};
}

__TERN_FN __nv_fp4_storage_t __tern_e2m1_from(float f)
{
    return __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest);
}
__TERN_FN __nv_fp4_storage_t __tern_e2m1_from(double d)
{
    return __nv_cvt_double_to_fp4(d, __NV_E2M1, cudaRoundNearest);
}
__TERN_NARROW(__nv_fp4_e2m1, e2m1, (__x & 7) != 0)
__TERN_NARROW_PAIR(__nv_fp4x2_e2m1, e2m1, __nv_fp4x2_storage_t, 4, __half2)
__TERN_NARROW_FOUR(__nv_fp4x4_e2m1, __nv_fp4x2_e2m1, e2m1, __nv_fp4x4_storage_t, 4)

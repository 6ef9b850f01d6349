/* fp8: e4m3 (no infinities, largest 448) and e5m2 (a shortened half). Storage and conversion;
 * numbers round to nearest even and, as the types promise, saturate. */
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* The bits are made by device/libm/half.h, on the host by tern_host_float.h. */
__TERN_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)(kind == __NV_E4M3 ? __tern_f32_to_e4m3(f, saturate)
                                                  : __tern_f32_to_e5m2(f, saturate));
}
__TERN_FN float __tern_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? __tern_e4m3_to_f32(x) : __tern_e5m2_to_f32(x);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t s,
                                                    __nv_fp8_interpretation_t k)
{
    /* round to odd on the way, so that rounding twice is rounding once */
    float f = (float)d;
    if ((double)f != d && d == d) {
        const unsigned u =
            __tern_op_bitcast<unsigned>(f) - ((d < 0 ? -(double)f : (double)f) > (d < 0 ? -d : d));
        f = __tern_op_bitcast<float>(u | 1u);
    }
    return __nv_cvt_float_to_fp8(f, s, k);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t s,
                                                     __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8((float)__half(h), s, k);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw h, __nv_saturation_t s,
                                                         __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8((float)__nv_bfloat16(h), s, k);
}
__TERN_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k)
{
    return __half(__tern_fp8_to_float(x, k));
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 f, __nv_saturation_t s,
                                                        __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(f.x, s, k) |
                                  __nv_cvt_float_to_fp8(f.y, s, k) << 8);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 d, __nv_saturation_t s,
                                                         __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(d.x, s, k) |
                                  __nv_cvt_double_to_fp8(d.y, s, k) << 8);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw h, __nv_saturation_t s,
                                                          __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(h)), s, k);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw h, __nv_saturation_t s,
                                                              __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(h)), s, k);
}
__TERN_FN __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t k)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, k).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k).x};
}

#define __TERN_FP8(C, kind)                                                                        \
    struct C {                                                                                     \
        __nv_fp8_storage_t __x;                                                                    \
        C() = default;                                                                             \
        __TERN_HDM explicit C(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind))       \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind))     \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(int i) : __x(__nv_cvt_float_to_fp8((float)i, __NV_SATFINITE, kind))  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(__half h)                                                            \
            : __x(__nv_cvt_float_to_fp8((float)h, __NV_SATFINITE, kind))                           \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(__nv_bfloat16 h)                                                     \
            : __x(__nv_cvt_float_to_fp8((float)h, __NV_SATFINITE, kind))                           \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator float() const                                                 \
        {                                                                                          \
            return __tern_fp8_to_float(__x, kind);                                                 \
        }                                                                                          \
        __TERN_HDM explicit operator double() const                                                \
        {                                                                                          \
            return __tern_fp8_to_float(__x, kind);                                                 \
        }                                                                                          \
        __TERN_HDM explicit operator __half() const                                                \
        {                                                                                          \
            return __half(__tern_fp8_to_float(__x, kind));                                         \
        }                                                                                          \
        __TERN_HDM explicit operator __nv_bfloat16() const                                         \
        {                                                                                          \
            return __nv_bfloat16(__tern_fp8_to_float(__x, kind));                                  \
        }                                                                                          \
        __TERN_HDM explicit operator bool() const                                                  \
        {                                                                                          \
            return (__x & 0x7f) != 0;                                                              \
        }                                                                                          \
    };
#define __TERN_FP8X(C2, C4, kind)                                                                  \
    struct alignas(2) C2 {                                                                         \
        __nv_fp8x2_storage_t __x;                                                                  \
        C2() = default;                                                                            \
        __TERN_HDM explicit C2(__half2 h) : C2(__half22float2(h))                                  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(__nv_bfloat162 h) : C2(__bfloat1622float2(h))                       \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(double2 d)                                                          \
            : __x(__nv_cvt_double2_to_fp8x2(d, __NV_SATFINITE, kind))                              \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind))  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator __half2() const                                               \
        {                                                                                          \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                                 \
        }                                                                                          \
        __TERN_HDM explicit operator float2() const                                                \
        {                                                                                          \
            return float2{__tern_fp8_to_float((__nv_fp8_storage_t)__x, kind),                      \
                          __tern_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind)};              \
        }                                                                                          \
    };                                                                                             \
    struct alignas(4) C4 {                                                                         \
        __nv_fp8x4_storage_t __x;                                                                  \
        C4() = default;                                                                            \
        __TERN_HDM explicit C4(__half2 a, __half2 b)                                               \
            : C4(float4{__low2float(a), __high2float(a), __low2float(b), __high2float(b)})         \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(__nv_bfloat162 a, __nv_bfloat162 b)                                 \
            : C4(float4{__low2float(a), __high2float(a), __low2float(b), __high2float(b)})         \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(double4 d)                                                          \
            : __x(C2(double2{d.x, d.y}).__x | (unsigned)C2(double2{d.z, d.w}).__x << 16)           \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(float4 f)                                                           \
            : __x(__nv_cvt_float2_to_fp8x2(float2{f.x, f.y}, __NV_SATFINITE, kind) |               \
                  (unsigned)__nv_cvt_float2_to_fp8x2(float2{f.z, f.w}, __NV_SATFINITE, kind)       \
                      << 16)                                                                       \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator float4() const                                                \
        {                                                                                          \
            return float4{__tern_fp8_to_float((__nv_fp8_storage_t)__x, kind),                      \
                          __tern_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind),               \
                          __tern_fp8_to_float((__nv_fp8_storage_t)(__x >> 16), kind),              \
                          __tern_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind)};             \
        }                                                                                          \
    };
__TERN_FP8(__nv_fp8_e4m3, __NV_E4M3)
__TERN_FP8(__nv_fp8_e5m2, __NV_E5M2)
__TERN_FP8X(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
__TERN_FP8X(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef __TERN_FP8
#undef __TERN_FP8X

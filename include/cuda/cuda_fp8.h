/* fp8: e4m3 (no infinities, largest 448), e5m2 (a shortened half) and e8m0 (powers of two, for
 * scales). Storage and conversion; numbers round to nearest even, powers of two upwards and, as the
 * types promise, all saturate. What the classes of cuda_fp6.h and cuda_fp4.h are made of is here,
 * too. */
#pragma once
#define __CUDA_FP8_TYPES_EXIST__
#include "cuda_fp16.h"
#include <assert.h> /* as CUDA's own has it, for who relies on that */
#include "cuda_bf16.h"
#include "device_types.h"

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
/* Rounded to odd, so that rounding it again is rounding once. */
__TERN_FN float __tern_float_to_odd(double d)
{
    const float f = (float)d;
    if ((double)f == d || d != d)
        return f;
    const unsigned u =
        __tern_op_bitcast<unsigned>(f) - ((d < 0 ? -(double)f : (double)f) > (d < 0 ? -d : d));
    return __tern_op_bitcast<float>(u | 1u);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t s,
                                                    __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(__tern_float_to_odd(d), s, k);
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
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw h,
                                                              __nv_saturation_t s,
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

/* ---- e8m0: 2^(x - 127), all ones is NaN; there is no sign and no zero ---- */

__TERN_FN __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float f, __nv_saturation_t saturate,
                                                    cudaRoundMode mode)
{
    const unsigned u = __tern_op_bitcast<unsigned>(f) & 0x7fffffffu, rest = u & 0x7fffffu;
    unsigned e = u >> 23;
    if (u > 0x7f800000u)
        return 0xff;
    /* the least power, 2^-127, is half of float's least normal number */
    if (mode == cudaRoundPosInf && rest > (e ? 0u : 0x400000u))
        e++;
    return (__nv_fp8_storage_t)(e == 0xff && saturate ? 0xfe : e);
}
__TERN_FN float __tern_e8m0_to_float(__nv_fp8_storage_t x)
{
    return __tern_op_bitcast<float>(x == 0xff ? 0x7fffffffu : x ? (unsigned)x << 23 : 0x400000u);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw h, __nv_saturation_t s,
                                                          cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(__tern_op_bitcast<float>((unsigned)h.x << 16), s, mode);
}
__TERN_FN __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double d, __nv_saturation_t s,
                                                     cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(__tern_float_to_odd(d), s, mode);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 f, __nv_saturation_t s,
                                                         cudaRoundMode mode)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(f.x, s, mode) |
                                  __nv_cvt_float_to_e8m0(f.y, s, mode) << 8);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 d, __nv_saturation_t s,
                                                          cudaRoundMode mode)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(d.x, s, mode) |
                                  __nv_cvt_double_to_e8m0(d.y, s, mode) << 8);
}
__TERN_FN __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw h,
                                                               __nv_saturation_t s,
                                                               cudaRoundMode mode)
{
    return __nv_cvt_float2_to_e8m0x2(float2{__tern_op_bitcast<float>((unsigned)h.x << 16),
                                            __tern_op_bitcast<float>((unsigned)h.y << 16)},
                                     s, mode);
}
__TERN_FN __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    __nv_bfloat16_raw h;
    h.x = (unsigned short)(__tern_op_bitcast<unsigned>(__tern_e8m0_to_float(x)) >> 16);
    return h;
}
__TERN_FN __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
                              __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

/* ---- classes ---- */

/* What a class N calls: __tern_N_from(float), __tern_N_from(double), __tern_N_to(bits). */
#define __TERN_NARROW_FP8(N, kind)                                                                 \
    __TERN_FN __nv_fp8_storage_t __tern_##N##_from(float f)                                        \
    {                                                                                              \
        return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind);                                     \
    }                                                                                              \
    __TERN_FN __nv_fp8_storage_t __tern_##N##_from(double d)                                       \
    {                                                                                              \
        return __nv_cvt_double_to_fp8(d, __NV_SATFINITE, kind);                                    \
    }                                                                                              \
    __TERN_FN float __tern_##N##_to(unsigned x)                                                    \
    {                                                                                              \
        return __tern_fp8_to_float((__nv_fp8_storage_t)x, kind);                                   \
    }
__TERN_NARROW_FP8(e4m3, __NV_E4M3)
__TERN_NARROW_FP8(e5m2, __NV_E5M2)
#undef __TERN_NARROW_FP8
__TERN_FN __nv_fp8_storage_t __tern_e8m0_from(float f)
{
    return __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf);
}
__TERN_FN __nv_fp8_storage_t __tern_e8m0_from(double d)
{
    return __nv_cvt_double_to_e8m0(d, __NV_SATFINITE, cudaRoundPosInf);
}
__TERN_FN float __tern_e8m0_to(unsigned x)
{
    return __tern_e8m0_to_float((__nv_fp8_storage_t)x);
}

/* Whole numbers: exactly, or with what does not fit in the last place kept as not 0. */
__TERN_FN double __tern_narrow_whole(unsigned long long v)
{
    return v >> 53 ? (double)(v >> 11 | ((v & 2047) != 0)) * 2048.0 : (double)v;
}
__TERN_FN double __tern_narrow_whole(long long v)
{
    return v < 0 ? -__tern_narrow_whole(0ull - (unsigned long long)v)
                 : __tern_narrow_whole((unsigned long long)v);
}
/* To a whole number, towards 0, saturating; NaN is 0, in 64 bits the least of them. */
template <class __tern_T> __TERN_FN __tern_T __tern_narrow_to_whole(float f)
{
    const int bits = 8 * (int)sizeof(__tern_T);
    const bool sign = (__tern_T)-1 < (__tern_T)1;
    const __tern_T least = sign ? (__tern_T)(1ull << (bits - 1)) : (__tern_T)0;
    const __tern_T most = (__tern_T)~least;
    if (f != f)
        return bits == 64 ? (__tern_T)(1ull << 63) : (__tern_T)0;
    const float top = (bits == 64 ? 18446744073709551616.0f : (float)(1ull << (bits & 63))) *
                      (sign ? 0.5f : 1.0f);
    return f >= top ? most : f <= (sign ? -top : 0.0f) ? least : (__tern_T)f;
}

#define __TERN_NARROW(C, N, nonzero)                                                               \
    struct C {                                                                                     \
        __nv_fp8_storage_t __x;                                                                    \
        C() = default;                                                                             \
        __TERN_HDM explicit C(float v) : __x(__tern_##N##_from(v))                                 \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(double v) : __x(__tern_##N##_from(v))                                \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(__half v) : __x(__tern_##N##_from((float)v))                         \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(__nv_bfloat16 v) : __x(__tern_##N##_from((float)v))                  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(short v) : __x(__tern_##N##_from((float)v))                          \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(unsigned short v) : __x(__tern_##N##_from((float)v))                 \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(int v) : __x(__tern_##N##_from((double)v))                           \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(unsigned v) : __x(__tern_##N##_from((double)v))                      \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(long v) : __x(__tern_##N##_from(__tern_narrow_whole((long long)v)))  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(unsigned long v)                                                     \
            : __x(__tern_##N##_from(__tern_narrow_whole((unsigned long long)v)))                   \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(long long v)                                                         \
            : __x(__tern_##N##_from(__tern_narrow_whole((long long)v)))                            \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C(unsigned long long v)                                                \
            : __x(__tern_##N##_from(__tern_narrow_whole(v)))                                       \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator float() const                                                 \
        {                                                                                          \
            return __tern_##N##_to(__x);                                                           \
        }                                                                                          \
        __TERN_HDM explicit operator double() const                                                \
        {                                                                                          \
            return __tern_##N##_to(__x);                                                           \
        }                                                                                          \
        __TERN_HDM explicit operator __half() const                                                \
        {                                                                                          \
            return __half(__tern_##N##_to(__x));                                                   \
        }                                                                                          \
        __TERN_HDM explicit operator __nv_bfloat16() const                                         \
        {                                                                                          \
            return __nv_bfloat16(__tern_##N##_to(__x));                                            \
        }                                                                                          \
        __TERN_HDM explicit operator bool() const                                                  \
        {                                                                                          \
            return nonzero;                                                                        \
        }                                                                                          \
        __TERN_HDM explicit operator char() const                                                  \
        {                                                                                          \
            return __tern_narrow_to_whole<char>(__tern_##N##_to(__x));                             \
        }                                                                                          \
        __TERN_HDM explicit operator signed char() const                                           \
        {                                                                                          \
            return __tern_narrow_to_whole<signed char>(__tern_##N##_to(__x));                      \
        }                                                                                          \
        __TERN_HDM explicit operator unsigned char() const                                         \
        {                                                                                          \
            return __tern_narrow_to_whole<unsigned char>(__tern_##N##_to(__x));                    \
        }                                                                                          \
        __TERN_HDM explicit operator short() const                                                 \
        {                                                                                          \
            return __tern_narrow_to_whole<short>(__tern_##N##_to(__x));                            \
        }                                                                                          \
        __TERN_HDM explicit operator unsigned short() const                                        \
        {                                                                                          \
            return __tern_narrow_to_whole<unsigned short>(__tern_##N##_to(__x));                   \
        }                                                                                          \
        __TERN_HDM explicit operator int() const                                                   \
        {                                                                                          \
            return __tern_narrow_to_whole<int>(__tern_##N##_to(__x));                              \
        }                                                                                          \
        __TERN_HDM explicit operator unsigned() const                                              \
        {                                                                                          \
            return __tern_narrow_to_whole<unsigned>(__tern_##N##_to(__x));                         \
        }                                                                                          \
        __TERN_HDM explicit operator long() const                                                  \
        {                                                                                          \
            return __tern_narrow_to_whole<long>(__tern_##N##_to(__x));                             \
        }                                                                                          \
        __TERN_HDM explicit operator unsigned long() const                                         \
        {                                                                                          \
            return __tern_narrow_to_whole<unsigned long>(__tern_##N##_to(__x));                    \
        }                                                                                          \
        __TERN_HDM explicit operator long long() const                                             \
        {                                                                                          \
            return __tern_narrow_to_whole<long long>(__tern_##N##_to(__x));                        \
        }                                                                                          \
        __TERN_HDM explicit operator unsigned long long() const                                    \
        {                                                                                          \
            return __tern_narrow_to_whole<unsigned long long>(__tern_##N##_to(__x));               \
        }                                                                                          \
    };

__TERN_FN void __tern_narrow_pair(float2 f, __half2 &to)
{
    to = __floats2half2_rn(f.x, f.y);
}
__TERN_FN void __tern_narrow_pair(float2 f, __nv_bfloat162 &to)
{
    to = __floats2bfloat162_rn(f.x, f.y);
}
/* Pairs and fours of them, so many bits each, the first in the lowest. */
#define __TERN_NARROW_PAIR(C2, N, storage, bits, Pair)                                             \
    struct alignas(sizeof(storage)) C2 {                                                           \
        storage __x;                                                                               \
        C2() = default;                                                                            \
        __TERN_HDM explicit C2(float2 v)                                                           \
            : __x((storage)(__tern_##N##_from(v.x) | __tern_##N##_from(v.y) << bits))              \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(double2 v)                                                          \
            : __x((storage)(__tern_##N##_from(v.x) | __tern_##N##_from(v.y) << bits))              \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(__half2 v) : C2(__half22float2(v))                                  \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C2(__nv_bfloat162 v) : C2(__bfloat1622float2(v))                       \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator float2() const                                                \
        {                                                                                          \
            return float2{__tern_##N##_to(__x & ((1u << bits) - 1u)),                              \
                          __tern_##N##_to(__x >> bits)};                                           \
        }                                                                                          \
        __TERN_HDM explicit operator Pair() const                                                  \
        {                                                                                          \
            Pair to;                                                                               \
            __tern_narrow_pair((float2) * this, to);                                               \
            return to;                                                                             \
        }                                                                                          \
    };
#define __TERN_NARROW_FOUR(C4, C2, N, storage, bits)                                               \
    struct alignas(sizeof(storage)) C4 {                                                           \
        storage __x;                                                                               \
        C4() = default;                                                                            \
        __TERN_HDM explicit C4(float4 v)                                                           \
            : __x((storage)(C2(float2{v.x, v.y}).__x | (unsigned)C2(float2{v.z, v.w}).__x          \
                                                           << 2 * bits))                           \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(double4 v)                                                          \
            : __x((storage)(C2(double2{v.x, v.y}).__x | (unsigned)C2(double2{v.z, v.w}).__x        \
                                                            << 2 * bits))                          \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(__half2 a, __half2 b)                                               \
            : __x((storage)(C2(a).__x | (unsigned)C2(b).__x << 2 * bits))                          \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit C4(__nv_bfloat162 a, __nv_bfloat162 b)                                 \
            : __x((storage)(C2(a).__x | (unsigned)C2(b).__x << 2 * bits))                          \
        {                                                                                          \
        }                                                                                          \
        __TERN_HDM explicit operator float4() const                                                \
        {                                                                                          \
            const unsigned one = (1u << bits) - 1u;                                                \
            return float4{__tern_##N##_to(__x & one), __tern_##N##_to(__x >> bits & one),          \
                          __tern_##N##_to(__x >> 2 * bits & one),                                  \
                          __tern_##N##_to(__x >> 3 * bits & one)};                                 \
        }                                                                                          \
    };
__TERN_NARROW(__nv_fp8_e4m3, e4m3, (__x & 0x7f) != 0)
__TERN_NARROW(__nv_fp8_e5m2, e5m2, (__x & 0x7f) != 0)
__TERN_NARROW(__nv_fp8_e8m0, e8m0, true)
__TERN_NARROW_PAIR(__nv_fp8x2_e4m3, e4m3, __nv_fp8x2_storage_t, 8, __half2)
__TERN_NARROW_PAIR(__nv_fp8x2_e5m2, e5m2, __nv_fp8x2_storage_t, 8, __half2)
__TERN_NARROW_PAIR(__nv_fp8x2_e8m0, e8m0, __nv_fp8x2_storage_t, 8, __nv_bfloat162)
__TERN_NARROW_FOUR(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, e4m3, __nv_fp8x4_storage_t, 8)
__TERN_NARROW_FOUR(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, e5m2, __nv_fp8x4_storage_t, 8)
__TERN_NARROW_FOUR(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, e8m0, __nv_fp8x4_storage_t, 8)

/* The primitives that the device math library is written in.
 *
 * Every function of device/ is spelled with C operators on 32- and 64-bit numbers and with the
 * names below, nothing else. Under our own front end (__TERN__) each name is an operation of the
 * intermediate language; in a native build (the accuracy checker, the tests) it is the same
 * operation in terms of compiler builtins, so that both compute the same bits.
 *
 * What must hold: IEEE 754 arithmetic rounded to nearest, subnormals kept, no contraction of a*b+c
 * (native builds use -ffp-contract=off; where a fused operation is wanted, __tern_fma says so). */
#ifndef TERN_DEVICE_PRIM_H
#define TERN_DEVICE_PRIM_H

typedef unsigned int __tern_u32;
typedef int __tern_i32;
typedef unsigned long long __tern_u64;
typedef long long __tern_i64;

#ifdef __TERN__

#define __TERN_FN static __device__ __forceinline__
#define __TERN_CALL static __device__ __noinline__
#define __TERN_CONST static __device__ const

#define __tern_fmaf(a, b, c)      __tern_op_fma((float)(a), (float)(b), (float)(c))
#define __tern_fma(a, b, c)       __tern_op_fma((double)(a), (double)(b), (double)(c))
#define __tern_bits_f32(x)        __tern_bitcast_u32(x)
#define __tern_bits_f64(x)        __tern_bitcast_u64(x)
#define __tern_f32_bits(x)        __tern_bitcast_f32(x)
#define __tern_f64_bits(x)        __tern_bitcast_f64(x)
#define __tern_sqrtf(x)           __tern_op_fsqrt((float)(x))
#define __tern_quick_rsqrtf(x)    __tern_op_frsqrt_fast((float)(x))
#define __tern_sqrt(x)            __tern_op_fsqrt((double)(x))
#define __tern_rintf(x)           __tern_op_frint((float)(x))
#define __tern_rint(x)            __tern_op_frint((double)(x))
#define __tern_floorf(x)          __tern_op_ffloor((float)(x))
#define __tern_floor(x)           __tern_op_ffloor((double)(x))
#define __tern_ceilf(x)           __tern_op_fceil((float)(x))
#define __tern_ceil(x)            __tern_op_fceil((double)(x))
#define __tern_truncf(x)          __tern_op_ftrunc((float)(x))
#define __tern_trunc(x)           __tern_op_ftrunc((double)(x))
#define __tern_absf(x)            __tern_op_fabs((float)(x))
#define __tern_abs(x)             __tern_op_fabs((double)(x))
#define __tern_copysignf(x, y)    __tern_op_fcopysign((float)(x), (float)(y))
#define __tern_copysign(x, y)     __tern_op_fcopysign((double)(x), (double)(y))
#define __tern_minf(x, y)         __tern_op_fmin((float)(x), (float)(y))
#define __tern_min(x, y)          __tern_op_fmin((double)(x), (double)(y))
#define __tern_maxf(x, y)         __tern_op_fmax((float)(x), (float)(y))
#define __tern_max(x, y)          __tern_op_fmax((double)(x), (double)(y))
#define __tern_clz32(x)           ((__tern_i32)__tern_op_clz((__tern_u32)(x)))
#define __tern_clz64(x)           ((__tern_i32)__tern_op_clz((__tern_u64)(x)))
#define __tern_popc32(x)          ((__tern_i32)__tern_op_popc((__tern_u32)(x)))
#define __tern_popc64(x)          ((__tern_i32)__tern_op_popc((__tern_u64)(x)))
#define __tern_umulhi32(a, b)     __tern_op_umulhi((__tern_u32)(a), (__tern_u32)(b))
#define __tern_umulhi64(a, b)     __tern_op_umulhi((__tern_u64)(a), (__tern_u64)(b))
/* Conversions saturate and take NaN to zero; shifts by the width or more give zero. */
#define __tern_f32_to_i32(x)      ((__tern_i32)(float)(x))
#define __tern_f32_to_i64(x)      ((__tern_i64)(float)(x))
#define __tern_f64_to_i32(x)      ((__tern_i32)(double)(x))
#define __tern_f64_to_i64(x)      ((__tern_i64)(double)(x))
#define __tern_shl32(x, n)        ((__tern_u32)(x) << (n))
#define __tern_shr32(x, n)        ((__tern_u32)(x) >> (n))
#define __tern_shl64(x, n)        ((__tern_u64)(x) << (n))
#define __tern_shr64(x, n)        ((__tern_u64)(x) >> (n))

#else /* a native build */

#define __TERN_FN    static inline __attribute__((always_inline, unused))
#define __TERN_CALL  static __attribute__((unused))
#define __TERN_CONST static const

__TERN_FN __tern_u32 __tern_bits_f32(float x)
{
    __tern_u32 u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
__TERN_FN __tern_u64 __tern_bits_f64(double x)
{
    __tern_u64 u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
__TERN_FN float __tern_f32_bits(__tern_u32 u)
{
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}
__TERN_FN double __tern_f64_bits(__tern_u64 u)
{
    double x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

#define __tern_fmaf(a, b, c)   __builtin_fmaf(a, b, c)
#define __tern_fma(a, b, c)    __builtin_fma(a, b, c)
#define __tern_sqrtf(x)        __builtin_sqrtf(x)
#define __tern_quick_rsqrtf(x) (1.0f / __builtin_sqrtf(x)) /* as frsqrt_fast is defined */
#define __tern_sqrt(x)         __builtin_sqrt(x)
#define __tern_rintf(x)        __builtin_rintf(x)
#define __tern_rint(x)         __builtin_rint(x)
#define __tern_floorf(x)       __builtin_floorf(x)
#define __tern_floor(x)        __builtin_floor(x)
#define __tern_ceilf(x)        __builtin_ceilf(x)
#define __tern_ceil(x)         __builtin_ceil(x)
#define __tern_truncf(x)       __builtin_truncf(x)
#define __tern_trunc(x)        __builtin_trunc(x)
#define __tern_absf(x)         __builtin_fabsf(x)
#define __tern_abs(x)          __builtin_fabs(x)
#define __tern_copysignf(x, y) __builtin_copysignf(x, y)
#define __tern_copysign(x, y)  __builtin_copysign(x, y)
#define __tern_minf(x, y)      __builtin_fminf(x, y)
#define __tern_min(x, y)       __builtin_fmin(x, y)
#define __tern_maxf(x, y)      __builtin_fmaxf(x, y)
#define __tern_max(x, y)       __builtin_fmax(x, y)

__TERN_FN __tern_i32 __tern_clz32(__tern_u32 x)
{
    return x ? __builtin_clz(x) : 32;
}
__TERN_FN __tern_i32 __tern_clz64(__tern_u64 x)
{
    return x ? __builtin_clzll(x) : 64;
}
#define __tern_popc32(x) __builtin_popcount(x)
#define __tern_popc64(x) __builtin_popcountll(x)
__TERN_FN __tern_u32 __tern_umulhi32(__tern_u32 a, __tern_u32 b)
{
    return (__tern_u32)((__tern_u64)a * b >> 32);
}
__TERN_FN __tern_u64 __tern_umulhi64(__tern_u64 a, __tern_u64 b)
{
    __extension__ typedef unsigned __int128 u128;
    return (__tern_u64)((u128)a * b >> 64);
}
__TERN_FN __tern_i32 __tern_f64_to_i32(double x)
{
    return x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? -2147483647 - 1 : x != x ? 0 : (__tern_i32)x;
}
__TERN_FN __tern_i64 __tern_f64_to_i64(double x)
{
    return x >= 0x1p63 ? 0x7fffffffffffffffLL : x < -0x1p63 ? -0x7fffffffffffffffLL - 1 : x != x ? 0 : (__tern_i64)x;
}
#define __tern_f32_to_i32(x) __tern_f64_to_i32(x)
#define __tern_f32_to_i64(x) __tern_f64_to_i64(x)
__TERN_FN __tern_u32 __tern_shl32(__tern_u32 x, __tern_u32 n)
{
    return n < 32 ? x << n : 0;
}
__TERN_FN __tern_u32 __tern_shr32(__tern_u32 x, __tern_u32 n)
{
    return n < 32 ? x >> n : 0;
}
__TERN_FN __tern_u64 __tern_shl64(__tern_u64 x, __tern_u32 n)
{
    return n < 64 ? x << n : 0;
}
__TERN_FN __tern_u64 __tern_shr64(__tern_u64 x, __tern_u32 n)
{
    return n < 64 ? x >> n : 0;
}

#endif
#endif

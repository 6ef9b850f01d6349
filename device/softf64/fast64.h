/* f64 as pairs of floats, for --f64=fast: what lower/expand/fast64.c calls.
 *
 * A number travels as 64 bits, the head in the upper half and the tail in the lower. Memory holds
 * binary64, as ever: `of` and `to` convert, rounding to 48 bits on the way in. */
#ifndef TERN_DEVICE_FAST64_H
#define TERN_DEVICE_FAST64_H

#include "device/softf64/dfloat.h"

typedef unsigned long long __tern_pair;
#define __TERN_FAST extern "C" __device__ __noinline__

__TERN_FN struct __tern_df __tern_pair_open(__tern_pair p)
{
    return __tern_df_make(__tern_f32_bits((__tern_u32)(p >> 32)), __tern_f32_bits((__tern_u32)p));
}
__TERN_FN __tern_pair __tern_pair_close(struct __tern_df a)
{
    return (__tern_pair)__tern_bits_f32(a.hi) << 32 | __tern_bits_f32(a.lo);
}

#define __TERN_FAST1(name, of)                                                                     \
    __TERN_FAST __tern_pair __tern_fast64_##name(__tern_pair a)                                    \
    {                                                                                              \
        return __tern_pair_close(of(__tern_pair_open(a)));                                         \
    }
#define __TERN_FAST2(name, of)                                                                     \
    __TERN_FAST __tern_pair __tern_fast64_##name(__tern_pair a, __tern_pair b)                     \
    {                                                                                              \
        return __tern_pair_close(of(__tern_pair_open(a), __tern_pair_open(b)));                    \
    }
#define __TERN_FAST_TEST(name, of)                                                                 \
    __TERN_FAST int __tern_fast64_##name(__tern_pair a, __tern_pair b)                             \
    {                                                                                              \
        return of(__tern_pair_open(a), __tern_pair_open(b));                                       \
    }
__TERN_FAST2(add, __tern_df_add)
__TERN_FAST2(sub, __tern_df_sub)
__TERN_FAST2(mul, __tern_df_mul)
__TERN_FAST2(div, __tern_df_div)
__TERN_FAST2(min, __tern_df_min)
__TERN_FAST2(max, __tern_df_max)
__TERN_FAST2(copysign, __tern_df_copysign)
__TERN_FAST1(sqrt, __tern_df_sqrt)
__TERN_FAST1(neg, __tern_df_neg)
__TERN_FAST1(abs, __tern_df_abs)
__TERN_FAST1(floor, __tern_df_floor)
__TERN_FAST1(ceil, __tern_df_ceil)
__TERN_FAST1(trunc, __tern_df_trunc)
__TERN_FAST1(rint, __tern_df_rint)
__TERN_FAST_TEST(eq, __tern_df_eq)
__TERN_FAST_TEST(lt, __tern_df_lt)
__TERN_FAST_TEST(le, __tern_df_le)
__TERN_FAST_TEST(unordered, __tern_df_unordered)

__TERN_FAST __tern_pair __tern_fast64_fma(__tern_pair a, __tern_pair b, __tern_pair c)
{
    return __tern_pair_close(
        __tern_df_fma(__tern_pair_open(a), __tern_pair_open(b), __tern_pair_open(c)));
}
__TERN_FAST __tern_pair __tern_fast64_from_f32(float x)
{
    return (__tern_pair)__tern_bits_f32(x) << 32;
}
__TERN_FAST float __tern_fast64_to_f32(__tern_pair a)
{
    return __tern_pair_open(a).hi;
}
__TERN_FAST __tern_pair __tern_fast64_from_i32(int n)
{
    return __tern_pair_close(__tern_df_from_i32(n));
}
__TERN_FAST int __tern_fast64_to_i32(__tern_pair a)
{
    return __tern_df_to_i32(__tern_pair_open(a));
}
/* From and to binary64, in its own arithmetic: one subtraction, one sum. */
__TERN_FAST __tern_pair __tern_fast64_of(double x)
{
    float hi = (float)x, lo = (float)(x - (double)hi);
    int plain = __tern_absf(hi) < __tern_f32_bits(0x7f800000u);
    return __tern_pair_close(__tern_df_make(hi, plain ? lo : 0.0f));
}
__TERN_FAST double __tern_fast64_to(__tern_pair a)
{
    struct __tern_df d = __tern_pair_open(a);
    return d.lo == 0.0f ? (double)d.hi : (double)d.hi + (double)d.lo;
}

__global__ void __tern_keep_fast64(__tern_pair *p, int *n, float *x, double *d)
{
    p[0] = __tern_fast64_add(p[0], p[1]) + __tern_fast64_sub(p[0], p[1]) + __tern_fast64_mul(p[0], p[1]) +
           __tern_fast64_div(p[0], p[1]) + __tern_fast64_min(p[0], p[1]) + __tern_fast64_max(p[0], p[1]) +
           __tern_fast64_copysign(p[0], p[1]) + __tern_fast64_sqrt(p[0]) + __tern_fast64_neg(p[0]) +
           __tern_fast64_abs(p[0]) + __tern_fast64_floor(p[0]) + __tern_fast64_ceil(p[0]) +
           __tern_fast64_trunc(p[0]) + __tern_fast64_rint(p[0]) + __tern_fast64_fma(p[0], p[1], p[2]) +
           __tern_fast64_from_f32(x[0]) + __tern_fast64_from_i32(n[0]) + __tern_fast64_of(d[0]);
    n[0] = __tern_fast64_eq(p[0], p[1]) + __tern_fast64_lt(p[0], p[1]) + __tern_fast64_le(p[0], p[1]) +
           __tern_fast64_unordered(p[0], p[1]) + __tern_fast64_to_i32(p[0]);
    x[0] = __tern_fast64_to_f32(p[0]);
    d[0] = __tern_fast64_to(p[0]);
}
#endif

/* Arithmetic of f64 by integers, and of every format in the rounding modes that GPUs lack: what
 * lower/expand/soft.c calls.
 *
 * Numbers are bit patterns of binary64. A result that is rounded to 64 bits and then, in the same
 * direction, to fewer is rounded as if at once, so that one set of functions serves all formats. */
#ifndef TERN_DEVICE_GPU_SOFT_H
#define TERN_DEVICE_GPU_SOFT_H

#include "device/softf64/convert.h"

typedef unsigned long long __tern_bits;
#define __TERN_SOFT extern "C" __device__ __noinline__

__TERN_FN struct __tern_u2 __tern_soft_split(__tern_bits a)
{
    return __tern_w_make((__tern_u32)a, (__tern_u32)(a >> 32));
}
__TERN_FN __tern_bits __tern_soft_whole(struct __tern_u2 a)
{
    return (__tern_bits)a.hi << 32 | a.lo;
}

#define __TERN_SOFT2(name, of)                                                                     \
    __TERN_SOFT __tern_bits name(__tern_bits a, __tern_bits b, int mode)                           \
    {                                                                                              \
        return __tern_soft_whole(of(__tern_soft_split(a), __tern_soft_split(b), mode));            \
    }
__TERN_SOFT2(__tern_soft64_add, __tern_s_add_mode)
__TERN_SOFT2(__tern_soft64_sub, __tern_s_sub_mode)
__TERN_SOFT2(__tern_soft64_mul, __tern_s_mul_mode)
__TERN_SOFT2(__tern_soft64_div, __tern_s_div_mode)
#undef __TERN_SOFT2

__TERN_SOFT __tern_bits __tern_soft64_fma(__tern_bits a, __tern_bits b, __tern_bits c, int mode)
{
    return __tern_soft_whole(
        __tern_s_fma_mode(__tern_soft_split(a), __tern_soft_split(b), __tern_soft_split(c), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_sqrt(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_s_sqrt_mode(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_integral(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_s_integral(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_min(__tern_bits a, __tern_bits b)
{
    return __tern_soft_whole(__tern_soft_min(__tern_soft_split(a), __tern_soft_split(b)));
}
__TERN_SOFT __tern_bits __tern_soft64_max(__tern_bits a, __tern_bits b)
{
    return __tern_soft_whole(__tern_soft_max(__tern_soft_split(a), __tern_soft_split(b)));
}
__TERN_SOFT int __tern_soft64_eq(__tern_bits a, __tern_bits b)
{
    return __tern_soft_eq(__tern_soft_split(a), __tern_soft_split(b));
}
__TERN_SOFT int __tern_soft64_lt(__tern_bits a, __tern_bits b)
{
    return __tern_soft_lt(__tern_soft_split(a), __tern_soft_split(b));
}
__TERN_SOFT int __tern_soft64_le(__tern_bits a, __tern_bits b)
{
    return __tern_soft_le(__tern_soft_split(a), __tern_soft_split(b));
}
__TERN_SOFT int __tern_soft64_unordered(__tern_bits a, __tern_bits b)
{
    return __tern_soft_unordered(__tern_soft_split(a), __tern_soft_split(b));
}

__TERN_SOFT __tern_bits __tern_soft64_from_i64(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_soft_from_i64(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_from_u64(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_soft_from_u64(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_to_i64(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_soft_to_i64(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_to_u64(__tern_bits a, int mode)
{
    return __tern_soft_whole(__tern_soft_to_u64(__tern_soft_split(a), mode));
}
__TERN_SOFT __tern_bits __tern_soft64_from_f32(unsigned a)
{
    return __tern_soft_whole(__tern_soft_from_f32(a));
}
__TERN_SOFT unsigned __tern_soft64_to_f32(__tern_bits a, int mode)
{
    return __tern_soft_to_f32(__tern_soft_split(a), mode);
}

/* A format of `fraction` bits behind the point whose exponent bias is `bias`: f16 is 10 and 15,
 * bf16 7 and 127. */
__TERN_SOFT unsigned __tern_soft64_to_small(__tern_bits a, int fraction, int bias, int mode)
{
    unsigned sign = (unsigned)(a >> 63), all = (unsigned)(2 * bias + 1);
    unsigned top = sign << (fraction + (bias == 15 ? 5 : 8)), infinity = all << fraction;
    int exponent = (int)(a >> 52 & 2047);
    __tern_bits digits = a << 11 & ~(1ull << 63); /* fraction below the top bit */
    if (exponent == 2047)
        return top | infinity | (digits ? 1u << (fraction - 1) : 0);
    if (exponent)
        digits |= 1ull << 63;
    else if (!digits)
        return top;
    int e = exponent - 1023 + bias; /* of the small format; below 1 it is subnormal */
    int drop = 63 - fraction + (e < 1 ? 1 - e : 0);
    __tern_bits kept = drop > 63 ? 0 : digits >> drop;
    __tern_bits half = drop > 64 ? 0 : 1ull << (drop - 1);
    __tern_bits rest = drop > 63 ? digits : digits & ((1ull << drop) - 1);
    bool up = mode == __TERN_RN   ? drop <= 64 && (rest > half || (rest == half && (kept & 1)))
              : mode == __TERN_RZ ? false
              : mode == __TERN_RU ? rest && !sign
                                  : rest && sign;
    unsigned bits = (unsigned)kept + (up ? 1 : 0);
    if (e >= 1)
        bits += (unsigned)(e - 1) << fraction;
    if (bits < infinity)
        return top | bits;
    /* too large: infinity, or the largest number where that is the direction */
    bool down = mode == __TERN_RZ || (mode == __TERN_RU && sign) || (mode == __TERN_RD && !sign);
    return top | (down ? infinity - 1 : infinity);
}

__global__ void __tern_keep_soft(__tern_bits *p, int m)
{
    p[0] = __tern_soft64_add(p[0], p[1], m) + __tern_soft64_sub(p[0], p[1], m) +
           __tern_soft64_mul(p[0], p[1], m) + __tern_soft64_div(p[0], p[1], m) +
           __tern_soft64_fma(p[0], p[1], p[2], m) + __tern_soft64_sqrt(p[0], m) +
           __tern_soft64_integral(p[0], m) + __tern_soft64_min(p[0], p[1]) +
           __tern_soft64_max(p[0], p[1]) + (__tern_bits)__tern_soft64_eq(p[0], p[1]) +
           (__tern_bits)__tern_soft64_lt(p[0], p[1]) + (__tern_bits)__tern_soft64_le(p[0], p[1]) +
           (__tern_bits)__tern_soft64_unordered(p[0], p[1]) + __tern_soft64_from_i64(p[0], m) +
           __tern_soft64_from_u64(p[0], m) + __tern_soft64_to_i64(p[0], m) +
           __tern_soft64_to_u64(p[0], m) + __tern_soft64_from_f32((unsigned)p[0]) +
           __tern_soft64_to_f32(p[0], m) + __tern_soft64_to_small(p[0], 10, 15, m);
}

#endif

/* Small floats by their bit patterns, in 32-bit operations: binary16, bfloat16, and the two 8-bit
 * formats. For devices without the types, and for conversions that no IR operation does.
 *
 * A format is given by the bits of its exponent and mantissa. Widening is exact; narrowing rounds
 * once, in any mode. Arithmetic on them goes through f32: binary16 and bfloat16 have fewer than half
 * of f32's bits, so that f32's +, -, *, / and sqrt, rounded again, are correctly rounded. */
#ifndef TERN_DEVICE_HALF_H
#define TERN_DEVICE_HALF_H

#include "prim.h"

/* modes as in softf64: 0 to nearest even, 1 towards zero, 2 up, 3 down */

/* f32 to a format of e exponent and m mantissa bits with infinities and NaNs like IEEE's. */
__TERN_FN __tern_u32 __tern_narrow(float x, int e, int m, int mode)
{
    __tern_u32 u = __tern_bits_f32(x), sign = u >> 31, a = u & 0x7fffffffu;
    __tern_u32 inf = ((1u << e) - 1u) << m, out = sign << (e + m);
    int bias = (1 << (e - 1)) - 1, exponent = (int)(a >> 23), drop = 23 - m;
    __tern_u32 mant = (a & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0u), rest, r, half;
    if (a > 0x7f800000u)
        return inf | ((1u << m) - 1u); /* the canonical NaN has every bit but the sign */
    if (a == 0x7f800000u)
        return out | inf;
    /* the exponent in the new bias; below 1 the number is subnormal there */
    int ne = (exponent != 0 ? exponent : 1) - 127 + bias;
    int extra = ne < 1 ? 1 - ne : 0;
    drop += extra > 31 ? 31 : extra;
    drop = drop > 26 ? 26 : drop; /* all that is left is whether it is zero */
    r = mant >> drop;
    rest = mant & ((1u << drop) - 1u);
    half = drop == 0 ? 0u : 1u << (drop - 1);
    int nearest = drop != 0 && (rest > half || (rest == half && (r & 1u) != 0u));
    int away = rest != 0u && mode == (sign != 0u ? 3 : 2);
    r += (__tern_u32)(ne < 1 ? 0 : ne - 1) << m;
    r += (mode == 0 ? nearest : away) ? 1u : 0u;
    if (r >= inf || ne > (1 << e)) {
        int to_inf = mode == 0 || mode == (sign != 0u ? 3 : 2);
        r = to_inf ? inf : inf - 1u;
    }
    return out | r;
}
__TERN_FN float __tern_widen(__tern_u32 h, int e, int m)
{
    __tern_u32 sign = (h >> (e + m) & 1u) << 31, exponent = h >> m & ((1u << e) - 1u), mant = h & ((1u << m) - 1u);
    int bias = (1 << (e - 1)) - 1;
    if (exponent == (1u << e) - 1u)
        return __tern_f32_bits(mant != 0u ? 0x7fffffffu : sign | 0x7f800000u);
    if (e == 8)
        return __tern_f32_bits(sign | exponent << 23 | mant << (23 - m)); /* f32's own range */
    if (exponent == 0u) { /* the mantissa counts units of the smallest number */
        float tiny = __tern_f32_bits((__tern_u32)(127 - bias + 1 - m) << 23);
        return __tern_f32_bits(sign | __tern_bits_f32((float)mant * tiny));
    }
    return __tern_f32_bits(sign | (exponent + (__tern_u32)(127 - bias)) << 23 | mant << (23 - m));
}
__TERN_FN __tern_u32 __tern_f32_to_f16(float x, int mode)
{
    return __tern_narrow(x, 5, 10, mode);
}
__TERN_FN float __tern_f16_to_f32(__tern_u32 h)
{
    return __tern_widen(h, 5, 10);
}
__TERN_FN __tern_u32 __tern_f32_to_bf16(float x, int mode)
{
    return __tern_narrow(x, 8, 7, mode);
}
__TERN_FN float __tern_bf16_to_f32(__tern_u32 h)
{
    return __tern_widen(h, 8, 7);
}

/* e5m2 is IEEE-like; e4m3 has no infinity and one NaN, and reaches 448. Saturation clips to the
 * largest finite number, as CUDA's conversions do with __NV_SATFINITE. */
__TERN_FN __tern_u32 __tern_f32_to_e5m2(float x, int saturate)
{
    __tern_u32 r = __tern_narrow(x, 5, 2, 0), over = (r & 0x7fu) == 0x7cu ? 1u : 0u;
    return saturate && over != 0u ? (r & 0x80u) | 0x7bu : r;
}
__TERN_FN float __tern_e5m2_to_f32(__tern_u32 h)
{
    return __tern_widen(h, 5, 2);
}
__TERN_FN __tern_u32 __tern_f32_to_e4m3(float x, int saturate)
{
    __tern_u32 sign = __tern_bits_f32(x) >> 31 << 7;
    float a = __tern_absf(x);
    /* through a format with one more exponent bit: the same mantissa and, shifted, the same exponents */
    if (x != x)
        return 0x7fu;
    if (a >= 464.0f) /* halfway to 480, which would be the NaN; 464 is a tie and goes to even, 480 */
        return a == __tern_f32_bits(0x7f800000u) || a > 464.0f ? sign | (saturate ? 0x7eu : 0x7fu)
                                                               : sign | 0x7eu;
    /* subnormals count 2^-9; normal numbers keep three bits */
    if (a < 0x1p-6f)
        return sign | (__tern_u32)__tern_f32_to_i32(__tern_rintf(a * 0x1p9f));
    __tern_u32 u = __tern_bits_f32(a), keep = u >> 20, rest = u & 0xfffffu;
    keep += rest > 0x80000u || (rest == 0x80000u && (keep & 1u) != 0u) ? 1u : 0u;
    return sign | (keep - ((127u - 7u) << 3));
}
__TERN_FN float __tern_e4m3_to_f32(__tern_u32 h)
{
    __tern_u32 sign = (h & 0x80u) << 24, e = h >> 3 & 15u, m = h & 7u;
    float sub = (float)m * 0x1p-9f;
    __tern_u32 u = e == 0u ? __tern_bits_f32(sub) : (e + 120u) << 23 | m << 20;
    return __tern_f32_bits(sign | ((h & 0x7fu) == 0x7fu ? 0x7fffffffu : u));
}

/* Correctly rounded operations of binary16 and bfloat16 through f32. fma is exact in f32 first only
 * when the product is: binary16's has 22 bits, bfloat16's 16, but the sum may not fit. The error of
 * the first rounding is found and breaks a tie the right way (rounding to odd). */
__TERN_FN float __tern_odd_fma(float a, float b, float c)
{
    float p = a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t); /* p is exact */
    __tern_u32 u = __tern_bits_f32(s);
    int finite = (u & 0x7f800000u) != 0x7f800000u;
    /* an inexact sum with an even last bit moves towards the error, away from the tie */
    int even = (u & 1u) == 0u && e != 0.0f && finite;
    __tern_u32 toward = (e > 0.0f) == (s > 0.0f) ? u | 1u : u - 1u;
    return __tern_f32_bits(even ? toward : u);
}
__TERN_FN __tern_u32 __tern_f16_fma(__tern_u32 a, __tern_u32 b, __tern_u32 c)
{
    return __tern_f32_to_f16(__tern_odd_fma(__tern_f16_to_f32(a), __tern_f16_to_f32(b), __tern_f16_to_f32(c)), 0);
}
__TERN_FN __tern_u32 __tern_f16_add(__tern_u32 a, __tern_u32 b)
{
    return __tern_f32_to_f16(__tern_f16_to_f32(a) + __tern_f16_to_f32(b), 0);
}
__TERN_FN __tern_u32 __tern_f16_mul(__tern_u32 a, __tern_u32 b)
{
    return __tern_f32_to_f16(__tern_f16_to_f32(a) * __tern_f16_to_f32(b), 0);
}
__TERN_FN __tern_u32 __tern_f16_div(__tern_u32 a, __tern_u32 b)
{
    return __tern_f32_to_f16(__tern_f16_to_f32(a) / __tern_f16_to_f32(b), 0);
}
__TERN_FN __tern_u32 __tern_f16_sqrt(__tern_u32 a)
{
    return __tern_f32_to_f16(__tern_sqrtf(__tern_f16_to_f32(a)), 0);
}
#endif

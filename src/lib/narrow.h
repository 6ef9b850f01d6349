/* Floats of 16 and 8 bits, for host code: wide ones from them, and back to the nearest, ties to
 * even. Inline and almost without branches, so that compilers make vectors of loops over them. */
#ifndef LIB_NARROW_H
#define LIB_NARROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float narrow_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t narrow_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float narrow_from_f16(uint16_t h)
{
    const uint32_t rest = (uint32_t)(h & 0x7fff) << 13;
    /* The exponent's bias is made right by a product, which also does the small numbers. */
    const float f = narrow_float(rest) * 0x1p112f;
    const uint32_t b = rest >= 31u << 23 ? rest | 0x7f800000u : narrow_bits(f);
    return narrow_float(b | (uint32_t)(h & 0x8000) << 16);
}

static inline uint16_t narrow_to_f16(float f)
{
    const uint32_t b = narrow_bits(f), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
    const uint32_t normal = (a + 0xfffu + (a >> 13 & 1) - (112u << 23)) >> 13;
    /* Below 2^-14 the sum with 0.5 has the number's bits in the last places. */
    const uint32_t small = narrow_bits(narrow_float(a) + 0.5f) - narrow_bits(0.5f);
    const uint32_t r = a >= 0x47800000u  ? (a > 0x7f800000u ? 0x7e00u : 0x7c00u)
                       : a < 0x38800000u ? small
                                         : normal;
    return (uint16_t)(sign | r);
}

static inline float narrow_from_bf16(uint16_t h)
{
    return narrow_float((uint32_t)h << 16);
}

static inline uint16_t narrow_to_bf16(float f)
{
    const uint32_t b = narrow_bits(f);
    return (uint16_t)((b & 0x7fffffff) > 0x7f800000u ? 0x7fc0u | b >> 16
                                                     : (b + 0x7fffu + (b >> 16 & 1)) >> 16);
}

/* Of 8 bits, with m of mantissa: E5M2 has infinities, E4M3 has one NaN in their place. */
static inline float narrow_from_f8(uint8_t bits, int m, int bias, bool infinities)
{
    const int e = (bits & 0x7f) >> m, f = bits & ((1 << m) - 1), top = 0x7f >> m;
    const float sign = bits & 0x80 ? -1 : 1;
    if (infinities ? e == top : (bits & 0x7f) == 0x7f)
        return infinities && !f ? sign * INFINITY : NAN;
    return sign *
           (e ? ldexpf((float)((1 << m) + f), e - bias - m) : ldexpf((float)f, 1 - bias - m));
}

/* Any format: e bits of exponent, m of mantissa. What is past the range becomes `over`. */
static inline uint32_t narrow_to(float f, int e, int m, uint32_t over, uint32_t nan)
{
    uint32_t u = narrow_bits(f);
    const uint32_t sign = u >> 31 << (e + m);
    const int bias = (1 << (e - 1)) - 1;
    if (f != f)
        return sign | nan;
    const float a = fabsf(f), least = ldexpf(1, 1 - bias - m); /* the smallest of all */
    if (a < ldexpf(1, 1 - bias))
        return sign | (uint32_t)rintf(a / least);
    u &= 0x7fffffff;
    u += (1u << (22 - m)) - 1 + (u >> (23 - m) & 1);
    const int exponent = (int)(u >> 23) - 127 + bias;
    const uint32_t bits = (uint32_t)exponent << m | (u >> (23 - m) & ((1u << m) - 1));
    return sign | (exponent > (1 << e) - 1 || bits >= over ? over : bits);
}

#endif

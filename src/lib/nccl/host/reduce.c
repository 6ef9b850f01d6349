/* Sums, products, maxima, minima and averages of arrays, for each type: plain loops over blocks
 * that stay in the first cache, which compilers turn into vectors. Narrow floats become floats, are
 * reduced, and are rounded once. Averages divide the sum at the end. */
#include <math.h>
#include <string.h>
#include "lib/nccl/nccl_int.h"

enum { BLOCK = 512 };

size_t nccl_type_bytes(ncclDataType_t t)
{
    static const uint8_t bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return (unsigned)t < ncclNumTypes ? bytes[t] : 0;
}

/* ---- narrow floats; to the nearest, ties to even ---- */

static float from_bits(uint32_t b)
{
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

static float half_wide(uint16_t h)
{
    const uint32_t rest = (uint32_t)(h & 0x7fff) << 13;
    /* The exponent's bias is made right by a product, which also does the small numbers. */
    const float f = from_bits(rest) * 0x1p112f;
    const uint32_t b = rest >= 31u << 23 ? rest | 0x7f800000u : bits_of(f);
    return from_bits(b | (uint32_t)(h & 0x8000) << 16);
}

static uint16_t half_narrow(float f)
{
    const uint32_t b = bits_of(f), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
    const uint32_t normal = (a + 0xfffu + (a >> 13 & 1) - (112u << 23)) >> 13;
    /* Below 2^-14 the sum with 0.5 has the number's bits in the last places. */
    const uint32_t small = bits_of(from_bits(a) + 0.5f) - bits_of(0.5f);
    const uint32_t r = a >= 0x47800000u  ? (a > 0x7f800000u ? 0x7e00u : 0x7c00u)
                       : a < 0x38800000u ? small
                                         : normal;
    return (uint16_t)(sign | r);
}

static float brain_wide(uint16_t h)
{
    return from_bits((uint32_t)h << 16);
}

static uint16_t brain_narrow(float f)
{
    const uint32_t b = bits_of(f);
    return (uint16_t)((b & 0x7fffffff) > 0x7f800000u ? 0x7fc0u | b >> 16
                                                     : (b + 0x7fffu + (b >> 16 & 1)) >> 16);
}

/* Eight bits with m of fraction and this bias; what is too large becomes the largest number. */
static uint8_t tiny_narrow(float f, int m, int bias, uint8_t most, uint8_t nan)
{
    const uint32_t b = bits_of(f), a = b & 0x7fffffff;
    const uint8_t sign = (uint8_t)(b >> 24 & 0x80);
    if (a > 0x7f800000u)
        return sign | nan;
    const int exponent = (int)(a >> 23) - 127;
    int shift = 23 - m; /* bits of the fraction that are rounded away */
    if (exponent < 1 - bias)
        shift += 1 - bias - exponent;
    if (shift > 31 || a < 0x00800000u)
        return sign;
    const uint64_t whole = (a & 0x7fffff) | 0x800000u;
    const uint64_t low = whole & ((1ull << shift) - 1), tie = 1ull << (shift - 1);
    uint64_t r = whole >> shift;
    r += low > tie || (low == tie && r & 1);
    if (exponent >= 1 - bias)
        r += (uint64_t)(exponent + bias - 1) << m;
    return (uint8_t)(sign | (r > most ? most : (uint8_t)r));
}

static float tiny_wide(uint8_t v, int m, int bias)
{
    const int exponent = v >> m & (0x7f >> m), fraction = v & ((1 << m) - 1);
    const float f = exponent ? ldexpf((float)((1 << m) + fraction), exponent - bias - m)
                             : ldexpf((float)fraction, 1 - bias - m);
    return v & 0x80 ? -f : f;
}

static float e4m3_wide(uint8_t v)
{
    return (v & 0x7f) == 0x7f ? NAN : tiny_wide(v, 3, 7);
}

static uint8_t e4m3_narrow(float f)
{
    return tiny_narrow(f, 3, 7, 0x7e, 0x7f);
}

static float e5m2_wide(uint8_t v)
{
    const int a = v & 0x7f;
    if (a >= 0x7c)
        return a > 0x7c ? NAN : v & 0x80 ? -INFINITY : INFINITY;
    return tiny_wide(v, 2, 15);
}

static uint8_t e5m2_narrow(float f)
{
    return tiny_narrow(f, 2, 15, 0x7b, 0x7f);
}

/* ---- one type: blocks are reduced in WORK, which STORED becomes and is made of ---- */

/* Maxima and minima of floats: a NaN beats numbers. */
#define KEEP_int(keep)   (keep)
#define KEEP_float(keep) (acc[k] != acc[k] || (keep))
#define SAME(x)          (x)

/* Sums of integers wrap around: WRAP is the unsigned type they are computed in. */
#define DEFINE(NAME, STORED, WORK, WRAP, TO_WIDE, TO_NARROW, KIND)                                 \
    static void NAME(void *dst, const void *const *src, int n, size_t count, ncclRedOp_t op,       \
                     int divide)                                                                   \
    {                                                                                              \
        WORK acc[BLOCK];                                                                           \
        for (size_t at = 0; at < count; at += BLOCK) {                                             \
            const size_t m = count - at < BLOCK ? count - at : BLOCK;                              \
            const STORED *first = (const STORED *)src[0] + at;                                     \
            STORED *out = (STORED *)dst + at;                                                      \
            for (size_t k = 0; k < m; k++)                                                         \
                acc[k] = TO_WIDE(first[k]);                                                        \
            for (int s = 1; s < n; s++) {                                                          \
                const STORED *from = (const STORED *)src[s] + at;                                  \
                if (op == ncclProd)                                                                \
                    for (size_t k = 0; k < m; k++)                                                 \
                        acc[k] = (WORK)((WRAP)acc[k] * (WRAP)TO_WIDE(from[k]));                    \
                else if (op == ncclMax)                                                            \
                    for (size_t k = 0; k < m; k++) {                                               \
                        const WORK y = TO_WIDE(from[k]);                                           \
                        acc[k] = KEEP_##KIND(y < acc[k]) ? acc[k] : y;                             \
                    }                                                                              \
                else if (op == ncclMin)                                                            \
                    for (size_t k = 0; k < m; k++) {                                               \
                        const WORK y = TO_WIDE(from[k]);                                           \
                        acc[k] = KEEP_##KIND(acc[k] < y) ? acc[k] : y;                             \
                    }                                                                              \
                else                                                                               \
                    for (size_t k = 0; k < m; k++)                                                 \
                        acc[k] = (WORK)((WRAP)acc[k] + (WRAP)TO_WIDE(from[k]));                    \
            }                                                                                      \
            if (divide)                                                                            \
                for (size_t k = 0; k < m; k++)                                                     \
                    acc[k] = (WORK)(acc[k] / (WORK)divide);                                        \
            for (size_t k = 0; k < m; k++)                                                         \
                out[k] = TO_NARROW(acc[k]);                                                        \
        }                                                                                          \
    }                                                                                              \
    static void scale_##NAME(void *dst, const void *src, size_t count, const void *factor)         \
    {                                                                                              \
        STORED stored;                                                                             \
        memcpy(&stored, factor, sizeof stored);                                                    \
        const WORK by = TO_WIDE(stored);                                                           \
        for (size_t k = 0; k < count; k++)                                                         \
            ((STORED *)dst)[k] =                                                                   \
                TO_NARROW((WORK)((WRAP)TO_WIDE(((const STORED *)src)[k]) * (WRAP)by));             \
    }

/* ROWS(X): X(type's number, name, stored, computed in, wrapped in, wide, narrow, kind) */
#define ROWS(X)                                                                                    \
    X(ncclInt8, reduce_i8, int8_t, int8_t, uint32_t, SAME, SAME, int)                              \
    X(ncclUint8, reduce_u8, uint8_t, uint8_t, uint32_t, SAME, SAME, int)                           \
    X(ncclInt32, reduce_i32, int32_t, int32_t, uint32_t, SAME, SAME, int)                          \
    X(ncclUint32, reduce_u32, uint32_t, uint32_t, uint32_t, SAME, SAME, int)                       \
    X(ncclInt64, reduce_i64, int64_t, int64_t, uint64_t, SAME, SAME, int)                          \
    X(ncclUint64, reduce_u64, uint64_t, uint64_t, uint64_t, SAME, SAME, int)                       \
    X(ncclFloat16, reduce_f16, uint16_t, float, float, half_wide, half_narrow, float)              \
    X(ncclFloat32, reduce_f32, float, float, float, SAME, SAME, float)                             \
    X(ncclFloat64, reduce_f64, double, double, double, SAME, SAME, float)                          \
    X(ncclBfloat16, reduce_bf16, uint16_t, float, float, brain_wide, brain_narrow, float)          \
    X(ncclFloat8e4m3, reduce_e4m3, uint8_t, float, float, e4m3_wide, e4m3_narrow, float)           \
    X(ncclFloat8e5m2, reduce_e5m2, uint8_t, float, float, e5m2_wide, e5m2_narrow, float)

#define X(number, ...) DEFINE(__VA_ARGS__)
ROWS(X)
#undef X

void nccl_reduce(void *dst, const void *const *src, int n, size_t count, ncclDataType_t t,
                 ncclRedOp_t op, int divide)
{
    switch (t) {
#define X(number, name, ...)                                                                       \
    case number: name(dst, src, n, count, op, divide); break;
        ROWS(X)
#undef X
    default: break;
    }
}

void nccl_scale(void *dst, const void *src, size_t count, ncclDataType_t t, const void *factor)
{
    switch (t) {
#define X(number, name, ...)                                                                       \
    case number: scale_##name(dst, src, count, factor); break;
        ROWS(X)
#undef X
    default: break;
    }
}

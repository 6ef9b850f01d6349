/* Sums, products, maxima, minima and averages of arrays, for each type: plain loops over blocks
 * that stay in the first cache, which compilers turn into vectors. Narrow floats become floats, are
 * reduced, and are rounded once. Averages divide the sum at the end. */
#include <math.h>
#include <string.h>
#include "lib/narrow.h"
#include "lib/nccl/nccl_int.h"

enum { BLOCK = 512 };

size_t nccl_type_bytes(ncclDataType_t t)
{
    static const uint8_t bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return (unsigned)t < ncclNumTypes ? bytes[t] : 0;
}

/* ---- floats of 8 bits: what is too large becomes the largest number ---- */

static float e4m3_wide(uint8_t v)
{
    return narrow_from_f8(v, 3, 7, false);
}

static uint8_t e4m3_narrow(float f)
{
    return (uint8_t)narrow_to(f, 4, 3, 0x7e, 0x7f);
}

static float e5m2_wide(uint8_t v)
{
    return narrow_from_f8(v, 2, 15, true);
}

static uint8_t e5m2_narrow(float f)
{
    return (uint8_t)narrow_to(f, 5, 2, 0x7b, 0x7f);
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
    X(ncclFloat16, reduce_f16, uint16_t, float, float, narrow_from_f16, narrow_to_f16, float)      \
    X(ncclFloat32, reduce_f32, float, float, float, SAME, SAME, float)                             \
    X(ncclFloat64, reduce_f64, double, double, double, SAME, SAME, float)                          \
    X(ncclBfloat16, reduce_bf16, uint16_t, float, float, narrow_from_bf16, narrow_to_bf16, float)  \
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

/* What the expressions of ops.def and rmw.def are made of.
 *
 * The folder (fold.c) and the interpreter instantiate the tables once for each scalar type. Before
 * including a table for an integer type they define U (unsigned type), S (its signed twin) and
 * N (bits); i1 is a uint8_t that holds 0 or 1. For a float type they define FMA; a, b, c are float
 * (f16, bf16, f32) or double. Results are converted to U and masked to N bits, or rounded to the
 * format, by the code around the expression.
 *
 * Nothing here depends on C's undefined behaviour or, but for the host being in its default
 * floating-point environment, on the machine. Everything that the host cannot do in one operation
 * (directed rounding, exact fma in 16 bits, conversions) is exact integer arithmetic in soft.c. */
#ifndef IR_MEANING_H
#define IR_MEANING_H

#include <math.h>
#include <string.h>
#include "ir/ir.h"

/* ---- integers ---- */
__extension__ typedef unsigned __int128 m_u128;
__extension__ typedef __int128 m_i128;

static inline uint64_t m_umulhi64(uint64_t a, uint64_t b)
{
    return (uint64_t)((m_u128)a * b >> 64);
}
static inline uint64_t m_smulhi64(int64_t a, int64_t b)
{
    return (uint64_t)((m_i128)a * b >> 64);
}
static inline uint64_t m_brev64(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ff00ff00ffu) | (x & 0x00ff00ff00ff00ffu) << 8;
    x = (x >> 16 & 0x0000ffff0000ffffu) | (x & 0x0000ffff0000ffffu) << 16;
    return x >> 32 | x << 32;
}
static inline uint32_t m_prmt(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t from = (uint64_t)b << 32 | a;
    uint32_t out = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned pick = c >> 4 * i & 15;
        uint32_t byte = (uint32_t)(from >> 8 * (pick & 7)) & 255;
        if (pick & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * i;
    }
    return out;
}
static inline uint32_t m_dp4a(uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t x = a >> 8 * i & 255, y = b >> 8 * i & 255;
        c += is_signed ? (uint32_t)((int8_t)x * (int8_t)y) : x * y;
    }
    return c;
}

#define M_SPARE        (8 * (int)sizeof(U) - N) /* unused bits of U: 7 for i1 */
#define M_MASK         ((U)((U) ~(U)0 >> M_SPARE))
#define M_S(x)         ((S)((S)((U)(x) << M_SPARE) >> M_SPARE)) /* as signed */
#define M_MUL(a, b)    (1u * (a) * (b))
#define M_UMULHI(a, b) (N == 64 ? m_umulhi64(a, b) : (uint64_t)(a) * (b) >> (N & 63))
/* Narrow products are made in 32 bits: from 64 bits, gcc 12 for x86-64 at -O3 takes pmulhuw, the
 * unsigned instruction, for signed 16-bit factors. */
#define M_SMULHI(a, b)                                                                             \
    (N == 64   ? m_smulhi64(M_S(a), M_S(b))                                                        \
     : N == 32 ? (uint64_t)((int64_t)M_S(a) * M_S(b) >> (N & 63))                                  \
               : (uint64_t)((int32_t)M_S(a) * (int32_t)M_S(b) >> (N & 31)))
#define M_UDIV(a, b) ((b) == 0 ? M_MASK : (U)((a) / (b)))
#define M_SDIV(a, b) ((b) == 0 ? M_MASK : M_S(b) == -1 ? (U)(0 - (a)) : (U)(M_S(a) / M_S(b)))
#define M_UREM(a, b) ((b) == 0 ? (a) : (U)((a) % (b)))
#define M_SREM(a, b) ((b) == 0 ? (a) : M_S(b) == -1 ? (U)0 : (U)(M_S(a) % M_S(b)))
#define M_SHL(a, b)  ((b) >= N ? (U)0 : (U)(1u * (a) << ((b) & (N - 1))))
#define M_LSHR(a, b) ((b) >= N ? (U)0 : (U)((a) >> ((b) & (N - 1))))
#define M_ASHR(a, b) (M_S(a) >> ((b) >= N ? N - 1 : (int)(b)))
#define M_POPC(a)    __builtin_popcountll(a)
#define M_CLZ(a)     ((a) == 0 ? N : __builtin_clzll(a) - (64 - N))
#define M_BREV(a)    (m_brev64(a) >> (64 - N))
#define M_FSHL(a, b, c)                                                                            \
    (((c) & (N - 1)) == 0                                                                          \
         ? (a)                                                                                     \
         : (U)(1u * (a) << ((c) & (N - 1)) | (b) >> ((N - ((c) & (N - 1))) & (N - 1))))
#define M_FSHR(a, b, c)                                                                            \
    (((c) & (N - 1)) == 0                                                                          \
         ? (b)                                                                                     \
         : (U)((b) >> ((c) & (N - 1)) | 1u * (a) << ((N - ((c) & (N - 1))) & (N - 1))))
#define M_PRMT(a, b, c)    m_prmt((uint32_t)(a), (uint32_t)(b), (uint32_t)(c))
#define M_DP4A_SS(a, b, c) m_dp4a((uint32_t)(a), (uint32_t)(b), (uint32_t)(c), true)
#define M_DP4A_UU(a, b, c) m_dp4a((uint32_t)(a), (uint32_t)(b), (uint32_t)(c), false)

/* ---- floats ---- */
static inline uint32_t m_bits32(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}
static inline uint64_t m_bits64(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}
static inline float m_float(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}
static inline double m_double(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* Of two floats neither greater than the other: the one whose sign is set, or is not. A NaN gives
 * the other operand. */
static inline float m_fmin32(float a, float b)
{
    const float tie = m_float(m_bits32(a) | m_bits32(b)); /* of +0 and -0 the one with a sign */
    return a < b ? a : b < a ? b : a != a ? b : b != b ? a : tie;
}
static inline float m_fmax32(float a, float b)
{
    const float tie = m_float(m_bits32(a) & m_bits32(b));
    return a > b ? a : b > a ? b : a != a ? b : b != b ? a : tie;
}
static inline double m_fmin64(double a, double b)
{
    const double tie = m_double(m_bits64(a) | m_bits64(b));
    return a < b ? a : b < a ? b : a != a ? b : b != b ? a : tie;
}
static inline double m_fmax64(double a, double b)
{
    const double tie = m_double(m_bits64(a) & m_bits64(b));
    return a > b ? a : b > a ? b : a != a ? b : b != b ? a : tie;
}

/* The quick functions of f32, as the device library has them (quick.c). */
float m_quick_sin(float x);
float m_quick_cos(float x);
float m_quick_exp2(float x);
float m_quick_log2(float x);
float m_quick_tanh(float x);

#define M_BY_TYPE(f32, f64, ...) _Generic((__VA_ARGS__), float : f32, double : f64)
#define M_FABS(a)                M_BY_TYPE(__builtin_fabsf, __builtin_fabs, a)(a)
#define M_COPYSIGN(a, b)         M_BY_TYPE(__builtin_copysignf, __builtin_copysign, a)(a, b)
#define M_SQRT(a)                M_BY_TYPE(__builtin_sqrtf, __builtin_sqrt, a)(a)
#define M_FMIN(a, b)             M_BY_TYPE(m_fmin32, m_fmin64, a)(a, b)
#define M_FMAX(a, b)             M_BY_TYPE(m_fmax32, m_fmax64, a)(a, b)
#define M_FLOOR(a)               M_BY_TYPE(__builtin_floorf, __builtin_floor, a)(a)
#define M_CEIL(a)                M_BY_TYPE(__builtin_ceilf, __builtin_ceil, a)(a)
#define M_TRUNC(a)               M_BY_TYPE(__builtin_truncf, __builtin_trunc, a)(a)
#define M_RINT(a)                M_BY_TYPE(__builtin_rintf, __builtin_rint, a)(a)
#ifdef TERN_SMALL /* for the interpreter only, which the compiler for browsers is without */
#define M_SIN(a)  (a)
#define M_COS(a)  (a)
#define M_EXP2(a) (a)
#define M_LOG2(a) (a)
#define M_TANH(a) (a)
#else
#define M_SIN(a)  M_BY_TYPE(m_quick_sin, sin, a)(a)
#define M_COS(a)  M_BY_TYPE(m_quick_cos, cos, a)(a)
#define M_EXP2(a) M_BY_TYPE(m_quick_exp2, exp2, a)(a)
#define M_LOG2(a) M_BY_TYPE(m_quick_log2, log2, a)(a)
#define M_TANH(a) M_BY_TYPE(m_quick_tanh, tanh, a)(a)
#endif

/* A subnormal becomes a zero of the same sign. */
static inline float m_flush(float x)
{
    const uint32_t b = m_bits32(x);
    return m_float((b & 0x7f800000u) == 0 ? b & 0x80000000u : b);
}

/* f16 and bf16 widen exactly, NaN payloads included, and so survive the way there and back. */
static inline float m_from_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00)
        return m_float(sign | 0x7f800000u | (rest & 0x3ff) << 13);
    if (rest >= 0x400)
        return m_float(sign | ((rest << 13) + 0x38000000u));
    return m_float(sign | m_bits32((float)rest * 0x1p-24f));
}
static inline uint16_t m_to_f16(float x) /* to nearest, ties to even */
{
    const uint32_t b = m_bits32(x), sign = b >> 16 & 0x8000, rest = b & 0x7fffffff;
    if (rest > 0x7f800000) {
        const uint32_t payload = rest >> 13 & 0x3ff;
        return (uint16_t)(sign | 0x7c00 | (payload ? payload : 0x200));
    }
    if (rest >= 0x47800000) /* 65536 and above; 65520 to 65535 round up to it below */
        return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) { /* subnormal in f16: let the addition round at 2^-24 */
        const float at = 0.5f;
        return (uint16_t)(sign | (m_bits32(m_float(rest) + at) - m_bits32(at)));
    }
    return (uint16_t)(sign | ((rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> 13));
}
static inline float m_from_bf16(uint16_t h)
{
    return m_float((uint32_t)h << 16);
}
static inline uint16_t m_to_bf16(float x)
{
    const uint32_t b = m_bits32(x);
    if ((b & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(b >> 16 | (b & 0x7f0000 ? 0 : 0x40));
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

/* ---- exact arithmetic in every format and rounding mode (soft.c) ----
 * kind is F16, BF16, F32 or F64; mode is IR_RN, IR_RZ, IR_RU or IR_RD; values are bits. */
enum m_soft_op { M_SOFT_ADD, M_SOFT_SUB, M_SOFT_MUL, M_SOFT_DIV, M_SOFT_FMA, M_SOFT_SQRT };
uint64_t m_soft(enum m_soft_op op, enum ir_kind kind, unsigned mode, uint64_t a, uint64_t b,
                uint64_t c);
uint64_t m_soft_convert(enum ir_kind to, enum ir_kind from, unsigned mode, uint64_t bits);
/* From the integer ±magnitude; to an integer of n bits, saturated, zero-extended. */
uint64_t m_soft_from_int(enum ir_kind to, unsigned mode, bool negative, uint64_t magnitude);
uint64_t m_soft_to_int(enum ir_kind from, unsigned mode, uint64_t bits, unsigned n, bool is_signed);

static inline float m_fma_f16(float a, float b, float c) /* rounded to f16, once */
{
    return m_from_f16(
        (uint16_t)m_soft(M_SOFT_FMA, IR_F16, IR_RN, m_to_f16(a), m_to_f16(b), m_to_f16(c)));
}
static inline float m_fma_bf16(float a, float b, float c)
{
    return m_from_bf16(
        (uint16_t)m_soft(M_SOFT_FMA, IR_BF16, IR_RN, m_to_bf16(a), m_to_bf16(b), m_to_bf16(c)));
}

/* ir_eval, and also the ops whose result is the device's own: the interpreter's is the host's. */
bool m_eval(enum ir_op op, ir_type type, ir_type source, uint32_t flags, const uint64_t *args,
            uint64_t *out);

#endif

/* Type names and small static functions, each written into the output when first asked for.
 *
 * A helper is a row of text with placeholders, instantiated for a type:
 *   $n its full name      $T the type         $t its suffix (u32, f32x4)   $N bits of a lane
 *   $S signed integers    $U unsigned integers of the same size and lanes (vectors: twins)
 *   $E, $e element type and suffix of a vector      $L its lanes
 *   $F, $f, $B, $G type, suffix, bits, signed twin of the operand of a conversion
 *   $s(x)  x as a signed integer ($T wider than its value: i1)
 * A vector that has no row of its own gets a loop over its lanes that calls the scalar helper. */
#include <stdio.h>
#include <string.h>
#include "back/c/c_int.h"

struct row {
    const char *name;
    const char *when; /* suffix it is for; "v" any vector, "vu" of integers, "vf" of floats; NULL */
    const char *needs; /* other helpers of the same type, separated by spaces; "x:f32" fixes it */
    unsigned arity;
    const char *text;
};

#define INLINE1 "INLINE $T $n($T a)\n{\n"
#define INLINE2 "INLINE $T $n($T a, $T b)\n{\n"
#define INLINE3 "INLINE $T $n($T a, $T b, $T c)\n{\n"
#define PICK(m) "    return ($T)((($U)a & (" m ")) | (($U)b & ~(" m ")));\n}\n"

static const struct row rows[] = {
    /* integers */
    {"mul", "u16", 0, 2, INLINE2 "    return (u16)(1u * a * b);\n}\n"},
    {"umulhi", "u64", 0, 2,
     INLINE2 "    __extension__ typedef unsigned __int128 u128;\n"
             "    return (u64)((u128)a * b >> 64);\n}\n"},
    {"umulhi", 0, 0, 2, INLINE2 "    return ($T)((u64)a * b >> $N);\n}\n"},
    {"smulhi", "u64", 0, 2,
     INLINE2 "    __extension__ typedef __int128 i128;\n"
             "    return (u64)((i128)(i64)a * (i64)b >> 64);\n}\n"},
    /* not from 64 bits: gcc 12 for x86-64 then takes pmulhuw, the unsigned instruction */
    {"smulhi", "u16", 0, 2, INLINE2 "    return (u16)($s(a) * $s(b) >> 16);\n}\n"},
    {"smulhi", 0, 0, 2, INLINE2 "    return ($T)(((i64)$s(a) * $s(b) >> $N)$m);\n}\n"},
    {"udiv", 0, 0, 2, INLINE2 "    return b == 0 ? ($T)(($T) ~($T)0$m) : ($T)(a / b);\n}\n"},
    {"sdiv", 0, 0, 2,
     INLINE2 "    if (b == 0)\n        return ($T)(($T) ~($T)0$m);\n"
             "    return $s(b) == -1 ? ($T)((0 - a)$m) : ($T)(($s(a) / $s(b))$m);\n}\n"},
    {"urem", 0, 0, 2, INLINE2 "    return b == 0 ? a : ($T)(a % b);\n}\n"},
    {"srem", 0, 0, 2,
     INLINE2 "    if (b == 0)\n        return a;\n"
             "    return $s(b) == -1 ? ($T)0 : ($T)(($s(a) % $s(b))$m);\n}\n"},
    {"shl", 0, 0, 2,
     INLINE2 "    return b >= $N ? ($T)0 : ($T)((1u * a << (b & ($N - 1)))$m);\n}\n"},
    {"lshr", 0, 0, 2, INLINE2 "    return b >= $N ? ($T)0 : ($T)(a >> (b & ($N - 1)));\n}\n"},
    {"ashr", 0, 0, 2, INLINE2 "    return ($T)(($s(a) >> (b >= $N ? $N - 1 : (int)b))$m);\n}\n"},
    {"shl", "vu", 0, 2, INLINE2 "    return (a << (b & ($N - 1))) & ($T)(b < $N);\n}\n"},
    {"lshr", "vu", 0, 2, INLINE2 "    return (a >> (b & ($N - 1))) & ($T)(b < $N);\n}\n"},
    {"ashr", "vu", 0, 2,
     INLINE2 "    const $T over = ($T)(b >= $N);\n"
             "    return ($T)(($S)a >> ($S)((b & ~over) | (($N - 1) & over)));\n}\n"},
    {"umin", 0, 0, 2, INLINE2 "    return a < b ? a : b;\n}\n"},
    {"umax", 0, 0, 2, INLINE2 "    return a > b ? a : b;\n}\n"},
    {"smin", 0, 0, 2, INLINE2 "    return $s(a) < $s(b) ? a : b;\n}\n"},
    {"smax", 0, 0, 2, INLINE2 "    return $s(a) > $s(b) ? a : b;\n}\n"},
    {"umin", "vu", 0, 2, INLINE2 "    const $U m = ($U)(a < b);\n" PICK("m")},
    {"umax", "vu", 0, 2, INLINE2 "    const $U m = ($U)(a > b);\n" PICK("m")},
    {"smin", "vu", 0, 2, INLINE2 "    const $U m = ($U)(($S)a < ($S)b);\n" PICK("m")},
    {"smax", "vu", 0, 2, INLINE2 "    const $U m = ($U)(($S)a > ($S)b);\n" PICK("m")},
    {"popc", 0, 0, 1, INLINE1 "    return ($T)(__builtin_popcountll(a)$m);\n}\n"},
    {"clz", 0, 0, 1,
     INLINE1 "    return ($T)((a == 0 ? $N : __builtin_clzll(a) - (64 - $N))$m);\n}\n"},
    {"brev", "u64", 0, 1,
     INLINE1 "    a = (a >> 1 & 0x5555555555555555u) | (a & 0x5555555555555555u) << 1;\n"
             "    a = (a >> 2 & 0x3333333333333333u) | (a & 0x3333333333333333u) << 2;\n"
             "    a = (a >> 4 & 0x0f0f0f0f0f0f0f0fu) | (a & 0x0f0f0f0f0f0f0f0fu) << 4;\n"
             "    return __builtin_bswap64(a);\n}\n"},
    {"brev", 0, "brev:u64", 1, INLINE1 "    return ($T)(brev_u64(a) >> (64 - $N));\n}\n"},
    {"fshl", 0, 0, 3,
     INLINE3 "    const int n = (int)(c & ($N - 1));\n"
             "    return n == 0 ? a : ($T)(1u * a << n | b >> ($N - n));\n}\n"},
    {"fshr", 0, 0, 3,
     INLINE3 "    const int n = (int)(c & ($N - 1));\n"
             "    return n == 0 ? b : ($T)(b >> n | 1u * a << ($N - n));\n}\n"},
    {"fshl", "b1", 0, 3, INLINE3 "    (void)b, (void)c;\n    return a;\n}\n"},
    {"fshr", "b1", 0, 3, INLINE3 "    (void)a, (void)c;\n    return b;\n}\n"},
    {"prmt", 0, 0, 3,
     INLINE3 "    const u64 from = (u64)b << 32 | a;\n    u32 out = 0;\n"
             "    for (int i = 0; i < 4; i++) {\n"
             "        const u32 pick = c >> 4 * i & 15;\n"
             "        u32 byte = (u32)(from >> 8 * (pick & 7)) & 255;\n"
             "        if (pick & 8)\n            byte = byte & 128 ? 255 : 0;\n"
             "        out |= byte << 8 * i;\n    }\n    return out;\n}\n"},
    {"dp4a", 0, 0, 3,
     INLINE3 "    for (int i = 0; i < 4; i++)\n"
             "        c += (u32)((i8)(a >> 8 * i) * (i8)(b >> 8 * i));\n    return c;\n}\n"},
    {"udp4a", 0, 0, 3,
     INLINE3 "    for (int i = 0; i < 4; i++)\n"
             "        c += (a >> 8 * i & 255) * (b >> 8 * i & 255);\n    return c;\n}\n"},
    /* bits of floats */
    {"bits", 0, 0, 1,
     "INLINE $U $n($T a)\n{\n    $U b;\n    __builtin_memcpy(&b, &a, sizeof b);\n    return "
     "b;\n}\n"},
    {"float", 0, 0, 1,
     "INLINE $T $n($U a)\n{\n    $T b;\n    __builtin_memcpy(&b, &a, sizeof b);\n    return "
     "b;\n}\n"},
    /* 16-bit floats are kept as their bits and computed in f32 */
    {"widen", "f16", "float:f32 bits:f32", 1,
     "INLINE f32 $n(u16 h)\n{\n"
     "#if defined(__aarch64__)\n"
     "    __fp16 x;\n    __builtin_memcpy(&x, &h, sizeof x);\n    return (f32)x;\n"
     "#elif defined(__F16C__)\n"
     "    typedef short v8hi __attribute__((vector_size(16)));\n"
     "    return __builtin_ia32_vcvtph2ps((v8hi){(short)h})[0];\n"
     "#else\n"
     "    const u32 sign = (u32)(h & 0x8000) << 16, rest = h & 0x7fff;\n"
     "    if (rest >= 0x7c00)\n        return float_f32(sign | 0x7f800000u | (rest & 0x3ff) << "
     "13);\n"
     "    if (rest >= 0x400)\n        return float_f32(sign | ((rest << 13) + 0x38000000u));\n"
     "    return float_f32(sign | bits_f32((f32)rest * 0x1p-24f));\n#endif\n}\n"},
    {"round", "f16", "float:f32 bits:f32", 1,
     "INLINE u16 $n(f32 x)\n{\n"
     "#if defined(__aarch64__)\n"
     "    const __fp16 y = (__fp16)x;\n    u16 h;\n    __builtin_memcpy(&h, &y, sizeof h);\n"
     "    return h;\n"
     "#elif defined(__F16C__)\n"
     "    typedef float v4sf __attribute__((vector_size(16)));\n"
     "    return (u16)__builtin_ia32_vcvtps2ph((v4sf){x}, 0)[0];\n"
     "#else\n"
     "    const u32 b = bits_f32(x), sign = b >> 16 & 0x8000, rest = b & 0x7fffffff;\n"
     "    if (rest > 0x7f800000) {\n        const u32 payload = rest >> 13 & 0x3ff;\n"
     "        return (u16)(sign | 0x7c00 | (payload ? payload : 0x200));\n    }\n"
     "    if (rest >= 0x47800000)\n        return (u16)(sign | 0x7c00);\n"
     "    if (rest < 0x38800000) /* subnormal: the addition rounds at 2^-24 */\n"
     "        return (u16)(sign | (bits_f32(float_f32(rest) + 0.5f) - 0x3f000000u));\n"
     "    return (u16)(sign | ((rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> "
     "13));\n#endif\n}\n"},
    {"widen", "bf16", "float:f32", 1,
     "INLINE f32 $n(u16 h)\n{\n    return float_f32((u32)h << 16);\n}\n"},
    {"round", "bf16", "bits:f32", 1,
     "INLINE u16 $n(f32 x)\n{\n    const u32 b = bits_f32(x);\n"
     "    if ((b & 0x7fffffff) > 0x7f800000)\n"
     "        return (u16)(b >> 16 | (b & 0x7f0000 ? 0 : 0x40));\n"
     "    return (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);\n}\n"},
    /* f64 to f32 so that a second rounding does no harm: inexact results end in a one */
    {"odd", "f32", "bits:f32 float:f32", 1,
     "INLINE f32 $n(f64 x)\n{\n    const f32 y = (f32)x;\n    const u32 b = bits_f32(y);\n"
     "    if (x != x || (f64)y == x || (b & 1))\n        return y;\n"
     "    return float_f32(__builtin_fabs((f64)y) > __builtin_fabs(x) ? b - 1 : b + 1);\n}\n"},
    {"fma", "f32", 0, 3, INLINE3 "    return __builtin_fmaf(a, b, c);\n}\n"},
    {"fma", "f64", 0, 3, INLINE3 "    return __builtin_fma(a, b, c);\n}\n"},
    /* Operations on 16-bit floats whose f32 result ends in a one when it is inexact: x is the f64
     * result and e has the sign of what is missing from it. */
    {"sticky", "f32", "odd:f32 bits:f64 float:f64", 2,
     "INLINE f32 $n(f64 x, f64 e)\n{\n    const u64 k = bits_f64(x);\n"
     "    if (x - x != 0 || e == 0 || e != e || (k & 1))\n        return odd_f32(x);\n"
     "    if (x == 0)\n        return e > 0 ? 0x1p-149f : -0x1p-149f;\n"
     "    return odd_f32(float_f64((e > 0) == (x > 0) ? k + 1 : k - 1));\n}\n"},
    {"fma16", "f32", "sticky", 3,
     INLINE3 "    const f64 p = (f64)a * b, s = p + c, t = s - p;\n"
             "    return sticky_f32(s, (p - (s - t)) + (c - t));\n}\n"},
    {"fadd16", "f32", "fma16", 2, INLINE2 "    return fma16_f32(a, 1, b);\n}\n"},
    {"fsub16", "f32", "fma16", 2, INLINE2 "    return fma16_f32(a, 1, -b);\n}\n"},
    {"fmul16", "f32", "odd", 2, INLINE2 "    return odd_f32((f64)a * b);\n}\n"},
    {"fdiv16", "f32", "sticky", 2,
     INLINE2 "    const f64 q = (f64)a / b, r = __builtin_fma(-q, b, a);\n"
             "    return sticky_f32(q, b < 0 ? -r : r);\n}\n"},
    {"fsqrt16", "f32", "sticky", 1,
     INLINE1 "    const f64 q = __builtin_sqrt(a);\n"
             "    return sticky_f32(q, __builtin_fma(-q, q, a));\n}\n"},
    {"fma", "vf", 0, 3,
     INLINE3 "#if defined(__clang__) && (defined(__aarch64__) || defined(__FMA__))\n"
             "#pragma STDC FP_CONTRACT ON\n"
             "    return a * b + c;\n"
             "#elif defined(__aarch64__) && $Y == 128\n"
             "    return __builtin_aarch64_fma$X(a, b, c);\n"
             "#elif defined(__FMA__) && $Y <= 256 && $Y >= 128\n"
             "    return ($T)__builtin_ia32_vfmadd$Z(a, b, c);\n"
             "#elif defined(__AVX512F__) && $Y == 512\n"
             "    return ($T)__builtin_ia32_vfmadd$Z512_mask(a, b, c, -1, 4);\n"
             "#else\n"
             "    $T r = {0};\n    for (int i = 0; i < $L; i++)\n"
             "        r[i] = $b(a[i], b[i], c[i]);\n    return r;\n#endif\n}\n"},
    {"fabs", "vf", 0, 1, INLINE1 "    return ($T)(($U)a & ~((($U){0} + 1) << ($N - 1)));\n}\n"},
    {"fabs", "f32", 0, 1, INLINE1 "    return __builtin_fabsf(a);\n}\n"},
    {"fabs", "f64", 0, 1, INLINE1 "    return __builtin_fabs(a);\n}\n"},
    {"fcopysign", "vf", 0, 2,
     INLINE2 "    const $U sign = (($U){0} + 1) << ($N - 1);\n"
             "    return ($T)((($U)a & ~sign) | (($U)b & sign));\n}\n"},
    {"fcopysign", "f32", 0, 2, INLINE2 "    return __builtin_copysignf(a, b);\n}\n"},
    {"fcopysign", "f64", 0, 2, INLINE2 "    return __builtin_copysign(a, b);\n}\n"},
    {"fcopysign", 0, 0, 2, INLINE2 "    return (u16)((a & 0x7fff) | (b & 0x8000));\n}\n"},
    {"fsqrt", "f32", 0, 1, INLINE1 "    return __builtin_sqrtf(a);\n}\n"},
    {"fsqrt", "f64", 0, 1, INLINE1 "    return __builtin_sqrt(a);\n}\n"},
    {"fmin", "f32", "bits float", 2,
     INLINE2 "    return a < b ? a : b < a ? b : a != a ? b : b != b ? a\n"
             "           : float_f32(bits_f32(a) | bits_f32(b));\n}\n"},
    {"fmax", "f32", "bits float", 2,
     INLINE2 "    return a > b ? a : b > a ? b : a != a ? b : b != b ? a\n"
             "           : float_f32(bits_f32(a) & bits_f32(b));\n}\n"},
    {"fmin", "f64", "bits float", 2,
     INLINE2 "    return a < b ? a : b < a ? b : a != a ? b : b != b ? a\n"
             "           : float_f64(bits_f64(a) | bits_f64(b));\n}\n"},
    {"fmax", "f64", "bits float", 2,
     INLINE2 "    return a > b ? a : b > a ? b : a != a ? b : b != b ? a\n"
             "           : float_f64(bits_f64(a) & bits_f64(b));\n}\n"},
    {"fmin", "vf", 0, 2,
     INLINE2
     "#if defined(__aarch64__) && $Y == 128 && !defined(__clang__)\n"
     "    return __builtin_aarch64_fmin$X(a, b);\n#endif\n"
     "    /* a where it is less, where b is NaN, and of two zeros the one with a sign */\n"
     "    const $U m = ($U)(a < b) | ($U)(b != b) | (($U)(a == b) & ($U)(($S)a < 0));\n" PICK("m")},
    {"fmax", "vf", 0, 2,
     INLINE2
     "#if defined(__aarch64__) && $Y == 128 && !defined(__clang__)\n"
     "    return __builtin_aarch64_fmax$X(a, b);\n#endif\n"
     "    const $U m = ($U)(a > b) | ($U)(b != b) | (($U)(a == b) & ($U)(($S)a >= 0));\n" PICK(
         "m")},
    {"ffloor", "f32", 0, 1, INLINE1 "    return __builtin_floorf(a);\n}\n"},
    {"ffloor", "f64", 0, 1, INLINE1 "    return __builtin_floor(a);\n}\n"},
    {"fceil", "f32", 0, 1, INLINE1 "    return __builtin_ceilf(a);\n}\n"},
    {"fceil", "f64", 0, 1, INLINE1 "    return __builtin_ceil(a);\n}\n"},
    {"ftrunc", "f32", 0, 1, INLINE1 "    return __builtin_truncf(a);\n}\n"},
    {"ftrunc", "f64", 0, 1, INLINE1 "    return __builtin_trunc(a);\n}\n"},
    {"frint", "f32", 0, 1, INLINE1 "    return __builtin_rintf(a);\n}\n"},
    {"frint", "f64", 0, 1, INLINE1 "    return __builtin_rint(a);\n}\n"},
    {"fsin_fast", "f32", "libm", 1, INLINE1 "    return __builtin_sinf(a);\n}\n"},
    {"fcos_fast", "f32", "libm", 1, INLINE1 "    return __builtin_cosf(a);\n}\n"},
    {"fexp2_fast", "f32", "libm", 1, INLINE1 "    return __builtin_exp2f(a);\n}\n"},
    {"flog2_fast", "f32", "libm", 1, INLINE1 "    return __builtin_log2f(a);\n}\n"},
    {"ftanh_fast", "f32", "libm", 1, INLINE1 "    return __builtin_tanhf(a);\n}\n"},
    {"fsin_fast", "f64", "libm", 1, INLINE1 "    return __builtin_sin(a);\n}\n"},
    {"fcos_fast", "f64", "libm", 1, INLINE1 "    return __builtin_cos(a);\n}\n"},
    {"fexp2_fast", "f64", "libm", 1, INLINE1 "    return __builtin_exp2(a);\n}\n"},
    {"flog2_fast", "f64", "libm", 1, INLINE1 "    return __builtin_log2(a);\n}\n"},
    {"ftanh_fast", "f64", "libm", 1, INLINE1 "    return __builtin_tanh(a);\n}\n"},
    {"flush", "f32", "bits float", 1,
     INLINE1 "    const u32 b = bits_f32(a);\n"
             "    return float_f32((b & 0x7f800000u) == 0 ? b & 0x80000000u : b);\n}\n"},
    {"flush", "vf", 0, 1,
     INLINE1 "    const $U b = ($U)a;\n"
             "    return ($T)(b & ~(($U)((b & 0x7f800000u) == 0) & 0x7fffffffu));\n}\n"},
    /* choice, between two vectors by a mask of lanes as wide */
    {"pick", "v", 0, 3, "INLINE $T $n($U m, $T a, $T b)\n{\n" PICK("m")},
};

static const char *const keywords[] = {
    "auto",   "break",  "case",     "char",   "const",    "continue", "default", "do",
    "double", "else",   "enum",     "extern", "float",    "for",      "goto",    "if",
    "inline", "int",    "long",     "main",   "register", "restrict", "return",  "short",
    "signed", "sizeof", "static",   "struct", "switch",   "typedef",  "union",   "unsigned",
    "void",   "while",  "volatile", "asm",    "typeof",   "linux",    "unix",    "u8",
    "u16",    "u32",    "u64",      "i8",     "i16",      "i32",      "i64",     "f32",
    "f64",    "ptr",    "INLINE",   "b",      NULL,
};

/* ---- names ---- */
static const char *suffix(ir_type t, char buf[16])
{
    static const char *const names[IR_KIND_COUNT] = {
        [IR_I1] = "b1",   [IR_I8] = "u8",     [IR_I16] = "u16", [IR_I32] = "u32", [IR_I64] = "u64",
        [IR_F16] = "f16", [IR_BF16] = "bf16", [IR_F32] = "f32", [IR_F64] = "f64", [IR_PTR] = "ptr",
    };
    if (ir_is_vector(t))
        snprintf(buf, 16, "%sx%u", names[ir_kind(t)], ir_lanes(t));
    else
        snprintf(buf, 16, "%s", names[ir_kind(t)]);
    return buf;
}

static ir_type twin(ir_type t) /* the integer type of the same size */
{
    static const ir_type by_log[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    unsigned bits = ir_bits(t), k = bits <= 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
    return ir_like(by_log[k], t);
}

static const char *vector_type(struct cgen *g, const char *elem, unsigned bytes, unsigned lanes)
{
    const char *name = c_print(g, "%sx%u", elem, lanes);
    name = intern_z(g->names, name);
    if (!map_has(&g->defined, map_key(name))) {
        map_set(&g->defined, map_key(name), g);
        sbuf_printf(&g->types, "typedef %s %s __attribute__((vector_size(%u)));\n", elem, name,
                    bytes * lanes);
    }
    return name;
}

const char *c_type(struct cgen *g, ir_type t)
{
    static const char *const scalar[IR_KIND_COUNT] = {
        [IR_VOID] = "void", [IR_I1] = "u8",   [IR_I8] = "u8",   [IR_I16] = "u16",
        [IR_I32] = "u32",   [IR_I64] = "u64", [IR_F16] = "u16", [IR_BF16] = "u16",
        [IR_F32] = "f32",   [IR_F64] = "f64", [IR_PTR] = "ptr",
    };
    if (!ir_is_vector(t))
        return scalar[ir_kind(t)];
    if (ir_kind(t) == IR_I1)
        return vector_type(g, "i32", 4, ir_lanes(t));
    if (ir_kind(t) == IR_PTR)
        return vector_type(g, "u64", 8, ir_lanes(t));
    return vector_type(g, scalar[ir_kind(t)], ir_bits(t) / 8, ir_lanes(t));
}

const char *c_mask(struct cgen *g, unsigned bits, unsigned lanes)
{
    return vector_type(g, c_print(g, "i%u", bits), bits / 8, lanes);
}

const char *c_signed(struct cgen *g, ir_type t)
{
    unsigned bits = ir_bits(t) < 8 ? 8 : ir_bits(t);
    return ir_is_vector(t) ? c_mask(g, bits, ir_lanes(t)) : c_print(g, "i%u", bits);
}

/* The type of t in memory where alignment is only `align` bytes. */
const char *c_unaligned(struct cgen *g, ir_type t, unsigned align)
{
    const char *base = c_type(g, t);
    if (!ir_is_vector(t) && align >= ir_bytes(t))
        return base;
    const char *name = intern_z(g->names, c_print(g, "%s_a%u", base, align));
    if (!map_has(&g->defined, map_key(name))) {
        map_set(&g->defined, map_key(name), g);
        sbuf_printf(&g->types, "typedef %s %s __attribute__((may_alias, aligned(%u)));\n", base,
                    name, align);
    }
    return name;
}

const char *c_identifier(struct cgen *g, struct map *taken, const char *wish)
{
    char buf[64];
    size_t n = 0;
    for (const char *s = wish; *s && n < sizeof buf - 1; s++) {
        bool letter = (*s | 32) >= 'a' && (*s | 32) <= 'z', digit = *s >= '0' && *s <= '9';
        if (digit && n == 0)
            buf[n++] = '_';
        /* in functions "__" is for parts of values and for names of our own */
        if (letter || digit || taken != &g->locals || n == 0 || buf[n - 1] != '_')
            buf[n++] = letter || digit ? *s : '_';
    }
    buf[n] = 0;
    bool reserved = n == 0 || (buf[0] == '_' && n == 1);
    for (size_t k = 0; keywords[k]; k++)
        reserved |= !strcmp(buf, keywords[k]);
    /* i32x4, any_b1x4: types and helpers that may be needed further down */
    size_t at = n;
    while (at > 0 && buf[at - 1] >= '0' && buf[at - 1] <= '9')
        at--;
    reserved |= at < n && at > 1 && buf[at - 1] == 'x' && buf[at - 2] >= '0' && buf[at - 2] <= '9';
    const char *name = intern_z(g->names, reserved ? c_print(g, "%s_", buf) : buf);
    /* Long names are cut: a parameter must not hide the function that it belongs to. */
    const uint64_t base = map_key(intern_z(g->names, buf));
    uintptr_t k = (uintptr_t)map_get(&g->suffixes, base);
    for (; map_has(&g->taken, map_key(name)) || map_has(&g->locals, map_key(name)) ||
           map_has(&g->defined, map_key(name));
         map_set(&g->suffixes, base, (void *)k)) {
        k = k ? k + 1 : 2;
        name = intern_z(g->names, c_print(g, "%s_%u", buf, (unsigned)k));
    }
    map_set(taken, map_key(name), g);
    return name;
}

/* ---- instantiation ---- */
static bool matches(const struct row *r, const char *name, const char *suf, ir_type t)
{
    if (strcmp(r->name, name) != 0)
        return false;
    bool half = ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16;
    if (!r->when)
        return !ir_is_vector(t);
    if (!strcmp(r->when, "v"))
        return ir_is_vector(t);
    if (!strcmp(r->when, "vu"))
        return ir_is_vector(t) && ir_class(t) == IR_CLASS_INT;
    if (!strcmp(r->when, "vf"))
        return ir_is_vector(t) && ir_class(t) == IR_CLASS_FLOAT && !half;
    return !strcmp(r->when, suf);
}

static void expand(struct cgen *g, const char *text, const char *name, const char *base, ir_type t,
                   ir_type from)
{
    struct sbuf *o = &g->helpers;
    struct sbuf piece; /* types may be defined while expanding; they go to another buffer */
    sbuf_init(&piece, g->arena);
    char buf[16];
    for (const char *s = text; *s; s++) {
        if (*s != '$') {
            sbuf_putc(&piece, *s);
            continue;
        }
        ir_type e = ir_scalar(t);
        switch (*++s) {
        case 'n': sbuf_puts(&piece, name); break;
        case 'b': sbuf_puts(&piece, base); break;
        case 'T': sbuf_puts(&piece, c_type(g, t)); break;
        case 't': sbuf_puts(&piece, suffix(t, buf)); break;
        case 'N': sbuf_printf(&piece, "%u", ir_bits(t)); break;
        case 'S': sbuf_puts(&piece, c_signed(g, t)); break;
        case 'U': sbuf_puts(&piece, c_type(g, twin(t))); break;
        case 'E': sbuf_puts(&piece, c_type(g, e)); break;
        case 'e': sbuf_puts(&piece, suffix(e, buf)); break;
        case 'L': sbuf_printf(&piece, "%u", ir_lanes(t)); break;
        case 'F': sbuf_puts(&piece, c_type(g, from)); break;
        case 'f': sbuf_puts(&piece, suffix(from, buf)); break;
        case 'B': sbuf_printf(&piece, "%u", ir_bits(from)); break;
        case 'G': sbuf_puts(&piece, c_signed(g, from)); break;
        case 'm': sbuf_puts(&piece, ir_kind(t) == IR_I1 ? " & 1" : ""); break;
        case 'Y': sbuf_printf(&piece, "%u", ir_bits(t) * ir_lanes(t)); break;
        case 'X':
            sbuf_printf(&piece, "v%u%s", ir_lanes(t), ir_kind(t) == IR_F32 ? "sf" : "df");
            break;
        case 'Z':
            sbuf_printf(&piece, "%s%s", ir_kind(t) == IR_F32 ? "ps" : "pd",
                        ir_bits(t) * ir_lanes(t) == 256 ? "256" : "");
            break;
        case 's': /* $s(x) */
            if (ir_kind(t) == IR_I1)
                sbuf_printf(&piece, "((i8)(%c << 7) >> 7)", s[2]);
            else
                sbuf_printf(&piece, "(%s)%c", c_signed(g, t), s[2]);
            s += 3;
            break;
        default: break;
        }
    }
    sbuf_put(o, piece.data, piece.len);
    sbuf_putc(o, '\n');
}

const char *c_define(struct cgen *g, const char *name, ir_type to, ir_type from, const char *text)
{
    char a[16], b[16];
    suffix(to, a), suffix(from, b);
    const char *full = intern_z(g->names, to == from ? c_print(g, "%s_%s", name, a)
                                                     : c_print(g, "%s_%s_%s", name, a, b));
    if (!map_has(&g->defined, map_key(full))) {
        map_set(&g->defined, map_key(full), g);
        expand(g, text, full, "", to, from);
    }
    return full;
}

static void need(struct cgen *g, const char *needs, ir_type t)
{
    char word[32];
    while (needs && *needs) {
        const size_t len = strcspn(needs, " :");
        snprintf(word, sizeof word, "%.*s", (int)len, needs);
        needs += len;
        ir_type u = t;
        if (*needs == ':') {
            u = !strncmp(needs, ":f32", 4) ? IR_F32 : !strncmp(needs, ":f64", 4) ? IR_F64 : IR_I64;
            needs += strcspn(needs, " ");
        }
        needs += strspn(needs, " ");
        if (!strcmp(word, "libm"))
            g->uses_libm = true;
        else
            c_helper(g, word, u);
    }
}

/* The helper for vectors that calls the scalar one for each lane. */
const char *c_lane_loop(struct cgen *g, const char *name, ir_type to, ir_type from, unsigned arity,
                        const char *scalar)
{
    static const char *const params[] = {"", "$F a", "$F a, $F b", "$F a, $F b, $F c"};
    static const char *const args[] = {"", "a[i]", "a[i], b[i]", "a[i], b[i], c[i]"};
    return c_define(g, name, to, from,
                    c_print(g,
                            "INLINE $T $n(%s)\n{\n    $T r = {0};\n"
                            "    for (int i = 0; i < $L; i++)\n"
                            "        r[i] = %s(%s);\n    return r;\n}\n",
                            params[arity], scalar, args[arity]));
}

const char *c_helper(struct cgen *g, const char *name, ir_type t)
{
    char suf[16];
    suffix(t, suf);
    const char *full = intern_z(g->names, c_print(g, "%s_%s", name, suf));
    if (map_has(&g->defined, map_key(full)))
        return full;
    const struct row *found = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !found; k++)
        if (rows[k].when && matches(&rows[k], name, suf, t))
            found = &rows[k];
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !found; k++)
        if (!rows[k].when && matches(&rows[k], name, suf, t))
            found = &rows[k];
    const char *base = "";
    if (ir_is_vector(t) && (!found || strstr(found->text, "$b"))) {
        base = c_helper(g, name, ir_scalar(t));
        if (!base)
            return NULL;
    }
    if (found) {
        map_set(&g->defined, map_key(full), g);
        need(g, found->needs, t);
        expand(g, found->text, full, base, t, t);
        return full;
    }
    if (!ir_is_vector(t))
        return NULL;
    unsigned arity = 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, name))
            arity = rows[k].arity;
    return c_lane_loop(g, name, t, t, arity, base);
}

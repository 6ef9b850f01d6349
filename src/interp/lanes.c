/* Elementwise operations, 32 lanes at a time: one loop for each op and type, instantiated from
 * ops.def and left to the compiler to vectorise. Since every such op is total, a partly active
 * group computes all lanes and blends. Directed rounding, ftz and rare conversions go lane by lane
 * through m_eval. */
#include "interp/interp_int.h"

#define PASTE_(a, b)    a##b
#define PASTE(a, b)     PASTE_(a, b)
#define LANE_NAME(name) PASTE(name##_lanes_, SUFFIX)
#define LANE_KERNEL(name)                                                                          \
    static void LANE_NAME(name)(void *restrict d_, const void *a_, const void *b_, const void *c_, \
                                const struct op *o)

#define INSTANCE "interp/lanes_int.inc"
#include "ir/each_int.def"
#define INSTANCE "interp/lanes_float.inc"
#include "ir/each_float.def"

static kernel_fn *const *const kernels[IR_KIND_COUNT] = {
    [IR_I1] = kernels_i1,   [IR_I8] = kernels_i8,   [IR_I16] = kernels_i16,
    [IR_I32] = kernels_i32, [IR_I64] = kernels_i64, [IR_F16] = kernels_f16,
    [IR_F32] = kernels_f32, [IR_F64] = kernels_f64, [IR_BF16] = kernels_bf16,
    [IR_PTR] = kernels_i64,
};

/* Any op of shapes I*, F*, C*, with any flags. */
static void eval_lanes(void *restrict d, const void *a, const void *b, const void *c,
                       const struct op *o)
{
    const struct detail *x = o->x;
    const uint32_t size = x->nargs ? storage_bytes(x->arg_types[0]) : 1;
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t args[3] = {lane_bits(a, size, i), 0, 0}, out = 0;
        if (x->nargs > 1)
            args[1] = lane_bits(b, size, i);
        if (x->nargs > 2)
            args[2] = lane_bits(c, size, i);
        m_eval((enum ir_op)o->ir_op, o->type, x->source, x->flags, args, &out);
        set_lane(d, o->size, i, out);
    }
}

/* ---- conversions with loops of their own ---- */
#define CONVERT(name, T, from, expression)                                                         \
    static void name(void *restrict d_, const void *a_, const void *b_, const void *c_,            \
                     const struct op *o)                                                           \
    {                                                                                              \
        T *restrict d = d_;                                                                        \
        const from *x = a_;                                                                        \
        (void)b_, (void)c_, (void)o;                                                               \
        for (int i = 0; i < LANES; i++) {                                                          \
            const from a = x[i];                                                                   \
            d[i] = (T)(expression);                                                                \
        }                                                                                          \
    }
#define TO_INT(a, nan, least, past, T)                                                             \
    ((a) != (a) ? (nan) : (a) < (least) ? (T)(least) : (a) >= (past) ? (T) ~(T)(least) : (T)(a))
#define TO_UINT(a, nan, past, T)                                                                   \
    ((a) != (a) ? (nan) : !((a) > 0) ? 0 : (a) >= (past) ? (T) ~(T)0 : (T)(a))

CONVERT(u8_u16, uint16_t, uint8_t, a)
CONVERT(u8_u32, uint32_t, uint8_t, a)
CONVERT(u8_u64, uint64_t, uint8_t, a)
CONVERT(u16_u8, uint8_t, uint16_t, a)
CONVERT(u16_u32, uint32_t, uint16_t, a)
CONVERT(u16_u64, uint64_t, uint16_t, a)
CONVERT(u32_u8, uint8_t, uint32_t, a)
CONVERT(u32_u16, uint16_t, uint32_t, a)
CONVERT(u32_u64, uint64_t, uint32_t, a)
CONVERT(u64_u8, uint8_t, uint64_t, a)
CONVERT(u64_u16, uint16_t, uint64_t, a)
CONVERT(u64_u32, uint32_t, uint64_t, a)
CONVERT(i8_i16, int16_t, int8_t, a)
CONVERT(i8_i32, int32_t, int8_t, a)
CONVERT(i8_i64, int64_t, int8_t, a)
CONVERT(i16_i32, int32_t, int16_t, a)
CONVERT(i16_i64, int64_t, int16_t, a)
CONVERT(i32_i64, int64_t, int32_t, a)
CONVERT(i32_f32, float, int32_t, a)
CONVERT(u32_f32, float, uint32_t, a)
CONVERT(i64_f32, float, int64_t, a)
CONVERT(u64_f32, float, uint64_t, a)
CONVERT(i32_f64, double, int32_t, a)
CONVERT(u32_f64, double, uint32_t, a)
CONVERT(i64_f64, double, int64_t, a)
CONVERT(u64_f64, double, uint64_t, a)
CONVERT(f32_f64, double, float, a)
CONVERT(f64_f32, float, double, a)
CONVERT(f16_f32, float, uint16_t, m_from_f16(a))
CONVERT(f32_f16, uint16_t, float, m_to_f16(a))
CONVERT(bf16_f32, float, uint16_t, m_from_bf16(a))
CONVERT(f32_bf16, uint16_t, float, m_to_bf16(a))
CONVERT(f32_i32, int32_t, float, TO_INT(a, 0, -0x1p31f, 0x1p31f, int32_t))
CONVERT(f64_i32, int32_t, double, TO_INT(a, INT32_MIN, -0x1p31, 0x1p31, int32_t))
CONVERT(f32_i64, int64_t, float, TO_INT(a, INT64_MIN, -0x1p63f, 0x1p63f, int64_t))
CONVERT(f64_i64, int64_t, double, TO_INT(a, INT64_MIN, -0x1p63, 0x1p63, int64_t))
CONVERT(f32_u32, uint32_t, float, TO_UINT(a, 0, 0x1p32f, uint32_t))
CONVERT(f64_u32, uint32_t, double, TO_UINT(a, UINT32_C(1) << 31, 0x1p32, uint32_t))
CONVERT(f32_u64, uint64_t, float, TO_UINT(a, UINT64_C(1) << 63, 0x1p64f, uint64_t))
CONVERT(f64_u64, uint64_t, double, TO_UINT(a, UINT64_C(1) << 63, 0x1p64, uint64_t))
CONVERT(move8, uint8_t, uint8_t, a)
CONVERT(move16, uint16_t, uint16_t, a)
CONVERT(move32, uint32_t, uint32_t, a)
CONVERT(move64, uint64_t, uint64_t, a)

/* mode: the rounding for which the loop is right; -1: any (the conversion is exact). */
static const struct conversion {
    uint16_t op;
    uint8_t to, from;
    int8_t mode;
    kernel_fn *kernel;
} conversions[] = {
    {IR_OP_zext, IR_I8, IR_I1, -1, move8},       {IR_OP_zext, IR_I16, IR_I1, -1, u8_u16},
    {IR_OP_zext, IR_I32, IR_I1, -1, u8_u32},     {IR_OP_zext, IR_I64, IR_I1, -1, u8_u64},
    {IR_OP_zext, IR_I16, IR_I8, -1, u8_u16},     {IR_OP_zext, IR_I32, IR_I8, -1, u8_u32},
    {IR_OP_zext, IR_I64, IR_I8, -1, u8_u64},     {IR_OP_zext, IR_I32, IR_I16, -1, u16_u32},
    {IR_OP_zext, IR_I64, IR_I16, -1, u16_u64},   {IR_OP_zext, IR_I64, IR_I32, -1, u32_u64},
    {IR_OP_sext, IR_I16, IR_I8, -1, i8_i16},     {IR_OP_sext, IR_I32, IR_I8, -1, i8_i32},
    {IR_OP_sext, IR_I64, IR_I8, -1, i8_i64},     {IR_OP_sext, IR_I32, IR_I16, -1, i16_i32},
    {IR_OP_sext, IR_I64, IR_I16, -1, i16_i64},   {IR_OP_sext, IR_I64, IR_I32, -1, i32_i64},
    {IR_OP_trunc, IR_I8, IR_I16, -1, u16_u8},    {IR_OP_trunc, IR_I8, IR_I32, -1, u32_u8},
    {IR_OP_trunc, IR_I16, IR_I32, -1, u32_u16},  {IR_OP_trunc, IR_I8, IR_I64, -1, u64_u8},
    {IR_OP_trunc, IR_I16, IR_I64, -1, u64_u16},  {IR_OP_trunc, IR_I32, IR_I64, -1, u64_u32},
    {IR_OP_sitof, IR_F32, IR_I32, 0, i32_f32},   {IR_OP_uitof, IR_F32, IR_I32, 0, u32_f32},
    {IR_OP_sitof, IR_F32, IR_I64, 0, i64_f32},   {IR_OP_uitof, IR_F32, IR_I64, 0, u64_f32},
    {IR_OP_sitof, IR_F64, IR_I32, -1, i32_f64},  {IR_OP_uitof, IR_F64, IR_I32, -1, u32_f64},
    {IR_OP_sitof, IR_F64, IR_I64, 0, i64_f64},   {IR_OP_uitof, IR_F64, IR_I64, 0, u64_f64},
    {IR_OP_fcvt, IR_F64, IR_F32, -1, f32_f64},   {IR_OP_fcvt, IR_F32, IR_F64, 0, f64_f32},
    {IR_OP_fcvt, IR_F32, IR_F16, -1, f16_f32},   {IR_OP_fcvt, IR_F16, IR_F32, 0, f32_f16},
    {IR_OP_fcvt, IR_F32, IR_BF16, -1, bf16_f32}, {IR_OP_fcvt, IR_BF16, IR_F32, 0, f32_bf16},
    {IR_OP_ftosi, IR_I32, IR_F32, 1, f32_i32},   {IR_OP_ftosi, IR_I32, IR_F64, 1, f64_i32},
    {IR_OP_ftosi, IR_I64, IR_F32, 1, f32_i64},   {IR_OP_ftosi, IR_I64, IR_F64, 1, f64_i64},
    {IR_OP_ftoui, IR_I32, IR_F32, 1, f32_u32},   {IR_OP_ftoui, IR_I32, IR_F64, 1, f64_u32},
    {IR_OP_ftoui, IR_I64, IR_F32, 1, f32_u64},   {IR_OP_ftoui, IR_I64, IR_F64, 1, f64_u64},
};

kernel_fn *interp_move_kernel(uint32_t size)
{
    return size == 1 ? move8 : size == 2 ? move16 : size == 4 ? move32 : move64;
}

/* ---- choice ---- */
#define SELECT(name, T)                                                                            \
    static void name(void *restrict d_, const void *a_, const void *b_, const void *c_,            \
                     const struct op *o)                                                           \
    {                                                                                              \
        T *restrict d = d_;                                                                        \
        const uint8_t *p = a_;                                                                     \
        const T *x = b_, *y = c_;                                                                  \
        (void)o;                                                                                   \
        for (int i = 0; i < LANES; i++)                                                            \
            d[i] = p[i] ? x[i] : y[i];                                                             \
    }
SELECT(select8, uint8_t)
SELECT(select16, uint16_t)
SELECT(select32, uint32_t)
SELECT(select64, uint64_t)

static kernel_fn *select_kernel(uint32_t size)
{
    return size == 1 ? select8 : size == 2 ? select16 : size == 4 ? select32 : select64;
}

kernel_fn *interp_lane_kernel(enum ir_op op, ir_type type, ir_type source, uint32_t flags)
{
    const struct ir_op_info *info = &ir_op_info[op];
    const enum ir_kind kind = ir_kind(type), from = ir_kind(source);
    const unsigned mode = info->flags & IR_ROUNDS ? flags & IR_ROUND_MASK : 0;
    const bool flushes = flags & IR_FTZ && info->flags & IR_FLUSHES;
    switch (op) {
    case IR_OP_select: return select_kernel(storage_bytes(type));
    case IR_OP_ptradd: return kernels_i64[IR_OP_add];
    case IR_OP_bitcast:
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr: return interp_move_kernel(storage_bytes(type));
    default: break;
    }
    if (info->shape == IR_SHAPE_XX)
        return NULL;
    if (info->shape == IR_SHAPE_CV) {
        for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
            const struct conversion *c = &conversions[i];
            if (c->op == op && c->to == kind && c->from == from && !flushes &&
                (c->mode < 0 || c->mode == (int)mode))
                return c->kernel;
        }
        return eval_lanes;
    }
    if (mode || (flushes && kind == IR_F32))
        return eval_lanes;
    return kernels[kind] ? kernels[kind][op] : NULL;
}

void interp_blend(void *d, const void *s, uint32_t mask, uint32_t size)
{
    switch (size) {
    case 1:
        EACH_LANE (i, mask)
            ((uint8_t *)d)[i] = ((const uint8_t *)s)[i];
        break;
    case 2:
        EACH_LANE (i, mask)
            ((uint16_t *)d)[i] = ((const uint16_t *)s)[i];
        break;
    case 4:
        EACH_LANE (i, mask)
            ((uint32_t *)d)[i] = ((const uint32_t *)s)[i];
        break;
    default:
        EACH_LANE (i, mask)
            ((uint64_t *)d)[i] = ((const uint64_t *)s)[i];
        break;
    }
}

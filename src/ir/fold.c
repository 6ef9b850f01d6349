/* The meaning of one scalar operation on bits: ops.def and rmw.def, instantiated for each type.
 * Constant folding uses it, and the interpreter for every combination of type and flags that has
 * no faster loop of its own. */
#include "ir/meaning.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

#define INSTANCE "ir/fold_int.inc"
#include "ir/each_int.def"
#define INSTANCE "ir/fold_float.inc"
#include "ir/each_float.def"

typedef bool eval_fn(enum ir_op op, const uint64_t *x, uint64_t *out);
static eval_fn *const eval_kind[IR_KIND_COUNT] = {
    [IR_I1] = eval_i1,   [IR_I8] = eval_i8,   [IR_I16] = eval_i16,   [IR_I32] = eval_i32,
    [IR_I64] = eval_i64, [IR_F16] = eval_f16, [IR_BF16] = eval_bf16, [IR_F32] = eval_f32,
    [IR_F64] = eval_f64, [IR_PTR] = eval_i64,
};

/* ---- conversions ---- */
static bool is_float(enum ir_kind k)
{
    return k == IR_F16 || k == IR_BF16 || k == IR_F32 || k == IR_F64;
}
static uint64_t low_bits(uint64_t x, unsigned n)
{
    return n >= 64 ? x : x & ((UINT64_C(1) << n) - 1);
}
static int64_t sign_extend(uint64_t x, unsigned n)
{
    return (int64_t)(x << (64 - n)) >> (64 - n);
}
static uint64_t flush_bits(enum ir_kind k, uint32_t flags, uint64_t bits)
{
    return k == IR_F32 && flags & IR_FTZ ? m_bits32(m_flush(m_float((uint32_t)bits))) : bits;
}

/* The conversion `op` (shape CV) of one lane, of kinds to and from, under an instruction's flags.
 * False: not a conversion between such kinds. */
static bool convert(enum ir_op op, enum ir_kind to, enum ir_kind from, uint32_t flags,
                    uint64_t bits, uint64_t *out)
{
    const unsigned nto = ir_bits((ir_type)to), nfrom = ir_bits((ir_type)from);
    const unsigned mode = flags & IR_ROUND_MASK;
    switch (op) {
    case IR_OP_trunc:
    case IR_OP_zext:
    case IR_OP_bitcast:
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr: *out = low_bits(bits, nto); return true;
    case IR_OP_sext: *out = low_bits((uint64_t)sign_extend(bits, nfrom), nto); return true;
    case IR_OP_fcvt:
        if (!is_float(to) || !is_float(from))
            return false;
        *out = flush_bits(to, flags, m_soft_convert(to, from, mode, flush_bits(from, flags, bits)));
        return true;
    case IR_OP_ftosi:
    case IR_OP_ftoui:
        if (!is_float(from))
            return false;
        *out = m_soft_to_int(from, mode, flush_bits(from, flags, bits), nto, op == IR_OP_ftosi);
        return true;
    case IR_OP_sitof: {
        const int64_t v = sign_extend(bits, nfrom);
        *out = m_soft_from_int(to, mode, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
        return is_float(to);
    }
    case IR_OP_uitof: *out = m_soft_from_int(to, mode, false, bits); return is_float(to);
    default: return false;
    }
}

/* ---- the door ---- */
static bool eval_directed(enum ir_op op, enum ir_kind kind, unsigned mode, const uint64_t *x,
                          uint64_t *out)
{
    switch (op) {
    case IR_OP_fadd: *out = m_soft(M_SOFT_ADD, kind, mode, x[0], x[1], 0); return true;
    case IR_OP_fsub: *out = m_soft(M_SOFT_SUB, kind, mode, x[0], x[1], 0); return true;
    case IR_OP_fmul: *out = m_soft(M_SOFT_MUL, kind, mode, x[0], x[1], 0); return true;
    case IR_OP_fdiv: *out = m_soft(M_SOFT_DIV, kind, mode, x[0], x[1], 0); return true;
    case IR_OP_fma: *out = m_soft(M_SOFT_FMA, kind, mode, x[0], x[1], x[2]); return true;
    case IR_OP_fsqrt: *out = m_soft(M_SOFT_SQRT, kind, mode, x[0], 0, 0); return true;
    default: return false;
    }
}

static const uint8_t operands_of_shape[] = {
    [IR_SHAPE_I1] = 1, [IR_SHAPE_I2] = 2, [IR_SHAPE_I3] = 3, [IR_SHAPE_IC] = 2, [IR_SHAPE_F1] = 1,
    [IR_SHAPE_F2] = 2, [IR_SHAPE_F3] = 3, [IR_SHAPE_FC] = 2, [IR_SHAPE_CV] = 1, [IR_SHAPE_XX] = 0,
};

static bool eval(enum ir_op op, ir_type type, ir_type source, uint32_t flags, const uint64_t *args,
                 uint64_t *out)
{
    const struct ir_op_info *info = &ir_op_info[op];
    const enum ir_kind kind = ir_kind(type);
    if (info->shape == IR_SHAPE_CV)
        return convert(op, kind, ir_kind(source), flags, args[0], out);
    if (info->shape == IR_SHAPE_XX || !eval_kind[kind])
        return false;
    uint64_t x[3] = {0, 0, 0};
    const bool flushes = flags & IR_FTZ && info->flags & IR_FLUSHES && kind == IR_F32;
    for (unsigned i = 0; i < operands_of_shape[info->shape]; i++)
        x[i] = flushes ? flush_bits(kind, flags, args[i]) : args[i];
    const unsigned mode = info->flags & IR_ROUNDS ? flags & IR_ROUND_MASK : IR_RN;
    if (mode != IR_RN ? !eval_directed(op, kind, mode, x, out) : !eval_kind[kind](op, x, out))
        return false;
    if (flushes && info->shape != IR_SHAPE_FC)
        *out = flush_bits(kind, flags, *out);
    return true;
}

bool ir_eval(enum ir_op op, ir_type type, ir_type source, uint32_t flags, const uint64_t *args,
             uint64_t *out)
{
    switch (op) {
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast:
    case IR_OP_fsin_fast:
    case IR_OP_fcos_fast:
    case IR_OP_fexp2_fast:
    case IR_OP_flog2_fast:
    case IR_OP_ftanh_fast: return false; /* each device's own */
    default: return eval(op, type, source, flags, args, out);
    }
}

bool m_eval(enum ir_op op, ir_type type, ir_type source, uint32_t flags, const uint64_t *args,
            uint64_t *out)
{
    return eval(op, type, source, flags, args, out);
}

uint64_t ir_eval_rmw(enum ir_rmw kind, ir_type type, uint64_t old, uint64_t operand)
{
    typedef uint64_t rmw_fn(enum ir_rmw, uint64_t, uint64_t);
    static rmw_fn *const by_kind[IR_KIND_COUNT] = {
        [IR_I1] = rmw_i1,   [IR_I8] = rmw_i8,   [IR_I16] = rmw_i16,   [IR_I32] = rmw_i32,
        [IR_I64] = rmw_i64, [IR_F16] = rmw_f16, [IR_BF16] = rmw_bf16, [IR_F32] = rmw_f32,
        [IR_F64] = rmw_f64, [IR_PTR] = rmw_i64,
    };
    rmw_fn *const fn = by_kind[ir_kind(type)];
    return fn ? fn(kind, old, operand) : operand;
}

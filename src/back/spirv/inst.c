/* One IR instruction → SPIR-V. Arithmetic here, memory and execution in memory.c.
 *
 * SPIR-V leaves open what ops.def fixes: shifts by the width or more, division by zero, conversions
 * out of range, which zero a minimum gives. Each such case is spelled out with a select; where an
 * operand is a constant that cannot hit the case, it is left out. */
#include <stdarg.h>
#include <string.h>
#include "back/spirv/spirv_int.h"

void spv_refuse(struct spv_kernel *k, struct ir_inst *i, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *why = arena_vprintf(k->s->arena, fmt, ap);
    va_end(ap);
    diag_error(k->s->diag, i->span, "spirv: '%s' in kernel '%s': %s", ir_op_info[i->op].name,
               k->func->name, why);
    k->ok = false;
}

spv_id spv_value(struct spv_kernel *k, struct ir_value *v)
{
    struct spv_module *s = k->s;
    switch (v->kind) {
    case IR_VALUE_CONST: return spv_const(s, v->type, v->u.bits);
    case IR_VALUE_GLOBAL: {
        struct ir_global *g = v->u.global;
        if (g->space == IR_SPACE_SHARED)
            return spv_u32(s, (uint32_t)(uintptr_t)map_get(&k->shared_offset, map_key(g)));
        uint64_t offset = (uint64_t)(uintptr_t)map_get(&k->global_offset, map_key(g)) - 1;
        return spv_wide_add_k(k, spv_push_load(k, PUSH_GLOBALS), offset);
    }
    case IR_VALUE_FUNC: return spv_const(s, IR_I64, lower_func_number(v->u.func));
    default:
        if (spv_in_sum(k, v))
            return spv_sum_part(k, v);
        if (k->variable_ids[v->id])
            return OP(s, SpvLoad, spv_type(s, v->type), k->variable_ids[v->id]);
        return k->value_ids[v->id];
    }
}

void spv_set_value(struct spv_kernel *k, struct ir_value *v, spv_id id)
{
    if (spv_in_sum(k, v))
        spv_set_sum_part(k, v, id);
    else if (k->variable_ids[v->id])
        SPV(k->s, code, SpvStore, k->variable_ids[v->id], id);
    else
        k->value_ids[v->id] = id;
}

/* ---- small words for the common cases ---- */

static spv_id bool_type(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I1);
}

static spv_id choose(struct spv_kernel *k, ir_type t, spv_id c, spv_id a, spv_id b)
{
    return OP(k->s, SpvSelect, spv_type(k->s, t), c, a, b);
}

static ir_type int_of(ir_type t)
{
    unsigned bits = ir_bits(t);
    return bits == 64 ? IR_I64 : bits == 32 ? IR_I32 : bits == 16 ? IR_I16 : IR_I8;
}

static spv_id cast(struct spv_kernel *k, ir_type t, spv_id x)
{
    return OP(k->s, SpvBitcast, spv_type(k->s, t), x);
}

static spv_id compare(struct spv_kernel *k, enum spv_op op, spv_id a, spv_id b)
{
    return OP(k->s, op, bool_type(k), a, b);
}

/* ---- integers ---- */

/* On i1 every operation is a truth table. */
static spv_id truth_table(struct spv_kernel *k, struct ir_inst *i, const spv_id *x, uint32_t n,
                          uint64_t fixed[3])
{
    if (!n) {
        uint64_t out = 0;
        ir_eval((enum ir_op)i->op, IR_I1, IR_I1, 0, fixed, &out);
        return spv_const(k->s, IR_I1, out & 1);
    }
    fixed[n - 1] = 1;
    spv_id yes = truth_table(k, i, x, n - 1, fixed);
    fixed[n - 1] = 0;
    spv_id no = truth_table(k, i, x, n - 1, fixed);
    return choose(k, IR_I1, x[n - 1], yes, no);
}

static spv_id shift(struct spv_kernel *k, struct ir_inst *i, enum spv_op op, const spv_id *x)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, i->type);
    unsigned n = ir_bits(i->type);
    struct ir_value *count = i->args[1];
    if (ir_is_const(count) && count->u.bits < n)
        return OP(s, op, type, x[0], x[1]);
    spv_id in = compare(k, SpvULessThan, x[1], spv_const(s, i->type, n));
    spv_id by = choose(k, i->type, in, x[1], spv_const(s, i->type, n - 1));
    spv_id r = OP(s, op, type, x[0], by);
    return op == SpvShiftRightArithmetic ? r : choose(k, i->type, in, r, spv_const(s, i->type, 0));
}

/* Remainders of signed numbers are made of quotients: Vulkan leaves OpSRem of negative ones open.
 */
static spv_id quotient_or_rest(struct spv_kernel *k, struct ir_inst *i, spv_id x, spv_id y)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, i->type);
    switch (i->op) {
    case IR_OP_udiv: return OP(s, SpvUDiv, type, x, y);
    case IR_OP_urem: return OP(s, SpvUMod, type, x, y);
    case IR_OP_sdiv: return OP(s, SpvSDiv, type, x, y);
    default: return OP(s, SpvISub, type, x, OP(s, SpvIMul, type, OP(s, SpvSDiv, type, x, y), y));
    }
}

/* A zero that compilers cannot know: a grid has less than 2^31 blocks in x. */
static spv_id veiled_zero(struct spv_kernel *k)
{
    return OP(k->s, SpvShiftRightLogical, spv_type(k->s, IR_I32), spv_push_load(k, PUSH_GRID_X),
              spv_u32(k->s, 31));
}

/* The same number, f16 or i64, of which they know nothing. */
static spv_id veil(struct spv_kernel *k, ir_type t, spv_id x)
{
    const ir_type bits = int_of(t);
    spv_id zero = veiled_zero(k);
    if (bits == IR_I64)
        zero = spv_wide(k, zero, 0);
    else
        zero = OP(k->s, SpvUConvert, spv_type(k->s, bits), zero);
    x = OP(k->s, SpvBitwiseXor, spv_type(k->s, bits), t == bits ? x : cast(k, bits, x), zero);
    return t == bits ? x : cast(k, t, x);
}

/* A float that is a zero of either sign. */
static spv_id veiled_float(struct spv_kernel *k, ir_type t, bool minus)
{
    struct spv_module *s = k->s;
    spv_id bits = veiled_zero(k), word = spv_type(s, IR_I32);
    if (ir_kind(t) == IR_F16)
        return cast(k, t,
                    spv_small_cut(
                        k, t, minus ? OP(s, SpvBitwiseOr, word, bits, spv_u32(s, 0x8000)) : bits));
    spv_id top = minus ? OP(s, SpvBitwiseOr, word, bits, spv_u32(s, 0x80000000)) : bits;
    return cast(k, t, ir_kind(t) == IR_F64 ? spv_wide(k, bits, top) : top);
}

/* f16 or bf16 → f32. A driver may forget that an f32 was rounded to f16 before. */
static spv_id single_of(struct spv_kernel *k, const struct ir_value *v, spv_id x)
{
    const struct spirv_features *have = k->s->features;
    const bool was_rounded = v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_fcvt;
    if (was_rounded && ir_kind(v->type) == IR_F16 && have->f16 && have->i16 && !have->half_trips)
        x = veil(k, IR_F16, x);
    return spv_small_widen(k, v->type, x);
}

static spv_id divide(struct spv_kernel *k, struct ir_inst *i, const spv_id *x)
{
    struct spv_module *s = k->s;
    ir_type t = i->type;
    bool is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem,
         quotient = i->op == IR_OP_udiv || i->op == IR_OP_sdiv;
    uint64_t ones = UINT64_MAX >> (64 - ir_bits(t));
    if (ir_is_const(i->args[1]) && i->args[1]->u.bits && i->args[1]->u.bits != ones) {
        spv_id r = quotient_or_rest(k, i, x[0], x[1]);
        return quotient || t != IR_I64 || s->features->sound_ranges ? r : veil(k, t, r);
    }
    spv_id zero = compare(k, SpvIEqual, x[1], spv_const(s, t, 0)), guard = zero, minus = 0;
    if (is_signed) {
        minus = compare(k, SpvIEqual, x[1], spv_const(s, t, ones));
        guard = OP(s, SpvLogicalOr, bool_type(k), zero, minus);
    }
    spv_id safe = choose(k, t, guard, spv_const(s, t, 1), x[1]);
    spv_id r = quotient_or_rest(k, i, x[0], safe);
    if (is_signed && quotient) /* x / -1 wraps */
        r = choose(k, t, minus, OP(s, SpvSNegate, spv_type(s, t), x[0]), r);
    return choose(k, t, zero, quotient ? spv_const(s, t, ones) : x[0], r);
}

static spv_id emit_int(struct spv_kernel *k, struct ir_inst *i, const spv_id *x);

static bool reads_sign(enum ir_op op, uint32_t arg)
{
    switch (op) {
    case IR_OP_ashr: return arg == 0;
    case IR_OP_sdiv:
    case IR_OP_srem:
    case IR_OP_smin:
    case IR_OP_smax:
    case IR_OP_slt:
    case IR_OP_sle: return true;
    default: return false;
    }
}

static spv_id count_leading(struct spv_kernel *k, spv_id x) /* FindUMsb gives -1 for 0 */
{
    spv_id word = spv_type(k->s, IR_I32);
    return OP(k->s, SpvISub, word, spv_u32(k->s, 31), spv_glsl(k->s, GlslFindUMsb, word, x, 0, 0));
}

/* In a word, with the same result in its low bits. */
static spv_id emit_small_int(struct spv_kernel *k, struct ir_inst *i, const spv_id *x)
{
    const ir_type t = i->type;
    struct ir_inst as_word = *i;
    as_word.type = IR_I32;
    spv_id wide[3] = {0};
    for (uint32_t n = 0; n < i->nargs && n < 3; n++)
        wide[n] = reads_sign((enum ir_op)i->op, n) ? spv_small_sign(k, t, x[n]) : x[n];
    return spv_small_cut(k, t, emit_int(k, &as_word, wide));
}

static spv_id emit_int(struct spv_kernel *k, struct ir_inst *i, const spv_id *x)
{
    static const uint16_t plain[IR_OP_COUNT] = {
        [IR_OP_add] = SpvIAdd,        [IR_OP_sub] = SpvISub,     [IR_OP_mul] = SpvIMul,
        [IR_OP_and] = SpvBitwiseAnd,  [IR_OP_or] = SpvBitwiseOr, [IR_OP_xor] = SpvBitwiseXor,
        [IR_OP_not] = SpvNot,         [IR_OP_neg] = SpvSNegate,  [IR_OP_popc] = SpvBitCount,
        [IR_OP_brev] = SpvBitReverse,
    };
    static const uint16_t less[IR_OP_COUNT] = {[IR_OP_umin] = SpvULessThan,
                                               [IR_OP_umax] = SpvULessThan,
                                               [IR_OP_smin] = SpvSLessThan,
                                               [IR_OP_smax] = SpvSLessThan};
    struct spv_module *s = k->s;
    if (ir_kind(i->type) == IR_I1) {
        static const uint16_t logic[IR_OP_COUNT] = {[IR_OP_and] = SpvLogicalAnd,
                                                    [IR_OP_or] = SpvLogicalOr,
                                                    [IR_OP_xor] = SpvLogicalNotEqual,
                                                    [IR_OP_not] = SpvLogicalNot};
        if (logic[i->op])
            return spv_op(s, (enum spv_op)logic[i->op], bool_type(k), x, i->nargs);
        return truth_table(k, i, x, i->nargs, (uint64_t[3]){0});
    }
    if (spv_in_word(s, i->type))
        return emit_small_int(k, i, x);
    if (spv_is_pair(s, i->type)) {
        spv_id r = spv_pair_op(k, i, x);
        if (!r)
            spv_refuse(k, i, "of 64 bits, without shaderInt64");
        return r;
    }
    if (plain[i->op])
        return spv_op(s, (enum spv_op)plain[i->op], spv_type(s, i->type), x, i->nargs);
    if (less[i->op]) {
        bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
        spv_id c = compare(k, (enum spv_op)less[i->op], x[0], x[1]);
        return choose(k, i->type, c, x[max], x[!max]);
    }
    switch (i->op) {
    case IR_OP_shl: return shift(k, i, SpvShiftLeftLogical, x);
    case IR_OP_lshr: return shift(k, i, SpvShiftRightLogical, x);
    case IR_OP_ashr: return shift(k, i, SpvShiftRightArithmetic, x);
    case IR_OP_clz: return count_leading(k, x[0]);
    default: return divide(k, i, x);
    }
}

static spv_id emit_int_compare(struct spv_kernel *k, struct ir_inst *i, const spv_id *x)
{
    static const uint16_t ops[IR_OP_COUNT] = {
        [IR_OP_eq] = SpvIEqual,     [IR_OP_ne] = SpvINotEqual,
        [IR_OP_ult] = SpvULessThan, [IR_OP_ule] = SpvULessThanEqual,
        [IR_OP_slt] = SpvSLessThan, [IR_OP_sle] = SpvSLessThanEqual};
    spv_id y[2] = {x[0], x[1]};
    if (ir_kind(i->type) == IR_I1)
        return truth_table(k, i, x, 2, (uint64_t[3]){0});
    if (spv_is_pair(k->s, i->type))
        return spv_pair_compare(k, (enum ir_op)i->op, x[0], x[1]);
    for (uint32_t n = 0; n < 2; n++)
        if (spv_in_word(k->s, i->type) && reads_sign((enum ir_op)i->op, n))
            y[n] = spv_small_sign(k, i->type, x[n]);
    return compare(k, (enum spv_op)ops[i->op], y[0], y[1]);
}

/* ---- floats ---- */

static spv_id exact(struct spv_kernel *k, spv_id id)
{
    SPV(k->s, decorations, SpvDecorate, id, DecorNoContraction);
    return id;
}

static spv_id float_min_max(struct spv_kernel *k, ir_type t, bool max, const spv_id *x)
{
    struct spv_module *s = k->s;
    ir_type bits = int_of(t);
    spv_id r = choose(k, t, compare(k, SpvFOrdLessThan, x[0], x[1]), x[max], x[!max]);
    /* Equal ones differ at most in the sign of zero. */
    spv_id merged = OP(s, max ? SpvBitwiseAnd : SpvBitwiseOr, spv_type(s, bits),
                       cast(k, bits, x[0]), cast(k, bits, x[1]));
    r = choose(k, t, compare(k, SpvFOrdEqual, x[0], x[1]), cast(k, t, merged), r);
    r = choose(k, t, OP(s, SpvIsNan, bool_type(k), x[0]), x[1], r);
    return choose(k, t, OP(s, SpvIsNan, bool_type(k), x[1]), x[0], r);
}

/* Sign manipulation by bits, since arithmetic may replace a NaN. */
static spv_id sign_bits(struct spv_kernel *k, struct ir_inst *i, const spv_id *x)
{
    struct spv_module *s = k->s;
    ir_type bits = int_of(i->type);
    spv_id type = spv_type(s, bits);
    uint64_t sign = UINT64_C(1) << (ir_bits(bits) - 1);
    bool native = spv_type(s, i->type) != type;
    spv_id a = native ? cast(k, bits, x[0]) : x[0], r;
    if (i->op == IR_OP_fneg) {
        r = OP(s, SpvBitwiseXor, type, a, spv_const(s, bits, sign));
    } else {
        r = OP(s, SpvBitwiseAnd, type, a, spv_const(s, bits, sign - 1));
        if (i->op == IR_OP_fcopysign) {
            spv_id b = native ? cast(k, bits, x[1]) : x[1];
            r = OP(s, SpvBitwiseOr, type, r,
                   OP(s, SpvBitwiseAnd, type, b, spv_const(s, bits, sign)));
        }
    }
    return native ? cast(k, i->type, r) : r;
}

static spv_id flush(struct spv_kernel *k, spv_id x) /* f32 subnormals → zero of the same sign */
{
    struct spv_module *s = k->s;
    spv_id bits = cast(k, IR_I32, x), word = spv_type(s, IR_I32);
    spv_id exponent = OP(s, SpvBitwiseAnd, word, bits, spv_u32(s, 0x7f800000));
    spv_id zero = cast(k, IR_F32, OP(s, SpvBitwiseAnd, word, bits, spv_u32(s, 0x80000000)));
    return choose(k, IR_F32, compare(k, SpvIEqual, exponent, spv_u32(s, 0)), zero, x);
}

static spv_id fused(struct spv_kernel *k, ir_type t, spv_id x, spv_id y, spv_id z)
{
    return exact(k, spv_glsl(k->s, GlslFma, spv_type(k->s, t), x, y, z));
}

static spv_id step(struct spv_kernel *k, ir_type t, spv_id n, int by)
{
    if (t == IR_I64)
        return spv_wide_add_k(k, n, (uint64_t)by);
    return OP(k->s, SpvIAdd, spv_type(k->s, t), n, spv_const(k->s, t, (uint32_t)by));
}

/* Vulkan's root may be off by more than a unit in the last place. A step of Newton's, for f32, and
 * then the neighbours: y is right if (y-1)y < x <= (y+1)y, which an fma tells exactly (Tuckerman).
 * Small numbers are scaled, so that nothing of that is subnormal. */
static spv_id exact_root(struct spv_kernel *k, ir_type t, spv_id x)
{
    struct spv_module *s = k->s;
    const bool wide = t == IR_F64;
    const ir_type bits = int_of(t);
    spv_id type = spv_type(s, t);
    spv_id low = spv_const(s, t, wide ? (uint64_t)(1023 - 767) << 52 : (127 - 96) << 23);
    spv_id up = spv_const(s, t, wide ? (uint64_t)(1023 + 256) << 52 : (127 + 32) << 23);
    spv_id down = spv_const(s, t, wide ? (uint64_t)(1023 - 128) << 52 : (127 - 16) << 23);
    spv_id small = compare(k, SpvFOrdLessThan, x, low);
    spv_id a = choose(k, t, small, exact(k, OP(s, SpvFMul, type, x, up)), x);
    spv_id y = spv_glsl(s, GlslSqrt, type, a, 0, 0);
    if (!wide) {
        spv_id half = spv_const(s, t, 126 << 23);
        spv_id h =
            exact(k, OP(s, SpvFMul, type, half, spv_glsl(s, GlslInverseSqrt, type, a, 0, 0)));
        spv_id rest = fused(k, t, OP(s, SpvFNegate, type, y), y, a);
        y = fused(k, t, rest, h, y);
    }
    spv_id zero = spv_const(s, t, 0), n = cast(k, bits, y);
    spv_id below = cast(k, t, step(k, bits, n, -1)), above = cast(k, t, step(k, bits, n, 1));
    spv_id too_high =
        compare(k, SpvFOrdLessThanEqual, fused(k, t, OP(s, SpvFNegate, type, below), y, a), zero);
    spv_id too_low =
        compare(k, SpvFOrdLessThan, zero, fused(k, t, OP(s, SpvFNegate, type, above), y, a));
    y = choose(k, t, too_high, below, choose(k, t, too_low, above, y));
    y = choose(k, t, small, exact(k, OP(s, SpvFMul, type, y, down)), y);
    spv_id infinity = spv_const(s, t, wide ? (uint64_t)2047 << 52 : 255 << 23);
    spv_id itself = OP(s, SpvLogicalOr, bool_type(k), compare(k, SpvFOrdEqual, x, zero),
                       compare(k, SpvFOrdEqual, x, infinity));
    return choose(k, t, itself, x, y);
}

static spv_id root(struct spv_kernel *k, ir_type t, bool fast, spv_id x)
{
    if (k->s->features->exact_sqrt || fast)
        return spv_glsl(k->s, GlslSqrt, spv_type(k->s, t), x, 0, 0);
    return exact_root(k, t, x);
}

static spv_id float_op(struct spv_kernel *k, struct ir_inst *i, ir_type t, const spv_id *x)
{
    static const uint8_t glsl[IR_OP_COUNT] = {
        [IR_OP_ffloor] = GlslFloor,
        [IR_OP_fceil] = GlslCeil,
        [IR_OP_ftrunc] = GlslTrunc,
        [IR_OP_frint] = GlslRoundEven,
        [IR_OP_frsqrt_fast] = GlslInverseSqrt,
        [IR_OP_fsin_fast] = GlslSin,
        [IR_OP_fcos_fast] = GlslCos,
        [IR_OP_fexp2_fast] = GlslExp2,
        [IR_OP_flog2_fast] = GlslLog2,
        [IR_OP_ftanh_fast] = GlslTanh,
    };
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, t);
    if (ir_kind(t) == IR_F16 && (i->op == IR_OP_fdiv || i->op == IR_OP_fsqrt)) {
        /* in f32, whose rounding does not show in f16: GPUs round these less well */
        spv_id single = spv_type(s, IR_F32), wide[2] = {0};
        for (uint32_t n = 0; n < i->nargs; n++)
            wide[n] = single_of(k, i->args[n], x[n]);
        return spv_small_narrow(k, t,
                                i->op == IR_OP_fsqrt
                                    ? root(k, IR_F32, i->flags & IR_FAST, wide[0])
                                    : exact(k, OP(s, SpvFDiv, single, wide[0], wide[1])));
    }
    switch (i->op) {
    case IR_OP_fsqrt: return root(k, t, i->flags & IR_FAST, x[0]);
    case IR_OP_fadd: return exact(k, OP(s, SpvFAdd, type, x[0], x[1]));
    case IR_OP_fsub: return exact(k, OP(s, SpvFSub, type, x[0], x[1]));
    case IR_OP_fmul: return exact(k, OP(s, SpvFMul, type, x[0], x[1]));
    case IR_OP_fdiv: return exact(k, OP(s, SpvFDiv, type, x[0], x[1]));
    case IR_OP_frcp_fast:
        return OP(s, SpvFDiv, type,
                  spv_const(s, t,
                            t == IR_F64   ? 0x3ff0000000000000
                            : t == IR_F32 ? 0x3f800000
                                          : 0x3c00),
                  x[0]);
    case IR_OP_fma:
    case IR_OP_mad: return exact(k, spv_glsl(s, GlslFma, type, x[0], x[1], x[2]));
    case IR_OP_fmin:
    case IR_OP_fmax: return float_min_max(k, t, i->op == IR_OP_fmax, x);
    default: return spv_glsl(s, (enum glsl_op)glsl[i->op], type, x[0], 0, 0);
    }
}

static bool is_emulated_float(const struct spv_kernel *k, ir_type t) /* computes in f32 */
{
    return ir_kind(t) == IR_BF16 || (ir_kind(t) == IR_F16 && !k->s->features->f16);
}

static spv_id emit_float(struct spv_kernel *k, struct ir_inst *i, spv_id *x)
{
    if (i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign)
        return sign_bits(k, i, x);
    if (i->flags & IR_ROUND_MASK) {
        spv_refuse(k, i, "the target rounds to nearest only");
        return 0;
    }
    const ir_type t = i->type;
    const bool small = is_emulated_float(k, t), ftz = i->flags & IR_FTZ && ir_kind(t) == IR_F32;
    for (uint32_t n = 0; n < i->nargs; n++)
        x[n] = small ? single_of(k, i->args[n], x[n]) : ftz ? flush(k, x[n]) : x[n];
    const bool sums = i->op == IR_OP_fadd || i->op == IR_OP_fsub || i->op == IR_OP_fdiv;
    for (uint32_t n = 0; sums && n < 2 && !k->s->features->sound_zeros; n++)
        if (ir_is_const(i->args[n]) && !(i->args[n]->u.bits << (65 - ir_bits(t))))
            x[n] = veiled_float(k, small ? IR_F32 : t, i->args[n]->u.bits != 0);
    spv_id r = float_op(k, i, small ? IR_F32 : t, x);
    return small ? spv_small_narrow(k, t, r) : ftz ? flush(k, r) : r;
}

static spv_id emit_float_compare(struct spv_kernel *k, struct ir_inst *i, spv_id *x)
{
    static const uint16_t ops[IR_OP_COUNT] = {[IR_OP_feq] = SpvFOrdEqual,
                                              [IR_OP_fne] = SpvFUnordNotEqual,
                                              [IR_OP_flt] = SpvFOrdLessThan,
                                              [IR_OP_fle] = SpvFOrdLessThanEqual};
    struct spv_module *s = k->s;
    for (uint32_t n = 0; n < 2; n++)
        x[n] = is_emulated_float(k, i->type)                     ? single_of(k, i->args[n], x[n])
               : i->flags & IR_FTZ && ir_kind(i->type) == IR_F32 ? flush(k, x[n])
                                                                 : x[n];
    if (i->op == IR_OP_funo)
        return OP(s, SpvLogicalOr, bool_type(k), OP(s, SpvIsNan, bool_type(k), x[0]),
                  OP(s, SpvIsNan, bool_type(k), x[1]));
    return compare(k, (enum spv_op)ops[i->op], x[0], x[1]);
}

/* ---- conversions ---- */

static spv_id bool_to_int(struct spv_kernel *k, ir_type t, spv_id x, uint64_t yes)
{
    return choose(k, t, x, spv_const(k->s, t, yes), spv_const(k->s, t, 0));
}

/* An integer of one width as one of another, neither i1, from no pair. */
static spv_id resize(struct spv_kernel *k, ir_type from, ir_type to, bool is_signed, spv_id x)
{
    struct spv_module *s = k->s;
    if (spv_in_word(s, from) || spv_in_word(s, to) || spv_is_pair(s, to)) { /* by way of a word */
        if (ir_bits(from) < 32)
            x = is_signed ? spv_small_sign(k, from, x) : spv_small_word(k, from, x);
        else if (from == IR_I64)
            x = spv_low(k, x);
        from = IR_I32;
        if (ir_bits(to) < 32)
            return spv_small_cut(k, to, x);
    }
    if (spv_is_pair(s, to))
        return spv_wide(
            k, x,
            is_signed ? OP(s, SpvShiftRightArithmetic, spv_type(s, IR_I32), x, spv_u32(s, 31)) : 0);
    if (from == to)
        return x;
    return OP(s, is_signed ? SpvSConvert : SpvUConvert, spv_type(s, to), x);
}

static spv_id int_to_int(struct spv_kernel *k, struct ir_inst *i, spv_id x)
{
    struct spv_module *s = k->s;
    ir_type from = i->args[0]->type;
    if (ir_kind(from) == IR_I1)
        return bool_to_int(k, i->type, x,
                           i->op == IR_OP_sext ? UINT64_MAX >> (64 - ir_bits(i->type)) : 1);
    if (spv_is_pair(s, from))
        x = spv_low(k, x), from = IR_I32;
    if (ir_kind(i->type) == IR_I1) {
        spv_id low = OP(s, SpvBitwiseAnd, spv_type(s, from), x, spv_const(s, from, 1));
        return compare(k, SpvINotEqual, low, spv_const(s, from, 0));
    }
    return resize(k, from, i->type, i->op == IR_OP_sext, x);
}

static uint64_t power_bits(ir_type t, int exponent) /* 2^exponent as f32 or f64 bits */
{
    return t == IR_F64 ? (uint64_t)(1023 + exponent) << 52 : (uint64_t)(127 + exponent) << 23;
}

static spv_id pair_from_float(struct spv_kernel *k, ir_type from, bool is_signed, spv_id x)
{
    struct spv_module *s = k->s;
    if (!is_signed)
        return spv_pair_from_float(k, from, x);
    spv_id negative = compare(k, SpvFOrdLessThan, x, spv_const(s, from, 0));
    spv_id r = spv_pair_from_float(k, from, spv_glsl(s, GlslFAbs, spv_type(s, from), x, 0, 0));
    struct ir_inst neg = {.op = IR_OP_neg, .type = IR_I64};
    return choose(k, IR_I64, negative, spv_pair_op(k, &neg, &r), r);
}

static spv_id float_to_int(struct spv_kernel *k, struct ir_inst *i, spv_id x)
{
    static const enum glsl_op round[4] = {GlslRoundEven, GlslTrunc, GlslCeil, GlslFloor};
    struct spv_module *s = k->s;
    ir_type from = i->args[0]->type, to = i->type;
    bool is_signed = i->op == IR_OP_ftosi;
    int n = (int)ir_bits(to);
    if (ir_bits(from) < 32)
        x = single_of(k, i->args[0], x), from = IR_F32;
    if (i->flags & IR_FTZ && from == IR_F32)
        x = flush(k, x);
    x = spv_glsl(s, round[i->flags & IR_ROUND_MASK], spv_type(s, from), x, 0, 0);
    ir_type wide = n < 32 ? IR_I32 : to;
    uint64_t sign = UINT64_C(1) << (from == IR_F64 ? 63 : 31);
    spv_id top = spv_const(s, from, power_bits(from, is_signed ? n - 1 : n));
    spv_id bottom = spv_const(s, from, is_signed ? power_bits(from, n - 1) | sign : 0);
    spv_id high = compare(k, SpvFOrdLessThanEqual, top, x);
    spv_id low = compare(k, SpvFOrdLessThan, x, bottom);
    spv_id nan = OP(s, SpvIsNan, bool_type(k), x);
    spv_id out =
        OP(s, SpvLogicalOr, bool_type(k), OP(s, SpvLogicalOr, bool_type(k), high, low), nan);
    x = choose(k, from, out, spv_const(s, from, 0), x);
    spv_id r = spv_is_pair(s, wide)
                   ? pair_from_float(k, from, is_signed, x)
                   : OP(s, is_signed ? SpvConvertFToS : SpvConvertFToU, spv_type(s, wide), x);
    uint64_t all = UINT64_MAX >> (64 - n), max = is_signed ? all >> 1 : all;
    r = choose(k, wide, high, spv_const(s, wide, max), r);
    if (is_signed)
        r = choose(k, wide, low, spv_const(s, wide, ~max), r);
    if (ir_nan_to_int(ir_kind(from), (unsigned)n))
        r = choose(k, wide, nan, spv_const(s, wide, ir_nan_to_int(ir_kind(from), (unsigned)n)), r);
    if (ir_kind(to) == IR_I1)
        return compare(k, SpvINotEqual, OP(s, SpvBitwiseAnd, spv_type(s, wide), r, spv_u32(s, 1)),
                       spv_u32(s, 0));
    return wide == to ? r : spv_small_cut(k, to, r);
}

/* f32 of which bf16 is made: rounding it again must do no harm. */
static spv_id odd_from_int(struct spv_kernel *k, ir_type from, bool is_signed, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id word = spv_type(s, IR_I32), single = spv_type(s, IR_F32), zero = spv_u32(s, 0);
    spv_id high = ir_bits(from) == 64 ? spv_high(k, x) : 0, low = high ? spv_low(k, x) : x;
    spv_id negative = 0, scale = 0;
    if (is_signed) {
        negative = compare(k, SpvSLessThan, high ? high : low, zero);
        spv_id minus = OP(s, SpvISub, word, zero, low);
        if (high) { /* -(high:low) */
            spv_id carry =
                choose(k, IR_I32, compare(k, SpvIEqual, low, zero), zero, spv_u32(s, UINT32_MAX));
            spv_id up = OP(s, SpvISub, word, carry, high);
            high = choose(k, IR_I32, negative, up, high);
        }
        low = choose(k, IR_I32, negative, minus, low);
    }
    if (high) { /* the upper word, or the lower: of both, one bit more is enough */
        spv_id tall = compare(k, SpvINotEqual, high, zero);
        spv_id rest = choose(k, IR_I32, compare(k, SpvINotEqual, low, zero), spv_u32(s, 1), zero);
        spv_id many = compare(k, SpvULessThan, spv_u32(s, 0xffff), high);
        /* 32 bits from the upper word on, or from its lower half */
        spv_id both =
            OP(s, SpvBitwiseOr, word, OP(s, SpvShiftLeftLogical, word, high, spv_u32(s, 16)),
               OP(s, SpvShiftRightLogical, word, low, spv_u32(s, 16)));
        spv_id last = choose(
            k, IR_I32,
            compare(k, SpvINotEqual, OP(s, SpvBitwiseAnd, word, low, spv_u32(s, 0xffff)), zero),
            spv_u32(s, 1), zero);
        spv_id top = choose(k, IR_I32, many, OP(s, SpvBitwiseOr, word, high, rest),
                            OP(s, SpvBitwiseOr, word, both, last));
        low = choose(k, IR_I32, tall, top, low);
        scale = choose(k, IR_I32, many, spv_u32(s, (127 + 32) << 23), spv_u32(s, (127 + 16) << 23));
        scale = choose(k, IR_I32, tall, scale, spv_u32(s, 127 << 23));
    }
    spv_id r = OP(s, SpvConvertUToF, single, spv_odd_word(k, low));
    if (scale)
        r = exact(k, OP(s, SpvFMul, single, r, cast(k, IR_F32, scale)));
    return negative ? choose(k, IR_F32, negative, OP(s, SpvFNegate, single, r), r) : r;
}

static spv_id int_to_float(struct spv_kernel *k, struct ir_inst *i, spv_id x)
{
    struct spv_module *s = k->s;
    ir_type from = i->args[0]->type;
    bool is_signed = i->op == IR_OP_sitof;
    if (ir_kind(from) == IR_I1)
        x = bool_to_int(k, from = IR_I32, x, is_signed ? UINT32_MAX : 1);
    const bool small = is_emulated_float(k, i->type);
    const ir_type to = small ? IR_F32 : i->type;
    if (ir_kind(i->type) == IR_BF16 && ir_bits(from) > 16)
        return spv_small_narrow(k, IR_BF16, odd_from_int(k, from, is_signed, x));
    if (spv_is_pair(s, from))
        x = to == IR_F16 ? spv_small_narrow(k, to, spv_pair_to_float(k, IR_F32, is_signed, x))
                         : spv_pair_to_float(k, to, is_signed, x);
    else {
        if (spv_in_word(s, from))
            x = is_signed ? spv_small_sign(k, from, x) : x;
        x = OP(s, is_signed ? SpvConvertSToF : SpvConvertUToF, spv_type(s, to), x);
    }
    return small ? spv_small_narrow(k, i->type, x) : x; /* what f32 rounds is too large for f16 */
}

static spv_id float_to_float(struct spv_kernel *k, struct ir_inst *i, spv_id x)
{
    struct spv_module *s = k->s;
    ir_type from = i->args[0]->type;
    if (i->flags & IR_FTZ && ir_kind(from) == IR_F32)
        x = flush(k, x);
    if (from == i->type)
        return x;
    if (ir_bits(from) < 32)
        x = single_of(k, i->args[0], x), from = IR_F32;
    if (ir_bits(i->type) < 32) /* drivers may make two steps of f64 to f16, and round in both */
        return spv_small_narrow(k, i->type, from == IR_F64 ? spv_odd_single(k, x) : x);
    spv_id r = from == i->type ? x : OP(s, SpvFConvert, spv_type(s, i->type), x);
    return i->flags & IR_FTZ && ir_kind(i->type) == IR_F32 ? flush(k, r) : r;
}

static spv_id emit_conversion(struct spv_kernel *k, struct ir_inst *i, spv_id x)
{
    ir_type from = i->args[0]->type;
    if (i->flags & IR_ROUND_MASK && i->op != IR_OP_ftosi && i->op != IR_OP_ftoui) {
        spv_refuse(k, i, "the target rounds to nearest only");
        return 0;
    }
    switch (i->op) {
    case IR_OP_trunc:
    case IR_OP_zext:
    case IR_OP_sext: return int_to_int(k, i, x);
    case IR_OP_ftosi:
    case IR_OP_ftoui: return float_to_int(k, i, x);
    case IR_OP_sitof:
    case IR_OP_uitof: return int_to_float(k, i, x);
    case IR_OP_fcvt: return float_to_float(k, i, x);
    case IR_OP_bitcast:
        if (spv_type(k->s, from) == spv_type(k->s, i->type))
            return x;
        return cast(k, i->type, x);
    default: /* ptrtoint, inttoptr */
        if (spv_type(k->s, from) == spv_type(k->s, i->type))
            return x;
        return ir_kind(i->type) == IR_I64 || spv_type(k->s, i->type) == spv_type(k->s, IR_I64)
                   ? spv_wide(k, x, 0)
                   : spv_low(k, x);
    }
}

bool spv_emit_inst(struct spv_kernel *k, struct ir_inst *i)
{
    spv_id x[4] = {0}, r = 0;
    enum ir_shape shape = (enum ir_shape)ir_op_info[i->op].shape;
    if (ir_is_vector(i->type)) {
        spv_refuse(k, i, "vectors are for CPUs");
        return false;
    }
    if (shape != IR_SHAPE_XX || i->op == IR_OP_select)
        for (uint32_t n = 0; n < i->nargs && n < 4; n++)
            x[n] = spv_value(k, i->args[n]);
    switch (shape) {
    case IR_SHAPE_I1:
    case IR_SHAPE_I2:
    case IR_SHAPE_I3: r = emit_int(k, i, x); break;
    case IR_SHAPE_IC: r = emit_int_compare(k, i, x); break;
    case IR_SHAPE_F1:
    case IR_SHAPE_F2:
    case IR_SHAPE_F3: r = emit_float(k, i, x); break;
    case IR_SHAPE_FC: r = emit_float_compare(k, i, x); break;
    case IR_SHAPE_CV: r = emit_conversion(k, i, x[0]); break;
    case IR_SHAPE_XX:
        if (i->op != IR_OP_select)
            return spv_emit_memory(k, i);
        r = choose(k, i->type, x[0], x[1], x[2]);
        break;
    }
    if (!k->ok)
        return false;
    spv_set_value(k, &i->results[0], r);
    return true;
}

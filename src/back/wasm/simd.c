/* Vectors of 4, 8, 16… lanes → simd128.
 *
 * A vector of i8, i16, i32, f16, bf16, f32 or pointers is one v128 for each four lanes, with 32
 * bits for each element; one of i1 is such v128s of zeros and ones; i64 and f64 take twice as many.
 * These are the parts of a value, each in a local. Operations that the instruction set has for such
 * lanes come from a table; every other one is done lane by lane, by the scalar code of ops.c on
 * values that stand for the lanes. */
#include <string.h>
#include "back/wasm/wasm_int.h"

static bool is_wide(ir_type t)
{
    return ir_kind(t) == IR_I64 || ir_kind(t) == IR_F64;
}

static unsigned in_part(ir_type t) /* lanes of a v128 */
{
    return is_wide(t) ? 2 : 4;
}

unsigned wasm_parts(ir_type t)
{
    return ir_is_vector(t) ? ir_lanes(t) / in_part(t) : 1;
}

static void simd(struct wasm *w, unsigned op)
{
    wasm_op(w, OP_SIMD);
    wasm_uleb(w->code, op);
}

void wasm_v128(struct wasm *w, uint64_t low, uint64_t high)
{
    simd(w, OP_V128_CONST);
    sbuf_u64le(w->code, low);
    sbuf_u64le(w->code, high);
}

static void splat32(struct wasm *w, uint32_t v)
{
    uint64_t two = (uint64_t)v << 32 | v;
    wasm_v128(w, two, two);
}

static const uint32_t *constant_lanes(const struct wasm *w, const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? w->constant_lanes[v->id] : NULL;
}

static void constant_part(struct wasm *w, const struct ir_value *v, unsigned part)
{
    uint64_t of[4];
    for (unsigned k = 0; k < 4; k++) {
        of[k] = constant_lanes(w, v)[4 * part + k];
        if (ir_kind(v->type) == IR_I1)
            of[k] = of[k] & 1 ? UINT32_MAX : 0;
    }
    wasm_v128(w, of[1] << 32 | of[0], of[3] << 32 | of[2]);
}

void wasm_part(struct wasm *w, const struct ir_value *v, unsigned part)
{
    if (constant_lanes(w, v) && w->folded[v->id])
        constant_part(w, v, part);
    else if (v->kind != IR_VALUE_CONST)
        wasm_local(w, OP_LOCAL_GET, w->local[v->id] + part);
    else if (is_wide(v->type))
        wasm_v128(w, v->u.bits, v->u.bits);
    else if (ir_kind(v->type) == IR_I1)
        splat32(w, v->u.bits & 1 ? ~0u : 0);
    else
        splat32(w, (uint32_t)v->u.bits);
}

static void set_part(struct wasm *w, const struct ir_value *r, unsigned part)
{
    wasm_local(w, OP_LOCAL_SET, w->local[r->id] + part);
}

/* ---- lanes ---- */

/* One lane of a vector as the scalar that ops.c knows. */
void wasm_lane(struct wasm *w, const struct ir_value *v, unsigned lane)
{
    enum ir_kind k = ir_kind(v->type);
    const uint32_t *constant = constant_lanes(w, v);
    if (constant) {
        wasm_i32(w, k == IR_I1 ? constant[lane] & 1 : constant[lane]);
        return;
    }
    if (ir_is_const(v)) {
        wasm_value(w, ir_const(w->module, ir_scalar(v->type), v->u.bits));
        return;
    }
    if (v->kind == IR_VALUE_RESULT && v->u.inst && v->u.inst->op == IR_OP_splat) {
        wasm_value(w, v->u.inst->args[0]);
        return;
    }
    wasm_part(w, v, lane / in_part(v->type));
    simd(w, k == IR_I64   ? OP_I64X2_EXTRACT_LANE
            : k == IR_F64 ? OP_F64X2_EXTRACT_LANE
            : k == IR_F32 ? OP_F32X4_EXTRACT_LANE
                          : OP_I32X4_EXTRACT_LANE);
    sbuf_putc(w->code, (char)(lane % in_part(v->type)));
    if (k == IR_I1) {
        wasm_i32(w, 1);
        wasm_op(w, OP_I32_AND);
    }
}

/* The scalar in a local becomes a lane of r, whose other lanes stay. */
static void set_lane(struct wasm *w, const struct ir_value *r, unsigned lane, uint32_t from)
{
    enum ir_kind k = ir_kind(r->type);
    unsigned part = lane / in_part(r->type);
    wasm_local(w, OP_LOCAL_GET, w->local[r->id] + part);
    if (k == IR_I1)
        wasm_i32(w, 0);
    wasm_local(w, OP_LOCAL_GET, from);
    if (k == IR_I1)
        wasm_op(w, OP_I32_SUB);
    simd(w, k == IR_I64   ? OP_I64X2_REPLACE_LANE
            : k == IR_F64 ? OP_F64X2_REPLACE_LANE
            : k == IR_F32 ? OP_F32X4_REPLACE_LANE
                          : OP_I32X4_REPLACE_LANE);
    sbuf_putc(w->code, (char)(lane % in_part(r->type)));
    wasm_local(w, OP_LOCAL_SET, w->local[r->id] + part);
}

static uint32_t scratch_of(struct wasm *w, ir_type t)
{
    return wasm_new_local(w, wasm_type(ir_scalar(t)));
}

/* A scalar value that lives in a local of its own: operands of lane-by-lane code. */
static struct ir_value stand_in(struct wasm *w, ir_type t, unsigned slot)
{
    uint32_t id = w->func->nvalues + slot;
    w->local[id] = scratch_of(w, t);
    w->folded[id] = false;
    return (struct ir_value){.kind = IR_VALUE_RESULT, .type = ir_scalar(t), .id = id};
}

static void lane_by_lane(struct wasm *w, const struct ir_inst *i)
{
    struct ir_value *args[WASM_STAND_INS], values[WASM_STAND_INS];
    struct ir_value *r = &i->results[0];
    struct ir_inst one = *i;
    one.args = args;
    one.type = ir_scalar(i->type);
    for (uint32_t k = 0; k < i->nargs; k++) {
        args[k] = i->args[k];
        if (!ir_is_vector(i->args[k]->type))
            continue;
        values[k] = stand_in(w, i->args[k]->type, k);
        args[k] = &values[k];
        if (ir_is_const(i->args[k])) /* engines divide by constants faster */
            args[k] = ir_const(w->module, ir_scalar(i->args[k]->type), i->args[k]->u.bits);
    }
    uint32_t out = scratch_of(w, r->type);
    for (unsigned lane = 0; lane < ir_lanes(r->type); lane++) {
        for (uint32_t k = 0; k < i->nargs; k++)
            if (ir_is_vector(i->args[k]->type) && !ir_is_const(i->args[k])) {
                wasm_lane(w, i->args[k], lane);
                wasm_local(w, OP_LOCAL_SET, w->local[values[k].id]);
            }
        if (!wasm_instruction(w, &one))
            return;
        wasm_local(w, OP_LOCAL_SET, out);
        set_lane(w, r, lane, out);
    }
}

/* ---- one instruction for each part: 32-bit lanes, i64, f32, f64 ---- */

static const uint8_t simple[IR_OP_COUNT][4] = {
    [IR_OP_add] = {OP_I32X4_ADD, OP_I64X2_ADD},
    [IR_OP_sub] = {OP_I32X4_SUB, OP_I64X2_SUB},
    [IR_OP_mul] = {OP_I32X4_MUL, OP_I64X2_MUL},
    [IR_OP_and] = {OP_V128_AND, OP_V128_AND},
    [IR_OP_or] = {OP_V128_OR, OP_V128_OR},
    [IR_OP_xor] = {OP_V128_XOR, OP_V128_XOR},
    [IR_OP_smin] = {OP_I32X4_MIN_S},
    [IR_OP_umin] = {OP_I32X4_MIN_U},
    [IR_OP_smax] = {OP_I32X4_MAX_S},
    [IR_OP_umax] = {OP_I32X4_MAX_U},
    [IR_OP_neg] = {OP_I32X4_NEG, OP_I64X2_NEG},
    [IR_OP_not] = {OP_V128_NOT, OP_V128_NOT},
    [IR_OP_eq] = {OP_I32X4_EQ, OP_I64X2_EQ},
    [IR_OP_ne] = {OP_I32X4_NE, OP_I64X2_NE},
    [IR_OP_slt] = {OP_I32X4_LT_S, OP_I64X2_LT_S},
    [IR_OP_sle] = {OP_I32X4_LE_S, OP_I64X2_LE_S},
    [IR_OP_ult] = {OP_I32X4_LT_U},
    [IR_OP_ule] = {OP_I32X4_LE_U},
    [IR_OP_fadd] = {0, 0, OP_F32X4_ADD, OP_F64X2_ADD},
    [IR_OP_fsub] = {0, 0, OP_F32X4_SUB, OP_F64X2_SUB},
    [IR_OP_fmul] = {0, 0, OP_F32X4_MUL, OP_F64X2_MUL},
    [IR_OP_fdiv] = {0, 0, OP_F32X4_DIV, OP_F64X2_DIV},
    [IR_OP_fsqrt] = {0, 0, OP_F32X4_SQRT, OP_F64X2_SQRT},
    [IR_OP_fneg] = {0, 0, OP_F32X4_NEG, OP_F64X2_NEG},
    [IR_OP_fabs] = {0, 0, OP_F32X4_ABS, OP_F64X2_ABS},
    [IR_OP_ffloor] = {0, 0, OP_F32X4_FLOOR, OP_F64X2_FLOOR},
    [IR_OP_fceil] = {0, 0, OP_F32X4_CEIL, OP_F64X2_CEIL},
    [IR_OP_ftrunc] = {0, 0, OP_F32X4_TRUNC, OP_F64X2_TRUNC},
    [IR_OP_frint] = {0, 0, OP_F32X4_NEAREST, OP_F64X2_NEAREST},
    [IR_OP_feq] = {0, 0, OP_F32X4_EQ, OP_F64X2_EQ},
    [IR_OP_fne] = {0, 0, OP_F32X4_NE, OP_F64X2_NE},
    [IR_OP_flt] = {0, 0, OP_F32X4_LT, OP_F64X2_LT},
    [IR_OP_fle] = {0, 0, OP_F32X4_LE, OP_F64X2_LE},
};

static unsigned column(ir_type t)
{
    switch (ir_kind(t)) {
    case IR_I64: return 1;
    case IR_F32: return 2;
    case IR_F64: return 3;
    default: return 0;
    }
}

/* Two vectors of two 64-bit masks on the stack → one of four 32-bit masks. */
static void narrow_mask(struct wasm *w)
{
    static const uint8_t pick[16] = {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27};
    simd(w, OP_I8X16_SHUFFLE);
    sbuf_put(w->code, pick, sizeof pick);
}

static void wide_mask(struct wasm *w, const struct ir_value *mask, unsigned part)
{
    wasm_part(w, mask, part / 2);
    simd(w, part % 2 ? OP_I64X2_EXTEND_HIGH_S : OP_I64X2_EXTEND_LOW_S);
}

static void mask_part(struct wasm *w, const struct ir_value *mask, unsigned part, bool wide)
{
    if (wide)
        wide_mask(w, mask, part);
    else
        wasm_part(w, mask, part);
}

/* Is one lane set? */
static void any_of(struct wasm *w, const struct ir_value *mask)
{
    for (unsigned part = 0; part < wasm_parts(mask->type); part++) {
        wasm_part(w, mask, part);
        if (part)
            simd(w, OP_V128_OR);
    }
    simd(w, OP_V128_ANY_TRUE);
}

static bool do_simple(struct wasm *w, const struct ir_inst *i)
{
    unsigned shape = ir_op_info[i->op].shape;
    bool compare = shape == IR_SHAPE_IC || shape == IR_SHAPE_FC;
    ir_type t = compare ? i->args[0]->type : i->type;
    enum ir_kind k = ir_kind(t);
    unsigned op = simple[i->op][column(t)], bits = ir_bits(t);
    bool mask = k == IR_I1, narrow = k == IR_I8 || k == IR_I16;
    if (!op || k == IR_F16 || k == IR_BF16)
        return false;
    if (mask) { /* bits of masks are words of zeros or ones */
        op = i->op == IR_OP_and                        ? OP_V128_AND
             : i->op == IR_OP_or                       ? OP_V128_OR
             : i->op == IR_OP_not                      ? OP_V128_NOT
             : i->op == IR_OP_xor || i->op == IR_OP_ne ? OP_V128_XOR
             : i->op == IR_OP_eq                       ? OP_I32X4_EQ
                                                       : 0;
        if (!op)
            return false;
    }
    bool is_signed =
        i->op == IR_OP_slt || i->op == IR_OP_sle || i->op == IR_OP_smin || i->op == IR_OP_smax;
    if (narrow && is_signed)
        return false;
    for (unsigned part = 0; part < wasm_parts(t); part++) {
        for (uint32_t n = 0; n < i->nargs; n++)
            wasm_part(w, i->args[n], part);
        simd(w, op);
        if (narrow && !compare && i->op != IR_OP_and && i->op != IR_OP_or && i->op != IR_OP_xor &&
            i->op != IR_OP_umin && i->op != IR_OP_umax) {
            splat32(w, (1u << bits) - 1);
            simd(w, OP_V128_AND);
        }
        if (!compare || !is_wide(t)) {
            set_part(w, &i->results[0], part);
        } else if (part % 2) {
            narrow_mask(w);
            set_part(w, &i->results[0], part / 2);
        }
    }
    return true;
}

/* Shifts of all lanes by one number, which may be too large. */
static bool do_shift(struct wasm *w, const struct ir_inst *i)
{
    if (i->op != IR_OP_shl && i->op != IR_OP_lshr && i->op != IR_OP_ashr)
        return false;
    const struct ir_value *by = i->args[1];
    const enum ir_kind k = ir_kind(i->type);
    const unsigned bits = ir_bits(i->type);
    const bool splat = by->kind == IR_VALUE_RESULT && by->u.inst->op == IR_OP_splat,
               constant = ir_is_const(by);
    if ((k != IR_I32 && (k != IR_I64 || splat)) || (!splat && !constant) ||
        (constant && by->u.bits >= bits))
        return false;
    unsigned op = k == IR_I32 ? OP_I32X4_SHL : OP_I64X2_SHL;
    op += i->op == IR_OP_ashr ? 1 : i->op == IR_OP_lshr ? 2 : 0;
    uint32_t n = 0;
    if (splat) {
        n = wasm_new_local(w, WASM_I32);
        wasm_part(w, by, 0);
        simd(w, OP_I32X4_EXTRACT_LANE);
        sbuf_putc(w->code, 0);
        wasm_local(w, OP_LOCAL_TEE, n);
        if (i->op == IR_OP_ashr) { /* by 31 at most */
            wasm_i32(w, 31);
            wasm_local(w, OP_LOCAL_GET, n);
            wasm_i32(w, 31);
            wasm_op(w, OP_I32_LT_U);
            wasm_op(w, OP_SELECT);
            wasm_local(w, OP_LOCAL_TEE, n);
        }
        wasm_op(w, OP_DROP);
    }
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        wasm_part(w, i->args[0], part);
        if (constant) {
            wasm_i32(w, (uint32_t)by->u.bits);
            simd(w, op);
        } else {
            wasm_local(w, OP_LOCAL_GET, n);
            simd(w, op);
            wasm_v128(w, 0, 0);
            wasm_local(w, OP_LOCAL_GET, n);
            wasm_i32(w, 32);
            wasm_op(w, OP_I32_LT_U);
            wasm_op(w, OP_SELECT_T);
            wasm_uleb(w->code, 1);
            sbuf_putc(w->code, (char)WASM_V128);
        }
        set_part(w, &i->results[0], part);
    }
    return true;
}

/* Division of signed numbers by a power of two: rounding toward zero is a shift of what is made
 * large enough first. */
static bool do_divide(struct wasm *w, const struct ir_inst *i)
{
    if ((i->op != IR_OP_sdiv && i->op != IR_OP_srem) || ir_kind(i->type) != IR_I32 ||
        !ir_is_const(i->args[1]))
        return false;
    const uint32_t by = (uint32_t)i->args[1]->u.bits;
    if (by < 2 || by & (by - 1) || by >> 31)
        return false;
    const unsigned log = (unsigned)__builtin_ctz(by);
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        if (i->op == IR_OP_srem)
            wasm_part(w, i->args[0], part);
        wasm_part(w, i->args[0], part);
        wasm_part(w, i->args[0], part);
        wasm_i32(w, 31);
        simd(w, OP_I32X4_SHR_S);
        wasm_i32(w, 32 - log);
        simd(w, OP_I32X4_SHR_U);
        simd(w, OP_I32X4_ADD);
        if (i->op == IR_OP_srem) {
            splat32(w, ~(by - 1));
            simd(w, OP_V128_AND);
            simd(w, OP_I32X4_SUB);
        } else {
            wasm_i32(w, log);
            simd(w, OP_I32X4_SHR_S);
        }
        set_part(w, &i->results[0], part);
    }
    return true;
}

/* WebAssembly's own give NaN where one operand is; ours give the other. */
static bool do_extreme(struct wasm *w, const struct ir_inst *i)
{
    const bool wide = ir_kind(i->type) == IR_F64;
    if ((i->op != IR_OP_fmin && i->op != IR_OP_fmax) || (!wide && ir_kind(i->type) != IR_F32))
        return false;
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        for (unsigned k = 0; k < 2; k++)
            if (!ir_is_const(i->args[k]))
                wasm_part(w, i->args[1 - k], part);
        wasm_part(w, i->args[0], part);
        wasm_part(w, i->args[1], part);
        simd(w, (wide ? OP_F64X2_MIN : OP_F32X4_MIN) + (i->op == IR_OP_fmax));
        for (unsigned k = 2; k-- > 0;)
            if (!ir_is_const(i->args[k])) {
                wasm_part(w, i->args[k], part);
                wasm_part(w, i->args[k], part);
                simd(w, wide ? OP_F64X2_NE : OP_F32X4_NE);
                simd(w, OP_V128_BITSELECT);
            }
        set_part(w, &i->results[0], part);
    }
    return true;
}

static bool do_select(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *c = i->args[0];
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        wasm_part(w, i->args[1], part);
        wasm_part(w, i->args[2], part);
        if (!ir_is_vector(c->type)) { /* one condition for all */
            wasm_value(w, c);
            wasm_op(w, OP_SELECT_T);
            wasm_uleb(w->code, 1);
            sbuf_putc(w->code, (char)WASM_V128);
        } else {
            mask_part(w, c, part, is_wide(i->type));
            simd(w, OP_V128_BITSELECT);
        }
        set_part(w, &i->results[0], part);
    }
    return true;
}

/* Two parts of 64-bit lanes → one of their low words. */
static void low_words(struct wasm *w, const struct ir_value *v, unsigned part)
{
    wasm_part(w, v, 2 * part);
    wasm_part(w, v, 2 * part + 1);
    narrow_mask(w);
}

static const uint8_t upper_half[16] = {8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t join_halves[16] = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};

void wasm_shuffle(struct wasm *w, const uint8_t *pick)
{
    simd(w, OP_I8X16_SHUFFLE);
    sbuf_put(w->code, pick, 16);
}

/* Half of a part of 32-bit lanes, on the stack as f64. */
static void to_doubles(struct wasm *w, const struct ir_value *v, unsigned part, unsigned upper,
                       unsigned op)
{
    wasm_part(w, v, part);
    if (upper) {
        wasm_part(w, v, part);
        wasm_shuffle(w, upper_half);
    }
    simd(w, op);
}

static void promote(struct wasm *w, const struct ir_value *v, unsigned part, unsigned upper)
{
    to_doubles(w, v, part, upper, OP_F64X2_PROMOTE_LOW);
}

/* Quotients of 32-bit integers are exact in f64, cut to integers; adding 1.5 * 2^52 leaves one in
 * the low word, MIN / -1 too. What x / 0 gives is masked, and is no matter to remainders. */
static bool do_quotient(struct wasm *w, const struct ir_inst *i)
{
    const bool is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem,
               rest = i->op == IR_OP_srem || i->op == IR_OP_urem;
    if ((!is_signed && !rest && i->op != IR_OP_udiv) || ir_kind(i->type) != IR_I32)
        return false;
    const unsigned convert = is_signed ? OP_F64X2_CONVERT_LOW_S : OP_F64X2_CONVERT_LOW_U;
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        if (rest)
            wasm_part(w, i->args[0], part);
        for (unsigned upper = 0; upper < 2; upper++) {
            for (unsigned k = 0; k < 2; k++)
                to_doubles(w, i->args[k], part, upper, convert);
            simd(w, OP_F64X2_DIV);
            simd(w, OP_F64X2_TRUNC);
            wasm_v128(w, UINT64_C(0x4338000000000000), UINT64_C(0x4338000000000000));
            simd(w, OP_F64X2_ADD);
        }
        narrow_mask(w);
        wasm_part(w, i->args[1], part);
        if (rest) {
            simd(w, OP_I32X4_MUL);
            simd(w, OP_I32X4_SUB);
        } else {
            splat32(w, 0);
            simd(w, OP_I32X4_EQ);
            simd(w, OP_V128_OR);
        }
        set_part(w, &i->results[0], part);
    }
    return true;
}

static bool convert_float(struct wasm *w, const struct ir_inst *i, unsigned part)
{
    const struct ir_value *v = i->args[0];
    enum ir_kind to = ir_kind(i->type), from = ir_kind(v->type);
    if (i->flags & IR_ROUND_MASK)
        return false;
    if (from == IR_F32 && to == IR_F64) {
        promote(w, v, part / 2, part % 2);
        return true;
    }
    if (from != IR_F64 || to != IR_F32)
        return false;
    for (unsigned half = 0; half < 2; half++) {
        wasm_part(w, v, 2 * part + half);
        simd(w, OP_F32X4_DEMOTE_ZERO);
    }
    wasm_shuffle(w, join_halves);
    return true;
}

/* One part of a conversion's result, on the stack; false: not so simple. */
static bool convert_part(struct wasm *w, const struct ir_inst *i, unsigned part)
{
    enum ir_kind to = ir_kind(i->type), from = ir_kind(i->args[0]->type);
    const struct ir_value *v = i->args[0];
    bool word = from == IR_I32, narrow = from == IR_I8 || from == IR_I16;
    bool s = i->op == IR_OP_sext;
    switch (i->op) {
    case IR_OP_zext:
    case IR_OP_sext:
        if (to == IR_I64) {
            if (!word && !(narrow && !s))
                return false;
            wasm_part(w, v, part / 2);
            simd(w, (s ? OP_I64X2_EXTEND_LOW_S : OP_I64X2_EXTEND_LOW_U) + part % 2);
            return true;
        }
        if (from != IR_I1 && !(narrow && !s))
            return false;
        wasm_part(w, v, part);
        if (from == IR_I1 && (!s || to != IR_I32)) {
            splat32(w, s ? (1u << ir_bits(i->type)) - 1 : 1);
            simd(w, OP_V128_AND);
        }
        return true;
    case IR_OP_trunc:
        if (from == IR_I64 && to == IR_I32) {
            low_words(w, v, part);
            return true;
        }
        if (to == IR_I1 || from == IR_I64)
            return false;
        wasm_part(w, v, part);
        splat32(w, (1u << ir_bits(i->type)) - 1);
        simd(w, OP_V128_AND);
        return true;
    case IR_OP_sitof:
    case IR_OP_uitof:
        if (to != IR_F32 || !word || (i->flags & IR_ROUND_MASK))
            return false;
        wasm_part(w, v, part);
        simd(w, OP_F32X4_CONVERT_S + (i->op == IR_OP_uitof));
        return true;
    case IR_OP_ftosi:
    case IR_OP_ftoui:
        if (to != IR_I32 || from != IR_F32 || (i->flags & IR_ROUND_MASK) != IR_RZ)
            return false;
        wasm_part(w, v, part);
        simd(w, OP_I32X4_TRUNC_SAT_S + (i->op == IR_OP_ftoui));
        return true;
    case IR_OP_fcvt: return convert_float(w, i, part);
    case IR_OP_bitcast:
    case IR_OP_cvta: wasm_part(w, v, part); return true;
    case IR_OP_ptrtoint:
        wasm_part(w, v, part / 2);
        simd(w, OP_I64X2_EXTEND_LOW_U + part % 2);
        return true;
    case IR_OP_inttoptr: low_words(w, v, part); return true;
    default: return false;
    }
}

static bool do_convert(struct wasm *w, const struct ir_inst *i)
{
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        if (!convert_part(w, i, part))
            return false;
        set_part(w, &i->results[0], part);
    }
    return true;
}

static void do_ptradd(struct wasm *w, const struct ir_inst *i)
{
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        wasm_part(w, i->args[0], part);
        if (ir_is_const(i->args[1]))
            splat32(w, (uint32_t)i->args[1]->u.bits);
        else
            wasm_part(w, i->args[1], part); /* narrow.c */
        simd(w, OP_I32X4_ADD);
        set_part(w, &i->results[0], part);
    }
}

/* ---- making and taking apart ---- */

static void do_splat(struct wasm *w, const struct ir_inst *i)
{
    static const uint8_t ops[] = {OP_I32X4_SPLAT, OP_I64X2_SPLAT, OP_F32X4_SPLAT, OP_F64X2_SPLAT};
    const struct ir_value *r = &i->results[0];
    bool mask = ir_kind(i->type) == IR_I1;
    if (mask)
        wasm_i32(w, 0);
    wasm_value(w, i->args[0]);
    if (mask)
        wasm_op(w, OP_I32_SUB);
    simd(w, ops[column(i->type)]);
    set_part(w, r, 0);
    for (unsigned part = 1; part < wasm_parts(i->type); part++) {
        wasm_part(w, r, 0);
        set_part(w, r, part);
    }
}

static void do_iota(struct wasm *w, const struct ir_inst *i) /* of i32 it is known */
{
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        uint64_t at = (uint64_t)part * in_part(i->type);
        if (is_wide(i->type))
            wasm_v128(w, at, at + 1);
        else
            wasm_v128(w, (at + 1) << 32 | at, (at + 3) << 32 | (at + 2));
        set_part(w, &i->results[0], part);
    }
}

static void do_insert(struct wasm *w, const struct ir_inst *i)
{
    uint32_t t = scratch_of(w, i->type);
    wasm_value(w, i->args[1]);
    wasm_local(w, OP_LOCAL_SET, t);
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        wasm_part(w, i->args[0], part);
        set_part(w, &i->results[0], part);
    }
    set_lane(w, &i->results[0], i->imm % ir_lanes(i->type), t);
}

/* The lane that a number in a local names. */
static void pick_lane(struct wasm *w, const struct ir_value *v, uint32_t index, uint32_t out)
{
    unsigned lanes = ir_lanes(v->type);
    for (unsigned lane = 0; lane < lanes; lane++) { /* the last equal one stays */
        wasm_lane(w, v, lane);
        if (lane) {
            wasm_local(w, OP_LOCAL_GET, out);
            wasm_local(w, OP_LOCAL_GET, index);
            wasm_i32(w, lanes - 1);
            wasm_op(w, OP_I32_AND);
            wasm_i32(w, lane);
            wasm_op(w, OP_I32_EQ);
            wasm_op(w, OP_SELECT);
        }
        wasm_local(w, OP_LOCAL_SET, out);
    }
}

/* Lane index[k] for each k, where those are known: from the parts they are in, two at a time. */
static void permute_constant(struct wasm *w, const struct ir_inst *i, const uint32_t *index)
{
    const struct ir_value *v = i->args[0];
    const unsigned n = in_part(i->type), size = 16 / n, lanes = ir_lanes(i->type);
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        const uint32_t needed = w->needed[i->results[0].id] >> part * n;
        unsigned from[4] = {0}, nfrom = 0;
        for (unsigned k = 0; k < n; k++) {
            if (!(needed >> k & 1))
                continue;
            unsigned p = index[part * n + k] % lanes / n, have = 0;
            while (have < nfrom && from[have] != p)
                have++;
            if (have == nfrom)
                from[nfrom++] = p;
        }
        bool as_it_is = nfrom <= 1;
        for (unsigned k = 0; k < n; k++)
            as_it_is &= !(needed >> k & 1) || index[part * n + k] % n == k;
        wasm_part(w, v, from[0]);
        for (unsigned s = nfrom > 1; s < nfrom && !as_it_is; s++) { /* what is right stays */
            uint8_t pick[16];
            wasm_part(w, v, from[s]);
            for (unsigned byte = 0; byte < 16; byte++) {
                const unsigned at = index[part * n + byte / size] % lanes,
                               in = at % n * size + byte % size;
                pick[byte] = (uint8_t)(at / n == from[s] ? 16 + in : s > 1 ? byte : in);
            }
            wasm_shuffle(w, pick);
        }
        set_part(w, &i->results[0], part);
    }
}

/* Lane index[k] for each k, by bytes. */
static void do_permute(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[0], *index = i->args[1];
    bool wide = is_wide(i->type);
    if (constant_lanes(w, index)) {
        permute_constant(w, i, constant_lanes(w, index));
        return;
    }
    uint32_t bytes = wasm_new_local(w, WASM_V128);
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        /* the number of each byte among those of all parts */
        wasm_part(w, index, wide ? part / 2 : part);
        splat32(w, ir_lanes(i->type) - 1);
        simd(w, OP_V128_AND);
        splat32(w, wide ? 0x08080808 : 0x04040404);
        simd(w, OP_I32X4_MUL);
        if (wide) {
            simd(w, OP_I64X2_EXTEND_LOW_U + part % 2);
            wasm_v128(w, UINT64_C(0x100000001), UINT64_C(0x100000001));
            simd(w, OP_I64X2_MUL);
        }
        uint64_t low = 0x03020100, high = 0x07060504;
        wasm_v128(w, (wide ? high : low) << 32 | low, (wide ? high : low) << 32 | low);
        simd(w, OP_I32X4_ADD);
        wasm_local(w, OP_LOCAL_SET, bytes);
        for (unsigned from = 0; from < wasm_parts(v->type); from++) {
            wasm_part(w, v, from);
            wasm_local(w, OP_LOCAL_GET, bytes);
            if (from) {
                splat32(w, 0x10101010 * from);
                simd(w, OP_I8X16_SUB);
            }
            simd(w, OP_I8X16_SWIZZLE); /* 0 for those of other parts */
            if (from)
                simd(w, OP_V128_OR);
        }
        set_part(w, &i->results[0], part);
    }
}

static enum ir_op op_of_rmw(enum ir_rmw kind)
{
    static const enum ir_op ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = IR_OP_add,   [IR_RMW_SUB] = IR_OP_sub,   [IR_RMW_AND] = IR_OP_and,
        [IR_RMW_OR] = IR_OP_or,     [IR_RMW_XOR] = IR_OP_xor,   [IR_RMW_UMIN] = IR_OP_umin,
        [IR_RMW_UMAX] = IR_OP_umax, [IR_RMW_SMIN] = IR_OP_smin, [IR_RMW_SMAX] = IR_OP_smax,
        [IR_RMW_FADD] = IR_OP_fadd, [IR_RMW_FMIN] = IR_OP_fmin, [IR_RMW_FMAX] = IR_OP_fmax};
    return ops[kind];
}

static bool do_reduce(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[0];
    struct ir_value sum = stand_in(w, v->type, 0), next = stand_in(w, v->type, 1);
    struct ir_value *args[] = {&sum, &next};
    struct ir_inst step = {.op = (uint16_t)op_of_rmw((enum ir_rmw)i->imm),
                           .type = ir_scalar(v->type),
                           .nargs = 2,
                           .args = args,
                           .span = i->span};
    for (unsigned lane = 0; lane < ir_lanes(v->type); lane++) {
        wasm_lane(w, v, lane);
        wasm_local(w, OP_LOCAL_SET, w->local[(lane ? next : sum).id]);
        if (!lane)
            continue;
        if (!wasm_instruction(w, &step))
            return false;
        wasm_local(w, OP_LOCAL_SET, w->local[sum.id]);
    }
    wasm_local(w, OP_LOCAL_GET, w->local[sum.id]);
    wasm_local(w, OP_LOCAL_SET, w->local[i->results[0].id]);
    return true;
}

/* ---- memory ---- */

static uint32_t bytes_in_memory(ir_type t)
{
    return ir_class(ir_scalar(t)) == IR_CLASS_PTR ? 8 : ir_bytes(ir_scalar(t));
}

static bool is_dense(ir_type t) /* an element's bytes are its lane's low ones */
{
    enum ir_kind k = ir_kind(t);
    return k != IR_I1 && ir_class(ir_scalar(t)) != IR_CLASS_PTR;
}

static void move(struct wasm *w, unsigned op, uint32_t offset)
{
    simd(w, op);
    wasm_uleb(w->code, 0);
    wasm_uleb(w->code, offset);
}

static void open_if(struct wasm *w)
{
    wasm_op(w, OP_IF);
    sbuf_putc(w->code, 0x40);
}

struct access {
    const struct ir_value *scalar_at; /* consecutive elements, or NULL */
    const struct ir_value *vector_at; /* a pointer for each lane */
    const struct ir_value *from;      /* vector_at is this and known offsets: lanes.c; or NULL */
    const uint32_t *offsets;
    bool in_pairs;               /* addresses are taken out of vector_at by twos, */
    uint32_t pair;               /* to this local */
    const struct ir_value *mask; /* NULL: all */
    const struct ir_value *result, *value;
    ir_type type;
};

static void step_from_one(const struct wasm *w, struct access *a)
{
    const struct ir_inst *i = a->vector_at->kind == IR_VALUE_RESULT ? a->vector_at->u.inst : NULL;
    if (!i || i->op != IR_OP_ptradd || !constant_lanes(w, i->args[1]) ||
        i->args[0]->kind != IR_VALUE_RESULT || i->args[0]->u.inst->op != IR_OP_splat)
        return;
    a->from = i->args[0]->u.inst->args[0];
    a->offsets = constant_lanes(w, i->args[1]);
}

/* Where a lane's element is. The sum is not left to the load: engines that check addresses have a
 * limit for each offset, and soon no register for it. */
static void lane_address(struct wasm *w, const struct access *a, unsigned lane)
{
    if (a->in_pairs) {
        if (lane % 2) {
            wasm_local(w, OP_LOCAL_GET, a->pair);
            wasm_i64(w, 32);
            wasm_op(w, OP_I64_SHR_U);
        } else {
            wasm_part(w, a->vector_at, lane / 4);
            simd(w, OP_I64X2_EXTRACT_LANE);
            sbuf_putc(w->code, (char)(lane / 2 % 2));
            wasm_local(w, OP_LOCAL_TEE, a->pair);
        }
        wasm_op(w, OP_I32_WRAP_I64);
        return;
    }
    if (!a->from) {
        wasm_lane(w, a->vector_at, lane);
        return;
    }
    wasm_value(w, a->from);
    if (a->offsets[lane]) {
        wasm_i32(w, a->offsets[lane]);
        wasm_op(w, OP_I32_ADD);
    }
}

/* A lane from where a pointer points to, or to there, without a scalar between. */
static void lane_of_four_bytes(struct wasm *w, const struct access *a, unsigned lane, bool fresh)
{
    const bool wide = is_wide(a->type);
    const unsigned n = in_part(a->type), part = lane / n;
    lane_address(w, a, lane);
    if (a->value) {
        wasm_part(w, a->value, part);
        move(w, wide ? OP_V128_STORE64_LANE : OP_V128_STORE32_LANE, 0);
        sbuf_putc(w->code, (char)(lane % n));
        return;
    }
    if (fresh && lane % n == 0) {
        move(w, wide ? OP_V128_LOAD64_ZERO : OP_V128_LOAD32_ZERO, 0);
    } else {
        wasm_part(w, a->result, part);
        move(w, wide ? OP_V128_LOAD64_LANE : OP_V128_LOAD32_LANE, 0);
        sbuf_putc(w->code, (char)(lane % n));
    }
    set_part(w, a->result, part);
}

/* One lane's load or store; of small elements and bits through ops.c. */
static bool lane_access(struct wasm *w, const struct ir_inst *i, const struct access *a,
                        unsigned lane, bool fresh, struct ir_value *at, struct ir_value *x)
{
    if (a->vector_at && is_dense(a->type) && bytes_in_memory(a->type) >= 4) {
        lane_of_four_bytes(w, a, lane, fresh);
        return true;
    }
    if (a->vector_at) {
        lane_address(w, a, lane);
    } else {
        wasm_value(w, a->scalar_at);
        wasm_i32(w, lane * bytes_in_memory(a->type));
        wasm_op(w, OP_I32_ADD);
    }
    wasm_local(w, OP_LOCAL_SET, w->local[at->id]);
    struct ir_value *args[] = {at, x};
    struct ir_inst one = {.op = a->result ? IR_OP_load : IR_OP_store,
                          .type = ir_scalar(a->type),
                          .nargs = a->result ? 1 : 2,
                          .args = args,
                          .align = 1,
                          .span = i->span};
    if (a->value) {
        wasm_lane(w, a->value, lane);
        wasm_local(w, OP_LOCAL_SET, w->local[x->id]);
    }
    if (!wasm_instruction(w, &one))
        return false;
    if (a->result) {
        wasm_local(w, OP_LOCAL_SET, w->local[x->id]);
        set_lane(w, a->result, lane, w->local[x->id]);
    }
    return true;
}

/* Neighbours in memory, a part of them: on the stack. */
static void load_part(struct wasm *w, const struct access *a, unsigned part)
{
    wasm_value(w, a->scalar_at);
    switch (bytes_in_memory(a->type)) {
    case 1:
        move(w, OP_V128_LOAD32_ZERO, 4 * part);
        simd(w, OP_I16X8_EXTEND_LOW_U);
        simd(w, OP_I32X4_EXTEND_LOW_U);
        break;
    case 2: move(w, OP_V128_LOAD16X4_U, 8 * part); break;
    default: move(w, OP_V128_LOAD, 16 * part); break;
    }
}

static void store_part(struct wasm *w, const struct access *a, unsigned part, bool blend)
{
    static const uint8_t low_bytes[16] = {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12},
                         low_halves[16] = {0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13};
    const unsigned size = bytes_in_memory(a->type);
    wasm_value(w, a->scalar_at);
    wasm_part(w, a->value, part);
    if (blend) { /* what other lanes have there stays */
        load_part(w, a, part);
        mask_part(w, a->mask, part, is_wide(a->type));
        simd(w, OP_V128_BITSELECT);
    }
    if (size >= 4) {
        move(w, OP_V128_STORE, 16 * part);
        return;
    }
    if (blend) { /* a shuffle takes two */
        uint32_t both = wasm_new_local(w, WASM_V128);
        wasm_local(w, OP_LOCAL_TEE, both);
        wasm_local(w, OP_LOCAL_GET, both);
    } else {
        wasm_part(w, a->value, part);
    }
    wasm_shuffle(w, size == 1 ? low_bytes : low_halves);
    move(w, size == 1 ? OP_V128_STORE32_LANE : OP_V128_STORE64_LANE, 4 * size * part);
    sbuf_putc(w->code, 0);
}

/* Those lanes of a part whose bit of the mask is set. */
static bool masked_part(struct wasm *w, const struct ir_inst *i, const struct access *a,
                        unsigned part, struct ir_value *at, struct ir_value *x)
{
    const unsigned n = in_part(a->type);
    bool ok = true;
    if (a->result) {
        wasm_v128(w, 0, 0);
        set_part(w, a->result, part);
    }
    const uint32_t *constant = constant_lanes(w, a->mask);
    for (unsigned lane = part * n; constant && lane < (part + 1) * n && ok; lane++)
        if (constant[lane] & 1)
            ok = lane_access(w, i, a, lane, false, at, x);
    if (constant)
        return ok;
    if (n == 4) { /* often none */
        wasm_part(w, a->mask, part);
        simd(w, OP_V128_ANY_TRUE);
        open_if(w);
    }
    for (unsigned lane = part * n; lane < (part + 1) * n && ok; lane++) {
        wasm_lane(w, a->mask, lane);
        open_if(w);
        ok = lane_access(w, i, a, lane, false, at, x);
        wasm_op(w, OP_END);
    }
    if (n == 4)
        wasm_op(w, OP_END);
    return ok;
}

/* Elements side by side, where only some lanes ask. If one does, all may be read: memory goes on
 * for a while beyond what is used of it (doc/wasm-abi.md). All may be written too where no other
 * block sees them. */
static void masked_neighbours(struct wasm *w, const struct access *a)
{
    any_of(w, a->mask);
    open_if(w);
    for (unsigned part = 0; part < wasm_parts(a->type); part++) {
        if (a->value) {
            store_part(w, a, part, true);
            continue;
        }
        load_part(w, a, part);
        mask_part(w, a->mask, part, is_wide(a->type));
        simd(w, OP_V128_AND);
        set_part(w, a->result, part);
    }
    if (a->result) {
        wasm_op(w, OP_ELSE);
        for (unsigned part = 0; part < wasm_parts(a->type); part++) {
            wasm_v128(w, 0, 0);
            set_part(w, a->result, part);
        }
    }
    wasm_op(w, OP_END);
}

/* Are the lanes' addresses in vectors, and not known some other way? */
static bool is_computed(const struct wasm *w, const struct access *a)
{
    const struct ir_value *at = a->vector_at;
    return at && !a->from && !constant_lanes(w, at) && !ir_is_const(at) &&
           !(at->kind == IR_VALUE_RESULT && at->u.inst && at->u.inst->op == IR_OP_splat);
}

/* Four elements a known step apart: loaded one by one, then zipped, where a load into a lane would
 * wait for the one before. */
static void gather_butterfly(struct wasm *w, const struct access *a, unsigned part)
{
    static const uint8_t order[4] = {0, 2, 1, 3},
                         zip[16] = {0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23};
    for (unsigned k = 0; k < 4; k++) {
        lane_address(w, a, 4 * part + order[k]);
        move(w, OP_V128_LOAD32_ZERO, 0);
        if (k % 2)
            wasm_shuffle(w, zip);
    }
    wasm_shuffle(w, zip);
    set_part(w, a->result, part);
}

/* ---- what was loaded before: neighbours on a row, as stencils ask for, overlap ---- */

static const struct ir_value *base_of(const struct ir_value *v, uint32_t *offset)
{
    *offset = 0;
    while (v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_ptradd &&
           ir_is_const(v->u.inst->args[1])) {
        *offset += (uint32_t)v->u.inst->args[1]->u.bits;
        v = v->u.inst->args[0];
    }
    return v;
}

static bool is_plain_load(const struct ir_inst *i)
{
    return i->op == IR_OP_load && ir_is_vector(i->type) && is_dense(i->type) && !i->data &&
           bytes_in_memory(i->type) >= 4 && !(i->flags & IR_VOLATILE) && !ir_order(i->flags);
}

void wasm_remember(struct wasm *w, const struct ir_inst *i)
{
    if (is_plain_load(i))
        vec_push(w->arena, &w->loads, i);
    else if (!(ir_op_info[i->op].flags & IR_PURE) && i->op != IR_OP_load && i->op != IR_OP_mload &&
             i->op != IR_OP_gather)
        w->loads.len = 0;
}

/* A part of a load from two parts of one before it, which lies less than a part lower: true, and it
 * is on the stack. */
static bool part_of_loads(struct wasm *w, const struct ir_inst *i, unsigned part)
{
    uint32_t at, from;
    const struct ir_value *base = base_of(i->args[0], &at);
    vec_each (const struct ir_inst *, before, &w->loads) {
        const struct ir_value *v = &(*before)->results[0];
        if (base_of((*before)->args[0], &from) != base || at - from >= 16 || at == from ||
            part + 1 >= wasm_parts(v->type) || !w->uses_of[v->id])
            continue;
        uint8_t pick[16];
        for (unsigned byte = 0; byte < 16; byte++)
            pick[byte] = (uint8_t)(at - from + byte);
        wasm_part(w, v, part);
        wasm_part(w, v, part + 1);
        wasm_shuffle(w, pick);
        return true;
    }
    return false;
}

static bool access_lanes(struct wasm *w, const struct ir_inst *i, struct access *a)
{
    const unsigned n = in_part(a->type);
    for (unsigned part = 0; i->data && a->result && part < wasm_parts(a->type); part++) {
        wasm_promoted_part(w, (const struct wasm_word *)i->data + 4 * part);
        set_part(w, a->result, part);
    }
    if (i->data)
        return true;
    const bool all = !a->mask || (ir_is_const(a->mask) && (a->mask->u.bits & 1)),
               dense = a->scalar_at && is_dense(a->type),
               own = a->scalar_at && (ir_space(a->scalar_at->type) == IR_SPACE_SHARED ||
                                      ir_space(a->scalar_at->type) == IR_SPACE_LOCAL);
    bool ok = true;
    if (dense && !all && (a->result || own)) {
        masked_neighbours(w, a);
        return true;
    }
    struct ir_value at = {0}, x = {0};
    if (!all || !dense) {
        at = stand_in(w, IR_PTR_TO(IR_SPACE_GENERIC), 0);
        x = stand_in(w, a->type, 1);
    }
    a->in_pairs = all && is_computed(w, a); /* moves between kinds of registers are dear */
    if (a->in_pairs)
        a->pair = wasm_new_local(w, WASM_I64);
    for (unsigned part = 0; part < wasm_parts(a->type) && ok; part++) {
        if (all && dense && a->value) {
            store_part(w, a, part, false);
        } else if (all && dense) {
            if (!is_plain_load(i) || !part_of_loads(w, i, part))
                load_part(w, a, part);
            set_part(w, a->result, part);
        } else if (all && a->from && a->result && n == 4 && is_dense(a->type) &&
                   bytes_in_memory(a->type) == 4) {
            gather_butterfly(w, a, part);
        } else if (all) {
            for (unsigned lane = part * n; lane < (part + 1) * n && ok; lane++)
                ok = lane_access(w, i, a, lane, true, &at, &x);
        } else if (dense) {
            mask_part(w, a->mask, part, is_wide(a->type));
            simd(w, OP_I32X4_ALL_TRUE);
            open_if(w);
            store_part(w, a, part, false);
            wasm_op(w, OP_ELSE);
            ok = masked_part(w, i, a, part, &at, &x);
            wasm_op(w, OP_END);
        } else {
            ok = masked_part(w, i, a, part, &at, &x);
        }
    }
    return ok;
}

static bool atomic_lanes(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *at = i->args[0], *v = i->args[1], *mask = i->args[2];
    struct ir_value p = stand_in(w, IR_PTR_TO(IR_SPACE_GENERIC), 0), x = stand_in(w, v->type, 1);
    struct ir_value old = stand_in(w, v->type, 2), *args[] = {&p, &x};
    struct ir_inst one = {.op = IR_OP_rmw,
                          .type = ir_scalar(i->type),
                          .nargs = 2,
                          .args = args,
                          .imm = i->imm,
                          .results = &old,
                          .nresults = 1,
                          .span = i->span};
    const bool all = ir_is_const(mask) && mask->u.bits & 1, wanted = w->uses_of[i->results[0].id];
    for (unsigned part = 0; part < wasm_parts(i->type) && wanted && !all; part++) {
        wasm_v128(w, 0, 0);
        set_part(w, &i->results[0], part);
    }
    const uint32_t *constant = constant_lanes(w, mask);
    for (unsigned lane = 0; lane < ir_lanes(i->type); lane++) {
        if (constant && !(constant[lane] & 1))
            continue;
        if (!all && !constant) {
            wasm_lane(w, mask, lane);
            open_if(w);
        }
        wasm_lane(w, at, lane);
        wasm_local(w, OP_LOCAL_SET, w->local[p.id]);
        wasm_lane(w, v, lane);
        wasm_local(w, OP_LOCAL_SET, w->local[x.id]);
        if (!wasm_instruction(w, &one))
            return false;
        wasm_op(w, OP_DROP);
        if (wanted)
            set_lane(w, &i->results[0], lane, w->local[old.id]);
        if (!all && !constant)
            wasm_op(w, OP_END);
    }
    return true;
}

/* ---- fma: exact in f64, two lanes at a time ---- */

static void fma_part(struct wasm *w, const struct ir_inst *i, unsigned part)
{
    /* s = a*b + c in f64 is not exact; its error is. Where the error is not zero and the last bit
     * of s is even, s moves by that bit toward the error, which makes rounding to f32 right. */
    enum { P, C, S, E, T, COUNT };
    uint32_t l[COUNT], half[2];
    for (unsigned k = 0; k < COUNT; k++)
        l[k] = wasm_new_local(w, WASM_V128);
    for (unsigned upper = 0; upper < 2; upper++) {
        half[upper] = wasm_new_local(w, WASM_V128);
        for (unsigned k = 0; k < 3; k++) {
            promote(w, i->args[k], part, upper);
            if (k == 1) {
                simd(w, OP_F64X2_MUL);
                wasm_local(w, OP_LOCAL_SET, l[P]);
            } else if (k == 2) {
                wasm_local(w, OP_LOCAL_SET, l[C]);
            }
        }
#define GET(x) wasm_local(w, OP_LOCAL_GET, l[x])
#define SET(x) wasm_local(w, OP_LOCAL_SET, l[x])
        GET(P), GET(C), simd(w, OP_F64X2_ADD), SET(S);
        GET(S), GET(P), simd(w, OP_F64X2_SUB), SET(T);
        GET(P), GET(S), GET(T), simd(w, OP_F64X2_SUB), simd(w, OP_F64X2_SUB);
        GET(C), GET(T), simd(w, OP_F64X2_SUB), simd(w, OP_F64X2_ADD), SET(E);
        /* +1 where the error points away from zero, -1 toward it; as integers of the bits */
        GET(E), GET(S), simd(w, OP_V128_XOR), wasm_i32(w, 63), simd(w, OP_I64X2_SHR_S);
        wasm_v128(w, 1, 1), simd(w, OP_V128_OR);
        /* only if inexact, finite and even */
        GET(E), wasm_v128(w, 0, 0), simd(w, OP_F64X2_NE), simd(w, OP_V128_AND);
        GET(S), wasm_v128(w, 1, 1), simd(w, OP_V128_AND), wasm_v128(w, 0, 0);
        simd(w, OP_I64X2_EQ), simd(w, OP_V128_AND);
        GET(E), GET(E), simd(w, OP_F64X2_EQ), simd(w, OP_V128_AND);
        GET(S), simd(w, OP_I64X2_ADD), simd(w, OP_F32X4_DEMOTE_ZERO);
        wasm_local(w, OP_LOCAL_SET, half[upper]);
#undef GET
#undef SET
    }
    wasm_local(w, OP_LOCAL_GET, half[0]);
    wasm_local(w, OP_LOCAL_GET, half[1]);
    wasm_shuffle(w, join_halves);
    set_part(w, &i->results[0], part);
}

/* Fused where the engine does that; else what contraction made is rounded twice in f32. */
static bool do_fma(struct wasm *w, const struct ir_inst *i)
{
    const bool fused = w->options->relaxed, wide = ir_kind(i->type) == IR_F64;
    if ((i->op != IR_OP_mad && i->op != IR_OP_fma) || (i->flags & IR_ROUND_MASK) ||
        (ir_kind(i->type) != IR_F32 && !(wide && fused)))
        return false;
    for (unsigned part = 0; part < wasm_parts(i->type); part++) {
        if (!fused && i->op == IR_OP_fma) {
            fma_part(w, i, part);
            continue;
        }
        wasm_part(w, i->args[0], part);
        wasm_part(w, i->args[1], part);
        if (!fused)
            simd(w, OP_F32X4_MUL);
        wasm_part(w, i->args[2], part);
        simd(w, !fused ? OP_F32X4_ADD : wide ? OP_F64X2_RELAXED_MADD : OP_F32X4_RELAXED_MADD);
        set_part(w, &i->results[0], part);
    }
    return true;
}

/* ---- all of them ---- */

bool wasm_has_lanes(ir_type t)
{
    unsigned n = ir_lanes(t);
    return n >= 4 && n <= 32 && (n & (n - 1)) == 0;
}

bool wasm_touches_vectors(const struct ir_inst *i)
{
    if (i->nresults && ir_is_vector(i->results[0].type))
        return true;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (ir_is_vector(i->args[k]->type))
            return true;
    return false;
}

bool wasm_takes_vector(const struct ir_inst *i)
{
    for (uint32_t k = 0; k <= i->nargs; k++) {
        ir_type t = k < i->nargs ? i->args[k]->type : i->nresults ? i->results[0].type : IR_VOID;
        if (ir_is_vector(t) && !wasm_has_lanes(t))
            return false;
    }
    if (ir_is_gang_op((enum ir_op)i->op))
        return true;
    if (i->op == IR_OP_load || i->op == IR_OP_store)
        return true;
    bool directed = i->flags & IR_ROUND_MASK && ir_op_info[i->op].flags & IR_ROUNDS &&
                    i->op != IR_OP_ftosi && i->op != IR_OP_ftoui;
    return ir_op_info[i->op].flags & IR_ELEMENTWISE && i->nargs <= WASM_STAND_INS && !directed;
}

static bool to_scalar(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *v = i->args[0];
    switch (i->op) {
    case IR_OP_anylane:
    case IR_OP_alllanes:
        for (unsigned part = 0; part < wasm_parts(v->type); part++) {
            wasm_part(w, v, part);
            if (part)
                simd(w, i->op == IR_OP_anylane ? OP_V128_OR : OP_V128_AND);
        }
        simd(w, i->op == IR_OP_anylane ? OP_V128_ANY_TRUE : OP_I32X4_ALL_TRUE);
        break;
    case IR_OP_maskbits:
        for (unsigned part = 0; part < wasm_parts(v->type); part++) {
            wasm_part(w, v, part);
            simd(w, OP_I32X4_BITMASK);
            if (part) {
                wasm_i32(w, 4 * part);
                wasm_op(w, OP_I32_SHL);
                wasm_op(w, OP_I32_OR);
            }
        }
        break;
    case IR_OP_extract: wasm_lane(w, v, i->imm % ir_lanes(v->type)); break;
    case IR_OP_extractv: {
        uint32_t n = wasm_new_local(w, WASM_I32);
        wasm_value(w, i->args[1]);
        wasm_local(w, OP_LOCAL_SET, n);
        pick_lane(w, v, n, w->local[i->results[0].id]);
        return true;
    }
    case IR_OP_reduce: return do_reduce(w, i);
    default: return wasm_refuse(w, i, "not for vectors");
    }
    wasm_local(w, OP_LOCAL_SET, w->local[i->results[0].id]);
    return true;
}

bool wasm_vector(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *r = i->nresults ? &i->results[0] : NULL;
    for (uint32_t k = 0; k <= i->nargs; k++) {
        ir_type t = k < i->nargs ? i->args[k]->type : r ? r->type : IR_VOID;
        if (ir_is_vector(t) && !wasm_has_lanes(t))
            return wasm_refuse(w, i, "vectors of less than 4 or more than 32 lanes");
    }
    if (r && constant_lanes(w, r)) {
        for (unsigned part = 0; part < wasm_parts(r->type); part++) {
            constant_part(w, r, part);
            set_part(w, r, part);
        }
        return true;
    }
    switch (i->op) {
    case IR_OP_splat: do_splat(w, i); return true;
    case IR_OP_iota: do_iota(w, i); return true;
    case IR_OP_insert: do_insert(w, i); return true;
    case IR_OP_permute: do_permute(w, i); return true;
    case IR_OP_select: return do_select(w, i);
    case IR_OP_load: {
        struct access a = {.scalar_at = i->args[0], .result = r, .type = i->type};
        return access_lanes(w, i, &a);
    }
    case IR_OP_store: {
        struct access a = {.scalar_at = i->args[0], .value = i->args[1], .type = i->args[1]->type};
        return access_lanes(w, i, &a);
    }
    case IR_OP_mload: {
        struct access a = {
            .scalar_at = i->args[0], .mask = i->args[1], .result = r, .type = i->type};
        return access_lanes(w, i, &a);
    }
    case IR_OP_mstore: {
        struct access a = {.scalar_at = i->args[0],
                           .value = i->args[1],
                           .mask = i->args[2],
                           .type = i->args[1]->type};
        return access_lanes(w, i, &a);
    }
    case IR_OP_gather: {
        struct access a = {
            .vector_at = i->args[0], .mask = i->args[1], .result = r, .type = i->type};
        step_from_one(w, &a);
        return access_lanes(w, i, &a);
    }
    case IR_OP_scatter: {
        struct access a = {.vector_at = i->args[0],
                           .value = i->args[1],
                           .mask = i->args[2],
                           .type = i->args[1]->type};
        step_from_one(w, &a);
        return access_lanes(w, i, &a);
    }
    case IR_OP_mrmw: return atomic_lanes(w, i);
    case IR_OP_ptradd: do_ptradd(w, i); return true;
    case IR_OP_mad:
    case IR_OP_fma:
        if (do_fma(w, i))
            return true;
        break;
    default: break;
    }
    if (r && !ir_is_vector(r->type))
        return to_scalar(w, i);
    if (i->flags & IR_ROUND_MASK && ir_op_info[i->op].flags & IR_ROUNDS) {
        if (do_convert(w, i))
            return true;
        lane_by_lane(w, i); /* refuses what it must */
        return !w->failed;
    }
    if (do_simple(w, i) || do_extreme(w, i) || do_shift(w, i) || do_divide(w, i) ||
        do_quotient(w, i) || do_convert(w, i))
        return true;
    if (!r || !(ir_op_info[i->op].flags & IR_ELEMENTWISE) || i->nargs > WASM_STAND_INS)
        return wasm_refuse(w, i, "not for vectors");
    lane_by_lane(w, i);
    return !w->failed;
}

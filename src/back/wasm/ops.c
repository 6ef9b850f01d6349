/* Operations → WebAssembly instructions.
 *
 * Where an operation is one instruction, a table has it. Where it needs an operand twice (division
 * by zero, long shifts, minima with NaN), the operand is a local or a constant: wasm_reads_twice
 * tells code.c not to write it in place. What takes more is a function of text/. */
#include <string.h>
#include "back/wasm/wasm_int.h"

void wasm_uleb(struct sbuf *b, uint64_t v)
{
    do {
        uint8_t byte = v & 127;
        v >>= 7;
        sbuf_putc(b, (char)(byte | (v ? 128 : 0)));
    } while (v);
}

static void sleb(struct sbuf *b, int64_t v)
{
    for (;;) {
        uint8_t byte = v & 127;
        v >>= 7;
        bool last = (v == 0 && !(byte & 64)) || (v == -1 && (byte & 64));
        sbuf_putc(b, (char)(byte | (last ? 0 : 128)));
        if (last)
            return;
    }
}

void wasm_op(struct wasm *w, unsigned op)
{
    if (op > 255) {
        sbuf_putc(w->code, (char)(op >> 8));
        wasm_uleb(w->code, op & 255);
    } else {
        sbuf_putc(w->code, (char)op);
    }
}

void wasm_i32(struct wasm *w, uint32_t v)
{
    wasm_op(w, OP_I32_CONST);
    sleb(w->code, (int32_t)v);
}

void wasm_i64(struct wasm *w, uint64_t v)
{
    wasm_op(w, OP_I64_CONST);
    sleb(w->code, (int64_t)v);
}

void wasm_local(struct wasm *w, unsigned op, uint32_t index)
{
    wasm_op(w, op);
    wasm_uleb(w->code, index);
}

static void access(struct wasm *w, unsigned op, unsigned log_align, uint32_t offset)
{
    wasm_op(w, op);
    wasm_uleb(w->code, log_align);
    wasm_uleb(w->code, offset);
}

/* A word of the launcher's own: each thread of the engine has its own ones. */
static void own_word(struct wasm *w, uint32_t at)
{
    wasm_local(w, OP_GLOBAL_GET, wasm_own(at));
}

static void constant(struct wasm *w, ir_type t, uint64_t bits)
{
    switch (wasm_type(t)) {
    case WASM_I64: wasm_i64(w, bits); break;
    case WASM_F32:
        wasm_op(w, OP_F32_CONST);
        sbuf_u32le(w->code, (uint32_t)bits);
        break;
    case WASM_F64:
        wasm_op(w, OP_F64_CONST);
        sbuf_u64le(w->code, bits);
        break;
    default: wasm_i32(w, (uint32_t)bits); break;
    }
}

void wasm_value(struct wasm *w, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_VALUE_CONST: constant(w, v->type, v->u.bits); return;
    case IR_VALUE_GLOBAL: {
        struct ir_global *g = v->u.global;
        if (g->space == IR_SPACE_SHARED) {
            uint32_t at = (uint32_t)(uintptr_t)map_get(&w->shared_offset, map_key(g));
            if (w->shared)
                wasm_local(w, OP_LOCAL_GET, w->shared);
            else
                own_word(w, WASM_SHARED);
            if (at) {
                wasm_i32(w, at);
                wasm_op(w, OP_I32_ADD);
            }
        } else {
            wasm_i32(w, w->first + (uint32_t)(uintptr_t)map_get(&w->global_offset, map_key(g)));
        }
        return;
    }
    case IR_VALUE_FUNC: wasm_i32(w, wasm_pointer(w, v->u.func)); return;
    default: break;
    }
    if (v->kind == IR_VALUE_RESULT && w->folded[v->id])
        wasm_instruction(w, v->u.inst);
    else
        wasm_local(w, OP_LOCAL_GET, w->local[v->id]);
}

/* ---- one instruction each: i32, i64, f32, f64; 0: not so simple ---- */

static const struct simple {
    uint8_t op[4];
    bool fits;      /* narrow operands give a result that needs no mask */
    bool is_signed; /* narrow operands are sign-extended first */
} simple[IR_OP_COUNT] = {
    [IR_OP_add] = {{OP_I32_ADD, OP_I64_ADD}, false, false},
    [IR_OP_sub] = {{OP_I32_SUB, OP_I64_SUB}, false, false},
    [IR_OP_mul] = {{OP_I32_MUL, OP_I64_MUL}, false, false},
    [IR_OP_and] = {{OP_I32_AND, OP_I64_AND}, true, false},
    [IR_OP_or] = {{OP_I32_OR, OP_I64_OR}, true, false},
    [IR_OP_xor] = {{OP_I32_XOR, OP_I64_XOR}, true, false},
    [IR_OP_popc] = {{OP_I32_POPCNT, OP_I64_POPCNT}, true, false},
    [IR_OP_eq] = {{OP_I32_EQ, OP_I64_EQ}, true, false},
    [IR_OP_ne] = {{OP_I32_NE, OP_I64_NE}, true, false},
    [IR_OP_ult] = {{OP_I32_LT_U, OP_I64_LT_U}, true, false},
    [IR_OP_ule] = {{OP_I32_LE_U, OP_I64_LE_U}, true, false},
    [IR_OP_slt] = {{OP_I32_LT_S, OP_I64_LT_S}, true, true},
    [IR_OP_sle] = {{OP_I32_LE_S, OP_I64_LE_S}, true, true},
    [IR_OP_fadd] = {{0, 0, OP_F32_ADD, OP_F64_ADD}, true, false},
    [IR_OP_fsub] = {{0, 0, OP_F32_SUB, OP_F64_SUB}, true, false},
    [IR_OP_fmul] = {{0, 0, OP_F32_MUL, OP_F64_MUL}, true, false},
    [IR_OP_fdiv] = {{0, 0, OP_F32_DIV, OP_F64_DIV}, true, false},
    [IR_OP_fneg] = {{0, 0, OP_F32_NEG, OP_F64_NEG}, true, false},
    [IR_OP_fabs] = {{0, 0, OP_F32_ABS, OP_F64_ABS}, true, false},
    [IR_OP_fcopysign] = {{0, 0, OP_F32_COPYSIGN, OP_F64_COPYSIGN}, true, false},
    [IR_OP_fsqrt] = {{0, 0, OP_F32_SQRT, OP_F64_SQRT}, true, false},
    [IR_OP_ffloor] = {{0, 0, OP_F32_FLOOR, OP_F64_FLOOR}, true, false},
    [IR_OP_fceil] = {{0, 0, OP_F32_CEIL, OP_F64_CEIL}, true, false},
    [IR_OP_ftrunc] = {{0, 0, OP_F32_TRUNC, OP_F64_TRUNC}, true, false},
    [IR_OP_frint] = {{0, 0, OP_F32_NEAREST, OP_F64_NEAREST}, true, false},
    [IR_OP_feq] = {{0, 0, OP_F32_EQ, OP_F64_EQ}, true, false},
    [IR_OP_fne] = {{0, 0, OP_F32_NE, OP_F64_NE}, true, false},
    [IR_OP_flt] = {{0, 0, OP_F32_LT, OP_F64_LT}, true, false},
    [IR_OP_fle] = {{0, 0, OP_F32_LE, OP_F64_LE}, true, false},
};

static unsigned column(ir_type t)
{
    switch (wasm_type(t)) {
    case WASM_I64: return 1;
    case WASM_F32: return 2;
    case WASM_F64: return 3;
    default: return 0;
    }
}

static bool compares(const struct ir_inst *i)
{
    unsigned shape = ir_op_info[i->op].shape;
    return shape == IR_SHAPE_IC || shape == IR_SHAPE_FC;
}

static void mask(struct wasm *w, unsigned bits)
{
    if (bits < 32) {
        wasm_i32(w, (1u << bits) - 1);
        wasm_op(w, OP_I32_AND);
    }
}

static void sign_extend(struct wasm *w, unsigned bits)
{
    if (bits == 8) {
        wasm_op(w, OP_I32_EXTEND8_S);
    } else if (bits == 16) {
        wasm_op(w, OP_I32_EXTEND16_S);
    } else if (bits == 1) {
        uint32_t t = w->scratch[0] ? w->scratch[0] : (w->scratch[0] = wasm_new_local(w, WASM_I32));
        wasm_local(w, OP_LOCAL_SET, t);
        wasm_i32(w, 0);
        wasm_local(w, OP_LOCAL_GET, t);
        wasm_op(w, OP_I32_SUB);
    }
}

static void call(struct wasm *w, const char *name)
{
    wasm_local(w, OP_CALL, wasm_index(w, ir_func_find(w->module, name)) - 1);
}

/* f16 and bf16 compute as f32. */
static void to_f32(struct wasm *w, ir_type t)
{
    if (ir_kind(t) == IR_F16)
        call(w, "tern.f16_to_f32");
    if (ir_kind(t) == IR_BF16) {
        wasm_i32(w, 16);
        wasm_op(w, OP_I32_SHL);
        wasm_op(w, OP_F32_REINTERPRET_I32);
    }
}

static void from_f32(struct wasm *w, ir_type t)
{
    if (ir_kind(t) == IR_F16)
        call(w, "tern.f32_to_f16");
    if (ir_kind(t) == IR_BF16)
        call(w, "tern.f32_to_bf16");
}

static bool is_short(ir_type t)
{
    return ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16;
}

static bool do_simple(struct wasm *w, const struct ir_inst *i)
{
    const struct simple *s = &simple[i->op];
    ir_type t = compares(i) ? i->args[0]->type : i->type;
    unsigned col = is_short(t) ? 2 : column(t), bits = ir_bits(t);
    bool narrow = ir_class(t) == IR_CLASS_INT && bits < 32;
    if (!s->op[col])
        return false;
    if (is_short(t) && (i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign))
        return false; /* on the bits */
    for (uint32_t k = 0; k < i->nargs; k++) {
        wasm_value(w, i->args[k]);
        if (narrow && s->is_signed)
            sign_extend(w, bits);
        to_f32(w, t);
    }
    wasm_op(w, s->op[col]);
    if (narrow && !s->fits)
        mask(w, bits);
    if (is_short(t) && !compares(i))
        from_f32(w, t);
    return true;
}

/* ---- the others ---- */

bool wasm_reads_twice(const struct ir_inst *i, uint32_t arg)
{
    switch (i->op) {
    case IR_OP_udiv:
    case IR_OP_urem:
    case IR_OP_sdiv:
    case IR_OP_srem:
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax:
    case IR_OP_fmin:
    case IR_OP_fmax:
    case IR_OP_funo: return true;
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return arg == 1;
    case IR_OP_rmw:
    case IR_OP_cas: return true;
    case IR_OP_isspace: return true;
    case IR_OP_printf:
    case IR_OP_cpasync: return true;
    default: return false;
    }
}

static void value_s(struct wasm *w, const struct ir_value *v) /* as a signed number */
{
    wasm_value(w, v);
    if (ir_class(v->type) == IR_CLASS_INT)
        sign_extend(w, ir_bits(v->type));
}

static void zero_one(struct wasm *w, ir_type t, uint64_t v) /* an integer constant of t's width */
{
    if (wasm_type(t) == WASM_I64)
        wasm_i64(w, v);
    else
        wasm_i32(w, (uint32_t)v);
}

static void division(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *a = i->args[0], *b = i->args[1];
    bool wide = wasm_type(i->type) == WASM_I64;
    unsigned n = wide ? OP_I64_ADD - OP_I32_ADD : 0, bits = ir_bits(i->type);
    unsigned eqz = wide ? OP_I64_EQZ : OP_I32_EQZ;
    bool s = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    if (i->op == IR_OP_udiv || i->op == IR_OP_urem || i->op == IR_OP_srem) {
        /* by b + (b == 0), then what division by zero gives instead */
        if (i->op == IR_OP_udiv)
            zero_one(w, i->type, ~0ull);
        else
            wasm_value(w, a);
        s ? value_s(w, a) : wasm_value(w, a);
        s ? value_s(w, b) : wasm_value(w, b);
        wasm_value(w, b);
        wasm_op(w, eqz);
        if (wide)
            wasm_op(w, OP_I64_EXTEND_I32_U);
        wasm_op(w, OP_I32_ADD + n);
        wasm_op(w, (i->op == IR_OP_udiv   ? OP_I32_DIV_U
                    : i->op == IR_OP_urem ? OP_I32_REM_U
                                          : OP_I32_REM_S) +
                       n);
        wasm_value(w, b);
        wasm_op(w, eqz);
        wasm_op(w, OP_SELECT);
    } else {
        /* -1 ? 0 - a : 0 ? ~0 : a / b, dividing by 1 in the first two cases */
        zero_one(w, i->type, ~0ull);
        zero_one(w, i->type, 0);
        value_s(w, a);
        wasm_op(w, OP_I32_SUB + n);
        value_s(w, a);
        zero_one(w, i->type, 1);
        value_s(w, b);
        value_s(w, b);
        zero_one(w, i->type, 1);
        wasm_op(w, OP_I32_ADD + n);
        zero_one(w, i->type, 2);
        wasm_op(w, wide ? OP_I64_LT_U : OP_I32_LT_U);
        wasm_op(w, OP_SELECT);
        wasm_op(w, OP_I32_DIV_S + n);
        value_s(w, b);
        zero_one(w, i->type, ~0ull);
        wasm_op(w, wide ? OP_I64_EQ : OP_I32_EQ);
        wasm_op(w, OP_SELECT);
        wasm_value(w, b);
        wasm_op(w, eqz);
        wasm_op(w, OP_SELECT);
    }
    mask(w, bits);
}

static void shift(struct wasm *w, const struct ir_inst *i)
{
    const struct ir_value *a = i->args[0], *b = i->args[1];
    bool wide = wasm_type(i->type) == WASM_I64;
    unsigned n = wide ? OP_I64_ADD - OP_I32_ADD : 0, bits = ir_bits(i->type);
    unsigned op = (i->op == IR_OP_shl    ? OP_I32_SHL
                   : i->op == IR_OP_lshr ? OP_I32_SHR_U
                                         : OP_I32_SHR_S) +
                  n;
    unsigned less = wide ? OP_I64_LT_U : OP_I32_LT_U;
    bool arithmetic = i->op == IR_OP_ashr;
    arithmetic ? value_s(w, a) : wasm_value(w, a);
    if (ir_is_const(b)) {
        uint64_t c = b->u.bits, top = wide ? 63 : 31;
        bool all = c >= bits;
        zero_one(w, i->type, all && arithmetic ? top : all ? 0 : c);
        wasm_op(w, op);
        if (all && !arithmetic) {
            wasm_op(w, OP_DROP);
            zero_one(w, i->type, 0);
        }
    } else if (arithmetic) {
        wasm_value(w, b);
        zero_one(w, i->type, wide ? 63 : 31);
        wasm_value(w, b);
        zero_one(w, i->type, wide ? 64 : 32);
        wasm_op(w, less);
        wasm_op(w, OP_SELECT);
        wasm_op(w, op);
    } else {
        wasm_value(w, b);
        wasm_op(w, op);
        zero_one(w, i->type, 0);
        wasm_value(w, b);
        zero_one(w, i->type, wide ? 64 : 32);
        wasm_op(w, less);
        wasm_op(w, OP_SELECT);
    }
    if (i->op != IR_OP_lshr)
        mask(w, bits);
}

static void extreme(struct wasm *w, const struct ir_inst *i)
{
    static const uint8_t less[][2] = {{OP_I32_LT_U, OP_I64_LT_U},
                                      {OP_I32_GT_U, OP_I64_GT_U},
                                      {OP_I32_LT_S, OP_I64_LT_S},
                                      {OP_I32_GT_S, OP_I64_GT_S}};
    unsigned which = i->op - IR_OP_umin;
    wasm_value(w, i->args[0]);
    wasm_value(w, i->args[1]);
    for (unsigned k = 0; k < 2; k++)
        which > 1 ? value_s(w, i->args[k]) : wasm_value(w, i->args[k]);
    wasm_op(w, less[which][wasm_type(i->type) == WASM_I64]);
    wasm_op(w, OP_SELECT);
}

static void is_nan(struct wasm *w, const struct ir_value *v)
{
    for (unsigned k = 0; k < 2; k++) {
        wasm_value(w, v);
        to_f32(w, v->type);
    }
    wasm_op(w, ir_kind(v->type) == IR_F64 ? OP_F64_NE : OP_F32_NE);
}

static void float_extreme(struct wasm *w, const struct ir_inst *i) /* NaN gives the other */
{
    const struct ir_value *a = i->args[0], *b = i->args[1];
    unsigned op = (ir_kind(i->type) == IR_F64 ? OP_F64_MIN : OP_F32_MIN) + (i->op == IR_OP_fmax);
    wasm_value(w, b);
    wasm_value(w, a);
    wasm_value(w, a);
    to_f32(w, i->type);
    wasm_value(w, b);
    to_f32(w, i->type);
    wasm_op(w, op);
    from_f32(w, i->type);
    is_nan(w, b);
    wasm_op(w, OP_SELECT);
    is_nan(w, a);
    wasm_op(w, OP_SELECT);
}

static void multiply_high(struct wasm *w, const struct ir_inst *i)
{
    bool s = i->op == IR_OP_smulhi;
    unsigned bits = ir_bits(i->type);
    for (unsigned k = 0; k < 2; k++) {
        s ? value_s(w, i->args[k]) : wasm_value(w, i->args[k]);
        wasm_op(w, s ? OP_I64_EXTEND_I32_S : OP_I64_EXTEND_I32_U);
    }
    wasm_op(w, OP_I64_MUL);
    wasm_i64(w, bits);
    wasm_op(w, OP_I64_SHR_U);
    wasm_op(w, OP_I32_WRAP_I64);
    mask(w, bits);
}

static void bits_of_short(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    if (i->op == IR_OP_fneg) {
        wasm_i32(w, 0x8000);
        wasm_op(w, OP_I32_XOR);
        return;
    }
    wasm_i32(w, 0x7fff);
    wasm_op(w, OP_I32_AND);
    if (i->op == IR_OP_fcopysign) {
        wasm_value(w, i->args[1]);
        wasm_i32(w, 0x8000);
        wasm_op(w, OP_I32_AND);
        wasm_op(w, OP_I32_OR);
    }
}

/* ---- conversions ---- */

static void clamp(struct wasm *w, unsigned bits, bool s) /* an i32 to a narrower integer */
{
    uint32_t t = w->scratch[0] ? w->scratch[0] : (w->scratch[0] = wasm_new_local(w, WASM_I32));
    uint32_t top = s ? (1u << (bits - 1)) - 1 : (1u << bits) - 1, low = s ? ~top : 0;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t limit = k ? low : top;
        wasm_local(w, OP_LOCAL_TEE, t);
        wasm_i32(w, limit);
        wasm_local(w, OP_LOCAL_GET, t);
        wasm_i32(w, limit);
        wasm_op(w, s ? k ? OP_I32_GT_S : OP_I32_LT_S : k ? OP_I32_GE_U : OP_I32_LT_U);
        wasm_op(w, OP_SELECT);
    }
    mask(w, bits);
}

static void float_to_int(struct wasm *w, const struct ir_inst *i, bool s)
{
    static const uint8_t round[] = {OP_F32_NEAREST, OP_F32_TRUNC, OP_F32_CEIL, OP_F32_FLOOR};
    const struct ir_value *v = i->args[0];
    bool from64 = ir_kind(v->type) == IR_F64, to64 = ir_bits(i->type) == 64;
    unsigned mode = i->flags & IR_ROUND_MASK;
    wasm_value(w, v);
    to_f32(w, v->type);
    if (mode != IR_RZ)
        wasm_op(w, round[mode] + (from64 ? OP_F64_ABS - OP_F32_ABS : 0));
    wasm_op(w, OP_I32_TRUNC_SAT_F32_S + (to64 ? 4 : 0) + (from64 ? 2 : 0) + !s);
    if (ir_bits(i->type) < 32)
        clamp(w, ir_bits(i->type), s);
    if (ir_nan_to_int(ir_kind(v->type), ir_bits(i->type))) { /* not 0 then */
        constant(w, i->type, ir_nan_to_int(ir_kind(v->type), ir_bits(i->type)));
        for (unsigned k = 0; k < 2; k++) {
            wasm_value(w, v);
            to_f32(w, v->type);
        }
        wasm_op(w, from64 ? OP_F64_EQ : OP_F32_EQ);
        wasm_op(w, OP_SELECT);
    }
}

static bool int_to_float(struct wasm *w, const struct ir_inst *i, bool s)
{
    const struct ir_value *v = i->args[0];
    bool from64 = ir_bits(v->type) == 64, to64 = ir_kind(i->type) == IR_F64;
    s ? value_s(w, v) : wasm_value(w, v);
    if (is_short(i->type)) { /* once rounded: through f64 to odd */
        if (!from64)
            wasm_op(w, s ? OP_I64_EXTEND_I32_S : OP_I64_EXTEND_I32_U);
        call(w, s ? "tern.i64_to_odd" : "tern.u64_to_odd");
        call(w, "tern.f64_to_odd");
        from_f32(w, i->type);
        return true;
    }
    wasm_op(w, (to64 ? OP_F64_CONVERT_I32_S : OP_F32_CONVERT_I32_S) + (from64 ? 2 : 0) + !s);
    return true;
}

static void convert_float(struct wasm *w, const struct ir_inst *i)
{
    enum ir_kind to = ir_kind(i->type), from = ir_kind(i->args[0]->type);
    wasm_value(w, i->args[0]);
    if (to == from)
        return;
    to_f32(w, i->args[0]->type);
    if (to == IR_F64)
        wasm_op(w, OP_F64_PROMOTE_F32);
    else if (from == IR_F64 && to == IR_F32)
        wasm_op(w, OP_F32_DEMOTE_F64);
    else if (from == IR_F64)
        call(w, "tern.f64_to_odd");
    from_f32(w, i->type);
}

static void widen(struct wasm *w, const struct ir_inst *i, bool s)
{
    unsigned to = ir_bits(i->type);
    s ? value_s(w, i->args[0]) : wasm_value(w, i->args[0]);
    if (to == 64)
        wasm_op(w, s ? OP_I64_EXTEND_I32_S : OP_I64_EXTEND_I32_U);
    else if (s)
        mask(w, to);
}

static void same_bits(struct wasm *w, const struct ir_inst *i)
{
    static const uint8_t ops[4][4] = {
        [0] = {[2] = OP_F32_REINTERPRET_I32},
        [1] = {[3] = OP_F64_REINTERPRET_I64},
        [2] = {[0] = OP_I32_REINTERPRET_F32},
        [3] = {[1] = OP_I64_REINTERPRET_F64},
    };
    unsigned op = ops[column(i->args[0]->type)][column(i->type)];
    wasm_value(w, i->args[0]);
    if (op)
        wasm_op(w, op);
}

static bool conversion(struct wasm *w, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_trunc:
        wasm_value(w, i->args[0]);
        if (ir_bits(i->args[0]->type) == 64)
            wasm_op(w, OP_I32_WRAP_I64);
        mask(w, ir_bits(i->type));
        return true;
    case IR_OP_zext: widen(w, i, false); return true;
    case IR_OP_sext: widen(w, i, true); return true;
    case IR_OP_fcvt: convert_float(w, i); return true;
    case IR_OP_ftosi: float_to_int(w, i, true); return true;
    case IR_OP_ftoui: float_to_int(w, i, false); return true;
    case IR_OP_sitof: return int_to_float(w, i, true);
    case IR_OP_uitof: return int_to_float(w, i, false);
    case IR_OP_bitcast: same_bits(w, i); return true;
    case IR_OP_ptrtoint:
        wasm_value(w, i->args[0]);
        wasm_op(w, OP_I64_EXTEND_I32_U);
        return true;
    case IR_OP_inttoptr:
        wasm_value(w, i->args[0]);
        wasm_op(w, OP_I32_WRAP_I64);
        return true;
    default: wasm_value(w, i->args[0]); return true; /* cvta: one address space */
    }
}

/* ---- memory ---- */

static unsigned log2_of(uint32_t n)
{
    unsigned k = 0;
    while (n >>= 1)
        k++;
    return k;
}

void wasm_load(struct wasm *w, ir_type t, uint32_t align, uint32_t offset)
{
    static const uint8_t ops[] = {OP_I32_LOAD, OP_I64_LOAD, OP_F32_LOAD, OP_F64_LOAD};
    unsigned size = ir_class(t) == IR_CLASS_PTR ? 4 : ir_bytes(t);
    unsigned natural = log2_of(size), hint = align ? log2_of(align) : natural;
    unsigned op = size == 1 ? OP_I32_LOAD8_U : size == 2 ? OP_I32_LOAD16_U : ops[column(t)];
    access(w, op, hint < natural ? hint : natural, offset);
    if (ir_kind(t) == IR_I1)
        mask(w, 1);
}

void wasm_store(struct wasm *w, ir_type t, uint32_t align, uint32_t offset)
{
    static const uint8_t ops[] = {OP_I32_STORE, OP_I64_STORE, OP_F32_STORE, OP_F64_STORE};
    bool pointer = ir_class(t) == IR_CLASS_PTR;
    unsigned size = pointer ? 8 : ir_bytes(t);
    unsigned natural = log2_of(size), hint = align ? log2_of(align) : natural;
    if (pointer) /* eight bytes in memory */
        wasm_op(w, OP_I64_EXTEND_I32_U);
    unsigned op = pointer     ? OP_I64_STORE
                  : size == 1 ? OP_I32_STORE8
                  : size == 2 ? OP_I32_STORE16
                              : ops[column(t)];
    access(w, op, hint < natural ? hint : natural, offset);
}

/* A pointer with its constant offset left for the access itself, where that cannot wrap. */
static uint32_t address(struct wasm *w, const struct ir_value *p)
{
    if (p->kind == IR_VALUE_RESULT && w->folded[p->id] && p->u.inst->op == IR_OP_ptradd &&
        ir_is_const(p->u.inst->args[1]) && p->u.inst->args[1]->u.bits < 65536) {
        wasm_value(w, p->u.inst->args[0]);
        return (uint32_t)p->u.inst->args[1]->u.bits;
    }
    wasm_value(w, p);
    return 0;
}

static void bulk(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    wasm_value(w, i->args[1]);
    wasm_value(w, i->args[2]);
    wasm_op(w, OP_I32_WRAP_I64);
    if (i->op == IR_OP_memcpy) {
        wasm_op(w, OP_MEMORY_COPY);
        wasm_uleb(w->code, 0);
    } else {
        wasm_op(w, OP_MEMORY_FILL);
    }
    wasm_uleb(w->code, 0);
}

static void copy_async(struct wasm *w, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->imm; k += 4) {
        wasm_value(w, i->args[0]);
        wasm_value(w, i->args[1]);
        access(w, OP_I32_LOAD, 2, k);
        wasm_i32(w, 0);
        wasm_value(w, i->args[2]);
        wasm_i32(w, k + 4);
        wasm_op(w, OP_I32_GE_U);
        wasm_op(w, OP_SELECT);
        access(w, OP_I32_STORE, 2, k);
    }
}

/* ---- the rest ---- */

/* The launcher keeps the thread's number in the block where the lane's would be. */
static void linear(struct wasm *w)
{
    own_word(w, WASM_SREG + 4 * IR_SREG_LANEID);
}

/* Shift counts are taken modulo 32, so the thread's number will do for the lane's. */
static void lane_mask(struct wasm *w, enum ir_sreg r)
{
    bool through = r == IR_SREG_LANEMASK_LE || r == IR_SREG_LANEMASK_GT;
    wasm_i32(w, through ? 2 : 1);
    linear(w);
    wasm_op(w, OP_I32_SHL);
    if (r == IR_SREG_LANEMASK_EQ)
        return;
    wasm_i32(w, 1);
    wasm_op(w, OP_I32_SUB);
    if (r == IR_SREG_LANEMASK_GT || r == IR_SREG_LANEMASK_GE) {
        wasm_i32(w, ~0u);
        wasm_op(w, OP_I32_XOR);
    }
}

static void special(struct wasm *w, const struct ir_inst *i)
{
    switch (i->imm) {
    case IR_SREG_COOPERATIVE:
    case IR_SREG_SMID: wasm_i32(w, 0); break;
    case IR_SREG_NSMID: wasm_i32(w, 1); break;
    case IR_SREG_GRIDID: wasm_i32(w, 1); break;
    case IR_SREG_LANEID:
        linear(w);
        wasm_i32(w, 31);
        wasm_op(w, OP_I32_AND);
        break;
    case IR_SREG_WARPID:
        linear(w);
        wasm_i32(w, 5);
        wasm_op(w, OP_I32_SHR_U);
        break;
    case IR_SREG_LANEMASK_EQ:
    case IR_SREG_LANEMASK_LT:
    case IR_SREG_LANEMASK_LE:
    case IR_SREG_LANEMASK_GT:
    case IR_SREG_LANEMASK_GE: lane_mask(w, (enum ir_sreg)i->imm); break;
    default: own_word(w, WASM_SREG + 4 * (uint32_t)i->imm); break;
    }
    if (ir_bits(i->type) == 64)
        wasm_op(w, OP_I64_EXTEND_I32_U);
}

static void in_space(struct wasm *w, const struct ir_inst *i)
{
    const char *f = i->imm == IR_SPACE_SHARED  ? "tern.in_shared"
                    : i->imm == IR_SPACE_LOCAL ? "tern.in_local"
                                               : "tern.in_global";
    wasm_value(w, i->args[0]);
    call(w, f);
}

static void frame_word(struct wasm *w, uint32_t offset)
{
    own_word(w, WASM_FRAME);
    access(w, OP_I32_LOAD, 2, offset);
}

static bool call_function(struct wasm *w, const struct ir_inst *i)
{
    static const uint32_t words[LOWER_CALL_COUNT] = {[LOWER_CALL_PARK_LOW] = LOWER_FRAME_LOW,
                                                     [LOWER_CALL_PARK_HIGH] = LOWER_FRAME_HIGH,
                                                     [LOWER_CALL_PARK_OK] = LOWER_FRAME_OK};
    const enum lower_call known = lower_call_of(i->callee);
    if (words[known]) {
        frame_word(w, words[known]);
        return true;
    }
    if (!strcmp(i->callee->name, "tern.own")) {
        own_word(w, (uint32_t)i->args[0]->u.bits);
        return true;
    }
    if (!strcmp(i->callee->name, "tern.keep")) {
        wasm_value(w, i->args[1]);
        wasm_local(w, OP_GLOBAL_SET, wasm_own((uint32_t)i->args[0]->u.bits));
        return true;
    }
    if (known == LOWER_CALL_FRAME) {
        own_word(w, WASM_FRAME);
        return true;
    }
    if (!i->callee->first)
        return wasm_refuse(w, i, arena_printf(w->arena, "@%s is not defined", i->callee->name));
    for (uint32_t k = 0; k < i->nargs; k++)
        wasm_value(w, i->args[k]);
    wasm_local(w, OP_CALL, wasm_index(w, i->callee) - 1);
    return true;
}

static void call_pointer(struct wasm *w, const struct ir_inst *i)
{
    ir_type *types = arena_array(w->arena, ir_type, i->nargs);
    for (uint32_t k = 1; k < i->nargs; k++) {
        wasm_value(w, i->args[k]);
        types[k - 1] = i->args[k]->type;
    }
    if (wasm_is_host(w) && i->args[0]->kind == IR_VALUE_FUNC && !i->args[0]->u.func->first) {
        wasm_local(w, OP_CALL, wasm_import_of(w, i));
        return;
    }
    wasm_value(w, i->args[0]);
    wasm_i32(w, 1);
    wasm_op(w, OP_I32_SHR_U);
    wasm_op(w, OP_CALL_INDIRECT);
    wasm_uleb(w->code, wasm_signature(w, types, i->nargs - 1, i->type));
    wasm_uleb(w->code, 0);
}

static void print(struct wasm *w, const struct ir_inst *i)
{
    uint32_t words = 2 + 3 * (i->nargs - 1);
    uint32_t at = wasm_new_local(w, WASM_I32);
    wasm_i32(w, words);
    call(w, "tern.print_reserve");
    wasm_local(w, OP_LOCAL_TEE, at);
    wasm_op(w, OP_IF);
    sbuf_putc(w->code, 0x40);
    wasm_local(w, OP_LOCAL_GET, at);
    wasm_i32(w, words);
    access(w, OP_I32_STORE, 2, 0);
    wasm_local(w, OP_LOCAL_GET, at);
    wasm_value(w, i->args[0]);
    access(w, OP_I32_STORE, 2, 4);
    for (uint32_t k = 1; k < i->nargs; k++) {
        const struct ir_value *v = i->args[k];
        uint32_t slot = 4 * (2 + 3 * (k - 1)), kind;
        kind = v->type == IR_F64 ? 2 : ir_class(v->type) == IR_CLASS_PTR ? 3 : v->type == IR_I64;
        wasm_local(w, OP_LOCAL_GET, at);
        wasm_i32(w, kind);
        access(w, OP_I32_STORE, 2, slot);
        wasm_local(w, OP_LOCAL_GET, at);
        wasm_value(w, v);
        switch (wasm_type(v->type)) {
        case WASM_I32: wasm_op(w, OP_I64_EXTEND_I32_U); break;
        case WASM_F32:
            wasm_op(w, OP_I32_REINTERPRET_F32);
            wasm_op(w, OP_I64_EXTEND_I32_U);
            break;
        case WASM_F64: wasm_op(w, OP_I64_REINTERPRET_F64); break;
        default: break;
        }
        access(w, OP_I64_STORE, 2, slot + 4);
    }
    wasm_op(w, OP_END);
    wasm_i32(w, i->nargs - 1);
}

static void report(struct wasm *w, const struct ir_inst *i)
{
    bool assertion = i->op == IR_OP_assertfail;
    wasm_i32(w, assertion ? 2 : 1);
    for (uint32_t k = 0; k < 4; k++)
        assertion ? wasm_value(w, i->args[k]) : wasm_i32(w, 0);
    call(w, "tern.report");
    wasm_op(w, OP_UNREACHABLE);
}

static const char *const runtime_of[IR_OP_COUNT] = {
    [IR_OP_frcp_fast] = "rcp",   [IR_OP_frsqrt_fast] = "rsqrt", [IR_OP_fsin_fast] = "sin",
    [IR_OP_fcos_fast] = "cos",   [IR_OP_fexp2_fast] = "exp2",   [IR_OP_flog2_fast] = "log2",
    [IR_OP_ftanh_fast] = "tanh", [IR_OP_fma] = "fma",           [IR_OP_mad] = "fma",
};

const char *wasm_runtime_of(enum ir_op op)
{
    return runtime_of[op];
}

static bool by_runtime(struct wasm *w, const struct ir_inst *i)
{
    if (i->op == IR_OP_mad && ir_kind(i->type) == IR_F32) { /* see do_mad */
        wasm_value(w, i->args[0]);
        wasm_value(w, i->args[1]);
        wasm_op(w, OP_F32_MUL);
        wasm_value(w, i->args[2]);
        wasm_op(w, OP_F32_ADD);
        return true;
    }
    bool wide = ir_kind(i->type) == IR_F64;
    bool fma = i->op == IR_OP_fma || i->op == IR_OP_mad;
    const char *kind = wide                       ? "f64"
                       : fma && is_short(i->type) ? ir_kind(i->type) == IR_F16 ? "f16" : "bf16"
                                                  : "f32";
    for (uint32_t k = 0; k < i->nargs; k++) {
        wasm_value(w, i->args[k]);
        to_f32(w, i->args[k]->type);
    }
    call(w, arena_printf(w->arena, "tern.%s_%s", runtime_of[i->op], kind));
    if (!(fma && is_short(i->type)))
        from_f32(w, i->type);
    return true;
}

static void complement(struct wasm *w, const struct ir_inst *i)
{
    bool wide = wasm_type(i->type) == WASM_I64, negate = i->op == IR_OP_neg;
    zero_one(w, i->type, negate ? 0 : ~0ull);
    wasm_value(w, i->args[0]);
    wasm_op(w, (negate ? OP_I32_SUB : OP_I32_XOR) + (wide ? OP_I64_ADD - OP_I32_ADD : 0));
    mask(w, ir_bits(i->type));
}

static void leading_zeros(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    wasm_op(w, wasm_type(i->type) == WASM_I64 ? OP_I64_CLZ : OP_I32_CLZ);
    if (ir_bits(i->type) < 32) {
        wasm_i32(w, 32 - ir_bits(i->type));
        wasm_op(w, OP_I32_SUB);
    }
}

static void reverse_bits(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    call(w, wasm_type(i->type) == WASM_I64 ? "tern.brev64" : "tern.brev32");
    if (ir_bits(i->type) < 32) {
        wasm_i32(w, 32 - ir_bits(i->type));
        wasm_op(w, OP_I32_SHR_U);
    }
}

/* Of one bit: no shift at all. Wider ones were expanded. */
static void funnel_shift(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[i->op == IR_OP_fshr]);
}

static void unordered(struct wasm *w, const struct ir_inst *i)
{
    is_nan(w, i->args[0]);
    is_nan(w, i->args[1]);
    wasm_op(w, OP_I32_OR);
}

static void choice(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[1]);
    wasm_value(w, i->args[2]);
    wasm_value(w, i->args[0]);
    wasm_op(w, OP_SELECT);
}

static void pointer_sum(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    if (ir_is_const(i->args[1]))
        wasm_i32(w, (uint32_t)i->args[1]->u.bits);
    else
        wasm_value(w, i->args[1]); /* narrow.c */
    wasm_op(w, OP_I32_ADD);
}

static void local_variable(struct wasm *w, const struct ir_inst *i)
{
    wasm_local(w, OP_LOCAL_GET, w->base);
    wasm_i32(w, (uint32_t)(uintptr_t)i->data);
    wasm_op(w, OP_I32_ADD);
}

static void load(struct wasm *w, const struct ir_inst *i)
{
    const struct wasm_word *held = i->data;
    if (held) {
        wasm_lane(w, held->value, held->lane);
    } else if (!wasm_ordered(w, i)) {
        uint32_t offset = address(w, i->args[0]);
        wasm_load(w, i->type, i->align, offset);
    }
}

static void store(struct wasm *w, const struct ir_inst *i)
{
    if (wasm_ordered(w, i))
        return;
    uint32_t offset = address(w, i->args[0]);
    wasm_value(w, i->args[1]);
    wasm_store(w, i->args[1]->type, i->align, offset);
}

static void fence(struct wasm *w, const struct ir_inst *i)
{
    (void)i;
    wasm_fence(w);
}

static void allocate(struct wasm *w, const struct ir_inst *i)
{
    wasm_value(w, i->args[0]);
    if (wasm_is_host(w))
        wasm_local(w, OP_CALL, wasm_import_of(w, i));
    else
        call(w, "tern.malloc");
}

/* What a kernel gives back is not used again. */
static void give_back(struct wasm *w, const struct ir_inst *i)
{
    if (!wasm_is_host(w))
        return;
    wasm_value(w, i->args[0]);
    wasm_local(w, OP_CALL, wasm_import_of(w, i));
}

/* Threads of a gang run one after the other here: there is nothing to wait for. */
static void nothing(struct wasm *w, const struct ir_inst *i)
{
    (void)w;
    (void)i;
}

static void (*const writers[IR_OP_COUNT])(struct wasm *w, const struct ir_inst *i) = {
    [IR_OP_udiv] = division,
    [IR_OP_sdiv] = division,
    [IR_OP_urem] = division,
    [IR_OP_srem] = division,
    [IR_OP_shl] = shift,
    [IR_OP_lshr] = shift,
    [IR_OP_ashr] = shift,
    [IR_OP_umin] = extreme,
    [IR_OP_umax] = extreme,
    [IR_OP_smin] = extreme,
    [IR_OP_smax] = extreme,
    [IR_OP_fmin] = float_extreme,
    [IR_OP_fmax] = float_extreme,
    [IR_OP_umulhi] = multiply_high,
    [IR_OP_smulhi] = multiply_high,
    [IR_OP_fneg] = bits_of_short,
    [IR_OP_fabs] = bits_of_short,
    [IR_OP_fcopysign] = bits_of_short,
    [IR_OP_not] = complement,
    [IR_OP_neg] = complement,
    [IR_OP_clz] = leading_zeros,
    [IR_OP_brev] = reverse_bits,
    [IR_OP_fshl] = funnel_shift,
    [IR_OP_fshr] = funnel_shift,
    [IR_OP_funo] = unordered,
    [IR_OP_select] = choice,
    [IR_OP_ptradd] = pointer_sum,
    [IR_OP_isspace] = in_space,
    [IR_OP_sreg] = special,
    [IR_OP_alloca] = local_variable,
    [IR_OP_load] = load,
    [IR_OP_store] = store,
    [IR_OP_rmw] = wasm_atomic,
    [IR_OP_cas] = wasm_atomic,
    [IR_OP_memcpy] = bulk,
    [IR_OP_memset] = bulk,
    [IR_OP_cpasync] = copy_async,
    [IR_OP_fence] = fence,
    [IR_OP_sleep] = nothing,
    [IR_OP_split] = nothing,
    [IR_OP_join] = nothing,
    [IR_OP_cpasync_commit] = nothing,
    [IR_OP_cpasync_wait] = nothing,
    [IR_OP_malloc] = allocate,
    [IR_OP_free] = give_back,
    [IR_OP_call_ptr] = call_pointer,
    [IR_OP_printf] = print,
    [IR_OP_trap] = report,
    [IR_OP_assertfail] = report,
};

bool wasm_instruction(struct wasm *w, const struct ir_inst *i)
{
    const char *why = NULL;
    ir_type t = i->type == IR_VOID && i->nargs ? i->args[0]->type : i->type;
    if (wasm_supports((enum ir_op)i->op, t, &why) == BACK_NO)
        return wasm_refuse(w, i, why);
    if ((i->flags & IR_ROUND_MASK) && (ir_op_info[i->op].flags & IR_ROUNDS) &&
        i->op != IR_OP_ftosi && i->op != IR_OP_ftoui)
        return wasm_refuse(w, i, "WebAssembly rounds to nearest only");
    if (do_simple(w, i))
        return true;
    if (ir_op_info[i->op].shape == IR_SHAPE_CV || i->op == IR_OP_cvta)
        return conversion(w, i);
    if (runtime_of[i->op])
        return by_runtime(w, i);
    if (i->op == IR_OP_call)
        return call_function(w, i);
    if (!writers[i->op])
        return wasm_refuse(w, i, "WebAssembly has nothing like it");
    writers[i->op](w, i);
    return true;
}

/* Arithmetic on 16-bit floats → arithmetic on f32, for processors that have no more than
 * conversions of them.
 *
 * A sum, product, quotient or root that f32 has rounded may be rounded again: f32 has more than
 * twice the digits of f16 and bf16, and where results of bf16 are subnormal, those of f32 that lie
 * close to the middle of two of them are exact. With a*b+c that is not so: what is missing from the
 * sum is kept by rounding it to odd (when a result is not exact, its last bit is one). */
#include "lower/lower.h"

struct halves {
    struct ir_builder b;
    struct ir_module *m;
};

static struct ir_value *op1(struct halves *h, enum ir_op op, ir_type t, struct ir_value *a)
{
    return ir_build1(&h->b, op, t, a);
}

static struct ir_value *op2(struct halves *h, enum ir_op op, struct ir_value *a, struct ir_value *b)
{
    return ir_build2(&h->b, op, a->type, a, b);
}

static struct ir_value *op2k(struct halves *h, enum ir_op op, struct ir_value *a, uint64_t k)
{
    return op2(h, op, a, ir_const(h->m, a->type, k));
}

static struct ir_value *choose(struct halves *h, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&h->b, IR_OP_select, a->type, c, a, b);
}

static bool is_half(ir_type t)
{
    return ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16;
}

static struct ir_value *widen(struct halves *h, struct ir_value *v, ir_type t)
{
    uint64_t bits = v->u.bits, out;
    if (v->type == t)
        return v;
    if (ir_is_const(v) && ir_eval(IR_OP_fcvt, t, v->type, 0, &bits, &out))
        return ir_const(h->m, t, out);
    return op1(h, IR_OP_fcvt, t, v);
}

/* ---- f32 to bf16: its upper half, rounded ---- */
static struct ir_value *upper_half(struct halves *h, struct ir_value *v)
{
    enum { INFINITE = 0x7f800000, MAGNITUDE = 0x7fffffff, PAYLOAD = 0x7f0000, QUIET = 0x400000 };
    struct ir_value *bits = op1(h, IR_OP_bitcast, IR_I32, v);
    struct ir_value *last = op2k(h, IR_OP_and, op2k(h, IR_OP_lshr, bits, 16), 1);
    struct ir_value *near = op2(h, IR_OP_add, op2k(h, IR_OP_add, bits, 0x7fff), last);
    struct ir_value *nan =
        op2(h, IR_OP_ult, ir_const(h->m, IR_I32, INFINITE), op2k(h, IR_OP_and, bits, MAGNITUDE));
    struct ir_value *empty =
        op2k(h, IR_OP_eq, op2k(h, IR_OP_and, bits, PAYLOAD), 0); /* it would become infinite */
    struct ir_value *kept = choose(h, empty, op2k(h, IR_OP_or, bits, QUIET), bits);
    bits = op2k(h, IR_OP_lshr, choose(h, nan, kept, near), 16);
    return op1(h, IR_OP_bitcast, IR_BF16, op1(h, IR_OP_trunc, IR_I16, bits));
}

/* ---- rounding to odd ---- */
/* `v` if it is exact or odd, else the number next to it, on the side where the exact one lies:
 * away from zero, or towards it. Numbers are neither infinite nor NaN where `inexact`. */
static struct ir_value *odd(struct halves *h, struct ir_value *v, struct ir_value *inexact,
                            struct ir_value *away)
{
    const ir_type word = ir_bits(v->type) == 64 ? IR_I64 : IR_I32;
    struct ir_value *bits = op1(h, IR_OP_bitcast, word, v);
    struct ir_value *even = op2k(h, IR_OP_eq, op2k(h, IR_OP_and, bits, 1), 0);
    struct ir_value *step =
        choose(h, away, ir_const(h->m, word, 1), ir_const(h->m, word, UINT64_MAX));
    bits = choose(h, op2(h, IR_OP_and, inexact, even), op2(h, IR_OP_add, bits, step), bits);
    return op1(h, IR_OP_bitcast, v->type, bits);
}

static struct ir_value *differ(struct halves *h, struct ir_value *a, struct ir_value *b)
{
    return op2(h, IR_OP_or, op2(h, IR_OP_flt, a, b), op2(h, IR_OP_flt, b, a));
}

static struct ir_value *f64_to_f32(struct halves *h, struct ir_value *v)
{
    struct ir_value *near = op1(h, IR_OP_fcvt, IR_F32, v);
    struct ir_value *back = op1(h, IR_OP_fcvt, IR_F64, near);
    struct ir_value *away =
        op2(h, IR_OP_flt, op1(h, IR_OP_fabs, IR_F64, back), op1(h, IR_OP_fabs, IR_F64, v));
    return odd(h, near, differ(h, back, v), away);
}

static struct ir_value *narrow(struct halves *h, struct ir_value *v, ir_type t)
{
    if (ir_kind(v->type) == IR_F64)
        v = f64_to_f32(h, v);
    return ir_kind(t) == IR_BF16 ? upper_half(h, v) : op1(h, IR_OP_fcvt, t, v);
}

/* ---- operations ---- */
/* Products are exact: of f16 in f32, of bf16, which reaches as far as f32 does, in f64. */
static struct ir_value *fuse(struct halves *h, const struct ir_inst *i, ir_type t)
{
    const ir_type in = ir_kind(t) == IR_F16 ? IR_F32 : IR_F64,
                  word = in == IR_F32 ? IR_I32 : IR_I64;
    struct ir_value *p = op2(h, IR_OP_fmul, widen(h, i->args[0], in), widen(h, i->args[1], in));
    struct ir_value *c = widen(h, i->args[2], in), *sum = op2(h, IR_OP_fadd, p, c);
    struct ir_value *back = op2(h, IR_OP_fsub, sum, p);
    struct ir_value *rest = op2(h, IR_OP_fadd, op2(h, IR_OP_fsub, p, op2(h, IR_OP_fsub, sum, back)),
                                op2(h, IR_OP_fsub, c, back));
    struct ir_value *signs =
        op2(h, IR_OP_xor, op1(h, IR_OP_bitcast, word, sum), op1(h, IR_OP_bitcast, word, rest));
    struct ir_value *away = op2(h, IR_OP_sle, ir_const(h->m, word, 0), signs);
    return narrow(h, odd(h, sum, differ(h, rest, ir_const(h->m, in, 0)), away), t);
}

static struct ir_value *in_f32(struct halves *h, const struct ir_inst *i, ir_type t)
{
    struct ir_value *x[2] = {widen(h, i->args[0], IR_F32), NULL};
    if (i->nargs == 1)
        return narrow(h, op1(h, (enum ir_op)i->op, IR_F32, x[0]), t);
    x[1] = widen(h, i->args[1], IR_F32);
    return narrow(h, op2(h, (enum ir_op)i->op, x[0], x[1]), t);
}

static struct ir_value *copy_sign(struct halves *h, const struct ir_inst *i, ir_type t)
{
    struct ir_value *size = op2k(h, IR_OP_and, op1(h, IR_OP_bitcast, IR_I16, i->args[0]), 0x7fff);
    struct ir_value *sign = op2k(h, IR_OP_and, op1(h, IR_OP_bitcast, IR_I16, i->args[1]), 0x8000);
    return op1(h, IR_OP_bitcast, t, op2(h, IR_OP_or, size, sign));
}

static struct ir_value *calculate(struct halves *h, const struct ir_inst *i, ir_type t)
{
    switch (i->op) {
    case IR_OP_fma:
    case IR_OP_mad: return fuse(h, i, t);
    case IR_OP_fcopysign: return copy_sign(h, i, t);
    case IR_OP_fadd:
    case IR_OP_fsub:
    case IR_OP_fmul:
    case IR_OP_fdiv:
    case IR_OP_fsqrt:
    case IR_OP_fmin:
    case IR_OP_fmax:
    case IR_OP_ffloor:
    case IR_OP_fceil:
    case IR_OP_ftrunc:
    case IR_OP_frint: return in_f32(h, i, t);
    default: return NULL; /* fneg, fabs: a bit; the quick ones are functions */
    }
}

static struct ir_value *convert(struct halves *h, const struct ir_inst *i, ir_type t, ir_type from)
{
    switch (i->op) {
    case IR_OP_fcvt:
        if (!is_half(t) || i->flags & (IR_ROUND_MASK | IR_FTZ) || t == from ||
            (ir_kind(t) == IR_F16 && ir_kind(from) == IR_F32))
            return NULL;
        return narrow(h, is_half(from) ? widen(h, i->args[0], IR_F32) : i->args[0], t);
    case IR_OP_sitof:
    case IR_OP_uitof:
        if (!is_half(t) || i->flags & IR_ROUND_MASK || ir_bits(from) > 32)
            return NULL;
        return narrow(
            h, op1(h, (enum ir_op)i->op, ir_bits(from) > 16 ? IR_F64 : IR_F32, i->args[0]), t);
    default: return NULL;
    }
}

/* What replaces it; NULL: it stays. */
static struct ir_value *replace(struct halves *h, const struct ir_inst *i)
{
    const ir_type from = i->nargs ? i->args[0]->type : IR_VOID;
    if (ir_is_vector(i->type) || ir_is_vector(from))
        return NULL;
    switch ((enum ir_shape)ir_op_info[i->op].shape) {
    case IR_SHAPE_FC:
        return is_half(from) ? op2(h, (enum ir_op)i->op, widen(h, i->args[0], IR_F32),
                                   widen(h, i->args[1], IR_F32))
                             : NULL;
    case IR_SHAPE_F1:
    case IR_SHAPE_F2:
    case IR_SHAPE_F3:
        return is_half(i->type) && !(i->flags & IR_ROUND_MASK) ? calculate(h, i, i->type) : NULL;
    case IR_SHAPE_CV: return convert(h, i, i->type, from);
    default: return NULL;
    }
}

bool lower_halves(struct ir_func *f)
{
    struct halves h = {.m = f->module};
    bool changed = false;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            h.b = ir_builder_before(i);
            struct ir_value *v = replace(&h, i);
            if (!v)
                continue;
            i->results[0].forward = v;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

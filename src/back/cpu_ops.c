/* Operations on scalars that every machine does alike, and what all of selection emits with. */
#include "back/cpu_ops.h"

/* ---- emitting ---- */
mach_reg cpu_1(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a)
{
    mach_put(s->f, op, d, a);
    return d;
}

mach_reg cpu_2(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a, int64_t b)
{
    mach_put(s->f, op, d, a, b);
    return d;
}

mach_reg cpu_3(struct cpu_sel *s, unsigned op, mach_reg d, int64_t a, int64_t b, int64_t c)
{
    mach_put(s->f, op, d, a, b, c);
    return d;
}

mach_reg cpu_chunk(struct cpu_sel *s)
{
    return mach_vreg(s->f, s->t->vec, s->t->vector_bytes);
}
mach_reg cpu_mask(struct cpu_sel *s)
{
    return cpu_new(s, ir_vector(IR_I1, 2));
}

mach_reg cpu_v1(struct cpu_sel *s, unsigned op, int64_t a)
{
    return cpu_1(s, op, cpu_chunk(s), a);
}

mach_reg cpu_v2(struct cpu_sel *s, unsigned op, int64_t a, int64_t b)
{
    return cpu_2(s, op, cpu_chunk(s), a, b);
}

mach_reg cpu_v3(struct cpu_sel *s, unsigned op, int64_t a, int64_t b, int64_t c)
{
    return cpu_3(s, op, cpu_chunk(s), a, b, c);
}

/* ---- operands ---- */
bool cpu_known(const struct ir_inst *i, unsigned k, uint64_t *bits)
{
    if (k >= i->nargs || !i->args || !i->args[k] || i->args[k]->kind != IR_VALUE_CONST)
        return false;
    *bits = i->args[k]->u.bits;
    return true;
}

bool cpu_is_half(ir_type t)
{
    return ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16;
}

bool cpu_flushes(const struct ir_inst *i, ir_type t)
{
    return i->flags & IR_FTZ && ir_op_info[i->op].flags & IR_FLUSHES && ir_kind(t) == IR_F32;
}

enum ir_op cpu_bit_op(unsigned op)
{
    switch (op) {
    case IR_OP_and:
    case IR_OP_mul:
    case IR_OP_umin:
    case IR_OP_smax: return IR_OP_and; /* a set bit is -1 */
    case IR_OP_or:
    case IR_OP_umax:
    case IR_OP_smin: return IR_OP_or;
    case IR_OP_xor:
    case IR_OP_add:
    case IR_OP_sub: return IR_OP_xor;
    case IR_OP_not: return IR_OP_not;
    default: return IR_OP_COUNT;
    }
}

unsigned cpu_log_bytes(ir_type t)
{
    unsigned k = 0;
    while (1u << k < ir_bytes(ir_scalar(t)))
        k++;
    return k;
}

bool cpu_funnel(const struct ir_inst *i, unsigned bits, unsigned *up)
{
    const unsigned by = (unsigned)i->args[2]->u.bits & (bits - 1);
    *up = i->op == IR_OP_fshl ? by : bits - by;
    return by;
}

/* ---- scalars ---- */
static mach_reg floating(struct cpu_sel *s, const struct ir_inst *i, ir_type t,
                         const mach_reg *args)
{
    const struct cpu_scalars *m = s->t->scalars;
    const bool flush = cpu_flushes(i, t);
    mach_reg in[3] = {0};
    if (!cpu_is_float(t) || (ir_op_info[i->op].flags & IR_ROUNDS && i->flags & IR_ROUND_MASK))
        return MACH_NONE;
    for (unsigned k = 0; k < i->nargs && k < 3; k++)
        in[k] = flush ? m->flush(s, args[k]) : args[k];
    const mach_reg r = m->floating(s, i, ir_kind(t) == IR_F64, in);
    return flush && r != MACH_NONE ? m->flush(s, r) : r;
}

/* Products of bytes, four of them added to a word: in the lowest lane of a vector. */
static mach_reg dot4(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *args)
{
    enum { WORDS = 2 };
    mach_reg v[3];
    for (unsigned k = 0; k < 3; k++)
        v[k] = s->t->from_bits(s, IR_F32, args[k]);
    return s->t->to_bits(s, IR_F32, s->t->vectors->integer(s, i, WORDS, v));
}

mach_reg cpu_scalar(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                    const mach_reg *args)
{
    const struct cpu_scalars *m = s->t->scalars;
    if (i->op == IR_OP_dp4a || i->op == IR_OP_udp4a)
        return dot4(s, i, args);
    switch (ir_op_info[i->op].shape) {
    case IR_SHAPE_CV: return m->convert(s, i, t, from, args[0]);
    case IR_SHAPE_IC: return m->compare(s, i, from, args);
    case IR_SHAPE_FC: {
        mach_reg in[2] = {args[0], args[1]};
        if (!cpu_is_float(from))
            return MACH_NONE;
        if (cpu_flushes(i, from))
            in[0] = m->flush(s, in[0]), in[1] = m->flush(s, in[1]);
        return m->compare(s, i, from, in);
    }
    case IR_SHAPE_F1:
    case IR_SHAPE_F2:
    case IR_SHAPE_F3:
        if (cpu_is_half(t) && (i->op == IR_OP_fneg || i->op == IR_OP_fabs))
            return m->half_sign(s, i->op == IR_OP_fneg, args[0]);
        return floating(s, i, t, args);
    default: return m->integer(s, i, t, args);
    }
}

static void compare_and_swap(struct cpu_sel *s, struct ir_inst *i)
{
    const ir_type t = i->type;
    const mach_reg p = cpu_reg(s, i->args[0]), old = s->t->to_bits(s, t, cpu_reg(s, i->args[1])),
                   new = s->t->to_bits(s, t, cpu_reg(s, i->args[2]));
    const mach_reg r = s->t->cas(s, t, p, old, new);
    cpu_set(s, i, cpu_is_float(t) ? s->t->from_bits(s, t, r) : r);
}

bool cpu_select_op(struct cpu_sel *s, struct ir_inst *i)
{
    if ((i->nresults && ir_is_vector(i->results[0].type)) ||
        (i->nargs && ir_is_vector(i->args[0]->type)) ||
        (i->nargs > 1 && ir_is_vector(i->args[1]->type)))
        return cpu_vector(s, i);
    if (i->op == IR_OP_cas) {
        compare_and_swap(s, i);
        return true;
    }
    return s->t->select(s, i);
}

/* Operands: what they read, where results go, the pointers that addresses are. */
#include <string.h>
#include "front/ptxops/px_int.h"

struct ir_value *px_int(struct px *p, ir_type t, uint64_t v)
{
    unsigned n = ir_bits(t);
    return ir_const(p->m, t, n < 64 ? v & ((UINT64_C(1) << n) - 1) : v);
}

struct ir_value *px_op1(struct px *p, enum ir_op op, struct ir_value *x)
{
    return ir_build1(&p->b, op, x->type, x);
}

struct ir_value *px_op2(struct px *p, enum ir_op op, struct ir_value *x, struct ir_value *y)
{
    return ir_build2(&p->b, op, x->type, x, y);
}

struct ir_value *px_like(struct px *p, const struct ir_value *x, uint64_t v)
{
    return px_int(p, x->type, v);
}

struct ir_value *px_pick(struct px *p, struct ir_value *c, struct ir_value *x, struct ir_value *y)
{
    return ir_build3(&p->b, IR_OP_select, x->type, c, x, y);
}

static ir_type int_of(ir_type t)
{
    switch (ir_bits(t)) {
    case 1: return IR_I1;
    case 8: return IR_I8;
    case 16: return IR_I16;
    case 32: return IR_I32;
    default: return IR_I64;
    }
}

static struct ir_value *resized(struct px *p, struct ir_value *x, ir_type t, bool sign)
{
    if (x->type == t)
        return x;
    if (ir_kind(x->type) == IR_PTR)
        x = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, x);
    if (ir_class(x->type) == IR_CLASS_FLOAT)
        x = ir_build1(&p->b, IR_OP_bitcast, int_of(x->type), x);
    unsigned from = ir_bits(x->type), to = ir_bits(t);
    if (to < from)
        x = ir_build1(&p->b, IR_OP_trunc, int_of(t), x);
    else if (to > from)
        x = ir_build1(&p->b, sign ? IR_OP_sext : IR_OP_zext, int_of(t), x);
    return x->type == t ? x : ir_build1(&p->b, IR_OP_bitcast, t, x);
}

struct ir_value *px_bits_as(struct px *p, struct ir_value *x, ir_type t)
{
    return resized(p, x, t, false);
}

/* ---- values and results ---- */
static struct ir_value *pointer_of(const struct px_symbol *s)
{
    return s->kind == PS_GLOBAL ? ir_global_value(s->global) : s->memory;
}

struct ir_value *px_in(struct px *p, const struct px_operand *o, ir_type t)
{
    struct ir_value *x = NULL;
    switch (o->kind) {
    case PO_REG:
        x = px_read(p, o->var);
        if (o->offset)
            x = ir_build2(&p->b, IR_OP_add, IR_I64, px_bits_as(p, x, IR_I64),
                          px_int(p, IR_I64, (uint64_t)o->offset));
        if ((t == IR_I1) != (o->var->type == IR_I1) || (o->negate && t != IR_I1)) {
            px_error(p, o->span,
                     t == IR_I1 ? "this operand is not a predicate"
                                : "a predicate does not fit here");
            return px_int(p, t, 0);
        }
        x = px_bits_as(p, x, t);
        if (o->negate)
            x = ir_build1(&p->b, IR_OP_not, IR_I1, x);
        return x;
    case PO_INT:
        if (t == IR_I1)
            return px_int(p, t, o->bits != 0);
        if (o->negate)
            return px_int(p, t, !o->bits);
        if (t == IR_F32)
            return ir_const_f32(p->m, (float)(int64_t)o->bits);
        if (t == IR_F64)
            return ir_const_f64(p->m, (double)(int64_t)o->bits);
        return px_int(p, t, o->bits);
    case PO_F32:
        if (t == IR_F64) {
            float f;
            uint32_t w = (uint32_t)o->bits;
            memcpy(&f, &w, sizeof f);
            return ir_const_f64(p->m, (double)f);
        }
        return px_int(p, t, o->bits);
    case PO_FLOAT:
        if (t == IR_F32 || t == IR_I32) {
            double d;
            memcpy(&d, &o->bits, sizeof d);
            return px_bits_as(p, ir_const_f32(p->m, (float)d), t);
        }
        return px_int(p, t, o->bits);
    case PO_NAME:
        if (!o->symbol) {
            x = px_special(p, o->name);
            if (!x && !p->failed)
                px_error(p, o->span, "'%s' is not declared", o->name);
        } else if (o->symbol->kind == PS_PARAM) {
            x = px_read(p, o->symbol->var);
        } else {
            x = pointer_of(o->symbol);
            if (x)
                x = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, x);
            if (x && o->offset)
                x = ir_build2(&p->b, IR_OP_add, IR_I64, x, px_int(p, IR_I64, (uint64_t)o->offset));
        }
        if (x)
            return px_bits_as(p, x, t);
        break;
    default: break;
    }
    px_error(p, o->span, "this operand is not a value");
    return px_int(p, t, 0);
}

void px_out_signed(struct px *p, const struct px_operand *o, struct ir_value *x, bool sign)
{
    if (o->kind == PO_SINK)
        return;
    struct px_var *v = o->kind == PO_REG ? o->var
                       : o->kind == PO_NAME && o->symbol && o->symbol->kind == PS_PARAM
                           ? o->symbol->var
                           : NULL;
    if (!v) {
        px_error(p, o->span, "this operand is not a register");
        return;
    }
    if ((v->type == IR_I1) != (x->type == IR_I1)) {
        px_error(p, o->span,
                 x->type == IR_I1 ? "the result is a predicate" : "a predicate does not fit here");
        return;
    }
    px_write(p, v, resized(p, x, v->type, sign));
}

void px_out(struct px *p, const struct px_operand *o, struct ir_value *x)
{
    px_out_signed(p, o, x, false);
}

/* ---- addresses ---- */

/* The pointer that an integer was made from, without a detour; NULL: none to be seen. */
static struct ir_value *seen_pointer(struct px *p, struct ir_value *v, enum ir_space space,
                                     unsigned depth)
{
    while (v->forward)
        v = v->forward;
    struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    if (!i || !depth)
        return NULL;
    if (i->op == IR_OP_ptrtoint) {
        struct ir_value *x = i->args[0];
        if (ir_space(x->type) == space)
            return x;
        struct ir_inst *c = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
        if (space == IR_SPACE_GENERIC && ir_space(x->type) == IR_SPACE_GLOBAL)
            return ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(space), x);
        if (c && c->op == IR_OP_cvta && ir_space(c->args[0]->type) == space &&
            ir_space(x->type) == IR_SPACE_GENERIC && space == IR_SPACE_GLOBAL)
            return c->args[0];
        return NULL;
    }
    if (i->op == IR_OP_add)
        for (unsigned k = 0; k < 2; k++) {
            struct ir_value *x = seen_pointer(p, i->args[k], space, depth - 1);
            if (x)
                return ir_build2(&p->b, IR_OP_ptradd, x->type, x, i->args[1 - k]);
        }
    return NULL;
}

/* The shared variable whose address, cut to 32 bits, is one term of a sum; the other terms' sum is
 * *rest (NULL: nothing). */
static struct ir_value *shared_base(struct px *p, struct ir_value *v, struct ir_value **rest,
                                    unsigned depth)
{
    while (v->forward)
        v = v->forward;
    if (v->kind != IR_VALUE_RESULT || !depth)
        return NULL;
    struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_trunc) {
        struct ir_value *x = i->args[0];
        while (x->forward)
            x = x->forward;
        if (x->kind != IR_VALUE_RESULT || x->u.inst->op != IR_OP_ptrtoint)
            return NULL;
        x = x->u.inst->args[0];
        *rest = NULL;
        return x->kind == IR_VALUE_GLOBAL && x->u.global->space == IR_SPACE_SHARED ? x : NULL;
    }
    for (unsigned k = 0; k < 2 && (i->op == IR_OP_add || (i->op == IR_OP_sub && !k)); k++) {
        struct ir_value *base = shared_base(p, i->args[k], rest, depth - 1), *other = i->args[!k];
        if (!base)
            continue;
        if (i->op == IR_OP_sub)
            other = px_op1(p, IR_OP_neg, other);
        *rest = *rest ? px_op2(p, IR_OP_add, *rest, other) : other;
        return base;
    }
    return NULL;
}

/* Shared memory spans less than 4 GiB: the distance to a known place has 32 bits. */
static struct ir_value *shared_pointer(struct px *p, struct ir_value *v)
{
    struct ir_value *d = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, p->shared_anchor);
    d = ir_build2(&p->b, IR_OP_sub, IR_I32, v, ir_build1(&p->b, IR_OP_trunc, IR_I32, d));
    d = ir_build1(&p->b, IR_OP_sext, IR_I64, d);
    struct ir_value *x =
        ir_build2(&p->b, IR_OP_ptradd, IR_PTR_TO(IR_SPACE_SHARED), p->shared_anchor, d);
    vec_push(p->a, &p->shared_uses, x->u.inst);
    return x;
}

/* The best place to count from is the variable that an address was made of: what was added to it
 * then stays as it is, for the vectoriser to see. Known once all registers are values. */
void px_rebase_shared(struct px *p)
{
    struct ir_value *here = NULL;
    vec_each (struct ir_inst *, it, &p->shared_uses) {
        struct ir_inst *distance = (*it)->args[1]->u.inst->args[0]->u.inst;
        struct ir_value *d = NULL;
        p->b = ir_builder_before(*it);
        struct ir_value *base = shared_base(p, distance->args[0], &d, 8);
        if (base) {
            here = base;
            d = d ? ir_build1(&p->b, IR_OP_sext, IR_I64, d) : px_int(p, IR_I64, 0);
        } else if (here) { /* a variable of its own is better than one of another kernel */
            base = here;
            d = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, here);
            d = ir_build2(&p->b, IR_OP_sub, IR_I32, distance->args[0],
                          ir_build1(&p->b, IR_OP_trunc, IR_I32, d));
            d = ir_build1(&p->b, IR_OP_sext, IR_I64, d);
        }
        if (base) {
            (*it)->args[0] = base;
            (*it)->args[1] = d;
        }
    }
}

struct ir_value *px_space_pointer(struct px *p, struct ir_value *v, enum ir_space space)
{
    ir_type t = IR_PTR_TO(space);
    if (ir_bits(v->type) == 32 && space == IR_SPACE_SHARED && p->shared_anchor)
        return shared_pointer(p, v);
    v = px_bits_as(p, v, IR_I64);
    struct ir_value *x = seen_pointer(p, v, space, 6);
    return x ? x : ir_build1(&p->b, IR_OP_inttoptr, t, v);
}

struct ir_value *px_address(struct px *p, const struct px_operand *o, enum ir_space space)
{
    const struct px_operand *base = o->kind == PO_ADDRESS && o->nitems ? &o->items[0] : NULL;
    if (!base || (base->kind != PO_REG && base->kind != PO_NAME && base->kind != PO_INT)) {
        px_error(p, o->span, "this operand is not an address");
        return px_int(p, IR_PTR_TO(space), 0);
    }
    struct ir_value *x = NULL;
    if (base->kind == PO_NAME) {
        x = base->symbol ? pointer_of(base->symbol) : NULL;
        if (!x) {
            px_error(p, base->span, "'%s' is not a variable in memory", base->name);
            return px_int(p, IR_PTR_TO(space), 0);
        }
        enum ir_space is = ir_space(x->type);
        if (is != space && space == IR_SPACE_GENERIC)
            x = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(space), x);
    } else if (base->kind == PO_REG) {
        x = px_space_pointer(p, px_read(p, base->var), space);
    } else {
        x = px_space_pointer(p, px_int(p, IR_I64, base->bits), space);
    }
    if (base->offset)
        x = ir_build2(&p->b, IR_OP_ptradd, x->type, x, px_int(p, IR_I64, (uint64_t)base->offset));
    return x;
}

/* Addresses in innermost loops: what the loop does not change is added to the pointer in front of
 * it.
 *
 *   for (k = 0; k < n; k++) … a[row * n + k] …
 * becomes
 *   for (p = a + row * n, k = 0; k < n; k++) … p[k] …
 *
 * The index is 32 bits wide, so that a processor would add and extend in every iteration; that the
 * sum does not wrap is promised by the source (nsw), and the parts are extended by themselves.
 * Late, for machines that compute addresses of a register and a scaled one: what moves takes
 * registers. */
#include "opt/opt_int.h"

enum { MOST = 8, DEEP = 8 }; /* pointers of a loop; sums within sums */

struct sum { /* of 64 bits; NULL: nothing */
    struct ir_value *fixed, *varies;
    uint64_t constant;
};

struct splitter {
    struct opt_loops *ls;
    struct opt_loop *loop;
    struct ir_builder b;
};

static struct ir_value *add(struct splitter *s, struct ir_value *x, struct ir_value *y)
{
    return !x ? y : !y ? x : ir_build2(&s->b, IR_OP_add, IR_I64, x, y);
}

/* Would a sum of it have parts of both kinds? Then it is worth to be taken apart. */
static void look(const struct splitter *s, const struct ir_value *x, unsigned depth, bool *fixed,
                 bool *varies)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (ir_is_const(x))
        return;
    if (!opt_is_inside(s->ls, s->loop, x)) {
        *fixed = true;
        return;
    }
    const bool extends = i && i->op == IR_OP_sext && i->args[0]->type == IR_I32;
    const bool scales = i && (i->op == IR_OP_shl || i->op == IR_OP_mul) && i->type == IR_I64 &&
                        ir_is_const(i->args[1]);
    const bool adds = i && i->op == IR_OP_add && (i->type == IR_I64 || i->flags & IR_NSW);
    if (depth && (extends || scales || adds))
        for (unsigned k = 0; k < (adds ? 2 : 1); k++)
            look(s, i->args[k], depth - 1, fixed, varies);
    else
        *varies = true;
}

/* x, or what extends it by its sign. */
static struct ir_value *whole(struct splitter *s, struct ir_value *x, bool extended)
{
    return extended ? ir_build1(&s->b, IR_OP_sext, IR_I64, x) : x;
}

static struct sum split(struct splitter *s, struct ir_value *x, bool extended, unsigned depth)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (ir_is_const(x))
        return (struct sum){.constant =
                                extended ? (uint64_t)(int64_t)(int32_t)x->u.bits : x->u.bits};
    if (!opt_is_inside(s->ls, s->loop, x))
        return (struct sum){.fixed = whole(s, x, extended)};
    if (!i)
        depth = 0;
    if (depth && i->op == IR_OP_sext && !extended && i->args[0]->type == IR_I32)
        return split(s, i->args[0], true, depth - 1);
    if (depth && i->op == IR_OP_add && (i->type == IR_I64 || i->flags & IR_NSW)) {
        struct sum a = split(s, i->args[0], extended, depth - 1),
                   b = split(s, i->args[1], extended, depth - 1);
        a.fixed = add(s, a.fixed, b.fixed);
        a.varies = add(s, a.varies, b.varies);
        a.constant += b.constant;
        return a;
    }
    if (depth && (i->op == IR_OP_shl || i->op == IR_OP_mul) && i->type == IR_I64 &&
        ir_is_const(i->args[1])) {
        struct sum a = split(s, i->args[0], false, depth - 1);
        const enum ir_op op = (enum ir_op)i->op;
        if (a.fixed)
            a.fixed = ir_build2(&s->b, op, IR_I64, a.fixed, i->args[1]);
        if (a.varies)
            a.varies = ir_build2(&s->b, op, IR_I64, a.varies, i->args[1]);
        const uint64_t by = i->args[1]->u.bits;
        a.constant = op == IR_OP_mul ? a.constant * by : by < 64 ? a.constant << by : 0;
        return a;
    }
    return (struct sum){.varies = whole(s, x, extended)};
}

static bool take_apart(struct splitter *s, struct ir_inst *i)
{
    bool fixed = false, varies = false;
    if (i->op != IR_OP_ptradd || ir_is_vector(i->type) || i->args[1]->type != IR_I64 ||
        opt_is_inside(s->ls, s->loop, i->args[0]) || !opt_is_inside(s->ls, s->loop, i->args[1]))
        return false;
    look(s, i->args[1], DEEP, &fixed, &varies);
    if (!fixed || !varies)
        return false;
    s->b = ir_builder_before(i);
    s->b.span = i->span;
    const struct sum a = split(s, i->args[1], false, DEEP);
    struct ir_value *p = ir_build2(&s->b, IR_OP_ptradd, i->type, i->args[0], a.fixed);
    p = ir_build2(&s->b, IR_OP_ptradd, i->type, p, a.varies);
    if (a.constant)
        p = ir_build2(&s->b, IR_OP_ptradd, i->type, p,
                      ir_const(i->block->func->module, IR_I64, a.constant));
    i->results[0].forward = p; /* what it was stays for others to look at, until dce */
    return true;
}

void opt_addresses(struct arena *scratch, struct ir_func *f)
{
    struct opt_loops *ls = opt_find_entered_loops(scratch, f);
    bool changed = false;
    vec_each (struct opt_loop *, l, &ls->all) {
        struct splitter s = {.ls = ls, .loop = *l};
        unsigned n = 0;
        for (size_t k = 0; (*l)->innermost && k < (*l)->blocks.len; k++)
            ir_each_inst (i, (*l)->blocks.data[k])
                if (n < MOST && take_apart(&s, i))
                    n++;
        changed |= n > 0;
    }
    if (changed)
        ir_replace_forwarded(f);
}

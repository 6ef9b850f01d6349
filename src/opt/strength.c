/* Strength reduction: the product of a loop's counter and a number that the loop does not change is
 * carried along as a sum.
 *
 *   for (k = 0; k < n; k++) … k * n …
 * becomes
 *   for (k = 0, p = 0; k < n; k++, p += n) … p …
 *
 * Only counters that start at a constant, and numbers that are the same for all threads: what is
 * carried is then a scalar where threads are lanes. Products with a constant stay: addressing does
 * those, or a shift. Sums wrap as products do, so that the values are the same to the last bit. */
#include "opt/opt_int.h"

enum { MOST = 4 }; /* to a loop: each takes a register */

static bool is_same_for_all(const struct ir_func *f, const struct ir_value *v, unsigned depth)
{
    if (v->kind == IR_VALUE_CONST)
        return true;
    if (v->kind == IR_VALUE_PARAM)
        return v->u.block == f->first && f->flags & IR_FUNC_KERNEL;
    if (v->kind != IR_VALUE_RESULT || depth > 4)
        return false;
    const struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_sreg)
        return i->imm >= IR_SREG_NTID_X && i->imm <= IR_SREG_NCTAID_Z;
    if (!opt_is_pure(i) || !i->nargs)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_same_for_all(f, i->args[k], depth + 1))
            return false;
    return true;
}

struct reduced {
    struct ir_value *counter, *by, *sum;
};

/* The counter among the operands of a product, and what it is multiplied by. */
static bool find_product(struct opt_loops *ls, struct opt_loop *l, const struct ir_inst *i,
                         struct reduced *r)
{
    if (i->op != IR_OP_mul || (i->type != IR_I32 && i->type != IR_I64))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *v = i->args[k], *by = i->args[1 - k];
        if (v->kind != IR_VALUE_PARAM || v->u.block != l->header || ir_is_const(by) ||
            opt_is_inside(ls, l, by) || !is_same_for_all(l->header->func, by, 0))
            continue;
        struct ir_value *next = opt_after_one(l, v->index);
        const struct ir_inst *add = next ? opt_def(next) : NULL;
        if (!add || add->op != IR_OP_add || add->args[0] != v || !ir_is_const(add->args[1]))
            continue;
        const struct ir_inst *enter = ir_terminator(opt_preheader(ls, l));
        if (!ir_is_const(enter->edges[0].args[v->index]))
            continue;
        *r = (struct reduced){v, by, NULL};
        return true;
    }
    return false;
}

static struct ir_value *carry(struct opt_loops *ls, struct opt_loop *l, const struct reduced *r,
                              const struct ir_inst *product)
{
    const ir_type t = product->type;
    struct ir_inst *enter = ir_terminator(opt_preheader(ls, l));
    struct ir_inst *back = ir_terminator(l->latches.data[0]);
    struct ir_value *start = enter->edges[0].args[r->counter->index];
    struct ir_value *step = opt_def(opt_after_one(l, r->counter->index))->args[1];
    struct ir_builder b = ir_builder_before(enter);
    b.span = product->span;
    struct ir_value *first = ir_build2(&b, IR_OP_mul, t, start, r->by);
    struct ir_value *by = ir_build2(&b, IR_OP_mul, t, step, r->by);
    struct ir_value *sum = ir_block_param(l->header, t, product->results[0].name);
    ir_edge_push(enter, &enter->edges[0], first);
    b = ir_builder_before(back);
    b.span = product->span;
    struct ir_value *next = ir_build2(&b, IR_OP_add, t, sum, by);
    for (uint32_t k = 0; k < back->nedges; k++)
        if (back->edges[k].to == l->header)
            ir_edge_push(back, &back->edges[k], next);
    return sum;
}

static bool reduce(struct opt_loops *ls, struct opt_loop *l)
{
    struct reduced done[MOST], r;
    unsigned n = 0;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            if (!find_product(ls, l, i, &r))
                continue;
            unsigned k = 0;
            while (k < n && (done[k].counter != r.counter || done[k].by != r.by))
                k++;
            if (k == MOST)
                continue;
            if (k == n) {
                r.sum = carry(ls, l, &r, i);
                done[n++] = r;
            }
            i->results[0].forward = done[k].sum;
            ir_remove(i);
        }
    return n > 0;
}

void opt_strength(struct arena *scratch, struct ir_func *f)
{
    struct opt_loops *ls = opt_find_entered_loops(scratch, f);
    bool changed = false;
    for (size_t k = 0; k < ls->all.len; k++)
        changed |= reduce(ls, ls->all.data[k]);
    if (changed)
        ir_replace_forwarded(f);
}

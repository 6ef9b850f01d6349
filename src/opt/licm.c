/* Loop-invariant code: what computes the same in every iteration moves in front of the loop.
 *
 * Pure operations move freely: they are total. Reads move if nothing in the loop may write their
 * memory and they would have happened anyway, or could not fail: constants and parameters. Where
 * the loop is entered only if its first test holds (guard.c), the first iteration is sure to
 * happen. Of vectors only so many are read in advance as registers can hold. */
#include <stdlib.h>
#include "opt/opt_int.h"

enum { HELD_BYTES = 128 };

struct loop_memory {
    bool unknown; /* calls, barriers, atomics, volatile accesses */
    VEC(struct ir_inst *) stores;
    const struct ir_block *passed; /* by every run that leaves the loop, or by every first iteration
                                      that is sure to happen; NULL: none leaves it */
};
static bool can_fail(struct opt_place p, uint64_t n)
{
    if (p.base->kind == IR_VALUE_GLOBAL) {
        const struct ir_global *g = p.base->u.global;
        return p.offset < 0 || (uint64_t)p.offset + n > g->size;
    }
    return p.space != IR_SPACE_PARAM || p.base->kind != IR_VALUE_PARAM;
}

enum { DEEPEST_TEST = 8 }; /* instructions upon each other that are compared */

/* Of the header's test and one that was made before: the same, with what enters the loop for the
 * header's parameters? */
static bool is_same_test(const struct ir_value *in, const struct ir_edge *enter,
                         const struct ir_value *before, unsigned depth)
{
    const struct ir_block *h = enter->to;
    if (in->kind == IR_VALUE_PARAM && in->u.block == h) {
        for (uint32_t k = 0; k < enter->nargs; k++)
            if (h->params.data[k] == in)
                return enter->args[k] == before;
    }
    if (in == before || in->kind != IR_VALUE_RESULT || before->kind != IR_VALUE_RESULT)
        return in == before;
    const struct ir_inst *i = in->u.inst, *j = before->u.inst;
    if (i->block != h || i->op != j->op || i->type != j->type || i->flags != j->flags ||
        i->imm != j->imm || i->nargs != j->nargs || i->nresults != 1 || !opt_is_pure(i) || !depth)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_same_test(i->args[k], enter, j->args[k], depth - 1))
            return false;
    return true;
}

/* Is the loop entered only where its header's test leads into it? */
static bool is_guarded(const struct opt_loops *ls, const struct opt_loop *l,
                       const struct ir_block *pre)
{
    const struct ir_inst *t = ir_terminator(l->header);
    const struct ir_inst *q = pre->preds.len == 1 ? ir_terminator(pre->preds.data[0]) : NULL;
    if (!q || q->op != IR_OP_condbr || t->op != IR_OP_condbr || q->edges[0].to == q->edges[1].to)
        return false;
    for (uint32_t k = 0; k < 2; k++)
        if (q->edges[k].to == pre)
            return opt_in_loop(ls, l, t->edges[k].to) && !opt_in_loop(ls, l, t->edges[1 - k].to) &&
                   is_same_test(t->args[0], &ir_terminator(pre)->edges[0], q->args[0],
                                DEEPEST_TEST);
    return false;
}

/* The last block that every run which leaves the loop passes, or, where it is guarded, every first
 * iteration; NULL: none leaves it. */
static const struct ir_block *always_passed(const struct opt_loops *ls, const struct opt_loop *l,
                                            bool guarded)
{
    const struct ir_block *last = NULL;
    vec_each (struct ir_block *, x, &l->blocks) {
        struct ir_inst *t = ir_terminator(*x);
        bool leaves = t->nedges == 0;
        for (uint32_t k = 0; k < t->nedges && !leaves; k++)
            leaves =
                !opt_in_loop(ls, l, t->edges[k].to) || (guarded && t->edges[k].to == l->header);
        leaves &= !guarded || *x != l->header;
        if (leaves && !last)
            last = *x;
        while (leaves && !ir_dominates(last, *x))
            last = last->idom;
    }
    return last;
}

static struct loop_memory memory_of(struct arena *a, struct opt_loops *ls, struct opt_loop *l)
{
    struct loop_memory m = {.passed =
                                always_passed(ls, l, is_guarded(ls, l, opt_preheader(ls, l)))};
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            if (i->op == IR_OP_store && opt_is_plain(i))
                vec_push(a, &m.stores, i);
            else if (opt_may_write(i))
                m.unknown = true;
        }
    return m;
}

static bool load_moves(const struct loop_memory *m, const struct ir_inst *i)
{
    struct opt_place p = opt_place(i->args[0]);
    uint64_t n = ir_bytes(i->type);
    bool fixed = i->flags & IR_INVARIANT || p.space == IR_SPACE_CONST || p.space == IR_SPACE_PARAM;
    const bool always_runs = !m->passed || ir_dominates(i->block, m->passed);
    if (!opt_is_plain(i) || (can_fail(p, n) && !always_runs))
        return false;
    if (fixed)
        return true;
    if (m->unknown)
        return false;
    vec_each (struct ir_inst *, s, &m->stores)
        if (!opt_kinds_differ(i->type, i->flags, (*s)->type, (*s)->flags) &&
            opt_may_alias(p, n, opt_place((*s)->args[0]), ir_bytes((*s)->type)))
            return false;
    return true;
}

static int by_order(const void *x, const void *y)
{
    const struct ir_block *a = *(struct ir_block *const *)x, *b = *(struct ir_block *const *)y;
    return (a->rpo > b->rpo) - (a->rpo < b->rpo);
}

static void hoist(struct arena *a, struct opt_loops *ls, struct opt_loop *l)
{
    struct loop_memory m = memory_of(a, ls, l);
    struct ir_inst *where = NULL;
    uint64_t held = 0;
    /* in an order that sees definitions before uses */
    qsort(l->blocks.data, l->blocks.len, sizeof *l->blocks.data, by_order);
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            bool pure = opt_is_pure(i) && i->nresults;
            if (!pure && !(i->op == IR_OP_load && load_moves(&m, i)))
                continue;
            bool fixed = true;
            for (uint32_t k = 0; k < i->nargs && fixed; k++)
                fixed = !opt_is_inside(ls, l, i->args[k]);
            if (!fixed)
                continue;
            if (!pure && ir_is_vector(i->type) && (held += ir_bytes(i->type)) > HELD_BYTES)
                continue;
            if (!where)
                where = ir_terminator(opt_preheader(ls, l));
            ir_move_before(i, where);
        }
}

void opt_licm(struct arena *scratch, struct ir_func *f)
{
    struct opt_loops *ls = opt_find_entered_loops(scratch, f);
    for (size_t k = 0; k < ls->all.len; k++)
        hoist(scratch, ls, ls->all.data[k]);
}

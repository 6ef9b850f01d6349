/* The graph: folds branches, skips empty blocks, joins straight lines, drops block parameters that
 * always carry the same value, and turns small branches into selects.
 *
 * A split whose one join follows in the same block has nothing left to reconverge: both go. */
#include <string.h>
#include "opt/opt_int.h"

enum { MAX_SPECULATED = 8, MAX_SELECTS = 4 };

struct graph {
    struct arena *a;
    struct ir_func *f;
    bool changed;
};

static void to_br(struct graph *g, struct ir_inst *t, uint32_t keep)
{
    ir_to_br(t, keep);
    g->changed = true;
}

static bool same_edge(const struct ir_edge *x, const struct ir_edge *y)
{
    if (x->to != y->to)
        return false;
    for (uint32_t k = 0; k < x->nargs; k++)
        if (x->args[k] != y->args[k])
            return false;
    return true;
}

/* Both edges to one block: the arguments that differ become selects. */
static bool edges_to_selects(struct graph *g, struct ir_inst *t)
{
    struct ir_edge *x = &t->edges[0], *y = &t->edges[1];
    unsigned differ = 0;
    for (uint32_t k = 0; k < x->nargs; k++) {
        differ += x->args[k] != y->args[k];
        if (x->args[k]->type == IR_TOKEN ||
            (ir_is_vector(x->args[k]->type) && x->args[k] != y->args[k]))
            return false; /* one bit does not choose between vectors */
    }
    if (differ > MAX_SELECTS)
        return false;
    struct ir_builder b = ir_builder_before(t);
    b.span = t->span;
    for (uint32_t k = 0; k < x->nargs; k++)
        if (x->args[k] != y->args[k])
            x->args[k] =
                ir_build3(&b, IR_OP_select, x->args[k]->type, t->args[0], x->args[k], y->args[k]);
    to_br(g, t, 0);
    return true;
}

static void fold_terminator(struct graph *g, struct ir_block *b)
{
    struct ir_inst *t = ir_terminator(b);
    if (t->op == IR_OP_condbr) {
        struct ir_inst *no = opt_def(t->args[0]);
        if (ir_is_const(t->args[0])) {
            to_br(g, t, t->args[0]->u.bits & 1 ? 0 : 1);
        } else if (t->edges[0].to == t->edges[1].to) {
            if (same_edge(&t->edges[0], &t->edges[1]))
                to_br(g, t, 0);
            else
                edges_to_selects(g, t);
        } else if (no && no->op == IR_OP_not) {
            struct ir_edge e = t->edges[0];
            t->edges[0] = t->edges[1];
            t->edges[1] = e;
            t->args[0] = no->args[0];
            g->changed = true;
        }
        return;
    }
    if (t->op != IR_OP_switch)
        return;
    if (ir_is_const(t->args[0])) {
        uint32_t keep = 0;
        for (uint32_t k = 1; k < t->nedges; k++)
            if (t->edges[k].case_value == t->args[0]->u.bits)
                keep = k;
        to_br(g, t, keep);
        return;
    }
    bool all_same = true;
    for (uint32_t k = 1; k < t->nedges; k++)
        all_same &= same_edge(&t->edges[0], &t->edges[k]);
    if (all_same)
        to_br(g, t, 0);
}

/* A parameter that is always v, or itself. */
static void drop_parameters(struct graph *g)
{
    bool again = true;
    while (again) {
        again = false;
        ir_each_block (b, g->f) {
            if (b == g->f->first || !b->preds.len)
                continue;
            for (uint32_t k = (uint32_t)b->params.len; k-- > 0;) {
                struct ir_value *p = b->params.data[k], *only = NULL;
                bool one = true;
                for (size_t n = 0; n < b->preds.len && one; n++) {
                    struct ir_inst *t = ir_terminator(b->preds.data[n]);
                    for (uint32_t e = 0; e < t->nedges; e++) {
                        if (t->edges[e].to != b)
                            continue;
                        struct ir_value *x = opt_resolve(t->edges[e].args[k]);
                        if (x == p || x == only)
                            continue;
                        one = only == NULL;
                        only = x;
                        if (!one)
                            break;
                    }
                }
                if (!one || !only)
                    continue;
                p->forward = only;
                ir_block_param_remove(b, k);
                g->changed = again = true;
            }
        }
        if (again)
            ir_replace_forwarded(g->f);
    }
}

/* Is b nothing but a jump, with parameters that only the jump passes on? */
static bool only_branches(const struct ir_block *b)
{
    return b->first && b->first == b->last && b->first->op == IR_OP_br &&
           b->first->edges[0].to != b;
}

static bool is_forwarder(const struct ir_block *b, const uint32_t *uses)
{
    if (!only_branches(b))
        return false;
    const struct ir_edge *e = &b->first->edges[0];
    for (size_t k = 0; k < b->params.len; k++) {
        uint32_t here = 0;
        for (uint32_t n = 0; n < e->nargs; n++)
            here += e->args[n] == b->params.data[k];
        if (uses[b->params.data[k]->id] != here)
            return false;
    }
    return true;
}

static void skip_block(struct graph *g, struct ir_block *b)
{
    const struct ir_edge *out = &b->first->edges[0];
    struct arena *a = g->f->module->arena;
    vec_each (struct ir_block *, p, &b->preds) {
        struct ir_inst *t = ir_terminator(*p);
        for (uint32_t k = 0; k < t->nedges; k++) {
            struct ir_edge *e = &t->edges[k];
            if (e->to != b)
                continue;
            struct ir_value **args = arena_array(a, struct ir_value *, out->nargs + 1);
            for (uint32_t n = 0; n < out->nargs; n++) {
                struct ir_value *x = out->args[n];
                args[n] = x->kind == IR_VALUE_PARAM && x->u.block == b ? e->args[x->index] : x;
            }
            e->to = out->to;
            e->args = args;
            e->nargs = out->nargs;
        }
    }
    g->changed = true;
}

static bool skip_empty(struct graph *g)
{
    bool any = false;
    ir_each_block (b, g->f)
        any |= b != g->f->first && only_branches(b);
    if (!any)
        return false;
    any = false;
    uint32_t *uses = ir_use_counts(g->a, g->f);
    uint8_t *stale = arena_array(g->a, uint8_t, g->f->nblocks + 1); /* predecessors have changed */
    ir_each_block (b, g->f)
        if (b != g->f->first && b->preds.len && !stale[b->id] && is_forwarder(b, uses)) {
            stale[b->first->edges[0].to->id] = 1;
            skip_block(g, b);
            any = true;
        }
    return any;
}

/* b, and a block that only b leads to, become one. */
static bool merge_next(struct graph *g, struct ir_block *b)
{
    struct ir_inst *t = ir_terminator(b);
    if (t->op != IR_OP_br)
        return false;
    struct ir_block *next = t->edges[0].to;
    if (next == b || next == g->f->first || next->preds.len != 1)
        return false;
    for (size_t k = 0; k < next->params.len; k++)
        next->params.data[k]->forward = t->edges[0].args[k];
    ir_remove(t);
    for (struct ir_inst *i = next->first; i; i = i->next)
        i->block = b;
    if (b->last)
        b->last->next = next->first;
    else
        b->first = next->first;
    if (next->first)
        next->first->prev = b->last;
    b->last = next->last;
    next->first = next->last = NULL;
    struct ir_inst *out = ir_terminator(b);
    for (uint32_t k = 0; k < out->nedges; k++)
        vec_each (struct ir_block *, p, &out->edges[k].to->preds)
            if (*p == next)
                *p = b;
    ir_block_remove(next);
    g->changed = true;
    return true;
}

/* ---- small branches ---- */
static bool is_cheap(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem:
    case IR_OP_fdiv:
    case IR_OP_fsqrt:
    case IR_OP_txq: return false;
    default: return opt_is_pure(i);
    }
}

/* A block that only `from` enters, that computes a few cheap things and goes on to `to`. */
static bool is_arm(const struct ir_block *b, const struct ir_block *from, const struct ir_block *to)
{
    unsigned n = 0;
    if (b->preds.len != 1 || b->preds.data[0] != from || b->params.len || !ir_terminator(b) ||
        ir_terminator(b)->op != IR_OP_br || ir_terminator(b)->edges[0].to != to)
        return false;
    for (const struct ir_inst *i = b->first; i != b->last; i = i->next)
        if (!is_cheap(i) || ++n > MAX_SPECULATED)
            return false;
    return true;
}

/* b goes straight on to `meet`; the arms between them are gone. Predecessors are kept true here,
 * one by one: finding those of all blocks again for each branch takes quadratic time. */
static void drop_arms(struct ir_block *b, struct ir_block *meet, struct ir_block *const arms[2])
{
    size_t n = 0;
    bool there = false;
    for (size_t k = 0; k < meet->preds.len; k++) {
        struct ir_block *p = meet->preds.data[k];
        const bool ours = p == b || p == arms[0] || p == arms[1];
        if (ours && there)
            continue;
        there |= ours;
        meet->preds.data[n++] = ours ? b : p;
    }
    meet->preds.len = n;
    for (int k = 0; k < 2; k++)
        if (arms[k])
            ir_block_remove(arms[k]);
}

static void flatten(struct graph *g, struct ir_block *b)
{
    struct ir_inst *t = ir_terminator(b);
    if (t->op != IR_OP_condbr || t->edges[0].to == t->edges[1].to)
        return;
    struct ir_block *x = t->edges[0].to, *y = t->edges[1].to, *meet = NULL;
    bool arm_x = false, arm_y = false;
    if (ir_terminator(x) && ir_terminator(x)->op == IR_OP_br &&
        is_arm(x, b, ir_terminator(x)->edges[0].to)) {
        meet = ir_terminator(x)->edges[0].to;
        arm_x = true;
        if (meet == y)
            arm_y = false;
        else if (is_arm(y, b, meet))
            arm_y = true;
        else
            return;
    } else if (is_arm(y, b, x)) {
        meet = x;
        arm_y = true;
    } else {
        return;
    }
    if (meet == b)
        return; /* a loop */
    struct ir_edge ex = arm_x ? ir_terminator(x)->edges[0] : t->edges[0];
    struct ir_edge ey = arm_y ? ir_terminator(y)->edges[0] : t->edges[1];
    unsigned differ = 0;
    for (uint32_t k = 0; k < ex.nargs; k++) {
        differ += ex.args[k] != ey.args[k];
        if (ex.args[k]->type == IR_TOKEN)
            return;
    }
    if (differ > MAX_SELECTS)
        return;
    for (int side = 0; side < 2; side++) {
        struct ir_block *arm = side ? y : x;
        if (!(side ? arm_y : arm_x))
            continue;
        while (arm->first != arm->last)
            ir_move_before(arm->first, t);
    }
    t->edges[0] = ex;
    t->edges[1] = ey;
    g->changed = true;
    if (edges_to_selects(g, t))
        drop_arms(b, meet, (struct ir_block *const[2]){arm_x ? x : NULL, arm_y ? y : NULL});
}

/* ---- reconvergence with nothing between ---- */

/* By value id: how often a token is used; NULL where every one has a join in another block. */
static uint32_t *token_uses(struct graph *g)
{
    bool alone = false;
    uint32_t splits = 0, joins = 0;
    ir_each_block (b, g->f)
        ir_each_inst (i, b) {
            splits += i->op == IR_OP_split;
            joins += i->op == IR_OP_join;
            struct ir_inst *split = i->op == IR_OP_join ? opt_def(i->args[0]) : NULL;
            alone |= split && split->block == b;
        }
    return alone || splits > joins ? ir_use_counts(g->a, g->f) : NULL;
}

static void drop_splits(struct graph *g)
{
    uint32_t *uses = token_uses(g);
    if (!uses)
        return;
    ir_each_block (b, g->f)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (i->op != IR_OP_join)
                continue;
            struct ir_inst *split = opt_def(i->args[0]);
            if (!split || split->block != b || uses[i->args[0]->id] != 1)
                continue;
            ir_remove(i);
            ir_remove(split);
            g->changed = true;
        }
    ir_each_block (b, g->f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_split && !uses[i->results[0].id])
                ir_remove(i);
}

void opt_cfg(struct arena *scratch, struct ir_func *f)
{
    struct graph g = {scratch, f, true};
    bool trimmed = false; /* the graph is as ir_trim left it */
    for (unsigned round = 0; g.changed && round < 200; round++) {
        g.changed = false;
        ir_each_block (b, f)
            fold_terminator(&g, b);
        if (g.changed || !trimmed)
            ir_trim(f);
        drop_parameters(&g);
        while (skip_empty(&g))
            ir_trim(f);
        for (struct ir_block *b = f->first; b; b = b->next)
            while (merge_next(&g, b))
                ;
        if (g.changed) {
            ir_replace_forwarded(f);
            ir_trim(f);
        }
        drop_splits(&g);
        const bool changed = g.changed;
        g.changed = false;
        ir_each_block (b, f)
            flatten(&g, b);
        trimmed = !g.changed;
        g.changed |= changed;
    }
}

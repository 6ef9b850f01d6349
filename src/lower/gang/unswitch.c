/* Loop unswitching for loops over gangs.
 *
 *     loop { test; if (likely) fast; else slow; next }
 *
 * is what becomes of a loop over gangs with a condition that holds for all lanes of most of them:
 * the path with masks beside it keeps much in registers that the other does not need. After a gang
 * without masks most often comes another, so
 *
 *     loop { test; if (likely) loop { fast; next; test; if (!likely) break } slow; next }
 *
 * gives these a loop of their own, which ends in a copy of the outer loop's test and latch. */
#include "lower/lower.h"
#include "opt/opt.h"

enum { MOST_COPIED = 64 }; /* instructions of the ends */

struct unswitch {
    struct arena *arena;
    struct ir_func *func;
    struct ir_block *head, *fast, *slow, *latch;
    unsigned likely; /* the head's edge to `fast` */
    bool *in;        /* the loop, by block id */
};

static bool is_inside(const struct unswitch *s, const struct ir_value *v)
{
    const struct ir_block *b = ir_def_block(v);
    return b && s->in[b->id];
}

static unsigned size_of(const struct ir_block *b)
{
    unsigned n = 0;
    for (const struct ir_inst *i = b->first; i; i = i->next)
        n++;
    return n;
}

static void gather_loop(struct unswitch *s, struct ir_block *b)
{
    if (s->in[b->id])
        return;
    s->in[b->id] = true;
    for (size_t k = 0; k < b->preds.len; k++)
        gather_loop(s, b->preds.data[k]);
}

/* Is what the loop computes used outside only through what the latch passes on? */
static bool is_closed(const struct unswitch *s)
{
    ir_each_block (b, s->func)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs && !s->in[b->id]; k++)
                if (is_inside(s, i->args[k]))
                    return false;
            for (uint32_t e = 0; e < i->nedges; e++) {
                const bool leaves = s->in[b->id] && !s->in[i->edges[e].to->id];
                if (leaves && b != s->latch)
                    return false;
                for (uint32_t k = 0; k < i->edges[e].nargs && !s->in[b->id]; k++)
                    if (is_inside(s, i->edges[e].args[k]))
                        return false;
            }
        }
    return true;
}

/* What depends on what is read is not likely for that many gangs in a row. */
static bool reads(const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i; i = i->next)
        if (ir_op_info[i->op].flags & IR_READS)
            return true;
    return false;
}

static bool has_shape(struct unswitch *s)
{
    struct ir_inst *ask = ir_terminator(s->head), *next = NULL;
    if (ask->op != IR_OP_condbr || s->head->preds.len != 2 || reads(s->head))
        return false;
    for (s->likely = 0; s->likely < 2; s->likely++) {
        s->fast = ask->edges[s->likely].to;
        s->slow = ask->edges[1 - s->likely].to;
        struct ir_inst *end = ir_terminator(s->fast);
        s->latch = end->op == IR_OP_br ? end->edges[0].to : NULL;
        next = s->latch ? ir_terminator(s->latch) : NULL;
        if (next && next->op == IR_OP_condbr &&
            (next->edges[0].to == s->head || next->edges[1].to == s->head))
            break;
    }
    if (s->likely == 2 || s->fast->preds.len != 1 || s->slow->preds.len != 1 ||
        s->fast->params.len || s->slow->params.len || s->latch == s->slow ||
        s->latch->preds.len < 2 || next->edges[0].to == next->edges[1].to ||
        !ir_dominates(s->head, s->latch))
        return false;
    s->in = arena_array(s->arena, bool, s->func->nblocks + 1);
    s->in[s->head->id] = true;
    gather_loop(s, s->latch);
    return s->in[s->slow->id] && size_of(s->head) + size_of(s->latch) <= MOST_COPIED &&
           is_closed(s);
}

static struct ir_block *copy_of(const struct unswitch *s, struct map *twins, struct ir_block *where,
                                struct ir_block *b)
{
    map_init(twins, s->arena);
    opt_clone_blocks(twins, s->func, where, &b, 1);
    return map_get(twins, map_key(b));
}

static void replace_in(const struct ir_block *b, const struct ir_value *from, struct ir_value *to)
{
    for (struct ir_inst *i = b->first; i; i = i->next) {
        for (uint32_t k = 0; k < i->nargs; k++)
            i->args[k] = i->args[k] == from ? to : i->args[k];
        for (uint32_t e = 0; e < i->nedges; e++)
            for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                i->edges[e].args[k] = i->edges[e].args[k] == from ? to : i->edges[e].args[k];
    }
}

/* A value of the header reaches both paths from two headers now. */
static void pass_on(struct unswitch *s, const struct ir_block *latch, struct ir_block *head,
                    struct map *twins, struct ir_value *v)
{
    struct ir_value *fast = ir_block_param(s->fast, v->type, v->name),
                    *slow = ir_block_param(s->slow, v->type, v->name);
    replace_in(s->fast, v, fast);
    replace_in(latch, v, fast);
    ir_each_block (b, s->func)
        if (b->id < s->func->nblocks && s->in[b->id] && b != s->head && b != s->fast)
            replace_in(b, v, slow);
    struct ir_inst *first = ir_terminator(s->head), *again = ir_terminator(head);
    for (unsigned e = 0; e < 2; e++) {
        ir_edge_push(first, &first->edges[e], v);
        ir_edge_push(again, &again->edges[e], map_get(twins, map_key(v)));
    }
}

/* What was true once, and does not change in the loop, need not be tested again. */
static struct ir_value *still_open(const struct unswitch *s, const struct ir_block *head,
                                   struct ir_value *v)
{
    struct ir_inst *i = v->kind == IR_VALUE_RESULT && v->u.inst->block == head ? v->u.inst : NULL;
    if (!i || i->op != IR_OP_and || i->type != IR_I1)
        return v;
    for (unsigned k = 0; k < 2; k++)
        i->args[k] = still_open(s, head, i->args[k]);
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_block *b = ir_def_block(i->args[k]);
        if (b && b != head && !s->in[b->id])
            return i->args[1 - k];
    }
    return v;
}

/* Two conditions are tested by a branch each: engines would compute both as numbers first. */
static void ask_one_by_one(struct ir_block *head)
{
    struct ir_inst *ask = ir_terminator(head);
    struct ir_value *c = ask->args[0];
    const struct ir_edge yes = ask->edges[0], no = ask->edges[1];
    if (c->kind != IR_VALUE_RESULT || c->u.inst->op != IR_OP_and || c->type != IR_I1)
        return;
    struct ir_block *second = ir_block_after(head, NULL);
    struct ir_builder b = ir_builder_at_end(second);
    b.span = ask->span;
    struct ir_inst *then = ir_build(&b, IR_OP_condbr, IR_VOID, &c->u.inst->args[1], 1);
    ir_add_edge(then, yes.to, yes.args, yes.nargs, 0);
    ir_add_edge(then, no.to, no.args, no.nargs, 0);
    ask->args[0] = c->u.inst->args[0];
    ask->edges[0] = (struct ir_edge){.to = second};
    ask_one_by_one(head);
    ask_one_by_one(second);
}

static void unswitch(struct unswitch *s)
{
    struct map next, ask;
    struct ir_block *latch = copy_of(s, &next, s->fast, s->latch),
                    *head = copy_of(s, &ask, latch, s->head);
    latch->id = head->id = s->func->nblocks; /* not in s->in */
    ir_terminator(s->fast)->edges[0].to = latch;
    struct ir_inst *end = ir_terminator(latch);
    for (unsigned e = 0; e < 2; e++)
        if (end->edges[e].to == s->head)
            end->edges[e].to = head;
    struct ir_inst *again = ir_terminator(head);
    if (s->likely == 0)
        again->args[0] = still_open(s, head, again->args[0]);
    vec_each (struct ir_value *, p, &s->head->params)
        pass_on(s, latch, head, &ask, *p);
    ir_each_inst (i, s->head)
        for (uint32_t k = 0; k < i->nresults; k++)
            pass_on(s, latch, head, &ask, &i->results[k]);
    if (s->likely == 0)
        ask_one_by_one(head);
}

void lower_unswitch(struct arena *a, struct ir_func *f)
{
    VEC(struct ir_block *) heads = {0};
    ir_each_block (b, f)
        vec_push(a, &heads, b);
    ir_renumber(f);
    ir_cfg(f);
    for (size_t k = 0; k < heads.len; k++) {
        struct unswitch s = {.arena = a, .func = f, .head = heads.data[k]};
        if (s.head->rpo == UINT32_MAX || !has_shape(&s))
            continue;
        unswitch(&s);
        ir_renumber(f);
        ir_cfg(f);
    }
    opt_cfg(a, f);
    opt_dce(a, f);
    ir_renumber(f);
}

/* SSA form again after surgery on the graph.
 *
 * A pass that redirects edges can leave a value used where its definition no longer dominates.
 * Every block where such a value is live and not dominated gets a parameter for it; every edge
 * passes what holds there. That is more parameters than the fewest possible, and always right. */
#include <string.h>
#include "lower/lower.h"

/* One place where a value stands that its definition does not dominate. */
struct use {
    struct ir_inst *inst;
    uint32_t edge, index; /* edge: 1 + which; 0: an argument of the instruction itself */
    struct use *next;     /* of the same value, in order */
};

struct broken_value {
    struct ir_value *value;
    struct use *first, *last;
};

struct repair {
    struct arena *arena;
    struct ir_func *func;
    struct ir_block *second; /* where `others` are defined; NULL: nowhere */
    const struct map *others;
    VEC(struct broken_value) values;
    uint32_t *place;         /* by value id: 1 + where in values; 0: not there */
    struct ir_value **param; /* by block, of the value in hand */
    bool *seen;
    VEC(struct ir_block *) wanted; /* where seen is set */
    uint32_t *room;  /* by edge: for how many arguments there is memory; 0: as many as there are */
    uint32_t *edges; /* by block: the number of its first edge */
};

static bool broken(const struct ir_value *v, const struct ir_block *use)
{
    const struct ir_block *d = ir_def_block(v);
    return d && d != use && !ir_dominates(d, use);
}

/* What holds of v at the end of b. A block with one way in has no parameter: it asks the block
 * before it. */
static struct ir_value *reaching(struct repair *r, struct ir_value *v, struct ir_value **param,
                                 struct ir_block *b)
{
    struct ir_block *d = ir_def_block(v);
    struct ir_value *other = r->second ? map_get(r->others, map_key(v)) : NULL;
    for (;; b = b->preds.data[0]) {
        if (d == b || ir_dominates(d, b))
            return v;
        if (other && ir_dominates(r->second, b))
            return other;
        if (param[b->id])
            return param[b->id];
        if (b->preds.len != 1)
            return ir_const(r->func->module, v->type, 0);
    }
}

/* Edges into the block where all meet get thousands of arguments, one by one: each doubles its
 * memory. */
static void pass_argument(struct repair *r, struct ir_block *b, uint32_t edge, struct ir_value *v)
{
    struct ir_edge *e = &b->last->edges[edge];
    uint32_t *room = &r->room[r->edges[b->id] + edge];
    if (*room <= e->nargs) {
        *room = e->nargs < 4 ? 8 : 2 * e->nargs;
        struct ir_value **args = arena_array(r->func->module->arena, struct ir_value *, *room);
        if (e->nargs)
            memcpy(args, e->args, e->nargs * sizeof *args);
        e->args = args;
    }
    e->args[e->nargs++] = v;
}

static void number_edges(struct repair *r)
{
    uint32_t n = 0;
    r->edges = arena_array(r->arena, uint32_t, r->func->nblocks);
    ir_each_block (b, r->func) {
        r->edges[b->id] = n;
        n += b->last->nedges;
    }
    r->room = arena_array(r->arena, uint32_t, n + 1);
}

/* Is v, of d, live into b and not there? Then b gets a parameter for it, if several ways lead in.
 */
static void want(struct repair *r, struct ir_value *v, struct ir_block *b, bool second)
{
    const struct ir_block *d = ir_def_block(v);
    if (b == d || ir_dominates(d, b) || r->seen[b->id] || b == r->func->first ||
        (second && ir_dominates(r->second, b)))
        return;
    r->seen[b->id] = true;
    if (b->preds.len > 1)
        r->param[b->id] = ir_block_param(b, v->type, v->name);
    vec_push(r->arena, &r->wanted, b);
}

static struct ir_value **slot(const struct use *u)
{
    return u->edge ? &u->inst->edges[u->edge - 1].args[u->index] : &u->inst->args[u->index];
}

/* Every edge into b passes what holds of v at its source. A block stands among the ways in once for
 * each of its edges. */
static void pass_along(struct repair *r, struct ir_value *v, struct ir_block *b)
{
    for (size_t k = 0; k < b->preds.len; k++) {
        struct ir_block *from = b->preds.data[k];
        bool again = false;
        for (size_t j = 0; j < k && from->last->nedges > 1; j++)
            again |= b->preds.data[j] == from;
        for (uint32_t e = 0; e < from->last->nedges && !again; e++)
            if (from->last->edges[e].to == b)
                pass_argument(r, from, e, reaching(r, v, r->param, from));
    }
}

/* Costs what the value's uses and the blocks that it is live into cost. */
static void repair_value(struct repair *r, const struct broken_value *x)
{
    struct ir_value *v = x->value;
    const bool second = r->second && map_has(r->others, map_key(v));
    for (const struct use *u = x->first; u; u = u->next)
        want(r, v, u->inst->block, second);
    for (size_t i = 0; i < r->wanted.len; i++) {
        const struct ir_block *b = r->wanted.data[i];
        for (size_t k = 0; k < b->preds.len; k++)
            want(r, v, b->preds.data[k], second);
    }
    /* uses first, then the new arguments, which name v or parameters already in place */
    for (const struct use *u = x->first; u; u = u->next)
        *slot(u) = reaching(r, v, r->param, u->inst->block);
    for (size_t i = 0; i < r->wanted.len; i++)
        if (r->param[r->wanted.data[i]->id])
            pass_along(r, v, r->wanted.data[i]);
    for (size_t i = 0; i < r->wanted.len; i++) {
        r->param[r->wanted.data[i]->id] = NULL;
        r->seen[r->wanted.data[i]->id] = false;
    }
    r->wanted.len = 0;
}

static void note_use(struct repair *r, struct ir_inst *i, uint32_t edge, uint32_t index,
                     struct ir_value *v)
{
    if (!broken(v, i->block))
        return;
    if (!r->place[v->id]) {
        vec_push(r->arena, &r->values, ((struct broken_value){.value = v}));
        r->place[v->id] = (uint32_t)r->values.len;
    }
    struct broken_value *x = &r->values.data[r->place[v->id] - 1];
    struct use *u = arena_new(r->arena, struct use);
    *u = (struct use){.inst = i, .edge = edge, .index = index};
    if (x->last)
        x->last->next = u;
    else
        x->first = u;
    x->last = u;
}

static bool is_token(const struct broken_value *x)
{
    return ir_kind(x->value->type) == IR_TOKEN;
}

/* Tokens cannot be passed: their splits and joins go. */
static void drop_tokens(struct repair *r)
{
    bool any = false;
    for (size_t i = 0; i < r->values.len; i++)
        any |= is_token(&r->values.data[i]);
    if (!any)
        return;
    ir_each_block (b, r->func)
        ir_each_inst (i, b)
            if (i->op == IR_OP_join && r->place[i->args[0]->id])
                ir_remove(i);
    for (size_t i = 0; i < r->values.len; i++)
        if (is_token(&r->values.data[i]))
            ir_remove(r->values.data[i].value->u.inst);
}

void lower_repair(struct arena *a, struct ir_func *f)
{
    lower_repair_from(a, f, NULL, NULL);
}

void lower_repair_from(struct arena *a, struct ir_func *f, struct ir_block *block,
                       const struct map *others)
{
    ir_remove_unreachable(f);
    ir_renumber(f);
    ir_cfg(f);
    struct repair r = {.arena = a, .func = f, .second = block, .others = others};
    r.param = arena_array(a, struct ir_value *, f->nblocks);
    r.seen = arena_array(a, bool, f->nblocks);
    r.place = arena_array(a, uint32_t, f->nvalues + 1);
    number_edges(&r);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                note_use(&r, i, 0, k, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    note_use(&r, i, e + 1, k, i->edges[e].args[k]);
        }
    drop_tokens(&r);
    for (size_t i = 0; i < r.values.len; i++)
        if (!is_token(&r.values.data[i]))
            repair_value(&r, &r.values.data[i]);
    ir_renumber(f);
}

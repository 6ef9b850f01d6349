/* SSA form again after surgery on the graph.
 *
 * A pass that redirects edges can leave a value used where its definition no longer dominates.
 * Every block where such a value is live and not dominated gets a parameter for it; every edge
 * passes what holds there. That is more parameters than the fewest possible, and always right. */
#include <string.h>
#include "lower/lower.h"

struct repair {
    struct arena *arena;
    struct ir_func *func;
    struct ir_block *second; /* where `others` are defined; NULL: nowhere */
    const struct map *others;
    struct ir_value **param; /* by block, of the value in hand */
    bool *seen;
    uint32_t *room;  /* by edge: for how many arguments there is memory; 0: as many as there are */
    uint32_t *edges; /* by block: the number of its first edge */
};

static struct ir_block *def_block(const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM    ? v->u.block
           : v->kind == IR_VALUE_RESULT ? v->u.inst->block
                                        : NULL;
}

static bool broken(const struct ir_value *v, const struct ir_block *use)
{
    const struct ir_block *d = def_block(v);
    return d && d != use && !ir_dominates(d, use);
}

/* Tokens cannot be passed: their splits and joins go. */
static void drop_token(struct ir_func *f, struct ir_inst *split)
{
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            if (i->op == IR_OP_join && i->args[0] == &split->results[0])
                ir_remove(i);
        }
    }
    ir_remove(split);
}

/* What holds of v at the end of b. A block with one way in has no parameter: it asks the block
 * before it. */
static struct ir_value *reaching(struct repair *r, struct ir_value *v, struct ir_value **param,
                                 struct ir_block *b)
{
    struct ir_block *d = def_block(v);
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

static void repair_value(struct repair *r, struct ir_value *v)
{
    struct ir_func *f = r->func;
    struct ir_value **param = r->param;
    bool *seen = r->seen;
    memset(param, 0, f->nblocks * sizeof *param);
    memset(seen, 0, f->nblocks * sizeof *seen);
    VEC(struct ir_block *) work = {0};
    struct ir_block *d = def_block(v);
    bool second = r->second && map_has(r->others, map_key(v));
    /* where is v live in and not dominated? */
#define WANT(b)                                                                                    \
    do {                                                                                           \
        struct ir_block *want = (b);                                                               \
        if (want != d && !ir_dominates(d, want) && !seen[want->id] && want != f->first &&          \
            !(second && ir_dominates(r->second, want))) {                                          \
            seen[want->id] = true;                                                                 \
            if (want->preds.len > 1)                                                               \
                param[want->id] = ir_block_param(want, v->type, v->name);                          \
            vec_push(r->arena, &work, want);                                                       \
        }                                                                                          \
    } while (0)
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            bool used = false;
            for (uint32_t k = 0; k < i->nargs; k++)
                used |= i->args[k] == v;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    used |= i->edges[e].args[k] == v;
            if (used)
                WANT(b);
        }
    }
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        for (size_t k = 0; k < b->preds.len; k++)
            WANT(b->preds.data[k]);
    }
#undef WANT
    /* uses first, then the new arguments, which name v or parameters already in place */
    ir_each_block (b, f) {
        if (b == d || ir_dominates(d, b))
            continue;
        struct ir_value *here = reaching(r, v, param, b);
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k] == v)
                    i->args[k] = here;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k] == v)
                        i->edges[e].args[k] = here;
        }
    }
    ir_each_block (b, f) {
        struct ir_inst *t = b->last;
        for (uint32_t e = 0; e < t->nedges; e++)
            if (param[t->edges[e].to->id])
                pass_argument(r, b, e, reaching(r, v, param, b));
    }
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
    number_edges(&r);
    VEC(struct ir_value *) values = {0};
    bool *seen = arena_array(a, bool, f->nvalues ? f->nvalues : 1);
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++) {
                struct ir_value *v = i->args[k];
                if (broken(v, b) && !seen[v->id]) {
                    seen[v->id] = true;
                    vec_push(a, &values, v);
                }
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    struct ir_value *v = i->edges[e].args[k];
                    if (broken(v, b) && !seen[v->id]) {
                        seen[v->id] = true;
                        vec_push(a, &values, v);
                    }
                }
        }
    }
    for (size_t i = 0; i < values.len; i++)
        if (ir_kind(values.data[i]->type) == IR_TOKEN)
            drop_token(f, values.data[i]->u.inst);
        else
            repair_value(&r, values.data[i]);
    ir_renumber(f);
}

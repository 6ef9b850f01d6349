/* Blocks that one way reaches with masks that are known.
 *
 * Behind a loop that lanes leave at different times, values are chosen by masks of who ran when.
 * Where the loop was not entered at all, every mask is constant, and what is chosen, too: that way
 * gets a copy of the block where the ways meet, in which nothing is left to choose. */
#include "lower/lower.h"
#include "opt/opt.h"

enum { MOST_COPIED = 96 }; /* instructions */

static bool is_mask(const struct ir_value *v)
{
    return v->kind == IR_VALUE_CONST && ir_is_vector(v->type) && ir_kind(v->type) == IR_I1;
}

/* Small, no loop's head, and what it computes is used by itself and by who comes next, as
 * arguments. */
static bool can_be_copied(const struct ir_func *f, const struct ir_block *j)
{
    unsigned n = 0;
    vec_each (struct ir_block *, p, &j->preds)
        if (ir_dominates(j, *p))
            return false;
    for (const struct ir_inst *i = j->first; i; i = i->next, n++)
        for (uint32_t k = 0; k < i->nresults; k++)
            if (i->results[k].type == IR_TOKEN)
                return false;
    if (n > MOST_COPIED)
        return false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; b != j && k < i->nargs; k++)
                if ((i->args[k]->kind == IR_VALUE_RESULT && i->args[k]->u.inst->block == j) ||
                    (i->args[k]->kind == IR_VALUE_PARAM && i->args[k]->u.block == j))
                    return false;
            for (uint32_t e = 0; b != j && e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    const struct ir_value *v = i->edges[e].args[k];
                    if ((v->kind == IR_VALUE_RESULT && v->u.inst->block == j) ||
                        (v->kind == IR_VALUE_PARAM && v->u.block == j))
                        return false;
                }
        }
    return true;
}

/* The edge that brings a constant mask, and where it comes from; NULL: none does. */
static struct ir_edge *known_way(const struct ir_block *j, struct ir_block **from)
{
    if (j->preds.len < 2 || !j->params.len)
        return NULL;
    vec_each (struct ir_block *, p, &j->preds) {
        struct ir_inst *end = ir_terminator(*p);
        *from = *p;
        for (uint32_t e = 0; (*p)->rpo != UINT32_MAX && e < end->nedges; e++)
            for (uint32_t k = 0; end->edges[e].to == j && k < end->edges[e].nargs; k++)
                if (is_mask(end->edges[e].args[k]))
                    return &end->edges[e];
    }
    return NULL;
}

static struct ir_value *resolved(struct ir_value *v)
{
    while (v->forward)
        v = v->forward;
    return v;
}

/* What a choice or a combination with a constant mask is; NULL: it stays. */
static struct ir_value *known(const struct ir_inst *i)
{
    struct ir_value *a = i->nargs ? resolved(i->args[0]) : NULL,
                    *b = i->nargs > 1 ? resolved(i->args[1]) : NULL;
    if (i->op == IR_OP_select && is_mask(a))
        return resolved(i->args[a->u.bits ? 1 : 2]);
    if (!ir_is_vector(i->type) || ir_kind(i->type) != IR_I1 ||
        (i->op != IR_OP_and && i->op != IR_OP_or))
        return NULL;
    for (unsigned k = 0; k < 2; k++, a = b, b = resolved(i->args[0]))
        if (is_mask(a))
            return (a->u.bits != 0) == (i->op == IR_OP_and) ? b : a;
    return NULL;
}

static void copy(struct arena *a, struct ir_func *f, struct ir_block *j, struct ir_edge *way,
                 struct ir_block *from)
{
    struct map twins;
    map_init(&twins, a);
    opt_clone_blocks(&twins, f, from, &j, 1);
    struct ir_block *twin = map_get(&twins, map_key(j));
    for (uint32_t k = 0; k < way->nargs; k++)
        twin->params.data[k]->forward = way->args[k];
    for (struct ir_inst *i = twin->first, *next; i; i = next) {
        next = i->next;
        struct ir_value *v = i->nresults == 1 ? known(i) : NULL;
        if (v)
            i->results[0].forward = v;
    }
    way->to = twin;
    ir_replace_forwarded(f);
    twin->params.len = 0;
    way->nargs = 0;
}

void lower_joins(struct arena *a, struct ir_func *f)
{
    VEC(struct ir_block *) all = {0};
    bool changed = false;
    ir_each_block (b, f)
        vec_push(a, &all, b);
    ir_renumber(f);
    ir_cfg(f);
    for (size_t k = 0; k < all.len; k++) {
        struct ir_block *j = all.data[k];
        struct ir_block *from;
        struct ir_edge *way = j->rpo != UINT32_MAX ? known_way(j, &from) : NULL;
        if (!way || !can_be_copied(f, j))
            continue;
        copy(a, f, j, way, from);
        ir_renumber(f);
        ir_cfg(f);
        changed = true;
    }
    if (changed) {
        opt_cfg(a, f);
        opt_dce(a, f);
        ir_renumber(f);
    }
}

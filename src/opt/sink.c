/* Sinking: what only one side of a branch needs is computed there.
 *
 * The vectoriser asks on scalars first whether all lanes take a branch alike; the masks that it
 * made before are needed only where they do not. Pure operations move down, as far as every use
 * allows, into blocks that have one predecessor: so never into a loop. */
#include "opt/opt_int.h"

static struct ir_block *common(struct ir_block *a, struct ir_block *b)
{
    if (!a)
        return b;
    while (!ir_dominates(a, b))
        a = a->idom;
    return a;
}

/* The block under b on the way to d. */
static struct ir_block *toward(const struct ir_block *b, struct ir_block *d)
{
    while (d->idom != b)
        d = d->idom;
    return d;
}

static bool can_move(const struct ir_inst *i)
{
    return opt_is_pure(i) && i->nresults == 1 && ir_kind(i->results[0].type) != IR_TOKEN;
}

void opt_sink(struct arena *scratch, struct ir_func *f)
{
    ir_renumber(f);
    ir_cfg(f);
    struct ir_block **order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
    struct ir_block **need = arena_array(scratch, struct ir_block *, f->nvalues + 1);
    uint32_t n = 0;
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX) {
            order[b->rpo] = b;
            n = b->rpo >= n ? b->rpo + 1 : n;
        }
    while (n-- > 0) { /* uses before what they use: each is at its place when its operands look */
        for (struct ir_inst *i = order[n]->last, *prev; i; i = prev) {
            prev = i->prev;
            struct ir_block *at = order[n];
            if (can_move(i) && need[i->results[0].id]) {
                struct ir_block *d = need[i->results[0].id];
                while (at != d && toward(at, d)->preds.len == 1)
                    at = toward(at, d);
                if (at != order[n])
                    ir_move_before(i, at->first);
            }
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT)
                    need[i->args[k]->id] = common(need[i->args[k]->id], at);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k]->kind == IR_VALUE_RESULT)
                        need[i->edges[e].args[k]->id] = common(need[i->edges[e].args[k]->id], at);
        }
    }
}

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

/* The dominator tree from above: the children of a block are all[first[id] … first[id + 1]), in the
 * order of their clocks. */
struct children {
    struct ir_block **all;
    uint32_t *first;
};

static struct children find_children(struct arena *a, struct ir_func *f)
{
    struct children c = {arena_array(a, struct ir_block *, f->nblocks + 1),
                         arena_array(a, uint32_t, (size_t)f->nblocks + 2)};
    struct ir_block **at = arena_array(a, struct ir_block *, 2 * (size_t)f->nblocks + 1);
    uint32_t *end = arena_array(a, uint32_t, f->nblocks + 1);
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX) {
            at[b->dom_in] = b;
            if (b->rpo)
                c.first[b->idom->id + 1]++;
        }
    for (uint32_t k = 0; k < f->nblocks; k++) {
        end[k] = c.first[k];
        c.first[k + 1] += c.first[k];
    }
    for (uint32_t k = 0; k < 2 * f->nblocks; k++)
        if (at[k] && at[k]->rpo)
            c.all[end[at[k]->idom->id]++] = at[k];
    return c;
}

/* The block under b on the way to d. */
static struct ir_block *toward(const struct children *c, const struct ir_block *b,
                               const struct ir_block *d)
{
    uint32_t low = c->first[b->id], high = c->first[b->id + 1];
    while (high - low > 1) { /* the last one that begins no later than d */
        const uint32_t middle = low + (high - low) / 2;
        if (c->all[middle]->dom_in <= d->dom_in)
            low = middle;
        else
            high = middle;
    }
    return c->all[low];
}

/* How far down towards d what stands in b may move. */
static struct ir_block *lowest(const struct children *c, struct ir_block *b, struct ir_block *d)
{
    while (b != d) {
        struct ir_block *next = toward(c, b, d);
        if (next->preds.len != 1)
            break;
        b = next;
    }
    return b;
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
    const struct children children = find_children(scratch, f);
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
                at = lowest(&children, at, need[i->results[0].id]);
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

/* The control-flow graph: predecessors, reverse post order, dominators.
 *
 * Dominators by Georgiadis's SEMI-NCA: semidominators as Lengauer and Tarjan find them, then the
 * nearest common ancestor. (An iteration over reverse post order takes quadratic time where many
 * blocks of a long chain go to one: a switch that was made comparisons.) Intervals from a walk of
 * the dominator tree make ir_dominates two comparisons. No recursion: graphs may be deep.
 */
#include <string.h>
#include "ir/ir.h"

struct frame {
    struct ir_block *block;
    uint32_t next;
};

/* A depth-first search. Blocks are numbered in the order it meets them; `rpo` of those it met is no
 * longer UINT32_MAX, `dom_in` is the number until the intervals are known. */
struct search {
    struct ir_block **met; /* by number */
    uint32_t *parent;      /* by number, as the rest */
    uint32_t *semi;        /* semidominator; itself until it is found */
    uint32_t *label;       /* of the path to `up`: the one with the least semidominator */
    uint32_t *up;          /* ancestor, paths compressed */
    uint32_t *path;        /* scratch */
    uint32_t count;
};

static void meet(struct search *s, struct ir_block *b, uint32_t parent)
{
    const uint32_t k = s->count++;
    s->met[k] = b;
    s->parent[k] = s->up[k] = parent;
    s->semi[k] = s->label[k] = k;
    b->dom_in = k;
    b->rpo = 0;
}

static uint32_t post_order(struct ir_func *f, struct search *s, struct ir_block **order,
                           struct frame *stack)
{
    uint32_t n = 0, depth = 0;
    meet(s, f->first, 0);
    stack[depth++] = (struct frame){f->first, 0};
    while (depth) {
        struct frame *top = &stack[depth - 1];
        struct ir_inst *t = ir_terminator(top->block);
        if (t && top->next < t->nedges) {
            struct ir_block *to = t->edges[top->next++].to;
            if (to->rpo == UINT32_MAX) {
                meet(s, to, top->block->dom_in);
                stack[depth++] = (struct frame){to, 0};
            }
        } else {
            order[n++] = top->block;
            depth--;
        }
    }
    return n;
}

static void number_dominator_tree(struct ir_block **rpo, uint32_t n, struct frame *stack,
                                  uint32_t *first, uint32_t *sibling)
{
    for (uint32_t i = 0; i < n; i++)
        first[i] = sibling[i] = UINT32_MAX;
    for (uint32_t i = n; i-- > 1;) {
        uint32_t parent = rpo[i]->idom->rpo;
        sibling[i] = first[parent];
        first[parent] = i;
    }
    uint32_t clock = 0, depth = 0;
    stack[depth++] = (struct frame){rpo[0], first[0]};
    rpo[0]->dom_in = clock++;
    while (depth) {
        struct frame *top = &stack[depth - 1];
        if (top->next != UINT32_MAX) {
            struct ir_block *child = rpo[top->next];
            top->next = sibling[child->rpo];
            child->dom_in = clock++;
            stack[depth++] = (struct frame){child, first[child->rpo]};
        } else {
            top->block->dom_out = clock++;
            depth--;
        }
    }
}

/* Reverse post order and predecessors; order gets the reachable blocks. Returns how many. */
static uint32_t number_blocks(struct ir_func *f, struct search *s, struct ir_block **order,
                              struct frame *stack)
{
    struct arena *a = f->module->arena;
    uint32_t n = post_order(f, s, order, stack);
    for (uint32_t i = 0; i < n / 2; i++) {
        struct ir_block *t = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = t;
    }
    for (uint32_t i = 0; i < n; i++)
        order[i]->rpo = i;
    ir_each_block (b, f) {
        struct ir_inst *t = ir_terminator(b);
        for (uint32_t k = 0; t && k < t->nedges; k++)
            vec_push(a, &t->edges[k].to->preds, b);
    }
    return n;
}

/* The one with the least semidominator among v and its ancestors from number `done` on, whose
 * semidominators are known. */
static uint32_t least(struct search *s, uint32_t v, uint32_t done)
{
    if (v < done)
        return v;
    uint32_t depth = 0;
    while (s->up[v] >= done) {
        s->path[depth++] = v;
        v = s->up[v];
    }
    while (depth) {
        const uint32_t w = s->path[--depth];
        if (s->semi[s->label[v]] < s->semi[s->label[w]])
            s->label[w] = s->label[v];
        s->up[w] = s->up[v];
        v = w;
    }
    return s->label[v];
}

static void find_dominators(struct search *s)
{
    for (uint32_t w = s->count; w-- > 1;) {
        uint32_t semi = s->parent[w];
        vec_each (struct ir_block *, p, &s->met[w]->preds) {
            if ((*p)->rpo == UINT32_MAX)
                continue;
            const uint32_t of = s->semi[least(s, (*p)->dom_in, w + 1)];
            semi = of < semi ? of : semi;
        }
        s->semi[w] = semi;
    }
    s->met[0]->idom = s->met[0];
    for (uint32_t w = 1; w < s->count; w++) {
        struct ir_block *d = s->met[s->parent[w]];
        while (d->dom_in > s->semi[w])
            d = d->idom;
        s->met[w]->idom = d;
    }
}

static void analyse(struct ir_func *f, bool dominators)
{
    if (!f->first)
        return;
    struct arena scratch;
    arena_init(&scratch, f->module->arena->mem);
    uint32_t blocks = 0;
    ir_each_block (b, f) {
        b->preds.len = 0;
        b->idom = NULL;
        b->rpo = UINT32_MAX;
        b->dom_in = 1; /* an unreachable block dominates nothing and is dominated by nothing */
        b->dom_out = 0;
        blocks++;
    }
    /* all of it is written before it is read */
    struct ir_block **order = arena_alloc_unset(&scratch, 2 * (size_t)blocks * sizeof *order);
    struct frame *stack = arena_alloc_unset(&scratch, blocks * sizeof *stack);
    uint32_t *numbers = arena_alloc_unset(&scratch, 5 * (size_t)blocks * sizeof *numbers);
    struct search s = {.met = order + blocks,
                       .parent = numbers,
                       .semi = numbers + blocks,
                       .label = numbers + 2 * (size_t)blocks,
                       .up = numbers + 3 * (size_t)blocks,
                       .path = numbers + 4 * (size_t)blocks};
    uint32_t n = number_blocks(f, &s, order, stack);
    if (dominators) {
        find_dominators(&s);
        number_dominator_tree(order, n, stack, s.semi, s.label);
        f->first->idom = NULL;
    }
    arena_free(&scratch);
}

void ir_cfg(struct ir_func *f)
{
    analyse(f, true);
}

/* ---- loops ---- */
struct ir_loop ir_no_loop(struct arena *a, const struct ir_func *f)
{
    return (struct ir_loop){.in = arena_array(a, bool, f->nblocks + 1)};
}

static void enter_loop(struct arena *a, struct ir_loop *l, struct ir_block *b)
{
    if (l->in[b->id] || b->rpo == UINT32_MAX)
        return;
    l->in[b->id] = true;
    vec_push(a, &l->blocks, b);
}

void ir_walk_loop(struct arena *a, struct ir_loop *l, struct ir_block *first, struct ir_block *last)
{
    vec_each (struct ir_block *, b, &l->blocks)
        l->in[(*b)->id] = false;
    l->blocks.len = 0;
    enter_loop(a, l, first);
    enter_loop(a, l, last);
    for (size_t k = 1; k < l->blocks.len; k++)
        vec_each (struct ir_block *, p, &l->blocks.data[k]->preds)
            enter_loop(a, l, *p);
}

static void remove_unreachable(struct ir_func *f)
{
    struct ir_block *next;
    for (struct ir_block *b = f->first; b; b = next) {
        next = b->next;
        if (b->rpo == UINT32_MAX)
            ir_block_remove(b);
    }
    ir_each_block (b, f) { /* predecessor lists without the removed ones */
        size_t n = 0;
        for (size_t k = 0; k < b->preds.len; k++)
            if (b->preds.data[k]->func)
                b->preds.data[n++] = b->preds.data[k];
        b->preds.len = n;
    }
}

void ir_remove_unreachable(struct ir_func *f)
{
    analyse(f, true);
    remove_unreachable(f);
}

void ir_trim(struct ir_func *f)
{
    analyse(f, false);
    remove_unreachable(f);
}

bool ir_goes_round(const struct ir_block *b)
{
    vec_each (struct ir_block *, p, &b->preds)
        if ((*p)->rpo == UINT32_MAX || (*p)->rpo >= b->rpo)
            return true;
    return false;
}

/* The control-flow graph: predecessors, reverse post order, dominators.
 *
 * Dominators by Cooper, Harvey and Kennedy's iteration over reverse post order; intervals from a
 * walk of the dominator tree make ir_dominates two comparisons. No recursion: graphs may be deep.
 */
#include <string.h>
#include "ir/ir.h"

struct frame {
    struct ir_block *block;
    uint32_t next;
};

static uint32_t post_order(struct ir_func *f, struct ir_block **order, struct frame *stack)
{
    uint32_t n = 0, depth = 0;
    f->first->rpo = 0;
    stack[depth++] = (struct frame){f->first, 0};
    while (depth) {
        struct frame *top = &stack[depth - 1];
        struct ir_inst *t = ir_terminator(top->block);
        if (t && top->next < t->nedges) {
            struct ir_block *to = t->edges[top->next++].to;
            if (to->rpo == UINT32_MAX) {
                to->rpo = 0;
                stack[depth++] = (struct frame){to, 0};
            }
        } else {
            order[n++] = top->block;
            depth--;
        }
    }
    return n;
}

static struct ir_block *intersect(struct ir_block *a, struct ir_block *b)
{
    while (a != b) {
        while (a->rpo > b->rpo)
            a = a->idom;
        while (b->rpo > a->rpo)
            b = b->idom;
    }
    return a;
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
static uint32_t number_blocks(struct ir_func *f, struct ir_block **order, struct frame *stack)
{
    struct arena *a = f->module->arena;
    uint32_t n = post_order(f, order, stack);
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

static void find_dominators(struct ir_func *f, struct ir_block **order, uint32_t n)
{
    f->first->idom = f->first;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < n; i++) {
            struct ir_block *idom = NULL;
            vec_each (struct ir_block *, p, &order[i]->preds)
                if ((*p)->idom)
                    idom = idom ? intersect(idom, *p) : *p;
            if (order[i]->idom != idom) {
                order[i]->idom = idom;
                changed = true;
            }
        }
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
    struct ir_block **order = arena_array(&scratch, struct ir_block *, blocks);
    struct frame *stack = arena_array(&scratch, struct frame, blocks);
    uint32_t n = number_blocks(f, order, stack);
    if (dominators) {
        uint32_t *links = arena_array(&scratch, uint32_t, 2 * blocks);
        find_dominators(f, order, n);
        number_dominator_tree(order, n, stack, links, links + blocks);
        f->first->idom = NULL;
    }
    arena_free(&scratch);
}

void ir_cfg(struct ir_func *f)
{
    analyse(f, true);
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

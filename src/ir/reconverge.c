/* Where threads that part meet again, found in the graph.
 *
 * PTX has branches only, and in C++ a jump may lead into the middle of a statement. The threads
 * that a branch parts meet where all its paths do, at its immediate post-dominator. A branch that
 * leaves a loop parts threads for as long as the loop runs: its region opens in front of the loop.
 * Loops get one block in front and one at the end, so that these places exist. Of several regions
 * that close at one place only the outermost is needed, since joining closes those inside. A graph
 * that is not reducible gets no regions: its threads meet when the device finds them together. */
#include "ir/ir.h"

struct node { /* ir_block.data */
    struct ir_block *ipdom;
    uint32_t post;         /* position in post order of the reversed graph, from 1; 0: no way out */
    struct ir_block *loop; /* header of the innermost loop around; for a header, its own */
    struct ir_block *outer; /* header: the loop around */
    struct ir_block *front; /* header: the block in front */
    struct ir_inst *region; /* where the outermost region that closes here opens: its split goes
                               before this */
    bool seen;
};

static struct node *node(const struct ir_block *b)
{
    return b->data;
}

static void redirect(struct arena *a, struct ir_block *header, bool back, const char *name)
{
    struct ir_block *mid = ir_block_new(header->func, name);
    struct ir_builder b = ir_builder_at_end(mid);
    struct ir_value **args = arena_array(a, struct ir_value *, header->params.len + 1);
    mid->data = arena_new(a, struct node);
    for (size_t i = 0; i < header->params.len; i++)
        args[i] = ir_block_param(mid, header->params.data[i]->type, NULL);
    vec_each (struct ir_block *, pred, &header->preds) {
        if (ir_dominates(header, *pred) != back)
            continue;
        struct ir_inst *t = (*pred)->last;
        for (uint32_t e = 0; e < t->nedges; e++)
            if (t->edges[e].to == header)
                t->edges[e].to = mid;
    }
    b.span = header->span;
    ir_build_br(&b, header, args, (uint32_t)header->params.len);
}

/* Every loop gets one block in front and one edge back; false: there is a loop with two ways in. */
static bool canonical(struct arena *a, struct ir_func *f)
{
    VEC(struct ir_block *) headers = {0};
    ir_cfg(f);
    ir_each_block (b, f) {
        b->data = arena_new(a, struct node);
        bool header = false;
        vec_each (struct ir_block *, pred, &b->preds) {
            if ((*pred)->rpo < b->rpo)
                continue;
            if (!ir_dominates(b, *pred))
                return false;
            header = true;
        }
        if (header)
            vec_push(a, &headers, b);
    }
    vec_each (struct ir_block *, h, &headers) {
        redirect(a, *h, false, "front");
        redirect(a, *h, true, "again");
    }
    if (headers.len)
        ir_cfg(f);
    return true;
}

/* Marks the loop of each back edge, inner loops first: headers in reverse of reverse post order. */
static void find_loops(struct arena *a, struct ir_block **order, uint32_t n)
{
    for (uint32_t k = n; k--;) {
        struct ir_block *h = order[k];
        VEC(struct ir_block *) work = {0};
        vec_each (struct ir_block *, pred, &h->preds)
            if (ir_dominates(h, *pred))
                vec_push(a, &work, *pred);
            else
                node(h)->front = *pred;
        if (!work.len) {
            node(h)->front = NULL;
            continue;
        }
        node(h)->loop = h;
        while (work.len) {
            struct ir_block *b = vec_pop(&work);
            while (node(b)->loop && node(b)->loop != h) { /* to the outermost loop known */
                struct ir_block *in = node(b)->loop;
                if (!node(in)->outer) {
                    if (in != h)
                        node(in)->outer = h;
                    b = in;
                    goto preds;
                }
                b = node(in)->outer;
                if (b == h)
                    break;
            }
            if (b == h || node(b)->loop == h)
                continue;
            node(b)->loop = h;
        preds:
            vec_each (struct ir_block *, pred, &b->preds)
                if (ir_dominates(h, *pred) && *pred != h)
                    vec_push(a, &work, *pred);
        }
    }
}

static bool in_loop(const struct ir_block *b, const struct ir_block *header)
{
    for (const struct ir_block *l = node(b)->loop; l; l = node(l)->outer)
        if (l == header)
            return true;
    return false;
}

static struct ir_block *meet(struct ir_block *x, struct ir_block *y)
{
    while (x != y) {
        if (!x || !y)
            return NULL;
        if (node(x)->post < node(y)->post)
            x = node(x)->ipdom;
        else
            y = node(y)->ipdom;
    }
    return x;
}

/* Cooper, Harvey and Kennedy on the reversed graph; a NULL ipdom is the function's end. */
static void post_dominators(struct arena *a, struct ir_block **order, uint32_t n)
{
    struct frame {
        struct ir_block *b;
        size_t next;
    };
    VEC(struct frame) stack = {0};
    VEC(struct ir_block *) post = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (order[k]->last->nedges || node(order[k])->seen)
            continue;
        struct frame root = {order[k], 0};
        node(order[k])->seen = true;
        vec_push(a, &stack, root);
        while (stack.len) {
            struct frame *top = &vec_last(&stack);
            if (top->next < top->b->preds.len) {
                struct ir_block *pred = top->b->preds.data[top->next++];
                if (!node(pred)->seen) {
                    struct frame down = {pred, 0};
                    node(pred)->seen = true;
                    vec_push(a, &stack, down);
                }
                continue;
            }
            node(top->b)->post = ++count;
            vec_push(a, &post, top->b);
            stack.len--;
        }
    }
    bool *done = arena_array(a, bool, count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = post.len; k--;) {
            struct ir_block *b = post.data[k], *to = NULL;
            struct ir_inst *t = b->last;
            bool any = false;
            for (uint32_t e = 0; e < t->nedges; e++) {
                struct ir_block *s = t->edges[e].to;
                if (!node(s)->post || !done[node(s)->post])
                    continue;
                to = any ? meet(to, s) : s;
                any = true;
            }
            if (!done[node(b)->post] || node(b)->ipdom != to) {
                done[node(b)->post] = changed = true;
                node(b)->ipdom = to;
            }
        }
    }
}

/* Regions that a front end has opened, where a way leads into one of them from outside. */
static bool entered_from_outside(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_join && !ir_dominates(i->args[0]->u.inst->block, b))
                return true;
    return false;
}

static void remove_all(struct ir_func *f, enum ir_op op)
{
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (i->op == op)
                ir_remove(i);
        }
}

static void open_regions(struct arena *a, struct ir_func *f)
{
    ir_renumber(f);
    struct ir_block **order = arena_array(a, struct ir_block *, f->nblocks);
    uint32_t n = 0;
    ir_each_block (b, f)
        if (b->rpo < f->nblocks)
            order[b->rpo] = b, n++;
    find_loops(a, order, n);
    post_dominators(a, order, n);
    for (uint32_t k = 0; k < n; k++) {
        struct ir_block *b = order[k], *to = node(b)->ipdom, *at = b, *top = NULL;
        if (b->last->nedges < 2 || !node(b)->post || !to)
            continue;
        for (struct ir_block *l = node(b)->loop; l && !in_loop(to, l); l = node(l)->outer)
            top = l;
        if (top)
            at = node(top)->front;
        if (!at || !ir_dominates(at, to) || at == to)
            continue;
        struct ir_inst *was = node(to)->region;
        if (!was || ir_dominates(at, was->block))
            node(to)->region = at->last;
    }
    /* From the last to the first, so that of two regions that open at one place the one that
     * closes later is opened first. */
    for (uint32_t k = n; k--;) {
        struct ir_block *b = order[k];
        if (!node(b)->region)
            continue;
        struct ir_builder open = ir_builder_before(node(b)->region);
        open.span = node(b)->region->span;
        struct ir_value *token = &ir_build(&open, IR_OP_split, IR_VOID, NULL, 0)->results[0];
        struct ir_builder close = ir_builder_before(b->first);
        close.span = b->span;
        ir_build(&close, IR_OP_join, IR_VOID, &token, 1);
    }
}

static void forget_nodes(struct ir_func *f)
{
    ir_each_block (b, f)
        b->data = NULL;
}

void ir_reconverge(struct arena *a, struct ir_func *f)
{
    if (canonical(a, f))
        open_regions(a, f);
    forget_nodes(f);
}

void ir_reconverge_anew(struct arena *a, struct ir_func *f)
{
    if (canonical(a, f)) {
        remove_all(f, IR_OP_join);
        remove_all(f, IR_OP_split);
        open_regions(a, f);
    }
    forget_nodes(f);
}

void ir_reconverge_jumps(struct arena *a, struct ir_func *f)
{
    ir_cfg(f);
    if (!entered_from_outside(f))
        return;
    remove_all(f, IR_OP_join);
    remove_all(f, IR_OP_split);
    ir_reconverge(a, f);
}

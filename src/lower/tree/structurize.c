/* A function's graph → a tree of regions.
 *
 * The dominator tree is walked as in Ramsey's "Beyond Relooper": a block that several forward
 * edges reach is placed after a BLOCK around the code of its dominator, and edges to it become
 * breaks; the target of a back edge opens a LOOP; everything else is placed where its one edge
 * stands. One change: what a loop dominates without containing it is placed after the LOOP, not in
 * it, so that the code after a loop is executed by all threads that left it, together.
 * simplify.c then removes the scaffolding that plain code does not need. */
#include <stdlib.h>
#include "lower/lower_int.h"

struct node {
    struct ir_block *block;
    uint32_t forward; /* edges in that are not back edges */
    bool header;
    struct node *loop;         /* header of the innermost loop this is in, itself if header */
    struct node *outer;        /* header: that of the loop around this one */
    VEC(struct node *) after;  /* dominated merge blocks, placed after the own code */
    VEC(struct node *) follow; /* header: blocks placed after the loop */
    struct region *scope;      /* the BLOCK (or LOOP) to break from to get here */
    struct region *loop_region;
};

struct build {
    struct arena *arena;
    struct region_tree *tree;
    struct node *nodes; /* by block id */
};

struct list {
    struct region **end;
};

static struct region *append(struct build *b, struct list *l, enum region_kind kind,
                             struct ir_block *from)
{
    struct region *r = arena_new(b->arena, struct region);
    r->kind = kind;
    r->block = from;
    r->span = from->last->span;
    *l->end = r;
    l->end = &r->next;
    return r;
}

static struct node *node_of(struct build *b, const struct ir_block *block)
{
    return &b->nodes[block->id];
}

/* ---- loops ---- */

static bool loop_contains(const struct node *header, const struct node *n)
{
    for (const struct node *h = n->loop; h; h = h->outer)
        if (h == header)
            return true;
    return false;
}

static struct node *outermost(struct node *n) /* of the loops found so far around n */
{
    struct node *h = n->loop;
    while (h && h->outer)
        h = h->outer;
    return h;
}

/* Inner headers come later in reverse post order, so they are done first. */
static void find_loop(struct build *b, struct node *header)
{
    VEC(struct node *) work = {0};
    for (size_t i = 0; i < header->block->preds.len; i++) {
        struct ir_block *p = header->block->preds.data[i];
        if (p->rpo >= header->block->rpo)
            vec_push(b->arena, &work, node_of(b, p));
    }
    header->loop = header;
    while (work.len) {
        struct node *n = vec_pop(&work);
        struct node *in = outermost(n);
        if (in == header)
            continue;
        if (in) {
            in->outer = header;
            n = in;
        } else {
            n->loop = header;
        }
        for (size_t i = 0; i < n->block->preds.len; i++) {
            struct ir_block *p = n->block->preds.data[i];
            if (in && p->rpo >= n->block->rpo)
                continue; /* a back edge of the inner loop */
            vec_push(b->arena, &work, node_of(b, p));
        }
    }
}

/* ---- placing ---- */

static bool
plain_exit(const struct ir_block *b) /* short code that may stay in the loop it leaves */
{
    enum ir_op op = (enum ir_op)b->last->op;
    if (op != IR_OP_br && op != IR_OP_ret && op != IR_OP_exit && op != IR_OP_unreachable)
        return false;
    if (op == IR_OP_br && b->last->edges[0].to->idom == b)
        return false;
    for (struct ir_inst *i = b->first; i; i = i->next)
        if (ir_op_info[i->op].flags & IR_CONVERGENT)
            return false;
    return true;
}

static int by_rpo(const void *x, const void *y)
{
    const struct node *a = *(struct node *const *)x, *b = *(struct node *const *)y;
    return a->block->rpo < b->block->rpo ? -1 : a->block->rpo > b->block->rpo;
}

static void place(struct build *b, struct node *n)
{
    struct node *dom = node_of(b, n->block->idom), *left = NULL;
    for (struct node *h = dom->loop; h && !loop_contains(h, n); h = h->outer)
        left = h;
    if (left)
        vec_push(b->arena, &left->follow, n);
    else if (n->forward > 1)
        vec_push(b->arena, &dom->after, n);
}

static void settle(struct node *n)
{
    if (n->after.len)
        qsort(n->after.data, n->after.len, sizeof *n->after.data, by_rpo);
    if (!n->follow.len)
        return;
    qsort(n->follow.data, n->follow.len, sizeof *n->follow.data, by_rpo);
    /* `if (found) { r = i; break; }`: the block before the break belongs into the loop */
    size_t kept = 0;
    for (size_t i = 0; i < n->follow.len; i++) {
        struct node *f = n->follow.data[i];
        if (i + 1 == n->follow.len || f->forward > 1 || !plain_exit(f->block))
            n->follow.data[kept++] = f;
    }
    n->follow.len = kept;
}

/* ---- building ---- */

static struct node *tree_of(struct build *b, struct list *l, struct node *n);

/* The copies and the jump of one edge; gives the node that goes on in the same list, if any. */
static struct node *branch(struct build *b, struct list *l, struct ir_block *from,
                           const struct ir_edge *e)
{
    struct node *to = node_of(b, e->to);
    if (e->nargs) {
        struct region_copy *copies = arena_array(b->arena, struct region_copy, 2 * e->nargs);
        uint32_t n = lower_order_copies(b->tree, e->to->params.data, e->args, e->nargs, copies);
        if (n) {
            struct region *r = append(b, l, REGION_COPIES, from);
            r->copies = copies;
            r->ncopies = n;
        }
    }
    if (to->header && e->to->rpo <= from->rpo) {
        append(b, l, REGION_CONTINUE, from)->target = to->loop_region;
        return NULL;
    }
    if (to->scope) {
        append(b, l, REGION_BREAK, from)->target = to->scope;
        return NULL;
    }
    return to;
}

static struct region *branch_list(struct build *b, struct ir_block *from, const struct ir_edge *e)
{
    struct region *first = NULL;
    struct list l = {&first};
    for (struct node *n = branch(b, &l, from, e); n;)
        n = tree_of(b, &l, n);
    return first;
}

static bool same_edge(const struct ir_edge *x, const struct ir_edge *y)
{
    if (x->to != y->to)
        return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (x->args[i] != y->args[i])
            return false;
    return true;
}

static void switch_arms(struct build *b, struct list *l, struct ir_inst *t)
{
    struct region *r = append(b, l, REGION_SWITCH, t->block);
    r->cond = t->args[0];
    r->arms = arena_array(b->arena, struct region_arm, t->nedges);
    uint32_t *arm_edge = arena_array(b->arena, uint32_t, t->nedges);
    for (uint32_t e = 0; e < t->nedges; e++) {
        uint32_t k = 0;
        while (k < r->narms && !same_edge(&t->edges[arm_edge[k]], &t->edges[e]))
            k++;
        struct region_arm *arm = &r->arms[k];
        if (k == r->narms) {
            r->narms++;
            arm_edge[k] = e;
            arm->child = branch_list(b, t->block, &t->edges[e]);
            if (e)
                arm->values = arena_array(b->arena, uint64_t, t->nedges - e);
        }
        if (k) /* edge 0 is the default: its arm stays without values */
            arm->values[arm->nvalues++] = t->edges[e].case_value;
    }
}

/* The code of a block and its terminator. */
static struct node *own_code(struct build *b, struct list *l, struct ir_block *block)
{
    struct ir_inst *t = block->last;
    if (block->first != t)
        append(b, l, REGION_CODE, block);
    switch (t->op) {
    case IR_OP_br: return branch(b, l, block, &t->edges[0]);
    case IR_OP_condbr: {
        if (same_edge(&t->edges[0], &t->edges[1]))
            return branch(b, l, block, &t->edges[0]);
        struct region *r = append(b, l, REGION_IF, block);
        r->cond = t->args[0];
        r->child = branch_list(b, block, &t->edges[0]);
        r->other = branch_list(b, block, &t->edges[1]);
        return NULL;
    }
    case IR_OP_switch: switch_arms(b, l, t); return NULL;
    case IR_OP_ret: append(b, l, REGION_RETURN, block)->cond = t->nargs ? t->args[0] : NULL; break;
    case IR_OP_exit: append(b, l, REGION_EXIT, block); break;
    default: append(b, l, REGION_UNREACHABLE, block); break;
    }
    return NULL;
}

/* n's code inside BLOCKs for the first `count` of the nodes placed after it. */
static struct node *inside(struct build *b, struct list *l, struct node *n, size_t count)
{
    if (!count)
        return own_code(b, l, n->block);
    struct node *next = n->after.data[count - 1];
    struct region *r = append(b, l, REGION_BLOCK, n->block);
    struct list in = {&r->child};
    next->scope = r;
    for (struct node *k = inside(b, &in, n, count - 1); k;)
        k = tree_of(b, &in, k);
    return next;
}

static struct node *loop_inside(struct build *b, struct list *l, struct node *n, size_t count)
{
    if (count) {
        struct node *next = n->follow.data[count - 1];
        struct region *r = append(b, l, REGION_BLOCK, n->block);
        struct list in = {&r->child};
        next->scope = r;
        for (struct node *k = loop_inside(b, &in, n, count - 1); k;)
            k = tree_of(b, &in, k);
        return next;
    }
    struct region *r = append(b, l, REGION_LOOP, n->block);
    struct list in = {&r->child};
    n->loop_region = r;
    for (struct node *k = inside(b, &in, n, n->after.len); k;)
        k = tree_of(b, &in, k);
    return NULL;
}

/* Appends n and gives what is to be appended after it: a loop, not a recursion, along straight
 * code, so that the depth is that of the nesting. */
static struct node *tree_of(struct build *b, struct list *l, struct node *n)
{
    return n->header ? loop_inside(b, l, n, n->follow.len) : inside(b, l, n, n->after.len);
}

struct region_tree *lower_structurize(struct arena *a, struct ir_func *f)
{
    lower_reducible(a, f);
    struct build b = {.arena = a, .tree = arena_new(a, struct region_tree)};
    b.tree->arena = a;
    b.tree->func = f;
    b.nodes = arena_array(a, struct node, f->nblocks);
    struct node **order = arena_array(a, struct node *, f->nblocks);
    ir_each_block (block, f) {
        struct node *n = node_of(&b, block);
        n->block = block;
        order[block->rpo] = n;
        for (size_t i = 0; i < block->preds.len; i++)
            if (block->preds.data[i]->rpo >= block->rpo)
                n->header = true;
            else
                n->forward++;
    }
    for (uint32_t i = f->nblocks; i-- > 0;)
        if (order[i]->header)
            find_loop(&b, order[i]);
    for (uint32_t i = 1; i < f->nblocks; i++)
        place(&b, order[i]);
    for (uint32_t i = 0; i < f->nblocks; i++)
        settle(order[i]);
    struct list l = {&b.tree->body};
    for (struct node *n = order[0]; n;)
        n = tree_of(&b, &l, n);
    lower_simplify_tree(b.tree);
    return b.tree;
}

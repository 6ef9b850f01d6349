/* Iteration interleaving: loops in which the threads of a block stride through memory side by side.
 *
 *     for (i = start + threadIdx.x; i < n; i += blockDim.x)
 *         sum += x[i];
 *
 * Gang after gang, each would run the whole loop: a few elements, and then a jump of a whole block.
 * Memory is faster when each iteration runs for all gangs before the next one, so that addresses
 * only go up. So the iterations that all threads run come first, in a copy of the loop whose
 * counter is the block's, with a barrier added at its end: barriers put loops outside the loops
 * over gangs (segment.c), and what the loop carries is then kept for each gang. The loop itself
 * takes over from where the copy stops. A loop whose counter is the block's already,
 * x[i * 256 + threadIdx.x], only needs the barrier. Where loads and stores are expensive, a gang
 * runs several iterations at a time (vector_options.interleave): what is kept is loaded and stored
 * once for all of them. */
#include <string.h>
#include "lower/gang/gang_int.h"
#include "opt/opt.h"

/* A body longer than this computes more than it waits for memory; each value that it carries is
 * loaded and stored in every iteration. */
enum { MOST_BODY = 48, MOST_CARRIED = 2, MOST_TESTS = 4, LEAST_GANGS = 4 };

struct strided_loop {
    struct vectorizer *v;
    struct ir_block *before, *header, *latch; /* preheader, header, latch */
    bool *in;                                 /* by block id */
    VEC(struct ir_block *) blocks;            /* the header first */
    uint32_t counter;                         /* which parameter */
    struct ir_value *start, *step;            /* of the block's counter */
    struct ir_inst *tests[MOST_TESTS];        /* counter below what is the same for the block */
    unsigned ntests;
    uint32_t flags;              /* nsw: the source promises that the counter does not wrap */
    unsigned size;               /* instructions */
    VEC(struct ir_block *) path; /* loops over planes: from `before` back to the start */
};

/* ---- what is the same for the block, or for the grid ---- */
static bool is_same_for(const struct vectorizer *v, enum ir_uniformity whom,
                        const struct ir_value *x, unsigned depth)
{
    if (x->kind == IR_VALUE_PARAM)
        return x->u.block == v->from->first;
    if (x->kind != IR_VALUE_RESULT)
        return true;
    const struct ir_inst *i = x->u.inst;
    if (i->op == IR_OP_sreg)
        return ir_sreg_info[i->imm].uniformity <= whom;
    if (!(ir_op_info[i->op].flags & IR_PURE) || i->nresults != 1 || depth > 8)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_same_for(v, whom, i->args[k], depth + 1))
            return false;
    return true;
}

static bool is_same(const struct vectorizer *v, const struct ir_value *x, unsigned depth)
{
    return is_same_for(v, IR_UNIFORM_BLOCK, x, depth);
}

static bool is_thread(const struct ir_value *x)
{
    return x->kind == IR_VALUE_RESULT && x->u.inst->op == IR_OP_sreg &&
           x->u.inst->imm == IR_SREG_TID_X;
}

/* x = threadIdx.x + the rest, which is the same for the block: the rest, made at `b`; or NULL. */
static struct ir_value *without_thread(struct strided_loop *w, struct ir_builder *b,
                                       struct ir_value *x)
{
    if (x->type != IR_I32)
        return NULL;
    if (is_thread(x))
        return ir_const(w->v->module, IR_I32, 0);
    if (x->kind != IR_VALUE_RESULT || x->u.inst->op != IR_OP_add)
        return NULL;
    w->flags &= x->u.inst->flags;
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *same = x->u.inst->args[k], *rest;
        if (!is_same(w->v, same, 0) || !(rest = without_thread(w, b, x->u.inst->args[1 - k])))
            continue;
        return ir_is_const(rest) && !rest->u.bits ? same
                                                  : ir_build2(b, IR_OP_add, IR_I32, same, rest);
    }
    return NULL;
}

/* ---- is it such a loop? ---- */
static void collect(struct strided_loop *w, struct ir_block *b)
{
    if (w->in[b->id])
        return;
    w->in[b->id] = true;
    vec_push(w->v->arena, &w->blocks, b);
    vec_each (struct ir_block *, p, &b->preds)
        collect(w, *p);
}

static struct ir_edge *edge_to(struct ir_block *from, const struct ir_block *to)
{
    struct ir_inst *t = ir_terminator(from);
    return t->op == IR_OP_br && t->edges[0].to == to ? &t->edges[0] : NULL;
}

/* One entry, one latch, and one exit, from the header. */
static bool has_shape(struct strided_loop *w)
{
    struct ir_block *h = w->header;
    struct ir_inst *t = ir_terminator(h);
    if (h->preds.len != 2 || t->op != IR_OP_condbr)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (ir_dominates(h, h->preds.data[k]))
            w->latch = h->preds.data[k], w->before = h->preds.data[1 - k];
    if (!w->latch || w->latch == h || ir_dominates(h, w->before) || !edge_to(w->latch, h) ||
        !edge_to(w->before, h))
        return false;
    w->in[h->id] = true;
    vec_push(w->v->arena, &w->blocks, h);
    collect(w, w->latch);
    vec_each (struct ir_block *, b, &w->blocks) {
        struct ir_inst *end = ir_terminator(*b);
        if (!end->nedges)
            return false;
        for (uint32_t k = 0; k < end->nedges; k++) {
            const struct ir_block *to = end->edges[k].to;
            bool stays = w->in[to->id], back = to->rpo <= (*b)->rpo && *b != w->latch;
            if (back || stays != (*b != h || k == 0))
                return false;
        }
    }
    return true;
}

/* Does x grow by `bytes` from one counter to the next? */
static bool grows(const struct strided_loop *w, const struct ir_value *x, int64_t *by)
{
    *by = 0;
    if (x == w->header->params.data[w->counter])
        return *by = 1, true;
    if (x->kind != IR_VALUE_RESULT || !w->in[x->u.inst->block->id])
        return x->kind != IR_VALUE_PARAM || !w->in[x->u.block->id];
    const struct ir_inst *i = x->u.inst;
    int64_t a, b = 0;
    if (!i->nargs || !grows(w, i->args[0], &a) || (i->nargs > 1 && !grows(w, i->args[1], &b)))
        return false;
    switch (i->op) {
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_cvta: *by = a; return true;
    case IR_OP_add:
    case IR_OP_ptradd: *by = a + b; return true;
    case IR_OP_sub: *by = a - b; return true;
    case IR_OP_mul:
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits > 31)
            return false;
        *by = i->op == IR_OP_shl ? a * ((int64_t)1 << i->args[1]->u.bits)
                                 : a * (int64_t)i->args[1]->u.bits;
        return true;
    default: return false;
    }
}

static bool is_quiet(const struct ir_inst *i)
{
    return ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR) || i->op == IR_OP_split ||
           i->op == IR_OP_join;
}

static bool is_access(const struct ir_inst *i)
{
    return (i->op == IR_OP_load || i->op == IR_OP_store) &&
           !(i->flags & (IR_VOLATILE | IR_STEP) || ir_order(i->flags));
}

/* Nothing but arithmetic and plain accesses, some of them side by side. */
static bool is_worth_it(struct strided_loop *w)
{
    unsigned carried = 0;
    bool streams = false;
    for (uint32_t k = 0; k < w->header->params.len; k++)
        if (k != w->counter)
            carried += ir_bits(w->header->params.data[k]->type) > 32 ? 2 : 1;
    for (size_t k = 0; k < w->blocks.len; k++)
        ir_each_inst (i, w->blocks.data[k]) {
            bool access = is_access(i);
            int64_t by;
            if (!access && !is_quiet(i))
                return false;
            enum ir_space space = access ? ir_space(i->args[0]->type) : IR_SPACE_GENERIC;
            streams |= access && space != IR_SPACE_SHARED && space != IR_SPACE_LOCAL &&
                       grows(w, i->args[0], &by) && by == (int64_t)ir_bytes(i->type);
            w->size++;
        }
    return streams && w->size <= MOST_BODY && carried <= MOST_CARRIED;
}

/* The condition to go on: comparisons of the counter with what is the same for the block. */
static bool find_tests(struct strided_loop *w, struct ir_value *c)
{
    if (c->kind != IR_VALUE_RESULT)
        return false;
    struct ir_inst *i = c->u.inst;
    if (i->op == IR_OP_and && i->type == IR_I1)
        return find_tests(w, i->args[0]) && find_tests(w, i->args[1]);
    bool below =
        i->op == IR_OP_slt || i->op == IR_OP_ult || i->op == IR_OP_sle || i->op == IR_OP_ule;
    if (!below || w->ntests == MOST_TESTS || i->args[0] != w->header->params.data[w->counter] ||
        !is_same(w->v, i->args[1], 0))
        return false;
    w->tests[w->ntests++] = i;
    return true;
}

/* Does every thread come to `b`? Only if none ends on a path around it. */
static bool ends_without(struct ir_block *at, const struct ir_block *b, bool *seen)
{
    if (at == b || seen[at->id])
        return false;
    seen[at->id] = true;
    struct ir_inst *t = ir_terminator(at);
    for (uint32_t k = 0; k < t->nedges; k++)
        if (ends_without(t->edges[k].to, b, seen))
            return true;
    return !t->nedges;
}

/* Is `b` in a loop? */
static bool reaches(struct ir_block *at, const struct ir_block *b, bool *seen)
{
    struct ir_inst *t = ir_terminator(at);
    for (uint32_t k = 0; k < t->nedges; k++) {
        struct ir_block *to = t->edges[k].to;
        if (to == b)
            return true;
        if (!seen[to->id]) {
            seen[to->id] = true;
            if (reaches(to, b, seen))
                return true;
        }
    }
    return false;
}

static bool find_counter(struct strided_loop *w)
{
    struct ir_edge *in = edge_to(w->before, w->header), *round = edge_to(w->latch, w->header);
    for (uint32_t k = 0; k < w->header->params.len; k++) {
        struct ir_value *i = w->header->params.data[k], *next = round->args[k];
        if (i->type != IR_I32 || next->kind != IR_VALUE_RESULT || next->u.inst->op != IR_OP_add)
            continue;
        w->counter = k;
        w->ntests = 0;
        w->flags = next->u.inst->flags & IR_NSW;
        struct ir_value **x = next->u.inst->args;
        w->step = x[0] == i ? x[1] : x[1] == i ? x[0] : NULL;
        if (!w->step || !is_same(w->v, w->step, 0) ||
            !find_tests(w, ir_terminator(w->header)->args[0]))
            continue;
        struct ir_builder b = ir_builder_before(ir_terminator(w->before));
        if ((w->start = without_thread(w, &b, in->args[k])))
            return true;
    }
    return false;
}

/* ---- the copy ---- */
/* All threads go on: the last one's counter passes the tests, and counting did not wrap before it.
 * Some may: the first one's does, or counting did wrap. */
static struct ir_value *go_on(struct strided_loop *w, struct ir_builder *b, struct ir_value *first,
                              bool all)
{
    struct ir_value *last = ir_build2(b, IR_OP_add, IR_I32, first,
                                      ir_const(w->v->module, IR_I32, w->v->block[0] - 1)),
                    *both = NULL;
    for (unsigned k = 0; k < w->ntests; k++) {
        enum ir_op op = (enum ir_op)w->tests[k]->op;
        bool is_signed = op == IR_OP_slt || op == IR_OP_sle;
        struct ir_value *x[2] = {first, last}, *holds, *straight;
        holds = ir_build2(b, op, IR_I32, x[all], w->tests[k]->args[1]);
        straight = all ? ir_build2(b, is_signed ? IR_OP_sle : IR_OP_ule, IR_I32, first, last)
                       : ir_build2(b, is_signed ? IR_OP_slt : IR_OP_ult, IR_I32, last, first);
        holds = ir_build2(b, all ? IR_OP_and : IR_OP_or, IR_I1, holds, straight);
        both = both ? ir_build2(b, IR_OP_and, IR_I1, both, holds) : holds;
    }
    return both;
}

static struct ir_value *own_counter(const struct strided_loop *w, struct ir_builder *b,
                                    struct ir_value *of_block)
{
    struct ir_value *thread = ir_build0(b, IR_OP_sreg, IR_I32, IR_SREG_TID_X);
    return ir_build_flags(b, IR_OP_add, IR_I32, w->flags, 2, of_block, thread, NULL);
}

static struct ir_value *own_again(struct ir_block *h, struct ir_block *join, struct ir_value *x)
{
    for (size_t k = 0; k < h->params.len; k++)
        if (x == join->params.data[k])
            return h->params.data[k];
    return x;
}

/* What comes after the loop may come without it: it sees the parameters of a block between. NULL:
 * it also wants to see inside the loop. */
static struct ir_block *after(struct strided_loop *w)
{
    struct ir_block *h = w->header, *join;
    struct ir_edge *out = &ir_terminator(h)->edges[1];
    ir_each_block (b, w->v->from)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs && !w->in[b->id]; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT && w->in[i->args[k]->u.inst->block->id])
                    return NULL;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    const struct ir_value *x = i->edges[e].args[k];
                    if (!w->in[i->edges[e].to->id] && x->kind == IR_VALUE_RESULT &&
                        w->in[x->u.inst->block->id])
                        return NULL;
                }
        }
    join = ir_block_after(w->latch, NULL);
    for (uint32_t k = 0; k < h->params.len; k++)
        h->params.data[k]->forward = ir_block_param(join, h->params.data[k]->type, NULL);
    struct ir_builder b = ir_builder_at_end(join);
    ir_build_br(&b, out->to, out->args, out->nargs);
    ir_replace_forwarded(w->v->from);
    for (uint32_t k = 0; k < h->params.len; k++)
        h->params.data[k]->forward = NULL;
    for (size_t k = 0; k < w->blocks.len; k++) /* but in the loop they are what they were */
        ir_each_inst (i, w->blocks.data[k]) {
            for (uint32_t x = 0; x < i->nargs; x++)
                i->args[x] = own_again(h, join, i->args[x]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t x = 0; x < i->edges[e].nargs; x++)
                    i->edges[e].args[x] = own_again(h, join, i->edges[e].args[x]);
        }
    out->to = join;
    out->args = arena_array(w->v->module->arena, struct ir_value *, h->params.len);
    out->nargs = (uint32_t)h->params.len;
    memcpy(out->args, h->params.data, h->params.len * sizeof *out->args);
    return join;
}

/* One iteration of a gang: a copy of the loop's blocks, where the test has been made and parameters
 * are `args`. Gives the copy's back edge, which still leads to its own header. */
static struct ir_edge *one_iteration(struct strided_loop *w, struct ir_block *after,
                                     struct ir_value **args, struct ir_value *of_block,
                                     struct ir_block **head, struct ir_block **latch)
{
    uint32_t n = (uint32_t)w->header->params.len;
    struct map twins;
    map_init(&twins, w->v->arena);
    opt_clone_blocks(&twins, w->v->from, after, w->blocks.data, w->blocks.len);
    *head = map_get(&twins, map_key(w->header));
    *latch = map_get(&twins, map_key(w->latch));
    struct ir_builder b = ir_builder_before((*head)->first);
    struct ir_value *own = own_counter(w, &b, of_block);
    for (uint32_t k = 0; k < n; k++)
        (*head)->params.data[k]->forward = k == w->counter ? own : args[k];
    (*head)->params.len = 0;
    struct ir_edge body = ir_terminator(*head)->edges[0];
    ir_remove(ir_terminator(*head));
    b = ir_builder_at_end(*head);
    ir_build_br(&b, body.to, body.args, body.nargs);
    return edge_to(*latch, *head);
}

static void interleave(struct strided_loop *w, unsigned iterations)
{
    struct arena *a = w->v->arena;
    uint32_t n = (uint32_t)w->header->params.len, c = w->counter;
    struct ir_edge *in = edge_to(w->before, w->header), *on = NULL;
    struct ir_block *join = after(w), *top = ir_block_after(w->before, "interleaved"), *head,
                    *latch = top, *start = NULL;
    struct ir_value **args = arena_array(a, struct ir_value *, n), **now = args, *all = NULL;
    for (uint32_t k = 0; k < n; k++)
        args[k] = ir_block_param(top, w->header->params.data[k]->type, NULL);
    struct ir_value *first = args[c], *of_block = first;
    struct ir_builder b, at_top = ir_builder_at_end(top);
    for (unsigned k = 0; k < iterations; k++) {
        struct ir_value *go = go_on(w, &at_top, of_block, true);
        all = all ? ir_build2(&at_top, IR_OP_and, IR_I1, all, go) : go;
        struct ir_edge *from = on;
        on = one_iteration(w, latch, now, of_block, &head, &latch);
        if (from) {
            from->to = head;
            from->nargs = 0;
        } else {
            start = head;
        }
        now = on->args;
        of_block = ir_build2(&at_top, IR_OP_add, IR_I32, of_block, w->step);
    }
    struct ir_block *rest = ir_block_after(latch, NULL);
    ir_build_condbr(&at_top, all, start, rest);
    b = ir_builder_before(ir_terminator(latch));
    struct ir_value *none[2] = {ir_const(w->v->module, IR_I32, 0),
                                ir_const(w->v->module, IR_I32, 0)};
    vec_push(a, &w->v->added_barriers, ir_build(&b, IR_OP_barrier, IR_VOID, none, 2));
    on->to = top;
    on->args[c] = of_block;
    /* the rest: the loop itself, from there */
    b = ir_builder_at_end(rest);
    args[c] = own_counter(w, &b, first);
    if (join) {
        struct ir_value *some = go_on(w, &b, first, false);
        struct ir_inst *branch = ir_build(&b, IR_OP_condbr, IR_VOID, &some, 1);
        ir_add_edge(branch, w->header, args, n, 0);
        ir_add_edge(branch, join, args, n, 0);
    } else {
        ir_build_br(&b, w->header, args, n);
    }
    in->to = top; /* the copy's counter starts as the block's */
    in->args[c] = w->start;
    ir_replace_forwarded(w->v->from);
}

/* ---- loops that count for the block ---- */
/* How much x grows from thread to thread and from iteration to iteration; what else it is made of
 * is the same for the block. */
static bool strides(const struct strided_loop *w, const struct ir_value *x, int64_t times,
                    int64_t *thread, int64_t *iteration)
{
    if (x == w->header->params.data[0] || is_thread(x)) {
        *(is_thread(x) ? thread : iteration) += times;
        return true;
    }
    if (is_same(w->v, x, 0))
        return true;
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    switch (i ? (int)i->op : -1) {
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_cvta: return strides(w, i->args[0], times, thread, iteration);
    case IR_OP_add:
    case IR_OP_ptradd:
    case IR_OP_sub:
        return strides(w, i->args[0], times, thread, iteration) &&
               strides(w, i->args[1], i->op == IR_OP_sub ? -times : times, thread, iteration);
    case IR_OP_mul:
    case IR_OP_shl:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits <= (i->op == IR_OP_shl ? 12 : 4096) &&
               strides(w, i->args[0],
                       i->op == IR_OP_shl ? times * (INT64_C(1) << i->args[1]->u.bits)
                                          : times * (int64_t)i->args[1]->u.bits,
                       thread, iteration);
    default: return false;
    }
}

/* A loop that carries nothing but its counter, and needs nothing of a thread but its number. */
static bool counts_for_block(struct strided_loop *w)
{
    const struct ir_block *h = w->header;
    if (h->params.len != 1 || h->params.data[0]->type != IR_I32)
        return false;
    const struct ir_value *next = edge_to(w->latch, h)->args[0];
    w->counter = w->ntests = 0;
    if (!is_same(w->v, edge_to(w->before, h)->args[0], 0) || next->kind != IR_VALUE_RESULT ||
        next->u.inst->op != IR_OP_add || next->u.inst->args[0] != h->params.data[0] ||
        !ir_is_const(next->u.inst->args[1]) || !find_tests(w, ir_terminator(h)->args[0]))
        return false;
    bool streams = false;
    int64_t step = (int32_t)next->u.inst->args[1]->u.bits;
    for (size_t k = 0; k < w->blocks.len; k++)
        ir_each_inst (i, w->blocks.data[k]) {
            int64_t thread = 0, iteration = 0, unused = 0;
            if (!is_access(i) && !is_quiet(i) && i->op != IR_OP_rmw)
                return false;
            for (uint32_t a = 0; a < i->nargs; a++) {
                const struct ir_value *x = i->args[a];
                if (x->kind == IR_VALUE_RESULT && !w->in[x->u.inst->block->id] &&
                    ir_kind(x->type) != IR_TOKEN && !strides(w, x, 1, &unused, &unused))
                    return false;
                if (x->kind == IR_VALUE_PARAM && !w->in[x->u.block->id] &&
                    x->u.block != w->v->from->first)
                    return false;
            }
            streams |= is_access(i) && ir_space(i->args[0]->type) == IR_SPACE_GLOBAL &&
                       strides(w, i->args[0], 1, &thread, &iteration) &&
                       thread == ir_bytes(i->type) && iteration * step == thread * w->v->block[0];
            w->size++;
        }
    return streams && w->size <= MOST_BODY;
}

/* ---- all of them ---- */
static bool one_loop(struct vectorizer *v)
{
    struct ir_func *f = v->from;
    ir_renumber(f);
    ir_cfg(f);
    ir_each_block (h, f) {
        struct strided_loop w = {
            .v = v, .header = h, .in = arena_array(v->arena, bool, f->nblocks + 1)};
        bool done = h->rpo == UINT32_MAX || !has_shape(&w);
        vec_each (struct ir_block *, b, &v->visited)
            done |= *b == h;
        if (done || reaches(w.before, w.before, arena_array(v->arena, bool, f->nblocks + 1)) ||
            ends_without(f->first, w.before, arena_array(v->arena, bool, f->nblocks + 1)))
            continue;
        vec_push(v->arena, &v->visited, h);
        if (counts_for_block(&w)) {
            struct ir_builder b = ir_builder_before(ir_terminator(w.latch));
            struct ir_value *none[2] = {ir_const(v->module, IR_I32, 0),
                                        ir_const(v->module, IR_I32, 0)};
            vec_push(v->arena, &v->added_barriers, ir_build(&b, IR_OP_barrier, IR_VOID, none, 2));
            return true;
        }
        w.size = 0;
        if (!find_counter(&w) || !is_worth_it(&w))
            continue;
        const unsigned most = MOST_BODY / w.size, factor = v->options->interleave;
        interleave(&w, factor < 2 || most < 2 ? 1 : factor < most ? factor : most);
        return true;
    }
    return false;
}

void v_interleave(struct vectorizer *v)
{
    uint32_t *b = v->block;
    if (b[1] == 1 && b[2] == 1 && b[0] >= LEAST_GANGS * v->lanes * v->pieces)
        while (one_loop(v))
            ;
}

/* ---- loops over planes ----
 *
 *     if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
 *         for (z = 1; z < n - 1; z++)
 *             out[z][y][x] = in[z - 1][y][x] + …;
 *
 * is the same on a larger scale: a gang would take a few elements of one plane after the other. A
 * kernel that is such a loop and nothing else is interchanged with its condition and coarsened: it
 * takes a plane for all threads of many blocks, then the next, with a barrier added at the end of
 * the loop. For threads that the condition excludes the loop must still end: it counts up to a
 * limit. */

/* Nothing more happens after `b`. */
static bool ends_quietly(struct ir_block *b)
{
    for (unsigned steps = 0; steps < 8; steps++) {
        ir_each_inst (i, b)
            if (!is_quiet(i))
                return false;
        struct ir_inst *end = ir_terminator(b);
        if (end->op == IR_OP_ret)
            return true;
        if (end->op != IR_OP_br)
            return false;
        b = end->edges[0].to;
    }
    return false;
}

/* By how much each parameter of the loop grows; the same for the grid. */
static struct ir_value *step_of(const struct strided_loop *w, uint32_t k)
{
    const struct ir_value *x = w->header->params.data[k],
                          *next = edge_to(w->latch, w->header)->args[k];
    if (next->kind != IR_VALUE_RESULT || next->u.inst->op != IR_OP_add)
        return NULL;
    struct ir_value **by = next->u.inst->args, *step = by[0] == x   ? by[1]
                                                       : by[1] == x ? by[0]
                                                                    : NULL;
    return step && is_same_for(w->v, IR_UNIFORM_GRID, step, 0) ? step : NULL;
}

static bool counts_up(const struct strided_loop *w)
{
    const struct ir_value *c = ir_terminator(w->header)->args[0];
    struct ir_edge *in = edge_to(w->before, w->header);
    for (uint32_t k = 0; k < w->header->params.len; k++)
        if (!step_of(w, k) || !is_same_for(w->v, IR_UNIFORM_GRID, in->args[k], 0))
            return false;
    if (c->kind != IR_VALUE_RESULT || (c->u.inst->op != IR_OP_slt && c->u.inst->op != IR_OP_ult) ||
        !is_same_for(w->v, IR_UNIFORM_GRID, c->u.inst->args[1], 0))
        return false;
    for (uint32_t k = 0; k < w->header->params.len; k++)
        if (w->header->params.data[k] == c->u.inst->args[0]) {
            const struct ir_value *step = step_of(w, k);
            return ir_is_const(step) && step->u.bits == 1;
        }
    return false;
}

/* From the start to the loop there is one path without effects; threads that leave it are done. */
static bool has_single_path(struct strided_loop *w)
{
    struct ir_block *b = w->before, *next = w->header;
    for (;; next = b, b = b->preds.data[0]) {
        struct ir_inst *end = ir_terminator(b);
        vec_push(w->v->arena, &w->path, b);
        ir_each_inst (i, b)
            if (!is_quiet(i))
                return false;
        for (uint32_t e = 0; e < end->nedges; e++)
            if (end->edges[e].to != next && !ends_quietly(end->edges[e].to))
                return false;
        if (end->nedges > 1 && (end->op != IR_OP_condbr || end->edges[0].to == end->edges[1].to))
            return false;
        if (b == w->v->from->first)
            return true;
        if (b->preds.len != 1 || w->in[b->preds.data[0]->id])
            return false;
    }
}

static bool is_plane_loop(struct strided_loop *w)
{
    bool stores = false;
    if (!has_shape(w) || !counts_up(w) || !has_single_path(w) ||
        !ends_quietly(ir_terminator(w->header)->edges[1].to))
        return false;
    unsigned size = 0;
    for (size_t k = 0; k < w->blocks.len; k++)
        ir_each_inst (i, w->blocks.data[k]) {
            enum ir_space space = is_access(i) ? ir_space(i->args[0]->type) : IR_SPACE_GENERIC;
            if ((!is_access(i) && !is_quiet(i)) || space == IR_SPACE_SHARED ||
                space == IR_SPACE_LOCAL)
                return false;
            stores |= i->op == IR_OP_store;
            size++;
        }
    return stores && size <= 2 * MOST_BODY;
}

/* Conditions on the path to the loop move to the start of its body; those that are the same for the
 * grid stay. */
static struct ir_value *inward(struct strided_loop *w, struct ir_builder *at)
{
    struct ir_value *all = NULL;
    const struct ir_block *next = w->header;
    for (size_t k = 0; k < w->path.len; next = w->path.data[k++]) {
        struct ir_inst *end = ir_terminator(w->path.data[k]);
        if (end->op != IR_OP_condbr || is_same_for(w->v, IR_UNIFORM_GRID, end->args[0], 0))
            continue;
        struct ir_value *c = end->args[0];
        struct ir_edge go = end->edges[end->edges[0].to != next];
        if (end->edges[0].to != next)
            c = ir_build1(at, IR_OP_not, IR_I1, c);
        all = all ? ir_build2(at, IR_OP_and, IR_I1, c, all) : c;
        ir_remove(end);
        struct ir_builder here = ir_builder_at_end(w->path.data[k]);
        ir_build_br(&here, go.to, go.args, go.nargs);
    }
    return all;
}

static void interchange(struct strided_loop *w)
{
    struct ir_block *h = w->header, *gate = ir_block_after(h, "plane"),
                    *next = ir_block_after(w->latch, "next");
    const uint32_t n = (uint32_t)h->params.len;
    struct ir_value **args = arena_array(w->v->arena, struct ir_value *, n + 1);
    struct ir_value *none[2] = {ir_const(w->v->module, IR_I32, 0),
                                ir_const(w->v->module, IR_I32, 0)};
    /* all iterations end in `next`, in which the counters are stepped */
    struct ir_builder b = ir_builder_at_end(next);
    vec_push(w->v->arena, &w->v->added_barriers, ir_build(&b, IR_OP_barrier, IR_VOID, none, 2));
    struct ir_edge *again = edge_to(w->latch, h);
    for (uint32_t k = 0; k < n; k++)
        args[k] =
            ir_build_flags(&b, IR_OP_add, h->params.data[k]->type, again->args[k]->u.inst->flags, 2,
                           h->params.data[k], step_of(w, k), NULL);
    ir_build_br(&b, h, args, n);
    again->to = next;
    again->nargs = 0;
    /* excluded threads go there at once */
    struct ir_edge *first = &ir_terminator(h)->edges[0];
    b = ir_builder_at_end(gate);
    struct ir_value *c = inward(w, &b);
    if (c) {
        struct ir_inst *branch = ir_build(&b, IR_OP_condbr, IR_VOID, &c, 1);
        ir_add_edge(branch, first->to, first->args, first->nargs, 0);
        ir_add_edge(branch, next, NULL, 0, 0);
    } else {
        ir_build_br(&b, first->to, first->args, first->nargs);
    }
    first->to = gate;
    first->nargs = 0;
    ir_remove_unreachable(w->v->from);
}

static bool find_plane_loop(struct vectorizer *v, struct strided_loop *w)
{
    struct ir_func *f = v->from;
    ir_renumber(f);
    ir_cfg(f);
    ir_each_block (h, f) {
        *w = (struct strided_loop){
            .v = v, .header = h, .in = arena_array(v->arena, bool, f->nblocks + 1)};
        if (h->rpo != UINT32_MAX && is_plane_loop(w))
            return true;
    }
    return false;
}

bool v_interchange_planes(struct vectorizer *v, bool (*worth)(struct vectorizer *))
{
    struct strided_loop w;
    if (!find_plane_loop(v, &w) || !worth(v) || !find_plane_loop(v, &w))
        return false;
    interchange(&w);
    return true;
}

void v_interleave_undo(struct vectorizer *v)
{
    vec_each (struct ir_inst *, i, &v->added_barriers)
        ir_remove(*i);
    v->added_barriers.len = 0;
}

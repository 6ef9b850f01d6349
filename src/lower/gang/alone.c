/* Whether threads are better off one at a time than as lanes of a gang.
 *
 * A gang stays in a loop until its last thread leaves, and what vectors cannot do it does lane by
 * lane, for those that have left in vain. Two kinds of innermost loops lose by that more than lanes
 * gain, where threads leave them at different times: those that divide integers by what is not
 * known, of widths that the machine's vectors do not divide (division.c); and those that walk,
 * where each thread reads its own stretch of memory element by element: a row of a sparse matrix, a
 * list in an array. One thread reads these from a line of the cache that it has; lanes gather them
 * from as many lines as there are lanes.
 *
 * Loops without any of this, or that chase pointers or search, where lanes wait for memory
 * together, are better with gangs, and so is code outside loops: instructions of the one kind are
 * weighed against all others, each as often as the loops around it make it run.
 *
 * A loop that takes every n-th element, n threads of a block or of the grid, is none that threads
 * leave at different times: one iteration apart at most. And a kernel with a barrier has its
 * threads take turns as coroutines, which costs each of them as much as some hundred instructions.
 *
 * Nothing here must be exact: code is right either way. So what would not take linear time is cut
 * short. */
#include "lower/lower.h"

/* Sweeps over a function that find what depends on the thread, and parts of an address that are
 * looked at: enough for what people write. */
enum { SWEEPS = 8, PARTS = 48 };
/* Iterations of a loop, where nobody knows, and loops around a block that count. */
enum { ITERATIONS = 8, MOST_DEPTH = 8 };
/* Elements that a loop goes on by at least, where threads share them out. */
enum { STRIDE = 32 };
/* What it costs a thread to wait at a barrier while others have their turn, in instructions. */
enum { TURN = 500 };

struct alone {
    struct arena *arena;
    struct ir_func *f;
    unsigned ways;  /* enum lower_division: integers that vectors divide */
    bool *differs;  /* by value: threads of a block may have different ones, as far as data tell */
    bool *header;   /* by block: of a loop */
    uint32_t *loop; /* by block: the loop it was found in last, by number */
    uint8_t *depth; /* by block: loops around it */
    bool *loses;    /* by block: in a loop in which gangs lose */
    uint32_t number;
    VEC(struct ir_block *) blocks; /* of the loop that is looked at, its header first */
    int64_t *steps; /* by parameter of its header: growth with each iteration; 0: no constant */
    const struct ir_edge *entry; /* into it; NULL: none */
};

static bool is_thread(const struct ir_inst *i)
{
    return i->op == IR_OP_sreg && (i->imm == IR_SREG_TID_X || i->imm == IR_SREG_TID_Y ||
                                   i->imm == IR_SREG_TID_Z || i->imm == IR_SREG_LANEID);
}

static bool differs(const struct alone *s, const struct ir_value *x)
{
    return (x->kind == IR_VALUE_PARAM || x->kind == IR_VALUE_RESULT) && s->differs[x->id];
}

/* ---- what is computed from the number of a thread ---- */
static bool mark_edges(struct alone *s, const struct ir_inst *i)
{
    bool changed = false;
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
            const struct ir_value *p = i->edges[e].to->params.data[k];
            if (differs(s, i->edges[e].args[k]) && !s->differs[p->id])
                changed = s->differs[p->id] = true;
        }
    return changed;
}

static bool mark_results(struct alone *s, const struct ir_inst *i)
{
    bool d = is_thread(i), changed = false;
    for (uint32_t k = 0; k < i->nargs && !d; k++)
        d = differs(s, i->args[k]);
    for (uint32_t k = 0; k < i->nresults && d; k++)
        if (!s->differs[i->results[k].id])
            changed = s->differs[i->results[k].id] = true;
    return changed;
}

static void mark(struct alone *s)
{
    bool changed = true;
    for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = false;
        ir_each_block (b, s->f)
            ir_each_inst (i, b) {
                changed |= mark_results(s, i);
                changed |= mark_edges(s, i);
            }
    }
}

/* ---- how addresses change ---- */
struct address {
    unsigned left;          /* parts that may still be looked at */
    int64_t iteration;      /* what an iteration adds */
    int64_t thread;         /* what the next thread in a row adds, where the loop begins */
    bool by_thread_unknown; /* not a constant */
};

static bool inside(const struct alone *s, const struct ir_value *x)
{
    const struct ir_block *b = x->kind == IR_VALUE_PARAM ? x->u.block : x->u.inst->block;
    return s->loop[b->id] == s->number;
}

static bool follow(const struct alone *s, const struct ir_value *x, int64_t scale,
                   struct address *out);

/* What an instruction's operands add. False: an iteration does not add a constant. */
static bool follow_inst(const struct alone *s, const struct ir_value *x, int64_t scale,
                        struct address *out)
{
    const struct ir_inst *i = x->u.inst;
    switch (i->op) {
    case IR_OP_sreg:
        out->by_thread_unknown |= is_thread(i) && i->imm != IR_SREG_TID_X;
        out->thread += i->imm == IR_SREG_TID_X ? scale : 0;
        return true;
    case IR_OP_add:
    case IR_OP_ptradd:
        return follow(s, i->args[0], scale, out) && follow(s, i->args[1], scale, out);
    case IR_OP_sub: return follow(s, i->args[0], scale, out) && follow(s, i->args[1], -scale, out);
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_trunc: return follow(s, i->args[0], scale, out);
    case IR_OP_mul:
        if (ir_is_const(i->args[1]))
            return follow(s, i->args[0], scale * (int32_t)i->args[1]->u.bits, out);
        break;
    case IR_OP_shl:
        if (ir_is_const(i->args[1]))
            return follow(s, i->args[0], scale * ((int64_t)1 << (i->args[1]->u.bits & 31)), out);
        break;
    default: break;
    }
    out->by_thread_unknown = true;
    return !inside(s, x);
}

static bool follow(const struct alone *s, const struct ir_value *x, int64_t scale,
                   struct address *out)
{
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return true;
    if (!out->left || scale > INT32_MAX || scale < -INT32_MAX)
        return false;
    out->left--;
    const bool in = inside(s, x);
    if (!in && !differs(s, x))
        return true;
    if (x->kind == IR_VALUE_RESULT)
        return follow_inst(s, x, scale, out);
    if (!in) {
        out->by_thread_unknown = true;
        return true;
    }
    const int64_t step = x->u.block == s->blocks.data[0] ? s->steps[x->index] : 0;
    out->iteration += scale * step;
    return step && s->entry && follow(s, s->entry->args[x->index], scale, out);
}

/* Does each thread read the element next to the last one, and another thread one elsewhere? */
static bool walks(const struct alone *s, const struct ir_inst *i)
{
    if (i->op != IR_OP_load || ir_is_vector(i->type) || !differs(s, i->args[0]) ||
        ir_space(i->args[0]->type) == IR_SPACE_LOCAL)
        return false;
    const int64_t size = ir_bytes(i->type);
    struct address address = {.left = PARTS};
    return follow(s, i->args[0], 1, &address) &&
           (address.iteration == size || address.iteration == -size) &&
           (address.by_thread_unknown || address.thread > size || address.thread < -size);
}

static bool divides(const struct alone *s, const struct ir_inst *i)
{
    return (i->op == IR_OP_udiv || i->op == IR_OP_urem || i->op == IR_OP_sdiv ||
            i->op == IR_OP_srem) &&
           !(s->ways & (ir_bits(i->type) == 64 ? DIVIDE_LONG : DIVIDE_SHORT)) &&
           !ir_is_const(i->args[1]) && differs(s, &i->results[0]);
}

/* ---- loops ---- */
static bool is_header(const struct ir_block *b)
{
    vec_each (struct ir_block *, p, &b->preds)
        if ((*p)->rpo != UINT32_MAX && ir_dominates(b, *p))
            return true;
    return false;
}

static void enter(struct alone *s, struct ir_block *b)
{
    if (s->loop[b->id] == s->number || b->rpo == UINT32_MAX)
        return;
    s->loop[b->id] = s->number;
    s->depth[b->id] += s->depth[b->id] < MOST_DEPTH;
    vec_push(s->arena, &s->blocks, b);
}

static void collect(struct alone *s, struct ir_block *header)
{
    s->number++;
    s->blocks.len = 0;
    enter(s, header);
    vec_each (struct ir_block *, p, &header->preds)
        if (ir_dominates(header, *p))
            enter(s, *p);
    for (size_t k = 1; k < s->blocks.len; k++)
        vec_each (struct ir_block *, p, &s->blocks.data[k]->preds)
            enter(s, *p);
}

/* x is the parameter and a constant. */
static bool counts(const struct ir_value *x, const struct ir_value *param, int64_t *by)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (!i || (i->op != IR_OP_add && i->op != IR_OP_ptradd) || i->args[0] != param ||
        !ir_is_const(i->args[1]))
        return false;
    *by = (int32_t)i->args[1]->u.bits;
    return true;
}

static void find_steps(struct alone *s)
{
    const struct ir_block *header = s->blocks.data[0];
    const size_t n = header->params.len;
    bool *seen = arena_array(s->arena, bool, n + 1);
    s->steps = arena_array(s->arena, int64_t, n + 1);
    vec_each (struct ir_block *, b, &s->blocks) {
        const struct ir_inst *t = ir_terminator(*b);
        for (uint32_t e = 0; e < t->nedges; e++)
            for (size_t k = 0; k < n && t->edges[e].to == header; k++) {
                int64_t by = 0;
                const bool constant = counts(t->edges[e].args[k], header->params.data[k], &by);
                s->steps[k] = constant && (!seen[k] || s->steps[k] == by) ? by : 0;
                seen[k] = true;
            }
    }
    s->entry = NULL;
    vec_each (struct ir_block *, p, &header->preds) {
        const struct ir_inst *t = ir_terminator(*p);
        for (uint32_t e = 0; e < t->nedges && s->loop[(*p)->id] != s->number; e++)
            if (t->edges[e].to == header) {
                s->entry = &t->edges[e];
                return;
            }
    }
}

/* The counter of the loop that a condition goes by: x is one, or one with something added that is
 * the same for all. NULL: neither. */
static const struct ir_value *counter(const struct alone *s, const struct ir_value *x)
{
    for (unsigned left = PARTS; left && x->kind == IR_VALUE_RESULT; left--) {
        const struct ir_inst *i = x->u.inst;
        const bool add = i->op == IR_OP_add || i->op == IR_OP_sub;
        if (!add && i->op != IR_OP_sext && i->op != IR_OP_zext && i->op != IR_OP_trunc)
            return NULL;
        const bool second = add && !differs(s, i->args[0]);
        if (add && !second && differs(s, i->args[1]))
            return NULL;
        x = i->args[second];
    }
    return x->kind == IR_VALUE_PARAM && x->u.block == s->blocks.data[0] ? x : NULL;
}

/* An iteration adds to the counter what is the same for all threads, and no small constant. */
static bool goes_far(const struct alone *s, const struct ir_value *param)
{
    vec_each (struct ir_block *, b, &s->blocks) {
        const struct ir_inst *t = ir_terminator(*b);
        for (uint32_t e = 0; e < t->nedges; e++) {
            if (t->edges[e].to != param->u.block)
                continue;
            const struct ir_value *next = t->edges[e].args[param->index];
            const struct ir_inst *i = next->kind == IR_VALUE_RESULT ? next->u.inst : NULL;
            if (!i || i->op != IR_OP_add)
                return false;
            const struct ir_value *by = i->args[i->args[0] == param];
            const bool far = !ir_is_const(by) || (int32_t)by->u.bits >= STRIDE;
            if ((i->args[0] != param && i->args[1] != param) || differs(s, by) || !far)
                return false;
        }
    }
    return true;
}

/* Threads share elements out, and leave when these end: `for (i = t; i < n; i += threads)`. */
static bool shares_out(const struct alone *s, const struct ir_value *condition)
{
    const struct ir_inst *i = condition->kind == IR_VALUE_RESULT ? condition->u.inst : NULL;
    if (!i || i->nargs != 2 || differs(s, i->args[0]) == differs(s, i->args[1]))
        return false;
    const struct ir_value *param = counter(s, i->args[differs(s, i->args[1])]);
    return param && goes_far(s, param);
}

/* Threads leave it at different times. */
static bool parts(const struct alone *s)
{
    vec_each (struct ir_block *, b, &s->blocks) {
        const struct ir_inst *t = ir_terminator(*b);
        if (t->nedges < 2 || !differs(s, t->args[0]) || shares_out(s, t->args[0]))
            continue;
        for (uint32_t e = 0; e < t->nedges; e++)
            if (s->loop[t->edges[e].to->id] != s->number)
                return true;
    }
    return false;
}

static bool is_barrier(const struct ir_inst *i)
{
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red;
}

static bool meets(const struct alone *s)
{
    vec_each (struct ir_block *, b, &s->blocks)
        ir_each_inst (i, *b)
            if (is_barrier(i))
                return true;
    return false;
}

static bool innermost(const struct alone *s)
{
    for (size_t k = 1; k < s->blocks.len; k++)
        if (s->header[s->blocks.data[k]->id])
            return false;
    return true;
}

/* Do gangs lose in the loop that was collected? */
static bool loses(struct alone *s)
{
    if (!innermost(s) || !parts(s))
        return false;
    find_steps(s);
    vec_each (struct ir_block *, b, &s->blocks)
        ir_each_inst (i, *b)
            if (divides(s, i) || walks(s, i))
                return true;
    return false;
}

static bool outweighs(const struct alone *s)
{
    uint64_t lost = 0, others = 0;
    ir_each_block (b, s->f) {
        uint64_t weight = 1;
        for (unsigned k = 0; k < s->depth[b->id]; k++)
            weight *= ITERATIONS;
        ir_each_inst (i, b)
            *(s->loses[b->id] ? &lost : &others) += is_barrier(i) ? TURN * weight : weight;
    }
    return lost > others;
}

bool lower_better_alone(struct arena *a, struct ir_func *f, unsigned ways)
{
    ir_renumber(f);
    ir_cfg(f);
    struct alone s = {.arena = a, .f = f, .ways = ways};
    s.differs = arena_array(a, bool, f->nvalues + 1);
    s.header = arena_array(a, bool, f->nblocks + 1);
    s.loop = arena_array(a, uint32_t, f->nblocks + 1);
    s.depth = arena_array(a, uint8_t, f->nblocks + 1);
    s.loses = arena_array(a, bool, f->nblocks + 1);
    mark(&s);
    ir_each_block (b, f)
        s.header[b->id] = b->rpo != UINT32_MAX && is_header(b);
    ir_each_block (b, f) {
        if (!s.header[b->id])
            continue;
        collect(&s, b);
        if (meets(&s))
            return false; /* threads would take turns there, again and again */
        if (!loses(&s))
            continue;
        vec_each (struct ir_block *, in, &s.blocks)
            s.loses[(*in)->id] = true;
    }
    return outweighs(&s);
}

/* What a kernel needs of a gang, before there is one: whether threads wait for each other, exchange
 * within warps or look numbers up all over memory; and how many lanes fit that (lower/lower.h). */
#include "lower/gang/gang_int.h"

/* A loop that waits for another thread: it goes round with a compare-and-swap, an exchange or a
 * setting of bits, of values that it does not change itself, with a volatile or ordered load of one
 * place, an atomic that adds nothing, or any load at all if it also fences or sleeps. Where a loop
 * carries nothing from one round to the next, such a load of any place is one of the same places
 * each time: only memory that somebody changes ends it. In lockstep the lane it waits for might
 * never run. */
static bool set_in(const struct ir_value *x, const struct ir_block *header)
{
    const struct ir_block *b = ir_def_block(x);
    return b && ir_dominates(header, b);
}

/* Does the loop store what it computes where `load` reads? Then it does not wait for a lane but
 * competes with all: of those that store in step one finds its own value again and is done, as in
 * histograms that mark their counters with the lane. */
static bool competes(const struct ir_inst *load, const struct ir_loop *l,
                     const struct ir_block *header)
{
    if (ir_space(load->args[0]->type) != IR_SPACE_SHARED || ir_order(load->flags))
        return false;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            if (i->op == IR_OP_store && i->args[0] == load->args[0] && set_in(i->args[1], header))
                return true;
    return false;
}

static bool waits(const struct ir_inst *i, const struct ir_block *header, bool patient)
{
    bool load = i->op == IR_OP_load && (patient || i->flags & IR_VOLATILE || ir_order(i->flags));
    bool swap = i->op == IR_OP_cas ||
                (i->op == IR_OP_rmw &&
                 (i->imm == IR_RMW_XCHG || i->imm == IR_RMW_OR || i->imm == IR_RMW_AND));
    bool look = i->op == IR_OP_rmw && ir_is_const(i->args[1]) &&
                (!i->args[1]->u.bits ||
                 !~(i->args[1]->u.bits | (UINT64_MAX << (ir_bits(i->type) - 1)) << 1));
    if (!load && !swap && !look)
        return false;
    if (load && !header->params.len && (i->flags & IR_VOLATILE || ir_order(i->flags)) &&
        ir_space(i->args[0]->type) != IR_SPACE_SHARED)
        return true;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (set_in(i->args[k], header))
            return false;
    return true;
}

/* Where paths join, a parameter tells which one was taken. */
static bool is_join(const struct ir_block *b, const bool *in)
{
    unsigned entries = 0;
    vec_each (struct ir_block *, p, &b->preds)
        entries += in[(*p)->id];
    return entries > 1;
}

/* Does it depend on what `from` gives when the loop is left? By values, by memory, by the paths
 * taken. Else the loop runs as often as it would have, and does not wait. */
static bool decides(struct arena *a, const struct ir_inst *from, struct ir_func *f,
                    const struct ir_loop *l)
{
    const bool *in = l->in;
    bool *depends = arena_array(a, bool, f->nvalues + 1), memory = false, paths = false,
         changed = true;
    depends[from->results[0].id] = true;
    while (changed) {
        changed = false;
        for (size_t n = l->blocks.len; n-- > 0;) { /* nearly in the order they run in */
            const struct ir_block *b = l->blocks.data[n];
            vec_each (struct ir_value *, x, &b->params)
                if (paths && !depends[(*x)->id] && is_join(b, in))
                    depends[(*x)->id] = changed = true;
            ir_each_inst (i, b) {
                const uint32_t effects = ir_op_info[i->op].flags;
                bool any = memory && effects & IR_READS;
                for (uint32_t k = 0; k < i->nargs && !any; k++)
                    any = i->args[k]->id != IR_NO_ID && depends[i->args[k]->id];
                if ((any || paths) && effects & IR_WRITES && !memory)
                    memory = changed = true;
                for (uint32_t k = 0; k < i->nresults; k++)
                    if (any && !depends[i->results[k].id])
                        depends[i->results[k].id] = changed = true;
                for (uint32_t e = 0; e < i->nedges; e++) {
                    const struct ir_edge *to = &i->edges[e];
                    if (any && i->nedges > 1 && !in[to->to->id])
                        return true;
                    for (uint32_t k = 0; k < to->nargs; k++)
                        if (to->args[k]->id != IR_NO_ID && depends[to->args[k]->id] &&
                            !depends[to->to->params.data[k]->id])
                            depends[to->to->params.data[k]->id] = changed = true;
                }
                if (any && i->nedges > 1 && !paths)
                    paths = changed = true;
            }
        }
    }
    return false;
}

static bool spins_in(struct arena *a, struct ir_func *f, const struct ir_loop *l)
{
    const struct ir_block *header = l->blocks.data[0];
    bool patient = false;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            patient |= i->op == IR_OP_fence || i->op == IR_OP_sleep;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            if (waits(i, header, patient) &&
                (i->op != IR_OP_load || patient || !competes(i, l, header)) && decides(a, i, f, l))
                return true;
    return false;
}

static bool spins(struct arena *a, struct ir_func *f)
{
    ir_renumber(f);
    ir_cfg(f);
    struct ir_loop l = ir_no_loop(a, f);
    ir_each_block (h, f)
        vec_each (struct ir_block *, p, &h->preds) {
            if ((*p)->rpo == UINT32_MAX || !ir_dominates(h, *p))
                continue;
            ir_walk_loop(a, &l, h, *p);
            if (spins_in(a, f, &l))
                return true;
        }
    return false;
}

/* The block runs for one thread of a row only: if (threadIdx.x == 0). */
static bool of_one_thread(const struct ir_block *b)
{
    if (b->preds.len != 1)
        return false;
    const struct ir_inst *branch = ir_terminator(b->preds.data[0]);
    if (branch->op != IR_OP_condbr || branch->args[0]->kind != IR_VALUE_RESULT)
        return false;
    const struct ir_inst *test = branch->args[0]->u.inst;
    const struct ir_value *x = test->nargs == 2 ? test->args[0] : NULL;
    return ((test->op == IR_OP_eq && branch->edges[0].to == b) ||
            (test->op == IR_OP_ne && branch->edges[1].to == b)) &&
           ir_is_const(test->args[1]) && x->kind == IR_VALUE_RESULT &&
           x->u.inst->op == IR_OP_sreg && x->u.inst->imm == IR_SREG_TID_X;
}

static bool of_all_threads(const struct ir_inst *i)
{
    const enum ir_space space = ir_space(i->args[0]->type);
    return space == IR_SPACE_SHARED || space == IR_SPACE_GLOBAL || space == IR_SPACE_GENERIC;
}

/* Is something stored on a path to the end of b, with no barrier after it? */
static bool stored_before(const struct ir_block *b, bool *seen)
{
    if (seen[b->id])
        return false;
    seen[b->id] = true;
    for (const struct ir_inst *i = b->last; i; i = i->prev) {
        if (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_gridsync)
            return false;
        if (i->op == IR_OP_store && of_all_threads(i))
            return true;
    }
    vec_each (struct ir_block *, p, &b->preds)
        if (stored_before(*p, seen))
            return true;
    return false;
}

/* How many instructions of a kind stand in what a block dominates: sums by the clock of the
 * dominator tree. */
static uint32_t *count_by_clock(struct arena *a, struct ir_func *f,
                                bool (*is)(const struct ir_inst *))
{
    uint32_t *sums = arena_array(a, uint32_t, 2 * (size_t)f->nblocks + 2);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            sums[b->dom_in + 1] += b->rpo != UINT32_MAX && is(i);
    for (uint32_t k = 0; k <= 2 * f->nblocks; k++)
        sums[k + 1] += sums[k];
    return sums;
}

static uint32_t dominated(const uint32_t *sums, const struct ir_block *b)
{
    return sums[b->dom_out + 1] - sums[b->dom_in];
}

static bool reads_for_all(const struct ir_inst *i)
{
    return i->op == IR_OP_load && of_all_threads(i);
}

/* One thread reads, and threads stored before it without a barrier between: on a GPU that works
 * within a warp, whose threads do each step together. */
static bool gathers(struct arena *a, struct ir_func *f)
{
    const uint32_t *reads = count_by_clock(a, f, reads_for_all);
    bool *seen = arena_array(a, bool, f->nblocks + 1); /* with nothing stored before */
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX && of_one_thread(b) && dominated(reads, b) &&
            stored_before(b->preds.data[0], seen))
            return true;
    return false;
}

static bool from_load(const struct ir_value *x, unsigned depth)
{
    if (x->kind != IR_VALUE_RESULT || depth > 8)
        return false;
    const struct ir_inst *i = x->u.inst;
    if (i->op == IR_OP_load)
        return true;
    for (uint32_t k = 0; k < i->nargs && ir_op_info[i->op].flags & IR_PURE; k++)
        if (from_load(i->args[k], depth + 1))
            return true;
    return false;
}

static bool is_lookup(const struct ir_inst *i)
{
    return i->op == IR_OP_load && ir_space(i->args[0]->type) != IR_SPACE_SHARED &&
           from_load(i->args[0], 0);
}

/* A loop with the same trip count for all lanes that looks up elements by numbers it has read: it
 * waits for memory, and the more lanes wait at once the better. */
static bool looks_up(const uint32_t *lookups, const struct ir_block *header)
{
    const struct ir_inst *t = ir_terminator(header);
    if (t->op != IR_OP_condbr || t->args[0]->kind != IR_VALUE_RESULT)
        return false;
    const struct ir_inst *test = t->args[0]->u.inst;
    if ((test->op != IR_OP_slt && test->op != IR_OP_ult) || !ir_is_const(test->args[1]) ||
        test->args[0]->kind != IR_VALUE_PARAM || test->args[0]->u.block != header)
        return false;
    return dominated(lookups, t->edges[0].to) > 1;
}

/* Loads of that kind that no loop repeats, as where a short one was unrolled. */
static unsigned count_lookups(struct arena *a, struct ir_func *f)
{
    unsigned n = 0;
    bool *in = arena_array(a, bool, f->nblocks + 1);
    struct ir_loop l = ir_no_loop(a, f);
    ir_each_block (h, f)
        vec_each (struct ir_block *, p, &h->preds)
            if ((*p)->rpo != UINT32_MAX && ir_dominates(h, *p)) {
                ir_walk_loop(a, &l, h, *p);
                vec_each (struct ir_block *, b, &l.blocks)
                    in[(*b)->id] = true;
            }
    ir_each_block (b, f)
        ir_each_inst (i, b)
            n += !in[b->id] && is_lookup(i);
    return n;
}

struct vector_needs lower_vector_needs(struct arena *a, struct ir_func *f)
{
    struct vector_needs n = {0};
    if (spins(a, f)) {
        n.why = "a loop that waits for another thread";
        n.spins = true;
    }
    ir_cfg(f);
    n.in_step = n.warps = gathers(a, f);
    n.lookups = count_lookups(a, f);
    const uint32_t *lookups = count_by_clock(a, f, is_lookup);
    ir_each_block (b, f) { /* what loops carry: parameters of their headers */
        bool header = false;
        vec_each (struct ir_block *, p, &b->preds)
            header |= (*p)->rpo != UINT32_MAX && ir_dominates(b, *p);
        unsigned carried = 0;
        for (size_t k = 0; header && k < b->params.len; k++)
            if (ir_class(b->params.data[k]->type) == IR_CLASS_FLOAT)
                carried += ir_bits(b->params.data[k]->type) == 64 ? 2 : 1;
        n.pressure = carried > n.pressure ? carried : n.pressure;
        n.looks_up |= header && looks_up(lookups, b);
    }
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const char *why;
            switch (i->op) {
            case IR_OP_shfl:
            case IR_OP_vote:
            case IR_OP_match:
            case IR_OP_redux:
            case IR_OP_mma:
            case IR_OP_activemask:
            case IR_OP_warpsync: n.warps = true; break;
            case IR_OP_check: n.checked = true; break;
            case IR_OP_sreg:
                n.warps |= i->imm == IR_SREG_LANEID || i->imm == IR_SREG_WARPID ||
                           (i->imm >= IR_SREG_LANEMASK_EQ && i->imm <= IR_SREG_LANEMASK_GE);
                break;
            case IR_OP_load:
            case IR_OP_store:
                n.in_step |= i->flags & IR_STEP || (i->flags & IR_VOLATILE &&
                                                    ir_space(i->args[0]->type) == IR_SPACE_SHARED);
                n.warps |= n.in_step;
                break;
            default: break;
            }
            if (!n.why && !v_can(i, &why))
                n.why = why;
        }
    return n;
}

/* A core looks a few hundred instructions ahead, each lane's load is several, and numbers come from
 * as many places in memory as there are loads: with more lanes it would see few of them at a time.
 */
enum { LOOKUPS_AT_ONCE = 64 };
enum { LEAST_LANES = 4 };

struct vector_options lower_vector_shape(const struct vector_needs *needs, unsigned native,
                                         unsigned registers, unsigned gang, const uint32_t block[3])
{
    struct vector_options v = {.pieces = 1, .block = {block[0], block[1], block[2]}};
    unsigned threads = block[0] * block[1] * block[2];
    bool one_row = block[1] == 1 && block[2] == 1;
    if (needs->warps) {
        v.lanes = 32;
        v.warps = !one_row && (!block[0] || block[0] % 32);
        return v;
    }
    /* As many lanes as leave the values that loops carry in those registers. */
    v.lanes = gang ? gang : 4 * native;
    if (needs->checked && v.lanes > 32) /* a word has a bit for each lane that tells */
        v.lanes = 32;
    if (!gang)
        while (v.lanes > native && (needs->pressure * v.lanes / native > registers ||
                                    needs->lookups * v.lanes > LOOKUPS_AT_ONCE))
            v.lanes /= 2;
    if (block[0] && !gang) {
        while (v.lanes > block[0] && v.lanes > native)
            v.lanes /= 2;
        /* Short rows: a part of a vector, whose elements lie side by side, before a whole one of
         * several rows, whose elements are gathered. */
        while (threads > block[0] && v.lanes / 2 >= block[0] && v.lanes > LEAST_LANES)
            v.lanes /= 2;
        v.warps = v.lanes / 2 >= block[0] && threads > block[0];
    }
    /* Several rows at once share what does not depend on the row. */
    const unsigned vectors = v.lanes > native ? v.lanes / native : 1;
    if (!v.warps && needs->pressure && block[1])
        while (v.pieces < 4 && block[1] % (2 * v.pieces) == 0 &&
               needs->pressure * vectors * v.pieces * 2 <= registers)
            v.pieces *= 2;
    return v;
}

/* Loops of few iterations become straight code, so that indices are constants.
 *
 * How often a loop runs is found by running its counter: the exit condition and the
 * header parameters it depends on are evaluated on constants until it leaves. Then the loop is
 * copied once per iteration in front of itself; the last copy's exit is certain, which the graph
 * pass finds, and the loop itself falls away. Values used after the loop go through local memory
 * for the moment: sroa, which runs next, gives them back their registers. */
#include "opt/opt_int.h"

enum {
    MAX_TRIPS = 64,
    MAX_GROWTH = 640,    /* instructions, where the source says nothing */
    ARRAY_GROWTH = 4096, /* where that lets arrays of the thread be registers */
    ASKED_TRIPS = 1024,
    ASKED_GROWTH = 16384, /* where it asks for it */
    MAX_BRANCHES = 128,   /* left in the copies: compilers take minutes over thousands in a loop */
    ASKED_BRANCHES = 512, /* where it asks for it, and arrays of the thread are in there */
    MAX_DEPTH = 24,
    MAX_ROUNDS = 256,  /* loops that have nothing to do with each other in one */
    MAX_CARRIED = 288, /* values from iteration to iteration: a matrix instruction has 128 sums */
    ROLLED_TRIPS = 9,  /* where loops are to stay */
};

/* ---- how often ---- */
struct runner {
    const struct opt_loop *l;
    uint64_t *now; /* by parameter of the header */
    bool *known;
    const struct runner
        *around; /* an iteration of a loop around it; NULL: nothing is known of one */
};

static struct runner new_runner(struct arena *a, const struct opt_loop *l)
{
    const size_t n = l->header->params.len;
    return (struct runner){l, arena_array(a, uint64_t, n), arena_array(a, bool, n), NULL};
}

static bool run_value(const struct runner *r, const struct ir_value *v, unsigned depth,
                      uint64_t *out)
{
    if (v->kind == IR_VALUE_CONST) {
        *out = v->u.bits;
        return true;
    }
    if (v->kind == IR_VALUE_PARAM) {
        while (r && v->u.block != r->l->header)
            r = r->around;
        if (!r || !r->known[v->index])
            return false;
        *out = r->now[v->index];
        return true;
    }
    if (v->kind != IR_VALUE_RESULT || !depth)
        return false;
    const struct ir_inst *i = v->u.inst;
    uint64_t args[3];
    if (!opt_is_pure(i) || !i->nargs || i->nargs > 3 || ir_is_vector(v->type))
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!run_value(r, i->args[k], depth - 1, &args[k]))
            return false;
    return ir_eval((enum ir_op)i->op, i->type, i->args[0]->type, i->flags, args, out);
}

/* The edge that goes round, if there is exactly one. */
static struct ir_edge *back_edge(const struct opt_loop *l)
{
    if (l->latches.len != 1)
        return NULL;
    struct ir_inst *t = ir_terminator(l->latches.data[0]);
    struct ir_edge *found = NULL;
    for (uint32_t k = 0; k < t->nedges; k++)
        if (t->edges[k].to == l->header) {
            if (found)
                return NULL;
            found = &t->edges[k];
        }
    return found;
}

/* The exit that every iteration passes: in the header or in the latch. */
static struct ir_inst *exit_branch(const struct opt_loops *ls, const struct opt_loop *l)
{
    struct ir_block *at[2] = {l->header, l->latches.data[0]};
    for (unsigned k = 0; k < 2; k++) {
        struct ir_inst *t = ir_terminator(at[k]);
        if (t->op == IR_OP_condbr &&
            opt_in_loop(ls, l, t->edges[0].to) != opt_in_loop(ls, l, t->edges[1].to))
            return t;
    }
    return NULL;
}

/* Iterations begun, 0 if that cannot be seen; states[k] is what is known when the k-th begins.
 * around: what is known of the loop around it; NULL: nothing. */
static unsigned trips(struct arena *a, const struct opt_loops *ls, const struct opt_loop *l,
                      const struct ir_edge *enter, const struct runner *around, unsigned limit,
                      struct runner *states)
{
    const struct ir_edge *back = back_edge(l);
    struct ir_inst *leave = back ? exit_branch(ls, l) : NULL;
    if (!leave || l->header->params.len > MAX_CARRIED)
        return 0;
    bool stay_on_true = opt_in_loop(ls, l, leave->edges[0].to);
    struct runner r = new_runner(a, l);
    r.around = around;
    for (uint32_t k = 0; k < enter->nargs; k++) {
        if (around)
            r.known[k] = run_value(around, enter->args[k], MAX_DEPTH, &r.now[k]);
        else if ((r.known[k] = ir_is_const(enter->args[k])))
            r.now[k] = enter->args[k]->u.bits;
    }
    for (unsigned n = 1; n <= limit; n++) {
        uint64_t stays;
        states[n - 1] = r;
        if (!run_value(&r, leave->args[0], MAX_DEPTH, &stays))
            return 0;
        if ((stays & 1) != stay_on_true)
            return n;
        struct runner next = new_runner(a, l);
        next.around = around;
        for (uint32_t k = 0; k < back->nargs; k++)
            next.known[k] = run_value(&r, back->args[k], MAX_DEPTH, &next.now[k]);
        r = next;
    }
    return 0;
}

/* ---- copying ---- */
static struct ir_edge *entering_edge(const struct opt_loops *ls, const struct opt_loop *l)
{
    struct ir_edge *found = NULL;
    vec_each (struct ir_block *, p, &l->header->preds) {
        if (opt_in_loop(ls, l, *p))
            continue;
        struct ir_inst *t = ir_terminator(*p);
        for (uint32_t k = 0; k < t->nedges; k++)
            if (t->edges[k].to == l->header) {
                if (found)
                    return NULL;
                found = &t->edges[k];
            }
    }
    return found;
}

/* ---- values that outlive the loop ---- */
struct outliving {
    struct arena *a;
    const struct opt_loops *ls;
    const struct opt_loop *l;
    struct map slots; /* value → its alloca */
};

static bool is_made_inside(const struct outliving *o, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_PARAM)
        return opt_in_loop(o->ls, o->l, v->u.block);
    return v->kind == IR_VALUE_RESULT && opt_in_loop(o->ls, o->l, v->u.inst->block);
}

static struct ir_value *slot_of(struct outliving *o, struct ir_value *v)
{
    struct ir_value *slot = map_get(&o->slots, map_key(v));
    if (slot)
        return slot;
    slot = ir_build_alloca(o->l->header->func, ir_bytes(v->type), ir_bytes(v->type), v->name);
    slot->u.inst->flags |= IR_UNSET; /* stored before it is loaded */
    map_set(&o->slots, map_key(v), slot);
    struct ir_inst *next = v->kind == IR_VALUE_PARAM ? v->u.block->first : v->u.inst->next;
    struct ir_builder b = ir_builder_before(next);
    b.span = next->span;
    ir_build_store(&b, slot, v, ir_bytes(v->type), 0);
    return slot;
}

static void reload(struct outliving *o, struct ir_inst *i, struct ir_value **at)
{
    struct ir_value *slot = slot_of(o, *at);
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    *at = ir_build_load(&b, (*at)->type, slot, ir_bytes((*at)->type), 0);
}

/* Values of the loop that are used behind it are stored where they are made and loaded where they
 * are used. False: there is one that cannot, and nothing was changed. */
static bool through_memory(struct outliving *o, struct ir_func *f)
{
    for (int changing = 0; changing < 2; changing++)
        ir_each_block (b, f) {
            if (opt_in_loop(o->ls, o->l, b))
                continue;
            ir_each_inst (i, b) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    if (is_made_inside(o, i->args[k])) {
                        if (i->args[k]->type == IR_TOKEN)
                            return false;
                        if (changing)
                            reload(o, i, &i->args[k]);
                    }
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        if (is_made_inside(o, i->edges[e].args[k])) {
                            if (i->edges[e].args[k]->type == IR_TOKEN)
                                return false;
                            if (changing)
                                reload(o, i, &i->edges[e].args[k]);
                        }
            }
        }
    return true;
}

static uint32_t loop_size(const struct opt_loop *l)
{
    uint32_t n = 0;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            n++;
    return n;
}

/* Branches of one iteration, but for the one that leaves the loop. */
static unsigned branches(const struct opt_loop *l)
{
    unsigned n = 0;
    for (size_t k = 0; k < l->blocks.len; k++)
        n += ir_terminator(l->blocks.data[k])->nedges > 1;
    return n ? n - 1 : 0;
}

/* Reads of memory stay in their order, and an engine that is short of registers puts what they gave
 * aside until it is used. Arrays of a thread become registers when their indices are known: loops
 * on them are unrolled all the same. */
static bool should_unswitch(const struct opt_loop *l, unsigned n)
{
    bool reads = false;
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            reads |= i->op == IR_OP_load;
            for (uint32_t k = 0; k < i->nargs; k++)
                if (ir_kind(i->args[k]->type) == IR_PTR &&
                    ir_space(i->args[k]->type) == IR_SPACE_LOCAL)
                    return false;
        }
    return reads && n > ROLLED_TRIPS;
}

static bool uses_array(const struct opt_loop *l)
{
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b)
            if ((i->op == IR_OP_load || i->op == IR_OP_store) &&
                ir_space(i->args[0]->type) == IR_SPACE_LOCAL)
                return true;
    return false;
}

/* Does the loop index arrays of the thread by what its iteration decides? Then they stay in memory
 * unless it is unrolled, as the sums of a matrix product in registers. */
static bool indexes_array(const struct opt_loop *l, const struct runner *first)
{
    vec_each (struct ir_block *, b, &l->blocks)
        ir_each_inst (i, *b) {
            uint64_t known;
            if (i->op == IR_OP_ptradd && ir_space(i->args[0]->type) == IR_SPACE_LOCAL &&
                !ir_is_const(i->args[1]) && run_value(first, i->args[1], MAX_DEPTH, &known))
                return true;
        }
    return false;
}

static bool is_inside(const struct opt_loop *in, const struct opt_loop *l)
{
    while (in && in != l)
        in = in->parent;
    return in == l;
}

/* Is it for its counter alone that it is not seen how often a loop inside it runs? As in
 * `for (p = 0; p < 3; p++) for (q = p + 1; q < 4; q++)`. With an array of the thread in there, all
 * of whose indices are constants then, it is worth it. */
static bool decides_inner(struct arena *a, const struct opt_loops *ls, const struct opt_loop *l,
                          const struct runner *first)
{
    struct runner *states = arena_array(a, struct runner, MAX_TRIPS);
    if (!uses_array(l))
        return false;
    vec_each (struct opt_loop *, in, &ls->all) {
        const struct ir_edge *enter = *in != l && is_inside(*in, l) ? entering_edge(ls, *in) : NULL;
        if (enter && !trips(a, ls, *in, enter, NULL, MAX_TRIPS, states) &&
            trips(a, ls, *in, enter, first, MAX_TRIPS, states))
            return true;
    }
    return false;
}

static bool unroll(struct arena *a, struct ir_func *f, struct opt_loops *ls, struct opt_loop *l,
                   bool rolled)
{
    struct ir_edge *enter = entering_edge(ls, l);
    uint32_t size = loop_size(l);
    uint32_t hint = l->header->unroll;
    const unsigned growth = hint > 1 ? ASKED_GROWTH : uses_array(l) ? ARRAY_GROWTH : MAX_GROWTH;
    unsigned limit = growth / (size ? size : 1);
    unsigned most = hint > 1 ? ASKED_TRIPS : MAX_TRIPS;
    if (!enter || !limit || hint == 1)
        return false;
    if (limit > most)
        limit = most;
    const unsigned branchy = hint > 1 && uses_array(l) ? ASKED_BRANCHES : MAX_BRANCHES;
    if (branches(l) && limit > branchy / branches(l))
        limit = branchy / branches(l);
    if (!limit)
        return false;
    struct runner *states = arena_array(a, struct runner, limit);
    unsigned n = trips(a, ls, l, enter, NULL, limit, states);
    /* states: one for each test, the last of which leaves */
    if (n > 2 && !l->innermost && !decides_inner(a, ls, l, &states[0]))
        return false;
    if (rolled && hint <= 1 && should_unswitch(l, n))
        return false;
    if (hint <= 1 && size * n > MAX_GROWTH && (!n || !indexes_array(l, &states[0])))
        return false;
    if (!n || (hint > 1 && hint < n - 1 && size * n > MAX_GROWTH))
        return false; /* asked for fewer than there are */
    struct outliving o = {.a = a, .ls = ls, .l = l};
    map_init(&o.slots, a);
    if (l->outlived && !through_memory(&o, f))
        return false;
    struct ir_block *first = NULL, *where = l->header->prev;
    struct ir_edge *into = enter;
    for (unsigned k = 0; k < n; k++) {
        struct map twins;
        map_init(&twins, a);
        opt_clone_blocks(&twins, f, where, l->blocks.data, l->blocks.len);
        for (size_t i = 0; i < l->blocks.len; i++)
            ((struct ir_block *)map_get(&twins, map_key(l->blocks.data[i])))->id = ls->none;
        struct ir_block *head = map_get(&twins, map_key(l->header));
        struct ir_block *latch = map_get(&twins, map_key(l->latches.data[0]));
        where = map_get(&twins, map_key(l->blocks.data[l->blocks.len - 1]));
        into->to = head;
        for (uint32_t p = 0; p < head->params.len; p++)
            if (states[k].known[p]) {
                ir_type t = head->params.data[p]->type;
                head->params.data[p]->forward = ir_const(f->module, t, states[k].now[p]);
            }
        struct ir_inst *t = ir_terminator(latch);
        for (uint32_t e = 0; e < t->nedges; e++)
            if (t->edges[e].to == head) {
                t->edges[e].to = l->header;
                into = &t->edges[e];
            }
        if (!first)
            first = head;
    }
    return first != NULL;
}

/* Is what is known of the loop still so, after others were unrolled? Those may have been inside it,
 * or lead into it. */
static bool is_untouched(const struct opt_loops *ls, const struct opt_loop *l)
{
    if (l->touched)
        return false;
    vec_each (struct ir_block *, p, &l->header->preds)
        for (const struct opt_loop *x = ls->of[(*p)->id]; x; x = x->parent)
            if (x->unrolled)
                return false;
    return true;
}

static bool unroll_round(struct arena *a, struct ir_func *f, struct opt_loops *ls, bool rolled)
{
    bool changed = false;
    opt_mark_outlived(ls, f);
    vec_each (struct opt_loop *, l, &ls->all)
        if (is_untouched(ls, *l) && unroll(a, f, ls, *l, rolled)) {
            changed = (*l)->unrolled = true;
            for (struct opt_loop *x = *l; x; x = x->parent)
                x->touched = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

static void unroll_all(struct arena *scratch, struct ir_func *f, bool rolled)
{
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        if (!unroll_round(scratch, f, opt_find_loops(scratch, f), rolled))
            return;
        /* what is certain now makes outer loops innermost */
        opt_simplify(scratch, f);
        opt_cfg(scratch, f);
        opt_sroa(scratch, f); /* drops what is dead, too: size decides about the next one */
        opt_simplify(scratch, f);
        opt_cfg(scratch, f);
        opt_dce(scratch, f);
    }
}

void opt_unroll(struct arena *scratch, struct ir_func *f)
{
    unroll_all(scratch, f, false);
}

void opt_unroll_small(struct arena *scratch, struct ir_func *f)
{
    unroll_all(scratch, f, true);
}

/* Atomics that a target lacks → ones it has.
 *
 * narrow   8 and 16 bits: by compare-and-swap of the word around them
 * local    nobody else sees local memory: load, compute, store
 * shared   64 bits in shared memory: under a lock. The thread that gets it lets go of it in the
 * same iteration of the loop, so that threads which run in step do not wait for one of their own. A
 * generic pointer that could lead into shared memory is asked first.
 * wide     64 bits in global memory: under one of the device's locks, chosen by the address; loads
 * and stores that have an order too. A 64-bit compare-and-swap cannot be had of 32-bit ones without
 * a lock. Plain loads may see one half of a number before the other. */
#include "lower/lower_int.h"

struct atomics {
    struct ir_builder b;
    struct ir_module *m;
    uint32_t flags;
};

static struct ir_value *num(struct atomics *x, ir_type t, uint64_t v)
{
    return ir_const(x->m, t, v);
}

static struct ir_value *op2(struct atomics *x, enum ir_op op, struct ir_value *a,
                            struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static void continue_in(struct atomics *x, struct ir_block *b)
{
    x->b.block = b;
    x->b.before = NULL;
}

static struct ir_value *choose(struct atomics *x, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&x->b, IR_OP_select, a->type, c, a, b);
}

/* What stands in memory afterwards. */
static struct ir_value *next_value(struct atomics *x, const struct ir_inst *i, struct ir_value *old)
{
    static const uint8_t plain[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = IR_OP_add,   [IR_RMW_SUB] = IR_OP_sub,   [IR_RMW_AND] = IR_OP_and,
        [IR_RMW_OR] = IR_OP_or,     [IR_RMW_XOR] = IR_OP_xor,   [IR_RMW_UMIN] = IR_OP_umin,
        [IR_RMW_UMAX] = IR_OP_umax, [IR_RMW_SMIN] = IR_OP_smin, [IR_RMW_SMAX] = IR_OP_smax,
        [IR_RMW_FADD] = IR_OP_fadd, [IR_RMW_FMIN] = IR_OP_fmin, [IR_RMW_FMAX] = IR_OP_fmax};
    struct ir_value *v = i->args[1], *zero;
    if (i->op == IR_OP_cas) {
        static const ir_type same[] = {[1] = IR_I8, [2] = IR_I16, [4] = IR_I32, [8] = IR_I64};
        struct ir_value *bits = old, *want = v;
        if (ir_class(old->type) == IR_CLASS_FLOAT) {
            ir_type t = same[ir_bytes(old->type)];
            bits = ir_build1(&x->b, IR_OP_bitcast, t, old);
            want = ir_build1(&x->b, IR_OP_bitcast, t, v);
        }
        return choose(x, ir_build2(&x->b, IR_OP_eq, bits->type, bits, want), i->args[2], old);
    }
    switch ((enum ir_rmw)i->imm) {
    case IR_RMW_XCHG: return v;
    case IR_RMW_INC:
        zero = num(x, i->type, 0);
        return choose(x, ir_build2(&x->b, IR_OP_ule, i->type, v, old), zero,
                      op2(x, IR_OP_add, old, num(x, i->type, 1)));
    case IR_RMW_DEC: {
        struct ir_value *none = ir_build2(&x->b, IR_OP_eq, i->type, old, num(x, i->type, 0));
        struct ir_value *above = ir_build2(&x->b, IR_OP_ult, i->type, v, old);
        return choose(x, ir_build2(&x->b, IR_OP_or, IR_I1, none, above), v,
                      op2(x, IR_OP_sub, old, num(x, i->type, 1)));
    }
    default: return op2(x, (enum ir_op)plain[i->imm], old, v);
    }
}

static struct ir_value *lock_of(struct atomics *x, struct ir_value *p)
{
    if (ir_space(p->type) == IR_SPACE_SHARED)
        return ir_build1(&x->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_SHARED),
                         num(x, IR_I64, LOWER_SHARED_LOCK));
    const ir_type global = IR_PTR_TO(IR_SPACE_GLOBAL);
    struct ir_func *at = ir_func_find(x->m, LOWER_LOCKS);
    if (!at)
        at = ir_func_new(x->m, LOWER_LOCKS, global, 0);
    struct ir_value *n = ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, p);
    n = op2(x, IR_OP_lshr, n, num(x, IR_I64, 1)); /* neighbours have locks of their own */
    n = op2(x, IR_OP_and, n, num(x, IR_I64, 4 * (LOWER_LOCK_COUNT - 1)));
    return ir_build2(&x->b, IR_OP_ptradd, global, ir_build_call(&x->b, at, NULL, 0), n);
}

static void alone(struct atomics *x, struct ir_inst *i)
{
    struct ir_value *old = ir_build_load(&x->b, i->type, i->args[0], 0, 0);
    ir_build_store(&x->b, i->args[0], next_value(x, i, old), 0, 0);
    i->results[0].forward = old;
    ir_remove(i);
}

/* do { if (cas(lock, 0, 1) == 0) { …; lock = 0; done } } while (!done) */
static void under_lock(struct atomics *x, struct ir_inst *i)
{
    const bool shared = ir_space(i->args[0]->type) == IR_SPACE_SHARED;
    uint32_t order = IR_ORDERED(IR_ORDER_ACQ_REL, shared ? IR_SCOPE_BLOCK : IR_SCOPE_DEVICE);
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *loop = ir_block_after(before, "lock"), *mine = ir_block_after(loop, NULL);
    struct ir_block *latch = ir_block_after(mine, NULL);
    const ir_type t = i->op == IR_OP_store ? i->args[1]->type : i->type;
    struct ir_value *done = ir_block_param(latch, IR_I1, NULL),
                    *seen = ir_block_param(latch, t, NULL);
    continue_in(x, before);
    struct ir_value *lock = lock_of(x, i->args[0]);
    ir_build_br(&x->b, loop, NULL, 0);
    continue_in(x, loop);
    struct ir_value *take[3] = {lock, num(x, IR_I32, 0), num(x, IR_I32, 1)};
    struct ir_inst *cas = ir_build(&x->b, IR_OP_cas, IR_I32, take, 3);
    cas->flags = order;
    struct ir_value *got = ir_build2(&x->b, IR_OP_eq, IR_I32, &cas->results[0], num(x, IR_I32, 0));
    struct ir_inst *br = ir_build(&x->b, IR_OP_condbr, IR_VOID, &got, 1);
    struct ir_value *no[2] = {num(x, IR_I1, 0), num(x, t, 0)};
    ir_add_edge(br, mine, NULL, 0, 0);
    ir_add_edge(br, latch, no, 2, 0);
    continue_in(x, mine);
    struct ir_value *old =
        i->op == IR_OP_store ? i->args[1] : ir_build_load(&x->b, t, i->args[0], 0, IR_VOLATILE);
    if (i->op != IR_OP_load)
        ir_build_store(&x->b, i->args[0], i->op == IR_OP_store ? old : next_value(x, i, old), 0,
                       IR_VOLATILE);
    struct ir_value *give[2] = {lock, num(x, IR_I32, 0)};
    struct ir_inst *release = ir_build(&x->b, IR_OP_rmw, IR_I32, give, 2);
    release->imm = IR_RMW_XCHG;
    release->flags = order;
    /* Done, by what the lock held, which no compiler knows: one that knew could move all this
     * behind the loop, where the thread would wait for those of its warp that wait for the lock. */
    struct ir_value *held =
        ir_build2(&x->b, IR_OP_ne, IR_I32, &release->results[0], num(x, IR_I32, 0));
    struct ir_value *yes[2] = {held, old};
    ir_build_br(&x->b, latch, yes, 2);
    continue_in(x, latch);
    ir_build_condbr(&x->b, done, after, loop);
    if (i->nresults)
        i->results[0].forward = seen;
    ir_remove(i);
}

/* word = load; do { new = word with the part replaced } while (cas(word) failed) */
static void by_word(struct atomics *x, struct ir_inst *i)
{
    ir_type part = ir_bits(i->type) == 16 ? IR_I16 : IR_I8;
    uint32_t relaxed = IR_ORDERED(IR_ORDER_RELAXED, ir_scope(i->flags));
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *loop = ir_block_after(before, "swap");
    struct ir_value *word = ir_block_param(loop, IR_I32, NULL);
    continue_in(x, before);
    struct ir_value *address = ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, i->args[0]);
    struct ir_value *byte = op2(x, IR_OP_and, address, num(x, IR_I64, 3));
    struct ir_value *p = ir_build2(&x->b, IR_OP_ptradd, i->args[0]->type, i->args[0],
                                   ir_build1(&x->b, IR_OP_neg, IR_I64, byte));
    struct ir_value *shift = ir_build1(&x->b, IR_OP_trunc, IR_I32, byte);
    shift = op2(x, IR_OP_shl, shift, num(x, IR_I32, 3));
    struct ir_value *hole =
        op2(x, IR_OP_shl, num(x, IR_I32, part == IR_I16 ? 0xffff : 0xff), shift);
    hole = ir_build1(&x->b, IR_OP_not, IR_I32, hole);
    struct ir_value *first = ir_build_load(&x->b, IR_I32, p, 4, relaxed);
    ir_build_br(&x->b, loop, &first, 1);
    continue_in(x, loop);
    struct ir_value *old = ir_build1(&x->b, IR_OP_trunc, part, op2(x, IR_OP_lshr, word, shift));
    if (i->type != part)
        old = ir_build1(&x->b, IR_OP_bitcast, i->type, old);
    struct ir_value *new = next_value(x, i, old);
    if (i->type != part)
        new = ir_build1(&x->b, IR_OP_bitcast, part, new);
    new = op2(x, IR_OP_shl, ir_build1(&x->b, IR_OP_zext, IR_I32, new), shift);
    struct ir_value *args[3] = {p, word, op2(x, IR_OP_or, op2(x, IR_OP_and, word, hole), new)};
    struct ir_inst *cas = ir_build(&x->b, IR_OP_cas, IR_I32, args, 3);
    cas->flags = i->flags;
    struct ir_value *now = &cas->results[0];
    struct ir_value *same = ir_build2(&x->b, IR_OP_eq, IR_I32, now, word);
    struct ir_inst *br = ir_build(&x->b, IR_OP_condbr, IR_VOID, &same, 1);
    ir_add_edge(br, after, NULL, 0, 0);
    ir_add_edge(br, loop, &now, 1, 0);
    i->results[0].forward = old;
    ir_remove(i);
}

static void copy_to(struct atomics *x, struct ir_block *b, const struct ir_inst *i,
                    enum ir_space space, struct ir_block *after)
{
    continue_in(x, b);
    struct ir_value *args[3] = {ir_build1(&x->b, IR_OP_cvta, IR_PTR_TO(space), i->args[0]),
                                i->nargs > 1 ? i->args[1] : NULL, i->nargs > 2 ? i->args[2] : NULL};
    struct ir_inst *c = ir_build(&x->b, (enum ir_op)i->op, i->type, args, i->nargs);
    c->flags = i->flags;
    c->imm = i->imm;
    c->align = i->align;
    struct ir_value *r = i->nresults ? &c->results[0] : NULL;
    ir_build_br(&x->b, after, &r, i->nresults);
}

/* Two copies, for shared memory and the rest; the loop over the blocks meets them later. */
static void ask(struct atomics *x, struct ir_inst *i)
{
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *shared = ir_block_after(before, NULL), *rest = ir_block_after(shared, NULL);
    struct ir_value *result = i->nresults ? ir_block_param(after, i->type, NULL) : NULL;
    continue_in(x, before);
    struct ir_inst *is = ir_build(&x->b, IR_OP_isspace, IR_VOID, i->args, 1);
    is->imm = IR_SPACE_SHARED;
    ir_build_condbr(&x->b, &is->results[0], shared, rest);
    copy_to(x, shared, i, IR_SPACE_SHARED, after);
    copy_to(x, rest, i, IR_SPACE_GLOBAL, after);
    if (result)
        i->results[0].forward = result;
    ir_remove(i);
}

static bool is_access(const struct ir_inst *i, uint32_t flags)
{
    const bool moves = i->op == IR_OP_load || i->op == IR_OP_store;
    return i->op == IR_OP_rmw || i->op == IR_OP_cas ||
           (moves && flags & ATOMICS_WIDE && ir_order(i->flags));
}

void lower_atomics(struct ir_func *f, uint32_t flags)
{
    struct atomics x = {.m = f->module, .flags = flags};
    for (struct ir_block *b = f->first; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i && i->block == b; i = next) {
            next = i->next;
            if (!is_access(i, flags))
                continue;
            x.b = ir_builder_before(i);
            const ir_type t = i->op == IR_OP_store ? i->args[1]->type : i->type;
            enum ir_space space = ir_space(i->args[0]->type);
            bool moves = i->op == IR_OP_load || i->op == IR_OP_store,
                 wide = ir_class(t) == IR_CLASS_PTR || ir_bits(t) == 64;
            if (!moves && space == IR_SPACE_LOCAL && flags & ATOMICS_LOCAL)
                alone(&x, i);
            else if (wide && space == IR_SPACE_SHARED && flags & ATOMICS_SHARED_WIDE)
                under_lock(&x, i);
            else if (wide && space == IR_SPACE_GENERIC && flags & ATOMICS_SHARED_WIDE)
                ask(&x, i);
            else if (wide && space == IR_SPACE_GLOBAL && flags & ATOMICS_WIDE)
                under_lock(&x, i);
            else if (!moves && ir_bits(t) < 32 && flags & ATOMICS_NARROW)
                by_word(&x, i);
        }
    ir_replace_forwarded(f);
}

bool lower_has_shared_lock(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_inttoptr && ir_is_const(i->args[0]) &&
                i->args[0]->u.bits == LOWER_SHARED_LOCK && ir_space(i->type) == IR_SPACE_SHARED)
                return true;
    return false;
}

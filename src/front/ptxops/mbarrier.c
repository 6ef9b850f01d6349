/* mbarrier: barriers in shared memory that count arrivals.
 *
 * The word is opaque in PTX. Ours holds the arrivals still pending in bits 0 to 19, those a phase
 * expects in bits 20 to 39, and counts phases from bit 40 up. An arrival subtracts; the last one of
 * a phase then adds what the next phase expects, and one phase: nobody may arrive for the next
 * phase before he has seen this one end. The state that an arrival gives is the word before it. */
#include "front/ptxops/px_int.h"

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define PHASE_BIT  (2 * COUNT_BITS)

static struct ir_value *wide(struct px *p, uint64_t v)
{
    return px_int(p, IR_I64, v);
}

static struct ir_value *count_operand(struct px *p, struct px_stmt *s, uint32_t i)
{
    return i < s->nops ? px_bits_as(p, px_in(p, &s->ops[i], IR_I32), IR_I64) : wide(p, 1);
}

static struct ir_value *atomic_add(struct px *p, struct ir_value *at, struct ir_value *x)
{
    struct ir_value *args[2] = {at, x};
    struct ir_inst *i = ir_build(&p->b, IR_OP_rmw, IR_I64, args, 2);
    i->imm = IR_RMW_ADD;
    i->flags = IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_BLOCK);
    return &i->results[0];
}

static struct ir_value *phase_of(struct px *p, struct ir_value *w)
{
    return px_op2(p, IR_OP_lshr, w, wide(p, PHASE_BIT));
}

/* n arrive; the word before. */
static struct ir_value *arrive(struct px *p, struct ir_value *at, struct ir_value *n, bool drop,
                               bool may_complete)
{
    struct ir_value *less = px_op1(p, IR_OP_neg, n);
    struct ir_value *dropped = px_op2(p, IR_OP_shl, n, wide(p, COUNT_BITS));
    struct ir_value *old = atomic_add(p, at, drop ? px_op2(p, IR_OP_sub, less, dropped) : less);
    if (!may_complete)
        return old;
    struct ir_value *pending = px_op2(p, IR_OP_and, old, wide(p, COUNT_MASK));
    struct ir_value *last = ir_build2(&p->b, IR_OP_eq, IR_I64, pending, n);
    struct ir_value *next = px_op2(p, IR_OP_lshr, old, wide(p, COUNT_BITS));
    next = px_op2(p, IR_OP_and, next, wide(p, COUNT_MASK));
    if (drop)
        next = px_op2(p, IR_OP_sub, next, n);
    next = px_op2(p, IR_OP_add, next, wide(p, UINT64_C(1) << PHASE_BIT));
    atomic_add(p, at, px_pick(p, last, next, wide(p, 0)));
    return old;
}

static bool wait(struct px *p, struct px_stmt *s, enum ir_space space)
{
    bool parity = px_mod(s, "parity");
    if (s->nops < 3 || s->nops > 4) /* the fourth says how long to try */
        return false;
    struct ir_value *at = px_address(p, &s->ops[1], space);
    struct ir_value *zero = px_int(p, IR_I32, 0);
    ir_build(&p->b, IR_OP_sleep, IR_VOID, &zero, 1); /* programs spin on this: let others run */
    struct ir_value *now = phase_of(
        p, ir_build_load(&p->b, IR_I64, at, 8, IR_ORDERED(IR_ORDER_ACQUIRE, IR_SCOPE_BLOCK)));
    struct ir_value *was = parity ? px_bits_as(p, px_in(p, &s->ops[2], IR_I32), IR_I64)
                                  : phase_of(p, px_in(p, &s->ops[2], IR_I64));
    if (parity)
        now = px_op2(p, IR_OP_and, now, wide(p, 1));
    px_out(p, &s->ops[0], ir_build2(&p->b, IR_OP_ne, IR_I64, now, was));
    return true;
}

bool px_mbarrier(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum ir_space space;
    (void)row;
    static const char *const with_bytes[] = {"expect_tx", "complete_tx"};
    for (unsigned i = 0; i < 2; i++)
        if (px_mod(s, with_bytes[i]))
            return px_refuse(p, s,
                             "barriers that count bytes belong to bulk copies, which are "
                             "not supported");
    if (px_mod(s, "pending_count")) {
        if (s->nops != 2)
            return false;
        struct ir_value *w = px_in(p, &s->ops[1], IR_I64);
        px_out(p, &s->ops[0], px_bits_as(p, px_op2(p, IR_OP_and, w, wide(p, COUNT_MASK)), IR_I32));
        return true;
    }
    px_space_of(s, &space);
    (void)px_mod(s, "release");
    (void)px_mod(s, "acquire");
    (void)px_mod(s, "relaxed");
    (void)px_mod(s, "cta");
    if (px_mod(s, "init") || px_mod(s, "inval")) {
        bool init = px_mod(s, "init");
        if (s->nops != (init ? 2u : 1u))
            return false;
        struct ir_value *n = init ? count_operand(p, s, 1) : wide(p, 0);
        n = px_op2(p, IR_OP_or, n, px_op2(p, IR_OP_shl, n, wide(p, COUNT_BITS)));
        ir_build_store(&p->b, px_address(p, &s->ops[0], space), n, 8,
                       IR_ORDERED(IR_ORDER_RELEASE, IR_SCOPE_BLOCK));
        return true;
    }
    if (px_mod(s, "test_wait") || px_mod(s, "try_wait"))
        return wait(p, s, space);
    bool drop = px_mod(s, "arrive_drop");
    if (!drop && !px_mod(s, "arrive"))
        return false;
    if (s->nops < 2 || s->nops > 3)
        return false;
    struct ir_value *at = px_address(p, &s->ops[1], space);
    px_out(p, &s->ops[0], arrive(p, at, count_operand(p, s, 2), drop, !px_mod(s, "noComplete")));
    return true;
}

/* cp.async.mbarrier.arrive: the copies are done at once, then this arrives; without .noinc the
 * arrival was not among those expected, and is added to them before it is taken away. */
bool px_mbarrier_copies(struct px *p, struct px_stmt *s)
{
    enum ir_space space;
    if (s->nops != 1 || !px_mod(s, "arrive"))
        return false;
    bool expected = px_mod(s, "noinc");
    px_space_of(s, &space);
    ir_build(&p->b, IR_OP_cpasync_commit, IR_VOID, NULL, 0);
    ir_build(&p->b, IR_OP_cpasync_wait, IR_VOID, NULL, 0)->imm = UINT64_MAX;
    if (expected)
        arrive(p, px_address(p, &s->ops[0], space), wide(p, 1), false, true);
    return true;
}

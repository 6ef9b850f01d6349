/* mbarrier: barriers in shared memory that count arrivals and bytes. */
#include <string.h>
#include "front/ptxops/px_int.h"
#include "ir/async.h"

static struct ir_value *number(struct px *p, const struct px_operand *o)
{
    return px_in(p, o, IR_I32);
}

static struct ir_inst *put(struct px *p, enum ir_op op, struct ir_value *at, struct ir_value *x,
                           struct ir_value *y)
{
    struct ir_value *args[3] = {at, x, y};
    return ir_build(&p->b, op, IR_VOID, args, 1u + (x != NULL) + (y != NULL));
}

/* Who is told of it: acquire and release in the block unless it says otherwise. */
static uint64_t ordering(struct px_stmt *s)
{
    (void)px_mod(s, "release");
    (void)px_mod(s, "acquire");
    (void)px_mod(s, "cta");
    return (px_mod(s, "cluster") ? IR_MBAR_CLUSTER : 0u) |
           (px_mod(s, "relaxed") ? IR_MBAR_RELAXED : 0u);
}

static bool wait(struct px *p, struct px_stmt *s, enum ir_space space)
{
    const bool parity = px_mod(s, "parity"), try = px_mod(s, "try_wait");
    if (s->nops < 3 || s->nops > 4) /* the fourth says how long to try */
        return false;
    struct ir_value *was = parity ? ir_build1(&p->b, IR_OP_zext, IR_I64, number(p, &s->ops[2]))
                                  : px_in(p, &s->ops[2], IR_I64);
    struct ir_inst *i = put(p, IR_OP_mbar_wait, px_address(p, &s->ops[1], space), was, NULL);
    i->imm = ordering(s) | (parity ? IR_MBAR_PARITY : 0u) | (try ? IR_MBAR_TRY : 0u);
    px_out(p, &s->ops[0], &i->results[0]);
    return true;
}

static bool start(struct px *p, struct px_stmt *s, enum ir_space space, bool init)
{
    if (s->nops != (init ? 2u : 1u))
        return false;
    put(p, init ? IR_OP_mbar_init : IR_OP_mbar_inval, px_address(p, &s->ops[0], space),
        init ? number(p, &s->ops[1]) : NULL, NULL);
    return true;
}

/* Without a state where the barrier may be another block's: arrive _, [b] or arrive [b] */
static bool arrive(struct px *p, struct px_stmt *s, enum ir_space space, bool drop, bool remote)
{
    const bool expects = px_mod(s, "expect_tx"), incomplete = px_mod(s, "noComplete");
    const uint32_t first = s->nops && s->ops[0].kind == PO_ADDRESS ? 0 : 1;
    if (s->nops < first + (expects ? 2u : 1u) || s->nops > first + 2)
        return false;
    const bool more = s->nops == first + 2;
    struct ir_value *zero = px_int(p, IR_I32, 0), *one = px_int(p, IR_I32, 1);
    struct ir_value *at = px_address(p, &s->ops[first], space);
    struct ir_value *n = more ? number(p, &s->ops[first + 1]) : one;
    struct ir_inst *i = put(p, IR_OP_mbar_arrive, at, expects ? one : n, expects ? n : zero);
    i->imm = ordering(s) | (drop ? IR_MBAR_DROP : 0u) | (expects ? IR_MBAR_EXPECT : 0u) |
             (incomplete ? IR_MBAR_NO_COMPLETE : 0u) | (remote ? IR_MBAR_REMOTE : 0u);
    if (first)
        px_out(p, &s->ops[0], &i->results[0]);
    return !remote || !first || s->ops[0].kind == PO_SINK;
}

bool px_mbarrier(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum ir_space space;
    (void)row;
    if (s->ntypes != 1 || !px_type_in(s->types[0], PX_B64))
        return false;
    if (px_mod(s, "pending_count")) {
        if (s->nops != 2)
            return false;
        struct ir_value *w = px_in(p, &s->ops[1], IR_I64);
        struct ir_inst *i = ir_build(&p->b, IR_OP_mbar_pending, IR_VOID, &w, 1);
        px_out(p, &s->ops[0], &i->results[0]);
        return true;
    }
    const bool remote = px_mod(s, "shared::cluster");
    px_space_of(s, &space);
    bool init = px_mod(s, "init");
    if (init || px_mod(s, "inval"))
        return start(p, s, space, init);
    if (px_mod(s, "test_wait") || px_mod(s, "try_wait"))
        return wait(p, s, space);
    bool drop = px_mod(s, "arrive_drop");
    if (drop || px_mod(s, "arrive"))
        return arrive(p, s, space, drop, remote);
    bool completes = px_mod(s, "complete_tx");
    if ((!completes && !px_mod(s, "expect_tx")) || s->nops != 2)
        return false;
    put(p, IR_OP_mbar_tx, px_address(p, &s->ops[0], space), number(p, &s->ops[1]), NULL)->imm =
        ordering(s) | (completes ? IR_MBAR_COMPLETE : 0u) | (remote ? IR_MBAR_REMOTE : 0u);
    return true;
}

/* cp.async.mbarrier.arrive: without .noinc the arrival is not among those expected. */
bool px_mbarrier_copies(struct px *p, struct px_stmt *s)
{
    enum ir_space space;
    if (s->nops != 1 || !px_mod(s, "arrive"))
        return false;
    bool expected = px_mod(s, "noinc");
    px_space_of(s, &space);
    put(p, IR_OP_mbar_copies, px_address(p, &s->ops[0], space), NULL, NULL)->imm =
        expected ? IR_MBAR_NO_INC : 0;
    return true;
}

bool px_mbarrier_told(struct px *p, struct px_stmt *s, uint32_t which, uint32_t bytes)
{
    ir_build(&p->b, IR_OP_fence, IR_VOID, NULL, 0)->flags =
        IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_DEVICE);
    put(p, IR_OP_mbar_tx, px_address(p, &s->ops[which], IR_SPACE_SHARED), px_int(p, IR_I32, bytes),
        NULL)
        ->imm = IR_MBAR_CLUSTER | IR_MBAR_RELAXED | IR_MBAR_COMPLETE | IR_MBAR_REMOTE;
    return true;
}

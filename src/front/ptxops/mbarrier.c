/* mbarrier: barriers in shared memory that count arrivals and bytes; and bulk copies, which give
 * them the bytes.
 *
 * The word is opaque in PTX. Ours holds the arrivals still pending in bits 0 to 19, those a phase
 * expects in bits 20 to 39, the bytes still expected in bits 40 to 61, plus a bias, since they may
 * come before they are expected, and counts phases in bits 62 and 63: nobody asks for one that is
 * further away than the last. What changes a count adds to the word; he who leaves no arrival and
 * no byte then adds what the next phase expects, and one phase: nobody may arrive for the next
 * phase before he has seen this one end. The state that an arrival gives is the word before it.
 *
 * Clusters have one block: its barriers are the cluster's. */
#include <string.h>
#include "front/ptxops/px_int.h"

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_BIT  (2 * COUNT_BITS)
#define PHASE_BIT  62
#define BYTES_MASK ((UINT64_C(1) << PHASE_BIT) - (UINT64_C(1) << BYTES_BIT))
#define NO_BYTES   (UINT64_C(1) << (PHASE_BIT - 1)) /* the bias */

static struct ir_value *wide(struct px *p, uint64_t v)
{
    return px_int(p, IR_I64, v);
}

static struct ir_value *number(struct px *p, const struct px_operand *o)
{
    return px_bits_as(p, px_in(p, o, IR_I32), IR_I64);
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

/* Adds to the counts, and ends the phase where nothing is left; the word before. */
static struct ir_value *change(struct px *p, struct ir_value *at, struct ir_value *by,
                               bool may_complete)
{
    struct ir_value *old = atomic_add(p, at, by);
    if (!may_complete)
        return old;
    struct ir_value *now = px_op2(p, IR_OP_add, old, by);
    struct ir_value *left = px_op2(p, IR_OP_and, now, wide(p, COUNT_MASK | BYTES_MASK));
    struct ir_value *done = ir_build2(&p->b, IR_OP_eq, IR_I64, left, wide(p, NO_BYTES));
    /* no byte more or less: somebody else has ended it */
    struct ir_value *some = ir_build2(&p->b, IR_OP_ne, IR_I64, by, wide(p, 0));
    struct ir_value *next = px_op2(p, IR_OP_lshr, now, wide(p, COUNT_BITS));
    next = px_op2(p, IR_OP_and, next, wide(p, COUNT_MASK));
    next = px_op2(p, IR_OP_add, next, wide(p, UINT64_C(1) << PHASE_BIT));
    atomic_add(p, at, px_pick(p, px_op2(p, IR_OP_and, done, some), next, wide(p, 0)));
    return old;
}

static struct ir_value *bytes(struct px *p, struct ir_value *n, bool fewer)
{
    n = px_op2(p, IR_OP_shl, n, wide(p, BYTES_BIT));
    return fewer ? px_op1(p, IR_OP_neg, n) : n;
}

static struct ir_value *arrivals(struct px *p, struct ir_value *n, bool drop)
{
    struct ir_value *less = px_op1(p, IR_OP_neg, n);
    return drop ? px_op2(p, IR_OP_sub, less, px_op2(p, IR_OP_shl, n, wide(p, COUNT_BITS))) : less;
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
    struct ir_value *was =
        parity ? number(p, &s->ops[2]) : phase_of(p, px_in(p, &s->ops[2], IR_I64));
    if (parity)
        now = px_op2(p, IR_OP_and, now, wide(p, 1));
    px_out(p, &s->ops[0], ir_build2(&p->b, IR_OP_ne, IR_I64, now, was));
    return true;
}

static bool start(struct px *p, struct px_stmt *s, enum ir_space space, bool init)
{
    if (s->nops != (init ? 2u : 1u))
        return false;
    struct ir_value *w = wide(p, 0);
    if (init) {
        struct ir_value *n = number(p, &s->ops[1]);
        w = px_op2(p, IR_OP_or, n, px_op2(p, IR_OP_shl, n, wide(p, COUNT_BITS)));
        w = px_op2(p, IR_OP_or, w, wide(p, NO_BYTES));
    }
    ir_build_store(&p->b, px_address(p, &s->ops[0], space), w, 8,
                   IR_ORDERED(IR_ORDER_RELEASE, IR_SCOPE_BLOCK));
    return true;
}

static bool arrive(struct px *p, struct px_stmt *s, enum ir_space space, bool drop)
{
    const bool expects = px_mod(s, "expect_tx"), complete = !px_mod(s, "noComplete");
    if (s->nops < (expects ? 3u : 2u) || s->nops > 3)
        return false;
    struct ir_value *n = s->nops == 3 && !expects ? number(p, &s->ops[2]) : wide(p, 1);
    struct ir_value *by = arrivals(p, n, drop);
    if (expects)
        by = px_op2(p, IR_OP_add, by, bytes(p, number(p, &s->ops[2]), false));
    px_out(p, &s->ops[0], change(p, px_address(p, &s->ops[1], space), by, complete));
    return true;
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
        px_out(p, &s->ops[0], px_bits_as(p, px_op2(p, IR_OP_and, w, wide(p, COUNT_MASK)), IR_I32));
        return true;
    }
    px_space_of(s, &space);
    static const char *const said[] = {"release", "acquire", "relaxed", "cta", "cluster"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        (void)px_mod(s, said[i]); /* never weaker than asked for */
    bool init = px_mod(s, "init");
    if (init || px_mod(s, "inval"))
        return start(p, s, space, init);
    if (px_mod(s, "test_wait") || px_mod(s, "try_wait"))
        return wait(p, s, space);
    bool drop = px_mod(s, "arrive_drop");
    if (drop || px_mod(s, "arrive"))
        return arrive(p, s, space, drop);
    bool completes = px_mod(s, "complete_tx");
    if ((!completes && !px_mod(s, "expect_tx")) || s->nops != 2)
        return false;
    change(p, px_address(p, &s->ops[0], space), bytes(p, number(p, &s->ops[1]), completes), true);
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
        change(p, px_address(p, &s->ops[0], space), arrivals(p, wide(p, 1), false), true);
    return true;
}

/* ---- bulk copies ---- */

/* n bytes, 16 at a time, by this thread, at once: that is soon enough for whoever waits. */
static void copy(struct px *p, struct ir_value *to, struct ir_value *from, struct ir_value *n)
{
    struct px_var *done = px_new_var(p, "copied", IR_I64);
    struct ir_value *token = px_split(p);
    struct ir_block *head = px_block(p, "copy", 2), *body = px_block(p, "bytes", 1),
                    *after = px_block(p, "copied", 1);
    px_write(p, done, wide(p, 0));
    px_br(p, head);
    px_start(p, head);
    struct ir_value *at = px_read(p, done);
    px_condbr(p, ir_build2(&p->b, IR_OP_ult, IR_I64, at, n), body, after);
    px_start(p, body);
    struct ir_value *word[2];
    for (unsigned k = 0; k < 2; k++)
        word[k] = ir_build_load(&p->b, IR_I64,
                                ir_build2(&p->b, IR_OP_ptradd, from->type, from,
                                          px_op2(p, IR_OP_add, at, wide(p, (uint64_t)8 * k))),
                                8, 0);
    for (unsigned k = 0; k < 2; k++)
        ir_build_store(&p->b,
                       ir_build2(&p->b, IR_OP_ptradd, to->type, to,
                                 px_op2(p, IR_OP_add, at, wide(p, (uint64_t)8 * k))),
                       word[k], 8, 0);
    px_write(p, done, px_op2(p, IR_OP_add, at, wide(p, 16)));
    px_br(p, head);
    px_start(p, after);
    px_join(p, token);
}

/* The space of the n-th word that names one. */
static bool space_at(const struct px_stmt *s, unsigned n, enum ir_space *space)
{
    for (uint32_t i = 0; i < s->nmods; i++) {
        bool shared = !strcmp(s->mods[i], "shared::cluster") || !strcmp(s->mods[i], "shared::cta");
        if (!shared && strcmp(s->mods[i], "global"))
            continue;
        *space = shared ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
        if (!n--)
            return true;
    }
    return false;
}

/* cp.async.bulk.DST.SRC.{mbarrier::complete_tx::bytes, bulk_group} [dst], [src], size{, [mbar]} */
bool px_bulk_copy(struct px *p, struct px_stmt *s)
{
    if (px_mod(s, "tensor"))
        return px_refuse(p, s, "copies by tensor maps are not supported");
    if (px_mod(s, "multicast::cluster"))
        return px_refuse(p, s, "copies to several blocks of a cluster are not supported");
    if (s->ntypes)
        return false;
    if (px_mod(s, "commit_group"))
        return !s->nops;
    if (px_mod(s, "wait_group")) {
        (void)px_mod(s, "read");
        return s->nops == 1 && s->ops[0].kind == PO_INT;
    }
    if (px_mod(s, "prefetch"))
        return px_mod(s, "L2") && px_mod(s, "global") &&
               s->nops == 2u + px_mod(s, "L2::cache_hint");
    const bool counted = px_mod(s, "mbarrier::complete_tx::bytes");
    enum ir_space to, from;
    if (!counted && !px_mod(s, "bulk_group"))
        return false;
    if (s->nops != (counted ? 4u : 3u) + px_mod(s, "L2::cache_hint") || !space_at(s, 0, &to) ||
        !space_at(s, 1, &from) || (counted ? to != IR_SPACE_SHARED : to != IR_SPACE_GLOBAL))
        return false;
    (void)px_mod(s, "shared::cluster");
    (void)px_mod(s, "shared::cta");
    (void)px_mod(s, "global");
    struct ir_value *n = number(p, &s->ops[2]);
    copy(p, px_address(p, &s->ops[0], to), px_address(p, &s->ops[1], from), n);
    if (counted)
        change(p, px_address(p, &s->ops[3], IR_SPACE_SHARED), bytes(p, n, true), true);
    return true;
}

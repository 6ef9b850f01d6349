/* What threads do together: barriers and warp operations; and traps. */
#include <string.h>
#include "front/ptxops/px_int.h"

static struct ir_value *number(struct px *p, struct px_stmt *s, uint32_t i, uint64_t none)
{
    return i < s->nops ? px_in(p, &s->ops[i], IR_I32) : px_int(p, IR_I32, none);
}

bool px_barrier(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    (void)px_mod(s, "cta");
    if (px_mod(s, "cluster")) {
        const bool wait = px_mod(s, "wait"), arrive = px_mod(s, "arrive");
        const bool relaxed = !px_mod(s, wait ? "acquire" : "release") && px_mod(s, "relaxed");
        ir_build(&p->b, IR_OP_cluster_barrier, IR_VOID, NULL, 0)->imm = wait ? 2 : relaxed ? 1 : 0;
        return wait != arrive && !(wait && relaxed) && !s->nops && !s->ntypes;
    }
    if (px_mod(s, "warp")) {
        struct ir_value *mask = number(p, s, 0, UINT32_MAX);
        ir_build(&p->b, IR_OP_warpsync, IR_VOID, &mask, 1);
        return s->nops == 1 && !s->ntypes;
    }
    if (px_mod(s, "red")) { /* d, a[, b], p */
        if (s->nops < 3 || s->nops > 4 || s->ntypes != 1 ||
            !px_type_in(s->types[0], px_mod(s, "popc") ? PX_U32 : PX_PRED))
            return false;
        struct ir_value *args[3] = {px_in(p, &s->ops[1], IR_I32),
                                    s->nops == 4 ? px_in(p, &s->ops[2], IR_I32)
                                                 : px_int(p, IR_I32, 0),
                                    px_in(p, &s->ops[s->nops - 1], IR_I1)};
        struct ir_inst *i = ir_build(&p->b, IR_OP_barrier_red, IR_VOID, args, 3);
        i->imm = px_mod(s, "popc") ? 0 : px_mod(s, "and") ? 1 : px_mod(s, "or") ? 2 : 3;
        struct ir_value *r = &i->results[0];
        if (i->imm == 3)
            return false;
        if (i->imm)
            r = ir_build2(&p->b, IR_OP_ne, IR_I32, r, px_int(p, IR_I32, 0));
        px_out(p, &s->ops[0], r);
        return true;
    }
    struct ir_value *args[2] = {number(p, s, 0, 0), number(p, s, 1, 0)};
    bool arrive = px_mod(s, "arrive");
    if (!arrive && !px_mod(s, "sync"))
        return false;
    ir_build(&p->b, arrive ? IR_OP_barrier_arrive : IR_OP_barrier, IR_VOID, args, 2);
    return s->nops >= (arrive ? 2u : 1u) && s->nops <= 2 && !s->ntypes;
}

/* The threads that take part; before .sync those that come together. */
static struct ir_value *members(struct px *p, struct px_stmt *s, uint32_t i)
{
    return i < s->nops ? px_in(p, &s->ops[i], IR_I32)
                       : &ir_build(&p->b, IR_OP_activemask, IR_VOID, NULL, 0)->results[0];
}

bool px_shfl(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != (px_mod(s, "sync") ? 5 : 4) || s->ntypes != 1 ||
        !px_type_in(s->types[0], PX_B32))
        return false;
    int mode = px_mod(s, "idx")    ? IR_SHFL_IDX
               : px_mod(s, "up")   ? IR_SHFL_UP
               : px_mod(s, "down") ? IR_SHFL_DOWN
               : px_mod(s, "bfly") ? IR_SHFL_XOR
                                   : -1;
    if (mode < 0)
        return false;
    struct ir_value *args[4] = {members(p, s, 4), px_in(p, &s->ops[1], IR_I32),
                                px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[3], IR_I32)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_shfl, IR_I32, args, 4);
    i->imm = (uint64_t)mode;
    px_out(p, &s->ops[0], &i->results[0]);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, &i->results[1]);
    return true;
}

bool px_vote(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != (px_mod(s, "sync") ? 3 : 2))
        return false;
    int mode = px_mod(s, "any")      ? IR_VOTE_ANY
               : px_mod(s, "all")    ? IR_VOTE_ALL
               : px_mod(s, "uni")    ? IR_VOTE_UNI
               : px_mod(s, "ballot") ? IR_VOTE_BALLOT
                                     : -1;
    if (mode < 0 || s->ntypes != 1 ||
        !px_type_in(s->types[0], mode == IR_VOTE_BALLOT ? PX_B32 : PX_PRED))
        return false;
    struct ir_value *args[2] = {members(p, s, 2), px_in(p, &s->ops[1], IR_I1)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_vote, IR_VOID, args, 2);
    i->imm = (uint64_t)mode;
    struct ir_value *r = &i->results[0];
    if (mode != IR_VOTE_BALLOT)
        r = ir_build2(&p->b, IR_OP_ne, IR_I32, r, px_int(p, IR_I32, 0));
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_match(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 3 || s->ntypes != 1 || !px_type_in(s->types[0], PX_B32 | PX_B64))
        return false;
    ir_type t = px_ir_type(s->types[0]);
    bool all = px_mod(s, "all");
    if (!all && !px_mod(s, "any"))
        return false;
    struct ir_value *args[2] = {px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[1], t)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_match, t, args, 2);
    i->imm = all;
    px_out(p, &s->ops[0], &i->results[0]);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, &i->results[1]);
    return true;
}

bool px_redux(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 3 || s->ntypes != 1 || s->types[0].bits != 32 || s->types[0].letter == 'f')
        return false;
    bool sign = s->types[0].letter == 's';
    int kind = px_mod(s, "add")   ? IR_RMW_ADD
               : px_mod(s, "min") ? (sign ? IR_RMW_SMIN : IR_RMW_UMIN)
               : px_mod(s, "max") ? (sign ? IR_RMW_SMAX : IR_RMW_UMAX)
               : px_mod(s, "and") ? IR_RMW_AND
               : px_mod(s, "or")  ? IR_RMW_OR
               : px_mod(s, "xor") ? IR_RMW_XOR
                                  : -1;
    if (kind < 0)
        return false;
    struct ir_value *args[2] = {px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[1], IR_I32)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_redux, IR_VOID, args, 2);
    i->imm = (uint64_t)kind;
    px_out(p, &s->ops[0], &i->results[0]);
    return true;
}

bool px_activemask(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 1 || s->ntypes != 1 || !px_type_in(s->types[0], PX_B32))
        return false;
    px_out(p, &s->ops[0], &ir_build(&p->b, IR_OP_activemask, IR_VOID, NULL, 0)->results[0]);
    return true;
}

/* The lowest lane of the mask is the leader. */
bool px_elect(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 2 || s->ntypes)
        return false;
    struct ir_builder *b = &p->b;
    struct ir_value *mask = px_in(p, &s->ops[1], IR_I32);
    ir_build(b, IR_OP_warpsync, IR_VOID, &mask, 1);
    struct ir_value *low = ir_build1(b, IR_OP_clz, IR_I32, ir_build1(b, IR_OP_brev, IR_I32, mask));
    struct ir_value *me = ir_build0(b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, ir_build2(b, IR_OP_eq, IR_I32, me, low));
    px_out(p, &s->ops[0], low);
    return true;
}

bool px_nanosleep(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 1 || s->ntypes != 1 || !px_type_in(s->types[0], PX_U32))
        return false;
    struct ir_value *n = px_in(p, &s->ops[0], IR_I32);
    ir_build(&p->b, IR_OP_sleep, IR_VOID, &n, 1);
    return true;
}

bool px_trap(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops || s->ntypes)
        return false;
    ir_build(&p->b, IR_OP_trap, IR_VOID, NULL, 0);
    return true;
}

/* ---- refused by name: what needs more than the threads of a warp ---- */
bool px_warpgroup(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return px_refuse(p, s, "matrix operations of warp groups are not supported");
}

bool px_tensormap(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return px_refuse(p, s, "tensor maps are not supported");
}

bool px_multimem(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    return px_refuse(p, s, "memory of several devices at one address is not supported");
}

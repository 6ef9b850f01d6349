/* What threads do together: barriers, warp operations, matrices; and traps. */
#include <string.h>
#include "front/ptx/ptx_int.h"

static struct ir_value *number(struct ptx *p, struct px_stmt *s, uint32_t i, uint64_t none)
{
    return i < s->nops ? px_in(p, &s->ops[i], IR_I32) : px_int(p, IR_I32, none);
}

bool px_barrier(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    (void)px_mod(s, "cta");
    if (px_mod(s, "warp")) {
        struct ir_value *mask = number(p, s, 0, UINT32_MAX);
        ir_build(&p->b, IR_OP_warpsync, IR_VOID, &mask, 1);
        return s->nops == 1;
    }
    if (px_mod(s, "red")) { /* d, a[, b], p */
        if (s->nops < 3 || s->nops > 4)
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
    ir_build(&p->b, arrive ? IR_OP_barrier_arrive : IR_OP_barrier, IR_VOID, args, 2);
    return s->nops >= 1 && s->nops <= 2;
}

bool px_shfl(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 5)
        return false;
    int mode = px_mod(s, "idx")    ? IR_SHFL_IDX
               : px_mod(s, "up")   ? IR_SHFL_UP
               : px_mod(s, "down") ? IR_SHFL_DOWN
               : px_mod(s, "bfly") ? IR_SHFL_XOR
                                   : -1;
    if (mode < 0)
        return false;
    struct ir_value *args[4] = {px_in(p, &s->ops[4], IR_I32), px_in(p, &s->ops[1], IR_I32),
                                px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[3], IR_I32)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_shfl, IR_I32, args, 4);
    i->imm = (uint64_t)mode;
    px_out(p, &s->ops[0], &i->results[0]);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, &i->results[1]);
    return true;
}

bool px_vote(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 3)
        return false;
    int mode = px_mod(s, "any")      ? IR_VOTE_ANY
               : px_mod(s, "all")    ? IR_VOTE_ALL
               : px_mod(s, "uni")    ? IR_VOTE_UNI
               : px_mod(s, "ballot") ? IR_VOTE_BALLOT
                                     : -1;
    if (mode < 0)
        return false;
    struct ir_value *args[2] = {px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[1], IR_I1)};
    struct ir_inst *i = ir_build(&p->b, IR_OP_vote, IR_VOID, args, 2);
    i->imm = (uint64_t)mode;
    struct ir_value *r = &i->results[0];
    if (mode != IR_VOTE_BALLOT)
        r = ir_build2(&p->b, IR_OP_ne, IR_I32, r, px_int(p, IR_I32, 0));
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_match(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 3 || s->ntypes != 1)
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

bool px_redux(struct ptx *p, struct px_stmt *s, const struct px_row *row)
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

bool px_activemask(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 1)
        return false;
    px_out(p, &s->ops[0], &ir_build(&p->b, IR_OP_activemask, IR_VOID, NULL, 0)->results[0]);
    return true;
}

/* The lowest lane of the mask is the leader. */
bool px_elect(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 2)
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

static const struct shape {
    const char *shape;
    const char *in, *out; /* element types of A and B, of C and D */
    unsigned na, nb, nc;
} shapes[] = {
#define IR_MMA(NAME, text, m, n, k, ab, cd, na, nb, nc, sm)                                        \
    {"m" #m "n" #n "k" #k, #ab, #cd, na, nb, nc},
#include "ir/mma.def"
};

static bool names_type(const struct px_type t, const char *upper)
{
    static const struct {
        const char *name;
        char letter;
        unsigned bits;
    } all[] = {{"F16", 'f', 16}, {"BF16", 'h', 16}, {"F32", 'f', 32}, {"TF32", 't', 32},
               {"F64", 'f', 64}, {"S8", 's', 8},    {"U8", 'u', 8},   {"S32", 's', 32}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, upper))
            return t.letter == all[i].letter && t.bits == all[i].bits;
    return false;
}

bool px_mma(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 4 || s->ntypes != 4)
        return false;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape *h = &shapes[k];
        if (!names_type(s->types[0], h->out) || !names_type(s->types[1], h->in) ||
            !names_type(s->types[2], h->in) || !names_type(s->types[3], h->out) ||
            !px_mod(s, h->shape))
            continue;
        if (!px_mod(s, "row") || !px_mod(s, "col"))
            return false;
        ir_type ab = s->types[1].bits == 64 ? IR_F64 : IR_I32;
        ir_type cd = s->types[0].bits == 64                                ? IR_F64
                     : s->types[0].bits == 32 && s->types[0].letter == 'f' ? IR_F32
                                                                           : IR_I32;
        struct ir_value *args[16];
        ir_type results[8];
        uint32_t n = 0;
        const unsigned counts[4] = {h->nc, h->na, h->nb, h->nc};
        for (unsigned o = 0; o < 4; o++) {
            struct px_operand *v = &s->ops[o];
            if ((v->kind == PO_VECTOR ? v->nitems : 1) != counts[o])
                return false;
            for (unsigned i = 0; i < counts[o] && o; i++)
                args[n++] = px_in(p, v->kind == PO_VECTOR ? &v->items[i] : v, o == 3 ? cd : ab);
        }
        for (unsigned i = 0; i < h->nc; i++)
            results[i] = cd;
        struct ir_inst *m = ir_build_results(&p->b, IR_OP_mma, IR_VOID, args, n, results, h->nc);
        m->imm = k;
        for (unsigned i = 0; i < h->nc; i++)
            px_out(p, s->ops[0].kind == PO_VECTOR ? &s->ops[0].items[i] : &s->ops[0],
                   &m->results[i]);
        return true;
    }
    return false;
}

bool px_nanosleep(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 1)
        return false;
    struct ir_value *n = px_in(p, &s->ops[0], IR_I32);
    ir_build(&p->b, IR_OP_sleep, IR_VOID, &n, 1);
    return true;
}

bool px_trap(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    (void)s;
    ir_build(&p->b, IR_OP_trap, IR_VOID, NULL, 0);
    return true;
}

/* match and redux → ballots, one for each bit: for targets whose warps can vote and no more.
 *
 * A ballot tells every lane what one bit is in all of them, so that each can do the rest alone. */
#include "lower/lower_int.h"

struct ballots {
    struct ir_builder b;
    struct ir_module *m;
    struct ir_value *mask;
};

static struct ir_value *word(struct ballots *x, uint32_t v)
{
    return ir_const(x->m, IR_I32, v);
}

static struct ir_value *op2(struct ballots *x, enum ir_op op, struct ir_value *a,
                            struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *choose(struct ballots *x, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&x->b, IR_OP_select, a->type, c, a, b);
}

static struct ir_value *ballot(struct ballots *x, struct ir_value *yes)
{
    struct ir_value *args[2] = {x->mask, yes};
    struct ir_inst *i = ir_build(&x->b, IR_OP_vote, IR_VOID, args, 2);
    i->imm = IR_VOTE_BALLOT;
    return &i->results[0];
}

static struct ir_value *bit_of(struct ballots *x, struct ir_value *v, unsigned bit)
{
    struct ir_value *one = op2(x, IR_OP_and, v, ir_const(x->m, v->type, UINT64_C(1) << bit));
    return ir_build2(&x->b, IR_OP_ne, v->type, one, ir_const(x->m, v->type, 0));
}

static struct ir_value *as_integer(struct ballots *x, struct ir_value *v)
{
    static const ir_type same[] = {[1] = IR_I8, [2] = IR_I16, [4] = IR_I32, [8] = IR_I64};
    if (ir_class(v->type) == IR_CLASS_PTR)
        return ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, v);
    if (ir_kind(v->type) == IR_I1)
        return ir_build1(&x->b, IR_OP_zext, IR_I8, v);
    if (ir_class(v->type) == IR_CLASS_FLOAT)
        return ir_build1(&x->b, IR_OP_bitcast, same[ir_bytes(v->type)], v);
    return v;
}

static void match(struct ballots *x, struct ir_inst *i)
{
    struct ir_value *v = as_integer(x, i->args[1]);
    struct ir_value *here = ballot(x, ir_const(x->m, IR_I1, 1)), *same = here;
    for (unsigned bit = 0; bit < ir_bits(v->type); bit++) {
        struct ir_value *mine = bit_of(x, v, bit), *all = ballot(x, mine);
        same =
            op2(x, IR_OP_and, same, choose(x, mine, all, ir_build1(&x->b, IR_OP_not, IR_I32, all)));
    }
    struct ir_value *agree = ir_build2(&x->b, IR_OP_eq, IR_I32, same, here);
    i->results[0].forward = i->imm ? choose(x, agree, same, word(x, 0)) : same;
    i->results[1].forward = agree;
}

/* The largest in `here`, found from the top bit down; the smallest is that of the complements. */
static struct ir_value *largest(struct ballots *x, struct ir_value *v, struct ir_value *here)
{
    struct ir_value *left = here, *r = word(x, 0), *zero = r;
    for (unsigned bit = 32; bit-- > 0;) {
        struct ir_value *those = op2(x, IR_OP_and, ballot(x, bit_of(x, v, bit)), left);
        struct ir_value *any = ir_build2(&x->b, IR_OP_ne, IR_I32, those, zero);
        left = choose(x, any, those, left);
        r = op2(x, IR_OP_or, r, choose(x, any, word(x, UINT32_C(1) << bit), zero));
    }
    return r;
}

static struct ir_value *bitwise(struct ballots *x, enum ir_rmw kind, struct ir_value *v,
                                struct ir_value *here)
{
    struct ir_value *r = word(x, 0), *zero = r;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct ir_value *yes = op2(x, IR_OP_and, ballot(x, bit_of(x, v, bit)), here), *one;
        if (kind == IR_RMW_ADD) {
            one = ir_build1(&x->b, IR_OP_popc, IR_I32, yes);
            r = op2(x, IR_OP_add, r, op2(x, IR_OP_shl, one, word(x, bit)));
            continue;
        }
        if (kind == IR_RMW_XOR)
            one = bit_of(x, ir_build1(&x->b, IR_OP_popc, IR_I32, yes), 0);
        else
            one = ir_build2(&x->b, kind == IR_RMW_AND ? IR_OP_eq : IR_OP_ne, IR_I32, yes,
                            kind == IR_RMW_AND ? here : zero);
        r = op2(x, IR_OP_or, r, choose(x, one, word(x, UINT32_C(1) << bit), zero));
    }
    return r;
}

static void redux(struct ballots *x, struct ir_inst *i)
{
    struct ir_value *v = i->args[1], *here = ballot(x, ir_const(x->m, IR_I1, 1)), *turn;
    switch ((enum ir_rmw)i->imm) {
    case IR_RMW_UMIN: turn = word(x, UINT32_MAX); break;
    case IR_RMW_UMAX: turn = word(x, 0); break;
    case IR_RMW_SMIN: turn = word(x, INT32_MAX); break;
    case IR_RMW_SMAX: turn = word(x, UINT32_C(1) << 31); break;
    default: i->results[0].forward = bitwise(x, (enum ir_rmw)i->imm, v, here); return;
    }
    i->results[0].forward = op2(x, IR_OP_xor, largest(x, op2(x, IR_OP_xor, v, turn), here), turn);
}

bool lower_ballots(struct ir_func *f, bool sums)
{
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_match && i->op != IR_OP_redux)
                continue;
            if (i->op == IR_OP_redux && sums && ir_is_full_mask(i->args[0]))
                continue;
            struct ballots x = {ir_builder_before(i), f->module, i->args[0]};
            x.b.span = i->span;
            (i->op == IR_OP_match ? match : redux)(&x, i);
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

/* One atomic operation for all lanes that do the same at one address.
 *
 * Memory takes the lanes of a warp that meet at one address one after another. So the last of those
 * that run does it alone, with what all of them bring: their number times what each adds, where
 * that is alike, else REDUX. Who asks what was there gets it from that lane, and as much more as
 * the lanes before it have added. */
#include "back/sass/sass_int.h"

enum { SR_LANES_BELOW = 0x39 };
enum { REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_NONE };

static unsigned redux_of(enum ir_rmw kind)
{
    switch (kind) {
    case IR_RMW_ADD:
    case IR_RMW_SUB: return REDUX_ADD;
    case IR_RMW_AND: return REDUX_AND;
    case IR_RMW_OR: return REDUX_OR;
    case IR_RMW_XOR: return REDUX_XOR;
    case IR_RMW_UMIN:
    case IR_RMW_SMIN: return REDUX_MIN;
    case IR_RMW_UMAX:
    case IR_RMW_SMAX: return REDUX_MAX;
    default: return REDUX_NONE;
    }
}

bool sass_may_once(const struct sass_func *s, const struct ir_inst *i)
{
    if (i->op != IR_OP_rmw || i->type != IR_I32 || ir_order(i->flags) > IR_ORDER_RELAXED ||
        i->flags & IR_VOLATILE || !sass_same(s, i->args[0]))
        return false;
    const unsigned redux = redux_of((enum ir_rmw)i->imm);
    const bool alike = sass_same(s, i->args[1]);
    if (s->uses[i->results[0].id])
        return redux == REDUX_ADD && alike;
    return redux != REDUX_NONE && (alike || s->chip & FROM_80);
}

static struct sass_src times(struct sass_func *s, struct sass_src n, struct sass_src x)
{
    uint32_t d = sass_new(s, 1);
    sass_op3(s, OP_IMAD, d, 0, n, x, sass_zero());
    return sass_reg(d, 0);
}

static struct sass_src popc(struct sass_func *s, struct sass_src x)
{
    uint32_t n = sass_new(s, 1);
    sass_op1(s, OP_POPC, n, 0, x);
    return sass_reg(n, 0);
}

/* What lanes that have the same bring together. */
static struct sass_src of_all(struct sass_func *s, unsigned redux, struct sass_src lanes,
                              struct sass_src x)
{
    if (redux != REDUX_ADD && redux != REDUX_XOR)
        return x;
    struct sass_src n = popc(s, lanes);
    if (redux == REDUX_XOR) {
        uint32_t odd = sass_new(s, 1);
        sass_logic(s, odd, 0, n, sass_imm(1), sass_zero(), LUT_AND);
        n = sass_reg(odd, 0);
    }
    return times(s, n, x);
}

/* The result is a uniform register; d stands for it until it is there. */
static struct sass_src reduced(struct sass_func *s, const struct ir_inst *i, struct sass_src x)
{
    uint32_t d = sass_new(s, 1);
    struct sass_inst *r = sass_put(s, OP_REDUX);
    r->d = d;
    r->a = x;
    r->mods[MOD_MODE] = (uint16_t)redux_of((enum ir_rmw)i->imm);
    r->mods[MOD_SIGNED] = i->imm == IR_RMW_SMIN || i->imm == IR_RMW_SMAX;
    struct sass_inst *m = sass_put(s, OP_MOV);
    m->d = d;
    m->b = (struct sass_src){.kind = SRC_UNIFORM, .value = UR_REDUX, .parts = 1};
    m->continues = true;
    return sass_reg(d, 0);
}

struct sass_once sass_once(struct sass_func *s, const struct ir_inst *i, struct sass_src x)
{
    struct sass_once o = {.each = x};
    const uint32_t lanes = sass_new(s, 1), leader = sass_new(s, 1), lane = sass_new(s, 1);
    sass_put(s, OP_VOTE)->d = lanes;
    o.lanes = sass_reg(lanes, 0);
    o.value = sass_same(s, i->args[1]) ? of_all(s, redux_of((enum ir_rmw)i->imm), o.lanes, x)
                                       : reduced(s, i, x);
    sass_op1(s, OP_FLO, leader, 0, o.lanes);
    o.leader = sass_reg(leader, 0);
    sass_put(s, OP_S2R)->d = lane;
    o.leads = sass_compare(s, CMP_EQ, false, sass_reg(lane, 0), o.leader);
    return o;
}

void sass_share(struct sass_func *s, const struct sass_once *o, uint32_t old, uint32_t d)
{
    const uint32_t first = sass_new(s, 1), mask = sass_new(s, 1), before = sass_new(s, 1);
    struct sass_inst *i = sass_put(s, OP_SHFL_MASK);
    i->d = first;
    i->a = sass_reg(old, 0);
    i->b = o->leader;
    i->mods[MOD_CLAMP] = 31;
    i = sass_put(s, OP_S2R);
    i->d = mask;
    i->mods[MOD_SR] = SR_LANES_BELOW;
    sass_logic(s, before, 0, sass_reg(mask, 0), o->lanes, sass_zero(), LUT_AND);
    const struct sass_src n = popc(s, sass_reg(before, 0));
    sass_op3(s, OP_IMAD, d, 0, n, o->each, sass_reg(first, 0));
}

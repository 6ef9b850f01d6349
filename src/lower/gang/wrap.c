/* Whether the lanes of a gang stay on one side of a 32-bit wrap.
 *
 * A 32-bit index that grows from lane to lane may be extended to 64 bits on lane 0 alone if it does
 * not wrap within the gang. That is so when
 *   - its low bits are known and leave room: a gang starts at a multiple of its lanes, so that
 *     `blockIdx.x * 256 + threadIdx.x` does not pass a multiple of 2^31 between two of its lanes;
 *   - its values are bounded: `threadIdx.x * 4 + 1`;
 *   - the source promises that it does not (nsw), and the arithmetic can be done in 64 bits
 * instead. What is left is assumed not to wrap, and asked when the program runs: see ops.c.
 */
#include "lower/gang/gang_int.h"

/* ---- low bits of lane 0's value ---- */
static uint64_t low_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static unsigned zeros(struct vlow x)
{
    return x.bits && x.value ? (unsigned)__builtin_ctzll(x.value) : x.bits;
}

static struct vlow known(unsigned bits, uint64_t value, ir_type t)
{
    unsigned width = ir_bits(t) ? ir_bits(t) : 64;
    bits = bits > width ? width : bits;
    return (struct vlow){(uint8_t)bits, value & low_mask(bits)};
}

static struct vlow low_of(const struct vectorizer *v, const struct ir_value *x)
{
    if (ir_is_const(x))
        return known(64, x->u.bits, x->type);
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return (struct vlow){0, 0};
    return v->low[x->id];
}

static struct vlow meet(struct vlow a, struct vlow b)
{
    unsigned bits = a.bits < b.bits ? a.bits : b.bits;
    uint64_t differ = (a.value ^ b.value) & low_mask(bits);
    if (differ && (unsigned)__builtin_ctzll(differ) < bits)
        bits = (unsigned)__builtin_ctzll(differ);
    return (struct vlow){(uint8_t)bits, a.value & low_mask(bits)};
}

static struct vlow low_result(const struct vectorizer *v, const struct ir_inst *i)
{
    ir_type t = i->results[0].type;
    struct vlow x = {0}, y = {0}, nothing = {0};
    if (ir_class(t) != IR_CLASS_INT || ir_is_vector(t))
        return nothing;
    if (i->op == IR_OP_sreg) {
        int64_t w[V_LANE_BITS];
        const unsigned starts = (unsigned)__builtin_ctz(v->lanes); /* a gang, at a multiple */
        if (v_register_weights(v, (enum ir_sreg)i->imm, w)) {
            unsigned bits = 0;
            for (unsigned k = 0; k < V_LANE_BITS; k++)
                bits += w[k] != 0;
            const bool whole = i->imm == IR_SREG_TID_X && v->block[0] <= v->lanes;
            return known(whole ? 64 : bits, 0, t);
        }
        if (i->imm == IR_SREG_TID_X || i->imm == IR_SREG_LANEID)
            return known(starts, 0, t);
        if (i->imm >= IR_SREG_NTID_X && i->imm <= IR_SREG_NTID_Z &&
            v->block[i->imm - IR_SREG_NTID_X])
            return known(64, v->block[i->imm - IR_SREG_NTID_X], t);
        return nothing;
    }
    if (i->nargs > 0)
        x = low_of(v, i->args[0]);
    if (i->nargs > 1)
        y = low_of(v, i->args[1]);
    unsigned both = x.bits < y.bits ? x.bits : y.bits;
    switch (i->op) {
    case IR_OP_add: return known(both, x.value + y.value, t);
    case IR_OP_sub: return known(both, x.value - y.value, t);
    case IR_OP_neg: return known(x.bits, 0 - x.value, t);
    case IR_OP_not: return known(x.bits, ~x.value, t);
    case IR_OP_xor: return known(both, x.value ^ y.value, t);
    case IR_OP_or: return known(both, x.value | y.value, t);
    case IR_OP_and:
        if (ir_is_const(i->args[1])) { /* low zeros of a mask are zeros whatever is masked */
            unsigned z = zeros(y);
            if (y.value <= low_mask(x.bits)) /* and so are high ones */
                return known(64, x.value & y.value, t);
            return x.bits > z ? known(x.bits, x.value & y.value, t) : known(z, 0, t);
        }
        return known(both, x.value & y.value, t);
    case IR_OP_mul: {
        unsigned a = x.bits + zeros(y), b = y.bits + zeros(x);
        return known(a < b ? a : b, x.value * y.value, t);
    }
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(t))
            return nothing;
        return known(x.bits + (unsigned)i->args[1]->u.bits, x.value << i->args[1]->u.bits, t);
    case IR_OP_lshr: {
        const uint64_t by = ir_is_const(i->args[1]) ? i->args[1]->u.bits : ir_bits(t);
        return by >= x.bits ? nothing : known(x.bits - (unsigned)by, x.value >> by, t);
    }
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_trunc: return known(x.bits, x.value, t);
    case IR_OP_select: return meet(y, low_of(v, i->args[2]));
    default: return nothing;
    }
}

/* Everything starts as known, and is lowered until nothing changes. */
void v_find_low(struct vectorizer *v)
{
    struct ir_func *f = v->from;
    v->low = arena_array(v->arena, struct vlow, f->nvalues + 1);
    bool *seen = arena_array(v->arena, bool, f->nvalues + 1), changed = true;
    while (changed) {
        changed = false;
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                if (i->nresults == 1 && ir_kind(i->results[0].type) != IR_TOKEN) {
                    struct ir_value *r = &i->results[0];
                    bool ready = true;
                    for (uint32_t k = 0; k < i->nargs; k++)
                        ready &= !v_is_local(i->args[k]) || seen[i->args[k]->id] ||
                                 ir_kind(i->args[k]->type) == IR_TOKEN;
                    struct vlow now = low_result(v, i);
                    if (ready && (!seen[r->id] || now.bits != v->low[r->id].bits)) {
                        v->low[r->id] = seen[r->id] ? meet(v->low[r->id], now) : now;
                        changed = seen[r->id] = true;
                    }
                } else {
                    for (uint32_t k = 0; k < i->nresults; k++)
                        seen[i->results[k].id] = true; /* of which nothing is known */
                }
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                        struct ir_value *to = i->edges[e].to->params.data[k],
                                        *from = i->edges[e].args[k];
                        if (v_is_local(from) && !seen[from->id])
                            continue;
                        struct vlow now = low_of(v, from);
                        if (seen[to->id])
                            now = meet(v->low[to->id], now);
                        if (!seen[to->id] || now.bits != v->low[to->id].bits) {
                            v->low[to->id] = now;
                            changed = seen[to->id] = true;
                        }
                    }
            }
        vec_each (struct ir_value *, p, &f->first->params)
            if (!seen[(*p)->id])
                changed = seen[(*p)->id] = true;
    }
}

/* What the last lane has, if the first has `first`; false: 64 bits do not hold it. The distance
 * between lanes may be any number: a hash multiplies by such. */
static bool last_lane(const struct vectorizer *v, int64_t first, int64_t stride, int64_t *last)
{
    return !__builtin_mul_overflow(stride, (int64_t)v->lanes - 1, last) &&
           !__builtin_add_overflow(first, *last, last);
}

/* Do all lanes of x differ in its low `bits` bits only? */
bool v_within(const struct vectorizer *v, const struct ir_value *x, int64_t stride, unsigned bits)
{
    struct vlow low = low_of(v, x);
    int64_t last;
    if (low.bits < bits)
        bits = low.bits;
    return bits < 63 && last_lane(v, (int64_t)(low.value & low_mask(bits)), stride, &last) &&
           last >= 0 && last <= (int64_t)low_mask(bits);
}

/* ---- bounds ---- */
/* No lane, existing or not, has more than this as an unsigned number. */
static uint64_t most(const struct vectorizer *v, const struct ir_value *x, unsigned depth)
{
    uint64_t any = low_mask(ir_bits(x->type)), a, b;
    if (ir_is_const(x))
        return x->u.bits;
    if (x->kind != IR_VALUE_RESULT || depth > 8 || ir_class(x->type) != IR_CLASS_INT)
        return any;
    const struct ir_inst *i = x->u.inst;
    switch (i->op) {
    case IR_OP_sreg:
        switch (i->imm) {
        case IR_SREG_TID_X: return (v->block[0] ? v->block[0] : 1024) + v->lanes;
        case IR_SREG_TID_Y:
        case IR_SREG_TID_Z:
        case IR_SREG_NTID_X:
        case IR_SREG_NTID_Y:
        case IR_SREG_NTID_Z: return 1024 + v->lanes;
        case IR_SREG_LANEID: return 31;
        case IR_SREG_WARPID: return 63;
        case IR_SREG_CTAID_Y:
        case IR_SREG_CTAID_Z:
        case IR_SREG_NCTAID_Y:
        case IR_SREG_NCTAID_Z: return 65535;
        default: return any;
        }
    case IR_OP_add:
        a = most(v, i->args[0], depth + 1), b = most(v, i->args[1], depth + 1);
        return a <= any && b <= any - a ? a + b : any;
    case IR_OP_mul:
        a = most(v, i->args[0], depth + 1), b = most(v, i->args[1], depth + 1);
        return !a || b <= any / a ? a * b : any;
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(x->type))
            return any;
        a = most(v, i->args[0], depth + 1);
        return a <= any >> i->args[1]->u.bits ? a << i->args[1]->u.bits : any;
    case IR_OP_lshr:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(x->type))
            return any;
        return most(v, i->args[0], depth + 1) >> i->args[1]->u.bits;
    case IR_OP_and:
        a = most(v, i->args[0], depth + 1), b = most(v, i->args[1], depth + 1);
        return a < b ? a : b;
    case IR_OP_udiv:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits
                   ? most(v, i->args[0], depth + 1) / i->args[1]->u.bits
                   : any;
    case IR_OP_urem:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits ? i->args[1]->u.bits - 1 : any;
    case IR_OP_zext: return ir_kind(i->args[0]->type) == IR_I1 ? 1 : most(v, i->args[0], depth + 1);
    default: return any;
    }
}

/* Has x only bits that are zero in y, which grows by `stride` from lane to lane? */
static bool below(const struct vectorizer *v, const struct ir_value *x, const struct ir_value *y,
                  int64_t stride)
{
    const uint64_t low = low_mask(zeros(low_of(v, y))); /* lane 0's: all lanes', if a multiple */
    return low < UINT64_MAX && most(v, x, 0) <= low && !((uint64_t)stride & low);
}

bool v_apart(const struct vectorizer *v, const struct ir_value *const *xy, const int64_t *strides)
{
    return below(v, xy[0], xy[1], strides[1]) || below(v, xy[1], xy[0], strides[0]);
}

/* Is x, which grows by `stride` from lane to lane, free of wraps within a gang, both of signed and
 * of unsigned numbers? */
bool v_never_wraps(const struct vectorizer *v, const struct ir_value *x, int64_t stride)
{
    struct vlow low = low_of(v, x);
    unsigned bits = low.bits > 31 ? 31 : low.bits;
    int64_t last;
    if (last_lane(v, (int64_t)(low.value & low_mask(bits)), stride, &last) && last >= 0 &&
        last <= (int64_t)low_mask(bits))
        return true;
    return most(v, x, 0) <= INT32_MAX;
}

/* ---- sums by the bits of the lane ---- */
/* Are the weights different bits, which lane 0 does not have? Then they are ored, not added. */
static bool disjoint(const struct vectorizer *v, const struct ir_value *x, const int64_t *w,
                     uint64_t *all)
{
    struct vlow low = low_of(v, x);
    *all = 0;
    for (unsigned k = 0; k < V_LANE_BITS; k++) {
        if (w[k] < 0 || *all & (uint64_t)w[k])
            return false;
        *all |= (uint64_t)w[k];
    }
    return *all <= low_mask(low.bits) && !(low.value & *all);
}

/* How far a lane may be above lane 0, and below it. */
void v_reach(const int64_t *w, int64_t *above, int64_t *below)
{
    *above = *below = 0;
    for (unsigned k = 0; k < V_LANE_BITS; k++)
        *(w[k] < 0 ? below : above) += w[k];
}

/* Is x, whose lanes are such a sum, free of wraps within a gang: no carry leaves the low bits, or
 * no lane is that large? */
bool v_sum_never_wraps(const struct vectorizer *v, const struct ir_value *x, const int64_t *w)
{
    uint64_t all;
    int64_t above, below_;
    if (disjoint(v, x, w, &all) && all <= INT32_MAX)
        return true;
    v_reach(w, &above, &below_);
    return above - below_ <= INT32_MAX && most(v, x, 0) <= INT32_MAX;
}

bool v_weights(const struct vectorizer *v, const struct ir_inst *i, int64_t w[][V_LANE_BITS],
               int64_t *out)
{
    uint64_t all = 0, some[2] = {0, 0};
    for (unsigned k = 0; k < V_LANE_BITS; k++)
        some[0] |= (uint64_t)w[0][k], some[1] |= (uint64_t)w[1][k];
    int of = some[1] && !some[0] ? 1 : 0; /* the operand that differs, where only one may */
    const struct ir_value *x = i->args[of], *y = i->nargs > 1 ? i->args[1 - of] : NULL;
    struct vlow by = y ? low_of(v, y) : (struct vlow){0, 0};
    bool one = !(some[0] && some[1]);
    /* the same in all lanes, and known of lane 0 */
    bool constant = one && y && by.bits && by.bits >= ir_bits(y->type);
    if (ir_class(i->type) == IR_CLASS_FLOAT || ir_kind(i->type) == IR_I1)
        return false;
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_ptradd:
    case IR_OP_sub: break;
    case IR_OP_mul:
        if (!constant)
            return false;
        break;
    case IR_OP_shl:
        if (of || !constant || by.value >= 31)
            return false;
        break;
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
        if (!one || !disjoint(v, x, w[of], &all) || all > low_mask(by.bits))
            return false;
        break;
    case IR_OP_lshr:
        if (of || !constant || by.value >= ir_bits(i->type) || !disjoint(v, x, w[0], &all))
            return false;
        break;
    case IR_OP_sext:
    case IR_OP_zext: { /* where they may wrap, that is assumed: uniform.c */
        int64_t above, below_;
        v_reach(w[0], &above, &below_);
        if (ir_bits(x->type) != 32 || above - below_ > INT32_MAX)
            return false;
        break;
    }
    case IR_OP_trunc:
        if (ir_bits(i->type) != 32)
            return false;
        break;
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr:
    case IR_OP_cvta: break;
    default: return false;
    }
    for (unsigned k = 0; k < V_LANE_BITS; k++) {
        int64_t a = w[of][k];
        uint64_t u = (uint64_t)a;
        switch (i->op) {
        case IR_OP_add:
        case IR_OP_ptradd: a = (int64_t)((uint64_t)w[0][k] + (uint64_t)w[1][k]); break;
        case IR_OP_sub: a = (int64_t)((uint64_t)w[0][k] - (uint64_t)w[1][k]); break;
        case IR_OP_mul: a = (int64_t)(u * by.value); break;
        case IR_OP_shl: a = (int64_t)(u << by.value); break;
        case IR_OP_and: a = (int64_t)(u & by.value); break;
        case IR_OP_or: a = (int64_t)(u & ~by.value); break;
        case IR_OP_xor: a = (int64_t)((u & ~by.value) - (u & by.value)); break;
        case IR_OP_lshr: a = (int64_t)(u >> by.value); break;
        default: break;
        }
        out[k] = ir_bits(i->type) == 32 ? (int32_t)a : a;
    }
    return true;
}

/* ---- promises ---- */
struct widener {
    struct vectorizer *v;
    struct map wide;  /* i32 value → its i64 form */
    struct map asked; /* variables being looked at */
};

static bool promised(const struct ir_inst *i)
{
    return (i->op == IR_OP_add || i->op == IR_OP_sub || i->op == IR_OP_mul) && i->flags & IR_NSW &&
           i->type == IR_I32;
}

static struct ir_value *widen(struct widener *w, struct ir_value *x);

static struct ir_builder after(struct ir_value *x)
{
    if (x->kind == IR_VALUE_PARAM)
        return ir_builder_before(x->u.block->first);
    return ir_builder_before(x->u.inst->next);
}

/* Do the lanes of x stay on one side of a wrap, whatever is promised? */
static bool is_certain(const struct vectorizer *v, const struct ir_value *x)
{
    const struct vinfo *n = &v->value[x->id];
    return n->class <= V_GANG || (n->class == V_AFFINE && v_never_wraps(v, x, n->stride)) ||
           (n->class == V_BITS && v_sum_never_wraps(v, x, n->weight));
}

static struct ir_value *widen_local(struct widener *w, struct ir_value *x)
{
    struct ir_func *f = w->v->from;
    if (is_certain(w->v, x)) {
        struct ir_builder at = after(x);
        return ir_build1(&at, IR_OP_sext, IR_I64, x);
    }
    if (x->kind == IR_VALUE_RESULT) {
        struct ir_inst *i = x->u.inst;
        if (promised(i)) {
            struct ir_value *a = widen(w, i->args[0]), *b = widen(w, i->args[1]);
            struct ir_builder at = after(x);
            at.span = i->span;
            return ir_build_flags(&at, (enum ir_op)i->op, IR_I64, IR_NSW, 2, a, b, NULL);
        }
    } else if (x->u.block != f->first) { /* a variable: one of 64 bits beside it */
        struct ir_block *b = x->u.block;
        struct ir_value *p = ir_block_param(b, IR_I64, x->name);
        map_set(&w->wide, map_key(x), p);
        ir_each_block (from, f)
            for (uint32_t e = 0; from->last && e < from->last->nedges; e++)
                if (from->last->edges[e].to == b) {
                    struct ir_value *y = widen(w, from->last->edges[e].args[x->index]);
                    ir_edge_push(from->last, &from->last->edges[e], y);
                }
        return p;
    }
    struct ir_builder at = after(x);
    return ir_build1(&at, IR_OP_sext, IR_I64, x);
}

static struct ir_value *widen(struct widener *w, struct ir_value *x)
{
    if (ir_is_const(x))
        return ir_const(w->v->module, IR_I64, (uint64_t)(int64_t)(int32_t)x->u.bits);
    struct ir_value *done = map_get(&w->wide, map_key(x));
    if (!done) {
        done = widen_local(w, x);
        map_set(&w->wide, map_key(x), done);
    }
    return done;
}

/* Is x made of numbers only that do not wrap, or are promised not to? */
static bool can_widen(struct widener *w, struct ir_value *x)
{
    if (!v_is_local(x) || map_has(&w->asked, map_key(x)))
        return ir_is_const(x) || v_is_local(x);
    if (is_certain(w->v, x))
        return true;
    struct ir_func *f = w->v->from;
    if (x->kind == IR_VALUE_RESULT) {
        const struct ir_inst *i = x->u.inst;
        return promised(i) && can_widen(w, i->args[0]) && can_widen(w, i->args[1]);
    }
    if (x->u.block == f->first)
        return false;
    map_set(&w->asked, map_key(x), x);
    ir_each_block (from, f)
        for (uint32_t e = 0; from->last && e < from->last->nedges; e++)
            if (from->last->edges[e].to == x->u.block &&
                !can_widen(w, from->last->edges[e].args[x->index]))
                return false;
    return true;
}

/* Indices that are assumed not to wrap, by promises of the source: computed in 64 bits. Tells
 * whether there were any; the analysis is then out of date. */
bool v_widen(struct vectorizer *v)
{
    struct widener w = {.v = v};
    map_init(&w.wide, v->arena);
    VEC(struct ir_inst *) all = {0};
    ir_each_block (b, v->from)
        ir_each_inst (i, b) {
            map_init(&w.asked, v->arena);
            if (i->op == IR_OP_sext && v->value[i->results[0].id].assumed &&
                can_widen(&w, i->args[0]))
                vec_push(v->arena, &all, i);
        }
    vec_each (struct ir_inst *, i, &all)
        (*i)->results[0].forward = widen(&w, (*i)->args[0]);
    if (!all.len)
        return false;
    ir_replace_forwarded(v->from);
    vec_each (struct ir_inst *, i, &all)
        ir_remove(*i);
    return true;
}

/* Signed division of what is never negative is a shift, its remainder the low bits. */
void v_divide(struct vectorizer *v)
{
    ir_each_block (b, v->from)
        ir_each_inst (i, b) {
            if ((i->op != IR_OP_sdiv && i->op != IR_OP_srem && i->op != IR_OP_ashr) ||
                i->type != IR_I32 || !ir_is_const(i->args[1]) || most(v, i->args[0], 0) > INT32_MAX)
                continue;
            uint64_t by = i->args[1]->u.bits;
            if (i->op == IR_OP_ashr) {
                i->op = IR_OP_lshr;
            } else if (by && !(by & (by - 1)) && by <= INT32_MAX) {
                i->args[1] = ir_const(v->module, IR_I32,
                                      i->op == IR_OP_srem ? by - 1 : (uint64_t)__builtin_ctzll(by));
                i->op = i->op == IR_OP_srem ? IR_OP_and : IR_OP_lshr;
            } else if (by <= INT32_MAX) {
                i->op = i->op == IR_OP_srem ? IR_OP_urem : IR_OP_udiv;
            }
            i->flags &= ~(uint32_t)(IR_NSW | IR_NUW);
        }
}

/* ---- guards ---- */
struct order { /* low <= high, or low < high */
    const struct ir_value *low, *high;
    bool less;
};

/* What a condition says where it holds, or where it does not. */
static bool order_of(const struct ir_value *cond, bool holds, struct order *out)
{
    const struct ir_inst *i = cond->kind == IR_VALUE_RESULT ? cond->u.inst : NULL;
    if (!i || (i->op != IR_OP_ule && i->op != IR_OP_ult && i->op != IR_OP_ne && i->op != IR_OP_eq))
        return false;
    if (i->op == IR_OP_ne || i->op == IR_OP_eq) {
        *out = (struct order){i->args[1], i->args[0], true};
        return (i->op == IR_OP_ne) == holds && ir_is_const(i->args[1]) && !i->args[1]->u.bits;
    }
    *out = (struct order){i->args[!holds], i->args[holds], (i->op == IR_OP_ult) == holds};
    return true;
}

/* Does a branch lead to b, and to what follows, only where x is at least y; y: NULL: `by`? */
static bool is_at_least(const struct ir_block *b, const struct ir_value *x,
                        const struct ir_value *y, uint64_t by)
{
    for (; b && b->idom && b->idom != b; b = b->idom) {
        const struct ir_inst *t = b->preds.len == 1 ? b->preds.data[0]->last : NULL;
        struct order o;
        if (!t || t->op != IR_OP_condbr || t->edges[0].to == t->edges[1].to ||
            !order_of(t->args[0], t->edges[0].to == b, &o) || o.high != x)
            continue;
        if (y ? o.low == y : ir_is_const(o.low) && o.low->u.bits + o.less >= by)
            return true;
    }
    return false;
}

/* i extends a difference that is never below zero, because a branch says so: the same by its sign,
 * and with no wrap inside the gang, whatever lanes have that do not run. */
static void extend_guarded(struct vectorizer *v, struct ir_inst *i)
{
    const struct ir_value *x = i->args[0];
    struct ir_inst *d = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (!d || x->type != IR_I32 || (d->op != IR_OP_sub && d->op != IR_OP_add) ||
        most(v, d->args[0], 0) > INT32_MAX)
        return;
    const bool by_constant = ir_is_const(d->args[1]);
    const uint32_t by = !by_constant         ? 0
                        : d->op == IR_OP_sub ? (uint32_t)d->args[1]->u.bits
                                             : (uint32_t)-d->args[1]->u.bits;
    if (by_constant ? !by || by > INT32_MAX : d->op != IR_OP_sub)
        return;
    if (!is_at_least(i->block, d->args[0], by_constant ? NULL : d->args[1], by))
        return;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    struct ir_value *own = ir_build2(&b, (enum ir_op)d->op, IR_I32, d->args[0], d->args[1]);
    own->u.inst->flags |= IR_NSW;
    i->args[0] = own;
    i->op = IR_OP_sext;
}

/* `if (threadIdx.x >= step) a[threadIdx.x - step]`, of unsigned numbers. */
void v_guards(struct vectorizer *v)
{
    ir_cfg(v->from);
    ir_each_block (b, v->from)
        ir_each_inst (i, b)
            if (i->op == IR_OP_zext && i->type == IR_I64)
                extend_guarded(v, i);
}

/* Which values are the same for all threads of a block, for all lanes of a gang, or grow by a
 * constant from lane to lane.
 *
 * All values start as the same for the block and are raised until nothing changes. A value is
 * raised by its operands; a block parameter also by the branches that decide which copy it gets: a
 * copy inside a branch that lanes take differently, to a place outside it. Loops and blocks that
 * lanes leave at different times (`masked`) are found in the same iteration; what is defined in
 * such a loop differs between lanes once outside, whatever it was inside.
 *
 * The lanes of others differ by a sum: a constant for each bit of the lane's number. So it is with
 * t & 3, t ^ 1, (t & ~3) * 2 + (t & 3): how pairs are found for exchanges. Where the constants
 * double from bit to bit, that is a stride.
 *
 * Strides are kept modulo the width of the value. Extending an affine i32 to i64 keeps the stride
 * if it does not wrap within the gang: wrap.c tells whether that is certain. Where it is not,
 * the value is `assumed`, as is what is made from it in the same list of regions; nothing else is.
 */
#include <string.h>
#include "lower/gang/gang_int.h"

struct vregion *v_info(struct vectorizer *v, const struct region *r)
{
    return map_get(&v->info_of, map_key(r));
}

struct vregion *v_loop_around(const struct vregion *loop)
{
    return loop->up ? loop->up->loop : NULL;
}

static void gather(struct vectorizer *v, struct region *list, struct vregion *up)
{
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = arena_new(v->arena, struct vregion);
        i->region = r;
        i->up = up;
        i->loop = r->kind == REGION_LOOP ? i : up ? up->loop : NULL;
        i->in = v->nregions++;
        map_set(&v->info_of, map_key(r), i);
        if (r->kind == REGION_CODE) {
            map_set(&v->home, map_key(r->block), i);
            ir_each_inst (inst, r->block)
                if (inst->op == IR_OP_barrier || inst->op == IR_OP_barrier_red)
                    for (struct vregion *u = i; u; u = u->up)
                        u->barrier = true;
        }
        gather(v, r->child, i);
        gather(v, r->other, i);
        i->out = v->nregions;
    }
}

/* ---- classes ---- */
enum vclass v_class(struct vectorizer *v, struct ir_value *x, struct vregion *at, int64_t *stride)
{
    *stride = 0;
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return V_BLOCK;
    const struct vinfo *i = &v->value[x->id];
    struct ir_block *b = x->kind == IR_VALUE_PARAM ? x->u.block : x->u.inst->block;
    enum vclass c = (enum vclass)i->class;
    *stride = i->stride;
    /* Out of a loop that lanes left at different times. */
    const struct vregion *home = map_get(&v->home, map_key(b));
    for (struct vregion *u = home ? home->loop : NULL; u && !v_inside(at, u);
         u = v_loop_around(u)) {
        if (u->masked)
            return *stride = 0, V_VARY;
        if (u->gang_exit && c == V_BLOCK)
            c = V_GANG;
    }
    return c;
}

static bool raise(struct vinfo *i, enum vclass c, int64_t stride)
{
    enum vclass was = (enum vclass)i->class;
    if (c == V_AFFINE && stride == 0)
        c = V_GANG;
    if (c < was || (c == was && (c != V_AFFINE || stride == i->stride)))
        return false; /* of two BITS see instruction() */
    if (c == V_AFFINE && was == V_AFFINE)
        c = V_VARY; /* two strides */
    i->class = (uint8_t)c;
    i->stride = c == V_AFFINE ? stride : 0;
    return true;
}

static int64_t wrap(int64_t stride, ir_type t)
{
    switch (ir_bits(t)) {
    case 8: return (int8_t)stride;
    case 16: return (int16_t)stride;
    case 32: return (int32_t)stride;
    default: return stride;
    }
}

/* Pure ops under which lanes that differ by a constant still do. */
static bool affine(const struct vectorizer *v, const struct ir_inst *i, const enum vclass *c,
                   const int64_t *s, int64_t *out)
{
    switch (i->op) {
    case IR_OP_and: { /* t % 64: the low bits have no carry within the gang; or 4 * t & 60 */
        uint64_t mask = ir_is_const(i->args[1]) ? i->args[1]->u.bits : 0, low = (mask & -mask) - 1;
        if (!mask || ((mask | low) & ((mask | low) + 1)) || (uint64_t)s[0] & low ||
            !v_within(v, i->args[0], s[0], (unsigned)__builtin_popcountll(mask | low)))
            return false;
        *out = s[0];
        break;
    }
    case IR_OP_or: /* a sum without carries */
        if (!v_apart(v, (const struct ir_value *const *)i->args, s))
            return false;
        *out = wrap((int64_t)((uint64_t)s[0] + (uint64_t)s[1]), i->type);
        break;
    case IR_OP_lshr: /* t / 64: what is left is the same for all lanes */
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(i->type) ||
            !v_within(v, i->args[0], s[0], (unsigned)i->args[1]->u.bits))
            return false;
        *out = 0;
        break;
    case IR_OP_add:
    case IR_OP_ptradd: *out = wrap((int64_t)((uint64_t)s[0] + (uint64_t)s[1]), i->type); break;
    case IR_OP_sub: *out = wrap((int64_t)((uint64_t)s[0] - (uint64_t)s[1]), i->type); break;
    case IR_OP_neg:
    case IR_OP_not: *out = wrap((int64_t)(0 - (uint64_t)s[0]), i->type); break;
    case IR_OP_mul:
        if (ir_is_const(i->args[1]))
            *out = wrap((int64_t)((uint64_t)s[0] * i->args[1]->u.bits), i->type);
        else if (ir_is_const(i->args[0]))
            *out = wrap((int64_t)((uint64_t)s[1] * i->args[0]->u.bits), i->type);
        else
            return false;
        break;
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(i->type))
            return false;
        *out = wrap((int64_t)((uint64_t)s[0] << i->args[1]->u.bits), i->type);
        break;
    case IR_OP_trunc: *out = wrap(s[0], i->type); break;
    case IR_OP_sext:
    case IR_OP_zext:
        if (ir_bits(i->args[0]->type) < 32)
            return false;
        *out = s[0];
        break;
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr:
    case IR_OP_cvta: *out = s[0]; break;
    case IR_OP_select:
        if (c[0] > V_GANG || s[1] != s[2] || c[1] != V_AFFINE || c[2] != V_AFFINE)
            return false;
        *out = s[1];
        break;
    default: return false;
    }
    return ir_kind(i->type) != IR_I1;
}

static bool is_power(uint32_t x)
{
    return x && !(x & (x - 1));
}

/* Lanes begin at a multiple of their number: where rows are powers of two, x is the low bits of a
 * lane's number, y the next ones. */
bool v_register_weights(const struct vectorizer *v, enum ir_sreg which, int64_t *out)
{
    const uint32_t *b = v->block;
    const bool rows = v->linear && b[1] * b[2] != 1 && is_power(b[1]);
    uint64_t first = 1, end = b[0]; /* a step counts 1 from this lane on; none counts from that */
    if (!is_power(b[0]) || !(rows || v->joined) ||
        (which != IR_SREG_TID_X && v->joined != (which == IR_SREG_CTAID_X)))
        return false;
    switch (which) {
    case IR_SREG_TID_X: break;
    case IR_SREG_CTAID_X: first = b[0], end = UINT64_MAX; break;
    case IR_SREG_TID_Y: first = b[0], end = (uint64_t)b[0] * b[1]; break;
    case IR_SREG_TID_Z: first = (uint64_t)b[0] * b[1], end = UINT64_MAX; break;
    default: return false;
    }
    for (unsigned k = 0; k < V_LANE_BITS; k++) {
        const uint64_t lane = UINT64_C(1) << k;
        out[k] = lane < v->lanes && lane >= first && lane < end ? (int64_t)(lane / first) : 0;
    }
    return true;
}

static bool weights_of(struct vectorizer *v, const struct ir_inst *i, const enum vclass *c,
                       const int64_t *s, int64_t *out)
{
    int64_t w[3][V_LANE_BITS] = {{0}};
    if (i->op == IR_OP_sreg)
        return v_register_weights(v, (enum ir_sreg)i->imm, out);
    for (uint32_t k = 0; k < i->nargs; k++) {
        if (k == 3 || c[k] == V_VARY)
            return false;
        for (unsigned b = 0; b < V_LANE_BITS && c[k] >= V_AFFINE; b++)
            w[k][b] = c[k] == V_BITS       ? v->value[i->args[k]->id].weight[b]
                      : 1u << b < v->lanes ? s[k] * (INT64_C(1) << b)
                                           : 0;
    }
    return i->nresults == 1 && v_weights(v, i, w, out);
}

static enum vclass by_weights(const struct vectorizer *v, ir_type t, int64_t *w, int64_t *stride)
{
    for (unsigned k = 0; k < V_LANE_BITS; k++) {
        w[k] = wrap(w[k], t);
        if (1u << k < v->lanes && w[k] != wrap(w[0] * (INT64_C(1) << k), t))
            return V_BITS;
    }
    *stride = w[0];
    return w[0] ? V_AFFINE : V_GANG;
}

static enum vclass by_bits(struct vectorizer *v, const struct ir_inst *i, const enum vclass *c,
                           const int64_t *s, int64_t *stride)
{
    int64_t w[V_LANE_BITS];
    return weights_of(v, i, c, s, w) ? by_weights(v, i->type, w, stride) : V_VARY;
}

static enum vclass register_class(struct vectorizer *v, enum ir_sreg which, int64_t *stride)
{
    bool one_row = v->block[1] == 1 && v->block[2] == 1;
    int64_t w[V_LANE_BITS];
    if (v_register_weights(v, which, w))
        return by_weights(v, IR_I32, w, stride);
    switch (which) {
    case IR_SREG_TID_X:
        if (v->linear && !one_row)
            return V_VARY;
        *stride = 1;
        return V_AFFINE;
    case IR_SREG_TID_Y: return v->block[1] == 1 ? V_BLOCK : v->linear ? V_VARY : V_GANG;
    case IR_SREG_TID_Z: return v->block[2] == 1 ? V_BLOCK : v->linear ? V_VARY : V_GANG;
    case IR_SREG_CTAID_X: return v->coarse_x ? V_GANG : V_BLOCK;
    case IR_SREG_CTAID_Y: return v->coarse_y ? V_GANG : V_BLOCK;
    case IR_SREG_LANEID: *stride = 1; return V_AFFINE;
    case IR_SREG_WARPID: return V_GANG;
    default:
        return ir_sreg_info[which].uniformity == IR_UNIFORM_THREAD ? V_VARY
               : ir_sreg_info[which].uniformity == IR_UNIFORM_WARP ? V_GANG
                                                                   : V_BLOCK;
    }
}

bool v_is_assumed(const struct vectorizer *v, const struct ir_value *x)
{
    return v_is_local(x) && v->value[x->id].assumed &&
           (v->value[x->id].class == V_AFFINE || v->value[x->id].class == V_BITS);
}

bool v_may_wrap(const struct vectorizer *v, const struct ir_inst *i)
{
    if ((i->op != IR_OP_sext && i->op != IR_OP_zext) || !v_is_local(i->args[0]))
        return false;
    const struct vinfo *x = &v->value[i->args[0]->id];
    return x->class == V_BITS ? !v_sum_never_wraps(v, i->args[0], x->weight)
                              : !v_never_wraps(v, i->args[0], x->stride);
}

/* Is i, whose lanes differ by constants, so only if 32-bit indices do not wrap? */
static bool assumes(const struct vectorizer *v, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        if (v_is_assumed(v, i->args[k]))
            return true;
    return v_may_wrap(v, i);
}

/* The same weights each time, or no such sum. */
static enum vclass keep_weights(struct vinfo *to, const int64_t *weight)
{
    if (to->class == V_BITS)
        return memcmp(to->weight, weight, sizeof to->weight) ? V_VARY : V_BITS;
    if (to->class < V_BITS)
        memcpy(to->weight, weight, sizeof to->weight);
    return V_BITS;
}

static bool instruction(struct vectorizer *v, struct ir_inst *i, struct vregion *at)
{
    enum vclass c[8] = {V_BLOCK}, most = V_BLOCK;
    int64_t s[8] = {0}, stride = 0;
    for (uint32_t k = 0; k < i->nargs; k++) {
        int64_t step;
        enum vclass one =
            ir_kind(i->args[k]->type) == IR_TOKEN ? V_BLOCK : v_class(v, i->args[k], at, &step);
        if (k < 8)
            c[k] = one, s[k] = step;
        most = one > most ? one : most;
    }
    enum vclass is = most;
    switch (i->op) {
    case IR_OP_sreg: is = register_class(v, (enum ir_sreg)i->imm, &stride); break;
    case IR_OP_alloca:
        is = V_AFFINE;
        stride = (int64_t)((i->imm + i->align - 1) / i->align * i->align);
        break;
    case IR_OP_load:
        if (i->flags & IR_VOLATILE || ir_order(i->flags))
            is = most >= V_AFFINE ? V_VARY : V_GANG;
        else
            is = most >= V_AFFINE ? V_VARY : most;
        break;
    case IR_OP_barrier_red:
    case IR_OP_printf: is = V_BLOCK; break;
    case IR_OP_vote:
    case IR_OP_redux: is = c[0] >= V_AFFINE ? V_VARY : V_GANG; break;
    case IR_OP_activemask:
    case IR_OP_clock: is = V_GANG; break;
    case IR_OP_shfl:
    case IR_OP_match:
    case IR_OP_mma:
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_launch:
    case IR_OP_rmw:
    case IR_OP_cas:
    case IR_OP_malloc:
    case IR_OP_call: is = V_VARY; break;
    default:
        if (most >= V_AFFINE)
            is = most == V_AFFINE && affine(v, i, c, s, &stride) ? V_AFFINE
                                                                 : by_bits(v, i, c, s, &stride);
    }
    bool changed = false;
    if (is == V_BITS) {
        int64_t weight[V_LANE_BITS];
        weights_of(v, i, c, s, weight);
        is = keep_weights(&v->value[i->results[0].id], weight);
    }
    if (most >= V_AFFINE && is >= V_GANG && is < V_VARY && ir_op_info[i->op].flags & IR_PURE &&
        assumes(v, i)) {
        struct vinfo *n = &v->value[i->results[0].id];
        if (v->strict || v->escapes[i->results[0].id] || is == V_GANG ||
            (is == V_AFFINE && !stride)) /* V_GANG would be certain */
            is = V_VARY;
        else if (!n->assumed)
            changed = n->assumed = true;
    }
    for (uint32_t k = 0; k < i->nresults; k++)
        changed |= raise(&v->value[i->results[k].id], is, stride);
    return changed;
}

/* ---- control ---- */
static struct vinfo *copied(struct vectorizer *v, const struct region_copy *c)
{
    return c->dst ? &v->value[c->dst->id] : &v->temp[c->temp];
}

static bool copies(struct vectorizer *v, struct vregion *r)
{
    bool changed = false;
    for (uint32_t k = 0; k < r->region->ncopies; k++) {
        const struct region_copy *c = &r->region->copies[k];
        struct vinfo *to = copied(v, c);
        int64_t stride;
        enum vclass is;
        if (c->src && v_is_local(c->src) && v->value[c->src->id].assumed)
            is = V_VARY, stride = 0;
        else if (c->src)
            is = v_class(v, c->src, r, &stride);
        else
            is = (enum vclass)v->temp[c->temp].class, stride = v->temp[c->temp].stride;
        const bool differs = is == V_AFFINE || is == V_BITS,
                   differed = to->class == V_AFFINE || to->class == V_BITS;
        /* A first copy sets what the others are held against. */
        if (differs && differed ? is != (enum vclass)to->class
            : differs           ? to->class <= V_GANG && to->multi
                                : is <= V_GANG && differed)
            is = V_VARY;
        if (is == V_BITS)
            is = keep_weights(to, c->src ? v->value[c->src->id].weight : v->temp[c->temp].weight);
        if (is == V_VARY)
            changed |= raise(to, V_VARY, 0);
        else
            changed |= raise(to, is, stride);
        to->multi = true; /* scratch here: some copy has been seen */
        if (!c->dst)
            continue;
        struct vregion *home = map_get(&v->home, map_key(c->dst->u.block));
        for (struct vregion *u = r->up; u; u = u->up) {
            if (home && v_inside(home, u))
                break;
            enum vclass by = V_BLOCK;
            if (u->region->kind == REGION_IF)
                by = v_class(v, u->region->cond, u, &stride);
            else if (u->masked)
                by = V_VARY;
            if (by >= V_AFFINE || (by == V_GANG && v->pieces > 1))
                changed |= raise(to, V_VARY, 0);
            else if (by == V_GANG && to->class == V_BLOCK)
                changed |= raise(to, V_GANG, 0);
        }
    }
    return changed;
}

static bool mask(struct vregion *r)
{
    bool was = r->masked;
    r->masked = true;
    return !was;
}

/* A jump that only some of the lanes make at a time. */
static bool jumps(struct vectorizer *v, struct vregion *r)
{
    bool partial = false, by_gang = false, changed = false;
    bool leaves = r->region->kind >= REGION_RETURN;
    int64_t stride;
    for (struct vregion *u = r->up; u; u = u->up) {
        if (!leaves && u->region == r->region->target)
            break;
        if (u->region->kind == REGION_IF) {
            enum vclass c = v_class(v, u->region->cond, u, &stride);
            partial |= !v_uniform(v, c);
            by_gang |= c != V_BLOCK;
        } else {
            partial |= u->masked;
        }
    }
    if (by_gang && !leaves)
        for (struct vregion *u = r->up; u; u = u->up) {
            if (u->region->kind == REGION_LOOP && !u->gang_exit)
                changed = u->gang_exit = true;
            if (u->region == r->region->target)
                break;
        }
    if (!partial)
        return changed;
    for (struct vregion *u = r->up; u; u = u->up) {
        if (!leaves && u->region == r->region->target) {
            changed |= mask(u);
            break;
        }
        if (u->region->kind == REGION_LOOP && !u->barrier)
            changed |= mask(u);
    }
    return changed;
}

static bool walk(struct vectorizer *v, struct region *list)
{
    bool changed = false;
    for (struct region *r = list; r; r = r->next) {
        struct vregion *i = v_info(v, r);
        switch (r->kind) {
        case REGION_CODE:
            ir_each_inst (inst, r->block)
                changed |= instruction(v, inst, i);
            break;
        case REGION_COPIES: changed |= copies(v, i); break;
        case REGION_BREAK:
        case REGION_CONTINUE:
        case REGION_RETURN:
        case REGION_EXIT:
        case REGION_UNREACHABLE: changed |= jumps(v, i); break;
        default: break;
        }
        changed |= walk(v, r->child);
        changed |= walk(v, r->other);
    }
    return changed;
}

void v_analyse(struct vectorizer *v)
{
    map_init(&v->info_of, v->arena);
    map_init(&v->home, v->arena);
    v->value = arena_array(v->arena, struct vinfo, v->from->nvalues + 1);
    v->temp = arena_array(v->arena, struct vinfo, v->tree->ntemps + 1);
    v->nregions = 0;
    gather(v, v->tree->body, NULL);
    v_find_low(v);
    while (walk(v, v->tree->body))
        ;
    for (uint32_t k = 0; k < v->from->nvalues; k++)
        v->value[k].multi = false;
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        v->temp[k].multi = false;
}

/* One instruction of one thread → the same for the lanes of a gang.
 *
 * What is the same for all lanes, or differs by a constant, is computed once, on scalars (on lane
 * 0's values). The rest is done on vectors; loads and stores of neighbouring elements become vector
 * ones, others gathers and scatters. What has no vector form is done lane by lane. */
#include "lower/gang/gang_int.h"

bool v_can(const struct ir_inst *i, const char **why)
{
    static const struct {
        enum ir_op op;
        const char *why;
    } cannot[] = {
        {IR_OP_call_ptr, "a call through a pointer"},
        {IR_OP_barrier_arrive, "a barrier that is not waited for"},
        {IR_OP_gridsync, "a barrier of the whole grid"},
    };
    for (size_t k = 0; k < sizeof cannot / sizeof *cannot; k++)
        if (cannot[k].op == i->op) {
            *why = cannot[k].why;
            return false;
        }
    if (i->op == IR_OP_call && i->callee->first) {
        *why = "a call of a function that is not inlined";
        return false;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (ir_is_vector(i->args[k]->type)) {
            *why = "it has vectors of its own";
            return false;
        }
    if (i->nresults && ir_is_vector(i->results[0].type)) {
        *why = "it has vectors of its own";
        return false;
    }
    return true;
}

/* ---- registers ---- */
static struct ir_value *lane_numbers(struct vectorizer *v, struct ir_value *base)
{
    ir_type t = v_vector(v, IR_I32);
    return v_op2(v, IR_OP_add, ir_build1(&v->b, IR_OP_splat, t, base),
                 ir_build0(&v->b, IR_OP_iota, t, 0));
}

static struct ir_value *wide_size(struct vectorizer *v, unsigned axis)
{
    ir_type t = v_vector(v, IR_I32);
    if (v->block[axis])
        return v_num(v, t, v->block[axis]);
    return ir_build1(&v->b, IR_OP_splat, t,
                     ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X + axis));
}

/* The size last: which argument is evaluated first is up to the compiler. */
static struct ir_value *by_size(struct vectorizer *v, enum ir_op op, struct ir_value *x,
                                unsigned axis)
{
    return v_op2(v, op, x, wide_size(v, axis));
}

/* Which thread a lane is where lanes lie in several rows: a vector. */
static struct ir_value *thread_of_lane(struct vectorizer *v, unsigned axis, unsigned p)
{
    struct ir_value *x = lane_numbers(v, v->linear0[p]);
    if (axis > 0)
        x = by_size(v, IR_OP_udiv, x, 0);
    if (axis > 1)
        return by_size(v, IR_OP_udiv, x, 1);
    return by_size(v, IR_OP_urem, x, axis);
}

/* The same for lane 0, where rows are powers of two. */
static struct ir_value *thread_of_first(struct vectorizer *v, unsigned axis, unsigned p)
{
    uint32_t below = 1;
    for (unsigned k = 0; k < axis; k++)
        below *= v->block[k];
    struct ir_value *x = v_op2(v, IR_OP_udiv, v->linear0[p], v_num(v, IR_I32, below));
    return axis < 2 ? v_op2(v, IR_OP_urem, x, v_num(v, IR_I32, v->block[axis])) : x;
}

/* A register in the form that its class asks for: lane 0's, or a vector. */
struct ir_value *v_register(struct vectorizer *v, enum ir_sreg which, ir_type t, unsigned p)
{
    ir_type words = v_vector(v, IR_I32);
    struct ir_value *x, *one;
    bool one_row = v->block[1] == 1 && v->block[2] == 1;
    int64_t weights[V_LANE_BITS];
    switch (which) {
    case IR_SREG_TID_X:
    case IR_SREG_TID_Y:
    case IR_SREG_TID_Z: {
        const unsigned axis = which - IR_SREG_TID_X;
        if (axis && v->block[axis] == 1)
            x = v_num(v, IR_I32, 0);
        else if (!v->linear)
            x = axis == 0 ? v->x : axis == 1 ? v->y[p] : v->z[p];
        else if (one_row)
            x = v->linear0[p];
        else if (v_register_weights(v, which, weights))
            x = thread_of_first(v, axis, p);
        else
            x = thread_of_lane(v, axis, p);
        break;
    }
    case IR_SREG_NTID_X:
    case IR_SREG_NTID_Y:
    case IR_SREG_NTID_Z:
        if (v->block[which - IR_SREG_NTID_X])
            x = v_num(v, IR_I32, v->block[which - IR_SREG_NTID_X]);
        else
            x = ir_build0(&v->b, IR_OP_sreg, IR_I32, which);
        break;
    case IR_SREG_CTAID_X:
        if (v->joined) {
            x = v->block_x;
            break;
        }
        x = ir_build0(&v->b, IR_OP_sreg, IR_I32, which);
        if (v->coarse_x)
            x = v_op2(v, IR_OP_add, x, v->block_x);
        break;
    case IR_SREG_CTAID_Y:
        x = ir_build0(&v->b, IR_OP_sreg, IR_I32, which);
        if (v->coarse_y)
            x = v_op2(v, IR_OP_add, x, v->block_y);
        break;
    case IR_SREG_LANEID: x = v_num(v, IR_I32, 0); break; /* lane 0; gangs are warps here */
    case IR_SREG_WARPID: x = v_op2(v, IR_OP_lshr, v->linear0[p], v_num(v, IR_I32, 5)); break;
    case IR_SREG_LANEMASK_EQ:
    case IR_SREG_LANEMASK_LT:
    case IR_SREG_LANEMASK_LE:
    case IR_SREG_LANEMASK_GT:
    case IR_SREG_LANEMASK_GE:
        one = v_op2(v, IR_OP_shl, v_num(v, words, 1), ir_build0(&v->b, IR_OP_iota, words, 0));
        x = one;
        if (which == IR_SREG_LANEMASK_LT || which == IR_SREG_LANEMASK_GE)
            x = v_op2(v, IR_OP_sub, one, v_num(v, words, 1));
        if (which == IR_SREG_LANEMASK_LE || which == IR_SREG_LANEMASK_GT)
            x = v_op2(v, IR_OP_sub, v_op2(v, IR_OP_add, one, one), v_num(v, words, 1));
        if (which == IR_SREG_LANEMASK_GT || which == IR_SREG_LANEMASK_GE)
            x = ir_build1(&v->b, IR_OP_not, words, x);
        break;
    default: return ir_build0(&v->b, IR_OP_sreg, t, which);
    }
    ir_type want = ir_like(t, x->type);
    return x->type == want ? x
                           : ir_build1(&v->b, ir_bits(t) < 32 ? IR_OP_trunc : IR_OP_zext, want, x);
}

/* ---- lane by lane ---- */
struct ir_value *v_lane(struct vectorizer *v, struct ir_value *x, unsigned piece, unsigned l)
{
    int64_t stride;
    if (x->kind != IR_VALUE_PARAM && x->kind != IR_VALUE_RESULT)
        return x;
    enum vclass c = v_class(v, x, v->at, &stride);
    if (c == V_VARY || v_is_assumed(v, x)) {
        struct ir_value *w = v_wide(v, x, piece);
        struct ir_inst *e = ir_build(&v->b, IR_OP_extract, ir_scalar(w->type), &w, 1);
        e->imm = l;
        return &e->results[0];
    }
    struct ir_value *s = v_scalar(v, x, piece);
    if (c < V_AFFINE || !l)
        return s;
    int64_t by = stride * (int64_t)l;
    for (unsigned k = 0; c == V_BITS && k < V_LANE_BITS; k++)
        by += l >> k & 1 ? v->value[x->id].weight[k] : 0;
    bool pointer = ir_kind(s->type) == IR_PTR;
    return v_op2(v, pointer ? IR_OP_ptradd : IR_OP_add, s,
                 v_num(v, pointer ? IR_I64 : s->type, (uint64_t)by));
}

static struct ir_inst *same_with(struct vectorizer *v, const struct ir_inst *i,
                                 struct ir_value *const *args)
{
    ir_type types[8];
    for (uint32_t k = 0; k < i->nresults; k++)
        types[k] = i->results[k].type;
    struct ir_inst *c =
        ir_build_results(&v->b, (enum ir_op)i->op, i->type, args, i->nargs, types, i->nresults);
    c->flags = i->flags;
    c->align = i->align;
    c->imm = i->imm;
    c->callee = i->callee;
    return c;
}

static void lane_by_lane(struct vectorizer *v, struct ir_inst *i, unsigned p, uint32_t nresults)
{
    struct ir_value *mask = v_mask(v, p), *result[8];
    struct ir_value **args = arena_array(v->arena, struct ir_value *, i->nargs + 1);
    const bool everywhere = ir_op_info[i->op].flags & IR_PURE || v_is_all(mask);
    for (uint32_t k = 0; k < nresults; k++)
        result[k] = v_num(v, v_vector(v, i->results[k].type), 0);
    for (unsigned l = 0; l < v->lanes; l++) {
        struct ir_block *no = NULL, *after = NULL;
        struct ir_value *was[8];
        for (uint32_t k = 0; k < nresults; k++)
            was[k] = result[k];
        if (!everywhere) {
            struct ir_inst *on = ir_build(&v->b, IR_OP_extract, IR_I1, &mask, 1);
            on->imm = l;
            v_branch(v, &on->results[0], &no);
        }
        for (uint32_t k = 0; k < i->nargs; k++)
            args[k] = v_lane(v, i->args[k], p, l);
        struct ir_inst *c = same_with(v, i, args);
        for (uint32_t k = 0; k < nresults; k++) {
            struct ir_value *both[2] = {result[k], &c->results[k]};
            struct ir_inst *in = ir_build(&v->b, IR_OP_insert, result[k]->type, both, 2);
            in->imm = l;
            result[k] = &in->results[0];
        }
        if (!no)
            continue;
        after = ir_block_new(v->to, NULL);
        ir_build_br(&v->b, after, result, nresults);
        v->b.block = no;
        ir_build_br(&v->b, after, was, nresults);
        for (uint32_t k = 0; k < nresults; k++)
            result[k] = ir_block_param(after, result[k]->type, NULL);
        v->b.block = after;
    }
    for (uint32_t k = 0; k < nresults; k++)
        v_define(v, &i->results[k], p, result[k]);
}

/* assertfail, trap: nothing runs after it, so that it is that of the first lane, and says which
 * thread that is. */
static void fail(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    struct ir_value *mask = v_mask(v, p), *first = v_num(v, IR_I32, 0), *args[8];
    struct ir_block *no = NULL;
    uint32_t n = 0;
    int64_t stride;
    if (!v_is_all(mask)) {
        v_branch(v, ir_build1(&v->b, IR_OP_anylane, IR_VOID, mask), &no);
        ir_type w = v_vector(v, IR_I32);
        struct ir_value *on = ir_build3(&v->b, IR_OP_select, w, mask,
                                        ir_build0(&v->b, IR_OP_iota, w, 0), v_num(v, w, v->lanes));
        struct ir_inst *least = ir_build(&v->b, IR_OP_reduce, IR_I32, &on, 1);
        least->imm = IR_RMW_UMIN;
        first = &least->results[0];
    }
    for (; n < i->nargs; n++) {
        struct ir_value *x = i->args[n];
        if (v_is_local(x) && !v_uniform(v, v_class(v, x, v->at, &stride)))
            x = ir_build2(&v->b, IR_OP_extractv, ir_scalar(x->type), v_wide(v, x, p), first);
        else if (v_is_local(x))
            x = v_scalar(v, x, p);
        args[n] = x;
    }
    for (unsigned axis = 0; axis < 3; axis++, n++) {
        const bool rows = v->linear && v->block[1] * v->block[2] != 1;
        struct ir_value *x =
            rows ? thread_of_lane(v, axis, p) : v_register(v, IR_SREG_TID_X + axis, IR_I32, p);
        args[n] = ir_is_vector(x->type) ? ir_build2(&v->b, IR_OP_extractv, IR_I32, x, first)
                  : axis                ? x
                                        : v_op2(v, IR_OP_add, x, first);
    }
    struct ir_inst *made = ir_build(&v->b, (enum ir_op)i->op, IR_VOID, args, n);
    made->flags = i->flags;
    made->span = i->span;
    if (!no)
        return;
    struct ir_block *after = ir_block_new(v->to, NULL);
    ir_build_br(&v->b, after, NULL, 0);
    v->b.block = no;
    ir_build_br(&v->b, after, NULL, 0);
    v->b.block = after;
}

/* ---- memory ---- */
static bool in_a_row(const struct ir_inst *i, enum vclass c, int64_t stride)
{
    return c == V_AFFINE && stride == (int64_t)ir_bytes(ir_scalar(i->type)) && !ir_order(i->flags);
}

/* Where an address is in a row only if indices do not wrap, that is asked: goes on where it is; *no
 * is where lanes go by themselves. */
static bool ask_straight(struct vectorizer *v, struct ir_value *address, unsigned p,
                         struct ir_block **no)
{
    if (!v_is_local(address) || !v->value[address->id].assumed)
        return false;
    v_branch(v, v->unwrapped[(size_t)address->id * v->pieces + p], no);
    return true;
}

/* How lanes' addresses are taken: side by side, at constant distances, or each as it is. */
enum places { ROW, STEPS, EACH };

static struct ir_inst *load_lanes(struct vectorizer *v, struct ir_inst *i, unsigned p,
                                  enum places how)
{
    struct ir_value *mask = v_mask(v, p), *at = i->args[0];
    const bool row = how == ROW;
    struct ir_value *args[2] = {row            ? v_scalar(v, at, p)
                                : how == STEPS ? v_steps(v, at, p)
                                               : v_wide(v, at, p),
                                mask};
    bool whole = row && v_is_all(mask);
    struct ir_inst *made = ir_build(&v->b,
                                    whole ? IR_OP_load
                                    : row ? IR_OP_mload
                                          : IR_OP_gather,
                                    v_vector(v, i->type), args, whole ? 1 : 2);
    made->align = i->align;
    made->flags = i->flags;
    return made;
}

static void load(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    int64_t stride;
    enum vclass c = v_class(v, i->args[0], v->at, &stride);
    const enum places how = in_a_row(i, c, stride) ? ROW : c == V_BITS ? STEPS : EACH;
    struct ir_block *no;
    if (how == EACH || !ask_straight(v, i->args[0], p, &no)) {
        v_define(v, &i->results[0], p, &load_lanes(v, i, p, how)->results[0]);
        return;
    }
    struct ir_block *join = ir_block_new(v->to, NULL);
    struct ir_value *x = &load_lanes(v, i, p, how)->results[0];
    ir_build_br(&v->b, join, &x, 1);
    v->b.block = no;
    x = &load_lanes(v, i, p, EACH)->results[0];
    ir_build_br(&v->b, join, &x, 1);
    v->b.block = join;
    v_define(v, &i->results[0], p, ir_block_param(join, v_vector(v, i->type), NULL));
}

static void store_lanes(struct vectorizer *v, struct ir_inst *i, unsigned p, bool row)
{
    struct ir_value *mask = v_mask(v, p);
    struct ir_value *args[3] = {row ? v_scalar(v, i->args[0], p) : v_wide(v, i->args[0], p),
                                v_wide(v, i->args[1], p), mask};
    bool whole = row && v_is_all(mask);
    struct ir_inst *made = ir_build(&v->b,
                                    whole ? IR_OP_store
                                    : row ? IR_OP_mstore
                                          : IR_OP_scatter,
                                    v_vector(v, i->type), args, whole ? 2 : 3);
    made->align = i->align;
    made->flags = i->flags;
}

static void store(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    int64_t stride, unused;
    enum vclass c = v_class(v, i->args[0], v->at, &stride);
    if (c <= V_GANG && v_class(v, i->args[1], v->at, &unused) <= V_GANG) {
        struct ir_value *args[2] = {v_scalar(v, i->args[0], p), v_scalar(v, i->args[1], p)};
        same_with(v, i, args);
        return;
    }
    bool row = in_a_row(i, c, stride);
    struct ir_block *no;
    if (!row || !ask_straight(v, i->args[0], p, &no)) {
        store_lanes(v, i, p, row);
        return;
    }
    struct ir_block *join = ir_block_new(v->to, NULL);
    store_lanes(v, i, p, true);
    ir_build_br(&v->b, join, NULL, 0);
    v->b.block = no;
    store_lanes(v, i, p, false);
    ir_build_br(&v->b, join, NULL, 0);
    v->b.block = join;
}

static bool is_used(const struct vectorizer *v, const struct ir_value *x);

static void atomic(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    int64_t stride;
    struct ir_value *mask = v_mask(v, p);
    enum vclass c = v_class(v, i->args[0], v->at, &stride);
    enum ir_rmw kind = (enum ir_rmw)i->imm;
    ir_type t = v_vector(v, i->type);
    static const bool folds[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = true,  [IR_RMW_AND] = true,  [IR_RMW_OR] = true,   [IR_RMW_XOR] = true,
        [IR_RMW_UMIN] = true, [IR_RMW_UMAX] = true, [IR_RMW_SMIN] = true, [IR_RMW_SMAX] = true};
    if (c <= V_GANG && folds[kind] && !is_used(v, &i->results[0])) {
        /* One atomic for the gang: order does not matter to integers. */
        unsigned bits = ir_bits(i->type);
        uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, top = UINT64_C(1)
                                                                                   << (bits - 1);
        uint64_t neutral = kind == IR_RMW_AND || kind == IR_RMW_UMIN ? ones
                           : kind == IR_RMW_SMIN                     ? top - 1
                           : kind == IR_RMW_SMAX                     ? top
                                                                     : 0;
        struct ir_value *x = v_wide(v, i->args[1], p);
        if (!v_is_all(mask))
            x = ir_build3(&v->b, IR_OP_select, t, mask, x, v_num(v, t, neutral));
        struct ir_inst *r = ir_build(&v->b, IR_OP_reduce, i->type, &x, 1);
        r->imm = kind;
        struct ir_value *args[2] = {v_scalar(v, i->args[0], p), &r->results[0]};
        same_with(v, i, args);
        v_define(v, &i->results[0], p, v_num(v, t, 0));
        return;
    }
    struct ir_value *args[3] = {v_wide(v, i->args[0], p), v_wide(v, i->args[1], p), mask};
    struct ir_inst *made = ir_build(&v->b, IR_OP_mrmw, t, args, 3);
    made->imm = i->imm;
    made->flags = i->flags;
    v_define(v, &i->results[0], p, &made->results[0]);
}

/* ---- warps: a piece is a warp of 32 lanes ---- */
static struct ir_value *bits_of(struct vectorizer *v, struct ir_value *mask)
{
    return ir_build1(&v->b, IR_OP_maskbits, IR_VOID, mask);
}

static void shuffle(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    ir_type w = v_vector(v, IR_I32);
    struct ir_value *x = v_wide(v, i->args[1], p), *by = v_wide(v, i->args[2], p),
                    *control = v_wide(v, i->args[3], p);
    struct ir_value *self = ir_build0(&v->b, IR_OP_iota, w, 0), *thirty_one = v_num(v, w, 31);
    by = v_op2(v, IR_OP_and, by, thirty_one);
    struct ir_value *clamp = v_op2(v, IR_OP_and, control, thirty_one);
    struct ir_value *segment =
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_lshr, control, v_num(v, w, 8)), thirty_one);
    struct ir_value *outside = ir_build1(&v->b, IR_OP_not, w, segment);
    struct ir_value *low = v_op2(v, IR_OP_and, self, segment);
    struct ir_value *high = v_op2(v, IR_OP_or, low, v_op2(v, IR_OP_and, clamp, outside));
    struct ir_value *from, *in;
    switch (i->imm) {
    case IR_SHFL_IDX: from = v_op2(v, IR_OP_or, low, v_op2(v, IR_OP_and, by, outside)); break;
    case IR_SHFL_UP: from = v_op2(v, IR_OP_sub, self, by); break;
    case IR_SHFL_DOWN: from = v_op2(v, IR_OP_add, self, by); break;
    default: from = v_op2(v, IR_OP_xor, self, by); break;
    }
    if (i->imm == IR_SHFL_UP)
        in = ir_build2(&v->b, IR_OP_sle, w, high, from);
    else
        in = ir_build2(&v->b, IR_OP_sle, w, from, high);
    struct ir_value *index = ir_build3(&v->b, IR_OP_select, w, in, from, self);
    if (i->imm == IR_SHFL_XOR && ir_is_const(i->args[2]) && ir_is_const(i->args[3]) &&
        i->args[3]->u.bits == 31) /* the whole warp: every lane is in range */
        index = v_op2(v, IR_OP_xor, self, v_num(v, w, i->args[2]->u.bits & 31));
    struct ir_value *r = ir_build2(&v->b, IR_OP_permute, x->type, x, index), *mask = v_mask(v, p);
    /* From a lane that takes no part comes 0. */
    struct ir_value *nothing = v_num(v, x->type, 0);
    int64_t stride;
    if (!v_is_all(mask))
        r = ir_build3(&v->b, IR_OP_select, x->type,
                      ir_build2(&v->b, IR_OP_permute, mask->type, mask, index), r, nothing);
    if (v_class(v, i->args[0], v->at, &stride) == V_VARY) {
        struct ir_value *members = v_wide(v, i->args[0], p);
        struct ir_value *theirs = ir_build2(&v->b, IR_OP_permute, w, members, index);
        r = ir_build3(&v->b, IR_OP_select, x->type, ir_build2(&v->b, IR_OP_eq, w, theirs, members),
                      r, nothing);
    }
    v_define(v, &i->results[0], p, r);
    v_define(v, &i->results[1], p, in);
}

static void vote(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    struct ir_value *m = v_mask(v, p), *pred = v_wide(v, i->args[1], p);
    struct ir_value *ones = bits_of(v, v_and(v, m, pred)), *here = bits_of(v, m);
    bool vary = v->value[i->results[0].id].class == V_VARY;
    ir_type t = vary ? v_vector(v, IR_I32) : IR_I32;
    struct ir_value *members = vary ? v_wide(v, i->args[0], p) : v_scalar(v, i->args[0], p);
    if (vary) {
        ones = ir_build1(&v->b, IR_OP_splat, t, ones);
        here = ir_build1(&v->b, IR_OP_splat, t, here);
    }
    ones = v_op2(v, IR_OP_and, ones, members);
    here = v_op2(v, IR_OP_and, here, members);
    struct ir_value *zero = v_num(v, t, 0), *is;
    switch (i->imm) {
    case IR_VOTE_ANY: is = ir_build2(&v->b, IR_OP_ne, t, ones, zero); break;
    case IR_VOTE_ALL: is = ir_build2(&v->b, IR_OP_eq, t, ones, here); break;
    case IR_VOTE_UNI:
        is = v_op2(v, IR_OP_or, ir_build2(&v->b, IR_OP_eq, t, ones, here),
                   ir_build2(&v->b, IR_OP_eq, t, ones, zero));
        break;
    default: v_define(v, &i->results[0], p, ones); return;
    }
    v_define(v, &i->results[0], p, ir_build1(&v->b, IR_OP_zext, t, is));
}

/* For each lane, the lanes with the same value: one comparison per lane. */
static void match(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    ir_type w = v_vector(v, IR_I32);
    struct ir_value *x = v_wide(v, i->args[1], p), *m = v_mask(v, p), *same = v_num(v, w, 0);
    if (ir_class(x->type) == IR_CLASS_FLOAT)
        x = ir_build1(&v->b, IR_OP_bitcast,
                      ir_like(ir_bits(x->type) == 64   ? IR_I64
                              : ir_bits(x->type) == 32 ? IR_I32
                                                       : IR_I16,
                              x->type),
                      x);
    for (unsigned l = 0; l < v->lanes; l++) {
        struct ir_inst *e = ir_build(&v->b, IR_OP_extract, ir_scalar(x->type), &x, 1);
        e->imm = l;
        struct ir_value *all = ir_build1(&v->b, IR_OP_splat, x->type, &e->results[0]);
        struct ir_value *both[2] = {
            same, bits_of(v, v_and(v, m, ir_build2(&v->b, IR_OP_eq, x->type, x, all)))};
        struct ir_inst *in = ir_build(&v->b, IR_OP_insert, w, both, 2);
        in->imm = l;
        same = &in->results[0];
    }
    struct ir_value *members = v_wide(v, i->args[0], p);
    same = v_op2(v, IR_OP_and, same, members);
    struct ir_value *here =
        v_op2(v, IR_OP_and, members, ir_build1(&v->b, IR_OP_splat, w, bits_of(v, m)));
    struct ir_value *agree = ir_build2(&v->b, IR_OP_eq, w, same, here);
    if (i->imm == 1)
        same = ir_build3(&v->b, IR_OP_select, w, agree, same, v_num(v, w, 0));
    v_define(v, &i->results[0], p, same);
    v_define(v, &i->results[1], p, agree);
}

static void redux(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    static const uint32_t neutral[IR_RMW_COUNT] = {[IR_RMW_AND] = UINT32_MAX,
                                                   [IR_RMW_UMIN] = UINT32_MAX,
                                                   [IR_RMW_SMIN] = INT32_MAX,
                                                   [IR_RMW_SMAX] = 0x80000000u};
    ir_type w = v_vector(v, IR_I32);
    struct ir_value *x = v_wide(v, i->args[1], p), *m = v_mask(v, p);
    struct ir_value *none = v_num(v, w, neutral[i->imm]);
    bool vary = v->value[i->results[0].id].class == V_VARY;
    struct ir_value *result = v_num(v, w, 0);
    for (unsigned l = 0; l < (vary ? v->lanes : 1); l++) {
        struct ir_value *members = v_lane(v, i->args[0], p, l);
        struct ir_value *bit = v_op2(v, IR_OP_and,
                                     v_op2(v, IR_OP_lshr, ir_build1(&v->b, IR_OP_splat, w, members),
                                           ir_build0(&v->b, IR_OP_iota, w, 0)),
                                     v_num(v, w, 1));
        struct ir_value *in = v_and(v, m, ir_build2(&v->b, IR_OP_ne, w, bit, v_num(v, w, 0)));
        struct ir_value *y = ir_build3(&v->b, IR_OP_select, w, in, x, none);
        struct ir_inst *r = ir_build(&v->b, IR_OP_reduce, IR_I32, &y, 1);
        r->imm = i->imm;
        if (!vary) {
            v_define(v, &i->results[0], p, &r->results[0]);
            return;
        }
        struct ir_value *both[2] = {result, &r->results[0]};
        struct ir_inst *put = ir_build(&v->b, IR_OP_insert, w, both, 2);
        put->imm = l;
        result = &put->results[0];
    }
    v_define(v, &i->results[0], p, result);
}

/* ---- matrices: the registers of all lanes in memory, and a function that back ends know ---- */
static void matrix(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    static const struct {
        const char *name;
        uint8_t na, nb;
    } shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) {"tern.mma." #name, na, nb},
#include "ir/mma.def"
    };
    struct ir_func *f = ir_func_find(v->module, shapes[i->imm].name);
    ir_type local = IR_PTR_TO(IR_SPACE_LOCAL);
    if (!f) {
        f = ir_func_new(v->module, shapes[i->imm].name, IR_VOID, 0);
        for (int k = 0; k < 3; k++)
            ir_func_param(f, NULL, local, 0, 0, 0);
    }
    if (!v->matrices)
        v->matrices = ir_build_alloca(v->to, 16 * 32 * 8, 64, "matrices");
    struct ir_value *at[16], *args[3];
    uint64_t offset = 0;
    for (uint32_t k = 0; k < i->nargs; k++) {
        at[k] = ir_build2(&v->b, IR_OP_ptradd, local, v->matrices, v_num(v, IR_I64, offset));
        struct ir_value *x = v_wide(v, i->args[k], p);
        ir_build_store(&v->b, at[k], x, 16, 0);
        offset += ir_bytes(x->type);
    }
    args[0] = at[0], args[1] = at[shapes[i->imm].na];
    args[2] = at[shapes[i->imm].na + shapes[i->imm].nb];
    ir_build_call(&v->b, f, args, 3);
    for (uint32_t k = 0; k < i->nresults; k++)
        v_define(v, &i->results[k], p,
                 ir_build_load(&v->b, v_vector(v, i->results[k].type),
                               at[i->nargs - i->nresults + k], 16, 0));
}

/* ---- local memory ---- */
/* One copy per lane, one after the other; per gang too when gangs wait for each other at barriers.
 */
static void local(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    uint64_t size = (uint64_t)v->value[i->results[0].id].stride * v->lanes;
    bool by_gang = v->context[v->alive] || v->several;
    struct ir_value **memory = &v->local[(size_t)i->results[0].id * v->pieces + p];
    if (!*memory)
        *memory = ir_build_alloca(v->to, size * (by_gang ? v->ngangs : 1),
                                  i->align < 16 ? 16 : i->align, i->results[0].name);
    struct ir_value *at = *memory;
    if (by_gang) {
        struct ir_value *offset = v_op2(v, IR_OP_mul, ir_build1(&v->b, IR_OP_zext, IR_I64, v->gang),
                                        v_num(v, IR_I64, size));
        at = ir_build2(&v->b, IR_OP_ptradd, at->type, at, offset);
    } else if (!(i->flags & IR_UNSET)) {
        struct ir_value *args[3] = {at, v_num(v, IR_I8, 0), v_num(v, IR_I64, size)};
        ir_build(&v->b, IR_OP_memset, IR_VOID, args, 3);
    }
    v_define(v, &i->results[0], p, at);
}

/* ---- all ---- */
static bool is_used(const struct vectorizer *v, const struct ir_value *x)
{
    return v->uses[x->id] > 0;
}

static void on_scalars(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    struct ir_value **args = arena_array(v->arena, struct ir_value *, i->nargs + 1);
    for (uint32_t k = 0; k < i->nargs; k++)
        args[k] = v_scalar(v, i->args[k], p);
    struct ir_inst *c = same_with(v, i, args);
    for (uint32_t k = 0; k < i->nresults; k++)
        v_define(v, &i->results[k], p, &c->results[k]);
}

/* And is there no wrap between x and what lies `by` from it? */
static struct ir_value *stays(struct vectorizer *v, enum ir_op upto, struct ir_value *x, int64_t by,
                              bool up, struct ir_value *and)
{
    if (!by)
        return and;
    struct ir_value *far = v_op2(v, IR_OP_add, x, v_num(v, x->type, (uint64_t)by & UINT32_MAX));
    struct ir_value *own = ir_build2(&v->b, upto, x->type, up ? x : far, up ? far : x);
    return and? v_op2(v, IR_OP_and, and, own) : own;
}

/* What is assumed of i's result: what was of its operands, and that an extended index does not wrap
 * from the first lane to the last. */
static void note_straight(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    struct ir_value *holds = NULL;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (v_is_assumed(v, i->args[k])) {
            struct ir_value *one = v->unwrapped[(size_t)i->args[k]->id * v->pieces + p];
            holds = holds ? v_op2(v, IR_OP_and, holds, one) : one;
        }
    if (v_may_wrap(v, i)) {
        const struct vinfo *n = &v->value[i->args[0]->id];
        const int64_t last = n->stride * (int64_t)(v->lanes - 1);
        int64_t above = last > 0 ? last : 0, below = last < 0 ? last : 0;
        if (n->class == V_BITS)
            v_reach(n->weight, &above, &below);
        struct ir_value *first = v_scalar(v, i->args[0], p);
        const enum ir_op upto = i->op == IR_OP_sext ? IR_OP_sle : IR_OP_ule;
        holds = stays(v, upto, first, above, true, holds);
        holds = stays(v, upto, first, below, false, holds);
    }
    v->unwrapped[(size_t)i->results[0].id * v->pieces + p] = holds;
}

static struct ir_value *vector_form(struct vectorizer *v, struct ir_inst *i, unsigned p, bool exact)
{
    struct ir_value *args[3];
    for (uint32_t k = 0; k < i->nargs; k++)
        args[k] = exact ? v_exact(v, i->args[k], p) : v_wide(v, i->args[k], p);
    ir_type t = i->type == IR_VOID ? IR_VOID : v_vector(v, i->type);
    struct ir_inst *c = ir_build(&v->b, (enum ir_op)i->op, t, args, i->nargs);
    c->flags = i->flags;
    c->imm = i->imm;
    return &c->results[0];
}

/* The value of each lane by itself, whatever was assumed. */
struct ir_value *v_exact(struct vectorizer *v, struct ir_value *x, unsigned p)
{
    if (!v_is_assumed(v, x))
        return v_wide(v, x, p);
    return vector_form(v, x->u.inst, p, true);
}

static void on_vectors(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    v_define(v, &i->results[0], p, vector_form(v, i, p, false));
}

static void one_piece(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    enum vclass c = i->nresults ? (enum vclass)v->value[i->results[0].id].class : V_VARY;
    switch (i->op) {
    case IR_OP_sreg:
        v_define(v, &i->results[0], p, v_register(v, (enum ir_sreg)i->imm, i->type, p));
        return;
    case IR_OP_alloca: local(v, i, p); return;
    case IR_OP_load:
        if (c == V_VARY)
            load(v, i, p);
        else
            on_scalars(v, i, p);
        return;
    case IR_OP_store: store(v, i, p); return;
    case IR_OP_rmw: atomic(v, i, p); return;
    case IR_OP_shfl: shuffle(v, i, p); return;
    case IR_OP_vote: vote(v, i, p); return;
    case IR_OP_match: match(v, i, p); return;
    case IR_OP_redux: redux(v, i, p); return;
    case IR_OP_mma: matrix(v, i, p); return;
    case IR_OP_activemask: v_define(v, &i->results[0], p, bits_of(v, v_mask(v, p))); return;
    case IR_OP_clock: on_scalars(v, i, p); return;
    case IR_OP_assertfail:
    case IR_OP_trap: fail(v, i, p); return;
    case IR_OP_printf: {
        struct ir_value *count = v_num(v, IR_I32, i->nargs - 1);
        lane_by_lane(v, i, p, 0);
        v_define(v, &i->results[0], p, count);
        return;
    }
    default: break;
    }
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (info->flags & IR_PURE && c != V_VARY) {
        on_scalars(v, i, p);
        if (i->nresults && v_is_assumed(v, &i->results[0]))
            note_straight(v, i, p);
    } else if (info->flags & IR_PURE && info->flags & IR_ELEMENTWISE && i->op != IR_OP_isspace)
        on_vectors(v, i, p);
    else
        lane_by_lane(v, i, p, i->nresults);
}

void v_instruction(struct vectorizer *v, struct ir_inst *i)
{
    switch (i->op) {
#ifndef TERN_SMALL
    case IR_OP_check: v_check(v, i); return;
#endif
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_warpsync:
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait: return;
    case IR_OP_fence:
    case IR_OP_sleep: {
        struct ir_value *args[1] = {i->nargs ? v_num(v, IR_I32, 0) : NULL};
        same_with(v, i, args);
        return;
    }
    default: break;
    }
    bool once = i->nresults && v->value[i->results[0].id].class == V_BLOCK && i->op != IR_OP_printf;
    for (unsigned p = 0; p < (once ? 1 : v->pieces); p++)
        one_piece(v, i, p);
}

/* What IEEE 754 and integers ask for and the hardware has no instruction for: square roots, and
 * division of integers, as operations that it has. Quotients are lower_quotients'.
 *
 * A root: an approximation, a step of Newton's, and of it and its neighbours the one that is right,
 * which the sign of an exact rest tells. Roots and quotients of f64 whose operands are far from
 * both ends of their range, as nearly all are, need nothing of that: one step with an exact rest is
 * right then, and who is not so lucky branches. A quotient of 32-bit integers: the reciprocal in
 * f32, made better by one step in integers, is at most two too small. */
#include "back/sass/exact.h"

struct making {
    struct ir_builder b;
    struct ir_module *m;
    ir_type t, bits;
};

static struct ir_value *num(struct making *x, uint64_t v)
{
    return ir_const(x->m, x->bits, v);
}

static struct ir_value *real(struct making *x, double v)
{
    return x->t == IR_F64 ? ir_const_f64(x->m, v) : ir_const_f32(x->m, (float)v);
}

static struct ir_value *op2(struct making *x, enum ir_op op, struct ir_value *a, struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *choose(struct making *x, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&x->b, IR_OP_select, a->type, c, a, b);
}

static struct ir_value *cast(struct making *x, ir_type t, struct ir_value *v)
{
    return ir_build1(&x->b, IR_OP_bitcast, t, v);
}

static struct ir_value *fused(struct making *x, struct ir_value *a, struct ir_value *b,
                              struct ir_value *c)
{
    return ir_build3(&x->b, IR_OP_fma, x->t, a, b, c);
}

/* ---- roots ---- */
static struct ir_value *neighbour(struct making *x, struct ir_value *v, int step)
{
    return cast(x, x->t, op2(x, IR_OP_add, cast(x, x->bits, v), num(x, (uint64_t)(int64_t)step)));
}

static struct ir_value *root(struct making *x, struct ir_value *a)
{
    const bool wide = x->t == IR_F64;
    struct ir_value *zero = real(x, 0), *half = real(x, 0.5);
    /* small ones are made larger, so that what is left over is no subnormal */
    struct ir_value *small =
        ir_build2(&x->b, IR_OP_flt, x->t, a, real(x, wide ? 0x1p-900 : 0x1p-60));
    struct ir_value *v =
        choose(x, small, op2(x, IR_OP_fmul, a, real(x, wide ? 0x1p200 : 0x1p64)), a);
    struct ir_inst *seed = ir_build(&x->b, IR_OP_frsqrt_fast, x->t, &v, 1);
    if (!wide)
        seed->flags |= IR_FTZ;
    struct ir_value *y = &seed->results[0];
    for (int k = 0; wide && k < 2; k++) { /* y + y/2 (1 - v y y) */
        struct ir_value *e =
            fused(x, ir_build1(&x->b, IR_OP_fneg, x->t, op2(x, IR_OP_fmul, v, y)), y, real(x, 1));
        y = fused(x, op2(x, IR_OP_fmul, y, half), e, y);
    }
    struct ir_value *s = op2(x, IR_OP_fmul, v, y);
    struct ir_value *rest = fused(x, ir_build1(&x->b, IR_OP_fneg, x->t, s), s, v);
    s = fused(x, rest, op2(x, IR_OP_fmul, y, half), s);
    /* s is right if s (s - ulp) < v <= s (s + ulp) */
    struct ir_value *minus = ir_build1(&x->b, IR_OP_fneg, x->t, s);
    struct ir_value *less = neighbour(x, s, -1), *more = neighbour(x, s, 1);
    struct ir_value *over = ir_build2(&x->b, IR_OP_fle, x->t, fused(x, minus, less, v), zero);
    struct ir_value *under = ir_build2(&x->b, IR_OP_flt, x->t, zero, fused(x, minus, more, v));
    s = choose(x, over, less, choose(x, under, more, s));
    s = choose(x, small, op2(x, IR_OP_fmul, s, real(x, wide ? 0x1p-100 : 0x1p-32)), s);
    uint64_t infinity = wide ? UINT64_C(0x7ff) << 52 : 0x7f800000, nan = infinity | infinity >> 1;
    struct ir_value *inf = ir_const(x->m, x->t, infinity);
    struct ir_value *ordinary = op2(x, IR_OP_and, ir_build2(&x->b, IR_OP_flt, x->t, zero, a),
                                    ir_build2(&x->b, IR_OP_flt, x->t, a, inf));
    struct ir_value *other =
        choose(x, ir_build2(&x->b, IR_OP_flt, x->t, a, zero), ir_const(x->m, x->t, nan), a);
    return choose(x, ordinary, s, other);
}

/* ---- f64 far from the ends of its range ---- */
enum { EXPONENT = 20 }; /* where it stands in the high word */
#define MIDDLE  (UINT32_C(128) << EXPONENT)
#define MIDDLES (UINT32_C(1790) << EXPONENT)
#define APART   (UINT32_C(1000) << EXPONENT)

static struct ir_value *word(struct making *x, uint32_t v)
{
    return ir_const(x->m, IR_I32, v);
}

static struct ir_value *high_word(struct making *x, struct ir_value *v)
{
    struct ir_value *bits = cast(x, IR_I64, v);
    return ir_build1(&x->b, IR_OP_trunc, IR_I32,
                     op2(x, IR_OP_lshr, bits, ir_const(x->m, IR_I64, 32)));
}

/* from <= v < from + n */
static struct ir_value *is_within(struct making *x, struct ir_value *v, uint32_t from, uint32_t n)
{
    return ir_build2(&x->b, IR_OP_ult, IR_I32, op2(x, IR_OP_sub, v, word(x, from)), word(x, n));
}

static struct ir_value *high_magnitude(struct making *x, struct ir_value *v)
{
    return op2(x, IR_OP_and, high_word(x, v), word(x, INT32_MAX));
}

/* Right if the reciprocal is that which is nearest, which it may not be of a fraction of ones
 * alone, and nothing on the way is subnormal. Zeros are divided often, and come out right but for
 * their sign. */
static struct ir_value *quick_quotient(struct making *x, struct ir_value *a, struct ir_value *b,
                                       struct ir_value **good)
{
    struct ir_value *ma = high_magnitude(x, a), *mb = high_magnitude(x, b);
    *good = op2(x, IR_OP_and, is_within(x, ma, MIDDLE, MIDDLES),
                is_within(x, op2(x, IR_OP_sub, ma, mb), 0 - APART, 2 * APART));
    *good = op2(x, IR_OP_or, *good, ir_build2(&x->b, IR_OP_feq, IR_F64, a, real(x, 0)));
    *good = op2(x, IR_OP_and, *good, is_within(x, mb, MIDDLE, MIDDLES));
    struct ir_value *low = ir_build1(&x->b, IR_OP_trunc, IR_I32, cast(x, IR_I64, b));
    *good = op2(x, IR_OP_and, *good, ir_build2(&x->b, IR_OP_ne, IR_I32, low, word(x, UINT32_MAX)));
    struct ir_value *y = ir_build1(&x->b, IR_OP_frcp_fast, IR_F64, b);
    struct ir_value *q = op2(x, IR_OP_fmul, a, y);
    struct ir_value *rest = fused(x, ir_build1(&x->b, IR_OP_fneg, IR_F64, b), q, a);
    return op2(x, IR_OP_fcopysign, fused(x, rest, y, q), q);
}

/* The approximation y becomes y (1 + e/2 + 3/8 e e), where e = 1 - a y y. */
static struct ir_value *quick_root(struct making *x, struct ir_value *a, struct ir_value **good)
{
    *good = is_within(x, high_word(x, a), MIDDLE, MIDDLES);
    struct ir_value *y = ir_build1(&x->b, IR_OP_frsqrt_fast, IR_F64, a);
    struct ir_value *minus = ir_build1(&x->b, IR_OP_fneg, IR_F64, a);
    struct ir_value *e = fused(x, minus, op2(x, IR_OP_fmul, y, y), real(x, 1));
    y = fused(x, fused(x, e, real(x, 0.375), real(x, 0.5)), op2(x, IR_OP_fmul, y, e), y);
    struct ir_value *s = op2(x, IR_OP_fmul, a, y);
    struct ir_value *rest = fused(x, ir_build1(&x->b, IR_OP_fneg, IR_F64, s), s, a);
    return fused(x, rest, op2(x, IR_OP_fmul, y, real(x, 0.5)), s);
}

/* The operation itself moves to a block of its own, for the others. */
static void set_aside(struct making *x, struct ir_inst *i)
{
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *rare = ir_block_after(before, NULL);
    struct ir_value *good, *quick, *result = ir_block_param(after, IR_F64, NULL);
    x->b = ir_builder_at_end(before);
    x->b.span = i->span;
    quick = i->op == IR_OP_fdiv ? quick_quotient(x, i->args[0], i->args[1], &good)
                                : quick_root(x, i->args[0], &good);
    struct ir_value *token = &ir_build(&x->b, IR_OP_split, IR_VOID, NULL, 0)->results[0];
    struct ir_inst *choice = ir_build(&x->b, IR_OP_condbr, IR_VOID, &good, 1);
    ir_add_edge(choice, after, &quick, 1, 0);
    ir_add_edge(choice, rare, NULL, 0, 0);
    rare->rare = true;
    x->b = ir_builder_at_end(rare);
    x->b.span = i->span;
    struct ir_value *slow = &ir_build(&x->b, i->op, IR_F64, i->args, i->nargs)->results[0];
    ir_build_br(&x->b, after, &slow, 1);
    x->b = ir_builder_before(i);
    ir_build(&x->b, IR_OP_join, IR_VOID, &token, 1);
    i->results[0].forward = result;
    ir_remove(i);
}

static bool is_quick(const struct ir_inst *i)
{
    return (i->op == IR_OP_fdiv || i->op == IR_OP_fsqrt) && i->type == IR_F64 &&
           !(i->flags & (IR_FAST | IR_ROUND_MASK | IR_FTZ)) && !i->block->rare;
}

void sass_quick(struct ir_func *f)
{
    struct making x = {.m = f->module, .t = IR_F64, .bits = IR_I64};
    bool changed = false;
    for (struct ir_block *b = f->first; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (is_quick(i)) { /* what is behind it stands in a later block */
                set_aside(&x, i);
                changed = true;
                break;
            }
    if (changed)
        ir_replace_forwarded(f);
}

/* ---- division of integers ---- */
static struct ir_value *divided(struct making *x, struct ir_value *a, struct ir_value *b,
                                struct ir_value **rest)
{
    struct ir_builder *at = &x->b;
    struct ir_value *zero = num(x, 0);
    struct ir_value *f = ir_build_flags(at, IR_OP_uitof, IR_F32, IR_RU, 1, b, NULL, NULL);
    struct ir_value *r = ir_build_flags(at, IR_OP_frcp_fast, IR_F32, IR_FTZ, 1, f, NULL, NULL);
    r = cast(x, IR_F32, op2(x, IR_OP_add, cast(x, IR_I32, r), num(x, 0x0ffffffe)));
    struct ir_value *y = ir_build_flags(at, IR_OP_ftoui, IR_I32, IR_RZ, 1, r, NULL, NULL);
    struct ir_value *e = op2(x, IR_OP_mul, y, op2(x, IR_OP_sub, zero, b));
    y = op2(x, IR_OP_add, y, op2(x, IR_OP_umulhi, y, e));
    struct ir_value *q = op2(x, IR_OP_umulhi, y, a);
    struct ir_value *left = op2(x, IR_OP_sub, a, op2(x, IR_OP_mul, q, b));
    for (int k = 0; k < 2; k++) {
        struct ir_value *more = ir_build2(at, IR_OP_ule, IR_I32, b, left);
        q = choose(x, more, op2(x, IR_OP_add, q, num(x, 1)), q);
        left = choose(x, more, op2(x, IR_OP_sub, left, b), left);
    }
    *rest = left;
    return q;
}

/* ---- by a constant: a multiplication by its inverse, scaled so that rounding does not show ----
 */
static unsigned digits_below(uint32_t d) /* the least l with 2^l >= d */
{
    return d < 2 ? 0 : 32 - (unsigned)__builtin_clz(d - 1);
}

static struct ir_value *by_unsigned(struct making *x, struct ir_value *a, uint32_t d)
{
    const unsigned l = digits_below(d);
    if (!(d & (d - 1)))
        return op2(x, IR_OP_lshr, a, num(x, l));
    const uint64_t inverse = ((((UINT64_C(1) << l) - d) << 32) / d) + 1; /* less 2^32 */
    struct ir_value *t = op2(x, IR_OP_umulhi, num(x, inverse), a);
    struct ir_value *half = op2(x, IR_OP_lshr, op2(x, IR_OP_sub, a, t), num(x, 1));
    return op2(x, IR_OP_lshr, op2(x, IR_OP_add, t, half), num(x, l - 1));
}

static struct ir_value *by_signed(struct making *x, struct ir_value *a, int32_t d)
{
    const uint32_t size = d < 0 ? 0u - (uint32_t)d : (uint32_t)d;
    const unsigned l = digits_below(size);
    struct ir_value *sign = op2(x, IR_OP_ashr, a, num(x, 31)), *q = a;
    if (size > 1 && !(size & (size - 1))) { /* towards zero: numbers below it are rounded up */
        struct ir_value *up = op2(x, IR_OP_lshr, sign, num(x, 32 - l));
        q = op2(x, IR_OP_ashr, op2(x, IR_OP_add, a, up), num(x, l));
    } else if (size > 1) {
        const uint64_t inverse = (UINT64_C(1) << (31 + l)) / size + 1; /* less 2^32 */
        struct ir_value *t = op2(x, IR_OP_smulhi, num(x, (uint32_t)inverse), a);
        t = op2(x, IR_OP_ashr, op2(x, IR_OP_add, a, t), num(x, l - 1));
        q = op2(x, IR_OP_sub, t, sign);
    }
    return d < 0 ? op2(x, IR_OP_sub, num(x, 0), q) : q;
}

static struct ir_value *by_constant(struct making *x, struct ir_value *a, uint32_t d, bool sign,
                                    bool quotient)
{
    if (!sign && !quotient && !(d & (d - 1)))
        return op2(x, IR_OP_and, a, num(x, d - 1));
    struct ir_value *q = sign ? by_signed(x, a, (int32_t)d) : by_unsigned(x, a, d);
    return quotient ? q : op2(x, IR_OP_sub, a, op2(x, IR_OP_mul, q, num(x, d)));
}

static struct ir_value *magnitude(struct making *x, struct ir_value *a, struct ir_value **negative)
{
    *negative = ir_build2(&x->b, IR_OP_slt, IR_I32, a, num(x, 0));
    return choose(x, *negative, op2(x, IR_OP_sub, num(x, 0), a), a);
}

static struct ir_value *integer(struct making *x, const struct ir_inst *i)
{
    bool sign = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    bool quotient = i->op == IR_OP_udiv || i->op == IR_OP_sdiv;
    ir_type t = i->type;
    struct ir_value *a = i->args[0], *b = i->args[1], *na = NULL, *nb = NULL, *rest;
    if (ir_bits(t) < 32) {
        a = ir_build1(&x->b, sign ? IR_OP_sext : IR_OP_zext, IR_I32, a);
        b = ir_build1(&x->b, sign ? IR_OP_sext : IR_OP_zext, IR_I32, b);
    }
    if (ir_is_const(i->args[1])) {
        const unsigned bits = ir_bits(t);
        const uint32_t low = (uint32_t)i->args[1]->u.bits & (uint32_t)(UINT64_MAX >> (64 - bits));
        const uint32_t d =
            sign && low >> (bits - 1) ? low | ~(uint32_t)(UINT64_MAX >> (64 - bits)) : low;
        if (d) {
            struct ir_value *r = by_constant(x, a, d, sign, quotient);
            return bits < 32 ? ir_build1(&x->b, IR_OP_trunc, t, r) : r;
        }
    }
    struct ir_value *ua = sign ? magnitude(x, a, &na) : a, *ub = sign ? magnitude(x, b, &nb) : b;
    struct ir_value *q = divided(x, ua, ub, &rest), *zero = num(x, 0);
    if (sign) {
        struct ir_value *differ = op2(x, IR_OP_xor, na, nb);
        q = choose(x, differ, op2(x, IR_OP_sub, zero, q), q);
        rest = choose(x, na, op2(x, IR_OP_sub, zero, rest), rest);
    }
    struct ir_value *none = ir_build2(&x->b, IR_OP_eq, IR_I32, b, zero);
    struct ir_value *r =
        quotient ? choose(x, none, num(x, UINT32_MAX), q) : choose(x, none, a, rest);
    return ir_bits(t) < 32 ? ir_build1(&x->b, IR_OP_trunc, t, r) : r;
}

/* ---- the pass ---- */
static struct ir_value *flushed(struct making *x, struct ir_value *v)
{
    return ir_build_flags(&x->b, IR_OP_fmul, IR_F32, IR_FTZ, 2, v, ir_const_f32(x->m, 1), NULL);
}

/* Flushing of operands and result becomes multiplications; approximate f64 exact; reciprocals in
 * f64 quotients. */
static bool plain(struct making *x, struct ir_inst *i)
{
    bool root = i->op == IR_OP_fsqrt, quotient = i->op == IR_OP_fdiv;
    if ((root || quotient) && i->type == IR_F64)
        i->flags &= ~(uint32_t)IR_FAST;
    if (i->type == IR_F64 && (i->op == IR_OP_frcp_fast || i->op == IR_OP_frsqrt_fast)) {
        x->t = IR_F64;
        struct ir_value *v = i->args[0];
        if (i->op == IR_OP_frsqrt_fast)
            v = ir_build1(&x->b, IR_OP_fsqrt, IR_F64, v);
        i->results[0].forward = ir_build2(&x->b, IR_OP_fdiv, IR_F64, real(x, 1), v);
        return true;
    }
    if (!(root || quotient) || !(i->flags & IR_FTZ) || i->flags & IR_FAST || i->type != IR_F32)
        return false;
    struct ir_value *args[2] = {flushed(x, i->args[0]), NULL};
    if (quotient)
        args[1] = flushed(x, i->args[1]);
    struct ir_inst *n = ir_build(&x->b, i->op, i->type, args, i->nargs);
    n->flags = i->flags & ~(uint32_t)IR_FTZ;
    i->results[0].forward = flushed(x, &n->results[0]);
    return true;
}

void sass_plain(struct ir_func *f)
{
    struct making x = {.m = f->module};
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (!i->nresults || ir_is_vector(i->type))
                continue;
            x.b = ir_builder_before(i);
            x.b.span = i->span;
            if (!plain(&x, i))
                continue;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
}

void sass_exact(struct ir_func *f)
{
    struct making x = {.m = f->module};
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct ir_value *r = NULL;
            x.b = ir_builder_before(i);
            x.b.span = i->span;
            bool divides = i->op == IR_OP_udiv || i->op == IR_OP_sdiv || i->op == IR_OP_urem ||
                           i->op == IR_OP_srem;
            if (i->op == IR_OP_fsqrt && i->type == IR_F64 &&
                !(i->flags & (IR_FAST | IR_ROUND_MASK))) {
                x.t = IR_F64;
                x.bits = IR_I64;
                r = root(&x, i->args[0]);
            } else if (divides && ir_bits(i->type) > 1 && ir_bits(i->type) <= 32) {
                x.bits = IR_I32;
                r = integer(&x, i);
            }
            if (!r)
                continue;
            i->results[0].forward = r;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
}

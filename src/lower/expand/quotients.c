/* Quotients as IEEE rounds them, for targets whose own are only near: Vulkan lets them be off by
 * two and a half units in the last place.
 *
 * From a product with a reciprocal, which need not be exact either, a step of Newton's leads to a
 * number of which it or a neighbour is right; what is left over tells which, and an fma gives that
 * exactly. All that on fractions, where nothing is subnormal and there are no ties; then the power
 * of two is put back, in two steps, of which only the second can round. A subnormal result has been
 * rounded twice then, and is chosen once more. */
#include "lower/lower_int.h"

struct quotients {
    struct ir_builder b;
    struct ir_module *m;
    ir_type t, bits; /* the format, and integers of its size */
    unsigned digits; /* of the fraction */
    int bias;
};

static struct ir_value *num(struct quotients *x, uint64_t v)
{
    return ir_const(x->m, x->bits, v);
}

static struct ir_value *op2(struct quotients *x, enum ir_op op, struct ir_value *a,
                            struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *choose(struct quotients *x, struct ir_value *c, struct ir_value *a,
                               struct ir_value *b)
{
    return ir_build3(&x->b, IR_OP_select, a->type, c, a, b);
}

static struct ir_value *power(struct quotients *x, int exponent)
{
    return ir_const(x->m, x->t, (uint64_t)(x->bias + exponent) << x->digits);
}

static struct ir_value *cast(struct quotients *x, ir_type t, struct ir_value *v)
{
    return ir_build1(&x->b, IR_OP_bitcast, t, v);
}

static struct ir_value *product(struct quotients *x, struct ir_value *a, struct ir_value *b)
{
    return op2(x, IR_OP_fmul, a, b);
}

/* a - b * c */
static struct ir_value *left_over(struct quotients *x, struct ir_value *a, struct ir_value *b,
                                  struct ir_value *c)
{
    return ir_build3(&x->b, IR_OP_fma, x->t, ir_build1(&x->b, IR_OP_fneg, x->t, b), c, a);
}

/* A positive number as one from 1 to 2, and a power of two. */
struct parts {
    struct ir_value *fraction, *exponent;
    struct ir_value *ordinary; /* neither zero, nor infinite, nor NaN */
};

static struct parts take_apart(struct quotients *x, struct ir_value *v)
{
    const int up = (int)x->digits + 1;
    const uint64_t most = 2 * (uint64_t)x->bias + 1, one = UINT64_C(1) << x->digits;
    v = ir_build1(&x->b, IR_OP_fabs, x->t, v);
    struct ir_value *tiny = ir_build2(&x->b, IR_OP_flt, x->t, v, power(x, 1 - x->bias));
    struct ir_value *bits = cast(x, x->bits, choose(x, tiny, product(x, v, power(x, up)), v));
    struct ir_value *exponent = op2(x, IR_OP_lshr, bits, num(x, x->digits));
    struct parts r = {.ordinary = op2(x, IR_OP_and,
                                      ir_build2(&x->b, IR_OP_ne, x->bits, exponent, num(x, 0)),
                                      ir_build2(&x->b, IR_OP_ne, x->bits, exponent, num(x, most)))};
    r.fraction = op2(x, IR_OP_and, bits, num(x, one - 1));
    r.fraction =
        cast(x, x->t, op2(x, IR_OP_or, r.fraction, num(x, (uint64_t)x->bias << x->digits)));
    r.exponent = op2(x, IR_OP_sub, exponent, choose(x, tiny, num(x, (uint64_t)up), num(x, 0)));
    return r;
}

static struct ir_value *power_of(struct quotients *x, struct ir_value *exponent)
{
    exponent = op2(x, IR_OP_add, exponent, num(x, (uint64_t)x->bias));
    return cast(x, x->t, op2(x, IR_OP_shl, exponent, num(x, x->digits)));
}

/* Of v and its neighbours, times two scales, that which comes nearest to a / b; v if others are
 * only as near. */
static struct ir_value *nearest(struct quotients *x, struct ir_value *v,
                                struct ir_value *const *scales, struct ir_value *a,
                                struct ir_value *b)
{
    static const int steps[3] = {0, -1, 1};
    struct ir_value *best = v, *least = NULL;
    for (unsigned n = 0; n < 3; n++) {
        struct ir_value *y = v;
        if (steps[n])
            y = cast(x, x->t, op2(x, IR_OP_add, cast(x, x->bits, v), num(x, (uint64_t)steps[n])));
        struct ir_value *scaled = y;
        for (unsigned k = 0; scales && k < 2; k++)
            scaled = product(x, scaled, scales[k]);
        struct ir_value *rest = ir_build1(&x->b, IR_OP_fabs, x->t, left_over(x, a, scaled, b));
        struct ir_value *less = n ? ir_build2(&x->b, IR_OP_flt, x->t, rest, least) : NULL;
        best = n ? choose(x, less, y, best) : best;
        least = n ? choose(x, less, rest, least) : rest;
    }
    return best;
}

static struct ir_value *quotient(struct quotients *x, struct ir_value *a, struct ir_value *b)
{
    const uint64_t most = x->t == IR_F64 ? 1200 : 200; /* far beyond all but zero and infinity */
    struct parts n = take_apart(x, a), d = take_apart(x, b);
    struct ir_inst *plain =
        ir_build(&x->b, IR_OP_fdiv, x->t, (struct ir_value *[]){a, b}, 2); /* of the others */
    plain->flags |= IR_FAST;
    struct ir_value *inverse = ir_build1(&x->b, IR_OP_frcp_fast, x->t, d.fraction);
    struct ir_value *q = product(x, n.fraction, inverse);
    q = ir_build3(&x->b, IR_OP_fma, x->t, left_over(x, n.fraction, q, d.fraction), inverse, q);
    q = nearest(x, q, NULL, n.fraction, d.fraction);
    struct ir_value *e = op2(x, IR_OP_sub, n.exponent, d.exponent);
    e = op2(x, IR_OP_smin, e, num(x, most));
    e = op2(x, IR_OP_smax, e, num(x, -most));
    struct ir_value *half = op2(x, IR_OP_ashr, e, num(x, 1)), *other = op2(x, IR_OP_sub, e, half);
    struct ir_value *r = product(x, product(x, q, power_of(x, half)), power_of(x, other));
    struct ir_value *back[2] = {power_of(x, ir_build1(&x->b, IR_OP_neg, x->bits, other)),
                                power_of(x, ir_build1(&x->b, IR_OP_neg, x->bits, half))};
    struct ir_value *tiny = ir_build2(&x->b, IR_OP_flt, x->t, r, power(x, 1 - x->bias));
    r = choose(x, tiny, nearest(x, r, back, n.fraction, d.fraction), r);
    struct ir_value *sign = op2(x, IR_OP_xor, cast(x, x->bits, a), cast(x, x->bits, b));
    r = op2(x, IR_OP_fcopysign, r, cast(x, x->t, sign));
    return choose(x, op2(x, IR_OP_and, n.ordinary, d.ordinary), r, &plain->results[0]);
}

bool lower_quotients(struct ir_func *f, bool f64_only)
{
    struct quotients x = {.m = f->module};
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_fdiv || i->flags & (IR_FAST | IR_ROUND_MASK | IR_FTZ) ||
                ir_is_vector(i->type) || (f64_only && i->type != IR_F64))
                continue;
            const ir_type t = i->type, as = ir_bits(t) < 32 ? IR_F32 : t;
            x.b = ir_builder_before(i);
            x.b.span = i->span;
            x.t = as;
            x.bits = as == IR_F64 ? IR_I64 : IR_I32;
            x.digits = as == IR_F64 ? 52 : 23;
            x.bias = as == IR_F64 ? 1023 : 127;
            struct ir_value *args[2] = {i->args[0], i->args[1]};
            for (unsigned k = 0; k < 2 && as != t; k++) /* whose rounding does not show in t */
                args[k] = ir_build1(&x.b, IR_OP_fcvt, as, args[k]);
            struct ir_value *r = quotient(&x, args[0], args[1]);
            i->results[0].forward = as != t ? ir_build1(&x.b, IR_OP_fcvt, t, r) : r;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

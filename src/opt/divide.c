/* Quotients by constants become products: opt_divide, for machines that have no division, so that a
 * quotient and its remainder share one, and so do neighbours in a loop.
 *
 * x / d is the high half of x * M, shifted right by s, where M is 2^(N+s) / d rounded up: what M is
 * too large by, e = M*d - 2^(N+s), must not reach a whole even for the largest x, which it does not
 * as long as x has no more than N + s - log2(e) bits. Not in passes.def: a target that wants it
 * asks for it. */
#include "opt/opt_int.h"

enum { DEPTH = 6 };

struct divider {
    struct ir_builder b;
    ir_type t;
    unsigned bits;
};

static struct ir_value *num(const struct divider *v, uint64_t x)
{
    return ir_const(v->b.module, v->t, x & opt_mask(v->t));
}

static struct ir_value *op(struct divider *v, enum ir_op o, struct ir_value *x, struct ir_value *y)
{
    return ir_build2(&v->b, o, v->t, x, y);
}

static struct ir_value *shift(struct divider *v, enum ir_op o, struct ir_value *x, unsigned by)
{
    return by ? op(v, o, x, num(v, by)) : x;
}

static unsigned bits_of(uint64_t x)
{
    unsigned n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}

struct factor {
    uint64_t by; /* M, its low N bits */
    unsigned shift;
    bool carries; /* M has one bit more */
};

/* For numbers of `bits` bits, d no power of two. */
static struct factor factor_for(uint64_t d, unsigned n, unsigned bits)
{
    const uint64_t all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    uint64_t q = all / d, r = all % d + 1; /* 2^n = q * d + r */
    if (r == d)
        q++, r = 0;
    for (unsigned s = 0;; s++) {
        const unsigned room = s + n - bits; /* e may be 2^room */
        const bool fits = room >= 63 || d - r <= UINT64_C(1) << room;
        if (fits || q > all >> 1)
            return fits ? (struct factor){(q + 1) & all, s, false}
                        : (struct factor){((q << 1) + (2 * r >= d) + 1) & all, s + 1, true};
        q = q << 1 | (2 * r >= d);
        r = 2 * r >= d ? 2 * r - d : 2 * r;
    }
}

static struct ir_value *by_unsigned(struct divider *v, struct ir_value *x, uint64_t d)
{
    unsigned bits = bits_of(opt_most(x, DEPTH)), zeros = 0;
    if (bits < 1)
        bits = 1;
    struct factor f = factor_for(d, v->bits, bits);
    while (f.carries && !(d >> zeros & 1))
        zeros++;
    if (zeros) { /* the even part first: what is left has fewer bits */
        x = shift(v, IR_OP_lshr, x, zeros);
        f = factor_for(d >> zeros, v->bits, bits > zeros ? bits - zeros : 1);
    }
    struct ir_value *high = op(v, IR_OP_umulhi, x, num(v, f.by));
    if (!f.carries)
        return shift(v, IR_OP_lshr, high, f.shift);
    struct ir_value *half = shift(v, IR_OP_lshr, op(v, IR_OP_sub, x, high), 1);
    return shift(v, IR_OP_lshr, op(v, IR_OP_add, half, high), f.shift - 1);
}

/* Rounded towards zero: one more for negative numbers. */
static struct ir_value *by_signed(struct divider *v, struct ir_value *x, uint64_t d)
{
    const struct factor f = factor_for(d, v->bits, v->bits - 1);
    struct ir_value *high = op(v, IR_OP_smulhi, x, num(v, f.by));
    if (f.by >> (v->bits - 1)) /* taken for negative */
        high = op(v, IR_OP_add, high, x);
    high = shift(v, IR_OP_ashr, high, f.shift);
    return op(v, IR_OP_add, high, shift(v, IR_OP_lshr, x, v->bits - 1));
}

/* x, and d - 1 if it is negative: shifted right it is the quotient. */
static struct ir_value *by_power(struct divider *v, struct ir_value *x, unsigned log2)
{
    struct ir_value *sign = shift(v, IR_OP_ashr, x, v->bits - 1);
    return op(v, IR_OP_add, x, shift(v, IR_OP_lshr, sign, v->bits - log2));
}

static struct ir_value *divided(struct divider *v, const struct ir_inst *i)
{
    struct ir_value *x = i->args[0];
    const bool rest = i->op == IR_OP_srem || i->op == IR_OP_urem;
    const bool sign = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    const uint64_t top = UINT64_C(1) << (v->bits - 1);
    uint64_t d = i->args[1]->u.bits;
    const bool down = sign && d >= top;
    if (down)
        d = (0 - d) & opt_mask(v->t);
    const bool power = !(d & (d - 1));
    if (d < 2 || d >= top || (power && !sign))
        return NULL; /* by the rules of simplify, or hardly ever */
    struct ir_value *q;
    if (power) {
        q = by_power(v, x, bits_of(d) - 1);
        if (rest)
            return op(v, IR_OP_sub, x, op(v, IR_OP_and, q, num(v, 0 - d)));
        q = shift(v, IR_OP_ashr, q, bits_of(d) - 1);
    } else {
        q = sign ? by_signed(v, x, d) : by_unsigned(v, x, d);
    }
    if (rest)
        return op(v, IR_OP_sub, x, op(v, IR_OP_mul, q, num(v, d)));
    return down ? op(v, IR_OP_sub, num(v, 0), q) : q;
}

void opt_divide(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_udiv && i->op != IR_OP_sdiv && i->op != IR_OP_urem &&
                i->op != IR_OP_srem)
                continue;
            if ((i->type != IR_I32 && i->type != IR_I64) || !ir_is_const(i->args[1]))
                continue;
            struct divider v = {ir_builder_before(i), i->type, ir_bits(i->type)};
            v.b.span = i->span;
            struct ir_value *q = divided(&v, i);
            if (!q)
                continue;
            i->results[0].forward = q;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
}

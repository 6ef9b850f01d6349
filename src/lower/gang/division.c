/* Integer division on vectors, which processors do not have, as quotients of floats, which they do.
 *
 * Up to 32 bits once is enough (once): operands are exact in a float with twice their digits and
 * more, and a quotient that is no integer lies further below the next one, 1 / b at least, than
 * rounding reaches. Where all lanes divide by the same number, by a product with its inverse, which
 * is computed once, where the number is: a little too large, so that no integer is missed; by less
 * than would lead to the next one.
 *
 *     32 bits in f64, 8 and 16 bits in f32:  q = trunc(a / b)    or    trunc(a * ((1 + 8u) / b))
 *
 * Floats as wide as the integers lack digits, so that it takes two steps (twice): the first leaves
 * a remainder of b and of what the digits do not hold, a * 2^-digits or so, the second divides
 * that. The inverse is a little too small, so that neither quotient is too large and no remainder
 * below zero; what is left may hold b once more.
 *
 *     64 bits in f64, 32 bits in f32:        q = trunc(a * r), r = (1 - 16u) / b;  rest = a - q *
 * b; q += trunc(rest * r), and 1 where what is left holds b
 *
 * u is half of what the last digit of 1 counts. A conversion and a product are off by a factor of 1
 * + u at most, or by 1 + 2u where the thread rounds in another direction: with three of them and
 * the quotient itself the first step finds at least a / b * (1 - 25u) - 1, the second (25u *
 * 2^64-53 is far below one) rest / b - 1.01.
 *
 * By 0 it is done as by 1, so that no float is infinite, and what the IR says comes out: all ones
 * as quotient; as remainder a, of which q * 0 is taken away. MIN / -1 wraps as it should. Lanes
 * that do not run divide what they have.
 *
 * For 32 bits the way in f32 is the shorter one, twice as many lanes to a vector, where vectors
 * have instructions for u32 from and to f32. */
#include "lower/lower.h"

struct division {
    struct ir_builder b;
    ir_type word, real; /* vectors it is done in: of integers, of floats */
    bool is_signed, once;
};

/* What is asked of a divisor: of a vector, or of the number that all lanes divide by. */
struct divisor {
    struct ir_value *by;   /* itself, or how large it is where signs are looked at apart */
    struct ir_value *real; /* its inverse; or itself as a float */
    struct ir_value *none; /* all ones where it is 0, else 0 */
};

enum { BELOW_ONE = -16, ABOVE_ONE = 4 }; /* 1 - 16u and 1 + 8u, in last digits of the float */

static struct ir_value *num(struct division *d, ir_type t, uint64_t x)
{
    return ir_const(d->b.module, t, ir_bits(t) < 64 ? x & ((UINT64_C(1) << ir_bits(t)) - 1) : x);
}

static struct ir_value *op2(struct division *d, enum ir_op op, struct ir_value *x,
                            struct ir_value *y)
{
    return ir_build2(&d->b, op, x->type, x, y);
}

static struct ir_value *near_one(struct division *d, ir_type t, int digits)
{
    const uint64_t one = ir_bits(t) == 64 ? UINT64_C(0x3ff) << 52 : UINT64_C(0x3f8) << 20;
    return num(d, t, one + (uint64_t)(int64_t)digits);
}

static struct ir_value *widened(struct division *d, struct ir_value *x)
{
    const ir_type to = ir_like(d->word, x->type);
    return x->type == to ? x : ir_build1(&d->b, d->is_signed ? IR_OP_sext : IR_OP_zext, to, x);
}

static struct ir_value *to_real(struct division *d, struct ir_value *x)
{
    const bool sign = d->once && d->is_signed;
    return ir_build1(&d->b, sign ? IR_OP_sitof : IR_OP_uitof, ir_like(d->real, x->type), x);
}

/* 0, or all ones for what is negative. */
static struct ir_value *sign_of(struct division *d, struct ir_value *x)
{
    return op2(d, IR_OP_ashr, x, num(d, x->type, ir_bits(x->type) - 1));
}

static struct ir_value *with_sign(struct division *d, struct ir_value *x, struct ir_value *sign)
{
    return op2(d, IR_OP_sub, op2(d, IR_OP_xor, x, sign), sign);
}

static struct ir_value *magnitude(struct division *d, struct ir_value *x)
{
    return d->is_signed ? with_sign(d, x, sign_of(d, x)) : x;
}

/* ---- the divisor ---- */
static struct divisor divisor_of(struct division *d, struct ir_value *b, bool invert)
{
    const ir_type t = b->type;
    struct divisor r = {.by = d->once ? b : magnitude(d, b)};
    struct ir_value *zero = ir_build2(&d->b, IR_OP_eq, t, b, num(d, t, 0));
    r.none = ir_build1(&d->b, IR_OP_sext, t, zero);
    r.real = to_real(d, ir_build3(&d->b, IR_OP_select, t, zero, num(d, t, 1), r.by));
    if (invert)
        r.real =
            op2(d, IR_OP_fdiv, near_one(d, r.real->type, d->once ? ABOVE_ONE : BELOW_ONE), r.real);
    return r;
}

/* The number that all lanes divide by; NULL: they differ. */
static struct ir_value *shared(struct division *d, struct ir_value *b)
{
    if (b->kind == IR_VALUE_CONST)
        return num(d, ir_scalar(b->type), b->u.bits);
    const struct ir_inst *i = b->kind == IR_VALUE_RESULT ? b->u.inst : NULL;
    return i && i->op == IR_OP_splat ? i->args[0] : NULL;
}

/* Right behind a number: outside the loops that it comes from outside of. */
static struct ir_builder behind(const struct division *d, struct ir_value *x)
{
    struct ir_builder b = d->b;
    if (x->kind != IR_VALUE_RESULT && x->kind != IR_VALUE_PARAM)
        return b;
    b = ir_builder_before(x->kind == IR_VALUE_RESULT ? x->u.inst->next : x->u.block->first);
    b.span = d->b.span;
    return b;
}

static struct divisor divisor(struct division *d, struct ir_value *b)
{
    struct ir_value *all = shared(d, b);
    if (!all)
        return divisor_of(d, widened(d, b), !d->once);
    const struct ir_builder here = d->b;
    d->b = behind(d, all);
    struct divisor r = divisor_of(d, widened(d, all), true);
    d->b = here;
    r.by = ir_build1(&d->b, IR_OP_splat, d->word, r.by);
    r.real = ir_build1(&d->b, IR_OP_splat, d->real, r.real);
    r.none = ir_build1(&d->b, IR_OP_splat, d->word, r.none);
    return r;
}

/* ---- the quotient ---- */
/* The integer part: added to a number whose last digit counts 1, it lies in the lower digits. */
static struct ir_value *to_word(struct division *d, struct ir_value *x)
{
    const bool wide = ir_bits(d->real) == 64;
    const uint64_t large =
        wide ? UINT64_C(0x4338) << 48 : UINT64_C(0x4b40) << 16; /* 1.5 * 2^52, 2^23 */
    const ir_type bits = ir_like(wide ? IR_I64 : IR_I32, x->type);
    x = ir_build1(&d->b, IR_OP_ftrunc, d->real, x);
    x = ir_build1(&d->b, IR_OP_bitcast, bits, op2(d, IR_OP_fadd, x, num(d, d->real, large)));
    return bits == d->word ? op2(d, IR_OP_sub, x, num(d, bits, large))
                           : ir_build1(&d->b, IR_OP_trunc, d->word, x);
}

/* Takes q times the divisor away. */
static struct ir_value *less(struct division *d, struct ir_value *a, struct ir_value *q,
                             const struct divisor *by)
{
    return op2(d, IR_OP_sub, a, op2(d, IR_OP_mul, q, by->by));
}

static struct ir_value *once(struct division *d, struct ir_value *a, struct ir_value *b, bool rest)
{
    const bool inverse = shared(d, b) != NULL;
    const struct divisor by = divisor(d, b);
    struct ir_value *q =
        to_word(d, op2(d, inverse ? IR_OP_fmul : IR_OP_fdiv, to_real(d, a), by.real));
    return rest ? less(d, a, q, &by) : op2(d, IR_OP_or, q, by.none);
}

static struct ir_value *twice(struct division *d, struct ir_value *a, struct ir_value *b, bool rest)
{
    const struct divisor by = divisor(d, b);
    struct ir_value *left = magnitude(d, a);
    struct ir_value *q = op2(d, IR_OP_fmul, to_real(d, left), by.real);
    q = ir_build_flags(&d->b, IR_OP_ftoui, d->word, IR_RZ, 1, q, NULL, NULL);
    left = less(d, left, q, &by);
    struct ir_value *second = to_word(d, op2(d, IR_OP_fmul, to_real(d, left), by.real));
    left = less(d, left, second, &by);
    q = op2(d, IR_OP_add, q, second);
    struct ir_value *more = ir_build2(&d->b, IR_OP_ule, d->word, by.by, left);
    if (rest) {
        left = ir_build3(&d->b, IR_OP_select, d->word, more, op2(d, IR_OP_sub, left, by.by), left);
        return d->is_signed ? with_sign(d, left, sign_of(d, a)) : left;
    }
    q = op2(d, IR_OP_sub, q, ir_build1(&d->b, IR_OP_sext, d->word, more));
    if (d->is_signed)
        q = with_sign(d, q, sign_of(d, op2(d, IR_OP_xor, a, b)));
    return op2(d, IR_OP_or, q, by.none);
}

/* ---- which ---- */
static bool divides(const struct ir_inst *i)
{
    return i->op == IR_OP_udiv || i->op == IR_OP_sdiv || i->op == IR_OP_urem || i->op == IR_OP_srem;
}

/* False: it stays as it is. */
static bool choose(struct division *d, const struct ir_inst *i, unsigned ways)
{
    const unsigned bits = ir_bits(i->type);
    const bool twice = bits == 64   ? ways & DIVIDE_LONG
                       : bits == 32 ? ways & DIVIDE_WORDS && !shared(d, i->args[1])
                                    : false;
    d->once = !twice;
    d->is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    d->word = ir_like(bits == 64 ? IR_I64 : IR_I32, i->type);
    d->real = ir_like(bits == 64 || (bits == 32 && d->once) ? IR_F64 : IR_F32, i->type);
    return bits > 1 && (twice || (bits < 64 && ways & DIVIDE_SHORT));
}

bool lower_division(struct ir_func *f, unsigned ways)
{
    bool changed = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct division d = {.b = ir_builder_before(i)};
            d.b.span = i->span;
            if (!divides(i) || !ir_is_vector(i->type) || !choose(&d, i, ways))
                continue;
            const bool rest = i->op == IR_OP_urem || i->op == IR_OP_srem;
            struct ir_value *a = widened(&d, i->args[0]);
            struct ir_value *r = (d.once ? once : twice)(&d, a, i->args[1], rest);
            i->results[0].forward =
                r->type == i->type ? r : ir_build1(&d.b, IR_OP_trunc, i->type, r);
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

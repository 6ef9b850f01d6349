/* 64-bit integers and addresses: the device's own, or two words.
 *
 * Without shaderInt64 a 64-bit integer is a vector of two words, the lower first, which is also how
 * it lies in memory and what SPIR-V takes for an address (OpBitcast between such a vector and a
 * pointer), so that pointers need no 64-bit integers at all. Bitwise operations, choices, copies
 * and shuffles work on vectors as they are; the rest is here. Divisions have become calls before
 * (prepare.c), bit counts and upper halves of products other operations (lower_expand). */
#include "back/spirv/spirv_int.h"

static spv_id word(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I32);
}

static spv_id boolean(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I1);
}

static spv_id number(struct spv_kernel *k, uint32_t v)
{
    return spv_u32(k->s, v);
}

static spv_id choose(struct spv_kernel *k, spv_id c, spv_id a, spv_id b)
{
    return OP(k->s, SpvSelect, word(k), c, a, b);
}

spv_id spv_low(struct spv_kernel *k, spv_id wide)
{
    if (k->s->features->i64)
        return OP(k->s, SpvUConvert, word(k), wide);
    return OP(k->s, SpvCompositeExtract, word(k), wide, 0);
}

spv_id spv_high(struct spv_kernel *k, spv_id wide)
{
    struct spv_module *s = k->s;
    if (s->features->i64)
        return spv_low(k, OP(s, SpvShiftRightLogical, spv_type(s, IR_I64), wide, spv_u32(s, 32)));
    return OP(s, SpvCompositeExtract, word(k), wide, 1);
}

spv_id spv_wide(struct spv_kernel *k, spv_id low, spv_id high)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, IR_I64);
    if (!s->features->i64)
        return OP(s, SpvCompositeConstruct, type, low, high ? high : number(k, 0));
    low = OP(s, SpvUConvert, type, low);
    if (!high)
        return low;
    high = OP(s, SpvShiftLeftLogical, type, OP(s, SpvUConvert, type, high), spv_u32(s, 32));
    return OP(s, SpvBitwiseOr, type, high, low);
}

static spv_id pair_add(struct spv_kernel *k, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id a_low = spv_low(k, a), low = OP(s, SpvIAdd, word(k), a_low, spv_low(k, b));
    spv_id carry = OP(s, SpvULessThan, boolean(k), low, a_low);
    spv_id high = OP(s, SpvIAdd, word(k), spv_high(k, a), spv_high(k, b));
    return spv_wide(k, low,
                    OP(s, SpvIAdd, word(k), high, choose(k, carry, number(k, 1), number(k, 0))));
}

static spv_id pair_sub(struct spv_kernel *k, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id a_low = spv_low(k, a), b_low = spv_low(k, b);
    spv_id borrow = OP(s, SpvULessThan, boolean(k), a_low, b_low);
    spv_id high = OP(s, SpvISub, word(k), spv_high(k, a), spv_high(k, b));
    return spv_wide(k, OP(s, SpvISub, word(k), a_low, b_low),
                    OP(s, SpvISub, word(k), high, choose(k, borrow, number(k, 1), number(k, 0))));
}

spv_id spv_wide_add(struct spv_kernel *k, spv_id a, spv_id b)
{
    if (k->s->features->i64)
        return OP(k->s, SpvIAdd, spv_type(k->s, IR_I64), a, b);
    return pair_add(k, a, b);
}

spv_id spv_wide_add_k(struct spv_kernel *k, spv_id a, uint64_t b)
{
    return spv_wide_add(k, a, spv_const(k->s, IR_I64, b));
}

static spv_id word_product(struct spv_kernel *k, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type_product(s), both = OP(s, SpvUMulExtended, type, a, b);
    return spv_wide(k, OP(s, SpvCompositeExtract, word(k), both, 0),
                    OP(s, SpvCompositeExtract, word(k), both, 1));
}

static spv_id pair_mul(struct spv_kernel *k, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id a_low = spv_low(k, a), b_low = spv_low(k, b), both = word_product(k, a_low, b_low);
    spv_id high = OP(s, SpvIAdd, word(k), OP(s, SpvIMul, word(k), a_low, spv_high(k, b)),
                     OP(s, SpvIMul, word(k), spv_high(k, a), b_low));
    return spv_wide(k, spv_low(k, both), OP(s, SpvIAdd, word(k), spv_high(k, both), high));
}

/* Of a and b, one behind the other, the part that starts `by` bits in: by from 0 to 31. */
static spv_id funnel(struct spv_kernel *k, enum spv_op near, enum spv_op far, spv_id a, spv_id b,
                     spv_id by)
{
    struct spv_module *s = k->s;
    spv_id rest = OP(s, SpvISub, word(k), number(k, 31), by); /* in two steps: by may be 0 */
    spv_id other = OP(s, far, word(k), OP(s, far, word(k), b, number(k, 1)), rest);
    return OP(s, SpvBitwiseOr, word(k), OP(s, near, word(k), a, by), other);
}

static spv_id pair_shift(struct spv_kernel *k, enum ir_op op, spv_id a, spv_id count)
{
    struct spv_module *s = k->s;
    const bool left = op == IR_OP_shl, sign = op == IR_OP_ashr;
    spv_id low = spv_low(k, a), high = spv_high(k, a), by = spv_low(k, count), zero = number(k, 0);
    spv_id fill = sign ? OP(s, SpvShiftRightArithmetic, word(k), high, number(k, 31)) : zero;
    spv_id in = OP(s, SpvBitwiseAnd, word(k), by, number(k, 31));
    spv_id near, far; /* words at the end that is shifted from, and at the one that is shifted to */
    if (left) {
        near = OP(s, SpvShiftLeftLogical, word(k), low, in);
        far = funnel(k, SpvShiftLeftLogical, SpvShiftRightLogical, high, low, in);
    } else {
        near = OP(s, sign ? SpvShiftRightArithmetic : SpvShiftRightLogical, word(k), high, in);
        far = funnel(k, SpvShiftRightLogical, SpvShiftLeftLogical, low, high, in);
    }
    spv_id long_way = OP(s, SpvULessThan, boolean(k), number(k, 31), by);
    far = choose(k, long_way, near, far);
    near = choose(k, long_way, fill, near);
    spv_id within = OP(s, SpvULessThan, boolean(k), by, number(k, 64));
    within = OP(s, SpvLogicalAnd, boolean(k), within,
                OP(s, SpvIEqual, boolean(k), spv_high(k, count), zero));
    near = choose(k, within, near, fill);
    far = choose(k, within, far, fill);
    return left ? spv_wide(k, near, far) : spv_wide(k, far, near);
}

static spv_id pair_less(struct spv_kernel *k, bool is_signed, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id a_high = spv_high(k, a), b_high = spv_high(k, b);
    spv_id less = OP(s, SpvULessThan, boolean(k), spv_low(k, a), spv_low(k, b));
    spv_id same = OP(s, SpvIEqual, boolean(k), a_high, b_high);
    spv_id high = OP(s, is_signed ? SpvSLessThan : SpvULessThan, boolean(k), a_high, b_high);
    return OP(s, SpvSelect, boolean(k), same, less, high);
}

spv_id spv_pair_compare(struct spv_kernel *k, enum ir_op op, spv_id a, spv_id b)
{
    struct spv_module *s = k->s;
    spv_id two = spv_type_vec(s, boolean(k), 2);
    switch (op) {
    case IR_OP_eq: return OP(s, SpvAll, boolean(k), OP(s, SpvIEqual, two, a, b));
    case IR_OP_ne: return OP(s, SpvAny, boolean(k), OP(s, SpvINotEqual, two, a, b));
    case IR_OP_ult:
    case IR_OP_slt: return pair_less(k, op == IR_OP_slt, a, b);
    default: return OP(s, SpvLogicalNot, boolean(k), pair_less(k, op == IR_OP_sle, b, a));
    }
}

spv_id spv_pair_op(struct spv_kernel *k, const struct ir_inst *i, const spv_id *x)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, IR_I64);
    switch (i->op) {
    case IR_OP_and: return OP(s, SpvBitwiseAnd, type, x[0], x[1]);
    case IR_OP_or: return OP(s, SpvBitwiseOr, type, x[0], x[1]);
    case IR_OP_xor: return OP(s, SpvBitwiseXor, type, x[0], x[1]);
    case IR_OP_not: return OP(s, SpvNot, type, x[0]);
    case IR_OP_add: return pair_add(k, x[0], x[1]);
    case IR_OP_sub: return pair_sub(k, x[0], x[1]);
    case IR_OP_neg: return pair_sub(k, spv_const(s, IR_I64, 0), x[0]);
    case IR_OP_mul: return pair_mul(k, x[0], x[1]);
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return pair_shift(k, (enum ir_op)i->op, x[0], x[1]);
    case IR_OP_umin:
    case IR_OP_smin:
    case IR_OP_umax:
    case IR_OP_smax: {
        const bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
        spv_id less = pair_less(k, i->op == IR_OP_smin || i->op == IR_OP_smax, x[0], x[1]);
        return OP(s, SpvSelect, type, less, x[max], x[!max]);
    }
    default: return 0;
    }
}

/* ---- floats ---- */

static spv_id exact(struct spv_kernel *k, spv_id id)
{
    SPV(k->s, decorations, SpvDecorate, id, DecorNoContraction);
    return id;
}

static spv_id power(struct spv_kernel *k, ir_type t, int exponent)
{
    return spv_const(k->s, t,
                     t == IR_F64 ? (uint64_t)(1023 + exponent) << 52
                                 : (uint64_t)(127 + exponent) << 23);
}

/* f64: the halves, of which the sum is rounded once. f32: the first 32 bits that are not zero, the
 * last of them set if anything follows, and a power of two. */
spv_id spv_pair_to_float(struct spv_kernel *k, ir_type to, bool is_signed, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, to), zero = number(k, 0);
    if (to == IR_F64) {
        spv_id high = OP(s, is_signed ? SpvConvertSToF : SpvConvertUToF, type, spv_high(k, x));
        high = exact(k, OP(s, SpvFMul, type, high, power(k, to, 32)));
        return exact(k, OP(s, SpvFAdd, type, high, OP(s, SpvConvertUToF, type, spv_low(k, x))));
    }
    spv_id negative = 0;
    if (is_signed) {
        negative = OP(s, SpvSLessThan, boolean(k), spv_high(k, x), zero);
        x = OP(s, SpvSelect, spv_type(s, IR_I64), negative, pair_sub(k, spv_const(s, IR_I64, 0), x),
               x);
    }
    spv_id high = spv_high(k, x), low = spv_low(k, x);
    spv_id is_long = OP(s, SpvINotEqual, boolean(k), high, zero);
    spv_id top = spv_glsl(s, GlslFindUMsb, word(k), high, 0, 0); /* -1: none */
    spv_id by = choose(k, is_long, OP(s, SpvISub, word(k), number(k, 31), top), zero);
    spv_id first = funnel(k, SpvShiftLeftLogical, SpvShiftRightLogical, high, low, by);
    spv_id rest = OP(s, SpvShiftLeftLogical, word(k), low, by);
    rest = choose(k, OP(s, SpvINotEqual, boolean(k), rest, zero), number(k, 1), zero);
    first = choose(k, is_long, OP(s, SpvBitwiseOr, word(k), first, rest), low);
    spv_id exponent = OP(s, SpvISub, word(k), number(k, 127 + 32), by);
    exponent = choose(k, is_long, exponent, number(k, 127));
    exponent = OP(s, SpvShiftLeftLogical, word(k), exponent, number(k, 23));
    spv_id r = exact(k, OP(s, SpvFMul, type, OP(s, SpvConvertUToF, type, first),
                           OP(s, SpvBitcast, type, exponent)));
    return negative ? OP(s, SpvSelect, type, negative, OP(s, SpvFNegate, type, r), r) : r;
}

spv_id spv_pair_from_float(struct spv_kernel *k, ir_type from, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id type = spv_type(s, from);
    spv_id high = exact(k, OP(s, SpvFMul, type, x, power(k, from, -32)));
    high = spv_glsl(s, GlslTrunc, type, high, 0, 0);
    spv_id low = exact(k, OP(s, SpvFMul, type, high, power(k, from, 32)));
    low = exact(k, OP(s, SpvFSub, type, x, low));
    return spv_wide(k, OP(s, SpvConvertFToU, word(k), low), OP(s, SpvConvertFToU, word(k), high));
}

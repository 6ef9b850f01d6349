/* 8 and 16-bit integers and floats.
 *
 * What the device has no type for is held in a word, with zeros above. f16 without shaderFloat16,
 * and bf16, which SPIR-V has not, are bits that are calculated with in f32; their conversions are
 * by integers, since no driver promises how its own round. */
#include "back/spirv/spirv_int.h"

static spv_id word(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I32);
}

static spv_id boolean(struct spv_kernel *k)
{
    return spv_type(k->s, IR_I1);
}

static spv_id choose(struct spv_kernel *k, spv_id c, spv_id a, spv_id b)
{
    return OP(k->s, SpvSelect, word(k), c, a, b);
}

static spv_id and_k(struct spv_kernel *k, spv_id x, uint32_t mask)
{
    return OP(k->s, SpvBitwiseAnd, word(k), x, spv_u32(k->s, mask));
}

static spv_id or_k(struct spv_kernel *k, spv_id x, uint32_t bits)
{
    return OP(k->s, SpvBitwiseOr, word(k), x, spv_u32(k->s, bits));
}

static spv_id up(struct spv_kernel *k, spv_id x, uint32_t by)
{
    return OP(k->s, SpvShiftLeftLogical, word(k), x, spv_u32(k->s, by));
}

static spv_id down(struct spv_kernel *k, spv_id x, uint32_t by)
{
    return OP(k->s, SpvShiftRightLogical, word(k), x, spv_u32(k->s, by));
}

static spv_id less_k(struct spv_kernel *k, spv_id x, uint32_t than)
{
    return OP(k->s, SpvULessThan, boolean(k), x, spv_u32(k->s, than));
}

/* ---- integers ---- */

static ir_type bits_of(ir_type t)
{
    return ir_bits(t) == 8 ? IR_I8 : IR_I16;
}

spv_id spv_small_word(struct spv_kernel *k, ir_type t, spv_id x)
{
    return spv_in_word(k->s, t) ? x : OP(k->s, SpvUConvert, word(k), x);
}

spv_id spv_small_sign(struct spv_kernel *k, ir_type t, spv_id x)
{
    const uint32_t by = 32 - ir_bits(t);
    if (!spv_in_word(k->s, t))
        return OP(k->s, SpvSConvert, word(k), x);
    return OP(k->s, SpvShiftRightArithmetic, word(k), up(k, x, by), spv_u32(k->s, by));
}

spv_id spv_small_cut(struct spv_kernel *k, ir_type t, spv_id x)
{
    const ir_type bits = bits_of(t);
    if (spv_in_word(k->s, bits))
        return and_k(k, x, (1u << ir_bits(t)) - 1);
    return OP(k->s, SpvUConvert, spv_type(k->s, bits), x);
}

/* ---- floats ---- */

spv_id spv_small_widen(struct spv_kernel *k, ir_type t, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id single = spv_type(s, IR_F32);
    if (ir_kind(t) == IR_F16 && s->features->f16)
        return OP(s, SpvFConvert, single, x);
    x = spv_small_word(k, bits_of(t), x);
    if (ir_kind(t) == IR_BF16)
        return OP(s, SpvBitcast, single, up(k, x, 16));
    spv_id rest = and_k(k, x, 0x7fff), bits = up(k, rest, 13);
    spv_id normal = OP(s, SpvIAdd, word(k), bits, spv_u32(s, 112u << 23));
    spv_id tiny = OP(s, SpvFMul, single, OP(s, SpvConvertUToF, single, rest),
                     spv_const(s, IR_F32, (127 - 24) << 23));
    spv_id r = choose(k, less_k(k, rest, 0x7c00), normal, or_k(k, bits, 0x7f800000));
    r = choose(k, less_k(k, rest, 0x400), OP(s, SpvBitcast, word(k), tiny), r);
    return OP(s, SpvBitcast, single,
              OP(s, SpvBitwiseOr, word(k), r, up(k, and_k(k, x, 0x8000), 16)));
}

/* Bits of f32 → bits of f16, to nearest even. */
static spv_id half_bits(struct spv_kernel *k, spv_id bits)
{
    struct spv_module *s = k->s;
    spv_id rest = and_k(k, bits, 0x7fffffff), odd = and_k(k, down(k, rest, 13), 1);
    /* rounds up into infinity where it must */
    spv_id normal = OP(s, SpvISub, word(k), rest, spv_u32(s, (112u << 23) - 0xfff));
    normal = down(k, OP(s, SpvIAdd, word(k), normal, odd), 13);
    /* subnormal: the significand moved to units of 2^-24; below half of one it is all gone */
    spv_id by = OP(s, SpvISub, word(k), spv_u32(s, 126), down(k, rest, 23));
    by = choose(k, less_k(k, by, 31), by, spv_u32(s, 31));
    spv_id whole = or_k(k, and_k(k, rest, 0x7fffff), 0x800000);
    spv_id tiny = OP(s, SpvShiftRightLogical, word(k), whole, by);
    spv_id lost =
        OP(s, SpvShiftLeftLogical, word(k), whole, OP(s, SpvISub, word(k), spv_u32(s, 32), by));
    spv_id half = OP(s, SpvIEqual, boolean(k), lost, spv_u32(s, 0x80000000));
    spv_id more = OP(s, SpvULessThan, boolean(k), spv_u32(s, 0x80000000), lost);
    spv_id step = choose(k, more, spv_u32(s, 1), choose(k, half, and_k(k, tiny, 1), spv_u32(s, 0)));
    tiny = OP(s, SpvIAdd, word(k), tiny, step);
    spv_id nan = or_k(k, and_k(k, down(k, rest, 13), 0x3ff), 0x7e00);
    spv_id r = choose(k, less_k(k, rest, 0x38800000), tiny, normal);
    r = choose(k, less_k(k, rest, 0x47800000), r, spv_u32(s, 0x7c00));
    r = choose(k, less_k(k, rest, 0x7f800001), r, nan);
    return OP(s, SpvBitwiseOr, word(k), r, and_k(k, down(k, bits, 16), 0x8000));
}

static spv_id bfloat_bits(struct spv_kernel *k, spv_id bits)
{
    struct spv_module *s = k->s;
    spv_id odd = and_k(k, down(k, bits, 16), 1);
    spv_id near = OP(s, SpvIAdd, word(k), OP(s, SpvIAdd, word(k), bits, odd), spv_u32(s, 0x7fff));
    spv_id number = less_k(k, and_k(k, bits, 0x7fffffff), 0x7f800001);
    return down(k, choose(k, number, near, or_k(k, bits, 0x400000)), 16);
}

spv_id spv_small_narrow(struct spv_kernel *k, ir_type t, spv_id x)
{
    struct spv_module *s = k->s;
    const bool half = ir_kind(t) == IR_F16, native = half && s->features->f16;
    if (native && s->features->exact_half)
        return OP(s, SpvFConvert, spv_type(s, t), x);
    spv_id bits = OP(s, SpvBitcast, word(k), x);
    bits = spv_small_cut(k, t, half ? half_bits(k, bits) : bfloat_bits(k, bits));
    return native ? OP(s, SpvBitcast, spv_type(s, t), bits) : bits;
}

/* Rounding to odd, that is, the last bit set where anything is lost, does no harm to a second
 * rounding to fewer bits. */
spv_id spv_odd_single(struct spv_kernel *k, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id wide = spv_type(s, IR_F64), r = OP(s, SpvFConvert, spv_type(s, IR_F32), x);
    spv_id back = OP(s, SpvFConvert, wide, r), bits = OP(s, SpvBitcast, word(k), r);
    spv_id inexact = OP(s, SpvFUnordNotEqual, boolean(k), back, x);
    spv_id away = OP(s, SpvFOrdLessThan, boolean(k), spv_glsl(s, GlslFAbs, wide, x, 0, 0),
                     spv_glsl(s, GlslFAbs, wide, back, 0, 0));
    spv_id toward = choose(k, away, OP(s, SpvISub, word(k), bits, spv_u32(s, 1)), bits);
    return OP(s, SpvBitcast, spv_type(s, IR_F32), choose(k, inexact, or_k(k, toward, 1), bits));
}

spv_id spv_odd_word(struct spv_kernel *k, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id lost = OP(s, SpvINotEqual, boolean(k), and_k(k, x, 0xff), spv_u32(s, 0));
    spv_id cut = and_k(k, x, ~0xffu);
    cut = choose(k, lost, or_k(k, cut, 0x100), cut);
    return choose(k, less_k(k, x, 1u << 24), x, cut);
}

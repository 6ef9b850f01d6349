/* Floating point. f16 and bf16 are computed in f32 and rounded once, as ops.def says.
 *
 * Quotients and square roots as IEEE has them are no instructions: of f32 they are divide.c's, of
 * f64 pipeline.c has made code of them. */
#include "back/sass/sass_int.h"

unsigned sass_rounding(uint32_t flags)
{
    static const uint8_t numbers[] = {[IR_RN] = 0, [IR_RZ] = 3, [IR_RU] = 2, [IR_RD] = 1};
    return numbers[flags & IR_ROUND_MASK];
}

static struct sass_inst *last(struct sass_func *s)
{
    return &vec_last(&s->blocks.data[s->current].code);
}

/* ---- operands: a sign that was changed is the instruction's to change ---- */
static struct ir_value *unsigned_of(struct ir_value *v, bool *neg, bool *abs)
{
    *neg = *abs = false;
    while (v->kind == IR_VALUE_RESULT &&
           (v->u.inst->op == IR_OP_fneg || (v->u.inst->op == IR_OP_fabs && !*abs))) {
        if (v->u.inst->op == IR_OP_fneg) {
            if (!*abs)
                *neg = !*neg;
        } else {
            *abs = true;
        }
        v = v->u.inst->args[0];
    }
    return v;
}

static struct sass_src operand32(struct sass_func *s, struct ir_value *v)
{
    bool neg, abs;
    v = unsigned_of(v, &neg, &abs);
    struct sass_src x = sass_word(s, v, 0);
    x.neg = neg;
    x.abs = abs;
    return x;
}

/* A double: a pair of registers; a constant whose low half is zero as it is. */
static struct sass_src operand64(struct sass_func *s, struct ir_value *v, bool immediate,
                                 bool absolute)
{
    bool neg, abs;
    struct ir_value *inner = unsigned_of(v, &neg, &abs);
    struct sass_src x;
    if (abs && !absolute)
        neg = abs = false;
    else
        v = inner;
    if (immediate && v->kind == IR_VALUE_CONST && !(uint32_t)v->u.bits && v->u.bits >> 32)
        x = sass_imm((uint32_t)(v->u.bits >> 32));
    else if (v->kind == IR_VALUE_CONST && !v->u.bits)
        x = sass_zero();
    else
        x = sass_whole(s, v);
    x.parts = 2;
    x.neg = neg;
    x.abs = abs;
    return x;
}

/* ---- f32 ---- */
static uint32_t round_and_flush(struct sass_func *s, uint32_t d, uint32_t flags)
{
    sass_mod(s, MOD_ROUND, sass_rounding(flags));
    sass_mod(s, MOD_FTZ, (flags & IR_FTZ) != 0);
    return d;
}

static struct sass_src plain_reg(struct sass_func *s, struct sass_src x)
{
    if (!x.neg && !x.abs && x.kind == SRC_REG)
        return x;
    uint32_t r = sass_new(s, 1);
    bool neg = x.neg, abs = x.abs;
    x.neg = x.abs = false;
    struct sass_src y = sass_in_reg(s, x);
    if (!neg && !abs)
        return y;
    if (abs)
        sass_logic(s, r, 0, y, sass_imm(neg ? 0x80000000 : 0x7fffffff), sass_zero(),
                   neg ? LUT_OR : LUT_AND);
    else
        sass_logic(s, r, 0, y, sass_imm(0x80000000), sass_zero(), LUT_XOR);
    return sass_reg(r, 0);
}

static struct sass_pred compare32(struct sass_func *s, unsigned cmp, struct sass_src a,
                                  struct sass_src b, bool ftz)
{
    uint32_t p = sass_new(s, 0);
    sass_op2(s, OP_FSETP, SASS_NONE, 0, a, b);
    last(s)->pd = p;
    sass_mod(s, MOD_CMP, cmp);
    sass_mod(s, MOD_FTZ, ftz);
    return (struct sass_pred){p, false};
}

static void mufu(struct sass_func *s, uint32_t d, enum sass_mufu what, struct sass_src x)
{
    sass_op1(s, OP_MUFU, d, 0, x);
    sass_mod(s, MOD_FUNC, what);
}

enum { SMALLEST = 0x00800000, UP_24 = 0x4b800000 };

static struct sass_pred is_tiny(struct sass_func *s, struct sass_src x)
{
    x.abs = true;
    return compare32(s, CMP_LT, x, sass_imm(SMALLEST), false);
}

/* x, times `by` where p holds. */
static struct sass_src scaled(struct sass_func *s, struct sass_src x, struct sass_pred p,
                              uint32_t by)
{
    uint32_t r = sass_new(s, 1);
    sass_move(s, r, 0, x);
    sass_op2(s, OP_FMUL, r, 0, sass_reg(r, 0), sass_imm(by));
    last(s)->guard = p;
    last(s)->continues = true;
    return sass_reg(r, 0);
}

/* The function of x in d, whose argument and result are multiplied where p holds. */
static void scaled_function(struct sass_func *s, uint32_t d, enum sass_mufu what, struct sass_src x,
                            struct sass_pred p, uint32_t before, uint32_t after)
{
    mufu(s, d, what, scaled(s, x, p, before));
    sass_op2(s, OP_FMUL, d, 0, sass_reg(d, 0), sass_imm(after));
    last(s)->guard = p;
    last(s)->continues = true;
}

/* The functions of the hardware take subnormals for zero: without ftz they are scaled. */
static void quick32(struct sass_func *s, enum ir_op op, uint32_t d, struct sass_src x, bool ftz)
{
    static const uint8_t what[IR_OP_COUNT] = {
        [IR_OP_fsin_fast] = MUFU_SIN,   [IR_OP_fcos_fast] = MUFU_COS,
        [IR_OP_ftanh_fast] = MUFU_TANH, [IR_OP_fexp2_fast] = MUFU_EX2,
        [IR_OP_flog2_fast] = MUFU_LG2,  [IR_OP_frsqrt_fast] = MUFU_RSQ,
        [IR_OP_fsqrt] = MUFU_SQRT,      [IR_OP_frcp_fast] = MUFU_RCP,
    };
    enum { UP_12 = 0x45800000, DOWN_12 = 0x39800000 };
    if (op == IR_OP_fsin_fast || op == IR_OP_fcos_fast) {
        uint32_t r = sass_new(s, 1);
        sass_op2(s, OP_FMUL, r, 0, x, sass_imm(0x3e22f983)); /* 1 / 2 pi */
        sass_mod(s, MOD_ROUND, 3);
        sass_mod(s, MOD_FTZ, ftz);
        x = sass_reg(r, 0);
    } else if (op == IR_OP_fexp2_fast && !ftz) { /* below -126: the square of half of it */
        struct sass_pred low = compare32(s, CMP_LT, x, sass_imm(0xc2fc0000), false);
        mufu(s, d, MUFU_EX2, scaled(s, x, low, 0x3f000000));
        sass_op2(s, OP_FMUL, d, 0, sass_reg(d, 0), sass_reg(d, 0));
        last(s)->guard = low;
        last(s)->continues = true;
        return;
    } else if (op == IR_OP_flog2_fast && !ftz) {
        struct sass_pred tiny = is_tiny(s, x);
        mufu(s, d, MUFU_LG2, scaled(s, x, tiny, UP_24));
        sass_op2(s, OP_FADD, d, 0, sass_reg(d, 0), sass_imm(0xc1c00000)); /* -24 */
        last(s)->guard = tiny;
        last(s)->continues = true;
        return;
    } else if ((op == IR_OP_frsqrt_fast || op == IR_OP_fsqrt) && !ftz) {
        scaled_function(s, d, (enum sass_mufu)what[op], x, is_tiny(s, x), UP_24,
                        op == IR_OP_fsqrt ? DOWN_12 : UP_12);
        return;
    } else if (op == IR_OP_frcp_fast && !ftz) {
        struct sass_pred tiny = is_tiny(s, x);
        struct sass_src size = x;
        size.abs = true;
        struct sass_pred huge = compare32(s, CMP_GT, size, sass_imm(0x7e800000), false);
        scaled_function(s, d, MUFU_RCP, scaled(s, x, huge, 0x3e800000), tiny, UP_24, UP_24);
        sass_op2(s, OP_FMUL, d, 0, sass_reg(d, 0), sass_imm(0x3e800000));
        last(s)->guard = huge;
        last(s)->continues = true;
        return;
    }
    mufu(s, d, (enum sass_mufu)what[op], x);
}

void sass_reciprocal(struct sass_func *s, uint32_t d, struct sass_src x)
{
    quick32(s, IR_OP_frcp_fast, d, x, false);
}

static void rounds(struct sass_func *s, uint32_t d, struct sass_src x, unsigned mode)
{
    sass_op1(s, OP_FRND, d, 0, x);
    sass_mod(s, MOD_ROUND, mode);
}

static unsigned integral_mode(enum ir_op op)
{
    return op == IR_OP_ffloor ? 1 : op == IR_OP_fceil ? 2 : op == IR_OP_ftrunc ? 3 : 0;
}

/* -0 is less than +0, which the hardware knows; NaN gives the other operand. */
static void min_max32(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b,
                      bool max, bool ftz)
{
    if (a.kind != SRC_REG && b.kind == SRC_REG) {
        struct sass_src t = a;
        a = b;
        b = t;
    }
    sass_op2(s, OP_FMNMX, d, 0, a, b);
    sass_mod(s, MOD_FTZ, ftz);
    last(s)->p.neg = max;
}

static bool op32(struct sass_func *s, enum ir_op op, uint32_t flags, uint32_t d, struct sass_src a,
                 struct sass_src b, struct sass_src c)
{
    bool ftz = flags & IR_FTZ;
    switch (op) {
    case IR_OP_fsub: b.neg = !b.neg; /* fall through */
    case IR_OP_fadd:
        if (a.kind != SRC_REG && b.kind == SRC_REG) {
            struct sass_src t = a;
            a = b;
            b = t;
        }
        sass_op2(s, OP_FADD, d, 0, a, b);
        round_and_flush(s, d, flags);
        return true;
    case IR_OP_fmul:
        if (a.kind != SRC_REG && b.kind == SRC_REG) {
            struct sass_src t = a;
            a = b;
            b = t;
        }
        b.neg ^= a.neg; /* of the product */
        a.neg = false;
        sass_op2(s, OP_FMUL, d, 0, a, b);
        round_and_flush(s, d, flags);
        return true;
    case IR_OP_mad: flags &= ~(uint32_t)IR_ROUND_MASK; /* fall through */
    case IR_OP_fma: /* a register has one sign: |x| is not to be had in it */
        if (a.abs)
            a = plain_reg(s, a);
        if (b.abs)
            b = plain_reg(s, b);
        if (c.abs)
            c = plain_reg(s, c);
        if (a.kind != SRC_REG && b.kind == SRC_REG) {
            struct sass_src t = a;
            a = b;
            b = t;
        }
        if (b.kind == SRC_IMM) {
            b.neg ^= a.neg;
            a.neg = false;
        } else { /* of the product: stands at the first operand */
            a.neg ^= b.neg;
            b.neg = false;
        }
        sass_op3(s, OP_FFMA, d, 0, a, b, c);
        round_and_flush(s, d, flags);
        return true;
    case IR_OP_fmin:
    case IR_OP_fmax: min_max32(s, d, a, b, op == IR_OP_fmax, ftz); return true;
    case IR_OP_ffloor:
    case IR_OP_fceil:
    case IR_OP_ftrunc:
    case IR_OP_frint: rounds(s, d, plain_reg(s, a), integral_mode(op)); return true;
    case IR_OP_fdiv: {
        if (flags & IR_ROUND_MASK)
            return false;
        if (!(flags & IR_FAST)) {
            a = plain_reg(s, a);
            sass_quotient(s, d, a, plain_reg(s, b));
            return true;
        }
        uint32_t r = sass_new(s, 1);
        quick32(s, IR_OP_frcp_fast, r, plain_reg(s, b), ftz);
        sass_op2(s, OP_FMUL, d, 0, plain_reg(s, a), sass_reg(r, 0));
        sass_mod(s, MOD_FTZ, ftz);
        return true;
    }
    case IR_OP_fsqrt:
        if (!(flags & IR_FAST)) {
            if (flags & IR_ROUND_MASK)
                return false;
            sass_root(s, d, plain_reg(s, a));
            return true;
        }
        /* fall through */
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast:
    case IR_OP_fsin_fast:
    case IR_OP_fcos_fast:
    case IR_OP_fexp2_fast:
    case IR_OP_flog2_fast:
    case IR_OP_ftanh_fast: quick32(s, op, d, plain_reg(s, a), ftz); return true;
    default: return false;
    }
}

static unsigned compare_of(enum ir_op op)
{
    switch (op) {
    case IR_OP_feq: return CMP_EQ;
    case IR_OP_fne: return CMP_NE + CMP_U;
    case IR_OP_flt: return CMP_LT;
    case IR_OP_fle: return CMP_LE;
    case IR_OP_funo: return CMP_NAN;
    default: return 0;
    }
}

/* ---- bits ---- */
static bool signs(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    unsigned n = sass_words(i->type), bits = ir_bits(i->type);
    uint32_t top = bits == 16 ? 0x8000 : 0x80000000, rest = bits == 16 ? 0x7fff : 0x7fffffff;
    for (unsigned k = 0; k + 1 < n; k++)
        sass_move(s, d, k, sass_word(s, i->args[0], k));
    struct sass_src x = sass_word(s, i->args[0], n - 1);
    if (i->op == IR_OP_fneg) {
        sass_logic(s, d, n - 1, x, sass_imm(top), sass_zero(), LUT_XOR);
    } else if (i->op == IR_OP_fabs) {
        sass_logic(s, d, n - 1, x, sass_imm(rest), sass_zero(), LUT_AND);
    } else { /* (a & b) | (~b & c): a the number, b its digits, c the sign */
        struct sass_src y = sass_in_reg(s, sass_word(s, i->args[1], n - 1));
        sass_logic(s, d, n - 1, x, sass_imm(rest), y, 0xe2);
    }
    return true;
}

/* ---- f64 ---- */
static struct sass_pred compare64(struct sass_func *s, unsigned cmp, struct sass_src a,
                                  struct sass_src b)
{
    uint32_t p = sass_new(s, 0);
    struct sass_inst *i;
    if (a.kind != SRC_REG || a.value == SASS_NONE)
        a.parts = 2;
    sass_op2(s, OP_DSETP, SASS_NONE, 0, a, b);
    i = last(s);
    i->pd = p;
    i->mods[MOD_CMP] = (uint16_t)cmp;
    return (struct sass_pred){p, false};
}

/* The lesser; of equal ones (zeros) that whose sign says so; NaN gives the other. */
static void min_max64(struct sass_func *s, uint32_t d, struct ir_inst *i)
{
    bool max = i->op == IR_OP_fmax;
    struct sass_src a = sass_whole(s, i->args[0]), b = sass_whole(s, i->args[1]);
    struct sass_pred first = compare64(s, max ? CMP_GT : CMP_LT, a, b);
    struct sass_pred same = compare64(s, CMP_EQ, a, b);
    struct sass_pred nan = compare64(s, CMP_NAN, b, b);
    struct sass_pred take = sass_plogic(s, LUT_OR, first, nan);
    uint32_t both = sass_new(s, 1), t = sass_new(s, 1);
    /* equal numbers differ in their signs at most: or for the lesser, and for the greater */
    sass_logic(s, both, 0, sass_half(a, 1), sass_half(b, 1), sass_zero(), max ? LUT_AND : LUT_OR);
    sass_choose(s, d, 0, take, sass_half(a, 0), sass_half(b, 0));
    sass_choose(s, t, 0, take, sass_half(a, 1), sass_half(b, 1));
    sass_choose(s, d, 1, same, sass_reg(both, 0), sass_reg(t, 0));
}

static void pairs(struct sass_func *s)
{
    struct sass_inst *i = last(s);
    i->d_parts = 2;
}

static struct sass_src pair_of(uint32_t r)
{
    struct sass_src x = sass_reg(r, 0);
    x.parts = 2;
    return x;
}

/* The upper half of an approximation, from the upper half of x: some twenty bits. */
static void seed64(struct sass_func *s, uint32_t d, enum sass_mufu what, struct sass_src x)
{
    uint32_t t = sass_new(s, 1);
    mufu(s, t, what, sass_half(x, 1));
    sass_move(s, d, 0, sass_zero());
    sass_move(s, d, 1, sass_reg(t, 0));
}

/* Of zeros, infinities and NaN, which a number in the middle of the range divides as well as any
 * other: the reciprocals of the smallest are infinite here, and those of the largest zero. */
static struct sass_src one_for_any(struct sass_func *s, struct sass_src y)
{
    enum { EXPONENT = 0x7ff00000, ONE = 0x3ff00000, SIGN = INT32_MIN, LUT_AND_OR = 0xea };
    const uint32_t some = sass_new(s, 1), exponent = sass_new(s, 1), one = sass_new(s, 1),
                   r = sass_new(s, 2);
    sass_logic(s, some, 0, sass_half(y, 1), sass_imm(INT32_MAX), sass_half(y, 0), LUT_AND_OR);
    sass_logic(s, exponent, 0, sass_half(y, 1), sass_imm(EXPONENT), sass_zero(), LUT_AND);
    sass_logic(s, one, 0, sass_half(y, 1), sass_imm((uint32_t)SIGN), sass_in_reg(s, sass_imm(ONE)),
               LUT_AND_OR);
    const struct sass_pred finite =
        sass_plogic(s, LUT_AND, sass_compare(s, CMP_NE, false, sass_reg(some, 0), sass_zero()),
                    sass_compare(s, CMP_NE, false, sass_reg(exponent, 0), sass_imm(EXPONENT)));
    sass_move(s, r, 0, sass_half(y, 0));
    sass_choose(s, r, 1, finite, sass_reg(one, 0), sass_half(y, 1));
    return pair_of(r);
}

/* Of numbers in the middle of the range: from y, which is right to some 20 bits, y (1 + e + e e),
 * where e = 1 - x y, and from that a step of Newton's, whose rounding is the nearest but for
 * fractions of ones alone. */
static void reciprocal64(struct sass_func *s, uint32_t d, struct sass_src x)
{
    uint32_t y = sass_new(s, 2);
    seed64(s, y, MUFU_RCP64H, x);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t e = sass_new(s, 2), next = k ? d : sass_new(s, 2);
        struct sass_src minus = pair_of(y);
        minus.neg = true;
        sass_op3(s, OP_DFMA, e, 0, x, minus, sass_imm(0x3ff00000)); /* 1 - x y */
        pairs(s);
        if (!k) {
            const uint32_t more = sass_new(s, 2);
            sass_op3(s, OP_DFMA, more, 0, pair_of(e), pair_of(e), pair_of(e));
            pairs(s);
            e = more;
        }
        sass_op3(s, OP_DFMA, next, 0, pair_of(y), pair_of(e), pair_of(y));
        pairs(s);
        y = next;
    }
}

static bool op64(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    struct ir_value *x = i->args[0], *y = i->nargs > 1 ? i->args[1] : NULL,
                    *z = i->nargs > 2 ? i->args[2] : NULL;
    switch (i->op) {
    case IR_OP_fsub:
    case IR_OP_fadd: {
        struct sass_src a = operand64(s, x, false, true), b = operand64(s, y, true, true);
        b.neg ^= i->op == IR_OP_fsub;
        sass_op3(s, OP_DADD, d, 0, a, sass_zero(), b);
        break;
    }
    case IR_OP_fmul: {
        struct sass_src a = operand64(s, x, false, false), b = operand64(s, y, true, false);
        b.neg ^= a.neg; /* of the product */
        a.neg = false;
        sass_op2(s, OP_DMUL, d, 0, a, b);
        break;
    }
    case IR_OP_fma:
    case IR_OP_mad: {
        struct sass_src a = operand64(s, x, false, false), b = operand64(s, y, true, false);
        struct sass_src c = operand64(s, z, b.kind == SRC_REG, false);
        sass_op3(s, OP_DFMA, d, 0, a, b, c);
        break;
    }
    case IR_OP_ffloor:
    case IR_OP_fceil:
    case IR_OP_ftrunc:
    case IR_OP_frint: {
        struct sass_src a = sass_whole(s, x);
        sass_op1(s, OP_FRND_64, d, 0, a);
        sass_mod(s, MOD_DST, 3);
        sass_mod(s, MOD_SRC, 3);
        sass_mod(s, MOD_ROUND, integral_mode(i->op));
        pairs(s);
        return true;
    }
    case IR_OP_frcp_fast: reciprocal64(s, d, sass_whole(s, x)); return true;
    case IR_OP_frsqrt_fast: seed64(s, d, MUFU_RSQ64H, sass_whole(s, x)); return true;
    case IR_OP_fdiv: { /* of zeros, infinities and NaN only: see lower_quotients */
        if (!(i->flags & IR_FAST))
            return false;
        uint32_t r = sass_new(s, 2);
        seed64(s, r, MUFU_RCP64H, one_for_any(s, sass_whole(s, y)));
        sass_op2(s, OP_DMUL, d, 0, sass_whole(s, x), pair_of(r));
        pairs(s);
        return true;
    }
    case IR_OP_fmin:
    case IR_OP_fmax: min_max64(s, d, i); return true;
    default: return false;
    }
    pairs(s);
    sass_mod(s, MOD_ROUND, i->op == IR_OP_mad ? 0 : sass_rounding(i->flags));
    return true;
}

/* ---- the whole ---- */
static bool small(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    struct sass_src x[3] = {sass_zero(), sass_zero(), sass_zero()};
    for (uint32_t k = 0; k < i->nargs && k < 3; k++)
        x[k] = sass_to_f32(s, i->type, sass_word(s, i->args[k], 0));
    uint32_t r = sass_new(s, 1);
    const uint32_t mode = i->flags & IR_ROUND_MASK;
    if (i->op == IR_OP_fma && (mode == IR_RU || mode == IR_RD)) { /* twice the same way is once */
        sass_op3(s, OP_FFMA, r, 0, x[0], x[1], x[2]);
        sass_mod(s, MOD_ROUND, sass_rounding(mode));
    } else if (i->op == IR_OP_fma || i->op == IR_OP_mad) { /* rounded to odd first: see from_odd */
        uint32_t down = sass_new(s, 1), up = sass_new(s, 1), bit = sass_new(s, 1);
        sass_op3(s, OP_FFMA, down, 0, x[0], x[1], x[2]);
        sass_mod(s, MOD_ROUND, 1);
        sass_op3(s, OP_FFMA, up, 0, x[0], x[1], x[2]);
        sass_mod(s, MOD_ROUND, 2);
        sass_logic(s, bit, 0, sass_reg(down, 0), sass_imm(1), sass_zero(), LUT_AND);
        struct sass_pred odd = sass_compare(s, CMP_NE, false, sass_reg(bit, 0), sass_zero());
        sass_choose(s, r, 0, odd, sass_reg(down, 0), sass_reg(up, 0));
    } else if (!op32(s, i->op, i->flags & ~(uint32_t)IR_FTZ, r, x[0], x[1], x[2])) {
        /* twice the same way is once; to nearest, f32 has more than twice the digits */
        return false;
    }
    sass_from_f32(s, i->type, d, sass_reg(r, 0), i->flags);
    return true;
}

static bool float_compare(struct sass_func *s, struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    unsigned cmp = compare_of(i->op);
    struct sass_pred p;
    if (!cmp)
        return false;
    if (ir_kind(t) == IR_F64) {
        p = compare64(s, cmp, operand64(s, i->args[0], false, true),
                      operand64(s, i->args[1], true, true));
    } else if (ir_kind(t) == IR_F32) {
        p = compare32(s, cmp, operand32(s, i->args[0]), operand32(s, i->args[1]),
                      i->flags & IR_FTZ && i->op != IR_OP_funo);
    } else {
        struct sass_src a = sass_to_f32(s, t, sass_word(s, i->args[0], 0));
        p = compare32(s, cmp, a, sass_to_f32(s, t, sass_word(s, i->args[1], 0)), false);
    }
    sass_give(s, &i->results[0], p);
    return true;
}

bool sass_float(struct sass_func *s, struct ir_inst *i)
{
    unsigned shape = ir_op_info[i->op].shape;
    if (shape == IR_SHAPE_FC)
        return float_compare(s, i);
    if (shape != IR_SHAPE_F1 && shape != IR_SHAPE_F2 && shape != IR_SHAPE_F3)
        return false;
    struct ir_value *v = &i->results[0];
    uint32_t d = sass_result(s, v);
    bool ok;
    if (i->op == IR_OP_fneg || i->op == IR_OP_fabs || i->op == IR_OP_fcopysign)
        ok = signs(s, i, d);
    else if (ir_kind(i->type) == IR_F64)
        ok = op64(s, i, d);
    else if (ir_kind(i->type) == IR_F32)
        ok = op32(s, i->op, i->flags, d, operand32(s, i->args[0]),
                  i->nargs > 1 ? operand32(s, i->args[1]) : sass_zero(),
                  i->nargs > 2 ? operand32(s, i->args[2]) : sass_zero());
    else
        ok = small(s, i, d);
    if (ok)
        sass_done(s, v, d);
    return ok;
}

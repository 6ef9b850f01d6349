/* Integers: arithmetic, comparisons, choices, on one or two registers; on i1, by predicates.
 *
 * i8 and i16 are kept zero-extended in a register. */
#include "back/sass/sass_int.h"

static unsigned bits_of(ir_type t)
{
    return ir_kind(t) == IR_PTR ? (sass_words(t) == 2 ? 64 : 32) : ir_bits(t);
}

/* ---- one word ---- */
static struct sass_src extended(struct sass_func *s, struct ir_value *v, bool sign)
{
    unsigned n = bits_of(v->type);
    struct sass_src x = sass_word(s, v, 0);
    if (!sign || n >= 32)
        return x;
    if (x.kind == SRC_IMM)
        return sass_imm(n == 8 ? (uint32_t)(int8_t)x.value : (uint32_t)(int16_t)x.value);
    uint32_t r = sass_new(s, 1);
    if (!sass_sign_of_small(s, v, r))
        sass_op3(s, OP_PRMT, r, 0, x, sass_imm(n == 8 ? 0x8880 : 0x9910), sass_zero());
    return sass_reg(r, 0);
}

/* The low bits of r, where r is the result of an operation on more. */
static void narrow(struct sass_func *s, uint32_t d, struct sass_src r, unsigned bits)
{
    sass_logic(s, d, 0, r, sass_imm((1u << bits) - 1), sass_zero(), LUT_AND);
}

static void min_max(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b,
                    bool sign, bool max)
{
    sass_op2(s, s->arch >= 90 ? OP_VIMNMX : OP_IMNMX, d, 0, a, b);
    sass_mod(s, MOD_SIGNED, sign);
    vec_last(&s->blocks.data[s->current].code).p.neg = max;
}

static void multiply(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b)
{
    if (a.kind != SRC_REG && b.kind == SRC_REG)
        sass_op3(s, OP_IMAD, d, 0, b, a, sass_zero());
    else
        sass_op3(s, OP_IMAD, d, 0, a, b, sass_zero());
}

static void multiply_high(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b,
                          bool sign)
{
    sass_op3(s, OP_IMAD_HI, d, 0, a, b, sass_zero());
    sass_mod(s, MOD_SIGNED, sign);
}

static void leading_zeros(struct sass_func *s, uint32_t d, struct sass_src a)
{
    uint32_t t = sass_new(s, 1);
    struct sass_src top = sass_reg(t, 0);
    sass_op1(s, OP_FLO, t, 0, a);
    top.neg = true; /* of 0: all ones, which becomes 32 */
    sass_op3(s, OP_IADD3, d, 0, top, sass_imm(31), sass_zero());
}

/* A shift of one word; counts of 32 and more are the hardware's own business: it clamps. */
static void shift_word(struct sass_func *s, enum ir_op op, uint32_t d, struct sass_src a,
                       struct sass_src by)
{
    if (op == IR_OP_shl)
        sass_shift(s, d, 0, a, by, sass_zero(), 3, false, false);
    else
        sass_shift(s, d, 0, sass_zero(), by, a, op == IR_OP_ashr ? 2 : 3, true, true);
}

/* A count as one word; of 64-bit ones, what does not fit becomes large. */
static struct sass_src count_of(struct sass_func *s, struct ir_value *v)
{
    if (v->kind == IR_VALUE_CONST)
        return sass_imm(v->u.bits > 64 ? 64 : (uint32_t)v->u.bits);
    if (sass_words(v->type) == 1)
        return sass_word(s, v, 0);
    struct sass_pred big =
        sass_compare(s, CMP_NE, false, sass_in_reg(s, sass_word(s, v, 1)), sass_zero());
    uint32_t r = sass_new(s, 1);
    sass_choose(s, r, 0, big, sass_in_reg(s, sass_imm(64)), sass_word(s, v, 0));
    return sass_reg(r, 0);
}

static bool word_op(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    const unsigned n = bits_of(i->type);
    struct sass_src a = sass_word(s, i->args[0], 0);
    struct sass_src b = i->nargs > 1 ? sass_word(s, i->args[1], 0) : sass_zero();
    struct sass_src c = i->nargs > 2 ? sass_word(s, i->args[2], 0) : sass_zero();
    const uint32_t r = n < 32 ? sass_new(s, 1) : d;
    switch (i->op) {
    case IR_OP_add: sass_add(s, r, 0, a, b); break;
    case IR_OP_sub:
        b.neg = true;
        sass_op3(s, OP_IADD3, r, 0, a, b, sass_zero());
        break;
    case IR_OP_mul: multiply(s, r, a, b); break;
    case IR_OP_umulhi:
    case IR_OP_smulhi: {
        bool sign = i->op == IR_OP_smulhi;
        if (n == 32) {
            multiply_high(s, r, a, b, sign);
            break;
        }
        uint32_t p = sass_new(s, 1);
        multiply(s, p, extended(s, i->args[0], sign), extended(s, i->args[1], sign));
        sass_shift(s, r, 0, sass_zero(), sass_imm(n), sass_reg(p, 0), 3, true, true);
        break;
    }
    case IR_OP_and: sass_logic(s, r, 0, a, b, sass_zero(), LUT_AND); break;
    case IR_OP_or: sass_logic(s, r, 0, a, b, sass_zero(), LUT_OR); break;
    case IR_OP_xor: sass_logic(s, r, 0, a, b, sass_zero(), LUT_XOR); break;
    case IR_OP_not: sass_logic(s, r, 0, a, sass_zero(), sass_zero(), LUT_NOT_A); break;
    case IR_OP_neg:
        a = sass_in_reg(s, a);
        a.neg = true;
        sass_op3(s, OP_IADD3, r, 0, a, sass_zero(), sass_zero());
        break;
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr:
        shift_word(s, i->op, r, extended(s, i->args[0], i->op == IR_OP_ashr),
                   count_of(s, i->args[1]));
        break;
    case IR_OP_umin:
    case IR_OP_umax: min_max(s, r, a, b, false, i->op == IR_OP_umax); break;
    case IR_OP_smin:
    case IR_OP_smax:
        min_max(s, r, extended(s, i->args[0], true), extended(s, i->args[1], true), true,
                i->op == IR_OP_smax);
        break;
    case IR_OP_popc: sass_op1(s, OP_POPC, r, 0, sass_in_reg(s, a)); break;
    case IR_OP_clz: {
        uint32_t t = n < 32 ? sass_new(s, 1) : r;
        leading_zeros(s, t, sass_in_reg(s, a));
        if (n < 32)
            sass_op3(s, OP_IADD3, r, 0, sass_reg(t, 0), sass_imm(n - 32), sass_zero());
        break;
    }
    case IR_OP_brev: {
        uint32_t t = n < 32 ? sass_new(s, 1) : r;
        sass_op1(s, OP_BREV, t, 0, sass_in_reg(s, a));
        if (n < 32)
            sass_shift(s, r, 0, sass_zero(), sass_imm(32 - n), sass_reg(t, 0), 3, true, true);
        break;
    }
    case IR_OP_prmt: sass_op3(s, OP_PRMT, r, 0, a, c, sass_in_reg(s, b)); break;
    case IR_OP_dp4a:
    case IR_OP_udp4a:
        sass_op3(s, OP_IDP, r, 0, sass_in_reg(s, a), sass_in_reg(s, b), sass_in_reg(s, c));
        sass_mod(s, MOD_SIGNED, i->op == IR_OP_dp4a ? 3 : 0);
        break;
    case IR_OP_fshl:
    case IR_OP_fshr: {
        bool right = i->op == IR_OP_fshr;
        if (n == 32) { /* a:b */
            sass_shift(s, r, 0, b, c, a, 3, right, !right);
            sass_mod(s, MOD_WRAP, 1);
            break;
        }
        uint32_t both = sass_new(s, 1), by = sass_new(s, 1), up = sass_new(s, 1);
        sass_shift(s, up, 0, a, sass_imm(n), sass_zero(), 3, false, false);
        sass_logic(s, both, 0, sass_reg(up, 0), b, sass_zero(), LUT_OR);
        sass_logic(s, by, 0, c, sass_imm(n - 1), sass_zero(), LUT_AND);
        if (right) {
            shift_word(s, IR_OP_lshr, r, sass_reg(both, 0), sass_reg(by, 0));
        } else {
            uint32_t t = sass_new(s, 1);
            shift_word(s, IR_OP_shl, t, sass_reg(both, 0), sass_reg(by, 0));
            shift_word(s, IR_OP_lshr, r, sass_reg(t, 0), sass_imm(n));
        }
        break;
    }
    default: return false;
    }
    if (n < 32)
        narrow(s, d, sass_reg(r, 0), n);
    return true;
}

/* ---- two words ---- */
static struct ir_value *widened(struct ir_value *v, enum ir_op how)
{
    struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    return i && i->op == how && ir_kind(i->args[0]->type) == IR_I32 ? i->args[0] : NULL;
}

/* A product of two extended words, or of one and a constant: one instruction. `plus`: two words
 * that are added, or NULL. */
static bool wide_product(struct sass_func *s, uint32_t d, struct ir_inst *i, struct ir_value *plus)
{
    if (i->op != IR_OP_mul && i->op != IR_OP_shl)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        enum ir_op how = k ? IR_OP_zext : IR_OP_sext;
        struct ir_value *x = widened(i->args[0], how), *y = i->args[1];
        struct sass_src other;
        if (!x)
            continue;
        if (i->op == IR_OP_shl) {
            if (!ir_is_const(y) || y->u.bits >= (k ? 32 : 31))
                continue;
            other = sass_imm(1u << y->u.bits);
        } else if (ir_is_const(y)) {
            int64_t v = (int64_t)y->u.bits;
            if (k ? v < 0 || v > UINT32_MAX : v < INT32_MIN || v > INT32_MAX)
                continue;
            other = sass_imm((uint32_t)v);
        } else if (widened(y, how)) {
            other = sass_word(s, widened(y, how), 0);
        } else {
            continue;
        }
        struct sass_src first = sass_in_reg(s, sass_word(s, x, 0)), c = sass_zero();
        if (plus) {
            c = sass_word(s, plus, 0);
            if (c.kind != SRC_CONST || other.kind != SRC_REG)
                c = sass_whole(s, plus);
            c.parts = 2;
        }
        sass_op3(s, OP_IMAD_WIDE, d, 0, first, other, c);
        struct sass_inst *m = &vec_last(&s->blocks.data[s->current].code);
        m->mods[MOD_SIGNED] = !k;
        m->d_parts = 2;
        return true;
    }
    return false;
}

static void wide_multiply(struct sass_func *s, uint32_t d, struct ir_value *x, struct ir_value *y)
{
    struct sass_src a = sass_word(s, x, 0), ah = sass_word(s, x, 1);
    struct sass_src b = sass_word(s, y, 0), bh = sass_word(s, y, 1);
    uint32_t cross = sass_new(s, 1), low = sass_new(s, 2), sum = sass_new(s, 1);
    a = sass_in_reg(s, a);
    ah = sass_in_reg(s, ah);
    sass_op3(s, OP_IMAD, cross, 0, ah, b, sass_zero());
    sass_op3(s, OP_IMAD, sum, 0, a, bh, sass_reg(cross, 0));
    sass_op3(s, OP_IMAD_WIDE, low, 0, a, b, sass_zero());
    vec_last(&s->blocks.data[s->current].code).d_parts = 2;
    sass_move(s, d, 0, sass_reg(low, 0));
    sass_add(s, d, 1, sass_reg(low, 1), sass_reg(sum, 0));
}

/* The upper 64 bits of a product of 64-bit numbers. */
static void wide_multiply_high(struct sass_func *s, uint32_t d, struct ir_inst *i)
{
    struct sass_src x = sass_whole(s, i->args[0]), y = sass_whole(s, i->args[1]);
    struct sass_src a = sass_half(x, 0), ah = sass_half(x, 1);
    struct sass_src b = sass_half(y, 0), bh = sass_half(y, 1);
    uint32_t ll = sass_new(s, 2), m1 = sass_new(s, 2), m2 = sass_new(s, 2), hh = sass_new(s, 2);
    uint32_t t = sass_new(s, 2), u = sass_new(s, 2), c = sass_new(s, 2);
    const struct {
        uint32_t d;
        struct sass_src a, b;
    } parts[] = {{ll, a, b}, {m1, a, bh}, {m2, ah, b}, {hh, ah, bh}};
    for (unsigned k = 0; k < 4; k++) {
        sass_op3(s, OP_IMAD_WIDE, parts[k].d, 0, parts[k].a, parts[k].b, sass_zero());
        vec_last(&s->blocks.data[s->current].code).d_parts = 2;
    }
    /* t = m1 + high(ll); u = m2 + low(t); result = hh + high(t) + high(u) */
    sass_add_wide(s, t, sass_reg(m1, 0), sass_reg(m1, 1), sass_reg(ll, 1), sass_zero(), false);
    sass_add_wide(s, u, sass_reg(m2, 0), sass_reg(m2, 1), sass_reg(t, 0), sass_zero(), false);
    sass_add_wide(s, c, sass_reg(hh, 0), sass_reg(hh, 1), sass_reg(t, 1), sass_zero(), false);
    uint32_t r = i->op == IR_OP_smulhi ? sass_new(s, 2) : d;
    sass_add_wide(s, r, sass_reg(c, 0), sass_reg(c, 1), sass_reg(u, 1), sass_zero(), false);
    if (i->op == IR_OP_umulhi)
        return;
    /* signed: less what each takes where the other is negative */
    uint32_t sx = sass_new(s, 1), sy = sass_new(s, 1), v = sass_new(s, 2), m = sass_new(s, 2),
             n = sass_new(s, 2);
    sass_shift(s, sx, 0, sass_zero(), sass_imm(31), ah, 2, true, true);
    sass_shift(s, sy, 0, sass_zero(), sass_imm(31), bh, 2, true, true);
    for (unsigned k = 0; k < 2; k++) {
        sass_logic(s, m, k, sass_reg(sx, 0), sass_half(y, k), sass_zero(), LUT_AND);
        sass_logic(s, n, k, sass_reg(sy, 0), sass_half(x, k), sass_zero(), LUT_AND);
    }
    sass_add_wide(s, v, sass_reg(r, 0), sass_reg(r, 1), sass_reg(m, 0), sass_reg(m, 1), true);
    sass_add_wide(s, d, sass_reg(v, 0), sass_reg(v, 1), sass_reg(n, 0), sass_reg(n, 1), true);
}

static void shift_wide(struct sass_func *s, enum ir_op op, uint32_t d, struct sass_src a,
                       struct sass_src ah, struct sass_src by)
{
    a = sass_in_reg(s, a);
    ah = sass_in_reg(s, ah);
    if (op == IR_OP_shl) {
        sass_shift(s, d, 0, a, by, sass_zero(), 3, false, false);
        sass_shift(s, d, 1, a, by, ah, 1, false, true);
        return;
    }
    bool sign = op == IR_OP_ashr;
    sass_shift(s, d, 0, a, by, ah, sign ? 0 : 1, true, false);
    sass_shift(s, d, 1, sass_zero(), by, ah, sign ? 2 : 3, true, true);
}

/* Both halves by turns through the same operation on one word. */
static void halves(struct sass_func *s, uint32_t d, struct ir_inst *i, unsigned lut)
{
    for (unsigned k = 0; k < 2; k++)
        sass_logic(s, d, k, sass_word(s, i->args[0], k),
                   i->nargs > 1 ? sass_word(s, i->args[1], k) : sass_zero(), sass_zero(), lut);
}

static struct sass_pred compare_wide(struct sass_func *s, unsigned cmp, bool sign,
                                     struct ir_value *x, struct ir_value *y)
{
    struct sass_src a = sass_in_reg(s, sass_word(s, x, 0)), b = sass_word(s, y, 0);
    struct sass_src ah = sass_in_reg(s, sass_word(s, x, 1)), bh = sass_word(s, y, 1);
    struct sass_pred low = sass_compare(s, cmp, false, a, b);
    struct sass_pred r = sass_compare(s, cmp, sign, ah, bh);
    struct sass_inst *m = &vec_last(&s->blocks.data[s->current].code);
    m->mods[MOD_EX] = 1;
    m->q = low;
    return r;
}

static void min_max_wide(struct sass_func *s, uint32_t d, struct ir_inst *i)
{
    bool sign = i->op == IR_OP_smin || i->op == IR_OP_smax;
    bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
    struct sass_pred p = compare_wide(s, max ? CMP_GT : CMP_LT, sign, i->args[0], i->args[1]);
    for (unsigned k = 0; k < 2; k++)
        sass_choose(s, d, k, p, sass_word(s, i->args[0], k), sass_word(s, i->args[1], k));
}

static void count_wide(struct sass_func *s, uint32_t d, struct ir_inst *i)
{
    struct sass_src low = sass_in_reg(s, sass_word(s, i->args[0], 0)),
                    high = sass_in_reg(s, sass_word(s, i->args[0], 1));
    uint32_t a = sass_new(s, 1), b = sass_new(s, 1);
    if (i->op == IR_OP_popc) {
        sass_op1(s, OP_POPC, a, 0, low);
        sass_op1(s, OP_POPC, b, 0, high);
        sass_add(s, d, 0, sass_reg(a, 0), sass_reg(b, 0));
    } else if (i->op == IR_OP_clz) {
        uint32_t more = sass_new(s, 1);
        leading_zeros(s, a, high);
        leading_zeros(s, b, low);
        sass_op3(s, OP_IADD3, more, 0, sass_reg(b, 0), sass_imm(32), sass_zero());
        struct sass_pred none = sass_compare(s, CMP_EQ, false, high, sass_zero());
        sass_choose(s, d, 0, none, sass_reg(more, 0), sass_reg(a, 0));
    } else {
        sass_op1(s, OP_BREV, d, 0, high);
        sass_op1(s, OP_BREV, d, 1, low);
        return;
    }
    sass_move(s, d, 1, sass_zero());
}

/* a:b shifted by c mod 64 */
static void funnel_wide(struct sass_func *s, uint32_t d, struct ir_inst *i)
{
    bool right = i->op == IR_OP_fshr;
    uint32_t by = sass_new(s, 1), rest = sass_new(s, 1), x = sass_new(s, 2), y = sass_new(s, 2);
    sass_logic(s, by, 0, sass_word(s, i->args[2], 0), sass_imm(63), sass_zero(), LUT_AND);
    struct sass_src minus = sass_reg(by, 0);
    minus.neg = true;
    sass_op3(s, OP_IADD3, rest, 0, minus, sass_imm(64), sass_zero());
    struct ir_value *near = i->args[right ? 1 : 0], *far = i->args[right ? 0 : 1];
    shift_wide(s, right ? IR_OP_lshr : IR_OP_shl, x, sass_word(s, near, 0), sass_word(s, near, 1),
               sass_reg(by, 0));
    shift_wide(s, right ? IR_OP_shl : IR_OP_lshr, y, sass_word(s, far, 0), sass_word(s, far, 1),
               sass_reg(rest, 0));
    for (unsigned k = 0; k < 2; k++)
        sass_logic(s, d, k, sass_reg(x, k), sass_reg(y, k), sass_zero(), LUT_OR);
}

/* plus + a 32-bit value */
static bool wide_step(struct sass_func *s, uint32_t d, struct ir_value *v, struct ir_value *plus)
{
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *x = widened(v, k ? IR_OP_zext : IR_OP_sext);
        if (!x || ir_is_const(plus))
            continue;
        sass_op3(s, OP_IMAD_WIDE, d, 0, sass_in_reg(s, sass_word(s, x, 0)), sass_imm(1),
                 sass_whole(s, plus));
        struct sass_inst *m = &vec_last(&s->blocks.data[s->current].code);
        m->mods[MOD_SIGNED] = !k;
        m->d_parts = 2;
        return true;
    }
    return false;
}

void sass_sum(struct sass_func *s, uint32_t d, struct ir_value *x, struct ir_value *y)
{
    struct ir_value *of[2] = {x, y};
    for (unsigned k = 0; k < 2; k++) {
        struct ir_value *p = of[k];
        if (p->kind == IR_VALUE_RESULT && ir_kind(p->type) == IR_I64 &&
            wide_product(s, d, p->u.inst, of[1 - k]))
            return;
        if (wide_step(s, d, p, of[1 - k]))
            return;
    }
    sass_add_wide(s, d, sass_word(s, x, 0), sass_word(s, x, 1), sass_word(s, y, 0),
                  sass_word(s, y, 1), false);
}

static bool wide_op(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    struct ir_value *x = i->args[0], *y = i->nargs > 1 ? i->args[1] : NULL;
    switch (i->op) {
    case IR_OP_add: sass_sum(s, d, x, y); break;
    case IR_OP_sub:
        sass_add_wide(s, d, sass_word(s, x, 0), sass_word(s, x, 1), sass_word(s, y, 0),
                      sass_word(s, y, 1), true);
        break;
    case IR_OP_mul:
        if (!wide_product(s, d, i, NULL))
            wide_multiply(s, d, x, y);
        break;
    case IR_OP_umulhi:
    case IR_OP_smulhi: wide_multiply_high(s, d, i); break;
    case IR_OP_and: halves(s, d, i, LUT_AND); break;
    case IR_OP_or: halves(s, d, i, LUT_OR); break;
    case IR_OP_xor: halves(s, d, i, LUT_XOR); break;
    case IR_OP_not: halves(s, d, i, LUT_NOT_A); break;
    case IR_OP_neg:
        sass_add_wide(s, d, sass_zero(), sass_zero(), sass_word(s, x, 0), sass_word(s, x, 1), true);
        break;
    case IR_OP_shl:
        if (wide_product(s, d, i, NULL))
            break;
        /* fall through */
    case IR_OP_lshr:
    case IR_OP_ashr:
        shift_wide(s, i->op, d, sass_word(s, x, 0), sass_word(s, x, 1), count_of(s, y));
        break;
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: min_max_wide(s, d, i); break;
    case IR_OP_popc:
    case IR_OP_clz:
    case IR_OP_brev: count_wide(s, d, i); break;
    case IR_OP_fshl:
    case IR_OP_fshr: funnel_wide(s, d, i); break;
    default: return false;
    }
    return true;
}

/* ---- i1 ---- */
static struct sass_pred negated(struct sass_pred p)
{
    p.neg = !p.neg;
    return p;
}

static bool bit_op(struct sass_func *s, struct ir_inst *i, struct sass_pred *out)
{
    struct sass_pred a = sass_true(s, i->args[0]), b = a;
    if (i->nargs > 1)
        b = sass_true(s, i->args[1]);
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_xor:
    case IR_OP_ne: *out = sass_plogic(s, LUT_XOR, a, b); return true;
    case IR_OP_eq: *out = sass_plogic(s, LUT_XOR, a, negated(b)); return true;
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_umin:
    case IR_OP_smax: *out = sass_plogic(s, LUT_AND, a, b); return true;
    case IR_OP_or:
    case IR_OP_umax:
    case IR_OP_smin: *out = sass_plogic(s, LUT_OR, a, b); return true;
    case IR_OP_umulhi:
    case IR_OP_smulhi: *out = sass_plogic(s, 0, a, b); return true;
    case IR_OP_udiv:
    case IR_OP_sdiv: *out = sass_plogic(s, LUT_OR, a, negated(b)); return true;
    case IR_OP_urem:
    case IR_OP_srem:
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_slt: *out = sass_plogic(s, LUT_AND, a, negated(b)); return true;
    case IR_OP_ult: *out = sass_plogic(s, LUT_AND, negated(a), b); return true;
    case IR_OP_ule: *out = sass_plogic(s, LUT_OR, negated(a), b); return true;
    case IR_OP_sle: *out = sass_plogic(s, LUT_OR, a, negated(b)); return true;
    case IR_OP_not:
    case IR_OP_clz: *out = sass_plogic(s, LUT_NOT_A, a, a); return true;
    case IR_OP_neg:
    case IR_OP_popc:
    case IR_OP_brev:
    case IR_OP_ashr:
    case IR_OP_fshl: *out = sass_plogic(s, LUT_A, a, a); return true;
    case IR_OP_fshr: *out = sass_plogic(s, LUT_A, b, b); return true;
    default: return false;
    }
}

/* The comparison, just put, that gives a value which only i reads; or NULL. */
static struct sass_inst *comparison(struct sass_func *s, const struct ir_inst *i,
                                    const struct ir_value *v, uint32_t other)
{
    enum { FAR = 12 };
    struct sass_block *b = &s->blocks.data[s->current];
    if (v->kind != IR_VALUE_RESULT || s->uses[v->id] != 1 || v->u.inst->block != i->block ||
        s->places.demoted[v->id] || !s->reg_of[v->id])
        return NULL;
    for (size_t k = b->code.len, n = 0; k-- > 0 && n < FAR; n++) {
        struct sass_inst *m = &b->code.data[k];
        if (m->pd == s->reg_of[v->id] - 1)
            return (m->op == OP_ISETP || m->op == OP_FSETP || m->op == OP_DSETP) &&
                           m->p.reg == SASS_NONE && !m->p.neg && m->guard.reg == SASS_NONE &&
                           m->pe == SASS_NONE
                       ? m
                       : NULL;
        if (m->pd == other || m->pe == other)
            return NULL;
    }
    return NULL;
}

/* a && b, a || b: a comparison takes the other one along. */
static bool join(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    if ((i->op != IR_OP_and && i->op != IR_OP_or) || i->type != IR_I1 || s->places.demoted[v->id] ||
        s->reg_of[v->id])
        return false;
    for (unsigned k = 2; k-- > 0;) {
        if (i->args[1 - k]->kind != IR_VALUE_RESULT || s->places.demoted[i->args[1 - k]->id])
            continue;
        struct sass_pred other = sass_true(s, i->args[1 - k]);
        struct sass_inst *m = comparison(s, i, i->args[k], other.reg);
        if (!m)
            continue;
        m->p = other;
        m->mods[MOD_BOOL] = i->op == IR_OP_or;
        s->reg_of[v->id] = m->pd + 1;
        s->regs.data[m->pd].value = v->id;
        return true;
    }
    return false;
}

/* x * y + z, where nobody else reads the product. */
static bool multiply_add(struct sass_func *s, struct ir_inst *i)
{
    if (i->op != IR_OP_add || i->type != IR_I32)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_value *v = i->args[k];
        if (v->kind != IR_VALUE_RESULT || s->uses[v->id] != 1)
            continue;
        const struct ir_inst *m = v->u.inst;
        const bool shifts =
            m->op == IR_OP_shl && ir_is_const(m->args[1]) && m->args[1]->u.bits < 32;
        if ((m->op != IR_OP_mul && !shifts) || ir_is_const(m->args[0]))
            continue;
        uint32_t d = sass_result(s, &i->results[0]);
        sass_op3(s, OP_IMAD, d, 0, sass_in_reg(s, sass_word(s, m->args[0], 0)),
                 shifts ? sass_imm(1u << m->args[1]->u.bits) : sass_word(s, m->args[1], 0),
                 sass_word(s, i->args[1 - k], 0));
        sass_done(s, &i->results[0], d);
        return true;
    }
    return false;
}

/* What makes a word right before i, which alone reads it; NULL: nobody, or in another block. */
static const struct ir_inst *own_operand(const struct sass_func *s, const struct ir_inst *i,
                                         unsigned k)
{
    const struct ir_value *v = i->args[k];
    if (v->kind != IR_VALUE_RESULT || s->uses[v->id] != 1 || v->type != IR_I32 ||
        s->places.spilled[v->id] || v->u.inst->block != i->block)
        return NULL;
    return v->u.inst;
}

/* x + y + z, where that takes no register more: two of them are the same, or one is a number. */
static bool add_three(struct sass_func *s, struct ir_inst *i)
{
    if (i->op != IR_OP_add || i->type != IR_I32)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_inst *m = own_operand(s, i, k);
        if (!m || m->op != IR_OP_add)
            continue;
        struct ir_value *x = m->args[0], *y = m->args[1], *z = i->args[1 - k];
        const bool number = ir_is_const(y) || ir_is_const(z);
        if (ir_is_const(x) || (ir_is_const(y) && ir_is_const(z)) || (!number && x != y))
            continue;
        struct ir_value *middle = ir_is_const(z) ? z : y, *last = ir_is_const(z) ? y : z;
        uint32_t d = sass_result(s, &i->results[0]);
        sass_op3(s, OP_IADD3, d, 0, sass_in_reg(s, sass_word(s, x, 0)), sass_word(s, middle, 0),
                 sass_in_reg(s, sass_word(s, last, 0)));
        sass_done(s, &i->results[0], d);
        return true;
    }
    return false;
}

static unsigned truth(enum ir_op op, unsigned x, unsigned y)
{
    return op == IR_OP_and ? x & y : op == IR_OP_or ? x | y : op == IR_OP_xor ? x ^ y : ~x & 0xff;
}

static bool is_logic(enum ir_op op)
{
    return op == IR_OP_and || op == IR_OP_or || op == IR_OP_xor;
}

/* One operation of three operands for two of which nobody else reads the first. */
static bool logic_three(struct sass_func *s, struct ir_inst *i)
{
    static const unsigned places[] = {0xf0, 0xcc, 0xaa};
    if (!is_logic(i->op) || i->type != IR_I32)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct ir_inst *m = own_operand(s, i, k);
        if (!m || (!is_logic(m->op) && m->op != IR_OP_not))
            continue;
        const bool one = m->op == IR_OP_not;
        struct ir_value *v[] = {m->args[0], one ? NULL : m->args[1], i->args[1 - k]};
        unsigned at[] = {0, 1, 2}, numbers = 0, number = 1;
        for (unsigned n = 0; n < 3; n++)
            if (v[n] && ir_is_const(v[n])) {
                numbers++;
                number = n;
            }
        if (numbers > 1)
            continue;
        at[number] = 1; /* which holds a number */
        at[1] = number == 1 ? 1 : number;
        unsigned lut = truth(i->op, truth(m->op, places[at[0]], places[at[1]]), places[at[2]]);
        struct sass_src x[3];
        for (unsigned n = 0; n < 3; n++)
            x[at[n]] = v[n] ? sass_word(s, v[n], 0) : sass_zero();
        uint32_t d = sass_result(s, &i->results[0]);
        sass_logic(s, d, 0, sass_in_reg(s, x[0]), x[1], sass_in_reg(s, x[2]), lut);
        sass_done(s, &i->results[0], d);
        return true;
    }
    return false;
}

static bool compares(struct sass_func *s, struct ir_inst *i, struct sass_pred *out)
{
    static const struct {
        uint8_t cmp;
        bool sign;
    } kinds[IR_OP_COUNT] = {
        [IR_OP_eq] = {CMP_EQ, false},  [IR_OP_ne] = {CMP_NE, false}, [IR_OP_ult] = {CMP_LT, false},
        [IR_OP_ule] = {CMP_LE, false}, [IR_OP_slt] = {CMP_LT, true}, [IR_OP_sle] = {CMP_LE, true},
    };
    unsigned cmp = kinds[i->op].cmp;
    bool sign = kinds[i->op].sign;
    if (!cmp || !sass_words(i->args[0]->type))
        return false;
    if (sass_words(i->args[0]->type) == 2) {
        *out = compare_wide(s, cmp, sign, i->args[0], i->args[1]);
        return true;
    }
    struct sass_src a = extended(s, i->args[0], sign), b = extended(s, i->args[1], sign);
    if (a.kind != SRC_REG && b.kind == SRC_REG) {
        static const uint8_t turned[] = {0, CMP_GT, CMP_EQ, CMP_GE, CMP_LT, CMP_NE, CMP_LE};
        *out = sass_compare(s, turned[cmp], sign, b, a);
    } else {
        *out = sass_compare(s, cmp, sign, a, b);
    }
    return true;
}

/* The register that the last instruction wrote is the result's own. */
void sass_give(struct sass_func *s, struct ir_value *v, struct sass_pred p)
{
    struct sass_inst *last = &vec_last(&s->blocks.data[s->current].code);
    if (!s->places.demoted[v->id] && last->pd == p.reg && !p.neg) {
        last->pd = sass_result(s, v);
        return;
    }
    uint32_t d = sass_result(s, v);
    struct sass_inst *i = sass_put(s, OP_PLOP3);
    i->pd = d;
    i->p = p;
    i->mods[MOD_LUT_LOW] = LUT_A & 7;
    i->mods[MOD_LUT_HIGH] = LUT_A >> 3;
    sass_done(s, v, d);
}

static void choose(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    struct sass_pred p = sass_true(s, i->args[0]);
    unsigned n = sass_words(i->type);
    if (!n) { /* p ? a : b */
        struct sass_pred a = sass_true(s, i->args[1]), b = sass_true(s, i->args[2]);
        uint32_t d = sass_result(s, v);
        struct sass_inst *m = sass_put(s, OP_PLOP3);
        m->pd = d;
        m->p = p;
        m->q = a;
        m->r = b;
        m->mods[MOD_LUT_LOW] = 0xca & 7;
        m->mods[MOD_LUT_HIGH] = 0xca >> 3;
        sass_done(s, v, d);
        return;
    }
    uint32_t d = sass_result(s, v);
    for (unsigned k = 0; k < n; k++)
        sass_choose(s, d, k, p, sass_word(s, i->args[1], k), sass_word(s, i->args[2], k));
    sass_done(s, v, d);
}

bool sass_arith(struct sass_func *s, struct ir_inst *i)
{
    if (i->op == IR_OP_select) {
        choose(s, i);
        return true;
    }
    unsigned shape = ir_op_info[i->op].shape;
    if (shape != IR_SHAPE_I1 && shape != IR_SHAPE_I2 && shape != IR_SHAPE_I3 &&
        shape != IR_SHAPE_IC)
        return false;
    struct ir_value *v = &i->results[0];
    struct sass_pred p;
    if (join(s, i) || multiply_add(s, i) || add_three(s, i) || logic_three(s, i))
        return true;
    if (!sass_words(i->args[0]->type) ? bit_op(s, i, &p) : compares(s, i, &p)) {
        sass_give(s, v, p);
        return true;
    }
    if (shape == IR_SHAPE_IC)
        return false;
    uint32_t d = sass_result(s, v);
    bool ok = sass_words(i->type) == 2 ? wide_op(s, i, d) : word_op(s, i, d);
    if (ok)
        sass_done(s, v, d);
    return ok;
}

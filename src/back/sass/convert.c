/* Conversions: between widths of integers, formats of floats, integers and floats, and names of the
 * same place in several address spaces. */
#include "back/sass/sass_int.h"

static struct sass_inst *last(struct sass_func *s)
{
    return &vec_last(&s->blocks.data[s->current].code);
}

/* ---- small floats ---- */
struct sass_src sass_to_f32(struct sass_func *s, ir_type from, struct sass_src x)
{
    if (ir_kind(from) == IR_F32)
        return x;
    uint32_t r = sass_new(s, 1);
    x = sass_in_reg(s, x);
    if (ir_kind(from) == IR_F16) {
        struct sass_src none = sass_zero();
        none.neg = true;
        if (s->chip & BEFORE_80)
            sass_op2(s, OP_HADD2_F32_A, r, 0, x, none);
        else
            sass_op2(s, OP_HADD2_F32, r, 0, none, x);
    } else {
        sass_shift(s, r, 0, x, sass_imm(16), sass_zero(), 3, false, false);
    }
    return sass_reg(r, 0);
}

void sass_from_f32(struct sass_func *s, ir_type to, uint32_t d, struct sass_src x, uint32_t flags)
{
    uint32_t mode = flags & IR_ROUND_MASK;
    uint32_t r = sass_new(s, 1);
    if (ir_kind(to) == IR_F32) {
        sass_move(s, d, 0, x);
        return;
    }
    const bool up_or_down = mode == IR_RU || mode == IR_RD;
    if (up_or_down && ir_kind(to) != IR_F16) {
        sass_refuse(s, "a bf16 rounded up or down");
        return;
    }
    if (ir_kind(to) == IR_F16 && (up_or_down || s->chip & BEFORE_80)) {
        sass_op1(s, OP_F2F, r, 0, sass_in_reg(s, x));
        sass_mod(s, MOD_DST, 1);
        sass_mod(s, MOD_ROUND, sass_rounding(flags));
    } else {
        sass_op3(s, OP_F2FP, r, 0, sass_zero(), sass_in_reg(s, x), sass_zero());
        sass_mod(s, MOD_TYPE, ir_kind(to) == IR_BF16);
        sass_mod(s, MOD_ROUND, mode == IR_RZ ? 3 : 0);
    }
    sass_logic(s, d, 0, sass_reg(r, 0), sass_imm(0xffff), sass_zero(), LUT_AND);
}

/* Of two neighbours in f32, or one twice, the one whose last bit is odd: rounding it once more
 * rounds as if at once. */
static struct sass_src odd_one(struct sass_func *s, uint32_t down, uint32_t up)
{
    uint32_t bit = sass_new(s, 1), r = sass_new(s, 1);
    sass_logic(s, bit, 0, sass_reg(down, 0), sass_imm(1), sass_zero(), LUT_AND);
    struct sass_pred odd = sass_compare(s, CMP_NE, false, sass_reg(bit, 0), sass_zero());
    sass_choose(s, r, 0, odd, sass_reg(down, 0), sass_reg(up, 0));
    return sass_reg(r, 0);
}

static struct sass_src flushed(struct sass_func *s, struct sass_src x)
{
    uint32_t r = sass_new(s, 1);
    sass_op2(s, OP_FMUL, r, 0, x, sass_imm(0x3f800000));
    sass_mod(s, MOD_FTZ, 1);
    return sass_reg(r, 0);
}

static void narrow_double(struct sass_func *s, uint32_t d, struct sass_src x, unsigned mode,
                          bool ftz)
{
    sass_op1(s, OP_F2F_64, d, 0, x);
    sass_mod(s, MOD_DST, 2);
    sass_mod(s, MOD_SRC, 3);
    sass_mod(s, MOD_ROUND, mode);
    sass_mod(s, MOD_FTZ, ftz);
}

static void float_to_float(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    ir_type from = i->args[0]->type, to = i->type;
    enum ir_kind fk = ir_kind(from), tk = ir_kind(to);
    bool ftz = i->flags & IR_FTZ && (fk == IR_F32 || tk == IR_F32);
    if (fk == tk) {
        for (unsigned k = 0; k < sass_words(to); k++)
            sass_move(s, d, k, sass_word(s, i->args[0], k));
        return;
    }
    if (fk == IR_F64 && tk == IR_F32) {
        narrow_double(s, d, sass_whole(s, i->args[0]), sass_rounding(i->flags), ftz);
        return;
    }
    if (fk == IR_F64) {
        struct sass_src x = sass_whole(s, i->args[0]);
        uint32_t down = sass_new(s, 1), up = sass_new(s, 1);
        narrow_double(s, down, x, 1, false);
        narrow_double(s, up, x, 2, false);
        sass_from_f32(s, to, d, odd_one(s, down, up), i->flags);
        return;
    }
    struct sass_src x = sass_to_f32(s, from, sass_word(s, i->args[0], 0));
    if (ftz)
        x = flushed(s, x);
    if (tk == IR_F64) {
        sass_op1(s, OP_F2F_64, d, 0, sass_in_reg(s, x));
        sass_mod(s, MOD_DST, 3);
        sass_mod(s, MOD_SRC, 2);
        last(s)->d_parts = 2;
    } else {
        sass_from_f32(s, to, d, x, i->flags);
    }
}

/* ---- integers ---- */
static void resize(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = i->args[0], *out = &i->results[0];
    unsigned from = ir_bits(v->type), to = ir_bits(i->type);
    bool sign = i->op == IR_OP_sext;
    if (to == 1) {
        uint32_t t = sass_new(s, 1);
        sass_logic(s, t, 0, sass_word(s, v, 0), sass_imm(1), sass_zero(), LUT_AND);
        sass_give(s, out, sass_compare(s, CMP_NE, false, sass_reg(t, 0), sass_zero()));
        return;
    }
    uint32_t d = sass_result(s, out);
    if (from == 1) {
        struct sass_pred p = sass_true(s, v);
        uint32_t ones = sign ? (to < 32 ? (1u << to) - 1 : UINT32_MAX) : 1;
        struct sass_src one = sass_in_reg(s, sass_imm(ones));
        sass_choose(s, d, 0, p, one, sass_zero());
        if (to == 64)
            sass_choose(s, d, 1, p, sign ? one : sass_zero(), sass_zero());
        sass_done(s, out, d);
        return;
    }
    struct sass_src x = sass_word(s, v, 0);
    if (i->op == IR_OP_trunc) {
        if (to < 32)
            sass_logic(s, d, 0, x, sass_imm((1u << to) - 1), sass_zero(), LUT_AND);
        else
            sass_move(s, d, 0, x);
        sass_done(s, out, d);
        return;
    }
    if (sign && from < 32) {
        uint32_t t = to == 32 ? d : sass_new(s, 1);
        if (!sass_sign_of_small(s, v, t))
            sass_op3(s, OP_PRMT, t, 0, x, sass_imm(from == 8 ? 0x8880 : 0x9910), sass_zero());
        x = sass_reg(t, 0);
    }
    if (to < 32)
        sass_logic(s, d, 0, x, sass_imm((1u << to) - 1), sass_zero(), LUT_AND);
    else if (!(sign && from < 32 && to == 32))
        sass_move(s, d, 0, x);
    if (to == 64 && sign)
        sass_shift(s, d, 1, sass_zero(), sass_imm(31), sass_in_reg(s, x), 2, true, true);
    else if (to == 64)
        sass_move(s, d, 1, sass_zero());
    sass_done(s, out, d);
}

/* ---- floats and integers ---- */
static void clamp(struct sass_func *s, uint32_t d, struct sass_src x, uint32_t bound, bool sign,
                  bool max)
{
    sass_op2(s, s->arch >= 90 ? OP_VIMNMX : OP_IMNMX, d, 0, x, sass_imm(bound));
    sass_mod(s, MOD_SIGNED, sign);
    last(s)->p.neg = max;
}

static void float_to_int(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = i->args[0], *out = &i->results[0];
    bool sign = i->op == IR_OP_ftosi, wide = ir_kind(v->type) == IR_F64;
    unsigned n = ir_bits(i->type), mode = sass_rounding(i->flags);
    struct sass_src x =
        wide ? sass_whole(s, v) : sass_in_reg(s, sass_to_f32(s, v->type, sass_word(s, v, 0)));
    if (i->flags & IR_FTZ && ir_kind(v->type) == IR_F32)
        x = flushed(s, x);
    uint32_t d = n == 1 ? SASS_NONE : sass_result(s, out);
    uint32_t r = n >= 32 ? d : sass_new(s, 1);
    sass_op1(s, wide || n == 64 ? OP_F2I_64 : OP_F2I, r, 0, x);
    sass_mod(s, MOD_SIGNED, sign);
    sass_mod(s, MOD_ROUND, mode);
    sass_mod(s, MOD_SRC, wide ? 3 : 2);
    sass_mod(s, MOD_DST, n == 64 ? 3 : 2);
    if (n == 64)
        last(s)->d_parts = 2;
    if (n >= 32) {
        sass_done(s, out, d);
        return;
    }
    uint32_t high = sign ? (1u << (n - 1)) - 1 : (1u << n) - 1, c = sass_new(s, 1);
    clamp(s, c, sass_reg(r, 0), high, sign, false);
    if (sign) {
        uint32_t t = sass_new(s, 1);
        clamp(s, t, sass_reg(c, 0), 0 - high - 1, true, true);
        c = t;
    } else if (wide) { /* NaN: the top bit of what is wanted, not of what was clamped */
        uint32_t p = sass_new(s, 0), t = sass_new(s, 1);
        sass_op2(s, OP_DSETP, SASS_NONE, 0, x, x);
        last(s)->pd = p;
        sass_mod(s, MOD_CMP, CMP_NAN);
        sass_choose(s, t, 0, (struct sass_pred){p, false}, sass_in_reg(s, sass_imm(1u << (n - 1))),
                    sass_reg(c, 0));
        c = t;
    }
    if (n == 1) {
        sass_give(s, out, sass_compare(s, CMP_NE, false, sass_reg(c, 0), sass_zero()));
        return;
    }
    sass_logic(s, d, 0, sass_reg(c, 0), sass_imm((1u << n) - 1), sass_zero(), LUT_AND);
    sass_done(s, out, d);
}

/* from: 32 or 64 bits, to f32 or f64 */
static void make_float(struct sass_func *s, uint32_t d, bool to64, struct sass_src x, bool from64,
                       bool sign, unsigned mode)
{
    if (!to64 && !from64 && !mode && s->chip & FROM_86) { /* others it does not have */
        sass_op1(s, OP_I2FP, d, 0, x);
        sass_mod(s, MOD_SIGNED, sign);
        sass_mod(s, MOD_ROUND, mode);
        return;
    }
    sass_op1(s, to64 || from64 ? OP_I2F_64 : OP_I2F, d, 0, x);
    sass_mod(s, MOD_SIGNED, sign);
    sass_mod(s, MOD_ROUND, mode);
    sass_mod(s, MOD_DST, to64 ? 3 : 2);
    sass_mod(s, MOD_SRC, from64 ? 3 : 2);
    if (to64)
        last(s)->d_parts = 2;
}

static void int_to_float(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    struct ir_value *v = i->args[0];
    bool sign = i->op == IR_OP_sitof;
    unsigned n = ir_bits(v->type);
    struct sass_src x;
    if (n == 1) {
        uint32_t t = sass_new(s, 1);
        sass_choose(s, t, 0, sass_true(s, v), sass_in_reg(s, sass_imm(sign ? UINT32_MAX : 1)),
                    sass_zero());
        x = sass_reg(t, 0);
    } else if (n == 64) {
        x = sass_whole(s, v);
    } else {
        x = sass_in_reg(s, sass_word(s, v, 0));
        if (n < 32 && sign) {
            uint32_t t = sass_new(s, 1);
            sass_op3(s, OP_PRMT, t, 0, x, sass_imm(n == 8 ? 0x8880 : 0x9910), sass_zero());
            x = sass_reg(t, 0);
        }
    }
    if (ir_bits(i->type) == 16) {
        uint32_t down = sass_new(s, 1), up = sass_new(s, 1);
        make_float(s, down, false, x, n == 64, sign, 1);
        make_float(s, up, false, x, n == 64, sign, 2);
        sass_from_f32(s, i->type, d, odd_one(s, down, up), i->flags);
        return;
    }
    make_float(s, d, ir_kind(i->type) == IR_F64, x, n == 64, sign, sass_rounding(i->flags));
}

/* ---- addresses ---- */
static struct sass_src window(uint32_t at)
{
    return (struct sass_src){.kind = SRC_CONST, .bank = 0, .value = at, .parts = 1};
}
/* Where they begin, in bank 0; from sm_90 on a register has the upper half of the shared one. */
enum { SHARED_WINDOW = 0x18, LOCAL_WINDOW = 0x20 };

void sass_generic_local(struct sass_func *s, uint32_t d, struct sass_src place)
{
    sass_add_wide(s, d, place, sass_zero(), window(LOCAL_WINDOW), window(LOCAL_WINDOW + 4), false);
}

static void change_space(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    struct ir_value *v = i->args[0];
    enum ir_space to = ir_space(i->type), from = ir_space(v->type);
    bool null = ir_is_const(v) && !v->u.bits;
    bool flat = sass_words(v->type) == 2 && sass_words(i->type) == 2;
    if (from == to || null || flat) {
        for (unsigned k = 0; k < sass_words(i->type); k++)
            sass_move(s, d, k, k < sass_words(v->type) ? sass_word(s, v, k) : sass_zero());
        return;
    }
    if (from == IR_SPACE_PARAM || to == IR_SPACE_PARAM) {
        sass_refuse(s, "a generic address of a parameter");
        return;
    }
    if (from == IR_SPACE_SHARED && s->arch < 90) {
        sass_add_wide(s, d, sass_in_reg(s, sass_word(s, v, 0)), sass_zero(), window(SHARED_WINDOW),
                      window(SHARED_WINDOW + 4), false);
    } else if (from == IR_SPACE_SHARED) {
        uint32_t high = sass_new(s, 1);
        sass_put(s, OP_S2R)->d = high;
        sass_mod(s, MOD_SR, SR_SHARED_WINDOW);
        sass_move(s, d, 0, sass_word(s, v, 0));
        sass_move(s, d, 1, sass_reg(high, 0));
    } else if (from == IR_SPACE_LOCAL) {
        sass_generic_local(s, d, sass_in_reg(s, sass_word(s, v, 0)));
    } else if (to == IR_SPACE_SHARED && s->arch >= 90) {
        sass_move(s, d, 0, sass_word(s, v, 0));
    } else {
        struct sass_src x =
            sass_in_reg(s, window(to == IR_SPACE_SHARED ? SHARED_WINDOW : LOCAL_WINDOW));
        x.neg = true;
        sass_op3(s, OP_IADD3, d, 0, sass_in_reg(s, sass_word(s, v, 0)), x, sass_zero());
    }
}

static void in_space(struct sass_func *s, struct ir_inst *i)
{
    enum { GLOBAL, LOCAL, SHARED };
    unsigned n = i->imm == IR_SPACE_SHARED || i->imm == IR_SPACE_LOCAL ? 1 : 2;
    struct sass_pred p[2];
    struct sass_src x = sass_whole(s, i->args[0]);
    for (unsigned k = 0; k < n; k++) {
        struct sass_inst *m = sass_put(s, OP_QSPC);
        m->a = x;
        m->pd = sass_new(s, 0);
        m->mods[MOD_SPACE] = i->imm == IR_SPACE_SHARED || k ? SHARED : LOCAL;
        p[k] = (struct sass_pred){m->pd, false};
    }
    if (n == 2) {
        p[0].neg = p[1].neg = true;
        p[0] = sass_plogic(s, LUT_AND, p[0], p[1]);
    }
    sass_give(s, &i->results[0], p[0]);
}

static void words(struct sass_func *s, struct ir_inst *i, uint32_t d)
{
    for (unsigned k = 0; k < sass_words(i->type); k++)
        sass_move(s, d, k,
                  k < sass_words(i->args[0]->type) ? sass_word(s, i->args[0], k) : sass_zero());
}

bool sass_convert(struct sass_func *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_trunc:
    case IR_OP_zext:
    case IR_OP_sext: resize(s, i); return true;
    case IR_OP_ftosi:
    case IR_OP_ftoui: float_to_int(s, i); return true;
    case IR_OP_isspace: in_space(s, i); return true;
    case IR_OP_fcvt:
    case IR_OP_sitof:
    case IR_OP_uitof:
    case IR_OP_bitcast:
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr:
    case IR_OP_cvta: break;
    default: return false;
    }
    if (i->op == IR_OP_bitcast && !sass_words(i->type)) {
        sass_give(s, &i->results[0], sass_true(s, i->args[0]));
        return true;
    }
    uint32_t d = sass_result(s, &i->results[0]);
    if (i->op == IR_OP_fcvt)
        float_to_float(s, i, d);
    else if (i->op == IR_OP_sitof || i->op == IR_OP_uitof)
        int_to_float(s, i, d);
    else if (i->op == IR_OP_cvta)
        change_space(s, i, d);
    else
        words(s, i, d);
    sass_done(s, &i->results[0], d);
    return true;
}

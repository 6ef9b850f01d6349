/* Arithmetic, comparison, selection and moves. */
#include <string.h>
#include "front/ptxops/px_int.h"

/* ---- what floats may say besides their type ---- */
enum {
    RN = 1,
    ROUND = 2,
    FTZ = 4,
    SAT = 8,
    NAN_ = 16,
    SIGNS = 32,
    RELU = 64,
    APPROX = 128,
    FULL = 256
};

/* The modifiers that an instruction takes, by its type. One that it does not take is never asked
 * for, and so refused. */
static unsigned float_modifiers(const char *name, struct px_type t)
{
    static const struct {
        const char *name;
        unsigned f32, f64, f16, bf16;
    } all[] = {
        {"add", ROUND | FTZ | SAT, ROUND, RN | FTZ | SAT, RN},
        {"sub", ROUND | FTZ | SAT, ROUND, RN | FTZ | SAT, RN},
        {"mul", ROUND | FTZ | SAT, ROUND, RN | FTZ | SAT, RN},
        {"fma", ROUND | FTZ | SAT, ROUND, RN | FTZ | SAT | RELU, RN | RELU},
        {"mad", ROUND | FTZ | SAT, ROUND, 0, 0},
        {"div", ROUND | FTZ | APPROX | FULL, ROUND, 0, 0},
        {"rcp", ROUND | FTZ | APPROX, ROUND | FTZ | APPROX, 0, 0},
        {"sqrt", ROUND | FTZ | APPROX, ROUND, 0, 0},
        {"rsqrt", FTZ | APPROX, FTZ | APPROX, 0, 0},
        {"sin", FTZ | APPROX, 0, 0, 0},
        {"cos", FTZ | APPROX, 0, 0, 0},
        {"lg2", FTZ | APPROX, 0, 0, 0},
        {"ex2", FTZ | APPROX, 0, APPROX, FTZ | APPROX},
        {"tanh", APPROX, 0, APPROX, APPROX},
        {"min", FTZ | NAN_ | SIGNS, 0, FTZ | NAN_ | SIGNS, NAN_ | SIGNS},
        {"max", FTZ | NAN_ | SIGNS, 0, FTZ | NAN_ | SIGNS, NAN_ | SIGNS},
        {"neg", FTZ, 0, FTZ, 0},
        {"abs", FTZ, 0, FTZ, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name))
            return t.letter == 'h' ? all[i].bf16
                   : t.bits == 16  ? all[i].f16
                   : t.bits == 32  ? all[i].f32
                                   : all[i].f64;
    return 0;
}

struct float_mods { /* what one says */
    uint32_t flags;
    bool round, approx, ftz, sat, nan, signs, relu;
    bool bad; /* not together */
};

static struct float_mods float_mods(struct px_stmt *s)
{
    const unsigned may = float_modifiers(s->name, s->types[0]);
    struct float_mods m = {0};
    if (may & ROUND && (px_mod(s, "rz") || px_mod(s, "rm") || px_mod(s, "rp"))) {
        m.round = true;
        m.flags = px_rounding(s);
    } else if (may & (RN | ROUND)) {
        m.round = px_mod(s, "rn");
    }
    m.approx = may & APPROX && px_mod(s, "approx");
    if (m.approx || (may & FULL && px_mod(s, "full")))
        m.flags |= IR_FAST;
    m.ftz = may & FTZ && px_mod(s, "ftz");
    m.flags |= m.ftz ? IR_FTZ : 0;
    m.sat = may & SAT && px_mod(s, "sat");
    m.nan = may & NAN_ && px_mod(s, "NaN");
    m.relu = may & RELU && px_mod(s, "relu");
    m.signs = may & SIGNS && px_mod(s, "xorsign");
    m.bad = (m.sat && m.relu) || m.signs != (may & SIGNS && px_mod(s, "abs"));
    /* Approximations, divisions, roots and what is fused must say how they round. */
    const bool fast = m.flags & IR_FAST;
    if (may & APPROX)
        m.bad |= m.round == fast;
    else if (!strcmp(s->name, "fma") || !strcmp(s->name, "mad") || !strcmp(s->name, "div") ||
             !strcmp(s->name, "sqrt"))
        m.bad |= !m.round;
    return m;
}

struct ir_value *px_one_of(struct px *p, ir_type t)
{
    return px_int(p, t,
                  t == IR_F64    ? UINT64_C(0x3ff0000000000000)
                  : t == IR_F32  ? 0x3f800000
                  : t == IR_BF16 ? 0x3f80
                                 : 0x3c00);
}

static struct ir_value *canonical_nan(struct px *p, ir_type t)
{
    return px_int(p, t,
                  t == IR_F32   ? 0x7fffffff
                  : t == IR_F64 ? UINT64_C(0x7fffffffffffffff)
                                : 0x7fff);
}

/* .sat of a float: into [0, 1], NaN to +0. */
struct ir_value *px_saturated(struct px *p, struct ir_value *x)
{
    x = px_op2(p, IR_OP_fmax, x, px_like(p, x, 0));
    return px_op2(p, IR_OP_fmin, x, px_one_of(p, x->type));
}

struct ir_value *px_relu(struct px *p, struct ir_value *x)
{
    struct ir_value *zero = px_like(p, x, 0);
    if (ir_class(x->type) == IR_CLASS_INT)
        return px_op2(p, IR_OP_smax, x, zero);
    struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, x->type, x, x);
    return px_pick(p, nan, canonical_nan(p, x->type), px_op2(p, IR_OP_fmax, x, zero));
}

/* Subnormal numbers to zeros of their sign. */
struct ir_value *px_flushed(struct px *p, struct ir_value *x)
{
    if (ir_kind(x->type) == IR_F32) /* a product with 1 does it, and keeps NaN */
        return ir_build_flags(&p->b, IR_OP_fmul, IR_F32, IR_FTZ, 2, x, px_one_of(p, IR_F32), NULL);
    if (ir_kind(x->type) != IR_F16 && ir_kind(x->type) != IR_BF16)
        return x;
    struct ir_value *w = px_bits_as(p, x, IR_I16);
    struct ir_value *exponent =
        px_op2(p, IR_OP_and, w, px_like(p, w, ir_kind(x->type) == IR_F16 ? 0x7c00 : 0x7f80));
    struct ir_value *tiny = ir_build2(&p->b, IR_OP_eq, IR_I16, exponent, px_like(p, w, 0));
    w = px_pick(p, tiny, px_op2(p, IR_OP_and, w, px_like(p, w, 0x8000)), w);
    return px_bits_as(p, w, x->type);
}

/* ---- pairs of halves ---- */
ir_type px_half_type(struct px_type t)
{
    t.lanes = 1;
    return px_ir_type(t);
}

struct ir_value *px_half(struct px *p, struct ir_value *w, unsigned i, ir_type t)
{
    if (i)
        w = px_op2(p, IR_OP_lshr, w, px_like(p, w, 16));
    return px_bits_as(p, ir_build1(&p->b, IR_OP_trunc, IR_I16, w), t);
}

struct ir_value *px_pair(struct px *p, struct ir_value *lo, struct ir_value *hi)
{
    lo = px_bits_as(p, px_bits_as(p, lo, IR_I16), IR_I32);
    hi = px_bits_as(p, px_bits_as(p, hi, IR_I16), IR_I32);
    return px_op2(p, IR_OP_or, lo, px_op2(p, IR_OP_shl, hi, px_like(p, hi, 16)));
}

/* ---- plain arithmetic ---- */
static struct ir_value *compute(struct px *p, enum ir_op op, ir_type t, uint32_t flags, bool nan,
                                uint32_t n, struct ir_value *const *x)
{
    uint16_t takes = ir_op_info[op].flags;
    uint32_t f = (takes & IR_ROUNDS ? flags & IR_ROUND_MASK : 0) |
                 (takes & IR_FLUSHES && t == IR_F32 ? flags & IR_FTZ : 0) |
                 (op == IR_OP_fdiv || op == IR_OP_fsqrt ? flags & IR_FAST : 0);
    struct ir_value *r =
        ir_build_flags(&p->b, op, t, f, n, x[0], n > 1 ? x[1] : NULL, n > 2 ? x[2] : NULL);
    if (nan) {
        struct ir_value *bad = ir_build2(&p->b, IR_OP_funo, t, x[0], x[1]);
        r = px_pick(p, bad, canonical_nan(p, t), r);
    }
    return r;
}

/* |r| with the sign that x * y has: .xorsign.abs of min and max. */
static struct ir_value *with_product_sign(struct px *p, struct ir_value *r, struct ir_value *x,
                                          struct ir_value *y)
{
    ir_type i = ir_bits(x->type) == 16 ? IR_I16 : ir_bits(x->type) == 32 ? IR_I32 : IR_I64;
    struct ir_value *sign = px_op2(p, IR_OP_xor, px_bits_as(p, x, i), px_bits_as(p, y, i));
    return px_op2(p, IR_OP_fcopysign, r, px_bits_as(p, sign, x->type));
}

/* One element of a float instruction. */
static struct ir_value *float_element(struct px *p, enum ir_op op, const struct float_mods *m,
                                      uint32_t n, struct ir_value **x)
{
    const ir_type t = x[0]->type;
    const bool flush = m->ftz && (ir_kind(t) != IR_F32 || !(ir_op_info[op].flags & IR_FLUSHES));
    struct ir_value *signs[2] = {x[0], n > 1 ? x[1] : NULL};
    for (uint32_t i = 0; i < n; i++) {
        if (flush)
            x[i] = px_flushed(p, x[i]);
        if (m->signs)
            x[i] = px_op1(p, IR_OP_fabs, x[i]);
    }
    struct ir_value *r = compute(p, op, t, m->flags, m->nan, n, x);
    if (m->signs)
        r = with_product_sign(p, r, signs[0], signs[1]);
    if (flush)
        r = px_flushed(p, r);
    if (m->sat)
        r = px_saturated(p, r);
    return m->relu ? px_relu(p, r) : r;
}

/* n operands of the instruction's type, by halves where it is a pair. */
static bool elementwise(struct px *p, struct px_stmt *s, enum ir_op op, uint32_t n)
{
    struct px_type t = s->types[0];
    const bool is_float = px_is_float(t);
    struct float_mods m = {0};
    if (op == IR_OP_trap)
        return false;
    if (is_float)
        m = float_mods(s);
    /* Of integers only .s32 and .s16x2 of min and max know it. */
    else if (t.letter == 's' && (t.bits == 32 || t.lanes == 2) &&
             (op == IR_OP_smin || op == IR_OP_smax))
        m.relu = px_mod(s, "relu");
    if (m.bad)
        return false;
    struct ir_value *in[3], *x[3], *r[2] = {NULL};
    ir_type whole = px_ir_type(t), part = px_half_type(t);
    for (uint32_t i = 0; i < n; i++)
        in[i] = px_in(p, &s->ops[1 + i], whole);
    for (unsigned h = 0; h < t.lanes; h++) {
        for (uint32_t i = 0; i < n; i++)
            x[i] = t.lanes == 2 ? px_half(p, in[i], h, part) : in[i];
        r[h] = float_element(p, op, &m, n, x);
    }
    px_out(p, &s->ops[0], t.lanes == 2 ? px_pair(p, r[0], r[1]) : r[0]);
    return true;
}

static enum ir_op op_for(const struct px_row *row, struct px_type t)
{
    return px_is_float(t) ? row->f : t.letter == 's' ? row->s : row->u;
}

/* x + y + carry in, or x - y - borrow in; sets the carry if asked. As in the hardware, the flag is
 * a carry for subtractions too, x + ~y + 1, so that it says that nothing was borrowed: nvcc's
 * division of 128-bit integers asks it with addc. */
static struct ir_value *carried(struct px *p, struct px_stmt *s, bool minus, bool in,
                                struct ir_value *x, struct ir_value *y)
{
    enum ir_op op = minus ? IR_OP_sub : IR_OP_add;
    struct ir_value *r = px_op2(p, op, x, y);
    struct ir_value *c = minus ? ir_build2(&p->b, IR_OP_ult, x->type, x, y)
                               : ir_build2(&p->b, IR_OP_ult, x->type, r, x);
    if (in) {
        struct ir_value *flag = px_read(p, p->carry);
        if (minus)
            flag = px_op2(p, IR_OP_xor, flag, px_like(p, flag, 1));
        struct ir_value *add = ir_build1(&p->b, IR_OP_zext, x->type, flag);
        struct ir_value *r2 = px_op2(p, op, r, add);
        struct ir_value *c2 = minus ? ir_build2(&p->b, IR_OP_ult, x->type, r, add)
                                    : ir_build2(&p->b, IR_OP_ult, x->type, r2, r);
        c = ir_build2(&p->b, IR_OP_or, IR_I1, c, c2);
        r = r2;
    }
    if (px_mod(s, "cc"))
        px_write(p, p->carry, minus ? px_op2(p, IR_OP_xor, c, px_like(p, c, 1)) : c);
    return r;
}

/* Of .s32: in 64 bits, clamped. */
static struct ir_value *saturating(struct px *p, enum ir_op op, struct ir_value *x,
                                   struct ir_value *y)
{
    struct ir_value *r = px_op2(p, op, ir_build1(&p->b, IR_OP_sext, IR_I64, x),
                                ir_build1(&p->b, IR_OP_sext, IR_I64, y));
    r = px_op2(p, IR_OP_smin, r, px_like(p, r, INT32_MAX));
    r = px_op2(p, IR_OP_smax, r, px_like(p, r, (uint64_t)INT32_MIN));
    return ir_build1(&p->b, IR_OP_trunc, IR_I32, r);
}

bool px_binary(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(3);
    struct px_type t = s->types[0];
    bool c = !strcmp(s->name, "addc") || !strcmp(s->name, "subc");
    enum ir_op op = op_for(row, t);
    bool cc = (op == IR_OP_add || op == IR_OP_sub) && px_mod(s, "cc");
    if (c || cc) {
        ir_type i = px_ir_type(t);
        if (!px_type_in(t, PX_WIDE))
            return false;
        px_out(p, &s->ops[0],
               carried(p, s, op == IR_OP_sub, c, px_in(p, &s->ops[1], i), px_in(p, &s->ops[2], i)));
        return true;
    }
    if (px_type_in(t, PX_S32) && (op == IR_OP_add || op == IR_OP_sub) && px_mod(s, "sat")) {
        px_out(p, &s->ops[0],
               saturating(p, op, px_in(p, &s->ops[1], IR_I32), px_in(p, &s->ops[2], IR_I32)));
        return true;
    }
    return elementwise(p, s, op, 2);
}

bool px_copysign(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(3);
    ir_type t = px_ir_type(s->types[0]); /* the sign comes from the first operand */
    (void)row;
    if (!px_is_float(s->types[0]))
        return false;
    px_out(p, &s->ops[0],
           px_op2(p, IR_OP_fcopysign, px_in(p, &s->ops[2], t), px_in(p, &s->ops[1], t)));
    return true;
}

bool px_multiply(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    bool add = s->name[0] != 'm' || s->name[1] == 'a';
    PX_NEEDS(add ? 4u : 3u);
    struct px_type t = s->types[0];
    if (px_is_float(t))
        return elementwise(p, s, row->f, add ? 3 : 2);
    if (row->s == IR_OP_trap || t.lanes != 1)
        return false;
    bool sign = t.letter == 's';
    ir_type i = px_ir_type(t), w = i;
    struct ir_value *x = px_in(p, &s->ops[1], i), *y = px_in(p, &s->ops[2], i), *r;
    if (px_mod(s, "wide")) {
        enum ir_op ext = sign ? IR_OP_sext : IR_OP_zext;
        if (t.bits == 64)
            return false;
        w = t.bits == 16 ? IR_I32 : IR_I64;
        r = px_op2(p, IR_OP_mul, ir_build1(&p->b, ext, w, x), ir_build1(&p->b, ext, w, y));
    } else if (px_mod(s, "hi")) {
        r = px_op2(p, sign ? IR_OP_smulhi : IR_OP_umulhi, x, y);
    } else if (px_mod(s, "lo")) {
        r = px_op2(p, IR_OP_mul, x, y);
    } else {
        return false;
    }
    if (add) {
        struct ir_value *c = px_in(p, &s->ops[3], w);
        bool in = !strcmp(s->name, "madc"),
             out = w == i && px_type_in(t, PX_WIDE) && px_mod(s, "cc");
        if (in && w != i)
            return false;
        if (!in && !out && px_type_in(t, PX_S32) && w == i && px_mod(s, "hi") && px_mod(s, "sat"))
            r = saturating(p, IR_OP_add, r, c);
        else
            r = in || out ? carried(p, s, false, in, r, c) : px_op2(p, IR_OP_add, r, c);
    }
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_multiply24(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    bool add = s->name[1] == 'a';
    PX_NEEDS(add ? 4u : 3u);
    (void)row;
    if (s->types[0].bits != 32 || px_is_float(s->types[0]))
        return false;
    enum ir_op right = s->types[0].letter == 's' ? IR_OP_ashr : IR_OP_lshr;
    struct ir_value *x[2];
    for (unsigned i = 0; i < 2; i++) {
        x[i] = px_bits_as(p, px_in(p, &s->ops[1 + i], IR_I32), IR_I64);
        x[i] = px_op2(p, IR_OP_shl, x[i], px_like(p, x[i], 40));
        x[i] = px_op2(p, right, x[i], px_like(p, x[i], 40));
    }
    struct ir_value *r = px_op2(p, IR_OP_mul, x[0], x[1]);
    if (px_mod(s, "hi"))
        r = px_op2(p, IR_OP_lshr, r, px_like(p, r, 16));
    else if (!px_mod(s, "lo"))
        return false;
    r = ir_build1(&p->b, IR_OP_trunc, IR_I32, r);
    if (add)
        r = px_op2(p, IR_OP_add, r, px_in(p, &s->ops[3], IR_I32));
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_sad(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    ir_type t = px_ir_type(s->types[0]);
    if (px_is_float(s->types[0]))
        return false;
    bool sign = s->types[0].letter == 's';
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t);
    struct ir_value *big = px_op2(p, sign ? row->s : row->u, x, y),
                    *small = px_op2(p, sign ? IR_OP_smin : IR_OP_umin, x, y);
    px_out(p, &s->ops[0],
           px_op2(p, IR_OP_add, px_op2(p, IR_OP_sub, big, small), px_in(p, &s->ops[3], t)));
    return true;
}

bool px_unary(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    struct px_type t = s->types[0];
    if (!px_is_float(t) && !strcmp(s->name, "abs")) {
        struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(t));
        struct ir_value *n = ir_build1(&p->b, IR_OP_neg, x->type, x);
        px_out(p, &s->ops[0], px_op2(p, IR_OP_smax, x, n));
        if (t.letter != 's' || t.lanes != 1)
            return false;
        return true;
    }
    return elementwise(p, s, op_for(row, t), 1);
}

bool px_reciprocal(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    if (px_mod(s, "approx"))
        return elementwise(p, s, row->f, 1);
    ir_type t = px_ir_type(s->types[0]);
    struct float_mods m = float_mods(s);
    struct ir_value *x[2] = {px_one_of(p, t), px_in(p, &s->ops[1], t)};
    if (m.bad || (m.ftz && t != IR_F32))
        return false;
    px_out(p, &s->ops[0], compute(p, IR_OP_fdiv, t, m.flags, false, 2, x));
    return true;
}

bool px_cnot(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    (void)row;
    struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(s->types[0]));
    struct ir_value *z = ir_build2(&p->b, IR_OP_eq, x->type, x, px_like(p, x, 0));
    px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_zext, x->type, z));
    return true;
}

/* ---- bits ---- */
bool px_count(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    ir_type t = px_ir_type(s->types[0]);
    px_out(p, &s->ops[0],
           px_bits_as(p, ir_build1(&p->b, row->u, t, px_in(p, &s->ops[1], t)), IR_I32));
    return true;
}

bool px_bfind(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x = px_in(p, &s->ops[1], t);
    if (s->types[0].letter == 's') /* the first bit that is not the sign */
        x = px_op2(p, IR_OP_xor, x, px_op2(p, IR_OP_ashr, x, px_like(p, x, ir_bits(t) - 1)));
    struct ir_value *n = px_bits_as(p, ir_build1(&p->b, IR_OP_clz, t, x), IR_I32);
    struct ir_value *r =
        px_mod(s, "shiftamt") ? n : px_op2(p, IR_OP_sub, px_int(p, IR_I32, ir_bits(t) - 1), n);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, t, x, px_like(p, x, 0));
    px_out(p, &s->ops[0], px_pick(p, none, px_int(p, IR_I32, UINT32_MAX), r));
    return true;
}

/* The n-th set bit from a base: walked bit by bit, without branches. */
bool px_fns(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    struct ir_value *mask = px_in(p, &s->ops[1], IR_I32), *base = px_in(p, &s->ops[2], IR_I32),
                    *n = px_in(p, &s->ops[3], IR_I32);
    struct ir_value *zero = px_int(p, IR_I32, 0), *one = px_int(p, IR_I32, 1);
    struct ir_value *back = ir_build2(&p->b, IR_OP_slt, IR_I32, n, zero);
    /* Downward is upward on reversed bits. */
    struct ir_value *m = px_pick(p, back, ir_build1(&p->b, IR_OP_brev, IR_I32, mask), mask);
    struct ir_value *b = px_pick(p, back, px_op2(p, IR_OP_sub, px_int(p, IR_I32, 31), base), base);
    struct ir_value *want = px_op2(p, IR_OP_smax, n, ir_build1(&p->b, IR_OP_neg, IR_I32, n));
    struct ir_value *still =
        px_op2(p, IR_OP_and, m, px_op2(p, IR_OP_shl, px_int(p, IR_I32, UINT32_MAX), b));
    struct ir_value *first = px_pick(p, ir_build2(&p->b, IR_OP_eq, IR_I32, want, zero), one, want);
    for (unsigned i = 0; i < 31; i++) { /* drop the lowest bit while more than one is wanted */
        struct ir_value *more = ir_build2(&p->b, IR_OP_ult, IR_I32, one, first);
        struct ir_value *less = px_op2(p, IR_OP_and, still, px_op2(p, IR_OP_sub, still, one));
        still = px_pick(p, more, less, still);
        first = px_pick(p, more, px_op2(p, IR_OP_sub, first, one), first);
    }
    struct ir_value *low = px_op2(p, IR_OP_and, still, ir_build1(&p->b, IR_OP_neg, IR_I32, still));
    struct ir_value *at =
        px_op2(p, IR_OP_sub, px_int(p, IR_I32, 31), ir_build1(&p->b, IR_OP_clz, IR_I32, low));
    struct ir_value *found = px_pick(p, back, px_op2(p, IR_OP_sub, px_int(p, IR_I32, 31), at), at);
    struct ir_value *bit = px_op2(p, IR_OP_and, px_op2(p, IR_OP_lshr, mask, base), one);
    struct ir_value *is0 = ir_build2(&p->b, IR_OP_eq, IR_I32, n, zero);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, IR_I32, still, zero);
    struct ir_value *nowhere = px_int(p, IR_I32, UINT32_MAX);
    struct ir_value *over = ir_build2(&p->b, IR_OP_ult, IR_I32, one, first);
    struct ir_value *r = px_pick(p, ir_build2(&p->b, IR_OP_or, IR_I1, none, over), nowhere, found);
    struct ir_value *at_base =
        px_pick(p, ir_build2(&p->b, IR_OP_ne, IR_I32, bit, zero), base, nowhere);
    px_out(p, &s->ops[0], px_pick(p, is0, at_base, r));
    return true;
}

bool px_testp(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    (void)row;
    struct px_type t = s->types[0];
    if (t.letter != 'f' || t.bits < 32)
        return false;
    ir_type i = t.bits == 32 ? IR_I32 : IR_I64;
    struct ir_value *x = px_in(p, &s->ops[1], i), *r;
    uint64_t inf = t.bits == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
    uint64_t low = t.bits == 32 ? 0x00800000 : UINT64_C(0x0010000000000000);
    x = px_op2(p, IR_OP_and, x, px_like(p, x, t.bits == 32 ? 0x7fffffff : INT64_MAX));
    struct ir_value *finite = ir_build2(&p->b, IR_OP_ult, i, x, px_like(p, x, inf));
    struct ir_value *tiny = ir_build2(&p->b, IR_OP_ult, i, x, px_like(p, x, low));
    struct ir_value *nan = ir_build2(&p->b, IR_OP_ult, i, px_like(p, x, inf), x);
    if (px_mod(s, "finite"))
        r = finite;
    else if (px_mod(s, "infinite"))
        r = ir_build2(&p->b, IR_OP_eq, i, x, px_like(p, x, inf));
    else if (px_mod(s, "number"))
        r = ir_build1(&p->b, IR_OP_not, IR_I1, nan);
    else if (px_mod(s, "notanumber"))
        r = nan;
    else if (px_mod(s, "normal")) /* zero is, too */
        r = px_op2(p, IR_OP_or,
                   px_op2(p, IR_OP_and, finite, ir_build1(&p->b, IR_OP_not, IR_I1, tiny)),
                   ir_build2(&p->b, IR_OP_eq, i, x, px_like(p, x, 0)));
    else if (px_mod(s, "subnormal"))
        r = px_op2(p, IR_OP_and, tiny, ir_build2(&p->b, IR_OP_ne, i, x, px_like(p, x, 0)));
    else
        return false;
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_shift(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(3);
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *n = px_in(p, &s->ops[2], IR_I32);
    /* counts are 32 bits whatever is shifted: clamped before they are cut */
    n = px_op2(p, IR_OP_umin, n, px_int(p, IR_I32, ir_bits(t)));
    n = px_bits_as(p, n, t);
    px_out(p, &s->ops[0], px_op2(p, op_for(row, s->types[0]), px_in(p, &s->ops[1], t), n));
    return true;
}

bool px_funnel(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    struct ir_value *lo = px_in(p, &s->ops[1], IR_I32), *hi = px_in(p, &s->ops[2], IR_I32),
                    *n = px_in(p, &s->ops[3], IR_I32);
    bool left = px_mod(s, "l");
    if (!left && !px_mod(s, "r"))
        return false;
    if (px_mod(s, "wrap")) {
        px_out(p, &s->ops[0], ir_build3(&p->b, left ? IR_OP_fshl : IR_OP_fshr, IR_I32, hi, lo, n));
        return true;
    }
    if (!px_mod(s, "clamp"))
        return false;
    struct ir_value *w =
        px_op2(p, IR_OP_or, px_bits_as(p, lo, IR_I64),
               px_op2(p, IR_OP_shl, px_bits_as(p, hi, IR_I64), px_int(p, IR_I64, 32)));
    n = px_bits_as(p, px_op2(p, IR_OP_umin, n, px_int(p, IR_I32, 32)), IR_I64);
    if (left) {
        w = px_op2(p, IR_OP_shl, w, n);
        w = px_op2(p, IR_OP_lshr, w, px_int(p, IR_I64, 32));
    } else {
        w = px_op2(p, IR_OP_lshr, w, n);
    }
    px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_trunc, IR_I32, w));
    return true;
}

static struct ir_value *byte_of(struct px *p, const struct px_operand *o, ir_type t)
{
    struct ir_value *x = px_in(p, o, IR_I32);
    x = px_op2(p, IR_OP_and, x, px_like(p, x, 255));
    return px_bits_as(p, x, t);
}

bool px_bfe(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    unsigned n = ir_bits(t);
    bool sign = s->types[0].letter == 's';
    struct ir_value *x = px_in(p, &s->ops[1], t), *pos = byte_of(p, &s->ops[2], t),
                    *len = byte_of(p, &s->ops[3], t);
    len = px_op2(p, IR_OP_umin, len, px_like(p, len, n));
    /* Beyond the top bit, a signed field reads the sign, an unsigned one zeros. */
    struct ir_value *y = px_op2(p, sign ? IR_OP_ashr : IR_OP_lshr, x, pos);
    struct ir_value *rest = px_op2(p, IR_OP_sub, px_like(p, len, n), len);
    y = px_op2(p, sign ? IR_OP_ashr : IR_OP_lshr, px_op2(p, IR_OP_shl, y, rest), rest);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, t, len, px_like(p, len, 0));
    px_out(p, &s->ops[0], px_pick(p, none, px_like(p, x, 0), y));
    return true;
}

bool px_bfi(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(5);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t),
                    *pos = byte_of(p, &s->ops[3], t), *len = byte_of(p, &s->ops[4], t);
    struct ir_value *all = px_like(p, x, UINT64_MAX);
    struct ir_value *mask = ir_build1(&p->b, IR_OP_not, t, px_op2(p, IR_OP_shl, all, len));
    mask = px_op2(p, IR_OP_shl, mask, pos);
    struct ir_value *field = px_op2(p, IR_OP_and, px_op2(p, IR_OP_shl, x, pos), mask);
    struct ir_value *rest = px_op2(p, IR_OP_and, y, ir_build1(&p->b, IR_OP_not, t, mask));
    px_out(p, &s->ops[0], px_op2(p, IR_OP_or, field, rest));
    return true;
}

bool px_bmsk(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(3);
    (void)row;
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *n = px_in(p, &s->ops[2], IR_I32);
    if (px_mod(s, "wrap")) {
        x = px_op2(p, IR_OP_and, x, px_like(p, x, 31));
        n = px_op2(p, IR_OP_and, n, px_like(p, n, 31));
    } else if (!px_mod(s, "clamp")) {
        return false;
    }
    struct ir_value *ones =
        ir_build1(&p->b, IR_OP_not, IR_I32, px_op2(p, IR_OP_shl, px_like(p, n, UINT32_MAX), n));
    px_out(p, &s->ops[0], px_op2(p, IR_OP_shl, ones, x));
    return true;
}

bool px_szext(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(3);
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *n = px_in(p, &s->ops[2], IR_I32);
    n = px_mod(s, "wrap")    ? px_op2(p, IR_OP_and, n, px_like(p, n, 31))
        : px_mod(s, "clamp") ? px_op2(p, IR_OP_umin, n, px_like(p, n, 32))
                             : NULL;
    if (!n)
        return false;
    struct ir_value *rest = px_op2(p, IR_OP_sub, px_like(p, n, 32), n);
    struct ir_value *r = px_op2(p, op_for(row, s->types[0]), px_op2(p, IR_OP_shl, x, rest), rest);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, IR_I32, n, px_like(p, n, 0));
    px_out(p, &s->ops[0], px_pick(p, none, px_like(p, x, 0), r));
    return true;
}

bool px_prmt(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    /* The selectors of the modes, 16 bits each, for the last operand's two low bits 0 to 3. */
    static const struct {
        const char *name;
        uint64_t selectors;
    } modes[] = {{"f4e", 0x6543543243213210}, {"b4e", 0x0123701267015670},
                 {"rc8", 0x3333222211110000}, {"ecl", 0x3333322232113210},
                 {"ecr", 0x3210221011100000}, {"rc16", 0x3232101032321010}};
    struct ir_value *c = px_in(p, &s->ops[3], IR_I32);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (px_mod(s, modes[i].name)) {
            struct ir_value *at = px_op2(p, IR_OP_and, c, px_like(p, c, 3));
            at = px_bits_as(p, px_op2(p, IR_OP_shl, at, px_like(p, c, 4)), IR_I64);
            c = px_op2(p, IR_OP_lshr, px_int(p, IR_I64, modes[i].selectors), at);
            c = px_bits_as(p, c, IR_I32);
            c = px_op2(p, IR_OP_and, c, px_like(p, c, 0xffff));
            break;
        }
    px_out(p, &s->ops[0],
           ir_build3(&p->b, IR_OP_prmt, IR_I32, px_in(p, &s->ops[1], IR_I32),
                     px_in(p, &s->ops[2], IR_I32), c));
    return true;
}

bool px_lop3(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum ir_op join = px_mod(s, "and") ? IR_OP_and : px_mod(s, "or") ? IR_OP_or : IR_OP_trap;
    PX_NEEDS(join != IR_OP_trap ? 6u : 5u);
    (void)row;
    if (s->ops[4].kind != PO_INT || s->ops[4].bits > 255 ||
        (s->ops[0].second != NULL) != (join != IR_OP_trap))
        return false;
    struct ir_value *in[3], *r = NULL;
    for (unsigned i = 0; i < 3; i++)
        in[i] = px_in(p, &s->ops[1 + i], IR_I32);
    for (unsigned m = 0; m < 8; m++) { /* the sum of its minterms */
        struct ir_value *t = NULL;
        if (!(s->ops[4].bits >> m & 1))
            continue;
        for (unsigned i = 0; i < 3; i++) {
            struct ir_value *x =
                m >> (2 - i) & 1 ? in[i] : ir_build1(&p->b, IR_OP_not, IR_I32, in[i]);
            t = t ? px_op2(p, IR_OP_and, t, x) : x;
        }
        r = r ? px_op2(p, IR_OP_or, r, t) : t;
    }
    if (!r)
        r = px_int(p, IR_I32, 0);
    if (s->ops[0].second) { /* d|p …, q: is the result something, and q */
        struct ir_value *some = ir_build2(&p->b, IR_OP_ne, IR_I32, r, px_like(p, r, 0));
        px_out(p, s->ops[0].second, px_op2(p, join, some, px_in(p, &s->ops[5], IR_I1)));
    }
    px_out(p, &s->ops[0], r);
    return true;
}

/* ---- comparison and choice ---- */
static const struct comparison {
    const char *name;
    enum { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_NUM, CMP_NAN } how;
    bool or_nan, is_unsigned;
} comparisons[] = {
    {"eq", CMP_EQ, false, false}, {"ne", CMP_NE, false, false},   {"lt", CMP_LT, false, false},
    {"le", CMP_LE, false, false}, {"gt", CMP_GT, false, false},   {"ge", CMP_GE, false, false},
    {"lo", CMP_LT, false, true},  {"ls", CMP_LE, false, true},    {"hi", CMP_GT, false, true},
    {"hs", CMP_GE, false, true},  {"equ", CMP_EQ, true, false},   {"neu", CMP_NE, true, false},
    {"ltu", CMP_LT, true, false}, {"leu", CMP_LE, true, false},   {"gtu", CMP_GT, true, false},
    {"geu", CMP_GE, true, false}, {"num", CMP_NUM, false, false}, {"nan", CMP_NAN, false, false},
};

static struct ir_value *compared(struct px *p, const struct comparison *c, struct px_type t,
                                 uint32_t ftz, struct ir_value *x, struct ir_value *y)
{
    if (c->how == CMP_GT || c->how == CMP_GE) {
        struct ir_value *z = x;
        x = y;
        y = z;
    }
    bool or_equal = c->how == CMP_LE || c->how == CMP_GE;
    if (!px_is_float(t)) {
        bool u = c->is_unsigned || t.letter != 's';
        return ir_build2(&p->b,
                         c->how == CMP_EQ   ? IR_OP_eq
                         : c->how == CMP_NE ? IR_OP_ne
                         : or_equal         ? (u ? IR_OP_ule : IR_OP_sle)
                                            : (u ? IR_OP_ult : IR_OP_slt),
                         x->type, x, y);
    }
    struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, x->type, x, y);
    if (c->how == CMP_NAN)
        return nan;
    if (c->how == CMP_NUM)
        return ir_build1(&p->b, IR_OP_not, IR_I1, nan);
    enum ir_op op = c->how == CMP_EQ   ? IR_OP_feq
                    : c->how == CMP_NE ? IR_OP_fne
                    : or_equal         ? IR_OP_fle
                                       : IR_OP_flt;
    struct ir_value *r =
        ir_build_flags(&p->b, op, x->type, x->type == IR_F32 ? ftz : 0, 2, x, y, NULL);
    if (c->how == CMP_NE)
        return c->or_nan ? r : px_op2(p, IR_OP_and, r, ir_build1(&p->b, IR_OP_not, IR_I1, nan));
    return c->or_nan ? px_op2(p, IR_OP_or, r, nan) : r;
}

/* What may be asked of a type: order not of bits, NaN only of floats, .lo and the like of unsigned
 * integers. */
static bool may_compare(const struct comparison *c, struct px_type t)
{
    if (px_is_float(t))
        return !c->is_unsigned;
    if (c->or_nan || c->how == CMP_NUM || c->how == CMP_NAN)
        return false;
    if (t.letter == 'b')
        return c->how == CMP_EQ || c->how == CMP_NE;
    return !c->is_unsigned || t.letter == 'u';
}

bool px_compare(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    bool set = !strcmp(s->name, "set");
    enum ir_op join = px_mod(s, "and")   ? IR_OP_and
                      : px_mod(s, "or")  ? IR_OP_or
                      : px_mod(s, "xor") ? IR_OP_xor
                                         : IR_OP_trap;
    PX_NEEDS(join != IR_OP_trap ? 4u : 3u);
    const struct comparison *c = NULL;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && !c; i++)
        if (s->nmods && !strcmp(s->mods[0], comparisons[i].name))
            c = &comparisons[i];
    if (!c || s->ntypes != (set ? 2u : 1u))
        return false;
    s->used |= 1;
    struct px_type t = s->types[s->ntypes - 1];
    for (uint32_t i = 0; i < s->ntypes; i++)
        if (!px_type_in(s->types[i], PX_INT | PX_FLOAT | PX_HALF))
            return false;
    if (!may_compare(c, t))
        return false;
    bool flush = px_type_in(t, PX_F32 | PX_F16 | PX_F16X2) && px_mod(s, "ftz");
    uint32_t ftz = flush ? IR_FTZ : 0;
    struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(t)),
                    *y = px_in(p, &s->ops[2], px_ir_type(t)),
                    *with = join != IR_OP_trap ? px_in(p, &s->ops[3], IR_I1) : NULL, *r[2] = {NULL};
    for (unsigned h = 0; h < t.lanes; h++) {
        struct ir_value *a = t.lanes == 2 ? px_half(p, x, h, px_half_type(t)) : x;
        struct ir_value *b = t.lanes == 2 ? px_half(p, y, h, px_half_type(t)) : y;
        if (flush && t.bits == 16) {
            a = px_flushed(p, a);
            b = px_flushed(p, b);
        }
        r[h] = compared(p, c, t, ftz, a, b);
    }
    if (set) {
        struct px_type d = s->types[0];
        ir_type dt = px_half_type(d);
        for (unsigned h = 0; h < t.lanes; h++) {
            if (with)
                r[h] = px_op2(p, join, r[h], with);
            r[h] = px_is_float(d) ? px_pick(p, r[h], px_one_of(p, dt), px_int(p, dt, 0))
                                  : ir_build1(&p->b, IR_OP_sext, t.lanes == 2 ? IR_I16 : dt, r[h]);
        }
        px_out(p, &s->ops[0], t.lanes == 2 ? px_pair(p, r[0], r[1]) : r[0]);
        return true;
    }
    struct ir_value *other = t.lanes == 2 ? r[1] : ir_build1(&p->b, IR_OP_not, IR_I1, r[0]);
    if (with) {
        r[0] = px_op2(p, join, r[0], with);
        other = px_op2(p, join, other, with);
    }
    px_out(p, &s->ops[0], r[0]);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, other);
    return true;
}

bool px_selp(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    if (s->ntypes != 1 || !px_type_in(s->types[0], PX_INT | PX_FLOAT | PX_HALF))
        return false;
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t);
    px_out(p, &s->ops[0], px_pick(p, px_in(p, &s->ops[3], IR_I1), x, y));
    return true;
}

bool px_slct(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(4);
    (void)row;
    if (s->ntypes != 2 || !px_type_in(s->types[0], PX_INT | PX_FLOAT) ||
        !px_type_in(s->types[1], PX_INT | PX_FLOAT) || s->types[1].bits != 32)
        return false;
    ir_type t = px_ir_type(s->types[0]), ct = px_ir_type(s->types[1]);
    struct ir_value *c = px_in(p, &s->ops[3], ct), *z = px_like(p, c, 0);
    uint32_t ftz = ct == IR_F32 && px_mod(s, "ftz") ? IR_FTZ : 0;
    struct ir_value *yes = ct == IR_F32 ? ir_build_flags(&p->b, IR_OP_fle, ct, ftz, 2, z, c, NULL)
                                        : ir_build2(&p->b, IR_OP_sle, ct, z, c);
    px_out(p, &s->ops[0], px_pick(p, yes, px_in(p, &s->ops[1], t), px_in(p, &s->ops[2], t)));
    return true;
}

/* ---- moves ---- */
bool px_mov(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    PX_NEEDS(2);
    (void)row;
    struct px_operand *d = &s->ops[0], *x = &s->ops[1];
    ir_type t = px_ir_type(s->types[0]);
    if (s->ntypes != 1 || !px_type_in(s->types[0], PX_INT | PX_FLOAT | PX_HALF | PX_PRED))
        return false;
    unsigned lanes = px_mod(s, "v2") ? 2 : px_mod(s, "v4") ? 4 : px_mod(s, "v8") ? 8 : 0;
    if (lanes) {
        struct ir_value *e[8];
        if (d->kind != PO_VECTOR || d->nitems != lanes || x->kind != PO_VECTOR ||
            x->nitems != lanes)
            return false;
        for (unsigned i = 0; i < lanes; i++)
            e[i] = px_in(p, &x->items[i], t);
        for (unsigned i = 0; i < lanes; i++)
            px_out(p, &d->items[i], e[i]);
        return true;
    }
    if (d->kind == PO_VECTOR || x->kind == PO_VECTOR) {
        struct px_operand *v = d->kind == PO_VECTOR ? d : x;
        unsigned bits = ir_bits(t);
        if (v->nitems != 2 && v->nitems != 4)
            return false;
        ir_type it = bits == 64 ? IR_I64 : bits == 32 ? IR_I32 : IR_I16;
        unsigned part = bits / v->nitems;
        ir_type pt = part == 32 ? IR_I32 : part == 16 ? IR_I16 : IR_I8;
        if (d->kind == PO_VECTOR) {
            struct ir_value *w = px_in(p, x, it), *e[4];
            for (unsigned i = 0; i < v->nitems; i++)
                e[i] = px_bits_as(p, i ? px_op2(p, IR_OP_lshr, w, px_like(p, w, part * i)) : w, pt);
            for (unsigned i = 0; i < v->nitems; i++)
                px_out(p, &v->items[i], e[i]);
            return true;
        }
        struct ir_value *r = NULL;
        for (unsigned i = 0; i < v->nitems; i++) {
            struct ir_value *e = px_bits_as(p, px_in(p, &v->items[i], pt), it);
            if (i)
                e = px_op2(p, IR_OP_shl, e, px_like(p, e, part * i));
            r = r ? px_op2(p, IR_OP_or, r, e) : e;
        }
        px_out(p, d, r);
        return true;
    }
    if (x->kind == PO_NAME && x->symbol && x->symbol->kind == PS_PARAM)
        return px_refuse(p, s,
                         "the address of a variable that is held in a register is not supported");
    px_out(p, d, px_in(p, x, t));
    return true;
}

/* ---- hints ---- */
bool px_nothing(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    static const struct {
        const char *name, *words; /* each in spaces */
        uint32_t nops;
        bool type;
    } all[] = {
        {"prefetch", " global local const param L1 L2 L2::evict_last L2::evict_normal ", 1, false},
        {"prefetchu", " L1 ", 1, false},
        {"applypriority", " global L2::evict_normal ", 2, false},
        {"discard", " global L2 ", 2, false},
        {"brkpt", "", 0, false},
        {"pmevent", " mask ", 1, false},
    };
    (void)p;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, row->name))
            continue;
        for (uint32_t k = 0; k < s->nmods; k++) {
            const char *at = strstr(all[i].words, s->mods[k]);
            if (at && at > all[i].words && at[-1] == ' ' && at[strlen(s->mods[k])] == ' ')
                s->used |= 1u << k;
        }
        return s->nops == all[i].nops && s->ntypes == (all[i].type ? 1u : 0u);
    }
    return false;
}

/* Arithmetic, comparison, selection, moves and conversions. */
#include <string.h>
#include "front/ptx/ptx_int.h"

static bool is_float(struct px_type t)
{
    return t.letter == 'f' || t.letter == 'h';
}

static bool needs(struct ptx *p, struct px_stmt *s, uint32_t n)
{
    if (s->nops == n && s->ntypes)
        return true;
    if (!p->failed)
        px_error(p, s->span, s->ntypes ? "'%s' takes %u operands" : "'%s' says no type", s->full,
                 n);
    return false;
}
#define NEEDS(n)                                                                                   \
    do {                                                                                           \
        if (!needs(p, s, (n)))                                                                     \
            return true;                                                                           \
    } while (0)

static uint32_t float_flags(struct px_stmt *s)
{
    return px_rounding(s) | (px_mod(s, "ftz") ? IR_FTZ : 0) |
           (px_mod(s, "approx") || px_mod(s, "full") ? IR_FAST : 0);
}

static struct ir_value *op2(struct ptx *p, enum ir_op op, struct ir_value *x, struct ir_value *y)
{
    return ir_build2(&p->b, op, x->type, x, y);
}

static struct ir_value *k(struct ptx *p, const struct ir_value *like, uint64_t v)
{
    return px_int(p, like->type, v);
}

static struct ir_value *pick(struct ptx *p, struct ir_value *c, struct ir_value *x,
                             struct ir_value *y)
{
    return ir_build3(&p->b, IR_OP_select, x->type, c, x, y);
}

static struct ir_value *one_of(struct ptx *p, ir_type t)
{
    return px_int(p, t,
                  t == IR_F64    ? UINT64_C(0x3ff0000000000000)
                  : t == IR_F32  ? 0x3f800000
                  : t == IR_BF16 ? 0x3f80
                                 : 0x3c00);
}

/* .sat of a float: into [0, 1], NaN to +0. */
static struct ir_value *saturated(struct ptx *p, struct ir_value *x)
{
    x = op2(p, IR_OP_fmax, x, k(p, x, 0));
    return op2(p, IR_OP_fmin, x, one_of(p, x->type));
}

/* ---- pairs of halves ---- */
static ir_type half_type(struct px_type t)
{
    t.lanes = 1;
    return px_ir_type(t);
}

static struct ir_value *half(struct ptx *p, struct ir_value *w, unsigned i, ir_type t)
{
    if (i)
        w = op2(p, IR_OP_lshr, w, k(p, w, 16));
    return px_bits_as(p, ir_build1(&p->b, IR_OP_trunc, IR_I16, w), t);
}

static struct ir_value *pair(struct ptx *p, struct ir_value *lo, struct ir_value *hi)
{
    lo = px_bits_as(p, px_bits_as(p, lo, IR_I16), IR_I32);
    hi = px_bits_as(p, px_bits_as(p, hi, IR_I16), IR_I32);
    return op2(p, IR_OP_or, lo, op2(p, IR_OP_shl, hi, k(p, hi, 16)));
}

/* ---- plain arithmetic ---- */
static struct ir_value *compute(struct ptx *p, enum ir_op op, ir_type t, uint32_t flags, bool nan,
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
        r = pick(p, bad,
                 px_int(p, t,
                        t == IR_F32   ? 0x7fffffff
                        : t == IR_F64 ? UINT64_C(0x7fffffffffffffff)
                                      : 0x7fff),
                 r);
    }
    return r;
}

/* n operands of the instruction's type, by halves where it is a pair. */
static bool elementwise(struct ptx *p, struct px_stmt *s, enum ir_op op, uint32_t n)
{
    struct px_type t = s->types[0];
    uint32_t flags = is_float(t) ? float_flags(s) : 0;
    bool sat = is_float(t) && px_mod(s, "sat"), nan = is_float(t) && px_mod(s, "NaN"),
         relu = is_float(t) && px_mod(s, "relu");
    if (op == IR_OP_trap)
        return false;
    struct ir_value *in[3], *x[3], *r[2] = {NULL};
    ir_type whole = px_ir_type(t), part = half_type(t);
    for (uint32_t i = 0; i < n; i++)
        in[i] = px_in(p, &s->ops[1 + i], whole);
    for (unsigned h = 0; h < t.lanes; h++) {
        for (uint32_t i = 0; i < n; i++)
            x[i] = t.lanes == 2 ? half(p, in[i], h, part) : in[i];
        r[h] = compute(p, op, part, flags, nan, n, x);
        if (sat)
            r[h] = saturated(p, r[h]);
        if (relu)
            r[h] = op2(p, IR_OP_fmax, r[h], k(p, r[h], 0));
    }
    px_out(p, &s->ops[0], t.lanes == 2 ? pair(p, r[0], r[1]) : r[0]);
    return true;
}

static enum ir_op op_for(const struct px_row *row, struct px_type t)
{
    return is_float(t) ? row->f : t.letter == 's' ? row->s : row->u;
}

/* x + y + carry in, or x - y - borrow in; sets the carry if asked. */
static struct ir_value *carried(struct ptx *p, struct px_stmt *s, bool minus, bool in,
                                struct ir_value *x, struct ir_value *y)
{
    enum ir_op op = minus ? IR_OP_sub : IR_OP_add;
    struct ir_value *r = op2(p, op, x, y);
    struct ir_value *c = minus ? ir_build2(&p->b, IR_OP_ult, x->type, x, y)
                               : ir_build2(&p->b, IR_OP_ult, x->type, r, x);
    if (in) {
        struct ir_value *add = ir_build1(&p->b, IR_OP_zext, x->type, px_read(p, p->carry));
        struct ir_value *r2 = op2(p, op, r, add);
        struct ir_value *c2 = minus ? ir_build2(&p->b, IR_OP_ult, x->type, r, add)
                                    : ir_build2(&p->b, IR_OP_ult, x->type, r2, r);
        c = ir_build2(&p->b, IR_OP_or, IR_I1, c, c2);
        r = r2;
    }
    if (px_mod(s, "cc"))
        px_write(p, p->carry, c);
    return r;
}

bool px_binary(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(3);
    struct px_type t = s->types[0];
    bool c = !strcmp(s->name, "addc") || !strcmp(s->name, "subc");
    enum ir_op op = op_for(row, t);
    bool cc = px_mod(s, "cc");
    if (c || cc) {
        ir_type i = px_ir_type(t);
        if (is_float(t) || t.lanes != 1)
            return false;
        px_out(p, &s->ops[0],
               carried(p, s, op == IR_OP_sub, c, px_in(p, &s->ops[1], i), px_in(p, &s->ops[2], i)));
        return true;
    }
    if (px_mod(s, "sat") && !is_float(t)) { /* .s32 only: in 64 bits, clamped */
        if (t.bits != 32 || t.letter != 's' || (op != IR_OP_add && op != IR_OP_sub))
            return false;
        struct ir_value *x = ir_build1(&p->b, IR_OP_sext, IR_I64, px_in(p, &s->ops[1], IR_I32));
        struct ir_value *y = ir_build1(&p->b, IR_OP_sext, IR_I64, px_in(p, &s->ops[2], IR_I32));
        struct ir_value *r = op2(p, op, x, y);
        r = op2(p, IR_OP_smin, r, k(p, r, INT32_MAX));
        r = op2(p, IR_OP_smax, r, k(p, r, (uint64_t)INT32_MIN));
        px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_trunc, IR_I32, r));
        return true;
    }
    return elementwise(p, s, op, 2);
}

bool px_copysign(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(3);
    ir_type t = px_ir_type(s->types[0]); /* the sign comes from the first operand */
    (void)row;
    if (!is_float(s->types[0]))
        return false;
    px_out(p, &s->ops[0],
           op2(p, IR_OP_fcopysign, px_in(p, &s->ops[2], t), px_in(p, &s->ops[1], t)));
    return true;
}

bool px_multiply(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    bool add = s->name[0] != 'm' || s->name[1] == 'a';
    NEEDS(add ? 4u : 3u);
    struct px_type t = s->types[0];
    if (is_float(t))
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
        r = op2(p, IR_OP_mul, ir_build1(&p->b, ext, w, x), ir_build1(&p->b, ext, w, y));
    } else if (px_mod(s, "hi")) {
        r = op2(p, sign ? IR_OP_smulhi : IR_OP_umulhi, x, y);
    } else if (px_mod(s, "lo")) {
        r = op2(p, IR_OP_mul, x, y);
    } else {
        return false;
    }
    if (add)
        r = carried(p, s, false, !strcmp(s->name, "madc"), r, px_in(p, &s->ops[3], w));
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_multiply24(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    bool add = s->name[1] == 'a';
    NEEDS(add ? 4u : 3u);
    (void)row;
    if (s->types[0].bits != 32 || is_float(s->types[0]))
        return false;
    enum ir_op right = s->types[0].letter == 's' ? IR_OP_ashr : IR_OP_lshr;
    struct ir_value *x[2];
    for (unsigned i = 0; i < 2; i++) {
        x[i] = px_bits_as(p, px_in(p, &s->ops[1 + i], IR_I32), IR_I64);
        x[i] = op2(p, IR_OP_shl, x[i], k(p, x[i], 40));
        x[i] = op2(p, right, x[i], k(p, x[i], 40));
    }
    struct ir_value *r = op2(p, IR_OP_mul, x[0], x[1]);
    if (px_mod(s, "hi"))
        r = op2(p, IR_OP_lshr, r, k(p, r, 16));
    else
        (void)px_mod(s, "lo");
    r = ir_build1(&p->b, IR_OP_trunc, IR_I32, r);
    if (add)
        r = op2(p, IR_OP_add, r, px_in(p, &s->ops[3], IR_I32));
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_sad(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    ir_type t = px_ir_type(s->types[0]);
    if (is_float(s->types[0]))
        return false;
    bool sign = s->types[0].letter == 's';
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t);
    struct ir_value *big = op2(p, sign ? row->s : row->u, x, y),
                    *small = op2(p, sign ? IR_OP_smin : IR_OP_umin, x, y);
    px_out(p, &s->ops[0],
           op2(p, IR_OP_add, op2(p, IR_OP_sub, big, small), px_in(p, &s->ops[3], t)));
    return true;
}

bool px_unary(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    struct px_type t = s->types[0];
    if (!is_float(t) && !strcmp(s->name, "abs")) {
        struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(t));
        struct ir_value *n = ir_build1(&p->b, IR_OP_neg, x->type, x);
        px_out(p, &s->ops[0], op2(p, IR_OP_smax, x, n));
        if (t.letter != 's' || t.lanes != 1)
            return false;
        return true;
    }
    return elementwise(p, s, op_for(row, t), 1);
}

bool px_reciprocal(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    if (px_mod(s, "approx"))
        return elementwise(p, s, row->f, 1);
    if (!is_float(s->types[0]) || s->types[0].lanes != 1)
        return false;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x[2] = {one_of(p, t), px_in(p, &s->ops[1], t)};
    px_out(p, &s->ops[0], compute(p, IR_OP_fdiv, t, float_flags(s), false, 2, x));
    return true;
}

bool px_cnot(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    (void)row;
    struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(s->types[0]));
    struct ir_value *z = ir_build2(&p->b, IR_OP_eq, x->type, x, k(p, x, 0));
    px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_zext, x->type, z));
    return true;
}

/* ---- bits ---- */
bool px_count(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    ir_type t = px_ir_type(s->types[0]);
    px_out(p, &s->ops[0],
           px_bits_as(p, ir_build1(&p->b, row->u, t, px_in(p, &s->ops[1], t)), IR_I32));
    return true;
}

bool px_bfind(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x = px_in(p, &s->ops[1], t);
    if (s->types[0].letter == 's') /* the first bit that is not the sign */
        x = op2(p, IR_OP_xor, x, op2(p, IR_OP_ashr, x, k(p, x, ir_bits(t) - 1)));
    struct ir_value *n = px_bits_as(p, ir_build1(&p->b, IR_OP_clz, t, x), IR_I32);
    struct ir_value *r =
        px_mod(s, "shiftamt") ? n : op2(p, IR_OP_sub, px_int(p, IR_I32, ir_bits(t) - 1), n);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, t, x, k(p, x, 0));
    px_out(p, &s->ops[0], pick(p, none, px_int(p, IR_I32, UINT32_MAX), r));
    return true;
}

/* The n-th set bit from a base: walked bit by bit, without branches. */
bool px_fns(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    struct ir_value *mask = px_in(p, &s->ops[1], IR_I32), *base = px_in(p, &s->ops[2], IR_I32),
                    *n = px_in(p, &s->ops[3], IR_I32);
    struct ir_value *zero = px_int(p, IR_I32, 0), *one = px_int(p, IR_I32, 1);
    struct ir_value *back = ir_build2(&p->b, IR_OP_slt, IR_I32, n, zero);
    /* Downward is upward on reversed bits. */
    struct ir_value *m = pick(p, back, ir_build1(&p->b, IR_OP_brev, IR_I32, mask), mask);
    struct ir_value *b = pick(p, back, op2(p, IR_OP_sub, px_int(p, IR_I32, 31), base), base);
    struct ir_value *want = op2(p, IR_OP_smax, n, ir_build1(&p->b, IR_OP_neg, IR_I32, n));
    struct ir_value *still =
        op2(p, IR_OP_and, m, op2(p, IR_OP_shl, px_int(p, IR_I32, UINT32_MAX), b));
    struct ir_value *first = pick(p, ir_build2(&p->b, IR_OP_eq, IR_I32, want, zero), one, want);
    for (unsigned i = 0; i < 31; i++) { /* drop the lowest bit while more than one is wanted */
        struct ir_value *more = ir_build2(&p->b, IR_OP_ult, IR_I32, one, first);
        struct ir_value *less = op2(p, IR_OP_and, still, op2(p, IR_OP_sub, still, one));
        still = pick(p, more, less, still);
        first = pick(p, more, op2(p, IR_OP_sub, first, one), first);
    }
    struct ir_value *low = op2(p, IR_OP_and, still, ir_build1(&p->b, IR_OP_neg, IR_I32, still));
    struct ir_value *at =
        op2(p, IR_OP_sub, px_int(p, IR_I32, 31), ir_build1(&p->b, IR_OP_clz, IR_I32, low));
    struct ir_value *found = pick(p, back, op2(p, IR_OP_sub, px_int(p, IR_I32, 31), at), at);
    struct ir_value *bit = op2(p, IR_OP_and, op2(p, IR_OP_lshr, mask, base), one);
    struct ir_value *is0 = ir_build2(&p->b, IR_OP_eq, IR_I32, n, zero);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, IR_I32, still, zero);
    struct ir_value *nowhere = px_int(p, IR_I32, UINT32_MAX);
    struct ir_value *over = ir_build2(&p->b, IR_OP_ult, IR_I32, one, first);
    struct ir_value *r = pick(p, ir_build2(&p->b, IR_OP_or, IR_I1, none, over), nowhere, found);
    struct ir_value *at_base =
        pick(p, ir_build2(&p->b, IR_OP_ne, IR_I32, bit, zero), base, nowhere);
    px_out(p, &s->ops[0], pick(p, is0, at_base, r));
    return true;
}

bool px_testp(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    (void)row;
    struct px_type t = s->types[0];
    if (t.letter != 'f' || t.bits < 32)
        return false;
    ir_type i = t.bits == 32 ? IR_I32 : IR_I64;
    struct ir_value *x = px_in(p, &s->ops[1], i), *r;
    uint64_t inf = t.bits == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
    uint64_t low = t.bits == 32 ? 0x00800000 : UINT64_C(0x0010000000000000);
    x = op2(p, IR_OP_and, x, k(p, x, t.bits == 32 ? 0x7fffffff : INT64_MAX));
    struct ir_value *finite = ir_build2(&p->b, IR_OP_ult, i, x, k(p, x, inf));
    struct ir_value *tiny = ir_build2(&p->b, IR_OP_ult, i, x, k(p, x, low));
    struct ir_value *nan = ir_build2(&p->b, IR_OP_ult, i, k(p, x, inf), x);
    if (px_mod(s, "finite"))
        r = finite;
    else if (px_mod(s, "infinite"))
        r = ir_build2(&p->b, IR_OP_eq, i, x, k(p, x, inf));
    else if (px_mod(s, "number"))
        r = ir_build1(&p->b, IR_OP_not, IR_I1, nan);
    else if (px_mod(s, "notanumber"))
        r = nan;
    else if (px_mod(s, "normal"))
        r = op2(p, IR_OP_and, finite, ir_build1(&p->b, IR_OP_not, IR_I1, tiny));
    else if (px_mod(s, "subnormal"))
        r = op2(p, IR_OP_and, tiny, ir_build2(&p->b, IR_OP_ne, i, x, k(p, x, 0)));
    else
        return false;
    px_out(p, &s->ops[0], r);
    return true;
}

bool px_shift(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(3);
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *n = px_in(p, &s->ops[2], IR_I32);
    /* counts are 32 bits whatever is shifted: clamped before they are cut */
    n = op2(p, IR_OP_umin, n, px_int(p, IR_I32, ir_bits(t)));
    n = px_bits_as(p, n, t);
    px_out(p, &s->ops[0], op2(p, op_for(row, s->types[0]), px_in(p, &s->ops[1], t), n));
    return true;
}

bool px_funnel(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
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
    struct ir_value *w = op2(p, IR_OP_or, px_bits_as(p, lo, IR_I64),
                             op2(p, IR_OP_shl, px_bits_as(p, hi, IR_I64), px_int(p, IR_I64, 32)));
    n = px_bits_as(p, op2(p, IR_OP_umin, n, px_int(p, IR_I32, 32)), IR_I64);
    if (left) {
        w = op2(p, IR_OP_shl, w, n);
        w = op2(p, IR_OP_lshr, w, px_int(p, IR_I64, 32));
    } else {
        w = op2(p, IR_OP_lshr, w, n);
    }
    px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_trunc, IR_I32, w));
    return true;
}

static struct ir_value *byte_of(struct ptx *p, const struct px_operand *o, ir_type t)
{
    struct ir_value *x = px_in(p, o, IR_I32);
    x = op2(p, IR_OP_and, x, k(p, x, 255));
    return px_bits_as(p, x, t);
}

bool px_bfe(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    unsigned n = ir_bits(t);
    bool sign = s->types[0].letter == 's';
    struct ir_value *x = px_in(p, &s->ops[1], t), *pos = byte_of(p, &s->ops[2], t),
                    *len = byte_of(p, &s->ops[3], t);
    len = op2(p, IR_OP_umin, len, k(p, len, n));
    /* Beyond the top bit, a signed field reads the sign, an unsigned one zeros. */
    struct ir_value *y = op2(p, sign ? IR_OP_ashr : IR_OP_lshr, x, pos);
    struct ir_value *rest = op2(p, IR_OP_sub, k(p, len, n), len);
    y = op2(p, sign ? IR_OP_ashr : IR_OP_lshr, op2(p, IR_OP_shl, y, rest), rest);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, t, len, k(p, len, 0));
    px_out(p, &s->ops[0], pick(p, none, k(p, x, 0), y));
    return true;
}

bool px_bfi(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(5);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t),
                    *pos = byte_of(p, &s->ops[3], t), *len = byte_of(p, &s->ops[4], t);
    struct ir_value *all = k(p, x, UINT64_MAX);
    struct ir_value *mask = ir_build1(&p->b, IR_OP_not, t, op2(p, IR_OP_shl, all, len));
    mask = op2(p, IR_OP_shl, mask, pos);
    struct ir_value *field = op2(p, IR_OP_and, op2(p, IR_OP_shl, x, pos), mask);
    struct ir_value *rest = op2(p, IR_OP_and, y, ir_build1(&p->b, IR_OP_not, t, mask));
    px_out(p, &s->ops[0], op2(p, IR_OP_or, field, rest));
    return true;
}

bool px_bmsk(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(3);
    (void)row;
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *n = px_in(p, &s->ops[2], IR_I32);
    if (px_mod(s, "wrap")) {
        x = op2(p, IR_OP_and, x, k(p, x, 31));
        n = op2(p, IR_OP_and, n, k(p, n, 31));
    } else if (!px_mod(s, "clamp")) {
        return false;
    }
    struct ir_value *ones =
        ir_build1(&p->b, IR_OP_not, IR_I32, op2(p, IR_OP_shl, k(p, n, UINT32_MAX), n));
    px_out(p, &s->ops[0], op2(p, IR_OP_shl, ones, x));
    return true;
}

bool px_szext(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(3);
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *n = px_in(p, &s->ops[2], IR_I32);
    n = px_mod(s, "wrap")    ? op2(p, IR_OP_and, n, k(p, n, 31))
        : px_mod(s, "clamp") ? op2(p, IR_OP_umin, n, k(p, n, 32))
                             : NULL;
    if (!n)
        return false;
    struct ir_value *rest = op2(p, IR_OP_sub, k(p, n, 32), n);
    struct ir_value *r = op2(p, op_for(row, s->types[0]), op2(p, IR_OP_shl, x, rest), rest);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, IR_I32, n, k(p, n, 0));
    px_out(p, &s->ops[0], pick(p, none, k(p, x, 0), r));
    return true;
}

bool px_prmt(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    px_out(p, &s->ops[0],
           ir_build3(&p->b, IR_OP_prmt, IR_I32, px_in(p, &s->ops[1], IR_I32),
                     px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[3], IR_I32)));
    return true;
}

bool px_lop3(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(5);
    (void)row;
    if (s->ops[4].kind != PO_INT || s->ops[0].second)
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
            t = t ? op2(p, IR_OP_and, t, x) : x;
        }
        r = r ? op2(p, IR_OP_or, r, t) : t;
    }
    px_out(p, &s->ops[0], r ? r : px_int(p, IR_I32, 0));
    return true;
}

bool px_dp4a(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    if (s->ntypes != 2 || s->types[0].letter != s->types[1].letter)
        return false;
    px_out(p, &s->ops[0],
           ir_build3(&p->b, op_for(row, s->types[0]), IR_I32, px_in(p, &s->ops[1], IR_I32),
                     px_in(p, &s->ops[2], IR_I32), px_in(p, &s->ops[3], IR_I32)));
    return true;
}

bool px_vabsdiff4(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    if (s->ntypes != 3 || s->types[1].letter != s->types[2].letter)
        return false;
    bool sign = s->types[1].letter == 's', sum = px_mod(s, "add");
    struct ir_value *x = px_in(p, &s->ops[1], IR_I32), *y = px_in(p, &s->ops[2], IR_I32),
                    *c = px_in(p, &s->ops[3], IR_I32), *r = sum ? c : k(p, x, 0);
    for (unsigned i = 0; i < 4; i++) {
        enum ir_op right = sign ? IR_OP_ashr : IR_OP_lshr;
        struct ir_value *up = k(p, x, 24 - 8 * i), *down = k(p, x, 24);
        struct ir_value *a = op2(p, right, op2(p, IR_OP_shl, x, up), down);
        struct ir_value *b = op2(p, right, op2(p, IR_OP_shl, y, up), down);
        struct ir_value *d = op2(p, IR_OP_sub, a, b);
        d = op2(p, IR_OP_smax, d, ir_build1(&p->b, IR_OP_neg, IR_I32, d));
        r = sum ? op2(p, IR_OP_add, r, d)
                : op2(p, IR_OP_or, r,
                      op2(p, IR_OP_shl, op2(p, IR_OP_and, d, k(p, d, 255)), k(p, d, 8 * i)));
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

static struct ir_value *compared(struct ptx *p, const struct comparison *c, struct px_type t,
                                 uint32_t ftz, struct ir_value *x, struct ir_value *y)
{
    if (c->how == CMP_GT || c->how == CMP_GE) {
        struct ir_value *z = x;
        x = y;
        y = z;
    }
    bool or_equal = c->how == CMP_LE || c->how == CMP_GE;
    if (!is_float(t)) {
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
        return c->or_nan ? r : op2(p, IR_OP_and, r, ir_build1(&p->b, IR_OP_not, IR_I1, nan));
    return c->or_nan ? op2(p, IR_OP_or, r, nan) : r;
}

bool px_compare(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    bool set = !strcmp(s->name, "set");
    enum ir_op join = px_mod(s, "and")   ? IR_OP_and
                      : px_mod(s, "or")  ? IR_OP_or
                      : px_mod(s, "xor") ? IR_OP_xor
                                         : IR_OP_trap;
    NEEDS(join != IR_OP_trap ? 4u : 3u);
    const struct comparison *c = NULL;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && !c; i++)
        if (s->nmods && !strcmp(s->mods[0], comparisons[i].name))
            c = &comparisons[i];
    if (!c || s->ntypes != (set ? 2u : 1u))
        return false;
    s->used |= 1;
    struct px_type t = s->types[s->ntypes - 1];
    uint32_t ftz = px_mod(s, "ftz") ? IR_FTZ : 0;
    struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(t)),
                    *y = px_in(p, &s->ops[2], px_ir_type(t)),
                    *with = join != IR_OP_trap ? px_in(p, &s->ops[3], IR_I1) : NULL, *r[2] = {NULL};
    for (unsigned h = 0; h < t.lanes; h++) {
        struct ir_value *a = t.lanes == 2 ? half(p, x, h, half_type(t)) : x;
        struct ir_value *b = t.lanes == 2 ? half(p, y, h, half_type(t)) : y;
        r[h] = compared(p, c, t, ftz, a, b);
    }
    if (set) {
        struct px_type d = s->types[0];
        ir_type dt = half_type(d);
        for (unsigned h = 0; h < t.lanes; h++) {
            if (with)
                r[h] = op2(p, join, r[h], with);
            r[h] = is_float(d) ? pick(p, r[h], one_of(p, dt), px_int(p, dt, 0))
                               : ir_build1(&p->b, IR_OP_sext, t.lanes == 2 ? IR_I16 : dt, r[h]);
        }
        px_out(p, &s->ops[0], t.lanes == 2 ? pair(p, r[0], r[1]) : r[0]);
        return true;
    }
    struct ir_value *other = t.lanes == 2 ? r[1] : ir_build1(&p->b, IR_OP_not, IR_I1, r[0]);
    if (with) {
        r[0] = op2(p, join, r[0], with);
        other = op2(p, join, other, with);
    }
    px_out(p, &s->ops[0], r[0]);
    if (s->ops[0].second)
        px_out(p, s->ops[0].second, other);
    return true;
}

bool px_selp(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    ir_type t = px_ir_type(s->types[0]);
    struct ir_value *x = px_in(p, &s->ops[1], t), *y = px_in(p, &s->ops[2], t);
    px_out(p, &s->ops[0], pick(p, px_in(p, &s->ops[3], IR_I1), x, y));
    return true;
}

bool px_slct(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(4);
    (void)row;
    if (s->ntypes != 2)
        return false;
    ir_type t = px_ir_type(s->types[0]), ct = px_ir_type(s->types[1]);
    struct ir_value *c = px_in(p, &s->ops[3], ct), *z = k(p, c, 0);
    uint32_t ftz = px_mod(s, "ftz") ? IR_FTZ : 0;
    struct ir_value *yes = ct == IR_F32 ? ir_build_flags(&p->b, IR_OP_fle, ct, ftz, 2, z, c, NULL)
                                        : ir_build2(&p->b, IR_OP_sle, ct, z, c);
    px_out(p, &s->ops[0], pick(p, yes, px_in(p, &s->ops[1], t), px_in(p, &s->ops[2], t)));
    return true;
}

/* ---- moves ---- */
bool px_mov(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    NEEDS(2);
    (void)row;
    struct px_operand *d = &s->ops[0], *x = &s->ops[1];
    ir_type t = px_ir_type(s->types[0]);
    if (t == IR_VOID)
        return false;
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
                e[i] = px_bits_as(p, i ? op2(p, IR_OP_lshr, w, k(p, w, part * i)) : w, pt);
            for (unsigned i = 0; i < v->nitems; i++)
                px_out(p, &v->items[i], e[i]);
            return true;
        }
        struct ir_value *r = NULL;
        for (unsigned i = 0; i < v->nitems; i++) {
            struct ir_value *e = px_bits_as(p, px_in(p, &v->items[i], pt), it);
            if (i)
                e = op2(p, IR_OP_shl, e, k(p, e, part * i));
            r = r ? op2(p, IR_OP_or, r, e) : e;
        }
        px_out(p, d, r);
        return true;
    }
    px_out(p, d, px_in(p, x, t));
    return true;
}

bool px_nothing(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)p;
    (void)row;
    s->used = UINT32_MAX;
    return true;
}

/* ---- conversions ---- */
static struct ir_value *clamped(struct ptx *p, struct ir_value *x, struct px_type from,
                                struct px_type to)
{
    bool fs = from.letter == 's', ts = to.letter == 's';
    if (fs && !ts)
        x = op2(p, IR_OP_smax, x, k(p, x, 0));
    if (to.bits < from.bits || (!fs && ts && to.bits == from.bits)) {
        uint64_t high = ts ? (UINT64_C(1) << (to.bits - 1)) - 1 : (UINT64_C(1) << to.bits) - 1;
        x = op2(p, fs ? IR_OP_smin : IR_OP_umin, x, k(p, x, high));
        if (fs && ts)
            x = op2(p, IR_OP_smax, x, k(p, x, ~high));
    }
    return x;
}

static enum ir_op round_op(struct px_stmt *s)
{
    return px_mod(s, "rni")   ? IR_OP_frint
           : px_mod(s, "rzi") ? IR_OP_ftrunc
           : px_mod(s, "rmi") ? IR_OP_ffloor
           : px_mod(s, "rpi") ? IR_OP_fceil
                              : IR_OP_trap;
}

bool px_cvt(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->ntypes != 2)
        return false;
    struct px_type to = s->types[0], from = s->types[1];
    uint32_t flags = px_rounding(s), ftz = px_mod(s, "ftz") ? IR_FTZ : 0;
    bool sat = px_mod(s, "sat"), relu = px_mod(s, "relu");
    if (to.lanes == 2) { /* d = {a: upper, b: lower} */
        NEEDS(3);
        if (!is_float(to) || from.letter != 'f' || from.bits != 32)
            return false;
        struct ir_value *r[2];
        for (unsigned h = 0; h < 2; h++) {
            r[h] = ir_build_flags(&p->b, IR_OP_fcvt, half_type(to), flags, 1,
                                  px_in(p, &s->ops[2 - h], IR_F32), NULL, NULL);
            if (relu)
                r[h] = op2(p, IR_OP_fmax, r[h], k(p, r[h], 0));
        }
        px_out(p, &s->ops[0], pair(p, r[0], r[1]));
        return true;
    }
    NEEDS(2);
    if (from.lanes != 1 || from.bits > 64 || to.bits > 64 || from.letter == 't' ||
        from.letter == 'p' || to.letter == 'p')
        return false;
    ir_type ft = px_ir_type(from), tt = px_ir_type(to);
    struct ir_value *x = px_in(p, &s->ops[1], ft), *r = x;
    bool ts = to.letter == 's', fs = from.letter == 's';
    if (to.letter == 't') { /* tf32 is an f32 whose low bits do not count */
        if (ft != IR_F32)
            return false;
        (void)px_mod(s, "rna");
        struct ir_value *w = px_bits_as(p, x, IR_I32);
        w = op2(p, IR_OP_add, w, k(p, w, 0x1000));
        r = op2(p, IR_OP_and, w, k(p, w, 0xffffe000));
        struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, IR_F32, x, x);
        r = pick(p, nan, k(p, w, 0x7fffe000), r);
    } else if (!is_float(to) && !is_float(from)) {
        if (sat)
            x = clamped(p, x, from, to);
        r = to.bits > from.bits   ? ir_build1(&p->b, fs ? IR_OP_sext : IR_OP_zext, tt, x)
            : to.bits < from.bits ? ir_build1(&p->b, IR_OP_trunc, tt, x)
                                  : x;
    } else if (!is_float(to)) {
        uint32_t f = flags | (ft == IR_F32 ? ftz : 0);
        r = ir_build_flags(&p->b, ts ? IR_OP_ftosi : IR_OP_ftoui, tt, f, 1, x, NULL, NULL);
        if (from.bits == 64 || to.bits == 64) { /* NaN is the top bit there, else 0 as in the IR */
            struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, ft, x, x);
            r = pick(p, nan, k(p, r, UINT64_C(1) << (to.bits - 1)), r);
        }
    } else if (!is_float(from)) {
        r = ir_build_flags(&p->b, fs ? IR_OP_sitof : IR_OP_uitof, tt, flags, 1, x, NULL, NULL);
    } else {
        enum ir_op round = round_op(s);
        if (ft != tt)
            r = ir_build_flags(&p->b, IR_OP_fcvt, tt,
                               (round == IR_OP_trap ? flags : 0) |
                                   (ft == IR_F32 || tt == IR_F32 ? ftz : 0),
                               1, x, NULL, NULL);
        else if (ftz && ft == IR_F32) /* a product with 1 flushes */
            r = ir_build_flags(&p->b, IR_OP_fmul, ft, ftz, 2, x, one_of(p, ft), NULL);
        else
            r = x;
        if (round != IR_OP_trap)
            r = ir_build1(&p->b, round, tt, r);
        if (sat)
            r = saturated(p, r);
        if (relu)
            r = op2(p, IR_OP_fmax, r, k(p, r, 0));
    }
    if (sat && is_float(to) && !is_float(from))
        r = saturated(p, r);
    px_out_signed(p, &s->ops[0], r, ts);
    return true;
}

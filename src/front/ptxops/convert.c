/* Conversions: between integers and floats of every size, pairs of halves, tf32 and fp8. */
#include "front/ptxops/px_int.h"

/* ---- fp8: e4m3 has no infinity and reaches 448, e5m2 is the upper byte of a half ---- */

/* Two bytes in an i16 as two halves in an i32: exact. */
struct ir_value *px_fp8_to_halves(struct px *p, struct ir_value *bytes, bool e5m2)
{
    struct ir_value *r[2];
    for (unsigned i = 0; i < 2; i++) {
        struct ir_value *b = px_op2(p, IR_OP_lshr, bytes, px_like(p, bytes, 8 * i));
        b = px_op2(p, IR_OP_and, b, px_like(p, b, 255));
        if (e5m2) {
            r[i] = px_op2(p, IR_OP_shl, b, px_like(p, b, 8));
            continue;
        }
        /* Exponent and fraction in the half's place are too small by the difference of the biases.
         */
        struct ir_value *low = px_op2(p, IR_OP_and, b, px_like(p, b, 127));
        struct ir_value *h = px_bits_as(p, px_op2(p, IR_OP_shl, low, px_like(p, b, 7)), IR_F16);
        h = px_op2(p, IR_OP_fmul, h, px_int(p, IR_F16, 0x5c00)); /* 256 */
        struct ir_value *nan = ir_build2(&p->b, IR_OP_eq, IR_I16, low, px_like(p, b, 127));
        h = px_pick(p, nan, px_int(p, IR_I16, 0x7fff), px_bits_as(p, h, IR_I16));
        struct ir_value *sign = px_op2(p, IR_OP_and, b, px_like(p, b, 128));
        sign = px_op2(p, IR_OP_shl, sign, px_like(p, b, 8));
        r[i] = px_op2(p, IR_OP_or, h, px_pick(p, nan, px_like(p, b, 0), sign));
    }
    return px_pair(p, r[0], r[1]);
}

/* An f32 as a byte in an i32: to nearest even, too large is the largest, NaN is 0x7f. */
static struct ir_value *to_fp8(struct px *p, struct ir_value *x, bool e5m2, bool relu)
{
    const unsigned cut = e5m2 ? 21 : 20, bias = e5m2 ? 112 : 120;
    struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, IR_F32, x, x);
    if (relu)
        x = px_op2(p, IR_OP_fmax, x, px_like(p, x, 0));
    struct ir_value *w = px_bits_as(p, x, IR_I32);
    struct ir_value *sign = px_op2(p, IR_OP_lshr, w, px_like(p, w, 24));
    sign = px_op2(p, IR_OP_and, sign, px_like(p, w, 128));
    struct ir_value *a = px_op1(p, IR_OP_fabs, x);
    a = px_op2(p, IR_OP_fmin, a, px_like(p, a, e5m2 ? 0x47600000 : 0x43e00000)); /* 57344, 448 */
    struct ir_value *m = px_bits_as(p, a, IR_I32);
    /* Normal: round away the low bits, then move the exponent. */
    struct ir_value *odd = px_op2(p, IR_OP_lshr, m, px_like(p, m, cut));
    odd = px_op2(p, IR_OP_and, odd, px_like(p, m, 1));
    struct ir_value *n = px_op2(p, IR_OP_add, m, px_like(p, m, (1u << (cut - 1)) - 1));
    n = px_op2(p, IR_OP_lshr, px_op2(p, IR_OP_add, n, odd), px_like(p, m, cut));
    n = px_op2(p, IR_OP_sub, n, px_like(p, m, bias << (23 - cut)));
    /* Subnormal: added to a power of two whose last place is the smallest step. */
    uint32_t step = e5m2 ? 0x43000000 : 0x46800000; /* 2^7, 2^14 */
    struct ir_value *d = px_op2(p, IR_OP_fadd, a, px_like(p, a, step));
    d = px_op2(p, IR_OP_sub, px_bits_as(p, d, IR_I32), px_like(p, m, step));
    struct ir_value *tiny = /* below 2^-14, 2^-6 */
        ir_build2(&p->b, IR_OP_ult, IR_I32, m, px_like(p, m, e5m2 ? 0x38800000 : 0x3c800000));
    struct ir_value *r = px_op2(p, IR_OP_or, px_pick(p, tiny, d, n), sign);
    return px_pick(p, nan, px_like(p, r, 0x7f), r);
}

static bool is_fp8(struct px_type t)
{
    return t.letter == '4' || t.letter == '5';
}

/* cvt to and from two bytes of fp8. */
static bool convert_fp8(struct px *p, struct px_stmt *s, struct px_type to, struct px_type from)
{
    bool relu = px_mod(s, "relu");
    if (!px_mod(s, "rn") || (is_fp8(to) && !px_mod(s, "satfinite")))
        return false;
    if (is_fp8(from)) {
        PX_NEEDS(2);
        if (to.letter != 'f' || to.bits != 16 || to.lanes != 2)
            return false;
        struct ir_value *r = px_fp8_to_halves(p, px_in(p, &s->ops[1], IR_I16), from.letter == '5');
        if (relu) {
            struct ir_value *h[2];
            for (unsigned i = 0; i < 2; i++) {
                h[i] = px_half(p, r, i, IR_F16);
                h[i] = px_relu(p, h[i]);
            }
            r = px_pair(p, h[0], h[1]);
        }
        px_out(p, &s->ops[0], r);
        return true;
    }
    bool pairs = from.lanes == 2;
    PX_NEEDS(pairs ? 2u : 3u);
    if (from.letter != 'f' || from.bits != (pairs ? 16 : 32))
        return false;
    struct ir_value *r[2];
    for (unsigned i = 0; i < 2; i++) { /* the first operand is the upper byte */
        struct ir_value *x = pairs ? ir_build1(&p->b, IR_OP_fcvt, IR_F32,
                                               px_half(p, px_in(p, &s->ops[1], IR_I32), i, IR_F16))
                                   : px_in(p, &s->ops[2 - i], IR_F32);
        r[i] = to_fp8(p, x, to.letter == '5', relu);
    }
    struct ir_value *w = px_op2(p, IR_OP_shl, r[1], px_like(p, r[1], 8));
    px_out(p, &s->ops[0], px_bits_as(p, px_op2(p, IR_OP_or, r[0], w), IR_I16));
    return true;
}

/* ---- all others ---- */
static struct ir_value *clamped(struct px *p, struct ir_value *x, struct px_type from,
                                struct px_type to)
{
    bool fs = from.letter == 's', ts = to.letter == 's';
    if (fs && !ts)
        x = px_op2(p, IR_OP_smax, x, px_like(p, x, 0));
    if (to.bits < from.bits || (!fs && ts && to.bits == from.bits)) {
        uint64_t high = ts ? (UINT64_C(1) << (to.bits - 1)) - 1 : (UINT64_C(1) << to.bits) - 1;
        x = px_op2(p, fs ? IR_OP_smin : IR_OP_umin, x, px_like(p, x, high));
        if (fs && ts)
            x = px_op2(p, IR_OP_smax, x, px_like(p, x, ~high));
    }
    return x;
}

/* To an integral number: .rni and the like. */
static enum ir_op round_op(struct px_stmt *s, uint32_t *flags)
{
    static const struct {
        const char *name;
        enum ir_op op;
        uint32_t flags;
    } all[] = {{"rni", IR_OP_frint, IR_RN},
               {"rzi", IR_OP_ftrunc, IR_RZ},
               {"rmi", IR_OP_ffloor, IR_RD},
               {"rpi", IR_OP_fceil, IR_RU}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (px_mod(s, all[i].name)) {
            *flags = all[i].flags;
            return all[i].op;
        }
    return IR_OP_trap;
}

/* To another float: .rn and the like. */
static bool float_rounding(struct px_stmt *s, uint32_t *flags)
{
    static const struct {
        const char *name;
        uint32_t flags;
    } all[] = {{"rn", IR_RN}, {"rz", IR_RZ}, {"rm", IR_RD}, {"rp", IR_RU}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (px_mod(s, all[i].name)) {
            *flags = all[i].flags;
            return true;
        }
    *flags = 0;
    return false;
}

/* cvt.pack.sat.u16.s32 d, a, b; cvt.pack.sat.u8.s32.b32 d, a, b, c: a above b, and above them c. */
static bool pack(struct px *p, struct px_stmt *s)
{
    struct px_type to = s->types[0], from = s->types[1];
    bool bytes = to.bits == 8;
    if (s->ntypes != (bytes ? 3u : 2u) || (!bytes && to.bits != 16) || from.letter != 's' ||
        from.bits != 32 || (to.letter != 's' && to.letter != 'u') || !px_mod(s, "sat"))
        return false;
    PX_NEEDS(bytes ? 4u : 3u);
    struct ir_value *r = bytes ? px_in(p, &s->ops[3], IR_I32) : px_int(p, IR_I32, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct ir_value *x = clamped(p, px_in(p, &s->ops[1 + i], IR_I32), from, to);
        x = px_op2(p, IR_OP_and, x, px_like(p, x, (1u << to.bits) - 1));
        r = px_op2(p, IR_OP_or, px_op2(p, IR_OP_shl, r, px_like(p, r, to.bits)), x);
    }
    px_out(p, &s->ops[0], r);
    return true;
}

/* d = {a: upper, b: lower} of two f32. */
static bool convert_pair(struct px *p, struct px_stmt *s, struct px_type to, struct px_type from)
{
    uint32_t flags;
    struct ir_value *r[2];
    PX_NEEDS(3);
    if (!px_is_float(to) || !px_type_in(from, PX_F32) || !float_rounding(s, &flags))
        return false;
    bool relu = px_mod(s, "relu");
    for (unsigned h = 0; h < 2; h++) {
        r[h] = ir_build_flags(&p->b, IR_OP_fcvt, px_half_type(to), flags, 1,
                              px_in(p, &s->ops[2 - h], IR_F32), NULL, NULL);
        if (relu)
            r[h] = px_relu(p, r[h]);
    }
    px_out(p, &s->ops[0], px_pair(p, r[0], r[1]));
    return true;
}

/* tf32 is an f32 whose low 13 bits do not count. */
static bool convert_tf32(struct px *p, struct px_stmt *s, struct px_type from)
{
    PX_NEEDS(2);
    if (!px_type_in(from, PX_F32))
        return false;
    struct ir_value *x = px_in(p, &s->ops[1], IR_F32), *w = px_bits_as(p, x, IR_I32);
    struct ir_value *nan = ir_build2(&p->b, IR_OP_funo, IR_F32, x, x);
    if (px_mod(s, "rna")) { /* ties away from zero */
        w = px_op2(p, IR_OP_add, w, px_like(p, w, 0x1000));
    } else if (px_mod(s, "rn")) {
        struct ir_value *odd = px_op2(p, IR_OP_lshr, w, px_like(p, w, 13));
        odd = px_op2(p, IR_OP_and, odd, px_like(p, w, 1));
        w = px_op2(p, IR_OP_add, px_op2(p, IR_OP_add, w, px_like(p, w, 0xfff)), odd);
    } else if (!px_mod(s, "rz")) {
        return false;
    }
    w = px_op2(p, IR_OP_and, w, px_like(p, w, 0xffffe000));
    if (px_mod(s, "relu"))
        w = px_bits_as(p, px_op2(p, IR_OP_fmax, px_bits_as(p, w, IR_F32), px_int(p, IR_F32, 0)),
                       IR_I32);
    px_out(p, &s->ops[0], px_pick(p, nan, px_like(p, w, 0x7fffe000), w));
    return true;
}

static struct ir_value *integer_to_integer(struct px *p, struct px_stmt *s, struct px_type to,
                                           struct px_type from, struct ir_value *x)
{
    if (px_mod(s, "sat"))
        x = clamped(p, x, from, to);
    ir_type t = px_ir_type(to);
    return to.bits > from.bits
               ? ir_build1(&p->b, from.letter == 's' ? IR_OP_sext : IR_OP_zext, t, x)
           : to.bits < from.bits ? ir_build1(&p->b, IR_OP_trunc, t, x)
                                 : x;
}

/* They saturate by themselves. */
static struct ir_value *float_to_integer(struct px *p, struct px_stmt *s, struct px_type to,
                                         struct ir_value *x)
{
    uint32_t flags;
    if (round_op(s, &flags) == IR_OP_trap)
        return NULL;
    (void)px_mod(s, "sat");
    if (ir_kind(x->type) == IR_F32 && px_mod(s, "ftz"))
        flags |= IR_FTZ;
    return ir_build_flags(&p->b, to.letter == 's' ? IR_OP_ftosi : IR_OP_ftoui, px_ir_type(to),
                          flags, 1, x, NULL, NULL);
}

static struct ir_value *float_to_float(struct px *p, struct px_stmt *s, ir_type t,
                                       struct ir_value *x)
{
    const ir_type from = x->type;
    const bool is_f32 = from == IR_F32 || t == IR_F32;
    uint32_t flags = 0;
    if (from == t) {
        enum ir_op round = round_op(s, &flags);
        if (is_f32 && px_mod(s, "ftz"))
            x = px_flushed(p, x);
        return round != IR_OP_trap ? ir_build1(&p->b, round, t, x) : x;
    }
    bool rounds = float_rounding(s, &flags);
    if (rounds != (ir_bits(t) < ir_bits(from) || ir_bits(t) == 16))
        return NULL;
    if (is_f32 && px_mod(s, "ftz"))
        flags |= IR_FTZ;
    x = ir_build_flags(&p->b, IR_OP_fcvt, t, flags, 1, x, NULL, NULL);
    return ir_bits(t) == 16 && from == IR_F32 && px_mod(s, "relu") ? px_relu(p, x) : x;
}

bool px_cvt(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (px_mod(s, "pack"))
        return pack(p, s);
    if (s->ntypes != 2)
        return false;
    struct px_type to = s->types[0], from = s->types[1];
    if (is_fp8(to) || is_fp8(from))
        return convert_fp8(p, s, to, from);
    if (to.lanes == 2)
        return convert_pair(p, s, to, from);
    if (to.letter == 't')
        return convert_tf32(p, s, from);
    PX_NEEDS(2);
    const unsigned known = PX_NUMBER | PX_FLOAT | PX_F16 | PX_BF16;
    const bool to_byte = to.bits == 8 && (to.letter == 's' || to.letter == 'u'),
               from_byte = from.bits == 8 && (from.letter == 's' || from.letter == 'u');
    if ((!to_byte && !px_type_in(to, known)) || (!from_byte && !px_type_in(from, known)))
        return false;
    const ir_type t = px_ir_type(to);
    struct ir_value *x = px_in(p, &s->ops[1], px_ir_type(from)), *r;
    if (!px_is_float(to)) {
        r = px_is_float(from) ? float_to_integer(p, s, to, x)
                              : integer_to_integer(p, s, to, from, x);
    } else {
        uint32_t flags;
        r = px_is_float(from) ? float_to_float(p, s, t, x)
            : float_rounding(s, &flags)
                ? ir_build_flags(&p->b, from.letter == 's' ? IR_OP_sitof : IR_OP_uitof, t, flags, 1,
                                 x, NULL, NULL)
                : NULL;
        if (r && px_mod(s, "sat"))
            r = px_saturated(p, r);
    }
    if (!r)
        return false;
    px_out_signed(p, &s->ops[0], r, to.letter == 's');
    return true;
}

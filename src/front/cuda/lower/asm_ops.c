/* The instructions of inline PTX: one function for each group, found by opcode. */
#include "front/cuda/lower/asm.h"

bool asm_has(const struct asm_inst *in, const char *mod)
{
    for (unsigned i = 1; i < in->nmods; i++)
        if (!strcmp(in->mods[i], mod))
            return true;
    return false;
}

/* The n-th type among the modifiers. */
static bool type_at(const struct asm_inst *in, unsigned n, struct asm_type *out)
{
    for (unsigned i = 1; i < in->nmods; i++)
        if (asm_kind(in->mods[i], out) && n-- == 0)
            return true;
    return false;
}

static struct asm_type need_type(struct assembler *a, const struct asm_inst *in)
{
    struct asm_type t;
    if (!type_at(in, 0, &t))
        asm_fail(a, "'%s' has no type", in->text);
    return t;
}

void asm_need_args(struct assembler *a, const struct asm_inst *in, unsigned n)
{
    if (in->nargs < n)
        asm_fail(a, "'%s' needs %u operands, not %u", in->text, n, in->nargs);
}

static uint32_t rounding(const struct asm_inst *in)
{
    uint32_t f = asm_has(in, "rz") || asm_has(in, "rzi")   ? IR_RZ
                 : asm_has(in, "rp") || asm_has(in, "rpi") ? IR_RU
                 : asm_has(in, "rm") || asm_has(in, "rmi") ? IR_RD
                                                           : IR_RN;
    return asm_has(in, "ftz") ? f | IR_FTZ : f;
}

static struct ir_value *build(struct assembler *a, enum ir_op op, ir_type t, uint32_t flags,
                              unsigned n, struct ir_value *x, struct ir_value *y,
                              struct ir_value *z)
{
    return ir_build_flags(&a->l->b, op, t, flags, n, x, y, z);
}

static struct ir_value *constant(struct assembler *a, ir_type t, uint64_t v)
{
    return lo_int(a->l, t, v);
}

static struct ir_value *saturate(struct assembler *a, const struct asm_inst *in, struct ir_value *v)
{
    if (!asm_has(in, "sat"))
        return v;
    ir_type t = v->type;
    if (ir_class(t) != IR_CLASS_FLOAT)
        asm_fail(a, "'%s' is not supported", in->text);
    struct ir_value *zero = constant(a, t, 0), *one = t == IR_F32   ? ir_const_f32(a->l->m, 1)
                                                      : t == IR_F64 ? ir_const_f64(a->l->m, 1)
                                                                    : constant(a, t, 0x3c00);
    return build(a, IR_OP_fmin, t, 0, 2, build(a, IR_OP_fmax, t, 0, 2, v, zero, NULL), one, NULL);
}

/* A 64-bit integer (from_signed says of which kind) in the range of a narrower one. */
static struct ir_value *clamped(struct assembler *a, struct ir_value *x, unsigned bits,
                                bool from_signed, bool to_signed)
{
    uint64_t high =
        bits == 64 && !to_signed ? UINT64_MAX : (UINT64_C(1) << (bits - (to_signed ? 1 : 0))) - 1;
    if (!from_signed)
        return build(a, IR_OP_umin, IR_I64, 0, 2, x, constant(a, IR_I64, high), NULL);
    x = build(a, IR_OP_smax, IR_I64, 0, 2, x, constant(a, IR_I64, to_signed ? ~high : 0), NULL);
    return high > INT64_MAX
               ? x
               : build(a, IR_OP_smin, IR_I64, 0, 2, x, constant(a, IR_I64, high), NULL);
}

/* Two halves in one register. */
static struct ir_value *packed(struct assembler *a, const struct asm_inst *in, enum ir_op op,
                               ir_type half, unsigned n)
{
    struct lower *l = a->l;
    struct ir_value *out[2], *x[3][2];
    for (unsigned i = 0; i < n; i++) {
        struct ir_value *v = asm_read(a, &in->args[1 + i], IR_I32);
        x[i][0] = asm_cast(a, ir_build1(&l->b, IR_OP_trunc, IR_I16, v), half);
        x[i][1] = asm_cast(
            a,
            ir_build1(&l->b, IR_OP_trunc, IR_I16,
                      build(a, IR_OP_lshr, IR_I32, 0, 2, v, constant(a, IR_I32, 16), NULL)),
            half);
    }
    for (unsigned k = 0; k < 2; k++)
        out[k] = asm_cast(a,
                          build(a, op, half, rounding(in), n, x[0][k], n > 1 ? x[1][k] : NULL,
                                n > 2 ? x[2][k] : NULL),
                          IR_I16);
    struct ir_value *lo = ir_build1(&l->b, IR_OP_zext, IR_I32, out[0]);
    struct ir_value *hi =
        build(a, IR_OP_shl, IR_I32, 0, 2, ir_build1(&l->b, IR_OP_zext, IR_I32, out[1]),
              constant(a, IR_I32, 16), NULL);
    return build(a, IR_OP_or, IR_I32, 0, 2, lo, hi, NULL);
}

static bool is_packed(const struct asm_inst *in, ir_type *half)
{
    if (asm_has(in, "f16x2"))
        *half = IR_F16;
    else if (asm_has(in, "bf16x2"))
        *half = IR_BF16;
    else
        return false;
    return true;
}

/* ---- arithmetic ---- */

static void with_carry(struct assembler *a, const struct asm_inst *in, bool subtract, bool uses)
{
    struct lower *l = a->l;
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *y = asm_read(a, &in->args[2], t.type);
    struct ir_value *one = constant(a, IR_I1, 1);
    struct ir_value *c = uses ? lo_read(l, l->carry) : constant(a, IR_I1, 0);
    if (uses && subtract) /* the flag is a carry, of x + ~y + 1: set where nothing is borrowed */
        c = build(a, IR_OP_xor, IR_I1, 0, 2, c, one, NULL);
    struct ir_value *cw = ir_build1(&l->b, IR_OP_zext, t.type, c), *r, *out;
    if (subtract) {
        struct ir_value *d = build(a, IR_OP_sub, t.type, 0, 2, x, y, NULL);
        r = build(a, IR_OP_sub, t.type, 0, 2, d, cw, NULL);
        out = build(a, IR_OP_or, IR_I1, 0, 2, build(a, IR_OP_ult, t.type, 0, 2, x, y, NULL),
                    build(a, IR_OP_ult, t.type, 0, 2, d, cw, NULL), NULL);
        out = build(a, IR_OP_xor, IR_I1, 0, 2, out, one, NULL);
    } else {
        struct ir_value *s = build(a, IR_OP_add, t.type, 0, 2, x, y, NULL);
        r = build(a, IR_OP_add, t.type, 0, 2, s, cw, NULL);
        out = build(a, IR_OP_or, IR_I1, 0, 2, build(a, IR_OP_ult, t.type, 0, 2, s, x, NULL),
                    build(a, IR_OP_ult, t.type, 0, 2, r, s, NULL), NULL);
    }
    asm_write(a, &in->args[0], r);
    if (asm_has(in, "cc"))
        lo_write(l, l->carry, out);
}

static struct ir_value *multiply(struct assembler *a, const struct asm_inst *in, struct asm_type t)
{
    struct lower *l = a->l;
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *y = asm_read(a, &in->args[2], t.type);
    if (asm_has(in, "hi"))
        return build(a, t.is_signed ? IR_OP_smulhi : IR_OP_umulhi, t.type, 0, 2, x, y, NULL);
    if (asm_has(in, "wide")) {
        ir_type w = t.type == IR_I16 ? IR_I32 : IR_I64;
        enum ir_op ext = t.is_signed ? IR_OP_sext : IR_OP_zext;
        return build(a, IR_OP_mul, w, 0, 2, ir_build1(&l->b, ext, w, x),
                     ir_build1(&l->b, ext, w, y), NULL);
    }
    return build(a, IR_OP_mul, t.type, 0, 2, x, y, NULL);
}

static void op_add(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    bool sub = in->mods[0][0] == 's',
         uses = !strcmp(in->mods[0], "addc") || !strcmp(in->mods[0], "subc");
    if (uses || asm_has(in, "cc")) {
        with_carry(a, in, sub, uses);
        return;
    }
    ir_type half;
    if (is_packed(in, &half)) {
        asm_write(a, &in->args[0], packed(a, in, sub ? IR_OP_fsub : IR_OP_fadd, half, 2));
        return;
    }
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *y = asm_read(a, &in->args[2], t.type);
    if (!t.is_float && asm_has(in, "sat")) {
        if (t.type != IR_I32 || !t.is_signed)
            asm_fail(a, "'%s' is not supported", in->text);
        x = build(a, sub ? IR_OP_sub : IR_OP_add, IR_I64, 0, 2,
                  ir_build1(&a->l->b, IR_OP_sext, IR_I64, x),
                  ir_build1(&a->l->b, IR_OP_sext, IR_I64, y), NULL);
        asm_write(a, &in->args[0], asm_cast(a, clamped(a, x, 32, true, true), IR_I32));
        return;
    }
    enum ir_op op = t.is_float ? (sub ? IR_OP_fsub : IR_OP_fadd) : sub ? IR_OP_sub : IR_OP_add;
    asm_write(a, &in->args[0],
              saturate(a, in, build(a, op, t.type, t.is_float ? rounding(in) : 0, 2, x, y, NULL)));
}

static void op_mul(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    ir_type half;
    if (is_packed(in, &half)) {
        asm_write(a, &in->args[0], packed(a, in, IR_OP_fmul, half, 2));
        return;
    }
    struct asm_type t = need_type(a, in);
    if (t.is_float)
        asm_write(a, &in->args[0],
                  saturate(a, in,
                           build(a, IR_OP_fmul, t.type, rounding(in), 2,
                                 asm_read(a, &in->args[1], t.type),
                                 asm_read(a, &in->args[2], t.type), NULL)));
    else
        asm_write(a, &in->args[0], multiply(a, in, t));
}

static void op_mad(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    ir_type half;
    if (is_packed(in, &half)) {
        asm_write(a, &in->args[0], packed(a, in, IR_OP_fma, half, 3));
        return;
    }
    struct lower *l = a->l;
    struct asm_type t = need_type(a, in);
    if (t.is_float) {
        asm_write(
            a, &in->args[0],
            saturate(a, in,
                     build(a, IR_OP_fma, t.type, rounding(in), 3, asm_read(a, &in->args[1], t.type),
                           asm_read(a, &in->args[2], t.type), asm_read(a, &in->args[3], t.type))));
        return;
    }
    struct ir_value *p = multiply(a, in, t), *z = asm_read(a, &in->args[3], p->type);
    struct ir_value *s = build(a, IR_OP_add, p->type, 0, 2, p, z, NULL),
                    *carry = build(a, IR_OP_ult, p->type, 0, 2, s, p, NULL);
    if (!strcmp(in->mods[0], "madc")) {
        struct ir_value *c = ir_build1(&l->b, IR_OP_zext, p->type, lo_read(l, l->carry));
        struct ir_value *s2 = build(a, IR_OP_add, p->type, 0, 2, s, c, NULL);
        carry = build(a, IR_OP_or, IR_I1, 0, 2, carry,
                      build(a, IR_OP_ult, p->type, 0, 2, s2, s, NULL), NULL);
        s = s2;
    }
    asm_write(a, &in->args[0], s);
    if (asm_has(in, "cc"))
        lo_write(l, l->carry, carry);
}

struct simple {
    const char *name;
    unsigned args;
    enum ir_op unsigned_op, signed_op, float_op;
    bool int_ok, float_ok;
};

static const struct simple simples[] = {
    {"div", 2, IR_OP_udiv, IR_OP_sdiv, IR_OP_fdiv, true, true},
    {"rem", 2, IR_OP_urem, IR_OP_srem, 0, true, false},
    {"min", 2, IR_OP_umin, IR_OP_smin, IR_OP_fmin, true, true},
    {"max", 2, IR_OP_umax, IR_OP_smax, IR_OP_fmax, true, true},
    {"and", 2, IR_OP_and, IR_OP_and, 0, true, false},
    {"or", 2, IR_OP_or, IR_OP_or, 0, true, false},
    {"xor", 2, IR_OP_xor, IR_OP_xor, 0, true, false},
    {"not", 1, IR_OP_not, IR_OP_not, 0, true, false},
    {"neg", 1, IR_OP_neg, IR_OP_neg, IR_OP_fneg, true, true},
    {"brev", 1, IR_OP_brev, IR_OP_brev, 0, true, false},
    {"copysign", 2, 0, 0, IR_OP_fcopysign, false, true},
    {"sqrt", 1, 0, 0, IR_OP_fsqrt, false, true},
    {"rsqrt", 1, 0, 0, IR_OP_frsqrt_fast, false, true},
    {"sin", 1, 0, 0, IR_OP_fsin_fast, false, true},
    {"cos", 1, 0, 0, IR_OP_fcos_fast, false, true},
    {"ex2", 1, 0, 0, IR_OP_fexp2_fast, false, true},
    {"lg2", 1, 0, 0, IR_OP_flog2_fast, false, true},
    {"tanh", 1, 0, 0, IR_OP_ftanh_fast, false, true},
};

static void op_simple(struct assembler *a, struct asm_inst *in)
{
    const struct simple *s = simples;
    while (strcmp(s->name, in->mods[0]) != 0)
        s++;
    asm_need_args(a, in, s->args + 1);
    ir_type half;
    if (is_packed(in, &half)) {
        if (!s->float_ok)
            asm_fail(a, "'%s' is not supported", in->text);
        asm_write(a, &in->args[0], packed(a, in, s->float_op, half, s->args));
        return;
    }
    struct asm_type t = need_type(a, in);
    if (t.is_float ? !s->float_ok : !s->int_ok)
        asm_fail(a, "'%s' is not supported", in->text);
    struct ir_value *x = asm_read(a, &in->args[1], t.type),
                    *y = s->args > 1 ? asm_read(a, &in->args[2], t.type) : NULL;
    uint32_t flags = t.is_float ? rounding(in) : 0;
    if (asm_has(in, "approx") || asm_has(in, "full"))
        flags |= s->float_op == IR_OP_fdiv || s->float_op == IR_OP_fsqrt ? IR_FAST : 0;
    if (s->float_op == IR_OP_fneg || s->float_op == IR_OP_fcopysign)
        flags = 0;
    asm_write(a, &in->args[0],
              build(a,
                    t.is_float    ? s->float_op
                    : t.is_signed ? s->signed_op
                                  : s->unsigned_op,
                    t.type, flags, s->args, x, y, NULL));
}

static void op_rcp(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type);
    struct ir_value *one = t.type == IR_F64 ? ir_const_f64(a->l->m, 1) : ir_const_f32(a->l->m, 1);
    if (asm_has(in, "approx"))
        asm_write(
            a, &in->args[0],
            build(a, IR_OP_frcp_fast, t.type, asm_has(in, "ftz") ? IR_FTZ : 0, 1, x, NULL, NULL));
    else
        asm_write(a, &in->args[0], build(a, IR_OP_fdiv, t.type, rounding(in), 2, one, x, NULL));
}

static void op_abs(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    ir_type half;
    if (is_packed(in, &half)) {
        asm_write(a, &in->args[0], packed(a, in, IR_OP_fabs, half, 1));
        return;
    }
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type);
    if (t.is_float)
        asm_write(a, &in->args[0], build(a, IR_OP_fabs, t.type, 0, 1, x, NULL, NULL));
    else
        asm_write(a, &in->args[0],
                  build(a, IR_OP_smax, t.type, 0, 2, x,
                        build(a, IR_OP_neg, t.type, 0, 1, x, NULL, NULL), NULL));
}

static void op_shift(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *n = asm_read(a, &in->args[2], IR_I32);
    /* Counts are 32 bits wide and clamp. */
    ir_type w = t.type;
    n = build(a, IR_OP_umin, IR_I32, 0, 2, n, constant(a, IR_I32, ir_bits(w)), NULL);
    n = ir_bits(w) == 64  ? ir_build1(&a->l->b, IR_OP_zext, w, n)
        : ir_bits(w) < 32 ? ir_build1(&a->l->b, IR_OP_trunc, w, n)
                          : n;
    enum ir_op op = !strcmp(in->mods[0], "shl") ? IR_OP_shl : t.is_signed ? IR_OP_ashr : IR_OP_lshr;
    asm_write(a, &in->args[0], build(a, op, w, 0, 2, x, n, NULL));
}

static void op_shf(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    struct ir_value *lo = asm_read(a, &in->args[1], IR_I32),
                    *hi = asm_read(a, &in->args[2], IR_I32), *n = asm_read(a, &in->args[3], IR_I32);
    bool left = asm_has(in, "l");
    struct ir_value *r = build(a, left ? IR_OP_fshl : IR_OP_fshr, IR_I32, 0, 3, hi, lo, n);
    if (asm_has(in, "clamp")) {
        struct ir_value *over = build(a, IR_OP_ule, IR_I32, 0, 2, constant(a, IR_I32, 32), n, NULL);
        r = ir_build3(&a->l->b, IR_OP_select, IR_I32, over, left ? lo : hi, r);
    }
    asm_write(a, &in->args[0], r);
}

static void op_count(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *r;
    if (!strcmp(in->mods[0], "bfind")) {
        if (t.is_signed) { /* the first bit that differs from the sign */
            struct ir_value *s = build(a, IR_OP_ashr, t.type, 0, 2, x,
                                       constant(a, t.type, ir_bits(t.type) - 1), NULL);
            x = build(a, IR_OP_xor, t.type, 0, 2, x, s, NULL);
        }
        struct ir_value *z = build(a, IR_OP_clz, t.type, 0, 1, x, NULL, NULL);
        bool shift = asm_has(in, "shiftamt");
        r = shift ? z
                  : build(a, IR_OP_sub, t.type, 0, 2, constant(a, t.type, ir_bits(t.type) - 1), z,
                          NULL);
        struct ir_value *none = build(a, IR_OP_eq, t.type, 0, 2, x, constant(a, t.type, 0), NULL);
        r = ir_build3(&a->l->b, IR_OP_select, t.type, none, constant(a, t.type, ~UINT64_C(0)), r);
    } else {
        r = build(a, !strcmp(in->mods[0], "popc") ? IR_OP_popc : IR_OP_clz, t.type, 0, 1, x, NULL,
                  NULL);
    }
    asm_write(a, &in->args[0], asm_cast(a, r, IR_I32));
}

static void op_bfe(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    struct asm_type t = need_type(a, in);
    unsigned bits = ir_bits(t.type);
    struct ir_value *x = asm_read(a, &in->args[1], t.type);
    struct ir_value *pos =
        asm_cast(a,
                 build(a, IR_OP_and, IR_I32, 0, 2, asm_read(a, &in->args[2], IR_I32),
                       constant(a, IR_I32, 255), NULL),
                 t.type);
    struct ir_value *len =
        asm_cast(a,
                 build(a, IR_OP_and, IR_I32, 0, 2, asm_read(a, &in->args[3], IR_I32),
                       constant(a, IR_I32, 255), NULL),
                 t.type);
    struct ir_value *n = constant(a, t.type, bits);
    /* Signed: bits above the top repeat the sign of the field's last bit. */
    struct ir_value *v =
        build(a, t.is_signed ? IR_OP_ashr : IR_OP_lshr, t.type, 0, 2, x,
              build(a, IR_OP_umin, t.type, 0, 2, pos, constant(a, t.type, bits), NULL), NULL);
    struct ir_value *keep = build(a, IR_OP_sub, t.type, 0, 2, n,
                                  build(a, IR_OP_umin, t.type, 0, 2, len, n, NULL), NULL);
    v = build(a, IR_OP_shl, t.type, 0, 2, v, keep, NULL);
    v = build(a, t.is_signed ? IR_OP_ashr : IR_OP_lshr, t.type, 0, 2, v, keep, NULL);
    struct ir_value *empty = build(a, IR_OP_eq, t.type, 0, 2, len, constant(a, t.type, 0), NULL);
    asm_write(a, &in->args[0],
              ir_build3(&a->l->b, IR_OP_select, t.type, empty, constant(a, t.type, 0), v));
}

static void op_bfi(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 5);
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], t.type), *y = asm_read(a, &in->args[2], t.type);
    struct ir_value *pos =
        asm_cast(a,
                 build(a, IR_OP_and, IR_I32, 0, 2, asm_read(a, &in->args[3], IR_I32),
                       constant(a, IR_I32, 255), NULL),
                 t.type);
    struct ir_value *len =
        asm_cast(a,
                 build(a, IR_OP_and, IR_I32, 0, 2, asm_read(a, &in->args[4], IR_I32),
                       constant(a, IR_I32, 255), NULL),
                 t.type);
    struct ir_value *ones = constant(a, t.type, ~UINT64_C(0));
    struct ir_value *mask = build(a, IR_OP_not, t.type, 0, 1,
                                  build(a, IR_OP_shl, t.type, 0, 2, ones, len, NULL), NULL, NULL);
    mask = build(a, IR_OP_shl, t.type, 0, 2, mask, pos, NULL);
    struct ir_value *put = build(a, IR_OP_and, t.type, 0, 2,
                                 build(a, IR_OP_shl, t.type, 0, 2, x, pos, NULL), mask, NULL);
    struct ir_value *rest = build(a, IR_OP_and, t.type, 0, 2, y,
                                  build(a, IR_OP_not, t.type, 0, 1, mask, NULL, NULL), NULL);
    asm_write(a, &in->args[0], build(a, IR_OP_or, t.type, 0, 2, put, rest, NULL));
}

static void op_lop3(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 5);
    if (in->args[4].kind != ASM_NUMBER || in->args[4].number > 255)
        asm_fail(a, "the table of lop3 has to be a number from 0 to 255");
    struct ir_value *v[3], *r = constant(a, IR_I32, 0);
    for (unsigned i = 0; i < 3; i++)
        v[i] = asm_read(a, &in->args[1 + i], IR_I32);
    for (unsigned row = 0; row < 8; row++) {
        if (!(in->args[4].number >> row & 1))
            continue;
        struct ir_value *m = NULL;
        for (unsigned i = 0; i < 3; i++) {
            struct ir_value *x =
                row >> (2 - i) & 1 ? v[i] : build(a, IR_OP_not, IR_I32, 0, 1, v[i], NULL, NULL);
            m = m ? build(a, IR_OP_and, IR_I32, 0, 2, m, x, NULL) : x;
        }
        r = build(a, IR_OP_or, IR_I32, 0, 2, r, m, NULL);
    }
    asm_write(a, &in->args[0], r);
}

/* The modes of prmt take their nibbles from a table of four. */
static struct ir_value *selector(struct assembler *a, const struct asm_inst *in, struct ir_value *z)
{
    static const struct {
        const char *name;
        uint16_t nibbles[4];
    } modes[] = {
        {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
        {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
        {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (!asm_has(in, modes[i].name))
            continue;
        struct ir_value *which = build(a, IR_OP_and, IR_I32, 0, 2, z, constant(a, IR_I32, 3), NULL),
                        *r = constant(a, IR_I32, modes[i].nibbles[3]);
        for (unsigned k = 3; k-- > 0;)
            r = ir_build3(&a->l->b, IR_OP_select, IR_I32,
                          build(a, IR_OP_eq, IR_I32, 0, 2, which, constant(a, IR_I32, k), NULL),
                          constant(a, IR_I32, modes[i].nibbles[k]), r);
        return r;
    }
    if (in->nmods > 2)
        asm_fail(a, "'%s' is not supported", in->text);
    return z;
}

static void op_three(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    struct ir_value *x = asm_read(a, &in->args[1], IR_I32), *y = asm_read(a, &in->args[2], IR_I32),
                    *z = asm_read(a, &in->args[3], IR_I32);
    const char *op = in->mods[0];
    if (!strcmp(op, "prmt")) {
        asm_write(a, &in->args[0], build(a, IR_OP_prmt, IR_I32, 0, 3, x, y, selector(a, in, z)));
    } else { /* sad: z + |x - y| */
        struct asm_type t = need_type(a, in);
        struct ir_value *hi =
            build(a, t.is_signed ? IR_OP_smax : IR_OP_umax, IR_I32, 0, 2, x, y, NULL);
        struct ir_value *lo =
            build(a, t.is_signed ? IR_OP_smin : IR_OP_umin, IR_I32, 0, 2, x, y, NULL);
        asm_write(a, &in->args[0],
                  build(a, IR_OP_add, IR_I32, 0, 2, z,
                        build(a, IR_OP_sub, IR_I32, 0, 2, hi, lo, NULL), NULL));
    }
}

/* ---- comparison, choice, moves ---- */

static struct ir_value *comparison(struct assembler *a, const struct asm_inst *in,
                                   struct asm_type t, struct ir_value *x, struct ir_value *y)
{
    static const struct {
        const char *name;
        enum ir_op u, s, f;
        bool swap, unordered;
    } ops[] = {
        {"eq", IR_OP_eq, IR_OP_eq, IR_OP_feq, 0, 0},
        {"ne", IR_OP_ne, IR_OP_ne, IR_OP_fne, 0, 0},
        {"lt", IR_OP_ult, IR_OP_slt, IR_OP_flt, 0, 0},
        {"le", IR_OP_ule, IR_OP_sle, IR_OP_fle, 0, 0},
        {"gt", IR_OP_ult, IR_OP_slt, IR_OP_flt, 1, 0},
        {"ge", IR_OP_ule, IR_OP_sle, IR_OP_fle, 1, 0},
        {"lo", IR_OP_ult, IR_OP_ult, 0, 0, 0},
        {"ls", IR_OP_ule, IR_OP_ule, 0, 0, 0},
        {"hi", IR_OP_ult, IR_OP_ult, 0, 1, 0},
        {"hs", IR_OP_ule, IR_OP_ule, 0, 1, 0},
        {"equ", 0, 0, IR_OP_feq, 0, 1},
        {"neu", 0, 0, IR_OP_fne, 0, 1},
        {"ltu", 0, 0, IR_OP_flt, 0, 1},
        {"leu", 0, 0, IR_OP_fle, 0, 1},
        {"gtu", 0, 0, IR_OP_flt, 1, 1},
        {"geu", 0, 0, IR_OP_fle, 1, 1},
    };
    struct lower *l = a->l;
    for (unsigned m = 1; m < in->nmods; m++) {
        if (t.is_float && (!strcmp(in->mods[m], "nan") || !strcmp(in->mods[m], "num"))) {
            struct ir_value *u = ir_build2(&l->b, IR_OP_funo, t.type, x, y);
            return in->mods[m][2] == 'n'
                       ? u
                       : ir_build2(&l->b, IR_OP_xor, IR_I1, u, constant(a, IR_I1, 1));
        }
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            if (strcmp(ops[i].name, in->mods[m]) != 0)
                continue;
            enum ir_op op = t.is_float ? ops[i].f : t.is_signed ? ops[i].s : ops[i].u;
            struct ir_value *r = ops[i].swap ? ir_build2(&l->b, op, t.type, y, x)
                                             : ir_build2(&l->b, op, t.type, x, y);
            /* ne of PTX is false for NaN, fne of the IR is true */
            if (t.is_float && !strcmp(ops[i].name, "ne"))
                r = ir_build2(&l->b, IR_OP_and, IR_I1, r,
                              ir_build2(&l->b, IR_OP_xor, IR_I1,
                                        ir_build2(&l->b, IR_OP_funo, t.type, x, y),
                                        constant(a, IR_I1, 1)));
            if (ops[i].unordered)
                r = ir_build2(&l->b, IR_OP_or, IR_I1, r,
                              ir_build2(&l->b, IR_OP_funo, t.type, x, y));
            return r;
        }
    }
    asm_fail(a, "'%s' does not say what to compare for", in->text);
}

static void op_setp(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    struct asm_type t, out;
    bool set = !strcmp(in->mods[0], "set");
    if (!type_at(in, set ? 1 : 0, &t))
        asm_fail(a, "'%s' has no type", in->text);
    struct ir_value *r =
        comparison(a, in, t, asm_read(a, &in->args[1], t.type), asm_read(a, &in->args[2], t.type));
    if (in->nargs > 3) {
        struct ir_value *p = asm_read(a, &in->args[3], IR_I1);
        enum ir_op op = asm_has(in, "and") ? IR_OP_and : asm_has(in, "or") ? IR_OP_or : IR_OP_xor;
        r = build(a, op, IR_I1, 0, 2, r, p, NULL);
    }
    if (set) {
        type_at(in, 0, &out);
        struct ir_value *one =
            out.is_float ? ir_const_f32(a->l->m, 1) : constant(a, IR_I32, ~UINT64_C(0));
        r = ir_build3(&a->l->b, IR_OP_select, one->type, r, one, constant(a, one->type, 0));
    }
    asm_write(a, &in->args[0], r);
    if (in->second)
        asm_write(a, in->second, ir_build2(&a->l->b, IR_OP_xor, IR_I1, r, constant(a, IR_I1, 1)));
}

static void op_selp(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 4);
    struct asm_type t = need_type(a, in);
    struct ir_value *c;
    if (!strcmp(in->mods[0], "slct")) {
        struct asm_type ct;
        if (!type_at(in, 1, &ct))
            asm_fail(a, "'%s' has no type", in->text);
        struct ir_value *z = constant(a, ct.type, 0), *v = asm_read(a, &in->args[3], ct.type);
        c = ct.is_float ? ir_build2(&a->l->b, IR_OP_fle, ct.type, z, v)
                        : ir_build2(&a->l->b, IR_OP_sle, ct.type, z, v);
    } else {
        c = asm_read(a, &in->args[3], IR_I1);
    }
    asm_write(a, &in->args[0],
              ir_build3(&a->l->b, IR_OP_select, t.type, c, asm_read(a, &in->args[1], t.type),
                        asm_read(a, &in->args[2], t.type)));
}

static void op_mov(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct asm_type t = need_type(a, in);
    asm_write(a, &in->args[0], asm_read(a, &in->args[1], t.type));
}

static void op_cvt(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    struct asm_type d, s;
    if (!type_at(in, 0, &d) || !type_at(in, 1, &s))
        asm_fail(a, "'%s' needs two types", in->text);
    uint32_t r = rounding(in);
    if (!strcmp(d.name, "f16x2") ||
        !strcmp(d.name, "bf16x2")) { /* two floats into halves, the first on top */
        asm_need_args(a, in, 3);
        ir_type half = d.name[0] == 'f' ? IR_F16 : IR_BF16;
        struct ir_value *hi = asm_cast(a,
                                       build(a, IR_OP_fcvt, half, r & IR_ROUND_MASK, 1,
                                             asm_read(a, &in->args[1], IR_F32), NULL, NULL),
                                       IR_I16);
        struct ir_value *lo = asm_cast(a,
                                       build(a, IR_OP_fcvt, half, r & IR_ROUND_MASK, 1,
                                             asm_read(a, &in->args[2], IR_F32), NULL, NULL),
                                       IR_I16);
        struct ir_value *w =
            build(a, IR_OP_shl, IR_I32, 0, 2, ir_build1(&l->b, IR_OP_zext, IR_I32, hi),
                  constant(a, IR_I32, 16), NULL);
        asm_write(
            a, &in->args[0],
            build(a, IR_OP_or, IR_I32, 0, 2, w, ir_build1(&l->b, IR_OP_zext, IR_I32, lo), NULL));
        return;
    }
    asm_need_args(a, in, 2);
    if (!strcmp(d.name, "tf32")) { /* round to 10 bits of mantissa, away from zero at ties */
        struct ir_value *x = asm_read(a, &in->args[1], IR_I32);
        x = build(a, IR_OP_add, IR_I32, 0, 2, x, constant(a, IR_I32, 0x1000), NULL);
        asm_write(a, &in->args[0],
                  build(a, IR_OP_and, IR_I32, 0, 2, x, constant(a, IR_I32, 0xffffe000u), NULL));
        return;
    }
    struct ir_value *x = asm_read(a, &in->args[1], s.type), *v;
    if (s.is_float && d.is_float) {
        bool integral =
            asm_has(in, "rni") || asm_has(in, "rzi") || asm_has(in, "rmi") || asm_has(in, "rpi");
        v = x;
        if (integral)
            v = build(a,
                      asm_has(in, "rzi")   ? IR_OP_ftrunc
                      : asm_has(in, "rmi") ? IR_OP_ffloor
                      : asm_has(in, "rpi") ? IR_OP_fceil
                                           : IR_OP_frint,
                      s.type, 0, 1, v, NULL, NULL);
        if (d.type != s.type)
            v = build(a, IR_OP_fcvt, d.type, integral ? 0 : r, 1, v, NULL, NULL);
        v = saturate(a, in, v);
    } else if (s.is_float) {
        v = build(a, d.is_signed ? IR_OP_ftosi : IR_OP_ftoui, d.type, r, 1, x, NULL, NULL);
    } else if (d.is_float) {
        v = build(a, s.is_signed ? IR_OP_sitof : IR_OP_uitof, d.type, r & IR_ROUND_MASK, 1, x, NULL,
                  NULL);
    } else if (asm_has(in, "sat")) {
        v = ir_bits(s.type) == 64
                ? x
                : ir_build1(&l->b, s.is_signed ? IR_OP_sext : IR_OP_zext, IR_I64, x);
        v = asm_cast(a, clamped(a, v, ir_bits(d.type), s.is_signed, d.is_signed), d.type);
    } else if (ir_bits(d.type) > ir_bits(s.type)) {
        v = ir_build1(&l->b, s.is_signed ? IR_OP_sext : IR_OP_zext, d.type, x);
    } else if (ir_bits(d.type) < ir_bits(s.type)) {
        v = ir_build1(&l->b, IR_OP_trunc, d.type, x);
    } else {
        v = x;
    }
    /* A narrow integer in a wider register is extended by its own sign. */
    if (in->args[0].kind == ASM_REG && !d.is_float &&
        ir_bits(in->args[0].reg->type) > ir_bits(d.type) &&
        ir_class(in->args[0].reg->type) == IR_CLASS_INT)
        v = ir_build1(&l->b, d.is_signed ? IR_OP_sext : IR_OP_zext, in->args[0].reg->type, v);
    asm_write(a, &in->args[0], v);
}

/* ---- memory ---- */

static enum ir_space space_of(const struct asm_inst *in)
{
    for (unsigned i = 1; i < in->nmods; i++) {
        if (!strcmp(in->mods[i], "global"))
            return IR_SPACE_GLOBAL;
        if (!strcmp(in->mods[i], "shared"))
            return IR_SPACE_SHARED;
        if (!strcmp(in->mods[i], "const"))
            return IR_SPACE_CONST;
        if (!strcmp(in->mods[i], "local"))
            return IR_SPACE_LOCAL;
    }
    return IR_SPACE_GENERIC;
}

static uint32_t memory_flags(const struct asm_inst *in, bool atomic)
{
    uint32_t f = 0;
    enum ir_scope scope = asm_has(in, "cta")   ? IR_SCOPE_BLOCK
                          : asm_has(in, "sys") ? IR_SCOPE_SYSTEM
                                               : IR_SCOPE_DEVICE;
    enum ir_order order = asm_has(in, "acq_rel")             ? IR_ORDER_ACQ_REL
                          : asm_has(in, "acquire")           ? IR_ORDER_ACQUIRE
                          : asm_has(in, "release")           ? IR_ORDER_RELEASE
                          : asm_has(in, "relaxed") || atomic ? IR_ORDER_RELAXED
                                                             : IR_ORDER_NONE;
    if (order != IR_ORDER_NONE)
        f |= IR_ORDERED(order, scope);
    if (asm_has(in, "volatile"))
        f |= IR_VOLATILE;
    if (asm_has(in, "nc"))
        f |= IR_INVARIANT;
    return f;
}

static void op_ld(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct lower *l = a->l;
    struct asm_type t = need_type(a, in);
    unsigned n = asm_has(in, "v2") ? 2 : asm_has(in, "v4") ? 4 : 1;
    struct ir_value *p = asm_address(a, &in->args[1], space_of(in));
    if (n > 1 && (in->args[0].kind != ASM_LIST || in->args[0].nlist != n))
        asm_fail(a, "'%s' needs %u registers in braces", in->text, n);
    for (unsigned i = 0; i < n; i++) {
        struct asm_operand_value *d = n > 1 ? in->args[0].list[i] : &in->args[0];
        struct ir_value *v =
            ir_build_load(&l->b, t.type, lo_offset(l, p, (int64_t)(i * ir_bytes(t.type))),
                          ir_bytes(t.type), memory_flags(in, false));
        if (d->kind == ASM_REG && t.is_signed && !t.is_float &&
            ir_bits(d->reg->type) > ir_bits(t.type) && ir_class(d->reg->type) == IR_CLASS_INT)
            v = ir_build1(&l->b, IR_OP_sext, d->reg->type, v);
        asm_write(a, d, v);
    }
}

static void op_st(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct lower *l = a->l;
    struct asm_type t = need_type(a, in);
    unsigned n = asm_has(in, "v2") ? 2 : asm_has(in, "v4") ? 4 : 1;
    struct ir_value *p = asm_address(a, &in->args[0], space_of(in));
    if (n > 1 && (in->args[1].kind != ASM_LIST || in->args[1].nlist != n))
        asm_fail(a, "'%s' needs %u registers in braces", in->text, n);
    for (unsigned i = 0; i < n; i++)
        ir_build_store(&l->b, lo_offset(l, p, (int64_t)(i * ir_bytes(t.type))),
                       asm_read(a, n > 1 ? in->args[1].list[i] : &in->args[1], t.type),
                       ir_bytes(t.type), memory_flags(in, false));
}

static void op_atom(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    bool red = !strcmp(in->mods[0], "red");
    unsigned at = red ? 0 : 1;
    asm_need_args(a, in, at + 2);
    struct asm_type t = need_type(a, in);
    struct ir_value *args[3] = {asm_address(a, &in->args[at], space_of(in)),
                                asm_read(a, &in->args[at + 1], t.type), NULL};
    struct ir_inst *i;
    if (asm_has(in, "cas")) {
        asm_need_args(a, in, at + 3);
        args[2] = asm_read(a, &in->args[at + 2], t.type);
        i = ir_build(&l->b, IR_OP_cas, t.type, args, 3);
    } else {
        int op = asm_has(in, "add")    ? (t.is_float ? IR_RMW_FADD : IR_RMW_ADD)
                 : asm_has(in, "and")  ? IR_RMW_AND
                 : asm_has(in, "or")   ? IR_RMW_OR
                 : asm_has(in, "xor")  ? IR_RMW_XOR
                 : asm_has(in, "exch") ? IR_RMW_XCHG
                 : asm_has(in, "inc")  ? IR_RMW_INC
                 : asm_has(in, "dec")  ? IR_RMW_DEC
                 : asm_has(in, "min")  ? (t.is_float    ? IR_RMW_FMIN
                                          : t.is_signed ? IR_RMW_SMIN
                                                        : IR_RMW_UMIN)
                 : asm_has(in, "max")  ? (t.is_float    ? IR_RMW_FMAX
                                          : t.is_signed ? IR_RMW_SMAX
                                                        : IR_RMW_UMAX)
                                       : -1;
        if (op < 0 || asm_has(in, "f16x2") || asm_has(in, "bf16x2") || asm_has(in, "v2") ||
            asm_has(in, "v4"))
            asm_fail(a, "'%s' is not supported", in->text);
        i = ir_build(&l->b, IR_OP_rmw, t.type, args, 2);
        i->imm = (uint64_t)op;
    }
    i->flags = memory_flags(in, true);
    i->align = ir_bytes(t.type);
    if (!red)
        asm_write(a, &in->args[0], &i->results[0]);
}

static void op_cvta(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct lower *l = a->l;
    enum ir_space space = space_of(in);
    struct ir_value *x = asm_read(a, &in->args[1], IR_I64);
    bool to = asm_has(in, "to");
    struct ir_value *p =
        ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(to ? IR_SPACE_GENERIC : space), x);
    if (space != IR_SPACE_GENERIC)
        p = ir_build1(&l->b, IR_OP_cvta, IR_PTR_TO(to ? space : IR_SPACE_GENERIC), p);
    asm_write(a, &in->args[0], ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, p));
}

static void op_isspacep(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct lower *l = a->l;
    struct ir_value *p = ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_GENERIC),
                                   asm_read(a, &in->args[1], IR_I64));
    struct ir_inst *i = ir_build(&l->b, IR_OP_isspace, IR_VOID, &p, 1);
    i->imm = space_of(in);
    asm_write(a, &in->args[0], &i->results[0]);
}

static void op_cp(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    if (asm_has(in, "commit_group")) {
        ir_build(&l->b, IR_OP_cpasync_commit, IR_VOID, NULL, 0);
        return;
    }
    if (asm_has(in, "wait_group") || asm_has(in, "wait_all")) {
        struct ir_inst *i = ir_build(&l->b, IR_OP_cpasync_wait, IR_VOID, NULL, 0);
        if (asm_has(in, "wait_group") && in->args[0].kind != ASM_NUMBER &&
            in->args[0].kind != ASM_REG)
            asm_fail(a, "'%s' needs a number", in->text);
        i->imm = asm_has(in, "wait_all")          ? ~UINT64_C(0)
                 : in->args[0].kind == ASM_NUMBER ? in->args[0].number
                                                  : 0;
        return;
    }
    if (!asm_has(in, "async") || asm_has(in, "bulk"))
        asm_fail(a, "'%s' is not supported", in->text);
    asm_need_args(a, in, 3);
    if (in->args[2].kind != ASM_NUMBER && in->args[2].kind != ASM_REG)
        asm_fail(a, "'%s' needs its size as a number", in->text);
    uint64_t size = in->args[2].number;
    if (in->args[2].kind == ASM_REG) { /* an "n" operand */
        struct ir_value *v = lo_read(l, in->args[2].reg->var);
        if (!ir_is_const(v))
            asm_fail(a, "'%s' needs its size as a number", in->text);
        size = v->u.bits;
    }
    if (size != 4 && size != 8 && size != 16)
        asm_fail(a, "'%s' copies 4, 8 or 16 bytes", in->text);
    struct ir_value *args[3] = {asm_address(a, &in->args[0], IR_SPACE_SHARED),
                                asm_address(a, &in->args[1], IR_SPACE_GLOBAL),
                                in->nargs > 3 && in->args[3].kind != ASM_NONE
                                    ? asm_read(a, &in->args[3], IR_I32)
                                    : constant(a, IR_I32, size)};
    ir_build(&l->b, IR_OP_cpasync, IR_VOID, args, 3)->imm = size;
}

/* ---- synchronisation and warps ---- */

static void op_bar(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    if (asm_has(in, "warp")) {
        struct ir_value *m = asm_read(a, &in->args[0], IR_I32);
        ir_build(&l->b, IR_OP_warpsync, IR_VOID, &m, 1);
        return;
    }
    if (asm_has(in, "red")) { /* barrier.red.op.type d, a{, b}, {!}c */
        asm_need_args(a, in, 3);
        bool counted = in->nargs > 3;
        struct ir_value *red[3] = {asm_read(a, &in->args[1], IR_I32),
                                   counted ? asm_read(a, &in->args[2], IR_I32)
                                           : constant(a, IR_I32, 0),
                                   asm_read(a, &in->args[counted ? 3 : 2], IR_I1)};
        struct ir_inst *i = ir_build(&l->b, IR_OP_barrier_red, IR_VOID, red, 3);
        i->imm = asm_has(in, "and") ? 1 : asm_has(in, "or") ? 2 : 0;
        struct ir_value *v = &i->results[0];
        if (i->imm)
            v = build(a, IR_OP_ne, IR_I32, 0, 2, v, constant(a, IR_I32, 0), NULL);
        asm_write(a, &in->args[0], v);
        return;
    }
    struct ir_value *args[2] = {
        in->nargs ? asm_read(a, &in->args[0], IR_I32) : constant(a, IR_I32, 0),
        in->nargs > 1 ? asm_read(a, &in->args[1], IR_I32) : constant(a, IR_I32, 0)};
    ir_build(&l->b, asm_has(in, "arrive") ? IR_OP_barrier_arrive : IR_OP_barrier, IR_VOID, args, 2);
}

static void op_fence(struct assembler *a, struct asm_inst *in)
{
    if (asm_has(in, "proxy") || asm_has(in, "mbarrier_init"))
        asm_fail(a, "'%s' is not supported", in->text);
    enum ir_scope s = asm_has(in, "cta")   ? IR_SCOPE_BLOCK
                      : asm_has(in, "sys") ? IR_SCOPE_SYSTEM
                                           : IR_SCOPE_DEVICE;
    struct ir_inst *i = ir_build(&a->l->b, IR_OP_fence, IR_VOID, NULL, 0);
    i->flags = IR_ORDERED(asm_has(in, "acq_rel") ? IR_ORDER_ACQ_REL : IR_ORDER_SEQ_CST, s);
}

static void op_shfl(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    unsigned mask = asm_has(in, "sync") ? 4 : 0;
    asm_need_args(a, in, mask ? 5 : 4);
    int mode = asm_has(in, "up")     ? IR_SHFL_UP
               : asm_has(in, "down") ? IR_SHFL_DOWN
               : asm_has(in, "bfly") ? IR_SHFL_XOR
                                     : IR_SHFL_IDX;
    struct ir_value *args[4] = {
        mask ? asm_read(a, &in->args[4], IR_I32) : constant(a, IR_I32, ~UINT64_C(0)),
        asm_read(a, &in->args[1], IR_I32), asm_read(a, &in->args[2], IR_I32),
        asm_read(a, &in->args[3], IR_I32)};
    struct ir_inst *i = ir_build(&l->b, IR_OP_shfl, IR_I32, args, 4);
    i->imm = (uint64_t)mode;
    asm_write(a, &in->args[0], &i->results[0]);
    if (in->second)
        asm_write(a, in->second, &i->results[1]);
}

static void op_vote(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, asm_has(in, "sync") ? 3 : 2);
    struct ir_value *args[2] = {asm_has(in, "sync") ? asm_read(a, &in->args[2], IR_I32)
                                                    : constant(a, IR_I32, ~UINT64_C(0)),
                                asm_read(a, &in->args[1], IR_I1)};
    struct ir_inst *i = ir_build(&a->l->b, IR_OP_vote, IR_VOID, args, 2);
    i->imm = asm_has(in, "any")   ? IR_VOTE_ANY
             : asm_has(in, "all") ? IR_VOTE_ALL
             : asm_has(in, "uni") ? IR_VOTE_UNI
                                  : IR_VOTE_BALLOT;
    struct ir_value *v = &i->results[0];
    if (i->imm != IR_VOTE_BALLOT)
        v = ir_build2(&a->l->b, IR_OP_ne, IR_I32, v, constant(a, IR_I32, 0));
    asm_write(a, &in->args[0], v);
}

static void op_warp(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    const char *op = in->mods[0];
    if (!strcmp(op, "activemask")) {
        asm_need_args(a, in, 1);
        asm_write(a, &in->args[0],
                  &ir_build(&l->b, IR_OP_activemask, IR_VOID, NULL, 0)->results[0]);
        return;
    }
    asm_need_args(a, in, 3);
    struct asm_type t = need_type(a, in);
    struct ir_value *args[2] = {asm_read(a, &in->args[2], IR_I32),
                                asm_read(a, &in->args[1], t.type)};
    if (!strcmp(op, "match")) {
        struct ir_inst *i = ir_build(&l->b, IR_OP_match, t.type, args, 2);
        i->imm = asm_has(in, "all");
        asm_write(a, &in->args[0], &i->results[0]);
        if (in->second)
            asm_write(a, in->second, &i->results[1]);
        return;
    }
    struct ir_inst *i = ir_build(&l->b, IR_OP_redux, IR_VOID, args, 2);
    i->imm = asm_has(in, "add")   ? IR_RMW_ADD
             : asm_has(in, "and") ? IR_RMW_AND
             : asm_has(in, "or")  ? IR_RMW_OR
             : asm_has(in, "xor") ? IR_RMW_XOR
             : asm_has(in, "min") ? (t.is_signed ? IR_RMW_SMIN : IR_RMW_UMIN)
                                  : (t.is_signed ? IR_RMW_SMAX : IR_RMW_UMAX);
    asm_write(a, &in->args[0], &i->results[0]);
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 */
static void op_mma(struct assembler *a, struct asm_inst *in)
{
    static const struct {
        const char *shape, *ab, *c;
        unsigned na, nb, nc;
    } shapes[] = {
#define IR_MMA(name, text, m, n, k, ab, c, na, nb, nc, sm)                                         \
    {"m" #m "n" #n "k" #k, #ab, #c, na, nb, nc},
#include "ir/mma.def"
    };
    asm_need_args(a, in, 4);
    struct asm_type d, t, t2;
    if (!type_at(in, 0, &d))
        d = (struct asm_type){IR_I32, true, false, "s32"};
    const char *types[4] = {0};
    unsigned nt = 0;
    for (unsigned i = 1; i < in->nmods && nt < 4; i++)
        if (asm_kind(in->mods[i], &t))
            types[nt++] = t.name;
    (void)t2;
    if (nt < 3 || !asm_has(in, "row") || !asm_has(in, "col"))
        asm_fail(a, "'%s' is not supported", in->text);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const char *ab = types[1], *c = types[0];
        char low[8] = {0}, lowc[8] = {0};
        for (unsigned i = 0; shapes[s].ab[i] && i < 7; i++)
            low[i] = (char)(shapes[s].ab[i] | (shapes[s].ab[i] >= 'A' ? 32 : 0));
        for (unsigned i = 0; shapes[s].c[i] && i < 7; i++)
            lowc[i] = (char)(shapes[s].c[i] | (shapes[s].c[i] >= 'A' ? 32 : 0));
        if (!asm_has(in, shapes[s].shape) || strcmp(low, ab) != 0 || strcmp(lowc, c) != 0 ||
            strcmp(types[1], types[2]) != 0)
            continue;
        ir_type rab = !strcmp(low, "f64") ? IR_F64 : IR_I32, rc = !strcmp(lowc, "f64")   ? IR_F64
                                                                  : !strcmp(lowc, "f32") ? IR_F32
                                                                                         : IR_I32;
        struct ir_value *args[32];
        ir_type results[16];
        unsigned n = 0;
        const unsigned counts[3] = {shapes[s].na, shapes[s].nb, shapes[s].nc};
        for (unsigned g = 0; g < 3; g++) {
            const struct asm_operand_value *o = &in->args[1 + g];
            unsigned have = o->kind == ASM_LIST ? o->nlist : 1;
            if (have != counts[g])
                asm_fail(a, "'%s' needs %u registers in operand %u, not %u", in->text, counts[g],
                         g + 1, have);
            for (unsigned i = 0; i < have; i++)
                args[n++] = asm_read(a, o->kind == ASM_LIST ? o->list[i] : o, g < 2 ? rab : rc);
        }
        for (unsigned i = 0; i < shapes[s].nc; i++)
            results[i] = rc;
        struct ir_inst *i =
            ir_build_results(&a->l->b, IR_OP_mma, IR_VOID, args, n, results, shapes[s].nc);
        i->imm = s;
        if ((in->args[0].kind == ASM_LIST ? in->args[0].nlist : 1) != shapes[s].nc)
            asm_fail(a, "'%s' gives %u registers", in->text, shapes[s].nc);
        for (unsigned k = 0; k < shapes[s].nc; k++)
            asm_write(a, in->args[0].kind == ASM_LIST ? in->args[0].list[k] : &in->args[0],
                      &i->results[k]);
        return;
    }
    asm_fail(a, "'%s' is not supported", in->text);
}

/* ldmatrix: each lane of 8 gives the address of a row; a lane gets the words of row lane/4, column
 * lane%4. */
static void op_ldmatrix(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    asm_need_args(a, in, 2);
    unsigned n = asm_has(in, "x4") ? 4 : asm_has(in, "x2") ? 2 : 1;
    if (!asm_has(in, "b16") || (in->args[0].kind == ASM_LIST ? in->args[0].nlist : 1) != n)
        asm_fail(a, "'%s' is not supported", in->text);
    struct ir_value *p =
        ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, asm_address(a, &in->args[1], IR_SPACE_SHARED));
    struct ir_value *address = ir_build1(&l->b, IR_OP_trunc, IR_I32, p),
                    *lane = ir_build0(&l->b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
    struct ir_value *full = constant(a, IR_I32, ~UINT64_C(0)), *control = constant(a, IR_I32, 0x1f);
    for (unsigned k = 0; k < n; k++) {
        struct ir_value *word;
        if (!asm_has(in, "trans")) {
            struct ir_value *src =
                build(a, IR_OP_add, IR_I32, 0, 2,
                      build(a, IR_OP_lshr, IR_I32, 0, 2, lane, constant(a, IR_I32, 2), NULL),
                      constant(a, IR_I32, 8 * k), NULL);
            struct ir_value *sa[4] = {full, address, src, control};
            struct ir_inst *s = ir_build(&l->b, IR_OP_shfl, IR_I32, sa, 4);
            s->imm = IR_SHFL_IDX;
            struct ir_value *off =
                build(a, IR_OP_shl, IR_I32, 0, 2,
                      build(a, IR_OP_and, IR_I32, 0, 2, lane, constant(a, IR_I32, 3), NULL),
                      constant(a, IR_I32, 2), NULL);
            struct ir_value *at =
                ir_build1(&l->b, IR_OP_zext, IR_I64,
                          build(a, IR_OP_add, IR_I32, 0, 2, &s->results[0], off, NULL));
            word = ir_build_load(&l->b, IR_I32,
                                 ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_SHARED), at),
                                 4, 0);
        } else { /* element (row 2t, column g) and the row below: t = lane % 4, g = lane / 4 */
            word = constant(a, IR_I32, 0);
            for (unsigned h = 0; h < 2; h++) {
                struct ir_value *row =
                    build(a, IR_OP_shl, IR_I32, 0, 2,
                          build(a, IR_OP_and, IR_I32, 0, 2, lane, constant(a, IR_I32, 3), NULL),
                          constant(a, IR_I32, 1), NULL);
                row = build(a, IR_OP_add, IR_I32, 0, 2, row, constant(a, IR_I32, h + 8 * k), NULL);
                struct ir_value *sa[4] = {full, address, row, control};
                struct ir_inst *s = ir_build(&l->b, IR_OP_shfl, IR_I32, sa, 4);
                s->imm = IR_SHFL_IDX;
                struct ir_value *off =
                    build(a, IR_OP_shl, IR_I32, 0, 2,
                          build(a, IR_OP_lshr, IR_I32, 0, 2, lane, constant(a, IR_I32, 2), NULL),
                          constant(a, IR_I32, 1), NULL);
                struct ir_value *at =
                    ir_build1(&l->b, IR_OP_zext, IR_I64,
                              build(a, IR_OP_add, IR_I32, 0, 2, &s->results[0], off, NULL));
                struct ir_value *v = ir_build_load(
                    &l->b, IR_I16, ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_SHARED), at),
                    2, 0);
                v = ir_build1(&l->b, IR_OP_zext, IR_I32, v);
                word = build(a, IR_OP_or, IR_I32, 0, 2, word,
                             h ? build(a, IR_OP_shl, IR_I32, 0, 2, v, constant(a, IR_I32, 16), NULL)
                               : v,
                             NULL);
            }
        }
        asm_write(a, in->args[0].kind == ASM_LIST ? in->args[0].list[k] : &in->args[0], word);
    }
}

/* bmsk: b bits from bit a on. szext: the low b bits, extended. */
static void op_bits(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 3);
    struct asm_type t = need_type(a, in);
    struct ir_value *x = asm_read(a, &in->args[1], IR_I32), *n = asm_read(a, &in->args[2], IR_I32);
    struct ir_value *all = constant(a, IR_I32, 32), *ones = constant(a, IR_I32, ~UINT64_C(0)), *r;
    bool mask = !strcmp(in->mods[0], "bmsk");
    if (asm_has(in, "wrap")) {
        n = build(a, IR_OP_and, IR_I32, 0, 2, n, constant(a, IR_I32, 31), NULL);
        if (mask)
            x = build(a, IR_OP_and, IR_I32, 0, 2, x, constant(a, IR_I32, 31), NULL);
    } else if (!asm_has(in, "clamp")) {
        asm_fail(a, "'%s' is not supported", in->text);
    }
    n = build(a, IR_OP_umin, IR_I32, 0, 2, n, all, NULL);
    if (mask) {
        r = build(a, IR_OP_not, IR_I32, 0, 1, build(a, IR_OP_shl, IR_I32, 0, 2, ones, n, NULL),
                  NULL, NULL);
        r = build(a, IR_OP_shl, IR_I32, 0, 2, r, build(a, IR_OP_umin, IR_I32, 0, 2, x, all, NULL),
                  NULL);
    } else { /* nothing left of 0 bits */
        struct ir_value *by = build(a, IR_OP_sub, IR_I32, 0, 2, all, n, NULL);
        r = build(a, IR_OP_shl, IR_I32, 0, 2, x, by, NULL);
        r = build(a, t.is_signed ? IR_OP_ashr : IR_OP_lshr, IR_I32, 0, 2, r, by, NULL);
        r = ir_build3(&a->l->b, IR_OP_select, IR_I32,
                      build(a, IR_OP_eq, IR_I32, 0, 2, n, constant(a, IR_I32, 0), NULL),
                      constant(a, IR_I32, 0), r);
    }
    asm_write(a, &in->args[0], r);
}

/* testp: classes of floating-point numbers, by their bits. */
static void op_testp(struct assembler *a, struct asm_inst *in)
{
    asm_need_args(a, in, 2);
    struct asm_type t = need_type(a, in);
    bool wide = t.type == IR_F64;
    if (t.type != IR_F32 && !wide)
        asm_fail(a, "'%s' is not supported", in->text);
    ir_type w = wide ? IR_I64 : IR_I32;
    uint64_t inf = wide ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
    uint64_t least = wide ? UINT64_C(1) << 52 : UINT64_C(1) << 23;
    struct ir_value *x = asm_read(a, &in->args[1], w), *no = constant(a, IR_I1, 1), *r;
    struct ir_value *m =
        build(a, IR_OP_and, w, 0, 2, x, constant(a, w, ~UINT64_C(0) >> (wide ? 1 : 33)), NULL);
    struct ir_value *finite = build(a, IR_OP_ult, w, 0, 2, m, constant(a, w, inf), NULL);
    struct ir_value *nan = build(a, IR_OP_ult, w, 0, 2, constant(a, w, inf), m, NULL);
    if (asm_has(in, "finite"))
        r = finite;
    else if (asm_has(in, "infinite"))
        r = build(a, IR_OP_eq, w, 0, 2, m, constant(a, w, inf), NULL);
    else if (asm_has(in, "notanumber"))
        r = nan;
    else if (asm_has(in, "number"))
        r = build(a, IR_OP_xor, IR_I1, 0, 2, nan, no, NULL);
    else if (asm_has(in, "normal"))
        r = build(a, IR_OP_and, IR_I1, 0, 2, finite,
                  build(a, IR_OP_ule, w, 0, 2, constant(a, w, least), m, NULL), NULL);
    else if (asm_has(in, "subnormal"))
        r = build(a, IR_OP_ult, w, 0, 2, m, constant(a, w, least), NULL);
    else
        asm_fail(a, "'%s' is not supported", in->text);
    asm_write(a, &in->args[0], r);
}

static void op_misc(struct assembler *a, struct asm_inst *in)
{
    struct lower *l = a->l;
    const char *op = in->mods[0];
    if (!strcmp(op, "trap")) {
        ir_build(&l->b, IR_OP_trap, IR_VOID, NULL, 0);
    } else if (!strcmp(op, "nanosleep")) {
        asm_need_args(a, in, 1);
        struct ir_value *n = asm_read(a, &in->args[0], IR_I32);
        ir_build(&l->b, IR_OP_sleep, IR_VOID, &n, 1);
    } else if (!strcmp(op, "exit") || !strcmp(op, "ret")) {
        if (op[0] == 'r')
            asm_fail(a, "'ret' in inline PTX is not supported");
        ir_build(&l->b, IR_OP_exit, IR_VOID, NULL, 0);
        struct ir_block *dead = lo_block(l, "dead");
        lo_seal(l, dead);
        lo_start(l, dead);
    }
    /* prefetch, prefetchu, discard, applypriority, pmevent: hints without a meaning here */
}

static const struct {
    const char *name;
    void (*emit)(struct assembler *, struct asm_inst *);
    bool pure;
} table[] = {
    {"add", op_add, true},
    {"sub", op_add, true},
    {"addc", op_add, true},
    {"subc", op_add, true},
    {"mul", op_mul, true},
    {"mul24", op_mul, true},
    {"mad", op_mad, true},
    {"madc", op_mad, true},
    {"mad24", op_mad, true},
    {"fma", op_mad, true},
    {"div", op_simple, true},
    {"rem", op_simple, true},
    {"min", op_simple, true},
    {"max", op_simple, true},
    {"and", op_simple, true},
    {"or", op_simple, true},
    {"xor", op_simple, true},
    {"not", op_simple, true},
    {"neg", op_simple, true},
    {"brev", op_simple, true},
    {"copysign", op_simple, true},
    {"sqrt", op_simple, true},
    {"rsqrt", op_simple, true},
    {"sin", op_simple, true},
    {"cos", op_simple, true},
    {"ex2", op_simple, true},
    {"lg2", op_simple, true},
    {"tanh", op_simple, true},
    {"rcp", op_rcp, true},
    {"abs", op_abs, true},
    {"shl", op_shift, true},
    {"shr", op_shift, true},
    {"shf", op_shf, true},
    {"popc", op_count, true},
    {"clz", op_count, true},
    {"bfind", op_count, true},
    {"bfe", op_bfe, true},
    {"bfi", op_bfi, true},
    {"lop3", op_lop3, true},
    {"prmt", op_three, true},
    {"dp4a", asm_dot, true},
    {"dp2a", asm_dot, true},
    {"bmsk", op_bits, true},
    {"szext", op_bits, true},
    {"testp", op_testp, true},
    {"sad", op_three, true},
    {"vadd", asm_video, true},
    {"vadd2", asm_video_lanes, true},
    {"vadd4", asm_video_lanes, true},
    {"vsub", asm_video, true},
    {"vsub2", asm_video_lanes, true},
    {"vsub4", asm_video_lanes, true},
    {"vabsdiff", asm_video, true},
    {"vabsdiff2", asm_video_lanes, true},
    {"vabsdiff4", asm_video_lanes, true},
    {"vmin", asm_video, true},
    {"vmin2", asm_video_lanes, true},
    {"vmin4", asm_video_lanes, true},
    {"vmax", asm_video, true},
    {"vmax2", asm_video_lanes, true},
    {"vmax4", asm_video_lanes, true},
    {"vset", asm_video, true},
    {"vset2", asm_video_lanes, true},
    {"vset4", asm_video_lanes, true},
    {"vshl", asm_video, true},
    {"vshr", asm_video, true},
    {"vmad", asm_video, true},
    {"vavrg2", asm_video_lanes, true},
    {"vavrg4", asm_video_lanes, true},
    {"setp", op_setp, true},
    {"set", op_setp, true},
    {"selp", op_selp, true},
    {"slct", op_selp, true},
    {"mov", op_mov, true},
    {"cvt", op_cvt, true},
    {"ld", op_ld, false},
    {"ldu", op_ld, false},
    {"st", op_st, false},
    {"atom", op_atom, false},
    {"red", op_atom, false},
    {"cvta", op_cvta, true},
    {"isspacep", op_isspacep, true},
    {"cp", op_cp, false},
    {"bar", op_bar, false},
    {"barrier", op_bar, false},
    {"membar", op_fence, false},
    {"fence", op_fence, false},
    {"shfl", op_shfl, false},
    {"vote", op_vote, false},
    {"match", op_warp, false},
    {"redux", op_warp, false},
    {"activemask", op_warp, false},
    {"mma", op_mma, false},
    {"ldmatrix", op_ldmatrix, false},
    {"trap", op_misc, false},
    {"nanosleep", op_misc, false},
    {"exit", op_misc, false},
    {"ret", op_misc, false},
    {"prefetch", op_misc, false},
    {"prefetchu", op_misc, false},
    {"discard", op_misc, false},
    {"pmevent", op_misc, false},
    {"applypriority", op_misc, false},
};

bool asm_is_pure(const struct asm_inst *in)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, in->mods[0]))
            return table[i].pure && !asm_has(in, "cc");
    return false;
}

void asm_emit(struct assembler *a, struct asm_inst *in)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, in->mods[0])) {
            table[i].emit(a, in);
            return;
        }
    asm_fail(a, "the instruction '%s' is not supported", in->text);
}

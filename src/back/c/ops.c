/* How elementwise ops are written: one table for scalars and native vectors, and the conversions.
 *
 * In a form, $a $b $c are the operands (each used once: operands may be long expressions), (S) is
 * a cast to the signed type. "@" stands for the helper of the op's own name. Integers are unsigned
 * in C and wrap; results narrower than int are cast back. */
#include <stdio.h>
#include <string.h>
#include "back/c/c_int.h"

static const struct form {
    const char *scalar, *vector;
} forms[IR_OP_COUNT] = {
    [IR_OP_add] = {"$a + $b", "$a + $b"},
    [IR_OP_sub] = {"$a - $b", "$a - $b"},
    [IR_OP_mul] = {"$a * $b", "$a * $b"},
    [IR_OP_umulhi] = {"@", NULL},
    [IR_OP_smulhi] = {"@", NULL},
    [IR_OP_udiv] = {"@", NULL},
    [IR_OP_sdiv] = {"@", NULL},
    [IR_OP_urem] = {"@", NULL},
    [IR_OP_srem] = {"@", NULL},
    [IR_OP_and] = {"$a & $b", "$a & $b"},
    [IR_OP_or] = {"$a | $b", "$a | $b"},
    [IR_OP_xor] = {"$a ^ $b", "$a ^ $b"},
    [IR_OP_shl] = {"@", "@"},
    [IR_OP_lshr] = {"@", "@"},
    [IR_OP_ashr] = {"@", "@"},
    [IR_OP_umin] = {"@", "@"},
    [IR_OP_umax] = {"@", "@"},
    [IR_OP_smin] = {"@", "@"},
    [IR_OP_smax] = {"@", "@"},
    [IR_OP_not] = {"~$a", "~$a"},
    [IR_OP_neg] = {"0 - $a", "0 - $a"},
    [IR_OP_popc] = {"@", NULL},
    [IR_OP_clz] = {"@", NULL},
    [IR_OP_brev] = {"@", NULL},
    [IR_OP_fshl] = {"@", NULL},
    [IR_OP_fshr] = {"@", NULL},
    [IR_OP_prmt] = {"@", NULL},
    [IR_OP_dp4a] = {"@", NULL},
    [IR_OP_udp4a] = {"@", NULL},
    [IR_OP_eq] = {"$a == $b", "$a == $b"},
    [IR_OP_ne] = {"$a != $b", "$a != $b"},
    [IR_OP_ult] = {"$a < $b", "$a < $b"},
    [IR_OP_ule] = {"$a <= $b", "$a <= $b"},
    [IR_OP_slt] = {"(S)$a < (S)$b", "(S)$a < (S)$b"},
    [IR_OP_sle] = {"(S)$a <= (S)$b", "(S)$a <= (S)$b"},
    [IR_OP_fadd] = {"$a + $b", "$a + $b"},
    [IR_OP_fsub] = {"$a - $b", "$a - $b"},
    [IR_OP_fmul] = {"$a * $b", "$a * $b"},
    [IR_OP_fdiv] = {"$a / $b", "$a / $b"},
    [IR_OP_fma] = {"@fma", "@fma"},
    [IR_OP_mad] = {"@fma", "@fma"},
    [IR_OP_fneg] = {"-$a", "-$a"},
    [IR_OP_fabs] = {"@", "@"},
    [IR_OP_fcopysign] = {"@", "@"},
    [IR_OP_fsqrt] = {"@", "@"},
    [IR_OP_fmin] = {"@", "@"},
    [IR_OP_fmax] = {"@", "@"},
    [IR_OP_ffloor] = {"@", "@"},
    [IR_OP_fceil] = {"@", "@"},
    [IR_OP_ftrunc] = {"@", "@"},
    [IR_OP_frint] = {"@", "@"},
    [IR_OP_frcp_fast] = {"1 / $a", "1 / $a"},
    [IR_OP_frsqrt_fast] = {"1 / #", "1 / #"},
    [IR_OP_fsin_fast] = {"@", "@"},
    [IR_OP_fcos_fast] = {"@", "@"},
    [IR_OP_fexp2_fast] = {"@", "@"},
    [IR_OP_flog2_fast] = {"@", "@"},
    [IR_OP_ftanh_fast] = {"@", "@"},
    [IR_OP_feq] = {"$a == $b", "$a == $b"},
    [IR_OP_fne] = {"$a != $b", "$a != $b"},
    [IR_OP_flt] = {"$a < $b", "$a < $b"},
    [IR_OP_fle] = {"$a <= $b", "$a <= $b"},
    [IR_OP_funo] = {"__builtin_isunordered($a, $b)", NULL},
};

enum back_support c_supports(enum ir_op op, ir_type type, const char **why)
{
    (void)type;
    if (op == IR_OP_check) {
        *why = "checkers run on machine code of our own and in the interpreter";
        return BACK_NO;
    }
    return BACK_YES;
}

static bool is_half(ir_type t)
{
    return ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16;
}

const char *c_constant(struct cgen *g, ir_type t, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (ir_kind(t)) {
    case IR_F32:
        memcpy(&f, &low, sizeof f);
        if ((low & 0x7f800000u) == 0x7f800000u)
            return c_print(g, "%s(0x%xu)", c_helper(g, "float", IR_F32), low);
        if (f > -1e6f && f < 1e6f && f == (float)(int)f && low != 0x80000000u)
            return c_print(g, "%.1ff", (double)f);
        return c_print(g, "%af", (double)f);
    case IR_F64:
        memcpy(&d, &bits, sizeof d);
        if ((bits >> 52 & 0x7ff) == 0x7ff)
            return c_print(g, "%s(0x%llxu)", c_helper(g, "float", IR_F64),
                           (unsigned long long)bits);
        if (d > -1e6 && d < 1e6 && d == (double)(int)d && bits != UINT64_C(1) << 63)
            return c_print(g, "%.1f", d);
        return c_print(g, "%a", d);
    case IR_I64:
        if ((int64_t)bits < 0 && (int64_t)bits > -4096)
            return c_print(g, "(u64)%lld", (long long)bits);
        return c_print(g, bits < 4096 ? "%lluu" : "0x%llxu", (unsigned long long)bits);
    case IR_PTR: return bits ? c_print(g, "(ptr)0x%llxu", (unsigned long long)bits) : "(ptr)0";
    case IR_I32:
        if ((int32_t)low < 0 && (int32_t)low > -4096)
            return c_print(g, "(u32)%d", (int32_t)low);
        return c_print(g, low < 4096 ? "%uu" : "0x%xu", low);
    default: return c_print(g, bits < 256 ? "%u" : "0x%x", low);
    }
}

/* Fills a form; parenthesised unless it is a call. */
static const char *fill(struct cgen *g, const char *form, ir_type t, const char *const *args)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (const char *s = form; *s; s++)
        if (*s == '$')
            sbuf_puts(&o, args[*++s - 'a']);
        else if (!strncmp(s, "(S)", 3)) {
            if (ir_kind(t) == IR_I1 && !ir_is_vector(t))
                sbuf_puts(&o, "-(i8)");
            else
                sbuf_printf(&o, "(%s)", c_signed(g, t));
            s += 2;
        } else
            sbuf_putc(&o, *s);
    return o.data;
}

static const char *call(struct cgen *g, const char *helper, const char *const *args, unsigned n)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    sbuf_printf(&o, "%s(", helper);
    for (unsigned k = 0; k < n; k++)
        sbuf_printf(&o, "%s%s", k ? ", " : "", args[k]);
    sbuf_putc(&o, ')');
    return o.data;
}

static const char *const mode_names[] = {"rn", "rz", "ru", "rd"};
static const char *const fe_names[] = {"FE_TONEAREST", "FE_TOWARDZERO", "FE_UPWARD", "FE_DOWNWARD"};

/* f32 and f64 under a rounding mode: the operation between two changes of the environment. */
static const char *rounded(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                           const char *const *args)
{
    unsigned mode = i->flags & IR_ROUND_MASK;
    static const char *const fields[] = {"x", "y", "z"};
    const char *value;
    switch (i->op) {
    case IR_OP_fma:
        value = ir_kind(t) == IR_F32 ? "__builtin_fmaf(x, y, z)" : "__builtin_fma(x, y, z)";
        break;
    case IR_OP_fsqrt:
        value = ir_kind(t) == IR_F32 ? "__builtin_sqrtf(x)" : "__builtin_sqrt(x)";
        break;
    case IR_OP_fcvt:
    case IR_OP_uitof: value = "($T)x"; break;
    case IR_OP_sitof: value = "($T)($G)x"; break;
    default: value = fill(g, forms[i->op].scalar, t, fields); break;
    }
    static const char *const params[] = {"", "$F a", "$F a, $F b", "$F a, $F b, $F c"};
    static const char *const moves[] = {"", "x = a", "x = a, y = b", "x = a, y = b, z = c"};
    g->uses_fenv = g->uses_libm = true;
    const char *name = c_define(
        g, c_print(g, "%s_%s", ir_op_info[i->op].name, mode_names[mode]), t, from,
        c_print(
            g,
            "static $T $n(%s)\n{\n    const volatile $F %s;\n    const int mode = fegetround();\n"
            "    fesetround(%s);\n    const volatile $T r = %s;\n    fesetround(mode);\n"
            "    return r;\n}\n",
            params[i->nargs], moves[i->nargs], fe_names[mode], value));
    return call(g, name, args, i->nargs);
}

/* ---- conversions of scalars ---- */
static const char *to_integer(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                              const char *x)
{
    static const char *const step[] = {"frint", NULL, "fceil", "ffloor"};
    if (is_half(from)) {
        x = c_print(g, "%s(%s)", c_helper(g, "widen", from), x);
        from = IR_F32;
    }
    if (i->flags & IR_FTZ && from == IR_F32)
        x = c_print(g, "%s(%s)", c_helper(g, "flush", from), x);
    unsigned mode = i->flags & IR_ROUND_MASK;
    if (step[mode])
        x = c_print(g, "%s(%s)", c_helper(g, step[mode], from), x);
    unsigned n = ir_bits(t);
    bool is_signed = i->op == IR_OP_ftosi;
    const char *text,
        *nan = ir_nan_to_int(ir_kind(from), n) ? c_print(g, "($T)((u64)1 << %u)", n - 1) : "0";
    if (n == 1)
        text = c_print(g, "INLINE u8 $n($F x)\n{\n    return x %s;\n}\n",
                       nan[0] != '0' ? is_signed ? "<= -1 || x != x" : ">= 1 || x != x"
                       : is_signed   ? "<= -1"
                                     : ">= 1");
    else if (is_signed)
        text = c_print(g,
                       "INLINE $T $n($F x)\n{\n    if (x != x)\n        return %s;\n"
                       "    if (x < -0x1p%u)\n        return ($T)((u64)1 << %u);\n"
                       "    return ($T)(x >= 0x1p%u ? ($S)(((u64)1 << %u) - 1) : ($S)x);\n}\n",
                       nan, n - 1, n - 1, n - 1, n - 1);
    else
        text = c_print(g,
                       "INLINE $T $n($F x)\n{\n    if (!(x > 0))\n        return %s;\n"
                       "    return x >= 0x1p%u ? ($T) ~($T)0 : ($T)x;\n}\n",
                       nan[0] == '0' ? "0" : c_print(g, "x != x ? %s : 0", nan), n);
    return c_print(g, "%s(%s)", c_define(g, ir_op_info[i->op].name, t, from, text), x);
}

/* An f32 to 16 bits under a rounding mode: the nearest one, then one step back if it lies on the
 * wrong side. An f32 that ends in a one may stand for what it was rounded from. */
static const char *to_half(struct cgen *g, unsigned mode, ir_type t, const char *x)
{
    const char *round = c_helper(g, "round", t);
    if (mode == IR_RN)
        return c_print(g, "%s(%s)", round, x);
    const char *widen = c_helper(g, "widen", t);
    const char *wrong = mode == IR_RZ   ? "y > 0 ? y > x : y < 0 && y < x"
                        : mode == IR_RU ? "y < x"
                                        : "y > x";
    const char *next = mode == IR_RZ   ? "h - 1"
                       : mode == IR_RU ? "h & 0x8000 ? (h == 0x8000 ? 1 : h - 1) : h + 1"
                                       : "h & 0x8000 ? h + 1 : (h == 0 ? 0x8001 : h - 1)";
    const char *name =
        c_define(g, c_print(g, "round_%s", mode_names[mode]), t, IR_F32,
                 c_print(g,
                         "INLINE u16 $n(f32 x)\n{\n    const u16 h = %s(x);\n"
                         "    const f32 y = %s(h);\n    return (u16)((%s) ? (%s) : h);\n}\n",
                         round, widen, wrong, next));
    return c_print(g, "%s(%s)", name, x);
}

static const char *float_to_float(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                                  const char *x)
{
    unsigned mode = i->flags & IR_ROUND_MASK;
    bool narrows = ir_bits(t) < ir_bits(from) || (is_half(t) && is_half(from) && t != from);
    if (i->flags & IR_FTZ && from == IR_F32)
        x = c_print(g, "%s(%s)", c_helper(g, "flush", from), x);
    if (!is_half(t)) {
        if (is_half(from)) {
            x = c_print(g, "%s(%s)", c_helper(g, "widen", from), x);
            from = IR_F32;
        }
        if (narrows && mode != IR_RN)
            x = rounded(g, i, t, from, &x);
        else
            x = t == from ? x : c_print(g, "(%s)%s", c_type(g, t), x);
        if (i->flags & IR_FTZ && t == IR_F32)
            x = c_print(g, "%s(%s)", c_helper(g, "flush", t), x);
        return x;
    }
    if (is_half(from))
        x = c_print(g, "%s(%s)", c_helper(g, "widen", from), x);
    if (ir_kind(from) == IR_F64)
        x = c_print(g, "%s(%s)", c_helper(g, "odd", IR_F32), x);
    return to_half(g, narrows ? mode : IR_RN, t, x);
}

static const char *convert(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                           const char *x)
{
    const char *to = c_type(g, t);
    switch (i->op) {
    case IR_OP_trunc:
        return ir_kind(t) == IR_I1 ? c_print(g, "(u8)(%s & 1)", x) : c_print(g, "(%s)%s", to, x);
    case IR_OP_zext: return c_print(g, "(%s)%s", to, x);
    case IR_OP_sext:
        if (ir_kind(from) == IR_I1)
            return c_print(g, "(%s)(0 - (%s)%s)", to, to, x);
        return c_print(g, "(%s)(%s)%s", to, c_signed(g, from), x);
    case IR_OP_fcvt: return float_to_float(g, i, t, from, x);
    case IR_OP_ftosi:
    case IR_OP_ftoui: return to_integer(g, i, t, from, x);
    case IR_OP_sitof:
    case IR_OP_uitof:
        if (i->op == IR_OP_sitof && ir_kind(from) == IR_I1)
            x = c_print(g, "(u32)-(i32)%s", x), from = IR_I32;
        if (is_half(t)) { /* an f64 holds all but some i64, and those are beyond f16 or odd */
            bool wide = ir_bits(from) == 64;
            const char *cast = i->op == IR_OP_sitof ? c_signed(g, from) : c_type(g, from);
            if (wide)
                x = c_print(
                    g, "%s((%s)%s)",
                    c_define(
                        g, i->op == IR_OP_sitof ? "odd_signed" : "odd_unsigned", IR_F64, from,
                        i->op == IR_OP_sitof
                            ? "INLINE f64 $n(i64 x)\n{\n    u64 u = x < 0 ? 0 - (u64)x : (u64)x;\n"
                              "    if (u >> 53)\n        u = (u & ~(u64)2047) | ((u & 2047) != 0) "
                              "<< 11;\n"
                              "    return x < 0 ? -(f64)u : (f64)u;\n}\n"
                            : "INLINE f64 $n(u64 u)\n{\n    if (u >> 53)\n"
                              "        u = (u & ~(u64)2047) | ((u & 2047) != 0) << 11;\n"
                              "    return (f64)u;\n}\n"),
                    cast, x);
            else
                x = c_print(g, "(f64)(%s)%s", cast, x);
            return to_half(g, i->flags & IR_ROUND_MASK, t,
                           c_print(g, "%s(%s)", c_helper(g, "odd", IR_F32), x));
        }
        if ((i->flags & IR_ROUND_MASK) != IR_RN)
            return rounded(g, i, t, from, &x);
        return i->op == IR_OP_sitof ? c_print(g, "(%s)(%s)%s", to, c_signed(g, from), x)
                                    : c_print(g, "(%s)%s", to, x);
    case IR_OP_ptrtoint: return c_print(g, "(u64)%s", x);
    case IR_OP_inttoptr: return c_print(g, "(ptr)%s", x);
    default: /* bitcast */
        if (ir_kind(from) == IR_F32 || ir_kind(from) == IR_F64)
            x = c_print(g, "%s(%s)", c_helper(g, "bits", from), x);
        if (ir_kind(t) == IR_F32 || ir_kind(t) == IR_F64)
            x = c_print(g, "%s(%s)", c_helper(g, "float", t), x);
        return x;
    }
}

/* ---- ops ---- */
static const char *apply(struct cgen *g, const struct ir_inst *i, ir_type t,
                         const char *const *args, const char *form)
{
    if (form[0] == '@') {
        const char *helper = c_helper(g, form[1] ? form + 1 : ir_op_info[i->op].name, t);
        if (!helper) {
            c_refuse(g, i, "no C for this type");
            return args[0];
        }
        return call(g, helper, args, i->nargs);
    }
    if (i->op == IR_OP_frsqrt_fast)
        return c_print(g, "(1 / %s(%s))", c_helper(g, "fsqrt", t), args[0]);
    return c_print(g, "(%s)", fill(g, form, t, args));
}

static bool flushes(const struct ir_inst *i, ir_type t)
{
    return i->flags & IR_FTZ && ir_op_info[i->op].flags & IR_FLUSHES && ir_kind(t) == IR_F32;
}

const char *c_scalar_op(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                        const char *const *given)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (info->shape == IR_SHAPE_CV)
        return convert(g, i, t, from, given[0]);
    const char *args[3] = {given[0], i->nargs > 1 ? given[1] : NULL,
                           i->nargs > 2 ? given[2] : NULL};
    bool compares = info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC;
    if (ir_kind(t) == IR_PTR) /* comparisons */
        for (unsigned k = 0; k < i->nargs; k++)
            args[k] = c_print(g, "(u64)%s", args[k]);
    if (is_half(t)) {
        if (i->op == IR_OP_fneg)
            return c_print(g, "(u16)(%s ^ 0x8000)", args[0]);
        if (i->op == IR_OP_fabs)
            return c_print(g, "(u16)(%s & 0x7fff)", args[0]);
        if (i->op == IR_OP_fcopysign)
            return apply(g, i, t, args, "@");
        for (unsigned k = 0; k < i->nargs; k++)
            args[k] = c_print(g, "%s(%s)", c_helper(g, "widen", t), args[k]);
        const char *r;
        unsigned mode = info->flags & IR_ROUNDS ? i->flags & IR_ROUND_MASK : IR_RN;
        if (i->op == IR_OP_fma || i->op == IR_OP_mad || mode != IR_RN) {
            const char *name = c_print(g, "%s16", i->op == IR_OP_mad ? "fma" : info->name);
            return to_half(g, mode, t, call(g, c_helper(g, name, IR_F32), args, i->nargs));
        } else
            r = apply(g, i, IR_F32, args, forms[i->op].scalar);
        return compares ? r : c_print(g, "%s(%s)", c_helper(g, "round", t), r);
    }
    if (flushes(i, t))
        for (unsigned k = 0; k < i->nargs; k++)
            args[k] = c_print(g, "%s(%s)", c_helper(g, "flush", t), args[k]);
    const char *r;
    if (info->flags & IR_ROUNDS && i->flags & IR_ROUND_MASK)
        r = rounded(g, i, t, t, args);
    else if (i->op == IR_OP_mul && ir_kind(t) == IR_I16)
        r = apply(g, i, t, args, "@");
    else if ((i->op == IR_OP_shl || i->op == IR_OP_lshr || i->op == IR_OP_ashr) &&
             ir_is_const(i->args[1]) && i->args[1]->u.bits < ir_bits(t) && ir_kind(t) != IR_I1)
        r = c_print(g, i->op == IR_OP_ashr ? "((%s)%s %s %u)" : "(%.0s%s %s %u)", c_signed(g, t),
                    args[0], i->op == IR_OP_shl ? "<<" : ">>", (unsigned)i->args[1]->u.bits);
    else
        r = apply(g, i, t, args, forms[i->op].scalar);
    if (flushes(i, t) && !compares)
        r = c_print(g, "%s(%s)", c_helper(g, "flush", t), r);
    if (compares)
        return r;
    bool helper = forms[i->op].scalar[0] == '@';
    if (ir_kind(t) == IR_I1 && !helper)
        return c_print(g, "(u8)(%s & 1)", r);
    if (ir_class(t) == IR_CLASS_INT && ir_bits(t) < 32 && !helper)
        return c_print(g, "(%s)%s", c_type(g, t), r);
    if (i->op == IR_OP_ashr && r[0] == '(')
        return c_print(g, "(%s)%s", c_type(g, t), r);
    return r;
}

/* A helper with the scalar op in it, and for vectors one more that loops over it. */
const char *c_op_helper(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from)
{
    static const char *const args[] = {"a", "b", "c"};
    static const char *const params[] = {"", "$F a", "$F a, $F b", "$F a, $F b, $F c"};
    const char *name = c_print(g, "lane_%s", ir_op_info[i->op].name);
    if (ir_op_info[i->op].flags & IR_ROUNDS || ir_op_info[i->op].shape == IR_SHAPE_CV)
        name = c_print(g, "%s_%s", name, mode_names[i->flags & IR_ROUND_MASK]);
    if (i->flags & IR_FTZ)
        name = c_print(g, "%s_ftz", name);
    ir_type s = ir_scalar(t), f = ir_scalar(from);
    bool compares =
        ir_op_info[i->op].shape == IR_SHAPE_IC || ir_op_info[i->op].shape == IR_SHAPE_FC;
    /* The instruction may hold a constant operand that a form would fold in: not here. */
    struct ir_inst plain = *i;
    struct ir_value unknown = {.kind = IR_VALUE_PARAM, .type = f},
                    *operands[3] = {&unknown, &unknown, &unknown};
    plain.args = operands;
    const char *value = c_scalar_op(g, &plain, s, f, args);
    const char *scalar = c_define(g, name, s, f,
                                  c_print(g, "INLINE %s $n(%s)\n{\n    return %s;\n}\n",
                                          compares ? "int" : "$T", params[i->nargs], value));
    if (!ir_is_vector(t))
        return scalar;
    if (compares)
        return c_define(g, name, t, from,
                        c_print(g,
                                "INLINE $S $n(%s)\n{\n    $S r = {0};\n"
                                "    for (int i = 0; i < $L; i++)\n        r[i] = -%s(%s);\n"
                                "    return r;\n}\n",
                                params[i->nargs], scalar, i->nargs == 1 ? "a[i]" : "a[i], b[i]"));
    return c_lane_loop(g, name, t, from, i->nargs, scalar);
}

/* One chunk; comparisons give a mask with lanes as wide as the operands. */
const char *c_chunk_op(struct cgen *g, const struct ir_inst *i, ir_type t, const char *const *given)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    const struct form *form = &forms[i->op];
    bool plain = !(info->flags & IR_ROUNDS && i->flags & IR_ROUND_MASK) && !is_half(t);
    if (!plain || !form->vector)
        return call(g, c_op_helper(g, i, t, t), given, i->nargs);
    const char *args[3] = {given[0], i->nargs > 1 ? given[1] : NULL,
                           i->nargs > 2 ? given[2] : NULL};
    if (flushes(i, t))
        for (unsigned k = 0; k < i->nargs; k++)
            args[k] = c_print(g, "%s(%s)", c_helper(g, "flush", t), args[k]);
    const char *r;
    if ((i->op == IR_OP_shl || i->op == IR_OP_lshr || i->op == IR_OP_ashr) &&
        ir_is_const(i->args[1]) && i->args[1]->u.bits < ir_bits(t))
        r = c_print(g, i->op == IR_OP_ashr ? "(%s)((%s)%s %s %u)" : "%.0s%.0s(%s %s %u)",
                    c_type(g, t), c_signed(g, t), args[0], i->op == IR_OP_shl ? "<<" : ">>",
                    (unsigned)i->args[1]->u.bits);
    else
        r = apply(g, i, t, args, form->vector);
    if (flushes(i, t) && info->shape != IR_SHAPE_FC)
        r = c_print(g, "%s(%s)", c_helper(g, "flush", t), r);
    return r;
}

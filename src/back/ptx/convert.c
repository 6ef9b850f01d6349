/* Conversions: between integer widths, float formats, integers and floats, address spaces.
 *
 * PTX's float-to-integer conversions are ours; those to less than 32 bits are clamped from 32. bf16
 * is reached through f32; where that would round twice, the first
 * rounding is to odd. */
#include <stdlib.h>
#include <string.h>
#include "back/ptx/ptx_int.h"

static const char *const round_float[] = {".rn", ".rz", ".rp", ".rm"};
static const char *const round_int[] = {".rni", ".rzi", ".rpi", ".rmi"};

static bool is_register(const char *x)
{
    return x[0] == '%';
}

const char *ptx_widen(struct ptx_func *e, ir_type from, const char *x, bool sign)
{
    if (!is_register(x)) {
        uint64_t v = strtoull(x, NULL, 0);
        if (ir_kind(from) == IR_I8)
            return arena_printf(e->a, "%d", sign ? (int)(int8_t)v : (int)(uint8_t)v);
        return arena_printf(e->a, "%d", sign ? (int)(int16_t)v : (int)(uint16_t)v);
    }
    const char *w = ptx_fresh(e, PTX_B32);
    ptx_line(e, "cvt.%s %s, %s",
             !sign                    ? "u32.u16" /* i8 is kept zero-extended */
             : ir_kind(from) == IR_I8 ? "s32.s8"
                                      : "s32.s16",
             w, x);
    return w;
}

void ptx_narrow(struct ptx_func *e, ir_type to, const char *d, const char *x)
{
    ptx_line(e, "cvt.%s.u32 %s, %s", ir_kind(to) == IR_I8 ? "u8" : "u16", d, x);
}

const char *ptx_to_f32(struct ptx_func *e, ir_type from, const char *x)
{
    const char *f = ptx_fresh(e, PTX_F32);
    if (ir_kind(from) == IR_F16) {
        ptx_line(e, "cvt.f32.f16 %s, %s", f, x);
        return f;
    }
    const char *w = ptx_fresh(e, PTX_B32), *s = ptx_fresh(e, PTX_B32);
    ptx_line(e, "cvt.u32.u16 %s, %s", w, x);
    ptx_line(e, "shl.b32 %s, %s, 16", s, w);
    ptx_line(e, "mov.b32 %s, %s", f, s);
    return f;
}

/* f32 to bf16 in integer arithmetic, for processors before sm_80. */
static void bf16_by_hand(struct ptx_func *e, const char *d, const char *x, bool truncate)
{
    struct ptx_bind b = {.type = IR_F32, .d = d, .arg = {x}};
    if (truncate)
        ptx_template(e,
                     "mov.b32 $w0, $a; shr.u32 $w1, $w0, 16; setp.nan.f32 $p0, $a, $a;"
                     "selp.b32 $w2, 0x7fff, $w1, $p0; cvt.u16.u32 $d, $w2",
                     &b);
    else
        ptx_template(e,
                     "mov.b32 $w0, $a; shr.u32 $w1, $w0, 16; and.b32 $w2, $w1, 1;"
                     "add.s32 $w3, $w0, 0x7fff; add.s32 $w4, $w3, $w2; shr.u32 $w5, $w4, 16;"
                     "setp.nan.f32 $p0, $a, $a; selp.b32 $w6, 0x7fff, $w5, $p0;"
                     "cvt.u16.u32 $d, $w6",
                     &b);
}

void ptx_from_f32(struct ptx_func *e, ir_type to, const char *d, const char *x, uint32_t flags)
{
    uint32_t mode = flags & IR_ROUND_MASK;
    if (ir_kind(to) == IR_F16) {
        ptx_line(e, "cvt%s.f16.f32 %s, %s", round_float[mode], d, x);
    } else if (mode == IR_RU || mode == IR_RD) {
        ptx_refuse(e, "bf16 rounded up or down has no PTX instruction");
    } else if (e->p->arch >= 80) {
        ptx_line(e, "cvt%s.bf16.f32 %s, %s", round_float[mode], d, x);
    } else {
        bf16_by_hand(e, d, x, mode == IR_RZ);
    }
}

/* Of two neighbouring f32 (or one twice), the one whose last bit is odd. */
void ptx_round_to_odd(struct ptx_func *e, const char *d, const char *down, const char *up)
{
    struct ptx_bind b = {.type = IR_F32, .d = d, .arg = {down, up}};
    ptx_template(e,
                 "mov.b32 $w0, $a; and.b32 $w1, $w0, 1; setp.ne.s32 $p0, $w1, 0;"
                 "selp.f32 $d, $a, $b, $p0",
                 &b);
}

/* ---- integers ---- */
static void resize(struct ptx_func *e, struct ir_inst *i, bool sign)
{
    struct ir_value *v = i->args[0];
    ir_type from = v->type, to = i->type;
    const char *d = ptx_reg(e, &i->results[0]), *x = ptx_in_reg(e, v);
    unsigned fb = ir_bits(from), tb = ir_bits(to);
    if (fb == 1) {
        static const char *const one[2][4] = {{"selp.b16 %s, 1, 0, %s", "selp.b16 %s, 1, 0, %s",
                                               "selp.b32 %s, 1, 0, %s", "selp.b64 %s, 1, 0, %s"},
                                              {"selp.b16 %s, 255, 0, %s", "selp.b16 %s, -1, 0, %s",
                                               "selp.b32 %s, -1, 0, %s", "selp.b64 %s, -1, 0, %s"}};
        unsigned column = tb == 8 ? 0 : tb == 16 ? 1 : tb == 32 ? 2 : 3;
        const char *form = one[sign][column];
        size_t head = strcspn(form, "%"), mid = head + 2;
        size_t rest = strcspn(form + mid, "%");
        ptx_line(e, "%.*s%s%.*s%s", (int)head, form, d, (int)rest, form + mid, x);
        return;
    }
    if (tb == 1) {
        const char *cls = ptx_class_info[ptx_class_of(from)].bits,
                   *t = ptx_fresh(e, ptx_class_of(from));
        ptx_line(e, "and.%s %s, %s, 1", cls, t, x);
        ptx_line(e, "setp.ne.s%s %s, %s, 0", cls + 1, d, t);
        return;
    }
    if (tb == 8 && fb == 16) { /* both live in 16-bit registers */
        ptx_line(e, "and.b16 %s, %s, 255", d, x);
        return;
    }
    if (tb == 16 && fb == 8) {
        if (sign)
            ptx_line(e, "cvt.s16.s8 %s, %s", d, x);
        else
            ptx_line(e, "mov.b16 %s, %s", d, x);
        return;
    }
    ptx_line(e, "cvt.%c%u.%c%u %s, %s", sign ? 's' : 'u', tb, sign ? 's' : 'u',
             fb == 8 && !sign ? 16 : fb, d, x);
}

/* ---- floats and integers ---- */
static void float_to_int(struct ptx_func *e, struct ir_inst *i, bool sign)
{
    ir_type from = i->args[0]->type, to = i->type;
    const char *d = ptx_reg(e, &i->results[0]), *x = ptx_in_reg(e, i->args[0]);
    const char *mode = round_int[i->flags & IR_ROUND_MASK];
    unsigned tb = ir_bits(to);
    bool ftz = i->flags & IR_FTZ && ir_kind(from) == IR_F32;
    if (ptx_class_of(from) == PTX_F16) {
        x = ptx_to_f32(e, from, x);
        from = IR_F32;
    }
    unsigned fb = ir_bits(from);
    char s = sign ? 's' : 'u';
    const char *z = ftz ? ".ftz" : "";
    const char *t = tb < 64 ? ptx_fresh(e, PTX_B32) : ptx_fresh(e, PTX_B64);
    unsigned width = tb < 64 ? 32 : 64;
    ptx_line(e, "cvt%s%s.%c%u.f%u %s, %s", mode, z, s, width, fb, t, x);
    if (tb >= 32) {
        ptx_line(e, "mov.b%u %s, %s", width, d, t);
        return;
    }
    int64_t high = sign ? (INT64_C(1) << (tb - 1)) - 1 : (INT64_C(1) << tb) - 1;
    int64_t low = sign ? -high - 1 : 0;
    const char *c = ptx_fresh(e, PTX_B32);
    ptx_line(e, "min.%c32 %s, %s, %lld", s, c, t, (long long)high);
    if (sign) {
        const char *c2 = ptx_fresh(e, PTX_B32);
        ptx_line(e, "max.s32 %s, %s, %lld", c2, c, (long long)low);
        c = c2;
    } else if (fb == 64) { /* the top bit of what is wanted, not of what was clamped */
        const char *p = ptx_fresh(e, PTX_PRED), *u = ptx_fresh(e, PTX_B32);
        ptx_line(e, "setp.nan.f64 %s, %s, %s", p, x, x);
        ptx_line(e, "selp.b32 %s, %u, %s, %s", u, 1u << (tb - 1), c, p);
        c = u;
    }
    if (tb == 1)
        ptx_line(e, "setp.ne.s32 %s, %s, 0", d, c);
    else
        ptx_narrow(e, to, d, c);
}

static void int_to_float(struct ptx_func *e, struct ir_inst *i, bool sign)
{
    ir_type from = i->args[0]->type, to = i->type;
    const char *d = ptx_reg(e, &i->results[0]), *x = ptx_in_reg(e, i->args[0]);
    unsigned fb = ir_bits(from);
    uint32_t mode = i->flags & IR_ROUND_MASK;
    char s = sign ? 's' : 'u';
    if (fb == 1) {
        const char *w = ptx_fresh(e, PTX_B32);
        ptx_line(e, "selp.b32 %s, %d, 0, %s", w, sign ? -1 : 1, x);
        x = w;
        fb = 32;
    } else if (fb < 32) {
        x = ptx_widen(e, from, x, sign);
        fb = 32;
    }
    if (ir_kind(to) == IR_BF16) {
        const char *down = ptx_fresh(e, PTX_F32), *up = ptx_fresh(e, PTX_F32),
                   *odd = ptx_fresh(e, PTX_F32);
        ptx_line(e, "cvt.rm.f32.%c%u %s, %s", s, fb, down, x);
        ptx_line(e, "cvt.rp.f32.%c%u %s, %s", s, fb, up, x);
        ptx_round_to_odd(e, odd, down, up);
        ptx_from_f32(e, to, d, odd, i->flags);
        return;
    }
    ptx_line(e, "cvt%s.f%u.%c%u %s, %s", round_float[mode], ir_bits(to), s, fb, d, x);
}

static const char *flushed(struct ptx_func *e, const char *x)
{
    const char *d = ptx_fresh(e, PTX_F32);
    ptx_line(e, "mul.rn.ftz.f32 %s, %s, 0f3F800000", d, x);
    return d;
}

static void float_to_float(struct ptx_func *e, struct ir_inst *i)
{
    ir_type from = i->args[0]->type, to = i->type;
    const char *d = ptx_reg(e, &i->results[0]), *x = ptx_in_reg(e, i->args[0]);
    enum ir_kind fk = ir_kind(from), tk = ir_kind(to);
    uint32_t mode = i->flags & IR_ROUND_MASK;
    const char *z = i->flags & IR_FTZ && (fk == IR_F32 || tk == IR_F32) ? ".ftz" : "";
    const bool small = ptx_class_of(from) == PTX_F16 || ptx_class_of(to) == PTX_F16;
    if (*z && small && fk == IR_F32) /* the conversion itself does not flush to bf16 */
        x = flushed(e, x);
    if (fk == tk) {
        ptx_line(e, "mov.%s %s, %s", ptx_class_info[ptx_class_of(to)].bits, d, x);
    } else if (fk == IR_F64 && tk == IR_BF16) {
        const char *down = ptx_fresh(e, PTX_F32), *up = ptx_fresh(e, PTX_F32),
                   *odd = ptx_fresh(e, PTX_F32);
        ptx_line(e, "cvt.rm.f32.f64 %s, %s", down, x);
        ptx_line(e, "cvt.rp.f32.f64 %s, %s", up, x);
        ptx_round_to_odd(e, odd, down, up);
        ptx_from_f32(e, to, d, odd, i->flags);
    } else if (ptx_class_of(from) == PTX_F16) {
        const char *f = ptx_to_f32(e, from, x);
        if (tk == IR_F32)
            ptx_line(e, "mov.b32 %s, %s", d, *z ? flushed(e, f) : f);
        else if (tk == IR_F64)
            ptx_line(e, "cvt.f64.f32 %s, %s", d, f);
        else
            ptx_from_f32(e, to, d, f, i->flags);
    } else if (fk == IR_F32 && tk == IR_F64) {
        ptx_line(e, "cvt%s.f64.f32 %s, %s", z, d, x);
    } else if (fk == IR_F64 && tk == IR_F32) {
        ptx_line(e, "cvt%s%s.f32.f64 %s, %s", round_float[mode], z, d, x);
    } else if (fk == IR_F64) {
        ptx_line(e, "cvt%s.f16.f64 %s, %s", round_float[mode], d, x);
    } else {
        ptx_from_f32(e, to, d, x, i->flags);
    }
}

/* ---- addresses ---- */

/* The low 32 bits of a 64-bit integer, without computing the upper half where it can be seen that
 * it is not needed. */
const char *ptx_low32(struct ptx_func *e, struct ir_value *v, unsigned depth)
{
    if (ir_is_const(v))
        return arena_printf(e->a, "%d", (int)(uint32_t)v->u.bits);
    struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    if (i && (i->op == IR_OP_sext || i->op == IR_OP_zext) && ir_bits(i->args[0]->type) == 32)
        return ptx_operand(e, i->args[0]);
    if (i && depth && (i->op == IR_OP_add || i->op == IR_OP_sub || i->op == IR_OP_mul)) {
        const char *x = ptx_low32(e, i->args[0], depth - 1);
        const char *y = ptx_low32(e, i->args[1], depth - 1);
        const char *d = ptx_fresh(e, PTX_B32);
        ptx_line(e, "%s.s32 %s, %s, %s",
                 i->op == IR_OP_add   ? "add"
                 : i->op == IR_OP_sub ? "sub"
                                      : "mul.lo",
                 d, x, y);
        return d;
    }
    if (i && depth && i->op == IR_OP_shl && ir_is_const(i->args[1]) && i->args[1]->u.bits < 32) {
        const char *x = ptx_low32(e, i->args[0], depth - 1), *d = ptx_fresh(e, PTX_B32);
        ptx_line(e, "shl.b32 %s, %s, %u", d, x, (unsigned)i->args[1]->u.bits);
        return d;
    }
    const char *d = ptx_fresh(e, PTX_B32);
    ptx_line(e, "cvt.u32.u64 %s, %s", d, ptx_in_reg(e, v));
    return d;
}

static bool is_null(const struct ir_value *v)
{
    return ir_is_const(v) && !v->u.bits;
}

const char *ptx_generic(struct ptx_func *e, struct ir_value *v)
{
    enum ir_space s = ir_space(v->type);
    if (s == IR_SPACE_GENERIC)
        return ptx_operand(e, v);
    if (is_null(v))
        return "0";
    const char *x = ptx_in_reg(e, v), *d = ptx_fresh(e, PTX_B64);
    if (ptx_class_of(v->type) == PTX_B32) {
        const char *w = ptx_fresh(e, PTX_B64);
        ptx_line(e, "cvt.u64.u32 %s, %s", w, x);
        x = w;
    }
    ptx_line(e, "cvta%s.u64 %s, %s", ptx_space_suffix[s], d, x);
    return d;
}

static void change_space(struct ptx_func *e, struct ir_inst *i)
{
    struct ir_value *v = i->args[0];
    enum ir_space to = ir_space(i->type), from = ir_space(v->type);
    const char *d = ptx_reg(e, &i->results[0]);
    bool narrow = ptx_class_of(i->type) == PTX_B32;
    if (from == to || is_null(v)) {
        ptx_line(e, "mov.b%u %s, %s", narrow ? 32 : 64, d, ptx_operand(e, v));
        return;
    }
    const char *g = ptx_generic(e, v);
    if (to == IR_SPACE_GENERIC) {
        ptx_line(e, "mov.b64 %s, %s", d, g);
        return;
    }
    const char *t = narrow ? ptx_fresh(e, PTX_B64) : d;
    ptx_line(e, "cvta.to%s.u64 %s, %s", ptx_space_suffix[to], t, g);
    if (narrow)
        ptx_line(e, "cvt.u32.u64 %s, %s", d, t);
}

bool ptx_convert(struct ptx_func *e, struct ir_inst *i)
{
    const char *d;
    switch (i->op) {
    case IR_OP_trunc: resize(e, i, false); return true;
    case IR_OP_zext: resize(e, i, false); return true;
    case IR_OP_sext: resize(e, i, true); return true;
    case IR_OP_fcvt: float_to_float(e, i); return true;
    case IR_OP_ftosi: float_to_int(e, i, true); return true;
    case IR_OP_ftoui: float_to_int(e, i, false); return true;
    case IR_OP_sitof: int_to_float(e, i, true); return true;
    case IR_OP_uitof: int_to_float(e, i, false); return true;
    case IR_OP_cvta: change_space(e, i); return true;
    case IR_OP_bitcast:
        d = ptx_reg(e, &i->results[0]);
        ptx_line(e, "mov.%s %s, %s", ptx_class_info[ptx_class_of(i->type)].bits, d,
                 ptx_in_reg(e, i->args[0]));
        return true;
    case IR_OP_ptrtoint:
        d = ptx_reg(e, &i->results[0]);
        ptx_line(e, "%s %s, %s",
                 ptx_class_of(i->args[0]->type) == PTX_B32 ? "cvt.u64.u32" : "mov.b64", d,
                 ptx_in_reg(e, i->args[0]));
        return true;
    case IR_OP_inttoptr:
        d = ptx_reg(e, &i->results[0]);
        ptx_line(e, "%s %s, %s", ptx_class_of(i->type) == PTX_B32 ? "cvt.u32.u64" : "mov.b64", d,
                 ptx_in_reg(e, i->args[0]));
        return true;
    case IR_OP_isspace:
        d = ptx_reg(e, &i->results[0]);
        if (i->imm == IR_SPACE_GENERIC || ir_space(i->args[0]->type) != IR_SPACE_GENERIC)
            ptx_line(e, "mov.pred %s, %d", d,
                     i->imm == IR_SPACE_GENERIC || ir_space(i->args[0]->type) == i->imm);
        else
            ptx_line(e, "isspacep%s%s %s, %s",
                     ptx_space_suffix[i->imm < IR_SPACE_COUNT ? i->imm : 0],
                     /* any block's of a cluster, not the block's alone */
                     i->imm == IR_SPACE_SHARED && e->p->arch >= 90 ? "::cluster" : "", d,
                     ptx_in_reg(e, i->args[0]));
        return true;
    default: return false;
    }
}

/* Scalars, memory, control flow and calls for AArch64. */
#include <stddef.h>
#include <string.h>
#include "back/a64/a64_select.h"
#include "back/cpu_call.h"
#include "lower/lower.h"

enum { ZR = 31 };

/* ---- emitting ---- */
mach_reg a64_w(struct cpu_sel *s)
{
    return mach_vreg(s->f, A64_GPR, 4);
}
mach_reg a64_x(struct cpu_sel *s)
{
    return mach_vreg(s->f, A64_GPR, 8);
}
/* ---- constants ---- */
static mach_reg remat(struct cpu_sel *s, unsigned class, unsigned bytes, unsigned op, int64_t a,
                      int64_t b, unsigned n)
{
    return mach_remat(s->f, class, bytes, op, (const int64_t[]){0, a, b}, n);
}

/* Eight bits for the value, if a float immediate can be it. */
bool a64_float_immediate(uint64_t bits, bool wide, int64_t *out)
{
    unsigned mantissa = wide ? 52 : 23, exponent = wide ? 11 : 8;
    if (bits & ((UINT64_C(1) << (mantissa - 4)) - 1))
        return false;
    unsigned e = (unsigned)(bits >> mantissa & ((1u << exponent) - 1)),
             bias = (1u << (exponent - 1)) - 1;
    if (e + 3 < bias || e > bias + 4)
        return false;
    *out = (int64_t)((bits >> (mantissa + exponent) & 1) << 7 | (((e - bias + 3) & 7) ^ 4) << 4 |
                     (bits >> (mantissa - 4) & 15));
    return true;
}

static mach_reg constant(struct cpu_sel *s, ir_type t, uint64_t bits)
{
    bool wide = ir_bits(t) > 32;
    if (!wide)
        bits &= 0xffffffffu;
    if (cpu_is_float(t)) {
        int64_t imm;
        if (!bits)
            return mach_remat(s->f, A64_VEC, wide ? 8 : 4, A64_VMOVId0, (const int64_t[]){0}, 1);
        if (a64_float_immediate(bits, wide, &imm))
            return remat(s, A64_VEC, wide ? 8 : 4, wide ? A64_FMOVdi : A64_FMOVsi, imm, 0, 2);
        return remat(s, A64_VEC, wide ? 8 : 4, wide ? A64_LITd : A64_LITs,
                     MACH_LITERAL | mach_literal(s->image, bits, 0), 0, 2);
    }
    const uint64_t all = wide ? ~UINT64_C(0) : 0xffffffffu;
    uint32_t field;
    for (unsigned k = 0; k < (wide ? 64 : 32); k += 16)
        if (!(bits & ~(UINT64_C(0xffff) << k)))
            return remat(s, A64_GPR, wide ? 8 : 4, wide ? A64_MOVZx : A64_MOVZw,
                         (int64_t)(bits >> k), k, 3);
    for (unsigned k = 0; k < (wide ? 64 : 32); k += 16)
        if (!(~bits & all & ~(UINT64_C(0xffff) << k)))
            return remat(s, A64_GPR, wide ? 8 : 4, wide ? A64_MOVNx : A64_MOVNw,
                         (int64_t)((~bits & all) >> k), k, 3);
    if (a64_mask(bits, wide ? 64 : 32, &field))
        return remat(s, A64_GPR, wide ? 8 : 4, wide ? A64_MASKx : A64_MASKw, (int64_t)bits, 0, 2);
    return remat(s, A64_GPR, wide ? 8 : 4, wide ? A64_LITx : A64_LITw,
                 MACH_LITERAL | mach_literal(s->image, bits, 0), 0, 2);
}

/* ---- integers narrower than a register ---- */
static mach_reg narrow(struct cpu_sel *s, ir_type t, mach_reg r)
{
    unsigned n = ir_bits(t);
    return n >= 32 ? r : cpu_3(s, A64_UBFMw, a64_w(s), r, 0, n - 1);
}
static mach_reg widen(struct cpu_sel *s, ir_type t, mach_reg r) /* the sign */
{
    unsigned n = ir_bits(t);
    return n >= 32 ? r : cpu_3(s, A64_SBFMw, a64_w(s), r, 0, n - 1);
}
static mach_reg like(struct cpu_sel *s, bool wide)
{
    return wide ? a64_x(s) : a64_w(s);
}

mach_reg a64_add(struct cpu_sel *s, mach_reg base, int64_t offset)
{
    if (!offset)
        return base;
    if (offset > 0 && offset < 4096)
        return cpu_2(s, A64_ADDxi, a64_x(s), base, offset);
    if (offset < 0 && offset > -4096)
        return cpu_2(s, A64_SUBxi, a64_x(s), base, -offset);
    if (offset > 0 && offset < 1 << 24) {
        mach_reg r = cpu_2(s, A64_ADDxh, a64_x(s), base, offset >> 12);
        return offset & 4095 ? cpu_2(s, A64_ADDxi, a64_x(s), r, offset & 4095) : r;
    }
    return cpu_2(s, A64_ADDx, a64_x(s), base, cpu_constant(s, IR_I64, (uint64_t)offset));
}

/* ---- memory ---- */
static const struct access {
    uint16_t load, store, load_near, store_near;
} accesses[2][5] = {{{A64_LDb, A64_STb, A64_LDUb, A64_STUb},
                     {A64_LDh, A64_STh, A64_LDUh, A64_STUh},
                     {A64_LDw, A64_STw, A64_LDUw, A64_STUw},
                     {A64_LDx, A64_STx, A64_LDUx, A64_STUx},
                     {0}},
                    {{A64_LDvb, A64_STvb, A64_LDUvb, A64_STUvb},
                     {A64_LDvh, A64_STvh, A64_LDUvh, A64_STUvh},
                     {A64_LDvs, A64_STvs, A64_LDUvs, A64_STUvs},
                     {A64_LDvd, A64_STvd, A64_LDUvd, A64_STUvd},
                     {A64_LDvq, A64_STvq, A64_LDUvq, A64_STUvq}}};

static void access(struct cpu_sel *s, ir_type t, bool load, mach_reg v, mach_reg base,
                   int64_t offset)
{
    unsigned bytes = ir_bytes(t), k = 0;
    while (1u << k < bytes)
        k++;
    if (k > 4) {
        cpu_refuse(s, "a chunk wider than the machine's vectors");
        return;
    }
    const struct access *a = &accesses[cpu_class(s, t)][k];
    if (offset >= 0 && offset % bytes == 0 && offset / bytes < 4096) {
        mach_put(s->f, load ? a->load : a->store, v, base, offset);
    } else if (offset >= -256 && offset < 256) {
        mach_put(s->f, load ? a->load_near : a->store_near, v, base, offset);
    } else {
        base = a64_add(s, base, offset);
        mach_put(s->f, load ? a->load : a->store, v, base, 0);
    }
}

mach_reg a64_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset)
{
    mach_reg r = cpu_new(s, t);
    access(s, t, true, r, base, offset);
    return r;
}

void a64_load_to(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset)
{
    access(s, t, true, to, base, offset);
}

void a64_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset)
{
    access(s, t, false, v, base, offset);
}

static mach_reg to_bits(struct cpu_sel *s, ir_type t, mach_reg v)
{
    if (ir_kind(t) == IR_F32)
        return cpu_1(s, A64_FMOVws, a64_w(s), v);
    if (ir_kind(t) == IR_F64)
        return cpu_1(s, A64_FMOVxd, a64_x(s), v);
    return v;
}

static mach_reg from_bits(struct cpu_sel *s, ir_type t, mach_reg v)
{
    if (ir_kind(t) == IR_F32)
        return cpu_1(s, A64_FMOVsw, mach_vreg(s->f, A64_VEC, 4), v);
    if (ir_kind(t) == IR_F64)
        return cpu_1(s, A64_FMOVdx, mach_vreg(s->f, A64_VEC, 8), v);
    if (ir_bits(t) < 64) /* what comes from the host may have more bits */
        return cpu_3(s, A64_UBFMw, a64_w(s), v, 0, ir_bits(t) - 1);
    return v;
}

/* ---- comparisons ---- */
static const struct {
    enum ir_op op;
    uint8_t condition;
} conditions[] = {{IR_OP_eq, A64_EQ},  {IR_OP_ne, A64_NE},  {IR_OP_ult, A64_LO},
                  {IR_OP_ule, A64_LS}, {IR_OP_slt, A64_LT}, {IR_OP_sle, A64_LE},
                  {IR_OP_feq, A64_EQ}, {IR_OP_fne, A64_NE}, {IR_OP_flt, A64_MI},
                  {IR_OP_fle, A64_LS}, {IR_OP_funo, A64_VS}};

static unsigned condition(enum ir_op op)
{
    unsigned k = 0;
    while (conditions[k].op != op)
        k++;
    return conditions[k].condition;
}

static void compare(struct cpu_sel *s, const struct ir_inst *i, ir_type from, const mach_reg *args)
{
    uint64_t c;
    bool wide = ir_bits(from) == 64;
    if (cpu_is_float(from)) {
        mach_put(s->f, wide ? A64_FCMPd : A64_FCMPs, args[0], args[1]);
        return;
    }
    mach_reg a = args[0], b = args[1];
    if (i->op == IR_OP_slt || i->op == IR_OP_sle)
        a = widen(s, from, a), b = ir_bits(from) < 32 ? widen(s, from, b) : b;
    if (ir_bits(from) >= 32 && cpu_known(i, 1, &c)) {
        int64_t x = wide ? (int64_t)c : (int32_t)c;
        if (x >= 0 && x < 4096) {
            mach_put(s->f, wide ? A64_CMPxi : A64_CMPwi, a, x);
            return;
        }
        if (x < 0 && x > -4096) {
            mach_put(s->f, wide ? A64_CMNxi : A64_CMNwi, a, -x);
            return;
        }
    }
    mach_put(s->f, wide ? A64_SUBSx : A64_SUBSw, a, b);
}

/* Emits the comparison that decides `cond`; the condition that then holds. */
static unsigned decide(struct cpu_sel *s, const struct ir_inst *user, struct ir_value *cond)
{
    struct ir_inst *c = cpu_compare(user, cond);
    if (!c) {
        mach_put(s->f, A64_CMPwi, cpu_reg(s, cond), 0);
        return A64_NE;
    }
    mach_reg args[2] = {cpu_reg(s, c->args[0]), cpu_reg(s, c->args[1])};
    compare(s, c, c->args[0]->type, args);
    return condition((enum ir_op)c->op);
}

static mach_reg choose(struct cpu_sel *s, ir_type t, mach_reg cond, mach_reg yes, mach_reg no)
{
    mach_put(s->f, A64_CMPwi, cond, 0);
    mach_reg r = cpu_new(s, t);
    bool wide = ir_bits(t) == 64;
    unsigned op = cpu_is_float(t) ? (wide ? A64_FCSELd : A64_FCSELs) : wide ? A64_CSELx : A64_CSELw;
    return cpu_3(s, op, r, yes, no, A64_NE);
}

/* ---- elementwise ---- */
static mach_reg divide(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool wide = ir_bits(t) == 64, is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    mach_reg a = args[0], b = args[1];
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    unsigned op = is_signed ? (wide ? A64_SDIVx : A64_SDIVw) : (wide ? A64_UDIVx : A64_UDIVw);
    mach_reg q = cpu_2(s, op, like(s, wide), a, b);
    if (i->op == IR_OP_urem || i->op == IR_OP_srem) /* by zero the quotient is 0 here */
        return narrow(s, t, cpu_3(s, wide ? A64_MSUBx : A64_MSUBw, like(s, wide), q, b, a));
    uint64_t c;
    if (cpu_known(i, 1, &c) && c)
        return narrow(s, t, q);
    mach_put(s->f, wide ? A64_CMPxi : A64_CMPwi, b, 0);
    return narrow(s, t, cpu_3(s, wide ? A64_CSINVx : A64_CSINVw, like(s, wide), q, ZR, A64_NE));
}

static mach_reg shift(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64, left = i->op == IR_OP_shl, arithmetic = i->op == IR_OP_ashr;
    uint64_t c;
    mach_reg a = arithmetic ? widen(s, t, args[0]) : args[0], d = like(s, wide);
    unsigned size = wide ? 64 : 32;
    if (cpu_known(i, 1, &c)) {
        if (c >= n && !arithmetic)
            return cpu_constant(s, t, 0);
        if (c >= n)
            c = n - 1;
        unsigned k = (unsigned)c;
        if (left)
            return narrow(
                s, t,
                cpu_3(s, wide ? A64_UBFMx : A64_UBFMw, d, a, (size - k) % size, size - 1 - k));
        unsigned op = arithmetic ? (wide ? A64_SBFMx : A64_SBFMw) : (wide ? A64_UBFMx : A64_UBFMw);
        return narrow(s, t, cpu_3(s, op, d, a, k, size - 1));
    }
    mach_reg by = args[1];
    if (arithmetic) {
        mach_reg most = cpu_constant(s, wide ? IR_I64 : IR_I32, n - 1), least = like(s, wide);
        mach_put(s->f, wide ? A64_CMPxi : A64_CMPwi, by, n - 1);
        cpu_3(s, wide ? A64_CSELx : A64_CSELw, least, by, most, A64_LO);
        return narrow(s, t, cpu_2(s, wide ? A64_ASRx : A64_ASRw, d, a, least));
    }
    unsigned op = left ? (wide ? A64_LSLx : A64_LSLw) : (wide ? A64_LSRx : A64_LSRw);
    cpu_2(s, op, d, a, by);
    mach_put(s->f, wide ? A64_CMPxi : A64_CMPwi, by, n);
    return narrow(s, t, cpu_3(s, wide ? A64_CSELx : A64_CSELw, like(s, wide), d, ZR, A64_LO));
}

static mach_reg logic(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    static const uint16_t ops[3][4] = {{A64_ANDw, A64_ANDx, A64_ANDwi, A64_ANDxi},
                                       {A64_ORRw, A64_ORRx, A64_ORRwi, A64_ORRxi},
                                       {A64_EORw, A64_EORx, A64_EORwi, A64_EORxi}};
    unsigned k = i->op == IR_OP_and ? 0 : i->op == IR_OP_or ? 1 : 2;
    bool wide = ir_bits(t) == 64;
    uint64_t c;
    uint32_t field;
    if (cpu_known(i, 1, &c) && a64_mask(c, wide ? 64 : 32, &field))
        return cpu_2(s, ops[k][2 + wide], like(s, wide), args[0],
                     (int64_t)(wide ? c : c & 0xffffffffu));
    return cpu_2(s, ops[k][wide], like(s, wide), args[0], args[1]);
}

static mach_reg add_sub(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool wide = ir_bits(t) == 64, add = i->op == IR_OP_add;
    uint64_t c;
    if (cpu_known(i, 1, &c)) {
        int64_t x = wide ? (int64_t)c : (int32_t)c;
        x = add ? x : -x;
        if (x >= 0 && x < 4096)
            return narrow(s, t, cpu_2(s, wide ? A64_ADDxi : A64_ADDwi, like(s, wide), args[0], x));
        if (x < 0 && x > -4096)
            return narrow(s, t, cpu_2(s, wide ? A64_SUBxi : A64_SUBwi, like(s, wide), args[0], -x));
    }
    unsigned op = add ? (wide ? A64_ADDx : A64_ADDw) : (wide ? A64_SUBx : A64_SUBw);
    return narrow(s, t, cpu_2(s, op, like(s, wide), args[0], args[1]));
}

static mach_reg high(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool is_signed = i->op == IR_OP_smulhi;
    unsigned n = ir_bits(t);
    if (n == 64)
        return cpu_2(s, is_signed ? A64_SMULH : A64_UMULH, a64_x(s), args[0], args[1]);
    if (n == 32) {
        mach_reg p = cpu_2(s, is_signed ? A64_SMULL : A64_UMULL, a64_x(s), args[0], args[1]);
        mach_reg h = cpu_3(s, A64_UBFMx, a64_x(s), p, 32, 63);
        return cpu_3(s, A64_UBFMw, a64_w(s), h, 0, 31);
    }
    mach_reg a = args[0], b = args[1];
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    mach_reg p = cpu_2(s, A64_MULw, a64_w(s), a, b);
    return cpu_3(s, A64_UBFMw, a64_w(s), p, n, 2 * n - 1);
}

static mach_reg least(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool wide = ir_bits(t) == 64, is_signed = i->op == IR_OP_smin || i->op == IR_OP_smax;
    bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
    mach_reg a = args[0], b = args[1];
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    mach_put(s->f, wide ? A64_SUBSx : A64_SUBSw, a, b);
    unsigned c = is_signed ? (max ? A64_GT : A64_LT) : max ? A64_HI : A64_LO;
    return cpu_3(s, wide ? A64_CSELx : A64_CSELw, like(s, wide), args[0], args[1], c);
}

static mach_reg ones(struct cpu_sel *s, ir_type t, mach_reg a)
{
    mach_reg v = mach_vreg(s->f, A64_VEC, 8), c = mach_vreg(s->f, A64_VEC, 8),
             n = mach_vreg(s->f, A64_VEC, 8);
    if (ir_bits(t) == 64)
        cpu_1(s, A64_FMOVdx, v, a);
    else
        cpu_1(s, A64_FMOVsw, v, a); /* the rest of the register is 0 */
    cpu_1(s, A64_VCNT, c, v);
    cpu_1(s, A64_VADDVb, n, c);
    return cpu_1(s, A64_FMOVws, a64_w(s), n);
}

static mach_reg funnel(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64, left = i->op == IR_OP_fshl;
    uint64_t c;
    if (n < 32)
        return MACH_NONE;
    if (cpu_known(i, 2, &c)) {
        unsigned k = (unsigned)c & (n - 1);
        if (!k)
            return args[left ? 0 : 1];
        return cpu_3(s, wide ? A64_EXTRx : A64_EXTRw, like(s, wide), args[0], args[1],
                     left ? n - k : k);
    }
    /* by c one way, by 1 and then by the rest the other way */
    mach_reg rest = cpu_1(s, wide ? A64_MVNx : A64_MVNw, like(s, wide), args[2]);
    unsigned up = wide ? A64_LSLx : A64_LSLw, down = wide ? A64_LSRx : A64_LSRw;
    unsigned one = wide ? A64_UBFMx : A64_UBFMw, size = n;
    mach_reg x, y;
    if (left) {
        x = cpu_2(s, up, like(s, wide), args[0], args[2]);
        y = cpu_3(s, one, like(s, wide), args[1], 1, size - 1);
        y = cpu_2(s, down, like(s, wide), y, rest);
    } else {
        x = cpu_2(s, down, like(s, wide), args[1], args[2]);
        y = cpu_3(s, one, like(s, wide), args[0], size - 1, size - 2);
        y = cpu_2(s, up, like(s, wide), y, rest);
    }
    return cpu_2(s, wide ? A64_ORRx : A64_ORRw, like(s, wide), x, y);
}

static mach_reg one_bit(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *args)
{
    switch (cpu_bit_op(i->op)) {
    case IR_OP_and: return cpu_2(s, A64_ANDw, a64_w(s), args[0], args[1]);
    case IR_OP_or: return cpu_2(s, A64_ORRw, a64_w(s), args[0], args[1]);
    case IR_OP_xor: return cpu_2(s, A64_EORw, a64_w(s), args[0], args[1]);
    case IR_OP_not: return cpu_2(s, A64_EORwi, a64_w(s), args[0], 1);
    default: return MACH_NONE;
    }
}

static mach_reg integer(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64;
    if (n == 1)
        return one_bit(s, i, args);
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub: return add_sub(s, i, t, args);
    case IR_OP_mul:
        return narrow(s, t, cpu_2(s, wide ? A64_MULx : A64_MULw, like(s, wide), args[0], args[1]));
    case IR_OP_umulhi:
    case IR_OP_smulhi: return high(s, i, t, args);
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem: return divide(s, i, t, args);
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor: return logic(s, i, t, args);
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return shift(s, i, t, args);
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: return least(s, i, t, args);
    case IR_OP_not:
        return narrow(s, t, cpu_1(s, wide ? A64_MVNx : A64_MVNw, like(s, wide), args[0]));
    case IR_OP_neg:
        return narrow(s, t, cpu_1(s, wide ? A64_NEGx : A64_NEGw, like(s, wide), args[0]));
    case IR_OP_popc: return ones(s, t, args[0]);
    case IR_OP_clz: {
        mach_reg r = cpu_1(s, wide ? A64_CLZx : A64_CLZw, like(s, wide), args[0]);
        return n < 32 ? cpu_2(s, A64_SUBwi, a64_w(s), r, 32 - n) : r;
    }
    case IR_OP_brev: {
        mach_reg r = cpu_1(s, wide ? A64_RBITx : A64_RBITw, like(s, wide), args[0]);
        return n < 32 ? cpu_3(s, A64_UBFMw, a64_w(s), r, 32 - n, 31) : r;
    }
    case IR_OP_fshl:
    case IR_OP_fshr: return funnel(s, i, t, args);
    default: return MACH_NONE;
    }
}

static mach_reg f(struct cpu_sel *s, bool wide)
{
    return mach_vreg(s->f, A64_VEC, wide ? 8 : 4);
}

static mach_reg plain_floating(struct cpu_sel *s, const struct ir_inst *i, bool wide,
                               const mach_reg *in)
{
    static const struct {
        enum ir_op op;
        uint16_t s, d;
    } plain[] = {
        {IR_OP_fadd, A64_FADDs, A64_FADDd},      {IR_OP_fsub, A64_FSUBs, A64_FSUBd},
        {IR_OP_fmul, A64_FMULs, A64_FMULd},      {IR_OP_fdiv, A64_FDIVs, A64_FDIVd},
        {IR_OP_fma, A64_FMADDs, A64_FMADDd},     {IR_OP_mad, A64_FMADDs, A64_FMADDd},
        {IR_OP_fneg, A64_FNEGs, A64_FNEGd},      {IR_OP_fabs, A64_FABSs, A64_FABSd},
        {IR_OP_fsqrt, A64_FSQRTs, A64_FSQRTd},   {IR_OP_fmin, A64_FMINNMs, A64_FMINNMd},
        {IR_OP_fmax, A64_FMAXNMs, A64_FMAXNMd},  {IR_OP_ffloor, A64_FRINTMs, A64_FRINTMd},
        {IR_OP_fceil, A64_FRINTPs, A64_FRINTPd}, {IR_OP_ftrunc, A64_FRINTZs, A64_FRINTZd},
        {IR_OP_frint, A64_FRINTNs, A64_FRINTNd},
    };
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        const unsigned op = wide ? plain[k].d : plain[k].s;
        if (plain[k].op != i->op)
            continue;
        if (i->nargs == 1)
            return cpu_1(s, op, f(s, wide), in[0]);
        if (i->nargs == 2)
            return cpu_2(s, op, f(s, wide), in[0], in[1]);
        return cpu_3(s, op, f(s, wide), in[0], in[1], in[2]);
    }
    if (i->op == IR_OP_fcopysign) {
        mach_reg sign = cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31);
        return cpu_3(s, A64_VBIT, f(s, wide), in[0], in[1], sign);
    }
    if (i->op != IR_OP_frcp_fast && i->op != IR_OP_frsqrt_fast)
        return MACH_NONE;
    mach_reg x = in[0];
    if (i->op == IR_OP_frsqrt_fast)
        x = cpu_1(s, wide ? A64_FSQRTd : A64_FSQRTs, f(s, wide), x);
    mach_reg one =
        cpu_constant(s, wide ? IR_F64 : IR_F32, wide ? UINT64_C(0x3ff) << 52 : 0x3f800000u);
    return cpu_2(s, wide ? A64_FDIVd : A64_FDIVs, f(s, wide), one, x);
}

bool a64_is_quiet(const struct ir_inst *i, unsigned k, bool wide)
{
    uint64_t v;
    if (cpu_known(i, k, &v))
        return wide ? v << 1 <= UINT64_C(0x7ff) << 53 : (v & 0x7fffffffu) <= 0x7f800000u;
    if (i->args[k]->kind != IR_VALUE_RESULT)
        return false;
    switch (i->args[k]->u.inst->op) {
    case IR_OP_fadd:
    case IR_OP_fsub:
    case IR_OP_fmul:
    case IR_OP_fdiv:
    case IR_OP_fma:
    case IR_OP_mad:
    case IR_OP_fsqrt:
    case IR_OP_fmin:
    case IR_OP_fmax:
    case IR_OP_sitof:
    case IR_OP_uitof: return true;
    default: return false;
    }
}

/* The lesser of a number and a signalling NaN is the number, which the instructions give for quiet
 * ones only. Adding -0 makes them quiet and changes nothing else. */
static mach_reg floating(struct cpu_sel *s, const struct ir_inst *i, bool wide, const mach_reg *in)
{
    mach_reg quiet[2];
    if (i->op != IR_OP_fmin && i->op != IR_OP_fmax)
        return plain_floating(s, i, wide, in);
    for (unsigned k = 0; k < 2; k++)
        quiet[k] = a64_is_quiet(i, k, wide)
                       ? in[k]
                       : cpu_2(s, wide ? A64_FADDd : A64_FADDs, f(s, wide), in[k],
                               cpu_constant(s, wide ? IR_F64 : IR_F32,
                                            wide ? UINT64_C(1) << 63 : 1u << 31));
    return plain_floating(s, i, wide, quiet);
}

static mach_reg to_integer(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                           mach_reg a)
{
    static const uint16_t ops[2][4][4] = {
        /* rn rz ru rd; by w from s, w from d, x from s, x from d */
        {{A64_FCVTNSws, A64_FCVTNSwd, A64_FCVTNSxs, A64_FCVTNSxd},
         {A64_FCVTZSws, A64_FCVTZSwd, A64_FCVTZSxs, A64_FCVTZSxd},
         {A64_FCVTPSws, A64_FCVTPSwd, A64_FCVTPSxs, A64_FCVTPSxd},
         {A64_FCVTMSws, A64_FCVTMSwd, A64_FCVTMSxs, A64_FCVTMSxd}},
        {{A64_FCVTNUws, A64_FCVTNUwd, A64_FCVTNUxs, A64_FCVTNUxd},
         {A64_FCVTZUws, A64_FCVTZUwd, A64_FCVTZUxs, A64_FCVTZUxd},
         {A64_FCVTPUws, A64_FCVTPUwd, A64_FCVTPUxs, A64_FCVTPUxd},
         {A64_FCVTMUws, A64_FCVTMUwd, A64_FCVTMUxs, A64_FCVTMUxd}}};
    unsigned n = ir_bits(t);
    bool is_unsigned = i->op == IR_OP_ftoui;
    const uint64_t nan = ir_nan_to_int(ir_kind(from), ir_bits(t));
    if (n == 1)
        return MACH_NONE;
    if (ir_kind(from) == IR_F16) {
        mach_reg h = cpu_1(s, A64_FMOVsw, f(s, false), a);
        a = cpu_1(s, A64_FCVThs, f(s, false), h);
        from = IR_F32;
    }
    if (!cpu_is_float(from))
        return MACH_NONE;
    if (i->flags & IR_FTZ && ir_kind(from) == IR_F32)
        a = a64_flush(s, a);
    unsigned op =
        ops[is_unsigned][i->flags & IR_ROUND_MASK][2 * (n == 64) + (ir_kind(from) == IR_F64)];
    mach_reg r = cpu_1(s, op, like(s, n == 64), a);
    if (nan) {
        mach_reg top = cpu_constant(s, n == 64 ? IR_I64 : IR_I32, nan);
        if (n < 32)
            return MACH_NONE;
        mach_put(s->f, ir_kind(from) == IR_F64 ? A64_FCMPd : A64_FCMPs, a, a);
        return cpu_3(s, n == 64 ? A64_CSELx : A64_CSELw, like(s, n == 64), top, r, A64_VS);
    }
    if (n >= 32)
        return r;
    uint64_t high = is_unsigned ? (UINT64_C(1) << n) - 1 : (UINT64_C(1) << (n - 1)) - 1;
    mach_reg top = cpu_constant(s, IR_I32, high);
    mach_put(s->f, A64_SUBSw, r, top);
    r = cpu_3(s, A64_CSELw, a64_w(s), r, top, is_unsigned ? A64_LO : A64_LT);
    if (!is_unsigned) {
        mach_reg low = cpu_constant(s, IR_I32, (uint32_t) - (int32_t)(high + 1));
        mach_put(s->f, A64_SUBSw, r, low);
        r = cpu_3(s, A64_CSELw, a64_w(s), r, low, A64_GT);
    }
    return narrow(s, t, r);
}

static mach_reg convert(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                        mach_reg a)
{
    unsigned to = ir_bits(t), bits = ir_bits(from);
    bool nearest = !(i->flags & (IR_ROUND_MASK | IR_FTZ));
    switch (i->op) {
    case IR_OP_trunc: return cpu_3(s, A64_UBFMw, a64_w(s), a, 0, to < 32 ? to - 1 : 31);
    case IR_OP_zext: /* a w register's upper half is 0 */
        return to == 64 ? cpu_1(s, MACH_COPY, a64_x(s), a) : a;
    case IR_OP_sext:
        if (to == 64)
            return cpu_3(s, A64_SBFMx, a64_x(s), a, 0, bits - 1);
        return narrow(s, t, cpu_3(s, A64_SBFMw, a64_w(s), a, 0, bits - 1));
    case IR_OP_fcvt: {
        enum ir_kind k = ir_kind(t), q = ir_kind(from);
        if (k == q)
            return nearest ? a : MACH_NONE;
        if (!nearest && !(to > bits && !(i->flags & IR_FTZ)))
            return MACH_NONE;
        if (q == IR_BF16 && k != IR_F16) {
            mach_reg w = cpu_3(s, A64_UBFMw, a64_w(s), a, 16, 15);
            mach_reg r = cpu_1(s, A64_FMOVsw, f(s, false), w);
            return k == IR_F64 ? cpu_1(s, A64_FCVTsd, f(s, true), r) : r;
        }
        if (q == IR_F16 && k != IR_BF16) {
            mach_reg h = cpu_1(s, A64_FMOVsw, f(s, false), a);
            return cpu_1(s, k == IR_F64 ? A64_FCVThd : A64_FCVThs, f(s, k == IR_F64), h);
        }
        if (k == IR_F16 && cpu_is_float(from)) {
            mach_reg h = cpu_1(s, q == IR_F64 ? A64_FCVTdh : A64_FCVTsh, f(s, false), a);
            return cpu_1(s, A64_FMOVws, a64_w(s), h);
        }
        if (!cpu_is_float(t) || !cpu_is_float(from))
            return MACH_NONE;
        return cpu_1(s, k == IR_F64 ? A64_FCVTsd : A64_FCVTds, f(s, k == IR_F64), a);
    }
    case IR_OP_ftosi:
    case IR_OP_ftoui: return to_integer(s, i, t, from, a);
    case IR_OP_sitof:
    case IR_OP_uitof: {
        bool is_signed = i->op == IR_OP_sitof, wide = to == 64, x = bits == 64;
        if (!nearest || !cpu_is_float(t))
            return MACH_NONE;
        if (is_signed)
            a = widen(s, from, a);
        unsigned op =
            is_signed
                ? (x ? (wide ? A64_SCVTFxd : A64_SCVTFxs) : (wide ? A64_SCVTFwd : A64_SCVTFws))
                : (x ? (wide ? A64_UCVTFxd : A64_UCVTFxs) : (wide ? A64_UCVTFwd : A64_UCVTFws));
        return cpu_1(s, op, f(s, wide), a);
    }
    case IR_OP_bitcast:
        if (cpu_is_float(from) == cpu_is_float(t))
            return a;
        return cpu_is_float(from) ? to_bits(s, from, a) : from_bits(s, t, a);
    default: return a; /* ptrtoint, inttoptr */
    }
}

static mach_reg half_sign(struct cpu_sel *s, bool negate, mach_reg v)
{
    return negate ? cpu_2(s, A64_EORwi, a64_w(s), v, 0x8000)
                  : cpu_2(s, A64_ANDwi, a64_w(s), v, 0x7fff);
}

static mach_reg compare_flag(struct cpu_sel *s, const struct ir_inst *i, ir_type from,
                             const mach_reg *args)
{
    compare(s, i, from, args);
    return cpu_1(s, A64_CSET, a64_w(s), condition((enum ir_op)i->op) ^ 1);
}

#define SCALARS                                                                                    \
    .integer = integer, .floating = floating, .half_sign = half_sign, .convert = convert,          \
    .compare = compare_flag
static const struct cpu_scalars scalars = {SCALARS, .flush = a64_flush},
                                sve_scalars = {SCALARS, .flush = a64_sve_flush};

/* ---- atomics ---- */
static mach_reg swap(struct cpu_sel *s, enum ir_rmw kind, ir_type t, mach_reg p, mach_reg v)
{
    static const uint16_t ops[IR_RMW_COUNT][4] = {
#define ALL(op) {A64_##op##b, A64_##op##h, A64_##op##w, A64_##op##x}
        [IR_RMW_ADD] = ALL(LDADD),   [IR_RMW_SUB] = ALL(LDADD),   [IR_RMW_AND] = ALL(LDCLR),
        [IR_RMW_OR] = ALL(LDSET),    [IR_RMW_XOR] = ALL(LDEOR),   [IR_RMW_UMIN] = ALL(LDUMIN),
        [IR_RMW_UMAX] = ALL(LDUMAX), [IR_RMW_SMIN] = ALL(LDSMIN), [IR_RMW_SMAX] = ALL(LDSMAX),
        [IR_RMW_XCHG] = ALL(SWP)};
    bool wide = ir_bits(t) == 64;
    if (!ops[kind][0] || (kind != IR_RMW_XCHG && ir_class(t) != IR_CLASS_INT))
        return MACH_NONE;
    v = to_bits(s, t, v);
    if (kind == IR_RMW_SUB)
        v = cpu_1(s, wide ? A64_NEGx : A64_NEGw, like(s, wide), v);
    if (kind == IR_RMW_AND)
        v = cpu_1(s, wide ? A64_MVNx : A64_MVNw, like(s, wide), v);
    mach_reg r = cpu_2(s, ops[kind][cpu_log_bytes(t)], like(s, wide), v, p);
    return cpu_is_float(t) ? from_bits(s, t, r) : r;
}

static mach_reg cas(struct cpu_sel *s, ir_type t, mach_reg p, mach_reg old, mach_reg new)
{
    static const uint16_t ops[] = ALL(CAS);
    return cpu_3(s, ops[cpu_log_bytes(t)], like(s, ir_bits(t) == 64), old, new, p);
}

/* These take no offset. */
static mach_reg whole_address(struct cpu_sel *s, const struct ir_inst *i)
{
    struct cpu_address a = cpu_address(s, i->args[0]);
    return a64_add(s, cpu_reg(s, a.base), a.offset);
}

static void ordered_load(struct cpu_sel *s, struct ir_inst *i)
{
    static const uint16_t ops[] = ALL(LDAR);
    ir_type t = i->type;
    mach_reg r = cpu_1(s, ops[cpu_log_bytes(t)], like(s, ir_bits(t) == 64), whole_address(s, i));
    cpu_set(s, i, cpu_is_float(t) ? from_bits(s, t, r) : r);
}

static void ordered_store(struct cpu_sel *s, struct ir_inst *i)
{
    static const uint16_t ops[] = ALL(STLR);
    ir_type t = i->args[1]->type;
    mach_put(s->f, ops[cpu_log_bytes(t)], to_bits(s, t, cpu_reg(s, i->args[1])),
             whole_address(s, i));
}

/* ---- instructions ---- */
static void add_pointer(struct cpu_sel *s, struct ir_inst *i)
{
    struct ir_value *index;
    unsigned shift;
    bool is_signed;
    mach_reg base = cpu_reg(s, i->args[0]);
    if (cpu_indexed(i, CPU_MOST_SHIFT, &index, &shift, &is_signed)) {
        cpu_set(s, i,
                cpu_3(s, is_signed ? A64_ADDsxtw : A64_ADDuxtw, a64_x(s), base, cpu_reg(s, index),
                      shift));
        return;
    }
    if (cpu_scaled(i, CPU_MOST_SCALE, &index, &shift)) {
        cpu_set(s, i, cpu_3(s, A64_ADDlx, a64_x(s), base, cpu_reg(s, index), shift));
        return;
    }
    if (ir_is_const(i->args[1])) {
        cpu_set(s, i, a64_add(s, base, (int64_t)i->args[1]->u.bits));
        return;
    }
    cpu_set(s, i, cpu_2(s, A64_ADDx, a64_x(s), base, cpu_reg(s, i->args[1])));
}

static void choice(struct cpu_sel *s, struct ir_inst *i)
{
    ir_type t = i->type;
    bool wide = ir_bits(t) == 64;
    mach_reg yes = cpu_reg(s, i->args[1]), no = cpu_reg(s, i->args[2]), r = cpu_new(s, t);
    unsigned c = decide(s, i, i->args[0]);
    unsigned op = cpu_is_float(t) ? (wide ? A64_FCSELd : A64_FCSELs) : wide ? A64_CSELx : A64_CSELw;
    cpu_set(s, i, cpu_3(s, op, r, yes, no, c));
}

static bool select(struct cpu_sel *s, struct ir_inst *i)
{
    ir_type t = i->nresults ? i->results[0].type : IR_VOID;
    enum ir_order order = ir_order(i->flags);
    switch (i->op) {
    case IR_OP_load: {
        if (order > IR_ORDER_RELAXED) {
            ordered_load(s, i);
            return true;
        }
        struct cpu_address a = cpu_address(s, i->args[0]);
        mach_reg r = a64_load(s, t, cpu_reg(s, a.base), a.offset);
        cpu_set(s, i, ir_kind(t) == IR_I1 ? cpu_2(s, A64_ANDwi, a64_w(s), r, 1) : r);
        return true;
    }
    case IR_OP_store: {
        if (order > IR_ORDER_RELAXED) {
            ordered_store(s, i);
            return true;
        }
        struct cpu_address a = cpu_address(s, i->args[0]);
        a64_store(s, i->args[1]->type, cpu_reg(s, i->args[1]), cpu_reg(s, a.base), a.offset);
        return true;
    }
    case IR_OP_fence:
        if (ir_scope(i->flags) != IR_SCOPE_BLOCK)
            mach_emit(s->f, A64_DMB, NULL, 0);
        return true;
    case IR_OP_ptradd: add_pointer(s, i); return true;
    case IR_OP_select: choice(s, i); return true;
    default: return false;
    }
}

/* ---- control flow ---- */
static void branch(struct cpu_sel *s, struct ir_value *cond, uint32_t yes, uint32_t no)
{
    if (cpu_compare(s->inst, cond)) {
        unsigned c = decide(s, s->inst, cond);
        mach_put(s->f, A64_BC, c, 0);
    } else {
        mach_put(s->f, A64_CBNZw, cpu_reg(s, cond), 0);
    }
    mach_branch(s->f, yes, no);
}

static void compare_constant(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k)
{
    bool wide = ir_bits(t) == 64;
    if (k < 4096)
        mach_put(s->f, wide ? A64_CMPxi : A64_CMPwi, v, (int64_t)k);
    else
        mach_put(s->f, wide ? A64_SUBSx : A64_SUBSw, v, cpu_constant(s, wide ? IR_I64 : IR_I32, k));
}

static void branch_equal(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no)
{
    compare_constant(s, t, v, k);
    mach_put(s->f, A64_BC, A64_EQ, 0);
    mach_branch(s->f, yes, no);
}

static void branch_below(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no)
{
    compare_constant(s, t, v, k);
    mach_put(s->f, A64_BC, A64_LO, 0);
    mach_branch(s->f, yes, no);
}

static void branch_nonzero(struct cpu_sel *s, mach_reg v, uint32_t yes, uint32_t no)
{
    mach_put(s->f, A64_CBNZw, v, 0);
    mach_branch(s->f, yes, no);
}

static void prefetch(struct cpu_sel *s, mach_reg base, int64_t offset)
{
    const bool fits = offset >= 0 && offset % 8 == 0 && offset < 8 * 4096;
    mach_put(s->f, A64_PRFM, fits ? base : a64_add(s, base, offset), fits ? offset : 0);
}

/* ---- calls ---- */
/* Through the stub, which keeps all registers but x0 as they were. */
static mach_reg host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n,
                     bool result)
{
    struct mach_pin uses[8], made = {MACH_NONE, 0};
    const mach_set clobbers[MACH_CLASSES] = {1};
    s->f->calls = true;
    for (unsigned k = 0; k < n; k++)
        uses[k] = (struct mach_pin){args[k], k};
    mach_put(s->f, A64_LDx, A64_X16, s->launch, offsetof(struct tern_launch, host));
    mach_put(s->f, A64_LDx, A64_X16, A64_X16, (int64_t)offset);
    if (result)
        made.virtual = a64_x(s);
    mach_fixed(s->f, A64_BL, (const int64_t[]){MACH_SYMBOL | s->stub}, 1, &made, result, uses, n,
               clobbers);
    return made.virtual;
}

static void stubs(struct cpu_sel *s)
{
    struct mach_func *f = mach_func_new(s->arena, &a64_machine, "host");
    enum { KEPT_X = 16, KEPT_Q = 16 + 8 * 18, BYTES = KEPT_Q + 16 * 32 };
    static const uint8_t kept[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18};
    mach_block_begin(f, mach_block_new(f));
    f->records = BYTES;
    mach_put(f, A64_SUBxi, A64_SP, A64_SP, BYTES);
    mach_emit_unwind(f, MACH_MOVED);
    mach_put(f, A64_STPx, A64_FP, A64_LR, A64_SP, 0);
    mach_emit_unwind(f, MACH_SAVED);
    mach_put(f, A64_ADDxi, A64_FP, A64_SP, 0);
    mach_emit_unwind(f, MACH_FRAMED);
    for (int restore = 0; restore < 2; restore++) {
        for (unsigned k = 0; k < sizeof kept; k += 2)
            mach_put(f, restore ? A64_LDPx : A64_STPx, kept[k], kept[k + 1], A64_SP,
                     KEPT_X + 8 * (int64_t)k);
        for (unsigned k = 0; k < 32; k += 2)
            mach_put(f, restore ? A64_LDPq : A64_STPq, A64_V0 + k, A64_V0 + k + 1, A64_SP,
                     KEPT_Q + 16 * (int64_t)k);
        if (!restore)
            mach_put(f, A64_BLR, A64_X16);
    }
    mach_put(f, A64_LDPx, A64_FP, A64_LR, A64_SP, 0);
    mach_emit_unwind(f, MACH_MOVED);
    mach_put(f, A64_ADDxi, A64_SP, A64_SP, BYTES);
    mach_emit_unwind(f, MACH_ENTERED);
    mach_emit(f, A64_RET, NULL, 0);
    mach_end(f, MACH_DEAD);
    mach_finish(f, s->image, s->stub);
}

static mach_reg entry(struct cpu_sel *s, mach_reg table, mach_reg index)
{
    return cpu_3(s, A64_ADDlx, a64_x(s), table, index, 2);
}

static void aim(struct cpu_sel *s, mach_reg table, mach_reg at)
{
    mach_put(s->f, A64_ADDsxtw, A64_X16, table, at, 0);
}

static mach_reg symbol_at(struct cpu_sel *s, uint32_t symbol)
{
    return cpu_1(s, A64_ADR, a64_x(s), (int64_t)(MACH_SYMBOL | symbol));
}

/* As the procedure call standard of AArch64 has it: x0–x7 and v0–v7, the rest on the stack in words
 * of 8 bytes. A function of ours does not know how far its caller's arguments are from its own
 * frame: who passes arguments on the stack also leaves their address in x8, which C does not look
 * at. A call may change x0–x15, v0–v7, v16–v30; of v8–v15 it keeps the lower halves, all that
 * scalars need. */
static const uint8_t c_arguments[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct cpu_calling calling = {
    .block = 0,
    .more = 7,
    .registers = c_arguments + 1,
    .nregisters = 6,
    .vectors = A64_V0,
    .nvectors = 8,
    .result = 0,
    .target = A64_X16,
    .call = A64_BL,
    .call_to = A64_BLR,
    .move = A64_MOVx,
    .aim = aim,
    .entry = entry,
    .at = symbol_at,
    .c_registers = c_arguments,
    .nc_registers = 8,
    .sp = A64_SP,
    .c_more = true,
    .c_base = 8,
    .c_copy_sp = A64_ADDxi,
    .c_stack_ends = true,
    .c_changed = {0xffff, 0x7fff00ff},
};

/* What NEON and SVE have in common. */
#define SHARED_PARTS                                                                               \
    .least_offset = -256, .most_offset = 32760, .gpr = A64_GPR, .vec = A64_VEC,                    \
    .constant = constant, .to_bits = to_bits, .from_bits = from_bits, .add = a64_add,              \
    .choose = choose, .swap = swap, .cas = cas, .blank = a64_blank, .least_shuffled = 1,           \
    .prefetch = prefetch, .select = select, .branch = branch, .branch_equal = branch_equal,        \
    .branch_below = branch_below, .branch_nonzero = branch_nonzero, .host = host,                  \
    .calling = &calling

const struct cpu_machine a64_selection = {
    SHARED_PARTS,
    .name = "a64",
    .machine = &a64_machine,
    .vector_bytes = 16,
    .divide = DIVIDE_SHORT | DIVIDE_WORDS,
    .load = a64_load,
    .load_to = a64_load_to,
    .store = a64_store,
    .scalars = &scalars,
    .vectors = &a64_vectors,
    .splat = a64_splat,
    .literal = a64_literal,
    .extract = a64_extract,
    .insert = a64_insert,
    .pick = a64_pick,
    .by_lane = true,
    .by_index = true,
    .shuffle = a64_shuffle,
    .load_lanes = a64_load_lanes,
    .store_lane = a64_store_lane,
    .branch_vote = a64_branch_vote,
    .stubs = stubs,
};

#define SVE_PARTS                                                                                  \
    SHARED_PARTS, .load = a64_sve_load, .load_to = a64_sve_load_to, .store = a64_sve_store,        \
                  .scalars = &sve_scalars, .vectors = &a64_sve_vectors, .masks = &a64_sve_masks,   \
                  .splat = a64_sve_splat, .literal = a64_sve_literal, .extract = a64_sve_extract,  \
                  .insert = a64_sve_insert, .pick = a64_sve_pick, .shuffle = a64_sve_shuffle,      \
                  .load_lanes = a64_sve_load_lanes, .store_lane = a64_sve_store_lane,              \
                  .indexed = true, .branch_vote = a64_sve_branch_vote, .stubs = a64_sve_stubs

const struct cpu_machine a64_sve256_selection = {
    SVE_PARTS,
    .name = "a64 with SVE of 256 bits",
    .machine = &a64_sve256_machine,
    .vector_bytes = 32,
};

const struct cpu_machine a64_sve512_selection = {
    SVE_PARTS,
    .name = "a64 with SVE of 512 bits",
    .machine = &a64_sve512_machine,
    .vector_bytes = 64,
};

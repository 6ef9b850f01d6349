/* Scalars, memory and control flow for x86-64. */
#include <stddef.h>
#include <string.h>
#include "back/x64/x64_select.h"
#include "lower/lower.h"

/* ---- emitting ---- */
mach_reg x64_r(struct cpu_sel *s, bool wide)
{
    return mach_vreg(s->f, X64_GPR, wide ? 8 : 4);
}
mach_reg x64_f(struct cpu_sel *s, bool wide)
{
    return mach_vreg(s->f, X64_VEC, wide ? 8 : 4);
}
/* By the width of integers, with a new result. */
#define R1(s, wide, op, a)    cpu_1(s, (wide) ? X64_##op##x : X64_##op##w, x64_r(s, wide), a)
#define R2(s, wide, op, a, b) cpu_2(s, (wide) ? X64_##op##x : X64_##op##w, x64_r(s, wide), a, b)
#define RI(s, wide, op, a, b) cpu_2(s, (wide) ? X64_##op##xi : X64_##op##wi, x64_r(s, wide), a, b)

/* ---- constants: none may change the flags ---- */
static mach_reg constant(struct cpu_sel *s, ir_type t, uint64_t bits)
{
    bool wide = ir_bits(t) > 32;
    unsigned bytes = wide ? 8 : 4;
    if (!wide)
        bits &= 0xffffffffu;
    if (cpu_is_float(t)) {
        if (!bits)
            return mach_remat(s->f, X64_VEC, bytes, X64_VZERO, (const int64_t[]){0}, 1);
        return mach_remat(s->f, X64_VEC, bytes, wide ? X64_LITd : X64_LITs,
                          (const int64_t[]){0, MACH_LITERAL | mach_literal(s->image, bits, 0)}, 2);
    }
    int64_t v = (int64_t)bits;
    unsigned op = bits <= 0xffffffffu ? X64_MOVwi : v == (int32_t)v ? X64_MOVxs : X64_MOVxi;
    return mach_remat(s->f, X64_GPR, bytes, op, (const int64_t[]){0, v}, 2);
}

/* One that fits into an instruction that works on t. */
static bool immediate(const struct ir_inst *i, unsigned k, ir_type t, int64_t *v)
{
    uint64_t bits;
    if (!cpu_known(i, k, &bits))
        return false;
    *v = ir_bits(t) == 64 ? (int64_t)bits : (int32_t)bits;
    return *v == (int32_t)*v;
}

/* ---- integers narrower than a register ---- */
static mach_reg narrow(struct cpu_sel *s, ir_type t, mach_reg r)
{
    switch (ir_bits(t)) {
    case 1: return RI(s, false, AND, r, 1);
    case 8: return cpu_1(s, X64_MOVZXb, x64_r(s, false), r);
    case 16: return cpu_1(s, X64_MOVZXh, x64_r(s, false), r);
    default: return r;
    }
}
static mach_reg widen(struct cpu_sel *s, ir_type t, mach_reg r) /* the sign */
{
    switch (ir_bits(t)) {
    case 1: return R1(s, false, NEG, r);
    case 8: return R1(s, false, MOVSXb, r);
    case 16: return R1(s, false, MOVSXh, r);
    default: return r;
    }
}

mach_reg x64_add(struct cpu_sel *s, mach_reg base, int64_t offset)
{
    if (!offset)
        return base;
    if (offset == (int32_t)offset)
        return cpu_2(s, X64_LEAx, x64_r(s, true), base, offset);
    return R2(s, true, ADD, base, cpu_constant(s, IR_I64, (uint64_t)offset));
}

/* ---- memory ---- */
/* Vectors of one or two bytes go through an integer register. */
static void tiny_access(struct cpu_sel *s, bool load, unsigned bytes, mach_reg v, mach_reg base,
                        int64_t offset)
{
    if (load) {
        mach_reg r = cpu_2(s, bytes == 1 ? X64_LDb : X64_LDh, x64_r(s, false), base, offset);
        cpu_1(s, X64_MOVvw, v, r);
    } else {
        mach_reg r = cpu_1(s, X64_MOVwv, x64_r(s, false), v);
        mach_put(s->f, bytes == 1 ? X64_STb : X64_STh, r, base, offset);
    }
}

static void access(struct cpu_sel *s, ir_type t, bool load, mach_reg v, mach_reg base,
                   int64_t offset)
{
    static const uint16_t ops[2][6][2] = {
        {{X64_STb, X64_LDb}, {X64_STh, X64_LDh}, {X64_STw, X64_LDw}, {X64_STx, X64_LDx}},
        {{0}, {0}, {X64_STs, X64_LDs}, {X64_STd, X64_LDd}, {X64_STq, X64_LDq}, {X64_STy, X64_LDy}}};
    const bool wide = s->t->masks;
    unsigned bytes = ir_bytes(t), k = 0, class = cpu_class(s, t);
    while (1u << k < bytes)
        k++;
    if (k > (wide ? 6 : 5)) {
        cpu_refuse(s, "a chunk wider than the machine's vectors");
        return;
    }
    if (offset != (int32_t)offset)
        base = x64_add(s, base, offset), offset = 0;
    if (wide && k == 5)
        mach_put(s->f, load ? X64_LDv : X64_STv, v, base, offset);
    else if (k == 6)
        mach_put(s->f, load ? X64_LDy : X64_STy, v, base, offset);
    else if (class == X64_VEC && k < 2)
        tiny_access(s, load, bytes, v, base, offset);
    else
        mach_put(s->f, ops[class][k][load], v, base, offset);
}

mach_reg x64_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset)
{
    mach_reg r = cpu_new(s, t);
    access(s, t, true, r, base, offset);
    return r;
}
void x64_load_to(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset)
{
    access(s, t, true, v, base, offset);
}
void x64_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset)
{
    access(s, t, false, v, base, offset);
}

static mach_reg to_bits(struct cpu_sel *s, ir_type t, mach_reg v)
{
    if (!cpu_is_float(t))
        return v;
    bool wide = ir_kind(t) == IR_F64;
    return cpu_1(s, wide ? X64_MOVxv : X64_MOVwv, x64_r(s, wide), v);
}
static mach_reg from_bits(struct cpu_sel *s, ir_type t, mach_reg v)
{
    if (cpu_is_float(t)) {
        bool wide = ir_kind(t) == IR_F64;
        return cpu_1(s, wide ? X64_MOVvx : X64_MOVvw, x64_f(s, wide), v);
    }
    if (ir_bits(t) == 32) /* what comes from the host may have more bits */
        return cpu_1(s, X64_LOWw, x64_r(s, false), v);
    return narrow(s, t, v);
}

/* ---- comparisons ---- */
static unsigned compare_floats(struct cpu_sel *s, unsigned op, bool wide, mach_reg a, mach_reg b)
{
    if (op == IR_OP_feq || op == IR_OP_fne) { /* flags tell equal from unordered by two bits */
        unsigned how = op == IR_OP_feq ? X64_EQ_OQ : X64_NEQ_UQ;
        mach_reg r = s->t->masks
                         ? x64_wide_compare_one(s, wide, a, b, how)
                         : cpu_1(s, X64_MOVwv, x64_r(s, false),
                                 cpu_3(s, wide ? X64_VCMPd : X64_VCMPs, x64_f(s, wide), a, b, how));
        mach_put(s->f, X64_TESTw, r, r);
        return X64_NE;
    }
    unsigned ucomi = wide ? X64_UCOMId : X64_UCOMIs;
    if (op == IR_OP_funo) {
        mach_put(s->f, ucomi, a, b);
        return X64_P;
    }
    mach_put(s->f, ucomi, b, a); /* unordered is below */
    return op == IR_OP_flt ? X64_A : X64_AE;
}

static unsigned condition(enum ir_op op)
{
    switch (op) {
    case IR_OP_eq: return X64_E;
    case IR_OP_ne: return X64_NE;
    case IR_OP_ult: return X64_B;
    case IR_OP_ule: return X64_BE;
    case IR_OP_slt: return X64_L;
    default: return X64_LE;
    }
}

/* Emits a comparison; the condition that holds if it is true. */
static unsigned compare(struct cpu_sel *s, const struct ir_inst *i, ir_type from,
                        const mach_reg *args)
{
    bool wide = ir_bits(from) == 64;
    if (cpu_is_float(from))
        return compare_floats(s, i->op, wide, args[0], args[1]);
    mach_reg a = args[0], b = args[1];
    int64_t v;
    if (i->op == IR_OP_slt || i->op == IR_OP_sle)
        a = widen(s, from, a), b = widen(s, from, b);
    if (ir_bits(from) >= 32 && immediate(i, 1, from, &v)) {
        if (!v && (i->op == IR_OP_eq || i->op == IR_OP_ne))
            mach_put(s->f, wide ? X64_TESTx : X64_TESTw, a, a);
        else
            mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, a, v);
    } else {
        mach_put(s->f, wide ? X64_CMPx : X64_CMPw, a, b);
    }
    return condition((enum ir_op)i->op);
}

/* Emits the comparison that decides `cond`; the condition that then holds. */
static unsigned decide(struct cpu_sel *s, const struct ir_inst *user, struct ir_value *cond)
{
    struct ir_inst *c = cpu_compare(user, cond);
    if (!c) {
        mach_reg r = cpu_reg(s, cond);
        mach_put(s->f, X64_TESTw, r, r);
        return X64_NE;
    }
    mach_reg args[2] = {cpu_reg(s, c->args[0]), cpu_reg(s, c->args[1])};
    return compare(s, c, c->args[0]->type, args);
}

static mach_reg flag(struct cpu_sel *s, unsigned condition)
{
    mach_reg r = cpu_1(s, X64_SET, x64_r(s, false), condition);
    return cpu_1(s, X64_MOVZXb, x64_r(s, false), r);
}

static mach_reg pick(struct cpu_sel *s, bool wide, mach_reg no, mach_reg yes, unsigned condition)
{
    return cpu_3(s, wide ? X64_CMOVx : X64_CMOVw, x64_r(s, wide), no, yes, condition);
}

/* Floats go through integer registers: there is no conditional move of theirs. */
static mach_reg choose_by(struct cpu_sel *s, ir_type t, unsigned condition, mach_reg yes,
                          mach_reg no)
{
    mach_reg r = pick(s, ir_bits(t) == 64, no, yes, condition);
    return cpu_is_float(t) ? from_bits(s, t, r) : r;
}

static mach_reg choose(struct cpu_sel *s, ir_type t, mach_reg cond, mach_reg yes, mach_reg no)
{
    yes = to_bits(s, t, yes), no = to_bits(s, t, no);
    mach_put(s->f, X64_TESTw, cond, cond);
    return choose_by(s, t, X64_NE, yes, no);
}

/* ---- elementwise: integers ---- */
static mach_reg divide_now(struct cpu_sel *s, bool is_signed, bool wide, bool rest, mach_reg a,
                           mach_reg b)
{
    mach_reg high = is_signed ? RI(s, wide, SAR, a, wide ? 63 : 31) : cpu_constant(s, IR_I64, 0);
    struct mach_pin uses[] = {{a, X64_RAX}, {high, X64_RDX}, {b, X64_RCX}},
                    made = {x64_r(s, wide), rest ? X64_RDX : X64_RAX};
    const mach_set clobbers[MACH_CLASSES] = {1 << X64_RAX | 1 << X64_RDX};
    unsigned op = is_signed ? (wide ? X64_IDIVx : X64_IDIVw) : wide ? X64_DIVx : X64_DIVw;
    mach_fixed(s->f, op, (const int64_t[]){X64_RCX}, 1, &made, 1, uses, 3, clobbers);
    return made.virtual;
}

static void branch_nonzero(struct cpu_sel *s, mach_reg v, uint32_t yes, uint32_t no);

/* 64 bits take processors up to four times as long as 32, which both numbers have room in most
 * often: indices, sizes. */
static mach_reg divide_long(struct cpu_sel *s, bool is_signed, bool rest, mach_reg a, mach_reg b)
{
    const uint32_t large = cpu_split(s, false), small = cpu_split(s, false),
                   next = cpu_split(s, false);
    branch_nonzero(s, RI(s, true, SHR, R2(s, true, OR, a, b), 32), large, small);
    mach_block_begin(s->f, large);
    mach_reg q = divide_now(s, is_signed, true, rest, a, b);
    mach_jump(s->f, next, &q, 1);
    mach_block_begin(s->f, small);
    q = cpu_1(s, MACH_COPY, x64_r(s, true), divide_now(s, false, false, rest, a, b));
    mach_jump(s->f, next, &q, 1);
    q = mach_block_param(s->f, next, s->t->gpr, 8);
    mach_block_begin(s->f, next);
    return q;
}

static mach_reg quotient(struct cpu_sel *s, bool is_signed, bool wide, bool rest, mach_reg a,
                         mach_reg b)
{
    return wide ? divide_long(s, is_signed, rest, a, b)
                : divide_now(s, is_signed, false, rest, a, b);
}

/* The machine traps where the divisor is 0, or -1 and the quotient has no room: it divides by 1
 * there, and what should come out is put in its place. */
static mach_reg divide(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool wide = ir_bits(t) == 64, is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem,
         rest = i->op == IR_OP_urem || i->op == IR_OP_srem;
    mach_reg a = args[0], b = args[1];
    ir_type word = wide ? IR_I64 : IR_I32;
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    int64_t v;
    if (immediate(i, 1, t, &v) && v && v != -1 && ir_bits(t) >= 32)
        return quotient(s, is_signed, wide, rest, a, b);
    mach_reg one = cpu_constant(s, word, 1), by;
    if (is_signed) {
        mach_reg next = RI(s, wide, ADD, b, 1);
        mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, next, 1);
        by = pick(s, wide, b, one, X64_BE);
    } else {
        mach_put(s->f, wide ? X64_TESTx : X64_TESTw, b, b);
        by = pick(s, wide, b, one, X64_E);
    }
    mach_reg q = quotient(s, is_signed, wide, rest, a, by);
    if (is_signed && !rest) {
        mach_reg minus = R1(s, wide, NEG, a);
        mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, b, -1);
        q = pick(s, wide, q, minus, X64_E);
    }
    mach_reg none = rest ? a : cpu_constant(s, word, wide ? UINT64_MAX : UINT32_MAX);
    mach_put(s->f, wide ? X64_TESTx : X64_TESTw, b, b);
    return narrow(s, t, pick(s, wide, q, none, X64_E));
}

static mach_reg shift_known(struct cpu_sel *s, const struct ir_inst *i, ir_type t, mach_reg a,
                            uint64_t by)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64;
    if (by >= n && i->op != IR_OP_ashr)
        return cpu_constant(s, t, 0);
    int64_t k = by >= n ? n - 1 : (int64_t)by;
    if (i->op == IR_OP_shl)
        return narrow(s, t, RI(s, wide, SHL, a, k));
    if (i->op == IR_OP_lshr)
        return RI(s, wide, SHR, a, k);
    return narrow(s, t, RI(s, wide, SAR, widen(s, t, a), k));
}

static mach_reg shift(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64;
    uint64_t c;
    if (cpu_known(i, 1, &c))
        return shift_known(s, i, t, args[0], c);
    ir_type word = wide ? IR_I64 : IR_I32;
    mach_reg by = args[1];
    if (i->op == IR_OP_ashr) {
        mach_reg a = widen(s, t, args[0]), most = cpu_constant(s, word, n - 1);
        mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, by, n - 1);
        by = pick(s, wide, by, most, X64_A);
        return narrow(s, t, R2(s, wide, SARX, a, by));
    }
    mach_reg zero = cpu_constant(s, word, 0);
    mach_reg r =
        i->op == IR_OP_shl ? R2(s, wide, SHLX, args[0], by) : R2(s, wide, SHRX, args[0], by);
    mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, by, wide ? 64 : 32);
    return narrow(s, t, pick(s, wide, zero, r, X64_B));
}

static mach_reg plain(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    static const struct {
        enum ir_op op;
        uint16_t by_register[2], by_constant[2];
    } ops[] = {
#define ALL(op) {X64_##op##w, X64_##op##x}, {X64_##op##wi, X64_##op##xi}
        {IR_OP_add, ALL(ADD)}, {IR_OP_sub, ALL(SUB)}, {IR_OP_mul, ALL(IMUL)},
        {IR_OP_and, ALL(AND)}, {IR_OP_or, ALL(OR)},   {IR_OP_xor, ALL(XOR)},
#undef ALL
    };
    bool wide = ir_bits(t) == 64;
    unsigned k = 0;
    while (ops[k].op != i->op)
        k++;
    int64_t v;
    mach_reg d = x64_r(s, wide);
    if (immediate(i, 1, t, &v))
        cpu_2(s, ops[k].by_constant[wide], d, args[0], v);
    else
        cpu_2(s, ops[k].by_register[wide], d, args[0], args[1]);
    return narrow(s, t, d);
}

static mach_reg high(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool is_signed = i->op == IR_OP_smulhi;
    unsigned n = ir_bits(t);
    mach_reg a = args[0], b = args[1];
    if (n == 64) {
        struct mach_pin uses[] = {{a, X64_RAX}, {b, X64_RCX}}, made = {x64_r(s, true), X64_RDX};
        const mach_set clobbers[MACH_CLASSES] = {1 << X64_RAX | 1 << X64_RDX};
        mach_fixed(s->f, is_signed ? X64_SMULx : X64_MULx, (const int64_t[]){X64_RCX}, 1, &made, 1,
                   uses, 2, clobbers);
        return made.virtual;
    }
    if (n == 32) { /* unsigned ones have zeros above already */
        if (is_signed)
            a = cpu_1(s, X64_MOVSXD, x64_r(s, true), a),
            b = cpu_1(s, X64_MOVSXD, x64_r(s, true), b);
        mach_reg p = R2(s, true, IMUL, a, b), h = RI(s, true, SHR, p, 32);
        return cpu_1(s, X64_LOWw, x64_r(s, false), h);
    }
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    return narrow(s, t, RI(s, false, SHR, R2(s, false, IMUL, a, b), n));
}

static mach_reg least(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    bool wide = ir_bits(t) == 64, is_signed = i->op == IR_OP_smin || i->op == IR_OP_smax;
    bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
    mach_reg a = args[0], b = args[1];
    if (is_signed)
        a = widen(s, t, a), b = widen(s, t, b);
    mach_put(s->f, wide ? X64_CMPx : X64_CMPw, a, b);
    unsigned c = is_signed ? (max ? X64_G : X64_L) : max ? X64_A : X64_B;
    return pick(s, wide, args[1], args[0], c);
}

/* Bytes are turned round by an instruction, then halves, quarters and eighths of each. */
static mach_reg reverse(struct cpu_sel *s, ir_type t, mach_reg a)
{
    static const uint64_t masks[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                     UINT64_C(0x5555555555555555)};
    bool wide = ir_bits(t) == 64;
    mach_reg r = R1(s, wide, BSWAP, a);
    for (unsigned k = 0; k < 3; k++) {
        unsigned by = 4 >> k;
        mach_reg m = cpu_constant(s, wide ? IR_I64 : IR_I32, wide ? masks[k] : (uint32_t)masks[k]);
        mach_reg up = RI(s, wide, SHL, R2(s, wide, AND, r, m), by),
                 down = R2(s, wide, AND, RI(s, wide, SHR, r, by), m);
        r = R2(s, wide, OR, up, down);
    }
    return ir_bits(t) < 32 ? RI(s, false, SHR, r, 32 - ir_bits(t)) : r;
}

static mach_reg funnel(struct cpu_sel *s, const struct ir_inst *i, ir_type t, const mach_reg *args)
{
    unsigned n = ir_bits(t);
    bool wide = n == 64, left = i->op == IR_OP_fshl;
    uint64_t c;
    if (n < 32)
        return MACH_NONE;
    if (cpu_known(i, 2, &c)) {
        unsigned k = (unsigned)c & (n - 1), by = left ? k : n - k;
        if (!k)
            return args[left ? 0 : 1];
        return cpu_3(s, wide ? X64_SHLDxi : X64_SHLDwi, x64_r(s, wide), args[0], args[1], by);
    }
    /* by c one way, by 1 and then by the rest the other way; counts are taken mod n */
    mach_reg rest = R1(s, wide, NOT, args[2]), x, y;
    if (left) {
        x = R2(s, wide, SHLX, args[0], args[2]);
        y = R2(s, wide, SHRX, RI(s, wide, SHR, args[1], 1), rest);
    } else {
        x = R2(s, wide, SHRX, args[1], args[2]);
        y = R2(s, wide, SHLX, RI(s, wide, SHL, args[0], 1), rest);
    }
    return R2(s, wide, OR, x, y);
}

static mach_reg one_bit(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *args)
{
    switch (cpu_bit_op(i->op)) {
    case IR_OP_and: return R2(s, false, AND, args[0], args[1]);
    case IR_OP_or: return R2(s, false, OR, args[0], args[1]);
    case IR_OP_xor: return R2(s, false, XOR, args[0], args[1]);
    case IR_OP_not: return RI(s, false, XOR, args[0], 1);
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
    case IR_OP_sub:
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor: return plain(s, i, t, args);
    case IR_OP_umulhi:
    case IR_OP_smulhi: return high(s, i, t, args);
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem: return divide(s, i, t, args);
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return shift(s, i, t, args);
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: return least(s, i, t, args);
    case IR_OP_not: return narrow(s, t, R1(s, wide, NOT, args[0]));
    case IR_OP_neg: return narrow(s, t, R1(s, wide, NEG, args[0]));
    case IR_OP_popc: return R1(s, wide, POPCNT, args[0]);
    case IR_OP_clz: {
        mach_reg r = R1(s, wide, LZCNT, args[0]);
        return n < 32 ? RI(s, false, SUB, r, 32 - n) : r;
    }
    case IR_OP_brev: return reverse(s, t, args[0]);
    case IR_OP_fshl:
    case IR_OP_fshr: return funnel(s, i, t, args);
    default: return MACH_NONE;
    }
}

/* ---- elementwise: floats ---- */
unsigned x64_rounding(unsigned mode)
{
    enum { QUIET = 8 };
    static const uint8_t by[] = {[IR_RN] = 0, [IR_RZ] = 3, [IR_RU] = 2, [IR_RD] = 1};
    return QUIET | by[mode & 3];
}

static bool rounding_of(unsigned op, unsigned *how)
{
    switch (op) {
    case IR_OP_ffloor: *how = x64_rounding(IR_RD); return true;
    case IR_OP_fceil: *how = x64_rounding(IR_RU); return true;
    case IR_OP_ftrunc: *how = x64_rounding(IR_RZ); return true;
    case IR_OP_frint: *how = x64_rounding(IR_RN); return true;
    default: return false;
    }
}

#define F2(s, wide, op, a, b) cpu_2(s, (wide) ? X64_##op##d : X64_##op##s, x64_f(s, wide), a, b)

static mach_reg float_op(struct cpu_sel *s, const struct ir_inst *i, bool wide, const mach_reg *in)
{
    mach_reg one = MACH_NONE;
    unsigned how;
    if (rounding_of(i->op, &how))
        return cpu_3(s, wide ? X64_FROUNDd : X64_FROUNDs, x64_f(s, wide), in[0], in[0], how);
    switch (i->op) {
    case IR_OP_fadd: return F2(s, wide, FADD, in[0], in[1]);
    case IR_OP_fsub: return F2(s, wide, FSUB, in[0], in[1]);
    case IR_OP_fmul: return F2(s, wide, FMUL, in[0], in[1]);
    case IR_OP_fdiv: return F2(s, wide, FDIV, in[0], in[1]);
    case IR_OP_fsqrt: return F2(s, wide, FSQRT, in[0], in[0]);
    case IR_OP_fma:
    case IR_OP_mad:
        return cpu_3(s, wide ? X64_FMADDd : X64_FMADDs, x64_f(s, wide), in[0], in[1], in[2]);
    case IR_OP_fneg:
    case IR_OP_fabs:
    case IR_OP_fcopysign: return x64_sign(s, (enum ir_op)i->op, wide, in[0], in[1]);
    case IR_OP_fmin:
    case IR_OP_fmax: return x64_least(s, i->op == IR_OP_fmax, wide, in[0], in[1]);
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast:
        one = cpu_constant(s, wide ? IR_F64 : IR_F32, wide ? UINT64_C(0x3ff) << 52 : 0x3f800000u);
        return F2(s, wide, FDIV, one,
                  i->op == IR_OP_frsqrt_fast ? F2(s, wide, FSQRT, in[0], in[0]) : in[0]);
    default: return MACH_NONE;
    }
}

/* ---- elementwise: conversions ---- */
/* 32-bit integers no greater than `most`, nor, if they have signs, less than `least`. */
static mach_reg clamp(struct cpu_sel *s, bool is_signed, mach_reg r, uint32_t most, uint32_t least)
{
    mach_reg top = cpu_constant(s, IR_I32, most), bottom = cpu_constant(s, IR_I32, least);
    mach_put(s->f, X64_CMPw, r, top);
    r = pick(s, false, r, top, is_signed ? X64_G : X64_A);
    if (!is_signed)
        return r;
    mach_put(s->f, X64_CMPw, r, bottom);
    return pick(s, false, r, bottom, X64_L);
}

static mach_reg to_unsigned(struct cpu_sel *s, unsigned n, mach_reg a)
{
    /* negative and NaN become 0; what is too large has high bits */
    mach_reg x = cpu_2(s, X64_VMAXs, x64_f(s, false), a, cpu_splat(s, IR_I32, 0));
    mach_reg r = cpu_1(s, X64_CVTsx, x64_r(s, true), x),
             most = cpu_constant(s, IR_I64, (UINT64_C(1) << n) - 1);
    mach_put(s->f, X64_CMPx, r, most);
    return cpu_1(s, X64_LOWw, x64_r(s, false), pick(s, true, r, most, X64_A));
}

/* What is too large, or NaN, comes out as the top bit alone: right but for great positive values.
 */
static mach_reg to_long(struct cpu_sel *s, mach_reg a)
{
    mach_reg edge = cpu_constant(s, IR_F64, UINT64_C(0x43e) << 52); /* 2^63 */
    if (s->t->masks) { /* the flags say what is as great */
        const mach_reg v = cpu_1(s, X64_CVTdx, x64_r(s, true), a), flipped = R1(s, true, NOT, v);
        mach_put(s->f, X64_UCOMId, a, edge);
        return pick(s, true, v, flipped, X64_AE);
    }
    mach_reg big = cpu_3(s, X64_VCMPd, x64_f(s, true), edge, a, X64_LE_OS);
    mach_reg r = cpu_1(s, X64_CVTdx, x64_r(s, true), a);
    return R2(s, true, XOR, r, cpu_1(s, X64_MOVxv, x64_r(s, true), big));
}

/* From double. Negative numbers become 0, NaN stays NaN: it is the second operand. */
static mach_reg not_below_zero(struct cpu_sel *s, mach_reg a)
{
    return cpu_2(s, X64_VMAXd, x64_f(s, true), cpu_constant(s, IR_F64, 0), a);
}

/* Of NaN the top bit comes out, in the upper half. */
static mach_reg to_unsigned_word(struct cpu_sel *s, mach_reg a)
{
    const mach_reg top = cpu_constant(s, IR_F64, UINT64_C(0x41efffffffe00000)), /* 2^32 - 1 */
        x = cpu_2(s, X64_VMINd, x64_f(s, true), top, not_below_zero(s, a)),
                   r = cpu_1(s, X64_CVTdx, x64_r(s, true), x);
    return cpu_1(s, X64_LOWw, x64_r(s, false), R2(s, true, OR, r, RI(s, true, SHR, r, 32)));
}

/* From 2^63 on the top bit comes out, and of what is above it the rest; from 2^64 on, all bits. */
static mach_reg to_unsigned_long(struct cpu_sel *s, mach_reg a)
{
    const mach_reg edge = cpu_constant(s, IR_F64, UINT64_C(0x43e) << 52), /* 2^63 */
        end = cpu_constant(s, IR_F64, UINT64_C(0x43f) << 52), x = not_below_zero(s, a),
                   low = cpu_1(s, X64_CVTdx, x64_r(s, true), x),
                   above = cpu_1(s, X64_CVTdx, x64_r(s, true), F2(s, true, FSUB, x, edge)),
                   rest = R2(s, true, AND, above, RI(s, true, SAR, low, 63)),
                   r = R2(s, true, OR, low, rest), all = cpu_constant(s, IR_I64, ~UINT64_C(0));
    mach_put(s->f, X64_UCOMId, x, end);
    return pick(s, true, r, all, X64_AE);
}

static mach_reg to_integer(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                           mach_reg a)
{
    unsigned n = ir_bits(t), mode = i->flags & IR_ROUND_MASK;
    bool is_signed = i->op == IR_OP_ftosi, wide = ir_kind(from) == IR_F64;
    if (n == 1 || !cpu_is_float(from) || (wide && n < 32))
        return MACH_NONE;
    if (i->flags & IR_FTZ && !wide)
        a = x64_flush(s, a);
    if (mode != IR_RZ)
        a = cpu_3(s, wide ? X64_FROUNDd : X64_FROUNDs, x64_f(s, wide), a, a, x64_rounding(mode));
    if (n == 64 && !wide)
        a = cpu_2(s, X64_CVTsd, x64_f(s, true), a, a);
    if (n == 64)
        return is_signed ? to_long(s, a) : to_unsigned_long(s, a);
    if (!is_signed)
        return wide ? to_unsigned_word(s, a) : to_unsigned(s, n, a);
    if (wide) { /* NaN stays NaN: it is the second operand */
        mach_reg top = cpu_constant(s, IR_F64, UINT64_C(0x41dfffffffc00000));
        return cpu_1(s, X64_CVTdw, x64_r(s, false), cpu_2(s, X64_VMINd, x64_f(s, true), top, a));
    }
    mach_reg r = cpu_1(s, X64_MOVwv, x64_r(s, false), x64_to_i32(s, a));
    if (n == 32)
        return r;
    uint32_t most = (1u << (n - 1)) - 1;
    return narrow(s, t, clamp(s, true, r, most, ~most));
}

/* Both halves as they are in doubles of 2^52 and 2^84; what is added last is rounded, once. */
static mach_reg double_of_unsigned(struct cpu_sel *s, mach_reg a)
{
    const mach_reg low = cpu_1(s, X64_LOWw, x64_r(s, false), a), high = RI(s, true, SHR, a, 32),
                   of_low = cpu_constant(s, IR_I64, UINT64_C(0x433) << 52),
                   of_high = cpu_constant(s, IR_I64, UINT64_C(0x453) << 52),
                   both = cpu_constant(s, IR_F64, UINT64_C(0x4530000000100000)),
                   x = cpu_1(s, X64_MOVvx, x64_f(s, true), R2(s, true, OR, low, of_low)),
                   y = cpu_1(s, X64_MOVvx, x64_f(s, true), R2(s, true, OR, high, of_high));
    return F2(s, true, FADD, F2(s, true, FSUB, y, both), x);
}

/* What has the top bit set is halved first, with a bit for what falls off, and doubled after. */
static mach_reg float_of_unsigned(struct cpu_sel *s, mach_reg a)
{
    const mach_reg half = R2(s, true, OR, RI(s, true, SHR, a, 1), RI(s, true, AND, a, 1));
    mach_put(s->f, X64_TESTx, a, a);
    const mach_reg x = cpu_2(s, X64_CVTxs, x64_f(s, false), cpu_splat(s, IR_I32, 0),
                             pick(s, true, a, half, X64_L)),
                   once = cpu_1(s, X64_MOVwv, x64_r(s, false), x),
                   twice = cpu_1(s, X64_MOVwv, x64_r(s, false), F2(s, false, FADD, x, x));
    mach_put(s->f, X64_TESTx, a, a);
    return cpu_1(s, X64_MOVvw, x64_f(s, false), pick(s, false, once, twice, X64_L));
}

static mach_reg from_integer(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                             mach_reg a)
{
    bool is_signed = i->op == IR_OP_sitof, wide = ir_kind(t) == IR_F64, x = ir_bits(from) == 64;
    if (i->flags & (IR_ROUND_MASK | IR_FTZ) || !cpu_is_float(t))
        return MACH_NONE;
    if (!is_signed && x)
        return wide ? double_of_unsigned(s, a) : float_of_unsigned(s, a);
    if (is_signed)
        a = widen(s, from, a);
    else
        x = true; /* zeros above */
    unsigned op = wide ? (x ? X64_CVTxd : X64_CVTwd) : x ? X64_CVTxs : X64_CVTws;
    return cpu_2(s, op, x64_f(s, wide), cpu_splat(s, IR_I32, 0), a);
}

static mach_reg float_to_float(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                               mach_reg a)
{
    enum ir_kind k = ir_kind(t), q = ir_kind(from);
    bool nearest = !(i->flags & (IR_ROUND_MASK | IR_FTZ));
    if (k == q)
        return nearest ? a : MACH_NONE;
    if (!nearest && !(ir_bits(t) > ir_bits(from) && !(i->flags & IR_FTZ)))
        return MACH_NONE;
    if ((q == IR_BF16 && k != IR_F16) || (q == IR_F16 && k != IR_BF16)) {
        if (q == IR_BF16)
            a = RI(s, false, SHL, a, 16);
        mach_reg r = cpu_1(s, X64_MOVvw, x64_f(s, false), a);
        if (q == IR_F16)
            r = cpu_1(s, X64_VCVThs, x64_f(s, false), r);
        return k == IR_F64 ? cpu_2(s, X64_CVTsd, x64_f(s, true), r, r) : r;
    }
    if (k == IR_F16 && q == IR_F32) {
        mach_reg h = cpu_2(s, X64_VCVTsh, x64_f(s, false), a, 0);
        return cpu_1(s, X64_MOVZXh, x64_r(s, false), cpu_1(s, X64_MOVwv, x64_r(s, false), h));
    }
    if (!cpu_is_float(t) || !cpu_is_float(from))
        return MACH_NONE;
    return cpu_2(s, k == IR_F64 ? X64_CVTsd : X64_CVTds, x64_f(s, k == IR_F64), a, a);
}

static mach_reg extend(struct cpu_sel *s, ir_type t, ir_type from, mach_reg a)
{
    if (ir_bits(t) < 64)
        return narrow(s, t, widen(s, from, a));
    mach_reg d = x64_r(s, true);
    switch (ir_bits(from)) {
    case 1: return R1(s, true, NEG, a);
    case 8: return cpu_1(s, X64_MOVSXbx, d, a);
    case 16: return cpu_1(s, X64_MOVSXhx, d, a);
    default: return cpu_1(s, X64_MOVSXD, d, a);
    }
}

static mach_reg convert(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                        mach_reg a)
{
    switch (i->op) {
    case IR_OP_trunc:
        return ir_bits(t) == 32 ? cpu_1(s, X64_LOWw, x64_r(s, false), a) : narrow(s, t, a);
    case IR_OP_zext: return ir_bits(t) == 64 ? cpu_1(s, MACH_COPY, x64_r(s, true), a) : a;
    case IR_OP_sext: return extend(s, t, from, a);
    case IR_OP_fcvt: return float_to_float(s, i, t, from, a);
    case IR_OP_ftosi:
    case IR_OP_ftoui: return to_integer(s, i, t, from, a);
    case IR_OP_sitof:
    case IR_OP_uitof: return from_integer(s, i, t, from, a);
    case IR_OP_bitcast:
        if (cpu_is_float(from) == cpu_is_float(t))
            return a;
        return cpu_is_float(from) ? to_bits(s, from, a) : from_bits(s, t, a);
    default: return a; /* ptrtoint, inttoptr */
    }
}

static mach_reg half_sign(struct cpu_sel *s, bool negate, mach_reg v)
{
    return negate ? RI(s, false, XOR, v, 0x8000) : RI(s, false, AND, v, 0x7fff);
}

static mach_reg compare_flag(struct cpu_sel *s, const struct ir_inst *i, ir_type from,
                             const mach_reg *args)
{
    return flag(s, compare(s, i, from, args));
}

static const struct cpu_scalars scalars = {.integer = integer,
                                           .floating = float_op,
                                           .half_sign = half_sign,
                                           .convert = convert,
                                           .compare = compare_flag,
                                           .flush = x64_flush};

/* ---- atomics ---- */
#define BYTES(op)                                                                                  \
    {                                                                                              \
        X64_##op##b, X64_##op##h, X64_##op##w, X64_##op##x                                         \
    }
static mach_reg swap(struct cpu_sel *s, enum ir_rmw kind, ir_type t, mach_reg p, mach_reg v)
{
    static const uint16_t add[] = BYTES(XADD), exchange[] = BYTES(XCHG);
    bool wide = ir_bits(t) == 64, adds = kind == IR_RMW_ADD || kind == IR_RMW_SUB;
    if ((!adds && kind != IR_RMW_XCHG) || (adds && ir_class(t) != IR_CLASS_INT))
        return MACH_NONE;
    v = to_bits(s, t, v);
    if (kind == IR_RMW_SUB)
        v = narrow(s, t, R1(s, wide, NEG, v));
    mach_reg r = cpu_3(s, (adds ? add : exchange)[cpu_log_bytes(t)], x64_r(s, wide), v, p, 0);
    return cpu_is_float(t) ? from_bits(s, t, r) : r;
}

static mach_reg cas(struct cpu_sel *s, ir_type t, mach_reg p, mach_reg old, mach_reg new)
{
    static const uint16_t ops[] = BYTES(CAS);
    struct mach_pin uses[] = {{old, X64_RAX}, {new, X64_RDX}, {p, X64_RCX}},
                    made = {x64_r(s, ir_bits(t) == 64), X64_RAX};
    const mach_set clobbers[MACH_CLASSES] = {1 << X64_RAX};
    mach_fixed(s->f, ops[cpu_log_bytes(t)], (const int64_t[]){X64_RDX, X64_RCX, 0}, 3, &made, 1,
               uses, 3, clobbers);
    return made.virtual;
}

/* ---- instructions ---- */
static void add_pointer(struct cpu_sel *s, struct ir_inst *i)
{
    struct ir_value *index;
    unsigned shift;
    bool is_signed;
    mach_reg base = cpu_reg(s, i->args[0]), d = x64_r(s, true), x;
    if (cpu_indexed(i, CPU_MOST_SHIFT, &index, &shift, &is_signed)) {
        x = cpu_1(s, is_signed ? X64_MOVSXD : MACH_COPY, x64_r(s, true), cpu_reg(s, index));
        if (shift > 3) /* which is what addresses scale by */
            x = RI(s, true, SHL, x, shift - 3), shift = 3;
        mach_put(s->f, X64_LEAXx, d, base, x, shift, 0);
        cpu_set(s, i, d);
        return;
    }
    if (cpu_scaled(i, CPU_MOST_SCALE, &index, &shift)) {
        mach_put(s->f, X64_LEAXx, d, base, cpu_reg(s, index), shift, 0);
        cpu_set(s, i, d);
        return;
    }
    if (ir_is_const(i->args[1])) {
        cpu_set(s, i, x64_add(s, base, (int64_t)i->args[1]->u.bits));
        return;
    }
    mach_put(s->f, X64_LEAXx, d, base, cpu_reg(s, i->args[1]), 0, 0);
    cpu_set(s, i, d);
}

static void choice(struct cpu_sel *s, struct ir_inst *i)
{
    ir_type t = i->type;
    mach_reg yes = to_bits(s, t, cpu_reg(s, i->args[1])),
             no = to_bits(s, t, cpu_reg(s, i->args[2]));
    unsigned c = decide(s, i, i->args[0]);
    cpu_set(s, i, choose_by(s, t, c, yes, no));
}

/* Loads are ordered by the machine; a store that all must see in one order is an exchange. */
static void store(struct cpu_sel *s, struct ir_inst *i)
{
    static const uint16_t exchange[] = BYTES(XCHG);
    ir_type t = i->args[1]->type;
    mach_reg v = cpu_reg(s, i->args[1]);
    if (ir_order(i->flags) > IR_ORDER_RELAXED) {
        cpu_3(s, exchange[cpu_log_bytes(t)], x64_r(s, ir_bits(t) == 64), to_bits(s, t, v),
              cpu_reg(s, cpu_address(s, i->args[0]).base), cpu_address(s, i->args[0]).offset);
        return;
    }
    struct cpu_address a = cpu_address(s, i->args[0]);
    x64_store(s, t, v, cpu_reg(s, a.base), a.offset);
}

static bool select(struct cpu_sel *s, struct ir_inst *i)
{
    ir_type t = i->nresults ? i->results[0].type : IR_VOID;
    switch (i->op) {
    case IR_OP_load: {
        struct cpu_address a = cpu_address(s, i->args[0]);
        mach_reg r = x64_load(s, t, cpu_reg(s, a.base), a.offset);
        cpu_set(s, i, ir_kind(t) == IR_I1 ? narrow(s, t, r) : r);
        return true;
    }
    case IR_OP_store: store(s, i); return true;
    case IR_OP_fence:
        if (ir_scope(i->flags) != IR_SCOPE_BLOCK)
            mach_emit(s->f, X64_MFENCE, NULL, 0);
        return true;
    case IR_OP_ptradd: add_pointer(s, i); return true;
    case IR_OP_select: choice(s, i); return true;
    default: return false;
    }
}

/* ---- control flow ---- */
static void branch_if(struct cpu_sel *s, unsigned condition, uint32_t yes, uint32_t no)
{
    mach_put(s->f, X64_JC, condition, 0);
    mach_branch(s->f, yes, no);
}

static void branch(struct cpu_sel *s, struct ir_value *cond, uint32_t yes, uint32_t no)
{
    branch_if(s, decide(s, s->inst, cond), yes, no);
}

static void compare_constant(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k)
{
    bool wide = ir_bits(t) == 64;
    int64_t x = wide ? (int64_t)k : (int32_t)k;
    if (x == (int32_t)x)
        mach_put(s->f, wide ? X64_CMPxi : X64_CMPwi, v, x);
    else
        mach_put(s->f, X64_CMPx, v, cpu_constant(s, IR_I64, k));
}

static void branch_equal(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no)
{
    compare_constant(s, t, v, k);
    branch_if(s, X64_E, yes, no);
}

static void branch_below(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no)
{
    compare_constant(s, t, v, k);
    branch_if(s, X64_B, yes, no);
}

static void branch_nonzero(struct cpu_sel *s, mach_reg v, uint32_t yes, uint32_t no)
{
    mach_put(s->f, X64_TESTw, v, v);
    branch_if(s, X64_NE, yes, no);
}

static void prefetch(struct cpu_sel *s, mach_reg base, int64_t offset)
{
    const bool fits = offset == (int32_t)offset;
    mach_put(s->f, X64_PREFETCH, fits ? base : x64_add(s, base, offset), fits ? offset : 0);
}

/* What AVX2 and AVX-512 do alike. */
#define SHARED_PARTS                                                                               \
    .gpr = X64_GPR, .vec = X64_VEC, .constant = constant, .load = x64_load,                        \
    .load_to = x64_load_to, .store = x64_store, .to_bits = to_bits, .from_bits = from_bits,        \
    .scalars = &scalars, .add = x64_add, .choose = choose, .swap = swap, .cas = cas,               \
    .splat = x64_splat, .literal = x64_literal, .extract = x64_extract, .insert = x64_insert,      \
    .blank = x64_blank, .load_lanes = x64_load_lanes, .load_parts = x64_load_parts,                \
    .transpose = x64_transpose, .store_part = x64_store_part, .store_lane = x64_store_lane,        \
    .prefetch = prefetch, .select = select, .branch = branch, .branch_equal = branch_equal,        \
    .branch_below = branch_below, .branch_nonzero = branch_nonzero, .host = x64_host,              \
    .calling = &x64_calling, .stubs = x64_stubs

const struct cpu_machine x64_selection = {
    SHARED_PARTS,
    .name = "x64",
    .machine = &x64_machine,
    .vector_bytes = X64_VECTOR,
    .held = 32,
    .divide = DIVIDE_SHORT | DIVIDE_LONG,
    .least_offset = -(1 << 30),
    .most_offset = 1 << 30,
    .vectors = &x64_vectors,
    .pick = x64_pick,
    .shuffle = x64_shuffle,
    .least_shuffled = 4,
    .branch_vote = x64_branch_vote,
};

const struct cpu_machine x64_wide_selection = {
    SHARED_PARTS,
    .name = "x64 with AVX-512",
    .machine = &x64_wide_machine,
    .vector_bytes = X64_WIDE_VECTOR,
    .held = 16,
    .divide = DIVIDE_SHORT | DIVIDE_WORDS | DIVIDE_LONG,
    .least_offset = -(1 << 30),
    .most_offset = 1 << 30,
    .vectors = &x64_wide_vectors,
    .masks = &x64_wide_masks,
    .pick = x64_wide_pick,
    .shuffle = x64_wide_shuffle,
    .least_shuffled = 2,
    .branch_vote = x64_wide_branch_vote,
};

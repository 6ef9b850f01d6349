/* Vectors for x86-64 with AVX-512: chunks of 512 bits, masks in registers of their own. Only what
 * differs from vector.c and widths.c, which call the rest here. */
#include <string.h>
#include "back/x64/x64_vector.h"

#define BHSD(op)                                                                                   \
    {                                                                                              \
        X64_##op##b, X64_##op##h, X64_##op##s, X64_##op##d                                         \
    }

static mach_reg mask_1(struct cpu_sel *s, unsigned op, int64_t a)
{
    return cpu_1(s, op, cpu_mask(s), a);
}
static mach_reg mask_2(struct cpu_sel *s, unsigned op, int64_t a, int64_t b)
{
    return cpu_2(s, op, cpu_mask(s), a, b);
}
static mach_reg mask_3(struct cpu_sel *s, unsigned op, int64_t a, int64_t b, int64_t c)
{
    return cpu_3(s, op, cpu_mask(s), a, b, c);
}

/* ---- masks ---- */
static mach_reg mask_not(struct cpu_sel *s, mach_reg a)
{
    return mask_1(s, X64_KNOT, a);
}

static mach_reg mask_and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return mask_2(s, X64_KANDN, b, a);
}

static mach_reg mask_constant(struct cpu_sel *s, bool set)
{
    return mach_remat(s->f, X64_MASK, 8, set ? X64_KONES : X64_KZERO, (const int64_t[]){0}, 1);
}

static mach_reg to_bits(struct cpu_sel *s, mach_reg mask)
{
    return cpu_1(s, X64_KTOh, x64_r(s, false), mask);
}

static mach_reg from_bits(struct cpu_sel *s, mach_reg bits)
{
    return mask_1(s, X64_KFROMw, bits);
}

static mach_reg bit_of(struct cpu_sel *s, mach_reg bits, unsigned k)
{
    const mach_reg low = k ? cpu_2(s, X64_SHRwi, x64_r(s, false), bits, k) : bits;
    return cpu_2(s, X64_ANDwi, x64_r(s, false), low, 1);
}

static mach_reg with_bit(struct cpu_sel *s, mach_reg bits, unsigned k, mach_reg bit)
{
    const int64_t others = (int32_t) ~(UINT32_C(1) << k);
    const mach_reg rest = cpu_2(s, X64_ANDwi, x64_r(s, false), bits, others);
    const mach_reg up = k ? cpu_2(s, X64_SHLwi, x64_r(s, false), bit, k) : bit;
    return cpu_2(s, X64_ORw, x64_r(s, false), rest, up);
}

/* Lanes twice as narrow have twice as many in a chunk: masks are joined in pairs; of wider ones,
 * each has a part of a mask. */
static void masks_as(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                     unsigned lanes, mach_reg *out)
{
    static const uint16_t join[] = {X64_KJOINs, X64_KJOINh, X64_KJOINb};
    const unsigned n = cpu_chunks_of(s, lanes, to), per = X64_WIDE_VECTOR >> to,
                   held = X64_WIDE_VECTOR >> from;
    mach_reg a[CPU_MOST_CHUNKS];
    if (from <= to) {
        for (unsigned k = 0; k < n; k++) {
            const unsigned at = k * per % held;
            out[k] = at ? mask_2(s, X64_KSHRq, in[k * per / held], at) : in[k * per / held];
        }
        return;
    }
    memcpy(a, in, cpu_chunks_of(s, lanes, from) * sizeof *a);
    for (unsigned k = from; k > to; k--)
        for (unsigned q = 0, m = cpu_chunks_of(s, lanes, k); q + 1 < m; q += 2)
            a[q / 2] = mask_2(s, join[k - 1], a[q + 1], a[q]);
    memcpy(out, a, n * sizeof *a);
}

static mach_reg spread(struct cpu_sel *s, unsigned lane, mach_reg mask)
{
    static const uint16_t ops[] = BHSD(KSPREAD);
    return cpu_v1(s, ops[lane], mask);
}

static mach_reg narrow(struct cpu_sel *s, unsigned lane, mach_reg v)
{
    static const uint16_t ops[] = BHSD(KTOP);
    return mask_1(s, ops[lane], v);
}

const struct cpu_masks x64_wide_masks = {
    .class = X64_MASK,
    .and = X64_KAND,
    .or = X64_KOR,
    .xor = X64_KXOR,
    .not = mask_not,
    .and_not = mask_and_not,
    .constant = mask_constant,
    .to_bits = to_bits,
    .from_bits = from_bits,
    .bit = bit_of,
    .with_bit = with_bit,
    .as = masks_as,
    .spread = spread,
    .narrow = narrow,
};

mach_reg x64_wide_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no)
{
    static const uint16_t either[] = BHSD(KPICK), only[] = BHSD(KKEEP);
    return no == MACH_NONE ? cpu_v2(s, only[lane], mask, yes)
                           : cpu_v3(s, either[lane], mask, no, yes);
}

/* All chunks in one, by and or or, and only the bits of lanes. */
static mach_reg folded(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    return cpu_fold_mask(s, mask, op);
}

static mach_reg folded_bits(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    const unsigned lanes = cpu_lanes(s, mask->type);
    const mach_reg r = to_bits(s, folded(s, mask, op));
    return lanes < 16 ? cpu_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1) : r;
}

/* Emits what decides a vote; the condition that holds if it is true. */
static unsigned decide_vote(struct cpu_sel *s, struct ir_value *mask, bool all)
{
    const unsigned lanes = cpu_lanes(s, mask->type);
    if (lanes == 16) { /* carry: all are set */
        const mach_reg m = folded(s, mask, all ? X64_KAND : X64_KOR);
        mach_put(s->f, X64_KTEST, m, m);
        return all ? X64_B : X64_NE;
    }
    const mach_reg r = folded_bits(s, mask, all ? X64_KAND : X64_KOR);
    if (all)
        mach_put(s->f, X64_CMPwi, r, (1 << lanes) - 1);
    else
        mach_put(s->f, X64_TESTw, r, r);
    return all ? X64_E : X64_NE;
}

static void vote(struct cpu_sel *s, const struct ir_inst *i)
{
    const unsigned condition = decide_vote(s, i->args[0], i->op == IR_OP_alllanes);
    const mach_reg r = cpu_1(s, X64_SET, x64_r(s, false), condition);
    cpu_set(s, i, cpu_1(s, X64_MOVZXb, x64_r(s, false), r));
}

void x64_wide_branch_vote(struct cpu_sel *s, struct ir_inst *v, uint32_t yes, uint32_t no)
{
    const unsigned condition = decide_vote(s, v->args[0], v->op == IR_OP_alllanes);
    mach_put(s->f, X64_JC, condition, 0);
    mach_branch(s->f, yes, no);
}

static bool mask_bits(struct cpu_sel *s, const struct ir_inst *i)
{
    const ir_type t = i->args[0]->type;
    const mach_reg *m = cpu_regs(s, i->args[0]);
    const unsigned lanes = cpu_lanes(s, t);
    mach_reg r = to_bits(s, m[0]);
    for (unsigned k = 1; k < cpu_chunks(s, t); k++) {
        const mach_reg up = cpu_2(s, X64_SHLwi, x64_r(s, false), to_bits(s, m[k]), k * lanes);
        r = cpu_2(s, X64_ORw, x64_r(s, false), r, up);
    }
    if (lanes < 16)
        r = cpu_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1);
    cpu_set(s, i, r);
    return true;
}

/* ---- comparisons ---- */
static mach_reg compare_floats(struct cpu_sel *s, bool wide, mach_reg a, mach_reg b, unsigned how)
{
    return mask_3(s, wide ? X64_KCMPFd : X64_KCMPFs, a, b, how);
}

mach_reg x64_wide_compare_one(struct cpu_sel *s, bool wide, mach_reg a, mach_reg b, unsigned how)
{
    const mach_reg r = to_bits(s, compare_floats(s, wide, a, b, how));
    return cpu_2(s, X64_ANDwi, x64_r(s, false), r, 1);
}

static mach_reg compare(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                        mach_reg b)
{
    static const uint16_t with_sign[] = BHSD(KCMPS), without[] = BHSD(KCMPU);
    switch (i->op) {
    case IR_OP_feq: return compare_floats(s, lane == 3, a, b, X64_EQ_OQ);
    case IR_OP_fne: return compare_floats(s, lane == 3, a, b, X64_NEQ_UQ);
    case IR_OP_flt: return compare_floats(s, lane == 3, a, b, X64_LT_OS);
    case IR_OP_fle: return compare_floats(s, lane == 3, a, b, X64_LE_OS);
    case IR_OP_funo: return compare_floats(s, lane == 3, a, b, X64_UNORD_Q);
    case IR_OP_eq: return mask_3(s, with_sign[lane], a, b, X64_O_EQ);
    case IR_OP_ne: return mask_3(s, with_sign[lane], a, b, X64_O_NE);
    case IR_OP_slt: return mask_3(s, with_sign[lane], a, b, X64_O_LT);
    case IR_OP_sle: return mask_3(s, with_sign[lane], a, b, X64_O_LE);
    case IR_OP_ult: return mask_3(s, without[lane], a, b, X64_O_LT);
    default: return mask_3(s, without[lane], a, b, X64_O_LE);
    }
}

static mach_reg bit(struct cpu_sel *s, unsigned lane, mach_reg a, mach_reg one)
{
    static const uint16_t ops[] = BHSD(KBIT);
    return mask_2(s, ops[lane], a, one);
}

/* ---- arithmetic ---- */
mach_reg x64_wide_flush(struct cpu_sel *s, mach_reg v)
{
    const mach_reg small = mask_2(s, X64_KNOBITs, v, cpu_splat(s, IR_I32, 0x7f800000u));
    const mach_reg sign = cpu_v2(s, X64_VAND, v, cpu_splat(s, IR_I32, 1u << 31));
    return x64_wide_pick(s, 2, small, sign, v);
}

mach_reg x64_wide_number(struct cpu_sel *s, bool wide, mach_reg a, mach_reg b, mach_reg r)
{
    const unsigned lane = wide ? 3 : 2;
    r = x64_wide_pick(s, lane, compare_floats(s, wide, b, b, X64_UNORD_Q), a, r);
    return x64_wide_pick(s, lane, compare_floats(s, wide, a, a, X64_UNORD_Q), b, r);
}

mach_reg x64_wide_to_i32(struct cpu_sel *s, mach_reg v)
{
    const mach_reg edge = cpu_splat(s, IR_I32, 0x4f000000u), /* 2^31 */
        most = cpu_splat(s, IR_I32, 0x7fffffffu);
    mach_reg r = cpu_v1(s, X64_VCVTsi, v);
    r = x64_wide_pick(s, 2, compare_floats(s, false, edge, v, X64_LE_OS), most, r);
    return x64_wide_pick(s, 2, compare_floats(s, false, v, v, X64_ORD_Q), r, MACH_NONE);
}

/* f64 → 64 bits. Without a sign what is too large comes out as all ones, as what is below zero
 * would; with one as the top bit, as NaN does. */
mach_reg x64_wide_to_long(struct cpu_sel *s, bool is_signed, mach_reg v)
{
    const mach_reg top = cpu_splat(s, IR_I64, UINT64_C(1) << 63);
    if (is_signed) {
        const mach_reg edge = cpu_splat(s, IR_I64, UINT64_C(0x43e) << 52), /* 2^63 */
            most = cpu_splat(s, IR_I64, INT64_MAX);
        return x64_wide_pick(s, 3, compare_floats(s, true, edge, v, X64_LE_OS), most,
                             cpu_v1(s, X64_ZCVTdq, v));
    }
    /* of NaN, the second operand */
    const mach_reg r = cpu_v1(s, X64_ZCVTduq, cpu_v2(s, X64_VMAXd, v, cpu_splat(s, IR_I64, 0)));
    return x64_wide_pick(s, 3, compare_floats(s, true, v, v, X64_UNORD_Q), top, r);
}

mach_reg x64_wide_shift(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a, mach_reg by)
{
    static const uint16_t left[] = {0, X64_ZSHLVh, X64_VSHLVs, X64_VSHLVd},
                          right[] = {0, X64_ZSHRVh, X64_VSHRVs, X64_VSHRVd},
                          signs[] = {0, X64_ZSARVh, X64_VSARVs, X64_ZSARVd};
    const unsigned how = (op == IR_OP_shl ? left : op == IR_OP_lshr ? right : signs)[lane];
    return how ? cpu_v2(s, how, a, by) : MACH_NONE;
}

/* ---- lanes ---- */
mach_reg x64_wide_pack(struct cpu_sel *s, unsigned from, mach_reg a, mach_reg b)
{
    static const uint16_t ops[] = {0, X64_ZLESSh, X64_ZLESSs, X64_ZLESSd};
    const mach_reg low = cpu_v1(s, ops[from], a);
    return b == MACH_NONE ? low : cpu_v3(s, X64_VJOIN, low, cpu_v1(s, ops[from], b), 1);
}

mach_reg x64_wide_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                          const unsigned *index)
{
    static const uint16_t one[] = {0, X64_ZPERMh, X64_VPERMs, X64_ZPERMd},
                          two[] = {0, X64_ZPICKh, X64_ZPICKs, X64_ZPICKd};
    const unsigned lane = (unsigned)__builtin_ctz(size), n = X64_WIDE_VECTOR / size;
    uint8_t bytes[X64_WIDE_VECTOR] = {0};
    bool from[2] = {false, false};
    for (unsigned l = 0; l < n; l++)
        from[index[l] >= n] = true;
    for (unsigned l = 0; l < n; l++) {
        const uint64_t at = from[0] && from[1] ? index[l] : index[l] % n;
        memcpy(bytes + l * size, &at, size);
    }
    const mach_reg at = cpu_literal(s, bytes);
    if (from[0] && from[1])
        return cpu_v3(s, two[lane], a, at, b);
    return cpu_v2(s, one[lane], at, from[0] ? a : b);
}

/* Two chunks give their lanes to one instruction; of more, each pair does, and the right one is
 * taken. */
static bool permute(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t order[] = BHSD(KCMPU);
    const ir_type t = i->type;
    const unsigned lane = cpu_log_lane(t), n = cpu_chunks(s, t), lanes = ir_lanes(t);
    const bool wide = lane == 3;
    mach_reg index[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS], a[CPU_MOST_CHUNKS];
    if (lane < 2 || n > 8)
        return false;
    cpu_lanes_of(s, i->args[0], a);
    x64_resize(s, cpu_regs(s, i->args[1]), 2, lane, lanes, false, index);
    const ir_type it = cpu_integer_of(lane);
    for (unsigned k = 0; k < n; k++) {
        const mach_reg at = cpu_v2(s, X64_VAND, index[k], cpu_splat(s, it, lanes - 1));
        if (n == 1) {
            out[k] = cpu_v2(s, wide ? X64_ZPERMd : X64_VPERMs, at, a[0]);
            continue;
        }
        for (unsigned c = 0; c < n; c += 2) {
            const mach_reg x = cpu_v3(s, wide ? X64_ZPICKd : X64_ZPICKs, a[c], at, a[c + 1]);
            const mach_reg first = cpu_splat(s, it, (uint64_t)c * cpu_lanes(s, t));
            out[k] =
                c ? x64_wide_pick(s, lane, mask_3(s, order[lane], first, at, X64_O_LE), x, out[k])
                  : x;
        }
    }
    cpu_set_lanes(s, i, out);
    return true;
}

/* Integers of 32 bits: whole chunks first, then halves of the last one. */
static bool reduce(struct cpu_sel *s, const struct ir_inst *i)
{
    static const struct {
        enum ir_rmw kind;
        uint16_t op;
    } table[] = {{IR_RMW_ADD, X64_VIADDs},   {IR_RMW_UMIN, X64_VIMINUs}, {IR_RMW_UMAX, X64_VIMAXUs},
                 {IR_RMW_SMIN, X64_VIMINSs}, {IR_RMW_SMAX, X64_VIMAXSs}, {IR_RMW_AND, X64_VAND},
                 {IR_RMW_OR, X64_VOR},       {IR_RMW_XOR, X64_VXOR}};
    const ir_type t = i->args[0]->type;
    const unsigned lanes = cpu_lanes(s, t);
    if (ir_kind(t) != IR_I32 || lanes < 4)
        return false;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].kind != i->imm)
            continue;
        const mach_reg *a = cpu_regs(s, i->args[0]);
        mach_reg r = a[0];
        for (unsigned c = 1; c < cpu_chunks(s, t); c++)
            r = cpu_v2(s, table[k].op, r, a[c]);
        if (lanes > 8)
            r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VHIGH, r, 1));
        if (lanes > 4)
            r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_ZQUARTER, r, 1));
        r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VSHUFsi, r, 0x4e));
        r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VSHUFsi, r, 0xb1));
        cpu_set(s, i, cpu_1(s, X64_MOVwv, x64_r(s, false), r));
        return true;
    }
    return false;
}

/* ---- memory ---- */
/* Masks of all chunks, for lanes of this width; lanes that a chunk has to spare do not run. */
static void running(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out)
{
    const unsigned lanes = ir_lanes(mask->type), per = X64_WIDE_VECTOR >> lane;
    cpu_mask_as(s, mask, lane, out);
    if (lanes >= per || lanes > 16) /* those that were joined have zeros above */
        return;
    const mach_reg some = from_bits(s, cpu_constant(s, IR_I32, (UINT64_C(1) << lanes) - 1));
    out[0] = mask_2(s, X64_KAND, out[0], some);
}

static bool load(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(KLD);
    const ir_type t = i->type, chunk = ir_vector(t, cpu_lanes(s, t));
    const unsigned lane = cpu_log_lane(t);
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const mach_reg base = cpu_reg(s, a.base);
    mach_reg out[CPU_MOST_CHUNKS], m[CPU_MOST_CHUNKS];
    if (mask)
        running(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        const unsigned first = cpu_first_lanes(s, mask, t, k);
        out[k] = first == CPU_SOME_LANES ? cpu_v3(s, ops[lane], m[k], base, at)
                                         : x64_load_first(s, t, first, base, at);
    }
    cpu_set_all(s, i, out);
    return true;
}

static bool store(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(KST);
    const ir_type t = i->args[1]->type, chunk = ir_vector(t, cpu_lanes(s, t));
    const unsigned lane = cpu_log_lane(t);
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const mach_reg base = cpu_reg(s, a.base), *v = cpu_regs(s, i->args[1]);
    mach_reg m[CPU_MOST_CHUNKS];
    if (mask)
        running(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        const unsigned first = cpu_first_lanes(s, mask, t, k);
        if (first == CPU_SOME_LANES)
            mach_put(s->f, ops[lane], v[k], m[k], base, at);
        else
            x64_store_first(s, t, first, v[k], base, at);
    }
    return true;
}

/* The mask is used up by the instruction, so that it stands in a certain register. */
enum { VALUE = X64_Y0, ADDRESSES, MASK = X64_K1 };

static mach_reg gather_now(struct cpu_sel *s, unsigned op, mach_reg at, mach_reg mask)
{
    struct mach_pin uses[] = {{cpu_splat(s, IR_I32, 0), VALUE}, {at, ADDRESSES}, {mask, MASK}},
                    made = {cpu_chunk(s), VALUE};
    const mach_set clobbers[MACH_CLASSES] = {0, 1, 1 << (MASK - X64_K0)};
    mach_fixed(s->f, op, (const int64_t[]){VALUE, VALUE, ADDRESSES, MASK}, 4, &made, 1, uses, 3,
               clobbers);
    return made.virtual;
}

static void scatter_now(struct cpu_sel *s, unsigned op, mach_reg v, mach_reg at, mach_reg mask)
{
    struct mach_pin uses[] = {{v, VALUE}, {at, ADDRESSES}, {mask, MASK}};
    const mach_set clobbers[MACH_CLASSES] = {0, 0, 1 << (MASK - X64_K0)};
    mach_fixed(s->f, op, (const int64_t[]){VALUE, ADDRESSES, MASK}, 3, NULL, 0, uses, 3, clobbers);
}

/* Eight addresses are a chunk: of lanes of 32 bits, two of them. */
static bool gather(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    const ir_type t = i->type;
    const unsigned lane = cpu_log_lane(t), lanes = ir_lanes(t);
    (void)mask; /* the instruction wants one in any case */
    if (lane < 2 || lanes < 4)
        return false;
    mach_reg m[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    const mach_reg *p = cpu_regs(s, i->args[0]);
    running(s, i->args[1], 3, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        if (lane == 3) {
            out[k] = gather_now(s, X64_KGATHERqq, p[k], m[k]);
            continue;
        }
        out[k] = gather_now(s, X64_KGATHERqd, p[2 * k], m[2 * k]);
        if (lanes > 8)
            out[k] = cpu_v3(s, X64_VJOIN, out[k],
                            gather_now(s, X64_KGATHERqd, p[2 * k + 1], m[2 * k + 1]), 1);
    }
    cpu_set_all(s, i, out);
    return true;
}

/* Lanes that go to one place do so in their order. */
static bool scatter(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    const ir_type t = i->args[1]->type;
    const unsigned lane = cpu_log_lane(t), lanes = ir_lanes(t);
    (void)mask;
    if (lane < 2 || lanes < 4)
        return false;
    mach_reg m[CPU_MOST_CHUNKS];
    const mach_reg *p = cpu_regs(s, i->args[0]), *v = cpu_regs(s, i->args[1]);
    running(s, i->args[2], 3, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        if (lane == 3) {
            scatter_now(s, X64_KSCATTERqq, v[k], p[k], m[k]);
            continue;
        }
        scatter_now(s, X64_KSCATTERqd, v[k], p[2 * k], m[2 * k]);
        if (lanes > 8)
            scatter_now(s, X64_KSCATTERqd, cpu_v2(s, X64_VHIGH, v[k], 1), p[2 * k + 1],
                        m[2 * k + 1]);
    }
    return true;
}

static mach_reg slide(struct cpu_sel *s, mach_reg high, mach_reg low, unsigned words)
{
    return cpu_v3(s, X64_ZSLIDE, high, low, words);
}

const struct cpu_vectors x64_wide_vectors = {
    X64_VECTORS_OF_BOTH, /* and what masks and memory are like */
    .bit = bit,          .compare = compare, .load = load,
    .store = store,      .gather = gather,   .scatter = scatter,
    .permute = permute,  .reduce = reduce,   .mask_bits = mask_bits,
    .vote = vote,        .slide = slide,
};

/* Vectors for x86-64: lanes of other widths, masks, conversions. */
#include <string.h>
#include "back/x64/x64_vector.h"

/* ---- widths ---- */
enum { HALVES_IN_ORDER = 0xd8 }; /* instructions pack within halves: quarters 0 2 1 3 */

/* b: MACH_NONE: the lanes of a are all there are. It may be the same register: lanes that are all
 * alike have one for all. */
static mach_reg pack(struct cpu_sel *s, unsigned from, mach_reg a, mach_reg b)
{
    mach_reg r;
    if (s->t->masks)
        return x64_wide_pack(s, from, a, b);
    b = b == MACH_NONE ? a : b;
    if (from == 3) {
        r = cpu_v3(s, X64_VSHUFs, a, b, 0x88);
    } else {
        mach_reg low = cpu_splat(s, from == 1 ? IR_I16 : IR_I32, from == 1 ? 0xff : 0xffff);
        mach_reg x = cpu_v2(s, X64_VAND, a, low), y = a == b ? x : cpu_v2(s, X64_VAND, b, low);
        r = cpu_v2(s, from == 1 ? X64_VPACKUh : X64_VPACKUs, x, y);
    }
    return cpu_v2(s, X64_VPERMdi, r, HALVES_IN_ORDER);
}

void x64_resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to, unsigned lanes,
                bool is_signed, mach_reg *out)
{
    static const uint16_t widen[2][3] = {{X64_VZXb, X64_VZXh, X64_VZXs},
                                         {X64_VSXb, X64_VSXh, X64_VSXs}};
    mach_reg a[CPU_MOST_CHUNKS], b[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from), m;
    memcpy(a, in, n * sizeof *a);
    for (; from != to; from += from < to ? 1 : -1u) {
        m = 0;
        for (unsigned k = 0; k < n && from < to; k++) {
            b[m++] = cpu_v1(s, widen[is_signed][from], a[k]);
            if (lanes << from > s->t->vector_bytes / 2)
                b[m++] = cpu_v1(s, widen[is_signed][from], cpu_v2(s, X64_VHIGH, a[k], 1));
        }
        for (unsigned k = 0; k < n && from > to; k += 2)
            b[m++] = pack(s, from, a[k], k + 1 < n ? a[k + 1] : MACH_NONE);
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

/* ---- masks ---- */
static mach_reg compare_floats(struct cpu_sel *s, unsigned op, bool wide, mach_reg a, mach_reg b)
{
    unsigned how = op == IR_OP_feq   ? X64_EQ_OQ
                   : op == IR_OP_fne ? X64_NEQ_UQ
                   : op == IR_OP_flt ? X64_LT_OS
                   : op == IR_OP_fle ? X64_LE_OS
                                     : X64_UNORD_Q;
    return cpu_v3(s, wide ? X64_VCMPd : X64_VCMPs, a, b, how);
}

/* There is "equal", and "greater" with signs: those without are compared with the top bit turned.
 */
mach_reg x64_compare_integers(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a, mach_reg b)
{
    static const uint16_t equal[] = {X64_VICMPEQb, X64_VICMPEQh, X64_VICMPEQs, X64_VICMPEQd},
                          greater[] = {X64_VICMPGTb, X64_VICMPGTh, X64_VICMPGTs, X64_VICMPGTd};
    if (op == IR_OP_eq)
        return cpu_v2(s, equal[lane], a, b);
    if (op == IR_OP_ne)
        return x64_not(s, cpu_v2(s, equal[lane], a, b));
    if (op == IR_OP_ult || op == IR_OP_ule) {
        mach_reg top = cpu_splat(s, cpu_integer_of(lane), UINT64_C(1) << ((8u << lane) - 1));
        a = cpu_v2(s, X64_VXOR, a, top), b = cpu_v2(s, X64_VXOR, b, top);
    }
    if (op == IR_OP_ult || op == IR_OP_slt)
        return cpu_v2(s, greater[lane], b, a);
    return x64_not(s, cpu_v2(s, greater[lane], a, b));
}

mach_reg x64_compare(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                     mach_reg b)
{
    if (ir_class(i->args[0]->type) == IR_CLASS_FLOAT)
        return compare_floats(s, i->op, lane == 3, a, b);
    return x64_compare_integers(s, i->op, lane, a, b);
}

/* All chunks in one, by and or or; a bit for each of its lanes. */
static mach_reg folded(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    mach_reg r = cpu_fold_mask(s, mask, op);
    r = cpu_1(s, X64_VMOVMSKs, x64_r(s, false), r);
    unsigned lanes = cpu_lanes(s, mask->type);
    return lanes < 8 ? cpu_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1) : r;
}

void x64_test_all(struct cpu_sel *s, struct ir_value *mask)
{
    mach_put(s->f, X64_CMPwi, folded(s, mask, X64_VAND), (1 << cpu_lanes(s, mask->type)) - 1);
}

/* Emits what decides a vote; the condition that holds if it is true. */
static unsigned decide_vote(struct cpu_sel *s, const struct ir_inst *i)
{
    if (i->op == IR_OP_alllanes) {
        x64_test_all(s, i->args[0]);
        return X64_E;
    }
    mach_reg r = folded(s, i->args[0], X64_VOR);
    mach_put(s->f, X64_TESTw, r, r);
    return X64_NE;
}

void x64_vote(struct cpu_sel *s, const struct ir_inst *i)
{
    mach_reg r = cpu_1(s, X64_SET, x64_r(s, false), decide_vote(s, i));
    cpu_set(s, i, cpu_1(s, X64_MOVZXb, x64_r(s, false), r));
}

void x64_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no)
{
    mach_put(s->f, X64_JC, decide_vote(s, vote), 0);
    mach_branch(s->f, yes, no);
}

bool x64_mask_bits(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    const mach_reg *m = cpu_regs(s, i->args[0]);
    unsigned lanes = cpu_lanes(s, t);
    mach_reg r = MACH_NONE;
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        mach_reg x = cpu_1(s, X64_VMOVMSKs, x64_r(s, false), m[k]);
        if (k)
            x = cpu_2(s, X64_SHLwi, x64_r(s, false), x, k * lanes);
        r = k ? cpu_2(s, X64_ORw, x64_r(s, false), r, x) : x;
    }
    if (lanes < 8)
        r = cpu_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1);
    cpu_set(s, i, r);
    return true;
}

/* ---- conversions ---- */
#define I32_MOST UINT64_C(0x41dfffffffc00000) /* 2^31 - 1 in f64 */

/* Floats one step wider or narrower at a time; f16 is 1, f32 2, f64 3. */
void x64_resize_floats(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                       unsigned lanes, mach_reg *out)
{
    mach_reg a[CPU_MOST_CHUNKS], b[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from), m;
    memcpy(a, in, n * sizeof *a);
    for (; from != to; from += from < to ? 1 : -1u) {
        m = 0;
        for (unsigned k = 0; k < n && from < to; k++) {
            unsigned op = from == 1 ? X64_VCVThs : X64_VCVTsd;
            b[m++] = cpu_v1(s, op, a[k]);
            if (lanes << from > s->t->vector_bytes / 2)
                b[m++] = cpu_v1(s, op, cpu_v2(s, X64_VHIGH, a[k], 1));
        }
        for (unsigned k = 0; k < n && from > to; k++) {
            mach_reg x = from == 2 ? cpu_v2(s, X64_VCVTsh, a[k], 0) : cpu_v1(s, X64_VCVTds, a[k]);
            if (k % 2)
                b[m - 1] = cpu_v3(s, X64_VJOIN, b[m - 1], x, 1);
            else
                b[m++] = x;
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

/* f32 → u32: from 2^31 on, what is above it, and the top bit. */
static mach_reg to_u32(struct cpu_sel *s, mach_reg v)
{
    if (s->t->masks) /* what is too large comes out as all ones; of NaN, the second operand */
        return cpu_v1(s, X64_ZCVTsu, cpu_v2(s, X64_VMAXs, v, cpu_splat(s, IR_I32, 0)));
    mach_reg edge = cpu_splat(s, IR_I32, 0x4f000000u), end = cpu_splat(s, IR_I32, 0x4f800000u);
    mach_reg x = cpu_v2(s, X64_VMAXs, v, cpu_splat(s, IR_I32, 0)); /* NaN: the second */
    mach_reg big = cpu_v3(s, X64_VCMPs, edge, x, X64_LE_OS),
             huge = cpu_v3(s, X64_VCMPs, end, x, X64_LE_OS);
    mach_reg r = cpu_v1(s, X64_VCVTsi, cpu_v2(s, X64_VSUBs, x, cpu_v2(s, X64_VAND, big, edge)));
    r = cpu_v2(s, X64_VXOR, r, cpu_v2(s, X64_VAND, big, cpu_splat(s, IR_I32, 1u << 31)));
    return cpu_v2(s, X64_VOR, r, huge);
}

/* Halves of chunks, in pairs. */
static void put_half(struct cpu_sel *s, mach_reg *out, unsigned k, mach_reg half)
{
    out[k / 2] = k % 2 ? cpu_v3(s, X64_VJOIN, out[k / 2], half, 1) : half;
}

/* f64 → integers of 32 bits with a sign, or of 64 bits where there are instructions. Of 32 bits:
 * what is too large is made the largest one; too small, or NaN, comes out as the top bit. */
static bool from_doubles(struct cpu_sel *s, const struct ir_inst *i)
{
    const unsigned to = ir_bits(i->results[0].type), mode = i->flags & IR_ROUND_MASK,
                   n = cpu_chunks(s, i->args[0]->type);
    const bool is_signed = i->op == IR_OP_ftosi;
    const mach_reg *in = cpu_regs(s, i->args[0]);
    mach_reg out[CPU_MOST_CHUNKS];
    if (to != 64 && (to != 32 || !is_signed))
        return false;
    for (unsigned k = 0; k < n; k++) {
        const mach_reg x =
            mode == IR_RZ ? in[k] : cpu_v2(s, X64_VROUNDd, in[k], x64_rounding(mode));
        if (to == 64)
            out[k] = (s->t->masks ? x64_wide_to_long : x64_double_to_long)(s, is_signed, x);
        else
            put_half(
                s, out, k,
                cpu_v1(s, X64_VCVTdi, cpu_v2(s, X64_VMINd, cpu_splat(s, IR_I64, I32_MOST), x)));
    }
    cpu_set_all(s, i, out);
    return true;
}

bool x64_to_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned to = ir_bits(t), lanes = ir_lanes(t), mode = i->flags & IR_ROUND_MASK;
    bool is_signed = i->op == IR_OP_ftosi;
    mach_reg in[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    if (ir_kind(f) == IR_F64)
        return from_doubles(s, i);
    if (to == 1 || to == 64 || (ir_kind(f) != IR_F32 && ir_kind(f) != IR_F16))
        return false;
    x64_resize_floats(s, cpu_regs(s, i->args[0]), cpu_log_lane(f), 2, lanes, in);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, 2); k++) {
        mach_reg x = i->flags & IR_FTZ && ir_kind(f) == IR_F32 ? x64_flush(s, in[k]) : in[k];
        if (mode != IR_RZ)
            x = cpu_v2(s, X64_VROUNDs, x, x64_rounding(mode));
        in[k] = is_signed ? x64_to_i32(s, x) : to_u32(s, x);
        if (to < 32 && !is_signed)
            in[k] = cpu_v2(s, X64_VIMINUs, in[k], cpu_splat(s, IR_I32, (1u << to) - 1));
        if (to < 32 && is_signed) {
            in[k] = cpu_v2(s, X64_VIMINSs, in[k], cpu_splat(s, IR_I32, (1u << (to - 1)) - 1));
            in[k] = cpu_v2(s, X64_VIMAXSs, in[k], cpu_splat(s, IR_I32, ~((1u << (to - 1)) - 1)));
        }
    }
    x64_resize(s, in, 2, cpu_log_lane(t), lanes, false, out);
    cpu_set_all(s, i, out);
    return true;
}

/* u32 → f32, rounded once: halves of 16 bits are exact as the low bits of large floats. */
static mach_reg from_u32(struct cpu_sel *s, mach_reg v)
{
    if (s->t->masks)
        return cpu_v1(s, X64_ZCVTus, v);
    mach_reg low = cpu_v2(s, X64_VAND, v, cpu_splat(s, IR_I32, 0xffff)),
             high = cpu_v2(s, X64_VSHRsi, v, 16);
    low = cpu_v2(s, X64_VOR, low, cpu_splat(s, IR_I32, 0x4b000000u));   /* 2^23 + low */
    high = cpu_v2(s, X64_VOR, high, cpu_splat(s, IR_I32, 0x53000000u)); /* 2^39 + high * 2^16 */
    mach_reg base = cpu_splat(s, IR_I32, 0x53000080u);                  /* 2^39 + 2^23 */
    return cpu_v2(s, X64_VADDs, cpu_v2(s, X64_VSUBs, high, base), low);
}

static mach_reg to_double(struct cpu_sel *s, bool flipped, mach_reg half)
{
    if (flipped && s->t->masks)
        return cpu_v1(s, X64_ZCVTud, half);
    mach_reg r = cpu_v1(s, X64_VCVTid, half);
    return flipped ? cpu_v2(s, X64_VADDd, r, cpu_splat(s, IR_I64, UINT64_C(0x41e) << 52)) : r;
}

/* 64 bits; as f32 where there are instructions. */
static bool from_longs(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t ops[2][2] = {{X64_ZCVTuqs, X64_ZCVTuqd}, {X64_ZCVTqs, X64_ZCVTqd}};
    const bool wide = ir_kind(i->results[0].type) == IR_F64, is_signed = i->op == IR_OP_sitof;
    const unsigned op = ops[is_signed][wide];
    const mach_reg *in = cpu_regs(s, i->args[0]);
    mach_reg out[CPU_MOST_CHUNKS];
    if (!s->t->masks && !wide)
        return false;
    for (unsigned k = 0; k < cpu_chunks(s, i->args[0]->type); k++)
        if (!wide)
            put_half(s, out, k, cpu_v1(s, op, in[k]));
        else
            out[k] = s->t->masks ? cpu_v1(s, op, in[k]) : x64_long_to_double(s, is_signed, in[k]);
    cpu_set_all(s, i, out);
    return true;
}

bool x64_from_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned lanes = ir_lanes(t), from = cpu_log_lane(f), n = cpu_chunks_of(s, lanes, 2), m = 0;
    bool is_signed = i->op == IR_OP_sitof, full = from == 2 && !is_signed;
    mach_reg in[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    if (!cpu_is_float(t) || i->flags & IR_ROUND_MASK || ir_kind(f) == IR_I1)
        return false;
    if (from > 2)
        return from_longs(s, i);
    x64_resize(s, cpu_regs(s, i->args[0]), from, 2, lanes, is_signed, in);
    for (unsigned k = 0; k < n; k++) {
        if (ir_kind(t) == IR_F32) {
            out[m++] = full ? from_u32(s, in[k]) : cpu_v1(s, X64_VCVTis, in[k]);
            continue;
        }
        mach_reg x = full && !s->t->masks
                         ? cpu_v2(s, X64_VXOR, in[k], cpu_splat(s, IR_I32, 1u << 31))
                         : in[k];
        out[m++] = to_double(s, full, x);
        if (lanes > s->t->vector_bytes / 8)
            out[m++] = to_double(s, full, cpu_v2(s, X64_VHIGH, x, 1));
    }
    cpu_set_all(s, i, out);
    return true;
}

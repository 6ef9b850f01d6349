/* Vectors for x86-64: lanes of other widths, masks, conversions. */
#include <string.h>
#include "back/x64/x64_vector.h"

static unsigned chunks_of(unsigned lanes, unsigned lane)
{
    unsigned bytes = lanes << lane;
    return bytes > X64_VECTOR ? bytes / X64_VECTOR : 1;
}

/* ---- widths ---- */
enum { HALVES_IN_ORDER = 0xd8 }; /* instructions pack within halves: quarters 0 2 1 3 */

static mach_reg pack(struct cpu_sel *s, unsigned from, mach_reg a, mach_reg b)
{
    mach_reg r;
    if (from == 3) {
        r = x64_v3(s, X64_VSHUFs, a, b, 0x88);
    } else {
        mach_reg low = cpu_splat(s, from == 1 ? IR_I16 : IR_I32, from == 1 ? 0xff : 0xffff);
        mach_reg x = x64_v2(s, X64_VAND, a, low), y = a == b ? x : x64_v2(s, X64_VAND, b, low);
        r = x64_v2(s, from == 1 ? X64_VPACKUh : X64_VPACKUs, x, y);
    }
    return x64_v2(s, X64_VPERMdi, r, HALVES_IN_ORDER);
}

void x64_resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to, unsigned lanes,
                bool is_signed, mach_reg *out)
{
    static const uint16_t widen[2][3] = {{X64_VZXb, X64_VZXh, X64_VZXs},
                                         {X64_VSXb, X64_VSXh, X64_VSXs}};
    mach_reg a[X64_MOST_CHUNKS], b[X64_MOST_CHUNKS];
    unsigned n = chunks_of(lanes, from), m;
    memcpy(a, in, n * sizeof *a);
    for (; from != to; from += from < to ? 1 : -1u) {
        m = 0;
        for (unsigned k = 0; k < n && from < to; k++) {
            b[m++] = x64_v1(s, widen[is_signed][from], a[k]);
            if (lanes << from > X64_VECTOR / 2)
                b[m++] = x64_v1(s, widen[is_signed][from], x64_v2(s, X64_VHIGH, a[k], 1));
        }
        for (unsigned k = 0; k < n && from > to; k += 2)
            b[m++] = pack(s, from, a[k], a[k + 1 < n ? k + 1 : k]);
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

/* ---- masks ---- */
void x64_mask_as(struct cpu_sel *s, struct ir_value *mask, unsigned to, mach_reg *out)
{
    unsigned lanes = ir_lanes(mask->type);
    if (mask->kind != IR_VALUE_CONST) {
        x64_resize(s, cpu_regs(s, mask), 2, to, lanes, true, out);
        return;
    }
    mach_reg r = cpu_splat(s, IR_I32, mask->u.bits ? 0xffffffffu : 0);
    for (unsigned k = 0; k < chunks_of(lanes, to); k++)
        out[k] = r;
}

bool x64_masks(struct cpu_sel *s, const struct ir_inst *i)
{
    unsigned op = 0, n = cpu_chunks(s, i->results[0].type);
    switch (i->op) {
    case IR_OP_and:
    case IR_OP_mul:
    case IR_OP_umin:
    case IR_OP_smax: op = X64_VAND; break;
    case IR_OP_or:
    case IR_OP_umax:
    case IR_OP_smin: op = X64_VOR; break;
    case IR_OP_xor:
    case IR_OP_add:
    case IR_OP_sub: op = X64_VXOR; break;
    case IR_OP_not: break;
    default: return false;
    }
    mach_reg out[X64_MOST_CHUNKS];
    const mach_reg *a = cpu_regs(s, i->args[0]), *b = op ? cpu_regs(s, i->args[1]) : NULL;
    for (unsigned k = 0; k < n; k++)
        out[k] = b ? x64_v2(s, op, a[k], b[k]) : x64_not(s, a[k]);
    cpu_set_all(s, i, out);
    return true;
}

static mach_reg compare_masks(struct cpu_sel *s, unsigned op, mach_reg a, mach_reg b)
{
    switch (op) {
    case IR_OP_eq: return x64_not(s, x64_v2(s, X64_VXOR, a, b));
    case IR_OP_ne: return x64_v2(s, X64_VXOR, a, b);
    case IR_OP_ult: return x64_v2(s, X64_VANDN, a, b);
    case IR_OP_ule: return x64_not(s, x64_v2(s, X64_VANDN, b, a));
    case IR_OP_slt: return x64_v2(s, X64_VANDN, b, a);
    default: return x64_not(s, x64_v2(s, X64_VANDN, a, b));
    }
}

static mach_reg compare_floats(struct cpu_sel *s, unsigned op, bool wide, mach_reg a, mach_reg b)
{
    unsigned how = op == IR_OP_feq   ? X64_EQ_OQ
                   : op == IR_OP_fne ? X64_NEQ_UQ
                   : op == IR_OP_flt ? X64_LT_OS
                   : op == IR_OP_fle ? X64_LE_OS
                                     : X64_UNORD_Q;
    return x64_v3(s, wide ? X64_VCMPd : X64_VCMPs, a, b, how);
}

/* There is "equal", and "greater" with signs: those without are compared with the top bit turned.
 */
static mach_reg compare_integers(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a,
                                 mach_reg b)
{
    static const uint16_t equal[] = {X64_VICMPEQb, X64_VICMPEQh, X64_VICMPEQs, X64_VICMPEQd},
                          greater[] = {X64_VICMPGTb, X64_VICMPGTh, X64_VICMPGTs, X64_VICMPGTd};
    static const ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    if (op == IR_OP_eq)
        return x64_v2(s, equal[lane], a, b);
    if (op == IR_OP_ne)
        return x64_not(s, x64_v2(s, equal[lane], a, b));
    if (op == IR_OP_ult || op == IR_OP_ule) {
        mach_reg top = cpu_splat(s, types[lane], UINT64_C(1) << ((8u << lane) - 1));
        a = x64_v2(s, X64_VXOR, a, top), b = x64_v2(s, X64_VXOR, b, top);
    }
    if (op == IR_OP_ult || op == IR_OP_slt)
        return x64_v2(s, greater[lane], b, a);
    return x64_not(s, x64_v2(s, greater[lane], a, b));
}

bool x64_compare(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    unsigned n = cpu_chunks(s, t), lane = x64_log_lane(t);
    mach_reg out[X64_MOST_CHUNKS], wide[X64_MOST_CHUNKS];
    bool is_float = ir_class(t) == IR_CLASS_FLOAT;
    if (is_float && !cpu_is_float(t))
        return false;
    const mach_reg *a = cpu_regs(s, i->args[0]), *b = cpu_regs(s, i->args[1]);
    bool flush = i->flags & IR_FTZ && ir_op_info[i->op].flags & IR_FLUSHES && ir_kind(t) == IR_F32;
    for (unsigned k = 0; k < n; k++)
        if (ir_kind(t) == IR_I1)
            out[k] = compare_masks(s, i->op, a[k], b[k]);
        else if (is_float)
            out[k] = compare_floats(s, i->op, lane == 3, flush ? x64_flush(s, a[k]) : a[k],
                                    flush ? x64_flush(s, b[k]) : b[k]);
        else
            out[k] = compare_integers(s, i->op, lane, a[k], b[k]);
    x64_resize(s, out, lane, 2, ir_lanes(t), true, wide);
    cpu_set_all(s, i, wide);
    return true;
}

bool x64_choose(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type;
    mach_reg out[X64_MOST_CHUNKS], m[X64_MOST_CHUNKS];
    if (!ir_is_vector(i->args[0]->type))
        return false;
    x64_mask_as(s, i->args[0], x64_log_lane(t), m);
    const mach_reg *a = cpu_regs(s, i->args[1]), *b = cpu_regs(s, i->args[2]);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++)
        out[k] = x64_v3(s, X64_VBLEND, b[k], a[k], m[k]);
    cpu_set_all(s, i, out);
    return true;
}

/* All chunks in one, by and or or; a bit for each of its lanes. */
static mach_reg folded(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    const mach_reg *m = cpu_regs(s, mask);
    mach_reg r = m[0];
    for (unsigned k = 1; k < cpu_chunks(s, mask->type); k++)
        r = x64_v2(s, op, r, m[k]);
    r = x64_1(s, X64_VMOVMSKs, x64_r(s, false), r);
    unsigned lanes = cpu_lanes(s, mask->type);
    return lanes < 8 ? x64_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1) : r;
}

void x64_test_all(struct cpu_sel *s, struct ir_value *mask)
{
    mach_put(s->f, X64_CMPwi, folded(s, mask, X64_VAND), (1 << cpu_lanes(s, mask->type)) - 1);
}

void x64_vote(struct cpu_sel *s, const struct ir_inst *i)
{
    bool all = i->op == IR_OP_alllanes;
    if (all) {
        x64_test_all(s, i->args[0]);
    } else {
        mach_reg r = folded(s, i->args[0], X64_VOR);
        mach_put(s->f, X64_TESTw, r, r);
    }
    mach_reg r = x64_1(s, X64_SET, x64_r(s, false), all ? X64_E : X64_NE);
    cpu_set(s, i, x64_1(s, X64_MOVZXb, x64_r(s, false), r));
}

void x64_mask_bits(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    const mach_reg *m = cpu_regs(s, i->args[0]);
    unsigned lanes = cpu_lanes(s, t);
    mach_reg r = MACH_NONE;
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        mach_reg x = x64_1(s, X64_VMOVMSKs, x64_r(s, false), m[k]);
        if (k)
            x = x64_2(s, X64_SHLwi, x64_r(s, false), x, k * lanes);
        r = k ? x64_2(s, X64_ORw, x64_r(s, false), r, x) : x;
    }
    if (lanes < 8)
        r = x64_2(s, X64_ANDwi, x64_r(s, false), r, (1 << lanes) - 1);
    cpu_set(s, i, r);
}

/* ---- conversions ---- */
/* Floats one step wider or narrower at a time; f16 is 1, f32 2, f64 3. */
static void float_widths(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                         unsigned lanes, mach_reg *out)
{
    mach_reg a[X64_MOST_CHUNKS], b[X64_MOST_CHUNKS];
    unsigned n = chunks_of(lanes, from), m;
    memcpy(a, in, n * sizeof *a);
    for (; from != to; from += from < to ? 1 : -1u) {
        m = 0;
        for (unsigned k = 0; k < n && from < to; k++) {
            unsigned op = from == 1 ? X64_VCVThs : X64_VCVTsd;
            b[m++] = x64_v1(s, op, a[k]);
            if (lanes << from > X64_VECTOR / 2)
                b[m++] = x64_v1(s, op, x64_v2(s, X64_VHIGH, a[k], 1));
        }
        for (unsigned k = 0; k < n && from > to; k++) {
            mach_reg x = from == 2 ? x64_v2(s, X64_VCVTsh, a[k], 0) : x64_v1(s, X64_VCVTds, a[k]);
            if (k % 2)
                b[m - 1] = x64_v3(s, X64_VJOIN, b[m - 1], x, 1);
            else
                b[m++] = x;
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

static bool float_to_float(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned lanes = ir_lanes(t);
    enum ir_kind k = ir_kind(t), q = ir_kind(f);
    mach_reg out[X64_MOST_CHUNKS], mid[X64_MOST_CHUNKS];
    if (i->flags & IR_FTZ || (ir_bits(t) <= ir_bits(f) && i->flags & IR_ROUND_MASK))
        return false;
    if (q == IR_BF16 && (k == IR_F32 || k == IR_F64)) {
        x64_resize(s, cpu_regs(s, i->args[0]), 1, 2, lanes, false, mid);
        for (unsigned c = 0; c < chunks_of(lanes, 2); c++)
            mid[c] = x64_v2(s, X64_VSHLsi, mid[c], 16);
        float_widths(s, mid, 2, k == IR_F64 ? 3 : 2, lanes, out);
    } else if (k == IR_BF16 || q == IR_BF16 || (k == IR_F16 && q == IR_F64) || k == q) {
        return false;
    } else {
        float_widths(s, cpu_regs(s, i->args[0]), x64_log_lane(f), x64_log_lane(t), lanes, out);
    }
    cpu_set_all(s, i, out);
    return true;
}

/* f32 → u32: from 2^31 on, what is above it, and the top bit. */
static mach_reg to_u32(struct cpu_sel *s, mach_reg v)
{
    mach_reg edge = cpu_splat(s, IR_I32, 0x4f000000u), end = cpu_splat(s, IR_I32, 0x4f800000u);
    mach_reg x = x64_v2(s, X64_VMAXs, v, cpu_splat(s, IR_I32, 0)); /* NaN: the second */
    mach_reg big = x64_v3(s, X64_VCMPs, edge, x, X64_LE_OS),
             huge = x64_v3(s, X64_VCMPs, end, x, X64_LE_OS);
    mach_reg r = x64_v1(s, X64_VCVTsi, x64_v2(s, X64_VSUBs, x, x64_v2(s, X64_VAND, big, edge)));
    r = x64_v2(s, X64_VXOR, r, x64_v2(s, X64_VAND, big, cpu_splat(s, IR_I32, 1u << 31)));
    return x64_v2(s, X64_VOR, r, huge);
}

static bool to_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned to = ir_bits(t), lanes = ir_lanes(t), mode = i->flags & IR_ROUND_MASK;
    bool is_signed = i->op == IR_OP_ftosi;
    mach_reg in[X64_MOST_CHUNKS], out[X64_MOST_CHUNKS];
    if (to == 1 || to == 64 || (ir_kind(f) != IR_F32 && ir_kind(f) != IR_F16))
        return false;
    float_widths(s, cpu_regs(s, i->args[0]), x64_log_lane(f), 2, lanes, in);
    for (unsigned k = 0; k < chunks_of(lanes, 2); k++) {
        mach_reg x = i->flags & IR_FTZ && ir_kind(f) == IR_F32 ? x64_flush(s, in[k]) : in[k];
        if (mode != IR_RZ)
            x = x64_v2(s, X64_VROUNDs, x, x64_rounding(mode));
        in[k] = is_signed ? x64_to_i32(s, x) : to_u32(s, x);
        if (to < 32 && !is_signed)
            in[k] = x64_v2(s, X64_VIMINUs, in[k], cpu_splat(s, IR_I32, (1u << to) - 1));
        if (to < 32 && is_signed) {
            in[k] = x64_v2(s, X64_VIMINSs, in[k], cpu_splat(s, IR_I32, (1u << (to - 1)) - 1));
            in[k] = x64_v2(s, X64_VIMAXSs, in[k], cpu_splat(s, IR_I32, ~((1u << (to - 1)) - 1)));
        }
    }
    x64_resize(s, in, 2, x64_log_lane(t), lanes, false, out);
    cpu_set_all(s, i, out);
    return true;
}

/* u32 → f32, rounded once: halves of 16 bits are exact as the low bits of large floats. */
static mach_reg from_u32(struct cpu_sel *s, mach_reg v)
{
    mach_reg low = x64_v2(s, X64_VAND, v, cpu_splat(s, IR_I32, 0xffff)),
             high = x64_v2(s, X64_VSHRsi, v, 16);
    low = x64_v2(s, X64_VOR, low, cpu_splat(s, IR_I32, 0x4b000000u));   /* 2^23 + low */
    high = x64_v2(s, X64_VOR, high, cpu_splat(s, IR_I32, 0x53000000u)); /* 2^39 + high * 2^16 */
    mach_reg base = cpu_splat(s, IR_I32, 0x53000080u);                  /* 2^39 + 2^23 */
    return x64_v2(s, X64_VADDs, x64_v2(s, X64_VSUBs, high, base), low);
}

static mach_reg to_double(struct cpu_sel *s, bool flipped, mach_reg half)
{
    mach_reg r = x64_v1(s, X64_VCVTid, half);
    return flipped ? x64_v2(s, X64_VADDd, r, cpu_splat(s, IR_I64, UINT64_C(0x41e) << 52)) : r;
}

static bool from_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned lanes = ir_lanes(t), from = x64_log_lane(f), n = chunks_of(lanes, 2), m = 0;
    bool is_signed = i->op == IR_OP_sitof, full = from == 2 && !is_signed;
    mach_reg in[X64_MOST_CHUNKS], out[X64_MOST_CHUNKS];
    if (!cpu_is_float(t) || from > 2 || i->flags & IR_ROUND_MASK || ir_kind(f) == IR_I1)
        return false;
    x64_resize(s, cpu_regs(s, i->args[0]), from, 2, lanes, is_signed, in);
    for (unsigned k = 0; k < n; k++) {
        if (ir_kind(t) == IR_F32) {
            out[m++] = full ? from_u32(s, in[k]) : x64_v1(s, X64_VCVTis, in[k]);
            continue;
        }
        mach_reg x = full ? x64_v2(s, X64_VXOR, in[k], cpu_splat(s, IR_I32, 1u << 31)) : in[k];
        out[m++] = to_double(s, full, x);
        if (lanes > 4)
            out[m++] = to_double(s, full, x64_v2(s, X64_VHIGH, x, 1));
    }
    cpu_set_all(s, i, out);
    return true;
}

/* i1 from the lowest bit: to the top, then spread by a comparison. */
static void to_mask(struct cpu_sel *s, const struct ir_inst *i, mach_reg *out)
{
    ir_type f = i->args[0]->type;
    unsigned lane = x64_log_lane(f);
    const mach_reg *a = cpu_regs(s, i->args[0]);
    mach_reg one = cpu_splat(s, ir_scalar(f), 1), in[X64_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, f); k++)
        in[k] = compare_integers(s, IR_OP_eq, lane, x64_v2(s, X64_VAND, a[k], one), one);
    x64_resize(s, in, lane, 2, ir_lanes(f), true, out);
}

bool x64_convert(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned from = x64_log_lane(f), to = x64_log_lane(t);
    mach_reg out[X64_MOST_CHUNKS];
    switch (i->op) {
    case IR_OP_trunc:
        if (ir_kind(t) == IR_I1)
            to_mask(s, i, out);
        else
            x64_resize(s, cpu_regs(s, i->args[0]), from, to, ir_lanes(t), false, out);
        break;
    case IR_OP_zext:
    case IR_OP_sext:
        if (ir_kind(f) != IR_I1) {
            x64_resize(s, cpu_regs(s, i->args[0]), from, to, ir_lanes(t), i->op == IR_OP_sext, out);
            break;
        }
        x64_mask_as(s, i->args[0], to, out);
        for (unsigned k = 0; k < cpu_chunks(s, t) && i->op == IR_OP_zext; k++)
            out[k] = x64_v2(s, X64_VAND, out[k], cpu_splat(s, ir_scalar(t), 1));
        break;
    case IR_OP_fcvt: return float_to_float(s, i);
    case IR_OP_ftosi:
    case IR_OP_ftoui: return to_integer(s, i);
    case IR_OP_sitof:
    case IR_OP_uitof: return from_integer(s, i);
    default: cpu_set_all(s, i, cpu_regs(s, i->args[0])); return true; /* the same bits */
    }
    cpu_set_all(s, i, out);
    return true;
}

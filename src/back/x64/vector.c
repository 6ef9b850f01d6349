/* Vectors for x86-64: chunks of 256 bits, arithmetic, lanes, memory. What AVX-512 has otherwise is
 * in wide.c; functions that both share ask for s->t->masks. */
#include <stddef.h>
#include <string.h>
#include "back/x64/x64_vector.h"

mach_reg x64_not(struct cpu_sel *s, mach_reg a)
{
    return cpu_v2(s, X64_VXOR, a, cpu_splat(s, IR_I32, 0xffffffffu));
}

/* ---- constants ---- */
mach_reg x64_splat(struct cpu_sel *s, ir_type lane, uint64_t bits)
{
    unsigned n = cpu_lane_bits(lane);
    uint64_t p = n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
    for (unsigned k = n; k < 64; k *= 2)
        p |= p << k;
    const unsigned whole = s->t->vector_bytes;
    if (p == UINT64_MAX && s->t->masks)
        return mach_remat(s->f, X64_VEC, whole, X64_ZONES, (const int64_t[]){0, 255}, 2);
    if (!p || p == UINT64_MAX)
        return mach_remat(s->f, X64_VEC, whole, p ? X64_VONES : X64_VZERO, (const int64_t[]){0}, 1);
    return mach_remat(s->f, X64_VEC, whole, p >> 32 == (uint32_t)p ? X64_LITbs : X64_LITbd,
                      (const int64_t[]){0, MACH_LITERAL | mach_literal(s->image, p, 0)}, 2);
}

mach_reg x64_literal(struct cpu_sel *s, const uint8_t *bytes)
{
    uint64_t part[CPU_MOST_VECTOR / 8];
    const unsigned n = s->t->vector_bytes;
    memcpy(part, bytes, n);
    return mach_remat(s->f, X64_VEC, n, X64_LITy,
                      (const int64_t[]){0, MACH_LITERAL | mach_literals(s->image, part, n / 8)}, 2);
}

/* ---- lanes ---- */
/* The 128 bits of a chunk that hold lane *k, of which *k becomes the number there. */
static mach_reg part_of(struct cpu_sel *s, unsigned lane, mach_reg chunk, unsigned *k)
{
    const unsigned per = 16u >> lane, part = *k / per;
    if (!part)
        return chunk;
    *k %= per;
    return cpu_v2(s, s->t->masks ? X64_ZQUARTER : X64_VHIGH, chunk, part);
}

mach_reg x64_extract(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k)
{
    static const uint16_t ops[] = {X64_VEXTb, X64_VEXTh, X64_VEXTs, X64_VEXTd};
    unsigned lane = cpu_log_lane(t);
    bool wide = lane == 3;
    mach_reg x = part_of(s, lane, chunk, &k);
    if (cpu_is_float(t)) {
        if (!k)
            return cpu_1(s, MACH_COPY, x64_f(s, wide), x);
        return cpu_2(s, X64_VSHUFxi, x64_f(s, wide), x, wide ? 0xee : k);
    }
    mach_reg d = cpu_new(s, t);
    if (!k && lane >= 2)
        return cpu_1(s, wide ? X64_MOVxv : X64_MOVwv, d, x);
    return cpu_2(s, ops[lane], d, x, k);
}

mach_reg x64_insert(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg v)
{
    static const uint16_t ops[] = {X64_VINSb, X64_VINSh, X64_VINSs, X64_VINSd};
    unsigned lane = cpu_log_lane(t), part = k / (16u >> lane);
    mach_reg x = part_of(s, lane, chunk, &k);
    if (!cpu_is_float(t))
        x = cpu_v3(s, ops[lane], x, v, k);
    else if (lane == 2)
        x = cpu_v3(s, X64_VINSes, x, v, k << 4);
    else
        x = k ? cpu_v2(s, X64_VLOWd, x, v) : cpu_v3(s, X64_VPICKd, v, x, 2);
    return cpu_v3(s, s->t->masks ? X64_ZPUT : X64_VJOIN, chunk, x, part);
}

mach_reg x64_blank(struct cpu_sel *s)
{
    return cpu_splat(s, IR_I32, 0);
}

mach_reg x64_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no)
{
    (void)lane;
    return no == MACH_NONE ? cpu_v2(s, X64_VAND, yes, mask) : cpu_v3(s, X64_VBLEND, no, yes, mask);
}

/* Words of 32 bits: of each chunk those that are wanted, then the ones that are another's. */
mach_reg x64_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                     const unsigned *index)
{
    const unsigned words = size / 4, n = X64_VECTOR / size;
    uint32_t at[X64_VECTOR / 4] = {0}, others[X64_VECTOR / 4] = {0};
    uint8_t bytes[2][X64_VECTOR];
    bool from[2] = {false, false};
    for (unsigned l = 0; l < n; l++)
        for (unsigned q = 0; q < words; q++) {
            at[l * words + q] = index[l] % n * words + q;
            others[l * words + q] = index[l] < n ? 0 : UINT32_MAX;
            from[index[l] >= n] = true;
        }
    memcpy(bytes[0], at, sizeof at);
    memcpy(bytes[1], others, sizeof others);
    const mach_reg words_at = cpu_literal(s, bytes[0]);
    if (!from[0] || !from[1])
        return cpu_v2(s, X64_VPERMs, words_at, from[0] ? a : b);
    return cpu_v3(s, X64_VBLEND, cpu_v2(s, X64_VPERMs, words_at, a),
                  cpu_v2(s, X64_VPERMs, words_at, b), cpu_literal(s, bytes[1]));
}

/* 128 bits of lanes from their places. */
static mach_reg load_part(struct cpu_sel *s, unsigned lane, unsigned n, const mach_reg *base,
                          const int64_t *offset)
{
    const ir_type t = lane == 0 ? IR_I8 : lane == 1 ? IR_I16 : lane == 2 ? IR_F32 : IR_F64;
    const bool narrow = lane < 2;
    mach_reg r = narrow ? x64_blank(s) : x64_load(s, t, base[0], offset[0]);
    for (unsigned l = narrow ? 0 : 1; l < n; l++) {
        const mach_reg x = x64_load(s, t, base[l], offset[l]);
        r = lane == 3   ? cpu_v2(s, X64_VLOWd, r, x)
            : lane == 2 ? cpu_v3(s, X64_VINSes, r, x, l << 4)
                        : cpu_v3(s, lane ? X64_VINSh : X64_VINSb, r, x, l);
    }
    return r;
}

/* Lanes whose 128 bits each lie within 16, 8 or 4 bytes of memory: these, and their order. Nothing
 * is read that lies outside of all lanes. False: they do not. */
bool x64_load_parts(struct cpu_sel *s, unsigned lane, unsigned n, const mach_reg *base,
                    const int64_t *offset, mach_reg *out)
{
    const unsigned size = 1u << lane, per = 16u >> lane, parts = (n + per - 1) / per;
    int64_t from[X64_WIDE_VECTOR / 16] = {0}, first = offset[0], end = offset[0] + size;
    uint8_t order[X64_WIDE_VECTOR] = {0};
    unsigned bytes = 16;
    bool same = true;
    for (unsigned l = 0; l < n; l++) {
        first = offset[l] < first ? offset[l] : first;
        end = offset[l] + size > end ? offset[l] + size : end;
        if (base[l] != base[0])
            return false;
    }
    while (bytes > end - first)
        bytes /= 2;
    for (unsigned p = 0; p < parts && bytes >= 4; p++) {
        from[p] = offset[p * per];
        for (unsigned l = p * per; l < n && l < (p + 1) * per; l++)
            from[p] = offset[l] < from[p] ? offset[l] : from[p];
        from[p] = from[p] + bytes > end ? end - bytes : from[p];
        for (unsigned l = p * per; l < n && l < (p + 1) * per; l++)
            for (unsigned k = 0; k < size; k++) {
                const int64_t at = offset[l] + k - from[p];
                if (at >= bytes)
                    return false;
                order[l * size + k] = (uint8_t)at;
                same &= at == (l % per) * size + k;
            }
    }
    if (bytes < 4)
        return false;
    const ir_type t = bytes == 16 ? ir_vector(IR_F32, 4) : bytes == 8 ? IR_F64 : IR_F32;
    mach_reg r = x64_load(s, t, base[0], from[0]);
    for (unsigned p = 1; p < parts; p++)
        r = cpu_v3(s, s->t->masks ? X64_ZPUT : X64_VJOIN, r, x64_load(s, t, base[0], from[p]), p);
    *out = same ? r : cpu_v2(s, X64_VPSHUFB, r, cpu_literal(s, order));
    return true;
}

mach_reg x64_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                        const int64_t *offset)
{
    const unsigned lane = cpu_log_lane(t), per = 16u >> lane;
    mach_reg together;
    if (!lane && x64_load_parts(s, lane, n, base, offset, &together))
        return together;
    mach_reg r = load_part(s, lane, n < per ? n : per, base, offset);
    for (unsigned k = per; k < n; k += per) {
        const mach_reg x = load_part(s, lane, n - k < per ? n - k : per, base + k, offset + k);
        r = cpu_v3(s, s->t->masks ? X64_ZPUT : X64_VJOIN, r, x, k / per);
    }
    return r;
}

void x64_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                    int64_t offset)
{
    x64_store(s, t, x64_extract(s, t, chunk, k), base, offset);
}

/* Within each 128 bits: pairs of two, then pairs of pairs. */
void x64_transpose(struct cpu_sel *s, const mach_reg *in, mach_reg *out)
{
    for (unsigned high = 0; high < 2; high++) {
        const uint16_t op = high ? X64_VZIPHs : X64_VZIPLs;
        const mach_reg a = cpu_v2(s, op, in[0], in[1]), b = cpu_v2(s, op, in[2], in[3]);
        out[2 * high] = cpu_v2(s, X64_VZIPLd, a, b);
        out[2 * high + 1] = cpu_v2(s, X64_VZIPHd, a, b);
    }
}

void x64_store_part(struct cpu_sel *s, mach_reg chunk, unsigned part, mach_reg base, int64_t offset)
{
    unsigned word = part * 4;
    x64_store(s, ir_vector(IR_F32, 4), part_of(s, 2, chunk, &word), base, offset);
}

/* ---- arithmetic that scalars share ---- */
mach_reg x64_flush(struct cpu_sel *s, mach_reg v)
{
    if (s->t->masks)
        return x64_wide_flush(s, v);
    mach_reg e = cpu_v2(s, X64_VAND, v, cpu_splat(s, IR_I32, 0x7f800000u));
    mach_reg none = cpu_v2(s, X64_VICMPEQs, e, cpu_splat(s, IR_I32, 0));
    mach_reg rest = cpu_v2(s, X64_VAND, none, cpu_splat(s, IR_I32, 0x7fffffffu));
    return cpu_v2(s, X64_VANDN, rest, v);
}

mach_reg x64_sign(struct cpu_sel *s, enum ir_op op, bool wide, mach_reg a, mach_reg b)
{
    mach_reg sign = cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31);
    if (op == IR_OP_fneg)
        return cpu_v2(s, X64_VXOR, a, sign);
    mach_reg plain = cpu_v2(s, X64_VANDN, sign, a);
    return op == IR_OP_fabs ? plain : cpu_v2(s, X64_VOR, plain, cpu_v2(s, X64_VAND, b, sign));
}

/* The machine's minimum gives its second operand where both are zeros or either is NaN: both orders
 * together tell the signs of zeros, and NaNs are then replaced by the other operand. */
mach_reg x64_least(struct cpu_sel *s, bool max, bool wide, mach_reg a, mach_reg b)
{
    unsigned op = wide ? (max ? X64_VMAXd : X64_VMINd) : max ? X64_VMAXs : X64_VMINs;
    unsigned cmp = wide ? X64_VCMPd : X64_VCMPs;
    mach_reg r = cpu_v2(s, max ? X64_VAND : X64_VOR, cpu_v2(s, op, a, b), cpu_v2(s, op, b, a));
    if (s->t->masks)
        return x64_wide_number(s, wide, a, b, r);
    r = cpu_v3(s, X64_VBLEND, r, a, cpu_v3(s, cmp, b, b, X64_UNORD_Q));
    return cpu_v3(s, X64_VBLEND, r, b, cpu_v3(s, cmp, a, a, X64_UNORD_Q));
}

/* What is too large, or NaN, comes out as the top bit alone. */
mach_reg x64_to_i32(struct cpu_sel *s, mach_reg v)
{
    if (s->t->masks)
        return x64_wide_to_i32(s, v);
    mach_reg edge = cpu_splat(s, IR_I32, 0x4f000000u); /* 2^31 */
    mach_reg r = cpu_v1(s, X64_VCVTsi, v), big = cpu_v3(s, X64_VCMPs, edge, v, X64_LE_OS);
    r = cpu_v2(s, X64_VXOR, r, big);
    return cpu_v2(s, X64_VAND, r, cpu_v3(s, X64_VCMPs, v, v, X64_ORD_Q));
}

/* ---- arithmetic ---- */
#define BHSD(op)                                                                                   \
    {                                                                                              \
        X64_##op##b, X64_##op##h, X64_##op##s, X64_##op##d                                         \
    }
#define BHS(op)                                                                                    \
    {                                                                                              \
        X64_##op##b, X64_##op##h, X64_##op##s, 0                                                   \
    }
#define SD(op)                                                                                     \
    {                                                                                              \
        0, 0, X64_##op##s, X64_##op##d                                                             \
    }
static const struct cpu_lane_ops integers[] = {
    {IR_OP_add, BHSD(VIADD)},
    {IR_OP_sub, BHSD(VISUB)},
    {IR_OP_mul, {0, X64_VIMULh, X64_VIMULs, 0}},
    {IR_OP_umin, BHS(VIMINU)},
    {IR_OP_umax, BHS(VIMAXU)},
    {IR_OP_smin, BHS(VIMINS)},
    {IR_OP_smax, BHS(VIMAXS)},
    {IR_OP_and, {X64_VAND, X64_VAND, X64_VAND, X64_VAND}},
    {IR_OP_or, {X64_VOR, X64_VOR, X64_VOR, X64_VOR}},
    {IR_OP_xor, {X64_VXOR, X64_VXOR, X64_VXOR, X64_VXOR}},
    {IR_OP_umulhi, {0, X64_VMULHUh, 0, 0}},
    {IR_OP_smulhi, {0, X64_VMULHSh, 0, 0}},
    {IR_OP_ptradd, BHSD(VIADD)},
};
static const struct cpu_lane_ops floats[] = {
    {IR_OP_fadd, SD(VADD)},
    {IR_OP_fsub, SD(VSUB)},
    {IR_OP_fmul, SD(VMUL)},
    {IR_OP_fdiv, SD(VDIV)},
};

static bool rounding_of(unsigned op, unsigned *mode)
{
    static const struct {
        enum ir_op op;
        uint8_t mode;
    } table[] = {
        {IR_OP_ffloor, IR_RD}, {IR_OP_fceil, IR_RU}, {IR_OP_ftrunc, IR_RZ}, {IR_OP_frint, IR_RN}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].op == op) {
            *mode = table[k].mode;
            return true;
        }
    return false;
}

mach_reg x64_float_chunk(struct cpu_sel *s, const struct ir_inst *i, bool wide, const mach_reg *a)
{
    unsigned op = cpu_lane_op(floats, sizeof floats / sizeof *floats, i->op, wide ? 3 : 2), mode;
    unsigned divide = wide ? X64_VDIVd : X64_VDIVs, root = wide ? X64_VSQRTd : X64_VSQRTs;
    if (op)
        return cpu_v2(s, op, a[0], a[1]);
    if (rounding_of(i->op, &mode))
        return cpu_v2(s, wide ? X64_VROUNDd : X64_VROUNDs, a[0], x64_rounding(mode));
    switch (i->op) {
    case IR_OP_fma:
    case IR_OP_mad: return cpu_v3(s, wide ? X64_VFMADDd : X64_VFMADDs, a[0], a[1], a[2]);
    case IR_OP_fsqrt: return cpu_v1(s, root, a[0]);
    case IR_OP_fneg:
    case IR_OP_fabs:
    case IR_OP_fcopysign: return x64_sign(s, (enum ir_op)i->op, wide, a[0], a[1]);
    case IR_OP_fmin:
    case IR_OP_fmax: return x64_least(s, i->op == IR_OP_fmax, wide, a[0], a[1]);
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast: {
        mach_reg one =
            cpu_splat(s, wide ? IR_F64 : IR_F32, wide ? UINT64_C(0x3ff) << 52 : 0x3f800000u);
        return cpu_v2(s, divide, one, i->op == IR_OP_frcp_fast ? a[0] : cpu_v1(s, root, a[0]));
    }
    default: return MACH_NONE;
    }
}

/* By a constant less than the lanes are wide. */
static mach_reg shift_by(struct cpu_sel *s, unsigned op, unsigned lane, mach_reg a, unsigned k)
{
    static const uint16_t left[] = {X64_VSHLhi, X64_VSHLhi, X64_VSHLsi, X64_VSHLdi},
                          right[] = {X64_VSHRhi, X64_VSHRhi, X64_VSHRsi, X64_VSHRdi};
    if (!k)
        return a;
    if (op == IR_OP_ashr && lane == 3 && s->t->masks)
        return cpu_v2(s, X64_ZSARdi, a, k);
    if (op == IR_OP_ashr && (lane == 1 || lane == 2))
        return cpu_v2(s, lane == 1 ? X64_VSARhi : X64_VSARsi, a, k);
    mach_reg r = cpu_v2(s, (op == IR_OP_shl ? left : right)[lane], a, k);
    if (!lane) /* what came from the next byte */
        r = cpu_v2(s, X64_VAND, r, cpu_splat(s, IR_I8, op == IR_OP_shl ? 0xffu << k : 0xffu >> k));
    if (op != IR_OP_ashr)
        return r;
    static const uint16_t sub[] = BHSD(VISUB); /* spreads the sign */
    mach_reg sign = cpu_splat(s, cpu_integer_of(lane), UINT64_C(1) << ((8u << lane) - 1 - k));
    return cpu_v2(s, sub[lane], cpu_v2(s, X64_VXOR, r, sign), sign);
}

static mach_reg shift(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                      mach_reg by)
{
    unsigned n = 8u << lane;
    if (i->args[1]->kind == IR_VALUE_CONST) {
        uint64_t c = i->args[1]->u.bits;
        if (c >= n && i->op != IR_OP_ashr)
            return cpu_splat(s, cpu_integer_of(lane), 0);
        return shift_by(s, i->op, lane, a, c >= n ? n - 1 : (unsigned)c);
    }
    if (s->t->masks)
        return x64_wide_shift(s, i->op, lane, a, by);
    if (lane < 2)
        return MACH_NONE;
    bool wide = lane == 3;
    if (i->op == IR_OP_shl)
        return cpu_v2(s, wide ? X64_VSHLVd : X64_VSHLVs, a, by);
    if (i->op == IR_OP_lshr)
        return cpu_v2(s, wide ? X64_VSHRVd : X64_VSHRVs, a, by);
    if (!wide)
        return cpu_v2(s, X64_VSARVs, a, by);
    mach_reg sign = cpu_v2(s, X64_VICMPGTd, cpu_splat(s, IR_I64, 0), a);
    return cpu_v2(s, X64_VXOR, cpu_v2(s, X64_VSHRVd, cpu_v2(s, X64_VXOR, a, sign), by), sign);
}

/* The upper halves of products of 32 bits: of even lanes, of odd ones, together again. */
static mach_reg high(struct cpu_sel *s, bool is_signed, mach_reg a, mach_reg b)
{
    unsigned op = is_signed ? X64_VMULDQ : X64_VMULUDQ;
    mach_reg even = cpu_v2(s, X64_VSHRdi, cpu_v2(s, op, a, b), 32);
    mach_reg odd = cpu_v2(s, op, cpu_v2(s, X64_VSHRdi, a, 32), cpu_v2(s, X64_VSHRdi, b, 32));
    odd = cpu_v2(s, X64_VAND, odd, cpu_splat(s, IR_I64, UINT64_C(0xffffffff) << 32));
    return cpu_v2(s, X64_VOR, even, odd);
}

static mach_reg multiply_long(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    if (s->t->masks)
        return cpu_v2(s, X64_ZMULd, a, b);
    mach_reg low = cpu_v2(s, X64_VMULUDQ, a, b);
    mach_reg x = cpu_v2(s, X64_VMULUDQ, cpu_v2(s, X64_VSHRdi, a, 32), b),
             y = cpu_v2(s, X64_VMULUDQ, a, cpu_v2(s, X64_VSHRdi, b, 32));
    return cpu_v2(s, X64_VIADDd, low, cpu_v2(s, X64_VSHLdi, cpu_v2(s, X64_VIADDd, x, y), 32));
}

static mach_reg least_long(struct cpu_sel *s, unsigned op, mach_reg a, mach_reg b)
{
    if (s->t->masks)
        return cpu_v2(s,
                      op == IR_OP_umin   ? X64_ZMINUd
                      : op == IR_OP_umax ? X64_ZMAXUd
                      : op == IR_OP_smin ? X64_ZMINSd
                                         : X64_ZMAXSd,
                      a, b);
    mach_reg x = a, y = b;
    if (op == IR_OP_umin || op == IR_OP_umax) {
        mach_reg sign = cpu_splat(s, IR_I64, UINT64_C(1) << 63);
        x = cpu_v2(s, X64_VXOR, a, sign), y = cpu_v2(s, X64_VXOR, b, sign);
    }
    bool max = op == IR_OP_umax || op == IR_OP_smax;
    mach_reg greater = cpu_v2(s, X64_VICMPGTd, x, y);
    return cpu_v3(s, X64_VBLEND, max ? b : a, max ? a : b, greater);
}

/* ---- products of bytes, four of them added to a word ---- */
/* Is the top bit of each byte of a word 0 in all lanes? */
static bool has_no_top(const struct ir_value *x, unsigned depth)
{
    enum { DEEP = 4 };
    const uint64_t tops = 0x80808080u;
    if (ir_is_const(x))
        return !(x->u.bits & tops);
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (!i || depth > DEEP)
        return false;
    switch (i->op) {
    case IR_OP_splat: return has_no_top(i->args[0], depth + 1);
    case IR_OP_and: return has_no_top(i->args[0], depth + 1) || has_no_top(i->args[1], depth + 1);
    case IR_OP_or:
    case IR_OP_xor: return has_no_top(i->args[0], depth + 1) && has_no_top(i->args[1], depth + 1);
    default: return false;
    }
}

/* One factor of the instruction has a sign and the other has none. A sign is the top bit,
 * exchanged, and 128 taken away: 128 times the other factor's bytes. */
static mach_reg dot_bytes(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *a)
{
    const bool low[2] = {has_no_top(i->args[0], 0), has_no_top(i->args[1], 0)};
    if (low[0] || low[1]) { /* such bytes are the same with a sign and without */
        const unsigned plain = i->op == IR_OP_dp4a ? !low[0] : low[0];
        return cpu_v3(s, X64_VDOTb, a[2], a[plain], a[1 - plain]);
    }
    const mach_reg top = cpu_splat(s, IR_I8, 0x80), half = cpu_splat(s, IR_I8, 0x40);
    if (i->op == IR_OP_dp4a) {
        const mach_reg more = cpu_v3(s, X64_VDOTb, cpu_splat(s, IR_I32, 0), top, a[1]);
        const mach_reg r = cpu_v3(s, X64_VDOTb, a[2], cpu_v2(s, X64_VXOR, a[0], top), a[1]);
        return cpu_v2(s, X64_VISUBs, r, more);
    }
    mach_reg r = cpu_v3(s, X64_VDOTb, a[2], a[0], cpu_v2(s, X64_VXOR, a[1], top));
    for (unsigned k = 0; k < 2; k++)
        r = cpu_v3(s, X64_VDOTb, r, a[0], half);
    return r;
}

/* Bytes of even places, and of odd ones, as lanes of 16 bits. */
static mach_reg every_other(struct cpu_sel *s, bool is_signed, bool odd, mach_reg v)
{
    if (is_signed)
        return cpu_v2(s, X64_VSARhi, odd ? v : cpu_v2(s, X64_VSHLhi, v, 8), 8);
    return odd ? cpu_v2(s, X64_VSHRhi, v, 8) : cpu_v2(s, X64_VAND, v, cpu_splat(s, IR_I16, 0xff));
}

static mach_reg dot4(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *a)
{
    const bool is_signed = i->op == IR_OP_dp4a;
    if (s->dots)
        return dot_bytes(s, i, a);
    mach_reg sum = a[2];
    for (unsigned odd = 0; odd < 2; odd++)
        sum = cpu_v2(s, X64_VIADDs, sum,
                     cpu_v2(s, X64_VMADDh, every_other(s, is_signed, odd, a[0]),
                            every_other(s, is_signed, odd, a[1])));
    return sum;
}

mach_reg x64_integer_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                           const mach_reg *a)
{
    static const uint16_t sub[] = BHSD(VISUB);
    unsigned op = cpu_lane_op(integers, sizeof integers / sizeof *integers, i->op, lane);
    if (op)
        return cpu_v2(s, op, a[0], a[1]);
    switch (i->op) {
    case IR_OP_not: return x64_not(s, a[0]);
    case IR_OP_neg: return cpu_v2(s, sub[lane], cpu_splat(s, IR_I32, 0), a[0]);
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return shift(s, i, lane, a[0], a[1]);
    case IR_OP_umulhi:
    case IR_OP_smulhi: return lane == 2 ? high(s, i->op == IR_OP_smulhi, a[0], a[1]) : MACH_NONE;
    case IR_OP_dp4a:
    case IR_OP_udp4a: return dot4(s, i, a);
    case IR_OP_mul: return lane == 3 ? multiply_long(s, a[0], a[1]) : MACH_NONE;
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: return least_long(s, i->op, a[0], a[1]);
    case IR_OP_fshl:
    case IR_OP_fshr: {
        if (i->args[2]->kind != IR_VALUE_CONST)
            return MACH_NONE;
        const unsigned n = 8u << lane;
        unsigned up;
        if (!cpu_funnel(i, n, &up))
            return a[i->op == IR_OP_fshl ? 0 : 1];
        return cpu_v2(s, X64_VOR, shift_by(s, IR_OP_shl, lane, a[0], up),
                      shift_by(s, IR_OP_lshr, lane, a[1], n - up));
    }
    default: return MACH_NONE;
    }
}

/* ---- lanes from scalars, scalars from lanes ---- */
mach_reg x64_dup(struct cpu_sel *s, ir_type t, mach_reg x)
{
    static const uint16_t ops[] = BHSD(VDUP);
    const unsigned lane = cpu_log_lane(t);
    if (ir_kind(t) == IR_I1)
        x = cpu_1(s, X64_NEGw, x64_r(s, false), x);
    if (!cpu_is_float(t) && s->t->masks && lane >= 2)
        return cpu_v1(s, lane == 3 ? X64_ZDUPx : X64_ZDUPw, x);
    if (!cpu_is_float(t))
        x = cpu_1(s, lane == 3 ? X64_MOVvx : X64_MOVvw, x64_f(s, lane == 3), x);
    return cpu_v1(s, ops[lane], x);
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
    ir_type t = i->args[0]->type;
    if (ir_kind(t) != IR_I32 || cpu_lanes(s, t) != 8)
        return false;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].kind != i->imm)
            continue;
        const mach_reg *a = cpu_regs(s, i->args[0]);
        mach_reg r = a[0];
        for (unsigned c = 1; c < cpu_chunks(s, t); c++)
            r = cpu_v2(s, table[k].op, r, a[c]);
        r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VHIGH, r, 1));
        r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VSHUFsi, r, 0x4e));
        r = cpu_v2(s, table[k].op, r, cpu_v2(s, X64_VSHUFsi, r, 0xb1));
        cpu_set(s, i, cpu_1(s, X64_MOVwv, x64_r(s, false), r));
        return true;
    }
    return false;
}

/* Lanes of 32 bits: each result chunk takes what it wants of each chunk; lanes of 64 bits are
 * pairs of these. */
static bool permute(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type;
    unsigned lane = cpu_log_lane(t), n = cpu_chunks(s, t), lanes = ir_lanes(t);
    mach_reg index[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    if (lane < 2 || n > 8)
        return false;
    const mach_reg *a = cpu_regs(s, i->args[0]);
    x64_resize(s, cpu_regs(s, i->args[1]), 2, lane, lanes, false, index);
    ir_type it = cpu_integer_of(lane);
    for (unsigned k = 0; k < n; k++) {
        mach_reg at = cpu_v2(s, X64_VAND, index[k], cpu_splat(s, it, lanes - 1)), words = at;
        if (lane == 3) {
            mach_reg two = cpu_v2(s, X64_VIADDd, at, at);
            words = cpu_v2(s, X64_VOR, two, cpu_v2(s, X64_VSHLdi, two, 32));
            words = cpu_v2(s, X64_VOR, words, cpu_splat(s, IR_I64, UINT64_C(1) << 32));
        }
        mach_reg which = n > 1
                             ? cpu_v2(s, lane == 3 ? X64_VSHRdi : X64_VSHRsi, at, lane == 3 ? 2 : 3)
                             : MACH_NONE;
        out[k] = cpu_v2(s, X64_VPERMs, words, a[0]);
        for (unsigned c = 1; c < n; c++) {
            mach_reg here =
                cpu_v2(s, lane == 3 ? X64_VICMPEQd : X64_VICMPEQs, which, cpu_splat(s, it, c));
            out[k] = cpu_v3(s, X64_VBLEND, out[k], cpu_v2(s, X64_VPERMs, words, a[c]), here);
        }
    }
    cpu_set_all(s, i, out);
    return true;
}

/* ---- memory ---- */
/* The machine loads and stores lanes of 32 and 64 bits by a mask, and touches no others. */
static bool by_mask(struct cpu_sel *s, ir_type t)
{
    return cpu_log_lane(t) >= 2 && cpu_lanes(s, t) << cpu_log_lane(t) == X64_VECTOR;
}

/* The first lanes of a chunk of t: as floats, which are held as vectors are. */
static ir_type first_of(const struct cpu_sel *s, ir_type t, unsigned lanes)
{
    const unsigned bytes = lanes * (cpu_lane_bits(t) / 8);
    return lanes == cpu_lanes(s, t) ? ir_vector(t, lanes)
           : bytes == 4             ? IR_F32
           : bytes == 8             ? IR_F64
                                    : ir_vector(IR_F32, bytes / 4);
}

/* The others are zeros. */
mach_reg x64_load_first(struct cpu_sel *s, ir_type t, unsigned lanes, mach_reg base, int64_t offset)
{
    if (!lanes)
        return cpu_splat(s, IR_I32, 0);
    if (lanes == cpu_lanes(s, t))
        return x64_load(s, first_of(s, t, lanes), base, offset);
    const mach_reg r = cpu_chunk(s);
    x64_load_to(s, first_of(s, t, lanes), r, base, offset);
    return r;
}

void x64_store_first(struct cpu_sel *s, ir_type t, unsigned lanes, mach_reg v, mach_reg base,
                     int64_t offset)
{
    if (lanes)
        x64_store(s, first_of(s, t, lanes), v, base, offset);
}

static bool load(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->type;
    unsigned lane = cpu_log_lane(t);
    if (mask && !by_mask(s, t) && !cpu_only_ours(i))
        return false;
    ir_type chunk = ir_vector(t, cpu_lanes(s, t));
    struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg base = cpu_reg(s, a.base), out[CPU_MOST_CHUNKS], m[CPU_MOST_CHUNKS];
    if (mask)
        cpu_mask_as(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        const unsigned first = cpu_first_lanes(s, mask, t, k);
        if (first != CPU_SOME_LANES)
            out[k] = x64_load_first(s, t, first, base, at);
        else if (by_mask(s, t))
            out[k] = cpu_v3(s, lane == 3 ? X64_LDMq : X64_LDMd, m[k], base, at);
        else
            out[k] = cpu_v2(s, X64_VAND, x64_load(s, chunk, base, at), m[k]);
    }
    cpu_set_all(s, i, out);
    return true;
}

/* Some lanes of narrow elements: all at once where all run, else one by one. */
static bool store_some(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->args[1]->type, chunk = ir_vector(t, cpu_lanes(s, t));
    struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg base = cpu_reg(s, a.base);
    const mach_reg *v = cpu_regs(s, i->args[1]);
    uint32_t whole = cpu_split(s, false), some = cpu_split(s, false), done = cpu_split(s, false);
    x64_test_all(s, mask);
    mach_put(s->f, X64_JC, X64_E, 0);
    mach_branch(s->f, whole, some);
    mach_block_begin(s->f, whole);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++)
        x64_store(s, chunk, v[k], base, a.offset + (int64_t)k * ir_bytes(chunk));
    mach_jump(s->f, done, NULL, 0);
    mach_block_begin(s->f, some);
    cpu_lane_by_lane(s, i);
    mach_jump(s->f, done, NULL, 0);
    mach_block_begin(s->f, done);
    return true;
}

static bool store(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->args[1]->type;
    unsigned lane = cpu_log_lane(t);
    if (mask && !by_mask(s, t) && !cpu_only_ours(i))
        return store_some(s, i, mask);
    ir_type chunk = ir_vector(t, cpu_lanes(s, t));
    struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg base = cpu_reg(s, a.base), m[CPU_MOST_CHUNKS];
    const mach_reg *v = cpu_regs(s, i->args[1]);
    if (mask)
        cpu_mask_as(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        const unsigned first = cpu_first_lanes(s, mask, t, k);
        if (first != CPU_SOME_LANES)
            x64_store_first(s, t, first, v[k], base, at);
        else if (by_mask(s, t))
            mach_put(s->f, lane == 3 ? X64_STMq : X64_STMd, v[k], m[k], base, at);
        else /* what lanes that do not run have there is put back */
            x64_store(s, chunk, cpu_v3(s, X64_VBLEND, x64_load(s, chunk, base, at), v[k], m[k]),
                      base, at);
    }
    return true;
}

/* The mask is used up by the instruction. All in certain registers: QEMU 7 takes addresses in ymm4
 * for none at all. */
static mach_reg gather_now(struct cpu_sel *s, unsigned op, mach_reg at, mach_reg mask)
{
    enum { RESULT = X64_Y0, ADDRESSES, MASK };
    struct mach_pin uses[] = {{cpu_splat(s, IR_I32, 0), RESULT}, {at, ADDRESSES}, {mask, MASK}},
                    made = {cpu_chunk(s), RESULT};
    const mach_set clobbers[MACH_CLASSES] = {0, 1 | 1 << (MASK - X64_Y0)};
    mach_fixed(s->f, op, (const int64_t[]){RESULT, RESULT, ADDRESSES, MASK}, 4, &made, 1, uses, 3,
               clobbers);
    return made.virtual;
}

static bool gather(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->type;
    unsigned lane = cpu_log_lane(t);
    (void)mask; /* the instruction wants one in any case */
    if (lane < 2 || ir_lanes(t) < 4)
        return false;
    mach_reg m[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    const mach_reg *p = cpu_regs(s, i->args[0]);
    cpu_mask_as(s, i->args[1], lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        if (lane == 3) {
            out[k] = gather_now(s, X64_GATHERqq, p[k], m[k]);
            continue;
        }
        out[k] = gather_now(s, X64_GATHERqd, p[2 * k], m[k]);
        if (cpu_lanes(s, t) == 8) {
            mach_reg high =
                gather_now(s, X64_GATHERqd, p[2 * k + 1], cpu_v2(s, X64_VHIGH, m[k], 1));
            out[k] = cpu_v3(s, X64_VJOIN, out[k], high, 1);
        }
    }
    cpu_set_all(s, i, out);
    return true;
}

mach_reg x64_and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return cpu_v2(s, X64_VANDN, b, a);
}

mach_reg x64_or_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return x64_not(s, cpu_v2(s, X64_VANDN, a, b));
}

static mach_reg bit(struct cpu_sel *s, unsigned lane, mach_reg a, mach_reg one)
{
    return x64_compare_integers(s, IR_OP_eq, lane, cpu_v2(s, X64_VAND, a, one), one);
}

/* Bytes slide within halves: by those of both that lie next to each other. */
static mach_reg slide(struct cpu_sel *s, mach_reg high, mach_reg low, unsigned words)
{
    const mach_reg middle = cpu_v3(s, X64_VHALVES, low, high, 0x21);
    if (words == 4)
        return middle;
    return words < 4 ? cpu_v3(s, X64_VSLIDE, middle, low, 4 * words)
                     : cpu_v3(s, X64_VSLIDE, high, middle, 4 * (words - 4));
}

const struct cpu_vectors x64_vectors = {
    X64_VECTORS_OF_BOTH, /* and what masks and memory are like */
    .bit = bit,          .compare = x64_compare, .load = load,     .store = store,
    .gather = gather,    .permute = permute,     .reduce = reduce, .mask_bits = x64_mask_bits,
    .vote = x64_vote,    .slide = slide,
};

/* Vectors for AArch64: chunks of 128 bits, masks, conversions between lane widths, lanes. */
#include <stddef.h>
#include <string.h>
#include "back/a64/a64_select.h"

#define BHSD(op)                                                                                   \
    {                                                                                              \
        A64_##op##b, A64_##op##h, A64_##op##s, A64_##op##d                                         \
    }
#define BHS(op)                                                                                    \
    {                                                                                              \
        A64_##op##b, A64_##op##h, A64_##op##s, 0                                                   \
    }

/* ---- constants ---- */
static mach_reg imm8(struct cpu_sel *s, unsigned op, uint64_t imm)
{
    return mach_remat(s->f, A64_VEC, 16, op, (const int64_t[]){0, (int64_t)imm}, 2);
}

mach_reg a64_splat(struct cpu_sel *s, ir_type lane, uint64_t bits)
{
    unsigned n = cpu_lane_bits(lane);
    uint64_t p = n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
    for (unsigned k = n; k < 64; k *= 2)
        p |= p << k;
    uint32_t w = (uint32_t)p;
    if (!p)
        return mach_remat(s->f, A64_VEC, 16, A64_VMOVId0, (const int64_t[]){0}, 1);
    if (p >> 32 == w) {
        if ((w & 255) * 0x01010101u == w)
            return imm8(s, A64_VMOVIb, w & 255);
        static const uint16_t movi[] = {A64_VMOVIs0, A64_VMOVIs8, A64_VMOVIs16, A64_VMOVIs24};
        static const uint16_t mvni[] = {A64_VMVNIs0, A64_VMVNIs8, A64_VMVNIs16, A64_VMVNIs24};
        for (unsigned k = 0; k < 4; k++) {
            if (!(w & ~(255u << 8 * k)))
                return imm8(s, movi[k], w >> 8 * k);
            if (!(~w & ~(255u << 8 * k)))
                return imm8(s, mvni[k], (~w >> 8 * k) & 255);
        }
        if (w >> 16 == (w & 0xffff)) {
            if (!(w & 0xff00))
                return imm8(s, A64_VMOVIh0, w & 255);
            if (!(w & 0xff))
                return imm8(s, A64_VMOVIh8, w >> 8 & 255);
        }
        unsigned e = w >> 23 & 255;
        if (!(w & 0x7ffff) && e >= 124 && e <= 131)
            return imm8(s, A64_VFMOVs,
                        (w >> 31) << 7 | (((e - 124) & 7) ^ 4) << 4 | (w >> 19 & 15));
    }
    return mach_remat(s->f, A64_VEC, 16, A64_LITq,
                      (const int64_t[]){0, MACH_LITERAL | mach_literal(s->image, p, p)}, 2);
}

mach_reg a64_literal(struct cpu_sel *s, const uint8_t *bytes)
{
    uint64_t half[2];
    memcpy(half, bytes, 16);
    return mach_remat(s->f, A64_VEC, 16, A64_LITq,
                      (const int64_t[]){0, MACH_LITERAL | mach_literal(s->image, half[0], half[1])},
                      2);
}

/* ---- lanes ---- */
mach_reg a64_extract(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k)
{
    static const uint16_t ops[] = BHSD(VUMOV);
    if (cpu_is_float(t)) {
        mach_reg d = mach_vreg(s->f, A64_VEC, ir_bytes(t));
        if (!k)
            return cpu_1(s, MACH_COPY, d, chunk);
        return cpu_2(s, ir_bits(t) == 64 ? A64_VMOVed : A64_VMOVes, d, chunk, k);
    }
    return cpu_2(s, ops[cpu_log_lane(t)], cpu_new(s, t), chunk, k);
}

mach_reg a64_insert(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg v)
{
    static const uint16_t ops[] = BHSD(VINS);
    mach_reg d = cpu_chunk(s);
    if (cpu_is_float(t))
        mach_put(s->f, ir_bits(t) == 64 ? A64_VINSed : A64_VINSes, d, chunk, k, v, 0);
    else
        mach_put(s->f, ops[cpu_log_lane(t)], d, chunk, k, v);
    return d;
}

mach_reg a64_blank(struct cpu_sel *s)
{
    return cpu_splat(s, IR_I32, 0);
}

/* ---- lane widths ---- */
/* The lanes of `in` (lanes of them, 8 << from bits each) with 8 << to bits. */
static void resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                   unsigned lanes, bool is_signed, mach_reg *out)
{
    static const uint16_t low[2][3] = {{A64_VUXTLb, A64_VUXTLh, A64_VUXTLs},
                                       {A64_VSXTLb, A64_VSXTLh, A64_VSXTLs}};
    static const uint16_t high[2][3] = {{A64_VUXTL2b, A64_VUXTL2h, A64_VUXTL2s},
                                        {A64_VSXTL2b, A64_VSXTL2h, A64_VSXTL2s}};
    static const uint16_t pack[] = {A64_VUZP1b, A64_VUZP1h, A64_VUZP1s};
    mach_reg a[CPU_MOST_CHUNKS], b[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from);
    memcpy(a, in, n * sizeof *a);
    for (; from < to; from++) {
        unsigned m = 0, per = 16u >> from;
        if (per > lanes)
            per = lanes;
        for (unsigned k = 0; k < n; k++) {
            b[m++] = cpu_v1(s, low[is_signed][from], a[k]);
            if (per << from > 8)
                b[m++] = cpu_v1(s, high[is_signed][from], a[k]);
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    for (; from > to; from--) {
        unsigned m = 0;
        for (unsigned k = 0; k < n; k += 2)
            b[m++] = cpu_v2(s, pack[from - 1], a[k], a[k + 1 < n ? k + 1 : k]);
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

mach_reg a64_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no)
{
    (void)lane;
    return no == MACH_NONE ? cpu_v2(s, A64_VAND, yes, mask) : cpu_v3(s, A64_VBSL, mask, yes, no);
}

/* ---- shuffles ---- */
/* Lane l of what the instruction makes of two chunks of n lanes. */
static unsigned zip1(unsigned l, unsigned n)
{
    return l / 2 + (l & 1) * n;
}
static unsigned zip2(unsigned l, unsigned n)
{
    return n / 2 + l / 2 + (l & 1) * n;
}
static unsigned uzp1(unsigned l, unsigned n)
{
    (void)n;
    return 2 * l;
}
static unsigned uzp2(unsigned l, unsigned n)
{
    (void)n;
    return 2 * l + 1;
}
static unsigned trn1(unsigned l, unsigned n)
{
    return (l & ~1u) + (l & 1) * n;
}
static unsigned trn2(unsigned l, unsigned n)
{
    return (l | 1) + (l & 1 ? n : 0);
}

/* Are these lanes what an instruction gives of chunks x and y, each a (0) or b (1)? */
static bool is_made_by(unsigned (*lane)(unsigned l, unsigned n), const unsigned *index, unsigned n,
                       unsigned x, unsigned y)
{
    for (unsigned l = 0; l < n; l++) {
        const unsigned k = lane(l, n);
        if (index[l] != k % n + (k < n ? x : y) * n)
            return false;
    }
    return true;
}

static mach_reg by_one(struct cpu_sel *s, const struct a64_shuffles *how, unsigned lane,
                       const mach_reg *of, const unsigned *index)
{
    static unsigned (*const lanes[])(unsigned l, unsigned n) = {zip1, zip2, uzp1, uzp2, trn1, trn2};
    const unsigned n = s->t->vector_bytes >> lane;
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++)
        for (unsigned xy = 0; xy < 4; xy++)
            if (is_made_by(lanes[k], index, n, xy & 1, xy >> 1))
                return cpu_v2(s, how->pairs[k][lane], of[xy & 1], of[xy >> 1]);
    for (unsigned first = 0; first < 2 * n; first++) { /* side by side */
        bool ext = true;
        for (unsigned l = 0; l < n; l++)
            ext &= index[l] == (first + l) % (2 * n);
        if (ext)
            return cpu_v3(s, how->ext, of[first / n], of[1 - first / n],
                          (int64_t)(first % n) << lane);
    }
    return MACH_NONE;
}

/* Lanes that stay side by side are lanes of twice the size. */
static mach_reg by_pairs(struct cpu_sel *s, const struct a64_shuffles *how, unsigned lane,
                         const mach_reg *of, const unsigned *index)
{
    unsigned twice[CPU_MOST_VECTOR / 2];
    if (lane == 3)
        return MACH_NONE;
    for (unsigned l = 0; l < s->t->vector_bytes / 2 >> lane; l++) {
        if (index[2 * l] & 1 || index[2 * l + 1] != index[2 * l] + 1)
            return MACH_NONE;
        twice[l] = index[2 * l] / 2;
    }
    return by_one(s, how, lane + 1, of, twice);
}

mach_reg a64_shuffle_once(struct cpu_sel *s, const struct a64_shuffles *how, unsigned lane,
                          mach_reg a, mach_reg b, const unsigned *index)
{
    const mach_reg of[2] = {a, b}, r = by_one(s, how, lane, of, index);
    return r == MACH_NONE ? by_pairs(s, how, lane, of, index) : r;
}

mach_reg a64_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                     const unsigned *index)
{
    const unsigned lane = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3, n = 16u >> lane;
    static const struct a64_shuffles how = {
        {BHSD(VZIP1), BHSD(VZIP2), BHSD(VUZP1), BHSD(VUZP2), BHSD(VTRN1), BHSD(VTRN2)}, A64_VEXT};
    const mach_reg r = a64_shuffle_once(s, &how, lane, a, b, index);
    if (r != MACH_NONE)
        return r;
    uint8_t bytes[2][16];
    bool from_b = false;
    for (unsigned l = 0; l < n; l++)
        for (unsigned q = 0; q < size; q++) {
            const unsigned at = index[l] % n * size + q;
            bytes[0][l * size + q] = index[l] < n ? (uint8_t)at : 255;
            bytes[1][l * size + q] = index[l] < n ? 255 : (uint8_t)at;
            from_b |= index[l] >= n;
        }
    const mach_reg x = cpu_v2(s, A64_VTBL, a, cpu_literal(s, bytes[0]));
    return from_b ? cpu_v3(s, A64_VTBX, x, b, cpu_literal(s, bytes[1])) : x;
}

/* ---- arithmetic ---- */
mach_reg a64_flush(struct cpu_sel *s, mach_reg v)
{
    mach_reg e = cpu_v2(s, A64_VAND, v, cpu_splat(s, IR_I32, 0x7f800000u));
    mach_reg none = cpu_v1(s, A64_VCMEQ0s, e);
    mach_reg rest = cpu_v2(s, A64_VAND, none, cpu_splat(s, IR_I32, 0x7fffffffu));
    return cpu_v2(s, A64_VBIC, v, rest);
}

static const struct cpu_lane_ops integers[] = {
    {IR_OP_add, BHSD(VADD)},
    {IR_OP_sub, BHSD(VSUB)},
    {IR_OP_mul, BHS(VMUL)},
    {IR_OP_umin, BHS(VUMIN)},
    {IR_OP_umax, BHS(VUMAX)},
    {IR_OP_smin, BHS(VSMIN)},
    {IR_OP_smax, BHS(VSMAX)},
    {IR_OP_neg, BHSD(VNEG)},
    {IR_OP_clz, BHS(VCLZ)},
    {IR_OP_and, {A64_VAND, A64_VAND, A64_VAND, A64_VAND}},
    {IR_OP_or, {A64_VORR, A64_VORR, A64_VORR, A64_VORR}},
    {IR_OP_xor, {A64_VEOR, A64_VEOR, A64_VEOR, A64_VEOR}},
    {IR_OP_not, {A64_VNOT, A64_VNOT, A64_VNOT, A64_VNOT}},
    {IR_OP_ptradd, BHSD(VADD)},
};
#define SD(op)                                                                                     \
    {                                                                                              \
        0, 0, A64_##op##s, A64_##op##d                                                             \
    }
static const struct cpu_lane_ops floats[] = {
    {IR_OP_fadd, SD(VFADD)},     {IR_OP_fsub, SD(VFSUB)},    {IR_OP_fmul, SD(VFMUL)},
    {IR_OP_fdiv, SD(VFDIV)},     {IR_OP_fneg, SD(VFNEG)},    {IR_OP_fabs, SD(VFABS)},
    {IR_OP_fsqrt, SD(VFSQRT)},   {IR_OP_fmin, SD(VFMINNM)},  {IR_OP_fmax, SD(VFMAXNM)},
    {IR_OP_ffloor, SD(VFRINTM)}, {IR_OP_fceil, SD(VFRINTP)}, {IR_OP_ftrunc, SD(VFRINTZ)},
    {IR_OP_frint, SD(VFRINTN)},
};

/* As select.c has it for single numbers. */
static mach_reg quiet(struct cpu_sel *s, const struct ir_inst *i, unsigned k, bool wide, mach_reg a)
{
    if (a64_is_quiet(i, k, wide))
        return a;
    const mach_reg none = cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31);
    return cpu_v2(s, wide ? A64_VFADDd : A64_VFADDs, a, none);
}

static mach_reg float_chunk(struct cpu_sel *s, const struct ir_inst *i, bool wide,
                            const mach_reg *a)
{
    const unsigned op = cpu_lane_op(floats, sizeof floats / sizeof *floats, i->op, wide ? 3 : 2);
    if (i->op == IR_OP_fmin || i->op == IR_OP_fmax)
        return cpu_v2(s, op, quiet(s, i, 0, wide, a[0]), quiet(s, i, 1, wide, a[1]));
    if (op)
        return i->nargs == 1 ? cpu_v1(s, op, a[0]) : cpu_v2(s, op, a[0], a[1]);
    switch (i->op) {
    case IR_OP_fma:
    case IR_OP_mad: return cpu_v3(s, wide ? A64_VFMLAd : A64_VFMLAs, a[2], a[0], a[1]);
    case IR_OP_fcopysign:
        return cpu_v3(s, A64_VBIT, a[0], a[1],
                      cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31));
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast: {
        const mach_reg x =
            i->op == IR_OP_frcp_fast ? a[0] : cpu_v1(s, wide ? A64_VFSQRTd : A64_VFSQRTs, a[0]);
        const mach_reg one =
            cpu_splat(s, wide ? IR_F64 : IR_F32, wide ? UINT64_C(0x3ff) << 52 : 0x3f800000u);
        return cpu_v2(s, wide ? A64_VFDIVd : A64_VFDIVs, one, x);
    }
    default: return MACH_NONE;
    }
}

static mach_reg shift(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                      mach_reg by)
{
    static const uint16_t left[] = BHSD(VSHL), right[] = BHSD(VUSHR), signed_right[] = BHSD(VSSHR),
                          ushl[] = BHSD(VUSHL), sshl[] = BHSD(VSSHL), least[] = BHS(VUMIN),
                          neg[] = BHSD(VNEG);
    unsigned n = 8u << lane;
    const ir_type t = cpu_integer_of(lane);
    if (i->args[1]->kind == IR_VALUE_CONST) {
        uint64_t c = i->args[1]->u.bits;
        if (c >= n && i->op != IR_OP_ashr)
            return cpu_splat(s, t, 0);
        c = c >= n ? n - 1 : c;
        if (!c)
            return a;
        return cpu_v2(s,
                      (i->op == IR_OP_shl    ? left
                       : i->op == IR_OP_lshr ? right
                                             : signed_right)[lane],
                      a, (int64_t)c);
    }
    bool arithmetic = i->op == IR_OP_ashr;
    uint64_t most = arithmetic ? n - 1 : n;
    mach_reg top = cpu_splat(s, t, most);
    if (lane < 3)
        by = cpu_v2(s, least[lane], by, top);
    else
        by = cpu_v3(s, A64_VBSL, cpu_v2(s, A64_VCMHId, top, by), by, top);
    if (i->op != IR_OP_shl)
        by = cpu_v1(s, neg[lane], by);
    return cpu_v2(s, (arithmetic ? sshl : ushl)[lane], a, by);
}

/* The upper halves of products: of each half of the lanes, put together again. */
static mach_reg high(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                     mach_reg b)
{
    static const uint16_t low[2][3] = {{A64_VUMULLb, A64_VUMULLh, A64_VUMULLs},
                                       {A64_VSMULLb, A64_VSMULLh, A64_VSMULLs}};
    static const uint16_t up[2][3] = {{A64_VUMULL2b, A64_VUMULL2h, A64_VUMULL2s},
                                      {A64_VSMULL2b, A64_VSMULL2h, A64_VSMULL2s}};
    static const uint16_t odd[] = BHSD(VUZP2);
    bool is_signed = i->op == IR_OP_smulhi;
    if (lane == 3)
        return MACH_NONE;
    return cpu_v2(s, odd[lane], cpu_v2(s, low[is_signed][lane], a, b),
                  cpu_v2(s, up[is_signed][lane], a, b));
}

/* Products of bytes, four of them added to a word: of each half of the bytes, where there is no
 * instruction for all of it. */
static mach_reg dot4(struct cpu_sel *s, bool is_signed, const mach_reg *a)
{
    if (s->dots)
        return cpu_v3(s, is_signed ? A64_VSDOTb : A64_VUDOTb, a[2], a[0], a[1]);
    const unsigned pairs = is_signed ? A64_VSADDLPh : A64_VUADDLPh;
    const mach_reg low = cpu_v2(s, is_signed ? A64_VSMULLb : A64_VUMULLb, a[0], a[1]),
                   up = cpu_v2(s, is_signed ? A64_VSMULL2b : A64_VUMULL2b, a[0], a[1]);
    const mach_reg sums = cpu_v2(s, A64_VADDPs, cpu_v1(s, pairs, low), cpu_v1(s, pairs, up));
    return cpu_v2(s, A64_VADDs, a[2], sums);
}

static mach_reg integer_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                              const mach_reg *a)
{
    unsigned op = cpu_lane_op(integers, sizeof integers / sizeof *integers, i->op, lane);
    if (op)
        return i->nargs == 1 ? cpu_v1(s, op, a[0]) : cpu_v2(s, op, a[0], a[1]);
    static const uint16_t reverse[] = {0, A64_VREV16b, A64_VREV32b, A64_VREV64b},
                          pairs[] = {A64_VUADDLPb, A64_VUADDLPh, A64_VUADDLPs};
    switch (i->op) {
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return shift(s, i, lane, a[0], a[1]);
    case IR_OP_umulhi:
    case IR_OP_smulhi: return high(s, i, lane, a[0], a[1]);
    case IR_OP_dp4a:
    case IR_OP_udp4a: return dot4(s, i->op == IR_OP_dp4a, a);
    case IR_OP_popc: {
        mach_reg r = cpu_v1(s, A64_VCNT, a[0]);
        for (unsigned k = 0; k < lane; k++)
            r = cpu_v1(s, pairs[k], r);
        return r;
    }
    case IR_OP_brev: {
        mach_reg r = cpu_v1(s, A64_VRBIT, a[0]);
        return lane ? cpu_v1(s, reverse[lane], r) : r;
    }
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_smin:
    case IR_OP_smax: { /* of 64 bits */
        bool max = i->op == IR_OP_umax || i->op == IR_OP_smax;
        unsigned greater = i->op == IR_OP_umin || i->op == IR_OP_umax ? A64_VCMHId : A64_VCMGTd;
        mach_reg m = cpu_v2(s, greater, a[0], a[1]);
        return cpu_v3(s, A64_VBSL, m, a[max ? 0 : 1], a[max ? 1 : 0]);
    }
    case IR_OP_fshl:
    case IR_OP_fshr: {
        static const uint16_t left[] = BHSD(VSHL), into[] = BHSD(VSRI);
        if (i->args[2]->kind != IR_VALUE_CONST)
            return MACH_NONE;
        const unsigned n = 8u << lane;
        unsigned up;
        if (!cpu_funnel(i, n, &up))
            return a[i->op == IR_OP_fshl ? 0 : 1];
        return cpu_v3(s, into[lane], cpu_v2(s, left[lane], a[0], up), a[1], n - up);
    }
    default: return MACH_NONE;
    }
}

/* By lane 0 of a scalar's register. */
static bool by_lane(struct cpu_sel *s, const struct ir_inst *i)
{
    unsigned which;
    struct ir_value *x = cpu_by_lane(s, i, &which);
    if (!x)
        return false;
    const bool wide = cpu_log_lane(i->type) == 3, adds = i->op != IR_OP_fmul;
    const mach_reg by = cpu_reg(s, x), *a = cpu_regs(s, i->args[1 - which]),
                   *sum = adds ? cpu_regs(s, i->args[2]) : NULL;
    mach_reg out[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++)
        out[k] = adds ? cpu_v3(s, wide ? A64_VFMLAed : A64_VFMLAes, sum[k], a[k], by)
                      : cpu_v2(s, wide ? A64_VFMULed : A64_VFMULes, a[k], by);
    cpu_set_all(s, i, out);
    return true;
}

/* ---- masks ---- */
static mach_reg not(struct cpu_sel * s, mach_reg a)
{
    return cpu_v1(s, A64_VNOT, a);
}
static mach_reg and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return cpu_v2(s, A64_VBIC, a, b);
}
static mach_reg or_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return cpu_v2(s, A64_VORN, a, b);
}

static mach_reg bit(struct cpu_sel *s, unsigned lane, mach_reg a, mach_reg one)
{
    static const uint16_t test[] = BHSD(VCMTST);
    return cpu_v2(s, test[lane], a, one);
}

static mach_reg compare_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                              mach_reg b)
{
    static const struct {
        enum ir_op op;
        bool swapped, inverted;
        uint16_t lanes[4];
    } table[] = {
        {IR_OP_eq, 0, 0, BHSD(VCMEQ)},  {IR_OP_ne, 0, 1, BHSD(VCMEQ)},
        {IR_OP_ult, 1, 0, BHSD(VCMHI)}, {IR_OP_ule, 1, 0, BHSD(VCMHS)},
        {IR_OP_slt, 1, 0, BHSD(VCMGT)}, {IR_OP_sle, 1, 0, BHSD(VCMGE)},
        {IR_OP_feq, 0, 0, SD(VFCMEQ)},  {IR_OP_fne, 0, 1, SD(VFCMEQ)},
        {IR_OP_flt, 1, 0, SD(VFCMGT)},  {IR_OP_fle, 1, 0, SD(VFCMGE)},
    };
    if (i->op == IR_OP_funo) {
        unsigned eq = lane == 3 ? A64_VFCMEQd : A64_VFCMEQs;
        return cpu_v1(s, A64_VNOT, cpu_v2(s, A64_VAND, cpu_v2(s, eq, a, a), cpu_v2(s, eq, b, b)));
    }
    static const struct {
        enum ir_op op;
        bool swapped; /* zero comes first */
        uint16_t lanes[4];
    } zero[] = {
        {IR_OP_eq, 0, BHSD(VCMEQ0)}, {IR_OP_eq, 1, BHSD(VCMEQ0)}, {IR_OP_slt, 1, BHSD(VCMGT0)},
        {IR_OP_feq, 0, SD(VFCMEQ0)}, {IR_OP_feq, 1, SD(VFCMEQ0)}, {IR_OP_flt, 1, SD(VFCMGT0)},
    };
    for (size_t k = 0; k < sizeof zero / sizeof *zero; k++) {
        const struct ir_value *x = i->args[!zero[k].swapped];
        if (zero[k].op == i->op && x->kind == IR_VALUE_CONST && !x->u.bits)
            return cpu_v1(s, zero[k].lanes[lane], zero[k].swapped ? b : a);
    }
    unsigned k = 0;
    while (table[k].op != i->op)
        k++;
    mach_reg r =
        cpu_v2(s, table[k].lanes[lane], table[k].swapped ? b : a, table[k].swapped ? a : b);
    return table[k].inverted ? cpu_v1(s, A64_VNOT, r) : r;
}

/* All chunks in one, by and or or; as an integer, of 64 bits in which lanes have 16 or 32. */
static mach_reg folded(struct cpu_sel *s, struct ir_value *mask, unsigned op)
{
    mach_reg r = cpu_fold_mask(s, mask, op);
    if (cpu_lanes(s, mask->type) == 4)
        r = cpu_v1(s, A64_VXTNh, r);
    return cpu_1(s, A64_FMOVxd, a64_x(s), r);
}

static void vote(struct cpu_sel *s, const struct ir_inst *i)
{
    bool all = i->op == IR_OP_alllanes;
    mach_reg x = folded(s, i->args[0], all ? A64_VAND : A64_VORR);
    if (all)
        mach_put(s->f, A64_CMNxi, x, 1);
    else
        mach_put(s->f, A64_CMPxi, x, 0);
    cpu_set(s, i, cpu_1(s, A64_CSET, a64_w(s), all ? A64_NE : A64_EQ)); /* inverted */
}

void a64_branch_vote(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no)
{
    const bool all = vote->op == IR_OP_alllanes;
    const mach_reg x = folded(s, vote->args[0], all ? A64_VAND : A64_VORR);
    if (all) {
        mach_put(s->f, A64_CMNxi, x, 1);
        mach_put(s->f, A64_BC, A64_EQ, 0);
    } else {
        mach_put(s->f, A64_CBNZx, x, 0);
    }
    mach_branch(s->f, yes, no);
}

static bool mask_bits(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->args[0]->type;
    if (cpu_lanes(s, t) != 4)
        return false;
    const mach_reg *m = cpu_regs(s, i->args[0]);
    mach_reg r = MACH_NONE;
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        uint32_t weight[4];
        for (unsigned l = 0; l < 4; l++)
            weight[l] = 1u << (4 * k + l);
        mach_reg x = cpu_v2(s, A64_VAND, m[k], cpu_literal(s, (const uint8_t *)weight));
        r = k ? cpu_v2(s, A64_VORR, r, x) : x;
    }
    cpu_set(s, i, cpu_1(s, A64_FMOVws, a64_w(s), cpu_v1(s, A64_VADDVs, r)));
    return true;
}

/* ---- conversions ---- */
static void float_widths(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                         unsigned lanes, mach_reg *out)
{
    mach_reg a[CPU_MOST_CHUNKS], b[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from);
    memcpy(a, in, n * sizeof *a);
    for (; from < to; from++) {
        unsigned m = 0, per = 16u >> from > lanes ? lanes : 16u >> from;
        for (unsigned k = 0; k < n; k++) {
            b[m++] = cpu_v1(s, from == 1 ? A64_VFCVTLs : A64_VFCVTLd, a[k]);
            if (per << from > 8)
                b[m++] = cpu_v1(s, from == 1 ? A64_VFCVTL2s : A64_VFCVTL2d, a[k]);
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    for (; from > to; from--) {
        unsigned m = 0;
        for (unsigned k = 0; k < n; k += 2, m++) {
            b[m] = cpu_v1(s, from == 2 ? A64_VFCVTNs : A64_VFCVTNd, a[k]);
            if (k + 1 < n)
                b[m] = cpu_v2(s, from == 2 ? A64_VFCVTN2s : A64_VFCVTN2d, b[m], a[k + 1]);
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    memcpy(out, a, n * sizeof *a);
}

static bool to_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t ops[2][4][2] = {{{A64_VFCVTNSs, A64_VFCVTNSd},
                                           {A64_VFCVTZSs, A64_VFCVTZSd},
                                           {A64_VFCVTPSs, A64_VFCVTPSd},
                                           {A64_VFCVTMSs, A64_VFCVTMSd}},
                                          {{A64_VFCVTNUs, A64_VFCVTNUd},
                                           {A64_VFCVTZUs, A64_VFCVTZUd},
                                           {A64_VFCVTPUs, A64_VFCVTPUd},
                                           {A64_VFCVTMUs, A64_VFCVTMUd}}};
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned to = ir_bits(t), lanes = ir_lanes(t), from = cpu_log_lane(f);
    bool is_unsigned = i->op == IR_OP_ftoui;
    mach_reg in[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    const uint64_t nan = ir_nan_to_int(ir_kind(f), to);
    if (to == 1 || ir_kind(f) == IR_BF16 || (to < 64 && from == 3) || (nan && to < 32))
        return false;
    unsigned work = to == 64 ? 3 : 2, n = cpu_chunks_of(s, lanes, work);
    float_widths(s, cpu_regs(s, i->args[0]), from, work, lanes, in);
    for (unsigned k = 0; k < n; k++) {
        mach_reg x = i->flags & IR_FTZ && from == 2 && work == 2 ? a64_flush(s, in[k]) : in[k];
        in[k] = cpu_v1(s, ops[is_unsigned][i->flags & IR_ROUND_MASK][work == 3], x);
        if (nan) /* where it equals itself it is none */
            in[k] = cpu_v3(s, A64_VBSL, cpu_v2(s, work == 3 ? A64_VFCMEQd : A64_VFCMEQs, x, x),
                           in[k], cpu_splat(s, ir_scalar(t), nan));
        if (to < 32 && is_unsigned)
            in[k] = cpu_v2(s, A64_VUMINs, in[k], cpu_splat(s, IR_I32, (1u << to) - 1));
        if (to < 32 && !is_unsigned) {
            in[k] = cpu_v2(s, A64_VSMINs, in[k], cpu_splat(s, IR_I32, (1u << (to - 1)) - 1));
            in[k] = cpu_v2(s, A64_VSMAXs, in[k], cpu_splat(s, IR_I32, ~((1u << (to - 1)) - 1)));
        }
    }
    resize(s, in, work, cpu_log_lane(t), lanes, false, out);
    cpu_set_all(s, i, out);
    return !(i->flags & IR_FTZ && from == 2 && work == 3);
}

static bool from_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->results[0].type, f = i->args[0]->type;
    unsigned lanes = ir_lanes(t), from = cpu_log_lane(f), to = cpu_log_lane(t);
    bool is_signed = i->op == IR_OP_sitof;
    mach_reg out[CPU_MOST_CHUNKS];
    if (cpu_is_half(t) || from > to || i->flags & IR_ROUND_MASK || ir_kind(f) == IR_I1)
        return false;
    resize(s, cpu_regs(s, i->args[0]), from, to, lanes, is_signed, out);
    unsigned op =
        is_signed ? (to == 3 ? A64_VSCVTFd : A64_VSCVTFs) : (to == 3 ? A64_VUCVTFd : A64_VUCVTFs);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++)
        out[k] = cpu_v1(s, op, out[k]);
    cpu_set_all(s, i, out);
    return true;
}

/* ---- lanes from scalars, scalars from lanes ---- */
static mach_reg dup(struct cpu_sel *s, ir_type t, mach_reg x)
{
    static const uint16_t ops[] = BHSD(VDUP);
    if (cpu_is_float(t))
        return cpu_v2(s, ir_bits(t) == 64 ? A64_VDUPed : A64_VDUPes, x, 0);
    if (ir_kind(t) == IR_I1)
        return cpu_v1(s, A64_VDUPs, cpu_1(s, A64_NEGw, a64_w(s), x));
    return cpu_v1(s, ops[cpu_log_lane(t)], x);
}

/* Whole chunks first, then across the last one. Floats are added in the order of lanes. */
static bool reduce(struct cpu_sel *s, const struct ir_inst *i)
{
    static const struct {
        enum ir_rmw kind;
        uint16_t pair[3], across[3];
    } table[] = {
#define ROW(kind, op, to)                                                                          \
    {                                                                                              \
        IR_RMW_##kind, {A64_V##op##b, A64_V##op##h, A64_V##op##s},                                 \
        {                                                                                          \
            A64_V##to##b, A64_V##to##h, A64_V##to##s                                               \
        }                                                                                          \
    }
        ROW(ADD, ADD, ADDV),    ROW(UMIN, UMIN, UMINV), ROW(UMAX, UMAX, UMAXV),
        ROW(SMIN, SMIN, SMINV), ROW(SMAX, SMAX, SMAXV),
#undef ROW
    };
    ir_type t = i->args[0]->type;
    unsigned lane = cpu_log_lane(t);
    if (ir_class(t) != IR_CLASS_INT || ir_kind(t) == IR_I1 || lane == 3 ||
        cpu_lanes(s, t) << lane != 16)
        return false;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].kind != i->imm)
            continue;
        const mach_reg *a = cpu_regs(s, i->args[0]);
        mach_reg r = a[0];
        for (unsigned c = 1; c < cpu_chunks(s, t); c++)
            r = cpu_v2(s, table[k].pair[lane], r, a[c]);
        r = cpu_v1(s, table[k].across[lane], r);
        static const uint16_t out[] = BHSD(VUMOV);
        cpu_set(s, i, cpu_2(s, out[lane], a64_w(s), r, 0));
        return true;
    }
    return false;
}

/* ---- permutations ---- */
static bool is_butterfly(const struct ir_value *index, unsigned *with)
{
    if (index->kind != IR_VALUE_RESULT || index->u.inst->op != IR_OP_xor)
        return false;
    struct ir_value **args = index->u.inst->args;
    for (int k = 0; k < 2; k++)
        if (args[k]->kind == IR_VALUE_RESULT && args[k]->u.inst->op == IR_OP_iota &&
            ir_is_const(args[1 - k])) {
            *with = (unsigned)args[1 - k]->u.bits;
            return true;
        }
    return false;
}

/* By bytes: each result chunk looks its bytes up in all chunks, one after the other. */
static bool permute(struct cpu_sel *s, const struct ir_inst *i)
{
    ir_type t = i->type;
    unsigned lane = cpu_log_lane(t), n = cpu_chunks(s, t), per = cpu_lanes(s, t),
             lanes = ir_lanes(t);
    unsigned with;
    mach_reg out[CPU_MOST_CHUNKS], index[CPU_MOST_CHUNKS];
    const mach_reg *a = cpu_regs(s, i->args[0]);
    if (is_butterfly(i->args[1], &with)) {
        with %= lanes;
        for (unsigned k = 0; k < n; k++) {
            uint8_t bytes[16] = {0};
            unsigned size = 1u << lane;
            for (unsigned l = 0; l < per; l++)
                for (unsigned q = 0; q < size; q++)
                    bytes[l * size + q] = (uint8_t)((l ^ with % per) * size + q);
            mach_reg x = a[k ^ with / per];
            out[k] = with % per ? cpu_v2(s, A64_VTBL, x, cpu_literal(s, bytes)) : x;
        }
        cpu_set_all(s, i, out);
        return true;
    }
    if (n > 8 || per << lane != 16 || lanes * (1u << lane) > 256)
        return false;
    /* the number of a lane's first byte, in all its bytes, plus the number of each in it */
    const mach_reg *given = cpu_regs(s, i->args[1]);
    static const uint64_t spread[] = {1, 0x0101, 0x01010101, 0x0101010101010101},
                          each[] = {0, 0x0100, 0x03020100, 0x0706050403020100};
    mach_reg cut[CPU_MOST_CHUNKS];
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, 2); k++) {
        cut[k] = cpu_v2(s, A64_VAND, given[k], cpu_splat(s, IR_I32, lanes - 1));
        if (lane <= 2)
            cut[k] =
                cpu_v2(s, A64_VMULs, cut[k], cpu_splat(s, IR_I32, (uint32_t)spread[lane] << lane));
        else
            cut[k] = cpu_v2(s, A64_VMULs, cut[k], cpu_splat(s, IR_I32, 0x08080808u));
    }
    resize(s, cut, 2, lane, lanes, false, index);
    for (unsigned k = 0; k < n; k++) {
        if (lane == 3) /* the lower word's bytes are the upper's too */
            index[k] = cpu_v3(s, A64_VSLId, index[k], index[k], 32);
        index[k] = cpu_v2(s, A64_VADDb, index[k], cpu_splat(s, cpu_integer_of(lane), each[lane]));
        mach_reg at = index[k], r = cpu_v2(s, A64_VTBL, a[0], at);
        for (unsigned c = 1; c < n; c++) {
            at = cpu_v2(s, A64_VSUBb, at, cpu_splat(s, IR_I8, 16));
            r = cpu_v3(s, A64_VTBX, r, a[c], at);
        }
        out[k] = r;
    }
    cpu_set_all(s, i, out);
    return true;
}

/* ---- memory ---- */
/* In the frame: zeros, and a place that nobody reads. */
enum { ZERO_AT = 0, SINK_AT = 16, ROOM = 32 };

/* Elements side by side, of which some lanes want theirs. A page that holds one of them can be
 * read: where the gang's elements lie in one page they are loaded as vectors, and what belongs to
 * lanes that do not run is masked away. At the end of a page, and where no lane runs, they are put
 * together elsewhere, one by one. */
static mach_reg readable(struct cpu_sel *s, const struct ir_inst *i, mach_reg p)
{
    ir_type t = i->type;
    unsigned bytes = ir_lanes(t) * ir_bytes(ir_scalar(t)), n = cpu_chunks(s, i->args[1]->type);
    enum { PAGE = 4096 };
    uint32_t inside = cpu_split(s, false), slow = cpu_split(s, true), join = cpu_split(s, false),
             quick = cpu_split(s, false);
    mach_reg at = mach_block_param(s->f, join, A64_GPR, 8);
    mach_reg low = cpu_2(s, A64_ANDxi, a64_x(s), p, PAGE - 1);
    mach_put(s->f, A64_CMPxi, low, PAGE - bytes);
    mach_put(s->f, A64_BC, A64_LS, 0);
    mach_branch(s->f, inside, slow);
    mach_block_begin(s->f, inside);
    mach_put(s->f, A64_CBNZx, folded(s, i->args[1], A64_VORR), 0);
    mach_branch(s->f, quick, slow);
    mach_block_begin(s->f, quick);
    mach_jump(s->f, join, &p, 1);
    mach_block_begin(s->f, slow);
    const mach_reg *m = cpu_regs(s, i->args[1]);
    mach_reg room = cpu_room(s, bytes + 16 * n + 64), masks = a64_add(s, room, (bytes + 15) & ~15u);
    for (unsigned k = 0; k < n; k++)
        a64_store(s, ir_vector(IR_I32, 4), m[k], masks, 16 * (int64_t)k);
    mach_reg args[] = {room, p, masks, cpu_constant(s, IR_I64, ir_lanes(t)),
                       cpu_constant(s, IR_I64, ir_bytes(ir_scalar(t)))};
    s->t->host(s, offsetof(struct cpu_host, load_lanes), args, 5, false);
    mach_jump(s->f, join, &room, 1);
    mach_block_begin(s->f, join);
    return at;
}

static bool load(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->type, chunk = ir_vector(t, cpu_lanes(s, t));
    struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg base = cpu_reg(s, a.base), out[CPU_MOST_CHUNKS], m[CPU_MOST_CHUNKS];
    if (mask && !cpu_only_ours(i)) {
        base = readable(s, i, a64_add(s, base, a.offset));
        a.offset = 0;
    }
    if (mask)
        cpu_mask_as(s, mask, cpu_log_lane(t), m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        mach_reg r = a64_load(s, chunk, base, a.offset + (int64_t)k * ir_bytes(chunk));
        out[k] = mask ? cpu_v2(s, A64_VAND, r, m[k]) : r;
    }
    cpu_set_all(s, i, out);
    return true;
}

/* A chunk of which some lanes run, or none, or all: lane by lane, those that do not run to a place
 * that nobody reads. */
static void store_some(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg mask, mach_reg base,
                       int64_t at, mach_reg sink)
{
    static const uint16_t out[] = BHSD(VUMOV), ops[] = BHSD(ST1);
    const unsigned lane = cpu_log_lane(t);
    for (unsigned l = 0; l < cpu_lanes(s, t); l++) {
        const mach_reg p = a64_add(s, base, at + ((int64_t)l << lane)), to = a64_x(s);
        const mach_reg runs = cpu_2(s, out[lane], lane == 3 ? a64_x(s) : a64_w(s), mask, l);
        mach_put(s->f, lane == 3 ? A64_CMPxi : A64_CMPwi, runs, 0);
        cpu_3(s, A64_CSELx, to, p, sink, A64_NE);
        mach_put(s->f, ops[lane], v, l, to);
    }
}

/* What most chunks are, all or nothing, is done by a branch for each. */
static void store_masked(struct cpu_sel *s, ir_type t, const mach_reg *v, struct ir_value *mask,
                         mach_reg base, int64_t at)
{
    const unsigned bytes = cpu_lanes(s, t) << cpu_log_lane(t);
    const ir_type chunk = ir_vector(t, cpu_lanes(s, t));
    mach_reg m[CPU_MOST_CHUNKS], sink = a64_add(s, cpu_room(s, ROOM), SINK_AT);
    cpu_mask_as(s, mask, cpu_log_lane(t), m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++, at += bytes) {
        const uint32_t any = cpu_split(s, false), all = cpu_split(s, false),
                       some = cpu_split(s, false), next = cpu_split(s, false);
        /* half of each lane says what it does */
        const unsigned half = cpu_log_lane(t) == 1 ? A64_VXTNb : A64_VXTNh;
        const mach_reg bits =
            cpu_1(s, A64_FMOVxd, a64_x(s), bytes == 16 ? cpu_v1(s, half, m[k]) : m[k]);
        mach_put(s->f, A64_CBNZx, bits, 0);
        mach_branch(s->f, any, next);
        mach_block_begin(s->f, any);
        mach_put(s->f, A64_CMNxi, bits, 1);
        mach_put(s->f, A64_BC, A64_EQ, 0);
        mach_branch(s->f, all, some);
        mach_block_begin(s->f, all);
        a64_store(s, chunk, v[k], base, at);
        mach_jump(s->f, next, NULL, 0);
        mach_block_begin(s->f, some);
        store_some(s, t, v[k], m[k], base, at, sink);
        mach_jump(s->f, next, NULL, 0);
        mach_block_begin(s->f, next);
    }
}

static bool store(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    ir_type t = i->args[1]->type, chunk = ir_vector(t, cpu_lanes(s, t));
    struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg base = cpu_reg(s, a.base), m[CPU_MOST_CHUNKS];
    const mach_reg *v = cpu_regs(s, i->args[1]);
    bool mine = mask && cpu_only_ours(i);
    uint32_t whole = 0, some = 0, done = 0;
    if (mine)
        cpu_mask_as(s, mask, cpu_log_lane(t), m);
    if (mask && !mine) {
        whole = cpu_split(s, false), some = cpu_split(s, false), done = cpu_split(s, false);
        mach_put(s->f, A64_CMNxi, folded(s, mask, A64_VAND), 1);
        mach_put(s->f, A64_BC, A64_EQ, 0);
        mach_branch(s->f, whole, some);
        mach_block_begin(s->f, whole);
    }
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        mach_reg x = v[k];
        if (mine) /* what lanes that do not run have there is put back */
            x = cpu_v3(s, A64_VBSL, m[k], x, a64_load(s, chunk, base, at));
        a64_store(s, chunk, x, base, at);
    }
    if (mask && !mine) {
        mach_jump(s->f, done, NULL, 0);
        mach_block_begin(s->f, some);
        if (cpu_log_lane(t) > 0 && ir_bytes(chunk) >= 8)
            store_masked(s, t, v, mask, base, a.offset);
        else
            cpu_lane_by_lane(s, i);
        mach_jump(s->f, done, NULL, 0);
        mach_block_begin(s->f, done);
    }
    return true;
}

/* One chunk of lanes that are each the lowest of a register. */
static mach_reg join_lanes(struct cpu_sel *s, unsigned lane, unsigned n, mach_reg *part)
{
    static const uint16_t zip[] = BHSD(VZIP1);
    for (; n > 1; n /= 2, lane++)
        for (unsigned k = 0; k < n / 2; k++)
            part[k] = cpu_v2(s, zip[lane], part[2 * k], part[2 * k + 1]);
    return part[0];
}

mach_reg a64_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                        const int64_t *offset)
{
    const unsigned lane = cpu_log_lane(t);
    mach_reg part[16];
    for (unsigned l = 0; l < n; l++) {
        part[l] = cpu_chunk(s);
        a64_load_to(s, ir_vector(IR_I8, 1u << lane), part[l], base[l], offset[l]);
    }
    return join_lanes(s, lane, n, part);
}

void a64_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                    int64_t offset)
{
    static const uint16_t ops[] = BHSD(ST1);
    const unsigned lane = cpu_log_lane(t);
    if (k)
        mach_put(s->f, ops[lane], chunk, k, a64_add(s, base, offset));
    else
        a64_store(s, ir_vector(IR_I8, 1u << lane), chunk, base, offset);
}

/* The addresses of the lanes; those of lanes that do not run are replaced by one of no meaning. */
static void lane_pointers(struct cpu_sel *s, struct ir_value *p, struct ir_value *mask,
                          mach_reg instead, mach_reg *out)
{
    const mach_reg *given = cpu_regs(s, p);
    mach_reg m[CPU_MOST_CHUNKS], other = MACH_NONE;
    if (mask) {
        cpu_mask_as(s, mask, 3, m);
        other = cpu_v1(s, A64_VDUPd, instead);
    }
    for (unsigned k = 0; k < cpu_chunks(s, p->type); k++)
        out[k] = mask ? cpu_v3(s, A64_VBSL, m[k], given[k], other) : given[k];
}

/* base + index * 2^shift. */
static mach_reg far_address(struct cpu_sel *s, const struct cpu_far *far, mach_reg base,
                            mach_reg index)
{
    return cpu_3(s, far->is_signed ? A64_ADDsxtw : A64_ADDuxtw, a64_x(s), base, index, far->shift);
}

static void gather_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far)
{
    static const uint16_t ops[2][4] = {{0, A64_LDvhrU, A64_LDvsrU, A64_LDvdrU},
                                       {0, A64_LDvhrS, A64_LDvsrS, A64_LDvdrS}};
    const ir_type t = i->type;
    const unsigned n = cpu_lanes(s, t), lane = cpu_log_lane(t);
    const unsigned op = far->shift == lane ? ops[far->is_signed][lane] : 0;
    const mach_reg base = cpu_reg(s, far->base);
    mach_reg index[IR_MAX_LANES], part[16], out[CPU_MOST_CHUNKS];
    cpu_index_lanes(s, i, far->index, index);
    for (unsigned c = 0; c < cpu_chunks(s, t); c++) {
        for (unsigned l = 0; l < n; l++) {
            part[l] = cpu_chunk(s);
            if (op)
                mach_put(s->f, op, part[l], base, index[c * n + l]);
            else
                a64_load_to(s, ir_vector(IR_I8, 1u << lane), part[l],
                            far_address(s, far, base, index[c * n + l]), 0);
        }
        out[c] = join_lanes(s, lane, n, part);
    }
    cpu_set_all(s, i, out);
}

static void scatter_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far)
{
    const ir_type t = i->args[1]->type;
    const unsigned n = cpu_lanes(s, t);
    const mach_reg base = cpu_reg(s, far->base), *v = cpu_regs(s, i->args[1]);
    mach_reg index[IR_MAX_LANES];
    cpu_index_lanes(s, i, far->index, index);
    for (unsigned l = 0; l < ir_lanes(t); l++)
        a64_store_lane(s, ir_scalar(t), v[l / n], l % n, far_address(s, far, base, index[l]), 0);
}

static bool gather(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(LD1);
    struct cpu_far far;
    if (cpu_far(s, i, &far)) {
        gather_far(s, i, &far);
        return true;
    }
    ir_type t = i->type;
    if (cpu_lanes(s, i->args[0]->type) != 2)
        return false;
    mach_reg p[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS], room = MACH_NONE;
    if (mask) {
        room = cpu_room(s, ROOM);
        a64_store(s, IR_I64, cpu_constant(s, IR_I64, 0), room, ZERO_AT);
    }
    lane_pointers(s, i->args[0], mask, room, p);
    unsigned n = cpu_lanes(s, t), lane = cpu_log_lane(t);
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg x = cpu_2(s, A64_VUMOVd, a64_x(s), p[l / 2], l % 2);
        if (l % n == 0)
            out[l / n] = a64_blank(s);
        out[l / n] = cpu_3(s, ops[lane], cpu_chunk(s), out[l / n], l % n, x);
    }
    cpu_set_all(s, i, out);
    return true;
}

static bool scatter(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(ST1);
    struct cpu_far far;
    if (cpu_far(s, i, &far)) {
        scatter_far(s, i, &far);
        return true;
    }
    ir_type t = i->args[1]->type;
    if (cpu_lanes(s, i->args[0]->type) != 2)
        return false;
    mach_reg p[CPU_MOST_CHUNKS], sink = mask ? a64_add(s, cpu_room(s, ROOM), SINK_AT) : MACH_NONE;
    lane_pointers(s, i->args[0], mask, sink, p);
    const mach_reg *v = cpu_regs(s, i->args[1]);
    unsigned n = cpu_lanes(s, t), lane = cpu_log_lane(t);
    for (unsigned l = 0; l < ir_lanes(t); l++) {
        mach_reg x = cpu_2(s, A64_VUMOVd, a64_x(s), p[l / 2], l % 2);
        mach_put(s->f, ops[lane], v[l / n], l % n, x);
    }
    return true;
}

const struct cpu_vectors a64_vectors = {
    .and = A64_VAND,
    .or = A64_VORR,
    .xor = A64_VEOR,
    .up = A64_VSHLs,
    .not = not,
    .and_not = and_not,
    .or_not = or_not,
    .dup = dup,
    .bit = bit,
    .integer = integer_chunk,
    .floating = float_chunk,
    .compare = compare_chunk,
    .resize = resize,
    .resize_floats = float_widths,
    .by_lane = by_lane,
    .to_integer = to_integer,
    .from_integer = from_integer,
    .load = load,
    .store = store,
    .gather = gather,
    .scatter = scatter,
    .permute = permute,
    .reduce = reduce,
    .mask_bits = mask_bits,
    .vote = vote,
};

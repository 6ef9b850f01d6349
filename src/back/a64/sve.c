/* Vectors for AArch64 with SVE: chunks of 256 or 512 bits, masks in registers of their own. Only
 * what differs from vector.c. Lanes to spare hold anything, in masks too: whoever looks at all bits
 * of a mask looks at those of its lanes only (`first`). */
#include <string.h>
#include "back/a64/a64_select.h"

#define BHSD(op)                                                                                   \
    {                                                                                              \
        A64_##op##b, A64_##op##h, A64_##op##s, A64_##op##d                                         \
    }
#define SD(op)                                                                                     \
    {                                                                                              \
        0, 0, A64_##op##s, A64_##op##d                                                             \
    }

static mach_reg mask_1(struct cpu_sel *s, unsigned op, int64_t a)
{
    return cpu_1(s, op, cpu_mask(s), a);
}
static mach_reg mask_2(struct cpu_sel *s, unsigned op, int64_t a, int64_t b)
{
    return cpu_2(s, op, cpu_mask(s), a, b);
}

static unsigned bytes_of(const struct cpu_sel *s) /* a chunk's */
{
    return s->t->vector_bytes;
}

/* ---- constants ---- */
static mach_reg remat(struct cpu_sel *s, unsigned op, int64_t a, int64_t b, unsigned n)
{
    return mach_remat(s->f, A64_VEC, bytes_of(s), op, (const int64_t[]){0, a, b}, n);
}

/* The smallest lane that repeats over 64 bits, as a number with a sign. */
static int64_t repeated(uint64_t p, unsigned *lane)
{
    unsigned k = 3;
    while (k && p >> (4u << k) == (p & ((UINT64_C(1) << (4u << k)) - 1)))
        k--, p &= (UINT64_C(1) << (8u << k)) - 1;
    *lane = k;
    const unsigned up = 64 - (8u << k);
    return (int64_t)(p << up) >> up;
}

mach_reg a64_sve_splat(struct cpu_sel *s, ir_type t, uint64_t bits)
{
    static const uint16_t small[] = BHSD(ZDUPI);
    const unsigned n = cpu_lane_bits(t);
    uint64_t p = n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
    unsigned lane;
    for (unsigned k = n; k < 64; k *= 2)
        p |= p << k;
    const int64_t v = repeated(p, &lane);
    int64_t f;
    if (v >= -128 && v < 128)
        return remat(s, small[lane], v, 0, 2);
    if (lane >= 2 && a64_float_immediate(lane == 2 ? p & 0xffffffffu : p, lane == 3, &f))
        return remat(s, lane == 3 ? A64_ZFDUPd : A64_ZFDUPs, f, 0, 2);
    return remat(s, lane == 3 ? A64_ZLITd : A64_ZLITs, MACH_LITERAL | mach_literal(s->image, p, p),
                 0, 2);
}

static int64_t lane_value(const uint8_t *bytes, unsigned lane, unsigned k)
{
    uint64_t v = 0;
    memcpy(&v, bytes + ((size_t)k << lane), (size_t)1 << lane);
    const unsigned up = 64 - (8u << lane);
    return (int64_t)(v << up) >> up;
}

/* Numbers at a distance from each other, of which the instruction takes small ones. */
static bool is_series(const struct cpu_sel *s, const uint8_t *bytes, unsigned lane, int64_t *first,
                      int64_t *step)
{
    const unsigned up = 64 - (8u << lane);
    *first = lane_value(bytes, lane, 0);
    *step = lane_value(bytes, lane, 1) - *first;
    for (unsigned k = 2; k < bytes_of(s) >> lane; k++) {
        const uint64_t want = (uint64_t)*first + k * (uint64_t)*step;
        if ((int64_t)(want << up) >> up != lane_value(bytes, lane, k))
            return false;
    }
    return *first >= -16 && *first < 16 && *step >= -16 && *step < 16;
}

mach_reg a64_sve_literal(struct cpu_sel *s, const uint8_t *bytes)
{
    static const uint16_t index[] = BHSD(ZINDEX);
    const unsigned n = bytes_of(s);
    uint64_t part[CPU_MOST_VECTOR / 8];
    int64_t first, step;
    memcpy(part, bytes, n);
    for (unsigned lane = 0; lane < 4; lane++)
        if (is_series(s, bytes, lane, &first, &step))
            return remat(s, index[lane], first, step, 3);
    return remat(s, A64_ZLIT, (int64_t)(MACH_LITERAL | mach_literals(s->image, part, n / 8)), 0, 2);
}

/* 0, 1, 2 … in lanes of this width. */
static mach_reg numbers(struct cpu_sel *s, unsigned lane)
{
    uint8_t bytes[CPU_MOST_VECTOR] = {0};
    for (uint64_t l = 0; l < bytes_of(s) >> lane; l++)
        memcpy(bytes + (l << lane), &l, (size_t)1 << lane);
    return cpu_literal(s, bytes);
}

/* The mask of the first n lanes, a power of two, and of nothing else. */
static mach_reg first(struct cpu_sel *s, unsigned lane, unsigned n)
{
    static const uint16_t ops[] = BHSD(PTRUE);
    enum { KEY = 0x66697273 };
    const uint64_t key = (UINT64_C(1) << 61) + KEY + (lane << 8) + n;
    void *known = map_get(&s->constants, key);
    if (known)
        return (mach_reg)(uintptr_t)known;
    unsigned pattern = n;
    if (n >= 8) /* vl8 is 8, vl16 9, and so on */
        for (pattern = 8; 8u << (pattern - 8) < n;)
            pattern++;
    const mach_reg r =
        mach_remat(s->f, A64_MASK, 8, ops[lane], (const int64_t[]){0, (int64_t)pattern}, 2);
    map_set(&s->constants, key, (void *)(uintptr_t)r);
    return r;
}

/* ---- lanes ---- */
static mach_reg spread_lane(struct cpu_sel *s, unsigned lane, mach_reg chunk, unsigned k)
{
    static const uint16_t ops[] = BHSD(ZDUPE);
    return cpu_v2(s, ops[lane], chunk, k);
}

mach_reg a64_sve_extract(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k)
{
    const unsigned lane = cpu_log_lane(t);
    if (k << lane < 16)
        return a64_extract(s, t, chunk, k);
    return a64_extract(s, t, spread_lane(s, lane, chunk, k), 0);
}

static mach_reg only_lane(struct cpu_sel *s, unsigned lane, unsigned k)
{
    static const uint16_t small[] = BHSD(PCMPEQI), any[] = BHSD(PCMPEQ);
    if (!k)
        return first(s, lane, 1);
    if (k < 16)
        return mask_2(s, small[lane], numbers(s, lane), k);
    return mask_2(s, any[lane], numbers(s, lane), cpu_splat(s, cpu_integer_of(lane), k));
}

mach_reg a64_sve_insert(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg v)
{
    static const uint16_t integers[] = BHSD(ZPUT), floats[] = BHSD(ZPUTV);
    const unsigned lane = cpu_log_lane(t);
    return cpu_v3(s, (cpu_is_float(t) ? floats : integers)[lane], chunk, only_lane(s, lane, k), v);
}

mach_reg a64_sve_pick(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no)
{
    static const uint16_t ops[] = BHSD(ZSEL);
    return cpu_v3(s, ops[lane], mask, yes, no == MACH_NONE ? cpu_splat(s, IR_I32, 0) : no);
}

/* ---- lane widths ---- */
/* Of a chunk of `lanes` lanes, are there any in its upper half? */
static bool has_upper(const struct cpu_sel *s, unsigned lane, unsigned lanes)
{
    return lanes << lane > bytes_of(s) / 2;
}

static const uint16_t pack[] = {A64_ZUZP1b, A64_ZUZP1h, A64_ZUZP1s};

static unsigned widen_once(struct cpu_sel *s, mach_reg *a, unsigned n, unsigned from,
                           unsigned lanes, bool is_signed)
{
    static const uint16_t low[2][3] = {{A64_ZUUNPKLOb, A64_ZUUNPKLOh, A64_ZUUNPKLOs},
                                       {A64_ZSUNPKLOb, A64_ZSUNPKLOh, A64_ZSUNPKLOs}};
    static const uint16_t high[2][3] = {{A64_ZUUNPKHIb, A64_ZUUNPKHIh, A64_ZUUNPKHIs},
                                        {A64_ZSUNPKHIb, A64_ZSUNPKHIh, A64_ZSUNPKHIs}};
    mach_reg b[CPU_MOST_CHUNKS];
    unsigned m = 0;
    for (unsigned k = 0; k < n; k++) {
        b[m++] = cpu_v1(s, low[is_signed][from], a[k]);
        if (has_upper(s, from, lanes))
            b[m++] = cpu_v1(s, high[is_signed][from], a[k]);
    }
    memcpy(a, b, m * sizeof *a);
    return m;
}

static unsigned narrow_once(struct cpu_sel *s, mach_reg *a, unsigned n, unsigned from)
{
    unsigned m = 0;
    for (unsigned k = 0; k < n; k += 2)
        a[m++] = cpu_v2(s, pack[from - 1], a[k], a[k + 1 < n ? k + 1 : k]);
    return m;
}

static void resize(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                   unsigned lanes, bool is_signed, mach_reg *out)
{
    mach_reg a[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from);
    memcpy(a, in, n * sizeof *a);
    for (; from < to; from++)
        n = widen_once(s, a, n, from, lanes, is_signed);
    for (; from > to; from--)
        n = narrow_once(s, a, n, from);
    memcpy(out, a, n * sizeof *a);
}

/* Conversions work on lanes of the wider kind, of which the narrower number is the lower half. */
static void float_widths(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                         unsigned lanes, mach_reg *out)
{
    mach_reg a[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from);
    memcpy(a, in, n * sizeof *a);
    for (; from < to; from++) {
        n = widen_once(s, a, n, from, lanes, false);
        for (unsigned k = 0; k < n; k++)
            a[k] = cpu_v1(s, from == 1 ? A64_ZFCVThs : A64_ZFCVTsd, a[k]);
    }
    for (; from > to; from--) {
        for (unsigned k = 0; k < n; k++)
            a[k] = cpu_v1(s, from == 2 ? A64_ZFCVTsh : A64_ZFCVTds, a[k]);
        n = narrow_once(s, a, n, from);
    }
    memcpy(out, a, n * sizeof *a);
}

/* ---- shuffles ---- */
mach_reg a64_sve_shuffle(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                         const unsigned *index)
{
    static const uint16_t look_up[] = BHSD(ZTBL);
    static const struct a64_shuffles how = {
        {BHSD(ZZIP1), BHSD(ZZIP2), BHSD(ZUZP1), BHSD(ZUZP2), BHSD(ZTRN1), BHSD(ZTRN2)}, A64_ZEXT};
    const unsigned lane = size == 1   ? 0
                          : size == 2 ? 1
                          : size == 4 ? 2
                                      : 3,
                   n = bytes_of(s) >> lane;
    mach_reg r = a64_shuffle_once(s, &how, lane, a, b, index);
    if (r != MACH_NONE)
        return r;
    for (unsigned which = 0; which < 2; which++) { /* what is out of range gives 0 */
        uint8_t bytes[CPU_MOST_VECTOR];
        bool any = false;
        memset(bytes, 255, sizeof bytes);
        for (unsigned l = 0; l < n; l++) {
            const uint64_t at = index[l] % n;
            if (index[l] / n != which)
                continue;
            memcpy(bytes + l * size, &at, size);
            any = true;
        }
        if (!any)
            continue;
        const mach_reg x = cpu_v2(s, look_up[lane], which ? b : a, cpu_literal(s, bytes));
        r = r == MACH_NONE ? x : cpu_v2(s, A64_ZORR, r, x);
    }
    return r;
}

/* Each result chunk looks its lanes up in all chunks; what is in another gives 0. */
static bool permute(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t look_up[] = BHSD(ZTBL), less[] = BHSD(ZSUB);
    const ir_type t = i->type;
    const unsigned lane = cpu_log_lane(t), n = cpu_chunks(s, t), lanes = ir_lanes(t),
                   per = cpu_lanes(s, t);
    mach_reg index[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS], a[CPU_MOST_CHUNKS];
    if (n > 8)
        return false;
    cpu_lanes_of(s, i->args[0], a);
    const ir_type it = cpu_integer_of(lane);
    resize(s, cpu_regs(s, i->args[1]), 2, lane, lanes, false, index);
    for (unsigned k = 0; k < n; k++) {
        const mach_reg at = cpu_v2(s, A64_ZAND, index[k], cpu_splat(s, it, lanes - 1));
        for (unsigned c = 0; c < n; c++) {
            const mach_reg here =
                c ? cpu_v2(s, less[lane], at, cpu_splat(s, it, (uint64_t)c * per)) : at;
            const mach_reg x = cpu_v2(s, look_up[lane], a[c], here);
            out[k] = c ? cpu_v2(s, A64_ZORR, out[k], x) : x;
        }
    }
    cpu_set_lanes(s, i, out);
    return true;
}

/* ---- arithmetic ---- */
mach_reg a64_sve_flush(struct cpu_sel *s, mach_reg v)
{
    const mach_reg e = cpu_v2(s, A64_ZAND, v, cpu_splat(s, IR_I32, 0x7f800000u));
    const mach_reg sign = cpu_v2(s, A64_ZAND, v, cpu_splat(s, IR_I32, 1u << 31));
    return a64_sve_pick(s, 2, mask_2(s, A64_PCMPEQIs, e, 0), sign, v);
}

static const struct cpu_lane_ops integers[] = {
    {IR_OP_add, BHSD(ZADD)},
    {IR_OP_sub, BHSD(ZSUB)},
    {IR_OP_mul, BHSD(ZMUL)},
    {IR_OP_umulhi, BHSD(ZUMULH)},
    {IR_OP_smulhi, BHSD(ZSMULH)},
    {IR_OP_umin, BHSD(ZUMIN)},
    {IR_OP_umax, BHSD(ZUMAX)},
    {IR_OP_smin, BHSD(ZSMIN)},
    {IR_OP_smax, BHSD(ZSMAX)},
    {IR_OP_neg, BHSD(ZNEG)},
    {IR_OP_clz, BHSD(ZCLZ)},
    {IR_OP_popc, BHSD(ZCNT)},
    {IR_OP_brev, BHSD(ZRBIT)},
    {IR_OP_and, {A64_ZAND, A64_ZAND, A64_ZAND, A64_ZAND}},
    {IR_OP_or, {A64_ZORR, A64_ZORR, A64_ZORR, A64_ZORR}},
    {IR_OP_xor, {A64_ZEOR, A64_ZEOR, A64_ZEOR, A64_ZEOR}},
    {IR_OP_not, {A64_ZNOT, A64_ZNOT, A64_ZNOT, A64_ZNOT}},
    {IR_OP_ptradd, BHSD(ZADD)},
};
static const struct cpu_lane_ops floats[] = {
    {IR_OP_fadd, SD(ZFADD)},     {IR_OP_fsub, SD(ZFSUB)},     {IR_OP_fmul, SD(ZFMUL)},
    {IR_OP_fdiv, SD(ZFDIV)},     {IR_OP_fneg, SD(ZFNEG)},     {IR_OP_fabs, SD(ZFABS)},
    {IR_OP_fsqrt, SD(ZFSQRT)},   {IR_OP_ffloor, SD(ZFRINTM)}, {IR_OP_fceil, SD(ZFRINTP)},
    {IR_OP_ftrunc, SD(ZFRINTZ)}, {IR_OP_frint, SD(ZFRINTN)},
};
static const uint16_t left[] = BHSD(ZLSLI), right[] = BHSD(ZLSRI), signed_right[] = BHSD(ZASRI),
                      left_by[] = BHSD(ZLSL), right_by[] = BHSD(ZLSR), signed_by[] = BHSD(ZASR);

/* As select.c has it for single numbers. */
static mach_reg quiet(struct cpu_sel *s, const struct ir_inst *i, unsigned k, bool wide, mach_reg a)
{
    if (a64_is_quiet(i, k, wide))
        return a;
    const mach_reg none = cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31);
    return cpu_v2(s, wide ? A64_ZFADDd : A64_ZFADDs, a, none);
}

static mach_reg float_chunk(struct cpu_sel *s, const struct ir_inst *i, bool wide,
                            const mach_reg *a)
{
    if (i->op == IR_OP_fmin || i->op == IR_OP_fmax) {
        const bool max = i->op == IR_OP_fmax;
        return cpu_v2(
            s, max ? (wide ? A64_ZFMAXNMd : A64_ZFMAXNMs) : (wide ? A64_ZFMINNMd : A64_ZFMINNMs),
            quiet(s, i, 0, wide, a[0]), quiet(s, i, 1, wide, a[1]));
    }
    const unsigned op = cpu_lane_op(floats, sizeof floats / sizeof *floats, i->op, wide ? 3 : 2);
    if (op)
        return i->nargs == 1 ? cpu_v1(s, op, a[0]) : cpu_v2(s, op, a[0], a[1]);
    switch (i->op) {
    case IR_OP_fma:
    case IR_OP_mad: return cpu_v3(s, wide ? A64_ZFMLAd : A64_ZFMLAs, a[2], a[0], a[1]);
    case IR_OP_fcopysign: {
        const mach_reg sign =
            cpu_splat(s, wide ? IR_I64 : IR_I32, wide ? UINT64_C(1) << 63 : 1u << 31);
        return cpu_v2(s, A64_ZORR, cpu_v2(s, A64_ZBIC, a[0], sign),
                      cpu_v2(s, A64_ZAND, a[1], sign));
    }
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast: {
        const mach_reg x =
            i->op == IR_OP_frcp_fast ? a[0] : cpu_v1(s, wide ? A64_ZFSQRTd : A64_ZFSQRTs, a[0]);
        const mach_reg one =
            cpu_splat(s, wide ? IR_F64 : IR_F32, wide ? UINT64_C(0x3ff) << 52 : 0x3f800000u);
        return cpu_v2(s, wide ? A64_ZFDIVd : A64_ZFDIVs, one, x);
    }
    default: return MACH_NONE;
    }
}

/* By a vector: the instructions, too, shift everything out from the width of a lane on. */
static mach_reg shift(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                      mach_reg by)
{
    const unsigned n = 8u << lane;
    uint64_t c;
    if (!cpu_known(i, 1, &c))
        return cpu_v2(s,
                      (i->op == IR_OP_shl    ? left_by
                       : i->op == IR_OP_lshr ? right_by
                                             : signed_by)[lane],
                      a, by);
    if (c >= n && i->op != IR_OP_ashr)
        return cpu_splat(s, cpu_integer_of(lane), 0);
    c = c >= n ? n - 1 : c;
    if (!c)
        return a;
    return cpu_v2(s,
                  (i->op == IR_OP_shl    ? left
                   : i->op == IR_OP_lshr ? right
                                         : signed_right)[lane],
                  a, (int64_t)c);
}

/* Of 32 and 64 bits. By zero the instruction gives 0, so that a remainder is right; a quotient is
 * to be all ones. */
static mach_reg divide(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                       mach_reg b)
{
    static const uint16_t with_sign[] = SD(ZSDIV), without[] = SD(ZUDIV), less[] = BHSD(ZMLS),
                          zero[] = BHSD(PCMPEQI);
    const bool is_signed = i->op == IR_OP_sdiv || i->op == IR_OP_srem;
    uint64_t c;
    if (lane < 2)
        return MACH_NONE;
    const mach_reg q = cpu_v2(s, (is_signed ? with_sign : without)[lane], a, b);
    if (i->op == IR_OP_urem || i->op == IR_OP_srem)
        return cpu_v3(s, less[lane], a, q, b);
    if (cpu_known(i, 1, &c) && c)
        return q;
    return a64_sve_pick(s, lane, mask_2(s, zero[lane], b, 0), cpu_splat(s, IR_I8, 255), q);
}

/* Where by how much is not known: by that one way, by 1 and then by the rest the other way. */
static mach_reg funnel(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, const mach_reg *a)
{
    const unsigned n = 8u << lane;
    const bool up = i->op == IR_OP_fshl;
    unsigned by;
    if (i->args[2]->kind == IR_VALUE_CONST) {
        if (!cpu_funnel(i, n, &by))
            return a[up ? 0 : 1];
        return cpu_v2(s, A64_ZORR, cpu_v2(s, left[lane], a[0], by),
                      cpu_v2(s, right[lane], a[1], n - by));
    }
    const mach_reg most = cpu_splat(s, cpu_integer_of(lane), n - 1);
    const mach_reg k = cpu_v2(s, A64_ZAND, a[2], most), rest = cpu_v2(s, A64_ZEOR, k, most);
    const mach_reg x = cpu_v2(s, (up ? left_by : right_by)[lane], a[up ? 0 : 1], k);
    const mach_reg y = cpu_v2(s, (up ? right : left)[lane], a[up ? 1 : 0], 1);
    return cpu_v2(s, A64_ZORR, x, cpu_v2(s, (up ? right_by : left_by)[lane], y, rest));
}

static mach_reg integer_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                              const mach_reg *a)
{
    const unsigned op = cpu_lane_op(integers, sizeof integers / sizeof *integers, i->op, lane);
    if (op)
        return i->nargs == 1 ? cpu_v1(s, op, a[0]) : cpu_v2(s, op, a[0], a[1]);
    switch (i->op) {
    case IR_OP_shl:
    case IR_OP_lshr:
    case IR_OP_ashr: return shift(s, i, lane, a[0], a[1]);
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem: return divide(s, i, lane, a[0], a[1]);
    case IR_OP_fshl:
    case IR_OP_fshr: return funnel(s, i, lane, a);
    case IR_OP_dp4a:
    case IR_OP_udp4a:
        return cpu_v3(s, i->op == IR_OP_dp4a ? A64_ZSDOTb : A64_ZUDOTb, a[2], a[0], a[1]);
    default: return MACH_NONE;
    }
}

static mach_reg not(struct cpu_sel * s, mach_reg a)
{
    return cpu_v1(s, A64_ZNOT, a);
}
static mach_reg and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return cpu_v2(s, A64_ZBIC, a, b);
}
static mach_reg or_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return cpu_v2(s, A64_ZORR, a, not(s, b));
}

static mach_reg dup(struct cpu_sel *s, ir_type t, mach_reg x)
{
    static const uint16_t ops[] = BHSD(ZDUP);
    const unsigned lane = cpu_log_lane(t);
    return cpu_is_float(t) ? spread_lane(s, lane, x, 0) : cpu_v1(s, ops[lane], x);
}

/* ---- comparisons ---- */
static mach_reg bit(struct cpu_sel *s, unsigned lane, mach_reg a, mach_reg one)
{
    static const uint16_t ops[] = BHSD(PCMPNEI);
    return mask_2(s, ops[lane], cpu_v2(s, A64_ZAND, a, one), 0);
}

/* With a small constant: of the first operand if `first`, else of the second. */
static mach_reg compare_constant(struct cpu_sel *s, const struct ir_inst *i, unsigned lane,
                                 mach_reg a, mach_reg b)
{
    static const struct {
        enum ir_op op;
        bool first, is_unsigned;
        uint16_t lanes[4];
    } table[] = {
        {IR_OP_eq, 0, 0, BHSD(PCMPEQI)},  {IR_OP_eq, 1, 0, BHSD(PCMPEQI)},
        {IR_OP_ne, 0, 0, BHSD(PCMPNEI)},  {IR_OP_ne, 1, 0, BHSD(PCMPNEI)},
        {IR_OP_slt, 0, 0, BHSD(PCMPLTI)}, {IR_OP_slt, 1, 0, BHSD(PCMPGTI)},
        {IR_OP_sle, 0, 0, BHSD(PCMPLEI)}, {IR_OP_sle, 1, 0, BHSD(PCMPGEI)},
        {IR_OP_ult, 0, 1, BHSD(PCMPLOI)}, {IR_OP_ult, 1, 1, BHSD(PCMPHII)},
        {IR_OP_ule, 0, 1, BHSD(PCMPLSI)}, {IR_OP_ule, 1, 1, BHSD(PCMPHSI)},
    };
    const unsigned up = 64 - (8u << lane);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        uint64_t c;
        if (table[k].op != i->op || !cpu_known(i, !table[k].first, &c))
            continue;
        const int64_t v =
            table[k].is_unsigned ? (int64_t)(c << up >> up) : (int64_t)(c << up) >> up;
        if (table[k].is_unsigned ? v >= 0 && v < 128 : v >= -16 && v < 16)
            return mask_2(s, table[k].lanes[lane], table[k].first ? b : a, v);
    }
    return MACH_NONE;
}

static mach_reg compare_zero(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                             mach_reg b)
{
    static const struct {
        enum ir_op op;
        bool first;
        uint16_t lanes[4];
    } table[] = {
        {IR_OP_feq, 0, SD(PFCMEQ0)}, {IR_OP_feq, 1, SD(PFCMEQ0)}, {IR_OP_fne, 0, SD(PFCMNE0)},
        {IR_OP_fne, 1, SD(PFCMNE0)}, {IR_OP_flt, 0, SD(PFCMLT0)}, {IR_OP_flt, 1, SD(PFCMGT0)},
        {IR_OP_fle, 0, SD(PFCMLE0)}, {IR_OP_fle, 1, SD(PFCMGE0)},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        uint64_t c;
        if (table[k].op == i->op && cpu_known(i, !table[k].first, &c) && !c)
            return mask_1(s, table[k].lanes[lane], table[k].first ? b : a);
    }
    return MACH_NONE;
}

static mach_reg compare_chunk(struct cpu_sel *s, const struct ir_inst *i, unsigned lane, mach_reg a,
                              mach_reg b)
{
    static const struct {
        enum ir_op op;
        bool swapped;
        uint16_t lanes[4];
    } table[] = {
        {IR_OP_eq, 0, BHSD(PCMPEQ)},  {IR_OP_ne, 0, BHSD(PCMPNE)},  {IR_OP_ult, 1, BHSD(PCMPHI)},
        {IR_OP_ule, 1, BHSD(PCMPHS)}, {IR_OP_slt, 1, BHSD(PCMPGT)}, {IR_OP_sle, 1, BHSD(PCMPGE)},
        {IR_OP_feq, 0, SD(PFCMEQ)},   {IR_OP_fne, 0, SD(PFCMNE)},   {IR_OP_flt, 1, SD(PFCMGT)},
        {IR_OP_fle, 1, SD(PFCMGE)},   {IR_OP_funo, 0, SD(PFCMUO)},
    };
    const bool is_float = ir_class(i->args[0]->type) == IR_CLASS_FLOAT;
    const mach_reg r =
        is_float ? compare_zero(s, i, lane, a, b) : compare_constant(s, i, lane, a, b);
    if (r != MACH_NONE)
        return r;
    unsigned k = 0;
    while (table[k].op != i->op)
        k++;
    return mask_2(s, table[k].lanes[lane], table[k].swapped ? b : a, table[k].swapped ? a : b);
}

/* ---- masks ---- */
static mach_reg mask_not(struct cpu_sel *s, mach_reg a)
{
    return mask_1(s, A64_PNOT, a);
}

static mach_reg mask_and_not(struct cpu_sel *s, mach_reg a, mach_reg b)
{
    return mask_2(s, A64_PBIC, a, b);
}

static mach_reg mask_constant(struct cpu_sel *s, bool set)
{
    return mach_remat(s->f, A64_MASK, 8, set ? A64_PTRUE : A64_PFALSE, (const int64_t[]){0}, 1);
}

/* 1, 2, 4 … in lanes of 32 bits. */
static mach_reg weights(struct cpu_sel *s)
{
    uint8_t bytes[CPU_MOST_VECTOR] = {0};
    for (unsigned l = 0; l < bytes_of(s) / 4; l++) {
        const uint32_t weight = 1u << l;
        memcpy(bytes + 4 * (size_t)l, &weight, sizeof weight);
    }
    return cpu_literal(s, bytes);
}

static mach_reg to_bits(struct cpu_sel *s, mach_reg mask)
{
    const mach_reg r = cpu_2(s, A64_ZORVs, mach_vreg(s->f, A64_VEC, 4), mask, weights(s));
    return cpu_1(s, A64_FMOVws, a64_w(s), r);
}

static mach_reg from_bits(struct cpu_sel *s, mach_reg bits)
{
    const mach_reg all = cpu_v1(s, A64_ZDUPs, bits);
    return mask_2(s, A64_PCMPNEIs, cpu_v2(s, A64_ZAND, all, weights(s)), 0);
}

static mach_reg bit_of(struct cpu_sel *s, mach_reg bits, unsigned k)
{
    return cpu_3(s, A64_UBFMw, a64_w(s), bits, k, k);
}

static mach_reg with_bit(struct cpu_sel *s, mach_reg bits, unsigned k, mach_reg bit)
{
    const mach_reg rest = cpu_2(s, A64_ANDwi, a64_w(s), bits, (int64_t)(uint32_t) ~(1u << k));
    const mach_reg up = k ? cpu_3(s, A64_UBFMw, a64_w(s), bit, 32 - k, 31 - k) : bit;
    return cpu_2(s, A64_ORRw, a64_w(s), rest, up);
}

static void masks_as(struct cpu_sel *s, const mach_reg *in, unsigned from, unsigned to,
                     unsigned lanes, mach_reg *out)
{
    static const uint16_t join[] = {A64_PUZP1b, A64_PUZP1h, A64_PUZP1s};
    mach_reg a[CPU_MOST_CHUNKS], b[CPU_MOST_CHUNKS];
    unsigned n = cpu_chunks_of(s, lanes, from);
    memcpy(a, in, n * sizeof *a);
    for (; from < to; from++) {
        unsigned m = 0;
        for (unsigned k = 0; k < n; k++) {
            b[m++] = mask_1(s, A64_PUNPKLO, a[k]);
            if (has_upper(s, from, lanes))
                b[m++] = mask_1(s, A64_PUNPKHI, a[k]);
        }
        n = m;
        memcpy(a, b, n * sizeof *a);
    }
    for (; from > to; from--) {
        unsigned m = 0;
        for (unsigned k = 0; k < n; k += 2)
            a[m++] = mask_2(s, join[from - 1], a[k], a[k + 1 < n ? k + 1 : k]);
        n = m;
    }
    memcpy(out, a, n * sizeof *a);
}

static mach_reg spread(struct cpu_sel *s, unsigned lane, mach_reg mask)
{
    static const uint16_t ops[] = BHSD(ZCPYI);
    return cpu_v2(s, ops[lane], mask, -1);
}

static mach_reg narrow(struct cpu_sel *s, unsigned lane, mach_reg v)
{
    static const uint16_t ops[] = BHSD(PCMPLTI);
    return mask_2(s, ops[lane], v, 0);
}

const struct cpu_masks a64_sve_masks = {
    .class = A64_MASK,
    .and = A64_PAND,
    .or = A64_PORR,
    .xor = A64_PEOR,
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

/* Emits what decides a vote; the condition that holds if it is true: all lanes run where none does
 * not. */
static unsigned decide_vote(struct cpu_sel *s, const struct ir_inst *v)
{
    const bool all = v->op == IR_OP_alllanes;
    struct ir_value *mask = v->args[0];
    const mach_reg m = cpu_fold_mask(s, mask, all ? A64_PAND : A64_PORR);
    mach_put(s->f, A64_PTEST, first(s, 2, cpu_lanes(s, mask->type)), all ? mask_not(s, m) : m);
    return all ? A64_EQ : A64_NE;
}

static void vote(struct cpu_sel *s, const struct ir_inst *i)
{
    const unsigned condition = decide_vote(s, i);
    cpu_set(s, i, cpu_1(s, A64_CSET, a64_w(s), condition ^ 1)); /* inverted */
}

void a64_sve_branch_vote(struct cpu_sel *s, struct ir_inst *v, uint32_t yes, uint32_t no)
{
    const unsigned condition = decide_vote(s, v);
    mach_put(s->f, A64_BC, condition, 0);
    mach_branch(s->f, yes, no);
}

static bool mask_bits(struct cpu_sel *s, const struct ir_inst *i)
{
    const ir_type t = i->args[0]->type;
    const mach_reg *m = cpu_regs(s, i->args[0]);
    const unsigned lanes = cpu_lanes(s, t);
    mach_reg r = to_bits(s, m[0]);
    if (lanes < bytes_of(s) / 4) /* one chunk, with lanes to spare */
        r = cpu_2(s, A64_ANDwi, a64_w(s), r, (1 << lanes) - 1);
    for (unsigned k = 1; k < cpu_chunks(s, t); k++)
        r = cpu_3(s, A64_ORRlw, a64_w(s), r, to_bits(s, m[k]), k * lanes);
    cpu_set(s, i, r);
    return true;
}

/* ---- conversions ---- */
/* The instructions round towards zero; other ways round first, which loses nothing. */
static mach_reg rounded(struct cpu_sel *s, unsigned mode, bool wide, mach_reg v)
{
    static const uint16_t ops[4][2] = {{A64_ZFRINTNs, A64_ZFRINTNd},
                                       {0, 0},
                                       {A64_ZFRINTPs, A64_ZFRINTPd},
                                       {A64_ZFRINTMs, A64_ZFRINTMd}};
    return ops[mode][wide] ? cpu_v1(s, ops[mode][wide], v) : v;
}

static bool to_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t ops[2][3] = {{A64_ZFCVTZSs, A64_ZFCVTZSd, A64_ZFCVTZSds},
                                       {A64_ZFCVTZUs, A64_ZFCVTZUd, A64_ZFCVTZUds}};
    const ir_type t = i->results[0].type, f = i->args[0]->type;
    const unsigned to = ir_bits(t), lanes = ir_lanes(t), from = cpu_log_lane(f);
    const bool is_unsigned = i->op == IR_OP_ftoui;
    const uint64_t nan = ir_nan_to_int(ir_kind(f), to);
    const unsigned work = to == 64 || from == 3 ? 3 : 2;
    mach_reg in[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    if (to == 1 || ir_kind(f) == IR_BF16 || (to < 32 && from == 3) ||
        (nan && (to < 32 || to != 8u << work)) || (i->flags & IR_FTZ && from == 2 && work == 3))
        return false;
    const unsigned how = work == 2 ? 0 : to == 64 ? 1 : 2;
    float_widths(s, cpu_regs(s, i->args[0]), from, work, lanes, in);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, work); k++) {
        const mach_reg x = i->flags & IR_FTZ && from == 2 ? a64_sve_flush(s, in[k]) : in[k];
        in[k] =
            cpu_v1(s, ops[is_unsigned][how], rounded(s, i->flags & IR_ROUND_MASK, work == 3, x));
        if (nan)
            in[k] = a64_sve_pick(s, work, mask_2(s, work == 3 ? A64_PFCMUOd : A64_PFCMUOs, x, x),
                                 cpu_splat(s, ir_scalar(t), nan), in[k]);
        if (to < 32 && is_unsigned)
            in[k] = cpu_v2(s, A64_ZUMINs, in[k], cpu_splat(s, IR_I32, (1u << to) - 1));
        if (to < 32 && !is_unsigned) {
            in[k] = cpu_v2(s, A64_ZSMINs, in[k], cpu_splat(s, IR_I32, (1u << (to - 1)) - 1));
            in[k] = cpu_v2(s, A64_ZSMAXs, in[k], cpu_splat(s, IR_I32, ~((1u << (to - 1)) - 1)));
        }
    }
    resize(s, in, work, cpu_log_lane(t), lanes, false, out);
    cpu_set_all(s, i, out);
    return true;
}

static bool from_integer(struct cpu_sel *s, const struct ir_inst *i)
{
    static const uint16_t ops[2][3] = {{A64_ZUCVTFs, A64_ZUCVTFd, A64_ZUCVTFds},
                                       {A64_ZSCVTFs, A64_ZSCVTFd, A64_ZSCVTFds}};
    const ir_type t = i->results[0].type, f = i->args[0]->type;
    const unsigned lanes = ir_lanes(t), from = cpu_log_lane(f), to = cpu_log_lane(t),
                   work = from > to ? from : to;
    const bool is_signed = i->op == IR_OP_sitof;
    mach_reg out[CPU_MOST_CHUNKS];
    if (cpu_is_half(t) || i->flags & IR_ROUND_MASK || ir_kind(f) == IR_I1)
        return false;
    resize(s, cpu_regs(s, i->args[0]), from, work, lanes, is_signed, out);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, work); k++)
        out[k] = cpu_v1(s, ops[is_signed][work == 2 ? 0 : to == 3 ? 1 : 2], out[k]);
    resize(s, out, work, to, lanes, false, out);
    cpu_set_all(s, i, out);
    return true;
}

/* ---- scalars from lanes ---- */
/* Whole chunks first, then across the last one. Floats are added in the order of lanes. */
static bool reduce(struct cpu_sel *s, const struct ir_inst *i)
{
    static const struct {
        enum ir_rmw kind;
        uint16_t pair[4], across[4];
    } table[] = {
        {IR_RMW_ADD, BHSD(ZADD), BHSD(ZUADDV)},
        {IR_RMW_UMIN, BHSD(ZUMIN), BHSD(ZUMINV)},
        {IR_RMW_UMAX, BHSD(ZUMAX), BHSD(ZUMAXV)},
        {IR_RMW_SMIN, BHSD(ZSMIN), BHSD(ZSMINV)},
        {IR_RMW_SMAX, BHSD(ZSMAX), BHSD(ZSMAXV)},
        {IR_RMW_AND, {A64_ZAND, A64_ZAND, A64_ZAND, A64_ZAND}, BHSD(ZANDV)},
        {IR_RMW_OR, {A64_ZORR, A64_ZORR, A64_ZORR, A64_ZORR}, BHSD(ZORV)},
        {IR_RMW_XOR, {A64_ZEOR, A64_ZEOR, A64_ZEOR, A64_ZEOR}, BHSD(ZEORV)},
    };
    const ir_type t = i->args[0]->type;
    const unsigned lane = cpu_log_lane(t);
    if (ir_class(t) != IR_CLASS_INT || ir_kind(t) == IR_I1)
        return false;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].kind != i->imm)
            continue;
        const mach_reg *a = cpu_regs(s, i->args[0]);
        mach_reg r = a[0];
        for (unsigned c = 1; c < cpu_chunks(s, t); c++)
            r = cpu_v2(s, table[k].pair[lane], r, a[c]);
        r = cpu_v2(s, table[k].across[lane], first(s, lane, cpu_lanes(s, t)), r);
        cpu_set(s, i, a64_extract(s, ir_scalar(t), r, 0));
        return true;
    }
    return false;
}

/* ---- memory ---- */
/* A piece of 32 bytes where vectors have 64, or a whole one. */
static void access(struct cpu_sel *s, bool load, unsigned bytes, mach_reg v, mach_reg base,
                   int64_t offset)
{
    const int64_t size = bytes_of(s);
    const bool whole = bytes == size;
    int64_t at = offset / size;
    if (offset % size || at < (whole ? -256 : -8) || at > (whole ? 255 : 7)) {
        base = a64_add(s, base, offset);
        at = 0;
    }
    if (whole)
        mach_put(s->f, load ? A64_LDz : A64_STz, v, base, at);
    else
        mach_put(s->f, load ? A64_ZLDb : A64_ZSTb, v, first(s, 0, bytes), base, at);
}

mach_reg a64_sve_load(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset)
{
    const mach_reg r = cpu_new(s, t);
    a64_sve_load_to(s, t, r, base, offset);
    return r;
}

void a64_sve_load_to(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset)
{
    if (ir_bytes(t) > 16)
        access(s, true, ir_bytes(t), to, base, offset);
    else
        a64_load_to(s, t, to, base, offset);
}

void a64_sve_store(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset)
{
    if (ir_bytes(t) > 16)
        access(s, false, ir_bytes(t), v, base, offset);
    else
        a64_store(s, t, v, base, offset);
}

/* Masks of all chunks, for lanes of this width; lanes that a chunk has to spare do not run. */
static void running(struct cpu_sel *s, struct ir_value *mask, unsigned lane, mach_reg *out)
{
    const unsigned lanes = ir_lanes(mask->type);
    cpu_mask_as(s, mask, lane, out);
    if (lanes << lane < bytes_of(s))
        out[0] = mask_2(s, A64_PAND, out[0], first(s, lane, lanes));
}

/* Lanes side by side, of which some run. */
static void access_some(struct cpu_sel *s, unsigned op, mach_reg v, mach_reg mask, mach_reg base,
                        int64_t offset)
{
    const int64_t size = bytes_of(s);
    const bool near = offset % size == 0 && offset / size >= -8 && offset / size < 8;
    mach_put(s->f, op, v, mask, near ? base : a64_add(s, base, offset), near ? offset / size : 0);
}

static bool load(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(ZLD);
    const ir_type t = i->type, chunk = ir_vector(t, cpu_lanes(s, t));
    const unsigned lane = cpu_log_lane(t);
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const mach_reg base = cpu_reg(s, a.base);
    mach_reg out[CPU_MOST_CHUNKS], m[CPU_MOST_CHUNKS];
    if (mask)
        running(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        out[k] = cpu_chunk(s);
        if (mask)
            access_some(s, ops[lane], out[k], m[k], base, at);
        else
            a64_sve_load_to(s, chunk, out[k], base, at);
    }
    cpu_set_all(s, i, out);
    return true;
}

static bool store(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(ZST);
    const ir_type t = i->args[1]->type, chunk = ir_vector(t, cpu_lanes(s, t));
    const unsigned lane = cpu_log_lane(t);
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const mach_reg base = cpu_reg(s, a.base), *v = cpu_regs(s, i->args[1]);
    mach_reg m[CPU_MOST_CHUNKS];
    if (mask)
        running(s, mask, lane, m);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const int64_t at = a.offset + (int64_t)k * ir_bytes(chunk);
        if (mask)
            access_some(s, ops[lane], v[k], m[k], base, at);
        else
            a64_sve_store(s, chunk, v[k], base, at);
    }
    return true;
}

/* Lanes of 32 bits, from a base and an index each. */
static void gather_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far)
{
    const mach_reg base = cpu_reg(s, far->base), *index = cpu_regs(s, far->index);
    mach_reg m[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    running(s, i->args[1], 2, m);
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++)
        out[k] = cpu_v3(s, far->is_signed ? A64_ZGATHERsS : A64_ZGATHERsU, m[k], base, index[k]);
    cpu_set_all(s, i, out);
}

static void scatter_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far)
{
    const mach_reg base = cpu_reg(s, far->base), *index = cpu_regs(s, far->index),
                   *v = cpu_regs(s, i->args[1]);
    mach_reg m[CPU_MOST_CHUNKS];
    running(s, i->args[2], 2, m);
    for (unsigned k = 0; k < cpu_chunks(s, i->args[1]->type); k++)
        mach_put(s->f, far->is_signed ? A64_ZSCATTERsS : A64_ZSCATTERsU, v[k], m[k], base,
                 index[k]);
}

/* By addresses, each of 64 bits: lanes of other widths are the lower parts of those. */
static bool gather(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(ZGATHER);
    const unsigned lane = cpu_log_lane(i->type), lanes = ir_lanes(i->type);
    mach_reg m[CPU_MOST_CHUNKS], out[CPU_MOST_CHUNKS];
    struct cpu_far far;
    (void)mask; /* the instruction wants one in any case */
    if (cpu_far(s, i, &far)) {
        gather_far(s, i, &far);
        return true;
    }
    const mach_reg *p = cpu_regs(s, i->args[0]);
    running(s, i->args[1], 3, m);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, 3); k++)
        out[k] = cpu_v2(s, ops[lane], m[k], p[k]);
    resize(s, out, 3, lane, lanes, false, out);
    cpu_set_all(s, i, out);
    return true;
}

/* Lanes that go to one place do so in their order. */
static bool scatter(struct cpu_sel *s, struct ir_inst *i, struct ir_value *mask)
{
    static const uint16_t ops[] = BHSD(ZSCATTER);
    const ir_type t = i->args[1]->type;
    const unsigned lane = cpu_log_lane(t), lanes = ir_lanes(t);
    mach_reg m[CPU_MOST_CHUNKS], v[CPU_MOST_CHUNKS];
    struct cpu_far far;
    (void)mask;
    if (cpu_far(s, i, &far)) {
        scatter_far(s, i, &far);
        return true;
    }
    const mach_reg *p = cpu_regs(s, i->args[0]);
    resize(s, cpu_regs(s, i->args[1]), lane, 3, lanes, false, v);
    running(s, i->args[2], 3, m);
    for (unsigned k = 0; k < cpu_chunks_of(s, lanes, 3); k++)
        mach_put(s->f, ops[lane], v[k], m[k], p[k]);
    return true;
}

/* Lanes that are each the lowest of a register become pairs, and so on to 128 bits; these are put
 * one behind the other. */
mach_reg a64_sve_load_lanes(struct cpu_sel *s, ir_type t, unsigned n, const mach_reg *base,
                            const int64_t *offset)
{
    static const uint16_t zip[] = BHSD(ZZIP1);
    unsigned lane = cpu_log_lane(t);
    mach_reg part[CPU_MOST_VECTOR];
    for (unsigned l = 0; l < n; l++) {
        part[l] = cpu_chunk(s);
        a64_load_to(s, ir_vector(IR_I8, 1u << lane), part[l], base[l], offset[l]);
    }
    for (; n > 1; n /= 2, lane++)
        for (unsigned k = 0; k < n / 2; k++)
            part[k] = lane < 4 ? cpu_v2(s, zip[lane], part[2 * k], part[2 * k + 1])
                               : cpu_v3(s, A64_ZSPLICE, part[2 * k], first(s, 3, 1u << (lane - 3)),
                                        part[2 * k + 1]);
    return part[0];
}

void a64_sve_store_lane(struct cpu_sel *s, ir_type t, mach_reg chunk, unsigned k, mach_reg base,
                        int64_t offset)
{
    const unsigned lane = cpu_log_lane(t);
    if (k << lane < 16)
        a64_store_lane(s, t, chunk, k, base, offset);
    else
        a64_store_lane(s, t, spread_lane(s, lane, chunk, k), 0, base, offset);
}

const struct cpu_vectors a64_sve_vectors = {
    .and = A64_ZAND,
    .or = A64_ZORR,
    .xor = A64_ZEOR,
    .up = A64_ZLSLIs,
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

/* ---- calls of the host ---- */
/* Keeps all registers but x0: C may change whatever of vectors is above their first 64 bits, and
 * all masks. */
void a64_sve_stubs(struct cpu_sel *s)
{
    struct mach_func *f = mach_func_new(s->arena, s->t->machine, "host");
    static const uint8_t kept[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18};
    enum { KEPT_X = 16, KEPT_P = KEPT_X + 8 * 18, KEPT_Z = 256, MASKS = 8 };
    const int64_t size = bytes_of(s), bytes = KEPT_Z + 32 * size;
    mach_block_begin(f, mach_block_new(f));
    f->records = (uint64_t)bytes;
    mach_put(f, A64_SUBxi, A64_SP, A64_SP, bytes);
    mach_emit_unwind(f, MACH_MOVED);
    mach_put(f, A64_STPx, A64_FP, A64_LR, A64_SP, 0);
    mach_emit_unwind(f, MACH_SAVED);
    mach_put(f, A64_ADDxi, A64_FP, A64_SP, 0);
    mach_emit_unwind(f, MACH_FRAMED);
    for (int restore = 0; restore < 2; restore++) {
        for (unsigned k = 0; k < sizeof kept; k += 2)
            mach_put(f, restore ? A64_LDPx : A64_STPx, kept[k], kept[k + 1], A64_SP,
                     KEPT_X + 8 * (int64_t)k);
        for (unsigned k = 0; k < MASKS; k++)
            mach_put(f, restore ? A64_LDp : A64_STp, A64_P0 + k, A64_SP,
                     (KEPT_P + 8 * (int64_t)k) / (size / 8));
        for (unsigned k = 0; k < 32; k++)
            mach_put(f, restore ? A64_LDz : A64_STz, A64_V0 + k, A64_SP, KEPT_Z / size + k);
        if (!restore)
            mach_put(f, A64_BLR, A64_X16);
    }
    mach_put(f, A64_LDPx, A64_FP, A64_LR, A64_SP, 0);
    mach_emit_unwind(f, MACH_MOVED);
    mach_put(f, A64_ADDxi, A64_SP, A64_SP, bytes);
    mach_emit_unwind(f, MACH_ENTERED);
    mach_emit(f, A64_RET, NULL, 0);
    mach_end(f, MACH_DEAD);
    mach_finish(f, s->image, s->stub);
}

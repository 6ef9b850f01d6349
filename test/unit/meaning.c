/* What operations mean: values worked out by hand, and arithmetic against the host's. */
#include <fenv.h>
#include <math.h>
#include "ir/meaning.h"
#include "unit.h"

/* ---- one line for each op at least: type, source, flags, operands, result ---- */
#define F1  0x3f800000u /* 1.0f */
#define F2  0x40000000u
#define F3  0x40400000u
#define FH  0x3f000000u /* 0.5f */
#define FN  0x7fc00000u /* NaN */
#define FI  0x7f800000u
#define FM0 0x80000000u
#define FD  0x00000001u /* smallest subnormal */

static const struct meaning_case {
    uint16_t op;
    ir_type type, source;
    uint32_t flags;
    uint64_t a, b, c, want;
} cases[] = {
    {IR_OP_add, IR_I32, 0, 0, 0xffffffff, 2, 0, 1},
    {IR_OP_add, IR_I1, 0, 0, 1, 1, 0, 0},
    {IR_OP_add, IR_I8, 0, 0, 200, 100, 0, 44},
    {IR_OP_sub, IR_I16, 0, 0, 1, 2, 0, 0xffff},
    {IR_OP_mul, IR_I16, 0, 0, 0xffff, 0xffff, 0, 1},
    {IR_OP_mul, IR_I64, 0, 0, 0x100000001, 0x100000001, 0, 0x200000001},
    {IR_OP_umulhi, IR_I64, 0, 0, ~0ull, ~0ull, 0, ~0ull - 1},
    {IR_OP_umulhi, IR_I8, 0, 0, 200, 200, 0, 156},
    {IR_OP_smulhi, IR_I32, 0, 0, 0x80000000, 0x80000000, 0, 0x40000000},
    {IR_OP_smulhi, IR_I64, 0, 0, ~0ull, 5, 0, ~0ull},
    {IR_OP_udiv, IR_I32, 0, 0, 7, 2, 0, 3},
    {IR_OP_udiv, IR_I16, 0, 0, 7, 0, 0, 0xffff},
    {IR_OP_udiv, IR_I1, 0, 0, 1, 0, 0, 1},
    {IR_OP_sdiv, IR_I32, 0, 0, (uint32_t)-7, 2, 0, (uint32_t)-3},
    {IR_OP_sdiv, IR_I32, 0, 0, 0x80000000, 0xffffffff, 0, 0x80000000},
    {IR_OP_sdiv, IR_I8, 0, 0, 5, 0, 0, 0xff},
    {IR_OP_urem, IR_I32, 0, 0, 7, 0, 0, 7},
    {IR_OP_urem, IR_I64, 0, 0, 1000, 7, 0, 6},
    {IR_OP_srem, IR_I32, 0, 0, (uint32_t)-7, 2, 0, (uint32_t)-1},
    {IR_OP_srem, IR_I64, 0, 0, 1ull << 63, ~0ull, 0, 0},
    {IR_OP_and, IR_I8, 0, 0, 0xcc, 0xaa, 0, 0x88},
    {IR_OP_or, IR_I8, 0, 0, 0xcc, 0xaa, 0, 0xee},
    {IR_OP_xor, IR_I8, 0, 0, 0xcc, 0xaa, 0, 0x66},
    {IR_OP_shl, IR_I32, 0, 0, 3, 31, 0, 0x80000000},
    {IR_OP_shl, IR_I32, 0, 0, 3, 32, 0, 0},
    {IR_OP_shl, IR_I16, 0, 0, 0xffff, 15, 0, 0x8000},
    {IR_OP_lshr, IR_I64, 0, 0, 1ull << 63, 63, 0, 1},
    {IR_OP_lshr, IR_I64, 0, 0, 1ull << 63, 64, 0, 0},
    {IR_OP_ashr, IR_I32, 0, 0, 0x80000000, 99, 0, 0xffffffff},
    {IR_OP_ashr, IR_I8, 0, 0, 0x84, 1, 0, 0xc2},
    {IR_OP_umin, IR_I32, 0, 0, 0xffffffff, 1, 0, 1},
    {IR_OP_umax, IR_I32, 0, 0, 0xffffffff, 1, 0, 0xffffffff},
    {IR_OP_smin, IR_I32, 0, 0, 0xffffffff, 1, 0, 0xffffffff},
    {IR_OP_smax, IR_I1, 0, 0, 1, 0, 0, 0},
    {IR_OP_not, IR_I1, 0, 0, 1, 0, 0, 0},
    {IR_OP_not, IR_I16, 0, 0, 0x00ff, 0, 0, 0xff00},
    {IR_OP_neg, IR_I8, 0, 0, 1, 0, 0, 0xff},
    {IR_OP_popc, IR_I64, 0, 0, 0xff00ff, 0, 0, 16},
    {IR_OP_clz, IR_I16, 0, 0, 1, 0, 0, 15},
    {IR_OP_clz, IR_I32, 0, 0, 0, 0, 0, 32},
    {IR_OP_clz, IR_I1, 0, 0, 0, 0, 0, 1},
    {IR_OP_brev, IR_I8, 0, 0, 0x12, 0, 0, 0x48},
    {IR_OP_brev, IR_I32, 0, 0, 1, 0, 0, 0x80000000},
    {IR_OP_fshl, IR_I32, 0, 0, 0x12345678, 0x9abcdef0, 8, 0x3456789a},
    {IR_OP_fshl, IR_I8, 0, 0, 0x12, 0x34, 8, 0x12},
    {IR_OP_fshr, IR_I32, 0, 0, 0x12345678, 0x9abcdef0, 40, 0x789abcde},
    {IR_OP_fshr, IR_I64, 0, 0, 1, 0, 1, 1ull << 63},
    {IR_OP_prmt, IR_I32, 0, 0, 0x44332211, 0x88776655, 0x7531, 0x88664422},
    {IR_OP_prmt, IR_I32, 0, 0, 0x44332211, 0x88776655, 0xf8, 0x1111ff00},
    {IR_OP_dp4a, IR_I32, 0, 0, 0xff020304, 0x01010101, 10, 18},
    {IR_OP_udp4a, IR_I32, 0, 0, 0xff020304, 0x01010101, 10, 274},
    {IR_OP_eq, IR_PTR, 0, 0, 5, 5, 0, 1},
    {IR_OP_ne, IR_I8, 0, 0, 5, 5, 0, 0},
    {IR_OP_ult, IR_I32, 0, 0, 1, 0xffffffff, 0, 1},
    {IR_OP_ule, IR_I64, 0, 0, 5, 5, 0, 1},
    {IR_OP_slt, IR_I32, 0, 0, 1, 0xffffffff, 0, 0},
    {IR_OP_slt, IR_I1, 0, 0, 1, 0, 0, 1},
    {IR_OP_sle, IR_I16, 0, 0, 0x8000, 0x7fff, 0, 1},
    {IR_OP_fadd, IR_F32, 0, 0, F1, F2, 0, F3},
    {IR_OP_fadd, IR_F32, 0, IR_RU, F1, FD, 0, F1 + 1},
    {IR_OP_fadd, IR_F32, 0, IR_RD, F1, FD | FM0, 0, F1 - 1},
    {IR_OP_fadd, IR_F32, 0, IR_FTZ, FD, FD, 0, 0},
    {IR_OP_fadd, IR_F16, 0, 0, 0x3c00, 0x4000, 0, 0x4200},
    {IR_OP_fadd, IR_BF16, 0, 0, 0x3f80, 0x4000, 0, 0x4040},
    {IR_OP_fsub, IR_F32, 0, IR_RD, F1, F1, 0, FM0},
    {IR_OP_fsub, IR_F64, 0, 0, 0x4008000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
    {IR_OP_fmul, IR_F32, 0, 0, F3, FH, 0, 0x3fc00000},
    {IR_OP_fmul, IR_F32, 0, IR_FTZ, 0x00800000, FH, 0, 0},
    {IR_OP_fmul, IR_F16, 0, 0, 0x7bff, 0x4000, 0, 0x7c00},
    {IR_OP_fmul, IR_F16, 0, IR_RZ, 0x7bff, 0x4000, 0, 0x7bff},
    {IR_OP_fdiv, IR_F32, 0, 0, F1, F3, 0, 0x3eaaaaab},
    {IR_OP_fdiv, IR_F32, 0, IR_RZ, F1, F3, 0, 0x3eaaaaaa},
    {IR_OP_fdiv, IR_F32, 0, 0, F1, FM0, 0, FI | FM0},
    {IR_OP_fma, IR_F32, 0, 0, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
    {IR_OP_fma, IR_F16, 0, 0, 0x3c01, 0x3c01, 0xbc02, 0x0010},
    {IR_OP_fma, IR_BF16, 0, IR_RU, 0x3f80, 0x3f80, 0x0001, 0x3f81},
    {IR_OP_mad, IR_F32, 0, 0, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
    {IR_OP_fneg, IR_F32, 0, 0, 0x7f812345, 0, 0, 0xff812345},
    {IR_OP_fneg, IR_F16, 0, 0, 0x7d23, 0, 0, 0xfd23},
    {IR_OP_fabs, IR_F64, 0, 0, 1ull << 63, 0, 0, 0},
    {IR_OP_fabs, IR_F32, 0, 0, 0xff812345, 0, 0, 0x7f812345},
    {IR_OP_fcopysign, IR_F32, 0, 0, 0x7f812345, FM0, 0, 0xff812345},
    {IR_OP_fsqrt, IR_F32, 0, 0, F2, 0, 0, 0x3fb504f3},
    {IR_OP_fsqrt, IR_F32, 0, IR_RU, F2, 0, 0, 0x3fb504f4},
    {IR_OP_fsqrt, IR_F32, 0, 0, FM0, 0, 0, FM0},
    {IR_OP_fmin, IR_F32, 0, 0, 0, FM0, 0, FM0},
    {IR_OP_fmin, IR_F32, 0, 0, FN, F1, 0, F1},
    {IR_OP_fmin, IR_F32, 0, 0, F1, F2, 0, F1},
    {IR_OP_fmax, IR_F32, 0, 0, 0, FM0, 0, 0},
    {IR_OP_fmax, IR_F64, 0, 0, 0x3ff0000000000000, 0x7ff8000000000000, 0, 0x3ff0000000000000},
    {IR_OP_fmax, IR_F32, 0, 0, F1, F2, 0, F2},
    {IR_OP_ffloor, IR_F32, 0, 0, 0xbf000000, 0, 0, 0xbf800000},
    {IR_OP_fceil, IR_F32, 0, 0, 0xbf000000, 0, 0, FM0},
    {IR_OP_ftrunc, IR_F32, 0, 0, 0xbfc00000, 0, 0, 0xbf800000},
    {IR_OP_frint, IR_F32, 0, 0, 0x40200000, 0, 0, F2},
    {IR_OP_frint, IR_F16, 0, 0, 0x4300, 0, 0, 0x4400},
    {IR_OP_feq, IR_F32, 0, 0, 0, FM0, 0, 1},
    {IR_OP_feq, IR_F32, 0, 0, FN, FN, 0, 0},
    {IR_OP_feq, IR_F32, 0, IR_FTZ, FD, 0, 0, 1},
    {IR_OP_fne, IR_F32, 0, 0, FN, F1, 0, 1},
    {IR_OP_flt, IR_F16, 0, 0, 0x0001, 0x0002, 0, 1},
    {IR_OP_fle, IR_F32, 0, 0, FN, F1, 0, 0},
    {IR_OP_funo, IR_F64, 0, 0, 0x7ff8000000000000, 0, 0, 1},
    {IR_OP_trunc, IR_I8, IR_I32, 0, 0x1234, 0, 0, 0x34},
    {IR_OP_trunc, IR_I1, IR_I32, 0, 2, 0, 0, 0},
    {IR_OP_zext, IR_I64, IR_I32, 0, 0x80000000, 0, 0, 0x80000000},
    {IR_OP_sext, IR_I64, IR_I32, 0, 0x80000000, 0, 0, 0xffffffff80000000},
    {IR_OP_sext, IR_I32, IR_I1, 0, 1, 0, 0, 0xffffffff},
    {IR_OP_fcvt, IR_F16, IR_F32, 0, 0x477fe000, 0, 0, 0x7bff},
    {IR_OP_fcvt, IR_F16, IR_F32, 0, 0x477ff000, 0, 0, 0x7c00},
    {IR_OP_fcvt, IR_F16, IR_F64, 0, 0x3ff0020000000001, 0, 0, 0x3c01},
    {IR_OP_fcvt, IR_F32, IR_F64, IR_RU, 0x3ff0000000000001, 0, 0, F1 + 1},
    {IR_OP_fcvt, IR_BF16, IR_F32, 0, 0x3f808000, 0, 0, 0x3f80},
    {IR_OP_fcvt, IR_F64, IR_F32, IR_FTZ, FD, 0, 0, 0},
    {IR_OP_ftosi, IR_I32, IR_F32, IR_RZ, 0xbfc00000, 0, 0, 0xffffffff},
    {IR_OP_ftosi, IR_I32, IR_F32, IR_RN, 0xbfc00000, 0, 0, 0xfffffffe},
    {IR_OP_ftosi, IR_I32, IR_F32, IR_RZ, 0x7f000000, 0, 0, 0x7fffffff},
    {IR_OP_ftosi, IR_I32, IR_F32, IR_RZ, FN, 0, 0, 0},
    {IR_OP_ftosi, IR_I8, IR_F32, IR_RZ, 0xc3800000, 0, 0, 0x80},
    {IR_OP_ftosi, IR_I64, IR_F64, IR_RU, 0x3ff0000000000001, 0, 0, 2},
    {IR_OP_ftoui, IR_I32, IR_F32, IR_RZ, 0xbf800000, 0, 0, 0},
    {IR_OP_ftoui, IR_I32, IR_F32, IR_RZ, 0x4f800000, 0, 0, 0xffffffff},
    {IR_OP_ftoui, IR_I64, IR_F64, IR_RZ, 0x43e0000000000000, 0, 0, 1ull << 63},
    {IR_OP_sitof, IR_F32, IR_I32, 0, 0xffffffff, 0, 0, 0xbf800000},
    {IR_OP_sitof, IR_F32, IR_I1, 0, 1, 0, 0, 0xbf800000},
    {IR_OP_sitof, IR_F16, IR_I32, 0, 70000, 0, 0, 0x7c00},
    {IR_OP_uitof, IR_F32, IR_I32, 0, 0xffffffff, 0, 0, 0x4f800000},
    {IR_OP_uitof, IR_F32, IR_I32, IR_RZ, 0xffffffff, 0, 0, 0x4f7fffff},
    {IR_OP_uitof, IR_BF16, IR_I32, 0, 0x01010001, 0, 0, 0x4b81},
    {IR_OP_bitcast, IR_F32, IR_I32, 0, 0x7f812345, 0, 0, 0x7f812345},
    {IR_OP_ptrtoint, IR_I64, IR_PTR, 0, 77, 0, 0, 77},
    {IR_OP_inttoptr, IR_PTR, IR_I64, 0, 77, 0, 0, 77},
};

TEST_ONCE(meaning_of_each_op)
{
    bool seen[IR_OP_COUNT] = {false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct meaning_case *c = &cases[i];
        const uint64_t args[3] = {c->a, c->b, c->c};
        uint64_t got = 0xdead;
        seen[c->op] = true;
        if (!ir_eval((enum ir_op)c->op, c->type, c->source, c->flags, args, &got) || got != c->want)
            unit_fail(u, __FILE__, __LINE__, "%s, row %zu: 0x%llx, not 0x%llx",
                      ir_op_info[c->op].name, i, (unsigned long long)got,
                      (unsigned long long)c->want);
    }
    for (int op = 0; op < IR_OP_COUNT; op++) {
        const uint64_t args[3] = {0, 0, 0};
        uint64_t out;
        const bool fast = strstr(ir_op_info[op].name, "_fast") != NULL;
        if (ir_op_info[op].shape != IR_SHAPE_XX && !seen[op] && !fast)
            unit_fail(u, __FILE__, __LINE__, "no row for %s", ir_op_info[op].name);
        if (fast) /* the device's own: not for folding */
            CHECK(!ir_eval((enum ir_op)op, IR_F32, 0, 0, args, &out));
    }
}

TEST_ONCE(meaning_of_each_atomic)
{
    static const struct {
        enum ir_rmw kind;
        ir_type type;
        uint64_t old, operand, want;
    } rows[] = {
        {IR_RMW_ADD, IR_I32, 0xffffffff, 3, 2},
        {IR_RMW_SUB, IR_I64, 1, 2, ~0ull},
        {IR_RMW_AND, IR_I32, 12, 10, 8},
        {IR_RMW_OR, IR_I32, 12, 10, 14},
        {IR_RMW_XOR, IR_I32, 12, 10, 6},
        {IR_RMW_UMIN, IR_I32, 0xffffffff, 1, 1},
        {IR_RMW_UMAX, IR_I32, 0xffffffff, 1, 0xffffffff},
        {IR_RMW_SMIN, IR_I32, 0xffffffff, 1, 0xffffffff},
        {IR_RMW_SMAX, IR_I64, ~0ull, 1, 1},
        {IR_RMW_INC, IR_I32, 5, 5, 0},
        {IR_RMW_INC, IR_I32, 4, 5, 5},
        {IR_RMW_DEC, IR_I32, 0, 5, 5},
        {IR_RMW_DEC, IR_I32, 6, 5, 5},
        {IR_RMW_DEC, IR_I32, 3, 5, 2},
        {IR_RMW_XCHG, IR_F32, F1, 0x7f812345, 0x7f812345},
        {IR_RMW_FADD, IR_F32, F1, F2, F3},
        {IR_RMW_FADD, IR_F16, 0x3c00, 0x4000, 0x4200},
        {IR_RMW_FMIN, IR_F32, FN, F2, F2},
        {IR_RMW_FMAX, IR_F64, 0x3ff0000000000000, 0x4000000000000000, 0x4000000000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(ir_eval_rmw(rows[i].kind, rows[i].type, rows[i].old, rows[i].operand),
                  rows[i].want);
}

/* ---- exact arithmetic against the host's, in all rounding modes ---- */
static uint64_t random_bits(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Often of like magnitude, often special. */
static uint64_t random_float(uint64_t *s, bool wide)
{
    const uint64_t r = random_bits(s), kind = random_bits(s) % 8;
    const unsigned fraction = wide ? 52 : 23;
    const uint64_t sign = wide ? r & 1ull << 63 : r & 0x80000000;
    const uint64_t low = r & ((1ull << fraction) - 1), bias = wide ? 1023 : 127;
    if (kind == 0)
        return sign | low; /* subnormal */
    if (kind < 5)
        return sign | low | (bias - 15 + random_bits(s) % 30) << fraction;
    if (kind == 5)
        return sign | (r >> 8 & (wide ? 2047 : 255)) << fraction; /* power of two, infinity */
    return wide ? r : r & 0xffffffff;
}

static uint64_t host(unsigned op, bool wide, const uint64_t x[3])
{
    if (wide) {
        volatile double a = m_double(x[0]), b = m_double(x[1]), c = m_double(x[2]);
        volatile double r = op == 0   ? a + b
                            : op == 1 ? a - b
                            : op == 2 ? a * b
                            : op == 3 ? a / b
                            : op == 4 ? fma(a, b, c)
                                      : sqrt(a);
        return m_bits64(r);
    }
    volatile float a = m_float((uint32_t)x[0]), b = m_float((uint32_t)x[1]);
    volatile float c = m_float((uint32_t)x[2]);
    volatile float r = op == 0   ? a + b
                       : op == 1 ? a - b
                       : op == 2 ? a * b
                       : op == 3 ? a / b
                       : op == 4 ? fmaf(a, b, c)
                                 : sqrtf(a);
    return m_bits32(r);
}

TEST_ONCE(meaning_rounds_as_the_host_does)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    static const uint16_t ops[] = {IR_OP_fadd, IR_OP_fsub, IR_OP_fmul,
                                   IR_OP_fdiv, IR_OP_fma,  IR_OP_fsqrt};
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 200000 && !u->failed; i++) {
        const unsigned op = random_bits(&seed) % 6, mode = random_bits(&seed) % 4;
        const bool wide = random_bits(&seed) & 1;
        const uint64_t x[3] = {random_float(&seed, wide), random_float(&seed, wide),
                               random_float(&seed, wide)};
        const enum ir_kind kind = wide ? IR_F64 : IR_F32;
        fesetround(modes[mode]);
        const uint64_t want = host(op, wide, x);
        fesetround(FE_TONEAREST);
        const uint64_t exact = m_soft((enum m_soft_op)op, kind, mode, x[0], x[1], x[2]);
        uint64_t got;
        ir_eval((enum ir_op)ops[op], kind, 0, mode, x, &got);
        const bool nan = wide ? m_double(want) != m_double(want)
                              : m_float((uint32_t)want) != m_float((uint32_t)want);
        const bool both = wide
                              ? m_double(got) != m_double(got) && m_double(exact) != m_double(exact)
                              : m_float((uint32_t)got) != m_float((uint32_t)got) &&
                                    m_float((uint32_t)exact) != m_float((uint32_t)exact);
        if (nan ? !both : got != want || exact != want)
            unit_fail(u, __FILE__, __LINE__,
                      "%s mode %u of %llx %llx %llx: %llx and %llx, not %llx",
                      ir_op_info[ops[op]].name, mode, (unsigned long long)x[0],
                      (unsigned long long)x[1], (unsigned long long)x[2], (unsigned long long)got,
                      (unsigned long long)exact, (unsigned long long)want);
    }
}

TEST_ONCE(meaning_of_every_half)
{
    for (uint32_t h = 0; h < 65536; h++) {
        CHECK_INT(m_to_f16(m_from_f16((uint16_t)h)), h);
        CHECK_INT(m_to_bf16(m_from_bf16((uint16_t)h)), h);
        CHECK_INT(m_soft_convert(IR_F32, IR_F16, 0, h), m_bits32(m_from_f16((uint16_t)h)));
    }
    for (uint64_t b = 0; b < UINT64_C(1) << 32 && !u->failed; b += 4099) {
        CHECK_INT(m_to_f16(m_float((uint32_t)b)), m_soft_convert(IR_F16, IR_F32, 0, b));
        CHECK_INT(m_to_bf16(m_float((uint32_t)b)), m_soft_convert(IR_BF16, IR_F32, 0, b));
    }
}

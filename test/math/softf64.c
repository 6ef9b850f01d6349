/* Exact f64 by integers against the host's f64: every operation, every rounding mode, on special
 * and random operands.  usage: softf64 [millions of operand pairs per operation, default 1] */
#include "../../device/softf64/convert.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int host_mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

struct rng {
    uint64_t s;
};

static uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static const uint64_t special[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
    0x00000000ffffffff, 0x0000000100000000, 0x0007ffffffffffff, 0x0008000000000000,
    0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x001fffffffffffff,
    0x0020000000000000, 0x0340000000000000, 0x3ca0000000000000, 0x3cafffffffffffff,
    0x3cb0000000000000, 0x3cb0000000000001, 0x3fdfffffffffffff, 0x3fe0000000000000,
    0x3fe0000000000001, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
    0x3ff0000000000002, 0x3ff8000000000000, 0x3fffffffffffffff, 0x4000000000000000,
    0x4004000000000000, 0x400c000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
    0x41e0000000000000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000,
    0x432fffffffffffff, 0x4330000000000000, 0x4330000000000001, 0x4340000000000000,
    0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
    0x47efffffe0000000, 0x47effffff0000000, 0x47f0000000000000, 0x36a0000000000000,
    0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000, 0x380ffffff0000000,
    0x3810000000000000, 0x7fdfffffffffffff, 0x7fe0000000000000, 0x7fefffffffffffff,
    0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff,
};
#define NSPECIAL (sizeof special / sizeof special[0])

/* Operands that meet rounding boundaries, cancellation and the edges of the range often. */
static uint64_t operand(struct rng *r, uint64_t near)
{
    uint64_t k = rng_next(r), v = rng_next(r);
    switch (k & 15u) {
    case 0: return special[v % NSPECIAL] ^ (k >> 4 & 1) << 63;
    case 1: return near ^ (v & 0x800000000000000f);                         /* nearly equal */
    case 2: return (v & 0x800fffffffffffff) | ((near >> 52 & 0x7ff) << 52); /* same exponent */
    case 3: return (v & 0x800fffffffffffff) | (((near >> 52) + (k >> 8) % 110 - 55) & 0x7ff) << 52;
    case 4: return v & 0x800fffffffffffff;                                        /* subnormal */
    case 5: return (v & 0xfff0000000000000) | 1ull << (k >> 8 & 63) % 52;         /* few bits */
    case 6: return (v & 0xfff0000000000000) | ((1ull << (k >> 8 & 63) % 53) - 1); /* runs of ones */
    case 7:
        return (v & 0xfff0000000000000) | (0xfffffffffffff & ~((1ull << (k >> 8 & 63) % 53) - 1));
    case 8: return (v & 0x801fffffffffffff) | 0x3fe0000000000000;
    case 9: return (v & 0x80ffffffffffffff) | 0x3f00000000000000;
    case 10: return (v & 0xffffffffe0000000); /* floats */
    case 11: return (v & 0x807fffffffffffff) | 0x4300000000000000;
    default: return v;
    }
}

static double as_f64(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}
static uint64_t as_u64(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}
static uint32_t as_u32(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static struct __tern_u2 pair(uint64_t u)
{
    return __tern_w_make((uint32_t)u, (uint32_t)(u >> 32));
}
static uint64_t whole(struct __tern_u2 p)
{
    return (uint64_t)p.hi << 32 | p.lo;
}

enum {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_SQRT,
    OP_FMA,
    OP_RINT,
    OP_TO_F32,
    OP_FROM_I64,
    OP_FROM_U64,
    OP_TO_I64,
    OP_TO_U64,
    OP_TO_I32,
    OP_TO_U32,
    OP_FROM_F32,
    OP_COMPARE,
    OP_MINMAX,
    OP_I64,
    NOPS
};
static const char *const op_name[] = {
    "add",    "sub",    "mul",      "div",      "sqrt",   "fma",
    "rint",   "to_f32", "from_i64", "from_u64", "to_i64", "to_u64",
    "to_i32", "to_u32", "from_f32", "compare",  "minmax", "i64_mul_div_shift"};

static uint64_t canonical(uint64_t u)
{
    return (u & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : u;
}

/* Saturating conversion of an already integral host double. */
static uint64_t host_to_int(double d, int is_signed, int bits)
{
    double hi = ldexp(1.0, is_signed ? bits - 1 : bits), lo = is_signed ? -hi : 0.0;
    if (d != d)
        return 0;
    if (d >= hi)
        return is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (d <= lo)
        return is_signed ? (uint64_t) - (int64_t)(1ull << (bits - 2)) * 2 : 0;
    return is_signed ? (uint64_t)(int64_t)d : (uint64_t)d;
}

static void both(int op, int mode, uint64_t a, uint64_t b, uint64_t c, uint64_t *ours,
                 uint64_t *host)
{
    volatile double x = as_f64(a), y = as_f64(b), z = as_f64(c), r = 0;
    struct __tern_u2 pa = pair(a), pb = pair(b), pc = pair(c);
    fesetround(host_mode[mode]);
    switch (op) {
    case OP_ADD:
        r = x + y;
        *ours = whole(mode ? __tern_soft_add_r(pa, pb, mode) : __tern_soft_add(pa, pb));
        break;
    case OP_SUB:
        r = x - y;
        *ours = whole(mode ? __tern_s_sub_mode(pa, pb, mode) : __tern_soft_sub(pa, pb));
        break;
    case OP_MUL:
        r = x * y;
        *ours = whole(mode ? __tern_soft_mul_r(pa, pb, mode) : __tern_soft_mul(pa, pb));
        break;
    case OP_DIV:
        r = x / y;
        *ours = whole(mode ? __tern_soft_div_r(pa, pb, mode) : __tern_soft_div(pa, pb));
        break;
    case OP_SQRT:
        r = sqrt(x);
        *ours = whole(mode ? __tern_soft_sqrt_r(pa, mode) : __tern_soft_sqrt(pa));
        break;
    case OP_FMA:
        r = fma(x, y, z);
        *ours = whole(mode ? __tern_soft_fma_r(pa, pb, pc, mode) : __tern_soft_fma(pa, pb, pc));
        break;
    case OP_RINT:
        r = rint(x);
        *ours = whole(mode == 0   ? __tern_soft_rint(pa)
                      : mode == 1 ? __tern_soft_trunc(pa)
                      : mode == 2 ? __tern_soft_ceil(pa)
                                  : __tern_soft_floor(pa));
        break;
    case OP_TO_F32: {
        volatile float f = (float)x;
        *host = f != f ? 0x7fffffff : as_u32(f);
        *ours = __tern_soft_to_f32(pa, mode);
        break;
    }
    case OP_FROM_F32: {
        float f;
        uint32_t u = (uint32_t)(a >> 20) ^ (uint32_t)b;
        memcpy(&f, &u, sizeof f);
        r = (double)f;
        *ours = whole(__tern_soft_from_f32(u));
        break;
    }
    case OP_FROM_I64:
        r = (double)(int64_t)a;
        *ours = whole(__tern_soft_from_i64(pa, mode));
        break;
    case OP_FROM_U64:
        r = (double)a;
        *ours = whole(__tern_soft_from_u64(pa, mode));
        break;
    case OP_TO_I64:
        *host = host_to_int(rint(x), 1, 64);
        *ours = whole(__tern_soft_to_i64(pa, mode));
        break;
    case OP_TO_U64:
        *host = host_to_int(rint(x), 0, 64);
        *ours = whole(__tern_soft_to_u64(pa, mode));
        break;
    case OP_TO_I32:
        *host = host_to_int(rint(x), 1, 32);
        *ours = (uint64_t)(int64_t)__tern_soft_to_i32(pa, mode);
        break;
    case OP_TO_U32:
        *host = host_to_int(rint(x), 0, 32);
        *ours = __tern_soft_to_u32(pa, mode);
        break;
    case OP_COMPARE:
        *host = (uint64_t)((x == y) | (x < y) << 1 | (x <= y) << 2 | (x != x || y != y) << 3);
        *ours = (uint64_t)(__tern_soft_eq(pa, pb) | __tern_soft_lt(pa, pb) << 1 |
                           __tern_soft_le(pa, pb) << 2 | __tern_soft_unordered(pa, pb) << 3);
        break;
    case OP_MINMAX: {
        uint64_t lo, hi;
        if (x != x || y != y ||
            (x == 0 && y == 0)) { /* spelled out: the host may choose either zero */
            uint64_t one = x != x ? b : a;
            lo = x == 0 && y == 0 ? a | b : canonical(one);
            hi = x == 0 && y == 0 ? a & b : canonical(one);
        } else {
            lo = x < y ? a : b;
            hi = x < y ? b : a;
        }
        *host = lo * 31 + hi;
        *ours = whole(__tern_soft_min(pa, pb)) * 31 + whole(__tern_soft_max(pa, pb));
        break;
    }
    case OP_I64: {
        uint32_t n = (uint32_t)(c & 127);
        uint64_t d = c & 1 << 8 ? b >> (c >> 9 & 63) : b;
        struct __tern_u2 pd = pair(d);
        uint64_t uq = d ? a / d : ~0ull, ur = d ? a % d : a;
        int64_t sa = (int64_t)a, sd = (int64_t)d;
        int overflow = a == 1ull << 63 && sd == -1;
        uint64_t sq = !d         ? ~0ull
                      : overflow ? a
                                 : (uint64_t)(sa / sd),
                 sr = !d         ? a
                      : overflow ? 0
                                 : (uint64_t)(sa % sd);
        uint64_t k = 0x9e3779b97f4a7c15u, h = 0, o = 0;
        uint64_t hv[] = {a * d,
                         __tern_umulhi64(a, d),
                         uq,
                         ur,
                         sq,
                         sr,
                         n < 64 ? a << n : 0,
                         n < 64 ? a >> n : 0,
                         (uint64_t)(sa >> (n < 64 ? n : 63)),
                         (uint64_t)(a < d),
                         (uint64_t)(sa < sd)};
        uint64_t ov[] = {whole(__tern_w_mul(pa, pd)),
                         whole(__tern_w_umulhi(pa, pd)),
                         whole(__tern_w_udiv(pa, pd)),
                         whole(__tern_w_urem(pa, pd)),
                         d ? whole(__tern_w_sdiv(pa, pd)) : ~0ull,
                         whole(__tern_w_srem(pa, pd)),
                         whole(__tern_w_shl(pa, n)),
                         whole(__tern_w_shr(pa, n)),
                         whole(__tern_w_sar(pa, n)),
                         (uint64_t)__tern_w_ult(pa, pd),
                         (uint64_t)__tern_w_slt(pa, pd)};
        for (unsigned i = 0; i < sizeof hv / sizeof hv[0]; i++) {
            h = h * k + hv[i];
            o = o * k + ov[i];
        }
        *host = h;
        *ours = o;
        break;
    }
    }
    if (op <= OP_RINT || op == OP_FROM_F32 || op == OP_FROM_I64 || op == OP_FROM_U64)
        *host = canonical(as_u64(r));
    fesetround(FE_TONEAREST);
}

int main(int argc, char **argv)
{
    double millions = argc > 1 ? atof(argv[1]) : 1.0;
    uint64_t count = (uint64_t)(millions * 1e6);
    int failed = 0;
    for (int op = 0; op < NOPS; op++) {
        struct rng r = {0x1234567u + (uint64_t)op};
        uint64_t bad = 0, ours = 0, host = 0, done = 0;
        /* all pairs of special values in all modes, then random operands, mostly to nearest */
        for (uint64_t i = 0; i < NSPECIAL * NSPECIAL * 16 + count && bad == 0; i++) {
            uint64_t a, b, c = operand(&r, special[i % NSPECIAL]);
            int mode;
            if (i < NSPECIAL * NSPECIAL * 16) {
                a = special[i / 16 % NSPECIAL] ^ (i & 1) << 63;
                b = special[i / 16 / NSPECIAL] ^ (i >> 1 & 1) << 63;
                mode = (int)(i >> 2 & 3);
            } else {
                a = operand(&r, c);
                b = operand(&r, a);
                mode = (i & 1) ? 0 : (int)(i >> 1 & 3);
            }
            if (op == OP_FMA && (i & 7) == 7) /* c close to the product: cancellation */
                c = as_u64(-as_f64(a) * as_f64(b)) ^ (rng_next(&r) & 3);
            both(op, mode, a, b, c, &ours, &host);
            done++;
            if (ours != host) {
                bad++;
                printf("FAIL softf64 %s: mode %d a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64
                       ": got %016" PRIx64 ", the host gives %016" PRIx64 "\n",
                       op_name[op], mode, a, b, c, ours, host);
            }
        }
        if (bad == 0)
            printf("PASS softf64 %s (%" PRIu64 " operand sets)\n", op_name[op], done);
        failed |= bad != 0;
    }
    return failed;
}

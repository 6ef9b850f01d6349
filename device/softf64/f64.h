/* IEEE 754 binary64 in 32-bit integer operations, exact in every rounding mode.
 *
 * For devices whose language has neither double nor a 64-bit integer. A double is a struct
 * __tern_u2 of its bit pattern, low word first. Operations take a rounding mode (an enum
 * __tern_round); the _rn forms are what plain arithmetic lowers to. Subnormals, signed zeros,
 * infinities and NaNs behave as the standard says; a NaN result is the canonical quiet NaN.
 *
 * Inside, a finite nonzero number is sign, biased exponent and a 64-bit significand with its top
 * bit set; __tern_s_pack rounds such a number, whose bit 0 may be sticky, to a pattern. */
#ifndef TERN_DEVICE_SOFTF64_H
#define TERN_DEVICE_SOFTF64_H

#include "wide.h"

enum __tern_round {
    __TERN_RN, /* to nearest, ties to even */
    __TERN_RZ, /* towards zero */
    __TERN_RU, /* up */
    __TERN_RD, /* down */
};

struct __tern_sf {
    __tern_u32 sign; /* 0 or 1 */
    __tern_i32 exp;  /* biased; below 1 for a subnormal that was normalised */
    struct __tern_u2 sig;
};

#define __TERN_S_NAN __tern_w_make(0u, 0x7ff80000u)

__TERN_FN __tern_u32 __tern_s_exp(struct __tern_u2 a)
{
    return a.hi >> 20 & 0x7ffu;
}
__TERN_FN int __tern_s_isnan(struct __tern_u2 a)
{
    __tern_u32 h = a.hi & 0x7fffffffu;
    return h > 0x7ff00000u || (h == 0x7ff00000u && a.lo != 0u);
}
__TERN_FN int __tern_s_isinf(struct __tern_u2 a)
{
    return (a.hi & 0x7fffffffu) == 0x7ff00000u && a.lo == 0u;
}
__TERN_FN int __tern_s_iszero(struct __tern_u2 a)
{
    return ((a.hi & 0x7fffffffu) | a.lo) == 0u;
}
__TERN_FN struct __tern_u2 __tern_s_inf(__tern_u32 sign)
{
    return __tern_w_make(0u, sign << 31 | 0x7ff00000u);
}
__TERN_FN struct __tern_u2 __tern_s_zero(__tern_u32 sign)
{
    return __tern_w_make(0u, sign << 31);
}

/* A finite number taken apart; zero has significand 0. */
__TERN_FN struct __tern_sf __tern_s_unpack(struct __tern_u2 a)
{
    struct __tern_sf r;
    __tern_u32 e = __tern_s_exp(a);
    struct __tern_u2 m = __tern_w_make(a.lo, (a.hi & 0xfffffu) | (e != 0u ? 0x100000u : 0u));
    __tern_u32 lz = __tern_w_clz(m);
    r.sign = a.hi >> 31;
    r.sig = __tern_w_shl(m, lz);
    r.exp = (__tern_i32)(e != 0u ? e : 1u) + 11 - (__tern_i32)lz;
    return r;
}

/* Does the magnitude grow, given the last kept bit and what is below it (half = 0x400)? */
__TERN_FN __tern_u32 __tern_s_increment(__tern_u32 sign, __tern_u32 odd, __tern_u32 rest, int mode)
{
    int nearest = rest > 0x400u || (rest == 0x400u && odd != 0u);
    int away = rest != 0u && mode == (sign != 0u ? __TERN_RD : __TERN_RU);
    return (mode == __TERN_RN ? nearest : away) ? 1u : 0u;
}

__TERN_FN struct __tern_u2 __tern_s_pack(struct __tern_sf v, int mode)
{
    struct __tern_u2 m = v.sig, r;
    __tern_u32 lz = __tern_w_clz(m), rest, sign = v.sign << 31;
    __tern_i32 e = v.exp - (__tern_i32)lz;
    m = __tern_w_shl(m, lz);
    m = e < 1 ? __tern_w_shr_jam(m, (__tern_u32)(1 - e)) : m;
    rest = m.lo & 0x7ffu;
    r = __tern_w_shr(m, 11u);
    /* The hidden bit adds one to the exponent field, and a carry out of rounding does so again. */
    r.hi += e < 1 ? 0u : (__tern_u32)(e - 1) << 20;
    r = __tern_w_add(r, __tern_w_make(__tern_s_increment(v.sign, r.lo & 1u, rest, mode), 0u));
    if (e > 2046 || r.hi >= 0x7ff00000u) {
        int to_inf = mode == __TERN_RN || mode == (v.sign != 0u ? __TERN_RD : __TERN_RU);
        r = to_inf ? __tern_w_make(0u, 0x7ff00000u) : __tern_w_make(0xffffffffu, 0x7fefffffu);
    }
    r.hi |= sign;
    return r;
}

__TERN_FN struct __tern_u2 __tern_s_add_mode(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    struct __tern_u2 ma = __tern_w_make(a.lo, a.hi & 0x7fffffffu);
    struct __tern_u2 mb = __tern_w_make(b.lo, b.hi & 0x7fffffffu);
    __tern_u32 differ = (a.hi ^ b.hi) >> 31;
    if (__tern_s_exp(a) == 0x7ffu || __tern_s_exp(b) == 0x7ffu) {
        if (__tern_s_isnan(a) || __tern_s_isnan(b) || (__tern_s_isinf(a) && __tern_s_isinf(b) && differ != 0u))
            return __TERN_S_NAN;
        return __tern_s_isinf(a) ? a : b;
    }
    struct __tern_u2 big = __tern_w_ult(ma, mb) ? b : a, small = __tern_w_ult(ma, mb) ? a : b;
    __tern_u32 eb = __tern_s_exp(big), es = __tern_s_exp(small);
    /* Ten guard bits: a shifted-out remainder survives as the sticky bit, and there is room for a
     * carry above. */
    struct __tern_u2 sb =
        __tern_w_shl(__tern_w_make(big.lo, (big.hi & 0xfffffu) | (eb != 0u ? 0x100000u : 0u)), 10u);
    struct __tern_u2 ss =
        __tern_w_shl(__tern_w_make(small.lo, (small.hi & 0xfffffu) | (es != 0u ? 0x100000u : 0u)), 10u);
    __tern_u32 d = (eb != 0u ? eb : 1u) - (es != 0u ? es : 1u);
    struct __tern_sf r;
    ss = __tern_w_shr_jam(ss, d);
    r.sig = differ != 0u ? __tern_w_sub(sb, ss) : __tern_w_add(sb, ss);
    r.sign = big.hi >> 31;
    r.exp = (__tern_i32)(eb != 0u ? eb : 1u) + 1;
    if (__tern_w_zero(r.sig)) {
        __tern_u32 sign = differ != 0u ? (mode == __TERN_RD ? 1u : 0u) : a.hi >> 31;
        return __tern_s_zero(sign);
    }
    return __tern_s_pack(r, mode);
}

__TERN_FN struct __tern_u2 __tern_s_sub_mode(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    b.hi ^= 0x80000000u;
    return __tern_s_add_mode(a, b, mode);
}

__TERN_FN struct __tern_u2 __tern_s_mul_mode(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    __tern_u32 sign = (a.hi ^ b.hi) >> 31;
    int zero = __tern_s_iszero(a) || __tern_s_iszero(b);
    if (__tern_s_exp(a) == 0x7ffu || __tern_s_exp(b) == 0x7ffu) {
        if (__tern_s_isnan(a) || __tern_s_isnan(b) || zero)
            return __TERN_S_NAN;
        return __tern_s_inf(sign);
    }
    if (zero)
        return __tern_s_zero(sign);
    struct __tern_sf x = __tern_s_unpack(a), y = __tern_s_unpack(b), r;
    struct __tern_u4 p = __tern_w_mul_full(x.sig, y.sig);
    r.sign = sign;
    r.exp = x.exp + y.exp - 1022;
    r.sig = p.hi;
    r.sig.lo |= __tern_w_zero(p.lo) ? 0u : 1u;
    return __tern_s_pack(r, mode);
}

__TERN_FN struct __tern_u2 __tern_s_div_mode(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    __tern_u32 sign = (a.hi ^ b.hi) >> 31;
    if (__tern_s_isnan(a) || __tern_s_isnan(b) || (__tern_s_isinf(a) && __tern_s_isinf(b)) ||
        (__tern_s_iszero(a) && __tern_s_iszero(b)))
        return __TERN_S_NAN;
    if (__tern_s_isinf(a) || __tern_s_iszero(b))
        return __tern_s_inf(sign);
    if (__tern_s_isinf(b) || __tern_s_iszero(a))
        return __tern_s_zero(sign);
    struct __tern_sf x = __tern_s_unpack(a), y = __tern_s_unpack(b), r;
    __tern_u32 half = __tern_w_ult(x.sig, y.sig) ? 0u : 1u;
    struct __tern_u2 rem = __tern_w_shr(x.sig, half); /* the low bits are zero: nothing is lost */
    r.sign = sign;
    r.exp = x.exp - y.exp + 1022 + (__tern_i32)half;
    r.sig = __tern_w_div_frac(&rem, y.sig);
    r.sig.lo |= __tern_w_zero(rem) ? 0u : 1u;
    return __tern_s_pack(r, mode);
}

__TERN_FN struct __tern_u2 __tern_s_sqrt_mode(struct __tern_u2 a, int mode)
{
    if (__tern_s_isnan(a) || __tern_s_iszero(a))
        return __tern_s_isnan(a) ? __TERN_S_NAN : a;
    if ((a.hi >> 31) != 0u)
        return __TERN_S_NAN;
    if (__tern_s_isinf(a))
        return a;
    struct __tern_sf x = __tern_s_unpack(a), r;
    /* The radicand is sig * 2^k with k even, as a fraction in [1/4, 1); one bit of the root per step,
     * two of the radicand. */
    __tern_i32 e = x.exp - 1022;
    __tern_u32 odd = (__tern_u32)e & 1u;
    struct __tern_u2 rad = __tern_w_shr(x.sig, odd), rem = __tern_w_make(0u, 0u), root = rem;
    for (int i = 0; i < 56; i++) {
        struct __tern_u2 trial = __tern_w_shl(root, 2u);
        trial.lo |= 1u;
        rem = __tern_w_shl(rem, 2u);
        rem.lo |= rad.hi >> 30;
        rad = __tern_w_shl(rad, 2u);
        int fits = !__tern_w_ult(rem, trial);
        rem = fits ? __tern_w_sub(rem, trial) : rem;
        root = __tern_w_shl(root, 1u);
        root.lo |= fits ? 1u : 0u;
    }
    r.sign = 0u;
    r.exp = (e + (__tern_i32)odd) / 2 + 1022;
    r.sig = __tern_w_shl(root, 8u);
    r.sig.lo |= __tern_w_zero(rem) ? 0u : 1u;
    return __tern_s_pack(r, mode);
}

/* 128-bit helpers for fma. */
__TERN_FN struct __tern_u4 __tern_q_shr_jam(struct __tern_u4 a, __tern_u32 n)
{
    struct __tern_u4 r;
    int lost;
    if (n < 64u) {
        struct __tern_u2 out = n == 0u ? __tern_w_make(0u, 0u) : __tern_w_shl(a.lo, 64u - n);
        struct __tern_u2 in = n == 0u ? __tern_w_make(0u, 0u) : __tern_w_shl(a.hi, 64u - n);
        r.lo = __tern_w_shr(a.lo, n);
        r.lo.lo |= in.lo;
        r.lo.hi |= in.hi;
        r.hi = __tern_w_shr(a.hi, n);
        lost = !__tern_w_zero(out);
    } else {
        struct __tern_u2 out = n == 64u ? __tern_w_make(0u, 0u) : __tern_w_shl(a.hi, 128u - n);
        r.lo = __tern_w_shr(a.hi, n - 64u);
        r.hi = __tern_w_make(0u, 0u);
        lost = !__tern_w_zero(a.lo) || (n < 128u ? !__tern_w_zero(out) : !__tern_w_zero(a.hi));
    }
    r.lo.lo |= lost ? 1u : 0u;
    return r;
}
__TERN_FN struct __tern_u4 __tern_q_sub(struct __tern_u4 a, struct __tern_u4 b)
{
    struct __tern_u4 r;
    r.lo = __tern_w_sub(a.lo, b.lo);
    r.hi = __tern_w_sub(a.hi, b.hi);
    r.hi = __tern_w_sub(r.hi, __tern_w_make(__tern_w_ult(a.lo, b.lo) ? 1u : 0u, 0u));
    return r;
}
__TERN_FN struct __tern_u4 __tern_q_add(struct __tern_u4 a, struct __tern_u4 b)
{
    struct __tern_u4 r;
    r.lo = __tern_w_add(a.lo, b.lo);
    r.hi = __tern_w_add(a.hi, b.hi);
    r.hi = __tern_w_add(r.hi, __tern_w_make(__tern_w_ult(r.lo, a.lo) ? 1u : 0u, 0u));
    return r;
}
__TERN_FN int __tern_q_ult(struct __tern_u4 a, struct __tern_u4 b)
{
    return __tern_w_ult(a.hi, b.hi) || (__tern_w_eq(a.hi, b.hi) && __tern_w_ult(a.lo, b.lo));
}

__TERN_FN struct __tern_u2 __tern_s_fma_mode(struct __tern_u2 a, struct __tern_u2 b, struct __tern_u2 c, int mode)
{
    __tern_u32 sign = (a.hi ^ b.hi) >> 31, sign_c = c.hi >> 31;
    int inf_p = __tern_s_isinf(a) || __tern_s_isinf(b);
    int zero_p = __tern_s_iszero(a) || __tern_s_iszero(b);
    if (__tern_s_isnan(a) || __tern_s_isnan(b) || __tern_s_isnan(c) || (inf_p && zero_p) ||
        (inf_p && __tern_s_isinf(c) && sign != sign_c))
        return __TERN_S_NAN;
    if (inf_p)
        return __tern_s_inf(sign);
    if (__tern_s_isinf(c))
        return c;
    if (zero_p)
        return __tern_s_iszero(c) && sign != sign_c ? __tern_s_zero(mode == __TERN_RD ? 1u : 0u) : c;

    struct __tern_sf x = __tern_s_unpack(a), y = __tern_s_unpack(b), z = __tern_s_unpack(c), r;
    /* Both addends as 128-bit numbers with one bit of headroom; bit 126 carries the exponent's
     * weight. The product has 22 trailing zeros and c 74, so nothing is lost unless the exponents
     * are far apart, and then at most one bit cancels. */
    struct __tern_u4 p = __tern_w_mul_full(x.sig, y.sig), q;
    __tern_i32 ep = x.exp + y.exp - 1022, ec = z.exp, e;
    p = __tern_q_shr_jam(p, 1u);
    q.hi = __tern_w_shr(z.sig, 1u);
    q.lo = __tern_w_make(0u, (z.sig.lo & 1u) << 31);
    if (__tern_w_zero(z.sig))
        ec = ep;
    e = ep > ec ? ep : ec;
    p = __tern_q_shr_jam(p, (__tern_u32)(e - ep));
    q = __tern_q_shr_jam(q, (__tern_u32)(e - ec));
    struct __tern_u4 sum;
    r.sign = sign;
    if (sign == sign_c) {
        sum = __tern_q_add(p, q);
    } else {
        int less = __tern_q_ult(p, q);
        sum = less ? __tern_q_sub(q, p) : __tern_q_sub(p, q);
        r.sign = less ? sign_c : sign;
    }
    if (__tern_w_zero(sum.hi) && __tern_w_zero(sum.lo))
        return __tern_s_zero(mode == __TERN_RD ? 1u : 0u);
    /* Bring the top bit up before the low half turns into a sticky bit. */
    __tern_u32 lz = __tern_w_zero(sum.hi) ? 64u + __tern_w_clz(sum.lo) : __tern_w_clz(sum.hi);
    struct __tern_u2 top = lz >= 64u ? __tern_w_shl(sum.lo, lz - 64u) : __tern_w_shl(sum.hi, lz), rest;
    rest = lz >= 64u ? __tern_w_make(0u, 0u) : __tern_w_shl(sum.lo, lz);
    if (lz < 64u && lz != 0u) {
        struct __tern_u2 in = __tern_w_shr(sum.lo, 64u - lz);
        top.lo |= in.lo;
        top.hi |= in.hi;
    }
    r.sig = top;
    r.sig.lo |= __tern_w_zero(rest) ? 0u : 1u;
    r.exp = e + 1 - (__tern_i32)lz;
    return __tern_s_pack(r, mode);
}

/* What plain arithmetic lowers to: calls, so that a program with many f64 operations stays small. */
__TERN_CALL struct __tern_u2 __tern_soft_add(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_s_add_mode(a, b, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_sub(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_s_sub_mode(a, b, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_mul(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_s_mul_mode(a, b, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_div(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_s_div_mode(a, b, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_sqrt(struct __tern_u2 a)
{
    return __tern_s_sqrt_mode(a, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_fma(struct __tern_u2 a, struct __tern_u2 b, struct __tern_u2 c)
{
    return __tern_s_fma_mode(a, b, c, __TERN_RN);
}
/* The same with a rounding mode. */
__TERN_CALL struct __tern_u2 __tern_soft_add_r(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    return __tern_s_add_mode(a, b, mode);
}
__TERN_CALL struct __tern_u2 __tern_soft_mul_r(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    return __tern_s_mul_mode(a, b, mode);
}
__TERN_CALL struct __tern_u2 __tern_soft_div_r(struct __tern_u2 a, struct __tern_u2 b, int mode)
{
    return __tern_s_div_mode(a, b, mode);
}
__TERN_CALL struct __tern_u2 __tern_soft_sqrt_r(struct __tern_u2 a, int mode)
{
    return __tern_s_sqrt_mode(a, mode);
}
__TERN_CALL struct __tern_u2 __tern_soft_fma_r(struct __tern_u2 a, struct __tern_u2 b, struct __tern_u2 c,
                                               int mode)
{
    return __tern_s_fma_mode(a, b, c, mode);
}
#endif

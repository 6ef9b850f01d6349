/* 64-bit integers as two 32-bit words, for devices whose language has no 64-bit integer.
 *
 * Everything is u32 arithmetic: add, subtract, multiply (low and high word), shift, compare and one
 * 32-bit division. Values are passed as struct __tern_u2, low word first. */
#ifndef TERN_DEVICE_WIDE_H
#define TERN_DEVICE_WIDE_H

#include "../libm/prim.h"

struct __tern_u2 {
    __tern_u32 lo, hi;
};

__TERN_FN struct __tern_u2 __tern_w_make(__tern_u32 lo, __tern_u32 hi)
{
    struct __tern_u2 r;
    r.lo = lo;
    r.hi = hi;
    return r;
}
__TERN_FN struct __tern_u2 __tern_w_add(struct __tern_u2 a, struct __tern_u2 b)
{
    __tern_u32 lo = a.lo + b.lo;
    return __tern_w_make(lo, a.hi + b.hi + (lo < a.lo ? 1u : 0u));
}
__TERN_FN struct __tern_u2 __tern_w_sub(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_w_make(a.lo - b.lo, a.hi - b.hi - (a.lo < b.lo ? 1u : 0u));
}
__TERN_FN struct __tern_u2 __tern_w_neg(struct __tern_u2 a)
{
    return __tern_w_sub(__tern_w_make(0u, 0u), a);
}
__TERN_FN int __tern_w_ult(struct __tern_u2 a, struct __tern_u2 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
__TERN_FN int __tern_w_slt(struct __tern_u2 a, struct __tern_u2 b)
{
    __tern_u32 ah = a.hi ^ 0x80000000u, bh = b.hi ^ 0x80000000u;
    return ah < bh || (ah == bh && a.lo < b.lo);
}
__TERN_FN int __tern_w_eq(struct __tern_u2 a, struct __tern_u2 b)
{
    return ((a.lo ^ b.lo) | (a.hi ^ b.hi)) == 0u;
}
__TERN_FN int __tern_w_zero(struct __tern_u2 a)
{
    return (a.lo | a.hi) == 0u;
}
__TERN_FN __tern_u32 __tern_w_clz(struct __tern_u2 a)
{
    return (__tern_u32)(a.hi != 0u ? __tern_clz32(a.hi) : 32 + __tern_clz32(a.lo));
}

/* Shifts by 64 or more give zero (or the sign, for the arithmetic shift). */
__TERN_FN struct __tern_u2 __tern_w_shl(struct __tern_u2 a, __tern_u32 n)
{
    __tern_u32 hi = n < 32u ? __tern_shl32(a.hi, n) | __tern_shr32(a.lo, 32u - n) : __tern_shl32(a.lo, n - 32u);
    return __tern_w_make(__tern_shl32(a.lo, n), hi);
}
__TERN_FN struct __tern_u2 __tern_w_shr(struct __tern_u2 a, __tern_u32 n)
{
    __tern_u32 lo = n < 32u ? __tern_shr32(a.lo, n) | __tern_shl32(a.hi, 32u - n) : __tern_shr32(a.hi, n - 32u);
    return __tern_w_make(lo, __tern_shr32(a.hi, n));
}
__TERN_FN struct __tern_u2 __tern_w_sar(struct __tern_u2 a, __tern_u32 n)
{
    __tern_u32 sign = 0u - (a.hi >> 31);
    struct __tern_u2 r = __tern_w_shr(__tern_w_make(a.lo ^ sign, a.hi ^ sign), n);
    return __tern_w_make(r.lo ^ sign, r.hi ^ sign);
}
/* Shift right; the bits that fall out are or-ed into bit 0, which keeps "exact or not" for rounding. */
__TERN_FN struct __tern_u2 __tern_w_shr_jam(struct __tern_u2 a, __tern_u32 n)
{
    struct __tern_u2 r = __tern_w_shr(a, n);
    struct __tern_u2 back = __tern_w_shl(r, n);
    int lost = n > 63u ? !__tern_w_zero(a) : !__tern_w_eq(back, a);
    r.lo |= lost ? 1u : 0u;
    return r;
}

__TERN_FN struct __tern_u2 __tern_w_mul32(__tern_u32 a, __tern_u32 b)
{
    return __tern_w_make(a * b, __tern_umulhi32(a, b));
}
/* The low 64 bits of a product. */
__TERN_FN struct __tern_u2 __tern_w_mul(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_w_make(a.lo * b.lo, __tern_umulhi32(a.lo, b.lo) + a.lo * b.hi + a.hi * b.lo);
}
struct __tern_u4 {
    struct __tern_u2 lo, hi;
};
/* The whole 128-bit product. */
__TERN_FN struct __tern_u4 __tern_w_mul_full(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 ll = __tern_w_mul32(a.lo, b.lo), lh = __tern_w_mul32(a.lo, b.hi);
    struct __tern_u2 hl = __tern_w_mul32(a.hi, b.lo), hh = __tern_w_mul32(a.hi, b.hi);
    struct __tern_u2 mid = __tern_w_add(lh, __tern_w_make(ll.hi, 0u)); /* cannot overflow */
    struct __tern_u2 sum = __tern_w_add(mid, hl);
    __tern_u32 carry = __tern_w_ult(sum, mid) ? 1u : 0u;
    struct __tern_u4 r;
    r.lo = __tern_w_make(ll.lo, sum.lo);
    r.hi = __tern_w_add(hh, __tern_w_make(sum.hi, carry));
    return r;
}
__TERN_FN struct __tern_u2 __tern_w_umulhi(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_w_mul_full(a, b).hi;
}
__TERN_FN struct __tern_u2 __tern_w_smulhi(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 r = __tern_w_umulhi(a, b), zero = __tern_w_make(0u, 0u);
    r = __tern_w_sub(r, (a.hi >> 31) != 0u ? b : zero);
    return __tern_w_sub(r, (b.hi >> 31) != 0u ? a : zero);
}

/* floor(rem * 2^16 / d) for rem < d, d with its top bit set; leaves the remainder in *rem. One step
 * of long division in digits of 16 bits: the quotient of the leading words is at most 2 too large. */
__TERN_FN __tern_u32 __tern_w_digit(struct __tern_u2 *rem, struct __tern_u2 d)
{
    __tern_u32 q = rem->hi / (d.hi >> 16);
    q = q > 0xffffu ? 0xffffu : q;
    struct __tern_u2 p0 = __tern_w_mul32(d.lo, q), p1 = __tern_w_mul32(d.hi, q);
    struct __tern_u2 low = __tern_w_make(p0.lo, p0.hi + p1.lo);
    __tern_u32 top = p1.hi + (low.hi < p1.lo ? 1u : 0u);
    struct __tern_u2 shifted = __tern_w_shl(*rem, 16u);
    struct __tern_u2 r = __tern_w_sub(shifted, low);
    top = (rem->hi >> 16) - top - (__tern_w_ult(shifted, low) ? 1u : 0u);
    for (int i = 0; i < 2; i++) {
        struct __tern_u2 fixed = __tern_w_add(r, d);
        __tern_u32 carry = __tern_w_ult(fixed, r) ? 1u : 0u;
        int over = top != 0u;
        q -= over ? 1u : 0u;
        r = over ? fixed : r;
        top += over ? carry : 0u;
    }
    *rem = r;
    return q;
}
/* floor(rem * 2^64 / d) for rem < d, d with its top bit set; leaves the remainder in *rem. */
__TERN_FN struct __tern_u2 __tern_w_div_frac(struct __tern_u2 *rem, struct __tern_u2 d)
{
    __tern_u32 q3 = __tern_w_digit(rem, d), q2 = __tern_w_digit(rem, d);
    __tern_u32 q1 = __tern_w_digit(rem, d), q0 = __tern_w_digit(rem, d);
    return __tern_w_make(q1 << 16 | q0, q3 << 16 | q2);
}

/* Unsigned quotient and remainder. A zero divisor gives all ones, remainder a, as the
 * intermediate language says. */
__TERN_FN struct __tern_u2 __tern_w_udivmod(struct __tern_u2 a, struct __tern_u2 b, struct __tern_u2 *rem)
{
    __tern_u32 s = __tern_w_clz(b);
    struct __tern_u2 d = __tern_w_shl(b, s), q;
    struct __tern_u2 high = s == 0u ? __tern_w_make(0u, 0u) : __tern_w_shr(a, 64u - s);
    struct __tern_u2 low = __tern_w_shl(a, s);
    int zero = __tern_w_zero(b);
    d = zero ? __tern_w_make(0u, 0x80000000u) : d;
    high = zero ? __tern_w_make(0u, 0u) : high;
    /* 128-bit dividend high:low; high < d because a < 2^64. Digits come from `low` as they shift up. */
    q = __tern_w_make(0u, 0u);
    for (int i = 0; i < 4; i++) {
        __tern_u32 digit = __tern_w_digit(&high, d), in = low.hi >> 16;
        struct __tern_u2 with = __tern_w_add(high, __tern_w_make(in, 0u));
        int over = __tern_w_ult(with, high) || !__tern_w_ult(with, d);
        high = over ? __tern_w_sub(with, d) : with;
        digit += over ? 1u : 0u;
        q = __tern_w_add(__tern_w_shl(q, 16u), __tern_w_make(digit, 0u));
        low = __tern_w_shl(low, 16u);
    }
    *rem = zero ? a : __tern_w_shr(high, s);
    return zero ? __tern_w_make(0xffffffffu, 0xffffffffu) : q;
}
__TERN_FN struct __tern_u2 __tern_w_udiv(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 rem;
    return __tern_w_udivmod(a, b, &rem);
}
__TERN_FN struct __tern_u2 __tern_w_urem(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 rem;
    __tern_w_udivmod(a, b, &rem);
    return rem;
}
__TERN_FN struct __tern_u2 __tern_w_abs(struct __tern_u2 a)
{
    return (a.hi >> 31) != 0u ? __tern_w_neg(a) : a;
}
__TERN_FN struct __tern_u2 __tern_w_sdiv(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 q = __tern_w_udiv(__tern_w_abs(a), __tern_w_abs(b));
    int negative = ((a.hi ^ b.hi) >> 31) != 0u && !__tern_w_zero(b);
    return negative ? __tern_w_neg(q) : q;
}
__TERN_FN struct __tern_u2 __tern_w_srem(struct __tern_u2 a, struct __tern_u2 b)
{
    struct __tern_u2 r = __tern_w_urem(__tern_w_abs(a), __tern_w_abs(b));
    return (a.hi >> 31) != 0u ? __tern_w_neg(r) : r;
}
#endif

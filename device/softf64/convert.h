/* binary64 in 32-bit integer operations: comparison, minimum, rounding to integral and conversion.
 *
 * Float to integer saturates and takes NaN to zero; NaN becomes the canonical one when a format
 * changes. See f64.h for the representation. */
#ifndef TERN_DEVICE_SOFTF64_CONVERT_H
#define TERN_DEVICE_SOFTF64_CONVERT_H

#include "f64.h"

__TERN_FN int __tern_soft_unordered(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_s_isnan(a) || __tern_s_isnan(b);
}
/* A key that orders as the numbers do: negative numbers count down from zero. */
__TERN_FN struct __tern_u2 __tern_s_key(struct __tern_u2 a)
{
    struct __tern_u2 magnitude = __tern_w_make(a.lo, a.hi & 0x7fffffffu);
    return (a.hi >> 31) != 0u ? __tern_w_neg(magnitude) : magnitude;
}
__TERN_FN int __tern_soft_eq(struct __tern_u2 a, struct __tern_u2 b)
{
    return !__tern_soft_unordered(a, b) && __tern_w_eq(__tern_s_key(a), __tern_s_key(b));
}
__TERN_FN int __tern_soft_lt(struct __tern_u2 a, struct __tern_u2 b)
{
    return !__tern_soft_unordered(a, b) && __tern_w_slt(__tern_s_key(a), __tern_s_key(b));
}
__TERN_FN int __tern_soft_le(struct __tern_u2 a, struct __tern_u2 b)
{
    return !__tern_soft_unordered(a, b) && !__tern_w_slt(__tern_s_key(b), __tern_s_key(a));
}

/* The other operand where one is NaN; -0 is below +0. */
__TERN_FN struct __tern_u2 __tern_soft_min(struct __tern_u2 a, struct __tern_u2 b)
{
    if (__tern_s_isnan(a))
        return __tern_s_isnan(b) ? __TERN_S_NAN : b;
    if (__tern_s_isnan(b))
        return a;
    struct __tern_u2 ka = __tern_s_key(a), kb = __tern_s_key(b);
    return __tern_w_slt(ka, kb) || (__tern_w_eq(ka, kb) && (a.hi >> 31) != 0u) ? a : b;
}
__TERN_FN struct __tern_u2 __tern_soft_max(struct __tern_u2 a, struct __tern_u2 b)
{
    if (__tern_s_isnan(a))
        return __tern_s_isnan(b) ? __TERN_S_NAN : b;
    if (__tern_s_isnan(b))
        return a;
    struct __tern_u2 ka = __tern_s_key(a), kb = __tern_s_key(b);
    return __tern_w_slt(kb, ka) || (__tern_w_eq(ka, kb) && (a.hi >> 31) == 0u) ? a : b;
}
__TERN_FN struct __tern_u2 __tern_soft_neg(struct __tern_u2 a)
{
    return __tern_w_make(a.lo, a.hi ^ 0x80000000u);
}
__TERN_FN struct __tern_u2 __tern_soft_abs(struct __tern_u2 a)
{
    return __tern_w_make(a.lo, a.hi & 0x7fffffffu);
}
__TERN_FN struct __tern_u2 __tern_soft_copysign(struct __tern_u2 a, struct __tern_u2 b)
{
    return __tern_w_make(a.lo, (a.hi & 0x7fffffffu) | (b.hi & 0x80000000u));
}

/* To an integral double. */
__TERN_FN struct __tern_u2 __tern_s_integral(struct __tern_u2 a, int mode)
{
    __tern_i32 e = (__tern_i32)__tern_s_exp(a) - 1023; /* the bits below 2^0 number 52 - e */
    __tern_u32 sign = a.hi >> 31;
    if (__tern_s_isnan(a))
        return __TERN_S_NAN;
    if (e >= 52 || __tern_s_iszero(a))
        return a;
    if (e < 0) {
        int half_up = e == -1 && ((a.hi & 0xfffffu) | a.lo) != 0u;
        int one = mode == __TERN_RN ? half_up : mode == (sign != 0u ? __TERN_RD : __TERN_RU);
        return __tern_w_make(0u, sign << 31 | (one ? 0x3ff00000u : 0u));
    }
    __tern_u32 n = (__tern_u32)(52 - e);
    struct __tern_u2 unit = __tern_w_shl(__tern_w_make(1u, 0u), n), whole = __tern_w_shl(__tern_w_shr(a, n), n);
    struct __tern_u2 frac = __tern_w_sub(a, whole), half = __tern_w_shr(unit, 1u);
    int odd = (__tern_w_shr(a, n).lo & 1u) != 0u;
    int nearest = __tern_w_ult(half, frac) || (__tern_w_eq(half, frac) && odd);
    int away = !__tern_w_zero(frac) && mode == (sign != 0u ? __TERN_RD : __TERN_RU);
    int up = mode == __TERN_RN ? nearest : away;
    return up ? __tern_w_add(whole, unit) : whole;
}
__TERN_CALL struct __tern_u2 __tern_soft_rint(struct __tern_u2 a)
{
    return __tern_s_integral(a, __TERN_RN);
}
__TERN_CALL struct __tern_u2 __tern_soft_trunc(struct __tern_u2 a)
{
    return __tern_s_integral(a, __TERN_RZ);
}
__TERN_CALL struct __tern_u2 __tern_soft_ceil(struct __tern_u2 a)
{
    return __tern_s_integral(a, __TERN_RU);
}
__TERN_CALL struct __tern_u2 __tern_soft_floor(struct __tern_u2 a)
{
    return __tern_s_integral(a, __TERN_RD);
}

/* Integer to double. */
__TERN_FN struct __tern_u2 __tern_soft_from_u64(struct __tern_u2 a, int mode)
{
    struct __tern_sf r;
    r.sign = 0u;
    r.exp = 1023 + 63;
    r.sig = a;
    return __tern_w_zero(a) ? a : __tern_s_pack(r, mode);
}
__TERN_FN struct __tern_u2 __tern_soft_from_i64(struct __tern_u2 a, int mode)
{
    struct __tern_sf r;
    r.sign = a.hi >> 31;
    r.exp = 1023 + 63;
    r.sig = __tern_w_abs(a);
    return __tern_w_zero(a) ? a : __tern_s_pack(r, mode);
}
__TERN_FN struct __tern_u2 __tern_soft_from_u32(__tern_u32 a)
{
    return __tern_soft_from_u64(__tern_w_make(a, 0u), __TERN_RN);
}
__TERN_FN struct __tern_u2 __tern_soft_from_i32(__tern_i32 a)
{
    return __tern_soft_from_i64(__tern_w_make((__tern_u32)a, a < 0 ? 0xffffffffu : 0u), __TERN_RN);
}

/* Double to integer: the magnitude of an integral double as a 64-bit integer, all ones if too big. */
__TERN_FN struct __tern_u2 __tern_s_magnitude(struct __tern_u2 a, int mode)
{
    struct __tern_u2 i = __tern_s_integral(a, mode);
    __tern_i32 e = (__tern_i32)__tern_s_exp(i) - 1075;
    struct __tern_u2 m = __tern_w_make(i.lo, (i.hi & 0xfffffu) | 0x100000u);
    if (__tern_s_iszero(i))
        return __tern_w_make(0u, 0u);
    if (e > 11)
        return __tern_w_make(0xffffffffu, 0xffffffffu);
    return e >= 0 ? __tern_w_shl(m, (__tern_u32)e) : __tern_w_shr(m, (__tern_u32)(0 - e));
}
__TERN_FN struct __tern_u2 __tern_soft_to_u64(struct __tern_u2 a, int mode)
{
    struct __tern_u2 m = __tern_s_magnitude(a, mode);
    return __tern_s_isnan(a) || (a.hi >> 31) != 0u ? __tern_w_make(0u, 0u) : m;
}
__TERN_FN struct __tern_u2 __tern_soft_to_i64(struct __tern_u2 a, int mode)
{
    struct __tern_u2 m = __tern_s_magnitude(a, mode);
    int negative = (a.hi >> 31) != 0u;
    struct __tern_u2 limit = negative ? __tern_w_make(0u, 0x80000000u) : __tern_w_make(0xffffffffu, 0x7fffffffu);
    m = __tern_w_ult(limit, m) ? limit : m;
    m = __tern_s_isnan(a) ? __tern_w_make(0u, 0u) : m;
    return negative ? __tern_w_neg(m) : m;
}
__TERN_FN __tern_u32 __tern_soft_to_u32(struct __tern_u2 a, int mode)
{
    struct __tern_u2 m = __tern_soft_to_u64(a, mode);
    return m.hi != 0u ? 0xffffffffu : m.lo;
}
__TERN_FN __tern_i32 __tern_soft_to_i32(struct __tern_u2 a, int mode)
{
    struct __tern_u2 m = __tern_s_magnitude(a, mode);
    int negative = (a.hi >> 31) != 0u;
    __tern_u32 limit = negative ? 0x80000000u : 0x7fffffffu;
    __tern_u32 v = m.hi != 0u || m.lo > limit ? limit : m.lo;
    v = __tern_s_isnan(a) ? 0u : v;
    return (__tern_i32)(negative ? 0u - v : v);
}

/* binary32 to and from; a float is its bit pattern. */
__TERN_FN struct __tern_u2 __tern_soft_from_f32(__tern_u32 f)
{
    __tern_u32 sign = f & 0x80000000u, e = f >> 23 & 0xffu, m = f & 0x7fffffu, lz;
    if (e == 0xffu)
        return m != 0u ? __TERN_S_NAN : __tern_w_make(0u, sign | 0x7ff00000u);
    if ((e | m) == 0u)
        return __tern_w_make(0u, sign);
    lz = e == 0u ? (__tern_u32)__tern_clz32(m) - 8u : 0u; /* bring a subnormal's top bit to bit 23 */
    m = __tern_shl32(m, lz) & 0x7fffffu;
    e = (e == 0u ? 1u : e) + 896u - lz;
    return __tern_w_make(m << 29, sign | e << 20 | m >> 3);
}
__TERN_FN __tern_u32 __tern_soft_to_f32(struct __tern_u2 a, int mode)
{
    __tern_u32 sign = a.hi >> 31, m, rest, r;
    if (__tern_s_isnan(a))
        return 0x7fffffffu;
    if (__tern_s_isinf(a) || __tern_s_iszero(a))
        return sign << 31 | (__tern_s_isinf(a) ? 0x7f800000u : 0u);
    struct __tern_sf x = __tern_s_unpack(a);
    __tern_i32 e = x.exp - 1023 + 127;
    struct __tern_u2 s = e < 1 ? __tern_w_shr_jam(x.sig, (__tern_u32)(1 - e)) : x.sig;
    m = s.hi >> 8;
    /* The 40 bits below, brought to the 11-bit form that the rounding rule takes. */
    rest = (s.hi & 0xffu) << 3 | s.lo >> 29 | ((s.lo & 0x1fffffffu) != 0u ? 1u : 0u);
    r = m + (e < 1 ? 0u : (__tern_u32)(e - 1) << 23);
    r += __tern_s_increment(sign, r & 1u, rest, mode);
    if (e > 254 || r >= 0x7f800000u) {
        int to_inf = mode == __TERN_RN || mode == (sign != 0u ? __TERN_RD : __TERN_RU);
        r = to_inf ? 0x7f800000u : 0x7f7fffffu;
    }
    return sign << 31 | r;
}
#endif

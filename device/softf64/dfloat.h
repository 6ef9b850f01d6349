/* Double-float: f64 arithmetic on pairs of floats, for --f64=fast.
 *
 * A number is hi + lo with |lo| <= ulp(hi)/2: about 48 significant bits and the range of f32 (a
 * result beyond it is infinite, one below about 2^-102 loses low bits). Relative error, u = 2^-24, as
 * proved by Joldes, Muller and Popescu (2017) for these algorithms with an fma:
 *   add 3 u^2    mul 4 u^2    div 9.8 u^2    sqrt 3.125 u^2
 * It needs f32 sums, products and fma that round correctly; a device that reassociates them is
 * found out by __tern_df_selftest. */
#ifndef TERN_DEVICE_DFLOAT_H
#define TERN_DEVICE_DFLOAT_H

#include "convert.h"

struct __tern_df {
    float hi, lo;
};

__TERN_FN struct __tern_df __tern_df_make(float hi, float lo)
{
    struct __tern_df r;
    r.hi = hi;
    r.lo = lo;
    return r;
}
/* hi + lo renormalised; an infinite or NaN head stands alone. */
__TERN_FN struct __tern_df __tern_df_norm(float hi, float lo)
{
    float s = hi + lo, e = lo - (s - hi);
    int plain = __tern_absf(s) < __tern_f32_bits(0x7f800000u);
    return __tern_df_make(s, plain ? e : 0.0f);
}
__TERN_FN struct __tern_df __tern_df_sum(float a, float b)
{
    float s = a + b, t = s - a;
    return __tern_df_make(s, (a - (s - t)) + (b - t));
}
__TERN_FN struct __tern_df __tern_df_neg(struct __tern_df a)
{
    return __tern_df_make(-a.hi, -a.lo);
}
__TERN_FN struct __tern_df __tern_df_add(struct __tern_df a, struct __tern_df b)
{
    struct __tern_df s = __tern_df_sum(a.hi, b.hi), t = __tern_df_sum(a.lo, b.lo), v;
    if (!(__tern_absf(s.hi) < __tern_f32_bits(0x7f800000u)))
        return __tern_df_make(s.hi, 0.0f);
    v = __tern_df_norm(s.hi, s.lo + t.hi);
    return __tern_df_norm(v.hi, t.lo + v.lo);
}
__TERN_FN struct __tern_df __tern_df_sub(struct __tern_df a, struct __tern_df b)
{
    return __tern_df_add(a, __tern_df_neg(b));
}
__TERN_FN struct __tern_df __tern_df_mul(struct __tern_df a, struct __tern_df b)
{
    float p = a.hi * b.hi, e = __tern_fmaf(a.hi, b.hi, -p);
    float t = __tern_fmaf(a.hi, b.lo, __tern_fmaf(a.lo, b.hi, a.lo * b.lo));
    if (!(__tern_absf(p) < __tern_f32_bits(0x7f800000u)))
        return __tern_df_make(p, 0.0f);
    return __tern_df_norm(p, e + t);
}
__TERN_FN struct __tern_df __tern_df_div(struct __tern_df a, struct __tern_df b)
{
    float q = a.hi / b.hi;
    if (!(__tern_absf(q) < __tern_f32_bits(0x7f800000u)) || !(__tern_absf(b.hi) < __tern_f32_bits(0x7f800000u)) ||
        q == 0.0f)
        return __tern_df_make(q, 0.0f);
    /* a - q b, then one more digit */
    float r = __tern_fmaf(-q, b.hi, a.hi);
    float d = __tern_fmaf(-q, b.lo, r + a.lo);
    return __tern_df_norm(q, d / b.hi);
}
__TERN_FN struct __tern_df __tern_df_sqrt(struct __tern_df a)
{
    float s = __tern_sqrtf(a.hi);
    if (!(s > 0.0f) || !(s < __tern_f32_bits(0x7f800000u)))
        return __tern_df_make(s, 0.0f);
    return __tern_df_norm(s, (__tern_fmaf(-s, s, a.hi) + a.lo) / (s + s));
}
/* The product is kept to about 72 bits before the sum, so that cancellation costs little. */
__TERN_FN struct __tern_df __tern_df_fma(struct __tern_df a, struct __tern_df b, struct __tern_df c)
{
    float p = a.hi * b.hi, e = __tern_fmaf(a.hi, b.hi, -p);
    float m = a.hi * b.lo, me = __tern_fmaf(a.hi, b.lo, -m), n = a.lo * b.hi, ne = __tern_fmaf(a.lo, b.hi, -n);
    if (!(__tern_absf(p + c.hi) < __tern_f32_bits(0x7f800000u)))
        return __tern_df_make(p + c.hi, 0.0f);
    struct __tern_df x = __tern_df_sum(p, c.hi), y = __tern_df_sum(e, c.lo), z = __tern_df_sum(m, n), w, v;
    float tail = y.lo + z.lo + (me + ne + a.lo * b.lo);
    w = __tern_df_sum(y.hi, z.hi);
    v = __tern_df_sum(x.lo, w.hi);
    x = __tern_df_sum(x.hi, v.hi);
    return __tern_df_norm(x.hi, x.lo + (v.lo + (w.lo + tail)));
}
__TERN_FN int __tern_df_eq(struct __tern_df a, struct __tern_df b)
{
    return a.hi == b.hi && a.lo == b.lo;
}
__TERN_FN int __tern_df_lt(struct __tern_df a, struct __tern_df b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
__TERN_FN int __tern_df_le(struct __tern_df a, struct __tern_df b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo);
}
/* From and to the bits of a double: how f64 lies in memory. To: exact. From: rounded to 48 bits. */
__TERN_FN struct __tern_df __tern_df_from_bits(struct __tern_u2 a)
{
    __tern_u32 h = __tern_soft_to_f32(a, __TERN_RN);
    float hi = __tern_f32_bits(h);
    if (!(__tern_absf(hi) < __tern_f32_bits(0x7f800000u)) || hi == 0.0f)
        return __tern_df_make(hi, 0.0f);
    struct __tern_u2 rest = __tern_s_sub_mode(a, __tern_soft_from_f32(h), __TERN_RN); /* exact */
    return __tern_df_make(hi, __tern_f32_bits(__tern_soft_to_f32(rest, __TERN_RN)));
}
__TERN_FN struct __tern_u2 __tern_df_to_bits(struct __tern_df a)
{
    struct __tern_u2 h = __tern_soft_from_f32(__tern_bits_f32(a.hi));
    if (a.lo == 0.0f || !(__tern_absf(a.hi) < __tern_f32_bits(0x7f800000u)))
        return h;
    return __tern_s_add_mode(h, __tern_soft_from_f32(__tern_bits_f32(a.lo)), __TERN_RN);
}
__TERN_FN struct __tern_df __tern_df_from_i32(__tern_i32 n)
{
    /* two halves that floats hold exactly */
    float hi = (float)(n & ~0xffff), lo = (float)(n & 0xffff);
    return __tern_df_norm(hi, lo);
}
__TERN_FN struct __tern_df __tern_df_trunc(struct __tern_df a)
{
    float h = __tern_truncf(a.hi);
    if (h != a.hi) /* the fraction lies in hi; lo cannot carry across an integer, but at one */
        return __tern_df_make(h, 0.0f);
    /* hi is an integer: lo's fraction goes, towards zero of the whole */
    float l = a.hi >= 0.0f ? __tern_floorf(a.lo) : -__tern_floorf(-a.lo);
    return __tern_df_norm(h, a.hi == 0.0f ? 0.0f : l);
}
__TERN_FN struct __tern_df __tern_df_floor(struct __tern_df a)
{
    float h = __tern_floorf(a.hi);
    return h != a.hi ? __tern_df_make(h, 0.0f) : __tern_df_norm(h, __tern_floorf(a.lo));
}
__TERN_FN struct __tern_df __tern_df_ceil(struct __tern_df a)
{
    return __tern_df_neg(__tern_df_floor(__tern_df_neg(a)));
}
/* To nearest, ties to even. */
__TERN_FN struct __tern_df __tern_df_rint(struct __tern_df a)
{
    float h = __tern_rintf(a.hi), d = a.hi - h;
    if (d != 0.0f) { /* the fraction lies in hi; at a half, lo decides */
        h = d == 0.5f && a.lo > 0.0f ? h + 1.0f : h;
        h = d == -0.5f && a.lo < 0.0f ? h - 1.0f : h;
        return __tern_df_make(h, 0.0f);
    }
    float l = __tern_rintf(a.lo), odd = __tern_absf(h * 0.5f - __tern_truncf(h * 0.5f));
    l = __tern_absf(a.lo) == 0.5f && odd != 0.0f ? a.lo + a.lo : l;
    return __tern_df_norm(h, l);
}
__TERN_FN int __tern_df_unordered(struct __tern_df a, struct __tern_df b)
{
    return a.hi != a.hi || b.hi != b.hi;
}
__TERN_FN int __tern_df_negative(struct __tern_df a)
{
    return __tern_bits_f32(a.hi) >> 31 != 0u;
}
__TERN_FN struct __tern_df __tern_df_abs(struct __tern_df a)
{
    return __tern_df_negative(a) ? __tern_df_neg(a) : a;
}
__TERN_FN struct __tern_df __tern_df_copysign(struct __tern_df a, struct __tern_df b)
{
    return __tern_df_negative(a) != __tern_df_negative(b) ? __tern_df_neg(a) : a;
}
/* A NaN gives the other operand; -0 is less than +0. */
__TERN_FN struct __tern_df __tern_df_min(struct __tern_df a, struct __tern_df b)
{
    int first = __tern_df_lt(a, b) || b.hi != b.hi || (__tern_df_eq(a, b) && __tern_df_negative(a));
    return first ? a : b;
}
__TERN_FN struct __tern_df __tern_df_max(struct __tern_df a, struct __tern_df b)
{
    int first = __tern_df_lt(b, a) || b.hi != b.hi || (__tern_df_eq(a, b) && !__tern_df_negative(a));
    return first ? a : b;
}
__TERN_FN __tern_i32 __tern_df_to_i32(struct __tern_df a)
{
    struct __tern_df t = __tern_df_trunc(a);
    if (t.hi != t.hi)
        return -2147483647 - 1;
    if (!__tern_df_lt(t, __tern_df_make(0x1p31f, 0.0f)))
        return 2147483647;
    if (__tern_df_lt(t, __tern_df_make(-0x1p31f, 0.0f)))
        return -2147483647 - 1;
    /* either part may reach 2^31 alone; the sum does not, and wraps into place */
    return (__tern_i32)((__tern_u32)(__tern_i32)__tern_f32_to_i64(t.hi) + (__tern_u32)(__tern_i32)__tern_f32_to_i64(t.lo));
}

/* Does this device round f32 sums, products and fma as the algorithms above need? x and y come from
 * memory, so that nothing is folded: x = 1 + 2^-23, y = 2^-24 (1 + 2^-23). */
__TERN_FN int __tern_df_selftest(float x, float y)
{
    struct __tern_df s = __tern_df_sum(x, y), p = __tern_df_mul(__tern_df_make(x, 0.0f), __tern_df_make(x, 0.0f));
    struct __tern_df d = __tern_df_div(__tern_df_make(x, y), __tern_df_make(x, -y));
    int ok = s.hi == 0x1.000004p+0f && s.lo == -0x1.fffffcp-25f;
    ok &= p.hi == 0x1.000004p+0f && p.lo == 0x1p-46f;
    ok &= __tern_fmaf(x, x, -0x1.000004p+0f) == 0x1p-46f;
    ok &= d.hi == 0x1.000002p+0f && __tern_absf(d.lo) < 0x1p-24f;
    return ok && (x * 0x1p-126f) * 0x1p-20f != 0.0f; /* subnormals live */
}
#endif

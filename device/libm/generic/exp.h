/* Exponentials, logarithms, powers and roots. */

__TERN_FN T FN(exp)(T x)
{
    T y = FN(clamp)(x, C(-104.0f, -746.0), C(89.0f, 710.0));
    T n = RINT(y * K(log2e, h));
    T r = FMA(n, -K(ln2, m), FMA(n, -K(ln2, h), y));
    DW s = FN(fast_sum)(C(1.0f, 1.0), r);
    return FN(scale)(s.h + FMA(r * r, P(exp)(r), s.l), n);
}
__TERN_FN T FN(exp2)(T x)
{
    T y = FN(clamp)(x, C(-151.0f, -1076.0), C(129.0f, 1025.0));
    T n = RINT(y), r = y - n;
    T q = FMA(r, K(ln2, h), r * FMA(r, P(exp2)(r), K(ln2, m)));
    return FN(scale)(C(1.0f, 1.0) + q, n);
}
__TERN_FN T FN(exp10)(T x)
{
    T y = FN(clamp)(x, C(-46.0f, -325.0), C(39.0f, 310.0));
    T n = RINT(y * K(log2_10, h));
    T r1 = FMA(n, -K(log10_2, h), y), r = FMA(n, -K(log10_2, m), r1),
      rl = FMA(n, -K(log10_2, m), r1 - r);
    T q = FMA(r, K(ln10, h), FMA(rl, K(ln10, h), r * FMA(r, P(exp10)(r), K(ln10, m))));
    return FN(scale)(C(1.0f, 1.0) + q, n);
}
/* 2^n e^r - 1 = (2^n - 1) + 2^n (e^r - 1), in halves so that the top of the range does not
 * overflow. */
__TERN_FN T FN(expm1)(T x)
{
    T y = FN(clamp)(x, C(-20.0f, -42.0), C(89.0f, 710.0));
    T n = RINT(y * K(log2e, h));
    T r1 = FMA(n, -K(ln2, h), y), r = FMA(n, -K(ln2, m), r1);
    T rl = FMA(n, -K(ln2, m), r1 - r);
    DW z = FN(two_mul)(r, r); /* e^r - 1 = r + r^2/2 + w */
    T w = FMA(z.h, P(exp)(r) - C(0.5f, 0.5), FMA(C(0.5f, 0.5), z.l, rl));
    T s = FN(pow2)(n - C(1.0f, 1.0));
    DW t = FN(two_sum)(s, C(-0.5f, -0.5)), a = FN(fast_sum)(t.h, s * r);
    DW b = FN(fast_sum)(a.h, C(0.5f, 0.5) * s * z.h);
    T v = C(2.0f, 2.0) * (b.h + FMA(s, w, b.l + (a.l + t.l)));
    return ABS(x) < C(0x1p-25f, 0x1p-54) ? x : v;
}

/* The values of a logarithm at 0, below, and at the end of the line. */
__TERN_FN T FN(log_ends)(T x, T v)
{
    v = x < INFINITE ? v : x;
    v = x == C(0.0f, 0.0) ? -INFINITE : v;
    return x < C(0.0f, 0.0) ? QUIET_NAN : v;
}
__TERN_FN T FN(log)(T x)
{
    struct FN(log_parts) s = FN(log_split)(x);
    DW r = FN(log_sum)(s.e, s.f, C(0.0f, 0.0));
    return FN(log_ends)(x, r.h + r.l);
}
__TERN_FN T FN(log2)(T x)
{
    struct FN(log_parts) s = FN(log_split)(x);
    DW g = FN(log_near)(s.f), p = FN(two_mul)(g.h, K(log2e, h)), r = FN(fast_sum)(s.e, p.h);
    T low = FMA(g.h, K(log2e, m), FMA(g.l, K(log2e, h), p.l));
    return FN(log_ends)(x, r.h + (r.l + low));
}
__TERN_FN T FN(log10)(T x)
{
    struct FN(log_parts) s = FN(log_split)(x);
    DW g = FN(log_near)(s.f), p = FN(two_mul)(g.h, K(log10e, h));
    DW r = FN(fast_sum)(s.e * K(log10_2_short, h), p.h);
    T low = FMA(g.h, K(log10e, m), FMA(g.l, K(log10e, h), p.l));
    return FN(log_ends)(x, r.h + (r.l + FMA(s.e, K(log10_2_short, m), low)));
}
__TERN_FN T FN(log1p)(T x)
{
    T v = FN(log1p_k)(x, C(0.0f, 0.0));
    v = x < INFINITE ? v : x;
    v = x == C(-1.0f, -1.0) ? -INFINITE : v;
    v = x < C(-1.0f, -1.0) ? QUIET_NAN : v;
    return ABS(x) < C(0x1p-25f, 0x1p-54) ? x : v;
}

/* log2 of a positive finite x as a sum of two: 2 atanh(s)/ln 2 + e, s = (m-1)/(m+1). */
__TERN_FN DW FN(log2_dw)(T x)
{
    struct FN(log_parts) p = FN(log_split)(x);
    T mp = p.f + C(2.0f, 2.0), ml = p.f - (mp - C(2.0f, 2.0));
    T sh = p.f / mp, res = FMA(-sh, ml, FMA(-sh, mp, p.f));
    T sl = res * FMA(C(-0.5f, -0.5), sh, C(0.5f, 0.5)); /* 1/(m+1) = (1-s)/2 */
    T z = sh * sh, zl = FMA(sh, sh, -z) + C(2.0f, 2.0) * sh * sl;
    DW c = FN(fast_sum)(K(2_3ln2, h), z * P(log2pow)(z));
    T cl = c.l + K(2_3ln2, m);
    T t = sh * z, tl = FMA(sh, z, -t) + FMA(sh, zl, sl * z);
    DW u = FN(two_mul)(t, c.h), v = FN(two_mul)(sh, K(2_ln2, h)), a, b;
    u.l += FMA(t, cl, tl * c.h);
    v.l += FMA(sh, K(2_ln2, m), sl * K(2_ln2, h));
    a = FN(fast_sum)(p.e, v.h);
    b = FN(fast_sum)(a.h, u.h);
    return FN(fast_sum)(b.h, b.l + (a.l + (v.l + u.l)));
}
/* v 2^(h + l) */
__TERN_FN T FN(exp2_dw)(T v, T h, T l)
{
    T y = FN(clamp)(h, C(-300.0f, -2100.0), C(300.0f, 2100.0));
    T n = RINT(y), r0 = y - n, yl = h == y ? l : C(0.0f, 0.0);
    DW r = FN(fast_sum)(r0, yl);
    T q = FMA(r.h, K(ln2, h), r.h * FMA(r.h, P(exp2)(r.h), K(ln2, m)));
    q = FMA(r.l, K(ln2, h), q);
    n = FN(clamp)(n, C(-250.0f, -2040.0), C(250.0f, 2040.0));
    return FN(scale)(v + v * q, n);
}
__TERN_FN T FN(pow)(T x, T y)
{
    T ax = ABS(x), ay = ABS(y), v, one = C(1.0f, 1.0), zero = C(0.0f, 0.0);
    int integer = TRUNC(y) == y, odd = integer && TRUNC(y * C(0.5f, 0.5)) != y * C(0.5f, 0.5);
    DW l = FN(log2_dw)(ax);
    T h = y * l.h, low = FMA(y, l.h, -h) + y * l.l;
    T sign = x < zero && odd ? -one : one;
    v = FN(exp2_dw)(one, h, low) * sign;
    /* zero and infinite bases, then infinite exponents */
    int up = (ax == zero) != (y > zero);
    T edge = up ? INFINITE : zero;
    v = ax == zero || ax == INFINITE ? COPYSIGN(edge, odd ? x : one) : v;
    v = x < zero && ax < INFINITE && !integer ? QUIET_NAN : v;
    v = ay == INFINITE ? ((ax > one) == (y > zero) ? INFINITE : zero) : v;
    v = ay == INFINITE && ax == one ? one : v;
    v = x != x || y != y ? x + y : v;
    return y == zero || x == one ? one : v;
}

/* The reciprocal cube root of m in [0.35, 2.83], nearly correctly rounded but for the last step. */
__TERN_FN T FN(rcbrt_k)(T m)
{
    T r = P(rcbrt0)(m);
    for (int i = 0; i < C(2, 3); i++) {
        T h = FMA(-(m * r), r * r, C(1.0f, 1.0)); /* (1-h)^(-1/3) = 1 + h/3 + 2h^2/9 + ... */
        r = FMA(r * h,
                FMA(h,
                    FMA(h, C(0x1.61f9aep-3f, 0x1.61f9add3c0ca4p-3),
                        C(0x1.c71c72p-3f, 0x1.c71c71c71c71cp-3)),
                    C(0x1.555556p-2f, 0x1.5555555555555p-2)),
                r);
    }
    return r;
}
struct FN(cbrt_parts) {
    T m, r, k; /* |x| = m 8^k, r about m^(-1/3) */
};
__TERN_FN struct FN(cbrt_parts) FN(cbrt_split)(T x)
{
    struct FN(cbrt_parts) s;
    T a = ABS(x);
    int tiny = a < C(0x1p-126f, 0x1p-1022);
    T b = tiny ? a * C(0x1p24f, 0x1p54) : a;
    T e = FN(small)((I)(BITS(b) >> MANT) - BIAS),
      k = RINT(e * C(0x1.555556p-2f, 0x1.5555555555555p-2));
    T j = e - C(3.0f, 3.0) * k; /* -1, 0 or 1 */
    s.m = FROM((BITS(b) & (((U)1 << MANT) - 1)) | (U)BIAS << MANT) * FN(pow2)(j);
    s.m = s.m > C(2.83f, 2.83) ? s.m * C(0.125f, 0.125) : s.m;
    k = j == C(1.0f, 1.0) && s.m < C(0.5f, 0.5) ? k + C(1.0f, 1.0) : k;
    s.k = k - (tiny ? C(8.0f, 18.0) : C(0.0f, 0.0));
    s.r = FN(rcbrt_k)(s.m);
    return s;
}
__TERN_FN T FN(cbrt)(T x)
{
    struct FN(cbrt_parts) s = FN(cbrt_split)(x);
    T c = s.m * s.r * s.r, c2 = c * c, e = FMA(-c2, c, s.m) - FMA(c, c, -c2) * c;
    c = FMA(e * C(0x1.555556p-2f, 0x1.5555555555555p-2) * s.r, s.r, c);
    c = COPYSIGN(c * FN(pow2)(s.k), x);
    return x == C(0.0f, 0.0) || !(ABS(x) < INFINITE) ? x + x : c;
}
__TERN_FN T FN(rcbrt)(T x)
{
    struct FN(cbrt_parts) s = FN(cbrt_split)(x);
    DW t = FN(two_mul)(s.m, s.r), r2 = FN(two_mul)(s.r, s.r);
    T h = FMA(-t.h, r2.h, C(1.0f, 1.0)) - FMA(t.l, r2.h, t.h * r2.l);
    T c = FMA(s.r * h, C(0x1.555556p-2f, 0x1.5555555555555p-2), s.r);
    c = COPYSIGN(c * FN(pow2)(-s.k), x);
    c = x == C(0.0f, 0.0) ? COPYSIGN(INFINITE, x) : c;
    c = ABS(x) == INFINITE ? COPYSIGN(C(0.0f, 0.0), x) : c;
    return x != x ? x + x : c;
}
__TERN_FN T FN(rsqrt)(T x)
{
    if (sizeof(T) == 4) /* within 2 ulp, as CUDA's: kernels that use it want it fast */
        return __tern_quick_rsqrtf(x);
    int tiny = x < C(0x1p-100f, 0x1p-900); /* keeps the residual from underflowing */
    T y = tiny ? x * C(0x1p100f, 0x1p200) : x;
    T r = FN(dw_rsqrt)(FN(dw)(y, C(0.0f, 0.0)));
    r = tiny ? r * C(0x1p50f, 0x1p100) : r;
    r = x == INFINITE ? C(0.0f, 0.0) : r;
    r = x == C(0.0f, 0.0) ? COPYSIGN(INFINITE, x) : r;
    return x < C(0.0f, 0.0) ? QUIET_NAN : r;
}

/* A power of two that brings a norm's squares to safe ground. */
__TERN_FN T FN(norm_scale)(T big)
{
    T s = big > C(0x1p60f, 0x1p500) ? C(0x1p-70f, 0x1p-600) : C(1.0f, 1.0);
    return big < C(0x1p-50f, 0x1p-450) ? C(0x1p100f, 0x1p700) : s;
}
__TERN_FN DW FN(square_add)(DW s, T a)
{
    DW p = FN(two_mul)(a, a), t = FN(two_sum)(s.h, p.h);
    return FN(fast_sum)(t.h, t.l + (s.l + p.l));
}
__TERN_FN DW FN(norm_squares)(T s, T a, T b, T c, T d)
{
    DW q = FN(two_mul)(a * s, a * s);
    q = FN(square_add)(q, b * s);
    q = FN(square_add)(q, c * s);
    return FN(square_add)(q, d * s);
}
__TERN_FN T FN(norm4d)(T a, T b, T c, T d)
{
    T big = MAX(MAX(ABS(a), ABS(b)), MAX(ABS(c), ABS(d))), s = FN(norm_scale)(big);
    T v = FN(dw_sqrt)(FN(norm_squares)(s, a, b, c, d)) / s;
    v = a != a || b != b || c != c || d != d ? QUIET_NAN : v;
    return big == INFINITE ? INFINITE : v;
}
__TERN_FN T FN(rnorm4d)(T a, T b, T c, T d)
{
    T big = MAX(MAX(ABS(a), ABS(b)), MAX(ABS(c), ABS(d))), s = FN(norm_scale)(big);
    T v = FN(dw_rsqrt)(FN(norm_squares)(s, a, b, c, d)) * s;
    v = big == C(0.0f, 0.0) ? INFINITE : v;
    v = a != a || b != b || c != c || d != d ? QUIET_NAN : v;
    return big == INFINITE ? C(0.0f, 0.0) : v;
}
__TERN_FN T FN(hypot)(T a, T b)
{
    return FN(norm4d)(a, b, C(0.0f, 0.0), C(0.0f, 0.0));
}
__TERN_FN T FN(rhypot)(T a, T b)
{
    return FN(rnorm4d)(a, b, C(0.0f, 0.0), C(0.0f, 0.0));
}
__TERN_FN T FN(norm3d)(T a, T b, T c)
{
    return FN(norm4d)(a, b, c, C(0.0f, 0.0));
}
__TERN_FN T FN(rnorm3d)(T a, T b, T c)
{
    return FN(rnorm4d)(a, b, c, C(0.0f, 0.0));
}
/* Norms of n numbers in memory: one pass for the scale, one for the sum. */
__TERN_FN DW FN(norm_sum)(int n, const T *p, T *scale, T *big)
{
    DW q = FN(dw)(C(0.0f, 0.0), C(0.0f, 0.0));
    T top = C(0.0f, 0.0);
    int bad = 0;
    for (int i = 0; i < n; i++) {
        top = MAX(top, ABS(p[i]));
        bad |= p[i] != p[i];
    }
    *scale = FN(norm_scale)(top);
    for (int i = 0; i < n; i++)
        q = FN(square_add)(q, p[i] * *scale);
    *big = bad && top < INFINITE ? QUIET_NAN : top;
    return q;
}
__TERN_FN T FN(norm)(int n, const T *p)
{
    T s, big;
    DW q = FN(norm_sum)(n, p, &s, &big);
    T v = FN(dw_sqrt)(q) / s;
    return big < INFINITE ? v : big;
}
__TERN_FN T FN(rnorm)(int n, const T *p)
{
    T s, big;
    DW q = FN(norm_sum)(n, p, &s, &big);
    T v = FN(dw_rsqrt)(q) * s;
    v = big == C(0.0f, 0.0) ? INFINITE : v;
    v = big == INFINITE ? C(0.0f, 0.0) : v;
    return big != big ? big : v;
}

/* The error function and its relatives, and their inverses. */

__TERN_FN T FN(erf)(T x)
{
    T a = ABS(x), z = a * a, one = C(1.0f, 1.0);
    T b = a > C(4.0f, 6.0) ? C(4.0f, 6.0) : a;
    T big = one - FN(exp)(-P(erfc1)(b - one)), small = FMA(x, P(erf)(z), x);
    return a < one ? small : COPYSIGN(big, x);
}
/* erfcx(a) for a >= 0: P(t)/(1 + 2a), t = (a-4)/(a+4). */
__TERN_FN T FN(erfcx_k)(T a)
{
    T one = C(1.0f, 1.0), four = C(4.0f, 4.0), d = a + four, dl = a - (d - four);
    T t = (a - four) / d, res = FMA(-t, d, a - four) - t * dl;
    t = FMA(res, one / d, t);
    T p = P(erfcx)(t), n = FMA(C(2.0f, 2.0), a, one), nl = C(2.0f, 2.0) * a - (n - one);
    T q = p / n;
    return FMA(FMA(-q, nl, FMA(-q, n, p)), one / n, q);
}
/* erfc(a + al) 2^-k for a >= 1/2, k = 1 for normcdf; al a rounding error of a. */
__TERN_FN T FN(erfc_k)(T a, T al, T k)
{
    T b = a > C(10.2f, 27.4) ? C(10.2f, 27.4) : a;
    DW s = FN(two_mul)(b, b);
    s.l = FMA(C(2.0f, 2.0) * b, al, s.l);
    struct FN(exp_parts) e = FN(exp_dw)(-s.h, -s.l);
    T g = FN(erfcx_k)(b);
    return FN(scale)(FMA(e.h, g, e.l * g), e.n - k);
}
__TERN_FN T FN(erfc)(T x)
{
    T a = ABS(x), one = C(1.0f, 1.0), z = x * x, half = C(0.5f, 0.5);
    T tail = FN(erfc_k)(a, C(0.0f, 0.0), C(0.0f, 0.0));
    T mid = x > C(0.25f, 0.25) ? half + (half - FMA(x, P(erf)(z), x)) : one - FMA(x, P(erf)(z), x);
    T v = x < C(0.0f, 0.0) ? C(2.0f, 2.0) - tail : tail;
    v = a < half ? mid : v;
    return x != x ? x + x : v;
}
__TERN_FN T FN(erfcx)(T x)
{
    T a = ABS(x), two = C(2.0f, 2.0);
    T far = C(1.0f, 1.0) / a * K(1_sqrtpi, h), v = a > C(0x1p20f, 0x1p40) ? far : FN(erfcx_k)(a);
    T b = a > C(10.0f, 27.0) ? C(10.0f, 27.0) : a;
    DW s = FN(two_mul)(b, b);
    struct FN(exp_parts) e = FN(exp_dw)(s.h, s.l);
    T left = FN(scale)(e.h + (e.l - FN(scale)(C(0.5f, 0.5) * v, -e.n)), e.n + C(1.0f, 1.0));
    v = x < C(0.0f, 0.0) ? left : v;
    T mid = C(1.0f, 1.0) - FMA(x, P(erf)(x * x), x); /* near zero the exponent n is 0 */
    v = a < C(0.5f, 0.5) ? FMA(e.h, mid, e.l * mid) : v;
    v = x == INFINITE ? C(0.0f, 0.0) : v;
    return x != x ? x + x : (x == -INFINITE ? two * INFINITE : v);
}
/* erfc(-x / sqrt 2) / 2 */
__TERN_FN T FN(normcdf)(T x)
{
    T h = x * K(sqrt1_2, h), l = FMA(x, K(sqrt1_2, h), -h) + x * K(sqrt1_2, m);
    T a = ABS(h), al = h < C(0.0f, 0.0) ? -l : l, half = C(0.5f, 0.5), z = h * h;
    T tail = FN(erfc_k)(a, a < C(40.0f, 100.0) ? al : C(0.0f, 0.0), C(1.0f, 1.0));
    T mid = half + half * FMA(h, P(erf)(z), h);
    T v = x > C(0.0f, 0.0) ? C(1.0f, 1.0) - tail : tail;
    v = a < half ? mid : v;
    return x != x ? x + x : v;
}

/* erfinv(x)/x from w = -log(1 - x^2), w below about 36. */
__TERN_FN DW FN(erfinv_w)(T w)
{
    T s = SQRT(w), mid = FMA(w, P(erfinv0)(w - C(0.0f, 3.125)), K(sqrtpi_2, m));
    T far = P(erfinv1)(s - C(3.0f, 3.25)), end = P(erfinv2)(s - C(4.0f, 5.0));
    DW r;
    r.h = w < C(5.0f, 6.25) ? K(sqrtpi_2, h) : (w < C(16.0f, 16.0) ? far : end);
    r.l = w < C(5.0f, 6.25) ? mid : C(0.0f, 0.0);
    return r;
}
__TERN_FN T FN(erfinv)(T x)
{
    T a = ABS(x), one = C(1.0f, 1.0);
    DW z = FN(two_mul)(x, x);
    DW d = FN(two_sum)(C(1.0f, 1.0) - z.h, -z.l); /* exact for z >= 1/2 */
    T close = FN(log1p_k)(-z.h, -z.l), far = FN(log_k)(d.h, d.l, C(0.0f, 0.0));
    DW p = FN(erfinv_w)(-(z.h < C(0.5f, 0.5) ? close : far));
    T v = FMA(x, p.h, x * p.l);
    v = x == C(0.0f, 0.0) ? x : v;
    v = a == one ? COPYSIGN(INFINITE, x) : v;
    return a > one ? QUIET_NAN : v;
}
/* A tail y: Newton on x^2 - log erfcx(x) = -log y, whose slope is 2/(sqrt(pi) erfcx(x)). */
__TERN_FN T FN(erfcinv_tail)(T y)
{
    struct FN(log_parts) p = FN(log_split)(y);
    DW l = FN(log_sum)(p.e, p.f, C(0.0f, 0.0));
    T x = SQRT(-l.h - C(0.5f, 0.5) * FN(log_k)(-l.h * K(pi, h), C(0.0f, 0.0), C(0.0f, 0.0)));
    for (int i = 0; i < C(2, 3); i++) {
        T g = FN(erfcx_k)(x), lg = FN(log_k)(g, C(0.0f, 0.0), C(0.0f, 0.0));
        T r = (FMA(x, x, l.h) - lg) + (l.l);
        /* one term beyond Newton */
        T d = r * g * (C(1.0f, 1.0) / K(2_sqrtpi, h));
        x = x - d;
    }
    return x;
}
__TERN_FN T FN(erfcinv)(T y)
{
    T one = C(1.0f, 1.0), two = C(2.0f, 2.0), x = one - y, v;
    int tail = y < C(0.0625f, 0.0625);
    /* 1 - x^2 = y (2 - y), x is exact for y >= 1/2 */
    T b = y > one ? two - y : y;
    DW d = FN(fast_sum)(two, -b), q = FN(two_mul)(b, d.h);
    DW z = FN(two_mul)(x, x);
    T direct = FN(log_k)(q.h, FMA(b, d.l, q.l), C(0.0f, 0.0)), close = FN(log1p_k)(-z.h, -z.l);
    DW p = FN(erfinv_w)(-(b < C(0.5f, 0.5) ? direct : close));
    v = FMA(x, p.h, FMA((one - x) - y, p.h, x * p.l)); /* x and what it lost */
    if (tail)
        v = FN(erfcinv_tail)(y > C(0.0f, 0.0) ? y : C(0.01f, 0.01));
    v = y == C(0.0f, 0.0) ? INFINITE : v;
    v = y == two ? -INFINITE : v;
    return y < C(0.0f, 0.0) || y > two ? QUIET_NAN : (y != y ? y : v);
}
__TERN_FN T FN(normcdfinv)(T p)
{
    /* 2p loses nothing; where it would underflow, erfcinv's tail takes it as it is */
    T e = FN(erfcinv)(C(2.0f, 2.0) * p);
    T v = FMA(-e, K(sqrt2, h), -e * K(sqrt2, m));
    v = e == C(0.0f, 0.0) ? e : v;
    return p == C(0.0f, 0.0) ? -INFINITE : (p == C(1.0f, 1.0) ? INFINITE : v);
}

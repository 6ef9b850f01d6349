/* What the functions share: sums and products with their rounding errors, powers of two, small
 * integers, the exponential and the logarithm with a few extra bits. */

DW {
    T h, l;
};

/* a + b = h + l exactly, given |a| >= |b| or a == 0. */
__TERN_FN DW FN(fast_sum)(T a, T b)
{
    DW r;
    r.h = a + b;
    r.l = b - (r.h - a);
    return r;
}
__TERN_FN DW FN(two_sum)(T a, T b)
{
    DW r;
    T t;
    r.h = a + b;
    t = r.h - a;
    r.l = (a - (r.h - t)) + (b - t);
    return r;
}
__TERN_FN DW FN(two_mul)(T a, T b)
{
    DW r;
    r.h = a * b;
    r.l = FMA(a, b, -r.h);
    return r;
}
__TERN_FN DW FN(dw)(T h, T l)
{
    DW r;
    r.h = h;
    r.l = l;
    return r;
}
__TERN_FN DW FN(dw_add)(DW a, DW b)
{
    DW s = FN(two_sum)(a.h, b.h);
    return FN(fast_sum)(s.h, s.l + (a.l + b.l));
}
__TERN_FN DW FN(dw_mul)(DW a, DW b)
{
    DW p = FN(two_mul)(a.h, b.h);
    return FN(fast_sum)(p.h, FMA(a.h, b.l, FMA(a.l, b.h, p.l)));
}
/* Square root and reciprocal square root of h + l > 0, within a hair of half an ulp. */
__TERN_FN T FN(dw_sqrt)(DW a)
{
    T s = SQRT(a.h), t = FMA(-s, s, a.h) + a.l;
    return a.h == C(0.0f, 0.0) ? s : s + C(0.5f, 0.5) * t / s;
}
__TERN_FN T FN(dw_rsqrt)(DW a)
{
    T r = C(1.0f, 1.0) / SQRT(a.h), t = a.h * r, tl = FMA(a.h, r, -t), e;
    e = FMA(-t, r, C(1.0f, 1.0)) - FMA(tl, r, a.l * r * r);
    return FMA(C(0.5f, 0.5) * r, e, r);
}

__TERN_FN int FN(nan_p)(T x)
{
    return x != x;
}
/* A small integer as a float, without a conversion that some vector units lack. */
__TERN_FN T FN(small)(I n)
{
    T magic = C(0x1.8p23f, 0x1.8p52);
    return FROM(BITS(magic) + (U)n) - magic;
}
/* 2^n for an integral n of the exponent's range; below it 0, at the top infinity. */
__TERN_FN T FN(pow2)(T n)
{
    return FROM(BITS(n + C(0x1.8p23f + 127.0f, 0x1.8p52 + 1023.0)) << MANT);
}
/* v * 2^n, |n| up to twice the exponent's range, v near 1; rounds once. */
__TERN_FN T FN(scale)(T v, T n)
{
    /* n + 2 BIAS in the low bits; halves of it are two exponents */
    U b = BITS(n + C(0x1.8p23f + 254.0f, 0x1.8p52 + 2046.0)), half = b >> 1;
    return v * FROM(half << MANT) * FROM((b - half) << MANT);
}

/* e^(x + xl) = (h + l) 2^n for a moderate x, with about four bits to spare. */
struct FN(exp_parts) {
    T h, l, n;
};
__TERN_FN struct FN(exp_parts) FN(exp_dw)(T x, T xl)
{
    struct FN(exp_parts) e;
    T n = RINT(x * K(log2e, h));
    T r1 = FMA(n, -K(ln2, h), x), r = FMA(n, -K(ln2, m), r1);
    T rl = FMA(n, -K(ln2, m), r1 - r) + xl;
    DW a = FN(two_sum)(r, rl); /* xl may be many ulps of r */
    T w = FMA(a.h * a.h, P(exp)(a.h), FMA(a.l, a.h, a.l));
    DW q = FN(fast_sum)(a.h, w), s = FN(fast_sum)(C(1.0f, 1.0), q.h);
    e.h = s.h;
    e.l = s.l + q.l;
    e.n = n;
    return e;
}
/* The argument of an exponential, kept where the result is neither 0 nor infinite for sure. */
__TERN_FN T FN(clamp)(T x, T lo, T hi)
{
    T y = x > hi ? hi : x; /* NaN passes */
    return y < lo ? lo : y;
}

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)), f = m - 1; x positive and finite. */
struct FN(log_parts) {
    T e, f;
};
__TERN_FN struct FN(log_parts) FN(log_split)(T x)
{
    struct FN(log_parts) s;
    int tiny = x < C(0x1p-126f, 0x1p-1022);
    T y = tiny ? x * C(0x1p24f, 0x1p54) : x;
    U k = BITS(y) - C(0x3f3504f3u, 0x3fe6a09e667f3bcdull);
    I e = (I)k >> MANT;
    s.f = FROM(BITS(y) - ((U)e << MANT)) - C(1.0f, 1.0);
    s.e = FN(small)(e) - (tiny ? C(24.0f, 54.0) : C(0.0f, 0.0));
    return s;
}
/* log(1 + f) on the range of log_split. */
__TERN_FN DW FN(log_near)(T f)
{
    DW z = FN(two_mul)(f, f), s = FN(fast_sum)(f, C(-0.5f, -0.5) * z.h);
    s.l += FMA(z.h * f, P(log)(f), C(-0.5f, -0.5) * z.l);
    return s;
}
/* e ln 2 + log(1 + f) + c, c small. */
__TERN_FN DW FN(log_sum)(T e, T f, T c)
{
    DW s = FN(fast_sum)(e * K(ln2_short, h), f);
    s.l += FMA(e, K(ln2_short, m), FMA(f * f, FMA(f, P(log)(f), C(-0.5f, -0.5)), c));
    return s;
}
/* log(x + xl) for a positive finite x, and log(x + xl) + k ln 2. */
__TERN_FN T FN(log_k)(T x, T xl, T k)
{
    struct FN(log_parts) s = FN(log_split)(x);
    DW r = FN(log_sum)(s.e + k, s.f, xl / x);
    return r.h + r.l;
}
/* log(1 + x + xl) for -1 < x, finite. */
__TERN_FN T FN(log1p_k)(T x, T xl)
{
    T u = C(1.0f, 1.0) + x;
    U k = BITS(u) - C(0x3f3504f3u, 0x3fe6a09e667f3bcdull);
    I e = (I)k >> MANT;
    int huge = x > C(0x1p60f, 0x1p200);
    /* f = (1 + x) 2^-e - 1 = x s + (s - 1), s = 2^-e, with what the sum loses */
    T s = FROM(C(0x3f800000u, 0x3ff0000000000000ull) - ((U)e << MANT));
    T a = huge ? C(-1.0f, -1.0) : s - C(1.0f, 1.0);
    T xs = huge ? FROM(BITS(u) - ((U)e << MANT)) : x * s;
    DW f = FN(two_sum)(xs, a);
    T fl = f.l + (huge ? C(0.0f, 0.0) : xl * s);
    DW r = FN(log_sum)(FN(small)(e), f.h, FMA(-f.h, fl, fl));
    return r.h + r.l;
}

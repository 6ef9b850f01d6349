/* The gamma function and its logarithm. */

/* (x - 1/2) log2 x - x log2 e + log2 sqrt(2 pi) + tail, for x >= 8: log2 of gamma(x). */
__TERN_FN DW FN(stirling2)(T x)
{
    T v = C(1.0f, 1.0) / x, y = x - C(0.5f, 0.5);
    DW l = FN(log2_dw)(x), p = FN(two_mul)(y, l.h), q = FN(two_mul)(x, K(log2e, h)), s;
    T low = FMA(y, l.l, p.l) - FMA(x, K(log2e, m), q.l);
    s = FN(two_sum)(p.h, -q.h);
    low += s.l + FMA(P(stirling)(v * v) * v, K(log2e, h), K(log2_sqrt2pi, m));
    DW t = FN(two_sum)(s.h, K(log2_sqrt2pi, h));
    return FN(fast_sum)(t.h, t.l + low);
}
__TERN_FN T FN(tgamma)(T x)
{
    T a = ABS(x), one = C(1.0f, 1.0), half = C(0.5f, 0.5);
    /* x or -x below 8 comes to f in [-1/2, 1/2] by steps of one: gamma(a) = prod gamma(2 + f) / div */
    T b = a < half ? x : a; /* near zero, no reflection */
    T k = RINT(b - C(2.0f, 2.0)), f = b - C(2.0f, 2.0) - k, prod = one, div = one;
    f = b < C(1.5f, 1.5) ? b - one : f;
    f = b < half ? b : f;
    div = b < C(1.5f, 1.5) ? b : div;
    div = b < half ? FMA(b, b, b) : div;
    for (int i = 1; i < 7; i++)
        prod = (T)i <= k ? prod * (b - (T)i) : prod;
    T inner = prod / (div * FMA(f, P(rgamma)(f), one));
    /* reflection: gamma(-a) = -pi / (a sin(pi a) gamma(a)) */
    T s = FN(sinpi)(a), reflect = -K(pi, h) / (a * s);
    T v = x <= C(-0.5f, -0.5) ? reflect / inner : inner;
    if (!(a < C(8.0f, 8.0))) {
        T c = a > C(50.0f, 200.0) ? C(50.0f, 200.0) : a;
        DW g = FN(stirling2)(c);
        v = x > C(0.0f, 0.0) ? FN(exp2_dw)(one, g.h, g.l) : FN(exp2_dw)(-K(pi, h) / (c * s), -g.h, -g.l);
        v = x < C(0.0f, 0.0) && a > C(50.0f, 200.0) ? COPYSIGN(C(0.0f, 0.0), -s) : v;
    }
    v = x < C(0.0f, 0.0) && TRUNC(x) == x ? QUIET_NAN : v;
    v = x == C(0.0f, 0.0) ? COPYSIGN(INFINITE, x) : v;
    v = x == INFINITE ? x : v;
    return x != x ? x + x : v;
}
/* log gamma(a), a > 0 */
__TERN_FN T FN(lgamma_k)(T a)
{
    T one = C(1.0f, 1.0), two = C(2.0f, 2.0), zero = C(0.0f, 0.0);
    T k = RINT(a - two), f = a - two - k, prod = one, low = zero;
    int below = a < C(1.25f, 1.25), up = a >= C(2.75f, 2.75);
    /* lgamma(a) = f B(f) + log(prod) - log(div), 2 + f = a + (0, 1 or 2) - steps down */
    f = up ? f : a - two;
    f = below ? a - one : f;
    f = a < C(0.5f, 0.5) ? a : f;
    for (int i = 1; i < 7; i++)
        prod = up && (T)i <= k ? prod * (a - (T)i) : prod;
    T lg = up ? FN(log_k)(prod, zero, zero) : zero;
    T lb = a < C(0.5f, 0.5) ? FN(log_k)(a, zero, zero) + FN(log1p_k)(a, zero) : FN(log1p_k)(f, zero);
    low = below ? -lb : lg;
    T v = FMA(f, P(lgamma)(f), low);
    if (!(a < C(8.0f, 8.0))) {
        T r = one / a, l;
        l = FN(log_k)(a < INFINITE ? a : one, zero, zero) - one;
        v = FMA(a - C(0.5f, 0.5), l, (K(half_ln2pi, h) - C(0.5f, 0.5)) + P(stirling)(r * r) * r);
        v = a < INFINITE ? v : INFINITE;
    }
    return v;
}
__TERN_FN T FN(lgamma)(T x)
{
    T a = ABS(x), v = FN(lgamma_k)(a);
    if (x < C(0.0f, 0.0)) { /* log(pi / |x sin pi x|) - lgamma(|x|) */
        T s = ABS(FN(sinpi)(a)), t = a * s;
        T w = a < C(0x1p-24f, 0x1p-53) ? -FN(log_k)(a, C(0.0f, 0.0), C(0.0f, 0.0))
                                       : FN(log_k)(K(pi, h) / t, C(0.0f, 0.0), C(0.0f, 0.0)) - v;
        v = s == C(0.0f, 0.0) || !(a < INFINITE) ? INFINITE : w;
    }
    v = x == C(0.0f, 0.0) ? INFINITE : v;
    return x != x ? x + x : v;
}

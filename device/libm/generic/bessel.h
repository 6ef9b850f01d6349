/* Bessel functions: of the first and second kind, orders 0, 1 and n, and I0, I1.
 *
 * Below 8, J and Y are polynomials about their zeros, so that the relative error stays small
 * there; from 8 on, Hankel's expansion with the modulus in 1/x^2 and the circular functions. */

struct FN(hankel) {
    T plus, minus, root; /* sin + cos, sin - cos, 1/sqrt(pi x) */
    T v;                 /* 1/x^2 */
    T u;                 /* 1/x */
};
__TERN_FN struct FN(hankel) FN(hankel_parts)(T x)
{
    struct FN(hankel) h;
    T s, c, r = C(1.0f, 1.0) / x;
    FN(sincos)(x < INFINITE ? x : C(8.0f, 8.0), &s, &c);
    h.plus = s + c;
    h.minus = s - c;
    h.root = x < INFINITE ? SQRT(r) * K(1_sqrtpi, h) : C(0.0f, 0.0);
    h.u = r;
    h.v = r * r;
    return h;
}
__TERN_FN T FN(zero_at)(T x, T zh, T zm)
{
    return (x - zh) - zm;
}
__TERN_FN T FN(j0)(T x)
{
    T a = ABS(x), d = FN(zero_at)(a, K(j01, h), K(j01, m)), z = a * a, v = d * P(j0b)(d);
    v = a < C(1.5f, 1.5) ? FMA(z, P(j0a)(z), C(1.0f, 1.0)) : v;
    if (a >= C(4.0f, 4.0)) {
        d = FN(zero_at)(a, K(j02, h), K(j02, m));
        v = d * P(j0c)(d);
        d = FN(zero_at)(a, K(j03, h), K(j03, m));
        v = a < C(7.0f, 7.0) ? v : d * P(j0d)(d);
    }
    if (a >= C(8.0f, 8.0)) {
        struct FN(hankel) h = FN(hankel_parts)(a);
        v = h.root * FMA(P(hp0)(h.v), h.plus, -(P(hq0)(h.v) * h.u) * h.minus);
    }
    return x != x ? x + x : v;
}
__TERN_FN T FN(j1)(T x)
{
    T a = ABS(x), d = FN(zero_at)(a, K(j11, h), K(j11, m)), z = a * a, v = d * P(j1b)(d);
    v = a < C(2.4f, 2.4) ? a * FMA(z, P(j1a)(z), C(0.5f, 0.5)) : v;
    if (a >= C(5.4f, 5.4)) {
        d = FN(zero_at)(a, K(j12, h), K(j12, m));
        v = d * P(j1c)(d);
    }
    if (a >= C(8.0f, 8.0)) {
        struct FN(hankel) h = FN(hankel_parts)(a);
        v = h.root * FMA(P(hp1)(h.v), h.minus, P(hq1)(h.v) * h.u * h.plus);
    }
    v = (BITS(x) >> (WORD - 1)) != 0 ? -v : v;
    return x != x ? x + x : v;
}
/* The value of Y at 0, below and for NaN. */
__TERN_FN T FN(y_ends)(T x, T v)
{
    v = x == C(0.0f, 0.0) ? -INFINITE : v;
    v = x == INFINITE ? C(0.0f, 0.0) : v;
    v = x < C(0.0f, 0.0) ? QUIET_NAN : v;
    return x != x ? x + x : v;
}
__TERN_FN T FN(y0)(T x)
{
    T a = x > C(0.0f, 0.0) ? x : C(1.0f, 1.0), z = a * a, v;
    /* (2/pi) log(x / y01) J0(x) + (x^2 - y01^2) V(x^2) */
    T d = FN(zero_at)(a, K(y01, h), K(y01, m));
    T ratio = d * K(1_y01, h), near = FN(log1p_k)(ratio, C(0.0f, 0.0));
    T lg = ABS(ratio) < C(0.5f, 0.5) ? near : FN(log_k)(a, C(0.0f, 0.0), C(0.0f, 0.0)) - K(ln_y01, h);
    T j = FMA(z, P(j0a)(z), C(1.0f, 1.0));
    v = FMA(K(2_pi, h) * lg, j, d * (a + K(y01, h)) * P(y0a)(z));
    if (a >= C(2.4f, 2.4)) {
        d = FN(zero_at)(a, K(y02, h), K(y02, m));
        v = d * P(y0b)(d);
        d = FN(zero_at)(a, K(y03, h), K(y03, m));
        v = a < C(5.5f, 5.5) ? v : d * P(y0c)(d);
    }
    if (a >= C(8.0f, 8.0)) {
        struct FN(hankel) h = FN(hankel_parts)(a);
        v = h.root * FMA(P(hp0)(h.v), h.minus, P(hq0)(h.v) * h.u * h.plus);
    }
    return FN(y_ends)(x, v);
}
__TERN_FN T FN(y1)(T x)
{
    T a = x > C(0.0f, 0.0) ? x : C(1.0f, 1.0), z = a * a, v;
    T j = a * FMA(z, P(j1a)(z), C(0.5f, 0.5));
    v = FMA(K(2_pi, h), FN(log_k)(a, C(0.0f, 0.0), C(0.0f, 0.0)) * j, a * P(y1a)(z)) - K(2_pi, h) / a;
    if (a >= C(1.3f, 1.3)) {
        T d = FN(zero_at)(a, K(y11, h), K(y11, m));
        v = d * P(y1b)(d);
        d = FN(zero_at)(a, K(y12, h), K(y12, m));
        v = a < C(3.8f, 3.8) ? v : d * P(y1c)(d);
    }
    if (a >= C(8.0f, 8.0)) {
        struct FN(hankel) h = FN(hankel_parts)(a);
        v = h.root * FMA(-P(hp1)(h.v), h.plus, P(hq1)(h.v) * h.u * h.minus);
    }
    return FN(y_ends)(x, v);
}
/* Orders up to n: upward where that is stable, else downward from far above (Miller), scaled. */
__TERN_FN T FN(jn)(int n, T x)
{
    T a = ABS(x), v, two = C(2.0f, 2.0);
    if (n < 0)
        return QUIET_NAN;
    if (n < 2)
        return n == 0 ? FN(j0)(x) : FN(j1)(x);
    if (a > (T)n) {
        T lo = FN(j0)(a), hi = FN(j1)(a), step = a < INFINITE ? two / a : C(0.0f, 0.0);
        for (int i = 1; i < n; i++) {
            T next = FMA((T)i * step, hi, -lo);
            lo = hi;
            hi = next;
        }
        v = hi;
    } else {
        T hi = C(0.0f, 0.0), cur = C(0x1p-60f, 0x1p-400), sum = C(0.0f, 0.0), want = C(0.0f, 0.0);
        T step = two / (a > C(0x1p-60f, 0x1p-400) ? a : C(1.0f, 1.0));
        int top = 2 * ((n + TO_I32(SQRT(C(60.0f, 200.0) * (T)n)) + C(8, 24)) / 2);
        for (int i = top; i > 0; i--) {
            T lower = FMA((T)i * step, cur, -hi);
            hi = cur;
            cur = lower;
            int big = ABS(cur) > C(0x1p60f, 0x1p400);
            T shrink = big ? C(0x1p-60f, 0x1p-400) : C(1.0f, 1.0);
            cur *= shrink;
            hi *= shrink;
            sum *= shrink;
            want *= shrink;
            want = i - 1 == n ? cur : want;
            sum += (i & 1) != 0 && i > 1 ? two * cur : C(0.0f, 0.0);
        }
        v = want / (sum + cur); /* J0 + 2 (J2 + J4 + ...) = 1 */
        v = a > C(0x1p-60f, 0x1p-400) ? v : C(0.0f, 0.0);
    }
    v = (BITS(x) >> (WORD - 1)) != 0 && (n & 1) != 0 ? -v : v;
    return x != x ? x + x : v;
}
__TERN_FN T FN(yn)(int n, T x)
{
    if (n < 0)
        return QUIET_NAN;
    T lo = FN(y0)(x), hi = FN(y1)(x), step = C(2.0f, 2.0) / x;
    step = x < INFINITE ? step : C(0.0f, 0.0);
    for (int i = 1; i < n; i++) {
        T next = FMA((T)i * step, hi, -lo);
        next = hi > -INFINITE ? next : hi; /* once down, it stays there */
        lo = hi;
        hi = next;
    }
    return n == 0 ? lo : FN(y_ends)(x, hi);
}
__TERN_FN T FN(bessel_i)(T a, T below, T beyond)
{
    T b = a > C(100.0f, 720.0) ? C(100.0f, 720.0) : a;
    struct FN(exp_parts) e = FN(exp_dw)(b, C(0.0f, 0.0));
    T g = beyond / SQRT(b), big = FN(scale)(FMA(e.h, g, e.l * g), e.n);
    return a < C(8.0f, 8.0) ? below : big;
}
__TERN_FN T FN(cyl_bessel_i0)(T x)
{
    T a = ABS(x), z = a * a, v = FN(bessel_i)(a, P(i0a)(z), P(i0b)(C(1.0f, 1.0) / a));
    return a < INFINITE ? v : a;
}
__TERN_FN T FN(cyl_bessel_i1)(T x)
{
    T a = ABS(x), z = a * a, v = FN(bessel_i)(a, a * P(i1a)(z), P(i1b)(C(1.0f, 1.0) / a));
    return COPYSIGN(a < INFINITE ? v : a, x);
}

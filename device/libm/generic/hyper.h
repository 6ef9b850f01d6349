/* Hyperbolic functions and their inverses. */

/* e^a / 4 as h + l for a >= 0: a quarter, so that neither it nor its use overflows early. */
__TERN_FN DW FN(quarter_exp)(T a)
{
    struct FN(exp_parts) e = FN(exp_dw)(a > C(90.0f, 711.0) ? C(90.0f, 711.0) : a, C(0.0f, 0.0));
    T s = FN(pow2)(e.n - C(2.0f, 2.0));
    return FN(dw)(e.h * s, e.l * s);
}
__TERN_FN T FN(sinh)(T x)
{
    T a = ABS(x), z = a * a;
    DW e = FN(quarter_exp)(a);
    T inv = C(0.0625f, 0.0625) / e.h;
    DW d = FN(fast_sum)(e.h, -inv);
    T big = C(2.0f, 2.0) * (d.h + (d.l + e.l)), small = FMA(a * z, P(sinh)(z), a);
    big = e.h < INFINITE ? big : e.h;
    return COPYSIGN(a < C(1.0f, 1.0) ? small : big, x);
}
__TERN_FN T FN(cosh)(T x)
{
    DW e = FN(quarter_exp)(ABS(x));
    T inv = C(0.0625f, 0.0625) / e.h;
    DW d = FN(fast_sum)(e.h, inv);
    T v = C(2.0f, 2.0) * (d.h + (d.l + e.l));
    return e.h < INFINITE ? v : e.h;
}
__TERN_FN T FN(tanh)(T x)
{
    T a = ABS(x), z = a * a, one = C(1.0f, 1.0), two = C(2.0f, 2.0);
    T b = a > C(10.0f, 20.0) ? C(10.0f, 20.0) : a;
    struct FN(exp_parts) e = FN(exp_dw)(two * b, C(0.0f, 0.0));
    T s = FN(pow2)(e.n);
    DW d = FN(fast_sum)(e.h * s, one);
    T t = two / d.h, c = C(0.5f, 0.5) * t * t * FMA(e.l, s, d.l);
    T r = FMA(-t, d.h, two) * C(0.5f, 0.5) * t; /* what the division lost */
    T big = one - (t - (c - r)), small = FMA(a * z, P(tanh)(z), a);
    return COPYSIGN(a < C(0.55f, 0.55) ? small : big, x);
}
__TERN_FN T FN(asinh)(T x)
{
    T a = ABS(x), z = a * a, one = C(1.0f, 1.0);
    int huge = a > C(0x1p60f, 0x1p500), small = a < C(0.5f, 0.5);
    T b = huge ? one : a;
    DW q = FN(two_mul)(b, b), v = FN(two_sum)(q.h, one);
    T s = SQRT(v.h), sl = (FMA(-s, s, v.h) + (v.l + q.l)) * C(0.5f, 0.5) / s;
    DW h = FN(two_sum)(s, b);
    T big = FN(log_k)(huge ? a : h.h, huge ? C(0.0f, 0.0) : h.l + sl, huge ? one : C(0.0f, 0.0));
    big = a < INFINITE ? big : a;
    return COPYSIGN(small ? FMA(a * z, P(asinh)(z), a) : big, x);
}
/* log1p(u), u = t + sqrt(t (2 + t)), t = x - 1 */
__TERN_FN T FN(acosh)(T x)
{
    T one = C(1.0f, 1.0), zero = C(0.0f, 0.0), t = x - one;
    int huge = x > C(0x1p60f, 0x1p500);
    T b = huge ? one : t;
    DW q = FN(two_mul)(b, b), v = FN(two_sum)(q.h, C(2.0f, 2.0) * b);
    T s = SQRT(v.h), sl = s > zero ? (FMA(-s, s, v.h) + (v.l + q.l)) * C(0.5f, 0.5) / s : zero;
    DW u = FN(two_sum)(s, b);
    T near = FN(log1p_k)(u.h, u.l + sl);
    T far = FN(log_k)(huge ? x : one, zero, one);
    T r = huge ? far : near;
    r = x < INFINITE ? r : x;
    return x < one ? QUIET_NAN : r;
}
/* log1p(u)/2, u = 2a/(1-a); 1/(1-a) = 1 + u/2 gives the division's error without another */
__TERN_FN T FN(atanh)(T x)
{
    T a = ABS(x), one = C(1.0f, 1.0);
    DW d = FN(fast_sum)(one, -a);
    T u = C(2.0f, 2.0) * a / d.h, res = FMA(-u, d.l, FMA(-u, d.h, C(2.0f, 2.0) * a));
    T v = C(0.5f, 0.5) * FN(log1p_k)(u, res * FMA(C(0.5f, 0.5), u, one));
    v = a == one ? INFINITE : v;
    v = a > one ? QUIET_NAN : v;
    return a < C(0x1p-13f, 0x1p-28) ? FMA(x * C(0x1.555556p-2f, 0x1.5555555555555p-2), x * x, x) : COPYSIGN(v, x);
}

/* Circular functions and their inverses. */

struct FN(angle) {
    T r, l; /* x = q pi/2 + r + l, |r| <= pi/4 and a little */
    I q;    /* modulo 4 */
};

/* Any finite x: multiply by as many bits of 2/pi as matter, in integers. The integer words hold
 * x 2/pi modulo 4 with the quadrant in the top two bits. */
__TERN_FN struct FN(angle) FN(reduce_large)(T x)
{
    struct FN(angle) a;
    U ix = BITS(x) & MAGNITUDE, m = (ix & (((U)1 << MANT) - 1)) | (U)1 << MANT;
    int sh = (int)(ix >> MANT) - BIAS - MANT + WORD - 2; /* x = m 2^(sh - WORD + 2) */
    sh = sh < 0 ? 0 : sh;
    int word = C(sh >> 5, sh >> 6), bit = sh & (WORD - 1);
    U w[4], p0, p1, p2, c, f0, f1, neg;
    for (int i = 0; i < 4; i++)
        w[i] = TWO_OVER_PI[word + i > C(7, 19) ? C(7, 19) : word + i];
    for (int i = 0; i < 3; i++)
        w[i] = SHL(w[i], bit) | SHR(w[i + 1], WORD - bit);
    p2 = m * w[2];
    c = UMULHI(m, w[2]);
    p1 = m * w[1] + c;
    c = UMULHI(m, w[1]) + (p1 < c ? 1u : 0u);
    p0 = m * w[0] + c;
    /* fraction of a quadrant, signed, in f0:f1; the quadrant is rounded to the nearest */
    f0 = p0 << 2 | p1 >> (WORD - 2);
    f1 = p1 << 2 | p2 >> (WORD - 2);
    a.q = (I)((p0 >> (WORD - 2)) + (f0 >> (WORD - 1)));
    neg = f0 >> (WORD - 1);
    f0 = neg != 0 ? ~f0 : f0;
    f1 = neg != 0 ? ~f1 : f1;
    /* normalise, take two floats' worth of bits, times pi/2 */
    int lz = CLZ(f0);
    f0 = SHL(f0, lz) | (lz != 0 ? SHR(f1, WORD - lz) : 0);
    f1 = SHL(f1, lz);
    T unit = FN(pow2)(-(T)(lz + 1)); /* weight of the top bit */
    T h = (T)(f0 >> (WORD - MANT - 1)) * C(0x1p-23f, 0x1p-52) * unit;
    U rest = f0 << (MANT + 1) | f1 >> (WORD - MANT - 1);
    T l = (T)(rest >> (WORD - MANT - 1)) * C(0x1p-47f, 0x1p-105) * unit;
    DW r = FN(two_mul)(h, K(pi_2, h));
    r = FN(fast_sum)(r.h, r.l + FMA(h, K(pi_2, m), l * K(pi_2, h)));
    int flip = (neg != 0) != ((BITS(x) >> (WORD - 1)) != 0);
    a.r = flip ? -r.h : r.h;
    a.l = flip ? -r.l : r.l;
    a.q = (BITS(x) >> (WORD - 1)) != 0 ? -a.q : a.q;
    return a;
}
__TERN_FN struct FN(angle) FN(reduce)(T x)
{
    struct FN(angle) a;
    T n = RINT(x * K(2_pi, h));
    /* n a is exact against x, n b is exact: r + l below is x - n (a + b) without error */
    T r1 = FMA(n, -K(pio2, a), x), r = FMA(n, -K(pio2, b), r1);
    a.r = r;
    a.l = FMA(n, -K(pio2, d), FMA(n, -K(pio2, c), FMA(n, -K(pio2, b), r1 - r)));
    a.q = (I)BITS(n + C(0x1.8p23f, 0x1.8p52)); /* the low bits are n's */
    if (!(ABS(x) < C(0x1p13f, 0x1p22))) {
        a = FN(reduce_large)(x);
        a.r = ABS(x) < INFINITE ? a.r : QUIET_NAN;
    }
    return a;
}
__TERN_FN T FN(sin_k)(T r, T l)
{
    T z = r * r;
    return r + FMA(r * z, P(sin)(z), l);
}
__TERN_FN T FN(cos_k)(T r, T l)
{
    T z = r * r, h = C(0.5f, 0.5) * z, w = C(1.0f, 1.0) - h;
    /* 1 - z/2 exactly as w + (1 - w - h) */
    return w + (((C(1.0f, 1.0) - w) - h) + FMA(z * z, P(cos)(z), -r * l));
}
__TERN_FN T FN(sin)(T x)
{
    struct FN(angle) a = FN(reduce)(x);
    T s = FN(sin_k)(a.r, a.l), c = FN(cos_k)(a.r, a.l), v = (a.q & 1) != 0 ? c : s;
    v = (a.q & 2) != 0 ? -v : v;
    return ABS(x) < C(0x1p-12f, 0x1p-27) && x == a.r && s == x ? x : v;
}
__TERN_FN T FN(cos)(T x)
{
    struct FN(angle) a = FN(reduce)(x);
    T s = FN(sin_k)(a.r, a.l), c = FN(cos_k)(a.r, a.l), v = (a.q & 1) != 0 ? s : c;
    return ((a.q + 1) & 2) != 0 ? -v : v;
}
__TERN_FN void FN(sincos)(T x, T *sp, T *cp)
{
    struct FN(angle) a = FN(reduce)(x);
    T s = FN(sin_k)(a.r, a.l), c = FN(cos_k)(a.r, a.l);
    T vs = (a.q & 1) != 0 ? c : s, vc = (a.q & 1) != 0 ? s : c;
    vs = (a.q & 2) != 0 ? -vs : vs;
    *sp = x == C(0.0f, 0.0) ? x : vs;
    *cp = ((a.q + 1) & 2) != 0 ? -vc : vc;
}
__TERN_FN T FN(tan)(T x)
{
    struct FN(angle) a = FN(reduce)(x);
    T z = a.r * a.r, w = FMA(a.r * z, P(tan)(z), FMA(a.l, z, a.l));
    DW t = FN(fast_sum)(a.r, w);
    T i = C(-1.0f, -1.0) / t.h, e = FMA(t.l, i, FMA(t.h, i, C(1.0f, 1.0)));
    T v = (a.q & 1) != 0 ? FMA(e, i, i) : t.h;
    return x == C(0.0f, 0.0) ? x : v;
}

/* sin and cos of pi x: the reduction is exact. */
struct FN(half_turns) {
    T s, c, r;
    I q;
};
__TERN_FN struct FN(half_turns) FN(turn)(T x)
{
    struct FN(half_turns) t;
    T y = FMA(C(-2.0f, -2.0), RINT(x * C(0.5f, 0.5)), x);
    T n = RINT(C(2.0f, 2.0) * y), r = FMA(n, C(-0.5f, -0.5), y), z = r * r;
    t.q = (I)BITS(n + C(0x1.8p23f, 0x1.8p52));
    t.s = FMA(r, K(pi, h), r * FMA(z, P(sinpi)(z), K(pi, m)));
    t.c = FMA(z, P(cospi)(z), C(1.0f, 1.0));
    t.r = r;
    return t;
}
__TERN_FN void FN(sincospi)(T x, T *sp, T *cp)
{
    struct FN(half_turns) t = FN(turn)(x);
    T s = (t.q & 1) != 0 ? t.c : t.s, c = (t.q & 1) != 0 ? t.s : t.c;
    s = (t.q & 2) != 0 ? -s : s;
    c = ((t.q + 1) & 2) != 0 ? -c : c;
    *sp = s == C(0.0f, 0.0) ? COPYSIGN(C(0.0f, 0.0), x) : s;
    *cp = c == C(0.0f, 0.0) ? C(0.0f, 0.0) : c;
}
__TERN_FN T FN(sinpi)(T x)
{
    T s, c;
    FN(sincospi)(x, &s, &c);
    return s;
}
__TERN_FN T FN(cospi)(T x)
{
    T s, c;
    FN(sincospi)(x, &s, &c);
    return c;
}

/* Inverses. asin(s) = s + s z A(z), z = s^2 <= 1/4; beyond, s = sqrt((1-x)/2). */
__TERN_FN T FN(asin)(T x)
{
    T a = ABS(x), half = C(0.5f, 0.5);
    int big = a > half;
    T z = big ? half * (C(1.0f, 1.0) - a) : a * a, s = big ? SQRT(z) : a, p = s * z * P(asin)(z);
    /* what the root's rounding lost matters: s + sl squared is z */
    T sl = z > C(0.0f, 0.0) ? FMA(-s, s, z) * half / s : C(0.0f, 0.0);
    DW h = FN(fast_sum)(K(pi_2, h), C(-2.0f, -2.0) * s);
    T v = h.h + (h.l + (K(pi_2, m) - C(2.0f, 2.0) * (p + sl)));
    return COPYSIGN(big ? v : s + p, x);
}
__TERN_FN T FN(acos)(T x)
{
    T a = ABS(x), half = C(0.5f, 0.5);
    int big = a > half;
    T z = big ? half * (C(1.0f, 1.0) - a) : a * a, s = big ? SQRT(z) : x, p = s * z * P(asin)(z);
    T sl = z > C(0.0f, 0.0) ? FMA(-s, s, z) * half / s : C(0.0f, 0.0);
    T near = C(2.0f, 2.0) * (s + (p + sl));
    T far = K(pi, h) - C(2.0f, 2.0) * s;
    far = far + (((K(pi, h) - far) - C(2.0f, 2.0) * s) + (K(pi, m) - C(2.0f, 2.0) * (p + sl)));
    T mid = K(pi_2, h) - s;
    mid = mid + (((K(pi_2, h) - mid) - s) + (K(pi_2, m) - p));
    return big ? (x > C(0.0f, 0.0) ? near : far) : mid;
}
/* base + sign * atan(num/den), 0 <= num <= den; inv is about 1/den */
__TERN_FN T FN(atan_k)(T num, T den, T inv, T base, T base_l, T sign)
{
    T t = num / den, z = t * t, res = FMA(-t, den, num) * inv;
    /* the division's remainder, times the slope 1/(1+z), roughly 1 - z/2 */
    T p = FMA(t * z, P(atan)(z), FMA(C(-0.5f, -0.5) * z, res, res));
    T h = base + sign * t, l = base == C(0.0f, 0.0) ? C(0.0f, 0.0) : sign * t - (h - base);
    return h + (l + FMA(sign, p, base_l));
}
__TERN_FN T FN(atan)(T x)
{
    T a = ABS(x), one = C(1.0f, 1.0), zero = C(0.0f, 0.0);
    int big = a > one;
    T inv = one / (big ? a : one);
    inv = a < INFINITE ? inv : zero;
    T v = FN(atan_k)(big ? one : a, big ? MIN(a, C(0x1p126f, 0x1p1022)) : one, inv, big ? K(pi_2, h) : zero,
                     big ? K(pi_2, m) : zero, big ? -one : one);
    v = x != x ? x : v;
    return COPYSIGN(v, x);
}
__TERN_FN T FN(atan2)(T y, T x)
{
    T ax = ABS(x), ay = ABS(y), one = C(1.0f, 1.0), zero = C(0.0f, 0.0);
    int steep = ay > ax, left = (BITS(x) >> (WORD - 1)) != 0;
    T num = steep ? ax : ay, den = steep ? ay : ax;
    int both_inf = num == INFINITE, far = den == INFINITE;
    num = both_inf ? one : (far ? zero : num);
    den = far || den == zero ? one : den;
    T base = steep ? K(pi_2, h) : (left ? K(pi, h) : zero);
    T base_l = steep ? K(pi_2, m) : (left ? K(pi, m) : zero);
    /* the remainder only counts where it can be had: a product that neither over- nor underflows */
    int safe = den < C(0x1p120f, 0x1p1000) && num > C(0x1p-90f, 0x1p-900);
    T v = FN(atan_k)(num, den, safe ? one / den : zero, base, base_l, steep != left ? -one : one);
    /* eighths of a turn are what C says of two infinities, so they have to be the nearest numbers */
    v = both_inf ? (left ? C(2.35619449f, 2.3561944901923448) : C(0.785398163f, 0.78539816339744831)) : v;
    return x != x || y != y ? x + y : COPYSIGN(v, y);
}

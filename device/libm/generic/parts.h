/* Parts of numbers, remainders and roundings: everything whose result is exact. */

__TERN_FN T FN(fabs)(T x)
{
    return ABS(x);
}
__TERN_FN T FN(fdim)(T x, T y)
{
    T d = x > y ? x - y : C(0.0f, 0.0);
    return x != x || y != y ? x + y : d;
}
__TERN_FN T FN(round)(T x)
{
    T a = ABS(x), t = TRUNC(a);
    return COPYSIGN(a - t >= C(0.5f, 0.5) ? t + C(1.0f, 1.0) : t, x);
}
__TERN_FN __tern_i64 FN(llround)(T x)
{
    return TO_I64(FN(round)(x));
}
__TERN_FN __tern_i64 FN(llrint)(T x)
{
    return TO_I64(RINT(x));
}
__TERN_FN T FN(modf)(T x, T *whole)
{
    T t = TRUNC(x);
    *whole = t;
    return COPYSIGN(ABS(x) < INFINITE ? x - t : (x != x ? x : C(0.0f, 0.0)), x);
}

/* A finite nonzero number as mantissa in [2^MANT, 2^(MANT+1)) and exponent. */
struct FN(integer_parts) {
    U m;
    int e; /* |x| = m 2^e */
};
__TERN_FN struct FN(integer_parts) FN(integer_split)(T x)
{
    struct FN(integer_parts) r;
    U ix = BITS(x) & MAGNITUDE;
    int e = (int)(ix >> MANT), lz;
    U m = ix & (((U)1 << MANT) - 1);
    lz = e == 0 ? CLZ(m) - (WORD - 1 - MANT) : 0;
    m = e == 0 ? SHL(m, lz) : m | (U)1 << MANT;
    r.m = m;
    r.e = (e == 0 ? 1 - lz : e) - BIAS - MANT;
    return r;
}
__TERN_FN int FN(ilogb)(T x)
{
    int e = FN(integer_split)(x).e + MANT;
    e = x == C(0.0f, 0.0) || x != x ? -2147483647 - 1 : e; /* CUDA's FP_ILOGB0 and FP_ILOGBNAN */
    return ABS(x) == INFINITE ? 2147483647 : e;
}
__TERN_FN T FN(logb)(T x)
{
    T v = (T)(FN(integer_split)(x).e + MANT);
    v = ABS(x) < INFINITE ? v : x * x;
    return x == C(0.0f, 0.0) ? -INFINITE : v;
}
/* m 2^e, m an integer of at most MANT+1 bits, rounded once. */
__TERN_FN T FN(integer_join)(U m, int e)
{
    T f = FROM((BITS((T)m) & MAGNITUDE)); /* exact; (T)m is never negative */
    int low = e < 1 - BIAS - MANT;        /* the result may be subnormal: one multiplication rounds it */
    int k = low ? e + 2 * MANT : e, half;
    k = k > 2 * BIAS ? 2 * BIAS : k;
    k = k < -2 * BIAS ? -2 * BIAS : k;
    half = k / 2;
    f = f * FN(pow2)((T)half) * FN(pow2)((T)(k - half));
    return low ? f * C(0x1p-46f, 0x1p-104) : f;
}
__TERN_FN T FN(scalbn)(T x, int n)
{
    struct FN(integer_parts) p = FN(integer_split)(x);
    n = n > 5000 ? 5000 : n;
    n = n < -5000 ? -5000 : n;
    T v = COPYSIGN(FN(integer_join)(p.m, p.e + n), x);
    return x == C(0.0f, 0.0) || !(ABS(x) < INFINITE) ? x + x : v;
}
__TERN_FN T FN(ldexp)(T x, int n)
{
    return FN(scalbn)(x, n);
}
__TERN_FN T FN(scalbln)(T x, __tern_i64 n)
{
    int k = n > 5000 ? 5000 : (n < -5000 ? -5000 : (int)n);
    return FN(scalbn)(x, k);
}
__TERN_FN T FN(frexp)(T x, int *n)
{
    struct FN(integer_parts) p = FN(integer_split)(x);
    int plain = x != C(0.0f, 0.0) && ABS(x) < INFINITE;
    T v = FROM((p.m & (((U)1 << MANT) - 1)) | (U)(BIAS - 1) << MANT);
    *n = plain ? p.e + MANT + 1 : 0;
    return plain ? COPYSIGN(v, x) : x + x;
}
__TERN_FN T FN(nextafter)(T x, T y)
{
    U ux = BITS(x);
    /* the patterns count up away from zero */
    U step = (x < y) == (x > C(0.0f, 0.0)) ? ux + 1u : ux - 1u;
    T v = FROM(step);
    v = x == C(0.0f, 0.0) ? COPYSIGN(FROM((U)1), y) : v;
    v = x == y ? y : v;
    return x != x || y != y ? x + y : v;
}

/* |x| mod |y| by long division of the mantissas, as many bits at a step as the word has room for;
 * *quotient gets the low bits of the integer quotient. */
__TERN_FN struct FN(integer_parts) FN(mod_k)(T x, T y, U *quotient)
{
    struct FN(integer_parts) a = FN(integer_split)(x), b = FN(integer_split)(y);
    int d = a.e - b.e;
    U r = a.m, q = 0;
    if (d >= 0) {
        q = r / b.m;
        r = r % b.m;
        while (d > 0) {
            int s = d < WORD - MANT - 1 ? d : WORD - MANT - 1;
            U wide = r << s, digit = wide / b.m;
            r = wide - digit * b.m;
            q = (q << s) + digit;
            d -= s;
        }
        a.m = r;
        a.e = b.e;
    }
    *quotient = q;
    return a;
}
__TERN_FN int FN(mod_bad)(T x, T y)
{
    return x != x || y != y || ABS(x) == INFINITE || y == C(0.0f, 0.0);
}
__TERN_FN T FN(fmod)(T x, T y)
{
    U q;
    if (FN(mod_bad)(x, y))
        return QUIET_NAN;
    if (ABS(y) == INFINITE || x == C(0.0f, 0.0))
        return x;
    struct FN(integer_parts) r = FN(mod_k)(x, y, &q);
    return COPYSIGN(r.m == 0 ? C(0.0f, 0.0) : FN(integer_join)(r.m, r.e), x);
}
__TERN_FN T FN(remquo)(T x, T y, int *quo)
{
    U q = 0;
    *quo = 0;
    if (FN(mod_bad)(x, y))
        return QUIET_NAN;
    if (ABS(y) == INFINITE || x == C(0.0f, 0.0))
        return x;
    struct FN(integer_parts) p = FN(mod_k)(x, y, &q);
    T r = p.m == 0 ? C(0.0f, 0.0) : FN(integer_join)(p.m, p.e), b = ABS(y);
    /* nearer to the next multiple? r > b - r is exact where it matters */
    int up = r > b - r || (r == b - r && (q & 1u) != 0);
    r = up ? r - b : r;
    q += up ? 1u : 0u;
    int low = (int)(q & 0x7fffffffu), flip = (BITS(x) >> (WORD - 1)) != (BITS(y) >> (WORD - 1));
    *quo = flip ? -low : low;
    r = (BITS(x) >> (WORD - 1)) != 0 ? -r : r;
    return r == C(0.0f, 0.0) ? COPYSIGN(r, x) : r;
}
__TERN_FN T FN(remainder)(T x, T y)
{
    int q;
    return FN(remquo)(x, y, &q);
}

/* Small floats and lanes in a word: every pattern of the small formats, rounding by definition
 * (no neighbour is nearer), exact fma, and each lane operation against plain per-lane code. */
#include "../../device/libm/half.h"
#include "../../device/libm/simd.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static int failed;
static void check(int ok, const char *name, const char *why)
{
    printf(ok ? "PASS small %s\n" : "FAIL small %s: %s\n", name, why);
    failed |= !ok;
}

struct format {
    const char *name;
    int bits;
    float (*widen)(uint32_t);
    uint32_t (*narrow)(float, int);
    uint32_t inf; /* the magnitude of infinity, or one above the largest number */
    int modes;
};
static float w16(uint32_t h)
{
    return __tern_f16_to_f32(h);
}
static uint32_t n16(float x, int m)
{
    return __tern_f32_to_f16(x, m);
}
static float wb16(uint32_t h)
{
    return __tern_bf16_to_f32(h);
}
static uint32_t nb16(float x, int m)
{
    return __tern_f32_to_bf16(x, m);
}
static float w52(uint32_t h)
{
    return __tern_e5m2_to_f32(h);
}
static uint32_t n52(float x, int m)
{
    (void)m;
    return __tern_f32_to_e5m2(x, 0);
}
static float w43(uint32_t h)
{
    return __tern_e4m3_to_f32(h);
}
static uint32_t n43(float x, int m)
{
    (void)m;
    return __tern_f32_to_e4m3(x, 0);
}
static const struct format formats[] = {{"binary16", 16, w16, n16, 0x7c00, 4},
                                        {"bfloat16", 16, wb16, nb16, 0x7f80, 4},
                                        {"e5m2", 8, w52, n52, 0x7c, 1},
                                        {"e4m3", 8, w43, n43, 0x7f, 1}};

/* The value of a magnitude, with the number after the largest standing for infinity. */
static double ladder(const struct format *f, uint32_t h)
{
    if (h < f->inf)
        return f->widen(h);
    return 2.0 * f->widen(f->inf - 1) - f->widen(f->inf - 2);
}
/* Is r what x rounds to in this mode? */
static int rounds_to(const struct format *f, float x, uint32_t r, int mode)
{
    uint32_t top = 1u << (f->bits - 1), m = r & (top - 1);
    double a = fabs((double)x), v, below, above;
    int negative = signbit(x) != 0;
    if ((r & top) != (negative ? top : 0) || m > f->inf)
        return 0;
    if (isinf(x))
        return m == f->inf;
    v = ladder(f, m);
    below = m > 0 ? ladder(f, m - 1) : -1;
    above = m < f->inf ? ladder(f, m + 1) : INFINITY;
    if (mode == 1 || mode == (negative ? 2 : 3)) /* towards zero */
        return v <= a && (m == f->inf - 1 || a < above) && m < f->inf;
    if (mode != 0) /* away from zero */
        return a <= v ? a > below || (a == 0 && m == 0) : m == f->inf;
    if (m == f->inf && a >= v)
        return 1;
    if (fabs(v - a) > fabs(above - a) || (m > 0 && fabs(v - a) > fabs(below - a)))
        return 0;
    return (fabs(v - a) != fabs(above - a) && (m == 0 || fabs(v - a) != fabs(below - a))) ||
           (m & 1) == 0;
}

/* The bits that |x| rounds to, by scaling it so that a unit of the format's is 1. */
static uint32_t reference(double a, int fraction, int least, uint32_t inf, int mode, int negative)
{
    uint64_t u;
    double unit, q;
    int e;
    if (isinf(a))
        return inf;
    memcpy(&u, &a, sizeof u);
    e = (int)(u >> 52) - 1023;
    e = e < least ? least : e;
    u = (uint64_t)(1023 + fraction - e) << 52;
    memcpy(&unit, &u, sizeof unit);
    q = a * unit; /* exact */
    q = mode == 0 ? rint(q) : mode == 1 || mode == (negative ? 2 : 3) ? floor(q) : ceil(q);
    uint64_t r = (uint64_t)q + ((uint64_t)(e - least) << fraction);
    int stays = mode == 1 || mode == (negative ? 2 : 3);
    return r < inf ? (uint32_t)r : stays ? inf - 1 : inf;
}
/* Every step-th float, of both signs: to the nearest, and every fourth of them in the other modes.
 */
static void every_float(uint32_t step)
{
    static const struct {
        int fraction, least;
    } shape[] = {{10, -14}, {7, -126}, {2, -14}, {3, -6}};
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct format *f = &formats[i];
        const uint32_t top = 1u << (f->bits - 1), largest = f->inf - 1;
        char name[64];
        uint32_t bad = 0, n = 0;
        for (uint32_t u = 0; u <= 0x7f800000u && !bad; u += step, n++) {
            float x = __tern_f32_bits(u);
            for (int mode = 0; mode < (n % 4 ? 1 : f->modes); mode++) {
                uint32_t p = reference(x, shape[i].fraction, shape[i].least, f->inf, mode, 0);
                uint32_t m = reference(x, shape[i].fraction, shape[i].least, f->inf, mode, 1);
                bad += f->narrow(x, mode) != p || f->narrow(-x, mode) != (m | top);
            }
            if (f->bits == 8) { /* saturating */
                uint32_t p = reference(x, shape[i].fraction, shape[i].least, f->inf, 0, 0);
                p = p > largest ? largest : p;
                bad +=
                    (i == 2 ? __tern_f32_to_e5m2(x, 1) : __tern_f32_to_e4m3(x, 1)) != p ||
                    (i == 2 ? __tern_f32_to_e5m2(-x, 1) : __tern_f32_to_e4m3(-x, 1)) != (p | top);
            }
            if (bad)
                printf("  %s: %a\n", f->name, x);
        }
        for (uint32_t u = 0x7f800001u; u < 0x80000000u && !bad; u += step)
            bad += !isnan(f->widen(f->narrow(__tern_f32_bits(u), 0))) ||
                   !isnan(f->widen(f->narrow(__tern_f32_bits(u | 0x80000000u), 0)));
        snprintf(name, sizeof name, step == 1 ? "%s from every float" : "%s from floats everywhere",
                 f->name);
        check(bad == 0, name, "wrong");
    }
}

static void conversions(void)
{
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct format *f = &formats[i];
        char name[64];
        uint32_t bad = 0, first = 0;
        for (uint32_t h = 0; h < 1u << f->bits; h++) {
            float x = f->widen(h);
            int ok = isnan(x) ? (h & ((1u << (f->bits - 1)) - 1)) >= f->inf : f->narrow(x, 0) == h;
            first = bad == 0 && !ok ? h : first;
            bad += !ok;
        }
        snprintf(name, sizeof name, "%s: all %u patterns there and back", f->name, 1u << f->bits);
        check(bad == 0, name, "a pattern changes");
        bad = 0;
        for (int k = 0; k < 400000; k++) {
            uint32_t u = (uint32_t)next(), h = (uint32_t)next() & ((1u << f->bits) - 1), r;
            float x, near = f->widen(h);
            int mode = k % f->modes;
            x = __tern_f32_bits(u);
            if (k & 4) /* at, or an ulp from, a number or a halfway point */
                x = __tern_f32_bits(
                    __tern_bits_f32(k & 8 ? near : near * (1 + ldexpf(1, k & 16 ? -12 : -4))) +
                    (u & 3) - 1);
            if (isnan(x))
                continue;
            r = f->narrow(x, mode);
            if (!rounds_to(f, x, r, mode) && bad++ == 0)
                printf("  %s mode %d: %a to %x (%a)\n", f->name, mode, x, r, f->widen(r));
        }
        snprintf(name, sizeof name, "%s: rounding", f->name);
        check(bad == 0, name, "a neighbour is nearer");
    }
    int ok = __tern_f32_to_e4m3(1000, 1) == 0x7e && __tern_f32_to_e4m3(-INFINITY, 1) == 0xfe &&
             __tern_f32_to_e5m2(1e9f, 1) == 0x7b;
    check(ok, "saturating conversions", "wrong");
    /* fma in fixed point of 2^-48 */
    int bad = 0;
    for (int k = 0; k < 300000 && !bad; k++) {
        uint32_t a = (uint32_t)next() & 0xffff, b = (uint32_t)next() & 0xffff,
                 c = (uint32_t)next() & 0xffff, r;
        float x = w16(a), y = w16(b), z = w16(c);
        if (k & 1) { /* products and addends of like size */
            c = n16(-x * y, 0) ^ (k & 2 ? 1u : 0u);
            z = w16(c);
        }
        if (!isfinite(x) || !isfinite(y) || !isfinite(z))
            continue;
        r = __tern_f16_fma(a, b, c);
        __extension__ typedef __int128 wide;
        wide exact = (wide)(int64_t)(x * 0x1p24f) * (int64_t)(y * 0x1p24f) +
                     ((wide)(int64_t)(z * 0x1p24f) << 24);
        uint32_t m = r & 0x7fff;
        wide mag = exact < 0 ? -exact : exact, v = (wide)(ladder(formats, m) * 0x1p24) << 24;
        wide below = m ? (wide)(ladder(formats, m - 1) * 0x1p24) << 24 : -1,
             above = m < 0x7c00 ? (wide)(ladder(formats, m + 1) * 0x1p24) << 24 : (wide)1 << 100;
        wide d = v > mag ? v - mag : mag - v, da = above - mag,
             db = m ? mag - below : (wide)1 << 100;
        int good = m == 0x7c00 ? mag >= v || d < db || (d == db)
                               : (d < da && d < db) ||
                                     ((d == da || d == db) && d <= da && d <= db && (m & 1) == 0);
        good &= mag == 0 || (r >> 15) == (exact < 0);
        bad = !good;
        if (bad)
            printf("  %a * %a + %a = %a\n", x, y, z, w16(r));
    }
    check(!bad, "binary16 fma rounds once", "it does not");
}

/* Plain per-lane code to compare with. */
static int64_t clip(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
static int64_t avgs(int64_t x, int64_t y)
{
    int64_t s = x + y;
    return s >= 0 ? (s + 1) / 2 : -((-s + 1) / 2);
}
static void lanes(void)
{
    for (int n = 2; n <= 4; n += 2) {
        int w = 32 / n, bad = 0;
        int64_t top = (int64_t)1 << (w - 1), m = 2 * top - 1;
        const char *where = "";
        for (int k = 0; k < 300000 && !bad; k++) {
            uint32_t a = (uint32_t)next(), b = (uint32_t)next();
            if (k & 1)
                b = a ^ (b & 0x00ff0001u);
            if ((k & 6) == 6)
                a = (a & 0x7f7f7f7f) | 0x80008000;
            for (int i = 0; i < 32 && !bad; i += w) {
                int64_t u = a >> i & m, v = b >> i & m, x = u >= top ? u - 2 * top : u,
                        y = v >= top ? v - 2 * top : v, got, want;
#define V(name, expression)                                                                        \
    do {                                                                                           \
        got = (n == 2 ? __tern_v##name##2(a, b) : __tern_v##name##4(a, b)) >> i & m;               \
        want = (expression)&m;                                                                     \
        if (got != want) {                                                                         \
            bad = 1;                                                                               \
            where = #name;                                                                         \
        }                                                                                          \
    } while (0)
                V(add, u + v);
                V(sub, u - v);
                V(addss, clip(x + y, -top, top - 1));
                V(addus, clip(u + v, 0, m));
                V(subss, clip(x - y, -top, top - 1));
                V(subus, clip(u - v, 0, m));
                V(avgs, avgs(x, y));
                V(avgu, (u + v + 1) / 2);
                V(haddu, (u + v) / 2);
                V(cmpeq, u == v ? m : 0);
                V(cmpne, u != v ? m : 0);
                V(cmpltu, u < v ? m : 0);
                V(cmpleu, u <= v ? m : 0);
                V(cmpgtu, u > v ? m : 0);
                V(cmpgeu, u >= v ? m : 0);
                V(cmplts, x < y ? m : 0);
                V(cmples, x <= y ? m : 0);
                V(cmpgts, x > y ? m : 0);
                V(cmpges, x >= y ? m : 0);
                V(seteq, u == v);
                V(setltu, u < v);
                V(setges, x >= y);
                V(minu, u < v ? u : v);
                V(maxu, u > v ? u : v);
                V(mins, x < y ? x : y);
                V(maxs, x > y ? x : y);
                V(absdiffu, u > v ? u - v : v - u);
                V(absdiffs, x > y ? x - y : y - x);
                int64_t abs_x = x < 0 ? -x : x;
                got = (n == 2 ? __tern_vabs2(a) : __tern_vabs4(a)) >> i & m;
                bad |= got != (abs_x & m);
                got = (n == 2 ? __tern_vabsss2(a) : __tern_vabsss4(a)) >> i & m;
                bad |= got != clip(abs_x, 0, top - 1);
                got = (n == 2 ? __tern_vneg2(a) : __tern_vneg4(a)) >> i & m;
                bad |= got != (-x & m);
                got = (n == 2 ? __tern_vnegss2(a) : __tern_vnegss4(a)) >> i & m;
                bad |= got != (clip(-x, -top, top - 1) & m);
            }
            uint32_t sum = 0, sums = 0;
            for (int i = 0; i < 32; i += w) {
                int64_t u = a >> i & m, v = b >> i & m, x = u >= top ? u - 2 * top : u,
                        y = v >= top ? v - 2 * top : v;
                sum += (uint32_t)(u > v ? u - v : v - u);
                sums += (uint32_t)(x > y ? x - y : y - x);
            }
            bad |= sum != (n == 2 ? __tern_vsadu2(a, b) : __tern_vsadu4(a, b));
            bad |= sums != (n == 2 ? __tern_vsads2(a, b) : __tern_vsads4(a, b));
        }
        check(!bad, n == 2 ? "two lanes of 16 bits" : "four lanes of 8 bits", where);
    }
}

int main(int argc, char **argv) /* an argument: every float */
{
    (void)argv;
    conversions();
    every_float(argc > 1 ? 1 : 4099);
    lanes();
    return failed;
}

#!/usr/bin/env python3
"""Writes device/libm/poly32.h and poly64.h: every polynomial and constant of the math library.

usage: coef.py [32|64|name ...]

With 32 or 64, one header only; with names, prints those polynomials. What was fitted before is kept in
coef.json; fitting all of it takes about ten minutes.

A polynomial is a line of POLYS: what function of what variable, where, and how good it must be;
the degree follows. A constant is a line of CONSTS.
"""
import json
import os
import sys

from mpmath import mp, mpf
import mpmath as m

from fit import fit, hexfloat, remez, rounded

mp.prec = 240
PI, LN2 = mp.pi, m.log(2)
TINY = mpf(2) ** -40


def series(f):
    """f is known by a formula that cancels near zero: use its value a little away from there."""
    return lambda x: f(x if abs(x) > TINY else (TINY if x >= 0 else -TINY))


def odd(f):
    """The polynomial A(z) of f(x) = x + x z A(z), z = x^2."""
    return lambda z: (f(m.sqrt(max(z, TINY))) / m.sqrt(max(z, TINY)) - 1) / max(z, TINY)


def odd_weight(f):
    return lambda z, v: z * m.sqrt(max(z, TINY)) / abs(f(m.sqrt(max(z, TINY))))


def erfcx(a):
    return m.exp(a * a) * m.erfc(a)


def erfinv_over_x(w):
    """erfinv(x)/x as a function of w = -log(1-x^2)."""
    w = max(w, TINY)
    x = m.sqrt(-m.expm1(-w))
    # solve in terms of the complement, which does not lose digits near x = 1
    y = m.exp(-w) / (1 + x)
    t = m.sqrt(m.log(2 / (m.sqrt(PI) * y))) if y < mpf("0.1") else x * mpf("0.9")
    for _ in range(60):
        step = (m.erfc(t) - y) * m.sqrt(PI) / 2 * m.exp(t * t)
        t += step / (1 - t * step)
        if abs(step) < mpf(2) ** -200:
            break
    return t / x


def root(f, x):
    return m.findroot(f, x, tol=mpf(10) ** -60)


J0 = lambda x: m.besselj(0, x)
J1 = lambda x: m.besselj(1, x)
Y0 = lambda x: m.bessely(0, x)
Y1 = lambda x: m.bessely(1, x)
J01, J02, J03 = root(J0, 2.4), root(J0, 5.52), root(J0, 8.65)
J11, J12 = root(J1, 3.83), root(J1, 7.01)
Y01, Y02, Y03 = root(Y0, 0.89), root(Y0, 3.95), root(Y0, 7.08)
Y11, Y12 = root(Y1, 2.19), root(Y1, 5.43)


def about(f, zero):
    """f(x) = d * P(d), d = x - zero."""
    return lambda d: f(zero + d) / d if abs(d) > TINY else f(zero + TINY) / TINY


def hankel_terms(n, x):
    """a_k / x^k of the asymptotic series, until they vanish or grow."""
    out, a, k = [mpf(1)], mpf(1), 0
    while abs(a) > mpf(2) ** -230 and k < 2 * x:
        k += 1
        a *= (4 * n * n - (2 * k - 1) ** 2) / (8 * k * x)
        out.append(a)
    return out


def scaled_i(n):
    """e^-x sqrt(x) I_n(x) as a function of 1/x."""
    def g(v):
        x = 1 / v
        if x > 60:
            return sum(a * (-1) ** k for k, a in enumerate(hankel_terms(n, x))) / m.sqrt(2 * PI)
        return m.besseli(n, x) * m.exp(-x) * m.sqrt(x)
    return g


def hankel(n, which):
    def g(v):
        x = 1 / m.sqrt(v)
        if x > 60:
            t = hankel_terms(n, x)
            if which == "p":
                return sum(a * (-1) ** (k // 2) for k, a in enumerate(t) if k % 2 == 0)
            return x * sum(a * (-1) ** (k // 2) for k, a in enumerate(t) if k % 2 == 1)
        chi = x - PI / 4 - n * PI / 2
        j, y, s, c, k = m.besselj(n, x), m.bessely(n, x), m.sin(chi), m.cos(chi), m.sqrt(PI * x / 2)
        return k * (j * c + y * s) if which == "p" else k * (y * c - j * s) * x
    return g


L = m.log(2) / 2 * mpf("1.003")
Q2 = (PI / 4 * mpf("1.002")) ** 2
S2 = m.sqrt(2)

# name, function, interval, weight, target32, target64 (as -log2 of the weighted error)
# An interval, or a shift of the variable, may be a pair (f32, f64).
POLYS = [
    ("exp", series(lambda r: (m.expm1(r) - r) / r**2), (-L, L), lambda x, v: x * x, 27.5, 58.5),
    ("exp2", series(lambda r: (m.expm1(r * LN2) - r * LN2) / r**2), (mpf(-0.501), mpf(0.501)), lambda x, v: x * x, 27.5, 57),
    ("exp10", series(lambda r: (m.expm1(r * m.log(10)) - r * m.log(10)) / r**2), (-L / m.log(10), L / m.log(10)), lambda x, v: x * x, 27.5, 57),
    ("log", series(lambda f: (m.log1p(f) - f + f * f / 2) / f**3), (1 / S2 - 1 - mpf(2) ** -20, S2 - 1 + mpf(2) ** -20), lambda f, v: abs(f * f * f / m.log1p(f)) if abs(f) > TINY else TINY**2, 27, 57),
    ("log2pow", series(lambda z: (2 * m.atanh(m.sqrt(z)) / m.sqrt(z) - 2 - z * 2 / 3) / LN2 / z**2), (0, mpf("0.02945")), lambda z, v: z * z / 3, 36, 68),
    ("sin", odd(m.sin), (0, Q2), odd_weight(m.sin), 27, 57),
    ("cos", series(lambda z: (m.cos(m.sqrt(z)) - 1 + z / 2) / z**2), (0, Q2), lambda z, v: z * z, 28, 58),
    ("sinpi", lambda z: odd(lambda x: m.sin(PI * x) / PI)(z) * PI, (0, mpf("0.0626")), lambda z, v: z / PI, 27, 57),
    ("cospi", series(lambda z: (m.cos(PI * m.sqrt(z)) - 1) / z), (0, mpf("0.0626")), lambda z, v: z, 28, 58),
    ("tan", odd(m.tan), (0, Q2), odd_weight(m.tan), 27, 57),
    ("asin", odd(m.asin), (0, mpf("0.2501")), odd_weight(m.asin), 27, 57),
    ("atan", odd(m.atan), (0, 1), odd_weight(m.atan), 27, 56),
    ("sinh", odd(m.sinh), (0, mpf("1.0001")), odd_weight(m.sinh), 27, 57),
    ("tanh", odd(m.tanh), (0, mpf("0.3026")), odd_weight(m.tanh), 27, 57),
    ("asinh", odd(m.asinh), (0, mpf("0.2501")), odd_weight(m.asinh), 27, 57),
    ("rcbrt0", lambda x: 1 / m.cbrt(x), (mpf("0.35"), mpf("2.85")), None, 6.5, 6.5),
    ("erf", lambda z: m.erf(m.sqrt(max(z, TINY))) / m.sqrt(max(z, TINY)) - 1, (0, mpf("1.0001")), lambda z, v: 1 / (1 + v), 27, 57),
    ("erfc1", lambda t: -m.log(m.erfc(t)), ((1, mpf("4.01")), (1, mpf("6.01"))), lambda x, v: m.exp(-v), 27, 58, (mpf(1), mpf(1))),
    ("erfcx", lambda t: (lambda a: (1 + 2 * a) * erfcx(a))(4 * (1 + t) / (1 - t)) if t < 1 - mpf(2) ** -6 else (lambda a: (1 + 2 * a) / (a * m.sqrt(PI)) * (1 - 1 / (2 * a * a) + 3 / (4 * a**4) - 15 / (8 * a**6) + 105 / (16 * a**8) - 945 / (32 * a**10) + 10395 / (64 * a**12) - 135135 / (128 * a**14)))(4 * (1 + t) / max(1 - t, mpf(2) ** -60)), (-1, 1), None, 26.5, 56),
    ("erfinv0", series(lambda w: (erfinv_over_x(w) - m.sqrt(PI) / 2) / w), ((0, mpf("5.001")), (0, mpf("6.251"))), lambda w, v: w / erfinv_over_x(w), 26.5, 55, (mpf(0), mpf(3.125))),
    ("erfinv1", lambda s: erfinv_over_x(s * s), ((m.sqrt(mpf("4.99")), mpf("4.01")), (m.sqrt(mpf("6.24")), mpf("4.01"))), None, 26.5, 55, (mpf(3), mpf(3.25))),
    ("erfinv2", lambda s: erfinv_over_x(s * s), ((mpf(4), mpf("4.3")), (mpf("3.99"), mpf("6.01"))), None, 26.5, 55, (mpf(4), mpf(5))),
    ("rgamma", series(lambda f: (1 / m.gamma(2 + f) - 1) / f), (mpf(-0.5), mpf(0.5)), lambda f, v: abs(f), 27, 57),
    ("stirling", lambda v: (lambda x: (m.loggamma(x) - (x - mpf(1) / 2) * m.log(x) + x - m.log(2 * PI) / 2) * x)(1 / m.sqrt(max(v, mpf(10) ** -12))), (0, mpf(1) / 64), lambda v, g: m.sqrt(v), 30, 59),
    ("lgamma", series(lambda f: m.loggamma(2 + f) / f), (mpf("-0.75"), mpf("0.751")), None, 26.5, 56),
    ("j0a", series(lambda z: (J0(m.sqrt(z)) - 1) / z), (0, mpf("5.8")), lambda z, v: z, 27, 56),
    ("j0b", about(J0, J01), (mpf(1.49) - J01, mpf(4.01) - J01), None, 26, 55),
    ("j0c", about(J0, J02), (mpf(3.99) - J02, mpf(7.01) - J02), None, 26, 55),
    ("j0d", about(J0, J03), (mpf(6.99) - J03, mpf(8.01) - J03), None, 26, 55),
    ("j1a", series(lambda z: (J1(m.sqrt(z)) / m.sqrt(z) - mpf(1) / 2) / z), (0, mpf("5.8")), lambda z, v: z * 2, 26.5, 56),
    ("j1b", about(J1, J11), (mpf(2.39) - J11, mpf(5.41) - J11), None, 26, 55),
    ("j1c", about(J1, J12), (mpf(5.39) - J12, mpf(8.01) - J12), None, 26, 55),
    ("y0a", series(lambda z: (Y0(m.sqrt(z)) - 2 / PI * m.log(m.sqrt(z) / Y01) * J0(m.sqrt(z))) / (z - Y01**2)), (0, mpf("5.8")), None, 26.5, 55),
    ("y0b", about(Y0, Y02), (mpf(2.39) - Y02, mpf(5.51) - Y02), None, 26, 55),
    ("y0c", about(Y0, Y03), (mpf(5.49) - Y03, mpf(8.01) - Y03), None, 26, 55),
    ("y1a", series(lambda z: (lambda x: (Y1(x) - 2 / PI * (m.log(x) * J1(x) - 1 / x)) / x)(m.sqrt(z))), (0, mpf("1.7")), None, 26, 55),
    ("y1b", about(Y1, Y11), (mpf(1.29) - Y11, mpf(3.81) - Y11), None, 26, 55),
    ("y1c", about(Y1, Y12), (mpf(3.79) - Y12, mpf(8.01) - Y12), None, 26, 55),
    ("hp0", hankel(0, "p"), (0, mpf(1) / 63), None, 26.5, 54),
    ("hq0", hankel(0, "q"), (0, mpf(1) / 63), lambda v, g: m.sqrt(v), 26.5, 54),
    ("hp1", hankel(1, "p"), (0, mpf(1) / 63), None, 26.5, 54),
    ("hq1", hankel(1, "q"), (0, mpf(1) / 63), lambda v, g: m.sqrt(v), 26.5, 54),
    ("i0a", lambda z: m.besseli(0, m.sqrt(z)), (0, mpf(65)), None, 26, 55),
    ("i1a", series(lambda z: m.besseli(1, m.sqrt(z)) / m.sqrt(z)), (0, mpf(65)), None, 26, 55),
    ("i0b", scaled_i(0), (0, mpf("0.1251")), None, 26, 55),
    ("i1b", scaled_i(1), (0, mpf("0.1251")), None, 26, 55),
]

# name, value; printed as the sum of up to three numbers h + m + l of the format
CONSTS = [
    ("ln2", LN2), ("log2e", 1 / LN2), ("ln10", m.log(10)), ("log2_10", m.log(10) / LN2),
    ("log10_2", LN2 / m.log(10)), ("log10e", 1 / m.log(10)), ("pi", PI), ("pi_2", PI / 2),
    ("pi_4", PI / 4), ("2_pi", 2 / PI), ("2_ln2", 2 / LN2), ("2_3ln2", 2 / (3 * LN2)), ("sqrt1_2", m.sqrt(mpf(1) / 2)),
    ("2_sqrtpi", 2 / m.sqrt(PI)), ("1_sqrtpi", 1 / m.sqrt(PI)), ("half_ln2pi", m.log(2 * PI) / 2),
    ("log2_sqrt2pi", m.log(2 * PI) / 2 / LN2), ("sqrt2", m.sqrt(2)), ("sqrtpi_2", m.sqrt(PI) / 2),
    ("j01", J01), ("j02", J02), ("j03", J03), ("j11", J11), ("j12", J12), ("y01", Y01),
    ("y02", Y02), ("y03", Y03), ("y11", Y11), ("y12", Y12), ("1_y01", 1 / Y01), ("ln_y01", m.log(Y01)),
]
# constants whose head leaves room for an exact product with an exponent
SHORT = [("ln2_short", LN2), ("log10_2_short", LN2 / m.log(10))]


def make(entry, bits):
    name, f, span, weight, t32, t64 = entry[:6]
    k = 0 if bits == 24 else 1
    target = mpf(2) ** -(t32, t64)[k]
    lo, hi = span[k] if isinstance(span[0], tuple) else span
    shift = entry[6][k] if len(entry) > 6 else 0
    g = (lambda t: f(t + shift)) if shift else f
    w = (lambda t, v: weight(t + shift, v)) if shift and weight else weight
    lo, hi = mpf(lo) - shift, mpf(hi) - shift
    cache = {}

    def memo(x):
        if x not in cache:
            cache[x] = g(x)
        return cache[x]

    start = 2 if bits == 24 else 5
    for deg in range(start, 40):
        per = 12
        n = per * 42
        grid = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(PI * (2 * i + 1) / (2 * n)) for i in range(n)]
        vals = [memo(x) for x in grid]
        wts = [(w(x, v) if w else 1 / abs(v)) for x, v in zip(grid, vals)]
        sub = slice(0, n, max(1, 42 // (deg + 3)))
        _c, e = remez(grid[sub], vals[sub], wts[sub], list(range(deg + 1)))
        if e < target:
            break
    best = None
    for first in (3, 1):
        c, e = fit(memo, lo, hi, list(range(deg + 1)), bits, weight=w, exact_first=first, grid_per=max(12, 504 // (deg + 3)))
        if best is None or e < best[1]:
            best = c, e
    return best[0], best[1], lo, hi, shift


STORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coef.json")


def fitted(entry, bits):
    """make(), but for what stands in coef.json already: take an entry out to fit it again."""
    key, cache = "%s%d" % (entry[0], bits), {}
    if os.path.exists(STORE):
        with open(STORE) as f:
            cache = json.load(f)
    if key not in cache:
        c, e, lo, hi, shift = make(entry, bits)
        cache[key] = {
            "c": [hexfloat(c[i], bits) for i in range(max(c) + 1)], "deg": max(c), "err": m.nstr(m.log(e, 2), 4),
            "span": "[%s, %s]" % (m.nstr(lo, 6), m.nstr(hi, 6)), "about": "about %s" % m.nstr(shift, 6) if shift else ""}
        with open(STORE, "w") as f:
            f.write("{\n" + ",\n".join('"%s": %s' % (k, json.dumps(cache[k])) for k in sorted(cache)) + "\n}\n")
    return cache[key]


def emit(entry, bits):
    fit_ = fitted(entry, bits)
    c, deg = fit_["c"], fit_["deg"]
    sfx, typ = ("f", "float") if bits == 24 else ("", "double")
    name = "__tern_p_%s%s" % (entry[0], sfx)
    lines = ["/* on %s%s, degree %d, weighted error 2^%s */" % (
        fit_["span"], " " + fit_["about"] if fit_["about"] else "", deg, fit_["err"])]
    lines.append("__TERN_FN %s %s(%s x)" % (typ, name, typ))
    lines.append("{")

    def chain(var, idx):
        out = ["    %s %s = %s;" % (typ, var, c[idx[-1]])]
        return out + ["    %s = __tern_fma%s(%s, x, %s);" % (var, sfx, var, c[i]) for i in reversed(idx[:-1])]

    if deg <= 6:
        lines += chain("r", list(range(deg + 1)))
        lines.append("    return r;")
    else:
        # A low and a high half, side by side: half the latency. Not even and odd powers, which would
        # cancel where the coefficients alternate.
        k = 4 if deg < 11 else 8
        lines += chain("a", list(range(k))) + chain("b", list(range(k, deg + 1)))
        lines.append("    %s z = x * x;" % typ)
        power = "z * z"
        if k == 8:
            lines.append("    z = z * z;")
        lines.append("    return __tern_fma%s(b, %s, a);" % (sfx, power))
    lines.append("}")
    return "\n".join(lines), deg, fit_["err"]


def consts(bits):
    sfx = "f" if bits == 24 else ""
    out = []
    for name, v in CONSTS:
        rest = v
        for part in "hml":
            r = rounded(rest, bits)
            rest -= r
            out.append("#define __tern_k_%s_%s%s %s" % (name, part, sfx, hexfloat(r, bits)))
    # pi/2 in four parts for the reduction: the second is short, so that its product with a quadrant
    # number of up to 13 (22) bits is exact
    rest = PI / 2
    for part, width in zip("abcd", (bits, 11 if bits == 24 else 31, bits, bits)):
        r = rounded(rest, width)
        rest -= r
        out.append("#define __tern_k_pio2_%s%s %s" % (part, sfx, hexfloat(r, bits)))
    for name, v in SHORT:
        h = rounded(v, bits - 11 if bits == 53 else bits - 8)
        out.append("#define __tern_k_%s_h%s %s" % (name, sfx, hexfloat(h, bits)))
        out.append("#define __tern_k_%s_m%s %s" % (name, sfx, hexfloat(rounded(v - h, bits), bits)))
    return out


def two_over_pi(bits, words):
    width = 32 if bits == 24 else 64
    old = mp.prec
    mp.prec = width * words + 64
    v = int(m.floor(m.ldexp(2 / mp.pi, width * (words - 1))))
    mp.prec = old
    mask = (1 << width) - 1
    return [(v >> (width * (words - 1 - i))) & mask for i in range(words)]


def header(bits):
    sfx = "f" if bits == 24 else ""
    n = 32 if bits == 24 else 64
    words = 8 if bits == 24 else 20
    out = ["/* Written by tool/math/coef.py: do not edit. The polynomials and constants of the %s-bit functions." % n,
           " * A constant x is x_h + x_m + x_l; a short one has trailing zeros in its head. */",
           "#ifndef TERN_DEVICE_POLY%d_H" % n, "#define TERN_DEVICE_POLY%d_H" % n, "", '#include "prim.h"', ""]
    out += consts(bits)
    digits = two_over_pi(bits, words)
    out += ["", "/* The bits of 2/pi, after one word of zeros. */",
            "__TERN_CONST __tern_u%d __tern_2_over_pi%s[%d] = {" % (n, sfx, words)]
    per = 4
    lit = ["0x%0*x%s" % (n // 4, d, "u" if n == 32 else "ull") for d in digits]
    for i in range(0, words, per):
        out.append("    " + " ".join(x + "," for x in lit[i:i + per]))
    out += ["};", ""]
    for e in POLYS:
        text, deg, err = emit(e, bits)
        print("%-9s %d bits: degree %2d, 2^%s" % (e[0], bits, deg, err), file=sys.stderr)
        out += [text, ""]
    out.append("#endif")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] not in ("32", "64"):
        for e in POLYS:
            if e[0] in sys.argv[1:]:
                for b in (24, 53):
                    print(emit(e, b)[0])
    else:
        where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../device/libm")
        for b, n in ((24, "poly32.h"), (53, "poly64.h")):
            if len(sys.argv) > 1 and sys.argv[1] not in n:
                continue
            text = header(b)
            with open(os.path.join(where, n), "w") as f:
                f.write(text)

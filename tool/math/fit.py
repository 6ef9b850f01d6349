"""Minimax polynomials with coefficients in a floating-point format.

fit() runs the Remez exchange on a fixed grid of Chebyshev points, in multiple precision, then
rounds the leading coefficients one at a time and fits the others again around them, so that the
polynomial that is printed, not an ideal one, has the error that is reported.

Needs mpmath (Debian: python3-mpmath, python3-gmpy2 for speed).
"""
import mpmath
from mpmath import mp, mpf

mp.prec = 200


def rounded(x, bits):
    """x to the nearest number of `bits` significant bits."""
    if x == 0:
        return mpf(0)
    m, e = mpmath.frexp(x)
    return mpmath.ldexp(mpmath.nint(mpmath.ldexp(m, bits)), int(e) - bits)


def solve(xs, fs, ws, powers):
    """One exchange step: coefficients and the levelled error on len(powers)+1 points."""
    n = len(xs)
    a = mpmath.matrix(n, n)
    b = mpmath.matrix(n, 1)
    for i in range(n):
        for j, p in enumerate(powers):
            a[i, j] = ws[i] * xs[i] ** p
        a[i, n - 1] = (-1) ** i
        b[i] = ws[i] * fs[i]
    c = mpmath.lu_solve(a, b)
    return [c[i] for i in range(n - 1)], abs(c[n - 1])


def remez(grid, f, w, powers):
    """Coefficients for x**p, p in powers (consecutive), minimising max |w (f - poly)| over the grid."""
    m, n = len(grid), len(powers) + 1
    if not powers:
        return [], max(abs(w[i] * f[i]) for i in range(m))
    # x^p .. x^q with p > 0 has no alternation across zero: fit f / x^p by 1 .. x^(q-p) instead.
    low = powers[0]
    powers = [p - low for p in powers]
    f = [v / x ** low for x, v in zip(grid, f)]
    w = [v * abs(x) ** low for x, v in zip(grid, w)]
    # The grid is already spaced as Chebyshev points; a little skew, because points that mirror each
    # other make the first system singular when the free powers are not all of them.
    skew = [mpf(i) / (n - 1) for i in range(n)]
    heavy = [i for i in range(m) if w[i] >= max(w) / 1000] # a weightless point would level nothing
    if len(heavy) < 2 * n:
        heavy = list(range(m))
    last = len(heavy) - 1
    idx = [heavy[int(mpmath.nint(last * (u + mpf("0.06") * u * (1 - u))))] for u in skew]
    best = None
    for _ in range(12):
        c, level = solve([grid[i] for i in idx], [f[i] for i in idx], [w[i] for i in idx], powers)
        err = []
        for i in range(m):
            x = grid[i]
            v = mpf(0)
            for k in reversed(c):
                v = v * x + k
            err.append(w[i] * (f[i] - v))
        # the largest error of each run of one sign
        runs = []
        for i in range(m):
            if runs and (err[i] > 0) == (err[runs[-1]] > 0):
                if abs(err[i]) > abs(err[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n:
            if len(runs) == n + 1 or abs(err[runs[0]]) < abs(err[runs[-1]]):
                runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
            else:
                runs.pop()
        worst = max(abs(e) for e in err)
        if best is None or worst < best[1]: # the exchange may cycle: keep the best
            best = c, worst
        if len(runs) < n or worst < level * mpf("1.02"):
            break
        idx = runs
    return best


def fit(f, lo, hi, powers, bits, weight=None, exact_first=3, lead=None, grid_per=28):
    """Fit f on [lo, hi] by a polynomial in the given powers.

    weight(x, f(x)) scales the error (default: relative error). lead maps a power to a fixed
    coefficient. The first exact_first free coefficients are rounded one by one. Returns the
    coefficients as a dict {power: value} and the largest weighted error seen.
    """
    m = grid_per * (len(powers) + 2)
    lo, hi = mpf(lo), mpf(hi)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * mpmath.cos(mp.pi * (2 * i + 1) / (2 * m)) for i in range(m)]
    val = [f(x) for x in grid]
    if weight is None:
        weight = lambda x, v: 1 / abs(v)
    wts = [weight(x, v) for x, v in zip(grid, val)]
    floor = max(wts) * mpf(2) ** -80
    wts = [w if w > floor else floor for w in wts]
    fixed = dict(lead or {})
    rest = [v - sum(c * x ** p for p, c in fixed.items()) for x, v in zip(grid, val)]
    free = [p for p in powers if p not in fixed]
    for _ in range(exact_first):
        if not free:
            break
        c, _worst = remez(grid, rest, wts, free)
        r = rounded(c[0], bits)
        fixed[free[0]] = r
        rest = [v - r * x ** free[0] for x, v in zip(grid, rest)]
        free = free[1:]
    c, _worst = remez(grid, rest, wts, free)
    for p, k in zip(free, c):
        fixed[p] = rounded(k, bits)
    err = mpf(0)
    for x, v, w in zip(grid, val, wts):
        err = max(err, abs(w * (v - sum(k * x ** p for p, k in fixed.items()))))
    return fixed, err


def hexfloat(x, bits):
    """A C hexadecimal literal of x, which has at most `bits` bits."""
    if x == 0:
        return "0.0f" if bits == 24 else "0.0"
    s = "-" if x < 0 else ""
    m, e = mpmath.frexp(abs(x))
    width = (bits - 1 + 3) // 4 * 4
    frac = int(mpmath.ldexp(m * 2 - 1, width))
    digits = ("%0*x" % (width // 4, frac)).rstrip("0")
    return "%s0x1%s%sp%+d%s" % (s, "." if digits else "", digits, int(e) - 1, "f" if bits == 24 else "")

"""Floating point by exact rational arithmetic: the oracle of the instruction tests."""
from fractions import Fraction
from math import isqrt

FORMATS = {  # exponent bits, fraction bits
    "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "tf32": (8, 10),
}


class Special:
    def __init__(self, kind, sign=0):
        self.kind, self.sign = kind, sign


NAN = Special("nan")


def decode(fmt, bits, ftz=False):
    """(sign, Fraction) or Special."""
    e, f = FORMATS[fmt]
    sign, exp, frac = bits >> (e + f) & 1, bits >> f & ((1 << e) - 1), bits & ((1 << f) - 1)
    bias = (1 << (e - 1)) - 1
    if exp == (1 << e) - 1:
        return NAN if frac else Special("inf", sign)
    if exp == 0:
        frac = 0 if ftz else frac
        return sign, Fraction(frac) * Fraction(2) ** (1 - bias - f)
    return sign, Fraction(frac | 1 << f) * Fraction(2) ** (exp - bias - f)


def value(x):
    return -x[1] if x[0] else x[1]


def nan_bits(fmt):
    e, f = FORMATS[fmt]
    return ((1 << e) - 1) << f | 1 << (f - 1)


def inf_bits(fmt, sign):
    e, f = FORMATS[fmt]
    return sign << (e + f) | ((1 << e) - 1) << f


def is_nan(fmt, bits):
    e, f = FORMATS[fmt]
    return bits & ((1 << (e + f)) - 1) > ((1 << e) - 1) << f


def to_int(x, mode):
    """A Fraction to an integer: rn, rz, rm (down), rp (up), rna (ties away)."""
    low = x.numerator // x.denominator
    rest = x - low
    if mode == "rz":
        return low if x >= 0 or rest == 0 else low + 1
    if mode == "rm":
        return low
    if mode == "rp":
        return low + (rest > 0)
    if rest == Fraction(1, 2):
        if mode == "rna":
            return low + (x > 0)
        return low + (low & 1)
    return low + (rest > Fraction(1, 2))


def encode(fmt, x, mode="rn", sign=None, ftz=False):
    """A Fraction to bits; `sign` is that of a zero."""
    e, f = FORMATS[fmt]
    bias, top = (1 << (e - 1)) - 1, (1 << e) - 1
    if x == 0:
        return (sign or 0) << (e + f)
    s, a = (1 if x < 0 else 0), abs(x)
    exp = a.numerator.bit_length() - a.denominator.bit_length()
    if Fraction(2) ** exp > a:
        exp -= 1
    exp = max(exp, 1 - bias)
    unit = Fraction(2) ** (exp - f)
    directed = {"rm": "rp" if s else "rm", "rp": "rm" if s else "rp"}.get(mode, mode)
    n = to_int(a / unit, directed)
    if n >= 2 << f:
        n >>= 1
        exp += 1
    if exp > bias:
        largest = mode == "rz" or (mode == "rm" and not s) or (mode == "rp" and s)
        return s << (e + f) | ((top << f) - 1 if largest else top << f)
    if n < 1 << f:
        return s << (e + f) | (0 if ftz else n)
    return s << (e + f) | (exp + bias) << f | (n - (1 << f))


def add(fmt, a, b, mode="rn", ftz=False, negate=False):
    x, y = decode(fmt, a, ftz), decode(fmt, b, ftz)
    if isinstance(x, Special) or isinstance(y, Special):
        if x is NAN or y is NAN:
            return nan_bits(fmt)
        ys = (y.sign if isinstance(y, Special) else y[0]) ^ negate
        if isinstance(x, Special) and isinstance(y, Special):
            return inf_bits(fmt, x.sign) if x.sign == ys else nan_bits(fmt)
        return inf_bits(fmt, x.sign if isinstance(x, Special) else ys)
    y = (y[0] ^ negate, y[1])
    r = value(x) + value(y)
    sign = x[0] if x[1] == 0 and y[1] == 0 and x[0] == y[0] else int(mode == "rm")
    return encode(fmt, r, mode, sign, ftz)


def mul(fmt, a, b, mode="rn", ftz=False):
    x, y = decode(fmt, a, ftz), decode(fmt, b, ftz)
    if x is NAN or y is NAN:
        return nan_bits(fmt)
    xs, ys = (v.sign if isinstance(v, Special) else v[0] for v in (x, y))
    if isinstance(x, Special) or isinstance(y, Special):
        other = y if isinstance(x, Special) else x
        if not isinstance(other, Special) and other[1] == 0:
            return nan_bits(fmt)
        return inf_bits(fmt, xs ^ ys)
    return encode(fmt, value(x) * value(y), mode, xs ^ ys, ftz)


def div(fmt, a, b, mode="rn", ftz=False):
    x, y = decode(fmt, a, ftz), decode(fmt, b, ftz)
    if x is NAN or y is NAN:
        return nan_bits(fmt)
    xs, ys = (v.sign if isinstance(v, Special) else v[0] for v in (x, y))
    if isinstance(x, Special):
        return nan_bits(fmt) if isinstance(y, Special) else inf_bits(fmt, xs ^ ys)
    if isinstance(y, Special):
        return encode(fmt, Fraction(0), mode, xs ^ ys)
    if y[1] == 0:
        return nan_bits(fmt) if x[1] == 0 else inf_bits(fmt, xs ^ ys)
    return encode(fmt, value(x) / value(y), mode, xs ^ ys, ftz)


def fma(fmt, a, b, c, mode="rn", ftz=False):
    x, y, z = (decode(fmt, v, ftz) for v in (a, b, c))
    if NAN in (x, y, z):
        return nan_bits(fmt)
    xs, ys, zs = (v.sign if isinstance(v, Special) else v[0] for v in (x, y, z))
    if isinstance(x, Special) or isinstance(y, Special):
        other = y if isinstance(x, Special) else x
        if not isinstance(other, Special) and other[1] == 0:
            return nan_bits(fmt)
        if isinstance(z, Special) and zs != xs ^ ys:
            return nan_bits(fmt)
        return inf_bits(fmt, xs ^ ys)
    if isinstance(z, Special):
        return inf_bits(fmt, zs)
    prod = value(x) * value(y)
    sign = zs if prod == 0 and z[1] == 0 and (xs ^ ys) == zs else int(mode == "rm")
    return encode(fmt, prod + value(z), mode, sign, ftz)


def sqrt(fmt, a, mode="rn", ftz=False):
    x = decode(fmt, a, ftz)
    if x is NAN or (isinstance(x, Special) and x.sign) or (not isinstance(x, Special) and x[0] and x[1]):
        return nan_bits(fmt)
    if isinstance(x, Special):
        return a
    if x[1] == 0:
        return encode(fmt, Fraction(0), mode, x[0])
    # Enough bits that the remainder decides: a sticky bit below them.
    scaled = x[1] * 4 ** 600
    n = scaled.numerator // scaled.denominator
    r = isqrt(n)
    exact = r * r == n and scaled.denominator == 1
    return encode(fmt, Fraction(r, 2 ** 600) + (0 if exact else Fraction(1, 2 ** 620)), mode)


def minimum(fmt, a, b, ftz=False, nan=False, largest=False):
    if is_nan(fmt, a) or is_nan(fmt, b):
        if nan or (is_nan(fmt, a) and is_nan(fmt, b)):
            return nan_bits(fmt)
        a = b = b if is_nan(fmt, a) else a
    e, f = FORMATS[fmt]

    def flush(v):
        return v & 1 << (e + f) if ftz and not v >> f & ((1 << e) - 1) else v

    a, b = flush(a), flush(b)

    def order(v):  # -0 below +0
        return ~(v & ((1 << (e + f)) - 1)) if v >> (e + f) & 1 else v

    return (max if largest else min)(a, b, key=order)


def convert(to, frm, a, mode="rn", ftz=False):
    x = decode(frm, a, ftz and frm == "f32")
    if x is NAN:
        return nan_bits(to)
    if isinstance(x, Special):
        return inf_bits(to, x.sign)
    return encode(to, value(x), mode, x[0], ftz and to == "f32")


def to_integer(frm, a, bits, signed, mode, ftz=False):
    x = decode(frm, a, ftz)
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if x is NAN:
        return 1 << (bits - 1) if 64 in (bits, sum(FORMATS[frm]) + 1) else 0
    if isinstance(x, Special):
        r = lo if x.sign else hi
    else:
        r = min(max(to_int(value(x), mode), lo), hi)
    return r & ((1 << bits) - 1)

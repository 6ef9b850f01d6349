"""Special values: NaN, infinities, signed zeros, subnormal numbers, ends of ranges. Adds the family `special`.

What the PTX manual says of each instruction's special cases; on_gpu holds it against the hardware."""
from fractions import Fraction

import forms
import soft
from forms import M32, form, signed

VALUES = {}
for t in ("f16", "bf16", "f32", "f64"):
    e, f = soft.FORMATS[t]
    top, one = 1 << e + f, ((1 << e - 1) - 1) << f
    VALUES[t] = [0, top, one, one | top, soft.inf_bits(t, 0), soft.inf_bits(t, 1), soft.nan_bits(t), soft.nan_bits(t) | top | 1,
                 1, top | 1, (1 << f) - 1, top | (1 << f) - 1, 1 << f, top | 1 << f, soft.inf_bits(t, 0) - 1, soft.inf_bits(t, 1) - 1]


def every(*types):
    """Each special value of the first operand with many of the others; the rest as they come."""
    def inputs():
        rng = __import__("random").Random(str(types))
        for lane in range(forms.LANES):
            yield [VALUES[t][lane % 16] if k == 0 else VALUES[t][(lane * 5 + 3 * k + lane // 16) % 16] if rng.random() < .8 else
                   forms.floats(rng, t) for k, t in enumerate(types)]
    return list(inputs())


def special(text, result, types, want, check="exact", **more):
    form("special", text, result, types, want, every(*types), check, **more)


def flush(t, x):
    e, f = soft.FORMATS[t]
    return x & 1 << e + f if not x >> f & (1 << e) - 1 else x


def canonical(t):
    return (1 << sum(soft.FORMATS[t])) - 1


def pairs(t, n, want):
    """A form of f16x2 or bf16x2 from one of halves: 16 special values in each half."""
    rows = [[a | b << 16 for a, b in zip(x, y)] for x, y in zip(every(*[t] * n), every(*[t] * n)[7:] + every(*[t] * n)[:7])]
    return rows, lambda *v: sum(want(*(x >> s & 0xffff for x in v)) << s for s in (0, 16))


# ---- the sign, the smaller, the larger ----
for t in ("f32", "f64"):
    top = 1 << forms.WIDTH[t] - 1
    special(f"copysign.{t} d, a, b;", t, [t, t], lambda a, b, top=top: b & ~top | a & top, "bits")
special("neg.ftz.f32 d, a;", "f32", ["f32"], lambda a: flush("f32", a) ^ 1 << 31)
special("abs.ftz.f32 d, a;", "f32", ["f32"], lambda a: flush("f32", a) & ~(1 << 31))
special("neg.ftz.f16 d, a;", "f16", ["f16"], lambda a: flush("f16", a) ^ 1 << 15)
special("abs.ftz.f16 d, a;", "f16", ["f16"], lambda a: flush("f16", a) & ~(1 << 15))
for op, largest in (("min", False), ("max", True)):
    for t in ("f32", "f64", "f16", "bf16"):
        special(f"{op}.{t} d, a, b;", t, [t, t], lambda a, b, t=t, l=largest: soft.minimum(t, a, b, largest=l))
    for t, sm in (("f32", 80), ("f16", 80), ("bf16", 80)):
        n = forms.WIDTH[t]
        nan = lambda a, b, t=t, l=largest, z=False: (canonical(t) if soft.is_nan(t, a) or soft.is_nan(t, b) else
                                                     soft.minimum(t, a, b, z, largest=l))
        special(f"{op}.NaN.{t} d, a, b;", t, [t, t], nan, "bits", min_sm=sm)
        if t != "bf16":
            special(f"{op}.ftz.{t} d, a, b;", t, [t, t], lambda a, b, t=t, l=largest: soft.minimum(t, a, b, True, largest=l))
            special(f"{op}.ftz.NaN.{t} d, a, b;", t, [t, t], lambda a, b, f=nan: f(a, b, z=True), "bits", min_sm=sm)
        signs = lambda a, b, t=t, l=largest, n=n: (None if soft.is_nan(t, a) or soft.is_nan(t, b) else soft.minimum(
            t, a & ~(1 << n - 1), b & ~(1 << n - 1), largest=l) | (a ^ b) & 1 << n - 1)
        special(f"{op}.xorsign.abs.{t} d, a, b;", t, [t, t], signs, min_sm=86)
        special(f"{op}.NaN.xorsign.abs.{t} d, a, b;", t, [t, t],
                lambda a, b, f=signs, t=t: canonical(t) if f(a, b) is None else f(a, b), min_sm=86)
    for t in ("f16", "bf16"):
        rows, both = pairs(t, 2, lambda a, b, t=t, l=largest: soft.minimum(t, a, b, largest=l))
        form("special", f"{op}.{t}x2 d, a, b;", t + "x2", [t + "x2"] * 2, both, rows, "pair " + t)
        rows, both = pairs(t, 2, lambda a, b, t=t, l=largest: canonical(t) if soft.is_nan(t, a) or soft.is_nan(t, b) else
                           soft.minimum(t, a, b, largest=l))
        form("special", f"{op}.NaN.{t}x2 d, a, b;", t + "x2", [t + "x2"] * 2, both, rows, "bits")

# ---- sums and products ----
sat = {t: (lambda x, t=t: 0 if soft.is_nan(t, x) or x >> sum(soft.FORMATS[t]) else min(x, VALUES[t][2])) for t in ("f32", "f16")}
relu = {t: (lambda x, t=t: canonical(t) if soft.is_nan(t, x) else 0 if x >> sum(soft.FORMATS[t]) else x) for t in ("f16", "bf16")}
for t in ("f32", "f16"):
    for op, f in (("add", lambda t, a, b, z: soft.add(t, a, b, ftz=z)), ("sub", lambda t, a, b, z: soft.add(t, a, b, ftz=z, negate=True)),
                  ("mul", lambda t, a, b, z: soft.mul(t, a, b, ftz=z))):
        special(f"{op}.rn.ftz.{t} d, a, b;", t, [t, t], lambda a, b, t=t, f=f: f(t, a, b, True))
        special(f"{op}.rn.sat.{t} d, a, b;", t, [t, t], lambda a, b, t=t, f=f: sat[t](f(t, a, b, False)))
        special(f"{op}.rn.ftz.sat.{t} d, a, b;", t, [t, t], lambda a, b, t=t, f=f: sat[t](f(t, a, b, True)))
        if t == "f16":
            rows, both = pairs(t, 2, lambda a, b, t=t, f=f: f(t, a, b, True))
            form("special", f"{op}.rn.ftz.{t}x2 d, a, b;", t + "x2", [t + "x2"] * 2, both, rows, "pair " + t)
    special(f"fma.rn.ftz.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t: soft.fma(t, a, b, c, ftz=True))
    special(f"fma.rn.sat.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t: sat[t](soft.fma(t, a, b, c)))
for t in ("f16", "bf16"):
    special(f"fma.rn.relu.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t: relu[t](soft.fma(t, a, b, c)))
    rows, both = pairs(t, 3, lambda a, b, c, t=t: relu[t](soft.fma(t, a, b, c)))
    form("special", f"fma.rn.relu.{t}x2 d, a, b, c;", t + "x2", [t + "x2"] * 3, both, rows, "pair " + t)
for mode in ("rz", "rm", "rp"):
    special(f"add.{mode}.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b, m=mode: soft.add("f32", a, b, m, True))
    special(f"mul.{mode}.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b, m=mode: soft.mul("f32", a, b, m, True))
    special(f"fma.{mode}.ftz.f32 d, a, b, c;", "f32", ["f32"] * 3, lambda a, b, c, m=mode: soft.fma("f32", a, b, c, m, True))
    special(f"div.{mode}.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b, m=mode: soft.div("f32", a, b, m, True))
    special(f"sqrt.{mode}.ftz.f32 d, a;", "f32", ["f32"], lambda a, m=mode: soft.sqrt("f32", a, m, True))
special("div.rn.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.div("f32", a, b, ftz=True))
special("rcp.rn.ftz.f32 d, a;", "f32", ["f32"], lambda a: soft.div("f32", 0x3f800000, a, ftz=True))
special("sqrt.rn.ftz.f32 d, a;", "f32", ["f32"], lambda a: soft.sqrt("f32", a, ftz=True))

# ---- approximations at the ends of their ranges ----
INF, NEG, NAN = 0x7f800000, 0x80000000, 0x7fffffff
ENDS = {"rcp": {0: INF, NEG: INF | NEG, INF: 0, INF | NEG: NEG, NAN: NAN},
        "sqrt": {0: 0, NEG: NEG, INF: INF, INF | NEG: NAN, 0xbf800000: NAN, NAN: NAN},
        "rsqrt": {0: INF, NEG: INF | NEG, INF: 0, INF | NEG: NAN, 0xbf800000: NAN, NAN: NAN},
        "lg2": {0: INF | NEG, NEG: INF | NEG, INF: INF, INF | NEG: NAN, 0xbf800000: NAN, NAN: NAN, 0x3f800000: 0},
        "ex2": {0: 0x3f800000, NEG: 0x3f800000, INF: INF, INF | NEG: 0, NAN: NAN},
        "sin": {0: 0, NEG: NEG, INF: NAN, INF | NEG: NAN, NAN: NAN},
        "cos": {0: 0x3f800000, NEG: 0x3f800000, INF: NAN, INF | NEG: NAN, NAN: NAN},
        "tanh": {0: 0, NEG: NEG, INF: 0x3f800000, INF | NEG: 0xbf800000, NAN: NAN}}
for op, ends in ENDS.items():
    rows = [[list(ends)[lane % len(ends)]] for lane in range(forms.LANES)]
    form("special", f"{op}.approx.f32 d, a;", "f32", ["f32"], lambda a, e=ends: e[a], rows)
    if op != "tanh":
        tiny = dict(ends)  # with .ftz a subnormal number is a zero of its sign
        tiny.update({1: ends[0], NEG | 0x7fffff: ends[NEG]})
        rows = [[list(tiny)[lane % len(tiny)]] for lane in range(forms.LANES)]
        form("special", f"{op}.approx.ftz.f32 d, a;", "f32", ["f32"], lambda a, e=tiny: e[a], rows)
quotient = [[VALUES["f32"][i], VALUES["f32"][j]] for i in (0, 1, 2, 3, 4, 5, 6) for j in (0, 1, 2, 4, 5)][:32]
for how in ("approx", "full"):
    form("special", f"div.{how}.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.div("f32", a, b), quotient)

# ---- comparisons ----
for name in ("eq", "lt", "ge", "ne", "equ", "ltu", "neu", "num", "nan"):
    for t in ("f32", "f16"):
        special(f"setp.{name}.ftz.{t} p, a, b; selp.b32 d, 1, 0, p;", "b32", [t, t],
                lambda a, b, t=t, n=name: forms.float_compare(t, n)(flush(t, a), flush(t, b)))
    special(f"setp.{name}.f32 p|q, a, b; selp.b32 t, 2, 0, p; selp.b32 d, 1, 0, q; or.b32 d, d, t;", "b32", ["f32"] * 2,
            lambda a, b, n=name: 2 if forms.float_compare("f32", n)(a, b) else 1)
    if name not in ("num", "nan"):
        special(f"setp.{name}.bf16 p, a, b; selp.b32 d, 1, 0, p;", "b32", ["bf16"] * 2,
                lambda a, b, n=name: forms.float_compare("bf16", n)(a, b), min_sm=90)
special("set.lt.ftz.f32.f32 d, a, b;", "f32", ["f32"] * 2,
        lambda a, b: 0x3f800000 if forms.float_compare("f32", "lt")(flush("f32", a), flush("f32", b)) else 0)
form("special", "slct.ftz.f32.f32 d, a, b, c;", "f32", ["f32"] * 3,
     lambda a, b, c: a if not soft.is_nan("f32", c) and (flush("f32", c) in (0, NEG) or not c >> 31) else b,
     [[0x3f800000, 0x40000000, VALUES["f32"][lane % 16]] for lane in range(forms.LANES)])

# ---- conversions ----
for t in ("f32", "f64", "f16"):
    for i in ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"):
        n, s = int(i[1:]), i[0] == "s"
        if n == 8:  # the register is wider: extended by its sign
            special(f"cvt.rzi.{i}.{t} d, a;", "b16", [t], lambda a, t=t, s=s: (lambda r: signed(r, 8) if s else r)(soft.to_integer(t, a, 8, s, "rz")))
        else:
            special(f"cvt.rni.{i}.{t} d, a;", i, [t], lambda a, t=t, n=n, s=s: soft.to_integer(t, a, n, s, "rn"))
special("cvt.rni.ftz.s64.f32 d, a;", "s64", ["f32"], lambda a: soft.to_integer("f32", a, 64, True, "rn", True))
special("cvt.rpi.ftz.s32.f32 d, a;", "s32", ["f32"], lambda a: soft.to_integer("f32", a, 32, True, "rp", True))
special("cvt.rpi.ftz.f32.f32 d, a;", "f32", ["f32"], lambda a: flush("f32", a) if soft.is_nan("f32", a) or a & 0x7f800000 == INF else
        soft.encode("f32", Fraction(soft.to_int(soft.value(soft.decode("f32", a, True)), "rp")), sign=a >> 31))
for t in ("f16", "bf16"):
    special(f"cvt.rn.relu.{t}.f32 d, a;", t, ["f32"], lambda a, t=t: relu[t](soft.convert(t, "f32", a)))
special("cvt.rn.sat.f16.f32 d, a;", "f16", ["f32"], lambda a: sat["f16"](soft.convert("f16", "f32", a)))
special("cvt.rpi.f16.f16 d, a;", "f16", ["f16"], lambda a: a if soft.is_nan("f16", a) or a & 0x7c00 == 0x7c00 else
        soft.encode("f16", Fraction(soft.to_int(soft.value(soft.decode("f16", a)), "rp")), sign=a >> 15))


def tf32(mode):
    def f(a):
        x = soft.decode("f32", a)
        if isinstance(x, soft.Special):
            return None
        r = soft.encode("tf32", soft.value(x), mode, a >> 31) << 13
        return None if r & INF == INF else r
    return f


form("special", "cvt.rn.tf32.f32 d, a;", "b32", ["f32"], tf32("rn"), min_sm=90)
form("special", "cvt.rz.tf32.f32 d, a;", "b32", ["f32"], tf32("rz"), min_sm=90)

# ---- integers ----
edges = [0, 1, 2, M32, M32 - 1, 0x80000000, 0x7fffffff, 0x80000001]
three = [[edges[lane % 8], edges[lane // 8 * 2 % 8], edges[lane * 3 % 8]] for lane in range(forms.LANES)]
form("special", "mad.hi.sat.s32 d, a, b, c;", "s32", ["s32"] * 3,
     lambda a, b, c: min(max((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32), -2 ** 31), 2 ** 31 - 1), three)
form("special", "abs.s32 d, a;", "s32", ["s32"], lambda a: abs(signed(a, 32)), [[x[0]] for x in three])
form("special", "max.relu.s32 d, a, b;", "s32", ["s32"] * 2, lambda a, b: max(0, signed(a, 32), signed(b, 32)), [x[:2] for x in three], min_sm=90)
form("special", "min.relu.s16x2 d, a, b;", "b32", ["b32"] * 2,
     lambda a, b: sum(max(0, min(signed(a >> s, 16), signed(b >> s, 16))) << s for s in (0, 16)), [x[:2] for x in three], min_sm=90)
form("special", "sad.s64 d, a, b, c;", "s64", ["s64"] * 3, lambda a, b, c: abs(signed(a, 64) - signed(b, 64)) + c,
     [[x << 32 | x for x in row] for row in three])

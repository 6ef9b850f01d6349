"""Every instruction of the PTX front end's table, with what it must give.

A form is one instruction as the user writes it, `d` its result, `a`, `b`, `c`, `e` its operands; a
function from the bits of the operands to the bits of the result; and what the operands are. The
results come from Python's integers and soft.py's exact rationals, never from the compiler."""
import random
import soft

LANES = 32
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
FAMILIES = {}


class Form:
    def __init__(self, family, text, result, operands, want, inputs, check, decl="", body="", min_sm=80):
        self.text, self.result, self.operands = text, result, operands
        self.want, self.inputs, self.check = want, inputs, check
        self.decl, self.body, self.min_sm = decl, body, min_sm
        FAMILIES.setdefault(family, []).append(self)


WIDTH = {"b8": 8, "u16": 16, "s16": 16, "b16": 16, "f16": 16, "bf16": 16, "u32": 32, "s32": 32, "b32": 32,
         "f32": 32, "f16x2": 32, "bf16x2": 32, "u64": 64, "s64": 64, "b64": 64, "f64": 64, "pred": 1,
         "s16x2": 32, "u16x2": 32}


def signed(x, n):
    x &= (1 << n) - 1
    return x - (1 << n) if x >> (n - 1) else x


def integers(rng, n):
    special = [0, 1, 2, 3, 7, 31, 32, 33, (1 << n) - 1, 1 << (n - 1), (1 << (n - 1)) - 1, 0x55555555, 0xaaaaaaaa]
    pick = rng.random()
    if pick < 0.4:
        return rng.choice(special) & ((1 << n) - 1)
    if pick < 0.6:
        return rng.randrange(0, 100) & ((1 << n) - 1)
    return rng.getrandbits(n)


def floats(rng, fmt):
    e, f = soft.FORMATS[fmt]
    bias = (1 << (e - 1)) - 1
    pick = rng.random()
    sign = rng.getrandbits(1) << (e + f)
    if pick < 0.25:
        return rng.choice([0, 1 << (e + f), soft.inf_bits(fmt, 0), soft.inf_bits(fmt, 1), soft.nan_bits(fmt),
                           bias << f, bias << f | 1, (1 << f) - 1, 1, 1 << f, soft.inf_bits(fmt, 0) - 1])
    if pick < 0.9:
        return sign | (bias + rng.randrange(-4, 5)) << f | rng.getrandbits(f)
    return sign | rng.randrange(0, (1 << e) - 1) << f | rng.getrandbits(f)


def any_value(rng, t):
    if t == "pred":
        return rng.getrandbits(1)
    if t in soft.FORMATS:
        return floats(rng, t)
    if t in ("f16x2", "bf16x2"):
        return floats(rng, t[:-2]) | floats(rng, t[:-2]) << 16
    return integers(rng, WIDTH[t])


def form(family, text, result, operands, want, inputs=None, check="exact", **more):
    """`want` takes the operands' bits of one lane."""
    rng = random.Random(text)
    if inputs is None:
        inputs = [[any_value(rng, t) for t in operands] for _ in range(LANES)]
    elif callable(inputs):
        inputs = [inputs(rng) for _ in range(LANES)]
    inputs = [list(v) for v in inputs]
    wanted = [want(*v) for v in inputs]
    n = WIDTH[result]
    return Form(family, text, result, operands, [w & ((1 << n) - 1) if isinstance(w, int) else w for w in wanted],
                inputs, check, **more)


def warp(family, text, result, operands, want, inputs=None, check="exact", **more):
    """`want` takes the list of all lanes' operands and gives the list of all results."""
    rng = random.Random(text)
    if inputs is None:
        inputs = [[any_value(rng, t) for t in operands] for _ in range(LANES)]
    n = WIDTH[result]
    wanted = [w & ((1 << n) - 1) for w in want(inputs)]
    return Form(family, text, result, operands, wanted, inputs, check, **more)


# ---- integers ----
for t in ("s16", "u16", "s32", "u32", "s64", "u64"):
    n, s = WIDTH[t], t[0] == "s"
    v = (lambda x, n=n, s=s: signed(x, n) if s else x)

    def quotient(a, b, v=v, n=n):
        x, y = v(a), v(b)
        if y == 0:
            return None  # the machine's own
        q = abs(x) // abs(y)
        return (q if (x < 0) == (y < 0) else -q) & ((1 << n) - 1)

    def remainder(a, b, v=v, n=n, q=quotient):
        if v(b) == 0:
            return None
        d = signed(q(a, b), n) if v is not None and s else q(a, b)
        return (v(a) - d * v(b)) & ((1 << n) - 1)

    form("integer", f"add.{t} d, a, b;", t, [t, t], lambda a, b: a + b)
    form("integer", f"sub.{t} d, a, b;", t, [t, t], lambda a, b: a - b)
    form("integer", f"min.{t} d, a, b;", t, [t, t], lambda a, b, v=v: min(v(a), v(b)))
    form("integer", f"max.{t} d, a, b;", t, [t, t], lambda a, b, v=v: max(v(a), v(b)))
    form("integer", f"div.{t} d, a, b;", t, [t, t], quotient)
    form("integer", f"rem.{t} d, a, b;", t, [t, t], remainder)
    form("integer", f"mul.lo.{t} d, a, b;", t, [t, t], lambda a, b: a * b)
    form("integer", f"mul.hi.{t} d, a, b;", t, [t, t], lambda a, b, v=v, n=n: v(a) * v(b) >> n)
    form("integer", f"mad.lo.{t} d, a, b, c;", t, [t, t, t], lambda a, b, c: a * b + c)
    form("integer", f"mad.hi.{t} d, a, b, c;", t, [t, t, t], lambda a, b, c, v=v, n=n: (v(a) * v(b) >> n) + c)
    form("integer", f"sad.{t} d, a, b, c;", t, [t, t, t], lambda a, b, c, v=v: abs(v(a) - v(b)) + c)
    if n < 64:
        w = f"{t[0]}{2 * n}"
        form("integer", f"mul.wide.{t} d, a, b;", w, [t, t], lambda a, b, v=v: v(a) * v(b))
        form("integer", f"mad.wide.{t} d, a, b, c;", w, [t, t, w], lambda a, b, c, v=v: v(a) * v(b) + c)
    if s:
        form("integer", f"abs.{t} d, a;", t, [t], lambda a, v=v: abs(v(a)))
        form("integer", f"neg.{t} d, a;", t, [t], lambda a: -a)
    if n >= 32:
        form("integer", f"bfind.{t} d, a;", "u32", [t],
             lambda a, v=v, s=s, n=n: (~a & ((1 << n) - 1) if s and a >> (n - 1) else a).bit_length() - 1)
        form("integer", f"bfind.shiftamt.{t} d, a;", "u32", [t],
             lambda a, s=s, n=n: -1 if not (x := (~a & ((1 << n) - 1) if s and a >> (n - 1) else a)) else n - x.bit_length())
form("integer", "add.sat.s32 d, a, b;", "s32", ["s32", "s32"],
     lambda a, b: min(max(signed(a, 32) + signed(b, 32), -2 ** 31), 2 ** 31 - 1))
form("integer", "sub.sat.s32 d, a, b;", "s32", ["s32", "s32"],
     lambda a, b: min(max(signed(a, 32) - signed(b, 32), -2 ** 31), 2 ** 31 - 1))
form("integer", "add.cc.u32 t, a, b; addc.u32 d, c, e;", "u32", ["u32"] * 4, lambda a, b, c, e: c + e + (a + b >> 32))
form("integer", "sub.cc.u32 t, a, b; subc.u32 d, c, e;", "u32", ["u32"] * 4, lambda a, b, c, e: c - e - (a < b))
form("integer", "sub.cc.u32 t, a, b; addc.u32 d, c, e;", "u32", ["u32"] * 4, lambda a, b, c, e: c + e + (a >= b))
form("integer", "add.cc.u64 u, a, b; addc.cc.u64 u, a, a; addc.u64 d, c, e;", "u64", ["u64"] * 4,
     lambda a, b, c, e: c + e + (2 * a + (a + b >> 64) >> 64))
form("integer", "mad.lo.cc.u32 t, a, b, c; madc.hi.u32 d, a, b, e;", "u32", ["u32"] * 4,
     lambda a, b, c, e: (a * b >> 32) + e + ((a * b & M32) + c >> 32))
form("integer", "mul24.lo.s32 d, a, b;", "s32", ["s32", "s32"], lambda a, b: signed(a, 24) * signed(b, 24))
form("integer", "mul24.hi.s32 d, a, b;", "s32", ["s32", "s32"], lambda a, b: signed(a, 24) * signed(b, 24) >> 16)
form("integer", "mul24.lo.u32 d, a, b;", "u32", ["u32", "u32"], lambda a, b: (a & 0xffffff) * (b & 0xffffff))
form("integer", "mad24.lo.s32 d, a, b, c;", "s32", ["s32"] * 3, lambda a, b, c: signed(a, 24) * signed(b, 24) + c)
form("integer", "mad24.hi.u32 d, a, b, c;", "u32", ["u32"] * 3, lambda a, b, c: ((a & 0xffffff) * (b & 0xffffff) >> 16) + c)
for x in "su":
    for y in "su":
        def dot4(a, b, c, x=x, y=y):
            f = lambda w, i, k: signed(w >> 8 * i, 8) if k == "s" else w >> 8 * i & 255
            return c + sum(f(a, i, x) * f(b, i, y) for i in range(4))

        def dot2(a, b, c, hi, x=x, y=y):
            f = lambda w, i, n, k: signed(w >> n * i, n) if k == "s" else w >> n * i & ((1 << n) - 1)
            return c + sum(f(a, i, 16, x) * f(b, i + hi, 8, y) for i in range(2))

        form("integer", f"dp4a.{x}32.{y}32 d, a, b, c;", "b32", ["b32"] * 3, dot4)
        form("integer", f"dp2a.lo.{x}32.{y}32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c, f=dot2: f(a, b, c, 0))
        form("integer", f"dp2a.hi.{x}32.{y}32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c, f=dot2: f(a, b, c, 2))
pairwise = lambda op, s: lambda a, b: sum((op(*(signed(v >> 16 * i, 16) if s else v >> 16 * i & 0xffff for v in (a, b))) & 0xffff) << 16 * i for i in range(2))
form("integer", "add.s16x2 d, a, b;", "b32", ["b32"] * 2, pairwise(lambda a, b: a + b, True), min_sm=90)
form("integer", "min.s16x2 d, a, b;", "b32", ["b32"] * 2, pairwise(min, True), min_sm=90)
form("integer", "max.u16x2 d, a, b;", "b32", ["b32"] * 2, pairwise(max, False), min_sm=90)
form("integer", "min.relu.s32 d, a, b;", "s32", ["s32"] * 2, lambda a, b: max(0, min(signed(a, 32), signed(b, 32))), min_sm=90)

# ---- bits ----
for t in ("b16", "b32", "b64"):
    n = WIDTH[t]
    for op, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
        form("bits", f"{op}.{t} d, a, b;", t, [t, t], f)
    form("bits", f"not.{t} d, a;", t, [t], lambda a: ~a)
    form("bits", f"cnot.{t} d, a;", t, [t], lambda a: int(a == 0))
    form("bits", f"shl.{t} d, a, b;", t, [t, "u32"], lambda a, b, n=n: a << b if b < n else 0)
    form("bits", f"shr.u{n} d, a, b;", t, [t, "u32"], lambda a, b, n=n: a >> b if b < n else 0)
    form("bits", f"shr.s{n} d, a, b;", t, [t, "u32"], lambda a, b, n=n: signed(a, n) >> min(b, n))
    if n >= 32:
        form("bits", f"popc.{t} d, a;", "u32", [t], lambda a: a.bit_count())
        form("bits", f"clz.{t} d, a;", "u32", [t], lambda a, n=n: n - a.bit_length())
        form("bits", f"brev.{t} d, a;", t, [t], lambda a, n=n: int(f"{a:0{n}b}"[::-1], 2))
        small = lambda rng, n=n: [rng.getrandbits(n), rng.getrandbits(n), rng.randrange(0, 80), rng.randrange(0, 80)]
        form("bits", f"bfi.{t} d, a, b, c, e;", t, [t, t, "u32", "u32"],
             lambda a, b, c, e, n=n: (b & ~(((1 << e) - 1) << c) | (a & ((1 << e) - 1)) << c) & ((1 << n) - 1), small)

        def extract(a, c, e, n, s):
            top = a >> min(c + e - 1, n - 1) & 1 if e else 0
            r = 0
            for i in range(n):
                r |= (a >> c + i & 1 if i < e and c + i < n else top if s else 0) << i
            return r if e else 0

        small = lambda rng, n=n: [rng.getrandbits(n), rng.randrange(0, 80), rng.randrange(0, 80)]
        form("bits", f"bfe.u{n} d, a, b, c;", t, [t, "u32", "u32"], lambda a, c, e, n=n: extract(a, c, e, n, False), small)
        form("bits", f"bfe.s{n} d, a, b, c;", t, [t, "u32", "u32"], lambda a, c, e, n=n: extract(a, c, e, n, True), small)


def nth_bit(mask, base, n):
    step, at = (1 if n > 0 else -1), base
    if n == 0:
        return base if mask >> base & 1 else M32
    count = 0
    while 0 <= at < 32:
        count += mask >> at & 1
        if count == abs(n):
            return at
        at += step
    return M32


form("bits", "fns.b32 d, a, b, c;", "b32", ["b32", "b32", "s32"],
     lambda a, b, c: nth_bit(a, b, signed(c, 32)),
     lambda rng: [rng.getrandbits(32) & rng.getrandbits(32), rng.randrange(32), rng.randrange(-9, 10) & M32])
shift = lambda rng: [rng.getrandbits(32), rng.getrandbits(32), rng.randrange(0, 70)]
form("bits", "shf.l.wrap.b32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c: (b << 32 | a) << (c & 31) >> 32, shift)
form("bits", "shf.r.wrap.b32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c: (b << 32 | a) >> (c & 31), shift)
form("bits", "shf.l.clamp.b32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32, shift)
form("bits", "shf.r.clamp.b32 d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c: (b << 32 | a) >> min(c, 32), shift)
form("bits", "bmsk.clamp.b32 d, a, b;", "b32", ["b32"] * 2,
     lambda a, b: ((1 << min(b, 32)) - 1) << a if a < 32 else 0, lambda r: [r.randrange(40), r.randrange(40)])
form("bits", "bmsk.wrap.b32 d, a, b;", "b32", ["b32"] * 2,
     lambda a, b: ((1 << (b & 31)) - 1) << (a & 31), lambda r: [r.randrange(80), r.randrange(80)])
size = lambda r: [r.getrandbits(32), r.randrange(40)]
form("bits", "szext.clamp.s32 d, a, b;", "s32", ["s32", "u32"], lambda a, b: signed(a, min(b, 32)) if b else 0, size)
form("bits", "szext.wrap.s32 d, a, b;", "s32", ["s32", "u32"], lambda a, b: signed(a, b & 31) if b & 31 else 0, size)
form("bits", "szext.clamp.u32 d, a, b;", "u32", ["u32", "u32"], lambda a, b: a & ((1 << min(b, 32)) - 1), size)
for table in (0x00, 0x80, 0x96, 0xe8, 0x1b, 0xca, 0xff):
    lut = lambda a, b, c, t=table: sum((t >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))
    form("bits", f"lop3.b32 d, a, b, c, {table:#x};", "b32", ["b32"] * 3, lut)
    form("bits", f"lop3.or.b32 t|p, a, b, c, {table:#x}, q; selp.b32 d, t, -1, p;", "b32", ["b32"] * 3,
         lambda a, b, c, l=lut: l(a, b, c) if l(a, b, c) else M32)
form("bits", "lop3.and.b32 t|p, a, b, c, 0x80, q; selp.b32 d, 1, 2, p;", "b32", ["b32"] * 3, lambda a, b, c: 2)


def permute(a, b, c):
    r = 0
    for i in range(4):
        n = c >> 4 * i & 15
        byte = (b << 32 | a) >> 8 * (n & 7) & 255
        r |= (255 * (byte >> 7) if n & 8 else byte) << 8 * i
    return r


def permute_mode(mode):
    def f(a, b, c):
        w = b << 32 | a
        k = c & 3
        pick = {"f4e": [k, k + 1, k + 2, k + 3], "b4e": [k, (k - 1) % 8, (k - 2) % 8, (k - 3) % 8], "rc8": [k] * 4,
                "ecl": [max(i, k) for i in range(4)], "ecr": [min(i, k) for i in range(4)],
                "rc16": [0, 1, 0, 1] if k % 2 == 0 else [2, 3, 2, 3]}[mode]
        return sum((w >> 8 * p & 255) << 8 * i for i, p in enumerate(pick))
    return f


form("bits", "prmt.b32 d, a, b, c;", "b32", ["b32"] * 3, permute)
for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
    form("bits", f"prmt.b32.{mode} d, a, b, c;", "b32", ["b32"] * 3, permute_mode(mode))

# ---- floats ----
for t in ("f32", "f64"):
    for mode in ("rn", "rz", "rm", "rp"):
        form("float", f"add.{mode}.{t} d, a, b;", t, [t, t], lambda a, b, t=t, m=mode: soft.add(t, a, b, m))
        form("float", f"sub.{mode}.{t} d, a, b;", t, [t, t], lambda a, b, t=t, m=mode: soft.add(t, a, b, m, negate=True))
        form("float", f"mul.{mode}.{t} d, a, b;", t, [t, t], lambda a, b, t=t, m=mode: soft.mul(t, a, b, m))
        form("float", f"div.{mode}.{t} d, a, b;", t, [t, t], lambda a, b, t=t, m=mode: soft.div(t, a, b, m))
        form("float", f"fma.{mode}.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t, m=mode: soft.fma(t, a, b, c, m))
        form("float", f"sqrt.{mode}.{t} d, a;", t, [t], lambda a, t=t, m=mode: soft.sqrt(t, a, m))
        form("float", f"rcp.{mode}.{t} d, a;", t, [t], lambda a, t=t, m=mode: soft.div(t, 0x3f800000 if t == "f32" else 0x3ff << 52, a, m))
    form("float", f"mad.rn.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t: soft.fma(t, a, b, c))
    form("float", f"min.{t} d, a, b;", t, [t, t], lambda a, b, t=t: soft.minimum(t, a, b))
    form("float", f"max.{t} d, a, b;", t, [t, t], lambda a, b, t=t: soft.minimum(t, a, b, largest=True))
    top = 1 << WIDTH[t] - 1
    form("float", f"neg.{t} d, a;", t, [t], lambda a, top=top: a ^ top)
    form("float", f"abs.{t} d, a;", t, [t], lambda a, top=top: a & ~top)
    form("float", f"copysign.{t} d, a, b;", t, [t, t], lambda a, b, top=top: b & ~top | a & top)
    for what, f in (("finite", lambda t, a: not isinstance(soft.decode(t, a), soft.Special)),
                    ("infinite", lambda t, a: isinstance(soft.decode(t, a), soft.Special) and not soft.is_nan(t, a)),
                    ("number", lambda t, a: not soft.is_nan(t, a)), ("notanumber", soft.is_nan),
                    ("normal", lambda t, a: not isinstance(soft.decode(t, a), soft.Special) and
                     (soft.decode(t, a)[1] >= soft.decode(t, 1 << soft.FORMATS[t][1])[1] or soft.decode(t, a)[1] == 0)),
                    ("subnormal", lambda t, a: not isinstance(soft.decode(t, a), soft.Special) and
                     0 < soft.decode(t, a)[1] < soft.decode(t, 1 << soft.FORMATS[t][1])[1])):
        form("float", f"testp.{what}.{t} p, a; selp.b32 d, 1, 0, p;", "b32", [t], lambda a, t=t, f=f: int(f(t, a)))
one, zero32 = 0x3f800000, 0
clamp01 = lambda x: 0 if soft.is_nan("f32", x) or x >> 31 else min(x, one)
form("float", "add.sat.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: clamp01(soft.add("f32", a, b)))
form("float", "add.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.add("f32", a, b, ftz=True))
form("float", "mul.ftz.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.mul("f32", a, b, ftz=True))
form("float", "fma.rn.ftz.sat.f32 d, a, b, c;", "f32", ["f32"] * 3, lambda a, b, c: clamp01(soft.fma("f32", a, b, c, ftz=True)))
form("float", "min.ftz.NaN.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.minimum("f32", a, b, True, True))
form("float", "max.NaN.f32 d, a, b;", "f32", ["f32"] * 2, lambda a, b: soft.minimum("f32", a, b, False, True, True))
form("float", "min.xorsign.abs.f32 d, a, b;", "f32", ["f32"] * 2,
     lambda a, b: None if soft.is_nan("f32", a) or soft.is_nan("f32", b) else
     soft.minimum("f32", a & ~(1 << 31), b & ~(1 << 31)) | (a ^ b) & 1 << 31, min_sm=86)
import math
from fractions import Fraction


def approx(fn, domain=None):
    def f(a):
        x = soft.decode("f32", a)
        if isinstance(x, soft.Special):
            return None
        try:
            return ("f32", fn(float(soft.value(x))))
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
    return f


usual = lambda rng: [soft.encode("f32", Fraction(rng.uniform(-3, 3)))]
positive = lambda rng: [soft.encode("f32", Fraction(rng.uniform(0.01, 30)))]
for name, fn, dom, tol in (("sin", math.sin, usual, 2 ** -20), ("cos", math.cos, usual, 2 ** -20),
                           ("ex2", lambda x: 2 ** x, usual, 2 ** -20), ("lg2", math.log2, positive, 2 ** -20),
                           ("rsqrt", lambda x: x ** -0.5, positive, 2 ** -20), ("sqrt", math.sqrt, positive, 2 ** -20),
                           ("rcp", lambda x: 1 / x, positive, 2 ** -20)):
    form("float", f"{name}.approx.f32 d, a;", "f32", ["f32"], approx(fn), dom, check=tol)
    form("float", f"{name}.approx.ftz.f32 d, a;", "f32", ["f32"], approx(fn), dom, check=tol)
form("float", "tanh.approx.f32 d, a;", "f32", ["f32"], approx(math.tanh), usual, check=2 ** -10)
quot = lambda a, b: ("f32", float(soft.value(soft.decode("f32", a)) / soft.value(soft.decode("f32", b))))
form("float", "div.approx.f32 d, a, b;", "f32", ["f32"] * 2, quot, lambda r: positive(r) + positive(r), check=2 ** -20)
form("float", "div.full.f32 d, a, b;", "f32", ["f32"] * 2, quot, lambda r: positive(r) + positive(r), check=2 ** -20)
form("float", "rcp.approx.ftz.f64 d, a;", "f64", ["f64"],
     lambda a: ("f64", float(1 / soft.value(soft.decode("f64", a)))),
     lambda r: [soft.encode("f64", Fraction(r.uniform(0.1, 9)))], check=2 ** -18)
form("float", "rsqrt.approx.f64 d, a;", "f64", ["f64"],
     lambda a: ("f64", float(soft.value(soft.decode("f64", a))) ** -0.5),
     lambda r: [soft.encode("f64", Fraction(r.uniform(0.1, 9)))], check=2 ** -18)

# ---- halves ----
for t, sm in (("f16", 80), ("bf16", 90)):
    both = lambda f, n: lambda *v: sum(f(*(x >> 16 * i & 0xffff for x in v)) << 16 * i for i in range(2))
    ops = (("add", "rn.", 2, lambda a, b, t=t: soft.add(t, a, b)), ("sub", "rn.", 2, lambda a, b, t=t: soft.add(t, a, b, negate=True)),
           ("mul", "rn.", 2, lambda a, b, t=t: soft.mul(t, a, b)), ("fma", "rn.", 3, lambda a, b, c, t=t: soft.fma(t, a, b, c)),
           ("min", "", 2, lambda a, b, t=t: soft.minimum(t, a, b)), ("max", "", 2, lambda a, b, t=t: soft.minimum(t, a, b, largest=True)),
           ("neg", "", 1, lambda a: a ^ 0x8000), ("abs", "", 1, lambda a: a & 0x7fff))
    for op, mode, n, f in ops:
        args = ", ".join("abc"[:n])
        need = sm if op in ("add", "sub", "mul") else 80
        form("half", f"{op}.{mode}{t} d, {args};", t, [t] * n, f, min_sm=need)
        form("half", f"{op}.{mode}{t}x2 d, {args};", t + "x2", [t + "x2"] * n, both(f, n), check="pair " + t, min_sm=need)
    relu = lambda x, t=t: soft.nan_bits(t) if soft.is_nan(t, x) else 0 if x >> 15 else x
    form("half", f"fma.rn.relu.{t} d, a, b, c;", t, [t] * 3, lambda a, b, c, t=t, r=relu: r(soft.fma(t, a, b, c)))
    form("half", f"max.NaN.{t} d, a, b;", t, [t] * 2, lambda a, b, t=t: soft.minimum(t, a, b, False, True, True))
sat16 = lambda x: 0 if soft.is_nan("f16", x) or x >> 15 else min(x, 0x3c00)
form("half", "fma.rn.sat.f16 d, a, b, c;", "f16", ["f16"] * 3, lambda a, b, c: sat16(soft.fma("f16", a, b, c)))
form("half", "ex2.approx.f16 d, a;", "f16", ["f16"], lambda a: ("f16", 2.0 ** float(soft.value(soft.decode("f16", a)))),
     lambda r: [soft.encode("f16", Fraction(r.uniform(-3, 3)))], check=2 ** -9)
form("half", "tanh.approx.f16 d, a;", "f16", ["f16"], lambda a: ("f16", math.tanh(float(soft.value(soft.decode("f16", a))))),
     lambda r: [soft.encode("f16", Fraction(r.uniform(-3, 3)))], check=2 ** -9)

# ---- comparison ----
INT_CMP = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
equalish = lambda t: lambda rng: (lambda a, b: [a, a if rng.random() < .3 else b])(any_value(rng, t), any_value(rng, t))
for t in ("s16", "u16", "s32", "u32", "s64", "u64"):
    n, s = WIDTH[t], t[0] == "s"
    for name, f in INT_CMP.items():
        form("compare", f"setp.{name}.{t} p, a, b; selp.b32 d, 1, 0, p;", "b32", [t, t],
             lambda a, b, f=f, n=n, s=s: int(f(signed(a, n), signed(b, n)) if s else f(a, b)), equalish(t))
for name, f in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")):
    form("compare", f"setp.{name}.u32 p, a, b; selp.b32 d, 1, 0, p;", "b32", ["u32"] * 2,
         lambda a, b, f=INT_CMP[f]: int(f(a, b)), equalish("u32"))


def float_compare(t, name):
    plain = INT_CMP.get(name) or INT_CMP.get(name[:-1])

    def f(a, b):
        nan = soft.is_nan(t, a) or soft.is_nan(t, b)
        if name in ("num", "nan"):
            return int(nan == (name == "nan"))
        if nan:
            return int(name.endswith("u"))
        big = 10 ** 400
        x, y = (((-big if v.sign else big) if isinstance(v, soft.Special) else soft.value(v)) for v in (soft.decode(t, a), soft.decode(t, b)))
        return int(plain(x, y))
    return f


for t in ("f32", "f64", "f16"):
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        form("compare", f"setp.{name}.{t} p, a, b; selp.b32 d, 1, 0, p;", "b32", [t, t], float_compare(t, name), equalish(t))
form("compare", "setp.lt.and.s32 p|q, a, b, w; selp.b32 t, 2, 0, p; selp.b32 d, 1, 0, q; or.b32 d, d, t;", "b32", ["s32", "s32", "pred"],
     lambda a, b, w: (2 * (signed(a, 32) < signed(b, 32)) + (signed(a, 32) >= signed(b, 32))) * w)
form("compare", "setp.ge.or.u32 p, a, b, !w; selp.b32 d, 1, 0, p;", "b32", ["u32", "u32", "pred"], lambda a, b, w: int(a >= b or not w))
form("compare", "setp.eq.xor.f32 p, a, b, w; selp.b32 d, 1, 0, p;", "b32", ["f32", "f32", "pred"], lambda a, b, w: float_compare("f32", "eq")(a, b) ^ w)
form("compare", "set.lt.u32.s32 d, a, b;", "u32", ["s32"] * 2, lambda a, b: -int(signed(a, 32) < signed(b, 32)))
form("compare", "set.gt.f32.u32 d, a, b;", "f32", ["u32"] * 2, lambda a, b: one if a > b else 0)
form("compare", "set.le.and.s32.f32 d, a, b, w;", "s32", ["f32", "f32", "pred"], lambda a, b, w: -(float_compare("f32", "le")(a, b) & w))
form("compare", "setp.lt.f16x2 p|q, a, b; selp.b32 t, 2, 0, p; selp.b32 d, 1, 0, q; or.b32 d, d, t;", "b32", ["f16x2"] * 2,
     lambda a, b: 2 * float_compare("f16", "lt")(a & 0xffff, b & 0xffff) + float_compare("f16", "lt")(a >> 16, b >> 16))
for t in ("b16", "b32", "b64", "f32", "f64"):
    form("compare", f"selp.{t} d, a, b, w;", t, [t, t, "pred"], lambda a, b, w: a if w else b, check="bits")
form("compare", "slct.u32.s32 d, a, b, c;", "u32", ["u32", "u32", "s32"], lambda a, b, c: a if signed(c, 32) >= 0 else b)
form("compare", "slct.f64.f32 d, a, b, c;", "f64", ["f64", "f64", "f32"],
     lambda a, b, c: a if not soft.is_nan("f32", c) and (c < 1 << 31 or c == 1 << 31) else b, check="bits")

# ---- moves and conversions ----
for t in ("b16", "b32", "b64", "f32", "f64"):
    form("move", f"mov.{t} d, a;", t, [t], lambda a: a, check="bits")
form("move", "mov.b64 {t, h}, a; mov.b64 d, {h, t};", "b64", ["b64"], lambda a: a >> 32 | (a & M32) << 32)
form("move", "mov.b32 {i, j}, a; mov.b32 d, {j, i};", "b32", ["b32"], lambda a: a >> 16 | (a & 0xffff) << 16)
form("move", "mov.b64 {i, j, k, l}, a; mov.b64 d, {l, k, j, i};", "b64", ["b64"],
     lambda a: sum((a >> 16 * i & 0xffff) << 48 - 16 * i for i in range(4)))
form("move", "mov.u32 d, %laneid; add.u32 d, d, a;", "u32", ["u32"], lambda a: 0, check="lane+a")
form("move", "mov.pred p, w; selp.b32 d, 7, 9, p;", "b32", ["pred"], lambda w: 7 if w else 9)
form("move", "@w mov.b32 d, a; @!w mov.b32 d, b;", "b32", ["b32", "b32", "pred"], lambda a, b, w: a if w else b)
form("move", "and.pred p, w, q; or.pred p, p, w; xor.pred p, p, q; not.pred p, p; selp.b32 d, 1, 0, p;", "b32", ["pred"], lambda w: 1 - w)
INTS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
for a in INTS:
    for b in INTS:
        if a == b:
            continue
        na, nb = int(a[1:]), int(b[1:])
        src, dst = f"b{max(nb, 16)}", f"b{max(na, 16)}"
        read = lambda x, nb=nb, b=b: signed(x, nb) if b[0] == "s" else x & ((1 << nb) - 1)
        wide = lambda r, na=na, a=a: signed(r, na) if a[0] == "s" else r & ((1 << na) - 1)
        form("convert", f"cvt.{a}.{b} d, a;", dst, [src], lambda x, r=read, w=wide: w(r(x)))
        lo, hi = (-(1 << na - 1), (1 << na - 1) - 1) if a[0] == "s" else (0, (1 << na) - 1)
        if na < nb or (na == nb and a != b) or (a[0] == "u" and b[0] == "s"):
            form("convert", f"cvt.sat.{a}.{b} d, a;", dst, [src], lambda x, r=read, lo=lo, hi=hi: min(max(r(x), lo), hi))
for t in ("f32", "f64", "f16"):
    for i in ("s16", "u16", "s32", "u32", "s64", "u64"):
        n, s = WIDTH[i], i[0] == "s"
        for mode in ("rn", "rz", "rm", "rp"):
            form("convert", f"cvt.{mode}i.{i}.{t} d, a;", i, [t],
                 lambda a, t=t, n=n, s=s, m=mode: soft.to_integer(t, a, n, s, m))
            form("convert", f"cvt.{mode}.{t}.{i} d, a;", t, [i],
                 lambda a, t=t, n=n, s=s, m=mode: soft.encode(t, Fraction(signed(a, n) if s else a), m))
for mode in ("rn", "rz", "rm", "rp"):
    form("convert", f"cvt.{mode}.f32.f64 d, a;", "f32", ["f64"], lambda a, m=mode: soft.convert("f32", "f64", a, m))

    def integral(t, a, m):
        x = soft.decode(t, a)
        if isinstance(x, soft.Special):
            return a
        return soft.encode(t, Fraction(soft.to_int(soft.value(x), m)), sign=x[0])

    form("convert", f"cvt.{mode}i.f32.f32 d, a;", "f32", ["f32"], lambda a, m=mode: integral("f32", a, m))
    form("convert", f"cvt.{mode}i.f64.f64 d, a;", "f64", ["f64"], lambda a, m=mode: integral("f64", a, m))
for mode in ("rn", "rz"):
    form("convert", f"cvt.{mode}.f16.f32 d, a;", "f16", ["f32"], lambda a, m=mode: soft.convert("f16", "f32", a, m))
    form("convert", f"cvt.{mode}.bf16.f32 d, a;", "bf16", ["f32"], lambda a, m=mode: soft.convert("bf16", "f32", a, m))
    for t in ("f16", "bf16"):
        form("convert", f"cvt.{mode}.{t}x2.f32 d, a, b;", t + "x2", ["f32", "f32"],
             lambda a, b, t=t, m=mode: soft.convert(t, "f32", a, m) << 16 | soft.convert(t, "f32", b, m), check="pair " + t)
        reluf = lambda x, t=t: soft.nan_bits(t) if soft.is_nan(t, x) else 0 if x >> 15 else x
        form("convert", f"cvt.{mode}.relu.{t}x2.f32 d, a, b;", t + "x2", ["f32", "f32"],
             lambda a, b, t=t, m=mode, r=reluf: r(soft.convert(t, "f32", a, m)) << 16 | r(soft.convert(t, "f32", b, m)), check="pair " + t)
form("convert", "cvt.f32.f16 d, a;", "f32", ["f16"], lambda a: soft.convert("f32", "f16", a))
form("convert", "cvt.f64.f32 d, a;", "f64", ["f32"], lambda a: soft.convert("f64", "f32", a))
form("convert", "cvt.f64.f16 d, a;", "f64", ["f16"], lambda a: soft.convert("f64", "f16", a))
form("convert", "cvt.f32.bf16 d, a;", "f32", ["bf16"], lambda a: soft.convert("f32", "bf16", a), min_sm=90)
form("convert", "cvt.rn.sat.f32.f64 d, a;", "f32", ["f64"], lambda a: clamp01(soft.convert("f32", "f64", a)))
form("convert", "cvt.sat.f32.f32 d, a;", "f32", ["f32"], clamp01)
form("convert", "cvt.ftz.f32.f16 d, a;", "f32", ["f16"], lambda a: soft.convert("f32", "f16", a))
form("convert", "cvt.rn.ftz.f32.f64 d, a;", "f32", ["f64"], lambda a: soft.convert("f32", "f64", a, ftz=True))
form("convert", "cvt.rni.ftz.s32.f32 d, a;", "s32", ["f32"], lambda a: soft.to_integer("f32", a, 32, True, "rn", True))
form("convert", "cvt.rna.tf32.f32 d, a;", "b32", ["f32"],
     lambda a: None if isinstance(soft.decode("f32", a), soft.Special) else
     (lambda r: None if r >> 10 & 255 == 255 else r << 13)(soft.encode("tf32", soft.value(soft.decode("f32", a)), "rna", a >> 31)))
form("convert", "cvt.pack.sat.s16.s32 d, a, b;", "b32", ["s32", "s32"],
     lambda a, b: sum((min(max(signed(v, 32), -32768), 32767) & 0xffff) << s for v, s in ((a, 16), (b, 0))))
form("convert", "cvt.pack.sat.u8.s32.b32 d, a, b, c;", "b32", ["s32", "s32", "b32"],
     lambda a, b, c: c << 16 | min(max(signed(a, 32), 0), 255) << 8 | min(max(signed(b, 32), 0), 255))
E8 = {"e4m3": (4, 3, 448), "e5m2": (5, 2, 57344)}


def to_fp8(fmt, x):
    """f32 or f16 value as Special or (sign, Fraction)."""
    e, f, top = E8[fmt]
    if x is soft.NAN:
        return 0x7f
    if isinstance(x, soft.Special):
        return x.sign << 7 | (0x7e if fmt == "e4m3" else 0x7b)
    soft.FORMATS["e8"] = (e, f) if fmt == "e5m2" else (4, 3)
    if x[1] >= top:
        return x[0] << 7 | (0x7e if fmt == "e4m3" else 0x7b)
    if fmt == "e4m3":  # one binade more than IEEE: round by hand
        exp = max(x[1].numerator.bit_length() - x[1].denominator.bit_length(), -6) if x[1] else -6
        while exp > -6 and Fraction(2) ** exp > x[1]:
            exp -= 1
        n = soft.to_int(x[1] / Fraction(2) ** (exp - 3), "rn")
        if n == 16:
            n, exp = 8, exp + 1
        r = n if n < 8 else (exp + 7) << 3 | n - 8
        return x[0] << 7 | min(r, 0x7e)
    return soft.encode("e8", soft.value(x), "rn", x[0])


def from_fp8(fmt, b):
    if fmt == "e5m2":
        return b << 8 if b & 0x7f <= 0x7c else soft.nan_bits("f16")
    if b & 0x7f == 0x7f:
        return soft.nan_bits("f16")
    e, f = b >> 3 & 15, b & 7
    v = Fraction(f, 8) * Fraction(2) ** -6 if not e else (1 + Fraction(f, 8)) * Fraction(2) ** (e - 7)
    return soft.encode("f16", -v if b >> 7 else v, sign=b >> 7)


near8 = lambda rng: [soft.encode("f32", Fraction(rng.choice([-1, 1]) * rng.uniform(0.5, 2) * 2.0 ** rng.randrange(-18, 18))) for _ in range(2)] \
    if rng.random() < .8 else [floats(rng, "f32"), floats(rng, "f32")]
for fmt in E8:
    form("convert", f"cvt.rn.satfinite.{fmt}x2.f32 d, a, b;", "b16", ["f32", "f32"],
         lambda a, b, f=fmt: to_fp8(f, soft.decode("f32", a)) << 8 | to_fp8(f, soft.decode("f32", b)), near8, min_sm=89)
    form("convert", f"cvt.rn.satfinite.{fmt}x2.f16x2 d, a;", "b16", ["f16x2"],
         lambda a, f=fmt: to_fp8(f, soft.decode("f16", a >> 16)) << 8 | to_fp8(f, soft.decode("f16", a & 0xffff)), min_sm=89)
    form("convert", f"cvt.rn.f16x2.{fmt}x2 d, a;", "f16x2", ["b16"],
         lambda a, f=fmt: from_fp8(f, a >> 8) << 16 | from_fp8(f, a & 255), check="pair f16", min_sm=89)

# ---- video ----
def part(x, sel, s):
    if not sel:
        return signed(x, 32) if s else x
    n = 8 if sel[0] == "b" else 16
    x = x >> n * int(sel[1]) & ((1 << n) - 1)
    return signed(x, n) if s else x


VIDEO = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vabsdiff": lambda a, b: abs(a - b), "vmin": min, "vmax": max}
for op, f in VIDEO.items():
    for dt, at, bt, asel, bsel in (("s32", "s32", "s32", "", ""), ("u32", "u32", "u32", "b1", "b3"), ("s32", "u32", "s32", "h1", "b2")):
        A, B = "a" + ("." + asel if asel else ""), "b" + ("." + bsel if bsel else "")
        base = lambda a, b, f=f, at=at, bt=bt, x=asel, y=bsel: f(part(a, x, at[0] == "s"), part(b, y, bt[0] == "s"))
        lim = lambda r, n, s: min(max(r, -(1 << n - 1) if s else 0), (1 << n - 1) - 1 if s else (1 << n) - 1)
        form("video", f"{op}.{dt}.{at}.{bt} d, {A}, {B};", "b32", ["b32", "b32"], base)
        form("video", f"{op}.{dt}.{at}.{bt}.sat d, {A}, {B};", "b32", ["b32", "b32"], lambda a, b, f=base, dt=dt: lim(f(a, b), 32, dt[0] == "s"))
        form("video", f"{op}.{dt}.{at}.{bt}.add d, {A}, {B}, c;", "b32", ["b32"] * 3, lambda a, b, c, f=base: f(a, b) + c)
        form("video", f"{op}.{dt}.{at}.{bt}.sat d.b2, {A}, {B}, c;", "b32", ["b32"] * 3,
             lambda a, b, c, f=base, dt=dt: c & ~0xff0000 | (lim(f(a, b), 8, dt[0] == "s") & 255) << 16)
        form("video", f"{op}.{dt}.{at}.{bt} d.h1, {A}, {B}, c;", "b32", ["b32"] * 3,
             lambda a, b, c, f=base: c & 0xffff | (f(a, b) & 0xffff) << 16)
form("video", "vmin.s32.s32.s32.max d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c: max(min(signed(a, 32), signed(b, 32)), signed(c, 32)))
form("video", "vshl.u32.u32.u32.clamp d, a, b;", "b32", ["b32"] * 2, lambda a, b: a << min(b, 32))
form("video", "vshl.u32.u32.u32.wrap d, a, b.b0;", "b32", ["b32"] * 2, lambda a, b: a << (b & 31))
form("video", "vshr.s32.s32.u32.clamp d, a, b;", "b32", ["b32"] * 2, lambda a, b: signed(a, 32) >> min(b, 32))
form("video", "vshr.u32.u32.u32.wrap.add d, a.h1, b, c;", "b32", ["b32"] * 3, lambda a, b, c: (a >> 16 >> (b & 31)) + c)
for c in INT_CMP:
    form("video", f"vset.s32.u32.{c} d, a.b0, b.b0;", "b32", ["b32"] * 2, lambda a, b, f=INT_CMP[c]: int(f(part(a, "b0", True), b & 255)))
form("video", "vmad.s32.s32.s32 d, a.b0, b.b1, c;", "b32", ["b32"] * 3, lambda a, b, c: part(a, "b0", True) * part(b, "b1", True) + c)
form("video", "vmad.u32.u32.u32.shr7 d, a.h0, b.h1, c;", "b32", ["b32"] * 3, lambda a, b, c: (a & 0xffff) * (b >> 16) + c >> 7)
form("video", "vmad.s32.s32.s32.sat d, a.h0, b.h1, -c;", "b32", ["b32"] * 3,
     lambda a, b, c: min(max(part(a, "h0", True) * part(b, "h1", True) - signed(c, 32), -2 ** 31), 2 ** 31 - 1))
form("video", "vmad.u32.u32.u32.po d, a.b0, b.b1, c;", "b32", ["b32"] * 3, lambda a, b, c: (a & 255) * (b >> 8 & 255) + c + 1)
LANE = dict(VIDEO, vavrg=lambda a, b: (a + b + (a + b >= 0)) >> 1)
for n in (2, 4):
    bits = 32 // n
    for op, f in LANE.items():
        for ty in ("s", "u"):
            def lanes(a, b, c, f=f, n=n, bits=bits, s=ty == "s", sat=False, mask=15, asel=None, bsel=None, add=False):
                w = b << 32 | a
                r = c
                for i in range(n):
                    if not mask >> i & 1:
                        continue
                    x = w >> bits * (asel[i] if asel else i) & ((1 << bits) - 1)
                    y = w >> bits * (bsel[i] if bsel else i + n) & ((1 << bits) - 1)
                    v = f(signed(x, bits), signed(y, bits)) if s else f(x, y)
                    if sat:
                        v = min(max(v, -(1 << bits - 1) if s else 0), (1 << bits - 1) - 1 if s else (1 << bits) - 1)
                    if add:
                        r += v
                    else:
                        r = r & ~(((1 << bits) - 1) << bits * i) | (v & ((1 << bits) - 1)) << bits * i
                return r
            T = f"{ty}32.{ty}32.{ty}32"
            form("video", f"{op}{n}.{T} d, a, b, c;", "b32", ["b32"] * 3, lanes)
            form("video", f"{op}{n}.{T}.sat d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c, f=lanes: f(a, b, c, sat=True))
            form("video", f"{op}{n}.{T}.add d, a, b, c;", "b32", ["b32"] * 3, lambda a, b, c, f=lanes: f(a, b, c, add=True))
    m, sa, sb = ("h1", "h03", "h21") if n == 2 else ("b20", "b0257", "b7531")
    form("video", f"vsub{n}.s32.s32.s32 d.{m}, a.{sa}, b.{sb}, c;", "b32", ["b32"] * 3,
         lambda a, b, c, n=n, bits=bits, sa=sa, sb=sb, m=m: (lambda w: sum(
             (((signed(w >> bits * int(sa[n - i]), bits) - signed(w >> bits * int(sb[n - i]), bits)) if str(i) in m[1:] else c >> bits * i)
              & ((1 << bits) - 1)) << bits * i for i in range(n)))(b << 32 | a))
    form("video", f"vset{n}.u32.u32.ge d, a, b, c;", "b32", ["b32"] * 3,
         lambda a, b, c, n=n, bits=bits: sum(int((a >> bits * i & ((1 << bits) - 1)) >= (b >> bits * i & ((1 << bits) - 1))) << bits * i for i in range(n)))

"""Random PTX, so that NVIDIA's assembler makes many instructions with many operands: test/sass/encodings.c reads its words and makes them
again. Arguments: the number of the processor, how many kernels, a seed."""
import random
import sys

CHIP, COUNT, SEED = (int(x) for x in sys.argv[1:4])
rng = random.Random(SEED)
KINDS = {"r": ("%r", 24), "f": ("%f", 24), "d": ("%fd", 12), "l": ("%rd", 12), "p": ("%p", 6)}
FLOAT_MODES = ["rn", "rz", "rm", "rp", "rn.ftz", "rz.ftz"]
COMPARES = "lt le gt ge eq ne".split()

# what is written, then what is read: registers of a kind, or # for a number of 32 bits, % for a shift, & for a float, * for a double
TABLE = []


def rows(text, **choices):
    names = list(choices)

    def fill(t, k):
        if k == len(names):
            TABLE.append(t)
            return
        for c in choices[names[k]]:
            fill(t.replace("{%s}" % names[k], c), k + 1)
    fill(text, 0)


B = ["r", "r", "#"]
rows("{op} r, r, {b};", op="add.s32 sub.s32 mul.lo.s32 and.b32 or.b32 xor.b32 min.s32 max.s32 min.u32 max.u32 mul.hi.u32 mul.hi.s32".split(), b=B)
rows("{op} r, r, {b};", op="shl.b32 shr.u32 shr.s32".split(), b=["r", "%"])
rows("mad.lo.s32 r, r, {b}, {c};", b=B, c=B)
rows("mad.wide.{t} l, r, {b}, l;", t=["u32", "s32"], b=B)
rows("mul.wide.{t} l, r, {b};", t=["u32", "s32"], b=B)
rows("lop3.b32 r, r, {b}, r, {t};", b=B, t=["0x96", "0xe8", "0x3c", "0xd2", "0x1b"])
rows("prmt.b32 r, r, {b}, {c};", b=B, c=["0x3210", "0x1054", "0x7632", "r"])
rows("shf.{d}.{m}.b32 r, r, r, {b};", d="lr", m=["wrap", "clamp"], b=["r", "%"])
rows("{op} l, l, l;", op="add.s64 sub.s64 and.b64 or.b64 xor.b64 mul.lo.s64 min.s64 max.u64".split())
rows("{op} l, l, {b};", op="shl.b64 shr.u64 shr.s64".split(), b=["r", "%"])
rows("{op} r, r;", op="popc.b32 brev.b32 bfind.u32 clz.b32 neg.s32 not.b32 abs.s32".split())
rows("dp4a.{t}.{t} r, r, r, r;", t=["u32", "s32"])
rows("selp.b32 r, r, {b}, p;", b=B)
rows("setp.{c}.{t}32 p, r, {b};", c=COMPARES, t="us", b=B)
rows("setp.{c}.{t}64 p, l, l;", c=COMPARES, t="us")
rows("setp.{c}{u}.f32 p, f, {b};", c=COMPARES, u=["", "u"], b=["f", "&"])
rows("setp.{c}{u}.f64 p, d, {b};", c=COMPARES, u=["", "u"], b=["d", "*"])
rows("setp.{c}.and.s32 p, r, r, p;", c=COMPARES)
rows("{op}.pred p, p, p;", op=["and", "or", "xor"])
rows("{op}.{m}.f32 f, f, {b};", op=["add", "mul", "sub"], m=FLOAT_MODES, b=["f", "&"])
rows("fma.{m}.f32 f, f, {b}, {c};", m=FLOAT_MODES, b=["f", "&"], c=["f", "&"])
rows("{op}.f32 f, f, {b};", op=["min", "max"], b=["f", "&"])
rows("{op}.{m}.f64 d, d, {b};", op=["add", "mul", "sub"], m=["rn", "rz", "rm", "rp"], b=["d", "*"])
rows("fma.{m}.f64 d, d, {b}, d;", m=["rn", "rz", "rm", "rp"], b=["d", "*"])
rows("{op} f, f;", op="neg.f32 abs.f32 ex2.approx.ftz.f32 lg2.approx.ftz.f32 rcp.approx.ftz.f32 rsqrt.approx.ftz.f32 sin.approx.ftz.f32 cos.approx.ftz.f32".split())
rows("{op} d, d;", op="neg.f64 abs.f64".split())
rows("cvt.{m}.{t}.f32 r, f;", m=["rni", "rzi", "rmi", "rpi"], t=["u32", "s32"])
rows("cvt.{m}.{t}.f64 r, d;", m=["rni", "rzi", "rmi", "rpi"], t=["u32", "s32"])
rows("cvt.{m}.f32.{t} f, r;", m=["rn", "rz", "rm", "rp"], t=["u32", "s32"])
rows("cvt.rn.f64.{t} d, r;", t=["u32", "s32"])
rows("cvt.{m}.f32.f64 f, d;", m=["rn", "rz", "rm", "rp"])
rows("cvt.f64.f32 d, f;")
rows("cvt.{m}.f32.f32 f, f;", m=["rni", "rzi", "rmi", "rpi"])
rows("ld.global.{t} r, [%rd1+@];", t=["u32", "s32", "b32"])
rows("ld.global.b64 l, [%rd1+@];")
rows("st.global.b32 [%rd2+@], r;")
rows("st.global.b64 [%rd2+@], l;")
rows("ld.shared.b32 r, [s+@];")
rows("st.shared.b32 [s+@], r;")
rows("atom.global.{op} r, [%rd1+@], r;", op="add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32 exch.b32".split())
rows("atom.shared.{op} r, [s+@], r;", op="add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32 exch.b32".split())
rows("atom.global.cas.b32 r, [%rd1+@], r, r;")
rows("shfl.sync.{m}.b32 r, r, {b}, 31, -1;", m=["idx", "up", "down", "bfly"], b=["r", "%"])
rows("vote.sync.ballot.b32 r, p, -1;")


def operand(c):
    if c in KINDS:
        name, n = KINDS[c]
        return "%s%d" % (name, rng.randrange(n) + 10)
    if c == "#":
        return str(rng.choice([1, 3, 77, 65535, rng.randrange(1 << 31)]))
    if c == "%":
        return str(rng.randrange(32))
    if c == "&":
        return "0f%08X" % (rng.randrange(0x30000000, 0x50000000))
    if c == "*":
        return "0d%08X00000000" % (rng.randrange(0x30000000, 0x50000000))
    return str(rng.randrange(32) * 8)


def line():
    op, rest = rng.choice(TABLE).split(" ", 1)
    parts = []
    for t in rest.rstrip(";").split(", "):
        parts.append(t.replace("@", operand("@")) if "@" in t else operand(t) if t in KINDS or t in "#%&*" else t)
    guard = "@%s " % operand("p") if rng.random() < 0.08 and not op.startswith(("shfl", "vote", "setp")) else ""
    return guard + op + " " + ", ".join(parts) + ";"


print(".version 7.8\n.target sm_%d\n.address_size 64" % CHIP)
for k in range(COUNT):
    print(".visible .entry R%d(.param .u64 p, .param .u64 q)\n{\n.reg .pred %%p<20>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .reg .f32 %%f<40>; .reg .f64 %%fd<40>; .shared .align 16 .b8 s[512];" % k)
    print("ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;")
    print("mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 512; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;")
    for kind, (name, n) in KINDS.items():
        for v in range(n):
            if kind == "p":
                print("setp.lt.s32 %%p%d, %%r%d, %%r%d;" % (10 + v, 10 + v, 11 + v))
            else:
                print("ld.global.%s %s%d, [%%rd1+%d];" % ({"r": "b32", "f": "f32", "d": "f64", "l": "b64"}[kind], name, 10 + v, 8 * v))
    for _ in range(160):
        print(line())
    for kind, (name, n) in KINDS.items():
        for v in range(n):
            if kind != "p":
                print("st.global.%s [%%rd2+%d], %s%d;" % ({"r": "b32", "f": "f32", "d": "f64", "l": "b64"}[kind], 512 + 8 * v, name, 10 + v))
    print("ret;\n}")

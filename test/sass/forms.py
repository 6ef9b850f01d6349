"""PTX for forms of instructions that our back end makes and that kernels seldom lead NVIDIA's assembler to: what it makes of it is
held against ours by test/sass/encodings.c. The first argument is the number of the processor."""
import sys

CHIP = int(sys.argv[1]) if len(sys.argv) > 1 else 90
HEAD = ".version %s\n.target sm_%d\n.address_size 64\n" % ("8.0" if CHIP >= 90 else "7.8", CHIP)
KERNEL = """.visible .entry K%d(.param .u64 p, .param .u64 q, .param .u32 n)
{
  .reg .pred %%p<10>; .reg .b16 %%h<20>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .reg .f32 %%f<40>; .reg .f64 %%fd<40>;
  ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; ld.param.u32 %%r9, [n];
  mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd9, %%r1, 16; add.s64 %%rd1, %%rd1, %%rd9; add.s64 %%rd2, %%rd2, %%rd9;
  %s
  ret;
}
"""
WORDS = "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"
FLOATS = WORDS + " mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; abs.f32 %f7, %f1; abs.f32 %f8, %f2; neg.f32 %f9, %f1;"
WIDE = "ld.global.v2.u64 {%rd3, %rd4}, [%rd1];"
DOUBLES = "ld.global.v2.f64 {%fd1, %fd2}, [%rd1]; abs.f64 %fd7, %fd1; abs.f64 %fd8, %fd2; neg.f64 %fd9, %fd1;"
SHARED = ".shared .align 16 .b8 s[256]; mov.u32 %r6, s; add.s32 %r6, %r6, %r1;"

snippets = []


def put(before, text, after):
    snippets.append(before + " " + text + " " + after)


def words(text):
    put(WORDS, text, "st.global.u32 [%rd2], %r5;")


def wide(text):
    put(WIDE, text, "st.global.u64 [%rd2], %rd5;")


def floats(text):
    put(FLOATS, text, "st.global.f32 [%rd2], %f5;")


def doubles(text):
    put(DOUBLES, text, "st.global.f64 [%rd2], %fd5;")


for op in "min.u32 min.s32 max.u32 max.s32 inc.u32 dec.u32 and.b32 or.b32 xor.b32 exch.b32".split():
    for scope in "", ".relaxed.cta", ".relaxed.sys":
        words("atom%s.global.%s %%r5, [%%rd1], %%r1;" % (scope, op))
        words("atom%s.%s %%r5, [%%rd1], %%r1;" % (scope, op))
    put(SHARED + WORDS, "atom.shared.%s %%r5, [%%r6], %%r1;" % op, "st.global.u32 [%rd2], %r5;")
for op in "min.u64 min.s64 max.u64 max.s64 and.b64 or.b64 xor.b64 exch.b64".split():
    wide("atom.global.%s %%rd5, [%%rd1], %%rd3;" % op)
    wide("atom.%s %%rd5, [%%rd1], %%rd3;" % op)
put(SHARED + WORDS, "atom.shared.add.u32 %r5, [%r6], %r1;", "st.global.u32 [%rd2], %r5;")
wide("atom.shared.exch.b64 %rd5, [%r1], %rd3;")
wide("atom.cas.b64 %rd5, [%rd1], %rd3, %rd4;")
for scope in "", ".relaxed.cta", ".relaxed.sys":
    words("atom%s.global.cas.b32 %%r5, [%%rd1], %%r1, %%r2;" % scope)
    words("atom%s.cas.b32 %%r5, [%%rd1], %%r1, %%r2;" % scope)
    wide("atom%s.global.cas.b64 %%rd5, [%%rd1], %%rd3, %%rd4;" % scope)
    floats("atom%s.global.add.f32 %%f5, [%%rd1], %%f1;" % scope)
    doubles("atom%s.global.add.f64 %%fd5, [%%rd1], %%fd1;" % scope)
for scope in "gpu", "cta", "sys":
    for op in "add.u32 min.u32 min.s32 max.u32 max.s32 inc.u32 dec.u32 and.b32 or.b32 xor.b32".split():
        words("red.relaxed.%s.global.%s [%%rd1], %%r1; mov.b32 %%r5, %%r1;" % (scope, op))
    for op in "add.u64 min.u64 min.s64 max.u64 max.s64 and.b64 or.b64 xor.b64".split():
        wide("red.relaxed.%s.global.%s [%%rd1], %%rd3; mov.b64 %%rd5, %%rd4;" % (scope, op))
    floats("red.relaxed.%s.global.add.f32 [%%rd1], %%f1; mov.f32 %%f5, %%f1;" % scope)
    doubles("red.relaxed.%s.global.add.f64 [%%rd1], %%fd1; mov.f64 %%fd5, %%fd1;" % scope)
for cmp in "eq", "neu", "lt", "le", "gt", "ge", "nan", "equ", "ltu", "leu", "gtu", "geu", "ne":
    for a, b in ("%f1", "%f2"), ("%f7", "%f2"), ("%f7", "%f8"), ("%f1", "%f8"), ("%f9", "%f2"), ("%f1", "0f3E000000"), ("%f7", "0f3E000000"):
        floats("setp.%s.f32 %%p1, %s, %s; @%%p1 bra Q; add.f32 %%f1, %%f1, %%f3; Q: mov.f32 %%f5, %%f1;" % (cmp, a, b))
    for a, b in ("%fd1", "%fd2"), ("%fd7", "%fd2"), ("%fd7", "%fd8"), ("%fd1", "%fd8"), ("%fd9", "%fd2"), ("%fd1", "0d3FC0000000000000"), ("%fd7", "0d3FC0000000000000"):
        doubles("setp.%s.f64 %%p1, %s, %s; @%%p1 bra Q; add.f64 %%fd1, %%fd1, %%fd2; Q: mov.f64 %%fd5, %%fd1;" % (cmp, a, b))
for cmp in "lt", "le", "gt", "ge", "eq", "ne":
    for sign in "u", "s":
        for b in "%r2", "77":
            words("setp.%s.%s32 %%p1, %%r1, %s; @%%p1 bra Q; add.s32 %%r1, %%r1, %%r3; Q: mov.b32 %%r5, %%r1;" % (cmp, sign, b))
        for b in "%rd4", "4294967297", "77":
            wide("setp.%s.%s64 %%p1, %%rd3, %s; @%%p1 bra Q; add.s64 %%rd3, %%rd3, %%rd1; Q: mov.b64 %%rd5, %%rd3;" % (cmp, sign, b))
for a in "%f1", "%f7", "%f9":
    for b in "%f2", "%f8", "0f3E000000":
        floats("mul.f32 %%f5, %s, %s;" % (a, b))
        floats("add.f32 %%f5, %s, %s;" % (a, b))
        floats("sub.f32 %%f5, %s, %s;" % (a, b))
        floats("sub.f32 %%f5, %s, %s;" % (b, a))
        floats("min.f32 %%f5, %s, %s;" % (a, b))
        floats("max.f32 %%f5, %s, %s;" % (a, b))
for a in "%fd1", "%fd7", "%fd9":
    for b in "%fd2", "%fd8", "0d3FC0000000000000":
        doubles("mul.f64 %%fd5, %s, %s;" % (a, b))
        doubles("add.f64 %%fd5, %s, %s;" % (a, b))
        doubles("sub.f64 %%fd5, %s, %s;" % (a, b))
        doubles("sub.f64 %%fd5, %s, %s;" % (b, a))
for to in "u32", "s32":
    for mode in "rni", "rzi", "rmi", "rpi":
        put(FLOATS, "cvt.%s.%s.f32 %%r5, %%f1;" % (mode, to), "st.global.u32 [%rd2], %r5;")
        put(DOUBLES, "cvt.%s.%s.f64 %%r5, %%fd1;" % (mode, to), "st.global.u32 [%rd2], %r5;")
    for mode in "rn", "rz", "rm", "rp":
        put(WORDS, "cvt.%s.f32.%s %%f5, %%r1;" % (mode, to), "st.global.f32 [%rd2], %f5;")
for to in "u64", "s64":
    for mode in "rni", "rzi", "rmi", "rpi":
        put(FLOATS, "cvt.%s.%s.f32 %%rd5, %%f1;" % (mode, to), "st.global.u64 [%rd2], %rd5;")
        put(DOUBLES, "cvt.%s.%s.f64 %%rd5, %%fd1;" % (mode, to), "st.global.u64 [%rd2], %rd5;")
    for mode in "rn", "rz", "rm", "rp":
        put(WIDE, "cvt.%s.f32.%s %%f5, %%rd3;" % (mode, to), "st.global.f32 [%rd2], %f5;")
        put(WIDE, "cvt.%s.f64.%s %%fd5, %%rd3;" % (mode, to), "st.global.f64 [%rd2], %fd5;")
for mode in "rn", "rz", "rm", "rp":
    put(DOUBLES, "cvt.%s.f32.f64 %%f5, %%fd1;" % mode, "st.global.f32 [%rd2], %f5;")
for size in "u8", "u16", "u32":
    put(SHARED + WORDS, "st.shared.%s [%%r6], %%r1; ld.shared.%s %%r5, [%%r6+4];" % (size, size), "st.global.u32 [%rd2], %r5;")
    put(WORDS, "st.%s [%%rd2], %%r1; ld.%s %%r5, [%%rd1+4];" % (size, size), "st.global.u32 [%rd2], %r5;")
    put(".local .align 16 .b8 l[256]; mov.u32 %r6, l; add.s32 %r6, %r6, %r1;" + WORDS,
        "st.local.%s [%%r6], %%r1; ld.local.%s %%r5, [%%r6+4];" % (size, size), "st.global.u32 [%rd2], %r5;")
put(SHARED + WIDE, "st.shared.u64 [%r6], %rd3; ld.shared.u64 %rd5, [%r6+8];", "st.global.u64 [%rd2], %rd5;")
put(".local .align 16 .b8 l[256]; mov.u32 %r6, l; add.s32 %r6, %r6, %r1;" + WIDE,
    "st.local.u64 [%r6], %rd3; ld.local.u64 %rd5, [%r6+8];", "st.global.u64 [%rd2], %rd5;")
for op in "sin", "cos", "lg2", "ex2", "rcp", "rsqrt", "sqrt":
    floats("%s.approx.ftz.f32 %%f5, %%f1;" % op)
floats("tanh.approx.f32 %f5, %f1;")
doubles("rcp.approx.ftz.f64 %fd5, %fd1;")
doubles("rsqrt.approx.ftz.f64 %fd5, %fd1;")
words("mul.hi.u32 %r5, %r1, 1000003;")
words("mul.hi.s32 %r5, %r1, 1000003;")
words("popc.b32 %r5, %r1;")
words("mul.wide.u32 %rd5, %r1, %r9; cvt.u32.u64 %r6, %rd5; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r7, %rd6; xor.b32 %r5, %r6, %r7;")
put(SHARED + WIDE, "atom.shared.cas.b64 %rd5, [%r6], %rd3, %rd4; atom.shared.exch.b64 %rd6, [%r6+8], %rd3; add.s64 %rd5, %rd5, %rd6;", "st.global.u64 [%rd2], %rd5;")
put(SHARED + WORDS, "atom.shared.add.u32 %r5, [%r6], %r1;", "st.global.u32 [%rd2], %r5;")
words("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p3, %r3, %r4; @%p3 bra Q; activemask.b32 %r6; vote.sync.any.pred %p2, %p1, %r6; @%p2 bra Q; add.s32 %r1, %r1, 1; Q: mov.b32 %r5, %r1;")
words("brev.b32 %r5, %r1;")
words("bar.sync 0; bar.arrive 1, 64; bar.sync %r1, %r2; bar.sync %r1; bar.arrive %r1, %r2; mov.b32 %r5, %r2;")
words("setp.lt.s32 %p1, %r1, %r2; bar.red.popc.u32 %r5, 0, %p1; bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, 64, %p1; @%p2 add.s32 %r5, %r5, 1; @%p3 add.s32 %r5, %r5, 2;")
words("fence.acq_rel.cta; st.global.u32 [%rd2+16], %r1; fence.acq_rel.gpu; st.global.u32 [%rd2+20], %r1; fence.sc.gpu; st.global.u32 [%rd2+24], %r1; fence.sc.sys; st.global.u32 [%rd2+28], %r1; fence.sc.cta; mov.u32 %r5, %r2;")
words("nanosleep.u32 %r1; mov.u32 %r5, %clock;")
words("mov.b64 %rd3, {%r1, %r2}; isspacep.shared %p1, %rd3; isspacep.local %p2, %rd3; selp.b32 %r5, 1, 0, %p1; selp.b32 %r6, 2, 0, %p2; or.b32 %r5, %r5, %r6;")
for mask in "-1", "%r4":
    for mode in "idx", "up", "down", "bfly":
        for lane in "%r2", "3":
            for control in "%r3", "31":
                words("shfl.sync.%s.b32 %%r5|%%p1, %%r1, %s, %s, %s; @%%p1 add.s32 %%r5, %%r5, 1;" % (mode, lane, control, mask))
words("setp.lt.s32 %p1, %r1, %r2; vote.sync.ballot.b32 %r5, %p1, -1;")
words("setp.lt.s32 %p1, %r1, %r2; @%p1 trap; mov.b32 %r5, %r2;")
wide("sub.s64 %rd5, %rd3, %rd4;")
wide("shr.s64 %rd5, %rd3, 5;")
wide("cvt.u32.u64 %r1, %rd4; shr.s64 %rd5, %rd3, %r1;")
words("shr.s32 %r5, %r1, %r2;")
for a, b, c in ("%f1", "%f2", "%f3"), ("%f9", "%f2", "%f3"), ("%f1", "%f2", "%f6"), ("%f1", "0f3E000000", "%f6"), ("%f1", "0f3E000000", "%f3"), ("%f1", "%f2", "0f3E000000"):
    for mode in "rn", "rz", "rm", "rp":
        floats("neg.f32 %%f6, %%f3; fma.%s.f32 %%f5, %s, %s, %s;" % (mode, a, b, c))
for a, b, c in ("%fd1", "%fd2", "%fd3"), ("%fd9", "%fd2", "%fd3"), ("%fd1", "%fd2", "%fd6"), ("%fd1", "0d3FC0000000000000", "%fd6"), ("%fd9", "0d3FC0000000000000", "%fd3"), ("%fd1", "%fd2", "0d3FC0000000000000"):
    doubles("ld.global.f64 %%fd3, [%%rd1+16]; neg.f64 %%fd6, %%fd3; fma.rn.f64 %%fd5, %s, %s, %s;" % (a, b, c))
for mode in "rn", "rz", "rm", "rp":
    for ftz in "", ".ftz":
        for op in "add", "mul":
            floats("%s.%s%s.f32 %%f5, %%f1, %%f2;" % (op, mode, ftz))
    floats("cvt.%si.f32.f32 %%f5, %%f1;" % mode)
    doubles("cvt.%si.f64.f64 %%fd5, %%fd1;" % mode)
for mode in "rn", "rz", "rm", "rp":
    put(FLOATS, "cvt.%s.f16.f32 %%h1, %%f1;" % mode, "st.global.u16 [%rd2], %h1;")
put(FLOATS, "cvt.f64.f32 %fd5, %f1;", "st.global.f64 [%rd2], %fd5;")
for size in "u8", "u16", "u32", "u64":
    r = "%rd5" if size == "u64" else "%r5"
    for how in "", ".nc", ".volatile", ".relaxed.gpu", ".relaxed.cta":
        load = "ld.global.nc" if how == ".nc" else "ld%s.global" % how
        store = "st.global" if how == ".nc" else "st%s.global" % how
        snippets.append("%s.%s %s, [%%rd1]; %s.%s [%%rd2], %s;" % (load, size, r, store, size, r))

# matrices: shape, types, registers of A, B and C
for shape, d, ab, na, nb, nc in (
        ("m16n8k8", "f32", "f16", 2, 1, 4), ("m16n8k16", "f32", "f16", 4, 2, 4), ("m16n8k8", "f16", "f16", 2, 1, 2), ("m16n8k16", "f16", "f16", 4, 2, 2),
        ("m16n8k8", "f32", "bf16", 2, 1, 4), ("m16n8k16", "f32", "bf16", 4, 2, 4), ("m16n8k4", "f32", "tf32", 2, 1, 4), ("m16n8k8", "f32", "tf32", 4, 2, 4),
        ("m8n8k4", "f64", "f64", 1, 1, 2), ("m8n8k16", "s32", "s8", 1, 1, 2), ("m8n8k16", "s32", "u8", 1, 1, 2), ("m16n8k16", "s32", "s8", 2, 1, 4),
        ("m16n8k16", "s32", "u8", 2, 1, 4), ("m16n8k32", "s32", "s8", 4, 2, 4), ("m16n8k32", "s32", "u8", 4, 2, 4)):
    if CHIP < 80 and (shape, ab) not in (("m16n8k8", "f16"), ("m8n8k16", "s8"), ("m8n8k16", "u8")):
        continue
    size, a, c = ("f64", "%fd", "%fd") if d == "f64" else ("b32", "%r", "%f" if d == "f32" else "%r")

    def some(kind, first, n):
        return ", ".join("%s%d" % (kind, first + k) for k in range(n))

    text = " ".join("ld.global.%s %s%d, [%%rd1+%d];" % (size, a, 10 + k, 8 * k) for k in range(na + nb))
    text += " ".join("ld.global.%s %s%d, [%%rd1+%d];" % (size, c, 20 + k, 128 + 8 * k) for k in range(nc))
    text += "mma.sync.aligned.%s.row.col.%s.%s.%s.%s {%s}, {%s}, {%s}, {%s};" % (
        shape, d, ab, ab, d, some(c, 30, nc), some(a, 10, na), some(a, 10 + na, nb), some(c, 20, nc))
    snippets.append(text + " ".join("st.global.%s [%%rd2+%d], %s%d;" % (size, 8 * k, c, 30 + k) for k in range(nc)))

# shared memory at addresses that memory holds; clusters
words("ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r2]; xor.b32 %r5, %r5, %r6; xor.b32 %r5, %r5, %r7; xor.b32 %r5, %r5, %r8;")
words("atom.shared.cas.b32 %r5, [%r2], %r3, %r4;")
words("atom.shared.add.u32 %r5, [%r2], %r3;")
if CHIP >= 90:
    words("barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive.relaxed; barrier.cluster.wait; mov.u32 %r5, %cluster_nctaid.y;")
    words("mov.u32 %r5, %cluster_ctarank; mapa.shared::cluster.u32 %r6, %r2, %r3; getctarank.shared::cluster.u32 %r7, %r6; add.u32 %r5, %r5, %r7;")
    words("mapa.shared::cluster.u32 %r6, %r2, %r3; ld.shared::cluster.u32 %r5, [%r6]; atom.shared::cluster.cas.b32 %r5, [%r6], %r5, %r4;")
    words("atom.shared::cluster.max.u32 %r5, [%r2], %r3; st.shared::cluster.u32 [%r2], %r4;")

# truths that nothing but logic can make more of
words("%s xor.pred %%p5, %%p0, %%p1; xor.pred %%p6, %%p2, %%p3; or.pred %%p7, %%p5, %%p4; and.pred %%p8, %%p6, %%p7; or.pred %%p9, %%p8, %%p5; selp.u32 %%r6, %%r1, %%r2, %%p8; selp.u32 %%r5, %%r3, %%r6, %%p9;"
      % " ".join("shfl.sync.up.b32 %%r%d|%%p%d, %%r1, %d, 0, -1;" % (10 + k, k, 1 << k) for k in range(5)))

# textures and surfaces, by handles that each lane has: geometry, coordinates, layer
GEOMETRIES = ("1d", 1, 0), ("2d", 2, 0), ("3d", 3, 0), ("a1d", 1, 1), ("a2d", 2, 1), ("cube", 3, 0), ("acube", 3, 1)


def listed(names):
    return "{%s}" % ", ".join(names + names[-1:] if len(names) == 3 else names)


def texture(text, mask, result):
    loads = "ld.global.u64 %rd3, [%rd1+64];" + " ".join("ld.global.f32 %%f%d, [%%rd1+%d]; ld.global.u32 %%r%d, [%%rd1+%d];" % (k, 4 * k, k, 128 + 4 * k) for k in range(1, 11))
    stores = " ".join("st.global.f32 [%%rd2+%d], %s%d;" % (4 * k, result, 20 + k) for k in range(4) if mask >> k & 1)
    if mask == 15:  # side by side, as ours are
        stores = "st.global.v4.f32 [%rd2], {" + ", ".join("%s%d" % (result, 20 + k) for k in range(4)) + "};"
    snippets.append(loads + text.replace("RESULT", "{%s}" % ", ".join("%s%d" % (result, 20 + k) for k in range(4))) + stores)


for name, dims, layered in GEOMETRIES:
    at = ["%r9"] * layered + ["%%f%d" % (1 + k) for k in range(dims)]
    whole = ["%r9"] * layered + ["%%r%d" % (1 + k) for k in range(dims)]
    for mask in range(1, 16):
        texture("tex.%s.v4.f32.f32 RESULT, [%%rd3, %s];" % (name, listed(at)), mask, "%f")
        if "cube" not in name:
            texture("tex.%s.v4.f32.s32 RESULT, [%%rd3, %s];" % (name, listed(whole)), mask, "%f")
        if "cube" not in name and name != "3d":
            texture("tex.grad.%s.v4.f32.f32 RESULT, [%%rd3, %s], %s, %s;" % (name, listed(at), listed(["%%f%d" % (4 + k) for k in range(dims)]), listed(["%%f%d" % (7 + k) for k in range(dims)])), mask, "%f")
        for c in "rgba" if name == "2d" else "":
            texture("tld4.%s.2d.v4.f32.f32 RESULT, [%%rd3, %s];" % (c, listed(at)), mask, "%f")
    if "cube" in name:
        continue
    for bounds in "trap", "clamp", "zero":
        for bits in 8, 16, 32, 64:
            for n in (1, 2, 4)[:3 if bits < 64 else 2]:
                kind = "%h" if bits < 32 else "%r" if bits == 32 else "%rd"
                v, regs = ("", ".v2", "", ".v4")[n - 1], ", ".join("%s%d" % (kind, 10 + k) for k in range(n))
                handle = "ld.global.u64 %rd3, [%rd1+64];" + " ".join("ld.global.u32 %%r%d, [%%rd1+%d];" % (k, 4 * k) for k in (1, 2, 3, 9))
                snippets.append("%s suld.b.%s%s.b%d.%s {%s}, [%%rd3, %s]; st.global%s.u%d [%%rd2], {%s};" % (handle, name, v, bits, bounds, regs, listed(whole), v, bits, regs))
                snippets.append("%s ld.global%s.u%d {%s}, [%%rd2]; sust.b.%s%s.b%d.%s [%%rd3, %s], {%s};" % (handle, v, bits, regs, name, v, bits, bounds, listed(whole), regs))
        for op in "add.u32 add.u64 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32".split() if not layered else ():
            snippets.append("%s ld.global.u64 %%rd4, [%%rd2]; cvt.u32.u64 %%r5, %%rd4; sured.b.%s.%s.%s.%s [%%rd3, %s], %s;" % (handle, op.split(".")[0], name, op.split(".")[1], bounds, listed(whole), "%rd4" if "64" in op else "%r5"))
for size in "width", "height", "depth":
    words("ld.global.u64 %%rd3, [%%rd1+64]; txq.%s.b32 %%r5, [%%rd3];" % size)

print(HEAD + "".join(KERNEL % (n, s) for n, s in enumerate(snippets)))

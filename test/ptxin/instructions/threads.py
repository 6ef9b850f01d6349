"""The forms that need memory, other lanes, or control flow. Adds its families to forms.FAMILIES."""
import random
from fractions import Fraction

import forms
import soft
from forms import LANES, M32, M64, WIDTH, Form, form, signed, warp

serial = iter(range(10 ** 6))


def own(family, text, result, operands, want, decl, body, check="exact", inputs=None, min_sm=80):
    """A form with declarations ({n} is unique) and a body of several lines."""
    n = next(serial)
    f = form(family, text, result, operands, want, inputs, check, decl=decl.replace("{n}", str(n)),
             body=body.replace("{n}", str(n)), min_sm=min_sm)
    return f


def all_lanes(family, text, result, operands, want, decl, body, inputs=None, min_sm=80, check="exact"):
    n = next(serial)
    return warp(family, text, result, operands, want, inputs, check, decl=decl.replace("{n}", str(n)),
                body=body.replace("{n}", str(n)), min_sm=min_sm)


# ---- loads and stores ----
SLOT = ".{space} .align 16 .b8 m{n}[1024];"
PLACE = "mul.wide.u32 y1, lane, 32; mov.u64 y2, m{n}; add.u64 y1, y1, y2;"
for space in ("global", "shared", "local"):
    decl = SLOT.replace("{space}", space) if space != "local" else ""
    here = "" if space != "local" else ".local .align 16 .b8 m{n}[1024];"
    for t in ("b8", "b16", "b32", "b64"):
        n = WIDTH[t]
        reg = "b16" if n == 8 else t
        own("memory", f"st.{space}.{t} and ld.{space}.{t}", reg, [reg], lambda a, n=n: a & ((1 << n) - 1), decl,
            here + PLACE + f"st.{space}.{t} [y1+8], a; ld.{space}.{t} d, [y1+8];")
    for t, n in (("s8", 8), ("s16", 16)):
        own("memory", f"ld.{space}.{t} into 32 bits", "b32", ["b32"], lambda a, n=n: signed(a, n), decl,
            here + PLACE + f"st.{space}.b32 [y1], a; ld.{space}.{t} d, [y1];")
    own("memory", f"ld.{space}.u8 into 64 bits", "b64", ["b64"], lambda a: a >> 8 & 255, decl,
        here + PLACE + f"st.{space}.b64 [y1], a; ld.{space}.u8 d, [y1+1];")
    own("memory", f"ld.{space}.v2.b32 and st.v2", "b64", ["b64"], lambda a: a >> 32 | (a & M32) << 32, decl,
        here + PLACE + f"mov.b64 {{t, h}}, a; st.{space}.v2.b32 [y1], {{h, t}}; ld.{space}.v2.b32 {{x1, x2}}, [y1]; mov.b64 d, {{x1, x2}};")
    own("memory", f"ld.{space}.v4.u16 and st.v4", "b64", ["b64"], lambda a: sum((a >> 16 * i & 0xffff) << 48 - 16 * i for i in range(4)), decl,
        here + PLACE + f"mov.b64 {{i, j, k, l}}, a; st.{space}.v4.u16 [y1], {{l, k, j, i}}; ld.{space}.v4.u16 {{i, j, k, l}}, [y1]; mov.b64 d, {{i, j, k, l}};")
    own("memory", f"cvta.{space}, ld and st through a generic address, isspacep", "b32", ["b32"],
        lambda a, s=space: (a + 1) & M32, decl, here + PLACE +
        f"cvta.{space}.u64 y2, y1; st.b32 [y2+4], a; ld.{space}.b32 d, [y1+4]; cvta.to.{space}.u64 u, y2; ld.{space}.b32 d, [u+4];"
        f"isspacep.{space} p, y2; @p add.u32 d, d, 1;")
for form_ in ("ld.global.ca", "ld.global.cg", "ld.global.cs", "ld.global.lu", "ld.global.cv", "ld.volatile.global", "ld.relaxed.gpu.global",
              "ld.acquire.sys.global", "ld.global.L1::evict_last", "ld.global.L2::128B", "ld.weak.global", "ld.relaxed.cta.global"):
    own("memory", f"{form_}.b32", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "global"), PLACE + f"st.global.b32 [y1], a; {form_}.b32 d, [y1];")
for form_ in ("st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt", "st.volatile.global", "st.relaxed.gpu.global", "st.release.sys.global", "st.weak.global"):
    own("memory", f"{form_}.b32", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "global"), PLACE + f"{form_}.b32 [y1], a; ld.global.b32 d, [y1];")
own("memory", "ld.global.nc.b32", "b32", [], lambda: 0, ".global .align 4 .b32 m{n}[4] = {5, 6, 7, 8};", "mov.u64 y1, m{n}; ld.global.nc.b32 t, [y1+8]; sub.u32 d, t, 7;")
own("memory", "ldu.global.b32", "b32", [], lambda: 8, ".global .align 4 .b32 m{n}[4] = {5, 6, 7, 8};", "mov.u64 y1, m{n}; ldu.global.b32 d, [y1+12];")
own("memory", "ld.const.b32 and initialisers", "b32", [], lambda: 0x40490fdb, ".const .align 8 .f32 m{n}[3] = {1.0, 0f40490FDB, -2.5};", "ld.const.b32 d, [m{n}+4];")
own("memory", "a pointer in an initialiser", "b32", [], lambda: 22, ".global .align 4 .u32 v{n}[2] = {11, 22}; .global .align 8 .u64 m{n} = generic(v{n})+4;",
    "ld.global.u64 y1, [m{n}]; ld.u32 d, [y1];")
own("memory", "hints: prefetch, prefetchu, applypriority, createpolicy", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "global"),
    PLACE + "prefetch.global.L1 [y1]; prefetch.global.L2 [y1]; prefetchu.L1 [y1]; applypriority.global.L2::evict_normal [m{n}], 128;"
    "createpolicy.fractional.L2::evict_last.b64 u, 1.0; st.global.L2::cache_hint.b32 [y1], a, u; ld.global.L2::cache_hint.b32 d, [y1], u;")
own("memory", "discard, then written again", "b32", ["b32"], lambda a: a, ".global .align 128 .b8 m{n}[4096];",
    "mul.wide.u32 y1, lane, 128; mov.u64 y2, m{n}; add.u64 y1, y1, y2; discard.global.L2 [y1], 128; st.global.b32 [y1], a; ld.global.b32 d, [y1];")
for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.sys", "fence.acq_rel.sys"):
    own("memory", fence, "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "global"), PLACE + f"st.global.b32 [y1], a; {fence}; ld.global.b32 d, [y1];")
own("memory", "shared::cta, 32-bit addresses", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "shared"),
    "mov.u32 t, m{n}; mul.lo.u32 h, lane, 4; add.u32 t, t, h; st.shared::cta.b32 [t], a; ld.shared::cta.b32 d, [t];")
own("memory", "mapa", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "shared"),
    PLACE + "mapa.shared::cluster.u64 y2, y1, 0; st.shared.b32 [y1], a; ld.shared.b32 d, [y1];", min_sm=90)
own("memory", "getctarank", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "shared"),
    PLACE + "getctarank.shared::cluster.u64 t, y1; add.u32 d, a, t;", min_sm=90)
own("memory", "shared::cluster", "b32", ["b32"], lambda a: a, SLOT.replace("{space}", "shared"),
    PLACE + "mapa.shared::cluster.u64 y2, y1, 0; st.shared::cluster.b32 [y2], a; ld.acquire.cluster.shared::cluster.b32 d, [y1];", min_sm=90)
own("memory", "the address of an array's first element", "b32", ["b32"], lambda a: a, "", ".local .align 4 .b8 m{n}[8]; mov.u64 y1, m{n}[0]; st.local.b32 [y1+4], a; ld.local.b32 d, [m{n}+4];")
own("memory", "a local of a scope", "b32", ["b32"], lambda a: a + 1, "", "{ .local .b32 m; st.local.b32 [m], a; ld.local.b32 t, [m]; } add.u32 d, t, 1;")

# ---- atomics ----
ATOMIC = {"add": lambda o, v, n, s: o + v, "min": lambda o, v, n, s: min((signed(o, n), signed(v, n)) if s else (o, v)),
          "max": lambda o, v, n, s: max((signed(o, n), signed(v, n)) if s else (o, v)), "and": lambda o, v, n, s: o & v,
          "or": lambda o, v, n, s: o | v, "xor": lambda o, v, n, s: o ^ v, "exch": lambda o, v, n, s: v,
          "inc": lambda o, v, n, s: 0 if o >= v else o + 1, "dec": lambda o, v, n, s: v if o == 0 or o > v else o - 1}
TYPES = {"add": ("u32", "s32", "u64"), "min": ("u32", "s32", "u64", "s64"), "max": ("u32", "s32", "u64", "s64"), "and": ("b32", "b64"),
         "or": ("b32", "b64"), "xor": ("b32", "b64"), "exch": ("b32", "b64"), "inc": ("u32",), "dec": ("u32",)}
for op, types in TYPES.items():
    for t in types:
        n, s = WIDTH[t], t[0] == "s"
        for space in ("global", "shared"):
            bt = f"b{n}"
            decl = SLOT.replace("{space}", space)
            own("atomic", f"atom.{space}.{op}.{t}, the value before", bt, [bt, bt], lambda a, b: a, decl,
                PLACE + f"st.{space}.{bt} [y1], a; atom.{space}.{op}.{t} d, [y1], b;")
            own("atomic", f"atom.{space}.{op}.{t}, the value after", bt, [bt, bt], lambda a, b, f=ATOMIC[op], n=n, s=s: f(a, b, n, s), decl,
                PLACE + f"st.{space}.{bt} [y1], a; atom.{space}.{op}.{t} {'t' if n == 32 else 'u'}, [y1], b; ld.{space}.{bt} d, [y1];")
        if op != "exch":
            own("atomic", f"red.global.{op}.{t}", bt, [bt, bt], lambda a, b, f=ATOMIC[op], n=n, s=s: f(a, b, n, s), SLOT.replace("{space}", "global"),
                PLACE + f"st.global.{bt} [y1], a; red.global.{op}.{t} [y1], b; ld.global.{bt} d, [y1];")
for t in ("b16", "b32", "b64"):
    own("atomic", f"atom.global.cas.{t}", t, [t, t, t], lambda a, b, c: b, SLOT.replace("{space}", "global"),
        PLACE + f"st.global.{t} [y1], a; atom.global.cas.{t} d, [y1], a, b; ld.global.{t} d, [y1];")
    own("atomic", f"atom.cas.{t} that does not match, generic", t, [t, t], lambda a, b: a, SLOT.replace("{space}", "global"),
        PLACE + f"cvta.global.u64 y1, y1; st.{t} [y1], a; not.{t} d, a; atom.cas.{t} d, [y1], d, b; ld.{t} d, [y1];")
for t, sm in (("f32", 80), ("f64", 80), ("f16", 80), ("bf16", 90)):
    bt = f"b{WIDTH[t]}"
    mod = ".noftz" if t in ("f16", "bf16") else ""
    normal = lambda rng, t=t: [soft.encode(t, Fraction(rng.uniform(-8, 8))) for _ in range(2)]
    own("atomic", f"atom.global.add{mod}.{t}", t, [t, t], lambda a, b, t=t: soft.add(t, a, b), SLOT.replace("{space}", "global"),
        PLACE + f"st.global.{bt} [y1], a; atom.global.add{mod}.{t} d, [y1], b; ld.global.{bt} d, [y1];", inputs=normal, min_sm=sm)
    own("atomic", f"red.shared.add{mod}.{t}", t, [t, t], lambda a, b, t=t: soft.add(t, a, b), SLOT.replace("{space}", "shared"),
        PLACE + f"st.shared.{bt} [y1], a; red.shared.add{mod}.{t} [y1], b; ld.shared.{bt} d, [y1];", inputs=normal, min_sm=sm)
for t, sm in (("f16", 80), ("bf16", 90)):
    pairs = lambda rng, t=t: [soft.encode(t, Fraction(rng.uniform(-8, 8))) | soft.encode(t, Fraction(rng.uniform(-8, 8))) << 16 for _ in range(2)]
    both = lambda a, b, t=t: sum(soft.add(t, a >> s & 0xffff, b >> s & 0xffff) << s for s in (0, 16))
    own("atomic", f"atom.global.add.noftz.{t}x2", t + "x2", [t + "x2"] * 2, both, SLOT.replace("{space}", "global"),
        PLACE + f"st.global.b32 [y1], a; atom.global.add.noftz.{t}x2 t, [y1], b; ld.global.b32 d, [y1];", inputs=pairs, min_sm=sm)
four = lambda rng: [soft.encode("f32", Fraction(rng.uniform(-8, 8))) for _ in range(2)]
own("atomic", "red.global.add.v2.f32", "f32", ["f32", "f32"], lambda a, b: soft.add("f32", b, a), SLOT.replace("{space}", "global"),
    PLACE + "st.global.v2.f32 [y1], {a, b}; red.global.v2.f32.add [y1], {b, a}; ld.global.f32 d, [y1+4];", inputs=four, min_sm=90)
own("atomic", "atom.global.v4.f32.add", "f32", ["f32", "f32"], lambda a, b: soft.add("f32", soft.add("f32", b, a), b), SLOT.replace("{space}", "global"),
    ".reg .f32 g1, g2, g3, g4;" + PLACE + "st.global.v4.f32 [y1], {a, a, b, b}; atom.global.v4.f32.add {g1, g2, g3, g4}, [y1], {b, b, a, a}; ld.global.f32 d, [y1+8]; add.f32 d, d, g4;",
    inputs=four, min_sm=90)
for order in ("relaxed", "acquire", "release", "acq_rel"):
    for scope in ("cta", "gpu", "sys"):
        own("atomic", f"atom.{order}.{scope}.global.add.u32", "b32", ["b32", "b32"], lambda a, b: a + b, SLOT.replace("{space}", "global"),
            PLACE + f"st.global.b32 [y1], a; atom.{order}.{scope}.global.add.u32 t, [y1], b; ld.global.b32 d, [y1];")
all_lanes("atomic", "atom.shared.add.u32 of all lanes on one word", "b32", ["b32"], lambda v: [sum(x[0] for x in v)] * LANES, ".shared .align 4 .b32 m{n};",
          "st.shared.b32 [m{n}], 0; bar.sync 0; atom.shared.add.u32 t, [m{n}], a; bar.sync 0; ld.shared.b32 d, [m{n}];")

# ---- asynchronous copies and mbarriers ----
for n, how in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
    for given in (n, n // 2):
        src = "" if given == n else f", {given}"
        own("asynchronous", f"cp.async.{how}.shared.global of {n} bytes, {given} read", "b64", ["b64"],
            lambda a, n=n, g=given: a & ((1 << 8 * min(g, 8)) - 1) if n > 4 else a & ((1 << 8 * g) - 1),
            ".shared .align 16 .b8 m{n}[1024]; .global .align 16 .b8 g{n}[1024];",
            PLACE + "mul.wide.u32 u, lane, 32; mov.u64 y2, g{n}; add.u64 y2, y2, u; st.global.b64 [y2], a; st.shared.b64 [y1], 0;"
            f"cp.async.{how}.shared.global [y1], [y2], {n}{src}; cp.async.commit_group; cp.async.wait_group 0; ld.shared.b64 d, [y1];")
own("asynchronous", "cp.async.wait_all", "b32", ["b32"], lambda a: a, ".shared .align 16 .b8 m{n}[1024]; .global .align 16 .b8 g{n}[1024];",
    PLACE + "mul.wide.u32 u, lane, 32; mov.u64 y2, g{n}; add.u64 y2, y2, u; st.global.b32 [y2], a; cp.async.ca.shared.global [y1], [y2], 4; cp.async.wait_all; ld.shared.b32 d, [y1];")
BAR = ".shared .align 8 .b64 m{n};"
INIT = "setp.eq.u32 p, lane, 0; @p mbarrier.init.shared.b64 [m{n}], {count}; bar.sync 0;"
own("asynchronous", "mbarrier.init, arrive, test_wait", "b32", ["b32"], lambda a: a + 1, BAR,
    INIT.replace("{count}", "32") + "mbarrier.arrive.shared.b64 u, [m{n}]; W{n}: mbarrier.test_wait.shared.b64 p, [m{n}], u; @!p bra W{n}; add.u32 d, a, 1;")
own("asynchronous", "mbarrier.try_wait.parity over two phases", "b32", ["b32"], lambda a: a + 2, BAR,
    INIT.replace("{count}", "32") + "mbarrier.arrive.shared.b64 u, [m{n}]; V{n}: mbarrier.try_wait.parity.shared.b64 p, [m{n}], 0; @!p bra V{n};"
    "mbarrier.arrive.shared.b64 u, [m{n}]; W{n}: mbarrier.try_wait.parity.shared.b64 p, [m{n}], 1; @!p bra W{n}; add.u32 d, a, 2;", min_sm=90)
own("asynchronous", "mbarrier.arrive of several, pending_count", "b32", [], lambda: 40, BAR,
    INIT.replace("{count}", "40") + "setp.eq.u32 p, lane, 0; mov.u64 u, 40; @p mbarrier.arrive.noComplete.shared.b64 u, [m{n}], 7;"
    "mov.u32 d, 40; @p mbarrier.pending_count.b64 d, u; bar.sync 0; @p mbarrier.arrive.noComplete.shared.b64 u, [m{n}], 1; @p mbarrier.pending_count.b64 t, u;"
    "@p sub.u32 t, t, 33; @p add.u32 d, d, t; bar.sync 0; @p mbarrier.inval.shared.b64 [m{n}];")
own("asynchronous", "mbarrier.arrive_drop", "b32", ["b32"], lambda a: a + 3, BAR,
    INIT.replace("{count}", "33") + "setp.eq.u32 p, lane, 0; @p mbarrier.arrive_drop.shared.b64 y1, [m{n}]; mbarrier.arrive.shared.b64 u, [m{n}];"
    "V{n}: mbarrier.test_wait.shared.b64 p, [m{n}], u; @!p bra V{n}; mbarrier.arrive.shared.b64 u, [m{n}];"
    "W{n}: mbarrier.test_wait.shared.b64 p, [m{n}], u; @!p bra W{n}; add.u32 d, a, 3;")
own("asynchronous", "cp.async.mbarrier.arrive.noinc", "b32", ["b32"], lambda a: a,
    BAR + ".shared .align 16 .b8 s{n}[1024]; .global .align 16 .b8 g{n}[1024];",
    INIT.replace("{count}", "32") + "mul.wide.u32 u, lane, 32; mov.u64 y1, s{n}; add.u64 y1, y1, u; mov.u64 y2, g{n}; add.u64 y2, y2, u; st.global.b32 [y2], a;"
    "cp.async.ca.shared.global [y1], [y2], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [m{n}];"
    "W{n}: mbarrier.test_wait.parity.shared.b64 p, [m{n}], 0; @!p bra W{n}; ld.shared.b32 d, [y1];", min_sm=90)

own("asynchronous", "mbarrier.arrive.expect_tx, complete_tx", "b32", ["b32"], lambda a: a + 4, BAR,
    INIT.replace("{count}", "32") + "setp.eq.u32 p, lane, 0; @p mbarrier.arrive.expect_tx.shared.b64 u, [m{n}], 96; @!p mbarrier.arrive.shared.b64 u, [m{n}];"
    "bar.sync 0; mbarrier.test_wait.parity.shared.b64 q, [m{n}], 0; selp.u32 t, 100, 4, q; bar.sync 0;"
    "@p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m{n}], 96; W{n}: mbarrier.try_wait.parity.shared.b64 p, [m{n}], 0; @!p bra W{n}; add.u32 d, a, t;", min_sm=90)
own("asynchronous", "mbarrier.expect_tx by several, bytes before arrivals", "b32", ["b32"], lambda a: a + 5, BAR,
    INIT.replace("{count}", "32") + "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m{n}], 16; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m{n}], 16;"
    "mbarrier.arrive.release.cta.shared::cta.b64 _, [m{n}]; W{n}: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [m{n}], 0; @!p bra W{n}; add.u32 d, a, 5;", min_sm=90)
for target in ("shared::cluster", "shared::cta"):
    own("asynchronous", f"cp.async.bulk.{target}.global", "b32", ["b32"], lambda a: a + 1,
        BAR + ".shared .align 16 .b8 s{n}[1024]; .global .align 16 .b8 g{n}[1024];",
        INIT.replace("{count}", "1") + "mul.wide.u32 u, lane, 32; mov.u64 y2, g{n}; add.u64 y2, y2, u; st.global.b32 [y2+16], a; fence.acq_rel.gpu; fence.proxy.async; bar.sync 0;"
        "setp.eq.u32 p, lane, 0; @p mbarrier.arrive.expect_tx.shared.b64 u, [m{n}], 1024; mov.u64 y1, s{n}; mov.u64 y2, g{n};"
        f"@p cp.async.bulk.{target}.global.mbarrier::complete_tx::bytes [y1], [y2], 1024, [m{{n}}];"
        "W{n}: mbarrier.try_wait.parity.shared.b64 p, [m{n}], 0; @!p bra W{n}; mul.wide.u32 u, lane, 32; add.u64 y1, y1, u; ld.shared.b32 d, [y1+16]; add.u32 d, d, 1;", min_sm=90)
own("asynchronous", "cp.async.bulk.global.shared::cta.bulk_group", "b32", ["b32"], lambda a: a + 2,
    ".shared .align 16 .b8 s{n}[512]; .global .align 16 .b8 g{n}[512];",
    "mul.wide.u32 u, lane, 16; mov.u64 y1, s{n}; add.u64 y1, y1, u; st.shared.b32 [y1+12], a; fence.proxy.async.shared::cta; bar.sync 0; mov.u64 y1, s{n}; mov.u64 y2, g{n};"
    "setp.eq.u32 p, lane, 3; @p cp.async.bulk.global.shared::cta.bulk_group [y2], [y1], 512; @p cp.async.bulk.commit_group; @p cp.async.bulk.wait_group 0; fence.acq_rel.gpu; bar.sync 0;"
    "add.u64 y2, y2, u; ld.volatile.global.b32 d, [y2+12]; add.u32 d, d, 2;", min_sm=90)

# ---- warps and blocks ----
def shuffle(mode):
    def f(v):
        out = []
        for i, (a, b, c) in enumerate(v):
            seg, clamp = c >> 8 & 31, c & 31
            top, base = i & seg | clamp & ~seg & 31, i & seg
            n = b & 31
            j = {"idx": base | n & ~seg & 31, "up": i - n, "down": i + n, "bfly": i ^ n}[mode]
            ok = j >= top if mode == "up" else j <= top
            out.append((v[j][0] if ok else a) ^ (0x80000000 if ok else 0))
        return out
    return f


for mode, c in (("idx", 0x1f), ("idx", 0x181f), ("up", 0), ("up", 0x1800), ("down", 0x1f), ("down", 0x181f), ("bfly", 0x1f), ("bfly", 0x1c1f)):
    rng = random.Random(mode + str(c))
    amount = rng.randrange(1, 8)
    all_lanes("warp", f"shfl.sync.{mode}.b32 with {c:#x}", "b32", ["b32", "b32", "b32"], shuffle(mode), "",
              "shfl.sync." + mode + ".b32 t|p, a, b, c, -1; mov.b32 d, t; @p xor.b32 d, d, 0x80000000;",
              inputs=[[rng.getrandbits(32), rng.randrange(32) if mode == "idx" else amount, c] for _ in range(LANES)])
balanced = [[i % 3 == 0] for i in range(LANES)]
mask_of = lambda v: sum(int(x[0]) << i for i, x in enumerate(v))
for how, f in (("ballot.sync.b32 d, w, -1;", lambda v: [mask_of(v)] * LANES),
               ("any.sync.pred p, w, -1; selp.b32 d, 1, 0, p;", lambda v: [int(mask_of(v) != 0)] * LANES),
               ("all.sync.pred p, w, -1; selp.b32 d, 1, 0, p;", lambda v: [int(mask_of(v) == M32)] * LANES),
               ("uni.sync.pred p, w, -1; selp.b32 d, 1, 0, p;", lambda v: [int(mask_of(v) in (0, M32))] * LANES)):
    all_lanes("warp", "vote." + how, "b32", ["pred"], f, "", "vote." + how, inputs=[[int(x[0])] for x in balanced])
    all_lanes("warp", "vote." + how + " all set", "b32", ["pred"], f, "", "vote." + how, inputs=[[1]] * LANES)
for t in ("b32", "b64"):
    values = [[(i % 5) * 0x10001 if t == "b32" else i % 5 << 33] for i in range(LANES)]
    all_lanes("warp", f"match.any.sync.{t}", "b32", [t], lambda v: [sum(int(y == x) << k for k, y in enumerate(v)) for x in v], "",
              f"match.any.sync.{t} d, a, -1;", inputs=values)
    all_lanes("warp", f"match.all.sync.{t}", "b32", [t], lambda v: [0x10] * LANES, "",
              f"match.all.sync.{t} t|p, a, -1; selp.b32 d, 1, 16, p;", inputs=values)
    all_lanes("warp", f"match.all.sync.{t} that agree", "b32", [t], lambda v: [M32] * LANES, "",
              f"match.all.sync.{t} t|p, a, -1; selp.b32 d, t, 16, p;", inputs=[[77]] * LANES)
REDUX = {"add.s32": lambda x: sum(x), "add.u32": lambda x: sum(x), "min.s32": lambda x: min(signed(y, 32) for y in x), "min.u32": min,
         "max.s32": lambda x: max(signed(y, 32) for y in x), "max.u32": max, "and.b32": lambda x: __import__("functools").reduce(lambda p, q: p & q, x),
         "or.b32": lambda x: __import__("functools").reduce(lambda p, q: p | q, x), "xor.b32": lambda x: __import__("functools").reduce(lambda p, q: p ^ q, x)}
for op, f in REDUX.items():
    all_lanes("warp", f"redux.sync.{op}", "b32", ["b32"], lambda v, f=f: [f([x[0] for x in v])] * LANES, "", f"redux.sync.{op} d, a, -1;")
own("warp", "activemask.b32 has at least this lane", "b32", [], lambda: 1, "", "activemask.b32 t; shr.u32 t, t, lane; and.b32 d, t, 1;")
all_lanes("warp", "elect.sync", "b32", [], lambda v: [3 + (i == 3) * 100 if i in (3, 4, 9) else 3 for i in range(LANES)], "",
          "mov.u32 d, 3; setp.eq.u32 p, lane, 3; setp.eq.or.u32 p, lane, 4, p; setp.eq.or.u32 p, lane, 9, p; @!p bra E{n};"
          "elect.sync t|p, 0x218; mov.u32 d, t; @p add.u32 d, d, 100; E{n}:", inputs=[[]] * LANES, min_sm=90)
all_lanes("warp", "bar.sync and a word of another lane", "b32", ["b32"], lambda v: [v[i ^ 5][0] for i in range(LANES)], SLOT.replace("{space}", "shared"),
          PLACE + "st.shared.b32 [y1], a; bar.sync 0; xor.b32 t, lane, 5; mul.wide.u32 y1, t, 32; add.u64 y1, y1, y2; ld.shared.b32 d, [y1];")
all_lanes("warp", "barrier.cta.sync.aligned with a count", "b32", ["b32"], lambda v: [v[i ^ 9][0] for i in range(LANES)], SLOT.replace("{space}", "shared"),
          PLACE + "st.shared.b32 [y1], a; barrier.cta.sync.aligned 1, 32; xor.b32 t, lane, 9; mul.wide.u32 y1, t, 32; add.u64 y1, y1, y2; ld.shared.b32 d, [y1];")
all_lanes("warp", "barrier.sync", "b32", ["b32"], lambda v: [v[0][0]] * LANES, SLOT.replace("{space}", "shared"),
          PLACE + "st.shared.b32 [y1], a; barrier.sync 2; ld.shared.b32 d, [m{n}];")
all_lanes("warp", "bar.warp.sync", "b32", ["b32"], lambda v: [v[0][0]] * LANES, SLOT.replace("{space}", "shared"),
          PLACE + "st.shared.b32 [y1], a; bar.warp.sync -1; ld.shared.b32 d, [m{n}];")
all_lanes("warp", "bar.red.popc.u32", "b32", ["pred"], lambda v: [11] * LANES, "", "bar.red.popc.u32 d, 0, w;", inputs=[[int(x[0])] for x in balanced])
all_lanes("warp", "bar.red.and.pred and or", "b32", ["pred"], lambda v: [2] * LANES, "",
          "bar.red.and.pred p, 0, w; bar.red.or.pred q, 0, !w; selp.b32 d, 1, 0, p; selp.b32 t, 2, 0, q; or.b32 d, d, t;", inputs=[[int(x[0])] for x in balanced])
all_lanes("warp", "barrier.cluster of one block", "b32", ["b32"], lambda v: [v[31][0]] * LANES, SLOT.replace("{space}", "shared"),
          PLACE + "st.shared.b32 [y1], a; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ld.shared.b32 d, [m{n}+992];", min_sm=90)
own("warp", "nanosleep, pmevent, griddepcontrol, and a trap nobody meets", "b32", ["b32"], lambda a: a, "",
    "nanosleep.u32 100; pmevent 1; griddepcontrol.wait; setp.gt.u32 p, lane, 100; @p trap; @p brkpt; mov.b32 d, a;", min_sm=90)
own("warp", "special registers", "b32", [], lambda: 32 + 1 + 32, "",
    "mov.u32 d, %ntid.x; mov.u32 t, %nctaid.x; add.u32 d, d, t; mov.u32 t, WARP_SZ; add.u32 d, d, t; mov.u32 t, %ctaid.x; add.u32 d, d, t; mov.u32 t, %warpid; add.u32 d, d, t;"
    "mov.u32 t, %cluster_ctarank; add.u32 d, d, t;", min_sm=90)
all_lanes("warp", "lane masks", "b32", [], lambda v: [(1 << i) + ((1 << i) - 1) ^ (M32 << i & M32) for i in range(LANES)], "",
          "mov.u32 d, %lanemask_eq; mov.u32 t, %lanemask_lt; add.u32 d, d, t; mov.u32 t, %lanemask_ge; xor.b32 d, d, t;", inputs=[[]] * LANES)
own("warp", "clocks go on", "b32", [], lambda: 1, "",
    "mov.u64 y1, %clock64; mov.u64 y2, %clock64; setp.le.u64 p, y1, y2; mov.u32 t, %clock; mov.u32 t, %clock_hi; mov.u64 u, %globaltimer; setp.ne.and.u64 p, u, 0, p; selp.b32 d, 1, 0, p;")

# ---- control flow ----
own("control", "brx.idx", "b32", ["b32"], lambda a: (10, 20, 30, 40)[a], "",
    "B{n}: .branchtargets L0{n}, L1{n}, L2{n}, L3{n}; brx.idx a, B{n}; L0{n}: mov.u32 d, 10; bra.uni E{n}; L1{n}: mov.u32 d, 20; bra E{n}; L2{n}: mov.u32 d, 30; bra E{n}; L3{n}: mov.u32 d, 40; E{n}:",
    inputs=[[i % 4] for i in range(LANES)])
own("control", "a loop with a guarded way out", "b32", ["b32"], lambda a: a * (a + 1) // 2, "",
    "mov.u32 d, 0; mov.u32 t, a; L{n}: setp.eq.u32 p, t, 0; @p bra E{n}; add.u32 d, d, t; sub.u32 t, t, 1; bra L{n}; E{n}:", inputs=[[i * 7 % 40] for i in range(LANES)])
own("control", "a loop with two ways in", "b32", ["b32"], lambda a: 2 * (a // 2) + 100 + (0 if a % 2 else 5), "",
    "mov.u32 d, 100; shr.u32 t, a, 1; and.b32 h, a, 1; setp.eq.u32 p, h, 1; @p bra M{n}; add.u32 d, d, 5; L{n}: setp.eq.u32 p, t, 0; @p bra E{n}; sub.u32 t, t, 1; add.u32 d, d, 1;"
    "bra N{n}; M{n}: setp.eq.u32 p, t, 0; @p bra E{n}; sub.u32 t, t, 1; add.u32 d, d, 1; N{n}: add.u32 d, d, 1; bra L{n}; E{n}:", inputs=[[i] for i in range(LANES)])
FUNC = ".func (.param .b32 r) f{n}(.param .b32 x, .param .align 8 .b8 y[8])\n{ .reg .b32 a, b, c; ld.param.b32 a, [x]; ld.param.b32 b, [y]; ld.param.b32 c, [y+4]; mul.lo.u32 a, a, b; add.u32 a, a, c; st.param.b32 [r], a; ret; }\n"
CALL = "{ .param .b32 p0; .param .align 8 .b8 p1[8]; .param .b32 q0; st.param.b32 [p0], a; st.param.b32 [p1], b; st.param.b32 [p1+4], c; {call} ld.param.b32 d, [q0]; }"
own("control", "call with bytes", "b32", ["b32"] * 3, lambda a, b, c: a * b + c, FUNC, CALL.replace("{call}", "call.uni (q0), f{n}, (p0, p1);"))
own("control", "call through a pointer, with a prototype", "b32", ["b32"] * 3, lambda a, b, c: a * b + c, FUNC,
    "mov.u64 u, f{n}; P{n}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[8]);" + CALL.replace("{call}", "call (q0), u, (p0, p1), P{n};"))
own("control", "call of registers", "b32", ["b32"], lambda a: a ^ 0x1234, ".func (.reg .b32 r) g{n}(.reg .b32 x)\n{ xor.b32 r, x, 0x1234; ret; }\n", "call (d), g{n}, (a);")
own("control", "a function that returns early", "b32", ["b32"], lambda a: a + (7 if a % 2 else 1), ".func (.param .b32 r) h{n}(.param .b32 x)\n"
    "{ .reg .b32 a, b; .reg .pred p; ld.param.b32 a, [x]; and.b32 b, a, 1; setp.eq.u32 p, b, 0; @p bra E; add.u32 a, a, 7; st.param.b32 [r], a; ret; E: add.u32 a, a, 1; st.param.b32 [r], a; ret.uni; }\n",
    "{ .param .b32 p0, q0; st.param.b32 [p0], a; call.uni (q0), h{n}, (p0); ld.param.b32 d, [q0]; }")

# ---- matrices ----
def small_ints(rng, count, low, high):
    return [rng.randrange(low, high) for _ in range(count)]


def code_of(t, x):
    """A small integer as an element of type t."""
    if t in ("f16", "bf16", "f64"):
        return soft.encode(t, Fraction(x))
    if t in ("f32", "tf32"):
        return soft.encode("f32", Fraction(x))
    if t in ("e4m3", "e5m2"):
        return forms.to_fp8(t, (int(x < 0), Fraction(abs(x))))
    return x & ((1 << int(t[1:])) - 1)


BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s32": 32, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}


def fragments(m, n, k, at, bt, ct, A, B, C):
    """The registers of each lane, as PTX lays them out: lists of A, B, C registers."""
    def regs(count, each, bits, where, mat, t):
        out = []
        for r in range(count):
            w = 0
            for j in range(each):
                i, l = where(r, j)
                w |= code_of(t, mat[i][l]) << bits * j
            out.append(w)
        return out
    lanes = []
    for lane in range(32):
        g, t4 = lane // 4, lane % 4
        ea, eb, ec = (max(32 // BITS[x], 1) for x in (at, bt, ct))
        na, nb, nc = m * k // 32 // ea, k * n // 32 // eb, m * n // 32 // ec
        two = m == 16
        fa = regs(na, ea, BITS[at], lambda r, j: (g + 8 * (r % 2) * two, t4 * ea + j + 4 * ea * (r // 2 if two else r)), A, at)
        fb = regs(nb, eb, BITS[bt], lambda r, j: (t4 * eb + j + 4 * eb * r, g), B, bt)
        fc = regs(nc, ec, BITS[ct], lambda r, j: (g + 8 * ((r * ec + j) // 2), 2 * t4 + (r * ec + j) % 2), C, ct)
        lanes.append((fa, fb, fc))
    return lanes


def mma(shape, dt, at, bt, ct, extra="", min_sm=80):
    import re
    m, n, k = map(int, re.match(r"m(\d+)n(\d+)k(\d+)", shape).groups())
    text = f"mma.sync.aligned.{shape}.row.col{extra if extra.startswith('.sat') else ''}.{dt}.{at}.{bt}.{ct}{'' if extra.startswith('.sat') else extra}"
    rng = random.Random(text)
    rangeof = lambda t: (0, 2) if t == "b1" else (0, 16) if t == "u4" else (0, 200) if t == "u8" else (-128, 128) if t == "s8" else (-8, 8) if t == "s4" else (-4, 5)
    A = [small_ints(rng, k, *rangeof(at)) for _ in range(m)]
    B = [small_ints(rng, n, *rangeof(bt)) for _ in range(k)]
    C = [small_ints(rng, n, -8, 8) for _ in range(m)]
    if "satfinite" in extra:
        C = [[rng.choice([2 ** 31 - 1, -2 ** 31, 5]) for _ in range(n)] for _ in range(m)]
    mul = {".xor.popc": lambda x, y: x ^ y, ".and.popc": lambda x, y: x & y}.get(extra, lambda x, y: x * y)
    D = [[C[i][j] + sum(mul(A[i][q], B[q][j]) for q in range(k)) for j in range(n)] for i in range(m)]
    if "satfinite" in extra:
        D = [[min(max(x, -2 ** 31), 2 ** 31 - 1) for x in row] for row in D]
    return mma_form(text, dt, at, ct, fragments(m, n, k, at, bt, ct, A, B, C), fragments(m, n, k, at, bt, dt, A, B, D), min_sm)


def mma_form(text, dt, at, ct, lanes, wanted, min_sm=80):
    """A form from the registers that each lane has, and those that it should get."""
    na, nb, nc = map(len, lanes[0])
    kind = lambda t: "f64" if t == "f64" else "f32" if t == "f32" else "b32"
    tables, body = "", f".reg .{kind(at)} a<{na}>, b<{nb}>; .reg .{kind(ct)} c<{nc}>; .reg .{kind(dt)} r<{nc}>;"
    serial_n = next(serial)
    for which, name in enumerate("abc"):
        bits = 64 if (at if which < 2 else ct) == "f64" else 32
        for r in range(len(lanes[0][which])):
            data = ", ".join(hex(lane[which][r]) for lane in lanes)
            tables += f".global .align 8 .b{bits} {name}{r}_{serial_n}[32] = {{{data}}};\n"
            body += f"mov.u64 y1, {name}{r}_{serial_n}; mul.wide.u32 y2, lane, {bits // 8}; add.u64 y1, y1, y2; ld.global.{'b' + str(bits) if kind(at if which < 2 else ct)[0] == 'b' else kind(at if which < 2 else ct)} {name}{r}, [y1];"
    vec = lambda c, n: "{" + ", ".join(f"{c}{i}" for i in range(n)) + "}"
    body += f"{text} {vec('r', nc)}, {vec('a', na)}, {vec('b', nb)}, {vec('c', nc)};"
    size = 64 if dt == "f64" else 32
    body += f"mov.b{size} d, r0;" + "".join(
        (f"mov.b64 u, r{r}; mul.lo.u64 d, d, 31; add.u64 d, d, u;" if size == 64 else f"mov.b32 t, r{r}; mul.lo.u32 d, d, 31; add.u32 d, d, t;") for r in range(1, nc))

    def mix(regs):
        v = regs[0]
        for x in regs[1:]:
            v = v * 31 + x
        return v & ((1 << size) - 1)

    f = Form("matrix", text, f"b{size}", [], [mix(w[2]) for w in wanted], [[]] * LANES, "exact", decl=tables, body=body, min_sm=min_sm)
    return f


def quad_pairs(la, lb, t):
    """m8n8k4 of f16: lanes 4q to 4q + 3 and those 16 above have matrices of their own."""
    text = f"mma.sync.aligned.m8n8k4.{la}.{lb}.{t}.f16.f16.{t}"
    rng = random.Random(text)
    both = []
    for quad in range(4):
        A = [small_ints(rng, 4, -4, 5) for _ in range(8)]
        B = [small_ints(rng, 8, -4, 5) for _ in range(4)]
        C = [small_ints(rng, 8, -8, 8) for _ in range(8)]
        D = [[C[i][j] + sum(A[i][q] * B[q][j] for q in range(4)) for j in range(8)] for i in range(8)]
        both.append((A, B, C, D))
    pairs = lambda xs: [code_of("f16", xs[i]) | code_of("f16", xs[i + 1]) << 16 for i in range(0, len(xs), 2)]
    lanes, wanted = [], []
    for lane in range(32):
        A, B, C, D = both[lane // 4 % 4]
        own, up = lane % 4, 4 * (lane >= 16)
        a = [A[own + up][i] if la == "row" else A[i + up][own] for i in range(4)]
        b = [B[own][i + up] if lb == "row" else B[i][own + up] for i in range(4)]

        def acc(M):
            if t == "f16":
                return pairs(M[own + up])
            return [code_of("f32", M[(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)]) for i in range(8)]
        lanes.append((pairs(a), pairs(b), acc(C)))
        wanted.append((None, None, acc(D)))
    return mma_form(text, t, "f16", t, lanes, wanted)


for t in ("f16", "f32"):
    for la in ("row", "col"):
        for lb in ("row", "col"):
            quad_pairs(la, lb, t)
for shape, at in (("m16n8k8", "f16"), ("m16n8k16", "f16"), ("m16n8k8", "bf16"), ("m16n8k16", "bf16"), ("m16n8k4", "tf32"), ("m16n8k8", "tf32")):
    mma(shape, "f32", at, at, "f32")
mma("m16n8k8", "f16", "f16", "f16", "f16")
mma("m16n8k16", "f16", "f16", "f16", "f16")
mma("m8n8k4", "f64", "f64", "f64", "f64")
for k in (4, 8, 16):
    mma(f"m16n8k{k}", "f64", "f64", "f64", "f64", min_sm=90)
for a in ("s8", "u8"):
    for b in ("s8", "u8"):
        for shape in ("m8n8k16", "m16n8k16", "m16n8k32"):
            mma(shape, "s32", a, b, "s32")
for a in ("s4", "u4"):
    for b in ("s4", "u4"):
        for shape in ("m8n8k32", "m16n8k32", "m16n8k64"):
            mma(shape, "s32", a, b, "s32")
for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
    mma(shape, "s32", "b1", "b1", "s32", ".xor.popc")
    mma(shape, "s32", "b1", "b1", "s32", ".and.popc")
mma("m16n8k32", "s32", "s8", "s8", "s32", ".satfinite")
for a, b in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e5m2")):
    mma("m16n8k32", "f32", a, b, "f32", min_sm=89)


def wmma(shape, at, dt, ct, a_layout, b_layout, c_layout, extra=""):
    """Load A, B and C, multiply, store D; each lane then gives a mix of a part of D."""
    import re
    m, n, k = map(int, re.match(r"m(\d+)n(\d+)k(\d+)", shape).groups())
    types = f".{dt}.{ct}" if at == "f16" else f".{dt}.{at}.{at}.{ct}"
    of_bits = extra if at == "b1" else ""
    text = f"wmma.mma{of_bits}.sync.aligned.{a_layout}.{b_layout}.{shape}{'' if of_bits else extra}{types}"
    rng = random.Random(text + c_layout)
    low, high = {"u8": (0, 200), "s8": (-128, 128), "u4": (0, 16), "s4": (-8, 8), "b1": (0, 2)}.get(at, (-4, 5))
    A = [small_ints(rng, k, low, high) for _ in range(m)]
    B = [small_ints(rng, n, low, high) for _ in range(k)]
    C = [small_ints(rng, n, -8, 8) for _ in range(m)]
    if extra == ".satfinite":
        C = [[rng.choice([2 ** 31 - 1, -2 ** 31, 5]) for _ in range(n)] for _ in range(m)]
    times = (lambda x, y: x ^ y) if of_bits == ".xor.popc" else (lambda x, y: x * y)
    D = [[C[i][j] + sum(times(A[i][q], B[q][j]) for q in range(k)) for j in range(n)] for i in range(m)]
    if extra == ".satfinite":
        D = [[min(max(x, -2 ** 31), 2 ** 31 - 1) for x in row] for row in D]
    pad = {64: 2, 32: 4, 16: 8, 8: 16, 4: 32, 1: 128}
    s = next(serial)

    def table(name, mat, t, layout):
        rows, cols, bits = len(mat), len(mat[0]), BITS[t]
        ld = (cols if layout == "row" else rows) + pad[bits]
        flat = [0] * (ld * (rows if layout == "row" else cols))
        for i in range(rows):
            for j in range(cols):
                flat[i * ld + j if layout == "row" else j * ld + i] = mat[i][j] & (1 << bits) - 1 if bits < 8 else code_of(t, mat[i][j])
        if bits < 8:
            each = 8 // bits
            flat = [sum(x << q * bits for q, x in enumerate(flat[at:at + each])) for at in range(0, len(flat), each)]
            return f".global .align 32 .b8 {name}{s}[{len(flat)}] = {{{', '.join(map(str, flat))}}};\n", ld
        return f".global .align 32 .b{bits} {name}{s}[{len(flat)}] = {{{', '.join(map(str, flat))}}};\n", ld

    ta, lda = table("A", A, at, a_layout)
    tb, ldb = table("B", B, at, b_layout)
    tc, ldc = table("C", C, ct, c_layout)
    size = BITS[dt]
    ldd = (n if c_layout == "row" else m) + pad[size]
    total = ldd * (m if c_layout == "row" else n)
    decl = ta + tb + tc + f".global .align 32 .b{size} D{s}[{total}];\n"
    counts = {"f16": {(16, 16): (8, 8), (32, 8): (8, 8), (8, 32): (8, 8)}, "bf16": {(16, 16): (4, 4), (32, 8): (8, 2), (8, 32): (2, 8)},
              "s8": {(16, 16): (2, 2), (32, 8): (4, 1), (8, 32): (1, 4)}, "u8": {(16, 16): (2, 2), (32, 8): (4, 1), (8, 32): (1, 4)},
              "tf32": {(16, 16): (4, 4)}, "f64": {(8, 8): (1, 1)}}.get(at, {(8, 8): (1, 1)})[(m, n)]
    nc = lambda t: 2 if m == n == 8 else 4 if t == "f16" else 8
    kind = lambda t: t if t in ("f64", "f32") else "b32"
    vec = lambda c, q: "{" + ", ".join(f"{c}{i}" for i in range(q)) + "}"
    body = f".reg .{kind(at)} a<8>, b<8>; .reg .{kind(ct)} c<8>; .reg .{kind(dt)} r<8>;"
    body += f"mov.u64 y1, A{s}; wmma.load.a.sync.aligned.{a_layout}.{shape}.global.{at} {vec('a', counts[0])}, [y1], {lda};"
    body += f"mov.u64 y1, B{s}; wmma.load.b.sync.aligned.{b_layout}.{shape}.global.{at} {vec('b', counts[1])}, [y1], {ldb};"
    body += f"mov.u64 y1, C{s}; wmma.load.c.sync.aligned.{c_layout}.{shape}.global.{ct} {vec('c', nc(ct))}, [y1], {ldc};"
    body += f"{text} {vec('r', nc(dt))}, {vec('a', counts[0])}, {vec('b', counts[1])}, {vec('c', nc(ct))};"
    body += f"mov.u64 y1, D{s}; wmma.store.d.sync.aligned.{c_layout}.{shape}.global.{dt} [y1], {vec('r', nc(dt))}, {ldd}; bar.sync 0; mov.b64 d, 0;"
    per = m * n // 32
    want = []
    for lane in range(32):
        v = 0
        for e in range(per):
            i, j = (lane * per + e) // n, (lane * per + e) % n
            v = (v * 1000003 + code_of(dt, D[i][j])) & M64
        want.append(v)
    read = {64: "ld.global.b64 u, [y2];", 32: "ld.global.u32 u, [y2];", 16: "ld.global.u16 u, [y2];"}[size]
    body += (f"mul.lo.u32 t, lane, {per}; mov.u32 x2, 0; L{s}: div.u32 h, t, {n}; rem.u32 x1, t, {n};" +
             (f"mad.lo.u32 h, h, {ldd}, x1;" if c_layout == "row" else f"mad.lo.u32 h, x1, {ldd}, h;") +
             f"mul.wide.u32 y2, h, {size // 8}; add.u64 y2, y1, y2; {read} mul.lo.u64 d, d, 1000003; add.u64 d, d, u;"
             f"add.u32 t, t, 1; add.u32 x2, x2, 1; setp.lt.u32 p, x2, {per}; @p bra L{s};")
    Form("wmma", text + " " + c_layout, "b64", [], want, [[]] * LANES, "exact", decl=decl, body=body)


for shape in ("m16n16k16", "m32n8k16", "m8n32k16"):
    wmma(shape, "f16", "f32", "f32", "row", "col", "row")
    wmma(shape, "f16", "f16", "f16", "col", "row", "col")
    wmma(shape, "bf16", "f32", "f32", "row", "row", "row")
    wmma(shape, "s8", "s32", "s32", "row", "col", "col")
    wmma(shape, "u8", "s32", "s32", "col", "row", "row")
wmma("m16n16k16", "f16", "f32", "f16", "row", "row", "row")
wmma("m16n16k16", "f16", "f16", "f32", "row", "row", "row")
wmma("m16n16k16", "s8", "s32", "s32", "row", "col", "row", ".satfinite")
wmma("m16n16k8", "tf32", "f32", "f32", "row", "col", "row")
wmma("m8n8k4", "f64", "f64", "f64", "row", "col", "row")
for t in ("s4", "u4"):
    wmma("m8n8k32", t, "s32", "s32", "row", "col", "row")
wmma("m8n8k32", "s4", "s32", "s32", "row", "col", "col", ".satfinite")
wmma("m8n8k128", "b1", "s32", "s32", "row", "col", "row", ".xor.popc")
wmma("m8n8k128", "b1", "s32", "s32", "row", "col", "col", ".and.popc")

MATRIX = ".shared .align 16 .b8 m{n}[512];"
FILL = "mov.u64 y2, m{n}; mul.wide.u32 y1, lane, 16; add.u64 y1, y1, y2;" \
       "mul.lo.u32 t, lane, 0x80008; add.u32 t, t, 0x10000; st.shared.b32 [y1], t; add.u32 t, t, 0x20002; st.shared.b32 [y1+4], t; add.u32 t, t, 0x20002; st.shared.b32 [y1+8], t;" \
       "add.u32 t, t, 0x20002; st.shared.b32 [y1+12], t; bar.sync 0;"  # half j of row r is 8r + j
for count in (1, 2, 4):
    for trans in ("", ".trans"):
        def wanted(v, count=count, trans=trans):
            out = []
            for lane in range(32):
                g, t4 = lane // 4, lane % 4
                x = 0
                for q in range(count):
                    h = [8 * (8 * q + (2 * t4 + j if trans else g)) + (g if trans else 2 * t4 + j) for j in range(2)]
                    x = x * 31 + (h[0] | h[1] << 16) & M32
                out.append(x)
            return out
        regs = ", ".join(f"r{i}" for i in range(count))
        all_lanes("matrix", f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16", "b32", [], wanted, MATRIX,
                  FILL + f".reg .b32 r<4>; ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{regs}}}, [y1]; mov.b32 d, 0;" +
                  "".join(f"mul.lo.u32 d, d, 31; add.u32 d, d, r{i};" for i in range(count)), inputs=[[]] * LANES)
        all_lanes("matrix", f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16", "b32", [], wanted, MATRIX + ".shared .align 16 .b8 s{n}[512];",
                  FILL + f".reg .b32 r<4>; ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {{{regs}}}, [y1];"
                  f"mov.u64 y2, s{{n}}; mul.wide.u32 y1, lane, 16; add.u64 y1, y1, y2; stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [y1], {{{regs}}}; bar.sync 0;"
                  f"ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {{{regs}}}, [y1]; mov.b32 d, 0;" +
                  "".join(f"mul.lo.u32 d, d, 31; add.u32 d, d, r{i};" for i in range(count)), inputs=[[]] * LANES, min_sm=90)
all_lanes("matrix", "movmatrix.sync.aligned.m8n8.trans.b16", "b32", [],
          lambda v: [8 * (2 * (i % 4)) + i // 4 | (8 * (2 * (i % 4) + 1) + i // 4) << 16 for i in range(LANES)], MATRIX,
          FILL + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {t}, [y1]; movmatrix.sync.aligned.m8n8.trans.b16 d, t;", inputs=[[]] * LANES)

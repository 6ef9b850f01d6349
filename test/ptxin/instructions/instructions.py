"""Tests of PTX instructions, made from forms.py and threads.py.

  instructions.py make DIR [all]      writes DIR/NAME.ptx, one kernel of many instructions each; lists
                                      the NAMEs. Without `all`, each mnemonic and every fourth form
  instructions.py make-asm DIR [all]  the same as DIR/NAME.cu, each form in an asm statement; without
                                      those that call functions
  instructions.py check DIR DEVICE [all]  reads DIR/NAME.DEVICE.out, what `tern run` printed of each,
  instructions.py check-asm DIR DEVICE [all]  and prints PASS or FAIL
  instructions.py covers              the mnemonics that have a form, one a line
"""
import re
import sys
from fractions import Fraction

import forms
import soft
import special  # adds its families
import threads

PER_KERNEL = 48
NAMES = "abce"


def some_of(all_forms):
    """Enough to have every mnemonic."""
    seen = set()
    for i, f in enumerate(all_forms):
        word = f.text.split(".")[0]
        if word not in seen or i % 4 == 0:
            yield f
        seen.add(word)


def in_asm(f):
    """An asm statement has no functions of its own, nor pointers in initialisers."""
    return ".func" not in f.decl and "generic(" not in f.decl and ".param" not in f.body


def modules():
    """(name, forms of this kernel)"""
    for family, all_forms in forms.FAMILIES.items():
        if sys.argv[-1] != "all":
            all_forms = list(some_of(all_forms))
        if sys.argv[1].endswith("-asm"):
            all_forms = [f for f in all_forms if in_asm(f)]
        chunks = [all_forms[i:i + PER_KERNEL] for i in range(0, len(all_forms), PER_KERNEL)]
        for i, chunk in enumerate(chunks):
            yield (f"{family}-{i + 1}" if len(chunks) > 1 else family), chunk


def register_type(t):
    n = forms.WIDTH[t]
    return ".pred" if t == "pred" else f".{t}" if t in ("f32", "f64") else f".b{n}"


def code(index, f):
    out = ["{", ".reg .b32 t, h, x1, x2; .reg .b64 u, in, y1, y2; .reg .b16 i, j, k, l; .reg .pred p, q;",
           "setp.ne.u32 q, lane, lane;", f"mov.u64 in, in{index}; add.u64 in, in, at;",
           f".reg {register_type(f.result)} d;"]
    names = iter(NAMES)
    for k, t in enumerate(f.operands):
        n = forms.WIDTH[t]
        name = "w" if t == "pred" else next(names)
        out.append(f".reg {register_type(t)} {name}; ld.global.b64 u, [in+{8 * forms.LANES * k}];")
        if t == "pred":
            out.append(f"setp.ne.u64 {name}, u, 0;")
        elif n == 64:
            out.append(f"mov.b64 {name}, u;")
        elif n == 16:
            out.append(f"cvt.u16.u64 {name}, u;")
        else:
            out.append(f"cvt.u32.u64 t, u; mov.b32 {name}, t;")
    out.append("mov.u32 t, 0;")
    out.append(f.body or f.text)
    n = forms.WIDTH[f.result]
    out.append({64: "mov.b64 u, d;", 32: "mov.b32 t, d; cvt.u64.u32 u, t;", 16: "cvt.u64.u16 u, d;"}[n])
    out.append(f"st.global.b64 [out+{8 * forms.LANES * index}], u;")
    return "\n    ".join(out) + "\n}"


def module(chunk):
    sm = max(f.min_sm for f in chunk)
    text = [f".version 8.6\n.target sm_{sm}\n.address_size 64"]
    for i, f in enumerate(chunk):
        data = [v[k] for k in range(len(f.operands)) for v in f.inputs]
        if not data:
            data = [0] * forms.LANES
        text.append(f".global .align 8 .b64 in{i}[{len(data)}] = {{{', '.join(hex(x) for x in data)}}};")
        if f.decl:
            text.append(f.decl)
    text.append(f"// tern run: --kernel t --block {forms.LANES} --arg u64[{forms.LANES * len(chunk)}] --print 1000000")
    text.append(".visible .entry t(.param .u64 result)\n{\n.reg .b32 lane; .reg .b64 out, at;")
    text.append("ld.param.u64 out, [result]; cvta.to.global.u64 out, out; mov.u32 lane, %tid.x;")
    text.append("mul.wide.u32 at, lane, 8; add.u64 out, out, at;")
    for i, f in enumerate(chunk):
        text.append(f"// {f.text}\n" + code(i, f))
    text.append("ret;\n}\n")
    return "\n".join(text)


VARIABLE = re.compile(r"\.(shared|global|const|local)\s+(?:\.align\s+(\d+)\s+)?\.([a-z]+)(\d+)\s+(\w+)(?:\[(\d+)\])?"
                      r"(?:\s*=\s*\{([^}]*)\})?;")
HOLDS = {"shared": "__shared__", "global": "__device__", "const": "__constant__", "local": ""}


def bits_of(item, letter):
    """An element of an initialiser as an integer."""
    if item[:2].lower() in ("0f", "0d") and letter == "f":
        return int(item[2:], 16)
    return soft.encode("f32", Fraction(item)) if letter == "f" else int(item, 0)


def variables(text):
    """The declarations of variables in a text, in C, and the text without them."""
    found = []
    for space, align, letter, bits, name, count, init in VARIABLE.findall(text):
        values = "" if not init else " = {" + ", ".join(hex(bits_of(x.strip(), letter)) for x in init.split(",")) + "}"
        found.append((space, name, f"{HOLDS[space]} __align__({align or int(bits) // 8}) unsigned "
                      f"{ {8: 'char', 16: 'short', 32: 'int', 64: 'long long'}[int(bits)]} {name}[{count or 1}]{values};"))
    return found, VARIABLE.sub("", text)


def asm_module(chunk):
    """A variable's name is a register with its address; everything else stays as it is."""
    text, body = [], []
    for i, f in enumerate(chunk):
        data = [v[k] for k in range(len(f.operands)) for v in f.inputs] or [0] * forms.LANES
        text.append(f"__device__ unsigned long long in{i}[{len(data)}] = {{{', '.join(hex(x) + 'ull' for x in data)}}};")
        found, rest = variables(f.decl)
        inner, lines = variables(code(i, f))
        assert not rest.strip(), rest
        text += [c for space, name, c in found if space in ("global", "const")]
        body.append("{")
        body += [c for space, name, c in found + inner if space in ("shared", "local")]
        lines = lines.replace(f"mov.u64 in, in{i};", "mov.u64 in, %1;")
        lines = lines.replace(f"st.global.b64 [out+{8 * forms.LANES * i}], u;", "mov.u64 %0, u;")
        start = [f".reg .b32 lane; .reg .b64 at; mov.u32 lane, %2; mul.wide.u32 at, lane, 8;"]
        arguments = [f'"l"(in{i})', '"r"(threadIdx.x)']
        for k, (space, name, c) in enumerate(found + inner):
            start.append(f".reg .b64 {name}; cvta.to.{space}.u64 {name}, %{3 + k};")
            arguments.append(f'"l"({name})')
            lines = lines.replace(f"{name}[0]", name)
        lines = re.sub(r"%(?=[a-z])", "%%", lines)
        lines = "\n".join(f'    "{line}\\n"' for line in ["{"] + start + [lines.replace("\n", " "), "}"])
        body.append(f"unsigned long long u;\nasm volatile(\n{lines}\n    : \"=l\"(u) : {', '.join(arguments)} : \"memory\");")
        body.append(f"result[{forms.LANES * i} + threadIdx.x] = u;\n}}")
    return "\n".join([f"// tern run: --kernel t --block {forms.LANES} --arg u64[{forms.LANES * len(chunk)}] --print 1000000"] + text +
                     ['extern "C" __global__ void t(unsigned long long *result)\n{'] + body + ["}\n"])


def as_float(fmt, bits):
    x = soft.decode(fmt, bits)
    return None if isinstance(x, soft.Special) else float(soft.value(x))


def agrees(f, lane, got):
    want = f.want[lane]
    if want is None:
        return True
    if f.check == "lane+a":
        return got == (lane + f.inputs[lane][0] & forms.M32)
    if isinstance(want, tuple):
        x = as_float(want[0], got)
        return x is not None and abs(x - want[1]) <= f.check * max(1, abs(want[1]))
    if got == want:
        return True
    if f.check == "exact" and f.result in soft.FORMATS:
        return soft.is_nan(f.result, got) and soft.is_nan(f.result, want)
    if isinstance(f.check, str) and f.check.startswith("pair "):
        t = f.check[5:]
        return all((g := got >> s & 0xffff) == (w := want >> s & 0xffff) or (soft.is_nan(t, g) and soft.is_nan(t, w)) for s in (0, 16))
    return False


def check(chunk, text):
    printed = re.search(r"^arg 0 u64\[\d+\]: (.*?)  sum ", text, re.M)
    if not printed:
        return "no result"
    got = [int(x) for x in printed.group(1).split()]
    if len(got) != forms.LANES * len(chunk):
        return f"{len(got)} results"
    wrong = []
    for i, f in enumerate(chunk):
        for lane in range(forms.LANES):
            g = got[i * forms.LANES + lane]
            if not agrees(f, lane, g):
                w = f.want[lane]
                args = ", ".join(hex(v) for v in f.inputs[lane])
                wrong.append(f"{f.text} of {args} is {g:#x}, should be {w if isinstance(w, tuple) else hex(w)}")
                break
    return "; ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")


def main():
    command = sys.argv[1]
    if command in ("make", "make-asm"):
        for name, chunk in modules():
            asm = command == "make-asm"
            with open(f"{sys.argv[2]}/{name}.{'cu' if asm else 'ptx'}", "w") as out:
                out.write(asm_module(chunk) if asm else module(chunk))
            print(name)
    elif command in ("check", "check-asm"):
        device = sys.argv[3]
        what = "ptxin/instructions" if command == "check" else "ptxin/asm"
        for name, chunk in modules():
            try:
                with open(f"{sys.argv[2]}/{name}.{device}.out") as out:
                    text = out.read()
            except FileNotFoundError:
                continue  # the caller has said why
            why = check(chunk, text)
            print(f"FAIL {what}/{name} on {device}: {why}" if why else f"PASS {what}/{name} on {device}: {len(chunk)} forms")
    elif command == "covers":
        words = set()
        for all_forms in forms.FAMILIES.values():
            for f in all_forms:
                for statement in re.split(r"[;{}]", f.decl + ";" + (f.body or f.text)):
                    statement = re.sub(r"^(\s*[$\w]+:|\s*@!?\w+)*", "", statement.strip()).strip()
                    if statement and statement[0].isalpha():
                        words.add(re.split(r"[.\s]", statement)[0])
        print("\n".join(sorted(words)))


main()

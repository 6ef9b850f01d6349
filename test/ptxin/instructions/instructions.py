"""Tests of PTX instructions, made from forms.py and threads.py.

  instructions.py make DIR [all]      writes DIR/NAME.ptx, one kernel of many instructions each; lists
                                      the NAMEs. Without `all`, each mnemonic and every fourth form
  instructions.py check DIR DEVICE [all]  reads DIR/NAME.DEVICE.out, what `tern run` printed of each,
                                      and prints PASS or FAIL
  instructions.py covers              the mnemonics that have a form, one a line
"""
import re
import sys

import forms
import soft
import threads  # adds its families

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


def modules():
    """(name, forms of this kernel)"""
    for family, all_forms in forms.FAMILIES.items():
        if sys.argv[-1] != "all":
            all_forms = list(some_of(all_forms))
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
    text = [f".version 8.4\n.target sm_{sm}\n.address_size 64"]
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
    if command == "make":
        for name, chunk in modules():
            with open(f"{sys.argv[2]}/{name}.ptx", "w") as out:
                out.write(module(chunk))
            print(name)
    elif command == "check":
        device = sys.argv[3]
        for name, chunk in modules():
            try:
                with open(f"{sys.argv[2]}/{name}.{device}.out") as out:
                    text = out.read()
            except FileNotFoundError:
                continue  # the caller has said why
            why = check(chunk, text)
            print(f"FAIL ptxin/instructions/{name} on {device}: {why}" if why else
                  f"PASS ptxin/instructions/{name} on {device}: {len(chunk)} forms")
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

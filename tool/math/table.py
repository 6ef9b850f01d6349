#!/usr/bin/env python3
"""Prints doc/accuracy.md from rows that `accuracy -d` printed, perhaps in several runs.

usage: table.py WHEN_AND_WHERE ROWS...     of two rows for one function the one with more points counts, of
two with as many that against MPFR; doc/accuracy.md itself may be among the ROWS, so that only some are new.
Rows of test/math/halfmath.c (run with -d) make the second table, those of test/programs/fast_f64.cu (built
with -DALL, run with an argument) the third
"""
import re
import sys

HEAD = """# Accuracy of the device math library

Measured by tool/math/accuracy.c %s:
the distance of the result from the exact value in units in the last place of that value (0.5: correctly
rounded).

"all" means every float: all 2^32, or all 2^31 from +0 up for functions that are odd, even or NaN below
zero. The other rows are random points: bit patterns, the range where the function is interesting,
small magnitudes. References are MPFR where it is named (behind a semicolon: at so many of the points, as a
check of the reference), else one format up: the C library's or our own double for float, the C library's
long double (binary128) for double; where both were taken, all digits shown agree. A double or binary128 is
29 or 60 bits finer than what it measures, so that no point lies too near a rounding boundary for it. Bounds are
those of device/libm/ulp.def, and the tests hold the library to them; norms of three and more numbers are held to
1 ulp, and jn and yn to CUDA's absolute error, by test/math/names.c. CUDA's column is NVIDIA's documented
maximum, there the distance to the correctly rounded result: its n allows up to n + 0.5 here. The bits are
the same on every IEEE device, so that one measurement serves all of them.

| function | points | worst, ulp | bound | CUDA | worst at |
|---|---|---|---|---|---|"""


HALVES = """
## half and bfloat16

The functions of cuda_fp16.h and cuda_bf16.h compute in float and round: on all 65,536 inputs of each format they are
within 0.5002 ulp of the exact value (test/math/halfmath.c). Every pattern of half, bfloat16 and the two 8-bit formats
widens exactly and comes back; rounding is checked at and beside halfway points and, in the long tests, from every
float (test/math/small.c).

| function | points | worst, ulp | worst at |
|---|---|---|---|"""

PAIRS = """
## Double as pairs of floats

With `--f64=fast` a double is the sum of two floats: about 48 bits, in the range of float. Relative errors in units
of 2^-48 (3.6e-15), measured with test/programs/fast_f64.cu on the CPU; the interpreter gives the same bits, Vulkan passed
the same bounds. The program's arguments have 46 bits or fewer, so that the error is the function's own.

- Results beyond 2^128 are infinite; below 2^-102 the tail loses bits, below 2^-149 there is 0. Infinities, NaN and
  signed zeros are as ever.
- Memory holds binary64: a double that is loaded and stored only keeps its 53 bits. As an argument of a function or
  in a variable that changes in a loop it has 48.
- Directed rounding (`__dadd_ru`, …), 64-bit integers, atomics and sums with constants from 2^48 up are computed in
  binary64, by the device or, where it has none, by integers.
- Before the first module runs, the device is asked whether its float arithmetic rounds as it must; if not, the module
  is refused.
- Near a zero of a function other than at 0 (sin near pi, lgamma near 1 and 2) the error is relative to the argument.

| function | points | range | worst | bound | worst at |
|---|---|---|---|---|---|"""

ROW = r"\| `(\w+)` \| (all )?(2\^)?([\d.e+]+),?( MPFR)?(?:; ([\d.e+]+) MPFR)? \| (.*?) \| (\S+) \| (.*) \| ([^|]*) \|$"


def main():
    rows, multi, halves, pairs = {}, {}, [], []  # multi: points against MPFR
    for path in sys.argv[2:]:
        with open(path) as f:
            for line in f:
                line = line.strip()
                if re.match(r"\| `h\w+` of ", line):
                    halves.append(line)
                    continue
                if re.match(r"\| `\w+` \| \d+ \| \S+ to \S+ \|", line):
                    pairs.append(line)
                    continue
                m = re.match(ROW, line)
                if not m:
                    continue
                points = 2 ** int(m.group(4)) if m.group(3) else int(float(m.group(4)))
                rank = (points, m.group(5) or "")
                also = int(float(m.group(6) or 0)) or (points if m.group(5) else 0)
                multi[m.group(1)] = max(multi.get(m.group(1), 0), also)
                if m.group(1) not in rows or rows[m.group(1)][0] < rank:
                    rows[m.group(1)] = (rank, m.group(2) or "", m.group(7), m.group(9), m.group(10))
    print(HEAD % sys.argv[1])
    with open(sys.path[0] + "/../../device/libm/ulp.def") as f:
        for kind, name, bound in re.findall(r"^ULP_([FD])\w\((\w+), ([\d.]+),", f.read(), re.M):
            name += "f" if kind == "F" else ""
            (points, mpfr), every, worst, cuda, where = rows[name]
            cuda = cuda.replace("|x|", "abs(x)")
            count = "all 2^%d" % (points.bit_length() - 1) if every else "%g" % points
            count += ", MPFR" if mpfr else "; %g MPFR" % multi[name] if multi[name] else ""
            print("| `%s` | %s | %s | %s | %s | %s |" % (name, count, worst, bound, cuda, where))
    if halves:
        print(HALVES)
        print("\n".join(halves))
    if pairs:
        print(PAIRS)
        print("\n".join(pairs))


main()

#!/usr/bin/env python3
"""Prints doc/accuracy.md from rows that `accuracy -d` printed, perhaps in several runs.

usage: table.py WHEN_AND_WHERE ROWS...     of two rows for one function the one with more points counts
"""
import re
import sys

HEAD = """# Accuracy of the device math library

Measured %s by tool/math/accuracy.c: the distance of
the result from the exact value in units in the last place of that value (0.5: correctly rounded).

"all" means every float: all 2^32, or all 2^31 from +0 up for functions that are odd, even or NaN below
zero. The other rows are random points: bit patterns, the range where the function is interesting,
small magnitudes. References are one format up: the C library's double for float, its long double
(binary128) for double. Bounds are those of device/libm/ulp.def, and the tests hold the library to
them. CUDA's column is NVIDIA's documented maximum, there the distance to the correctly rounded result:
its n allows up to n + 0.5 here. The bits are the same on every IEEE device, so that one measurement
serves all of them.

| function | points | worst, ulp | bound | CUDA | worst at |
|---|---|---|---|---|---|"""


def main():
    rows = {}
    for path in sys.argv[2:]:
        with open(path) as f:
            for line in f:
                m = re.match(r"\| `(\w+)` \| (all )?(\d+) \| (.*?) \| (\S+) \| (.*) \| ([^|]*) \|$", line.strip())
                if m and (m.group(1) not in rows or rows[m.group(1)][1] < int(m.group(3))):
                    rows[m.group(1)] = (m.group(2) or "", int(m.group(3)), m.group(4), m.group(6), m.group(7))
    print(HEAD % sys.argv[1])
    with open(sys.path[0] + "/../../device/libm/ulp.def") as f:
        for kind, name, bound in re.findall(r"^ULP_([FD])\w\((\w+), ([\d.]+),", f.read(), re.M):
            name += "f" if kind == "F" else ""
            every, points, worst, cuda, where = rows[name]
            cuda = cuda.replace("|x|", "abs(x)")
            count = "all 2^%d" % (points.bit_length() - 1) if every else "%g" % points
            print("| `%s` | %s | %s | %s | %s | %s |" % (name, count, worst, bound, cuda, where))


main()

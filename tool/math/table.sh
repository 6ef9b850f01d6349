#!/bin/sh
# Writes doc/accuracy.md from rows that accuracy -d printed.
# usage: table.sh DATE MACHINE ROWS...      rows of f32 functions before those of f64
date=$1 machine=$2
shift 2
cat <<HEAD
# Accuracy of the device math library

Measured on $date, $machine, by tool/math/accuracy.c: the distance of the result from the exact value
in units in the last place (0.5: correctly rounded). "all" means every float: all 2^32, or all 2^31
from +0 up for functions that are odd, even or NaN below zero. Other rows are random points: bit
patterns, the function's interesting range, and small magnitudes. Bounds are those of
device/libm/ulp.def, which the tests enforce. CUDA's column is NVIDIA's documented maximum, the
distance to the correctly rounded result: its n stands for up to n + 0.5 here.

| function | points | worst, ulp | bound | CUDA | worst at |
|---|---|---|---|---|---|
HEAD
cat "$@"

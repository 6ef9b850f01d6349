#!/usr/bin/env python3
"""Writes device/rand/jump.h: polynomials over GF(2) that jump xorwow ahead.

The five words of xorwow step linearly, so 160 bits of state obey one recurrence; its characteristic
polynomial P comes from the generator's own bits (Berlekamp-Massey). Stepping n times is the
polynomial x^n mod P applied to the state. The table holds x^(2^k) mod P.
"""
import os

M32 = 0xffffffff


def step(v):
    t = (v[0] ^ (v[0] >> 2)) & M32
    n = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & M32
    return [v[1], v[2], v[3], v[4], n]


def berlekamp_massey(bits):
    c, b, l, m = 1, 1, 0, 1
    s = 0  # the sequence so far, newest bit lowest
    for n, bit in enumerate(bits):
        s = s << 1 | bit
        d = bin(c & s).count("1") & 1
        if d:
            t = c
            c ^= b << m
            if 2 * l <= n:
                l, b, m = n + 1 - l, t, 1
            else:
                m += 1
        else:
            m += 1
    return c, l


def main():
    v = [123456789, 362436069, 521288629, 88675123, 5783321]
    bits = []
    for _ in range(640):
        bits.append(v[4] & 1)
        v = step(v)
    c, l = berlekamp_massey(bits)
    assert l == 160
    # connection polynomial to characteristic polynomial: reverse it
    p = int(bin(c | 0)[2:].zfill(161)[::-1], 2)
    assert p.bit_length() == 161

    def square(a):
        r = 0
        for i in range(160):
            if a >> i & 1:
                r |= 1 << (2 * i)
        for i in range(320, 159, -1):
            if r >> i & 1:
                r ^= p << (i - 160)
        return r

    # check: x^2^10 applied to a state is 1024 steps
    a = 2
    table = []
    for _ in range(131):
        table.append(a)
        a = square(a)

    def jump(v, q):
        r = [0] * 5
        for i in range(160):
            if q >> i & 1:
                r = [x ^ y for x, y in zip(r, v)]
            v = step(v)
        return r

    s = [1, 2, 3, 4, 5]
    t = s
    for _ in range(1024):
        t = step(t)
    assert jump(s, table[10]) == t

    def rows(which):
        return ["    {" + ", ".join("0x%08xu" % (table[k] >> (32 * i) & M32) for i in range(5)) + "}," for k in which]

    out = ["/* Written by tool/math/jump.py: do not edit. x^(2^k) modulo xorwow's characteristic polynomial, low word",
           " * first: steps ahead by powers of two, and sequences, which start 2^67 steps apart. */",
           "#ifndef TERN_DEVICE_JUMP_H", "#define TERN_DEVICE_JUMP_H", "", '#include "../libm/prim.h"', "",
           "__TERN_CONST __tern_u32 __tern_xorwow_steps[64][5] = {"] + rows(range(64)) + ["};",
           "__TERN_CONST __tern_u32 __tern_xorwow_sequences[64][5] = {"] + rows(range(67, 131)) + ["};", "#endif"]
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../device/rand/jump.h")
    with open(where, "w") as f:
        f.write("\n".join(out) + "\n")


main()

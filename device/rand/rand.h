/* Random number generators for device code: Philox 4x32-10, XORWOW, MRG32k3a, MT19937, MTGP32,
 * linear congruential, Sobol.
 *
 * Each has a state, an _init with seed, sequence and offset where the generator can jump, and a
 * _next that gives 32 bits. dist.h turns bits into uniform, normal, log-normal and Poisson numbers.
 * The streams of Philox, XORWOW and MRG32k3a are those that cuRAND gives for the same seed,
 * sequence and offset. */
#ifndef TERN_DEVICE_RAND_H
#define TERN_DEVICE_RAND_H

#include "../libm/prim.h"
#include "jump.h"

/* ---- Philox 4x32-10 (Salmon et al., 2011): a counter through ten rounds of multiply and mix ----
 */
struct __tern_philox {
    __tern_u32 counter[4], key[2], out[4];
    __tern_u32 used; /* of out */
};
__TERN_FN void __tern_philox_block(const __tern_u32 *counter, __tern_u32 k0, __tern_u32 k1,
                                   __tern_u32 *out)
{
    __tern_u32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int i = 0; i < 10; i++) {
        __tern_u32 h0 = __tern_umulhi32(0xd2511f53u, c0), l0 = 0xd2511f53u * c0;
        __tern_u32 h1 = __tern_umulhi32(0xcd9e8d57u, c2), l1 = 0xcd9e8d57u * c2;
        c0 = h1 ^ c1 ^ k0;
        c1 = l1;
        c2 = h0 ^ c3 ^ k1;
        c3 = l0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}
/* Move the counter n blocks ahead; the upper half is the sequence. */
__TERN_FN void __tern_philox_blocks(struct __tern_philox *s, __tern_u64 n)
{
    __tern_u64 lo = (__tern_u64)s->counter[1] << 32 | s->counter[0],
               hi = (__tern_u64)s->counter[3] << 32 | s->counter[2];
    lo += n;
    hi += lo < n ? 1u : 0u;
    s->counter[0] = (__tern_u32)lo;
    s->counter[1] = (__tern_u32)(lo >> 32);
    s->counter[2] = (__tern_u32)hi;
    s->counter[3] = (__tern_u32)(hi >> 32);
}
__TERN_FN void __tern_philox_skip(struct __tern_philox *s, __tern_u64 n)
{
    __tern_u32 used = s->used + (__tern_u32)(n & 3u);
    __tern_philox_blocks(s, (n >> 2) + (used >> 2));
    s->used = used & 3u;
    __tern_philox_block(s->counter, s->key[0], s->key[1], s->out);
}
__TERN_FN void __tern_philox_skip_sequence(struct __tern_philox *s, __tern_u64 n)
{
    __tern_u64 hi = ((__tern_u64)s->counter[3] << 32 | s->counter[2]) + n;
    s->counter[2] = (__tern_u32)hi;
    s->counter[3] = (__tern_u32)(hi >> 32);
    __tern_philox_block(s->counter, s->key[0], s->key[1], s->out);
}
__TERN_FN void __tern_philox_init(struct __tern_philox *s, __tern_u64 seed, __tern_u64 sequence,
                                  __tern_u64 offset)
{
    s->counter[0] = 0u;
    s->counter[1] = 0u;
    s->counter[2] = (__tern_u32)sequence;
    s->counter[3] = (__tern_u32)(sequence >> 32);
    s->key[0] = (__tern_u32)seed;
    s->key[1] = (__tern_u32)(seed >> 32);
    s->used = 0u;
    __tern_philox_skip(s, offset);
}
__TERN_FN __tern_u32 __tern_philox_next(struct __tern_philox *s)
{
    __tern_u32 i = s->used;
    __tern_u32 r = i == 0u ? s->out[0] : (i == 1u ? s->out[1] : (i == 2u ? s->out[2] : s->out[3]));
    s->used = i + 1u;
    if (s->used == 4u) {
        s->used = 0u;
        __tern_philox_blocks(s, 1u);
        __tern_philox_block(s->counter, s->key[0], s->key[1], s->out);
    }
    return r;
}
/* Four at once: the next four numbers of the stream. */
__TERN_FN void __tern_philox_next4(struct __tern_philox *s, __tern_u32 *r)
{
    for (int i = 0; i < 4; i++)
        r[i] = __tern_philox_next(s);
}

/* ---- XORWOW (Marsaglia, 2003): five xorshift words and a Weyl sequence ---- */
struct __tern_xorwow {
    __tern_u32 v[5], d;
};
__TERN_FN void __tern_xorwow_step(__tern_u32 *v)
{
    __tern_u32 t = v[0] ^ (v[0] >> 2), w = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = w;
}
/* Apply the polynomials of a jump table for the bits of n. */
__TERN_FN void __tern_xorwow_jump(__tern_u32 *v, const __tern_u32 (*table)[5], __tern_u64 n)
{
    for (int k = 0; n != 0u; k++, n >>= 1) {
        __tern_u32 r[5] = {0u, 0u, 0u, 0u, 0u};
        if ((n & 1u) == 0u)
            continue;
        for (int i = 0; i < 160; i++) {
            __tern_u32 on = 0u - (table[k][i >> 5] >> (i & 31) & 1u);
            for (int j = 0; j < 5; j++)
                r[j] ^= v[j] & on;
            __tern_xorwow_step(v);
        }
        for (int j = 0; j < 5; j++)
            v[j] = r[j];
    }
}
__TERN_FN void __tern_xorwow_skip(struct __tern_xorwow *s, __tern_u64 n)
{
    __tern_xorwow_jump(s->v, __tern_xorwow_steps, n);
    s->d += 362437u * (__tern_u32)n;
}
__TERN_FN void __tern_xorwow_skip_sequence(struct __tern_xorwow *s, __tern_u64 n)
{
    __tern_xorwow_jump(s->v, __tern_xorwow_sequences, n); /* 2^67 steps leave d as it is */
}
__TERN_FN void __tern_xorwow_init(struct __tern_xorwow *s, __tern_u64 seed, __tern_u64 sequence,
                                  __tern_u64 offset)
{
    __tern_u32 a = 1099087573u * ((__tern_u32)seed ^ 0xaad26b49u);
    __tern_u32 b = 2591861531u * ((__tern_u32)(seed >> 32) ^ 0xf7dcefddu);
    s->d = 6615241u + a + b;
    s->v[0] = 123456789u + a;
    s->v[1] = 362436069u ^ a;
    s->v[2] = 521288629u + b;
    s->v[3] = 88675123u ^ b;
    s->v[4] = 5783321u + a;
    __tern_xorwow_skip_sequence(s, sequence);
    __tern_xorwow_skip(s, offset);
}
__TERN_FN __tern_u32 __tern_xorwow_next(struct __tern_xorwow *s)
{
    __tern_xorwow_step(s->v);
    s->d += 362437u;
    return s->v[4] + s->d;
}

/* ---- MRG32k3a (L'Ecuyer, 1999): two recurrences of order three, combined ---- */
#define __TERN_MRG_M1 4294967087ull
#define __TERN_MRG_M2 4294944443ull
struct __tern_mrg {
    __tern_u32 s1[3], s2[3]; /* oldest first */
};
/* Both moduli are a little less than 2^32: what is above that many bits counts 2^32 - m each. */
__TERN_FN __tern_u64 __tern_mrg_fold(__tern_u64 x, __tern_u64 m)
{
    return (x & 0xffffffffu) + (x >> 32) * (0x100000000ull - m);
}
/* A row times a column whose elements stand `step` apart, all of 32 bits, modulo m. Products folded
 * once are less than 2^47, so that three of them folded again are less than 2 m. */
__TERN_FN __tern_u32 __tern_mrg_dot(const __tern_u32 *a, const __tern_u32 *b, int step,
                                    __tern_u64 m)
{
    __tern_u64 t = __tern_mrg_fold((__tern_u64)a[0] * b[0], m) +
                   __tern_mrg_fold((__tern_u64)a[1] * b[step], m) +
                   __tern_mrg_fold((__tern_u64)a[2] * b[2 * step], m);
    t = __tern_mrg_fold(t, m);
    return (__tern_u32)(t >= m ? t - m : t);
}
/* s = a s modulo m */
__TERN_FN void __tern_mrg_apply(const __tern_u32 *a, __tern_u32 *s, __tern_u64 m)
{
    const __tern_u32 v[3] = {s[0], s[1], s[2]};
    for (int i = 0; i < 3; i++)
        s[i] = __tern_mrg_dot(a + 3 * i, v, 1, m);
}
/* s = a^n s modulo m */
__TERN_FN void __tern_mrg_jump(__tern_u32 *s, const __tern_u32 *step, __tern_u64 m, __tern_u64 n)
{
    __tern_u32 a[9], square[9];
    for (int i = 0; i < 9; i++)
        a[i] = step[i];
    for (; n != 0u; n >>= 1) {
        if ((n & 1u) != 0u)
            __tern_mrg_apply(a, s, m);
        for (int i = 0; i < 9; i++)
            square[i] = __tern_mrg_dot(a + i / 3 * 3, a + i % 3, 3, m);
        for (int i = 0; i < 9; i++)
            a[i] = square[i];
    }
}
/* What a step does to (oldest, middle, newest) of both recurrences, as matrices; then what 2^76 and
 * 2^127 of them do: so far are subsequences, a generator's `sequence`, and sequences apart. */
#define __TERN_MRG_STEP                                                                            \
    {0u, 1u, 0u, 0u, 0u, 1u, 4294156359u, 1403580u, 0u},                                           \
    {                                                                                              \
        0u, 1u, 0u, 0u, 0u, 1u, 4293573854u, 0u, 527612u                                           \
    }
#define __TERN_MRG_SUBSEQUENCE                                                                     \
    {82758667u,   1871391091u, 4127413238u, 3672831523u, 69195019u,                                \
     1871391091u, 3672091415u, 3528743235u, 69195019u},                                            \
    {                                                                                              \
        1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u, 3889917532u, 3859662829u, \
            4292754251u, 3708466080u                                                               \
    }
#define __TERN_MRG_SEQUENCE                                                                        \
    {2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u,                                \
     3580155704u, 1988835001u, 986791581u, 1230515664u},                                           \
    {                                                                                              \
        1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u, 1022607788u, 2824425944u,    \
            32183930u, 2093834863u                                                                 \
    }
__TERN_FN void __tern_mrg_jump_both(struct __tern_mrg *s, const __tern_u32 step[2][9], __tern_u64 n)
{
    __tern_mrg_jump(s->s1, step[0], __TERN_MRG_M1, n);
    __tern_mrg_jump(s->s2, step[1], __TERN_MRG_M2, n);
}
__TERN_FN void __tern_mrg_skip(struct __tern_mrg *s, __tern_u64 n)
{
    const __tern_u32 step[2][9] = {__TERN_MRG_STEP};
    __tern_mrg_jump_both(s, step, n);
}
__TERN_FN void __tern_mrg_skip_subsequence(struct __tern_mrg *s, __tern_u64 n)
{
    const __tern_u32 step[2][9] = {__TERN_MRG_SUBSEQUENCE};
    __tern_mrg_jump_both(s, step, n);
}
__TERN_FN void __tern_mrg_skip_sequence(struct __tern_mrg *s, __tern_u64 n)
{
    const __tern_u32 step[2][9] = {__TERN_MRG_SEQUENCE};
    __tern_mrg_jump_both(s, step, n);
}
__TERN_FN void __tern_mrg_init(struct __tern_mrg *s, __tern_u64 seed, __tern_u64 sequence,
                               __tern_u64 offset)
{
    for (int i = 0; i < 3; i++) {
        s->s1[i] = 12345u;
        s->s2[i] = 12345u;
    }
    if (seed != 0u) {
        __tern_u32 x = (__tern_u32)seed ^ 0x55555555u, y = (__tern_u32)(seed >> 32) ^ 0xaaaaaaaau;
        s->s1[0] = (__tern_u32)((__tern_u64)x * s->s1[0] % __TERN_MRG_M1);
        s->s1[1] = (__tern_u32)((__tern_u64)y * s->s1[1] % __TERN_MRG_M1);
        s->s1[2] = (__tern_u32)((__tern_u64)x * s->s1[2] % __TERN_MRG_M1);
        s->s2[0] = (__tern_u32)((__tern_u64)y * s->s2[0] % __TERN_MRG_M2);
        s->s2[1] = (__tern_u32)((__tern_u64)x * s->s2[1] % __TERN_MRG_M2);
        s->s2[2] = (__tern_u32)((__tern_u64)y * s->s2[2] % __TERN_MRG_M2);
    }
    __tern_mrg_skip_subsequence(s, sequence);
    __tern_mrg_skip(s, offset);
}
/* 1 .. m1, never 0 */
__TERN_FN __tern_u32 __tern_mrg_raw(struct __tern_mrg *s)
{
    /* sums of less than 2^54; a subtraction is that from a multiple of the modulus */
    __tern_u64 p1 = 1403580ull * s->s1[1] + (810728ull * __TERN_MRG_M1 - 810728ull * s->s1[0]);
    __tern_u64 p2 = 527612ull * s->s2[2] + (1370589ull * __TERN_MRG_M2 - 1370589ull * s->s2[0]);
    p1 = __tern_mrg_fold(p1, __TERN_MRG_M1);
    p2 = __tern_mrg_fold(__tern_mrg_fold(p2, __TERN_MRG_M2), __TERN_MRG_M2);
    p1 = p1 >= __TERN_MRG_M1 ? p1 - __TERN_MRG_M1 : p1;
    p2 = p2 >= __TERN_MRG_M2 ? p2 - __TERN_MRG_M2 : p2;
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = (__tern_u32)p1;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = (__tern_u32)p2;
    return (__tern_u32)(p1 > p2 ? p1 - p2 : p1 + __TERN_MRG_M1 - p2);
}
__TERN_FN __tern_u32 __tern_mrg_next(struct __tern_mrg *s)
{
    return (__tern_u32)((double)__tern_mrg_raw(s) * 1.000000048662); /* the range of 32 bits */
}

/* ---- linear congruential: Knuth's MMIX, upper half; jumps in logarithmic time ---- */
struct __tern_lcg {
    __tern_u64 x;
};
#define __TERN_LCG_A 6364136223846793005ull
#define __TERN_LCG_C 1442695040888963407ull
__TERN_FN void __tern_lcg_skip(struct __tern_lcg *s, __tern_u64 n)
{
    __tern_u64 a = __TERN_LCG_A, c = __TERN_LCG_C;
    for (; n != 0u; n >>= 1) {
        s->x = (n & 1u) != 0u ? s->x * a + c : s->x;
        c = (a + 1u) * c;
        a = a * a;
    }
}
__TERN_FN void __tern_lcg_init(struct __tern_lcg *s, __tern_u64 seed, __tern_u64 sequence,
                               __tern_u64 offset)
{
    s->x = seed;
    __tern_lcg_skip(s, (sequence << 40) + offset);
}
__TERN_FN __tern_u32 __tern_lcg_next(struct __tern_lcg *s)
{
    s->x = s->x * __TERN_LCG_A + __TERN_LCG_C;
    return (__tern_u32)(s->x >> 32);
}
/* The minimal standard generators: x = a x mod 2^31 - 1, a = 16807 or 48271. */
__TERN_FN __tern_u32 __tern_minstd_next(__tern_u32 *x, __tern_u32 a)
{
    *x = (__tern_u32)((__tern_u64)*x * a % 2147483647u);
    return *x;
}

/* ---- MT19937 (Matsumoto, Nishimura, 1998) ---- */
struct __tern_mt {
    __tern_u32 v[624], at;
};
__TERN_FN void __tern_mt_init(struct __tern_mt *s, __tern_u32 seed)
{
    s->v[0] = seed;
    for (__tern_u32 i = 1u; i < 624u; i++)
        s->v[i] = 1812433253u * (s->v[i - 1u] ^ s->v[i - 1u] >> 30) + i;
    s->at = 0u;
}
__TERN_FN __tern_u32 __tern_mt_next(struct __tern_mt *s)
{
    __tern_u32 i = s->at, j = i == 623u ? 0u : i + 1u, k = i < 227u ? i + 397u : i - 227u;
    __tern_u32 y = (s->v[i] & 0x80000000u) | (s->v[j] & 0x7fffffffu);
    s->v[i] = s->v[k] ^ y >> 1 ^ ((0u - (y & 1u)) & 0x9908b0dfu);
    y = s->v[i];
    s->at = j;
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* ---- MTGP32 (Saito, Matsumoto, 2010): a Mersenne twister whose parameters differ from block to
 * block. Three words of the sequence give the next one; a fourth and the table of the tempering,
 * the output. ---- */
__TERN_FN __tern_u32 __tern_mtgp_step(__tern_u32 x, __tern_u32 next, __tern_u32 y, __tern_u32 sh1,
                                      __tern_u32 sh2, __tern_u32 mask, const __tern_u32 *table)
{
    x = (x & mask) ^ next;
    x ^= x << sh1;
    y = x ^ y >> sh2;
    return y ^ table[y & 15u];
}
__TERN_FN __tern_u32 __tern_mtgp_temper(__tern_u32 r, __tern_u32 t, const __tern_u32 *table)
{
    t ^= t >> 16;
    t ^= t >> 8;
    return r ^ table[t & 15u];
}

/* ---- Sobol: Gray code over direction numbers of 32 or 64 bits, optionally scrambled ---- */
struct __tern_sobol32 {
    const __tern_u32 *direction;
    __tern_u32 i, x;
};
__TERN_FN void __tern_sobol32_skip(struct __tern_sobol32 *s, __tern_u32 n)
{
    __tern_u32 from = s->i ^ s->i >> 1, to = (s->i + n) ^ (s->i + n) >> 1, change = from ^ to;
    for (int k = 0; k < 32; k++)
        s->x ^= (change >> k & 1u) != 0u ? s->direction[k] : 0u;
    s->i += n;
}
__TERN_FN void __tern_sobol32_init(struct __tern_sobol32 *s, const __tern_u32 *direction,
                                   __tern_u32 scramble, __tern_u32 offset)
{
    s->direction = direction;
    s->i = 0u;
    s->x = scramble;
    __tern_sobol32_skip(s, offset);
}
__TERN_FN __tern_u32 __tern_sobol32_next(struct __tern_sobol32 *s)
{
    __tern_u32 r = s->x, low = ~s->i & (s->i + 1u); /* the bit that the Gray code flips */
    s->x ^= s->direction[low == 0u ? 31 : 31 - __tern_clz32(low)];
    s->i++;
    return r;
}
struct __tern_sobol64 {
    const __tern_u64 *direction;
    __tern_u64 i, x;
};
__TERN_FN void __tern_sobol64_skip(struct __tern_sobol64 *s, __tern_u64 n)
{
    __tern_u64 from = s->i ^ s->i >> 1, to = (s->i + n) ^ (s->i + n) >> 1, change = from ^ to;
    for (int k = 0; k < 64; k++)
        s->x ^= (change >> k & 1u) != 0u ? s->direction[k] : 0u;
    s->i += n;
}
__TERN_FN void __tern_sobol64_init(struct __tern_sobol64 *s, const __tern_u64 *direction,
                                   __tern_u64 scramble, __tern_u64 offset)
{
    s->direction = direction;
    s->i = 0u;
    s->x = scramble;
    __tern_sobol64_skip(s, offset);
}
__TERN_FN __tern_u64 __tern_sobol64_next(struct __tern_sobol64 *s)
{
    __tern_u64 r = s->x, low = ~s->i & (s->i + 1u);
    s->x ^= s->direction[low == 0u ? 63 : 63 - __tern_clz64(low)];
    s->i++;
    return r;
}
/* Direction numbers of one dimension from its primitive polynomial (degree s, inner coefficients a)
 * and initial odd numbers m: left-aligned in `bits` bits. Degree 0 is the first dimension. */
__TERN_FN void __tern_sobol_directions(__tern_u64 *v, int bits, int s, __tern_u32 a,
                                       const __tern_u32 *m)
{
    for (int i = 0; i < bits; i++) {
        if (s == 0) {
            v[i] = 1ull << (bits - 1 - i);
        } else if (i < s) {
            v[i] = (__tern_u64)m[i] << (bits - 1 - i);
        } else {
            v[i] = v[i - s] ^ v[i - s] >> s;
            for (int k = 1; k < s; k++)
                v[i] ^= (a >> (s - 1 - k) & 1u) != 0u ? v[i - k] : 0u;
        }
    }
}
#endif

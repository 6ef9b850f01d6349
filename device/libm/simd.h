/* Two 16-bit or four 8-bit integers in one word: CUDA's __v… family, in 32-bit operations.
 *
 * Lanes are kept apart by masks, not unpacked: H is the top bit of every lane, and a sum of the
 * lower bits cannot cross it. Comparison gives all ones (__vcmp…) or 1 (__vset…) per lane. */
#ifndef TERN_DEVICE_SIMD_H
#define TERN_DEVICE_SIMD_H

#include "prim.h"

#define __TERN_H2 0x80008000u
#define __TERN_H4 0x80808080u

/* One bit in the top of each lane, spread over the lane. */
__TERN_FN __tern_u32 __tern_v_spread2(__tern_u32 top)
{
    return (top >> 15 & 0x00010001u) * 0xffffu;
}
__TERN_FN __tern_u32 __tern_v_spread4(__tern_u32 top)
{
    return (top >> 7 & 0x01010101u) * 0xffu;
}
__TERN_FN __tern_u32 __tern_v_blend(__tern_u32 mask, __tern_u32 a, __tern_u32 b)
{
    return (a & mask) | (b & ~mask);
}

/* Everything that is the same for both lane widths but for the masks: n is 2 or 4, W the lane's bits,
 * H the top bits, L the lowest bits. */
#define __TERN_SIMD(n, W, H, L)                                                                    \
    __TERN_FN __tern_u32 __tern_vadd##n(__tern_u32 a, __tern_u32 b)                                \
    {                                                                                              \
        return ((a & ~H) + (b & ~H)) ^ ((a ^ b) & H);                                              \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vsub##n(__tern_u32 a, __tern_u32 b)                                \
    {                                                                                              \
        return ((a | H) - (b & ~H)) ^ ((a ^ ~b) & H);                                              \
    }                                                                                              \
    /* the carry out of each lane of a + b, and the borrow out of a - b, in its top bit */         \
    __TERN_FN __tern_u32 __tern_v_carry##n(__tern_u32 a, __tern_u32 b, __tern_u32 sum)             \
    {                                                                                              \
        return ((a & b) | ((a | b) & ~sum)) & H;                                                   \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_v_borrow##n(__tern_u32 a, __tern_u32 b, __tern_u32 diff)           \
    {                                                                                              \
        return ((~a & b) | ((~a | b) & diff)) & H;                                                 \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpltu##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return __tern_v_spread##n(__tern_v_borrow##n(a, b, __tern_vsub##n(a, b)));                 \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpgtu##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return __tern_vcmpltu##n(b, a);                                                            \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpleu##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return ~__tern_vcmpltu##n(b, a);                                                           \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpgeu##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return ~__tern_vcmpltu##n(a, b);                                                           \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmplts##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return __tern_vcmpltu##n(a ^ H, b ^ H);                                                    \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpgts##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return __tern_vcmplts##n(b, a);                                                            \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmples##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return ~__tern_vcmplts##n(b, a);                                                           \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpges##n(__tern_u32 a, __tern_u32 b)                             \
    {                                                                                              \
        return ~__tern_vcmplts##n(a, b);                                                           \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpne##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        __tern_u32 d = a ^ b; /* nonzero lanes carry into the top bit */                           \
        return __tern_v_spread##n((((d & ~H) + ~H) | d) & H);                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vcmpeq##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        return ~__tern_vcmpne##n(a, b);                                                            \
    }                                                                                              \
    __TERN_SIMD_SET(n, L, eq)                                                                      \
    __TERN_SIMD_SET(n, L, ne)                                                                      \
    __TERN_SIMD_SET(n, L, ltu)                                                                     \
    __TERN_SIMD_SET(n, L, leu)                                                                     \
    __TERN_SIMD_SET(n, L, gtu)                                                                     \
    __TERN_SIMD_SET(n, L, geu)                                                                     \
    __TERN_SIMD_SET(n, L, lts)                                                                     \
    __TERN_SIMD_SET(n, L, les)                                                                     \
    __TERN_SIMD_SET(n, L, gts)                                                                     \
    __TERN_SIMD_SET(n, L, ges)                                                                     \
    __TERN_FN __tern_u32 __tern_vminu##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        return __tern_v_blend(__tern_vcmpltu##n(a, b), a, b);                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vmaxu##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        return __tern_v_blend(__tern_vcmpltu##n(a, b), b, a);                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vmins##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        return __tern_v_blend(__tern_vcmplts##n(a, b), a, b);                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vmaxs##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        return __tern_v_blend(__tern_vcmplts##n(a, b), b, a);                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vneg##n(__tern_u32 a)                                              \
    {                                                                                              \
        return __tern_vsub##n(0u, a);                                                              \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vabs##n(__tern_u32 a)                                              \
    {                                                                                              \
        __tern_u32 s = __tern_v_spread##n(a & H);                                                  \
        return __tern_vsub##n(a ^ s, s);                                                           \
    }                                                                                              \
    /* saturating */                                                                               \
    __TERN_FN __tern_u32 __tern_vaddus##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        __tern_u32 s = __tern_vadd##n(a, b);                                                       \
        return s | __tern_v_spread##n(__tern_v_carry##n(a, b, s));                                 \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vsubus##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        __tern_u32 d = __tern_vsub##n(a, b);                                                       \
        return d & ~__tern_v_spread##n(__tern_v_borrow##n(a, b, d));                               \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_v_limit##n(__tern_u32 overflow, __tern_u32 sign, __tern_u32 v)     \
    {                                                                                              \
        __tern_u32 top = (~H) + (sign >> (W - 1) & L); /* 7f.. or 80.. by the sign */              \
        return __tern_v_blend(__tern_v_spread##n(overflow), top, v);                               \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vaddss##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        __tern_u32 s = __tern_vadd##n(a, b);                                                       \
        return __tern_v_limit##n(~(a ^ b) & (a ^ s) & H, a, s);                                    \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vsubss##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        __tern_u32 d = __tern_vsub##n(a, b);                                                       \
        return __tern_v_limit##n((a ^ b) & (a ^ d) & H, a, d);                                     \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vnegss##n(__tern_u32 a)                                            \
    {                                                                                              \
        return __tern_vsubss##n(0u, a);                                                            \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vabsss##n(__tern_u32 a)                                            \
    {                                                                                              \
        return __tern_vmaxs##n(a, __tern_vnegss##n(a));                                            \
    }                                                                                              \
    /* averages: the bits in common, and half of the others */                                     \
    __TERN_FN __tern_u32 __tern_vhaddu##n(__tern_u32 a, __tern_u32 b)                              \
    {                                                                                              \
        return (a & b) + ((a ^ b) >> 1 & ~H);                                                      \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vavgu##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        return (a | b) - ((a ^ b) >> 1 & ~H);                                                      \
    }                                                                                              \
    /* signed average, halves away from zero */                                                    \
    __TERN_FN __tern_u32 __tern_vavgs##n(__tern_u32 a, __tern_u32 b)                               \
    {                                                                                              \
        __tern_u32 up = __tern_vavgu##n(a ^ H, b ^ H) ^ H, down = __tern_vhaddu##n(a ^ H, b ^ H) ^ H; \
        return __tern_v_blend(__tern_v_spread##n(down & H), down, up);                             \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vabsdiffu##n(__tern_u32 a, __tern_u32 b)                           \
    {                                                                                              \
        return __tern_vsub##n(__tern_vmaxu##n(a, b), __tern_vminu##n(a, b));                       \
    }                                                                                              \
    __TERN_FN __tern_u32 __tern_vabsdiffs##n(__tern_u32 a, __tern_u32 b)                           \
    {                                                                                              \
        return __tern_vsub##n(__tern_vmaxs##n(a, b), __tern_vmins##n(a, b));                       \
    }
#define __TERN_SIMD_SET(n, L, op)                                                                  \
    __TERN_FN __tern_u32 __tern_vset##op##n(__tern_u32 a, __tern_u32 b)                            \
    {                                                                                              \
        return __tern_vcmp##op##n(a, b) & L;                                                       \
    }
__TERN_SIMD(2, 16, __TERN_H2, 0x00010001u)
__TERN_SIMD(4, 8, __TERN_H4, 0x01010101u)

/* Sums of absolute differences. */
__TERN_FN __tern_u32 __tern_v_sum2(__tern_u32 a)
{
    return (a & 0xffffu) + (a >> 16);
}
__TERN_FN __tern_u32 __tern_v_sum4(__tern_u32 a)
{
    __tern_u32 s = (a & 0x00ff00ffu) + (a >> 8 & 0x00ff00ffu);
    return (s & 0xffffu) + (s >> 16);
}
__TERN_FN __tern_u32 __tern_vsadu2(__tern_u32 a, __tern_u32 b)
{
    return __tern_v_sum2(__tern_vabsdiffu2(a, b));
}
__TERN_FN __tern_u32 __tern_vsads2(__tern_u32 a, __tern_u32 b)
{
    return __tern_v_sum2(__tern_vabsdiffs2(a, b));
}
__TERN_FN __tern_u32 __tern_vsadu4(__tern_u32 a, __tern_u32 b)
{
    return __tern_v_sum4(__tern_vabsdiffu4(a, b));
}
__TERN_FN __tern_u32 __tern_vsads4(__tern_u32 a, __tern_u32 b)
{
    return __tern_v_sum4(__tern_vabsdiffs4(a, b));
}
#endif

/* Functions for dynamic programming: sums and three-way minima and maxima of words and of 16-bit
 * halves, with relu forms that are never below zero, and forms that say which operand it was. */
#pragma once
#include "simd_functions.h"
#ifdef __TERN_DEVICE__
__TERN_FN int __viaddmax_s32(int a, int b, int c)
{
    return max((int)((unsigned)a + (unsigned)b), c);
}
__TERN_FN int __vimax3_s32(int a, int b, int c)
{
    return max(max(a, b), c);
}
__TERN_FN int __vibmax_s32(int a, int b, bool *first)
{
    *first = a >= b;
    return max(a, b);
}
__TERN_FN int __viaddmax_s32_relu(int a, int b, int c)
{
    return max(__viaddmax_s32(a, b, c), 0);
}
__TERN_FN int __vimax3_s32_relu(int a, int b, int c)
{
    return max(__vimax3_s32(a, b, c), 0);
}
__TERN_FN int __vimax_s32_relu(int a, int b)
{
    return max(max(a, b), 0);
}
__TERN_FN int __viaddmin_s32(int a, int b, int c)
{
    return min((int)((unsigned)a + (unsigned)b), c);
}
__TERN_FN int __vimin3_s32(int a, int b, int c)
{
    return min(min(a, b), c);
}
__TERN_FN int __vibmin_s32(int a, int b, bool *first)
{
    *first = a <= b;
    return min(a, b);
}
__TERN_FN int __viaddmin_s32_relu(int a, int b, int c)
{
    return max(__viaddmin_s32(a, b, c), 0);
}
__TERN_FN int __vimin3_s32_relu(int a, int b, int c)
{
    return max(__vimin3_s32(a, b, c), 0);
}
__TERN_FN int __vimin_s32_relu(int a, int b)
{
    return max(min(a, b), 0);
}
__TERN_FN unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c)
{
    return max((unsigned)((unsigned)a + (unsigned)b), c);
}
__TERN_FN unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c)
{
    return max(max(a, b), c);
}
__TERN_FN unsigned __vibmax_u32(unsigned a, unsigned b, bool *first)
{
    *first = a >= b;
    return max(a, b);
}
__TERN_FN unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c)
{
    return min((unsigned)((unsigned)a + (unsigned)b), c);
}
__TERN_FN unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c)
{
    return min(min(a, b), c);
}
__TERN_FN unsigned __vibmin_u32(unsigned a, unsigned b, bool *first)
{
    *first = a <= b;
    return min(a, b);
}
__TERN_FN unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vadd2(a, b), c);
}
__TERN_FN unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vmaxs2(a, b), c);
}
__TERN_FN unsigned __vibmax_s16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    unsigned m = __vcmpges2(a, b);
    *high = m >> 31;
    *low = m & 1;
    return __vmaxs2(a, b);
}
__TERN_FN unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}
__TERN_FN unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vimax3_s16x2(a, b, c), 0);
}
__TERN_FN unsigned __vimax_s16x2_relu(unsigned a, unsigned b)
{
    return __vmaxs2(__vmaxs2(a, b), 0);
}
__TERN_FN unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmins2(__vadd2(a, b), c);
}
__TERN_FN unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmins2(__vmins2(a, b), c);
}
__TERN_FN unsigned __vibmin_s16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    unsigned m = __vcmples2(a, b);
    *high = m >> 31;
    *low = m & 1;
    return __vmins2(a, b);
}
__TERN_FN unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__viaddmin_s16x2(a, b, c), 0);
}
__TERN_FN unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vimin3_s16x2(a, b, c), 0);
}
__TERN_FN unsigned __vimin_s16x2_relu(unsigned a, unsigned b)
{
    return __vmaxs2(__vmins2(a, b), 0);
}
__TERN_FN unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu2(__vadd2(a, b), c);
}
__TERN_FN unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu2(__vmaxu2(a, b), c);
}
__TERN_FN unsigned __vibmax_u16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    unsigned m = __vcmpgeu2(a, b);
    *high = m >> 31;
    *low = m & 1;
    return __vmaxu2(a, b);
}
__TERN_FN unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vminu2(__vadd2(a, b), c);
}
__TERN_FN unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vminu2(__vminu2(a, b), c);
}
__TERN_FN unsigned __vibmin_u16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    unsigned m = __vcmpleu2(a, b);
    *high = m >> 31;
    *low = m & 1;
    return __vminu2(a, b);
}
#endif

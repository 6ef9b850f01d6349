/* Macros that programs take from CUB's headers. */
#pragma once
#include "cub/util_arch.cuh"
#include "cub/util_type.cuh"

#ifndef CUB_MIN
#define CUB_MAX(a, b)                 (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b)                 (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y)      ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y)    (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y)    (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y)  (((x) / (y)) * (y))
#define CUB_STATIC_ASSERT(cond, msg)  static_assert(cond, msg)
#define CUB_PREVENT_MACRO_SUBSTITUTION
#define CUB_CAT_(a, b)                a##b
#define CUB_CAT(a, b)                 CUB_CAT_(a, b)
#define CUB_ALIGN(bytes)              __align__(bytes)
#endif

#pragma once
#include "math_functions.h"
#include "tern_math_constants.h"
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
/* What fpclassify gives, in glibc's numbers. */
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4

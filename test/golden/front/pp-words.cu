// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep -E "(error|warning):"
// The preprocessor's words, used wrongly.
#define PASTE(a, b) a##b
#define STRING(x) #y
#define OPT(x) __VA_OPT__(x)
#define TAIL(x, ...) x ##
#define defined 1
#define 5 five
#undef
#if __has_include(
#endif
#if 1 == "one"
#endif
#ifndef
#endif
#else
#include
#line nowhere
#pragma unroll many
#nonsense
#define SAME 1
#define SAME 2
__device__ int pasted = PASTE(1, +);
_Pragma(unroll) __device__ int after;
__device__ int open = SAME(
__global__ void k(int *p) { p[0] = 1; }

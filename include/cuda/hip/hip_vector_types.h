/* Vector types with operators, as HIP has them: CUDA's types have none. Element by element; a number stands for a
 * vector of it. */
#pragma once
#include <vector_types.h>
#include <vector_functions.h>
#ifdef __cplusplus
#define __TERN_HIP_EACH1(S) S(x)
#define __TERN_HIP_EACH2(S) S(x) S(y)
#define __TERN_HIP_EACH3(S) S(x) S(y) S(z)
#define __TERN_HIP_EACH4(S) S(x) S(y) S(z) S(w)
#define __TERN_HIP_ADD(e) a.e = a.e + b.e;
#define __TERN_HIP_SUB(e) a.e = a.e - b.e;
#define __TERN_HIP_MUL(e) a.e = a.e * b.e;
#define __TERN_HIP_DIV(e) a.e = a.e / b.e;
#define __TERN_HIP_MOD(e) a.e = a.e % b.e;
#define __TERN_HIP_AND(e) a.e = a.e & b.e;
#define __TERN_HIP_OR(e) a.e = a.e | b.e;
#define __TERN_HIP_XOR(e) a.e = a.e ^ b.e;
#define __TERN_HIP_SHL(e) a.e = a.e << b.e;
#define __TERN_HIP_SHR(e) a.e = a.e >> b.e;
#define __TERN_HIP_ALL(e) a.e = b;
#define __TERN_HIP_NEG(e) a.e = -a.e;
#define __TERN_HIP_NOT(e) a.e = ~a.e;
#define __TERN_HIP_SAME(e) same &= a.e == b.e;
#define __TERN_HIP_BINARY(V, T, EACH, op, set, S)                                                                      \
    __host__ __device__ inline V &operator set(V &a, const V &b)                                                       \
    {                                                                                                                  \
        EACH(S)                                                                                                        \
        return a;                                                                                                      \
    }                                                                                                                  \
    __host__ __device__ inline V &operator set(V &a, T b)                                                              \
    {                                                                                                                  \
        return a set __tern_hip_all(b, (V *)0);                                                                        \
    }                                                                                                                  \
    __host__ __device__ inline V operator op(V a, const V &b)                                                          \
    {                                                                                                                  \
        return a set b;                                                                                                \
    }                                                                                                                  \
    __host__ __device__ inline V operator op(V a, T b)                                                                 \
    {                                                                                                                  \
        return a set __tern_hip_all(b, (V *)0);                                                                        \
    }                                                                                                                  \
    __host__ __device__ inline V operator op(T a, const V &b)                                                          \
    {                                                                                                                  \
        return __tern_hip_all(a, (V *)0) op b;                                                                         \
    }
#define __TERN_HIP_ANY(V, T, EACH)                                                                                     \
    __host__ __device__ inline V __tern_hip_all(T b, V *)                                                              \
    {                                                                                                                  \
        V a;                                                                                                           \
        EACH(__TERN_HIP_ALL)                                                                                           \
        return a;                                                                                                      \
    }                                                                                                                  \
    __host__ __device__ inline bool operator==(const V &a, const V &b)                                                 \
    {                                                                                                                  \
        bool same = true;                                                                                              \
        EACH(__TERN_HIP_SAME)                                                                                          \
        return same;                                                                                                   \
    }                                                                                                                  \
    __host__ __device__ inline bool operator!=(const V &a, const V &b)                                                 \
    {                                                                                                                  \
        return !(a == b);                                                                                              \
    }                                                                                                                  \
    __host__ __device__ inline V operator-(V a)                                                                        \
    {                                                                                                                  \
        EACH(__TERN_HIP_NEG)                                                                                           \
        return a;                                                                                                      \
    }                                                                                                                  \
    __TERN_HIP_BINARY(V, T, EACH, +, +=, __TERN_HIP_ADD)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, -, -=, __TERN_HIP_SUB)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, *, *=, __TERN_HIP_MUL)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, /, /=, __TERN_HIP_DIV)
#define __TERN_HIP_WHOLE(V, T, EACH)                                                                                   \
    __TERN_HIP_ANY(V, T, EACH)                                                                                         \
    __host__ __device__ inline V operator~(V a)                                                                        \
    {                                                                                                                  \
        EACH(__TERN_HIP_NOT)                                                                                           \
        return a;                                                                                                      \
    }                                                                                                                  \
    __TERN_HIP_BINARY(V, T, EACH, %, %=, __TERN_HIP_MOD)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, &, &=, __TERN_HIP_AND)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, |, |=, __TERN_HIP_OR)                                                                \
    __TERN_HIP_BINARY(V, T, EACH, ^, ^=, __TERN_HIP_XOR)                                                               \
    __TERN_HIP_BINARY(V, T, EACH, <<, <<=, __TERN_HIP_SHL)                                                             \
    __TERN_HIP_BINARY(V, T, EACH, >>, >>=, __TERN_HIP_SHR)
#define __TERN_HIP_SIZES(ROW, v, T)                                                                                    \
    ROW(v##1, T, __TERN_HIP_EACH1)                                                                                     \
    ROW(v##2, T, __TERN_HIP_EACH2)                                                                                     \
    ROW(v##3, T, __TERN_HIP_EACH3)                                                                                     \
    ROW(v##4, T, __TERN_HIP_EACH4)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, char, signed char)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, uchar, unsigned char)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, short, short)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, ushort, unsigned short)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, int, int)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, uint, unsigned int)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, long, long)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, ulong, unsigned long)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, longlong, long long)
__TERN_HIP_SIZES(__TERN_HIP_WHOLE, ulonglong, unsigned long long)
__TERN_HIP_SIZES(__TERN_HIP_ANY, float, float)
__TERN_HIP_SIZES(__TERN_HIP_ANY, double, double)
#endif

/* char1 … double4, and dim3, with CUDA's sizes and alignments. */
#pragma once
#define __VECTOR_TYPES_H__
#include "host_defines.h"

#ifdef __cplusplus
#define __TERN_VECTOR(name, __tern_T, size)                                                               \
    struct name##1 { __tern_T x; };                                                                       \
    struct alignas(2 * size) name##2 { __tern_T x, y; };                                                  \
    struct name##3 { __tern_T x, y, z; };                                                                 \
    struct alignas(4 * size > 16 ? 16 : 4 * size) name##4 { __tern_T x, y, z, w; };
#else
#define __TERN_VECTOR(name, __tern_T, size)                                                               \
    typedef struct name##1 { __tern_T x; } name##1;                                                       \
    typedef struct __attribute__((aligned(2 * size))) name##2 { __tern_T x, y; } name##2;                 \
    typedef struct name##3 { __tern_T x, y, z; } name##3;                                                 \
    typedef struct __attribute__((aligned(4 * size > 16 ? 16 : 4 * size))) name##4 { __tern_T x, y, z, w; } name##4;
#endif

__TERN_VECTOR(char, signed char, 1)
__TERN_VECTOR(uchar, unsigned char, 1)
__TERN_VECTOR(short, short, 2)
__TERN_VECTOR(ushort, unsigned short, 2)
__TERN_VECTOR(int, int, 4)
__TERN_VECTOR(uint, unsigned int, 4)
__TERN_VECTOR(long, long, 8)
__TERN_VECTOR(ulong, unsigned long, 8)
__TERN_VECTOR(longlong, long long, 8)
__TERN_VECTOR(ulonglong, unsigned long long, 8)
__TERN_VECTOR(float, float, 4)
__TERN_VECTOR(double, double, 8)
#undef __TERN_VECTOR

#ifdef __cplusplus
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
#else
typedef struct dim3 { unsigned int x, y, z; } dim3;
#endif

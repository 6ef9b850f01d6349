/* HIP's language over CUDA's: launches as macros, and the names that kernels use. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hip_runtime_api.h"
#include "hip_vector_types.h"
#include "library_types.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...)                                                    \
    do {                                                                                                               \
        kernel<<<grid, block, bytes, stream>>>(__VA_ARGS__);                                                           \
    } while (0)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#ifdef __CUDACC__
__device__ inline int __tern_hip_lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
#define __lane_id() __tern_hip_lane()
__device__ inline void atomicAddNoRet(float *p, float x)
{
    atomicAdd(p, x);
}
__device__ inline float unsafeAtomicAdd(float *p, float x)
{
    return atomicAdd(p, x);
}
__device__ inline double unsafeAtomicAdd(double *p, double x)
{
    return atomicAdd(p, x);
}
__device__ inline float safeAtomicAdd(float *p, float x)
{
    return atomicAdd(p, x);
}
__device__ inline double safeAtomicAdd(double *p, double x)
{
    return atomicAdd(p, x);
}
/* Of floats: CUDA has them for integers only. Numbers win against NaN, as with fminf. */
#define __TERN_HIP_EXTREME(name, T, W, choose, to_bits, of_bits)                                                       \
    __device__ inline T name(T *p, T x)                                                                                \
    {                                                                                                                  \
        W old = *(volatile W *)p, seen;                                                                                \
        do {                                                                                                           \
            seen = old;                                                                                                \
            old = atomicCAS((W *)p, seen, (W)to_bits(choose(of_bits(seen), x)));                                       \
        } while (old != seen);                                                                                         \
        return of_bits(old);                                                                                           \
    }
__TERN_HIP_EXTREME(atomicMin, float, unsigned int, fminf, __float_as_uint, __uint_as_float)
__TERN_HIP_EXTREME(atomicMax, float, unsigned int, fmaxf, __float_as_uint, __uint_as_float)
__TERN_HIP_EXTREME(atomicMin, double, unsigned long long, fmin, __double_as_longlong, __longlong_as_double)
__TERN_HIP_EXTREME(atomicMax, double, unsigned long long, fmax, __double_as_longlong, __longlong_as_double)
#undef __TERN_HIP_EXTREME
#define unsafeAtomicMin atomicMin
#define unsafeAtomicMax atomicMax
#endif

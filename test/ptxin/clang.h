/* What kernels of test/kernels need of CUDA's headers, for clang without them. */
#pragma once
#define __global__      __attribute__((global))
#define __device__      __attribute__((device))
#define __host__        __attribute__((host))
#define __shared__      __attribute__((shared))
#define __constant__    __attribute__((constant))
#define __noinline__    __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#include <__clang_cuda_builtin_vars.h>

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;

__device__ inline int atomicAdd(int *p, int v)
{
    return __nvvm_atom_add_gen_i(p, v);
}
__device__ inline unsigned atomicAdd(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
__device__ inline float atomicAdd(float *p, float v)
{
    return __nvvm_atom_add_gen_f(p, v);
}
__device__ inline int atomicMax(int *p, int v)
{
    return __nvvm_atom_max_gen_i(p, v);
}
__device__ inline int atomicMin(int *p, int v)
{
    return __nvvm_atom_min_gen_i(p, v);
}
__device__ inline int atomicExch(int *p, int v)
{
    return __nvvm_atom_xchg_gen_i(p, v);
}
__device__ inline int atomicCAS(int *p, int was, int v)
{
    return __nvvm_atom_cas_gen_i(p, was, v);
}
__device__ inline int __shfl_down_sync(unsigned mask, int v, unsigned by)
{
    return __nvvm_shfl_sync_down_i32(mask, v, (int)by, 31);
}
__device__ inline float __shfl_down_sync(unsigned mask, float v, unsigned by)
{
    return __nvvm_shfl_sync_down_f32(mask, v, (int)by, 31);
}
__device__ inline int __shfl_up_sync(unsigned mask, int v, unsigned by)
{
    return __nvvm_shfl_sync_up_i32(mask, v, (int)by, 0);
}
__device__ inline int __shfl_xor_sync(unsigned mask, int v, int by)
{
    return __nvvm_shfl_sync_bfly_i32(mask, v, by, 31);
}
__device__ inline float __shfl_xor_sync(unsigned mask, float v, int by)
{
    return __nvvm_shfl_sync_bfly_f32(mask, v, by, 31);
}
__device__ inline int __shfl_sync(unsigned mask, int v, int from)
{
    return __nvvm_shfl_sync_idx_i32(mask, v, from, 31);
}
__device__ inline unsigned __ballot_sync(unsigned mask, int c)
{
    return __nvvm_vote_ballot_sync(mask, c);
}
__device__ inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
__device__ inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
__device__ inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
__device__ inline int min(int a, int b)
{
    return a < b ? a : b;
}
__device__ inline int max(int a, int b)
{
    return a > b ? a : b;
}
__device__ inline void __syncwarp(unsigned mask = 0xffffffff)
{
    __nvvm_bar_warp_sync(mask);
}
__device__ inline void __threadfence()
{
    __nvvm_membar_gl();
}

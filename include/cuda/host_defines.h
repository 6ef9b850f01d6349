/* How functions and variables are marked. Device half: the front end knows the words themselves. */
#pragma once
#define __HOST_DEFINES_H__

/* clang as a parser of CUDA, in clangd: it has the words' meanings and nothing to compile. */
#if defined __clang__ && defined __CUDA__ && !defined __TERN_DEVICE__ && !defined __TERN_SPLIT__
#define __TERN_EDITOR__ 1
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#endif

#define __TERN_HD  static __host__ __device__ __forceinline__
#define __TERN_HDM __host__ __device__

#ifdef __TERN_DEVICE__
#define __TERN_FN static __device__ __forceinline__
#define CUDARTAPI
#define CUDART_CB
#define __no_return__ __attribute__((noreturn))
#define __inline_hint__
#else
#define __TERN_FN            static inline
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __forceinline__      inline __attribute__((always_inline))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#ifdef __TERN_EDITOR__
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __managed__            __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#elif !defined                                                                                     \
    __TERN_SPLIT__ /* where the host half is split off, the markers must stay to be seen */
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#else /* and programs ask whether they are macros */
#define __host__          __host__
#define __device__        __device__
#define __global__        __global__
#define __shared__        __shared__
#define __constant__      __constant__
#define __managed__       __managed__
#define __grid_constant__ __grid_constant__
#define __launch_bounds__ __launch_bounds__
#endif
#endif

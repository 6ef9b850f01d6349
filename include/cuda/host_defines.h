/* How functions and variables are marked. Device half: the front end knows the words themselves. */
#pragma once
#define __HOST_DEFINES_H__

#define __TERN_HD  static __host__ __device__ __forceinline__
#define __TERN_HDM __host__ __device__

#ifdef __TERN_DEVICE__
#define __TERN_FN static __device__ __forceinline__
#define CUDARTAPI
#define CUDART_CB
#define __no_return__ __attribute__((noreturn))
#define __inline_hint__
#else
#define __TERN_FN       static inline
#define __align__(n)    __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#ifndef __TERN_SPLIT__ /* where the host half is split off, the markers must stay to be seen */
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#endif
#endif

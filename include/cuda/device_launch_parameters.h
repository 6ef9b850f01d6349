/* Who am I: the built-in variables. The front end reads special registers for them. */
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "vector_types.h"

#ifdef __TERN_DEVICE__
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
#endif

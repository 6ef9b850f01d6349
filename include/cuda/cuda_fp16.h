/* half: IEEE binary16, its pair half2, and their functions. */
#pragma once
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__
#include "cuda_runtime.h"
#ifndef __cplusplus /* C has the types, as bits */
typedef struct {
    unsigned short x;
} __half;
typedef struct {
    unsigned short x, y;
} __half2;
#else

#define __TERN_HALF            __half
#define __TERN_HALF2           __half2
#define __TERN_HALF_RAW        __half_raw
#define __TERN_HALF2_RAW       __half2_raw
#define __TERN_HALF_V          __tern_f16
#define __TERN_HALF_NAME(a, b) a##half##b
#define __TERN_HALF_DOUBLED    __half2half2
#ifdef __CUDA_NO_HALF_OPERATORS__
#define __TERN_HALF_NO_OPERATORS
#endif
#include "tern_half.h"
typedef __half half, nv_half;
typedef __half2 half2, nv_half2;
#define CUDART_INF_FP16            __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16            __ushort_as_half((unsigned short)0x7fff)
#define CUDART_ONE_FP16            __ushort_as_half((unsigned short)0x3c00)
#define CUDART_ZERO_FP16           __ushort_as_half((unsigned short)0x0000)
#define CUDART_NEG_ZERO_FP16       __ushort_as_half((unsigned short)0x8000)
#define CUDART_MAX_NORMAL_FP16     __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16     __ushort_as_half((unsigned short)0x0001)
#endif

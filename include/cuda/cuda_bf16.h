/* bfloat16: the upper half of a float, its pair, and their functions. */
#pragma once
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__
#include "cuda_runtime.h"
#ifndef __cplusplus /* C has the types, as bits */
typedef struct {
    unsigned short x;
} __nv_bfloat16;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162;
#else

#define __TERN_HALF            __nv_bfloat16
#define __TERN_HALF2           __nv_bfloat162
#define __TERN_HALF_RAW        __nv_bfloat16_raw
#define __TERN_HALF2_RAW       __nv_bfloat162_raw
#define __TERN_HALF_V          __tern_bf16
#define __TERN_HALF_NAME(a, b) a##bfloat16##b
#define __TERN_HALF_DOUBLED    __bfloat162bfloat162
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define __TERN_HALF_NO_OPERATORS
#endif
#include "tern_half.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define CUDART_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3f80)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#endif

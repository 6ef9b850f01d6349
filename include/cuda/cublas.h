/* cuBLAS as it was before CUDA 4: no handles, scalars by value, results returned. Only for host code. */
#pragma once
#define CUBLAS_H_
#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h give the same names to different functions: include one of them"
#endif
#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif
#define cublasStatus cublasStatus_t
#include "tern_cublas_old.h"
#ifdef __cplusplus
}
#endif

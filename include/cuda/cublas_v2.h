/* cuBLAS by the names that programs use: cublasSgemm is cublasSgemm_v2. */
#pragma once
#define CUBLAS_V2_H_
#ifdef CUBLAS_H_
#error "cublas.h and cublas_v2.h give the same names to different functions: include one of them"
#endif
#include "cublas_api.h"
#include "tern_cublas_names.h"

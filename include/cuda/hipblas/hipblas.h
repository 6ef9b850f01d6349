/* cuBLAS, by the names HIP has for it. */
#pragma once
#include "../hip/hip_runtime_api.h"
#include "../hip/hip_complex.h"
#include "../hip/library_types.h"
#include <cublas_v2.h>
#include "../hip/tern_hip_blas.h"

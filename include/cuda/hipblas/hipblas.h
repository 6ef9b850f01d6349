/* cuBLAS, by the names HIP has for it. */
#pragma once
#include "../hip/hip_runtime_api.h"
#include <cublas_v2.h>
#include "../hip/tern_hip_blas.h"

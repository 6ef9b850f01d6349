/* cuSPARSE, by the names HIP has for it. */
#pragma once
#include "../hip/hip_runtime_api.h"
#include <cusparse.h>
#include "../hip/tern_hip_sparse.h"

/* cuSPARSE, by the names HIP has for it. */
#pragma once
#include <cusparse.h>
#include "../hip/tern_hip_sparse.h"

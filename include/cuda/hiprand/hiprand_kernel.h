/* cuRAND for kernels, by the names HIP has for it. */
#pragma once
#include <curand_kernel.h>
#include "../hip/tern_hip_rand.h"

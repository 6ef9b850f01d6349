/* cuRAND for the host, by the names HIP has for it. */
#pragma once
#include "../hip/hip_runtime_api.h"
#include <curand.h>
#include "../hip/tern_hip_rand.h"

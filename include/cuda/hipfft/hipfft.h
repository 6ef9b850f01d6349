/* cuFFT, by the names HIP has for it. */
#pragma once
#include "../hip/hip_runtime_api.h"
#include <cufft.h>
#include "../hip/tern_hip_fft.h"

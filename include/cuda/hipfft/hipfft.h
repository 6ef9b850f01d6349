/* cuFFT, by the names HIP has for it. */
#pragma once
#include <cufft.h>
#include "../hip/tern_hip_fft.h"

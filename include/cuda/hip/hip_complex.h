/* Complex numbers, by the names HIP has for them. */
#pragma once
#include <cuComplex.h>
#include "tern_hip_complex.h"

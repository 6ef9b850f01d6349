#pragma once
#include "thrust/device_vector.h"
#include "thrust/detail/select.h" /* as CUDA's own does */

#pragma once
#include "thrust/detail/pointer.h"
#include "thrust/detail/elements.h" /* as CUDA's own does */

#pragma once
#include "thrust/detail/allocators.h"
#include "thrust/detail/elements.h" /* as CUDA's own does */

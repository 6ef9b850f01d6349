#pragma once
#include "thrust/detail/copy.h"
#include "thrust/detail/elements.h" /* as CUDA's own does */

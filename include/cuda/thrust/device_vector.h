#pragma once
#include "thrust/detail/vector.h"
#include "thrust/detail/elements.h"
#include "thrust/detail/scan.h" /* with sums and searches: CUDA's own brings them, too, and programs rely on it */
#include "thrust/detail/select.h" /* as CUDA's own does */

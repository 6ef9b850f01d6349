#pragma once
#include "thrust/detail/search.h"
#include "thrust/detail/scan.h" /* as CUDA's own does */
#include "thrust/detail/sort.h"

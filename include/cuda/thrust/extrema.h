#pragma once
#include "thrust/detail/scan.h"
#include "thrust/detail/select.h" /* as CUDA's own does */
#include "thrust/detail/search.h"
#include "thrust/detail/sort.h"

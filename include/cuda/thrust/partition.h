#pragma once
#include "thrust/detail/select.h"
#include "thrust/detail/scan.h" /* as CUDA's own does */
#include "thrust/detail/search.h"
#include "thrust/detail/sort.h"

#pragma once
#include "thrust/detail/reduce.h"
#include "thrust/detail/scan.h" /* as CUDA's own does */
#include "thrust/detail/select.h"

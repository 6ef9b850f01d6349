#pragma once
#include "thrust/detail/policy.h"
#include "thrust/detail/elements.h" /* and the algorithms: CUDA's own brings them, and programs rely on it */
#include "thrust/detail/scan.h"
#include "thrust/detail/select.h"
#include "thrust/detail/sort.h"
#include "thrust/detail/search.h" /* as CUDA's own does */

#pragma once
#include "cub/util_namespace.cuh"
#define CUB_CPP_DIALECT (__cplusplus / 100)

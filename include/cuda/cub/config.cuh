#pragma once
#include "cub/util_arch.cuh"
#include "cub/util_cpp_dialect.cuh"
#include "cub/util_macro.cuh"
#include "cub/util_namespace.cuh"

#pragma once
#include "cub/util_type.cuh"

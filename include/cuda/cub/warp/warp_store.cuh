#pragma once
#include "cub/warp/warp_load.cuh"

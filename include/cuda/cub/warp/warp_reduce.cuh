#pragma once
#include "cub/warp/warp.cuh"

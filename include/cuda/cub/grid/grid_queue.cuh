#pragma once
#include "cub/grid/grid.cuh"

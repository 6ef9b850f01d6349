#pragma once
#include "cub/block/block.cuh"

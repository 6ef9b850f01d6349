/* Tern's own CUB: blocks, warps and whole ranges. */
#pragma once
#include "cub/block/block.cuh"
#include "cub/block/block_sort.cuh"
#include "cub/device/device.cuh"
#include "cub/device/device_each.cuh"
#include "cub/device/device_sort.cuh"
#include "cub/iterator/iterators.cuh"
#include "cub/util_allocator.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_ptx.cuh"
#include "cub/warp/warp.cuh"

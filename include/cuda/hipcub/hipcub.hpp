/* CUB, by the name HIP has for it. */
#pragma once
#include <cub/cub.cuh>
namespace hipcub = cub;

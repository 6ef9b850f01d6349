#pragma once
#include "cub/iterator/iterators.cuh"

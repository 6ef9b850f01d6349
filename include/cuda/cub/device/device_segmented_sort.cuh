#pragma once
#include "cub/device/device_sort.cuh"

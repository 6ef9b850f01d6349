#pragma once
#include "cub/device/device_each.cuh"

#pragma once
#include "cub/device/device.cuh"

#pragma once
#include "cub/thread/thread.cuh"

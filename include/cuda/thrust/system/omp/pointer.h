#pragma once
#include "thrust/system/omp/memory.h"

#pragma once
#include "thrust/system/tbb/memory.h"

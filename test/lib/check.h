/* For the programs here: what must hold, and calls of the runtime that must succeed. */
#pragma once
#include <cuda_runtime.h>
#include "../programs/check.h"

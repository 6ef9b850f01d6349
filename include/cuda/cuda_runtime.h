/* What every CUDA source sees first. */
#pragma once
#define __CUDA_RUNTIME_H__
#include "host_defines.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "device_launch_parameters.h"
#define CUDART_VERSION 12040
#define CUDA_VERSION   12040
#ifdef __TERN_DEVICE__
#include "common_functions.h"
#include "device_functions.h"
#include "device_atomic_functions.h"
#include "cuda_device_runtime_api.h"
#include "math_functions.h"
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#else
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <utility>
#endif
#include "cuda_runtime_api.h"
#include "tern_host_device.h"
#endif

// Headers that programs name by their places in the toolkit; <float.h> comes with Thrust, CUB and cooperative groups.
// RUN: tern compile %s --to ir | grep store
// RUN: tern compile %s --to ir -DCUB | grep store
// RUN: tern compile %s --to ir -DGROUPS | grep store
#include <driver_functions.h>
#include <host_config.h>
#include <vector_functions.hpp>
#include <cuda_stdint.h>
#include <cudaProfiler.h>
#include <cuda_pipeline_primitives.h>
#include <cuda_fp8.hpp>
#include <cuda_fp6.hpp>
#include <cuda_fp4.hpp>
#include <curand_uniform.h>
#include <curand_normal.h>
#include <curand_lognormal.h>
#include <curand_poisson.h>
#include <curand_discrete.h>
#include <curand_globals.h>
#include <curand_mrg32k3a.h>
#include <curand_philox4x32_x.h>
#include <crt/host_config.h>
#include <crt/host_defines.h>
#include <crt/common_functions.h>
#include <crt/device_double_functions.h>
#include <crt/device_functions.h>
#include <crt/func_macro.h>
#include <crt/math_functions.h>
#include <crt/mma.h>
#include <crt/storage_class.h>
#if defined CUB
#include <cub/block/block_reduce.cuh>
#elif defined GROUPS
#include <cooperative_groups.h>
#else
#include <thrust/copy.h>
#endif
__global__ void largest(float *x) { *x = FLT_MAX; }

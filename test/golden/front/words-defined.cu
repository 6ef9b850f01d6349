// RUN: tern compile %s --to ir 2>&1 | grep -E "error|warning|kernel"
// What CUDA has as macros is defined here, too: programs ask.
#ifndef __host__
#define __host__
#define __device__
#endif
#if !defined __global__ || !defined __shared__ || !defined __constant__ || !defined __managed__ || !defined __forceinline__ || !defined __launch_bounds__ || !defined __align__
#error words
#endif
__host__ __device__ int twice(int x) { return 2 * x; }
__global__ void __launch_bounds__(64) k(int *p) { p[0] = twice(p[1]); }

/* The CUDA front end: any text ends in a module that verifies or in a diagnostic, within the memory
 * allowed. In place of the whole prelude, which would be most of the work, a few lines of it. */
#include "fuzz_front.h"

static const char prelude[] =
    "struct uint3 { unsigned int x, y, z; };\n"
    "struct alignas(16) float4 { float x, y, z, w; };\n"
    "struct dim3 { unsigned int x, y, z; __host__ __device__ constexpr dim3(unsigned int x = 1,\n"
    "  unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {} };\n"
    "extern const __device__ uint3 threadIdx, blockIdx;\n"
    "extern const __device__ dim3 blockDim, gridDim;\n"
    "extern const __device__ int warpSize;\n"
    "typedef unsigned long size_t;\n"
    "static __device__ inline void __syncthreads() { __tern_barrier(0, 0); }\n"
    "static __device__ int atomicAdd(int *p, int v) { return __tern_atomic_add(p, v, 1, 2); }\n"
    "static __device__ float atomicAdd(float *p, float v) { return __tern_atomic_fadd(p, v, 1, 2); "
    "}\n"
    "static __device__ inline float sqrtf(float x) { return __tern_op_fsqrt_rn(x); }\n";

static void fuzz(struct arena *a, const char *text, size_t size)
{
    fuzz_front(a, prelude, false, text, size);
}
FUZZ_TARGET(fuzz)

#include "../check.h"
#include "shared.h"
__device__ int calls;
__constant__ float table[4];
static __device__ int own(int x) { return x + 100; }
static __global__ void same_name(int *out) { *out = own(offset); }

__device__ float Shape::area() const { return width * height; }
__device__ int twice(int x) { return 2 * x; }
template <> __host__ __device__ int Cell<int>::get() const { return 10 * value; }
template <> __device__ int half<int>(int x) { return x / 2 + 1000; }
const __constant__ int common = 500;
__device__ int constants_there(int i) { return twenty + levels[i] + common; }
__global__ void fill(int *out, int n)
{
    if ((int)threadIdx.x < n)
        out[threadIdx.x] = unchanged(triple((int)threadIdx.x)) - square(1) * (int)threadIdx.x;
    atomicAdd(&calls, 1);
}

void other_set_offset(int value) { CUDA(cudaMemcpyToSymbol(offset, &value, sizeof value)); }
int other_same_name()
{
    int *d, h;
    CUDA(cudaMalloc(&d, sizeof *d));
    same_name<<<1, 1>>>(d);
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

// Devices, kernel attributes, occupancy, launches by address.
#include "check.h"

template <class T> __global__ void fill(T *p, T v, int n)
{
    __shared__ T s[32];
    s[threadIdx.x % 32] = v;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = s[i % 32];
}

__global__ void large(int *p)
{
    __shared__ int s[4096];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
    int count, device, version;
    CUDA(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CUDA(cudaGetDevice(&device));
    CHECK(device == 0);
    cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    CHECK(prop.warpSize == 32 && prop.maxThreadsPerBlock >= 256 && prop.name[0] && prop.totalGlobalMem);
    int value;
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    CHECK(value == prop.maxThreadsPerBlock);
    CUDA(cudaRuntimeGetVersion(&version));
    CHECK(version == CUDART_VERSION);
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, fill<double>));
    CHECK(a.sharedSizeBytes >= 32 * sizeof(double) && a.maxThreadsPerBlock > 0);
    CHECK(a.sharedSizeBytes < 4096); // its own, not that of other kernels
    CUDA(cudaFuncGetAttributes(&a, large));
    CHECK(a.sharedSizeBytes >= 4096 * sizeof(int));
    int blocks, grid, block;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<double>, 128, 0));
    CHECK(blocks >= 1);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill<double>));
    CHECK(grid >= 1 && block >= 32);
    double *p, v = 2.5, r[100];
    int n = 100;
    CUDA(cudaMalloc(&p, sizeof r));
    void *args[] = {&p, &v, &n};
    CUDA(cudaLaunchKernel(fill<double>, dim3(1), dim3(128), args, 0, 0));
    CUDA(cudaMemcpy(r, p, sizeof r, cudaMemcpyDeviceToHost));
    for (double x : r)
        CHECK(x == 2.5);
    CHECK(cudaLaunchKernel((const void *)0, dim3(1), dim3(1), args, 0, 0) == cudaErrorInvalidDeviceFunction);
    CUDA(cudaDeviceReset());
    CUDA(cudaMalloc(&p, sizeof r));
    fill<<<1, 128>>>(p, 1.5, n);
    CUDA(cudaMemcpy(r, p, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r[99] == 1.5);
    puts("ok");
}

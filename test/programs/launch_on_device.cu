// OPTIONS: -rdc=true
// Kernels that launch kernels: children's work is done when the parent's grid is; depth, many children, streams.
#include "check.h"

__global__ void child(int *out, int base) { out[base + threadIdx.x] = base + threadIdx.x; }
__global__ void parent(int *out)
{
    if (threadIdx.x % 2 == 0)
        child<<<1, 16>>>(out, 16 * threadIdx.x);
    else
        child<<<1, 8, 0, cudaStreamFireAndForget>>>(out, 16 * threadIdx.x);
}
__global__ void deeper(int *out, int depth, int limit)
{
    out[depth] = depth * depth;
    if (depth + 1 < limit)
        deeper<<<1, 1>>>(out, depth + 1, limit);
    if (cudaGetLastError() != cudaSuccess)
        out[depth] = -1;
}
__global__ void sort(int *a, int low, int high) // quicksort: each part is a grid of its own
{
    if (low >= high)
        return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    if (low < j) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        sort<<<1, 1, 0, s>>>(a, low, j);
        cudaStreamDestroy(s);
    }
    if (i < high)
        sort<<<1, 1>>>(a, i, high);
}
__global__ void take(int **p) { **p = 55; }
__global__ void give(int **p)
{
    cudaMalloc(p, 64 * sizeof(int));
    take<<<1, 1>>>(p);
}
__global__ void give_back(int **p, int *out)
{
    *out = **p;
    cudaFree(*p);
}
__device__ int order;
__global__ void last(int *out) { *out = atomicAdd(&order, 1); }
__global__ void first(int *out)
{
    last<<<1, 1, 0, cudaStreamTailLaunch>>>(out + 2); // after everything else of this grid
    last<<<1, 1>>>(out);
    last<<<1, 1>>>(out + 1);
}
__global__ void wrong(int *out) // a launch that fails says so, once
{
    child<<<0, 16>>>(out, 0);
    out[0] = cudaPeekAtLastError();
    child<<<1, 2048>>>(out, 0);
    out[1] = cudaGetLastError();
    out[2] = cudaGetLastError();
    child<<<1, 1, 1 << 20>>>(out, 0);
    out[3] = cudaGetLastError();
    child<<<1, 1>>>(out, 4);
    out[5] = cudaGetLastError();
}
__global__ void count(int *n) { atomicAdd(n, 1); }
__global__ void crowd(int *n)
{
    count<<<1, 1>>>(n);
    if (cudaGetLastError() != cudaSuccess)
        atomicAdd(n, 10000);
}
template <class T> __global__ void fill(T *p, T v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
template <class T> __global__ void fill_all(T *p, T v, int n) { fill<T><<<dim3(n / 32), dim3(32)>>>(p, v); }

__global__ void up(int *p) { p[threadIdx.x]++; }
#ifndef BY_NVCC // whose calls of NVIDIA's library for copies are not ours yet
__global__ void copies(int *a, int *b) // and fills: children in their order among the others
{
    cudaMemsetAsync(a, 0, 64 * sizeof *a);
    up<<<1, 64>>>(a);
    cudaMemcpyAsync(b, a, 64 * sizeof *a, cudaMemcpyDeviceToDevice);
    up<<<1, 32>>>(b);
    cudaMemcpy2DAsync(a, 4 * sizeof *a, b + 24, 8 * sizeof *b, 2 * sizeof *a, 3, cudaMemcpyDeviceToDevice, 0);
    cudaMemset2DAsync(b, 64, 0xff, 4, 2);
}
#endif

int main()
{
    int *d, h[512];
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMemset(d, 0xff, sizeof h));
    parent<<<1, 32>>>(d);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; i++)
        CHECK(h[i] == (i / 16 % 2 && i % 16 >= 8 ? -1 : i));
    deeper<<<1, 1>>>(d, 0, 20);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20; i++)
        CHECK(h[i] == i * i);
    for (int i = 0; i < 100; i++)
        h[i] = i * 37 % 101;
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    sort<<<1, 1>>>(d, 0, 99);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 100; i++)
        CHECK(h[i - 1] < h[i]);
    first<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 1 && h[2] == 2);
    fill_all<<<1, 1>>>(d, 77, 256);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 77 && h[255] == 77);
    CUDA(cudaMemset(d, 0xff, sizeof h));
    wrong<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == cudaErrorInvalidConfiguration && h[1] == cudaErrorInvalidConfiguration && h[2] == cudaSuccess);
    CHECK(h[3] == cudaErrorInvalidConfiguration && h[4] == 4 && h[5] == cudaSuccess);
    CUDA(cudaMemset(d, 0, sizeof h));
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096)); /* 2048 may wait, if nobody asks */
    crowd<<<40, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2560);
    int **p;
    CUDA(cudaMalloc(&p, sizeof *p));
    give<<<1, 1>>>(p);
    give_back<<<1, 1>>>(p, d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 55);
#ifndef BY_NVCC
    copies<<<1, 1>>>(d, d + 64);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2 && h[2] == 1 && h[4] == 1 && h[9] == 1 && h[63] == 1);
    CHECK(h[64] == -1 && h[65] == 2 && h[80] == -1 && h[64 + 40] == 1);
#endif
    puts("ok");
}

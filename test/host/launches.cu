// Kernels from host code: parameters of all kinds, templates, overloads, symbols, managed and constant variables, streams, events.
#include <cstdio>
#include <cstring>

struct point { float x; double y; int id; };
__constant__ int factors[4] = {1, 2, 3, 4};
__device__ float bias = 0.5f;
__managed__ int shared_count = 5;
namespace inside { __device__ int counter; }

__global__ void fill(int n, char c, float f, double d, point p, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i + c + (int)f + (int)d + p.id + (int)p.y + factors[i & 3] + (int)(2 * bias);
    if (i == 0) {
        shared_count++;
        inside::counter = 77;
    }
}
template <class T, int scale> __global__ void times(T *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = v[i] * scale;
}
__global__ void which(int *p) { *p = 1; }
__global__ void which(float *p) { *p = 2; }

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e = x;                                                                         \
        if (e != cudaSuccess) {                                                                    \
            printf("%s: %s\n", #x, cudaGetErrorString(e));                                         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    const int n = 100;
    int *d, h[n];
    CHECK(cudaMalloc(&d, sizeof h));
    point p = {1.5f, 20.0, 300};
    dim3 grid(4), block(32);
    fill<<<grid, block>>>(n, 'A', 2.5f, 3.5, p, d);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", h[0], h[1], h[99], shared_count);
    const int other[4] = {10, 20, 30, 40};
    CHECK(cudaMemcpyToSymbol(factors, other, sizeof other));
    const float b = 4;
    CHECK(cudaMemcpyToSymbol(bias, &b, sizeof b));
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, stream));
    fill<<<4, 32, 0, stream>>>(n, 'A', 2.5f, 3.5, p, d);
    times<int, 3><<<1, 128, 0, stream>>>(d, n);
    times<int, -1><<<1, 128, 0, stream>>>(d, n);
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    int counter = 0;
    CHECK(cudaMemcpyFromSymbol(&counter, inside::counter, sizeof counter));
    printf("%d %d %d %d %d %d\n", h[0], h[1], h[99], shared_count, counter, ms >= 0);
    float *f;
    CHECK(cudaMallocManaged(&f, 4));
    which<<<1, 1>>>(f);
    which<<<1, 1>>>(d);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    printf("%g %d\n", *f, h[0]);
    void *args[] = {&d, (void *)&n};
    CHECK(cudaLaunchKernel(times<int, 7>, dim3(1), dim3(128), args, 0, 0));
    CHECK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    fill<<<1, 4096>>>(n, 'A', 2.5f, 3.5, p, d);
    printf("%d %d %s\n", h[0], prop.warpSize, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

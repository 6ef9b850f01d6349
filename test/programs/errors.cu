// What is wrong is an error code, and the program goes on.
#include "check.h"

__global__ void write(int *p) { *p = 1; }
__global__ void __launch_bounds__(64) small(int *p) { *p = 2; }

int main()
{
    int *p = 0, *q, h;
    CHECK(cudaMalloc(&p, (size_t)1 << 60) != cudaSuccess && !p);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaSuccess);
    CUDA(cudaMalloc(&p, 64));
    CHECK(cudaFree((char *)p + 4) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(p, 0, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(p, &h, 100, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(p, &h, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaStreamSynchronize((cudaStream_t)0x1234) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpy2D(p, 4, &h, 4, 8, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
    cudaGetLastError();
    write<<<1, 2048>>>(p);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    write<<<0, 1>>>(p);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    small<<<1, 128>>>(p);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    small<<<1, 64>>>(p);
    CUDA(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == 2);
    CUDA(cudaMalloc(&q, 4));
    CUDA(cudaFree(q));
    CHECK(cudaFree(q) == cudaErrorInvalidValue);
    CUDA(cudaFree(0));
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0);
    CUDA(cudaPointerGetAttributes(&a, &h));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    puts("ok");
}

// What goes wrong gives the error that CUDA documents, and the program goes on.
#include "check.h"
#include <cstdint>
#include <cstring>

__global__ void set(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v;
}
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }

#define GIVES(call, error)                                                                         \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        if (got_ != error) {                                                                       \
            printf("%s:%d: %s gives %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_));     \
            exit(1);                                                                               \
        }                                                                                          \
        CHECK(cudaGetLastError() == error && cudaGetLastError() == cudaSuccess);                   \
    } while (0)

int main()
{
    const int n = 100;
    int h[n], *p = nullptr, *q = nullptr;
    CUDA(cudaMalloc(&p, sizeof h));

    // allocation
    GIVES(cudaMalloc(&q, SIZE_MAX), cudaErrorMemoryAllocation);
    GIVES(cudaMalloc(&q, SIZE_MAX / 4), cudaErrorMemoryAllocation);
    GIVES(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
    size_t pitch;
    GIVES(cudaMallocPitch(&q, &pitch, SIZE_MAX / 2, 1000), cudaErrorMemoryAllocation);
    CUDA(cudaMalloc(&q, 0));
    CHECK(!q);
    CUDA(cudaFree(nullptr));

    // frees
    GIVES(cudaFree(p + 1), cudaErrorInvalidValue);
    GIVES(cudaFree(h), cudaErrorInvalidValue);
    GIVES(cudaFree((void *)0x1234), cudaErrorInvalidValue);
    CUDA(cudaMalloc(&q, 64));
    CUDA(cudaFree(q));
    GIVES(cudaFree(q), cudaErrorInvalidValue);
    void *pinned;
    CUDA(cudaMallocHost(&pinned, 64));
    GIVES(cudaFree(pinned), cudaErrorInvalidValue);
    CUDA(cudaFreeHost(pinned));
    GIVES(cudaFreeHost(pinned), cudaErrorInvalidValue);
    GIVES(cudaFreeHost(h), cudaErrorInvalidValue);

    // copies: too long, not ours, wrong way, overflow
    GIVES(cudaMemcpy(p, h, sizeof h + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(h, p + 1, sizeof h, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(h, h + 50, 40, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, h, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    /* A row alone has no pitch, but one that is given has to do. */
    GIVES(cudaMemcpy2D(p, 4, h, 4, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(p, 4, h, 4, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    GIVES(cudaMemcpy2D(p, 0, h, 0, 8, 1, cudaMemcpyHostToDevice), cudaSuccess);
    GIVES(cudaMemset2D(p, 4, 0, 8, 1), cudaSuccess);
    GIVES(cudaMemset2D(p, 4, 0, 8, 0), cudaSuccess);
    cudaArray_t rows;
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<char>();
    GIVES(cudaMallocArray(&rows, &bytes, 16, 4), cudaSuccess);
    GIVES(cudaMemcpy2DToArray(rows, 0, 0, h, 4, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2DToArray(rows, 0, 0, h, 4, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    GIVES(cudaMemcpy2DToArray(rows, 0, 0, h, 0, 8, 1, cudaMemcpyHostToDevice), cudaSuccess);
    GIVES(cudaFreeArray(rows), cudaSuccess);
    GIVES(cudaMemset2D(p, 4, 0, 8, 2), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(p, SIZE_MAX / 2, h, SIZE_MAX / 2, 8, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemset(p + 50, 0, sizeof h), cudaErrorInvalidValue);
    GIVES(cudaMemset(h, 0, 4), cudaErrorInvalidValue);
    CUDA(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));

    // launches
    set<<<0, 32>>>(p, n, 1);
    GIVES(cudaGetLastError() == cudaErrorInvalidConfiguration ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
    set<<<1, 2048>>>(p, n, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    bounded<<<1, 128>>>(p);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    set<<<1, 32, 100 << 20>>>(p, n, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    int many = n, v = 3;
    void *args[] = {&p, &many, &v};
    GIVES(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(32), args, 0, 0), cudaErrorInvalidDeviceFunction);
    CUDA(cudaLaunchKernel((const void *)set, dim3(4), dim3(32), args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    CUDA(cudaLaunchKernelEx(&config, set, p, n, 5));
    CUDA(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 5 && h[99] == 5);
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {3, 1, 1}; // of four blocks no whole clusters
    config.attrs = &cluster;
    config.numAttrs = 1;
    GIVES(cudaLaunchKernelEx(&config, set, p, n, 6), cudaErrorInvalidConfiguration);

    // handles
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamDestroy(s));
    GIVES(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    GIVES(cudaEventRecord(nullptr, 0), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamCreateWithFlags(&s, 77), cudaErrorInvalidValue);
    cudaEvent_t e;
    GIVES(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming), cudaErrorNotSupported);

    // devices
    GIVES(cudaSetDevice(99), cudaErrorInvalidDevice);
    GIVES(cudaSetDevice(-1), cudaErrorInvalidDevice);
    cudaDeviceProp prop;
    GIVES(cudaGetDeviceProperties(&prop, 99), cudaErrorInvalidDevice);
    GIVES(cudaDeviceEnablePeerAccess(0, 1), cudaErrorInvalidValue);
    GIVES(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    GIVES(cudaDeviceDisablePeerAccess(99), cudaErrorInvalidDevice);

    // other processes
    cudaIpcMemHandle_t handle;
    GIVES(cudaIpcGetMemHandle(&handle, p), cudaErrorNotSupported);

    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    CUDA(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[42] == 5);
    CUDA(cudaFree(p));
    puts("ok");
}

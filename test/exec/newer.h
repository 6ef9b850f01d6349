/* The programs of test/programs speak CUDA 12; what CUDA 13 calls differently, for nvcc 13. */
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
static inline cudaMemLocation location_of(int device)
{
    cudaMemLocation where = {};
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device == cudaCpuDeviceId ? 0 : device;
    return where;
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t n, cudaMemoryAdvise advice,
                                        int device)
{
    return cudaMemAdvise(p, n, advice, location_of(device));
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(p, n, location_of(device), 0, stream);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, size_t *n)
{
    return cudaGraphGetEdges(g, from, to, nullptr, n);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t n)
{
    return cudaGraphAddDependencies(g, from, to, nullptr, n);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, size_t n)
{
    return cudaGraphRemoveDependencies(g, from, to, nullptr, n);
}
static inline CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
    return cuCtxCreate(context, nullptr, flags, device);
}
#endif

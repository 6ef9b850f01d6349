/* HIP's runtime API over CUDA's: the same functions and types by other names (tern_hip_names.h), and what HIP has
 * of its own. Device code runs in warps of 32 threads, as on HIP's NVIDIA platform. */
#pragma once
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#include <cuda_runtime.h>
#include "tern_hip_names.h"

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 60000000
#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif

typedef void *hipDeviceptr_t;

#ifdef __cplusplus
template <class T> inline cudaError_t hipHostMalloc(T **p, size_t size, unsigned flags = 0)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class T> inline cudaError_t hipMallocHost(T **p, size_t size)
{
    return cudaHostAlloc((void **)p, size, 0);
}
template <class T> inline cudaError_t hipHostAlloc(T **p, size_t size, unsigned flags = 0)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class T> inline cudaError_t hipExtMallocWithFlags(T **p, size_t size, unsigned)
{
    return cudaMalloc((void **)p, size);
}
inline cudaError_t hipMemcpyWithStream(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    cudaError_t e = cudaMemcpyAsync(to, from, size, kind, stream);
    return e ? e : cudaStreamSynchronize(stream);
}
inline cudaError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t size)
{
    return cudaMemcpy(to, from, size, cudaMemcpyHostToDevice);
}
inline cudaError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t size)
{
    return cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost);
}
inline cudaError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size)
{
    return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}
inline cudaError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t size, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, stream);
}
inline cudaError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t size, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, stream);
}
#endif

/* CUB's allocator: blocks come from the runtime's own pool, which keeps freed ones. */
#pragma once
#include "cub/util_debug.cuh"

namespace cub
{
struct CachingDeviceAllocator {
    CachingDeviceAllocator(bool = false, bool = false)
    {
    }
    CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = 0, size_t = 0, bool = false,
                           bool = false)
    {
    }
    cudaError_t DeviceAllocate(int device, void **p, size_t bytes, cudaStream_t = 0)
    {
        int before = 0;
        cudaError_t e = cudaGetDevice(&before);
        if (e == cudaSuccess)
            e = cudaSetDevice(device);
        if (e == cudaSuccess)
            e = cudaMalloc(p, bytes);
        cudaSetDevice(before);
        return e;
    }
    cudaError_t DeviceAllocate(void **p, size_t bytes, cudaStream_t = 0)
    {
        return cudaMalloc(p, bytes);
    }
    cudaError_t DeviceFree(int, void *p)
    {
        return cudaFree(p);
    }
    cudaError_t DeviceFree(void *p)
    {
        return cudaFree(p);
    }
    cudaError_t FreeAllCached()
    {
        return cudaSuccess;
    }
};
} // namespace cub

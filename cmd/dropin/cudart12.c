/* libcudart.so.12: what its headers call by other names than libtern.so does. */
#include "cuda/cuda_runtime_api.h"

struct location { /* cudaMemLocation */
    int type, id;
};

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device);
cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t n, struct location to, unsigned flags,
                                    cudaStream_t stream);
cudaError_t cudaMemAdvise_v2(const void *p, size_t n, enum cudaMemoryAdvise advice,
                             struct location where);

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device)
{
    return cudaGetDeviceProperties(p, device);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t n, struct location to, unsigned flags,
                                    cudaStream_t stream)
{
    (void)flags;
    return cudaMemPrefetchAsync(p, n, to.type == 1 ? to.id : cudaCpuDeviceId, stream);
}

cudaError_t cudaMemAdvise_v2(const void *p, size_t n, enum cudaMemoryAdvise advice,
                             struct location where)
{
    return cudaMemAdvise(p, n, advice, where.type == 1 ? where.id : cudaCpuDeviceId);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 12080;
    return cudaSuccess;
}

/* libcudart.so.12: what its headers call by other names than libtern.so does. */
#include "cuda/cuda_runtime_api.h"

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device);

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device)
{
    return cudaGetDeviceProperties(p, device);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 12080;
    return cudaSuccess;
}

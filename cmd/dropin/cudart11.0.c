/* libcudart.so.11.0: its cudaDeviceProp ends where later ones went on. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include "cuda/cuda_runtime_api.h"

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    cudaError_t (*ours)(struct cudaDeviceProp *, int);
    void *f = dlsym(RTLD_NEXT, "cudaGetDeviceProperties");
    struct cudaDeviceProp all;
    if (!f || !p)
        return cudaErrorInvalidValue;
    memcpy(&ours, &f, sizeof f);
    cudaError_t e = ours(&all, device);
    if (e == cudaSuccess)
        memcpy(p, &all, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return e;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 11080;
    return cudaSuccess;
}

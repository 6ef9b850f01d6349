/* Says which devices a CUDA program sees, and copies between the first two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_runtime_api.h"

int main(void)
{
    int n = 0;
    const char *first = "", *second = "";
    cudaGetDeviceCount(&n);
    printf("%d", n);
    for (int k = 0; k < n; k++) {
        struct cudaDeviceProp p;
        if (cudaGetDeviceProperties(&p, k))
            return 1;
        const char *name = strstr(p.name, "interpreter") ? "interp" : "cpu";
        printf(" %s", name);
        *(k ? &second : &first) = name;
    }
    printf("\n");
    if (n > 1) {
        int in[4] = {1, 2, 3, 4}, out[4] = {0}, device = -1;
        void *a, *b;
        if (cudaSetDevice(0) || cudaMalloc(&a, sizeof in) || cudaSetDevice(1) ||
            cudaMalloc(&b, sizeof in) || cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice) ||
            cudaMemcpyPeer(b, 1, a, 0, sizeof in) ||
            cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost) || out[3] != 4)
            return 1;
        if (cudaMemcpyPeer(b, 0, a, 0, sizeof in) != cudaErrorInvalidValue ||
            cudaGetLastError() != cudaErrorInvalidValue)
            return 1; /* not that device's */
        struct cudaPointerAttributes attributes;
        if (cudaPointerGetAttributes(&attributes, a) || attributes.device != 0 ||
            cudaGetDevice(&device) || device != 1)
            return 1;
        int can = -1, same = strcmp(first, second) == 0 && !strcmp(first, "cpu");
        if (cudaDeviceCanAccessPeer(&can, 1, 0) || can != same ||
            cudaDeviceEnablePeerAccess(0, 0) !=
                (same ? cudaSuccess : cudaErrorPeerAccessUnsupported) ||
            (same && (cudaDeviceEnablePeerAccess(0, 0) != cudaErrorPeerAccessAlreadyEnabled ||
                      cudaDeviceDisablePeerAccess(0))) ||
            cudaDeviceDisablePeerAccess(0) != cudaErrorPeerAccessNotEnabled)
            return 1;
        if (cudaFree(a) || cudaFree(b) || cudaFree(b) != cudaErrorInvalidValue)
            return 1;
    }
    return 0;
}

// NOT ON: cuda: a bad address may cost the process its device
// A kernel's bad address is error 700, which stays until the device is reset; the program goes on.
#include "check.h"

__global__ void spread(int *p, int distance)
{
    p[(size_t)threadIdx.x << distance] = 1;
}

// The compiler sees it; it may not take the store, or what follows, for something that never happens.
__global__ void through_null(int *p)
{
    p[0] = 1;
    *(int *)nullptr = 5;
    p[1] = 2;
}

static void seen(int *p)
{
    through_null<<<1, 1>>>(p);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CUDA(cudaDeviceReset());
}

static void fails(int *p, int distance)
{
    int h = 0;
    spread<<<1, 32>>>(p, 0); /* before it: no fault */
    if (p)
        CUDA(cudaDeviceSynchronize());
    spread<<<2, 32>>>(p, distance);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMemcpy(&h, &p, 4, cudaMemcpyDeviceToHost) != cudaSuccess);
    spread<<<1, 32>>>(p, 0);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CUDA(cudaDeviceReset());
}

int main()
{
    for (int round = 0; round < 2; round++) {
        int *p;
        CUDA(cudaMalloc(&p, 4096));
        fails(p, 40);
        fails(nullptr, 2);
        CUDA(cudaMalloc(&p, 4096));
        seen(p);
    }
    printf("ok\n");
    return 0;
}

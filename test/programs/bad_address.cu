// NOT ON: cuda: a bad address may cost the process its device
// A kernel's bad address is error 700, which stays until the device is reset; the program goes on.
#include "check.h"

__global__ void spread(int *p, int distance)
{
    p[(size_t)threadIdx.x << distance] = 1;
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
    }
    printf("ok\n");
    return 0;
}

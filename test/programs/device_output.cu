// printf and assert from the device: text in the program's own output, a failed assert as an error that sticks.
#include "check.h"
#include <cassert>
#include <cstring>

__global__ void hello(const char *unused, int n)
{
    if (threadIdx.x < n)
        printf("thread %d of %s, %5.2f, %llx\n", threadIdx.x, "block", threadIdx.x * 0.5, 0x123456789abcull);
}
__global__ void fail(int n) { assert(n == 3 && "n must be three"); }

int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *where = getenv("TERN_DEVICES");
    const bool on_nvidia = where && !strncmp(where, "cuda", 4);
    hello<<<1, 32>>>("", 2);
    CUDA(cudaDeviceSynchronize());
    fail<<<1, 1>>>(3);
    CUDA(cudaDeviceSynchronize());
    fail<<<1, 1>>>(4);
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    int *p;
    CHECK(cudaMalloc(&p, 4) == cudaErrorAssert); // it sticks
    cudaDeviceReset();
    // A reset helps, except on an NVIDIA GPU, whose driver keeps the error for the life of the process.
    CHECK(cudaMalloc(&p, 4) == (on_nvidia ? cudaErrorAssert : cudaSuccess));
    puts("ok");
}

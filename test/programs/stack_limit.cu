// A program that recurses deeply asks for the stack first. Its frames may be larger in our code than in NVIDIA's, so that a little
// recursion has to fit into what a program gets that asks for nothing.
// NOT ON: vulkan: its stack is 8 KB, and what does not fit is said
#include "check.h"

__device__ __noinline__ int deep(int n, const int *weight)
{
    int here[12];
    for (int k = 0; k < 12; k++)
        here[k] = n + k * weight[k % 4];
    if (n == 0)
        return here[weight[0]];
    const int below = deep(n - 1, weight);
    return below % 1000003 + here[(below + n) % 12];
}
__global__ void descend(int depth, const int *weight, int *out)
{
    out[threadIdx.x] = deep(depth + (int)threadIdx.x % 3, weight);
}
static int on_host(int n)
{
    const int weight[4] = {1, 2, 3, 4};
    int at = 1 * weight[1]; // here[1] of n = 0
    for (int i = 1; i <= n; i++) {
        const int k = (at + i) % 12;
        at = at % 1000003 + i + k * weight[k % 4];
    }
    return at;
}
static void go(int depth)
{
    int *weight, *out;
    CUDA(cudaMallocManaged(&weight, 4 * sizeof *weight));
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    for (int k = 0; k < 4; k++)
        weight[k] = k + 1;
    descend<<<1, 64>>>(depth, weight, out);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 64; k++)
        CHECK(out[k] == on_host(depth + k % 3));
    CUDA(cudaFree(weight));
    CUDA(cudaFree(out));
}
int main()
{
    size_t bytes = 0;
    CUDA(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(bytes == 1024);
    go(8);
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    CUDA(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(bytes == 64 << 10);
    go(500);
    puts("ok");
}

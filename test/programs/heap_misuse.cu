// NOT UNDER: asan: sanitizers know only the stacks of threads, so kernels have none of their own
// NOT UNDER: tsan: sanitizers know only the stacks of threads, so kernels have none of their own
// NOT ON: vulkan: nothing checks what shaders do with local memory; blocks of its heap are powers of two
// NOT ON: cuda: nothing checks what kernels free
// The limit of the heap is kept; kernels that overrun their local arrays get an error, and the program goes on after a reset.
#include "check.h"

__global__ void overrun(int *x, int n)
{
    int a[16];
    for (int i = 0; i < n; i++)
        a[i + x[0]] = i;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += a[i];
    *x = sum;
}

__global__ void take(int *got, int pieces, int bytes)
{
    *got = 0;
    for (int i = 0; i < pieces; i++)
        *got += malloc(bytes) != nullptr;
}

template <class... Parameters, class... Arguments>
static void fails(void (*kernel)(Parameters...), Arguments... arguments)
{
    int *x;
    CUDA(cudaMalloc(&x, 4096));
    CUDA(cudaMemset(x, 0, 4096));
    kernel<<<1, 1>>>(x, arguments...);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    CUDA(cudaDeviceReset());
}

static int pieces_of(int bytes, int tried)
{
    int *x, got = -1;
    CUDA(cudaMalloc(&x, 4));
    take<<<1, 1>>>(x, tried, bytes);
    CUDA(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceReset());
    return got;
}

int main()
{
    size_t limit;
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    CHECK(limit == 8 << 20);
    const int some = pieces_of(1 << 20, 100);
    CHECK(some > 4 && some <= 8);
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    CHECK(limit == 64 << 20);
    const int more = pieces_of(1 << 20, 100);
    CHECK(more > 56 && more <= 64);
    fails(overrun, 100000000);
    printf("ok\n");
}

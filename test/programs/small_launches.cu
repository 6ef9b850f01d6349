// Thousands of launches of a few blocks each: what one needs is kept for the next. A barrier that not all threads may reach
// makes them coroutines on the CPU, each with a stack of its own.
// NOT UNDER: asan: it touches memory of its own
// NOT UNDER: tsan: it touches memory of its own
// NOT ON: vulkan: what its driver touches is its own affair
#include <sys/resource.h>
#include "check.h"

__global__ void step(const float *a, float *b, int n)
{
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < n && y < n) {
        tile[threadIdx.y][threadIdx.x] = a[y * n + x];
        __syncthreads();
        b[y * n + x] = tile[threadIdx.y][15 - threadIdx.x] + 1;
    }
}

static long faults()
{
    rusage u;
    CHECK(!getrusage(RUSAGE_SELF, &u));
    return u.ru_minflt;
}

int main()
{
    const int n = 32, rounds = 300;
    static float h[n * n];
    float *a, *b;
    CUDA(cudaMalloc(&a, sizeof h));
    CUDA(cudaMalloc(&b, sizeof h));
    CUDA(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    long before = 0;
    for (int k = 0; k < rounds; k++) {
        if (k == 20) {
            CUDA(cudaDeviceSynchronize());
            before = faults();
        }
        step<<<dim3(2, 2), dim3(16, 16)>>>(k % 2 ? b : a, k % 2 ? a : b, n);
    }
    CUDA(cudaDeviceSynchronize());
    CHECK(faults() - before < 2 * (rounds - 20) + 4096);
    CUDA(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    for (float x : h)
        CHECK(x == rounds);
    puts("ok");
}

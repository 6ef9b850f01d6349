// In shared memory, then by shuffles; partial sums by an atomic.
#include <cstdio>
#include <numeric>
#include <vector>
__global__ void sum_shared(const int *x, int n, unsigned long long *total)
{
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (t < w)
            s[t] += s[t + w];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(total, (unsigned long long)s[0]);
}
__global__ void sum_warps(const int *x, int n, unsigned long long *total)
{
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, (unsigned long long)v);
}
int main()
{
    const int n = 50000;
    std::vector<int> x(n);
    std::iota(x.begin(), x.end(), 1);
    int *d;
    unsigned long long *total, h[2];
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&total, sizeof h);
    cudaMemset(total, 0, sizeof h);
    cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sum_shared<<<(n + 255) / 256, 256, 256 * sizeof(int)>>>(d, n, total);
    sum_warps<<<16, 128>>>(d, n, total + 1);
    cudaMemcpy(h, total, sizeof h, cudaMemcpyDeviceToHost);
    printf("%llu %llu %ld\n", h[0], h[1], std::accumulate(x.begin(), x.end(), 0L));
}

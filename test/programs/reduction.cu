// Sums and extremes by every usual way: shared memory, shuffles, atomics, and the last block of a grid.
#include <climits>
#include <vector>
#include "check.h"

__global__ void by_shared(const int *in, long long *out, int n)
{
    __shared__ long long part[256];
    int t = threadIdx.x;
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd((unsigned long long *)out, (unsigned long long)part[0]);
}
__global__ void by_shuffle(const int *in, int *smallest, int *largest, int n)
{
    int low = INT_MAX, high = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        low = min(low, in[i]);
        high = max(high, in[i]);
    }
    for (int d = 16; d; d /= 2) {
        low = min(low, __shfl_xor_sync(~0u, low, d));
        high = max(high, __shfl_down_sync(~0u, high, d));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(smallest, low);
        atomicMax(largest, high);
    }
}
__device__ unsigned finished = 0;
__global__ void by_last_block(const int *in, double *parts, double *out, int n)
{
    __shared__ bool last;
    __shared__ double sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        double total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += ((volatile double *)parts)[b];
        *out = total;
    }
}

int main()
{
    const int n = 10007;
    std::vector<int> h(n);
    long long want = 0;
    int low = INT_MAX, high = INT_MIN;
    for (int i = 0; i < n; i++) {
        h[i] = (int)((i * 7919LL) % 20011) - 10000;
        want += h[i];
        low = h[i] < low ? h[i] : low;
        high = h[i] > high ? h[i] : high;
    }
    int *in, *extremes;
    long long *sum;
    double *parts, *total;
    CUDA(cudaMalloc(&in, n * sizeof *in));
    CUDA(cudaMemcpy(in, h.data(), n * sizeof *in, cudaMemcpyHostToDevice));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    CUDA(cudaMallocManaged(&extremes, 2 * sizeof *extremes));
    CUDA(cudaMalloc(&parts, 16 * sizeof *parts));
    CUDA(cudaMallocManaged(&total, sizeof *total));
    *sum = 0;
    extremes[0] = INT_MAX, extremes[1] = INT_MIN;
    by_shared<<<8, 256>>>(in, sum, n);
    by_shuffle<<<5, 128>>>(in, extremes, extremes + 1, n);
    for (int k = 0; k < 2; k++) { // the counter is back at zero for the second
        by_last_block<<<16, 64>>>(in, parts, total, n);
        CUDA(cudaDeviceSynchronize());
        CHECK(*total == (double)want);
    }
    CHECK(*sum == want && extremes[0] == low && extremes[1] == high);
    puts("ok");
}

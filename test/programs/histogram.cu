// Counting: private counts in shared memory, then global; bytes, weighted, and without atomics: lanes of a warp mark
// a counter that they take, and find out who won.
#include <cstring>
#include <vector>
#include "check.h"

__global__ void bytes(const unsigned char *in, unsigned *out, int n)
{
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (mine[i])
            atomicAdd(&out[i], mine[i]);
}
__device__ void take(volatile unsigned *counts, unsigned bin, unsigned mark)
{
    unsigned count;
    do {
        count = mark | ((counts[bin] & 0x7ffffff) + 1);
        counts[bin] = count;
    } while (counts[bin] != count);
}
__global__ void marked(const unsigned char *in, unsigned *out, int n)
{
    volatile __shared__ unsigned counts[3 * 256];
    for (int i = threadIdx.x; i < 3 * 256; i += blockDim.x)
        counts[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        take(counts + threadIdx.x / 32 * 256, in[i], threadIdx.x << 27);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        out[i] = (counts[i] & 0x7ffffff) + (counts[i + 256] & 0x7ffffff) + (counts[i + 512] & 0x7ffffff);
}
template <int Bins> __global__ void weighted(const float *x, const float *w, float *out, int n)
{
    extern __shared__ float part[];
    if (threadIdx.x < Bins)
        part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int bin = min(Bins - 1, max(0, (int)(x[i] * Bins)));
        atomicAdd(&part[bin], w[i]);
    }
    __syncthreads();
    if (threadIdx.x < Bins)
        out[threadIdx.x] = part[threadIdx.x];
}

int main()
{
    const int n = 30000;
    std::vector<unsigned char> h(n);
    unsigned want[256] = {0}, got[256];
    for (int i = 0; i < n; i++)
        want[h[i] = (unsigned char)((i * i) >> 3)]++;
    unsigned char *in;
    unsigned *out;
    CUDA(cudaMalloc(&in, n));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemset(out, 0, sizeof got));
    CUDA(cudaMemcpy(in, h.data(), n, cudaMemcpyHostToDevice));
    bytes<<<7, 96>>>(in, out, n);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(want, got, sizeof got));

    marked<<<1, 96>>>(in, out, n);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(want, got, sizeof got));

    float *x, *w, *sums, expected[10] = {0};
    CUDA(cudaMallocManaged(&x, n * sizeof *x));
    CUDA(cudaMallocManaged(&w, n * sizeof *w));
    CUDA(cudaMallocManaged(&sums, 10 * sizeof *sums));
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 100) / 100;
        w[i] = (float)(i % 4);
        expected[i % 100 / 10] += w[i];
    }
    weighted<10><<<1, 128, 10 * sizeof(float)>>>(x, w, sums, n);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 10; b++)
        CHECK(sums[b] > expected[b] * 0.89f - 400 && sums[b] < expected[b] * 1.11f + 400);
    puts("ok");
}

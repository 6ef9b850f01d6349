// k-means and nearest neighbours on points that form clear clusters: structures of arrays, atomics on floats.
#include <cmath>
#include <vector>
#include "check.h"

const int K = 4, N = 800;
__constant__ float2 centers[K];
__global__ void assign(const float *x, const float *y, int *label, float *sums, int *counts)
{
    __shared__ float s[K][2];
    __shared__ int c[K];
    if (threadIdx.x < K)
        s[threadIdx.x][0] = s[threadIdx.x][1] = 0, c[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int best = 0;
        float least = INFINITY;
        for (int k = 0; k < K; k++) {
            float d = hypotf(x[i] - centers[k].x, y[i] - centers[k].y);
            if (d < least)
                least = d, best = k;
        }
        label[i] = best;
        atomicAdd(&s[best][0], x[i]);
        atomicAdd(&s[best][1], y[i]);
        atomicAdd(&c[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&sums[2 * threadIdx.x], s[threadIdx.x][0]);
        atomicAdd(&sums[2 * threadIdx.x + 1], s[threadIdx.x][1]);
        atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);
    }
}
struct best {
    float distance;
    int index;
};
__global__ void nearest(const float *x, const float *y, best *out) // by warps: each lane a part, then the least of all
{
    int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    best b = {INFINITY, -1};
    for (int k = lane; k < N; k += 32) {
        float d = (x[k] - x[i]) * (x[k] - x[i]) + (y[k] - y[i]) * (y[k] - y[i]);
        if (k != i && d < b.distance)
            b = {d, k};
    }
    for (int d = 16; d; d /= 2) {
        best o = {__shfl_xor_sync(~0u, b.distance, d), __shfl_xor_sync(~0u, b.index, d)};
        if (o.distance < b.distance || (o.distance == b.distance && o.index < b.index))
            b = o;
    }
    if (lane == 0)
        out[i] = b;
}

int main()
{
    float *x, *y, *sums;
    int *label, *counts;
    best *b;
    CUDA(cudaMallocManaged(&x, N * sizeof *x));
    CUDA(cudaMallocManaged(&y, N * sizeof *y));
    CUDA(cudaMallocManaged(&sums, 2 * K * sizeof *sums));
    CUDA(cudaMallocManaged(&label, N * sizeof *label));
    CUDA(cudaMallocManaged(&counts, K * sizeof *counts));
    CUDA(cudaMallocManaged(&b, N * sizeof *b));
    for (int i = 0; i < N; i++) {
        x[i] = 10 * (i % 2) + sinf(i * 12.9898f);
        y[i] = 10 * (i / 2 % 2) + cosf(i * 78.233f);
    }
    float2 c[K] = {{0, 0}, {8, 1}, {1, 7}, {9, 9}};
    for (int round = 0; round < 5; round++) {
        CUDA(cudaMemcpyToSymbol(centers, c, sizeof c));
        CUDA(cudaMemset(sums, 0, 2 * K * sizeof *sums));
        CUDA(cudaMemset(counts, 0, K * sizeof *counts));
        assign<<<(N + 127) / 128, 128>>>(x, y, label, sums, counts);
        CUDA(cudaDeviceSynchronize());
        for (int k = 0; k < K; k++)
            c[k] = make_float2(sums[2 * k] / counts[k], sums[2 * k + 1] / counts[k]);
    }
    for (int i = 0; i < N; i++)
        CHECK(label[i] == i % 4);
    nearest<<<N / 4, 128>>>(x, y, b);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i += 37) {
        float least = INFINITY;
        for (int k = 0; k < N; k++)
            if (k != i)
                least = fminf(least, (x[k] - x[i]) * (x[k] - x[i]) + (y[k] - y[i]) * (y[k] - y[i]));
        CHECK(fabsf(b[i].distance - least) <= 1e-5f * least + 1e-9f && label[b[i].index] == label[i]);
    }
    puts("ok");
}

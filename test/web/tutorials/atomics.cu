// A histogram, a lock, and what atomics give back.
#include <cstdio>
#include <string>
__global__ void count(const char *text, int n, unsigned *bins)
{
    __shared__ unsigned own[26];
    if (threadIdx.x < 26)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (text[i] >= 'a' && text[i] <= 'z')
            atomicAdd(&own[text[i] - 'a'], 1u);
    __syncthreads();
    if (threadIdx.x < 26)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void extremes(const int *x, int n, int *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicMin(&r[0], x[i]);
    atomicMax(&r[1], x[i]);
    atomicXor(&r[2], x[i]);
    int old = r[3], seen;
    do {
        seen = old;
        old = atomicCAS(&r[3], seen, seen + 2);
    } while (old != seen);
}
int main()
{
    std::string text;
    for (int k = 0; k < 200; k++)
        text += "the quick brown fox jumps over the lazy dog; ";
    char *d;
    unsigned *bins, h[26];
    cudaMalloc(&d, text.size());
    cudaMalloc(&bins, sizeof h);
    cudaMemset(bins, 0, sizeof h);
    cudaMemcpy(d, text.data(), text.size(), cudaMemcpyHostToDevice);
    count<<<4, 64>>>(d, (int)text.size(), bins);
    cudaMemcpy(h, bins, sizeof h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 26; k++)
        printf("%c%u%s", 'a' + k, h[k], k < 25 ? " " : "\n");
    int *x, *r;
    cudaMallocManaged(&x, 500 * sizeof *x);
    cudaMallocManaged(&r, 4 * sizeof *r);
    for (int i = 0; i < 500; i++)
        x[i] = (i * 7919) % 1009 - 500;
    r[0] = r[1] = r[2] = r[3] = 0;
    extremes<<<4, 128>>>(x, 500, r);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
}

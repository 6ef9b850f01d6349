// LONG ON: vulkan: test/kernels/in_step has such steps
// What threads of a warp tell each other without a barrier, because they do each step together: old programs do so, with
// volatile shared memory, and also without.
#include "check.h"

__device__ unsigned scan_warp(unsigned value, volatile unsigned *s, unsigned t)
{
    unsigned at = 2 * t - (t & 31);
    s[at] = 0;
    s[at += 32] = value;
    for (int d = 1; d < 32; d *= 2)
        s[at] += s[at - d];
    return s[at] - value;
}

__global__ void scans(unsigned *p, int rounds) // in a loop that waits for nobody
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, x = p[t];
    for (int k = 0; k < rounds; k++) {
        unsigned y = scan_warp(x & 1, s, t);
        x = x & 1 ? x + y : (x >> 1) + k;
        __syncthreads();
    }
    p[t] = x;
}

__device__ __noinline__ double term(int i) { return 1.0 / (1 + i * i % 13); }

__global__ void collect(double *out) // the first thread reads what its warp has just written
{
    __shared__ double part[64];
    __shared__ unsigned char bytes[32];
    double sum = 0;
    for (int i = threadIdx.x; i < 1000; i += blockDim.x)
        sum += term(i);
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 17) {
        double all = 0;
        for (int i = threadIdx.x; i < 64; i += 17)
            all += part[i];
        part[threadIdx.x] = all;
    }
    if (threadIdx.x < 32)
        bytes[threadIdx.x] = (unsigned char)threadIdx.x;
    if (threadIdx.x == 0) {
        double all = term(0) - term(0);
        for (int i = 0; i < 17; i++)
            all += part[i];
        for (int i = 0; i < 32; i++)
            all += bytes[i];
        *out = all;
    }
}

typedef int (*choice)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }

__global__ void halves(int *out, int which) // its threads are not lanes: it calls through a pointer
{
    __shared__ int s[64];
    volatile int *v = s;
    int t = threadIdx.x;
    choice f = which ? twice : thrice;
    s[t] = f(t);
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        *out = s[0];
}

__device__ int sum_of_block(int x, int *s)
{
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    return s[0];
}
__global__ void two_sums(int *out) // all read the first before one of them writes for the second
{
    __shared__ int s[64];
    int first = sum_of_block(threadIdx.x, s);
    out[threadIdx.x] = sum_of_block(first + 1, s);
}

int main()
{
    unsigned h[128], want[128], *p;
    double *out, got, sum = 0;
    for (unsigned i = 0; i < 128; i++)
        want[i] = h[i] = i * 2654435761u >> 7;
    CUDA(cudaMalloc(&p, sizeof h));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    scans<<<1, 128>>>(p, 5);
    CUDA(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < 5; k++)
        for (unsigned w = 0; w < 128; w += 32)
            for (unsigned i = w, y = 0; i < w + 32; i++) {
                const unsigned bit = want[i] & 1;
                want[i] = bit ? want[i] + y : (want[i] >> 1) + k;
                y += bit;
            }
    for (int i = 0; i < 128; i++)
        CHECK(h[i] == want[i]);
    collect<<<1, 64>>>(out);
    CUDA(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++)
        sum += 1.0 / (1 + i * i % 13);
    sum += 31 * 16;
    CHECK(got > sum - 1e-9 && got < sum + 1e-9);
    int *half;
    CUDA(cudaMallocManaged(&half, sizeof *half));
    halves<<<1, 64>>>(half, 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(*half == 64 * 63);
    int *sums;
    CUDA(cudaMallocManaged(&sums, 64 * sizeof *sums));
    two_sums<<<1, 64>>>(sums);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(sums[i] == 64 * (32 * 63 + 1));
    puts("ok");
}

// Two kernels, one that runs whole blocks and one whose threads wait: what is kept of their code is one file each.
#include <cstdio>

#ifndef FACTOR
#define FACTOR 2
#endif

__global__ void scale(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = FACTOR * i;
}

__device__ int half(int v) { return v / 2; }
__device__ int (*const table[2])(int) = {half, half};

__global__ void turn(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] += table[threadIdx.x & 1](s[31 - threadIdx.x]);
}

int main()
{
    int *p, sum = 0;
    cudaMallocManaged(&p, 128);
    scale<<<2, 16>>>(p, 32);
    turn<<<1, 32>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int i = 0; i < 32; i++)
        sum = sum * 3 + p[i];
    printf("%d\n", sum);
}

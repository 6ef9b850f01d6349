// What tern check tells of a program with many mistakes, one after the other: none of them ends it. Addresses are left out; of
// the CPU, too, how often: that goes with the width of its vectors.
// REQUIRES: c++ addr2line
// LIMIT: 60
// RUN: terncc -w -Xcompiler -g1 %s -o %t
// RUN: tern check --device interp %t 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/g'
// RUN: tern check --device cpu --json %t 2>/dev/null | sed -f tools/finding.sed
// RUN: echo 'leak' >%t.rules; echo 'race-shared neighbours' >>%t.rules; echo 'uninitialized * %s:18' >>%t.rules; echo 'race-global sum %s:1' >>%t.rules; tern check --device interp --suppress %t.rules --max 1 %t 2>&1
// RUN: tern check --device cpu --kind race-shared,double-free --kernel neighbours %t 2>&1 | tail -n 1
// RUN: tern check --device cpu --kind stream-race %t >/dev/null 2>&1
// RUN: tern check --device cpu --kind overflow %t
#include <cstdio>
#define N 64

// uninitialized: nobody wrote the second half
__global__ void undefined(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x] * 2;
}
// a race in shared memory
__global__ void neighbours(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[31 - threadIdx.x];
}
// a race in global memory: all threads of a block add to one place
__global__ void sum(int *x)
{
    x[0] += threadIdx.x;
}
__global__ void no_race(int *x)
{
    atomicAdd(x, threadIdx.x);
}
__global__ void own(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

int main()
{
    float *half, *y;
    int *x, *gone, host[N + 4] = {};
    cudaStream_t a, b;
    cudaMalloc(&half, N * sizeof *half);
    cudaMalloc(&y, N * sizeof *y);
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&gone, N * sizeof *gone);
    cudaMemset(half, 0, N / 2 * sizeof *half);
    cudaMemset(x, 0, N * sizeof *x);
    undefined<<<1, N>>>(half, y);
    neighbours<<<1, 32>>>(x);
    sum<<<1, 32>>>(x);
    no_race<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(gone);
    cudaFree(gone);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    own<<<1, 5000>>>(x);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    own<<<1, 32, 0, a>>>(x);
    own<<<1, 32, 0, b>>>(x);
    cudaDeviceSynchronize();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(half);
    cudaFree(x);
    puts("it goes on");
    return 0;
}
// NOT UNDER: tsan: its functions stand between a call of the runtime and its caller, whose line is told

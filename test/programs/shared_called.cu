// A kernel that calls by a pointer that is known when it is compiled has its own shared memory, not
// that of all kernels beside it, which together is more than a block can have: llama.cpp chooses
// its products so.
#include "check.h"

typedef int (*function)(int);
__device__ int twice(int x)
{
    return 2 * x + 1;
}
__device__ int other(int x)
{
    return x - 5;
}
static constexpr __device__ function chosen(int n)
{
    return n % 2 ? twice : other;
}

template <int N> __global__ void turn(const int *in, int *out)
{
    __shared__ int s[N];
    constexpr function f = chosen(N);
    s[threadIdx.x] = f(in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

template <int N> void check(const int *x, int *y, int n)
{
    turn<N><<<1, n>>>(x, y);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(y[i] == (N % 2 ? 2 * (n - 1 - i) + 1 : n - 1 - i - 5));
}

int main()
{
    const int n = 64;
    int *x, *y;
    CUDA(cudaMallocManaged(&x, n * sizeof *x));
    CUDA(cudaMallocManaged(&y, n * sizeof *y));
    for (int i = 0; i < n; i++)
        x[i] = i;
    check<7001>(x, y, n);
    check<7002>(x, y, n);
    check<7003>(x, y, n);
    check<7004>(x, y, n);
    check<7005>(x, y, n);
    check<7006>(x, y, n);
    check<7007>(x, y, n);
    check<7008>(x, y, n);
    check<7009>(x, y, n);
    puts("ok");
    return 0;
}

// OPTIONS: -Xcompiler -Wall,-Wextra,-Werror
// Host code that is built with all warnings as errors sees device functions without the bodies that
// use their parameters.
#include "check.h"

struct Scaled {
    int v;
    __host__ __device__ explicit Scaled(int v) : v(v)
    {
    }
    __device__ int times(int c) const __restrict__ noexcept
    {
        return c * v;
    }
    __device__ void add(int c) __restrict
    {
        v += c;
    }
};
__device__ inline int sum(int a, int b)
{
    return a + b;
}
template <class T> __device__ T first(T a, T)
{
    return a;
}
__global__ void kernel(int *p, int n)
{
    Scaled s(n);
    s.add(1);
    p[threadIdx.x] = sum(n, 1) + s.times(2) + first(n, 1);
}
int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 32 * sizeof *p));
    kernel<<<1, 32>>>(p, 3);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == 15 && p[31] == 15);
    puts("ok");
}

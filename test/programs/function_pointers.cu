// LONG ON: vulkan: classes has such calls
// Addresses of device functions: in tables, in constant memory, passed on, members, and recursion through them.
#include "check.h"

typedef float (*op)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float sub(float a, float b) { return a - b; }
template <int N> __device__ float scaled(float a, float b) { return N * a * b; }
__device__ op table[] = {add, sub, scaled<2>, scaled<3>};
__device__ op chosen = sub;

struct counter {
    int n;
    __device__ int up(int k) { return n += k; }
    __device__ int down(int k) { return n -= k; }
};
__device__ int apply(counter &c, int (counter::*how)(int), int k) { return (c.*how)(k); }

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }
__device__ bool odd(int n);
__device__ bool even(int n) { return n == 0 || odd(n - 1); }
__device__ bool odd(int n) { return n != 0 && even(n - 1); }

__global__ void run(float *f, int *i)
{
    int t = threadIdx.x;
    f[t] = table[t % 4]((float)t, 2.0f) + chosen(10.0f, (float)t);
    op local = t % 2 ? add : scaled<5>;
    f[64 + t] = local(1, (float)t);
    counter c{t};
    i[t] = apply(c, t % 2 ? &counter::up : &counter::down, 100);
    i[64 + t] = fib(t % 12) + (t < 2 ? ackermann(2, 3) : 0) + (even(t % 20) ? 1000 : 0);
}
__global__ void choose(op f) { chosen = f; }
__global__ void fetch(op *out) { *out = scaled<3>; }

int main()
{
    float *f;
    int *i;
    CUDA(cudaMallocManaged(&f, 128 * sizeof *f));
    CUDA(cudaMallocManaged(&i, 128 * sizeof *i));
    run<<<1, 64>>>(f, i);
    CUDA(cudaDeviceSynchronize());
    int fibs[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int t = 0; t < 64; t++) {
        float x = (float)t, want[] = {x + 2, x - 2, 4 * x, 6 * x};
        CHECK(f[t] == want[t % 4] + 10 - x);
        CHECK(f[64 + t] == (t % 2 ? 1 + x : 5 * x));
        CHECK(i[t] == (t % 2 ? t + 100 : t - 100));
        CHECK(i[64 + t] == fibs[t % 12] + (t < 2 ? 9 : 0) + (t % 20 % 2 ? 0 : 1000));
    }
    op *p, handed;
    CUDA(cudaMalloc(&p, sizeof *p));
    fetch<<<1, 1>>>(p);
    CUDA(cudaMemcpy(&handed, p, sizeof handed, cudaMemcpyDeviceToHost));
    choose<<<1, 1>>>(handed); // a device function's address, by way of the host
    run<<<1, 64>>>(f, i);
    CUDA(cudaDeviceSynchronize());
    CHECK(f[4] == 6 + 3 * 10 * 4);
    puts("ok");
}

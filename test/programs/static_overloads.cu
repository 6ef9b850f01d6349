// Overloads among kernels that other files cannot see: static ones, in namespaces and without.
#include "check.h"

static __global__ void put(int n, int *p) { *p = n; }
static __global__ void put(int n, bool more, int *p) { *p = n + 10 * more; }
namespace inner {
static __global__ void put(float x, int *p) { *p = (int)(x * 100); }
static __global__ void put(double x, float y, int *p) { *p = (int)(x * 1000 + y); }
} // namespace inner
namespace other {
namespace {
__global__ void put(char c, int *p) { *p = c; }
__global__ void put(short, char c, int *p) { *p = c + 1; }
} // namespace
} // namespace other
template <class T> static __global__ void put(T *at, T v) { *at = v; }
template <class T, int N> static __global__ void __launch_bounds__(N) put(T *at, T v) { *at = v + N; }
static __global__ void alone(int *p) { *p = 77; }

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 9 * sizeof *p));
    put<<<1, 1>>>(3, p);
    put<<<1, 1>>>(3, true, p + 1);
    inner::put<<<1, 1>>>(1.5f, p + 2);
    inner::put<<<1, 1>>>(1.5, 2.f, p + 3);
    other::put<<<1, 1>>>('x', p + 4);
    other::put<<<1, 1>>>((short)1, 'x', p + 7);
    put<<<1, 1>>>(p + 5, 9);
    alone<<<1, 1>>>(p + 6);
    CUDA(cudaDeviceSynchronize());
    /* by their addresses, before they are launched and after */
    void (*few)(int *, int) = put<int, 64>, (*any)(int *, int) = put<int>;
    cudaFuncAttributes a, b;
    CUDA(cudaFuncGetAttributes(&a, few));
    CUDA(cudaFuncGetAttributes(&b, any));
    CHECK(a.maxThreadsPerBlock == 64 && b.maxThreadsPerBlock == 1024);
    few<<<1, 1>>>(p + 8, 9);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[8] == 73);
    CHECK(p[0] == 3 && p[1] == 13 && p[2] == 150 && p[3] == 1502 && p[4] == 'x' && p[5] == 9 && p[6] == 77 && p[7] == 'y');
    puts("ok");
}

// Kernels that get a function as a template's argument, of a pointer's type: plain, in a namespace, a template's own.
// OPTIONS: -Xcompiler -Wcast-qual
#include "check.h"

typedef void (*step_t)(const int *, int *);
typedef float (*map_t)(float);

static __device__ void one(const int *from, int *to) { *to = *from + 1; }
static __device__ float pick(float x) { return x * 2; }
namespace {
template <class T> __device__ void add(const int *from, int *to) { *to = *from + int(sizeof(T)); }
template <step_t inner, int times> __device__ void again(const int *from, int *to)
{
    int value = *from;
    for (int i = 0; i < times; i++)
        inner(&value, &value);
    *to = value;
}
}

template <step_t step, int n> __global__ void run(const int *__restrict__ from, int *__restrict__ to)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        step(from + i, to + i);
}
template <map_t map> __global__ void mapped(float *x) { *x = map(*x); }

template <step_t step> static int first(const int *from, int *to)
{
    run<step, 4><<<1, 32>>>(from, to);
    CUDA(cudaDeviceSynchronize());
    return to[3] - from[3];
}

int main()
{
    int *from, *to;
    float *x;
    CUDA(cudaMallocManaged(&from, 4 * sizeof *from));
    CUDA(cudaMallocManaged(&to, 4 * sizeof *to));
    CUDA(cudaMallocManaged(&x, sizeof *x));
    for (int i = 0; i < 4; i++)
        from[i] = 10 * i;
    CHECK(first<one>(from, to) == 1);
    CHECK((first<add<double>>(from, to) == 8));
    CHECK((first<again<one, 5>>(from, to) == 5));
    CHECK((first<again<add<short>, 3>>(from, to) == 6));
    *x = 7;
    mapped<pick><<<1, 1>>>(x);
    CUDA(cudaDeviceSynchronize());
    CHECK(*x == 14);
    puts("ok");
    return 0;
}

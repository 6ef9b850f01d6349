// Functions for both sides that name what only a device has; launches written in every spacing, in macros, in
// templates and with commas in their arguments.
#include <vector>
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include "check.h"

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__CUDACC__) || CUDART_VERSION < 11000
#error "helper headers look for these"
#endif
__device__ unsigned rank(cooperative_groups::thread_group g) { return g.thread_rank(); }

__host__ __device__ int bits(unsigned x) { return __popc(x) + __clz((int)x) + __ffs((int)x) + (int)__brev(x); }
__device__ int index(int x = threadIdx.x, int step = blockDim.x) { return x * step; }
__host__ __device__ int add(int *p, int v)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(p, v);
#else
    int old = *p;
    *p += v;
    return old;
#endif
}
template <class T> __host__ __device__ T never_on_the_host(T *p)
{
    __syncthreads();
    return __shfl_sync(~0u, __ldg(p), 0);
}

template <int N, class T> struct box {
    T v[N];
};
template <class A, class B> __global__ void store(A *out, box<2, B> b, uint n) { out[index()] = A(b.v[0] + b.v[1] + B(n)); }
__global__ void count(int *p, unsigned *q)
{
    add(p, bits(threadIdx.x) * 0 + 1);
    q[threadIdx.x] = (unsigned)bits(threadIdx.x * 77u) + (unsigned)(never_on_the_host(q) * 0);
}

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define WITH(kernel) kernel<<<dim3(1, 1, 1), dim3(4)
namespace space {
template <class T> struct runner {
    template <class U> static void go(T *out)
    {
        store<T, U><<<1, 4>>>(out, box<2, U>{{U(1), U(2)}}, 3u);
        ::store<T, U><<<dim3{1, 1}, 4, 0, nullptr>>>(out + 4, box<2, U>{{1, 2}}, 4);
    }
};
} // namespace space

int main()
{
    int *d, host = 5;
    unsigned *q;
    CHECK(add(&host, 2) == 5 && host == 7);
    CUDA(cudaMallocManaged(&d, 256));
    CUDA(cudaMallocManaged(&q, 256));
    *d = 0;
    count << <1, 32 >> > (d, q);
    LAUNCH(count, 1, dim3(32, 1), d, q);
    WITH(count) >>> (d, q);
    count
        <<<
            1, // one block
            32
        >>>
        (d,
         q);
    void (*pointer)(int *, unsigned *) = count;
    pointer<<<1, 32>>>(d, q);
    (*pointer)<<<1, 32>>>(d, q);
    std::vector<void (*)(int *, unsigned *)> table{count, pointer};
    for (auto &k : table)
        k<<<1, 32>>>(d, q);
    table[1]<<<1, 32>>>(d, q);
    if (d)
        count<<<1, 32>>>(d, q);
    else
        count<<<1, 1>>>(d, q);
    CUDA(cudaDeviceSynchronize());
    CHECK(*d == 9 * 32 + 4);
    for (unsigned i = 0; i < 32; i++)
        CHECK(q[i] == (unsigned)bits(i * 77u));
    float *f;
    CUDA(cudaMallocManaged(&f, 256));
    space::runner<float>::go<int>(f);
    CUDA(cudaDeviceSynchronize());
    CHECK(f[0] == 6 && f[4] == 7 && f[8] == 7);
    puts("ok");
}

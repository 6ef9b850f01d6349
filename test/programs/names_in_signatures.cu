// Names that programs rely on beside those of the first lines of every manual: pipelines in signatures, memory
// without a type from Thrust, its swap, the standard's base of iterators.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <iterator>
#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/fill.h>
#include <thrust/swap.h>
#include <cstdio>

#include "check.h"

// A pipeline by reference, in the signature of a device function.
__device__ void fetch(float *to, const float *from, int n, cuda::pipeline<cuda::thread_scope_block> &pipe)
{
    pipe.producer_acquire();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        cuda::memcpy_async(to + i, from + i, sizeof(float), pipe);
    pipe.producer_commit();
}

__global__ void reversed(const float *x, float *y, int n)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float part[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    fetch(part[0], x, 64, pipe);
    for (int k = 0; k < n / 64; k++) {
        if (k + 1 < n / 64)
            fetch(part[(k + 1) % 2], x + (k + 1) * 64, 64, pipe);
        pipe.consumer_wait();
        y[k * 64 + threadIdx.x] = part[k % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

// A range to be counted through, its iterator made of the standard's.
template <class T> struct numbers {
    struct iter : std::iterator<std::input_iterator_tag, T> {
        T at, step;
        __host__ __device__ iter(T at, T step) : at(at), step(step) {}
        __host__ __device__ T operator*() const { return at; }
        __host__ __device__ iter &operator++()
        {
            at += step;
            return *this;
        }
        __host__ __device__ bool operator!=(const iter &o) const { return at < o.at; }
    };
    T first, last, step;
    __host__ __device__ iter begin() const { return iter(first, step); }
    __host__ __device__ iter end() const { return iter(last, step); }
};

__global__ void count(int *out, int n)
{
    for (auto i : numbers<int>{(int)threadIdx.x, n, (int)blockDim.x})
        atomicAdd(out, i);
}

// Functions of a namespace, written outside of it: its names are theirs.
namespace outer {
constexpr int far = 100;
namespace inner {
constexpr int size = 8;
struct pair {
    int a, b;
};
__device__ int sum(pair p);
template <class T> __device__ T scaled(T x);
template <class T, int n> __global__ void use(T *out);
}
}
constexpr int size = 1;
__device__ int outer::inner::sum(pair p) { return p.a + p.b + far + size; }
template <class T> __device__ T outer::inner::scaled(T x) { return x * size; }
template <class T, int n> __global__ void outer::inner::use(T *out)
{
    __shared__ T row[size];
    row[0] = scaled(T(n));
    *out = row[0] + sum(pair{1, 2});
}

int main()
{
    const int n = 256;
    float x[n], y[n];
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    float *dx, *dy;
    int *sum, got = 0;
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMalloc(&sum, sizeof *sum));
    CUDA(cudaMemset(sum, 0, sizeof *sum));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    reversed<<<1, 64>>>(dx, dy, n);
    count<<<1, 32>>>(sum, 100);
    CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += y[i] != (float)(i / 64 * 64 + 63 - i % 64);
    outer::inner::use<int, 3><<<1, 1>>>(sum);
    int used = 0;
    CUDA(cudaMemcpy(&used, sum, sizeof used, cudaMemcpyDeviceToHost));
    CHECK(used == 3 * 8 + 3 + 100 + 8);
    CHECK(wrong == 0 && got == 99 * 50);
    CHECK(sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>) > 0);

    thrust::device_ptr<void> raw = thrust::device_malloc(2 * n * sizeof(int));
    thrust::device_ptr<int> a(static_cast<int *>(raw.get())), b = a + n;
    thrust::fill(a, a + n, 1);
    thrust::fill(b, b + n, 2);
    swap(a, b);
    CHECK(a[0] == 2 && b[n - 1] == 1);
    thrust::device_free(raw);
    puts("ok");
}

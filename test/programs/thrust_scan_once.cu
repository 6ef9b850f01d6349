// What a scan's iterator or operation of each element counts is right: each is asked once, by Thrust and by CUB,
// whether the result can hold what lies between two passes or not.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>
#include "check.h"

struct counted {
    int *times;
    __host__ __device__ int operator()(int x) const
    {
#ifdef __CUDA_ARCH__
        atomicAdd(times, 1);
#endif
        return x + 1;
    }
};
struct doubled {
    __host__ __device__ int operator()(long long x) const { return (int)(2 * x); }
};

static int *times;

static void asked(int n)
{
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*times == n);
    *times = 0;
}

// in[i] is 2, so that counted gives 3
static void check_sums(const int *out, int n, int first, int step)
{
    for (int i = 0; i < n; i++)
        if (out[i] != first + i * step) {
            printf("%d of %d: %d, not %d\n", i, n, out[i], first + i * step);
            exit(1);
        }
}

static void by_thrust(int n, int *in, int *out, long long *wide)
{
    const counted f{times};
    thrust::transform_inclusive_scan(thrust::device, in, in + n, out, f, thrust::plus<int>());
    asked(n);
    check_sums(out, n, 3, 3);
    thrust::transform_exclusive_scan(thrust::device, in, in + n, out, f, 7, thrust::plus<int>());
    asked(n);
    check_sums(out, n, 7, 3);
    thrust::transform_inclusive_scan(thrust::device, in, in + n, wide, f, thrust::plus<int>());
    asked(n);
    CHECK(n == 0 || wide[n - 1] == 3ll * n);
    auto twice = thrust::make_transform_output_iterator(out, doubled());
    thrust::transform_inclusive_scan(thrust::device, in, in + n, twice, f, thrust::plus<int>());
    asked(n);
    check_sums(out, n, 6, 6);
    for (int i = 0; i < n; i++)
        out[i] = 2;
    thrust::transform_inclusive_scan(thrust::device, out, out + n, out, f, thrust::plus<int>()); // in place
    asked(n);
    check_sums(out, n, 3, 3);
}

static void by_cub(int n, int *in, int *out)
{
    auto values = thrust::make_transform_iterator(in, counted{times});
    void *room = nullptr;
    size_t size = 0;
    CHECK(cub::DeviceScan::InclusiveSum(room, size, values, out, n) == cudaSuccess);
    CHECK(cudaMalloc(&room, size) == cudaSuccess);
    CHECK(cub::DeviceScan::InclusiveSum(room, size, values, out, n) == cudaSuccess);
    asked(n);
    check_sums(out, n, 3, 3);
    cudaFree(room), room = nullptr, size = 0;
    CHECK(cub::DeviceScan::ExclusiveScan(room, size, values, out, cub::Sum(), 5, n) == cudaSuccess);
    CHECK(cudaMalloc(&room, size) == cudaSuccess);
    CHECK(cub::DeviceScan::ExclusiveScan(room, size, values, out, cub::Sum(), 5, n) == cudaSuccess);
    asked(n);
    check_sums(out, n, 5, 3);
    cudaFree(room), room = nullptr, size = 0;
    int *keys = in; // all alike: one run
    CHECK(cub::DeviceScan::InclusiveSumByKey(room, size, keys, values, out, n) == cudaSuccess);
    CHECK(cudaMalloc(&room, size) == cudaSuccess);
    CHECK(cub::DeviceScan::InclusiveSumByKey(room, size, keys, values, out, n) == cudaSuccess);
    asked(n);
    check_sums(out, n, 3, 3);
    cudaFree(room);
}

int main()
{
    const int most = 100000;
    int *in, *out;
    long long *wide;
    CHECK(cudaMallocManaged(&in, most * sizeof *in) == cudaSuccess);
    CHECK(cudaMallocManaged(&out, most * sizeof *out) == cudaSuccess);
    CHECK(cudaMallocManaged(&wide, most * sizeof *wide) == cudaSuccess);
    CHECK(cudaMallocManaged(&times, sizeof *times) == cudaSuccess);
    for (int i = 0; i < most; i++)
        in[i] = 2;
    *times = 0;
    for (int n : {1, 300, 5000, most}) {
        by_thrust(n, in, out, wide);
        by_cub(n, in, out);
    }
    puts("ok");
}

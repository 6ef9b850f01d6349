// LONG ON: vulkan: many kernels to be compiled; thrust_sum and thrust_headers have some of them
// What <thrust/partition.h> alone brings, as CUDA's own does: policies, sorting, merging, counting.
#include <thrust/partition.h>
#include "check.h"

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

/* One that counts how often it is asked. */
struct asked {
    int *times;
    __host__ __device__ bool operator()(int x) const
    {
#ifdef __CUDA_ARCH__
        atomicAdd(times, 1);
#endif
        return x % 3 == 0;
    }
};

// A predicate is asked once for each element: what it counts is right.
static void once(int n)
{
    int *in, *out, *others, *times;
    CHECK(cudaMallocManaged(&in, n * sizeof *in) == cudaSuccess);
    CHECK(cudaMallocManaged(&out, n * sizeof *out) == cudaSuccess);
    CHECK(cudaMallocManaged(&others, n * sizeof *others) == cudaSuccess);
    CHECK(cudaMallocManaged(&times, sizeof *times) == cudaSuccess);
    for (int i = 0; i < n; i++)
        in[i] = i * 7 % n;
    *times = 0;
    const auto both = thrust::partition_copy(thrust::device, in, in + n, out, others, asked{times});
    CHECK(*times == n && (both.first - out) + (both.second - others) == n);
    for (int i = 0, a = 0, b = 0; i < n; i++)
        CHECK((in[i] % 3 ? others[b++] : out[a++]) == in[i]);
    *times = 0;
    const int *const end = thrust::copy_if(thrust::device, in, in + n, out, asked{times});
    CHECK(*times == n && end == out + (both.first - out));
    *times = 0;
    thrust::stable_partition(thrust::device, in, in + n, asked{times});
    CHECK(*times == n && in[0] == out[0]);
}

int main()
{
    once(10000);
    int *keys, *values, *merged;
    CHECK(cudaMallocManaged(&keys, 100 * sizeof *keys) == cudaSuccess);
    CHECK(cudaMallocManaged(&values, 100 * sizeof *values) == cudaSuccess);
    CHECK(cudaMallocManaged(&merged, 100 * sizeof *merged) == cudaSuccess);
    for (int i = 0; i < 100; i++)
        keys[i] = i * 37 % 100, values[i] = i;
    thrust::sort_by_key(thrust::device, keys, keys + 100, values);
    CHECK(keys[0] == 0 && keys[99] == 99 && values[1] == 73);
    CHECK(thrust::count_if(thrust::device, keys, keys + 100, even()) == 50);
    CHECK(thrust::partition(thrust::device, keys, keys + 100, even()) == keys + 50);
    thrust::sort(thrust::device, keys, keys + 50);
    thrust::sort(thrust::device, keys + 50, keys + 100);
    thrust::merge(thrust::device, keys, keys + 50, keys + 50, keys + 100, merged);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && merged[41] == 41);
    puts("ok");
}

// LONG ON: vulkan: many kernels to be compiled; thrust_sum and thrust_headers have some of them
// What <thrust/partition.h> alone brings, as CUDA's own does: policies, sorting, merging, counting.
#include <thrust/partition.h>
#include "check.h"

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main()
{
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

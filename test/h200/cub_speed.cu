/* Thrust's and CUB's device-wide algorithms, timed: built by terncc with our headers and by nvcc with NVIDIA's (`cub` holds the two
 * against each other). A line for each case: name, time in µs, rate, unit; a wrong result is said and ends in status 1. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

static cudaEvent_t from, to;
static int wrong;
static const char *only = ""; /* the beginning of cases' names */

__global__ void fill(uint32_t *p, size_t n, uint32_t mask)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t x = (uint32_t)i * 2654435761u;
        x ^= x >> 15;
        x *= 0x2c1b3c6du;
        x ^= x >> 12;
        p[i] = x & mask;
    }
}

template <class T> __global__ void count_unsorted(const T *p, size_t n, unsigned long long *bad)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i + 1 < n; i += (size_t)gridDim.x * blockDim.x)
        if (p[i + 1] < p[i])
            atomicAdd(bad, 1ull);
}

template <class Prepare, class Run> static void time_case(const char *name, double work, const char *unit, Prepare prepare, Run run)
{
    if (strncmp(name, only, strlen(only)))
        return;
    float best = 1e30f;
    for (int i = 0; i < 6; i++) {
        prepare();
        cudaEventRecord(from, 0);
        run();
        cudaEventRecord(to, 0);
        cudaEventSynchronize(to);
        float ms;
        cudaEventElapsedTime(&ms, from, to);
        if (i && ms < best)
            best = ms;
    }
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        printf("# %s: %s\n", name, cudaGetErrorString(e));
        wrong = 1;
    }
    printf("%s %.1f %.3f %s\n", name, best * 1e3, work / best * 1e-6, unit);
    fflush(stdout);
}

template <class T> static void sorted(const char *name, const T *p, size_t n)
{
    unsigned long long *bad, count;
    if (strncmp(name, only, strlen(only)))
        return;
    cudaMalloc(&bad, 8);
    cudaMemset(bad, 0, 8);
    count_unsorted<<<1024, 256>>>(p, n, bad);
    cudaMemcpy(&count, bad, 8, cudaMemcpyDeviceToHost);
    cudaFree(bad);
    if (count) {
        printf("# %s: %llu pairs are out of order\n", name, count);
        wrong = 1;
    }
}

struct plus_of {
    __host__ __device__ uint32_t operator()(uint32_t x, uint32_t y) const { return x + y; }
};
struct is_odd {
    __host__ __device__ bool operator()(uint32_t x) const { return x & 1; }
};

int main(int argc, char **argv)
{
    const size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 26);
    only = argc > 2 ? argv[2] : only;
    uint32_t *a, *b, *c, *d;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaMalloc(&a, n * 8);
    cudaMalloc(&b, n * 8);
    cudaMalloc(&c, n * 8);
    cudaMalloc(&d, n * 8);
    auto none = [] {};
    auto random = [&] { fill<<<2048, 256>>>(a, n * 2, ~0u); };
    void *temp = nullptr;
    size_t bytes = 0, have = (size_t)4 * n * 8 + (1 << 24);
    cudaMalloc(&temp, have);
    auto room = [&] { return bytes = have; };
    random();

    time_case("cub_radix_keys32", n, "Gkey/s", none, [&] { room(); cub::DeviceRadixSort::SortKeys(temp, bytes, a, b, (int)n); });
    sorted("cub_radix_keys32", b, n);
    time_case("cub_radix_keys64", n, "Gkey/s", none, [&] { room(); cub::DeviceRadixSort::SortKeys(temp, bytes, (uint64_t *)a, (uint64_t *)b, (int)n); });
    sorted("cub_radix_keys64", (uint64_t *)b, n);
    time_case("cub_radix_pairs32", n, "Gkey/s", none, [&] { room(); cub::DeviceRadixSort::SortPairs(temp, bytes, a, b, c, d, (int)n); });
    sorted("cub_radix_pairs32", b, n);
    time_case("cub_reduce_sum", n * 4.0, "GB/s", none, [&] { room(); cub::DeviceReduce::Sum(temp, bytes, (float *)a, (float *)b, (int)n); });
    time_case("cub_scan_sum", n * 8.0, "GB/s", none, [&] { room(); cub::DeviceScan::ExclusiveSum(temp, bytes, a, b, (int)n); });
    time_case("cub_select_if", n * 6.0, "GB/s", none, [&] { room(); cub::DeviceSelect::If(temp, bytes, a, b, c, (int)n, is_odd()); });
    time_case("cub_scan_double", n * 8.0, "GB/s", none, [&] { room(); cub::DeviceScan::InclusiveSum(temp, bytes, (double *)a, (double *)b, (int)(n / 2)); });
    time_case("cub_partition", n * 8.0, "GB/s", none, [&] { room(); cub::DevicePartition::If(temp, bytes, a, b, c, (int)n, is_odd()); });
    time_case("cub_merge_pairs", n / 4, "Gkey/s", none, [&] { room(); cub::DeviceMergeSort::SortPairs(temp, bytes, a, c, (int)(n / 4), [] __device__(uint32_t x, uint32_t y) { return x < y; }); });
    random();
    time_case("cub_radix_pairs64", n / 2, "Gkey/s", none, [&] { room(); cub::DeviceRadixSort::SortPairs(temp, bytes, (uint64_t *)a, (uint64_t *)b, c, d, (int)(n / 2)); });
    fill<<<2048, 256>>>(a, n, 1);
    time_case("cub_run_length", n * 8.0, "GB/s", none, [&] { room(); cub::DeviceRunLengthEncode::Encode(temp, bytes, a, b, c, d, (int)n); });
    time_case("cub_reduce_by_key", n * 16.0, "GB/s", none, [&] { room(); cub::DeviceReduce::ReduceByKey(temp, bytes, a, b, c, d, c + n, plus_of(), (int)n); });
    fill<<<2048, 256>>>(a, n, 255);
    time_case("cub_histogram256", n * 4.0, "GB/s", none, [&] { room(); cub::DeviceHistogram::HistogramEven(temp, bytes, a, (int *)b, 257, 0u, 256u, (int)n); });
    thrust::device_ptr<uint32_t> pa(a), pb(b);
    time_case("thrust_sort32", n, "Gkey/s", random, [&] { thrust::sort(pa, pa + n); });
    sorted("thrust_sort32", a, n);
    thrust::device_ptr<uint64_t> wide((uint64_t *)a);
    time_case("thrust_sort64", n, "Gkey/s", random, [&] { thrust::sort(wide, wide + n); });
    sorted("thrust_sort64", (uint64_t *)a, n);
    thrust::device_ptr<uint32_t> value(c);
    time_case("thrust_sort_by_key", n, "Gkey/s", random, [&] { thrust::sort_by_key(pa, pa + n, value); });
    time_case("thrust_merge_sort", n / 4, "Gkey/s", random, [&] { thrust::sort(pa, pa + n / 4, [] __device__(uint32_t x, uint32_t y) { return (x ^ 5) < (y ^ 5); }); });
    time_case("thrust_reduce", n * 4.0, "GB/s", none, [&] { wrong |= thrust::reduce(pa, pa + n) == 12345u ? 2 : 0; });
    time_case("thrust_scan", n * 8.0, "GB/s", none, [&] { thrust::inclusive_scan(pa, pa + n, pb); });
    fill<<<2048, 256>>>(a, n, 0x0f0f0f0f);
    time_case("thrust_unique", n * 6.0, "GB/s", none, [&] { thrust::unique_copy(pa, pa + n, pb); });
    return wrong & 1;
}

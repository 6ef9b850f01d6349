/* CUB's device-wide algorithms at sizes that only a GPU has room for, counts above 32 bits among them; results are checked on the
 * device. A line for each case: right or wrong, its size and time. */
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>

typedef unsigned long long u64;
static int wrong;
static u64 *sums; /* on the device */

static __host__ __device__ uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}
template <class F> __global__ void for_all(size_t n, F f)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        f(i);
}
template <class F> static void all(size_t n, F f)
{
    for_all<<<4096, 256>>>(n, f);
}
/* How many of n places f says to be wrong. */
template <class F> static u64 count(size_t n, F f)
{
    u64 *to = sums, result = 0;
    cudaMemset(sums, 0, 8);
    all(n, [=] __device__(size_t i) {
        if (f(i))
            atomicAdd(to, 1ull);
    });
    cudaMemcpy(&result, sums, 8, cudaMemcpyDeviceToHost);
    return result;
}
template <class K> static u64 checksum(const K *keys, size_t n)
{
    u64 *to = sums, result = 0;
    cudaMemset(sums, 0, 8);
    for_all<<<4096, 256>>>((size_t)4096 * 256, [=] __device__(size_t t) {
        u64 sum = 0;
        for (size_t i = t; i < n; i += (size_t)4096 * 256)
            sum += mixed((uint64_t)keys[i]);
        atomicAdd(to, sum);
    });
    cudaMemcpy(&result, sums, 8, cudaMemcpyDeviceToHost);
    return result;
}

template <class F> static float run(F f)
{
    cudaEvent_t from, to;
    size_t bytes = 0;
    void *memory = nullptr;
    float ms = 0;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaError_t e = f((void *)nullptr, bytes);
    if (!e)
        e = cudaMalloc(&memory, bytes ? bytes : 1);
    cudaEventRecord(from, 0);
    if (!e)
        e = f(memory, bytes);
    cudaEventRecord(to, 0);
    if (!e)
        e = cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, from, to);
    cudaFree(memory);
    if (e) {
        printf("# %s\n", cudaGetErrorString(e));
        wrong = 1;
    }
    return ms;
}
static void tell(const char *name, size_t n, u64 bad, float ms)
{
    printf("%-6s %-16s %12zu elements %10.3f ms %8.2f G/s%s\n", bad ? "WRONG" : "right", name, n, ms, (double)n / ms * 1e-6, bad ? "" : "");
    if (bad)
        printf("# %llu places are wrong\n", bad);
    wrong |= bad != 0;
    fflush(stdout);
}

template <class K> static void sort_keys(const char *name, size_t n)
{
    K *a, *b;
    if (cudaMalloc(&a, n * sizeof(K)) || cudaMalloc(&b, n * sizeof(K)))
        exit(1);
    all(n, [=] __device__(size_t i) { a[i] = (K)mixed(i); });
    const u64 sum = checksum(a, n);
    const float ms = run([&](void *m, size_t &s) { return cub::DeviceRadixSort::SortKeys(m, s, (const K *)a, b, n); });
    u64 bad = count(n - 1, [=] __device__(size_t i) { return b[i + 1] < b[i]; });
    bad += checksum(b, n) != sum;
    tell(name, n, bad, ms);
    cudaFree(a);
    cudaFree(b);
}
static void sort_pairs(size_t n, uint32_t mask)
{
    uint32_t *a, *b;
    uint32_t *c, *d;
    if (cudaMalloc(&a, n * 4) || cudaMalloc(&b, n * 4) || cudaMalloc(&c, n * 4) || cudaMalloc(&d, n * 4))
        exit(1);
    all(n, [=] __device__(size_t i) {
        a[i] = (uint32_t)mixed(i) & mask;
        c[i] = (uint32_t)i;
    });
    float ms = run([&](void *m, size_t &s) { return cub::DeviceRadixSort::SortPairs(m, s, (const uint32_t *)a, b, (const uint32_t *)c, d, n); });
    u64 bad = count(n, [=] __device__(size_t i) {
        return b[i] != ((uint32_t)mixed(d[i]) & mask) || (i + 1 < n && (b[i + 1] < b[i] || (b[i] == b[i + 1] && d[i + 1] <= d[i])));
    });
    tell("pairs", n, bad, ms);
    ms = run([&](void *m, size_t &s) { return cub::DeviceMergeSort::StableSortPairs(m, s, a, c, n, [] __device__(uint32_t x, uint32_t y) { return x < y; }); });
    bad = count(n, [=] __device__(size_t i) { return a[i] != b[i] || c[i] != d[i]; });
    tell("merged pairs", n, bad, ms);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}
template <class T> static void scan(const char *name, size_t n)
{
    T *a, *b;
    if (cudaMalloc(&a, n * sizeof(T)) || cudaMalloc(&b, n * sizeof(T)))
        exit(1);
    all(n, [=] __device__(size_t i) { a[i] = (T)mixed(i); });
    const float ms = run([&](void *m, size_t &s) { return cub::DeviceScan::ExclusiveSum(m, s, a, b, n); });
    const u64 bad = count(n, [=] __device__(size_t i) { return i ? (T)(b[i] - b[i - 1]) != a[i - 1] : b[0] != 0; });
    tell(name, n, bad, ms);
    cudaFree(a);
    cudaFree(b);
}
static void select(size_t n)
{
    u64 *b, *where, got = 0;
    if (cudaMalloc(&b, n * 8) || cudaMalloc(&where, 8))
        exit(1);
    const auto odd = [] __device__(u64 i) { return (mixed(i) & 1) != 0; };
    const u64 there = count(n, [=] __device__(size_t i) { return (mixed(i) & 1) != 0; });
    const float ms = run([&](void *m, size_t &s) { return cub::DeviceSelect::If(m, s, cub::CountingInputIterator<u64>(0), b, where, n, odd); });
    cudaMemcpy(&got, where, 8, cudaMemcpyDeviceToHost);
    u64 bad = got != there;
    if (!bad)
        bad = count(got, [=] __device__(size_t i) { return !(mixed(b[i]) & 1) || b[i] >= n || (i + 1 < got && b[i + 1] <= b[i]); });
    tell("selected", n, bad, ms);
    cudaFree(b);
    cudaFree(where);
}
static void runs(size_t n)
{
    uint32_t *a, *b, *lengths, *where, got = 0;
    if (cudaMalloc(&a, n * 4) || cudaMalloc(&b, n * 4) || cudaMalloc(&lengths, n * 4) || cudaMalloc(&where, 4))
        exit(1);
    all(n, [=] __device__(size_t i) { a[i] = (uint32_t)(i / 7 + i / 11); });
    const u64 there = 1 + count(n - 1, [=] __device__(size_t i) { return a[i] != a[i + 1]; });
    const float ms = run([&](void *m, size_t &s) { return cub::DeviceRunLengthEncode::Encode(m, s, a, b, lengths, where, n); });
    cudaMemcpy(&got, where, 4, cudaMemcpyDeviceToHost);
    u64 bad = got != there;
    u64 *sum = sums, all_lengths = 0;
    if (!bad)
        bad = count(got - 1, [=] __device__(size_t i) { return b[i + 1] <= b[i]; });
    cudaMemset(sums, 0, 8);
    all(got, [=] __device__(size_t i) { atomicAdd(sum, (u64)lengths[i]); });
    cudaMemcpy(&all_lengths, sums, 8, cudaMemcpyDeviceToHost);
    tell("runs", n, bad + (all_lengths != n), ms);
    cudaFree(a);
    cudaFree(b);
    cudaFree(lengths);
    cudaFree(where);
}

int main(int argc, char **argv)
{
    const int less = argc > 1 ? atoi(argv[1]) : 0; /* sizes divided by so many powers of two, for small devices */
    cudaMalloc(&sums, 8);
    for (int turn = 0; turn < 2; turn++) { /* the second time without compiling */
        scan<uint32_t>("scan of 32 bits", (size_t)1 << 28 >> less);
        scan<uint64_t>("scan of 64 bits", ((size_t)1 << 28 >> less) + 3);
        select(((size_t)1 << 28 >> less) + 77);
        runs(((size_t)1 << 28 >> less) - 5);
        sort_keys<uint32_t>("keys of 32 bits", (size_t)1 << 28 >> less);
        sort_keys<uint64_t>("keys of 64 bits", ((size_t)1 << 28 >> less) + 1);
        sort_pairs((size_t)1 << 28 >> less, ~0u);
    }
    sort_pairs((size_t)1 << 24 >> less, 0xf); /* many equal ones */
    scan<uint32_t>("scan of 32 bits", (((size_t)1 << 32) + 12345) >> less);
    scan<uint8_t>("scan of bytes", (((size_t)1 << 32) + 12345) >> less);
    select((((size_t)1 << 32) + 777) >> less);
    sort_keys<uint32_t>("keys of 32 bits", (((size_t)1 << 30) + 12345) >> less);
    sort_keys<uint8_t>("keys of 8 bits", (((size_t)1 << 32) + 4321) >> less);
    puts(wrong ? "FAILED" : "ok");
    return wrong;
}

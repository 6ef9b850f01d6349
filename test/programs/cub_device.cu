// LONG ON: cpu: some forty kernels to be compiled; cub_blocks has a few
// LONG ON: vulkan: some forty kernels to be compiled; cub_blocks has a few
// OPTIONS: -O0
// CUB's functions over whole ranges, each called twice: for the size of its memory, and to work.
#include <cub/cub.cuh>
#include "check.h"
#include <algorithm>
#include <numeric>
#include <vector>

template <class F> static void run(F f)
{
    void *memory = nullptr;
    size_t bytes = 0;
    CUDA(f(memory, bytes));
    CHECK(bytes > 0);
    CUDA(cudaMalloc(&memory, bytes));
    CUDA(f(memory, bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(memory));
}
template <class T> static T *copy(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMallocManaged(&p, (v.size() + 1) * sizeof(T)));
    std::copy(v.begin(), v.end(), p);
    return p;
}
template <class T> static bool same(const T *p, const std::vector<T> &v)
{
    return std::equal(v.begin(), v.end(), p);
}

struct is_odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x & 1;
    }
};
struct by_tens {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a / 10 < b / 10;
    }
};
struct twice {
    __host__ __device__ long long operator()(int x) const
    {
        return 2ll * x;
    }
};

int main()
{
    const int n = 5001;
    std::vector<int> h(n);
    unsigned s = 99;
    for (int &x : h) {
        s = s * 1664525u + 1013904223u;
        x = (int)(s >> 16) % 700 - 200;
    }
    int *in = copy(h), *out = copy(h), *count = copy(std::vector<int>(1));
    const int sum = std::accumulate(h.begin(), h.end(), 0);

    run([&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, in, count, n); });
    CHECK(*count == sum);
    run([&](void *m, size_t &b) { return cub::DeviceReduce::Max(m, b, in, count, n); });
    CHECK(*count == *std::max_element(h.begin(), h.end()));
    cub::KeyValuePair<int, int> *arg;
    CUDA(cudaMallocManaged(&arg, sizeof *arg));
    run([&](void *m, size_t &b) { return cub::DeviceReduce::ArgMin(m, b, in, arg, n); });
    CHECK(arg->key == std::min_element(h.begin(), h.end()) - h.begin() &&
          arg->value == h[arg->key]);
    long long *wide;
    CUDA(cudaMallocManaged(&wide, sizeof *wide));
    cub::TransformInputIterator<long long, twice, int *> doubled(in, twice());
    run([&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, doubled, wide, n); });
    CHECK(*wide == 2ll * sum);

    std::vector<int> e(n);
    run([&](void *m, size_t &b) { return cub::DeviceScan::InclusiveSum(m, b, in, out, n); });
    std::partial_sum(h.begin(), h.end(), e.begin());
    CHECK(same(out, e));
    run([&](void *m, size_t &b) {
        return cub::DeviceScan::ExclusiveScan(m, b, in, out, cub::Max(), -500, n);
    });
    for (int i = 0, m = -500; i < n; m = std::max(m, h[i++]))
        CHECK(out[i] == m);

    std::vector<int> sorted = h, order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(sorted.begin(), sorted.end());
    run([&](void *m, size_t &b) {
        return cub::DeviceRadixSort::SortKeys(m, b, (const int *)in, out, n);
    });
    CHECK(same(out, sorted) && same(in, h));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] > h[b]; });
    std::vector<int> index(n);
    std::iota(index.begin(), index.end(), 0);
    int *k[2] = {copy(h), copy(h)}, *v[2] = {copy(index), copy(index)};
    cub::DoubleBuffer<int> keys(k[0], k[1]), values(v[0], v[1]);
    run([&](void *m, size_t &b) {
        return cub::DeviceRadixSort::SortPairsDescending(m, b, keys, values, n);
    });
    CHECK(same(values.Current(), order));
    std::vector<int> tens = h;
    for (int &x : tens)
        x = abs(x);
    int *t = copy(tens);
    run([&](void *m, size_t &b) {
        return cub::DeviceMergeSort::StableSortKeys(m, b, t, n, by_tens());
    });
    std::stable_sort(tens.begin(), tens.end(), by_tens());
    CHECK(same(t, tens));

    e.clear();
    std::copy_if(h.begin(), h.end(), std::back_inserter(e), is_odd());
    run([&](void *m, size_t &b) {
        return cub::DeviceSelect::If(m, b, in, out, count, n, is_odd());
    });
    CHECK(*count == (int)e.size() && same(out, e));
    run([&](void *m, size_t &b) {
        return cub::DevicePartition::If(m, b, in, out, count, n, is_odd());
    });
    std::vector<int> rest;
    std::remove_copy_if(h.begin(), h.end(), std::back_inserter(rest), is_odd());
    e.insert(e.end(), rest.rbegin(), rest.rend());
    CHECK(same(out, e));
    int *ascending = copy(sorted), *lengths = copy(h);
    run([&](void *m, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(m, b, ascending, out, lengths, count, n);
    });
    e = sorted;
    e.erase(std::unique(e.begin(), e.end()), e.end());
    CHECK(*count == (int)e.size() && same(out, e));
    for (size_t i = 0; i < e.size(); i++)
        CHECK(lengths[i] == std::count(h.begin(), h.end(), e[i]));
    run([&](void *m, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(m, b, ascending, out, in, lengths, count, cub::Sum(),
                                              n);
    });
    CHECK(*count == (int)e.size() && std::accumulate(lengths, lengths + *count, 0) == sum);

    int *bins = copy(std::vector<int>(7));
    run([&](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(m, b, in, bins, 8, -200, 500, n);
    });
    for (int i = 0; i < 7; i++)
        CHECK(bins[i] == std::count_if(h.begin(), h.end(), [=](int x) {
                  return x >= -200 + 100 * i && x < -100 + 100 * i;
              }));
    /* Bytes against levels that no byte is, and floats against whole levels. */
    std::vector<unsigned char> bytes(4 * n);
    std::vector<float> fine(n);
    for (int i = 0; i < n; i++) {
        bytes[4 * i] = (unsigned char)h[i];
        bytes[4 * i + 1] = (unsigned char)i;
        fine[i] = h[i] + 0.5f;
    }
    unsigned char *pixels = copy(bytes);
    float *halves = copy(fine);
    int *two[2] = {bins, copy(std::vector<int>(7))}, both[2] = {5, 5}, low[2] = {0, 0},
        high[2] = {256, 256};
    run([&](void *m, size_t &b) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 2>(m, b, pixels, two, both, low, high,
                                                              n);
    });
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            int expected = 0;
            for (int x = 0; x < n; x++)
                expected += bytes[4 * x + k] / 64 == i;
            CHECK(two[k][i] == expected);
        }
    run([&](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(m, b, halves, bins, 8, -5, 5, n);
    });
    int inside = 0;
    for (int i = 0; i < 7; i++)
        inside += bins[i];
    CHECK(inside == std::count_if(fine.begin(), fine.end(), [](float x) { return x >= -5 && x < 5; }));
    float *levels = copy(std::vector<float>{-50, 0, 1, 400});
    run([&](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramRange(m, b, in, bins, 4, levels, n);
    });
    CHECK(bins[1] == std::count(h.begin(), h.end(), 0));

    const std::vector<int> offsets = {0, 10, 10, 300, 4000, n};
    int *at = copy(offsets);
    run([&](void *m, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(m, b, in, out, 5, at, at + 1);
    });
    for (int i = 0; i < 5; i++)
        CHECK(out[i] == std::accumulate(h.begin() + offsets[i], h.begin() + offsets[i + 1], 0));
    run([&](void *m, size_t &b) {
        return cub::DeviceSegmentedRadixSort::SortKeys(m, b, (const int *)in, out, n, 5, at,
                                                       at + 1);
    });
    e = h;
    for (int i = 0; i < 5; i++)
        std::sort(e.begin() + offsets[i], e.begin() + offsets[i + 1]);
    CHECK(same(out, e));
    puts("ok");
}

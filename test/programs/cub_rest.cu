// LONG ON: vulkan: many kernels to be compiled
// CUB's rarer forms: without memory of the caller's, starts that are read on the device, operators of one's own for
// equality, keys that are taken apart, segments of one size, rows of pixels, views.
#include <algorithm>
#include <cmath>
#include <cub/cub.cuh>
#include <cuda/iterator>
#include <cuda/std/execution>
#include <cuda/std/mdspan>
#include <cuda/stream_ref>
#include <cuda/__execution/require.h>
#include <numeric>
#include <vector>
#include "check.h"

template <class F> static void run(F f)
{
    void *memory = nullptr;
    size_t bytes = 0;
    CUDA(f(memory, bytes));
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
    CUDA(cudaDeviceSynchronize());
    return std::equal(v.begin(), v.end(), p);
}

struct tens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct key {
    short high;
    float low;
    unsigned tag;
};
struct parts {
    __host__ __device__ std::tuple<short &, float &> operator()(key &k) const { return {k.high, k.low}; }
};
struct half_of {
    __host__ __device__ double operator()(int x) const { return x / 2.0; }
};
struct put_place {
    int *to;
    __host__ __device__ void operator()(int i, int x, int y) const { to[i] = 100 * x + y; }
};

static void without_memory(const std::vector<int> &h, int *in, int *out)
{
    const int n = (int)h.size();
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    std::vector<int> want(n);
    CUDA(cub::DeviceScan::InclusiveSum(in, out, n, cuda::stream_ref(s)));
    CUDA(cudaStreamSynchronize(s));
    std::partial_sum(h.begin(), h.end(), want.begin());
    CHECK(same(out, want));
    const auto named = cuda::std::execution::env{cuda::execution::require(cuda::execution::determinism::run_to_run),
                                                 cuda::std::execution::prop{cuda::get_stream_t{}, cuda::stream_ref(s)}};
    CUDA(cub::DeviceReduce::Reduce(in, out, n, cuda::maximum<>(), -5, named));
    CUDA(cudaStreamSynchronize(s));
    CHECK(out[0] == *std::max_element(h.begin(), h.end()));
    CUDA(cub::DeviceReduce::ArgMin(in, out, out + 1, n));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[1] == std::min_element(h.begin(), h.end()) - h.begin() && out[0] == h[out[1]]);
    CUDA(cudaStreamDestroy(s));
}

// What sums are kept in is what the operator makes of a start and an element.
static void types(int *out)
{
    const std::vector<float> f = {0.5f, 0.25f, 1.5f, 2.75f};
    float *in = copy(f), *to = copy(f);
    run([&](void *m, size_t &b) { return cub::DeviceReduce::Reduce(m, b, in, to, 4, cub::Sum(), 1); });
    CHECK(to[0] == 6.0f);
    run([&](void *m, size_t &b) { return cub::DeviceReduce::TransformReduce(m, b, out, to, 3, cub::Sum(), half_of(), 0); });
    CHECK(to[0] == (out[0] + out[1] + out[2]) / 2.0f);
    const std::vector<float> i = {INFINITY, INFINITY};
    float *all = copy(i);
    cub::KeyValuePair<int, float> *pair;
    CUDA(cudaMallocManaged(&pair, sizeof *pair));
    run([&](void *m, size_t &b) { return cub::DeviceReduce::ArgMin(m, b, all, pair, 2); });
    CHECK(pair->key == 0 && pair->value == INFINITY);
    run([&](void *m, size_t &b) { return cub::DeviceReduce::Min(m, b, all, to, 2); });
    CHECK(to[0] == INFINITY);
    run([&](void *m, size_t &b) { return cub::DeviceReduce::ArgMax(m, b, all, pair, 0); });
    CHECK(pair->key == 1 && pair->value == -3.402823466e+38f);
}

static void scans(const std::vector<int> &h, int *in, int *out)
{
    const int n = (int)h.size();
    std::vector<int> want(n), flags(n);
    int *start = copy(std::vector<int>{42});
    run([&](void *m, size_t &b) { return cub::DeviceScan::ExclusiveScan(m, b, in, out, cub::Sum(), cub::FutureValue<int>(start), n); });
    std::exclusive_scan(h.begin(), h.end(), want.begin(), 42);
    CHECK(same(out, want));
    run([&](void *m, size_t &b) { return cub::DeviceScan::InclusiveScanInit(m, b, in, out, cub::Max(), 30, n); });
    std::inclusive_scan(h.begin(), h.end(), want.begin(), [](int a, int b) { return std::max(a, b); }, 30);
    CHECK(same(out, want));
    std::copy(h.begin(), h.end(), out);
    run([&](void *m, size_t &b) { return cub::DeviceScan::ExclusiveScan(m, b, out, cub::Sum(), 7, n); });
    std::exclusive_scan(h.begin(), h.end(), want.begin(), 7);
    CHECK(same(out, want));
    run([&](void *m, size_t &b) { return cub::DeviceScan::InclusiveSumByKey(m, b, in, in, out, n, tens()); });
    for (int i = 0; i < n; i++)
        want[i] = h[i] + (i && h[i] / 10 == h[i - 1] / 10 ? want[i - 1] : 0);
    CHECK(same(out, want));
    int *count = copy(std::vector<int>(1)), *values = copy(h);
    run([&](void *m, size_t &b) { return cub::DeviceSelect::UniqueByKey(m, b, in, values, out, start, count, 0, tens()); });
    CHECK(*count == 0);
    run([&](void *m, size_t &b) { return cub::DeviceSelect::Unique(m, b, in, out, count, n, tens()); });
    want.clear();
    std::unique_copy(h.begin(), h.end(), std::back_inserter(want), tens());
    CHECK(*count == (int)want.size() && same(out, want));
}

static void sorts(int n)
{
    std::vector<key> k(n);
    unsigned s = 77;
    for (key &x : k) {
        s = s * 1664525u + 1013904223u;
        x = key{(short)((int)(s >> 28) - 8), (float)((int)(s >> 20 & 15) - 8) / 4, s >> 8 & 7};
    }
    key *in = copy(k), *out = copy(k);
    std::vector<key> want = k;
    const auto equal = [&](const key *p) {
        CUDA(cudaDeviceSynchronize());
        return std::equal(want.begin(), want.end(), p, [](const key &a, const key &b) { return a.high == b.high && a.low == b.low && a.tag == b.tag; });
    };
    run([&](void *m, size_t &b) { return cub::DeviceRadixSort::SortKeys(m, b, in, out, n, parts()); });
    std::stable_sort(want.begin(), want.end(), [](const key &a, const key &b) { return std::tie(a.high, a.low) < std::tie(b.high, b.low); });
    CHECK(equal(out));
    cub::DoubleBuffer<key> both(in, out);
    std::copy(k.begin(), k.end(), in);
    run([&](void *m, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(m, b, both, n, parts(), 32, 48); });
    want = k; // bits 32 to 47: the short, with its sign
    std::stable_sort(want.begin(), want.end(), [](const key &a, const key &b) { return b.high < a.high; });
    CHECK(equal(both.Current()));

    std::vector<float> f(n), less;
    for (int i = 0; i < n; i++)
        f[i] = k[i].low * (i % 3 + 1);
    std::vector<__half> h(f.begin(), f.end());
    __half *half_in = copy(h), *half_out = copy(h);
    run([&](void *m, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(m, b, half_in, half_out, n); });
    std::sort(f.begin(), f.end(), std::greater<float>());
    for (int i = 0; i < n; i++)
        CHECK(__half2float(half_out[i]) == f[i]);
    std::vector<int> keys(n), at(n), ends = {0, n / 3, n / 3, n};
    for (int i = 0; i < n; i++)
        keys[i] = k[i].high * 10 + (int)k[i].tag, at[i] = i;
    cub::DoubleBuffer<int> dk(copy(keys), copy(keys)), dv(copy(at), copy(at));
    int *offsets = copy(ends);
    run([&](void *m, size_t &b) { return cub::DeviceSegmentedSort::StableSortPairs(m, b, dk, dv, n, 3, offsets, offsets + 1); });
    for (int g = 0; g < 3; g++)
        std::stable_sort(at.begin() + ends[g], at.begin() + ends[g + 1], [&](int a, int b) { return keys[a] < keys[b]; });
    CHECK(same(dv.Current(), at));
}

static void shapes(const std::vector<int> &h, int *in, int *out)
{
    run([&](void *m, size_t &b) { return cub::DeviceSegmentedReduce::Sum(m, b, in, out, 20, 25); });
    for (int g = 0; g < 20; g++)
        CHECK(out[g] == std::accumulate(h.begin() + 25 * g, h.begin() + 25 * g + 25, 0));
    // Two rows of ten pixels of three channels, forty samples from one to the next.
    int counts[2][4] = {}, *to[2] = {out, out + 50}, levels[2] = {5, 5}, low[2] = {0, 10}, high[2] = {40, 50};
    run([&](void *m, size_t &b) { return (cub::DeviceHistogram::MultiHistogramEven<3, 2>(m, b, in, to, levels, low, high, 10, 2, 40 * sizeof(int))); });
    for (int r = 0; r < 2; r++)
        for (int p = 0; p < 10; p++)
            for (int c = 0; c < 2; c++) {
                const int x = h[r * 40 + p * 3 + c];
                if (x >= low[c] && x < high[c])
                    counts[c][(x - low[c]) / 10]++;
            }
    for (int b = 0; b < 4; b++)
        CHECK(out[b] == counts[0][b] && out[50 + b] == counts[1][b]);
    CUDA(cub::DeviceFor::ForEachInExtents(cuda::std::extents<int, 3, 4>(), put_place{out}));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; i++)
        CHECK(out[i] == i / 4 * 100 + i % 4);
    typedef cuda::std::extents<int, 4, 5> matrix;
    cuda::std::mdspan<int, matrix, cuda::std::layout_right> rows(in, matrix());
    cuda::std::mdspan<int, matrix, cuda::std::layout_left> columns(out, matrix());
    CUDA(cub::DeviceCopy::Copy(rows, columns));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 20; i++)
        CHECK(out[i] == h[i % 4 * 5 + i / 4]);
    CUDA(cub::DeviceTransform::TransformIf(std::make_tuple(in, cuda::counting_iterator<int>(0)), out, 20,
                                           [] __host__ __device__(int, int i) { return i % 2 == 0; },
                                           [] __host__ __device__(int x, int i) { return x + 1000 * i; }));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == h[0] && out[1] == h[5] && out[2] == h[2] + 2000);
    CUDA(cub::DeviceReduce::Sum(cuda::make_strided_iterator(in, 5), out, 100));
    CUDA(cudaDeviceSynchronize());
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += h[5 * i];
    CHECK(out[0] == sum);
}

// A block's own: keys taken apart, runs, sums of a thread's items.
__global__ void blocks(const key *keys, int *tags, int *decoded, int *sums)
{
    typedef cub::BlockRadixSort<key, 64, 2> sort;
    typedef cub::BlockRunLengthDecode<int, 64, 1, 3> runs;
    __shared__ union {
        typename sort::TempStorage sort;
        typename runs::TempStorage runs;
    } temp;
    key own[2] = {keys[2 * threadIdx.x], keys[2 * threadIdx.x + 1]};
    sort(temp.sort).SortDescending(own, parts());
    for (int i = 0; i < 2; i++)
        tags[2 * threadIdx.x + i] = own[i].high * 1000 + (int)(own[i].low * 4);
    __syncthreads();
    int item[1] = {(int)threadIdx.x}, length[1] = {(int)threadIdx.x % 4}, total, out[3], place[3];
    runs decode(temp.runs, item, length, total);
    decode.RunLengthDecode(out, place);
    for (int i = 0; i < 3; i++)
        if ((int)threadIdx.x * 3 + i < total)
            decoded[threadIdx.x * 3 + i] = out[i] * 10 + place[i];
    sums[threadIdx.x] = cub::ThreadReduce(out, cub::Max()) + (cub::MatchAny<2>(threadIdx.x) & 0x10 ? 1000 : 0) +
                        (int)cub::LowerBound(decoded, 0, 5);
}
static void in_blocks()
{
    std::vector<key> k(128);
    for (int i = 0; i < 128; i++)
        k[i] = key{(short)(i * 37 % 11 - 5), (float)(i * 29 % 8 - 4) / 4, 0};
    int *tags = copy(std::vector<int>(128)), *decoded = copy(std::vector<int>(192, -1)), *sums = copy(std::vector<int>(64));
    blocks<<<1, 64>>>(copy(k), tags, decoded, sums);
    CUDA(cudaDeviceSynchronize());
    std::stable_sort(k.begin(), k.end(), [](const key &a, const key &b) { return std::tie(b.high, b.low) < std::tie(a.high, a.low); });
    for (int i = 0; i < 128; i++)
        CHECK(tags[i] == k[i].high * 1000 + (int)(k[i].low * 4));
    int at = 0;
    for (int t = 0; t < 64; t++)
        for (int p = 0; p < t % 4; p++, at++)
            CHECK(decoded[at] == t * 10 + p);
    CHECK(at == 96 && decoded[96] == -1);
    for (int t = 0; t < 32; t++)
        CHECK(sums[t] == decoded[3 * t + 2] / 10 + (t % 4 == 0 ? 1000 : 0));
}

int main()
{
    const int n = 501;
    std::vector<int> h(n);
    unsigned s = 5;
    for (int &x : h)
        x = (int)((s = s * 1664525u + 1013904223u) >> 24) % 50;
    int *in = copy(h), *out = copy(h);
    without_memory(h, in, out);
    types(in);
    scans(h, in, out);
    sorts(700);
    shapes(h, in, out);
    in_blocks();
    puts("ok");
}

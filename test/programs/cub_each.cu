// LONG ON: vulkan: many kernels to be compiled
// LONG ON: cpu: many kernels to be compiled
// CUB's functions that put each element by itself, and the rarer forms of selections, scans and runs.
#include <algorithm>
#include <cub/cub.cuh>
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

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct is_small {
    __host__ __device__ bool operator()(int x) const { return x < 20; }
};
struct line {
    __host__ __device__ int operator()(int x, int y) const { return 3 * x + y; }
};
struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
struct add_to {
    __host__ __device__ void operator()(int &x) const { x += 7; }
};

int main()
{
    const int n = 3001;
    std::vector<int> h(n);
    unsigned s = 5;
    for (int &x : h)
        x = (int)((s = s * 1664525u + 1013904223u) >> 24) % 50;
    int *a = copy(h), *b = copy(h), *out = copy(h), *more = copy(h), *rest = copy(h), *count = copy(h);
    std::vector<int> want(n), odd, small, others;

    CUDA(cub::DeviceTransform::Transform(std::make_tuple(a, b), out, n, line()));
    for (int i = 0; i < n; i++)
        want[i] = 4 * h[i];
    CHECK(same(out, want));
    CUDA(cub::DeviceTransform::Transform(a, out, n, twice()));
    for (int i = 0; i < n; i++)
        want[i] = 2 * h[i];
    CHECK(same(out, want));
    CUDA(cub::DeviceTransform::Fill(out, n, 9));
    CHECK(same(out, std::vector<int>(n, 9)));

    run([&](void *m, size_t &z) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(m, z, a, out, n); });
    std::adjacent_difference(h.begin(), h.end(), want.begin());
    CHECK(same(out, want));
    run([&](void *m, size_t &z) { return cub::DeviceAdjacentDifference::SubtractRight(m, z, b, n); });
    for (int i = 0; i < n; i++)
        want[i] = i + 1 < n ? h[i] - h[i + 1] : h[i];
    CHECK(same(b, want));

    for (int x : h)
        (is_odd()(x) ? odd : is_small()(x) ? small : others).push_back(x);
    run([&](void *m, size_t &z) { return cub::DevicePartition::If(m, z, a, out, more, rest, count, n, is_odd(), is_small()); });
    CHECK(same(out, odd) && same(more, small) && same(rest, others) && count[0] == (int)odd.size() && count[1] == (int)small.size());
    std::copy(h.begin(), h.end(), b);
    run([&](void *m, size_t &z) { return cub::DeviceSelect::If(m, z, b, count, n, is_odd()); });
    CHECK(same(b, odd) && count[0] == (int)odd.size());
    std::copy(h.begin(), h.end(), b);
    for (int i = 0; i < n; i++)
        more[i] = h[i] & 1;
    run([&](void *m, size_t &z) { return cub::DeviceSelect::Flagged(m, z, b, more, count, n); });
    CHECK(same(b, odd) && count[0] == (int)odd.size());
    run([&](void *m, size_t &z) { return cub::DeviceSelect::FlaggedIf(m, z, a, a, out, count, n, is_odd()); });
    CHECK(same(out, odd) && count[0] == (int)odd.size());

    run([&](void *m, size_t &z) { return cub::DeviceScan::InclusiveScanInit(m, z, a, out, cub::Sum(), 100, n); });
    std::partial_sum(h.begin(), h.end(), want.begin());
    for (int &x : want)
        x += 100;
    CHECK(same(out, want));
    std::copy(h.begin(), h.end(), b);
    run([&](void *m, size_t &z) { return cub::DeviceScan::ExclusiveSum(m, z, b, n); });
    CHECK(b[0] == 0 && b[n - 1] == want[n - 2] - 100);

    std::vector<int> runs = {4, 4, 1, 7, 7, 7, 2, 2, 9};
    int *r = copy(runs);
    run([&](void *m, size_t &z) { return cub::DeviceRunLengthEncode::NonTrivialRuns(m, z, r, out, more, count, (int)runs.size()); });
    CHECK(count[0] == 3 && same(out, {0, 3, 6}) && same(more, {2, 3, 2}));

    std::vector<int> left(h.begin(), h.begin() + 1000), right(h.begin() + 1000, h.end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    int *l = copy(left), *g = copy(right);
    run([&](void *m, size_t &z) { return cub::DeviceMerge::MergeKeys(m, z, l, (int)left.size(), g, (int)right.size(), out); });
    std::merge(left.begin(), left.end(), right.begin(), right.end(), want.begin());
    CHECK(same(out, want));

    run([&](void *m, size_t &z) { return cub::DeviceTopK::MaxKeys(m, z, a, out, n, 10); });
    std::sort(out, out + 10, [](int x, int y) { return x > y; });
    std::sort(want.begin(), want.end(), [](int x, int y) { return x > y; });
    want.resize(10);
    CHECK(same(out, want));

    std::vector<int> offsets = {0, 10, 10, 500, n};
    int *o = copy(offsets);
    cub::KeyValuePair<int, int> *pairs;
    CUDA(cudaMallocManaged(&pairs, 4 * sizeof *pairs));
    run([&](void *m, size_t &z) { return cub::DeviceSegmentedReduce::ArgMin(m, z, a, pairs, 4, o, o + 1); });
    for (int k = 0; k < 4; k++)
        if (offsets[k] < offsets[k + 1]) {
            const int at = (int)(std::min_element(h.begin() + offsets[k], h.begin() + offsets[k + 1]) - h.begin()) - offsets[k];
            CHECK(pairs[k].key == at && pairs[k].value == h[offsets[k] + at]);
        } else
            CHECK(pairs[k].key == 1);
    run([&](void *m, size_t &z) { return cub::DeviceSegmentedReduce::ArgMax(m, z, a, pairs, 4, o, o + 1); });
    CHECK(pairs[0].key == (int)(std::max_element(h.begin(), h.begin() + 10) - h.begin()));

    std::vector<int *> from = {a, a + 100}, to = {out, out + 1000};
    std::vector<unsigned> sizes = {64, 7};
    int **f = copy(from), **t = copy(to);
    unsigned *z0 = copy(sizes);
    run([&](void *m, size_t &z) { return cub::DeviceCopy::Batched(m, z, f, t, z0, 2); });
    CHECK(same(out, std::vector<int>(h.begin(), h.begin() + 64)) && same(out + 1000, std::vector<int>(h.begin() + 100, h.begin() + 107)));
    z0[0] = 4 * 31;
    z0[1] = 3;
    out[31] = -1;
    run([&](void *m, size_t &z) { return cub::DeviceMemcpy::Batched(m, z, f, t, z0, 2); });
    CHECK(out[30] == h[30] && out[31] == -1);

    std::copy(h.begin(), h.end(), b);
    CUDA(cub::DeviceFor::ForEachN(b, 500, add_to()));
    CUDA(cudaDeviceSynchronize());
    CHECK(b[499] == h[499] + 7 && b[500] == h[500]);
    puts("ok");
}

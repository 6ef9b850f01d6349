// OPTIONS: -DTERN_PARALLEL_ONCE=1
// LONG ON: interp: nine seconds for what the CPU does in seven; cub_rest and cub_more have the same calls there
// NOT ON: vulkan: it does not promise that blocks progress
// Scans, selections and sorts in one pass, where blocks look back at others, on every device: sizes around tiles, types of
// all widths, orders. With an argument: that many elements, as on a GPU.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <functional>
#include <numeric>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <vector>

static int bad;
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%d: %s", __LINE__, #condition);                                                \
            printf(" " __VA_ARGS__);                                                               \
            puts("");                                                                              \
            bad++;                                                                                 \
        }                                                                                          \
    } while (0)

static uint64_t state = 1;
static uint64_t draw()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

template <class T> struct buffer {
    T *p;
    size_t n;
    explicit buffer(size_t n) : n(n)
    {
        cudaMalloc(&p, (n + 4) * sizeof(T));
    }
    explicit buffer(const std::vector<T> &v) : buffer(v.size())
    {
        cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~buffer()
    {
        cudaFree(p);
    }
    std::vector<T> get(size_t count, size_t from = 0)
    {
        std::vector<T> v(count);
        cudaMemcpy(v.data(), p + from, count * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

template <class F> static void in_two_calls(F f)
{
    size_t bytes = 0;
    cudaError_t e = f((void *)0, bytes);
    buffer<char> memory(bytes);
    if (!e)
        e = f((void *)memory.p, bytes);
    if (!e)
        e = cudaDeviceSynchronize();
    CHECK(e == cudaSuccess, "%s", cudaGetErrorString(e));
}

template <class T> static std::vector<T> numbers(size_t n, uint64_t mask)
{
    std::vector<T> v(n);
    for (T &x : v)
        x = (T)(draw() & mask);
    return v;
}

/* The function x -> a x + b, whose composition does not commute. */
struct line {
    uint32_t a, b;
    bool operator==(const line &o) const
    {
        return a == o.a && b == o.b;
    }
};
struct compose {
    __host__ __device__ line operator()(const line &f, const line &g) const
    {
        return line{f.a * g.a, f.b * g.a + g.b};
    }
};

template <class T> static void test_scan(size_t n)
{
    const std::vector<T> in = numbers<T>(n, 7);
    buffer<T> a(in), b(n);
    std::vector<T> want(n);
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        want[i] = sum = (T)(sum + in[i]);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceScan::InclusiveSum(m, s, a.p, b.p, n); });
    CHECK(b.get(n) == want, "inclusive, %zu of %zu", sizeof(T), n);
    if (n > 3) { /* not aligned */
        in_two_calls([&](void *m, size_t &s) { return cub::DeviceScan::InclusiveSum(m, s, a.p, b.p + 1, n); });
        CHECK(b.get(n, 1) == want, "inclusive, %zu of %zu", sizeof(T), n);
    }
    for (size_t i = n; i-- > 1;)
        want[i] = want[i - 1];
    if (n)
        want[0] = 0;
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceScan::ExclusiveSum(m, s, a.p, a.p, n); });
    CHECK(a.get(n) == want, "exclusive in place, %zu of %zu", sizeof(T), n);
}

static void test_compose(size_t n)
{
    std::vector<line> in(n), want(n);
    for (line &f : in)
        f = line{(uint32_t)draw() | 1, (uint32_t)draw()};
    buffer<line> a(in), b(n);
    line sum = {3, 5};
    for (size_t i = 0; i < n; i++) {
        want[i] = sum;
        sum = compose()(sum, in[i]);
    }
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceScan::ExclusiveScan(m, s, a.p, b.p, compose(), line{3, 5}, n); });
    CHECK(b.get(n) == want, "compositions, %zu", n);
}

struct is_third {
    __host__ __device__ bool operator()(uint32_t x) const
    {
        return x % 3 == 0;
    }
};

template <class T> static void test_select(size_t n)
{
    const std::vector<T> in = numbers<T>(n, 0x13);
    buffer<T> a(in), b(n);
    buffer<int> count(1);
    std::vector<T> want, rest;
    for (T x : in)
        (is_third()((uint32_t)x) ? want : rest).push_back(x);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceSelect::If(m, s, a.p, b.p, count.p, n, is_third()); });
    CHECK(count.get(1)[0] == (int)want.size(), "%d, not %zu of %zu", count.get(1)[0], want.size(), n);
    CHECK(b.get(want.size()) == want, "selected, %zu of %zu", sizeof(T), n);
    in_two_calls([&](void *m, size_t &s) { return cub::DevicePartition::If(m, s, a.p, b.p, count.p, n, is_third()); });
    std::vector<T> parts = want;
    parts.insert(parts.end(), rest.rbegin(), rest.rend());
    CHECK(count.get(1)[0] == (int)want.size() && b.get(n) == parts, "parted, %zu of %zu", sizeof(T), n);
    want = in;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceSelect::Unique(m, s, a.p, b.p, count.p, n); });
    CHECK(count.get(1)[0] == (int)want.size() && b.get(want.size()) == want, "unique, %zu of %zu", sizeof(T), n);
    /* by numbers: what is no memory */
    buffer<uint32_t> c(n);
    std::vector<uint32_t> thirds;
    for (size_t i = 0; i < n; i++)
        if ((i + 5) % 3 == 0)
            thirds.push_back((uint32_t)i + 5);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceSelect::If(m, s, cub::CountingInputIterator<uint32_t>(5), c.p, count.p, n, is_third()); });
    CHECK(count.get(1)[0] == (int)thirds.size() && c.get(thirds.size()) == thirds, "selected by numbers, %zu", n);
}

struct last_of { /* in this order only */
    __host__ __device__ int operator()(int, int b) const
    {
        return b;
    }
};

/* Flags in memory of their own, of the type of the elements: what is chosen goes by them. */
template <class T> static void test_stencil(size_t n)
{
    const std::vector<T> in = numbers<T>(n, 0xff), flags = numbers<T>(n, 3);
    const auto set = [] __host__ __device__(const T &x) { return x == 1; };
    std::vector<T> chosen, others;
    for (size_t i = 0; i < n; i++)
        (set(flags[i]) ? chosen : others).push_back(in[i]);
    buffer<T> a(in), b(flags), c(n), d(n);
    auto ends = thrust::stable_partition_copy(thrust::device, a.p, a.p + n, b.p, c.p, d.p, set);
    CHECK(ends.first == c.p + chosen.size() && ends.second == d.p + others.size(), "%zu of %zu", sizeof(T), n);
    CHECK(c.get(chosen.size()) == chosen && d.get(others.size()) == others, "%zu of %zu", sizeof(T), n);
    buffer<size_t> count(1);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceSelect::FlaggedIf(m, s, a.p, b.p, d.p, count.p, n, set); });
    CHECK(count.get(1)[0] == chosen.size() && d.get(chosen.size()) == chosen, "%zu of %zu", sizeof(T), n);
    CHECK(thrust::remove_if(thrust::device, a.p, a.p + n, b.p, set) == a.p + others.size(), "%zu of %zu", sizeof(T), n);
    CHECK(a.get(others.size()) == others, "%zu of %zu", sizeof(T), n);
}

/* Runs begin at one element of `often`. */
static void test_runs(size_t n, unsigned often)
{
    std::vector<uint32_t> keys(n), want_keys;
    std::vector<int> values(n), want, lasts, lengths, scanned(n);
    for (size_t i = 0; i < n; i++) {
        keys[i] = i && draw() % often ? keys[i - 1] : (uint32_t)draw() % 4;
        values[i] = (int)(draw() % 100);
        if (i && keys[i] == keys[i - 1]) {
            want.back() += values[i];
            lasts.back() = values[i];
            lengths.back()++;
        } else {
            want_keys.push_back(keys[i]);
            want.push_back(values[i]);
            lasts.push_back(values[i]);
            lengths.push_back(1);
        }
        scanned[i] = want.back();
    }
    buffer<uint32_t> k(keys), ko(n);
    buffer<int> v(values), vo(n), count(1);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceReduce::ReduceByKey(m, s, k.p, ko.p, v.p, vo.p, count.p, cub::Sum(), n); });
    CHECK(count.get(1)[0] == (int)want.size(), "%d runs, not %zu, of %zu", count.get(1)[0], want.size(), n);
    CHECK(ko.get(want.size()) == want_keys && vo.get(want.size()) == want, "reduced runs, %zu", n);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceReduce::ReduceByKey(m, s, k.p, ko.p, v.p, vo.p, count.p, last_of(), n); });
    CHECK(ko.get(want.size()) == want_keys && vo.get(want.size()) == lasts, "last of runs, %zu", n);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceRunLengthEncode::Encode(m, s, k.p, ko.p, vo.p, count.p, n); });
    CHECK(ko.get(want.size()) == want_keys && vo.get(want.size()) == lengths, "lengths of runs, %zu", n);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceScan::InclusiveSumByKey(m, s, k.p, v.p, v.p, n); });
    CHECK(v.get(n) == scanned, "scanned runs, %zu", n);
}

template <class L> struct span {
    L first, length;
    bool operator==(const span &other) const
    {
        return first == other.first && length == other.length;
    }
};
struct join_spans { /* in this order only */
    template <class S> __host__ __device__ S operator()(const S &a, const S &b) const
    {
        return S{a.first, (decltype(a.first))(a.length + b.length)};
    }
};

// Runs that end in their tile, in the next one and several tiles on.
template <class K, class L> static void test_lengths(const std::vector<size_t> &lengths)
{
    std::vector<K> keys, want;
    std::vector<L> want_lengths;
    for (size_t k = 0; k < lengths.size(); k++) {
        want.push_back((K)(k % 3));
        want_lengths.push_back((L)lengths[k]);
        keys.insert(keys.end(), lengths[k], want.back());
    }
    const size_t n = keys.size();
    buffer<K> k(keys), ko(n);
    buffer<L> lo(n);
    buffer<int> count(1);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceRunLengthEncode::Encode(m, s, k.p, ko.p, lo.p, count.p, n); });
    CHECK(count.get(1)[0] == (int)want.size(), "%d runs, not %zu, of %zu", count.get(1)[0], want.size(), n);
    CHECK(ko.get(want.size()) == want && lo.get(want.size()) == want_lengths, "lengths of %zu runs of %zu keys of %zu bytes", want.size(), n, sizeof(K));
    std::vector<span<L>> spans(n), want_spans;
    for (size_t i = 0; i < n; i++)
        spans[i] = {(L)i, 1};
    for (size_t i = 0; i < n; i += want_spans.back().length)
        want_spans.push_back({(L)i, want_lengths[want_spans.size()]});
    buffer<span<L>> in(spans), out(n);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceReduce::ReduceByKey(m, s, k.p, ko.p, in.p, out.p, count.p, join_spans(), n); });
    CHECK(count.get(1)[0] == (int)want.size() && ko.get(want.size()) == want && out.get(want.size()) == want_spans, "%zu runs of %zu spans of %zu bytes", want.size(), n,
          sizeof(span<L>));
}

template <class K, class V> static void test_sort(size_t n, uint64_t mask, int from = 0, int to = sizeof(K) * 8)
{
    const std::vector<K> keys = numbers<K>(n, mask);
    std::vector<V> values(n);
    for (size_t i = 0; i < n; i++) {
        memset(&values[i], 0, sizeof(V));
        memcpy(&values[i], &i, sizeof(V) < 8 ? sizeof(V) : 8);
    }
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), (size_t)0);
    const auto bits = [&](K k) {
        const auto u = tern_parallel::key_bits<K>::of(k);
        return (to - from < (int)sizeof(K) * 8 ? (uint64_t)u >> from & ((1ull << (to - from)) - 1) : (uint64_t)u);
    };
    for (int down = 0; down < 2; down++) {
        std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
            return down ? bits(keys[x]) > bits(keys[y]) : bits(keys[x]) < bits(keys[y]);
        });
        buffer<K> a(keys), b(n);
        buffer<V> c(values), d(n);
        in_two_calls([&](void *m, size_t &s) {
            return down ? cub::DeviceRadixSort::SortPairsDescending(m, s, a.p, b.p, c.p, d.p, n, from, to)
                        : cub::DeviceRadixSort::SortPairs(m, s, a.p, b.p, c.p, d.p, n, from, to);
        });
        const std::vector<K> got = b.get(n);
        const std::vector<V> moved = d.get(n);
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += memcmp(&got[i], &keys[order[i]], sizeof(K)) || memcmp(&moved[i], &values[order[i]], sizeof(V));
        CHECK(!wrong, "%zu wrong pairs of %zu, keys %zu, values %zu, down %d", wrong, n, sizeof(K), sizeof(V), down);
        in_two_calls([&](void *m, size_t &s) {
            return down ? cub::DeviceRadixSort::SortKeysDescending(m, s, a.p, b.p, n, from, to) : cub::DeviceRadixSort::SortKeys(m, s, a.p, b.p, n, from, to);
        });
        CHECK(b.get(n) == got, "keys %zu of %zu, down %d", sizeof(K), n, down);
        std::iota(order.begin(), order.end(), (size_t)0);
    }
}

template <class K, class V> static void test_merge_sort(size_t n, uint64_t mask)
{
    const std::vector<K> keys = numbers<K>(n, mask);
    std::vector<V> values(n);
    for (size_t i = 0; i < n; i++)
        values[i] = (V)i;
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), (size_t)0);
    const auto less = [] __host__ __device__(const K &x, const K &y) { return ((uint64_t)x ^ 5) < ((uint64_t)y ^ 5); };
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return less(keys[x], keys[y]); });
    buffer<K> a(keys), alone(keys);
    buffer<V> b(values);
    thrust::stable_sort_by_key(thrust::device, a.p, a.p + n, b.p, less);
    in_two_calls([&](void *m, size_t &s) { return cub::DeviceMergeSort::SortKeys(m, s, alone.p, n, less); });
    const std::vector<K> got = a.get(n);
    const std::vector<V> moved = b.get(n);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += got[i] != keys[order[i]] || moved[i] != values[order[i]];
    CHECK(!wrong, "%zu wrong pairs of %zu, keys %zu, values %zu", wrong, n, sizeof(K), sizeof(V));
    CHECK(alone.get(n) == got, "merged keys %zu of %zu", sizeof(K), n);
}

struct wide { /* goes out straight, not through shared memory */
    uint64_t at;
    char more[32];
};

int main(int argc, char **argv)
{
    const size_t given = argc > 1 ? strtoull(argv[1], 0, 0) : 0;
    std::vector<size_t> sizes = {1, 31, 4095, 4097, 12345};
    if (given)
        sizes = {given, given - 1, given / 3 + 17};
    CHECK(tern_parallel::blocks_progress());
    for (size_t n : sizes) {
        test_scan<uint32_t>(n);
        test_scan<uint64_t>(n);
        test_select<uint32_t>(n);
        test_stencil<uint32_t>(n);
        for (unsigned often : {1u, 5u, 3000u})
            test_runs(n, often);
        test_sort<uint32_t, uint32_t>(n, ~0ull);
        test_merge_sort<uint32_t, uint32_t>(n, 0xffff);
    }
    const size_t n = given ? given : 8000;
    test_scan<uint8_t>(n);
    test_scan<uint16_t>(n);
    test_scan<double>(n);
    test_compose(n);
    test_select<uint64_t>(n);
    test_stencil<uint8_t>(n);
    test_sort<uint64_t, uint8_t>(n, ~0ull);
    test_sort<int16_t, uint64_t>(n, ~0ull, 3, 13);
    test_sort<float, wide>(n, 0xff);
    test_merge_sort<uint64_t, uint64_t>(n, 0xff);
    const std::vector<size_t> lengths = {1, 1, 2, 5000, 3, 13000, 1, 1, 8192, 4096, 700};
    test_lengths<uint8_t, short>(lengths);
    test_lengths<uint32_t, int>(lengths);
    test_lengths<double, long long>(lengths);
    test_lengths<uint32_t, int>({12288});
    test_lengths<uint32_t, short>({4095, 1, 4096, 4097});
    puts(bad ? "FAILED" : "ok");
    return bad != 0;
}

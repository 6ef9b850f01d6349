// LONG ON: cpu: some hundred kernels to be compiled; thrust_sum has a few
// LONG ON: vulkan: some hundred kernels to be compiled; thrust_sum has a few
// OPTIONS: -O0
// Thrust's algorithms on device vectors against the standard library's on the host, for sizes
// around those of blocks and tiles.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static int failed;
#define CHECK(c)                                                                                   \
    do {                                                                                           \
        if (!(c)) {                                                                                \
            printf("%s:%d: %s (n = %d)\n", __FILE__, __LINE__, #c, n);                             \
            failed++;                                                                              \
        }                                                                                          \
    } while (0)

template <class T> std::vector<T> back(const thrust::device_vector<T> &v)
{
    std::vector<T> h(v.size());
    thrust::copy(v.begin(), v.end(), h.begin());
    return h;
}

struct is_odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x & 1;
    }
};
struct square {
    __host__ __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};
struct by_last_digit {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a % 10 < b % 10;
    }
};
struct affine { /* x -> a x + b: composing two does not commute */
    unsigned a, b;
    __host__ __device__ bool operator==(const affine &o) const
    {
        return a == o.a && b == o.b;
    }
};
struct compose {
    __host__ __device__ affine operator()(const affine &f, const affine &g) const
    {
        return affine{f.a * g.a, f.b * g.a + g.b};
    }
};

static std::vector<int> numbers(int n, int range)
{
    std::vector<int> v(n);
    unsigned s = 12345 + n;
    for (int &x : v) {
        s = s * 1664525u + 1013904223u;
        x = (int)(s >> 8) % range - range / 3;
    }
    return v;
}

static void reductions(int n)
{
    std::vector<int> h = numbers(n, 1000);
    thrust::device_vector<int> d = h;
    CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
    CHECK(thrust::reduce(d.begin(), d.end(), -5000, thrust::maximum<int>()) ==
          std::accumulate(h.begin(), h.end(), -5000, [](int a, int b) { return std::max(a, b); }));
    long long squares = 0;
    for (int x : h)
        squares += (long long)x * x;
    CHECK(thrust::transform_reduce(d.begin(), d.end(), square(), 0LL, thrust::plus<long long>()) ==
          squares);
    CHECK(thrust::inner_product(d.begin(), d.end(), d.begin(), 0LL) == squares);
    CHECK(thrust::count_if(d.begin(), d.end(), is_odd()) ==
          std::count_if(h.begin(), h.end(), is_odd()));
    CHECK(thrust::count(d.begin(), d.end(), 7) == std::count(h.begin(), h.end(), 7));
    CHECK(thrust::find(d.begin(), d.end(), 7) - d.begin() ==
          std::find(h.begin(), h.end(), 7) - h.begin());
    CHECK(thrust::find_if(d.begin(), d.end(), is_odd()) - d.begin() ==
          std::find_if(h.begin(), h.end(), is_odd()) - h.begin());
    CHECK(thrust::min_element(d.begin(), d.end()) - d.begin() ==
          std::min_element(h.begin(), h.end()) - h.begin());
    CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() ==
          std::max_element(h.begin(), h.end()) - h.begin());
    CHECK(thrust::any_of(d.begin(), d.end(), is_odd()) ==
          std::any_of(h.begin(), h.end(), is_odd()));
    CHECK(thrust::all_of(d.begin(), d.end(), is_odd()) ==
          std::all_of(h.begin(), h.end(), is_odd()));
    thrust::device_vector<int> e = d;
    CHECK(thrust::equal(d.begin(), d.end(), e.begin()) && d == e);
    if (n > 3) {
        e[n / 2] = -999999;
        CHECK(!thrust::equal(d.begin(), d.end(), e.begin()) && d != e);
        CHECK(thrust::mismatch(d.begin(), d.end(), e.begin()).first - d.begin() == n / 2);
    }
}

static void scans(int n)
{
    std::vector<int> h = numbers(n, 100), expect(n);
    thrust::device_vector<int> d = h, out(n);
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    std::partial_sum(h.begin(), h.end(), expect.begin());
    CHECK(back(out) == expect);
    thrust::exclusive_scan(d.begin(), d.end(), d.begin(), 11); /* in place */
    int sum = 11;
    for (int i = 0; i < n; i++) {
        expect[i] = sum;
        sum += h[i];
    }
    CHECK(back(d) == expect);
    std::vector<affine> f(n), g(n);
    for (int i = 0; i < n; i++)
        f[i] = affine{(unsigned)i * 2 + 1, (unsigned)h[i]};
    thrust::device_vector<affine> df = f;
    thrust::inclusive_scan(df.begin(), df.end(), df.begin(), compose());
    std::partial_sum(f.begin(), f.end(), g.begin(), compose());
    CHECK(back(df) == g);

    /* by key */
    std::vector<int> keys(n), want(n), want_before(n), want_keys, want_sums;
    for (int i = 0; i < n; i++)
        keys[i] = i / 7 % 3 + (i > 1000 ? i / 900 : 0);
    for (int i = 0, k = 0; i < n; i++) {
        const bool head = i == 0 || keys[i] != keys[i - 1];
        k = head ? h[i] : k + h[i];
        want[i] = k;
        want_before[i] = head ? 5 : want_before[i - 1] + h[i - 1];
        if (head) {
            want_keys.push_back(keys[i]);
            want_sums.push_back(0);
        }
        want_sums.back() = k;
    }
    thrust::device_vector<int> dk = keys, dv = h, ko(n), vo(n);
    thrust::inclusive_scan_by_key(dk.begin(), dk.end(), dv.begin(), vo.begin());
    CHECK(back(vo) == want);
    thrust::exclusive_scan_by_key(dk.begin(), dk.end(), dv.begin(), vo.begin(), 5);
    CHECK(back(vo) == want_before);
    auto ends = thrust::reduce_by_key(dk.begin(), dk.end(), dv.begin(), ko.begin(), vo.begin());
    ko.resize(ends.first - ko.begin());
    vo.resize(ends.second - vo.begin());
    CHECK(back(ko) == want_keys && back(vo) == want_sums);
}

template <class T> static void sorts_of(int n)
{
    std::vector<T> h(n);
    std::vector<int> values(n), order(n);
    std::vector<int> r = numbers(n, 3000);
    for (int i = 0; i < n; i++)
        h[i] = (T)(r[i]) / (T)2;
    thrust::device_vector<T> d = h;
    thrust::sort(d.begin(), d.end());
    std::vector<T> s = h;
    std::sort(s.begin(), s.end());
    CHECK(back(d) == s && thrust::is_sorted(d.begin(), d.end()));
    d = h;
    thrust::sort(d.begin(), d.end(), thrust::greater<T>());
    std::reverse(s.begin(), s.end());
    CHECK(back(d) == s);
    d = h;
    thrust::device_vector<int> v(n);
    thrust::sequence(v.begin(), v.end());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
    thrust::stable_sort_by_key(d.begin(), d.end(), v.begin());
    CHECK(back(v) == order);
}
static void sorts(int n)
{
    sorts_of<int>(n);
    sorts_of<unsigned char>(n);
    sorts_of<float>(n);
    sorts_of<double>(n);
    sorts_of<long long>(n);
    std::vector<int> h = numbers(n, 3000);
    for (int &x : h)
        x = abs(x);
    thrust::device_vector<int> d = h;
    thrust::stable_sort(d.begin(), d.end(), by_last_digit());
    std::stable_sort(h.begin(), h.end(), by_last_digit());
    CHECK(back(d) == h);
}

static void selections(int n)
{
    std::vector<int> h = numbers(n, 50), e;
    thrust::device_vector<int> d = h, out(n);
    auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), is_odd());
    std::copy_if(h.begin(), h.end(), std::back_inserter(e), is_odd());
    out.resize(end - out.begin());
    CHECK(back(out) == e);
    out = d;
    out.erase(thrust::remove_if(out.begin(), out.end(), is_odd()), out.end());
    e = h;
    e.erase(std::remove_if(e.begin(), e.end(), is_odd()), e.end());
    CHECK(back(out) == e);
    out = d;
    const auto middle = thrust::stable_partition(out.begin(), out.end(), is_odd());
    e = h;
    CHECK(std::stable_partition(e.begin(), e.end(), is_odd()) - e.begin() == middle - out.begin());
    CHECK(back(out) == e);
    std::sort(h.begin(), h.end());
    d = h;
    thrust::device_vector<int> first(n);
    thrust::sequence(first.begin(), first.end());
    thrust::device_vector<int> keys = d;
    const auto ends = thrust::unique_by_key(keys.begin(), keys.end(), first.begin());
    e = h;
    e.erase(std::unique(e.begin(), e.end()), e.end());
    keys.resize(ends.first - keys.begin());
    CHECK(back(keys) == e && thrust::unique_count(d.begin(), d.end()) == (int)e.size());
    for (size_t i = 0; i < e.size(); i += e.size() / 5 + 1)
        CHECK(first[i] == std::find(h.begin(), h.end(), e[i]) - h.begin());
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    CHECK(back(d) == e);
}

static void sorted_ranges(int n)
{
    std::vector<int> a = numbers(n, 400), b = numbers(n / 2 + 3, 300), e(a.size() + b.size());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> da = a, db = b, out(e.size());
    thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), e.begin());
    CHECK(back(out) == e);
    thrust::device_vector<int> tags(a.size(), 1), others(b.size(), 2), tags_out(out.size());
    thrust::merge_by_key(da.begin(), da.end(), db.begin(), db.end(), tags.begin(), others.begin(),
                         out.begin(), tags_out.begin());
    CHECK(back(out) == e && thrust::count(tags_out.begin(), tags_out.end(), 2) == (int)b.size());
#define SET(name)                                                                                  \
    e.clear();                                                                                     \
    out.resize(a.size() + b.size());                                                               \
    std::name(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(e));                      \
    out.resize(thrust::name(da.begin(), da.end(), db.begin(), db.end(), out.begin()) -             \
               out.begin());                                                                       \
    CHECK(back(out) == e);
    SET(set_intersection)
    SET(set_difference)
    SET(set_union)
    SET(set_symmetric_difference)
    thrust::device_vector<int> at(b.size());
    thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), at.begin());
    for (size_t i = 0; i < b.size(); i += b.size() / 7 + 1)
        CHECK(at[i] == std::lower_bound(a.begin(), a.end(), b[i]) - a.begin());
    CHECK(thrust::upper_bound(da.begin(), da.end(), 17) - da.begin() ==
          std::upper_bound(a.begin(), a.end(), 17) - a.begin());
    CHECK(thrust::binary_search(da.begin(), da.end(), 17) ==
          std::binary_search(a.begin(), a.end(), 17));
}

static void moves(int n)
{
    std::vector<int> h = numbers(n, 100), map(n);
    for (int i = 0; i < n; i++)
        map[i] = n - 1 - i;
    thrust::device_vector<int> d = h, m = map, a(n), b(n);
    thrust::gather(m.begin(), m.end(), d.begin(), a.begin());
    thrust::scatter(d.begin(), d.end(), m.begin(), b.begin());
    std::reverse(h.begin(), h.end());
    CHECK(back(a) == h && back(b) == h);
}

int main()
{
    const int sizes[] = {0, 1, 255, 257, 2049, 5000};
    for (int n : sizes) {
        reductions(n);
        scans(n);
        selections(n);
        sorted_ranges(n);
        moves(n);
    }
    for (int n : {0, 1, 1000, 4097})
        sorts(n);
    puts(failed ? "failed" : "ok");
    return failed != 0;
}

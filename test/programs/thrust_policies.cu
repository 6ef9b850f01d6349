// LONG ON: vulkan: some thirty kernels to be compiled; thrust_sum has a few
// Thrust: policies of the program's own, tags, sets of keys with values, iterators that work on what is written.
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/offset_iterator.h>
#include <thrust/iterator/retag.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/mr/host_memory_resource.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/system/cpp/memory.h>
#include <thrust/system/cpp/vector.h>
#include <thrust/universal_vector.h>
#include "check.h"
#include <list>
#include <sstream>
#include <vector>

struct counted : thrust::device_execution_policy<counted> {
    int calls = 0;
    counted() = default;
    counted(const counted &) = delete;
};
struct tag : thrust::device_execution_policy<tag> {
};
template <class I> void sort(counted &c, I, I) { c.calls++; }
template <class I> void sort(tag, I first, I) { *first = 13; }

// Whatever policy: the program's, or one of Thrust's.
template <class D, class I> int sum_with(const thrust::execution_policy<D> &p, I first, I last)
{
    return thrust::reduce(static_cast<const D &>(p), first, last);
}

static void policies()
{
    thrust::device_vector<int> v(10, 2);
    counted c;
    thrust::sort(c, v.begin(), v.end());
    CHECK(c.calls == 1);
    thrust::sort(thrust::retag<tag>(v.begin()), thrust::retag<tag>(v.end()));
    CHECK(v[0] == 13);
    v[1] = 1; // there is no stable_sort of theirs
    thrust::stable_sort(c, v.begin(), v.end());
    CHECK(v[0] == 1 && v[9] == 13 && c.calls == 1);
    CHECK(thrust::reduce(thrust::retag<tag>(v.begin()), thrust::retag<tag>(v.end())) == 30);
    CHECK(sum_with(thrust::device, v.begin(), v.end()) == 30);
    CHECK(sum_with(thrust::cuda::par.on(0), v.begin(), v.end()) == 30);
    CHECK(sum_with(c, v.begin(), v.end()) == 30);
    int host[] = {1, 2, 3};
    CHECK(sum_with(thrust::seq, host, host + 3) == 6 && sum_with(thrust::host, host, host + 3) == 6);
    CHECK(thrust::reduce(thrust::system::cuda::tag(), v.begin(), v.end()) == 30);
    CHECK(thrust::reduce(thrust::cpp::tag(), host, host + 3) == 6);
    thrust::fill(thrust::retag<tag>(v.begin()), thrust::retag<tag>(v.end()), 3);
    thrust::copy(c, v.begin(), v.begin() + 2, v.begin() + 5);
    CHECK(v[9] == 3);
}

static void sets()
{
    const int a[] = {1, 2, 2, 5, 7}, b[] = {2, 3, 5, 5}, av[] = {10, 20, 21, 50, 70}, bv[] = {-2, -3, -5, -6};
    thrust::device_vector<int> k(a, a + 5), l(b, b + 4), v(av, av + 5), w(bv, bv + 4), ko(9), vo(9);
    auto is = [&](thrust::pair<thrust::device_vector<int>::iterator, thrust::device_vector<int>::iterator> end,
                  std::vector<int> keys, std::vector<int> values) {
        ko.resize(end.first - ko.begin());
        vo.resize(end.second - vo.begin());
        const bool same = keys == ko && values == vo && !(keys != ko);
        ko.resize(9);
        vo.resize(9);
        return same;
    };
    CHECK(is(thrust::set_union_by_key(k.begin(), k.end(), l.begin(), l.end(), v.begin(), w.begin(), ko.begin(), vo.begin()),
             {1, 2, 2, 3, 5, 5, 7}, {10, 20, 21, -3, 50, -6, 70}));
    CHECK(is(thrust::set_difference_by_key(k.begin(), k.end(), l.begin(), l.end(), v.begin(), w.begin(), ko.begin(),
                                           vo.begin()),
             {1, 2, 7}, {10, 21, 70}));
    CHECK(is(thrust::set_symmetric_difference_by_key(thrust::device, k.begin(), k.end(), l.begin(), l.end(), v.begin(),
                                                     w.begin(), ko.begin(), vo.begin()),
             {1, 2, 3, 5, 7}, {10, 21, -3, -6, 70}));
    CHECK(is(thrust::set_intersection_by_key(k.begin(), k.end(), l.begin(), l.end(), v.begin(), ko.begin(), vo.begin()),
             {2, 5}, {20, 50}));
    int hk[9], hv[9];
    auto end = thrust::set_union_by_key(thrust::host, a, a + 5, b, b + 4, av, bv, hk, hv, thrust::less<int>());
    CHECK(end.first - hk == 7 && hv[3] == -3);
}

struct place {
    int *to;
    __host__ __device__ void operator()(long i, int v) { to[i] = (int)(v * 10 + i); }
};
struct side { // 1: a kernel ran it
    int *to;
    __host__ __device__ void operator()(int i) const
    {
#ifdef __CUDA_ARCH__
        to[i] = 1;
#else
        to[i] = 2;
#endif
    }
};
struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
struct half_of {
    __host__ __device__ int operator()(int x) const { return x / 2; }
};

static void iterators()
{
    thrust::device_vector<int> v(8, 0), w(8);
    thrust::counting_iterator<int> from(1);
    thrust::copy(from, from + 8, thrust::make_tabulate_output_iterator(place{thrust::raw_pointer_cast(v.data())}));
    CHECK(v[0] == 10 && v[7] == 87);
    const side which{thrust::raw_pointer_cast(w.data())};
    thrust::for_each(from - 1, from + 7, which); // numbers have no place: the device is taken
    CHECK(w[0] == 1 && w[7] == 1);
    int here[8];
    thrust::for_each(thrust::host, from - 1, from + 7, side{here});
    CHECK(here[7] == 2);
    auto both = thrust::make_transform_input_output_iterator(v.begin(), twice(), half_of());
    thrust::copy(from, from + 8, both); // halves are kept
    CHECK(v[7] == 4 && thrust::reduce(both, both + 8) == 2 * (0 + 1 + 1 + 2 + 2 + 3 + 3 + 4));
    thrust::offset_iterator<thrust::device_vector<int>::iterator> behind(v.begin(), 6);
    CHECK(*behind == 3 && behind[1] == 4);
    std::list<int> walked{4, 5, 6};
    thrust::copy_n(walked.begin(), 3, v.begin());
    CHECK(v[2] == 6);
}

struct swapped {
    int v;
};
__host__ __device__ void swap(swapped &a, swapped &b) // leaves a mark
{
    const int t = a.v;
    a.v = b.v + 100;
    b.v = t + 100;
}

static void others()
{
    thrust::device_vector<swapped> a(3, swapped{1}), b(3, swapped{2});
    thrust::swap_ranges(a.begin(), a.end(), b.begin());
    CHECK(((swapped)a[2]).v == 102 && ((swapped)b[0]).v == 101);
    thrust::host_vector<int, thrust::mr::stateless_resource_allocator<int, thrust::host_memory_resource>> h(3, 7);
    thrust::cpp::vector<int> c(h.begin(), h.end());
    CHECK(c.size() == 3 && c[2] == 7);
    thrust::device_ptr<int> none;
    CHECK(nullptr == none && !(nullptr != none));
    std::stringstream text;
    thrust::complex<float> z(1.5f, -2), y;
    text << z;
    text >> y;
    CHECK(y == z && z == std::complex<float>(1.5f, -2) && !(std::complex<float>() == z));
    CHECK(abs(thrust::pow(z, 2) - z * z) < 1e-5f && sizeof thrust::pow(z, 2.0) == 16);
    thrust::device_vector<int> n(4), yes(4), no(4), flags(4, 0);
    thrust::sequence(n.begin(), n.end());
    flags[1] = flags[3] = 1;
    auto parts = thrust::partition_copy(n.begin(), n.end(), flags.begin(), yes.begin(), no.begin(), thrust::identity<int>());
    CHECK(parts.first - yes.begin() == 2 && parts.second - no.begin() == 2 && yes[1] == 3 && no[1] == 2);
    thrust::device_reference<int> first(n.data()), last(n.data() + 3);
    first.swap(last);
    CHECK(n[0] == 3 && n[3] == 0);
    thrust::discard_iterator<thrust::device_system_tag> nowhere, behind = nowhere + 4;
    CHECK(behind - nowhere == 4);
    thrust::universal_vector<int> u(4, 3);
    CHECK(u[3] == 3);
}

int main()
{
    policies();
    sets();
    iterators();
    others();
    puts("ok");
}

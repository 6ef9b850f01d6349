// LONG ON: vulkan: some twenty kernels to be compiled; thrust_sum and thrust_headers have some such
// Expressions of placeholders: all operators, those that change an element among them.
#include <cstdio>
#include <thrust/complex.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>
#include <thrust/zip_function.h>
#include <vector>
#define CHECK(x) ((x) ? 0 : printf("%d: %s\n", __LINE__, #x))
using namespace thrust::placeholders;

template <class V> static bool are(const V &v, std::vector<int> want)
{
    std::vector<int> got(v.size());
    thrust::copy(v.begin(), v.end(), got.begin());
    return got == want;
}

template <class V> static void all()
{
    V x(std::vector<int>{1, 2, 3, 4}), y(4);
    thrust::transform(x.begin(), x.end(), y.begin(), +_1 << 2);
    CHECK(are(y, {4, 8, 12, 16}));
    thrust::transform(y.begin(), y.end(), x.begin(), y.begin(), (_1 >> 1) - _2 * 2);
    CHECK(are(y, {0, 0, 0, 0}));
    thrust::for_each(x.begin(), x.end(), _1 += 10);
    CHECK(are(x, {11, 12, 13, 14}));
    thrust::for_each(x.begin(), x.end(), (_1 -= 1) *= 2);
    CHECK(are(x, {20, 22, 24, 26}));
    thrust::for_each(x.begin(), x.end(), _1 %= 7);
    CHECK(are(x, {6, 1, 3, 5}));
    thrust::for_each(x.begin(), x.end(), ++_1);
    thrust::transform(x.begin(), x.end(), y.begin(), _1--);
    CHECK(are(x, {6, 1, 3, 5}) && are(y, {7, 2, 4, 6}));
    thrust::for_each(x.begin(), x.end(), (_1 <<= 2) |= 1);
    CHECK(are(x, {25, 5, 13, 21}));
    thrust::transform_inclusive_scan(y.begin(), y.end(), x.begin(), _1 * 2, 100, thrust::plus<int>());
    CHECK(are(x, {114, 118, 126, 138}));
    thrust::transform(y.begin(), y.end(), x.begin(), _1 + 18);
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    thrust::for_each(pairs, pairs + 4, thrust::make_zip_function(_1 ^= _2));
    CHECK(are(x, {25 ^ 7, 20 ^ 2, 22 ^ 4, 24 ^ 6}));
}

int main()
{
    all<thrust::host_vector<int>>();
    all<thrust::device_vector<int>>();
    auto squares = _1 * _1 + _2 * _2;
    decltype(squares) same;
    int a = 2, b = 3;
    CHECK(squares(2, 3) == 13 && same(a, b) == 13);
    CHECK((_1 += _2)(a, b) == 5 && a == 5);
    thrust::device_vector<int> d(std::vector<int>{1, 2, 3, 4, 5});
    CHECK(thrust::count_if(d.begin(), d.end(), thrust::not_fn(_1 > 2)) == 2);
    CHECK(thrust::complex<float>(1.5f, 0) == 1.5 && 2 != thrust::complex<double>(2, 1));
    puts("ok");
}

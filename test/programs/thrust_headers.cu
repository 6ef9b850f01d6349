// What <thrust/device_vector.h> alone brings, as CUDA's own does: programs rely on it.
#include <thrust/device_vector.h>
#include <thrust/detail/cstdint.h>
#include <thrust/detail/static_assert.h>
#include "check.h"

THRUST_STATIC_ASSERT(sizeof(thrust::detail::uint16_t) == 2 && std::is_same<int, int>::value);
THRUST_STATIC_ASSERT_MSG(sizeof(thrust::detail::int64_t) == 8, "eight bytes");

struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
struct seven {
    __host__ __device__ int operator()() const { return 7; }
};
struct none {
    __host__ __device__ void operator()(int) const {}
};

int main()
{
    thrust::device_vector<int> a(100, 3), b(100), c(100);
    thrust::transform(a.begin(), a.end(), b.begin(), twice());
    CHECK(thrust::reduce(b.begin(), b.end()) == 600);
    thrust::inclusive_scan(a.begin(), a.end(), c.begin());
    CHECK(c[99] == 300 && thrust::find(c.begin(), c.end(), 30) - c.begin() == 9);
    thrust::fill(a.begin(), a.end(), 6);
    CHECK(thrust::equal(a.begin(), a.end(), b.begin()));
    thrust::replace(a.begin(), a.end(), 6, 5);
    CHECK(thrust::mismatch(a.begin(), a.end(), b.begin()).first == a.begin());
    thrust::generate(b.begin(), b.end(), seven());
    thrust::for_each(b.begin(), b.end(), none());
    thrust::copy(b.begin(), b.end(), c.begin());
    CHECK(c[50] == 7);
    puts("ok");
}

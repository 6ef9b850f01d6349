// LONG ON: vulkan: some thirty kernels to be compiled; thrust_sum has a few
// Thrust: vectors, iterators, policies and numbers. thrust_algorithms has the algorithms.
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include "check.h"
#include <complex>
#include <new>
#include <vector>

struct saxpy {
    float a;
    __host__ __device__ float operator()(const float &x, const float &y) const
    {
        return a * x + y;
    }
};
struct add_both { // writes through the tuple, which may be const
    template <class T> __host__ __device__ void operator()(const T &t) const
    {
        thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t);
    }
};
struct length2 {
    __host__ __device__ float operator()(const thrust::complex<float> &z) const
    {
        return thrust::norm(z * z);
    }
};
struct draw {
    __host__ __device__ int operator()(int i) const
    {
        thrust::default_random_engine engine(7);
        engine.discard(i);
        return thrust::uniform_int_distribution<int>(10, 19)(engine);
    }
};

// In a kernel the calling thread does it all.
__global__ void in_turn(int *p, int n)
{
    thrust::sort(thrust::seq, p, p + n, thrust::greater<int>());
    p[n] = thrust::reduce(thrust::seq, p, p + n);
    thrust::inclusive_scan(thrust::device, p, p + 3, p + n + 1);
    auto t = thrust::make_tuple(1, 2.5f);
    p[n + 4] = (int)(2 * thrust::get<1>(t)) + thrust::get<0>(t);
}

// A class with vectors inside, of which the device uses another part.
struct model {
    thrust::device_vector<float> weights;
    thrust::host_vector<int> shape;
    struct view {
        const float *p;
        __device__ float operator()(int i) const { return p[i] * 2; }
    };
    view see() const { return view{thrust::raw_pointer_cast(weights.data())}; }
};
__global__ void look(model::view v, float *out)
{
    *out = v(1);
}

// A program's own functions of Thrust's names, for Thrust's pointers, are the better ones.
namespace own {
template <class T> T *raw_pointer_cast(thrust::device_ptr<T> p) { return thrust::raw_pointer_cast(p) + 1; }
static int *second(thrust::device_vector<int> &v) { return raw_pointer_cast(v.data()); }
} // namespace own

int main()
{
    const int n = 1000;
    thrust::host_vector<float> h(n, 2.0f);
    thrust::device_vector<float> x = h, y(n), z(n);
    CHECK(x.size() == n && x[5] == 2.0f && y[5] == 0.0f);
    thrust::sequence(y.begin(), y.end());
    thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), saxpy{3});
    CHECK(z[0] == 6 && z[999] == 1005);
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), z.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end(), z.end())),
                     add_both());
    h = z;
    CHECK(h[0] == 2 && h[999] == 1001);
    using namespace thrust::placeholders;
    float *raw = thrust::raw_pointer_cast(z.data());
    thrust::transform(thrust::device, raw, raw + n, raw, 2.0f * _1 + 1.0f);
    CHECK(z[999] == 2003);
    z[3] += 5;
    z.push_back(z[3]);
    CHECK(z.size() == n + 1 && z.back() == 16.0f && z.front() == 5.0f);
    z.erase(z.begin(), z.begin() + 3);
    z.insert(z.begin(), -1.0f);
    CHECK(z.size() == n - 1 && z[0] == -1.0f && z[1] == 16.0f);
    z.resize(2);
    CHECK((z == std::vector<float>{-1.0f, 16.0f}));
    const std::vector<int> one = {5, 3, 9};
    thrust::device_vector<int> two(one.begin(), one.end()), three{5, 3, 9};
    CHECK(two == three && two == one);

    auto doubled = thrust::make_transform_iterator(thrust::make_counting_iterator(0), draw());
    const int drawn = thrust::reduce(doubled, doubled + n, 0, thrust::plus<int>());
    CHECK(drawn > 14000 && drawn < 15000);
    thrust::device_vector<int> numbers(n), index(3);
    thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n),
                      numbers.begin(), draw());
    CHECK(thrust::reduce(numbers.begin(), numbers.end()) == drawn && numbers[17] == draw()(17));
    index[0] = 999;
    index[2] = 1;
    auto some = thrust::make_permutation_iterator(y.begin(), index.begin());
    CHECK(thrust::reduce(some, some + 3) == 1000.0f);
    const auto ends = thrust::reduce_by_key(thrust::make_constant_iterator(1),
                                            thrust::make_constant_iterator(1) + n, numbers.begin(),
                                            thrust::make_discard_iterator(), index.begin());
    CHECK(ends.second - index.begin() == 1 && index[0] == drawn);

    thrust::device_vector<thrust::complex<float>> c(100, thrust::complex<float>(1, 2));
    auto lengths = thrust::make_transform_iterator(c.begin(), length2());
    CHECK(thrust::reduce(lengths, lengths + 100) == 2500.0f);
    const thrust::complex<double> q =
        thrust::sqrt(thrust::complex<double>(-3, 4)) / thrust::complex<double>(2, -1);
    CHECK(std::abs(std::complex<double>(q) -
                   std::sqrt(std::complex<double>(-3, 4)) / std::complex<double>(2, -1)) < 1e-15);

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    thrust::sort(thrust::cuda::par.on(stream), numbers.begin(), numbers.end());
    CHECK(numbers[0] == 10 && numbers[999] == 19);
    thrust::device_vector<int> six = std::vector<int>{5, 3, 9, 4, 1, 7, 0, 0, 0, 0, 0};
    in_turn<<<1, 1>>>(thrust::raw_pointer_cast(&six[0]), 6);
    CHECK((six == std::vector<int>{9, 7, 5, 4, 3, 1, 29, 9, 16, 21, 6}));
    model m;
    m.weights.assign(3, 4.5f);
    look<<<1, 1>>>(m.see(), thrust::raw_pointer_cast(y.data()));
    CHECK(y[0] == 9.0f && m.shape.empty());
    try {
        thrust::device_vector<char> huge((size_t)1 << 60);
        CHECK(!"memory without end");
    } catch (const std::bad_alloc &) {
    }
    thrust::device_vector<int> pair_of(2);
    CHECK(own::second(pair_of) == thrust::raw_pointer_cast(pair_of.data()) + 1);
    puts("ok");
}

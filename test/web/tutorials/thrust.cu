// Thrust beside the host's library: vectors of the device transformed, chosen from, scanned and summed.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <random>

struct saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main()
{
    std::mt19937 random(7);
    thrust::host_vector<int> h(500);
    std::generate(h.begin(), h.end(), [&] { return (int)(random() % 1000); });
    thrust::device_vector<int> d = h;
    std::cout << "first " << d.front() << ", last " << d.back() << ", sum " << thrust::reduce(d.begin(), d.end()) << ", most by reduce " << thrust::reduce(d.begin(), d.end(), 0, thrust::maximum<int>()) << ", even " << thrust::count_if(d.begin(), d.end(), is_even()) << '\n';
    thrust::device_vector<int> even(d.size());
    even.resize(thrust::copy_if(d.begin(), d.end(), even.begin(), is_even()) - even.begin());
    thrust::host_vector<int> back = even;
    h.resize(std::remove_if(h.begin(), h.end(), [](int x) { return x % 2; }) - h.begin());
    std::cout << (h.size() == back.size() && std::equal(h.begin(), h.end(), back.begin()) ? "chosen alike" : "chosen otherwise") << '\n';

    thrust::device_vector<float> x(10), y(10, 2.0f);
    thrust::sequence(x.begin(), x.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{0.5f});
    thrust::copy(y.begin(), y.end(), std::ostream_iterator<float>(std::cout, " "));
    thrust::device_vector<int> k(10);
    thrust::sequence(k.begin(), k.end(), 1);
    thrust::inclusive_scan(k.begin(), k.end(), k.begin());
    std::cout << '\n';
    thrust::copy(k.begin(), k.end(), std::ostream_iterator<int>(std::cout, " "));
    thrust::transform(k.begin(), k.end(), k.begin(), thrust::negate<int>());
    std::cout << '\n' << k[0] << ' ' << y[0] << ' ' << k[9] << ' ' << y[9] << '\n';
    return 0;
}

// c ? a : b of two objects is an object, where one's type can name the other: a base, or what is more const.
#include <functional>
#include <type_traits>
#include <utility>
#include "check.h"

struct base {
    int x;
};
struct between {
    int y;
};
struct derived : between, base {
};
template <class T, class U> constexpr bool chosen = std::is_same_v<decltype(false ? std::declval<T>() : std::declval<U>()), U>;
static_assert(chosen<derived &, base &> && chosen<const derived &, const base &> && chosen<derived &, const base &>);
static_assert(chosen<derived &&, base &&> && chosen<int &, const int &>);
static_assert(std::is_same_v<decltype(false ? std::declval<base &>() : std::declval<derived &>()), base &>);

struct summed : std::binary_function<int, int, int>, std::unary_function<float, int> {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

__host__ __device__ int all(const int *in)
{
    derived d;
    base b;
    d.y = 1, d.x = 2, b.x = 3;
    (in[0] ? d : b).x = 4;
    (in[1] ? b : d).x += 5;
    base *const p = &(in[0] ? d : b);
    int n = 6;
    const int fixed = 7;
    const int &r = in[0] ? n : fixed;
    n = 8;
    const summed::second_argument_type s = (in[0] ? fixed : n) + (in[1] ? n : fixed);
    return d.y + d.x * 10 + b.x * 100 + r * 1000 + (p->x == d.x) * 10000 + summed()(s, 0) * 100000;
}

__global__ void on_device(const int *in, int *out)
{
    *out = all(in);
}

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 3 * sizeof *p));
    p[0] = 1, p[1] = 0;
    on_device<<<1, 1>>>(p, p + 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(all(p) == 1418391);
    CHECK(p[2] == 1418391);
    puts("ok");
}

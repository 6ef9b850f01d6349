// What decltype says of the names of structured bindings: the part's type, not that of what stands for it.
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;
struct parts {
    int a;
    const float b;
    int &r;
};
__host__ __device__ int test()
{
    int n = 5;
    std::pair<int, float> p{1, 2.f};
    auto [a, b] = p;
    static_assert(same<decltype(a), int> && same<decltype((a)), int &> && same<decltype(b), float>);
    auto &[c, d] = p;
    static_assert(same<decltype(c), int> && same<decltype(d), float>);
    const auto [e, g] = p;
    static_assert(same<decltype(e), const int> && same<decltype((e)), const int &>);
    parts s{1, 2.f, n};
    auto [x, y, z] = s;
    static_assert(same<decltype(x), int> && same<decltype(y), const float> && same<decltype(z), int &>);
    const auto &[u, v, w] = s;
    static_assert(same<decltype(u), const int> && same<decltype(w), int &>);
    int array[2] = {3, 4};
    auto [q, r] = array;
    const auto &[k, l] = array;
    static_assert(same<decltype(q), int> && same<decltype(l), const int> && same<decltype((l)), const int &>);
    std::tuple<int &, long> t{n, 3};
    auto [first, second] = t;
    static_assert(same<decltype(first), int &> && same<decltype(second), long>);
    first = 9;
    decltype(a) copy = a; // no reference to it
    copy = 100;
    return n + a + z + r + (int)second + copy + (k == 3);
}
__global__ void on_device(int *out)
{
    *out = test();
}
int main()
{
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    on_device<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    const bool ok = *out == 127 && test() == 127;
    printf(ok ? "ok\n" : "wrong: %d %d\n", *out, test());
    return !ok;
}

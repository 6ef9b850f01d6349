// OPTIONS: -std=c++20
// What <type_traits> and <concepts> say of types: a word each, on the device and on the host.
#include <concepts>
#include <cstdio>
#include <type_traits>
#include <utility>

struct plain { int a, b; };
struct padded { char a; int b; };
struct stays { stays(stays &&) = delete; };
struct throws {
    throws();
    throws(throws &&) noexcept(false);
    throws &operator=(throws &&);
};
struct own_swap {
    own_swap(own_swap &&) = delete;
    friend __host__ __device__ void swap(own_swap &, own_swap &) noexcept {}
};
struct from_int { __host__ __device__ from_int(int) noexcept; };
struct from_long { __host__ __device__ from_long(long); };
struct calm { __host__ __device__ int operator()(int) noexcept; };
struct base {};
struct derived : base {};
enum old_enum { one };
enum class new_enum { two };
struct metres { double v; };
struct feet { double v; };
namespace std {
template <> struct common_type<metres, feet> { typedef metres type; };
template <> struct common_type<feet, metres> { typedef metres type; };
}
template <class T, class U, class = void> struct have_common : std::false_type {};
template <class T, class U> struct have_common<T, U, std::void_t<std::common_type_t<T, U>>> : std::true_type {};

template <class T> __host__ __device__ constexpr unsigned of_swaps()
{
    return std::is_swappable_v<T> | std::is_nothrow_swappable_v<T> << 1;
}
__host__ __device__ constexpr unsigned long long traits()
{
    unsigned long long all = 0;
    const unsigned parts[] = {
        of_swaps<int>(), of_swaps<plain[3]>(), of_swaps<stays>(), of_swaps<throws>(), of_swaps<own_swap>(), of_swaps<const int>(), of_swaps<void>(), of_swaps<own_swap[2]>(),
        std::is_swappable_with_v<int &, long &>, std::is_nothrow_convertible_v<int, from_int>, std::is_nothrow_convertible_v<int, from_long>, std::is_nothrow_convertible_v<void, void>,
        std::has_unique_object_representations_v<plain>, std::has_unique_object_representations_v<padded>, 
        std::is_bounded_array_v<int[2]>, std::is_bounded_array_v<int[]>, std::is_unbounded_array_v<int[]>, std::is_nothrow_invocable_r_v<long, calm, int>,
        std::is_nothrow_invocable_r_v<from_long, calm, int>, have_common<metres, feet>::value, have_common<const metres &, feet>::value, have_common<metres, base>::value};
    for (unsigned p : parts)
        all = all * 4 + p;
    return all;
}
static_assert(std::is_same_v<std::common_type_t<const metres &, feet>, metres>);
static_assert(std::is_same_v<std::common_type_t<char, short, float>, float>);
static_assert(std::is_same_v<std::common_reference_t<int &, const int &>, const int &>);
static_assert(std::is_same_v<std::common_reference_t<derived &, base &>, base &>);
static_assert(std::is_same_v<std::common_reference_t<derived &&, const base &>, const base &>);
static_assert(std::is_same_v<std::common_reference_t<int &&, int &&>, int &&>);
static_assert(std::is_same_v<std::common_reference_t<int, long &>, long>);
static_assert(std::is_same_v<std::unwrap_ref_decay_t<const int &>, int>);
static_assert(sizeof(std::aligned_union_t<3, double, char>) == 8 && alignof(std::aligned_union_t<3, double, char>) == 8);
#if __cplusplus >= 202002L
static_assert(std::swappable<plain> && !std::swappable<stays> && !std::movable<stays> && std::movable<throws>);
static_assert(std::common_reference_with<int &, const long &> && !std::common_reference_with<metres, base>);
static_assert(std::strict_weak_order<bool (*)(int, int), int, int> && std::totally_ordered_with<int, float>);
#endif

__global__ void on_device(unsigned long long *out)
{
    *out = traits();
    plain a{1, 2}, b{3, 4}, c[2] = {{5, 6}, {7, 8}}, d[2] = {};
    std::swap(a, b);
    std::swap(c, d);
    out[1] = a.a * 1000 + b.b * 100 + d[1].a * 10 + c[0].b;
}

int main()
{
    unsigned long long *out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    on_device<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%llx %llx %llu\n", out[0], traits(), out[1]);
}

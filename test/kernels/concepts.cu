// Constraints and orderings: each line is 1 when it is right.
// TEST constraints: --kernel constraints --arg 'i32[32]'
// EXPECT arg 0: sum 32 checksum 2907f8f1d099a425
// TEST orderings: --kernel orderings --arg 'i32[20]'
// EXPECT arg 0: sum 20 checksum c7f3109c0ab697c5
#include <compare>
#include <concepts>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

template <class A, class B> inline constexpr bool same_v = false;
template <class A> inline constexpr bool same_v<A, A> = true;
template <class A, class B> concept same = same_v<A, B>;
template <class T> concept whole = same<T, int>;
template <class T> concept small = sizeof(T) <= 4;
template <class T> concept small_whole = whole<T> && small<T>;
template <class T> concept adds = requires(T a, T b) {
    a + b;
    { a + b } -> same<T>;
    requires sizeof(T) >= 1;
};
template <class T> concept has_size = requires(const T &t) { { t.size() } -> same<int>; };
template <class T> concept has_type = requires { typename T::type; };
template <class T> concept either = requires(T t) { t.none(); } || whole<T>;
namespace ns {
template <class T, class U> concept larger = (sizeof(T) > sizeof(U));
}
struct sized { using type = int; __device__ int size() const { return 3; } };
template <whole T> __device__ int by_parameter(T) { return 1; }
template <class T> __device__ int by_parameter(T) { return 2; }
template <class T> requires whole<T> __device__ int by_clause(T) { return 1; }
template <class T> requires (!whole<T>) __device__ int by_clause(T) { return 2; }
template <class T> __device__ int behind(T) requires small<T> { return 1; }
template <class T> __device__ int behind(T) requires small_whole<T> { return 2; }
template <class T> __device__ int behind(T) { return 3; }
__device__ int by_auto(whole auto) { return 1; }
__device__ int by_auto(auto) { return 2; }
__device__ int qualified(ns::larger<char> auto x) { return sizeof x; }
template <class T> struct kind { static constexpr int v = 0; };
template <class T> requires small<T> struct kind<T> { static constexpr int v = 1; };
template <small_whole T> struct kind<T> { static constexpr int v = 2; };
template <class T> struct members {
    T t;
    __device__ int get() requires whole<T> { return 1; }
    __device__ int get() { return 2; }
    __device__ int only() requires has_size<T> { return t.size(); }
};
template <class... T> requires (whole<T> && ...) __device__ int all(T...) { return sizeof...(T); }
template <whole... T> __device__ int sum(T... t) { return (t + ...); }
template <class T> requires requires(T t) { t.size(); } __device__ int size_of(T t) { return t.size(); }
template <class T> __device__ int size_of(T) { return -1; }
template <same<int> auto V> struct constant { static constexpr int v = V; };
template <std::integral T> __device__ int standard(T) { return 1; }
template <std::signed_integral T> __device__ int standard(T) { return 2; }
template <class T> requires std::totally_ordered<T> __device__ bool less(T a, T b) { return a < b; }

__global__ void constraints(int *out)
{
    int *end = out + 32;
    CHECK(by_parameter(1) == 1 && by_parameter(1.0) == 2);
    CHECK(by_clause(1) == 1 && by_clause(1.f) == 2);
    CHECK(behind(1) == 2 && behind(1.f) == 1 && behind(1.0) == 3);
    CHECK(by_auto(1) == 1 && by_auto(1.f) == 2 && qualified(1.0) == 8);
    CHECK(kind<double>::v == 0 && kind<float>::v == 1 && kind<int>::v == 2);
    CHECK(members<int>{}.get() == 1 && members<float>{}.get() == 2 && members<sized>{}.only() == 3);
    CHECK(all(1, 2, 3) == 3 && sum(1, 2, 3) == 6);
    CHECK(size_of(sized{}) == 3 && size_of(1) == -1);
    CHECK(adds<int> && !adds<char> && has_type<sized> && !has_type<int> && either<int> && !either<float>);
    auto headed = []<whole T>(T) { return 5; };
    auto clause = [](auto t) requires whole<decltype(t)> { return 6; };
    CHECK(headed(1) == 5 && clause(2) == 6);
    whole auto nine = 9;
    CHECK(constant<4>::v == 4 && nine == 9);
    if constexpr (requires { typename sized::type; })
        CHECK(1);
    CHECK(standard(1) == 2 && standard(1u) == 1 && less(1, 2));
    while (out < end)
        *out++ = 1;
}

struct plain { int x; float y; __device__ auto operator<=>(const plain &) const = default; };
struct own {
    int x;
    __device__ std::strong_ordering operator<=>(const own &o) const { return x <=> o.x; }
    __device__ bool operator==(const own &o) const { return x == o.x; }
};
struct over : own { int z[2]; __device__ auto operator<=>(const over &) const = default; };
struct number { int v; __device__ std::strong_ordering operator<=>(int o) const { return v <=> o; } };

__global__ void orderings(int *out)
{
    int *end = out + 20, *p = out;
    CHECK((1 <=> 2) < 0 && (2.0 <=> 1.0) > 0 && (p <=> p) == 0);
    plain a{1, 2}, b{1, 3};
    CHECK(a < b && a != b && !(a >= b));
    own c{3}, d{3};
    CHECK(c <= d && c == d && !less(c, d));
    over e{{1}, {2, 3}}, g{{1}, {2, 4}};
    CHECK(e < g && e != g && (e <=> g) == std::strong_ordering::less);
    number h{4};
    CHECK(h < 5 && 5 > h && 3 < h);
    float none = __int_as_float(0x7fc00000);
    CHECK((none <=> 1.f) == std::partial_ordering::unordered && !((none <=> none) < 0));
    CHECK(std::is_lt(1 <=> 2) && std::is_gteq('b' <=> 'a'));
    while (out < end)
        *out++ = 1;
}

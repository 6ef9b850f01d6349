// What names mean is settled where they stand; specialisations and constraints: each line is 1 when it is right.
// TEST places: --kernel places --arg 'i32[7]'
// EXPECT arg 0: sum 7 checksum de4e57320ed16394
// TEST constrained: --kernel constrained --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST others: --kernel others --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// Declared behind the body that names them: not meant, unless the argument's class leads there.
__device__ int plain(double) { return 1; }
namespace room {
struct own {};
struct late_user {};
__device__ int inside(long) { return 1; }
template <class T> __device__ int around(T) { return inside(1) * 10 + plain(1); }
template <class T> __device__ int by_class(T t) { return of_class(t); }
constexpr int size = 4;
template <class T> struct sized { static constexpr int v = size; };
namespace detail {
namespace tile {
template <class T> struct kept { using type = T; };
}
}
namespace tile {
template <class T> struct holder {
    typename detail::tile::kept<T>::type v;
};
namespace detail {
struct other {};
}
constexpr int size = 9;
}
__device__ int inside(int) { return 2; }
__device__ int of_class(own) { return 7; }
}
__device__ int before_it(int x) { return plain(x); }
__device__ int plain(int) { return 2; }
__device__ int behind_it(int x) { return plain(x); }

__global__ void places(int *out)
{
    CHECK(room::around(1) == 11);
    CHECK(room::by_class(room::own()) == 7);
    room::tile::holder<int> h{5};
    CHECK(h.v == 5);
    CHECK(before_it(1) == 1);
    CHECK(behind_it(1) == 2);
    CHECK(plain(1) == 2 && room::inside(1) == 2);
    CHECK(room::sized<int>::v == 4);
}

// A specialisation of a static member says nothing of that; of two overloads, the one that asks more of its
// parameters, each for itself.
struct pair_sum {
    template <class T> static __device__ T op(const T &a, const T &b) { return a + b; }
};
template <> __device__ inline float2 pair_sum::op<float2>(const float2 &a, const float2 &b) { return float2{a.x + b.x, a.y + b.y}; }
template <class op> __device__ float2 both(float2 a, float2 b) { return op::template op<float2>(a, b); }
template <class T> concept vector = requires(T t) { t.x; };
template <class T> concept wide = vector<T> && sizeof(T) > 8;
template <class T, class U> concept fits = sizeof(T) <= sizeof(U);
template <vector T, class U> __device__ int copy(T &, const U &) { return 1; }
template <vector T, vector U> __device__ int copy(T &, const U &) { return 2; }
template <vector T, wide U> __device__ int copy(T &, const U &) { return 3; }
template <class T, class U> requires vector<T> __device__ int clause(T, U) { return 1; }
template <class T, class U> requires vector<T> && fits<T, U> __device__ int clause(T, U) { return 2; }

__global__ void constrained(int *out)
{
    float2 a{1, 2}, b{3, 4};
    float4 w{1, 2, 3, 4};
    float c = 1;
    CHECK(both<pair_sum>(a, b).y == 6);
    CHECK(copy(a, c) == 1);
    CHECK(copy(a, b) == 2);
    CHECK(copy(a, w) == 3);
    CHECK(clause(a, c) == 1);
    CHECK(clause(a, b) == 2);
}

// A keyword as suffix; two sides of ?: that have nothing in common are a reason to choose another template; a variable
// that stands for a value; references to what was just changed; a class that is a condition beside another's operator.
struct seconds {
    float v;
};
__device__ constexpr seconds operator""if(long double x) { return {(float)x}; }
struct apart {};
template <class T> T value();
template <class A, class B, class = void> constexpr bool common = false;
template <class A, class B> constexpr bool common<A, B, decltype((void)(false ? value<A>() : value<B>()))> = true;
template <class T> using made_by = T (*)() noexcept;
template <class T, class = void> extern made_by<void> stands_for;
template <class T> extern made_by<T &&> stands_for<T, decltype((void)value<T &>())>;
template <class T> __device__ T taken(T &t) { return t; }
namespace room {
struct flag {
    bool b;
    __device__ explicit operator bool() const { return b; }
};
struct other_flag {};
__device__ int operator!(other_flag) { return 5; }
}
__device__ int which(const void *) { return 1; }
__device__ int which(const volatile void *) { return 2; }
struct above {};
struct between : above {};
struct below : between {};
__device__ int nearest(above *) { return 1; }
__device__ int nearest(between *) { return 2; }

__global__ void others(int *out)
{
    CHECK((2.5if).v == 2.5f);
    CHECK(!common<apart, int *> && !common<int *, apart> && common<int, float>);
    CHECK(noexcept(stands_for<apart>().~apart()) && noexcept(stands_for<int>()));
    int list[3] = {1, 2, 3}, *p = list + 2;
    CHECK(*taken(--p) == 2 && *taken(p += 1) == 3 && *taken(p = list) == 1);
    CHECK(!room::flag{false} && !room::other_flag() == 5 && (room::flag{true} && true));
    const char *c = "c";
    CHECK(which(c) == 1 && which((volatile char *)0) == 2);
    below b;
    CHECK(nearest(&b) == 2);
    CHECK(!__is_constructible(int[]) && __is_constructible(int[2]));
}

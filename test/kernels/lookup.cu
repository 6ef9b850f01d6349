// What names mean is settled where they stand; specialisations and constraints: each line is 1 when it is right.
// TEST places: --kernel places --arg 'i32[7]'
// EXPECT arg 0: sum 7 checksum de4e57320ed16394
// TEST constrained: --kernel constrained --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
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

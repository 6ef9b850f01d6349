// What C++20 added, as far as device code uses it, and words that no other test has. Each line is 1 when it is right.
// TEST twenty: --kernel twenty --arg 'i32[29]'
// EXPECT arg 0: sum 29 checksum b2503448a7b70a44
// TEST headers: --kernel headers --arg 'i32[12]'
// EXPECT arg 0: sum 12 checksum 9c5fa0bd7fa2b785
// TEST by_value: --kernel by_value --block 8 --arg bytes:03000000010000000200000003000000040000000500000006000000 --arg 'i32[8]'
// EXPECT arg 1: sum 72 checksum 6e13f7fc0d1a8d1d
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <initializer_list>
#include <type_traits>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)
#if CUDART_VERSION >= 11000 && defined(__CUDACC__) && __CUDACC_VER_MAJOR__ >= 11
#define RUNTIME 1
#elif 1
#define RUNTIME 0
#endif
#undef ELSEWHERE
#line 100 "elsewhere.cu"
enum { ELSEWHERE = __LINE__ };

struct point {
    int x, y;
    short z[3];
    unsigned bits : 3;
    __device__ bool operator==(const point &) const = default;
};
struct derived : point {
    int w;
    __device__ bool operator==(const derived &) const = default;
};
struct pair_of {
    int a, b;
    friend __device__ bool operator==(const pair_of &, const pair_of &) = default;
};
struct meters {
    int m;
    __device__ bool operator==(int n) const { return m == n; }
};
enum class color { red, green, blue };
__device__ int any(auto x, auto... rest) { return (x + ... + rest); }
__device__ auto half_of(const auto &x) { return x / 2; }
consteval int square(int x) { return x * x; }
constinit __device__ int first = 5;
template <auto V> struct constant { static constexpr auto value = V; };
template <typename T> struct box { T v; };
template <typename T> box(T) -> box<T>;
template <typename T, int... I> __device__ int pick(const T &t) { return (t.v[I] + ...); }
struct list { int v[4]; };
struct counted {
    int *n;
    __device__ counted(int *n) : n(n) { ++*n; }
    __device__ counted(const counted &o) : n(o.n) { ++*n; }
    __device__ ~counted() { --*n; }
};
namespace outer::inner {
inline namespace v1 {
__device__ int where() { return 7; }
}
}

__global__ void twenty(int *out)
{
    CHECK(RUNTIME && ELSEWHERE == 100);
    point p{1, 2, {3, 4, 5}, 6}, q = p;
    CHECK(p == q && !(p != q));
    q.z[2] = 9;
    CHECK(p != q);
    q = p;
    q.bits = 1;
    CHECK(!(p == q));
    derived d{{1, 2, {3, 4, 5}, 6}, 7}, e = d;
    CHECK(d == e);
    e.y = 0;
    CHECK(d != e);
    CHECK(pair_of{1, 2} == pair_of{1, 2} && pair_of{1, 2} != pair_of{2, 2});
    CHECK(3 == meters{3} && meters{3} != 4 && 4 != meters{3});
    CHECK(any(1, 2, 3.5f) == 6 && any(4) == 4);
    CHECK(half_of(9) == 4 && half_of(9.0) == 4.5);
    CHECK(square(6) == 36 && first == 5);
    {
        using enum color;
        CHECK((int)blue == 2);
    }
    int sum = 0;
    for (int step = 2; int v : {1, 2, 3})
        sum += v * step;
    CHECK(sum == 12);
    if (sum > 100) [[unlikely]]
        sum = 0;
    else [[likely]]
        sum++;
    CHECK(sum == 13);
    CHECK(constant<5>::value == 5 && constant<'a'>::value == 'a' && constant<true>::value);
    box deduced{2.5f};
    CHECK(std::is_same_v<decltype(deduced.v), float>);
    auto both = []<typename T>(T a, T b) { return sizeof(T) == 4 ? a * b : a - b; };
    CHECK(both(3, 4) == 12 && both(3.0, 4.0) == -1.0);
    list l{.v = {1, 2, 4, 8}};
    CHECK(pick<list, 0, 3>(l) == 9);
    auto keep = [l, k = 3]() mutable { return l.v[k--] + k; };
    CHECK(keep() == 10 && keep() == 5);
    int alive = 0;
    {
        counted a(&alive), b = a;
        CHECK(alive == 2);
    }
    CHECK(alive == 0);
    CHECK(outer::inner::where() == 7 && outer::inner::v1::where() == 7);
    char c = 'a';
    switch (int k = c - 'a'; k) {
    case 0: c = 'z'; [[fallthrough]];
    default: c++;
    }
    CHECK(c == '{');
    if (int k = c; k > 0)
        CHECK(k == '{');
    int grid[2][3][2] = {};
    grid[1][2][1] = 4;
    int(&row)[3][2] = grid[1];
    CHECK(row[2][1] == 4 && sizeof row == 24);
    CHECK(0b1010'1010 == 170 && 0x1p4f == 16.0f && 1'000 == 1000 && u8'x' == 'x');
    int i = 0, j = (i++, i + 10);
    CHECK(i == 1 && j == 11);
    CHECK(alignof(double) == 8 && sizeof(point) == 16 && noexcept(i + 1));
    decltype(auto) same = (i);
    same = 8;
    CHECK(i == 8);
}

__global__ void headers(int *out)
{
    cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuFloatComplex(3, -1);
    cuFloatComplex m = cuCmulf(a, b), s = cuCaddf(a, b);
    CHECK(cuCrealf(m) == 5 && cuCimagf(m) == 5);
    CHECK(s.x == 4 && s.y == 1 && cuCabsf(make_cuFloatComplex(3, 4)) == 5);
    int4 v = make_int4(1, 2, 3, 4);
    uchar4 u = make_uchar4(1, 2, 3, 255);
    CHECK(v.x + v.w == 5 && u.w == 255 && sizeof u == 4);
    longlong2 w = make_longlong2(1ll << 40, -1);
    CHECK(w.x >> 40 == 1 && w.y < 0 && alignof(double2) == 16);
    dim3 d(4, 2);
    CHECK(d.x == 4 && d.y == 2 && d.z == 1);
    CHECK(__popc(0xf0f0u) == 8 && __clz(1) == 31 && __ffs(8) == 4 && __brev(1u) == 0x80000000u);
    CHECK(__mulhi(1 << 30, 8) == 2 && __umul24(3, 5) == 15 && __sad(3, 7, 1) == 5u);
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_ru(2.1f) == 3 && __double2int_rz(-2.9) == -2);
    CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x7610u) == 0x77661100u);
    CHECK(__funnelshift_l(0x80000000u, 1u, 1) == 3u);
    CHECK(__fmaf_rn(2, 3, 4) == 10 && __saturatef(1.5f) == 1 && fmaxf(1, 2) == 2);
}

struct table {
    int scale;
    int v[6];
};
__global__ void by_value(table t, int *out)
{
    out[threadIdx.x] = t.v[threadIdx.x % 6] * t.scale;
}

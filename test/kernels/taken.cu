// What templates, names and constraints come to, as C++20's libraries have them: each line is 1 when it is right.
// TEST taken: --kernel taken -std c++20 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// attributes behind a constraint
template <class T> concept points = requires(T &&t) { *t; };
struct follows {
    template <class T>
        requires points<T>
    [[nodiscard]] __device__ constexpr int operator()(T &&) const
    {
        return 1;
    }
};

// template arguments that the call gives leave nothing to deduce
template <class T, int N> struct box {
    T v;
    __device__ constexpr box(T x) : v(x) {}
};
template <int N, class T> __device__ int sized(const box<T, N> &b) { return b.v + N; }

// a list for an operator that takes an object of its own choice
struct pair_of { int a, b; };
template <class T> struct holder {
    T v;
    __device__ holder() : v() {}
    template <class U = T> __device__ holder &operator=(U &&u) { v = static_cast<U &&>(u); return *this; }
};

// a namespace without a name inside an inline one
namespace outer
{
inline namespace version
{
namespace
{
constexpr int hidden = 7;
}
} // namespace version
} // namespace outer

// a base that is nobody else's
struct inner { int n; };
class keeps : inner
{
};
class shows : public inner
{
};
__device__ int seen(const inner &) { return 1; }
template <class T> concept has_inner = requires(const T &t) { seen(t); };

__global__ void taken(int *out)
{
    int *end = out + 8, *p = out;
    CHECK(follows()(p) == 1);
    CHECK(sized<3, int>(4) == 7 && sized<2>(box<int, 2>(5)) == 7);
    holder<pair_of> h;
    h = {3, 4};
    CHECK(h.v.a == 3 && h.v.b == 4);
    CHECK(outer::hidden == 7);
    CHECK(has_inner<shows> && !has_inner<keeps>);
    while (out < end)
        *out++ = 1;
}

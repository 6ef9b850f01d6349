// What libraries of tensors ask of the language: shapes that are types. Each line is 1 when it is right.
// TEST shapes: --kernel shapes --arg 'i32[12]'
// EXPECT arg 0: sum 12 checksum 9c5fa0bd7fa2b785
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

namespace ten
{
template <int N> struct C {
    __device__ constexpr operator int() const { return N; }
};
template <int A, int B> __device__ constexpr C<(A > B ? A : B)> larger(C<A>, C<B>)
{
    return {};
}
template <int N> struct range {
    int x[N];
};
struct many {
    int v[4];
};
template <class A, class B> struct pair {
    A a;
    B b;
};

// All arguments that are given go to the pack; what stands behind it is deduced.
template <int... I, class T> __device__ int pick(const T &t)
{
    return (t.v[I] + ... + 0);
}
template <int... I, class A, class B> __device__ int pick(const pair<A, B> &p)
{
    return pick<I...>(p.a) * 10 + pick<I...>(p.b);
}

// Declared before it is defined, and deduced from a constructor that takes a pack.
template <class... T> struct tuple;
template <class... T> struct count {
    int n = sizeof...(T);
};
template <class... T> struct tuple : count<T...> {
    __device__ constexpr tuple() {}
    __device__ constexpr tuple(const T &...) {}
};
template <> struct tuple<> {};
} // namespace ten

// Names from inside of a block's directive are hidden by those of the function around it.
__device__ int hidden(int *C, int larger)
{
    using namespace ten;
    many m = {{1, 2, 3, 4}};
    return *C + larger + pick<3>(m);
}

// A local object whose type says all is a constant, also where its copy is.
template <class T> __device__ int from_types(T t)
{
    auto most = ten::larger(t, ten::C<3>{});
    auto r = ten::range<most + 1>{};
    auto s = ten::range<ten::larger(most, most)>{};
    return (int)(sizeof r + sizeof s) / 4;
}

template <bool B> struct truth {
    static constexpr bool value = B;
};
template <class T> T &&made();
template <class... T> using nothing = void;
template <class F, class... A, class = decltype(made<F>()(made<A>()...))>
__device__ constexpr truth<true> fits(int)
{
    return {};
}
template <class F, class... A> __device__ constexpr truth<false> fits(...)
{
    return {};
}
template <class F, class... A> __device__ constexpr auto takes(F &&, A &&...)
{
    return decltype(fits<F, A...>(0)){};
}
struct with_step {
    __device__ void step(int) {}
};
// The lambda's own parameter in the type behind its arrow, under the name of one around it.
template <class T> __device__ bool steps(T t)
{
    auto has = takes([](auto t) -> nothing<decltype(t.step(1))> {}, t);
    return decltype(has)::value;
}

template <class F> __device__ auto with_seven(F f)
{
    return f(7);
}

// An object made of a list, which may be copied or moved: moved. Lists inside of lists.
struct strides {
    int s;
    __device__ strides(int x, int y) : s(10 * x + y) {}
};
struct view {
    int *p;
    strides l;
    __device__ view(int *at, const strides &by) : p(at), l(by) {}
};

__global__ void shapes(int *out)
{
    ten::many a = {{1, 2, 3, 4}}, b = {{5, 6, 7, 8}};
    CHECK(ten::pick<0, 2>(a) == 4);
    CHECK(ten::pick<1>(ten::pair<ten::many, ten::many>{a, b}) == 26);
    int five = 5;
    CHECK(hidden(&five, 6) == 15);
    CHECK(from_types(ten::C<7>{}) == 15);
    CHECK(from_types(ten::C<1>{}) == 7);
    CHECK(steps(with_step{}));
    CHECK(!steps(5));
    CHECK(ten::tuple{1, 2.5f, out}.n == 3);
    CHECK(with_seven([](auto i) { return ten::tuple{i}; }).n == 1);
    CHECK(sizeof(ten::tuple<>) == 1);
    view v = view({&five, strides(1, 2)}), w({&five, {3, 4}});
    CHECK(v.l.s == 12 && *v.p == 5);
    CHECK(w.l.s == 34);
}

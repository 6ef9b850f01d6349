// Templates and classes as libraries write them: each line is 1 when it is right.
// TEST modern: --kernel modern --arg 'i32[64]'
// EXPECT arg 0: sum 64 checksum 44e7f498a6932525
// TEST addresses: --kernel addresses --arg 'i32[3]'
// EXPECT arg 0: sum 3 checksum de24483a76fbb974
// TEST libraries: --kernel libraries --arg 'i32[16]'
// EXPECT arg 0: sum 16 checksum bec6bbcc296da3a5
#include <initializer_list>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

namespace ns { template <class T> struct tag { static constexpr int v = 7; }; }
// operators in template arguments
template <int N> struct value_of { static constexpr int value = N; };
template <bool B> struct choice { static constexpr int v = B ? 1 : 2; };
template <int A, int B, bool X = A < value_of<B>::value> struct below { static constexpr bool v = X; };
template <int A, bool X = A >= 3> struct at_least { static constexpr bool v = X; };
template <int A, int B, bool X = A < B, class T = int> struct less_of { static constexpr bool v = X && sizeof(T) == 4; };
template <class S, S N = static_cast<S>(-1)> struct last { static constexpr S v = N; };
template <class S, bool B = static_cast<S>(-1) < static_cast<S>(0)> struct has_sign { static constexpr bool v = B; };
template <int A, int B> __device__ int pick() { return choice<A < value_of<B>::value>::v; }

// a member template as template argument
template <class T> struct holder { T v; };
template <class A> struct maker {
    template <class T> struct apply { T a; A b; };
    template <class T> using plain = holder<T>;
};
template <template <class> class F> struct user { F<int> f; };
template <class T> struct makes { using t = user<maker<T>::template apply>; using u = user<maker<T>::template plain>; };
template <class A, template <class> class F = maker<A>::template apply> struct made { F<int> q; };
template <class A, class = user<A::template apply>> __device__ int has_apply(int) { return 1; }
template <class A> __device__ int has_apply(...) { return 2; }

// deduction guides
template <class T> struct from { T v; __device__ from(const T *q) : v(*q) {} __device__ from(int, int) : v() {} };
template <class T> from(const T *) -> from<T>;
from(int, int) -> from<double>;
explicit from(const char *) -> from<char>;
template <class T, int N> struct several { T d[N]; };
template <class T, class... U> several(T, U...) -> several<T, 1 + sizeof...(U)>;

// parameters of constructors by aliases of their class
template <class T, int N> struct strides { T d[N + 1]; };
template <class E> struct strided {
    using extents = E;
    typedef const extents &given;
    typedef typename extents::index index;
    E e;
    index first;
    template <class O, index = sizeof(O)> __device__ strided(given e, const strides<O, extents::rank()> &s) : e(e), first(s.d[0]) {}
};
struct ranked { using index = long; static constexpr int rank() { return 2; } int n; };

// a specialisation has its template's default arguments, in the words of the declaration that gives them
template <class T, class B> __device__ int stepped(T a, B step = (B)sizeof(T));
template <class B, class T> __device__ int stepped(B a, T step) { return (int)a + (int)step; }
template <> __device__ int stepped<char, float>(char a, float step) { return a + 10 * (int)step; }
// its name may begin at the global namespace
template <> struct ::ns::tag<char> { static constexpr int v = 9; };
template <class T> struct ::ns::tag<T *> { static constexpr int v = 8; };
// bases from a pack of templates, each of which names the class with all of them
template <template <class> class... P> struct policies : P<policies<P...>>... {};
template <class T> struct first_policy { int a; };
template <class T> struct second_policy { T *b; };

// nested classes, defined outside
template <class T> struct outside {
    template <class U> struct inner;
    struct plain;
};
template <class T> template <class U> struct outside<T>::inner { T t; U u; __device__ int sum() { return t + u; } };
template <class T> struct outside<T>::plain { T z; __device__ T twice() { return z * 2; } };
struct around { template <class U> struct inner; };
template <class U> struct around::inner { U b; };

// constructors taken over
struct base {
    int a, b;
    template <class T> __device__ base(T t) : a(t), b(1) {}
    template <class T, class U> __device__ base(T t, U u) : a(t), b(u) {}
};
struct derived : base { using base::base; int c = 3; };
struct further : derived { using derived::derived; };
template <class T> struct of { T v; template <class U> __device__ of(U u) : v(u) {} };
template <class T> struct below_of : of<T> { using above = of<T>; using above::above; };

// pointers to members whose result is deduced
struct point {
    int x = 3;
    __device__ auto get() const { return x; }
    __device__ auto add(int y) { return x + y; }
};
template <class R, class C> __device__ int call(R (C::*m)() const, const C &c) { return (c.*m)(); }
template <class R, class C, class... A> __device__ R call(R (C::*m)(A...), C &c, A... a) { return (c.*m)(a...); }
template <class M> struct arity;
template <class R, class C, class... A> struct arity<R (C::*)(A...) const> { static constexpr int n = sizeof...(A); };

__device__ int apply(int (*f)(int), int v) { return f(v); }
__device__ int total(std::initializer_list<int> l) { int s = 0; for (int x : l) s += x; return s; }
__device__ int grid(const int (&a)[2][3]) { int s = 0; for (auto &r : a) for (int x : r) s += x; return s; }
template <int R, int C> __device__ int shape(const int (&a)[R][C]) { return R * 10 + C + a[0][0]; }
template <class T> struct renamed { using holder = holder<T>; holder x; };
template <class... B> struct and_ { static constexpr bool value = (B::value && ...); };
struct yes { static constexpr bool value = true; };
template <class T> struct convert { T a; __device__ convert() {} __device__ convert(T x) : a(x) {} };
struct sizes { int a[5]; char c; static float s; };
struct other { static constexpr int n = sizeof(sizes::a); char b[sizeof(sizes::c)]; int z[sizeof sizes::a / 4]; };
#define TEXT(x) #x
#define UNROLLED(n) _Pragma(TEXT(unroll n))

__global__ void modern(int *out)
{
    int *end = out + 64;
    CHECK(below<1, 2>::v && !below<2, 2>::v);
    CHECK(at_least<4>::v && !at_least<2>::v);
    CHECK(less_of<1, 2>::v && !less_of<2, 2>::v);
    CHECK(last<int>::v == -1 && last<unsigned char>::v == 255);
    CHECK(has_sign<int>::v && !has_sign<unsigned>::v);
    CHECK(pick<1, 2>() == 1 && pick<2, 1>() == 2);
    makes<char>::t m{{3, 'b'}};
    CHECK(m.f.a == 3 && m.f.b == 'b' && sizeof(makes<char>::u) == 4);
    made<char> d{{4, 'c'}};
    CHECK(d.q.a == 4);
    CHECK(has_apply<maker<int>>(0) == 1 && has_apply<int>(0) == 2);
    int five = 5;
    from a(&five);
    from b(1, 2);
    CHECK(a.v == 5 && sizeof(a.v) == 4 && sizeof(b.v) == 8);
    several three{1, 2, 3};
    CHECK(sizeof three == 12 && strided(ranked{4}, strides<char, 2>{{7}}).first == 7);
    CHECK(stepped<int, long>(1) == 5 && stepped<char, float>(1) == 11);
    CHECK(ns::tag<char>::v == 9 && ns::tag<int *>::v == 8 && ns::tag<int>::v == 7);
    policies<first_policy, second_policy> both{{3}, {nullptr}};
    CHECK(both.a == 3 && sizeof both == 16 && sizeof(policies<>) == 1);
    CHECK(sizeof(strided(ranked{4}, strides<char, 2>{{7}})) == 16);
    outside<int>::inner<float> in{1, 2.f};
    CHECK(in.sum() == 3 && outside<int>::plain{4}.twice() == 8 && around::inner<int>{9}.b == 9);
    derived one(4), two(1, 2);
    CHECK(one.a == 4 && one.b == 1 && one.c == 3 && two.a == 1 && two.b == 2);
    further more(7);
    derived copy(one);
    CHECK(more.a == 7 && more.c == 3 && copy.a == 4);
    CHECK(below_of<int>(3.7).v == 3);
    point p;
    auto lambda = [](int x, float y) { return x + y; };
    CHECK(call(&point::get, p) == 3 && call(&point::add, p, 4) == 7);
    CHECK(arity<decltype(&decltype(lambda)::operator())>::n == 2);
    int (*doubled)(int) = [](auto x) { return x * 2; };
    CHECK(apply([](auto x) { return x + 1; }, 4) == 5 && doubled(4) == 8);
    int sum = 0;
    for (int x : {1, 2, 3})
        sum += x;
    for (auto x : {1.5f, 2.5f})
        sum += x;
    auto list = {7, 8};
    CHECK(sum == 9 && total({4, 5, 6}) == 15 && list.size() == 2 && *list.begin() == 7);
    int square[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const int(*row)[3] = square;
    CHECK(grid(square) == 21 && shape(square) == 24 && row[1][0] == 4);
    CHECK(renamed<int>{{4}}.x.v == 4);
    CHECK(and_<yes, yes>::value and not false);
    convert<float> c;
    c = 3;
    CHECK(c.a == 3);
    CHECK(other::n == 20 && sizeof(other) == 24 && sizeof(sizes::s) == 4);
    sum = 0;
    UNROLLED(4)
    for (int i = 0; i < 8; i++)
        sum += i;
    CHECK(sum == 28);
    while (out < end)
        *out++ = 1;
}

// A variable that is known only through an address which another one holds.
__global__ void addresses(int *out)
{
    int (*doubled)(int) = [](int x) { return x * 2; };
    out[0] = doubled(4) == 8;
    int sum = 0;
    for (auto x : {1.5f, 2.5f})
        sum += x;
    out[1] = sum == 3;
    out[2] = total({4, 5, 6}) == 15;
}

// What libraries for many compilers do.
template <class T> struct shifted {
    T d;
    template <class U> __host__ __device__ constexpr friend shifted operator<<(shifted a, U n) { return {T(a.d << n)}; }
};
template <class T> struct own_name {
    T v;
    template <class U> __device__ own_name<U> as() const { return cast<own_name<U>>(*this); }
    template <class U> __device__ own_name twice() const { return cast<own_name>(own_name{T(v * 2)}); }
    template <class To, class From> static __device__ To cast(const From &x) { return To{decltype(To::v)(x.v)}; }
};
struct first { int a; __device__ first(int a) : a(a) {} };
struct second : first { using first::first; };
struct third : second { using second::second; };
template <class... T> struct tag;
template <class T> __device__ void asked(T &&) {}
template <class... A> __device__ char fits(tag<A...> *, decltype(&asked<A...>));
__device__ char (&fits(...))[2];
struct in_class { ~in_class() {} };
template <class... T> struct several_of {
    __device__ several_of() : n(0) {}
    __device__ several_of(const T &...) : n(sizeof...(T)) {}
    int n;
};
struct step { const int *p; __host__ __device__ constexpr step &operator++() { ++p; return *this; } };
__host__ __device__ constexpr int walk() { int a[] = {1, 2, 3}; step s{a}; for (int i = 0; i < 2; i++, (void)++s) {} return *s.p; }
struct calm { calm() = default; __device__ calm(int) noexcept(sizeof(int) == 4) {} __device__ calm(float) {} };
struct calm_member { calm c; int i; };
using ::memcpy;
__device__ auto kept(auto... xs) { return [=](auto f) { return f(xs...); }; }
template <class... T> __device__ int raised(T &...xs) { auto l = [&...ys = xs] { return ((ys += 1) + ...); }; return l(); }
template <class... T> __device__ int joined(T... xs) { auto l = [... ys = xs](int k) { return (ys + ... + k); }; return l(1); }
template <class T, int N> __device__ constexpr int counted(const T (&)[N]) { return N; }

__global__ void libraries(int *out)
{
    int *end = out + 16;
    CHECK((shifted<int>{1} << 3ul).d == 8);
    CHECK(own_name<float>{2.5f}.as<int>().v == 2 && own_name<int>{4}.twice<int>().v == 8);
    CHECK(third(7).a == 7);
    CHECK(sizeof(fits(static_cast<tag<int> *>(nullptr), nullptr)) == 1 && sizeof(fits(in_class())) == 2);
    CHECK(several_of<int, float>().n == 0 && several_of<int, float>(1, 2.f).n == 2);
    constexpr int at = walk();
    CHECK(at == 3);
    CHECK(noexcept(calm(1)) && !noexcept(calm(1.f)) && noexcept(calm_member()) && noexcept(calm_member(calm_member())));
    int word = 5, copy = 0;
    memcpy(&copy, &word, sizeof word);
    CHECK(copy == 5);
    int a = 1, b = 2;
    CHECK(raised(a, b) == 5 && a + b == 5 && joined(1, 2, 3) == 7);
    CHECK(counted({1, 2, 3}) == 3);
    CHECK(kept(1, 2, 3)([](auto... v) { return (v + ...); }) == 6);
    while (out < end)
        *out++ = 1;
}

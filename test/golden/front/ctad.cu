// Class template arguments by overload resolution among guides, constructors, constructor templates and members.
// RUN: tern compile %s -O2 --to ir | grep store
// RUN: tern compile %s -O2 --to ir -std=c++20 | grep store
// RUN: tern compile %s --to ir -DWRONG
#include <initializer_list>
template <class A, class B> struct same { static constexpr bool v = false; };
template <class A> struct same<A, A> { static constexpr bool v = true; };
#define IS(n, e, ...) static_assert(same<decltype(e), __VA_ARGS__>::v, n)

template <class T> struct Best {
    int which;
    __host__ __device__ constexpr Best(T, long) : which(1) {}
    __host__ __device__ constexpr Best(T *, int) : which(2) {}
};
template <class T> struct Span {
    const T *p; int n;
    __host__ __device__ constexpr Span(const T *p, int n) : p(p), n(n) {}
    template <int N> __host__ __device__ constexpr Span(const T (&a)[N]) : p(a), n(N) {}
    template <class U> __host__ __device__ constexpr Span(U a, U b, T x) : p(nullptr), n(a + b) { (void)x; }
};
template <class T> struct Copy {
    T v;
    __host__ __device__ constexpr Copy(T &&x) : v(x) {}
    __host__ __device__ constexpr Copy(const T &x, int = 0) : v(x) {}
};
template <class T> struct Guided {
    T v;
    __host__ __device__ constexpr Guided(T x) : v(x) {}
};
Guided(const char *) -> Guided<int>;
template <class T> Guided(T *) -> Guided<T>;
template <class T> struct Tie { __host__ __device__ constexpr Tie(T) {} };
template <class T> Tie(T) -> Tie<T *>;
template <> struct Tie<short *> { __host__ __device__ constexpr Tie(short) {} };
template <class T, class U> struct Swapped { U b; T a; };
template <class T> struct List {
    int n;
    __host__ __device__ constexpr List(std::initializer_list<T> l) : n((int)l.size()) {}
    __host__ __device__ constexpr List(int, T) : n(-1) {}
};
template <template <class> class M, class T> struct Holds { M<T> m; __host__ __device__ constexpr Holds(M<T> x) : m(x) {} };
struct Derived : Guided<float> { __host__ __device__ constexpr Derived() : Guided<float>(1.f) {} };
template <class... Ts> struct Many : Ts... { using Ts::operator()...; };
#if __cplusplus < 202002L
template <class... Ts> Many(Ts...) -> Many<Ts...>;
template <class T, class U> Swapped(U, T) -> Swapped<T, U>;
#endif

__global__ void kernel(int *o)
{
    int x = 3; int arr[5] = {};
    const int cx = 2;
    Best b(&x, 1); IS("pointer", b, Best<int>);
    o[0] = b.which;
    Best b2(&x, 1L); IS("value", b2, Best<int *>);
    o[1] = b2.which;
    Span s(arr); IS("array", s, Span<int>);
    o[2] = s.n;
    Span s2(arr, 2); o[3] = s2.n;
    Span s3(3, 4, 1.5f); IS("member template", s3, Span<float>);
    o[4] = s3.n;
    Copy c(x); IS("lvalue", c, Copy<int>);
    Copy c2(cx); IS("const", c2, Copy<int>);
    Copy c3(2.5); IS("rvalue", c3, Copy<double>);
    o[5] = c.v + c2.v;
    Guided g(&x == nullptr); IS("bool", g, Guided<bool>);
    IS("guide for pointers", (Guided<int>(1)), Guided<int>);
    Swapped w{1, 2.5f}; IS("aggregate", w, Swapped<float, int>);
    o[6] = w.b;
    List l{1.f, 2.f, 3.f}; IS("list", l, List<float>);
    o[7] = l.n;
    List l2(1, 2.); IS("no list", l2, List<double>);
    o[8] = l2.n;
    Guided g2(g); IS("copy", g2, Guided<bool>);
    Derived d; Guided g3(d); IS("base", g3, Guided<Derived>);
    Holds h(Guided<char>('a')); IS("template template", h, Holds<Guided, char>);
    o[9] = h.m.v;
    Many m{[](int a) { return a + 1; }, [](float a) { return a * 2; }};
    o[10] = m(1) + (int)m(4.f);
}

#ifdef WRONG
template <class T, int N> struct Array { T v[N]; };
__global__ void none(int *o)
{
    Span s(1.5f);
    Array a{1, 2, 3};
    o[0] = s.n;
}
#endif

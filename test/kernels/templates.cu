// Templates as libraries use them. Each kernel writes one number for each check; all must be 1.
// TEST functions: --kernel functions --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST classes: --kernel classes --block 1 --arg 'i32[10]'
// EXPECT arg 0: sum 10 checksum 2d8d2779dbbae475
// TEST variadic: --kernel variadic --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST sfinae: --kernel sfinae --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST expression: --kernel expression --block 4 --arg 'f32[4]=iota' --arg 'f32[4]'
// EXPECT arg 1: sum 24 checksum 7db80c165f5d4335
// TEST instance: --kernel 'fill<short, 4>' --block 4 --arg 'i16[4]'
// EXPECT arg 0: sum 24 checksum 366c8fa92223ab55
#include <type_traits>
#include <utility>

#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

template <typename T> __device__ T largest(T a, T b) { return a < b ? b : a; }
template <> __device__ const char *largest<const char *>(const char *a, const char *) { return a; }
template <typename T, typename U> __device__ auto mixed(T a, U b) -> decltype(a + b) { return a + b; }
template <int N> __device__ constexpr int factorial() { return N * factorial<N - 1>(); }
template <> __device__ constexpr int factorial<0>() { return 1; }
template <typename T, int N> __device__ int count(T (&)[N]) { return N; }
template <class T> __device__ int kind(T) { return 1; }
template <class T> __device__ int kind(T *) { return 2; }
template <class T> __device__ int kind(const T *) { return 3; }
__device__ int kind(int) { return 4; }
template <template <class> class C, class T> __device__ T unwrap(const C<T> &c) { return c.value; }
template <class T> struct wrapper { T value; };

__global__ void functions(int *out)
{
    int a[7] = {}, x = 0;
    const int *p = a;
    CHECK(largest(3, 7) == 7 && largest(2.5, 1.5) == 2.5 && largest<long>(3, 4u) == 4);
    CHECK(*largest("b", "c") == 'b');
    CHECK(mixed(1, 2.5f) == 3.5f && sizeof(mixed('a', 1ll)) == 8);
    CHECK(factorial<10>() == 3628800);
    CHECK(count(a) == 7);
    CHECK(kind(1.0f) == 1 && kind(&x) == 2 && kind(p) == 3 && kind(5) == 4 && kind<int>(5) == 1);
    CHECK(unwrap(wrapper<double>{2.5}) == 2.5);
    static_assert(factorial<5>() == 120, "constant");
    int (*f)(int, int) = largest<int>;
    CHECK(f(4, 2) == 4);
}

template <class T, int N> class ring {
    T items[N];
    int head = 0, used = 0;

public:
    typedef T value_type;
    static constexpr int capacity = N;
    template <class U> struct rebind { typedef ring<U, N> other; };
    __device__ bool push(const T &v)
    {
        if (used == N)
            return false;
        items[(head + used++) % N] = v;
        return true;
    }
    __device__ T pop()
    {
        T v = items[head];
        head = (head + 1) % N;
        used--;
        return v;
    }
    __device__ int size() const { return used; }
    template <class F> __device__ void each(F f) const
    {
        for (int i = 0; i < used; i++)
            f(items[(head + i) % N]);
    }
};
template <class T> struct traits { static const int id = 0; };
template <> struct traits<float> { static const int id = 1; };
template <class T> struct traits<T *> { static const int id = 10 + traits<T>::id; };
template <class T, int N> struct traits<T[N]> { enum { id = 100 * N + traits<T>::id }; };
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
template <class T = int, int N = 4> struct defaults { T v[N]; };
template <int N> struct fib { static constexpr int value = fib<N - 1>::value + fib<N - 2>::value; };
template <> struct fib<1> { static constexpr int value = 1; };
template <> struct fib<0> { static constexpr int value = 0; };
template <class D> struct base {
    __device__ int twice() const { return 2 * static_cast<const D *>(this)->one(); }
};
struct derived : base<derived> {
    __device__ int one() const { return 21; }
};
template <class T> using pointer_to = T *;
template <class T> constexpr T pi = T(3.14159265358979);

__global__ void classes(int *out)
{
    ring<int, 3> r;
    bool full = r.push(1) && r.push(2) && r.push(3) && !r.push(4);
    CHECK(full && r.pop() == 1 && r.push(5) && r.size() == 3);
    int sum = 0;
    r.each([&](int v) { sum = sum * 10 + v; });
    CHECK(sum == 235);
    CHECK(traits<int>::id == 0 && traits<float *>::id == 11 && traits<float **>::id == 21 && traits<float[3]>::id == 301);
    CHECK((same<ring<int, 3>::value_type, int>::value) && !same<int, const int>::value);
    CHECK(sizeof(defaults<>) == 16 && sizeof(defaults<char, 3>) == 3);
    CHECK(fib<20>::value == 6765);
    CHECK(derived().twice() == 42);
    CHECK((same<pointer_to<int>, int *>::value));
    CHECK(pi<int> == 3 && pi<float> > 3.14f);
    CHECK((same<ring<int, 3>::rebind<float>::other, ring<float, 3>>::value && ring<int, 3>::capacity == 3));
}

template <class... T> __device__ int how_many(T...) { return sizeof...(T); }
__device__ int add_all() { return 0; }
template <class T, class... R> __device__ int add_all(T first, R... rest) { return (int)first + add_all(rest...); }
template <class... T> __device__ auto fold(T... v) { return (v + ... + 0); }
template <class... T> __device__ bool all(T... v) { return (... && v); }
template <int... N> struct list { static constexpr int sum = (N + ...), count = sizeof...(N); };
template <class F, class... A> __device__ decltype(auto) call(F &&f, A &&...a) { return std::forward<F>(f)(std::forward<A>(a)...); }
template <size_t... I> __device__ int dot(const int *a, const int *b, std::index_sequence<I...>) { return ((a[I] * b[I]) + ...); }
template <class... B> struct both : B... {
    using B::operator()...;
};
template <class... B> both(B...) -> both<B...>;
struct on_int {
    __device__ int operator()(int) const { return 1; }
};
struct on_float {
    __device__ int operator()(float) const { return 2; }
};

__global__ void variadic(int *out)
{
    CHECK(how_many() == 0 && how_many(1, 'a', 2.0) == 3);
    CHECK(add_all(1, 2.9, 'a', 4u) == 1 + 2 + 97 + 4);
    CHECK(fold(1, 2, 3) == 6 && fold() == 0 && fold(1.5f, 2) == 3.5f);
    CHECK(all(true, 1, 5) && !all(true, false) && all());
    CHECK((list<1, 2, 3, 4>::sum == 10) && (list<7>::count == 1));
    int seen = 5;
    CHECK(call([](int a, int &b) { return b += a; }, 2, seen) == 7 && seen == 7);
    int a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    CHECK(dot(a, b, std::make_index_sequence<4>{}) == 70);
    both<on_int, on_float> o;
    CHECK(o(1) == 1 && o(1.0f) == 2);
}

template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> __device__ int which(T) { return 1; }
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> __device__ int which(T) { return 2; }
template <class T> __device__ auto has_size(const T &t) -> decltype(t.size(), 1) { return 1; }
__device__ int has_size(...) { return 0; }
template <class T, class = void> struct is_callable : std::false_type {};
template <class T> struct is_callable<T, std::void_t<decltype(std::declval<T>()())>> : std::true_type {};
template <class T> __device__ int pick(T v)
{
    if constexpr (std::is_pointer_v<T>)
        return *v;
    else if constexpr (sizeof(T) > 4)
        return -1;
    else
        return (int)v;
}
struct sized {
    __device__ int size() const { return 3; }
};

__global__ void sfinae(int *out)
{
    int x = 9;
    CHECK(which(1) == 1 && which('c') == 1 && which(1.0) == 2);
    CHECK(has_size(sized{}) == 1 && has_size(5) == 0);
    auto lambda = [] { return 1; };
    CHECK(is_callable<decltype(lambda)>::value && !is_callable<int>::value);
    CHECK(pick(&x) == 9 && pick(2.5) == -1 && pick(2.5f) == 2);
    CHECK((std::is_same_v<std::conditional_t<true, int, float>, int>));
    CHECK((std::is_same_v<std::decay_t<const int (&)[3]>, const int *>));
    CHECK((std::is_same_v<std::remove_cv_t<std::remove_reference_t<const volatile int &>>, int>));
    CHECK((std::is_convertible_v<int, double> && !std::is_convertible_v<int *, int>));
}

// sums that are computed element by element, without temporaries
template <class L, class R> struct sum_of {
    const L &l;
    const R &r;
    __device__ float operator[](int i) const { return l[i] + r[i]; }
};
struct values {
    const float *p;
    __device__ float operator[](int i) const { return p[i]; }
};
template <class L, class R> __device__ sum_of<L, R> operator+(const L &l, const R &r) { return {l, r}; }

__global__ void expression(const float *in, float *out)
{
    values v{in};
    out[threadIdx.x] = (v + v + (v + v))[threadIdx.x];
}

template <typename T, int N> __global__ void fill(T *out)
{
    if (threadIdx.x < N)
        out[threadIdx.x] = T(N * threadIdx.x);
}

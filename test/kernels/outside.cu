// Templates that are declared here and defined there: each line is 1 when it is right.
// TEST members: --kernel members --arg 'i32[9]'
// EXPECT arg 0: sum 9 checksum 08ea6050e3ac2ba4
// TEST functions: --kernel functions --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST ordinary: --kernel ordinary --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST dependent: --kernel 'bounded<pair_of, int, 3>' --block 12 --arg 'i32[3]'
// EXPECT arg 0: sum 3 checksum de24483a76fbb974
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// Operators of one signature, defined outside in another order.
template <class T> struct number {
    T v;
    __device__ number &operator+=(const number &z);
    __device__ number &operator-=(const number &z);
    template <class U> __device__ number &operator=(const number<U> &z);
    template <class U> __device__ number &operator*=(const number<U> &z);
    template <class U> __device__ number &operator/=(const number<U> &z);
    __device__ number operator-() const;
    __device__ number operator~() const;
    __device__ bool operator==(const number &z) const;
    __device__ bool operator!=(const number &z) const;
    __device__ T operator[](int i) const;
    __device__ T operator()(int i) const;
    __device__ operator T() const;
    __device__ explicit operator bool() const;
    template <class U> __device__ operator number<U>() const;
};
template <class T> __device__ bool number<T>::operator!=(const number<T> &z) const { return v != z.v; }
template <class T> __device__ bool number<T>::operator==(const number<T> &z) const { return v == z.v; }
template <class T> __device__ number<T> number<T>::operator~() const { return number{~v}; }
template <class T> __device__ number<T> number<T>::operator-() const { return number{-v}; }
template <class T> __device__ T number<T>::operator()(int i) const { return v * i; }
template <class T> __device__ T number<T>::operator[](int i) const { return v + i; }
template <class T> template <class U> __device__ number<T> &number<T>::operator=(const number<U> &z)
{
    v = z.v;
    return *this;
}
template <class T> template <class U> __device__ number<T> &number<T>::operator/=(const number<U> &z)
{
    v /= z.v;
    return *this;
}
template <class T> template <class U> __device__ number<T> &number<T>::operator*=(const number<U> &z)
{
    v *= z.v;
    return *this;
}
template <class T> __device__ number<T> &number<T>::operator-=(const number<T> &z)
{
    v -= z.v;
    return *this;
}
template <class T> __device__ number<T> &number<T>::operator+=(const number<T> &z)
{
    v += z.v;
    return *this;
}
template <class T> __device__ number<T>::operator bool() const { return v != 7; }
template <class T> __device__ number<T>::operator T() const { return v * 3; }
template <class T> template <class U> __device__ number<T>::operator number<U>() const { return number<U>{(U)v + 9}; }

__global__ void members(int *out)
{
    number<int> a{7}, b{2};
    a += b;
    CHECK(a.v == 9);
    a -= b;
    CHECK(a.v == 7 && (-a).v == -7 && (~a).v == ~7);
    number<short> s{3};
    a *= s;
    CHECK(a.v == 21);
    a /= s;
    CHECK(a.v == 7 && a[3] == 10 && a(3) == 21);
    CHECK(a != b && !(a == b));
    b = s;
    CHECK(b.v == 3);
    CHECK(!(a ? true : false) && (b ? true : false));
    CHECK(static_cast<int>(a) == 21);
    CHECK(static_cast<number<float>>(a).v == 16);
}

// The parameters of a template go by other names where it is defined.
namespace far {
template <class T> struct box {
    T v;
};
template <class T> __device__ box<T> more(const box<T> &b);
template <class A, int N, template <class> class C> __device__ int several(C<A>, A (&list)[N]);
template <class A, class B> __device__ int in_order(A, B);
template <typename V> __device__ box<V> more(const box<V> &b) { return box<V>{b.v + 1}; }
template <> __device__ box<double> more(const box<double> &b) { return box<double>{b.v + 2}; }
template <class E, int M, template <class> class Of> __device__ int several(Of<E> o, E (&list)[M]) { return M + (int)o.v + (int)list[0]; }
template <class X, class Y> __device__ int in_order(X, Y) { return sizeof(X) * 10 + sizeof(Y); }
}
template <class B> __device__ B found(B b) { return more(b); }

template <class H> __device__ float through_volatile(volatile H *s)
{
    s[1] = H(2.5f);
    H h = s[1];
    return (float)h;
}
// Its constructor leaves no trace, as in CUDA: what is constant would have been there before.
struct word {
    int w;
    __device__ constexpr word() : w() {}
    __device__ constexpr word(int v) : w(v) {}
};

// Which of several functions a template is given is said by its parameter.
__device__ int by_type(int v) { return v + 1; }
__device__ float by_type(float v) { return v + 2; }
template <class T> __device__ T by_deduction(T *p, int n) { return p[n]; }
template <class T> __device__ T by_deduction(T *p) { return *p; }
template <class T, T (*F)(T), T (*G)(T *)> struct calls {
    __device__ T operator()(T v) const { return F(v) * G(&v); }
};
using whole = calls<int, by_type, by_deduction>;
template <class T> using of_type = calls<T, by_type, by_deduction>;

// A function whose name stands in parentheses is no constructor.
struct limited {
    int v;
    __device__ limited(int v) : v(v) {}
    __device__ static limited(max)() { return limited(7); }
    __device__ limited (times)(int k) const { return limited(v * k); }
};
template <class T> struct limits_of {
    T v;
    __device__ static limits_of(min)() { return limits_of{T(3)}; }
};

__global__ void functions(int *out)
{
    CHECK(limited::max().times(2).v == 14 && (limits_of<float>::min)().v == 3);
    CHECK(whole()(3) == 12 && of_type<float>()(3) == 15);
    CHECK(found(far::box<float>{1}).v == 2 && found(far::box<double>{1}).v == 3);
    int list[5] = {4};
    CHECK(far::several(far::box<int>{10}, list) == 19 && far::in_order('a', 2.0) == 18);
    __shared__ volatile __half h[2];
    __shared__ volatile __nv_bfloat16 b[2];
    CHECK(through_volatile<__half>(h) == 2.5f && through_volatile<__nv_bfloat16>(b) == 2.5f);
    __shared__ word shared;
    shared = word(8);
    CHECK(shared.w == 8);
}

// A member template of a class that is not known yet, handed on by an alias.
template <int N> struct times {
    template <class T> struct of {
        static constexpr int n = N * (int)sizeof(T);
    };
};
template <class P, template <class...> class A, class... Ts> struct holds {
    using first = A<Ts...>;
};
template <class P, template <class...> class A, class... Ts> using holds_of = holds<P, A, Ts...>;
template <template <class...> class A, class... Ts> using applied = A<Ts...>;
struct pair_of {
    using part = char;
};
template <class P, class T, int N>
__launch_bounds__(int(holds_of<typename P::part, times<N>::template of, T>::first::n)) __global__ void bounded(int *out)
{
    if (threadIdx.x)
        return;
    CHECK(holds_of<typename P::part, times<N>::template of, T>::first::n == 12);
    CHECK(applied<times<N>::template of, T>::n == 12);
    CHECK(applied<times<2>::of, T>::n == 8);
}

// Static ones, and those whose side only the declaration says.
class counted {
    int from;

  public:
    __device__ counted(int from) : from(from) {}
    template <typename T> __device__ static int twice(const T &v);
    template <typename T> __host__ __device__ int add(T v, int times = 2) const;
    struct inner {
        template <class T> __device__ static int same(T v);
    };
};
template <typename T> __device__ int counted::twice(const T &v) { return 2 * v; }
template <typename T> int counted::add(T v, int times) const { return from + times * v; }
template <class T> __device__ int counted::inner::same(T v) { return v; }

// Overloads of a member template whose parameters are of one type by other names.
typedef unsigned other_unsigned;
struct letters {
    template <typename T, other_unsigned N> __device__ T get(const char (&name)[N]) const;
    template <typename T, ::other_unsigned N, unsigned M> __device__ T get(const char (&name)[M], unsigned i) const;
};
template <typename T, unsigned N> __device__ T letters::get(const char (&name)[N]) const
{
    return (T)(name[0] + N);
}
template <typename T, other_unsigned N, unsigned int M> __device__ T letters::get(const char (&name)[M], unsigned i) const
{
    return (T)(name[i] + 10 * N + M);
}

// Member templates of a class that is none, defined outside: operators, conversions, what the declaration says by default;
// and an enumeration that is declared before it is defined.
enum class shade;
template <shade S> class painted;
enum class shade { dark, light };
template <shade S> class painted {
  public:
    int n = (int)S;
};
template <class T> struct is_shade {};
template <> struct is_shade<shade> {
    typedef void type;
};
class code {
  public:
    int v;
    template <class E> __device__ code(E e, typename is_shade<E>::type * = 0, int x = 7);
    template <class E> __device__ int plus(E e, E * = 0, int x = 8) const;
    template <class E> __device__ int operator()(E e, E f) const;
    template <class E> __device__ code &operator+=(E e);
    template <class E> __device__ code &operator-=(const E *e);
    template <class E> __device__ operator E() const;
};
template <class E> __device__ code::code(E e, typename is_shade<E>::type *, int x) { v = (int)e + x; }
template <class E> __device__ int code::plus(E e, E *, int x) const { return v + e + x; }
template <class E> __device__ int code::operator()(E e, E f) const { return e * f; }
template <class E> __device__ code &code::operator+=(E e)
{
    v += e;
    return *this;
}
template <class E> __device__ code &code ::operator-=(const E *e)
{
    v -= *e;
    return *this;
}
template <class E> __device__ code ::operator E() const { return (E)v; }
__global__ void ordinary(int *out)
{
    code c(shade::light);
    CHECK(c.v == 8 && painted<shade::light>().n == 1);
    c += 5;
    CHECK(c.v == 13);
    const int two = 2;
    c -= &two;
    CHECK(c.v == 11 && c.plus(4) == 23);
    const double d = c;
    CHECK(d == 11.0 && c(2, 3) == 6);
    CHECK(counted::twice(3) + counted(1).twice('a') + counted(5).add(2) + counted::inner::same(7) == 216);
    CHECK(letters().get<int>("ab") == 'a' + 3 && letters().get<int, 4>("ab", 1) == 'b' + 43);
}

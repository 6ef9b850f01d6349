// Members of class templates that are defined outside of them: operators, conversions, special ones, other names.
#include <cstdio>
template <class T> T twice(T x);
template <class T> struct one { T x; };
template <int L, class T> struct v {
    T x;
    template <class U> v &operator=(v<L, U> const &o);
    template <class U> v &operator+=(U s);
    template <class U> v &operator+=(one<U> const &o);
    template <class U> v &operator+=(v<L, U> const &o);
    template <class U> v &operator-=(v<L, U> const &o);
    v &operator*=(T s);
    v &operator/=(T s);
    T operator()(T s) const;
    T operator[](T s) const;
    explicit operator int() const;
    explicit operator bool() const;
    explicit operator double() const;
};
template <int L, class T> template <class U> v<L, T> &v<L, T>::operator-=(v<L, U> const &o) { x -= o.x; puts("-="); return *this; }
template <int L, class T> template <class U> v<L, T> &v<L, T>::operator=(v<L, U> const &o) { x = o.x; puts("="); return *this; }
template <int L, class T> template <class U> v<L, T> &v<L, T>::operator+=(U s) { x += s; puts("+= number"); return *this; }
template <int L, class T> template <class U> v<L, T> &v<L, T>::operator+=(one<U> const &o) { x += o.x; puts("+= one"); return *this; }
template <int L, class T> template <class U> v<L, T> &v<L, T>::operator+=(v<L, U> const &o) { x += o.x; puts("+="); return *this; }
template <int L, class T> v<L, T> &v<L, T>::operator/=(T s) { x /= s; return *this; }
template <int L, class T> v<L, T> &v<L, T>::operator*=(T s) { x *= s; return *this; }
template <int L, class T> T v<L, T>::operator[](T s) const { return x - s; }
template <int L, class T> T v<L, T>::operator()(T s) const { return x + s; }
template <int L, class T> v<L, T>::operator double() const { return x + 0.5; }
template <int L, class T> v<L, T>::operator bool() const { return x != 0; }
template <int L, class T> v<L, T>::operator int() const { return (int)x + 100; }

template <> inline int twice(int x) { return x + x; }
template <class Other> inline Other twice(Other value) { return 2 * value; } // the same template by another parameter's name

struct sink { int total = 0; };
template <class S> struct writer {
    S *to;
    bool put(unsigned long number);
    bool empty(int n) { return n == 0; }
};
template <class S> bool writer<S>::put(unsigned long number) { printf("any %lu\n", number); return false; }
template <> inline bool writer<sink>::put(unsigned long u) { to->total += (int)u; return true; }
template <> inline bool writer<sink>::empty(int how_many) { return how_many < 3; }

int main()
{
    v<3, float> a{1}, b{2};
    const v<3, double> d{7};
    const one<float> c{5};
    a += b;
    a -= b;
    a += 2.f;
    a += c;
    a = d;
    a *= 6;
    a /= 4;
    printf("%g %g %g\n", a.x, a(1), a[1]);
    printf("%d %d %g\n", (int)a, (bool)a ? 1 : 0, (double)a);
    printf("%d %g\n", twice(4), twice(1.25));
    sink s;
    writer<sink> w{&s};
    int n = 0;
    writer<int> x{&n};
    bool put = w.put(40);
    put = put && w.put(2);
    printf("%d\n", put);
    put = x.put(8);
    printf("%d %d %d\n", put, w.empty(2), x.empty(2));
    printf("%d\n", s.total);
}

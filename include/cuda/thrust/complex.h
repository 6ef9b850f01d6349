/* Complex numbers for host and device code. */
#pragma once
#include "thrust/detail/traits.h"
#include <cmath>
#ifndef __TERN_DEVICE__
#include <complex>
#include <ostream>
#endif

namespace thrust
{
template <class T> struct complex {
    typedef T value_type;
    alignas(2 * sizeof(T)) T re;
    T im;

    THRUST_HD constexpr complex() : re(), im()
    {
    }
    THRUST_HD constexpr complex(const T &re) : re(re), im()
    {
    }
    THRUST_HD constexpr complex(const T &re, const T &im) : re(re), im(im)
    {
    }
    template <class U> THRUST_HD constexpr complex(const complex<U> &o) : re((T)o.re), im((T)o.im)
    {
    }
    complex(const complex &) = default;
    complex &operator=(const complex &) = default;
#ifndef __TERN_DEVICE__
    template <class U> complex(const std::complex<U> &o) : re((T)o.real()), im((T)o.imag())
    {
    }
    operator std::complex<T>() const
    {
        return std::complex<T>(re, im);
    }
#endif
    THRUST_HD complex &operator=(const T &x)
    {
        re = x;
        im = T();
        return *this;
    }
    template <class U> THRUST_HD complex &operator=(const complex<U> &o)
    {
        re = (T)o.re;
        im = (T)o.im;
        return *this;
    }
    THRUST_HD constexpr T real() const
    {
        return re;
    }
    THRUST_HD constexpr T imag() const
    {
        return im;
    }
    THRUST_HD void real(T x)
    {
        re = x;
    }
    THRUST_HD void imag(T x)
    {
        im = x;
    }
    template <class U> THRUST_HD complex &operator+=(const U &o)
    {
        return *this = *this + o;
    }
    template <class U> THRUST_HD complex &operator-=(const U &o)
    {
        return *this = *this - o;
    }
    template <class U> THRUST_HD complex &operator*=(const U &o)
    {
        return *this = *this * o;
    }
    template <class U> THRUST_HD complex &operator/=(const U &o)
    {
        return *this = *this / o;
    }
};

namespace detail
{
template <class T, class U> using complex_of = complex<typename std::common_type<T, U>::type>;
template <class T, class U>
using complex_with = complex<typename std::enable_if<std::is_arithmetic<U>::value,
                                                     typename std::common_type<T, U>::type>::type>;
} // namespace detail

template <class T, class U>
THRUST_HD detail::complex_of<T, U> operator+(const complex<T> &a, const complex<U> &b)
{
    return {a.re + b.re, a.im + b.im};
}
template <class T, class U>
THRUST_HD detail::complex_of<T, U> operator-(const complex<T> &a, const complex<U> &b)
{
    return {a.re - b.re, a.im - b.im};
}
template <class T, class U>
THRUST_HD detail::complex_of<T, U> operator*(const complex<T> &a, const complex<U> &b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T, class U>
THRUST_HD detail::complex_of<T, U> operator/(const complex<T> &x, const complex<U> &y)
{
    typedef typename std::common_type<T, U>::type R;
    const R a = x.re, b = x.im, c = y.re, d = y.im;
    const R s = (c < 0 ? -c : c) + (d < 0 ? -d : d); /* scaled, so that squares do not overflow */
    const R as = a / s, bs = b / s, cs = c / s, ds = d / s, q = cs * cs + ds * ds;
    return {(as * cs + bs * ds) / q, (bs * cs - as * ds) / q};
}
#define THRUST_MIXED(op)                                                                           \
    template <class T, class U>                                                                    \
    THRUST_HD detail::complex_with<T, U> operator op(const complex<T> &a, const U &b)              \
    {                                                                                              \
        return detail::complex_with<T, U>(a) op detail::complex_with<T, U>(b);                     \
    }                                                                                              \
    template <class T, class U>                                                                    \
    THRUST_HD detail::complex_with<T, U> operator op(const U &a, const complex<T> &b)              \
    {                                                                                              \
        return detail::complex_with<T, U>(a) op detail::complex_with<T, U>(b);                     \
    }
THRUST_MIXED(+)
THRUST_MIXED(-)
#undef THRUST_MIXED
template <class T, class U>
THRUST_HD detail::complex_with<T, U> operator*(const complex<T> &a, const U &b)
{
    return {a.re * b, a.im * b};
}
template <class T, class U>
THRUST_HD detail::complex_with<T, U> operator*(const U &a, const complex<T> &b)
{
    return {a * b.re, a * b.im};
}
template <class T, class U>
THRUST_HD detail::complex_with<T, U> operator/(const complex<T> &a, const U &b)
{
    return {a.re / b, a.im / b};
}
template <class T, class U>
THRUST_HD detail::complex_with<T, U> operator/(const U &a, const complex<T> &b)
{
    typedef typename std::common_type<T, U>::type R;
    return complex<R>((R)a) / complex<R>(b);
}
template <class T> THRUST_HD constexpr complex<T> operator+(const complex<T> &a)
{
    return a;
}
template <class T> THRUST_HD constexpr complex<T> operator-(const complex<T> &a)
{
    return {-a.re, -a.im};
}
template <class T, class U> THRUST_HD constexpr bool operator==(const complex<T> &a, const complex<U> &b)
{
    return a.re == b.re && a.im == b.im;
}
template <class T, class U, typename std::enable_if<std::is_arithmetic<U>::value, int>::type = 0>
THRUST_HD constexpr bool operator==(const complex<T> &a, const U &b)
{
    return a.re == b && a.im == T();
}
template <class T, class U, typename std::enable_if<std::is_arithmetic<U>::value, int>::type = 0>
THRUST_HD constexpr bool operator==(const U &a, const complex<T> &b)
{
    return b == a;
}
template <class T, class U> THRUST_HD constexpr bool operator!=(const complex<T> &a, const U &b)
{
    return !(a == b);
}
template <class T, class U, typename std::enable_if<std::is_arithmetic<U>::value, int>::type = 0>
THRUST_HD constexpr bool operator!=(const U &a, const complex<T> &b)
{
    return !(b == a);
}

template <class T> THRUST_HD constexpr T norm(const complex<T> &z)
{
    return z.re * z.re + z.im * z.im;
}
template <class T> THRUST_HD T abs(const complex<T> &z)
{
    return ::hypot(z.re, z.im);
}
template <class T> THRUST_HD T arg(const complex<T> &z)
{
    return ::atan2(z.im, z.re);
}
template <class T> THRUST_HD constexpr complex<T> conj(const complex<T> &z)
{
    return {z.re, -z.im};
}
template <class T> THRUST_HD complex<T> polar(const T &length, const T &angle = T())
{
    return {length * (T)::cos(angle), length * (T)::sin(angle)};
}
#define __TERN_COMPLEX_FN THRUST_HD
#include "tern_complex.h"
#undef __TERN_COMPLEX_FN
template <class T> THRUST_HD complex<T> pow(const complex<T> &z, const complex<T> &e)
{
    return exp(log(z) * e);
}
template <class T> THRUST_HD complex<T> pow(const complex<T> &z, const T &e)
{
    return exp(log(z) * e);
}
template <class T> THRUST_HD complex<T> pow(const T &x, const complex<T> &e)
{
    return exp(e * (T)::log(x));
}
/* Of two types: the wider of those that are floating, else the one that is. */
namespace detail
{
template <class T, class U>
using wider = typename std::conditional<std::is_floating_point<U>::value && (sizeof(U) > sizeof(T)),
                                        U, T>::type;
template <class T, class U>
using if_differ = typename std::enable_if<!std::is_same<T, U>::value, int>::type;
} // namespace detail
template <class T, class U, detail::if_differ<T, U> = 0>
THRUST_HD complex<detail::wider<T, U>> pow(const complex<T> &z, const complex<U> &e)
{
    typedef detail::wider<T, U> W;
    return thrust::pow(complex<W>(z), complex<W>(e));
}
template <class T, class U, detail::if_differ<T, U> = 0>
THRUST_HD complex<detail::wider<T, U>> pow(const complex<T> &z, const U &e)
{
    typedef detail::wider<T, U> W;
    return thrust::pow(complex<W>(z), (W)e);
}
template <class T, class U, detail::if_differ<T, U> = 0>
THRUST_HD complex<detail::wider<T, U>> pow(const U &x, const complex<T> &e)
{
    typedef detail::wider<T, U> W;
    return thrust::pow((W)x, complex<W>(e));
}
#ifndef __TERN_DEVICE__
template <class T, class U> bool operator==(const complex<T> &a, const std::complex<U> &b)
{
    return a == complex<U>(b);
}
template <class T, class U> bool operator==(const std::complex<U> &b, const complex<T> &a)
{
    return a == complex<U>(b);
}
template <class T, class U> bool operator!=(const std::complex<U> &b, const complex<T> &a)
{
    return !(a == complex<U>(b));
}
template <class C, class S, class T>
std::basic_ostream<C, S> &operator<<(std::basic_ostream<C, S> &to, const complex<T> &z)
{
    return to << std::complex<T>(z);
}
template <class C, class S, class T>
std::basic_istream<C, S> &operator>>(std::basic_istream<C, S> &from, complex<T> &z)
{
    std::complex<T> c;
    if (from >> c)
        z = c;
    return from;
}
#endif
} // namespace thrust

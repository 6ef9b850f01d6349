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
/* At the ends of the range, infinities and NaNs among them, these do as C's complex functions (its Annex G). */
template <class T> THRUST_HD complex<T> exp(const complex<T> &z)
{
    if (z.im == T())
        return {(T)::exp(z.re), z.im};
    if (z.im - z.im != T()) { /* not finite */
        if (::isinf(z.re))
            return z.re < T() ? complex<T>(T(), (T)::copysign(T(), z.im)) : complex<T>(z.re, z.im - z.im);
        return {z.im - z.im, z.im - z.im};
    }
    const T c = (T)::cos(z.im), s = (T)::sin(z.im);
    if (::isinf(z.re)) {
        const T size = z.re < T() ? T() : z.re;
        return {(T)::copysign(size, c), (T)::copysign(size, s)};
    }
    const T most = sizeof(T) == 4 ? (T)88 : (T)709;
    if (z.re > most) { /* the parts may fit though the length does not */
        const T part = (T)::exp(z.re - most), whole = (T)::exp(most);
        return {whole * c * part, whole * s * part};
    }
    const T length = (T)::exp(z.re);
    return {length * c, length * s};
}
template <class T> THRUST_HD complex<T> log(const complex<T> &z)
{
    return {(T)::log(abs(z)), arg(z)};
}
template <class T> THRUST_HD complex<T> log10(const complex<T> &z)
{
    return log(z) / (T)2.30258509299404568402;
}
template <class T> THRUST_HD complex<T> sqrt(const complex<T> &z)
{
    if (z.re == T() && z.im == T())
        return {T(), z.im};
    if (::isinf(z.im))
        return {(T)::fabs(z.im), z.im};
    if (::isinf(z.re)) {
        const T other = z.im != z.im ? z.im : T();
        return z.re > T() ? complex<T>(z.re, z.im != z.im ? z.im : (T)::copysign(T(), z.im))
                          : complex<T>(other, (T)::copysign(z.re, z.im));
    }
    const T large = sizeof(T) == 4 ? (T)1e37f : (T)1e307;
    if ((T)::fabs(z.re) > large || (T)::fabs(z.im) > large) { /* the sum below would not fit */
        const complex<T> w = sqrt(complex<T>(z.re / 16, z.im / 16));
        return {4 * w.re, 4 * w.im};
    }
    const T m = (T)::sqrt((abs(z) + (z.re < 0 ? -z.re : z.re)) / 2), o = z.im / (2 * m);
    if (z.re >= 0)
        return {m, o};
    return {(T)::fabs(o), (T)::copysign(m, z.im)};
}
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
template <class T> THRUST_HD complex<T> cosh(const complex<T> &z)
{
    const T none = z.im - z.im; /* NaN where im is not finite */
    if (z.im == T())
        return {(T)::cosh(z.re), z.re != z.re ? z.im : (T)::copysign(T(), z.re) * z.im};
    if (none != T()) {
        if (z.re == T())
            return {none, (T)::copysign(T(), z.re)};
        return {::isinf(z.re) ? z.re * z.re : none, none};
    }
    const T c = (T)::cos(z.im), s = (T)::sin(z.im);
    if (::isinf(z.re))
        return {(T)::copysign(z.re, c), (T)::copysign(z.re, s) * (T)::copysign(T(1), z.re)};
    const T most = sizeof(T) == 4 ? (T)88 : (T)709, size = (T)::fabs(z.re);
    if (size > most) {
        const T part = (T)::exp(size - most) / 2, whole = (T)::exp(most);
        return {whole * c * part, (T)::copysign(whole, z.re) * s * part};
    }
    return {(T)::cosh(z.re) * c, (T)::sinh(z.re) * s};
}
template <class T> THRUST_HD complex<T> sinh(const complex<T> &z)
{
    const T none = z.im - z.im;
    if (z.im == T())
        return {(T)::sinh(z.re), z.im};
    if (none != T()) {
        if (z.re == T())
            return {z.re, none};
        return {::isinf(z.re) ? z.re : none, none};
    }
    const T c = (T)::cos(z.im), s = (T)::sin(z.im);
    if (::isinf(z.re))
        return {z.re * (T)::copysign(T(1), c), (T)::copysign(z.re, s)};
    const T most = sizeof(T) == 4 ? (T)88 : (T)709, size = (T)::fabs(z.re);
    if (size > most) {
        const T part = (T)::exp(size - most) / 2, whole = (T)::exp(most);
        return {(T)::copysign(whole, z.re) * c * part, whole * s * part};
    }
    return {(T)::sinh(z.re) * c, (T)::cosh(z.re) * s};
}
template <class T> THRUST_HD complex<T> tanh(const complex<T> &z)
{
    const T none = z.im - z.im;
    if (z.re != z.re)
        return {z.re, z.im == T() ? z.im : z.re * z.im};
    if (::isinf(z.re)) {
        const T sign = none == T() ? (T)::sin(z.im) * (T)::cos(z.im) : z.im;
        return {(T)::copysign(T(1), z.re), (T)::copysign(T(), sign)};
    }
    if (none != T())
        return {z.re == T() ? z.re : none, none};
    const T most = sizeof(T) == 4 ? (T)11 : (T)22;
    if ((T)::fabs(z.re) >= most) {
        const T e = (T)::exp(-(T)::fabs(z.re));
        return {(T)::copysign(T(1), z.re), 4 * (T)::sin(z.im) * (T)::cos(z.im) * e * e};
    }
    /* by t = tan(im), s = sinh(re): neither part loses digits (Kahan) */
    const T t = (T)::tan(z.im), beta = 1 + t * t, s = (T)::sinh(z.re), rho = (T)::sqrt(1 + s * s);
    if (::isinf(t))
        return {rho / s, 1 / t};
    const T below = 1 + beta * s * s;
    return {beta * rho * s / below, t / below};
}
/* by i: sin z = -i sinh(iz), cos z = cosh(iz), tan z = -i tanh(iz) */
template <class T> THRUST_HD complex<T> sin(const complex<T> &z)
{
    const complex<T> w = sinh(complex<T>(-z.im, z.re));
    return {w.im, -w.re};
}
template <class T> THRUST_HD complex<T> cos(const complex<T> &z)
{
    return cosh(complex<T>(-z.im, z.re));
}
template <class T> THRUST_HD complex<T> tan(const complex<T> &z)
{
    const complex<T> w = tanh(complex<T>(-z.im, z.re));
    return {w.im, -w.re};
}

template <class T> THRUST_HD complex<T> proj(const complex<T> &z)
{
    return ::isinf(z.re) || ::isinf(z.im) ? complex<T>((T)HUGE_VAL, (T)::copysign(T(), z.im)) : z;
}
/* Inverses, by square roots that keep the signs of zeros (Kahan, Branch Cuts for Complex Elementary Functions). */
template <class T> THRUST_HD bool __tern_far(const complex<T> &z)
{
    const T far = sizeof(T) == 4 ? (T)1e15f : (T)1e150;
    return ::fabs(z.re) > far || ::fabs(z.im) > far;
}
template <class T> THRUST_HD complex<T> asin(const complex<T> &z)
{
    if (__tern_far(z))
        return {(T)::atan2(z.re, (T)::fabs(z.im)), (T)::copysign((T)::log(abs(z) / 2) + (T)1.38629436111989061883, z.im)};
    const complex<T> a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
    return {(T)::atan2(z.re, a.re * b.re - a.im * b.im), (T)::asinh(a.re * b.im - a.im * b.re)};
}
template <class T> THRUST_HD complex<T> acos(const complex<T> &z)
{
    const complex<T> a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
    return {2 * (T)::atan2(a.re, b.re), (T)::asinh(b.re * a.im - b.im * a.re)};
}
template <class T> THRUST_HD complex<T> acosh(const complex<T> &z)
{
    const complex<T> a = sqrt(complex<T>(z.re - 1, z.im)), b = sqrt(complex<T>(z.re + 1, z.im));
    return {(T)::asinh(a.re * b.re + a.im * b.im), 2 * (T)::atan2(a.im, b.re)};
}
template <class T> THRUST_HD complex<T> asinh(const complex<T> &z)
{
    const complex<T> w = asin(complex<T>(-z.im, z.re));
    return {w.im, -w.re};
}
template <class T> THRUST_HD complex<T> atanh(const complex<T> &z)
{
    const T right = (T)1.57079632679489661923, beside = 1 - (T)::fabs(z.re), far = beside * beside + z.im * z.im;
    if (__tern_far(z)) {
        const T r = abs(z);
        return {::isinf(r) ? (T)::copysign(T(), z.re) : z.re / r / r, z.im != z.im ? z.im : (T)::copysign(right, z.im)};
    }
    if (far < (sizeof(T) == 4 ? (T)1e-30f : (T)1e-290))
        return {(T)::copysign(((T)::log((T)2) - (T)::log((T)::hypot(beside, z.im))) / 2, z.re), (T)::copysign(right / 2, z.im)};
    if (z.re < T())
        return {-(T)::log1p(-4 * z.re / far) / 4, (T)::atan2(2 * z.im, (1 - z.re) * (1 + z.re) - z.im * z.im) / 2};
    return {(T)::log1p(4 * z.re / far) / 4, (T)::atan2(2 * z.im, (1 - z.re) * (1 + z.re) - z.im * z.im) / 2};
}
template <class T> THRUST_HD complex<T> atan(const complex<T> &z)
{
    const complex<T> w = atanh(complex<T>(-z.im, z.re));
    return {w.im, -w.re};
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

/* Functions of complex numbers, for thrust::complex (which cuda::std's is) and, in host code of our own, std::complex: included once
 * inside each namespace, behind the class, real, imag, abs and arg, with __TERN_COMPLEX_FN the words before each function. */
/* At the ends of the range, infinities and NaNs among them, these do as C's complex functions (its Annex G). */
template <class T> __TERN_COMPLEX_FN complex<T> exp(const complex<T> &z)
{
    if (z.imag() == T())
        return {(T)::exp(z.real()), z.imag()};
    if (z.imag() - z.imag() != T()) { /* not finite */
        if (::isinf(z.real()))
            return z.real() < T() ? complex<T>(T(), (T)::copysign(T(), z.imag())) : complex<T>(z.real(), z.imag() - z.imag());
        return {z.imag() - z.imag(), z.imag() - z.imag()};
    }
    const T c = (T)::cos(z.imag()), s = (T)::sin(z.imag());
    if (::isinf(z.real())) {
        const T size = z.real() < T() ? T() : z.real();
        return {(T)::copysign(size, c), (T)::copysign(size, s)};
    }
    const T most = sizeof(T) == 4 ? (T)88 : (T)709;
    if (z.real() > most) { /* the parts may fit though the length does not */
        const T part = (T)::exp(z.real() - most), whole = (T)::exp(most);
        return {whole * c * part, whole * s * part};
    }
    const T length = (T)::exp(z.real());
    return {length * c, length * s};
}
template <class T> __TERN_COMPLEX_FN complex<T> log(const complex<T> &z)
{
    return {(T)::log(abs(z)), arg(z)};
}
template <class T> __TERN_COMPLEX_FN complex<T> log10(const complex<T> &z)
{
    return log(z) / (T)2.30258509299404568402;
}
template <class T> __TERN_COMPLEX_FN complex<T> sqrt(const complex<T> &z)
{
    if (z.real() == T() && z.imag() == T())
        return {T(), z.imag()};
    if (::isinf(z.imag()))
        return {(T)::fabs(z.imag()), z.imag()};
    if (::isinf(z.real())) {
        const T other = z.imag() != z.imag() ? z.imag() : T();
        return z.real() > T() ? complex<T>(z.real(), z.imag() != z.imag() ? z.imag() : (T)::copysign(T(), z.imag()))
                          : complex<T>(other, (T)::copysign(z.real(), z.imag()));
    }
    const T large = sizeof(T) == 4 ? (T)1e37f : (T)1e307;
    if ((T)::fabs(z.real()) > large || (T)::fabs(z.imag()) > large) { /* the sum below would not fit */
        const complex<T> w = sqrt(complex<T>(z.real() / 16, z.imag() / 16));
        return {4 * w.real(), 4 * w.imag()};
    }
    const T m = (T)::sqrt((abs(z) + (z.real() < 0 ? -z.real() : z.real())) / 2), o = z.imag() / (2 * m);
    if (z.real() >= 0)
        return {m, o};
    return {(T)::fabs(o), (T)::copysign(m, z.imag())};
}
template <class T> __TERN_COMPLEX_FN complex<T> cosh(const complex<T> &z)
{
    const T none = z.imag() - z.imag(); /* NaN where im is not finite */
    if (z.imag() == T())
        return {(T)::cosh(z.real()), z.real() != z.real() ? z.imag() : (T)::copysign(T(), z.real()) * z.imag()};
    if (none != T()) {
        if (z.real() == T())
            return {none, (T)::copysign(T(), z.real())};
        return {::isinf(z.real()) ? z.real() * z.real() : none, none};
    }
    const T c = (T)::cos(z.imag()), s = (T)::sin(z.imag());
    if (::isinf(z.real()))
        return {(T)::copysign(z.real(), c), (T)::copysign(z.real(), s) * (T)::copysign(T(1), z.real())};
    const T most = sizeof(T) == 4 ? (T)88 : (T)709, size = (T)::fabs(z.real());
    if (size > most) {
        const T part = (T)::exp(size - most) / 2, whole = (T)::exp(most);
        return {whole * c * part, (T)::copysign(whole, z.real()) * s * part};
    }
    return {(T)::cosh(z.real()) * c, (T)::sinh(z.real()) * s};
}
template <class T> __TERN_COMPLEX_FN complex<T> sinh(const complex<T> &z)
{
    const T none = z.imag() - z.imag();
    if (z.imag() == T())
        return {(T)::sinh(z.real()), z.imag()};
    if (none != T()) {
        if (z.real() == T())
            return {z.real(), none};
        return {::isinf(z.real()) ? z.real() : none, none};
    }
    const T c = (T)::cos(z.imag()), s = (T)::sin(z.imag());
    if (::isinf(z.real()))
        return {z.real() * (T)::copysign(T(1), c), (T)::copysign(z.real(), s)};
    const T most = sizeof(T) == 4 ? (T)88 : (T)709, size = (T)::fabs(z.real());
    if (size > most) {
        const T part = (T)::exp(size - most) / 2, whole = (T)::exp(most);
        return {(T)::copysign(whole, z.real()) * c * part, whole * s * part};
    }
    return {(T)::sinh(z.real()) * c, (T)::cosh(z.real()) * s};
}
template <class T> __TERN_COMPLEX_FN complex<T> tanh(const complex<T> &z)
{
    const T none = z.imag() - z.imag();
    if (z.real() != z.real())
        return {z.real(), z.imag() == T() ? z.imag() : z.real() * z.imag()};
    if (::isinf(z.real())) {
        const T sign = none == T() ? (T)::sin(z.imag()) * (T)::cos(z.imag()) : z.imag();
        return {(T)::copysign(T(1), z.real()), (T)::copysign(T(), sign)};
    }
    if (none != T())
        return {z.real() == T() ? z.real() : none, none};
    const T most = sizeof(T) == 4 ? (T)11 : (T)22;
    if ((T)::fabs(z.real()) >= most) {
        const T e = (T)::exp(-(T)::fabs(z.real()));
        return {(T)::copysign(T(1), z.real()), 4 * (T)::sin(z.imag()) * (T)::cos(z.imag()) * e * e};
    }
    /* by t = tan(im), s = sinh(re): neither part loses digits (Kahan) */
    const T t = (T)::tan(z.imag()), beta = 1 + t * t, s = (T)::sinh(z.real()), rho = (T)::sqrt(1 + s * s);
    if (::isinf(t))
        return {rho / s, 1 / t};
    const T below = 1 + beta * s * s;
    return {beta * rho * s / below, t / below};
}
/* by i: sin z = -i sinh(iz), cos z = cosh(iz), tan z = -i tanh(iz) */
template <class T> __TERN_COMPLEX_FN complex<T> sin(const complex<T> &z)
{
    const complex<T> w = sinh(complex<T>(-z.imag(), z.real()));
    return {w.imag(), -w.real()};
}
template <class T> __TERN_COMPLEX_FN complex<T> cos(const complex<T> &z)
{
    return cosh(complex<T>(-z.imag(), z.real()));
}
template <class T> __TERN_COMPLEX_FN complex<T> tan(const complex<T> &z)
{
    const complex<T> w = tanh(complex<T>(-z.imag(), z.real()));
    return {w.imag(), -w.real()};
}

template <class T> __TERN_COMPLEX_FN complex<T> proj(const complex<T> &z)
{
    return ::isinf(z.real()) || ::isinf(z.imag()) ? complex<T>((T)HUGE_VAL, (T)::copysign(T(), z.imag())) : z;
}
/* Inverses, by square roots that keep the signs of zeros (Kahan, Branch Cuts for Complex Elementary Functions). */
template <class T> __TERN_COMPLEX_FN bool __tern_far(const complex<T> &z)
{
    const T far = sizeof(T) == 4 ? (T)1e15f : (T)1e150;
    return ::fabs(z.real()) > far || ::fabs(z.imag()) > far;
}
template <class T> __TERN_COMPLEX_FN complex<T> asin(const complex<T> &z)
{
    if (__tern_far(z))
        return {(T)::atan2(z.real(), (T)::fabs(z.imag())), (T)::copysign((T)::log(abs(z) / 2) + (T)1.38629436111989061883, z.imag())};
    const complex<T> a = sqrt(complex<T>(1 - z.real(), -z.imag())), b = sqrt(complex<T>(1 + z.real(), z.imag()));
    return {(T)::atan2(z.real(), a.real() * b.real() - a.imag() * b.imag()), (T)::asinh(a.real() * b.imag() - a.imag() * b.real())};
}
template <class T> __TERN_COMPLEX_FN complex<T> acos(const complex<T> &z)
{
    const complex<T> a = sqrt(complex<T>(1 - z.real(), -z.imag())), b = sqrt(complex<T>(1 + z.real(), z.imag()));
    return {2 * (T)::atan2(a.real(), b.real()), (T)::asinh(b.real() * a.imag() - b.imag() * a.real())};
}
template <class T> __TERN_COMPLEX_FN complex<T> acosh(const complex<T> &z)
{
    const complex<T> a = sqrt(complex<T>(z.real() - 1, z.imag())), b = sqrt(complex<T>(z.real() + 1, z.imag()));
    return {(T)::asinh(a.real() * b.real() + a.imag() * b.imag()), 2 * (T)::atan2(a.imag(), b.real())};
}
template <class T> __TERN_COMPLEX_FN complex<T> asinh(const complex<T> &z)
{
    const complex<T> w = asin(complex<T>(-z.imag(), z.real()));
    return {w.imag(), -w.real()};
}
template <class T> __TERN_COMPLEX_FN complex<T> atanh(const complex<T> &z)
{
    const T right = (T)1.57079632679489661923, beside = 1 - (T)::fabs(z.real()), far = beside * beside + z.imag() * z.imag();
    if (__tern_far(z)) {
        const T r = abs(z);
        return {::isinf(r) ? (T)::copysign(T(), z.real()) : z.real() / r / r, z.imag() != z.imag() ? z.imag() : (T)::copysign(right, z.imag())};
    }
    if (far < (sizeof(T) == 4 ? (T)1e-30f : (T)1e-290))
        return {(T)::copysign(((T)::log((T)2) - (T)::log((T)::hypot(beside, z.imag()))) / 2, z.real()), (T)::copysign(right / 2, z.imag())};
    if (z.real() < T())
        return {-(T)::log1p(-4 * z.real() / far) / 4, (T)::atan2(2 * z.imag(), (1 - z.real()) * (1 + z.real()) - z.imag() * z.imag()) / 2};
    return {(T)::log1p(4 * z.real() / far) / 4, (T)::atan2(2 * z.imag(), (1 - z.real()) * (1 + z.real()) - z.imag() * z.imag()) / 2};
}
template <class T> __TERN_COMPLEX_FN complex<T> atan(const complex<T> &z)
{
    const complex<T> w = atanh(complex<T>(-z.imag(), z.real()));
    return {w.imag(), -w.real()};
}

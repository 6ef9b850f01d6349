/* __int128 and unsigned __int128: classes that compute in two 64-bit words. The front end takes the
 * words of the language for their names. */
#pragma once
#include "host_defines.h"
#if defined __TERN_DEVICE__ || defined __TERN_HOST__
template <class T> struct __tern_number {};
#define __TERN_NUMBER(T) template <> struct __tern_number<T> { typedef T type; };
__TERN_NUMBER(bool) __TERN_NUMBER(char) __TERN_NUMBER(signed char) __TERN_NUMBER(unsigned char)
__TERN_NUMBER(short) __TERN_NUMBER(unsigned short) __TERN_NUMBER(int) __TERN_NUMBER(unsigned)
__TERN_NUMBER(long) __TERN_NUMBER(unsigned long) __TERN_NUMBER(long long) __TERN_NUMBER(unsigned long long)
__TERN_NUMBER(float) __TERN_NUMBER(double)
#undef __TERN_NUMBER

struct __tern_u128;
struct __tern_i128;
/* Words as they are: what both classes are made from. */
struct alignas(16) __tern_w128 {
    unsigned long long lo, hi;
};
__TERN_HD constexpr __tern_w128 __tern_w_add(__tern_w128 a, __tern_w128 b)
{
    unsigned long long lo = a.lo + b.lo;
    return __tern_w128{lo, a.hi + b.hi + (lo < a.lo)};
}
__TERN_HD constexpr __tern_w128 __tern_w_neg(__tern_w128 a) { return __tern_w128{0 - a.lo, ~a.hi + (a.lo == 0)}; }
__TERN_HD constexpr __tern_w128 __tern_w_sub(__tern_w128 a, __tern_w128 b)
{
    return __tern_w128{a.lo - b.lo, a.hi - b.hi - (a.lo < b.lo)};
}
/* By parts in constant expressions, where there are no operations. */
__TERN_HD constexpr unsigned long long __tern_w_high(unsigned long long a, unsigned long long b)
{
    if (!__builtin_is_constant_evaluated())
        return __tern_op_umulhi(a, b);
    unsigned long long al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    unsigned long long m = ah * bl + (al * bl >> 32), n = al * bh + (m & 0xffffffffu);
    return ah * bh + (m >> 32) + (n >> 32);
}
__TERN_HD constexpr __tern_w128 __tern_w_mul(__tern_w128 a, __tern_w128 b)
{
    return __tern_w128{a.lo * b.lo, __tern_w_high(a.lo, b.lo) + a.lo * b.hi + a.hi * b.lo};
}
__TERN_HD constexpr bool __tern_w_below(__tern_w128 a, __tern_w128 b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; }
__TERN_HD constexpr __tern_w128 __tern_w_shl(__tern_w128 a, unsigned n)
{
    n &= 127;
    return n == 0 ? a : n >= 64 ? __tern_w128{0, a.lo << (n - 64)} : __tern_w128{a.lo << n, a.hi << n | a.lo >> (64 - n)};
}
__TERN_HD constexpr __tern_w128 __tern_w_shr(__tern_w128 a, unsigned n, unsigned long long fill)
{
    n &= 127;
    unsigned long long up = n & 63 ? fill << (64 - (n & 63)) : 0;
    return n == 0 ? a : n >= 64 ? __tern_w128{n == 64 ? a.hi : a.hi >> (n - 64) | up, fill}
                                : __tern_w128{a.lo >> n | a.hi << (64 - n), a.hi >> n | up};
}
/* Quotient, and the remainder in *rest; bit by bit where the words do not do. */
__TERN_HD constexpr __tern_w128 __tern_w_div(__tern_w128 a, __tern_w128 b, __tern_w128 *rest)
{
    if (a.hi == 0 && b.hi == 0) {
        *rest = __tern_w128{a.lo % b.lo, 0};
        return __tern_w128{a.lo / b.lo, 0};
    }
    __tern_w128 q = {0, 0}, r = {0, 0};
    for (int i = 127; i >= 0; i--) {
        r = __tern_w_shl(r, 1);
        r.lo |= __tern_w_shr(a, (unsigned)i, 0).lo & 1;
        q = __tern_w_shl(q, 1);
        if (!__tern_w_below(r, b)) {
            r = __tern_w_sub(r, b);
            q.lo |= 1;
        }
    }
    *rest = r;
    return q;
}

struct __tern_u128 : __tern_w128 {
    __tern_u128() = default;
    __host__ __device__ constexpr __tern_u128(__tern_w128 w) : __tern_w128(w) {}
    __host__ __device__ constexpr __tern_u128(const __tern_i128 &x);
    template <class T, class = typename __tern_number<T>::type>
    __host__ __device__ constexpr __tern_u128(T x) : __tern_w128{(unsigned long long)x, x < T(0) ? ~0ull : 0ull} {}
    __host__ __device__ constexpr __tern_u128(float x) : __tern_u128((double)x) {}
    __host__ __device__ constexpr __tern_u128(double x)
        : __tern_w128{(unsigned long long)(x - (double)(unsigned long long)(x / 0x1p64) * 0x1p64), (unsigned long long)(x / 0x1p64)} {}
    template <class T, class = typename __tern_number<T>::type> __host__ __device__ constexpr operator T() const { return (T)lo; }
    __host__ __device__ constexpr operator bool() const { return (lo | hi) != 0; }
    __host__ __device__ constexpr operator double() const { return (double)hi * 0x1p64 + (double)lo; }
    __host__ __device__ constexpr operator float() const { return (float)((double)hi * 0x1p64 + (double)lo); }
    static constexpr bool is_signed = false;
    __host__ __device__ static constexpr bool below(__tern_u128 a, __tern_u128 b) { return __tern_w_below(a, b); }
    __host__ __device__ static constexpr __tern_u128 divide(__tern_u128 a, __tern_u128 b, __tern_u128 *rest)
    {
        __tern_w128 r = {};
        __tern_w128 q = __tern_w_div(a, b, &r);
        *rest = __tern_u128(r);
        return __tern_u128(q);
    }
};
struct __tern_i128 : __tern_w128 {
    __tern_i128() = default;
    __host__ __device__ constexpr __tern_i128(__tern_w128 w) : __tern_w128(w) {}
    __host__ __device__ constexpr __tern_i128(const __tern_u128 &x) : __tern_w128(x) {}
    template <class T, class = typename __tern_number<T>::type>
    __host__ __device__ constexpr __tern_i128(T x) : __tern_w128{(unsigned long long)x, x < T(0) ? ~0ull : 0ull} {}
    __host__ __device__ constexpr __tern_i128(float x) : __tern_i128((double)x) {}
    __host__ __device__ constexpr __tern_i128(double x)
        : __tern_w128(x < 0 ? __tern_w_neg(__tern_u128(-x)) : (__tern_w128)__tern_u128(x)) {}
    template <class T, class = typename __tern_number<T>::type> __host__ __device__ constexpr operator T() const { return (T)lo; }
    __host__ __device__ constexpr operator bool() const { return (lo | hi) != 0; }
    __host__ __device__ constexpr operator double() const
    {
        return negative() ? -(double)__tern_u128(__tern_w_neg(*this)) : (double)__tern_u128((__tern_w128)*this);
    }
    __host__ __device__ constexpr operator float() const { return (float)(double)*this; }
    static constexpr bool is_signed = true;
    __host__ __device__ constexpr bool negative() const { return hi >> 63; }
    __host__ __device__ static constexpr bool below(__tern_i128 a, __tern_i128 b)
    {
        return a.negative() != b.negative() ? a.negative() : __tern_w_below(a, b);
    }
    __host__ __device__ static constexpr __tern_i128 divide(__tern_i128 a, __tern_i128 b, __tern_i128 *rest)
    {
        __tern_w128 r = {};
        __tern_w128 q = __tern_w_div(a.negative() ? __tern_w_neg(a) : (__tern_w128)a, b.negative() ? __tern_w_neg(b) : (__tern_w128)b, &r);
        *rest = __tern_i128(a.negative() ? __tern_w_neg(r) : r);
        return __tern_i128(a.negative() != b.negative() ? __tern_w_neg(q) : q);
    }
};
__host__ __device__ constexpr __tern_u128::__tern_u128(const __tern_i128 &x) : __tern_w128(x) {}

/* Each operator for both, and with any number on either side: exact, so that nothing else fits as well. */
#define __TERN_WIDE_WITH(C, R, op)                                                                 \
    template <class T, class = typename __tern_number<T>::type> __host__ __device__ constexpr R operator op(C a, T b) { return a op C(b); } \
    template <class T, class = typename __tern_number<T>::type> __host__ __device__ constexpr R operator op(T a, C b) { return C(a) op b; }
#define __TERN_WIDE_OP(C, op, expression)                                                          \
    __host__ __device__ constexpr C operator op(C a, C b) { return C(expression); }                \
    __TERN_WIDE_WITH(C, C, op)                                                                     \
    template <class T> __host__ __device__ constexpr C &operator op##=(C &a, T b) { return a = a op C(b); }
#define __TERN_WIDE_COMPARE(C, op, expression)                                                     \
    __host__ __device__ constexpr bool operator op(C a, C b) { return expression; }                \
    __TERN_WIDE_WITH(C, bool, op)
#define __TERN_WIDE(C, fill)                                                                       \
    __TERN_WIDE_OP(C, +, __tern_w_add(a, b))                                                       \
    __TERN_WIDE_OP(C, -, __tern_w_sub(a, b))                                                       \
    __TERN_WIDE_OP(C, *, __tern_w_mul(a, b))                                                       \
    __TERN_WIDE_OP(C, &, (__tern_w128{a.lo & b.lo, a.hi & b.hi}))                                  \
    __TERN_WIDE_OP(C, |, (__tern_w128{a.lo | b.lo, a.hi | b.hi}))                                  \
    __TERN_WIDE_OP(C, ^, (__tern_w128{a.lo ^ b.lo, a.hi ^ b.hi}))                                  \
    __host__ __device__ constexpr C operator/(C a, C b) { C r = 0; return C::divide(a, b, &r); }   \
    __TERN_WIDE_WITH(C, C, /)                                                                      \
    __host__ __device__ constexpr C operator%(C a, C b) { C r = 0; C::divide(a, b, &r); return r; } \
    __TERN_WIDE_WITH(C, C, %)                                                                      \
    template <class T> __host__ __device__ constexpr C &operator/=(C &a, T b) { return a = a / C(b); } \
    template <class T> __host__ __device__ constexpr C &operator%=(C &a, T b) { return a = a % C(b); } \
    template <class T> __host__ __device__ constexpr C operator<<(C a, T n) { return C(__tern_w_shl(a, (unsigned)n)); } \
    template <class T> __host__ __device__ constexpr C operator>>(C a, T n) { return C(__tern_w_shr(a, (unsigned)n, fill)); } \
    template <class T> __host__ __device__ constexpr C &operator<<=(C &a, T n) { return a = a << n; } \
    template <class T> __host__ __device__ constexpr C &operator>>=(C &a, T n) { return a = a >> n; } \
    __host__ __device__ constexpr C operator-(C a) { return C(__tern_w_neg(a)); }                  \
    __host__ __device__ constexpr C operator+(C a) { return a; }                                   \
    __host__ __device__ constexpr C operator~(C a) { return C(__tern_w128{~a.lo, ~a.hi}); }        \
    __host__ __device__ constexpr bool operator!(C a) { return (a.lo | a.hi) == 0; }               \
    __host__ __device__ constexpr C &operator++(C &a) { return a = a + C(1); }                     \
    __host__ __device__ constexpr C &operator--(C &a) { return a = a - C(1); }                     \
    __host__ __device__ constexpr C operator++(C &a, int) { C r = a; a = a + C(1); return r; }     \
    __host__ __device__ constexpr C operator--(C &a, int) { C r = a; a = a - C(1); return r; }     \
    __TERN_WIDE_COMPARE(C, ==, a.lo == b.lo && a.hi == b.hi)                                       \
    __TERN_WIDE_COMPARE(C, !=, a.lo != b.lo || a.hi != b.hi)                                       \
    __TERN_WIDE_COMPARE(C, <, C::below(a, b))                                                      \
    __TERN_WIDE_COMPARE(C, >, C::below(b, a))                                                      \
    __TERN_WIDE_COMPARE(C, <=, !C::below(b, a))                                                    \
    __TERN_WIDE_COMPARE(C, >=, !C::below(a, b))
__TERN_WIDE(__tern_u128, 0ull)
__TERN_WIDE(__tern_i128, a.hi >> 63 ? ~0ull : 0ull)
#undef __TERN_WIDE
#undef __TERN_WIDE_COMPARE
#undef __TERN_WIDE_OP
#undef __TERN_WIDE_WITH
typedef __tern_i128 __int128_t;
typedef __tern_u128 __uint128_t;
#endif

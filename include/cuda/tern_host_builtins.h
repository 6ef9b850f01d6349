/* What GNU's compilers know without a declaration, for host code that we compile ourselves: bits, sums that tell
 * whether they fit, classes of floats, memory. Those that constant expressions may call are constexpr; what is
 * missing here has the C library's meaning by the rest of its name. */
#pragma once
#if defined(__cplusplus) && defined(__TERN_HOST__) && !defined(__TERN_DEVICE__)
#include "int128.h"

/* ---- bits ---- */
constexpr int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
constexpr int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }
constexpr int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
constexpr int __builtin_ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
constexpr int __builtin_ffsl(long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
constexpr int __builtin_ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
constexpr int __builtin_parity(unsigned x) { return __builtin_popcount(x) & 1; }
constexpr int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) & 1; }
constexpr int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
constexpr int __builtin_clrsbll(long long x) { return __builtin_clzll((unsigned long long)(x ^ x >> 63) << 1 | 1); }
constexpr int __builtin_clrsbl(long x) { return __builtin_clrsbll(x); }
constexpr int __builtin_clrsb(int x) { return __builtin_clrsbll(x) - 32; }
constexpr unsigned short __builtin_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
constexpr unsigned __builtin_bswap32(unsigned x)
{
    return (unsigned)__builtin_bswap16((unsigned short)x) << 16 | __builtin_bswap16((unsigned short)(x >> 16));
}
constexpr unsigned long __builtin_bswap64(unsigned long x)
{
    return (unsigned long)__builtin_bswap32((unsigned)x) << 32 | __builtin_bswap32((unsigned)(x >> 32));
}

/* ---- sums, differences and products that may not fit ---- */
struct __tern_exact { /* a number of more bits than any type has: its sign, and its size where that fits */
    bool negative, beyond;
    unsigned __int128 size;
};
template <class T> constexpr __tern_exact __tern_exactly(T x)
{
    return x < T(0) ? __tern_exact{true, false, (unsigned __int128)0 - (unsigned __int128)x}
                    : __tern_exact{false, false, (unsigned __int128)x};
}
constexpr __tern_exact __tern_sum(__tern_exact a, __tern_exact b)
{
    if (a.negative == b.negative)
        return {a.negative, a.size + b.size < a.size, a.size + b.size};
    return a.size < b.size ? __tern_exact{b.negative, false, b.size - a.size} : __tern_exact{a.negative, false, a.size - b.size};
}
constexpr __tern_exact __tern_difference(__tern_exact a, __tern_exact b) { return __tern_sum(a, {!b.negative, false, b.size}); }
constexpr __tern_exact __tern_product(__tern_exact a, __tern_exact b)
{
    const bool wide = (a.size >> 64) != 0 || (b.size >> 64) != 0;
    const unsigned __int128 size = a.size * b.size;
    return {a.negative != b.negative, wide && a.size != 0 && size / a.size != b.size, size};
}
/* What is left of it in *r; does that lose something? */
template <class R> constexpr bool __tern_store(__tern_exact x, R *r)
{
    constexpr bool has_sign = R(-1) < R(0);
    const unsigned __int128 most = (unsigned __int128)-1 >> (128 - 8 * (int)sizeof(R) + has_sign);
    *r = (R)(x.negative ? (unsigned __int128)0 - x.size : x.size);
    return x.beyond || x.size > most + (unsigned)(x.negative && has_sign) || (x.negative && !has_sign && x.size != 0);
}
#define __TERN_OVERFLOW(name, short, exact)                                                        \
    template <class A, class B, class R> constexpr bool __builtin_##name##_overflow(A a, B b, R *r) \
    {                                                                                              \
        return __tern_store(exact(__tern_exactly(a), __tern_exactly(b)), r);                       \
    }                                                                                              \
    template <class A, class B, class R> constexpr bool __builtin_##name##_overflow_p(A a, B b, R) \
    {                                                                                              \
        R r = 0;                                                                                   \
        return __builtin_##name##_overflow(a, b, &r);                                              \
    }                                                                                              \
    __TERN_OVERFLOW_OF(name, s##short, int)                                                        \
    __TERN_OVERFLOW_OF(name, s##short##l, long)                                                    \
    __TERN_OVERFLOW_OF(name, s##short##ll, long long)                                              \
    __TERN_OVERFLOW_OF(name, u##short, unsigned)                                                   \
    __TERN_OVERFLOW_OF(name, u##short##l, unsigned long)                                           \
    __TERN_OVERFLOW_OF(name, u##short##ll, unsigned long long)
#define __TERN_OVERFLOW_OF(name, short, T)                                                         \
    constexpr bool __builtin_##short##_overflow(T a, T b, T *r) { return __builtin_##name##_overflow(a, b, r); }
__TERN_OVERFLOW(add, add, __tern_sum)
__TERN_OVERFLOW(sub, sub, __tern_difference)
__TERN_OVERFLOW(mul, mul, __tern_product)
#undef __TERN_OVERFLOW
#undef __TERN_OVERFLOW_OF

/* ---- floats ---- */
#define __TERN_FLOAT(T, f, W, top)                                                                 \
    constexpr int __builtin_isnan(T x) { return x != x; }                                          \
    constexpr int __builtin_isinf(T x) { return x - x != x - x && x == x; }                        \
    constexpr int __builtin_isfinite(T x) { return x - x == x - x; }                               \
    constexpr int __builtin_isinf_sign(T x) { return !__builtin_isinf(x) ? 0 : x < 0 ? -1 : 1; }   \
    constexpr int __builtin_signbit(T x) { return (int)(__builtin_bit_cast(W, x) >> top); }        \
    constexpr int __builtin_isless(T x, T y) { return x < y; }                                     \
    constexpr int __builtin_islessequal(T x, T y) { return x <= y; }                               \
    constexpr int __builtin_islessgreater(T x, T y) { return x < y || x > y; }                     \
    constexpr int __builtin_isgreater(T x, T y) { return x > y; }                                  \
    constexpr int __builtin_isgreaterequal(T x, T y) { return x >= y; }                            \
    constexpr int __builtin_isunordered(T x, T y) { return x != x || y != y; }                     \
    constexpr T __builtin_fabs##f(T x) { return __builtin_bit_cast(T, (W)(__builtin_bit_cast(W, x) & ~((W)1 << top))); } \
    constexpr T __builtin_copysign##f(T x, T y)                                                    \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            T, (W)((__builtin_bit_cast(W, x) & ~((W)1 << top)) | (__builtin_bit_cast(W, y) & (W)1 << top))); \
    }                                                                                              \
    constexpr T __builtin_fmax##f(T x, T y) { return x != x || x < y ? y : x; }                    \
    constexpr T __builtin_fmin##f(T x, T y) { return x != x || y < x ? y : x; }
__TERN_FLOAT(float, f, unsigned, 31)
__TERN_FLOAT(double, , unsigned long, 63)
#undef __TERN_FLOAT
constexpr int __builtin_signbitf(float x) { return __builtin_signbit(x); }

/* ---- memory and the machine ---- */
constexpr __SIZE_TYPE__ __builtin_strlen(const char *s)
{
    __SIZE_TYPE__ n = 0;
    while (s[n])
        n++;
    return n;
}
inline void *__builtin_operator_new(__SIZE_TYPE__ n) { return __tern_malloc(n); }
inline void __builtin_operator_delete(void *p) { __tern_free(p); }
#define __builtin_prefetch(...)          ((void)0)
#define __builtin_object_size(p, kind)   ((__SIZE_TYPE__)((kind) & 2 ? 0 : -1))
#define __builtin_ia32_pause()           ((void)0)


#endif

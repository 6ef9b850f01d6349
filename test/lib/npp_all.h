/* A check for each family of npp.def, by the family's name, against a plain loop: types come from
 * the function's own signature. npp_all makes the program that calls one for each variant, with and
 * without a context. A row without a check here does not compile. */
#pragma once
#include <cmath>
#include <cstring>
#include <vector>
#include <npp.h>
#include "npp_check.h"
#include "npp_regions.h"

enum { W = 6, H = 4, STEP = W * 4 * 4 + 16 }; /* bytes: four channels of four bytes, and a gap */
struct how {
    int from, channels, alpha; /* channels that are read and written; the fourth of those stays */
};
struct region {
    int x, y, width, height;
};
static const NppiSize all = {W, H};
static const region whole = {0, 0, W, H}, inner = {1, 1, W - 2, H - 2};
static int checked;

template <class T> struct image {
    T *p;
    std::vector<unsigned char> was;
    explicit image(unsigned seed) : was(STEP * H)
    {
        CUDA(cudaMallocManaged((void **)&p, STEP * H));
        for (int i = 0; i < STEP * H / (int)sizeof(T); i++) {
            seed = seed * 1664525u + 1013904223u;
            p[i] = sizeof(T) == 1 ? (T)(seed >> 24)
                                  : (T)((int)(seed >> 20) - ((T)-1 < (T)0 ? 2048 : 0));
        }
        memcpy(was.data(), p, STEP * H);
    }
    image(const image &) = delete;
    ~image()
    {
        cudaFree(p);
    }
    double old(int y, int e) const
    {
        return (double)((const T *)(was.data() + y * STEP))[e];
    }
    double at(int y, int e) const
    {
        return (double)((const T *)((const char *)p + y * STEP))[e];
    }
    T *from(int x, int y, int channels) const
    {
        return (T *)((char *)p + y * STEP) + x * channels;
    }
};

/* As the type stores it: nearest, and no further than its limits. */
template <class T> double limited(double v)
{
    if ((T)0.5 != (T)0)
        return (double)(T)v;
    const double low = (T)-1 < (T)0 ? -ldexp(1, 8 * sizeof(T) - 1) : 0,
                 high = ldexp(1, 8 * sizeof(T) - ((T)-1 < (T)0)) - 1;
    v = rint(v);
    return std::isnan(v) ? 0 : v < low ? low : v > high ? high : v;
}
template <class T> bool same(double got, double want, double off)
{
    const double w = limited<T>(want);
    if (got == w || (std::isnan(got) && std::isnan(w)))
        return true;
    if ((T)0.5 != (T)0)
        return fabs(got - w) <= 1e-5 * (1 + fabs(w));
    return got == limited<T>(want - off) || got == limited<T>(want + off);
}
/* Every element of the region is f(row, element, channel), all others are as they were. off: what
 * floats may add or take before an integer is rounded. */
template <class T, class F>
void hold(const char *name, const image<T> &d, how v, region r, double off, F f)
{
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int e = 0; e < STEP / (int)sizeof(T); e++) {
            const int x = e / v.channels, c = e % v.channels;
            const bool in = y >= r.y && y < r.y + r.height && x >= r.x && x < r.x + r.width &&
                            !(v.alpha && c == 3);
            const double want = in ? f(y, e, c) : d.old(y, e);
            if (!same<T>(d.at(y, e), want, in ? off : 0)) {
                printf("%s: row %d, element %d: %g, not %g\n", name, y, e, d.at(y, e), want);
                exit(1);
            }
        }
    checked++;
}
static NppStreamContext context()
{
    NppStreamContext c;
    NPP(nppGetStreamContext(&c));
    return c;
}
/* A constant: one, or an array of one for each channel. */
template <class P> struct constant {
    template <class T> static P of(const T *k)
    {
        return (P)k[0];
    }
};
template <class T> struct constant<const T *> {
    static const T *of(const T *k)
    {
        return k;
    }
};
#define EITHER(f, g, ...) (ctx ? g(__VA_ARGS__, context()) : f(__VA_ARGS__))
#define BOTH              for (int ctx = 0; ctx < 2; ctx++)
#define CTX               , NppStreamContext
typedef NppStatus S;

/* ---- two images, an image and constants; out of place and in place; halved by a scale factor of 1
 * ---- */
#define OF_TWO(family, formula, suffix, scale, kind, ...)                                          \
    template <class T>                                                                             \
    void npp_##family##suffix(const char *name, how v,                                             \
                              S (*f)(const T *, int, const T *, int, T *, int, NppiSize kind),     \
                              S (*g)(const T *, int, const T *, int, T *, int, NppiSize kind CTX)) \
    {                                                                                              \
        image<T> a(1), b(2);                                                                       \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, b.p, STEP, d.p, STEP, all __VA_ARGS__));                   \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int) {                                 \
                const double u = b.old(y, e), w = a.old(y, e);                                     \
                (void)w;                                                                           \
                return (double)(formula) * (scale);                                                \
            });                                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    void npp_##family##_in##suffix(const char *name, how v,                                        \
                                   S (*f)(const T *, int, T *, int, NppiSize kind),                \
                                   S (*g)(const T *, int, T *, int, NppiSize kind CTX))            \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all __VA_ARGS__));                              \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int) {                                 \
                const double u = d.old(y, e), w = a.old(y, e);                                     \
                (void)w;                                                                           \
                return (double)(formula) * (scale);                                                \
            });                                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <class T, class P>                                                                    \
    void npp_##family##_c##suffix(const char *name, how v,                                         \
                                  S (*f)(const T *, int, P, T *, int, NppiSize kind),              \
                                  S (*g)(const T *, int, P, T *, int, NppiSize kind CTX))          \
    {                                                                                              \
        const T k[4] = {3, 5, 7, 2};                                                               \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, constant<P>::of(k), d.p, STEP, all __VA_ARGS__));          \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int c) {                               \
                const double u = a.old(y, e), w = (double)k[c];                                    \
                (void)w;                                                                           \
                return (double)(formula) * (scale);                                                \
            });                                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <class T, class P>                                                                    \
    void npp_##family##_c_in##suffix(const char *name, how v, S (*f)(P, T *, int, NppiSize kind),  \
                                     S (*g)(P, T *, int, NppiSize kind CTX))                       \
    {                                                                                              \
        const T k[4] = {3, 5, 7, 2};                                                               \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, constant<P>::of(k), d.p, STEP, all __VA_ARGS__));                     \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int c) {                               \
                const double u = d.old(y, e), w = (double)k[c];                                    \
                (void)w;                                                                           \
                return (double)(formula) * (scale);                                                \
            });                                                                                    \
        }                                                                                          \
    }
#define COMMA ,
#define ARITHMETIC(family, formula)                                                                \
    OF_TWO(family, formula, , 0.5, COMMA int, COMMA 1) OF_TWO(family, formula, _plain, 1.0, , )
ARITHMETIC(add, u + w)
ARITHMETIC(sub, u - w)
ARITHMETIC(mul, u *w)
ARITHMETIC(div, u / w)
OF_TWO(and, (long long)u &(long long)w, , 1.0, , )
OF_TWO(or, (long long)u | (long long)w, , 1.0, , )
OF_TWO(xor, (long long)u ^ (long long)w, , 1.0, , )
OF_TWO(abs_diff, fabs(u - w), , 1.0, , )

/* The constant comes last here. */
template <class T, class P>
void npp_abs_diff_c(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize, P),
                    S (*g)(const T *, int, T *, int, NppiSize, P CTX))
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all, (P)77));
        hold(name, d, v, whole, 0, [&](int y, int e, int) { return fabs(a.old(y, e) - 77); });
    }
}

/* Shifts drop what does not fit. */
#define SHIFT(family, sign)                                                                        \
    template <class T, class P>                                                                    \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, P, T *, int, NppiSize),      \
                      S (*g)(const T *, int, P, T *, int, NppiSize CTX))                           \
    {                                                                                              \
        const Npp32u k[4] = {1, 3, 2, 5};                                                          \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, constant<P>::of(k), d.p, STEP, all));                      \
            hold(name, d, v, whole, 0, [&](int y, int e, int c) {                                  \
                return (double)(T)((long long)a.old(y, e) sign k[c]);                              \
            });                                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <class T, class P>                                                                    \
    void npp_##family##_in(const char *name, how v, S (*f)(P, T *, int, NppiSize),                 \
                           S (*g)(P, T *, int, NppiSize CTX))                                      \
    {                                                                                              \
        const Npp32u k[4] = {1, 3, 2, 5};                                                          \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, constant<P>::of(k), d.p, STEP, all));                                 \
            hold(name, d, v, whole, 0, [&](int y, int e, int c) {                                  \
                return (double)(T)((long long)d.old(y, e) sign k[c]);                              \
            });                                                                                    \
        }                                                                                          \
    }
SHIFT(lshift_c, <<)
SHIFT(rshift_c, >>)

/* ---- one image ---- */
#define ONE(family, formula, kind, ...)                                                            \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize kind),    \
                      S (*g)(const T *, int, T *, int, NppiSize kind CTX))                         \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all __VA_ARGS__));                              \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int) {                                 \
                const double u = a.old(y, e);                                                      \
                return (double)(formula);                                                          \
            });                                                                                    \
        }                                                                                          \
    }
#define ONE_IN(family, formula)                                                                    \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v, S (*f)(T *, int, NppiSize),                         \
                      S (*g)(T *, int, NppiSize CTX))                                              \
    {                                                                                              \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, d.p, STEP, all));                                                     \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int) {                                 \
                const double u = d.old(y, e);                                                      \
                return (double)(formula);                                                          \
            });                                                                                    \
        }                                                                                          \
    }
ONE(not, 255 - u, , )
ONE_IN(not_in, 255 - u)
ONE(abs, fabs(u), , )
ONE_IN(abs_in, fabs(u))
ONE(sqr, u *u, , )
ONE_IN(sqr_in, u *u)
ONE(sqr_sfs, u *u * 0.5, COMMA int, COMMA 1)
ONE(sqrt, sqrt(u), , )
ONE_IN(sqrt_in, sqrt(u))
ONE(sqrt_sfs, sqrt(u) * 0.5, COMMA int, COMMA 1)
ONE(ln, log(u), , )
ONE(exp, exp(u), , )
ONE(copy, u, , )

#define THRESHOLD(family, kind, test, becomes, ...)                                                \
    template <class T, class P>                                                                    \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize, P kind), \
                      S (*g)(const T *, int, T *, int, NppiSize, P kind CTX))                      \
    {                                                                                              \
        const T k[4] = {100, 120, 90, 0}, n[4] = {7, 8, 9, 0};                                     \
        (void)n;                                                                                   \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all, constant<P>::of(k) __VA_ARGS__));          \
            hold(name, d, v, whole, 0, [&](int y, int e, int c) {                                  \
                const double u = a.old(y, e);                                                      \
                return u test(double) k[c] ? (double)becomes[c] : u;                               \
            });                                                                                    \
        }                                                                                          \
    }
THRESHOLD(threshold_at, COMMA NppCmpOp, <, k, COMMA NPP_CMP_LESS)
THRESHOLD(threshold_val, COMMA P COMMA NppCmpOp, >, n,
          COMMA constant<P>::of(n) COMMA NPP_CMP_GREATER)
THRESHOLD(threshold_lt, , <, k, )
THRESHOLD(threshold_lt_val, COMMA P, <, n, COMMA constant<P>::of(n))
THRESHOLD(threshold_gt, , >, k, )
THRESHOLD(threshold_gt_val, COMMA P, >, n, COMMA constant<P>::of(n))

/* One byte for each pixel: whether all of its channels are so. */
template <class T>
void npp_compare_two(const char *name, how v,
                     S (*f)(const T *, int, const T *, int, Npp8u *, int, NppiSize, NppCmpOp),
                     S (*g)(const T *, int, const T *, int, Npp8u *, int, NppiSize, NppCmpOp CTX))
{
    image<T> a(1), b(4);
    BOTH
    {
        image<Npp8u> d(3);
        NPP(EITHER(f, g, a.p, STEP, b.p, STEP, d.p, STEP, all, NPP_CMP_GREATER_EQ));
        hold(name, d, how{1, 1, 0}, whole, 0, [&](int y, int x, int) {
            bool yes = true;
            for (int c = 0; c < v.channels - v.alpha; c++)
                yes &= a.old(y, x * v.channels + c) >= b.old(y, x * v.channels + c);
            return yes ? 255 : 0;
        });
    }
}
template <class T, class P>
void npp_compare_c(const char *name, how v,
                   S (*f)(const T *, int, P, Npp8u *, int, NppiSize, NppCmpOp),
                   S (*g)(const T *, int, P, Npp8u *, int, NppiSize, NppCmpOp CTX))
{
    const T k[4] = {100, 120, 90, 110};
    image<T> a(1);
    BOTH
    {
        image<Npp8u> d(3);
        NPP(EITHER(f, g, a.p, STEP, constant<P>::of(k), d.p, STEP, all, NPP_CMP_LESS));
        hold(name, d, how{1, 1, 0}, whole, 0, [&](int y, int x, int) {
            bool yes = true;
            for (int c = 0; c < v.channels - v.alpha; c++)
                yes &= a.old(y, x * v.channels + c) < (double)k[c];
            return yes ? 255 : 0;
        });
    }
}
template <class T, class P>
void npp_fill(const char *name, how v, S (*f)(P, T *, int, NppiSize),
              S (*g)(P, T *, int, NppiSize CTX))
{
    const T k[4] = {9, 8, 7, 6};
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, constant<P>::of(k), d.p, STEP, all));
        hold(name, d, v, whole, 0, [&](int, int, int c) { return (double)k[c]; });
    }
}
#define CONVERSION(family, formula, kind, ...)                                                     \
    template <class T, class D>                                                                    \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, D *, int, NppiSize kind),    \
                      S (*g)(const T *, int, D *, int, NppiSize kind CTX))                         \
    {                                                                                              \
        image<T> a(5);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<D> d(6);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all __VA_ARGS__));                              \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int) {                                 \
                const double u = a.old(y, e);                                                      \
                return (double)(formula);                                                          \
            });                                                                                    \
        }                                                                                          \
    }
CONVERSION(convert_up, u, , )
CONVERSION(convert_round, trunc(u), COMMA NppRoundMode, COMMA NPP_RND_ZERO)
CONVERSION(scale_to, u * 2 / 255 - 1, COMMA Npp32f COMMA Npp32f, COMMA - 1 COMMA 1)
CONVERSION(scale_from, (u + 1500) * 255 / 3000, COMMA Npp32f COMMA Npp32f, COMMA - 1500 COMMA 1500)

/* ---- moved ---- */
template <class T>
void npp_transpose(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize),
                   S (*g)(const T *, int, T *, int, NppiSize CTX))
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, d.p, STEP, NppiSize{H - 1, H})); /* 3 by 4 becomes 4 by 3 */
        hold(name, d, v, region{0, 0, H, H - 1}, 0,
             [&](int y, int e, int c) { return a.old(e / v.channels, y * v.channels + c); });
    }
}
template <class T>
void npp_mirror(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize, NppiAxis),
                S (*g)(const T *, int, T *, int, NppiSize, NppiAxis CTX))
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all, NPP_BOTH_AXIS));
        hold(name, d, v, whole, 0, [&](int y, int e, int c) {
            return a.old(H - 1 - y, (W - 1 - e / v.channels) * v.channels + c);
        });
    }
}
template <class T>
void npp_swap(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize, const int *),
              S (*g)(const T *, int, T *, int, NppiSize, const int *CTX))
{
    const int order[4] = {2, 0, 1, 3};
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, d.p, STEP, all, order));
        hold(name, d, v, whole, 0, [&](int y, int e, int c) { return a.old(y, e - c + order[c]); });
    }
}
/* A smaller image, one row down and two pixels to the right. */
static const NppiSize smaller = {W - 3, H - 2};
static int within(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}
#define BORDER(family, place)                                                                      \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v,                                                     \
                      S (*f)(const T *, int, NppiSize, T *, int, NppiSize, int, int),              \
                      S (*g)(const T *, int, NppiSize, T *, int, NppiSize, int, int CTX))          \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, smaller, d.p, STEP, all, 1, 2));                           \
            hold(name, d, v, whole, 0, [&](int y, int e, int c) {                                  \
                return a.old(place(y - 1, H - 2),                                                  \
                             place(e / v.channels - 2, W - 3) * v.channels + c);                   \
            });                                                                                    \
        }                                                                                          \
    }
static int wrapped(int v, int n)
{
    return (v % n + n) % n;
}
BORDER(border_replicate, within)
BORDER(border_wrap, wrapped)
template <class T, class P>
void npp_border_const(const char *name, how v,
                      S (*f)(const T *, int, NppiSize, T *, int, NppiSize, int, int, P),
                      S (*g)(const T *, int, NppiSize, T *, int, NppiSize, int, int, P CTX))
{
    const T k[4] = {9, 8, 7, 6};
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, smaller, d.p, STEP, all, 1, 2, constant<P>::of(k)));
        hold(name, d, v, whole, 0, [&](int y, int e, int c) {
            const int x = e / v.channels - 2;
            return y < 1 || y - 1 >= H - 2 || x < 0 || x >= W - 3
                       ? (double)k[c]
                       : a.old(y - 1, x * v.channels + c);
        });
    }
}

/* ---- what lies around: three by two, the middle of the upper row is the pixel ---- */
static const NppiSize mask = {3, 2};
static const NppiPoint anchor = {1, 0};
static const NppiSize inner_size = {W - 2, H - 2};
enum { SUM, MOST, LEAST };
template <class I, class Weight>
double around(const I &a, how v, int y, int e, int c, int what, bool clamp, Weight weight)
{
    double r = what == SUM ? 0 : what == MOST ? -1e30 : 1e30;
    for (int k = 0; k < 6; k++) {
        int x = e / v.channels - 1 + k % 3, row = y + k / 3;
        if (clamp) {
            x = within(x, W);
            row = within(row, H);
        }
        const double u = a.old(row, x * v.channels + c), w = weight(k);
        if (w != 0 || what == SUM)
            r = what == SUM ? r + u * w : what == MOST ? fmax(r, u) : fmin(r, u);
    }
    return r;
}
#define WINDOW(family, what, divisor)                                                              \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v,                                                     \
                      S (*f)(const T *, int, T *, int, NppiSize, NppiSize, NppiPoint),             \
                      S (*g)(const T *, int, T *, int, NppiSize, NppiSize, NppiPoint CTX))         \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.from(1, 1, v.channels), STEP, d.from(1, 1, v.channels), STEP,       \
                       inner_size, mask, anchor));                                                 \
            hold(name, d, v, inner, 1e-3, [&](int y, int e, int c) {                               \
                return around(a, v, y, e, c, what, false, [](int) { return 1.0; }) / divisor;      \
            });                                                                                    \
        }                                                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    void npp_##family##_border(const char *name, how v,                                            \
                               S (*f)(const T *, int, NppiSize, NppiPoint, T *, int, NppiSize,     \
                                      NppiSize, NppiPoint, NppiBorderType),                        \
                               S (*g)(const T *, int, NppiSize, NppiPoint, T *, int, NppiSize,     \
                                      NppiSize, NppiPoint, NppiBorderType CTX))                    \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, STEP, all, NppiPoint{0 COMMA 0}, d.p, STEP, all, mask, anchor,   \
                       NPP_BORDER_REPLICATE));                                                     \
            hold(name, d, v, whole, 1e-3, [&](int y, int e, int c) {                               \
                return around(a, v, y, e, c, what, true, [](int) { return 1.0; }) / divisor;       \
            });                                                                                    \
        }                                                                                          \
    }
WINDOW(filter_box, SUM, 6)
WINDOW(filter_max, MOST, 1)
WINDOW(filter_min, LEAST, 1)
template <class T> static T *managed(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMallocManaged((void **)&p, v.size() * sizeof(T)));
    memcpy(p, v.data(), v.size() * sizeof(T));
    return p;
}
#define MORPHOLOGY(family, what)                                                                   \
    template <class T>                                                                             \
    void npp_##family(                                                                             \
        const char *name, how v,                                                                   \
        S (*f)(const T *, int, T *, int, NppiSize, const Npp8u *, NppiSize, NppiPoint),            \
        S (*g)(const T *, int, T *, int, NppiSize, const Npp8u *, NppiSize, NppiPoint CTX))        \
    {                                                                                              \
        const std::vector<Npp8u> cross = {0, 1, 0, 1, 1, 1};                                       \
        Npp8u *places = managed(cross);                                                            \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.from(1, 1, v.channels), STEP, d.from(1, 1, v.channels), STEP,       \
                       inner_size, places, mask, anchor));                                         \
            hold(name, d, v, inner, 0, [&](int y, int e, int c) {                                  \
                return around(a, v, y, e, c, what, false,                                          \
                              [&](int k) { return (double)cross[k]; });                            \
            });                                                                                    \
        }                                                                                          \
        cudaFree(places);                                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    void npp_##family##_3x3(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize),   \
                            S (*g)(const T *, int, T *, int, NppiSize CTX))                        \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.from(1, 1, v.channels), STEP, d.from(1, 1, v.channels), STEP,       \
                       inner_size));                                                               \
            hold(name, d, v, inner, 0, [&](int y, int e, int c) {                                  \
                const auto one = [](int) { return 1.0; };                                          \
                const double up = around(a, v, y - 1, e, c, what, false, one),                     \
                             down = around(a, v, y, e, c, what, false, one);                       \
                return what == MOST ? fmax(up, down) : fmin(up, down);                             \
            });                                                                                    \
        }                                                                                          \
    }
MORPHOLOGY(dilate, MOST)
MORPHOLOGY(erode, LEAST)
/* Kernels are turned, as a convolution has them. */
template <class T>
void npp_filter_whole(const char *name, how v,
                      S (*f)(const T *, int, T *, int, NppiSize, const Npp32s *, NppiSize,
                             NppiPoint, Npp32s),
                      S (*g)(const T *, int, T *, int, NppiSize, const Npp32s *, NppiSize,
                             NppiPoint, Npp32s CTX))
{
    const std::vector<Npp32s> weights = {1, 2, -3, 4, 0, 5};
    Npp32s *kernel = managed(weights);
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.from(1, 1, v.channels), STEP, d.from(1, 1, v.channels), STEP, inner_size,
                   kernel, mask, anchor, 4));
        hold(name, d, v, inner, 1e-3, [&](int y, int e, int c) {
            return around(a, v, y, e, c, SUM, false,
                          [&](int k) { return (double)weights[5 - k]; }) /
                   4;
        });
    }
    cudaFree(kernel);
}
template <class T>
void npp_filter_weights(const char *name, how v,
                        S (*f)(const T *, int, T *, int, NppiSize, const Npp32f *, NppiSize,
                               NppiPoint),
                        S (*g)(const T *, int, T *, int, NppiSize, const Npp32f *, NppiSize,
                               NppiPoint CTX))
{
    const std::vector<Npp32f> weights = {0.25f, 0.5f, -0.75f, 0.125f, 0, 1};
    Npp32f *kernel = managed(weights);
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.from(1, 1, v.channels), STEP, d.from(1, 1, v.channels), STEP, inner_size,
                   kernel, mask, anchor));
        hold(name, d, v, inner, 1e-3, [&](int y, int e, int c) {
            return around(a, v, y, e, c, SUM, false, [&](int k) { return (double)weights[5 - k]; });
        });
    }
    cudaFree(kernel);
}

/* ---- geometry: halved, or moved by one ---- */
static const NppiRect all_of = {0, 0, W, H};
template <class T>
void npp_resize(const char *name, how v,
                S (*f)(const T *, int, NppiSize, NppiRect, T *, int, NppiSize, NppiRect, int),
                S (*g)(const T *, int, NppiSize, NppiRect, T *, int, NppiSize, NppiRect, int CTX))
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, STEP, all, all_of, d.p, STEP, all, (NppiRect{1, 1, W / 2, H / 2}),
                   NPPI_INTER_NN));
        hold(name, d, v, region{1, 1, W / 2, H / 2}, 0, [&](int y, int e, int c) {
            return a.old(2 * (y - 1) + 1, (2 * (e / v.channels - 1) + 1) * v.channels + c);
        });
    }
}
static const double there[3][3] = {{1, 0, 1}, {0, 1, 1}, {0, 0, 1}},
                    here[3][3] = {{1, 0, -1}, {0, 1, -1}, {0, 0, 1}};
#define WARP(family, coefficients)                                                                 \
    template <class T>                                                                             \
    void npp_##family(                                                                             \
        const char *name, how v,                                                                   \
        S (*f)(const T *, NppiSize, int, NppiRect, T *, int, NppiRect, const double(*)[3], int),   \
        S (*g)(const T *, NppiSize, int, NppiRect, T *, int, NppiRect, const double(*)[3],         \
               int CTX))                                                                           \
    {                                                                                              \
        image<T> a(1);                                                                             \
        BOTH                                                                                       \
        {                                                                                          \
            image<T> d(3);                                                                         \
            NPP(EITHER(f, g, a.p, all, STEP, all_of, d.p, STEP, all_of, coefficients,              \
                       NPPI_INTER_NN));                                                            \
            hold(name, d, v, region{1 COMMA 1 COMMA W - 1 COMMA H - 1}, 0,                         \
                 [&](int y, int e, int c) {                                                        \
                     return a.old(y - 1, (e / v.channels - 1) * v.channels + c);                   \
                 });                                                                               \
        }                                                                                          \
    }
WARP(warp_affine, there)
WARP(warp_affine_back, here)
WARP(warp_perspective, there)
WARP(warp_perspective_back, here)
template <class T>
void npp_rotate(const char *name, how v,
                S (*f)(const T *, NppiSize, int, NppiRect, T *, int, NppiRect, double, double,
                       double, int),
                S (*g)(const T *, NppiSize, int, NppiRect, T *, int, NppiRect, double, double,
                       double, int CTX))
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(EITHER(f, g, a.p, all, STEP, all_of, d.p, STEP, all_of, 0, 1, 1, NPPI_INTER_NN));
        hold(name, d, v, region{1, 1, W - 1, H - 1}, 0, [&](int y, int e, int c) {
            return a.old(y - 1, (e / v.channels - 1) * v.channels + c);
        });
    }
}

/* ---- colours: each channel is a sum of the three that are read, and a constant ---- */
struct mix {
    double of[3][4];
    double before[3]; /* taken from what is read */
};
template <class T, class Call>
void mixed(const char *name, how v, const mix &m, double off, Call call)
{
    image<T> a(1);
    BOTH
    {
        image<T> d(3);
        NPP(call(a, d, ctx));
        hold(name, d, v, whole, off, [&](int y, int e, int c) {
            const int first = e / v.channels * v.from;
            double sum = m.of[c][3];
            for (int k = 0; k < 3; k++)
                sum += m.of[c][k] * (a.old(y, first + k) - m.before[k]);
            return sum;
        });
    }
}
#define COLOUR(family, off, ...)                                                                   \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, T *, int, NppiSize),         \
                      S (*g)(const T *, int, T *, int, NppiSize CTX))                              \
    {                                                                                              \
        static const mix m = {__VA_ARGS__};                                                        \
        mixed<T>(name, v, m, off, [&](image<T> &a, image<T> &d, int ctx) {                         \
            return EITHER(f, g, a.p, STEP, d.p, STEP, all);                                        \
        });                                                                                        \
    }
COLOUR(rgb_gray, 0.01, {{0.299, 0.587, 0.114, 0}}, {0, 0, 0})
COLOUR(rgb_yuv, 0.6,
       {{0.299, 0.587, 0.114, 0}, {-0.147, -0.289, 0.436, 128}, {0.615, -0.515, -0.1, 128}},
       {0, 0, 0})
COLOUR(yuv_rgb, 0.6, {{1, 0, 1.14, 0}, {1, -0.394, -0.581, 0}, {1, 2.032, 0, 0}}, {0, 128, 128})
COLOUR(rgb_ycbcr, 0.3,
       {{0.257, 0.504, 0.098, 16}, {-0.148, -0.291, 0.439, 128}, {0.439, -0.368, -0.071, 128}},
       {0, 0, 0})
COLOUR(ycbcr_rgb, 0.3, {{1.164, 0, 1.596, 0}, {1.164, -0.392, -0.813, 0}, {1.164, 2.017, 0, 0}},
       {16, 128, 128})
template <class T>
void npp_colour_gray(const char *name, how v,
                     S (*f)(const T *, int, T *, int, NppiSize, const Npp32f *),
                     S (*g)(const T *, int, T *, int, NppiSize, const Npp32f *CTX))
{
    const Npp32f k[3] = {0.5f, 0.25f, 0.125f};
    mixed<T>(name, v, mix{{{0.5, 0.25, 0.125, 0}}, {0, 0, 0}}, 1e-3,
             [&](image<T> &a, image<T> &d, int ctx) {
                 return EITHER(f, g, a.p, STEP, d.p, STEP, all, k);
             });
}
template <class T>
void npp_colour_twist(const char *name, how v,
                      S (*f)(const T *, int, T *, int, NppiSize, const Npp32f (*)[4]),
                      S (*g)(const T *, int, T *, int, NppiSize, const Npp32f (*)[4] CTX))
{
    static const Npp32f twist[3][4] = {{0, 1, 0, 5}, {0.5f, 0, 1, 0}, {-1, 0, 0, 300}};
    mixed<T>(name, v, mix{{{0, 1, 0, 5}, {0.5, 0, 1, 0}, {-1, 0, 0, 300}}, {0, 0, 0}}, 1e-3,
             [&](image<T> &a, image<T> &d, int ctx) {
                 return EITHER(f, g, a.p, STEP, d.p, STEP, all, twist);
             });
}

/* ---- measures, one for each channel ---- */
struct measured {
    double sum = 0, least = 1e30, most = -1e30, squares = 0;
};
template <class T> static measured measure(const image<T> &a, how v, int c)
{
    measured m;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const double u = a.old(y, x * v.channels + c);
            m.sum += u;
            m.least = fmin(m.least, u);
            m.most = fmax(m.most, u);
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const double off = a.old(y, x * v.channels + c) - m.sum / (W * H);
            m.squares += off * off;
        }
    return m;
}
static Npp8u *room()
{
    static Npp8u *p;
    if (!p)
        CUDA(cudaMalloc((void **)&p, 1 << 20));
    return p;
}
template <class D> static void is(const char *name, D got, double want)
{
    if (!(fabs((double)got - want) <= 1e-6 * (1 + fabs(want)))) {
        printf("%s: %g, not %g\n", name, (double)got, want);
        exit(1);
    }
}
#define MEASURE(family, D, order, what)                                                            \
    template <class T>                                                                             \
    void npp_##family(const char *name, how v, S (*f)(const T *, int, NppiSize, Npp8u *, D *),     \
                      S (*g)(const T *, int, NppiSize, Npp8u *, D *CTX))                           \
    {                                                                                              \
        image<T> a(1);                                                                             \
        D *out = managed(std::vector<D>(4));                                                       \
        BOTH                                                                                       \
        {                                                                                          \
            NPP(EITHER(f, g, a.p, STEP, all, room(), out));                                        \
            CUDA(cudaDeviceSynchronize());                                                         \
            for (int c = 0; c < v.channels; c++)                                                   \
                is(name, out[c], measure(a, v, c).what);                                           \
        }                                                                                          \
        cudaFree(out);                                                                             \
        checked++;                                                                                 \
    }
MEASURE(sum, Npp64f, , sum)
MEASURE(mean, Npp64f, , sum / (W * H))
MEASURE(least, T, , least)
MEASURE(most, T, , most)
template <class T>
void npp_least_most(const char *name, how v, S (*f)(const T *, int, NppiSize, T *, T *, Npp8u *),
                    S (*g)(const T *, int, NppiSize, T *, T *, Npp8u *CTX))
{
    image<T> a(1);
    T *out = managed(std::vector<T>(8));
    BOTH
    {
        NPP(EITHER(f, g, a.p, STEP, all, out, out + 4, room()));
        CUDA(cudaDeviceSynchronize());
        for (int c = 0; c < v.channels; c++) {
            is(name, out[c], measure(a, v, c).least);
            is(name, out[4 + c], measure(a, v, c).most);
        }
    }
    cudaFree(out);
    checked++;
}
template <class T>
void npp_mean_std(const char *name, how v,
                  S (*f)(const T *, int, NppiSize, Npp8u *, Npp64f *, Npp64f *),
                  S (*g)(const T *, int, NppiSize, Npp8u *, Npp64f *, Npp64f *CTX))
{
    image<T> a(1);
    Npp64f *out = managed(std::vector<Npp64f>(2));
    BOTH
    {
        NPP(EITHER(f, g, a.p, STEP, all, room(), out, out + 1));
        CUDA(cudaDeviceSynchronize());
        const measured m = measure(a, v, 0);
        is(name, out[0], m.sum / (W * H));
        is(name, out[1], sqrt(m.squares / (W * H)));
    }
    cudaFree(out);
    checked++;
}
static void npp_buffer_size(const char *name, how, S (*f)(NppiSize, size_t *),
                            S (*g)(NppiSize, size_t *CTX))
{
    BOTH
    {
        size_t bytes = 0;
        NPP(EITHER(f, g, all, &bytes));
        is(name, bytes > 0, 1);
    }
    checked++;
}
static void npp_histogram_size(const char *name, how, S (*f)(NppiSize, int, size_t *),
                               S (*g)(NppiSize, int, size_t *CTX))
{
    BOTH
    {
        size_t bytes = 0;
        NPP(EITHER(f, g, all, 7, &bytes));
        is(name, bytes > 0, 1);
    }
    checked++;
}
template <class T>
void npp_histogram_one(const char *name, how,
                       S (*f)(const T *, int, NppiSize, Npp32s *, int, Npp32s, Npp32s, Npp8u *),
                       S (*g)(const T *, int, NppiSize, Npp32s *, int, Npp32s, Npp32s, Npp8u *CTX))
{
    image<T> a(1);
    Npp32s levels[6], *counts = managed(std::vector<Npp32s>(5));
    NPP(nppiEvenLevelsHost_32s(levels, 6, 20, 220));
    BOTH
    {
        NPP(EITHER(f, g, a.p, STEP, all, counts, 6, 20, 220, room()));
        CUDA(cudaDeviceSynchronize());
        for (int k = 0; k < 5; k++) {
            int want = 0;
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    want += a.old(y, x) >= levels[k] && a.old(y, x) < levels[k + 1];
            is(name, counts[k], want);
        }
    }
    cudaFree(counts);
    checked++;
}

/* ---- signals ---- */
enum { N = 37 };
template <class T, class Call, class F> void signal(const char *name, Call call, F want)
{
    image<T> a(1), b(2);
    BOTH
    {
        image<T> d(3);
        NPP(call(a, b, d, ctx));
        CUDA(cudaDeviceSynchronize());
        for (int k = 0; k < N + 1 && (k + 1) * sizeof(T) <= STEP * H; k++) {
            const double w = k < N && k * sizeof(T) < STEP * H
                                 ? want((double)((const T *)a.was.data())[k],
                                        (double)((const T *)b.was.data())[k],
                                        (double)((const T *)d.was.data())[k])
                                 : (double)((const T *)d.was.data())[k];
            if (!same<T>((double)d.p[k], w, 0)) {
                printf("%s: element %d: %g, not %g\n", name, k, (double)d.p[k], w);
                exit(1);
            }
        }
    }
    checked++;
}
#define SIGNALS(family, formula)                                                                   \
    template <class T>                                                                             \
    void npps_##family(const char *name, how, S (*f)(const T *, const T *, T *, size_t),           \
                       S (*g)(const T *, const T *, T *, size_t CTX))                              \
    {                                                                                              \
        signal<T>(                                                                                 \
            name,                                                                                  \
            [&](image<T> &a, image<T> &b, image<T> &d, int ctx) {                                  \
                return EITHER(f, g, a.p, b.p, d.p, N);                                             \
            },                                                                                     \
            [](double w, double u, double) { return formula; });                                   \
    }                                                                                              \
    template <class T>                                                                             \
    void npps_##family##_in(const char *name, how, S (*f)(const T *, T *, size_t),                 \
                            S (*g)(const T *, T *, size_t CTX))                                    \
    {                                                                                              \
        signal<T>(                                                                                 \
            name,                                                                                  \
            [&](image<T> &a, image<T> &, image<T> &d, int ctx) {                                   \
                return EITHER(f, g, a.p, d.p, N);                                                  \
            },                                                                                     \
            [](double w, double, double u) { return formula; });                                   \
    }                                                                                              \
    template <class T>                                                                             \
    void npps_##family##_c(const char *name, how, S (*f)(const T *, T, T *, size_t),               \
                           S (*g)(const T *, T, T *, size_t CTX))                                  \
    {                                                                                              \
        signal<T>(                                                                                 \
            name,                                                                                  \
            [&](image<T> &a, image<T> &, image<T> &d, int ctx) {                                   \
                return EITHER(f, g, a.p, (T)3, d.p, N);                                            \
            },                                                                                     \
            [](double u, double, double) {                                                         \
                const double w = 3;                                                                \
                return formula;                                                                    \
            });                                                                                    \
    }                                                                                              \
    template <class T>                                                                             \
    void npps_##family##_c_in(const char *name, how, S (*f)(T, T *, size_t),                       \
                              S (*g)(T, T *, size_t CTX))                                          \
    {                                                                                              \
        signal<T>(                                                                                 \
            name,                                                                                  \
            [&](image<T> &, image<T> &, image<T> &d, int ctx) {                                    \
                return EITHER(f, g, (T)3, d.p, N);                                                 \
            },                                                                                     \
            [](double, double, double u) {                                                         \
                const double w = 3;                                                                \
                return formula;                                                                    \
            });                                                                                    \
    }
SIGNALS(add, u + w)
SIGNALS(sub, u - w)
SIGNALS(mul, u *w)
SIGNALS(div, u / w)
#define SIGNAL(family, formula)                                                                    \
    template <class T>                                                                             \
    void npps_##family(const char *name, how, S (*f)(const T *, T *, size_t),                      \
                       S (*g)(const T *, T *, size_t CTX))                                         \
    {                                                                                              \
        signal<T>(                                                                                 \
            name,                                                                                  \
            [&](image<T> &a, image<T> &, image<T> &d, int ctx) {                                   \
                return EITHER(f, g, a.p, d.p, N);                                                  \
            },                                                                                     \
            [](double u, double, double) { return formula; });                                     \
    }
SIGNAL(copy, u)
SIGNAL(abs, fabs(u))
SIGNAL(sqr, u *u)
SIGNAL(sqrt, sqrt(u))
SIGNAL(ln, log(u))
SIGNAL(exp, exp(u))
template <class T>
void npps_fill(const char *name, how, S (*f)(T, T *, size_t), S (*g)(T, T *, size_t CTX))
{
    signal<T>(
        name,
        [&](image<T> &, image<T> &, image<T> &d, int ctx) { return EITHER(f, g, (T)5, d.p, N); },
        [](double, double, double) { return 5.0; });
}
template <class T>
void npps_zero(const char *name, how, S (*f)(T *, size_t), S (*g)(T *, size_t CTX))
{
    signal<T>(
        name, [&](image<T> &, image<T> &, image<T> &d, int ctx) { return EITHER(f, g, d.p, N); },
        [](double, double, double) { return 0.0; });
}

/* ---- regions, edges, tables: npp_regions.h has the checks ---- */
/* What a function reads, and what the distances are that it writes. */
template <class T, class... X> T read_by(S (*)(const T *, X...));
template <class D, class... X>
D distance_by(S (*)(const Npp8u *, int, Npp8u, Npp8u, Npp16s *, int, Npp16s *, int, Npp16s *, int,
                    D *, X...));
#define REGIONS(family, check)                                                                     \
    template <class F, class G> void family(const char *name, how, F f, G g)                       \
    {                                                                                              \
        regions::check;                                                                            \
        checked += 2;                                                                              \
    }
REGIONS(npp_labels, labels<decltype(read_by(f))>(name, f, g))
REGIONS(npp_labels_compress, compress(name, f, g))
REGIONS(npp_distance, distance<decltype(distance_by(f))>(name, f, g))
REGIONS(npp_gradient_prewitt, gradient(name, regions::prewitt, f, g))
REGIONS(npp_gradient_scharr, gradient(name, regions::scharr, f, g))
REGIONS(npp_gradient_sobel, gradient(name, regions::sobel, f, g))
REGIONS(npp_canny, canny(name, f, g))
#define TABLE(family, V, linear)                                                                   \
    template <class F, class G> void family(const char *name, how, F f, G g)                       \
    {                                                                                              \
        regions::table<decltype(read_by(f)), V>(name, linear, f, g);                               \
        checked += 2;                                                                              \
    }
TABLE(npp_table_whole, Npp32s, false)
TABLE(npp_table_whole_linear, Npp32s, true)
TABLE(npp_table_real, Npp32f, false)
TABLE(npp_table_real_linear, Npp32f, true)

/* NPP's signals: images of one row. */
#include "lib/npp/npp_int.h"

/* Rows are counted in ints: longer signals go by parts. */
enum { MOST = 1 << 27 };

typedef NppStatus each_part(const struct npp_call *call, const void *a, const void *b,
                            const void *k, void *d, NppiSize size);

static const void *behind(const void *p, size_t bytes)
{
    return p ? (const char *)p + bytes : NULL;
}

static NppStatus by_parts(const struct npp_call *call, each_part *f, const void *a, const void *b,
                          const void *k, void *d, size_t n)
{
    NppStatus r = NPP_SUCCESS;
    const size_t bytes = (size_t)npp_bytes[call->from];
    for (size_t at = 0; at < n && r == NPP_SUCCESS; at += MOST) {
        const NppiSize size = {n - at < MOST ? (int)(n - at) : MOST, 1};
        r = f(call, behind(a, at * bytes), behind(b, at * bytes), k,
              d ? (char *)d + at * bytes : NULL, size);
    }
    return r;
}

/* No row follows: any step will do. */
#define TWO(name)                                                                                  \
    static NppStatus name##_part(const struct npp_call *call, const void *a, const void *b,        \
                                 const void *k, void *d, NppiSize size)                            \
    {                                                                                              \
        return k ? npp_##name##_c_plain(call, a, 1, k, d, 1, size)                                 \
                 : npp_##name##_plain(call, a, 1, b, 1, d, 1, size);                               \
    }                                                                                              \
    NppStatus npps_##name(const struct npp_call *call, const void *a, const void *b, void *d,      \
                          size_t n)                                                                \
    {                                                                                              \
        return a && b ? by_parts(call, name##_part, a, b, NULL, d, n) : NPP_NULL_POINTER_ERROR;    \
    }                                                                                              \
    NppStatus npps_##name##_in(const struct npp_call *call, const void *a, void *d, size_t n)      \
    {                                                                                              \
        return a && d ? by_parts(call, name##_part, a, d, NULL, d, n) : NPP_NULL_POINTER_ERROR;    \
    }                                                                                              \
    NppStatus npps_##name##_c(const struct npp_call *call, const void *a, const void *k, void *d,  \
                              size_t n)                                                            \
    {                                                                                              \
        return by_parts(call, name##_part, a, NULL, k, d, n);                                      \
    }                                                                                              \
    NppStatus npps_##name##_c_in(const struct npp_call *call, const void *k, void *d, size_t n)    \
    {                                                                                              \
        return by_parts(call, name##_part, d, NULL, k, d, n);                                      \
    }
TWO(add)
TWO(sub)
TWO(mul)
TWO(div)

#define ONE(name)                                                                                  \
    static NppStatus name##_part(const struct npp_call *call, const void *a, const void *b,        \
                                 const void *k, void *d, NppiSize size)                            \
    {                                                                                              \
        (void)b, (void)k;                                                                          \
        return npp_##name(call, a, 1, d, 1, size);                                                 \
    }                                                                                              \
    NppStatus npps_##name(const struct npp_call *call, const void *a, void *d, size_t n)           \
    {                                                                                              \
        return by_parts(call, name##_part, a, NULL, NULL, d, n);                                   \
    }
ONE(abs)
ONE(sqr)
ONE(sqrt)
ONE(ln)
ONE(exp)
ONE(copy)

static NppStatus fill_part(const struct npp_call *call, const void *a, const void *b, const void *k,
                           void *d, NppiSize size)
{
    (void)a, (void)b;
    return npp_fill(call, k, d, 1, size);
}

NppStatus npps_fill(const struct npp_call *call, const void *k, void *d, size_t n)
{
    return by_parts(call, fill_part, NULL, NULL, k, d, n);
}

NppStatus npps_zero(const struct npp_call *call, void *d, size_t n)
{
    static const double zero = 0; /* as any type */
    return by_parts(call, fill_part, NULL, NULL, &zero, d, n);
}

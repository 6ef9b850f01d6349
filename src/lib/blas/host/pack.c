/* Panels of A and B as what is computed with, whatever they are stored as. */
#include <string.h>
#include "lib/blas/host/host.h"
#include "lib/narrow.h"

/* ---- single elements ---- */

/* X(type, what is stored, an element x as a number, numbers for each element): what is summed up in
 * float, in double, in either, and what is no factor where there is a choice. */
#define IN_FLOAT(X)                                                                                \
    X(F32, float, x, 1)                                                                            \
    X(C32, float, x, 2)                                                                            \
    X(F16, uint16_t, narrow_from_f16(x), 1)                                                        \
    X(BF16, uint16_t, narrow_from_bf16(x), 1)                                                      \
    X(C8, int8_t, x, 2)                                                                            \
    X(E4M3, uint8_t, narrow_from_f8(x, 3, 7, false), 1)                                            \
    X(E5M2, uint8_t, narrow_from_f8(x, 2, 15, true), 1)
#define IN_DOUBLE(X)   X(F64, double, x, 1) X(C64, double, x, 2)
#define IN_EITHER(X)   X(I8, int8_t, x, 1)
#define HOST_STORED(X) IN_FLOAT(X) IN_DOUBLE(X) IN_EITHER(X) X(I32, int32_t, x, 1)

static void stored(enum lib_type type, const void *p, int64_t at, double v[2])
{
    v[1] = 0;
    switch (type) {
#define X(name, stored_, number, numbers)                                                          \
    case LIB_##name: {                                                                             \
        const stored_ *e = (const stored_ *)p + at * (numbers);                                    \
        stored_ x = e[0];                                                                          \
        v[0] = (double)(number);                                                                   \
        if ((numbers) == 2) {                                                                      \
            x = e[1];                                                                              \
            v[1] = (double)(number);                                                               \
        }                                                                                          \
        break;                                                                                     \
    }
        HOST_STORED(X)
#undef X
    default: v[0] = 0;
    }
}

bool host_element(const struct host_source *s, int64_t r, int64_t c, double v[2])
{
    const struct blas_operand *o = s->o;
    const bool inside = r == c || (r < c) == (o->upper != 0);
    bool conj = o->conj;
    int64_t at = r * o->row + c * o->col;
    if (s->kind == BLAS_TRIANGULAR) {
        if (!inside)
            return false;
        if (r == c && o->unit) {
            v[0] = 1;
            v[1] = 0;
            return true;
        }
    } else if (s->kind != BLAS_GENERAL && !inside) {
        at = c * o->row + r * o->col;
        conj ^= s->kind == BLAS_HERMITIAN;
    }
    stored(s->type, s->p, at, v);
    if (s->kind == BLAS_HERMITIAN && r == c)
        v[1] = 0;
    else if (s->kind != BLAS_SYMMETRIC && conj)
        v[1] = -v[1];
    return true;
}

/* ---- panels ---- */

/* Any kind, element by element. */
#define PACK_ANY(T)                                                                                \
    static void any_##T(const struct host_source *s, enum host_part part, int64_t i0, int64_t n,   \
                        int64_t k0, int64_t nk, int r, T *to)                                      \
    {                                                                                              \
        for (int64_t p = 0; p < n; p += r)                                                         \
            for (int64_t k = 0; k < nk; k++, to += r)                                              \
                for (int i = 0; i < r; i++) {                                                      \
                    double v[2] = {0, 0};                                                          \
                    if (p + i < n) {                                                               \
                        const int64_t a = i0 + p + i, b = k0 + k;                                  \
                        host_element(s, s->across ? b : a, s->across ? a : b, v);                  \
                    }                                                                              \
                    to[i] = (T)v[part];                                                            \
                }                                                                                  \
    }
PACK_ANY(float)
PACK_ANY(double)

#define LENGTHS(X, stored_, number)                                                                \
    X(4, stored_, number)                                                                          \
    X(6, stored_, number)                                                                          \
    X(8, stored_, number) X(12, stored_, number) X(16, stored_, number) X(32, stored_, number)
#define SIDE_BY_SIDE(length, stored_, number)                                                      \
    case length:                                                                                   \
        for (int64_t k = 0; k < nk; k++)                                                           \
            for (int i = 0; i < (length); i++) {                                                   \
                const stored_ x = from[i + k * sk];                                                \
                to[k * (length) + i] = number;                                                     \
            }                                                                                      \
        break;
#define ACROSS(length, stored_, number)                                                            \
    case length:                                                                                   \
        for (int64_t k = 0; k < nk; k += 4) {                                                      \
            const int64_t end = k + 4 < nk ? k + 4 : nk;                                           \
            for (int i = 0; i < (length); i++)                                                     \
                for (int64_t l = k; l < end; l++) {                                                \
                    const stored_ x = from[i * si + l * sk];                                       \
                    to[l * (length) + i] = sign * number;                                          \
                }                                                                                  \
        }                                                                                          \
        break;

/* General matrices: one loop for each stored type that is packed as such. si, sk: from one row, one
 * column to the next. The loop over the distance that is 1 is the inner one. */
#define PACK_GENERAL(name, T, stored_, number, numbers)                                            \
    static void general_##T##_##name(const void *p, enum host_part part, bool conj, int64_t si,    \
                                     int64_t sk, int64_t n, int64_t nk, int r, T *to)              \
    {                                                                                              \
        const stored_ *from = (const stored_ *)p + ((numbers) == 2 ? (int)part : 0);               \
        const T sign = conj && part == HOST_IMAGINARY ? (T)-1 : (T)1;                              \
        si *= (numbers);                                                                           \
        sk *= (numbers);                                                                           \
        for (int64_t q = 0; q < n; q += r, from += r * si, to += r * nk) {                         \
            const int rows = n - q < r ? (int)(n - q) : r;                                         \
            if (rows < r)                                                                          \
                memset(to, 0, (size_t)(r * nk) * sizeof(T));                                       \
            if (si == 1 && rows == r && (numbers) == 1) {                                          \
                /* Loops of known length, for the lengths that micro-kernels have. */              \
                switch (r) {                                                                       \
                    LENGTHS(SIDE_BY_SIDE, stored_, (T)(number))                                    \
                default:                                                                           \
                    for (int64_t k = 0; k < nk; k++)                                               \
                        for (int i = 0; i < r; i++) {                                              \
                            const stored_ x = from[i + k * sk];                                    \
                            to[k * r + i] = (T)(number);                                           \
                        }                                                                          \
                }                                                                                  \
            } else if (rows == r) {                                                                \
                switch (r) {                                                                       \
                    LENGTHS(ACROSS, stored_, (T)(number))                                          \
                default:                                                                           \
                    for (int64_t k = 0; k < nk; k++)                                               \
                        for (int i = 0; i < r; i++) {                                              \
                            const stored_ x = from[i * si + k * sk];                               \
                            to[k * r + i] = sign * (T)(number);                                    \
                        }                                                                          \
                }                                                                                  \
            } else {                                                                               \
                for (int64_t k = 0; k < nk; k += 8) {                                              \
                    const int64_t end = k + 8 < nk ? k + 8 : nk;                                   \
                    for (int i = 0; i < rows; i++)                                                 \
                        for (int64_t l = k; l < end; l++) {                                        \
                            const stored_ x = from[i * si + l * sk];                               \
                            to[l * r + i] = sign * (T)(number);                                    \
                        }                                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define X(name, stored_, number, numbers) PACK_GENERAL(name, float, stored_, number, numbers)
IN_FLOAT(X)
IN_EITHER(X)
#undef X
#define X(name, stored_, number, numbers) PACK_GENERAL(name, double, stored_, number, numbers)
IN_DOUBLE(X)
IN_EITHER(X)
#undef X

/* ---- rows whose elements lie side by side, turned ---- */

#if defined(__x86_64__)
#include <immintrin.h>

/* Four rows of nk elements, a distance of si apart, to columns of r elements. */
__attribute__((target("avx2"))) static void turn_double(int64_t nk, const double *from, int64_t si,
                                                        int r, double *to)
{
    int64_t k = 0;
    for (; k + 4 <= nk; k += 4, to += 4 * r) {
        const __m256d a = _mm256_loadu_pd(from + k), b = _mm256_loadu_pd(from + k + si),
                      c = _mm256_loadu_pd(from + k + 2 * si),
                      d = _mm256_loadu_pd(from + k + 3 * si);
        const __m256d even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b),
                      even2 = _mm256_unpacklo_pd(c, d), odd2 = _mm256_unpackhi_pd(c, d);
        _mm256_storeu_pd(to, _mm256_permute2f128_pd(even, even2, 0x20));
        _mm256_storeu_pd(to + r, _mm256_permute2f128_pd(odd, odd2, 0x20));
        _mm256_storeu_pd(to + 2 * r, _mm256_permute2f128_pd(even, even2, 0x31));
        _mm256_storeu_pd(to + 3 * r, _mm256_permute2f128_pd(odd, odd2, 0x31));
    }
    for (; k < nk; k++, to += r)
        for (int i = 0; i < 4; i++)
            to[i] = from[k + i * si];
}

__attribute__((target("avx2"))) static void turn_float(int64_t nk, const float *from, int64_t si,
                                                       int r, float *to)
{
    int64_t k = 0;
    for (; k + 4 <= nk; k += 4, to += 4 * r) {
        __m128 a = _mm_loadu_ps(from + k), b = _mm_loadu_ps(from + k + si),
               c = _mm_loadu_ps(from + k + 2 * si), d = _mm_loadu_ps(from + k + 3 * si);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to + r, b);
        _mm_storeu_ps(to + 2 * r, c);
        _mm_storeu_ps(to + 3 * r, d);
    }
    for (; k < nk; k++, to += r)
        for (int i = 0; i < 4; i++)
            to[i] = from[k + i * si];
}

/* Four elements of 16 bits as floats: halves, or the upper halves of floats. */
__attribute__((target("avx2,f16c"))) static inline __m128 four_narrow(const uint16_t *from,
                                                                      bool half)
{
    const __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return half ? _mm_cvtph_ps(x) : _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(x), 16));
}
__attribute__((target("avx2,f16c"))) static inline float one_narrow(uint16_t x, bool half)
{
    const __m128i v = _mm_cvtsi32_si128(x);
    return half ? _mm_cvtss_f32(_mm_cvtph_ps(v))
                : _mm_cvtss_f32(_mm_castsi128_ps(_mm_slli_epi32(v, 16)));
}

__attribute__((target("avx2,f16c"))) static inline void
turn_narrow(int64_t nk, const uint16_t *from, int64_t si, int r, float *to, bool half)
{
    int64_t k = 0;
    for (; k + 4 <= nk; k += 4, to += 4 * r) {
        __m128 a = four_narrow(from + k, half), b = four_narrow(from + k + si, half),
               c = four_narrow(from + k + 2 * si, half), d = four_narrow(from + k + 3 * si, half);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to + r, b);
        _mm_storeu_ps(to + 2 * r, c);
        _mm_storeu_ps(to + 3 * r, d);
    }
    for (; k < nk; k++, to += r)
        for (int i = 0; i < 4; i++)
            to[i] = one_narrow(from[k + i * si], half);
}

/* Panels of elements of 16 bits, by rows or by columns that lie side by side; how many rows. */
__attribute__((target("avx2,f16c"))) static inline int64_t
narrow_panels(const uint16_t *from, int64_t si, int64_t sk, int64_t n, int64_t nk, int r, float *to,
              bool half)
{
    int64_t q = 0;
    for (; q + r <= n; q += r, to += r * nk)
        if (sk == 1)
            for (int i = 0; i < r; i += 4)
                turn_narrow(nk, from + (q + i) * si, si, r, to + i, half);
        else
            for (int64_t k = 0; k < nk; k++)
                for (int i = 0; i < r; i += 4)
                    _mm_storeu_ps(to + k * r + i, four_narrow(from + q + i + k * sk, half));
    return q;
}

__attribute__((target("avx2,f16c"))) static int64_t packed_narrow(const void *from, int64_t si,
                                                                  int64_t sk, int64_t n, int64_t nk,
                                                                  int r, float *to, bool half)
{
    if (r % 4 || (sk != 1 && si != 1) ||
        !__builtin_cpu_supports("avx2")) /* none has that without f16c */
        return 0;
    return half ? narrow_panels(from, si, sk, n, nk, r, to, true)
                : narrow_panels(from, si, sk, n, nk, r, to, false);
}

/* All panels that are whole; how many rows they have. */
#define TURN(T)                                                                                    \
    static int64_t turned_##T(const T *from, int64_t si, int64_t n, int64_t nk, int r, T *to)      \
    {                                                                                              \
        int64_t q = 0;                                                                             \
        if (r % 4 || !__builtin_cpu_supports("avx2"))                                              \
            return 0;                                                                              \
        for (; q + r <= n; q += r, to += r * nk)                                                   \
            for (int i = 0; i < r; i += 4)                                                         \
                turn_##T(nk, from + (q + i) * si, si, r, to + i);                                  \
        return q;                                                                                  \
    }
#else
static int64_t packed_narrow(const void *from, int64_t si, int64_t sk, int64_t n, int64_t nk, int r,
                             float *to, bool half)
{
    (void)from, (void)si, (void)sk, (void)n, (void)nk, (void)r, (void)to, (void)half;
    return 0;
}
#define TURN(T)                                                                                    \
    static int64_t turned_##T(const T *from, int64_t si, int64_t n, int64_t nk, int r, T *to)      \
    {                                                                                              \
        (void)from, (void)si, (void)n, (void)nk, (void)r, (void)to;                                \
        return 0;                                                                                  \
    }
#endif
TURN(float)
TURN(double)

static int64_t widened_f32(enum lib_type type, const void *p, int64_t si, int64_t sk, int64_t n,
                           int64_t nk, int r, float *to)
{
    return type == LIB_F16 || type == LIB_BF16
               ? packed_narrow(p, si, sk, n, nk, r, to, type == LIB_F16)
               : 0;
}
static int64_t widened_f64(enum lib_type type, const void *p, int64_t si, int64_t sk, int64_t n,
                           int64_t nk, int r, double *to)
{
    (void)type, (void)p, (void)si, (void)sk, (void)n, (void)nk, (void)r, (void)to;
    return 0;
}

#define PACK(suffix, T, same)                                                                      \
    void host_pack_##suffix(const struct host_source *s, enum host_part part, int64_t i0,          \
                            int64_t n, int64_t k0, int64_t nk, int r, T *to)                       \
    {                                                                                              \
        if (s->kind != BLAS_GENERAL) {                                                             \
            any_##T(s, part, i0, n, k0, nk, r, to);                                                \
            return;                                                                                \
        }                                                                                          \
        const int64_t si = s->across ? s->o->col : s->o->row,                                      \
                      sk = s->across ? s->o->row : s->o->col;                                      \
        const char *p =                                                                            \
            (const char *)s->p + (i0 * si + k0 * sk) * (int64_t)lib_types[s->type].bytes;          \
        const int64_t done = s->type == (same) && sk == 1 && si != 1                               \
                                 ? turned_##T((const T *)(const void *)p, si, n, nk, r, to)        \
                                 : widened_##suffix(s->type, p, si, sk, n, nk, r, to);             \
        p += done * si * (int64_t)lib_types[s->type].bytes;                                        \
        n -= done;                                                                                 \
        to += done * nk;                                                                           \
        switch (s->type) {                                                                         \
        default:                                                                                   \
            any_##T(s, part, i0, n, k0, nk, r, to);                                                \
            break;                                                                                 \
            PACK_CASES_##suffix(PACK_CASE_##suffix)                                                \
        }                                                                                          \
    }
#define PACK_CASE_f32(name, stored_, number, numbers)                                              \
    case LIB_##name:                                                                               \
        general_float_##name(p, part, s->o->conj, si, sk, n, nk, r, to);                           \
        break;
#define PACK_CASE_f64(name, stored_, number, numbers)                                              \
    case LIB_##name:                                                                               \
        general_double_##name(p, part, s->o->conj, si, sk, n, nk, r, to);                          \
        break;
#define PACK_CASES_f32(X) IN_FLOAT(X) IN_EITHER(X)
#define PACK_CASES_f64(X) IN_DOUBLE(X) IN_EITHER(X)
PACK(f32, float, LIB_F32)
PACK(f64, double, LIB_F64)

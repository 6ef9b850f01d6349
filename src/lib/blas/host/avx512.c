/* Micro-kernels for AVX-512. 32 registers: 24 sums, two for A, the rest for B. */
#include "lib/blas/host/host.h"

#if defined(__x86_64__)
#include <immintrin.h>

static bool works(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* Each sum is a variable of its own: arrays would live in memory. */
#define COLUMNS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

/* 32 by 12 */
#define SUMS_F32                                                                                   \
    COLUMNS(ZERO_F32)                                                                              \
    for (; k > 0; k--) {                                                                           \
        const __m512 a0 = _mm512_loadu_ps(a), a1 = _mm512_loadu_ps(a + 16);                        \
        COLUMNS(STEP_F32)                                                                          \
        a += 32;                                                                                   \
        b += 12;                                                                                   \
    }
#define ZERO_F32(j) __m512 u##j = _mm512_setzero_ps(), v##j = _mm512_setzero_ps();
#define STEP_F32(j)                                                                                \
    {                                                                                              \
        const __m512 row = _mm512_set1_ps(b[j]);                                                   \
        u##j = _mm512_fmadd_ps(a0, row, u##j);                                                     \
        v##j = _mm512_fmadd_ps(a1, row, v##j);                                                     \
    }

__attribute__((target("avx512f"))) static void tile_f32(int64_t k, const float *a, const float *b,
                                                        float *out)
{
    SUMS_F32
#define X(j)                                                                                       \
    _mm512_storeu_ps(out + 32 * j, u##j);                                                          \
    _mm512_storeu_ps(out + 32 * j + 16, v##j);
    COLUMNS(X)
#undef X
}

__attribute__((target("avx512f"))) static void
whole_f32(int64_t k, const float *a, const float *b, float alpha, float beta, float *c, int64_t ld)
{
#define X(j)                                                                                       \
    __builtin_prefetch(c + j * ld);                                                                \
    __builtin_prefetch(c + j * ld + 31);
    COLUMNS(X)
#undef X
    SUMS_F32
    const __m512 by = _mm512_set1_ps(alpha), old = _mm512_set1_ps(beta);
#define X(j)                                                                                       \
    _mm512_storeu_ps(c + j * ld, _mm512_mul_ps(u##j, by));                                         \
    _mm512_storeu_ps(c + j * ld + 16, _mm512_mul_ps(v##j, by));
    if (beta == 0) {
        COLUMNS(X)
        return;
    }
#undef X
#define X(j)                                                                                       \
    _mm512_storeu_ps(c + j * ld,                                                                   \
                     _mm512_fmadd_ps(u##j, by, _mm512_mul_ps(old, _mm512_loadu_ps(c + j * ld))));  \
    _mm512_storeu_ps(                                                                              \
        c + j * ld + 16,                                                                           \
        _mm512_fmadd_ps(v##j, by, _mm512_mul_ps(old, _mm512_loadu_ps(c + j * ld + 16))));
    COLUMNS(X)
#undef X
}

/* 16 by 12 */
#define SUMS_F64                                                                                   \
    COLUMNS(ZERO_F64)                                                                              \
    for (; k > 0; k--) {                                                                           \
        const __m512d a0 = _mm512_loadu_pd(a), a1 = _mm512_loadu_pd(a + 8);                        \
        COLUMNS(STEP_F64)                                                                          \
        a += 16;                                                                                   \
        b += 12;                                                                                   \
    }
#define ZERO_F64(j) __m512d u##j = _mm512_setzero_pd(), v##j = _mm512_setzero_pd();
#define STEP_F64(j)                                                                                \
    {                                                                                              \
        const __m512d row = _mm512_set1_pd(b[j]);                                                  \
        u##j = _mm512_fmadd_pd(a0, row, u##j);                                                     \
        v##j = _mm512_fmadd_pd(a1, row, v##j);                                                     \
    }

__attribute__((target("avx512f"))) static void tile_f64(int64_t k, const double *a, const double *b,
                                                        double *out)
{
    SUMS_F64
#define X(j)                                                                                       \
    _mm512_storeu_pd(out + 16 * j, u##j);                                                          \
    _mm512_storeu_pd(out + 16 * j + 8, v##j);
    COLUMNS(X)
#undef X
}

__attribute__((target("avx512f"))) static void whole_f64(int64_t k, const double *a,
                                                         const double *b, double alpha, double beta,
                                                         double *c, int64_t ld)
{
#define X(j)                                                                                       \
    __builtin_prefetch(c + j * ld);                                                                \
    __builtin_prefetch(c + j * ld + 15);
    COLUMNS(X)
#undef X
    SUMS_F64
    const __m512d by = _mm512_set1_pd(alpha), old = _mm512_set1_pd(beta);
#define X(j)                                                                                       \
    _mm512_storeu_pd(c + j * ld, _mm512_mul_pd(u##j, by));                                         \
    _mm512_storeu_pd(c + j * ld + 8, _mm512_mul_pd(v##j, by));
    if (beta == 0) {
        COLUMNS(X)
        return;
    }
#undef X
#define X(j)                                                                                       \
    _mm512_storeu_pd(c + j * ld,                                                                   \
                     _mm512_fmadd_pd(u##j, by, _mm512_mul_pd(old, _mm512_loadu_pd(c + j * ld))));  \
    _mm512_storeu_pd(                                                                              \
        c + j * ld + 8,                                                                            \
        _mm512_fmadd_pd(v##j, by, _mm512_mul_pd(old, _mm512_loadu_pd(c + j * ld + 8))));
    COLUMNS(X)
#undef X
}

/* ---- without panels: A's rows and C's lie side by side, B as it may ---- */

/* Up to 12 columns of B from four places, so that few registers say where they are. */
#define B_AT(j)  ((j) < 3 ? p0 : (j) < 6 ? p1 : (j) < 9 ? p2 : p3)[(j) % 3 * col]
#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define FOUR(X)  X(0) X(1) X(2) X(3)
#define ONE(X)   X(0)

/* One vector or two of rows, by masks, times the columns of LIST. S: the suffix of the type's
 * instructions; W: elements of a vector. name_whole is for vectors without masks, which a load soon
 * after their store gets from the store. */
#define SMALL(name, T, V, S, W, MASK, LIST, STEP, ZERO, PUT)                                       \
    SMALL_BODY(name##_any, T, V, S, W, MASK, LIST, STEP, ZERO, PUT)                                \
    __attribute__((target("avx512f"))) static void name(                                           \
        int64_t k, const T *a, int64_t lda, const T *b, int64_t row, int64_t col, T alpha, T beta, \
        T *c, int64_t ld, MASK m0, MASK m1)                                                        \
    {                                                                                              \
        name##_any(k, a, lda, b, row, col, alpha, beta, c, ld, m0, m1);                            \
    }                                                                                              \
    __attribute__((target("avx512f"))) static void name##_whole(                                   \
        int64_t k, const T *a, int64_t lda, const T *b, int64_t row, int64_t col, T alpha, T beta, \
        T *c, int64_t ld, MASK m0, MASK m1)                                                        \
    {                                                                                              \
        (void)m0, (void)m1;                                                                        \
        name##_any(k, a, lda, b, row, col, alpha, beta, c, ld, (MASK)-1, (MASK)-1);                \
    }
#define SMALL_BODY(name, T, V, S, W, MASK, LIST, STEP, ZERO, PUT)                                  \
    __attribute__((target("avx512f"), always_inline)) static inline void name(                     \
        int64_t k, const T *a, int64_t lda, const T *b, int64_t row, int64_t col, T alpha, T beta, \
        T *c, int64_t ld, MASK m0, MASK m1)                                                        \
    {                                                                                              \
        const T *p0 = b, *p1 = b + 3 * col, *p2 = b + 6 * col, *p3 = b + 9 * col;                  \
        LIST(ZERO)                                                                                 \
        for (; k > 0; k--) {                                                                       \
            const V a0 = _mm512_maskz_loadu_##S(m0, a), a1 = _mm512_maskz_loadu_##S(m1, a + (W));  \
            LIST(STEP)                                                                             \
            a += lda;                                                                              \
            p0 += row;                                                                             \
            p1 += row;                                                                             \
            p2 += row;                                                                             \
            p3 += row;                                                                             \
            (void)a1;                                                                              \
        }                                                                                          \
        const V by = _mm512_set1_##S(alpha), old = _mm512_set1_##S(beta);                          \
        const bool add = beta != 0;                                                                \
        LIST(PUT)                                                                                  \
        (void)m1, (void)p1, (void)p2, (void)p3;                                                    \
    }
#define PUT_ONE(S, to, mask, sum)                                                                  \
    _mm512_mask_storeu_##S(                                                                        \
        to, mask,                                                                                  \
        add ? _mm512_fmadd_##S(sum, by, _mm512_mul_##S(old, _mm512_maskz_loadu_##S(mask, to)))     \
            : _mm512_mul_##S(sum, by));

#define ZERO1_F32(j) __m512 u##j = _mm512_setzero_ps();
#define ZERO1_F64(j) __m512d u##j = _mm512_setzero_pd();
#define STEP1_F32(j) u##j = _mm512_fmadd_ps(a0, _mm512_set1_ps(B_AT(j)), u##j);
#define STEP1_F64(j) u##j = _mm512_fmadd_pd(a0, _mm512_set1_pd(B_AT(j)), u##j);
#define STEP2_F32(j)                                                                               \
    {                                                                                              \
        const __m512 f = _mm512_set1_ps(B_AT(j));                                                  \
        u##j = _mm512_fmadd_ps(a0, f, u##j);                                                       \
        v##j = _mm512_fmadd_ps(a1, f, v##j);                                                       \
    }
#define STEP2_F64(j)                                                                               \
    {                                                                                              \
        const __m512d f = _mm512_set1_pd(B_AT(j));                                                 \
        u##j = _mm512_fmadd_pd(a0, f, u##j);                                                       \
        v##j = _mm512_fmadd_pd(a1, f, v##j);                                                       \
    }
#define PUT1_F32(j) PUT_ONE(ps, c + j * ld, m0, u##j)
#define PUT1_F64(j) PUT_ONE(pd, c + j * ld, m0, u##j)
#define PUT2_F32(j) PUT1_F32(j) PUT_ONE(ps, c + j * ld + 16, m1, v##j)
#define PUT2_F64(j) PUT1_F64(j) PUT_ONE(pd, c + j * ld + 8, m1, v##j)

#define SMALL_ALL(U, T, V, S, W, MASK)                                                             \
    SMALL(two_12_##U, T, V, S, W, MASK, COLUMNS, STEP2_##U, ZERO_##U, PUT2_##U)                    \
    SMALL(two_8_##U, T, V, S, W, MASK, EIGHT, STEP2_##U, ZERO_##U, PUT2_##U)                       \
    SMALL(two_4_##U, T, V, S, W, MASK, FOUR, STEP2_##U, ZERO_##U, PUT2_##U)                        \
    SMALL(two_1_##U, T, V, S, W, MASK, ONE, STEP2_##U, ZERO_##U, PUT2_##U)                         \
    SMALL(one_12_##U, T, V, S, W, MASK, COLUMNS, STEP1_##U, ZERO1_##U, PUT1_##U)                   \
    SMALL(one_8_##U, T, V, S, W, MASK, EIGHT, STEP1_##U, ZERO1_##U, PUT1_##U)                      \
    SMALL(one_4_##U, T, V, S, W, MASK, FOUR, STEP1_##U, ZERO1_##U, PUT1_##U)                       \
    SMALL(one_1_##U, T, V, S, W, MASK, ONE, STEP1_##U, ZERO1_##U, PUT1_##U)                        \
    /* by vectors of rows, whether they are whole, and columns */                                  \
    static void (*const blocks_##U[2][2][4])(int64_t k, const T *a, int64_t lda, const T *b,       \
                                             int64_t row, int64_t col, T alpha, T beta, T *c,      \
                                             int64_t ld, MASK m0, MASK m1) = {                     \
        {{one_12_##U, one_8_##U, one_4_##U, one_1_##U},                                            \
         {one_12_##U##_whole, one_8_##U##_whole, one_4_##U##_whole, one_1_##U##_whole}},           \
        {{two_12_##U, two_8_##U, two_4_##U, two_1_##U},                                            \
         {two_12_##U##_whole, two_8_##U##_whole, two_4_##U##_whole, two_1_##U##_whole}}};          \
                                                                                                   \
    static void small_##U(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda,       \
                          const T *b, int64_t row, int64_t col, T beta, T *c, int64_t ld)          \
    {                                                                                              \
        for (int64_t j = 0, count; j < n; j += count) {                                            \
            const int64_t left = n - j; /* of 16, 8 are better than 12 and 4 */                    \
            count = left >= 12 && left != 16 ? 12 : left >= 8 ? 8 : left >= 4 ? 4 : 1;             \
            for (int64_t i = 0; i < m; i += 2 * (W)) {                                             \
                const int64_t rows = m - i < 2 * (W) ? m - i : 2 * (W), second = rows - (W);       \
                const MASK all = (MASK)-1, m0 = rows < (W) ? (MASK)((1u << rows) - 1) : all,       \
                           m1 = second <= 0    ? 0                                                 \
                                : second < (W) ? (MASK)((1u << second) - 1)                        \
                                               : all;                                              \
                const T *from = b + j * col;                                                       \
                T *to = c + i + j * ld;                                                            \
                const bool whole = m0 == all && (second <= 0 || m1 == all);                        \
                const int which = count == 12 ? 0 : count == 8 ? 1 : count == 4 ? 2 : 3;           \
                blocks_##U[second > 0][whole][which](k, a + i, lda, from, row, col, alpha, beta,   \
                                                     to, ld, m0, m1);                              \
            }                                                                                      \
        }                                                                                          \
    }
SMALL_ALL(F32, float, __m512, ps, 16, __mmask16)
SMALL_ALL(F64, double, __m512d, pd, 8, __mmask8)

HOST_PUT(__attribute__((target("avx512f"))), put_f32, float, 32)
HOST_PUT(__attribute__((target("avx512f"))), put_f64, double, 16)

const struct host_kernels host_avx512 = {
    "AVX-512",
    works,
    {32, 12, 320, 320, 1536, tile_f32, put_f32, whole_f32, small_F32},
    {16, 12, 256, 192, 1536, tile_f64, put_f64, whole_f64, small_F64}};
#endif

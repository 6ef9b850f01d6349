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

HOST_PUT(__attribute__((target("avx512f"))), put_f32, float, 32)
HOST_PUT(__attribute__((target("avx512f"))), put_f64, double, 16)

const struct host_kernels host_avx512 = {"AVX-512",
                                         works,
                                         {32, 12, 320, 320, 1536, tile_f32, put_f32, whole_f32},
                                         {16, 12, 256, 192, 1536, tile_f64, put_f64, whole_f64}};
#endif

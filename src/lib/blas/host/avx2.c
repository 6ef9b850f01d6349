/* Micro-kernels for AVX2 with FMA. 16 registers: 12 sums, two for A, one for B. */
#include "lib/blas/host/host.h"

#if defined(__x86_64__)
#include <immintrin.h>

static bool works(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* Each sum is a variable of its own: arrays would live in memory. */
#define COLUMNS(X) X(0) X(1) X(2) X(3) X(4) X(5)

/* 16 by 6 */
#define SUMS_F32                                                                                   \
    COLUMNS(ZERO_F32)                                                                              \
    for (; k > 0; k--) {                                                                           \
        const __m256 a0 = _mm256_loadu_ps(a), a1 = _mm256_loadu_ps(a + 8);                         \
        COLUMNS(STEP_F32)                                                                          \
        a += 16;                                                                                   \
        b += 6;                                                                                    \
    }
#define ZERO_F32(j) __m256 u##j = _mm256_setzero_ps(), v##j = _mm256_setzero_ps();
#define STEP_F32(j)                                                                                \
    {                                                                                              \
        const __m256 row = _mm256_set1_ps(b[j]);                                                   \
        u##j = _mm256_fmadd_ps(a0, row, u##j);                                                     \
        v##j = _mm256_fmadd_ps(a1, row, v##j);                                                     \
    }

__attribute__((target("avx2,fma"))) static void tile_f32(int64_t k, const float *a, const float *b,
                                                         float *out)
{
    SUMS_F32
#define X(j)                                                                                       \
    _mm256_storeu_ps(out + 16 * j, u##j);                                                          \
    _mm256_storeu_ps(out + 16 * j + 8, v##j);
    COLUMNS(X)
#undef X
}

__attribute__((target("avx2,fma"))) static void
whole_f32(int64_t k, const float *a, const float *b, float alpha, float beta, float *c, int64_t ld)
{
#define X(j) __builtin_prefetch(c + j * ld);
    COLUMNS(X)
#undef X
    SUMS_F32
    const __m256 by = _mm256_set1_ps(alpha), old = _mm256_set1_ps(beta);
#define X(j)                                                                                       \
    _mm256_storeu_ps(c + j * ld, _mm256_mul_ps(u##j, by));                                         \
    _mm256_storeu_ps(c + j * ld + 8, _mm256_mul_ps(v##j, by));
    if (beta == 0) {
        COLUMNS(X)
        return;
    }
#undef X
#define X(j)                                                                                       \
    _mm256_storeu_ps(c + j * ld,                                                                   \
                     _mm256_fmadd_ps(u##j, by, _mm256_mul_ps(old, _mm256_loadu_ps(c + j * ld))));  \
    _mm256_storeu_ps(                                                                              \
        c + j * ld + 8,                                                                            \
        _mm256_fmadd_ps(v##j, by, _mm256_mul_ps(old, _mm256_loadu_ps(c + j * ld + 8))));
    COLUMNS(X)
#undef X
}

/* 8 by 6 */
#define SUMS_F64                                                                                   \
    COLUMNS(ZERO_F64)                                                                              \
    for (; k > 0; k--) {                                                                           \
        const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4);                        \
        COLUMNS(STEP_F64)                                                                          \
        a += 8;                                                                                    \
        b += 6;                                                                                    \
    }
#define ZERO_F64(j) __m256d u##j = _mm256_setzero_pd(), v##j = _mm256_setzero_pd();
#define STEP_F64(j)                                                                                \
    {                                                                                              \
        const __m256d row = _mm256_set1_pd(b[j]);                                                  \
        u##j = _mm256_fmadd_pd(a0, row, u##j);                                                     \
        v##j = _mm256_fmadd_pd(a1, row, v##j);                                                     \
    }

__attribute__((target("avx2,fma"))) static void tile_f64(int64_t k, const double *a,
                                                         const double *b, double *out)
{
    SUMS_F64
#define X(j)                                                                                       \
    _mm256_storeu_pd(out + 8 * j, u##j);                                                           \
    _mm256_storeu_pd(out + 8 * j + 4, v##j);
    COLUMNS(X)
#undef X
}

__attribute__((target("avx2,fma"))) static void whole_f64(int64_t k, const double *a,
                                                          const double *b, double alpha,
                                                          double beta, double *c, int64_t ld)
{
#define X(j) __builtin_prefetch(c + j * ld);
    COLUMNS(X)
#undef X
    SUMS_F64
    const __m256d by = _mm256_set1_pd(alpha), old = _mm256_set1_pd(beta);
#define X(j)                                                                                       \
    _mm256_storeu_pd(c + j * ld, _mm256_mul_pd(u##j, by));                                         \
    _mm256_storeu_pd(c + j * ld + 4, _mm256_mul_pd(v##j, by));
    if (beta == 0) {
        COLUMNS(X)
        return;
    }
#undef X
#define X(j)                                                                                       \
    _mm256_storeu_pd(c + j * ld,                                                                   \
                     _mm256_fmadd_pd(u##j, by, _mm256_mul_pd(old, _mm256_loadu_pd(c + j * ld))));  \
    _mm256_storeu_pd(                                                                              \
        c + j * ld + 4,                                                                            \
        _mm256_fmadd_pd(v##j, by, _mm256_mul_pd(old, _mm256_loadu_pd(c + j * ld + 4))));
    COLUMNS(X)
#undef X
}

#define SMALL_TARGET       __attribute__((target("avx2,fma")))
#define VEC_F32            __m256
#define VEC_F64            __m256d
#define WIDTH_F32          8
#define WIDTH_F64          4
#define LOAD_F32(p)        _mm256_loadu_ps(p)
#define LOAD_F64(p)        _mm256_loadu_pd(p)
#define STORE_F32(p, v)    _mm256_storeu_ps(p, v)
#define STORE_F64(p, v)    _mm256_storeu_pd(p, v)
#define SET_F32(x)         _mm256_set1_ps(x)
#define SET_F64(x)         _mm256_set1_pd(x)
#define MUL_F32(a, b)      _mm256_mul_ps(a, b)
#define MUL_F64(a, b)      _mm256_mul_pd(a, b)
#define FMA_F32(a, b, sum) _mm256_fmadd_ps(a, b, sum)
#define FMA_F64(a, b, sum) _mm256_fmadd_pd(a, b, sum)
#include "lib/blas/host/small.inc"

HOST_PUT(__attribute__((target("avx2,fma"))), put_f32, float, 16)
HOST_PUT(__attribute__((target("avx2,fma"))), put_f64, double, 8)

const struct host_kernels host_avx2 = {
    "AVX2",
    works,
    {16, 6, 256, 192, 1536, tile_f32, put_f32, whole_f32, small_F32},
    {8, 6, 256, 128, 1536, tile_f64, put_f64, whole_f64, small_F64}};
#endif

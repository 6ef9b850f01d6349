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
__attribute__((target("avx2,fma"))) static void tile_f32(int64_t k, const float *a, const float *b,
                                                         float *out)
{
#define X(j) __m256 u##j = _mm256_setzero_ps(), v##j = _mm256_setzero_ps();
    COLUMNS(X)
#undef X
    for (; k > 0; k--) {
        const __m256 a0 = _mm256_loadu_ps(a), a1 = _mm256_loadu_ps(a + 8);
#define X(j)                                                                                       \
    {                                                                                              \
        const __m256 row = _mm256_set1_ps(b[j]);                                                   \
        u##j = _mm256_fmadd_ps(a0, row, u##j);                                                     \
        v##j = _mm256_fmadd_ps(a1, row, v##j);                                                     \
    }
        COLUMNS(X)
#undef X
        a += 16;
        b += 6;
    }
#define X(j)                                                                                       \
    _mm256_storeu_ps(out + 16 * j, u##j);                                                          \
    _mm256_storeu_ps(out + 16 * j + 8, v##j);
    COLUMNS(X)
#undef X
}

/* 8 by 6 */
__attribute__((target("avx2,fma"))) static void tile_f64(int64_t k, const double *a,
                                                         const double *b, double *out)
{
#define X(j) __m256d u##j = _mm256_setzero_pd(), v##j = _mm256_setzero_pd();
    COLUMNS(X)
#undef X
    for (; k > 0; k--) {
        const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4);
#define X(j)                                                                                       \
    {                                                                                              \
        const __m256d row = _mm256_set1_pd(b[j]);                                                  \
        u##j = _mm256_fmadd_pd(a0, row, u##j);                                                     \
        v##j = _mm256_fmadd_pd(a1, row, v##j);                                                     \
    }
        COLUMNS(X)
#undef X
        a += 8;
        b += 6;
    }
#define X(j)                                                                                       \
    _mm256_storeu_pd(out + 8 * j, u##j);                                                           \
    _mm256_storeu_pd(out + 8 * j + 4, v##j);
    COLUMNS(X)
#undef X
}

HOST_PUT(__attribute__((target("avx2,fma"))), put_f32, float, 16)
HOST_PUT(__attribute__((target("avx2,fma"))), put_f64, double, 8)

const struct host_kernels host_avx2 = {"AVX2",
                                       works,
                                       {16, 6, 256, 192, 1536, tile_f32, put_f32, NULL, NULL},
                                       {8, 6, 256, 128, 1536, tile_f64, put_f64, NULL, NULL}};
#endif

/* Gauss's elimination of many small matrices on the CPU, one after the other on each core. */
#include "lib/blas/host/host.h"

#include <math.h>

struct eliminations {
    int64_t n, lda;
    void *const *a;
    int *pivots, *info; /* pivots NULL: rows stay where they are */
};

static inline double size_f64(double v)
{
    return fabs(v);
}
static inline float size_f32(float v)
{
    return fabsf(v);
}
typedef float _Complex c32;
typedef double _Complex c64;
static inline double size_c64(c64 v)
{
    return fabs(__real__ v) + fabs(__imag__ v);
}
static inline float size_c32(c32 v)
{
    return fabsf(__real__ v) + fabsf(__imag__ v);
}

/* P A = L U in place; the first pivot that is 0, from 1. */
#define ELIMINATE(K, T, R, set, TARGET)                                                            \
    TARGET static int eliminate_##K##_##set(int64_t n, T *a, int64_t lda, int *pivots)             \
    {                                                                                              \
        int bad = 0;                                                                               \
        for (int64_t k = 0; k < n; k++) {                                                          \
            T *restrict left = a + k * lda;                                                        \
            int64_t p = k;                                                                         \
            R most = size_##K(left[k]);                                                            \
            for (int64_t i = k + 1; pivots && i < n; i++)                                          \
                if (size_##K(left[i]) > most) {                                                    \
                    most = size_##K(left[i]);                                                      \
                    p = i;                                                                         \
                }                                                                                  \
            if (pivots)                                                                            \
                pivots[k] = (int)p + 1;                                                            \
            for (int64_t j = 0; p != k && j < n; j++) {                                            \
                const T v = a[k + j * lda];                                                        \
                a[k + j * lda] = a[p + j * lda];                                                   \
                a[p + j * lda] = v;                                                                \
            }                                                                                      \
            const T d = left[k];                                                                   \
            if (d == 0) {                                                                          \
                bad = bad ? bad : (int)k + 1;                                                      \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t i = k + 1; i < n; i++)                                                    \
                left[i] /= d;                                                                      \
            for (int64_t j = k + 1; j < n; j++) {                                                  \
                T *restrict to = a + j * lda;                                                      \
                const T f = to[k];                                                                 \
                for (int64_t i = k + 1; i < n; i++)                                                \
                    to[i] -= left[i] * f;                                                          \
            }                                                                                      \
        }                                                                                          \
        return bad;                                                                                \
    }
#define EACH(set, TARGET)                                                                          \
    ELIMINATE(f32, float, float, set, TARGET)                                                      \
    ELIMINATE(f64, double, double, set, TARGET)                                                    \
    ELIMINATE(c32, c32, float, set, TARGET)                                                        \
    ELIMINATE(c64, c64, double, set, TARGET)

EACH(plain, )
#if defined(__x86_64__)
EACH(avx2, __attribute__((target("avx2,fma"))))
#define BEST(K)                                                                                    \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? eliminate_##K##_avx2        \
                                                                     : eliminate_##K##_plain)
#else
#define BEST(K) eliminate_##K##_plain
#endif

#define TASK(K)                                                                                    \
    static void task_##K(const tern_thread *thread, void *args)                                    \
    {                                                                                              \
        const struct eliminations *s = args;                                                       \
        const int64_t z = thread->block.x;                                                         \
        s->info[z] = BEST(K)(s->n, s->a[z], s->lda, s->pivots ? s->pivots + z * s->n : NULL);      \
    }
TASK(f32)
TASK(f64)
TASK(c32)
TASK(c64)

enum tern_error blas_host_eliminate(struct cublasContext *h, enum lib_type t, int64_t n,
                                    void *const *a, int64_t lda, int *pivots, int *info,
                                    int64_t count)
{
    tern_function *const task = t == LIB_F32   ? task_f32
                                : t == LIB_F64 ? task_f64
                                : t == LIB_C32 ? task_c32
                                               : task_c64;
    const struct eliminations s = {n, lda, a, pivots, info};
    tern_stream *stream;
    const enum tern_error e = tern_cuda_stream(h->device.device, h->stream, &stream);
    return e ? e
             : tern_launch_function(stream, task, (tern_dim){(uint32_t)count, 1, 1},
                                    (tern_dim){1, 1, 1}, 0, &s, sizeof s);
}

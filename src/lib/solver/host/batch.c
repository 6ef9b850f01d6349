/* Cholesky's factors of many small matrices on the CPU, one after the other on each core. */
#include "lib/solver/host/leaf.h"

#include <math.h>

struct factors {
    int64_t n, lda;
    void *const *a;
    int *info;
    bool upper;
};

typedef float _Complex c32;
typedef double _Complex c64;
static inline double conj_f64(double v)
{
    return v;
}
static inline float conj_f32(float v)
{
    return v;
}
static inline c64 conj_c64(c64 v)
{
    return __builtin_conj(v);
}
static inline c32 conj_c32(c32 v)
{
    return __builtin_conjf(v);
}

/* The row, from 1, whose pivot is not positive; nothing is done after it. Columns lie together: of
 * L they are taken off those that follow, of U their inner products come off. */
#define FACTOR(K, T, R, set, TARGET)                                                               \
    TARGET static int lower_##K##_##set(int64_t n, T *a, int64_t lda)                              \
    {                                                                                              \
        for (int64_t k = 0; k < n; k++) {                                                          \
            T *restrict left = a + k * lda;                                                        \
            const R d = (R)left[k];                                                                \
            if (!(d > 0))                                                                          \
                return (int)k + 1;                                                                 \
            const R root = (R)sqrt(d);                                                             \
            left[k] = root;                                                                        \
            for (int64_t i = k + 1; i < n; i++)                                                    \
                left[i] /= root;                                                                   \
            for (int64_t j = k + 1; j < n; j++) {                                                  \
                T *restrict to = a + j * lda;                                                      \
                const T f = conj_##K(left[j]);                                                     \
                for (int64_t i = j; i < n; i++)                                                    \
                    to[i] -= left[i] * f;                                                          \
            }                                                                                      \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    TARGET static int upper_##K##_##set(int64_t n, T *a, int64_t lda)                              \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            T *to = a + j * lda;                                                                   \
            R d = (R)to[j];                                                                        \
            for (int64_t k = 0; k < j; k++) {                                                      \
                const T *u = a + k * lda;                                                          \
                T sum = to[k];                                                                     \
                for (int64_t i = 0; i < k; i++)                                                    \
                    sum -= conj_##K(u[i]) * to[i];                                                 \
                to[k] = sum / (R)u[k];                                                             \
                d -= (R)(conj_##K(to[k]) * to[k]);                                                 \
            }                                                                                      \
            if (!(d > 0))                                                                          \
                return (int)j + 1;                                                                 \
            to[j] = (R)sqrt(d);                                                                    \
        }                                                                                          \
        return 0;                                                                                  \
    }
#define EACH(set, TARGET)                                                                          \
    FACTOR(f32, float, float, set, TARGET)                                                         \
    FACTOR(f64, double, double, set, TARGET)                                                       \
    FACTOR(c32, c32, float, set, TARGET)                                                           \
    FACTOR(c64, c64, double, set, TARGET)

EACH(plain, )
#if defined(__x86_64__)
EACH(avx2, __attribute__((target("avx2,fma"))))
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#define BEST(name) (has_avx2() ? name##_avx2 : name##_plain)
#else
#define BEST(name) name##_plain
#endif

#define TASK(K)                                                                                    \
    static void task_##K(const tern_thread *thread, void *args)                                    \
    {                                                                                              \
        const struct factors *s = args;                                                            \
        const int64_t z = thread->block.x;                                                         \
        s->info[z] = (s->upper ? BEST(upper_##K) : BEST(lower_##K))(s->n, s->a[z], s->lda);        \
    }
TASK(f32)
TASK(f64)
TASK(c32)
TASK(c64)

void host_factors(struct work *w, bool upper, int64_t n, void *const *a, int64_t lda, int *info,
                  int64_t count)
{
    tern_function *const task = w->type == LIB_F32   ? task_f32
                                : w->type == LIB_F64 ? task_f64
                                : w->type == LIB_C32 ? task_c32
                                                     : task_c64;
    const struct factors s = {n, lda, a, info, upper};
    tern_stream *stream;
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, tern_launch_function(stream, task, (tern_dim){(uint32_t)count, 1, 1},
                                          (tern_dim){1, 1, 1}, 0, &s, sizeof s));
}

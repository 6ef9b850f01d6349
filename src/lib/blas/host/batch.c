/* Gauss's elimination and Householder's reflections of many small matrices on the CPU, one after
 * the other on each core. */
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

/* v - a b, and v over d where over is 1 / d. Complex numbers' operators would ask after infinities.
 */
#define MINUS(K, T)                                                                                \
    static inline T minus_##K(T v, T a, T b)                                                       \
    {                                                                                              \
        return v - a * b;                                                                          \
    }                                                                                              \
    static inline T over_##K(T v, T d, T over)                                                     \
    {                                                                                              \
        (void)over;                                                                                \
        return v / d;                                                                              \
    }
MINUS(f32, float)
MINUS(f64, double)
#define MINUS_COMPLEX(K, T)                                                                        \
    static inline T minus_##K(T v, T a, T b)                                                       \
    {                                                                                              \
        __real__ v -= __real__ a * __real__ b - __imag__ a * __imag__ b;                           \
        __imag__ v -= __real__ a * __imag__ b + __imag__ a * __real__ b;                           \
        return v;                                                                                  \
    }                                                                                              \
    static inline T over_##K(T v, T d, T over)                                                     \
    {                                                                                              \
        T q = over;                                                                                \
        if (!(fabs((double)__real__ over) + fabs((double)__imag__ over) < 1e30)) /* d is tiny */   \
            return v / d;                                                                          \
        __real__ q = __real__ v * __real__ over - __imag__ v * __imag__ over;                      \
        __imag__ q = __real__ v * __imag__ over + __imag__ v * __real__ over;                      \
        return q;                                                                                  \
    }
MINUS_COMPLEX(c32, c32)
MINUS_COMPLEX(c64, c64)

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
            const T over = 1 / d;                                                                  \
            for (int64_t i = k + 1; i < n; i++)                                                    \
                left[i] = over_##K(left[i], d, over);                                              \
            for (int64_t j = k + 1; j < n; j++) {                                                  \
                T *restrict to = a + j * lda;                                                      \
                const T f = to[k];                                                                 \
                for (int64_t i = k + 1; i < n; i++)                                                \
                    to[i] = minus_##K(to[i], left[i], f);                                          \
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

/* A task for each matrix; they are by types, as enum lib_type has them from LIB_F32 on. */
static enum tern_error launch(struct cublasContext *h, enum lib_type t,
                              tern_function *const tasks[4], int64_t count, const void *args,
                              size_t bytes)
{
    tern_function *const task = tasks[t == LIB_F32 ? 0 : t == LIB_F64 ? 1 : t == LIB_C32 ? 2 : 3];
    tern_stream *stream;
    const enum tern_error e = tern_cuda_stream(h->device.device, h->stream, &stream);
    return e ? e
             : tern_launch_function(stream, task, (tern_dim){(uint32_t)count, 1, 1},
                                    (tern_dim){1, 1, 1}, 0, args, bytes);
}

enum tern_error blas_host_eliminate(struct cublasContext *h, enum lib_type t, int64_t n,
                                    void *const *a, int64_t lda, int *pivots, int *info,
                                    int64_t count)
{
    static tern_function *const tasks[] = {task_f32, task_f64, task_c32, task_c64};
    const struct eliminations s = {n, lda, a, pivots, info};
    return launch(h, t, tasks, count, &s, sizeof s);
}

/* ---- reflections ---- */

struct reflections {
    int64_t m, n, lda;
    void *const *a, *const *tau;
};

enum { SUMS = 16 }; /* that are kept apart, so that they are vectors */

/* Complex numbers are pairs: a column's elements are twice as many numbers, parts of each side by
 * side. v' c of m elements: its parts. */
#define DOTS(R, set, TARGET)                                                                       \
    TARGET static inline R dot_##R##_##set(int64_t m, const R *v, const R *c)                      \
    {                                                                                              \
        R s[SUMS] = {0}, sum = 0;                                                                  \
        int64_t i = 0;                                                                             \
        for (; i + SUMS <= m; i += SUMS)                                                           \
            for (int q = 0; q < SUMS; q++)                                                         \
                s[q] += v[i + q] * c[i + q];                                                       \
        for (int q = 0; q < SUMS; q++)                                                             \
            sum += s[q];                                                                           \
        for (; i < m; i++)                                                                         \
            sum += v[i] * c[i];                                                                    \
        return sum;                                                                                \
    }                                                                                              \
    TARGET static inline R cross_##R##_##set(int64_t m, const R *v, const R *c)                    \
    {                                                                                              \
        R s[SUMS] = {0}, sum = 0;                                                                  \
        int64_t i = 0;                                                                             \
        for (; i + SUMS <= 2 * m; i += SUMS)                                                       \
            for (int q = 0; q < SUMS; q += 2)                                                      \
                s[q] += v[i + q] * c[i + q + 1] - v[i + q + 1] * c[i + q];                         \
        for (int q = 0; q < SUMS; q += 2)                                                          \
            sum += s[q];                                                                           \
        for (; i < 2 * m; i += 2)                                                                  \
            sum += v[i] * c[i + 1] - v[i + 1] * c[i];                                              \
        return sum;                                                                                \
    }                                                                                              \
    /* The length of x, whose squares may be no numbers. */                                        \
    TARGET static R length_##R##_##set(int64_t m, const R *x)                                      \
    {                                                                                              \
        const R square = dot_##R##_##set(m, x, x);                                                 \
        if (square > LEAST_##R && square < MOST_##R)                                               \
            return (R)sqrt((double)square);                                                        \
        R most = 0, sum = 0;                                                                       \
        for (int64_t i = 0; i < m; i++)                                                            \
            most = !(fabs((double)x[i]) <= (double)most) ? (R)fabs((double)x[i]) : most;           \
        for (int64_t i = 0; i < m && most > 0; i++)                                                \
            sum += (x[i] / most) * (x[i] / most);                                                  \
        return most > 0 || most != most ? most * (R)sqrt((double)sum) : 0;                         \
    }
#define LEAST_float  1e-25f
#define MOST_float   1e25f
#define LEAST_double 1e-250
#define MOST_double  1e250

/* PARTS: 1, or 2 for complex numbers. The reflection of a column has 1 in its first place while it
 * is applied: the adjoint is, as A = Q R wants it. */
#define REFLECT(K, R, PARTS, set, TARGET)                                                          \
    TARGET static void reflect_##K##_##set(int64_t m, int64_t n, R *a, int64_t lda, R *tau)        \
    {                                                                                              \
        for (int64_t k = 0; k < (m < n ? m : n); k++) {                                            \
            R *x = a + (PARTS) * (k + k * lda), *rest = x + (PARTS), *own = tau + (PARTS)*k;       \
            const int64_t below = m - k - 1, numbers = (PARTS)*below;                              \
            const R re = x[0], im = (PARTS) == 2 ? x[(PARTS)-1] : 0,                               \
                    tail = length_##R##_##set(numbers, rest);                                      \
            own[0] = 0;                                                                            \
            own[(PARTS)-1] = 0;                                                                    \
            if (tail == 0 && im == 0)                                                              \
                continue;                                                                          \
            const R three[3] = {re, im, tail}, norm = length_##R##_##set(3, three),                \
                    beta = re >= 0 ? -norm : norm;                                                 \
            /* 1 / (alpha - beta), Smith's way */                                                  \
            const R u = re - beta, ratio = im / u, under = 1 / (u + im * ratio), by = under,       \
                    by_im = -ratio * under, tr = (beta - re) / beta, ti = -im / beta;              \
            if ((PARTS) == 1)                                                                      \
                for (int64_t i = 0; i < numbers; i++)                                              \
                    rest[i] *= by;                                                                 \
            else                                                                                   \
                for (int64_t i = 0; i < numbers; i += 2) {                                         \
                    const R p = rest[i], q = rest[i + (PARTS)-1];                                  \
                    rest[i] = p * by - q * by_im;                                                  \
                    rest[i + (PARTS)-1] = p * by_im + q * by;                                      \
                }                                                                                  \
            for (int64_t j = k + 1; j < n; j++) {                                                  \
                R *restrict c = x + (PARTS) * (j - k) * lda, *restrict to = c + (PARTS);           \
                const R wr = c[0] + dot_##R##_##set(numbers, rest, to);                            \
                if ((PARTS) == 1) {                                                                \
                    const R f = tr * wr;                                                           \
                    c[0] -= f;                                                                     \
                    for (int64_t i = 0; i < numbers; i++)                                          \
                        to[i] -= f * rest[i];                                                      \
                } else {                                                                           \
                    /* times conj(tau) */                                                          \
                    const R wi = c[(PARTS)-1] + cross_##R##_##set(below, rest, to),                \
                            f = tr * wr + ti * wi, g = tr * wi - ti * wr;                          \
                    c[0] -= f;                                                                     \
                    c[(PARTS)-1] -= g;                                                             \
                    for (int64_t i = 0; i < numbers; i += 2) {                                     \
                        const R p = rest[i], q = rest[i + (PARTS)-1];                              \
                        to[i] -= f * p - g * q;                                                    \
                        to[i + (PARTS)-1] -= f * q + g * p;                                        \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            own[0] = tr;                                                                           \
            if ((PARTS) == 2)                                                                      \
                own[(PARTS)-1] = ti;                                                               \
            x[0] = beta;                                                                           \
            if ((PARTS) == 2)                                                                      \
                x[(PARTS)-1] = 0;                                                                  \
        }                                                                                          \
    }
#define REFLECT_EACH(set, TARGET)                                                                  \
    DOTS(float, set, TARGET)                                                                       \
    DOTS(double, set, TARGET)                                                                      \
    REFLECT(f32, float, 1, set, TARGET)                                                            \
    REFLECT(f64, double, 1, set, TARGET)                                                           \
    REFLECT(c32, float, 2, set, TARGET)                                                            \
    REFLECT(c64, double, 2, set, TARGET)
REFLECT_EACH(plain, )
#if defined(__x86_64__)
REFLECT_EACH(avx2, __attribute__((target("avx2,fma"))))
#define BEST_REFLECT(K)                                                                            \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? reflect_##K##_avx2          \
                                                                     : reflect_##K##_plain)
#else
#define BEST_REFLECT(K) reflect_##K##_plain
#endif

#define REFLECT_TASK(K)                                                                            \
    static void reflect_task_##K(const tern_thread *thread, void *args)                            \
    {                                                                                              \
        const struct reflections *s = args;                                                        \
        const int64_t z = thread->block.x;                                                         \
        BEST_REFLECT(K)(s->m, s->n, s->a[z], s->lda, s->tau[z]);                                   \
    }
REFLECT_TASK(f32)
REFLECT_TASK(f64)
REFLECT_TASK(c32)
REFLECT_TASK(c64)

enum tern_error blas_host_reflect(struct cublasContext *h, enum lib_type t, int64_t m, int64_t n,
                                  void *const *a, int64_t lda, void *const *tau, int64_t count)
{
    static tern_function *const tasks[] = {reflect_task_f32, reflect_task_f64, reflect_task_c32,
                                           reflect_task_c64};
    const struct reflections s = {m, n, lda, a, tau};
    return launch(h, t, tasks, count, &s, sizeof s);
}

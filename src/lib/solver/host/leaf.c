/* What the CPU does of factorisations by C functions: squares of Cholesky's on the diagonal and
 * columns of Gauss's, of float and double. */
#include "lib/solver/host/leaf.h"
#include "lib/blas/part.h"

#include <math.h>

enum {
    EIGHT = 8, /* columns that are not halved */
    CHUNK = 16,
};

static inline double root_double(double v)
{
    return sqrt(v);
}
static inline float root_float(float v)
{
    return sqrtf(v);
}
static inline double size_double(double v)
{
    return fabs(v);
}
static inline float size_float(float v)
{
    return fabsf(v);
}

/* The same for each instruction set: names end with it. */
#define SAME(set)                                                                                  \
    static inline double root_double_##set(double v)                                               \
    {                                                                                              \
        return root_double(v);                                                                     \
    }                                                                                              \
    static inline float root_float_##set(float v)                                                  \
    {                                                                                              \
        return root_float(v);                                                                      \
    }                                                                                              \
    static inline double size_double_##set(double v)                                               \
    {                                                                                              \
        return size_double(v);                                                                     \
    }                                                                                              \
    static inline float size_float_##set(float v)                                                  \
    {                                                                                              \
        return size_float(v);                                                                      \
    }
/* What the reciprocals of larger numbers are exact enough. */
#define DOUBLE_LEAST 0x1p-1000
#define FLOAT_LEAST  0x1p-120f

SAME(plain)
#define T          double
#define LEAF(name) name##_double_plain
#define TARGET
#define VECTOR     16
#define PRODUCT    (*blas_small_f64())
#define OVER_LEAST DOUBLE_LEAST
#include "lib/solver/host/leaf.inc"
#define T          float
#define LEAF(name) name##_float_plain
#define TARGET
#define VECTOR     16
#define PRODUCT    (*blas_small_f32())
#define OVER_LEAST FLOAT_LEAST
#include "lib/solver/host/leaf.inc"
#if defined(__x86_64__)
SAME(avx2)
#define T          double
#define LEAF(name) name##_double_avx2
#define TARGET     __attribute__((target("avx2,fma")))
#define VECTOR     32
#define PRODUCT    (*blas_small_f64())
#define OVER_LEAST DOUBLE_LEAST
#include "lib/solver/host/leaf.inc"
#define T          float
#define LEAF(name) name##_float_avx2
#define TARGET     __attribute__((target("avx2,fma")))
#define VECTOR     32
#define PRODUCT    (*blas_small_f32())
#define OVER_LEAST FLOAT_LEAST
#include "lib/solver/host/leaf.inc"
SAME(avx512)
#define T          double
#define LEAF(name) name##_double_avx512
#define TARGET     __attribute__((target("avx512f,avx512dq,fma")))
#define VECTOR     64
#define PRODUCT    (*blas_small_f64())
#define OVER_LEAST DOUBLE_LEAST
#include "lib/solver/host/leaf.inc"
#define T          float
#define LEAF(name) name##_float_avx512
#define TARGET     __attribute__((target("avx512f,avx512dq,fma")))
#define VECTOR     64
#define PRODUCT    (*blas_small_f32())
#define OVER_LEAST FLOAT_LEAST
#include "lib/solver/host/leaf.inc"
#endif

struct square {
    void *a, *turned; /* turned: room for n columns, for an upper triangle */
    int64_t lda, base;
    int n;
    bool upper;
    int *info;
};

struct columns {
    void *a, *pivots;
    int64_t m, lda, base;
    int n;
    bool wide; /* pivots of 64 bits */
    int *info;
};

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#define BEST(name) (has_avx512() ? name##_avx512 : has_avx2() ? name##_avx2 : name##_plain)
#else
#define BEST(name) (name##_plain)
#endif

#define TASKS(T)                                                                                   \
    static void square_task_##T(const tern_thread *thread, void *args)                             \
    {                                                                                              \
        const struct square *s = args;                                                             \
        T *a = s->a, *t = s->turned;                                                               \
        const int64_t n = s->n;                                                                    \
        (void)thread;                                                                              \
        if (*s->info)                                                                              \
            return;                                                                                \
        for (int64_t j = 0; j < n && s->upper; j++)                                                \
            for (int64_t i = 0; i <= j; i++)                                                       \
                t[j + i * n] = a[i + j * s->lda];                                                  \
        const int bad =                                                                            \
            s->upper ? BEST(square_##T)(n, n, t, n) : BEST(square_##T)(n, n, a, s->lda);           \
        for (int64_t j = 0; j < n && s->upper; j++)                                                \
            for (int64_t i = 0; i <= j; i++)                                                       \
                a[i + j * s->lda] = t[j + i * n];                                                  \
        if (bad)                                                                                   \
            *s->info = (int)s->base + bad;                                                         \
    }                                                                                              \
    static void columns_task_##T(const tern_thread *thread, void *args)                            \
    {                                                                                              \
        const struct columns *s = args;                                                            \
        int64_t rows[HOST_COLUMNS];                                                                \
        (void)thread;                                                                              \
        const int bad = BEST(columns_##T)(s->m, 0, s->n, s->a, s->lda, s->pivots != NULL, rows);   \
        for (int k = 0; k < s->n && s->pivots; k++)                                                \
            if (s->wide)                                                                           \
                ((int64_t *)s->pivots)[k] = s->base + rows[k] + 1;                                 \
            else                                                                                   \
                ((int *)s->pivots)[k] = (int)(s->base + rows[k] + 1);                              \
        if (bad && !*s->info)                                                                      \
            *s->info = (int)s->base + bad;                                                         \
    }
TASKS(float)
TASKS(double)

/* products: of elements, about as many as it takes. */
static void launch(struct work *w, int64_t products, tern_function *fn, const void *args,
                   size_t bytes)
{
    enum { SHORT = 64 * 64 * 64 };
    const tern_dim one = {1};
    tern_stream *stream;
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, products <= SHORT
                         ? tern_launch_short(stream, fn, args, bytes)
                         : tern_launch_function(stream, fn, one, one, 0, args, bytes));
}

bool host_leaves(const struct work *w)
{
    return w->h->device.host_path && (w->type == LIB_F32 || w->type == LIB_F64);
}

void host_square(struct work *w, bool upper, int n, void *a, int64_t lda, int *info, int64_t base)
{
    const int since = w->nscratch;
    void *turned = upper ? work_elements(w, (int64_t)n * n) : NULL;
    const struct square s = {a, turned, lda, base, n, upper, info};
    launch(w, (int64_t)n * n * n / 3, w->type == LIB_F64 ? square_task_double : square_task_float,
           &s, sizeof s);
    work_release(w, since);
}

void host_columns(struct work *w, int64_t m, int n, void *a, int64_t lda, void *pivots, bool wide,
                  int *info, int64_t base)
{
    const struct columns s = {a, pivots, m, lda, base, n, wide, info};
    launch(w, m * n * n, w->type == LIB_F64 ? columns_task_double : columns_task_float, &s,
           sizeof s);
}

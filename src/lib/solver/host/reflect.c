/* What the CPU does of reflections by C functions, of float and double: blocks of columns with
 * their triangles, and columns of the reduction to tridiagonal form. */
#include "lib/solver/host/leaf.h"
#include "lib/blas/part.h"

#include <math.h>
#include <string.h>

enum {
    NEAR_FEW = 8,    /* columns that are reflected one by one */
    NEAR_ROWS = 512, /* of columns that are not too long to be had twice */
};

/* Squares between these are exact enough to be summed as they are. */
#define FLOAT_LEAST  1e-25f
#define FLOAT_MOST   1e25f
#define DOUBLE_LEAST 1e-250
#define DOUBLE_MOST  1e250

#define SAME(set)                                                                                  \
    static inline double root_double_##set(double v)                                               \
    {                                                                                              \
        return sqrt(v);                                                                            \
    }                                                                                              \
    static inline float root_float_##set(float v)                                                  \
    {                                                                                              \
        return sqrtf(v);                                                                           \
    }                                                                                              \
    static inline double size_double_##set(double v)                                               \
    {                                                                                              \
        return fabs(v);                                                                            \
    }                                                                                              \
    static inline float size_float_##set(float v)                                                  \
    {                                                                                              \
        return fabsf(v);                                                                           \
    }

SAME(plain)
#define T          double
#define PRODUCT    (*blas_small_f64())
#define LEAF(name) name##_double_plain
#define TARGET
#define VECTOR       16
#define SQUARE_LEAST DOUBLE_LEAST
#define NORMAL_LEAST 0x1p-960
#define UP           0x1p900
#define SQUARE_MOST  DOUBLE_MOST
#include "lib/solver/host/reflect.inc"
#define T          float
#define PRODUCT    (*blas_small_f32())
#define LEAF(name) name##_float_plain
#define TARGET
#define VECTOR       16
#define SQUARE_LEAST FLOAT_LEAST
#define NORMAL_LEAST 0x1p-100f
#define UP           0x1p100f
#define SQUARE_MOST  FLOAT_MOST
#include "lib/solver/host/reflect.inc"

#if defined(__x86_64__)
SAME(avx2)
#define T            double
#define PRODUCT      (*blas_small_f64())
#define LEAF(name)   name##_double_avx2
#define TARGET       __attribute__((target("avx2,fma")))
#define VECTOR       32
#define SQUARE_LEAST DOUBLE_LEAST
#define NORMAL_LEAST 0x1p-960
#define UP           0x1p900
#define SQUARE_MOST  DOUBLE_MOST
#include "lib/solver/host/reflect.inc"
#define T            float
#define PRODUCT      (*blas_small_f32())
#define LEAF(name)   name##_float_avx2
#define TARGET       __attribute__((target("avx2,fma")))
#define VECTOR       32
#define SQUARE_LEAST FLOAT_LEAST
#define NORMAL_LEAST 0x1p-100f
#define UP           0x1p100f
#define SQUARE_MOST  FLOAT_MOST
#include "lib/solver/host/reflect.inc"
SAME(avx512)
#define T            double
#define PRODUCT      (*blas_small_f64())
#define LEAF(name)   name##_double_avx512
#define TARGET       __attribute__((target("avx512f,avx512dq,fma")))
#define VECTOR       64
#define SQUARE_LEAST DOUBLE_LEAST
#define NORMAL_LEAST 0x1p-960
#define UP           0x1p900
#define SQUARE_MOST  DOUBLE_MOST
#include "lib/solver/host/reflect.inc"
#define T            float
#define PRODUCT      (*blas_small_f32())
#define LEAF(name)   name##_float_avx512
#define TARGET       __attribute__((target("avx512f,avx512dq,fma")))
#define VECTOR       64
#define SQUARE_LEAST FLOAT_LEAST
#define NORMAL_LEAST 0x1p-100f
#define UP           0x1p100f
#define SQUARE_MOST  FLOAT_MOST
#include "lib/solver/host/reflect.inc"

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#define BEST(name) (has_avx512() ? name##_avx512 : has_avx2() ? name##_avx2 : name##_plain)
#else
#define BEST(name) (name##_plain)
#endif

struct block {
    void *a, *tau, *v, *t;
    void *turned; /* room for the transpose of V; NULL: without it */
    int64_t m, lda, ldv, ldt;
    int n;
    bool done; /* reflected, as a and tau have it */
};

struct reduction {
    int64_t n, k, first;
    void *a, *v, *w, *d, *e, *tau, *y; /* y: parts of A v, n elements each */
    int64_t lda;
    int parts;
    bool product, column; /* of k - 1, of k */
};

#define TASKS(T)                                                                                   \
    static void block_task_##T(const tern_thread *thread, void *args)                              \
    {                                                                                              \
        const struct block *s = args;                                                              \
        const T *a = s->a;                                                                         \
        T *v = s->v, *t = s->t;                                                                    \
        (void)thread;                                                                              \
        if (s->turned) {                                                                           \
            BEST(near_##T)(s->m, s->n, s->a, s->lda, s->tau, v, s->ldv, t, s->ldt, s->turned);     \
            return;                                                                                \
        }                                                                                          \
        for (int j = 0; j < s->n && t; j++)                                                        \
            memset(t + j * s->ldt, 0, (size_t)s->n * sizeof *t);                                   \
        T own[HOST_REFLECTIONS * HOST_REFLECTIONS];                                                \
        if (!s->done)                                                                              \
            BEST(reflect_##T)(s->m, s->n, s->a, s->lda, s->tau, t ? t : own, t ? s->ldt : s->n);   \
        else                                                                                       \
            BEST(triangle_##T)(s->m, s->n, a, s->lda, s->tau, t, s->ldt);                          \
        for (int j = 0; j < s->n && v; j++) {                                                      \
            T *to = v + j * s->ldv;                                                                \
            memset(to, 0, (size_t)j * sizeof *to);                                                 \
            to[j] = 1;                                                                             \
            memcpy(to + j + 1, a + j + 1 + j * s->lda, (size_t)(s->m - j - 1) * sizeof *to);       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void column_task_##T(const tern_thread *thread, void *args)                             \
    {                                                                                              \
        const struct reduction *s = args;                                                          \
        (void)thread;                                                                              \
        if (s->product)                                                                            \
            BEST(tri_product_##T)(s->n, s->k - 1, s->first, s->v, s->w, s->y, s->parts, s->tau);   \
        if (s->column)                                                                             \
            BEST(tri_column_##T)                                                                   \
        (s->n, s->k, s->first, s->a, s->lda, s->v, s->w, s->d, s->e, s->tau);                      \
    }                                                                                              \
                                                                                                   \
    /* Each part has as much of the triangle. */                                                   \
    static void vector_task_##T(const tern_thread *thread, void *args)                             \
    {                                                                                              \
        const struct reduction *s = args;                                                          \
        const int part = (int)thread->block.x;                                                     \
        const int64_t at = s->k + 1, m = s->n - at;                                                \
        T *y = (T *)s->y + part * s->n + at;                                                       \
        memset(y, 0, (size_t)m * sizeof *y);                                                       \
        BEST(symmetric_##T)                                                                        \
        (m, host_share(m, part, s->parts), host_share(m, part + 1, s->parts),                      \
         (const T *)s->a + at * (s->lda + 1), s->lda,                                              \
         (const T *)s->v + (s->k - s->first) * s->n + at, y);                                      \
    }                                                                                              \
                                                                                                   \
    /* Columns [k, end) by one core. */                                                            \
    static void columns_task_##T(const tern_thread *thread, void *args)                            \
    {                                                                                              \
        struct reduction s = *(const struct reduction *)args;                                      \
        const int64_t end = s.k;                                                                   \
        s.parts = 1;                                                                               \
        s.product = false;                                                                         \
        for (s.k = s.first; s.k < end; s.k++) {                                                    \
            s.column = true;                                                                       \
            column_task_##T(thread, &s);                                                           \
            if (s.k + 1 < s.n)                                                                     \
                vector_task_##T(&(tern_thread){.block = {0}}, &s);                                 \
            s.product = s.k + 1 < s.n;                                                             \
        }                                                                                          \
        s.column = false;                                                                          \
        column_task_##T(thread, &s);                                                               \
    }

/* Where part p of a lower triangle of m columns begins: parts are equally large. */
static int64_t host_share(int64_t m, int part, int parts)
{
    const double left = 1 - (double)part / parts;
    return part == 0 ? 0 : part == parts ? m : m - (int64_t)((double)m * sqrt(left)) / 4 * 4;
}

TASKS(float)
TASKS(double)

static void launch(struct work *w, tern_function *fn, int tasks, const void *args, size_t bytes)
{
    tern_stream *stream;
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, tern_launch_function(stream, fn, (tern_dim){(uint32_t)tasks}, (tern_dim){1}, 0,
                                          args, bytes));
}

void host_reflect(struct work *w, bool done, int64_t m, int n, void *a, int64_t lda, void *tau,
                  void *v, int64_t ldv, void *t, int64_t ldt)
{
    enum { SHORT = 64 * 64 * 64 }; /* products: not worth another thread */
    const int since = w->nscratch;
    tern_function *const task = w->type == LIB_F64 ? block_task_double : block_task_float;
    tern_stream *stream;
    struct block s = {a, tau, v, t, NULL, m, lda, ldv, ldt, n, done};
    if (!done && v && m <= NEAR_ROWS)
        s.turned = work_elements(w, m * HOST_REFLECTIONS);
    if (m * n * n > SHORT) {
        launch(w, task, 1, &s, sizeof s);
    } else if (!w->error) {
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
        if (!w->error)
            work_fail(w, tern_launch_short(stream, task, &s, sizeof s));
    }
    work_release(w, since);
}

int host_parts(const struct work *w, int64_t n)
{
    enum { SMALL = 256 }; /* rows: not worth a second core */
    const int64_t threads = w->h->device.threads;
    return n < SMALL ? 1 : threads > HOST_PARTS ? HOST_PARTS : (int)threads;
}

void host_tridiagonal(struct work *w, int64_t n, int64_t first, int64_t end, void *a, int64_t lda,
                      void *v, void *x, void *d, void *e, void *tau, void *y)
{
    const bool wide = w->type == LIB_F64;
    struct reduction s = {.n = n,
                          .k = end,
                          .first = first,
                          .a = a,
                          .v = v,
                          .w = x,
                          .d = d,
                          .e = e,
                          .tau = tau,
                          .y = y,
                          .lda = lda,
                          .parts = host_parts(w, n - first)};
    if (s.parts == 1) {
        launch(w, wide ? columns_task_double : columns_task_float, 1, &s, sizeof s);
        return;
    }
    for (s.k = first; s.k <= end; s.k++) {
        s.product = s.k > first && s.k < n;
        s.column = s.k < end;
        if (s.product || s.column)
            launch(w, wide ? column_task_double : column_task_float, 1, &s, sizeof s);
        if (s.column && s.k + 1 < n)
            launch(w, wide ? vector_task_double : vector_task_float, s.parts, &s, sizeof s);
    }
}

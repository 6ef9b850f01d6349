/* Triangular solves on the CPU by C functions: triangles along the diagonal are inverted, and a
 * solve with one is a product of the micro-kernels with its inverse, in place. */
#include "lib/blas/host/host.h"

#include <string.h>

enum { MOST = BLAS_TRIANGLE_ROWS };

static int64_t upto(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

int64_t blas_triangle_elements(enum lib_type t)
{
    const struct host_kernels *k = host_kernels();
    const int mr = t == LIB_F64 ? k->f64.mr : k->f32.mr, nr = t == LIB_F64 ? k->f64.nr : k->f32.nr;
    const int64_t plain = upto(MOST, mr), across = upto(MOST, nr);
    return (plain > across ? plain : across) * MOST;
}

struct inverses {
    struct blas_operand a;
    int64_t m, stride; /* elements from one inverse to the next */
    void *out;
    int width; /* of panels */
};

struct application {
    const void *inverse;
    struct blas_operand b;
    int64_t rows, n, columns; /* columns: of a task */
    bool upper;
    const struct host_kernels *kernels;
};

/* Rows of the inverse of a lower triangle, MOST by MOST with ones where there is none. Four vectors
 * of a row are summed at a time; sums in arrays would live in memory. */
#define INVERT(T, SET, TARGET, BYTES)                                                              \
    TARGET static void invert_##T##_##SET(const T(*l)[MOST], T(*x)[MOST])                          \
    {                                                                                              \
        typedef T vector __attribute__((vector_size(BYTES), may_alias));                           \
        enum { W = (BYTES) / sizeof(T), STEP = 4 * W };                                            \
        for (int k = 0; k < MOST; k++) {                                                           \
            const T r = 1 / l[k][k];                                                               \
            for (int c = 0; c < MOST; c++)                                                         \
                x[k][c] = 0;                                                                       \
            for (int c = 0; c < k; c += STEP) {                                                    \
                vector *to = (vector *)&x[k][c];                                                   \
                vector s0 = to[0], s1 = to[1], s2 = to[2], s3 = to[3];                             \
                for (int i = c; i < k; i++) {                                                      \
                    const T f = l[k][i];                                                           \
                    const vector *row = (const vector *)&x[i][c];                                  \
                    s0 -= f * row[0];                                                              \
                    s1 -= f * row[1];                                                              \
                    s2 -= f * row[2];                                                              \
                    s3 -= f * row[3];                                                              \
                }                                                                                  \
                to[0] = s0 * r;                                                                    \
                to[1] = s1 * r;                                                                    \
                to[2] = s2 * r;                                                                    \
                to[3] = s3 * r;                                                                    \
            }                                                                                      \
            x[k][k] = r;                                                                           \
        }                                                                                          \
    }
INVERT(float, plain, , 16)
INVERT(double, plain, , 16)
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
INVERT(float, avx2, AVX2, 32)
INVERT(double, avx2, AVX2, 32)
#define BEST(name, T)                                                                              \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_##T##_avx2           \
                                                                     : name##_##T##_plain)
#else
#define BEST(name, T) (name##_##T##_plain)
#endif

/* T: float or double; K: the micro-kernels' member. Inverses are stored as the micro-kernels read
 * them: panels of rows, column after column; as wide as panels of B are where it is the columns of
 * the right hand sides that lie side by side, else as wide as those of A. */
#define TRIANGLE(T, K)                                                                             \
    static void inverse_##T(const tern_thread *thread, void *args)                                 \
    {                                                                                              \
        const struct inverses *s = args;                                                           \
        const int64_t at = (int64_t)thread->block.x * MOST;                                        \
        const int rows = s->m - at < MOST ? (int)(s->m - at) : MOST, last = MOST - 1;              \
        const T *a = (const T *)s->a.p + s->a.offset + at * (s->a.row + s->a.col);                 \
        T *to = (T *)s->out + (int64_t)thread->block.x * s->stride;                                \
        _Alignas(64) T l[MOST][MOST], x[MOST][MOST];                                               \
        /* An upper one is turned round: its last row is the first. */                             \
        for (int i = 0; i < MOST; i++)                                                             \
            for (int j = 0; j <= i; j++) {                                                         \
                const int r = s->a.upper ? last - i : i, c = s->a.upper ? last - j : j;            \
                const bool there = r < rows && c < rows && (i != j || !s->a.unit);                 \
                l[i][j] = there ? a[r * s->a.row + c * s->a.col] : i == j ? (T)1 : (T)0;           \
            }                                                                                      \
        BEST(invert, T)((const T(*)[MOST])l, x);                                                   \
        for (int first = 0; first < MOST; first += s->width)                                       \
            for (int c = 0; c < MOST; c++)                                                         \
                for (int r = first; r < first + s->width; r++)                                     \
                    *to++ = r >= MOST ? 0 : s->a.upper ? x[last - r][last - c] : x[r][c];          \
    }                                                                                              \
                                                                                                   \
    /* The part of the inverse's columns that rows [i, i + r) have. */                             \
    static int from_##T(const struct application *s, int i)                                        \
    {                                                                                              \
        return s->upper ? i : 0;                                                                   \
    }                                                                                              \
    static int end_##T(const struct application *s, int i, int r)                                  \
    {                                                                                              \
        return s->upper || i + r > s->rows ? (int)s->rows : i + r;                                 \
    }                                                                                              \
                                                                                                   \
    /* Right hand sides whose rows lie side by side: columns [from, end). */                       \
    static void apply_left_##T(const struct application *s, int64_t from, int64_t end)             \
    {                                                                                              \
        const struct host_##K *k = &s->kernels->K;                                                 \
        const int rows = (int)s->rows, nr = k->nr, mr = k->mr;                                     \
        const struct host_source source = {&s->b, (const T *)s->b.p + s->b.offset,                 \
                                           sizeof(T) == 8 ? LIB_F64 : LIB_F32, BLAS_GENERAL,       \
                                           true};                                                  \
        _Alignas(64) T panel[MOST * HOST_MAX_NR], sum[HOST_MAX_TILE];                              \
        for (int64_t c = from; c < end; c += nr) {                                                 \
            T *b = (T *)(uintptr_t)source.p + c * s->b.col;                                        \
            const int n = end - c < nr ? (int)(end - c) : nr;                                      \
            host_pack_##K(&source, HOST_REAL, c, n, 0, rows, nr, panel);                           \
            for (int i = 0; i < rows; i += mr) {                                                   \
                const int m = rows - i < mr ? rows - i : mr, first = from_##T(s, i),               \
                          count = end_##T(s, i, mr) - first;                                       \
                const T *inverse = (const T *)s->inverse + (int64_t)i * MOST + first * mr;         \
                if (k->whole && m == mr && n == nr) {                                              \
                    k->whole(count, inverse, panel + first * nr, 1, 0, b + i, s->b.col);           \
                    continue;                                                                      \
                }                                                                                  \
                k->tile(count, inverse, panel + first * nr, sum);                                  \
                for (int j = 0; j < n; j++)                                                        \
                    memcpy(b + i + j * s->b.col, sum + j * mr, (size_t)m * sizeof(T));             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Others: rows are a distance apart, columns, too, or side by side. */                        \
    static void apply_right_##T(const struct application *s, int64_t from, int64_t end)            \
    {                                                                                              \
        const struct host_##K *k = &s->kernels->K;                                                 \
        const int64_t row = s->b.row, col = s->b.col;                                              \
        const int rows = (int)s->rows, nr = k->nr, mr = k->mr;                                     \
        const struct host_source source = {&s->b, (const T *)s->b.p + s->b.offset,                 \
                                           sizeof(T) == 8 ? LIB_F64 : LIB_F32, BLAS_GENERAL,       \
                                           true};                                                  \
        _Alignas(64) T panel[MOST * HOST_MAX_MR], sum[HOST_MAX_TILE];                              \
        for (int64_t c = from; c < end; c += mr) {                                                 \
            T *b = (T *)(uintptr_t)source.p + c * col;                                             \
            const int n = end - c < mr ? (int)(end - c) : mr;                                      \
            host_pack_##K(&source, HOST_REAL, c, n, 0, rows, mr, panel);                           \
            for (int i = 0; i < rows; i += nr) {                                                   \
                const int m = rows - i < nr ? rows - i : nr, first = from_##T(s, i),               \
                          count = end_##T(s, i, nr) - first;                                       \
                const T *inverse = (const T *)s->inverse + (int64_t)i * MOST + first * nr;         \
                if (k->whole && m == nr && n == mr && col == 1) {                                  \
                    k->whole(count, panel + first * mr, inverse, 1, 0, b + i * row, row);          \
                    continue;                                                                      \
                }                                                                                  \
                k->tile(count, panel + first * mr, inverse, sum);                                  \
                for (int r = 0; r < m; r++)                                                        \
                    for (int j = 0; j < n; j++)                                                    \
                        b[(i + r) * row + j * col] = sum[j + r * mr];                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void apply_##T(const tern_thread *thread, void *args)                                   \
    {                                                                                              \
        const struct application *s = args;                                                        \
        const int64_t from = (int64_t)thread->block.x * s->columns,                                \
                      end = s->n - from < s->columns ? s->n : from + s->columns;                   \
        if (s->b.row == 1)                                                                         \
            apply_left_##T(s, from, end);                                                          \
        else                                                                                       \
            apply_right_##T(s, from, end);                                                         \
    }
TRIANGLE(float, f32)
TRIANGLE(double, f64)

/* Panels of inverses are as wide as those of A or, where not rows lie side by side, of B. */
static int width_of(enum lib_type t, const struct blas_operand *b, bool inverse)
{
    const struct host_kernels *k = host_kernels();
    const int mr = t == LIB_F64 ? k->f64.mr : k->f32.mr, nr = t == LIB_F64 ? k->f64.nr : k->f32.nr;
    return (b->row == 1) == inverse ? mr : nr;
}

static enum tern_error launch(struct cublasContext *h, tern_function *fn, int64_t tasks,
                              const void *args, size_t bytes)
{
    tern_stream *stream;
    enum tern_error e = tern_cuda_stream(h->device.device, h->stream, &stream);
    return e ? e
             : tern_launch_function(stream, fn, (tern_dim){(uint32_t)tasks}, (tern_dim){1}, 0, args,
                                    bytes);
}

enum tern_error blas_host_invert(struct cublasContext *h, enum lib_type t,
                                 const struct blas_operand *a, int64_t m,
                                 const struct blas_operand *b, void *out)
{
    const struct inverses s = {.a = *a,
                               .m = m,
                               .stride = blas_triangle_elements(t),
                               .out = out,
                               .width = width_of(t, b, true)};
    return launch(h, t == LIB_F64 ? inverse_double : inverse_float, (m + MOST - 1) / MOST, &s,
                  sizeof s);
}

enum tern_error blas_host_apply(struct cublasContext *h, enum lib_type t, const void *inverse,
                                bool upper, const struct blas_operand *b, int64_t rows, int64_t n)
{
    enum { SMALL = 1 << 18 /* products: not worth a second core */ };
    const int width = width_of(t, b, false);
    const int64_t shares = rows * rows * n < SMALL ? 1 : h->device.threads,
                  columns = upto((n + shares - 1) / shares, width);
    const struct application s = {inverse, *b, rows, n, columns, upper, host_kernels()};
    return launch(h, t == LIB_F64 ? apply_double : apply_float, (n + columns - 1) / columns, &s,
                  sizeof s);
}

/* Triangular solves on the CPU by C functions: triangles along the diagonal are inverted, and a
 * solve with one is a product of the micro-kernels with its inverse, in place. */
#include "lib/blas/host/host.h"

#include <string.h>

enum { MOST = BLAS_TRIANGLE_ROWS, CHUNK = 16 /* columns that are computed together */ };

static int64_t upto(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

int64_t blas_triangle_elements(enum lib_type t)
{
    const int mr = t == LIB_F64 ? host_kernels()->f64.mr : host_kernels()->f32.mr;
    return upto(MOST, mr) * MOST;
}

struct inverses {
    struct blas_operand a;
    int64_t m;
    void *out;
    int mr;
};

struct application {
    const void *inverse;
    struct blas_operand b;
    int64_t rows, n, columns; /* columns: of a task */
    const struct host_kernels *kernels;
};

/* T: float or double; K: the micro-kernels' member. Inverses are stored as the micro-kernels read
 * them: panels of mr rows, column after column. */
#define TRIANGLE(T, K)                                                                             \
    /* x: rows of the inverse of a lower triangle l, MOST by MOST with ones where there is none */ \
    static void invert_##T(const T(*l)[MOST], T(*x)[MOST])                                         \
    {                                                                                              \
        for (int k = 0; k < MOST; k++) {                                                           \
            const int end = (k / CHUNK + 1) * CHUNK;                                               \
            const T d = l[k][k];                                                                   \
            for (int c = 0; c < MOST; c++)                                                         \
                x[k][c] = c == k ? (T)1 : (T)0;                                                    \
            for (int i = 0; i < k; i++) {                                                          \
                const T f = l[k][i];                                                               \
                for (int c = 0; c < end; c += CHUNK)                                               \
                    for (int q = c; q < c + CHUNK; q++)                                            \
                        x[k][q] -= f * x[i][q];                                                    \
            }                                                                                      \
            for (int c = 0; c < MOST; c++)                                                         \
                x[k][c] /= d;                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void inverse_##T(const tern_thread *thread, void *args)                                 \
    {                                                                                              \
        const struct inverses *s = args;                                                           \
        const int64_t at = (int64_t)thread->block.x * MOST;                                        \
        const int rows = s->m - at < MOST ? (int)(s->m - at) : MOST;                               \
        const T *a = (const T *)s->a.p + s->a.offset + at * (s->a.row + s->a.col);                 \
        T *to = (T *)s->out + (int64_t)thread->block.x * upto(MOST, s->mr) * MOST;                 \
        _Alignas(64) T l[MOST][MOST], x[MOST][MOST];                                               \
        /* An upper one is turned round: its last row is the first. */                             \
        for (int i = 0; i < MOST; i++)                                                             \
            for (int j = 0; j <= i; j++) {                                                         \
                const int r = s->a.upper ? MOST - 1 - i : i, c = s->a.upper ? MOST - 1 - j : j;    \
                const bool there = r < rows && c < rows && (i != j || !s->a.unit);                 \
                l[i][j] = there ? a[r * s->a.row + c * s->a.col] : i == j ? (T)1 : (T)0;           \
            }                                                                                      \
        invert_##T((const T(*)[MOST])l, x);                                                        \
        memset(to, 0, (size_t)(upto(MOST, s->mr) * MOST) * sizeof(T));                             \
        for (int i = 0; i < MOST; i++)                                                             \
            for (int j = 0; j <= i; j++) {                                                         \
                const int r = s->a.upper ? MOST - 1 - i : i, c = s->a.upper ? MOST - 1 - j : j;    \
                to[r / s->mr * s->mr * MOST + c * s->mr + r % s->mr] = x[i][j];                    \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    static void apply_##T(const tern_thread *thread, void *args)                                   \
    {                                                                                              \
        const struct application *s = args;                                                        \
        const struct host_##K *k = &s->kernels->K;                                                 \
        const int64_t from = (int64_t)thread->block.x * s->columns,                                \
                      end = s->n - from < s->columns ? s->n : from + s->columns, row = s->b.row,   \
                      col = s->b.col;                                                              \
        const int rows = (int)s->rows, nr = k->nr, mr = k->mr;                                     \
        _Alignas(64) T panel[MOST * HOST_MAX_NR], sum[HOST_MAX_TILE];                              \
        for (int64_t c = from; c < end; c += nr) {                                                 \
            T *b = (T *)(uintptr_t)s->b.p + s->b.offset + c * col;                                 \
            const int n = end - c < nr ? (int)(end - c) : nr;                                      \
            if (n < nr)                                                                            \
                memset(panel, 0, sizeof panel);                                                    \
            if (row == 1)                                                                          \
                for (int j = 0; j < n; j++)                                                        \
                    for (int i = 0; i < rows; i++)                                                 \
                        panel[i * nr + j] = b[i + j * col];                                        \
            else                                                                                   \
                for (int i = 0; i < rows; i++)                                                     \
                    for (int j = 0; j < n; j++)                                                    \
                        panel[i * nr + j] = b[i * row + j * col];                                  \
            for (int i = 0; i < rows; i += mr) {                                                   \
                const int m = rows - i < mr ? rows - i : mr;                                       \
                k->tile(rows, (const T *)s->inverse + (int64_t)i * MOST, panel, sum);              \
                for (int j = 0; j < n; j++)                                                        \
                    for (int r = 0; r < m; r++)                                                    \
                        b[(i + r) * row + j * col] = sum[r + j * mr];                              \
            }                                                                                      \
        }                                                                                          \
    }
TRIANGLE(float, f32)
TRIANGLE(double, f64)

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
                                 const struct blas_operand *a, int64_t m, void *out)
{
    const struct host_kernels *k = host_kernels();
    const bool wide = t == LIB_F64;
    const struct inverses s = {.a = *a, .m = m, .out = out, .mr = wide ? k->f64.mr : k->f32.mr};
    return launch(h, wide ? inverse_double : inverse_float, (m + MOST - 1) / MOST, &s, sizeof s);
}

enum tern_error blas_host_apply(struct cublasContext *h, enum lib_type t, const void *inverse,
                                const struct blas_operand *b, int64_t rows, int64_t n)
{
    enum { SMALL = 1 << 18 /* products: not worth a second core */ };
    const struct host_kernels *k = host_kernels();
    const bool wide = t == LIB_F64;
    const int nr = wide ? k->f64.nr : k->f32.nr;
    const int64_t shares = rows * rows * n < SMALL ? 1 : h->device.threads,
                  columns = upto((n + shares - 1) / shares, nr);
    const struct application s = {inverse, *b, rows, n, columns, k};
    return launch(h, wide ? apply_double : apply_float, (n + columns - 1) / columns, &s, sizeof s);
}

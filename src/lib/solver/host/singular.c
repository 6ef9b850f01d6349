/* Singular values and vectors of a square matrix on the CPU: A = Q B P' by reflections, PANEL
 * columns and rows at a time so that half of the work is products of matrices; B by halves.
 *
 * Within a panel the matrix stays as it was, and what it has become is A - V Y' - X U': V and U are
 * the reflections from the left and from the right, Y and X what A has to do with them. */
#include "lib/solver/host/singular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 32, TASK = 1 << 16 /* elements that are worth a task */ };

struct bidiagonal {
    struct work *w;
    const struct loops *loops;
    int64_t n;
    double *a, *p; /* reflections: of columns below a's diagonal, of rows one row below p's */
    double *d, *e, *tauq, *taup;
    double *v, *u, *x, *y; /* n by PANEL */
};

void host_settle(struct work *w)
{
    if (!w->error)
        work_fail(w, lib_error(cudaStreamSynchronize(w->h->stream)));
}

/* ---- a matrix times a vector ---- */

struct times {
    const struct loops *loops;
    const double *a, *x; /* rows by columns */
    int64_t lda, rows, columns, tasks;
    double *y;
    bool adjoint;
};

/* Columns of A' x, or rows of A x. */
static void times_part(const tern_thread *thread, void *args)
{
    const struct times *t = args;
    const int64_t all = t->adjoint ? t->columns : t->rows, each = (all + t->tasks - 1) / t->tasks,
                  share = (each + 7) / 8 * 8, from = thread->block.x * share,
                  end = from + share < all ? from + share : all;
    int64_t j = t->adjoint ? from : 0;
    if (from >= end)
        return;
    if (t->adjoint) {
        for (; j + 4 <= end; j += 4)
            t->loops->dot4(t->rows, t->a + j * t->lda, t->lda, t->x, t->y + j);
        for (; j < end; j++)
            t->y[j] = t->loops->dot(t->rows, t->a + j * t->lda, t->x);
        return;
    }
    memset(t->y + from, 0, (size_t)(end - from) * sizeof *t->y);
    for (; j + 4 <= t->columns; j += 4)
        t->loops->add4(end - from, t->a + from + j * t->lda, t->lda, t->x + j, t->y + from);
    for (; j < t->columns; j++)
        t->loops->add(end - from, t->a + from + j * t->lda, t->x[j], t->y + from);
}

static void times(const struct bidiagonal *f, bool adjoint, int64_t rows, int64_t columns,
                  const double *a, const double *x, double *y)
{
    struct times t = {f->loops, a, x, f->n, rows, columns, 1, y, adjoint};
    const int64_t threads = f->w->h->device.threads, worth = rows * columns / TASK;
    t.tasks = worth < 2 || threads < 2 ? 1 : worth < threads ? worth : threads;
    if (t.tasks == 1) {
        times_part(&(tern_thread){.block = {0, 0, 0}}, &t);
        return;
    }
    tern_stream *stream;
    struct work *w = f->w;
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, tern_launch_function(stream, times_part, (tern_dim){(uint32_t)t.tasks},
                                          (tern_dim){1}, 0, &t, sizeof t));
    host_settle(w);
}

/* ---- the bidiagonal form ---- */

/* x becomes (1, the rest of the reflection); the result is what stays of it, and tau. */
static double reflect(int64_t n, double *x, const struct loops *loops, double *tau)
{
    const double first = x[0], rest = n > 1 ? sqrt(loops->dot(n - 1, x + 1, x + 1)) : 0;
    x[0] = 1;
    *tau = 0;
    if (!(rest > 0))
        return first;
    const double beta = -copysign(hypot(first, rest), first), by = 1 / (first - beta);
    *tau = (beta - first) / beta;
    for (int64_t k = 1; k < n; k++)
        x[k] *= by;
    return beta;
}

/* to -= the first i columns of a times those of b in one row. */
static void less(const struct bidiagonal *f, int64_t from, int i, const double *a, const double *b,
                 int64_t row, double *to)
{
    for (int j = 0; j < i; j++)
        f->loops->add(f->n - from, a + from + j * f->n, -b[row + j * f->n], to + from);
}

/* to -= the first i columns of a times (b' x), from row `from` on. */
static void less_product(const struct bidiagonal *f, int64_t from, int i, const double *a,
                         const double *b, int64_t start, const double *x, double *to)
{
    for (int j = 0; j < i; j++) {
        const double by = f->loops->dot(f->n - start, b + start + j * f->n, x + start);
        f->loops->add(f->n - from, a + from + j * f->n, -by, to + from);
    }
}

static void column(const struct bidiagonal *f, int64_t k, int i)
{
    const int64_t n = f->n, next = k + 1;
    double *c = f->a + k * n, *v = f->v + i * n, *y = f->y + i * n;
    less(f, k, i, f->v, f->y, k, c);
    less(f, k, i, f->x, f->u, k, c);
    memset(v, 0, (size_t)k * sizeof *v);
    memcpy(v + k, c + k, (size_t)(n - k) * sizeof *v);
    f->d[k] = reflect(n - k, v + k, f->loops, &f->tauq[k]);
    memcpy(c + k, v + k, (size_t)(n - k) * sizeof *v);
    if (next == n)
        return;
    times(f, true, n - k, n - next, f->a + k + next * n, v + k, y + next);
    less_product(f, next, i, f->y, f->v, k, v, y);
    less_product(f, next, i, f->u, f->x, k, v, y);
    for (int64_t r = next; r < n; r++)
        y[r] *= f->tauq[k];
}

static void row(const struct bidiagonal *f, int64_t k, int i)
{
    const int64_t n = f->n, next = k + 1;
    double *u = f->u + i * n, *x = f->x + i * n, *tail = f->p + k * n;
    memset(u, 0, (size_t)next * sizeof *u);
    for (int64_t c = next; c < n; c++)
        u[c] = f->a[k + c * n];
    less(f, next, i + 1, f->y, f->v, k, u);
    less(f, next, i, f->u, f->x, k, u);
    f->e[k] = reflect(n - next, u + next, f->loops, &f->taup[k]);
    memcpy(tail + next, u + next, (size_t)(n - next) * sizeof *u);
    times(f, false, n - next, n - next, f->a + next + next * n, u + next, x + next);
    less_product(f, next, i + 1, f->v, f->y, next, u, x);
    less_product(f, next, i, f->x, f->u, next, u, x);
    for (int64_t r = next; r < n; r++)
        x[r] *= f->taup[k];
}

static void reduce(struct bidiagonal *f)
{
    struct work *w = f->w;
    const int64_t n = f->n;
    for (int64_t first = 0; first < n && !w->error; first += PANEL) {
        const int64_t end = first + PANEL < n ? first + PANEL : n, left = n - end;
        for (int64_t k = first; k < end && !w->error; k++) {
            column(f, k, (int)(k - first));
            if (k + 1 < n)
                row(f, k, (int)(k - first));
        }
        double *rest = f->a + end + end * n;
        if (!left)
            continue;
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_T, left, left, end - first, -1, f->v + end, n,
                  f->y + end, n, 1, rest, n);
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_T, left, left, end - first, -1, f->x + end, n,
                  f->u + end, n, 1, rest, n);
        host_settle(w);
    }
}

/* ---- the whole ---- */

static void to_double(enum lib_type t, int64_t count, const void *from, double *to)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = t == LIB_F64 ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

static void from_double(enum lib_type t, int64_t count, const double *from, void *to)
{
    for (int64_t k = 0; k < count; k++)
        if (t == LIB_F64)
            ((double *)to)[k] = from[k];
        else
            ((float *)to)[k] = (float)from[k];
}

static double *doubles(struct work *w, int64_t count)
{
    return work_reals(w, count);
}

void host_singular(struct work *w, int64_t n, void *r, double *sigma, void *v)
{
    const enum lib_type type = w->type, real = w->real;
    const int before = w->nscratch;
    host_settle(w);
    w->type = w->real = LIB_F64;
    struct bidiagonal f = {.w = w,
                           .loops = host_loops(),
                           .n = n,
                           .a = doubles(w, n * n),
                           .p = doubles(w, n * n),
                           .d = sigma,
                           .e = doubles(w, n),
                           .tauq = doubles(w, n),
                           .taup = doubles(w, n),
                           .v = doubles(w, PANEL * n),
                           .u = doubles(w, PANEL * n),
                           .x = doubles(w, PANEL * n),
                           .y = doubles(w, PANEL * n)};
    double *left = doubles(w, n * n), *right = doubles(w, n * n);
    host_settle(w);
    if (!w->error) {
        to_double(type, n * n, r, f.a);
        memset(f.p, 0, (size_t)(n * n) * sizeof *f.p);
        memset(f.e, 0, (size_t)n * sizeof *f.e);
        memset(f.taup, 0, (size_t)n * sizeof *f.taup);
        reduce(&f);
    }
    if (!w->error)
        host_halves(w, n, sigma, f.e, left, right);
    qr_multiply(w, CUBLAS_SIDE_LEFT, false, n, n, n, f.a, n, f.tauq, left, n);
    if (n > 1)
        qr_multiply(w, CUBLAS_SIDE_LEFT, false, n - 1, n, n - 1, f.p + 1, n, f.taup, right + 1, n);
    host_settle(w);
    w->type = type;
    w->real = real;
    if (!w->error) {
        from_double(type, n * n, left, r);
        from_double(type, n * n, right, v);
    }
    work_release(w, before);
}

/* Singular values of what remains of a matrix after reflections; on the CPU by its bidiagonal form
 * (host/singular.h), on NVIDIA's GPUs by way of the polar decomposition A = U H: H's eigenvalues
 * and vectors are A's singular values and right vectors. All of it is products and factorisations,
 * which GPUs and our C functions are good at, and as exact as rotations but for singular values
 * that are tiny beside the largest.
 *
 * U comes by Halley's iteration with weights (QDWH, as Nakatsukasa, Bai and Gygi have it): each
 * step pushes the interval that holds all singular values towards 1, steps that push hard by a QR
 * factorisation, the others by Cholesky's. The weights depend on the interval's lower end alone, so
 * the host never waits. Left vectors are A V made orthonormal by reflections: that also finds those
 * of singular values that are 0. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/singular.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 128, MOST_STEPS = 12 };

bool polar_suits(const struct work *w, int64_t n)
{
    return w->h->device.host_path ? host_leaves(w) : w->h->device.capability > 0 && n >= LEAST;
}

/* A step's weights, for singular values from l on; l becomes what the least of them becomes. */
struct weights {
    double a, b, c;
};

static struct weights weights(double *l)
{
    const double square = *l * *l, d = cbrt(4 * (1 - square) / (square * square)),
                 root = sqrt(1 + d),
                 a = root + sqrt(8 - 4 * d + 8 * (2 - square) / (square * root)) / 2,
                 b = (a - 1) * (a - 1) / 4, c = a + b - 1;
    *l = fmin(1, *l * (a + b * square) / (1 + c * square));
    return (struct weights){a, b, c};
}

static void copy(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, void *b,
                 int64_t ldb)
{
    int part = PART_ALL;
    work_each(w, "util.h", "copy_part", m * n,
              (void *[]){&m, &n, (void *)&a, &lda, &b, &ldb, &part});
}

/* B = A times a number, m by n. */
static void scaled(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, double factor,
                   void *b, int64_t ldb)
{
    void *none = NULL;
    work_each(w, "jacobi.h", "scaled_columns", m * n,
              (void *[]){&m, &n, (void *)&a, &lda, &none, &none, &factor, &b, &ldb});
}

/* X = (b / c) X + (a - b / c) / sqrt(c) Q1 Q2', where Q1 over Q2 has the columns of sqrt(c) X over
 * the identity. */
static void step_by_qr(struct work *w, int64_t n, void *x, struct weights k)
{
    int64_t tall = 2 * n;
    void *q = work_elements(w, tall * n), *tau = work_elements(w, n),
         *low = work_at(w, q, tall, n, 0);
    scaled(w, n, n, x, n, sqrt(k.c), q, tall);
    work_each(w, "util.h", "identity", n * n, (void *[]){&n, &n, &low, &tall});
    qr_factor(w, tall, n, q, tall, tau);
    qr_form(w, tall, n, n, q, tall, tau);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, (k.a - k.b / k.c) / sqrt(k.c), q, tall, low,
              tall, k.b / k.c, x, n);
}

/* X = (b / c) X + (a - b / c) X Z^-1, Z = I + c X' X. */
static void step_by_chol(struct work *w, int64_t n, void *x, struct weights k)
{
    void *z = work_elements(w, n * n), *y = work_elements(w, n * n);
    int *info = work_bytes(w, sizeof *info);
    work_each(w, "util.h", "identity", n * n, (void *[]){&n, &n, &z, &n});
    work_herk(w, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, n, n, k.c, x, n, 1, z, n);
    chol_factor(w, CUBLAS_FILL_MODE_LOWER, n, z, n, info);
    copy(w, n, n, x, n, y, n);
    work_trsm(w, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, n, n,
              z, n, y, n);
    work_trsm(w, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n,
              z, n, y, n);
    int64_t count = n * n;
    double p = k.b / k.c, q = k.a - k.b / k.c;
    work_each(w, "polar.h", "weighted_sum", count, (void *[]){&count, &p, &x, &q, &y});
}

/* U of X = U H, in place. size: no less than X's largest singular value. */
static void unitary(struct work *w, int64_t n, void *x, double size)
{
    enum { BY_QR = 100 }; /* from which weight on Cholesky's loses digits */
    const double eps = w->real == LIB_F32 ? 6e-8 : 1.1e-16;
    double l = eps / sqrt((double)n);
    scaled(w, n, n, x, n, 1 / size, x, n);
    for (int step = 0; step < MOST_STEPS && 1 - l > 4 * eps; step++) {
        const int before = w->nscratch;
        const struct weights k = weights(&l);
        if (k.c > BY_QR)
            step_by_qr(w, n, x, k);
        else
            step_by_chol(w, n, x, k);
        work_release(w, before);
    }
}

/* Columns from the last to the first. */
static void turn_round(struct work *w, int64_t n, const void *a, void *b)
{
    int rows = 0, columns = 1;
    int64_t m = n;
    work_each(w, "eigen.h", "flip", n * n,
              (void *[]){&m, &n, (void *)&a, &n, &b, &n, &rows, &columns});
}

/* Singular values of r (n by n, upper triangle and zeros) to sigma, of the host, falling; right
 * vectors to v, left ones to r. */
static void of_triangle(struct work *w, int64_t n, void *r, double *sigma, void *v)
{
    static const struct eigen_range all = {.range = CUSOLVER_EIG_RANGE_ALL};
    void *x = work_elements(w, n * n), *h = work_elements(w, n * n), *values = work_reals(w, n),
         *norms = work_reals(w, n), *tau = work_elements(w, n);
    int *info = work_bytes(w, sizeof *info);
    double size = 0;
    copy(w, n, n, r, n, x, n);
    work_run(w, "jacobi.h", "column_norms", n, SOLVER_THREADS, (void *[]){&n, &r, &n, &norms});
    work_get_reals(w, sigma, norms, n);
    for (int64_t k = 0; k < n; k++)
        size += sigma[k] * sigma[k];
    unitary(w, n, x, size > 0 ? sqrt(size) * (1 + 1e-6) : 1);
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, 1, x, n, r, n, 0, h, n);
    const int before = w->nscratch;
    void *full = eigen_full(w, CUBLAS_FILL_MODE_LOWER, n, h, n, false);
    eigen_solve(w, n, full, &all, values, h, n, info);
    work_release(w, before);
    turn_round(w, n, h, v);
    work_get_reals(w, sigma, values, n);
    for (int64_t k = 0; k < n / 2 && !w->error; k++) {
        const double last = sigma[n - 1 - k];
        sigma[n - 1 - k] = sigma[k];
        sigma[k] = last;
    }
    for (int64_t k = 0; k < n; k++)
        sigma[k] = fmax(sigma[k], 0);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, 1, r, n, v, n, 0, x, n);
    qr_factor(w, n, n, x, n, tau);
    /* The triangle is diagonal but for rounding; its signs are the vectors'. */
    work_each(w, "polar.h", "signs_of_diagonal", n, (void *[]){&n, &x, &n, &norms});
    qr_form(w, n, n, n, x, n, tau);
    int64_t rows = n;
    work_each(w, "util.h", "columns_times", n * n, (void *[]){&rows, &n, &x, &n, &norms, &r, &n});
}

void polar_solve(struct work *w, int64_t m, int64_t n, void *a, double scale, void *s, void *u,
                 int64_t columns, int64_t ldu, void *v, int64_t ldv, int *info)
{
    int part = PART_UPPER | PART_OUTSIDE, none = 0;
    const bool host = host_leaves(w), whole = host && m == n; /* no triangle first */
    void *r = work_elements(w, n * n), *tau = work_elements(w, n), *right = work_elements(w, n * n);
    double *sigma = calloc((size_t)n, sizeof *sigma);
    int64_t rows = n;
    if (!sigma)
        work_fail(w, TERN_OUT_OF_MEMORY);
    scaled(w, m, n, a, m, 1 / scale, a, m);
    if (whole) {
        copy(w, n, n, a, n, r, n);
    } else {
        qr_factor(w, m, n, a, m, tau);
        work_each(w, "util.h", "copy_part", n * n, (void *[]){&rows, &n, &a, &m, &r, &n, &part});
    }
    if (!w->error && host)
        host_singular(w, n, r, sigma, right);
    else if (!w->error)
        of_triangle(w, n, r, sigma, right);
    if (v)
        copy(w, n, n, right, n, v, ldv);
    if (u) { /* Q times the triangle's, and whatever Q has beside */
        const int64_t both = columns < n ? columns : n;
        work_each(w, "util.h", "identity", m * columns, (void *[]){&m, &columns, &u, &ldu});
        copy(w, n, both, r, n, u, ldu);
        if (!whole)
            qr_multiply(w, CUBLAS_SIDE_LEFT, false, m, columns, n, a, m, tau, u, ldu);
    }
    for (int64_t k = 0; k < n && !w->error; k++)
        sigma[k] *= scale;
    if (!w->error)
        work_put_reals(w, s, sigma, n);
    work_put(w, info, &none, sizeof none);
    free(sigma);
}

/* The bidiagonal form A = Q B P', reflection by reflection, and its Q and P. */
#include "lib/solver/solver_int.h"

struct form {
    int64_t m, n, lda;
    void *a;
    char *d, *e, *tauq, *taup; /* of the caller's types */
    void *v, *w;
};

/* From the left: column k is reflected from row `row` on, and so are the columns after it. */
static void left(struct work *w, struct form *f, int64_t row, int64_t k, void *value, void *tau)
{
    int64_t right = f->n - k - 1;
    void *rest = work_at(w, f->a, f->lda, row, k + 1);
    work_run(w, "bidiagonal.h", "reflect_column", 1, SOLVER_THREADS,
             (void *[]){&f->m, &row, &k, &f->a, &f->lda, &value, &tau, &f->v});
    if (right <= 0)
        return;
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, right, 1, f->m - row, 1, rest, f->lda, f->v, f->m, 0,
              f->w, right);
    work_each(w, "bidiagonal.h", "times_tau", right, (void *[]){&right, &f->w, &tau});
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, f->m - row, right, 1, -1, f->v, f->m, f->w, right, 1,
              rest, f->lda);
}

/* From the right: row k is reflected from column `column` on, and so are the rows after it. */
static void right(struct work *w, struct form *f, int64_t k, int64_t column, void *value, void *tau)
{
    int64_t below = f->m - k - 1;
    void *rest = work_at(w, f->a, f->lda, k + 1, column);
    work_run(w, "bidiagonal.h", "reflect_row", 1, SOLVER_THREADS,
             (void *[]){&f->n, &k, &column, &f->a, &f->lda, &value, &tau, &f->v});
    if (below <= 0)
        return;
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, below, 1, f->n - column, 1, rest, f->lda, f->v, f->n, 0,
              f->w, below);
    work_each(w, "bidiagonal.h", "times_tau", below, (void *[]){&below, &f->w, &tau});
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, below, f->n - column, 1, -1, f->w, below, f->v, f->n, 1,
              rest, f->lda);
}

cusolverStatus_t solver_gebrd_size(cusolverDnHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, int *size)
{
    (void)type;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_gebrd(cusolverDnHandle_t handle, enum lib_type type, int64_t m, int64_t n,
                              void *A, int64_t lda, void *D, void *E, void *tauq, void *taup,
                              void *workspace, int64_t size, int *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && info);
    struct work w = work_begin(handle, type);
    const size_t real = lib_types[w.real].bytes, element = lib_types[type].bytes;
    const int64_t most = m > n ? m : n, steps = m > n ? n : m;
    struct form f = {
        m, n, lda, A, D, E, tauq, taup, work_elements(&w, most), work_elements(&w, most)};
    work_zero(&w, info, sizeof *info);
    work_zero(&w, tauq, (size_t)steps * element);
    work_zero(&w, taup, (size_t)steps * element);
    for (int64_t k = 0; k < steps; k++) {
        void *d = f.d + (size_t)k * real, *e = f.e + (size_t)k * real;
        void *q = f.tauq + (size_t)k * element, *p = f.taup + (size_t)k * element;
        if (m >= n) { /* upper */
            left(&w, &f, k, k, d, q);
            if (k + 1 < n)
                right(&w, &f, k, k + 1, e, p);
        } else {
            right(&w, &f, k, k, d, p);
            if (k + 1 < m)
                left(&w, &f, k + 1, k, e, q);
        }
    }
    return work_end(&w);
}

/* ---- Q and P' ---- */

static bool valid(cublasSideMode_t side, int64_t m, int64_t n, int64_t k, int64_t lda)
{
    const int64_t least_k = side == CUBLAS_SIDE_LEFT ? (m < k ? m : k) : (n < k ? n : k);
    if (m < 0 || n < 0 || k < 0 || !valid_ld(lda, m))
        return false;
    return side == CUBLAS_SIDE_LEFT ? n <= m && n >= least_k
                                    : side == CUBLAS_SIDE_RIGHT && m <= n && m >= least_k;
}

cusolverStatus_t solver_orgbr_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasSideMode_t side, int64_t m, int64_t n, int64_t k,
                                   const void *A, int64_t lda, const void *tau, int *size)
{
    (void)type, (void)A, (void)tau;
    SOLVER_CALL(handle, valid(side, m, n, k, lda) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Reflections of order `rows` in the columns of v; those that begin one row below the diagonal
 * leave the first row and column as they are. */
static void form(struct work *w, int64_t rows, int64_t columns, int64_t k, bool below, void *v,
                 int64_t ldv, const void *tau, void *q)
{
    work_each(w, "util.h", "identity", rows * columns, (void *[]){&rows, &columns, &q, &rows});
    if (!below)
        qr_multiply(w, CUBLAS_SIDE_LEFT, false, rows, columns, k, v, ldv, tau, q, rows);
    else if (rows > 1)
        qr_multiply(w, CUBLAS_SIDE_LEFT, false, rows - 1, columns, rows - 1,
                    work_at(w, v, ldv, 1, 0), ldv, tau, work_at(w, q, rows, 1, 0), rows);
}

cusolverStatus_t solver_orgbr(cusolverDnHandle_t handle, enum lib_type type, cublasSideMode_t side,
                              int64_t m, int64_t n, int64_t k, void *A, int64_t lda,
                              const void *tau, void *workspace, int64_t size, int *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, valid(side, m, n, k, lda) && info);
    struct work w = work_begin(handle, type);
    void *q = work_elements(&w, m * n);
    int part = PART_ALL;
    work_zero(&w, info, sizeof *info);
    if (side == CUBLAS_SIDE_LEFT) {
        form(&w, m, n, k, m < k, A, lda, tau, q);
        work_each(&w, "util.h", "copy_part", m * n, (void *[]){&m, &n, &q, &m, &A, &lda, &part});
    } else {
        void *v = work_elements(&w, m * n); /* rows of A as columns */
        work_each(&w, "util.h", "adjoint", m * n, (void *[]){&m, &n, &A, &lda, &v, &n});
        form(&w, n, m, k, n <= k, v, n, tau, q);
        work_each(&w, "util.h", "adjoint", m * n, (void *[]){&n, &m, &q, &n, &A, &lda});
    }
    return work_end(&w);
}

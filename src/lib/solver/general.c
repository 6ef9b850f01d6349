/* Generalised eigenvalues: A x = l B x, A B x = l x, B A x = l x, by Cholesky's factor of B; and
 * the tridiagonal form and its reflections as calls of their own. */
#include "lib/solver/solver_int.h"

/* ---- two matrices ---- */

/* The matrix of the equivalent simple problem, in place of all of A. */
static void reduce(struct work *w, cusolverEigType_t kind, cublasFillMode_t uplo, int64_t n,
                   void *full, const void *b, int64_t ldb)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER, inverse = kind == CUSOLVER_EIG_TYPE_1;
    /* L^-1 A L^-H and U^-H A U^-1, or L' A L and U A U'. */
    const cublasOperation_t left = upper == inverse ? CUBLAS_OP_C : CUBLAS_OP_N;
    const cublasOperation_t right = upper == inverse ? CUBLAS_OP_N : CUBLAS_OP_C;
    if (inverse) {
        work_trsm(w, CUBLAS_SIDE_LEFT, uplo, left, CUBLAS_DIAG_NON_UNIT, n, n, b, ldb, full, n);
        work_trsm(w, CUBLAS_SIDE_RIGHT, uplo, right, CUBLAS_DIAG_NON_UNIT, n, n, b, ldb, full, n);
    } else {
        work_trmm(w, CUBLAS_SIDE_LEFT, uplo, left, CUBLAS_DIAG_NON_UNIT, n, n, 1, b, ldb, full, n);
        work_trmm(w, CUBLAS_SIDE_RIGHT, uplo, right, CUBLAS_DIAG_NON_UNIT, n, n, 1, b, ldb, full,
                  n);
    }
}

/* Vectors of the simple problem become those of the given one. */
static void back(struct work *w, cusolverEigType_t kind, cublasFillMode_t uplo, int64_t n,
                 int64_t count, const void *b, int64_t ldb, void *x, int64_t ldx)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    if (kind == CUSOLVER_EIG_TYPE_3)
        work_trmm(w, CUBLAS_SIDE_LEFT, uplo, upper ? CUBLAS_OP_C : CUBLAS_OP_N,
                  CUBLAS_DIAG_NON_UNIT, n, count, 1, b, ldb, x, ldx);
    else
        work_trsm(w, CUBLAS_SIDE_LEFT, uplo, upper ? CUBLAS_OP_N : CUBLAS_OP_C,
                  CUBLAS_DIAG_NON_UNIT, n, count, b, ldb, x, ldx);
}

static bool valid(cusolverEigType_t kind, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                  int64_t lda, int64_t ldb)
{
    return kind >= CUSOLVER_EIG_TYPE_1 && kind <= CUSOLVER_EIG_TYPE_3 &&
           (jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR) &&
           valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && valid_ld(ldb, n);
}

static cusolverStatus_t sygv(cusolverDnHandle_t handle, enum lib_type type, cusolverEigType_t kind,
                             cusolverEigMode_t jobz, const struct eigen_range *range,
                             cublasFillMode_t uplo, int64_t n, void *A, int64_t lda, void *B,
                             int64_t ldb, int64_t *count, void *W, int *info, syevjInfo_t jacobi)
{
    SOLVER_CALL(handle, valid(kind, jobz, uplo, n, lda, ldb) && info);
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    struct work w = work_begin(handle, type);
    int bad = 0;
    *count = 0;
    chol_factor(&w, uplo, n, B, ldb, info);
    work_get(&w, &bad, info, sizeof bad);
    if (bad) { /* B is not positive definite */
        bad += (int)n;
        work_put(&w, info, &bad, sizeof bad);
        return work_end(&w);
    }
    void *full = eigen_full(&w, uplo, n, A, lda, false);
    reduce(&w, kind, uplo, n, full, B, ldb);
    if (jacobi) {
        *count = n;
        jacobi_solve(&w, n, full, jacobi, W, vectors ? A : NULL, lda, info);
    } else {
        *count = eigen_solve(&w, n, full, range, W, vectors ? A : NULL, lda, info);
    }
    if (vectors)
        back(&w, kind, uplo, n, *count, B, ldb, A, lda);
    return work_end(&w);
}

static cusolverStatus_t size_of(cusolverDnHandle_t handle, cusolverEigType_t kind,
                                cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                int64_t lda, int64_t ldb, int *size)
{
    SOLVER_CALL(handle, valid(kind, jobz, uplo, n, lda, ldb) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_sygvd(cusolverDnHandle_t handle, enum lib_type type, cusolverEigType_t kind,
                              cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, void *A,
                              int64_t lda, void *B, int64_t ldb, void *W, void *workspace,
                              int64_t size, int *info)
{
    const struct eigen_range everything = {.range = CUSOLVER_EIG_RANGE_ALL};
    int64_t count;
    (void)workspace;
    (void)size;
    return sygv(handle, type, kind, jobz, &everything, uplo, n, A, lda, B, ldb, &count, W, info,
                NULL);
}

cusolverStatus_t solver_sygvd_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cusolverEigType_t kind, cusolverEigMode_t jobz,
                                   cublasFillMode_t uplo, int64_t n, const void *A, int64_t lda,
                                   const void *B, int64_t ldb, const void *W, int *size)
{
    (void)type;
    (void)A;
    (void)B;
    (void)W;
    return size_of(handle, kind, jobz, uplo, n, lda, ldb, size);
}

cusolverStatus_t solver_sygvdx(cusolverDnHandle_t handle, enum lib_type type,
                               cusolverEigType_t kind, cusolverEigMode_t jobz,
                               cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, void *A,
                               int64_t lda, void *B, int64_t ldb, const void *vl, const void *vu,
                               int64_t il, int64_t iu, int *meig, void *W, void *workspace,
                               int64_t size, int *info)
{
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    int64_t count = 0;
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, meig && eigen_valid_range(&r, n));
    const cusolverStatus_t s =
        sygv(handle, type, kind, jobz, &r, uplo, n, A, lda, B, ldb, &count, W, info, NULL);
    *meig = (int)count;
    return s;
}

cusolverStatus_t solver_sygvdx_size(cusolverDnHandle_t handle, enum lib_type type,
                                    cusolverEigType_t kind, cusolverEigMode_t jobz,
                                    cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n,
                                    const void *A, int64_t lda, const void *B, int64_t ldb,
                                    const void *vl, const void *vu, int64_t il, int64_t iu,
                                    int *meig, const void *W, int *size)
{
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    (void)A;
    (void)B;
    (void)meig;
    (void)W;
    SOLVER_CALL(handle, eigen_valid_range(&r, n));
    return size_of(handle, kind, jobz, uplo, n, lda, ldb, size);
}

cusolverStatus_t solver_sygvj(cusolverDnHandle_t handle, enum lib_type type, cusolverEigType_t kind,
                              cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, void *A,
                              int64_t lda, void *B, int64_t ldb, void *W, void *workspace,
                              int64_t size, int *info, syevjInfo_t params)
{
    int64_t count;
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, params);
    return sygv(handle, type, kind, jobz, NULL, uplo, n, A, lda, B, ldb, &count, W, info, params);
}

cusolverStatus_t solver_sygvj_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cusolverEigType_t kind, cusolverEigMode_t jobz,
                                   cublasFillMode_t uplo, int64_t n, const void *A, int64_t lda,
                                   const void *B, int64_t ldb, const void *W, int *size,
                                   syevjInfo_t params)
{
    (void)type;
    (void)A;
    (void)B;
    (void)W;
    SOLVER_CALL(handle, params);
    return size_of(handle, kind, jobz, uplo, n, lda, ldb, size);
}

/* ---- the tridiagonal form ---- */

/* LAPACK reduces the upper triangle from its last column on: that is the lower one of the matrix
 * whose rows and columns go from the last to the first. */

static void reverse(struct work *w, int64_t n, const void *from, void *to, bool real)
{
    int rows = 1, columns = 0;
    int64_t one = 1;
    void *args[] = {&n, &one, (void *)&from, &n, &to, &n, &rows, &columns};
    if (n <= 0)
        return;
    if (real)
        work_each_real(w, "eigen.h", "flip", n, args);
    else
        work_each(w, "eigen.h", "flip", n, args);
}

cusolverStatus_t solver_sytrd_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, const void *A, int64_t lda,
                                   const void *d, const void *e, const void *tau, int *size)
{
    (void)type;
    (void)A;
    (void)d;
    (void)e;
    (void)tau;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_sytrd(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, void *d, void *e, void *tau,
                              void *workspace, int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    int part = PART_LOWER;
    void *full = eigen_full(&w, uplo, n, A, lda, upper);
    void *own_d = work_reals(&w, n), *own_e = work_reals(&w, n), *own_tau = work_elements(&w, n);
    const size_t real = lib_types[w.real].bytes, element = lib_types[w.type].bytes;
    work_zero(&w, info, sizeof *info);
    eigen_reduce(&w, n, full, n, own_d, own_e, own_tau);
    if (upper) {
        work_each(&w, "util.h", "flip_lower", n * n, (void *[]){&n, &full, &n, &A, &lda});
        reverse(&w, n, own_d, d, true);
        reverse(&w, n - 1, own_e, e, true);
        reverse(&w, n - 1, own_tau, tau, false);
    } else if (n > 0) {
        work_each(&w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &full, &n, &A, &lda, &part});
        work_copy(&w, d, own_d, (size_t)n * real);
        work_copy(&w, e, own_e, (size_t)(n - 1) * real);
        work_copy(&w, tau, own_tau, (size_t)(n - 1) * element);
    }
    return work_end(&w);
}

/* The reflections of the lower form, and tau beside. */
static void *lower_form(struct work *w, cublasFillMode_t uplo, int64_t n, const void *a,
                        int64_t lda, const void *tau, void **own_tau)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    int flip = upper;
    void *v = work_elements(w, n * n);
    *own_tau = work_elements(w, n);
    work_each(w, "eigen.h", "flip", n * n,
              (void *[]){&n, &n, (void *)&a, &lda, &v, &n, &flip, &flip});
    if (upper)
        reverse(w, n - 1, tau, *own_tau, false);
    else if (n > 1)
        work_copy(w, *own_tau, tau, (size_t)(n - 1) * lib_types[w->type].bytes);
    return v;
}

cusolverStatus_t solver_orgtr_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, const void *A, int64_t lda,
                                   const void *tau, int *size)
{
    return solver_sytrd_size(handle, type, uplo, n, A, lda, NULL, NULL, tau, size);
}

cusolverStatus_t solver_orgtr(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, const void *tau, void *workspace,
                              int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    int flip = uplo == CUBLAS_FILL_MODE_UPPER;
    void *own_tau, *v = lower_form(&w, uplo, n, A, lda, tau, &own_tau);
    void *q = work_elements(&w, n * n);
    work_zero(&w, info, sizeof *info);
    work_each(&w, "util.h", "identity", n * n, (void *[]){&n, &n, &q, &n});
    if (n > 1)
        qr_multiply(&w, CUBLAS_SIDE_LEFT, false, n - 1, n, n - 1, work_at(&w, v, n, 1, 0), n,
                    own_tau, work_at(&w, q, n, 1, 0), n);
    work_each(&w, "eigen.h", "flip", n * n, (void *[]){&n, &n, &q, &n, &A, &lda, &flip, &flip});
    return work_end(&w);
}

static bool valid_ormtr(enum lib_type type, cublasSideMode_t side, cublasFillMode_t uplo,
                        cublasOperation_t op, int64_t m, int64_t n, int64_t lda, int64_t ldc)
{
    return (side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT) && valid_fill(uplo) &&
           qr_op(type, op) && m >= 0 && n >= 0 && valid_ld(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
           valid_ld(ldc, m);
}

cusolverStatus_t solver_ormtr_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasSideMode_t side, cublasFillMode_t uplo,
                                   cublasOperation_t op, int64_t m, int64_t n, const void *A,
                                   int64_t lda, const void *tau, const void *C, int64_t ldc,
                                   int *size)
{
    (void)A;
    (void)tau;
    (void)C;
    SOLVER_CALL(handle, valid_ormtr(type, side, uplo, op, m, n, lda, ldc) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_ormtr(cusolverDnHandle_t handle, enum lib_type type, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t op, int64_t m, int64_t n,
                              void *A, int64_t lda, void *tau, void *C, int64_t ldc,
                              void *workspace, int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_ormtr(type, side, uplo, op, m, n, lda, ldc) && info);
    struct work w = work_begin(handle, type);
    const bool left = side == CUBLAS_SIDE_LEFT, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const int64_t order = left ? m : n;
    int rows = upper && left, columns = upper && !left;
    void *own_tau, *v = lower_form(&w, uplo, order, A, lda, tau, &own_tau);
    void *c = work_elements(&w, m * n);
    work_zero(&w, info, sizeof *info);
    work_each(&w, "eigen.h", "flip", m * n, (void *[]){&m, &n, &C, &ldc, &c, &m, &rows, &columns});
    if (order > 1)
        qr_multiply(&w, side, op != CUBLAS_OP_N, left ? m - 1 : m, left ? n : n - 1, order - 1,
                    work_at(&w, v, order, 1, 0), order, own_tau,
                    left ? work_at(&w, c, m, 1, 0) : work_at(&w, c, m, 0, 1), m);
    work_each(&w, "eigen.h", "flip", m * n, (void *[]){&m, &n, &c, &m, &C, &ldc, &rows, &columns});
    return work_end(&w);
}

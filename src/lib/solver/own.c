/* Tern's own calls of tern_solver.h: packed and banded matrices, inverses, determinants, ranks and
 * least squares. */
#include "lib/solver/solver_int.h"
#include "cuda/tern_solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A handle, a type that there is, and the rest. */
#define OWN_CALL(handle, cuda_type, type, arguments_are_right)                                     \
    do {                                                                                           \
        SOLVER_CALL(handle, arguments_are_right);                                                  \
        if (!solver_type(cuda_type, type))                                                         \
            return CUSOLVER_STATUS_NOT_SUPPORTED;                                                  \
    } while (0)

static void copy(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, void *b,
                 int64_t ldb)
{
    int part = PART_ALL;
    work_each(w, "util.h", "copy_part", m * n,
              (void *[]){&m, &n, (void *)&a, &lda, &b, &ldb, &part});
}

/* ---- packed triangles ---- */

cusolverStatus_t ternEigenPacked(cusolverDnHandle_t handle, cudaDataType cuda_type,
                                 cublasFillMode_t uplo, int64_t n, const void *AP, void *W, void *V,
                                 int64_t ldv, int *info, int64_t count)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type,
             valid_fill(uplo) && n >= 0 && count >= 0 && (!V || valid_ld(ldv, n)) &&
                 (!n || !count || (AP && W && info)));
    struct work w = work_begin(handle, type);
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1};
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    int64_t ld = V ? ldv : n;
    void *a = V ? V : work_elements(&w, n * n * count);
    work_each(&w, "own.h", "unpack", n * n * count,
              (void *[]){&n, &count, (void *)&AP, &upper, &a, &ld});
    jacobi_batch(&w, &set, V, uplo, n, a, ld, W, info, count);
    return work_end(&w);
}

/* ---- bands ---- */

static void band_solve(struct work *w, int64_t n, int64_t lower, int64_t upper, int64_t nrhs,
                       const void *a, int64_t lda, int64_t stride, void *b, int64_t ldb,
                       int64_t stride_b, int *info, int64_t count)
{
    void *room = work_elements(w, (2 * lower + upper + 1) * n * count);
    work_run(w, "own.h", "band_solve", count, SOLVER_THREADS,
             (void *[]){&n, &lower, &upper, &nrhs, (void *)&a, &lda, &stride, &room, &b, &ldb,
                        &stride_b, &info});
}

cusolverStatus_t ternBandSolve(cusolverDnHandle_t handle, cudaDataType cuda_type, int64_t n,
                               int64_t lower, int64_t upper, int64_t nrhs, const void *A,
                               int64_t lda, int64_t stride, void *B, int64_t ldb, int64_t strideB,
                               int *info, int64_t count)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type,
             n >= 0 && lower >= 0 && upper >= 0 && nrhs >= 0 && count >= 0 && lda > lower + upper &&
                 valid_ld(ldb, n) && info);
    struct work w = work_begin(handle, type);
    band_solve(&w, n, lower, upper, nrhs, A, lda, stride, B, ldb, strideB, info, count);
    return work_end(&w);
}

cusolverStatus_t ternTridiagonalSolve(cusolverDnHandle_t handle, cudaDataType cuda_type, int64_t n,
                                      int64_t nrhs, const void *dl, const void *d, const void *du,
                                      int64_t stride, void *B, int64_t ldb, int64_t strideB,
                                      int *info, int64_t count)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type,
             n >= 0 && nrhs >= 0 && count >= 0 && valid_ld(ldb, n) && info &&
                 (!n || (dl && d && du)));
    struct work w = work_begin(handle, type);
    void *band = work_elements(&w, 3 * n * count);
    work_each(&w, "own.h", "band_of_three", n * count,
              (void *[]){&n, &count, (void *)&dl, (void *)&d, (void *)&du, &stride, &band});
    band_solve(&w, n, 1, 1, nrhs, band, 3, 3 * n, B, ldb, strideB, info, count);
    return work_end(&w);
}

/* ---- inverse, determinant, rank ---- */

cusolverStatus_t ternInverse(cusolverDnHandle_t handle, cudaDataType cuda_type, int64_t n, void *A,
                             int64_t lda, int *info)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type, n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    int *pivots = work_bytes(&w, (size_t)n * sizeof *pivots), *none = work_bytes(&w, sizeof *none);
    void *x = work_elements(&w, n * n);
    lu_factor(&w, n, n, A, lda, pivots, info);
    work_each(&w, "util.h", "identity", n * n, (void *[]){&n, &n, &x, &n});
    lu_solve(&w, CUBLAS_OP_N, n, n, A, lda, pivots, x, n, none);
    copy(&w, n, n, x, n, A, lda);
    return work_end(&w);
}

/* The mantissa times an element, in range again. */
static void multiply(double mantissa[2], int64_t *exponent, double re, double im)
{
    const double x = mantissa[0] * re - mantissa[1] * im, y = mantissa[0] * im + mantissa[1] * re;
    int shift = 0;
    frexp(fmax(fabs(x), fabs(y)), &shift);
    mantissa[0] = ldexp(x, -shift);
    mantissa[1] = ldexp(y, -shift);
    *exponent += shift;
}

/* A diagonal element, brought near 1 first: products of two may be out of range. */
static void multiply_scaled(double mantissa[2], int64_t *exponent, double re, double im)
{
    double one[2] = {re, im};
    int64_t shift = 0;
    int by = 0;
    frexp(fmax(fabs(re), fabs(im)), &by);
    one[0] = ldexp(re, -by);
    one[1] = ldexp(im, -by);
    multiply(mantissa, &shift, one[0], one[1]);
    *exponent += shift + by;
}

void lu_determinant(struct work *w, int64_t n, const void *a, int64_t lda, const int *pivots,
                    double mantissa[2], int64_t *exponent)
{
    const bool complex = lib_types[w->type].complex;
    const int64_t parts = complex ? 2 : 1;
    double *d = calloc((size_t)(parts * n) + 1, sizeof *d);
    int *p = calloc((size_t)n + 1, sizeof *p);
    void *diagonal = work_elements(w, n);
    if (!d || !p)
        work_fail(w, TERN_OUT_OF_MEMORY);
    work_each(w, "own.h", "diagonal_of", n, (void *[]){&n, (void *)&a, &lda, &diagonal});
    work_get_reals(w, d, diagonal, parts * n);
    if (!w->error && n)
        work_get(w, p, pivots, (size_t)n * sizeof *p);
    mantissa[0] = 0.5;
    mantissa[1] = 0;
    *exponent = 1;
    for (int64_t k = 0; k < n && !w->error; k++) {
        const double sign = p[k] == k + 1 ? 1 : -1;
        multiply_scaled(mantissa, exponent, sign * d[parts * k], complex ? sign * d[2 * k + 1] : 0);
    }
    if (mantissa[0] == 0 && mantissa[1] == 0)
        *exponent = 0;
    free(d);
    free(p);
}

cusolverStatus_t ternDeterminant(cusolverDnHandle_t handle, cudaDataType cuda_type, int64_t n,
                                 const void *A, int64_t lda, double mantissa[2], int64_t *exponent)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type, n >= 0 && valid_ld(lda, n) && mantissa && exponent);
    struct work w = work_begin(handle, type);
    int *pivots = work_bytes(&w, (size_t)n * sizeof *pivots), *info = work_bytes(&w, sizeof *info);
    void *x = work_elements(&w, n * n);
    copy(&w, n, n, A, lda, x, n);
    lu_factor(&w, n, n, x, n, pivots, info);
    lu_determinant(&w, n, x, n, pivots, mantissa, exponent);
    return work_end(&w);
}

/* How many of the singular values count, which fall. */
static int64_t rank_of(const struct work *w, int64_t m, int64_t n, double tolerance,
                       const double *values)
{
    const double eps = w->real == LIB_F32 ? FLT_EPSILON : DBL_EPSILON;
    const int64_t least = m < n ? m : n, most = m < n ? n : m;
    int64_t rank = 0;
    if (tolerance < 0)
        tolerance = (double)most * eps;
    while (rank < least && values[rank] > tolerance * values[0])
        rank++;
    return rank;
}

cusolverStatus_t ternRank(cusolverDnHandle_t handle, cudaDataType cuda_type, int64_t m, int64_t n,
                          const void *A, int64_t lda, double tolerance, int64_t *rank)
{
    enum lib_type type;
    OWN_CALL(handle, cuda_type, &type, m >= 0 && n >= 0 && valid_ld(lda, m) && rank);
    struct work w = work_begin(handle, type);
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1, .any_way = true};
    const int64_t least = m < n ? m : n;
    void *s = work_reals(&w, least);
    int *info = work_bytes(&w, sizeof *info), bad = 0;
    double *values = calloc((size_t)least + 1, sizeof *values);
    if (!values)
        work_fail(&w, TERN_OUT_OF_MEMORY);
    svd_solve(&w, m, n, A, lda, &set, s, NULL, 0, 1, NULL, 0, 1, info);
    work_get_reals(&w, values, s, least);
    work_get(&w, &bad, info, sizeof bad);
    *rank = w.error ? 0 : rank_of(&w, m, n, tolerance, values);
    free(values);
    if (bad)
        work_fail(&w, TERN_INTERNAL);
    return work_end(&w);
}

/* ---- least squares ---- */

/* More rows than columns, or as many. */
static void tall(struct work *w, int64_t m, int64_t n, int64_t nrhs, const void *a, int64_t lda,
                 void *b, int64_t ldb, int *info)
{
    void *x = work_elements(w, m * n), *tau = work_elements(w, n);
    copy(w, m, n, a, lda, x, m);
    qr_factor(w, m, n, x, m, tau);
    work_run(w, "util.h", "zero_on_diagonal", 1, SOLVER_THREADS, (void *[]){&n, &x, &m, &info});
    qr_multiply(w, CUBLAS_SIDE_LEFT, true, m, nrhs, n, x, m, tau, b, ldb);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
              nrhs, x, m, b, ldb);
}

/* A' = Q R: of all solutions, Q times that of R' Y = B has no part that A does not see. */
static void wide(struct work *w, int64_t m, int64_t n, int64_t nrhs, const void *a, int64_t lda,
                 void *b, int64_t ldb, int *info)
{
    void *x = work_elements(w, n * m), *tau = work_elements(w, m), *y = work_elements(w, n * nrhs);
    work_each(w, "util.h", "adjoint", m * n, (void *[]){&m, &n, (void *)&a, &lda, &x, &n});
    qr_factor(w, n, m, x, n, tau);
    work_run(w, "util.h", "zero_on_diagonal", 1, SOLVER_THREADS, (void *[]){&m, &x, &n, &info});
    work_zero(w, y, (size_t)(n * nrhs) * lib_types[w->type].bytes);
    copy(w, m, nrhs, b, ldb, y, n);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, m,
              nrhs, x, n, y, n);
    qr_multiply(w, CUBLAS_SIDE_LEFT, false, n, nrhs, m, x, n, tau, y, n);
    copy(w, n, nrhs, y, n, b, ldb);
}

/* X = V S^-1 U' B, of the singular values that count. */
static void by_values(struct work *w, int64_t m, int64_t n, int64_t nrhs, const void *a,
                      int64_t lda, void *b, int64_t ldb, double tolerance, int64_t *rank, int *info)
{
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1, .any_way = true};
    int64_t least = m < n ? m : n, count = 0;
    void *s = work_reals(w, least), *u = work_elements(w, m * least),
         *v = work_elements(w, n * least), *y = work_elements(w, least * nrhs);
    double *values = calloc((size_t)least + 1, sizeof *values);
    if (!values)
        work_fail(w, TERN_OUT_OF_MEMORY);
    svd_solve(w, m, n, a, lda, &set, s, u, least, m, v, least, n, info);
    work_get_reals(w, values, s, least);
    if (!w->error)
        count = rank_of(w, m, n, tolerance, values);
    for (int64_t k = 0; k < least && !w->error; k++)
        values[k] = k < count ? 1 / values[k] : 0;
    work_put_reals(w, s, values, least);
    work_each(w, "util.h", "columns_times", n * least, (void *[]){&n, &least, &v, &n, &s, &v, &n});
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, least, nrhs, m, 1, u, m, b, ldb, 0, y, least);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, n, nrhs, least, 1, v, n, y, least, 0, b, ldb);
    if (rank)
        *rank = count;
    free(values);
}

cusolverStatus_t ternLeastSquares(cusolverDnHandle_t handle, cudaDataType cuda_type,
                                  ternLeastSquares_t how, int64_t m, int64_t n, int64_t nrhs,
                                  const void *A, int64_t lda, void *B, int64_t ldb,
                                  double tolerance, int64_t *rank, int *info)
{
    enum lib_type type;
    const int64_t least = m < n ? m : n;
    OWN_CALL(handle, cuda_type, &type,
             m >= 0 && n >= 0 && nrhs >= 0 && valid_ld(lda, m) && valid_ld(ldb, m < n ? n : m) &&
                 info && (how == TERN_LEAST_SQUARES_QR || how == TERN_LEAST_SQUARES_SVD));
    struct work w = work_begin(handle, type);
    if (!least) { /* nothing is asked of X: it is 0 */
        work_zero(&w, info, sizeof *info);
        for (int64_t c = 0; c < nrhs; c++)
            work_zero(&w, work_at(&w, B, ldb, 0, c), (size_t)n * lib_types[type].bytes);
        if (rank)
            *rank = 0;
    } else if (how == TERN_LEAST_SQUARES_SVD) {
        by_values(&w, m, n, nrhs, A, lda, B, ldb, tolerance, rank, info);
    } else {
        (m < n ? wide : tall)(&w, m, n, nrhs, A, lda, B, ldb, info);
        if (rank)
            *rank = least;
    }
    return work_end(&w);
}

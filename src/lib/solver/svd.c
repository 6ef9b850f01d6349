/* Singular values: reflections first, then Jacobi's rotations of the triangle's columns from one
 * side; where rotations are not what is asked for, on NVIDIA's GPUs by way of the polar
 * decomposition, and in real numbers on the CPU by the bidiagonal form: polar.c. */
#include "lib/solver/solver_int.h"

#include <math.h>
#include <stdlib.h>

struct value {
    double value;
    int64_t column;
};

static int larger_first(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* Columns have, have+1, … n-1 of x become orthonormal to each other and to those before, which are.
 */
static void complete(struct work *w, int64_t n, int64_t have, void *x)
{
    void *q = work_elements(w, n * n), *tau = work_elements(w, n);
    int part = PART_ALL;
    if (have)
        work_each(w, "util.h", "copy_part", n * have, (void *[]){&n, &have, &x, &n, &q, &n, &part});
    qr_factor(w, n, have, q, n, tau);
    qr_form(w, n, n, have, q, n, tau);
    void *from = work_at(w, q, n, 0, have), *to = work_at(w, x, n, 0, have);
    int64_t left = n - have;
    work_each(w, "util.h", "copy_part", n * left, (void *[]){&n, &left, &from, &n, &to, &n, &part});
}

/* The columns of x (n by n) become orthogonal, and turn v with them. */
static bool rotate(struct work *w, int64_t n, void *x, void *v, struct jacobi *set, double least)
{
    const int64_t even = n + n % 2;
    /* What rounding leaves of an inner product grows as the root of its length. */
    double tolerance = jacobi_tolerance(w, set) * sqrt((double)n);
    int *turned = work_bytes(w, sizeof *turned), left = 1;
    set->done = 0;
    while (!w->error && left && set->done < set->sweeps) {
        work_zero(w, turned, sizeof *turned);
        for (int64_t round = 0; round < even - 1; round++)
            work_run(w, "jacobi.h", "svd_round", even / 2, SOLVER_THREADS,
                     (void *[]){&n, &n, &round, &x, &n, &v, &n, &tolerance, &least, &turned});
        work_get(w, &left, turned, sizeof left);
        set->done++;
    }
    return !left;
}

/* What is left beside the diagonal of X' X, over the largest singular value. */
static double residual(struct work *w, int64_t n, const void *x, double largest)
{
    void *g = work_elements(w, n * n), *norms = work_reals(w, 2);
    double norm[2] = {0, 0};
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, 1, x, n, x, n, 0, g, n);
    work_run(w, "jacobi.h", "off_norm", 1, SOLVER_THREADS, (void *[]){&n, &g, &n, &norms});
    work_get_reals(w, norm, norms, 2);
    return largest > 0 ? norm[0] / largest : 0;
}

/* Of a matrix of m by n, m >= n, which is spent: singular values to the device's s, the first
 * `columns` of U to u (m rows) and V (n by n) to v; both may be NULL. */
static void solve(struct work *w, int64_t m, int64_t n, void *a, struct jacobi *set, void *s,
                  void *u, int64_t columns, int64_t ldu, void *v, int64_t ldv, int *info)
{
    int part = PART_UPPER | PART_OUTSIDE, all = PART_ALL;
    double scale;
    void *x = work_elements(w, n * n), *r = work_elements(w, n * n), *tau = work_elements(w, n);
    void *turn = work_elements(w, n * n), *norms = work_reals(w, n),
         *order = work_bytes(w, (size_t)n * 8);
    double *sigma = calloc((size_t)n + 1, sizeof *sigma);
    struct value *sorted = calloc((size_t)n + 1, sizeof *sorted);
    int64_t *places = calloc((size_t)n + 1, sizeof *places);
    if (!sigma || !sorted || !places)
        work_fail(w, TERN_OUT_OF_MEMORY);
    /* Squares shall neither overflow nor vanish. */
    scale = work_largest(w, m, n, a, m);
    if (!(scale > 0) || !isfinite(scale))
        scale = 1;
    double factor = 1 / scale;
    void *none = NULL;
    work_each(w, "jacobi.h", "scaled_columns", m * n,
              (void *[]){&m, &n, &a, &m, &none, &none, &factor, &a, &m});
    /* A = Q R; the rotations are of the columns of R', which are graded. */
    qr_factor(w, m, n, a, m, tau);
    work_each(w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &a, &m, &r, &n, &part});
    work_each(w, "util.h", "adjoint", n * n, (void *[]){&n, &n, &r, &n, &x, &n});
    work_each(w, "util.h", "identity", n * n, (void *[]){&n, &n, &turn, &n});
    work_run(w, "jacobi.h", "column_norms", n, SOLVER_THREADS, (void *[]){&n, &x, &n, &norms});
    work_get_reals(w, sigma, norms, n);
    double square = 0;
    for (int64_t k = 0; k < n && !w->error; k++)
        square += sigma[k] * sigma[k];
    const double least = jacobi_tolerance(w, NULL) * sqrt((double)n * square);
    const int bad = rotate(w, n, x, turn, set, least) && isfinite(square) ? 0 : (int)n + 1;
    work_run(w, "jacobi.h", "column_norms", n, SOLVER_THREADS, (void *[]){&n, &x, &n, &norms});
    work_get_reals(w, sigma, norms, n);
    if (w->error)
        goto end;
    for (int64_t k = 0; k < n; k++)
        sorted[k] = (struct value){sigma[k], k};
    qsort(sorted, (size_t)n, sizeof *sorted, larger_first);
    int64_t have = 0;
    double largest = 0;
    for (int64_t k = 0; k < n; k++)
        largest = sigma[k] > largest ? sigma[k] : largest;
    set->residual = residual(w, n, x, largest) * scale;
    for (int64_t k = 0; k < n; k++) {
        places[k] = sorted[k].column;
        sigma[k] = sorted[k].value;
        if (sigma[k] > least && have == k)
            have++;
    }
    work_put(w, order, places, (size_t)n * sizeof *places);
    work_put_reals(w, norms, sigma, n);
    factor = 1;
    if (v) { /* R' = X: the right vectors of A are the left ones of R' */
        work_each(w, "jacobi.h", "scaled_columns", n * n,
                  (void *[]){&n, &n, &x, &n, &order, &norms, &factor, &r, &n});
        if (have < n)
            complete(w, n, have, r);
        if (set->sort)
            work_each(w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &r, &n, &v, &ldv, &all});
    }
    if (!set->sort) { /* each goes back to where it was */
        for (int64_t k = 0; k < n; k++) {
            places[sorted[k].column] = k;
            sigma[sorted[k].column] = sorted[k].value;
        }
        work_put(w, order, places, (size_t)n * sizeof *places);
        if (v)
            work_each(w, "eigen.h", "gather", n * n, (void *[]){&n, &n, &r, &n, &order, &v, &ldv});
        for (int64_t k = 0; k < n; k++)
            places[k] = k;
        work_put(w, order, places, (size_t)n * sizeof *places);
    }
    if (u) { /* Q times the rotations, and whatever Q has beside */
        const int64_t both = columns < n ? columns : n;
        int64_t some = both;
        work_each(w, "util.h", "identity", m * columns, (void *[]){&m, &columns, &u, &ldu});
        work_each(w, "eigen.h", "gather", n * both,
                  (void *[]){&n, &some, &turn, &n, &order, &u, &ldu});
        qr_multiply(w, CUBLAS_SIDE_LEFT, false, m, columns, n, a, m, tau, u, ldu);
    }
    for (int64_t k = 0; k < n; k++)
        sigma[k] *= scale;
    work_put_reals(w, s, sigma, n);
    work_put(w, info, &bad, sizeof bad);
end:
    free(sigma);
    free(sorted);
    free(places);
}

static void either(struct work *w, int64_t m, int64_t n, void *a, struct jacobi *set, void *s,
                   void *u, int64_t columns, int64_t ldu, void *v, int64_t ldv, int *info)
{
    if (set->any_way && polar_suits(w, n)) {
        const double scale = work_largest(w, m, n, a, m);
        if (scale > 0 && isfinite(scale)) {
            polar_solve(w, m, n, a, scale, s, u, columns, ldu, v, ldv, info);
            return;
        }
    }
    solve(w, m, n, a, set, s, u, columns, ldu, v, ldv, info);
}

/* Of any matrix, which is left as it is: U's first ucols columns, V's first vcols (either NULL). */
void svd_solve(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, struct jacobi *set,
               void *s, void *u, int64_t ucols, int64_t ldu, void *v, int64_t vcols, int64_t ldv,
               int *info)
{
    int part = PART_ALL;
    if (!m || !n) {
        work_zero(w, info, sizeof *info);
        if (u)
            work_each(w, "util.h", "identity", m * ucols, (void *[]){&m, &ucols, &u, &ldu});
        if (v)
            work_each(w, "util.h", "identity", n * vcols, (void *[]){&n, &vcols, &v, &ldv});
        return;
    }
    void *x = work_elements(w, m * n);
    if (m >= n) {
        work_each(w, "util.h", "copy_part", m * n,
                  (void *[]){&m, &n, (void *)&a, &lda, &x, &m, &part});
        either(w, m, n, x, set, s, u, ucols, ldu, v, ldv, info);
    } else {
        work_each(w, "util.h", "adjoint", m * n, (void *[]){&m, &n, (void *)&a, &lda, &x, &n});
        either(w, n, m, x, set, s, v, vcols, ldv, u, ldu, info);
    }
}

/* ---- gesvd ---- */

static bool valid_job(signed char c)
{
    return c == 'A' || c == 'S' || c == 'O' || c == 'N';
}

/* How many columns a job asks for. */
static int64_t wanted(signed char job, int64_t rows, int64_t least)
{
    return job == 'A' ? rows : job == 'N' ? 0 : least;
}

static cusolverStatus_t gesvd(cusolverDnHandle_t handle, enum lib_type type, signed char jobu,
                              signed char jobvt, int64_t m, int64_t n, void *A, int64_t lda,
                              void *S, void *U, int64_t ldu, void *VT, int64_t ldvt, int *info)
{
    const int64_t least = m < n ? m : n;
    int64_t ucols = wanted(jobu, m, least), vcols = wanted(jobvt, n, least);
    SOLVER_CALL(handle, valid_job(jobu) && valid_job(jobvt) && !(jobu == 'O' && jobvt == 'O') &&
                            m >= 0 && n >= 0 && valid_ld(lda, m) && info &&
                            ((jobu != 'A' && jobu != 'S') || valid_ld(ldu, m)) &&
                            ((jobvt != 'A' && jobvt != 'S') || valid_ld(ldvt, vcols)));
    struct work w = work_begin(handle, type);
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1, .any_way = true};
    void *u = ucols ? work_elements(&w, m * ucols) : NULL;
    void *v = vcols ? work_elements(&w, n * vcols) : NULL;
    int part = PART_ALL;
    svd_solve(&w, m, n, A, lda, &set, S, u, ucols, m, v, vcols, n, info);
    if (u) {
        void *to = jobu == 'O' ? A : U;
        int64_t ld = jobu == 'O' ? lda : ldu;
        work_each(&w, "util.h", "copy_part", m * ucols,
                  (void *[]){&m, &ucols, &u, &m, &to, &ld, &part});
    }
    if (v) {
        void *to = jobvt == 'O' ? A : VT;
        int64_t ld = jobvt == 'O' ? lda : ldvt;
        work_each(&w, "util.h", "adjoint", n * vcols, (void *[]){&n, &vcols, &v, &n, &to, &ld});
    }
    return work_end(&w);
}

cusolverStatus_t solver_gesvd_size(cusolverDnHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, int *size)
{
    (void)type;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_gesvd(cusolverDnHandle_t handle, enum lib_type type, signed char jobu,
                              signed char jobvt, int64_t m, int64_t n, void *A, int64_t lda,
                              void *S, void *U, int64_t ldu, void *VT, int64_t ldvt,
                              void *workspace, int64_t size, void *rwork, int *info)
{
    (void)workspace;
    (void)size;
    (void)rwork;
    return gesvd(handle, type, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, info);
}

/* The types of a call of the 64-bit API: one for elements, and one for singular values. */
static bool types_of(cudaDataType a, cudaDataType s, cudaDataType u, cudaDataType v,
                     cudaDataType compute, enum lib_type *type)
{
    enum lib_type values;
    if (!solver_type(a, type) || !solver_type(s, &values) || u != a || v != a || compute != a)
        return false;
    return values == (*type == LIB_F32 || *type == LIB_C32 ? LIB_F32 : LIB_F64);
}

static cusolverStatus_t sizes(cusolverDnHandle_t handle, bool right, bool types, size_t *onDevice,
                              size_t *onHost)
{
    SOLVER_CALL(handle, right && onDevice && onHost);
    if (!types)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt,
    int64_t m, int64_t n, cudaDataType typeA, const void *A, int64_t lda, cudaDataType typeS,
    const void *S, cudaDataType typeU, const void *U, int64_t ldu, cudaDataType typeVT,
    const void *VT, int64_t ldvt, cudaDataType computeType, size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params, (void)A, (void)S, (void)U, (void)ldu, (void)VT, (void)ldvt;
    return sizes(handle,
                 valid_job(jobu) && valid_job(jobvt) && m >= 0 && n >= 0 && valid_ld(lda, m),
                 types_of(typeA, typeS, typeU, typeVT, computeType, &type), onDevice, onHost);
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                  cudaDataType typeA, void *A, int64_t lda, cudaDataType typeS,
                                  void *S, cudaDataType typeU, void *U, int64_t ldu,
                                  cudaDataType typeVT, void *VT, int64_t ldvt,
                                  cudaDataType computeType, void *onDevice, size_t deviceBytes,
                                  void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params, (void)onDevice, (void)deviceBytes, (void)onHost, (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!types_of(typeA, typeS, typeU, typeVT, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return gesvd(handle, type, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, info);
}

/* ---- gesvdj: V instead of V', all or as many columns as there are singular values ---- */

static bool valid_gesvdj(cusolverEigMode_t jobz, int64_t econ, int64_t m, int64_t n, int64_t lda,
                         int64_t ldu, int64_t ldv)
{
    return (jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR) &&
           (econ == 0 || econ == 1) && m >= 0 && n >= 0 && valid_ld(lda, m) &&
           (jobz == CUSOLVER_EIG_MODE_NOVECTOR || (valid_ld(ldu, m) && valid_ld(ldv, n)));
}

static cusolverStatus_t gesvdj(cusolverDnHandle_t handle, enum lib_type type,
                               cusolverEigMode_t jobz, int64_t econ, int64_t m, int64_t n, void *A,
                               int64_t lda, void *S, void *U, int64_t ldu, void *V, int64_t ldv,
                               int *info, struct jacobi *set)
{
    SOLVER_CALL(handle, valid_gesvdj(jobz, econ, m, n, lda, ldu, ldv) && info && set);
    struct work w = work_begin(handle, type);
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    const int64_t least = m < n ? m : n;
    svd_solve(&w, m, n, A, lda, set, S, vectors ? U : NULL, econ ? least : m, ldu,
              vectors ? V : NULL, econ ? least : n, ldv, info);
    return work_end(&w);
}

cusolverStatus_t solver_gesvdj_size(cusolverDnHandle_t handle, enum lib_type type,
                                    cusolverEigMode_t jobz, int64_t econ, int64_t m, int64_t n,
                                    const void *A, int64_t lda, const void *S, const void *U,
                                    int64_t ldu, const void *V, int64_t ldv, int *size,
                                    gesvdjInfo_t params)
{
    (void)type, (void)A, (void)S, (void)U, (void)V;
    SOLVER_CALL(handle, valid_gesvdj(jobz, econ, m, n, lda, ldu, ldv) && size && params);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_gesvdj(cusolverDnHandle_t handle, enum lib_type type,
                               cusolverEigMode_t jobz, int64_t econ, int64_t m, int64_t n, void *A,
                               int64_t lda, void *S, void *U, int64_t ldu, void *V, int64_t ldv,
                               void *workspace, int64_t size, int *info, gesvdjInfo_t params)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, params);
    return gesvdj(handle, type, jobz, econ, m, n, A, lda, S, U, ldu, V, ldv, info, &params->set);
}

cusolverStatus_t cusolverDnXgesvdp_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ,
    int64_t m, int64_t n, cudaDataType typeA, const void *A, int64_t lda, cudaDataType typeS,
    const void *S, cudaDataType typeU, const void *U, int64_t ldu, cudaDataType typeV,
    const void *V, int64_t ldv, cudaDataType computeType, size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params, (void)A, (void)S, (void)U, (void)V;
    return sizes(handle, valid_gesvdj(jobz, econ, m, n, lda, ldu, ldv),
                 types_of(typeA, typeS, typeU, typeV, computeType, &type), onDevice, onHost);
}

/* The polar decomposition's error in singular values: there is none, they come from rotations. */
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
                                   cudaDataType typeA, void *A, int64_t lda, cudaDataType typeS,
                                   void *S, cudaDataType typeU, void *U, int64_t ldu,
                                   cudaDataType typeV, void *V, int64_t ldv,
                                   cudaDataType computeType, void *onDevice, size_t deviceBytes,
                                   void *onHost, size_t hostBytes, int *info, double *error)
{
    enum lib_type type;
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1, .any_way = true};
    (void)params, (void)onDevice, (void)deviceBytes, (void)onHost, (void)hostBytes;
    SOLVER_CALL(handle, error);
    if (!types_of(typeA, typeS, typeU, typeV, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *error = 0;
    return gesvdj(handle, type, jobz, econ, m, n, A, lda, S, U, ldu, V, ldv, info, &set);
}

/* ---- the largest few ---- */

static bool valid_gesvdr(signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k,
                         int64_t p, int64_t lda, int64_t ldu, int64_t ldv)
{
    const int64_t least = m < n ? m : n;
    return (jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N') && m >= 0 && n >= 0 &&
           k >= 0 && p >= 0 && k + p <= least && valid_ld(lda, m) &&
           (jobu == 'N' || valid_ld(ldu, m)) && (jobv == 'N' || valid_ld(ldv, n));
}

cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              signed char jobu, signed char jobv, int64_t m,
                                              int64_t n, int64_t k, int64_t p, int64_t niters,
                                              cudaDataType typeA, const void *A, int64_t lda,
                                              cudaDataType typeS, const void *S, cudaDataType typeU,
                                              const void *U, int64_t ldu, cudaDataType typeV,
                                              const void *V, int64_t ldv, cudaDataType computeType,
                                              size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params, (void)niters, (void)A, (void)S, (void)U, (void)V;
    return sizes(handle, valid_gesvdr(jobu, jobv, m, n, k, p, lda, ldu, ldv),
                 types_of(typeA, typeS, typeU, typeV, computeType, &type), onDevice, onHost);
}

/* NVIDIA's takes samples; ours takes the first k of all, which are exact. */
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   signed char jobu, signed char jobv, int64_t m, int64_t n,
                                   int64_t k, int64_t p, int64_t niters, cudaDataType typeA,
                                   void *A, int64_t lda, cudaDataType typeS, void *S,
                                   cudaDataType typeU, void *U, int64_t ldu, cudaDataType typeV,
                                   void *V, int64_t ldv, cudaDataType computeType, void *onDevice,
                                   size_t deviceBytes, void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params, (void)niters, (void)onDevice, (void)deviceBytes, (void)onHost, (void)hostBytes;
    SOLVER_CALL(handle, valid_gesvdr(jobu, jobv, m, n, k, p, lda, ldu, ldv) && info);
    if (!types_of(typeA, typeS, typeU, typeV, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    svd_first(&w, m, n, k, A, lda, S, jobu == 'S' ? U : NULL, ldu, jobv == 'S' ? V : NULL, ldv,
              info);
    return work_end(&w);
}

/* The first k singular values and vectors. */
void svd_first(struct work *w, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, void *s,
               void *u, int64_t ldu, void *v, int64_t ldv, int *info)
{
    const int64_t least = m < n ? m : n;
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1, .any_way = true};
    void *all = work_reals(w, least), *left = u ? work_elements(w, m * least) : NULL;
    void *right = v ? work_elements(w, n * least) : NULL;
    int part = PART_ALL;
    svd_solve(w, m, n, a, lda, &set, all, left, least, m, right, least, n, info);
    work_copy(w, s, all, (size_t)k * lib_types[w->real].bytes);
    if (u)
        work_each(w, "util.h", "copy_part", m * k, (void *[]){&m, &k, &left, &m, &u, &ldu, &part});
    if (v)
        work_each(w, "util.h", "copy_part", n * k, (void *[]){&n, &k, &right, &n, &v, &ldv, &part});
}

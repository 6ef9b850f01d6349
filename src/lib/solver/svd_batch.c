/* Singular values of many matrices. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/singular.h"

#include <math.h>

static bool valid_mode(cusolverEigMode_t m)
{
    return m == CUSOLVER_EIG_MODE_NOVECTOR || m == CUSOLVER_EIG_MODE_VECTOR;
}

/* ---- gesvdjBatched: one block a matrix ---- */

static bool valid(cusolverEigMode_t jobz, int64_t m, int64_t n, int64_t lda, int64_t ldu,
                  int64_t ldv, int64_t count)
{
    return valid_mode(jobz) && m >= 0 && n >= 0 && valid_ld(lda, m) && count >= 0 &&
           (jobz == CUSOLVER_EIG_MODE_NOVECTOR || (valid_ld(ldu, m) && valid_ld(ldv, n)));
}

cusolverStatus_t solver_gesvdj_batched_size(cusolverDnHandle_t handle, enum lib_type type,
                                            cusolverEigMode_t jobz, int64_t m, int64_t n,
                                            const void *A, int64_t lda, const void *S,
                                            const void *U, int64_t ldu, const void *V, int64_t ldv,
                                            int *size, gesvdjInfo_t params, int64_t count)
{
    (void)type, (void)A, (void)S, (void)U, (void)V;
    SOLVER_CALL(handle, valid(jobz, m, n, lda, ldu, ldv, count) && size && params);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_gesvdj_batched(cusolverDnHandle_t handle, enum lib_type type,
                                       cusolverEigMode_t jobz, int64_t m, int64_t n, void *A,
                                       int64_t lda, void *S, void *U, int64_t ldu, void *V,
                                       int64_t ldv, void *workspace, int64_t size, int *info,
                                       gesvdjInfo_t params, int64_t count)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, valid(jobz, m, n, lda, ldu, ldv, count) && info && params);
    struct work w = work_begin(handle, type);
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    int64_t rows = m > n ? m : n, cols = m > n ? n : m;
    int64_t ustep = ldu * m, vstep = ldv * n;
    int adjoint = m < n, sort = params->set.sort;
    double tolerance = jacobi_tolerance(&w, &params->set) * sqrt((double)rows);
    void *report = work_reals(&w, 2 * count), *left = vectors ? U : NULL,
         *right = vectors ? V : NULL;
    if (lib_in_registers(&handle->device) && rows <= 2 * NEAR_SVD_HALF && cols > 0) {
        int height = (int)rows, width = (int)cols;
        work_run(&w, "jacobi_near.h", "svd_near", count, SOLVER_THREADS,
                 (void *[]){&height, &width, &A, &lda, &adjoint, &tolerance, &params->set.sweeps,
                            &sort, &S, adjoint ? &right : &left, adjoint ? &ldv : &ldu,
                            adjoint ? &vstep : &ustep, adjoint ? &left : &right,
                            adjoint ? &ldu : &ldv, adjoint ? &ustep : &vstep, &report, &info});
        return work_end(&w);
    }
    if (handle->device.host_path && !lib_types[type].complex && cols > 0 && count > 0) {
        const struct host_turns g = {.rows = rows,
                                     .cols = cols,
                                     .a = A,
                                     .lda = lda,
                                     .adjoint = adjoint,
                                     .sort = sort,
                                     .tolerance = tolerance,
                                     .sweeps = params->set.sweeps,
                                     .values = S,
                                     .u = adjoint ? right : left,
                                     .ldu = adjoint ? ldv : ldu,
                                     .ustep = adjoint ? vstep : ustep,
                                     .v = adjoint ? left : right,
                                     .ldv = adjoint ? ldu : ldv,
                                     .vstep = adjoint ? ustep : vstep,
                                     .info = info};
        host_turns(&w, &g, count);
        return work_end(&w);
    }
    void *x = work_elements(&w, rows * cols * count), *v = work_elements(&w, cols * cols * count);
    if (cols > 0)
        work_run(&w, "jacobi.h", "svd_small", count, SOLVER_THREADS,
                 adjoint ? (void *[]){&rows, &cols, &A, &lda, &adjoint, &x, &v, &tolerance,
                                      &params->set.sweeps, &sort, &S, &right, &ldv, &vstep, &left,
                                      &ldu, &ustep, &report, &info}
                         : (void *[]){&rows, &cols, &A, &lda, &adjoint, &x, &v, &tolerance,
                                      &params->set.sweeps, &sort, &S, &left, &ldu, &ustep, &right,
                                      &ldv, &vstep, &report, &info});
    return work_end(&w);
}

/* ---- gesvda: the first `rank` of each of tall matrices ---- */

static bool valid_gesvda(cusolverEigMode_t jobz, int64_t rank, int64_t m, int64_t n, int64_t lda,
                         int64_t ldu, int64_t ldv, int64_t count)
{
    return valid(jobz, m, n, lda, ldu, ldv, count) && rank >= 1 && rank <= (m < n ? m : n);
}

cusolverStatus_t solver_gesvda_strided_size(cusolverDnHandle_t handle, enum lib_type type,
                                            cusolverEigMode_t jobz, int64_t rank, int64_t m,
                                            int64_t n, const void *A, int64_t lda,
                                            long long int astep, const void *S, long long int sstep,
                                            const void *U, int64_t ldu, long long int ustep,
                                            const void *V, int64_t ldv, long long int vstep,
                                            int *size, int64_t count)
{
    (void)type, (void)A, (void)astep, (void)S, (void)sstep, (void)U, (void)ustep, (void)V,
        (void)vstep;
    SOLVER_CALL(handle, valid_gesvda(jobz, rank, m, n, lda, ldu, ldv, count) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

/* |A - U S V'|, from the squares of all elements and of the singular values that are kept would
 * cancel: it is computed. */
static double distance(struct work *w, int64_t rank, int64_t m, int64_t n, const void *a,
                       int64_t lda, const void *s, const void *u, int64_t ldu, const void *v,
                       int64_t ldv)
{
    void *x = work_elements(w, m * n), *us = work_elements(w, m * rank), *norms = work_reals(w, n);
    double norm[1] = {0};
    int part = PART_ALL;
    int64_t one = 1, all = m * n;
    work_each(w, "util.h", "copy_part", m * n, (void *[]){&m, &n, (void *)&a, &lda, &x, &m, &part});
    work_each(w, "util.h", "columns_times", m * rank,
              (void *[]){&m, &rank, (void *)&u, &ldu, (void *)&s, &us, &m});
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, m, n, rank, -1, us, m, v, ldv, 1, x, m);
    work_run(w, "jacobi.h", "column_norms", one, SOLVER_THREADS,
             (void *[]){&all, &x, &all, &norms});
    work_get_reals(w, norm, norms, 1);
    return norm[0];
}

cusolverStatus_t solver_gesvda_strided(cusolverDnHandle_t handle, enum lib_type type,
                                       cusolverEigMode_t jobz, int64_t rank, int64_t m, int64_t n,
                                       const void *A, int64_t lda, long long int astep, void *S,
                                       long long int sstep, void *U, int64_t ldu,
                                       long long int ustep, void *V, int64_t ldv,
                                       long long int vstep, void *workspace, int64_t size,
                                       int *info, double *norms, int64_t count)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, valid_gesvda(jobz, rank, m, n, lda, ldu, ldv, count) && info);
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    for (int64_t k = 0; k < count; k++) {
        struct work w = work_begin(handle, type);
        const void *a = work_at(&w, A, 0, k * astep, 0);
        void *s = (char *)S + (size_t)(k * sstep) * lib_types[w.real].bytes;
        void *u = work_at(&w, U, 0, k * ustep, 0), *v = work_at(&w, V, 0, k * vstep, 0);
        svd_first(&w, m, n, rank, a, lda, s, vectors ? u : NULL, ldu, vectors ? v : NULL, ldv,
                  info + k);
        if (norms && vectors)
            norms[k] = distance(&w, rank, m, n, a, lda, s, u, ldu, v, ldv);
        const cusolverStatus_t status = work_end(&w);
        if (status != CUSOLVER_STATUS_SUCCESS)
            return status;
    }
    return CUSOLVER_STATUS_SUCCESS;
}

/* Symmetric matrices that need not be definite: L D L'. See device/solver/indefinite.h. */
#include "lib/solver/solver_int.h"

cusolverStatus_t solver_sytrf_size(cusolverDnHandle_t handle, enum lib_type type, int64_t n,
                                   void *A, int64_t lda, int *size)
{
    (void)type;
    (void)A;
    SOLVER_CALL(handle, n >= 0 && valid_ld(lda, n) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_sytrf(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, int *pivots, void *workspace,
                              int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    work_run(&w, "indefinite.h", "sytrf", 1, SOLVER_THREADS,
             (void *[]){&n, &A, &lda, &upper, &pivots, &info});
    return work_end(&w);
}

static void solve(struct work *w, bool wide, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                  const void *a, int64_t lda, const void *pivots, void *b, int64_t ldb)
{
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    work_each(w, "indefinite.h", wide ? "sytrs_wide" : "sytrs", nrhs,
              (void *[]){&n, &nrhs, (void *)&a, &lda, &upper, (void *)&pivots, &b, &ldb});
}

cusolverStatus_t solver_sytri_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                   const int *pivots, int *size)
{
    (void)pivots;
    SOLVER_CALL(handle, valid_fill(uplo));
    return solver_sytrf_size(handle, type, n, A, lda, size);
}

/* The triangle of the inverse. */
cusolverStatus_t solver_sytri(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, const int *pivots, void *workspace,
                              int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    int64_t ldx = n > 0 ? n : 1;
    int part = uplo == CUBLAS_FILL_MODE_UPPER ? PART_UPPER : PART_LOWER;
    void *x = work_elements(&w, n * n);
    work_zero(&w, info, sizeof *info);
    work_each(&w, "util.h", "identity", n * n, (void *[]){&n, &n, &x, &ldx});
    solve(&w, false, uplo, n, n, A, lda, pivots, x, ldx);
    work_each(&w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &x, &ldx, &A, &lda, &part});
    return work_end(&w);
}

cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             int64_t n, int64_t nrhs, cudaDataType typeA,
                                             const void *A, int64_t lda, const int64_t *pivots,
                                             cudaDataType typeB, void *B, int64_t ldb,
                                             size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)A;
    (void)pivots;
    (void)B;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && onDevice && onHost);
    if (!solver_type(typeA, &type) || typeB != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n,
                                  int64_t nrhs, cudaDataType typeA, const void *A, int64_t lda,
                                  const int64_t *pivots, cudaDataType typeB, void *B, int64_t ldb,
                                  void *onDevice, size_t deviceBytes, void *onHost,
                                  size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && info);
    if (!solver_type(typeA, &type) || typeB != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    work_zero(&w, info, sizeof *info);
    solve(&w, true, uplo, n, nrhs, A, lda, pivots, B, ldb);
    return work_end(&w);
}

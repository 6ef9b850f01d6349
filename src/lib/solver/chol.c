/* Cholesky's factorisation: by halves, until a block fits into one kernel. */
#include "lib/solver/solver_int.h"

enum { BLOCK = 32 }; /* as device/solver/chol.h */

static void factor(struct work *w, bool upper, int64_t n, void *a, int64_t lda, int *info,
                   int64_t base)
{
    if (n <= BLOCK) {
        int rows = (int)n, up = upper;
        work_run(w, "chol.h", "potrf_block", n > 0, BLOCK,
                 (void *[]){&rows, &a, &lda, &up, &info, &base});
        return;
    }
    const int64_t left = solver_half(n, BLOCK), right = n - left;
    void *next = work_at(w, a, lda, left, left);
    factor(w, upper, left, a, lda, info, base);
    if (upper) {
        void *beside = work_at(w, a, lda, 0, left);
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                  left, right, a, lda, beside, lda);
        work_herk(w, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, right, left, -1, beside, lda, next, lda);
    } else {
        void *below = work_at(w, a, lda, left, 0);
        work_trsm(w, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                  right, left, a, lda, below, lda);
        work_herk(w, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, right, left, -1, below, lda, next, lda);
    }
    factor(w, upper, right, next, lda, info, base + left);
}

void chol_factor(struct work *w, cublasFillMode_t uplo, int64_t n, void *a, int64_t lda, int *info)
{
    work_zero(w, info, sizeof *info);
    factor(w, uplo == CUBLAS_FILL_MODE_UPPER, n, a, lda, info, 0);
}

static void solve(struct work *w, cublasFillMode_t uplo, int64_t n, int64_t nrhs, const void *a,
                  int64_t lda, void *b, int64_t ldb, int *info)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const cublasOperation_t first = upper ? CUBLAS_OP_C : CUBLAS_OP_N;
    const cublasOperation_t second = upper ? CUBLAS_OP_N : CUBLAS_OP_C;
    work_trsm(w, CUBLAS_SIDE_LEFT, uplo, first, CUBLAS_DIAG_NON_UNIT, n, nrhs, a, lda, b, ldb);
    work_trsm(w, CUBLAS_SIDE_LEFT, uplo, second, CUBLAS_DIAG_NON_UNIT, n, nrhs, a, lda, b, ldb);
    work_zero(w, info, sizeof *info);
}

/* ---- the calls ---- */

cusolverStatus_t solver_potrf_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                   int *size)
{
    (void)type;
    (void)A;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_potrf(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, void *workspace, int64_t size,
                              int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    chol_factor(&w, uplo, n, A, lda, info);
    return work_end(&w);
}

cusolverStatus_t solver_potrs(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, int64_t nrhs, const void *A, int64_t lda, void *B,
                              int64_t ldb, int *info)
{
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && info);
    struct work w = work_begin(handle, type);
    solve(&w, uplo, n, nrhs, A, lda, B, ldb, info);
    return work_end(&w);
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType typeA,
                                             const void *A, int64_t lda, cudaDataType computeType,
                                             size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)A;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && onDevice && onHost);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = 16;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType typeA, void *A,
                                  int64_t lda, cudaDataType computeType, void *onDevice,
                                  size_t deviceBytes, void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return solver_potrf(handle, type, uplo, n, A, lda, onDevice, (int64_t)deviceBytes, info);
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType typeA, const void *A, int64_t lda,
                                  cudaDataType typeB, void *B, int64_t ldb, int *info)
{
    enum lib_type type;
    (void)params;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || typeB != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return solver_potrs(handle, type, uplo, n, nrhs, A, lda, B, ldb, info);
}

/* Level 3: gemm. */
#include "lib/blas/blas_int.h"

static bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

cublasStatus_t blas_gemm(cublasHandle_t h, enum lib_type t, cublasOperation_t transa,
                         cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                         const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                         const void *beta, void *C, int64_t ldc)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_op(transa) || !valid_op(transb) || m < 0 || n < 0 || k < 0 || !alpha || !beta ||
        lda < at_least_one(transa == CUBLAS_OP_N ? m : k) ||
        ldb < at_least_one(transb == CUBLAS_OP_N ? k : n) || ldc < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_product p = {.a = blas_matrix(A, lda, transa),
                             .b = blas_matrix(B, ldb, transb),
                             .c = C,
                             .d = C,
                             .c_row = 1,
                             .c_col = ldc,
                             .d_row = 1,
                             .d_col = ldc,
                             .m = m,
                             .n = n,
                             .k = k};
    blas_scalar(h, t, alpha, &p.alpha, p.alpha_value);
    blas_scalar(h, t, beta, &p.beta, p.beta_value);
    const struct blas_types types = {.a = t, .b = t, .c = t, .sum = t, .scale = t};
    return blas_status(blas_product(h, &types, &p, 1));
}

/* Beside cuBLAS: calls of Tern's own, with -lcublas. Doubles as pairs of floats, for devices whose doubles are slow or none; products of halves whose
 * results are floats. Everything is done in the order of the handle's stream. Only for host code. */
#pragma once
#include "cublas_v2.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How doubles are computed. They lie in memory as ever; a pair has 48 bits and the range of a float. */
typedef enum {
    TERN_DOUBLE_ANY,   /* as the device is faster */
    TERN_DOUBLE_EXACT, /* by the device's own instructions, or by integers where it has none */
    TERN_DOUBLE_PAIRS
} ternDouble_t;

/* What TERN_DOUBLE_ANY is on this device, and sums and products of floats in the time of one of doubles: of the device's profile, as `tern
 * devices` shows it; where that has none, measured (which waits for the device, a few milliseconds) and kept. 1 on processors, 0 where there
 * are no doubles. Either pointer may be NULL. */
cublasStatus_t ternDoubleRate(cublasHandle_t handle, double *rate, ternDouble_t *any);

/* C = alpha op(A) op(B) + beta C, as cublasDgemm. alpha and beta are the host's. */
cublasStatus_t ternDgemm(cublasHandle_t handle, ternDouble_t how, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                         double alpha, const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc);

/* y[i] = function(x[i]); x and y may be the same. X(NAME, name in kernels) */
#define TERN_DOUBLE_FUNCTIONS(X) \
    X(SQRT, sqrt) X(EXP, exp) X(EXP2, exp2) X(EXPM1, expm1) X(LOG, log) X(LOG2, log2) X(LOG10, log10) X(LOG1P, log1p) X(SIN, sin) X(COS, cos) \
    X(TAN, tan) X(ASIN, asin) X(ACOS, acos) X(ATAN, atan) X(SINH, sinh) X(COSH, cosh) X(TANH, tanh) X(ERF, erf) X(CBRT, cbrt)
#define TERN_DOUBLE_ENUMERATOR(NAME, name) TERN_DOUBLE_##NAME,
typedef enum { TERN_DOUBLE_FUNCTIONS(TERN_DOUBLE_ENUMERATOR) TERN_DOUBLE_FUNCTION_COUNT } ternDoubleFunction_t;
#undef TERN_DOUBLE_ENUMERATOR
cublasStatus_t ternDoubleMath(cublasHandle_t handle, ternDouble_t how, ternDoubleFunction_t function, int64_t n, const double *x, double *y);

/* Of vectors of __half (type CUDA_R_16F) or __nv_bfloat16 (CUDA_R_16BF), without gaps: *result = sum of x[i] y[i], summed in float. result is of the
 * host or of the device, as the handle's pointer mode says. */
cublasStatus_t ternHalfDot(cublasHandle_t handle, cudaDataType type, int64_t n, const void *x, const void *y, float *result);
/* y = alpha op(A) x + beta y: A of m rows by columns, x of halves, y of floats; sums are floats. alpha and beta are the host's. */
cublasStatus_t ternHalfGemv(cublasHandle_t handle, cudaDataType type, cublasOperation_t trans, int64_t m, int64_t n, float alpha, const void *A,
                            int64_t lda, const void *x, float beta, float *y);

#ifdef __cplusplus
}
#endif

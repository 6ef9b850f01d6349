/* Beside cuSOLVER: calls of Tern's own, with -lcusolver. Matrices lie by columns in device memory, elements are of `type`: CUDA_R_32F, CUDA_R_64F,
 * CUDA_C_32F or CUDA_C_64F. Everything is done in the order of the handle's stream; calls that say so wait for it. info is of the device. Only for
 * host code. */
#pragma once
#include "cusolverDn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eigenvalues of `count` Hermitian matrices whose triangles are packed as LAPACK packs them, n (n + 1) / 2 elements each, one after the other; by
 * rotations, and the same to the last bit as those of cusolverDnXsyevBatched. Values ascend, n for each matrix. Vectors go to V, ldv n elements
 * apart; NULL: values alone. */
cusolverStatus_t ternEigenPacked(cusolverDnHandle_t handle, cudaDataType type, cublasFillMode_t uplo, int64_t n, const void *AP, void *W, void *V,
                                 int64_t ldv, int *info, int64_t count);

/* B becomes the solution of A X = B for each of `count` matrices of one band, so many elements apart: element (i, j) of A lies at
 * [upper + i - j + j lda], lda > lower + upper, as LAPACK has it. Rows are exchanged for the largest pivots; A stays. info[k]: the first pivot that
 * is 0, from 1. A block of threads does a system. */
cusolverStatus_t ternBandSolve(cusolverDnHandle_t handle, cudaDataType type, int64_t n, int64_t lower, int64_t upper, int64_t nrhs, const void *A,
                               int64_t lda, int64_t stride, void *B, int64_t ldb, int64_t strideB, int *info, int64_t count);
/* The same for matrices of three diagonals: dl[i], d[i] and du[i] are in row i, and dl[0] and du[n - 1] are not read. */
cusolverStatus_t ternTridiagonalSolve(cusolverDnHandle_t handle, cudaDataType type, int64_t n, int64_t nrhs, const void *dl, const void *d,
                                      const void *du, int64_t stride, void *B, int64_t ldb, int64_t strideB, int *info, int64_t count);

/* A becomes its inverse. info: the first pivot that is 0, from 1; A is then spent. */
cusolverStatus_t ternInverse(cusolverDnHandle_t handle, cudaDataType type, int64_t n, void *A, int64_t lda, int *info);
/* The determinant is (mantissa[0] + i mantissa[1]) 2^exponent; the larger part of the mantissa is from 0.5 to 1, or both are 0. Waits. */
cusolverStatus_t ternDeterminant(cusolverDnHandle_t handle, cudaDataType type, int64_t n, const void *A, int64_t lda, double mantissa[2],
                                 int64_t *exponent);
/* How many singular values are above tolerance times the largest; below 0: what rounding leaves, the larger of m and n times the type's epsilon.
 * Waits. */
cusolverStatus_t ternRank(cusolverDnHandle_t handle, cudaDataType type, int64_t m, int64_t n, const void *A, int64_t lda, double tolerance,
                          int64_t *rank);

typedef enum {
    TERN_LEAST_SQUARES_QR, /* full rank: info says the first 0 on R's diagonal, from 1 */
    TERN_LEAST_SQUARES_SVD /* any rank; waits */
} ternLeastSquares_t;
/* The X of the least norm for which that of B - A X is least. B has max(m, n) rows, of which m are given, and the first n become X. For SVD,
 * tolerance and rank are as ternRank has them; rank may be NULL. A stays. */
cusolverStatus_t ternLeastSquares(cusolverDnHandle_t handle, cudaDataType type, ternLeastSquares_t how, int64_t m, int64_t n, int64_t nrhs,
                                  const void *A, int64_t lda, void *B, int64_t ldb, double tolerance, int64_t *rank, int *info);

typedef enum {
    TERN_MATRIX_EXP,
    TERN_MATRIX_LOG,   /* the principal one, as is the root: no eigenvalue is 0 or below */
    TERN_MATRIX_SQRT,
    TERN_MATRIX_SIGN,  /* no eigenvalue is imaginary */
    TERN_MATRIX_POWER, /* the parameter-th: a whole number, or any for Hermitian ones */
    TERN_MATRIX_SIN,   /* the rest: Hermitian ones alone */
    TERN_MATRIX_COS,
    TERN_MATRIX_TANH,
    TERN_MATRIX_FUNCTION_COUNT
} ternMatrixFunction_t;
/* F = function(A); F may be A. info: not 0 where the function is not defined or its iteration does not converge, and then F is spent. Waits. */
cusolverStatus_t ternMatrixFunction(cusolverDnHandle_t handle, cudaDataType type, ternMatrixFunction_t function, double parameter, int64_t n,
                                    const void *A, int64_t lda, void *F, int64_t ldf, int *info);
/* The same for a Hermitian matrix, of which one triangle is read, by its eigenvalues; F is all of it. info: the first eigenvalue, from 1, that the
 * function is not defined for. */
cusolverStatus_t ternHermitianFunction(cusolverDnHandle_t handle, cudaDataType type, cublasFillMode_t uplo, ternMatrixFunction_t function,
                                       double parameter, int64_t n, const void *A, int64_t lda, void *F, int64_t ldf, int *info);

#ifdef __cplusplus
}
#endif

/* Of products, what cuBLAS has no name for and other libraries of ours need. */
#ifndef LIB_BLAS_PART_H
#define LIB_BLAS_PART_H

#include "lib/lib.h"
#include "cuda/cublas_api.h"

/* C, n columns of a lower triangle from one of its rows on, less A times the transpose of A's first
 * n rows: C is m by n, A m by k; above the diagonal nothing is touched. upper: of what lies
 * transposed, C n by m, A k by m. */
enum tern_error blas_take_off(cublasHandle_t h, enum lib_type t, bool upper, int64_t m, int64_t n,
                              int64_t k, const void *A, int64_t lda, void *C, int64_t ldc);

/* What calculates c = alpha a b + beta c on this CPU, in the thread that calls it: matrices as they
 * are stored, a and c by columns, b's elements row and col apart; c may be no part of a or b. */
typedef void blas_loops_f32(int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                            int64_t lda, const float *b, int64_t row, int64_t col, float beta,
                            float *c, int64_t ld);
typedef void blas_loops_f64(int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                            int64_t lda, const double *b, int64_t row, int64_t col, double beta,
                            double *c, int64_t ld);
blas_loops_f32 *blas_small_f32(void);
blas_loops_f64 *blas_small_f64(void);

#endif

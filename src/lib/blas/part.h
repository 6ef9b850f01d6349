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

#endif

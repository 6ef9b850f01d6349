/* Products for plans of tern.h: of matrices by rows, without a handle. */
#ifndef LIB_BLAS_BY_ROWS_H
#define LIB_BLAS_BY_ROWS_H

#include "lib/lib.h"

enum tern_error blas_by_rows(const struct lib_device *d, cudaStream_t stream, enum lib_type type,
                             const struct tern_gemm *g, const void *a, const void *b, void *c,
                             const void *bias);

#endif

/* The API without handles (cublas.h), whose functions have names that cublas_v2.h gives to others:
 * included last, by those who define them. */
#ifndef LIB_BLAS_OLD_H
#define LIB_BLAS_OLD_H

#include "lib/blas/blas_int.h"

cublasHandle_t blas_old_handle(void);
void blas_old_end(cublasStatus_t s);

/* Letters, as BLAS has them; what is none becomes what no function takes. */
static inline cublasOperation_t blas_old_operation(char c)
{
    return c == 'N' || c == 'n'   ? CUBLAS_OP_N
           : c == 'T' || c == 't' ? CUBLAS_OP_T
           : c == 'C' || c == 'c' ? CUBLAS_OP_C
                                  : CUBLAS_OP_CONJG;
}

static inline cublasFillMode_t blas_old_fillmode(char c)
{
    return c == 'U' || c == 'u'   ? CUBLAS_FILL_MODE_UPPER
           : c == 'L' || c == 'l' ? CUBLAS_FILL_MODE_LOWER
                                  : CUBLAS_FILL_MODE_FULL;
}

static inline cublasDiagType_t blas_old_diagtype(char c)
{
    return c == 'U' || c == 'u'   ? CUBLAS_DIAG_UNIT
           : c == 'N' || c == 'n' ? CUBLAS_DIAG_NON_UNIT
                                  : (cublasDiagType_t)2;
}

static inline cublasSideMode_t blas_old_sidemode(char c)
{
    return c == 'L' || c == 'l'   ? CUBLAS_SIDE_LEFT
           : c == 'R' || c == 'r' ? CUBLAS_SIDE_RIGHT
                                  : (cublasSideMode_t)2;
}

#include "cuda/tern_cublas_old.h"

#endif

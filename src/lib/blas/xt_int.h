/* Level 3 on matrices of the host's; see xt.c. */
#ifndef LIB_BLAS_XT_INT_H
#define LIB_BLAS_XT_INT_H

#include "lib/blas/blas_int.h"
#include "cuda/cublasXt.h"

#include "lib_cublasXt.h"

#endif

/* Matrices of level 2 as data: how they are stored, and which elements are. C and CUDA C++. */
#pragma once
#include "device/blas/product.h"

enum { BLAS_FULL, BLAS_BAND, BLAS_PACKED };

struct blas_stored {
    const void *p;
    long long ld, rows, cols; /* of the matrix as it is stored */
    long long below, above;   /* band: diagonals below and above the main one */
    int storage, kind;        /* BLAS_GENERAL … BLAS_TRIANGULAR */
    int upper, unit;
    int trans, conj; /* op */
};

/* y = alpha * op(A) * x + beta * y */
struct blas_matvec {
    struct blas_stored a;
    const void *x;
    void *y;
    long long incx, incy;
    const void *alpha, *beta;
    double alpha_value[2], beta_value[2];
};

/* A += alpha * x * y' (+ conj(alpha) * y * x'), of one triangle or of all */
struct blas_rank {
    void *a;
    long long ld, rows, cols;
    const void *x, *y;
    long long incx, incy;
    const void *alpha;
    double alpha_value[2];
    int storage, part; /* BLAS_WHOLE … */
    int conj, twice, real_diagonal, real_alpha;
};

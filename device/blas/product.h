/* A product of matrices as data: what the host side of the library gives to kernels and to its own loops. C and CUDA C++.
 *
 *     D = alpha * op(A) * op(B) + beta * C,  then the epilogue
 *
 * Elements are addressed by two distances, so transposition is an exchange of distances. */
#pragma once

/* What an operand is: which elements are stored, and what the others are. */
enum { BLAS_GENERAL, BLAS_SYMMETRIC, BLAS_HERMITIAN, BLAS_TRIANGULAR };
/* Which part of the result is wanted. */
enum { BLAS_WHOLE, BLAS_UPPER, BLAS_LOWER };
/* What is done to an element of the result, in this order: + bias, activation. */
enum { BLAS_NOTHING, BLAS_RELU, BLAS_GELU, BLAS_DRELU, BLAS_DGELU };

struct blas_operand {
    const void *p;      /* or, array: pointers to the matrices of a batch, in device memory */
    long long row, col; /* elements from one row, one column of op(X) to the next */
    long long stride;   /* elements from one matrix of a batch to the next */
    long long offset;   /* of the first element that is meant */
    int array, conj;
    int upper, unit; /* symmetric, Hermitian, triangular: which triangle of op(X) is stored; its diagonal is 1 */
};

struct blas_epilogue {
    const void *bias; /* one for each row */
    long long bias_stride;
    void *aux; /* relu: a bit for each element; gelu: what goes in; the gradients read it */
    long long aux_ld, aux_stride;
    const float *a_scale, *b_scale, *c_scale, *d_scale;
    float *amax;
    int activation, bias_kind; /* bias_kind: 0 none, 1 of the result's type, 2 of the scale's, 3 bf16, 4 f16 */
    int aux_out, scale_mode;   /* scale_mode: 1 a_scale and b_scale are one for each row and each column */
};

struct blas_product {
    struct blas_operand a, b; /* m by k, k by n */
    const void *c;
    void *d;
    long long c_row, c_col, c_stride, c_offset, d_row, d_col, d_stride, d_offset;
    int c_array, d_array;
    long long m, n, k;
    const void *alpha, *beta; /* in device memory; NULL: the values */
    double alpha_value[2], beta_value[2];
    int conj_alpha;
    int scalar_vector; /* alpha is one for each row */
    int part, real_diagonal;
    long long first; /* of the batch, for grids that do not hold all of it */
    struct blas_epilogue e;
};

/* How the tiles of a result are dealt out to blocks, which take them in rounds: the first `whole` ones each to one block; of the others, all
 * blocks have as many steps of k, and several may have a part of a tile. */
struct blas_deal {
    long long whole;
    void *sums;        /* of such parts: two for each block */
    unsigned *arrived; /* how many parts of each shared tile are there, for each half of it; 0 before */
};

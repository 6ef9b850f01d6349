/* Products and their like with plain arguments, for the package: what a launch would say of transposition, types and strides in a
 * class is known when the page compiles them, and each buffer is an argument. */
#pragma once
#include "device/blas/gemm.h"

/* C = alpha op(A) op(B) + beta C by columns; blockIdx.y is the batch. */
template <class T, class X, bool A_TURNED, bool B_TURNED, int BM, int BN, int BK, int TM, int TN>
__global__ void page_product(const T *a, const T *b, T *c, int m, int n, int k, int lda, int ldb, int ldc, int stride_a, int stride_b, int stride_c, X alpha, X beta)
{
    blas_product p = {};
    p.a.p = a;
    p.a.row = A_TURNED ? lda : 1;
    p.a.col = A_TURNED ? 1 : lda;
    p.a.stride = stride_a;
    p.b.p = b;
    p.b.row = B_TURNED ? ldb : 1;
    p.b.col = B_TURNED ? 1 : ldb;
    p.b.stride = stride_b;
    p.c = c;
    p.d = c;
    p.c_row = p.d_row = 1;
    p.c_col = p.d_col = ldc;
    p.c_stride = p.d_stride = stride_c;
    p.m = m;
    p.n = n;
    p.k = k;
    product_tile<T, T, T, T, X, X, BLAS_GENERAL, BLAS_GENERAL, BM, BN, BK, TM, TN, 0>(p, alpha, beta);
}

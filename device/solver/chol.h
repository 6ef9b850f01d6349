/* Cholesky's factorisation of small blocks and of many small matrices. */
#pragma once
#include "device/blas/lapack.h"

enum { CHOL_BLOCK = 32 }; /* as src/lib/solver/chol.c */

/* L L' of a block of at most CHOL_BLOCK rows, one row a thread; the upper triangle is L' as stored. info: the row (from 1, after base) whose
 * pivot is not positive; nothing is done after one. */
template <class T> __global__ void potrf_block(int n, T *a, long long lda, int upper, int *info, long long base)
{
    typedef typename real_of<T>::type R;
    __shared__ T tile[CHOL_BLOCK][CHOL_BLOCK + 1];
    const int i = threadIdx.x;
    if (*info)
        return;
    if (i < n)
        for (int j = 0; j <= i; j++)
            tile[i][j] = upper ? conjugate(a[j + i * lda]) : a[i + j * lda];
    __syncthreads();
    int bad = 0;
    for (int k = 0; k < n; k++) {
        const R d = real_part(tile[k][k]);
        if (!(d > R(0))) {
            bad = k + 1;
            break;
        }
        const R root = sqrt(d);
        __syncthreads();
        if (i == k)
            tile[k][k] = make<T>(root, R(0));
        else if (i > k && i < n)
            tile[i][k] = over(tile[i][k], make<T>(root, R(0)));
        __syncthreads();
        if (i > k && i < n)
            for (int j = k + 1; j <= i; j++)
                tile[i][j] = sub(tile[i][j], mul(tile[i][k], conjugate(tile[j][k])));
        __syncthreads();
    }
    if (i < n)
        for (int j = 0; j <= i; j++)
            if (upper)
                a[j + i * lda] = conjugate(tile[i][j]);
            else
                a[i + j * lda] = tile[i][j];
    if (i == 0 && bad)
        *info = (int)base + bad;
}

/* The bidiagonal form: one reflection from the left or from the right, by one block. */
#pragma once
#include "device/solver/qr.h"

/* Column `at` of A from row `row` on. out gets the vector as it is. */
template <class T>
__global__ void reflect_column(long long m, long long row, long long at, T *a, long long lda, typename real_of<T>::type *value, T *tau, T *out)
{
    T *x = a + row + at * lda;
    const T f = reflection<T>(m - row, x);
    if (threadIdx.x == 0) {
        *value = real_part(x[0]);
        *tau = f;
    }
    for (long long i = threadIdx.x; i < m - row; i += LAPACK_THREADS)
        out[i] = i ? x[i] : one<T>();
}
/* Row `at` from column `column` on, conjugated: what is stored is the vector's conjugate, as LAPACK has it. */
template <class T>
__global__ void reflect_row(long long n, long long at, long long column, T *a, long long lda, typename real_of<T>::type *value, T *tau, T *out)
{
    T *x = a + at + column * lda;
    const long long count = n - column;
    for (long long i = threadIdx.x; i < count; i += LAPACK_THREADS)
        out[i] = conjugate(x[i * lda]);
    __syncthreads();
    const T f = reflection<T>(count, out);
    for (long long i = threadIdx.x; i < count; i += LAPACK_THREADS)
        x[i * lda] = conjugate(out[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        *value = real_part(out[0]);
        *tau = f;
        out[0] = one<T>();
    }
}
/* x = tau x */
template <class T> __global__ void times_tau(long long n, T *x, const T *tau)
{
    EACH_OF (i, n)
        x[i] = mul(*tau, x[i]);
}

/* Eigenvalues of Hermitian matrices: the reduction to a tridiagonal one, column by column. */
#pragma once
#include "device/solver/qr.h"

/* One column of the reduction, by one block. The columns from first .. k-1 have been reduced but the rest of the matrix has not heard of it: V and W
 * (whose column 0 belongs to first) say what is to come off, A - V W' - W V'. Column k is brought up to date, reflected, and its vector stored in A as
 * LAPACK does and in V as it is. */
template <class T>
__global__ void tridiagonal_column(long long n, long long k, long long first, T *a, long long lda, T *v, T *w, long long ldv,
                                   typename real_of<T>::type *d, typename real_of<T>::type *e, T *tau)
{
    const int t = threadIdx.x;
    const long long done = k - first;
    T *col = a + k * lda;
    for (long long i = k + t; i < n; i += LAPACK_THREADS) {
        T x = col[i];
        for (long long l = 0; l < done; l++) {
            x = sub(x, mul(v[i + l * ldv], conjugate(w[k + l * ldv])));
            x = sub(x, mul(w[i + l * ldv], conjugate(v[k + l * ldv])));
        }
        if (i == k)
            drop_imaginary(x);
        col[i] = x;
    }
    __syncthreads();
    if (t == 0)
        d[k] = real_part(col[k]);
    if (k + 1 >= n)
        return;
    const T f = reflection<T>(n - k - 1, col + k + 1);
    if (t == 0) {
        e[k] = real_part(col[k + 1]);
        tau[k] = f;
    }
    for (long long i = t; i < n; i += LAPACK_THREADS)
        v[i + done * ldv] = i <= k ? zero<T>() : i == k + 1 ? one<T>() : col[i];
}

/* After w = A v, of the matrix that has not heard of the columns before: what they take off, and the scaling. */
template <class T> __global__ void tridiagonal_product(long long n, long long k, long long first, const T *v, T *w, long long ldv, const T *tau)
{
    __shared__ T dot[2][QR_BLOCK];
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, done = (int)(k - first);
    const T *own = v + done * ldv;
    T *out = w + done * ldv;
    /* own' V and own' W: their conjugates are what V' own and W' own are. */
    dots_with(n - k - 1, own + k + 1, false, 0, done, v + k + 1, ldv, dot[0]);
    dots_with(n - k - 1, own + k + 1, false, 0, done, w + k + 1, ldv, dot[1]);
    const T f = tau[k];
    T sum = zero<T>();
    for (long long i = k + 1 + t; i < n; i += LAPACK_THREADS) {
        T x = out[i];
        for (int l = 0; l < done; l++) {
            x = sub(x, mul(v[i + l * ldv], conjugate(dot[1][l])));
            x = sub(x, mul(w[i + l * ldv], conjugate(dot[0][l])));
        }
        x = mul(f, x);
        out[i] = x;
        mad(sum, conjugate(x), own[i]);
    }
    const T half = make<T>(R(-0.5), R(0));
    const T alpha = mul(mul(half, f), sum_of_block(sum));
    for (long long i = t; i < n; i += LAPACK_THREADS)
        out[i] = i <= k ? zero<T>() : add(out[i], mul(alpha, own[i]));
}

/* Columns in another order, of real numbers, as elements. */
template <class T>
__global__ void gather_real(long long m, long long n, const typename real_of<T>::type *z, long long ldz, const long long *order, T *a, long long lda)
{
    typedef typename real_of<T>::type R;
    EACH_IN (i, j, m, n)
        a[i + j * lda] = make<T>(z[i + order[j] * ldz], R(0));
}
template <class T>
__global__ void gather(long long m, long long n, const T *z, long long ldz, const long long *order, T *a, long long lda)
{
    EACH_IN (i, j, m, n)
        a[i + j * lda] = z[i + order[j] * ldz];
}
/* Rows, columns or both from the last to the first. */
template <class T> __global__ void flip(long long m, long long n, const T *a, long long lda, T *b, long long ldb, int rows, int columns)
{
    EACH_IN (i, j, m, n) {
        b[i + j * ldb] = a[(rows ? m - 1 - i : i) + (columns ? n - 1 - j : j) * lda];
    }
}

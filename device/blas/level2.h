/* Level 2: matrices and vectors. */
#pragma once
#include "device/blas/types.h"
#include "device/blas/stored.h"
#include "device/blas/level1.h"

/* Where element (i, j) of the stored matrix lies; i and j are within the band or the triangle. */
__device__ inline long long index_of(const blas_stored &a, long long i, long long j)
{
    if (a.storage == BLAS_FULL)
        return i + j * a.ld;
    if (a.storage == BLAS_BAND)
        return a.above + i - j + j * a.ld;
    return a.upper ? i + j * (j + 1) / 2 : i + j * (2 * a.cols - j - 1) / 2;
}

/* Element (i, j) of op(A), which is not outside. */
template <class T> __device__ inline T element(const blas_stored &a, long long i, long long j)
{
    if (a.trans) {
        const long long t = i;
        i = j;
        j = t;
    }
    const T *p = (const T *)a.p;
    bool conj = a.conj;
    if (a.kind == BLAS_TRIANGULAR && i == j && a.unit)
        return one<T>();
    if ((a.kind == BLAS_SYMMETRIC || a.kind == BLAS_HERMITIAN) && i != j && (i < j) != (a.upper != 0)) {
        const long long t = i;
        i = j;
        j = t;
        conj ^= a.kind == BLAS_HERMITIAN;
    }
    T v = p[index_of(a, i, j)];
    if (a.kind == BLAS_HERMITIAN && i == j)
        drop_imaginary(v);
    return conj ? conjugate(v) : v;
}

/* The columns of row i of op(A) that hold elements. */
__device__ inline void range_of(const blas_stored &a, long long i, long long *from, long long *to_)
{
    long long below = a.below, above = a.above;
    const long long width = a.trans ? a.rows : a.cols;
    bool upper = a.upper;
    if (a.trans) {
        below = a.above;
        above = a.below;
        upper = !upper;
    }
    *from = 0;
    *to_ = width;
    if (a.storage == BLAS_BAND) {
        if (a.kind == BLAS_SYMMETRIC || a.kind == BLAS_HERMITIAN)
            below = above = a.below + a.above;
        *from = i > below ? i - below : 0;
        *to_ = i + above + 1 < width ? i + above + 1 : width;
    }
    if (a.kind == BLAS_TRIANGULAR) {
        if (upper)
            *from = i > *from ? i : *from;
        else
            *to_ = i + 1 < *to_ ? i + 1 : *to_;
    }
}

/* One row a thread. */
template <class T> __global__ void matvec(blas_matvec p)
{
    const T alpha = scalar<T>(p.alpha, p.alpha_value), beta = scalar<T>(p.beta, p.beta_value);
    const long long rows = p.a.trans ? p.a.cols : p.a.rows;
    EACH_ELEMENT (i, rows) {
        T sum = zero<T>();
        if (!is_zero(alpha)) {
            long long from, end;
            range_of(p.a, i, &from, &end);
            for (long long j = from; j < end; j++)
                mad(sum, element<T>(p.a, i, j), ((const T *)p.x)[j * p.incx]);
            sum = mul(alpha, sum);
        }
        T *y = (T *)p.y + i * p.incy;
        if (!is_zero(beta))
            mad(sum, beta, *y);
        *y = sum;
    }
}

/* op(A) x = b in place, by one block: element after element, each taken out of all that follow. */
template <class T> __global__ void solve_vector(blas_matvec p)
{
    const long long n = p.a.cols;
    const bool upper = (p.a.upper != 0) != (p.a.trans != 0);
    T *x = (T *)p.y;
    __shared__ T now;
    for (long long k = 0; k < n; k++) {
        const long long j = upper ? n - 1 - k : k;
        if (threadIdx.x == 0) {
            T v = x[j * p.incy];
            if (!p.a.unit)
                v = over(v, element<T>(p.a, j, j));
            x[j * p.incy] = v;
            now = v;
        }
        __syncthreads();
        const T v = now;
        long long from = upper ? 0 : j + 1, end = upper ? j : n;
        if (p.a.storage == BLAS_BAND) {
            const long long width = p.a.below + p.a.above;
            from = upper && j - width > 0 ? j - width : from;
            end = !upper && j + width + 1 < n ? j + width + 1 : end;
        }
        for (long long i = from + threadIdx.x; i < end; i += blockDim.x)
            x[i * p.incy] = sub(x[i * p.incy], mul(element<T>(p.a, i, j), v));
        __syncthreads();
    }
}

template <class T> __global__ void rank(blas_rank p)
{
    T alpha = scalar<T>(p.real_alpha ? nullptr : p.alpha, p.alpha_value);
    if (p.real_alpha && p.alpha)
        alpha = to<T>(*(const typename real_of<T>::type *)p.alpha);
    if (is_zero(alpha))
        return;
    EACH_ELEMENT (e, p.rows * p.cols) {
        const long long i = e % p.rows, j = e / p.rows;
        if (p.part == BLAS_UPPER ? i > j : p.part == BLAS_LOWER ? i < j : false)
            continue;
        const long long at = p.storage == BLAS_FULL       ? i + j * p.ld
                             : p.part == BLAS_UPPER ? i + j * (j + 1) / 2
                                                    : i + j * (2 * p.cols - j - 1) / 2;
        const T *x = (const T *)p.x, *y = (const T *)p.y;
        T *a = (T *)p.a + at, v = *a;
        const T yj = y[j * p.incy];
        mad(v, mul(alpha, x[i * p.incx]), p.conj ? conjugate(yj) : yj);
        if (p.twice) {
            const T xj = x[j * p.incx];
            mad(v, mul(p.conj ? conjugate(alpha) : alpha, y[i * p.incy]), p.conj ? conjugate(xj) : xj);
        }
        if (p.real_diagonal && i == j)
            drop_imaginary(v);
        *a = v;
    }
}

/* ---- full matrices, in pieces that keep a GPU busy ---- */
enum { GEMV_THREADS = 128 };

/* Not transposed: a thread ROWS rows (more than one: chunks of 16 bytes), a share of the columns a block, four of them under way; the
 * shares' sums are added by gemv_end. */
template <class T, int ROWS>
__global__ void gemv_columns(long long m, long long n, long long share, const T *a, long long lda, const T *x, long long incx, T *parts)
{
    const long long i = (blockIdx.x * (long long)GEMV_THREADS + threadIdx.x) * ROWS, from = blockIdx.y * share;
    const long long end = from + share < n ? from + share : n;
    if (i >= m)
        return;
    T sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        sum[r] = zero<T>();
    long long j = from;
    if (ROWS > 1 && i + ROWS <= m) {
        for (; j + 4 <= end; j += 4) {
            chunk<T> v[4];
#pragma unroll
            for (int q = 0; q < 4; q++)
                v[q].whole = *(const uint4 *)(a + i + (j + q) * lda);
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    mad(sum[r], v[q].each[r], x[(j + q) * incx]);
        }
    }
    for (; j < end; j++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (i + r < m)
                mad(sum[r], a[i + r + j * lda], x[j * incx]);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (i + r < m)
            parts[i + r + blockIdx.y * m] = sum[r];
}
template <class T>
__global__ void gemv_end(long long m, int shares, const T *parts, const void *alpha_at, double ar, double ai, const void *beta_at, double br,
                         double bi, T *y, long long incy)
{
    const double av[2] = {ar, ai}, bv[2] = {br, bi};
    const T alpha = scalar<T>(alpha_at, av), beta = scalar<T>(beta_at, bv);
    EACH_ELEMENT (i, m) {
        T sum = zero<T>();
        if (!is_zero(alpha)) {
            for (int s = 0; s < shares; s++)
                sum = add(sum, parts[i + s * m]);
            sum = mul(alpha, sum);
        }
        if (!is_zero(beta))
            mad(sum, beta, y[i * incy]);
        y[i * incy] = sum;
    }
}
/* Transposed: a block a column. */
template <class T>
__global__ void gemv_rows(long long m, long long n, const T *a, long long lda, const T *x, long long incx, int conj, const void *alpha_at, double ar,
                          double ai, const void *beta_at, double br, double bi, T *y, long long incy)
{
    const double av[2] = {ar, ai}, bv[2] = {br, bi};
    const T alpha = scalar<T>(alpha_at, av), beta = scalar<T>(beta_at, bv);
    for (long long j = blockIdx.x; j < n; j += gridDim.x) {
        T sum = zero<T>();
        if (!is_zero(alpha))
#pragma unroll 4
            for (long long i = threadIdx.x; i < m; i += SUM_THREADS) {
                const T v = a[i + j * lda];
                mad(sum, conj ? conjugate(v) : v, x[i * incx]);
            }
        sum = mul(alpha, block_sum(sum));
        if (threadIdx.x == 0) {
            if (is_zero(alpha))
                sum = zero<T>();
            if (!is_zero(beta))
                mad(sum, beta, y[j * incy]);
            y[j * incy] = sum;
        }
        __syncthreads();
    }
}

/* Copies and simple matrices, element by element; and what a block of threads agrees on. */
#pragma once
#include "device/blas/lapack.h"
#include "device/solver/shared.h"

/* Where numbers begin to lose digits; a power of two. */
__device__ inline float nearly_nothing(float) { return 0x1p-100f; }
__device__ inline double nearly_nothing(double) { return 0x1p-960; }

#define EACH_OF(e, count)                                                                                                                            \
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x, e##_step = gridDim.x * (long long)blockDim.x; e < (count); e += e##_step)

/* Each element of a matrix of m rows: blocks take pieces of columns, so that only they divide. */
#define EACH_IN(i, j, m, n)                                                                                                                          \
    for (long long i##_each = ((m) + blockDim.x - 1) / blockDim.x, i##_at = blockIdx.x; i##_at < i##_each * (n); i##_at += gridDim.x)                \
        for (long long j = i##_at / i##_each, i = (i##_at - j * i##_each) * blockDim.x + threadIdx.x; i < (m); i = (m))

__device__ inline bool in_part(int part, long long i, long long j)
{
    switch (part) {
    case PART_LOWER: return i >= j;
    case PART_UPPER: return i <= j;
    case PART_STRICT_LOWER: return i > j;
    case PART_STRICT_UPPER: return i < j;
    default: return true;
    }
}
template <class T> __global__ void copy_part(long long m, long long n, const T *a, long long lda, T *b, long long ldb, int part)
{
    EACH_IN (i, j, m, n) {
        if (in_part(part & 7, i, j))
            b[i + j * ldb] = a[i + j * lda];
        else if (part & PART_OUTSIDE)
            b[i + j * ldb] = i == j ? one<T>() : zero<T>();
    }
}
template <class T> __global__ void identity(long long m, long long n, T *a, long long lda)
{
    EACH_IN (i, j, m, n)
        a[i + j * lda] = i == j ? one<T>() : zero<T>();
}
/* All of a Hermitian matrix, from one triangle; flip: rows and columns from the last to the first. */
template <class T> __global__ void mirror(long long n, const T *a, long long lda, int upper, int flip, T *b, long long ldb)
{
    EACH_IN (i, j, n, n) {
        long long r = flip ? n - 1 - i : i, c = flip ? n - 1 - j : j;
        const bool other = r != c && (r > c) == (upper != 0);
        T v = other ? conjugate(a[c + r * lda]) : a[r + c * lda];
        if (i == j)
            drop_imaginary(v);
        b[i + j * ldb] = v;
    }
}
/* Rows and columns from the last to the first; the triangle that was lower is written. */
template <class T> __global__ void flip_lower(long long n, const T *a, long long lda, T *b, long long ldb)
{
    EACH_IN (i, j, n, n) {
        if (i >= j)
            b[n - 1 - i + (n - 1 - j) * ldb] = a[i + j * lda];
    }
}
/* B = A' (conjugated) */
template <class T> __global__ void adjoint(long long m, long long n, const T *a, long long lda, T *b, long long ldb)
{
    EACH_IN (i, j, m, n) {
        b[j + i * ldb] = conjugate(a[i + j * lda]);
    }
}
/* info: the first 0 on the diagonal, from 1. */
template <class T> __global__ void zero_on_diagonal(long long n, const T *a, long long lda, int *info)
{
    if (threadIdx.x == 0) {
        int bad = 0;
        for (long long k = n; k-- > 0;)
            if (is_zero(a[k + k * lda]))
                bad = (int)k + 1;
        *info = bad;
    }
}

/* The largest of a block's values. */
template <class R> __device__ inline R most_of_block(R v)
{
    __shared__ R all[LAPACK_THREADS];
    const int t = threadIdx.x;
    all[t] = v;
    __syncthreads();
    for (int s = LAPACK_THREADS / 2; s; s /= 2) {
        if (t < s && all[t + s] > all[t])
            all[t] = all[t + s];
        __syncthreads();
    }
    const R most = all[0];
    __syncthreads();
    return most;
}
/* Each column times its own number. */
template <class T>
__global__ void columns_times(long long m, long long n, const T *a, long long lda, const typename real_of<T>::type *by, T *b, long long ldb)
{
    typedef typename real_of<T>::type R;
    EACH_IN (i, j, m, n)
        b[i + j * ldb] = mul(make<T>(by[j], R(0)), a[i + j * lda]);
}

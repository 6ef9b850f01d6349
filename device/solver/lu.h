/* Gauss's elimination: columns that one block does, and exchanges of rows. */
#pragma once
#include "device/solver/util.h"

template <class T> __device__ inline void exchange(T &a, T &b)
{
    const T v = a;
    a = b;
    b = v;
}

/* P A = L U of a few columns; pivots (from 1, after base) may be NULL: then rows stay where they are. info: the first pivot that is 0. */
template <class T, class P> __device__ void lu_panel(int m, int n, T *a, long long lda, P *pivots, int *info, long long base)
{
    const int t = threadIdx.x, steps = m < n ? m : n;
    int bad = 0;
    for (int k = 0; k < steps; k++) {
        if (pivots) {
            const int p = pivot_row(a + k * lda, m, k);
            if (t == 0)
                pivots[k] = (P)(base + p + 1);
            if (p != k && t < n)
                exchange(a[k + t * lda], a[p + t * lda]);
            __syncthreads();
        }
        const T d = a[k + k * lda];
        if (is_zero(d)) {
            if (!bad)
                bad = k + 1;
            __syncthreads();
            continue;
        }
        for (int i = k + 1 + t; i < m; i += LAPACK_THREADS) {
            const T f = over(a[i + k * lda], d);
            a[i + k * lda] = f;
            for (int j = k + 1; j < n; j++)
                a[i + j * lda] = sub(a[i + j * lda], mul(f, a[k + j * lda]));
        }
        __syncthreads();
    }
    if (t == 0 && bad && !*info)
        *info = (int)base + bad;
}
template <class T> __global__ void getrf_panel(int m, int n, T *a, long long lda, int *pivots, int *info, long long base)
{
    lu_panel(m, n, a, lda, pivots, info, base);
}
template <class T> __global__ void getrf_panel_wide(int m, int n, T *a, long long lda, long long *pivots, int *info, long long base)
{
    lu_panel(m, n, a, lda, pivots, info, base);
}

/* Rows from .. from+count-1 are exchanged with those that pivots name (row numbers from 1, less base), in this order or the other way round. */
template <class T, class P> __device__ void exchange_rows(long long n, T *a, long long lda, const P *pivots, long long step, long long count, long long base, int back)
{
    EACH_OF (j, n) {
        T *col = a + j * lda;
        for (long long k = 0; k < count; k++) {
            const long long i = back ? count - 1 - k : k, p = (long long)pivots[i * step] - 1 - base;
            if (p != i)
                exchange(col[i], col[p]);
        }
    }
}
template <class T>
__global__ void laswp(long long n, T *a, long long lda, const int *pivots, long long step, long long count, long long base, int back)
{
    exchange_rows(n, a, lda, pivots, step, count, base, back);
}
template <class T>
__global__ void laswp_wide(long long n, T *a, long long lda, const long long *pivots, long long step, long long count, long long base, int back)
{
    exchange_rows(n, a, lda, pivots, step, count, base, back);
}

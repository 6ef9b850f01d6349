/* What Tern's own calls (cuda/tern_solver.h) need beside factorisations. */
#pragma once
#include "device/solver/util.h"

/* Triangles packed by columns, one after the other, to where matrices have them, lda n elements apart. */
template <class T> __global__ void unpack(long long n, long long count, const T *packed, int upper, T *a, long long lda)
{
    EACH_IN (i, column, n, n * count) {
        const long long z = column / n, j = column - z * n, first = upper ? j * (j + 1) / 2 : j * (2 * n - j - 1) / 2;
        if (upper ? i <= j : i >= j)
            a[i + column * lda] = packed[z * (n * (n + 1) / 2) + first + i];
    }
}
template <class T> __global__ void diagonal_of(long long n, const T *a, long long lda, T *out)
{
    EACH_OF (k, n)
        out[k] = a[k + k * lda];
}
/* Three diagonals as a band. */
template <class T>
__global__ void band_of_three(long long n, long long count, const T *dl, const T *d, const T *du, long long stride, T *band)
{
    EACH_OF (e, n * count) {
        const long long z = e / n, i = e - z * n;
        T *column = band + 3 * e;
        column[0] = i > 0 ? du[z * stride + i - 1] : zero<T>();
        column[1] = d[z * stride + i];
        column[2] = i + 1 < n ? dl[z * stride + i + 1] : zero<T>();
    }
}

/* The row of the largest of `rows` elements, which all threads are told. */
template <class T> __device__ inline int band_pivot(const T *column, int rows)
{
    enum { FEW = 16 };
    if (rows > FEW)
        return pivot_row(column, rows, 0);
    int best = 0;
    for (int i = 1; i < rows; i++)
        if (size_of(column[i]) > size_of(column[best]))
            best = i;
    return best;
}

/* A X = B by elimination, a block a system. room: of each, 2 lower + upper + 1 rows of columns, where exchanged rows reach further right. */
template <class T>
__global__ void band_solve(long long n, long long lower, long long upper, long long nrhs, const T *as, long long lda, long long stride, T *room, T *bs,
                           long long ldb, long long stride_b, int *info)
{
    const int t = threadIdx.x;
    const long long z = blockIdx.x, reach = lower + upper, step = lower + reach; /* step: from an element to its neighbour on the right */
    T *s = room + z * (step + 1) * n + reach, *b = bs + z * stride_b;
    const T *a = as + z * stride;
    int bad = 0;
    for (long long e = t; e < (step + 1) * n; e += LAPACK_THREADS) {
        const long long j = e / (step + 1), r = e - j * (step + 1), i = r - reach + j;
        s[e - reach] = r >= lower && i >= 0 && i < n ? a[r - lower + j * lda] : zero<T>();
    }
    __syncthreads();
    for (long long k = 0; k < n; k++) {
        const int below = (int)(n - 1 - k < lower ? n - 1 - k : lower), right = (int)(n - 1 - k < reach ? n - 1 - k : reach);
        T *row = s + k * (step + 1);
        const int p = band_pivot(row, below + 1);
        const T d = row[p];
        if (is_zero(d)) {
            bad = (int)k + 1;
            break;
        }
        __syncthreads(); /* all have seen the column */
        for (int j = t; p && j <= right; j += LAPACK_THREADS) {
            const T v = row[j * step];
            row[j * step] = row[p + j * step];
            row[p + j * step] = v;
        }
        for (long long c = t; p && c < nrhs; c += LAPACK_THREADS) {
            const T v = b[k + c * ldb];
            b[k + c * ldb] = b[k + p + c * ldb];
            b[k + p + c * ldb] = v;
        }
        __syncthreads();
        for (long long e = t; e < (long long)below * right; e += LAPACK_THREADS) {
            const long long j = e / below, i = 1 + e - j * below;
            row[i + (j + 1) * step] = sub(row[i + (j + 1) * step], mul(over(row[i], d), row[(j + 1) * step]));
        }
        for (long long e = t; e < below * nrhs; e += LAPACK_THREADS) {
            const long long c = e / below, i = 1 + e - c * below;
            b[k + i + c * ldb] = sub(b[k + i + c * ldb], mul(over(row[i], d), b[k + c * ldb]));
        }
        __syncthreads();
    }
    for (long long k = n - 1; k >= 0 && !bad; k--) {
        const T *column = s + k * (step + 1);
        const int above = (int)(k < reach ? k : reach);
        for (long long c = t; c < nrhs; c += LAPACK_THREADS)
            b[k + c * ldb] = over(b[k + c * ldb], column[0]);
        __syncthreads();
        for (long long e = t; e < above * nrhs; e += LAPACK_THREADS) {
            const long long c = e / above, i = 1 + e - c * above;
            b[k - i + c * ldb] = sub(b[k - i + c * ldb], mul(column[-i], b[k + c * ldb]));
        }
        __syncthreads();
    }
    if (t == 0)
        info[z] = bad;
}

/* Systems of three and five diagonals: a thread for each, elimination with the largest pivot of the rows that have the column. Element i of system j
 * lies at i * systems + j. */
#pragma once
#include "device/sparse/walk.h"

__device__ inline double pivot_size(float v) { return fabsf(v); }
__device__ inline double pivot_size(double v) { return fabs(v); }
template <class R> __device__ inline double pivot_size(complex<R> v) { return fabs((double)v.x) + fabs((double)v.y); }

template <class T, int K> struct bands {
    T *at[2 * K + 1]; /* from the lowest diagonal to the highest */
};

/* K diagonals below and above. What a row has after elimination, 2 * K + 1 elements from the diagonal on, is stored where the diagonals were. */
template <class T, int K> __device__ inline void solve_band(const bands<T, K> &b, T *x, long long m, long long systems, long long j)
{
    const int W = 2 * K + 1;
    T row[K + 1][W], right[K + 1];
    /* Row i enters with its first element at column i - K, or at 0. */
    for (int r = 0; r <= K; r++) {
        for (int c = 0; c < W; c++)
            row[r][c] = zero<T>();
        right[r] = zero<T>();
        if (r < m) {
            for (int d = -K; d <= K; d++)
                if (r + d >= 0 && r + d < m)
                    row[r][r + d] = b.at[d + K][r * systems + j];
            right[r] = x[r * systems + j];
        }
    }
    for (long long i = 0; i < m; i++) {
        int best = 0;
        for (int r = 1; r <= K; r++)
            if (i + r < m && pivot_size(row[r][0]) > pivot_size(row[best][0]))
                best = r;
        for (int r = 1; r <= K; r++)
            if (r == best) {
                for (int c = 0; c < W; c++) {
                    const T v = row[0][c];
                    row[0][c] = row[r][c];
                    row[r][c] = v;
                }
                const T v = right[0];
                right[0] = right[r];
                right[r] = v;
            }
        T pivot[W];
        const T top = right[0];
        for (int c = 0; c < W; c++)
            b.at[c][i * systems + j] = pivot[c] = row[0][c];
        x[i * systems + j] = top;
        for (int r = 1; r <= K; r++) {
            const T factor = is_zero(row[r][0]) ? zero<T>() : over(row[r][0], pivot[0]);
            for (int c = 1; c < W; c++)
                row[r - 1][c - 1] = sub(row[r][c], mul(factor, pivot[c]));
            row[r - 1][W - 1] = zero<T>();
            right[r - 1] = sub(right[r], mul(factor, top));
        }
        const long long fresh = i + K + 1;
        for (int c = 0; c < W; c++)
            row[K][c] = zero<T>();
        right[K] = zero<T>();
        if (fresh < m) {
            for (int d = -K; d <= K; d++)
                if (fresh + d < m)
                    row[K][K + d] = b.at[d + K][fresh * systems + j];
            right[K] = x[fresh * systems + j];
        }
    }
    for (long long i = m - 1; i >= 0; i--) {
        T sum = x[i * systems + j];
        for (int c = 1; c < W; c++)
            if (i + c < m)
                sum = sub(sum, mul(b.at[c][i * systems + j], x[(i + c) * systems + j]));
        x[i * systems + j] = over(sum, b.at[0][i * systems + j]);
    }
}

template <class T> __global__ void tridiagonal(long long m, long long systems, T *dl, T *d, T *du, T *x)
{
    bands<T, 1> b;
    b.at[0] = dl;
    b.at[1] = d;
    b.at[2] = du;
    EACH_ELEMENT (j, systems)
        solve_band<T, 1>(b, x, m, systems, j);
}
template <class T> __global__ void pentadiagonal(long long m, long long systems, T *ds, T *dl, T *d, T *du, T *dw, T *x)
{
    bands<T, 2> b;
    b.at[0] = ds;
    b.at[1] = dl;
    b.at[2] = d;
    b.at[3] = du;
    b.at[4] = dw;
    EACH_ELEMENT (j, systems)
        solve_band<T, 2>(b, x, m, systems, j);
}

/* Systems one after the other, or the same for all (stride 0), side by side; and back. */
template <class T> __global__ void side_by_side(long long m, long long systems, const T *from, long long stride, T *to)
{
    EACH_ELEMENT (e, m * systems)
        to[e] = from[e / systems + e % systems * stride];
}
template <class T> __global__ void one_after_other(long long m, long long systems, const T *from, T *to, long long stride)
{
    EACH_ELEMENT (e, m * systems)
        to[e / systems + e % systems * stride] = from[e];
}

/* Cholesky's factorisation of small blocks and of many small matrices. */
#pragma once
#include "device/solver/util.h"

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

/* The same for GPUs, of at most ROWS rows: 16 by 16 threads, each with every 16th element of every 16th column in registers. A step tells all
 * of them its column. */
enum { TILE_SIDE = 16, TILE_THREADS = TILE_SIDE * TILE_SIDE };
template <class T, int ROWS> __global__ void __launch_bounds__(TILE_THREADS) potrf_tile(int n, T *a, long long lda, int upper, int *info, long long base)
{
    typedef typename real_of<T>::type R;
    enum { EACH = ROWS / TILE_SIDE };
    __shared__ T column[2][ROWS];
    const int ti = threadIdx.x % TILE_SIDE, tj = threadIdx.x / TILE_SIDE;
    T v[EACH][EACH];
    if (*info)
        return;
#pragma unroll
    for (int p = 0; p < EACH; p++)
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const int i = ti + p * TILE_SIDE, j = tj + q * TILE_SIDE;
            v[p][q] = zero<T>();
            if (i >= j && i < n)
                v[p][q] = upper ? conjugate(a[j + i * lda]) : a[i + j * lda];
        }
    int bad = 0;
    for (int k = 0; k < n; k++) {
        T *now = column[k % 2];
#pragma unroll
        for (int q = 0; q < EACH; q++)
            if (tj + q * TILE_SIDE == k)
#pragma unroll
                for (int p = 0; p < EACH; p++)
                    now[ti + p * TILE_SIDE] = v[p][q];
        __syncthreads();
        const R d = real_part(now[k]);
        if (!(d > R(0))) {
            bad = k + 1;
            break;
        }
        const R part = R(1) / d, root = sqrt(d), under = root * part; /* 1 / root, without a second division */
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const int j = tj + q * TILE_SIDE;
            if (j == k) {
#pragma unroll
                for (int p = 0; p < EACH; p++)
                    if (ti + p * TILE_SIDE >= k)
                        v[p][q] = ti + p * TILE_SIDE == k ? make<T>(root, R(0)) : mul(v[p][q], make<T>(under, R(0)));
            } else if (j > k) {
                const T f = negated(mul(make<T>(part, R(0)), conjugate(now[j])));
#pragma unroll
                for (int p = 0; p < EACH; p++)
                    if (ti + p * TILE_SIDE >= j)
                        mad(v[p][q], f, now[ti + p * TILE_SIDE]);
            }
        }
    }
#pragma unroll
    for (int p = 0; p < EACH; p++)
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const int i = ti + p * TILE_SIDE, j = tj + q * TILE_SIDE;
            if (i >= j && i < n) {
                if (upper)
                    a[j + i * lda] = conjugate(v[p][q]);
                else
                    a[i + j * lda] = v[p][q];
            }
        }
    if (threadIdx.x == 0 && bad)
        *info = (int)base + bad;
}

/* Many matrices, one block each, whatever their size. */
template <class T> __global__ void potrf_batched(int n, T *const *as, long long lda, int upper, int *info)
{
    typedef typename real_of<T>::type R;
    T *a = as[blockIdx.x];
    const int t = threadIdx.x;
    /* L(i, j), conjugated where the upper triangle stores its adjoint. */
    const long long row = upper ? lda : 1, col = upper ? 1 : lda;
    int bad = 0;
    for (int k = 0; k < n; k++) {
        const R d = real_part(a[k + k * lda]);
        if (!(d > R(0))) {
            bad = k + 1;
            break;
        }
        const R root = sqrt(d);
        __syncthreads();
        for (int i = k + t; i < n; i += LAPACK_THREADS)
            a[i * row + k * col] = i == k ? make<T>(root, R(0)) : over(a[i * row + k * col], make<T>(root, R(0)));
        __syncthreads();
        for (int i = k + 1 + t; i < n; i += LAPACK_THREADS)
            for (int j = k + 1; j <= i; j++) {
                const T f = a[i * row + k * col], g = a[j * row + k * col];
                a[i * row + j * col] = sub(a[i * row + j * col], mul(f, conjugate(g)));
            }
        __syncthreads();
    }
    if (t == 0)
        info[blockIdx.x] = bad;
}
template <class T> __global__ void potrs_batched(int n, int nrhs, const T *const *as, long long lda, T *const *bs, long long ldb, int upper)
{
    const T *a = as[blockIdx.x];
    for (int j = threadIdx.x; j < nrhs; j += LAPACK_THREADS) {
        T *b = bs[blockIdx.x] + j * ldb;
        if (upper) {
            solve_upper(n, a, lda, true, true, b);
            solve_upper(n, a, lda, false, false, b);
        } else {
            solve_lower(n, a, lda, false, false, false, b);
            solve_lower(n, a, lda, false, true, true, b);
        }
    }
}

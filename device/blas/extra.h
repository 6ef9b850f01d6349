/* Matrices element by element, and the triangles that a blocked solve leaves. */
#pragma once
#include "device/blas/gemm.h"
#include "device/blas/level1.h"

/* C = alpha op(A) + beta op(B) */
template <class T>
__global__ void geam(long long m, long long n, blas_operand a, const void *alpha_at, double ar, double ai, blas_operand b, const void *beta_at,
                     double br, double bi, T *c, long long ldc)
{
    const double av[2] = {ar, ai}, bv[2] = {br, bi};
    const T alpha = scalar<T>(alpha_at, av), beta = scalar<T>(beta_at, bv);
    EACH_ELEMENT (e, m * n) {
        const long long i = e % m, j = e / m;
        T v = zero<T>();
        if (!is_zero(alpha))
            v = mul(alpha, fetch<T, T, BLAS_GENERAL>(a, (const T *)a.p, i, j));
        if (!is_zero(beta))
            mad(v, beta, fetch<T, T, BLAS_GENERAL>(b, (const T *)b.p, i, j));
        c[i + j * ldc] = v;
    }
}

/* C = A diag(x), or diag(x) A */
template <class T>
__global__ void dgmm(long long m, long long n, int left, const T *a, long long lda, const T *x, long long incx, T *c, long long ldc)
{
    EACH_ELEMENT (e, m * n) {
        const long long i = e % m, j = e / m;
        c[i + j * ldc] = mul(a[i + j * lda], x[(left ? i : j) * incx]);
    }
}

/* A triangle, packed or not. */
template <class T> __global__ void unpack(long long n, int upper, const T *packed, T *a, long long lda)
{
    EACH_ELEMENT (e, n * n) {
        const long long i = e % n, j = e / n;
        if (i == j || (i < j) == (upper != 0))
            a[i + j * lda] = packed[upper ? i + j * (j + 1) / 2 : i + j * (2 * n - j - 1) / 2];
    }
}
template <class T> __global__ void pack(long long n, int upper, const T *a, long long lda, T *packed)
{
    EACH_ELEMENT (e, n * n) {
        const long long i = e % n, j = e / n;
        if (i == j || (i < j) == (upper != 0))
            packed[upper ? i + j * (j + 1) / 2 : i + j * (2 * n - j - 1) / 2] = a[i + j * lda];
    }
}

/* B = alpha B; blockIdx.y is the batch. */
template <class T> __global__ void scale(long long m, long long n, const void *alpha_at, double ar, double ai, blas_operand b, long long first)
{
    const double av[2] = {ar, ai};
    const T alpha = scalar<T>(alpha_at, av);
    T *p = batch<T>(b.p, b.array, b.stride, b.offset, blockIdx.y + first);
    EACH_ELEMENT (e, m * n) {
        T *v = p + e % m * b.row + e / m * b.col;
        *v = is_zero(alpha) ? zero<T>() : mul(alpha, *v);
    }
}

/* op(A) X = B for a triangle of at most SOLVE_ROWS rows: one column of B a thread, the triangle in shared memory. */
enum { SOLVE_ROWS = 32, SOLVE_THREADS = 64 };
template <class T> __global__ void solve(long long m, long long n, blas_operand a, blas_operand b, long long first)
{
    __shared__ T tri[SOLVE_ROWS][SOLVE_ROWS];
    const long long z = blockIdx.y + first;
    const T *ap = batch<const T>(a.p, a.array, a.stride, a.offset, z);
    T *bp = batch<T>(b.p, b.array, b.stride, b.offset, z);
    for (int e = threadIdx.x; e < m * m; e += SOLVE_THREADS) {
        const int i = e % (int)m, j = e / (int)m;
        if (i == j ? !a.unit : (i < j) == (a.upper != 0)) {
            const T v = ap[i * a.row + j * a.col];
            tri[i][j] = a.conj ? conjugate(v) : v;
        }
    }
    __syncthreads();
    const long long c = blockIdx.x * (long long)SOLVE_THREADS + threadIdx.x;
    if (c >= n)
        return;
    T x[SOLVE_ROWS];
    for (int i = 0; i < m; i++)
        x[i] = bp[i * b.row + c * b.col];
    for (int k = 0; k < m; k++) {
        const int j = a.upper ? (int)m - 1 - k : k;
        if (!a.unit)
            x[j] = over(x[j], tri[j][j]);
        for (int i = a.upper ? 0 : j + 1; i < (a.upper ? j : m); i++)
            x[i] = sub(x[i], mul(tri[i][j], x[j]));
    }
    for (int i = 0; i < m; i++)
        bp[i * b.row + c * b.col] = x[i];
}

/* Row K of those that are still unknown, and what it takes out of the others: all indices are constants. */
template <int K, int UPPER, class T, int ROWS> __device__ inline void eliminate(T (&x)[ROWS], const T *tri)
{
    const int j = UPPER ? ROWS - 1 - K : K;
    x[j] = mul(x[j], tri[j * ROWS + j]);
    const T v = negated(x[j]);
#pragma unroll
    for (int i = UPPER ? 0 : K + 1; i < (UPPER ? ROWS - 1 - K : ROWS); i++)
        mad(x[i], v, tri[j * ROWS + i]);
    if constexpr (K + 1 < ROWS)
        eliminate<K + 1, UPPER>(x, tri);
}

/* The same for GPUs (ROWS 32 or 64), where all of a column's ROWS elements are registers of a thread. Columns that lie in memory one after the other come and
 * go by way of shared memory, STEP rows at a time. */
template <class T, int ROWS, int UPPER>
__global__ __launch_bounds__(SOLVE_THREADS) void solve_columns(long long m, long long n, blas_operand a, blas_operand b, long long first)
{
    const int STEP = 16, LD = STEP + 1;
    __shared__ T tri[ROWS * ROWS], part[SOLVE_THREADS * LD];
    const long long z = blockIdx.y + first, c0 = blockIdx.x * (long long)SOLVE_THREADS;
    const T *ap = batch<const T>(a.p, a.array, a.stride, a.offset, z);
    T *bp = batch<T>(b.p, b.array, b.stride, b.offset, z) + c0 * b.col;
    const int t = threadIdx.x, cols = n - c0 < SOLVE_THREADS ? (int)(n - c0) : SOLVE_THREADS;
    /* Sixteen at once under way; what is not there is read where something is. */
    for (int e0 = t; e0 < ROWS * ROWS; e0 += 16 * SOLVE_THREADS) {
        T v[16];
#pragma unroll
        for (int q = 0; q < 16; q++) {
            const int e = e0 + q * SOLVE_THREADS, i = e % ROWS, j = e / ROWS;
            const bool there = (i < m) & (j < m) & ((UPPER ? i < j : i > j) | ((i == j) & !a.unit));
            v[q] = ap[(there ? 1 : 0) * (i * a.row + j * a.col)];
        }
#pragma unroll
        for (int q = 0; q < 16; q++) {
            const int e = e0 + q * SOLVE_THREADS, i = e % ROWS, j = e / ROWS;
            const bool there = (i < m) & (j < m) & ((UPPER ? i < j : i > j) | ((i == j) & !a.unit));
            tri[e] = there ? v[q] : i == j ? one<T>() : zero<T>();
        }
    }
    __syncthreads();
    if (a.conj)
        for (int e = t; e < ROWS * ROWS; e += SOLVE_THREADS)
            tri[e] = conjugate(tri[e]);
    __syncthreads();
    if (t < m && !a.unit)
        tri[t * ROWS + t] = over(one<T>(), tri[t * ROWS + t]);
    T x[ROWS];
#pragma unroll
    for (int s = 0; s < ROWS; s += STEP) {
        __syncthreads();
        if (b.row == 1) {
            T v[STEP];
#pragma unroll
            for (int q = 0; q < STEP; q++) {
                const int e = t + q * SOLVE_THREADS, i = e % STEP, c = e / STEP;
                v[q] = bp[(((s + i < m) & (c < cols)) ? 1 : 0) * (s + i + c * b.col)];
            }
#pragma unroll
            for (int q = 0; q < STEP; q++) {
                const int e = t + q * SOLVE_THREADS, i = e % STEP, c = e / STEP;
                part[c * LD + i] = s + i < m ? v[q] : zero<T>();
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STEP; i++)
            x[s + i] = b.row == 1 ? part[t * LD + i] : s + i < m && t < cols ? bp[(s + i) * b.row + t * b.col] : zero<T>();
    }
    eliminate<0, UPPER>(x, tri);
#pragma unroll
    for (int s = 0; s < ROWS; s += STEP) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STEP; i++)
            if (b.row == 1)
                part[t * LD + i] = x[s + i];
            else if (s + i < m && t < cols)
                bp[(s + i) * b.row + t * b.col] = x[s + i];
        __syncthreads();
        if (b.row == 1)
#pragma unroll
            for (int q = 0; q < STEP; q++) {
                const int e = t + q * SOLVE_THREADS, i = e % STEP, c = e / STEP;
                if (s + i < m && c < cols)
                    bp[s + i + c * b.col] = part[c * LD + i];
            }
    }
}

/* A copy with k contiguous of `rows` by k elements whose rows are: TURN_TILE by TURN_TILE a block, by way of shared memory; blockIdx.y is
 * the batch. */
enum { TURN_TILE = 64, TURN_THREADS = 256 };
template <class T>
__global__ __launch_bounds__(TURN_THREADS) void turn(long long rows, long long k, const T *from, long long apart, long long stride, T *out, long long out_apart, long long out_stride)
{
    __shared__ T tile[TURN_TILE][TURN_TILE + 4 / sizeof(T)];
    const long long across = (rows + TURN_TILE - 1) / TURN_TILE, r0 = blockIdx.x % across * TURN_TILE, k0 = blockIdx.x / across * TURN_TILE;
    const int x = threadIdx.x % TURN_TILE, y = threadIdx.x / TURN_TILE, step = TURN_THREADS / TURN_TILE;
    from += blockIdx.y * stride;
    out += blockIdx.y * out_stride;
#pragma unroll
    for (int i = 0; i < TURN_TILE; i += step)
        if (r0 + x < rows && k0 + y + i < k)
            tile[y + i][x] = from[r0 + x + (k0 + y + i) * apart];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TURN_TILE; i += step)
        if (k0 + x < k && r0 + y + i < rows)
            out[k0 + x + (r0 + y + i) * out_apart] = tile[x][y + i];
}

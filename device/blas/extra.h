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

/* ---- the same for GPUs: triangles of ROWS rows along the diagonal are inverted, all at once, and what they solve is a product ---- */
enum { INVERT_LEAST = 16, INVERT_THREADS = 256, APPLY_COLUMNS = 16 };

/* A lower triangle L and its inverse X in one square: X(i, j) lies at (j, i), its diagonal apart. */
template <class T, int ROWS> struct inverted {
    T square[ROWS][ROWS + 1], diagonal[ROWS], product[ROWS / 2][ROWS / 2 + 1];
    __device__ T l(int i, int j) const { return square[i][j]; }
    __device__ T x(int i, int j) const { return i == j ? diagonal[i] : square[j][i]; }
};

/* X of the lower left quarter of each 2 SIZE rows: - X22 L21 X11. */
template <class T, int ROWS> __device__ inline void invert_quarters(inverted<T, ROWS> &s, int size)
{
    const int pairs = ROWS / (2 * size), each = size * size;
    for (int pair = 0; pair < pairs; pair++) { /* one after the other: their product has one place */
        const int top = pair * 2 * size, low = top + size;
        for (int e = threadIdx.x; e < each; e += INVERT_THREADS) {
            const int i = e % size, j = e / size;
            T sum = mul(s.l(low + i, top + j), s.diagonal[top + j]);
#pragma unroll 8
            for (int k = j + 1; k < size; k++)
                mad(sum, s.l(low + i, top + k), s.square[top + j][top + k]);
            s.product[i][j] = sum;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < each; e += INVERT_THREADS) {
            const int i = e % size, j = e / size;
            T sum = mul(s.diagonal[low + i], s.product[i][j]);
#pragma unroll 8
            for (int k = 0; k < i; k++)
                mad(sum, s.square[low + k][low + i], s.product[k][j]);
            s.square[top + j][low + i] = negated(sum);
        }
        __syncthreads();
    }
}

/* X, whose diagonal is there, of L below its diagonal. */
template <class T, int ROWS> __device__ inline void invert_square(inverted<T, ROWS> &s)
{
    const int t = threadIdx.x;
    if (t < ROWS) { /* a column of a small triangle each */
        const int top = t / INVERT_LEAST * INVERT_LEAST;
        for (int i = t + 1; i < top + INVERT_LEAST; i++) {
            T sum = mul(s.l(i, t), s.diagonal[t]);
#pragma unroll 4
            for (int k = t + 1; k < i; k++)
                mad(sum, s.l(i, k), s.square[t][k]);
            s.square[t][i] = negated(mul(sum, s.diagonal[i]));
        }
    }
    __syncthreads();
    for (int size = INVERT_LEAST; size < ROWS; size *= 2)
        invert_quarters(s, size);
}

/* The triangles of op(A) from row ROWS * blockIdx.x on; blockIdx.y is the batch. An upper one is turned round: its last row is the first. */
template <class T, int ROWS, int UPPER>
__global__ void __launch_bounds__(INVERT_THREADS) invert(long long m, blas_operand a, long long first, T *out)
{
    __shared__ inverted<T, ROWS> s;
    const long long z = blockIdx.y + first, at = blockIdx.x * (long long)ROWS;
    const T *ap = batch<const T>(a.p, a.array, a.stride, a.offset, z) + at * (a.row + a.col);
    const int t = threadIdx.x, rows = m - at < ROWS ? (int)(m - at) : ROWS;
    for (int e = t; e < ROWS * ROWS; e += INVERT_THREADS) {
        const int i = e % ROWS, j = e / ROWS, r = UPPER ? ROWS - 1 - i : i, c = UPPER ? ROWS - 1 - j : j;
        if (i < j)
            continue;
        T v = i == j ? one<T>() : zero<T>();
        if (r < rows && c < rows && (i != j || !a.unit))
            v = a.conj ? conjugate(ap[r * a.row + c * a.col]) : ap[r * a.row + c * a.col];
        s.square[i][j] = v;
        if (i == j)
            s.diagonal[i] = over(one<T>(), v);
    }
    __syncthreads();
    invert_square(s);
    out += ((long long)blockIdx.y * gridDim.x + blockIdx.x) * ROWS * ROWS;
    for (int e = t; e < ROWS * ROWS; e += INVERT_THREADS) {
        const int i = e % ROWS, j = e / ROWS, r = UPPER ? ROWS - 1 - i : i, c = UPPER ? ROWS - 1 - j : j;
        out[e] = r < c ? zero<T>() : s.x(r, c);
    }
}

/* B = X B for ROWS rows of B, of which m are there. */
template <class T, int ROWS>
__global__ void __launch_bounds__(INVERT_THREADS) apply_inverse(long long m, long long n, const T *inverse, long long stride, blas_operand b, long long first)
{
    enum { GROUPS = INVERT_THREADS / ROWS, EACH = APPLY_COLUMNS / GROUPS };
    __shared__ T part[ROWS][APPLY_COLUMNS + 1];
    const long long z = blockIdx.y + first, c0 = blockIdx.x * (long long)APPLY_COLUMNS;
    T *bp = batch<T>(b.p, b.array, b.stride, b.offset, z) + c0 * b.col;
    const int t = threadIdx.x, cols = n - c0 < APPLY_COLUMNS ? (int)(n - c0) : APPLY_COLUMNS;
    const bool down = b.row == 1; /* neighbours in memory are those of a column */
#pragma unroll
    for (int e = t; e < ROWS * APPLY_COLUMNS; e += INVERT_THREADS) {
        const int i = down ? e % ROWS : e / APPLY_COLUMNS, c = down ? e / ROWS : e % APPLY_COLUMNS;
        part[i][c] = zero<T>();
        if (i < m && c < cols)
            part[i][c] = bp[i * b.row + c * b.col];
    }
    __syncthreads();
    const int i = t % ROWS, group = t / ROWS;
    const T *line = inverse + blockIdx.y * stride + i;
    T sum[EACH];
#pragma unroll
    for (int q = 0; q < EACH; q++)
        sum[q] = zero<T>();
#pragma unroll 8
    for (int k = 0; k < ROWS; k++) {
        const T v = line[k * ROWS];
#pragma unroll
        for (int q = 0; q < EACH; q++)
            mad(sum[q], v, part[k][group + q * GROUPS]);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < EACH; q++)
        part[i][group + q * GROUPS] = sum[q];
    __syncthreads();
#pragma unroll
    for (int e = t; e < ROWS * APPLY_COLUMNS; e += INVERT_THREADS) {
        const int r = down ? e % ROWS : e / APPLY_COLUMNS, c = down ? e / ROWS : e % APPLY_COLUMNS;
        if (r < m && c < cols)
            bp[r * b.row + c * b.col] = part[r][c];
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

/* Factorisations of many small matrices: one block a matrix. */
#pragma once
#include "device/blas/types.h"

enum { LAPACK_THREADS = 64 };

template <class T> __device__ inline typename real_of<T>::type size_of(T v) { return fabs(v); }
template <class R> __device__ inline R size_of(complex<R> v) { return fabs(v.x) + fabs(v.y); }
template <class T> __device__ inline typename real_of<T>::type squared(T v) { return v * v; }
template <class R> __device__ inline R squared(complex<R> v) { return v.x * v.x + v.y * v.y; }
template <class T> __device__ inline typename real_of<T>::type real_part(T v) { return v; }
template <class R> __device__ inline R real_part(complex<R> v) { return v.x; }
template <class T> __device__ inline typename real_of<T>::type imaginary_part(T) { return 0; }
template <class R> __device__ inline R imaginary_part(complex<R> v) { return v.y; }
template <class T> __device__ inline T make(typename real_of<T>::type x, typename real_of<T>::type) { return x; }
template <> __device__ inline complex<float> make<complex<float>>(float x, float y) { complex<float> v = {x, y}; return v; }
template <> __device__ inline complex<double> make<complex<double>>(double x, double y) { complex<double> v = {x, y}; return v; }

/* The row of the largest element of a column, from row k on. */
template <class T> __device__ int pivot_row(const T *a, int n, int k)
{
    typedef typename real_of<T>::type R;
    __shared__ R best[LAPACK_THREADS];
    __shared__ int where[LAPACK_THREADS];
    const int t = threadIdx.x;
    R most = R(-1);
    int at = k;
    for (int i = k + t; i < n; i += LAPACK_THREADS) {
        const R v = size_of(a[i]);
        if (v > most) {
            most = v;
            at = i;
        }
    }
    best[t] = most;
    where[t] = at;
    __syncthreads();
    for (int s = LAPACK_THREADS / 2; s; s /= 2) {
        if (t < s && (best[t + s] > best[t] || (best[t + s] == best[t] && where[t + s] < where[t]))) {
            best[t] = best[t + s];
            where[t] = where[t + s];
        }
        __syncthreads();
    }
    const int found = where[0];
    __syncthreads();
    return found;
}

/* P A = L U in place; pivots (counted from 1) may be NULL: then rows stay where they are. */
template <class T> __device__ int factor(int n, T *a, long long lda, int *pivots)
{
    const int t = threadIdx.x;
    int info = 0;
    for (int k = 0; k < n; k++) {
        if (pivots) {
            const int p = pivot_row(a + k * lda, n, k);
            if (t == 0)
                pivots[k] = p + 1;
            if (p != k)
                for (int j = t; j < n; j += LAPACK_THREADS) {
                    const T v = a[k + j * lda];
                    a[k + j * lda] = a[p + j * lda];
                    a[p + j * lda] = v;
                }
            __syncthreads();
        }
        const T d = a[k + k * lda];
        if (is_zero(d)) {
            if (!info)
                info = k + 1;
            __syncthreads();
            continue;
        }
        for (int i = k + 1 + t; i < n; i += LAPACK_THREADS)
            a[i + k * lda] = over(a[i + k * lda], d);
        __syncthreads();
        const int left = n - k - 1;
        for (int e = t; e < left * left; e += LAPACK_THREADS) {
            const int i = k + 1 + e % left, j = k + 1 + e / left;
            a[i + j * lda] = sub(a[i + j * lda], mul(a[i + k * lda], a[k + j * lda]));
        }
        __syncthreads();
    }
    return info;
}

/* Solves with the triangles of a factorised matrix for one column of b, by one thread. */
template <class T> __device__ void solve_lower(int n, const T *a, long long lda, bool unit, bool trans, bool conj, T *b)
{
    for (int k = 0; k < n; k++) {
        const int i = trans ? n - 1 - k : k; /* the transposed one is upper */
        T v = b[i];
        for (int j = trans ? i + 1 : 0; j < (trans ? n : i); j++) {
            const T f = trans ? a[j + i * lda] : a[i + j * lda];
            v = sub(v, mul(conj ? conjugate(f) : f, b[j]));
        }
        if (!unit) {
            const T d = a[i + i * lda];
            v = over(v, conj ? conjugate(d) : d);
        }
        b[i] = v;
    }
}
template <class T> __device__ void solve_upper(int n, const T *a, long long lda, bool trans, bool conj, T *b)
{
    for (int k = 0; k < n; k++) {
        const int i = trans ? k : n - 1 - k;
        T v = b[i];
        for (int j = trans ? 0 : i + 1; j < (trans ? i : n); j++) {
            const T f = trans ? a[j + i * lda] : a[i + j * lda];
            v = sub(v, mul(conj ? conjugate(f) : f, b[j]));
        }
        const T d = a[i + i * lda];
        b[i] = over(v, conj ? conjugate(d) : d);
    }
}
template <class T> __device__ void solve_column(int n, const T *a, long long lda, const int *pivots, int op, T *b)
{
    if (op == 0) {
        for (int k = 0; pivots && k < n; k++) {
            const int p = pivots[k] - 1;
            const T v = b[k];
            b[k] = b[p];
            b[p] = v;
        }
        solve_lower(n, a, lda, true, false, false, b);
        solve_upper(n, a, lda, false, false, b);
    } else {
        solve_upper(n, a, lda, true, op == 2, b);
        solve_lower(n, a, lda, true, true, op == 2, b);
        for (int k = n - 1; pivots && k >= 0; k--) {
            const int p = pivots[k] - 1;
            const T v = b[k];
            b[k] = b[p];
            b[p] = v;
        }
    }
}

template <class T> __global__ void getrf(int n, T *const *as, long long lda, int *pivots, int *info, long long first)
{
    const long long z = blockIdx.x + first;
    const int status = factor(n, as[z], lda, pivots ? pivots + z * n : nullptr);
    if (threadIdx.x == 0)
        info[z] = status;
}

template <class T>
__global__ void getrs(int n, int nrhs, int op, const T *const *as, long long lda, const int *pivots, T *const *bs, long long ldb, long long first)
{
    const long long z = blockIdx.x + first;
    for (int c = threadIdx.x; c < nrhs; c += LAPACK_THREADS)
        solve_column(n, as[z], lda, pivots ? pivots + z * n : nullptr, op, bs[z] + c * ldb);
}

/* C = A^-1 from the factors: one column a thread. */
template <class T> __device__ void invert(int n, const T *a, long long lda, const int *pivots, T *c, long long ldc)
{
    for (int j = threadIdx.x; j < n; j += LAPACK_THREADS) {
        for (int i = 0; i < n; i++)
            c[i + j * ldc] = i == j ? one<T>() : zero<T>();
        solve_column(n, a, lda, pivots, 0, c + j * ldc);
    }
}
template <class T>
__global__ void getri(int n, const T *const *as, long long lda, const int *pivots, T *const *cs, long long ldc, int *info, long long first)
{
    const long long z = blockIdx.x + first;
    const T *a = as[z];
    int bad = 0;
    for (int k = n - 1; k >= 0; k--)
        if (is_zero(a[k + k * lda]))
            bad = k + 1;
    if (threadIdx.x == 0)
        info[z] = bad;
    if (!bad)
        invert(n, a, lda, pivots ? pivots + z * n : nullptr, cs[z], ldc);
}
/* A is kept: the factors are in `work`, n * n elements a matrix, the pivots behind all of them. */
template <class T>
__global__ void matinv(int n, const T *const *as, long long lda, T *const *cs, long long ldc, T *work, int *pivots, int *info, long long first)
{
    const long long z = blockIdx.x + first;
    const T *a = as[z];
    T *f = work + (long long)blockIdx.x * n * n;
    int *p = pivots + (long long)blockIdx.x * n;
    for (int e = threadIdx.x; e < n * n; e += LAPACK_THREADS)
        f[e] = a[e % n + e / n * lda];
    __syncthreads();
    const int bad = factor(n, f, n, p);
    if (threadIdx.x == 0)
        info[z] = bad;
    if (!bad)
        invert(n, f, n, p, cs[z], ldc);
}

template <class X> __device__ inline X sum_of_block(X v)
{
    __shared__ X all[LAPACK_THREADS];
    const int t = threadIdx.x;
    all[t] = v;
    __syncthreads();
    for (int s = LAPACK_THREADS / 2; s; s /= 2) {
        if (t < s)
            all[t] = add(all[t], all[t + s]);
        __syncthreads();
    }
    const X sum = all[0];
    __syncthreads();
    return sum;
}

/* Householder's way: the reflections below the diagonal, R above, tau beside. */
template <class T> __device__ void reflect(int m, int n, T *a, long long lda, T *tau)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, steps = m < n ? m : n;
    for (int k = 0; k < steps; k++) {
        T *col = a + k * lda;
        R most = R(0);
        for (int i = k + 1; i < m; i++)
            most = size_of(col[i]) > most ? size_of(col[i]) : most;
        const T alpha = col[k];
        if (most == R(0) && imaginary_part(alpha) == R(0)) { /* nothing to reflect */
            if (t == 0)
                tau[k] = zero<T>();
            __syncthreads();
            continue;
        }
        const R whole = size_of(alpha) > most ? size_of(alpha) : most;
        R square = R(0);
        for (int i = k + t; i < m; i += LAPACK_THREADS)
            square += squared(make<T>(real_part(col[i]) / whole, imaginary_part(col[i]) / whole));
        const R norm = whole * sqrt(sum_of_block(square));
        const R beta = real_part(alpha) >= R(0) ? -norm : norm;
        const T scale = over(one<T>(), sub(alpha, make<T>(beta, R(0))));
        const T f = make<T>((beta - real_part(alpha)) / beta, -imaginary_part(alpha) / beta);
        __syncthreads();
        for (int i = k + 1 + t; i < m; i += LAPACK_THREADS)
            col[i] = mul(scale, col[i]);
        if (t == 0) {
            col[k] = make<T>(beta, R(0));
            tau[k] = f;
        }
        __syncthreads();
        for (int j = k + 1; j < n; j++) { /* I - conj(tau) v v' */
            T *c = a + j * lda;
            T w = zero<T>();
            for (int i = k + t; i < m; i += LAPACK_THREADS)
                mad(w, i == k ? one<T>() : conjugate(col[i]), c[i]);
            w = mul(conjugate(f), sum_of_block(w));
            for (int i = k + t; i < m; i += LAPACK_THREADS)
                c[i] = sub(c[i], mul(w, i == k ? one<T>() : col[i]));
            __syncthreads();
        }
    }
}
template <class T> __global__ void geqrf(int m, int n, T *const *as, long long lda, T *const *taus, long long first)
{
    const long long z = blockIdx.x + first;
    reflect(m, n, as[z], lda, taus[z]);
}

/* Least squares of a tall matrix: Q' C, then R. info: which of R's diagonal is 0. */
template <class T>
__global__ void gels(int m, int n, int nrhs, T *const *as, long long lda, T *const *cs, long long ldc, T *taus, int *info, long long first)
{
    const long long z = blockIdx.x + first;
    T *a = as[z], *c = cs[z], *tau = taus + (long long)blockIdx.x * n;
    const int t = threadIdx.x;
    reflect(m, n, a, lda, tau);
    __syncthreads();
    for (int k = 0; k < n; k++)
        for (int j = 0; j < nrhs; j++) {
            T *b = c + j * ldc;
            T w = zero<T>();
            for (int i = k + t; i < m; i += LAPACK_THREADS)
                mad(w, i == k ? one<T>() : conjugate(a[i + k * lda]), b[i]);
            w = mul(conjugate(tau[k]), sum_of_block(w));
            for (int i = k + t; i < m; i += LAPACK_THREADS)
                b[i] = sub(b[i], mul(w, i == k ? one<T>() : a[i + k * lda]));
            __syncthreads();
        }
    int bad = 0;
    for (int k = n - 1; k >= 0; k--)
        if (is_zero(a[k + k * lda]))
            bad = k + 1;
    if (t == 0 && info)
        info[z] = bad;
    if (!bad)
        for (int j = t; j < nrhs; j += LAPACK_THREADS)
            solve_upper(n, a, lda, false, false, c + j * ldc);
}

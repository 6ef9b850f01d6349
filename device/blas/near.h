/* Factorisations of many small matrices on GPUs: a matrix a block, which holds it in shared memory, by rows; at most LAPACK_THREADS rows, a
 * thread each. Rows are an odd number of elements apart, so that threads that read a column meet in no bank. */
#pragma once
#include "device/blas/lapack.h"

template <class T> __device__ inline void near_load(int m, int n, const T *a, long long lda, T *s, int ld)
{
    if ((int)threadIdx.x < m)
        for (int j = 0; j < n; j++)
            s[threadIdx.x * ld + j] = a[threadIdx.x + j * lda];
    __syncthreads();
}
template <class T> __device__ inline void near_store(int m, int n, const T *s, int ld, T *a, long long lda)
{
    __syncthreads();
    if ((int)threadIdx.x < m)
        for (int j = 0; j < n; j++)
            a[threadIdx.x + j * lda] = s[threadIdx.x * ld + j];
}

/* The row of the largest of the threads' values, from row k on; of equal ones the upper. */
template <class R> __device__ inline int near_pivot(R v, int k, int n)
{
    __shared__ R best[LAPACK_THREADS / 32];
    __shared__ int where[LAPACK_THREADS / 32];
    const int t = threadIdx.x;
    int at = t < k || t >= n || !(v >= R(0)) ? k : t; /* no number is none */
    if (t < k || t >= n || !(v >= R(0)))
        v = R(-1);
    for (int mask = 16; mask; mask /= 2) {
        const R other = __shfl_xor_sync(0xffffffffu, v, mask);
        const int row = __shfl_xor_sync(0xffffffffu, at, mask);
        if (other > v || (other == v && row < at)) {
            v = other;
            at = row;
        }
    }
    if (t % 32 == 0) {
        best[t / 32] = v;
        where[t / 32] = at;
    }
    __syncthreads();
    return best[1] > best[0] ? where[1] : where[0];
}

/* As getrf of lapack.h. */
template <class T> __global__ void __launch_bounds__(LAPACK_THREADS) getrf_near(int n, T *const *as, long long lda, int *pivots, int *info, long long first)
{
    extern __shared__ double near_shared[];
    T *s = (T *)near_shared;
    const long long z = blockIdx.x + first;
    const int t = threadIdx.x, ld = n | 1;
    int bad = 0;
    near_load(n, n, as[z], lda, s, ld);
    for (int k = 0; k < n; k++) {
        if (pivots) {
            const int p = near_pivot(t < n ? size_of(s[t * ld + k]) : typename real_of<T>::type(-1), k, n);
            if (t == 0)
                pivots[z * n + k] = p + 1;
            if (p != k && t < n) {
                const T v = s[k * ld + t];
                s[k * ld + t] = s[p * ld + t];
                s[p * ld + t] = v;
            }
            __syncthreads();
        }
        const T d = s[k * ld + k];
        if (is_zero(d)) {
            if (!bad)
                bad = k + 1;
        } else if (t > k && t < n) {
            const T f = over(s[t * ld + k], d), g = negated(f);
            s[t * ld + k] = f;
#pragma unroll 8
            for (int j = k + 1; j < n; j++)
                mad(s[t * ld + j], g, s[k * ld + j]);
        }
        __syncthreads();
    }
    near_store(n, n, s, ld, as[z], lda);
    if (t == 0)
        info[z] = bad;
}

/* L L' of the lower triangle, or U' U of the upper one; the other is not touched. info: the first pivot that is not positive, from 1. */
template <class T> __global__ void __launch_bounds__(LAPACK_THREADS) potrf_near(int n, T *const *as, long long lda, int upper, int *info)
{
    typedef typename real_of<T>::type R;
    extern __shared__ double near_shared[];
    T *s = (T *)near_shared, *a = as[blockIdx.x];
    const int t = threadIdx.x, ld = n | 1;
    int bad = 0;
    if (t < n)
        for (int j = 0; j < n; j++) { /* what is not of the triangle is read as well, and not used */
            const T v = a[t + j * lda];
            if (upper)
                s[j * ld + t] = conjugate(v);
            else
                s[t * ld + j] = v;
        }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        const R d = real_part(s[k * ld + k]);
        if (!(d > R(0))) {
            bad = k + 1;
            break;
        }
        const R root = sqrt(d);
        const T f = t > k && t < n ? over(s[t * ld + k], make<T>(root, R(0))) : zero<T>();
        __syncthreads();
        if (t == k)
            s[k * ld + k] = make<T>(root, R(0));
        else if (t > k && t < n)
            s[t * ld + k] = f;
        __syncthreads();
        if (t > k && t < n) {
            const T g = negated(f);
#pragma unroll 8
            for (int j = k + 1; j <= t; j++)
                mad(s[t * ld + j], g, conjugate(s[j * ld + k]));
        }
        __syncthreads();
    }
    if (t < n)
        for (int j = 0; j < n; j++)
            if (upper ? t <= j : t >= j)
                a[t + j * lda] = upper ? conjugate(s[j * ld + t]) : s[t * ld + j];
    if (t == 0)
        info[blockIdx.x] = bad;
}

/* As geqrf of lapack.h: a thread has a row while the reflection is made, and a column while it is applied. */
template <class T> __global__ void __launch_bounds__(LAPACK_THREADS) geqrf_near(int m, int n, T *const *as, long long lda, T *const *taus, long long first)
{
    typedef typename real_of<T>::type R;
    extern __shared__ double near_shared[];
    __shared__ R part[2][LAPACK_THREADS / 32];
    T *s = (T *)near_shared, *tau = taus[blockIdx.x + first];
    const int t = threadIdx.x, ld = n | 1;
    near_load(m, n, as[blockIdx.x + first], lda, s, ld);
    for (int k = 0; k < (m < n ? m : n); k++) {
        const T own = t >= k && t < m ? s[t * ld + k] : zero<T>();
        R most = size_of(own), below = t > k ? size_of(own) : R(0);
        for (int mask = 16; mask; mask /= 2) {
            const R x = __shfl_xor_sync(0xffffffffu, most, mask), y = __shfl_xor_sync(0xffffffffu, below, mask);
            most = x > most ? x : most;
            below = y > below ? y : below;
        }
        if (t % 32 == 0) {
            part[0][t / 32] = most;
            part[1][t / 32] = below;
        }
        __syncthreads();
        most = part[0][0] > part[0][1] ? part[0][0] : part[0][1];
        below = part[1][0] > part[1][1] ? part[1][0] : part[1][1];
        const T alpha = s[k * ld + k];
        __syncthreads();
        if (below == R(0) && imaginary_part(alpha) == R(0)) { /* nothing to reflect */
            if (t == 0)
                tau[k] = zero<T>();
            continue;
        }
        R square = squared(make<T>(real_part(own) / most, imaginary_part(own) / most));
        for (int mask = 16; mask; mask /= 2)
            square += __shfl_xor_sync(0xffffffffu, square, mask);
        if (t % 32 == 0)
            part[0][t / 32] = square;
        __syncthreads();
        const R norm = most * sqrt(part[0][0] + part[0][1]), beta = real_part(alpha) >= R(0) ? -norm : norm;
        const T f = make<T>((beta - real_part(alpha)) / beta, -imaginary_part(alpha) / beta), g = negated(conjugate(f));
        if (t > k && t < m)
            s[t * ld + k] = mul(over(one<T>(), sub(alpha, make<T>(beta, R(0)))), own);
        if (t == k)
            s[k * ld + k] = one<T>();
        if (t == 0)
            tau[k] = f;
        __syncthreads();
        for (int j = k + 1 + t; j < n; j += LAPACK_THREADS) {
            T w = zero<T>();
#pragma unroll 8
            for (int i = k; i < m; i++)
                mad(w, conjugate(s[i * ld + k]), s[i * ld + j]);
            w = mul(g, w);
#pragma unroll 8
            for (int i = k; i < m; i++)
                mad(s[i * ld + j], w, s[i * ld + k]);
        }
        __syncthreads();
        if (t == k)
            s[k * ld + k] = make<T>(beta, R(0));
        __syncthreads();
    }
    near_store(m, n, s, ld, as[blockIdx.x + first], lda);
}

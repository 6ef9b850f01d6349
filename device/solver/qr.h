/* Householder's reflections: columns that one block does, and the triangle of a block of reflections. */
#pragma once
#include "device/solver/util.h"
#include "device/blas/extra.h"

/* The reflection that leaves only the first of n elements: I - tau v v' with v[0] = 1; x becomes v but for x[0], which becomes the length. All
 * threads of the block get tau. */
template <class T> __device__ T reflection(long long n, T *x)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x;
    R most = R(0);
    for (long long i = 1 + t; i < n; i += LAPACK_THREADS)
        most = size_of(x[i]) > most ? size_of(x[i]) : most;
    most = most_of_block(most);
    const T alpha = x[0];
    if (most == R(0) && imaginary_part(alpha) == R(0))
        return zero<T>();
    /* Few digits are left of what is near the least number, and 1 / it is none: all is computed `up` times as large. */
    const R whole = size_of(alpha) > most ? size_of(alpha) : most, up = whole < nearly_nothing(R(0)) ? R(1) / nearly_nothing(R(0)) : R(1);
    R square = R(0);
    for (long long i = t; i < n; i += LAPACK_THREADS)
        square += squared(make<T>(real_part(x[i]) * up / (whole * up), imaginary_part(x[i]) * up / (whole * up)));
    const R norm = whole * up * sqrt(sum_of_block(square));
    if (!(norm > R(0))) /* a device that takes such numbers for 0, or no number */
        return norm == R(0) ? zero<T>() : make<T>(norm, R(0));
    const T first = mul(make<T>(up, R(0)), alpha);
    const R beta = real_part(alpha) >= R(0) ? -norm : norm;
    const T scale = over(one<T>(), sub(first, make<T>(beta, R(0))));
    __syncthreads();
    for (long long i = 1 + t; i < n; i += LAPACK_THREADS)
        x[i] = mul(scale, mul(make<T>(up, R(0)), x[i]));
    if (t == 0)
        x[0] = make<T>(beta / up, R(0));
    __syncthreads();
    return make<T>((beta - real_part(first)) / beta, -imaginary_part(first) / beta);
}

/* v' times columns first .. n-1 of A, to dots: a few columns at a time, since shared memory is small. */
enum { QR_GROUP = 8 };
template <class T>
__device__ void dots_with(long long m, const T *v, bool unit, int first, int n, const T *a, long long lda, T *dots)
{
    __shared__ T part[QR_GROUP][LAPACK_THREADS];
    const int t = threadIdx.x;
    for (int from = first; from < n; from += QR_GROUP) {
        for (int j = from; j < n && j < from + QR_GROUP; j++) {
            T sum = zero<T>();
            for (long long i = t; i < m; i += LAPACK_THREADS)
                mad(sum, unit && i == 0 ? one<T>() : conjugate(v[i]), a[i + j * lda]);
            part[j - from][t] = sum;
        }
        __syncthreads();
        if (t < QR_GROUP && from + t < n) {
            T sum = zero<T>();
            for (int s = 0; s < LAPACK_THREADS; s++)
                sum = add(sum, part[t][s]);
            dots[from + t] = sum;
        }
        __syncthreads();
    }
}

/* At most QR_BLOCK columns: the reflections below the diagonal, R above, tau beside. */
template <class T> __global__ void geqrf_panel(int m, int n, T *a, long long lda, T *tau)
{
    __shared__ T w[QR_BLOCK];
    const int t = threadIdx.x, steps = m < n ? m : n;
    for (int k = 0; k < steps; k++) {
        T *v = a + k * lda;
        const T f = reflection<T>(m - k, v + k);
        if (t == 0)
            tau[k] = f;
        dots_with(m - k, v + k, true, k + 1, n, a + k, lda, w);
        const T g = conjugate(f);
        for (int j = k + 1; j < n; j++)
            for (int i = k + t; i < m; i += LAPACK_THREADS)
                a[i + j * lda] = sub(a[i + j * lda], mul(mul(g, w[j]), i == k ? one<T>() : v[i]));
        __syncthreads();
    }
}

/* The triangle T of I - V T V', from V' V and tau; one row a thread. */
template <class T> __global__ void larft(int n, const T *g, long long ldg, const T *tau, T *r, long long ldr)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        T v = zero<T>();
        if (j == i)
            v = tau[j];
        else if (j > i) {
            for (int l = i; l < j; l++)
                mad(v, r[i + l * ldr], g[l + j * ldg]);
            v = negated(mul(tau[j], v));
        }
        r[i + j * ldr] = v;
    }
}

/* The same for GPUs: T is the inverse of what V' V is above its diagonal, with the reciprocals of tau on it. Turned round it is a lower
 * triangle. V' V may come in parts, ROWS columns from one to the next. */
template <class T, int ROWS>
__global__ void __launch_bounds__(INVERT_THREADS) larft_tile(int n, const T *g, long long ldg, int parts, const T *tau, T *r, long long ldr)
{
    __shared__ inverted<T, ROWS> s;
    for (int e = threadIdx.x; e < ROWS * ROWS; e += INVERT_THREADS) {
        const int i = ROWS - 1 - e % ROWS, j = ROWS - 1 - e / ROWS; /* of T */
        if (i > j)
            continue;
        T v = zero<T>();
        if (j < n && i == j)
            v = tau[i];
        else if (j < n)
#pragma unroll 8
            for (int p = 0; p < parts; p++)
                v = add(v, g[i + (j + p * ROWS) * ldg]);
        if (i == j)
            s.diagonal[e % ROWS] = v;
        else
            s.square[e % ROWS][e / ROWS] = v;
    }
    __syncthreads();
    invert_square(s);
    for (int e = threadIdx.x; e < n * n; e += INVERT_THREADS) {
        const int i = e % n, j = e / n;
        T v = zero<T>();
        if (i <= j)
            v = s.x(ROWS - 1 - i, ROWS - 1 - j);
        r[i + j * ldr] = v;
    }
}

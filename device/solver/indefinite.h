/* Symmetric matrices that need not be definite: L D L' with blocks of one and two rows in D (Bunch and Kaufman), by one block of threads. The
 * upper triangle is the lower one of the matrix whose rows and columns go from the last to the first. */
#pragma once
#include "device/solver/lu.h"

template <class T> struct lower_view {
    T *a;
    long long n, lda;
    bool flip;
    __device__ T &operator()(long long i, long long j) const { return flip ? a[n - 1 - i + (n - 1 - j) * lda] : a[i + j * lda]; }
};
/* Pivots as LAPACK has them: from 1, negative for both rows of a block of two. */
template <class P> struct pivot_view {
    P *p;
    long long n;
    bool flip;
    __device__ long long get(long long k) const
    {
        const long long v = (long long)p[flip ? n - 1 - k : k];
        const long long row = v < 0 ? -v : v, at = flip ? n + 1 - row : row;
        return v < 0 ? -at : at;
    }
    __device__ void set(long long k, long long v) const
    {
        const long long row = v < 0 ? -v : v, at = flip ? n + 1 - row : row;
        p[flip ? n - 1 - k : k] = (P)(v < 0 ? -at : at);
    }
};

/* Where the largest element of column c is among rows from .. n-1 but not row c, and how large. A row left of the diagonal is a column of the
 * lower triangle. */
template <class T> __device__ typename real_of<T>::type largest(const lower_view<T> &a, long long from, long long c, long long *where)
{
    typedef typename real_of<T>::type R;
    __shared__ R best[LAPACK_THREADS];
    __shared__ long long row[LAPACK_THREADS];
    const int t = threadIdx.x;
    R most = R(-1);
    long long at = from;
    for (long long i = from + t; i < a.n; i += LAPACK_THREADS) {
        if (i == c)
            continue;
        const R v = size_of(i > c ? a(i, c) : a(c, i));
        if (v > most) {
            most = v;
            at = i;
        }
    }
    best[t] = most;
    row[t] = at;
    __syncthreads();
    for (int s = LAPACK_THREADS / 2; s; s /= 2) {
        if (t < s && (best[t + s] > best[t] || (best[t + s] == best[t] && row[t + s] < row[t]))) {
            best[t] = best[t + s];
            row[t] = row[t + s];
        }
        __syncthreads();
    }
    const R found = best[0];
    *where = row[0];
    __syncthreads();
    return found < R(0) ? R(0) : found;
}

template <class T> __global__ void sytrf(long long n, T *a0, long long lda, int upper, int *pivots, int *info)
{
    typedef typename real_of<T>::type R;
    const lower_view<T> a = {a0, n, lda, upper != 0};
    const pivot_view<int> pivot = {pivots, n, upper != 0};
    const R alpha = R(0.6403882032022076); /* (1 + sqrt(17)) / 8: least growth for both kinds of steps */
    const int t = threadIdx.x;
    int bad = 0;
    for (long long k = 0; k < n;) {
        int step = 1;
        long long p = k, r, other;
        const R absolute = size_of(a(k, k));
        const R below = k + 1 < n && pivots ? largest(a, k + 1, k, &r) : R(0);
        if (absolute == R(0) && below == R(0)) {
            if (!bad)
                bad = (int)(upper ? n - k : k + 1);
            if (t == 0 && pivots)
                pivot.set(k, k + 1);
            k++;
            continue;
        }
        if (absolute < alpha * below) {
            const R beside = largest(a, k, r, &other);
            if (absolute * beside >= alpha * below * below)
                p = k;
            else if (size_of(a(r, r)) >= alpha * beside)
                p = r;
            else {
                p = r;
                step = 2;
            }
        }
        const long long with = k + step - 1;
        __syncthreads();
        if (p != with) {
            for (long long i = p + 1 + t; i < n; i += LAPACK_THREADS)
                exchange(a(i, with), a(i, p));
            for (long long i = with + 1 + t; i < p; i += LAPACK_THREADS)
                exchange(a(i, with), a(p, i));
            if (t == 0) {
                exchange(a(with, with), a(p, p));
                if (step == 2)
                    exchange(a(k + 1, k), a(p, k));
            }
            __syncthreads();
        }
        if (step == 1) {
            const T d = a(k, k);
            for (long long j = k + 1 + t; j < n; j += LAPACK_THREADS) {
                const T f = over(a(j, k), d);
                for (long long i = j; i < n; i++)
                    a(i, j) = sub(a(i, j), mul(a(i, k), f));
            }
            __syncthreads();
            for (long long i = k + 1 + t; i < n; i += LAPACK_THREADS)
                a(i, k) = over(a(i, k), d);
        } else {
            const T d = a(k + 1, k), d11 = over(a(k + 1, k + 1), d), d22 = over(a(k, k), d);
            const T f = over(over(one<T>(), sub(mul(d11, d22), one<T>())), d);
            /* Columns of L in place of those of A once all have been read. */
            for (long long j = k + 2 + t; j < n; j += LAPACK_THREADS) {
                const T x = mul(f, sub(mul(d11, a(j, k)), a(j, k + 1))), y = mul(f, sub(mul(d22, a(j, k + 1)), a(j, k)));
                for (long long i = j; i < n; i++)
                    a(i, j) = sub(a(i, j), add(mul(a(i, k), x), mul(a(i, k + 1), y)));
            }
            __syncthreads();
            for (long long j = k + 2 + t; j < n; j += LAPACK_THREADS) {
                const T x = mul(f, sub(mul(d11, a(j, k)), a(j, k + 1))), y = mul(f, sub(mul(d22, a(j, k + 1)), a(j, k)));
                a(j, k) = x;
                a(j, k + 1) = y;
            }
        }
        if (t == 0 && pivots)
            for (int s = 0; s < step; s++)
                pivot.set(k + s, step == 1 ? p + 1 : -(p + 1));
        __syncthreads();
        k += step;
    }
    if (t == 0)
        *info = bad;
}

/* One column of B a thread. */
template <class T, class P> __device__ void solve_indefinite(const lower_view<const T> &a, const pivot_view<const P> &pivot, T *b0, bool flip)
{
    const long long n = a.n;
#define B(i) b0[flip ? n - 1 - (i) : (i)]
    for (long long k = 0; k < n;) {
        const long long v = pivot.p ? pivot.get(k) : k + 1;
        if (v > 0) {
            exchange(B(k), B(v - 1));
            for (long long i = k + 1; i < n; i++)
                B(i) = sub(B(i), mul(a(i, k), B(k)));
            B(k) = over(B(k), a(k, k));
            k++;
        } else {
            exchange(B(k + 1), B(-v - 1));
            for (long long i = k + 2; i < n; i++)
                B(i) = sub(B(i), add(mul(a(i, k), B(k)), mul(a(i, k + 1), B(k + 1))));
            const T d = a(k + 1, k), x = over(a(k, k), d), y = over(a(k + 1, k + 1), d);
            const T det = sub(mul(x, y), one<T>()), u = over(B(k), d), z = over(B(k + 1), d);
            B(k) = over(sub(mul(y, u), z), det);
            B(k + 1) = over(sub(mul(x, z), u), det);
            k += 2;
        }
    }
    for (long long k = n - 1; k >= 0;) {
        const long long v = pivot.p ? pivot.get(k) : k + 1;
        const int rows = v > 0 ? 1 : 2;
        for (long long i = k + 1; i < n; i++)
            for (int s = 0; s < rows; s++)
                B(k - s) = sub(B(k - s), mul(a(i, k - s), B(i)));
        exchange(B(k), B(v > 0 ? v - 1 : -v - 1));
        k -= rows;
    }
#undef B
}
template <class T>
__global__ void sytrs(long long n, long long nrhs, const T *a, long long lda, int upper, const int *pivots, T *b, long long ldb)
{
    EACH_OF (j, nrhs)
        solve_indefinite<T, int>({a, n, lda, upper != 0}, {pivots, n, upper != 0}, b + j * ldb, upper != 0);
}
template <class T>
__global__ void sytrs_wide(long long n, long long nrhs, const T *a, long long lda, int upper, const long long *pivots, T *b, long long ldb)
{
    EACH_OF (j, nrhs)
        solve_indefinite<T, long long>({a, n, lda, upper != 0}, {pivots, n, upper != 0}, b + j * ldb, upper != 0);
}

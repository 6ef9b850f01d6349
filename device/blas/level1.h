/* Level 1: vectors. Increments may be negative: a vector then begins at its end, and the host side has moved the pointer
 * there, so element i is always x[i * incx]. */
#pragma once
#include "device/blas/types.h"

#define EACH_ELEMENT(i, n)                                                                         \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += (long long)gridDim.x * blockDim.x)

template <class T, class U> __global__ void copy(long long n, const T *x, long long incx, U *y, long long incy)
{
    EACH_ELEMENT (i, n)
        y[i * incy] = to<U>(x[i * incx]);
}

template <class T> __global__ void swap(long long n, T *x, long long incx, T *y, long long incy)
{
    EACH_ELEMENT (i, n) {
        const T v = x[i * incx];
        x[i * incx] = y[i * incy];
        y[i * incy] = v;
    }
}

/* X: what is computed with; S: the scalar. */
template <class T, class S, class X> __global__ void scal(long long n, const void *alpha_at, double re, double im, T *x, long long incx)
{
    const double value[2] = {re, im};
    const X alpha = to<X>(scalar<S>(alpha_at, value));
    EACH_ELEMENT (i, n)
        x[i * incx] = to<T>(mul(alpha, to<X>(x[i * incx])));
}
/* A real scalar of complex elements. */
template <class R> __global__ void scal_real(long long n, const void *alpha_at, double re, complex<R> *x, long long incx)
{
    const R alpha = alpha_at ? *(const R *)alpha_at : (R)re;
    EACH_ELEMENT (i, n) {
        x[i * incx].x *= alpha;
        x[i * incx].y *= alpha;
    }
}

template <class T, class S, class X>
__global__ void axpy(long long n, const void *alpha_at, double re, double im, const T *x, long long incx, T *y, long long incy)
{
    const double value[2] = {re, im};
    const X alpha = to<X>(scalar<S>(alpha_at, value));
    if (is_zero(alpha))
        return;
    EACH_ELEMENT (i, n) {
        X v = to<X>(y[i * incy]);
        mad(v, alpha, to<X>(x[i * incx]));
        y[i * incy] = to<T>(v);
    }
}

/* c is real; s is of type S. */
template <class T, class S, class X>
__global__ void rot(long long n, T *x, long long incx, T *y, long long incy, const void *c_at, double c_value, const void *s_at, double s_re,
                    double s_im)
{
    typedef typename real_of<X>::type R;
    typedef typename real_of<S>::type RS;
    const double value[2] = {s_re, s_im};
    const X s = to<X>(scalar<S>(s_at, value));
    const X c = to<X>(c_at ? to<R>(*(const RS *)c_at) : (R)c_value);
    EACH_ELEMENT (i, n) {
        const X u = to<X>(x[i * incx]), v = to<X>(y[i * incy]);
        X a = mul(c, u), b = mul(c, v);
        mad(a, s, v);
        x[i * incx] = to<T>(a);
        y[i * incy] = to<T>(sub(b, mul(conjugate(s), u)));
    }
}

/* param[0]: which of the four matrices; the rest by columns. */
template <class T, class P, class X> __global__ void rotm(long long n, T *x, long long incx, T *y, long long incy, const P *param)
{
    const X flag = to<X>(param[0]);
    if (flag == X(-2))
        return;
    const X h11 = flag == X(0) ? X(1) : to<X>(param[1]), h22 = flag == X(0) ? X(1) : to<X>(param[4]);
    const X h21 = flag == X(1) ? X(-1) : to<X>(param[2]), h12 = flag == X(1) ? X(1) : to<X>(param[3]);
    EACH_ELEMENT (i, n) {
        const X u = to<X>(x[i * incx]), v = to<X>(y[i * incy]);
        x[i * incx] = to<T>(h11 * u + h12 * v);
        y[i * incy] = to<T>(h21 * u + h22 * v);
    }
}

/* ---- scalars, one thread ---- */

template <class R> __global__ void rotg(R *a, R *b, R *c, R *s)
{
    const R x = *a, y = *b, ax = fabs(x), ay = fabs(y), scale = ax > ay ? ax : ay;
    if (scale == R(0)) {
        *c = R(1);
        *s = R(0);
        *a = *b = R(0);
        return;
    }
    const R sign = (ax > ay ? x : y) < R(0) ? R(-1) : R(1);
    const R u = x / scale, v = y / scale, r = sign * scale * sqrt(u * u + v * v);
    *c = x / r;
    *s = y / r;
    *b = ax > ay ? *s : *c != R(0) ? R(1) / *c : R(1);
    *a = r;
}
template <class R> __global__ void rotg_complex(complex<R> *a, complex<R> *b, R *c, complex<R> *s)
{
    const complex<R> x = *a, y = *b;
    const R ax = hypot(x.x, x.y);
    if (ax == R(0)) {
        *c = R(0);
        s->x = R(1);
        s->y = R(0);
        *a = y;
        return;
    }
    const R ay = hypot(y.x, y.y), norm = hypot(ax, ay);
    const complex<R> unit = {x.x / ax, x.y / ax};
    *c = ax / norm;
    const complex<R> t = mul(unit, conjugate(y));
    s->x = t.x / norm;
    s->y = t.y / norm;
    a->x = unit.x * norm;
    a->y = unit.y * norm;
}
/* Modified rotations (Lawson, Hanson, Kincaid, Krogh 1979): scaled so that factors stay within 1/GAMMA and GAMMA. */
template <class R> __global__ void rotmg(R *d1, R *d2, R *x1, const R *y1, R *param)
{
    const R gamma = R(4096), high = gamma * gamma, low = R(1) / high;
    R a = *d1, b = *d2, x = *x1, y = *y1, h11 = R(0), h12 = R(0), h21 = R(0), h22 = R(0), flag;
    if (a < R(0)) {
        flag = R(-1);
        a = b = x = R(0);
    } else {
        const R p2 = b * y;
        if (p2 == R(0)) {
            param[0] = R(-2);
            return;
        }
        const R p1 = a * x, q2 = p2 * y, q1 = p1 * x;
        if (fabs(q1) > fabs(q2)) {
            h21 = -y / x;
            h12 = p2 / p1;
            const R u = R(1) - h12 * h21;
            if (u > R(0)) {
                flag = R(0);
                a /= u;
                b /= u;
                x *= u;
            } else {
                flag = R(-1);
                h12 = h21 = R(0);
                a = b = x = R(0);
            }
        } else if (q2 < R(0)) {
            flag = R(-1);
            a = b = x = R(0);
        } else {
            flag = R(1);
            h11 = p1 / p2;
            h22 = x / y;
            const R u = R(1) + h11 * h22, t = b / u;
            b = a / u;
            a = t;
            x = y * u;
        }
        while (a != R(0) && (a <= low || a >= high)) {
            if (flag == R(0))
                h11 = h22 = R(1);
            else if (flag > R(0)) {
                h21 = R(-1);
                h12 = R(1);
            }
            flag = R(-1);
            const bool up = a <= low;
            a = up ? a * high : a / high;
            x = up ? x / gamma : x * gamma;
            h11 = up ? h11 / gamma : h11 * gamma;
            h12 = up ? h12 / gamma : h12 * gamma;
        }
        while (b != R(0) && (fabs(b) <= low || fabs(b) >= high)) {
            if (flag == R(0))
                h11 = h22 = R(1);
            else if (flag > R(0)) {
                h21 = R(-1);
                h12 = R(1);
            }
            flag = R(-1);
            const bool up = fabs(b) <= low;
            b = up ? b * high : b / high;
            h21 = up ? h21 / gamma : h21 * gamma;
            h22 = up ? h22 / gamma : h22 * gamma;
        }
    }
    if (flag < R(0)) {
        param[1] = h11;
        param[2] = h21;
        param[3] = h12;
        param[4] = h22;
    } else if (flag == R(0)) {
        param[2] = h21;
        param[3] = h12;
    } else {
        param[1] = h11;
        param[4] = h22;
    }
    param[0] = flag;
    *d1 = a;
    *d2 = b;
    *x1 = x;
}

/* ---- sums: each block leaves one, and a last block adds those ---- */
enum { SUM_THREADS = 256 };

/* The double of a kind. */
template <class T> struct doubled {
    typedef double type;
};
template <class R> struct doubled<complex<R>> {
    typedef complex<double> type;
};

/* A sum of squares that neither over- nor underflows: scale^2 * sum. */
struct squares {
    double scale, sum;
};
__device__ inline squares add(squares a, squares b)
{
    if (a.scale < b.scale) {
        const squares t = a;
        a = b;
        b = t;
    }
    if (a.scale > 0) {
        const double q = b.scale / a.scale;
        a.sum += b.scale == a.scale ? b.sum : b.sum * q * q;
    }
    if (b.sum != b.sum)
        a.sum = b.sum;
    return a;
}
__device__ inline void take(squares &s, double v)
{
    v = fabs(v);
    if (v != v)
        s.sum = v;
    else if (v > s.scale) {
        const double q = s.scale / v;
        s.sum = 1 + s.sum * q * q;
        s.scale = v;
    } else if (s.scale > 0) {
        const double q = v == s.scale ? 1 : v / s.scale;
        s.sum += q * q;
    }
}
template <class R> __device__ inline void take_all(squares &s, R v) { take(s, (double)wide(v)); }
template <class R> __device__ inline void take_all(squares &s, complex<R> v)
{
    take(s, (double)wide(v.x));
    take(s, (double)wide(v.y));
}
template <class X, class T> __device__ inline X magnitude(T v) { return to<X>(fabs(wide(v))); }
template <class X, class R> __device__ inline X magnitude(complex<R> v) { return to<X>(fabs(v.x)) + to<X>(fabs(v.y)); }

template <class X> __device__ inline X block_sum(X v)
{
    __shared__ X all[SUM_THREADS];
    const int t = threadIdx.x;
    all[t] = v;
    __syncthreads();
    for (int k = SUM_THREADS / 2; k; k /= 2) {
        if (t < k)
            all[t] = add(all[t], all[t + k]);
        __syncthreads();
    }
    return all[0];
}

/* Calls take(i, x[i]) for this thread's share of the elements, i ascending. Where they lie side by side: CHUNKS of 16 bytes, four at once under
 * way; or one by one, so that threads beside each other read a vector's lanes. */
template <int CHUNKS, class T, class F> __device__ inline void each_of(long long n, const T *x, long long incx, F take)
{
    const int V = 16 / (int)sizeof(T);
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x, step = (long long)gridDim.x * blockDim.x;
    if (incx != 1 || (CHUNKS && (unsigned long long)x % 16)) {
        for (long long i = thread; i < n; i += step)
            take(i, x[i * incx]);
        return;
    }
    if (!CHUNKS) {
        for (long long i = thread; i < n; i += step)
            take(i, x[i]);
        return;
    }
    const long long chunks = n / V;
    const uint4 *p = (const uint4 *)x;
    long long i = thread;
    for (; i + 3 * step < chunks; i += 4 * step) {
        chunk<T> c[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            c[q].whole = p[i + q * step];
#pragma unroll
        for (int q = 0; q < 4; q++)
#pragma unroll
            for (int k = 0; k < V; k++)
                take((i + q * step) * V + k, c[q].each[k]);
    }
    for (; i < chunks; i += step) {
        chunk<T> c;
        c.whole = p[i];
#pragma unroll
        for (int k = 0; k < V; k++)
            take(i * V + k, c.each[k]);
    }
    for (i = chunks * V + thread; i < n; i += step)
        take(i, x[i]);
}

template <int CHUNKS, class T, class X> __global__ void absolutes(long long n, const T *x, long long incx, X *out)
{
    X sum = zero<X>();
    each_of<CHUNKS>(n, x, incx, [&](long long, T v) { sum = add(sum, magnitude<X>(v)); });
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
template <int CHUNKS, class T, class X, int CONJ> __global__ void products(long long n, const T *x, long long incx, const T *y, long long incy, X *out)
{
    X sum = zero<X>();
    if (!CHUNKS && incx == 1 && incy == 1) {
        EACH_ELEMENT (i, n) {
            const X v = to<X>(x[i]);
            mad(sum, CONJ ? conjugate(v) : v, to<X>(y[i]));
        }
    } else if (CHUNKS && incy == 1 && (unsigned long long)y % 16 == 0 && incx == 1 && (unsigned long long)x % 16 == 0) {
        const int V = 16 / (int)sizeof(T);
        const long long step = (long long)gridDim.x * blockDim.x, chunks = n / V;
        long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
        for (; i + step < chunks; i += 2 * step) {
            chunk<T> u[2], w[2];
#pragma unroll
            for (int q = 0; q < 2; q++) {
                u[q].whole = ((const uint4 *)x)[i + q * step];
                w[q].whole = ((const uint4 *)y)[i + q * step];
            }
#pragma unroll
            for (int q = 0; q < 2; q++)
#pragma unroll
                for (int k = 0; k < V; k++)
                    mad(sum, CONJ ? conjugate(to<X>(u[q].each[k])) : to<X>(u[q].each[k]), to<X>(w[q].each[k]));
        }
        for (; i < chunks; i += step)
            for (int k = 0; k < V; k++) {
                const X v = to<X>(x[i * V + k]);
                mad(sum, CONJ ? conjugate(v) : v, to<X>(y[i * V + k]));
            }
        for (i = chunks * V + blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += step) {
            const X v = to<X>(x[i]);
            mad(sum, CONJ ? conjugate(v) : v, to<X>(y[i]));
        }
    } else {
        EACH_ELEMENT (i, n) {
            const X v = to<X>(x[i * incx]);
            mad(sum, CONJ ? conjugate(v) : v, to<X>(y[i * incy]));
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
template <class X, class R> __global__ void total(int n, const X *parts, R *result)
{
    X sum = zero<X>();
    for (int i = threadIdx.x; i < n; i += SUM_THREADS)
        sum = add(sum, parts[i]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *result = to<R>(sum);
}
/* Squares of floats are within the range of doubles: only doubles need a scale. */
__device__ inline double square_of(double v) { return v * v; }
template <class R> __device__ inline double square_of(complex<R> v) { return square_of((double)v.x) + square_of((double)v.y); }
template <int CHUNKS, class T> __global__ void sums_of_squares(long long n, const T *x, long long incx, squares *out)
{
    squares s = {0, 0};
    if (sizeof(typename real_of<T>::type) < 8) {
        double sum = 0;
        each_of<CHUNKS>(n, x, incx, [&](long long, T v) { sum += square_of(to<typename doubled<T>::type>(v)); });
        s.scale = 1;
        s.sum = sum;
    } else {
        each_of<CHUNKS>(n, x, incx, [&](long long, T v) { take_all(s, v); });
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}
template <class R> __global__ void root(int n, const squares *parts, R *result)
{
    squares s = {0, 0};
    for (int i = threadIdx.x; i < n; i += SUM_THREADS)
        s = add(s, parts[i]);
    s = block_sum(s);
    if (threadIdx.x == 0)
        *result = to<R>(s.scale > 0 || s.sum != s.sum ? s.scale * sqrt(s.sum) : s.sum);
}

/* ---- where the largest or the smallest is: the first of them, counted from 1 ---- */
struct place {
    double value;
    long long at; /* 0: none yet */
};
template <int MAX> __device__ inline place better(place a, place b)
{
    if (!b.at || !a.at)
        return a.at ? a : b;
    if (a.value == b.value)
        return a.at < b.at ? a : b;
    /* What is no number is neither: it stays where it is first. */
    return (MAX ? b.value > a.value : b.value < a.value) || (a.value != a.value && b.value == b.value) ? b : a;
}
template <int MAX> __device__ inline place best_of_block(place v)
{
    __shared__ place all[SUM_THREADS];
    const int t = threadIdx.x;
    all[t] = v;
    __syncthreads();
    for (int k = SUM_THREADS / 2; k; k /= 2) {
        if (t < k)
            all[t] = better<MAX>(all[t], all[t + k]);
        __syncthreads();
    }
    return all[0];
}
template <int CHUNKS, class T, int MAX> __global__ void places(long long n, const T *x, long long incx, place *out)
{
    typedef typename real_of<T>::type stored;
    typedef decltype(wide(stored())) R; /* what is compared: doubles only where elements are */
    R most = R(0);
    long long at = 0;
    each_of<CHUNKS>(n, x, incx, [&](long long i, T e) {
        const R v = magnitude<R>(e);
        if (!at || (MAX ? v > most : v < most) || (most != most && v == v)) {
            most = v;
            at = i + 1;
        }
    });
    place best = {(double)most, at};
    best = best_of_block<MAX>(best);
    if (threadIdx.x == 0)
        out[blockIdx.x] = best;
}
template <class I, int MAX> __global__ void best_place(int n, const place *parts, I *result)
{
    place best = {0, 0};
    for (int i = threadIdx.x; i < n; i += SUM_THREADS)
        best = better<MAX>(best, parts[i]);
    best = best_of_block<MAX>(best);
    if (threadIdx.x == 0)
        *result = (I)best.at;
}

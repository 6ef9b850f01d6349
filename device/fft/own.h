/* Kernels of include/cuda/tern_fft.h: what is done before and after transforms of cuFFT's, and passes of transforms modulo a prime. */
#pragma once

#define OWN_EACH(i, n)                                                                                                                                 \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += gridDim.x * (long long)blockDim.x)

template <class T> struct own_complex {
    T x, y;
};

/* exp(-pi i a / b), a and b of any size. */
__device__ inline own_complex<double> own_turn(long long a, long long b)
{
    double s, c;
    sincospi((double)(a % (2 * b)) / (double)b, &s, &c);
    return {c, -s};
}

/* Element j times exp(-pi i j beta2 / (2 m)), followed by zeros up to 2 m; first and last are halved where they count once. */
template <class T>
__global__ void own_real_before(long long n, long long batch, long long m, int beta2, int half_first, int half_last, const T *x, own_complex<T> *z)
{
    OWN_EACH (i, 2 * m * batch) {
        const long long j = i % (2 * m), k = i / (2 * m);
        own_complex<T> v = {0, 0};
        if (j < n) {
            const own_complex<double> w = own_turn(j * beta2, 2 * m);
            const double a = (double)x[k * n + j] * ((half_first && j == 0) || (half_last && j == n - 1) ? 0.5 : 1.0);
            v.x = (T)(a * w.x);
            v.y = (T)(a * w.y);
        }
        z[i] = v;
    }
}
/* 2 Re, or -2 Im, of element k times exp(-pi i alpha2 (2 k + beta2) / (4 m)). */
template <class T>
__global__ void own_real_after(long long n, long long batch, long long m, int alpha2, int beta2, int sine, const own_complex<T> *z, T *y)
{
    OWN_EACH (i, n * batch) {
        const long long k = i % n;
        const own_complex<T> v = z[i / n * 2 * m + k];
        const own_complex<double> w = own_turn(alpha2 * (2 * k + beta2), 4 * m);
        y[i] = (T)(sine ? -2 * ((double)v.x * w.y + (double)v.y * w.x) : 2 * ((double)v.x * w.x - (double)v.y * w.y));
    }
}

/* Lines of n elements to lines of m, with zeros behind them, or the first of them back. */
template <class T> __global__ void own_pad(long long n, long long m, long long batch, const T *x, T *y)
{
    OWN_EACH (i, m * batch) {
        const long long j = i % m;
        T v = {};
        if (j < n)
            v = x[i / m * n + j];
        y[i] = v;
    }
}
template <class T> __global__ void own_cut(long long n, long long m, long long batch, const T *x, T *y)
{
    OWN_EACH (i, n * batch)
        y[i] = x[i / n * m + i % n];
}
template <class T> __global__ void own_multiply(long long n, T scale, own_complex<T> *a, const own_complex<T> *b)
{
    OWN_EACH (i, n) {
        const own_complex<T> u = a[i], v = b[i];
        a[i] = {(u.x * v.x - u.y * v.y) * scale, (u.x * v.y + u.y * v.x) * scale};
    }
}

/* ---- modulo a prime ---- */

__device__ inline unsigned own_high(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}
__device__ inline unsigned long long own_high(unsigned long long a, unsigned long long b)
{
    return __umul64hi(a, b);
}
/* a b / 2^bits modulo p, Montgomery's way: inverse p = 1 modulo 2^bits. a and b are below p. */
template <class U> __device__ inline U own_times(U a, U b, U p, U inverse)
{
    const U high = own_high(a, b), less = own_high((U)(a * b * inverse), p);
    return high >= less ? high - less : high - less + p;
}
template <class U> __device__ inline U own_plus(U a, U b, U p)
{
    return a >= p - b ? a - (p - b) : a + b; /* a + b may have a bit more */
}

/* One pass of radix R, Stockham's way: element q + s (k + m j) of a line, j = 0 to R - 1, becomes element q + s (R k + j), times root^(j k n / l), l =
 * m R. roots: 2^bits root^i. The first pass takes numbers modulo p, the last multiplies by scale (as the roots are given), where that is not 0. */
template <class U, int R>
__global__ void own_pass(long long n, long long batch, long long m, long long s, U p, U inverse, const U *roots, int first, U scale, const U *x, U *y)
{
    const long long l = m * R, apart = n / l, turn = n / R;
    OWN_EACH (i, n / R * batch) {
        const long long line = i / (n / R) * n, t = i % (n / R), k = t / s, q = t % s;
        U a[R];
        for (int j = 0; j < R; j++) {
            a[j] = x[line + q + s * (k + m * j)];
            if (first && a[j] >= p)
                a[j] %= p;
        }
        for (int j = 0; j < R; j++) {
            U sum = a[0];
            for (int e = 1; e < R; e++)
                sum = own_plus(sum, j * e % R ? own_times(a[e], roots[j * e % R * turn], p, inverse) : a[e], p);
            if (j * k)
                sum = own_times(sum, roots[j * k % l * apart], p, inverse);
            if (scale)
                sum = own_times(sum, scale, p, inverse);
            y[line + q + s * (R * k + j)] = sum;
        }
    }
}
/* The same for a radix r that is known when it runs: a thread for each number that is written. */
template <class U>
__global__ void own_pass_any(long long n, long long batch, long long m, long long s, U p, U inverse, const U *roots, int first, U scale, const U *x, U *y,
                             int r)
{
    const long long l = m * r, apart = n / l, turn = n / r;
    OWN_EACH (i, n * batch) {
        const long long line = i / n * n, q = i % n % s, j = i % n / s % r, k = i % n / s / r;
        U sum = 0;
        for (int e = 0; e < r; e++) {
            U a = x[line + q + s * (k + m * e)];
            if (first && a >= p)
                a %= p;
            sum = own_plus(sum, j * e % r ? own_times(a, roots[j * e % r * turn], p, inverse) : a, p);
        }
        if (j * k)
            sum = own_times(sum, roots[j * k % l * apart], p, inverse);
        y[i] = scale ? own_times(sum, scale, p, inverse) : sum;
    }
}
/* a b, from numbers below p: square is 2^(2 bits) modulo p. */
template <class U> __global__ void own_product(long long n, U p, U inverse, U square, const U *a, const U *b, U *c)
{
    OWN_EACH (i, n)
        c[i] = own_times(own_times(a[i], square, p, inverse), b[i], p, inverse);
}
template <class U> __global__ void own_reduce(long long n, U p, const U *a, U *c)
{
    OWN_EACH (i, n)
        c[i] = a[i] % p;
}

/* Sparse vectors with dense ones. C: what is computed with. */
#pragma once
#include "device/sparse/walk.h"

template <class T, class C> __global__ void scale(long long n, sparse_scalar beta, T *y)
{
    const C b = value_of<C>(beta);
    EACH_ELEMENT (i, n)
        y[i] = is_zero(b) ? to<T>(zero<C>()) : to<T>(mul(b, to<C>(y[i])));
}
template <class T, class I, class C>
__global__ void add_entries(long long n, const I *indices, const T *x, long long base, sparse_scalar alpha, T *y)
{
    const C a = value_of<C>(alpha);
    EACH_ELEMENT (k, n) {
        T *at = &y[(long long)indices[k] - base];
        C v = to<C>(*at);
        mad(v, a, to<C>(x[k]));
        *at = to<T>(v);
    }
}
template <class T, class I> __global__ void gather(long long n, const I *indices, T *x, long long base, const T *y)
{
    EACH_ELEMENT (k, n)
        x[k] = y[(long long)indices[k] - base];
}
template <class T, class I> __global__ void scatter(long long n, const I *indices, const T *x, long long base, T *y)
{
    EACH_ELEMENT (k, n)
        y[(long long)indices[k] - base] = x[k];
}
template <class T, class I, class C>
__global__ void rotate(long long n, const I *indices, T *x, long long base, T *y, sparse_scalar cosine, sparse_scalar sine)
{
    const C c = value_of<C>(cosine), s = value_of<C>(sine);
    EACH_ELEMENT (k, n) {
        T *at = &y[(long long)indices[k] - base];
        const C u = to<C>(x[k]), v = to<C>(*at);
        x[k] = to<T>(add(mul(c, u), mul(s, v)));
        *at = to<T>(sub(mul(c, v), mul(s, u)));
    }
}
/* A sum for each block, then one of those: the same each time. */
template <class X, class Y, class I, class C>
__global__ void dot_parts(long long n, const I *indices, const X *x, long long base, int conj, const Y *y, C *parts)
{
    __shared__ C part[4];
    C sum = zero<C>();
    EACH_ELEMENT (k, n) {
        const C u = to<C>(x[k]);
        mad(sum, conj ? conjugate(u) : u, to<C>(y[(long long)indices[k] - base]));
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            sum = add(sum, part[w]);
        parts[blockIdx.x] = sum;
    }
}
template <class C> __global__ void dot_total(int n, const C *parts, C *result)
{
    C sum = zero<C>();
    for (int k = threadIdx.x; k < n; k += 32)
        sum = add(sum, parts[k]);
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        *result = sum;
}
/* y = alpha * op(A) * x + beta * y: a dense matrix by columns, a sparse vector. A warp for each element of y. */
template <class T>
__global__ void gemvi(long long rows, long long row, long long col, int conj, const T *a, int n, const T *x, const int *indices, int base,
                      sparse_scalar alpha, sparse_scalar beta, T *y)
{
    const T al = value_of<T>(alpha), be = value_of<T>(beta);
    EACH_LINE (i, rows) {
        T sum = zero<T>();
        for (int k = threadIdx.x % 32; k < n; k += 32) {
            const T v = a[i * row + (indices[k] - base) * col];
            mad(sum, conj ? conjugate(v) : v, x[k]);
        }
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            finish(&y[i], sum, al, be);
    }
}

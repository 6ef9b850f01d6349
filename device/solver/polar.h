/* What the polar decomposition needs beside products and factorisations. */
#pragma once
#include "device/solver/util.h"

/* x = p x + q y */
template <class T> __global__ void weighted_sum(long long n, double p, T *x, double q, const T *y)
{
    typedef typename real_of<T>::type R;
    EACH_OF (e, n)
        x[e] = add(mul(make<T>((R)p, R(0)), x[e]), mul(make<T>((R)q, R(0)), y[e]));
}
template <class T> __global__ void signs_of_diagonal(long long n, const T *a, long long lda, typename real_of<T>::type *signs)
{
    typedef typename real_of<T>::type R;
    EACH_OF (k, n)
        signs[k] = real_part(a[k + k * lda]) < R(0) ? R(-1) : R(1);
}

/* Between precisions, for refinement. */
#pragma once
#include "device/solver/util.h"

template <class T> struct narrower {
    typedef T type;
};
template <> struct narrower<double> {
    typedef float type;
};
template <> struct narrower<complex<double>> {
    typedef complex<float> type;
};
template <class T> __global__ void narrow_copy(long long m, long long n, const T *a, long long lda, typename narrower<T>::type *b, long long ldb)
{
    EACH_IN (i, j, m, n)
        b[i + j * ldb] = to<typename narrower<T>::type>(a[i + j * lda]);
}
/* X = X + D, or X = D. */
template <class T>
__global__ void widen_add(long long m, long long n, const typename narrower<T>::type *d, long long ldd, T *x, long long ldx, int first)
{
    EACH_IN (i, j, m, n) {
        T *v = x + i + j * ldx;
        const T w = to<T>(d[i + j * ldd]);
        *v = first ? w : add(*v, w);
    }
}

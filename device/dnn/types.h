/* What elements are computed with, and sums over warps and blocks. */
#pragma once
#include "device/blas/types.h"
#include "device/dnn/shared.h"

#define EACH_PLACE(i, n)                                                                           \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += (long long)gridDim.x * blockDim.x)
/* One warp for each line. */
#define EACH_WARP(i, n)                                                                            \
    for (long long i = blockIdx.x * (long long)(blockDim.x / DNN_WARP) + threadIdx.x / DNN_WARP; i < (n);                     \
         i += (long long)gridDim.x * (blockDim.x / DNN_WARP))

/* Narrow elements are computed with as floats. */
template <class T> struct wide_of {
    typedef float type;
};
template <> struct wide_of<double> {
    typedef double type;
};
template <> struct wide_of<int> {
    typedef int type;
};
template <> struct wide_of<signed char> {
    typedef float type;
};

template <class A> struct sum_op {
    static __device__ A of(A a, A b) { return a + b; }
};
template <class A> struct max_op {
    static __device__ A of(A a, A b) { return a > b || a != a ? a : b; }
};
template <class A, class F> __device__ inline A over_warp(A v)
{
    for (int d = DNN_WARP / 2; d; d /= 2)
        v = F::of(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}
template <class A> __device__ inline A warp_sum(A v) { return over_warp<A, sum_op<A> >(v); }
template <class A> __device__ inline A warp_max(A v) { return over_warp<A, max_op<A> >(v); }
/* All threads of a block of DNN_THREADS get the sum. */
template <class A> __device__ inline A block_sum(A v)
{
    __shared__ A part[DNN_THREADS / DNN_WARP];
    v = warp_sum(v);
    __syncthreads(); /* part may still be read from before */
    if (threadIdx.x % DNN_WARP == 0)
        part[threadIdx.x / DNN_WARP] = v;
    __syncthreads();
    v = part[0];
    for (int w = 1; w < DNN_THREADS / DNN_WARP; w++)
        v += part[w];
    return v;
}
/* out = alpha * v + beta * out; what is multiplied by 0 is not read. */
template <class T, class A> __device__ inline void blend(T *out, A v, double alpha, double beta)
{
    v = (A)alpha * v;
    if (beta != 0.0)
        v += (A)beta * to<A>(*out);
    *out = to<T>(v);
}

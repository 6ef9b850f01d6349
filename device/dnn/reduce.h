/* Reductions along any dimensions of a tensor: one block for each place of the result, in a fixed order. */
#pragma once
#include "device/dnn/types.h"

/* start, of each element (in), together (of), at the end (end). */
#define REDUCTION(name, start_is, in_is, of_is, end_is)                                            \
    template <class A> struct red_##name {                                                         \
        static __device__ A start() { return start_is; }                                           \
        static __device__ A in(A v) { return in_is; }                                              \
        static __device__ A of(A a, A b) { return of_is; }                                         \
        static __device__ A end(A v, A n) { return end_is; }                                       \
    };
#define EXTREME A(1.0 / 0.0)
REDUCTION(sum, A(0), v, a + b, v)
REDUCTION(product, A(1), v, a *b, v)
REDUCTION(minimum, EXTREME, v, a < b || a != a ? a : b, v)
REDUCTION(maximum, -EXTREME, v, a > b || a != a ? a : b, v)
REDUCTION(absolute_maximum, A(0), fabs(v), a > b || a != a ? a : b, v)
REDUCTION(mean, A(0), v, a + b, v / n)
REDUCTION(norm1, A(0), fabs(v), a + b, v)
REDUCTION(norm2, A(0), v *v, a + b, sqrt(v))
REDUCTION(product_no_zeros, A(1), v == A(0) ? A(1) : v, a *b, v)

template <class T, class F> __global__ void reduce(dnn_reduce r)
{
    typedef typename wide_of<T>::type A;
    __shared__ A part[DNN_THREADS];
    __shared__ unsigned place[DNN_THREADS];
    const T *in = (const T *)r.in;
    T *out = (T *)r.out;
    for (long long k = blockIdx.x; k < r.kept; k += gridDim.x) {
        long long from = 0, to_ = 0, rest = k;
        for (int d = r.kept_dims - 1; d >= 0; d--) {
            from += rest % r.kept_dim[d] * r.kept_in[d];
            to_ += rest % r.kept_dim[d] * r.kept_out[d];
            rest /= r.kept_dim[d];
        }
        A v = F::start();
        unsigned where = 0xffffffffu;
        for (long long i = threadIdx.x; i < r.gone; i += DNN_THREADS) {
            long long at = from;
            rest = i;
            for (int d = r.gone_dims - 1; d >= 0; d--) {
                at += rest % r.gone_dim[d] * r.gone_in[d];
                rest /= r.gone_dim[d];
            }
            const A one = F::in(to<A>(in[at])), both = F::of(v, one);
            if (where == 0xffffffffu || both != v)
                where = (unsigned)i;
            v = both;
        }
        part[threadIdx.x] = v;
        place[threadIdx.x] = where;
        __syncthreads();
        for (int half = DNN_THREADS / 2; half; half /= 2) {
            if (threadIdx.x < half) {
                const A a = part[threadIdx.x], b = part[threadIdx.x + half], c = F::of(a, b);
                const unsigned pa = place[threadIdx.x], pb = place[threadIdx.x + half];
                /* The first of equal extremes. */
                place[threadIdx.x] = a == b ? (pa < pb ? pa : pb) : c == a ? pa : pb;
                part[threadIdx.x] = c;
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            blend(out + to_, F::end(part[0], (A)r.gone), r.alpha, r.beta);
            if (r.index)
                r.index[k] = place[0];
        }
        __syncthreads();
    }
}

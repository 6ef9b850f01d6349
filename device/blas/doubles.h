/* Functions of doubles, whichever way they are computed, and how many sums and products a device does. */
#pragma once
#include "device/blas/types.h"
#include "device/blas/level1.h"

#define DOUBLE_FUNCTION(name)                                                                      \
    struct double_##name {                                                                         \
        static __device__ double of(double x) { return name(x); }                                  \
    };
DOUBLE_FUNCTION(sqrt)
DOUBLE_FUNCTION(exp)
DOUBLE_FUNCTION(exp2)
DOUBLE_FUNCTION(expm1)
DOUBLE_FUNCTION(log)
DOUBLE_FUNCTION(log2)
DOUBLE_FUNCTION(log10)
DOUBLE_FUNCTION(log1p)
DOUBLE_FUNCTION(sin)
DOUBLE_FUNCTION(cos)
DOUBLE_FUNCTION(tan)
DOUBLE_FUNCTION(asin)
DOUBLE_FUNCTION(acos)
DOUBLE_FUNCTION(atan)
DOUBLE_FUNCTION(sinh)
DOUBLE_FUNCTION(cosh)
DOUBLE_FUNCTION(tanh)
DOUBLE_FUNCTION(erf)
DOUBLE_FUNCTION(cbrt)

template <class F> __global__ void double_math(long long n, const double *x, double *y)
{
    EACH_ELEMENT (i, n)
        y[i] = F::of(x[i]);
}

/* Four chains of sums of products a thread, which nothing but arithmetic holds up. The result is only stored so that they are computed. */
template <class T> __global__ void double_rate(int steps, T *out)
{
    T a = (T)threadIdx.x, b = a + (T)1, c = a + (T)2, d = a + (T)3;
    const T scale = (T)0.5, add = (T)1 / (T)(blockIdx.x + 2);
    for (int i = 0; i < steps; i++) {
        a = fma(a, scale, add);
        b = fma(b, scale, add);
        c = fma(c, scale, add);
        d = fma(d, scale, add);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

/* Sums of products of halves, one for each block, in float. */
enum { HALF_THREADS = 256 };
__device__ inline float block_total(float v)
{
    __shared__ float each[HALF_THREADS];
    each[threadIdx.x] = v;
    __syncthreads();
    for (int step = HALF_THREADS / 2; step; step /= 2) {
        if ((int)threadIdx.x < step)
            each[threadIdx.x] += each[threadIdx.x + step];
        __syncthreads();
    }
    return each[0];
}
template <class T> __global__ void half_parts(long long n, const T *x, const T *y, float *parts)
{
    float sum = 0;
    EACH_ELEMENT (i, n)
        sum += to<float>(x[i]) * to<float>(y[i]);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}
__global__ void half_total(int count, const float *parts, float *out)
{
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += HALF_THREADS)
        sum += parts[i];
    sum = block_total(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

/* Sobol's points for cuRAND's host API: dimension after dimension, so many points of each. A block has a dimension's direction numbers in
 * shared memory. U: a word; WHAT: enum rand_what. */
#pragma once
#include "cuda_runtime.h"
#include "device/rand/what.h"
#include "device/rand/point.h"

template <class U> __device__ inline U sobol_point(const U *direction, U i)
{
    U x = 0;
    for (U gray = i ^ i >> 1; gray; gray &= gray - 1)
        x ^= direction[sizeof(U) == 8 ? __ffsll((long long)gray) - 1 : __ffs((int)gray) - 1];
    return x;
}
__device__ inline void sobol_put(unsigned x, int what, void *out, unsigned long long at, double a, double b)
{
    __tern_sobol32_put(x, what, out, at, a, b);
}
__device__ inline void sobol_put(unsigned long long x, int what, void *out, unsigned long long at, double a, double b)
{
    __tern_sobol64_put(x, what, out, at, a, b);
}

/* directions: for each dimension its direction numbers, and the word that all points are moved by. */
template <class U, int WHAT>
__global__ void sobol_points(const U *directions, unsigned long long first, unsigned long long points, void *out, double a, double b)
{
    enum { BITS = 8 * sizeof(U) };
    __shared__ U direction[BITS + 1];
    const U *own = directions + (size_t)blockIdx.y * (BITS + 1);
    for (unsigned k = threadIdx.x; k <= BITS; k += blockDim.x)
        direction[k] = own[k];
    __syncthreads();
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x, base = blockIdx.y * points;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < points; i += step)
        sobol_put((U)(sobol_point(direction, (U)(first + i)) ^ direction[BITS]), WHAT, out, base + i, a, b);
}

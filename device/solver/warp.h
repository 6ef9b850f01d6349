/* What the lanes of a warp do together, and a root that they can wait for. */
#pragma once
#include "device/solver/util.h"

template <class R> __device__ inline R lane_at(R v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
template <class R> __device__ inline complex<R> lane_at(complex<R> v, int mask)
{
    complex<R> w = {lane_at(v.x, mask), lane_at(v.y, mask)};
    return w;
}

template <class T> __device__ inline T sum_over_warp(T v)
{
    for (int mask = 16; mask; mask /= 2)
        v = add(v, lane_at(v, mask));
    return v;
}

/* A warp's sums of MANY values each lane, MANY a power of 2: lanes exchange halves of what is left. The result is that of value
 * lane * MANY / 32. */
template <int MANY, class T> struct warp_sums {
    static __device__ __forceinline__ T of(T (&v)[MANY], int lane, int mask)
    {
        const bool upper = lane & mask;
        T half[MANY / 2];
#pragma unroll
        for (int q = 0; q < MANY / 2; q++) {
            const T give = upper ? v[q] : v[q + MANY / 2], keep = upper ? v[q + MANY / 2] : v[q];
            half[q] = add(keep, lane_at(give, mask));
        }
        return warp_sums<MANY / 2, T>::of(half, lane, mask / 2);
    }
};
template <class T> struct warp_sums<1, T> {
    static __device__ __forceinline__ T of(T (&v)[1], int, int mask)
    {
        T sum = v[0];
        for (; mask; mask /= 2)
            sum = add(sum, lane_at(sum, mask));
        return sum;
    }
};

/* 1 / sqrt(d), but for its last bit, without a branch: steps follow each other through it. The first guess is a float's, of d's 24 leading bits
 * and an even power of two that comes off; one step of the third order makes a double of it. */
__device__ inline double reciprocal_root(double d)
{
    const bool tiny = __double2hiint(d) < 0x00100000;
    const double v = tiny ? d * 0x1p54 : d; /* a number that has all its bits */
    const int high = __double2hiint(v), low = __double2loint(v), power = (high >> 20) - 1023;
    const float m = __int_as_float((__funnelshift_l(low, high, 3) & 0x007fffff) + ((127 + (power & 1)) << 23));
    float about;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(about) : "f"(m));
    const int bits = __float_as_int(about), half = (tiny ? power - 54 : power) >> 1;
    const double y = __hiloint2double((bits >> 3) + ((1023 - 127 - half) << 20), bits << 29);
    const double e = fma(-(d * y), y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}
__device__ inline float reciprocal_root(float d) { return rsqrtf(d); }

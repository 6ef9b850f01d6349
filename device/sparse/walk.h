/* The entries of a stored matrix, line by line: a class for each format, all with the same members. What comes last in a line may be padding:
 * its column is negative. */
#pragma once
#include "device/blas/types.h"
#include "device/sparse/view.h"

#define EACH_ELEMENT(i, n)                                                                         \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += (long long)gridDim.x * blockDim.x)
/* A warp for each: blocks have a whole number of warps. */
#define EACH_LINE(i, n)                                                                            \
    for (long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32; i < (n); i += (long long)gridDim.x * blockDim.x / 32)

template <class O, class I> struct csr_walk {
    const O *offsets;
    const I *indices;
    long long base;
    __device__ csr_walk(const sparse_view &v) : offsets((const O *)v.offsets), indices((const I *)v.indices), base(v.base) {}
    __device__ long long first(long long line) const { return (long long)offsets[line] - base; }
    __device__ long long length(long long line) const { return (long long)(offsets[line + 1] - offsets[line]); }
    __device__ long long place(long long line, long long k) const { return (long long)offsets[line] - base + k; }
    __device__ long long column(long long line, long long k) const { return (long long)indices[place(line, k)] - base; }
};

/* Lines of a slice lie side by side: one entry of each after the other. */
template <class O, class I> struct sell_walk {
    const O *offsets;
    const I *indices;
    long long base, slice;
    __device__ sell_walk(const sparse_view &v)
        : offsets((const O *)v.offsets), indices((const I *)v.indices), base(v.base), slice(v.slice)
    {
    }
    __device__ long long length(long long line) const
    {
        const long long s = line / slice;
        return (long long)(offsets[s + 1] - offsets[s]) / slice;
    }
    __device__ long long place(long long line, long long k) const
    {
        return (long long)offsets[line / slice] - base + k * slice + line % slice;
    }
    __device__ long long column(long long line, long long k) const { return (long long)indices[place(line, k)] - base; }
};

template <class O, class I> struct bsr_walk {
    const O *offsets;
    const I *indices;
    long long base, down, across;
    int by_columns;
    __device__ bsr_walk(const sparse_view &v)
        : offsets((const O *)v.offsets), indices((const I *)v.indices), base(v.base), down(v.down), across(v.across), by_columns(v.block_by_columns)
    {
    }
    __device__ long long length(long long line) const
    {
        const long long b = line / down;
        return (long long)(offsets[b + 1] - offsets[b]) * across;
    }
    __device__ long long block(long long line, long long k) const { return (long long)offsets[line / down] - base + k / across; }
    __device__ long long place(long long line, long long k) const
    {
        const long long i = line % down, j = k % across;
        return block(line, k) * down * across + (by_columns ? j * down + i : i * across + j);
    }
    __device__ long long column(long long line, long long k) const
    {
        return ((long long)indices[block(line, k)] - base) * across + k % across;
    }
};

/* Blocks of equal number in each line of blocks; a block whose index is -1 is not there. Values lie by rows of the whole. */
template <class O, class I> struct ell_walk {
    const I *indices;
    long long base, down, ell;
    __device__ ell_walk(const sparse_view &v) : indices((const I *)v.indices), base(v.base), down(v.down), ell(v.ell) {}
    __device__ long long length(long long line) const { return ell; }
    __device__ long long place(long long line, long long k) const { return line * ell + k; }
    __device__ long long column(long long line, long long k) const
    {
        const long long c = (long long)indices[line / down * (ell / down) + k / down] - base;
        return c < 0 ? -1 : c * down + k % down;
    }
};

/* ---- sums that meet ---- */
__device__ inline void meet(float *to, float v) { atomicAdd(to, v); }
__device__ inline void meet(double *to, double v) { atomicAdd(to, v); }
__device__ inline void meet(int *to, int v) { atomicAdd(to, v); }
template <class R> __device__ inline void meet(complex<R> *to, complex<R> v)
{
    atomicAdd(&to->x, v.x);
    atomicAdd(&to->y, v.y);
}

__device__ inline float from_lane(float v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
__device__ inline double from_lane(double v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
__device__ inline int from_lane(int v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
__device__ inline long long from_lane(long long v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
template <class R> __device__ inline complex<R> from_lane(complex<R> v, int mask)
{
    complex<R> w = {from_lane(v.x, mask), from_lane(v.y, mask)};
    return w;
}
template <class T> __device__ inline T lane_before(T v, int by) { return __shfl_up_sync(0xffffffffu, v, by); }
template <class R> __device__ inline complex<R> lane_before(complex<R> v, int by)
{
    complex<R> w = {lane_before(v.x, by), lane_before(v.y, by)};
    return w;
}
template <class T> __device__ inline T lane_at(T v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
template <class R> __device__ inline complex<R> lane_at(complex<R> v, int lane)
{
    complex<R> w = {lane_at(v.x, lane), lane_at(v.y, lane)};
    return w;
}
/* Over the lanes of a warp that differ in the bits from `least` up. */
template <class T> __device__ inline T warp_sum(T v, int least = 1)
{
    for (int mask = 16; mask >= least; mask /= 2)
        v = add(v, from_lane(v, mask));
    return v;
}

/* alpha * sum + beta * y; beta = 0 does not read y. */
template <class C, class Y> __device__ inline void finish(Y *y, C sum, C alpha, C beta)
{
    C v = mul(alpha, sum);
    if (!is_zero(beta))
        mad(v, beta, to<C>(*y));
    *y = to<Y>(v);
}
template <class C> __device__ inline C value_of(const sparse_scalar &s) { return scalar<C>(s.at, s.value); }

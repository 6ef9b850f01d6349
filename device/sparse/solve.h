/* Triangular systems and incomplete factors, level by level: lines of one level need only lines of earlier levels. One launch does one level with
 * many blocks, or several narrow ones with one block. Lines and entries are those of a plan (plan.h): each entry says where its value lies. */
#pragma once
#include "device/sparse/walk.h"
#include "device/sparse/plan.h"

#define EACH_LEVEL_LINE(p, first, last, item, items)                                               \
    for (int level = first; level < last; level++, __syncthreads())                                \
        for (long long item = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32, end_ = (p.levels[level + 1] - p.levels[level]) * (long long)(items); \
             item < end_; item += (long long)gridDim.x * blockDim.x / 32)

/* op(A) y = alpha * x, for n right-hand sides. */
template <class T>
__global__ void solve_lines(sparse_plan p, int first, int last, const T *values, int conj, sparse_scalar alpha, sparse_dense x, sparse_dense y, int n)
{
    const T a = value_of<T>(alpha);
    const int lane = threadIdx.x % 32;
    EACH_LEVEL_LINE (p, first, last, item, n) {
        const int line = p.order[p.levels[level] + item / n], j = (int)(item % n);
        T sum = zero<T>();
        for (int k = p.offsets[line] + lane; k < p.offsets[line + 1]; k += 32) {
            const T v = values[p.places[k]];
            mad(sum, conj ? conjugate(v) : v, ((const T *)y.p)[p.columns[k] * y.row + j * y.col]);
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            T right = ((const T *)x.p)[line * x.row + j * x.col];
            right = sub(mul(a, x.conj ? conjugate(right) : right), sum);
            if (!p.unit) {
                const T d = p.diagonal[line] < 0 ? zero<T>() : values[p.diagonal[line]];
                if (is_zero(d))
                    atomicMin(p.pivot, line);
                right = over(right, conj ? conjugate(d) : d);
            }
            ((T *)y.p)[line * y.row + j * y.col] = y.conj ? conjugate(right) : right;
        }
    }
}

/* The entry of a line with this column, or -1. */
__device__ inline int entry_at(const sparse_plan &p, int line, int column)
{
    int low = p.offsets[line], high = p.offsets[line + 1];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (p.columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p.offsets[line + 1] && p.columns[low] == column ? low : -1;
}

__device__ inline double size_of(float v) { return fabsf(v); }
__device__ inline double size_of(double v) { return fabs(v); }
template <class R> __device__ inline double size_of(complex<R> v) { return hypot((double)v.x, (double)v.y); }

/* A = L * U where A has elements; L's diagonal is 1. boost: pivots no larger than tolerance become another value. */
template <class T> __global__ void ilu_lines(sparse_plan p, int first, int last, T *values, int boost, double tolerance, sparse_scalar instead)
{
    const int lane = threadIdx.x % 32;
    EACH_LEVEL_LINE (p, first, last, item, 1) {
        const int line = p.order[p.levels[level] + item];
        for (int k = p.offsets[line]; k < p.offsets[line + 1] && p.columns[k] < line; k++) {
            const int other = p.columns[k], at = p.diagonal_entry[other];
            if (at < 0)
                continue; /* reported already */
            const T factor = over(values[p.places[k]], values[p.places[at]]);
            __syncwarp();
            if (lane == 0)
                values[p.places[k]] = factor;
            for (int e = at + 1 + lane; e < p.offsets[other + 1]; e += 32) {
                const int mine = entry_at(p, line, p.columns[e]);
                if (mine >= 0)
                    values[p.places[mine]] = sub(values[p.places[mine]], mul(factor, values[p.places[e]]));
            }
            __syncwarp();
        }
        if (lane == 0) {
            const int at = p.diagonal_entry[line];
            if (at >= 0 && boost && size_of(values[p.places[at]]) <= tolerance)
                values[p.places[at]] = value_of<T>(instead);
            if (at < 0 || is_zero(values[p.places[at]]))
                atomicMin(p.pivot, line);
        }
        __syncwarp();
    }
}

__device__ inline float root(float v) { return sqrtf(v); }
__device__ inline double root(double v) { return sqrt(v); }
template <class R> __device__ inline complex<R> root(complex<R> v)
{
    complex<R> r = {root(v.x), R(0)};
    return r;
}
__device__ inline bool is_positive(float v) { return v > 0.f; }
__device__ inline bool is_positive(double v) { return v > 0.0; }
template <class R> __device__ inline bool is_positive(complex<R> v) { return v.x > R(0); }

/* A = L * L^H where the lower triangle of A has elements. */
template <class T> __global__ void ic_lines(sparse_plan p, int first, int last, T *values)
{
    const int lane = threadIdx.x % 32;
    EACH_LEVEL_LINE (p, first, last, item, 1) {
        const int line = p.order[p.levels[level] + item];
        for (int k = p.offsets[line]; k < p.offsets[line + 1] && p.columns[k] <= line; k++) {
            const int other = p.columns[k], at = p.diagonal_entry[other];
            T sum = zero<T>();
            for (int e = p.offsets[other] + lane; e < p.offsets[other + 1] && p.columns[e] < other; e += 32) {
                const int mine = entry_at(p, line, p.columns[e]);
                if (mine >= 0)
                    mad(sum, values[p.places[mine]], conjugate(values[p.places[e]]));
            }
            sum = warp_sum(sum);
            if (lane == 0) {
                const T rest = sub(values[p.places[k]], sum);
                if (other < line) {
                    if (at >= 0)
                        values[p.places[k]] = over(rest, values[p.places[at]]);
                } else {
                    if (!is_positive(rest))
                        atomicMin(p.pivot, line);
                    values[p.places[k]] = root(rest);
                }
            }
            __syncwarp();
        }
        if (lane == 0 && p.diagonal_entry[line] < 0)
            atomicMin(p.pivot, line);
    }
}

/* values[diagonal of line i] = fresh[i] */
template <class T> __global__ void put_diagonal(long long n, const int *diagonal, const T *fresh, T *values)
{
    EACH_ELEMENT (i, n)
        if (diagonal[i] >= 0)
            values[diagonal[i]] = fresh[i];
}

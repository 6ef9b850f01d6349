/* What one thread does with its items: sums, scans, searches, a sort. */
#pragma once
#include "cub/thread/thread_operators.cuh"

namespace cub
{
/* ---- sums: of arrays and of what is like one, in their order ---- */

template <class In, class Op> __device__ auto ThreadReduce(const In &in, Op op)
{
    typedef typename std::decay<decltype(in[0])>::type V;
    detail::made_by<Op, V, V> sum = in[0];
    constexpr int n = (int)(sizeof(In) / sizeof(V));
#pragma unroll
    for (int i = 1; i < n; i++)
        sum = op(sum, in[i]);
    return sum;
}
template <class In, class Op, class T> __device__ auto ThreadReduce(const In &in, Op op, T prefix)
{
    typedef typename std::decay<decltype(in[0])>::type V;
    detail::made_by<Op, V, T> sum = prefix;
    constexpr int n = (int)(sizeof(In) / sizeof(V));
#pragma unroll
    for (int i = 0; i < n; i++)
        sum = op(sum, in[i]);
    return sum;
}

namespace detail
{
/* ---- scans: give back the sum of all ---- */

template <int N, class T, class Op>
__device__ T ThreadScanExclusive(T inclusive, T exclusive, T *in, T *out, Op op,
                                 std::integral_constant<int, N> = {})
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        inclusive = op(exclusive, in[i]);
        out[i] = exclusive;
        exclusive = inclusive;
    }
    return inclusive;
}
template <int N, class T, class Op>
__device__ T ThreadScanExclusive(T *in, T *out, Op op, T prefix, bool apply = true)
{
    const T first = apply ? op(prefix, in[0]) : in[0];
    out[0] = prefix;
    return ThreadScanExclusive<N - 1>(first, first, in + 1, out + 1, op);
}
template <int N, class T, class Op>
__device__ T ThreadScanExclusive(T (&in)[N], T (&out)[N], Op op, T prefix, bool apply = true)
{
    return ThreadScanExclusive<N>((T *)in, (T *)out, op, prefix, apply);
}
/* Sums from `sum` on, which is that up to the first item; of `valid` items only. */
template <int N, class T, class Op>
__device__ T scan_on(T sum, const T *in, T *out, Op op, int valid = N)
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (i >= valid)
            break;
        if (i)
            sum = op(sum, in[i]);
        out[i] = sum;
    }
    return sum;
}
template <int N, class T, class Op> __device__ T ThreadScanInclusive(T *in, T *out, Op op)
{
    return scan_on<N>(in[0], in, out, op);
}
template <int N, class T, class Op> __device__ T ThreadScanInclusive(T (&in)[N], T (&out)[N], Op op)
{
    return ThreadScanInclusive<N>((T *)in, (T *)out, op);
}
template <int N, class T, class Op>
__device__ T ThreadScanInclusive(T *in, T *out, Op op, T prefix, bool apply = true)
{
    const T first = apply ? op(prefix, in[0]) : in[0];
    return scan_on<N>(first, in, out, op);
}
template <int N, class T, class Op>
__device__ T ThreadScanInclusive(T (&in)[N], T (&out)[N], Op op, T prefix, bool apply = true)
{
    return ThreadScanInclusive<N>((T *)in, (T *)out, op, prefix, apply);
}
/* The same of the first `valid` items. */
template <int N, class T, class Op>
__device__ void ThreadScanInclusivePartial(T (&in)[N], T (&out)[N], Op op, int valid)
{
    if (valid > 0)
        scan_on<N>(in[0], in, out, op, valid);
}
template <int N, class T, class Op>
__device__ void ThreadScanInclusivePartial(T (&in)[N], T (&out)[N], Op op, int valid, T prefix,
                                           bool apply = true)
{
    if (valid > 0) {
        const T first = apply ? op(prefix, in[0]) : in[0];
        scan_on<N>(first, in, out, op, valid);
    }
}
template <int N, class T, class Op>
__device__ void ThreadScanExclusivePartial(T (&in)[N], T (&out)[N], Op op, int valid, T prefix,
                                           bool apply = true)
{
    T before = prefix;
    for (int i = 0; i < N && i < valid; i++) {
        T with = in[i];
        if (i || apply)
            with = op(before, with);
        out[i] = before;
        before = with;
    }
}
} // namespace detail
using detail::ThreadScanExclusive;
using detail::ThreadScanInclusive;

/* ---- searches ---- */

/* Where the first `diagonal` of what two sorted ranges become together comes from: x of a, y of b;
 * of equal ones those of a come first. */
template <class A, class B, class N, class Coordinate>
CUB_HD void MergePathSearch(N diagonal, A a, B b, N na, N nb, Coordinate &at)
{
    N from = diagonal > nb ? diagonal - nb : 0, to = diagonal < na ? diagonal : na;
    while (from < to) {
        const N middle = from + (to - from) / 2;
        if (!(b[diagonal - middle - 1] < a[middle]))
            from = middle + 1;
        else
            to = middle;
    }
    at.x = from < na ? from : na;
    at.y = diagonal - from;
}
template <class I, class N, class T> __device__ N LowerBound(I in, N n, T value)
{
    N from = 0;
    while (n > 0) {
        const N half = n / 2;
        if (in[from + half] < value) {
            from += half + 1;
            n -= half + 1;
        } else
            n = half;
    }
    return from;
}
template <class I, class N, class T> __device__ N UpperBound(I in, N n, T value)
{
    N from = 0;
    while (n > 0) {
        const N half = n / 2;
        if (value < in[from + half])
            n = half;
        else {
            from += half + 1;
            n -= half + 1;
        }
    }
    return from;
}

/* ---- a stable sort, by exchanges of neighbours ---- */

template <class T> CUB_HD void Swap(T &a, T &b)
{
    T c = a;
    a = b;
    b = c;
}
template <class K, class V, class C, int N>
__device__ void StableOddEvenSort(K (&keys)[N], V (&values)[N], C less)
{
#pragma unroll
    for (int round = 0; round < N; round++) {
#pragma unroll
        for (int i = round & 1; i < N - 1; i += 2)
            if (less(keys[i + 1], keys[i])) {
                Swap(keys[i], keys[i + 1]);
                if constexpr (!std::is_same<V, NullType>::value)
                    Swap(values[i], values[i + 1]);
            }
    }
}
} // namespace cub

/* Iterators that compute. */
#pragma once
#include "cub/thread/thread_load.cuh"
#include "cub/thread/thread_operators.cuh"
#include "thrust/detail/iterators.h"

namespace cub
{
template <class T, class = ptrdiff_t>
struct CountingInputIterator
    : thrust::detail::iterator<CountingInputIterator<T>, T, T, thrust::any_system_tag> {
    T at;
    CUB_HD CountingInputIterator(const T &at) : at(at)
    {
    }
    CUB_HD T get(ptrdiff_t n) const
    {
        return (T)(at + n);
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at = (T)(at + n);
    }
    CUB_HD ptrdiff_t minus(const CountingInputIterator &o) const
    {
        return (ptrdiff_t)at - (ptrdiff_t)o.at;
    }
};

template <class T, class = ptrdiff_t>
struct ConstantInputIterator
    : thrust::detail::iterator<ConstantInputIterator<T>, T, T, thrust::any_system_tag> {
    T value;
    ptrdiff_t at;
    CUB_HD ConstantInputIterator(T value, ptrdiff_t at = 0) : value(value), at(at)
    {
    }
    CUB_HD T get(ptrdiff_t) const
    {
        return value;
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    CUB_HD ptrdiff_t minus(const ConstantInputIterator &o) const
    {
        return at - o.at;
    }
};

template <class V, class F, class I, class = ptrdiff_t>
struct TransformInputIterator
    : thrust::detail::iterator<TransformInputIterator<V, F, I>, V, V,
                               typename thrust::detail::system_of<I>::type> {
    detail::raw_t<I> at;
    F f;
    CUB_HD TransformInputIterator(I at, F f) : at(thrust::detail::raw(at)), f(f)
    {
    }
    CUB_HD V get(ptrdiff_t n) const
    {
        F g = f;
        return (V)g(at[n]);
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    CUB_HD ptrdiff_t minus(const TransformInputIterator &o) const
    {
        return at - o.at;
    }
};

/* Each with its index. */
template <class I, class Offset = ptrdiff_t, class V = detail::value_of<I>>
struct ArgIndexInputIterator
    : thrust::detail::iterator<ArgIndexInputIterator<I, Offset, V>, KeyValuePair<Offset, V>,
                               KeyValuePair<Offset, V>,
                               typename thrust::detail::system_of<I>::type> {
    detail::raw_t<I> in;
    Offset at;
    CUB_HD ArgIndexInputIterator(I in, Offset at = 0) : in(thrust::detail::raw(in)), at(at)
    {
    }
    CUB_HD KeyValuePair<Offset, V> get(ptrdiff_t n) const
    {
        return KeyValuePair<Offset, V>((Offset)(at + n), in[at + n]);
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at = (Offset)(at + n);
    }
    CUB_HD ptrdiff_t minus(const ArgIndexInputIterator &o) const
    {
        return at - o.at;
    }
};

template <CacheLoadModifier modifier, class V, class = ptrdiff_t>
struct CacheModifiedInputIterator
    : thrust::detail::iterator<CacheModifiedInputIterator<modifier, V>, V, V,
                               thrust::device_system_tag> {
    const V *at;
    CUB_HD CacheModifiedInputIterator(const V *at) : at(at)
    {
    }
    CUB_HD V get(ptrdiff_t n) const
    {
        return detail::load_by<modifier>(at + n);
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    CUB_HD ptrdiff_t minus(const CacheModifiedInputIterator &o) const
    {
        return at - o.at;
    }
};

template <class = ptrdiff_t>
struct DiscardOutputIterator
    : thrust::detail::iterator<DiscardOutputIterator<>, thrust::detail::forget,
                               thrust::detail::forget, thrust::any_system_tag> {
    ptrdiff_t at;
    CUB_HD DiscardOutputIterator(ptrdiff_t at = 0) : at(at)
    {
    }
    CUB_HD thrust::detail::forget get(ptrdiff_t) const
    {
        return thrust::detail::forget();
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    CUB_HD ptrdiff_t minus(const DiscardOutputIterator &o) const
    {
        return at - o.at;
    }
};
} // namespace cub

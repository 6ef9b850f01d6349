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

/* Elements are written by a cache modifier. */
template <CacheStoreModifier modifier, class V, class = ptrdiff_t>
struct CacheModifiedOutputIterator {
    struct place {
        V *at;
        template <class T> CUB_HD place &operator=(const T &value)
        {
            detail::store_by<modifier>(at, (V)value);
            return *this;
        }
    };
    typedef CacheModifiedOutputIterator self_type;
    typedef ptrdiff_t difference_type;
    typedef V value_type;
    typedef place reference;
    typedef void pointer;
    typedef std::random_access_iterator_tag iterator_category;
    typedef thrust::device_system_tag system;
    V *at;
    template <class T> CUB_HD CacheModifiedOutputIterator(T *at) : at((V *)at)
    {
    }
    CUB_HD place operator*() const
    {
        return place{at};
    }
    CUB_HD place operator[](ptrdiff_t n) const
    {
        return place{at + n};
    }
    CUB_HD self_type operator+(ptrdiff_t n) const
    {
        return self_type(at + n);
    }
    CUB_HD self_type operator-(ptrdiff_t n) const
    {
        return self_type(at - n);
    }
    CUB_HD self_type &operator+=(ptrdiff_t n)
    {
        at += n;
        return *this;
    }
    CUB_HD self_type &operator-=(ptrdiff_t n)
    {
        at -= n;
        return *this;
    }
    CUB_HD self_type &operator++()
    {
        return *this += 1;
    }
    CUB_HD self_type operator++(int)
    {
        self_type old = *this;
        at++;
        return old;
    }
    CUB_HD ptrdiff_t operator-(self_type o) const
    {
        return at - o.at;
    }
    CUB_HD bool operator==(const self_type &o) const
    {
        return at == o.at;
    }
    CUB_HD bool operator!=(const self_type &o) const
    {
        return at != o.at;
    }
};

/* Memory that a texture is bound to. Elements are read from the memory itself. */
template <class T, class = ptrdiff_t>
struct TexObjInputIterator
    : thrust::detail::iterator<TexObjInputIterator<T>, T, T, thrust::device_system_tag> {
    const T *at;
    CUB_HD TexObjInputIterator() : at(0)
    {
    }
    template <class Q>
    cudaError_t BindTexture(Q *p, size_t = 0, size_t offset = 0)
    {
        at = (const T *)p + offset;
        return cudaSuccess;
    }
    cudaError_t UnbindTexture()
    {
        return cudaSuccess;
    }
    CUB_HD T get(ptrdiff_t n) const
    {
        return at[n];
    }
    CUB_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    CUB_HD ptrdiff_t minus(const TexObjInputIterator &o) const
    {
        return at - o.at;
    }
};
template <class T, int, class = ptrdiff_t> using TexRefInputIterator = TexObjInputIterator<T>;

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

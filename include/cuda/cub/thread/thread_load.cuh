/* One thread's loads by cache modifier. Those that pass a multiprocessor's cache are accesses of their own, which see what other
 * blocks write (see __ldcg); the others are hints, which change nothing here. */
#pragma once
#include "cub/util_type.cuh"

namespace cub
{
namespace detail
{
/* The widest unsigned number that a T is made of. */
template <unsigned align> struct cache_word {
    typedef typename tern_parallel::unsigned_of<align >= 8 ? 8 : align>::type type;
};

template <int scope, class T> CUB_HD T load_past_cache(const T *p)
{
#ifdef __CUDA_ARCH__
    typedef typename cache_word<alignof(T)>::type word;
    union whole {
        word words[sizeof(T) / sizeof(word)];
        T value;
        __device__ whole()
        {
        }
        __device__ ~whole()
        {
        }
    } t;
    for (unsigned i = 0; i < sizeof(T) / sizeof(word); i++)
        t.words[i] = scope == 1 ? __ldcg((const word *)p + i) : __ldcv((const word *)p + i);
    return t.value;
#else
    return *p;
#endif
}

template <int scope, class T> CUB_HD void store_past_cache(T *p, const T &value)
{
#ifdef __CUDA_ARCH__
    typedef typename cache_word<alignof(T)>::type word;
    for (unsigned i = 0; i < sizeof(T) / sizeof(word); i++) {
        if (scope == 1)
            __stcg((word *)p + i, ((const word *)&value)[i]);
        else
            __stwt((word *)p + i, ((const word *)&value)[i]);
    }
#else
    *p = value;
#endif
}

template <CacheLoadModifier modifier, class T> CUB_HD T load_by(const T *p)
{
    if constexpr (modifier == LOAD_CG)
        return load_past_cache<1>(p);
    else if constexpr (modifier == LOAD_CV || modifier == LOAD_VOLATILE)
        return load_past_cache<2>(p);
    else
        return *p;
}

template <CacheStoreModifier modifier, class T> CUB_HD void store_by(T *p, const T &value)
{
    if constexpr (modifier == STORE_CG)
        store_past_cache<1>(p, value);
    else if constexpr (modifier == STORE_WT || modifier == STORE_VOLATILE)
        store_past_cache<2>(p, value);
    else
        *p = value;
}
} // namespace detail

template <CacheLoadModifier modifier, class T> CUB_HD T ThreadLoad(const T *p)
{
    return detail::load_by<modifier>(p);
}
template <CacheLoadModifier modifier, class T> CUB_HD T ThreadLoad(T *p)
{
    return detail::load_by<modifier>((const T *)p);
}
template <CacheLoadModifier modifier, class It> CUB_HD auto ThreadLoad(It it)
{
    return *it;
}
template <CacheStoreModifier modifier, class T, class U> CUB_HD void ThreadStore(T *p, U value)
{
    detail::store_by<modifier>(p, (T)value);
}
template <CacheStoreModifier modifier, class It, class U> CUB_HD void ThreadStore(It it, U value)
{
    *it = value;
}
} // namespace cub

/* What algorithms ask of types: which system a range lives in, and what its elements are. */
#pragma once
#include "cuda_runtime.h"
#include <cstddef>
#include <float.h>
#include <iterator>
#ifndef __TERN_DEVICE__
#include <memory>
#endif
#include <type_traits>
#include <utility>
#include "thrust/version.h"
#ifndef __TERN_DEVICE__ /* programs rely on what NVIDIA's headers bring along */
#include <algorithm>
#include <cassert>
#include <chrono>
#include <iostream>
#endif

#define THRUST_HD __host__ __device__

namespace thrust
{
struct host_system_tag {
};
struct device_system_tag {
};
struct any_system_tag {
}; /* made of numbers, not of memory */
typedef host_system_tag host_space_tag;
typedef device_system_tag device_space_tag;
typedef std::random_access_iterator_tag random_access_traversal_tag;
typedef std::random_access_iterator_tag random_access_device_iterator_tag;

namespace detail
{
template <class...> struct void_type {
    typedef void type;
};
template <class... T> using void_t = typename void_type<T...>::type;

/* The system of an iterator; what is none counts as any. */
template <class I, class = void> struct system_of {
    typedef any_system_tag type;
};
template <class T> struct system_of<T *, void> {
    typedef host_system_tag type;
};
template <class I> struct system_of<I, void_t<typename I::system>> {
    typedef typename I::system type;
};
/* Iterators of the standard library. */
template <class I, class = void> struct is_marked : std::false_type {
};
template <class I> struct is_marked<I, void_t<typename I::system>> : std::true_type {
};
template <class I>
struct system_of<
    I, typename std::enable_if<!is_marked<I>::value &&
                               !std::is_void<typename I::iterator_category>::value>::type> {
    typedef host_system_tag type;
};

/* Device memory decides. */
template <class... I> struct join_systems {
    typedef any_system_tag type;
};
template <class I, class... J> struct join_systems<I, J...> {
    typedef typename system_of<I>::type first;
    typedef typename join_systems<J...>::type rest;
    typedef typename std::conditional<std::is_same<first, device_system_tag>::value ||
                                          (std::is_same<first, host_system_tag>::value &&
                                           std::is_same<rest, any_system_tag>::value),
                                      first, rest>::type type;
};

template <class I> struct iterator_types {
    typedef
        typename std::remove_cv<typename std::remove_reference<typename I::value_type>::type>::type
            value_type;
    typedef typename I::reference reference;
};
template <class T> struct iterator_types<T *> {
    typedef typename std::remove_cv<T>::type value_type;
    typedef T &reference;
};
template <class I> using value_of = typename iterator_types<I>::value_type;
template <class I> using reference_of = typename iterator_types<I>::reference;

/* How device code sees an iterator: with plain pointers where it had pointers to device memory. */
template <class I> struct raw_iterator {
    typedef I type;
    THRUST_HD static type get(const I &i)
    {
        return i;
    }
};
template <class I> using raw_t = typename raw_iterator<I>::type;
template <class I> THRUST_HD raw_t<I> raw(const I &i)
{
    return raw_iterator<I>::get(i);
}
} // namespace detail

template <class I> struct iterator_value {
    typedef detail::value_of<I> type;
};
template <class I> struct iterator_reference {
    typedef detail::reference_of<I> type;
};
template <class I> struct iterator_difference {
    typedef ptrdiff_t type;
};
template <class I> struct iterator_system {
    typedef typename detail::system_of<I>::type type;
};
template <class I> using iterator_value_t = detail::value_of<I>;
template <class I> struct iterator_traits {
    typedef detail::value_of<I> value_type;
    typedef detail::reference_of<I> reference;
    typedef detail::value_of<I> *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
};

template <class I> THRUST_HD ptrdiff_t distance(I first, I last)
{
    return last - first;
}
template <class I, class N> THRUST_HD void advance(I &i, N n)
{
    i += n;
}
template <class I> THRUST_HD I next(I i, ptrdiff_t n = 1)
{
    return i + n;
}
template <class I> THRUST_HD I prev(I i, ptrdiff_t n = 1)
{
    return i - n;
}
} // namespace thrust

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
namespace detail
{
/* What every policy is, ours and those that programs derive from execution_policy. An algorithm
 * that is called with one of theirs is their own function of that name where there is one: it takes
 * the class itself, which is nearer than policy_base, and that nearer than policy_root. */
template <class D> struct policy_root {
};
template <class D> struct policy_base : policy_root<D> {
};
} // namespace detail
template <class D> struct execution_policy : detail::policy_base<D> {
};
template <class D> struct host_execution_policy : execution_policy<D> {
    enum { thrust_on_device = 0 };
};
template <class D> struct device_execution_policy : execution_policy<D> {
    enum { thrust_on_device = 1 };
};
namespace detail
{
template <class D> using execution_policy_base = policy_root<D>;
template <class D> THRUST_HD D &derived_cast(policy_root<D> &p)
{
    return static_cast<D &>(p);
}
template <class D> THRUST_HD const D &derived_cast(const policy_root<D> &p)
{
    return static_cast<const D &>(p);
}
} // namespace detail

struct host_system_tag : host_execution_policy<host_system_tag> {
};
struct device_system_tag : device_execution_policy<device_system_tag> {
};
struct any_system_tag {
}; /* made of numbers, not of memory */
using std::false_type;
using std::integral_constant;
using std::true_type;
namespace system
{
namespace cpp
{
typedef host_system_tag tag;
template <class D> using execution_policy = host_execution_policy<D>;
}
namespace cuda
{
typedef device_system_tag tag;
template <class D> using execution_policy = device_execution_policy<D>;
} // namespace cuda
} // namespace system
namespace cpp
{
using system::cpp::execution_policy;
using system::cpp::tag;
}
namespace cuda
{
using system::cuda::execution_policy;
using system::cuda::tag;
} // namespace cuda
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
                                          (!std::is_same<first, any_system_tag>::value &&
                                           (std::is_same<rest, any_system_tag>::value ||
                                            (std::is_same<rest, host_system_tag>::value))),
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

/* What is written is forgotten. */
struct forget {
    template <class T> THRUST_HD const forget &operator=(const T &) const
    {
        return *this;
    }
};

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
template <class I> struct iterator_traversal {
    typedef random_access_traversal_tag type;
};
template <class I> using iterator_value_t = detail::value_of<I>;
template <class I> using iterator_reference_t = detail::reference_of<I>;
template <class I> using iterator_difference_t = ptrdiff_t;
template <class I> using iterator_system_t = typename detail::system_of<I>::type;
template <class I> using iterator_traversal_t = typename iterator_traversal<I>::type;
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

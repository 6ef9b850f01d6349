/* Tuples, also of references: what zip iterators give. */
#pragma once
#include "thrust/detail/traits.h"
#include "thrust/pair.h"
#include <tuple>

namespace thrust
{
struct null_type {
};

template <class... T> class tuple;
template <size_t i, class T> struct tuple_element;
template <> class tuple<>
{
  public:
    THRUST_HD constexpr tuple()
    {
    }
};

template <class H, class... T> class tuple<H, T...>
{
  public:
    H head;
    tuple<T...> tail;

    THRUST_HD constexpr tuple() : head(), tail()
    {
    }
    THRUST_HD constexpr tuple(const tuple &) = default;
    THRUST_HD constexpr tuple(const H &head, const T &...tail) : head(head), tail(tail...)
    {
    }
    template <class G, class... U,
              class = typename std::enable_if<sizeof...(U) == sizeof...(T)>::type>
    THRUST_HD constexpr tuple(const tuple<G, U...> &o) : head(o.head), tail(o.tail)
    {
    }
    template <class A, class B,
              class = typename std::enable_if<sizeof...(T) == 1 && sizeof(A)>::type>
    THRUST_HD constexpr tuple(const pair<A, B> &o) : head(o.first), tail(o.second)
    {
    }
    THRUST_HD tuple &operator=(const tuple &o)
    {
        head = o.head;
        tail = o.tail;
        return *this;
    }
    template <class G, class... U> THRUST_HD tuple &operator=(const tuple<G, U...> &o)
    {
        static_assert(sizeof...(U) == sizeof...(T), "tuples of different sizes");
        head = o.head;
        tail = o.tail;
        return *this;
    }
    template <class A, class B> THRUST_HD tuple &operator=(const pair<A, B> &o)
    {
        static_assert(sizeof...(T) == 1, "a pair has two elements");
        head = o.first;
        tail.head = o.second;
        return *this;
    }
    /* An element that is a reference stays one in a const tuple. */
    template <int i> THRUST_HD typename tuple_element<i, tuple>::type &get()
    {
        if constexpr (i == 0)
            return head;
        else
            return tail.template get<i - 1>();
    }
    template <int i> THRUST_HD const typename tuple_element<i, tuple>::type &get() const
    {
        if constexpr (i == 0)
            return head;
        else
            return tail.template get<i - 1>();
    }
    THRUST_HD void swap(tuple &o)
    {
        tuple t = *this;
        *this = o;
        o = t;
    }
};

template <class H, class... T> struct tuple_element<0, tuple<H, T...>> {
    typedef H type;
};
template <size_t i, class H, class... T> struct tuple_element<i, tuple<H, T...>> {
    typedef typename tuple_element<i - 1, tuple<T...>>::type type;
};
template <class A, class B> struct tuple_element<0, pair<A, B>> {
    typedef A type;
};
template <class A, class B> struct tuple_element<1, pair<A, B>> {
    typedef B type;
};
template <size_t i, class T> struct tuple_element<i, const T> {
    typedef const typename tuple_element<i, T>::type type;
};
template <size_t i, class T> using tuple_element_t = typename tuple_element<i, T>::type;
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> {
    static constexpr size_t value = sizeof...(T);
};
template <class A, class B> struct tuple_size<pair<A, B>> {
    static constexpr size_t value = 2;
};
template <class T> struct tuple_size<const T> : tuple_size<T> {
};

template <int i, class H, class... T>
THRUST_HD typename tuple_element<i, tuple<H, T...>>::type &get(tuple<H, T...> &t)
{
    return t.template get<i>();
}
template <int i, class H, class... T>
THRUST_HD const typename tuple_element<i, tuple<H, T...>>::type &get(const tuple<H, T...> &t)
{
    return t.template get<i>();
}
template <int i, class H, class... T>
THRUST_HD typename tuple_element<i, tuple<H, T...>>::type &&get(tuple<H, T...> &&t)
{
    return static_cast<typename tuple_element<i, tuple<H, T...>>::type &&>(t.template get<i>());
}

template <class... T>
THRUST_HD constexpr tuple<typename std::decay<T>::type...> make_tuple(const T &...t)
{
    return tuple<typename std::decay<T>::type...>(t...);
}
template <class... T> THRUST_HD tuple<T &...> tie(T &...t)
{
    return tuple<T &...>(t...);
}
namespace detail
{
struct ignore_t {
    template <class T> THRUST_HD const ignore_t &operator=(const T &) const
    {
        return *this;
    }
};
} // namespace detail
static constexpr detail::ignore_t ignore{};

THRUST_HD inline bool operator==(const tuple<> &, const tuple<> &)
{
    return true;
}
THRUST_HD inline bool operator<(const tuple<> &, const tuple<> &)
{
    return false;
}
template <class H, class... T, class G, class... U>
THRUST_HD bool operator==(const tuple<H, T...> &a, const tuple<G, U...> &b)
{
    return a.head == b.head && a.tail == b.tail;
}
template <class H, class... T, class G, class... U>
THRUST_HD bool operator<(const tuple<H, T...> &a, const tuple<G, U...> &b)
{
    return a.head < b.head || (!(b.head < a.head) && a.tail < b.tail);
}
template <class... T, class... U>
THRUST_HD bool operator!=(const tuple<T...> &a, const tuple<U...> &b)
{
    return !(a == b);
}
template <class... T, class... U>
THRUST_HD bool operator>(const tuple<T...> &a, const tuple<U...> &b)
{
    return b < a;
}
template <class... T, class... U>
THRUST_HD bool operator<=(const tuple<T...> &a, const tuple<U...> &b)
{
    return !(b < a);
}
template <class... T, class... U>
THRUST_HD bool operator>=(const tuple<T...> &a, const tuple<U...> &b)
{
    return !(a < b);
}
} // namespace thrust

/* auto [a, b] = t; */
template <class... T> struct std::tuple_size<thrust::tuple<T...>> {
    static constexpr size_t value = sizeof...(T);
};
template <size_t i, class... T> struct std::tuple_element<i, thrust::tuple<T...>> {
    typedef typename thrust::tuple_element<i, thrust::tuple<T...>>::type type;
};

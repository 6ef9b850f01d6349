/* Iterators that compute: counting, constant, transform, zip, permutation, reverse, discard. */
#pragma once
#include "thrust/detail/pointer.h"
#include "thrust/tuple.h"

namespace thrust
{
namespace detail
{
/* D has get(n), move(n) and minus(other); the rest follows. */
template <class D, class Value, class Reference, class System> struct iterator {
    typedef Value value_type;
    typedef Reference reference;
    typedef Value *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    typedef System system;

    THRUST_HD const D &self() const
    {
        return *static_cast<const D *>(this);
    }
    THRUST_HD D &self()
    {
        return *static_cast<D *>(this);
    }
    THRUST_HD Reference operator*() const
    {
        return self().get(0);
    }
    THRUST_HD Reference operator[](ptrdiff_t n) const
    {
        return self().get(n);
    }
    THRUST_HD D &operator+=(ptrdiff_t n)
    {
        self().move(n);
        return self();
    }
    THRUST_HD D &operator-=(ptrdiff_t n)
    {
        return *this += -n;
    }
    THRUST_HD D &operator++()
    {
        return *this += 1;
    }
    THRUST_HD D &operator--()
    {
        return *this += -1;
    }
    THRUST_HD D operator++(int)
    {
        D old = self();
        *this += 1;
        return old;
    }
    THRUST_HD D operator--(int)
    {
        D old = self();
        *this += -1;
        return old;
    }
    THRUST_HD D operator+(ptrdiff_t n) const
    {
        D d = self();
        d += n;
        return d;
    }
    THRUST_HD D operator-(ptrdiff_t n) const
    {
        D d = self();
        d += -n;
        return d;
    }
    THRUST_HD friend D operator+(ptrdiff_t n, const D &d)
    {
        return d + n;
    }
    THRUST_HD friend ptrdiff_t operator-(const D &a, const D &b)
    {
        return a.minus(b);
    }
    THRUST_HD friend bool operator==(const D &a, const D &b)
    {
        return a.minus(b) == 0;
    }
    THRUST_HD friend bool operator!=(const D &a, const D &b)
    {
        return a.minus(b) != 0;
    }
    THRUST_HD friend bool operator<(const D &a, const D &b)
    {
        return a.minus(b) < 0;
    }
    THRUST_HD friend bool operator>(const D &a, const D &b)
    {
        return a.minus(b) > 0;
    }
    THRUST_HD friend bool operator<=(const D &a, const D &b)
    {
        return a.minus(b) <= 0;
    }
    THRUST_HD friend bool operator>=(const D &a, const D &b)
    {
        return a.minus(b) >= 0;
    }
};
} // namespace detail

/* first, first + 1, … */
template <class T, class System = any_system_tag, class = void, class = void>
class counting_iterator : public detail::iterator<counting_iterator<T, System>, T, T, System>
{
    T at;

  public:
    THRUST_HD counting_iterator() : at()
    {
    }
    THRUST_HD explicit counting_iterator(T at) : at(at)
    {
    }
    THRUST_HD T base() const
    {
        return at;
    }
    THRUST_HD T get(ptrdiff_t n) const
    {
        return (T)(at + n);
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at = (T)(at + n);
    }
    THRUST_HD ptrdiff_t minus(const counting_iterator &o) const
    {
        return (ptrdiff_t)at - (ptrdiff_t)o.at;
    }
};
template <class T> THRUST_HD counting_iterator<T> make_counting_iterator(T at)
{
    return counting_iterator<T>(at);
}

/* The same value everywhere. */
template <class T, class = void, class System = any_system_tag>
class constant_iterator : public detail::iterator<constant_iterator<T, void, System>, T, T, System>
{
    T value_;
    ptrdiff_t at;

  public:
    THRUST_HD constant_iterator() : value_(), at(0)
    {
    }
    THRUST_HD explicit constant_iterator(const T &v, ptrdiff_t at = 0) : value_(v), at(at)
    {
    }
    THRUST_HD T value() const
    {
        return value_;
    }
    THRUST_HD T get(ptrdiff_t) const
    {
        return value_;
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const constant_iterator &o) const
    {
        return at - o.at;
    }
};
template <class T, class N = ptrdiff_t>
THRUST_HD constant_iterator<T> make_constant_iterator(T v, N at = 0)
{
    return constant_iterator<T>(v, (ptrdiff_t)at);
}

template <class System = any_system_tag>
class discard_iterator
    : public detail::iterator<discard_iterator<System>, detail::forget, detail::forget, System>
{
    ptrdiff_t at;

  public:
    THRUST_HD explicit discard_iterator(ptrdiff_t at = 0) : at(at)
    {
    }
    THRUST_HD detail::forget get(ptrdiff_t) const
    {
        return detail::forget();
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const discard_iterator &o) const
    {
        return at - o.at;
    }
};
THRUST_HD inline discard_iterator<> make_discard_iterator(ptrdiff_t at = 0)
{
    return discard_iterator<>(at);
}

/* f of each element. */
namespace detail
{
template <class F, class I, class R> struct result_or_given {
    typedef R type;
};
template <class F, class I> struct result_or_given<F, I, void> {
    typedef decltype(std::declval<F>()(std::declval<reference_of<raw_t<I>>>())) type;
};
} // namespace detail
template <class F, class I, class R = void, class V = void>
class transform_iterator
    : public detail::iterator<
          transform_iterator<F, I, R, V>,
          typename std::decay<typename detail::result_or_given<F, I, R>::type>::type,
          typename detail::result_or_given<F, I, R>::type, typename detail::system_of<I>::type>
{
    I at;
    F f;

  public:
    typedef typename detail::result_or_given<F, I, R>::type result;
    THRUST_HD transform_iterator() : at(), f()
    {
    }
    THRUST_HD transform_iterator(const I &at, const F &f) : at(at), f(f)
    {
    }
    THRUST_HD explicit transform_iterator(const I &at) : at(at), f()
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD F functor() const
    {
        return f;
    }
    THRUST_HD result get(ptrdiff_t n) const
    {
        F g = f;
        return g(at[n]);
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const transform_iterator &o) const
    {
        return at - o.at;
    }
};
template <class I, class F> THRUST_HD transform_iterator<F, I> make_transform_iterator(I i, F f)
{
    return transform_iterator<F, I>(i, f);
}

/* What is written goes through f first. */
namespace detail
{
template <class F, class I> struct through {
    F f;
    I at;
    template <class T> THRUST_HD const through &operator=(const T &v) const
    {
        F g = f;
        *at = g(v);
        return *this;
    }
};
} // namespace detail
template <class F, class I>
class transform_output_iterator
    : public detail::iterator<transform_output_iterator<F, I>, detail::value_of<I>,
                              detail::through<F, I>, typename detail::system_of<I>::type>
{
    I at;
    F f;

  public:
    THRUST_HD transform_output_iterator(const I &at, const F &f) : at(at), f(f)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD F functor() const
    {
        return f;
    }
    THRUST_HD detail::through<F, I> get(ptrdiff_t n) const
    {
        return detail::through<F, I>{f, at + n};
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const transform_output_iterator &o) const
    {
        return at - o.at;
    }
};
template <class I, class F>
THRUST_HD transform_output_iterator<F, I> make_transform_output_iterator(I i, F f)
{
    return transform_output_iterator<F, I>(i, f);
}

/* elements[indices[0]], elements[indices[1]], … */
template <class E, class I>
class permutation_iterator
    : public detail::iterator<permutation_iterator<E, I>, detail::value_of<E>,
                              detail::reference_of<E>, typename detail::join_systems<E, I>::type>
{
    E elements;
    I at;

  public:
    THRUST_HD permutation_iterator() : elements(), at()
    {
    }
    THRUST_HD permutation_iterator(E elements, I indices) : elements(elements), at(indices)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD const E &from() const
    {
        return elements;
    }
    THRUST_HD detail::reference_of<E> get(ptrdiff_t n) const
    {
        return elements[(ptrdiff_t)at[n]];
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const permutation_iterator &o) const
    {
        return at - o.at;
    }
};
template <class E, class I>
THRUST_HD permutation_iterator<E, I> make_permutation_iterator(E elements, I indices)
{
    return permutation_iterator<E, I>(elements, indices);
}

/* Backwards. */
template <class I>
class reverse_iterator
    : public detail::iterator<reverse_iterator<I>, detail::value_of<I>, detail::reference_of<I>,
                              typename detail::system_of<I>::type>
{
    I at;

  public:
    THRUST_HD reverse_iterator() : at()
    {
    }
    THRUST_HD explicit reverse_iterator(I at) : at(at)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD detail::reference_of<I> get(ptrdiff_t n) const
    {
        return at[-1 - n];
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += -n;
    }
    THRUST_HD ptrdiff_t minus(const reverse_iterator &o) const
    {
        return o.at - at;
    }
};
template <class I> THRUST_HD reverse_iterator<I> make_reverse_iterator(I i)
{
    return reverse_iterator<I>(i);
}

/* Several at once, as a tuple of references. */
template <class T> class zip_iterator;
template <class I, class... J>
class zip_iterator<tuple<I, J...>>
    : public detail::iterator<zip_iterator<tuple<I, J...>>,
                              tuple<detail::value_of<I>, detail::value_of<J>...>,
                              tuple<detail::reference_of<I>, detail::reference_of<J>...>,
                              typename detail::join_systems<I, J...>::type>
{
    tuple<I, J...> at;
    typedef tuple<detail::reference_of<I>, detail::reference_of<J>...> result;

    template <class R, class... A> THRUST_HD static R gather(ptrdiff_t n, const tuple<> &, A &&...a)
    {
        return R(static_cast<A &&>(a)...);
    }
    template <class R, class K, class... L, class... A>
    THRUST_HD static R gather(ptrdiff_t n, const tuple<K, L...> &t, A &&...a)
    {
        return gather<R>(n, t.tail, static_cast<A &&>(a)..., t.head[n]);
    }
    THRUST_HD static void move_all(tuple<> &, ptrdiff_t)
    {
    }
    template <class K, class... L> THRUST_HD static void move_all(tuple<K, L...> &t, ptrdiff_t n)
    {
        t.head += n;
        move_all(t.tail, n);
    }

  public:
    THRUST_HD zip_iterator() : at()
    {
    }
    THRUST_HD zip_iterator(const tuple<I, J...> &at) : at(at)
    {
    }
    template <class U> THRUST_HD zip_iterator(const zip_iterator<U> &o) : at(o.get_iterator_tuple())
    {
    }
    THRUST_HD const tuple<I, J...> &get_iterator_tuple() const
    {
        return at;
    }
    THRUST_HD result get(ptrdiff_t n) const
    {
        return gather<result>(n, at);
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        move_all(at, n);
    }
    THRUST_HD ptrdiff_t minus(const zip_iterator &o) const
    {
        return at.head - o.at.head;
    }
};
template <class... I> THRUST_HD zip_iterator<tuple<I...>> make_zip_iterator(const tuple<I...> &t)
{
    return zip_iterator<tuple<I...>>(t);
}
template <class I, class J, class... K>
THRUST_HD zip_iterator<tuple<I, J, K...>> make_zip_iterator(const I &i, const J &j, const K &...k)
{
    return zip_iterator<tuple<I, J, K...>>(tuple<I, J, K...>(i, j, k...));
}
/* f(tuple) of an f that takes the elements. */
template <class F> struct zip_function {
    F f;
    THRUST_HD explicit zip_function(const F &f) : f(f)
    {
    }
    template <class T, class... A> THRUST_HD auto spread(const tuple<> &, A &&...a) const
    {
        F g = f;
        return g(a...);
    }
    template <class T, class K, class... L, class... A>
    THRUST_HD auto spread(const tuple<K, L...> &t, A &&...a) const
    {
        return spread<T>(t.tail, a..., t.head);
    }
    template <class... E> THRUST_HD auto operator()(const tuple<E...> &t) const
    {
        return spread<void>(t);
    }
};
template <class F> THRUST_HD zip_function<F> make_zip_function(const F &f)
{
    return zip_function<F>(f);
}

/* ---- how device code sees them ---- */
namespace detail
{
template <class F, class I, class R, class V> struct raw_iterator<transform_iterator<F, I, R, V>> {
    typedef transform_iterator<F, raw_t<I>, R, V> type;
    THRUST_HD static type get(const transform_iterator<F, I, R, V> &i)
    {
        return type(raw(i.base()), i.functor());
    }
};
template <class F, class I> struct raw_iterator<transform_output_iterator<F, I>> {
    typedef transform_output_iterator<F, raw_t<I>> type;
    THRUST_HD static type get(const transform_output_iterator<F, I> &i)
    {
        return type(raw(i.base()), i.functor());
    }
};
template <class E, class I> struct raw_iterator<permutation_iterator<E, I>> {
    typedef permutation_iterator<raw_t<E>, raw_t<I>> type;
    THRUST_HD static type get(const permutation_iterator<E, I> &i)
    {
        return type(raw(i.from()), raw(i.base()));
    }
};
template <class I> struct raw_iterator<reverse_iterator<I>> {
    typedef reverse_iterator<raw_t<I>> type;
    THRUST_HD static type get(const reverse_iterator<I> &i)
    {
        return type(raw(i.base()));
    }
};
template <class... I> struct raw_iterator<zip_iterator<tuple<I...>>> {
    typedef zip_iterator<tuple<raw_t<I>...>> type;
    template <class... A> THRUST_HD static type take(const tuple<> &, const A &...a)
    {
        return type(tuple<raw_t<I>...>(a...));
    }
    template <class K, class... L, class... A>
    THRUST_HD static type take(const tuple<K, L...> &t, const A &...a)
    {
        return take(t.tail, a..., raw(t.head));
    }
    THRUST_HD static type get(const zip_iterator<tuple<I...>> &i)
    {
        return take(i.get_iterator_tuple());
    }
};
} // namespace detail
} // namespace thrust

/* Iterators that programs write themselves: dereference, increment and so on are theirs. */
#pragma once
#include "thrust/detail/iterators.h"

namespace thrust
{
struct use_default {
};

class iterator_core_access
{
  public:
    template <class D> THRUST_HD static typename D::reference dereference(const D &d)
    {
        return d.dereference();
    }
    template <class D> THRUST_HD static void advance(D &d, ptrdiff_t n)
    {
        d.advance(n);
    }
    template <class D> THRUST_HD static void increment(D &d)
    {
        d.increment();
    }
    template <class D> THRUST_HD static void decrement(D &d)
    {
        d.decrement();
    }
    template <class D, class E> THRUST_HD static bool equal(const D &a, const E &b)
    {
        return a.equal(b);
    }
    template <class D, class E> THRUST_HD static ptrdiff_t distance(const D &a, const E &b)
    {
        return a.distance_to(b);
    }
};

template <class D, class Value, class System, class Traversal, class Reference,
          class Difference = ptrdiff_t>
class iterator_facade
{
    typedef iterator_core_access core;
    THRUST_HD D &self()
    {
        return *static_cast<D *>(this);
    }
    THRUST_HD const D &self() const
    {
        return *static_cast<const D *>(this);
    }

  public:
    typedef Value value_type;
    typedef Reference reference;
    typedef void *pointer;
    typedef Difference difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    typedef System system;

    THRUST_HD Reference operator*() const
    {
        return core::dereference(self());
    }
    THRUST_HD Reference operator[](Difference n) const
    {
        return *(self() + n);
    }
    THRUST_HD D &operator++()
    {
        core::increment(self());
        return self();
    }
    THRUST_HD D operator++(int)
    {
        D old = self();
        core::increment(self());
        return old;
    }
    THRUST_HD D &operator--()
    {
        core::decrement(self());
        return self();
    }
    THRUST_HD D operator--(int)
    {
        D old = self();
        core::decrement(self());
        return old;
    }
    THRUST_HD D &operator+=(Difference n)
    {
        core::advance(self(), n);
        return self();
    }
    THRUST_HD D &operator-=(Difference n)
    {
        core::advance(self(), -n);
        return self();
    }
    THRUST_HD D operator+(Difference n) const
    {
        D d = self();
        return d += n;
    }
    THRUST_HD D operator-(Difference n) const
    {
        D d = self();
        return d -= n;
    }
    THRUST_HD friend D operator+(Difference n, const D &d)
    {
        return d + n;
    }
    THRUST_HD friend Difference operator-(const D &a, const D &b)
    {
        return core::distance(b, a);
    }
    THRUST_HD friend bool operator==(const D &a, const D &b)
    {
        return core::equal(a, b);
    }
    THRUST_HD friend bool operator!=(const D &a, const D &b)
    {
        return !core::equal(a, b);
    }
#define THRUST_COMPARE(op)                                                                         \
    THRUST_HD friend bool operator op(const D &a, const D &b)                                      \
    {                                                                                              \
        return 0 op core::distance(a, b);                                                          \
    }
    THRUST_COMPARE(<)
    THRUST_COMPARE(>)
    THRUST_COMPARE(<=)
    THRUST_COMPARE(>=)
#undef THRUST_COMPARE
};

namespace detail
{
template <class T, class Otherwise> struct given {
    typedef T type;
};
template <class Otherwise> struct given<use_default, Otherwise> {
    typedef Otherwise type;
};
template <class D, class B, class V, class S, class R>
using adapted = iterator_facade<D, typename given<V, value_of<B>>::type,
                                typename given<S, typename system_of<B>::type>::type, use_default,
                                typename given<R, reference_of<B>>::type>;
} // namespace detail

template <class D, class Base, class Value = use_default, class System = use_default,
          class Traversal = use_default, class Reference = use_default,
          class Difference = use_default>
class iterator_adaptor : public detail::adapted<D, Base, Value, System, Reference>
{
    Base at;

  protected:
    typedef iterator_adaptor super_t;
    THRUST_HD const Base &base_reference() const
    {
        return at;
    }
    THRUST_HD Base &base_reference()
    {
        return at;
    }

  public:
    typedef Base base_type;
    typedef typename detail::adapted<D, Base, Value, System, Reference>::reference reference;
    typedef ptrdiff_t difference_type;

    THRUST_HD iterator_adaptor() : at()
    {
    }
    THRUST_HD explicit iterator_adaptor(const Base &at) : at(at)
    {
    }
    THRUST_HD const Base &base() const
    {
        return at;
    }

    THRUST_HD reference dereference() const
    {
        return *at;
    }
    template <class D2, class B2, class V2, class S2, class T2, class R2, class F2>
    THRUST_HD bool equal(const iterator_adaptor<D2, B2, V2, S2, T2, R2, F2> &o) const
    {
        return at == o.base();
    }
    THRUST_HD void advance(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD void increment()
    {
        ++at;
    }
    THRUST_HD void decrement()
    {
        --at;
    }
    template <class D2, class B2, class V2, class S2, class T2, class R2, class F2>
    THRUST_HD ptrdiff_t
    distance_to(const iterator_adaptor<D2, B2, V2, S2, T2, R2, F2> &o) const
    {
        return o.base() - at;
    }
};
} // namespace thrust

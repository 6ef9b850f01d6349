/* Iterators that work on what is written through them, in headers of their own: few programs have
 * them. */
#pragma once
#include "thrust/detail/iterators.h"

namespace thrust
{
namespace detail
{
/* f(index, value) for what is written. */
template <class F, class N> struct indexed_write {
    F f;
    N at;
    template <class T> THRUST_HD const indexed_write &operator=(const T &v) const
    {
        F g = f;
        g(at, v);
        return *this;
    }
};
/* Read through one function, written through another. */
template <class In, class Out, class I> struct both_ways {
    typedef decltype(std::declval<const In &>()(std::declval<value_of<I>>())) read_type;
    In in;
    Out out;
    I at;
    THRUST_HD operator read_type() const
    {
        return in(*at);
    }
    template <class T> THRUST_HD const both_ways &operator=(const T &v) const
    {
        *at = out(v);
        return *this;
    }
    THRUST_HD const both_ways &operator=(const both_ways &o) const
    {
        return *this = (read_type)o;
    }
};
} // namespace detail

template <class F, class System = any_system_tag, class N = ptrdiff_t>
class tabulate_output_iterator
    : public detail::iterator<tabulate_output_iterator<F, System, N>, void,
                              detail::indexed_write<F, N>, System>
{
    F f;
    N at;

  public:
    tabulate_output_iterator() = default;
    THRUST_HD explicit tabulate_output_iterator(F f, N at = 0) : f(f), at(at)
    {
    }
    THRUST_HD detail::indexed_write<F, N> get(ptrdiff_t n) const
    {
        return detail::indexed_write<F, N>{f, (N)(at + n)};
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at = (N)(at + n);
    }
    THRUST_HD ptrdiff_t minus(const tabulate_output_iterator &o) const
    {
        return (ptrdiff_t)(at - o.at);
    }
};
template <class F> THRUST_HD tabulate_output_iterator<F> make_tabulate_output_iterator(F f)
{
    return tabulate_output_iterator<F>(f);
}

template <class In, class Out, class I>
class transform_input_output_iterator
    : public detail::iterator<transform_input_output_iterator<In, Out, I>,
                              typename std::decay<typename detail::both_ways<In, Out, I>::read_type>::type,
                              detail::both_ways<In, Out, I>, typename detail::system_of<I>::type>
{
    I at;
    In in;
    Out out;

  public:
    transform_input_output_iterator() = default;
    THRUST_HD transform_input_output_iterator(I at, In in, Out out) : at(at), in(in), out(out)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD In reads() const
    {
        return in;
    }
    THRUST_HD Out writes() const
    {
        return out;
    }
    THRUST_HD detail::both_ways<In, Out, I> get(ptrdiff_t n) const
    {
        return detail::both_ways<In, Out, I>{in, out, at + n};
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const transform_input_output_iterator &o) const
    {
        return at - o.at;
    }
};
template <class In, class Out, class I>
THRUST_HD transform_input_output_iterator<In, Out, I> make_transform_input_output_iterator(I i, In in, Out out)
{
    return transform_input_output_iterator<In, Out, I>(i, in, out);
}

/* base + *offset: how far is known late. */
template <class I, class Offset = ptrdiff_t>
class offset_iterator
    : public detail::iterator<offset_iterator<I, Offset>, detail::value_of<I>,
                              detail::reference_of<I>, typename detail::system_of<I>::type>
{
    I at;
    Offset by;
    template <class O> THRUST_HD static ptrdiff_t distance(const O &o)
    {
        if constexpr (std::is_integral<O>::value)
            return (ptrdiff_t)o;
        else
            return (ptrdiff_t)*o;
    }

  public:
    offset_iterator() = default;
    THRUST_HD explicit offset_iterator(I at, Offset by = Offset()) : at(at), by(by)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD const Offset &offset() const
    {
        return by;
    }
    THRUST_HD detail::reference_of<I> get(ptrdiff_t n) const
    {
        return at[n + distance(by)];
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        if constexpr (std::is_integral<Offset>::value)
            by = (Offset)(by + n);
        else
            at += n;
    }
    THRUST_HD ptrdiff_t minus(const offset_iterator &o) const
    {
        return (at - o.at) + (distance(by) - distance(o.by));
    }
};

namespace detail
{
template <class In, class Out, class I>
struct raw_iterator<transform_input_output_iterator<In, Out, I>> {
    typedef transform_input_output_iterator<In, Out, raw_t<I>> type;
    THRUST_HD static type get(const transform_input_output_iterator<In, Out, I> &i)
    {
        return type(raw(i.base()), i.reads(), i.writes());
    }
};
template <class I, class Offset> struct raw_iterator<offset_iterator<I, Offset>> {
    typedef offset_iterator<raw_t<I>, Offset> type;
    THRUST_HD static type get(const offset_iterator<I, Offset> &i)
    {
        return type(raw(i.base()), i.offset());
    }
};
} // namespace detail
} // namespace thrust

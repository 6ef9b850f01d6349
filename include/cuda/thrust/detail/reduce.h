/* Reductions, and the questions that are reductions: how many, which is the first, which the
 * largest. */
#pragma once
#include "thrust/detail/elements.h"

namespace thrust
{
namespace detail
{
/* Ranges to be reduced. */
template <class I, class F> struct transformed {
    I in;
    F f;
    THRUST_HD auto operator[](size_t i)
    {
        return f(in[i]);
    }
};
template <class I, class J, class F> struct transformed_pairs {
    I a;
    J b;
    F f;
    THRUST_HD auto operator[](size_t i)
    {
        return f(a[i], b[i]);
    }
};
struct indices {
    THRUST_HD size_t operator[](size_t i) const
    {
        return i;
    }
};
template <class I, class Q> struct count_where {
    I in;
    Q chosen;
    THRUST_HD size_t operator[](size_t i)
    {
        return chosen(in[i]) ? 1 : 0;
    }
};
template <class I, class Q> struct first_where { /* the index, or n */
    I in;
    size_t n;
    Q chosen;
    THRUST_HD size_t operator[](size_t i)
    {
        return chosen(in[i]) ? i : n;
    }
};
template <class I, class J, class Q> struct first_unlike {
    I a;
    J b;
    size_t n;
    Q alike;
    THRUST_HD size_t operator[](size_t i)
    {
        return alike(a[i], b[i]) ? n : i;
    }
};
template <class I, class C> struct first_fall { /* where the next is less */
    I in;
    size_t n;
    C less;
    THRUST_HD size_t operator[](size_t i)
    {
        return less(in[i + 1], in[i]) ? i : n;
    }
};
/* Of two indices the one of the least or largest element, the first of several. */
template <class I, class C, bool largest> struct pick {
    I in;
    C less;
    THRUST_HD size_t operator()(size_t a, size_t b)
    {
        const bool up = less(in[a], in[b]), down = less(in[b], in[a]);
        if (up == down)
            return a < b ? a : b;
        return up == largest ? b : a;
    }
};

template <class T, class P, class R, class Op>
THRUST_HD T reduce_range(const P &p, R range, size_t n, T init, Op op)
{
    if constexpr (detail::launches<P>::value) {
        array<T> out(1);
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::reduce<T>(w, range, out.get(), n, op,
                                            tern_parallel::start_value<T>{init}, p.stream);
        });
        return out.read(p, 0);
    } else {
        for (size_t i = 0; i < n; i++)
            init = op(init, range[i]);
        return init;
    }
}
template <class P, class R> THRUST_HD size_t first_index(const P &p, R range, size_t n, size_t none)
{
    if constexpr (detail::launches<P>::value)
        return reduce_range(p, range, n, none, minimum<size_t>());
    else {
        for (size_t i = 0; i < n; i++)
            if (range[i] == i)
                return i;
        return none;
    }
}
} // namespace detail

template <class P, class I, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD T reduce(const P &p, I first, I last, T init, Op op)
{
    return detail::reduce_range(p, detail::raw(first), last - first, init, op);
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD T reduce(const P &p, I first, I last, T init)
{
    return thrust::reduce(p, first, last, init, plus<>());
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD detail::value_of<I> reduce(const P &p, I first, I last)
{
    typedef detail::value_of<I> T;
    return thrust::reduce(p, first, last, T(), plus<T>());
}
template <class P, class I, class F, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD T transform_reduce(const P &p, I first, I last, F f, T init, Op op)
{
    return detail::reduce_range(p, detail::transformed<detail::raw_t<I>, F>{detail::raw(first), f},
                                last - first, init, op);
}
template <class P, class I, class J, class T, class Op, class F, detail::if_policy<P> = 0>
THRUST_HD T inner_product(const P &p, I first, I last, J second, T init, Op op, F f)
{
    return detail::reduce_range(p,
                                detail::transformed_pairs<detail::raw_t<I>, detail::raw_t<J>, F>{
                                    detail::raw(first), detail::raw(second), f},
                                last - first, init, op);
}
template <class P, class I, class J, class T, detail::if_policy<P> = 0>
THRUST_HD T inner_product(const P &p, I first, I last, J second, T init)
{
    return thrust::inner_product(p, first, last, second, init, plus<>(), multiplies<>());
}

template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD ptrdiff_t count_if(const P &p, I first, I last, Q chosen)
{
    return (ptrdiff_t)detail::reduce_range(
        p, detail::count_where<detail::raw_t<I>, Q>{detail::raw(first), chosen}, last - first,
        (size_t)0, plus<size_t>());
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD ptrdiff_t count(const P &p, I first, I last, const T &value)
{
    return thrust::count_if(p, first, last, detail::equals<T>{value});
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I find_if(const P &p, I first, I last, Q chosen)
{
    const size_t n = last - first;
    return first +
           detail::first_index(
               p, detail::first_where<detail::raw_t<I>, Q>{detail::raw(first), n, chosen}, n, n);
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I find_if_not(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if(p, first, last, unary_negate<Q>{chosen});
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD I find(const P &p, I first, I last, const T &value)
{
    return thrust::find_if(p, first, last, detail::equals<T>{value});
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD bool any_of(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if(p, first, last, chosen) != last;
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD bool none_of(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if(p, first, last, chosen) == last;
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD bool all_of(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if_not(p, first, last, chosen) == last;
}
template <class P, class I, class J, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<I, J> mismatch(const P &p, I first, I last, J second, Q alike)
{
    const size_t n = last - first;
    const size_t i =
        detail::first_index(p,
                            detail::first_unlike<detail::raw_t<I>, detail::raw_t<J>, Q>{
                                detail::raw(first), detail::raw(second), n, alike},
                            n, n);
    return pair<I, J>(first + i, second + i);
}
template <class P, class I, class J, detail::if_policy<P> = 0>
THRUST_HD pair<I, J> mismatch(const P &p, I first, I last, J second)
{
    return thrust::mismatch(p, first, last, second, equal_to<>());
}
template <class P, class I, class J, class Q, detail::if_policy<P> = 0>
THRUST_HD bool equal(const P &p, I first, I last, J second, Q alike)
{
    return thrust::mismatch(p, first, last, second, alike).first == last;
}
template <class P, class I, class J, detail::if_policy<P> = 0>
THRUST_HD bool equal(const P &p, I first, I last, J second)
{
    return thrust::equal(p, first, last, second, equal_to<>());
}
template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD I is_sorted_until(const P &p, I first, I last, C less)
{
    const size_t n = last - first;
    if (n < 2)
        return last;
    return first + 1 +
           detail::first_index(
               p, detail::first_fall<detail::raw_t<I>, C>{detail::raw(first), n - 1, less}, n - 1,
               n - 1);
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD I is_sorted_until(const P &p, I first, I last)
{
    return thrust::is_sorted_until(p, first, last, less<>());
}
template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD bool is_sorted(const P &p, I first, I last, C less)
{
    return thrust::is_sorted_until(p, first, last, less) == last;
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD bool is_sorted(const P &p, I first, I last)
{
    return thrust::is_sorted_until(p, first, last, less<>()) == last;
}

template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD I min_element(const P &p, I first, I last, C less)
{
    if (first == last)
        return last;
    return first +
           detail::reduce_range(p, detail::indices(), last - first, (size_t)0,
                                detail::pick<detail::raw_t<I>, C, false>{detail::raw(first), less});
}
template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD I max_element(const P &p, I first, I last, C less)
{
    if (first == last)
        return last;
    return first +
           detail::reduce_range(p, detail::indices(), last - first, (size_t)0,
                                detail::pick<detail::raw_t<I>, C, true>{detail::raw(first), less});
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD I min_element(const P &p, I first, I last)
{
    return thrust::min_element(p, first, last, less<>());
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD I max_element(const P &p, I first, I last)
{
    return thrust::max_element(p, first, last, less<>());
}
template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD pair<I, I> minmax_element(const P &p, I first, I last, C less)
{
    return pair<I, I>(thrust::min_element(p, first, last, less),
                      thrust::max_element(p, first, last, less));
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD pair<I, I> minmax_element(const P &p, I first, I last)
{
    return thrust::minmax_element(p, first, last, less<>());
}

THRUST_BY_ARGUMENTS(reduce)
THRUST_BY_ARGUMENTS(transform_reduce)
THRUST_BY_ARGUMENTS(inner_product)
THRUST_BY_ARGUMENTS(count)
THRUST_BY_ARGUMENTS(count_if)
THRUST_BY_ARGUMENTS(find)
THRUST_BY_ARGUMENTS(find_if)
THRUST_BY_ARGUMENTS(find_if_not)
THRUST_BY_ARGUMENTS(any_of)
THRUST_BY_ARGUMENTS(none_of)
THRUST_BY_ARGUMENTS(all_of)
THRUST_BY_ARGUMENTS(mismatch)
THRUST_BY_ARGUMENTS(equal)
THRUST_BY_ARGUMENTS(is_sorted)
THRUST_BY_ARGUMENTS(is_sorted_until)
THRUST_BY_ARGUMENTS(min_element)
THRUST_BY_ARGUMENTS(max_element)
THRUST_BY_ARGUMENTS(minmax_element)

template <class T> THRUST_HD constexpr T min(const T &a, const T &b)
{
    return b < a ? b : a;
}
template <class T> THRUST_HD constexpr T max(const T &a, const T &b)
{
    return a < b ? b : a;
}
template <class T, class C> THRUST_HD constexpr T min(const T &a, const T &b, C less)
{
    return less(b, a) ? b : a;
}
template <class T, class C> THRUST_HD constexpr T max(const T &a, const T &b, C less)
{
    return less(a, b) ? b : a;
}
} // namespace thrust

/* Algorithms that treat each element by itself. */
#pragma once
#include "thrust/detail/copy.h"
#include "thrust/detail/iterators.h"
#include "thrust/functional.h"

namespace thrust
{
namespace detail
{
template <class I, class F> struct call_each {
    I in;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        f(in[i]);
    }
};
template <class I, class O, class F> struct transform_each {
    I in;
    O out;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = f(in[i]);
    }
};
template <class I, class J, class O, class F> struct transform_pairs {
    I a;
    J b;
    O out;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = f(a[i], b[i]);
    }
};
template <class I, class S, class O, class F, class Q> struct transform_chosen {
    I in;
    S stencil;
    O out;
    F f;
    Q chosen;
    THRUST_HD void operator()(size_t i)
    {
        if (chosen(stencil[i]))
            out[i] = f(in[i]);
    }
};
template <class I, class J, class S, class O, class F, class Q> struct transform_chosen_pairs {
    I a;
    J b;
    S stencil;
    O out;
    F f;
    Q chosen;
    THRUST_HD void operator()(size_t i)
    {
        if (chosen(stencil[i]))
            out[i] = f(a[i], b[i]);
    }
};
template <class O, class F> struct tabulate_each {
    O out;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = f((ptrdiff_t)i);
    }
};
template <class O, class F> struct generate_each {
    O out;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = f();
    }
};
template <class T> struct progression {
    T first, step;
    THRUST_HD T operator()(ptrdiff_t i) const
    {
        return (T)(first + step * (T)i);
    }
};
template <class M, class I, class O> struct gather_each {
    M map;
    I in;
    O out;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = in[(ptrdiff_t)map[i]];
    }
};
template <class M, class S, class I, class O, class Q> struct gather_chosen {
    M map;
    S stencil;
    I in;
    O out;
    Q chosen;
    THRUST_HD void operator()(size_t i)
    {
        if (chosen(stencil[i]))
            out[i] = in[(ptrdiff_t)map[i]];
    }
};
template <class I, class M, class O> struct scatter_each {
    I in;
    M map;
    O out;
    THRUST_HD void operator()(size_t i)
    {
        out[(ptrdiff_t)map[i]] = in[i];
    }
};
template <class I, class M, class S, class O, class Q> struct scatter_chosen {
    I in;
    M map;
    S stencil;
    O out;
    Q chosen;
    THRUST_HD void operator()(size_t i)
    {
        if (chosen(stencil[i]))
            out[(ptrdiff_t)map[i]] = in[i];
    }
};
template <class I, class S, class O, class Q, class T> struct replace_each {
    I in;
    S stencil;
    O out;
    Q chosen;
    T value;
    THRUST_HD void operator()(size_t i)
    {
        if (chosen(stencil[i]))
            out[i] = value;
        else
            out[i] = in[i];
    }
};
template <class T> struct equals {
    T value;
    template <class U> THRUST_HD bool operator()(const U &v) const
    {
        return v == value;
    }
};
struct is_true {
    template <class T> THRUST_HD bool operator()(const T &v) const
    {
        return v ? true : false;
    }
};
template <class I, class J, class T> struct swap_pairs {
    I a;
    J b;
    THRUST_HD void operator()(size_t i)
    {
        if constexpr (std::is_same<decltype(a[i]), T &>::value &&
                      std::is_same<decltype(b[i]), T &>::value) {
            using thrust::swap; /* or the class's own */
            swap(a[i], b[i]);
        } else {
            T t = a[i];
            a[i] = b[i];
            b[i] = t;
        }
    }
};
template <class I, class T> struct reverse_each {
    I in;
    size_t n;
    THRUST_HD void operator()(size_t i)
    {
        T t = in[i];
        in[i] = in[n - 1 - i];
        in[n - 1 - i] = t;
    }
};
template <class I, class O> struct reverse_copy_each {
    I in;
    O out;
    size_t n;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = in[n - 1 - i];
    }
};
template <class I, class O, class F> struct difference_each {
    I in;
    O out;
    F f;
    THRUST_HD void operator()(size_t i)
    {
        if (i)
            out[i] = f(in[i], in[i - 1]);
        else
            out[i] = in[i];
    }
};
} // namespace detail

template <class P, class I, class F, detail::if_policy<P> = 0>
THRUST_HD I for_each(const P &p, I first, I last, F f)
{
    detail::each(p, detail::call_each<detail::raw_t<I>, F>{detail::raw(first), f}, last - first);
    return last;
}
template <class P, class I, class N, class F, detail::if_policy<P> = 0>
THRUST_HD I for_each_n(const P &p, I first, N n, F f)
{
    return thrust::for_each(p, first, first + n, f);
}

template <class P, class I, class O, class F, detail::if_policy<P> = 0>
THRUST_HD O transform(const P &p, I first, I last, O out, F f)
{
    const size_t n = last - first;
    detail::each(p,
                 detail::transform_each<detail::raw_t<I>, detail::raw_t<O>, F>{detail::raw(first),
                                                                               detail::raw(out), f},
                 n);
    return out + n;
}
template <class P, class I, class J, class O, class F, detail::if_policy<P> = 0>
THRUST_HD O transform(const P &p, I first, I last, J second, O out, F f)
{
    const size_t n = last - first;
    detail::each(p,
                 detail::transform_pairs<detail::raw_t<I>, detail::raw_t<J>, detail::raw_t<O>, F>{
                     detail::raw(first), detail::raw(second), detail::raw(out), f},
                 n);
    return out + n;
}
template <class P, class I, class O, class F, class Q, detail::if_policy<P> = 0>
THRUST_HD O transform_if(const P &p, I first, I last, O out, F f, Q chosen)
{
    const size_t n = last - first;
    detail::each(
        p,
        detail::transform_chosen<detail::raw_t<I>, detail::raw_t<I>, detail::raw_t<O>, F, Q>{
            detail::raw(first), detail::raw(first), detail::raw(out), f, chosen},
        n);
    return out + n;
}
template <class P, class I, class S, class O, class F, class Q, detail::if_policy<P> = 0>
THRUST_HD O transform_if(const P &p, I first, I last, S stencil, O out, F f, Q chosen)
{
    const size_t n = last - first;
    detail::each(
        p,
        detail::transform_chosen<detail::raw_t<I>, detail::raw_t<S>, detail::raw_t<O>, F, Q>{
            detail::raw(first), detail::raw(stencil), detail::raw(out), f, chosen},
        n);
    return out + n;
}
template <class P, class I, class J, class S, class O, class F, class Q, detail::if_policy<P> = 0>
THRUST_HD O transform_if(const P &p, I first, I last, J second, S stencil, O out, F f, Q chosen)
{
    const size_t n = last - first;
    detail::each(p,
                 detail::transform_chosen_pairs<detail::raw_t<I>, detail::raw_t<J>,
                                                detail::raw_t<S>, detail::raw_t<O>, F, Q>{
                     detail::raw(first), detail::raw(second), detail::raw(stencil),
                     detail::raw(out), f, chosen},
                 n);
    return out + n;
}

template <class P, class I, class F, detail::if_policy<P> = 0>
THRUST_HD void tabulate(const P &p, I first, I last, F f)
{
    detail::each(p, detail::tabulate_each<detail::raw_t<I>, F>{detail::raw(first), f},
                 last - first);
}
template <class P, class I, class F, detail::if_policy<P> = 0>
THRUST_HD void generate(const P &p, I first, I last, F f)
{
    detail::each(p, detail::generate_each<detail::raw_t<I>, F>{detail::raw(first), f},
                 last - first);
}
template <class P, class I, class N, class F, detail::if_policy<P> = 0>
THRUST_HD I generate_n(const P &p, I first, N n, F f)
{
    thrust::generate(p, first, first + n, f);
    return first + n;
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD void sequence(const P &p, I first, I last, T start, T step)
{
    thrust::tabulate(p, first, last, detail::progression<T>{start, step});
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD void sequence(const P &p, I first, I last, T start)
{
    thrust::sequence(p, first, last, start, T(1));
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD void sequence(const P &p, I first, I last)
{
    typedef detail::value_of<I> T;
    thrust::sequence(p, first, last, T(0), T(1));
}

template <class P, class M, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O gather(const P &p, M first, M last, I in, O out)
{
    detail::each(p,
                 detail::gather_each<detail::raw_t<M>, detail::raw_t<I>, detail::raw_t<O>>{
                     detail::raw(first), detail::raw(in), detail::raw(out)},
                 last - first);
    return out + (last - first);
}
template <class P, class M, class S, class I, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O gather_if(const P &p, M first, M last, S stencil, I in, O out, Q chosen)
{
    detail::each(p,
                 detail::gather_chosen<detail::raw_t<M>, detail::raw_t<S>, detail::raw_t<I>,
                                       detail::raw_t<O>, Q>{detail::raw(first),
                                                            detail::raw(stencil), detail::raw(in),
                                                            detail::raw(out), chosen},
                 last - first);
    return out + (last - first);
}
template <class P, class M, class S, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O gather_if(const P &p, M first, M last, S stencil, I in, O out)
{
    return thrust::gather_if(p, first, last, stencil, in, out, detail::is_true());
}
template <class P, class I, class M, class O, detail::if_policy<P> = 0>
THRUST_HD void scatter(const P &p, I first, I last, M map, O out)
{
    detail::each(p,
                 detail::scatter_each<detail::raw_t<I>, detail::raw_t<M>, detail::raw_t<O>>{
                     detail::raw(first), detail::raw(map), detail::raw(out)},
                 last - first);
}
template <class P, class I, class M, class S, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD void scatter_if(const P &p, I first, I last, M map, S stencil, O out, Q chosen)
{
    detail::each(p,
                 detail::scatter_chosen<detail::raw_t<I>, detail::raw_t<M>, detail::raw_t<S>,
                                        detail::raw_t<O>, Q>{detail::raw(first), detail::raw(map),
                                                             detail::raw(stencil), detail::raw(out),
                                                             chosen},
                 last - first);
}
template <class P, class I, class M, class S, class O, detail::if_policy<P> = 0>
THRUST_HD void scatter_if(const P &p, I first, I last, M map, S stencil, O out)
{
    thrust::scatter_if(p, first, last, map, stencil, out, detail::is_true());
}

template <class P, class I, class S, class O, class Q, class T, detail::if_policy<P> = 0>
THRUST_HD O replace_copy_if(const P &p, I first, I last, S stencil, O out, Q chosen, const T &value)
{
    detail::each(p,
                 detail::replace_each<detail::raw_t<I>, detail::raw_t<S>, detail::raw_t<O>, Q, T>{
                     detail::raw(first), detail::raw(stencil), detail::raw(out), chosen, value},
                 last - first);
    return out + (last - first);
}
template <class P, class I, class O, class Q, class T, detail::if_policy<P> = 0>
THRUST_HD O replace_copy_if(const P &p, I first, I last, O out, Q chosen, const T &value)
{
    return thrust::replace_copy_if(p, first, last, first, out, chosen, value);
}
template <class P, class I, class O, class T, detail::if_policy<P> = 0>
THRUST_HD O replace_copy(const P &p, I first, I last, O out, const T &old, const T &value)
{
    return thrust::replace_copy_if(p, first, last, first, out, detail::equals<T>{old}, value);
}
template <class P, class I, class S, class Q, class T, detail::if_policy<P> = 0>
THRUST_HD void replace_if(const P &p, I first, I last, S stencil, Q chosen, const T &value)
{
    thrust::replace_copy_if(p, first, last, stencil, first, chosen, value);
}
template <class P, class I, class Q, class T, detail::if_policy<P> = 0>
THRUST_HD void replace_if(const P &p, I first, I last, Q chosen, const T &value)
{
    thrust::replace_copy_if(p, first, last, first, first, chosen, value);
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD void replace(const P &p, I first, I last, const T &old, const T &value)
{
    thrust::replace_copy_if(p, first, last, first, first, detail::equals<T>{old}, value);
}

template <class P, class I, class J, detail::if_policy<P> = 0>
THRUST_HD J swap_ranges(const P &p, I first, I last, J second)
{
    detail::each(p,
                 detail::swap_pairs<detail::raw_t<I>, detail::raw_t<J>, detail::value_of<I>>{
                     detail::raw(first), detail::raw(second)},
                 last - first);
    return second + (last - first);
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD void reverse(const P &p, I first, I last)
{
    const size_t n = last - first;
    detail::each(p,
                 detail::reverse_each<detail::raw_t<I>, detail::value_of<I>>{detail::raw(first), n},
                 n / 2);
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O reverse_copy(const P &p, I first, I last, O out)
{
    const size_t n = last - first;
    detail::each(p,
                 detail::reverse_copy_each<detail::raw_t<I>, detail::raw_t<O>>{detail::raw(first),
                                                                               detail::raw(out), n},
                 n);
    return out + n;
}
/* out[i] = f(in[i], in[i − 1]); out may be in only where it runs in turn, so device ranges go by a
 * copy. */
template <class P, class I, class O, class F, detail::if_policy<P> = 0>
THRUST_HD O adjacent_difference(const P &p, I first, I last, O out, F f)
{
    const size_t n = last - first;
    typedef detail::value_of<I> T;
    if constexpr (detail::launches<P>::value) {
        detail::array<T> copy(n);
        p.finish(tern_parallel::copy(detail::raw(first), copy.get(), n, p.stream));
        p.finish(tern_parallel::each(
            detail::difference_each<T *, detail::raw_t<O>, F>{copy.get(), detail::raw(out), f}, n,
            p.stream));
        p.wait();
        return out + n;
    } else {
        if (first == last)
            return out;
        T before = *first;
        *out = before;
        for (++first, ++out; first != last; ++first, ++out) {
            T now = *first;
            *out = f(now, before);
            before = now;
        }
        return out;
    }
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O adjacent_difference(const P &p, I first, I last, O out)
{
    return thrust::adjacent_difference(p, first, last, out, minus<detail::value_of<I>>());
}

THRUST_BY_ARGUMENTS(for_each)
THRUST_BY_ARGUMENTS(for_each_n)
THRUST_BY_ARGUMENTS(transform)
THRUST_BY_ARGUMENTS(transform_if)
THRUST_BY_ARGUMENTS(tabulate)
THRUST_BY_ARGUMENTS(generate)
THRUST_BY_ARGUMENTS(generate_n)
THRUST_BY_ARGUMENTS(sequence)
THRUST_BY_ARGUMENTS(gather)
THRUST_BY_ARGUMENTS(gather_if)
THRUST_BY_ARGUMENTS(scatter)
THRUST_BY_ARGUMENTS(scatter_if)
THRUST_BY_ARGUMENTS(replace)
THRUST_BY_ARGUMENTS(replace_if)
THRUST_BY_ARGUMENTS(replace_copy)
THRUST_BY_ARGUMENTS(replace_copy_if)
THRUST_BY_ARGUMENTS(swap_ranges)
THRUST_BY_ARGUMENTS(reverse)
THRUST_BY_ARGUMENTS(reverse_copy)
THRUST_BY_ARGUMENTS(adjacent_difference)
} // namespace thrust

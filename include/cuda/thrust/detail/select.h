/* Algorithms that keep some elements: copy_if, remove, unique, partition. */
#pragma once
#include "thrust/detail/reduce.h"

namespace thrust
{
namespace detail
{
/* The elements with a flag, to out, which lies apart; how many. */
template <class P, class R, class F, class O>
THRUST_HD size_t select_range(const P &p, R in, F flags, O out, size_t n)
{
    size_t kept = 0;
    if constexpr (detail::launches<P>::value) {
        array<size_t> count(1);
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::select(w, in, flags, raw(out), count.get(), n, p.stream);
        });
        kept = count.read(p, 0);
    } else
        for (size_t i = 0; i < n; i++)
            if (flags[i])
                out[kept++] = in[i];
    return kept;
}
/* The same in place. */
template <class T, class P, class I, class F>
THRUST_HD size_t keep_range(const P &p, I in, F flags, size_t n)
{
    size_t kept = 0;
    if constexpr (detail::launches<P>::value) {
        array<T> copy(n);
        kept = select_range(p, raw(in), flags, copy.get(), n);
        p.finish(tern_parallel::copy((const T *)copy.get(), raw(in), kept, p.stream));
        p.wait();
    } else {
        bool flag = n && flags[0]; /* the next one's flag may ask for this one */
        for (size_t i = 0; i < n; i++) {
            const bool keep = flag;
            T value = in[i];
            if (i + 1 < n)
                flag = flags[i + 1];
            if (keep)
                in[kept++] = value;
        }
    }
    return kept;
}
/* Those with a flag, then the others, both in order. */
template <class T, class P, class I, class F>
THRUST_HD size_t part_range(const P &p, I in, F flags, size_t n)
{
    size_t kept = 0;
    if constexpr (detail::launches<P>::value) {
        array<T> copy(n);
        array<size_t> count(1);
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::partition<tern_parallel::BEHIND>(
                w, raw(in), flags, copy.get(), copy.get(), count.get(), n, p.stream);
        });
        kept = count.read(p, 0);
        p.finish(tern_parallel::copy((const T *)copy.get(), raw(in), n, p.stream));
        p.wait();
    } else
        for (size_t i = 0; i < n; i++)
            if (flags[i]) { /* goes before those that were not kept */
                T value = in[i];
                for (size_t k = i; k > kept; k--)
                    in[k] = in[k - 1];
                in[kept++] = value;
            }
    return kept;
}
/* What is put at n - 1 - i goes to i. */
template <class R> struct turned_round {
    R range;
    size_t n;
    THRUST_HD decltype(auto) operator[](size_t i) const
    {
        return range[n - 1 - i];
    }
};
/* Those with a flag to out, the others to others, both in order; how many have one. */
template <class P, class I, class F, class O, class R>
THRUST_HD size_t part_copy_range(const P &p, I in, F flags, O out, R others, size_t n)
{
    size_t kept = 0;
    if constexpr (detail::launches<P>::value) {
        array<size_t> count(1);
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::partition<tern_parallel::BACKWARDS>(
                w, raw(in), flags, raw(out), turned_round<raw_t<R>>{raw(others), n}, count.get(), n,
                p.stream);
        });
        kept = count.read(p, 0);
    } else
        for (size_t i = 0; i < n; i++)
            if (flags[i])
                out[kept++] = in[i];
            else
                others[i - kept] = in[i];
    return kept;
}
template <class I, class Q> using flags_if = tern_parallel::flags_if<raw_t<I>, Q>;
template <class I, class Q> using flags_if_not = tern_parallel::flags_if_not<raw_t<I>, Q>;
template <class I, class Q> using flags_first = tern_parallel::flags_first<raw_t<I>, Q>;
} // namespace detail

template <class P, class I, class S, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O copy_if(const P &p, I first, I last, S stencil, O out, Q chosen)
{
    return out + detail::select_range(p, detail::raw(first),
                                      detail::flags_if<S, Q>{detail::raw(stencil), chosen}, out,
                                      last - first);
}
template <class P, class I, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O copy_if(const P &p, I first, I last, O out, Q chosen)
{
    return thrust::copy_if(p, first, last, first, out, chosen);
}
template <class P, class I, class S, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O remove_copy_if(const P &p, I first, I last, S stencil, O out, Q chosen)
{
    return out + detail::select_range(p, detail::raw(first),
                                      detail::flags_if_not<S, Q>{detail::raw(stencil), chosen}, out,
                                      last - first);
}
template <class P, class I, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O remove_copy_if(const P &p, I first, I last, O out, Q chosen)
{
    return thrust::remove_copy_if(p, first, last, first, out, chosen);
}
template <class P, class I, class O, class T, detail::if_policy<P> = 0>
THRUST_HD O remove_copy(const P &p, I first, I last, O out, const T &value)
{
    return thrust::remove_copy_if(p, first, last, first, out, detail::equals<T>{value});
}
template <class P, class I, class S, class Q, detail::if_policy<P> = 0>
THRUST_HD I remove_if(const P &p, I first, I last, S stencil, Q chosen)
{
    return first +
           detail::keep_range<detail::value_of<I>>(
               p, first, detail::flags_if_not<S, Q>{detail::raw(stencil), chosen}, last - first);
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I remove_if(const P &p, I first, I last, Q chosen)
{
    return thrust::remove_if(p, first, last, first, chosen);
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD I remove(const P &p, I first, I last, const T &value)
{
    return thrust::remove_if(p, first, last, first, detail::equals<T>{value});
}

template <class P, class I, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O unique_copy(const P &p, I first, I last, O out, Q alike)
{
    return out + detail::select_range(p, detail::raw(first),
                                      detail::flags_first<I, Q>{detail::raw(first), alike}, out,
                                      last - first);
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O unique_copy(const P &p, I first, I last, O out)
{
    return thrust::unique_copy(p, first, last, out, equal_to<>());
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I unique(const P &p, I first, I last, Q alike)
{
    return first +
           detail::keep_range<detail::value_of<I>>(
               p, first, detail::flags_first<I, Q>{detail::raw(first), alike}, last - first);
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD I unique(const P &p, I first, I last)
{
    return thrust::unique(p, first, last, equal_to<>());
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD ptrdiff_t unique_count(const P &p, I first, I last, Q alike)
{
    typedef detail::transformed<detail::flags_first<I, Q>, identity<bool>> range;
    return (ptrdiff_t)detail::reduce_range(
        p, range{detail::flags_first<I, Q>{detail::raw(first), alike}, identity<bool>()},
        last - first, (size_t)0, plus<size_t>());
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD ptrdiff_t unique_count(const P &p, I first, I last)
{
    return thrust::unique_count(p, first, last, equal_to<>());
}
template <class P, class K, class V, class KO, class VO, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> unique_by_key_copy(const P &p, K first, K last, V values, KO keys_out,
                                          VO values_out, Q alike)
{
    const size_t n =
        detail::select_range(p, detail::raw(thrust::make_zip_iterator(first, values)),
                             detail::flags_first<K, Q>{detail::raw(first), alike},
                             thrust::make_zip_iterator(keys_out, values_out), last - first);
    return pair<KO, VO>(keys_out + n, values_out + n);
}
template <class P, class K, class V, class KO, class VO, detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> unique_by_key_copy(const P &p, K first, K last, V values, KO keys_out,
                                          VO values_out)
{
    return thrust::unique_by_key_copy(p, first, last, values, keys_out, values_out, equal_to<>());
}
template <class P, class K, class V, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<K, V> unique_by_key(const P &p, K first, K last, V values, Q alike)
{
    typedef tuple<detail::value_of<K>, detail::value_of<V>> T;
    const size_t n =
        detail::keep_range<T>(p, thrust::make_zip_iterator(first, values),
                              detail::flags_first<K, Q>{detail::raw(first), alike}, last - first);
    return pair<K, V>(first + n, values + n);
}
template <class P, class K, class V, detail::if_policy<P> = 0>
THRUST_HD pair<K, V> unique_by_key(const P &p, K first, K last, V values)
{
    return thrust::unique_by_key(p, first, last, values, equal_to<>());
}

template <class P, class I, class S, class Q, detail::if_policy<P> = 0>
THRUST_HD I stable_partition(const P &p, I first, I last, S stencil, Q chosen)
{
    return first +
           detail::part_range<detail::value_of<I>>(
               p, first, detail::flags_if<S, Q>{detail::raw(stencil), chosen}, last - first);
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I stable_partition(const P &p, I first, I last, Q chosen)
{
    return thrust::stable_partition(p, first, last, first, chosen);
}
template <class P, class... A, detail::if_policy<P> = 0>
THRUST_HD auto partition(const P &p, A... a)
{
    return thrust::stable_partition(p, a...);
}
template <class P, class I, class S, class O, class R, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<O, R> stable_partition_copy(const P &p, I first, I last, S stencil, O out, R others,
                                           Q chosen)
{
    const size_t n = last - first;
    const size_t kept = detail::part_copy_range(
        p, first, detail::flags_if<S, Q>{detail::raw(stencil), chosen}, out, others, n);
    return pair<O, R>(out + kept, others + (n - kept));
}
template <class P, class I, class O, class R, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<O, R> stable_partition_copy(const P &p, I first, I last, O out, R others, Q chosen)
{
    return thrust::stable_partition_copy(p, first, last, first, out, others, chosen);
}
template <class P, class... A, detail::if_policy<P> = 0>
THRUST_HD auto partition_copy(const P &p, A... a)
{
    return thrust::stable_partition_copy(p, a...);
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD I partition_point(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if_not(p, first, last, chosen);
}
template <class P, class I, class Q, detail::if_policy<P> = 0>
THRUST_HD bool is_partitioned(const P &p, I first, I last, Q chosen)
{
    return thrust::find_if(p, thrust::find_if_not(p, first, last, chosen), last, chosen) == last;
}

THRUST_BY_ARGUMENTS(copy_if)
THRUST_BY_ARGUMENTS(remove)
THRUST_BY_ARGUMENTS(remove_if)
THRUST_BY_ARGUMENTS(remove_copy)
THRUST_BY_ARGUMENTS(remove_copy_if)
THRUST_BY_ARGUMENTS(unique)
THRUST_BY_ARGUMENTS(unique_copy)
THRUST_BY_ARGUMENTS(unique_count)
THRUST_BY_ARGUMENTS(unique_by_key)
THRUST_BY_ARGUMENTS(unique_by_key_copy)
THRUST_BY_ARGUMENTS(partition)
THRUST_BY_ARGUMENTS(stable_partition)
THRUST_BY_ARGUMENTS(partition_copy)
THRUST_BY_ARGUMENTS(stable_partition_copy)
THRUST_BY_ARGUMENTS(partition_point)
THRUST_BY_ARGUMENTS(is_partitioned)
} // namespace thrust

/* Scans, and what goes by runs of equal keys. */
#pragma once
#include "thrust/detail/reduce.h"

namespace thrust
{
namespace detail
{
/* What a scan adds up in: a start of 0 does not make integers of floats. */
template <class T, class V, bool = std::is_arithmetic<T>::value &&std::is_arithmetic<V>::value>
struct sum_type {
    typedef T type;
};
template <class T, class V> struct sum_type<T, V, true> {
    typedef typename std::common_type<T, V>::type type;
};

template <bool exclusive, class T, class P, class R, class O, class Op, class Start>
THRUST_HD O scan_range(const P &p, R range, size_t n, O out, Op op, Start start)
{
    if constexpr (detail::launches<P>::value) {
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::scan<exclusive, T>(w, range, raw(out), n, op, start, p.stream);
        });
    } else if (n) {
        if constexpr (Start::given) {
            T sum = start.get();
            for (size_t i = 0; i < n; i++) {
                T with = op(sum, range[i]);
                if constexpr (exclusive)
                    out[i] = sum;
                else
                    out[i] = with;
                sum = with;
            }
        } else {
            T sum = range[0];
            out[0] = sum;
            for (size_t i = 1; i < n; i++) {
                sum = op(sum, range[i]);
                out[i] = sum;
            }
        }
    }
    return out + n;
}

template <class T, class P, class R, class O, class Op>
THRUST_HD O scan_runs(const P &p, R runs, size_t n, O out, Op op)
{
    if constexpr (detail::launches<P>::value) {
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::scan_runs<T>(w, runs, raw(out), n, op, p.stream);
        });
    } else if (n) {
        tern_parallel::join_runs<T, Op> join{op};
        tern_parallel::in_run<T> sum = runs[0];
        for (size_t i = 0;;) {
            tern_parallel::in_run<T> next = sum;
            if (i + 1 < n)
                next = runs[i + 1]; /* before its place may be written */
            out[i] = sum.value;
            if (++i == n)
                break;
            sum = join(sum, next);
        }
    }
    return out + n;
}
} // namespace detail

template <class P, class I, class O, class Op, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan(const P &p, I first, I last, O out, Op op)
{
    return detail::scan_range<false, detail::value_of<I>>(p, detail::raw(first), last - first, out,
                                                          op, tern_parallel::start_none());
}
template <class P, class I, class O, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan(const P &p, I first, I last, O out, T init, Op op)
{
    typedef typename detail::sum_type<T, detail::value_of<I>>::type S;
    return detail::scan_range<false, S>(p, detail::raw(first), last - first, out, op,
                                        tern_parallel::start_value<S>{(S)init});
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan(const P &p, I first, I last, O out)
{
    return thrust::inclusive_scan(p, first, last, out, plus<detail::value_of<I>>());
}
template <class P, class I, class O, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan(const P &p, I first, I last, O out, T init, Op op)
{
    typedef typename detail::sum_type<T, detail::value_of<I>>::type S;
    return detail::scan_range<true, S>(p, detail::raw(first), last - first, out, op,
                                       tern_parallel::start_value<S>{(S)init});
}
template <class P, class I, class O, class T, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan(const P &p, I first, I last, O out, T init)
{
    return thrust::exclusive_scan(p, first, last, out, init, plus<>());
}
template <class P, class I, class O, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan(const P &p, I first, I last, O out)
{
    typedef detail::value_of<I> T;
    return thrust::exclusive_scan(p, first, last, out, T(), plus<T>());
}
template <class P, class I, class O, class F, class Op, detail::if_policy<P> = 0>
THRUST_HD O transform_inclusive_scan(const P &p, I first, I last, O out, F f, Op op)
{
    typedef detail::transformed<detail::raw_t<I>, F> range;
    typedef typename std::decay<decltype(f(
        std::declval<detail::reference_of<detail::raw_t<I>>>()))>::type T;
    return detail::scan_range<false, T>(p, range{detail::raw(first), f}, last - first, out, op,
                                        tern_parallel::start_none());
}
template <class P, class I, class O, class F, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD O transform_inclusive_scan(const P &p, I first, I last, O out, F f, T init, Op op)
{
    typedef detail::transformed<detail::raw_t<I>, F> range;
    return detail::scan_range<false, T>(p, range{detail::raw(first), f}, last - first, out, op,
                                        tern_parallel::start_value<T>{init});
}
template <class P, class I, class O, class F, class T, class Op, detail::if_policy<P> = 0>
THRUST_HD O transform_exclusive_scan(const P &p, I first, I last, O out, F f, T init, Op op)
{
    typedef detail::transformed<detail::raw_t<I>, F> range;
    return detail::scan_range<true, T>(p, range{detail::raw(first), f}, last - first, out, op,
                                       tern_parallel::start_value<T>{init});
}

template <class P, class K, class V, class O, class Q, class Op, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan_by_key(const P &p, K first, K last, V values, O out, Q alike, Op op)
{
    typedef detail::value_of<V> T;
    typedef tern_parallel::runs_of<T, detail::raw_t<K>, detail::raw_t<V>, Q> runs;
    return detail::scan_runs<T>(p, runs{detail::raw(first), detail::raw(values), alike},
                                last - first, out, op);
}
template <class P, class K, class V, class O, class Q, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan_by_key(const P &p, K first, K last, V values, O out, Q alike)
{
    return thrust::inclusive_scan_by_key(p, first, last, values, out, alike, plus<>());
}
template <class P, class K, class V, class O, detail::if_policy<P> = 0>
THRUST_HD O inclusive_scan_by_key(const P &p, K first, K last, V values, O out)
{
    return thrust::inclusive_scan_by_key(p, first, last, values, out, equal_to<>(), plus<>());
}
template <class P, class K, class V, class O, class T, class Q, class Op, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan_by_key(const P &p, K first, K last, V values, O out, T init, Q alike,
                                  Op op)
{
    typedef typename detail::sum_type<T, detail::value_of<V>>::type S;
    typedef tern_parallel::runs_before<S, detail::raw_t<K>, detail::raw_t<V>, Q> runs;
    return detail::scan_runs<S>(p, runs{detail::raw(first), detail::raw(values), alike, (S)init},
                                last - first, out, op);
}
template <class P, class K, class V, class O, class T, class Q, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan_by_key(const P &p, K first, K last, V values, O out, T init, Q alike)
{
    return thrust::exclusive_scan_by_key(p, first, last, values, out, init, alike, plus<>());
}
template <class P, class K, class V, class O, class T, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan_by_key(const P &p, K first, K last, V values, O out, T init)
{
    return thrust::exclusive_scan_by_key(p, first, last, values, out, init, equal_to<>(), plus<>());
}
template <class P, class K, class V, class O, detail::if_policy<P> = 0>
THRUST_HD O exclusive_scan_by_key(const P &p, K first, K last, V values, O out)
{
    return thrust::exclusive_scan_by_key(p, first, last, values, out, detail::value_of<V>());
}

template <class P, class K, class V, class KO, class VO, class Q, class Op,
          detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> reduce_by_key(const P &p, K first, K last, V values, KO keys_out,
                                     VO values_out, Q alike, Op op)
{
    typedef detail::value_of<V> T;
    const size_t n = last - first;
    size_t runs = 0;
    if constexpr (detail::launches<P>::value) {
        detail::array<size_t> count(1);
        detail::in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::reduce_runs<T>(w, detail::raw(first), detail::raw(values),
                                                 detail::raw(keys_out), detail::raw(values_out),
                                                 count.get(), n, alike, op, p.stream);
        });
        runs = count.read(p, 0);
    } else
        for (size_t i = 0; i < n; runs++) {
            detail::value_of<K> key = first[i];
            T sum = values[i];
            for (i++; i < n && alike(key, first[i]); i++)
                sum = op(sum, values[i]);
            keys_out[runs] = key;
            values_out[runs] = sum;
        }
    return pair<KO, VO>(keys_out + runs, values_out + runs);
}
template <class P, class K, class V, class KO, class VO, class Q, detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> reduce_by_key(const P &p, K first, K last, V values, KO keys_out,
                                     VO values_out, Q alike)
{
    return thrust::reduce_by_key(p, first, last, values, keys_out, values_out, alike, plus<>());
}
template <class P, class K, class V, class KO, class VO, detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> reduce_by_key(const P &p, K first, K last, V values, KO keys_out,
                                     VO values_out)
{
    return thrust::reduce_by_key(p, first, last, values, keys_out, values_out, equal_to<>(),
                                 plus<>());
}

THRUST_BY_ARGUMENTS(inclusive_scan)
THRUST_BY_ARGUMENTS(exclusive_scan)
THRUST_BY_ARGUMENTS(transform_inclusive_scan)
THRUST_BY_ARGUMENTS(transform_exclusive_scan)
THRUST_BY_ARGUMENTS(inclusive_scan_by_key)
THRUST_BY_ARGUMENTS(exclusive_scan_by_key)
THRUST_BY_ARGUMENTS(reduce_by_key)
} // namespace thrust

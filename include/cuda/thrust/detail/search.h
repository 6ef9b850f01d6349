/* Sorted ranges: binary search, merging, and sets. */
#pragma once
#include "thrust/detail/select.h"

namespace thrust
{
namespace detail
{
enum search { LOWER, UPPER, THERE };

template <search how, class I, class T, class C>
THRUST_HD size_t search_one(I in, size_t n, const T &value, C less)
{
    if constexpr (how == UPPER) {
        return tern_parallel::upper_place(in, 0, n, value, less);
    } else {
        const size_t at = tern_parallel::lower_place(in, 0, n, value, less);
        return how == LOWER ? at : at < n && !less(value, in[at]);
    }
}
template <search how, class I, class V, class O, class C> struct search_each {
    I in;
    size_t n;
    V values;
    O out;
    C less;
    THRUST_HD void operator()(size_t i)
    {
        out[i] = search_one<how>(in, n, values[i], less);
    }
};
template <class T> struct single {
    T value;
    THRUST_HD const T &operator[](size_t) const
    {
        return value;
    }
};

template <search how, class P, class I, class T, class C>
THRUST_HD size_t search_value(const P &p, I first, size_t n, const T &value, C less)
{
    if constexpr (detail::launches<P>::value) {
        array<size_t> out(1);
        check(tern_parallel::each(
            search_each<how, raw_t<I>, single<T>, size_t *, C>{raw(first), n, single<T>{value},
                                                               out.get(), less},
            1, p.stream));
        return out.read(p, 0);
    } else
        return search_one<how>(first, n, value, less);
}
template <search how, class P, class I, class V, class O, class C>
THRUST_HD O search_values(const P &p, I first, I last, V values, V values_last, O out, C less)
{
    const size_t n = values_last - values;
    each(p,
         search_each<how, raw_t<I>, raw_t<V>, raw_t<O>, C>{raw(first), (size_t)(last - first),
                                                           raw(values), raw(out), less},
         n);
    return out + n;
}

/* Where each element of two sorted ranges goes in their union; of equal ones the first range's
 * first. */
template <class I, class J, class O, class C> struct merge_both {
    I a;
    J b;
    size_t n, m;
    O out;
    C less;
    THRUST_HD void operator()(size_t i)
    {
        if (i < n)
            out[i + tern_parallel::lower_place(b, 0, m, a[i], less)] = a[i];
        else
            out[i - n + tern_parallel::upper_place(a, 0, n, b[i - n], less)] = b[i - n];
    }
};
/* The k-th of equal elements has a partner in the other range if that has more than k of them. */
template <class I, class J, class C, bool wanted> struct has_partner {
    I a;
    J b;
    size_t n, m;
    C less;
    THRUST_HD bool operator[](size_t i)
    {
        const size_t k = i - tern_parallel::lower_place(a, 0, n, a[i], less);
        const size_t there = tern_parallel::upper_place(b, 0, m, a[i], less) -
                             tern_parallel::lower_place(b, 0, m, a[i], less);
        return (k < there) == wanted;
    }
};
template <bool wanted, class P, class I, class J, class O, class C>
THRUST_HD O select_partners(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    const size_t n = last - first, m = other_last - other;
    return out + select_range(
                     p, raw(first),
                     has_partner<raw_t<I>, raw_t<J>, C, wanted>{raw(first), raw(other), n, m, less},
                     out, n);
}
} // namespace detail

#define THRUST_SEARCH(name, how, R, result)                                                        \
    template <class P, class I, class V, class O, class C, detail::if_policy<P> = 0>               \
    THRUST_HD O name(const P &p, I first, I last, V values, V values_last, O out, C less)          \
    {                                                                                              \
        return detail::search_values<detail::how>(p, first, last, values, values_last, out, less); \
    }                                                                                              \
    template <class P, class I, class V, class O, detail::if_policy<P> = 0>                        \
    THRUST_HD O name(const P &p, I first, I last, V values, V values_last, O out)                  \
    {                                                                                              \
        return detail::search_values<detail::how>(p, first, last, values, values_last, out,        \
                                                  less<>());                                       \
    }                                                                                              \
    template <class P, class I, class T, class C, detail::if_policy<P> = 0>                        \
    THRUST_HD R name(const P &p, I first, I last, const T &value, C less)                          \
    {                                                                                              \
        return result detail::search_value<detail::how>(p, first, last - first, value, less);      \
    }                                                                                              \
    template <class P, class I, class T, detail::if_policy<P> = 0>                                 \
    THRUST_HD R name(const P &p, I first, I last, const T &value)                                  \
    {                                                                                              \
        return result detail::search_value<detail::how>(p, first, last - first, value, less<>());  \
    }
THRUST_SEARCH(lower_bound, LOWER, I, first +)
THRUST_SEARCH(upper_bound, UPPER, I, first +)
THRUST_SEARCH(binary_search, THERE, bool, (bool))
#undef THRUST_SEARCH
template <class P, class I, class T, class C, detail::if_policy<P> = 0>
THRUST_HD pair<I, I> equal_range(const P &p, I first, I last, const T &value, C less)
{
    return pair<I, I>(thrust::lower_bound(p, first, last, value, less),
                      thrust::upper_bound(p, first, last, value, less));
}
template <class P, class I, class T, detail::if_policy<P> = 0>
THRUST_HD pair<I, I> equal_range(const P &p, I first, I last, const T &value)
{
    return thrust::equal_range(p, first, last, value, less<>());
}

template <class P, class I, class J, class O, class C, detail::if_policy<P> = 0>
THRUST_HD O merge(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    const size_t n = last - first, m = other_last - other;
    detail::each(p,
                 detail::merge_both<detail::raw_t<I>, detail::raw_t<J>, detail::raw_t<O>, C>{
                     detail::raw(first), detail::raw(other), n, m, detail::raw(out), less},
                 n + m);
    return out + (n + m);
}
namespace detail
{
template <class C> struct less_first { /* of tuples, by what they begin with */
    C less;
    template <class A, class B> THRUST_HD bool operator()(const A &a, const B &b)
    {
        return less(thrust::get<0>(a), thrust::get<0>(b));
    }
};
} // namespace detail
template <class P, class I, class J, class V, class W, class KO, class VO, class C,
          detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> merge_by_key(const P &p, I first, I last, J other, J other_last, V values,
                                    W other_values, KO keys_out, VO values_out, C less)
{
    const size_t n = last - first, m = other_last - other;
    thrust::merge(p, thrust::make_zip_iterator(first, values),
                  thrust::make_zip_iterator(last, values + n),
                  thrust::make_zip_iterator(other, other_values),
                  thrust::make_zip_iterator(other_last, other_values + m),
                  thrust::make_zip_iterator(keys_out, values_out), detail::less_first<C>{less});
    return pair<KO, VO>(keys_out + (n + m), values_out + (n + m));
}
template <class P, class I, class J, class V, class W, class KO, class VO, detail::if_policy<P> = 0>
THRUST_HD pair<KO, VO> merge_by_key(const P &p, I first, I last, J other, J other_last, V values,
                                    W other_values, KO keys_out, VO values_out)
{
    return thrust::merge_by_key(p, first, last, other, other_last, values, other_values, keys_out,
                                values_out, less<>());
}
template <class P, class I, class J, class O, class C, detail::if_policy<P> = 0>
THRUST_HD O set_intersection(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    return detail::select_partners<true>(p, first, last, other, other_last, out, less);
}
template <class P, class I, class J, class O, class C, detail::if_policy<P> = 0>
THRUST_HD O set_difference(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    return detail::select_partners<false>(p, first, last, other, other_last, out, less);
}
namespace detail
{
/* Memory in which a range without the other's elements fits. */
template <class T, bool on_device> struct room_for {
    array<T> memory;
    explicit room_for(size_t n) : memory(n)
    {
    }
    device_ptr<T> get()
    {
        return device_ptr<T>(memory.get());
    }
};
template <class T> struct room_for<T, false> {
    T *memory;
    explicit room_for(size_t n) : memory(new T[n])
    {
    }
    ~room_for()
    {
        delete[] memory;
    }
    T *get()
    {
        return memory;
    }
};
} // namespace detail
template <class P, class I, class J, class O, class C, detail::if_policy<P> = 0>
O set_union(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    detail::room_for<detail::value_of<J>, P::on_device> room(other_last - other);
    auto end = thrust::set_difference(p, other, other_last, first, last, room.get(), less);
    return thrust::merge(p, first, last, room.get(), end, out, less);
}
template <class P, class I, class J, class O, class C, detail::if_policy<P> = 0>
O set_symmetric_difference(const P &p, I first, I last, J other, J other_last, O out, C less)
{
    detail::room_for<detail::value_of<I>, P::on_device> left(last - first);
    detail::room_for<detail::value_of<J>, P::on_device> right(other_last - other);
    auto left_end = thrust::set_difference(p, first, last, other, other_last, left.get(), less);
    auto right_end = thrust::set_difference(p, other, other_last, first, last, right.get(), less);
    return thrust::merge(p, left.get(), left_end, right.get(), right_end, out, less);
}
#define THRUST_WITH_LESS(name)                                                                     \
    template <class P, class I, class J, class O, detail::if_policy<P> = 0>                        \
    THRUST_HD O name(const P &p, I first, I last, J other, J other_last, O out)                    \
    {                                                                                              \
        return thrust::name(p, first, last, other, other_last, out, less<>());                     \
    }                                                                                              \
    THRUST_BY_ARGUMENTS(name)
THRUST_WITH_LESS(merge)
THRUST_WITH_LESS(set_intersection)
THRUST_WITH_LESS(set_difference)
THRUST_WITH_LESS(set_union)
THRUST_WITH_LESS(set_symmetric_difference)
#undef THRUST_WITH_LESS

/* Keys with values: pairs of both, in the order of their keys. */
#define THRUST_SET_BY_KEY(name)                                                                    \
    template <class P, class I, class J, class V, class W, class KO, class VO, class C,            \
              detail::if_policy<P> = 0>                                                            \
    pair<KO, VO> name##_by_key(const P &p, I first, I last, J other, J other_last, V values,       \
                               W other_values, KO keys_out, VO values_out, C less)                 \
    {                                                                                              \
        const size_t n = last - first, m = other_last - other;                                     \
        const auto out = thrust::make_zip_iterator(keys_out, values_out);                          \
        const ptrdiff_t k = thrust::name(p, thrust::make_zip_iterator(first, values),              \
                                         thrust::make_zip_iterator(last, values + n),              \
                                         thrust::make_zip_iterator(other, other_values),           \
                                         thrust::make_zip_iterator(other_last, other_values + m),  \
                                         out, detail::less_first<C>{less}) -                       \
                            out;                                                                   \
        return pair<KO, VO>(keys_out + k, values_out + k);                                         \
    }                                                                                              \
    template <class P, class I, class J, class V, class W, class KO, class VO,                     \
              detail::if_policy<P> = 0>                                                            \
    pair<KO, VO> name##_by_key(const P &p, I first, I last, J other, J other_last, V values,       \
                               W other_values, KO keys_out, VO values_out)                         \
    {                                                                                              \
        return thrust::name##_by_key(p, first, last, other, other_last, values, other_values,      \
                                     keys_out, values_out, less<>());                              \
    }                                                                                              \
    THRUST_BY_ARGUMENTS(name##_by_key)
THRUST_SET_BY_KEY(set_union)
THRUST_SET_BY_KEY(set_difference)
THRUST_SET_BY_KEY(set_symmetric_difference)
#undef THRUST_SET_BY_KEY
/* All values come from the first range. */
template <class P, class I, class J, class V, class KO, class VO, class C,
          detail::if_policy<P> = 0>
pair<KO, VO> set_intersection_by_key(const P &p, I first, I last, J other, J other_last, V values,
                                     KO keys_out, VO values_out, C less)
{
    const auto none = thrust::make_constant_iterator(0);
    const auto out = thrust::make_zip_iterator(keys_out, values_out);
    const ptrdiff_t k =
        thrust::set_intersection(p, thrust::make_zip_iterator(first, values),
                                 thrust::make_zip_iterator(last, values + (last - first)),
                                 thrust::make_zip_iterator(other, none),
                                 thrust::make_zip_iterator(other_last, none + (other_last - other)),
                                 out, detail::less_first<C>{less}) -
        out;
    return pair<KO, VO>(keys_out + k, values_out + k);
}
template <class P, class I, class J, class V, class KO, class VO, detail::if_policy<P> = 0>
pair<KO, VO> set_intersection_by_key(const P &p, I first, I last, J other, J other_last, V values,
                                     KO keys_out, VO values_out)
{
    return thrust::set_intersection_by_key(p, first, last, other, other_last, values, keys_out,
                                           values_out, less<>());
}
THRUST_BY_ARGUMENTS(set_intersection_by_key)

THRUST_BY_ARGUMENTS(merge_by_key)
THRUST_BY_ARGUMENTS(lower_bound)
THRUST_BY_ARGUMENTS(upper_bound)
THRUST_BY_ARGUMENTS(binary_search)
THRUST_BY_ARGUMENTS(equal_range)
} // namespace thrust

/* Sorting: numbers by their digits, everything else by merging; in turn, a heap or insertion. */
#pragma once
#include "thrust/detail/reduce.h"
#include <functional>

namespace thrust
{
namespace detail
{
/* 1 for an order that is <, −1 for one that is >, 0 for others. */
template <class C, class K> struct order_of {
    enum {
        up = std::is_same<C, less<K>>::value || std::is_same<C, less<>>::value ||
             std::is_same<C, std::less<K>>::value || std::is_same<C, std::less<void>>::value,
        down = std::is_same<C, greater<K>>::value || std::is_same<C, greater<>>::value ||
               std::is_same<C, std::greater<K>>::value ||
               std::is_same<C, std::greater<void>>::value,
        value = up     ? 1
                : down ? -1
                       : 0,
    };
};
template <class C, class K> struct has_digits {
    enum {
        value = order_of<C, K>::value != 0 && std::is_arithmetic<K>::value &&
                !std::is_same<K, bool>::value && sizeof(K) <= 8
    };
};

/* The range as memory, and memory of the same size; what was sorted goes back into the range. */
template <class T, class I> struct sorted_range {
    I range;
    size_t n;
    array<T> copy, more;
    T *keys[2];
    static constexpr bool is_memory = std::is_same<I, T *>::value;
    sorted_range(const device_policy &p, I range, size_t n)
        : range(range), n(n), copy(n), more(is_memory ? 0 : n)
    {
        keys[1] = copy.get();
        if constexpr (is_memory) {
            keys[0] = range;
        } else {
            keys[0] = more.get();
            check(tern_parallel::copy(range, keys[0], n, p.stream));
        }
    }
    void put(const device_policy &p, int where)
    {
        if (!is_memory || where)
            check(tern_parallel::copy((const T *)keys[where], range, n, p.stream));
    }
};
template <class I> struct no_range {
    tern_parallel::no_values *keys[2] = {0, 0};
    no_range(const device_policy &, I, size_t)
    {
    }
    void put(const device_policy &, int)
    {
    }
};

template <class T> const T *as_const(T *p)
{
    return p;
}
template <class K, class Keys, class Values, class C>
void sort_on_device(const device_policy &p, Keys &keys, Values &values, size_t n, C less)
{
    int where = 0;
    if constexpr (has_digits<C, K>::value)
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::sort_digits(w, as_const(keys.keys[0]), as_const(values.keys[0]),
                                              keys.keys, values.keys, n, 0, 8 * (int)sizeof(K),
                                              order_of<C, K>::value < 0, &where, p.stream);
        });
    else
        in_workspace(p, [&](tern_parallel::workspace &w) {
            return tern_parallel::sort_merge(w, keys.keys, values.keys, n, less, &where, p.stream);
        });
    keys.put(p, where);
    values.put(p, where);
    p.wait();
}

/* In turn: elements are compared and swapped by their indices. */
template <class I, class C> struct compare_at {
    I in;
    C less;
    THRUST_HD bool operator()(size_t a, size_t b)
    {
        return less(in[a], in[b]);
    }
};
template <class I> THRUST_HD void swap_at(I in, size_t a, size_t b)
{
    value_of<I> t = in[a];
    in[a] = in[b];
    in[b] = t;
}
template <class I> struct swap_keys {
    I in;
    THRUST_HD void operator()(size_t a, size_t b)
    {
        swap_at(in, a, b);
    }
};
template <class I, class J> struct swap_both {
    I in;
    J values;
    THRUST_HD void operator()(size_t a, size_t b)
    {
        swap_at(in, a, b);
        swap_at(values, a, b);
    }
};
template <class C, class S> THRUST_HD void sink(size_t i, size_t n, C &less, S &swap)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && less(child, child + 1))
            child++;
        if (!less(i, child))
            return;
        swap(i, child);
    }
}
template <class C, class S> THRUST_HD void heap_sort(size_t n, C less, S swap)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(i, n, less, swap);
    for (size_t end = n; end-- > 1;) {
        swap(0, end);
        sink(0, end, less, swap);
    }
}
template <class C, class S> THRUST_HD void insertion_sort(size_t n, C less, S swap)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && less(k, k - 1); k--)
            swap(k, k - 1);
}
/* On the host there is memory to merge in. */
template <class I, class J, class C>
void merge_in_turn(I keys, J values, size_t n, C less, bool with_values)
{
    typedef value_of<I> K;
    typedef value_of<J> V;
    K *from = new K[n], *to = new K[n];
    V *values_from = new V[with_values ? n : 0], *values_to = new V[with_values ? n : 0];
    for (size_t i = 0; i < n; i++) {
        from[i] = keys[i];
        if (with_values)
            values_from[i] = values[i];
    }
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t left = 0; left < n; left += 2 * width) {
            const size_t middle = left + width < n ? left + width : n;
            const size_t end = middle + width < n ? middle + width : n;
            for (size_t a = left, b = middle, at = left; at < end; at++) {
                const size_t k = b == end || (a < middle && !less(from[b], from[a])) ? a++ : b++;
                to[at] = from[k];
                if (with_values)
                    values_to[at] = values_from[k];
            }
        }
        std::swap(from, to);
        std::swap(values_from, values_to);
    }
    for (size_t i = 0; i < n; i++) {
        keys[i] = from[i];
        if (with_values)
            values[i] = values_from[i];
    }
    delete[] from;
    delete[] to;
    delete[] values_from;
    delete[] values_to;
}
} // namespace detail

template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD void stable_sort(const P &p, I first, I last, C less)
{
    const size_t n = last - first;
    typedef detail::value_of<I> K;
    if constexpr (detail::launches<P>::value) {
        detail::sorted_range<K, detail::raw_t<I>> keys(p, detail::raw(first), n);
        detail::no_range<I> none(p, first, n);
        detail::sort_on_device<K>(p, keys, none, n, less);
    } else if constexpr (!THRUST_IN_KERNEL) {
        detail::merge_in_turn(first, first, n, less, false);
    } else {
        detail::insertion_sort(n, detail::compare_at<I, C>{first, less},
                               detail::swap_keys<I>{first});
    }
}
template <class P, class I, class C, detail::if_policy<P> = 0>
THRUST_HD void sort(const P &p, I first, I last, C less)
{
    if constexpr (THRUST_IN_KERNEL)
        detail::heap_sort(last - first, detail::compare_at<I, C>{first, less},
                          detail::swap_keys<I>{first});
    else
        thrust::stable_sort(p, first, last, less);
}
template <class P, class I, class J, class C, detail::if_policy<P> = 0>
THRUST_HD void stable_sort_by_key(const P &p, I first, I last, J values, C less)
{
    const size_t n = last - first;
    typedef detail::value_of<I> K;
    typedef detail::value_of<J> V;
    if constexpr (detail::launches<P>::value) {
        detail::sorted_range<K, detail::raw_t<I>> keys(p, detail::raw(first), n);
        detail::sorted_range<V, detail::raw_t<J>> others(p, detail::raw(values), n);
        detail::sort_on_device<K>(p, keys, others, n, less);
    } else if constexpr (!THRUST_IN_KERNEL) {
        detail::merge_in_turn(first, values, n, less, true);
    } else {
        detail::insertion_sort(n, detail::compare_at<I, C>{first, less},
                               detail::swap_both<I, J>{first, values});
    }
}
template <class P, class I, class J, class C, detail::if_policy<P> = 0>
THRUST_HD void sort_by_key(const P &p, I first, I last, J values, C less)
{
    if constexpr (THRUST_IN_KERNEL)
        detail::heap_sort(last - first, detail::compare_at<I, C>{first, less},
                          detail::swap_both<I, J>{first, values});
    else
        thrust::stable_sort_by_key(p, first, last, values, less);
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD void stable_sort(const P &p, I first, I last)
{
    thrust::stable_sort(p, first, last, less<detail::value_of<I>>());
}
template <class P, class I, detail::if_policy<P> = 0>
THRUST_HD void sort(const P &p, I first, I last)
{
    thrust::sort(p, first, last, less<detail::value_of<I>>());
}
template <class P, class I, class J, detail::if_policy<P> = 0>
THRUST_HD void stable_sort_by_key(const P &p, I first, I last, J values)
{
    thrust::stable_sort_by_key(p, first, last, values, less<detail::value_of<I>>());
}
template <class P, class I, class J, detail::if_policy<P> = 0>
THRUST_HD void sort_by_key(const P &p, I first, I last, J values)
{
    thrust::sort_by_key(p, first, last, values, less<detail::value_of<I>>());
}

THRUST_BY_ARGUMENTS(sort)
THRUST_BY_ARGUMENTS(stable_sort)
THRUST_BY_ARGUMENTS(sort_by_key)
THRUST_BY_ARGUMENTS(stable_sort_by_key)
} // namespace thrust

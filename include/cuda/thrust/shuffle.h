/* Random orders: on the device elements are sorted by random keys, in turn they are swapped. */
#pragma once
#include "thrust/random.h"
#include "thrust/sort.h"

namespace thrust
{
namespace detail
{
struct mix { /* a key for each index, from one number of the engine */
    unsigned long long seed;
    THRUST_HD unsigned long long operator()(ptrdiff_t i) const
    {
        unsigned long long x = seed + (unsigned long long)i * 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        return x ^ (x >> 31);
    }
};
} // namespace detail

template <class P, class I, class E, detail::if_policy<P> = 0>
THRUST_HD void shuffle(const P &p, I first, I last, E &&engine)
{
    const size_t n = last - first;
    if constexpr (detail::launches<P>::value) {
        detail::array<unsigned long long> keys(n);
        const device_ptr<unsigned long long> k(keys.get());
        thrust::tabulate(p, k, k + n, detail::mix{engine()});
        thrust::stable_sort_by_key(p, k, k + n, first);
        p.wait();
    } else {
        for (size_t i = n; i > 1; i--)
            detail::swap_at(first, i - 1, uniform_int_distribution<size_t>(0, i - 1)(engine));
    }
}
template <class P, class I, class O, class E, detail::if_policy<P> = 0>
THRUST_HD void shuffle_copy(const P &p, I first, I last, O out, E &&engine)
{
    thrust::shuffle(p, out, thrust::copy(p, first, last, out), engine);
}
THRUST_CUSTOM(shuffle)
template <class I, class E, detail::if_not_policy<I> = 0>
THRUST_HD void shuffle(I first, I last, E &&engine)
{
    thrust::shuffle(detail::default_policy<I>(), first, last, engine);
}
THRUST_CUSTOM(shuffle_copy)
template <class I, class O, class E, detail::if_not_policy<I> = 0>
THRUST_HD void shuffle_copy(I first, I last, O out, E &&engine)
{
    thrust::shuffle_copy(detail::default_policy<I, O>(), first, last, out, engine);
}
} // namespace thrust

/* Iterators over memory: pointers, and classes that stand for them. */
#pragma once
#include "thrust/detail/vector.h"

namespace thrust
{
template <class I> struct proclaim_contiguous_iterator : std::false_type {
};
template <class I>
struct is_contiguous_iterator
    : std::integral_constant<bool, std::is_pointer<detail::raw_t<I>>::value ||
                                       proclaim_contiguous_iterator<I>::value> {
};
template <class I> constexpr bool is_contiguous_iterator_v = is_contiguous_iterator<I>::value;
template <class I> constexpr bool is_indirectly_trivially_relocatable_to_v = is_contiguous_iterator<I>::value;
template <class I> using unwrap_contiguous_iterator_t = detail::raw_t<I>;
template <class I> THRUST_HD detail::raw_t<I> unwrap_contiguous_iterator(I i)
{
    return detail::raw(i);
}
template <class I> THRUST_HD detail::raw_t<I> try_unwrap_contiguous_iterator(I i)
{
    return detail::raw(i);
}
} // namespace thrust
#define THRUST_PROCLAIM_CONTIGUOUS_ITERATOR(I)                                                     \
    namespace thrust                                                                               \
    {                                                                                              \
    template <> struct proclaim_contiguous_iterator<I> : std::true_type {                          \
    };                                                                                             \
    }

#pragma once
#include "thrust/type_traits/is_contiguous_iterator.h"

namespace thrust
{
template <class T> struct proclaim_trivially_relocatable : std::false_type {
};
template <class T>
struct is_trivially_relocatable
    : std::integral_constant<bool, std::is_trivially_copyable<T>::value ||
                                       proclaim_trivially_relocatable<T>::value> {
};
template <class T> constexpr bool is_trivially_relocatable_v = is_trivially_relocatable<T>::value;
template <class From, class To>
struct is_trivially_relocatable_to
    : std::integral_constant<bool, std::is_same<From, To>::value && is_trivially_relocatable<To>::value> {
};
template <class From, class To>
struct is_indirectly_trivially_relocatable_to
    : std::integral_constant<
          bool, is_contiguous_iterator<From>::value && is_contiguous_iterator<To>::value &&
                    is_trivially_relocatable_to<detail::value_of<From>, detail::value_of<To>>::value> {
};
} // namespace thrust
#define THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(T)                                                   \
    namespace thrust                                                                               \
    {                                                                                              \
    template <> struct proclaim_trivially_relocatable<T> : std::true_type {                        \
    };                                                                                             \
    }

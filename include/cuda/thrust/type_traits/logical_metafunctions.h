#pragma once
#include <type_traits>

namespace thrust
{
#if __cplusplus >= 201703L
using std::conjunction;
using std::disjunction;
using std::negation;
template <class... T> constexpr bool conjunction_v = std::conjunction<T...>::value;
template <class... T> constexpr bool disjunction_v = std::disjunction<T...>::value;
template <class T> constexpr bool negation_v = std::negation<T>::value;
template <bool... b> struct conjunction_value : std::integral_constant<bool, (b && ...)> {
};
template <bool... b> struct disjunction_value : std::integral_constant<bool, (b || ...)> {
};
template <bool b> struct negation_value : std::integral_constant<bool, !b> {
};
template <bool... b> constexpr bool conjunction_value_v = (b && ...);
template <bool... b> constexpr bool disjunction_value_v = (b || ...);
template <bool b> constexpr bool negation_value_v = !b;
#endif
} // namespace thrust

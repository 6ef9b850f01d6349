#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
template <class T>
struct is_execution_policy
    : std::integral_constant<bool, detail::is_policy<T>::value || detail::is_custom<T>::value> {
};
template <class T> constexpr bool is_execution_policy_v = is_execution_policy<T>::value;
} // namespace thrust

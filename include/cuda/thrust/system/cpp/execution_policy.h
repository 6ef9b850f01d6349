#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
namespace cpp /* the host's threads: one of them does it all */
{
static constexpr detail::host_policy par{};
}
namespace system
{
namespace cpp
{
using thrust::cpp::par;
}
} // namespace system
} // namespace thrust

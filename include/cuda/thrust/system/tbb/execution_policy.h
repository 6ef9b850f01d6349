#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
namespace tbb /* the host's threads: one of them does it all */
{
static constexpr detail::host_policy par{};
}
namespace system
{
namespace tbb
{
using thrust::tbb::par;
}
} // namespace system
} // namespace thrust

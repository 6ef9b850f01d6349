#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
namespace omp /* the host's threads: one of them does it all */
{
static constexpr detail::host_policy par{};
}
namespace system
{
namespace omp
{
using thrust::omp::par;
}
} // namespace system
} // namespace thrust

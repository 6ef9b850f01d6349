#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
namespace system
{
namespace omp /* the host's threads: one of them does it all */
{
typedef host_system_tag tag;
template <class D> using execution_policy = host_execution_policy<D>;
static constexpr detail::host_policy par{};
} // namespace omp
} // namespace system
namespace omp
{
using system::omp::execution_policy;
using system::omp::par;
using system::omp::tag;
} // namespace omp
} // namespace thrust

#pragma once
#include "thrust/detail/policy.h"

namespace thrust
{
namespace system
{
namespace tbb /* the host's threads: one of them does it all */
{
typedef host_system_tag tag;
template <class D> using execution_policy = host_execution_policy<D>;
static constexpr detail::host_policy par{};
} // namespace tbb
} // namespace system
namespace tbb
{
using system::tbb::execution_policy;
using system::tbb::par;
using system::tbb::tag;
} // namespace tbb
} // namespace thrust

#pragma once
#include "thrust/detail/traits.h"

namespace thrust
{
namespace detail
{
#ifndef __TERN_DEVICE__
template <class A> using allocator_traits = std::allocator_traits<A>;
#endif
} // namespace detail
} // namespace thrust

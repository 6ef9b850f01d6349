#pragma once
#include "thrust/host_vector.h"
#include "thrust/system/cpp/memory.h"

namespace thrust
{
namespace system
{
namespace cpp
{
template <class T, class A = allocator<T>> using vector = host_vector<T, A>;
}
} // namespace system
namespace cpp
{
using system::cpp::vector;
}
} // namespace thrust

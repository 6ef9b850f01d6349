#pragma once
#include "thrust/system/tbb/execution_policy.h"
#include "thrust/system/cpp/memory.h"

namespace thrust
{
namespace system
{
namespace tbb
{
using namespace thrust::system::cpp;
}
} // namespace system
namespace tbb
{
using thrust::system::cpp::allocator;
using thrust::system::cpp::free;
using thrust::system::cpp::malloc;
using thrust::system::cpp::memory_resource;
using thrust::system::cpp::pointer;
} // namespace tbb
} // namespace thrust

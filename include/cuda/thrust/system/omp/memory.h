#pragma once
#include "thrust/system/omp/execution_policy.h"
#include "thrust/system/cpp/memory.h"

namespace thrust
{
namespace system
{
namespace omp
{
using namespace thrust::system::cpp;
}
} // namespace system
namespace omp
{
using thrust::system::cpp::allocator;
using thrust::system::cpp::free;
using thrust::system::cpp::malloc;
using thrust::system::cpp::memory_resource;
using thrust::system::cpp::pointer;
} // namespace omp
} // namespace thrust

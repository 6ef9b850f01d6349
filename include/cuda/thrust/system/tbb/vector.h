#pragma once
#include "thrust/system/tbb/memory.h"
#include "thrust/system/cpp/vector.h"

namespace thrust
{
namespace tbb
{
using thrust::system::cpp::vector;
}
} // namespace thrust

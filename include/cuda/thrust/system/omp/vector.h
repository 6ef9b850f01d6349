#pragma once
#include "thrust/system/omp/memory.h"
#include "thrust/system/cpp/vector.h"

namespace thrust
{
namespace omp
{
using thrust::system::cpp::vector;
}
} // namespace thrust

#pragma once
#include "thrust/device_vector.h"

namespace thrust
{
namespace cuda
{
template <class T> using vector = device_vector<T>;
template <class T> using universal_vector = thrust::universal_vector<T>;
} // namespace cuda
namespace system
{
namespace cuda
{
using thrust::cuda::universal_vector;
using thrust::cuda::vector;
} // namespace cuda
} // namespace system
} // namespace thrust

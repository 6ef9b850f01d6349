#pragma once
#include <cuda/iterator>

namespace thrust
{
using ::cuda::make_strided_iterator;
using ::cuda::strided_iterator;
template <auto stride> using compile_time_value = std::integral_constant<decltype(stride), stride>;
} // namespace thrust

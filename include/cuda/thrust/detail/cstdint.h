/* Integers of known widths, in thrust::detail. */
#pragma once
#include <cstdint>

namespace thrust
{
namespace detail
{
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::intptr_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::uintptr_t;
}
}

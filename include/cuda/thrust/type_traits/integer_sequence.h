#pragma once
#include <utility>

namespace thrust
{
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_integer_sequence;
} // namespace thrust

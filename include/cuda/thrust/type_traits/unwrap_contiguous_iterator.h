#pragma once
#include "thrust/type_traits/is_contiguous_iterator.h"

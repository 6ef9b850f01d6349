#pragma once
#include "thrust/detail/traits.h"

namespace thrust
{
template <class T> THRUST_HD T *addressof(T &v)
{
    return __builtin_addressof(v);
}
} // namespace thrust

#pragma once
#include "thrust/detail/traits.h"

namespace thrust
{
using std::make_pair;
using std::pair;

template <int i, class A, class B> THRUST_HD auto &get(pair<A, B> &p)
{
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
template <int i, class A, class B> THRUST_HD const auto &get(const pair<A, B> &p)
{
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
} // namespace thrust

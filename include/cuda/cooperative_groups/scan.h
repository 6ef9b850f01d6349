/* inclusive_scan and exclusive_scan over a tile or the lanes that are here together. */
#pragma once
#include "cooperative_groups.h"
#ifdef __TERN_DEVICE__
namespace cooperative_groups {
template <class Group, class T, class F> __device__ __forceinline__ T inclusive_scan(const Group &g, T v, F f)
{
    for (unsigned d = 1; d < g.size(); d *= 2) {
        T below = g.shfl_up(v, d);
        if (g.thread_rank() >= d)
            v = f(below, v);
    }
    return v;
}
template <class Group, class T> __device__ __forceinline__ T inclusive_scan(const Group &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class Group, class T, class F> __device__ __forceinline__ T exclusive_scan(const Group &g, T v, F f)
{
    T below = g.shfl_up(inclusive_scan(g, v, f), 1);
    return g.thread_rank() == 0 ? T() : below;
}
template <class Group, class T> __device__ __forceinline__ T exclusive_scan(const Group &g, T v) { return exclusive_scan(g, v, plus<T>()); }
}
#endif

/* reduce: over a tile or the lanes that are here together. */
#pragma once
#include "cooperative_groups.h"
#ifdef __TERN_DEVICE__
namespace cooperative_groups {
template <unsigned Size, class P, class T, class F>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, P> &g, T v, F f)
{
    for (unsigned d = Size / 2; d > 0; d /= 2)
        v = f(v, g.shfl_xor(v, d));
    return v;
}
/* Lanes may have gaps: fold the upper half of the ranks onto the lower until one is left. */
template <class T, class F> __device__ __forceinline__ T reduce(const coalesced_group &g, T v, F f)
{
    unsigned n = g.size();
    while (n > 1) {
        unsigned half = (n + 1) / 2;
        T other = g.shfl_down(v, half);
        if (g.thread_rank() + half < n)
            v = f(v, other);
        n = half;
    }
    return g.shfl(v, 0);
}
}
#endif

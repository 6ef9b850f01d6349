/* reduce: over a tile or the lanes that are here together. */
#pragma once
#include "cooperative_groups.h"
#ifdef __TERN_DEVICE__
namespace cooperative_groups
{
template <unsigned Size, class P, class T, class F>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, P> &g, T v, F f)
{
    if constexpr (Size <= 32) {
        for (unsigned d = Size / 2; d > 0; d /= 2)
            v = f(v, g.shfl_xor(v, d));
        return v;
    } else { /* each warp, then the warps' results in order */
        __shared__ alignas(16) unsigned char box[32][sizeof(T)];
        unsigned first = g.__first() / 32, warps = (g.__present() + 31) / 32;
        thread_block_tile<32> warp(warps);
        for (unsigned d = 16; d > 0; d /= 2)
            v = f(v, warp.shfl_xor(v, d));
        if (warp.thread_rank() == 0)
            *reinterpret_cast<T *>(box[first + g.thread_rank() / 32]) = v;
        g.sync();
        T r = *reinterpret_cast<T *>(box[first]);
        for (unsigned i = 1; i < warps; i++)
            r = f(r, *reinterpret_cast<T *>(box[first + i]));
        g.sync();
        return r;
    }
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
} // namespace cooperative_groups
#endif

/* memcpy_async: the threads of a group share the copy; it is done when wait returns. */
#pragma once
#include "cooperative_groups.h"
#ifdef __TERN_DEVICE__
namespace cooperative_groups {
template <class Group> __device__ __forceinline__ void memcpy_async(const Group &g, void *to, const void *from, size_t bytes)
{
    char *d = (char *)to;
    const char *s = (const char *)from;
    size_t n = bytes / 4;
    if ((((size_t)d | (size_t)s) & 3) == 0) {
        for (size_t i = g.thread_rank(); i < n; i += g.size())
            ((unsigned *)d)[i] = ((const unsigned *)s)[i];
        for (size_t i = n * 4 + g.thread_rank(); i < bytes; i += g.size())
            d[i] = s[i];
    } else {
        for (size_t i = g.thread_rank(); i < bytes; i += g.size())
            d[i] = s[i];
    }
}
template <class Group, class T> __device__ __forceinline__ void memcpy_async(const Group &g, T *to, const T *from, size_t bytes)
{
    memcpy_async(g, (void *)to, (const void *)from, bytes);
}
/* with counts of elements for both sides: the shorter one decides */
template <class Group, class T, class U>
__device__ __forceinline__ void memcpy_async(const Group &g, T *to, size_t nto, const U *from, size_t nfrom)
{
    size_t n = nto * sizeof(T) < nfrom * sizeof(U) ? nto * sizeof(T) : nfrom * sizeof(U);
    memcpy_async(g, (void *)to, (const void *)from, n);
}
template <class Group> __device__ __forceinline__ void wait(const Group &g) { g.sync(); }
template <unsigned n, class Group> __device__ __forceinline__ void wait_prior(const Group &g) { g.sync(); }
}
#endif

/* Copies in bulk, from sm_90 on: cuda::device:: and cuda::device::experimental:: of <cuda/barrier>.
 * Each is one instruction; the barrier counts the bytes that arrive. */
#pragma once
namespace cuda {
namespace device {
__device__ inline unsigned long *barrier_native_handle(barrier<thread_scope_block> &b) { return (unsigned long *)&b; }
__device__ inline void barrier_expect_tx(barrier<thread_scope_block> &b, ptrdiff_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(__tern_shared_address(&b)), "r"((unsigned)bytes) : "memory");
}
__device__ inline barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block> &b, ptrdiff_t arrivals, ptrdiff_t bytes)
{
    barrier_expect_tx(b, bytes);
    return b.arrive(arrivals);
}
template <class T, size_t alignment>
__device__ inline void memcpy_async_tx(T *to, const T *from, aligned_size_t<alignment> n, barrier<thread_scope_block> &b)
{
    static_assert(alignment >= 16, "memcpy_async_tx needs an alignment of 16 bytes");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(__tern_shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"((unsigned)n.value), "r"(__tern_shared_address(&b)) : "memory");
}
namespace experimental {
__device__ inline void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int n> __device__ inline void cp_async_bulk_wait_group_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory"); }
template <int n> __device__ inline void cp_async_bulk_wait_group() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory"); }
__device__ inline void cp_async_bulk_global_to_shared(void *to, const void *from, unsigned n, barrier<thread_scope_block> &b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(__tern_shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(n), "r"(__tern_shared_address(&b)) : "memory");
}
__device__ inline void cp_async_bulk_shared_to_global(void *to, const void *from, unsigned n)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), "r"(__tern_shared_address(from)), "r"(n) : "memory");
}
/* A tile of a tensor of so many axes: its corner's places, the fastest axis first. */
#define __TERN_TILE(axes, params, list, in, out)                                                                                                       \
    __device__ inline void cp_async_bulk_tensor_##axes##d_global_to_shared(void *to, const CUtensorMap *map, params, barrier<thread_scope_block> &b)   \
    {                                                                                                                                                  \
        asm volatile("cp.async.bulk.tensor." #axes "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " in "], [%2];" ::"r"(       \
                         __tern_shared_address(to)),                                                                                                   \
                     "l"(map), "r"(__tern_shared_address(&b)), list : "memory");                                                                       \
    }                                                                                                                                                  \
    __device__ inline void cp_async_bulk_tensor_##axes##d_shared_to_global(const CUtensorMap *map, params, const void *from)                           \
    {                                                                                                                                                  \
        asm volatile("cp.async.bulk.tensor." #axes "d.global.shared::cta.tile.bulk_group [%0, " out "], [%1];" ::"l"(map),                             \
                     "r"(__tern_shared_address(from)), list : "memory");                                                                               \
    }
#define __TERN_AND ,
__TERN_TILE(1, int c0, "r"(c0), "{%3}", "{%2}")
__TERN_TILE(2, int c0 __TERN_AND int c1, "r"(c0) __TERN_AND "r"(c1), "{%3, %4}", "{%2, %3}")
__TERN_TILE(3, int c0 __TERN_AND int c1 __TERN_AND int c2, "r"(c0) __TERN_AND "r"(c1) __TERN_AND "r"(c2), "{%3, %4, %5}", "{%2, %3, %4}")
__TERN_TILE(4, int c0 __TERN_AND int c1 __TERN_AND int c2 __TERN_AND int c3, "r"(c0) __TERN_AND "r"(c1) __TERN_AND "r"(c2) __TERN_AND "r"(c3), "{%3, %4, %5, %6}", "{%2, %3, %4, %5}")
__TERN_TILE(5, int c0 __TERN_AND int c1 __TERN_AND int c2 __TERN_AND int c3 __TERN_AND int c4, "r"(c0) __TERN_AND "r"(c1) __TERN_AND "r"(c2) __TERN_AND "r"(c3) __TERN_AND "r"(c4), "{%3, %4, %5, %6, %7}", "{%2, %3, %4, %5, %6}")
#undef __TERN_AND
#undef __TERN_TILE
}
}
}

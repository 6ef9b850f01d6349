/* Values of any size between the lanes of a warp, or of a part of one; instructions as functions. */
#pragma once
#include "cub/util_type.cuh"

namespace cub {

template <class T> struct __tern_lane_words {
    unsigned w[(sizeof(T) + 3) / 4];
    __device__ __tern_lane_words() {}
    __device__ __tern_lane_words(const T &v)
    {
        w[sizeof w / sizeof *w - 1] = 0;
        memcpy(w, &v, sizeof v);
    }
    __device__ T value() const
    {
        T v;
        memcpy(&v, w, sizeof v);
        return v;
    }
};

template <int LOGICAL_WARP_THREADS, class T>
__device__ T ShuffleUp(T input, int src_offset, int first_thread, unsigned int member_mask)
{
    __tern_lane_words<T> x(input);
    for (unsigned &w : x.w)
        w = __shfl_up_sync(member_mask, w, src_offset, LOGICAL_WARP_THREADS);
    const int lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return lane % LOGICAL_WARP_THREADS - src_offset < first_thread ? input : x.value();
}

template <int LOGICAL_WARP_THREADS, class T>
__device__ T ShuffleDown(T input, int src_offset, int last_thread, unsigned int member_mask)
{
    __tern_lane_words<T> x(input);
    for (unsigned &w : x.w)
        w = __shfl_down_sync(member_mask, w, src_offset, LOGICAL_WARP_THREADS);
    const int lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return lane % LOGICAL_WARP_THREADS + src_offset > last_thread ? input : x.value();
}

template <int LOGICAL_WARP_THREADS, class T> __device__ T ShuffleIndex(T input, int src_lane, unsigned int member_mask)
{
    __tern_lane_words<T> x(input);
    for (unsigned &w : x.w)
        w = __shfl_sync(member_mask, w, src_lane, LOGICAL_WARP_THREADS);
    return x.value();
}

/* ---- words of PTX as functions ---- */

__device__ __forceinline__ unsigned SHR_ADD(unsigned x, unsigned shift, unsigned addend)
{
    return (shift < 32 ? x >> shift : 0) + addend;
}
__device__ __forceinline__ unsigned SHL_ADD(unsigned x, unsigned shift, unsigned addend)
{
    return (shift < 32 ? x << shift : 0) + addend;
}
/* `bits` bits of a number from bit `from` on. */
template <class U> __device__ __forceinline__ unsigned BFE(U source, unsigned from, unsigned bits)
{
    return (unsigned)(source >> from) & (bits < 32 ? (1u << bits) - 1 : ~0u);
}
template <class U, int size>
__device__ __forceinline__ unsigned BFE(U source, unsigned from, unsigned bits, Int2Type<size>)
{
    return BFE(source, from, bits);
}
/* x with the low bits of y at `from`. */
__device__ __forceinline__ void BFI(unsigned &to, unsigned x, unsigned y, unsigned from,
                                    unsigned bits)
{
    const unsigned mask = (bits < 32 ? (1u << bits) - 1 : ~0u) << from;
    to = (x & ~mask) | (y << from & mask);
}
__device__ __forceinline__ unsigned IADD3(unsigned x, unsigned y, unsigned z)
{
    return x + y + z;
}
__device__ __forceinline__ int PRMT(unsigned a, unsigned b, unsigned index)
{
    return (int)__byte_perm(a, b, index);
}
__device__ __forceinline__ void BAR(int count)
{
    asm volatile("bar.sync 1, %0;" : : "r"(count) : "memory");
}
__device__ __forceinline__ void CTA_SYNC()
{
    __syncthreads();
}
__device__ __forceinline__ int CTA_SYNC_AND(int p)
{
    return __syncthreads_and(p);
}
__device__ __forceinline__ int CTA_SYNC_OR(int p)
{
    return __syncthreads_or(p);
}
__device__ __forceinline__ void WARP_SYNC(unsigned mask)
{
    __syncwarp(mask);
}
__device__ __forceinline__ int WARP_ANY(int p, unsigned mask)
{
    return __any_sync(mask, p);
}
__device__ __forceinline__ int WARP_ALL(int p, unsigned mask)
{
    return __all_sync(mask, p);
}
__device__ __forceinline__ int WARP_BALLOT(int p, unsigned mask)
{
    return (int)__ballot_sync(mask, p);
}
__device__ __forceinline__ unsigned SHFL_IDX_SYNC(unsigned word, int lane, unsigned mask)
{
    return __shfl_sync(mask, word, lane);
}
__device__ __forceinline__ float FMUL_RZ(float a, float b)
{
    return __fmul_rz(a, b);
}
__device__ __forceinline__ float FFMA_RZ(float a, float b, float c)
{
    return __fmaf_rz(a, b, c);
}
__device__ __forceinline__ void ThreadExit()
{
    asm volatile("exit;");
}
__device__ __forceinline__ void ThreadTrap()
{
    __trap();
}

/* ---- where a thread is ---- */

__device__ __forceinline__ int RowMajorTid(int x, int y, int)
{
    return (int)threadIdx.x + x * ((int)threadIdx.y + y * (int)threadIdx.z);
}
__device__ __forceinline__ unsigned LaneId()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__device__ __forceinline__ unsigned WarpId()
{
    unsigned warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    return warp;
}
__device__ __forceinline__ unsigned LaneMaskLt()
{
    return (1u << LaneId()) - 1;
}
__device__ __forceinline__ unsigned LaneMaskLe()
{
    return LaneMaskLt() | 1u << LaneId();
}
__device__ __forceinline__ unsigned LaneMaskGe()
{
    return ~LaneMaskLt();
}
__device__ __forceinline__ unsigned LaneMaskGt()
{
    return ~LaneMaskLe();
}
/* The lanes of a part of a warp; a width that is no power of two has one part. */
template <int LOGICAL_WARP_THREADS, int = 0> CUB_HD unsigned WarpMask(unsigned part)
{
    constexpr bool whole = LOGICAL_WARP_THREADS == 32;
    constexpr bool power = !(LOGICAL_WARP_THREADS & (LOGICAL_WARP_THREADS - 1));
    const unsigned mask = ~0u >> (32 - LOGICAL_WARP_THREADS);
    return whole || !power ? mask : mask << part * LOGICAL_WARP_THREADS;
}

/* The lanes whose labels have the same LABEL_BITS low bits. */
template <int LABEL_BITS, int WARP_ACTIVE_THREADS = 32>
__device__ unsigned MatchAny(unsigned label)
{
    const unsigned all = ~0u >> (32 - WARP_ACTIVE_THREADS);
    unsigned same = all;
#pragma unroll
    for (int b = 0; b < LABEL_BITS; b++) {
        const unsigned bit = label >> b & 1;
        same &= __ballot_sync(all, bit) ^ (bit ? 0u : ~0u);
    }
    return same & all;
}

namespace detail
{
__device__ __forceinline__ unsigned LogicShiftLeft(unsigned value, unsigned bits)
{
    return bits < 32 ? value << bits : 0;
}
__device__ __forceinline__ unsigned LogicShiftRight(unsigned value, unsigned bits)
{
    return bits < 32 ? value >> bits : 0;
}
} // namespace detail
} // namespace cub

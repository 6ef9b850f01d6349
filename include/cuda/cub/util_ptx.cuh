/* Values of any size between the lanes of a warp, or of a part of one. */
#pragma once
#include "cuda_runtime.h"

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

}

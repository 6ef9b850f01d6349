/* What a device is like, as macros: the same for all. */
#pragma once
#include "cub/util_namespace.cuh"
#include "cuda_runtime.h"

#ifdef __CUDA_ARCH__
#define CUB_IS_DEVICE_CODE 1
#define CUB_IS_HOST_CODE   0
#define CUB_PTX_ARCH       __CUDA_ARCH__
#else
#define CUB_IS_DEVICE_CODE 0
#define CUB_IS_HOST_CODE   1
#define CUB_PTX_ARCH       0
#endif
#define CUB_INCLUDE_DEVICE_CODE             1
#define CUB_INCLUDE_HOST_CODE               1
#define CUB_RUNTIME_FUNCTION                __host__
#define CUB_MAX_DEVICES                     128
#define CUB_LOG_WARP_THREADS(ignored)       5
#define CUB_WARP_THREADS(ignored)           32
#define CUB_PTX_LOG_WARP_THREADS            5
#define CUB_PTX_WARP_THREADS                32
#define CUB_LOG_SMEM_BANKS(ignored)         5
#define CUB_SMEM_BANKS(ignored)             32
#define CUB_PTX_LOG_SMEM_BANKS              5
#define CUB_PTX_SMEM_BANKS                  32
#define CUB_PREFER_CONFLICT_OVER_PADDING(x) 1
#define CUB_SUBSCRIPTION_FACTOR(ignored)    5

namespace cub
{
namespace detail
{
static constexpr int warp_threads = 32, log2_warp_threads = 5, smem_banks = 32,
                     log2_smem_banks = 5, max_devices = CUB_MAX_DEVICES,
                     subscription_factor = 5;
/* A tuning for items of four bytes, for items of another size. */
constexpr int items_scaled(int nominal, int target_bytes, int bytes)
{
    const int items = nominal * target_bytes / (bytes > target_bytes ? bytes : target_bytes);
    return items < 1 ? 1 : items;
}
constexpr int threads_scaled(int nominal, int bytes)
{
    const int most = ((48 * 1024 / bytes) + 31) / 32 * 32;
    return nominal < most ? nominal : most;
}
} // namespace detail
template <int nominal, int items, class T> struct MemBoundScaling {
    enum {
        ITEMS_PER_THREAD_ = items * 4 / (int)sizeof(T),
        ITEMS_PER_THREAD = ITEMS_PER_THREAD_ < 1           ? 1
                           : ITEMS_PER_THREAD_ > items * 2 ? items * 2
                                                           : (int)ITEMS_PER_THREAD_,
        BLOCK_THREADS =
            detail::threads_scaled(nominal, (int)sizeof(T) * (int)ITEMS_PER_THREAD),
    };
};
template <int nominal, int items, class T> struct RegBoundScaling {
    enum {
        ITEMS_PER_THREAD = detail::items_scaled(items, 4, (int)sizeof(T)),
        BLOCK_THREADS =
            detail::threads_scaled(nominal, (int)sizeof(T) * (int)ITEMS_PER_THREAD),
    };
};
} // namespace cub

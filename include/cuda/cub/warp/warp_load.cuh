/* Loads and stores of a warp, and its items sorted. */
#pragma once
#include "cub/block/block_sort.cuh"
#include "cub/warp/warp.cuh"

namespace cub
{
enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int N, WarpLoadAlgorithm how = WARP_LOAD_DIRECT, int W = 32, int = 0>
class WarpLoad
{
  public:
    struct TempStorage {
    };
    __device__ WarpLoad()
    {
    }
    __device__ explicit WarpLoad(TempStorage &)
    {
    }
    template <class I, class... More> __device__ void Load(I in, T (&items)[N], More... more)
    {
        if constexpr (how == WARP_LOAD_STRIPED)
            LoadDirectStriped<W>(detail::lanes<W>::lane(), in, items, more...);
        else
            LoadDirectBlocked(detail::lanes<W>::lane(), in, items, more...);
    }
};
template <class T, int N, WarpStoreAlgorithm how = WARP_STORE_DIRECT, int W = 32, int = 0>
class WarpStore
{
  public:
    struct TempStorage {
    };
    __device__ WarpStore()
    {
    }
    __device__ explicit WarpStore(TempStorage &)
    {
    }
    template <class O, class... More> __device__ void Store(O out, T (&items)[N], More... more)
    {
        if constexpr (how == WARP_STORE_STRIPED)
            StoreDirectStriped<W>(detail::lanes<W>::lane(), out, items, more...);
        else
            StoreDirectBlocked(detail::lanes<W>::lane(), out, items, more...);
    }
};

namespace detail
{
template <int W> struct in_lanes {
    __device__ static int thread()
    {
        return lanes<W>::lane();
    }
    __device__ static void wait()
    {
        lanes<W>::wait();
    }
};
} // namespace detail
template <class K, int N, int W = 32, class V = NullType, int = 0>
class WarpMergeSort : public detail::merge_sort<K, W, N, V, detail::in_lanes<W>>
{
    typedef detail::merge_sort<K, W, N, V, detail::in_lanes<W>> base;

  public:
    typedef typename base::TempStorage TempStorage;
    __device__ explicit WarpMergeSort(TempStorage &s) : base(s)
    {
    }
};
} // namespace cub

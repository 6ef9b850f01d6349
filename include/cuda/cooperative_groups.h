/* Cooperative groups: blocks, tiles of a warp, the lanes that are here together, grids. */
#pragma once
#include "cuda_runtime.h"
#include <float.h>
#ifdef __TERN_DEVICE__

namespace cooperative_groups
{
namespace details
{
__TERN_FN unsigned lane()
{
    return __tern_sreg_laneid();
}
__TERN_FN unsigned thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__TERN_FN unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
/* A shuffle of any value that can be copied as bytes: numbers as they are, all else word by word. */
template <class T, class F> __device__ __forceinline__ T by_words(const T &v, F shuffle)
{
    if constexpr (__is_arithmetic(T)) {
        return shuffle(v);
    } else {
        alignas(T) unsigned words[(sizeof(T) + 3) / 4] = {};
        memcpy(words, &v, sizeof(T));
#pragma unroll
        for (unsigned i = 0; i < sizeof words / 4; i++)
            words[i] = shuffle(words[i]);
        return *reinterpret_cast<T *>(words);
    }
}
} // namespace details

/* ---- the block ---- */
class thread_block
{
  public:
    __device__ static void sync()
    {
        __syncthreads();
    }
    __device__ static unsigned thread_rank()
    {
        return details::thread_in_block();
    }
    __device__ static unsigned size()
    {
        return details::block_size();
    }
    __device__ static unsigned num_threads()
    {
        return details::block_size();
    }
    __device__ static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    __device__ static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    __device__ static dim3 group_dim()
    {
        return blockDim;
    }
    __device__ static dim3 dim_threads()
    {
        return blockDim;
    }
    struct arrival_token {
    };
    __device__ static arrival_token barrier_arrive()
    {
        return arrival_token{};
    }
    __device__ static void barrier_wait(arrival_token)
    {
        __syncthreads();
    }
};
__device__ inline thread_block this_thread_block()
{
    return thread_block();
}

/* ---- the cluster ---- */
class cluster_group
{
  public:
    struct arrival_token {
    };
    __device__ static arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return {};
    }
    __device__ static void barrier_wait()
    {
        __cluster_barrier_wait();
    }
    __device__ static void barrier_wait(arrival_token &&)
    {
        barrier_wait();
    }
    __device__ static void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    __device__ static unsigned query_shared_rank(const void *p)
    {
        return __cluster_query_shared_rank(p);
    }
    template <class __tern_T>
    __device__ static __tern_T *map_shared_rank(__tern_T *p, int rank)
    {
        return static_cast<__tern_T *>(__cluster_map_shared_rank(p, rank));
    }
    __device__ static dim3 block_index()
    {
        return __clusterRelativeBlockIdx();
    }
    __device__ static unsigned block_rank()
    {
        return __clusterRelativeBlockRank();
    }
    __device__ static dim3 dim_blocks()
    {
        return __clusterDim();
    }
    __device__ static unsigned num_blocks()
    {
        return __clusterSizeInBlocks();
    }
    __device__ static dim3 thread_index()
    {
        const dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y,
                    b.z * blockDim.z + threadIdx.z);
    }
    __device__ static unsigned thread_rank()
    {
        return block_rank() * details::block_size() + details::thread_in_block();
    }
    __device__ static dim3 dim_threads()
    {
        const dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    __device__ static unsigned num_threads()
    {
        return num_blocks() * details::block_size();
    }
    __device__ static unsigned size()
    {
        return num_threads();
    }
};
__device__ inline cluster_group this_cluster()
{
    return cluster_group();
}

/* ---- the grid ---- */
class grid_group
{
  public:
    __device__ static bool is_valid()
    {
        return true;
    }
    __device__ static void sync()
    {
        __tern_gridsync();
    }
    __device__ static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long num_threads()
    {
        return num_blocks() * details::block_size();
    }
    __device__ static unsigned long long size()
    {
        return num_threads();
    }
    __device__ static unsigned long long thread_rank()
    {
        return block_rank() * details::block_size() + details::thread_in_block();
    }
    __device__ static dim3 group_dim()
    {
        return gridDim;
    }
    __device__ static dim3 dim_blocks()
    {
        return gridDim;
    }
    __device__ static dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
};
__device__ inline grid_group this_grid()
{
    return grid_group();
}

/* ---- any group, by its shape at run time ---- */
/* Lanes of one warp named by a mask; what tiles and coalesced groups have in common. */
class __tern_lanes
{
  protected:
    unsigned mask_, rank_, size_;
    unsigned meta_rank_, meta_size_;
    __device__ __tern_lanes(unsigned mask, unsigned meta_rank, unsigned meta_size)
        : mask_(mask), rank_(__popc(mask & __tern_sreg_lanemask_lt())), size_(__popc(mask)),
          meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    /* the lane that has the given rank */
    __device__ unsigned lane_of(unsigned rank) const
    {
        return __fns(mask_, 0, (int)rank + 1);
    }

  public:
    __device__ unsigned __mask() const
    {
        return mask_;
    }
    __device__ void sync() const
    {
        __syncwarp(mask_);
    }
    __device__ unsigned size() const
    {
        return size_;
    }
    __device__ unsigned num_threads() const
    {
        return size_;
    }
    __device__ unsigned thread_rank() const
    {
        return rank_;
    }
    __device__ unsigned meta_group_rank() const
    {
        return meta_rank_;
    }
    __device__ unsigned meta_group_size() const
    {
        return meta_size_;
    }
    __device__ int any(int p) const
    {
        return __any_sync(mask_, p);
    }
    __device__ int all(int p) const
    {
        return __all_sync(mask_, p);
    }
    /* bits by rank, not by lane */
    __device__ unsigned pack(unsigned lanes) const
    {
        unsigned r = 0, i = 0;
        for (unsigned m = mask_; m; m &= m - 1, i++)
            if (lanes & (m & (0u - m)))
                r |= 1u << i;
        return r;
    }
};

class coalesced_group : public __tern_lanes
{
  public:
    __device__ coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : __tern_lanes(mask, meta_rank, meta_size)
    {
    }
    __device__ unsigned ballot(int p) const
    {
        return pack(__ballot_sync(mask_, p));
    }
    template <class T> __device__ unsigned match_any(T v) const
    {
        return pack(__match_any_sync(mask_, v));
    }
    template <class T> __device__ unsigned match_all(T v, int &all) const
    {
        return pack(__match_all_sync(mask_, v, &all));
    }
    template <class T> __device__ T shfl(T v, unsigned rank) const
    {
        int lane = (int)lane_of(rank);
        return details::by_words(v, [=](auto x) { return __shfl_sync(mask_, x, lane); });
    }
    template <class T> __device__ T shfl_up(T v, unsigned delta) const
    {
        int lane = (int)lane_of(rank_ >= delta ? rank_ - delta : rank_);
        return details::by_words(v, [=](auto x) { return __shfl_sync(mask_, x, lane); });
    }
    template <class T> __device__ T shfl_down(T v, unsigned delta) const
    {
        int lane = (int)lane_of(rank_ + delta < size_ ? rank_ + delta : rank_);
        return details::by_words(v, [=](auto x) { return __shfl_sync(mask_, x, lane); });
    }
};
__device__ __forceinline__ coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* ---- tiles ---- */
template <unsigned Size, class Parent = void> class thread_block_tile
{
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4 … 1024 threads");
    unsigned meta_size_;

  public:
    __device__ explicit thread_block_tile(unsigned meta_size) : meta_size_(meta_size)
    {
        if constexpr (Size == 64)
            if (details::block_size() > 512)
                __trap();
    }
    /* whatever it is a tile of, it is a tile */
    template <class P>
    __device__ thread_block_tile(const thread_block_tile<Size, P> &t)
        : meta_size_(t.meta_group_size())
    {
    }
    __device__ static unsigned __mask()
    {
        static_assert(Size <= 32, "this is for tiles of at most 32 threads");
        return Size == 32 ? 0xffffffffu
                          : ((1u << (Size & 31)) - 1u) << (details::lane() & ~(Size - 1));
    }
    /* Larger tiles meet at the block's numbered barriers, each at one of its own: 512 threads have
     * 15 tiles of all sizes, and 1024 have 14 of more than 64 threads. Those of 64 would be too
     * many: they are refused there. */
    __device__ static unsigned __first()
    {
        return details::thread_in_block() & ~(Size - 1);
    }
    __device__ static unsigned __barrier()
    {
        unsigned threads = details::block_size(), smaller = 0;
        for (unsigned size = 64; size < Size; size *= 2)
            smaller += size == 64 && threads > 512 ? 0 : (threads + size - 1) / size;
        return 15 - smaller - __first() / Size;
    }
    __device__ static unsigned __present()
    {
        return min(Size, details::block_size() - __first());
    }
    __device__ void sync() const
    {
        if constexpr (Size <= 32)
            __syncwarp(__mask());
        else if constexpr (Size == 1024)
            __syncthreads();
        else
            __tern_barrier(__barrier(), __present());
    }
    __device__ static constexpr unsigned size()
    {
        return Size;
    }
    __device__ static constexpr unsigned num_threads()
    {
        return Size;
    }
    __device__ static unsigned thread_rank()
    {
        if constexpr (Size <= 32)
            return details::lane() & (Size - 1);
        else
            return details::thread_in_block() & (Size - 1);
    }
    __device__ unsigned meta_group_rank() const
    {
        return details::thread_in_block() / Size % meta_size_;
    }
    __device__ unsigned meta_group_size() const
    {
        return meta_size_;
    }
    template <class T> __device__ T shfl(T v, int rank) const
    {
        if constexpr (Size > 32) { /* the rank is the same for all */
            __shared__ alignas(16) unsigned char box[16][sizeof(T)];
            T *mine = reinterpret_cast<T *>(box[__first() / 64]);
            if (thread_rank() == (unsigned)rank)
                *mine = v;
            sync();
            T r = *mine;
            sync();
            return r;
        } else
            return details::by_words(v,
                                     [=](auto x) { return __shfl_sync(__mask(), x, rank, Size); });
    }
    template <class T> __device__ T shfl_up(T v, unsigned delta) const
    {
        return details::by_words(v,
                                 [=](auto x) { return __shfl_up_sync(__mask(), x, delta, Size); });
    }
    template <class T> __device__ T shfl_down(T v, unsigned delta) const
    {
        return details::by_words(
            v, [=](auto x) { return __shfl_down_sync(__mask(), x, delta, Size); });
    }
    template <class T> __device__ T shfl_xor(T v, unsigned lanes) const
    {
        return details::by_words(
            v, [=](auto x) { return __shfl_xor_sync(__mask(), x, (int)lanes, Size); });
    }
    __device__ int any(int p) const
    {
        if constexpr (Size <= 32)
            return __any_sync(__mask(), p);
        else if constexpr (Size == 1024)
            return __syncthreads_or(p);
        else
            return __tern_barrier_or(__barrier(), __present(), p != 0);
    }
    __device__ int all(int p) const
    {
        if constexpr (Size <= 32)
            return __all_sync(__mask(), p);
        else if constexpr (Size == 1024)
            return __syncthreads_and(p);
        else
            return __tern_barrier_and(__barrier(), __present(), p != 0);
    }
    __device__ unsigned ballot(int p) const
    {
        return __ballot_sync(__mask(), p) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __device__ unsigned match_any(T v) const
    {
        return __match_any_sync(__mask(), v) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __device__ unsigned match_all(T v, int &all) const
    {
        return __match_all_sync(__mask(), v, &all) >> (details::lane() & ~(Size - 1));
    }
};

/* Memory for tiles of more than 32 threads: ours need none of the user's. */
template <unsigned threads = 1024> struct block_tile_memory {
};
template <unsigned threads>
__device__ __forceinline__ thread_block this_thread_block(block_tile_memory<threads> &)
{
    return thread_block();
}

template <unsigned Size>
__device__ __forceinline__ thread_block_tile<Size, thread_block>
tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>((details::block_size() + Size - 1) / Size);
}
template <unsigned Size, unsigned Outer, class P>
__device__ __forceinline__ thread_block_tile<Size, thread_block_tile<Outer, P>>
tiled_partition(const thread_block_tile<Outer, P> &)
{
    static_assert(Size <= Outer, "a tile of a tile cannot be larger");
    return thread_block_tile<Size, thread_block_tile<Outer, P>>(Outer / Size);
}
/* tiles whose size is known at run time only */
__device__ __forceinline__ coalesced_group tiled_partition(const thread_block &, unsigned size)
{
    if (size > 32 || size == 0 || (size & (size - 1)))
        __trap(); /* no tile has such a size */
    unsigned first = details::lane() & ~(size - 1);
    unsigned mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << first;
    return coalesced_group(mask, details::thread_in_block() / size,
                           (details::block_size() + size - 1) / size);
}
__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &g, unsigned size)
{
    unsigned mask = 0, rank = 0, mine = g.thread_rank() / size;
    for (unsigned m = g.__mask(); m; m &= m - 1, rank++)
        if (rank / size == mine)
            mask |= m & (0u - m);
    return coalesced_group(mask, mine, (g.size() + size - 1) / size);
}
template <class Group>
__device__ __forceinline__ coalesced_group labeled_partition(const Group &g, int label)
{
    return coalesced_group(__match_any_sync(g.__mask(), label));
}
template <class Group>
__device__ __forceinline__ coalesced_group binary_partition(const Group &g, bool side)
{
    unsigned yes = __ballot_sync(g.__mask(), side);
    return coalesced_group(side ? yes : g.__mask() & ~yes, side ? 1 : 0, 2);
}

/* ---- the general thread_group: one of the above, chosen at run time ---- */
class thread_group
{
    unsigned kind_; /* 0 block, 1 lanes, 2 grid */
    unsigned mask_;

  public:
    __device__ thread_group(const thread_block &) : kind_(0), mask_(0)
    {
    }
    __device__ thread_group(const coalesced_group &g) : kind_(1), mask_(g.__mask())
    {
    }
    __device__ thread_group(const grid_group &) : kind_(2), mask_(0)
    {
    }
    template <unsigned Size, class P>
    __device__ thread_group(const thread_block_tile<Size, P> &t) : kind_(1), mask_(t.__mask())
    {
    }
    __device__ void sync() const
    {
        if (kind_ == 0)
            __syncthreads();
        else if (kind_ == 1)
            __syncwarp(mask_);
        else
            __tern_gridsync();
    }
    __device__ unsigned long long size() const
    {
        return kind_ == 0   ? details::block_size()
               : kind_ == 1 ? (unsigned long long)__popc(mask_)
                            : grid_group::size();
    }
    __device__ unsigned long long num_threads() const
    {
        return size();
    }
    __device__ unsigned long long thread_rank() const
    {
        return kind_ == 0   ? details::thread_in_block()
               : kind_ == 1 ? (unsigned long long)__popc(mask_ & __tern_sreg_lanemask_lt())
                            : grid_group::thread_rank();
    }
    __device__ unsigned __lanes() const
    {
        return mask_;
    }
};
__device__ __forceinline__ thread_group tiled_partition(const thread_group &g, unsigned size)
{
    return size >= g.size() ? g : thread_group(tiled_partition(this_thread_block(), size));
}

template <class Group> __device__ __forceinline__ void sync(const Group &g)
{
    g.sync();
}
template <class Group> __device__ __forceinline__ unsigned long long thread_rank(const Group &g)
{
    return g.thread_rank();
}
template <class Group> __device__ __forceinline__ unsigned long long group_size(const Group &g)
{
    return g.size();
}
template <class Group, class F, class... Args>
__device__ __forceinline__ void invoke_one(const Group &g, F &&f, Args &&...args)
{
    if (g.thread_rank() == 0)
        f(static_cast<Args &&>(args)...);
}
/* Of groups that have shfl: tiles and coalesced ones. */
template <class Group, class F, class... Args>
__device__ __forceinline__ auto invoke_one_broadcast(const Group &g, F &&f, Args &&...args)
{
    decltype(f(static_cast<Args &&>(args)...)) value{};
    if (g.thread_rank() == 0)
        value = f(static_cast<Args &&>(args)...);
    return g.shfl(value, 0);
}

/* ---- functions for reduce and scan ---- */
template <class T> struct plus {
    __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    __device__ T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <class T> struct greater {
    __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <class T> struct bit_and {
    __device__ T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <class T> struct bit_or {
    __device__ T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <class T> struct bit_xor {
    __device__ T operator()(T a, T b) const
    {
        return a ^ b;
    }
};
} // namespace cooperative_groups
#else
/* Host code names the groups in signatures of device functions; nobody calls their members there.
 */
namespace cooperative_groups
{
#define __TERN_GROUP                                                                               \
    void sync() const                                                                              \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }                                                                                              \
    unsigned thread_rank() const                                                                   \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }                                                                                              \
    unsigned size() const                                                                          \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }                                                                                              \
    unsigned num_threads() const                                                                   \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }
class thread_group
{
  public:
    __TERN_GROUP
};
class thread_block : public thread_group
{
};
class grid_group : public thread_group
{
};
class cluster_group : public thread_group
{
};
class multi_grid_group : public thread_group
{
};
class coalesced_group : public thread_group
{
};
template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group
{
  public:
    thread_block_tile() = default;
    template <class __tern_P> thread_block_tile(const thread_block_tile<Size, __tern_P> &)
    {
    }
};
#undef __TERN_GROUP
/* Named where members of device classes get their first values. */
inline thread_block this_thread_block()
{
    __builtin_trap();
}
inline grid_group this_grid()
{
    __builtin_trap();
}
inline coalesced_group coalesced_threads()
{
    __builtin_trap();
}
template <unsigned Size, class __tern_G>
inline thread_block_tile<Size, __tern_G> tiled_partition(const __tern_G &)
{
    __builtin_trap();
}
} // namespace cooperative_groups
#endif

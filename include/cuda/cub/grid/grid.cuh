/* What the blocks of a grid share: a barrier, a queue, shares of a range. */
#pragma once
#include "cub/util_device.cuh"

namespace cub
{
enum GridMappingStrategy { GRID_MAPPING_RAKE, GRID_MAPPING_STRIP_MINE, GRID_MAPPING_DYNAMIC };

/* For grids all of whose blocks are on the device at a time: a flag for each. */
class GridBarrier
{
  protected:
    typedef unsigned SyncFlag;
    SyncFlag *d_sync;

  public:
    GridBarrier() : d_sync(0)
    {
    }
    __device__ void Sync() const
    {
        volatile SyncFlag *const flags = d_sync;
        __threadfence();
        __syncthreads();
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0)
                flags[0] = 1;
            __syncthreads();
            for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                while (flags[b] == 0)
                    __threadfence_block();
            __syncthreads();
            for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                flags[b] = 0;
        } else if (threadIdx.x == 0) {
            flags[blockIdx.x] = 1;
            while (flags[blockIdx.x] == 1)
                __threadfence_block();
        }
        __syncthreads();
        __threadfence();
    }
};
/* A barrier with memory of its own. */
class GridBarrierLifetime : public GridBarrier
{
    size_t bytes;

  public:
    GridBarrierLifetime() : bytes(0)
    {
    }
    cudaError_t HostReset()
    {
        cudaError_t e = cudaSuccess;
        if (d_sync)
            e = CubDebug(cudaFree(d_sync));
        d_sync = 0;
        bytes = 0;
        return e;
    }
    virtual ~GridBarrierLifetime()
    {
        HostReset();
    }
    cudaError_t Setup(int grid_size)
    {
        const size_t wanted = (size_t)grid_size * sizeof(SyncFlag);
        if (wanted <= bytes)
            return cudaSuccess;
        cudaError_t e = HostReset();
        if (!e)
            e = CubDebug(cudaMalloc((void **)&d_sync, wanted));
        if (!e)
            e = CubDebug(cudaMemset(d_sync, 0, wanted));
        if (!e)
            bytes = wanted;
        return e;
    }
};

/* How many items there are, and how many were taken. */
template <class N> class GridQueue
{
    enum { FILL, DRAIN };
    N *counters;

    CUB_HD cudaError_t set(int from, int count, const N *values, cudaStream_t stream)
    {
#ifdef __CUDA_ARCH__
        (void)stream;
        for (int i = 0; i < count; i++)
            counters[from + i] = values[i];
        return cudaSuccess;
#else
        return CubDebug(cudaMemcpyAsync(counters + from, values, (size_t)count * sizeof(N),
                                        cudaMemcpyHostToDevice, stream));
#endif
    }

  public:
    static size_t AllocationSize()
    {
        return 2 * sizeof(N);
    }
    CUB_HD GridQueue() : counters(0)
    {
    }
    CUB_HD explicit GridQueue(void *storage) : counters((N *)storage)
    {
    }
    CUB_HD cudaError_t FillAndResetDrain(N size, cudaStream_t stream = 0)
    {
        const N values[2] = {size, 0};
        return set(FILL, 2, values, stream);
    }
    CUB_HD cudaError_t ResetDrain(cudaStream_t stream = 0)
    {
        const N none = 0;
        return set(DRAIN, 1, &none, stream);
    }
    CUB_HD cudaError_t ResetFill(cudaStream_t stream = 0)
    {
        const N none = 0;
        return set(FILL, 1, &none, stream);
    }
    CUB_HD cudaError_t FillSize(N &size, cudaStream_t stream = 0)
    {
#ifdef __CUDA_ARCH__
        (void)stream;
        size = counters[FILL];
        return cudaSuccess;
#else
        return CubDebug(cudaMemcpyAsync(&size, counters + FILL, sizeof(N), cudaMemcpyDeviceToHost,
                                        stream));
#endif
    }
    __device__ N Drain(N items)
    {
        return atomicAdd(counters + DRAIN, items);
    }
    __device__ N Fill(N items)
    {
        return atomicAdd(counters + FILL, items);
    }
};

/* Blocks get tiles that follow each other, some one more than the others; or every grid_size-th. */
template <class N> struct GridEvenShare {
    N num_items = 0;
    int grid_size = 0;
    N block_offset = 0, block_end = 0, block_stride = 0;

    CUB_HD GridEvenShare()
    {
    }
    CUB_HD void DispatchInit(N items, int most_blocks, int tile)
    {
        num_items = block_offset = block_end = items > 0 ? items : 0;
        tiles = (int)((num_items + tile - 1) / tile);
        grid_size = tiles < most_blocks ? tiles : most_blocks;
        const int each = grid_size ? tiles / grid_size : 0;
        larger = grid_size ? tiles - each * grid_size : 0;
        share = (N)each * tile;
        tile_items = tile;
    }
    template <int TILE_ITEMS, GridMappingStrategy STRATEGY> __device__ void BlockInit()
    {
        const int b = (int)blockIdx.x;
        if (STRATEGY == GRID_MAPPING_STRIP_MINE) {
            block_stride = (N)grid_size * TILE_ITEMS;
            block_offset = (N)b * TILE_ITEMS;
            block_end = num_items;
            return;
        }
        block_stride = TILE_ITEMS;
        if (b >= tiles)
            return;
        block_offset = (N)b * share + (N)(b < larger ? b : larger) * tile_items;
        const N own = share + (b < larger ? tile_items : 0);
        block_end = num_items - block_offset < own ? num_items : block_offset + own;
    }
    template <int TILE_ITEMS> __device__ void BlockInit(N offset, N end)
    {
        block_offset = offset;
        block_end = end;
        block_stride = TILE_ITEMS;
    }

  private:
    int tiles = 0, larger = 0, tile_items = 0;
    N share = 0;
};
} // namespace cub

// Groups that are members of device classes, made where the class is.
#include <cooperative_groups.h>
#include "check.h"

namespace cg = cooperative_groups;

enum class side : char { even = 3, odd };
template <unsigned threads> struct tile_of {
    cg::thread_block block;
    cg::thread_block_tile<threads> tile;
    __device__ tile_of() : block(cg::this_thread_block()), tile(cg::tiled_partition<threads>(cg::this_thread_block())) {}
    __device__ int sum(int v) const
    {
        for (unsigned far = threads / 2; far; far /= 2)
            v += tile.shfl_xor(v, far);
        return v;
    }
};

__global__ void sums(int *out)
{
    tile_of<16> tile;
    int s = tile.sum(threadIdx.x);
    // pointers and enumerations go from thread to thread, too
    int *const next = tile.tile.shfl(out + threadIdx.x, 3);
    const side other = tile.tile.shfl_xor(threadIdx.x % 2 ? side::odd : side::even, 1);
    if (next != out + threadIdx.x / 16 * 16 + 3 || (other == side::odd) != (threadIdx.x % 2 == 0))
        s = -1;
    out[tile.block.thread_rank()] = s;
}

// One thread of a group does it, with arguments; all may get what it came to.
__global__ void once(int *out)
{
    tile_of<8> tile;
    cg::invoke_one(tile.tile, [](int *count, int by) { atomicAdd(count, by); }, &out[64], 3);
    out[threadIdx.x] = cg::invoke_one_broadcast(tile.tile, [&](int base) { return base + (int)threadIdx.x; }, 100);
}

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 65 * sizeof *p));
    sums<<<1, 64>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(p[i] == 120 + i / 16 * 256);
    p[64] = 0;
    once<<<1, 64>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(p[i] == 100 + i / 8 * 8);
    CHECK(p[64] == 8 * 3);
    puts("ok");
}

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

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 64 * sizeof *p));
    sums<<<1, 64>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(p[i] == 120 + i / 16 * 256);
    puts("ok");
}

// LONG ON: vulkan: test/kernels/groups has such groups
// Cooperative groups: blocks, tiles of every size, groups of whoever is there, partitions, reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void ranks(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        out[0] = block.size() + 1000 * block.group_index().x;
    block.sync();
    auto tile = cg::tiled_partition<16>(block);
    int sum = tile.thread_rank();
    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0)
        out[1 + tile.meta_group_rank()] = sum;
    auto four = cg::tiled_partition<4>(tile);
    int all = cg::reduce(four, (int)threadIdx.x, cg::plus<int>());
    int big = cg::reduce(four, (int)threadIdx.x, cg::greater<int>());
    out[32 + threadIdx.x] = all * 100 + big;
    if (tile.any(threadIdx.x == 5) && tile.all(threadIdx.x < 16))
        out[20] = tile.ballot(threadIdx.x % 2) & 0xffff;
}
__device__ int count(int *counter) // one atomic for all who come together
{
    cg::coalesced_group g = cg::coalesced_threads();
    int first = 0;
    if (g.thread_rank() == 0)
        first = atomicAdd(counter, (int)g.size());
    return g.shfl(first, 0) + g.thread_rank();
}
__global__ void filter(const int *in, int *out, int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[count(counter)] = in[i];
}
template <class Group> __device__ int sum_of(Group g, int x)
{
    return cg::reduce(g, x, cg::plus<int>());
}
__global__ void generic(int *out)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    out[threadIdx.x] = sum_of(warp, 1) + sum_of(cg::tiled_partition<8>(warp), 100);
    cg::sync(block);
}

__device__ __noinline__ int any_kind(cg::thread_group g, int *scratch) // a group of whatever kind
{
    scratch[g.thread_rank()] = (int)g.thread_rank();
    g.sync();
    int s = 0;
    for (unsigned i = 0; i < g.size(); i++)
        s += scratch[i];
    g.sync();
    return s;
}
__global__ void kinds(int *out)
{
    __shared__ int scratch[64];
    cg::thread_block block = cg::this_thread_block();
    int all = any_kind(block, scratch);
    cg::thread_group tile = cg::tiled_partition(block, 16);
    out[threadIdx.x] = all * 1000 + any_kind(tile, scratch + threadIdx.x / 16 * 16);
}

int main()
{
    int *d, h[512];
    CUDA(cudaMalloc(&d, sizeof h));
    ranks<<<1, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 64);
    for (int k = 0; k < 4; k++)
        CHECK(h[1 + k] == 120);
    for (int i = 0; i < 64; i++)
        CHECK(h[32 + i] == (i / 4 * 16 + 6) * 100 + i / 4 * 4 + 3);
    CHECK(h[20] == 0xaaaa);
    int *in, *counter, n = 300;
    CUDA(cudaMallocManaged(&in, n * sizeof *in));
    CUDA(cudaMallocManaged(&counter, sizeof *counter));
    for (int i = 0; i < n; i++)
        in[i] = i;
    *counter = 0;
    filter<<<3, 128>>>(in, d, counter, n);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < *counter; i++)
        sum += h[i];
    CHECK(*counter == 100 && sum == 3 * 99 * 100 / 2);
    generic<<<1, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 832 && h[63] == 832);
    kinds<<<1, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2016 * 1000 + 120 && h[63] == h[0]);
    puts("ok");
}

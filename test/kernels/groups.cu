// Cooperative groups.
// TEST tiles: --kernel tiles --block 64 --arg 'i32[448]'
// EXPECT arg 0: sum 23409460 checksum f6124a027731c460
// TEST coalesced: --kernel coalesced --block 32 --arg 'i32[96]'
// EXPECT arg 0: sum 18418639 checksum a95cce4203285dbc
// TEST reduce: --kernel reduces --block 64 --arg 'i32[256]'
// EXPECT arg 0: sum 185653 checksum 7b8c1febcd0cfb0a
// TEST block: --kernel blocks --grid 2,2 --block 4,4,2 --arg 'i32[128]'
// EXPECT arg 0: sum 410312512 checksum 4ff209dbd3384b15
// TEST copy: --kernel copies --block 32 --arg 'i32[100]=iota' --arg 'i32[100]'
// EXPECT arg 1: sum 4950 checksum 48bf0ac710fe80a5
// TEST grid: --kernel grid_wide --grid 4 --block 32 --cooperative --arg 'i32[128]' --arg 'i32[128]'
// EXPECT arg 0: sum 1381760 checksum 24ae832f4462b1d7
// EXPECT arg 1: sum 1381760 checksum 76b85d08a4f21717
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    auto quad = cg::tiled_partition<4>(tile);
    int t = block.thread_rank();
    out[t] = tile.thread_rank() * 100 + tile.meta_group_rank();
    out[64 + t] = tile.shfl(t, 3);
    out[128 + t] = tile.shfl_down(t, 2) * 1000 + tile.shfl_up(t, 1);
    out[192 + t] = tile.ballot(t % 5 == 0) + tile.any(t == 17) * 100000 + tile.all(t < 16) * 1000000;
    out[256 + t] = quad.shfl_xor(t, 1) * 10 + quad.thread_rank();
    out[320 + t] = tile.size() + quad.num_threads() * 100 + quad.meta_group_size() * 10000;
    int sum = t;
    for (int d = quad.size() / 2; d > 0; d /= 2)
        sum += quad.shfl_down(sum, d);
    quad.sync();
    out[384 + t] = quad.shfl(sum, 0);
}

__global__ void coalesced(int *out)
{
    int t = threadIdx.x;
    if (t % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        out[t] = g.thread_rank() * 100 + g.size();
        out[32 + t] = g.shfl(t, 2) + g.shfl_down(t, 1) * 100;
        out[64 + t] = g.ballot(t > 10) + cg::reduce(g, t, cg::plus<int>()) * 10000;
    } else {
        auto g = cg::binary_partition(cg::coalesced_threads(), t < 16);
        out[t] = g.size() * 1000 + g.thread_rank();
    }
}

__global__ void reduces(int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, v = t * 7 % 23;
    out[t] = cg::reduce(tile, v, cg::plus<int>());
    out[64 + t] = cg::reduce(tile, v, cg::greater<int>()) * 100 + cg::reduce(tile, v, cg::less<int>());
    out[128 + t] = cg::inclusive_scan(tile, v);
    out[192 + t] = cg::exclusive_scan(tile, v, cg::plus<int>());
}

__global__ void blocks(int *out)
{
    auto g = cg::this_thread_block();
    dim3 i = g.thread_index(), b = g.group_index();
    int at = (b.y * 2 + b.x) * 32 + g.thread_rank();
    out[at] = i.x + i.y * 10 + i.z * 100 + b.x * 1000 + b.y * 10000 + g.size() * 100000;
    cg::sync(g);
    cg::thread_group any = g;
    out[at] += any.size() == 32 && any.thread_rank() == g.thread_rank() ? 0 : 1;
}

__global__ void copies(const int *in, int *out)
{
    __shared__ int s[100];
    auto g = cg::this_thread_block();
    cg::memcpy_async(g, s, in, sizeof(int) * 100);
    cg::wait(g);
    for (int i = threadIdx.x; i < 100; i += 32)
        out[i] = s[99 - i];
}

__global__ void grid_wide(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    a[i] = i * i;
    grid.sync();
    b[i] = a[n - 1 - i] + a[(i + 37) % n];
    cg::sync(grid);
    a[i] = b[(i + 64) % n];
}

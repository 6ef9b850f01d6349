// A lock is a bit of a word, which one lane of a tile sets for all of it; tiles of a warp, and of other gangs, want the same one.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void add(int *counts, unsigned *locks, int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    for (int round = 0; round < n; round++) {
        unsigned *lock = &locks[round % 3];
        bool mine;
        do {
            unsigned old = 0;
            if (tile.thread_rank() == 5)
                old = atomicOr(lock, 0x80000000u);
            mine = !(tile.shfl(old, 5) & 0x80000000u);
        } while (!mine);
        __threadfence();
        volatile int *count = &counts[round % 3 * 8 + tile.thread_rank()];
        *count = *count + 1;
        __threadfence();
        tile.sync();
        if (tile.thread_rank() == 0)
            atomicAnd(lock, 0x7fffffffu);
        tile.sync();
    }
}

int main()
{
    int *counts, bad = 0;
    unsigned *locks;
    cudaMallocManaged(&counts, 24 * sizeof *counts);
    cudaMallocManaged(&locks, 3 * sizeof *locks);
    cudaMemset(counts, 0, 24 * sizeof *counts);
    cudaMemset(locks, 0, 3 * sizeof *locks);
    add<<<2, 64>>>(counts, locks, 9);
    if (cudaDeviceSynchronize())
        return 1;
    for (int k = 0; k < 24; k++)
        bad += counts[k] != 2 * 8 * 3;
    puts(bad ? "wrong" : "ok");
    return bad;
}

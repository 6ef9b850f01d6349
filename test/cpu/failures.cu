// Kernels that fail say which thread it was: in one row of a block, in several, in warps.
// TEST assert: --kernel asserts --grid 3 --block 24,4 --arg i32:21 --arg i32:3 --arg i32:2
// EXPECT exit 3
// EXPECT stderr: in kernel
// EXPECT stderr: block (2, 0, 0), thread (21, 3, 0)
// TEST assert_all: --kernel asserts --grid 1 --block 64 --arg i32:-1 --arg i32:0 --arg i32:0
// EXPECT exit 3
// EXPECT stderr: block (0, 0, 0), thread (0, 0, 0)
// TEST trap: --kernel traps --grid 2 --block 100 --arg i32:77 --arg i32:0 --arg i32:1
// EXPECT exit 3
// EXPECT stderr: block (1, 0, 0), thread (77, 0, 0)
// TEST trap_in_warp: --kernel warps --grid 2 --block 8,8 --arg i32:6 --arg i32:5 --arg i32:1
// EXPECT exit 3
// EXPECT stderr: block (1, 0, 0), thread (6, 5, 0)
#include <assert.h>

__device__ bool is(int x, int y, int block)
{
    return (x < 0 || (int)threadIdx.x == x) && (int)threadIdx.y == y && (int)blockIdx.x == block;
}

__global__ void asserts(int x, int y, int block)
{
    assert(!is(x, y, block));
}

__global__ void traps(int x, int y, int block)
{
    if (is(x, y, block))
        __trap();
}

__global__ void warps(int x, int y, int block)
{
    bool one = is(x, y, block);
    if (__any_sync(~0u, one) && one)
        __trap();
}

// What a kernel says, and how it ends when something is wrong.
// TEST printf: --kernel says --grid 1 --block 2
// EXPECT stdout: thread 0: -5 7f 3.500000 a hello 12345678901 50%
// EXPECT stdout: thread 1: -4 80 4.50e+00 b hello 12345678902 50%
// TEST assert: --kernel asserts --grid 1 --block 4 --arg i32:2
// EXPECT exit 3
// EXPECT stderr: x != limit
// TEST trap: --kernel traps --grid 1 --block 1
// EXPECT exit 3
// TEST bounds: --kernel strays --grid 1 --block 32 --device interp --arg 'i32[16]'
// EXPECT exit 3
// EXPECT stderr: right after the end of
#include <cassert>
#include <cstdio>
__global__ void says()
{
    int t = threadIdx.x;
    if (t == 0)
        printf("thread %d: %d %x %f %c %s %lld %d%%\n", t, t - 5, 0x7f + t, 3.5f + t, 'a' + t, "hello", 12345678901ll + t, 50);
    __syncwarp();
    if (t == 1)
        printf("thread %d: %+d %x %.2e %c %5s %llu %d%%\n", t, t - 5, 0x7f + t, 3.5 + t, 'a' + t, "hello", 12345678901ull + t, 50);
}
__global__ void asserts(int limit)
{
    int x = threadIdx.x;
    assert(x != limit);
}
__global__ void traps() { __trap(); }
__global__ void strays(int *out) { out[threadIdx.x] = 1; }

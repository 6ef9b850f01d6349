// What the CPU device refuses is said with its limits.
// RUN: tern run %s --device cpu --kernel k --block 2048 --arg 'f32[4]'
// RUN: tern run %s --device cpu --kernel k --block 64,32 --arg 'f32[4]'
// RUN: tern run %s --device cpu --kernel k --grid 0 --arg 'f32[4]'
// RUN: tern run %s --device cpu --kernel k --arg f32:4
// RUN: tern run %s --device cpu --kernel fails --arg i32:1
#include <cassert>
__global__ void k(float *p)
{
    p[threadIdx.x] = 1;
}
__global__ void fails(int n)
{
    assert(n == 3);
}

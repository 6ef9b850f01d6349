// cub's shuffles: of values of any size, in parts of a warp, with a first and a last lane.
#include <cstdio>
#include <cub/cub.cuh>
struct three { int a; double b; char c; };
__global__ void k(int *bad)
{
    const int i = threadIdx.x;
    const three mine = {i, i * 0.5, (char)i};
    const three of = cub::ShuffleIndex<32>(mine, 7, 0xffffffff);
    const three part = cub::ShuffleIndex<8>(mine, 3, 0xffffffff);
    const double up = cub::ShuffleUp<32>(i * 2.0, 3, 0, 0xffffffff), held = cub::ShuffleUp<16>(i * 2.0, 1, 4, 0xffffffff);
    const long down = cub::ShuffleDown<32>(i * 3l, 2, 31, 0xffffffff), kept = cub::ShuffleDown<16>(i * 3l, 1, 9, 0xffffffff);
    if (of.a != 7 || of.b != 3.5 || of.c != 7 || part.a != i / 8 * 8 + 3 || up != (i < 3 ? i : i - 3) * 2.0 ||
        held != (i % 16 < 5 ? i : i - 1) * 2.0 || down != (i > 29 ? i : i + 2) * 3l || kept != (i % 16 >= 9 ? i : i + 1) * 3l)
        atomicAdd(bad, 1);
}
int main()
{
    int *bad;
    cudaMallocManaged(&bad, sizeof *bad);
    *bad = 0;
    k<<<1, 32>>>(bad);
    cudaDeviceSynchronize();
    puts(*bad ? "wrong" : "ok");
    return *bad;
}

// Cooperative groups: tiles, a reduction, and a barrier of the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void tiles(const int *x, int *sums)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int v = cg::reduce(tile, x[block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[block.thread_rank() / 8] = v;
}
__global__ void relax(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}
int main()
{
    int *x, *sums;
    cudaMallocManaged(&x, 64 * sizeof *x);
    cudaMallocManaged(&sums, 8 * sizeof *sums);
    for (int i = 0; i < 64; i++)
        x[i] = i;
    tiles<<<1, 64>>>(x, sums);
    cudaDeviceSynchronize();
    for (int k = 0; k < 8; k++)
        printf("%d ", sums[k]);
    puts("");
    int n = 256, steps = 50;
    float *a, *b;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i == 0 ? 100 : 0;
    void *args[] = {&a, &b, &n, &steps};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)relax, dim3(4), dim3(64), args, 0, 0);
    cudaDeviceSynchronize();
    printf("%s: %.3f %.3f %.3f\n", cudaGetErrorName(e), a[1], a[10], a[20]);
}

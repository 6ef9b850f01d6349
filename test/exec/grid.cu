// A kernel that may be launched in both ways: a group of the grid is there in each, its barrier only where the
// launch was cooperative; elsewhere the barrier is a fault.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ unsigned words[64];

__global__ void maybe(unsigned *out, bool always)
{
    cg::grid_group grid = cg::this_grid();
    unsigned me = (unsigned)grid.thread_rank();
    words[me] = me + 1;
    if (always || grid.is_valid())
        grid.sync();
    out[me] = grid.is_valid() ? words[grid.size() - 1 - me] : 1000 + words[me];
}

int main()
{
    unsigned *out, host[64];
    bool always = false;
    void *args[] = {&out, &always};
    int bad = 0;
    cudaMalloc(&out, sizeof host);
    maybe<<<4, 16>>>(out, always);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 64; i++)
        bad += host[i] != 1001 + i;
    if (cudaLaunchCooperativeKernel((void *)maybe, dim3(4), dim3(16), args, 0, 0) != cudaSuccess)
        return 1;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 64; i++)
        bad += host[i] != 64 - i;
    maybe<<<4, 16>>>(out, true);
    cudaError_t e = cudaDeviceSynchronize();
    bad += e != cudaErrorLaunchFailure && e != cudaErrorIllegalInstruction;
    printf("%d wrong, then %s\n%s\n", bad, cudaGetErrorName(e), bad ? "failed" : "ok");
    return 0;
}

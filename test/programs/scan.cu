// Prefix sums over many blocks: within a block by warps, block totals scanned again, then added.
#include <vector>
#include "check.h"

__device__ int warp_scan(int x)
{
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, x, d);
        if (threadIdx.x % 32 >= (unsigned)d)
            x += y;
    }
    return x;
}
__global__ void scan_blocks(const int *in, int *out, int *totals, int n)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = warp_scan(i < n ? in[i] : 0);
    if (lane == 31)
        warps[warp] = x;
    __syncthreads();
    if (warp == 0)
        warps[lane] = warp_scan(lane < (int)blockDim.x / 32 ? warps[lane] : 0);
    __syncthreads();
    if (warp > 0)
        x += warps[warp - 1];
    if (i < n)
        out[i] = x;
    if (totals && threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = x;
}
__global__ void add_offsets(int *out, const int *totals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        out[i] += totals[blockIdx.x - 1];
}

int main()
{
    const int n = 20000, block = 256, blocks = (n + block - 1) / block;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; i++)
        h[i] = i % 17 - 5;
    int *in, *out, *totals;
    CUDA(cudaMalloc(&in, n * sizeof *in));
    CUDA(cudaMalloc(&out, n * sizeof *out));
    CUDA(cudaMalloc(&totals, 128 * sizeof *totals));
    CUDA(cudaMemcpy(in, h.data(), n * sizeof *in, cudaMemcpyHostToDevice));
    scan_blocks<<<blocks, block>>>(in, out, totals, n);
    scan_blocks<<<1, 128>>>(totals, totals, nullptr, blocks);
    add_offsets<<<blocks, block>>>(out, totals, n);
    CUDA(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < n; i++) {
        sum += h[i];
        CHECK(got[i] == sum);
    }
    puts("ok");
}

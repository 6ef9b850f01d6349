// Warp intrinsics: shuffles, votes, cooperative groups; a scan and a histogram built on them.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__inline__ __device__ int warp_scan(int v)
{
    for (int k = 1; k < 32; k *= 2) {
        int o = __shfl_up_sync(0xffffffffu, v, k);
        if ((threadIdx.x & 31) >= k)
            v += o;
    }
    return v;
}
__global__ void scan(const int *in, int *out, int n)
{
    __shared__ int sums[32];
    int i = threadIdx.x, v = i < n ? in[i] : 0, s = warp_scan(v);
    if ((i & 31) == 31)
        sums[i / 32] = s;
    __syncthreads();
    if (i < 32)
        sums[i] = warp_scan(i < blockDim.x / 32 ? sums[i] : 0);
    __syncthreads();
    if (i >= 32)
        s += sums[i / 32 - 1];
    if (i < n)
        out[i] = s;
}
__global__ void votes(unsigned *out)
{
    unsigned lane = threadIdx.x & 31;
    out[threadIdx.x] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    if (__any_sync(0xffffffffu, lane == 31) && !__all_sync(0xffffffffu, lane == 31))
        out[threadIdx.x] |= 2;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = lane;
    for (int k = tile.size() / 2; k; k /= 2)
        sum += tile.shfl_xor(sum, k);
    if (tile.thread_rank() == 0)
        atomicAdd(&out[64], (unsigned)sum);
}
__device__ __noinline__ int sum_of_those_here(int v) // whatever way threads are run
{
    unsigned here = __activemask();
    for (int k = 16; k; k /= 2)
        v += __shfl_down_sync(here, v, k);
    return v;
}
__global__ void some(int *out)
{
    int t = threadIdx.x, s = -1;
    if (t < 32)
        s = sum_of_those_here(t);
    out[t] = s;
}
__global__ void histogram(const unsigned char *in, int n, unsigned *out)
{
    __shared__ unsigned local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 500;
    int h[n], r[n], *d, *o;
    for (int i = 0; i < n; i++)
        h[i] = i % 7 - 2;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMalloc(&o, sizeof h));
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    scan<<<1, 512>>>(d, o, n);
    CUDA(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
    for (int i = 0, s = 0; i < n; i++) {
        s += h[i];
        CHECK(r[i] == s);
    }
    unsigned v[65], *dv;
    CUDA(cudaMalloc(&dv, sizeof v));
    CUDA(cudaMemset(dv, 0, sizeof v));
    votes<<<1, 64>>>(dv);
    CUDA(cudaMemcpy(v, dv, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(v[i] == (0x49249249u | 2));
    CHECK(v[64] == 2 * 31 * 32 / 2);
    some<<<1, 64>>>(o);
    CUDA(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r[0] == 31 * 32 / 2 && r[31] != -1 && r[32] == -1);
    unsigned char bytes[3000], *db;
    unsigned bins[16] = {}, want[16] = {}, *dbins;
    for (int i = 0; i < 3000; i++)
        want[(bytes[i] = i * i) & 15]++;
    CUDA(cudaMalloc(&db, sizeof bytes));
    CUDA(cudaMalloc(&dbins, sizeof bins));
    CUDA(cudaMemcpy(db, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dbins, 0, sizeof bins));
    histogram<<<3, 128>>>(db, 3000, dbins);
    CUDA(cudaMemcpy(bins, dbins, sizeof bins, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        CHECK(bins[i] == want[i]);
    puts("ok");
}

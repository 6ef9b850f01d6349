// Arrive/wait barriers and asynchronous copies as libcu++ writes them.
#include <cuda/barrier>
#include "../programs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

__global__ void pipeline(const int *in, int *out, int rounds)
{
    __shared__ int part[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0)
        init(&ready, blockDim.x);
    block.sync();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        cuda::memcpy_async(block, part, in + r * 128, cuda::aligned_size_t<16>(sizeof part), ready);
        ready.arrive_and_wait();
        sum += part[127 - threadIdx.x];
        block.sync();
    }
    auto warp = cooperative_groups::tiled_partition<32>(block);
    sum = cooperative_groups::reduce(warp, sum, cooperative_groups::plus<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(out, sum);
}

__global__ void groups(const int *in, int *out)
{
    __shared__ int part[64];
    auto block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, part, in + 64 * blockIdx.x, sizeof part);
    cooperative_groups::wait(block);
    out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x ^ 1];
}

int main()
{
    const int rounds = 5, n = rounds * 128;
    int host[n], *in, *out, sum = 0, got[128], total = 0;
    for (int i = 0; i < n; i++)
        total += host[i] = i * 7 % 101;
    CUDA(cudaMalloc(&in, sizeof host));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0, sizeof got));
    pipeline<<<1, 128>>>(in, out, rounds);
    CUDA(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(sum == total);
    groups<<<2, 64>>>(in, out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        CHECK(got[i] == host[i ^ 1]);
    puts("ok");
    return 0;
}

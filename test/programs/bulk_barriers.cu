// OPTIONS: -arch=sm_90a
// LONG ON: vulkan: a software GPU takes minutes for it
// cuda::barrier as both halves know it, and the copies in bulk that report to it: plain ones, tiles of a tensor, and back.
#include <cuda.h>
#include <cuda/barrier>
#include <cstdio>
#include <thread>
#include <vector>

#include "check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
static_assert(sizeof(barrier) == 8, "the word that copies in bulk count in");

enum { WIDE = 64, HIGH = 32, TILE = 16 };

/* Each block takes a tile, doubles it and puts it where it belongs in the result. */
__global__ void tiles(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(128) int tile[TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &from, blockIdx.x * TILE, blockIdx.y * TILE, full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
        tile[i / TILE][i % TILE] *= 2;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, blockIdx.x * TILE, blockIdx.y * TILE, tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

/* Two rounds through one barrier; the other lies in global memory and counts threads only. */
__global__ void rounds(const int *in, int *out, barrier *outside)
{
    __shared__ alignas(16) int part[128];
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(outside, blockDim.x);
    }
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(part, in + 128 * round, cuda::aligned_size_t<16>(sizeof part), full);
            cuda::device::barrier_arrive_tx(full, 1, sizeof part);
        }
        full.wait_parity(round);
        out[128 * round + threadIdx.x] = part[threadIdx.x ^ 1];
        outside->arrive_and_wait();
    }
}

static CUtensorMap map_of(int *data)
{
    CUtensorMap m;
    cuuint64_t dims[2] = {WIDE, HIGH}, strides[1] = {WIDE * sizeof(int)};
    cuuint32_t box[2] = {TILE, TILE}, steps[2] = {1, 1};
    CHECK(cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return m;
}

int main()
{
    std::vector<int> a(WIDE * HIGH), b(WIDE * HIGH);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = (int)i;
    int *in, *out;
    barrier *outside;
    cudaMalloc(&in, sizeof(int) * a.size());
    cudaMalloc(&out, sizeof(int) * a.size());
    cudaMalloc(&outside, sizeof *outside);
    cudaMemcpy(in, a.data(), sizeof(int) * a.size(), cudaMemcpyHostToDevice);
    tiles<<<dim3(WIDE / TILE, HIGH / TILE), 64>>>(map_of(in), map_of(out));
    cudaMemcpy(b.data(), out, sizeof(int) * b.size(), cudaMemcpyDeviceToHost);
    bool same = true;
    for (size_t i = 0; i < a.size(); i++)
        same &= b[i] == 2 * a[i];
    CHECK(same);
    rounds<<<1, 128>>>(in, out, outside);
    cudaMemcpy(b.data(), out, sizeof(int) * 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        same &= b[i] == (i ^ 1);
    CHECK(same);

    cuda::barrier<cuda::thread_scope_system> meet(3);
    int sum = 0, seen[3];
    cuda::atomic<int> added(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)
        threads.emplace_back([&, t] {
            added += t + 1;
            meet.arrive_and_wait();
            seen[t] = added;
            meet.arrive_and_wait();
        });
    for (auto &t : threads)
        t.join();
    for (int s : seen)
        sum += s;
    CHECK(sum == 18);
    CHECK(cudaGetLastError() == cudaSuccess);
    puts("ok");
}

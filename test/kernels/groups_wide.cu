// Cooperative groups beyond a warp and beyond numbers, barriers and pipelines in shared memory.
// TEST classes: --kernel classes --block 32 --arg 'i32[160]'
// EXPECT arg 0: sum 5506253 checksum 9fa895e2b15d011b
// TEST tiles: --kernel wide_tiles --block 256 --arg 'i32[1280]'
// EXPECT arg 0: sum 4940078656 checksum 0cc3cfac58141c21
// TEST two_sizes: --kernel two_sizes --block 512 --arg 'i32[512]'
// EXPECT arg 0: sum 936960 checksum 0f9479394638d325
// TEST two_sizes_1000: --kernel two_sizes --block 1000 --arg 'i32[1000]'
// EXPECT arg 0: sum 4780272 checksum 441a0038c8c33e15
// TEST pipeline: --kernel pipelined --block 64 --arg 'i32[512]=iota' --arg 'i32[64]'
// EXPECT arg 1: sum 760704 checksum 9cb251decd3c5a1d
// TEST roles: --kernel roles --block 64 --arg 'i32[256]=iota' --arg 'i32[32]'
// EXPECT arg 1: sum 3302144 checksum 3281c2b536256e8c
// TEST barrier: --kernel barriers --block 96 --arg 'i32[96]'
// EXPECT arg 0: sum 4564560 checksum 57e9cb2ffa7a5851
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

struct point {
    short x;
    char tag;
    double weight;
};

__global__ void classes(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = warp.thread_rank();
    point p = {(short)(t * 3), (char)(t + 1), t * 0.5};
    uint4 q = {(unsigned)t, 1u, 2u, (unsigned)t * t};
    out[t] = warp.shfl(p, 5).x + warp.shfl(p, 6).tag * 1000;
    out[32 + t] = (int)(warp.shfl_xor(p, 1).weight * 2);
    q = warp.shfl_down(q, 1);
    out[64 + t] = q.x * 10000 + q.w;
    out[96 + t] = warp.shfl_up(make_float2(t, -t), 2).y;
    if (t % 2) {
        auto odd = cg::coalesced_threads();
        out[128 + t] = odd.shfl(p, 3).x;
    }
}

__global__ void wide_tiles(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    auto half = cg::tiled_partition<128>(block);
    __shared__ int box[256];
    int t = block.thread_rank();
    box[t] = t * t;
    tile.sync();
    out[t] = box[t ^ 63];
    out[256 + t] = tile.thread_rank() * 100 + tile.meta_group_rank() * 10 + half.meta_group_rank();
    out[512 + t] = tile.shfl(t, 40) + half.shfl(t, 100) * 1000;
    out[768 + t] = tile.any(t == 70) + tile.all(t < 128) * 2 + half.any(t == 200) * 4;
    out[1024 + t] = cg::reduce(tile, t, cg::plus<int>()) + cg::reduce(half, t, cg::greater<int>()) * 100000;
}

// Tiles of two sizes go round beside one another, as fast as each can.
template <class Tile> __device__ int rounds(const Tile &tile, int t, int n)
{
    __shared__ int box[1024];
    int sum = 0;
    for (int k = 0; k < n; k++) {
        box[t] = t + k;
        tile.sync();
        sum += box[t - tile.thread_rank()];
        tile.sync();
    }
    return sum;
}

__global__ void two_sizes(int *out)
{
    auto block = cg::this_thread_block();
    auto s256 = cg::tiled_partition<256>(block);
    auto s128 = cg::tiled_partition<128>(s256);
    int t = block.thread_rank(), sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += rounds(s128, t, 1 + t / 128 % 3);
        sum += rounds(s256, t, 2);
    }
    out[t] = sum;
}

// Two stages: every thread copies for the next round while this one is read.
__global__ void pipelined(const int *in, int *out)
{
    __shared__ int stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = block.thread_rank(), sum = 0;
    for (int compute = 0, fetch = 0; compute < 8; compute++) {
        for (; fetch < 8 && fetch < compute + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % 2], in + fetch * 64, sizeof(int) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[compute % 2][63 - t] * (compute + 1);
        pipe.consumer_release();
    }
    out[t] = sum;
}

__global__ void roles(const int *in, int *out)
{
    __shared__ int stage[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    int t = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 8; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            stage[i % 2][t] = in[i * 32 + t];
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum = sum * 3 + stage[i % 2][31 - t];
            pipe.consumer_release();
        }
    }
    if (role == cuda::pipeline_role::consumer)
        out[t] = sum;
}

__global__ void barriers(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> gate;
    __shared__ int box[96];
    if (threadIdx.x == 0)
        init(&gate, blockDim.x);
    __syncthreads();
    int t = threadIdx.x;
    box[t] = t;
    auto token = gate.arrive();
    int own = t * 1000;
    gate.wait(cuda::std::move(token));
    own += box[95 - t];
    gate.arrive_and_wait();
    box[t] = own;
    gate.arrive_and_wait();
    out[t] = box[(t + 1) % 96];
}

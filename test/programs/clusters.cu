// OPTIONS: -arch=sm_90
// Clusters of several blocks: memory of other blocks, the cluster's barrier, the numbers that a
// block has in it, named barriers and static shared memory beside dynamic; what is refused.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

/* A histogram of which each block of the cluster holds a part. */
__global__ void histogram(int *bins, int nbins, int per_block, const int *in, int n)
{
    extern __shared__ int part[];
    cg::cluster_group cluster = cg::this_cluster();
    const int blocks = cluster.dim_blocks().x;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bin = in[i] < 0 ? 0 : in[i] >= nbins ? nbins - 1 : in[i];
        int *there = cluster.map_shared_rank(part, bin / per_block);
        atomicAdd(there + bin % per_block, 1);
    }
    cluster.sync();
    int *mine = bins + cluster.block_rank() * per_block;
    for (int i = threadIdx.x; i < per_block && cluster.block_rank() * per_block + i < nbins; i += blockDim.x)
        atomicAdd(&mine[i], part[i]);
    (void)blocks;
}

/* Everything a block is told of its place, in two dimensions. */
struct place {
    unsigned block[3], grid[3], in_cluster[3], cluster[3], rank, ranks, thread, threads, warp, dynamic, owner;
};

__global__ void __cluster_dims__(2, 2, 1) where(place *out)
{
    __shared__ int own[3];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), other = (rank + 1) % cluster.num_blocks();
    own[0] = 0;
    __syncthreads();
    atomicAdd(own, 1); /* of this block alone */
    __syncthreads();
    place p = {{blockIdx.x, blockIdx.y, blockIdx.z}, {gridDim.x, gridDim.y, gridDim.z}};
    const dim3 at = cluster.block_index(), of = cluster.dim_blocks();
    p.in_cluster[0] = at.x, p.in_cluster[1] = at.y, p.in_cluster[2] = at.z;
    p.cluster[0] = of.x, p.cluster[1] = of.y, p.cluster[2] = of.z;
    p.rank = rank, p.ranks = cluster.num_blocks();
    p.thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    p.threads = own[0];
    p.warp = __reduce_max_sync(~0u, p.thread) / 32;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(p.dynamic));
    p.owner = cluster.query_shared_rank(cluster.map_shared_rank(own, other));
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * (blockDim.x * blockDim.y * blockDim.z) + p.thread] = p;
    cluster.sync(); /* nobody leaves while others look at his memory */
}

static void check_where()
{
    const dim3 grid(4, 6, 2), block(8, 4, 2);
    const unsigned threads = 64, n = 4 * 6 * 2 * threads;
    place *out;
    std::vector<place> got(n);
    CUDA(cudaMalloc(&out, n * sizeof *out));
    where<<<grid, block, 100>>>(out);
    CUDA(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) {
        const place &p = got[i];
        const unsigned b = i / threads, x = b % 4, y = b / 4 % 6, z = b / 24;
        CHECK(p.block[0] == x && p.block[1] == y && p.block[2] == z);
        CHECK(p.grid[0] == 4 && p.grid[1] == 6 && p.grid[2] == 2);
        CHECK(p.in_cluster[0] == x % 2 && p.in_cluster[1] == y % 2 && p.in_cluster[2] == 0);
        CHECK(p.cluster[0] == 2 && p.cluster[1] == 2 && p.cluster[2] == 1);
        CHECK(p.rank == x % 2 + 2 * (y % 2) && p.ranks == 4);
        CHECK(p.thread == i % threads && p.threads == threads && p.warp == p.thread / 32);
        CHECK(p.dynamic == 100 && p.owner == (p.rank + 1) % 4);
    }
    CUDA(cudaFree(out));
}

/* Each block hands a token to the next one, by the cluster's barrier in two halves; its warps meet
 * at barriers of their own meanwhile. */
__global__ void ring(unsigned *out, int rounds)
{
    __shared__ unsigned token[2], sum[2];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x == 0)
        token[0] = token[1] = 1 + rank;
    if (threadIdx.x < 2)
        sum[threadIdx.x] = 0;
    cluster.sync();
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == 0) {
            unsigned a;
            asm("mapa.shared::cluster.u32 %0, %1, %2;"
                : "=r"(a)
                : "r"((unsigned)__cvta_generic_to_shared(&token[(r + 1) & 1])), "r"((rank + 1) % blocks));
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(a), "r"(token[r & 1] * 3 + r) : "memory");
        }
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        const int half = threadIdx.x / 32 & 1;
        asm volatile("barrier.sync %0, %1;" ::"r"(1 + half), "r"(blockDim.x / 2) : "memory");
        atomicAdd(&sum[half], 1);
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 3)
        out[blockIdx.x * 3 + threadIdx.x] = threadIdx.x ? sum[threadIdx.x - 1] : token[rounds & 1];
}

static void check_ring(unsigned blocks)
{
    const int rounds = 7, grid = 2 * blocks;
    unsigned *out;
    std::vector<unsigned> got(3 * grid), token(blocks);
    CUDA(cudaMalloc(&out, 12 * grid));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = grid, config.blockDim = 128;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute, config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, ring, out, rounds));
    CUDA(cudaMemcpy(got.data(), out, 12 * grid, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < blocks; b++)
        token[b] = 1 + b;
    for (int r = 0; r < rounds; r++) {
        std::vector<unsigned> next(blocks);
        for (unsigned b = 0; b < blocks; b++)
            next[(b + 1) % blocks] = token[b] * 3 + r;
        token = next;
    }
    for (int b = 0; b < grid; b++)
        CHECK(got[3 * b] == token[b % blocks] && got[3 * b + 1] == 64 * rounds && got[3 * b + 2] == 64 * rounds);
    int clusters = 0, most = 0;
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, ring, &config));
    CUDA(cudaOccupancyMaxPotentialClusterSize(&most, ring, &config));
    CHECK(clusters > 0 && most >= 2);
    config.gridDim = grid + 1; /* no whole clusters */
    if (blocks > 1)
        CHECK(cudaLaunchKernelEx(&config, ring, out, rounds) != cudaSuccess);
    cudaGetLastError();
    CUDA(cudaFree(out));
}

/* Each block reads its piece once, for all blocks of the cluster that the mask names. */
__global__ void __cluster_dims__(4) gather(const int *in, int *out, int piece, unsigned short mask)
{
    extern __shared__ __align__(128) int pieces[]; /* pieces of all, and the barrier */
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    const unsigned bar = (unsigned)__cvta_generic_to_shared(pieces + blocks * piece);
    const unsigned to = (unsigned)__cvta_generic_to_shared(pieces + rank * piece);
    for (unsigned i = threadIdx.x; i < blocks * piece; i += blockDim.x)
        pieces[i] = -1;
    if (threadIdx.x == 0) {
        const bool mine = mask >> rank & 1;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(mine ? 4 * piece * (int)blocks : 0)
                     : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1], %2, [%3], %4;" ::"r"(to),
                     "l"(in + blockIdx.x * piece), "r"(4 * piece), "r"(bar), "h"(mask)
                     : "memory");
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(bar)
                 : "memory");
    for (unsigned i = threadIdx.x; i < blocks * piece; i += blockDim.x)
        out[blockIdx.x * blocks * piece + i] = pieces[i];
    cluster.sync();
}

static void check_gather()
{
    const int piece = 40, grid = 8, n = grid * piece;
    const unsigned mask = 0xb;
    std::vector<int> in(n), got(4 * n);
    for (int i = 0; i < n; i++)
        in[i] = 7 * i + 1;
    int *from, *to;
    CUDA(cudaMalloc(&from, 4 * n));
    CUDA(cudaMalloc(&to, 16 * n));
    CUDA(cudaMemcpy(from, in.data(), 4 * n, cudaMemcpyHostToDevice));
    gather<<<grid, 64, 4 * 4 * piece + 8>>>(from, to, piece, mask);
    CUDA(cudaMemcpy(got.data(), to, 16 * n, cudaMemcpyDeviceToHost));
    for (int b = 0; b < grid; b++)
        for (int i = 0; i < 4 * piece; i++)
            CHECK(got[b * 4 * piece + i] == (mask >> b % 4 & 1 ? in[b / 4 * 4 * piece + i] : -1));
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
}

static void check_histogram()
{
    const int n = 5000, nbins = 100, blocks = 4, per_block = nbins / blocks;
    std::vector<int> in(n), want(nbins), got(nbins);
    for (int i = 0; i < n; i++) {
        in[i] = (int)((i * 2654435761u >> 20) % 120) - 10;
        want[in[i] < 0 ? 0 : in[i] >= nbins ? nbins - 1 : in[i]]++;
    }
    int *device, *bins;
    CUDA(cudaMalloc(&device, 4 * n));
    CUDA(cudaMalloc(&bins, 4 * nbins));
    CUDA(cudaMemcpy(device, in.data(), 4 * n, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(bins, 0, 4 * nbins));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = 8, config.blockDim = 96, config.dynamicSmemBytes = 4 * per_block;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute, config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, histogram, bins, nbins, per_block, device, n));
    CUDA(cudaMemcpy(got.data(), bins, 4 * nbins, cudaMemcpyDeviceToHost));
    for (int i = 0; i < nbins; i++)
        CHECK(got[i] == want[i]);
    CUDA(cudaFree(device));
    CUDA(cudaFree(bins));
}

/* The same by the compiler's own functions; named barriers by theirs. */
__global__ void __cluster_dims__(2, 1, 2) by_intrinsics(int *wrong)
{
    __shared__ int own, count;
    const cg::cluster_group cluster = cg::this_cluster();
    const dim3 at = __clusterRelativeBlockIdx(), of = __clusterDim(), which = __clusterIdx(), grid = __clusterGridDimInClusters();
    const unsigned rank = __clusterRelativeBlockRank(), next = (rank + 1) % __clusterSizeInBlocks();
    int *there = (int *)__cluster_map_shared_rank(&own, next);
    if (threadIdx.x == 0)
        own = 0, count = 0;
    __barrier_sync(1);
    int bad = __clusterDimIsSpecified() != 1 || of.x != 2 || of.y != 1 || of.z != 2 || __clusterSizeInBlocks() != 4;
    bad += at.x != blockIdx.x % 2 || at.y != 0 || at.z != blockIdx.z % 2 || rank != cluster.block_rank();
    bad += which.x != blockIdx.x / 2 || which.y != blockIdx.y || which.z != blockIdx.z / 2;
    bad += grid.x != gridDim.x / 2 || grid.y != gridDim.y || grid.z != gridDim.z / 2;
    bad += __cluster_query_shared_rank(there) != next || __isCtaShared(there) || !__isCtaShared(&own) || !__isClusterShared(there) || __isCtaShared(wrong);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    atomicAdd(there, (int)rank + 1);
    __threadfence_cluster();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    bad += own != (int)blockDim.x * (int)((rank + 3) % 4 + 1);
    if (threadIdx.x < 32) {
        atomicAdd(&count, 1);
        __barrier_sync_count(2, 32);
        bad += count != 32;
    }
    atomicAdd(wrong, bad);
}

static void check_intrinsics()
{
    int *wrong, got;
    CUDA(cudaMalloc(&wrong, sizeof *wrong));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    by_intrinsics<<<dim3(4, 3, 2), 64>>>(wrong);
    CUDA(cudaMemcpy(&got, wrong, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == 0);
    CUDA(cudaFree(wrong));
}

int main()
{
    check_where();
    check_intrinsics();
    check_ring(1);
    check_ring(2);
    check_ring(4);
    check_histogram();
    check_gather();
    printf("ok\n");
    return 0;
}

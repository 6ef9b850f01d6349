// What blocks have: shared memory by alignment, and clusters of several: memory of others by each kind of access, launches that
// make clusters or none. Prints ok.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#define CUDA(x)                                                                                                \
    do {                                                                                                       \
        cudaError_t e = (x);                                                                                   \
        if (e != cudaSuccess) {                                                                                \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e));                          \
            exit(1);                                                                                           \
        }                                                                                                      \
    } while (0)

static int wrong;
static void check(const char *what, const std::vector<unsigned> &got, const std::vector<unsigned> &want)
{
    for (size_t k = 0; k < want.size(); k++)
        if (got[k] != want[k]) {
            printf("%s: %zu is %u, not %u\n", what, k, got[k], want[k]);
            wrong++;
            return;
        }
}

// ---- shared memory that asks for more alignment than its first byte has ----
struct __align__(4096) page { unsigned at[64]; };
__global__ void fixed(unsigned *out)
{
    __shared__ char before[3];
    __shared__ page room[2];
    const unsigned t = threadIdx.x;
    before[t % 3] = 1;
    room[t & 1].at[t] = t;
    __syncthreads();
    out[t] = room[t & 1 ^ 1].at[t ^ 1] + (unsigned)((size_t)room & 4095) * 100000;
}
__global__ void grown(unsigned *out)
{
    extern __shared__ __align__(1024) unsigned more[];
    const unsigned t = threadIdx.x;
    more[t] = t * t;
    __syncthreads();
    out[t] = *(const unsigned *)((size_t)(more + t) ^ 8) + (unsigned)((size_t)more & 1023) * 100000;
}

// ---- memory of other blocks: bytes to 16 bytes, by shared and by generic addresses ----
__global__ void others(unsigned *out)
{
    __shared__ __align__(16) unsigned char bytes[64];
    __shared__ __align__(16) unsigned words[64];
    __shared__ unsigned long long wide[32];
    __shared__ float sums[2];
    __shared__ uint4 quads[16];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank(), n = cluster.num_blocks(), next = (rank + 1) % n;
    bytes[t % 64] = (unsigned char)(rank * 64 + t % 64);
    words[t % 64] = 1000 * rank + t % 64;
    if (t < 32)
        wide[t] = (unsigned long long)rank << 40 | t;
    if (t < 2)
        sums[t] = 0;
    if (t < 16)
        quads[t] = make_uint4(rank, t, rank + t, rank * t);
    cluster.sync();
    unsigned char *b = cluster.map_shared_rank(bytes, next);
    unsigned *w = cluster.map_shared_rank(words, next);
    unsigned long long *l = cluster.map_shared_rank(wide, next);
    float *s = cluster.map_shared_rank(sums, next);
    const uint4 q = cluster.map_shared_rank(quads, next)[t % 16];
    unsigned sum = b[t % 64] + w[t % 64] * 3 + (unsigned)(l[t % 32] >> 40) * 7 + q.x + q.y * 2 + q.z * 3 + q.w * 5;
    unsigned a, narrow;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"((unsigned)__cvta_generic_to_shared(words)), "r"(next));
    asm volatile("ld.shared::cluster.u32 %0, [%1+8];" : "=r"(narrow) : "r"(a) : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(a) : "r"(a));
    sum += narrow * 11 + a * 13 + cluster.query_shared_rank(w) * 17;
    cluster.sync();
    atomicAdd(w, 1u);
    atomicMax(w + 1, rank * 100 + t);
    atomicAdd(l, 5ull);
    atomicAdd(s, 0.5f);
    atomicCAS(w + 2, 1000 * next + 2, 77u);
    if (t == 0) {
        b[3] = 200;
        memcpy(w + 8, words + 4, 16);
    }
    cluster.sync();
    if (t < 8)
        sum += 31 * (words[0] + words[1] + words[2] + bytes[3] + (unsigned)wide[0] + (unsigned)sums[0] + words[8 + t % 4]);
    out[blockIdx.x * blockDim.x + t] = sum;
    cluster.sync();
}
static std::vector<unsigned> others_want(unsigned grid, unsigned n, unsigned threads)
{
    std::vector<unsigned> want(grid * threads);
    for (unsigned g = 0; g < grid; g++)
        for (unsigned t = 0; t < threads; t++) {
            const unsigned rank = g % n, next = (rank + 1) % n, before = (rank + n - 1) % n;
            unsigned sum = (unsigned char)(next * 64 + t % 64) + (1000 * next + t % 64) * 3 + next * 7;
            sum += next + t % 16 * 2 + (next + t % 16) * 3 + next * (t % 16) * 5;
            sum += (1000 * next + 2) * 11 + next * 13 + next * 17;
            if (t < 8) {
                const unsigned most = before * 100 + threads - 1;
                sum += 31 * (1000 * rank + threads + (1000 * rank + 1 > most ? 1000 * rank + 1 : most) + 77 + 200 + threads * 5 + threads / 2 +
                             1000 * before + 4 + t % 4);
            }
            want[g * threads + t] = sum;
        }
    return want;
}

// ---- a kernel that knows nothing of clusters, in one ----
__device__ __noinline__ unsigned total(const unsigned *p, unsigned n)
{
    unsigned s = 0;
    for (unsigned k = 0; k < n; k++)
        s += p[k];
    return s;
}
__global__ void unaware(unsigned *out, const unsigned *in, unsigned where)
{
    __shared__ unsigned own[64];
    const unsigned t = threadIdx.x;
    own[t] = blockIdx.x * 100 + t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = total(where > t ? in : own, 64) + own[63 - t];
}

// ---- the barrier in halves, in a loop, by some blocks more threads than others need ----
__global__ void __cluster_dims__(2, 1, 1) rounds(unsigned *out)
{
    __shared__ unsigned box[2];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    unsigned sum = 0;
    cluster.sync();
    for (unsigned r = 0; r < 5; r++) {
        if (threadIdx.x == 0)
            *cluster.map_shared_rank(&box[r & 1], rank ^ 1) = 10 * r + rank;
        cluster.barrier_arrive();
        sum += r;
        cluster.barrier_wait();
        sum += box[r & 1];
        cluster.sync();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class... P> static void launch(unsigned grid, unsigned block, unsigned cluster, void (*k)(P...), P... p)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = grid, config.blockDim = block;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute, config.numAttrs = cluster ? 1 : 0;
    CUDA(cudaLaunchKernelEx(&config, k, p...));
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "all";
    auto runs = [&](const char *name) { return !strcmp(only, "all") || !strcmp(only, name); };
    unsigned *out;
    CUDA(cudaMallocManaged(&out, 4096 * 4));
    auto got = [&](size_t n) { return std::vector<unsigned>(out, out + n); };
    std::vector<unsigned> want(64);
    if (runs("fixed")) {
        launch(1, 64, 0, fixed, out);
        for (unsigned t = 0; t < 64; t++)
            want[t] = t ^ 1;
        check("fixed", got(64), want);
    }
    if (runs("grown")) {
        grown<<<1, 64, 4096>>>(out);
        CUDA(cudaDeviceSynchronize());
        for (unsigned t = 0; t < 64; t++)
            want[t] = (t ^ 2) * (t ^ 2);
        check("grown", got(64), want);
    }
    for (unsigned n = 1; n <= 8 && runs("others"); n *= 2) {
        launch(8, 96, n, others, out);
        check("others", got(8 * 96), others_want(8, n, 96));
    }
    if (runs("alone")) {
        launch(4, 96, 0, others, out);
        check("alone", got(4 * 96), others_want(4, 1, 96));
    }
    if (runs("rounds")) {
        rounds<<<4, 64>>>(out);
        CUDA(cudaDeviceSynchronize());
        std::vector<unsigned> sums;
        for (unsigned k = 0; k < 4 * 64; k++)
            sums.push_back(10 + 100 + 5 * (k / 64 % 2 ^ 1));
        check("rounds", got(4 * 64), sums);
    }
    for (unsigned n = 1; n <= 4 && runs("unaware"); n *= 4) {
        unsigned *in;
        CUDA(cudaMallocManaged(&in, 64 * 4));
        for (unsigned t = 0; t < 64; t++)
            in[t] = 7;
        launch(4, 64, n, unaware, out, (const unsigned *)in, 20u);
        std::vector<unsigned> sums;
        for (unsigned k = 0; k < 4 * 64; k++)
            sums.push_back((k % 64 < 20 ? 448 : 64 * 100 * (k / 64) + 2016) + k / 64 * 100 + 63 - k % 64);
        check("unaware", got(4 * 64), sums);
        CUDA(cudaFree(in));
    }
    if (!wrong)
        puts("ok");
    return wrong != 0;
}

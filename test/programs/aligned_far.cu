// NOT ON: cuda: the driver and its assembler place these, and on an H200 not all lie that far apart
// NOT ON: vulkan: a block with its alignment has more shared memory than some devices have
// Variables that ask for more alignment than a page has: the address's lower bits are the offset, as
// those use who switch between two halves with one xor.
#include <cooperative_groups.h>
#include "check.h"

enum { FAR = 16384, THREADS = 64, BLOCKS = 5 };
struct __align__(FAR) wide {
    int at[FAR / 4];
};
__device__ wide table;

__global__ void halves(unsigned *odd, int *out)
{
    __shared__ char before;
    __shared__ __align__(FAR) char room[FAR];
    const int t = threadIdx.x;
    before = 1;
    int *half = (int *)room;
    if (((size_t)room | (size_t)&table) & (FAR - 1))
        atomicAdd(odd, 1u);
    for (int round = 0; round < 4; round++) {
        half[t] = t * 10 + round;
        half = (int *)((size_t)half ^ FAR / 2);
    }
    __syncthreads();
    const int other = THREADS - 1 - t;
    out[blockIdx.x * THREADS + t] = half[other] * 1000 + ((int *)((size_t)half ^ FAR / 2))[other] + before - 1;
    table.at[t] = t;
}
// Blocks of a cluster, whose memory lies side by side on devices without clusters.
__global__ void __cluster_dims__(2, 1, 1) beside(unsigned *odd)
{
    __shared__ __align__(4096) char room[100];
    room[threadIdx.x] = (char)cooperative_groups::this_cluster().block_rank();
    if ((size_t)room & 4095)
        atomicAdd(odd, 1u);
}
// Blocks that lie beside each other, because they wait.
__global__ void both(unsigned *odd, volatile int *turn)
{
    __shared__ __align__(FAR) char room[100];
    __shared__ int seen;
    room[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        if ((size_t)room & (FAR - 1))
            atomicAdd(odd, 1u);
        atomicAdd((int *)turn, 1);
        while (turn[0] < 2)
            ;
        seen = 1;
    }
    __syncthreads();
    if (!seen)
        atomicAdd(odd, 100u);
}

int main()
{
    unsigned *odd;
    int *out, *turn;
    CUDA(cudaMallocManaged(&odd, sizeof *odd));
    CUDA(cudaMallocManaged(&turn, sizeof *turn));
    CUDA(cudaMallocManaged(&out, BLOCKS * THREADS * sizeof *out));
    *odd = 0, *turn = 0;
    halves<<<BLOCKS, THREADS>>>(odd, out);
    beside<<<4, 64>>>(odd);
    both<<<2, 64>>>(odd, turn);
    CUDA(cudaDeviceSynchronize());
    int bad = *odd;
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        const int t = THREADS - 1 - i % THREADS;
        bad += out[i] != (t * 10 + 2) * 1000 + t * 10 + 3;
    }
    CHECK(bad == 0);
    puts("ok");
    return 0;
}

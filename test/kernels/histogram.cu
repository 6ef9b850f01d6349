// Counts of byte values: straight into global memory, and through a shared histogram of each block.
// TEST shared: --kernel by_block --grid 5 --block 128 --arg 'u8[10000]=rand:11' --arg 'u32[256]' --arg i32:10000
// EXPECT arg 1: sum 10000 checksum c6fd3ab9651fdca5
// TEST global: --kernel direct --grid 5 --block 128 --arg 'u8[10000]=rand:11' --arg 'u32[256]' --arg i32:10000
// EXPECT arg 1: sum 10000 checksum c6fd3ab9651fdca5
__global__ void direct(const unsigned char *in, unsigned *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&counts[in[i]], 1u);
}

__global__ void by_block(const unsigned char *in, unsigned *counts, int n)
{
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(mine + in[i], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (mine[i])
            atomicAdd(counts + i, mine[i]);
}

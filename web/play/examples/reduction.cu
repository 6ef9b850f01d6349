// Sum of many numbers: warps by shuffles, blocks through shared memory, the rest by one atomic for each block.
// tern run: --kernel sum --grid 16 --block 256 --arg f32[16384]=rand:3 --arg f32[1] --arg i32:16384
// tern play: view=1 as=table
__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float warps[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            s += warps[w];
        atomicAdd(out, s);
    }
}

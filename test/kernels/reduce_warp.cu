// Shuffles inside warps, shared memory between them, one atomic for each block.
// TEST sum: --kernel total --grid 4 --block 256 --arg 'f32[1000]=iota' --arg 'f32[1]' --arg i32:1000
// EXPECT arg 1: sum 499500 checksum 61e635ac79d5975d
__inline__ __device__ float warp_sum(float v)
{
#pragma unroll
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void total(const float *in, float *out, int n)
{
    static __shared__ float warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float v = i < n ? in[i] : 0.0f;
    v = warp_sum(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? warps[lane] : 0.0f;
    if (warp == 0) {
        v = warp_sum(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

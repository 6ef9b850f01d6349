// Gravity between all pairs, positions staged through shared memory.
// TEST forces: --kernel forces --grid 2 --block 32 --arg 'f32[256]=rand:51' --arg 'f32[256]' --arg i32:64
// EXPECT arg 1: near 0.001 21.6629078 19.2437013 -44.023097 0 3.04543658 -58.6195359 2.57883075 0 sum 10.20759415921
__device__ float3 interact(float4 a, float4 b, float3 f)
{
    float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
    float d2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float inv = rsqrtf(d2);
    float s = b.w * inv * inv * inv;
    f.x += r.x * s;
    f.y += r.y * s;
    f.z += r.z * s;
    return f;
}

__global__ void forces(const float4 *pos, float4 *acc, int n)
{
    __shared__ float4 tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = pos[i];
    float3 f = {0.0f, 0.0f, 0.0f};
    for (int t = 0; t < n / 32; t++) {
        tile[threadIdx.x] = pos[t * 32 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 32; j++)
            f = interact(mine, tile[j], f);
        __syncthreads();
    }
    acc[i] = make_float4(f.x, f.y, f.z, 0.0f);
}

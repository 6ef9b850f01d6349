// The old way: unrolled by a template parameter, the last warp without barriers, on volatile memory.
// TEST s128: --kernel 'reduce<128>' --grid 4 --block 128 --arg 'i32[1024]=iota' --arg 'i32[4]'
// EXPECT arg 1: sum 523776 checksum 8ff6b9a005b9f0e1
// TEST s256: --kernel 'reduce<256>' --grid 2 --block 256 --arg 'i32[1024]=iota' --arg 'i32[2]'
// EXPECT arg 1: sum 523776 checksum 30d2712f2421ce41
template <unsigned int blockSize> __device__ void warpReduce(volatile int *s, unsigned int t)
{
    if (blockSize >= 64) s[t] += s[t + 32];
    if (blockSize >= 32) s[t] += s[t + 16];
    if (blockSize >= 16) s[t] += s[t + 8];
    if (blockSize >= 8) s[t] += s[t + 4];
    if (blockSize >= 4) s[t] += s[t + 2];
    if (blockSize >= 2) s[t] += s[t + 1];
}

template <unsigned int blockSize> __global__ void reduce(const int *in, int *out)
{
    __shared__ int s[blockSize];
    unsigned int t = threadIdx.x, i = blockIdx.x * (blockSize * 2) + t;
    s[t] = in[i] + in[i + blockSize];
    __syncthreads();
    if (blockSize >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (blockSize >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32)
        warpReduce<blockSize>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

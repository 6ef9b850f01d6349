// Each block folds its part of the input in shared memory.
// TEST sum: --kernel sum --grid 4 --block 256 --arg 'f32[1024]=iota' --arg 'f32[4]'
// EXPECT arg 1: sum 523776 checksum a909efbf2aecbd5e
// TEST max: --kernel largest --grid 4 --block 256 --arg 'i32[1024]=rand:7' --arg 'i32[4]'
// EXPECT arg 1: sum 8470251680 checksum 5456f68af8612a1f
__global__ void sum(const float *in, float *out)
{
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void largest(const int *in, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0)
            part[t] = max(part[t], part[t + s]);
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = part[0];
}

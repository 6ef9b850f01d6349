// Shared memory, barriers and a loop that all threads of a block take alike.
__global__ void reduce(const int *x, int *sums)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

// sum of a block's integers, halving the active threads between barriers
// tern run: --kernel reduce --grid 4 --block 256 --arg 'i32[1000]=iota' --arg 'i32[4]=zero' --arg i32:1000
extern "C" __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

// Inclusive prefix sums in one block, with two buffers that change places.
// TEST inclusive: --kernel scan --block 512 --arg 'u32[512]=rand:3' --arg 'u32[512]' --arg i32:512
// EXPECT arg 1: sum 1108496306067 checksum c726b69f4823263d
__global__ void scan(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned buffer[2][512];
    int t = threadIdx.x, from = 0;
    buffer[0][t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int d = 1; d < n; d <<= 1) {
        buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (t < n)
        out[t] = buffer[from][t];
}

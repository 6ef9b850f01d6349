// RUN: tern compile %s --to wgsl --subgroups 32 --block 128
// RUN: tern compile %s --to wgsl --subgroups 24
// A sum of each warp, and who has more than the mean: subgroup operations, since all threads of a warp come together.
__global__ void above(const float *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 32 >= n / 32)
        return;
    float mine = in[i], sum = mine;
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    unsigned who = __ballot_sync(~0u, mine * 32 > sum);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = who;
}

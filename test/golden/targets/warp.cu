// Operations of warps.
__global__ void warp(int *x)
{
    int v = x[threadIdx.x];
    unsigned even = __ballot_sync(0xffffffff, v % 2 == 0);
    x[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1) + __popc(even);
}

// Each element its number, times 3; the lower half of a block by a loop of its own.
// tern run: --kernel triple --grid 32 --block 128 --arg u32[4096]
__global__ void triple(unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = i;
    for (unsigned k = 0; k < (threadIdx.x < 64 ? 2 : 1); k++)
        sum += threadIdx.x < 64 ? i : 2 * i;
    out[i] = sum;
}

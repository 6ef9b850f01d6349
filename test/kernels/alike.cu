// What all lanes of a warp have alike stands once: made narrower, and read lane by lane, in a loop that lanes leave at different times.
//
// TEST ballots: --kernel ballots --grid 2 --block 64 --arg 'i32[256]=iota' --arg 'i64[256]'
// EXPECT arg 1: sum 481375266128 checksum df4e780cbc4b1a90
// TEST constants: --kernel constants --grid 2 --block 64 --arg 'i32[256]=iota' --arg 'i64[256]'
// EXPECT arg 1: sum -43041 checksum 667b7fad17be455a

__global__ void ballots(const int *in, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] * 40503, last = v;
    long long all = __ballot_sync(~0u, v & 255);
    for (int k = 0; k < ((unsigned)v | (unsigned)all) % 3; k++)
        switch ((int)(all & 3)) {
        case 0:
        case 1: last = in[2]; break;
        default: all = v; break;
        }
    out[2 * i] = last;
    out[2 * i + 1] = all;
}

__global__ void constants(const int *in, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i] * 1000;
    short v = (short)x;
    int w = 7;
    for (int k = 0; k < (unsigned long long)x % 6; k++)
        switch (x & 3) {
        case 0: v = (short)w;
        case 1: w = __ffs(v);
        }
    out[2 * i] = v;
    out[2 * i + 1] = w;
}

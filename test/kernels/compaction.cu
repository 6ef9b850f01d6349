// What passes a test, packed: ballots give each lane its place.
// TEST odd: --kernel pack --block 64 --arg 'u32[64]=rand:81' --arg 'u32[64]' --arg 'i32[1]'
// EXPECT arg 1: sum 63742925829 checksum 9c34433f23ede799
// EXPECT arg 2: sum 33 checksum add5496c80e0c544
__global__ void pack(const unsigned *in, unsigned *out, int *count)
{
    __shared__ int base[3];
    unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5, v = in[t];
    bool keep = v & 1;
    unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0)
        base[warp + 1] = __popc(votes);
    if (t == 0)
        base[0] = 0;
    __syncthreads();
    if (t == 0)
        for (int i = 1; i < 3; i++)
            base[i] += base[i - 1];
    __syncthreads();
    if (keep)
        out[base[warp] + __popc(votes & ((1u << lane) - 1))] = v;
    if (t == 0)
        *count = base[2];
}

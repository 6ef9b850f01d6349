// x = c ? a : b of classes copies one of two, through no pointer: they are registers.
// RUN: tern compile %s --to ptx -arch sm_90 | grep -c local
// RUN: tern run %s --device interp --kernel largest --block 8 --arg 'f32[16]=iota' --arg 'f32[16]'
struct Pair {
    float most, sum;
};

__device__ Pair join(Pair a, Pair b)
{
    const bool first = a.most > b.most;
    const Pair high = first ? a : b, low = first ? b : a;
    return {high.most, high.sum + low.sum * (low.most - high.most)};
}

__global__ void largest(const Pair *in, Pair *out)
{
    Pair r = in[threadIdx.x];
    for (int k = 0; k < 8; k++)
        r = join(r, in[k]);
    out[threadIdx.x] = r;
}

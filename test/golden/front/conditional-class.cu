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

struct Pairs {
    const Pair *p;
    __device__ const Pair &operator[](int k) const { return p[k]; }
};

// what is called gives a place
__device__ Pair either(const Pairs &p, int k, bool next)
{
    const Pair x = next ? p[k + 1] : k > 6 ? p[0] : p[k];
    return x;
}

__global__ void largest(const Pair *in, Pair *out)
{
    const Pairs all = {in};
    Pair r = in[threadIdx.x];
    for (int k = 0; k < 7; k++)
        r = join(r, either(all, k, k & threadIdx.x));
    out[threadIdx.x] = r;
}

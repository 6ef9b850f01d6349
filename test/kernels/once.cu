// Atomics of many threads at one address, whose results nobody or somebody reads: of all lanes, of those that are left of a
// loop, of those on one way of a branch, of a warp that is not whole.
// TEST global: --kernel global_words --grid 2 --block 80 --arg 'u32[16]'
// EXPECT arg 0: sum 12506702821 checksum c086a34f95c1823a
// TEST shared: --kernel shared_words --grid 2 --block 80 --arg 'u32[8]'
// EXPECT arg 0: sum 3590675356 checksum 2aa77bd8474ad86d
// TEST numbers: --kernel numbers --block 80 --arg 'u32[4]' --arg 'u32[240]'
// EXPECT arg 0: sum 223 checksum c2da27131ee2b6da
// EXPECT arg 1: sum 445 checksum 4213abdd1f806eb6
__device__ unsigned counter[4];

__global__ void global_words(unsigned *w)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int *s = (int *)w;
    atomicAdd(&w[0], 1u);
    atomicAdd(&w[1], 7u);
    atomicSub(&w[2], t);
    atomicMin(&s[3], 5 - (int)t);
    atomicMax(&w[4], t * 77 % 101);
    atomicOr(&w[5], 1u << t % 23);
    atomicXor(&w[6], t * 0x9e3779b9u);
    atomicXor(&w[7], 0x55u);
    atomicAnd(&w[8], ~(1u << t % 13));
    for (unsigned k = 0; k < t % 7; k++)
        atomicAdd(&w[9], k + t);
    if (t % 3)
        atomicAdd(&w[10], t * t);
    else
        atomicAdd(&w[11], t % 2 ? 3u : 5u);
    if (t == 33)
        atomicAdd(&w[12], t);
    atomicAdd(&w[13 + blockIdx.x], t);
    atomicAdd(&counter[blockIdx.x & 1], 2u);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&w[15], atomicAdd(&counter[blockIdx.x & 1], 0u));
}

__global__ void shared_words(unsigned *out)
{
    __shared__ unsigned w[4];
    if (threadIdx.x < 4)
        w[threadIdx.x] = 100 * threadIdx.x;
    __syncthreads();
    atomicAdd(&w[0], 1u);
    atomicAdd(&w[1], threadIdx.x * threadIdx.x);
    if (threadIdx.x & 1)
        atomicMax(&w[2], threadIdx.x * 31 % 509);
    for (unsigned k = threadIdx.x; k < 100; k += 9)
        atomicXor(&w[3], k * 0x01000193u);
    __syncthreads();
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = w[threadIdx.x];
}

// each has a number of its own
__global__ void numbers(unsigned *w, unsigned *out)
{
    const unsigned t = threadIdx.x;
    out[atomicAdd(&w[0], 1u)] = 1;
    if (t % 5 != 2)
        out[80 + atomicAdd(&w[1], 1u)] = 2;
    for (unsigned k = 0; k < t % 3; k++)
        out[160 + atomicSub(&w[2], 4294967295u)] = 3;
}

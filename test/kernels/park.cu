// Threads that wait for each other where they are apart: each row of SITUATIONS is one way to do so, and a block of the
// grid. Whatever lets threads wait (coroutines on the CPU, the parks of GPUs, WGSL and WebAssembly) has to agree.
// TEST situations: --kernel situations --grid 12 --block 4,4,5 --arg 'u32[960]'
// EXPECT arg 0: sum 405518367499 checksum f011875e07630d5e
struct Thread {
    unsigned index, lane, all, value; // all: the lanes that the warp has
};

// shuffles of two halves of a warp, which meet nowhere
__device__ unsigned apart(Thread t)
{
    if (t.lane & 1)
        return __shfl_xor_sync(t.all & 0xaaaaaaaau, t.value, 2);
    return 5 + __shfl_up_sync(t.all & 0x55555555u, t.value, 4);
}

// some lanes are over before the others ask
__device__ unsigned after_exits(Thread t)
{
    if (t.lane % 3 == 0)
        return 1;
    const unsigned yes = __ballot_sync(t.all & 0xb6db6db6u, t.lane & 4);
    return yes ^ (unsigned)__all_sync(t.all & 0xb6db6db6u, t.lane != 3) << 30;
}

// votes under two conditions
__device__ unsigned nested(Thread t)
{
    unsigned r = 0;
    if (t.lane < 12) {
        if (t.lane >= 4)
            r = 16u * (unsigned)__any_sync(0xff0u, t.lane == 7) + (unsigned)__all_sync(0xff0u, t.lane == 7) +
                2u * (unsigned)__uni_sync(0xff0u, t.lane < 20);
        r += __ballot_sync(0xfffu, r != 0);
    }
    return r + __ballot_sync(t.all, r != 0);
}

__device__ unsigned matches(Thread t)
{
    int same = 0;
    if (t.lane < 10)
        return __match_any_sync(0x3ffu, t.value % 4);
    return __match_all_sync(t.all & ~0x3ffu, t.lane > 9, &same) + (unsigned)same;
}

__device__ unsigned reductions(Thread t)
{
    const unsigned few = 0x0f0fu, v = t.value * 2654435761u;
    if (!(few >> t.lane & 1))
        return __reduce_max_sync(t.all & ~few, t.value);
    unsigned r = __reduce_add_sync(few, v) ^ __reduce_and_sync(few, v | 0xff) ^ __reduce_or_sync(few, v & 0xff0f);
    r ^= __reduce_xor_sync(few, v) ^ __reduce_min_sync(few, v) ^ __reduce_max_sync(few, v);
    return r ^ (unsigned)__reduce_min_sync(few, (int)v) ^ (unsigned)__reduce_max_sync(few, (int)v);
}

// widths, and sources out of range; both words of a value
__device__ unsigned widths(Thread t)
{
    const unsigned long long wide = (unsigned long long)t.value << 32 | (t.value ^ 0x55u);
    unsigned r = 0;
    if (t.lane < 16) {
        r = __shfl_down_sync(0xffffu, t.value, 3, 8);
        r = 31 * r + __shfl_sync(0xffffu, t.value, (int)t.lane + 5, 4);
        const unsigned long long w = __shfl_xor_sync(0xffffu, wide, 9);
        r = 31 * r + (unsigned)(w >> 32) + 3 * (unsigned)w;
    }
    return r;
}

// loops of different lengths, with a meeting in each turn of those that are still in
__device__ unsigned loops(Thread t)
{
    unsigned sum = 0, in = t.all;
    for (unsigned k = 0; k < t.lane % 5; k++) {
        in = 0;
        for (unsigned l = 0; l < 32; l++)
            in |= (unsigned)(k < l % 5) << l;
        sum += __popc(__ballot_sync(in & t.all, t.lane & 1)) + k;
    }
    return sum + 100 * __popc(__ballot_sync(t.all, sum & 1));
}

// a barrier of those that are not over
__device__ unsigned barrier_after_exits(Thread t, unsigned threads)
{
    if (t.index % 4 == 1)
        return 0;
    return (unsigned)__syncthreads_count(t.index % 3 == 0) + 1000u * (unsigned)__syncthreads_and(t.index != 5) +
           2000u * (unsigned)__syncthreads_or(t.index == 4) + 4000u * threads;
}

// one barrier, reached in two places
__device__ unsigned barrier_apart(Thread t, unsigned *shared)
{
    shared[t.index] = t.value;
    if (t.index & 1) {
        __syncthreads();
        return shared[t.index - 1];
    }
    __syncthreads();
    return shared[t.index + 1] + 1;
}

// one lane waits for what another writes
__device__ unsigned flags(Thread t, volatile unsigned *shared)
{
    if (t.index == 3) {
        while (!shared[0])
            ;
        return shared[1];
    }
    if (t.index == 17) {
        shared[1] = t.value;
        __threadfence_block();
        shared[0] = 1;
    }
    return t.lane;
}

// a barrier of the block between two of a warp
__device__ unsigned mixed(Thread t, unsigned *shared)
{
    unsigned r = t.lane < 8 ? __ballot_sync(0xffu, t.lane & 2) : 0;
    shared[t.index] = r + t.index;
    __syncthreads();
    r = shared[(t.index + 9) % 48];
    __syncwarp(t.all);
    return r + (t.lane < 8 ? __shfl_sync(0xffu, r, 5) : 0);
}

// rounds of waiting within a warp and in the block, by those that are left
__device__ unsigned rounds(Thread t)
{
    unsigned r = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (t.lane < 4 * k)
            return r;
        unsigned next = __shfl_down_sync(t.all & ~((1u << 4 * k) - 1), t.value, 1);
        if (t.lane < 31 && !(t.all >> (t.lane + 1) & 1)) // nobody is there
            next = 0;
        r += next + (unsigned)__syncthreads_count(t.lane & 1);
    }
    return r;
}

#define SITUATIONS(ROW)                                                                                                \
    ROW(apart(t))                                                                                                      \
    ROW(after_exits(t))                                                                                                \
    ROW(nested(t))                                                                                                     \
    ROW(matches(t))                                                                                                    \
    ROW(reductions(t))                                                                                                 \
    ROW(widths(t))                                                                                                     \
    ROW(loops(t))                                                                                                      \
    ROW(barrier_after_exits(t, threads))                                                                               \
    ROW(barrier_apart(t, shared))                                                                                      \
    ROW(flags(t, shared))                                                                                              \
    ROW(mixed(t, shared))                                                                                              \
    ROW(rounds(t))

__global__ void situations(unsigned *out)
{
    __shared__ unsigned shared[96];
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    Thread t;
    t.index = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    t.lane = t.index & 31;
    t.all = threads - (t.index & ~31u) >= 32 ? ~0u : (1u << (threads & 31)) - 1;
    t.value = 7 * t.index + 3;
    shared[t.index] = 0;
    __syncthreads();
    unsigned r = 0, row = 0;
#define ROW(call)                                                                                                      \
    if (blockIdx.x == row++)                                                                                           \
        r = call;
    SITUATIONS(ROW)
    out[blockIdx.x * threads + t.index] = r;
}

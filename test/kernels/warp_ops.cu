// Warp intrinsics: shuffles with widths, votes, matches, reductions, in full and divided warps.
// TEST shuffles: --kernel shuffles --block 32 --arg 'i32[256]'
// EXPECT arg 0: sum 35020 checksum 959c5dfcafbbb31d
// TEST types: --kernel types --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 32 checksum 2907f8f1d099a425
// TEST votes: --kernel votes --block 64 --arg 'u32[512]'
// EXPECT arg 0: sum 117804820416 checksum cbcdbd24dc2751e5
// TEST matches: --kernel matches --block 32 --arg 'u32[96]'
// EXPECT arg 0: sum 11811160059 checksum b9d635bcab8fcee1
// TEST reductions: --kernel reductions --block 32 --arg 'i32[256]'
// EXPECT arg 0: sum 2336 checksum 9fa7bd636dd73f25
// TEST divided: --kernel divided --block 32 --arg 'u32[64]'
// EXPECT arg 0: sum 57259264206 checksum c8cb3e42bfb9600d
__global__ void shuffles(int *out)
{
    int t = threadIdx.x, v = t * 10;
    out[t] = __shfl_sync(0xffffffff, v, 5);
    out[32 + t] = __shfl_sync(0xffffffff, v, t + 3, 8);
    out[64 + t] = __shfl_up_sync(0xffffffff, v, 2);
    out[96 + t] = __shfl_up_sync(0xffffffff, v, 3, 16);
    out[128 + t] = __shfl_down_sync(0xffffffff, v, 4);
    out[160 + t] = __shfl_down_sync(0xffffffff, v, 1, 4);
    out[192 + t] = __shfl_xor_sync(0xffffffff, v, 7);
    out[224 + t] = __shfl_xor_sync(0xffffffff, v, 9, 8);
}

__global__ void types(int *out)
{
    int t = threadIdx.x, other = t ^ 1;
    unsigned m = ~0u;
    bool ok = __shfl_xor_sync(m, (float)t * 0.5f, 1) == other * 0.5f;
    ok = ok && __shfl_xor_sync(m, t * 1.25, 1) == other * 1.25;
    ok = ok && __shfl_xor_sync(m, t * 10000000000ll, 1) == other * 10000000000ll;
    ok = ok && __shfl_xor_sync(m, (unsigned long long)t << 40, 1) == (unsigned long long)other << 40;
    ok = ok && __shfl_sync(m, (unsigned)t, 31) == 31u;
    out[t] = ok;
}

__global__ void votes(unsigned *out)
{
    unsigned t = threadIdx.x;
    out[t] = __any_sync(~0u, t == 40);
    out[64 + t] = __all_sync(~0u, t < 32);
    out[128 + t] = __ballot_sync(~0u, t % 3 == 0);
    out[192 + t] = __popc(__ballot_sync(~0u, t > 10));
    out[256 + t] = __syncthreads_count(t % 5 == 0);
    out[320 + t] = __syncthreads_and(t < 64) * 2 + __syncthreads_and(t < 63);
    out[384 + t] = __syncthreads_or(t == 63) * 2 + __syncthreads_or(t == 64);
    out[448 + t] = __ffs(__ballot_sync(~0u, t & 4));
}

__global__ void matches(unsigned *out)
{
    int t = threadIdx.x, same;
    out[t] = __match_any_sync(~0u, t / 5);
    out[32 + t] = __match_all_sync(~0u, 7ull, &same) + same;
    unsigned m = __match_all_sync(~0u, t & 8, &same);
    out[64 + t] = m * 2 + same;
}

__global__ void reductions(int *out)
{
    int t = threadIdx.x, v = (t * 37) % 41 - 20;
    out[t] = __reduce_add_sync(~0u, v);
    out[32 + t] = __reduce_min_sync(~0u, v);
    out[64 + t] = __reduce_max_sync(~0u, v);
    out[96 + t] = (int)__reduce_min_sync(~0u, (unsigned)v);
    out[128 + t] = (int)__reduce_and_sync(~0u, (unsigned)v | 0x40u);
    out[160 + t] = (int)__reduce_or_sync(~0u, (unsigned)(t & 5));
    out[192 + t] = (int)__reduce_xor_sync(~0u, (unsigned)v);
    out[224 + t] = (int)__reduce_max_sync(~0u, (unsigned)v);
}

__global__ void divided(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t < 12) {
        out[t] = __activemask();
        out[32 + t] = __shfl_sync(0xfff, t, (t + 1) % 12);
    } else if (t % 2) {
        out[t] = __activemask();
        out[32 + t] = __ballot_sync(0xaaaaa000, t > 20);
    } else {
        out[t] = __reduce_add_sync(0x55555000, t);
        __syncwarp(0x55555000);
        out[32 + t] = __popc(__activemask());
    }
}

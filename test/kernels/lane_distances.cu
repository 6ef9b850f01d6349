// Blocks of 34 bytes, a scale and 32 numbers, of which every four threads have one: products of their bytes, as quantised weights are
// multiplied. Lanes lie at distances that are no stride, at even addresses, in loops whose first thread is elsewhere in each warp.
// TEST whole: --kernel products --block 32,2 --arg 'u8[1360]=rand:5' --arg 'i32[128]' --arg u32:0 --arg i32:32
// EXPECT arg 1: sum 38831295694 checksum a274010ddf6d41e1
// TEST partly: --kernel products --block 32,2 --arg 'u8[1360]=rand:6' --arg 'i32[128]' --arg u32:0xfffffff9 --arg i32:29
// EXPECT arg 1: sum 13924780927 checksum d459aa8a9d9d5f93
// TEST extended: --kernel extended --block 32,2 --arg 'i64[256]' --arg u32:0x7ffffffb --arg u32:0xfffffffa
// EXPECT arg 0: sum 2035814508096 checksum 0c02097b55558811
// TEST apart: --kernel apart --block 64 --arg 'u8[544]=rand:7' --arg 'i32[64]' --arg u32:0xfffffff4
// EXPECT arg 1: sum 1221103 checksum 6089804f614186cd

struct block {
    unsigned short scale;
    signed char number[32];
};

__device__ int two(const unsigned short *h)
{
    return (int)(h[0] | (unsigned)h[1] << 16);
}

__global__ void products(const unsigned char *bytes, int *out, unsigned first, int n)
{
    const int tid = 32 * threadIdx.y + threadIdx.x, part = tid % 4;
    const block *blocks = (const block *)bytes + 8;
    int sum = 0;
    unsigned plain = 0;
    for (int k = tid / 4; k < n; k += 16) {
        const int at = first + k;
        const block *b = blocks + at;
        const unsigned short *h = (const unsigned short *)b->number + 4 * part;
        const int x = two(h), y = two(h + 2);
        short scale;
        if (part < 2)
            scale = b->scale;
        else
            scale = h[part] ^ b->scale;
        sum += __dp4a(x, y, 0) * scale + b->number[part];
        sum += __dp4a(y & 0x0f0f0f0f, x, k) + __dp4a(x, 0x01020304, 0);
        plain += __dp4a((unsigned)x, (unsigned)y & 0x7f3f1f0f, 3u) + __dp4a((unsigned)y & 0x01010101, (unsigned)x, 0u);
    }
    out[tid] = sum ^ (int)plain;
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    out[64 + tid] = sum;
}

// The numbers themselves: lanes of one warp on both sides of a wrap.
__global__ void extended(long long *out, unsigned s, unsigned u)
{
    const unsigned tid = 32 * threadIdx.y + threadIdx.x, k = tid / 4, j = (tid & 3) * 2 + (tid >> 3);
    out[tid] = (long long)(int)(s + k) * 34;
    out[tid + 64] = (unsigned long long)(u + k) * 36 + (int)(s + j);
    out[tid + 128] = (long long)(int)(s - k) + (unsigned)(k - u);
    out[tid + 192] = (long long)(int)((s + k) * 2 + j);
}

// Only threads before the wrap have something to read.
__global__ void apart(const unsigned char *bytes, int *out, unsigned first)
{
    const unsigned tid = threadIdx.x, at = first + tid / 4;
    const block *b = (const block *)bytes - first;
    int x = -1;
    if (at >= first)
        x = b[at].number[tid % 4] + b[at].scale;
    out[tid] = x;
}

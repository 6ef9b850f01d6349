// Numbers that are put together from bytes, which processors load at once, beside the same from volatile loads: of two, four and eight
// bytes, at any address; in another order, with a gap, with a store between, by indices that wrap: these are no single loads. All
// must be 0.
// TEST numbers: --kernel numbers --grid 3 --block 96 --arg 'u32[288]' --arg 'u8[1024]=iota' --arg 'i32[1]'
// EXPECT arg 0: sum 0 checksum 36fe4d3f1c233d25

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

template <class P> __device__ u32 two(P p)
{
    return p[0] | p[1] << 8;
}
template <class P> __device__ u32 four(P p)
{
    return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}
template <class P> __device__ u64 eight(P p, u32 i) // the index has three low bits to spare
{
    u64 s = 0;
    for (u32 n = 0; n < 8; n++)
        s |= (u64)p[8 * i + n] << 8 * n;
    return s;
}
template <class P> __device__ u64 eight_from(P p, int i) // this one has not
{
    u64 s = 0;
    for (int n = 7; n >= 0; n--)
        s |= (u64)p[i + n] << 8 * n;
    return s;
}
template <class P> __device__ u32 reversed(P p)
{
    return (u32)p[3] | (u32)p[2] << 8 | (u32)p[1] << 16 | (u32)p[0] << 24;
}
template <class P> __device__ u32 others(P p)
{
    const u32 gap = p[0] | p[1] << 8 | p[3] << 16 | (u32)p[4] << 24, three = p[5] | p[6] << 8 | p[7] << 16;
    const u32 twice = p[0] | p[0] << 8 | p[1] << 16 | (u32)p[1] << 24, high = (u32)p[1] << 16 | (u32)p[2] << 24;
    return gap + 3 * three + 5 * twice + 7 * high;
}
template <class P> __device__ u32 wraps(P p, u32 i) // 2^32 - 2 and on: the last two bytes lie at the beginning
{
    return (u32)p[(int)i] | (u32)p[(int)(i + 1)] << 8 | (u32)p[(int)(i + 2)] << 16 | (u32)p[(int)(i + 3)] << 24;
}
template <class P> __device__ u64 all(P p, u32 i)
{
    return two(p) + 3ull * four(p + 1) + 5 * eight(p, i & 3) + 7 * eight_from(p, (int)(i & 7)) + 11ull * reversed(p) + 13ull * others(p) +
           17ull * wraps(p + 8, i - i - 2);
}
__global__ void numbers(u32 *out, u8 *bytes, const int *zero)
{
    __shared__ u8 shared[1024];
    u8 own[32];
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 k = threadIdx.x; k < 1024; k += blockDim.x)
        shared[k] = (u8)(bytes[k] * 7 + 3);
    for (u32 k = 0; k < 32; k++)
        own[(k + zero[0]) & 31] = (u8)(k * 11 + i);
    __syncthreads();
    const u8 *p = bytes + i * 3, *s = shared + i * 3;
    u32 wrong = all(p, i) != all((const volatile u8 *)p, i);
    wrong += all(s, i) != all((const volatile u8 *)s, i);
    wrong += all(own + zero[0], i) != all((const volatile u8 *)own, i);
    // A store between: the bytes before it are the old ones.
    u8 *mine = own + zero[0];
    const u32 low = mine[4] | mine[5] << 8;
    mine[6] = (u8)i;
    const u32 both = low | (u32)mine[6] << 16 | (u32)mine[7] << 24;
    wrong += both != (((u32)i & 255) << 16 | (u32)(u8)(7 * 11 + i) << 24 | (u32)(u8)(5 * 11 + i) << 8 | (u32)(u8)(4 * 11 + i));
    out[i] = wrong;
}

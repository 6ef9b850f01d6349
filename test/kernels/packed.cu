// Bytes and halves that lie side by side, loaded and stored at once; sums that a condition adds one to.
// TEST bytes: --kernel bytes --grid 2 --block 64 --arg 'u32[256]=rand:31' --arg 'u32[256]' --arg 'i32[128]'
// EXPECT arg 1: sum 290141179062 checksum 596bd3c87d0aceb6
// EXPECT arg 2: sum 282470 checksum 21b84a39cc3def27
// TEST counts: --kernel counts --block 64 --arg 'u32[64]=rand:32' --arg 'u32[64]' --arg u32:6
// EXPECT arg 1: sum 1149620 checksum 6adb274a622c70f5
struct __align__(4) signed4 { signed char x, y, z, w; };
struct __align__(4) unsigned3 { unsigned char x, y, z; };
struct __align__(8) short4_ { short x, y, z, w; };

__global__ void bytes(const unsigned *in, unsigned *out, int *sums)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const signed4 a = ((const signed4 *)in)[t], b = ((const signed4 *)in)[t + 128];
    const short4_ h = ((const short4_ *)in)[t];
    const unsigned3 u = ((const unsigned3 *)in)[255 - t];
    sums[t] = a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x + h.x * 3 + h.y - h.z * 5 + h.w + u.x + 2 * u.y - u.z;
    signed4 c = {(signed char)(a.x + b.x), (signed char)(a.y - b.y), (signed char)(a.z ^ b.z), 7};
    ((signed4 *)out)[t] = c;
    unsigned short *p = (unsigned short *)(out + 128);
    p[2 * t] = (unsigned short)(h.x + u.x);
    p[2 * t + 1] = (unsigned short)(h.w - u.z);
}

__global__ void counts(const unsigned *in, unsigned *out, unsigned mask)
{
    const unsigned t = threadIdx.x, x = in[t];
    unsigned n = 0, m = 100;
    n += (x & mask) != 0;
    n += (x & 1024) == 0;
    if (x & 0x10000)
        m++;
    if (!((x ^ t) & 255))
        m++;
    else
        n += 16;
    n += (x >> 20 & mask) ? 1 : 0;
    out[t] = n * 1000 + m + ((x | mask) == 0 ? 7 : 3);
}

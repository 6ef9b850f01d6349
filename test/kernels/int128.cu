// 128-bit integers: the high word of products, carries, division, shifts, signs.
// TEST products: --kernel products --block 32 --arg 'u64[64]' --arg 'u64[128]'
// EXPECT arg 1: sum 12502821189622891475 checksum 3196b5a5c5c9b846
// TEST arithmetic: --kernel arithmetic --arg 'i32[16]'
// EXPECT arg 0: sum 16 checksum bec6bbcc296da3a5
__global__ void products(unsigned long long *in, unsigned long long *out)
{
    int t = threadIdx.x;
    in[t] = 0x9e3779b97f4a7c15ull * (t + 1);
    in[32 + t] = 0xc2b2ae3d27d4eb4full * (t + 3);
    unsigned __int128 x = (unsigned __int128)in[t] * in[32 + t];
    out[t] = (unsigned long long)x;
    out[32 + t] = x >> 64;
    x += in[t];
    x = x << 3 | 5;
    out[64 + t] = (unsigned long long)(x >> 17);
    out[96 + t] = (unsigned long long)(x % 1000000007u);
}

constexpr unsigned __int128 big = (unsigned __int128)1 << 100;
static_assert(big >> 99 == 2 && big - 1 < big, "constants");
typedef unsigned __int128 u128;

__global__ void arithmetic(int *out)
{
    __int128 a = -5, b = (__int128)1 << 70;
    u128 c = b;
    int i = 0;
    out[i++] = a < 0 && a < b && b > 3;
    out[i++] = (int)(a * 7) == -35;
    out[i++] = (a >> 1) == -3;
    out[i++] = a / 2 == -2 && a % 2 == -1;
    out[i++] = (b / 1024) >> 60 == 1;
    out[i++] = (c - 1) / 3 * 3 + (c - 1) % 3 == c - 1;
    out[i++] = (double)b == 0x1p70 && (double)a == -5.0;
    out[i++] = (__int128)(0x1p80 + threadIdx.x) == (__int128)1 << 80; // in nvcc, wrong as a constant
    out[i++] = -(-b) == b && ~a == 4 && !(a == b);
    a++;
    --a;
    a -= 1;
    out[i++] = a == -6 && a-- == -6 && a == -7;
    c ^= c;
    out[i++] = !c && (c ? 0 : 1);
    c = ~(u128)0;
    out[i++] = c + 1 == 0 && (c >> 127) == 1;
    out[i++] = sizeof(u128) == 16 && alignof(__int128_t) == 16;
    unsigned long long low = c;
    out[i++] = low == ~0ull;
    c /= 10;
    out[i++] = (unsigned long long)(c >> 64) == 0x1999999999999999ull;
    out[i++] = (3 * (u128)5 | 16) == 31 && 7 - (__int128)9 == -2;
}

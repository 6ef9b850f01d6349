// What processors have no instructions for and do with others for all lanes at once: arithmetic on f16 and bf16, every result
// rounded once, and on bytes of words.
// TEST f16: --kernel f16 --grid 64 --block 96 --arg 'u32[6144]'
// EXPECT arg 0: sum 13321863639634 checksum be20ea3d70ebd470
// TEST bf16: --kernel bf16 --grid 64 --block 96 --arg 'u32[6144]'
// EXPECT arg 0: sum 13184153604572 checksum 8472b9da9665975e
// TEST rounded: --kernel rounded --grid 16 --block 96 --arg 'u32[1536]'
// EXPECT arg 0: sum 3278157555677 checksum a838f9591beb658e
// TEST bytes: --kernel bytes --grid 4 --block 96 --arg 'u32[384]' --arg 'i32[384]'
// EXPECT arg 0: sum 832744281996 checksum 73fe364c35b4ee45
// EXPECT arg 1: sum 4857815480 checksum 25f83cbaf435f9f6
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// Bits that come close to each other often: exponents from a few, digits with long runs.
__device__ unsigned mixed(unsigned i, unsigned salt)
{
    unsigned x = (i * 3 + salt) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

__device__ unsigned short f16_bits(unsigned i, unsigned salt)
{
    static const unsigned char exponents[] = {0, 0, 1, 2, 4, 10, 14, 15, 15, 16, 25, 26, 27, 29, 30, 31};
    unsigned x = mixed(i, salt), digits = x & 0x3ff;
    if (x & 0x10000)
        digits &= 0x3e1;
    return (x >> 17 & 1) << 15 | exponents[x >> 20 & 15] << 10 | digits;
}

__device__ unsigned short bf16_bits(unsigned i, unsigned salt)
{
    static const unsigned char exponents[] = {0, 0, 1, 8, 57, 60, 63, 120, 126, 127, 128, 135, 190, 200, 254, 255};
    unsigned x = mixed(i, salt);
    return (x >> 17 & 1) << 15 | exponents[x >> 20 & 15] << 7 | (x & 0x7f);
}

__device__ unsigned short told(__half h)
{
    return __hisnan(h) ? 0x7fff : __half_as_ushort(h);
}

__device__ unsigned short told(__nv_bfloat16 h)
{
    return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h);
}

template <class T> __device__ unsigned all(T a, T b, T c)
{
    unsigned sum = told(__hadd(a, b));
    sum = sum * 31 + told(__hsub(a, b));
    sum = sum * 31 + told(__hmul(a, b));
    sum = sum * 31 + told(__hdiv(a, b));
    sum = sum * 31 + told(__hfma(a, b, c));
    sum = sum * 31 + told(__hmin(a, b));
    sum = sum * 31 + told(__hmax(b, c));
    sum = sum * 31 + (__hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hgt(a, c) << 3 | __hne(b, c) << 4);
    sum = sum * 31 + told(hsqrt(a)) % 0x7fff;
    sum = sum * 31 + told(hfloor(b));
    return sum * 31 + told(hrint(c));
}

__global__ void f16(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all(__ushort_as_half(f16_bits(i, 1)), __ushort_as_half(f16_bits(i, 2)), __ushort_as_half(f16_bits(i, 3)));
}

__global__ void bf16(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all(__ushort_as_bfloat16(bf16_bits(i, 1)), __ushort_as_bfloat16(bf16_bits(i, 2)),
                 __ushort_as_bfloat16(bf16_bits(i, 3)));
}

__global__ void rounded(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = mixed(i, 7);
    float near = __uint_as_float((unsigned)bf16_bits(i, 4) << 16 | (x & 1 ? 0x8000 : x >> 16) | (x >> 1 & 1));
    double nearer = (double)__half2float(__ushort_as_half(f16_bits(i, 5))) * (1 + 0x1p-11 * (x & 2) + 0x1p-40 * (x >> 2 & 1));
    unsigned sum = told(__float2bfloat16(near)) * 31 + told(__double2bfloat16(near * (1 - 0x1p-30)));
    sum = sum * 31 + told(__double2half(nearer));
    sum = sum * 31 + told(__int2half_rn((int)x >> (x & 31))) * 7 + told(__ushort2half_rn(x));
    out[i] = sum * 31 + told(__uint2bfloat16_rn(x >> (x & 15))) * 7 + told(__short2bfloat16_rn(x));
}

__global__ void bytes(unsigned *out, int *dots)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = mixed(i, 1), b = mixed(i, 2), s = mixed(i, 3), sum;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(s));
    sum = sum * 31 + __byte_perm(a, b, 0x5410);
    sum = sum * 31 + __byte_perm(a, b, 0x1032);
    sum = sum * 31 + __byte_perm(a, b, 0x4321);
    sum = sum * 31 + __byte_perm(a, b, 0x0123);
    sum = sum * 31 + __byte_perm(a, b, 0x7654);
    sum = sum * 31 + __byte_perm(a, b, 0x6666);
    unsigned t;
    asm("prmt.b32 %0, %1, %2, 0x9980;" : "=r"(t) : "r"(a), "r"(b));
    sum = sum * 31 + t;
    asm("prmt.b32 %0, %1, %2, 0xf254;" : "=r"(t) : "r"(a), "r"(b));
    out[i] = sum * 31 + t;
    dots[i] = __dp4a((int)a, (int)b, (int)s) + 3 * (int)__dp4a(a, b, s);
}

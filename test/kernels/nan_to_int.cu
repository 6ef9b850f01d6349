// NaN as an integer: 0, but the top bit where either type has 64 bits, as NVIDIA's hardware has it. To less than
// 32 bits nvcc goes by way of 32.
// TEST casts: --kernel casts --block 1 --arg u32:0x7fc00000 --arg u64[24]
// EXPECT arg 1: sum 4294967296 checksum 794f608163147225
// TEST cut: --kernel cut --block 4 --arg 'i32[8]'
// EXPECT arg 0: sum 70477 checksum d9e6b286737d5c78
#include <cuda_fp16.h>

template <class F> __device__ void all(F x, unsigned long long *out)
{
    out[0] = (unsigned char)(signed char)x;
    out[1] = (unsigned char)x;
    out[2] = (unsigned short)(short)x;
    out[3] = (unsigned short)x;
    out[4] = (unsigned)(int)x;
    out[5] = (unsigned)x;
    out[6] = (unsigned long long)(long long)x;
    out[7] = (unsigned long long)x;
}

__global__ void casts(unsigned bits, unsigned long long *out)
{
    const float nan = __uint_as_float(bits);
    all(nan, out);
    all((double)nan, out + 8);
    const __half h = __float2half(nan);
    all((float)h, out + 16);
    out[22] = (unsigned long long)__half2ll_rz(h);
    out[23] = __half2ull_rz(h);
}

// What does not fit is cut.
__global__ void cut(int *out)
{
    const float x = 300.75f * (threadIdx.x + 1) - 700;
    out[2 * threadIdx.x] = (signed char)x;
    out[2 * threadIdx.x + 1] = (unsigned short)((double)x * 100);
}

// Two floats rounded to the halves of a word: one instruction.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void pairs(const float2 *x, __nv_bfloat162 *b, __half2 *h, unsigned *swapped)
{
    const float2 v = x[threadIdx.x];
    b[threadIdx.x] = __floats2bfloat162_rn(v.x, v.y);
    h[threadIdx.x] = __floats2half2_rn(v.x, v.y);
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(swapped[threadIdx.x]) : "f"(v.x), "f"(v.y));
}

// RUN: tern compile %s --to ir
// 128-bit floats and formats of fewer than eight bits: said to be missing, not misread.
#include <cuda_fp4.h>
__global__ void wide(double *p)
{
    __float128 x = p[0];
    p[1] = (double)__nv_fp128_sqrt(p[2]);
}
__global__ void narrow(float *p)
{
    __nv_fp4_e2m1 x(p[0]);
}

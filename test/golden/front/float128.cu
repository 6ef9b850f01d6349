// RUN: tern compile %s --to ir
// 128-bit floats: said to be missing, not misread.
__global__ void wide(double *p)
{
    __float128 x = p[0];
    p[1] = (double)__nv_fp128_sqrt(p[2]);
}

// RUN: tern compile %s --to ir -o %t
__global__ void k(float *y)
{
    int i = threadIdx.w;
    y[i] = 1;
}

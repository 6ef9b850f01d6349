// RUN: tern compile %s --to ir -o %t
__constant__ float table[16];
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = x[i];
    y[i] = 0;
}

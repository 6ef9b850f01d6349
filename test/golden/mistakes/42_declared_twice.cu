// RUN: tern compile %s --to ir -o %t
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 3;
    y[i] = x[i];
}

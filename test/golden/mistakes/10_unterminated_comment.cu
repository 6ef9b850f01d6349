// RUN: tern compile %s --to ir -o %t
/* scales x
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

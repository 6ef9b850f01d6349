// RUN: tern compile %s --to ir -o %t
__device__ void touch(float *p)
{
    *p = 1;
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = touch(y);
}

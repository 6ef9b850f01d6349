// RUN: tern compile %s --to ir -o %t
__device__ float square(float a)
{
    return a * a;
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = square(x[i], 2);
}

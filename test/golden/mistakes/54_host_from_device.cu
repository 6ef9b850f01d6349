// RUN: tern compile %s --to ir -o %t
float scale(float a)
{
    return 2 * a;
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = scale(x[i]);
}

// RUN: tern compile %s --to ir -o %t
template <typename T>
__device__ T larger(T a, T b)
{
    return a > b ? a : b;
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = larger(x[i], 0);
}

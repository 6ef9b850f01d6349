// RUN: tern compile %s --to ir -o %t
template <typename T>
__device__ float length(T v)
{
    return sqrtf(v.x * v.x + v.y * v.y);
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = length(x[i]);
}

// RUN: tern compile %s --to ir -o %t
__device__ float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = mix(x[i], 0.5f);
}

// The smallest program, from its source to the first result.
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
int main()
{
    const int n = 1 << 12;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++)
        x[i] = i, y[i] = 1;
    saxpy<<<n / 256, 256>>>(n, 2, x, y);
    cudaDeviceSynchronize();
    printf("%g\n", y[10]);
}

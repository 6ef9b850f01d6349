// A product of matrices in tiles, from its source to the first result.
#include <cstdio>

#define T 16
__global__ void sgemm(int n, const float *a, const float *b, float *c)
{
    __shared__ float x[T][T], y[T][T];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int q = 0; q < T; q++)
            sum += x[threadIdx.y][q] * y[q][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
int main()
{
    const int n = 64;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&b, n * n * sizeof *b);
    cudaMallocManaged(&c, n * n * sizeof *c);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7, b[i] = i % 5;
    sgemm<<<dim3(n / T, n / T), dim3(T, T)>>>(n, a, b, c);
    cudaDeviceSynchronize();
    printf("%g\n", c[10]);
}

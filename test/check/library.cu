// What a library writes counts as written, and what it reads is looked at: "whole", or "half" of the matrix written.
#include <cublas_v2.h>
#include <cstring>

__global__ void triangle(float *a, int n, bool whole)
{
    for (int k = threadIdx.x; k < n * n; k += blockDim.x)
        if (whole || k / n >= k % n)
            a[k] = 1;
}

__global__ void sum(const float *c, float *s, int n)
{
    float all = 0;
    for (int k = 0; k < n; k++)
        all += c[k];
    s[0] = all;
}

int main(int, char **words)
{
    const int n = 24;
    const float one = 1, zero = 0;
    float *a, *c;
    cublasHandle_t h;
    cublasCreate(&h);
    cudaMalloc(&a, n * n * sizeof *a);
    cudaMalloc(&c, n * n * sizeof *c);
    triangle<<<1, 64>>>(a, n, !strcmp(words[1], "whole"));
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, a, n, &zero, c, n);
    sum<<<1, 1>>>(c, a, n * n);
    cudaFree(a);
    cudaFree(c);
    cublasDestroy(h);
    return cudaDeviceReset();
}

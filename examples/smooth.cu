// A mean of neighbours, with two mistakes that `tern check` finds: no barrier before what others wrote is read, and
// `<=` where `<` was meant.
#include <cstdio>

__global__ void smooth(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0;
    if (t > 0 && i <= n)
        y[i] = 0.5f * (s[t] + s[t - 1]);
}

int main()
{
    const int n = 1000;
    float *x, *y;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x);
    smooth<<<(n + 255) / 256, 256>>>(x, y, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    return 0;
}

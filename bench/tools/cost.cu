// Kernels of several kinds, long enough that a checker's or profiler's cost is seen beside them.   cost ROUNDS
#include <cstdio>
#include <cstdlib>

enum { N = 1 << 18, TILE = 16, SIZE = 192 };

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__global__ void stencil(int n, const float *x, float *y)
{
    __shared__ float s[258];
    int t = threadIdx.x + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = x[i];
    if (threadIdx.x == 0) {
        s[0] = i ? x[i - 1] : 0;
        s[257] = i + 256 < n ? x[i + 256] : 0;
    }
    __syncthreads();
    y[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}
__global__ void reduce(const float *x, float *out)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    for (int k = 128; k; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (!threadIdx.x)
        out[blockIdx.x] = s[0];
}
__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float x[TILE][TILE], y[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < SIZE; k += TILE) {
        x[threadIdx.y][threadIdx.x] = a[row * SIZE + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * SIZE + column];
        __syncthreads();
        for (int q = 0; q < TILE; q++)
            sum += x[threadIdx.y][q] * y[q][threadIdx.x];
        __syncthreads();
    }
    c[row * SIZE + column] = sum;
}

int main(int, char **words)
{
    const int rounds = atoi(words[1]);
    float *x, *y, *z;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&y, N * sizeof *y);
    cudaMalloc(&z, N * sizeof *z);
    cudaMemset(x, 0, N * sizeof *x);
    cudaMemset(y, 0, N * sizeof *y);
    for (int r = 0; r < rounds; r++) {
        saxpy<<<N / 256, 256>>>(N, 2, x, y);
        stencil<<<N / 256, 256>>>(N, y, z);
        reduce<<<N / 256, 256>>>(z, x);
        product<<<dim3(SIZE / TILE, SIZE / TILE), dim3(TILE, TILE)>>>(x, y, z);
    }
    if (cudaDeviceSynchronize())
        return 1;
    cudaFree(x), cudaFree(y), cudaFree(z);
    cudaDeviceReset();
    return 0;
}

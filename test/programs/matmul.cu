// Tiled matrix product with dynamic and static shared memory, against the host.
#include "check.h"
#include <cmath>
#include <vector>

const int T = 16;
__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[T][T], sb[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + T - 1) / T; t++) {
        int k = t * T;
        sa[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.f;
        sb[threadIdx.y][threadIdx.x] = col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++)
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}
__global__ void transpose(const float *in, float *out, int n)
{
    extern __shared__ float tile[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int w = blockDim.x + 1;
    if (x < n && y < n)
        tile[threadIdx.y * w + threadIdx.x] = in[y * n + x];
    __syncthreads();
    int tx = blockIdx.y * blockDim.y + threadIdx.x, ty = blockIdx.x * blockDim.x + threadIdx.y;
    if (tx < n && ty < n)
        out[ty * n + tx] = tile[threadIdx.x * w + threadIdx.y];
}

int main()
{
    const int n = 83;
    std::vector<float> a(n * n), b(n * n), c(n * n), t(n * n);
    srand(1);
    for (auto &x : a)
        x = (float)rand() / RAND_MAX - 0.5f;
    for (auto &x : b)
        x = (float)rand() / RAND_MAX - 0.5f;
    float *da, *db, *dc;
    size_t bytes = n * n * sizeof(float);
    CUDA(cudaMalloc(&da, bytes));
    CUDA(cudaMalloc(&db, bytes));
    CUDA(cudaMalloc(&dc, bytes));
    CUDA(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(T, T), grid((n + T - 1) / T, (n + T - 1) / T);
    tiled<<<grid, block>>>(da, db, dc, n);
    CUDA(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += (double)a[i * n + k] * b[k * n + j];
            CHECK(std::fabs(c[i * n + j] - s) < 1e-4);
        }
    transpose<<<grid, block, T * (T + 1) * sizeof(float)>>>(da, dc, n);
    CUDA(cudaMemcpy(t.data(), dc, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            CHECK(t[j * n + i] == a[i * n + j]);
    puts("ok");
}

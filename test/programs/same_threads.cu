// Threads that differ only in a coordinate that their kernel does not read, and yet read and write memory: on a GPU they
// run almost in step. The CPU runs one for all of them; what counts threads still sees each.
// NOT ON: interp: warps run one after the other: each adds to what the one before it left
// NOT ON: vulkan: the driver decides which thread runs when
// NOT ON: cuda: warps are in step by chance
#include "check.h"

__global__ void sums(int n, const float *a, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        x[i] += a[j * n + i];
}

__global__ void one_for_all(int *p, unsigned *shape)
{
    *p += 1;
    shape[0] = blockDim.x, shape[1] = blockDim.y, shape[2] = blockDim.z;
}

__global__ void counted(int *p, int *rows)
{
    atomicAdd(p, 1);
    if (__syncthreads_count(1) != 32 * 8)
        *p = -1000;
    atomicAdd(&rows[threadIdx.y], 1);
}

int main()
{
    const int n = 64;
    float *a, *x;
    int *p, *rows;
    unsigned *shape;
    CUDA(cudaMallocManaged(&a, n * n * sizeof *a));
    CUDA(cudaMallocManaged(&x, n * sizeof *x));
    CUDA(cudaMallocManaged(&p, 2 * sizeof *p));
    CUDA(cudaMallocManaged(&rows, 8 * sizeof *rows));
    CUDA(cudaMallocManaged(&shape, 3 * sizeof *shape));
    for (int k = 0; k < n * n; k++)
        a[k] = k % 7;
    for (int k = 0; k < n; k++)
        x[k] = k;
    p[0] = p[1] = 0;
    for (int k = 0; k < 8; k++)
        rows[k] = 0;
    sums<<<n / 32, dim3(32, 8)>>>(n, a, x);
    one_for_all<<<1, dim3(16, 4, 2)>>>(p, shape);
    counted<<<1, dim3(32, 8)>>>(p + 1, rows);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        float sum = i;
        for (int j = 0; j < n; j++)
            sum += a[j * n + i];
        CHECK(x[i] == sum);
    }
    CHECK(p[0] == 1 && shape[0] == 16 && shape[1] == 4 && shape[2] == 2);
    CHECK(p[1] == 256);
    for (int k = 0; k < 8; k++)
        CHECK(rows[k] == 32);
    puts("ok");
}

// Kernels that the runtime is asked about before they run: their stubs are known without a call, however many
// parameters they have, and classes among them.
#include <cstdio>

struct large {
    int v[64];
};

__global__ void many(large a, int b, int c, int d, int e, int f, int g, int h, int i, int *out, long k, large z)
{
    *out = a.v[0] + b + c + d + e + f + g + h + i + (int)k + z.v[63];
}

int main()
{
    cudaFuncAttributes a;
    if (cudaFuncGetAttributes(&a, many) || cudaFuncSetAttribute(many, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024))
        return 1;
    int *out, blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 64, 0);
    cudaMallocManaged(&out, sizeof *out);
    large l = {};
    l.v[0] = 1000, l.v[63] = 20000;
    many<<<1, 1>>>(l, 1, 2, 3, 4, 5, 6, 7, 8, out, 100, l);
    cudaDeviceSynchronize();
    printf("%d %d\n", *out, blocks > 0);
    return 0;
}

// Memory of malloc in kernels, on devices that say that they reach it.
#include <cstdio>
#include <cstdlib>

__global__ void add(int *p)
{
    atomicAdd(p + threadIdx.x % 4, 1);
}

int main()
{
    cudaDeviceProp prop;
    int said, tables;
    cudaGetDeviceProperties(&prop, 0);
    cudaDeviceGetAttribute(&said, cudaDevAttrPageableMemoryAccess, 0);
    cudaDeviceGetAttribute(&tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0);
    int *p = NULL;
    if (prop.pageableMemoryAccess)
        p = (int *)calloc(4, sizeof *p);
    else
        cudaMallocManaged(&p, 4 * sizeof *p);
    if (!p)
        return 1;
    for (int i = 0; i < 4; i++)
        p[i] = i;
    add<<<1, 32>>>(p);
    const cudaError_t e = cudaDeviceSynchronize();
    bool good = e == cudaSuccess && said == prop.pageableMemoryAccess && tables <= said;
    for (int i = 0; i < 4; i++)
        good = good && p[i] == i + 8;
    puts(good ? "ok" : "wrong");
    return !good;
}

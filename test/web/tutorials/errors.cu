// What goes wrong is told as CUDA tells it.
#include <cassert>
#include <cstdio>
__global__ void fine(int *x) { *x = 1; }
__global__ void fails(int n) { assert(n < 5); }
static void tell(const char *what, cudaError_t e) { printf("%s: %s (%s)\n", what, cudaGetErrorName(e), cudaGetErrorString(e)); }
int main()
{
    int *p = nullptr, n = 0;
    cudaDeviceProp prop;
    tell("count", cudaGetDeviceCount(&n));
    tell("properties", cudaGetDeviceProperties(&prop, 0));
    printf("%d device, warps of %d, %d threads\n", n, prop.warpSize, prop.maxThreadsPerBlock);
    tell("no such device", cudaSetDevice(99));
    tell("last", cudaGetLastError());
    tell("then", cudaGetLastError());
    fine<<<1, 2000>>>(p);
    tell("a block too large", cudaGetLastError());
    tell("freed twice", (cudaMalloc(&p, 64), cudaFree(p), cudaFree(p)));
    cudaGetLastError();
    tell("too much", cudaMalloc(&p, (size_t)1 << 40));
    cudaGetLastError();
    tell("copy past the end", (cudaMalloc(&p, 64), cudaMemcpy(p, &prop, 128, cudaMemcpyHostToDevice)));
    cudaGetLastError();
    fails<<<1, 1>>>(7);
    tell("assertion", cudaDeviceSynchronize());
    return 0;
}

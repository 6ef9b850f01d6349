// __device__, __constant__ and __managed__ variables, in namespaces and unnamed ones too.
#include "check.h"

struct Pair {
    int a;
    float b;
};
__constant__ Pair table[3];
__device__ int counter = 5;
namespace deep {
namespace {
__device__ double weights[4] = {1, 2, 3, 4};
}
__managed__ int shared_with_host = 1;
double run();
} // namespace deep

__global__ void use(float *out)
{
    atomicAdd(&counter, table[1].a);
    if (!threadIdx.x) {
        out[0] = table[2].b * (float)deep::weights[3];
        deep::shared_with_host *= 10;
    }
}

int main()
{
    Pair h[3] = {{1, 1.5f}, {2, 2.5f}, {3, 3.5f}};
    CUDA(cudaMemcpyToSymbol(table, h, sizeof h));
    float *d, r;
    CUDA(cudaMalloc(&d, sizeof r));
    use<<<1, 32>>>(d);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == 14.0f);
    int c;
    CUDA(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 5 + 32 * 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(deep::shared_with_host == 10);
    deep::shared_with_host = 7;
    double w = 0.5;
    CUDA(cudaMemcpyToSymbol(deep::weights, &w, sizeof w, 3 * sizeof w));
    use<<<1, 32>>>(d);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceSynchronize());
    CHECK(r == 1.75f && deep::shared_with_host == 70);
    void *address;
    size_t size;
    CUDA(cudaGetSymbolAddress(&address, counter));
    CUDA(cudaGetSymbolSize(&size, deep::weights));
    CHECK(size == 4 * sizeof(double));
    CUDA(cudaMemset(address, 0, sizeof(int)));
    CUDA(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 0);
    static int not_a_symbol;
    CHECK(cudaMemcpyToSymbol(not_a_symbol, &c, sizeof c) == cudaErrorInvalidSymbol);
    CHECK(cudaGetLastError() == cudaErrorInvalidSymbol);
    puts("ok");
}

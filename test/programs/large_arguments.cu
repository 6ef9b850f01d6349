// Arguments of up to 32,764 bytes, as CUDA allows since 12.1.
#include "check.h"

struct Large {
    int value[8180];
};
__global__ void sum(const __grid_constant__ Large p, int *out)
{
    int s = 0;
    for (int i = threadIdx.x; i < 8180; i += blockDim.x)
        s += p.value[i];
    atomicAdd(out, s);
}

int main()
{
    static Large p;
    int *d, h = 0, want = 0;
    for (int i = 0; i < 8180; i++)
        want += p.value[i] = i * 7 % 1000;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMemset(d, 0, sizeof h));
    sum<<<1, 32>>>(p, d);
    p.value[0] += 5; // the launch has its own
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == want);
    puts("ok");
}

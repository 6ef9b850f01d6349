// Built with -rdc=true: kernels here call functions of the other file, and launch its kernel.
#include "../check.h"
#include "shared.h"
static __device__ int own(int x) { return x + 1; }
static __global__ void same_name(int *out) { *out = own(offset); }
int other_same_name();
void other_set_offset(int value);
__device__ int plus_seven(int x);
extern __device__ int steps[]; // how many, the other file says
__global__ void far(int *out) { *out = plus_seven(steps[4]); }

__global__ void use(int *out, float *area)
{
    Shape s = {3.0f, 4.0f};
    out[threadIdx.x] = twice(own((int)threadIdx.x)) + square(2) + unchanged(triple(1));
    *area = s.area() * table[threadIdx.x & 3];
    atomicAdd(&calls, 1);
}
__global__ void special(int *out)
{
    out[0] = Cell<int>{4}.get() + (int)Cell<float>{0.5f}.get();
    out[1] = half(8) + (int)half(8.0f);
}

__global__ void constants(int *out) { *out = constants_there(1) + *(&twenty + threadIdx.x) + levels[threadIdx.x] + common; }

int main()
{
    int *d, h[32];
    float *f, area;
    const float values[4] = {2, 2, 2, 2};
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMalloc(&f, sizeof *f));
    CUDA(cudaMemcpyToSymbol(table, values, sizeof values));
    use<<<1, 32>>>(d, f);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&area, f, sizeof area, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(h[i] == 2 * (i + 1) + 7);
    CHECK(area == 24.0f);
    fill<<<1, 32>>>(d, 32);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[5] == 10);
    special<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 40 && h[1] == 1008 && Cell<int>{5}.get() == 50);
    int n;
    CUDA(cudaMemcpyFromSymbol(&n, calls, sizeof n));
    CHECK(n == 64);
    int changed = 40;
    CUDA(cudaMemcpyToSymbol(offset, &changed, sizeof changed));
    other_set_offset(50);
    same_name<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(h[0] == 41);
    CHECK(other_same_name() == 150);
    far<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(h[0] == 23);
    int fifth = 100;
    CUDA(cudaMemcpyToSymbol(steps, &fifth, sizeof fifth, 4 * sizeof fifth));
    far<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(h[0] == 107);
    constants<<<1, 1>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(h[0] == 524 + 523);
    CUDA(cudaMemcpyFromSymbol(h, levels, sizeof levels));
    CHECK(h[0] == 3 && h[1] == 4);
    puts("ok");
    return 0;
}

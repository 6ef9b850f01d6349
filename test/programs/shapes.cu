// Launches of every shape: 1D to 3D, odd sizes, one thread, many blocks; each thread once.
#include <vector>
#include "check.h"

__global__ void mark(unsigned *seen, uint3 size)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    atomicAdd(&seen[(z * size.y + y) * size.x + x], 1u + (gridDim.x * blockDim.x != size.x));
}
__global__ void __launch_bounds__(128, 2) bounded(int *out) { atomicAdd(out, 1); }
__global__ void empty() {}
__global__ void many_arguments(char a, short b, int c, long long d, float e, double f, bool g, char2 h, float3 i, const int *j,
                               unsigned char k, double *out)
{
    *out = a + b + c + (double)d + e + f + g + h.y + i.z + *j + k;
}
struct big {
    int values[200];
};
__global__ void by_value(big b, int *out) { out[threadIdx.x] = b.values[199 - threadIdx.x]; }

int main()
{
    const dim3 grids[] = {{1}, {7}, {3, 5}, {2, 3, 4}, {1, 1, 9}, {300}}, blocks[] = {{1}, {33}, {8, 4}, {3, 2, 5}, {1, 1, 64}, {1024}};
    unsigned *seen;
    CUDA(cudaMalloc(&seen, 1 << 22));
    for (dim3 g : grids)
        for (dim3 b : blocks) {
            size_t n = (size_t)g.x * g.y * g.z * b.x * b.y * b.z;
            if (n * 4 > 1 << 22)
                continue;
            CUDA(cudaMemset(seen, 0, n * 4));
            mark<<<g, b>>>(seen, make_uint3(g.x * b.x, g.y * b.y, g.z * b.z));
            std::vector<unsigned> h(n);
            CUDA(cudaMemcpy(h.data(), seen, n * 4, cudaMemcpyDeviceToHost));
            for (unsigned s : h)
                CHECK(s == 1);
        }
    empty<<<1000, 1>>>();
    CUDA(cudaGetLastError());
    CUDA(cudaMemset(seen, 0, 4));
    bounded<<<3, 128>>>((int *)seen);
    CUDA(cudaGetLastError());
    bounded<<<3, 129>>>((int *)seen); // more than it promised
    CHECK(cudaGetLastError() != cudaSuccess);
    empty<<<0, 1>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    empty<<<1, 2048>>>();
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    int n = 0, *one;
    double *out;
    CUDA(cudaMemcpy(&n, seen, 4, cudaMemcpyDeviceToHost));
    CHECK(n == 384);
    CUDA(cudaMalloc(&one, 4));
    CUDA(cudaMemset(one, 1, 4));
    CUDA(cudaMalloc(&out, 8));
    many_arguments<<<1, 1>>>(1, 2, 3, 4000000000LL, 0.5f, 0.25, true, make_char2(9, 7), make_float3(1, 2, 3), one, 200, out);
    double r;
    CUDA(cudaMemcpy(&r, out, 8, cudaMemcpyDeviceToHost));
    CHECK(r == 1 + 2 + 3 + 4e9 + 0.75 + 1 + 7 + 3 + 0x01010101 + 200);
    big b;
    int back[200];
    for (int i = 0; i < 200; i++)
        b.values[i] = i * i;
    by_value<<<1, 200>>>(b, (int *)seen);
    CUDA(cudaMemcpy(back, seen, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 199 * 199 && back[199] == 0);
    puts("ok");
}

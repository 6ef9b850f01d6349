// Constants of the device that host code reads have their value there too.
#include <cstdio>
struct pair {
    int a;
    float b;
};
__device__ constexpr float table[3] = {0.5f, 1.5f, 2.5f};
__device__ const float weights[2] = {4.0f, 5.0f};
__device__ constexpr int seven = 7;
__device__ const int eleven = 11;
__device__ constexpr pair both = {3, 0.25f};
__device__ int counter = 5;
__global__ void sum(float *out, int i) { *out = table[i] + weights[i] + seven + eleven + both.a + both.b + counter; }
int main(int n, char **)
{
    n = n > 1;
    float *d, v;
    cudaMalloc(&d, sizeof *d);
    sum<<<1, 1>>>(d, n);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", v, table[n] + weights[n] + seven + eleven + both.a + both.b + 5);
    int set = 6;
    cudaMemcpyToSymbol(counter, &set, sizeof set);
    sum<<<1, 1>>>(d, n);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    float copy[2];
    cudaMemcpyFromSymbol(copy, weights, sizeof copy);
    std::printf("%g %g\n", v, copy[1]);
}

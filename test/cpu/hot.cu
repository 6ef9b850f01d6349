// A kernel that runs for longer than a compiler takes: it starts as machine code of our own and goes on as compiled C.
// hot [SECONDS]
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void work(unsigned *x, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = i;
    for (int k = 0; k < n; k++)
        a = a * 1664525u + 1013904223u + (a >> 13);
    x[i] = a;
}

int main(int argc, char **argv)
{
    const unsigned n = 1 << 14;
    unsigned *x, *host = new unsigned[n], sum = 0;
    cudaMalloc(&x, n * sizeof *x);
    for (time_t start = time(nullptr); time(nullptr) - start < (argc > 1 ? atoi(argv[1]) : 4);) { // 3 seconds at least
        work<<<n / 256, 256>>>(x, 20000);
        cudaDeviceSynchronize();
    }
    work<<<n / 256, 256>>>(x, 1000);
    cudaMemcpy(host, x, n * sizeof *x, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + host[i];
    printf("%u %s\n", sum, cudaGetErrorString(cudaGetLastError()));
}

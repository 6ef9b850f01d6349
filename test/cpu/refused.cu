// Launches of a kernel whose code cannot be made: each is an error, and none counts as run.
#include <cstdio>

__global__ void one(int *x)
{
    *x = 1;
}

int main()
{
    int *x, got = 0;
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    for (int k = 0; k < 3; k++) {
        one<<<1, 1>>>(x);
        cudaError_t launched = cudaGetLastError();
        cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost);
        printf("%s %d ", launched ? "refused" : "launched", got);
    }
}

// NOT ON: cuda: nothing checks what kernels free
// Kernels that free twice, or what malloc did not give, get an error; the program goes on after a reset.
#include "check.h"

__global__ void free_twice(char *x)
{
    void *p = malloc(16);
    free(p);
    free(p);
    *x = 1;
}

__global__ void free_foreign(char *x)
{
    free(x + 8);
}

static void fails(void (*kernel)(char *))
{
    char *x;
    CUDA(cudaMalloc(&x, 4096));
    CUDA(cudaMemset(x, 0, 4096));
    kernel<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    CUDA(cudaDeviceReset());
}

int main()
{
    fails(free_twice);
    fails(free_foreign);
    printf("ok\n");
}

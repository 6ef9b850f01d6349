// NOT UNDER: asan: sanitizers know only the stacks of threads, so kernels have none of their own
// NOT UNDER: tsan: sanitizers know only the stacks of threads, so kernels have none of their own
// NOT ON: cuda: nothing checks what kernels free
// A free of what malloc did not give, or of what was freed, ends the kernel with an error, not the program; %s shows text
// in memory.
#include "check.h"

__global__ void frees(char *x, int what)
{
    char *p = (char *)malloc(64), *q = (char *)malloc(64);
    free(q);
    free(what == 0 ? p : what == 1 ? q : what == 2 ? x : p + 16);
    *x = 1;
}

__global__ void says(const char *text)
{
    printf("%s\n", text);
}

int main()
{
    char *x;
    for (int what = 0; what < 4; what++) {
        CUDA(cudaMalloc(&x, 64));
        frees<<<1, 1>>>(x, what);
        const bool good = cudaDeviceSynchronize() == cudaSuccess;
        CHECK(good == (what == 0));
        CUDA(cudaDeviceReset());
    }
    CUDA(cudaMallocManaged(&x, 64));
    strcpy(x, "ok"); // which is the line that the program has to end with
    says<<<1, 1>>>(x);
    CUDA(cudaDeviceSynchronize());
}

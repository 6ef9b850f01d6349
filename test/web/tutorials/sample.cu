// In the manner of the toolkit's samples, with their headers.
#include <stdio.h>
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <helper_functions.h>
__global__ void fill(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        x[i] = i / 2.0f;
}
int main(int argc, char **argv)
{
    const int n = checkCmdLineFlag(argc, (const char **)argv, "n") ? getCmdLineArgumentInt(argc, (const char **)argv, "n") : 1000;
    float *h = (float *)malloc(n * sizeof(float)), *want = (float *)malloc(n * sizeof(float)), *d = NULL;
    StopWatchInterface *timer = NULL;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    checkCudaErrors(cudaMalloc((void **)&d, n * sizeof(float)));
    fill<<<4, 64>>>(d, n);
    getLastCudaError("fill failed");
    checkCudaErrors(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    sdkStopTimer(&timer);
    for (int i = 0; i < n; i++)
        want[i] = i / 2.0f;
    printf("%d elements, %s, %s\n", n, sdkCompareL2fe(want, h, n, 1e-6f) ? "PASSED" : "FAILED", sdkGetTimerValue(&timer) >= 0 ? "timed" : "not timed");
    sdkDeleteTimer(&timer);
    checkCudaErrors(cudaFree(d));
    free(h);
    free(want);
    return EXIT_SUCCESS;
}

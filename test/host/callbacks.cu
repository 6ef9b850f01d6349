// A function of the device that cuFFT calls, __half by way of cusparse.h, and a value of the runtime's as a template argument.
#include <cufftXt.h>
#include <cusparse.h>
#include <cstdio>
__device__ cufftComplex twice(void *in, size_t at, void *info, void *shared)
{
    cufftComplex c = ((cufftComplex *)in)[at];
    c.x *= *(float *)info;
    return c;
}
__device__ cufftCallbackLoadC twice_at = twice;
template <cudaSharedMemConfig config> __global__ void width(int *out) { *out = config == cudaSharedMemBankSizeEightByte ? 8 : 4; }
int main()
{
    cufftComplex host[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, *data;
    float factor = 2, *info;
    int *out, bytes;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&info, sizeof factor);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(info, &factor, sizeof factor, cudaMemcpyHostToDevice);
    cufftHandle plan;
    cufftPlan1d(&plan, 4, CUFFT_C2C, 1);
    cufftCallbackLoadC f;
    cudaMemcpyFromSymbol(&f, twice_at, sizeof f);
    printf("%d\n", (int)cufftXtSetCallback(plan, (void **)&f, CUFFT_CB_LD_COMPLEX, (void **)&info));
    printf("%d\n", (int)cufftExecC2C(plan, data, data, CUFFT_FORWARD));
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (cufftComplex c : host)
        printf("%g %g\n", c.x, c.y);
    cufftDestroy(plan);
    width<cudaSharedMemBankSizeEightByte><<<1, 1>>>(out);
    cudaMemcpy(&bytes, out, sizeof bytes, cudaMemcpyDeviceToHost);
    printf("%d %g\n", bytes, __half2float(__float2half(1.5f)));
}

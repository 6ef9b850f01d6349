// Compiled for a later architecture than devices have by themselves: one that is no hardware of NVIDIA's says that it is of that
// one. Programs do not run, or take another path, where the device seems older than their code.
// OPTIONS: -arch=sm_90
#include "check.h"
#include <cstring>
__global__ void compiled_for(int *out) { *out = __CUDA_ARCH__; }
int main()
{
    int *out, arch, major, minor;
    cudaDeviceProp p;
    CUDA(cudaMalloc(&out, sizeof *out));
    CUDA(cudaGetDeviceProperties(&p, 0));
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    CHECK(p.major == major && p.minor == minor);
    compiled_for<<<1, 1>>>(out);
    CUDA(cudaMemcpy(&arch, out, sizeof arch, cudaMemcpyDeviceToHost));
    CHECK(arch == 900 && major == 9 && minor == 0);
    puts("ok");
}

// Two architectures: both halves know both, in ascending order, and a kernel's attributes name the one it was compiled for, by
// which CUB finds the tuning that was compiled with it.
// OPTIONS: -gencode arch=compute_80,code=sm_80 -gencode arch=compute_75,code=sm_75 -Werror all-warnings
#include "check.h"
#define LIST(...) {__VA_ARGS__}

constexpr int host_list[] = LIST(__CUDA_ARCH_LIST__);

__global__ void device_list(int *out)
{
    constexpr int list[] = LIST(__CUDA_ARCH_LIST__);
    out[0] = sizeof list / sizeof *list;
    out[1] = list[0];
    out[2] = list[1];
    out[3] = __CUDA_ARCH__;
}

int main()
{
    int *out, got[4];
    CUDA(cudaMalloc(&out, sizeof got));
    device_list<<<1, 1>>>(out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(sizeof host_list / sizeof *host_list == 2 && host_list[0] == 750 && host_list[1] == 800);
    CHECK(got[0] == 2 && got[1] == 750 && got[2] == 800 && got[3] == 800);
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, device_list));
    CHECK(attributes.ptxVersion == got[3] / 10 && attributes.binaryVersion == got[3] / 10);
    puts("ok");
}

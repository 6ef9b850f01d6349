// Formats and flags that CUDA has names for, and no device here does: refused by number, never taken for others.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

static_assert(CU_AD_FORMAT_NV12 == 0xb0 && CU_AD_FORMAT_BC7_UNORM_SRGB == 0x9e, "CUDA's numbers");
static_assert(cudaChannelFormatKindNV12 == 4 && cudaChannelFormatKindUnsignedNormalized8X4 == 7, "CUDA's numbers");
static_assert(cudaOccupancyDisableCachingOverride == 1 && CUDA_IPC_HANDLE_SIZE == 64 && cudaArraySparse == 64, "CUDA's numbers");
static_assert(CUDA_ARRAY3D_DEPTH_TEXTURE == 16 && cudaDeviceScheduleMask == 7 && cudaGraphKernelNodeFieldEnabled == 3, "CUDA's numbers");

int main()
{
    int taken = 0;
    cudaArray_t array;
    cudaChannelFormatDesc desc = {8, 8, 8, 0, cudaChannelFormatKindNV12};
    taken += cudaMallocArray(&array, &desc, 16, 16) == cudaSuccess;
    desc = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4};
    taken += cudaMallocArray(&array, &desc, 16, 16) == cudaSuccess;
    desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    taken += cudaMallocArray(&array, &desc, 16, 16, cudaArraySparse) == cudaSuccess;
    CUarray plain;
    CUDA_ARRAY_DESCRIPTOR compressed = {16, 16, CU_AD_FORMAT_BC1_UNORM, 4};
    taken += cuArrayCreate(&plain, &compressed) == CUDA_SUCCESS;
    CUDA_ARRAY3D_DESCRIPTOR depth = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEPTH_TEXTURE};
    taken += cuArray3DCreate(&plain, &depth) == CUDA_SUCCESS;
    size_t limit;
    taken += cuCtxGetLimit(&limit, CU_LIMIT_CIG_ENABLED) == CUDA_SUCCESS;
    puts(taken ? "wrong" : "ok");
    return taken;
}

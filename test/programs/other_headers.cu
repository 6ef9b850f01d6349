// Headers that programs include for some of their names: pointers to driver functions, OpenGL, assertions by hand.
#include <cuda_gl_interop.h>
#include <cudaTypedefs.h>
#include <cstdio>
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
static_assert(sizeof(PFN_cuLaunchKernel) == sizeof(void *) && sizeof(PFN_cuMemAlloc_v3020) == sizeof(void *), "");
static_assert(CUDA_R_32F == 0 && CUDA_C_64F == 5 && cudaSharedmemCarveoutMaxShared == 100, ""); // by cuda_runtime.h alone
static_assert(cudaResViewFormatUnsignedBlockCompressed7 == 34 && cudaGraphicsMapFlagsWriteDiscard == 2 && cudaComputeModeExclusiveProcess == 3, "");
static_assert(CU_JIT_GLOBAL_SYMBOL_NAMES == 17 && CU_TARGET_COMPUTE_90A == 0x1005a && CU_SHAREDMEM_CARVEOUT_DEFAULT == -1 && CU_PREFER_BINARY == 1, "");
typedef CUresult(CUDAAPI *by_pointer)(CUdevice *, int);
__global__ void kinds(float *x, int *out)
{
    if (x[0] == 0)
        __assertfail("x[0]", "other_headers.cu", 1, "kinds", sizeof(char));
    static_assert(__builtin_isinf(1e308 * 10) && !__builtin_isnan(1.0f) && __FLT_MANT_DIG__ == 24, "");
    out[0] = __builtin_isinf(x[0] / x[1]) && !__builtin_isinf(x[0]);
    out[1] = __builtin_fabsf(-x[0]) == x[0];
}
int main()
{
    float *x;
    int *out;
    cudaMallocManaged(&x, 2 * sizeof *x);
    cudaMallocManaged(&out, 2 * sizeof *out);
    x[0] = 2, x[1] = 0;
    kinds<<<1, 1>>>(x, out);
    cudaGraphicsResource *shared;
    by_pointer get = cuDeviceGet;
    CUdevice first;
    if (cuInit(0) || get(&first, 0))
        return 2;
    const bool no_gl = cudaGraphicsGLRegisterBuffer(&shared, 1, 0) == cudaErrorNotSupported &&
                       cudaGraphicsMapResources(1, &shared) == cudaErrorNotSupported && cudaGraphicsUnmapResources(1, &shared) == cudaErrorNotSupported;
    if (cudaDeviceSynchronize() || !out[0] || !out[1] || !no_gl)
        return 1;
    puts("ok");
}

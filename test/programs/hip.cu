// HIP: the same language and runtime by other names.
#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hipblas/hipblas.h>
#include <hipcub/block/block_reduce.hpp>
#include <hipcub/util_type.hpp>
#include <hiprand/hiprand_kernel.h>
#include "check.h"

__global__ void add(int n, const float *a, float *b)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (i < n)
        b[i] += a[i];
}
template <class T> __global__ void scale(T *p, T s)
{
    HIP_DYNAMIC_SHARED(T, tmp)
    tmp[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s * tmp[threadIdx.x];
}
__global__ void others(float *out)
{
    typedef hipcub::BlockReduce<int, 32> reduce;
    __shared__ reduce::TempStorage room;
    int sum = reduce(room).Sum((int)threadIdx.x);
    hipFloatComplex z = hipCmulf(make_hipFloatComplex(1, 2), make_hipFloatComplex(3, 4));
    hiprandState state;
    hiprand_init(1, 2, 0, &state);
    float u = hiprand_uniform(&state);
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = hipCrealf(z);
        out[2] = __half2float(__float2half(1.5f));
        out[3] = u > 0 && u <= 1;
    }
    uint4 v = make_uint4(1, 2, 3, 4);
    v += make_uint4(1, 1, 1, 1);
    v = 2u * v ^ make_uint4(1, 0, 0, 0);
    float3 f = make_float3(1, 2, 3) / 2.0f;
    if (threadIdx.x == 0)
        out[5] = v == make_uint4(5, 6, 8, 10) && (-f).z == -1.5f;
    unsafeAtomicAdd(&out[4], (float)(__lane_id() == (int)threadIdx.x % 32));
}

__global__ void extremes(float *f, double *d)
{
    const int i = threadIdx.x;
    atomicMax(&f[0], (float)i - 40);
    atomicMin(&f[1], (float)i - 40);
    atomicMax(&d[0], i * 0.5);
    atomicMin(&d[1], i * 0.5 - 1e300);
}

int main()
{
    const int n = 64;
    float h[n], *a, *b, *pinned;
    for (int i = 0; i < n; i++)
        h[i] = i;
    CUDA(hipMalloc(&a, sizeof h));
    CUDA(hipMalloc((void **)&b, sizeof h));
    CUDA(hipHostMalloc(&pinned, sizeof h, hipHostMallocDefault));
    CUDA(hipMemcpy(a, h, sizeof h, hipMemcpyHostToDevice));
    CUDA(hipMemcpy(b, h, sizeof h, hipMemcpyHostToDevice));
    hipStream_t stream;
    CUDA(hipStreamCreate(&stream));
    hipLaunchKernelGGL(add, dim3(2), dim3(n / 2), 0, stream, n, a, b);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<float>), dim3(1), dim3(n), sizeof h, stream, b, 2.0f);
    CUDA(hipGetLastError());
    CUDA(hipMemcpyWithStream(pinned, b, sizeof h, hipMemcpyDeviceToHost, stream));
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == 4 * i);
    CUDA(hipMemset(a, 0, sizeof h));
    others<<<1, 32>>>(a);
    CUDA(hipMemcpy(h, a, sizeof h, hipMemcpyDeviceToHost));
    CHECK(h[0] == 496 && h[1] == -5 && h[2] == 1.5f && h[3] == 1 && h[4] == 32 && h[5] == 1);
    hipDeviceProp_t prop;
    int warp = 0;
    CUDA(hipGetDeviceProperties(&prop, 0));
    CUDA(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    CHECK(warp == 32 && prop.warpSize == 32);
    hipError_t e = hipMemcpy(nullptr, a, 4, hipMemcpyDeviceToHost);
    CHECK(e == hipErrorInvalidValue && e != hipErrorOutOfMemory);
    hipGetLastError();
    float *f;
    double *d;
    CUDA(hipMallocManaged((void **)&f, 2 * sizeof *f));
    CUDA(hipMallocManaged((void **)&d, 2 * sizeof *d));
    f[0] = d[0] = -1e30f;
    f[1] = d[1] = 1e30f;
    extremes<<<1, 64>>>(f, d);
    CUDA(hipDeviceSynchronize());
    CHECK(hipblasStatusToString(HIPBLAS_STATUS_SUCCESS) && HIP_R_32F != HIP_R_64F);
    CHECK(f[0] == 23 && f[1] == -40 && d[0] == 31.5 && d[1] == -1e300);
    CUDA(hipFree(f));
    CUDA(hipFree(d));
    CUDA(hipFree(a));
    CUDA(hipFree(b));
    CUDA(hipHostFree(pinned));
    CUDA(hipStreamDestroy(stream));
    puts("ok");
}

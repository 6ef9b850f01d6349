// half, bfloat16 and fp8 on the host: the same numbers, bit for bit, as on the device.
// OPTIONS: -fmad=false
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "check.h"

template <class T> __host__ __device__ T formula(float x)
{
    T a(x), b(0.3f);
    return a * b + a - a / T(3.0f) + T(2);
}
template <class T> __global__ void compute(T *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = formula<T>(in[i]);
}
template <class T> __global__ void convert(T *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = T(in[i]);
}

const int n = 4096;
static float *in;

template <class T, class Kernel, class Host> static void same(Kernel kernel, Host host)
{
    T *out;
    CUDA(cudaMallocManaged(&out, n * sizeof(T)));
    kernel<<<n / 256, 256>>>(out, in, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        T h = host(in[i]);
        const bool nan = (float)h != (float)h && (float)out[i] != (float)out[i];
        CHECK(nan || !memcmp((void *)&h, (void *)&out[i], sizeof h));
    }
    CUDA(cudaFree(out));
}

int main()
{
    CUDA(cudaMallocManaged(&in, n * sizeof *in));
    unsigned s = 1;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        unsigned bits = (s & 0x80000000u) | (108 + (s >> 8) % 40) << 23 | (s & 0x7fffff);
        memcpy(&in[i], &bits, 4);
    }
    same<__half>(compute<__half>, formula<__half>);
    same<__nv_bfloat16>(compute<__nv_bfloat16>, formula<__nv_bfloat16>);
    same<__half>(convert<__half>, [](float x) { return __half(x); });
    same<__nv_fp8_e4m3>(convert<__nv_fp8_e4m3>, [](float x) { return __nv_fp8_e4m3(x); });
    same<__nv_fp8_e5m2>(convert<__nv_fp8_e5m2>, [](float x) { return __nv_fp8_e5m2(x); });

    __half h = 3;
    h += __half(1.5f);
    CHECK((float)h == 4.5f && __half2float(__float2half(65520.0f)) == INFINITY);
    CHECK((float)__float2half_rz(65520.0f) == 65504.0f && __half2int_rn(h) == 4 && __half2int_ru(h) == 5);
    half2 p = __floats2half2_rn(1, 2) + __float2half2_rn(1);
    CHECK(__low2float(p) == 2 && __high2float(p) == 3 && __hgt(p.y, p.x));
    CHECK((float)hsqrt(__half(16.0f)) == 4.0f && (float)__hfma(h, h, h) == 24.75f);
    puts("ok");
}

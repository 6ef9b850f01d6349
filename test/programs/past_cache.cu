// __ldcg, __ldcv, __stcg, __stwt and CUB's modifiers: every type they take, and a value handed from block to block through them.
#include "check.h"
#include <cstring>
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __global__ void copies(const T *in, T *out)
{
    __stcg(out + threadIdx.x, __ldcg(in + threadIdx.x));
    __stwt(out + 8 + threadIdx.x, __ldcv(in + 8 + threadIdx.x));
}

template <class T> static void copied()
{
    unsigned char in[16 * sizeof(T)], out[16 * sizeof(T)] = {};
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7 + 1) & 0x3f;
    T *a, *b;
    cudaMalloc(&a, sizeof in);
    cudaMalloc(&b, sizeof in);
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    copies<T><<<1, 8>>>(a, b);
    cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(memcmp(in, out, sizeof in) == 0);
    cudaFree(a);
    cudaFree(b);
}

// Each block waits for the one before it, which is running or done.
__global__ void chain(int *value, int *ready)
{
    if (threadIdx.x)
        return;
    int sum = 0;
    if (blockIdx.x) {
        while (__ldcg(ready + blockIdx.x - 1) == 0)
            ;
        __threadfence();
        sum = __ldcg(value + blockIdx.x - 1);
    }
    __stcg(value + blockIdx.x, sum + (int)blockIdx.x);
    __threadfence();
    __stcg(ready + blockIdx.x, 1);
}

struct Mixed {
    float a;
    int b;
    double c;
    __host__ __device__ Mixed(float a = 0, int b = 0, double c = 0) : a(a), b(b), c(c)
    {
    }
    __host__ __device__ bool operator==(const Mixed &o) const
    {
        return a == o.a && b == o.b && c == o.c;
    }
};

__global__ void by_modifier(Mixed *m, int *n)
{
    m[2] = cub::ThreadLoad<cub::LOAD_CG>(m);
    m[3] = cub::ThreadLoad<cub::LOAD_VOLATILE>(m + 1);
    cub::ThreadStore<cub::STORE_CG>(m + 4, Mixed(4, 5, 6));
    cub::CacheModifiedInputIterator<cub::LOAD_CV, int> numbers(n);
    cub::ThreadStore<cub::STORE_WT>(n + 2, numbers[0] + cub::ThreadLoad<cub::LOAD_CG>(numbers + 1));
}

static void modified()
{
    Mixed h[5] = {Mixed(1, 2, 3), Mixed(7, 8, 9)}, *m;
    int numbers[3] = {10, 20, 0}, *n;
    cudaMalloc(&m, sizeof h);
    cudaMalloc(&n, sizeof numbers);
    cudaMemcpy(m, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(n, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    by_modifier<<<1, 1>>>(m, n);
    cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(numbers, n, sizeof numbers, cudaMemcpyDeviceToHost);
    CHECK(h[2] == h[0] && h[3] == h[1] && h[4] == Mixed(4, 5, 6));
    CHECK(numbers[2] == 30);
}

int main()
{
    modified();
    copied<char>(), copied<signed char>(), copied<unsigned char>(), copied<short>(), copied<unsigned short>();
    copied<int>(), copied<unsigned>(), copied<long>(), copied<unsigned long>(), copied<long long>();
    copied<unsigned long long>(), copied<float>(), copied<double>();
    copied<char2>(), copied<uchar2>(), copied<short2>(), copied<ushort2>(), copied<int2>(), copied<uint2>();
    copied<longlong2>(), copied<ulonglong2>(), copied<float2>(), copied<double2>();
    copied<char4>(), copied<uchar4>(), copied<short4>(), copied<ushort4>(), copied<int4>(), copied<uint4>(), copied<float4>();
    copied<__half>(), copied<__half2>(), copied<__nv_bfloat16>(), copied<__nv_bfloat162>();

    const int blocks = 24;
    int *d, last = 0;
    cudaMalloc(&d, 2 * blocks * sizeof(int));
    cudaMemset(d, 0, 2 * blocks * sizeof(int));
    chain<<<blocks, 32>>>(d, d + blocks);
    cudaMemcpy(&last, d + blocks - 1, sizeof last, cudaMemcpyDeviceToHost);
    CHECK(last == blocks * (blocks - 1) / 2);
    printf("ok\n");
}

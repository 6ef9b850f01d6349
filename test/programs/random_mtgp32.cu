// MTGP32: a state for each block, threads that draw together. The checksums are those of cuRAND 13.0: this
// program, built by nvcc with cuRAND's headers, computed them.
#include <cmath>
#include <cstring>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include "check.h"

const int SETS = CURAND_NUM_MTGP32_PARAMS;

__global__ void words(curandStateMtgp32 *s, unsigned *out, float *uniform)
{
    int n = blockDim.x * blockDim.y, i = blockIdx.x * n + threadIdx.x + blockDim.x * threadIdx.y;
    for (int k = 0; k < 3; k++)
        out[k * gridDim.x * n + i] = curand(s + blockIdx.x);
    uniform[i] = curand_uniform(s + blockIdx.x);
}
// one block, its threads numbered backwards, many times around the ring
__global__ void around(curandStateMtgp32 *s, unsigned *out)
{
    unsigned sum = 0;
    for (int k = 0; k < 40; k++)
        sum = sum * 69069 + curand_mtgp32_specific(s, 127 - threadIdx.x, 128);
    out[threadIdx.x] = sum;
}
// floats made of the words' upper bits: both states are the same at first
__global__ void singles(curandStateMtgp32 *s, unsigned *out)
{
    unsigned wrong = 0;
    for (int k = 0; k < 40; k++) {
        wrong += __float_as_uint(curand_mtgp32_single(&s[0])) != (curand(&s[1]) >> 9 | 0x3f800000u);
        wrong += __float_as_uint(curand_mtgp32_single_specific(&s[0], threadIdx.x, 128)) !=
                 (curand_mtgp32_specific(&s[1], threadIdx.x, 128) >> 9 | 0x3f800000u);
    }
    out[threadIdx.x] = wrong;
}
__global__ void moments(curandStateMtgp32 *s, float *sums)
{
    curandStateMtgp32 *mine = s + blockIdx.x;
    float *v = sums + 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 32; k++) {
        float g = curand_normal(mine), l = curand_log_normal(mine, 0, 0.5f);
        v[0] += g, v[1] += g * g, v[2] += l;
    }
}
static unsigned long long checksum(const void *p, size_t n)
{
    unsigned long long h = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned w;
        memcpy(&w, (const char *)p + 4 * i, 4);
        h = h * 6364136223846793005ull + w;
    }
    return h;
}

int main()
{
    curandStateMtgp32 *s;
    mtgp32_kernel_params_t *k;
    unsigned *out;
    float *uniform;
    CUDA(cudaMalloc(&s, SETS * sizeof *s));
    CUDA(cudaMalloc(&k, sizeof *k));
    CUDA(cudaMallocManaged(&out, SETS * 24 * 3 * sizeof *out));
    CUDA(cudaMallocManaged(&uniform, SETS * 24 * sizeof *uniform));
    CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, k) == CURAND_STATUS_SUCCESS);
    CHECK(curandMakeMTGP32KernelState(s, mtgp32dc_params_fast_11213, k, SETS, 1234567890123ull) ==
          CURAND_STATUS_SUCCESS);
    words<<<SETS, dim3(6, 4)>>>(s, out, uniform);
    CUDA(cudaDeviceSynchronize());
    unsigned long long a = checksum(out, SETS * 24 * 3), b = checksum(uniform, SETS * 24);
    around<<<1, 128>>>(s + 7, out);
    CUDA(cudaDeviceSynchronize());
    unsigned long long c = checksum(out, 128);
    CHECK(a == 0x26fabdb380426c54 && b == 0xe93c167d008dfce5 && c == 0xa373fe950b13d88e);
    CUDA(cudaMemcpy(s + 8, s + 7, sizeof *s, cudaMemcpyDeviceToDevice));
    singles<<<1, 128>>>(s + 7, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(checksum(out, 128) == 0);
    CHECK(curandMakeMTGP32KernelState(s, mtgp32dc_params_fast_11213, k, SETS + 1, 1) == CURAND_STATUS_OUT_OF_RANGE);
    memset(uniform, 0, 3 * 512 * sizeof *uniform);
    moments<<<8, 64>>>(s, uniform);
    CUDA(cudaDeviceSynchronize());
    const double want[3] = {0, 1, exp(0.125)};
    double sums[3] = {0, 0, 0};
    for (int i = 0; i < 3 * 512; i++)
        sums[i % 3] += uniform[i] / (32 * 512.0);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(sums[i] - want[i]) < 0.04);
    puts("ok");
}

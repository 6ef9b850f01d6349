#include <cstdio>
#include <cstdlib>
#include <cstring>
// Sums of floats in every order that blocks, warps and lanes could come in.
__global__ void each(const float *x, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}
__global__ void strided(const float *x, float *sums, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&sums[i % 7], x[i]);
        if (i % 3 == 0) atomicAdd(&sums[(i + 1) % 7], -x[i]);
        else atomicAdd(&sums[(i + 2) % 7], x[i] * 0.5f);
    }
}
__global__ void append(const float *x, float *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.25f) out[atomicAdd(count, 1)] = x[i];
}
__global__ void staged(const float *x, float *sums, int n)
{
    __shared__ float part[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 4) part[t] = 0;
    __syncthreads();
    float v = i < n ? x[i] : 0;
    atomicAdd(&part[t & 3], v);
    __syncthreads();
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if ((t & 31) == 0) atomicAdd(&part[0], v * 0.125f);
    __syncthreads();
    if (t < 4) atomicAdd(&sums[t], part[t]);
}
__device__ float old_max(float *at, float v)
{
    int *p = (int *)at, seen = *p, want;
    do { want = seen; float s = __int_as_float(seen) * 0.75f + v; seen = atomicCAS(p, want, __float_as_int(s)); } while (seen != want);
    return __int_as_float(seen);
}
__global__ void folded(const float *x, float *sum, float *seen, int n)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n) seen[i] = old_max(sum, x[i]);
    if (i < n) sum[1 + i % 2] = atomicExch(&sum[3], x[i]);
}
__global__ void doubles(const float *x, double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 5 + (i & 3); k++) atomicAdd(sum + (k & 1), (double)x[i % n] / (k + 3));
}
static unsigned hash(const void *p, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)p)[i]) * 16777619u;
    return h;
}
int main()
{
    const int n = 20000;
    float *x, *out; int *count; double *d;
    cudaMallocManaged(&x, n * 4); cudaMallocManaged(&out, (n + 16) * 4); cudaMallocManaged(&count, 4); cudaMallocManaged(&d, 16);
    unsigned s = 7;
    for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; x[i] = (float)(s >> 8) * (1.0f / 16777216.0f); }
#define SHOW(what, p, bytes) printf("%s %08x\n", what, hash(p, bytes))
    cudaMemset(out, 0, (n + 16) * 4);
    each<<<(n + 255) / 256, 256>>>(x, out, n); cudaDeviceSynchronize(); SHOW("each", out, 4);
    cudaMemset(out, 0, (n + 16) * 4);
    strided<<<9, 100>>>(x, out, n); cudaDeviceSynchronize(); SHOW("strided", out, 28);
    cudaMemset(out, 0, (n + 16) * 4); cudaMemset(count, 0, 4);
    append<<<(n + 127) / 128, 128>>>(x, out, count, n); cudaDeviceSynchronize(); SHOW("append", out, n * 4);
    cudaMemset(out, 0, (n + 16) * 4);
    staged<<<(n + 255) / 256, 256>>>(x, out, n); cudaDeviceSynchronize(); SHOW("staged", out, 16);
    cudaMemset(out, 0, (n + 16) * 4);
    folded<<<dim3(13, 7), dim3(11, 13)>>>(x, out, out + 16, n); cudaDeviceSynchronize(); SHOW("folded", out, n * 4);
    cudaMemset(d, 0, 16);
    doubles<<<50, 96>>>(x, d, n); cudaDeviceSynchronize(); SHOW("doubles", d, 16);
    cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaMemset(out, 0, 4);
    for (int k = 0; k < 20; k++) each<<<10, 64, 0, k & 1 ? a : b>>>(x + 700 * k, out, 640);
    cudaDeviceSynchronize(); SHOW("streams", out, 4);
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); printf("units %d\n", p.multiProcessorCount);
    return cudaGetLastError();
}

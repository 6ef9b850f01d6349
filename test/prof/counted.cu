// Kernels whose counts are known by hand: test/prof/check.mjs has them.
#include <cuda_fp16.h>
#include <mma.h>
#define N 4096
__global__ void saxpy(float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}
__global__ void dot64(const double *x, const double *y, double *out)
{
    double s = 0;
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s += x[i] * y[i];
    atomicAdd(out, s);
}
__global__ void stride8(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * 8];
}
__global__ void same(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[0];
}
__global__ void columns(float *y) // every thread of a warp at one bank
{
    __shared__ float s[32][32];
    s[threadIdx.x][0] = 1;
    __syncthreads();
    y[threadIdx.x] = s[0][threadIdx.x];
}
__global__ void padded(float *y)
{
    __shared__ float s[32][33];
    s[threadIdx.x][0] = 1;
    __syncthreads();
    y[threadIdx.x] = s[0][threadIdx.x];
}
__global__ void odd(float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2)
        y[i] += 1;
}
__global__ void third(float *y) // one warp of three
{
    int i = threadIdx.x;
    if (i < 32)
        y[i] *= 2;
}
__global__ void halves(const __half *x, __half *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __hmul(x[i], x[i]);
}
__global__ void tensor(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}
int main()
{
    void *p, *q;
    cudaMalloc(&p, 8 * 8 * N);
    cudaMalloc(&q, 8 * N);
    cudaMemset(p, 0, 8 * 8 * N);
    cudaMemset(q, 0, 8 * N);
    for (int k = 0; k < 3; k++)
        saxpy<<<N / 256, 256>>>(2, (float *)p, (float *)q);
    dot64<<<1, 128>>>((double *)p, (double *)p, (double *)q);
    stride8<<<N / 256, 256>>>((float *)p, (float *)q);
    same<<<N / 256, 256>>>((float *)p, (float *)q);
    columns<<<1, 32>>>((float *)q);
    padded<<<1, 32>>>((float *)q);
    odd<<<N / 256, 256>>>((float *)q);
    third<<<1, 96>>>((float *)q);
    halves<<<N / 256, 256>>>((__half *)p, (__half *)q);
    tensor<<<1, 32>>>((__half *)p, (__half *)p, (float *)q);
    return cudaDeviceSynchronize();
}

// Bodies pulling each other, tiled through shared memory; energy stays, and the sum of impulses too.
#include <cmath>
#include <vector>
#include "check.h"

const int N = 192, TILE = 64;
__global__ void forces(const float4 *p, float3 *a)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float3 sum = make_float3(0, 0, 0);
    for (int t = 0; t < N; t += TILE) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[k].w * r * r * r;
            sum.x += dx * f, sum.y += dy * f, sum.z += dz * f;
        }
        __syncthreads();
    }
    a[i] = sum;
}
__global__ void step(float4 *p, float3 *v, const float3 *a, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i].x += a[i].x * dt, v[i].y += a[i].y * dt, v[i].z += a[i].z * dt;
    p[i].x += v[i].x * dt, p[i].y += v[i].y * dt, p[i].z += v[i].z * dt;
}
static double energy(const float4 *p, const float3 *v)
{
    double e = 0;
    for (int i = 0; i < N; i++) {
        e += 0.5 * p[i].w * ((double)v[i].x * v[i].x + (double)v[i].y * v[i].y + (double)v[i].z * v[i].z);
        for (int k = i + 1; k < N; k++)
            e -= p[i].w * p[k].w / sqrt(pow(p[i].x - p[k].x, 2) + pow(p[i].y - p[k].y, 2) + pow(p[i].z - p[k].z, 2) + 0.01);
    }
    return e;
}

int main()
{
    float4 *p;
    float3 *v, *a;
    CUDA(cudaMallocManaged(&p, N * sizeof *p));
    CUDA(cudaMallocManaged(&v, N * sizeof *v));
    CUDA(cudaMallocManaged(&a, N * sizeof *a));
    for (int i = 0; i < N; i++) {
        p[i] = make_float4(cosf(i), sinf(i * 1.7f), cosf(i * 2.3f), 0.01f);
        v[i] = make_float3(0, 0, 0);
    }
    double before = energy(p, v);
    for (int k = 0; k < 40; k++) {
        forces<<<N / TILE, TILE>>>(p, a);
        step<<<N / TILE, TILE>>>(p, v, a, 0.005f);
    }
    CUDA(cudaDeviceSynchronize());
    double after = energy(p, v), px = 0;
    for (int i = 0; i < N; i++)
        px += v[i].x;
    CHECK(fabs(after - before) < 0.01 * fabs(before));
    CHECK(fabs(px) < 1e-3);
    puts("ok");
}

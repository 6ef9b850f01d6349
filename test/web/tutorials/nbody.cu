// Bodies that attract each other, through tiles of shared memory.
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>
const int N = 512;
__global__ void forces(const float4 *p, float3 *v, float dt)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < N; t += 128) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float r = rsqrtf(x * x + y * y + z * z + 0.01f), f = tile[k].w * r * r * r;
            a.x += x * f;
            a.y += y * f;
            a.z += z * f;
        }
        __syncthreads();
    }
    v[i].x += a.x * dt;
    v[i].y += a.y * dt;
    v[i].z += a.z * dt;
}
__global__ void move(float4 *p, const float3 *v, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += v[i].x * dt;
    p[i].y += v[i].y * dt;
    p[i].z += v[i].z * dt;
}
int main()
{
    std::mt19937 random(42);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<float4> h(N);
    for (auto &b : h)
        b = make_float4(unit(random), unit(random), unit(random), 1.0f / N);
    float4 *p;
    float3 *v;
    cudaMalloc(&p, N * sizeof *p);
    cudaMalloc(&v, N * sizeof *v);
    cudaMemcpy(p, h.data(), N * sizeof *p, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, N * sizeof *v);
    auto start = std::chrono::steady_clock::now();
    for (int s = 0; s < 10; s++) {
        forces<<<N / 128, 128>>>(p, v, 0.01f);
        move<<<N / 128, 128>>>(p, v, 0.01f);
    }
    cudaDeviceSynchronize();
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
    cudaMemcpy(h.data(), p, N * sizeof *p, cudaMemcpyDeviceToHost);
    double x = 0, y = 0, z = 0;
    for (auto &b : h)
        x += b.x, y += b.y, z += b.z;
    printf("centre %.3f %.3f %.3f%s\n", x / N, y / N, z / N, ms < 0 ? " in no time" : "");
}

#include <cstdio>

struct pair {
    int first;
    float second;
};

__device__ float total = 2;

__device__ float twice(float x)
{
    float doubled = x * 2;
    return doubled;
}

__global__ void work(int n, const float *in, float *out)
{
    __shared__ float part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pair p = {i, 0.5f};
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        int at = (threadIdx.x + k) % 32;
        sum += part[at];
    }
    if (i < n)
        out[i] = twice(sum) + p.second * total;
}

int main()
{
    float *in, *out;
    cudaMallocManaged(&in, 64 * sizeof *in);
    cudaMallocManaged(&out, 64 * sizeof *out);
    for (int k = 0; k < 64; k++)
        in[k] = k;
    work<<<2, 32>>>(64, in, out);
    if (cudaDeviceSynchronize())
        return 1;
    printf("%g %g\n", out[0], out[33]);
    return 0;
}

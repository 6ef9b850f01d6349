/* Twelve kernels of 20 KB of shared memory each: a block has its own kernel's, not the sum of the module's. */
#include <cstdio>

template <int N> __global__ void turned(int *out)
{
    __shared__ int tile[5000];
    tile[threadIdx.x] = N + (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

template <int N> static int launched(int *out)
{
    if constexpr (N == 0)
        return 0;
    else {
        turned<N><<<1, 64>>>(out);
        if (cudaDeviceSynchronize() != cudaSuccess)
            printf("kernel %d: %s\n", N, cudaGetErrorString(cudaGetLastError()));
        return out[3] + launched<N - 1>(out);
    }
}

int main()
{
    int *out;
    cudaMallocManaged(&out, 64 * sizeof *out);
    const int sum = launched<12>(out);
    printf(sum == 78 + 12 * 60 ? "ok\n" : "the sum is %d\n", sum);
    return sum != 798;
}

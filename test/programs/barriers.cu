// Barriers that count and vote, in loops, after early exits of whole warps, and by fences between blocks.
#include "check.h"

__global__ void votes(int *out)
{
    int t = threadIdx.x;
    int n = __syncthreads_count(t % 3 == 0);
    int all = __syncthreads_and(t < 1000), some = __syncthreads_or(t == 77), none = __syncthreads_or(t == 777);
    if (t == 0)
        out[0] = n, out[1] = all != 0, out[2] = some != 0, out[3] = none != 0;
}
__global__ void rotate(int *data, int rounds) // each thread passes its value on, rounds times
{
    __shared__ int slot[2][128];
    int t = threadIdx.x, mine = data[t];
    for (int r = 0; r < rounds; r++) {
        slot[r & 1][(t + 1) % blockDim.x] = mine;
        __syncthreads();
        mine = slot[r & 1][t];
    }
    data[t] = mine;
}
__global__ void uneven(int *out, int n) // a barrier in a loop whose length differs by block
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = 0; i < (int)blockIdx.x + 1; i++) {
        if ((int)threadIdx.x < n)
            atomicAdd(&sum, 1);
        __syncthreads();
        if (threadIdx.x == 0)
            sum *= 2;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
__global__ void leave_early(int *out)
{
    __shared__ int box[64];
    if (blockIdx.x == 1)
        return; // the whole block
    box[threadIdx.x] = threadIdx.x * 2;
    __syncthreads();
    out[threadIdx.x] = box[63 - threadIdx.x];
}
__global__ void sum_in_place(int *data, int *out, int n) // threads without an element leave
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int *mine = data + blockIdx.x * blockDim.x, count = min(n - (int)(blockIdx.x * blockDim.x), (int)blockDim.x);
    if (i >= n)
        return;
    for (int stride = 1; stride < count; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < count)
            mine[t] += mine[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = mine[0];
}
__global__ void turn(int *out, const int *in, int nx, int ny) // the same, said the other way round
{
    __shared__ int tile[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < nx && y < ny) {
        tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
        __syncthreads();
        out[x * ny + y] = tile[threadIdx.y][threadIdx.x] + tile[0][0] - in[(y & ~7) * nx + (x & ~7)];
    } else {
        atomicAdd(&out[nx * ny], 1);
    }
}
__device__ __noinline__ int total(int x, int *scratch)
{
    scratch[threadIdx.x] = x;
    __syncthreads();
    int s = 0;
    for (unsigned i = 0; i < blockDim.x; i++)
        s += scratch[i];
    __syncthreads();
    return s;
}
__global__ void barrier_in_function(int *out)
{
    __shared__ int scratch[96];
    int a = total(threadIdx.x, scratch), b = total(1, scratch);
    out[threadIdx.x] = a * 1000 + b;
}

int main()
{
    int *d, h[128];
    CUDA(cudaMalloc(&d, sizeof h));
    votes<<<1, 100>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 34 && h[1] == 1 && h[2] == 1 && h[3] == 0);
    for (int i = 0; i < 128; i++)
        h[i] = i;
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    rotate<<<1, 128>>>(d, 37);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        CHECK(h[i] == (i + 128 - 37) % 128);
    uneven<<<5, 70>>>(d, 50);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int b = 0, want = 0; b < 5; b++) {
        want = 0;
        for (int i = 0; i <= b; i++)
            want = (want + 50) * 2;
        CHECK(h[b] == want);
    }
    leave_early<<<2, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 126 && h[63] == 0);
    for (int i = 0; i < 128; i++)
        h[i] = i;
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    sum_in_place<<<3, 40>>>(d, d + 120, 100);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[120] == 780 && h[121] == 2380 && h[122] == 1790);
    int *square;
    CUDA(cudaMallocManaged(&square, (2 * 130 + 1) * sizeof *square));
    for (int i = 0; i < 130; i++)
        square[i] = i * i;
    square[260] = 0;
    turn<<<dim3(2, 2), dim3(8, 8)>>>(square + 130, square, 13, 10);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 130; i++)
        CHECK(square[130 + i % 13 * 10 + i / 13] == i * i);
    CHECK(square[260] == 256 - 130);
    barrier_in_function<<<1, 96>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 96; i++)
        CHECK(h[i] == 96 * 95 / 2 * 1000 + 96);
    puts("ok");
}

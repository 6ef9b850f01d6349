// What the language leaves undefined, but programs do and NVIDIA's compiler takes: operations of a warp that lanes reach which
// their masks do not name, and operations of the whole warp that only some lanes reach. And blocks of the most threads for a kernel
// with many registers, which says nothing of its blocks.
#include <cstdio>
#include <string>
#include <vector>
#include "../programs/check.h"

// All lanes ask for a value, with a mask of half of them; the lock parts lanes, as far as the compiler sees.
__global__ void named_half(int *lock, const int *in, int *out)
{
    const int lane = threadIdx.x;
    int taken = 1;
    while (taken) {
        if (lane == 1)
            taken = atomicExch(lock, 1);
        taken = __shfl_sync(0xffffffffu, taken, 1);
    }
    int v = in[lane];
    v += __shfl_up_sync(0x0000ffffu, v, 16);
    out[lane] = v;
    if (lane == 1)
        atomicExch(lock, 0);
}

// Each half of a warp has a row, and rows have different lengths.
__global__ void rows(const int *length, int *out)
{
    const int lane = threadIdx.x % 16, row = threadIdx.x / 16;
    int sum = 0;
    for (int i = lane; i < (length[row] + 15) / 16 * 16; i += 16) {
        int v = i < length[row] ? i : 0;
        for (int k = 1; k < 16; k *= 2)
            v += __shfl_xor_sync(0xffffffffu, v, k, 16);
        sum += v;
    }
    out[threadIdx.x] = __shfl_sync(0xffffffffu, sum, 0, 16);
}

__global__ void some(const int *in, int n, int *out)
{
    int v = in[threadIdx.x];
    if ((int)threadIdx.x < n)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    out[threadIdx.x] = v;
}

// The same, and all meet later: those that did not ask wait there.
__global__ void tail(const int *in, int n, int *out)
{
    __shared__ int s[32];
    int v = in[threadIdx.x];
    if ((int)threadIdx.x < n)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    s[threadIdx.x] = v;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// As far as rows of the block are whole warps it is the same for each of them: the second one asks.
__global__ void second(const int *in, int *out)
{
    __shared__ int s[64];
    int v = in[threadIdx.x % 32];
    if (threadIdx.x / 32 == 1)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, s[threadIdx.x] + s[threadIdx.x + 32], 1);
}

__global__ void large(const float *in, float *out)
{
    float a[96];
#pragma unroll
    for (int k = 0; k < 96; k++)
        a[k] = in[k] * (float)threadIdx.x;
    for (int n = 0; n < 3; n++) {
#pragma unroll
        for (int k = 0; k < 96; k++)
            a[k] += a[(k * 7 + 5) % 96] * 0.5f;
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 96; k++)
        s += a[k] * (float)(k + 1);
    out[threadIdx.x] = s;
}

static std::vector<int> in(32), out(32);
static int *lock, *x, *y;

static void half()
{
    named_half<<<1, 32>>>(lock, x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 16; k < 32; k++)
        CHECK(out[k] == in[k] + in[k - 16]);
}

static void condition()
{
    some<<<1, 32>>>(x, 20, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[k] == in[k] + (k < 20 ? in[k ^ 1] : 0));
}

static void meeting()
{
    tail<<<1, 32>>>(x, 20, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[31 - k] == in[k] + (k < 20 ? in[k ^ 1] : 0));
}

static void warps()
{
    second<<<1, 64>>>(x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[k] == 2 * in[k ^ 1] + in[k]);
}

static void loop()
{
    const int lengths[2] = {10, 75};
    cudaMemcpy(x, lengths, 8, cudaMemcpyHostToDevice);
    rows<<<1, 32>>>(x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[k] == lengths[k / 16] * (lengths[k / 16] - 1) / 2);
}

static void block()
{
    std::vector<float> f(96), one(32), most(1024);
    for (int k = 0; k < 96; k++)
        f[k] = (float)(k % 7) - 3;
    float *p, *q;
    cudaMalloc(&p, 96 * 4);
    cudaMalloc(&q, 1024 * 4);
    cudaMemcpy(p, f.data(), 96 * 4, cudaMemcpyHostToDevice);
    large<<<1, 32>>>(p, q);
    CHECK(cudaMemcpy(one.data(), q, 32 * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaMemset(q, 0, 1024 * 4);
    large<<<1, 1024>>>(p, q);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMemcpy(most.data(), q, 1024 * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(one[k] == most[k]);
    CHECK(one[3] == 3 * one[1] && most[512] == 512 * one[1]);
}

// lenient [CASE]: that one, all, (ours) those that our own machine code does, or (none) nothing but the device's opening
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
        bool ours;
    } cases[] = {{"half", half, true}, {"condition", condition, true}, {"meeting", meeting, false}, {"warps", warps, true}, {"loop", loop, false}, {"block", block, true}};
    const std::string asked = argc > 1 ? argv[1] : "all";
    for (int k = 0; k < 32; k++)
        in[k] = k * k;
    CHECK(cudaMalloc(&lock, 4) == cudaSuccess);
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    cudaMemset(lock, 0, 4);
    cudaMemcpy(x, in.data(), 128, cudaMemcpyHostToDevice);
    for (const auto &c : cases)
        if (asked == "all" || asked == c.name || (asked == "ours" && c.ours)) {
            printf("%s\n", c.name);
            fflush(stdout);
            c.run();
        }
    puts("ok");
}

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

// One operation in two places: lanes of one ask those of the other.
__global__ void places(const int *in, int *out)
{
    int v = in[threadIdx.x];
    if (v & 1)
        v = 100 + __shfl_xor_sync(0xffffffffu, v, 1);
    else
        v = 200 + __shfl_xor_sync(0xffffffffu, v + 1000, 1);
    out[threadIdx.x] = v;
}

__global__ void polls(const int *in, int *out)
{
    const int v = in[threadIdx.x];
    unsigned who;
    if (v & 1)
        who = __ballot_sync(0xffffffffu, v > 6);
    else
        who = __ballot_sync(0xffffffffu, v > 20);
    out[threadIdx.x] = (int)who;
}

// Lanes leave a loop one after the other, and ask once more behind it.
__global__ void leaves(const int *in, int *out)
{
    int v = in[threadIdx.x], sum = 0;
    for (int k = 0; k <= v / 4; k++)
        sum += __shfl_xor_sync(0xffffffffu, v, 1);
    out[threadIdx.x] = sum + __shfl_xor_sync(0xffffffffu, sum, 1);
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

// Goes through PTX, and is never launched.
__global__ void fetched(cudaTextureObject_t from, int *out)
{
    asm("txq.channel_order.b32 %0, [%1];" : "=r"(out[threadIdx.x]) : "l"(from));
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
    std::vector<int> number(32);
    for (int k = 0; k < 32; k++)
        number[k] = k;
    cudaMemcpy(x, number.data(), 128, cudaMemcpyHostToDevice);
    places<<<1, 32>>>(x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[k] == (k & 1 ? 100 + k - 1 + 1000 : 200 + k + 1));
    polls<<<1, 32>>>(x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK((unsigned)out[k] == 0xffeaaa80u);
    leaves<<<1, 32>>>(x, y);
    CHECK(cudaMemcpy(out.data(), y, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(out[k] == (k / 4 + 1) * (2 * (k & ~1) + 1));
    cudaMemcpy(x, in.data(), 128, cudaMemcpyHostToDevice);
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

// lenient [CASE]: that one, all, or (none) nothing but the device's opening
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"half", half}, {"condition", condition}, {"meeting", meeting}, {"warps", warps}, {"loop", loop}, {"block", block}};
    const std::string asked = argc > 1 ? argv[1] : "all";
    for (int k = 0; k < 32; k++)
        in[k] = k * k;
    CHECK(cudaMalloc(&lock, 4) == cudaSuccess);
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    cudaMemset(lock, 0, 4);
    cudaMemcpy(x, in.data(), 128, cudaMemcpyHostToDevice);
    for (const auto &c : cases)
        if (asked == "all" || asked == c.name) {
            printf("%s\n", c.name);
            fflush(stdout);
            c.run();
        }
    puts("ok");
}

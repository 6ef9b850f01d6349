// A shuffle from a lane that takes no part gives 0, as on NVIDIA's GPUs: lanes that were never started, have ended, or are
// elsewhere. What is out of range stays one's own. So the sum of a warp of which there is only a part is right.
#include "check.h"
#include <vector>

template <typename T> __global__ void absent(T *out)
{
    const int t = threadIdx.x;
    T v = T(2 * t + 1);
    const T down = __shfl_down_sync(~0u, v, 16), up = __shfl_up_sync(~0u, v, 1), across = __shfl_xor_sync(~0u, v, 16),
            from = __shfl_sync(~0u, v, 31), near = __shfl_down_sync(~0u, v, 3, 8);
    T *to = out + 5 * t;
    to[0] = down, to[1] = up, to[2] = across, to[3] = from, to[4] = near;
}

template <typename T> static void check_absent(int n)
{
    T *d;
    std::vector<T> h(5 * n);
    CHECK(cudaMalloc(&d, h.size() * sizeof(T)) == cudaSuccess);
    absent<<<1, n>>>(d);
    CHECK(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaFree(d) == cudaSuccess);
    for (int t = 0; t < n; t++) {
        const int lane = t % 32, first = t - lane;
        const auto value = [&](int k) { return first + k < n ? T(2 * (first + k) + 1) : T(0); };
        const T *is = h.data() + 5 * t;
        CHECK(is[0] == (lane < 16 ? value(lane + 16) : value(lane)));
        CHECK(is[1] == (lane ? value(lane - 1) : value(0)));
        CHECK(is[2] == value(lane ^ 16) && is[3] == value(31));
        CHECK(is[4] == (lane % 8 < 5 ? value(lane + 3) : value(lane)));
    }
}

__global__ void ended(int *out, int live)
{
    const int t = threadIdx.x;
    if (t >= live)
        return;
    out[t] = __shfl_down_sync(~0u, t + 1, 8);
}

__global__ void elsewhere(int *out, int here)
{
    const int t = threadIdx.x;
    if (t < here)
        out[t] = __shfl_xor_sync((1u << here) - 1, t + 1, 4);
    else
        out[t] = -1;
}

__global__ void sum(const float *in, float *out)
{
    __shared__ float each[32];
    const int t = threadIdx.x;
    float v = in[t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        each[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < (blockDim.x + 31) / 32 ? each[t] : 0;
        for (int d = 16; d; d /= 2)
            v += __shfl_xor_sync(0xffffffff, v, d);
        if (t == 0)
            *out = v;
    }
}

int main()
{
    for (int n : {1, 7, 31, 32, 33, 40, 63, 95}) {
        check_absent<int>(n);
        check_absent<float>(n);
        check_absent<double>(n);
        check_absent<long long>(n);
    }
    int *d, h[32];
    CHECK(cudaMalloc(&d, sizeof h) == cudaSuccess);
    for (int live : {1, 5, 20, 32}) {
        ended<<<1, 32>>>(d, live);
        CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
        for (int t = 0; t < live; t++)
            CHECK(h[t] == (t + 8 > 31 ? t + 1 : t + 8 < live ? t + 9 : 0));
        elsewhere<<<1, 32>>>(d, live < 32 ? live : 31);
        CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
        for (int t = 0; t < (live < 32 ? live : 31); t++)
            CHECK(h[t] == ((t ^ 4) < (live < 32 ? live : 31) ? (t ^ 4) + 1 : 0));
    }
    float *in, *out;
    CHECK(cudaMallocManaged(&in, 1024 * sizeof *in) == cudaSuccess && cudaMallocManaged(&out, sizeof *out) == cudaSuccess);
    for (int n : {33, 64, 100, 321, 1000}) {
        for (int t = 0; t < n; t++)
            in[t] = t + 1;
        sum<<<1, n>>>(in, out);
        CHECK(cudaDeviceSynchronize() == cudaSuccess && *out == n * (n + 1) / 2);
    }
    puts("ok");
}

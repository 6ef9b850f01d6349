// Kernels whose parameters have shifts and comparisons in template arguments and defaults: where each ends is told from the text.
#include <array>
#include "check.h"

template <class T, int LOG> struct held {
    T *p[1 << LOG];
};
template <class T, int LOG>
__global__ void sum(const std::array<T *, 1 << LOG> v, T *out, const unsigned n, const unsigned id = 1 << LOG)
{
    out[threadIdx.x] = v[1][threadIdx.x] + n + id;
}
template <class T, unsigned N>
__global__ void more(T *out, const held<T, (N >> 1)> h = {}, const bool few = N <= 4, const int z = 1 << N)
{
    out[0] += z + (h.p[0] == nullptr) + few * 100;
}

int main()
{
    int *out, *in;
    CUDA(cudaMallocManaged(&out, 32));
    CUDA(cudaMallocManaged(&in, 32));
    for (int i = 0; i < 8; i++)
        in[i] = i * i;
    const std::array<int *, 4> v{in, in, in, in};
    sum<int, 2><<<1, 8>>>(v, out, 5u);
    more<int, 2><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 0 + 5 + 4 + 4 + 1 + 100);
    CHECK(out[7] == 49 + 5 + 4);
    puts("ok");
    return 0;
}

// Differences modulo a constant, where ranges that a driver's compiler derives for remainders lead
// it astray.
#include "check.h"

typedef unsigned long long u64;

template <class T, T M, T N> __host__ __device__ T difference(T x, T y)
{
    T p = x % M, q = y % N;
    return p > q ? p - q : p + M - q;
}
template <class T, T M, T N> __global__ void differences(T *out, const T *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = difference<T, M, N>(in[i], in[n - 1 - i]);
}

template <class T, T M, T N> static void check()
{
    const int n = 1024;
    T *in, *out;
    CUDA(cudaMallocManaged(&in, n * sizeof *in));
    CUDA(cudaMallocManaged(&out, n * sizeof *out));
    u64 s = 88172645463325252ull;
    for (int i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        in[i] = (T)(s >> (64 - 8 * sizeof(T)) >> 1); // not negative
    }
    differences<T, M, N><<<n / 256, 256>>>(out, in, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(out[i] == (difference<T, M, N>(in[i], in[n - 1 - i])));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

int main()
{
    check<u64, 4294967087ull, 4294944443ull>();
    check<u64, 1000000007ull, 998244353ull>();
    check<u64, 12ull, 7ull>();
    check<long long, 4294967087ll, 4294944443ll>();
    check<unsigned, 2147483647u, 2147483629u>();
    check<int, 1000003, 999983>();
    puts("ok");
}

// 128-bit integers: chosen among numbers by ?:, in kernels and in host code.
#include <cstdio>

__host__ __device__ unsigned long long high(unsigned __int128 x) { return (unsigned long long)(x >> 64); }

template <int> __host__ __device__ void choose(unsigned long long *o, int c, unsigned long long top)
{
    __int128 x = ((__int128)top << 64) | 5, a = c ? 1 : x, d = c ? x : -1;
    unsigned __int128 u = x, b = c ? u : 7u, m = c ? x : u;
    auto e = c ? x : 2.0f;
    const short s = 3;
    x = c ? s : a;
    const unsigned long long all[] = {high(a), (unsigned long long)a, high(d), (unsigned long long)d, high(b), (unsigned long long)b,
                                      high(m), e > 1e10, sizeof e, high(x), (unsigned long long)x};
    for (int i = 0; i < 11; i++)
        o[i] = all[i];
}

__global__ void kernel(unsigned long long *o, int c, unsigned long long top) { choose<0>(o, c, top); }

int main()
{
    unsigned long long *o, h[11];
    cudaMallocManaged(&o, sizeof h);
    for (int c = 0; c < 2; c++) {
        kernel<<<1, 1>>>(o, c, 0x1234);
        cudaDeviceSynchronize();
        choose<0>(h, c, 0x1234);
        for (int i = 0; i < 11; i++)
            printf("%llx%s ", h[i], h[i] == o[i] ? "" : "!");
        puts("");
    }
}

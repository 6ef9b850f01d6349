// _Pragma from macros, in the middle of the line that uses them: in functions and templates of one line.
#include "check.h"

#define UNROLL _Pragma("unroll")
#define SUM(name, count)                                                                           \
    template <class T> __host__ __device__ T name(const T *p)                                      \
    {                                                                                              \
        T r = 0;                                                                                   \
        UNROLL for (int i = 0; i < count; i++) { r += p[i]; }                                      \
        return r;                                                                                  \
    }
SUM(four, 4) SUM(three, 3)
__device__ int twice(const int *p) { int r = 0; UNROLL for (int i = 0; i < 2; i++) r += 2 * p[i]; return r; }

template <class T> __global__ void sums(const T *in, T *out)
{
    out[0] = four(in), out[1] = three(in), out[2] = __LINE__;
}
__global__ void doubled(const int *in, int *out) { out[3] = twice(in), out[4] = __LINE__; }

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 16 * sizeof *p));
    for (int i = 0; i < 4; i++)
        p[i] = i + 1;
    sums<<<1, 1>>>(p, p + 8);
    doubled<<<1, 1>>>(p, p + 8);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[8] == 10 && p[9] == 6 && p[10] == 17 && p[11] == 6 && p[12] == 19);
    puts("ok");
}

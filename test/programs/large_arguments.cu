// Arguments of up to 32,764 bytes, as CUDA allows since 12.1, and references, which are addresses to a kernel.
#include "check.h"

struct Large {
    int value[8180];
};
__global__ void sum(const __grid_constant__ Large p, int *out)
{
    int s = 0;
    for (int i = threadIdx.x; i < 8180; i += blockDim.x)
        s += p.value[i];
    atomicAdd(out, s);
}

struct pair {
    int first, second;
};
__global__ void add(pair &sum, const int (&terms)[4], const int &count);
__global__ void add(pair &sum, const int (&terms)[4], const int &count)
{
    for (int i = 0; i < count; i++)
        sum.first += terms[i];
}
template <class T> __global__ void assign(T &to, const T &from)
{
    to = from;
}

static void references()
{
    struct all {
        pair sum;
        int terms[4], count;
    } *m;
    CUDA(cudaMallocManaged(&m, sizeof *m));
    *m = {{1, 2}, {10, 20, 30, 40}, 3};
    add<<<1, 1>>>(m->sum, m->terms, m->count);
    assign<<<1, 1>>>(m->sum.second, m->terms[3]);
    CUDA(cudaDeviceSynchronize());
    CHECK(m->sum.first == 61 && m->sum.second == 40);
    pair *sum = &m->sum;
    int(*terms)[4] = &m->terms, *count = &m->count;
    void *args[] = {&sum, &terms, &count};
    CUDA(cudaLaunchKernel((const void *)add, 1, 1, args, 0, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(m->sum.first == 121);
    CUDA(cudaFree(m));
}

int main()
{
    static Large p;
    int *d, h = 0, want = 0;
    for (int i = 0; i < 8180; i++)
        want += p.value[i] = i * 7 % 1000;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMemset(d, 0, sizeof h));
    sum<<<1, 32>>>(p, d);
    p.value[0] += 5; // the launch has its own
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == want);
    references();
    puts("ok");
}

// __device__, __constant__ and __managed__ variables, in namespaces and unnamed ones too, as members of classes, and as
// templates.
#include "check.h"

struct Pair {
    int a;
    float b;
};
__constant__ Pair table[3];
__device__ int counter = 5;
namespace deep {
namespace {
__device__ double weights[4] = {1, 2, 3, 4};
}
__managed__ int shared_with_host = 1;
double run();
} // namespace deep

__global__ void use(float *out)
{
    atomicAdd(&counter, table[1].a);
    if (!threadIdx.x) {
        out[0] = table[2].b * (float)deep::weights[3];
        deep::shared_with_host *= 10;
    }
}

template <class T> __constant__ T factor[4];
template <int N> __device__ int started = N;
namespace deep {
template <class T> class Table {
    static __constant__ T data[4];
    static inline __device__ int hits = 7;

  public:
    static __device__ T at(int i) { return atomicAdd(&hits, 1), data[i]; }
    static int fill(const T *from)
    {
        int n;
        CUDA(cudaMemcpyToSymbol(data, from, sizeof data));
        CUDA(cudaMemcpyFromSymbol(&n, hits, sizeof n));
        return n;
    }
};
template <class T> __constant__ T Table<T>::data[4];
} // namespace deep
class Plain {
    static __device__ int n;

  public:
    static __device__ int next() { return atomicAdd(&n, 1); }
    static int count()
    {
        int h;
        CUDA(cudaMemcpyFromSymbol(&h, n, sizeof h));
        return h;
    }
};
__device__ int Plain::n = 100;

template <class T> __global__ void use_templates(T *out)
{
    const int i = threadIdx.x;
    out[i] = factor<T>[i] * deep::Table<T>::at(i) + (T)(0 * Plain::next());
    atomicAdd(&started<5>, 1);
}

template <class T> static void templates(int times)
{
    T h[4] = {1, 2, 3, 4}, g[4] = {10, 20, 30, (T)(40 * times)}, r[4], *d;
    CUDA(cudaMalloc(&d, sizeof r));
    CUDA(cudaMemcpyToSymbol(factor<T>, h, sizeof h));
    CHECK(deep::Table<T>::fill(g) == 7);
    use_templates<<<1, 4>>>(d);
    CUDA(cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r[0] == 10 && r[2] == 90 && r[3] == 160 * times);
    CHECK(deep::Table<T>::fill(g) == 11);
    int n;
    CUDA(cudaMemcpyFromSymbol(&n, started<5>, sizeof n));
    CHECK(n == 5 + 4 * times && Plain::count() == 100 + 4 * times);
    CUDA(cudaFree(d));
}

// A variable that stands behind the class it is of.
static struct pair_of {
    int a, b;
} __device__ both __attribute__((unused));
__global__ void fill_both()
{
    both.a = 3;
    both.b = 4;
}

int main()
{
    templates<float>(1);
    templates<double>(2);

    Pair h[3] = {{1, 1.5f}, {2, 2.5f}, {3, 3.5f}};
    CUDA(cudaMemcpyToSymbol(table, h, sizeof h));
    float *d, r;
    CUDA(cudaMalloc(&d, sizeof r));
    use<<<1, 32>>>(d);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == 14.0f);
    int c;
    CUDA(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 5 + 32 * 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(deep::shared_with_host == 10);
    deep::shared_with_host = 7;
    double w = 0.5;
    CUDA(cudaMemcpyToSymbol(deep::weights, &w, sizeof w, 3 * sizeof w));
    use<<<1, 32>>>(d);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceSynchronize());
    CHECK(r == 1.75f && deep::shared_with_host == 70);
    void *address;
    size_t size;
    CUDA(cudaGetSymbolAddress(&address, counter));
    CUDA(cudaGetSymbolSize(&size, deep::weights));
    CHECK(size == 4 * sizeof(double));
    CUDA(cudaMemset(address, 0, sizeof(int)));
    CUDA(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 0);
    fill_both<<<1, 1>>>();
    pair_of p;
    CUDA(cudaMemcpyFromSymbol(&p, both, sizeof p));
    CHECK(p.a == 3 && p.b == 4);
    static int not_a_symbol;
    CHECK(cudaMemcpyToSymbol(not_a_symbol, &c, sizeof c) == cudaErrorInvalidSymbol);
    CHECK(cudaGetLastError() == cudaErrorInvalidSymbol);
    puts("ok");
}

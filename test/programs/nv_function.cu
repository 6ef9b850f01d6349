// LONG ON: vulkan: calls through pointers are switches there, whose functions a driver inlines
// <nvfunctional>: nvstd::function of functions, closures and classes, small and large, on both sides.
#include <nvfunctional>
#include "check.h"

__host__ __device__ int twice(int x) { return 2 * x; }
struct Scale {
    int by[20]; // does not fit into the object
    __host__ __device__ int operator()(int x) const { return x * by[19]; }
};
__host__ __device__ int apply(const nvstd::function<int(int)> &f, int x) { return f ? f(x) : -1; }
__host__ __device__ int all(int x)
{
    Scale scale = {};
    scale.by[19] = 3;
    nvstd::function<int(int)> f, g = twice, h = [x](int y) { return x + y; };
    int sum = f == nullptr ? apply(f, x) : 1000;
    sum = sum * 100 + apply(g, x);
    f = scale;
    sum = sum * 100 + apply(f, 4);
    g = f;
    swap(g, h);
    sum = sum * 100 + g(5) + h(2);
    h = nullptr;
    nvstd::function<void(int &)> change = [](int &v) { v++; };
    change(sum);
    return h ? 0 : sum;
}
__global__ void run(int *out) { out[threadIdx.x] = all(threadIdx.x); }

int main()
{
    int *out;
    CUDA(cudaMallocManaged(&out, 40 * sizeof *out));
    run<<<1, 40>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[7] == ((-100 + 14) * 100 + 12) * 100 + 12 + 6 + 1);
    for (int i = 0; i < 40; i++)
        CHECK(out[i] == all(i));
    puts("ok");
}

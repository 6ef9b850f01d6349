// LONG ON: vulkan: classes has such calls
// Virtual functions on the device: made there, called there; several bases, abstract ones, destructors.
#include "check.h"

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct named {
    int id = 7;
    __device__ virtual int name() const { return id; }
};
__device__ int alive;
struct circle : shape {
    float r;
    __device__ circle(float radius) : r(radius) { atomicAdd(&alive, 1); }
    __device__ ~circle() override { atomicSub(&alive, 1); }
    __device__ float area() const override { return 3 * r * r; }
};
struct square : shape, named {
    float a;
    __device__ square(float side) : a(side) { id = 9; }
    __device__ float area() const override { return a * a; }
    __device__ int corners() const final { return 4; }
    __device__ int name() const override { return id * 10; }
};
__global__ void make(shape **all)
{
    int i = threadIdx.x;
    if (i % 2)
        all[i] = new circle((float)i);
    else
        all[i] = new square((float)i);
}
__global__ void measure(shape **all, float *areas, int *corners)
{
    int i = threadIdx.x;
    areas[i] = all[i]->area();
    corners[i] = all[i]->corners();
    if (i % 2 == 0) {
        named *n = static_cast<square *>(all[i]);
        corners[i] += n->name();
    }
}
__global__ void drop(shape **all) { delete all[threadIdx.x]; }

int main()
{
    shape **all;
    float *areas;
    int *corners, n;
    CUDA(cudaMalloc(&all, 32 * sizeof *all));
    CUDA(cudaMallocManaged(&areas, 32 * sizeof *areas));
    CUDA(cudaMallocManaged(&corners, 32 * sizeof *corners));
    make<<<1, 32>>>(all);
    measure<<<1, 32>>>(all, areas, corners);
    CUDA(cudaMemcpyFromSymbol(&n, alive, sizeof n));
    CHECK(n == 16);
    for (int i = 0; i < 32; i++) {
        CHECK(areas[i] == (i % 2 ? 3.0f : 1.0f) * i * i);
        CHECK(corners[i] == (i % 2 ? 0 : 94));
    }
    drop<<<1, 32>>>(all);
    CUDA(cudaMemcpyFromSymbol(&n, alive, sizeof n));
    CHECK(n == 0);
    puts("ok");
}

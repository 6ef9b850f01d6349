// Functions for both sides may name what only kernels have of cuRAND; <memory> comes with Thrust.
#include <curand_kernel.h>
#include <thrust/device_vector.h>
#include "check.h"

struct walk {
    float at;
    __host__ __device__ void step(curandState *s) { at += curand_normal(s); }
};
__host__ __device__ float pick(curandState *s, float from, float to) { return from + (to - from) * curand_uniform(s); }

__global__ void go(float *out)
{
    curandState s;
    curand_init(7, threadIdx.x, 0, &s);
    walk w = {0};
    w.step(&s);
    out[threadIdx.x] = pick(&s, 2, 3) + 0 * w.at;
}

int main()
{
    thrust::device_vector<float> v(32);
    go<<<1, 32>>>(thrust::raw_pointer_cast(v.data()));
    CUDA(cudaDeviceSynchronize());
    std::unique_ptr<float> first(new float(v[0]));
    CHECK(*first > 2 && *first <= 3 && v[1] != v[0]);
    puts("ok");
}

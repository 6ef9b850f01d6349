// Random numbers on the device: the same from the same seed, uniform, normal, and good enough for pi.
#include <cmath>
#include <curand_kernel.h>
#include "check.h"

__global__ void pi(unsigned long long seed, int rounds, unsigned *inside)
{
    curandState s;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    unsigned n = 0;
    for (int i = 0; i < rounds; i++) {
        float x = curand_uniform(&s), y = curand_uniform(&s);
        n += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, n);
}
template <class State> __global__ void fill(State *states, float *uniform, float *normal, unsigned *bits, bool start)
{
    int i = threadIdx.x;
    if (start)
        curand_init(1234, i, 0, &states[i]);
    State s = states[i];
    for (int k = 0; k < 16; k++) {
        uniform[k * 64 + i] = curand_uniform(&s);
        normal[k * 64 + i] = curand_normal(&s);
    }
    bits[i] = curand(&s);
    states[i] = s;
}
template <class State> static void check()
{
    State *states;
    float *u, *g;
    unsigned *bits, first[64];
    CUDA(cudaMalloc(&states, 64 * sizeof *states));
    CUDA(cudaMallocManaged(&u, 1024 * sizeof *u));
    CUDA(cudaMallocManaged(&g, 1024 * sizeof *g));
    CUDA(cudaMallocManaged(&bits, 64 * sizeof *bits));
    fill<<<1, 64>>>(states, u, g, bits, true);
    CUDA(cudaDeviceSynchronize());
    double mean = 0, square = 0;
    int same = 0;
    for (int i = 0; i < 1024; i++) {
        CHECK(u[i] > 0 && u[i] <= 1);
        mean += u[i] / 1024;
        square += g[i] * g[i] / 1024;
    }
    for (int i = 0; i < 64; i++)
        first[i] = bits[i], same += i && bits[i] == bits[i - 1];
    CHECK(fabs(mean - 0.5) < 0.04 && fabs(square - 1) < 0.15 && same == 0);
    fill<<<1, 64>>>(states, u, g, bits, false); // goes on
    CUDA(cudaDeviceSynchronize());
    CHECK(bits[0] != first[0]);
    fill<<<1, 64>>>(states, u, g, bits, true); // starts again
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(bits[i] == first[i]);
}

int main()
{
    unsigned *inside;
    CUDA(cudaMallocManaged(&inside, sizeof *inside));
    *inside = 0;
    pi<<<4, 64>>>(7, 100, inside);
    CUDA(cudaDeviceSynchronize());
    CHECK(fabs(4.0 * *inside / (4 * 64 * 100) - M_PI) < 0.05);
    check<curandStateXORWOW>();
    check<curandStatePhilox4_32_10_t>();
    puts("ok");
}

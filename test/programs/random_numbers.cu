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

// jumps, and four numbers at once; the words are those of cuRAND 13.0
__global__ void jumps(unsigned *word, double *number)
{
    curandStateMRG32k3a m;
    curandStatePhilox4_32_10_t p;
    curandStateXORWOW x;
    curand_init(7, 3, 11, &m);
    skipahead_sequence(5, &m);
    word[0] = curand(&m);
    skipahead_subsequence(9, &m);
    word[1] = curand(&m);
    curand_init(7, 3, 11, &p);
    skipahead_sequence(5, &p);
    word[2] = curand(&p);
    curand_init(7, 3, 11, &x);
    skipahead_sequence(5, &x);
    word[3] = curand(&x);
    curand_init(7, 3, 10, &p);
    double4 u = curand_uniform4_double(&p), n = curand_normal4_double(&p);
    word[4] = curand(&p);
    double4 l = curand_log_normal4_double(&p, 0.5, 2);
    word[5] = curand(&p);
    number[0] = u.x, number[1] = u.w, number[2] = n.x, number[3] = n.w, number[4] = l.x, number[5] = l.w;
}
static void check_jumps()
{
    const unsigned words[] = {0x0acbe6dd, 0xe8b9bf14, 0x9f307db3, 0x29f2459a, 0x332db457, 0x9a285e4e};
    const double numbers[] = {0x1.60036275827edp-2, 0x1.144b3e3ff2726p-1,  0x1.906836027a7ffp-2,
                              0x1.4933e4666bdfp-1,  0x1.b2bc1a7a25ad9p+1, 0x1.6744c74ecb2d2p+2};
    unsigned *w;
    double *d;
    CUDA(cudaMallocManaged(&w, sizeof words));
    CUDA(cudaMallocManaged(&d, sizeof numbers));
    jumps<<<1, 1>>>(w, d);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 6; i++)
        CHECK(w[i] == words[i] && fabs(d[i] / numbers[i] - 1) < 1e-15);
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
    check_jumps();
    puts("ok");
}

// LONG ON: vulkan: a software GPU compiles its kernels for seconds; test/lib/rand_device has these generators
// Random doubles of every generator: uniform, normal, log-normal and Poisson have the right moments.
#include <cmath>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include "check.h"

const int THREADS = 64, ROUNDS = 64, N = THREADS * ROUNDS;

template <class State> __device__ void draw(State *s, double *out)
{
    for (int k = 0; k < ROUNDS; k++) {
        double *to = out + 4 * (k * THREADS + threadIdx.x);
        to[0] = curand_uniform_double(s);
        to[1] = curand_normal_double(s);
        to[2] = curand_log_normal_double(s, 0.25, 0.5);
        to[3] = 0;
    }
}
template <class State> __global__ void pseudo(double *out)
{
    State s;
    curand_init(99, threadIdx.x, 0, &s);
    draw(&s, out);
    for (int k = 0; k < ROUNDS; k++)
        out[4 * (k * THREADS + threadIdx.x) + 3] = curand_poisson(&s, 3.5);
}
__global__ void twister(curandStateMtgp32 *s, double *out)
{
    draw(s, out);
}
__global__ void sobol(double *out)
{
    unsigned long long directions[64]; // the first dimension's
    for (int i = 0; i < 64; i++)
        directions[i] = 1ull << (63 - i);
    curandStateSobol64 s;
    curand_init(directions, 1ull + threadIdx.x * 3ull * ROUNDS, &s);
    draw(&s, out);
}

static void check(const double *out, double poisson)
{
    double mean[4] = {0, 0, 0, 0}, square[4] = {0, 0, 0, 0};
    const double means[4] = {0.5, 0, exp(0.25 + 0.125), poisson};
    const double squares[4] = {1.0 / 3, 1, exp(0.5 + 0.5), poisson * poisson + poisson};
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * N; i++) {
        mean[i % 4] += out[i] / N;
        square[i % 4] += out[i] * out[i] / N;
        CHECK(i % 4 != 0 || (out[i] > 0 && out[i] <= 1));
    }
    for (int k = 0; k < 4; k++)
        CHECK(fabs(mean[k] - means[k]) < 0.12 && fabs(square[k] - squares[k]) < 0.1 + 0.06 * squares[k]);
}

int main()
{
    curandStateMtgp32 *s;
    mtgp32_kernel_params_t *k;
    double *out;
    CUDA(cudaMalloc(&s, sizeof *s));
    CUDA(cudaMalloc(&k, sizeof *k));
    CUDA(cudaMallocManaged(&out, 4 * N * sizeof *out));
    CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, k) == CURAND_STATUS_SUCCESS);
    CHECK(curandMakeMTGP32KernelState(s, mtgp32dc_params_fast_11213, k, 1, 5) == CURAND_STATUS_SUCCESS);
    pseudo<curandStateXORWOW><<<1, THREADS>>>(out);
    check(out, 3.5);
    pseudo<curandStatePhilox4_32_10_t><<<1, THREADS>>>(out);
    check(out, 3.5);
    pseudo<curandStateMRG32k3a><<<1, THREADS>>>(out);
    check(out, 3.5);
    twister<<<1, THREADS>>>(s, out);
    check(out, 0);
    sobol<<<1, THREADS>>>(out);
    check(out, 0);
    puts("ok");
}

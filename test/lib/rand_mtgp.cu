// OPTIONS: -lcurand
// MTGP32 of the host API: the words that kernels draw from the same seed, offsets, and moments.
#include <cmath>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include "check.h"

#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)
enum { SETS = 64, ROW = 256, TURNS = 2, N = SETS * ROW * TURNS };

__global__ void draw(curandStateMtgp32 *states, unsigned *out)
{
    for (int turn = 0; turn < TURNS; turn++)
        out[(turn * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = curand(&states[blockIdx.x]);
}

static void moments(const std::vector<double> &v, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (double x : v)
        sum += x;
    const double m = sum / v.size();
    for (double x : v)
        squares += (x - m) * (x - m);
    CHECK(fabs(m - mean) < 5 * deviation / sqrt((double)v.size()));
    CHECK(fabs(sqrt(squares / v.size()) / deviation - 1) < 0.03);
}

int main()
{
    const unsigned long long seed = 0x123456789abcdefull;
    unsigned *words, *drawn;
    CUDA(cudaMallocManaged(&words, N * sizeof *words));
    CUDA(cudaMallocManaged(&drawn, N * sizeof *drawn));
    mtgp32_kernel_params *params;
    curandStateMtgp32 *states;
    CUDA(cudaMalloc(&params, sizeof *params));
    CUDA(cudaMalloc(&states, SETS * sizeof *states));
    RAND(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, params));
    RAND(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, params, SETS, seed));
    draw<<<SETS, ROW>>>(states, drawn);
    CUDA(cudaDeviceSynchronize());

    curandGenerator_t g;
    RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
    RAND(curandSetPseudoRandomGeneratorSeed(g, seed));
    RAND(curandGenerate(g, words, 1000)); // calls that follow each other go on
    RAND(curandGenerate(g, words + 1000, N - 1000));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(words[i] == drawn[i]);
    const int offset = SETS * ROW + 3 * ROW + 17;
    RAND(curandSetGeneratorOffset(g, offset));
    RAND(curandGenerate(g, words, 5000));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 5000; i++)
        CHECK(words[i] == drawn[offset + i]);

    float *f;
    CUDA(cudaMallocManaged(&f, N * sizeof *f));
    RAND(curandGenerateUniform(g, f, N));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(f[i] > 0 && f[i] <= 1);
    moments(std::vector<double>(f, f + N), 0.5, sqrt(1.0 / 12));
    RAND(curandGenerateNormal(g, f, N, 3, 2));
    CUDA(cudaDeviceSynchronize());
    moments(std::vector<double>(f, f + N), 3, 2);
    RAND(curandGeneratePoisson(g, words, N, 7.5));
    CUDA(cudaDeviceSynchronize());
    moments(std::vector<double>(words, words + N), 7.5, sqrt(7.5));
    RAND(curandDestroyGenerator(g));
    printf("ok\n");
}

// Sobol's points from cuRAND's host API: the device's as the host's, known words, every dimension evenly spread, scrambled ones too.
#include <cmath>
#include <cstring>
#include <curand.h>
#include <vector>
#include "check.h"
#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)

static curandGenerator_t make(curandRngType_t type, unsigned dimensions, bool host)
{
    curandGenerator_t g;
    RAND(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    RAND(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    return g;
}

template <class T, class F> static std::vector<T> both(curandGenerator_t d, curandGenerator_t h, size_t n, double error, F f)
{
    std::vector<T> a(n), b(n);
    T *there;
    CUDA(cudaMalloc(&there, n * sizeof(T)));
    RAND(f(d, there));
    RAND(f(h, b.data()));
    CUDA(cudaMemcpy(a.data(), there, n * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(there));
    for (size_t i = 0; i < n; i++)
        CHECK(error > 0 ? std::fabs((double)a[i] - (double)b[i]) <= error * (1 + std::fabs((double)b[i])) : a[i] == b[i]);
    return a;
}

/* Each of 256 equal parts of [0, 1) has one of 256 points that begin at a multiple of 256. */
template <class T> static void spread(const std::vector<T> &words, unsigned dimensions, unsigned points)
{
    for (unsigned d = 0; d < dimensions; d++) {
        std::vector<int> count(256);
        for (unsigned i = 0; i < 256; i++)
            count[words[(size_t)d * points + i] >> (8 * sizeof(T) - 8)]++;
        for (int c : count)
            CHECK(c == 1);
    }
}

/* Numbers of Poisson by inversion: of the same points, uniform in double, the distribution up to k - 1 is less and up to k is not. */
static void poisson(curandRngType_t type, double mean)
{
    const unsigned points = 512, dimensions = 2;
    const size_t n = (size_t)points * dimensions;
    curandGenerator_t d = make(type, dimensions, false), h = make(type, dimensions, true), u = make(type, dimensions, true);
    const std::vector<unsigned> got = both<unsigned>(d, h, n, 0, [&](curandGenerator_t g, unsigned *p) { return curandGeneratePoisson(g, p, n, mean); });
    std::vector<double> at(n);
    RAND(curandGenerateUniformDouble(u, at.data(), n));
    for (size_t i = 0; i < n; i++) {
        double below = 0, up_to = 0;
        for (unsigned k = 0; k <= got[i]; k++) {
            below = up_to;
            up_to += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
        }
        CHECK(below <= at[i] + 1e-9 && up_to >= at[i] - 1e-9);
    }
    for (curandGenerator_t g : {d, h, u})
        RAND(curandDestroyGenerator(g));
}

int main()
{
    poisson(CURAND_RNG_QUASI_SOBOL32, 3.5);
    poisson(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, 60);
    poisson(CURAND_RNG_QUASI_SOBOL64, 900);
    const unsigned D = 40, P = 300;
    for (curandRngType_t type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32}) {
        curandGenerator_t d = make(type, D, false), h = make(type, D, true);
        const auto words = both<unsigned>(d, h, D * P, 0, [&](curandGenerator_t g, unsigned *p) { return curandGenerate(g, p, D * P); });
        spread(words, D, P);
        if (type == CURAND_RNG_QUASI_SOBOL32)
            CHECK(words[1] == 0x80000000 && words[2] == 0xc0000000 && words[P + 2] == 0x40000000 && words[0] == 0);
        both<float>(d, h, D * P, 0, [&](curandGenerator_t g, float *p) { return curandGenerateUniform(g, p, D * P); });
        both<double>(d, h, D * P, 0, [&](curandGenerator_t g, double *p) { return curandGenerateUniformDouble(g, p, D * P); });
        both<float>(d, h, D * P, 1e-5, [&](curandGenerator_t g, float *p) { return curandGenerateNormal(g, p, D * P, 1, 2); });
        RAND(curandSetGeneratorOffset(d, 123456));
        RAND(curandSetGeneratorOffset(h, 0));
        std::vector<unsigned> all((size_t)D * 123457), one(D);
        RAND(curandGenerate(h, all.data(), all.size()));
        unsigned *there;
        CUDA(cudaMalloc(&there, D * sizeof(unsigned)));
        RAND(curandGenerate(d, there, D));
        CUDA(cudaMemcpy(one.data(), there, D * sizeof(unsigned), cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < D; k++)
            CHECK(one[k] == all[(size_t)k * 123457 + 123456]);
        CHECK(curandGenerate(d, there, D + 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
        CHECK(curandGenerateLongLong(d, (unsigned long long *)there, D) == CURAND_STATUS_TYPE_ERROR);
        CHECK(curandSetPseudoRandomGeneratorSeed(d, 1) == CURAND_STATUS_TYPE_ERROR);
        CUDA(cudaFree(there));
        RAND(curandDestroyGenerator(d));
        RAND(curandDestroyGenerator(h));
    }
    for (curandRngType_t type : {CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
        curandGenerator_t d = make(type, D, false), h = make(type, D, true);
        typedef unsigned long long word;
        spread(both<word>(d, h, D * P, 0, [&](curandGenerator_t g, word *p) { return curandGenerateLongLong(g, p, D * P); }), D, P);
        both<double>(d, h, D * P, 0, [&](curandGenerator_t g, double *p) { return curandGenerateUniformDouble(g, p, D * P); });
        both<double>(d, h, D * P, 1e-12, [&](curandGenerator_t g, double *p) { return curandGenerateNormalDouble(g, p, D * P, 0, 1); });
        RAND(curandDestroyGenerator(d));
        RAND(curandDestroyGenerator(h));
    }
    curandDirectionVectors32_t *v;
    curandDirectionVectors64_t *w;
    unsigned *moved;
    RAND(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    RAND(curandGetDirectionVectors64(&w, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    RAND(curandGetScrambleConstants32(&moved));
    CHECK(v[1][0] == 0x80000000 && v[1][1] == 0xc0000000 && v[1][31] == 0xffffffff);
    for (int d = 0; d < 1024; d++)
        for (int k = 0; k < 32; k++)
            CHECK(w[d][k] >> 32 == v[d][k] && (v[d][k] >> (31 - k) & 1));
    puts("ok");
}

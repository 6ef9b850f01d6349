// LONG ON: vulkan: some thirty kernels to be compiled; test/lib/rand_device and rand_quasi have some of them
// cuRAND's host API: the numbers of cuRAND 13.0 where its documentation says which they are, moments, orders, errors.
// OPTIONS: -lcurand
#include "check.h"
#include <cmath>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)

static curandGenerator_t make(curandRngType_t type, unsigned long long seed, bool host = false)
{
    curandGenerator_t g;
    RAND(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    RAND(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}

static const int n = 100000;
static void *memory;

template <class T> static std::vector<T> fetch()
{
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

// Seed 1234; the numbers at 0, 1, 2, 4095 and 4096 were taken from cuRAND.
static void known()
{
    static const struct {
        curandRngType_t type;
        unsigned words[5];
    } tests[] = {
        {CURAND_RNG_PSEUDO_DEFAULT, {0x253d5e15, 0xd1f7605a, 0x8ce6f6f8, 0xe5dcbada, 0x6f558604}},
        {CURAND_RNG_PSEUDO_MRG32K3A, {0xc96891f0, 0x26f0d612, 0xef269080, 0xa85b4ff8, 0x9dda211d}},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, {0x2090b348, 0xda7cf0ab, 0x4401906f, 0x3aad5500, 0x7a6635c0}},
    };
    for (auto &t : tests) {
        curandGenerator_t g = make(t.type, 1234), h = make(t.type, 1234, true), late = make(t.type, 1234);
        RAND(curandGenerate(g, (unsigned *)memory, n));
        auto all = fetch<unsigned>();
        CHECK(all[0] == t.words[0] && all[1] == t.words[1] && all[2] == t.words[2]);
        CHECK(all[4095] == t.words[3] && all[4096] == t.words[4]);
        std::vector<unsigned> parts(n);
        RAND(curandGenerate(h, parts.data(), 1001)); // where one call ends the next one goes on
        RAND(curandGenerate(h, parts.data() + 1001, n - 1001));
        CHECK(parts == all);
        RAND(curandSetGeneratorOffset(late, 90001));
        RAND(curandGenerate(late, (unsigned *)memory, n - 90001));
        auto rest = fetch<unsigned>();
        for (int i = 90001; i < n; i++)
            CHECK(rest[i - 90001] == all[i]);
        RAND(curandDestroyGenerator(g));
        RAND(curandDestroyGenerator(h));
        RAND(curandDestroyGenerator(late));
    }
}

// Normal numbers come in pairs; one of MRG32k3a's words is enough for a double.
static void known_pairs()
{
    static const struct {
        curandRngType_t type;
        double pair[2];
    } tests[] = {{CURAND_RNG_PSEUDO_XORWOW, {0.780973554, -1.80157816}},
                 {CURAND_RNG_PSEUDO_MRG32K3A, {-0.36065364611174472, -0.59128140374174409}}};
    for (auto &t : tests) {
        curandGenerator_t g = make(t.type, 1234, true);
        float f[2];
        double d[2];
        RAND(curandGenerateNormal(g, f, 2, 0, 1));
        CHECK(fabs(f[0] - t.pair[0]) < 1e-6 && fabs(f[1] - t.pair[1]) < 1e-6);
        RAND(curandSetGeneratorOffset(g, 0));
        RAND(curandGenerateNormalDouble(g, d, 2, 0, 1));
        CHECK(t.type == CURAND_RNG_PSEUDO_XORWOW || (fabs(d[0] - t.pair[0]) < 1e-14 && fabs(d[1] - t.pair[1]) < 1e-14));
        RAND(curandDestroyGenerator(g));
    }
}

// Kernels that start where the generator's sequences do draw the same numbers.
__global__ void draw(unsigned *words, float2 *normal)
{
    curandStateXORWOW_t a, b;
    curand_init(77, threadIdx.x, 0, &a);
    b = a;
    words[threadIdx.x] = curand(&a);
    normal[threadIdx.x] = curand_normal2(&b);
}
static void as_in_kernels()
{
    unsigned *words;
    float2 *normal;
    CUDA(cudaMallocManaged(&words, 64 * sizeof *words));
    CUDA(cudaMallocManaged(&normal, 64 * sizeof *normal));
    draw<<<1, 64>>>(words, normal);
    CUDA(cudaDeviceSynchronize());
    unsigned w[64];
    float2 f[64];
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_XORWOW, 77, true);
    RAND(curandGenerate(g, w, 64));
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateNormal(g, (float *)f, 128, 0, 1));
    for (int i = 0; i < 64; i++)
        CHECK(w[i] == words[i] && fabs(f[i].x - normal[i].x) < 1e-5 && fabs(f[i].y - normal[i].y) < 1e-5);
    RAND(curandDestroyGenerator(g));
    CUDA(cudaFree(words));
    CUDA(cudaFree(normal));
}

template <class T> static void moments(double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (double x : fetch<T>()) {
        sum += x;
        squares += x * x;
    }
    double m = sum / n, d = sqrt(squares / n - m * m);
    CHECK(fabs(m - mean) < 6 * deviation / sqrt(n) && fabs(d / deviation - 1) < 0.03);
}
static void distributions()
{
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MT19937}) {
        curandGenerator_t g = make(type, 5);
        RAND(curandSetStream(g, stream));
        RAND(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
        RAND(curandGenerateSeeds(g));
        RAND(curandGenerateUniform(g, (float *)memory, n));
        moments<float>(0.5, sqrt(1 / 12.0));
        RAND(curandGenerateUniformDouble(g, (double *)memory, n));
        for (double x : fetch<double>())
            CHECK(x > 0 && x <= 1);
        moments<double>(0.5, sqrt(1 / 12.0));
        RAND(curandGenerateNormal(g, (float *)memory, n, 3, 2));
        moments<float>(3, 2);
        RAND(curandGenerateNormalDouble(g, (double *)memory, n, -1, 0.5));
        moments<double>(-1, 0.5);
        double mean = exp(0.1 + 0.02), deviation = mean * sqrt(exp(0.04) - 1);
        RAND(curandGenerateLogNormal(g, (float *)memory, n, 0.1f, 0.2f));
        moments<float>(mean, deviation);
        RAND(curandGenerateLogNormalDouble(g, (double *)memory, n, 0.1, 0.2));
        moments<double>(mean, deviation);
        for (double lambda : {3.5, 60.0}) {
            RAND(curandGeneratePoisson(g, (unsigned *)memory, n, lambda));
            moments<unsigned>(lambda, sqrt(lambda));
        }
        RAND(curandDestroyGenerator(g));
    }
    CUDA(cudaStreamDestroy(stream));
}

static void errors()
{
    curandGenerator_t g;
    int version;
    CHECK(curandCreateGenerator(&g, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandGenerate(NULL, (unsigned *)memory, 1) == CURAND_STATUS_NOT_INITIALIZED);
    g = make(CURAND_RNG_PSEUDO_DEFAULT, 1);
    CHECK(curandGenerateNormal(g, (float *)memory, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGeneratePoisson(g, (unsigned *)memory, 3, 0) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
    RAND(curandDestroyGenerator(g));
    RAND(curandGetVersion(&version));
    CHECK(version == CURAND_VERSION);
}

int main()
{
    CUDA(cudaMalloc(&memory, n * sizeof(double)));
    known();
    known_pairs();
    as_in_kernels();
    distributions();
    errors();
    CUDA(cudaFree(memory));
    puts("ok");
}

// NOT ON: vulkan: its kernels are those of the other programs
// OPTIONS: -lcurand
// What cuRAND's generators are told and tell: versions, seeds made ahead, constants that scramble; what is refused.
#include <cstring>
#include <curand.h>
#include <vector>
#include "check.h"
#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)

template <class T, class F> static std::vector<T> numbers(curandRngType_t type, F f, bool ahead)
{
    curandGenerator_t g;
    T *there;
    std::vector<T> v(300);
    CUDA(cudaMalloc(&there, v.size() * sizeof(T)));
    RAND(curandCreateGenerator(&g, type));
    if (type < CURAND_RNG_QUASI_DEFAULT)
        RAND(curandSetPseudoRandomGeneratorSeed(g, 99));
    RAND(curandSetGeneratorOffset(g, 5));
    if (ahead)
        RAND(curandGenerateSeeds(g));
    RAND(f(g, there, v.size()));
    CUDA(cudaMemcpy(v.data(), there, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
    RAND(curandDestroyGenerator(g));
    CUDA(cudaFree(there));
    return v;
}

int main()
{
    int version = 0, part = -1;
    RAND(curandGetVersion(&version));
    CHECK(version >= 10000);
    RAND(curandGetProperty(MAJOR_VERSION, &part));
    CHECK(part == version / 1000);
    CHECK(curandGetProperty((libraryPropertyType)7, &part) == CURAND_STATUS_OUT_OF_RANGE && curandGetVersion(nullptr) != CURAND_STATUS_SUCCESS);

    /* Seeds that are made before they are needed change nothing. */
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_QUASI_SOBOL32})
        CHECK(numbers<unsigned>(type, curandGenerate, true) == numbers<unsigned>(type, curandGenerate, false));
    CHECK(numbers<unsigned long long>(CURAND_RNG_QUASI_SOBOL64, curandGenerateLongLong, true) == numbers<unsigned long long>(CURAND_RNG_QUASI_SOBOL64, curandGenerateLongLong, false));
    CHECK(curandGenerateSeeds(nullptr) == CURAND_STATUS_NOT_INITIALIZED);

    /* A constant for each dimension, none like its neighbour; the narrow ones are not these. */
    unsigned long long *wide = nullptr;
    unsigned *narrow = nullptr;
    RAND(curandGetScrambleConstants64(&wide));
    RAND(curandGetScrambleConstants32(&narrow));
    for (int i = 1; i < 1024; i++)
        CHECK(wide[i] != wide[i - 1] && narrow[i] != narrow[i - 1] && wide[i] >> 32);
    CHECK(curandGetScrambleConstants64(nullptr) != CURAND_STATUS_SUCCESS);
    puts("ok");
}

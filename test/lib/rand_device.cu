// cuRAND's host API: numbers that the device makes are those that the host makes, whatever calls follow each other; also in
// a graph, and after a seed, an offset or an ordering is set.
// OPTIONS: -lcurand
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <curand.h>
#include "check.h"

#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)

static char *memory;
enum { BYTES = 1 << 20 };

static curandStatus_t make(curandGenerator_t g, int what, void *out, size_t n)
{
    switch (what) {
    case 0: return curandGenerate(g, (unsigned *)out, n);
    case 1: return curandGenerateUniform(g, (float *)out, n);
    case 2: return curandGenerateUniformDouble(g, (double *)out, n);
    case 3: return curandGenerateNormal(g, (float *)out, n, 1, 2);
    case 4: return curandGenerateNormalDouble(g, (double *)out, n, 1, 2);
    case 5: return curandGenerateLogNormal(g, (float *)out, n, 0, 1);
    case 6: return curandGenerateLogNormalDouble(g, (double *)out, n, 0, 1);
    default: return curandGeneratePoisson(g, (unsigned *)out, n, what == 7 ? 3.5 : 60.0);
    }
}

static bool doubles(int what) { return what == 2 || what == 4 || what == 6; }
static bool exact(int what) { return what < 3; }

static void same(curandGenerator_t device, curandGenerator_t host, int what, size_t n)
{
    const size_t size = doubles(what) ? 8 : 4;
    std::vector<char> a(n * size), b(n * size);
    CHECK(n * size < BYTES);
    CUDA(cudaMemset(memory, 255, BYTES));
    RAND(make(device, what, memory, n));
    RAND(make(host, what, b.data(), n));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(a.data(), memory, n * size, cudaMemcpyDeviceToHost));
    unsigned char after;
    CUDA(cudaMemcpy(&after, memory + n * size, 1, cudaMemcpyDeviceToHost));
    CHECK(after == 255);
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        if (exact(what)) {
            CHECK(!memcmp(&a[i * size], &b[i * size], size));
        } else if (what >= 7) { // where a logarithm rounds otherwise, another number may be taken
            different += memcmp(&a[i * size], &b[i * size], size) != 0;
        } else {
            const double x = size == 8 ? ((double *)a.data())[i] : ((float *)a.data())[i],
                         y = size == 8 ? ((double *)b.data())[i] : ((float *)b.data())[i];
            CHECK(fabs(x - y) <= 1e-5 * (1 + fabs(y)));
        }
    CHECK(different * 100 <= n);
}

static void pairs(curandRngType_t type)
{
    curandGenerator_t d, h;
    RAND(curandCreateGenerator(&d, type));
    RAND(curandCreateGeneratorHost(&h, type));
    for (int round = 0; round < 3; round++) {
        for (curandGenerator_t g : {d, h}) {
            RAND(curandSetPseudoRandomGeneratorSeed(g, 77 + round));
            RAND(curandSetGeneratorOffset(g, round == 1 ? 4099 : 0));
            RAND(curandSetGeneratorOrdering(g, round == 2 ? CURAND_ORDERING_PSEUDO_LEGACY : CURAND_ORDERING_PSEUDO_DEFAULT));
        }
        const int calls[][2] = {{1, 20000}, {3, 64}, {5, 400}, {0, 1004}, {0, 1001}, {1, 77}, {2, 33}, {3, 5002}, {0, 3}, {4, 102}, {5, 8}, {6, 4}, {7, 500}, {8, 77}, {1, 20000}, {0, 1}, {3, 2}};
        for (auto &c : calls)
            same(d, h, c[0], c[1]);
    }
    RAND(curandDestroyGenerator(d));
    RAND(curandDestroyGenerator(h));
}

// So many that several threads share a sequence, also from another place than a sequence's begin.
static void many(curandRngType_t type)
{
    curandGenerator_t d, h;
    const size_t n = (size_t)40 << 20;
    void *there;
    std::vector<float> a(n), b(n);
    CUDA(cudaMalloc(&there, n * sizeof(float)));
    RAND(curandCreateGenerator(&d, type));
    RAND(curandCreateGeneratorHost(&h, type));
    for (int what : {0, 1, 3, 2, 0}) {
        const size_t count = doubles(what) ? n / 2 : n - 4 * (what == 1);
        RAND(make(d, what, there, count));
        RAND(make(h, what, b.data(), count));
        CUDA(cudaMemcpy(a.data(), there, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++)
            CHECK(what == 3 ? fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(b[i])) : !memcmp(&a[i], &b[i], sizeof(float)));
    }
    RAND(curandDestroyGenerator(d));
    RAND(curandDestroyGenerator(h));
    CUDA(cudaFree(there));
}

static void in_graph()
{
    curandGenerator_t d, h;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    const int n = 4096;
    std::vector<unsigned> a(n), b(n);
    CUDA(cudaStreamCreate(&stream));
    RAND(curandCreateGenerator(&d, CURAND_RNG_PSEUDO_XORWOW));
    RAND(curandCreateGeneratorHost(&h, CURAND_RNG_PSEUDO_XORWOW));
    RAND(curandSetStream(d, stream));
    RAND(curandGenerate(d, (unsigned *)memory, n));
    RAND(curandGenerate(h, b.data(), n));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    RAND(curandGenerate(d, (unsigned *)memory, n));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 3; i++) {
        CUDA(cudaGraphLaunch(run, stream));
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(a.data(), memory, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
        RAND(curandGenerate(h, b.data(), n));
        CHECK(a == b);
    }
    CUDA(cudaGraphExecDestroy(run));
    CUDA(cudaGraphDestroy(graph));
    RAND(curandDestroyGenerator(d));
    RAND(curandDestroyGenerator(h));
    CUDA(cudaStreamDestroy(stream));
}

int main()
{
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    CUDA(cudaMalloc(&memory, BYTES));
    pairs(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    if (!strstr(device.name, "llvmpipe")) { // which compiles a kernel for seconds
        pairs(CURAND_RNG_PSEUDO_XORWOW);
        pairs(CURAND_RNG_PSEUDO_MRG32K3A);
        in_graph();
    }
    if (device.multiProcessorCount >= 32) { // processors have no such threads
        many(CURAND_RNG_PSEUDO_PHILOX4_32_10);
        many(CURAND_RNG_PSEUDO_XORWOW);
    }
    CUDA(cudaFree(memory));
    puts("ok");
}

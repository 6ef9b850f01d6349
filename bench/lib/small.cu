// What a call costs on the CPU: launches of kernels that do little, and products of small matrices beside OpenBLAS on one thread.
// Prints lines of name, value, unit and goal.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void nothing() {}

__global__ void few(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

// Nanoseconds of one f(): the best of several rounds of many calls; done() ends a round.
template <class F, class G> static double best(int calls, F f, G done)
{
    double least = 1e30;
    for (int round = 0; round < 25; round++) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; k++)
            f();
        done();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        if (took.count() / calls < least)
            least = took.count() / calls;
    }
    return least;
}

static void wait() { cudaDeviceSynchronize(); }
static void none() {}

static void launches()
{
    float *x;
    cudaStream_t s;
    cudaMalloc(&x, 4096 * sizeof *x);
    cudaMemset(x, 0, 4096 * sizeof *x);
    cudaStreamCreate(&s);
    printf("launch, nothing\t%.4g\tns\t0\n", best(2000, [] { nothing<<<1, 32>>>(); }, wait));
    printf("launch, nothing, a stream\t%.4g\tns\t0\n", best(2000, [=] { nothing<<<1, 32, 0, s>>>(); }, wait));
    printf("launch, 1024 elements\t%.4g\tns\t0\n", best(2000, [=] { few<<<4, 256>>>(x, 1024); }, wait));
    printf("launch and wait\t%.4g\tns\t0\n", best(2000, [=] { few<<<4, 256>>>(x, 1024); wait(); }, none));
    cudaStreamDestroy(s);
    cudaFree(x);
}

typedef void sgemm_type(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void dgemm_type(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

static cublasStatus_t ours(cublasHandle_t h, int n, const float *a, const float *b, float *c)
{
    const float one = 1, half = 0.5f;
    return cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &half, c, n);
}
static cublasStatus_t ours(cublasHandle_t h, int n, const double *a, const double *b, double *c)
{
    const double one = 1, half = 0.5;
    return cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &half, c, n);
}
static cublasStatus_t batch(cublasHandle_t h, int n, const float *a, const float *b, float *c, int count)
{
    const float one = 1, half = 0.5f;
    return cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n, n * n, &half, c, n,
                                     n * n, count);
}
static cublasStatus_t batch(cublasHandle_t h, int n, const double *a, const double *b, double *c, int count)
{
    const double one = 1, half = 0.5;
    return cublasDgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n, n * n, &half, c, n,
                                     n * n, count);
}

template <class T, class Theirs> static void products(cublasHandle_t h, const char *name, Theirs *theirs)
{
    enum { COUNT = 64, COLUMNS = 102, NO = 111 };
    for (const int n : {4, 8, 16, 32, 64}) {
        const int all = n * n * COUNT, calls = n <= 16 ? 4000 : n == 32 ? 1000 : 200;
        T *a, *b, *c;
        cudaMalloc(&a, all * sizeof(T));
        cudaMalloc(&b, all * sizeof(T));
        cudaMalloc(&c, all * sizeof(T));
        std::vector<T> some(all, T(0.5));
        cudaMemcpy(a, some.data(), all * sizeof(T), cudaMemcpyHostToDevice);
        cudaMemcpy(b, some.data(), all * sizeof(T), cudaMemcpyHostToDevice);
        cudaMemcpy(c, some.data(), all * sizeof(T), cudaMemcpyHostToDevice);
        auto ref = [&](T *at) { theirs(COLUMNS, NO, NO, n, n, n, T(1), a, n, b, n, T(0.5), at, n); };
        double one = 1e30, many = 1e30, other = 1e30;
        for (int k = 0; k < 3; k++) { // in turn, so that what else the machine does meets both
            const double u = best(calls, [&] { ours(h, n, a, b, c); }, wait),
                         v = best(calls / COUNT + 1, [&] { batch(h, n, a, b, c, COUNT); }, wait) / COUNT,
                         w = theirs ? best(calls, [&] { ref(c); }, none) : 0;
            one = u < one ? u : one;
            many = v < many ? v : many;
            other = w < other ? w : other;
        }
        printf("%s %d\t%.4g\tns\t0\n%s %d, 64 at once\t%.4g\tns\t0\n", name, n, one, name, n, many);
        if (theirs)
            printf("%s %d, OpenBLAS\t%.4g\tns\t0\n%s %d, of OpenBLAS\t%.3f\tx\t1\n%s %d, 64 at once, of OpenBLAS\t%.3f\tx\t1\n",
                   name, n, other, name, n, other / one, name, n, other / many);
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
}

int main()
{
    launches();
    cublasHandle_t h;
    if (cublasCreate(&h))
        return 1;
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (lib)
        if (void *set = dlsym(lib, "openblas_set_num_threads"))
            ((void (*)(int))set)(1);
    products<float>(h, "sgemm", lib ? (sgemm_type *)dlsym(lib, "cblas_sgemm") : nullptr);
    products<double>(h, "dgemm", lib ? (dgemm_type *)dlsym(lib, "cblas_dgemm") : nullptr);
    cublasDestroy(h);
    return 0;
}

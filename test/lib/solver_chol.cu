// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Cholesky: the factors against the matrix, solutions, what is not positive definite, workspace queries, wrong arguments, two threads. */
#include <thread>
#include "solver.h"

#define CALLS(T_, L)                                                                               \
    template <> struct solver<T_> {                                                                \
        static constexpr auto potrf_size = cusolverDn##L##potrf_bufferSize;                        \
        static constexpr auto potrf = cusolverDn##L##potrf;                                        \
        static constexpr auto potrs = cusolverDn##L##potrs;                                        \
    };
CALLS(float, S)
CALLS(double, D)
CALLS(cuComplex, C)
CALLS(cuDoubleComplex, Z)

template <class T> dense positive(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = 1 + i % 7;
    return hermitian<T>(e);
}

template <class T> int factor(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, both<T> &a, int lda)
{
    int size = -1;
    SOLVE(solver<T>::potrf_size(h, uplo, n, a.device, lda, &size));
    CHECK(size >= 0);
    space<T> work(size);
    flag info;
    SOLVE(solver<T>::potrf(h, uplo, n, a.device, lda, work.device, size, info.device));
    return info.get();
}

template <class T> void factor_and_solve(cusolverDnHandle_t h, int n)
{
    const int lda = n + 3, nrhs = 3, ldb = n + 1;
    const dense a = positive<T>(n), b = random_matrix<T>(n, nrhs);
    for (int upper = 0; upper < 2; upper++) {
        const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        both<T> da(lda * n), db(ldb * nrhs);
        store(da.host, spoilt(a, upper), lda);
        store(db.host, b, ldb);
        da.put();
        db.put();
        CHECK(factor<T>(h, uplo, n, da, lda) == 0);
        const std::vector<T> f = da.get();
        const dense t = triangle(wide(f, n, n, lda), upper);
        const dense product = upper ? times(adjoint(t), t) : times(t, adjoint(t));
        CHECK(distance(product, a) < tolerance<T>(n));
        for (int j = 0; j < n; j++) /* the other triangle is as it was */
            for (int i = 0; i < n; i++)
                if (upper ? i > j : i < j)
                    CHECK(as<T>::wide(f[i + (size_t)j * lda]) == zd(777.0));
        flag info;
        SOLVE(solver<T>::potrs(h, uplo, n, nrhs, da.device, lda, db.device, ldb, info.device));
        CHECK(info.get() == 0);
        CHECK(distance(times(a, wide(db.get(), n, nrhs, ldb)), b) < 10 * tolerance<T>(n));
    }
}

/* The first minor that is not positive definite is the one that is reported. */
template <class T> void not_definite(cusolverDnHandle_t h, int n, int bad)
{
    dense a = positive<T>(n);
    a(bad - 1, bad - 1) = -50.0;
    for (int upper = 0; upper < 2; upper++) {
        both<T> da(n * n);
        store(da.host, a, n);
        da.put();
        CHECK(factor<T>(h, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n, da, n) == bad);
    }
}

template <class T> struct test {
    cusolverDnHandle_t h;
    void all()
    {
    for (int n : {1, 7, 32, 71})
        factor_and_solve<T>(h, n);
    not_definite<T>(h, 5, 1);
    not_definite<T>(h, 45, 40);
    not_definite<T>(h, 34, 34);
    }
};

static void wrong_arguments(cusolverDnHandle_t h)
{
    int size;
    flag info;
    double *a = nullptr;
    CHECK(cusolverDnDpotrf_bufferSize(nullptr, CUBLAS_FILL_MODE_LOWER, 4, a, 4, &size) == CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, -1, a, 4, &size) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 4, a, 3, a, 0, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnDpotrf(h, (cublasFillMode_t)9, 4, a, 4, a, 0, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, 4, -1, a, 4, a, 4, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
}

static void settings()
{
    cusolverDnHandle_t h;
    cudaStream_t s, got;
    int version = 0;
    CUDA(cudaStreamCreate(&s));
    SOLVE(cusolverDnCreate(&h));
    SOLVE(cusolverDnSetStream(h, s));
    SOLVE(cusolverDnGetStream(h, &got));
    CHECK(got == s);
    cusolverDeterministicMode_t mode;
    SOLVE(cusolverDnSetDeterministicMode(h, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
    SOLVE(cusolverDnGetDeterministicMode(h, &mode));
    CHECK(mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
    SOLVE(cusolverGetVersion(&version));
    CHECK(version == CUSOLVER_VERSION);
    cusolverDnParams_t params;
    SOLVE(cusolverDnCreateParams(&params));
    SOLVE(cusolverDnSetAdvOptions(params, CUSOLVERDN_POTRF, CUSOLVER_ALG_1));
    const int n = 40;
    const dense a = positive<double>(n);
    both<double> da(n * n), db(n);
    const dense b = wide(db.host, n, 1, n);
    store(da.host, a, n);
    da.put();
    size_t device = 0, host = 0;
    SOLVE(cusolverDnXpotrf_bufferSize(h, params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, da.device, n, CUDA_R_64F, &device, &host));
    space<char> work(device);
    std::vector<char> on_host(host + 1);
    flag info;
    SOLVE(cusolverDnXpotrf(h, params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, da.device, n, CUDA_R_64F, work.device, device, on_host.data(), host,
                           info.device));
    SOLVE(cusolverDnXpotrs(h, params, CUBLAS_FILL_MODE_LOWER, n, 1, CUDA_R_64F, da.device, n, CUDA_R_64F, db.device, n, info.device));
    CHECK(info.get() == 0);
    CHECK(distance(times(a, wide(db.get(), n, 1, n)), b) < 10 * tolerance<double>(n));
    SOLVE(cusolverDnDestroyParams(params));
    SOLVE(cusolverDnDestroy(h));
    CUDA(cudaStreamDestroy(s));
}

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    every_type<test>(h);
    wrong_arguments(h);
    SOLVE(cusolverDnDestroy(h));
    settings();
    std::vector<std::thread> threads;
    std::vector<dense> as, bs;
    for (int k = 0; k < 2; k++)
        as.push_back(positive<double>(50 + k));
    for (int k = 0; k < 2; k++)
        threads.emplace_back([&, k] {
            cusolverDnHandle_t own;
            const int n = as[k].n;
            SOLVE(cusolverDnCreate(&own));
            std::vector<double> host((size_t)n * n);
            space<double> a(n * n);
            store(host, as[k], n);
            CUDA(cudaMemcpy(a.device, host.data(), host.size() * 8, cudaMemcpyHostToDevice));
            flag info;
            SOLVE(cusolverDnDpotrf(own, CUBLAS_FILL_MODE_LOWER, n, a.device, n, a.device, 0, info.device));
            CHECK(info.get() == 0);
            CUDA(cudaMemcpy(host.data(), a.device, host.size() * 8, cudaMemcpyDeviceToHost));
            const dense l = triangle(wide(host, n, n, n), false);
            CHECK(distance(times(l, adjoint(l)), as[k]) < tolerance<double>(n));
            SOLVE(cusolverDnDestroy(own));
        });
    for (std::thread &t : threads)
        t.join();
    printf("ok\n");
}

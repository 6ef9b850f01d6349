// NOT ON: interp: questions are answered by the host
// NOT ON: vulkan: questions are answered by the host
// OPTIONS: -lcusolver -lcusparse
/* How much memory cuSOLVER's functions ask for, in each type: an answer for sizes that there are, none for others. Settings of handles and
 * parameters are what they were set to. */
#include "solver.h"
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

static cusolverDnHandle_t h;
static const cusolverEigMode_t VEC = CUSOLVER_EIG_MODE_VECTOR;
static const cublasFillMode_t LOW = CUBLAS_FILL_MODE_LOWER;
static const cublasOperation_t OPN = CUBLAS_OP_N;
static const cublasSideMode_t LEFT = CUBLAS_SIDE_LEFT;
enum { M = 9, N = 7 };

/* ask(n, &size): how much for n columns; -3 is no number of them, and an answer needs a place. */
template <class S, class F> static void asked(const char *name, F ask)
{
    S size = (S)-1;
    if (ask(N, &size) != CUSOLVER_STATUS_SUCCESS || size == (S)-1) {
        printf("%s: no answer\n", name);
        exit(1);
    }
    if (ask(-3, &size) != CUSOLVER_STATUS_INVALID_VALUE || ask(N, (S *)nullptr) != CUSOLVER_STATUS_INVALID_VALUE) {
        printf("%s: what is wrong is answered\n", name);
        exit(1);
    }
}
#define ASK(f, ...) asked<int>(#f, [&](int n, int *size) { return f##_bufferSize(h, __VA_ARGS__); })
#define ASK_BYTES(f, ...) asked<size_t>(#f, [&](int n, size_t *size) { return f##_bufferSize(h, __VA_ARGS__); })

/* or_, sy, he: how names begin for real and for complex types. */
#define ANY(T, R, L, or_, sy)                                                                      \
    static void any_##L()                                                                          \
    {                                                                                              \
        T a_[1], *a = a_;                                                                          \
        R w_[1], *w = w_;                                                                          \
        int found, pivots[1];                                                                      \
        syevjInfo_t sj;                                                                            \
        gesvdjInfo_t gj;                                                                           \
        SOLVE(cusolverDnCreateSyevjInfo(&sj));                                                     \
        SOLVE(cusolverDnCreateGesvdjInfo(&gj));                                                    \
        ASK(cusolverDn##L##gebrd, M, n, size);                                                     \
        ASK(cusolverDn##L##geqrf, M, n, a, M, size);                                               \
        ASK(cusolverDn##L##getrf, M, n, a, M, size);                                               \
        ASK(cusolverDn##L##lauum, LOW, n, a, M, size);                                             \
        ASK(cusolverDn##L##potri, LOW, n, a, M, size);                                             \
        ASK(cusolverDn##L##sytrf, n, a, M, size);                                                  \
        ASK(cusolverDn##L##sytri, LOW, n, a, M, pivots, size);                                     \
        ASK(cusolverDn##L##gesvdj, VEC, 0, M, n, a, M, w, a, M, a, M, size, gj);                   \
        ASK(cusolverDn##L##gesvdjBatched, VEC, M, n, a, M, w, a, M, a, M, size, gj, 2);            \
        ASK(cusolverDn##L##gesvdaStridedBatched, VEC, 2, M, n, a, M, 99LL, w, 9LL, a, M, 99LL, a, M, 99LL, size, 2); \
        ASK(cusolverDn##L##or_##gbr, LEFT, M, n, n, a, M, a, size);                                \
        ASK(cusolverDn##L##or_##gqr, M, n, n, a, M, a, size);                                      \
        ASK(cusolverDn##L##or_##gtr, LOW, n, a, M, a, size);                                       \
        ASK(cusolverDn##L##or_##mqr, LEFT, OPN, M, n, 3, a, M, a, a, M, size);                     \
        ASK(cusolverDn##L##or_##mtr, LEFT, LOW, OPN, M, n, a, M, a, a, M, size);                   \
        ASK(cusolverDn##L##sy##evj, VEC, LOW, n, a, M, w, size, sj);                               \
        ASK(cusolverDn##L##sy##evjBatched, VEC, LOW, n, a, M, w, size, sj, 2);                     \
        ASK(cusolverDn##L##sy##evdx, VEC, CUSOLVER_EIG_RANGE_ALL, LOW, n, a, M, 0, 0, 1, 1, &found, w, size); \
        ASK(cusolverDn##L##sy##gvd, CUSOLVER_EIG_TYPE_1, VEC, LOW, n, a, M, a, M, w, size);        \
        ASK(cusolverDn##L##sy##gvdx, CUSOLVER_EIG_TYPE_1, VEC, CUSOLVER_EIG_RANGE_ALL, LOW, n, a, M, a, M, 0, 0, 1, 1, &found, w, size); \
        ASK(cusolverDn##L##sy##gvj, CUSOLVER_EIG_TYPE_1, VEC, LOW, n, a, M, a, M, w, size, sj);    \
        ASK(cusolverDn##L##sy##trd, LOW, n, a, M, w, w, a, size);                                  \
        SOLVE(cusolverDnDestroySyevjInfo(sj));                                                     \
        SOLVE(cusolverDnDestroyGesvdjInfo(gj));                                                    \
    }
ANY(float, float, S, or, sy)
ANY(double, double, D, or, sy)
ANY(cuComplex, float, C, un, he)
ANY(cuDoubleComplex, double, Z, un, he)

#define REFINED(T, pair)                                                                           \
    {                                                                                              \
        T a_[1], *a = a_;                                                                          \
        int pivots[1];                                                                             \
        ASK_BYTES(cusolverDn##pair##gesv, n, 2, a, M, pivots, a, M, a, M, nullptr, size);          \
        ASK_BYTES(cusolverDn##pair##gels, M, n, 2, a, M, a, M, a, M, nullptr, size);               \
    }
static void refined()
{
    REFINED(float, SS)
    REFINED(float, SH)
    REFINED(float, SB)
    REFINED(float, SX)
    REFINED(double, DD)
    REFINED(double, DS)
    REFINED(double, DH)
    REFINED(double, DB)
    REFINED(double, DX)
    REFINED(cuComplex, CC)
    REFINED(cuComplex, CK)
    REFINED(cuComplex, CE)
    REFINED(cuComplex, CY)
    REFINED(cuDoubleComplex, ZZ)
    REFINED(cuDoubleComplex, ZC)
    REFINED(cuDoubleComplex, ZK)
    REFINED(cuDoubleComplex, ZE)
    REFINED(cuDoubleComplex, ZY)
}

/* By numbers of types: both memories are told. */
#define ASK_X(f, ...) asked<size_t>(#f, [&](int n, size_t *size) { return f##_bufferSize(h, __VA_ARGS__, size, &on_host); })
static void by_number()
{
    const cudaDataType d = CUDA_R_64F;
    double a_[1], *a = a_;
    int64_t found, pivots[1];
    size_t on_host;
    cusolverDnParams_t p;
    SOLVE(cusolverDnCreateParams(&p));
    ASK_X(cusolverDnXgeqrf, p, M, n, d, a, M, d, a, d);
    ASK_X(cusolverDnXgesvd, p, 'A', 'A', M, n, d, a, M, d, a, d, a, M, d, a, M, d);
    ASK_X(cusolverDnXgesvdr, p, 'S', 'S', M, n, 2, 1, 2, d, a, M, d, a, d, a, M, d, a, M, d);
    ASK_X(cusolverDnXsyevd, p, VEC, LOW, n, d, a, M, d, a, d);
    ASK_X(cusolverDnXsyevdx, p, VEC, CUSOLVER_EIG_RANGE_ALL, LOW, n, d, a, M, a, a, 1, 1, &found, d, a, d);
    ASK_X(cusolverDnXsytrs, LOW, n, 2, d, a, M, pivots, d, a, M);
    ASK_X(cusolverDnXtrtri, LOW, CUBLAS_DIAG_NON_UNIT, n, d, a, M);
    asked<size_t>("cusolverDnXsyevBatched", [&](int n, size_t *size) { return cusolverDnXsyevBatched_bufferSize(h, p, VEC, LOW, n, d, a, M, d, a, d, size, &on_host, 3); });
    SOLVE(cusolverDnDestroyParams(p));
}

static void settings()
{
    cusolverMathMode_t mode;
    cudaEmulationStrategy_t strategy;
    int part = -1, whole = -1;
    SOLVE(cusolverDnSetMathMode(h, (cusolverMathMode_t)1));
    SOLVE(cusolverDnGetMathMode(h, &mode));
    CHECK((int)mode == 1);
    SOLVE(cusolverDnSetEmulationStrategy(h, (cudaEmulationStrategy_t)1));
    SOLVE(cusolverDnGetEmulationStrategy(h, &strategy));
    CHECK((int)strategy == 1 && cusolverDnGetMathMode(h, nullptr) == CUSOLVER_STATUS_INVALID_VALUE);
    SOLVE(cusolverGetProperty(MAJOR_VERSION, &part));
    SOLVE(cusolverGetVersion(&whole));
    CHECK(part == whole / 1000 && cusolverGetProperty(MAJOR_VERSION, nullptr) == CUSOLVER_STATUS_INVALID_VALUE);

    cusolverDnIRSParams_t p;
    cusolverDnIRSInfos_t i;
    void *history;
    cusolver_int_t steps = -1;
    SOLVE(cusolverDnIRSParamsCreate(&p));
    SOLVE(cusolverDnIRSInfosCreate(&i));
    SOLVE(cusolverDnIRSParamsGetMaxIters(p, &steps));
    CHECK(steps == 50);
    SOLVE(cusolverDnIRSParamsSetMaxIters(p, 7));
    SOLVE(cusolverDnIRSParamsSetMaxItersInner(p, 5));
    SOLVE(cusolverDnIRSParamsGetMaxIters(p, &steps));
    CHECK(steps == 7);
    SOLVE(cusolverDnIRSParamsSetTol(p, 1e-10));
    SOLVE(cusolverDnIRSParamsSetTolInner(p, 1e-4));
    SOLVE(cusolverDnIRSParamsEnableFallback(p));
    SOLVE(cusolverDnIRSParamsDisableFallback(p));
    SOLVE(cusolverDnIRSParamsSetSolverMainPrecision(p, CUSOLVER_R_64F));
    SOLVE(cusolverDnIRSParamsSetSolverLowestPrecision(p, CUSOLVER_R_16F));
    CHECK(cusolverDnIRSParamsSetSolverMainPrecision(p, CUSOLVER_R_8I) == CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
    CHECK(cusolverDnIRSParamsSetTol(nullptr, 1) == CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
    CHECK(cusolverDnIRSInfosGetResidualHistory(i, &history) == CUSOLVER_STATUS_INVALID_VALUE); /* nobody has asked for it */
    SOLVE(cusolverDnIRSParamsSetRefinementSolver(p, CUSOLVER_IRS_REFINE_CLASSICAL));
    SOLVE(cusolverDnIRSInfosRequestResidual(i));

    /* A least squares problem with all of it set: steps, the most of them, and what was left after each. */
    const int m = 15, n = 4;
    both<double> a(m * n), b(m), x(n);
    flag info;
    int took = -9, outer = -9, most = -9;
    size_t bytes = 0;
    SOLVE(cusolverDnIRSXgels_bufferSize(h, p, m, n, 1, &bytes));
    SOLVE(cusolverDnIRSXgels(h, p, i, m, n, 1, a.device, m, b.device, m, x.device, n, nullptr, bytes, &took, info.device));
    SOLVE(cusolverDnIRSInfosGetOuterNiters(i, &outer));
    SOLVE(cusolverDnIRSInfosGetMaxIters(i, &most));
    SOLVE(cusolverDnIRSInfosGetResidualHistory(i, &history));
    CHECK(took > 0 && took <= 7 && outer == took && most == 7 && info.get() == 0);
    CHECK(((double *)history)[took] <= 1e-10 && ((double *)history)[0] > 1e-10);
    const dense da = wide(a.host, m, n, m), dx = wide(x.get(), n, 1, n), r = minus(times(da, dx), wide(b.host, m, 1, m));
    CHECK(times(adjoint(da), r).norm() < 1e-8);
    SOLVE(cusolverDnIRSParamsDestroy(p));
    SOLVE(cusolverDnIRSInfosDestroy(i));

    cusolverSpHandle_t sp;
    cudaStream_t stream, now = nullptr;
    CUDA(cudaStreamCreate(&stream));
    SOLVE(cusolverSpCreate(&sp));
    SOLVE(cusolverSpSetStream(sp, stream));
    SOLVE(cusolverSpGetStream(sp, &now));
    CHECK(now == stream && cusolverSpGetStream(nullptr, &now) == CUSOLVER_STATUS_NOT_INITIALIZED);
    SOLVE(cusolverSpDestroy(sp));
    CUDA(cudaStreamDestroy(stream));
}

int main()
{
    SOLVE(cusolverDnCreate(&h));
    any_S();
    any_D();
    any_C();
    any_Z();
    refined();
    by_number();
    settings();
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}

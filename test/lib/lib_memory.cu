// LONG ON: interp: what asks for memory is the same there
// NOT ON: vulkan: what asks for memory is the host's half of the libraries
// OPTIONS: -lcublas -lcufft -lcurand -lcusparse -lcusolver -Xlinker --wrap=cudaMalloc -Xlinker --wrap=cudaMallocAsync -Xlinker --wrap=cudaFree -Xlinker --wrap=cudaFreeAsync -Xlinker --wrap=malloc -Xlinker --wrap=calloc -Xlinker --wrap=realloc
/* A device without memory: of calls of each library, each allocation fails in turn. The call says so, keeps nothing, and does its work when
 * it is made again. Then a host without memory: each of the calling thread's allocations fails in turn, and the call says so or has done its work
 * all the same. The linker puts the functions here between the libraries and the runtime. */
#include "blas.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <cublasXt.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusparse.h>

static int made, failing = -1, live; /* allocations so far; which is refused; those that are not given back */
static thread_local int host_made = -1; /* of the host while a call is on its way; below 0 none is counted */
static int host_failing = -1;

extern "C" {
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
static bool refused()
{
    return host_made >= 0 && host_made++ == host_failing;
}
void *__wrap_malloc(size_t bytes)
{
    return refused() ? nullptr : __real_malloc(bytes);
}
void *__wrap_calloc(size_t n, size_t bytes)
{
    return refused() ? nullptr : __real_calloc(n, bytes);
}
void *__wrap_realloc(void *p, size_t bytes)
{
    return refused() ? nullptr : __real_realloc(p, bytes);
}
cudaError_t __real_cudaMalloc(void **p, size_t bytes);
cudaError_t __real_cudaMallocAsync(void **p, size_t bytes, cudaStream_t s);
cudaError_t __real_cudaFree(void *p);
cudaError_t __real_cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t __wrap_cudaMalloc(void **p, size_t bytes)
{
    if (made++ == failing)
        return cudaErrorMemoryAllocation;
    const cudaError_t e = __real_cudaMalloc(p, bytes);
    live += e == cudaSuccess;
    return e;
}
cudaError_t __wrap_cudaMallocAsync(void **p, size_t bytes, cudaStream_t s)
{
    if (made++ == failing)
        return cudaErrorMemoryAllocation;
    const cudaError_t e = __real_cudaMallocAsync(p, bytes, s);
    live += e == cudaSuccess;
    return e;
}
cudaError_t __wrap_cudaFree(void *p)
{
    live -= p != nullptr;
    return __real_cudaFree(p);
}
cudaError_t __wrap_cudaFreeAsync(void *p, cudaStream_t s)
{
    live -= p != nullptr;
    return __real_cudaFreeAsync(p, s);
}
}

/* What calls read and write, as it was before each of them, and as a call leaves it. */
enum { N = 24, LONG = 8192 };
static float *a, *b, *c, *x;
static std::vector<float> strong; /* with a large diagonal */
static void settle()
{
    const std::vector<float> ones(LONG, 1);
    for (float *p : {a, b, c})
        CUDA(cudaMemcpy(p, strong.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x, ones.data(), LONG * sizeof(float), cudaMemcpyHostToDevice));
}
static std::vector<float> left()
{
    std::vector<float> all(3 * N * N + LONG);
    for (int k = 0; k < 4; k++)
        CUDA(cudaMemcpy(all.data() + k * N * N, k == 0 ? a : k == 1 ? b : k == 2 ? c : x, (k < 3 ? N * N : LONG) * sizeof(float), cudaMemcpyDeviceToHost));
    return all;
}
/* Products with a transposed sparse matrix add atomically: their sums are rounded in any order. */
static bool same(const std::vector<float> &p, const std::vector<float> &q)
{
    for (size_t i = 0; i < p.size(); i++)
        if (memcmp(&p[i], &q[i], sizeof p[i]) && !(std::fabs(p[i] - q[i]) <= 1e-5f * std::max(1.f, std::fabs(q[i]))))
            return false;
    return true;
}
static int counted(const std::function<int()> &call, int which)
{
    settle();
    host_failing = which;
    host_made = 0;
    return call();
}
static void holds_on_the_host(const char *name, const std::function<int()> &call)
{
    const char *device = getenv("TERN_DEVICES");
    if (device && !strcmp(device, "interp")) /* kernels that end for want of memory end the stream */
        return;
    CHECK(counted(call, -1) == 0);
    const int all = host_made, before = live;
    host_made = -1;
    const std::vector<float> want = left();
    for (int k = 0; k < all && k < 200; k++) {
        const int s = counted(call, k);
        host_made = -1;
        const cudaError_t e = cudaDeviceSynchronize();
        const std::vector<float> got = left();
        cudaGetLastError();
        if (live == before && e == cudaSuccess && (s != 0 || same(got, want)))
            continue;
        printf("%s: the host's allocation %d of %d refused: status %d, %d kept, then %s%s\n", name, k, all, s, live - before, cudaGetErrorName(e), s ? "" : ", another result");
        exit(1);
    }
    CHECK(call() == 0 && live == before);
}

/* call: gives 0 where all went well, and gives back all that it made. least: allocations that it is known to need. */
static void holds(const char *name, int least, std::function<int()> call)
{
    if (const int s = call()) { /* what is made once */
        printf("%s: status %d\n", name, s);
        exit(1);
    }
    const int before = live;
    made = 0;
    CHECK(call() == 0 && live == before);
    const int all = made;
    if (all < least) {
        printf("%s: %d allocations, not %d\n", name, all, least);
        exit(1);
    }
    for (int k = 0; k < all && k < 40; k++) {
        made = 0;
        failing = k;
        const int s = call();
        failing = -1;
        const cudaError_t e = cudaDeviceSynchronize();
        if (s != 0 && live == before && e == cudaSuccess)
            continue;
        printf("%s: allocation %d of %d refused: status %d, %d kept, then %s\n", name, k, all, s, live - before, cudaGetErrorName(e));
        exit(1);
    }
    cudaGetLastError();
    CHECK(call() == 0 && live == before);
    holds_on_the_host(name, call);
}

template <class T> static T *put(const std::vector<T> &x)
{
    T *p;
    CUDA(cudaMalloc((void **)&p, (x.size() + 1) * sizeof(T)));
    CUDA(cudaMemcpy(p, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
/* Calls one after the other, until one does not succeed. */
#define TRY(...)                                                                                   \
    if (!s)                                                                                        \
        s = (int)(__VA_ARGS__);

static int *info, *pivots;
static float one = 1, zero = 0;
static void fresh() /* the test's own work */
{
    const int counting = host_made;
    host_made = -1;
    CUDA(cudaMemcpy(a, strong.data(), strong.size() * 4, cudaMemcpyHostToDevice));
    host_made = counting;
}

static void blas()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    float *as[2] = {a, a}, *cs[2] = {c, x}, **da = put(std::vector<float *>(as, as + 2)), **dc = put(std::vector<float *>(cs, cs + 2)), result;
    holds("cublasSnrm2", 1, [&] { return (int)cublasSnrm2(h, 500, a, 1, &result); });
    holds("cublasSgemvBatched", 0, [&] { return (int)cublasSgemvBatched(h, CUBLAS_OP_N, N, N, &one, da, N, da, 1, &zero, dc, 1, 2); });
    holds("cublasStrsv", 0, [&] { return (int)cublasStrsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, a, N, x, 1); });
    holds("cublasStrmm", 0, [&] { return (int)cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, N, &one, a, N, c, N, c, N); });
    holds("cublasSmatinvBatched", 0, [&] { return (int)cublasSmatinvBatched(h, N, da, N, dc, N, info, 1); });
    cublasXtHandle_t xt;
    int device = 0;
    BLAS(cublasXtCreate(&xt));
    BLAS(cublasXtDeviceSelect(xt, 1, &device));
    std::vector<float> host(N * N, 1), out(N * N);
    holds("cublasXtSgemm", 3, [&] { return (int)cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, host.data(), N, host.data(), N, &zero, out.data(), N); });
    holds("cublasXtSsyrk", 2, [&] { return (int)cublasXtSsyrk(xt, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, &one, host.data(), N, &zero, out.data(), N); });
    BLAS(cublasXtDestroy(xt));
    CUDA(cudaFree(da));
    CUDA(cudaFree(dc));
    BLAS(cublasDestroy(h));
}

static void transforms()
{
    holds("cufftPlan1d", 1, [&] {
        cufftHandle p = 0;
        int s = cufftCreate(&p);
        size_t work;
        TRY(cufftMakePlan1d(p, 5000, CUFFT_C2C, 1, &work));
        cufftComplex *data = nullptr;
        TRY(cudaMalloc((void **)&data, 5000 * 8));
        TRY(cufftExecC2C(p, data, data, CUFFT_FORWARD));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaFree(data));
        cufftDestroy(p);
        return s;
    });
    holds("cufftPlan1d of a prime", 1, [&] {
        cufftHandle p = 0;
        int s = cufftCreate(&p);
        size_t work;
        TRY(cufftMakePlan1d(p, 1009, CUFFT_R2C, 2, &work));
        TRY(cufftExecR2C(p, x, (cufftComplex *)(x + 4096)));
        CUDA(cudaDeviceSynchronize());
        cufftDestroy(p);
        return s;
    });
}

static void numbers()
{
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32})
        holds("curandGenerateUniform", 0, [&] {
            curandGenerator_t g = nullptr;
            int s = curandCreateGenerator(&g, type);
            TRY(curandGenerateUniform(g, x, 512));
            if (g)
                curandDestroyGenerator(g);
            return s;
        });
}

/* Tridiagonal, by rows. */
struct band {
    std::vector<int> off, idx;
    std::vector<float> val;
    band()
    {
        for (int i = 0; i < N; i++) {
            off.push_back((int)idx.size());
            for (int j = i ? i - 1 : 0; j < N && j <= i + 1; j++) {
                idx.push_back(j);
                val.push_back(i == j ? 4.f : -1.f);
            }
        }
        off.push_back((int)idx.size());
    }
};

static void sparse()
{
    const band m;
    const int nnz = (int)m.idx.size();
    int *off = put(m.off), *idx = put(m.idx), *o = put(std::vector<int>(400)), *i1 = put(std::vector<int>(1000)), *perm = put(std::vector<int>(400)), total;
    float *val = put(m.val), *out = put(std::vector<float>(4000));
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE, tr = CUSPARSE_OPERATION_TRANSPOSE;
    const cudaDataType f = CUDA_R_32F;
    const cusparseIndexType_t t = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t zero_based = CUSPARSE_INDEX_BASE_ZERO;
    cusparseHandle_t h;
    cusparseMatDescr_t d;
    cusparseSpMatDescr_t s1, coo, s3;
    cusparseDnVecDescr_t v, w;
    cusparseDnMatDescr_t dm, de;
    CHECK(!cusparseCreate(&h) && !cusparseCreateMatDescr(&d));
    CHECK(!cusparseCreateCsr(&s1, N, N, nnz, off, idx, val, t, t, zero_based, f));
    CHECK(!cusparseCreateCoo(&coo, N, N, nnz, idx, idx, val, t, zero_based, f));
    CHECK(!cusparseCreateDnVec(&v, N, a, f) && !cusparseCreateDnVec(&w, N, x, f));
    CHECK(!cusparseCreateDnMat(&dm, N, N, N, a, f, CUSPARSE_ORDER_COL) && !cusparseCreateDnMat(&de, N, N, N, c, f, CUSPARSE_ORDER_COL));
    holds("cusparseSpMV", 1, [&] { return (int)cusparseSpMV(h, tr, &one, s1, v, &zero, w, f, CUSPARSE_SPMV_ALG_DEFAULT, nullptr); });
    holds("cusparseSpMV of COO", 1, [&] { return (int)cusparseSpMV(h, op, &one, coo, v, &zero, w, f, CUSPARSE_SPMV_ALG_DEFAULT, nullptr); });
    holds("cusparseSpMM", 2, [&] { return (int)cusparseSpMM(h, op, op, &one, s1, dm, &zero, de, f, CUSPARSE_SPMM_ALG_DEFAULT, nullptr); });
    holds("cusparseDenseToSparse", 1, [&] {
        s3 = nullptr;
        int s = cusparseCreateCoo(&s3, N, N, 0, i1, i1, out, t, zero_based, f);
        TRY(cusparseDenseToSparse_analysis(h, dm, s3, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
        cusparseDestroySpMat(s3);
        return s;
    });
    holds("cusparseSpGEMM", 6, [&] {
        cusparseSpGEMMDescr_t g = nullptr;
        s3 = nullptr;
        size_t bytes = 1;
        int s = cusparseSpGEMM_createDescr(&g);
        TRY(cusparseCreateCsr(&s3, N, N, 0, o, nullptr, nullptr, t, t, zero_based, f));
        TRY(cusparseSpGEMM_workEstimation(h, op, op, &one, s1, s1, &zero, s3, f, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, out));
        TRY(cusparseSpGEMM_compute(h, op, op, &one, s1, s1, &zero, s3, f, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, out));
        cusparseDestroySpMat(s3);
        cusparseSpGEMM_destroyDescr(g);
        return s;
    });
    holds("cusparseSpSV", 1, [&] {
        cusparseSpSVDescr_t p = nullptr;
        int s = cusparseSpSV_createDescr(&p);
        TRY(cusparseSpSV_analysis(h, op, &one, s1, v, w, f, CUSPARSE_SPSV_ALG_DEFAULT, p, nullptr));
        TRY(cusparseSpSV_updateMatrix(h, p, out, CUSPARSE_SPSV_UPDATE_GENERAL));
        TRY(cusparseSpSV_solve(h, op, &one, s1, v, w, f, CUSPARSE_SPSV_ALG_DEFAULT, p));
        cusparseSpSV_destroyDescr(p);
        return s;
    });
    holds("cusparseScsrilu02_analysis", 1, [&] {
        csrilu02Info_t p = nullptr;
        int s = cusparseCreateCsrilu02Info(&p);
        TRY(cusparseScsrilu02_analysis(h, N, nnz, d, val, off, idx, p, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
        cusparseDestroyCsrilu02Info(p);
        return s;
    });
    holds("cusparseXcoosortByRow", 2, [&] { return (int)cusparseXcoosortByRow(h, N, N, nnz, i1, i1, perm, nullptr); });
    holds("cusparseXcsrsort", 2, [&] { return (int)cusparseXcsrsort(h, N, N, nnz, d, off, idx, nullptr, nullptr); });
    holds("cusparseScsru2csr", 3, [&] {
        csru2csrInfo_t p = nullptr;
        int s = cusparseCreateCsru2csrInfo(&p);
        TRY(cusparseScsru2csr(h, N, N, nnz, d, val, off, idx, p, nullptr));
        cusparseDestroyCsru2csrInfo(p);
        return s;
    });
    holds("cusparseCsr2cscEx2", 3, [&] { return (int)cusparseCsr2cscEx2(h, N, N, nnz, val, off, idx, out, o, i1, f, CUSPARSE_ACTION_NUMERIC, zero_based, CUSPARSE_CSR2CSC_ALG1, nullptr); });
    holds("cusparseSgtsv2", 4, [&] { return (int)cusparseSgtsv2(h, N, 2, a, a, a, c, N, nullptr); });
    holds("cusparseSnnz", 1, [&] { return (int)cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, N, N, d, a, N, o, &total); });
    holds("cusparseXgebsr2gebsrNnz", 2, [&] { return (int)cusparseXgebsr2gebsrNnz(h, CUSPARSE_DIRECTION_ROW, N, N, nnz, d, off, idx, 2, 2, d, o, 3, 3, &total, nullptr); });
    pruneInfo_t prune;
    CHECK(!cusparseCreatePruneInfo(&prune));
    holds("cusparseSpruneDense2csrNnzByPercentage", 2, [&] { return (int)cusparseSpruneDense2csrNnzByPercentage(h, N, N, a, N, 30, d, o, &total, prune, nullptr); });
    CHECK(!cusparseDestroyPruneInfo(prune));
    for (cusparseSpMatDescr_t p : {s1, coo})
        CHECK(!cusparseDestroySpMat(p));
    for (cusparseDnVecDescr_t p : {v, w})
        CHECK(!cusparseDestroyDnVec(p));
    for (cusparseDnMatDescr_t p : {dm, de})
        CHECK(!cusparseDestroyDnMat(p));
    CHECK(!cusparseDestroyMatDescr(d) && !cusparseDestroy(h));
    for (void *p : {(void *)off, (void *)idx, (void *)o, (void *)i1, (void *)perm, (void *)val, (void *)out})
        CUDA(cudaFree(p));
}

static void solvers()
{
    cusolverDnHandle_t h;
    CHECK(!cusolverDnCreate(&h));
    const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    holds("cusolverDnSpotrf", 0, [&] { fresh(); return (int)cusolverDnSpotrf(h, low, N, a, N, x, 0, info); });
    holds("cusolverDnSgetrf", 0, [&] { fresh(); return (int)cusolverDnSgetrf(h, N, N, a, N, x, pivots, info); });
    holds("cusolverDnSgeqrf", 0, [&] { fresh(); return (int)cusolverDnSgeqrf(h, N, N, a, N, c, x, 0, info); });
    holds("cusolverDnSsytrf", 0, [&] { fresh(); return (int)cusolverDnSsytrf(h, low, N, a, N, pivots, x, 0, info); });
    holds("cusolverDnSsyevd", 2, [&] { fresh(); return (int)cusolverDnSsyevd(h, vectors, low, N, a, N, c, x, 0, info); });
    holds("cusolverDnSgesvd", 2, [&] { fresh(); return (int)cusolverDnSgesvd(h, 'A', 'A', N, N, a, N, c, b, N, x, N, x, 0, nullptr, info); });
    syevjInfo_t sj;
    gesvdjInfo_t gj;
    CHECK(!cusolverDnCreateSyevjInfo(&sj) && !cusolverDnCreateGesvdjInfo(&gj));
    holds("cusolverDnSsyevj", 1, [&] { fresh(); return (int)cusolverDnSsyevj(h, vectors, low, N, a, N, c, x, 0, info, sj); });
    holds("cusolverDnSsyevjBatched", 1, [&] { fresh(); return (int)cusolverDnSsyevjBatched(h, vectors, low, 12, a, 12, c, x, 0, info, sj, 2); });
    holds("cusolverDnSgesvdjBatched", 1, [&] { fresh(); return (int)cusolverDnSgesvdjBatched(h, vectors, 12, 12, a, 12, c, b, 12, x, 12, x, 0, info, gj, 2); });
    CHECK(!cusolverDnDestroySyevjInfo(sj) && !cusolverDnDestroyGesvdjInfo(gj));
    double *da = put(std::vector<double>(strong.begin(), strong.end())), *db = put(std::vector<double>(N, 1)), *dx = put(std::vector<double>(N));
    int steps;
    holds("cusolverDnDSgesv", 3, [&] { return (int)cusolverDnDSgesv(h, N, 1, da, N, pivots, db, N, dx, N, nullptr, 0, &steps, info); });
    holds("cusolverDnDSgels", 3, [&] { return (int)cusolverDnDSgels(h, N, N, 1, da, N, db, N, dx, N, nullptr, 0, &steps, info); });
    for (double *p : {da, db, dx})
        CUDA(cudaFree(p));
    CHECK(!cusolverDnDestroy(h));

    /* cusolverRf keeps copies of its factors for those who ask. */
    std::vector<int> p(N + 1), q(N);
    std::vector<double> v(N, 2);
    for (int i = 0; i <= N; i++)
        p[i] = i;
    for (int i = 0; i < N; i++)
        q[i] = i;
    holds("cusolverRfAccessBundledFactorsDevice", 3, [&] {
        cusolverRfHandle_t rf = nullptr;
        int nnz, *mp, *mc;
        double *mv;
        int s = cusolverRfCreate(&rf);
        TRY(cusolverRfSetupHost(N, N, p.data(), q.data(), v.data(), N, p.data(), q.data(), v.data(), N, p.data(), q.data(), v.data(), q.data(), q.data(), rf));
        TRY(cusolverRfAnalyze(rf));
        TRY(cusolverRfRefactor(rf));
        TRY(cusolverRfAccessBundledFactorsDevice(rf, &nnz, &mp, &mc, &mv));
        cusolverRfDestroy(rf);
        return s;
    });
}

int main()
{
    strong.resize(N * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            strong[i + j * N] = i == j ? 40.f + i : 1.f / (1 + i + j);
    a = put(strong), b = put(strong), c = put(strong), x = put(std::vector<float>(LONG, 1));
    info = put(std::vector<int>(8)), pivots = put(std::vector<int>(N));
    blas();
    transforms();
    numbers();
    sparse();
    solvers();
    for (void *p : {(void *)a, (void *)b, (void *)c, (void *)x, (void *)info, (void *)pivots})
        CUDA(cudaFree(p));
    puts("ok");
}

/* cuFFT, cuSPARSE, cuRAND and cuSOLVER's speed, of whichever library it is linked with: a line for each case (name, time in µs, rate,
 * unit), for `libs`, which holds two libraries against each other. What the results are is test/lib's matter. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include "cublas_v2.h"
#include "cufft.h"
#include "curand.h"
#include "cusolverDn.h"
#include "cusparse.h"
#include "timing.hpp"

static char *memory;
static const size_t ROOM = (size_t)6 << 30;

static void fill_uniform(size_t floats)
{
    std::vector<float> host(floats);
    unsigned seed = 1;
    for (float &f : host) {
        seed = seed * 1664525u + 1013904223u;
        f = (float)(seed >> 8) / (1 << 23) - 1;
    }
    NEED(cudaMemcpy(memory, host.data(), floats * 4, cudaMemcpyHostToDevice));
}

/* A transform counts the bytes it must at least move: read once and written once. */
static void fft(std::vector<int> n, int batch, cufftType type)
{
    static const struct { cufftType type; const char *name; int in, out; } kinds[] = {
        {CUFFT_C2C, "c2c", 8, 8}, {CUFFT_Z2Z, "z2z", 16, 16}, {CUFFT_R2C, "r2c", 4, 4}, {CUFFT_D2Z, "d2z", 8, 8}};
    std::string name = "fft_";
    double points = batch, bytes = 0;
    for (size_t i = 0; i < n.size(); i++) {
        name += (i ? "x" : "") + std::to_string(n[i]);
        points *= n[i];
    }
    for (auto &k : kinds)
        if (k.type == type) {
            name += std::string("_") + k.name + "_b" + std::to_string(batch);
            bytes = points * (k.in + k.out);
        }
    guarded(name, [&] {
        cufftHandle plan;
        NEED(cufftPlanMany(&plan, (int)n.size(), n.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch));
        char *out = memory + ROOM / 2;
        time_case(name, bytes, "GB/s", [&] {
            switch (type) {
            case CUFFT_C2C: NEED(cufftExecC2C(plan, (cufftComplex *)memory, (cufftComplex *)out, CUFFT_FORWARD)); break;
            case CUFFT_Z2Z: NEED(cufftExecZ2Z(plan, (cufftDoubleComplex *)memory, (cufftDoubleComplex *)out, CUFFT_FORWARD)); break;
            case CUFFT_R2C: NEED(cufftExecR2C(plan, (cufftReal *)memory, (cufftComplex *)out)); break;
            default: NEED(cufftExecD2Z(plan, (cufftDoubleReal *)memory, (cufftDoubleComplex *)out)); break;
            }
        });
        NEED(cufftDestroy(plan));
    });
}

static void ffts()
{
    for (int n : {8, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 18, 1 << 20, 1 << 24, 243, 625, 2187, 3125, 2401, 1000, 1009, 1920, 100003})
        for (cufftType t : {CUFFT_C2C, CUFFT_Z2Z})
            fft({n}, n < 1 << 24 ? (1 << 24) / n : 1, t);
    for (cufftType t : {CUFFT_R2C, CUFFT_D2Z})
        for (int n : {256, 1024, 4096, 1 << 20})
            fft({n}, (1 << 24) / n, t);
    for (cufftType t : {CUFFT_C2C, CUFFT_Z2Z, CUFFT_R2C}) {
        fft({1024, 1024}, 16, t);
        fft({4096, 4096}, 1, t);
        fft({256, 256, 256}, 1, t);
        fft({100, 120, 90}, 8, t);
    }
}

struct csr {
    std::vector<int> start{0}, column;
    int rows;
};

static csr matrix(const std::string &kind, int rows, int each = 32)
{
    csr m;
    m.rows = rows;
    unsigned seed = 7;
    auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 4; };
    for (int r = 0; r < rows; r++) {
        int count = each;
        if (kind == "power")
            count = (int)std::min(4096.0, 4 / std::pow((next() % 100000 + 1) / 100000.0, 0.7));
        if (kind == "dense_row" && r == rows / 2)
            count = rows;
        for (int k = 0; k < count; k++) {
            int c = kind == "banded" ? std::min(rows - 1, std::max(0, r - count / 2 + k)) : count == rows ? k : (int)(next() % (unsigned)rows);
            if (kind == "block")
                c = (int)((long long)(r / 32) * 32 + k) % rows;
            m.column.push_back(c);
        }
        m.start.push_back((int)m.column.size());
    }
    return m;
}

/* As cuSPARSE wants it: each column once in a row. */
static void sort_rows(csr &m)
{
    std::vector<int> start{0}, column;
    for (int r = 0; r < m.rows; r++) {
        std::vector<int> row(m.column.begin() + m.start[r], m.column.begin() + m.start[r + 1]);
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        column.insert(column.end(), row.begin(), row.end());
        start.push_back((int)column.size());
    }
    m.start = start;
    m.column = column;
}

/* A * A from nothing to the result; only buffers are there already. What comes of it is told for whoever holds both libraries' against each other. */
static void square(cusparseHandle_t h, const std::string &kind, int each)
{
    csr m = matrix(kind, 1 << 17, each);
    sort_rows(m);
    const int64_t rows = m.rows, nonzeros = (int64_t)m.column.size();
    double products = 0;
    for (int c : m.column)
        products += m.start[c + 1] - m.start[c];
    const std::string name = "spgemm_" + kind;
    guarded(name, [&] {
        char *p = memory + ((size_t)1 << 30);
        int *start = (int *)p, *column = (int *)(p + ((size_t)16 << 20)), *result = (int *)(p + ((size_t)8 << 20)), *columns = (int *)(p + ((size_t)1 << 30));
        float *value = (float *)memory, *values = (float *)(p + ((size_t)3 << 30));
        NEED(cudaMemcpy(start, m.start.data(), m.start.size() * 4, cudaMemcpyHostToDevice));
        NEED(cudaMemcpy(column, m.column.data(), m.column.size() * 4, cudaMemcpyHostToDevice));
        const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
        const float one = 1, zero = 0;
        cusparseSpMatDescr_t a, c;
        NEED(cusparseCreateCsr(&a, rows, rows, nonzeros, start, column, value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        NEED(cusparseCreateCsr(&c, rows, rows, 0, result, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        void *buffer[2] = {};
        size_t room[2] = {};
        int64_t count = 0;
        auto need_room = [&](int k, size_t bytes) {
            if (bytes > room[k]) {
                NEED(cudaFree(buffer[k]));
                NEED(cudaMalloc(&buffer[k], bytes));
                room[k] = bytes;
            }
        };
        time_case(name, products * 2, "GFLOP/s", [&] {
            const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
            cusparseSpGEMMDescr_t d;
            size_t bytes = 0;
            int64_t r, k;
            NEED(cusparseSpGEMM_createDescr(&d));
            NEED(cusparseSpGEMM_workEstimation(h, N, N, &one, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes, nullptr));
            need_room(0, bytes);
            NEED(cusparseSpGEMM_workEstimation(h, N, N, &one, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes, buffer[0]));
            NEED(cusparseSpGEMM_compute(h, N, N, &one, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes, nullptr));
            need_room(1, bytes);
            NEED(cusparseSpGEMM_compute(h, N, N, &one, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes, buffer[1]));
            NEED(cusparseSpMatGetSize(c, &r, &k, &count));
            need((size_t)count * 4 > ROOM - ((size_t)4 << 30), "room for the result");
            NEED(cusparseCsrSetPointers(c, result, columns, values));
            NEED(cusparseSpGEMM_copy(h, N, N, &one, a, a, &zero, c, CUDA_R_32F, alg, d));
            NEED(cusparseSpGEMM_destroyDescr(d));
        });
        std::vector<int> ends(rows + 1), where(count);
        std::vector<float> sums(count);
        NEED(cudaMemcpy(ends.data(), result, ends.size() * 4, cudaMemcpyDeviceToHost));
        NEED(cudaMemcpy(where.data(), columns, where.size() * 4, cudaMemcpyDeviceToHost));
        NEED(cudaMemcpy(sums.data(), values, sums.size() * 4, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int64_t r = 0; r < rows; r++)
            for (int k = ends[r]; k < ends[r + 1]; k++)
                sum += sums[k] * ((where[k] ^ r) % 61 + 1.0);
        printf("# %s: %lld of %.0f products, sum %.6g\n", name.c_str(), (long long)count, products, sum);
        for (void *b : buffer)
            NEED(cudaFree(b));
        NEED(cusparseDestroySpMat(a));
        NEED(cusparseDestroySpMat(c));
    });
}

/* Those kinds whose name `what` has, or all of them. */
static void squares(cusparseHandle_t h, const std::string &what)
{
    static const struct { const char *kind; int each; } all[] = {{"banded", 32}, {"block", 32}, {"random", 16}, {"power", 0}};
    for (auto &m : all)
        if (what == "sparse" || what.find(std::string("spgemm_") + m.kind) != what.npos)
            square(h, m.kind, m.each);
}

static void sparse(cusparseHandle_t h)
{
    for (const char *kind : {"banded", "random", "power", "block", "dense_row"}) {
        const csr m = matrix(kind, 1 << 20);
        const int64_t nonzeros = (int64_t)m.column.size(), rows = m.rows;
        char *p = memory + ((size_t)1 << 30);
        int *start = (int *)p, *column = (int *)(p + ((size_t)16 << 20));
        float *value = (float *)memory, *x = (float *)(p + ((size_t)1 << 30)), *y = x + ((size_t)1 << 26);
        void *work = memory + ((size_t)4 << 30);
        NEED(cudaMemcpy(start, m.start.data(), m.start.size() * 4, cudaMemcpyHostToDevice));
        NEED(cudaMemcpy(column, m.column.data(), m.column.size() * 4, cudaMemcpyHostToDevice));
        NEED(cudaMemset(x, 0, (size_t)1 << 28));
        const float one = 1, zero = 0;
        cusparseSpMatDescr_t a;
        NEED(cusparseCreateCsr(&a, rows, rows, nonzeros, start, column, value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        guarded(std::string("spmv_") + kind, [&] {
            cusparseDnVecDescr_t vx, vy;
            size_t bytes;
            NEED(cusparseCreateDnVec(&vx, rows, x, CUDA_R_32F));
            NEED(cusparseCreateDnVec(&vy, rows, y, CUDA_R_32F));
            NEED(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
            time_case(std::string("spmv_") + kind, nonzeros * 8.0 + rows * 12.0, "GB/s",
                      [&] { NEED(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, work)); });
        });
        guarded(std::string("spmm32_") + kind, [&] {
            cusparseDnMatDescr_t mx, my;
            size_t bytes;
            NEED(cusparseCreateDnMat(&mx, rows, 32, 32, x, CUDA_R_32F, CUSPARSE_ORDER_ROW));
            NEED(cusparseCreateDnMat(&my, rows, 32, 32, y, CUDA_R_32F, CUSPARSE_ORDER_ROW));
            NEED(cusparseSpMM_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, mx, &zero, my, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
            time_case(std::string("spmm32_") + kind, nonzeros * 64.0, "GFLOP/s", [&] {
                NEED(cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, mx, &zero, my, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, work));
            });
        });
        NEED(cusparseDestroySpMat(a));
    }
}

static void random_numbers()
{
    static const struct { curandRngType_t type; const char *name; } kinds[] = {
        {CURAND_RNG_PSEUDO_XORWOW, "xorwow"}, {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a"}, {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox"}};
    const size_t n = (size_t)1 << 28;
    for (auto &k : kinds)
        guarded(std::string("rand_") + k.name, [&] {
            curandGenerator_t g;
            NEED(curandCreateGenerator(&g, k.type));
            time_case(std::string("rand_uniform_") + k.name, n * 4.0, "GB/s", [&] { NEED(curandGenerateUniform(g, (float *)memory, n)); });
            time_case(std::string("rand_normal_") + k.name, n * 4.0, "GB/s", [&] { NEED(curandGenerateNormal(g, (float *)memory, n, 0, 1)); });
            NEED(curandDestroyGenerator(g));
        });
}

static void solver(int n)
{
    cusolverDnHandle_t h;
    NEED(cusolverDnCreate(&h));
    double *a = (double *)memory, *keep = (double *)(memory + ((size_t)1 << 30)), *work = (double *)(memory + ((size_t)2 << 30)), *more = (double *)(memory + ((size_t)5 << 30));
    int *info = (int *)more, *pivot = info + 1024, room = 0;
    double *tau = more + (1 << 20);
    std::vector<double> host((size_t)n * n);
    unsigned seed = 3;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            seed = seed * 1664525u + 1013904223u;
            host[(size_t)j * n + i] = host[(size_t)i * n + j] = (double)(seed >> 8) / (1 << 24) + (i == j ? n : 0);
        }
    NEED(cudaMemcpy(keep, host.data(), host.size() * 8, cudaMemcpyHostToDevice));
    const std::string size = "_" + std::to_string(n);
    const double cube = (double)n * n * n;
    auto again = [&] { NEED(cudaMemcpyAsync(a, keep, host.size() * 8, cudaMemcpyDeviceToDevice, 0)); };
    guarded("potrf" + size, [&] {
        NEED(cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, n, a, n, &room));
        time_case("potrf" + size, cube / 3, "GFLOP/s", [&] { again(); NEED(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, a, n, work, room, info)); });
    });
    guarded("getrf" + size, [&] {
        NEED(cusolverDnDgetrf_bufferSize(h, n, n, a, n, &room));
        time_case("getrf" + size, cube * 2 / 3, "GFLOP/s", [&] { again(); NEED(cusolverDnDgetrf(h, n, n, a, n, work, pivot, info)); });
    });
    guarded("geqrf" + size, [&] {
        NEED(cusolverDnDgeqrf_bufferSize(h, n, n, a, n, &room));
        time_case("geqrf" + size, cube * 4 / 3, "GFLOP/s", [&] { again(); NEED(cusolverDnDgeqrf(h, n, n, a, n, tau, work, room, info)); });
    });
    if (n > 2048)
        return;
    guarded("syevd" + size, [&] {
        NEED(cusolverDnDsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, tau, &room));
        time_case("syevd" + size, cube * 9, "GFLOP/s", [&] { again(); NEED(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, tau, work, room, info)); });
    });
    if (n > 1024)
        return;
    guarded("gesvd" + size, [&] {
        double *u = more + (1 << 21), *v = u + (size_t)n * n;
        NEED(cusolverDnDgesvd_bufferSize(h, n, n, &room));
        time_case("gesvd" + size, cube * 20, "GFLOP/s", [&] { again(); NEED(cusolverDnDgesvd(h, 'A', 'A', n, n, a, n, tau, u, n, v, n, work, room, nullptr, info)); });
    });
}

/* 512 matrices of n rows, each time from what they were: copying them is in both libraries' times. */
template <class T> struct of;
template <> struct of<double> {
    static constexpr const char *name = "_f64_";
    static constexpr auto getrf = cublasDgetrfBatched;
    static constexpr auto geqrf = cublasDgeqrfBatched;
    static constexpr auto potrf = cusolverDnDpotrfBatched;
    static constexpr auto syevj = cusolverDnDsyevjBatched;
    static constexpr auto syevj_room = cusolverDnDsyevjBatched_bufferSize;
    static constexpr auto gesvdj = cusolverDnDgesvdjBatched;
    static constexpr auto gesvdj_room = cusolverDnDgesvdjBatched_bufferSize;
};
template <> struct of<float> {
    static constexpr const char *name = "_f32_";
    static constexpr auto getrf = cublasSgetrfBatched;
    static constexpr auto geqrf = cublasSgeqrfBatched;
    static constexpr auto potrf = cusolverDnSpotrfBatched;
    static constexpr auto syevj = cusolverDnSsyevjBatched;
    static constexpr auto syevj_room = cusolverDnSsyevjBatched_bufferSize;
    static constexpr auto gesvdj = cusolverDnSgesvdjBatched;
    static constexpr auto gesvdj_room = cusolverDnSgesvdjBatched_bufferSize;
};
template <class T> static void batch(int n)
{
    enum { COUNT = 512 };
    const size_t all = (size_t)n * n * COUNT, part = (size_t)256 << 20;
    T *a = (T *)memory, *keep = (T *)(memory + part), *values = (T *)(memory + 2 * part), *u = (T *)(memory + 3 * part), *v = (T *)(memory + 4 * part), *work = (T *)(memory + 5 * part);
    T **each = (T **)(memory + 6 * part), **taus = each + COUNT;
    int *info = (int *)(taus + COUNT), *pivots = info + COUNT, room = 0, bad = 0;
    std::vector<T> host(all);
    std::vector<T *> at(2 * COUNT);
    unsigned seed = 5;
    for (int z = 0; z < COUNT; z++) {
        at[z] = a + (size_t)z * n * n;
        at[z + COUNT] = values + (size_t)z * n;
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++) {
                seed = seed * 1664525u + 1013904223u;
                host[(size_t)z * n * n + i + j * n] = host[(size_t)z * n * n + j + i * n] = (T)(seed >> 8) / (1 << 23) - 1 + (i == j ? 2 * n : 0);
            }
    }
    NEED(cudaMemcpy(keep, host.data(), all * sizeof(T), cudaMemcpyHostToDevice));
    NEED(cudaMemcpy(each, at.data(), at.size() * sizeof(T *), cudaMemcpyHostToDevice));
    cublasHandle_t b;
    cusolverDnHandle_t h;
    syevjInfo_t eigen;
    gesvdjInfo_t singular;
    NEED(cublasCreate(&b));
    NEED(cusolverDnCreate(&h));
    NEED(cusolverDnCreateSyevjInfo(&eigen));
    NEED(cusolverDnCreateGesvdjInfo(&singular));
    const std::string size = of<T>::name + std::to_string(n);
    auto timed = [&](const char *name, const std::function<void()> &run) {
        guarded(name + size, [&] {
            time_case(name + size, COUNT * 1e3, "matrices/s", [&] {
                NEED(cudaMemcpyAsync(a, keep, all * sizeof(T), cudaMemcpyDeviceToDevice, 0));
                run();
            });
        });
    };
    timed("getrfBatched", [&] { NEED(of<T>::getrf(b, n, each, n, pivots, info, COUNT)); });
    timed("geqrfBatched", [&] { NEED(of<T>::geqrf(b, n, n, each, n, taus, &bad, COUNT)); });
    timed("potrfBatched", [&] { NEED(of<T>::potrf(h, CUBLAS_FILL_MODE_LOWER, n, each, n, info, COUNT)); });
    NEED(of<T>::syevj_room(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, values, &room, eigen, COUNT));
    timed("syevjBatched", [&] { NEED(of<T>::syevj(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, values, work, room, info, eigen, COUNT)); });
    if (n <= 32) { /* as many as NVIDIA's takes */
        NEED(of<T>::gesvdj_room(h, CUSOLVER_EIG_MODE_VECTOR, n, n, a, n, values, u, n, v, n, &room, singular, COUNT));
        timed("gesvdjBatched", [&] { NEED(of<T>::gesvdj(h, CUSOLVER_EIG_MODE_VECTOR, n, n, a, n, values, u, n, v, n, work, room, info, singular, COUNT)); });
    }
    NEED(cusolverDnDestroyGesvdjInfo(singular));
    NEED(cusolverDnDestroySyevjInfo(eigen));
    NEED(cusolverDnDestroy(h));
    NEED(cublasDestroy(b));
}

int main(int argc, char **argv)
{
    NEED(cudaMalloc((void **)&memory, ROOM));
    NEED(cudaEventCreate(&from));
    NEED(cudaEventCreate(&to));
    fill_uniform((size_t)1 << 26);
    NEED(cudaMemset(memory + ROOM / 2, 0, ROOM / 2));
    const std::string what = argc > 1 ? argv[1] : "fft sparse rand solver";
    if (what.find("fft") != what.npos)
        ffts();
    if (what.find("sp") != what.npos) {
        cusparseHandle_t h;
        NEED(cusparseCreate(&h));
        squares(h, what.find("sparse") != what.npos ? "sparse" : what);
        if (what.find("sparse") != what.npos)
            sparse(h);
        NEED(cusparseDestroy(h));
    }
    if (what.find("rand") != what.npos)
        random_numbers();
    if (what.find("solver") != what.npos)
        for (int n : {1024, 2048, 8192})
            solver(n);
    if (what.find("batch") != what.npos)
        for (int n : {20, 30, 32, 48, 64}) {
            batch<double>(n);
            batch<float>(n);
        }
}

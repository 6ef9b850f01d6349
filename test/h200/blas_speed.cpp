/* cuBLAS's speed and results, of whichever library it is linked with: prints a line for each case (name, time in µs, TFLOP/s or GB/s)
 * and writes parts of the results to a file, so that two libraries can be held against each other.
 *   blas_speed run FILE [SECONDS [PART OF A NAME]]          blas_speed compare FILE FILE */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "cuda_runtime_api.h"
#include "cublas_v2.h"
#include "cublasLt.h"

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static FILE *out;
static cublasHandle_t h;
static char *memory; /* A, B, C */
static const size_t PART = (size_t)1 << 30;
static double seconds; /* how long a case may take */
static const char *only = ""; /* cases whose names have it */

static unsigned seed = 1;
static float uniform()
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (1 << 23) - 1;
}

static uint16_t half_bits(float f) /* of numbers between -1 and 1; the last bits do not matter */
{
    uint32_t u;
    memcpy(&u, &f, 4);
    const int e = (int)(u >> 23 & 255) - 112;
    return (uint16_t)(u >> 31 << 15 | (e <= 0 ? 0 : (uint32_t)e << 10 | (u >> 13 & 1023)));
}

/* Fills a part with random elements of a kind. */
static void fill(int part, size_t n, cudaDataType type)
{
    const size_t size = type == CUDA_R_64F || type == CUDA_C_32F ? 8 : type == CUDA_R_32F ? 4 : type == CUDA_R_8I ? 1 : 2;
    std::vector<char> host(n * size);
    for (size_t i = 0; i < n; i++) {
        const float f = uniform();
        uint32_t u;
        memcpy(&u, &f, 4);
        switch (type) {
        case CUDA_R_64F: ((double *)host.data())[i] = f; break;
        case CUDA_R_32F: ((float *)host.data())[i] = f; break;
        case CUDA_R_16F: ((uint16_t *)host.data())[i] = half_bits(f); break;
        case CUDA_R_16BF: ((uint16_t *)host.data())[i] = (uint16_t)(u >> 16); break;
        case CUDA_R_8I: ((int8_t *)host.data())[i] = (int8_t)(f * 100); break;
        default: break;
        }
    }
    CUDA(cudaMemcpy(memory + part * PART, host.data(), host.size(), cudaMemcpyHostToDevice));
}

/* Writes the first elements of C as doubles. */
static void keep(const char *name, cudaDataType type, size_t n)
{
    n = n < 20000 ? n : 20000;
    std::vector<char> raw(n * 8);
    const size_t size = type == CUDA_R_64F ? 8 : type == CUDA_R_32F || type == CUDA_R_32I ? 4 : 2;
    CUDA(cudaMemcpy(raw.data(), memory + 2 * PART, n * size, cudaMemcpyDeviceToHost));
    char label[64] = "";
    snprintf(label, sizeof label, "%s", name);
    const uint64_t count = n;
    fwrite(label, 1, sizeof label, out);
    fwrite(&count, 8, 1, out);
    for (size_t i = 0; i < n; i++) {
        double v = 0;
        uint32_t u;
        float f;
        switch (type) {
        case CUDA_R_64F: v = ((double *)raw.data())[i]; break;
        case CUDA_R_32F: v = ((float *)raw.data())[i]; break;
        case CUDA_R_32I: v = ((int *)raw.data())[i]; break;
        case CUDA_R_16BF:
            u = (uint32_t)((uint16_t *)raw.data())[i] << 16;
            memcpy(&f, &u, 4);
            v = f;
            break;
        case CUDA_R_16F: {
            const uint16_t b = ((uint16_t *)raw.data())[i];
            v = ldexp((b >> 10 & 31 ? 1024 : 0) + (b & 1023), (b >> 10 & 31 ? b >> 10 & 31 : 1) - 25) * (b >> 15 ? -1 : 1);
            break;
        }
        default: break;
        }
        fwrite(&v, 8, 1, out);
    }
}

template <class F> void time_it(const char *name, double work, const char *unit, F call)
{
    cudaEvent_t from, to;
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    cublasStatus_t s = call();
    if (s != CUBLAS_STATUS_SUCCESS) {
        printf("%-28s %10s %10s status %d\n", name, "-", "-", (int)s);
        return;
    }
    CUDA(cudaDeviceSynchronize());
    float ms = 0, best = 1e30f;
    int reps = 1;
    for (int round = 0; round < 4; round++) {
        CUDA(cudaEventRecord(from, nullptr));
        for (int i = 0; i < reps; i++)
            call();
        CUDA(cudaEventRecord(to, nullptr));
        CUDA(cudaEventSynchronize(to));
        CUDA(cudaEventElapsedTime(&ms, from, to));
        best = std::fmin(best, ms / (float)reps);
        reps = (int)std::fmax(1, std::fmin(2000, seconds / 4 * 1000 / best));
    }
    printf("%-28s %10.1f %10.3f %s\n", name, best * 1e3, work / best / (unit[0] == 'T' ? 1e9 : 1e6), unit);
    fflush(stdout);
}

static void gemm(const char *type_name, cudaDataType in, cudaDataType to, cublasComputeType_t compute, cublasOperation_t ta, cublasOperation_t tb, int n, int count)
{
    char name[64];
    snprintf(name, sizeof name, count > 1 ? "%s_%c%c_%d_x%d" : "%s_%c%c_%d", type_name, "NT"[ta], "NT"[tb], n, count);
    const size_t each = (size_t)n * n;
    if (!strstr(name, only))
        return;
    fill(0, each * count, in);
    fill(1, each * count, in);
    CUDA(cudaMemset(memory + 2 * PART, 0, each * count * 8));
    const float one = 1, zero = 0;
    const double done = 1, dzero = 0;
    const int ione = 1, izero = 0;
    const void *al = compute == CUBLAS_COMPUTE_64F ? (const void *)&done : compute == CUBLAS_COMPUTE_32I ? (const void *)&ione : &one;
    const void *be = compute == CUBLAS_COMPUTE_64F ? (const void *)&dzero : compute == CUBLAS_COMPUTE_32I ? (const void *)&izero : &zero;
    time_it(name, 2.0 * n * n * (double)n * count, "TFLOP/s", [&] {
        return cublasGemmStridedBatchedEx(h, ta, tb, n, n, n, al, memory, in, n, (long long)each, memory + PART, in, n, (long long)each, be, memory + 2 * PART, to, n,
                                          (long long)each, count, compute, CUBLAS_GEMM_DEFAULT);
    });
    keep(name, to, each * count);
}

static int run()
{
    const cublasOperation_t N = CUBLAS_OP_N, T = CUBLAS_OP_T;
    if (cublasCreate(&h)) {
        puts("no handle");
        return 1;
    }
    CUDA(cudaMalloc((void **)&memory, 3 * PART));
    for (int n : {256, 1024, 4096}) {
        gemm("f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, N, N, n, 1);
        gemm("f64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, N, N, n, 1);
        gemm("f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, T, N, n, 1);
        gemm("bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, T, N, n, 1);
        gemm("tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, T, N, n, 1);
        gemm("s8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, T, N, n, 1);
    }
    gemm("f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, T, T, 4096, 1);
    gemm("f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, N, N, 4096, 1);
    gemm("bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, N, T, 4096, 1);
    gemm("bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, T, N, 8192, 1);
    gemm("f64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, T, N, 8192, 1);
    gemm("f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, N, N, 32, 4096);
    gemm("f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, N, N, 128, 512);
    gemm("f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, N, N, 64, 1024);
    gemm("f64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, N, N, 64, 1024);
    if (*only)
        return cublasDestroy(h);
    const int n = 1 << 26, m = 8192;
    const float alpha = 1.5f, beta = 0;
    float *x = (float *)memory, *y = (float *)(memory + PART), *r = (float *)(memory + 2 * PART);
    fill(0, n, CUDA_R_32F);
    fill(1, n, CUDA_R_32F);
    time_it("saxpy", 12.0 * n, "GB/s", [&] { return cublasSaxpy(h, n, &alpha, x, 1, y, 1); });
    time_it("sscal", 8.0 * n, "GB/s", [&] { return cublasSscal(h, n, &beta + 0, r, 1); });
    time_it("scopy", 8.0 * n, "GB/s", [&] { return cublasScopy(h, n, x, 1, r, 1); });
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    float *result = (float *)(memory + 3 * PART - 4096);
    time_it("sdot", 8.0 * n, "GB/s", [&] { return cublasSdot(h, n, x, 1, y, 1, result); });
    time_it("snrm2", 4.0 * n, "GB/s", [&] { return cublasSnrm2(h, n, x, 1, result); });
    time_it("isamax", 4.0 * n, "GB/s", [&] { return cublasIsamax(h, n, x, 1, (int *)result); });
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
    fill(1, m, CUDA_R_32F); /* what was added to it depends on how often */
    time_it("sgemv_n", 4.0 * m * m, "GB/s", [&] { return cublasSgemv(h, N, m, m, &alpha, x, m, y, 1, &beta, r, 1); });
    keep("sgemv_n", CUDA_R_32F, m);
    time_it("sgemv_t", 4.0 * m * m, "GB/s", [&] { return cublasSgemv(h, T, m, m, &alpha, x, m, y, 1, &beta, r, 1); });
    keep("sgemv_t", CUDA_R_32F, m);
    fill(0, 4096 * 4096, CUDA_R_64F);
    const double done = 1;
    time_it("dtrsm_4096", (double)4096 * 4096 * 1024, "TFLOP/s", [&] {
        return cublasDtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, N, CUBLAS_DIAG_UNIT, 4096, 1024, &done, (double *)memory, 4096, (double *)(memory + 2 * PART), 4096);
    });
    return cublasDestroy(h);
}

static int compare(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    char la[64], lb[64];
    uint64_t na, nb;
    int bad = 0, all = 0;
    while (f && g && fread(la, 1, 64, f) == 64 && fread(lb, 1, 64, g) == 64 && fread(&na, 8, 1, f) && fread(&nb, 8, 1, g) && na == nb && !strcmp(la, lb)) {
        std::vector<double> u(na), v(na);
        if (fread(u.data(), 8, na, f) != na || fread(v.data(), 8, na, g) != na)
            break;
        double most = 0, square = 0, difference = 0;
        for (size_t i = 0; i < na; i++) {
            square += v[i] * v[i];
            difference += (u[i] - v[i]) * (u[i] - v[i]);
            most = std::fmax(most, std::fabs(u[i] - v[i]));
        }
        const double relative = square > 0 ? std::sqrt(difference / square) : std::sqrt(difference);
        const double bound = strstr(la, "s8") ? 0 : strstr(la, "bf16") ? 4e-3 : strstr(la, "f16") ? 5e-4 : strstr(la, "tf32") ? 2e-3 : strstr(la, "f64") ? 1e-14 : 1e-5;
        all++;
        if (!(relative <= bound)) {
            bad++;
            printf("DIFFERS %s: relative %g, largest %g\n", la, relative, most);
        }
    }
    printf("%d cases, %d differ\n", all, bad);
    return bad || !all;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "compare"))
        return compare(argv[2], argv[3]);
    if (argc < 3 || !(out = fopen(argv[2], "wb")))
        return 2;
    seconds = argc > 3 ? atof(argv[3]) : 0.1;
    only = argc > 4 ? argv[4] : "";
    const int status = run();
    fclose(out);
    return status;
}

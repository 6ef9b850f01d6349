/* cuBLASLt's speed with the products of a language model (GPT-2's 124 million parameters: forwards with biases and GELU, and both gradients), of
 * whichever library it is linked with: a line for each case with name, time in µs, TFLOP/s and a sum over the result, so that two libraries
 * can be held against each other.
 *   lt_speed [SECONDS [PART OF A NAME]] */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "cuda_runtime_api.h"
#include "cublasLt.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        const int e_ = (int)(call);                                                                \
        if (e_) {                                                                                  \
            printf("%d: %s: %d\n", __LINE__, #call, e_);                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static cublasLtHandle_t lt;
static char *a, *b, *d, *aux, *bias, *workspace;
static const size_t ROOM = 32 << 20;
static double seconds = 0.02;
static const char *only = "";

static unsigned seed = 1;
static float uniform()
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (1 << 23) - 1;
}
static char *random(size_t n, bool half, float scale)
{
    std::vector<char> host(n * (half ? 2 : 4));
    for (size_t i = 0; i < n; i++) {
        const float f = uniform() * scale;
        uint32_t u;
        memcpy(&u, &f, 4);
        if (half)
            ((uint16_t *)host.data())[i] = (uint16_t)(u >> 16);
        else
            ((float *)host.data())[i] = f;
    }
    char *p;
    OK(cudaMalloc((void **)&p, host.size()));
    OK(cudaMemcpy(p, host.data(), host.size(), cudaMemcpyHostToDevice));
    return p;
}

/* Of elements all over the result. */
static double sum_of(size_t n, bool half)
{
    std::vector<char> host(n * (half ? 2 : 4));
    double sum = 0;
    OK(cudaMemcpy(host.data(), d, host.size(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i += 977) {
        float f;
        uint32_t u = half ? (uint32_t)((uint16_t *)host.data())[i] << 16 : ((uint32_t *)host.data())[i];
        memcpy(&f, &u, 4);
        sum += fabs(f);
    }
    return sum;
}

static void product(const char *what, bool half, bool ta, bool tb, int m, int n, int k, cublasLtEpilogue_t epilogue, float beta)
{
    char name[80];
    snprintf(name, sizeof name, "%s_%s_%dx%dx%d", half ? "bf16" : "tf32", what, m, n, k);
    if (!strstr(name, only))
        return;
    const cudaDataType type = half ? CUDA_R_16BF : CUDA_R_32F;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, ld;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    const cublasOperation_t oa = ta ? CUBLAS_OP_T : CUBLAS_OP_N, ob = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int64_t aux_ld = m;
    OK(cublasLtMatmulDescCreate(&desc, half ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &oa, sizeof oa));
    OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &ob, sizeof ob));
    OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    if (epilogue & CUBLASLT_EPILOGUE_BIAS)
        OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    if (epilogue & 128) {
        OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux));
        OK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    }
    OK(cublasLtMatrixLayoutCreate(&la, type, ta ? k : m, ta ? m : k, ta ? k : m));
    OK(cublasLtMatrixLayoutCreate(&lb, type, tb ? n : k, tb ? k : n, tb ? n : k));
    OK(cublasLtMatrixLayoutCreate(&ld, type, m, n, m));
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &ROOM, sizeof ROOM));
    OK(cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, ld, ld, preference, 1, &found, &count));
    const float alpha = 1;
    cudaEvent_t from, to;
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaMemset(d, 0, (size_t)m * n * (half ? 2 : 4)));
    const auto call = [&] { OK(cublasLtMatmul(lt, desc, &alpha, a, la, b, lb, &beta, d, ld, d, ld, &found.algo, workspace, ROOM, nullptr)); };
    call();
    const double sum = sum_of((size_t)m * n, half);
    float ms, best = 1e30f;
    int reps = 1;
    for (int round = 0; round < 4; round++) {
        OK(cudaEventRecord(from, nullptr));
        for (int i = 0; i < reps; i++)
            call();
        OK(cudaEventRecord(to, nullptr));
        OK(cudaEventSynchronize(to));
        OK(cudaEventElapsedTime(&ms, from, to));
        best = std::fmin(best, ms / (float)reps);
        reps = (int)std::fmax(1, std::fmin(500, seconds / 4 * 1000 / best));
    }
    printf("%-34s %9.1f %8.1f %.6g\n", name, best * 1e3, 2.0 * m * n * k / best / 1e9, sum);
    fflush(stdout);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(la);
    cublasLtMatrixLayoutDestroy(lb);
    cublasLtMatrixLayoutDestroy(ld);
    cublasLtMatmulDescDestroy(desc);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
}

/* A layer of `out` by `in`, of `tokens`: forwards, the input's gradient, the weights' gradient added up. */
static void layer(bool half, int tokens, int out, int in, bool gelu_behind, bool gelu_before)
{
    product(gelu_behind ? "fwd_gelu" : "fwd", half, true, false, out, tokens, in, gelu_behind ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_BIAS, 0);
    product(gelu_before ? "dinp_dgelu" : "dinp", half, false, false, in, tokens, out, gelu_before ? CUBLASLT_EPILOGUE_DGELU : CUBLASLT_EPILOGUE_DEFAULT, 0);
    product("dweight", half, false, true, in, out, tokens, CUBLASLT_EPILOGUE_DEFAULT, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atof(argv[1]);
    if (argc > 2)
        only = argv[2];
    OK(cublasLtCreate(&lt));
    OK(cudaMalloc((void **)&workspace, ROOM));
    for (int half = 1; half >= 0; half--) {
        const size_t most = (size_t)16384 * 3072;
        a = random(most, half, 0.1f);
        b = random(most, half, 1);
        aux = random(most, half, 1);
        bias = random(4096, half, 1);
        OK(cudaMalloc((void **)&d, most * 4));
        for (int tokens : {4096, 16384}) {
            layer(half, tokens, 2304, 768, false, false);
            layer(half, tokens, 768, 768, false, false);
            layer(half, tokens, 3072, 768, true, false);
            layer(half, tokens, 768, 3072, false, true);
        }
        for (char *p : {a, b, aux, bias, d})
            OK(cudaFree(p));
    }
    OK(cublasLtDestroy(lt));
}

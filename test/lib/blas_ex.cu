// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* Products by the types that arguments tell: half, bfloat16, bytes, complex bytes; batched; the settings of a handle;
 * streams and graphs; two threads with a handle each. */
#include "blas.h"
#include <thread>

template <class In, class Out> void one(cublasHandle_t h, cudaDataType in, cudaDataType out, cublasComputeType_t compute, cublasOperation_t ta, cublasOperation_t tb)
{
    const int m = 19, n = 37, k = 21, lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 3, ldc = m;
    both<In> a(lda * (ta == CUBLAS_OP_N ? k : m)), b(ldb * (tb == CUBLAS_OP_N ? n : k));
    both<Out> c(ldc * n);
    const float alpha = 0.5f, beta = 2;
    const __half halpha = __float2half(0.5f), hbeta = __float2half(2);
    const bool half = compute == CUBLAS_COMPUTE_16F;
    const void *al = half ? (const void *)&halpha : &alpha, *be = half ? (const void *)&hbeta : &beta;
    BLAS(cublasGemmEx(h, ta, tb, m, n, k, al, a.device, in, lda, b.device, in, ldb, be, c.device, out, ldc, compute, CUBLAS_GEMM_DEFAULT));
    const std::vector<Out> got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            zd sum = 0;
            for (int l = 0; l < k; l++)
                sum += at(a.host, lda, ta, i, l) * at(b.host, ldb, tb, l, j);
            const zd want = 0.5 * sum + 2.0 * as<Out>::wide(c.host[i + j * ldc]);
            CHECK(close(as<Out>::wide(got[i + j * ldc]), want, as<Out>::eps() * 8 + 1e-5));
        }
    /* The same as a batch of two, and a device's scalars. */
    both<float> scalars(2);
    scalars.host = {alpha, beta};
    scalars.put();
    if (half)
        return;
    c.put();
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasGemmStridedBatchedEx(h, ta, tb, m, n / 2, k, scalars.device, a.device, in, lda, 0, b.device, in, ldb, 0, scalars.device + 1, c.device, out, ldc,
                                    (n / 2) * ldc, 2, compute, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    const std::vector<Out> two = c.get();
    for (int j = 0; j < n / 2; j++)
        for (int i = 0; i < m; i++)
            CHECK(close(as<Out>::wide(two[i + j * ldc]), as<Out>::wide(got[i + j * ldc]), as<Out>::eps() * 8 + 1e-5));
}

static void bytes(cublasHandle_t h)
{
    const int m = 20, n = 36, k = 24;
    both<signed char> a(m * k), b(k * n);
    both<int> c(m * n);
    both<float> f(m * n);
    for (auto &v : a.host) v = (signed char)(uniform() * 127);
    for (auto &v : b.host) v = (signed char)(uniform() * 127);
    for (auto &v : c.host) v = (int)(uniform() * 1000);
    a.put();
    b.put();
    c.put();
    const int alpha = 2, beta = 3;
    const float fa = 0.5f, fb = 0;
    BLAS(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, a.device, CUDA_R_8I, k, b.device, CUDA_R_8I, k, &beta, c.device, CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    BLAS(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &fa, a.device, CUDA_R_8I, k, b.device, CUDA_R_8I, k, &fb, f.device, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    const std::vector<int> got = c.get();
    const std::vector<float> gotf = f.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int sum = 0;
            for (int l = 0; l < k; l++)
                sum += a.host[l + i * k] * b.host[l + j * k];
            CHECK(got[i + j * m] == 2 * sum + 3 * c.host[i + j * m]);
            CHECK(gotf[i + j * m] == 0.5f * sum);
        }
    CHECK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, a.device, CUDA_R_8I, k, b.device, CUDA_R_16F, k, &beta, c.device, CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

static void halves(cublasHandle_t h)
{
    const int n = 20;
    both<__half> a(n * n), b(n * n), c(n * n);
    const __half one = __float2half(1), zero = __float2half(0);
    BLAS(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &zero, c.device, n));
    const std::vector<__half> got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            zd sum = 0;
            for (int l = 0; l < n; l++)
                sum += at(a.host, n, CUBLAS_OP_N, i, l) * at(b.host, n, CUBLAS_OP_N, l, j);
            CHECK(close(as<__half>::wide(got[i + j * n]), sum, 9.8e-4 * 4));
        }
}

static void settings(cublasHandle_t h)
{
    cublasMath_t math;
    cublasPointerMode_t mode;
    cublasAtomicsMode_t atomics;
    int version = 0, sms = -1;
    cudaStream_t stream, got;
    BLAS(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH));
    BLAS(cublasGetMathMode(h, &math));
    CHECK(math == CUBLAS_TF32_TENSOR_OP_MATH);
    BLAS(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH));
    BLAS(cublasGetPointerMode(h, &mode));
    CHECK(mode == CUBLAS_POINTER_MODE_HOST);
    BLAS(cublasGetAtomicsMode(h, &atomics));
    CHECK(atomics == CUBLAS_ATOMICS_NOT_ALLOWED);
    BLAS(cublasGetVersion(h, &version));
    CHECK(version == CUBLAS_VERSION);
    BLAS(cublasGetSmCountTarget(h, &sms));
    CHECK(sms == 0);
    CHECK(cublasSetMathMode(h, (cublasMath_t)99) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSetWorkspace(h, (void *)1, 8) == CUBLAS_STATUS_INVALID_VALUE);

    /* In the order of a stream, and in a graph. */
    CUDA(cudaStreamCreate(&stream));
    BLAS(cublasSetStream(h, stream));
    BLAS(cublasGetStream(h, &got));
    CHECK(got == stream);
    const int n = 40;
    both<float> a(n * n), b(n * n), c(n * n);
    const float one = 1, zero = 0;
    BLAS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &zero, c.device, n));
    CUDA(cudaStreamSynchronize(stream));
    const std::vector<float> first = c.get();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    BLAS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &one, c.device, n));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    const std::vector<float> third = c.get();
    for (int i = 0; i < n * n; i++)
        CHECK(fabsf(third[i] - 3 * first[i]) < 1e-4f);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    BLAS(cublasSetStream(h, nullptr));
    CUDA(cudaStreamDestroy(stream));
}

static std::string logged;
static void take(const char *text) { logged += text; }

static void threads()
{
    std::vector<std::thread> all;
    for (int t = 0; t < 2; t++)
        all.emplace_back([t] {
            cublasHandle_t h;
            cudaStream_t s;
            BLAS(cublasCreate(&h));
            CUDA(cudaStreamCreate(&s));
            BLAS(cublasSetStream(h, s));
            const int n = 24;
            float *a, *c;
            std::vector<float> host(n * n, (float)(t + 1)), got(n * n);
            CUDA(cudaMalloc(&a, n * n * 4));
            CUDA(cudaMalloc(&c, n * n * 4));
            CUDA(cudaMemcpy(a, host.data(), n * n * 4, cudaMemcpyHostToDevice));
            const float one = 1, zero = 0;
            for (int i = 0; i < 10; i++) {
                float norm;
                BLAS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, a, n, &zero, c, n));
                BLAS(cublasSnrm2(h, n * n, c, 1, &norm));
                CHECK(fabsf(norm - n * n * (t + 1) * (t + 1)) < 1e-2f);
            }
            CUDA(cudaFree(a));
            CUDA(cudaFree(c));
            BLAS(cublasDestroy(h));
            CUDA(cudaStreamDestroy(s));
        });
    for (auto &t : all)
        t.join();
}

int main()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    for (int ta = 0; ta < 2; ta++)
        for (int tb = 0; tb < 2; tb++) {
            const cublasOperation_t a = (cublasOperation_t)ta, b = (cublasOperation_t)tb;
            one<__half, __half>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, a, b);
            one<__nv_bfloat16, float>(h, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, a, b);
        }
    one<__half, __half>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUBLAS_OP_N, CUBLAS_OP_T);
    one<__half, float>(h, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_OP_T, CUBLAS_OP_N);
    one<__nv_bfloat16, __nv_bfloat16>(h, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_OP_T, CUBLAS_OP_N);
    one<float, float>(h, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_OP_N, CUBLAS_OP_N);
    bytes(h);
    halves(h);
    settings(h);
    threads();
    /* The old compute type, and the logger. */
    both<float> x(1);
    const float one = 1;
    BLAS(cublasSetLoggerCallback(take));
    BLAS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x.device, CUDA_R_32F, 1, x.device, CUDA_R_32F, 1, &one, x.device, CUDA_R_32F, 1, CUDA_R_32F, CUBLAS_GEMM_DEFAULT));
    BLAS(cublasSetLoggerCallback(nullptr));
    BLAS(cublasLoggerConfigure(0, 0, 0, nullptr));
    CHECK(logged.find("cublasGemmEx") != std::string::npos);
    BLAS(cublasDestroy(h));
    CHECK(cublasCreate(nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    puts("ok");
}

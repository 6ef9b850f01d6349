// OPTIONS: -lcublas -lcublasLt
/* cuBLASLt: types, orders, batches, scales and every epilogue, against loops in double; descriptors, heuristics, algorithms,
 * what is refused; transforms. */
#include "blas.h"
#include <cublasLt.h>
#include <cuda_fp8.h>

template <> struct as<__nv_fp8_e4m3> {
    static zd wide(__nv_fp8_e4m3 v) { return zd((double)(float)v, 0); }
    static __nv_fp8_e4m3 narrow(zd v) { return __nv_fp8_e4m3((float)v.real()); }
    static const bool is_complex = false;
    static double eps() { return 0.126; }
};
template <class T> struct type_of;
template <> struct type_of<float> { static const cudaDataType value = CUDA_R_32F; };
template <> struct type_of<double> { static const cudaDataType value = CUDA_R_64F; };
template <> struct type_of<__half> { static const cudaDataType value = CUDA_R_16F; };
template <> struct type_of<__nv_bfloat16> { static const cudaDataType value = CUDA_R_16BF; };
template <> struct type_of<__nv_fp8_e4m3> { static const cudaDataType value = CUDA_R_8F_E4M3; };
template <> struct type_of<cuComplex> { static const cudaDataType value = CUDA_C_32F; };

static cublasLtHandle_t lt;

struct desc {
    cublasLtMatmulDesc_t d;
    desc(cublasComputeType_t c, cudaDataType s) { BLAS(cublasLtMatmulDescCreate(&d, c, s)); }
    ~desc() { cublasLtMatmulDescDestroy(d); }
    template <class T> void set(cublasLtMatmulDescAttributes_t a, T v) { BLAS(cublasLtMatmulDescSetAttribute(d, a, &v, sizeof v)); }
};
struct layout {
    cublasLtMatrixLayout_t l;
    layout(cudaDataType t, uint64_t r, uint64_t c, int64_t ld) { BLAS(cublasLtMatrixLayoutCreate(&l, t, r, c, ld)); }
    ~layout() { cublasLtMatrixLayoutDestroy(l); }
    template <class T> void set(cublasLtMatrixLayoutAttribute_t a, T v) { BLAS(cublasLtMatrixLayoutSetAttribute(l, a, &v, sizeof v)); }
};

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
static double gelu_slope(double x)
{
    const double e = 1e-5;
    return (gelu(x + e) - gelu(x - e)) / (2 * e);
}

/* One product of In to Out, with an epilogue; A transposed, as networks have it. */
template <class In, class Out> void product(uint32_t epilogue, int m, int n, int k, double beta_)
{
    const double bound = as<Out>::eps() * 8 + 1e-4;
    both<In> a(k * m), b(k * n);
    both<Out> c(m * n), d(m * n), bias(m > n ? m : n), aux(m * n);
    both<unsigned char> bits((m + 127) / 128 * 128 * n / 8);
    for (auto &v : bits.host)
        v = (unsigned char)(uniform() * 128 + 128);
    bits.put();
    const float alpha = 0.5f, beta = (float)beta_;
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    op.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, (cublasLtEpilogue_t)epilogue);
    op.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (const void *)bias.device);
    const bool relu = epilogue & (2 | 8) && epilogue < 256;
    const int64_t aux_ld = relu ? (m + 127) / 128 * 128 : m;
    if (epilogue & 128 && epilogue < 256) {
        op.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, relu ? (void *)bits.device : (void *)aux.device);
        op.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld);
    }
    layout la(type_of<In>::value, k, m, k), lb(type_of<In>::value, k, n, k), lc(type_of<Out>::value, m, n, m), ld(type_of<Out>::value, m, n, m);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    const size_t room = 1 << 20;
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
    BLAS(cublasLtMatmulAlgoGetHeuristic(lt, op.d, la.l, lb.l, lc.l, ld.l, preference, 1, &result, &found));
    CHECK(found == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= room);
    BLAS(cublasLtMatmulPreferenceDestroy(preference));
    BLAS(cublasLtMatmul(lt, op.d, &alpha, a.device, la.l, b.device, lb.l, &beta, c.device, lc.l, d.device, ld.l, &result.algo, nullptr, 0, nullptr));
    const std::vector<Out> got = d.get(), got_aux = aux.get(), got_bias = bias.get();
    const std::vector<unsigned char> got_bits = bits.get();
    std::vector<double> sums(m, 0), sums_b(n, 0), sums_a(m, 0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double v = 0;
            for (int l = 0; l < k; l++)
                v += (as<In>::wide(a.host[l + i * k]) * as<In>::wide(b.host[l + j * k])).real();
            v = 0.5 * v + (beta_ ? beta_ * as<Out>::wide(c.host[i + j * m]).real() : 0);
            if (epilogue < 256) {
                if (epilogue & 4)
                    v += as<Out>::wide(bias.host[i]).real();
                const long bit = i + j * aux_ld;
                const double before = as<Out>::wide(aux.host[i + j * m]).real();
                if (epilogue & 2) {
                    if (epilogue & 128 && fabs(v) > bound)
                        CHECK((got_bits[bit / 8] >> (bit % 8) & 1) == (v > 0));
                    v = v > 0 ? v : 0;
                }
                if (epilogue & 32) {
                    if (epilogue & 128)
                        CHECK(close(as<Out>::wide(got_aux[i + j * m]), v, bound));
                    v = gelu(v);
                }
                if (epilogue & 8)
                    v = bits.host[bit / 8] >> (bit % 8) & 1 ? v : 0;
                if (epilogue & 64)
                    v *= gelu_slope(before);
                sums[i] += v;
            }
            if (!close(as<Out>::wide(got[i + j * m]), v, bound)) {
                printf("epilogue %u (%d, %d): %g is not %g\n", epilogue, i, j, as<Out>::wide(got[i + j * m]).real(), v);
                exit(1);
            }
        }
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++)
            sums_b[j] += as<In>::wide(b.host[l + j * k]).real();
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++)
            sums_a[i] += as<In>::wide(a.host[l + i * k]).real();
    for (int i = 0; i < m && epilogue < 256 && epilogue & 16; i++)
        CHECK(close(as<Out>::wide(got_bias[i]), sums[i], bound * n));
    for (int i = 0; i < m && epilogue == CUBLASLT_EPILOGUE_BGRADA; i++)
        CHECK(close(as<Out>::wide(got_bias[i]), sums_a[i], bound * k));
    for (int j = 0; j < n && epilogue == CUBLASLT_EPILOGUE_BGRADB; j++)
        CHECK(close(as<Out>::wide(got_bias[j]), sums_b[j], bound * k));
}

/* By rows, batched, C apart from D, a vector of alphas. */
static void layouts()
{
    const int m = 5, n = 7, k = 6, count = 3;
    both<float> a(m * k * count), b(k * n * count), c(m * n * count), d(m * n * count), alphas(m);
    layout la(CUDA_R_32F, m, k, k), lb(CUDA_R_32F, k, n, k), lc(CUDA_R_32F, m, n, m), ld(CUDA_R_32F, m, n, n);
    la.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW);
    ld.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW);
    const int64_t strides[4] = {m * k, k * n, m * n, m * n};
    layout *all[4] = {&la, &lb, &lc, &ld};
    for (int i = 0; i < 4; i++) {
        all[i]->set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (int32_t)count);
        all[i]->set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, strides[i]);
    }
    for (int vector = 0; vector < 2; vector++) {
        desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        if (vector)
            op.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
        const float alpha = 0.5f, beta = 2;
        BLAS(cublasLtMatmul(lt, op.d, vector ? alphas.device : &alpha, a.device, la.l, b.device, lb.l, &beta, c.device, lc.l, d.device, ld.l, nullptr, nullptr, 0, nullptr));
        const std::vector<float> got = d.get();
        for (int z = 0; z < count; z++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double v = 0;
                    for (int l = 0; l < k; l++)
                        v += (double)a.host[z * m * k + i * k + l] * b.host[z * k * n + l + j * k];
                    v = (vector ? alphas.host[i] : 0.5) * v + 2.0 * c.host[z * m * n + i + j * m];
                    CHECK(fabs(got[z * m * n + i * n + j] - v) < 1e-5);
                }
    }
}

/* Small floats with scales, and the largest of the result. */
static void small()
{
    const int m = 16, n = 16, k = 32;
    typedef __nv_fp8_e4m3 F;
    both<F> a(m * k), b(k * n);
    both<__nv_bfloat16> c(m * n), d(m * n);
    both<float> scales(2), most(1);
    scales.host = {0.5f, 3};
    scales.put();
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (const void *)scales.device);
    op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (const void *)(scales.device + 1));
    op.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, (void *)most.device);
    op.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, (int8_t)1);
    layout la(CUDA_R_8F_E4M3, k, m, k), lb(CUDA_R_8F_E4M3, k, n, k), lc(CUDA_R_16BF, m, n, m), ld(CUDA_R_16BF, m, n, m);
    const float alpha = 1, beta = 0;
    BLAS(cublasLtMatmul(lt, op.d, &alpha, a.device, la.l, b.device, lb.l, &beta, c.device, lc.l, d.device, ld.l, nullptr, nullptr, 0, nullptr));
    const std::vector<__nv_bfloat16> got = d.get();
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double v = 0;
            for (int l = 0; l < k; l++)
                v += (as<F>::wide(a.host[l + i * k]) * as<F>::wide(b.host[l + j * k])).real();
            v *= 1.5;
            largest = std::max(largest, fabs(v));
            CHECK(close(as<__nv_bfloat16>::wide(got[i + j * m]), v, 8e-3 * 8));
        }
    CHECK(fabs(most.get()[0] - largest) < 1e-4 * (1 + largest));
}

/* Long sums of small floats: without FAST_ACCUM they are those of floats, whatever the matrix instructions add up with. Sums only grow, and of
 * each product the last bits count: sums of 14 bits lose percents. */
static void long_sums(bool scaled, int m, int n)
{
    const int k = 4096;
    typedef __nv_fp8_e4m3 F;
    both<F> a(m * k), b(k * n);
    both<float> d(m * n), scale(1);
    for (auto *v : {&a, &b}) {
        for (auto &x : v->host)
            x = F((float)(1 + floor((uniform() + 1) * 4) / 8));
        v->put();
    }
    scale.host = {0.25f};
    scale.put();
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (scaled)
        op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (const void *)scale.device);
    layout la(CUDA_R_8F_E4M3, k, m, k), lb(CUDA_R_8F_E4M3, k, n, k), ld(CUDA_R_32F, m, n, m);
    const float alpha = 1, beta = 0;
    BLAS(cublasLtMatmul(lt, op.d, &alpha, a.device, la.l, b.device, lb.l, &beta, d.device, ld.l, d.device, ld.l, nullptr, nullptr, 0, nullptr));
    const std::vector<float> got = d.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double v = 0;
            for (int l = 0; l < k; l++)
                v += (as<F>::wide(a.host[l + i * k]) * as<F>::wide(b.host[l + j * k])).real();
            v *= scaled ? 0.25 : 1;
            if (!(fabs(got[i + j * m] - v) <= 4e-3 * v)) {
                printf("long sums (%d, %d): %g is not %g\n", i, j, got[i + j * m], v);
                exit(1);
            }
        }
}

static void bytes()
{
    const int m = 8, n = 12, k = 16;
    both<signed char> a(m * k), b(k * n), d(m * n);
    for (auto &v : a.host) v = (signed char)(uniform() * 20);
    for (auto &v : b.host) v = (signed char)(uniform() * 20);
    a.put();
    b.put();
    desc op(CUBLAS_COMPUTE_32I, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    layout la(CUDA_R_8I, k, m, k), lb(CUDA_R_8I, k, n, k), ld(CUDA_R_8I, m, n, m);
    const float alpha = 0.125f, beta = 0;
    BLAS(cublasLtMatmul(lt, op.d, &alpha, a.device, la.l, b.device, lb.l, &beta, d.device, ld.l, d.device, ld.l, nullptr, nullptr, 0, nullptr));
    const std::vector<signed char> got = d.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int v = 0;
            for (int l = 0; l < k; l++)
                v += a.host[l + i * k] * b.host[l + j * k];
            const double r = rint(0.125 * v);
            CHECK(got[i + j * m] == (r < -128 ? -128 : r > 127 ? 127 : r));
        }
}

static void transforms()
{
    const int m = 37, n = 41;
    both<float> a(m * n), wide(m * 64), back(m * n);
    cublasLtMatrixTransformDesc_t t;
    const float one = 1, none = 0;
    BLAS(cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F));
    layout la(CUDA_R_32F, m, n, m), lw(CUDA_R_32F, m, n, 32 * m), lt_(CUDA_R_32F, n, m, n);
    lw.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32);
    BLAS(cublasLtMatrixTransform(lt, t, &one, a.device, la.l, &none, nullptr, nullptr, wide.device, lw.l, nullptr));
    const std::vector<float> w = wide.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            CHECK(w[j / 32 * 32 * m + i * 32 + j % 32] == a.host[i + j * m]);
    const cublasOperation_t T = CUBLAS_OP_T;
    BLAS(cublasLtMatrixTransformDescSetAttribute(t, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &T, sizeof T));
    BLAS(cublasLtMatrixTransform(lt, t, &one, wide.device, lw.l, &none, nullptr, nullptr, back.device, lt_.l, nullptr));
    const std::vector<float> g = back.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            CHECK(g[j + i * n] == a.host[i + j * m]);
    BLAS(cublasLtMatrixTransformDescDestroy(t));
}

static void refused()
{
    desc op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    layout la(CUDA_R_32F, 4, 5, 4), lb(CUDA_R_32F, 5, 6, 5), ld(CUDA_R_32F, 4, 6, 4), wrong(CUDA_R_32F, 3, 6, 3), half(CUDA_R_16F, 5, 6, 5);
    const float one = 1;
    float *p;
    CUDA(cudaMalloc(&p, 256));
    CHECK(cublasLtMatmul(lt, op.d, &one, p, la.l, p, lb.l, &one, p, wrong.l, p, wrong.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatmul(lt, op.d, &one, p, la.l, p, half.l, &one, p, ld.l, p, ld.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasLtMatmul(nullptr, op.d, &one, p, la.l, p, lb.l, &one, p, ld.l, p, ld.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS); /* without one */
    CHECK(cublasLtMatmul(lt, op.d, &one, p, la.l, p, lb.l, &one, p, ld.l, p, ld.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    op.set(CUBLASLT_MATMUL_DESC_TRANSC, CUBLAS_OP_T);
    CHECK(cublasLtMatmul(lt, op.d, &one, p, la.l, p, lb.l, &one, p, ld.l, p, ld.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_NOT_SUPPORTED);
    op.set(CUBLASLT_MATMUL_DESC_TRANSC, CUBLAS_OP_N);
    la.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32); /* whose columns are 32 rows apart at least */
    CHECK(cublasLtMatmul(lt, op.d, &one, p, la.l, p, lb.l, &one, p, ld.l, p, ld.l, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    size_t written = 0;
    uint32_t e = 0;
    BLAS(cublasLtMatmulDescGetAttribute(op.d, CUBLASLT_MATMUL_DESC_EPILOGUE, &e, sizeof e, &written));
    CHECK(e == CUBLASLT_EPILOGUE_DEFAULT && written == 4);
    CHECK(cublasLtMatmulDescGetAttribute(op.d, CUBLASLT_MATMUL_DESC_EPILOGUE, &e, 1, &written) == CUBLAS_STATUS_INVALID_VALUE);
    int ids[4], n = 0;
    cublasLtMatmulAlgo_t algo;
    BLAS(cublasLtMatmulAlgoGetIds(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 4, ids, &n));
    CHECK(n == 1);
    BLAS(cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, ids[0], &algo));
    BLAS(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT, &e, sizeof e, &written));
    CHECK(e == 1);
    CUDA(cudaFree(p));
}

int main()
{
    BLAS(cublasLtCreate(&lt));
    static const uint32_t epilogues[] = {1, 2, 4, 6, 130, 134, 136, 152, 32, 36, 160, 164, 192, 208, 256, 512};
    for (uint32_t e : epilogues) {
        product<float, float>(e, 37, 9, 11, 0.5);
        product<__nv_bfloat16, __nv_bfloat16>(e, 16, 24, 8, 0);
    }
    product<__half, float>(CUBLASLT_EPILOGUE_GELU_BIAS, 33, 5, 20, 0);
    product<float, float>(CUBLASLT_EPILOGUE_DRELU_BGRAD, 35, 600, 4, 0); /* sums of rows in several parts */
    product<__half, float>(CUBLASLT_EPILOGUE_BGRADB, 3, 70, 530, 0);
    product<__half, __half>(CUBLASLT_EPILOGUE_RELU_BIAS, 7, 5, 3, 1);
    layouts();
    small();
    long_sums(false, 16, 24);
    long_sums(true, 24, 16);
    bytes();
    transforms();
    refused();
    BLAS(cublasLtDestroy(lt));
    puts("ok");
}

// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* Calls of tern_blas.h: doubles exact, as pairs of floats and as the device is faster, products of halves; what is refused. */
#include "blas.h"
#include <tern_blas.h>

static cublasHandle_t h;

static void gemm(ternDouble_t how, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double beta, double bound)
{
    both<double> a(m * k), b(k * n), c(m * n);
    BLAS(ternDgemm(h, how, ta, tb, m, n, k, 0.75, a.device, ta == CUBLAS_OP_N ? m : k, b.device, tb == CUBLAS_OP_N ? k : n, beta, c.device, m));
    const std::vector<double> got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double v = 0, size = 0;
            for (int l = 0; l < k; l++) {
                const double p = a.host[ta == CUBLAS_OP_N ? i + l * m : l + i * k] * b.host[tb == CUBLAS_OP_N ? l + j * k : j + l * n];
                v += p;
                size += fabs(p);
            }
            v = 0.75 * v + (beta != 0 ? beta * c.host[i + j * m] : 0);
            CHECK(fabs(got[i + j * m] - v) <= bound * (1 + size));
        }
}

static void functions(ternDouble_t how, double bound)
{
    static double (*const want[])(double) = {
#define FUNCTION(NAME, name) [](double x) -> double { return name(x); },
        TERN_DOUBLE_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    const int n = 200;
    int rounded = 0;
    both<double> x(n), y(n);
    for (int f = 0; f < TERN_DOUBLE_FUNCTION_COUNT; f++) {
        for (auto &v : x.host)
            v = (double)(float)(0.05 + 0.45 * (uniform() + 1)); /* where all are defined, and none is near 0 but by rounding */
        x.put();
        BLAS(ternDoubleMath(h, how, (ternDoubleFunction_t)f, n, x.device, y.device));
        const std::vector<double> got = y.get();
        for (int i = 0; i < n; i++) {
            const double v = want[f](x.host[i]);
            rounded += fabs(got[i] - v) > 1e-15 * (1 + fabs(v));
            if (!(fabs(got[i] - v) <= bound * (fabs(v) + fabs(x.host[i]) + 1))) {
                printf("function %d of %g: %.17g is not %.17g\n", f, x.host[i], got[i], v);
                exit(1);
            }
        }
    }
    CHECK((rounded > 0) == (how == TERN_DOUBLE_PAIRS)); /* 48 bits are not 53 */
}

template <class T> static void halves(cudaDataType type)
{
    const int n = 70000, m = 37, k = 50;
    both<T> x(n), y(n), a(m * k);
    both<float> result(1), r(m), c(k);
    double dot = 0, size = 0, v;
    for (int i = 0; i < n; i++) {
        v = (as<T>::wide(x.host[i]) * as<T>::wide(y.host[i])).real();
        dot += v;
        size += fabs(v);
    }
    float got = 0;
    BLAS(ternHalfDot(h, type, n, x.device, y.device, &got));
    CHECK(fabs(got - dot) < 1e-6 * size);
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(ternHalfDot(h, type, n, x.device, y.device, result.device));
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    CHECK(result.get()[0] == got);
    BLAS(ternHalfDot(h, type, 0, nullptr, nullptr, &got));
    CHECK(got == 0);
    BLAS(ternHalfGemv(h, type, CUBLAS_OP_N, m, k, 2, a.device, m, x.device, 0.5f, r.device));
    BLAS(ternHalfGemv(h, type, CUBLAS_OP_T, m, k, 2, a.device, m, x.device, 0, c.device));
    const std::vector<float> rows = r.get(), columns = c.get();
    for (int i = 0; i < m; i++) {
        v = 0.5 * r.host[i];
        for (int j = 0; j < k; j++)
            v += 2 * (as<T>::wide(a.host[i + j * m]) * as<T>::wide(x.host[j])).real();
        CHECK(fabs(rows[i] - v) < 1e-4 * (1 + fabs(v)));
    }
    for (int j = 0; j < k; j++) {
        v = 0;
        for (int i = 0; i < m; i++)
            v += 2 * (as<T>::wide(a.host[i + j * m]) * as<T>::wide(x.host[i])).real();
        CHECK(fabs(columns[j] - v) < 1e-4 * (1 + fabs(v)));
    }
}

int main()
{
    const double exact = 4e-16 * 64, pairs = 6e-14;
    double rate = -1;
    ternDouble_t any = TERN_DOUBLE_ANY;
    BLAS(cublasCreate(&h));
    BLAS(ternDoubleRate(h, &rate, &any));
    CHECK(rate >= 0 && any != TERN_DOUBLE_ANY && (any == TERN_DOUBLE_PAIRS) == (rate == 0 || rate > 24));
    gemm(TERN_DOUBLE_EXACT, CUBLAS_OP_N, CUBLAS_OP_N, 20, 17, 33, 0, exact);
    gemm(TERN_DOUBLE_PAIRS, CUBLAS_OP_N, CUBLAS_OP_N, 20, 17, 33, -2, pairs);
    gemm(TERN_DOUBLE_PAIRS, CUBLAS_OP_T, CUBLAS_OP_T, 41, 35, 10, 0, pairs);
    gemm(TERN_DOUBLE_ANY, CUBLAS_OP_T, CUBLAS_OP_N, 9, 8, 70, 1, pairs);
    functions(TERN_DOUBLE_PAIRS, 2e-14);
    functions(TERN_DOUBLE_EXACT, 1e-15);
    halves<__half>(CUDA_R_16F);
    halves<__nv_bfloat16>(CUDA_R_16BF);
    double one = 1;
    float f;
    CHECK(ternDgemm(h, (ternDouble_t)7, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, 1, &one, 1, &one, 1, 0, &one, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(ternDgemm(h, TERN_DOUBLE_PAIRS, CUBLAS_OP_N, CUBLAS_OP_N, 4, 1, 1, 1, &one, 1, &one, 1, 0, &one, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(ternDoubleMath(h, TERN_DOUBLE_ANY, TERN_DOUBLE_FUNCTION_COUNT, 1, &one, &one) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(ternHalfDot(h, CUDA_R_32F, 1, &one, &one, &f) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(ternDoubleRate(nullptr, &rate, nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
    BLAS(cublasDestroy(h));
    puts("ok");
}

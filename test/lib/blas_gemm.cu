// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* gemm in four types, with every transposition, odd sizes, leading dimensions, sizes of 0, what is no number in C, and
 * scalars on the host and on the device. */
#include "blas.h"

template <class T> struct calls;
#define CALLS(T, L)                                                                                \
    template <> struct calls<T> {                                                                  \
        static constexpr auto gemm = cublas##L##gemm;                                              \
        static constexpr auto gemm_64 = cublas##L##gemm_64;                                        \
    };
CALLS(float, S)
CALLS(double, D)
CALLS(cuComplex, C)
CALLS(cuDoubleComplex, Z)

template <class T> void one(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, zd alpha, zd beta, bool on_device)
{
    const int lda = (ta == CUBLAS_OP_N ? m : k) + 3, ldb = (tb == CUBLAS_OP_N ? k : n) + 1, ldc = m + 2;
    both<T> a(lda * (ta == CUBLAS_OP_N ? k : m) + 1), b(ldb * (tb == CUBLAS_OP_N ? n : k) + 1), c(ldc * n + 1), s(2);
    if (beta == 0.0)
        for (T &v : c.host)
            v = as<T>::narrow(NAN);
    c.put();
    s.host[0] = as<T>::narrow(alpha);
    s.host[1] = as<T>::narrow(beta);
    s.put();
    const T *scalars = on_device ? s.device : s.host.data();
    BLAS(cublasSetPointerMode(h, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
    if (on_device)
        BLAS(calls<T>::gemm_64(h, ta, tb, m, n, k, scalars, a.device, lda, b.device, ldb, scalars + 1, c.device, ldc));
    else
        BLAS(calls<T>::gemm(h, ta, tb, m, n, k, scalars, a.device, lda, b.device, ldb, scalars + 1, c.device, ldc));
    const std::vector<T> got = c.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ldc; i++) {
            zd want = as<T>::wide(c.host[i + j * ldc]);
            if (i < m) {
                zd sum = 0;
                for (int l = 0; l < k; l++)
                    sum += at(a.host, lda, ta, i, l) * at(b.host, ldb, tb, l, j);
                want = alpha * sum + (beta == 0.0 ? 0 : beta * want);
            }
            if (!close(as<T>::wide(got[i + j * ldc]), want, as<T>::eps() * (8 + 4 * k))) {
                printf("%d x %d x %d, op %d %d, (%d, %d): %g %g is not %g %g\n", m, n, k, ta, tb, i, j, as<T>::wide(got[i + j * ldc]).real(),
                       as<T>::wide(got[i + j * ldc]).imag(), want.real(), want.imag());
                exit(1);
            }
        }
}

template <class T> void all(cublasHandle_t h)
{
    const zd i(as<T>::is_complex ? 0 : 1, 1), alpha = 0.5 + 0.25 * (as<T>::is_complex ? zd(0, 1) : zd(0, 0));
    (void)i;
    for (int ta = 0; ta < 3; ta++)
        for (int tb = 0; tb < 3; tb++) {
            one<T>(h, (cublasOperation_t)ta, (cublasOperation_t)tb, 5, 7, 9, alpha, 0, false);
            one<T>(h, (cublasOperation_t)ta, (cublasOperation_t)tb, 37, 33, 18, alpha, alpha, ta == tb);
        }
    one<T>(h, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 0, alpha, alpha, false); /* nothing to add: C is scaled */
    one<T>(h, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 0, alpha, 0, false);
    one<T>(h, CUBLAS_OP_N, CUBLAS_OP_N, 0, 4, 5, alpha, 0, false);
    one<T>(h, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 70, alpha, 1, true);
}

int main()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    all<float>(h);
    all<double>(h);
    all<cuComplex>(h);
    all<cuDoubleComplex>(h);
    /* What is wrong is said. */
    float x = 1;
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    CHECK(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &x, &x, 1, &x, 1, &x, &x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &x, &x, 1, &x, 1, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &x, &x, 1, &x, 1, &x, &x, 2) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, nullptr, &x, 1, &x, 1, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, (cublasOperation_t)9, CUBLAS_OP_N, 1, 1, 1, &x, &x, 1, &x, 1, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"));
    BLAS(cublasDestroy(h));
    puts("ok");
}

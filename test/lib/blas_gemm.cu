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
        static constexpr auto batched = cublas##L##gemmBatched;                                    \
        static constexpr auto strided = cublas##L##gemmStridedBatched;                             \
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

/* Many products in one call, by pointers and by strides; the same matrix A for all of the latter. */
template <class T> void many(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, int count)
{
    const int lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 2, ldc = m + 1;
    const int a_size = lda * (ta == CUBLAS_OP_N ? k : m), b_size = ldb * (tb == CUBLAS_OP_N ? n : k), c_size = ldc * n;
    both<T> a(a_size * count), b(b_size * count), c(c_size * count), d(c_size * count);
    both<T *> at_a(count), at_b(count), at_c(count);
    for (int z = 0; z < count; z++) { /* backwards, so that no stride would do */
        at_a.host[z] = a.device + (count - 1 - z) * a_size;
        at_b.host[z] = b.device + (count - 1 - z) * b_size;
        at_c.host[z] = c.device + z * c_size;
    }
    at_a.put();
    at_b.put();
    at_c.put();
    const T alpha = as<T>::narrow(1.5), beta = as<T>::narrow(-0.5);
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    BLAS(calls<T>::batched(h, ta, tb, m, n, k, &alpha, at_a.device, lda, at_b.device, ldb, &beta, at_c.device, ldc, count));
    BLAS(calls<T>::strided(h, ta, tb, m, n, k, &alpha, a.device, lda, 0, b.device, ldb, b_size, &beta, d.device, ldc, c_size, count));
    const std::vector<T> by_pointers = c.get(), by_strides = d.get();
    for (int z = 0; z < count; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                const int back = count - 1 - z, e = z * c_size + i + j * ldc;
                const std::vector<T> za(a.host.begin() + back * a_size, a.host.begin() + (back + 1) * a_size),
                    zb(b.host.begin() + back * b_size, b.host.begin() + (back + 1) * b_size),
                    sb(b.host.begin() + z * b_size, b.host.begin() + (z + 1) * b_size);
                zd sum = 0, other = 0;
                for (int l = 0; l < k; l++) {
                    sum += at(za, lda, ta, i, l) * at(zb, ldb, tb, l, j);
                    other += at(a.host, lda, ta, i, l) * at(sb, ldb, tb, l, j);
                }
                const double bound = as<T>::eps() * (8 + 4 * k);
                CHECK(close(as<T>::wide(by_pointers[e]), 1.5 * sum - 0.5 * as<T>::wide(c.host[e]), bound));
                CHECK(close(as<T>::wide(by_strides[e]), 1.5 * other - 0.5 * as<T>::wide(d.host[e]), bound));
            }
}

template <class T> void all(cublasHandle_t h)
{
    /* Around the widths of vectors and of what is done at a time. */
    static const int shapes[][3] = {{8, 8, 8}, {16, 16, 16}, {17, 12, 3}, {32, 28, 2}, {33, 13, 5}, {64, 9, 4}, {1, 16, 1}};
    for (const auto &s : shapes)
        for (int o = 0; o < 4; o++)
            one<T>(h, o & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, o & 2 ? CUBLAS_OP_T : CUBLAS_OP_N, s[0], s[1], s[2], 0.75, o == 3 ? 0 : 2, false);
    for (int o = 0; o < 4; o++) {
        many<T>(h, o & 1 ? CUBLAS_OP_C : CUBLAS_OP_N, o & 2 ? CUBLAS_OP_T : CUBLAS_OP_N, 5, 4, 3, 3);
        many<T>(h, o & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, o & 2 ? CUBLAS_OP_C : CUBLAS_OP_N, 8, 8, 8, 17);
    }
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

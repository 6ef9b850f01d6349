// NOT ON: interp: what the device does is held against references elsewhere
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcublas
/* cublasXt in all four types: with matrices of the host's each function gives what cuBLAS gives with the device's, whole and by blocks. */
#include "blas.h"
#include <cublasXt.h>

static cublasXtHandle_t xt;
static cublasHandle_t h;
enum { M = 13, N_ = 9, K = 7, LDA = 15, LDB = 16, LDC = 17, ALL = 17 * 13 };

template <class T> struct three {
    std::vector<T> a, b, c;
};
/* on_host and on_device are given the three matrices. */
template <class T, class F, class G> static void same(const char *name, F on_host, G on_device)
{
    both<T> a(ALL), b(ALL), c(ALL);
    for (int i = 0; i < M; i++)
        a.host[i + i * LDA] = as<T>::narrow(zd(9, 0));
    a.put();
    three<T> x = {a.host, b.host, c.host};
    BLAS(on_host(x.a.data(), x.b.data(), x.c.data()));
    BLAS(on_device(a.device, b.device, c.device));
    const std::vector<T> *got[] = {&x.a, &x.b, &x.c};
    const std::vector<T> want[] = {a.get(), b.get(), c.get()};
    bool written = false;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ALL; i++) {
            written |= as<T>::wide(want[k][i]) != as<T>::wide((k == 0 ? a : k == 1 ? b : c).host[i]);
            if (close(as<T>::wide((*got[k])[i]), as<T>::wide(want[k][i]), as<T>::eps() * 100))
                continue;
            printf("%s: matrix %d, element %d\n", name, k, i);
            exit(1);
        }
    CHECK(written);
}
#define SAME(T, name, ...)                                                                         \
    same<T>(                                                                                       \
        #name, [&](T *a, T *b, T *c) { return cublasXt##name(xt, __VA_ARGS__); },                  \
        [&](T *a, T *b, T *c) { return cublas##name(h, __VA_ARGS__); })

static const cublasOperation_t OPN = CUBLAS_OP_N, OPT = CUBLAS_OP_T, OPC = CUBLAS_OP_C;
static const cublasFillMode_t UP = CUBLAS_FILL_MODE_UPPER, LOW = CUBLAS_FILL_MODE_LOWER;
static const cublasSideMode_t LEFT = CUBLAS_SIDE_LEFT, RIGHT = CUBLAS_SIDE_RIGHT;
static const cublasDiagType_t ANY = CUBLAS_DIAG_NON_UNIT;

#define TYPES(T, L)                                                                                \
    static void all_##L()                                                                          \
    {                                                                                              \
        const zd al = zd(0.75, 0.5), be = zd(-1.25, 0.25);                                         \
        const T one = as<T>::narrow(al), two = as<T>::narrow(be), *x = &one, *y = &two;            \
        SAME(T, L##gemm, OPN, OPC, M, N_, K, x, a, LDA, b, LDB, y, c, LDC);                        \
        SAME(T, L##syrk, UP, OPT, N_, K, x, a, LDA, y, c, LDC);                                    \
        SAME(T, L##syr2k, LOW, OPN, N_, K, x, a, LDA, b, LDB, y, c, LDC);                          \
        SAME(T, L##syrkx, LOW, OPN, N_, K, x, a, LDA, b, LDB, y, c, LDC);                          \
        SAME(T, L##symm, RIGHT, UP, M, N_, x, a, LDA, b, LDB, y, c, LDC);                          \
        SAME(T, L##trmm, LEFT, UP, OPC, ANY, M, N_, x, a, LDA, b, LDB, c, LDC);                    \
        SAME(T, L##trsm, LEFT, LOW, OPN, ANY, M, N_, x, a, LDA, b, LDB);                           \
        /* A triangle, packed: its columns one behind the other. */                                \
        same<T>(                                                                                   \
            #L "spmm",                                                                             \
            [&](T *a, T *b, T *c) {                                                                \
                std::vector<T> packed;                                                             \
                for (int j = 0; j < M; j++)                                                        \
                    for (int i = 0; i <= j; i++)                                                   \
                        packed.push_back(a[i + j * LDA]);                                          \
                return cublasXt##L##spmm(xt, LEFT, UP, M, N_, x, packed.data(), b, LDB, y, c, LDC); \
            },                                                                                     \
            [&](T *a, T *b, T *c) { return cublas##L##symm(h, LEFT, UP, M, N_, x, a, LDA, b, LDB, y, c, LDC); }); \
    }
#define HERMITIAN(T, R, L)                                                                         \
    static void hermitian_##L()                                                                    \
    {                                                                                              \
        const T one = as<T>::narrow(zd(0.75, 0.5)), two = as<T>::narrow(zd(-1.25, 0.25)), *x = &one, *y = &two; \
        const R r = 0.5, s = -0.75;                                                                \
        SAME(T, L##herk, UP, OPC, N_, K, &r, a, LDA, &s, c, LDC);                                  \
        SAME(T, L##her2k, LOW, OPN, N_, K, x, a, LDA, b, LDB, &s, c, LDC);                         \
        SAME(T, L##herkx, LOW, OPN, N_, K, x, a, LDA, b, LDB, &s, c, LDC);                         \
        SAME(T, L##hemm, LEFT, UP, M, N_, x, a, LDA, b, LDB, y, c, LDC);                           \
    }
TYPES(float, S)
TYPES(double, D)
TYPES(cuComplex, C)
TYPES(cuDoubleComplex, Z)
HERMITIAN(cuComplex, float, C)
HERMITIAN(cuDoubleComplex, double, Z)

int main()
{
    int device = 0;
    BLAS(cublasCreate(&h));
    BLAS(cublasXtCreate(&xt));
    BLAS(cublasXtDeviceSelect(xt, 1, &device));
    BLAS(cublasXtSetCpuRoutine(xt, CUBLASXT_GEMM, CUBLASXT_FLOAT, (void *)all_S)); /* has no share, and is not called */
    CHECK(cublasXtSetCpuRoutine(nullptr, CUBLASXT_GEMM, CUBLASXT_FLOAT, nullptr) != CUBLAS_STATUS_SUCCESS);
    for (int block : {1024, 4}) {
        BLAS(cublasXtSetBlockDim(xt, block));
        all_S();
        all_D();
        all_C();
        all_Z();
        hermitian_C();
        hermitian_Z();
    }
    BLAS(cublasXtDestroy(xt));
    BLAS(cublasDestroy(h));
    puts("ok");
}

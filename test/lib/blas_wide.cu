// LONG ON: vulkan: the kernels are those of the other programs, and a software GPU compiles them for long
// OPTIONS: -O0 -lcublas
/* Functions that take sizes of 64 bits do what those of 32 do, to the bit, which the other programs hold against references: each is
 * called with the same memory, and all of it is compared. Sizes, distances and scalars differ, so that none can stand for another. */
#include "blas.h"
#include <cstring>

/* What a call may write to, and what it begins as. */
struct memory {
    enum { BYTES = 48 << 10 };
    char *device;
    std::vector<char> first;
    long long told[4]; /* on the host */
    memory() : first(BYTES)
    {
        CUDA(cudaMalloc((void **)&device, BYTES));
    }
    ~memory()
    {
        cudaFree(device);
    }
    void begin()
    {
        memset(told, 0, sizeof told);
        CUDA(cudaMemcpy(device, first.data(), BYTES, cudaMemcpyHostToDevice));
    }
    std::vector<char> end()
    {
        std::vector<char> now(BYTES + sizeof told);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(now.data(), device, BYTES, cudaMemcpyDeviceToHost));
        memcpy(now.data() + BYTES, told, sizeof told);
        return now;
    }
};
static memory *m;
static cublasHandle_t h;

template <class F, class G, class... A> static void same(const char *name, F narrow, G wide, A... a)
{
    m->begin();
    std::vector<char> before = m->end();
    BLAS(narrow(a...));
    const std::vector<char> by_32 = m->end();
    m->begin();
    BLAS(wide(a...));
    if (by_32 == before || by_32 != m->end()) {
        printf("%s: %s\n", name, by_32 == before ? "nothing was written" : "not the same");
        exit(1);
    }
}
/* Functions that C++ overloads, as well. */
#define BOTH(f, ...)                                                                               \
    same(                                                                                          \
        #f, [](auto... a) { return f(h, a...); }, [](auto... a) { return f##_64(h, a...); }, __VA_ARGS__)
/* The results of these have the size of their integers. */
#define INDEX(f, ...)                                                                              \
    do {                                                                                           \
        int narrow_ = -1;                                                                          \
        int64_t wide_ = -2;                                                                        \
        m->begin();                                                                                \
        BLAS(f(h, __VA_ARGS__, &narrow_));                                                         \
        BLAS(f##_64(h, __VA_ARGS__, &wide_));                                                      \
        CHECK(narrow_ == wide_ && narrow_ > 0);                                                    \
    } while (0)

template <class T> struct operands {
    T *A, *B, *C, *x, *y, alpha, beta, *told;
    T **As, **Bs, **Cs, **xs, **ys;
    operands()
    {
        T *at = (T *)m->device, *host = (T *)m->first.data();
        for (int i = 0; i < 800; i++)
            host[i] = any<T>();
        for (int i = 0; i < 10; i++) /* of A, however long its columns are taken to be */
            for (int ld = 7; ld < 13; ld++)
                host[i + i * ld] = as<T>::narrow(zd(7 + 0.25 * i, 0));
        A = at, B = at + 200, C = at + 400, x = at + 600, y = at + 700;
        alpha = as<T>::narrow(zd(0.75, as<T>::is_complex ? 0.5 : 0));
        beta = as<T>::narrow(zd(-1.25, as<T>::is_complex ? 0.25 : 0));
        told = (T *)m->told;
        T ***to[] = {&As, &Bs, &Cs, &xs, &ys};
        T *const from[] = {A, B, C, x, y};
        for (int k = 0; k < 5; k++) { /* two of each, behind the elements */
            T *two[2] = {from[k], from[k] + 90 / (k > 2 ? 3 : 1)};
            const size_t where = 40000 + (size_t)k * 16;
            memcpy(m->first.data() + where, two, sizeof two);
            *to[k] = (T **)(m->device + where);
        }
    }
};
static const cublasOperation_t N = CUBLAS_OP_N, TR = CUBLAS_OP_T;
static const cublasFillMode_t UP = CUBLAS_FILL_MODE_UPPER, LOW = CUBLAS_FILL_MODE_LOWER;
static const cublasSideMode_t LEFT = CUBLAS_SIDE_LEFT, RIGHT = CUBLAS_SIDE_RIGHT;
static const cublasDiagType_t UNIT = CUBLAS_DIAG_UNIT, ANY = CUBLAS_DIAG_NON_UNIT;

/* What all four types have. nrm, asum: names with the result's type; l: in names of indices. */
#define ALL(T, L, l, Nrm, Asum)                                                                    \
    template <> void all<T>()                                                                      \
    {                                                                                              \
        operands<T> o;                                                                             \
        typedef decltype(real(T())) R;                                                             \
        const R c = 0.6f, ra = 0.5f;                                                               \
        const T *a = &o.alpha, *b = &o.beta;                                                       \
        (void)ra;                                                                                  \
        BOTH(cublas##Nrm##nrm2, 9, o.x, 2, (R *)o.told);                                           \
        BOTH(cublas##Asum##asum, 9, o.x, 2, (R *)o.told);                                          \
        INDEX(cublasI##l##amax, 9, o.x, 2);                                                        \
        INDEX(cublasI##l##amin, 9, o.x, 2);                                                        \
        BOTH(cublas##L##scal, 9, a, o.x, 2);                                                       \
        BOTH(cublas##L##axpy, 9, a, o.x, 2, o.y, 3);                                               \
        BOTH(cublas##L##copy, 9, o.x, 2, o.y, 3);                                                  \
        BOTH(cublas##L##swap, 9, o.x, 2, o.y, 3);                                                  \
        BOTH(cublas##L##rot, 9, o.x, 2, o.y, 3, &c, b);                                            \
        BOTH(cublas##L##gemv, TR, 7, 5, a, o.A, 8, o.x, 2, b, o.y, 3);                             \
        BOTH(cublas##L##gbmv, N, 7, 5, 2, 1, a, o.A, 8, o.x, 2, b, o.y, 3);                        \
        BOTH(cublas##L##symv, UP, 7, a, o.A, 8, o.x, 2, b, o.y, 3);                                \
        BOTH(cublas##L##trmv, UP, TR, ANY, 7, o.A, 8, o.x, 2);                                     \
        BOTH(cublas##L##tbmv, LOW, N, UNIT, 7, 2, o.A, 8, o.x, 3);                                 \
        BOTH(cublas##L##tpmv, LOW, TR, ANY, 7, o.A, o.x, 2);                                       \
        BOTH(cublas##L##trsv, UP, TR, ANY, 7, o.A, 8, o.x, 2);                                     \
        BOTH(cublas##L##tbsv, LOW, N, UNIT, 7, 2, o.A, 8, o.x, 3);                                 \
        BOTH(cublas##L##tpsv, LOW, TR, UNIT, 7, o.A, o.x, 2);                                      \
        BOTH(cublas##L##syr, UP, 7, a, o.x, 2, o.A, 8);                                            \
        BOTH(cublas##L##syr2, UP, 7, a, o.x, 2, o.y, 3, o.A, 8);                                   \
        BOTH(cublas##L##gemvBatched, N, 7, 5, a, o.As, 8, o.xs, 2, b, o.ys, 3, 2);                 \
        BOTH(cublas##L##gemvStridedBatched, N, 7, 5, a, o.A, 8, 61LL, o.x, 2, 13LL, b, o.y, 3, 23LL, 2); \
        BOTH(cublas##L##gemm, N, TR, 7, 5, 6, a, o.A, 8, o.B, 9, b, o.C, 10);                      \
        BOTH(cublas##L##gemmBatched, N, TR, 7, 5, 6, a, o.As, 8, o.Bs, 9, b, o.Cs, 10, 2);         \
        BOTH(cublas##L##gemmStridedBatched, N, TR, 7, 5, 6, a, o.A, 8, 61LL, o.B, 9, 67LL, b, o.C, 10, 71LL, 2); \
        BOTH(cublas##L##syrk, UP, TR, 7, 5, a, o.A, 8, b, o.C, 10);                                \
        BOTH(cublas##L##syr2k, LOW, N, 7, 5, a, o.A, 8, o.B, 9, b, o.C, 10);                       \
        BOTH(cublas##L##syrkx, LOW, N, 7, 5, a, o.A, 8, o.B, 9, b, o.C, 10);                       \
        BOTH(cublas##L##symm, RIGHT, UP, 7, 5, a, o.A, 8, o.B, 9, b, o.C, 10);                     \
        BOTH(cublas##L##trmm, LEFT, UP, TR, ANY, 7, 5, a, o.A, 8, o.B, 9, o.C, 10);                \
        BOTH(cublas##L##trsm, RIGHT, LOW, N, ANY, 7, 5, a, o.A, 8, o.B, 9);                        \
        BOTH(cublas##L##trsmBatched, LEFT, UP, N, UNIT, 7, 5, a, o.As, 8, o.Bs, 9, 2);             \
        BOTH(cublas##L##geam, N, TR, 7, 5, a, o.A, 8, b, o.B, 9, o.C, 10);                         \
        BOTH(cublas##L##dgmm, RIGHT, 7, 5, o.A, 8, o.x, 2, o.C, 10);                               \
    }
/* What real types have, and complex ones. */
#define REAL(T, L)                                                                                 \
    static void real_##L()                                                                         \
    {                                                                                              \
        operands<T> o;                                                                             \
        const T *a = &o.alpha, *b = &o.beta, param[5] = {-1, 0.5, 0.25, -0.75, 2};                 \
        BOTH(cublas##L##dot, 9, o.x, 2, o.y, 3, o.told);                                           \
        BOTH(cublas##L##rotm, 9, o.x, 2, o.y, 3, param);                                           \
        BOTH(cublas##L##sbmv, UP, 7, 2, a, o.A, 8, o.x, 2, b, o.y, 3);                             \
        BOTH(cublas##L##spmv, LOW, 7, a, o.A, o.x, 2, b, o.y, 3);                                  \
        BOTH(cublas##L##ger, 7, 5, a, o.x, 2, o.y, 3, o.A, 8);                                     \
        BOTH(cublas##L##spr, UP, 7, a, o.x, 2, o.A);                                               \
        BOTH(cublas##L##spr2, UP, 7, a, o.x, 2, o.y, 3, o.A);                                      \
        const cublasOperation_t ta[2] = {N, TR}, tb[2] = {TR, N};                                  \
        const int rows[2] = {3, 4}, cols[2] = {2, 5}, inner[2] = {6, 3}, la[2] = {7, 8}, lb[2] = {8, 9}, lc[2] = {9, 10}, count[2] = {1, 1}; \
        const int64_t wide[7][2] = {{3, 4}, {2, 5}, {6, 3}, {7, 8}, {8, 9}, {9, 10}, {1, 1}};      \
        const T alphas[2] = {*a, *b}, betas[2] = {*b, *a};                                         \
        m->begin();                                                                                \
        BLAS(cublas##L##gemmGroupedBatched(h, ta, tb, rows, cols, inner, alphas, o.As, la, o.Bs, lb, betas, o.Cs, lc, 2, count)); \
        const std::vector<char> by_32 = m->end();                                                  \
        m->begin();                                                                                \
        BLAS(cublas##L##gemmGroupedBatched_64(h, ta, tb, wide[0], wide[1], wide[2], alphas, o.As, wide[3], o.Bs, wide[4], betas, o.Cs, wide[5], 2, wide[6])); \
        CHECK(by_32 == m->end());                                                                  \
    }
#define COMPLEX(T, R, L, Lr)                                                                       \
    static void complex_##L()                                                                      \
    {                                                                                              \
        operands<T> o;                                                                             \
        const T *a = &o.alpha, *b = &o.beta;                                                       \
        const R ra = 0.5, rb = -0.75, c = 0.6, s = 0.8;                                            \
        BOTH(cublas##L##dotu, 9, o.x, 2, o.y, 3, o.told);                                          \
        BOTH(cublas##L##dotc, 9, o.x, 2, o.y, 3, o.told);                                          \
        BOTH(cublas##L##Lr##scal, 9, &ra, o.x, 2);                                                 \
        BOTH(cublas##L##Lr##rot, 9, o.x, 2, o.y, 3, &c, &s);                                       \
        BOTH(cublas##L##hemv, UP, 7, a, o.A, 8, o.x, 2, b, o.y, 3);                                \
        BOTH(cublas##L##hbmv, UP, 7, 2, a, o.A, 8, o.x, 2, b, o.y, 3);                             \
        BOTH(cublas##L##hpmv, LOW, 7, a, o.A, o.x, 2, b, o.y, 3);                                  \
        BOTH(cublas##L##geru, 7, 5, a, o.x, 2, o.y, 3, o.A, 8);                                    \
        BOTH(cublas##L##gerc, 7, 5, a, o.x, 2, o.y, 3, o.A, 8);                                    \
        BOTH(cublas##L##her, UP, 7, &ra, o.x, 2, o.A, 8);                                          \
        BOTH(cublas##L##her2, UP, 7, a, o.x, 2, o.y, 3, o.A, 8);                                   \
        BOTH(cublas##L##hpr, UP, 7, &ra, o.x, 2, o.A);                                             \
        BOTH(cublas##L##hpr2, UP, 7, a, o.x, 2, o.y, 3, o.A);                                      \
        BOTH(cublas##L##herk, UP, N, 7, 5, &ra, o.A, 8, &rb, o.C, 10);                             \
        BOTH(cublas##L##her2k, LOW, N, 7, 5, a, o.A, 8, o.B, 9, &rb, o.C, 10);                     \
        BOTH(cublas##L##herkx, LOW, N, 7, 5, a, o.A, 8, o.B, 9, &rb, o.C, 10);                     \
        BOTH(cublas##L##hemm, LEFT, UP, 7, 5, a, o.A, 8, o.B, 9, b, o.C, 10);                      \
        BOTH(cublas##L##gemm3m, N, TR, 7, 5, 6, a, o.A, 8, o.B, 9, b, o.C, 10);                    \
    }
static inline float real(float v) { return v; }
static inline double real(double v) { return v; }
static inline float real(cuComplex v) { return v.x; }
static inline double real(cuDoubleComplex v) { return v.x; }
template <class T> void all();
ALL(float, S, s, S, S)
ALL(double, D, d, D, D)
ALL(cuComplex, C, c, Sc, Sc)
ALL(cuDoubleComplex, Z, z, Dz, Dz)
REAL(float, S)
REAL(double, D)
COMPLEX(cuComplex, float, C, s)
COMPLEX(cuDoubleComplex, double, Z, d)

/* Types by number, and narrow ones. */
static void by_number()
{
    operands<float> o;
    const float *a = &o.alpha, *b = &o.beta, c = 0.6f, s = 0.8f, param[5] = {-1, 0.5f, 0.25f, -0.75f, 2};
    const cudaDataType f = CUDA_R_32F;
    BOTH(cublasNrm2Ex, 9, o.x, f, 2, o.told, f, f);
    BOTH(cublasAsumEx, 9, o.x, f, 2, o.told, f, f);
    BOTH(cublasDotEx, 9, o.x, f, 2, o.y, f, 3, o.told, f, f);
    BOTH(cublasDotcEx, 9, o.x, f, 2, o.y, f, 3, o.told, f, f);
    BOTH(cublasScalEx, 9, a, f, o.x, f, 2, f);
    BOTH(cublasAxpyEx, 9, a, f, o.x, f, 2, o.y, f, 3, f);
    BOTH(cublasCopyEx, 9, o.x, f, 2, o.y, f, 3);
    BOTH(cublasSwapEx, 9, o.x, f, 2, o.y, f, 3);
    INDEX(cublasIamaxEx, 9, o.x, f, 2);
    INDEX(cublasIaminEx, 9, o.x, f, 2);
    BOTH(cublasRotEx, 9, o.x, f, 2, o.y, f, 3, &c, &s, f, f);
    BOTH(cublasRotmEx, 9, o.x, f, 2, o.y, f, 3, param, f, f);
    BOTH(cublasSgemmEx, N, TR, 7, 5, 6, a, o.A, f, 8, o.B, f, 9, b, o.C, f, 10);
    BOTH(cublasGemmEx, N, TR, 7, 5, 6, a, o.A, f, 8, o.B, f, 9, b, o.C, f, 10, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    BOTH(cublasGemmBatchedEx, N, TR, 7, 5, 6, a, (const void *const *)o.As, f, 8, (const void *const *)o.Bs, f, 9, b, (void *const *)o.Cs, f, 10, 2, CUBLAS_COMPUTE_32F,
         CUBLAS_GEMM_DEFAULT);
    BOTH(cublasGemmStridedBatchedEx, N, TR, 7, 5, 6, a, o.A, f, 8, 61LL, o.B, f, 9, 67LL, b, o.C, f, 10, 71LL, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    const int rows[1] = {3}, cols[1] = {2}, inner[1] = {6}, la[1] = {7}, lb[1] = {8}, lc[1] = {9}, count[1] = {2};
    const int64_t wide[7][1] = {{3}, {2}, {6}, {7}, {8}, {9}, {2}};
    m->begin();
    BLAS(cublasGemmGroupedBatchedEx(h, &N, &TR, rows, cols, inner, a, (const void *const *)o.As, f, la, (const void *const *)o.Bs, f, lb, b, (void *const *)o.Cs, f, lc, 1, count,
                                    CUBLAS_COMPUTE_32F));
    const std::vector<char> by_32 = m->end();
    m->begin();
    BLAS(cublasGemmGroupedBatchedEx_64(h, &N, &TR, wide[0], wide[1], wide[2], a, (const void *const *)o.As, f, wide[3], (const void *const *)o.Bs, f, wide[4], b, (void *const *)o.Cs, f,
                                       wide[5], 1, wide[6], CUBLAS_COMPUTE_32F));
    CHECK(by_32 == m->end());

    operands<cuComplex> z;
    const cudaDataType c32 = CUDA_C_32F;
    const float rb = -0.75f;
    BOTH(cublasCgemmEx, N, TR, 7, 5, 6, &z.alpha, z.A, c32, 8, z.B, c32, 9, &z.beta, z.C, c32, 10);
    BOTH(cublasCgemm3mEx, N, TR, 7, 5, 6, &z.alpha, z.A, c32, 8, z.B, c32, 9, &z.beta, z.C, c32, 10);
    BOTH(cublasCgemm3mBatched, N, TR, 7, 5, 6, &z.alpha, z.As, 8, z.Bs, 9, &z.beta, z.Cs, 10, 2);
    BOTH(cublasCgemm3mStridedBatched, N, TR, 7, 5, 6, &z.alpha, z.A, 8, 61LL, z.B, 9, 67LL, &z.beta, z.C, 10, 71LL, 2);
    BOTH(cublasCsyrkEx, UP, TR, 7, 5, &z.alpha, z.A, c32, 8, &z.beta, z.C, c32, 10);
    BOTH(cublasCsyrk3mEx, UP, TR, 7, 5, &z.alpha, z.A, c32, 8, &z.beta, z.C, c32, 10);
    BOTH(cublasCherkEx, UP, N, 7, 5, &c, z.A, c32, 8, &rb, z.C, c32, 10);
    BOTH(cublasCherk3mEx, UP, N, 7, 5, &c, z.A, c32, 8, &rb, z.C, c32, 10);
}
static void narrow()
{
    const float one = 0.75f, none = 0;
    {
        operands<__half> o;
        BOTH(cublasHgemm, N, TR, 7, 5, 6, &o.alpha, o.A, 8, o.B, 9, &o.beta, o.C, 10);
        BOTH(cublasHgemmBatched, N, TR, 7, 5, 6, &o.alpha, o.As, 8, o.Bs, 9, &o.beta, o.Cs, 10, 2);
        BOTH(cublasHgemmStridedBatched, N, TR, 7, 5, 6, &o.alpha, o.A, 8, 61LL, o.B, 9, 67LL, &o.beta, o.C, 10, 71LL, 2);
        BOTH(cublasHSHgemvBatched, N, 7, 5, &one, o.As, 8, o.xs, 2, &none, o.ys, 3, 2);
        BOTH(cublasHSHgemvStridedBatched, N, 7, 5, &one, o.A, 8, 61LL, o.x, 2, 13LL, &none, o.y, 3, 23LL, 2);
        BOTH(cublasHSSgemvBatched, N, 7, 5, &one, o.As, 8, o.xs, 2, &none, (float *const *)o.Cs, 3, 2);
        BOTH(cublasHSSgemvStridedBatched, N, 7, 5, &one, o.A, 8, 61LL, o.x, 2, 13LL, &none, (float *)o.C, 3, 23LL, 2);
    }
    operands<__nv_bfloat16> o;
    BOTH(cublasTSTgemvBatched, N, 7, 5, &one, o.As, 8, o.xs, 2, &none, o.ys, 3, 2);
    BOTH(cublasTSTgemvStridedBatched, N, 7, 5, &one, o.A, 8, 61LL, o.x, 2, 13LL, &none, o.y, 3, 23LL, 2);
    BOTH(cublasTSSgemvBatched, N, 7, 5, &one, o.As, 8, o.xs, 2, &none, (float *const *)o.Cs, 3, 2);
    BOTH(cublasTSSgemvStridedBatched, N, 7, 5, &one, o.A, 8, 61LL, o.x, 2, 13LL, &none, (float *)o.C, 3, 23LL, 2);
}

/* Between host and device, elements of 12 bytes. */
static void copies()
{
    operands<float> o;
    float there[120], back[120];
    for (int i = 0; i < 120; i++)
        there[i] = 1000.f + i;
    struct element { float v[3]; };
    element *device = (element *)m->device, *host = (element *)there, *got = (element *)back;
    auto held = [&](auto put, auto get, bool matrix) {
        m->begin();
        memset(back, 0, sizeof back);
        BLAS(put());
        BLAS(get());
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 40; i++) {
            const int lane = matrix ? i % 6 : i % 2;
            const bool moved = matrix ? lane < 4 && i < 18 : i < 10 && lane == 0;
            CHECK(got[i].v[1] == (moved ? host[matrix ? i / 6 * 5 + lane : i / 2 * 3].v[1] : 0));
        }
    };
    held([&] { return cublasSetVector_64(5, 12, host, 3, device, 4); }, [&] { return cublasGetVector_64(5, 12, device, 4, got, 2); }, false);
    held([&] { return cublasSetVectorAsync_64(5, 12, host, 3, device, 4, nullptr); }, [&] { return cublasGetVectorAsync_64(5, 12, device, 4, got, 2, nullptr); }, false);
    held([&] { return cublasSetMatrix_64(4, 3, 12, host, 5, device, 7); }, [&] { return cublasGetMatrix_64(4, 3, 12, device, 7, got, 6); }, true);
    held([&] { return cublasSetMatrixAsync_64(4, 3, 12, host, 5, device, 7, nullptr); }, [&] { return cublasGetMatrixAsync_64(4, 3, 12, device, 7, got, 6, nullptr); }, true);
}

int main()
{
    memory here;
    m = &here;
    BLAS(cublasCreate(&h));
    all<float>();
    real_S();
    complex_C();
    by_number();
    copies();
    const char *device = getenv("TERN_DEVICES");
    if (!device || !strstr(device, "interp")) {
        all<double>();
        all<cuComplex>();
        all<cuDoubleComplex>();
        real_D();
        complex_Z();
        narrow();
    }
    BLAS(cublasDestroy(h));
    puts("ok");
}

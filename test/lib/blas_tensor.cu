// OPTIONS: -O0 -I../..
// NOT ON: vulkan: its kernels are not these
/* The kernels for NVIDIA's matrix instructions, launched by hand so that other devices run them, too: every layout of the
 * operands, aligned and not, sizes that are no multiples of the tiles. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "device/blas/tensor.h"
#include "device/blas/double.h"
#include "device/blas/extra.h"
#include "device/blas/simt.h"
#include "device/blas/staged.h"

static float as_float(float v) { return v; }
static float as_float(double v) { return (float)v; }
static float as_float(__half v) { return __half2float(v); }
static float as_float(__nv_bfloat16 v) { return __bfloat162float(v); }
static float as_float(signed char v) { return v; }
static float as_float(int v) { return (float)v; }
template <class T> T small_number(int v) { return (T)(float)v; }

template <class T> T *on_device(const std::vector<T> &v)
{
    T *p;
    if (cudaMalloc((void **)&p, v.size() * sizeof(T)) || cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice))
        exit(2);
    return p;
}

/* Products of small whole numbers: exact in every type. */
template <class T, class C, class K> void one(const char *what, K launch, bool a_along, bool b_along, int m, int n, int k, int extra)
{
    const int lda = (a_along ? k : m) + extra, ldb = (b_along ? k : n) + extra, ldc = extra ? m + 3 : (m + 15) / 16 * 16; /* in pieces of 16 bytes, or not */
    std::vector<T> a(lda * (a_along ? m : k)), b(ldb * (b_along ? n : k));
    std::vector<C> c(ldc * n);
    for (auto &v : a)
        v = small_number<T>(rand() % 7 - 3);
    for (auto &v : b)
        v = small_number<T>(rand() % 7 - 3);
    for (auto &v : c)
        v = small_number<C>(rand() % 7 - 3);
    T *da = on_device(a), *db = on_device(b);
    C *dc = on_device(c);
    blas_product p = {};
    p.a.p = da;
    p.a.row = a_along ? lda : 1;
    p.a.col = a_along ? 1 : lda;
    p.b.p = db;
    p.b.row = b_along ? 1 : ldb;
    p.b.col = b_along ? ldb : 1;
    p.c = p.d = dc;
    p.c_row = p.d_row = 1;
    p.c_col = p.d_col = ldc;
    p.m = m;
    p.n = n;
    p.k = k;
    p.alpha_value[0] = 2;
    p.beta_value[0] = 1;
    launch(p);
    if (cudaError_t e = cudaGetLastError()) {
        printf("%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
    std::vector<C> got(c.size());
    if (cudaMemcpy(got.data(), dc, c.size() * sizeof(C), cudaMemcpyDeviceToHost)) {
        printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += as_float(a_along ? a[l + i * lda] : a[i + l * lda]) * as_float(b_along ? b[l + j * ldb] : b[j + l * ldb]);
            const float want = as_float(small_number<C>((int)(2 * sum + as_float(c[i + j * ldc]))));
            if (as_float(got[i + j * ldc]) != want) {
                printf("%s, %d %d, %d x %d x %d (%d, %d): %g is not %g\n", what, a_along, b_along, m, n, k, i, j, as_float(got[i + j * ldc]), want);
                exit(1);
            }
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

template <class T, class C, class S, bool A, bool B, bool ALIGNED, int ROWS = 128> void tensor(const char *what, int m, int n, int k)
{
    one<T, C>(what, [](blas_product p) {
        const long long tiles = (p.m + ROWS - 1) / ROWS * ((p.n + TENSOR_TILE - 1) / TENSOR_TILE);
        const int shared = TENSOR_STAGES * tensor_stage(ROWS);
        const auto kernel = tensor_product<T, C, C, S, ROWS, A, B, ALIGNED, 0>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)tiles), TENSOR_THREADS, shared>>>(p);
    }, A, B, m, n, k, ALIGNED ? 0 : 1);
}
template <int COLS, int ROWS, int SHAPE, bool A, bool B, bool ALIGNED> void doubles(int m, int n, int k)
{
    one<double, double>("f64", [](blas_product p) {
        const int STAGES = 3, stages = STAGES * (COLS + ROWS) * 128, end = COLS * (ROWS + 2) * 8, shared = stages > end ? stages : end;
        const long long tiles = (p.m + ROWS - 1) / ROWS * ((p.n + COLS - 1) / COLS);
        const auto kernel = double_product<COLS, ROWS, COLS / 2, ROWS / 4, STAGES, A, B, ALIGNED, SHAPE>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)tiles), DOUBLE_THREADS, shared>>>(p);
    }, A, B, m, n, k, ALIGNED ? 0 : 1);
}

template <int BM, int BN, int WM, int WN, bool A, bool B, bool ALIGNED> void floats(int m, int n, int k)
{
    one<float, float>("f32", [](blas_product p) {
        const int stages = 2 * SIMT_K * (BM + BN + 8) * 4, end = BN * (BM + 4) * 4, shared = stages > end ? stages : end;
        const long long tiles = (p.m + BM - 1) / BM * ((p.n + BN - 1) / BN);
        const auto kernel = simt_product<BM, BN, WM, WN, A, B, ALIGNED, 0>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)tiles), BM / WM * (BN / WN) * 32, shared>>>(p);
    }, A, B, m, n, k, ALIGNED ? 0 : 1);
}

template <int BM, int BN> void staged(int m, int n, int k)
{
    one<float, float>("f32 in stages", [](blas_product p) {
        const int stages = 4 * 16 * (BM + BN + 8) * 4, end = BN * (BM + 4) * 4, shared = stages > end ? stages : end;
        const long long tiles = (p.m + BM - 1) / BM * ((p.n + BN - 1) / BN);
        const auto kernel = staged_product<BM, BN, 64, 64, 16, 4, 1>;
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        kernel<<<dim3((unsigned)tiles), BM / 64 * (BN / 64) * 32, shared>>>(p);
    }, false, false, m, n, k, 0);
}

int main()
{
    staged<128, 128>(260, 132, 40);
    staged<128, 64>(132, 68, 100);
    floats<128, 128, 64, 64, true, true, true>(132, 20, 36);
    floats<128, 128, 64, 64, false, true, true>(132, 4, 20);
    floats<64, 64, 32, 32, true, false, true>(8, 132, 20);
    floats<64, 64, 32, 32, false, true, true>(68, 36, 20);
    floats<128, 128, 64, 64, false, false, true>(260, 132, 40);
    floats<128, 128, 64, 64, false, false, false>(65, 129, 17);
    floats<32, 32, 32, 32, true, true, false>(65, 129, 17);
    floats<32, 32, 32, 32, false, true, true>(32, 32, 32);
    tensor<__half, __half, float, true, true, true>("f16", 136, 16, 72);
    tensor<__half, float, float, false, true, true>("f16", 16, 136, 72);
    tensor<__half, float, float, true, false, true>("f16", 24, 24, 200);
    tensor<__half, float, float, false, false, false>("f16", 131, 133, 70);
    tensor<__nv_bfloat16, float, float, false, true, true>("bf16", 64, 8, 64);
    tensor<float, float, float, true, true, true>("tf32", 40, 24, 36);
    tensor<float, float, float, false, true, true>("tf32", 132, 8, 40);
    tensor<float, float, float, true, false, true>("tf32", 8, 132, 40);
    tensor<float, float, float, false, false, false>("tf32", 29, 31, 37);
    tensor<float, float, float, false, true, true, 64>("tf32", 60, 132, 40);
    tensor<float, float, float, false, false, true, 64>("tf32", 64, 28, 68);
    tensor<float, float, float, true, true, true, 64>("tf32", 68, 20, 36);
    tensor<signed char, int, int, true, true, true>("s8", 48, 24, 144);
    doubles<128, 128, 8, true, true, true>(68, 20, 34);
    doubles<128, 128, 16, false, true, true>(130, 6, 18);
    doubles<64, 128, 8, true, false, true>(6, 130, 18);
    doubles<64, 128, 8, true, true, true>(6, 130, 18);
    doubles<64, 64, 16, false, true, true>(66, 6, 18);
    doubles<64, 128, 4, true, true, true>(68, 20, 34);
    doubles<128, 128, 8, false, false, false>(65, 129, 17);
    doubles<64, 64, 4, false, false, false>(65, 129, 17);
    puts("ok");
}

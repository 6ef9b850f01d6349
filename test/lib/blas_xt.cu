// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* cublasXt: matrices of the host's, products by blocks and whole, each function against sums written out, what is wrong with arguments. */
#include "blas.h"
#include <cublasXt.h>
#include <cmath>

typedef std::vector<double> numbers;

static numbers random_numbers(size_t n)
{
    numbers v(n);
    for (double &x : v)
        x = rand() / (double)RAND_MAX - 0.5;
    return v;
}

/* Element (i, j) of op(X). */
static double at(const numbers &x, int ld, cublasOperation_t op, int i, int j)
{
    return op == CUBLAS_OP_N ? x[i + j * ld] : x[j + i * ld];
}

static void same(const char *what, double got, double want)
{
    if (std::fabs(got - want) > 1e-13) {
        printf("%s: %g is not %g\n", what, got, want);
        exit(1);
    }
}

static void gemm(cublasXtHandle_t h, int block, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double beta)
{
    const int lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 2, ldc = m + 3;
    const numbers a = random_numbers((size_t)lda * (m + k)), b = random_numbers((size_t)ldb * (n + k));
    numbers c = random_numbers((size_t)ldc * n);
    if (beta == 0)
        for (double &x : c)
            x = NAN;
    const numbers before = c;
    const double alpha = 1.5;
    BLAS(cublasXtSetBlockDim(h, block));
    BLAS(cublasXtDgemm(h, ta, tb, m, n, k, &alpha, a.data(), lda, b.data(), ldb, &beta, c.data(), ldc));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ldc; i++) {
            if (i >= m) {
                CHECK(!memcmp(&c[i + j * ldc], &before[i + j * ldc], 8));
                continue;
            }
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += at(a, lda, ta, i, l) * at(b, ldb, tb, l, j);
            same("gemm", c[i + j * ldc], alpha * sum + (beta == 0 ? 0 : beta * before[i + j * ldc]));
        }
}

/* Symmetric and triangular ones, n rows. */
static void triangles(cublasXtHandle_t h, int n, int k, cublasFillMode_t uplo)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const double alpha = 2, beta = 0.5;
    const numbers a = random_numbers((size_t)n * k), b = random_numbers((size_t)n * k), before = random_numbers((size_t)n * n);
    numbers one = before, two = before, x = before;
    BLAS(cublasXtDsyrk(h, uplo, CUBLAS_OP_N, n, k, &alpha, a.data(), n, &beta, one.data(), n));
    BLAS(cublasXtDsyr2k(h, uplo, CUBLAS_OP_N, n, k, &alpha, a.data(), n, b.data(), n, &beta, two.data(), n));
    BLAS(cublasXtDsyrkx(h, uplo, CUBLAS_OP_N, n, k, &alpha, a.data(), n, a.data(), n, &beta, x.data(), n));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = 0, t = 0;
            for (int l = 0; l < k; l++) {
                s += a[i + l * n] * a[j + l * n];
                t += a[i + l * n] * b[j + l * n] + b[i + l * n] * a[j + l * n];
            }
            const double was = before[i + j * n];
            const bool inside = upper ? i <= j : i >= j;
            same("syrk", one[i + j * n], inside ? alpha * s + beta * was : was);
            same("syr2k", two[i + j * n], inside ? alpha * t + beta * was : was);
            same("syrkx", x[i + j * n], one[i + j * n]);
        }
    /* The triangle of `before` is A; B has k columns, or k rows where A is on the right. */
    numbers packed;
    for (int j = 0; j < n; j++)
        for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++)
            packed.push_back(before[i + j * n]);
    auto whole = [&](int i, int j) { return (upper ? i <= j : i >= j) ? before[i + j * n] : before[j + i * n]; };
    auto part = [&](int i, int j) { return i == j ? 1 : (upper ? i <= j : i >= j) ? before[i + j * n] : 0; };
    numbers symm = b, spmm = b, trmm = b, right = b;
    const double zero = 0;
    BLAS(cublasXtDsymm(h, CUBLAS_SIDE_LEFT, uplo, n, k, &alpha, before.data(), n, a.data(), n, &beta, symm.data(), n));
    BLAS(cublasXtDspmm(h, CUBLAS_SIDE_LEFT, uplo, n, k, &alpha, packed.data(), a.data(), n, &beta, spmm.data(), n));
    BLAS(cublasXtDtrmm(h, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, k, &alpha, before.data(), n, a.data(), n, trmm.data(), n));
    BLAS(cublasXtDsymm(h, CUBLAS_SIDE_RIGHT, uplo, k, n, &alpha, before.data(), n, a.data(), k, &zero, right.data(), k));
    for (int j = 0; j < k; j++)
        for (int i = 0; i < n; i++) {
            double s = 0, t = 0, r = 0;
            for (int l = 0; l < n; l++) {
                s += whole(i, l) * a[l + j * n];
                t += part(l, i) * a[l + j * n];
                r += a[j + l * k] * whole(l, i);
            }
            same("symm", symm[i + j * n], alpha * s + beta * b[i + j * n]);
            same("spmm", spmm[i + j * n], symm[i + j * n]);
            same("trmm", trmm[i + j * n], alpha * t);
            same("symm from the right", right[j + i * k], alpha * r);
        }
    numbers solved = trmm;
    const double half = 0.5;
    BLAS(cublasXtDtrsm(h, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, k, &half, before.data(), n, solved.data(), n));
    for (size_t i = 0; i < solved.size(); i++)
        CHECK(std::fabs(solved[i] - a[i]) < 1e-9);
}

/* Hermitian ones: the diagonal's imaginary part goes. */
static void hermitian(cublasXtHandle_t h)
{
    const cuDoubleComplex a[2] = {{1, 2}, {3, -1}}, one = {1, 0};
    cuDoubleComplex c[4] = {{5, 9}, {6, 6}, {7, 7}, {8, 9}}, d[4], e[4];
    const double alpha = 2, beta = 1, zero = 0;
    memcpy(d, c, sizeof c);
    memcpy(e, c, sizeof c);
    BLAS(cublasXtZherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &alpha, a, 2, &beta, c, 2));
    CHECK(c[0].x == 15 && c[0].y == 0 && c[3].x == 28 && c[3].y == 0);
    CHECK(c[1].x == 6 + 2 * 1 && c[1].y == 6 + 2 * -7 && c[2].x == 7); /* (3 - i)(1 - 2i) */
    BLAS(cublasXtZher2k(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &one, a, 2, a, 2, &zero, d, 2));
    CHECK(d[0].x == 10 && d[1].x == 2 && d[1].y == -14 && d[3].x == 20);
    BLAS(cublasXtZherkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &one, a, 2, a, 2, &zero, e, 2));
    CHECK(e[0].x == 5 && e[1].x == 1 && e[1].y == -7 && e[3].x == 10);
    cuDoubleComplex product[2] = {{0, 0}, {0, 0}};
    const cuDoubleComplex none = {0, 0};
    BLAS(cublasXtZhemm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 2, 1, &one, e, 2, a, 2, &none, product, 2));
    /* [5, 1 + 7i; 1 - 7i, 10] [1 + 2i; 3 - i] */
    CHECK(product[0].x == 5 + 10 && product[0].y == 10 + 20 && product[1].x == 15 + 30 && product[1].y == -5 - 10);
}

int main()
{
    cublasXtHandle_t h;
    int boards = 0, block = 0, device = 0;
    cublasXtPinnedMemMode_t mode;
    const double one = 1;
    double x = 0;
    CHECK(cublasXtCreate(nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasXtCreate(&h));
    BLAS(cublasXtMaxBoards(&boards));
    CHECK(boards >= 1);
    BLAS(cublasXtGetNumBoards(1, &device, &boards));
    CHECK(boards == 1);
    BLAS(cublasXtDeviceSelect(h, 1, &device));
    device = 1000;
    CHECK(cublasXtDeviceSelect(h, 1, &device) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasXtSetPinningMemMode(h, CUBLASXT_PINNING_ENABLED));
    BLAS(cublasXtGetPinningMemMode(h, &mode));
    CHECK(mode == CUBLASXT_PINNING_ENABLED);
    BLAS(cublasXtSetCpuRatio(h, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 0));
    CHECK(cublasXtSetCpuRatio(h, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 0.5f) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasXtSetBlockDim(h, 0) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasXtSetBlockDim(h, 5));
    BLAS(cublasXtGetBlockDim(h, &block));
    CHECK(block == 5);
    CHECK(cublasXtDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, &x, 1, &x, 1, &one, &x, 2) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasXtDgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &x, 1, &x, 1, &one, &x, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    for (cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            gemm(h, 5, ta, tb, 13, 7, 11, 0.25);
            gemm(h, 2048, ta, tb, 13, 7, 11, 0);
        }
    gemm(h, 4, CUBLAS_OP_N, CUBLAS_OP_N, 6, 5, 0, 0.5);
    triangles(h, 9, 4, CUBLAS_FILL_MODE_UPPER);
    triangles(h, 9, 4, CUBLAS_FILL_MODE_LOWER);
    hermitian(h);
    BLAS(cublasXtDestroy(h));
    CHECK(cublasXtDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
    puts("ok");
}

// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* What the other programs do not call: functions that are told their types, complex products of the 3m family, batches of
 * half and bfloat16, groups, rotations of complex vectors by real numbers, copies in stream order. Against loops in double. */
#include "blas.h"

static cublasHandle_t h;

template <class T> struct named;
template <> struct named<float> { static const cudaDataType type = CUDA_R_32F; };
template <> struct named<double> { static const cudaDataType type = CUDA_R_64F; };
template <> struct named<__half> { static const cudaDataType type = CUDA_R_16F; };
template <> struct named<__nv_bfloat16> { static const cudaDataType type = CUDA_R_16BF; };
template <> struct named<cuComplex> { static const cudaDataType type = CUDA_C_32F; };
template <> struct named<cuDoubleComplex> { static const cudaDataType type = CUDA_C_64F; };

template <class T> static zd w(T v)
{
    return as<T>::wide(v);
}
static double l1(zd v)
{
    return std::fabs(v.real()) + std::fabs(v.imag());
}

/* ---- level 1, told its types ---- */

template <class T> static void vectors(int n, int incx, int incy)
{
    const cudaDataType t = named<T>::type, run = sizeof(T) == 2 ? CUDA_R_32F : t;
    const auto x_at = [&](int i) { return (incx < 0 ? n - 1 - i : i) * std::abs(incx); };
    const auto y_at = [&](int i) { return (incy < 0 ? n - 1 - i : i) * std::abs(incy); };
    const double bound = as<T>::eps() * (n + 4);
    both<T> x(n * std::abs(incx) + 1), y(n * std::abs(incy) + 1);
    T got;
    zd dot = 0;
    for (int i = 0; i < n; i++)
        dot += std::conj(w(x.host[x_at(i)])) * w(y.host[y_at(i)]);
    BLAS(cublasDotcEx(h, n, x.device, t, incx, y.device, t, incy, &got, t, run));
    CHECK(close(w(got), dot, bound * 2));
    if (incx > 0) {
        double sum = 0;
        int most = 0, least = 0;
        for (int i = 0; i < n; i++) {
            const double v = l1(w(x.host[x_at(i)]));
            sum += v;
            if (v > l1(w(x.host[x_at(most)])))
                most = i;
            if (v < l1(w(x.host[x_at(least)])))
                least = i;
        }
        int first = -1, last = -1;
        BLAS(cublasIamaxEx(h, n, x.device, t, incx, &first));
        BLAS(cublasIaminEx(h, n, x.device, t, incx, &last));
        CHECK(first == most + 1 && last == least + 1);
        if (as<T>::is_complex) {
            double sums[1];
            float narrow;
            const bool wide = sizeof(T) == 16;
            BLAS(cublasAsumEx(h, n, x.device, t, incx, wide ? (void *)sums : (void *)&narrow, wide ? CUDA_R_64F : CUDA_R_32F, run));
            CHECK(std::fabs((wide ? sums[0] : (double)narrow) - sum) <= bound * n);
        } else {
            BLAS(cublasAsumEx(h, n, x.device, t, incx, &got, t, run));
            CHECK(std::fabs(w(got).real() - sum) <= bound * n);
        }
    }
    BLAS(cublasSwapEx(h, n, x.device, t, incx, y.device, t, incy));
    std::vector<T> sx = x.get(), sy = y.get();
    for (int i = 0; i < n; i++)
        CHECK(w(sx[x_at(i)]) == w(y.host[y_at(i)]) && w(sy[y_at(i)]) == w(x.host[x_at(i)]));
    BLAS(cublasCopyEx(h, n, x.device, t, incx, y.device, t, incy));
    sy = y.get();
    for (int i = 0; i < n; i++)
        CHECK(w(sy[y_at(i)]) == w(sx[x_at(i)]));
    /* by a real rotation */
    x.put();
    y.put();
    const double c = 0.8, s = -0.6;
    const float cf = (float)c, sf = (float)s;
    const T ct = as<T>::narrow(c), st = as<T>::narrow(s);
    const bool real_cs = as<T>::is_complex;
    const cudaDataType cs = real_cs ? (sizeof(T) == 16 ? CUDA_R_64F : CUDA_R_32F) : t;
    const void *pc = !real_cs ? (const void *)&ct : sizeof(T) == 16 ? (const void *)&c : (const void *)&cf;
    const void *ps = !real_cs ? (const void *)&st : sizeof(T) == 16 ? (const void *)&s : (const void *)&sf;
    BLAS(cublasRotEx(h, n, x.device, t, incx, y.device, t, incy, pc, ps, cs, run));
    sx = x.get();
    sy = y.get();
    const double tc = real_cs ? c : w(ct).real(), ts = real_cs ? s : w(st).real();
    for (int i = 0; i < n; i++) {
        const zd a = w(x.host[x_at(i)]), b = w(y.host[y_at(i)]);
        CHECK(close(w(sx[x_at(i)]), tc * a + ts * b, as<T>::eps() * 8) && close(w(sy[y_at(i)]), tc * b - ts * a, as<T>::eps() * 8));
    }
}

template <class T, class R> static void by_reals(cublasStatus_t (*rot)(cublasHandle_t, int, T *, int, T *, int, const R *, const R *),
                                                 cublasStatus_t (*scal)(cublasHandle_t, int, const R *, T *, int),
                                                 cublasStatus_t (*dotc)(cublasHandle_t, int, const T *, int, const T *, int, T *))
{
    const int n = 37;
    both<T> x(2 * n), y(3 * n);
    const R c = (R)0.6, s = (R)0.8;
    zd sum = 0;
    T got;
    for (int i = 0; i < n; i++)
        sum += std::conj(w(x.host[2 * i])) * w(y.host[3 * i]);
    BLAS(dotc(h, n, x.device, 2, y.device, 3, &got));
    CHECK(close(w(got), sum, as<T>::eps() * 80));
    BLAS(rot(h, n, x.device, 2, y.device, 3, &c, &s));
    BLAS(scal(h, n, &s, y.device, 3));
    const std::vector<T> sx = x.get(), sy = y.get();
    for (int i = 0; i < 3 * n; i++)
        if (i % 3)
            CHECK(w(sy[i]) == w(y.host[i])); /* between the elements */
    for (int i = 0; i < n; i++) {
        const zd a = w(x.host[2 * i]), b = w(y.host[3 * i]);
        CHECK(close(w(sx[2 * i]), (double)c * a + (double)s * b, as<T>::eps() * 8));
        CHECK(close(w(sy[3 * i]), (double)s * ((double)c * b - (double)s * a), as<T>::eps() * 8));
    }
}

/* ---- products ---- */

/* Matrices of a batch, one after the other, with pointers to each. */
template <class T> struct batch {
    int each, count;
    both<T> all;
    both<T *> at;
    batch(int each, int count) : each(each), count(count), all(each * count), at(count)
    {
        for (int z = 0; z < count; z++)
            at.host[z] = all.device + z * each;
        at.put();
    }
};

template <class A, class C>
static void hold(const batch<A> &a, const batch<A> &b, const batch<C> &c, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, int lda,
                 int ldb, int ldc, zd alpha, zd beta)
{
    const std::vector<C> got = c.all.get();
    const double eps = std::max(as<C>::eps(), 1.2e-7), bound = eps * (16 + 6 * k);
    for (int z = 0; z < c.count; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                zd sum = 0;
                for (int l = 0; l < k; l++)
                    sum += at(a.all.host, lda, ta, i, l, z * a.each) * at(b.all.host, ldb, tb, l, j, z * b.each);
                const int e = z * c.each + i + j * ldc;
                CHECK(close(w(got[e]), alpha * sum + beta * w(c.all.host[e]), bound));
            }
}

template <class F> static void each_op(bool conjugates, F f)
{
    for (int ta = 0; ta < (conjugates ? 3 : 2); ta++)
        for (int tb = 0; tb < (conjugates ? 3 : 2); tb++)
            f((cublasOperation_t)ta, (cublasOperation_t)tb);
}

static void complex_products()
{
    const int m = 9, n = 7, k = 11, count = 3;
    each_op(true, [&](cublasOperation_t ta, cublasOperation_t tb) {
        const int lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 1;
        const int sa = lda * (ta ? m : k), sb = ldb * (tb ? k : n), sc = ldc * n;
        const cuComplex al = make_cuComplex(0.5f, -1), be = make_cuComplex(2, 0.25f);
        const zd alpha(0.5, -1), beta(2, 0.25);
        batch<cuComplex> a(sa, count), b(sb, count), c(sc, count);
        BLAS(cublasCgemm3mBatched(h, ta, tb, m, n, k, &al, a.at.device, lda, b.at.device, ldb, &be, c.at.device, ldc, count));
        hold(a, b, c, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
        c.all.put();
        BLAS(cublasCgemm3mStridedBatched(h, ta, tb, m, n, k, &al, a.all.device, lda, sa, b.all.device, ldb, sb, &be, c.all.device, ldc, sc, count));
        hold(a, b, c, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
        batch<cuComplex> a1(sa, 1), b1(sb, 1), c1(sc, 1);
        BLAS(cublasCgemm3m(h, ta, tb, m, n, k, &al, a1.all.device, lda, b1.all.device, ldb, &be, c1.all.device, ldc));
        hold(a1, b1, c1, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
        c1.all.put();
        BLAS(cublasCgemm3mEx(h, ta, tb, m, n, k, &al, a1.all.device, CUDA_C_32F, lda, b1.all.device, CUDA_C_32F, ldb, &be, c1.all.device, CUDA_C_32F,
                             ldc));
        hold(a1, b1, c1, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
        c1.all.put();
        BLAS(cublasCgemmEx(h, ta, tb, m, n, k, &al, a1.all.device, CUDA_C_32F, lda, b1.all.device, CUDA_C_32F, ldb, &be, c1.all.device, CUDA_C_32F, ldc));
        hold(a1, b1, c1, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
        batch<cuDoubleComplex> az(sa, 1), bz(sb, 1), cz(sc, 1);
        const cuDoubleComplex alz = make_cuDoubleComplex(0.5, -1), bez = make_cuDoubleComplex(2, 0.25);
        BLAS(cublasZgemm3m(h, ta, tb, m, n, k, &alz, az.all.device, lda, bz.all.device, ldb, &bez, cz.all.device, ldc));
        hold(az, bz, cz, ta, tb, m, n, k, lda, ldb, ldc, alpha, beta);
    });
}

static void narrow_products()
{
    const int m = 13, n = 5, k = 10, count = 4;
    each_op(false, [&](cublasOperation_t ta, cublasOperation_t tb) {
        const int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
        const int sa = lda * (ta ? m : k), sb = ldb * (tb ? k : n), sc = ldc * n;
        batch<__half> a(sa, count), b(sb, count), c(sc, count);
        const __half al = __float2half(0.5f), be = __float2half(-0.25f);
        BLAS(cublasHgemmBatched(h, ta, tb, m, n, k, &al, a.at.device, lda, b.at.device, ldb, &be, c.at.device, ldc, count));
        hold(a, b, c, ta, tb, m, n, k, lda, ldb, ldc, 0.5, -0.25);
        c.all.put();
        BLAS(cublasHgemmStridedBatched(h, ta, tb, m, n, k, &al, a.all.device, lda, sa, b.all.device, ldb, sb, &be, c.all.device, ldc, sc, count));
        hold(a, b, c, ta, tb, m, n, k, lda, ldb, ldc, 0.5, -0.25);
        batch<float> f(sc, count);
        const float alf = 0.5f, bef = -0.25f;
        BLAS(cublasGemmBatchedEx(h, ta, tb, m, n, k, &alf, (const void *const *)a.at.device, CUDA_R_16F, lda, (const void *const *)b.at.device,
                                 CUDA_R_16F, ldb, &bef, (void *const *)f.at.device, CUDA_R_32F, ldc, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        hold(a, b, f, ta, tb, m, n, k, lda, ldb, ldc, 0.5, -0.25);
        batch<__nv_bfloat16> a1(sa, 1), b1(sb, 1);
        batch<float> c1(sc, 1);
        BLAS(cublasSgemmEx(h, ta, tb, m, n, k, &alf, a1.all.device, CUDA_R_16BF, lda, b1.all.device, CUDA_R_16BF, ldb, &bef, c1.all.device, CUDA_R_32F, ldc));
        hold(a1, b1, c1, ta, tb, m, n, k, lda, ldb, ldc, 0.5, -0.25);
    });
}

/* Two groups of other shapes in one call. */
static void groups()
{
    const cublasOperation_t ta[] = {CUBLAS_OP_N, CUBLAS_OP_T}, tb[] = {CUBLAS_OP_T, CUBLAS_OP_N};
    const int m[] = {6, 17}, n[] = {9, 3}, k[] = {4, 8}, sizes[] = {2, 3}, lda[] = {7, 8}, ldb[] = {9, 10}, ldc[] = {6, 20};
    const float alpha[] = {1.5f, -2}, beta[] = {0.5f, 1};
    batch<float> a0(lda[0] * k[0], 2), b0(ldb[0] * k[0], 2), c0(ldc[0] * n[0], 2), a1(lda[1] * m[1], 3), b1(ldb[1] * n[1], 3), c1(ldc[1] * n[1], 3);
    both<float *> a(5), b(5), c(5);
    for (int z = 0; z < 5; z++) {
        a.host[z] = z < 2 ? a0.at.host[z] : a1.at.host[z - 2];
        b.host[z] = z < 2 ? b0.at.host[z] : b1.at.host[z - 2];
        c.host[z] = z < 2 ? c0.at.host[z] : c1.at.host[z - 2];
    }
    a.put();
    b.put();
    c.put();
    for (int way = 0; way < 2; way++) {
        c0.all.put();
        c1.all.put();
        if (way)
            BLAS(cublasGemmGroupedBatchedEx(h, ta, tb, m, n, k, alpha, (const void *const *)a.device, CUDA_R_32F, lda, (const void *const *)b.device,
                                            CUDA_R_32F, ldb, beta, (void *const *)c.device, CUDA_R_32F, ldc, 2, sizes, CUBLAS_COMPUTE_32F));
        else
            BLAS(cublasSgemmGroupedBatched(h, ta, tb, m, n, k, alpha, a.device, lda, b.device, ldb, beta, c.device, ldc, 2, sizes));
        hold(a0, b0, c0, ta[0], tb[0], m[0], n[0], k[0], lda[0], ldb[0], ldc[0], 1.5, 0.5);
        hold(a1, b1, c1, ta[1], tb[1], m[1], n[1], k[1], lda[1], ldb[1], ldc[1], -2, 1);
    }
}

/* ---- matrices times vectors, many at once ---- */

template <class A, class Y, class F, class G> static void gemvs(F by_pointers, G by_strides)
{
    const int m = 11, n = 6, lda = 13, incx = 2, incy = 3, count = 3;
    for (int o = 0; o < 2; o++) {
        const cublasOperation_t op = o ? CUBLAS_OP_T : CUBLAS_OP_N;
        const int nx = o ? m : n, ny = o ? n : m;
        batch<A> a(lda * n, count), x(nx * incx, count);
        batch<Y> y(ny * incy, count);
        const float alpha = 1.25f, beta = -0.5f;
        for (int way = 0; way < 2; way++) {
            y.all.put();
            if (way)
                BLAS(by_strides(h, op, m, n, &alpha, a.all.device, lda, a.each, x.all.device, incx, x.each, &beta, y.all.device, incy, y.each, count));
            else
                BLAS(by_pointers(h, op, m, n, &alpha, a.at.device, lda, x.at.device, incx, &beta, y.at.device, incy, count));
            const std::vector<Y> got = y.all.get();
            for (int z = 0; z < count; z++)
                for (int i = 0; i < ny; i++) {
                    zd sum = 0;
                    for (int l = 0; l < nx; l++)
                        sum += at(a.all.host, lda, op, i, l, z * a.each) * w(x.all.host[z * x.each + l * incx]);
                    const int e = z * y.each + i * incy;
                    CHECK(close(w(got[e]), 1.25 * sum - 0.5 * w(y.all.host[e]), std::max(as<Y>::eps(), 1.2e-7) * 60));
                    CHECK(w(got[e + 1]) == w(y.all.host[e + 1]));
                }
        }
    }
}

/* ---- one triangle of A A' ---- */

static void updates()
{
    const int n = 9, k = 5, ldc = 10;
    for (int o = 0; o < 2; o++)
        for (int u = 0; u < 2; u++) {
            const cublasFillMode_t uplo = u ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            const int lda = (o ? k : n) + 1;
            both<cuComplex> a(lda * (o ? n : k)), c(ldc * n);
            const cuComplex al = make_cuComplex(1, 2), be = make_cuComplex(0.5f, 0);
            const float ar = 1.5f, br = 0.5f;
            for (int way = 0; way < 4; way++) {
                const bool hermitian = way >= 2;
                const cublasOperation_t op = !o ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
                for (int i = 0; i < n; i++) /* a Hermitian diagonal is real */
                    c.host[i + i * ldc].y = 0;
                c.put();
                switch (way) {
                case 0: BLAS(cublasCsyrkEx(h, uplo, op, n, k, &al, a.device, CUDA_C_32F, lda, &be, c.device, CUDA_C_32F, ldc)); break;
                case 1: BLAS(cublasCsyrk3mEx(h, uplo, op, n, k, &al, a.device, CUDA_C_32F, lda, &be, c.device, CUDA_C_32F, ldc)); break;
                case 2: BLAS(cublasCherkEx(h, uplo, op, n, k, &ar, a.device, CUDA_C_32F, lda, &br, c.device, CUDA_C_32F, ldc)); break;
                default: BLAS(cublasCherk3mEx(h, uplo, op, n, k, &ar, a.device, CUDA_C_32F, lda, &br, c.device, CUDA_C_32F, ldc)); break;
                }
                const std::vector<cuComplex> got = c.get();
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < n; i++) {
                        zd want = w(c.host[i + j * ldc]), sum = 0;
                        for (int l = 0; l < k; l++) {
                            const zd p = at(a.host, lda, op, i, l), q = at(a.host, lda, op, j, l);
                            sum += p * (hermitian ? std::conj(q) : q);
                        }
                        if (u ? i <= j : i >= j)
                            want = (hermitian ? zd(1.5) : zd(1, 2)) * sum + 0.5 * want;
                        CHECK(close(w(got[i + j * ldc]), want, 1.2e-7 * 80));
                    }
            }
        }
}

/* ---- copies, settings ---- */

static void copies()
{
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    std::vector<double> from(60), to(60, 0.0);
    for (size_t k = 0; k < from.size(); k++)
        from[k] = (double)k;
    both<double> d(60);
    BLAS(cublasSetVectorAsync(10, sizeof(double), from.data(), 3, d.device, 2, s));
    BLAS(cublasGetVectorAsync(10, sizeof(double), d.device, 2, to.data(), 4, s));
    CUDA(cudaStreamSynchronize(s));
    for (int k = 0; k < 10; k++)
        CHECK(to[4 * k] == 3 * k);
    BLAS(cublasSetVector(5, sizeof(double), from.data() + 7, 1, d.device, 1));
    CHECK(d.get()[4] == 11);
    BLAS(cublasSetMatrixAsync(4, 5, sizeof(double), from.data(), 7, d.device, 6, s));
    BLAS(cublasGetMatrixAsync(4, 5, sizeof(double), d.device, 6, to.data(), 5, s));
    CUDA(cudaStreamSynchronize(s));
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 4; i++)
            CHECK(to[i + 5 * j] == i + 7 * j);
    CHECK(cublasSetVectorAsync(1, 0, from.data(), 1, d.device, 1, s) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasGetMatrixAsync(4, 5, sizeof(double), d.device, 3, to.data(), 5, s) == CUBLAS_STATUS_INVALID_VALUE);
    CUDA(cudaStreamDestroy(s));

    cublasAtomicsMode_t mode;
    BLAS(cublasSetAtomicsMode(h, CUBLAS_ATOMICS_ALLOWED));
    BLAS(cublasGetAtomicsMode(h, &mode));
    CHECK(mode == CUBLAS_ATOMICS_ALLOWED);
    int units = -1, version = 0;
    BLAS(cublasSetSmCountTarget(h, 2));
    BLAS(cublasGetSmCountTarget(h, &units));
    CHECK(units == 2);
    BLAS(cublasSetSmCountTarget(h, 0));
    BLAS(cublasGetProperty(MAJOR_VERSION, &version));
    CHECK(version == CUBLAS_VER_MAJOR);
    CHECK(strlen(cublasGetStatusString(CUBLAS_STATUS_ALLOC_FAILED)) > 0);
    CHECK(cublasGetCudartVersion() > 0);
}

int main()
{
    BLAS(cublasCreate(&h));
    for (int n : {1, 33, 300}) {
        vectors<float>(n, 1, 1);
        vectors<double>(n, 2, 3);
        vectors<cuComplex>(n, 1, -2);
        vectors<cuDoubleComplex>(n, 3, 1);
    }
    by_reals<cuComplex, float>(cublasCsrot, cublasCsscal, cublasCdotc);
    by_reals<cuDoubleComplex, double>(cublasZdrot, cublasZdscal, cublasZdotc);
    complex_products();
    narrow_products();
    groups();
    gemvs<__half, __half>(cublasHSHgemvBatched, cublasHSHgemvStridedBatched);
    gemvs<__half, float>(cublasHSSgemvBatched, cublasHSSgemvStridedBatched);
    gemvs<__nv_bfloat16, __nv_bfloat16>(cublasTSTgemvBatched, cublasTSTgemvStridedBatched);
    gemvs<__nv_bfloat16, float>(cublasTSSgemvBatched, cublasTSSgemvStridedBatched);
    updates();
    copies();
    BLAS(cublasDestroy(h));
    puts("ok");
}

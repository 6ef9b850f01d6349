// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* Level 3 beside gemm, in four types: triangles and symmetric matrices are written out in full, what is not stored is no
 * number, the part of the result that is not meant stays. Batches and groups of products; geam, dgmm, packed triangles. */
#include "blas.h"

template <class T> struct calls;
#define CALLS(T_, L, HERK, HER2K, HERKX, HEMM)                                                     \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto syrk = cublas##L##syrk;                                              \
        static constexpr auto syr2k = cublas##L##syr2k;                                            \
        static constexpr auto syrkx = cublas##L##syrkx;                                            \
        static constexpr auto symm = cublas##L##symm;                                              \
        static constexpr auto herk = cublas##L##HERK;                                              \
        static constexpr auto her2k = cublas##L##HER2K;                                            \
        static constexpr auto herkx = cublas##L##HERKX;                                            \
        static constexpr auto hemm = cublas##L##HEMM;                                              \
        static constexpr auto trmm = cublas##L##trmm;                                              \
        static constexpr auto trsm = cublas##L##trsm;                                              \
        static constexpr auto trsm_batched = cublas##L##trsmBatched;                               \
        static constexpr auto geam = cublas##L##geam;                                              \
        static constexpr auto dgmm = cublas##L##dgmm;                                              \
        static constexpr auto tpttr = cublas##L##tpttr;                                            \
        static constexpr auto trttp = cublas##L##trttp;                                            \
        static constexpr auto gemm_batched = cublas##L##gemmBatched;                               \
        static constexpr auto gemm_strided = cublas##L##gemmStridedBatched;                        \
    };
CALLS(float, S, syrk, syr2k, syrkx, symm)
CALLS(double, D, syrk, syr2k, syrkx, symm)
CALLS(cuComplex, C, herk, her2k, herkx, hemm)
CALLS(cuDoubleComplex, Z, herk, her2k, herkx, hemm)
template <class T> struct real_of { typedef T type; };
template <> struct real_of<cuComplex> { typedef float type; };
template <> struct real_of<cuDoubleComplex> { typedef double type; };
typedef std::vector<zd> dense;

template <class T> struct test {
    typedef typename real_of<T>::type R;
    cublasHandle_t h;
    double eps(int n) { return as<T>::eps() * (16 + 8 * n); }
    static zd w(T v) { return as<T>::wide(v); }

    void same(const char *what, const std::vector<T> &got, const std::vector<T> &before, int m, int n, int ld, int part, double bound, const dense &want)
    {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ld; i++) {
                const bool meant = i < m && (part == 0 || (part == 1 ? i <= j : i >= j));
                const zd should = meant ? want[i + j * m] : w(before[i + j * ld]);
                if (!close(w(got[i + j * ld]), should, meant ? bound : 0)) {
                    printf("%s (%d, %d) of %d x %d: %g %g is not %g %g\n", what, i, j, m, n, w(got[i + j * ld]).real(), w(got[i + j * ld]).imag(), should.real(), should.imag());
                    exit(1);
                }
            }
    }

    /* op(A) op(B)' and its kin, one triangle. */
    void updates(int n, int k, bool upper, bool trans, bool hermitian)
    {
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        const bool conj = hermitian && as<T>::is_complex;
        const cublasOperation_t o = !trans ? CUBLAS_OP_N : conj ? CUBLAS_OP_C : CUBLAS_OP_T;
        const int rows = trans ? k : n, lda = rows + 1, ldb = rows + 2, ldc = n + 3;
        both<T> a(lda * (trans ? n : k) + 1), b(ldb * (trans ? n : k) + 1), c(ldc * n + 1);
        const T alpha = any<T>(), beta = any<T>();
        const R ra = (R)0.75, rb = (R)-0.5;
        auto A = [&](int i, int l) { return at(a.host, lda, o, i, l); };
        auto B = [&](int i, int l) { return at(b.host, ldb, o, i, l); };
        auto C = [&](zd v) { return conj ? std::conj(v) : v; };
        for (int form = 0; form < 3; form++) { /* k, 2k, kx */
            dense want(n * n);
            const zd al = hermitian && form == 0 ? zd(ra) : w(alpha), be = hermitian ? zd(rb) : w(beta);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    zd sum = 0, other = 0;
                    for (int l = 0; l < k; l++) {
                        sum += A(i, l) * C(form == 0 ? A(j, l) : B(j, l));
                        other += B(i, l) * C(A(j, l));
                    }
                    want[i + j * n] = al * sum + (form == 1 ? C(al) * other : zd(0)) + be * w(c.host[i + j * ldc]);
                    if (conj && i == j)
                        want[i + j * n] = want[i + j * n].real();
                }
            c.put();
            if (!hermitian && form == 0)
                BLAS(calls<T>::syrk(h, fill, o, n, k, &alpha, a.device, lda, &beta, c.device, ldc));
            else if (!hermitian && form == 1)
                BLAS(calls<T>::syr2k(h, fill, o, n, k, &alpha, a.device, lda, b.device, ldb, &beta, c.device, ldc));
            else if (!hermitian)
                BLAS(calls<T>::syrkx(h, fill, o, n, k, &alpha, a.device, lda, b.device, ldb, &beta, c.device, ldc));
            else if (form == 0)
                BLAS(calls<T>::herk(h, fill, o, n, k, &ra, a.device, lda, &rb, c.device, ldc));
            else if (form == 1)
                BLAS(calls<T>::her2k(h, fill, o, n, k, &alpha, a.device, lda, b.device, ldb, &rb, c.device, ldc));
            else
                BLAS(calls<T>::herkx(h, fill, o, n, k, &alpha, a.device, lda, b.device, ldb, &rb, c.device, ldc));
            same("update", c.get(), c.host, n, n, ldc, upper ? 1 : 2, eps(2 * k), want);
        }
    }

    /* A triangle of n rows, the rest no number. */
    static void fill_triangle(both<T> &a, int n, int ld, bool upper, dense &full)
    {
        full.assign(n * n, 0);
        for (T &v : a.host)
            v = as<T>::narrow(NAN);
        for (int j = 0; j < n; j++)
            for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
                zd v = w(any<T>()) / (double)n;
                if (i == j)
                    v += 2;
                a.host[i + j * ld] = as<T>::narrow(v);
                full[i + j * n] = w(a.host[i + j * ld]);
            }
        a.put();
    }
    void symmetric(int m, int n, bool left, bool upper, bool hermitian)
    {
        const int q = left ? m : n, lda = q + 1, ldb = m + 2, ldc = m + 1;
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
        both<T> a(lda * q), b(ldb * n), c(ldc * n);
        const T alpha = any<T>(), beta = any<T>();
        dense t, want(m * n);
        fill_triangle(a, q, lda, upper, t);
        dense f(t);
        for (int j = 0; j < q; j++)
            for (int i = 0; i < q; i++)
                if (i == j)
                    f[i + j * q] = hermitian ? zd(t[i + j * q].real()) : t[i + j * q];
                else if (upper ? i > j : i < j)
                    f[i + j * q] = hermitian ? std::conj(t[j + i * q]) : t[j + i * q];
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                zd sum = 0;
                for (int l = 0; l < q; l++)
                    sum += left ? f[i + l * q] * w(b.host[l + j * ldb]) : w(b.host[i + l * ldb]) * f[l + j * q];
                want[i + j * m] = w(alpha) * sum + w(beta) * w(c.host[i + j * ldc]);
            }
        BLAS((hermitian ? calls<T>::hemm : calls<T>::symm)(h, side, fill, m, n, &alpha, a.device, lda, b.device, ldb, &beta, c.device, ldc));
        same("symm", c.get(), c.host, m, n, ldc, 0, eps(q), want);
    }
    void triangles(int m, int n, bool left, bool upper, int o_, bool unit)
    {
        const cublasOperation_t o = (cublasOperation_t)o_;
        const int q = left ? m : n, lda = q + 1, ldb = m + 2, ldc = m + 1;
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
        const cublasDiagType_t diag = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
        both<T> a(lda * q), b(ldb * n), c(ldc * n);
        const T alpha = as<T>::narrow(zd(0.5, 0.25));
        dense t, want(m * n);
        fill_triangle(a, q, lda, upper, t);
        for (int i = 0; i < q; i++)
            if (unit)
                t[i + i * q] = 1;
        auto A = [&](int i, int j) { return o == CUBLAS_OP_N ? t[i + j * q] : op(t[j + i * q], o); };
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                zd sum = 0;
                for (int l = 0; l < q; l++)
                    sum += left ? A(i, l) * w(b.host[l + j * ldb]) : w(b.host[i + l * ldb]) * A(l, j);
                want[i + j * m] = w(alpha) * sum;
            }
        BLAS(calls<T>::trmm(h, side, fill, o, diag, m, n, &alpha, a.device, lda, b.device, ldb, c.device, ldc));
        same("trmm", c.get(), c.host, m, n, ldc, 0, eps(q), want);
        BLAS(calls<T>::trmm(h, side, fill, o, diag, m, n, &alpha, a.device, lda, b.device, ldb, b.device, ldb));
        same("trmm in place", b.get(), b.host, m, n, ldb, 0, eps(q), want);
        b.put();
        BLAS(calls<T>::trsm(h, side, fill, o, diag, m, n, &alpha, a.device, lda, b.device, ldb));
        const std::vector<T> x = b.get();
        for (int j = 0; j < n; j++) /* what was solved, multiplied again */
            for (int i = 0; i < m; i++) {
                zd sum = 0;
                for (int l = 0; l < q; l++)
                    sum += left ? A(i, l) * w(x[l + j * ldb]) : w(x[i + l * ldb]) * A(l, j);
                CHECK(close(sum, w(alpha) * w(b.host[i + j * ldb]), 8 * eps(q)));
            }
    }

    void batches(int m, int n, int k)
    {
        const int count = 4;
        both<T> a(m * k * count), b(k * n * count), c(m * n * count);
        both<const T *> pa(count), pb(count);
        both<T *> pc(count);
        for (int z = 0; z < count; z++) {
            pa.host[z] = a.device + z * m * k;
            pb.host[z] = b.device + z * k * n;
            pc.host[z] = c.device + z * m * n;
        }
        pa.put();
        pb.put();
        pc.put();
        const T alpha = any<T>(), beta = any<T>();
        for (int strided = 0; strided < 2; strided++) {
            c.put();
            if (strided)
                BLAS(calls<T>::gemm_strided(h, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a.device, m, m * k, b.device, n, k * n, &beta, c.device, m, m * n, count));
            else
                BLAS(calls<T>::gemm_batched(h, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, pa.device, m, pb.device, n, &beta, pc.device, m, count));
            const std::vector<T> got = c.get();
            for (int z = 0; z < count; z++)
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < m; i++) {
                        zd sum = 0;
                        for (int l = 0; l < k; l++)
                            sum += at(a.host, m, CUBLAS_OP_N, i, l, z * m * k) * at(b.host, n, CUBLAS_OP_T, l, j, z * k * n);
                        const size_t e = z * m * n + i + j * m;
                        CHECK(close(w(got[e]), w(alpha) * sum + w(beta) * w(c.host[e]), eps(k)));
                    }
        }
        /* Triangles of a batch. */
        both<T> t(m * m * count), x(m * n * count);
        both<const T *> pt(count);
        both<T *> px(count);
        for (int z = 0; z < count; z++) {
            for (int i = 0; i < m; i++)
                t.host[z * m * m + i + i * m] = as<T>::narrow(4);
            pt.host[z] = t.device + z * m * m;
            px.host[z] = x.device + z * m * n;
        }
        t.put();
        pt.put();
        px.put();
        BLAS(calls<T>::trsm_batched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, m, n, &alpha, pt.device, m, px.device, m, count));
        const std::vector<T> s = x.get();
        double most = 1;
        for (const T &v : s)
            most = std::max(most, std::abs(w(v)));
        for (int z = 0; z < count; z++)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    zd sum = 0;
                    for (int l = i; l < m; l++)
                        sum += w(t.host[z * m * m + l + i * m]) * w(s[z * m * n + l + j * m]);
                    CHECK(close(sum, w(alpha) * w(x.host[z * m * n + i + j * m]), most * eps(m)));
                }
    }

    void elements(int m, int n)
    {
        both<T> a(m * n), b(m * n), c(m * n), x(2 * m + 2 * n);
        const T alpha = any<T>(), beta = any<T>(), none = as<T>::narrow(0);
        for (int o = 0; o < 3; o++) {
            const cublasOperation_t t = (cublasOperation_t)o;
            BLAS(calls<T>::geam(h, t, CUBLAS_OP_N, m, n, &alpha, a.device, o ? n : m, &beta, b.device, m, c.device, m));
            const std::vector<T> got = c.get();
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++)
                    CHECK(close(w(got[i + j * m]), w(alpha) * at(a.host, o ? n : m, t, i, j) + w(beta) * w(b.host[i + j * m]), eps(2)));
        }
        BLAS(calls<T>::geam(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &alpha, a.device, n, &none, nullptr, m, c.device, m)); /* B is not there */
        for (int left = 0; left < 2; left++) {
            BLAS(calls<T>::dgmm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, m, n, a.device, m, x.device, 2, c.device, m));
            const std::vector<T> got = c.get();
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++)
                    CHECK(close(w(got[i + j * m]), w(a.host[i + j * m]) * w(x.host[2 * (left ? i : j)]), eps(1)));
        }
        both<T> full(m * m), packed(m * (m + 1) / 2), again(m * m);
        for (int upper = 0; upper < 2; upper++) {
            const cublasFillMode_t f = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            BLAS(calls<T>::trttp(h, f, m, full.device, m, packed.device));
            again.put();
            BLAS(calls<T>::tpttr(h, f, m, packed.device, again.device, m));
            const std::vector<T> got = again.get();
            for (int j = 0; j < m; j++)
                for (int i = 0; i < m; i++)
                    CHECK(w(got[i + j * m]) == w((upper ? i <= j : i >= j) ? full.host[i + j * m] : again.host[i + j * m]));
        }
    }

    void all()
    {
        for (int u = 0; u < 2; u++)
            for (int v = 0; v < 2; v++) {
                updates(9, 5, u, v, false);
                updates(37, 6, u, v, true);
                symmetric(7, 11, u, v, false);
                symmetric(35, 5, u, v, true);
            }
        for (int left = 0; left < 2; left++)
            for (int upper = 0; upper < 2; upper++)
                for (int o = 0; o < 3; o++) {
                    triangles(7, 5, left, upper, o, o == 1);
                    triangles(39, 35, left, upper, o, o == 2);
                }
        batches(6, 5, 7);
        batches(34, 3, 2);
        elements(7, 5);
    }
};

static void groups(cublasHandle_t h)
{
    const cublasOperation_t ta[2] = {CUBLAS_OP_N, CUBLAS_OP_T}, tb[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
    const int m[2] = {3, 5}, n[2] = {4, 2}, k[2] = {6, 7}, lda[2] = {3, 7}, ldb[2] = {6, 7}, ldc[2] = {3, 5}, size[2] = {2, 1};
    const double alpha[2] = {1, 2}, beta[2] = {0, 1};
    both<double> a(100), b(100), c(100);
    both<const double *> pa(3), pb(3);
    both<double *> pc(3);
    const int at_[3] = {0, 30, 60};
    for (int i = 0; i < 3; i++) {
        pa.host[i] = a.device + at_[i];
        pb.host[i] = b.device + at_[i];
        pc.host[i] = c.device + at_[i];
    }
    pa.put();
    pb.put();
    pc.put();
    BLAS(cublasDgemmGroupedBatched(h, ta, tb, m, n, k, alpha, pa.device, lda, pb.device, ldb, beta, pc.device, ldc, 2, size));
    const std::vector<double> got = c.get();
    for (int p = 0; p < 3; p++) {
        const int g = p < 2 ? 0 : 1;
        for (int j = 0; j < n[g]; j++)
            for (int i = 0; i < m[g]; i++) {
                double sum = 0;
                for (int l = 0; l < k[g]; l++)
                    sum += (at(a.host, lda[g], ta[g], i, l, at_[p]) * at(b.host, ldb[g], tb[g], l, j, at_[p])).real();
                CHECK(fabs(got[at_[p] + i + j * ldc[g]] - (alpha[g] * sum + beta[g] * c.host[at_[p] + i + j * ldc[g]])) < 1e-13);
            }
    }
}

int main()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    test<float>{h}.all();
    test<double>{h}.all();
    test<cuComplex>{h}.all();
    test<cuDoubleComplex>{h}.all();
    groups(h);
    /* A triangle is only that: what lies outside does not meet what is infinite. */
    both<float> a(4), b(2), c(2);
    a.host = {1, 2, NAN, 3}; /* lower */
    b.host = {1, INFINITY};
    a.put();
    b.put();
    const float one = 1;
    BLAS(cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 1, &one, a.device, 2, b.device, 2, c.device, 2));
    CHECK(c.get()[0] == 1 && std::isinf(c.get()[1]));
    BLAS(cublasDestroy(h));
    puts("ok");
}

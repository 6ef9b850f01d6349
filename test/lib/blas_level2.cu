// OPTIONS: -O0 -lcublas
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
/* Level 2 in four types: each kind of matrix is written out in full, from what is stored of it, and the reference is two
 * loops over that. What is not stored is no number, so that reading it shows. */
#include "blas.h"
#include <algorithm>
#include <functional>

template <class T> struct calls;
#define CALLS(T_, L, SY, HE, SB, SP, GER, GERC, HER, HPR, HER2, HPR2)                              \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto gemv = cublas##L##gemv;                                              \
        static constexpr auto gbmv = cublas##L##gbmv;                                              \
        static constexpr auto symv = cublas##L##symv;                                              \
        static constexpr auto hemv = cublas##L##HE;                                                \
        static constexpr auto sbmv = cublas##L##SB;                                                \
        static constexpr auto spmv = cublas##L##SP;                                                \
        static constexpr auto trmv = cublas##L##trmv;                                              \
        static constexpr auto tbmv = cublas##L##tbmv;                                              \
        static constexpr auto tpmv = cublas##L##tpmv;                                              \
        static constexpr auto trsv = cublas##L##trsv;                                              \
        static constexpr auto tbsv = cublas##L##tbsv;                                              \
        static constexpr auto tpsv = cublas##L##tpsv;                                              \
        static constexpr auto ger = cublas##L##GER;                                                \
        static constexpr auto gerc = cublas##L##GERC;                                              \
        static constexpr auto syr = cublas##L##syr;                                                \
        static constexpr auto syr2 = cublas##L##syr2;                                              \
        static constexpr auto her = cublas##L##HER;                                                \
        static constexpr auto hpr = cublas##L##HPR;                                                \
        static constexpr auto her2 = cublas##L##HER2;                                              \
        static constexpr auto hpr2 = cublas##L##HPR2;                                              \
        static constexpr auto gemv_batched = cublas##L##gemvBatched;                               \
        static constexpr auto gemv_strided = cublas##L##gemvStridedBatched;                        \
    };
CALLS(float, S, symv, symv, sbmv, spmv, ger, ger, syr, spr, syr2, spr2)
CALLS(double, D, symv, symv, sbmv, spmv, ger, ger, syr, spr, syr2, spr2)
CALLS(cuComplex, C, symv, hemv, hbmv, hpmv, geru, gerc, her, hpr, her2, hpr2)
CALLS(cuDoubleComplex, Z, symv, hemv, hbmv, hpmv, geru, gerc, her, hpr, her2, hpr2)
template <class T> struct real_of { typedef T type; };
template <> struct real_of<cuComplex> { typedef float type; };
template <> struct real_of<cuDoubleComplex> { typedef double type; };

typedef std::vector<zd> dense; /* by columns, rows apart */
static long place(long i, long n, long inc) { return inc > 0 ? i * inc : (i - n + 1) * inc; }

template <class T> struct test {
    typedef typename real_of<T>::type R;
    cublasHandle_t h;
    double eps(int n) { return as<T>::eps() * (16 + 8 * n); }

    /* y = alpha op(M) x + beta y by the call; M is m by n as stored. */
    template <class F> void product(const dense &M, int m, int n, cublasOperation_t o, int incx, int incy, zd beta, F call)
    {
        const int rows = o == CUBLAS_OP_N ? m : n, cols = o == CUBLAS_OP_N ? n : m;
        both<T> x(cols * abs(incx) + 1), y(rows * abs(incy) + 1);
        T a = any<T>(), b = as<T>::narrow(beta);
        if (beta == 0.0) {
            for (T &v : y.host)
                v = as<T>::narrow(NAN);
            y.put();
        }
        call(&a, x.device, incx, &b, y.device, incy);
        const std::vector<T> got = y.get();
        for (int i = 0; i < rows; i++) {
            zd sum = 0;
            for (int j = 0; j < cols; j++)
                sum += (o == CUBLAS_OP_N ? M[i + j * m] : op(M[j + i * m], o)) * as<T>::wide(x.host[place(j, cols, incx)]);
            zd want = as<T>::wide(a) * sum;
            if (beta != 0.0)
                want += beta * as<T>::wide(y.host[place(i, rows, incy)]);
            CHECK(close(as<T>::wide(got[place(i, rows, incy)]), want, eps(cols)));
        }
    }

    void general(int m, int n)
    {
        const int lda = m + 2;
        both<T> a(lda * n + 1);
        dense M(m * n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                M[i + j * m] = as<T>::wide(a.host[i + j * lda]);
        for (int o = 0; o < 3; o++) {
            const cublasOperation_t t = (cublasOperation_t)o;
            auto call = [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
                BLAS(calls<T>::gemv(h, t, m, n, al, a.device, lda, x, ix, be, y, iy));
            };
            product(M, m, n, t, 1, 1, 0, call);
            product(M, m, n, t, 2, -3, 0.5, call);
        }
        const int kl = 2, ku = 3, ldb = kl + ku + 2;
        both<T> band(ldb * n + 1);
        dense B(m * n, 0);
        for (T &v : band.host)
            v = as<T>::narrow(NAN);
        for (int j = 0; j < n; j++)
            for (int i = std::max(0, j - ku); i < std::min(m, j + kl + 1); i++)
                B[i + j * m] = as<T>::wide(band.host[ku + i - j + j * ldb] = any<T>());
        band.put();
        for (int o = 0; o < 3; o++)
            product(B, m, n, (cublasOperation_t)o, -1, 2, 0.5, [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
                BLAS(calls<T>::gbmv(h, (cublasOperation_t)o, m, n, kl, ku, al, band.device, ldb, x, ix, be, y, iy));
            });
    }

    /* A triangle: full, band of k, packed; what of it is stored. */
    struct triangle {
        both<T> full, band, packed;
        dense T_, B_; /* the triangle; the triangle within its band */
        int n, k, lda, ldb;
        triangle(int n, int k, bool upper) : full((n + 1) * n + 1), band((k + 2) * n + 1), packed(n * (n + 1) / 2 + 1), T_(n * n, 0), B_(n * n, 0), n(n), k(k), lda(n + 1), ldb(k + 2)
        {
            for (T &v : full.host) v = as<T>::narrow(NAN);
            for (T &v : band.host) v = as<T>::narrow(NAN);
            int at = 0;
            for (int j = 0; j < n; j++)
                for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
                    T v = any<T>();
                    if (i == j)
                        v = as<T>::narrow(as<T>::wide(v) + 3.0);
                    else
                        v = as<T>::narrow(as<T>::wide(v) * (1.0 / n));
                    full.host[i + j * lda] = packed.host[at++] = v;
                    T_[i + j * n] = as<T>::wide(v);
                    if (abs(i - j) <= k) {
                        band.host[(upper ? k + i - j : i - j) + j * ldb] = v;
                        B_[i + j * n] = as<T>::wide(v);
                    }
                }
            full.put();
            band.put();
            packed.put();
        }
    };
    static dense mirrored(const dense &t, int n, bool hermitian)
    {
        dense m(t);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                if (i == j)
                    m[i + j * n] = hermitian ? zd(t[i + j * n].real()) : t[i + j * n];
                else if (t[i + j * n] == 0.0)
                    m[i + j * n] = hermitian ? std::conj(t[j + i * n]) : t[j + i * n];
            }
        return m;
    }

    void symmetric(int n, int k, bool upper)
    {
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        triangle t(n, k, upper);
        product(mirrored(t.T_, n, false), n, n, CUBLAS_OP_N, 1, 1, 0, [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
            BLAS(calls<T>::symv(h, fill, n, al, t.full.device, t.lda, x, ix, be, y, iy));
        });
        product(mirrored(t.T_, n, true), n, n, CUBLAS_OP_N, -1, 2, 0.5, [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
            BLAS(calls<T>::hemv(h, fill, n, al, t.full.device, t.lda, x, ix, be, y, iy));
        });
        product(mirrored(t.B_, n, true), n, n, CUBLAS_OP_N, 1, 1, 0.5, [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
            BLAS(calls<T>::sbmv(h, fill, n, k, al, t.band.device, t.ldb, x, ix, be, y, iy));
        });
        product(mirrored(t.T_, n, true), n, n, CUBLAS_OP_N, 2, 1, 0, [&](const T *al, const T *x, int ix, const T *be, T *y, int iy) {
            BLAS(calls<T>::spmv(h, fill, n, al, t.packed.device, x, ix, be, y, iy));
        });
    }

    template <class F, class G> void triangular(const dense &M, int n, cublasOperation_t o, bool unit, int inc, F multiply, G solve)
    {
        both<T> x(n * abs(inc) + 1);
        multiply(x.device, inc);
        std::vector<T> got = x.get();
        for (int i = 0; i < n; i++) {
            zd sum = 0;
            for (int j = 0; j < n; j++) {
                zd v = o == CUBLAS_OP_N ? M[i + j * n] : op(M[j + i * n], o);
                sum += (i == j && unit ? zd(1) : v) * as<T>::wide(x.host[place(j, n, inc)]);
            }
            CHECK(close(as<T>::wide(got[place(i, n, inc)]), sum, eps(n)));
        }
        solve(x.device, inc); /* back to where it came from */
        got = x.get();
        for (int i = 0; i < n; i++)
            CHECK(close(as<T>::wide(got[place(i, n, inc)]), as<T>::wide(x.host[place(i, n, inc)]), 20 * eps(n)));
    }
    void triangles(int n, int k, bool upper)
    {
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        triangle t(n, k, upper);
        for (int o = 0; o < 3; o++)
            for (int u = 0; u < 2; u++) {
                const cublasOperation_t p = (cublasOperation_t)o;
                const cublasDiagType_t d = u ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
                triangular(t.T_, n, p, u, u ? 1 : -2,
                           [&](T *x, int inc) { BLAS(calls<T>::trmv(h, fill, p, d, n, t.full.device, t.lda, x, inc)); },
                           [&](T *x, int inc) { BLAS(calls<T>::trsv(h, fill, p, d, n, t.full.device, t.lda, x, inc)); });
                triangular(t.B_, n, p, u, 1,
                           [&](T *x, int inc) { BLAS(calls<T>::tbmv(h, fill, p, d, n, k, t.band.device, t.ldb, x, inc)); },
                           [&](T *x, int inc) { BLAS(calls<T>::tbsv(h, fill, p, d, n, k, t.band.device, t.ldb, x, inc)); });
                triangular(t.T_, n, p, u, 3,
                           [&](T *x, int inc) { BLAS(calls<T>::tpmv(h, fill, p, d, n, t.packed.device, x, inc)); },
                           [&](T *x, int inc) { BLAS(calls<T>::tpsv(h, fill, p, d, n, t.packed.device, x, inc)); });
            }
    }

    void updates(int m, int n)
    {
        const int lda = m + 1;
        both<T> a(lda * n + 1), x(2 * m + 1), y(n + 1);
        const T alpha = any<T>();
        const zd al = as<T>::wide(alpha);
        for (int c = 0; c < 2; c++) {
            a.put();
            if (c)
                BLAS(calls<T>::gerc(h, m, n, &alpha, x.device, 2, y.device, -1, a.device, lda));
            else
                BLAS(calls<T>::ger(h, m, n, &alpha, x.device, 2, y.device, -1, a.device, lda));
            const std::vector<T> got = a.get();
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    const zd yj = as<T>::wide(y.host[n - 1 - j]);
                    CHECK(close(as<T>::wide(got[i + j * lda]), as<T>::wide(a.host[i + j * lda]) + al * as<T>::wide(x.host[2 * i]) * (c ? std::conj(yj) : yj), eps(2)));
                }
        }
    }
    /* One triangle of A + alpha x x' and A + alpha x y' + alpha' y x'. */
    void triangle_updates(int n, bool upper)
    {
        const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        const int lda = n + 1;
        const bool cx = as<T>::is_complex;
        both<T> a(lda * n + 1), packed(n * (n + 1) / 2 + 1), x(n + 1), y(2 * n + 1);
        const R real = (R)0.75;
        const T alpha = any<T>();
        auto X = [&](int i) { return as<T>::wide(x.host[i]); };
        auto Y = [&](int i) { return as<T>::wide(y.host[2 * i]); };
        auto C = [&](zd v) { return cx ? std::conj(v) : v; };
        auto verify = [&](const std::vector<T> &got, bool is_packed, bool hermitian, std::function<zd(int, int)> more) {
            int at = 0;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    if (upper ? i > j : i < j) {
                        if (!is_packed)
                            CHECK(as<T>::wide(got[i + j * lda]) == as<T>::wide(a.host[i + j * lda]));
                        continue;
                    }
                    zd want = as<T>::wide(is_packed ? packed.host[at] : a.host[i + j * lda]) + more(i, j);
                    if (hermitian && cx && i == j)
                        want = want.real();
                    CHECK(close(as<T>::wide(is_packed ? got[at] : got[i + j * lda]), want, eps(2)));
                    at++;
                }
        };
        const zd al = as<T>::wide(alpha);
        BLAS(calls<T>::syr(h, fill, n, &alpha, x.device, 1, a.device, lda));
        verify(a.get(), false, false, [&](int i, int j) { return al * X(i) * X(j); });
        a.put();
        BLAS(calls<T>::syr2(h, fill, n, &alpha, x.device, 1, y.device, 2, a.device, lda));
        verify(a.get(), false, false, [&](int i, int j) { return al * (X(i) * Y(j) + Y(i) * X(j)); });
        a.put();
        BLAS(calls<T>::her(h, fill, n, &real, x.device, 1, a.device, lda));
        verify(a.get(), false, true, [&](int i, int j) { return (double)real * X(i) * C(X(j)); });
        a.put();
        BLAS(calls<T>::her2(h, fill, n, &alpha, x.device, 1, y.device, 2, a.device, lda));
        verify(a.get(), false, true, [&](int i, int j) { return al * X(i) * C(Y(j)) + C(al) * Y(i) * C(X(j)); });
        BLAS(calls<T>::hpr(h, fill, n, &real, x.device, 1, packed.device));
        verify(packed.get(), true, true, [&](int i, int j) { return (double)real * X(i) * C(X(j)); });
        packed.put();
        BLAS(calls<T>::hpr2(h, fill, n, &alpha, x.device, 1, y.device, 2, packed.device));
        verify(packed.get(), true, true, [&](int i, int j) { return al * X(i) * C(Y(j)) + C(al) * Y(i) * C(X(j)); });
    }

    void batches(int m, int n)
    {
        const int count = 3, lda = m;
        both<T> a(lda * n * count), x(n * count), y(m * count);
        both<const T *> as_(count), xs(count);
        both<T *> ys(count);
        for (int z = 0; z < count; z++) {
            as_.host[z] = a.device + z * lda * n;
            xs.host[z] = x.device + z * n;
            ys.host[z] = y.device + z * m;
        }
        as_.put();
        xs.put();
        ys.put();
        const T alpha = any<T>(), beta = any<T>();
        for (int strided = 0; strided < 2; strided++) {
            y.put();
            if (strided)
                BLAS(calls<T>::gemv_strided(h, CUBLAS_OP_N, m, n, &alpha, a.device, lda, lda * n, x.device, 1, n, &beta, y.device, 1, m, count));
            else
                BLAS(calls<T>::gemv_batched(h, CUBLAS_OP_N, m, n, &alpha, as_.device, lda, xs.device, 1, &beta, ys.device, 1, count));
            const std::vector<T> got = y.get();
            for (int z = 0; z < count; z++)
                for (int i = 0; i < m; i++) {
                    zd sum = 0;
                    for (int j = 0; j < n; j++)
                        sum += as<T>::wide(a.host[z * lda * n + i + j * lda]) * as<T>::wide(x.host[z * n + j]);
                    CHECK(close(as<T>::wide(got[z * m + i]), as<T>::wide(alpha) * sum + as<T>::wide(beta) * as<T>::wide(y.host[z * m + i]), eps(n)));
                }
        }
    }

    void all()
    {
        general(7, 5);
        general(33, 70);
        for (int u = 0; u < 2; u++) {
            symmetric(11, 3, u);
            triangles(19, 4, u);
            triangle_updates(9, u);
        }
        updates(6, 13);
        batches(9, 6);
    }
};

int main()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    test<float>{h}.all();
    test<double>{h}.all();
    test<cuComplex>{h}.all();
    test<cuDoubleComplex>{h}.all();
    float x = 1;
    CHECK(cublasSgemv(h, CUBLAS_OP_N, 3, 1, &x, &x, 2, &x, 1, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemv(h, CUBLAS_OP_N, 1, 1, &x, &x, 1, &x, 0, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasStrsv(h, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, &x, 1, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgbmv(h, CUBLAS_OP_N, 1, 1, 1, 1, &x, &x, 2, &x, 1, &x, &x, 1) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasDestroy(h));
    puts("ok");
}

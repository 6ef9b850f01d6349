// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcublas
/* Factorisations of batches: held against the products that they stand for, with and without pivots, singular ones too. */
#include "blas.h"

template <class T> struct calls;
#define CALLS(T_, L)                                                                               \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto getrf = cublas##L##getrfBatched;                                     \
        static constexpr auto getrs = cublas##L##getrsBatched;                                     \
        static constexpr auto getri = cublas##L##getriBatched;                                     \
        static constexpr auto matinv = cublas##L##matinvBatched;                                   \
        static constexpr auto geqrf = cublas##L##geqrfBatched;                                     \
        static constexpr auto gels = cublas##L##gelsBatched;                                       \
    };
CALLS(float, S)
CALLS(double, D)
CALLS(cuComplex, C)
CALLS(cuDoubleComplex, Z)

template <class T> struct test {
    cublasHandle_t h;
    static zd w(T v) { return as<T>::wide(v); }
    struct matrices {
        int count;
        size_t each;
        both<T> data;
        both<T *> at;
        matrices(int count, size_t each) : count(count), each(each), data(count * each), at(count)
        {
            for (int z = 0; z < count; z++)
                at.host[z] = data.device + z * each;
            at.put();
        }
    };

    void lu(int n, bool pivoted)
    {
        const int count = 3, lda = n + 1, nrhs = 2;
        const double bound = as<T>::eps() * 40 * n * n;
        matrices a(count, lda * n), b(count, n * nrhs), c(count, n * n);
        for (int z = 0; z < count; z++)
            for (int i = 0; i < n && !pivoted; i++) {
                T &d = a.data.host[z * lda * n + i + i * lda];
                d = as<T>::narrow(w(d) + 4.0);
            }
        a.data.put();
        both<int> pivots(n * count), info(count);
        BLAS(calls<T>::getrf(h, n, a.at.device, lda, pivoted ? pivots.device : nullptr, info.device, count));
        const std::vector<T> f = a.data.get();
        const std::vector<int> p = pivots.get();
        for (int v : info.get())
            CHECK(v == 0);
        for (int z = 0; z < count; z++) {
            std::vector<int> row(n);
            for (int i = 0; i < n; i++)
                row[i] = i;
            for (int i = 0; i < n && pivoted; i++)
                std::swap(row[i], row[p[z * n + i] - 1]);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    zd sum = 0;
                    for (int l = 0; l <= std::min(i, j); l++)
                        sum += (l == i ? zd(1) : w(f[z * lda * n + i + l * lda])) * w(f[z * lda * n + l + j * lda]);
                    CHECK(close(sum, w(a.data.host[z * lda * n + row[i] + j * lda]), bound));
                }
        }
        const int *piv = pivoted ? pivots.device : nullptr;
        for (int o = 0; o < 3; o++) {
            int host = 7;
            b.data.put();
            BLAS(calls<T>::getrs(h, (cublasOperation_t)o, n, nrhs, a.at.device, lda, piv, b.at.device, n, &host, count));
            CHECK(host == 0);
            const std::vector<T> x = b.data.get();
            double most = 1;
            for (const T &v : x)
                most = std::max(most, std::abs(w(v)));
            for (int z = 0; z < count; z++)
                for (int j = 0; j < nrhs; j++)
                    for (int i = 0; i < n; i++) {
                        zd sum = 0;
                        for (int l = 0; l < n; l++)
                            sum += at(a.data.host, lda, (cublasOperation_t)o, i, l, z * lda * n) * w(x[z * n * nrhs + l + j * n]);
                        CHECK(close(sum, w(b.data.host[z * n * nrhs + i + j * n]), most * bound));
                    }
        }
        for (int how = 0; how < (n > 32 ? 1 : 2); how++) { /* matinv has no more rows */
            if (how)
                a.data.put();
            if (how)
                BLAS(calls<T>::matinv(h, n, a.at.device, lda, c.at.device, n, info.device, count));
            else
                BLAS(calls<T>::getri(h, n, a.at.device, lda, piv, c.at.device, n, info.device, count));
            const std::vector<T> inverse = c.data.get();
            double most = 1;
            for (const T &v : inverse)
                most = std::max(most, std::abs(w(v)));
            for (int z = 0; z < count; z++)
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < n; i++) {
                        zd sum = 0;
                        for (int l = 0; l < n; l++)
                            sum += w(a.data.host[z * lda * n + i + l * lda]) * w(inverse[z * n * n + l + j * n]);
                        CHECK(close(sum, i == j, most * bound));
                    }
        }
    }
    void singular()
    {
        matrices a(1, 4);
        both<int> pivots(2), info(1);
        for (T &v : a.data.host)
            v = as<T>::narrow(1);
        a.data.put();
        BLAS(calls<T>::getrf(h, 2, a.at.device, 2, pivots.device, info.device, 1));
        CHECK(info.get()[0] == 2);
    }
    /* R of QR: R'R is A'A, and its diagonal is real. */
    void qr(int m, int n)
    {
        const int count = 2, lda = m + 1, steps = std::min(m, n);
        const double bound = as<T>::eps() * 40 * m * n;
        matrices a(count, lda * n), tau(count, steps);
        int info = 7;
        BLAS(calls<T>::geqrf(h, m, n, a.at.device, lda, tau.at.device, &info, count));
        CHECK(info == 0);
        const std::vector<T> r = a.data.get();
        for (int z = 0; z < count; z++)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    zd sum = 0, want = 0;
                    for (int l = 0; l <= std::min(std::min(i, j), m - 1); l++)
                        sum += std::conj(w(r[z * lda * n + l + i * lda])) * w(r[z * lda * n + l + j * lda]);
                    for (int l = 0; l < m; l++)
                        want += std::conj(w(a.data.host[z * lda * n + l + i * lda])) * w(a.data.host[z * lda * n + l + j * lda]);
                    CHECK(close(sum, want, bound));
                }
        if (m < n)
            return;
        /* Least squares: what is left over is orthogonal to the columns. */
        matrices c(count, m);
        both<int> infos(count);
        a.data.put();
        BLAS(calls<T>::gels(h, CUBLAS_OP_N, m, n, 1, a.at.device, lda, c.at.device, m, &info, infos.device, count));
        CHECK(info == 0 && infos.get()[0] == 0 && infos.get()[1] == 0);
        const std::vector<T> x = c.data.get();
        for (int z = 0; z < count; z++) {
            std::vector<zd> left(m);
            double most = 1;
            for (int i = 0; i < n; i++)
                most = std::max(most, std::abs(w(x[z * m + i])));
            for (int i = 0; i < m; i++) {
                left[i] = w(c.data.host[z * m + i]);
                for (int l = 0; l < n; l++)
                    left[i] -= w(a.data.host[z * lda * n + i + l * lda]) * w(x[z * m + l]);
            }
            for (int j = 0; j < n; j++) {
                zd sum = 0;
                for (int i = 0; i < m; i++)
                    sum += std::conj(w(a.data.host[z * lda * n + i + j * lda])) * left[i];
                CHECK(close(sum, 0, 4 * most * bound));
            }
        }
    }
    void all()
    {
        lu(1, true);
        lu(5, true);
        lu(5, false);
        lu(17, true);
        lu(33, true);
        singular();
        qr(7, 4);
        qr(4, 6);
        qr(1, 1);
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
    BLAS(cublasDestroy(h));
    puts("ok");
}

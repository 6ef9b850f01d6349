// OPTIONS: -lcublas
/* Products of small whole numbers, which are exact: edges of tiles and of vectors, matrices that
 * are read where they are and through panels, batches of few and of many, C that is no number where
 * it is not asked for. */
#include <limits>
#include "blas.h"

template <class T> struct calls;
template <> struct calls<float> {
    static constexpr auto gemm = cublasSgemmStridedBatched;
};
template <> struct calls<double> {
    static constexpr auto gemm = cublasDgemmStridedBatched;
};

template <class T>
static void product(cublasHandle_t h, int m, int n, int k, bool ta, bool tb, T beta, int count)
{
    const int lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 3;
    const size_t ea = (size_t)lda * ((ta ? m : k) + 1), eb = (size_t)ldb * ((tb ? k : n) + 1),
                 ec = (size_t)ldc * n + 1;
    both<T> a(ea * count), b(eb * count), c(ec * count);
    for (size_t i = 0; i < a.host.size(); i++)
        a.host[i] = (T)((int)(i * 7 % 11) - 5);
    for (size_t i = 0; i < b.host.size(); i++)
        b.host[i] = (T)((int)(i * 5 % 13) - 6);
    for (size_t i = 0; i < c.host.size(); i++)
        c.host[i] = beta == 0 ? std::numeric_limits<T>::quiet_NaN() : (T)((int)(i * 3 % 7) - 3);
    const std::vector<T> before = c.host;
    a.put();
    b.put();
    c.put();
    const T alpha = 2;
    BLAS(calls<T>::gemm(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                        &alpha, a.device, lda, ea, b.device, ldb, eb, &beta, c.device, ldc, ec,
                        count));
    const std::vector<T> got = c.get();
    for (int z = 0; z<count; z += count> 4 ? count - 1 : 1)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ldc; i++) {
                const size_t at = z * ec + i + (size_t)j * ldc;
                T sum = 0;
                for (int l = 0; l < k && i < m; l++)
                    sum += a.host[z * ea + (ta ? l + (size_t)i * lda : i + (size_t)l * lda)] *
                           b.host[z * eb + (tb ? j + (size_t)l * ldb : l + (size_t)j * ldb)];
                const T want =
                    i >= m ? before[at] : alpha * sum + (beta == 0 ? 0 : beta * before[at]);
                if (!(got[at] == want) && !(std::isnan(got[at]) && std::isnan(want))) {
                    printf("%d by %d by %d%s%s, matrix %d: (%d, %d) is %g, not %g\n", m, n, k,
                           ta ? ", A turned" : "", tb ? ", B turned" : "", z, i, j, (double)got[at],
                           (double)want);
                    exit(1);
                }
            }
}

template <class T> static void all(cublasHandle_t h, bool slow)
{
    const std::vector<int> ms =
        slow ? std::vector<int>{1, 17} : std::vector<int>{1, 7, 8, 9, 16, 17, 31, 32, 33, 65, 97};
    const std::vector<int> ns =
        slow ? std::vector<int>{13} : std::vector<int>{1, 3, 4, 5, 12, 13, 29, 100};
    for (int m : ms)
        for (int n : ns)
            for (int k : slow ? std::vector<int>{5} : std::vector<int>{0, 1, 6, 33, 97})
                product<T>(h, m, n, k, (m + n) % 3 == 0, (n + k) % 2, (T)(k % 3), 1 + (m + k) % 3);
    product<T>(h, 5, 6, 7, false, false, 1, slow ? 20 : 333);
    product<T>(h, 16, 16, 16, false, true, 0, slow ? 3 : 65);
    if (!slow)
        product<T>(h, 300, 260, 270, true, false, 1, 1);
}

int main()
{
    const char *device = getenv("TERN_DEVICES");
    const bool slow = device && (!strcmp(device, "interp") || !strcmp(device, "vulkan"));
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    all<double>(h, slow);
    all<float>(h, slow);
    BLAS(cublasDestroy(h));
    printf("ok\n");
}

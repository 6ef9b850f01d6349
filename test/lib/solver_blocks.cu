// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Matrices of more than one block, in odd sizes: factors against the matrix, Q's columns,
 * eigenvectors, triangles from both sides, elements whose squares are no numbers of the type,
 * columns that need no reflection, a NaN that must not vanish. */
#include <limits>
#include "solver.h"

#define CALLS(T_, L)                                                                               \
    template <> struct solver<T_> {                                                                \
        static constexpr auto potrf = cusolverDn##L##potrf;                                        \
        static constexpr auto getrf = cusolverDn##L##getrf;                                        \
        static constexpr auto getrs = cusolverDn##L##getrs;                                        \
        static constexpr auto geqrf = cusolverDn##L##geqrf;                                        \
        static constexpr auto orgqr = cusolverDn##L##orgqr;                                        \
        static constexpr auto syevd = cusolverDn##L##syevd;                                        \
        static constexpr auto gesvd = cusolverDn##L##gesvd;                                        \
        static constexpr auto trsm = cublas##L##trsm;                                              \
    };
CALLS(float, S)
CALLS(double, D)

template <class T> struct test {
    cusolverDnHandle_t h;
    cublasHandle_t b;

    void qr(int m, int n, double scale)
    {
        const int lda = m + 1;
        dense a = random_matrix<T>(m, n);
        for (int i = 0; i < m && n > 5;
             i++) /* a column of zeros, and one that depends on another */
            a(i, 3) = 0, a(i, 5) = a(i, 1);
        dense scaled = a;
        for (zd &x : scaled.v)
            x *= scale;
        both<T> da(lda * n), tau(n);
        store(da.host, scaled, lda);
        da.put();
        flag info;
        SOLVE(solver<T>::geqrf(h, m, n, da.device, lda, tau.device, da.device, 0, info.device));
        CHECK(info.get() == 0);
        dense r = part_of(triangle(wide(da.get(), m, n, lda), true), n);
        for (zd &x : r.v)
            x /= scale;
        SOLVE(solver<T>::orgqr(h, m, n, n, da.device, lda, tau.device, da.device, 0, info.device));
        const dense q = wide(da.get(), m, n, lda);
        CHECK(skew(q) < tolerance<T>(m));
        CHECK(distance(times(q, r), a) < tolerance<T>(m));
    }

    static dense part_of(const dense &a, int rows)
    {
        dense p(rows, a.n);
        for (int j = 0; j < a.n; j++)
            for (int i = 0; i < rows; i++)
                p(i, j) = a(i, j);
        return p;
    }

    void cholesky(int n)
    {
        dense a = random_matrix<T>(n, n);
        a = times(a, adjoint(a));
        for (int i = 0; i < n; i++)
            a(i, i) += n;
        for (int upper = 0; upper < 2; upper++) {
            const int lda = n + 3;
            both<T> da(lda * n);
            store(da.host, spoilt(a, upper), lda);
            da.put();
            flag info;
            SOLVE(solver<T>::potrf(h, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n,
                                   da.device, lda, da.device, 0, info.device));
            CHECK(info.get() == 0);
            const dense f = triangle(wide(da.get(), n, n, lda), upper);
            CHECK(distance(upper ? times(adjoint(f), f) : times(f, adjoint(f)), a) <
                  tolerance<T>(n));
        }
    }

    void gauss(int n)
    {
        const dense a = random_matrix<T>(n, n), x = random_matrix<T>(n, 3), right = times(a, x);
        both<T> da(n * n), db(n * 3);
        space<int> pivots(n);
        store(da.host, a, n);
        store(db.host, right, n);
        da.put();
        db.put();
        flag info;
        SOLVE(solver<T>::getrf(h, n, n, da.device, n, da.device, pivots.device, info.device));
        CHECK(info.get() == 0);
        SOLVE(solver<T>::getrs(h, CUBLAS_OP_N, n, 3, da.device, n, pivots.device, db.device, n,
                               info.device));
        const dense found = wide(db.get(), n, 3, n);
        CHECK(minus(times(a, found), right).norm() < tolerance<T>(n) * a.norm() * found.norm());
    }

    void eigen(int n, double scale)
    {
        dense a = random_matrix<T>(n, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < j; i++)
                a(j, i) = a(i, j);
        dense scaled = a;
        for (zd &x : scaled.v)
            x *= scale;
        for (int upper = 0; upper < 2; upper++) {
            const int lda = n + 1;
            both<T> da(lda * n), w(n);
            store(da.host, spoilt(scaled, upper), lda);
            da.put();
            flag info;
            SOLVE(solver<T>::syevd(h, CUSOLVER_EIG_MODE_VECTOR,
                                   upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n,
                                   da.device, lda, w.device, nullptr, 0, info.device));
            CHECK(info.get() == 0);
            const dense v = wide(da.get(), n, n, lda);
            const std::vector<T> values = w.get();
            dense vw = v;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    vw(i, j) *= (double)values[j] / scale;
            CHECK(skew(v) < tolerance<T>(n));
            CHECK(minus(times(a, v), vw).norm() < tolerance<T>(n) * a.norm());
        }
    }

    /* U S V' is the matrix, and values alone are the same. */
    void singular(int m, int n, int rank, double scale)
    {
        const int least = std::min(m, n), lda = m + 1;
        const dense a = times(random_matrix<T>(m, rank), random_matrix<T>(rank, n));
        dense scaled = a;
        for (zd &x : scaled.v)
            x *= scale;
        both<T> da(lda * n), u(m * m), vt(n * n), s(least), only(least);
        store(da.host, scaled, lda);
        da.put();
        flag info;
        SOLVE(solver<T>::gesvd(h, 'A', 'A', m, n, da.device, lda, s.device, u.device, m, vt.device,
                               n, nullptr, 0, nullptr, info.device));
        CHECK(info.get() == 0);
        da.put();
        SOLVE(solver<T>::gesvd(h, 'N', 'N', m, n, da.device, lda, only.device, nullptr, m, nullptr,
                               n, nullptr, 0, nullptr, info.device));
        CHECK(info.get() == 0);
        const std::vector<T> values = s.get(), alone = only.get();
        const dense left = wide(u.get(), m, m, m), right = wide(vt.get(), n, n, n);
        CHECK(skew(left) < tolerance<T>(m));
        CHECK(skew(right) < tolerance<T>(n));
        dense sv(m, n);
        for (int i = 0; i < least; i++) {
            const double v = (double)values[i] / scale;
            CHECK(v >= 0 && (i == 0 || values[i] <= values[i - 1]));
            CHECK(i < rank || v < tolerance<T>(m) * a.norm());
            CHECK(std::fabs((double)alone[i] / scale - v) < tolerance<T>(m) * a.norm());
            for (int j = 0; j < n; j++)
                sv(i, j) = v * right(i, j);
        }
        CHECK(distance(times(left, sv), a) < 4 * tolerance<T>(m));
    }

    void triangles(int m, int n)
    {
        for (int form = 0; form < 16; form++) {
            const bool left = form & 1, upper = form & 2, turned = form & 4, unit_ = form & 8;
            const int k = left ? m : n, lda = k + 1, ldb = m + 2;
            dense a = triangle(random_matrix<T>(k, k), upper);
            for (int j = 0; j < k; j++) {
                for (int i = 0; i < k; i++)
                    a(i, j) *= 1.0 / k;
                a(j, j) = unit_ ? 1.0 : 2.0 + j % 3;
            }
            const dense x = random_matrix<T>(m, n), op = turned ? adjoint(a) : a,
                        right = left ? times(op, x) : times(x, op);
            both<T> da(lda * k), db(ldb * n);
            store(da.host, spoilt(a, upper), lda);
            for (int j = 0; j < k && unit_; j++)
                da.host[j + (size_t)j * lda] = as<T>::narrow(99.0);
            store(db.host, right, ldb);
            da.put();
            db.put();
            const T one = as<T>::narrow(1.0);
            CHECK(solver<T>::trsm(b, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                                  upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                                  turned ? CUBLAS_OP_T : CUBLAS_OP_N,
                                  unit_ ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n, &one,
                                  da.device, lda, db.device, ldb) == CUBLAS_STATUS_SUCCESS);
            CHECK(distance(wide(db.get(), m, n, ldb), x) < tolerance<T>(k));
        }
    }

    /* A column with a NaN has no reflection that is a number. */
    void not_a_number(int n)
    {
        dense a = random_matrix<T>(n, n);
        a(n - 2, 1) = std::numeric_limits<double>::quiet_NaN();
        both<T> da(n * n), tau(n);
        store(da.host, a, n);
        da.put();
        flag info;
        SOLVE(solver<T>::geqrf(h, n, n, da.device, n, tau.device, da.device, 0, info.device));
        CHECK(info.get() == 0);
        CHECK(std::isnan(as<T>::wide(da.get()[1 + n]).real()));
    }

    void all(bool slow)
    {
        const double far = sizeof(T) == 8 ? 1e170 : 1e25;
        for (int n : slow ? std::vector<int>{67} : std::vector<int>{65, 131, 200, 259}) {
            cholesky(n);
            gauss(n);
            qr(n, n, 1);
            qr(n + 7, n - 3, 1);
            eigen(n, 1);
        }
        qr(slow ? 40 : 150, 33, far);
        qr(slow ? 40 : 150, 33, 1 / far);
        if (!slow)
            eigen(300, 1);
        singular(slow ? 20 : 130, slow ? 20 : 130, slow ? 20 : 130, 1);
        singular(slow ? 24 : 171, slow ? 17 : 133, slow ? 5 : 101, far);
        singular(slow ? 15 : 137, slow ? 22 : 150, slow ? 3 : 64, 1 / far);
        triangles(slow ? 35 : 129, 19);
        triangles(slow ? 17 : 21, slow ? 35 : 130);
        not_a_number(slow ? 20 : 80);
    }
};

int main()
{
    const char *device = getenv("TERN_DEVICES");
    const bool slow = device && (!strcmp(device, "interp") || !strcmp(device, "vulkan"));
    cusolverDnHandle_t h;
    cublasHandle_t b;
    SOLVE(cusolverDnCreate(&h));
    CHECK(cublasCreate(&b) == CUBLAS_STATUS_SUCCESS);
    test<double>{h, b}.all(slow);
    test<float>{h, b}.all(slow);
    CHECK(cublasDestroy(b) == CUBLAS_STATUS_SUCCESS);
    SOLVE(cusolverDnDestroy(h));
    printf("ok\n");
}

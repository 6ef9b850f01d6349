// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Calls of tern_solver.h: packed triangles, bands, inverses, determinants, ranks, least squares, functions of matrices; against products in double,
 * matrices made with what is asked for, and each other. */
#include "solver.h"
#include <tern_solver.h>

template <class T> struct kind;
template <> struct kind<float> { static const cudaDataType value = CUDA_R_32F; typedef float R; };
template <> struct kind<double> { static const cudaDataType value = CUDA_R_64F; typedef double R; };
template <> struct kind<cuComplex> { static const cudaDataType value = CUDA_C_32F; typedef float R; };
template <> struct kind<cuDoubleComplex> { static const cudaDataType value = CUDA_C_64F; typedef double R; };

static dense unit(int n)
{
    dense d(n, n);
    for (int i = 0; i < n; i++)
        d(i, i) = 1;
    return d;
}
static dense diagonal(const std::vector<double> &v)
{
    dense d((int)v.size(), (int)v.size());
    for (int i = 0; i < d.n; i++)
        d(i, i) = v[i];
    return d;
}
/* S and its inverse, neither of which has large elements: I - u v' with v' u = 1/2 has I + 2 u v'. v is not far from u. */
template <class T> static void similar(int n, dense &s, dense &inverse)
{
    dense u = random_matrix<T>(n, 1), v = random_matrix<T>(n, 1);
    zd dot = 0;
    for (int i = 0; i < n; i++) {
        v(i, 0) = u(i, 0) + 0.3 * v(i, 0);
        dot += std::conj(v(i, 0)) * u(i, 0);
    }
    s = inverse = unit(n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const zd e = u(i, 0) * std::conj(v(j, 0)) / (2.0 * dot);
            s(i, j) -= e;
            inverse(i, j) += 2.0 * e;
        }
}

template <class T> struct test {
    typedef typename kind<T>::R R;
    static constexpr cudaDataType type = kind<T>::value;
    cusolverDnHandle_t h;
    const bool slow = getenv("TERN_DEVICES") && strcmp(getenv("TERN_DEVICES"), "cpu") && strcmp(getenv("TERN_DEVICES"), "cuda");

    void packed(int n, bool upper)
    {
        const int count = 3, each = n * (n + 1) / 2, ldv = n + 2;
        const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        both<T> ap(each * count), v(ldv * n * count), full(ldv * n * count);
        both<R> w(n * count), wf(n * count), alone(n * count);
        both<int> infos(count);
        std::vector<dense> a;
        for (int z = 0; z < count; z++) {
            std::vector<double> e(n);
            for (int i = 0; i < n; i++)
                e[i] = z == 0 ? i - 3 : z == 1 ? std::pow(0.5, i) : 1 + i % 2;
            a.push_back(hermitian<T>(e));
            int at = z * each;
            for (int j = 0; j < n; j++)
                for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++)
                    ap.host[at++] = as<T>::narrow(a[z](i, j));
            store(full.host, spoilt(a[z], upper), ldv, (size_t)z * ldv * n);
        }
        ap.put();
        full.put();
        SOLVE(ternEigenPacked(h, type, uplo, n, ap.device, w.device, v.device, ldv, infos.device, count));
        CHECK(infos.get() == std::vector<int>(count, 0));
        SOLVE(cusolverDnXsyevBatched(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, uplo, n, type, full.device, ldv, sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F, wf.device, type, nullptr, 0, nullptr, 0,
                                     infos.device, count));
        SOLVE(ternEigenPacked(h, type, uplo, n, ap.device, alone.device, nullptr, 0, infos.device, count));
        const std::vector<R> values = w.get(), same = wf.get(), only = alone.get();
        for (int z = 0; z < count; z++) {
            const dense q = wide(v.get(), n, n, ldv, (size_t)z * ldv * n), other = wide(full.get(), n, n, ldv, (size_t)z * ldv * n);
            dense qw = q;
            for (int j = 0; j < n; j++) {
                CHECK(values[z * n + j] == same[z * n + j]);
                CHECK(std::fabs((double)(values[z * n + j] - only[z * n + j])) <= tolerance<T>(n) * a[z].norm());
                CHECK(j == 0 || values[z * n + j] >= values[z * n + j - 1]);
                for (int i = 0; i < n; i++)
                    qw(i, j) *= (double)values[z * n + j];
            }
            CHECK(minus(q, other).norm() == 0);
            CHECK(skew(q) < tolerance<T>(n));
            CHECK(minus(times(a[z], q), qw).norm() < tolerance<T>(n) * a[z].norm());
        }
    }

    /* Small diagonals, so that rows must be exchanged. */
    dense banded(int n, int lower, int upper)
    {
        dense a = random_matrix<T>(n, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (i == j)
                    a(i, j) = lower ? a(i, j) * 1e-3 : 2.0;
                else if (i > j + lower || j > i + upper)
                    a(i, j) = 0;
        return a;
    }
    void bands(int n, int lower, int upper, int nrhs)
    {
        const int count = 3, lda = lower + upper + 2, ldb = n + 1;
        std::vector<dense> a, x;
        both<T> da(lda * n * count), db(ldb * nrhs * count), dl(n * count), d(n * count), du(n * count);
        both<int> infos(count);
        for (int z = 0; z < count; z++) {
            a.push_back(banded(n, lower, upper));
            if (z == 1 && n > 2) /* a column of zeros */
                for (int i = 0; i < n; i++)
                    a[z](i, n - 2) = 0;
            x.push_back(random_matrix<T>(n, nrhs));
            for (int j = 0; j < n; j++)
                for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); i++)
                    da.host[(size_t)z * lda * n + upper + i - j + j * lda] = as<T>::narrow(a[z](i, j));
            for (int i = 0; i < n && lower == 1 && upper == 1; i++) {
                dl.host[z * n + i] = as<T>::narrow(i ? a[z](i, i - 1) : zd(99));
                d.host[z * n + i] = as<T>::narrow(a[z](i, i));
                du.host[z * n + i] = as<T>::narrow(i + 1 < n ? a[z](i, i + 1) : zd(99));
            }
            store(db.host, times(a[z], x[z]), ldb, (size_t)z * ldb * nrhs);
        }
        for (both<T> *p : {&da, &db, &dl, &d, &du})
            p->put();
        for (int how = 0; how < (lower == 1 && upper == 1 ? 2 : 1); how++) {
            db.put();
            if (how)
                SOLVE(ternTridiagonalSolve(h, type, n, nrhs, dl.device, d.device, du.device, n, db.device, ldb, ldb * nrhs, infos.device, count));
            else
                SOLVE(ternBandSolve(h, type, n, lower, upper, nrhs, da.device, lda, lda * n, db.device, ldb, ldb * nrhs, infos.device, count));
            const std::vector<int> bad = infos.get();
            for (int z = 0; z < count; z++) {
                CHECK(bad[z] == (z == 1 && n > 2 ? n - 1 : 0));
                if (bad[z])
                    continue;
                const dense got = wide(db.get(), n, nrhs, ldb, (size_t)z * ldb * nrhs);
                CHECK(minus(times(a[z], got), times(a[z], x[z])).norm() < 8 * tolerance<T>(n) * a[z].norm() * (got.norm() + 1));
            }
        }
    }

    void inverse_and_determinant(int n)
    {
        dense a = random_matrix<T>(n, n);
        for (int i = 0; i < n; i++)
            a(i, (i + 1) % n) += 3.0;
        const int lda = n + 1;
        both<T> da(lda * n);
        flag info;
        store(da.host, a, lda);
        da.put();
        double mantissa[2];
        int64_t exponent = -1;
        SOLVE(ternDeterminant(h, type, n, da.device, lda, mantissa, &exponent));
        zd want = 1;
        dense u = a; /* elimination with the largest pivots */
        for (int k = 0; k < n; k++) {
            int p = k;
            for (int i = k; i < n; i++)
                p = std::abs(u(i, k)) > std::abs(u(p, k)) ? i : p;
            for (int j = 0; j < n; j++)
                std::swap(u(k, j), u(p, j));
            want *= p == k ? u(k, k) : -u(k, k);
            for (int i = k + 1; i < n; i++)
                for (int j = n - 1; j >= k; j--)
                    u(i, j) -= u(i, k) / u(k, k) * u(k, j);
        }
        const zd got = zd(std::ldexp(mantissa[0], (int)exponent), std::ldexp(mantissa[1], (int)exponent));
        CHECK(std::abs(got - want) < 10 * tolerance<T>(n) * std::abs(want));
        CHECK(std::max(std::fabs(mantissa[0]), std::fabs(mantissa[1])) >= 0.5 && std::max(std::fabs(mantissa[0]), std::fabs(mantissa[1])) < 1);
        SOLVE(ternInverse(h, type, n, da.device, lda, info.device));
        CHECK(info.get() == 0);
        const dense x = wide(da.get(), n, n, lda);
        CHECK(minus(times(a, x), unit(n)).norm() < tolerance<T>(n) * a.norm() * x.norm());
        if (n < 3)
            return;
        for (int i = 0; i < n; i++)
            a(i, 2) = 0;
        store(da.host, a, lda);
        da.put();
        SOLVE(ternDeterminant(h, type, n, da.device, lda, mantissa, &exponent));
        CHECK(mantissa[0] == 0 && mantissa[1] == 0 && exponent == 0);
        SOLVE(ternInverse(h, type, n, da.device, lda, info.device));
        CHECK(info.get() == 3);
    }
    /* Out of the range of any number, and odd exchanges. */
    void far_determinant()
    {
        const int n = 40;
        dense a(n, n);
        for (int i = 0; i < n; i++)
            a(i, n - 1 - i) = 0x1p60; /* reversed: n / 2 = 20 exchanges, n (n - 1) / 2 is even */
        std::swap(a(0, n - 1), a(0, n - 2));
        std::swap(a(1, n - 1), a(1, n - 2));
        both<T> da(n * n);
        store(da.host, a, n);
        da.put();
        double mantissa[2];
        int64_t exponent = 0;
        SOLVE(ternDeterminant(h, type, n, da.device, n, mantissa, &exponent));
        CHECK(mantissa[0] == -0.5 && mantissa[1] == 0 && exponent == 60 * n + 1);
    }

    void ranks_and_least_squares(int m, int n, int rank)
    {
        const int least = std::min(m, n), most = std::max(m, n), nrhs = 2, lda = m + 1, ldb = most + 1;
        dense left = orthonormal<T>(m, rank);
        const dense right = orthonormal<T>(n, rank);
        for (int j = 0; j < rank; j++)
            for (int i = 0; i < m; i++)
                left(i, j) *= 1.0 + j;
        const dense a = times(left, adjoint(right)), b = random_matrix<T>(m, nrhs);
        both<T> da(lda * n), db(ldb * nrhs);
        flag info;
        int64_t found = -1;
        store(da.host, a, lda);
        da.put();
        SOLVE(ternRank(h, type, m, n, da.device, lda, -1, &found));
        CHECK(found == rank);
        SOLVE(ternRank(h, type, m, n, da.device, lda, (rank - 0.5) / rank, &found));
        CHECK(found == 1);
        for (int how = rank == least ? 0 : 1; how < 2; how++) {
            store(db.host, b, ldb);
            db.put();
            SOLVE(ternLeastSquares(h, type, how ? TERN_LEAST_SQUARES_SVD : TERN_LEAST_SQUARES_QR, m, n, nrhs, da.device, lda, db.device, ldb, -1, &found, info.device));
            CHECK(info.get() == 0 && found == rank);
            const dense x = wide(db.get(), n, nrhs, ldb);
            CHECK(times(adjoint(a), minus(times(a, x), b)).norm() < tolerance<T>(most) * rank * rank * (b.norm() + 1));
            /* Of the least norm: it is in the space of A's rows. */
            CHECK(minus(times(right, times(adjoint(right), x)), x).norm() < tolerance<T>(most) * rank * (x.norm() + 1));
            CHECK(distance(wide(da.get(), m, n, lda), a) < 1e-6); /* A stays */
        }
    }

    template <class F> void function_of(const char *name, ternMatrixFunction_t which, double parameter, const std::vector<double> &e, F f, double loose)
    {
        const int n = (int)e.size(), lda = n + 1;
        std::vector<double> fe;
        for (double x : e)
            fe.push_back(f(x));
        dense s(n, n), inverse(n, n);
        similar<T>(n, s, inverse);
        both<T> da(lda * n), df(n * n);
        flag info;
        for (int how = which > TERN_MATRIX_POWER || parameter != std::floor(parameter) ? 1 : 0; how < (slow ? 2 : 4); how++) {
            const dense q = orthonormal<T>(n, n);
            const dense a = how == 0 ? times(s, times(diagonal(e), inverse)) : times(q, times(diagonal(e), adjoint(q)));
            const dense want = how == 0 ? times(s, times(diagonal(fe), inverse)) : times(q, times(diagonal(fe), adjoint(q)));
            if (how == 3) { /* without the eigenvalues, in place */
                if (which > TERN_MATRIX_POWER || parameter != std::floor(parameter))
                    continue;
                store(da.host, a, lda);
            } else {
                store(da.host, how == 0 ? a : spoilt(a, how == 1), lda);
            }
            da.put();
            if (how == 0)
                SOLVE(ternMatrixFunction(h, type, which, parameter, n, da.device, lda, df.device, n, info.device));
            else if (how == 3)
                SOLVE(ternMatrixFunction(h, type, which, parameter, n, da.device, lda, da.device, lda, info.device));
            else
                SOLVE(ternHermitianFunction(h, type, how == 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, which, parameter, n, da.device, lda, df.device, n, info.device));
            CHECK(info.get() == 0);
            const dense got = how == 3 ? wide(da.get(), n, n, lda) : wide(df.get(), n, n, n);
            const double off = distance(got, want), bound = loose * tolerance<T>(n) * (how == 0 ? s.norm() * inverse.norm() : 1);
            if (!(off < bound)) {
                printf("%s, way %d: off by %g of %g\n", name, how, off, bound);
                exit(1);
            }
        }
    }

    void functions()
    {
        const std::vector<double> positive = {0.5, 0.75, 1, 2, 2, 3.5, 5}, any = {-3, -1.5, -0.25, 0.5, 1, 1, 2};
        function_of("exp", TERN_MATRIX_EXP, 0, any, [](double x) { return std::exp(x); }, 4);
        if (!slow)
            function_of("exp of large ones", TERN_MATRIX_EXP, 0, {-40, -20, -1, 0, 3, 12, 20}, [](double x) { return std::exp(x); }, 200);
        function_of("log", TERN_MATRIX_LOG, 0, positive, [](double x) { return std::log(x); }, 30);
        if (!slow)
            function_of("log of far ones", TERN_MATRIX_LOG, 0, {1e-2, 0.25, 1, 1, 30, 500}, [](double x) { return std::log(x); }, 3000);
        function_of("sqrt", TERN_MATRIX_SQRT, 0, positive, [](double x) { return std::sqrt(x); }, 10);
        function_of("sign", TERN_MATRIX_SIGN, 0, any, [](double x) { return x > 0 ? 1.0 : -1.0; }, 40);
        function_of("power 5", TERN_MATRIX_POWER, 5, any, [](double x) { return std::pow(x, 5); }, 10);
        function_of("power -2", TERN_MATRIX_POWER, -2, positive, [](double x) { return std::pow(x, -2); }, 40);
        function_of("power 0", TERN_MATRIX_POWER, 0, any, [](double) { return 1.0; }, 4);
        function_of("power -0.5", TERN_MATRIX_POWER, -0.5, positive, [](double x) { return std::pow(x, -0.5); }, 10);
        function_of("sin", TERN_MATRIX_SIN, 0, any, [](double x) { return std::sin(x); }, 4);
        function_of("cos", TERN_MATRIX_COS, 0, any, [](double x) { return std::cos(x); }, 4);
        function_of("tanh", TERN_MATRIX_TANH, 0, any, [](double x) { return std::tanh(x); }, 4);
        /* A rotation, whose logarithm is known, and a matrix without enough vectors. */
        both<T> da(4), df(9);
        flag info;
        const double angle = 2;
        dense turn(2, 2);
        turn(0, 1) = -angle;
        turn(1, 0) = angle;
        store(da.host, turn, 2);
        da.put();
        SOLVE(ternMatrixFunction(h, type, TERN_MATRIX_EXP, 0, 2, da.device, 2, df.device, 2, info.device));
        dense got = wide(df.get(), 2, 2, 2);
        CHECK(std::abs(got(0, 0) - std::cos(angle)) < tolerance<T>(2) && std::abs(got(1, 0) - std::sin(angle)) < tolerance<T>(2));
        SOLVE(ternMatrixFunction(h, type, TERN_MATRIX_LOG, 0, 2, df.device, 2, da.device, 2, info.device));
        CHECK(info.get() == 0 && distance(wide(da.get(), 2, 2, 2), turn) < 10 * tolerance<T>(2));
        both<T> jordan(9);
        dense j(3, 3);
        j(0, 0) = j(1, 1) = j(2, 2) = 4;
        j(0, 1) = j(1, 2) = 1;
        store(jordan.host, j, 3);
        jordan.put();
        SOLVE(ternMatrixFunction(h, type, TERN_MATRIX_SQRT, 0, 3, jordan.device, 3, df.device, 3, info.device));
        got = wide(df.get(), 3, 3, 3);
        CHECK(info.get() == 0 && std::abs(got(0, 1) - 0.25) < tolerance<T>(3) && std::abs(got(0, 2) + 1 / 64.0) < tolerance<T>(3));
    }
    /* What has no value. */
    void undefined()
    {
        const std::vector<double> e = {-2, -1, 0.5, 3};
        const int n = 4;
        both<T> da(n * n), df(n * n);
        flag info;
        store(da.host, hermitian<T>(e), n);
        da.put();
        SOLVE(ternHermitianFunction(h, type, CUBLAS_FILL_MODE_LOWER, TERN_MATRIX_LOG, 0, n, da.device, n, df.device, n, info.device));
        CHECK(info.get() == 1);
        store(da.host, dense(n, n), n);
        da.put();
        SOLVE(ternMatrixFunction(h, type, TERN_MATRIX_SQRT, 0, n, da.device, n, df.device, n, info.device));
        CHECK(info.get() != 0);
        SOLVE(ternMatrixFunction(h, type, TERN_MATRIX_POWER, -1, n, da.device, n, df.device, n, info.device));
        CHECK(info.get() != 0);
        CHECK(ternMatrixFunction(h, type, TERN_MATRIX_SIN, 0, n, da.device, n, df.device, n, info.device) == CUSOLVER_STATUS_NOT_SUPPORTED);
        CHECK(ternMatrixFunction(h, type, TERN_MATRIX_POWER, 0.5, n, da.device, n, df.device, n, info.device) == CUSOLVER_STATUS_NOT_SUPPORTED);
        CHECK(ternMatrixFunction(h, CUDA_R_16F, TERN_MATRIX_EXP, 0, n, da.device, n, df.device, n, info.device) == CUSOLVER_STATUS_NOT_SUPPORTED);
        CHECK(ternBandSolve(h, type, n, 1, 1, 1, da.device, 2, 0, df.device, n, 0, info.device, 1) == CUSOLVER_STATUS_INVALID_VALUE);
        CHECK(ternInverse(nullptr, type, n, da.device, n, info.device) == CUSOLVER_STATUS_NOT_INITIALIZED);
        CHECK(ternRank(h, type, n, n, da.device, n - 1, -1, nullptr) == CUSOLVER_STATUS_INVALID_VALUE);
        int64_t rank = -1;
        SOLVE(ternRank(h, type, n, n, da.device, n, -1, &rank));
        CHECK(rank == 0);
    }

    void all()
    {
        packed(7, false);
        packed(12, true);
        bands(1, 0, 0, 1);
        bands(9, 1, 1, 2);
        bands(33, 1, 1, 1);
        bands(20, 3, 2, 3);
        bands(23, 0, 4, 1);
        bands(15, 14, 1, 1);
        bands(40, 20, 5, 2);
        inverse_and_determinant(1);
        inverse_and_determinant(19);
        far_determinant();
        ranks_and_least_squares(13, 5, 5);
        ranks_and_least_squares(13, 6, 4);
        ranks_and_least_squares(5, 11, 5);
        ranks_and_least_squares(6, 9, 2);
        ranks_and_least_squares(7, 7, 7);
        functions();
        undefined();
    }
};

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    every_type<test>(h);
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
